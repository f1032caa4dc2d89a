/*
 * The method RODAS, a Rosenbrock method of order 4 with an error estimate of order 3: L-stable, so that parts of a motion
 * that are damped within a step do not limit it, and stiffly accurate.
 *
 * Source: E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., Springer 1996, section IV.7
 * (Rosenbrock methods, eq. 7.25 for this form of them), section VI.4 (this method and its interpolant).
 */
#include "kanegen_adaptive.h"
#include "kanegen_driver.h"
#include "kanegen_linearisation.h"

#include <string.h>

enum { STAGES = 6 };

/* With s = GAMMA h, stage i is the solution u_i of
 *
 *     (1/s - J) u_i = f(t + node h, y + sum a_j u_j) + sum c_j / h u_j + h slope df/dt,      j < i. */
typedef struct {
    double node, slope;
    double a[STAGES - 1], c[STAGES - 1];
} stage_coefficients;

static const double GAMMA = 0.25;

static const stage_coefficients STAGE[STAGES] = {
    {0.0, 0.25, {0.0}, {0.0}},
    {0.386, -0.1043, {1.544}, {-5.6688}},
    {0.21, 0.1035, {0.9466785280815826, 0.2557011698983284}, {-2.430093356833875, -0.2063599157091915}},
    {0.63, -0.0362, {3.314825187068521, 2.896124015972201, 0.9986419139977817},
     {-0.1073529058151375, -9.594562251023355, -20.47028614809616}},
    {1.0, 0.0, {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
     {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160}},
    {1.0, 0.0, {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0},
     {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}},
};

/* Coefficients of the interpolant (see kanegen_write_rows_before) by the first five stages. */
static const double D3[STAGES - 1] = {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
                                      1.025137723295662};
static const double D4[STAGES - 1] = {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
                                      -6.594389125716872};

/* Stages of a step; y_next is the argument of the last with that stage added, which is also its error. */
static kanegen_status rodas4_step(kanegen_integration *run, double t, double h)
{
    const size_t n = run->n, nv = run->system->nv, nz = nv + run->nx;
    const double s = GAMMA * h;
    double *y = run->stage;
    for (size_t i = 0; i < STAGES; ++i) {
        const stage_coefficients *stage = &STAGE[i];
        double *u = run->k[i + 1];
        memcpy(y, run->y, n * sizeof *y);
        for (size_t j = 0; j < i; ++j) kanegen_add(n, y, stage->a[j], run->k[j + 1]);
        if (i == 0) {
            memcpy(u, run->k[0], n * sizeof *u);
        } else {
            const kanegen_status status = kanegen_rate_of_change(run, t + stage->node * h, y, u);
            if (status != KANEGEN_DONE) return status;
        }
        for (size_t j = 0; j < i; ++j) kanegen_add(n, u, stage->c[j] / h, run->k[j + 1]);
        kanegen_add(nz, u + nv, h * stage->slope, run->linear.rate);
        kanegen_solve(run, s, u);
    }
    for (size_t m = 0; m < n; ++m) run->y_next[m] = y[m] + run->k[STAGES][m];
    return KANEGEN_DONE;
}

static void find_interpolant(kanegen_integration *run)
{
    for (size_t i = 0; i < run->m; ++i) run->c3[i] = run->c4[i] = run->c5[i] = 0.0;
    for (size_t j = 0; j < STAGES - 1; ++j) {
        kanegen_add(run->n, run->c3, D3[j], run->k[j + 1]);
        kanegen_add(run->n, run->c4, D4[j], run->k[j + 1]);
    }
}

/* The power of each force at time t and state y, into a vector after the n rates that it has room for. */
static kanegen_status powers_at(kanegen_integration *run, double t, const double *y, double *into)
{
    memcpy(run->tau_there, run->tau, run->forces * sizeof *into);
    const kanegen_status status = kanegen_find_force(run, t, y, run->tau_there);
    kanegen_find_powers(run, y, run->tau_there, into);
    return status;
}

/* The works at the end of the step, by Simpson's rule, which is of the order of the method, and their interpolant: the cubic
 * one, whose rates of change are the powers at the beginning, the middle and the end. */
static kanegen_status find_works(kanegen_integration *run, double t, double h)
{
    double *middle = run->defect, *end = run->rate;
    kanegen_status status;
    if (run->m == run->n) return KANEGEN_DONE;
    for (size_t i = 0; i < run->n; ++i) {
        const double d = run->y_next[i] - run->y[i];
        run->stage[i] = run->y[i] + 0.5 * (d + 0.5 * (run->c3[i] + 0.5 * run->c4[i]));
    }
    if ((status = powers_at(run, t + 0.5 * h, run->stage, middle)) != KANEGEN_DONE) return status;
    if ((status = powers_at(run, t + h, run->y_next, end)) != KANEGEN_DONE) return status;
    for (size_t i = run->n; i < run->m; ++i) {
        const double begin = run->k[0][i], d = h / 6.0 * (begin + 4.0 * middle[i] + end[i]);
        run->y_next[i] = run->y[i] + d;
        run->c3[i] = h * begin - d;
        run->c4[i] = d - h * end[i] - run->c3[i];
    }
    return KANEGEN_DONE;
}

static kanegen_status rodas4_attempt(kanegen_integration *run, double t, double h, double *error)
{
    kanegen_status status;
    *error = NAN;
    if (!run->linear.known && (status = kanegen_linearise(run, t, h)) != KANEGEN_DONE) return status;
    if (!kanegen_factor(run, GAMMA * h)) return KANEGEN_DONE;
    if ((status = rodas4_step(run, t, h)) != KANEGEN_DONE) return status;
    if (!kanegen_all_finite(run->n, run->y_next)) return KANEGEN_DONE;
    *error = kanegen_scaled_norm(run, run->k[STAGES], run->y, run->y_next);
    if (*error <= 1.0) {
        find_interpolant(run);
        return find_works(run, t, h);
    }
    return KANEGEN_DONE;
}

/* It was laid with the works. */
static kanegen_status lay_interpolant(kanegen_integration *run, double t_next)
{
    (void)run, (void)t_next;
    return KANEGEN_DONE;
}

static kanegen_status accept(kanegen_integration *run, double t_next, double t_end)
{
    const kanegen_status status = kanegen_accept_step(run, t_next);
    run->linear.known = false;
    if (status != KANEGEN_DONE || t_next >= t_end) return status;
    return kanegen_rate_of_change(run, t_next, run->y, run->k[0]);
}

static const kanegen_adaptive_method RODAS4 = {4.0, rodas4_attempt, lay_interpolant, accept};

static kanegen_status rodas4_advance(kanegen_integration *run, double t_begin, double t_end)
{
    return kanegen_advance_adaptively(&RODAS4, run, t_begin, t_end);
}

/* What is stiff turns small errors into large rates, which the next step undoes: a defect d counts as the change that a step
 * under it would make, h d for slow parts. */
static kanegen_status judge(kanegen_integration *run, double h, double t, const double *y, double *multiple)
{
    (void)t, (void)y;
    kanegen_solve(run, GAMMA * h, run->defect);
    for (size_t i = 0; i < run->n; ++i) run->defect[i] /= GAMMA;
    *multiple = kanegen_adaptive_defect(run, run->defect);
    return KANEGEN_DONE;
}

static const kanegen_method METHOD = {rodas4_advance, .linearised = true, .judge = judge};

kanegen_status kanegen_rodas4(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                              const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const bool has_derivatives = KANEGEN_HAS(system, forward_dynamics_derivatives);
    const bool v_is_rate = system->nq == system->nv && !KANEGEN_HAS(system, coordinate_rates);
    const bool valid = has_derivatives && v_is_rate && !system->constraints && !system->time && system->quaternion_count == 0
        && kanegen_tolerances_are_valid(options);
    return kanegen_integrate(&METHOD, valid, system, options, q, v, rows, workspace, statistics);
}
