/* program_run.c: runs a program with our libraries before NVIDIA's.
 *
 * Its files, terminal and folder are this process's. It gets a process group of its own, which holds
 * the terminal while it runs, so that Ctrl-C and Ctrl-Z are for it and the time limit ends whatever
 * it started. Our libraries come first by LD_PRELOAD; which card and where to tell what happened
 * stands in WARPSTEP_EXEC, whose files are named by this process (/proc/PID/fd/N), so that children
 * that close what they inherit find them too.
 */
#define _GNU_SOURCE
#include "program.h"
#include "device/toolkit.h"
#include "shell/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int text_file(const char *name, const char *text)
{
    const int fd = memfd_create(name, MFD_CLOEXEC);
    const size_t bytes = text ? strlen(text) : 0;
    for (size_t at = 0; fd >= 0 && at < bytes;) {
        const ssize_t n = write(fd, text + at, bytes - at);
        if (n < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        if (n > 0) at += (size_t)n;
    }
    return fd;
}

/* What stands in the environment already stays, behind ours. */
static bool put_first(const char *name, const char *value)
{
    const char *before = getenv(name);
    char *all;
    if (before && *before ? asprintf(&all, "%s:%s", value, before) < 0 : !(all = strdup(value))) return false;
    const bool fine = !setenv(name, all, 1);
    free(all);
    return fine;
}

static bool environment(const struct program_options *o, const char *folder, int card, int records)
{
    static const char *const libraries[] = {"libcuda.so.1",      "libcudart.so.13",    "libcudart.so.12",
                                            "libcudart.so.11.0", "libcublas.so.13",    "libcublas.so.12",
                                            "libcublas.so.11",   "libnvJitLink.so.13", "libnvJitLink.so.12"};
    char preload[16 * 4096], said[512], snapshots[64] = "";
    size_t n = 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        n += (size_t)snprintf(preload + n, sizeof preload - n, "%s%s/%s", i ? ":" : "", folder, libraries[i]);
        if (n >= sizeof preload) return false;
    }
    /* A sealed one cannot open our files, and has no children that should. */
    char files[40] = "fd:", budget[40] = "", spoil[40] = "";
    if (!o->sealed) snprintf(files, sizeof files, "/proc/%ld/fd/", (long)getppid());
    unsetenv("WARPSTEP_PROGRAM"); /* which run_sealed sets */
    if (o->snapshots >= 0) snprintf(snapshots, sizeof snapshots, " snapshots=%s%d", files, o->snapshots);
    if (o->budget) snprintf(budget, sizeof budget, " budget=%llu", (unsigned long long)o->budget);
    if (o->spoil) snprintf(spoil, sizeof spoil, " spoil=%llu", (unsigned long long)o->spoil);
    snprintf(said, sizeof said, "records=%s%d card=%s%d name=%s cards=%d checks=%u time=%s%s%s%s%s%s%s%s%s", files,
             records, files, card, o->device.card, o->cards, o->checks, o->time, o->silent ? " silent=1" : "",
             o->events ? " events=1" : "", o->lines ? " lines=1" : "", o->exact ? " exact=1" : "",
             o->counts ? " counts=1" : "", budget, spoil, snapshots);
    char nvtx[4200];
    snprintf(nvtx, sizeof nvtx, "%s/libcuda.so.1", folder);
    if (o->events) setenv("NVTX_INJECTION64_PATH", nvtx, 0);
    return put_first("LD_PRELOAD", preload) && put_first("LD_LIBRARY_PATH", folder) &&
           !setenv("WARPSTEP_EXEC", said, 1);
}

static void to_terminal(pid_t group)
{
    sigset_t out, before;
    sigemptyset(&out);
    sigaddset(&out, SIGTTOU);
    sigprocmask(SIG_BLOCK, &out, &before);
    tcsetpgrp(STDIN_FILENO, group);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* `most`: what it may not raise the limit beyond. Of time, that is when SIGKILL comes, and SIGXCPU before. */
static void limit_to(int which, rlim_t value, rlim_t most)
{
    struct rlimit r;
    if (getrlimit(which, &r)) return;
    if (r.rlim_max == RLIM_INFINITY || r.rlim_max > most) r.rlim_max = most;
    r.rlim_cur = value < r.rlim_max ? value : r.rlim_max;
    setrlimit(which, &r);
}

/* Becomes a program whose author may have made any mistake: it sees the system's libraries, ours and
 * itself. Returns if that fails: an errno. */
static int run_sealed(const struct program_options *o, const char *program, char **argv, const char *folder, int card,
                      int records, int said)
{
    struct words reads = {0};
    const int keep[] = {card, records, said};
    toolkit_reads(&reads, NULL);
    words_add(&reads, folder);
    words_add(&reads, program);
    seal_descriptors(keep, 3);
    fcntl(card, F_SETFD, 0);
    fcntl(records, F_SETFD, 0);
    limit_to(RLIMIT_CORE, 0, 0);
    limit_to(RLIMIT_FSIZE, PROGRAM_OUTPUT, PROGRAM_OUTPUT);
    limit_to(RLIMIT_AS, PROGRAM_MEMORY, PROGRAM_MEMORY);
    const rlim_t seconds = (rlim_t)ceil(o->cpu_seconds);
    if (o->cpu_seconds > 0) limit_to(RLIMIT_CPU, seconds, seconds + 2);
    const seal_view view = {(const char *const *)reads.v, NULL};
    const int why = setenv("WARPSTEP_PROGRAM", program, 1) ? ENOMEM : seal_program(program, argv, &view);
    words_free(&reads);
    return why;
}

static void child(const struct program_options *o, char **argv, const char *folder, int card, int records, int said,
                  bool terminal, pid_t parent, const sigset_t *mask)
{
    if (o->quiet) { /* it stays in our group, and ends with us */
        const int nothing = o->input > 0 ? o->input : open("/dev/null", O_RDWR | O_CLOEXEC);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(PROGRAM_CANNOT); /* it died before */
        if (nothing >= 0) dup2(nothing, STDIN_FILENO);
        dup2(o->output, STDOUT_FILENO);
        dup2(o->errors > 0 ? o->errors : o->output, STDERR_FILENO);
    } else {
        setpgid(0, 0);
    }
    if (terminal) to_terminal(getpid());
    static const int ours[] = {SIGINT,  SIGQUIT, SIGTERM,  SIGHUP,  SIGPIPE, SIGTSTP,
                               SIGTTIN, SIGTTOU, SIGWINCH, SIGCHLD, SIGCONT, SIGXFSZ};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) signal(ours[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    personality(ADDR_NO_RANDOMIZE); /* so that addresses, and with them cycles, are the same each time; where allowed */
    int why = ENOMEM;
    if (environment(o, folder, card, records)) {
        const char *file = o->file ? o->file : argv[0];
        if (o->sealed) {
            why = run_sealed(o, file, argv, folder, card, records, said);
        } else {
            execvp(file, argv);
            why = errno;
        }
    }
    if (write(said, &why, sizeof why) < 0) {}
    _exit(PROGRAM_CANNOT);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- how far it is: on stderr, when that is a terminal and it takes long ---- */
enum { SHOWN_AFTER = 2, TAIL_BYTES = 1 << 14 };

/* The last line of that kind; NULL: there is none. Changes the text. */
static char *last_line(char *text, const char *kind)
{
    char *found = NULL;
    const size_t n = strlen(kind);
    for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, kind, n) && line[n] == '\t' && strchr(line, '\n')) found = line;
    return found;
}

/* `in_all`: seconds since it began. */
static void show_progress(int records, double in_all)
{
    static char text[TAIL_BYTES + 1], kernels[TAIL_BYTES + 1];
    const off_t end = lseek(records, 0, SEEK_END), from = end > TAIL_BYTES ? end - TAIL_BYTES : 0;
    const ssize_t n = pread(records, text, TAIL_BYTES, from);
    char line[200], name[40] = "";
    double seconds = 0;
    text[n > 0 ? n : 0] = 0;
    memcpy(kernels, text, sizeof text);
    const char *time = last_line(text, "time"), *kernel = last_line(kernels, "kernel");
    if (time) sscanf(time, "time\t%*d\t%lf", &seconds);
    if (kernel) sscanf(kernel, "kernel\t%*d\t%*d\t%39[^\t\n]", name);
    for (char *s = name; *s; s++)
        if ((unsigned char)*s < ' ' || (unsigned char)*s > '~') *s = '?';
    int bytes = snprintf(line, sizeof line, "\r\033[K%.0f s", in_all);
    if (seconds > 0)
        bytes += snprintf(line + bytes, sizeof line - (size_t)bytes, ": %.3g ms on the card", seconds * 1e3);
    if (*name) bytes += snprintf(line + bytes, sizeof line - (size_t)bytes, ", last %.30s", name);
    if (write(STDERR_FILENO, line, (size_t)bytes) < 0) {}
}
static void clear_progress(void)
{
    static const char clear[] = "\r\033[K";
    if (write(STDERR_FILENO, clear, sizeof clear - 1) < 0) {}
}

/* Waits for the program; passes signals on. Returns its status as waitpid has it. */
static int wait_for(pid_t pid, const struct program_options *o, bool terminal, int records, const sigset_t *signals,
                    bool *timed_out)
{
    const double begin = now();
    bool told = false, shown = false;
    const char *term = getenv("TERM");
    const bool shows = !o->quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
    const pid_t group = o->quiet ? pid : -pid;
    for (;;) {
        int status;
        const pid_t got = waitpid(pid, &status, WNOHANG | WUNTRACED);
        if (got < 0 && errno != EINTR) return PROGRAM_FAILED << 8;
        if (got == pid && WIFSTOPPED(status)) {
            if (!terminal) {
                kill(group, SIGCONT);
                continue;
            }
            to_terminal(getpgrp()); /* Ctrl-Z: this process stops with it */
            raise(SIGSTOP);
            to_terminal(pid);
            kill(group, SIGCONT);
            continue;
        }
        if (got == pid) {
            if (shown) clear_progress();
            return status;
        }
        if (shows && now() - begin > SHOWN_AFTER) {
            show_progress(records, now() - begin);
            shown = true;
        }
        const double left = o->limit > 0 ? begin + o->limit - now() : 3600;
        if (left <= 0) {
            if (shown) clear_progress();
            *timed_out = true;
            kill(group, told ? SIGKILL : SIGTERM);
            if (told) {
                while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
                return status;
            }
        }
        const double most = shows ? 1 : 3600, nap = left <= 0 ? 0.5 : left < most ? left : most;
        const struct timespec wait = {(time_t)nap, (long)(fmod(nap, 1) * 1e9)};
        const int s = sigtimedwait(signals, NULL, &wait);
        if (left <= 0) told = true;
        if (s == SIGINT || s == SIGTERM || s == SIGHUP || s == SIGQUIT) kill(group, s);
    }
}

int program_run(const struct program_options *o, char **argv, int *records, bool *timed_out, char *why, size_t size)
{
    char libraries[4096];
    struct program_way way;
    const char *const folder = way.path;
    *records = -1;
    *why = 0;
    *timed_out = false;
    if (!program_libraries(libraries, sizeof libraries)) {
        snprintf(why, size,
                 "the libraries that take CUDA's place are missing: lib/warpstep beside the program; "
                 "`make` builds them");
        return PROGRAM_FAILED;
    }
    if (!program_way_open(&way, libraries)) {
        snprintf(why, size,
                 "no link can be made to the libraries in \"%.200s\", which the dynamic linker cannot name: %s",
                 libraries, strerror(errno));
        return PROGRAM_FAILED;
    }
    const int card = text_file("warpstep-card", o->card_text);
    const int into = card < 0 ? -1 : memfd_create("warpstep-records", MFD_CLOEXEC);
    int said[2] = {-1, -1};
    if (into < 0 || pipe2(said, O_CLOEXEC)) {
        snprintf(why, size, "the program cannot be started: %s", strerror(errno));
        if (card >= 0) close(card);
        if (into >= 0) close(into);
        program_way_close(&way);
        return PROGRAM_FAILED;
    }
    sigset_t signals, before;
    sigemptyset(&signals);
    static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGTTOU}; /* the last: see show_progress */
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) sigaddset(&signals, passed[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const bool terminal = !o->quiet && isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
    const pid_t parent = getpid(), pid = fork();
    if (!pid) child(o, argv, folder, card, into, said[1], terminal, parent, &before);
    if (pid > 0 && !o->quiet) setpgid(pid, pid);
    close(said[1]);
    int failed = pid < 0 ? errno : 0, status = 0;
    if (pid > 0 && read(said[0], &failed, sizeof failed) != sizeof failed) failed = 0;
    close(said[0]);
    if (pid > 0) status = wait_for(pid, o, terminal, into, &signals, timed_out);
    if (terminal) to_terminal(getpgrp());
    /* whatever it left behind in its group ends with it at the limit */
    if (pid > 0 && *timed_out && !o->quiet) kill(-pid, SIGKILL);
    while (sigtimedwait(&signals, NULL, &(struct timespec){0, 0}) > 0) {}
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(card);
    program_way_close(&way);
    if (failed) {
        close(into);
        snprintf(why, size, "%s cannot be run: %s", argv[0], strerror(failed));
        return pid < 0 ? PROGRAM_FAILED : failed == ENOENT ? PROGRAM_ABSENT : PROGRAM_CANNOT;
    }
    *records = into;
    if (*timed_out) return EXIT_TIME;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
