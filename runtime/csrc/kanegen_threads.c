#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "kanegen_threads.h"

#if !defined(_WIN32)
#include <unistd.h>
#endif

#if defined(_POSIX_THREADS) && _POSIX_THREADS > 0

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { MOST_WORKERS = 255, STACK = 8 << 20 }; /* bytes, as a process has: what runs there runs here */

/* What one call wants done. It lies on the stack of its caller, who leaves only when nobody works on it. */
struct job {
    kanegen_task *task;
    void *context;
    size_t n, grain, next; /* where the next range begins */
    size_t seats, running; /* how many workers may still join, how many have */
    fenv_t environment;
    pthread_cond_t left;
    struct job *other;
};

/* The workers that are there, those of them that sleep, how many are wanted, and the calls that go on. */
struct pool {
    size_t workers, asleep, wanted;
    struct job *jobs;
    pthread_cond_t called;
};

/* Guards all that is above. It is held while a process forks; the child has no workers, and forgets those it had. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *pool;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    pool = NULL; /* its condition has waiters that do not exist any more */
    pthread_mutex_unlock(&lock);
}

/* Take ranges of a job until there are none. The lock is held, but not while the task runs. */
static void take_part(struct job *job)
{
    while (job->next < job->n) {
        const size_t first = job->next, last = job->n - first > job->grain ? first + job->grain : job->n;
        job->next = last;
        pthread_mutex_unlock(&lock);
        job->task(job->context, first, last);
        pthread_mutex_lock(&lock);
    }
}

static struct job *open_job(const struct pool *in)
{
    struct job *job = in->jobs;
    while (job && (job->seats == 0 || job->next >= job->n)) job = job->other;
    return job;
}

static void *work(void *argument)
{
    struct pool *in = argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        struct job *job = open_job(in);
        if (!job) {
            in->asleep++;
            pthread_cond_wait(&in->called, &lock);
            in->asleep--;
            continue;
        }
        job->seats--;
        job->running++;
        fesetenv(&job->environment);
        take_part(job);
        if (--job->running == 0) pthread_cond_signal(&job->left);
    }
    return NULL;
}

/* Start workers until there are as many as are wanted, or no more can be had. */
static void hire(void)
{
    pthread_attr_t attributes;
    sigset_t all, present;
    pthread_t worker;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    /* Those of what a thread does itself cannot wait. */
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &present);
    while (pool->workers < pool->wanted && pool->workers < MOST_WORKERS) {
        if (pthread_create(&worker, &attributes, work, pool) != 0) break;
        pool->workers++;
    }
    pthread_sigmask(SIG_SETMASK, &present, NULL);
    pthread_attr_destroy(&attributes);
}

/* Whether there is a pool now. */
static int have_pool(void)
{
    static int heard_of_forks = 0;
    if (pool) return 1;
    if (!heard_of_forks) {
        if (pthread_atfork(before_fork, after_fork, in_child) != 0) return 0;
        heard_of_forks = 1;
    }
    pool = calloc(1, sizeof *pool);
    if (!pool) return 0;
    if (pthread_cond_init(&pool->called, NULL) == 0) return 1;
    free(pool);
    pool = NULL;
    return 0;
}

/* Do it together with workers: 1, or 0 where there can be none. */
static int shared(struct job *job)
{
    const size_t seats = job->seats;
    struct job **place;
    size_t wake;
    if (fegetenv(&job->environment) != 0 || pthread_cond_init(&job->left, NULL) != 0) return 0;
    pthread_mutex_lock(&lock);
    if (!have_pool()) {
        pthread_mutex_unlock(&lock);
        pthread_cond_destroy(&job->left);
        return 0;
    }
    for (place = &pool->jobs; *place; place = &(*place)->other) continue;
    *place = job;
    pool->wanted += seats;
    if (pool->workers < pool->wanted) hire();
    wake = pool->asleep < seats ? pool->asleep : seats;
    while (wake-- > 0) pthread_cond_signal(&pool->called);
    take_part(job);
    for (place = &pool->jobs; *place != job; place = &(*place)->other) continue;
    *place = job->other;
    pool->wanted -= seats;
    while (job->running > 0) pthread_cond_wait(&job->left, &lock);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&job->left);
    return 1;
}

void kanegen_parallel_for(size_t threads, size_t n, size_t grain, kanegen_task *task, void *context)
{
    const size_t width = grain > 0 ? grain : 1, ranges = n / width + (n % width > 0);
    const size_t most = threads < ranges ? threads : ranges;
    struct job job = {.task = task, .context = context, .n = n, .grain = width};
    if (most > 1) job.seats = most - 1 < MOST_WORKERS ? most - 1 : MOST_WORKERS;
    if (job.seats > 0 && shared(&job)) return;
    if (n > 0) task(context, 0, n);
}

#else

void kanegen_parallel_for(size_t threads, size_t n, size_t grain, kanegen_task *task, void *context)
{
    (void)threads;
    (void)grain;
    if (n > 0) task(context, 0, n);
}

#endif
