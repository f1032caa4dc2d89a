#include "kanegen_inertias.h"

enum { NUMBERS = 7, TOGETHER = 64 };

/* Add 1 to seen[i] for each body i < n that is possible. By the signs of what elimination without division leaves: each that
 * is computed is that of a matrix which differs by a few roundings of the largest entry. */
static void look(size_t n, const double *const *numbers, double *seen)
{
    const double *mass = numbers[0], *xx = numbers[1], *yy = numbers[2], *zz = numbers[3];
    const double *xy = numbers[4], *xz = numbers[5], *yz = numbers[6];
    size_t i;
    for (i = 0; i < n; i++) {
        const double half = (xx[i] + yy[i] + zz[i]) * 0.5, first = half - xx[i];
        const double second = first * (half - yy[i]) - xy[i] * xy[i];
        const double third = first * (half - zz[i]) - xz[i] * xz[i];
        const double corner = first * yz[i] + xy[i] * xz[i];
        double possible = mass[i] > 0 ? 1.0 : 0.0;
        possible = first > 0 ? possible : 0.0;
        possible = second > 0 ? possible : 0.0;
        seen[i] += second * third > corner * corner ? possible : 0.0;
    }
}

size_t kanegen_count_possible(size_t n, const double *const *numbers, const size_t *steps)
{
    double alike[NUMBERS][TOGETHER], seen[TOGETHER] = {0.0}, all = 0.0;
    const double *here[NUMBERS];
    size_t first, i, k;
    for (k = 0; k < NUMBERS; k++) {
        for (i = 0; steps[k] == 0 && i < TOGETHER; i++) alike[k][i] = *numbers[k];
        here[k] = steps[k] == 0 ? alike[k] : numbers[k];
    }
    for (first = 0; first < n; first += TOGETHER) {
        look(n - first < TOGETHER ? n - first : TOGETHER, here, seen);
        for (k = 0; k < NUMBERS; k++) here[k] += steps[k] * TOGETHER;
    }
    for (i = 0; i < TOGETHER; i++) all += seen[i];
    return (size_t)all;
}
