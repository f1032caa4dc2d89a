/* Private to the integrators: the dynamics linearised about a state. */
#ifndef KANEGEN_LINEARISATION_H
#define KANEGEN_LINEARISATION_H

#include "kanegen_steps.h"

enum { KANEGEN_LINEARISED_VECTORS = 5 };

/* Number of doubles of a linearisation without wrenches; lay it out from memory on, forces being the numbers of a force. */
size_t kanegen_linearisation_size(size_t nv, size_t nx);
void kanegen_lay_out_linearisation(kanegen_linearisation *linear, size_t nv, size_t nx, size_t forces, double *memory);

/* Linearise about time t and the present state, for steps of about h. */
kanegen_status kanegen_linearise(kanegen_integration *run, double t, double h);

/* Factor the matrix of a step (1/s - J) x = b, J that of dy/dt, where s > 0; false where it is singular. */
bool kanegen_factor(kanegen_integration *run, double s);

/* Solve it: b [n] becomes x. */
void kanegen_solve(const kanegen_integration *run, double s, double *b);

#endif
