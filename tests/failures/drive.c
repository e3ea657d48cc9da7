/* drive.c: runs the program many times, each time with another call failing (fail.c), and checks
 * what comes of it.
 *
 *     drive PROGRAM LIBRARY DIR thin|whole|SEQUENCE[:N]
 *
 * DIR holds folders 0, 1 ... made by make-folder, one per run in progress. For every sequence
 * below, an undisturbed run counts the calls. Then the n-th call fails: for every n up to 500 and
 * every 37th n above ("whole"), or for a few ("thin"). Whatever fails:
 *   - no process ends by a signal, and none is left after a while;
 *   - a right answer never fails, a wrong one never passes, and no journal holds anything else;
 *   - progress keeps the lines that it had, and has whole lines only;
 *   - exit status 0 means that everything was printed, or that a warning says what is missing; any
 *     other status comes with a message.
 * The last line is "N passed, N failed". A line FAIL names the sequence, n, the call that failed,
 * and the place that made the call.
 */
#define _GNU_SOURCE
#include "check.h"
#include "fail.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 64, WORKERS = 8, PATIENCE = 30, MOST = 1 << 20 };

enum verdict { NONE, RIGHT, WRONG, RACY, CLASS }; /* what is judged */
static const struct sequence {
    const char *name;
    enum verdict judged;
    const char *words[WORDS]; /* @ stands for the folder */
} sequences[] = {
    {"session", NONE, {"-c", "help",
                       "-c", "lesson 1",
                       "-c", "next",
                       "-c", "run",
                       "-c", "show source",
                       "-c", "show mem",
                       "-c", "run often",
                       "-c", "why",
                       "-c", "try @/twice.ptx --grid 1 --block 32 --arg i32[32]:iota --arg i32[32] --arg i32:32",
                       "-c", "--json run once",
                       "-c", "notes hello",
                       "-c", "progress"}},
    {"piped", NONE, {"-x", "@/commands"}},
    {"right", RIGHT, {"--json", "check", "1.1", "@/right.cu"}},
    {"wrong", WRONG, {"--json", "check", "1.1", "@/wrong.cu"}},
    {"racy", RACY, {"--json", "check", "1.2", "@/racy.cu"}},
    {"grade", CLASS, {"grade", "@/class"}},
};
enum { SEQUENCES = sizeof sequences / sizeof *sequences };

static const char *program, *library, *base;
static const char earlier[] = "2026-01-01T10:00:00Z at 1.once\n2026-01-01T10:00:01Z run 1.once device=sim:gtx1050\n";

static struct results {
    atomic_long passed, failed;
} * results;

struct outcome {
    int status; /* as waitpid gives it */
    bool hung;
    double seconds;
    char *out, *err, *csv, *journal, *progress;
    long count;
    char what[sizeof((struct fail_page *)0)->what], where[sizeof((struct fail_page *)0)->where];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *path_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *path_of(const char *fmt, ...)
{
    static char ring[8][PATH_MAX];
    static int at;
    va_list args;
    va_start(args, fmt);
    at = (at + 1) % 8;
    vsnprintf(ring[at], PATH_MAX, fmt, args);
    va_end(args);
    return ring[at];
}

static char *text_of(const char *path)
{
    char *text = calloc(1, MOST);
    FILE *f = fopen(path, "rb");
    if (!text) exit(2);
    if (f) {
        text[fread(text, 1, MOST - 1, f)] = 0;
        fclose(f);
    }
    return text;
}

static void put_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f)) {
        perror(path);
        exit(2);
    }
}

static int away(const char *path, const struct stat *s, int type, struct FTW *w)
{
    (void)s, (void)type, (void)w;
    return remove(path);
}

/* ---- a single run ---- */

static void fresh(const char *dir)
{
    static const char *const gone[] = {
        "home", "tmp", "class/.warpstep-grades", "class/.warpstep-class", "class/grades.csv", "class/grades.json"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        nftw(path_of("%s/%s", dir, gone[i]), away, 16, FTW_DEPTH | FTW_PHYS);
    mkdir(path_of("%s/home", dir), 0700);
    mkdir(path_of("%s/tmp", dir), 0700);
    mkdir(path_of("%s/home/warpstep", dir), 0700);
    put_text(path_of("%s/home/warpstep/progress", dir), earlier);
}

static void become(const struct sequence *s, const char *dir)
{
    char *argv[WORDS + 4];
    int n = 0;
    argv[n++] = (char *)(uintptr_t)program;
    argv[n++] = strdup("--lessons-only");
    argv[n++] = strdup(path_of("%s/lessons", dir));
    for (int i = 0; s->words[i]; i++) {
        const char *at = strchr(s->words[i], '@');
        argv[n++] =
            at ? strdup(path_of("%.*s%s%s", (int)(at - s->words[i]), s->words[i], dir, at + 1)) : strdup(s->words[i]);
    }
    argv[n] = NULL;
    setpgid(0, 0);
    setenv("HOME", path_of("%s/home", dir), 1);
    setenv("XDG_DATA_HOME", path_of("%s/home", dir), 1);
    setenv("XDG_STATE_HOME", path_of("%s/home", dir), 1);
    setenv("TMPDIR", path_of("%s/tmp", dir), 1);
    setenv("PATH", path_of("%s/bin:%s", dir, getenv("PATH")), 1);
    setenv("WARPSTEP_COMPILER", "nvcc", 1);
    setenv("WARPSTEP_TOOLCHAIN", path_of("%s/bin", dir), 1);
    setenv("FAIL_FILE", path_of("%s/page", dir), 1);
    setenv("FAIL_PROGRAM", program, 1);
    setenv("LC_ALL", "C", 1); /* the locale that remains when memory for another is missing */
    setenv("LD_PRELOAD", library, 1);
    int in = open("/dev/null", O_RDONLY), out = open(path_of("%s/out", dir), O_WRONLY | O_CREAT | O_TRUNC, 0600),
        err = open(path_of("%s/err", dir), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
    execv(program, argv);
    _exit(127);
}

static struct outcome run(const struct sequence *s, const char *dir, long n)
{
    struct outcome o = {0};
    int fd = open(path_of("%s/page", dir), O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct fail_page))) exit(2);
    struct fail_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) exit(2);
    close(fd);
    page->at = n;
    double start = now();
    pid_t pid = fork();
    if (pid == 0) become(s, dir);
    setpgid(pid, pid);
    while (waitpid(pid, &o.status, WNOHANG) == 0) {
        if (now() - start > PATIENCE && !o.hung) {
            o.hung = true;
            kill(-pid, SIGKILL);
        }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    o.seconds = now() - start;
    o.count = page->count;
    memcpy(o.what, page->what, sizeof o.what);
    memcpy(o.where, page->where, sizeof o.where);
    munmap(page, sizeof *page);
    o.out = text_of(path_of("%s/out", dir));
    o.err = text_of(path_of("%s/err", dir));
    o.csv = text_of(path_of("%s/class/grades.csv", dir));
    o.journal = text_of(path_of("%s/class/.warpstep-grades", dir));
    o.progress = text_of(path_of("%s/home/warpstep/progress", dir));
    return o;
}

static void outcome_free(struct outcome *o)
{
    free(o->out);
    free(o->err);
    free(o->csv);
    free(o->journal);
    free(o->progress);
}

/* ---- what an outcome must satisfy ---- */

/* Removes what is measured on this computer: numbers, and what depends on their length. */
static void blur(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        if (isdigit((unsigned char)*p)) {
            while (isdigit((unsigned char)*p) || ((*p == '.' || *p == ',') && isdigit((unsigned char)p[1])) ||
                   (*p == 'e' && (p[1] == '-' || p[1] == '+')) || (p[-1] == 'e' && (*p == '-' || *p == '+')))
                p++;
            while (to > text && to[-1] == ' ') to--;
            *to++ = '#';
            if (*p == ' ' && strchr("numkMG", p[1]) && (p[2] == 's' || p[2] == 'F' || p[2] == 'B')) p += 2;
            p--;
        } else if (*p != ' ' || to == text || to[-1] != ' ') {
            *to++ = *p;
        }
    }
    *to = 0;
}

/* Writes the first line in which they differ, after blur. */
static bool same_text(const char *a, const char *b, char *line, size_t size)
{
    char *x = strdup(a), *y = strdup(b);
    size_t at = 0, from = 0;
    if (!x || !y) exit(2);
    blur(x);
    blur(y);
    for (; x[at] && x[at] == y[at]; at++)
        if (x[at] == '\n') from = at + 1;
    bool same = x[at] == y[at];
    if (!same)
        snprintf(line, size, "\"%.*s\" for \"%.*s\"", (int)strcspn(x + from, "\n"), x + from,
                 (int)strcspn(y + from, "\n"), y + from);
    free(x);
    free(y);
    return same;
}

static bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* Is every line a line of a progress file? */
static bool is_progress(const char *text)
{
    if (strncmp(text, earlier, sizeof earlier - 1)) return false;
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (!line[n] || n < 25 || line[10] != 'T' || line[19] != 'Z' || line[20] != ' ') return false;
        line += n + 1;
    }
    return true;
}

/* Journal and table: ann passes, bob fails, and there is no other verdict. */
static bool class_is_right(const struct outcome *o)
{
    for (const char *line = o->csv; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (!strncmp(line, "ann,", 4) && strncmp(line, "ann,1.1-squares,1.1.cu,pass,pass,100,", 37) &&
            strncmp(line, "ann,1.1-squares,1.1.cu,unjudged,", 32))
            return false;
        if (!strncmp(line, "bob,", 4) && strncmp(line, "bob,1.1-squares,1.1.cu,fail,out-of-bounds,0,", 44) &&
            strncmp(line, "bob,1.1-squares,1.1.cu,unjudged,", 32))
            return false;
    }
    int passing = 0, failing = 0;
    for (const char *line = o->journal; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *tab = strchr(line, '\t');
        bool pass = tab && !strncmp(tab, "\tpass\tpass\t100\t", 15),
             fail = tab && !strncmp(tab, "\tfail\tout-of-bounds\t0\t", 22);
        passing += pass;
        failing += fail;
        if (*line != '\n' && !pass && !fail) return false;
    }
    return passing <= 2 && failing <= 1; /* our own solution is judged too */
}

static bool is_wrong(const struct sequence *s) { return s->judged == WRONG || s->judged == RACY; }

static const char *fault_of(const struct sequence *s, const struct outcome *o, const struct outcome *good)
{
    int status = WIFEXITED(o->status) ? WEXITSTATUS(o->status) : -1;
    if (o->hung) return "it does not end";
    if (status < 0) return "it ends by a signal";
    if (has(o->out, "(Segmentation") || has(o->err, "(Segmentation") || has(o->out, "(Abort") ||
        has(o->err, "(Abort") || has(o->csv, "(Segmentation") || has(o->csv, "(Abort"))
        return "a child of it ends by a signal";
    if (s->judged == RIGHT && has(o->out, "\"verdict\":\"fail\"")) return "a right answer fails";
    const char *reason = s->judged == RACY ? "\"reason\":\"race\"" : "\"reason\":\"out-of-bounds\"";
    if (is_wrong(s) && has(o->out, "\"verdict\":\"pass\"")) return "a wrong answer passes";
    if (is_wrong(s) && has(o->out, "\"verdict\":\"fail\"") && !has(o->out, reason))
        return "a wrong answer fails for what is not wrong with it";
    if (s->judged == CLASS && !class_is_right(o)) return "what is in the table or in the journal is not so";
    if (!is_progress(o->progress)) return "progress is damaged";
    if (status == 0 || (is_wrong(s) && status == 1 && has(o->out, "\"verdict\":\"fail\""))) {
        static char why[400];
        size_t n = (size_t)snprintf(why, sizeof why, "a status of success, but not all is printed: ");
        bool same = same_text(o->out, good->out, why + n, sizeof why - n) && !strcmp(o->csv, good->csv);
        if (!same && (s->judged || !has(o->err, "warning: "))) return why;
    } else if (!*o->err && !has(o->out, "\"event\":\"error\"") && !has(o->out, "\"message\":\"") &&
               !has(o->out, "not judged")) {
        return "it fails without a word";
    }
    return NULL;
}

static void one(const struct sequence *s, const char *dir, long n, const struct outcome *good)
{
    fresh(dir);
    struct outcome o = run(s, dir, n);
    const char *fault = fault_of(s, &o, good);
    /* What a shortage left without a verdict gets one in the next run, with the same seed. */
    if (!fault && s->judged == CLASS && o.status && n % 4 == 0) {
        struct outcome again = run(s, dir, 0);
        if (again.status || strcmp(again.csv, good->csv)) fault = "the class is not judged the next time";
        outcome_free(&again);
    }
    atomic_fetch_add(fault ? &results->failed : &results->passed, 1);
    if (fault) {
        printf("FAIL %s, call %ld (%s) fails: %s; status %d after %.1f s\n     %.300s\n     %.300s\n   %s\n", s->name,
               n, o.what, fault, WIFEXITED(o.status) ? WEXITSTATUS(o.status) : -WTERMSIG(o.status), o.seconds, o.err,
               s->judged == CLASS ? o.csv
               : s->judged        ? o.out
                                  : "",
               o.where);
        fflush(stdout);
    }
    outcome_free(&o);
}

static bool chosen(long n, bool whole, long calls)
{
    if (whole) return n <= 500 || n % 37 == 0;
    long part = calls / 24 + 1;
    return n <= 500 ? n % 23 == 5 : n % part == part / 2;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: drive PROGRAM LIBRARY DIR thin|whole|SEQUENCE[:N]\n");
        return 2;
    }
    program = argv[1];
    library = argv[2];
    base = argv[3];
    bool whole = !strcmp(argv[4], "whole"), thin = !strcmp(argv[4], "thin");
    size_t name = strcspn(argv[4], ":");
    long only = argv[4][name] ? atol(argv[4] + name + 1) : 0;
    results = mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED) return 2;
    int workers = 0;
    while (workers < WORKERS && !access(path_of("%s/%d", base, workers), X_OK)) workers++;
    for (int i = 0; i < SEQUENCES; i++) {
        const struct sequence *s = &sequences[i];
        if (!whole && !thin && (strlen(s->name) != name || strncmp(s->name, argv[4], name))) continue;
        double start = now();
        char first[PATH_MAX];
        snprintf(first, sizeof first, "%s/0", base);
        fresh(first);
        struct outcome good = run(s, first, 0);
        if (!good.count) {
            printf("SKIP failures: LD_PRELOAD puts nothing into this program\n");
            return 77;
        }
        if (WEXITSTATUS(good.status) != is_wrong(s) || fault_of(s, &good, &good)) {
            check_that(false, "%s, undisturbed: status %d\n%s%s", s->name, good.status, good.out, good.err);
            return check_end();
        }
        if (only) {
            one(s, first, only, &good);
            fresh(first);
            struct outcome o = run(s, first, only);
            printf("%s\n%s\n%s: %s\n", o.out, o.err, o.what, o.where);
            outcome_free(&o);
        }
        /* threads do not make the same number of calls each time */
        long calls = good.count + good.count / 20, before = results->passed + results->failed;
        fflush(stdout);
        for (int w = 0; w < workers && !only; w++) {
            if (fork()) continue;
            char dir[PATH_MAX];
            long k = 0;
            snprintf(dir, sizeof dir, "%s/%d", base, w);
            for (long n = 1; n <= calls; n++)
                if (chosen(n, whole || !thin, calls) && k++ % workers == w) one(s, dir, n, &good);
            _exit(0);
        }
        while (wait(NULL) > 0) continue;
        printf("%s: %ld calls, %ld of them failed, in %.0f s\n", s->name, good.count,
               results->passed + results->failed - before, now() - start);
        outcome_free(&good);
    }
    return check_line((case_counts){.passed = results->passed, .failed = results->failed});
}
