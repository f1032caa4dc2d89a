/* Private to the integrators: the rows of a motion. */
#ifndef KANEGEN_ROWS_H
#define KANEGEN_ROWS_H

#include "kanegen_steps.h"

/* Write the rows that fall on the present state. */
kanegen_status kanegen_write_rows_here(kanegen_integration *run);

/* Whether a row or a probe falls between the present state and t_next, ends excluded. */
bool kanegen_row_before(const kanegen_integration *run, double t_next);

/* Lay the interpolant run->c3, run->c4 through a step from the rates of change at both ends; run->c5 is the caller's. */
void kanegen_lay_interpolant(kanegen_integration *run, double t_next, const double *k_begin, const double *k_end);

/* The interpolated state at the part s of the step, brought to the constraints. */
kanegen_status kanegen_interpolate(kanegen_integration *run, double s, double *y_there);

/* Write these rows from the interpolant. They are brought to the constraints one by one. Where tau varies, look at them and
 * the probes for defects. */
kanegen_status kanegen_write_interpolated_rows(kanegen_integration *run, double t_next);

#endif
