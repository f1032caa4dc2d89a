/*
 * Events: where functions g(t, q, v) pass through zero.
 *
 * In each step the functions are looked at in four places of the interpolant, and in between where a parabola through three
 * of these comes nearest to zero. Where one has changed its sign the root is found on the interpolant, and then on steps that end
 * there, by secants: the interpolant is less exact than the steps. So the event is as exact as the motion, and so is what begins
 * at it.
 *
 * Of each function the side of zero is kept that it was on. One that has just passed is on the other side by that, whatever
 * the sign of its rounding; one whose state was changed is on none until it is found on the one to which the motion leads it,
 * which may be back through zero before the first of the four places.
 */
#include "kanegen_events.h"

#include <string.h>

enum { LOOKS = 4, MOST_SPANS = 8, MOST_HALVINGS = 100, MOST_SECANTS = 8 };

/* Parts of a step: where functions that are on no side are looked at first, how much later each further time, and until when
 * one that passes through zero leaves what is zero but for rounding. */
static const double SOON = 1.0 / 68719476736.0, LATER = 16.0, ROUNDING = 1.0 / 1048576.0;
/* The part of a stretch by which an event is earlier than its end, if it is not the one there. */
static const double SAME = 1e-6;
/* The part of a step by which its interpolant may put an event wrong, and how much nearer to zero secants have to lead. */
static const double FARTHEST = 1.0 / 16.0, NEARER = 0.01;

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

/* The functions at a place of the step; its beginning is the first. */
static double *at_look(const kanegen_integration *run, int look)
{
    return side(run) + (size_t)(1 + look) * run->system->events->count;
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

static bool has_passed(const kanegen_integration *run, size_t i, double value)
{
    return side(run)[i] * value <= 0.0 && side(run)[i] != 0.0;
}

static bool counts(const kanegen_integration *run, size_t i)
{
    const int direction = run->system->events->direction[i];
    return direction == 0 || (direction > 0) == (side(run)[i] < 0.0);
}

/* Make values of the functions those before. */
static void step_on(kanegen_integration *run, const double *values)
{
    const size_t count = run->system->events->count;
    for (size_t i = 0; i < count; ++i) {
        if (values[i] != 0.0) side(run)[i] = sign(values[i]);
    }
    memcpy(before(run), values, count * sizeof *values);
}

kanegen_status kanegen_begin_events(kanegen_integration *run)
{
    if (!kanegen_watches(run)) return KANEGEN_DONE;
    const size_t count = run->system->events->count;
    memset(side(run), 0, count * sizeof(double));
    run->happening = count;
    const kanegen_status status = evaluate(run, run->done->t, run->y);
    if (status == KANEGEN_DONE) step_on(run, there(run));
    return status;
}

/* A part of the step, from a to b, in which a function passes, with its values there. */
typedef struct {
    double a, b, at_a, at_b;
} passage;

/* Where function i passes, as a part of the step: by halves and, where they bracket it, by false position. */
static kanegen_status find_root(kanegen_integration *run, size_t i, double t, double h, passage in, double *root)
{
    for (int k = 0; k < MOST_HALVINGS && (in.b - in.a) * h > DBL_EPSILON * larger(fabs(t), h); ++k) {
        const bool brackets = in.at_a * in.at_b < 0.0 && k % 3 != 2;
        double s = brackets ? in.a + (in.b - in.a) * (in.at_a / (in.at_a - in.at_b)) : 0.5 * (in.a + in.b);
        if (!(s > in.a && s < in.b)) s = 0.5 * (in.a + in.b);
        const kanegen_status status = evaluate_inside(run, t, h, s);
        if (status != KANEGEN_DONE) return status;
        if (has_passed(run, i, there(run)[i])) {
            in.b = s;
            in.at_b = there(run)[i];
        } else {
            in.a = s;
            in.at_a = there(run)[i];
        }
        if (!(s > in.a || s < in.b)) break;
    }
    *root = in.b;
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

/* Where the functions are looked at: parts of the step from begin to end, the last of which is known. */
typedef struct {
    double begin, end;
    int known;
} looks;

static double place_of(looks at, double look)
{
    return look < LOOKS ? at.begin + (at.end - at.begin) * look / LOOKS : at.end;
}

/* Look at the functions at one more place. */
static kanegen_status look_on(kanegen_integration *run, double t, double h, looks *at)
{
    const kanegen_status status = evaluate_inside(run, t, h, place_of(*at, ++at->known));
    memcpy(at_look(run, at->known), there(run), run->system->events->count * sizeof(double));
    return status;
}

/* Where between two looks, of which the second is given, function i is nearest to zero by a parabola through them and the look
 * before or, where that is known, after: whether it is in between. */
static bool find_nearest(const kanegen_integration *run, size_t i, looks at, int look, double *s)
{
    for (int middle = look; middle >= look - 1; --middle) {
        if (middle + 1 > at.known || middle < 1) continue;
        const double value = at_look(run, middle)[i], next = at_look(run, middle + 1)[i], last = at_look(run, middle - 1)[i];
        const double slope = 0.5 * (next - last), curvature = next - 2.0 * value + last;
        if (!(side(run)[i] * curvature > 0.0)) continue;
        *s = place_of(at, middle - slope / curvature);
        if (*s > place_of(at, look - 1) && *s < place_of(at, look)) return true;
    }
    return false;
}

/* A passage of function i between two looks in the direction that counts, and whether it comes from the other side, to which it
 * has passed before that; b = a where there is none. */
static kanegen_status find_passage(kanegen_integration *run, size_t i, double t, double h, looks at, int look, passage *found,
                                   bool *returns)
{
    const passage all = {place_of(at, look - 1), place_of(at, look), at_look(run, look - 1)[i], at_look(run, look)[i]};
    double s;
    *found = all;
    *returns = false;
    if (has_passed(run, i, all.at_b) && counts(run, i)) return KANEGEN_DONE;
    found->b = all.a;
    if (has_passed(run, i, all.at_b) || !find_nearest(run, i, at, look, &s)) return KANEGEN_DONE;
    const kanegen_status status = evaluate_inside(run, t, h, s);
    if (status != KANEGEN_DONE || !has_passed(run, i, there(run)[i])) return status;
    *returns = !counts(run, i);
    const passage there_to = {all.a, s, all.at_a, there(run)[i]}, back = {s, all.b, there(run)[i], all.at_b};
    *found = *returns ? back : there_to;
    return KANEGEN_DONE;
}

/* An event in the step: the part of it that is over then, how steep its function is, and as above. */
typedef struct {
    double part, slope;
    bool returns;
} event;

/* The first event between two looks, as `find_first`. */
static kanegen_status find_between(kanegen_integration *run, double t, double h, looks at, int look, event *first)
{
    const size_t count = run->system->events->count;
    for (size_t i = 0; i < count; ++i) {
        passage found;
        bool returns;
        double root = 1.0;
        kanegen_status status = find_passage(run, i, t, h, at, look, &found, &returns);
        if (status != KANEGEN_DONE) return status;
        if (!(found.b > found.a)) continue;
        if (returns) side(run)[i] = -side(run)[i];
        status = find_root(run, i, t, h, found, &root);
        if (returns) side(run)[i] = -side(run)[i];
        if (status != KANEGEN_DONE) return status;
        if (run->happening < count && first->part <= root) continue;
        const event one = {root, (found.at_b - found.at_a) / ((found.b - found.a) * h), returns};
        run->happening = i;
        *first = one;
    }
    return KANEGEN_DONE;
}

static bool any_has_passed(const kanegen_integration *run, const double *values)
{
    for (size_t i = 0; i < run->system->events->count; ++i) {
        if (has_passed(run, i, values[i])) return true;
    }
    return false;
}

/* The first event in a part of the step, as `find_first`; the part then begins at the look before it. */
static kanegen_status find_within(kanegen_integration *run, double t, double h, looks *at, event *first)
{
    const size_t count = run->system->events->count;
    kanegen_status status;
    at->known = 0;
    run->happening = count;
    memcpy(at_look(run, 0), before(run), count * sizeof(double));
    for (int look = 1; look <= LOOKS; ++look) {
        if (at->known < look && (status = look_on(run, t, h, at)) != KANEGEN_DONE) return status;
        /* Not beyond what passes: there may be nothing to look at. */
        const bool goes_on = look < LOOKS && at->known == look && !any_has_passed(run, at_look(run, look));
        if (goes_on && (status = look_on(run, t, h, at)) != KANEGEN_DONE) return status;
        if ((status = find_between(run, t, h, *at, look, first)) != KANEGEN_DONE) return status;
        if (run->happening < count) {
            at->begin = place_of(*at, look - 1);
            return KANEGEN_DONE;
        }
        step_on(run, at_look(run, look));
    }
    return KANEGEN_DONE;
}

/* The first event in the step: whether there is one, which, and where. What comes before one that was found is looked at again,
 * for what passed there and back. */
static kanegen_status find_first(kanegen_integration *run, double t, double h, event *first)
{
    const size_t count = run->system->events->count;
    looks at = {0.0, 1.0, 0};
    size_t which = count;
    kanegen_status status = find_sides(run, t, h);
    for (int k = 0; k < MOST_SPANS && status == KANEGEN_DONE; ++k) {
        if ((status = find_within(run, t, h, &at, first)) != KANEGEN_DONE) return status;
        const bool is_earlier = run->happening < count && (k == 0 || first->part < at.end - SAME * (at.end - at.begin));
        if (run->happening == count) run->happening = which;
        which = run->happening;
        if (!is_earlier) break;
        at.end = first->part;
    }
    if (which < count && first->returns) side(run)[which] = -side(run)[which];
    return status;
}

/* The function that is happening at the end of a step of this length. */
static kanegen_status step_at(kanegen_integration *run, kanegen_attempt *attempt, double t, double h, double *value)
{
    double error;
    kanegen_status status;
    if ((status = attempt(run, t, h, &error)) != KANEGEN_DONE) return status;
    if (isnan(error)) return KANEGEN_NOT_FINITE;
    memcpy(run->stage, run->y_next, run->m * sizeof(double));
    kanegen_at(run, t + h);
    if ((status = kanegen_project(run, run->stage)) != KANEGEN_DONE) return status;
    status = evaluate(run, t + h, run->stage);
    *value = there(run)[run->happening];
    return status;
}

kanegen_status kanegen_end_at_event(kanegen_integration *run, kanegen_attempt *attempt, kanegen_interpolant *interpolant,
                                    double t, double *t_next)
{
    const double h = *t_next - t, shortest = 4.0 * DBL_EPSILON * larger(fabs(t), h);
    event first = {1.0, 0.0, false};
    kanegen_status status;
    if ((status = interpolant(run, *t_next)) != KANEGEN_DONE) return status;
    if ((status = find_first(run, t, h, &first)) != KANEGEN_DONE) return status;
    if (run->happening == run->system->events->count) return KANEGEN_DONE;

    const double found = larger(smaller(first.part * h, h), shortest);
    double now = found, slope = first.slope, last_now = 0.0, last_value = 0.0, at_found = 0.0, value = 0.0;
    for (int k = 0; k < MOST_SECANTS; ++k) {
        if ((status = step_at(run, attempt, t, now, &value)) != KANEGEN_DONE) return status;
        if (k == 0) at_found = value;
        if (k > 0 && now != last_now && value != last_value) slope = (value - last_value) / (now - last_now);
        const double further = slope != 0.0 ? -value / slope : 0.0;
        if (fabs(further) <= shortest || (k > 0 && fabs(value) >= fabs(last_value))) break;
        if (fabs(now + further - found) > FARTHEST * h) break;
        last_now = now;
        last_value = value;
        now = larger(smaller(now + further, h), shortest);
    }
    /* Secants lead to zero, unless the function jumps through it. */
    if (now != found && !(fabs(value) <= NEARER * fabs(at_found))) {
        now = found;
        if ((status = step_at(run, attempt, t, now, &value)) != KANEGEN_DONE) return status;
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
        const bool passed = i == run->happening || has_passed(run, i, there(run)[i]);
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
