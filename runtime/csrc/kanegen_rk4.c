/*
 * The classical Runge-Kutta method: Kutta 1901; E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary
 * Differential Equations I", 2nd ed., Springer 1993, table II.1.2. When steps are too long: E. Hairer, G. Wanner, "Solving
 * Ordinary Differential Equations II", 2nd ed., Springer 1996 (HNW II), section IV.2.
 */
#include "kanegen_integration.h"

#include <float.h>
#include <math.h>

/* The method is stable for h |lambda| < 2.83 along the imaginary axis and 2.79 along the negative real one: a step this
 * long is limited by it, or already too long. */
static const double STABLE = 2.5;

/* Differences below this, relative to the state, are rounding. */
static const double ROUNDING = 1e3 * DBL_EPSILON;

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
    return h * h * distance > ROUNDING * ROUNDING * size && change >= STABLE * STABLE * distance;
}

/* y_next = y + h/6 (k1 + 2 k2 + 2 k3 + k4), k1 given. */
static kanegen_status rk4_step(kanegen_integration *run, double t, double h)
{
    const size_t n = run->n;
    const double *y = run->y;
    double *stage = run->stage, *y_next = run->y_next;
    double *k1 = run->k[0], *k2 = run->k[1], *k3 = run->k[2], *k4 = run->k[3];
    kanegen_status status;

    for (size_t i = 0; i < n; ++i) stage[i] = y[i] + 0.5 * h * k1[i];
    if ((status = kanegen_rate_of_change(run, t + 0.5 * h, stage, k2)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) stage[i] = y[i] + 0.5 * h * k2[i];
    if ((status = kanegen_rate_of_change(run, t + 0.5 * h, stage, k3)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) stage[i] = y[i] + h * k3[i];
    if ((status = kanegen_rate_of_change(run, t + h, stage, k4)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) y_next[i] = y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    return KANEGEN_DONE;
}

static kanegen_status rk4_advance(kanegen_integration *run, double t_begin, double t_end)
{
    /* The margin lets 0.1 s be ten steps of 0.01 s although the quotient of the two may round up. */
    const double count = larger(1.0, ceil((t_end - t_begin) / run->options->step - 1e-9));
    const double h = (t_end - t_begin) / count;
    bool k1_known = false;
    kanegen_status status;

    for (size_t i = 0; i < run->n; ++i) run->c5[i] = 0.0;
    for (size_t i = 0; (double)i < count; ++i) {
        const double t = run->done->t;
        const double t_next = (double)i + 1.0 < count ? t_begin + ((double)i + 1.0) * h : t_end;
        if ((status = kanegen_may_step(run)) != KANEGEN_DONE) return status;
        if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;

        double *k1 = run->k[0], *k_end = run->k[4];
        if (!k1_known && (status = kanegen_rate_of_change(run, t, run->y, k1)) != KANEGEN_DONE) return status;
        if ((status = rk4_step(run, t, t_next - t)) != KANEGEN_DONE) return status;
        if (!kanegen_all_finite(run->n, run->y_next)) return KANEGEN_NOT_FINITE;
        run->stiff = is_stiff(run, t_next - t);

        /* The interpolant needs the rate of change at the end, which is the next step's k1. */
        k1_known = kanegen_row_before(run, t_next);
        if (k1_known) {
            if ((status = kanegen_rate_of_change(run, t_next, run->y_next, k_end)) != KANEGEN_DONE) return status;
            if ((status = kanegen_write_rows_before(run, t_next, k1, k_end)) != KANEGEN_DONE) return status;
            run->k[0] = k_end;
            run->k[4] = k1;
        }
        if ((status = kanegen_accept_step(run, t_next)) != KANEGEN_DONE) return status;
        if (run->system->constraints) k1_known = false;  /* the state was projected since */
        if (t_next < t_end && (status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
    }
    return KANEGEN_DONE;
}

kanegen_status kanegen_rk4(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                           const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const bool valid = options->step > 0.0;
    return kanegen_integrate(rk4_advance, false, valid, system, options, q, v, rows, workspace, statistics);
}
