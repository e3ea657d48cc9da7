/* child.c: child processes: answers, exit statuses, crashes, limits of time, memory and output,
 * Ctrl-C, programs, and what is left behind. */
#define _GNU_SOURCE
#include "shell/child.c"
#include "shell/free_memory.c"
#include "shell/seal.c"
#include "shell/seal_files.c"
#include "check.h"

volatile sig_atomic_t app_interrupted;
static int answers(struct child *c, void *arg)
{
    child_printf(c, "%s ", (const char *)arg);
    char big[5000];
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = 0;
    child_printf(c, "%s", big);
    return 7;
}
static int much(struct child *c, void *arg)
{
    char block[65536];
    size_t *total = arg;
    memset(block, 'y', sizeof block);
    for (size_t n = 0; n < *total; n += sizeof block)
        if (!child_put(c, block, sizeof block)) return 1;
    return 0;
}
static int crashes(struct child *c, void *arg)
{
    (void)arg;
    child_put(c, "before", 6);
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = SIG_DFL;
    sigaction(SIGSEGV, &a, NULL); /* a sanitizer would catch the signal */
    raise(SIGSEGV);
    return 0;
}
static int is_killed(struct child *c, void *arg) /* as the kernel kills where memory runs out */
{
    (void)c, (void)arg;
    kill(getpid(), SIGKILL);
    return 0;
}

static int spins(struct child *c, void *arg)
{
    (void)arg;
    child_put(c, "partial", 7);
    for (volatile int i = 1; i;) {}
    return 0;
}
static int with_grandchild(struct child *c, void *arg)
{
    (void)arg;
    pid_t pid = fork(); /* keeps the pipe open after its parent has ended */
    if (pid == 0) {
        for (;;) pause();
    }
    child_put(c, &pid, sizeof pid);
    return 3;
}
static int hungry(struct child *c, void *arg)
{
    (void)arg;
    void *p = malloc((size_t)1 << 30);
    child_put(c, p ? "got" : "none", p ? 3 : 4);
    free(p);
    return 0;
}
static int interrupts_parent(struct child *c, void *arg)
{
    (void)arg;
    child_put(c, "on", 2);
    kill(getppid(), SIGINT);
    for (;;)
        if (pause() == 0) return 0;
}
static int reads_stdin(struct child *c, void *arg)
{
    (void)arg;
    char byte;
    child_printf(c, "%d", (int)read(0, &byte, 1));
    return 0;
}
static void processor_time(void)
{
    struct child_result r;
    struct child_limits busy = {.cpu_seconds = 0.5};
    check(child_run(&busy, spins, NULL, &r) == EXIT_INTERNAL && r.signal == SIGXCPU, "a limit of processor time");
    child_free(&r);
}

static void on_interrupt(int s)
{
    (void)s;
    app_interrupted = 1;
}

/* A child that stays: it counts its requests and does what each one says. */
static int kept_work(struct child *c, void *arg)
{
    static int count;
    char what = *(const char *)arg;
    child_printf(c, "%d", ++count);
    if (what == 'x') crashes(c, NULL);
    if (what == 's') spins(c, NULL);
    if (what == 'b') { /* more than a pipe holds, sent before the status */
        size_t total = 1 << 20;
        return much(c, &total);
    }
    return what == 'l' ? 5 + CHILD_LAST : 5;
}

static bool asked(struct child_kept **kept, const char *what, int status, const char *answer)
{
    struct child_limits limits = {.seconds = 0.5};
    struct child_result r;
    int got = child_ask(kept, &limits, kept_work, what, 2, &r);
    bool ok = got == status && (status || r.status == 5) && r.bytes == strlen(answer) && !strcmp(r.answer, answer);
    if (!ok) printf("  got %d, status %d, \"%s\"\n", got, r.status, r.answer ? r.answer : "");
    child_free(&r);
    return ok;
}

static void kept_children(void)
{
    struct child_kept *kept = NULL;
    check(asked(&kept, "a", 0, "1"), "a kept child answers");
    check(asked(&kept, "a", 0, "2"), "and again, the same one");
    check(asked(&kept, "l", 0, "3") && !kept, "one that says it is the last is ended");
    check(asked(&kept, "a", 0, "1"), "another takes its place");
    check(asked(&kept, "x", EXIT_INTERNAL, "2before") && !kept, "a crash ends it");
    check(asked(&kept, "s", EXIT_TIME, "1partial") && !kept, "a time limit ends it");
    check(asked(&kept, "a", 0, "1"), "and the next request finds a new one");
    kill(kept->pid, SIGKILL);
    while (waitpid(kept->pid, NULL, WNOHANG) == 0) {}
    check(asked(&kept, "a", 0, "1"), "one that was killed between requests is replaced");
    struct child_result r;
    check(child_ask(&kept, NULL, kept_work, "b", 2, &r) == 0 && r.bytes >= 1 << 20, "a long answer arrives in full");
    child_free(&r);
    app_interrupted = 1;
    check(child_ask(&kept, NULL, kept_work, "a", 2, &r) == EXIT_INTERRUPT, "Ctrl-C before it starts");
    child_free(&r);
    app_interrupted = 0;
    pid_t pid = kept->pid;
    child_release(&kept);
    check(!kept && kill(pid, 0) < 0, "a released child is gone");
}

int main(void)
{
    kept_children();
    struct child_result r;
    char word[] = "hello";
    check(child_run(NULL, answers, word, &r) == EXIT_DONE && r.end == CHILD_DONE && r.status == 7, "status comes back");
    check(r.bytes == 6 + 4999 && r.answer && !strncmp(r.answer, "hello xxx", 9) && !r.answer[r.bytes],
          "answer comes back");
    child_free(&r);

    size_t total = 20 << 20;
    check(child_run(NULL, much, &total, &r) == EXIT_DONE && r.bytes == total, "20 MiB come back");
    child_free(&r);
    struct child_limits small = {.max_answer = 100000};
    check(child_run(&small, much, &total, &r) == EXIT_INTERNAL && r.end == CHILD_FLOOD && r.bytes == 100000,
          "flood ends");
    child_free(&r);

    check(child_run(NULL, crashes, NULL, &r) == EXIT_INTERNAL && r.end == CHILD_CRASHED && r.signal == SIGSEGV,
          "crash");
    check(r.bytes == 6 && strstr(r.message, "signal 11"), "a crash keeps the answer and says the signal");
    child_free(&r);

    check(child_run(NULL, is_killed, NULL, &r) == EXIT_INTERNAL && r.end == CHILD_CRASHED && r.signal == SIGKILL,
          "killed");
    check(strstr(r.message, "want of memory: it held ") && strstr(r.message, "iB were free"),
          "a killed one may have wanted memory: what it held, what was there");
    child_free(&r);

    struct child_limits brief = {.seconds = 0.2};
    check(child_run(&brief, spins, NULL, &r) == EXIT_TIME && r.end == CHILD_TIME && r.bytes == 7, "time limit");
    check(r.seconds >= 0.2 && r.seconds < 5, "the time limit is kept");
    child_free(&r);

    pid_t left = 0;
    check(child_run(NULL, with_grandchild, NULL, &r) == EXIT_DONE && r.status == 3,
          "a child's child does not hold us up");
    if (r.bytes == sizeof left) memcpy(&left, r.answer, sizeof left);
    int gone = 0;
    for (int i = 0; i < 500 && left > 0 && !gone; i++) {
        char path[64], state = 0;
        snprintf(path, sizeof path, "/proc/%ld/stat", (long)left);
        FILE *f = fopen(path, "r");
        if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = 0;
        if (f) fclose(f);
        gone = kill(left, 0) != 0 || state == 'Z'; /* a zombie, which nobody here reaps */
        if (!gone) nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    check(gone, "a child's child ends with it");
    child_free(&r);

    if (!SEAL_SANITIZED) {
        struct child_limits tight = {.memory_bytes = 64 << 20};
        check(child_run(&tight, hungry, NULL, &r) == EXIT_DONE && r.bytes == 4, "memory limit");
        child_free(&r);
    }

    processor_time();
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_interrupt;
    sigaction(SIGINT, &a, NULL);
    for (int i = 0; i < 3; i++) {
        app_interrupted = 0;
        check(child_run(NULL, interrupts_parent, NULL, &r) == EXIT_INTERRUPT && r.end == CHILD_INTERRUPTED, "Ctrl-C");
        child_free(&r);
    }
    check(child_run(NULL, answers, word, &r) == EXIT_INTERRUPT && r.bytes == 0, "nothing starts after Ctrl-C");
    child_free(&r);
    app_interrupted = 0;
    check(child_run(NULL, reads_stdin, NULL, &r) == EXIT_DONE && !strcmp(r.answer, "0"), "a child's stdin is empty");
    child_free(&r);

    char *echo[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"echo out; echo err >&2; exit 5"}, NULL};
    check(child_exec(NULL, echo, &r) == EXIT_DONE && r.status == 5 && !strcmp(r.answer, "out\nerr\n"), "a program");
    child_free(&r);
    char *missing[] = {(char[]){"no-such-program-here"}, NULL};
    check(child_exec(NULL, missing, &r) == EXIT_INTERNAL && r.end == CHILD_FAILED && *r.message, "a missing program");
    child_free(&r);
    check(waitpid(-1, NULL, WNOHANG) == -1, "no zombies");

    return check_end();
}
