/* cart_pole: a cart of 2 kg on a rail and a bob of 0.5 kg on a rod of 0.8 m, written by hand for the tests of the
   runtime.  q = (position of the cart, angle of the rod from hanging down), gravity 9.81 m/s^2. */
#ifndef CART_POLE_H
#define CART_POLE_H

#include <stddef.h>

#ifndef CART_POLE_API
#define CART_POLE_API
#endif

CART_POLE_API void cart_pole_inverse_dynamics(const double q[2], const double v[2], const double a[2], double tau[2]);
CART_POLE_API void cart_pole_inverse_dynamics_batch(size_t count, const double *q, const double *v, const double *a,
    double *tau);
CART_POLE_API void cart_pole_bias_forces(const double q[2], const double v[2], double h[2]);
CART_POLE_API void cart_pole_bias_forces_batch(size_t count, const double *q, const double *v, double *h);
CART_POLE_API void cart_pole_mass_matrix(const double q[2], double M[4]);
CART_POLE_API void cart_pole_mass_matrix_batch(size_t count, const double *q, double *M);
CART_POLE_API void cart_pole_kinetic_energy(const double q[2], const double v[2], double T[1]);
CART_POLE_API void cart_pole_kinetic_energy_batch(size_t count, const double *q, const double *v, double *T);
CART_POLE_API void cart_pole_frame_pose_bob(const double q[2], double X[16]);
CART_POLE_API void cart_pole_frame_pose_bob_batch(size_t count, const double *q, double *X);
CART_POLE_API void cart_pole_feedback_law(const double t[1], const double q[2], const double v[2], double tau[2]);
CART_POLE_API void cart_pole_feedback_law_batch(size_t count, const double *t, const double *q, const double *v,
    double *tau);
CART_POLE_API void cart_pole_energies(const double q[2], const double v[2], double T[1], double U[1]);
CART_POLE_API void cart_pole_energies_batch(size_t count, const double *q, const double *v, double *T, double *U);
CART_POLE_API void cart_pole_bias_forces_f32(const float q[2], const float v[2], float h[2]);
CART_POLE_API void cart_pole_bias_forces_batch_f32(size_t count, const float *q, const float *v, float *h);

#endif
