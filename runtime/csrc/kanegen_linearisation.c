/*
 * The dynamics linearised about a state, and linear equations with them, for implicit methods.
 *
 * For y = (q, z), z = (v, x) and dy/dt = (v, f), f = (a, dx/dt), the matrix 1/s - J of 2 nv + nx rows,
 *
 *     |   1/s      -1  0      | | u_q |   | b_q |
 *     | -df/dq   1/s - df/dz  | | u_z | = | b_z | ,
 *
 * reduces to one of nv + nx rows: (1/s - df/dz - s [df/dq 0]) u_z = b_z + s df/dq b_q, and then u_q = s (b_q + u_v).
 *
 * What the controller and wrenches add to df/dq and df/dz is found by differences: da/dtau dtau/dq, column by column, and those
 * of dx/dt.
 */
#include "kanegen_linearisation.h"

#include <string.h>

enum { MATRICES = 4, VECTORS = KANEGEN_LINEARISED_VECTORS };

size_t kanegen_linearisation_size(size_t nv, size_t nx)
{
    const size_t nz = nv + nx;
    return nz * nv + 2 * nz * nz + nv * nv + VECTORS * nz;
}

void kanegen_lay_out_linearisation(kanegen_linearisation *linear, size_t nv, size_t nx, size_t forces, double *memory)
{
    const size_t nz = nv + nx, sizes[MATRICES] = {nz * nv, nz * nz, nv * nv, nz * nz};
    double **matrices[MATRICES] = {&linear->dq, &linear->dz, &linear->dtau, &linear->lu};
    double **vectors[VECTORS] = {&linear->rate, &linear->pivot, &linear->tau, &linear->tau_near, &linear->tau_far};
    for (size_t i = 0; i < MATRICES; memory += sizes[i++]) *matrices[i] = memory;
    for (size_t i = 0; i < VECTORS; ++i, memory += forces) *vectors[i] = memory;
}

static void swap(double *a, double *b)
{
    const double entry = *a;
    *a = *b;
    *b = entry;
}

/* The force at a time and state; entries that the controller leaves alone are those used last. */
static kanegen_status find_force(kanegen_integration *run, double t, const double *y, double *force)
{
    memcpy(force, run->tau, run->forces * sizeof *force);
    return kanegen_find_force(run, t, y, force);
}

/* Column j of a matrix [nz][columns], increased by the change of dz/dt with a force: (da/dtau tau, dx/dt). */
static void add_to_column(const kanegen_integration *run, double *matrix, size_t columns, size_t j, const double *force)
{
    const size_t nv = run->system->nv;
    for (size_t i = 0; i < nv; ++i) {
        double sum = 0.0;
        for (size_t k = 0; k < nv; ++k) sum += run->linear.dtau[i * nv + k] * force[k];
        matrix[i * columns + j] += sum;
    }
    for (size_t i = nv; i < nv + run->nx; ++i) matrix[i * columns + j] += force[i];
}

/* What the force adds by its dependence on q, v and x: forward differences, over the square root of the precision times
 * an entry, or times one rad, m, rad/s, m/s or unit of x where that is more. */
static kanegen_status add_state_feedback(kanegen_integration *run, double t)
{
    const size_t nv = run->system->nv, nz = nv + run->nx;
    kanegen_linearisation *linear = &run->linear;
    double *y = run->stage, *tau = linear->tau_near;
    memcpy(y, run->y, run->n * sizeof *y);
    for (size_t j = 0; j < run->n; ++j) {
        y[j] += sqrt(DBL_EPSILON) * larger(1.0, fabs(y[j]));
        const double distance = y[j] - run->y[j];
        const kanegen_status status = find_force(run, t, y, tau);
        if (status != KANEGEN_DONE) return status;
        y[j] = run->y[j];
        for (size_t i = 0; i < nz; ++i) tau[i] = (tau[i] - linear->tau[i]) / distance;
        if (j < nv) {
            add_to_column(run, linear->dq, nv, j, tau);
        } else {
            add_to_column(run, linear->dz, nz, j - nv, tau);
        }
    }
    return KANEGEN_DONE;
}

/* The rate of dz/dt at constant state, which is the force's: a difference of second order from two instants a little later,
 * both well inside the step. */
static kanegen_status add_rate(kanegen_integration *run, double t, double h)
{
    const size_t nv = run->system->nv, nz = nv + run->nx;
    kanegen_linearisation *linear = &run->linear;
    double *near = linear->tau_near, *far = linear->tau_far;
    const double t_near = t + larger(cbrt(DBL_EPSILON) * h, 4.0 * DBL_EPSILON * fabs(t)), distance = t_near - t;
    kanegen_status status;
    if ((status = find_force(run, t_near, run->y, near)) != KANEGEN_DONE) return status;
    if ((status = find_force(run, t_near + distance, run->y, far)) != KANEGEN_DONE) return status;
    for (size_t i = 0; i < nz; ++i) {
        const double now = linear->tau[i];
        near[i] = (4.0 * (near[i] - now) - (far[i] - now)) / (2.0 * distance);
    }
    add_to_column(run, linear->rate, 1, 0, near);
    return KANEGEN_DONE;
}

kanegen_status kanegen_linearise(kanegen_integration *run, double t, double h)
{
    const kanegen_system *system = run->system;
    kanegen_linearisation *linear = &run->linear;
    const double *q = run->y, *v = run->y + system->nq, *tau = run->tau;
    const size_t nv = system->nv, nz = nv + run->nx;
    const bool varies = kanegen_force_varies(run);
    double *dv = linear->lu;  /* which has room for it */
    kanegen_status status;
    if (varies) {
        tau = linear->tau;
        if ((status = find_force(run, t, run->y, linear->tau)) != KANEGEN_DONE) return status;
    }
    KANEGEN_CALL(system, forward_dynamics_derivatives, system->prepared_derivatives, q, v, tau, linear->dq, dv, linear->dtau);
    for (size_t i = nv * nv; i < nz * nv; ++i) linear->dq[i] = 0.0;
    for (size_t i = 0; i < nz * nz; ++i) {
        const size_t row = i / nz, column = i % nz;
        linear->dz[i] = row < nv && column < nv ? dv[row * nv + column] : 0.0;
    }
    run->done->linearisations++;
    linear->known = true;
    for (size_t i = 0; i < nz; ++i) linear->rate[i] = 0.0;
    if (!varies) return KANEGEN_DONE;
    if ((status = add_state_feedback(run, t)) != KANEGEN_DONE) return status;
    return add_rate(run, t, h);
}

/* Gaussian elimination with the largest entry of a column as pivot. lu is by columns, so that inner loops run along them.
 * pivot[k]: the row that changed places with row k. */
bool kanegen_factor(kanegen_integration *run, double s)
{
    const size_t nv = run->system->nv, n = nv + run->nx;
    kanegen_linearisation *linear = &run->linear;
    double *lu = linear->lu;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) lu[j * n + i] = -linear->dz[i * n + j];
        for (size_t j = 0; j < nv; ++j) lu[j * n + i] -= s * linear->dq[i * nv + j];
        lu[i * n + i] += 1.0 / s;
    }
    for (size_t k = 0; k < n; ++k) {
        double *column = lu + k * n;
        size_t best = k;
        for (size_t i = k + 1; i < n; ++i) {
            if (fabs(column[i]) > fabs(column[best])) best = i;
        }
        if (!(fabs(column[best]) > 0.0)) return false;
        linear->pivot[k] = (double)best;
        for (size_t j = 0; j < n; ++j) swap(&lu[j * n + k], &lu[j * n + best]);
        const double reciprocal = 1.0 / column[k];
        for (size_t i = k + 1; i < n; ++i) column[i] *= reciprocal;
        for (size_t j = k + 1; j < n; ++j) {
            kanegen_add(n - k - 1, lu + j * n + k + 1, -lu[j * n + k], column + k + 1);
        }
    }
    return true;
}

void kanegen_solve(const kanegen_integration *run, double s, double *b)
{
    const size_t nv = run->system->nv, n = nv + run->nx;
    const kanegen_linearisation *linear = &run->linear;
    const double *lu = linear->lu;
    double *b_q = b, *x = b + nv;
    for (size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (size_t j = 0; j < nv; ++j) sum += linear->dq[i * nv + j] * b_q[j];
        x[i] += s * sum;
    }
    for (size_t k = 0; k < n; ++k) swap(&x[k], &x[(size_t)linear->pivot[k]]);
    for (size_t k = 0; k < n; ++k) kanegen_add(n - k - 1, x + k + 1, -x[k], lu + k * n + k + 1);
    for (size_t k = n; k-- > 0;) {
        x[k] /= lu[k * n + k];
        kanegen_add(k, x, -x[k], lu + k * n);
    }
    for (size_t i = 0; i < nv; ++i) b_q[i] = s * (b_q[i] + x[i]);
}
