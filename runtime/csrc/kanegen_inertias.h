/* Whether inertias are those of real bodies: C99. */
#ifndef KANEGEN_INERTIAS_H
#define KANEGEN_INERTIAS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* <declarations>: the build script hands these lines to cffi, so they hold no preprocessor line. */

/* How many of n bodies are seen to be possible at a glance: the mass is above 0, and tr(I)/2 - I positive definite, so that
 * moments are positive and keep the triangle inequality. `numbers` points to the mass [kg] and to Ixx, Iyy, Izz, Ixy,
 * Ixz, Iyz [kg m^2] about the mass centre, of n bodies each; steps[k] is 1, or 0 where numbers[k] is one number for all. Those
 * on the bound, as rods and plates, are not counted, nor those of which a moment is not finite. */
size_t kanegen_count_possible(size_t n, const double *const *numbers, const size_t *steps);

/* </declarations> */

#ifdef __cplusplus
}
#endif

#endif
