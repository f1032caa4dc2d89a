/*
 * The functions of a mechanism that depends on time, in the form that the integrators call: with a record first that says
 * where the time is. Contract in kanegen_integrators.h.
 */
#include "kanegen_integrators.h"

typedef const double *in;
typedef double *out;

#define LIST(...) __VA_ARGS__

/* Calls a function of these types after prepared values, if there are any, and the time. */
#define CALL_IN_TIME(of, function, types, ...) \
    ((of)->prepared \
         ? ((void (*)(const void *, in, LIST types))(of)->function)((of)->prepared, (of)->t, __VA_ARGS__) \
         : ((void (*)(in, LIST types))(of)->function)((of)->t, __VA_ARGS__))

void kanegen_timed_forward_dynamics(const void *timed, const double *q, const double *v, const double *tau, double *a)
{
    const kanegen_timed *of = timed;
    CALL_IN_TIME(of, forward_dynamics, (in, in, in, out), q, v, tau, a);
}

void kanegen_timed_coordinate_rates(const void *timed, const double *q, const double *v, double *qdot)
{
    const kanegen_timed *of = timed;
    CALL_IN_TIME(of, coordinate_rates, (in, in, out), q, v, qdot);
}

void kanegen_timed_multiplier_dynamics(const void *timed, const double *q, const double *qdot, const double *tau,
                                       double *qddot, double *lambda)
{
    const kanegen_timed *of = timed;
    CALL_IN_TIME(of, multiplier_dynamics, (in, in, in, out, out), q, qdot, tau, qddot, lambda);
}

void kanegen_timed_generalized_speeds(const void *timed, const double *q, const double *qdot, double *v)
{
    const kanegen_timed *of = timed;
    CALL_IN_TIME(of, generalized_speeds, (in, in, out), q, qdot, v);
}

void kanegen_timed_constraint_projection(const void *timed, const double *q, const double *qdot, double *q_next,
                                         double *qdot_next)
{
    const kanegen_timed *of = timed;
    CALL_IN_TIME(of, constraint_projection, (in, in, out, out), q, qdot, q_next, qdot_next);
}

void kanegen_timed_constraint_residual(const void *timed, const double *q, double *phi)
{
    const kanegen_timed *of = timed;
    CALL_IN_TIME(of, constraint_residual, (in, out), q, phi);
}

void kanegen_timed_frame_jacobian(const void *timed, const double *q, double *J)
{
    const kanegen_timed *of = timed;
    CALL_IN_TIME(of, frame_jacobian, (in, out), q, J);
}
