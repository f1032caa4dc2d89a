/*
 * The part of the integrators that is the same for every method: walking from instant to instant. Contract in
 * kanegen_integrators.h.
 */
#include "kanegen_driver.h"

#include "kanegen_events.h"
#include "kanegen_linearisation.h"

#include <string.h>

enum { VECTORS = 3 + KANEGEN_STAGES + 6 };  /* y, y_next, stage; k; c3, c4, c5, scale, defect, rate */

size_t kanegen_workspace_size(size_t nq, size_t nv)
{
    return VECTORS * (nq + 2 * nv) + 2 * nv;
}

size_t kanegen_stiff_workspace_size(size_t nq, size_t nv)
{
    return kanegen_workspace_size(nq, nv) + kanegen_linearisation_size(nv, 0);
}

size_t kanegen_constrained_workspace_size(size_t nq, size_t nv, size_t position, size_t rows)
{
    return VECTORS * (2 * nq + nv) + 2 * nv + kanegen_constrained_vectors(nq, nv, position, rows);
}

size_t kanegen_law_workspace_size(size_t nv, const kanegen_general_law *law)
{
    const size_t nx = law->states;
    const size_t linearised = kanegen_linearisation_size(nv, nx) - kanegen_linearisation_size(nv, 0);
    return (VECTORS + 2) * nx + 3 * law->signals + linearised;
}

size_t kanegen_wrench_workspace_size(size_t nv, size_t wrenches)
{
    return wrenches == 0 ? 0 : VECTORS * wrenches + (2 + KANEGEN_LINEARISED_VECTORS) * (nv + wrenches) + 6 + 6 * nv;
}

static bool is_reached(const kanegen_options *options, double t, double instant)
{
    return instant <= t || kanegen_are_same(instant, t, options->t_begin);
}

/* The first of an instant and of the end of the stretch found so far; an instant close to that end is the end itself. */
static double sooner(const kanegen_options *options, double instant, double t_next)
{
    return instant < t_next && !kanegen_are_same(instant, t_next, options->t_begin) ? instant : t_next;
}

void kanegen_pass_breaks(const kanegen_options *options, double t, size_t *breaks, double *earliest)
{
    while (*breaks < options->break_count && is_reached(options, t, options->breaks[*breaks])) {
        *earliest = options->breaks[(*breaks)++];
    }
}

bool kanegen_sample_is_due(const kanegen_options *options, double t, size_t samples, double *instant)
{
    *instant = options->t_begin + (double)samples * options->sample_period;
    return is_reached(options, t, *instant);
}

double kanegen_next_instant(const kanegen_options *options, double t, size_t samples, size_t breaks, double *latest)
{
    double t_next = options->t_end;
    const double sample = options->t_begin + (double)samples * options->sample_period;
    if (options->sample_period > 0.0) t_next = sooner(options, sample, t_next);
    if (breaks < options->break_count) t_next = sooner(options, options->breaks[breaks], t_next);
    *latest = t_next;
    if (t_next > t && breaks < options->break_count && kanegen_are_same(options->breaks[breaks], t_next, options->t_begin)) {
        *latest = nextafter(smaller(options->breaks[breaks], t_next), -INFINITY);
    }
    return t_next;
}

/* From instant to instant: sample instants, at each of which the controller is called, the end included if it is one, and
 * breaks. On the way to a break the controller sees no time from there on, which is the limit from the left; at the break and
 * after it none before, should the step have ended at an instant that rounding puts before it. */
static kanegen_status walk(kanegen_integration *run)
{
    const kanegen_options *options = run->options;
    size_t samples = 0, breaks = 0;
    for (;;) {
        const double t = run->done->t;
        double instant;
        kanegen_status status;
        kanegen_pass_breaks(options, t, &breaks, &run->earliest);
        if (kanegen_is_sampled(run) && kanegen_sample_is_due(options, t, samples, &instant)) {
            if ((status = kanegen_sample(run, instant)) != KANEGEN_DONE) return status;
            samples++;
        }
        if ((status = kanegen_write_rows_here(run)) != KANEGEN_DONE) return status;
        if (t >= options->t_end) return KANEGEN_DONE;

        const double t_next = kanegen_next_instant(options, t, samples, breaks, &run->latest);
        if (t_next <= t) return KANEGEN_STEP_UNDERFLOW;
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

static bool law_is_valid(const kanegen_general_law *law)
{
    for (size_t i = 0; i < law->signals; ++i) {
        const kanegen_signal *signal = &law->signal[i];
        if (signal->pieces == 0 || !are_ascending(signal->pieces + 1, signal->knots)) return false;
    }
    return (law->states == 0 || law->x) && (law->law || law->written);
}

static bool wrench_is_valid(const kanegen_wrench *wrench)
{
    return KANEGEN_HAS(wrench, frame_jacobian) && (wrench->signal || wrench->function || wrench->law);
}

static bool is_valid(const kanegen_system *system, const kanegen_options *options, const kanegen_rows *rows)
{
    const bool has_dynamics = KANEGEN_HAS(system, forward_dynamics);
    const bool has_rates = KANEGEN_HAS(system, coordinate_rates);
    const bool is_free = has_dynamics && (has_rates || system->nq == system->nv);
    for (size_t i = 0; i < system->quaternion_count; ++i) {
        if (system->nq < 4 || system->quaternions[i] > system->nq - 4) return false;
    }
    for (size_t i = 0; i < system->wrench_count; ++i) {
        if (!wrench_is_valid(&system->wrenches[i])) return false;
    }
    return system->nv > 0 && (system->constraints ? kanegen_constraints_are_valid(system->constraints) : is_free)
        && (!system->general_law || law_is_valid(system->general_law))
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
    const size_t nq = system->nq, nv = system->nv, half = system->constraints ? nq : nv;
    const kanegen_general_law *law = system->general_law;
    const size_t wrenches = system->wrench_count, nx = law ? law->states : 0;
    const size_t n = nq + half + nx, m = n + (rows->work || method->balances ? nv + wrenches : 0);
    const size_t forces = nv + nx + (wrenches > 0 ? nv + wrenches : 0);
    double *vectors[VECTORS];
    for (size_t i = 0; i < VECTORS; ++i) vectors[i] = workspace + i * m;
    kanegen_integration run = {
        .system = system, .options = options, .rows = rows, .done = statistics, .n = n, .m = m, .nx = nx,
        .forces = forces,
        .y = vectors[0], .y_next = vectors[1], .stage = vectors[2],
        .c3 = vectors[3], .c4 = vectors[4], .c5 = vectors[5], .scale = vectors[6], .defect = vectors[7],
        .rate = vectors[8], .tau = workspace + VECTORS * m, .tau_there = workspace + VECTORS * m + forces,
        .r = workspace + VECTORS * m + 2 * forces,
        .earliest = -INFINITY, .latest = INFINITY, .method = method, .reference = NAN,
    };
    run.wrench = run.r + (law ? 3 * law->signals : 0);
    run.jacobian = run.wrench + (wrenches > 0 ? 6 : 0);
    double *further = run.jacobian + (wrenches > 0 ? 6 * nv : 0);
    const kanegen_statistics nothing_done = {.t = options->t_begin};
    *statistics = nothing_done;
    if (!valid || !is_valid(system, options, rows)) return KANEGEN_INVALID;

    for (size_t i = 0; i < KANEGEN_STAGES; ++i) run.k[i] = vectors[9 + i];
    memcpy(run.y, q, nq * sizeof *q);
    memcpy(run.y + nq, v, half * sizeof *v);
    memset(run.y + n, 0, (m - n) * sizeof *v);
    if (nx > 0) memcpy(run.y + nq + half, law->x, nx * sizeof *law->x);
    if (system->constraints) kanegen_lay_out_constrained(&run, further);
    if (method->linearised) kanegen_lay_out_linearisation(&run.linear, nv, nx, forces, further);
    for (size_t i = 0; i < forces; ++i) run.tau[i] = 0.0;
    const bool finite = kanegen_all_finite(n, run.y) && quaternions_can_be_normalised(&run);
    kanegen_status status = finite ? KANEGEN_DONE : KANEGEN_NOT_FINITE;
    if (finite && !system->constraints) status = kanegen_project(&run, run.y);
    if (status == KANEGEN_DONE) status = kanegen_begin_events(&run);
    if (status == KANEGEN_DONE) status = walk(&run);
    memcpy(q, run.y, nq * sizeof *q);
    memcpy(v, run.y + nq, half * sizeof *v);
    if (nx > 0) memcpy(law->x, run.y + nq + half, nx * sizeof *law->x);
    return status;
}
