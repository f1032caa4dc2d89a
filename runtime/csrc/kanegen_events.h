/* Private to the integrators: events, which end steps. */
#ifndef KANEGEN_EVENTS_H
#define KANEGEN_EVENTS_H

#include "kanegen_rows.h"

/* Try a step of h from time t: see kanegen_adaptive_method. */
typedef kanegen_status kanegen_attempt(kanegen_integration *run, double t, double h, double *error);

/* Lay the interpolant through the step that was tried, up to t_next. */
typedef kanegen_status kanegen_interpolant(kanegen_integration *run, double t_next);

bool kanegen_watches(const kanegen_integration *run);

/* Look at the state where the run begins. */
kanegen_status kanegen_begin_events(kanegen_integration *run);

/* Where an event lies inside the step that was tried from t to *t_next, let the step end there: *t_next is when it happens, and
 * the step was tried anew up to there. The interpolant belongs to the step in any case. */
kanegen_status kanegen_end_at_event(kanegen_integration *run, kanegen_attempt *attempt, kanegen_interpolant *interpolant,
                                    double t, double *t_next);

/* Tell of what happened at the present state, if the step was ended for it. *changed: whether the state is another since. */
kanegen_status kanegen_meet_events(kanegen_integration *run, bool *changed);

#endif
