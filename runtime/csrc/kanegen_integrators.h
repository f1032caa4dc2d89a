/*
 * Integrators for mechanisms: C99, self-contained, includable from C++.
 *
 * The state of a mechanism is its coordinates q (nq of them) and its speeds v (nv of them):
 *
 *     dq/dt = N(q) v          coordinate_rates(q, v)          (left out: dq/dt = v)
 *     dv/dt = a(q, v, tau)    forward_dynamics(q, v, tau)
 *     tau   = tau(t, q, v)    controller                      (left out: tau = 0)
 *
 * A mechanism with loops or rolling contacts (see kanegen_constraints) has the state q and dq/dt instead, so that no
 * dead centre of its speeds stands in the way; its speeds v(q, dq/dt) are what controllers and rows are given.
 *
 * A control law may have states x of its own, integrated along, and may follow signals r that are given over time (see
 * kanegen_general_law): tau = tau(t, q, v, x, r) and dx/dt = dx/dt(t, q, v, x, r).
 *
 * Spherical and floating joints have unit quaternions among their coordinates. These are brought to length one at the
 * beginning, after every step and in every row; errors of their entries count relative to that length.
 *
 * Units are SI and those of the kernels: t in s, q in rad or m, v in rad/s or m/s, a in rad/s^2 or m/s^2,
 * tau in N m or N.
 *
 * Nothing here allocates, keeps state between calls or touches a global: any number of integrations may run
 * at once, each with its own workspace and rows. Compile kanegen_driver.c, kanegen_events.c, kanegen_rows.c, kanegen_steps.c,
 * kanegen_constraints.c, kanegen_linearisation.c, kanegen_adaptive.c, kanegen_equal_steps.c, kanegen_rk4.c, kanegen_gauss4.c,
 * kanegen_dopri5.c and kanegen_rodas4.c beside the generated model, for one that depends on time kanegen_timed.c, too, and link
 * the mathematical library:
 *
 *     #include "kanegen_integrators.h"
 *     #include "stanford_arm.h"
 *     #include <stdio.h>
 *     int main(void) {
 *         double workspace[512], q[6] = {0.0, 1.5}, v[6] = {0.0};
 *         const double t[2] = {0.5, 1.0};
 *         double row_q[2][6], row_v[2][6], row_tau[2][6];
 *         const kanegen_system arm = {.nq = 6, .nv = 6, .forward_dynamics = stanford_arm_forward_dynamics};
 *         const kanegen_options options = {.t_end = 1.0, .rtol = 1e-9, .atol = 1e-12, .max_steps = 100000};
 *         const kanegen_rows rows = {.count = 2, .t = t, .q = row_q[0], .v = row_v[0], .tau = row_tau[0]};
 *         kanegen_statistics statistics;
 *         if (kanegen_workspace_size(6, 6) > 512) return 1;
 *         if (kanegen_dopri5(&arm, &options, q, v, &rows, workspace, &statistics) != KANEGEN_DONE) return 1;
 *         printf("q6(0.5 s) = %.12g m, q6(1 s) = %.12g m\n", row_q[0][5], q[5]);
 *         return 0;
 *     }
 */
#ifndef KANEGEN_INTEGRATORS_H
#define KANEGEN_INTEGRATORS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* <declarations>: the build script hands these lines to cffi, so they hold no preprocessor line. */

/* Generated kernels. */
typedef void kanegen_dynamics(const double *q, const double *v, const double *tau, double *a);
typedef void kanegen_rates(const double *q, const double *v, double *qdot);
typedef void kanegen_law(const double *t, const double *q, const double *v, double *tau);
typedef void kanegen_kinetic(const double *q, const double *v, double *T);
typedef void kanegen_potential(const double *q, double *U);
typedef void kanegen_derivatives(const double *q, const double *v, const double *tau, double *dq, double *dv,
                                 double *dtau);

/* The same of a model with live parameters: the first argument is its prepared struct. */
typedef void kanegen_prepared_dynamics(const void *prepared, const double *q, const double *v, const double *tau,
                                       double *a);
typedef void kanegen_prepared_rates(const void *prepared, const double *q, const double *v, double *qdot);
typedef void kanegen_prepared_law(const void *prepared, const double *t, const double *q, const double *v,
                                  double *tau);
typedef void kanegen_prepared_kinetic(const void *prepared, const double *q, const double *v, double *T);
typedef void kanegen_prepared_potential(const void *prepared, const double *q, double *U);
typedef void kanegen_prepared_derivatives(const void *prepared, const double *q, const double *v, const double *tau,
                                          double *dq, double *dv, double *dtau);

/* Generated kernels of a constrained mechanism, without and with live parameters. */
typedef void kanegen_multipliers(const double *q, const double *qdot, const double *tau, double *qddot,
                                 double *lambda);
typedef void kanegen_speeds(const double *q, const double *qdot, double *v);
typedef void kanegen_projection(const double *q, const double *qdot, double *q_next, double *qdot_next);
typedef void kanegen_residual(const double *q, double *phi);
typedef void kanegen_jacobian(const double *q, double *J);
typedef void kanegen_prepared_jacobian(const void *prepared, const double *q, double *J);
typedef void kanegen_prepared_multipliers(const void *prepared, const double *q, const double *qdot,
                                          const double *tau, double *qddot, double *lambda);
typedef void kanegen_prepared_speeds(const void *prepared, const double *q, const double *qdot, double *v);
typedef void kanegen_prepared_projection(const void *prepared, const double *q, const double *qdot,
                                         double *q_next, double *qdot_next);
typedef void kanegen_prepared_residual(const void *prepared, const double *q, double *phi);

/* A controller written by hand; data is handed through untouched. */
typedef void kanegen_controller(double t, const double *q, const double *v, double *tau, void *data);

/* Any generated function, as it is stored; it is called in its own form. */
typedef void kanegen_function(void);

/* The functions of a mechanism that depends on time, which take it before all else: each as it was generated. They are integrated
 * as prepared functions, whose prepared values are this record: kanegen_timed_forward_dynamics and so on. Laws take t anyway. */
typedef struct {
    const double *t;                     /* s, where the time is: kanegen_system.time */
    const void *prepared;                /* first argument of the functions with live parameters, else NULL */
    kanegen_function *forward_dynamics, *coordinate_rates;
    kanegen_function *multiplier_dynamics, *generalized_speeds, *constraint_projection, *constraint_residual;
    kanegen_function *frame_jacobian;    /* of a wrench's frame */
} kanegen_timed;

void kanegen_timed_forward_dynamics(const void *timed, const double *q, const double *v, const double *tau, double *a);
void kanegen_timed_coordinate_rates(const void *timed, const double *q, const double *v, double *qdot);
void kanegen_timed_multiplier_dynamics(const void *timed, const double *q, const double *qdot, const double *tau,
                                       double *qddot, double *lambda);
void kanegen_timed_generalized_speeds(const void *timed, const double *q, const double *qdot, double *v);
void kanegen_timed_constraint_projection(const void *timed, const double *q, const double *qdot, double *q_next,
                                         double *qdot_next);
void kanegen_timed_constraint_residual(const void *timed, const double *q, double *phi);
void kanegen_timed_frame_jacobian(const void *timed, const double *q, double *J);

/* A signal over time in pieces of cubic polynomials. Before the first knot and after the last it keeps its value there. */
typedef struct {
    size_t pieces;                       /* at least one */
    const double *knots;                 /* [pieces + 1] s, ascending */
    const double *coefficients;          /* [pieces][4] those of 1, s, s^2, s^3, with s = t - knots[i] */
} kanegen_signal;

/* A law with all that a law may have, written by hand: x [states], r [signals][3]; tau [nv] and xdot [states] are found. */
typedef void kanegen_written_law(const void *data, const double *t, const double *q, const double *v, const double *x,
                                 const double *r, double *tau, double *xdot);

/* A control law with states of its own, or with signals that it follows. Under sampled control xdot is held as tau is. */
typedef struct {
    size_t states;
    double *x;                           /* [states] initial ones on entry, those at statistics->t on return */
    size_t signals;                      /* r has three numbers for each: its value, its first and second derivative */
    const kanegen_signal *signal;        /* [signals] */

    kanegen_function *law;               /* generated: (t, q, v, x, r, tau, xdot), without x and xdot where there are no */
    kanegen_function *closed_loop;       /* states, without r where there are no signals; closed_loop (or NULL) gives dv/dt */
    const void *prepared;                /* in place of tau. Their first argument with live parameters, else NULL */

    kanegen_written_law *written;        /* or one written by hand, with its first argument */
    const void *data;
} kanegen_general_law;

/* A wrench that others exert on a frame: force [N], then moment about the frame's origin [N m], along the axes of the base. It
 * acts beside tau, at all times, also under sampled control. */
typedef struct {
    kanegen_jacobian *frame_jacobian;    /* one of these two: J [6][nv] */
    kanegen_prepared_jacobian *prepared_frame_jacobian;
    const void *prepared;                /* first argument of the prepared one */

    const kanegen_signal *signal;        /* one of these three: [6] its components over time, */
    kanegen_controller *function;        /* or a function that finds the wrench [6] in place of tau, */
    kanegen_law *law;                    /* in one of these forms */
    void *data;                          /* last argument of the function */
} kanegen_wrench;

/* The energies of a mechanism; of each pair of functions, one is there. */
typedef struct {
    kanegen_kinetic *kinetic_energy;
    kanegen_prepared_kinetic *prepared_kinetic_energy;
    kanegen_potential *potential_energy;
    kanegen_prepared_potential *prepared_potential_energy;
    const void *prepared_kinetic, *prepared_potential; /* first arguments of the prepared ones */
} kanegen_energies;

/* Looks whether to go on: the number of steps until it is asked again, or zero to stop. */
typedef size_t kanegen_pause(void *data);

/* What restricts the motion of a mechanism: equations of position phi(q) = 0, and rows A(q) of velocity. Of each pair
 * of functions, one is there. */
typedef struct {
    size_t position;                     /* number of equations of position; without any, the residual is NULL */
    size_t rows;                         /* number of rows of velocity, at least one */

    kanegen_multipliers *multiplier_dynamics;            /* d2q/dt2, and the multipliers of the rows */
    kanegen_prepared_multipliers *prepared_multiplier_dynamics;
    kanegen_speeds *generalized_speeds;                  /* v */
    kanegen_prepared_speeds *prepared_generalized_speeds;
    kanegen_projection *constraint_projection;           /* one step of q and dq/dt towards the constraints */
    kanegen_prepared_projection *prepared_constraint_projection;
    kanegen_residual *constraint_residual;               /* phi */
    kanegen_prepared_residual *prepared_constraint_residual;

    double drift;                        /* > 0; every state and row satisfies the constraints to this: |phi|, and the */
                                         /* last correction of dq/dt, relative where that is above one, in these units: */
    const double *units;                 /* [position] of phi, and of q [nq]: one's own unit of length, or 1; NULL: ones */
    const double *coordinate_units;
} kanegen_constraints;

/* The functions g(t, q, v) of events, [count]; data is handed through untouched. */
typedef void kanegen_event_values(double t, const double *q, const double *v, double *g, void *data);

/* Told that event number i happens at the state (q, v), which it may change: q, and rates, which is v, with constraints dq/dt.
 * It returns the sum of these: */
enum { KANEGEN_EVENT_ENDS = 1, KANEGEN_EVENT_CHANGES = 2 };
typedef int kanegen_event_happened(double t, size_t i, double *q, const double *v, double *rates, void *data);

/* Events: where functions of time and state pass through zero. A step ends there. A function that is zero at the beginning has
 * not passed. */
typedef struct {
    size_t count;
    const int *direction;                /* [count] 1: from below, -1: from above, 0: both */
    kanegen_event_values *values;
    kanegen_event_happened *happened;
    void *data;
    double *workspace;                   /* [8 count] */
} kanegen_events;

/* What is integrated. Functions that are not there are NULL. */
typedef struct {
    size_t nq;                           /* number of coordinates */
    size_t nv;                           /* number of speeds */

    size_t quaternion_count;             /* unit quaternions among the coordinates, in four consecutive entries each; */
    const size_t *quaternions;           /* [quaternion_count] where they begin; every state and row has them at */
                                         /* length one */

    const kanegen_constraints *constraints; /* NULL for a mechanism without any; with them, the next two pairs and */
                                         /* the closed loop are not used */

    kanegen_dynamics *forward_dynamics;  /* one of these two is needed */
    kanegen_prepared_dynamics *prepared_forward_dynamics;

    kanegen_rates *coordinate_rates;     /* at most one of these two; neither: dq/dt = v, and nq = nv */
    kanegen_prepared_rates *prepared_coordinate_rates;

    kanegen_controller *controller;      /* at most one of these four; none: tau = 0 */
    kanegen_law *law;
    kanegen_prepared_law *prepared_law;
    const kanegen_general_law *general_law;

    kanegen_law *closed_loop;            /* at most one of these two: dv/dt (t, q, v) under the law, in one */
    kanegen_prepared_law *prepared_closed_loop; /* function; saves the call of the law unless it is sampled, or there are */
                                         /* wrenches */

    size_t wrench_count;                 /* wrenches on frames */
    const kanegen_wrench *wrenches;      /* [wrench_count] */

    kanegen_derivatives *forward_dynamics_derivatives; /* kanegen_rodas4 needs one of these two: da/dq, da/dv, */
    kanegen_prepared_derivatives *prepared_forward_dynamics_derivatives; /* da/dtau, each [nv][nv] by rows */

    const kanegen_energies *energies;    /* kanegen_gauss4 needs them, of a mechanism that loses no energy by itself */

    const void *prepared;                /* first argument of the prepared functions, */
    const void *prepared_derivatives;    /* and of those derivatives, which may have a struct of their own */
    double *time;                        /* NULL, or where functions that depend on time (kanegen_timed) find it: it is */
                                         /* written before they are called; not for kanegen_rodas4 */
    void *controller_data;               /* last argument of the controller */
    const int *stop;                     /* NULL, or a flag read after every call of the controller: */
                                         /* nonzero ends the integration with KANEGEN_STOPPED */

    const kanegen_events *events;        /* NULL: none */

    kanegen_pause *pause;                /* NULL, or a function called between steps: the first time before the first */
    void *pause_data;                    /* step, then when as many steps are done as it returned; zero ends the */
                                         /* integration with KANEGEN_STOPPED. pause_data is its argument. */
} kanegen_system;

typedef struct {
    double t_begin, t_end;     /* s, t_begin <= t_end */
    double sample_period;      /* s; > 0: the controller is called at t_begin + k sample_period and at no other */
                               /* time, tau is held between, steps end on these instants; */
                               /* 0: the controller is called wherever tau is needed */
    double step;               /* s; kanegen_rk4, kanegen_gauss4: every stretch between instants (the whole run if there are */
                               /* none) is cut into the fewest equal steps no longer than this */
    double max_step;           /* s; > 0: kanegen_dopri5, kanegen_rodas4 take no longer step; 0: no limit */
    size_t break_count;        /* times at which tau may jump: a step ends there, whose stages see tau just before, */
    const double *breaks;      /* and the next begins with tau from then on; [break_count] s, ascending, from t_begin */
                               /* to t_end */
    double rtol, atol;         /* kanegen_dopri5, kanegen_rodas4: a step's error is at most atol + rtol |y|, as the root mean */
                               /* square over the state y = (q, v, x), where |y| is 1 for entries of quaternions; */
                               /* rtol >= 0, atol > 0; equal steps: defects below these are not spoken of */
    size_t max_steps;          /* accepted and rejected steps together */
} kanegen_options;

/* Told that all rows that there is room for are written: they are written over afterwards. */
typedef void kanegen_rows_full(void *data);

/* The rows asked for. tau is the force acting at that time; at a sample instant, the one acting from then on. */
typedef struct {
    size_t count;
    const double *t;           /* [count]      s, ascending, from t_begin to t_end */
    double *q;                 /* [count][nq] */
    double *v;                 /* [count][nv] */
    double *tau;               /* [count][nv] */
    double *work;              /* [count][nv + wrenches]  J: of each force since t_begin, its power tau v integrated along */
                               /* with the motion, then of each wrench; NULL where it is not wanted */
    double *x;                 /* [count][states]; not used where the law has no states */
    size_t every;              /* > 0: the rows are, in place of those at t, the one at the beginning and that of each so many */
    double *step_t;            /* steps, whose times are written to step_t [count]. Where count are written, full is called */
    kanegen_rows_full *full;   /* with full_data, and the next is the first again. statistics->rows are those since then. */
    void *full_data;
    size_t probe_count;        /* Further times at which the motion between steps is held against its equations, as it */
    const double *probes;      /* is at the rows, where tau varies: [probe_count] s, ascending, from t_begin to t_end */
} kanegen_rows;

typedef struct {
    double t;                  /* s, the time reached */
    size_t rows;               /* rows written; those after them are left as they were */
    size_t accepted;           /* steps */
    size_t rejected;           /* steps */
    size_t evaluations;        /* of the forward dynamics */
    size_t linearisations;     /* evaluations of the derivatives */
    size_t stiff_steps;        /* kanegen_dopri5: accepted steps that stability limited, rather than their error; */
                               /* kanegen_rk4: those as long as is stable, or longer */
    size_t controller_calls;
    double drift;              /* how far states and rows were found from the constraints at most, once projected */
    size_t probes;             /* rows and probes between steps at which dy/dt of the motion was held against f(t, y), */
    double defect;             /* the largest difference found, as a multiple of what there should be, and where: above */
    double defect_t;           /* 1, something happened that the steps have not seen, such as a jump of tau in time */
} kanegen_statistics;

typedef enum {
    KANEGEN_DONE = 0,
    KANEGEN_STEP_UNDERFLOW = 1, /* the tolerance, the step or the sample period is below the resolution of t */
    KANEGEN_NOT_FINITE = 2,     /* the state or its rate of change is infinite or not a number */
    KANEGEN_TOO_MANY_STEPS = 3,
    KANEGEN_STOPPED = 4,        /* the stop flag was set, or a pause said so */
    KANEGEN_INVALID = 5,        /* an option out of range or a function missing: nothing was done */
    KANEGEN_OPEN = 6,           /* the state after a step could not be brought back to the constraints */
    KANEGEN_EVENT = 7,          /* an event ended it */
    KANEGEN_NOT_SOLVED = 8      /* kanegen_gauss4: a step was too long for its equations to be solved */
} kanegen_status;

/* Number of doubles an integration needs as workspace. */
size_t kanegen_workspace_size(size_t nq, size_t nv);

/* The same for kanegen_rodas4. */
size_t kanegen_stiff_workspace_size(size_t nq, size_t nv);

/* The same for a mechanism with constraints, whatever the method. */
size_t kanegen_constrained_workspace_size(size_t nq, size_t nv, size_t position, size_t rows);

/* What a law with states or signals adds to any of these. */
size_t kanegen_law_workspace_size(size_t nv, const kanegen_general_law *law);

/* What wrenches add to any of these. */
size_t kanegen_wrench_workspace_size(size_t nv, size_t wrenches);

/* For all methods: q [nq] and v [nv] hold the initial state on entry and the state at statistics->t on return. With
 * constraints, v is dq/dt [nq]; the initial state is taken as it is. */

/* The classical Runge-Kutta method of order 4, fixed steps; between steps the cubic Hermite interpolant. */
kanegen_status kanegen_rk4(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                           const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics);

/* Gauss' method of order 4, two implicit stages, equal steps, for long motions: after each step the rates are scaled so that
 * energy less works is what it was in the beginning. It needs the energies. The stages are found by iteration, until they
 * are exact to rounding: KANEGEN_NOT_SOLVED where they cannot be. Between steps the cubic Hermite interpolant. */
kanegen_status kanegen_gauss4(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                              const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics);

/* The method of Dormand and Prince of order 5(4), adaptive steps; between steps its interpolant of order 4. */
kanegen_status kanegen_dopri5(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                              const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics);

/* The Rosenbrock method RODAS of order 4(3), adaptive steps, for stiff motions: what is damped within a step does not limit
 * it. Between steps its interpolant of order 3. It needs the derivatives, and dq/dt = v: no coordinate rates, constraints or
 * quaternions (else KANEGEN_INVALID). A controller that is not sampled is called 2 nv + 5 times more in each step, at states
 * beside the motion, for the derivatives of tau. */
kanegen_status kanegen_rodas4(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                              const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics);

/* </declarations> */

#ifdef __cplusplus
}
#endif

#endif
