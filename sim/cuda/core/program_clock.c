/* program_clock.c: the program's own clock.
 *
 * A thread of the host is at a moment of simulated time. It goes on by what it computes itself (its
 * own CPU time, measured), by what its calls of CUDA cost, and by waiting for the card; what the
 * simulation takes in reality is no part of it. The program's clock is that of the thread that is
 * furthest. With --time repeatable what the host computes takes no time, so that everything is the
 * same each time, and looking at a clock takes 100 ns, so that whoever waits for one comes through.
 */
#define _GNU_SOURCE
#include "core.h"
#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define LOOK 100e-9

static _Thread_local struct {
    double now, mark; /* mark: its CPU time when the library was last left */
    int inside;
    bool known;
} mine;
static _Atomic bool running;
static double started_real[16]; /* each of the host's clocks then */
static double started_cpu;
static _Atomic double furthest;
enum { HOW_MANY = 16 };

/* The real ones. The linker sends what the simulator asks here too (--wrap): when its threads look at a
 * clock, or sleep, the program does not. */
int __wrap_nanosleep(const struct timespec *want, struct timespec *left);
int __wrap_nanosleep(const struct timespec *want, struct timespec *left)
{
#ifdef SYS_nanosleep
    return (int)syscall(SYS_nanosleep, want, left);
#else
    return -1;
#endif
}
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
#ifdef SYS_clock_gettime
    return (int)syscall(SYS_clock_gettime, id, t);
#else
    return -1;
#endif
}

static double read_clock(clockid_t id)
{
    struct timespec t = {0, 0};
    __wrap_clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double time_real(void) { return read_clock(CLOCK_MONOTONIC); }
double time_furthest(void) { return furthest; }

static void pass(double seconds)
{
    mine.now += seconds;
    double far = furthest;
    while (mine.now > far && !atomic_compare_exchange_weak(&furthest, &far, mine.now)) {}
}

void time_start(void)
{
    for (int i = 0; i < HOW_MANY; i++) started_real[i] = read_clock(i);
    started_cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    mine.mark = read_clock(CLOCK_THREAD_CPUTIME_ID);
    mine.known = true;
    atomic_store(&running, true);
}

/* What the thread has computed since the library was left. */
static void catch_up(void)
{
    if (!mine.known) {
        mine.known = true;
        mine.now = furthest; /* a thread begins when the program has come so far */
        mine.mark = read_clock(CLOCK_THREAD_CPUTIME_ID);
        return;
    }
    if (core_options.repeatable) return;
    const double cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
    pass(cpu - mine.mark);
    mine.mark = cpu;
}

void time_inside(void)
{
    if (running && !mine.inside) catch_up();
    mine.inside++;
}

void time_outside(void)
{
    if (mine.inside > 0 && !--mine.inside && running && !core_options.repeatable)
        mine.mark = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double time_now(void) { return core_options.timed ? mine.now : time_real(); }
void time_spend(double seconds) { pass(seconds); }
void time_until(double when)
{
    if (core_options.timed && when > mine.now) pass(when - mine.now);
}

/* ---- what the program asks ---- */

static bool simulated(void) { return running && core_options.timed && !mine.inside; }

/* Looks at the program's clock. */
static double look(void)
{
    catch_up();
    if (core_options.repeatable) pass(LOOK);
    return furthest;
}

bool time_simulated(void) { return simulated(); }
double time_of_clock(int id) { return id >= 0 && id < HOW_MANY ? started_real[id] + look() : -1; }
void time_slept(double seconds)
{
    catch_up();
    pass(seconds);
}
void time_woken(void)
{
    catch_up();
    if (mine.now < furthest) mine.now = furthest;
}

static void to_timespec(double s, struct timespec *t)
{
    t->tv_sec = (time_t)s;
    t->tv_nsec = (long)((s - (double)t->tv_sec) * 1e9);
}

PUBLIC int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!simulated() || id < 0 || id >= HOW_MANY) return __wrap_clock_gettime(id, t);
    to_timespec(started_real[id] + look(), t);
    return 0;
}

PUBLIC int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    struct timespec t;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    *tv = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
    return 0;
}

PUBLIC time_t time(time_t *out)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (out) *out = t.tv_sec;
    return t.tv_sec;
}

PUBLIC int timespec_get(struct timespec *t, int base)
{
    if (base != TIME_UTC) return 0;
    return clock_gettime(CLOCK_REALTIME, t) ? 0 : base;
}

/* CPU time: a program that waits for the card spins, unless it asked for something else. */
PUBLIC clock_t clock(void)
{
    if (!simulated()) return (clock_t)(read_clock(CLOCK_PROCESS_CPUTIME_ID) * CLOCKS_PER_SEC);
    return (clock_t)((started_cpu + look()) * CLOCKS_PER_SEC);
}

/* Sleeping takes simulated time, and a moment of real time, so that other threads come to work. */
static int doze(double seconds)
{
    catch_up();
    pass(seconds);
    const struct timespec moment = {0, seconds > 100e-6 ? 100000 : (long)(seconds * 1e9)};
    return (int)syscall(SYS_nanosleep, &moment, NULL);
}

static int sleep_for(const struct timespec *want, struct timespec *left)
{
    if (!simulated()) return (int)syscall(SYS_nanosleep, want, left);
    if (want->tv_sec < 0 || want->tv_nsec < 0 || want->tv_nsec >= 1000000000) {
        errno = EINVAL;
        return -1;
    }
    doze((double)want->tv_sec + 1e-9 * (double)want->tv_nsec);
    return 0;
}

PUBLIC int nanosleep(const struct timespec *want, struct timespec *left) { return sleep_for(want, left); }

PUBLIC int clock_nanosleep(clockid_t id, int flags, const struct timespec *want, struct timespec *left)
{
    if (!simulated()) return syscall(SYS_clock_nanosleep, id, flags, want, left) ? errno : 0;
    double seconds = (double)want->tv_sec + 1e-9 * (double)want->tv_nsec;
    if (flags & TIMER_ABSTIME) seconds -= id >= 0 && id < HOW_MANY ? started_real[id] + look() : 0;
    if (seconds > 0) doze(seconds);
    return 0;
}

PUBLIC int usleep(useconds_t us)
{
    const struct timespec t = {us / 1000000, (long)(us % 1000000) * 1000};
    return sleep_for(&t, NULL);
}

PUBLIC unsigned sleep(unsigned seconds)
{
    const struct timespec t = {seconds, 0};
    struct timespec left = {0, 0};
    return sleep_for(&t, &left) ? (unsigned)left.tv_sec : 0;
}
