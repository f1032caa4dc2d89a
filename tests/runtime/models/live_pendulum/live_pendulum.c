#include "live_pendulum.h"

#include <math.h>

LIVE_PENDULUM_API void live_pendulum_default_parameters(live_pendulum_parameters *parameters)
{
    parameters->m = 1.5;
    parameters->rod_length = 0.7;
}

LIVE_PENDULUM_API void live_pendulum_prepare(const live_pendulum_parameters *parameters,
    live_pendulum_prepared *prepared)
{
    prepared->inertia = parameters->m * parameters->rod_length * parameters->rod_length;
    prepared->weight = 9.81 * parameters->m * parameters->rod_length;
}

LIVE_PENDULUM_API void live_pendulum_inverse_dynamics(const live_pendulum_prepared *prepared, const double q[1],
    const double v[1], const double a[1], double tau[1])
{
    (void)v;
    tau[0] = prepared->inertia * a[0] + prepared->weight * sin(q[0]);
}

LIVE_PENDULUM_API void live_pendulum_inverse_dynamics_batch(const live_pendulum_prepared *prepared, size_t count,
    const double *q, const double *v, const double *a, double *tau)
{
    for (size_t row = 0; row < count; row++)
        live_pendulum_inverse_dynamics(prepared, q + row, v + row, a + row, tau + row);
}
