/*
 * The classical Runge-Kutta method: Kutta 1901; E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary
 * Differential Equations I", 2nd ed., Springer 1993, table II.1.2. When steps are too long: E. Hairer, G. Wanner, "Solving
 * Ordinary Differential Equations II", 2nd ed., Springer 1996 (HNW II), section IV.2.
 */
#include "kanegen_driver.h"
#include "kanegen_events.h"

#include <string.h>

/* The method is stable for h |lambda| < 2.83 along the imaginary axis and 2.79 along the negative real one: a step this
 * long is limited by it, or already too long. */
static const double STABLE = 2.5;

/* Differences below this, relative to the state, are rounding. */
static const double ROUNDING = 1e3 * DBL_EPSILON;

/* The defect that tells of a jump, against the differences of the rates of change in a step: see judge. */
static const double JUMP = 1.0 / 3.0;

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
    const size_t n = run->m;
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

/* One step to t_next, or to an event before it. */
static kanegen_status rk4_to(kanegen_integration *run, double t_next, double t_end, bool *k1_known)
{
    const double t = run->done->t;
    const bool watches = kanegen_watches(run);
    double error;
    kanegen_status status;
    if ((status = kanegen_may_step(run)) != KANEGEN_DONE) return status;
    if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;
    if (!*k1_known && (status = kanegen_rate_of_change(run, t, run->y, run->k[0])) != KANEGEN_DONE) return status;
    if ((status = rk4_attempt(run, t, t_next - t, &error)) != KANEGEN_DONE) return status;
    if (isnan(error)) return KANEGEN_NOT_FINITE;
    run->stiff = is_stiff(run, t_next - t);
    if (watches) {
        status = kanegen_end_at_event(run, rk4_attempt, lay_interpolant, t, &t_next);
        if (status != KANEGEN_DONE) return status;
    }
    *k1_known = watches;
    if (kanegen_row_before(run, t_next)) {
        if (!watches && (status = lay_interpolant(run, t_next)) != KANEGEN_DONE) return status;
        if ((status = kanegen_write_interpolated_rows(run, t_next)) != KANEGEN_DONE) return status;
        *k1_known = true;
    }
    if (*k1_known) {
        double *k_end = run->k[4];
        run->k[4] = run->k[0];
        run->k[0] = k_end;
    }
    if ((status = kanegen_accept_step(run, t_next)) != KANEGEN_DONE) return status;
    if (run->system->constraints) *k1_known = false;  /* the state was projected since */
    if (t_next < t_end && (status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
    if (!watches) return KANEGEN_DONE;
    bool changed;
    status = kanegen_meet_events(run, &changed);
    if (changed) *k1_known = false;
    return status;
}

static kanegen_status rk4_advance(kanegen_integration *run, double t_begin, double t_end)
{
    /* The margin lets 0.1 s be ten steps of 0.01 s although the quotient of the two may round up. */
    const double count = larger(1.0, ceil((t_end - t_begin) / run->options->step - 1e-9));
    const double h = (t_end - t_begin) / count;
    bool k1_known = false;
    for (size_t i = 0; i < run->m; ++i) run->c5[i] = 0.0;
    for (size_t i = 0; (double)i < count; ++i) {
        const double t_next = (double)i + 1.0 < count ? t_begin + ((double)i + 1.0) * h : t_end;
        do {
            const kanegen_status status = rk4_to(run, t_next, t_end, &k1_known);
            if (status != KANEGEN_DONE) return status;
        } while (run->done->t < t_next);
    }
    return KANEGEN_DONE;
}

/* How far the rates of change at a state, at time t of the step, are from a parabola in time through those at the times of the
 * stages, into run->scale: what is not smooth in time alone. */
static kanegen_status find_jumps_in_time(kanegen_integration *run, double h, double t, const double *y)
{
    const double begin = run->done->t, s = (t - begin) / h;
    const double weights[3] = {(1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)};
    double *jumps = run->scale, *rate = run->k[6];
    memcpy(jumps, run->rate, run->n * sizeof *jumps);
    for (int stage = 0; stage < 3; ++stage) {
        const kanegen_status status = kanegen_find_force(run, begin + 0.5 * h * stage, y, run->tau_there);
        if (status != KANEGEN_DONE) return status;
        kanegen_rate_under(run, y, run->tau_there, rate);
        kanegen_add(run->n, jumps, -weights[stage], rate);
    }
    return KANEGEN_DONE;
}

/* The steps have no tolerance, so that a defect counts against the differences of the rates of change in the step, and only
 * where it comes from a jump in time: of what jumps with the state, such as dry friction, equal steps make what they can.
 * Where the force is smooth in time and changes much in a step, a parabola through its values at 0, 1/2 and 1 misses it by up
 * to a fifth of their differences (by 0.05 of a third difference, to which the values differ by 0.25); where it jumps, by a
 * third at least at some row, unless rows are few. A step that is too long to be stable is all defect, and known for that. */
static kanegen_status judge(kanegen_integration *run, double h, double t, const double *y, double *multiple)
{
    const kanegen_options *options = run->options;
    const double *k_end = run->k[4], *y_begin = run->y, *y_end = run->y_next;
    bool jumps_known = false;
    double largest = 0.0;
    if (run->stiff) return KANEGEN_DONE;
    for (size_t i = 0; i < run->n; ++i) {
        largest = larger(largest, larger(fabs(y_begin[i]), h * fabs(run->k[0][i])));
    }
    for (size_t i = 0; i < run->n; ++i) {
        const double size = fabs(run->defect[i]);
        const double tolerance = options->atol + options->rtol * larger(fabs(y_begin[i]), fabs(y_end[i]));
        double least = k_end[i], most = k_end[i];
        if (!(h * size > larger(tolerance, ROUNDING * largest))) continue;
        for (size_t j = 0; j < 4; ++j) {
            least = smaller(least, run->k[j][i]);
            most = larger(most, run->k[j][i]);
        }
        if (!(size > JUMP * (most - least))) continue;
        if (!jumps_known) {
            const kanegen_status status = find_jumps_in_time(run, h, t, y);
            if (status != KANEGEN_DONE) return status;
            jumps_known = true;
        }
        if (fabs(run->scale[i]) < 0.5 * size) continue;
        *multiple = larger(*multiple, most > least ? size / (JUMP * (most - least)) : INFINITY);
    }
    return KANEGEN_DONE;
}

static const kanegen_method METHOD = {rk4_advance, false, judge};

kanegen_status kanegen_rk4(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                           const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const bool valid = options->step > 0.0;
    return kanegen_integrate(&METHOD, valid, system, options, q, v, rows, workspace, statistics);
}
