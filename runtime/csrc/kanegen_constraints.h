/* Private to the integrators: constraints and unit quaternions. */
#ifndef KANEGEN_CONSTRAINTS_H
#define KANEGEN_CONSTRAINTS_H

#include "kanegen_integration.h"

/* Number of doubles of the vectors that only constraints need. */
size_t kanegen_constrained_vectors(size_t nq, size_t nv, size_t position, size_t rows);

/* Lay these vectors out from memory on. */
void kanegen_lay_out_constrained(kanegen_integration *run, double *memory);

bool kanegen_constraints_are_valid(const kanegen_constraints *constraints);

/* The speeds at state y: part of it, or with constraints computed into run->v. */
const double *kanegen_speeds_at(kanegen_integration *run, const double *y);

/* dy = (dq/dt, d2q/dt2) at state y under the forces tau, with constraints. */
void kanegen_constrained_rate(kanegen_integration *run, const double *y, const double *tau, double *dy);

/* Projections converge quadratically: a step that errs by 1e-3 is at rounding after four. */
enum { MOST_PROJECTIONS = 8 };

/* Whether to end them: the residual is a thousandth of the bound on drift, or no longer falls once it is within it. (It need
 * not fall at first: the rates are projected where the coordinates were before.) */
static inline bool kanegen_closed(double open, double before, double drift)
{
    return !(open > 1e-3 * drift) || (open >= before && open <= drift);
}

static inline double kanegen_unit(const double *units, size_t i)
{
    return units ? units[i] : 1.0;
}

/* Bring a quaternion, whose entries are a stride apart, to length one; one of length zero is left as it is. */
void kanegen_normalise(double *x, size_t stride);

/* Bring y to the constraints and its quaternions to length one, as far as there are any. */
kanegen_status kanegen_project(kanegen_integration *run, double *y);

#endif
