/* Private to the integrators: methods of equal steps. */
#ifndef KANEGEN_EQUAL_STEPS_H
#define KANEGEN_EQUAL_STEPS_H

#include "kanegen_events.h"

typedef struct {
    /* Find what a step from the state at time t needs, where run->known does not say that it is there. */
    kanegen_status (*begin)(kanegen_integration *run, double t);

    /* As of a method that chooses its steps; the error is 0, or not a number. */
    kanegen_attempt *attempt;
    kanegen_interpolant *interpolant;

    bool (*is_stiff)(const kanegen_integration *run, double h); /* NULL: never */

    /* Make y_next the state; laid: whether the interpolant was. run->known says afterwards what is known of it. */
    kanegen_status (*accept)(kanegen_integration *run, double t_next, bool laid);
} kanegen_equal_method;

/* Advance by the fewest equal steps that are no longer than the one asked for. */
kanegen_status kanegen_advance_equally(const kanegen_equal_method *method, kanegen_integration *run, double t_begin,
                                       double t_end);

/* How large a defect is; the first method->seen of run->k are rates of change in the step. */
kanegen_status kanegen_judge_equal_steps(kanegen_integration *run, double h, double t, const double *y, double *multiple);

#endif
