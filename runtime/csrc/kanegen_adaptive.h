/* Private to the integrators: methods that choose their steps from estimates of their errors. */
#ifndef KANEGEN_ADAPTIVE_H
#define KANEGEN_ADAPTIVE_H

#include "kanegen_events.h"

typedef struct {
    double order;               /* the error of a step of h is in proportion to h^order */

    /* Try a step of h from time t and state y, where dy/dt = k[0]; y_next, and its error as a multiple of the tolerance: */
    /* not a number where a stage left the domain of the dynamics. */
    kanegen_attempt *attempt;

    kanegen_interpolant *interpolant;

    /* Make y_next the state and, unless this is t_end, k[0] the rate of change there. */
    kanegen_status (*accept)(kanegen_integration *run, double t_next, double t_end);
} kanegen_adaptive_method;

/* Advance by such a method. */
kanegen_status kanegen_advance_adaptively(const kanegen_adaptive_method *method, kanegen_integration *run,
                                          double t_begin, double t_end);

/* Whether the tolerances are in range. */
bool kanegen_tolerances_are_valid(const kanegen_options *options);

/* Size of x against the tolerance at states a and b; leaves the tolerances of the entries in run->scale. */
double kanegen_scaled_norm(kanegen_integration *run, const double *x, const double *a, const double *b);

/* How large x, a defect times the length of the step, is against what an adaptive method leaves. */
double kanegen_adaptive_defect(kanegen_integration *run, const double *x);

#endif
