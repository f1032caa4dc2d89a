/*
 * The method of Dormand and Prince, order 5 with an error estimate of order 4.
 *
 * Sources: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed., Springer
 * 1993 (HNW): table II.5.2, section II.4 (error norm, first step), section II.6 (interpolant); E. Hairer,
 * G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., Springer 1996, section IV.2 (PI control).
 */
#include "kanegen_integration.h"

#include <float.h>
#include <math.h>

/* Nodes, coefficients, and E = weights of order 5 less those of order 4. The weights of order 5 are the last row
 * of A, so the seventh stage of a step is the first of the next. D: weights of the interpolant. */
static const double C2 = 1.0 / 5.0, C3 = 3.0 / 10.0, C4 = 4.0 / 5.0, C5 = 8.0 / 9.0;

static const double A21 = 1.0 / 5.0;
static const double A31 = 3.0 / 40.0, A32 = 9.0 / 40.0;
static const double A41 = 44.0 / 45.0, A42 = -56.0 / 15.0, A43 = 32.0 / 9.0;
static const double A51 = 19372.0 / 6561.0, A52 = -25360.0 / 2187.0, A53 = 64448.0 / 6561.0;
static const double A54 = -212.0 / 729.0;
static const double A61 = 9017.0 / 3168.0, A62 = -355.0 / 33.0, A63 = 46732.0 / 5247.0, A64 = 49.0 / 176.0;
static const double A65 = -5103.0 / 18656.0;
static const double A71 = 35.0 / 384.0, A73 = 500.0 / 1113.0, A74 = 125.0 / 192.0, A75 = -2187.0 / 6784.0;
static const double A76 = 11.0 / 84.0;

static const double E1 = 71.0 / 57600.0, E3 = -71.0 / 16695.0, E4 = 71.0 / 1920.0, E5 = -17253.0 / 339200.0;
static const double E6 = 22.0 / 525.0, E7 = -1.0 / 40.0;

static const double D1 = -12715105075.0 / 11282082432.0, D3 = 87487479700.0 / 32700410799.0;
static const double D4 = -10690763975.0 / 1880347072.0, D5 = 701980252875.0 / 199316789632.0;
static const double D6 = -1453857185.0 / 822651844.0, D7 = 69997945.0 / 29380423.0;

/* Step control: h_new = h SAFETY error^-ALPHA last_error^BETA, within bounds. */
static const double SAFETY = 0.9, SHRINK_MOST = 0.2, GROW_MOST = 10.0;
static const double BETA = 0.04, ALPHA = 0.17;  /* ALPHA = 1/5 - 3/4 BETA */
static const double SMALLEST_LAST_ERROR = 1e-4;

/* All stages of a step, k1 given, and y_next; k7 is the rate of change there. */
static kanegen_status dopri5_step(kanegen_integration *run, double t, double h)
{
    const size_t n = run->n;
    const double *y = run->y;
    double *s = run->stage, *y_next = run->y_next;
    double *k1 = run->k[0], *k2 = run->k[1], *k3 = run->k[2], *k4 = run->k[3];
    double *k5 = run->k[4], *k6 = run->k[5], *k7 = run->k[6];
    kanegen_status status;

    for (size_t i = 0; i < n; ++i) s[i] = y[i] + h * (A21 * k1[i]);
    if ((status = kanegen_rate_of_change(run, t + C2 * h, s, k2)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) s[i] = y[i] + h * (A31 * k1[i] + A32 * k2[i]);
    if ((status = kanegen_rate_of_change(run, t + C3 * h, s, k3)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) s[i] = y[i] + h * (A41 * k1[i] + A42 * k2[i] + A43 * k3[i]);
    if ((status = kanegen_rate_of_change(run, t + C4 * h, s, k4)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) {
        s[i] = y[i] + h * (A51 * k1[i] + A52 * k2[i] + A53 * k3[i] + A54 * k4[i]);
    }
    if ((status = kanegen_rate_of_change(run, t + C5 * h, s, k5)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) {
        s[i] = y[i] + h * (A61 * k1[i] + A62 * k2[i] + A63 * k3[i] + A64 * k4[i] + A65 * k5[i]);
    }
    if ((status = kanegen_rate_of_change(run, t + h, s, k6)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) {
        y_next[i] = y[i] + h * (A71 * k1[i] + A73 * k3[i] + A74 * k4[i] + A75 * k5[i] + A76 * k6[i]);
    }
    return kanegen_rate_of_change(run, t + h, y_next, k7);
}

/* Size of x against the tolerance: root mean square of x_i / (atol + rtol max(|a_i|, |b_i|)) (HNW II.4.11). An entry of
 * a unit quaternion is as large as its length, 1: that it passes through zero means nothing. */
static double scaled_norm(const kanegen_integration *run, const double *x, const double *a, const double *b)
{
    const kanegen_system *system = run->system;
    const double rtol = run->options->rtol, atol = run->options->atol;
    double *scale = run->c3, sum = 0.0;  /* its place is free until rows are written */
    for (size_t i = 0; i < run->n; ++i) scale[i] = atol + rtol * larger(fabs(a[i]), fabs(b[i]));
    for (size_t j = 0; j < system->quaternion_count; ++j) {
        for (size_t i = 0; i < 4; ++i) scale[system->quaternions[j] + i] = atol + rtol;
    }
    for (size_t i = 0; i < run->n; ++i) {
        const double ratio = x[i] / scale[i];
        sum += ratio * ratio;
    }
    return sqrt(sum / (double)run->n);
}

/* Error of the step from y to y_next as a multiple of the tolerance; not a number if a stage or y_next is not. */
static double step_error(kanegen_integration *run, double h)
{
    const double *k1 = run->k[0], *k3 = run->k[2], *k4 = run->k[3], *k5 = run->k[4], *k6 = run->k[5];
    const double *k7 = run->k[6];
    double *error = run->stage;
    if (!kanegen_all_finite(run->n, run->y_next)) return NAN;
    for (size_t i = 0; i < run->n; ++i) {
        error[i] = h * (E1 * k1[i] + E3 * k3[i] + E4 * k4[i] + E5 * k5[i] + E6 * k6[i] + E7 * k7[i]);
    }
    return scaled_norm(run, error, run->y, run->y_next);
}

/* A first step (HNW II.4): h0 = 1 % of |y| / |dy/dt|, then h1 such that h1^5 max(|dy/dt|, |d2y/dt2|) = 1 %, the
 * second derivative taken from an Euler step over h0. */
static kanegen_status first_step(kanegen_integration *run, double t, double h_max, double *h)
{
    const double *y = run->y, *k1 = run->k[0];
    double *stage = run->stage, *k2 = run->k[1];
    const double d0 = scaled_norm(run, y, y, y), d1 = scaled_norm(run, k1, y, y);
    const double h0 = smaller(h_max, d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1);

    for (size_t i = 0; i < run->n; ++i) stage[i] = y[i] + h0 * k1[i];
    const kanegen_status status = kanegen_rate_of_change(run, t + h0, stage, k2);
    if (status != KANEGEN_DONE) return status;

    for (size_t i = 0; i < run->n; ++i) stage[i] = k2[i] - k1[i];
    const double d2 = scaled_norm(run, stage, y, y) / h0, steepest = larger(d1, d2);
    const double h1 = steepest <= 1e-15 ? larger(1e-6, 1e-3 * h0) : pow(0.01 / steepest, 1.0 / 5.0);
    *h = isfinite(d2) ? smaller(h_max, smaller(100.0 * h0, h1)) : h0;
    return KANEGEN_DONE;
}

/* The rows inside an accepted step. The fifth coefficient raises the Hermite interpolant to order 4 (HNW II.6). */
static kanegen_status write_rows_inside(kanegen_integration *run, double t_next)
{
    const double h = t_next - run->done->t;
    const double *k1 = run->k[0], *k3 = run->k[2], *k4 = run->k[3], *k5 = run->k[4], *k6 = run->k[5];
    const double *k7 = run->k[6];
    for (size_t i = 0; i < run->n; ++i) {
        run->c5[i] = h * (D1 * k1[i] + D3 * k3[i] + D4 * k4[i] + D5 * k5[i] + D6 * k6[i] + D7 * k7[i]);
    }
    return kanegen_write_rows_before(run, t_next, k1, k7);
}

/* Make the step's end the state, and its last stage the first of the next step; computed anew where the state was
 * projected since. */
static kanegen_status accept(kanegen_integration *run, double t_next, double t_end)
{
    double *k7 = run->k[6];
    run->k[6] = run->k[0];
    run->k[0] = k7;
    const kanegen_status status = kanegen_accept_step(run, t_next);
    if (status != KANEGEN_DONE || !run->system->constraints || t_next >= t_end) return status;
    return kanegen_rate_of_change(run, t_next, run->y, run->k[0]);
}

static kanegen_status dopri5_advance(kanegen_integration *run, double t_begin, double t_end)
{
    const double duration = run->options->t_end - run->options->t_begin;
    const double shortest_at_zero = DBL_EPSILON * DBL_EPSILON * duration;
    kanegen_statistics *done = run->done;
    bool just_rejected = false;
    kanegen_status status;

    /* tau may have jumped at t_begin: the last stage of the step before does not serve. */
    if ((status = kanegen_rate_of_change(run, t_begin, run->y, run->k[0])) != KANEGEN_DONE) return status;
    if (!kanegen_all_finite(run->n, run->k[0])) return KANEGEN_NOT_FINITE;
    if (run->step == 0.0) {
        run->last_error = SMALLEST_LAST_ERROR;
        if ((status = first_step(run, t_begin, t_end - t_begin, &run->step)) != KANEGEN_DONE) return status;
    }
    while (done->t < t_end) {
        const double t = done->t, proposed = run->step;
        const bool lands = t + 1.01 * proposed >= t_end;
        const double t_next = lands ? t_end : t + proposed, h = t_next - t;
        if ((status = kanegen_may_step(run)) != KANEGEN_DONE) return status;
        if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;
        if ((status = dopri5_step(run, t, h)) != KANEGEN_DONE) return status;
        const double error = step_error(run, h);

        if (!(error <= 1.0)) {
            /* Also if a stage left the domain of the dynamics: a shorter step may stay inside. */
            done->rejected++;
            just_rejected = true;
            run->step = h * (isfinite(error) ? larger(SHRINK_MOST, SAFETY * pow(error, -ALPHA)) : SHRINK_MOST);
            /* Any shorter, the rounding of t + step could undo that the step shrinks. */
            if (run->step <= larger(shortest_at_zero, 10.0 * DBL_EPSILON * fabs(t))) {
                return isfinite(error) ? KANEGEN_STEP_UNDERFLOW : KANEGEN_NOT_FINITE;
            }
            continue;
        }

        /* No growth right after a rejection; a step cut short by t_end does not shorten the one after it. */
        const double factor = SAFETY * pow(error, -ALPHA) * pow(run->last_error, BETA);
        run->step = h * smaller(just_rejected ? 1.0 : GROW_MOST, larger(SHRINK_MOST, factor));
        if (lands) run->step = larger(run->step, proposed);
        run->last_error = larger(error, SMALLEST_LAST_ERROR);
        just_rejected = false;

        if (kanegen_row_before(run, t_next)) {
            if ((status = write_rows_inside(run, t_next)) != KANEGEN_DONE) return status;
        }
        if ((status = accept(run, t_next, t_end)) != KANEGEN_DONE) return status;
        if (t_next < t_end && (status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
    }
    return KANEGEN_DONE;
}

kanegen_status kanegen_dopri5(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                              const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const bool valid = options->rtol >= 0.0 && options->atol > 0.0;
    return kanegen_integrate(dopri5_advance, valid, system, options, q, v, rows, workspace, statistics);
}
