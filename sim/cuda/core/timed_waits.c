/* timed_waits.c: libc's waits that end at some time, in the program's time (program_clock.c).
 *
 * What a thread of the host waits for comes from another thread or from outside, in real time; how
 * long it waits at most is simulated time. While the card does something, that goes by as the card's
 * work does, and real time means nothing. Otherwise the host's own work is what takes time, and a
 * second is a second. So such a wait is made of short ones, of which those count during which no
 * device was busy; and it is over when the program's clock has come so far. A wait for nothing is a
 * sleep, which takes a moment.
 */
#undef _FORTIFY_SOURCE /* else the C library's headers define some of these functions themselves */
#define _GNU_SOURCE
#include "core.h"
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#define SLICE   2e-3
#define FOREVER 1e9
#define MOMENT  100e-6

/* The next function of that name: libc's. */
#define REAL(type, name, ...)              \
    static type (*real)(__VA_ARGS__);      \
    if (!real) {                           \
        void *at = dlsym(RTLD_NEXT, name); \
        memcpy(&real, &at, sizeof real);   \
    }

static struct timespec after(int clock, double seconds)
{
    struct timespec t;
    int __wrap_clock_gettime(clockid_t, struct timespec *);
    __wrap_clock_gettime(clock, &t);
    const double whole = seconds > 0 ? seconds : 0;
    t.tv_sec += (time_t)whole;
    t.tv_nsec += (long)((whole - (double)(time_t)whole) * 1e9);
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

static bool idle(void)
{
    if (pthread_mutex_trylock(&core_lock)) return false; /* somebody asks for something */
    const bool nothing = core_idle();
    pthread_mutex_unlock(&core_lock);
    return nothing;
}

static double seconds_of(const struct timespec *t) { return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec; }
static bool valid(const struct timespec *t) { return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000; }

/* A wait of at most `seconds` of the program's time. */
typedef struct wait {
    double left, until; /* the second: of the program's clock */
    double slice, began;
    bool was_idle;
} wait;

static wait begin(double seconds)
{
    if (seconds > FOREVER) seconds = FOREVER;
    return (wait){.left = seconds, .until = time_furthest() + seconds};
}

/* How long to wait in earnest, now. */
static double slice_of(wait *w)
{
    w->slice = w->left < SLICE ? w->left : SLICE;
    w->was_idle = idle();
    w->began = time_real();
    return w->slice > 0 ? w->slice : 0;
}

/* Nothing came. True: the wait is over. */
static bool over(wait *w)
{
    if (w->was_idle && idle()) w->left -= time_real() - w->began;
    if (w->left > 0 && time_furthest() < w->until) return false;
    time_woken();
    if (w->until > time_furthest()) time_slept(w->until - time_furthest());
    return true;
}

/* Seconds from now to a moment of a clock; NAN-free: a clock that is not ours gives a negative. */
static double from_now(int clock, const struct timespec *t) { return seconds_of(t) - time_of_clock(clock); }

/* ---- threads ---- */
#define UNTIL(clock, t, CALL)                                  \
    wait w = begin(from_now(clock, t));                        \
    for (;;) {                                                 \
        const struct timespec at = after(clock, slice_of(&w)); \
        const int code = CALL;                                 \
        if (code != ETIMEDOUT) {                               \
            time_woken();                                      \
            return code;                                       \
        }                                                      \
        if (over(&w)) return code;                             \
    }

PUBLIC int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
                                  const struct timespec *restrict t)
{
    REAL(int, "pthread_cond_timedwait", pthread_cond_t *, pthread_mutex_t *, const struct timespec *)
    /* A condition of CLOCK_MONOTONIC does not say that it is one: its moments are nearer to that clock. */
    if (!time_simulated() || !valid(t)) return real(c, m, t);
    const double a = from_now(CLOCK_REALTIME, t), b = from_now(CLOCK_MONOTONIC, t);
    const int clock = (b < 0 ? -b : b) < (a < 0 ? -a : a) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    UNTIL(clock, t, real(c, m, &at))
}
bool time_wait_for(pthread_cond_t *c, double seconds)
{
    REAL(int, "pthread_cond_timedwait", pthread_cond_t *, pthread_mutex_t *, const struct timespec *)
    const struct timespec at = after(CLOCK_REALTIME, seconds);
    return real(c, &core_lock, &at) != ETIMEDOUT;
}
int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
PUBLIC int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t)
{
    REAL(int, "pthread_cond_clockwait", pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *)
    if (!real) return EINVAL;
    if (!time_simulated() || !valid(t) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return real(c, m, clock, t);
    UNTIL(clock, t, real(c, m, clock, &at))
}
PUBLIC int pthread_mutex_timedlock(pthread_mutex_t *restrict m, const struct timespec *restrict t)
{
    REAL(int, "pthread_mutex_timedlock", pthread_mutex_t *, const struct timespec *)
    if (!time_simulated() || !valid(t)) return real(m, t);
    UNTIL(CLOCK_REALTIME, t, real(m, &at))
}
PUBLIC int sem_timedwait(sem_t *restrict s, const struct timespec *restrict t)
{
    REAL(int, "sem_timedwait", sem_t *, const struct timespec *)
    if (!time_simulated() || !valid(t)) return real(s, t);
    wait w = begin(from_now(CLOCK_REALTIME, t));
    for (;;) {
        const struct timespec at = after(CLOCK_REALTIME, slice_of(&w));
        const int code = real(s, &at);
        if (!code || errno != ETIMEDOUT) {
            time_woken();
            return code;
        }
        if (over(&w)) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
}

/* ---- files ---- */

static void doze(double seconds)
{
    const double moment = seconds < MOMENT ? seconds : MOMENT;
    REAL(int, "ppoll", struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)
    const struct timespec t = {0, (long)(moment * 1e9)};
    time_slept(seconds);
    real(NULL, 0, &t, NULL);
}

PUBLIC int ppoll(struct pollfd *list, nfds_t count, const struct timespec *t, const sigset_t *mask)
{
    REAL(int, "ppoll", struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)
    if (!t || !time_simulated() || !valid(t)) return real(list, count, t, mask);
    const double seconds = seconds_of(t);
    if (!count && !mask) {
        doze(seconds);
        return 0;
    }
    wait w = begin(seconds);
    for (;;) {
        const double slice = slice_of(&w);
        const struct timespec at = {0, (long)(slice * 1e9)};
        const int n = real(list, count, &at, mask);
        if (n) return time_woken(), n;
        if (over(&w)) return 0;
    }
}
PUBLIC int poll(struct pollfd *list, nfds_t count, int ms)
{
    const struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    return ppoll(list, count, ms < 0 ? NULL : &t, NULL);
}

PUBLIC int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
                   const struct timespec *restrict t, const sigset_t *restrict mask)
{
    REAL(int, "pselect", int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *)
    if (!t || !time_simulated() || !valid(t)) return real(count, in, out, bad, t, mask);
    const double seconds = seconds_of(t);
    if (!in && !out && !bad && !mask) {
        doze(seconds);
        return 0;
    }
    wait w = begin(seconds);
    fd_set none, *const sets[3] = {in, out, bad};
    fd_set asked[3];
    FD_ZERO(&none);
    for (int i = 0; i < 3; i++) asked[i] = sets[i] ? *sets[i] : none;
    for (;;) {
        const double slice = slice_of(&w);
        const struct timespec at = {0, (long)(slice * 1e9)};
        const int n = real(count, in, out, bad, &at, mask);
        if (n) return time_woken(), n;
        if (over(&w)) return 0;
        for (int i = 0; i < 3; i++)
            if (sets[i]) *sets[i] = asked[i];
    }
}
PUBLIC int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
                  struct timeval *restrict time)
{
    const struct timespec t = {time ? time->tv_sec : 0, time ? (long)time->tv_usec * 1000 : 0};
    return pselect(count, in, out, bad, time ? &t : NULL, NULL);
}

PUBLIC int epoll_wait(int fd, struct epoll_event *list, int most, int ms)
{
    REAL(int, "epoll_wait", int, struct epoll_event *, int, int)
    if (ms <= 0 || !time_simulated()) return real(fd, list, most, ms);
    wait w = begin(ms * 1e-3);
    for (;;) {
        const double slice = slice_of(&w);
        const int n = real(fd, list, most, slice < 1e-3 ? 1 : (int)(slice * 1e3));
        if (n) return time_woken(), n;
        if (over(&w)) return 0;
    }
}
