/*
 * Many motions of one mechanism at once, each in a lane: kernels are called for 32 states, as structures of arrays.
 *
 * Each motion has a state, a control of its steps and an end of its own; none knows of the others, and each is to the bit
 * what kanegen_rk4 or kanegen_dopri5 makes of it, where kernels are the same for many states as for one. Kernels take
 * states as numbers [size][stride], of which the first `count` columns are there.
 *
 * Compile kanegen_many.c beside what kanegen_integrators.h names, and kanegen_threads.c:
 *
 *     #include "kanegen_many.h"
 *     #include "stanford_arm.h"
 *     #include <stdio.h>
 *     static void dynamics(void **a, size_t count, size_t stride)
 *     {
 *         stanford_arm_forward_dynamics_batch_soa(count, stride, a[0], a[1], a[2], a[3]);
 *     }
 *     int main(void) {
 *         enum { motions = 100 };
 *         static double q[motions][6], v[motions][6], row_q[motions][2][6], row_v[motions][2][6];
 *         static kanegen_outcome outcomes[motions];
 *         const double t[2] = {0.5, 1.0};
 *         const kanegen_many_system arm = {.nq = 6, .nv = 6, .forward_dynamics = {.call = dynamics}};
 *         const kanegen_options options = {.t_end = 1.0, .rtol = 1e-9, .atol = 1e-12, .max_steps = 100000};
 *         const kanegen_many_rows rows = {.count = 2, .t = t, .q = row_q[0][0], .v = row_v[0][0]};
 *         for (int i = 0; i < motions; i++) q[i][1] = 0.01 * i;
 *         if (kanegen_many(1, &arm, &options, motions, q[0], v[0], NULL, &rows, outcomes, 2) != KANEGEN_DONE) return 1;
 *         printf("%d, %zu rows, q6(1 s) = %.12g m\n", (int)outcomes[99].status, outcomes[99].rows, q[99][5]);
 *         return 0;
 *     }
 */
#ifndef KANEGEN_MANY_H
#define KANEGEN_MANY_H

#include "kanegen_integrators.h"

#ifdef __cplusplus
extern "C" {
#endif

/* <declarations>: the build script hands these lines to cffi, so they hold no preprocessor line. */

/* A generated kernel for many states: pointers to prepared values, where there are live parameters, inputs and outputs. */
typedef void kanegen_columns(void **arrays, size_t count, size_t stride);

typedef struct {
    kanegen_columns *call;               /* NULL: not there */
    char *prepared;                      /* the first of the arrays; NULL without live parameters */
    size_t prepared_size;                /* bytes of the prepared values of one motion; 0: the same for all */
} kanegen_lanes_kernel;

typedef struct {
    size_t nq, nv;
    size_t quaternion_count;
    const size_t *quaternions;           /* [quaternion_count] where unit quaternions begin in q */
    size_t position, rows;               /* equations of position, and rows of velocity; none: no constraints */
    double drift;                        /* as in kanegen_constraints, with its units */
    const double *units, *coordinate_units;
    size_t states, signals;              /* of the law */
    const kanegen_signal *signal;        /* [signals] */
    int timed;                           /* whether kernels take t before all else; laws do anyway */

    const volatile int *stop;            /* NULL, or read between steps: nonzero ends all with KANEGEN_STOPPED */
    kanegen_pause *pause;                /* NULL, or called between steps by any of the threads, as in kanegen_system */
    void *pause_data;

    kanegen_lanes_kernel forward_dynamics, coordinate_rates, law, closed_loop;
    kanegen_lanes_kernel multiplier_dynamics, generalized_speeds, constraint_projection, constraint_residual;
} kanegen_many_system;

/* Rows, those of one motion after those of the other. Speeds v are dq/dt [nq] with constraints. */
typedef struct {
    size_t count;
    const double *t;                     /* [count] s, ascending, from t_begin to t_end */
    size_t every;                        /* > 0: equal steps; rows of each so many steps in place of those at t, */
    double *step_t;                      /* [motions][count] whose times are written here */
    double *q, *v, *x;                   /* [motions][count][...] */
    double *tau;                         /* the same, of a law that is sampled; else NULL */
    size_t probe_count;                  /* as in kanegen_rows: they are not looked at, but steps end by their rates */
    const double *probes;
} kanegen_many_rows;

/* How a motion ended. */
typedef struct {
    kanegen_status status;
    double t;                            /* s, the time reached */
    size_t rows, accepted, rejected;
    double drift;
} kanegen_outcome;

/* Integrate `motions` states q [motions][nq], v [motions][nv] (with constraints dq/dt [nq]), x [motions][states], which are
 * those at outcome->t on return, by equal steps (kanegen_rk4) or adaptive ones (kanegen_dopri5), on so many threads.
 * KANEGEN_STOPPED: it was stopped, or there was no memory for the states of 32 motions and their stages. */
kanegen_status kanegen_many(int adaptive, const kanegen_many_system *system, const kanegen_options *options, size_t motions,
                            double *q, double *v, double *x, const kanegen_many_rows *rows, kanegen_outcome *outcomes,
                            size_t threads);

/* </declarations> */

#ifdef __cplusplus
}
#endif

#endif
