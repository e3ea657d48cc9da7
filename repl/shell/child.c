/* child.c: see child.h. One loop (collect) serves every kind of child. It sleeps in pselect until
 * the pipe has data, the child ends (SIGCHLD), Ctrl-C arrives, or the deadline passes. These
 * signals are blocked outside pselect, so none can arrive unseen between a test of a flag and the
 * sleep. */
#define _GNU_SOURCE /* wait4 */
#include "child.h"
#include "free_memory.h"
#include "seal_files.h"
#include "list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { ANSWER_MAX = 64 << 20, LOST = 255 }; /* LOST: the status of a child whose answer was not received whole */

struct child {
    int fd;
    bool lost; /* part of the answer could not be written: the rest would be misread */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_child(int signal) { (void)signal; /* it only has to wake pselect */ }

/* ---- in the child ---- */
bool child_put(struct child *c, const void *data, size_t bytes)
{
    const char *p = data;
    while (bytes > 0 && !c->lost) {
        ssize_t n = write(c->fd, p, bytes);
        if (n < 0 && errno == EINTR) continue;
        c->lost = n <= 0;
        p += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return !c->lost;
}

void child_lost(struct child *c) { c->lost = true; }

bool child_printf(struct child *c, const char *fmt, ...)
{
    char small[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    c->lost = c->lost || n < 0;
    if (n < 0) return false;
    if ((size_t)n < sizeof small) return child_put(c, small, (size_t)n);
    char *big = malloc((size_t)n + 1);
    c->lost = c->lost || !big;
    if (!big) return false;
    va_start(ap, fmt);
    vsnprintf(big, (size_t)n + 1, fmt, ap);
    va_end(ap);
    bool ok = child_put(c, big, (size_t)n);
    free(big);
    return ok;
}

static size_t address_space_now(void)
{
    size_t pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%zu", &pages) != 1) pages = 0;
        fclose(f);
    }
    long page = sysconf(_SC_PAGESIZE);
    return pages && page > 0 ? pages * (size_t)page : (size_t)1 << 30;
}

static void lower_limit(int which, rlim_t value, rlim_t most)
{
    struct rlimit r;
    if (getrlimit(which, &r) != 0) return;
    if (r.rlim_max == RLIM_INFINITY || most < r.rlim_max) r.rlim_max = most;
    r.rlim_cur = value < r.rlim_max ? value : r.rlim_max;
    setrlimit(which, &r);
}

void child_seal_now(enum child_seal how, const seal_view *view)
{
    int null = how == CHILD_ALONE && !SEAL_SANITIZED ? open("/dev/null", O_RDWR) : -1;
    if (null >= 0) { /* whatever a library prints as it ends */
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(null);
    }
    if (how == CHILD_OPEN || seal_child(how, view)) return;
#ifdef RLIMIT_NPROC
    if (how == CHILD_ALONE) lower_limit(RLIMIT_NPROC, 0, 0); /* second best: it does not bind root */
#endif
}

static int kept_too(const struct child_limits *limits, int i) { return limits->keeps[i] > 0 ? limits->keeps[i] : -1; }

/* `own`: descriptors that the child keeps, -1 for none, besides limits->keeps. */
static void child_settle(const struct child_limits *limits, pid_t parent, const sigset_t *mask, const int own[2])
{
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_INTERNAL); /* the parent died before prctl */
#else
    (void)parent;
#endif
    struct sigaction a;
    memset(&a, 0, sizeof a);
    sigemptyset(&a.sa_mask);
    a.sa_handler = SIG_DFL;
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGHUP, &a, NULL);
    sigaction(SIGCHLD, &a, NULL);
    sigaction(SIGWINCH, &a, NULL);
    sigaction(SIGXFSZ, &a, NULL);
    a.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &a, NULL); /* child_put reports it */
    sigaction(SIGTTOU, &a, NULL); /* progress on stderr must not stop us */
    sigprocmask(SIG_SETMASK, mask, NULL);

    lower_limit(RLIMIT_CORE, 0, 0);
    if (limits->memory_bytes && !SEAL_SANITIZED) {
        size_t have = address_space_now();
        size_t limit = limits->memory_bytes > SIZE_MAX - have ? SIZE_MAX : limits->memory_bytes + have;
        lower_limit(RLIMIT_AS, (rlim_t)limit, (rlim_t)limit);
    }
    if (limits->cpu_seconds > 0) { /* SIGXCPU first, which may be caught; SIGKILL two seconds later */
        rlim_t seconds = (rlim_t)limits->cpu_seconds + 1;
        lower_limit(RLIMIT_CPU, seconds, seconds + 2);
    }
    if (limits->file_bytes) lower_limit(RLIMIT_FSIZE, (rlim_t)limits->file_bytes, (rlim_t)limits->file_bytes);
    int null = open("/dev/null", O_RDWR);
    if (null > 0) {
        dup2(null, STDIN_FILENO);
        close(null);
    }
    dup2(STDERR_FILENO, STDOUT_FILENO); /* stdout is for data, and the parent prints that */
    seal_descriptors((const int[]){own[0], own[1], kept_too(limits, 0), kept_too(limits, 1)}, 4);
    if (limits->folder && chdir(limits->folder)) _exit(EXIT_INTERNAL);
    child_seal_now(limits->seal, limits->view);
}

/* ---- in the parent ---- */
static int failed(struct child_result *r, const char *what)
{
    r->end = CHILD_FAILED;
    snprintf(r->message, sizeof r->message, "%s: %s", what, strerror(errno));
    return EXIT_INTERNAL;
}

/* Read what has arrived. True: more may come. False: the pipe is closed, or r->end says why reading
 * stops. */
static bool drain(int fd, struct child_result *r, size_t *capacity, size_t max)
{
    for (;;) {
        bool room = list_room(&r->answer, capacity, r->bytes + 65536 + 1, 1);
        ssize_t n = room ? read(fd, r->answer + r->bytes, 65536) : -1;
        if (n < 0 && room && errno == EINTR) continue;
        if (n < 0 && room && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        if (n < 0) failed(r, "the answer of a process cannot be read");
        if (n <= 0) return false;
        r->bytes += (size_t)n;
        if (r->bytes > max) {
            r->bytes = max;
            r->end = CHILD_FLOOD;
            return false;
        }
    }
}

/* ---- progress: one line of stderr that is overwritten ---- */
enum { PROGRESS_MOST = 79 };
static const double PROGRESS_FROM = 0.5, PROGRESS_EVERY = 0.25;

/* A line wider than the terminal would wrap, and then not be overwritten. */
static int progress_width(void)
{
    struct winsize size;
    const bool narrow = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && size.ws_col <= PROGRESS_MOST;
    return narrow ? size.ws_col - 1 : PROGRESS_MOST;
}

static void show_progress(const struct child_limits *limits, double seconds)
{
    const int width = progress_width();
    char line[PROGRESS_MOST + 1], behind[80] = "", most[40] = "";
    if (limits->seconds > 0) snprintf(most, sizeof most, " of at most %.0f", limits->seconds);
    snprintf(behind, sizeof behind, ": %.0f s%s, Ctrl-C stops it", seconds, most);
    if ((int)(strlen(limits->label) + strlen(behind)) > width)
        snprintf(behind, sizeof behind, ": %.0f s, Ctrl-C stops it", seconds);
    if ((int)(strlen(limits->label) + strlen(behind)) > width) snprintf(behind, sizeof behind, ": %.0f s", seconds);
    const int room = width - (int)strlen(behind),
              label = snprintf(line, sizeof line, "%.*s", room > 0 ? room : 0, limits->label);
    fprintf(stderr, "\r%s%-*.*s\r", line, width - label, width - label, behind);
    fflush(stderr);
}

static void hide_progress(void)
{
    fprintf(stderr, "\r%*s\r", progress_width(), "");
    fflush(stderr);
}

/* By another process, or by the kernel, which does so where memory runs out. */
static void say_killed(struct child_result *r, uint64_t held, uint64_t room)
{
    snprintf(
        r->message, sizeof r->message,
        "the process that ran it was killed (signal 9), perhaps for want of memory: it held %.0f MiB, and %.0f MiB "
        "were free",
        (double)held / (1 << 20), (double)room / (1 << 20));
}

/* `control`: where a kept child reports that an answer is complete. -1: the child ends with its
 * answer. */
static void collect(const struct child_limits *limits, pid_t pid, int fd, int control, const sigset_t *asleep,
                    double start, struct child_result *r)
{
    size_t heard = 0, capacity = 0, max = limits->max_answer ? limits->max_answer : ANSWER_MAX;
    bool open_pipe = true, ended = false, killed = false, answered = false;
    bool progress = limits->label && isatty(STDERR_FILENO), shown = false;
    int status = 0;
    const uint64_t room = room_now();
    struct rusage use = {.ru_maxrss = 0};
    fcntl(fd, F_SETFL, O_NONBLOCK);
    r->end = CHILD_DONE;
    while (!ended) {
        pid_t got = wait4(pid, &status, killed ? 0 : WNOHANG, &use);
        if (got == pid || (got < 0 && errno != EINTR)) ended = true;
        if (open_pipe && r->end == CHILD_DONE) {
            open_pipe = drain(fd, r, &capacity, max);
            if (limits->hears && r->bytes > heard) limits->hears(limits->hears_arg, r->answer, heard = r->bytes);
        }
        int word;
        if (control >= 0 && r->end == CHILD_DONE && recv(control, &word, sizeof word, MSG_DONTWAIT) > 0) {
            if (open_pipe) drain(fd, r, &capacity, max);
            r->status = word;
            answered = true;
            break;
        }
        if (ended) break;
        double left = limits->seconds > 0 ? start + limits->seconds - now() : 3600;
        if (app_interrupted) r->end = CHILD_INTERRUPTED;
        else if (left <= 0) r->end = CHILD_TIME;
        if (r->end != CHILD_DONE) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL); /* in case its group does not exist yet */
            killed = true;
            continue;
        }
        fd_set reads;
        FD_ZERO(&reads);
        if (open_pipe) FD_SET(fd, &reads);
        if (control >= 0) FD_SET(control, &reads);
        if (left > 3600) left = 3600;
        if (progress) {
            double seconds = now() - start;
            if (seconds >= PROGRESS_FROM || limits->at_once) {
                show_progress(limits, seconds);
                shown = true;
            }
            if (left > PROGRESS_EVERY) left = PROGRESS_EVERY;
        }
        struct timespec wait = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        int highest = open_pipe && fd > control ? fd : control;
        pselect(highest + 1, &reads, NULL, NULL, &wait, asleep);
    }
    if (shown) hide_progress();
    if (!answered) kill(-pid, SIGKILL); /* any processes it started */
    if (!answered && r->end == CHILD_DONE) {
        if (WIFSIGNALED(status)) {
            r->end = CHILD_CRASHED;
            r->signal = WTERMSIG(status);
            if (r->signal == SIGKILL) say_killed(r, (uint64_t)use.ru_maxrss << 10, room);
        } else {
            r->status = WEXITSTATUS(status);
        }
    }
    if (list_room(&r->answer, &capacity, r->bytes + 1, 1)) r->answer[r->bytes] = 0;
}

/* A partial answer is discarded: the missing part could be the fault that matters. */
static void whole_or_failed(struct child_result *r)
{
    if (r->end != CHILD_DONE || (r->status & 255) != LOST) return;
    r->end = CHILD_FAILED;
    snprintf(r->message, sizeof r->message, "a process could not write its answer");
}

static int finish(const struct child_limits *limits, struct child_result *r)
{
    switch (r->end) {
    case CHILD_DONE: return EXIT_DONE;
    case CHILD_TIME:
        snprintf(r->message, sizeof r->message, "stopped at its time limit of %g s", limits->seconds);
        return EXIT_TIME;
    case CHILD_INTERRUPTED:
        snprintf(r->message, sizeof r->message, "interrupted after %.1f s", r->seconds);
        return EXIT_INTERRUPT;
    case CHILD_CRASHED:
        if (*r->message) return EXIT_INTERNAL;
        snprintf(r->message, sizeof r->message, "the process that ran it ended by signal %d (%s)", r->signal,
                 strsignal(r->signal));
        return EXIT_INTERNAL;
    case CHILD_FLOOD:
        snprintf(r->message, sizeof r->message, "stopped: it answered with more than can be kept");
        return EXIT_INTERNAL;
    case CHILD_FAILED: break;
    }
    return EXIT_INTERNAL;
}

/* While a child runs, SIGCHLD, Ctrl-C and requests to end are delivered inside pselect only. */
struct watch {
    struct sigaction action;
    sigset_t mask, asleep; /* the mask before; the mask while sleeping */
};

static void watch_begin(struct watch *w)
{
    struct sigaction act;
    memset(&act, 0, sizeof act);
    sigemptyset(&act.sa_mask);
    act.sa_handler = on_child;
    sigaction(SIGCHLD, &act, &w->action);
    sigset_t block;
    sigemptyset(&block);
    static const int seen[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) sigaddset(&block, seen[i]);
    sigprocmask(SIG_BLOCK, &block, &w->mask);
    w->asleep = w->mask;
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) sigdelset(&w->asleep, seen[i]);
}

static void watch_end(const struct watch *w)
{
    sigaction(SIGCHLD, &w->action, NULL);
    sigprocmask(SIG_SETMASK, &w->mask, NULL);
}

static bool pipe_to_child(int fds[2], struct child_result *r)
{
    if (pipe(fds) != 0) {
        failed(r, "no pipe to a child");
        return false;
    }
    if (fds[0] >= FD_SETSIZE) {
        close(fds[0]);
        close(fds[1]);
        errno = EMFILE;
        failed(r, "no pipe to a child");
        return false;
    }
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    fcntl(fds[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* `report`: a descriptor that the child keeps in addition to its answer; -1: none. */
static int run(const struct child_limits *limits, child_work *work, void *arg, int report, struct child_result *r)
{
    static const struct child_limits none;
    if (!limits) limits = &none;
    memset(r, 0, sizeof *r);
    if (app_interrupted) {
        r->end = CHILD_INTERRUPTED;
        return finish(limits, r);
    }
    int fds[2];
    if (!pipe_to_child(fds, r)) return EXIT_INTERNAL;
    const bool hides = limits->view || limits->seal == CHILD_SHUT;
    if (hides) seal_files(); /* probed once here, not in each child */
    fflush(NULL);            /* else the child would print buffered output again */
    struct watch w;
    watch_begin(&w);
    double start = now();
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(fds[0]);
        child_settle(limits, parent, &w.asleep, (const int[2]){fds[1], report});
        struct child c = {.fd = fds[1]};
        int status = work(&c, arg) & 255;
        _exit(c.lost ? LOST : status);
    }
    int status;
    if (pid < 0) {
        status = failed(r, "no process could be started");
        close(fds[1]);
    } else {
        setpgid(pid, pid); /* in parent and child, as either may run first */
        close(fds[1]);
        collect(limits, pid, fds[0], -1, &w.asleep, start, r);
        if (report < 0) whole_or_failed(r);
        r->seconds = now() - start;
        status = finish(limits, r);
    }
    close(fds[0]);
    watch_end(&w);
    return status;
}

int child_run(const struct child_limits *limits, child_work *work, void *arg, struct child_result *r)
{
    return run(limits, work, arg, -1, r);
}

/* ---- a child that is kept ---- */

struct child_kept {
    pid_t pid;
    int answer, control; /* its answers; requests to it, and from it the status that ends each answer */
};

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static bool send_all(int fd, const void *data, size_t bytes)
{
    for (const char *p = data; bytes > 0;) {
        ssize_t n = send(fd, p, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

static bool receive_all(int fd, void *data, size_t bytes)
{
    for (char *p = data; bytes > 0;) {
        ssize_t n = recv(fd, p, bytes, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* In the child: serve requests until the parent is gone or `work` says that this was the last. */
static void serve(struct child *c, int control, child_work *work)
{
    size_t bytes;
    while (receive_all(control, &bytes, sizeof bytes)) {
        void *request = malloc(bytes ? bytes : 1);
        if (!request || !receive_all(control, request, bytes)) _exit(EXIT_INTERNAL);
        int status = work(c, request);
        if (c->lost) status = LOST | CHILD_LAST;
        free(request);
        if (!send_all(control, &status, sizeof status) || status & CHILD_LAST) break;
    }
    _exit(0);
}

static bool keep(struct child_kept **kept, const struct child_limits *limits, child_work *work, const struct watch *w,
                 struct child_result *r)
{
    int fds[2], control[2];
    struct child_kept *k = calloc(1, sizeof *k);
    if (!k || !pipe_to_child(fds, r)) {
        if (!k) failed(r, "no memory for a child");
        free(k);
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, control) != 0) {
        failed(r, "no socket to a child");
        close(fds[0]);
        close(fds[1]);
        free(k);
        return false;
    }
#ifdef SO_NOSIGPIPE
    int on = 1;
    setsockopt(control[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    fcntl(control[0], F_SETFD, FD_CLOEXEC);
    fcntl(control[1], F_SETFD, FD_CLOEXEC);
    pid_t parent = getpid();
    k->pid = fork();
    if (k->pid == 0) {
        close(fds[0]);
        close(control[0]);
        child_settle(limits, parent, &w->asleep, (const int[2]){fds[1], control[1]});
        struct child c = {.fd = fds[1]};
        serve(&c, control[1], work);
    }
    close(fds[1]);
    close(control[1]);
    if (k->pid < 0 || control[0] >= FD_SETSIZE) {
        if (k->pid < 0) failed(r, "no process could be started");
        else kill(k->pid, SIGKILL), waitpid(k->pid, NULL, 0), errno = EMFILE, failed(r, "no socket to a child");
        close(fds[0]);
        close(control[0]);
        free(k);
        return false;
    }
    setpgid(k->pid, k->pid);
    k->answer = fds[0];
    k->control = control[0];
    *kept = k;
    return true;
}

void child_release(struct child_kept **kept)
{
    struct child_kept *k = *kept;
    if (!k) return;
    close(k->control);
    close(k->answer);
    kill(-k->pid, SIGKILL);
    kill(k->pid, SIGKILL);
    while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR) {}
    free(k);
    *kept = NULL;
}

int child_ask(struct child_kept **kept, const struct child_limits *limits, child_work *work, const void *request,
              size_t bytes, struct child_result *r)
{
    static const struct child_limits none;
    if (!limits) limits = &none;
    memset(r, 0, sizeof *r);
    if (app_interrupted) {
        r->end = CHILD_INTERRUPTED;
        return finish(limits, r);
    }
    fflush(NULL);
    struct watch w;
    watch_begin(&w);
    double start = now();
    /* a child that has died since the last request is replaced */
    bool sent = *kept && send_all((*kept)->control, &bytes, sizeof bytes) && send_all((*kept)->control, request, bytes);
    if (!sent) {
        child_release(kept);
        sent = keep(kept, limits, work, &w, r) && send_all((*kept)->control, &bytes, sizeof bytes) &&
               send_all((*kept)->control, request, bytes);
        if (!sent && *kept) {
            child_release(kept);
            failed(r, "a child does not take its request");
        }
    }
    int status = EXIT_INTERNAL;
    if (sent) {
        collect(limits, (*kept)->pid, (*kept)->answer, (*kept)->control, &w.asleep, start, r);
        whole_or_failed(r);
        r->seconds = now() - start;
        status = finish(limits, r);
        bool last = r->end != CHILD_DONE || r->status & CHILD_LAST;
        r->status &= 255;
        if (last) child_release(kept);
    }
    watch_end(&w);
    return status;
}

/* ---- programs ---- */
struct exec_arg {
    char *const *argv;
    int report; /* close-on-exec: if exec fails, errno comes through it */
};

static int exec_work(struct child *c, void *arg)
{
    struct exec_arg *e = arg;
    dup2(c->fd, STDOUT_FILENO);
    dup2(c->fd, STDERR_FILENO);
    struct sigaction a;
    memset(&a, 0, sizeof a);
    sigemptyset(&a.sa_mask);
    a.sa_handler = SIG_DFL;
    sigaction(SIGPIPE, &a, NULL);
    execvp(e->argv[0], e->argv);
    int why = errno;
    ssize_t n = write(e->report, &why, sizeof why);
    return n == (ssize_t)sizeof why ? 127 : 126;
}

int child_exec(const struct child_limits *limits, char *const argv[], struct child_result *r)
{
    memset(r, 0, sizeof *r);
    int fds[2];
    if (pipe(fds) != 0) return failed(r, "no pipe to a child");
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    fcntl(fds[1], F_SETFD, FD_CLOEXEC);
    struct exec_arg e = {argv, fds[1]};
    int status = run(limits, exec_work, &e, fds[1], r), why = 0;
    close(fds[1]);
    if (r->end == CHILD_DONE && read(fds[0], &why, sizeof why) == (ssize_t)sizeof why) {
        errno = why;
        char what[128];
        snprintf(what, sizeof what, "%.80s cannot be started", argv[0]);
        status = failed(r, what);
    }
    close(fds[0]);
    return status;
}

void child_free(struct child_result *r)
{
    free(r->answer);
    r->answer = NULL;
    r->bytes = 0;
}
