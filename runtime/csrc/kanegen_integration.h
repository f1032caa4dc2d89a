/*
 * Private to the integrators: the record of a run, what a method is, and arithmetic. Users include kanegen_integrators.h.
 *
 * A run from t_begin to t_end is cut at the sample instants into stretches on which the right-hand side is
 * smooth. The driver walks over the stretches, samples the controller and writes the rows that fall on their
 * ends; a method advances over one stretch and writes the rows inside it.
 *
 * Files know those above them alone, each by its header:
 *
 *     kanegen_integration    this record
 *     kanegen_formulas       the formulas of the methods
 *     kanegen_constraints    constraints and quaternions
 *     kanegen_steps          the mechanism and its controller, the beginning and the end of a step
 *     kanegen_linearisation, kanegen_rows
 *     kanegen_events
 *     kanegen_driver, kanegen_adaptive, kanegen_equal_steps
 *     kanegen_rk4, kanegen_gauss4, kanegen_dopri5, kanegen_rodas4
 *     kanegen_many           all of this for many motions in lanes
 */
#ifndef KANEGEN_INTEGRATION_H
#define KANEGEN_INTEGRATION_H

#include "kanegen_integrators.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { KANEGEN_STAGES = 9 };

/* Differences below this, relative to the state, are rounding. */
#define KANEGEN_ROUNDING (1e3 * DBL_EPSILON)

/* Step control of adaptive methods: the step proposed next, 0 before the first; the error of the last accepted step. */
typedef struct {
    double step, last_error;
    bool just_rejected;
} kanegen_control;

/* The rates of z = (v, x) linearised about a state: d(dz/dt) = dq q + dz z + rate t, with what tau adds to each; nz = nv + nx.
 * lu and pivot: factors of the matrix of a step, lu by columns. */
typedef struct {
    double *dq, *dz, *dtau, *lu; /* [nz][nv], [nz][nz], [nv][nv], [nz][nz], by rows */
    double *rate, *pivot;
    double *tau, *tau_near, *tau_far; /* scratch, forces */
    bool known;                       /* whether all but lu and pivot belong to the present state */
} kanegen_linearisation;

/* One integration under way. y and all vectors like it are (q, v, x), n = nq + nv + nx numbers, where x are the states of the
 * law; with constraints they are (q, dq/dt, x), n = 2 nq + nx numbers. After the state come the works of the nv forces and of the
 * wrenches, where these are wanted: m numbers in all. They are integrated along, and have no part in errors.
 *
 * A force is (tau, dx/dt). Where there are wrenches, tau is what they and the controller do together, and the part of the
 * controller and the powers of the wrenches follow: nv + nx + nv + wrenches numbers. */
typedef struct {
    const kanegen_system *system;
    const kanegen_options *options;
    const kanegen_rows *rows;
    kanegen_statistics *done;
    size_t n, m, nx, forces;    /* forces: numbers of a force */
    double *y;                  /* the state at done->t */
    double *y_next;             /* the state a step leads to */
    double *stage;              /* scratch */
    double *k[KANEGEN_STAGES];  /* rates of change at the stages of a step; k[0] is that at y */
    double *c3, *c4, *c5;       /* coefficients of the interpolant */
    double *scale;              /* the tolerances of the entries that kanegen_scaled_norm used last */
    double *defect, *rate;      /* scratch, for looks at the interpolant */
    double *tau;                /* the force used last; under sampled control, the one held */
    double *tau_there;          /* scratch, a force */
    double *wrench, *jacobian;  /* scratch, a wrench [6] and the Jacobian of its frame [6][nv] */
    double *r;                  /* the signals at the time of the last call of the law, [signals][3] */
    double earliest, latest;    /* times that the controller sees are within these: see the walk */
    size_t probes;              /* probes that are past */
    const struct kanegen_method *method;
    double *v, *lambda, *phi;   /* with constraints: speeds [nv], multipliers [rows], residuals [position] */
    double *projected;          /* with constraints: scratch [n] */
    kanegen_linearisation linear; /* rodas4: the dynamics linearised about y */
    kanegen_control control;    /* adaptive methods */
    bool known;                 /* equal steps: whether what is kept from the last step belongs to the present state */
    double reference;           /* gauss4: the energy less works that is to be kept, not a number where it is not known */
    double kept_step;           /* gauss4: the length of the steps whose rates are kept, */
    size_t kept;                /* and how many steps these are */
    bool stiff;                 /* the step just taken was limited by stability */
    bool has_row;               /* whether the present step has its row, where each so many have */
    size_t happening;           /* the event at which the step ends, or the number of events */
    size_t until_pause;         /* steps that may be taken before the next pause */
} kanegen_integration;

/* Advance the state from time t to t_next, on one smooth stretch. */
typedef kanegen_status kanegen_advance(kanegen_integration *run, double t, double t_next);

typedef struct kanegen_method {
    kanegen_advance *advance;
    bool linearised;            /* whether the workspace has room for a linearisation */
    bool balances;              /* whether works are needed, wanted or not */
    size_t seen;                /* equal steps: how many of k are rates of change in the step, for judge */

    /* How large run->defect, the rate of change of the interpolant less that of the mechanism at state y inside the step of
     * h that was taken, is against what there may be of it; it may be changed. The force there is run->tau_there. */
    kanegen_status (*judge)(kanegen_integration *run, double h, double t, const double *y, double *multiple);
} kanegen_method;

/* Calls a function of a model, or its form that takes prepared values first: the one of a pair that is there. */
#define KANEGEN_CALL(functions, kernel, prepared, ...) \
    ((functions)->kernel ? (functions)->kernel(__VA_ARGS__) \
                         : (functions)->prepared_##kernel((prepared), __VA_ARGS__))

/* Whether one of a pair is there. */
#define KANEGEN_HAS(functions, kernel) ((functions)->kernel || (functions)->prepared_##kernel)

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* y += factor x; no entry of y is one of x. */
static inline void kanegen_add(size_t n, double *restrict y, double factor, const double *restrict x)
{
    for (size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

static inline bool kanegen_all_finite(size_t n, const double *x)
{
    for (size_t i = 0; i < n; ++i) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

/* Times that differ by rounding alone, as t_begin + k sample_period and an end or a row computed otherwise. */
static inline bool kanegen_are_same(double a, double b, double t_begin)
{
    const double largest = larger(larger(fabs(a), fabs(b)), fabs(t_begin));
    return fabs(a - b) <= 4.0 * DBL_EPSILON * largest;
}

static inline bool kanegen_same_instant(const kanegen_integration *run, double a, double b)
{
    return kanegen_are_same(a, b, run->options->t_begin);
}

#endif
