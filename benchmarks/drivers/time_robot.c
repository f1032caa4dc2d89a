/* Nanoseconds per call of a generated model's kernels, one state a call, one core.
 *
 *     time_robot STATES COUNT KERNEL REPEATS RESULTS
 *
 * STATES   binary doubles, four blocks of COUNT rows of n: q, v, a, tau
 * KERNEL   inverse_dynamics, mass_matrix, forward_dynamics, inverse_dynamics_derivatives or
 *          forward_dynamics_derivatives
 * RESULTS  file that receives COUNT rows: n doubles, a matrix of n * n, or three of them, row by row
 * One line per repeat on standard output: nanoseconds per call, the whole set of states being one repeat. It is the time
 * of the thread, so that other programs on the core do not count.
 *
 * While time is taken every call writes to the same place, as every call of Pinocchio's does (its Data); the results for
 * the file are computed afterwards.
 *
 * Compile with -DMODEL_HEADER='"<prefix>.h"' -DMODEL_PREFIX=<prefix> -DMODEL_DOF=<n>, and -DMODEL_DERIVATIVES if the
 * model has them, beside the model's sources. These are translation units of their own, so no call can be inlined or left
 * out.
 */
#define _POSIX_C_SOURCE 199309L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include MODEL_HEADER

#define JOIN_EXPANDED(prefix, name) prefix##_##name
#define JOIN(prefix, name) JOIN_EXPANDED(prefix, name)
#define KERNEL(name) JOIN(MODEL_PREFIX, name)

enum { DOF = MODEL_DOF, MATRIX = MODEL_DOF * MODEL_DOF };

typedef struct {
    const char *name;
    size_t columns;
} kernel_kind;

static const kernel_kind KINDS[] = {
    {"inverse_dynamics", DOF},
    {"mass_matrix", MATRIX},
    {"forward_dynamics", DOF},
#ifdef MODEL_DERIVATIVES
    {"inverse_dynamics_derivatives", 3 * MATRIX},
    {"forward_dynamics_derivatives", 3 * MATRIX},
#endif
};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

/* Blocks of `count` rows. */
typedef struct {
    size_t count;
    const double *q, *v, *a, *tau;
} states;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* One call for each state; the results of the next one lie `step` further on. */
static void run_pass(int kernel, const states *s, double *out, size_t step)
{
    const size_t end = s->count * DOF;
    const double *const q = s->q, *const v = s->v, *const a = s->a, *const tau = s->tau;
    switch (kernel) {
    case 0:
        for (size_t i = 0; i < end; i += DOF, out += step) KERNEL(inverse_dynamics)(q + i, v + i, a + i, out);
        break;
    case 1:
        for (size_t i = 0; i < end; i += DOF, out += step) KERNEL(mass_matrix)(q + i, out);
        break;
    case 2:
        for (size_t i = 0; i < end; i += DOF, out += step) KERNEL(forward_dynamics)(q + i, v + i, tau + i, out);
        break;
#ifdef MODEL_DERIVATIVES
    case 3:
        for (size_t i = 0; i < end; i += DOF, out += step)
            KERNEL(inverse_dynamics_derivatives)(q + i, v + i, a + i, out, out + MATRIX, out + 2 * MATRIX);
        break;
    default:
        for (size_t i = 0; i < end; i += DOF, out += step)
            KERNEL(forward_dynamics_derivatives)(q + i, v + i, tau + i, out, out + MATRIX, out + 2 * MATRIX);
#endif
    }
}

static int kernel_index(const char *name)
{
    for (int i = 0; i < KIND_COUNT; ++i)
        if (strcmp(name, KINDS[i].name) == 0) return i;
    return -1;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: %s STATES COUNT KERNEL REPEATS RESULTS\n", argv[0]);
        return 2;
    }
    const size_t count = strtoull(argv[2], NULL, 10);
    const size_t repeats = strtoull(argv[4], NULL, 10);
    const int kernel = kernel_index(argv[3]);
    const size_t block = count * DOF;
    if (kernel < 0 || count == 0) {
        fprintf(stderr, "unknown kernel %s, or no states\n", argv[3]);
        return EXIT_FAILURE;
    }
    const size_t columns = KINDS[kernel].columns;

    double *const inputs = malloc(4 * block * sizeof(double));
    double *const out = calloc(count * columns, sizeof(double));
    FILE *const input = fopen(argv[1], "rb");
    if (!inputs || !out || !input || fread(inputs, sizeof(double), 4 * block, input) != 4 * block) {
        fprintf(stderr, "cannot read %zu states from %s\n", count, argv[1]);
        return EXIT_FAILURE;
    }
    fclose(input);
    const states s = {count, inputs, inputs + block, inputs + 2 * block, inputs + 3 * block};

    for (size_t repeat = 0; repeat <= repeats; ++repeat) { /* the first one warms up */
        const double start = now();
        run_pass(kernel, &s, out, 0);
        const double elapsed = now() - start;
        if (repeat > 0) printf("%.6g\n", elapsed / (double)count);
    }
    run_pass(kernel, &s, out, columns);

    FILE *const results = fopen(argv[5], "wb");
    if (!results || fwrite(out, sizeof(double), count * columns, results) != count * columns || fclose(results) != 0) {
        fprintf(stderr, "cannot write %s\n", argv[5]);
        return EXIT_FAILURE;
    }
    free(out);
    free(inputs);
    return EXIT_SUCCESS;
}
