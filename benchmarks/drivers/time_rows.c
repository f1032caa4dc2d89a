/* Nanoseconds per call of one kernel with three inputs and one output, whatever their lengths, one core.
 *
 *     time_rows STATES COUNT REPEATS RESULTS
 *
 * STATES   binary doubles, three blocks: COUNT rows of the first input, of the second, of the third
 * RESULTS  file that receives COUNT rows of the output
 * One line per repeat on standard output: nanoseconds per call, the whole set of states being one repeat.
 *
 * Compile with -DMODEL_HEADER='"<prefix>.h"' -DFUNCTION=<prefix>_<kernel> -DFIRST=<n> -DSECOND=<n> -DTHIRD=<n>
 * -DOUTPUT=<n> beside the model's source. The model is a translation unit of its own, so no call can be inlined or left
 * out.
 */
#define _POSIX_C_SOURCE 199309L

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include MODEL_HEADER

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Written at the end of every pass, so that no result is dead. */
static volatile double sink;

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s STATES COUNT REPEATS RESULTS\n", argv[0]);
        return 2;
    }
    const size_t count = strtoull(argv[2], NULL, 10);
    const size_t repeats = strtoull(argv[3], NULL, 10);
    const size_t length = count * (FIRST + SECOND + THIRD);
    double *const states = malloc(length * sizeof(double));
    double *const out = calloc(count * OUTPUT, sizeof(double));
    FILE *const input = fopen(argv[1], "rb");
    if (count == 0 || !states || !out || !input || fread(states, sizeof(double), length, input) != length) {
        fprintf(stderr, "cannot read %zu states from %s\n", count, argv[1]);
        return EXIT_FAILURE;
    }
    fclose(input);
    const double *const first = states, *const second = first + count * FIRST, *const third = second + count * SECOND;

    for (size_t repeat = 0; repeat <= repeats; ++repeat) { /* the first one warms up */
        const double start = now();
        for (size_t i = 0; i < count; ++i)
            FUNCTION(first + i * FIRST, second + i * SECOND, third + i * THIRD, out + i * OUTPUT);
        const double elapsed = now() - start;
        sink = out[0] + out[count * OUTPUT - 1];
        if (repeat > 0) printf("%.6g\n", elapsed / (double)count);
    }

    FILE *const results = fopen(argv[4], "wb");
    if (!results || fwrite(out, sizeof(double), count * OUTPUT, results) != count * OUTPUT || fclose(results) != 0) {
        fprintf(stderr, "cannot write %s\n", argv[4]);
        return EXIT_FAILURE;
    }
    free(out);
    free(states);
    return EXIT_SUCCESS;
}
