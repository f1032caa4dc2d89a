/* Private to the integrators: the walk from instant to instant. */
#ifndef KANEGEN_DRIVER_H
#define KANEGEN_DRIVER_H

#include "kanegen_integration.h"

/* The walk from instant to instant, for one motion and for each of many. Breaks that are reached at t: how many, and the last. */
void kanegen_pass_breaks(const kanegen_options *options, double t, size_t *breaks, double *earliest);

/* Whether the controller is to be sampled at t, after so many samples; the instant that is meant. */
bool kanegen_sample_is_due(const kanegen_options *options, double t, size_t samples, double *instant);

/* The end of the stretch that begins at t, and the latest time that the controller sees on it. */
double kanegen_next_instant(const kanegen_options *options, double t, size_t samples, size_t breaks, double *latest);

/* Run a method from t_begin to t_end; valid: whether the options that are the method's own are in range. */
kanegen_status kanegen_integrate(const kanegen_method *method, bool valid,
                                 const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                                 const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics);

#endif
