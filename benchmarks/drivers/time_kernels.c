/* Nanoseconds per call of a generated model's inverse and forward dynamics, one core.
 *
 *     time_kernels STATES COUNT KERNEL REPEATS RESULTS
 *
 * STATES   binary doubles, four blocks of COUNT rows of n: q, v, a, tau
 * KERNEL   inverse_dynamics, forward_dynamics, or one of them followed by _batch
 * RESULTS  file that receives COUNT rows of n doubles
 * One line per repeat on standard output: nanoseconds per call (per row for a batch), the whole set of states being
 * one repeat.
 *
 * Compile with -DMODEL_HEADER='"<prefix>.h"' -DMODEL_PREFIX=<prefix> -DMODEL_DOF=<n> beside the model's source. The
 * model is a translation unit of its own, so no call can be inlined or left out.
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

enum { DOF = MODEL_DOF };

typedef void kernel_function(const double *, const double *, const double *, double *);
typedef void batch_function(size_t, const double *, const double *, const double *, double *);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Written at the end of every pass, so that no result is dead. */
static volatile double sink;

/* One pass over the states; always_inline with a constant function turns the call into a direct one. */
static inline __attribute__((always_inline)) void scalar_pass(kernel_function *const call, size_t count, const double *q,
                                                              const double *v, const double *third, double *out)
{
    for (size_t i = 0; i < count * DOF; i += DOF)
        call(q + i, v + i, third + i, out + i);
}

static void run_pass(int kernel, size_t count, const double *q, const double *v, const double *a, const double *tau,
                     double *out)
{
    switch (kernel) {
    case 0: scalar_pass(KERNEL(inverse_dynamics), count, q, v, a, out); break;
    case 1: scalar_pass(KERNEL(forward_dynamics), count, q, v, tau, out); break;
    case 2: KERNEL(inverse_dynamics_batch)(count, q, v, a, out); break;
    default: KERNEL(forward_dynamics_batch)(count, q, v, tau, out); break;
    }
    sink = out[0] + out[count * DOF - 1];
}

static int kernel_index(const char *name)
{
    static const char *const names[] = {"inverse_dynamics", "forward_dynamics", "inverse_dynamics_batch",
                                        "forward_dynamics_batch"};
    for (int i = 0; i < 4; ++i)
        if (strcmp(name, names[i]) == 0)
            return i;
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

    double *const states = malloc(4 * block * sizeof(double));
    double *const out = calloc(block, sizeof(double));
    FILE *const input = fopen(argv[1], "rb");
    if (!states || !out || !input || fread(states, sizeof(double), 4 * block, input) != 4 * block) {
        fprintf(stderr, "cannot read %zu states from %s\n", count, argv[1]);
        return EXIT_FAILURE;
    }
    fclose(input);
    const double *const q = states, *const v = q + block, *const a = v + block, *const tau = a + block;

    run_pass(kernel, count, q, v, a, tau, out); /* warms up */
    for (size_t repeat = 0; repeat < repeats; ++repeat) {
        const double start = now();
        run_pass(kernel, count, q, v, a, tau, out);
        printf("%.6g\n", (now() - start) / (double)count);
    }

    FILE *const results = fopen(argv[5], "wb");
    if (!results || fwrite(out, sizeof(double), block, results) != block || fclose(results) != 0) {
        fprintf(stderr, "cannot write %s\n", argv[5]);
        return EXIT_FAILURE;
    }
    free(out);
    free(states);
    return EXIT_SUCCESS;
}
