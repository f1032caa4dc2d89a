/* Private to the integrators: what methods share while they step. */
#ifndef KANEGEN_STEPS_H
#define KANEGEN_STEPS_H

#include "kanegen_constraints.h"

/* Whether the controller is called at instants of its own, and tau held in between. */
bool kanegen_is_sampled(const kanegen_integration *run);

/* Whether tau varies with time and state, rather than being none or held. */
bool kanegen_tau_varies(const kanegen_integration *run);

/* tau = tau(t, q, v); left as it is where there is no controller. */
kanegen_status kanegen_call_controller(kanegen_integration *run, double t, const double *y, double *tau);

/* dy = (N(q) v, a(q, v, tau)) at time t and state y, and the powers of the forces. */
kanegen_status kanegen_rate_of_change(kanegen_integration *run, double t, const double *y, double *dy);

/* The powers of forces tau at state y, into dy after the rates of the state, where works are wanted. */
void kanegen_find_powers(kanegen_integration *run, const double *y, const double *tau, double *dy);

/* dy under given forces, without powers. */
void kanegen_rate_under(kanegen_integration *run, const double *y, const double *tau, double *dy);

/* Whether one more step may be taken: not if max_steps are done, or a pause says that it is enough. */
kanegen_status kanegen_may_step(kanegen_integration *run);

/* Make y_next, reached at t_next, the state, brought to the constraints. */
kanegen_status kanegen_accept_step(kanegen_integration *run, double t_next);

#endif
