/*
 * What constrained mechanisms add to the integrators: dynamics of q and dq/dt with multipliers, and the projection of
 * states onto the constraints after each step, that of quaternions onto the unit sphere included. It keeps the order of
 * the method: E. Hairer, C. Lubich, G. Wanner,
 * "Geometric Numerical Integration", 2nd ed., Springer 2006, section IV.4.
 */
#include "kanegen_constraints.h"

#include <string.h>

size_t kanegen_constrained_vectors(size_t nq, size_t nv, size_t position, size_t rows)
{
    return nv + rows + position + 2 * nq;
}

void kanegen_lay_out_constrained(kanegen_integration *run, double *memory)
{
    const kanegen_constraints *constraints = run->system->constraints;
    run->v = memory;
    run->lambda = run->v + run->system->nv;
    run->phi = run->lambda + constraints->rows;
    run->projected = run->phi + constraints->position;
}

bool kanegen_constraints_are_valid(const kanegen_constraints *c)
{
    const bool has_residual = KANEGEN_HAS(c, constraint_residual);
    return c->rows > 0 && c->position <= c->rows && has_residual == (c->position > 0)
        && KANEGEN_HAS(c, multiplier_dynamics) && KANEGEN_HAS(c, generalized_speeds)
        && KANEGEN_HAS(c, constraint_projection)
        && isfinite(c->drift) && c->drift > 0.0;
}

const double *kanegen_speeds_at(kanegen_integration *run, const double *y)
{
    const kanegen_system *system = run->system;
    const kanegen_constraints *constraints = system->constraints;
    const double *q = y, *rates = y + system->nq;
    if (!constraints) return rates;
    KANEGEN_CALL(constraints, generalized_speeds, system->prepared, q, rates, run->v);
    return run->v;
}

void kanegen_constrained_rate(kanegen_integration *run, const double *y, const double *tau, double *dy)
{
    const kanegen_system *system = run->system;
    const kanegen_constraints *constraints = system->constraints;
    const double *q = y, *rates = y + system->nq;
    memcpy(dy, rates, system->nq * sizeof *dy);
    KANEGEN_CALL(constraints, multiplier_dynamics, system->prepared, q, rates, tau, dy + system->nq, run->lambda);
}

/* Project y once. *open: how far it is from the constraints then, as large as the residuals of position or the
 * correction of the rates; not finite where the projection failed. */
static void project_once(kanegen_integration *run, double *y, double *open)
{
    const kanegen_system *system = run->system;
    const kanegen_constraints *constraints = system->constraints;
    const size_t nq = system->nq;
    double *next = run->projected, *phi = run->phi, correction = 0.0, fastest = 1.0;
    KANEGEN_CALL(constraints, constraint_projection, system->prepared, y, y + nq, next, next + nq);
    *open = NAN;
    if (!kanegen_all_finite(2 * nq, next)) return;
    if (constraints->position > 0) KANEGEN_CALL(constraints, constraint_residual, system->prepared, next, phi);
    if (!kanegen_all_finite(constraints->position, phi)) return;

    for (size_t i = nq; i < 2 * nq; ++i) {
        const double unit = kanegen_unit(constraints->coordinate_units, i - nq);
        correction = larger(correction, fabs(next[i] - y[i]) / unit);
        fastest = larger(fastest, fabs(next[i]) / unit);
    }
    *open = correction / fastest;
    for (size_t i = 0; i < constraints->position; ++i) *open = larger(*open, fabs(phi[i]) / kanegen_unit(constraints->units, i));
    memcpy(y, next, 2 * nq * sizeof *y);
}

void kanegen_normalise(double *x, size_t stride)
{
    double largest = 0.0, sum = 0.0;
    for (size_t i = 0; i < 4; ++i) {
        if (!isfinite(x[i * stride])) return;
        largest = larger(largest, fabs(x[i * stride]));
    }
    if (!(largest > 0.0)) return;
    for (size_t i = 0; i < 4; ++i) {
        x[i * stride] /= largest;  /* so that no square overflows or vanishes */
        sum += x[i * stride] * x[i * stride];
    }
    const double length = sqrt(sum);
    for (size_t i = 0; i < 4; ++i) x[i * stride] /= length;
}

kanegen_status kanegen_project(kanegen_integration *run, double *y)
{
    const kanegen_constraints *constraints = run->system->constraints;
    double open = INFINITY, before;
    for (size_t i = 0; i < run->system->quaternion_count; ++i) kanegen_normalise(y + run->system->quaternions[i], 1);
    if (!constraints) return KANEGEN_DONE;
    for (int i = 0; i < MOST_PROJECTIONS; ++i) {
        before = open;
        project_once(run, y, &open);
        if (kanegen_closed(open, before, constraints->drift)) break;
    }
    if (!(open <= constraints->drift)) return KANEGEN_OPEN;
    run->done->drift = larger(run->done->drift, open);
    return KANEGEN_DONE;
}
