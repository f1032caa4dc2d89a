/*
 * What the methods of equal steps share: the walk over the steps of a stretch, and what their defects tell.
 */
#include "kanegen_equal_steps.h"

#include "kanegen_formulas.h"

#include <string.h>

/* The defect that tells of a jump, against the differences of the rates of change in a step: see below. */
static const double JUMP = 1.0 / 3.0;

/* One step to t_next, or to an event before it. */
static kanegen_status step_to(const kanegen_equal_method *method, kanegen_integration *run, double t_next, double t_end)
{
    const double t = run->done->t;
    const bool watches = kanegen_watches(run);
    bool laid = watches, changed;
    double error;
    kanegen_status status;
    if ((status = kanegen_may_step(run)) != KANEGEN_DONE) return status;
    if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;
    if ((status = method->begin(run, t)) != KANEGEN_DONE) return status;
    if ((status = method->attempt(run, t, t_next - t, &error)) != KANEGEN_DONE) return status;
    if (isnan(error)) return KANEGEN_NOT_FINITE;
    run->stiff = method->is_stiff && method->is_stiff(run, t_next - t);
    if (watches) {
        status = kanegen_end_at_event(run, method->attempt, method->interpolant, t, &t_next);
        if (status != KANEGEN_DONE) return status;
    }
    if (kanegen_row_before(run, t_next)) {
        if (!watches && (status = method->interpolant(run, t_next)) != KANEGEN_DONE) return status;
        if ((status = kanegen_write_interpolated_rows(run, t_next)) != KANEGEN_DONE) return status;
        laid = true;
    }
    if ((status = method->accept(run, t_next, laid)) != KANEGEN_DONE) return status;
    if (t_next < t_end && (status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
    if (!watches) return KANEGEN_DONE;
    status = kanegen_meet_events(run, &changed);
    if (changed) {
        run->known = false;
        run->reference = NAN;
    }
    return status;
}

kanegen_status kanegen_advance_equally(const kanegen_equal_method *method, kanegen_integration *run, double t_begin,
                                       double t_end)
{
    const double count = kanegen_equal_steps(t_begin, t_end, run->options->step);
    const double h = (t_end - t_begin) / count;
    run->known = false;  /* tau may have jumped at t_begin */
    for (size_t i = 0; i < run->m; ++i) run->c5[i] = 0.0;
    for (size_t i = 0; (double)i < count; ++i) {
        const double t_next = (double)i + 1.0 < count ? t_begin + ((double)i + 1.0) * h : t_end;
        do {
            const kanegen_status status = step_to(method, run, t_next, t_end);
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
    double *jumps = run->scale, *rate = run->k[KANEGEN_STAGES - 1];
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
kanegen_status kanegen_judge_equal_steps(kanegen_integration *run, double h, double t, const double *y, double *multiple)
{
    const kanegen_options *options = run->options;
    const double *y_begin = run->y, *y_end = run->y_next;
    const size_t seen = run->method->seen;
    bool jumps_known = false;
    double largest = 0.0;
    if (run->stiff) return KANEGEN_DONE;
    for (size_t i = 0; i < run->n; ++i) {
        largest = larger(largest, larger(fabs(y_begin[i]), h * fabs(run->k[0][i])));
    }
    for (size_t i = 0; i < run->n; ++i) {
        const double size = fabs(run->defect[i]);
        const double tolerance = options->atol + options->rtol * larger(fabs(y_begin[i]), fabs(y_end[i]));
        double least = run->k[0][i], most = least;
        if (!(h * size > larger(tolerance, KANEGEN_ROUNDING * largest))) continue;
        for (size_t j = 1; j < seen; ++j) {
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
