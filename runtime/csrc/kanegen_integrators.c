/*
 * The part of the integrators that is the same for every method: calling the mechanism and its controller,
 * walking from instant to instant. Contract in kanegen_integrators.h.
 */
#include "kanegen_integration.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { VECTORS = 3 + KANEGEN_STAGES + 6 };  /* y, y_next, stage; k; c3, c4, c5, scale, defect, rate */

size_t kanegen_workspace_size(size_t nq, size_t nv)
{
    return VECTORS * (nq + nv) + 2 * nv;
}

size_t kanegen_stiff_workspace_size(size_t nq, size_t nv)
{
    return kanegen_workspace_size(nq, nv) + kanegen_linearisation_size(nv);
}

size_t kanegen_constrained_workspace_size(size_t nq, size_t nv, size_t position, size_t rows)
{
    return VECTORS * 2 * nq + 2 * nv + kanegen_constrained_vectors(nq, nv, position, rows);
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

/* A time that the controller may see: rounding, too, can lead beyond the stretch that is smooth. */
static double on_this_side(const kanegen_integration *run, double t)
{
    return smaller(larger(t, run->earliest), run->latest);
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
    t = on_this_side(run, t);
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

/* The first nq entries of dy. */
static void find_coordinate_rates(const kanegen_system *system, const double *y, double *qdot)
{
    const double *q = y, *v = y + system->nq;
    if (system->coordinate_rates) {
        system->coordinate_rates(q, v, qdot);
    } else if (system->prepared_coordinate_rates) {
        system->prepared_coordinate_rates(system->prepared, q, v, qdot);
    } else {
        memcpy(qdot, v, system->nq * sizeof *qdot);
    }
}

void kanegen_rate_under(kanegen_integration *run, const double *y, const double *tau, double *dy)
{
    const kanegen_system *system = run->system;
    const double *q = y, *v = y + system->nq;
    double *a = dy + system->nq;
    if (system->constraints) {
        kanegen_constrained_rate(run, y, tau, dy);
        return;
    }
    find_coordinate_rates(system, y, dy);
    if (system->forward_dynamics) {
        system->forward_dynamics(q, v, tau, a);
    } else {
        system->prepared_forward_dynamics(system->prepared, q, v, tau, a);
    }
}

kanegen_status kanegen_rate_of_change(kanegen_integration *run, double t, const double *y, double *dy)
{
    const kanegen_system *system = run->system;
    const double *q = y, *v = y + system->nq;
    double *a = dy + system->nq;
    const bool has_closed_loop = !system->constraints && (system->closed_loop || system->prepared_closed_loop);
    run->done->evaluations++;
    if (!has_closed_loop || is_sampled(run)) {
        const kanegen_status status = is_sampled(run) ? KANEGEN_DONE : kanegen_call_controller(run, t, y, run->tau);
        if (status == KANEGEN_DONE) kanegen_rate_under(run, y, run->tau, dy);
        return status;
    }
    run->done->controller_calls++;
    find_coordinate_rates(system, y, dy);
    t = on_this_side(run, t);
    if (system->closed_loop) {
        system->closed_loop(&t, q, v, a);
    } else {
        system->prepared_closed_loop(system->prepared, &t, q, v, a);
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

/* ---- the walk ------------------------------------------------------------------------------------------ */

bool kanegen_same_instant(const kanegen_integration *run, double a, double b)
{
    const double largest = larger(larger(fabs(a), fabs(b)), fabs(run->options->t_begin));
    return fabs(a - b) <= 4.0 * DBL_EPSILON * largest;
}

static bool is_reached(const kanegen_integration *run, double instant)
{
    return instant <= run->done->t || kanegen_same_instant(run, instant, run->done->t);
}

/* The first of an instant and of the end of the stretch found so far; an instant close to that end is the end itself. */
static double sooner(const kanegen_integration *run, double instant, double t_next)
{
    return instant < t_next && !kanegen_same_instant(run, instant, t_next) ? instant : t_next;
}

/* From instant to instant: sample instants, at each of which the controller is called, the end included if it is one, and
 * breaks. On the way to a break the controller sees no time from there on, which is the limit from the left; at the break and
 * after it none before, should the step have ended at an instant that rounding puts before it. */
static kanegen_status walk(kanegen_integration *run)
{
    const kanegen_options *options = run->options;
    const double t_begin = options->t_begin, t_end = options->t_end;
    size_t samples = 0, breaks = 0;
    for (;;) {
        const double t = run->done->t;
        kanegen_status status;
        while (breaks < options->break_count && is_reached(run, options->breaks[breaks])) {
            run->earliest = options->breaks[breaks++];
        }
        if (is_sampled(run)) {
            const double instant = t_begin + (double)samples * options->sample_period;
            if (is_reached(run, instant)) {
                if ((status = kanegen_call_controller(run, instant, run->y, run->tau)) != KANEGEN_DONE) return status;
                samples++;
            }
        }
        if ((status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
        if (t >= t_end) return KANEGEN_DONE;

        double t_next = t_end;
        if (is_sampled(run)) t_next = sooner(run, t_begin + (double)samples * options->sample_period, t_next);
        if (breaks < options->break_count) t_next = sooner(run, options->breaks[breaks], t_next);
        if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;
        run->latest = t_next;
        if (breaks < options->break_count && kanegen_same_instant(run, options->breaks[breaks], t_next)) {
            run->latest = nextafter(smaller(options->breaks[breaks], t_next), -INFINITY);
        }
        if ((status = run->method->advance(run, t, t_next)) != KANEGEN_DONE) return status;
        run->latest = INFINITY;
    }
}

static bool are_ascending(size_t count, const double *times)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(times[i]) || (i > 0 && !(times[i - 1] <= times[i]))) return false;
    }
    return true;
}

static bool is_valid(const kanegen_system *system, const kanegen_options *options, const kanegen_rows *rows)
{
    const bool has_dynamics = system->forward_dynamics || system->prepared_forward_dynamics;
    const bool has_rates = system->coordinate_rates || system->prepared_coordinate_rates;
    const bool is_free = has_dynamics && (has_rates || system->nq == system->nv);
    for (size_t i = 0; i < system->quaternion_count; ++i) {
        if (system->nq < 4 || system->quaternions[i] > system->nq - 4) return false;
    }
    return system->nv > 0 && (system->constraints ? kanegen_constraints_are_valid(system->constraints) : is_free)
        && isfinite(options->t_begin) && isfinite(options->t_end) && options->t_begin <= options->t_end
        && isfinite(options->sample_period) && options->sample_period >= 0.0
        && options->max_step >= 0.0 && are_ascending(options->break_count, options->breaks)
        && are_ascending(rows->probe_count, rows->probes);
}

static bool quaternions_can_be_normalised(const kanegen_integration *run)
{
    for (size_t i = 0; i < run->system->quaternion_count; ++i) {
        const double *x = run->y + run->system->quaternions[i];
        if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0) return false;
    }
    return true;
}

kanegen_status kanegen_integrate(const kanegen_method *method, bool valid,
                                 const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                                 const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const size_t nq = system->nq, nv = system->nv, half = system->constraints ? nq : nv, n = nq + half;
    double *vectors[VECTORS];
    for (size_t i = 0; i < VECTORS; ++i) vectors[i] = workspace + i * n;
    kanegen_integration run = {
        .system = system, .options = options, .rows = rows, .done = statistics, .n = n,
        .y = vectors[0], .y_next = vectors[1], .stage = vectors[2],
        .c3 = vectors[3], .c4 = vectors[4], .c5 = vectors[5], .scale = vectors[6], .defect = vectors[7],
        .rate = vectors[8], .tau = workspace + VECTORS * n, .tau_there = workspace + VECTORS * n + nv,
        .earliest = -INFINITY, .latest = INFINITY, .method = method,
    };
    double *further = run.tau_there + nv;
    const kanegen_statistics nothing_done = {.t = options->t_begin};
    *statistics = nothing_done;
    if (!valid || !is_valid(system, options, rows)) return KANEGEN_INVALID;

    for (size_t i = 0; i < KANEGEN_STAGES; ++i) run.k[i] = vectors[9 + i];
    memcpy(run.y, q, nq * sizeof *q);
    memcpy(run.y + nq, v, half * sizeof *v);
    if (system->constraints) kanegen_lay_out_constrained(&run, further);
    if (method->linearised) kanegen_lay_out_linearisation(&run.linear, nv, further);
    for (size_t i = 0; i < nv; ++i) run.tau[i] = 0.0;
    const bool finite = kanegen_all_finite(n, run.y) && quaternions_can_be_normalised(&run);
    kanegen_status status = finite ? KANEGEN_DONE : KANEGEN_NOT_FINITE;
    if (finite && !system->constraints) status = kanegen_project(&run, run.y);
    if (status == KANEGEN_DONE) status = walk(&run);
    memcpy(q, run.y, nq * sizeof *q);
    memcpy(v, run.y + nq, half * sizeof *v);
    return status;
}
