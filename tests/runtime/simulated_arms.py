"""Mechanisms to simulate, written by hand in C: see ``conftest.py``."""

from __future__ import annotations

import re

SOURCE = """
#include <math.h>

/* Mass 1 kg at 1 m, and the linear oscillator of 1 rad/s. */
void pendulum_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    (void)v;
    a[0] = tau[0] - 9.81 * sin(q[0]);
}

void pendulum_kinetic(const double *q, const double *v, double *T)
{
    (void)q;
    T[0] = 0.5 * v[0] * v[0];
}

void pendulum_potential(const double *q, double *U)
{
    U[0] = -9.81 * cos(q[0]);
}

void oscillator_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    (void)v;
    a[0] = tau[0] - q[0];
}

/* Two masses of 1 kg on two massless rods of 1 m, absolute angles from the vertical. */
void double_pendulum_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    const double c = cos(q[0] - q[1]), s = sin(q[0] - q[1]);
    const double f1 = tau[0] - s * v[1] * v[1] - 2.0 * 9.81 * sin(q[0]);
    const double f2 = tau[1] + s * v[0] * v[0] - 9.81 * sin(q[1]);
    const double determinant = 2.0 - c * c;
    const double a1 = (f1 - c * f2) / determinant, a2 = (2.0 * f2 - c * f1) / determinant;
    a[0] = a1;
    a[1] = a2;
}

/* A free rigid body, principal moments 1, 2, 3 kg m^2; unit quaternion (w, x, y, z), angular velocity in the body. */
void body_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    const double a1 = tau[0] - 1.0 * v[1] * v[2];
    const double a2 = (tau[1] + 2.0 * v[2] * v[0]) / 2.0;
    const double a3 = (tau[2] - 1.0 * v[0] * v[1]) / 3.0;
    (void)q;
    a[0] = a1;
    a[1] = a2;
    a[2] = a3;
}

void body_kinetic(const double *q, const double *v, double *T)
{
    (void)q;
    T[0] = 0.5 * (v[0] * v[0] + 2.0 * v[1] * v[1] + 3.0 * v[2] * v[2]);
}

void body_potential(const double *q, double *U)
{
    (void)q;
    U[0] = 0.0;
}

void body_rates(const double *q, const double *v, double *qdot)
{
    qdot[0] = 0.5 * (-q[1] * v[0] - q[2] * v[1] - q[3] * v[2]);
    qdot[1] = 0.5 * (q[0] * v[0] + q[2] * v[2] - q[3] * v[1]);
    qdot[2] = 0.5 * (q[0] * v[1] + q[3] * v[0] - q[1] * v[2]);
    qdot[3] = 0.5 * (q[0] * v[2] + q[1] * v[1] - q[2] * v[0]);
}

/* Accelerations that lead out of their domain (not a number for q > 1) or to infinity in finite time. */
void leaving_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    (void)v;
    a[0] = tau[0] + sqrt(1.0 - q[0]);
}

void exploding_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    (void)q;
    a[0] = tau[0] + v[0] * v[0];
}

/* Derivatives of accelerations by q, v and tau. */
#define DERIVATIVES(name) \
    void name(const double *q, const double *v, const double *tau, double *dq, double *dv, double *dtau)

DERIVATIVES(pendulum_derivatives)
{
    (void)v, (void)tau;
    dq[0] = -9.81 * cos(q[0]);
    dv[0] = 0.0;
    dtau[0] = 1.0;
}

DERIVATIVES(oscillator_derivatives)
{
    (void)q, (void)v, (void)tau;
    dq[0] = -1.0;
    dv[0] = 0.0;
    dtau[0] = 1.0;
}

DERIVATIVES(leaving_derivatives)
{
    (void)v, (void)tau;
    dq[0] = -0.5 / sqrt(1.0 - q[0]);
    dv[0] = 0.0;
    dtau[0] = 1.0;
}

DERIVATIVES(exploding_derivatives)
{
    (void)q, (void)tau;
    dq[0] = 0.0;
    dv[0] = 2.0 * v[0];
    dtau[0] = 1.0;
}

/* Column j of a matrix: the accelerations of the forces (f1, f2). */
static void double_pendulum_column(double c, double f1, double f2, double *matrix, int j)
{
    const double determinant = 2.0 - c * c;
    matrix[j] = (f1 - c * f2) / determinant;
    matrix[2 + j] = (2.0 * f2 - c * f1) / determinant;
}

/* M a = f: the derivative of a is M^-1 (df - dM a), dM having entries off the diagonal alone. */
DERIVATIVES(double_pendulum_derivatives)
{
    const double c = cos(q[0] - q[1]), s = sin(q[0] - q[1]);
    double a[2];
    double_pendulum_dynamics(q, v, tau, a);
    const double w1 = v[0] * v[0], w2 = v[1] * v[1];
    double_pendulum_column(c, -c * w2 - 2.0 * 9.81 * cos(q[0]) + s * a[1], c * w1 + s * a[0], dq, 0);
    double_pendulum_column(c, c * w2 - s * a[1], -c * w1 - 9.81 * cos(q[1]) - s * a[0], dq, 1);
    double_pendulum_column(c, 0.0, 2.0 * s * v[0], dv, 0);
    double_pendulum_column(c, -2.0 * s * v[1], 0.0, dv, 1);
    double_pendulum_column(c, 1.0, 0.0, dtau, 0);
    double_pendulum_column(c, 0.0, 1.0, dtau, 1);
}

/* The linear oscillator of 1 rad/s, and a mass that follows it on a spring with a damper. */
typedef struct { double stiffness, damping; } prepared_follower;

void follower_dynamics(const void *prepared, const double *q, const double *v, const double *tau, double *a)
{
    const prepared_follower *p = prepared;
    const double force = p->stiffness * (q[0] - q[1]) + p->damping * (v[0] - v[1]);
    a[0] = tau[0] - q[0];
    a[1] = tau[1] + force;
}

void follower_derivatives(const void *prepared, const double *q, const double *v, const double *tau, double *dq,
    double *dv, double *dtau)
{
    const prepared_follower *p = prepared;
    (void)q, (void)v, (void)tau;
    dq[0] = -1.0, dq[1] = 0.0, dq[2] = p->stiffness, dq[3] = -p->stiffness;
    dv[0] = dv[1] = 0.0, dv[2] = p->damping, dv[3] = -p->damping;
    dtau[0] = dtau[3] = 1.0, dtau[1] = dtau[2] = 0.0;
}

/* The pendulum with g / l (1/s^2) as a live parameter, and a law that swings with it. */
typedef struct { double g_over_l; } prepared_pendulum;

void prepared_dynamics(const void *prepared, const double *q, const double *v, const double *tau, double *a)
{
    (void)v;
    a[0] = tau[0] - ((const prepared_pendulum *)prepared)->g_over_l * sin(q[0]);
}

void prepared_law(const void *prepared, const double *t, const double *q, const double *v, double *tau)
{
    (void)q;
    tau[0] = ((const prepared_pendulum *)prepared)->g_over_l * sin(t[0]) - v[0];
}

/* tau = 3 sin 2t - 4 q - v / 2 for two joints, in both forms; the controller scales it by *(double *)data. */
void law(const double *t, const double *q, const double *v, double *tau)
{
    for (int i = 0; i < 2; ++i) tau[i] = 3.0 * sin(2.0 * t[0]) - 4.0 * q[i] - 0.5 * v[i];
}

/* tau_0 = 20 for 0.5 <= t < 0.51 and tau = -v besides, for two joints, in both forms. */
void pulse(const double *t, const double *q, const double *v, double *tau)
{
    (void)q;
    tau[0] = (*t >= 0.5 && *t < 0.51 ? 20.0 : 0.0) - v[0];
    tau[1] = -v[1];
}

void pulse_controller(double t, const double *q, const double *v, double *tau, void *data)
{
    (void)data;
    pulse(&t, q, v, tau);
}

void controller(double t, const double *q, const double *v, double *tau, void *data)
{
    const double scale = data ? *(const double *)data : 1.0;
    law(&t, q, v, tau);
    for (int i = 0; i < 2; ++i) tau[i] *= scale;
}

/* Tells that it was entered and then waits until told to go on; if that does not happen, tau is not a number. */
typedef struct { volatile int entered, go_on; } rendezvous;

void waiting_controller(double t, const double *q, const double *v, double *tau, void *data)
{
    rendezvous *meeting = data;
    long spins = 0;
    (void)t, (void)q, (void)v;
    meeting->entered = 1;
    while (!meeting->go_on && spins < 20000000000L) ++spins;
    tau[0] = meeting->go_on ? 0.0 : NAN;
}
"""

_PLAIN = re.sub(
    r"DERIVATIVES\((\w+)\)\n",
    r"void \1(const double *q, const double *v, const double *tau, double *dq, double *dv, double *dtau)\n",
    SOURCE,
)
DECLARATIONS = "\n".join(
    [
        *re.findall(r"^typedef struct .*;$", SOURCE, re.MULTILINE),
        *(f"{prototype};" for prototype in re.findall(r"^void \w+\([^)]*\)", _PLAIN, re.MULTILINE)),
    ]
)
