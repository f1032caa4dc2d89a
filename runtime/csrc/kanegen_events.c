/*
 * Events: where functions g(t, q, v) pass through zero.
 *
 * In each step the functions are looked at in four places of the interpolant. Where one has changed its sign the root is
 * found on the interpolant, and then on steps that end there, by secants: the interpolant is less exact than the steps. So
 * the event is as exact as the motion, and so is what begins at it.
 *
 * Of each function the side of zero is kept that it was on. One that has just passed is on the other side by that, whatever
 * the sign of its rounding; one whose state was changed is on none until it is found on the one to which the motion leads it,
 * which may be back through zero before the first of the four places.
 */
#include "kanegen_events.h"

#include <string.h>

enum { LOOKS = 4, MOST_HALVINGS = 100, MOST_SECANTS = 8 };

/* Parts of a step: where functions that are on no side are looked at first, how much later each further time, and until when
 * one that passes through zero leaves what is zero but for rounding. */
static const double SOON = 1.0 / 68719476736.0, LATER = 16.0, ROUNDING = 1.0 / 1048576.0;

static double *before(const kanegen_integration *run)
{
    return run->system->events->workspace;
}

static double *there(const kanegen_integration *run)
{
    return before(run) + run->system->events->count;
}

static double *side(const kanegen_integration *run)
{
    return there(run) + run->system->events->count;
}

bool kanegen_watches(const kanegen_integration *run)
{
    return run->system->events && run->system->events->count > 0;
}

static double sign(double x)
{
    return (double)((x > 0.0) - (x < 0.0));
}

/* The functions at a state, into there(run). */
static kanegen_status evaluate(kanegen_integration *run, double t, const double *y)
{
    const kanegen_system *system = run->system;
    kanegen_at(run, t);
    system->events->values(t, y, kanegen_speeds_at(run, y), there(run), system->events->data);
    return system->stop && *system->stop ? KANEGEN_STOPPED : KANEGEN_DONE;
}

static kanegen_status evaluate_inside(kanegen_integration *run, double t, double h, double s)
{
    kanegen_at(run, t + s * h);
    const kanegen_status status = kanegen_interpolate(run, s, run->stage);
    return status == KANEGEN_DONE ? evaluate(run, t + s * h, run->stage) : status;
}

static bool has_passed(const kanegen_integration *run, size_t i)
{
    return side(run)[i] * there(run)[i] <= 0.0 && side(run)[i] != 0.0;
}

static bool counts(const kanegen_integration *run, size_t i)
{
    const int direction = run->system->events->direction[i];
    return direction == 0 || (direction > 0) == (side(run)[i] < 0.0);
}

/* Make what is there what was before. */
static void step_on(kanegen_integration *run)
{
    const size_t count = run->system->events->count;
    for (size_t i = 0; i < count; ++i) {
        if (there(run)[i] != 0.0) side(run)[i] = sign(there(run)[i]);
    }
    memcpy(before(run), there(run), count * sizeof(double));
}

kanegen_status kanegen_begin_events(kanegen_integration *run)
{
    if (!kanegen_watches(run)) return KANEGEN_DONE;
    const size_t count = run->system->events->count;
    memset(side(run), 0, count * sizeof(double));
    run->happening = count;
    const kanegen_status status = evaluate(run, run->done->t, run->y);
    if (status == KANEGEN_DONE) step_on(run);
    return status;
}

/* Where function i passes between a and b, as a part of the step: by halves and, where they bracket it, by false position. */
static kanegen_status find_root(kanegen_integration *run, size_t i, double t, double h, double a, double b, double *root)
{
    double at_a = before(run)[i], at_b = there(run)[i];
    for (int k = 0; k < MOST_HALVINGS && (b - a) * h > DBL_EPSILON * larger(fabs(t), h); ++k) {
        const bool brackets = at_a * at_b < 0.0 && k % 3 != 2;
        double s = brackets ? a + (b - a) * (at_a / (at_a - at_b)) : 0.5 * (a + b);
        if (!(s > a && s < b)) s = 0.5 * (a + b);
        const kanegen_status status = evaluate_inside(run, t, h, s);
        if (status != KANEGEN_DONE) return status;
        if (has_passed(run, i)) {
            b = s;
            at_b = there(run)[i];
        } else {
            a = s;
            at_a = there(run)[i];
        }
        if (!(s > a || s < b)) break;
    }
    *root = b;
    return KANEGEN_DONE;
}

static bool all_are_on_a_side(const kanegen_integration *run)
{
    for (size_t i = 0; i < run->system->events->count; ++i) {
        if (side(run)[i] == 0.0) return false;
    }
    return true;
}

/* The sides of functions that are on none: those on which they are as soon as the motion has changed them by more than they
 * were at the beginning of the step. */
static kanegen_status find_sides(kanegen_integration *run, double t, double h)
{
    const size_t count = run->system->events->count;
    for (double s = SOON; s < 1.0 / LOOKS && !all_are_on_a_side(run); s *= LATER) {
        const kanegen_status status = evaluate_inside(run, t, h, s);
        if (status != KANEGEN_DONE) return status;
        for (size_t i = 0; i < count; ++i) {
            const double begun = before(run)[i], found = there(run)[i];
            if (side(run)[i] != 0.0 || !(fabs(found - begun) > fabs(begun))) continue;
            side(run)[i] = sign(s > ROUNDING && begun != 0.0 ? begun : found);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        if (side(run)[i] == 0.0) side(run)[i] = sign(before(run)[i]);
    }
    return KANEGEN_DONE;
}

/* The first event in the step: whether there is one, which, at what part of the step, and how steep its function is. */
static kanegen_status find_first(kanegen_integration *run, double t, double h, double *first, double *slope)
{
    const size_t count = run->system->events->count;
    run->happening = count;
    kanegen_status status = find_sides(run, t, h);
    if (status != KANEGEN_DONE) return status;
    for (int look = 1; look <= LOOKS; ++look) {
        const double a = (double)(look - 1) / LOOKS, b = (double)look / LOOKS;
        if ((status = evaluate_inside(run, t, h, b)) != KANEGEN_DONE) return status;
        memcpy(run->system->events->workspace + 3 * count, there(run), count * sizeof(double));
        for (size_t i = 0; i < count; ++i) {
            double root;
            memcpy(there(run), run->system->events->workspace + 3 * count, count * sizeof(double));
            if (!has_passed(run, i) || !counts(run, i)) continue;
            const double steep = (there(run)[i] - before(run)[i]) / ((b - a) * h);
            if ((status = find_root(run, i, t, h, a, b, &root)) != KANEGEN_DONE) return status;
            if (run->happening < count && *first <= root) continue;
            run->happening = i;
            *first = root;
            *slope = steep;
        }
        if (run->happening < count) return KANEGEN_DONE;
        memcpy(there(run), run->system->events->workspace + 3 * count, count * sizeof(double));
        step_on(run);
    }
    return KANEGEN_DONE;
}

kanegen_status kanegen_end_at_event(kanegen_integration *run, kanegen_attempt *attempt, kanegen_interpolant *interpolant,
                                    double t, double *t_next)
{
    const double h = *t_next - t, shortest = 4.0 * DBL_EPSILON * larger(fabs(t), h);
    double first = 1.0, slope = 0.0, error;
    kanegen_status status;
    if ((status = interpolant(run, *t_next)) != KANEGEN_DONE) return status;
    if ((status = find_first(run, t, h, &first, &slope)) != KANEGEN_DONE) return status;
    if (run->happening == run->system->events->count) return KANEGEN_DONE;

    double now = first * h, last_now = 0.0, last_value = 0.0;
    for (int k = 0; k < MOST_SECANTS; ++k) {
        now = larger(smaller(now, h), shortest);
        if ((status = attempt(run, t, now, &error)) != KANEGEN_DONE) return status;
        if (isnan(error)) return KANEGEN_NOT_FINITE;
        memcpy(run->stage, run->y_next, run->m * sizeof(double));
        kanegen_at(run, t + now);
        if ((status = kanegen_project(run, run->stage)) != KANEGEN_DONE) return status;
        if ((status = evaluate(run, t + now, run->stage)) != KANEGEN_DONE) return status;
        const double value = there(run)[run->happening];
        if (k > 0 && now != last_now && value != last_value) slope = (value - last_value) / (now - last_now);
        const double further = slope != 0.0 ? -value / slope : 0.0;
        if (fabs(further) <= shortest || (k > 0 && fabs(value) >= fabs(last_value))) break;
        last_now = now;
        last_value = value;
        now += further;
    }
    *t_next = t + now < *t_next ? t + now : *t_next;
    return interpolant(run, *t_next);
}

kanegen_status kanegen_meet_events(kanegen_integration *run, bool *changed)
{
    const kanegen_events *events = run->system->events;
    const double t = run->done->t;
    bool last = false;
    kanegen_status status;
    *changed = false;
    if (!kanegen_watches(run) || run->happening == events->count) return KANEGEN_DONE;
    if ((status = evaluate(run, t, run->y)) != KANEGEN_DONE) return status;
    for (size_t i = 0; i < events->count; ++i) {
        const bool passed = i == run->happening || has_passed(run, i);
        double *was = &side(run)[i];
        if (passed && counts(run, i)) {
            const double *v = kanegen_speeds_at(run, run->y);
            const int answer = events->happened(t, i, run->y, v, run->y + run->system->nq, events->data);
            if (run->system->stop && *run->system->stop) return KANEGEN_STOPPED;
            last = last || (answer & KANEGEN_EVENT_ENDS);
            *changed = *changed || (answer & KANEGEN_EVENT_CHANGES);
            *was = answer & KANEGEN_EVENT_CHANGES ? 0.0 : -*was;
        } else if (passed) {
            *was = -*was;
        }
    }
    run->happening = events->count;
    if (*changed) {
        if ((status = kanegen_project(run, run->y)) != KANEGEN_DONE) return status;
        if ((status = evaluate(run, t, run->y)) != KANEGEN_DONE) return status;
    }
    memcpy(before(run), there(run), events->count * sizeof(double));
    return last ? KANEGEN_EVENT : KANEGEN_DONE;
}
