/*
 * What the methods with an estimate of their errors share: the length of the steps.
 * Sources are in kanegen_formulas.h, HNW among them.
 */
#include "kanegen_adaptive.h"

#include "kanegen_formulas.h"

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
    for (size_t i = 0; i < run->n; ++i) scale[i] = kanegen_scale(run->options, a[i], b[i]);
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

static kanegen_status first_step(kanegen_integration *run, double order, double t, double h_max, double *h)
{
    const double *y = run->y, *k1 = run->k[0];
    double *stage = run->stage, *k2 = run->k[1];
    const double d0 = kanegen_scaled_norm(run, y, y, y), d1 = kanegen_scaled_norm(run, k1, y, y);
    const double h0 = kanegen_trial_step(d0, d1, h_max);

    for (size_t i = 0; i < run->n; ++i) stage[i] = y[i] + h0 * k1[i];
    const kanegen_status status = kanegen_rate_of_change(run, t + h0, stage, k2);
    if (status != KANEGEN_DONE) return status;

    for (size_t i = 0; i < run->n; ++i) stage[i] = k2[i] - k1[i];
    *h = kanegen_first_step(order, d1, kanegen_scaled_norm(run, stage, y, y) / h0, h0, h_max);
    return KANEGEN_DONE;
}

kanegen_status kanegen_advance_adaptively(const kanegen_adaptive_method *method, kanegen_integration *run,
                                          double t_begin, double t_end)
{
    const double duration = run->options->t_end - run->options->t_begin;
    const double longest = run->options->max_step > 0.0 ? run->options->max_step : INFINITY;
    kanegen_statistics *done = run->done;
    kanegen_status status;
    run->control.just_rejected = false;

    /* tau may have jumped at t_begin: what is known of the end of the step before does not serve. */
    run->linear.known = false;
    if ((status = kanegen_rate_of_change(run, t_begin, run->y, run->k[0])) != KANEGEN_DONE) return status;
    if (!kanegen_all_finite(run->n, run->k[0])) return KANEGEN_NOT_FINITE;
    if (run->control.step == 0.0) {
        run->control.last_error = SMALLEST_LAST_ERROR;
        status = first_step(run, method->order, t_begin, t_end - t_begin, &run->control.step);
        if (status != KANEGEN_DONE) return status;
    }
    while (done->t < t_end) {
        const double t = done->t;
        double t_next;
        const bool lands = kanegen_plan_step(t, t_end, run->control.step, longest, &t_next);
        const double h = t_next - t;
        double error;
        if ((status = kanegen_may_step(run)) != KANEGEN_DONE) return status;
        if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;
        if ((status = method->attempt(run, t, h, &error)) != KANEGEN_DONE) return status;

        if (!kanegen_judge_step(&run->control, method->order, h, error, lands, t, duration, &status)) {
            done->rejected++;
            if (status != KANEGEN_DONE) return status;
            continue;
        }
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
