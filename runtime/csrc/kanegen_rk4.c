/*
 * The classical Runge-Kutta method, whose formulas are in kanegen_formulas.h. When steps are too long: E. Hairer, G. Wanner,
 * "Solving Ordinary Differential Equations II", 2nd ed., Springer 1996 (HNW II), section IV.2.
 */
#include "kanegen_driver.h"
#include "kanegen_equal_steps.h"
#include "kanegen_formulas.h"

/* The method is stable for h |lambda| < 2.83 along the imaginary axis and 2.79 along the negative real one: a step this
 * long is limited by it, or already too long. */
static const double STABLE = 2.5;

/* Whether h |lambda| exceeds the limit for the fastest part of the motion. Stages 2 and 3 belong to the same time, so that
 * |lambda| = |k3 - k2| / |y3 - y2| (HNW II, section IV.2). */
static bool is_stiff(const kanegen_integration *run, double h)
{
    const double *y = run->y, *k1 = run->k[0], *k2 = run->k[1], *k3 = run->k[2];
    double change = 0.0, distance = 0.0, size = 0.0;
    for (size_t i = 0; i < run->n; ++i) {
        change += (k3[i] - k2[i]) * (k3[i] - k2[i]);
        distance += 0.25 * (k2[i] - k1[i]) * (k2[i] - k1[i]);
        size += y[i] * y[i];
    }
    return h * h * distance > KANEGEN_ROUNDING * KANEGEN_ROUNDING * size && change >= STABLE * STABLE * distance;
}

/* y_next = y + h/6 (k1 + 2 k2 + 2 k3 + k4), k1 given. */
static kanegen_status rk4_step(kanegen_integration *run, double t, double h)
{
    const size_t n = run->m;
    const double *y = run->y;
    double *stage = run->stage, *y_next = run->y_next;
    double *k1 = run->k[0], *k2 = run->k[1], *k3 = run->k[2], *k4 = run->k[3];
    kanegen_status status;

    for (size_t i = 0; i < n; ++i) stage[i] = kanegen_rk4_half(y[i], h, k1[i]);
    if ((status = kanegen_rate_of_change(run, t + 0.5 * h, stage, k2)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) stage[i] = kanegen_rk4_half(y[i], h, k2[i]);
    if ((status = kanegen_rate_of_change(run, t + 0.5 * h, stage, k3)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) stage[i] = kanegen_rk4_whole(y[i], h, k3[i]);
    if ((status = kanegen_rate_of_change(run, t + h, stage, k4)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) y_next[i] = kanegen_rk4_next(y[i], h, k1[i], k2[i], k3[i], k4[i]);
    return KANEGEN_DONE;
}

static kanegen_status rk4_attempt(kanegen_integration *run, double t, double h, double *error)
{
    const kanegen_status status = rk4_step(run, t, h);
    *error = status == KANEGEN_DONE && kanegen_all_finite(run->n, run->y_next) ? 0.0 : NAN;
    return status;
}

/* The interpolant needs the rate of change at the end, which is the next step's k1. */
static kanegen_status lay_interpolant(kanegen_integration *run, double t_next)
{
    const kanegen_status status = kanegen_rate_of_change(run, t_next, run->y_next, run->k[4]);
    if (status == KANEGEN_DONE) kanegen_lay_interpolant(run, t_next, run->k[0], run->k[4]);
    return status;
}

static kanegen_status begin(kanegen_integration *run, double t)
{
    return run->known ? KANEGEN_DONE : kanegen_rate_of_change(run, t, run->y, run->k[0]);
}

static kanegen_status accept(kanegen_integration *run, double t_next, bool laid)
{
    if (laid) {
        double *k_end = run->k[4];
        run->k[4] = run->k[0];
        run->k[0] = k_end;
    }
    run->known = laid && !run->system->constraints;  /* with constraints, the state is projected */
    return kanegen_accept_step(run, t_next);
}

static const kanegen_equal_method RK4 = {begin, rk4_attempt, lay_interpolant, is_stiff, accept};

static kanegen_status rk4_advance(kanegen_integration *run, double t_begin, double t_end)
{
    return kanegen_advance_equally(&RK4, run, t_begin, t_end);
}

static const kanegen_method METHOD = {rk4_advance, .seen = 5, .judge = kanegen_judge_equal_steps};

kanegen_status kanegen_rk4(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                           const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const bool valid = options->step > 0.0;
    return kanegen_integrate(&METHOD, valid, system, options, q, v, rows, workspace, statistics);
}
