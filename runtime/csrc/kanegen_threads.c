#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "kanegen_threads.h"

#if !defined(_WIN32)
#include <unistd.h>
#endif

#if defined(_POSIX_THREADS) && _POSIX_THREADS > 0 && defined(__GNUC__)

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
    MOST = 256, /* threads for one job, and all together but for callers */
    STACK = 8 << 20, /* bytes, as a process has: what runs there runs here */
    LOOKS = 2000, /* for what is about to happen, some ten microseconds; waking a thread takes as long */
    LINE = 64 /* bytes of a cache's line */
};

/* Ranges of a job that one thread begins with, so that it finds again what it left in its cache; others help when they have
 * done theirs. */
struct part {
    size_t next, end; /* changed by atomic additions */
    int taken;
    char apart[LINE - 2 * sizeof(size_t) - sizeof(int)];
};

/* What one call wants done. It lies on the stack of its caller, who leaves when nobody works on it any more. */
struct job {
    kanegen_task *task;
    void *context;
    size_t grain, seats, joined; /* threads that may take part, and that have come, the caller included */
    size_t working; /* workers, and WAITED_FOR: changed by atomic operations */
    fenv_t environment;
    struct job *other;
    struct part parts[MOST];
};

static const size_t WAITED_FOR = (size_t)1 << (8 * sizeof(size_t) - 1);

/* Workers that were started, that have begun, that sleep, that look for work, that are wanted; how many calls there were. */
struct pool {
    size_t hired, workers, asleep, looking, wanted, calls;
    struct job *jobs;
    pthread_cond_t called, left;
};

/* Guards the pool, and seats of jobs. It is held while a process forks; the child has no workers, and forgets those it had. */
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
    pool = NULL; /* its conditions have waiters that do not exist any more */
    pthread_mutex_unlock(&lock);
}

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Do ranges of a job until there are none, those of one part first. */
static void take_part(struct job *job, size_t mine)
{
    size_t i, first;
    for (i = 0; i < job->seats; i++) {
        struct part *part = &job->parts[(mine + i) % job->seats];
        while ((first = __atomic_fetch_add(&part->next, job->grain, __ATOMIC_RELAXED)) < part->end)
            job->task(job->context, first, part->end - first > job->grain ? first + job->grain : part->end);
    }
}

static struct job *open_job(const struct pool *in)
{
    struct job *job = in->jobs;
    while (job && job->joined == job->seats) job = job->other;
    return job;
}

/* A seat at a job for a worker, if it can be the one that it had last time. */
static struct job *join(const struct pool *in, size_t worker, size_t *seat)
{
    struct job *job = open_job(in);
    if (!job) return NULL;
    *seat = 1 + worker % (job->seats - 1);
    while (job->parts[*seat].taken) *seat = 1 + *seat % (job->seats - 1);
    job->parts[*seat].taken = 1;
    job->joined++;
    __atomic_fetch_add(&job->working, 1, __ATOMIC_RELAXED);
    return job;
}

/* Wait for a call, awake for a while. The lock is held before and after. */
static void await_call(struct pool *in)
{
    const size_t calls = __atomic_load_n(&in->calls, __ATOMIC_RELAXED);
    int i;
    in->looking++;
    pthread_mutex_unlock(&lock);
    for (i = 0; i < LOOKS && __atomic_load_n(&in->calls, __ATOMIC_RELAXED) == calls; i++) pause_briefly();
    pthread_mutex_lock(&lock);
    in->looking--;
    if (open_job(in)) return;
    in->asleep++;
    pthread_cond_wait(&in->called, &lock);
    in->asleep--;
}

static void *work(void *argument)
{
    struct pool *in = argument;
    size_t worker, seat;
    pthread_mutex_lock(&lock);
    worker = in->workers++;
    for (;;) {
        struct job *job = join(in, worker, &seat);
        if (!job) {
            await_call(in);
            continue;
        }
        pthread_mutex_unlock(&lock);
        fesetenv(&job->environment);
        take_part(job, seat);
        /* Nothing of the job may be touched after this. */
        if (__atomic_fetch_sub(&job->working, 1, __ATOMIC_ACQ_REL) == (WAITED_FOR | 1)) {
            pthread_mutex_lock(&lock);
            pthread_cond_broadcast(&in->left);
        } else {
            pthread_mutex_lock(&lock);
        }
    }
    return NULL;
}

/* Wait until nobody works on a job any more that nobody can join. */
static void await_others(struct job *job)
{
    int i;
    for (i = 0; i < LOOKS; i++) {
        if (__atomic_load_n(&job->working, __ATOMIC_ACQUIRE) == 0) return;
        pause_briefly();
    }
    pthread_mutex_lock(&lock);
    __atomic_fetch_or(&job->working, WAITED_FOR, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&job->working, __ATOMIC_ACQUIRE) != WAITED_FOR) pthread_cond_wait(&pool->left, &lock);
    pthread_mutex_unlock(&lock);
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
    while (pool->hired < pool->wanted && pool->hired < MOST) {
        if (pthread_create(&worker, &attributes, work, pool) != 0) break;
        pool->hired++;
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
    if (pthread_cond_init(&pool->called, NULL) == 0 && pthread_cond_init(&pool->left, NULL) == 0) return 1;
    free(pool);
    pool = NULL;
    return 0;
}

/* Do it together with workers: 1, or 0 where there can be none. */
static int shared(struct job *job)
{
    struct job **place;
    size_t wake;
    if (fegetenv(&job->environment) != 0) return 0;
    pthread_mutex_lock(&lock);
    if (!have_pool()) {
        pthread_mutex_unlock(&lock);
        return 0;
    }
    for (place = &pool->jobs; *place; place = &(*place)->other) continue;
    *place = job;
    pool->wanted += job->seats - 1;
    if (pool->hired < pool->wanted) hire();
    wake = job->seats - 1 > pool->looking ? job->seats - 1 - pool->looking : 0;
    if (wake > pool->asleep) wake = pool->asleep;
    while (wake-- > 0) pthread_cond_signal(&pool->called);
    pthread_mutex_unlock(&lock);
    __atomic_fetch_add(&pool->calls, 1, __ATOMIC_RELEASE); /* now, so that who looks for it finds the lock free */
    take_part(job, 0);
    pthread_mutex_lock(&lock);
    for (place = &pool->jobs; *place != job; place = &(*place)->other) continue;
    *place = job->other;
    pool->wanted -= job->seats - 1;
    pthread_mutex_unlock(&lock);
    await_others(job);
    return 1;
}

void kanegen_parallel_for(size_t threads, size_t n, size_t grain, kanegen_task *task, void *context)
{
    const size_t width = grain > 0 ? grain : 1, ranges = n / width + (n % width > 0);
    size_t i, seats = threads < ranges ? threads : ranges;
    if (seats > MOST) seats = MOST;
    if (seats > 1) {
        struct job job;
        job.task = task;
        job.context = context;
        job.grain = width;
        job.seats = seats;
        job.joined = 1;
        job.working = 0;
        job.other = NULL;
        for (i = 0; i < seats; i++) {
            const size_t end = ranges / seats * (i + 1) + ranges % seats * (i + 1) / seats;
            job.parts[i].next = i > 0 ? job.parts[i - 1].end : 0;
            job.parts[i].end = i + 1 < seats ? end * width : n;
            job.parts[i].taken = 0;
        }
        if (shared(&job)) return;
    }
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
