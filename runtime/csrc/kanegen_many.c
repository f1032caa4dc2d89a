/*
 * Many motions at once. Contract in kanegen_many.h; the formulas of the methods are in kanegen_formulas.h, and what happens in
 * a step, and between steps, is what kanegen_driver.c, kanegen_equal_steps.c and kanegen_adaptive.c do for one motion.
 */
#include "kanegen_many.h"

#include "kanegen_constraints.h"
#include "kanegen_driver.h"
#include "kanegen_formulas.h"
#include "kanegen_steps.h"
#include "kanegen_threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, STAGES = 7, VECTORS = 3 + STAGES + 5 };  /* y, y_next, stage; k; c3, c4, c5, scale, there */

/* One motion under way. */
typedef struct {
    kanegen_control control;
    kanegen_outcome outcome;
    double t, end;              /* where it is, and the end of the present stretch, on which all is smooth */
    double earliest, latest;    /* times that kernels see are within these: see the walk */
    double begin, count, index; /* of equal steps: where the stretch began, how many, and which is the next */
    size_t samples, breaks, row, probe;
    bool going, arrived;        /* whether it goes on, and is at the end of a stretch */
    bool has_row;               /* whether the present step has its row, where each so many have */
    bool known;                 /* equal steps: whether k[0] belongs to the present state */
} lane;

typedef struct {
    const kanegen_many_system *system;
    const kanegen_options *options;
    const kanegen_many_rows *rows;
    bool adaptive;
    size_t first, width, n;     /* the first motion of the lanes, lanes that are called for, numbers of a state */
    size_t until_pause;         /* steps that may be taken before the next pause */
    lane lanes[LANES];
    double t_next[LANES], h[LANES], time[LANES], now[LANES], there_t[LANES];
    bool lands[LANES], chosen[LANES];
    double *y, *y_next, *stage, *k[STAGES], *c3, *c4, *c5, *scale, *there; /* [n][LANES] */
    double *force, *held;       /* tau, then dx/dt [nv + states][LANES]: those found last, and those held */
    double *v, *r, *lambda, *phi, *projected;
} tile;

#define EACH(i, size, l, of) \
    for (size_t i = 0; i < (size); ++i) \
        for (size_t l = 0; l < (of)->width; ++l)
#define AT(array, i, l) (array)[(i) * LANES + (l)]

static bool is_sampled(const tile *of)
{
    return of->options->sample_period > 0.0;
}

static bool has_constraints(const tile *of)
{
    return of->system->rows > 0;
}

/* ---- the right-hand side ---- */

static void call(const tile *of, const kanegen_lanes_kernel *kernel, size_t number, const double *const *given)
{
    void *arrays[12];
    size_t n = 0;
    if (kernel->prepared) arrays[n++] = kernel->prepared + kernel->prepared_size * of->first;
    for (size_t i = 0; i < number; ++i) {
        if (given[i]) arrays[n++] = (void *)(uintptr_t)given[i];
    }
    kernel->call(arrays, of->width, LANES);
}

/* Calls a kernel with arrays, of which those that are NULL are not there. */
#define CALL(of, kernel, ...) \
    do { \
        const double *const given[] = {__VA_ARGS__}; \
        call(of, &(of)->system->kernel, sizeof given / sizeof given[0], given); \
    } while (0)

/* Make these the times for all that is called next: see the walk. */
static void at(tile *of, const double *times)
{
    for (size_t l = 0; l < of->width; ++l) {
        of->now[l] = smaller(larger(times[l], of->lanes[l].earliest), of->lanes[l].latest);
    }
}

static const double *time_of(const tile *of)
{
    return of->system->timed ? of->now : NULL;
}

static const double *speeds_at(tile *of, const double *y)
{
    const double *rates = y + of->system->nq * LANES;
    if (!has_constraints(of)) return rates;
    CALL(of, generalized_speeds, time_of(of), y, rates, of->v);
    return of->v;
}

static void find_signals(tile *of)
{
    const kanegen_many_system *system = of->system;
    for (size_t l = 0; l < of->width; ++l) {
        const bool again = l > 0 && of->now[l] == of->now[l - 1];
        for (size_t i = 0; i < system->signals; ++i) {
            double r[3];
            if (!again) kanegen_find_signal(&system->signal[i], of->now[l], r);
            for (size_t j = 0; j < 3; ++j) AT(of->r, 3 * i + j, l) = again ? AT(of->r, 3 * i + j, l - 1) : r[j];
        }
    }
}

/* What the law, or the law closed over the dynamics, gives: tau or dv/dt, and dx/dt. */
static void call_law(tile *of, bool closed, const double *y, const double *v, double *found, double *xdot)
{
    const kanegen_many_system *system = of->system;
    const double *x = system->states ? y + (of->n - system->states) * LANES : NULL, *r = system->signals ? of->r : NULL;
    find_signals(of);
    if (closed) {
        CALL(of, closed_loop, of->now, y, v, x, r, found, system->states ? xdot : NULL);
    } else {
        CALL(of, law, of->now, y, v, x, r, found, system->states ? xdot : NULL);
    }
}

/* dy at these times and states. */
static void rate(tile *of, const double *times, const double *y, double *dy)
{
    const kanegen_many_system *system = of->system;
    const size_t nq = system->nq, nv = system->nv, nx = system->states;
    const double *rates = y + nq * LANES;
    double *a = dy + nq * LANES, *xdot = dy + (of->n - nx) * LANES;
    const bool closed = system->closed_loop.call && !has_constraints(of) && !is_sampled(of);
    const double *force = of->held;
    at(of, times);
    if (system->law.call && !is_sampled(of) && !closed) {
        call_law(of, false, y, speeds_at(of, y), of->force, of->force + nv * LANES);
        force = of->force;
    }
    if (!closed && nx) memcpy(xdot, force + nv * LANES, nx * LANES * sizeof *dy);
    if (has_constraints(of)) {
        memcpy(dy, rates, nq * LANES * sizeof *dy);
        CALL(of, multiplier_dynamics, time_of(of), y, rates, force, a, of->lambda);
        return;
    }
    if (system->coordinate_rates.call) {
        CALL(of, coordinate_rates, time_of(of), y, rates, dy);
    } else {
        memcpy(dy, rates, nq * LANES * sizeof *dy);
    }
    if (closed) {
        call_law(of, true, y, rates, a, xdot);
    } else {
        CALL(of, forward_dynamics, time_of(of), y, rates, force, a);
    }
}

/* ---- states: ends, constraints, norms, rows ---- */

static void stop(lane *of, kanegen_status status)
{
    of->outcome.status = status;
    of->going = false;
}

static bool is_finite(const tile *of, const double *x, size_t l)
{
    for (size_t i = 0; i < of->n; ++i) {
        if (!isfinite(AT(x, i, l))) return false;
    }
    return true;
}

/* How far a projected state is from the constraints: see kanegen_constraints.c. Not a number where the projection failed. */
static double openness(const tile *of, const double *y, size_t l)
{
    const kanegen_many_system *system = of->system;
    const size_t nq = system->nq;
    double correction = 0.0, fastest = 1.0;
    for (size_t i = 0; i < 2 * nq; ++i) {
        if (!isfinite(AT(of->projected, i, l))) return NAN;
    }
    for (size_t i = 0; i < system->position; ++i) {
        if (!isfinite(AT(of->phi, i, l))) return NAN;
    }
    for (size_t i = nq; i < 2 * nq; ++i) {
        const double unit = kanegen_unit(system->coordinate_units, i - nq);
        correction = larger(correction, fabs(AT(of->projected, i, l) - AT(y, i, l)) / unit);
        fastest = larger(fastest, fabs(AT(of->projected, i, l)) / unit);
    }
    double open = correction / fastest;
    for (size_t i = 0; i < system->position; ++i) {
        open = larger(open, fabs(AT(of->phi, i, l)) / kanegen_unit(system->units, i));
    }
    return open;
}

/* Bring the chosen states to the constraints and their quaternions to length one, at these times. Lanes end that cannot be. */
static void project(tile *of, const double *times, double *y)
{
    const kanegen_many_system *system = of->system;
    const size_t nq = system->nq;
    double open[LANES], before;
    bool at_work[LANES];
    for (size_t l = 0; l < of->width; ++l) {
        for (size_t i = 0; of->chosen[l] && i < system->quaternion_count; ++i) {
            kanegen_normalise(&AT(y, system->quaternions[i], l), LANES);
        }
    }
    if (!has_constraints(of)) return;
    at(of, times);
    memcpy(at_work, of->chosen, sizeof at_work);
    for (size_t l = 0; l < of->width; ++l) open[l] = INFINITY;
    for (int k = 0; k < MOST_PROJECTIONS; ++k) {
        bool any = false;
        double *next = of->projected;
        CALL(of, constraint_projection, time_of(of), y, y + nq * LANES, next, next + nq * LANES);
        if (system->position) CALL(of, constraint_residual, time_of(of), next, of->phi);
        for (size_t l = 0; l < of->width; ++l) {
            if (!at_work[l]) continue;
            before = open[l];
            open[l] = openness(of, y, l);
            for (size_t i = 0; !isnan(open[l]) && i < 2 * nq; ++i) AT(y, i, l) = AT(next, i, l);
            at_work[l] = !kanegen_closed(open[l], before, system->drift);
            any = any || at_work[l];
        }
        if (!any) break;
    }
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        if (!of->chosen[l]) continue;
        if (!(open[l] <= system->drift)) {
            stop(one, KANEGEN_OPEN);
            of->chosen[l] = false;
        } else {
            one->outcome.drift = larger(one->outcome.drift, open[l]);
        }
    }
}

/* Size of x against the tolerance at states a and b: see kanegen_scaled_norm. */
static void scaled_norm(tile *of, const double *x, const double *a, const double *b, double *norm)
{
    const kanegen_options *options = of->options;
    const kanegen_many_system *system = of->system;
    EACH(i, of->n, l, of) AT(of->scale, i, l) = kanegen_scale(options, AT(a, i, l), AT(b, i, l));
    for (size_t j = 0; j < system->quaternion_count; ++j) {
        EACH(i, 4, l, of) AT(of->scale, system->quaternions[j] + i, l) = options->atol + options->rtol;
    }
    for (size_t l = 0; l < of->width; ++l) norm[l] = 0.0;
    EACH(i, of->n, l, of) {
        const double ratio = AT(x, i, l) / AT(of->scale, i, l);
        norm[l] += ratio * ratio;
    }
    for (size_t l = 0; l < of->width; ++l) norm[l] = sqrt(norm[l] / (double)of->n);
}

static bool same_instant(const tile *of, double a, double b)
{
    return kanegen_are_same(a, b, of->options->t_begin);
}

static void take_numbers(const double *from, size_t l, size_t size, double *to)
{
    for (size_t i = 0; i < size; ++i) to[i] = AT(from, i, l);
}

static void write_row(tile *of, size_t l, const double *y)
{
    const kanegen_many_system *system = of->system;
    const kanegen_many_rows *rows = of->rows;
    lane *const one = &of->lanes[l];
    const size_t nq = system->nq, nx = system->states, half = of->n - nq - nx;
    const size_t row = (of->first + l) * rows->count + one->row;
    take_numbers(y, l, nq, rows->q + row * nq);
    take_numbers(y + nq * LANES, l, half, rows->v + row * half);
    if (nx) take_numbers(y + (nq + half) * LANES, l, nx, rows->x + row * nx);
    if (rows->tau) take_numbers(of->held, l, system->nv, rows->tau + row * system->nv);
    one->outcome.rows = ++one->row;
}

/* The rows that fall on the present state. */
static void write_rows_here(tile *of, size_t l)
{
    const kanegen_many_rows *rows = of->rows;
    lane *const one = &of->lanes[l];
    if (rows->every > 0) {
        if (one->has_row || one->outcome.accepted % rows->every != 0 || one->row >= rows->count) return;
        rows->step_t[(of->first + l) * rows->count + one->row] = one->t;
        one->has_row = true;
        write_row(of, l, of->y);
        return;
    }
    while (one->row < rows->count) {
        const double t = rows->t[one->row];
        if (t > one->t && !same_instant(of, t, one->t)) break;
        write_row(of, l, of->y);
    }
}

static bool is_before(const tile *of, size_t index, size_t count, const double *times, double t_next)
{
    return index < count && times[index] < t_next && !same_instant(of, times[index], t_next);
}

static bool row_before(const tile *of, size_t l)
{
    const kanegen_many_rows *rows = of->rows;
    return rows->every == 0 && is_before(of, of->lanes[l].row, rows->count, rows->t, of->t_next[l]);
}

/* The rows inside the chosen steps, from the interpolant. */
static void write_rows_between(tile *of, const bool *accepted)
{
    for (;;) {
        bool any = false;
        for (size_t l = 0; l < of->width; ++l) {
            const lane *const one = &of->lanes[l];
            of->chosen[l] = accepted[l] && one->going && row_before(of, l);
            if (!of->chosen[l]) continue;
            any = true;
            of->there_t[l] = of->rows->t[one->row];
            const double s = (of->there_t[l] - one->t) / (of->t_next[l] - one->t);
            for (size_t i = 0; i < of->n; ++i) {
                const double y = AT(of->y, i, l);
                AT(of->there, i, l) = kanegen_between(
                    y, AT(of->y_next, i, l) - y, s, AT(of->c3, i, l), AT(of->c4, i, l), AT(of->c5, i, l));
            }
        }
        if (!any) return;
        for (size_t l = 0; l < of->width; ++l) {
            if (of->chosen[l] || !has_constraints(of)) continue;
            of->there_t[l] = of->lanes[l].t;
            for (size_t i = 0; i < of->n; ++i) AT(of->there, i, l) = AT(of->y, i, l);
        }
        project(of, of->there_t, of->there);
        for (size_t l = 0; l < of->width; ++l) {
            if (of->chosen[l]) write_row(of, l, of->there);
        }
    }
}

/* ---- steps ---- */

static void copy_chosen(const tile *of, const bool *chosen, const double *from, double *to)
{
    EACH(i, of->n, l, of) AT(to, i, l) = chosen[l] ? AT(from, i, l) : AT(to, i, l);
}

/* A stage, by a formula of y, h and the rates k: the state there and its rate of change. */
#define STAGE(of, node, formula, result, ...) \
    do { \
        EACH(i, (of)->n, l, of) AT(result, i, l) = formula(AT(y, i, l), h[l], __VA_ARGS__); \
        for (size_t l = 0; l < (of)->width; ++l) (of)->time[l] = (of)->lanes[l].t + (node) * h[l]; \
    } while (0)
#define K(number) AT(k[(number) - 1], i, l)

static void attempt_rk4(tile *of)
{
    double *const y = of->y, *const s = of->stage, *const h = of->h, **const k = of->k;
    STAGE(of, 0.5, kanegen_rk4_half, s, K(1));
    rate(of, of->time, s, k[1]);
    STAGE(of, 0.5, kanegen_rk4_half, s, K(2));
    rate(of, of->time, s, k[2]);
    STAGE(of, 1.0, kanegen_rk4_whole, s, K(3));
    rate(of, of->time, s, k[3]);
    STAGE(of, 1.0, kanegen_rk4_next, of->y_next, K(1), K(2), K(3), K(4));
}

static void attempt_dopri5(tile *of)
{
    double *const y = of->y, *const s = of->stage, *const h = of->h, **const k = of->k;
    STAGE(of, C2, kanegen_dopri5_2, s, K(1));
    rate(of, of->time, s, k[1]);
    STAGE(of, C3, kanegen_dopri5_3, s, K(1), K(2));
    rate(of, of->time, s, k[2]);
    STAGE(of, C4, kanegen_dopri5_4, s, K(1), K(2), K(3));
    rate(of, of->time, s, k[3]);
    STAGE(of, C5, kanegen_dopri5_5, s, K(1), K(2), K(3), K(4));
    rate(of, of->time, s, k[4]);
    STAGE(of, 1.0, kanegen_dopri5_6, s, K(1), K(2), K(3), K(4), K(5));
    rate(of, of->time, s, k[5]);
    STAGE(of, 1.0, kanegen_dopri5_next, of->y_next, K(1), K(3), K(4), K(5), K(6));
    rate(of, of->time, of->y_next, k[6]);
}

/* The interpolants of the steps; k_end are the rates at their ends. */
static void lay_interpolants(tile *of, const double *k_end)
{
    double **const k = of->k;
    EACH(i, of->n, l, of) {
        const double d = AT(of->y_next, i, l) - AT(of->y, i, l), h = of->h[l];
        AT(of->c3, i, l) = kanegen_c3(d, h, K(1));
        AT(of->c4, i, l) = kanegen_c4(d, h, AT(k_end, i, l), AT(of->c3, i, l));
        AT(of->c5, i, l) = of->adaptive ? kanegen_dopri5_c5(h, K(1), K(3), K(4), K(5), K(6), K(7)) : 0.0;
    }
}

/* What the next step of each motion leads to; *h is 0 for those that have ended, which are computed along. */
static void plan(tile *of)
{
    const kanegen_options *options = of->options;
    const double longest = options->max_step > 0.0 ? options->max_step : INFINITY;
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        of->h[l] = 0.0;
        if (!one->going) continue;
        if (of->adaptive) {
            of->lands[l] = kanegen_plan_step(one->t, one->end, one->control.step, longest, &of->t_next[l]);
        } else {
            const double h = (one->end - one->begin) / one->count, next = one->index + 1.0;
            of->t_next[l] = next < one->count ? one->begin + next * h : one->end;
        }
        if (one->outcome.accepted + one->outcome.rejected >= options->max_steps) {
            stop(one, KANEGEN_TOO_MANY_STEPS);
        } else if (of->t_next[l] <= one->t) {
            stop(one, KANEGEN_STEP_UNDERFLOW);
        } else {
            of->h[l] = of->t_next[l] - one->t;
        }
    }
}

/* Whether the steps that were tried are accepted. */
static void judge(tile *of, bool *accepted)
{
    const double duration = of->options->t_end - of->options->t_begin;
    double error[LANES], **const k = of->k;
    if (of->adaptive) {
        double *const difference = of->c4;  /* free until rows are written */
        EACH(i, of->n, l, of) {
            AT(difference, i, l) = kanegen_dopri5_error(of->h[l], K(1), K(3), K(4), K(5), K(6), K(7));
        }
        scaled_norm(of, difference, of->y, of->y_next, error);
    }
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        kanegen_status status = KANEGEN_DONE;
        accepted[l] = one->going;
        if (!one->going) continue;
        const bool finite = is_finite(of, of->y_next, l);
        if (of->adaptive) {
            accepted[l] = kanegen_judge_step(&one->control, 5.0, of->h[l], finite ? error[l] : NAN, of->lands[l], one->t,
                                             duration, &status);
            if (!accepted[l]) one->outcome.rejected++;
        } else if (!finite) {
            status = KANEGEN_NOT_FINITE;
        }
        if (status != KANEGEN_DONE) {
            stop(one, status);
            accepted[l] = false;
        }
    }
}

/* Make the ends of accepted steps the states: k_end, where it is there, are the rates at these. */
static void accept(tile *of, const bool *accepted, double **k_end)
{
    bool all = true, again = false, *const chosen = of->chosen;
    memcpy(chosen, accepted, sizeof of->chosen);
    for (size_t l = 0; l < of->width; ++l) chosen[l] = chosen[l] && of->lanes[l].going;
    for (size_t l = 0; has_constraints(of) && l < of->width; ++l) {
        of->time[l] = chosen[l] ? of->t_next[l] : of->lanes[l].t;
        for (size_t i = 0; !chosen[l] && i < of->n; ++i) AT(of->y_next, i, l) = AT(of->y, i, l);
    }
    project(of, of->time, of->y_next);
    for (size_t l = 0; l < of->width; ++l) all = all && chosen[l];
    if (all) {
        double *const y = of->y;
        of->y = of->y_next;
        of->y_next = y;
    } else {
        copy_chosen(of, chosen, of->y_next, of->y);
    }
    if (k_end && all) {
        double *const end = *k_end;
        *k_end = of->k[0];
        of->k[0] = end;
    } else if (k_end) {
        copy_chosen(of, chosen, *k_end, of->k[0]);
    }
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        if (!chosen[l]) continue;
        one->t = one->outcome.t = of->t_next[l];
        one->outcome.accepted++;
        one->index += 1.0;
        one->has_row = false;
        one->arrived = !(one->t < one->end);
        one->known = k_end && !has_constraints(of);
        of->time[l] = one->t;
        if (!one->arrived) again = true;
    }
    if (!of->adaptive || !has_constraints(of) || !again) return;
    /* The states were projected since. */
    for (size_t l = 0; l < of->width; ++l) {
        of->time[l] = of->lanes[l].t;
        chosen[l] = chosen[l] && !of->lanes[l].arrived;
    }
    rate(of, of->time, of->y, of->stage);
    copy_chosen(of, chosen, of->stage, of->k[0]);
}

/* One step of each motion, or an attempt. */
static void step(tile *of)
{
    bool accepted[LANES], rows = false, probes = false;
    plan(of);
    if (!of->adaptive) {
        bool missing = false;
        for (size_t l = 0; l < of->width; ++l) {
            of->chosen[l] = of->lanes[l].going && !of->lanes[l].known;
            of->time[l] = of->lanes[l].t;
            missing = missing || of->chosen[l];
        }
        if (missing) {
            rate(of, of->time, of->y, of->stage);
            copy_chosen(of, of->chosen, of->stage, of->k[0]);
        }
        attempt_rk4(of);
    } else {
        attempt_dopri5(of);
    }
    judge(of, accepted);
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        if (!accepted[l]) continue;
        rows = rows || row_before(of, l);
        for (; is_before(of, one->probe, of->rows->probe_count, of->rows->probes, of->t_next[l]); one->probe++) {
            probes = true;
        }
    }
    if (of->adaptive) {
        if (rows) lay_interpolants(of, of->k[6]);
        if (rows) write_rows_between(of, accepted);
        accept(of, accepted, &of->k[6]);
    } else if (rows || (probes && of->system->quaternion_count > 0)) {
        /* The rate at the end is the next step's first; with quaternions that of the end as it was before its projection. */
        for (size_t l = 0; l < of->width; ++l) of->time[l] = accepted[l] ? of->t_next[l] : of->lanes[l].t;
        rate(of, of->time, of->y_next, of->k[4]);
        lay_interpolants(of, of->k[4]);
        write_rows_between(of, accepted);
        accept(of, accepted, &of->k[4]);
    } else {
        accept(of, accepted, NULL);
    }
    for (size_t l = 0; l < of->width; ++l) {
        if (of->lanes[l].going && accepted[l] && !of->lanes[l].arrived) write_rows_here(of, l);
    }
}

/* ---- from instant to instant ---- */

/* Adaptive steps: the rates at the beginning of a stretch, and the first step of all. */
static void begin_stretches(tile *of, const bool *beginning)
{
    double d0[LANES], d1[LANES], d2[LANES];
    bool first[LANES], any = false;
    for (size_t l = 0; l < of->width; ++l) of->time[l] = of->lanes[l].t;
    rate(of, of->time, of->y, of->stage);
    copy_chosen(of, beginning, of->stage, of->k[0]);
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        first[l] = false;
        if (!beginning[l]) continue;
        one->control.just_rejected = false;
        if (!is_finite(of, of->k[0], l)) stop(one, KANEGEN_NOT_FINITE);
        first[l] = one->going && one->control.step == 0.0;
        any = any || first[l];
    }
    if (!any) return;
    scaled_norm(of, of->y, of->y, of->y, d0);
    scaled_norm(of, of->k[0], of->y, of->y, d1);
    for (size_t l = 0; l < of->width; ++l) {
        of->h[l] = first[l] ? kanegen_trial_step(d0[l], d1[l], of->lanes[l].end - of->lanes[l].t) : 0.0;
        of->time[l] = of->lanes[l].t + of->h[l];
    }
    EACH(i, of->n, l, of) AT(of->stage, i, l) = AT(of->y, i, l) + of->h[l] * AT(of->k[0], i, l);
    rate(of, of->time, of->stage, of->k[1]);
    EACH(i, of->n, l, of) AT(of->stage, i, l) = AT(of->k[1], i, l) - AT(of->k[0], i, l);
    scaled_norm(of, of->stage, of->y, of->y, d2);
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        if (!first[l]) continue;
        one->control.last_error = SMALLEST_LAST_ERROR;
        one->control.step = kanegen_first_step(5.0, d1[l], d2[l] / of->h[l], of->h[l], one->end - one->t);
    }
}

/* For motions at the end of a stretch: breaks, samples, rows, and the next stretch. See the walk in kanegen_driver.c. */
static void arrive(tile *of)
{
    const kanegen_options *options = of->options;
    bool arrived[LANES], sampling = false, any = false, *const chosen = of->chosen;
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        double instant = one->t;
        arrived[l] = one->going && one->arrived;
        chosen[l] = false;
        of->time[l] = one->t;
        if (!arrived[l]) continue;
        any = true;
        one->latest = INFINITY;
        kanegen_pass_breaks(options, one->t, &one->breaks, &one->earliest);
        if (!is_sampled(of) || !of->system->law.call) continue;
        if (!kanegen_sample_is_due(options, one->t, one->samples, &instant)) continue;
        chosen[l] = sampling = true;
        of->time[l] = instant;
    }
    if (!any) return;
    if (sampling) {
        at(of, of->time);
        call_law(of, false, of->y, speeds_at(of, of->y), of->force, of->force + of->system->nv * LANES);
        EACH(i, of->system->nv + of->system->states, l, of) {
            AT(of->held, i, l) = chosen[l] ? AT(of->force, i, l) : AT(of->held, i, l);
        }
    }
    for (size_t l = 0; l < of->width; ++l) {
        lane *const one = &of->lanes[l];
        double instant;
        if (!arrived[l]) continue;
        if (is_sampled(of) && kanegen_sample_is_due(options, one->t, one->samples, &instant)) one->samples++;
        write_rows_here(of, l);
        one->arrived = false;
        if (one->t >= options->t_end) {
            one->going = arrived[l] = false;
            continue;
        }
        one->end = kanegen_next_instant(options, one->t, one->samples, one->breaks, &one->latest);
        one->begin = one->t;
        one->index = 0.0;
        one->known = false;
        if (one->end <= one->t) {
            stop(one, KANEGEN_STEP_UNDERFLOW);
            arrived[l] = false;
        } else if (!of->adaptive) {
            one->count = kanegen_equal_steps(one->t, one->end, options->step);
        }
    }
    if (of->adaptive) begin_stretches(of, arrived);
}

/* Whether a motion goes on, and nobody says that it is enough. */
static bool any_goes(tile *of)
{
    const kanegen_many_system *system = of->system;
    size_t width = of->width;
    if (of->until_pause == 0) of->until_pause = system->pause ? system->pause(system->pause_data) : SIZE_MAX;
    if (of->until_pause == 0 || (system->stop && *system->stop)) {
        for (size_t l = 0; l < width; ++l) {
            if (of->lanes[l].going) stop(&of->lanes[l], KANEGEN_STOPPED);
        }
    } else {
        of->until_pause--;
    }
    while (width > 0 && !of->lanes[width - 1].going) width--;
    of->width = width;
    return width > 0;
}

/* ---- all of them ---- */

typedef struct {
    bool adaptive;
    const kanegen_many_system *system;
    const kanegen_options *options;
    const kanegen_many_rows *rows;
    size_t motions;
    double *q, *v, *x;
    kanegen_outcome *outcomes;
} task;

static size_t tile_numbers(const kanegen_many_system *s, size_t n)
{
    return (VECTORS * n + 3 * (s->nv + s->states) + 3 * s->signals + s->rows + s->position + 2 * s->nq) * LANES;
}

static void lay_out(tile *of, double *memory)
{
    const kanegen_many_system *system = of->system;
    const size_t n = of->n * LANES, forces = (system->nv + system->states) * LANES;
    double **const vectors[VECTORS] = {
        &of->y, &of->y_next, &of->stage, &of->k[0], &of->k[1], &of->k[2], &of->k[3], &of->k[4], &of->k[5], &of->k[6],
        &of->c3, &of->c4, &of->c5, &of->scale, &of->there,
    };
    for (size_t i = 0; i < VECTORS; ++i) *vectors[i] = memory + i * n;
    of->force = memory + VECTORS * n;
    of->held = of->force + forces;
    of->v = of->held + forces;
    of->r = of->v + forces;
    of->lambda = of->r + 3 * system->signals * LANES;
    of->phi = of->lambda + system->rows * LANES;
    of->projected = of->phi + system->position * LANES;
}

static void put_numbers(const double *from, size_t size, double *to, size_t l)
{
    for (size_t i = 0; i < size; ++i) AT(to, i, l) = from[i];
}

static void integrate(tile *of, const task *all, size_t first, double *memory)
{
    const kanegen_many_system *system = all->system;
    const size_t nq = system->nq, nx = system->states, half = system->rows > 0 ? nq : system->nv;
    const size_t motions = all->motions - first < LANES ? all->motions - first : LANES;
    memset(of, 0, sizeof *of);
    of->system = system;
    of->options = all->options;
    of->rows = all->rows;
    of->adaptive = all->adaptive;
    of->first = first;
    of->width = motions;
    of->n = nq + half + nx;
    lay_out(of, memory);
    memset(memory, 0, tile_numbers(system, of->n) * sizeof *memory);
    for (size_t l = 0; l < motions; ++l) {
        lane *const one = &of->lanes[l];
        one->t = one->outcome.t = all->options->t_begin;
        one->earliest = -INFINITY;
        one->latest = INFINITY;
        one->going = one->arrived = of->chosen[l] = true;
        put_numbers(all->q + (first + l) * nq, nq, of->y, l);
        put_numbers(all->v + (first + l) * half, half, of->y + nq * LANES, l);
        if (nx) put_numbers(all->x + (first + l) * nx, nx, of->y + (nq + half) * LANES, l);
        if (!is_finite(of, of->y, l)) stop(one, KANEGEN_NOT_FINITE);
        for (size_t i = 0; !has_constraints(of) && i < system->quaternion_count; ++i) {
            kanegen_normalise(&AT(of->y, system->quaternions[i], l), LANES);
        }
    }
    for (arrive(of); any_goes(of); arrive(of)) step(of);
    for (size_t l = 0; l < motions; ++l) {
        take_numbers(of->y, l, nq, all->q + (first + l) * nq);
        take_numbers(of->y + nq * LANES, l, half, all->v + (first + l) * half);
        if (nx) take_numbers(of->y + (nq + half) * LANES, l, nx, all->x + (first + l) * nx);
        all->outcomes[first + l] = of->lanes[l].outcome;
    }
}

static void integrate_some(void *context, size_t first, size_t last)
{
    const task *all = context;
    const kanegen_many_system *system = all->system;
    const size_t n = system->nq + (system->rows > 0 ? system->nq : system->nv) + system->states;
    double *memory = malloc(tile_numbers(system, n) * sizeof *memory);
    tile *of = malloc(sizeof *of);
    for (size_t i = first; i < last; i += LANES) {
        if (memory && of) {
            integrate(of, all, i, memory);
            continue;
        }
        for (size_t k = i; k < i + LANES && k < last; ++k) all->outcomes[k].status = KANEGEN_STOPPED;
    }
    free(memory);
    free(of);
}

kanegen_status kanegen_many(int adaptive, const kanegen_many_system *system, const kanegen_options *options, size_t motions,
                            double *q, double *v, double *x, const kanegen_many_rows *rows, kanegen_outcome *outcomes,
                            size_t threads)
{
    task all = {adaptive != 0, system, options, rows, motions, q, v, x, outcomes};
    const bool valid = adaptive ? options->rtol >= 0.0 && options->atol > 0.0 : options->step > 0.0;
    if (!valid || system->nv == 0) return KANEGEN_INVALID;
    kanegen_parallel_for(threads, motions, LANES, integrate_some, &all);
    for (size_t i = 0; i < motions; ++i) {
        if (outcomes[i].status == KANEGEN_STOPPED) return KANEGEN_STOPPED;
    }
    return KANEGEN_DONE;
}
