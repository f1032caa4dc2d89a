/* live_pendulum: a bob on a rod whose mass and length stay live, written by hand for the tests of the runtime. */
#ifndef LIVE_PENDULUM_H
#define LIVE_PENDULUM_H

#include <stddef.h>

#ifndef LIVE_PENDULUM_API
#define LIVE_PENDULUM_API
#endif

typedef struct {
    double m;
    double rod_length;
} live_pendulum_parameters;

typedef struct {
    double inertia;
    double weight;
} live_pendulum_prepared;

LIVE_PENDULUM_API void live_pendulum_default_parameters(live_pendulum_parameters *parameters);
LIVE_PENDULUM_API void live_pendulum_prepare(const live_pendulum_parameters *parameters, live_pendulum_prepared *prepared);
LIVE_PENDULUM_API void live_pendulum_inverse_dynamics(const live_pendulum_prepared *prepared, const double q[1], const double v[1],
    const double a[1], double tau[1]);
LIVE_PENDULUM_API void live_pendulum_inverse_dynamics_batch(const live_pendulum_prepared *prepared, size_t count, const double *q,
    const double *v, const double *a, double *tau);

#endif
