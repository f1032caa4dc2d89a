/*
 * Private to the integrators: what the methods share. Users include kanegen_integrators.h.
 *
 * A run from t_begin to t_end is cut at the sample instants into stretches on which the right-hand side is
 * smooth. The driver walks over the stretches, samples the controller and writes the rows that fall on their
 * ends; a method advances over one stretch and writes the rows inside it.
 */
#ifndef KANEGEN_INTEGRATION_H
#define KANEGEN_INTEGRATION_H

#include "kanegen_integrators.h"

#include <stdbool.h>

enum { KANEGEN_STAGES = 7 };

/* Accelerations linearised about a state: da = dq q + dv v + rate t, with what tau adds to each, matrices being [nv][nv]
 * by rows. lu and pivot: factors of the matrix of a step, lu by columns. */
typedef struct {
    double *dq, *dv, *dtau, *lu;
    double *rate, *pivot;
    double *tau, *tau_near, *tau_far; /* scratch [nv] */
    bool known;                       /* whether all but lu and pivot belong to the present state */
} kanegen_linearisation;

/* One integration under way. y and all vectors like it are (q, v), n = nq + nv numbers; with constraints they are
 * (q, dq/dt), n = 2 nq numbers. */
typedef struct {
    const kanegen_system *system;
    const kanegen_options *options;
    const kanegen_rows *rows;
    kanegen_statistics *done;
    size_t n;
    double *y;                  /* the state at done->t */
    double *y_next;             /* the state a step leads to */
    double *stage;              /* scratch */
    double *k[KANEGEN_STAGES];  /* rates of change at the stages of a step; k[0] is that at y */
    double *c3, *c4, *c5;       /* coefficients of the interpolant */
    double *scale;              /* the tolerances of the entries that kanegen_scaled_norm used last */
    double *defect, *rate;      /* scratch, for looks at the interpolant */
    double *tau;                /* the force used last; under sampled control, the one held */
    double *tau_there;          /* scratch [nv] */
    double earliest, latest;    /* times that the controller sees are within these: see the walk */
    size_t probes;              /* probes that are past */
    const struct kanegen_method *method;
    double *v, *lambda, *phi;   /* with constraints: speeds [nv], multipliers [rows], residuals [position] */
    double *projected;          /* with constraints: scratch [n] */
    kanegen_linearisation linear; /* rodas4: the dynamics linearised about y */
    double step;                /* adaptive methods: the step proposed next, 0 before the first */
    double last_error;          /* adaptive methods: error of the last accepted step */
    bool stiff;                 /* the step just taken was limited by stability */
    size_t until_pause;         /* steps that may be taken before the next pause */
} kanegen_integration;

/* Advance the state from time t to t_next, on one smooth stretch. */
typedef kanegen_status kanegen_advance(kanegen_integration *run, double t, double t_next);

typedef struct kanegen_method {
    kanegen_advance *advance;
    bool linearised;            /* whether the workspace has room for a linearisation */

    /* How large run->defect, the rate of change of the interpolant less that of the mechanism at state y inside the step of
     * h that was taken, is against what there may be of it; it may be changed. The force there is run->tau_there. */
    kanegen_status (*judge)(kanegen_integration *run, double h, double t, const double *y, double *multiple);
} kanegen_method;

/* Run a method from t_begin to t_end; valid: whether the options that are the method's own are in range. */
kanegen_status kanegen_integrate(const kanegen_method *method, bool valid,
                                 const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                                 const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics);

/* A method that chooses its steps from estimates of their errors. */
typedef struct {
    double order;               /* the error of a step of h is in proportion to h^order */

    /* Try a step of h from time t and state y, where dy/dt = k[0]; y_next, and its error as a multiple of the tolerance: */
    /* not a number where a stage left the domain of the dynamics. */
    kanegen_status (*attempt)(kanegen_integration *run, double t, double h, double *error);

    /* Write the rows inside the step that was tried. */
    kanegen_status (*write_rows_inside)(kanegen_integration *run, double t_next);

    /* Make y_next the state and, unless this is t_end, k[0] the rate of change there. */
    kanegen_status (*accept)(kanegen_integration *run, double t_next, double t_end);
} kanegen_adaptive_method;

/* Advance by such a method. */
kanegen_status kanegen_advance_adaptively(const kanegen_adaptive_method *method, kanegen_integration *run,
                                          double t_begin, double t_end);

/* Whether the tolerances are in range. */
bool kanegen_tolerances_are_valid(const kanegen_options *options);

/* Size of x against the tolerance at states a and b; leaves the tolerances of the entries in run->scale. */
double kanegen_scaled_norm(kanegen_integration *run, const double *x, const double *a, const double *b);

/* How large x, a defect times the length of the step, is against what an adaptive method leaves. */
double kanegen_adaptive_defect(kanegen_integration *run, const double *x);

/* Number of doubles of a linearisation; lay it out from memory on. */
size_t kanegen_linearisation_size(size_t nv);
void kanegen_lay_out_linearisation(kanegen_linearisation *linear, size_t nv, double *memory);

/* Linearise about time t and the present state, for steps of about h. */
kanegen_status kanegen_linearise(kanegen_integration *run, double t, double h);

/* Factor the matrix of a step (1/s - J) x = b, J that of (v, a), where s > 0; false where it is singular. */
bool kanegen_factor(kanegen_integration *run, double s);

/* Solve it: b [n] becomes x. */
void kanegen_solve(const kanegen_integration *run, double s, double *b);

/* Number of doubles of the vectors above that only constraints need. */
size_t kanegen_constrained_vectors(size_t nq, size_t nv, size_t position, size_t rows);

/* Lay these vectors out from memory on. */
void kanegen_lay_out_constrained(kanegen_integration *run, double *memory);

bool kanegen_constraints_are_valid(const kanegen_constraints *constraints);

/* The speeds at state y: part of it, or with constraints computed into run->v. */
const double *kanegen_speeds_at(kanegen_integration *run, const double *y);

/* dy = (dq/dt, d2q/dt2) at state y under the forces tau, with constraints. */
void kanegen_constrained_rate(kanegen_integration *run, const double *y, const double *tau, double *dy);

/* Bring y to the constraints and its quaternions to length one, as far as there are any. */
kanegen_status kanegen_project(kanegen_integration *run, double *y);

/* Whether one more step may be taken: not if max_steps are done, or a pause says that it is enough. */
kanegen_status kanegen_may_step(kanegen_integration *run);

/* Whether tau varies with time and state, rather than being none or held. */
bool kanegen_tau_varies(const kanegen_integration *run);

/* tau = tau(t, q, v); left as it is where there is no controller. */
kanegen_status kanegen_call_controller(kanegen_integration *run, double t, const double *y, double *tau);

/* dy = (N(q) v, a(q, v, tau)) at time t and state y. */
kanegen_status kanegen_rate_of_change(kanegen_integration *run, double t, const double *y, double *dy);

/* The same under given forces. */
void kanegen_rate_under(kanegen_integration *run, const double *y, const double *tau, double *dy);

/* Times that differ by rounding alone, as t_begin + k sample_period and an end or a row computed otherwise. */
bool kanegen_same_instant(const kanegen_integration *run, double a, double b);

/* Make y_next, reached at t_next, the state, brought to the constraints. */
kanegen_status kanegen_accept_step(kanegen_integration *run, double t_next);

/* Write the rows that fall on the present state. */
kanegen_status kanegen_write_rows_here(kanegen_integration *run);

/* Whether a row or a probe falls between the present state and t_next, ends excluded. */
bool kanegen_row_before(const kanegen_integration *run, double t_next);

/* Write these rows, from the rates of change at both ends of the step; run->c5 is the caller's. They
 * are brought to the constraints one by one. Where tau varies, look at them and the probes for defects. */
kanegen_status kanegen_write_rows_before(kanegen_integration *run, double t_next, const double *k_begin,
                                         const double *k_end);

/* The same with run->c3 and run->c4, too, set by the caller. */
kanegen_status kanegen_write_interpolated_rows(kanegen_integration *run, double t_next);

bool kanegen_all_finite(size_t n, const double *x);

/* y += factor x; no entry of y is one of x. */
static inline void kanegen_add(size_t n, double *restrict y, double factor, const double *restrict x)
{
    for (size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

#endif
