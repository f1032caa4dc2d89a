/* Nanoseconds per state of one kernel for many states, one core, time of the thread.
 *
 *     time_lanes WAY COUNT REPEATS
 *
 * WAY      "loop": the function for one state in a loop; "rows" or "columns": those for many states
 * One line per repeat on standard output, all states once being one repeat.
 *
 * Compile with -DMODEL_SOURCE='"<prefix>.c"' -DONE=<function> -DROWS=<function> -DCOLUMNS=<function> -DNUMBER=double|float
 * -DFIRST=<n> -DSECOND=<n> -DTHIRD=<n> -DOUTPUT=<n>: lengths of a state's three inputs, and of its first output; with -DMORE=<n>
 * a second output. The kernels are part of this unit, which one instruction set is chosen for.
 */
#define _POSIX_C_SOURCE 199309L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include MODEL_SOURCE

#ifdef MORE
#define OUTPUTS(i) , out + (i)*OUTPUT, more + (i)*MORE
#else
#define MORE 1
#define OUTPUTS(i) , out + (i)*OUTPUT
#endif

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static NUMBER *numbers(size_t count)
{
    NUMBER *const found = malloc(count * sizeof(NUMBER));
    if (!found) exit(EXIT_FAILURE);
    for (size_t i = 0; i < count; ++i) found[i] = (NUMBER)(6.0 * rand() / RAND_MAX - 3.0);
    return found;
}

/* Written at the end of every pass, so that no result is dead. */
static volatile NUMBER sink;

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s loop|rows|columns COUNT REPEATS\n", argv[0]);
        return 2;
    }
    const size_t count = strtoull(argv[2], NULL, 10), repeats = strtoull(argv[3], NULL, 10);
    NUMBER *const first = numbers(count * FIRST), *const second = numbers(count * SECOND);
    NUMBER *const third = numbers(count * THIRD), *const out = numbers(count * OUTPUT), *const more = numbers(count * MORE);
    for (size_t repeat = 0; repeat <= repeats; ++repeat) { /* the first one warms up */
        const double start = now();
        if (argv[1][0] == 'r') ROWS(count, first, second, third OUTPUTS(0));
        else if (argv[1][0] == 'c') COLUMNS(count, count, first, second, third OUTPUTS(0));
        else for (size_t i = 0; i < count; ++i) ONE(first + i * FIRST, second + i * SECOND, third + i * THIRD OUTPUTS(i));
        const double elapsed = now() - start;
        sink = out[0] + out[count * OUTPUT - 1] + more[0];
        if (repeat > 0) printf("%.6g\n", elapsed / (double)count);
    }
    return EXIT_SUCCESS;
}
