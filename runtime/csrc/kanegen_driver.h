/* Private to the integrators: the walk from instant to instant. */
#ifndef KANEGEN_DRIVER_H
#define KANEGEN_DRIVER_H

#include "kanegen_integration.h"

/* Run a method from t_begin to t_end; valid: whether the options that are the method's own are in range. */
kanegen_status kanegen_integrate(const kanegen_method *method, bool valid,
                                 const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                                 const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics);

#endif
