#include "cart_pole.h"

#include <math.h>

/* A static helper with a name of its own in each instruction set. */
static void cart_pole_sincos(const double *angle, double *sine, double *cosine)
{
    *sine = sin(*angle);
    *cosine = cos(*angle);
}

CART_POLE_API void cart_pole_inverse_dynamics(const double q[2], const double v[2], const double a[2], double tau[2])
{
    const double v1 = v[1], a0 = a[0], a1 = a[1];
    double s, c;
    cart_pole_sincos(&q[1], &s, &c);
    tau[0] = 2.5 * a0 + 0.4 * c * a1 - 0.4 * s * v1 * v1;
    tau[1] = 0.4 * c * a0 + 0.32 * a1 + 3.924 * s;
}

CART_POLE_API void cart_pole_inverse_dynamics_batch(size_t count, const double *q, const double *v, const double *a,
    double *tau)
{
    for (size_t row = 0; row < count; row++)
        cart_pole_inverse_dynamics(q + 2 * row, v + 2 * row, a + 2 * row, tau + 2 * row);
}

CART_POLE_API void cart_pole_bias_forces(const double q[2], const double v[2], double h[2])
{
    const double v1 = v[1];
    double s, c;
    cart_pole_sincos(&q[1], &s, &c);
    h[0] = -0.4 * s * v1 * v1;
    h[1] = 3.924 * s;
}

CART_POLE_API void cart_pole_bias_forces_batch(size_t count, const double *q, const double *v, double *h)
{
    for (size_t row = 0; row < count; row++)
        cart_pole_bias_forces(q + 2 * row, v + 2 * row, h + 2 * row);
}

CART_POLE_API void cart_pole_mass_matrix(const double q[2], double M[4])
{
    const double c = cos(q[1]);
    M[0] = 2.5;
    M[1] = 0.4 * c;
    M[2] = 0.4 * c;
    M[3] = 0.32;
}

CART_POLE_API void cart_pole_mass_matrix_batch(size_t count, const double *q, double *M)
{
    for (size_t row = 0; row < count; row++)
        cart_pole_mass_matrix(q + 2 * row, M + 4 * row);
}

CART_POLE_API void cart_pole_kinetic_energy(const double q[2], const double v[2], double T[1])
{
    T[0] = 1.25 * v[0] * v[0] + 0.4 * cos(q[1]) * v[0] * v[1] + 0.16 * v[1] * v[1];
}

CART_POLE_API void cart_pole_kinetic_energy_batch(size_t count, const double *q, const double *v, double *T)
{
    for (size_t row = 0; row < count; row++)
        cart_pole_kinetic_energy(q + 2 * row, v + 2 * row, T + row);
}

CART_POLE_API void cart_pole_frame_pose_bob(const double q[2], double X[16])
{
    const double x = q[0];
    double s, c;
    cart_pole_sincos(&q[1], &s, &c);
    for (size_t i = 0; i < 16; i++)
        X[i] = 0.0;
    X[0] = c;
    X[2] = s;
    X[5] = 1.0;
    X[8] = -s;
    X[10] = c;
    X[3] = x + 0.8 * s;
    X[11] = -0.8 * c;
    X[15] = 1.0;
}

CART_POLE_API void cart_pole_frame_pose_bob_batch(size_t count, const double *q, double *X)
{
    for (size_t row = 0; row < count; row++)
        cart_pole_frame_pose_bob(q + 2 * row, X + 16 * row);
}

CART_POLE_API void cart_pole_feedback_law(const double t[1], const double q[2], const double v[2], double tau[2])
{
    const double q0 = q[0], q1 = q[1], v0 = v[0], v1 = v[1];
    tau[0] = sin(t[0]) - 3.0 * q0 - 2.0 * v0;
    tau[1] = -5.0 * q1 - 0.5 * v1;
}

CART_POLE_API void cart_pole_feedback_law_batch(size_t count, const double *t, const double *q, const double *v,
    double *tau)
{
    for (size_t row = 0; row < count; row++)
        cart_pole_feedback_law(t + row, q + 2 * row, v + 2 * row, tau + 2 * row);
}

CART_POLE_API void cart_pole_energies(const double q[2], const double v[2], double T[1], double U[1])
{
    const double potential = -3.924 * cos(q[1]);
    cart_pole_kinetic_energy(q, v, T);
    U[0] = potential;
}

CART_POLE_API void cart_pole_energies_batch(size_t count, const double *q, const double *v, double *T, double *U)
{
    for (size_t row = 0; row < count; row++)
        cart_pole_energies(q + 2 * row, v + 2 * row, T + row, U + row);
}

CART_POLE_API void cart_pole_bias_forces_f32(const float q[2], const float v[2], float h[2])
{
    const float v1 = v[1], s = sinf(q[1]);
    h[0] = -0.4f * s * v1 * v1;
    h[1] = 3.924f * s;
}

CART_POLE_API void cart_pole_bias_forces_batch_f32(size_t count, const float *q, const float *v, float *h)
{
    for (size_t row = 0; row < count; row++)
        cart_pole_bias_forces_f32(q + 2 * row, v + 2 * row, h + 2 * row);
}
