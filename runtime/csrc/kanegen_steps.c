/*
 * What methods share while they step: calling the mechanism and its controller, and the beginning and the end of a step.
 */
#include "kanegen_steps.h"

#include <string.h>

bool kanegen_is_sampled(const kanegen_integration *run)
{
    return run->options->sample_period > 0.0;
}

static bool has_controller(const kanegen_system *system)
{
    return system->controller || system->general_law || KANEGEN_HAS(system, law);
}

void kanegen_find_signal(const kanegen_signal *signal, double t, double *r)
{
    size_t first = 0, last = signal->pieces;
    while (last - first > 1) {
        const size_t middle = first + (last - first) / 2;
        if (signal->knots[middle] <= t) {
            first = middle;
        } else {
            last = middle;
        }
    }
    const double begin = signal->knots[first], end = signal->knots[first + 1];
    const double *c = signal->coefficients + 4 * first;
    const bool moves = t >= begin && t <= end;
    const double s = smaller(larger(t, begin), end) - begin;
    r[0] = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    r[1] = moves ? c[1] + s * (2.0 * c[2] + s * (3.0 * c[3])) : 0.0;
    r[2] = moves ? 2.0 * c[2] + s * (6.0 * c[3]) : 0.0;
}

/* Call a generated function of a law in its form, which gives found, tau or dv/dt, and xdot. */
static void call_generated(const kanegen_integration *run, kanegen_function *function, const double *t, const double *q,
                           const double *v, const double *x, double *found, double *xdot)
{
    typedef const double *in;
    typedef double *out;
    const kanegen_general_law *law = run->system->general_law;
    const void *p = law->prepared;
    const double *r = run->r;
    switch ((p ? 4 : 0) + (law->states > 0 ? 2 : 0) + (law->signals > 0 ? 1 : 0)) {
    case 0: ((void (*)(in, in, in, out))function)(t, q, v, found); break;
    case 1: ((void (*)(in, in, in, in, out))function)(t, q, v, r, found); break;
    case 2: ((void (*)(in, in, in, in, out, out))function)(t, q, v, x, found, xdot); break;
    case 3: ((void (*)(in, in, in, in, in, out, out))function)(t, q, v, x, r, found, xdot); break;
    case 4: ((void (*)(const void *, in, in, in, out))function)(p, t, q, v, found); break;
    case 5: ((void (*)(const void *, in, in, in, in, out))function)(p, t, q, v, r, found); break;
    case 6: ((void (*)(const void *, in, in, in, in, out, out))function)(p, t, q, v, x, found, xdot); break;
    default: ((void (*)(const void *, in, in, in, in, in, out, out))function)(p, t, q, v, x, r, found, xdot); break;
    }
}

/* A law with all that a law may have: the force (tau, dx/dt); or closed over the dynamics (dv/dt, dx/dt). */
static void call_general_law(kanegen_integration *run, bool closed, double t, const double *y, const double *v, double *found,
                             double *xdot)
{
    const kanegen_general_law *law = run->system->general_law;
    const double *q = y, *x = y + run->n - run->nx;
    for (size_t i = 0; i < law->signals; ++i) kanegen_find_signal(&law->signal[i], t, run->r + 3 * i);
    if (law->written) {
        law->written(law->data, &t, q, v, x, run->r, found, xdot);
    } else {
        call_generated(run, closed ? law->closed_loop : law->law, &t, q, v, x, found, xdot);
    }
}

/* A time that the controller may see: rounding, too, can lead beyond the stretch that is smooth. */
static double on_this_side(const kanegen_integration *run, double t)
{
    return smaller(larger(t, run->earliest), run->latest);
}

void kanegen_at(const kanegen_integration *run, double t)
{
    if (run->system->time) *run->system->time = on_this_side(run, t);
}

bool kanegen_force_varies(const kanegen_integration *run)
{
    const kanegen_system *system = run->system;
    return system->wrench_count > 0 || (has_controller(system) && !kanegen_is_sampled(run));
}

static kanegen_status unless_stopped(const kanegen_system *system)
{
    return system->stop && *system->stop ? KANEGEN_STOPPED : KANEGEN_DONE;
}

double *kanegen_controller_part(const kanegen_integration *run, double *force)
{
    return run->system->wrench_count > 0 ? force + run->system->nv + run->nx : force;
}

/* tau = tau(t, q, v), and dx/dt, in a force. */
static kanegen_status call_controller(kanegen_integration *run, double t, const double *y, double *force)
{
    const kanegen_system *system = run->system;
    if (!has_controller(system)) return KANEGEN_DONE;
    const double *q = y, *v = kanegen_speeds_at(run, y);
    double *tau = kanegen_controller_part(run, force);
    t = on_this_side(run, t);
    if (system->controller) {
        system->controller(t, q, v, tau, system->controller_data);
    } else if (system->general_law) {
        call_general_law(run, false, t, y, v, tau, force + system->nv);
    } else {
        KANEGEN_CALL(system, law, system->prepared, &t, q, v, tau);
    }
    run->done->controller_calls++;
    return unless_stopped(system);
}

static void find_wrench(const kanegen_wrench *wrench, double t, const double *q, const double *v, double *found)
{
    double r[3];
    if (wrench->function) {
        wrench->function(t, q, v, found, wrench->data);
    } else if (wrench->law) {
        wrench->law(&t, q, v, found);
    } else {
        for (size_t i = 0; i < 6; ++i) {
            kanegen_find_signal(&wrench->signal[i], t, r);
            found[i] = r[0];
        }
    }
}

/* Add J^T times each of the wrenches to the forces of the controller, and find their powers. */
static kanegen_status add_wrenches(kanegen_integration *run, double t, const double *y, double *force)
{
    const kanegen_system *system = run->system;
    const size_t nv = system->nv;
    const double *q = y, *v = kanegen_speeds_at(run, y);
    double *power = force + nv + run->nx + nv;
    t = on_this_side(run, t);
    memcpy(force, kanegen_controller_part(run, force), nv * sizeof *force);
    for (size_t k = 0; k < system->wrench_count; ++k) {
        const kanegen_wrench *wrench = &system->wrenches[k];
        find_wrench(wrench, t, q, v, run->wrench);
        KANEGEN_CALL(wrench, frame_jacobian, wrench->prepared, q, run->jacobian);
        power[k] = 0.0;
        for (size_t i = 0; i < nv; ++i) {
            double sum = 0.0;
            for (size_t j = 0; j < 6; ++j) sum += run->jacobian[j * nv + i] * run->wrench[j];
            force[i] += sum;
            power[k] += sum * v[i];
        }
    }
    return unless_stopped(system);
}

kanegen_status kanegen_sample(kanegen_integration *run, double t)
{
    kanegen_at(run, t);
    return call_controller(run, t, run->y, run->tau);
}

kanegen_status kanegen_find_force(kanegen_integration *run, double t, const double *y, double *force)
{
    kanegen_at(run, t);
    const kanegen_status status = kanegen_is_sampled(run) ? KANEGEN_DONE : call_controller(run, t, y, force);
    return status != KANEGEN_DONE || run->system->wrench_count == 0 ? status : add_wrenches(run, t, y, force);
}

/* The first nq entries of dy. */
static void find_coordinate_rates(const kanegen_system *system, const double *y, double *qdot)
{
    const double *q = y, *v = y + system->nq;
    if (KANEGEN_HAS(system, coordinate_rates)) {
        KANEGEN_CALL(system, coordinate_rates, system->prepared, q, v, qdot);
    } else {
        memcpy(qdot, v, system->nq * sizeof *qdot);
    }
}

void kanegen_rate_under(kanegen_integration *run, const double *y, const double *force, double *dy)
{
    const kanegen_system *system = run->system;
    const double *q = y, *v = y + system->nq, *tau = force;
    double *a = dy + system->nq;
    memcpy(dy + run->n - run->nx, force + system->nv, run->nx * sizeof *dy);
    if (system->constraints) {
        kanegen_constrained_rate(run, y, tau, dy);
        return;
    }
    find_coordinate_rates(system, y, dy);
    KANEGEN_CALL(system, forward_dynamics, system->prepared, q, v, tau, a);
}

void kanegen_find_powers(kanegen_integration *run, const double *y, double *force, double *dy)
{
    const size_t nv = run->system->nv;
    const double *tau = kanegen_controller_part(run, force);
    double *power = dy + run->n;
    if (run->m == run->n) return;
    memset(power, 0, nv * sizeof *power);
    memcpy(power + nv, force + run->forces - run->system->wrench_count, run->system->wrench_count * sizeof *power);
    if (!has_controller(run->system)) return;
    const double *v = kanegen_speeds_at(run, y);
    for (size_t i = 0; i < nv; ++i) power[i] = tau[i] * v[i];
}

kanegen_status kanegen_rate_of_change(kanegen_integration *run, double t, const double *y, double *dy)
{
    const kanegen_system *system = run->system;
    const double *q = y, *v = y + system->nq;
    double *a = dy + system->nq;
    const kanegen_general_law *general = system->general_law;
    const bool is_closed = KANEGEN_HAS(system, closed_loop) || (general && general->closed_loop);
    const bool has_closed_loop = is_closed && !system->constraints && system->wrench_count == 0;
    run->done->evaluations++;
    kanegen_at(run, t);
    if (!has_closed_loop || kanegen_is_sampled(run)) {
        const kanegen_status status = kanegen_find_force(run, t, y, run->tau);
        if (status != KANEGEN_DONE) return status;
        kanegen_rate_under(run, y, run->tau, dy);
        kanegen_find_powers(run, y, run->tau, dy);
        return KANEGEN_DONE;
    }
    if (run->m > run->n) {
        const kanegen_status status = kanegen_find_force(run, t, y, run->tau);
        if (status != KANEGEN_DONE) return status;
        kanegen_find_powers(run, y, run->tau, dy);
    } else {
        run->done->controller_calls++;
    }
    find_coordinate_rates(system, y, dy);
    t = on_this_side(run, t);
    if (general) {
        call_general_law(run, true, t, y, v, a, dy + run->n - run->nx);
    } else {
        KANEGEN_CALL(system, closed_loop, system->prepared, &t, q, v, a);
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
    kanegen_at(run, t_next);
    const kanegen_status status = kanegen_project(run, run->y_next);
    if (status != KANEGEN_DONE) return status;
    double *y = run->y;
    run->y = run->y_next;
    run->y_next = y;
    run->done->t = t_next;
    run->done->accepted++;
    run->has_row = false;
    if (run->stiff) run->done->stiff_steps++;
    return KANEGEN_DONE;
}
