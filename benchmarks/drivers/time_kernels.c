/* Nanoseconds per state of generated kernels, one core, time of the thread.
 *
 *     time_kernels STATES COUNT KERNEL WAY REPEATS RESULTS
 *
 * STATES   binary doubles, four blocks of COUNT rows of n: q, v, a, tau
 * WAY      "loop": the function for one state in a loop; "rows" or "columns": those for many states
 * RESULTS  file that receives COUNT rows of doubles: all outputs of a state one after another; nothing is written for "-"
 * One line per repeat on standard output, all states once being one repeat.
 *
 * Compile with -DMODEL_SOURCE='"<model>.c"', -DKERNEL_TABLE='"<table>.h"' and -DMODEL_DOF=<n>. The table has one line a kernel:
 *
 *     KERNEL(name, number, function, rows, columns, inputs, (block, ...), outputs, (size, ...))
 *
 * number is double or float; there are 1 or 3 inputs and 1 or 3 outputs; rows and columns are 0 where there are none; a block
 * is 0 for q, 1 for v, 2 for a, 3 for tau.
 * The model is part of this unit, which one instruction set is chosen for. Calls go through pointers, so that none is inlined.
 */
#define _POSIX_C_SOURCE 199309L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include MODEL_SOURCE

enum { DOF = MODEL_DOF, MOST = 3 };

typedef void (*function)(void);

typedef struct {
    const char *name;
    size_t bytes; /* of a number */
    function one, rows, columns;
    size_t inputs, block[MOST], outputs, size[MOST];
} kernel;

#define BRACED(...) {__VA_ARGS__}
#define KERNEL(name, number, one, rows, columns, inputs, blocks, outputs, sizes)                                            \
    {#name, sizeof(number), (function)one, (function)rows, (function)columns, inputs, BRACED blocks, outputs, BRACED sizes},
static const kernel KERNELS[] = {
#include KERNEL_TABLE
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void *allocated(size_t bytes)
{
    void *const found = calloc(bytes ? bytes : 1, 1);
    if (!found) exit(EXIT_FAILURE);
    return found;
}

/* All states once, for numbers of one type. */
#define PASS(number)                                                                                                          \
    static void pass_##number(const kernel *k, char way, size_t count, void *const *in, void *const *out)                     \
    {                                                                                                                         \
        const number *const *const x = (const number *const *)in;                                                             \
        number *const *const y = (number *const *)out;                                                                        \
        const size_t *const m = k->size;                                                                                      \
        if (way == 'l') {                                                                                                     \
            typedef void one_one(const number *, number *);                                                                   \
            typedef void three_one(const number *, const number *, const number *, number *);                                 \
            typedef void three_three(const number *, const number *, const number *, number *, number *, number *);           \
            if (k->inputs == 1)                                                                                               \
                for (size_t i = 0; i < count; ++i) ((one_one *)k->one)(x[0] + i * DOF, y[0] + i * m[0]);                      \
            else if (k->outputs == 1)                                                                                         \
                for (size_t i = 0, j = 0; i < count; ++i, j += DOF)                                                           \
                    ((three_one *)k->one)(x[0] + j, x[1] + j, x[2] + j, y[0] + i * m[0]);                                     \
            else                                                                                                              \
                for (size_t i = 0, j = 0; i < count; ++i, j += DOF)                                                           \
                    ((three_three *)k->one)(x[0] + j, x[1] + j, x[2] + j, y[0] + i * m[0], y[1] + i * m[1], y[2] + i * m[2]); \
        } else if (way == 'r') {                                                                                              \
            typedef void one_one(size_t, const number *, number *);                                                           \
            typedef void three_one(size_t, const number *, const number *, const number *, number *);                         \
            typedef void three_three(size_t, const number *, const number *, const number *, number *, number *, number *);   \
            if (k->inputs == 1) ((one_one *)k->rows)(count, x[0], y[0]);                                                      \
            else if (k->outputs == 1) ((three_one *)k->rows)(count, x[0], x[1], x[2], y[0]);                                  \
            else ((three_three *)k->rows)(count, x[0], x[1], x[2], y[0], y[1], y[2]);                                         \
        } else {                                                                                                              \
            typedef void one_one(size_t, size_t, const number *, number *);                                                   \
            typedef void three_one(size_t, size_t, const number *, const number *, const number *, number *);                 \
            typedef void three_three(size_t, size_t, const number *, const number *, const number *, number *, number *,      \
                                     number *);                                                                               \
            const size_t s = count;                                                                                           \
            if (k->inputs == 1) ((one_one *)k->columns)(s, s, x[0], y[0]);                                                    \
            else if (k->outputs == 1) ((three_one *)k->columns)(s, s, x[0], x[1], x[2], y[0]);                                \
            else ((three_three *)k->columns)(s, s, x[0], x[1], x[2], y[0], y[1], y[2]);                                       \
        }                                                                                                                     \
    }
PASS(double)
PASS(float)

/* Written at the end of every pass, so that no result is dead. */
static volatile unsigned char sink;

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: %s STATES COUNT KERNEL loop|rows|columns REPEATS RESULTS\n", argv[0]);
        return 2;
    }
    const size_t count = strtoull(argv[2], NULL, 10), repeats = strtoull(argv[5], NULL, 10);
    const char way = argv[4][0];
    const kernel *k = NULL;
    for (size_t i = 0; i < sizeof KERNELS / sizeof KERNELS[0]; ++i)
        if (strcmp(argv[3], KERNELS[i].name) == 0) k = KERNELS + i;
    double *const states = allocated(4 * count * DOF * sizeof(double));
    FILE *const input = fopen(argv[1], "rb");
    if (!k || count == 0 || !input || fread(states, sizeof(double), 4 * count * DOF, input) != 4 * count * DOF) {
        fprintf(stderr, "no kernel %s, or no %zu states in %s\n", argv[3], count, argv[1]);
        return EXIT_FAILURE;
    }
    fclose(input);

    void *in[MOST] = {NULL}, *out[MOST] = {NULL};
    for (size_t b = 0; b < k->inputs; ++b) {
        const double *const block = states + k->block[b] * count * DOF;
        in[b] = allocated(count * DOF * k->bytes);
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < DOF; ++j) {
                const size_t place = way == 'c' ? j * count + i : i * DOF + j;
                if (k->bytes == sizeof(double)) ((double *)in[b])[place] = block[i * DOF + j];
                else ((float *)in[b])[place] = (float)block[i * DOF + j];
            }
    }
    for (size_t b = 0; b < k->outputs; ++b) out[b] = allocated(count * k->size[b] * k->bytes);

    for (size_t repeat = 0; repeat <= repeats; ++repeat) { /* the first one warms up */
        const double start = now();
        if (k->bytes == sizeof(double)) pass_double(k, way, count, in, out);
        else pass_float(k, way, count, in, out);
        const double elapsed = now() - start;
        sink = *(unsigned char *)out[0];
        if (repeat > 0) printf("%.6g\n", elapsed / (double)count);
    }

    if (strcmp(argv[6], "-") == 0) return EXIT_SUCCESS;
    FILE *const results = fopen(argv[6], "wb");
    if (!results) return EXIT_FAILURE;
    for (size_t i = 0; i < count; ++i)
        for (size_t b = 0; b < k->outputs; ++b)
            for (size_t j = 0; j < k->size[b]; ++j) {
                const size_t place = way == 'c' ? j * count + i : i * k->size[b] + j;
                const double number =
                    k->bytes == sizeof(double) ? ((double *)out[b])[place] : (double)((float *)out[b])[place];
                if (fwrite(&number, sizeof number, 1, results) != 1) return EXIT_FAILURE;
            }
    return fclose(results) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
