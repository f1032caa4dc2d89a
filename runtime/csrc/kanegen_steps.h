/* Private to the integrators: what methods share while they step. */
#ifndef KANEGEN_STEPS_H
#define KANEGEN_STEPS_H

#include "kanegen_constraints.h"

/* Whether the controller is called at instants of its own, and tau held in between. */
bool kanegen_is_sampled(const kanegen_integration *run);

/* Whether the force varies with time and state, rather than being none or held. */
bool kanegen_force_varies(const kanegen_integration *run);

/* Value, first and second derivative of a signal at a time. */
void kanegen_find_signal(const kanegen_signal *signal, double t, double *r);

/* Make it a time for the functions of the mechanism, whatever is called next: see kanegen_system.time. */
void kanegen_at(const kanegen_integration *run, double t);

/* Sample the controller: the force to be held. */
kanegen_status kanegen_sample(kanegen_integration *run, double t);

/* The force at a time and state: that of the controller, left as it is where there is none or it is held, and of the wrenches. */
kanegen_status kanegen_find_force(kanegen_integration *run, double t, const double *y, double *force);

/* The forces of the controller alone, in a force. */
double *kanegen_controller_part(const kanegen_integration *run, double *force);

/* dy = (N(q) v, a(q, v, tau)) at time t and state y, and the powers of the forces. */
kanegen_status kanegen_rate_of_change(kanegen_integration *run, double t, const double *y, double *dy);

/* The powers of a force at state y, into dy after the rates of the state, where works are wanted. */
void kanegen_find_powers(kanegen_integration *run, const double *y, double *force, double *dy);

/* dy under a given force, without powers. */
void kanegen_rate_under(kanegen_integration *run, const double *y, const double *force, double *dy);

/* Whether one more step may be taken: not if max_steps are done, or a pause says that it is enough. */
kanegen_status kanegen_may_step(kanegen_integration *run);

/* Make y_next, reached at t_next, the state, brought to the constraints. */
kanegen_status kanegen_accept_step(kanegen_integration *run, double t_next);

#endif
