/*
 * The part of the integrators that is the same for every method: calling the mechanism and its controller,
 * walking from sample instant to sample instant, writing rows. Contract in kanegen_integrators.h.
 */
#include "kanegen_integration.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { VECTORS = 3 + KANEGEN_STAGES + 3 };  /* y, y_next, stage; k; c3, c4, c5 */

size_t kanegen_workspace_size(size_t nq, size_t nv)
{
    return VECTORS * (nq + nv) + nv;
}

size_t kanegen_stiff_workspace_size(size_t nq, size_t nv)
{
    return kanegen_workspace_size(nq, nv) + kanegen_linearisation_size(nv);
}

size_t kanegen_constrained_workspace_size(size_t nq, size_t nv, size_t position, size_t rows)
{
    return VECTORS * 2 * nq + nv + kanegen_constrained_vectors(nq, nv, position, rows);
}

bool kanegen_all_finite(size_t n, const double *x)
{
    for (size_t i = 0; i < n; ++i) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

/* ---- the mechanism and its controller ------------------------------------------------------------------ */

static bool is_sampled(const kanegen_integration *run)
{
    return run->options->sample_period > 0.0;
}

static bool has_controller(const kanegen_system *system)
{
    return system->controller || system->law || system->prepared_law;
}

bool kanegen_tau_varies(const kanegen_integration *run)
{
    return has_controller(run->system) && !is_sampled(run);
}

kanegen_status kanegen_call_controller(kanegen_integration *run, double t, const double *y, double *tau)
{
    const kanegen_system *system = run->system;
    if (!has_controller(system)) return KANEGEN_DONE;
    const double *q = y, *v = kanegen_speeds_at(run, y);
    if (system->controller) {
        system->controller(t, q, v, tau, system->controller_data);
    } else if (system->law) {
        system->law(&t, q, v, tau);
    } else {
        system->prepared_law(system->prepared, &t, q, v, tau);
    }
    run->done->controller_calls++;
    return system->stop && *system->stop ? KANEGEN_STOPPED : KANEGEN_DONE;
}

kanegen_status kanegen_rate_of_change(kanegen_integration *run, double t, const double *y, double *dy)
{
    const kanegen_system *system = run->system;
    const double *q = y, *v = y + system->nq;
    double *qdot = dy, *a = dy + system->nq;
    const bool has_closed_loop = !system->constraints && (system->closed_loop || system->prepared_closed_loop);
    const bool closed = has_closed_loop && !is_sampled(run);
    if (closed) {
        run->done->controller_calls++;
    } else if (!is_sampled(run)) {
        const kanegen_status status = kanegen_call_controller(run, t, y, run->tau);
        if (status != KANEGEN_DONE) return status;
    }
    run->done->evaluations++;
    if (system->constraints) {
        kanegen_constrained_rate(run, y, dy);
        return KANEGEN_DONE;
    }
    if (system->coordinate_rates) {
        system->coordinate_rates(q, v, qdot);
    } else if (system->prepared_coordinate_rates) {
        system->prepared_coordinate_rates(system->prepared, q, v, qdot);
    } else {
        memcpy(qdot, v, system->nq * sizeof *qdot);
    }
    if (closed && system->closed_loop) {
        system->closed_loop(&t, q, v, a);
    } else if (closed) {
        system->prepared_closed_loop(system->prepared, &t, q, v, a);
    } else if (system->forward_dynamics) {
        system->forward_dynamics(q, v, run->tau, a);
    } else {
        system->prepared_forward_dynamics(system->prepared, q, v, run->tau, a);
    }
    return KANEGEN_DONE;
}

kanegen_status kanegen_may_step(kanegen_integration *run)
{
    const kanegen_system *system = run->system;
    if (run->done->accepted + run->done->rejected >= run->options->max_steps) return KANEGEN_TOO_MANY_STEPS;
    if (!system->pause) return KANEGEN_DONE;
    if (run->until_pause == 0) run->until_pause = system->pause(system->pause_data);
    if (run->until_pause == 0) return KANEGEN_STOPPED;
    run->until_pause--;
    return KANEGEN_DONE;
}

kanegen_status kanegen_accept_step(kanegen_integration *run, double t_next)
{
    const kanegen_status status = kanegen_project(run, run->y_next);
    if (status != KANEGEN_DONE) return status;
    double *y = run->y;
    run->y = run->y_next;
    run->y_next = y;
    run->done->t = t_next;
    run->done->accepted++;
    if (run->stiff) run->done->stiff_steps++;
    return KANEGEN_DONE;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Times that differ by rounding alone, as t_begin + k sample_period and an end or a row computed otherwise. */
static bool same_instant(const kanegen_integration *run, double a, double b)
{
    const double largest = larger(larger(fabs(a), fabs(b)), fabs(run->options->t_begin));
    return fabs(a - b) <= 4.0 * DBL_EPSILON * largest;
}

/* Write the next row: the state y, and the force acting there. */
static kanegen_status write_row(kanegen_integration *run, const double *y)
{
    const size_t row = run->done->rows, nq = run->system->nq, nv = run->system->nv;
    double *tau = run->rows->tau + row * nv;
    memcpy(run->rows->q + row * nq, y, nq * sizeof *y);
    memcpy(run->rows->v + row * nv, kanegen_speeds_at(run, y), nv * sizeof *y);
    memcpy(tau, run->tau, nv * sizeof *tau);
    if (!is_sampled(run)) {
        const kanegen_status status = kanegen_call_controller(run, run->rows->t[row], y, tau);
        if (status != KANEGEN_DONE) return status;
    }
    run->done->rows++;
    return KANEGEN_DONE;
}

kanegen_status kanegen_write_rows_here(kanegen_integration *run)
{
    const double t = run->done->t;
    while (run->done->rows < run->rows->count) {
        const double t_row = run->rows->t[run->done->rows];
        if (t_row > t && !same_instant(run, t_row, t)) break;
        const kanegen_status status = write_row(run, run->y);
        if (status != KANEGEN_DONE) return status;
    }
    return KANEGEN_DONE;
}

bool kanegen_row_before(const kanegen_integration *run, double t_next)
{
    if (run->done->rows >= run->rows->count) return false;
    const double t_row = run->rows->t[run->done->rows];
    return t_row < t_next && !same_instant(run, t_row, t_next);
}

/* With h = t_next - t and d = y_next - y,
 *
 *     y(t + s h) = y + s (d + (1 - s) (c3 + s (c4 + (1 - s) c5))),   c3 = h k_begin - d,   c4 = d - h k_end - c3
 *
 * is the cubic Hermite interpolant for c5 = 0; any c5 leaves values and rates of change at both ends alone. */
kanegen_status kanegen_write_rows_before(kanegen_integration *run, double t_next, const double *k_begin,
                                         const double *k_end)
{
    const double h = t_next - run->done->t;
    for (size_t i = 0; i < run->n; ++i) {
        const double d = run->y_next[i] - run->y[i];
        run->c3[i] = h * k_begin[i] - d;
        run->c4[i] = d - h * k_end[i] - run->c3[i];
    }
    return kanegen_write_interpolated_rows(run, t_next);
}

kanegen_status kanegen_write_interpolated_rows(kanegen_integration *run, double t_next)
{
    const size_t n = run->n;
    const double t = run->done->t, h = t_next - t;
    const double *y = run->y, *y_next = run->y_next, *c3 = run->c3, *c4 = run->c4, *c5 = run->c5;
    double *y_row = run->stage;
    while (kanegen_row_before(run, t_next)) {
        const double s = (run->rows->t[run->done->rows] - t) / h, r = 1.0 - s;
        for (size_t i = 0; i < n; ++i) {
            const double d = y_next[i] - y[i];
            y_row[i] = y[i] + s * (d + r * (c3[i] + s * (c4[i] + r * c5[i])));
        }
        kanegen_status status = kanegen_project(run, y_row);
        if (status == KANEGEN_DONE) status = write_row(run, y_row);
        if (status != KANEGEN_DONE) return status;
    }
    return KANEGEN_DONE;
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

/* From sample instant to sample instant, the controller called at each of them, the end included if it is one. */
static kanegen_status walk_sampled(kanegen_integration *run, kanegen_advance *advance)
{
    const double t_begin = run->options->t_begin, t_end = run->options->t_end;
    const double period = run->options->sample_period;
    for (size_t k = 0;; ++k) {
        const double t = run->done->t, instant = t_begin + (double)k * period;
        kanegen_status status;
        if (t < t_end || same_instant(run, instant, t_end)) {
            if ((status = kanegen_call_controller(run, instant, run->y, run->tau)) != KANEGEN_DONE) return status;
        }
        if ((status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
        if (t >= t_end) return KANEGEN_DONE;

        const double next = t_begin + ((double)k + 1.0) * period;
        const double t_next = next < t_end && !same_instant(run, next, t_end) ? next : t_end;
        if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;
        if ((status = advance(run, t, t_next)) != KANEGEN_DONE) return status;
    }
}

static kanegen_status walk(kanegen_integration *run, kanegen_advance *advance)
{
    const double t_begin = run->options->t_begin, t_end = run->options->t_end;
    kanegen_status status;
    if (is_sampled(run)) return walk_sampled(run, advance);
    if ((status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
    if (t_begin < t_end && (status = advance(run, t_begin, t_end)) != KANEGEN_DONE) return status;
    return kanegen_write_rows_here(run);
}

static bool is_valid(const kanegen_system *system, const kanegen_options *options)
{
    const bool has_dynamics = system->forward_dynamics || system->prepared_forward_dynamics;
    const bool has_rates = system->coordinate_rates || system->prepared_coordinate_rates;
    const bool is_free = has_dynamics && (has_rates || system->nq == system->nv);
    for (size_t i = 0; i < system->quaternion_count; ++i) {
        if (system->nq < 4 || system->quaternions[i] > system->nq - 4) return false;
    }
    return system->nv > 0 && (system->constraints ? kanegen_constraints_are_valid(system->constraints) : is_free)
        && isfinite(options->t_begin) && isfinite(options->t_end) && options->t_begin <= options->t_end
        && isfinite(options->sample_period) && options->sample_period >= 0.0;
}

static bool quaternions_can_be_normalised(const kanegen_integration *run)
{
    for (size_t i = 0; i < run->system->quaternion_count; ++i) {
        const double *x = run->y + run->system->quaternions[i];
        if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0) return false;
    }
    return true;
}

kanegen_status kanegen_integrate(kanegen_advance *advance, bool linearised, bool valid,
                                 const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                                 const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const size_t nq = system->nq, nv = system->nv, half = system->constraints ? nq : nv, n = nq + half;
    double *vectors[VECTORS];
    for (size_t i = 0; i < VECTORS; ++i) vectors[i] = workspace + i * n;
    kanegen_integration run = {
        .system = system, .options = options, .rows = rows, .done = statistics, .n = n,
        .y = vectors[0], .y_next = vectors[1], .stage = vectors[2],
        .c3 = vectors[3], .c4 = vectors[4], .c5 = vectors[5], .tau = workspace + VECTORS * n,
    };
    const kanegen_statistics nothing_done = {.t = options->t_begin};
    *statistics = nothing_done;
    if (!valid || !is_valid(system, options)) return KANEGEN_INVALID;

    for (size_t i = 0; i < KANEGEN_STAGES; ++i) run.k[i] = vectors[6 + i];
    memcpy(run.y, q, nq * sizeof *q);
    memcpy(run.y + nq, v, half * sizeof *v);
    if (system->constraints) kanegen_lay_out_constrained(&run, run.tau + nv);
    if (linearised) kanegen_lay_out_linearisation(&run.linear, nv, run.tau + nv);
    for (size_t i = 0; i < nv; ++i) run.tau[i] = 0.0;
    const bool finite = kanegen_all_finite(n, run.y) && quaternions_can_be_normalised(&run);
    kanegen_status status = finite ? KANEGEN_DONE : KANEGEN_NOT_FINITE;
    if (finite && !system->constraints) status = kanegen_project(&run, run.y);
    if (status == KANEGEN_DONE) status = walk(&run, advance);
    memcpy(q, run.y, nq * sizeof *q);
    memcpy(v, run.y + nq, half * sizeof *v);
    return status;
}
