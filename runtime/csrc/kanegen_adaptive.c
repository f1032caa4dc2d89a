/*
 * What the methods with an estimate of their errors share: the length of the steps.
 *
 * Sources: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed., Springer
 * 1993 (HNW), section II.4 (error norm, first step); E. Hairer, G. Wanner, "Solving Ordinary Differential Equations
 * II", 2nd ed., Springer 1996, section IV.2 (PI control).
 */
#include "kanegen_adaptive.h"


/* Step control: h_new = h SAFETY error^-ALPHA last_error^BETA, within bounds, where ALPHA = 1/order - 3/4 BETA. */
static const double SAFETY = 0.9, SHRINK_MOST = 0.2, GROW_MOST = 10.0;
static const double BETA = 0.04;
static const double SMALLEST_LAST_ERROR = 1e-4;

/* The defect times the step, as a multiple of the tolerance, above which something acted that the step has not seen. Steps
 * within the tolerance have left up to 1.6e3 where motions were smooth (forces of friction, contacts, limits and short bells,
 * stiff and not, rtol from 1e-13 to 1e-2), and up to 5e3 where they hunted for jumps of the force with the state; a pulse that
 * was stepped over left 5e5 and more. */
static const double ALLOWED = 1e4;

bool kanegen_tolerances_are_valid(const kanegen_options *options)
{
    return options->rtol >= 0.0 && options->atol > 0.0;
}

/* Root mean square of x_i / (atol + rtol max(|a_i|, |b_i|)) (HNW II.4.11). An entry of a unit quaternion is as large as its
 * length, 1: that it passes through zero means nothing. */
double kanegen_scaled_norm(kanegen_integration *run, const double *x, const double *a, const double *b)
{
    const kanegen_system *system = run->system;
    const double rtol = run->options->rtol, atol = run->options->atol;
    double *scale = run->scale, sum = 0.0;
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

double kanegen_adaptive_defect(kanegen_integration *run, const double *x)
{
    return kanegen_scaled_norm(run, x, run->y, run->y_next) / ALLOWED;
}

/* A first step (HNW II.4): h0 = 1 % of |y| / |dy/dt|, then h1 such that h1^order max(|dy/dt|, |d2y/dt2|) = 1 %, the second
 * derivative taken from an Euler step over h0. */
static kanegen_status first_step(kanegen_integration *run, double order, double t, double h_max, double *h)
{
    const double *y = run->y, *k1 = run->k[0];
    double *stage = run->stage, *k2 = run->k[1];
    const double d0 = kanegen_scaled_norm(run, y, y, y), d1 = kanegen_scaled_norm(run, k1, y, y);
    const bool tells = d0 >= 1e-5 && d1 >= 1e-5 && isfinite(d0) && isfinite(d1);
    const double h0 = smaller(h_max, tells ? 0.01 * d0 / d1 : 1e-6);

    for (size_t i = 0; i < run->n; ++i) stage[i] = y[i] + h0 * k1[i];
    const kanegen_status status = kanegen_rate_of_change(run, t + h0, stage, k2);
    if (status != KANEGEN_DONE) return status;

    for (size_t i = 0; i < run->n; ++i) stage[i] = k2[i] - k1[i];
    const double d2 = kanegen_scaled_norm(run, stage, y, y) / h0, steepest = larger(d1, d2);
    const double h1 = steepest <= 1e-15 ? larger(1e-6, 1e-3 * h0) : pow(0.01 / steepest, 1.0 / order);
    *h = isfinite(d2) ? smaller(h_max, smaller(100.0 * h0, h1)) : h0;
    return KANEGEN_DONE;
}

kanegen_status kanegen_advance_adaptively(const kanegen_adaptive_method *method, kanegen_integration *run,
                                          double t_begin, double t_end)
{
    const double duration = run->options->t_end - run->options->t_begin;
    const double shortest_at_zero = DBL_EPSILON * DBL_EPSILON * duration;
    const double alpha = 1.0 / method->order - 0.75 * BETA;
    const double longest = run->options->max_step > 0.0 ? run->options->max_step : INFINITY;
    kanegen_statistics *done = run->done;
    bool just_rejected = false;
    kanegen_status status;

    /* tau may have jumped at t_begin: what is known of the end of the step before does not serve. */
    run->linear.known = false;
    if ((status = kanegen_rate_of_change(run, t_begin, run->y, run->k[0])) != KANEGEN_DONE) return status;
    if (!kanegen_all_finite(run->n, run->k[0])) return KANEGEN_NOT_FINITE;
    if (run->step == 0.0) {
        run->last_error = SMALLEST_LAST_ERROR;
        status = first_step(run, method->order, t_begin, t_end - t_begin, &run->step);
        if (status != KANEGEN_DONE) return status;
    }
    while (done->t < t_end) {
        const double t = done->t, proposed = run->step;
        /* The margins: no step of a sliver at the end, though the quotient of the stretch and the longest step round up. */
        const bool lands = t_end - t <= smaller(1.01 * proposed, (1.0 + 1e-9) * longest);
        double t_next = lands ? t_end : t + smaller(proposed, longest);
        const double h = t_next - t;
        double error;
        if ((status = kanegen_may_step(run)) != KANEGEN_DONE) return status;
        if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;
        if ((status = method->attempt(run, t, h, &error)) != KANEGEN_DONE) return status;

        if (!(error <= 1.0)) {
            /* Also if a stage left the domain of the dynamics: a shorter step may stay inside. */
            done->rejected++;
            just_rejected = true;
            run->step = h * (isnan(error) ? SHRINK_MOST : larger(SHRINK_MOST, SAFETY * pow(error, -alpha)));
            /* Any shorter, the rounding of t + step could undo that the step shrinks. */
            if (run->step <= larger(shortest_at_zero, 10.0 * DBL_EPSILON * fabs(t))) {
                return isnan(error) ? KANEGEN_NOT_FINITE : KANEGEN_STEP_UNDERFLOW;
            }
            continue;
        }

        /* No growth right after a rejection; a step cut short by t_end does not shorten the one after it. */
        const double factor = SAFETY * pow(error, -alpha) * pow(run->last_error, BETA);
        run->step = h * smaller(just_rejected ? 1.0 : GROW_MOST, larger(SHRINK_MOST, factor));
        if (lands) run->step = larger(run->step, proposed);
        run->last_error = larger(error, SMALLEST_LAST_ERROR);
        just_rejected = false;

        const bool watches = kanegen_watches(run);
        if (watches) {
            status = kanegen_end_at_event(run, method->attempt, method->interpolant, t, &t_next);
            if (status != KANEGEN_DONE) return status;
        }
        if (kanegen_row_before(run, t_next)) {
            if (!watches && (status = method->interpolant(run, t_next)) != KANEGEN_DONE) return status;
            if ((status = kanegen_write_interpolated_rows(run, t_next)) != KANEGEN_DONE) return status;
        }
        if ((status = method->accept(run, t_next, t_end)) != KANEGEN_DONE) return status;
        if (t_next < t_end && (status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
        if (!watches) continue;
        bool changed;
        if ((status = kanegen_meet_events(run, &changed)) != KANEGEN_DONE) return status;
        if (!changed) continue;
        run->linear.known = false;
        if ((status = kanegen_rate_of_change(run, t_next, run->y, run->k[0])) != KANEGEN_DONE) return status;
    }
    return KANEGEN_DONE;
}
