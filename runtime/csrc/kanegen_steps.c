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
    return system->controller || KANEGEN_HAS(system, law);
}

/* A time that the controller may see: rounding, too, can lead beyond the stretch that is smooth. */
static double on_this_side(const kanegen_integration *run, double t)
{
    return smaller(larger(t, run->earliest), run->latest);
}

bool kanegen_tau_varies(const kanegen_integration *run)
{
    return has_controller(run->system) && !kanegen_is_sampled(run);
}

kanegen_status kanegen_call_controller(kanegen_integration *run, double t, const double *y, double *tau)
{
    const kanegen_system *system = run->system;
    if (!has_controller(system)) return KANEGEN_DONE;
    const double *q = y, *v = kanegen_speeds_at(run, y);
    t = on_this_side(run, t);
    if (system->controller) {
        system->controller(t, q, v, tau, system->controller_data);
    } else {
        KANEGEN_CALL(system, law, system->prepared, &t, q, v, tau);
    }
    run->done->controller_calls++;
    return system->stop && *system->stop ? KANEGEN_STOPPED : KANEGEN_DONE;
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
    KANEGEN_CALL(system, forward_dynamics, system->prepared, q, v, tau, a);
}

kanegen_status kanegen_rate_of_change(kanegen_integration *run, double t, const double *y, double *dy)
{
    const kanegen_system *system = run->system;
    const double *q = y, *v = y + system->nq;
    double *a = dy + system->nq;
    const bool has_closed_loop = !system->constraints && KANEGEN_HAS(system, closed_loop);
    run->done->evaluations++;
    if (!has_closed_loop || kanegen_is_sampled(run)) {
        const kanegen_status status = kanegen_is_sampled(run) ? KANEGEN_DONE : kanegen_call_controller(run, t, y, run->tau);
        if (status == KANEGEN_DONE) kanegen_rate_under(run, y, run->tau, dy);
        return status;
    }
    run->done->controller_calls++;
    find_coordinate_rates(system, y, dy);
    t = on_this_side(run, t);
    KANEGEN_CALL(system, closed_loop, system->prepared, &t, q, v, a);
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
