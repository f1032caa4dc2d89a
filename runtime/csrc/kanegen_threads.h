/*
 * A pool of threads: C99 with POSIX threads; where there are none, everything is done by the caller.
 *
 *     static void squares(void *context, size_t first, size_t last)
 *     {
 *         double *x = context;
 *         for (size_t i = first; i < last; ++i) x[i] *= x[i];
 *     }
 *     ...
 *     kanegen_parallel_for(2, 100000, 4096, squares, x);
 *
 * Compile kanegen_threads.c beside it, and link with -pthread -lm.
 */
#ifndef KANEGEN_THREADS_H
#define KANEGEN_THREADS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* <declarations>: the build script hands these lines to cffi, so they hold no preprocessor line. */

/* Does what is to be done for first <= i < last. It may run in any thread, beside others of the same context, must not
 * fork, and must give the same for every i however the range was cut. */
typedef void kanegen_task(void *context, size_t first, size_t last);

/* Do a task for all i < n, and return when all is done. At most `threads` threads take part, the caller among them, each
 * with ranges that begin at a multiple of `grain`; 0 is taken for 1 in both. With one thread, or where n <= grain, the
 * caller does all of it in a single call of the task.
 *
 * Any number of threads may call at once, tasks included; what is done at once is at most 256 times the caller's. Threads are
 * started when they are first wanted, and sleep in between. A process that is forked starts its own. They have the
 * caller's floating-point environment (rounding, flushing of subnormals), so that results do not depend on who computed them,
 * and take no signals. Where no thread can be started, those that are there do everything. */
void kanegen_parallel_for(size_t threads, size_t n, size_t grain, kanegen_task *task, void *context);

/* </declarations> */

#ifdef __cplusplus
}
#endif

#endif
