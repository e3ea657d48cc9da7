/* sim.c: measures how fast the simulator is: one row per workload, level of checking and number of
 * host threads. It is not a test: nothing here fails on a slow machine. A child process measures
 * each row, so that the peak memory is that of the row alone. The two rows of a level take turns,
 * launch by launch, so that other work on the machine slows both equally. Each runs for a second
 * and a half and makes at least five launches; the best one counts. A timed row makes one launch.
 * `x` is the speedup over one thread. On a busy machine the processor time (cpu ms) says more than
 * the elapsed time: two threads that share well spend together what one does. Rows named `timed`
 * show what a learner gets, which times a sample of the blocks where that suffices; `exact` times
 * every block. Arguments: a part of a workload's name, a level. */
#include "sim.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct workload {
    const char *name, *kernel;
    unsigned grid[2], block[2];
    size_t in, out; /* floats */
    int n;
    bool sampled; /* the size of the articles' launches: for rows named `timed` only, which time a sample */
} workloads[] = {
    {"integer loop", "integer_loop", {64, 1}, {256, 1}, 1, 64 * 256, 40000, false},
    {"tiled product, 512", "tiled_product", {32, 32}, {16, 16}, 512 * 512, 512 * 512, 512, false},
    {"naive product, 512", "naive_product", {16, 64}, {32, 8}, 512 * 512, 512 * 512, 512, false},
    {"reduction, 2^25", "reduction", {1024, 1}, {256, 1}, 1 << 25, 1024, 1 << 25, false},
    {"divergent", "divergent", {256, 1}, {128, 1}, 1, 256 * 128, 40, false},
    {"shared sort, 2^19", "shared_sort", {512, 1}, {256, 1}, 1 << 19, 1 << 19, 0, false},
    {"tiled product, 1008", "tiled_product", {63, 63}, {16, 16}, 1008 * 1008, 1008 * 1008, 1008, true},
    {"naive product, 992", "naive_product", {31, 124}, {32, 8}, 992 * 992, 992 * 992, 992, true},
    {"reduction, 10^8", "reduction", {1024, 1}, {256, 1}, 100000000, 1024, 100000000, true},
};
static const struct level {
    const char *name;
    unsigned checks, counts;
    const char *card; /* the card that is timed; NULL: none */
    bool exact;       /* all blocks are timed, not a sample */
} levels[] = {
    {"off", 0, 0, NULL, false},
    {"counters", 0, SIM_COUNT_MEMORY, NULL, false},
    {"memory", SIM_CHECK_INIT, 0, NULL, false},
    {"all", SIM_CHECK_ALL, 0, NULL, false},
    {"timed", 0, 0, "8800gt", false},
    {"exact", 0, 0, "8800gt", true},
    {"timed H200", 0, 0, "h200", false},
    {"exact H200", 0, 0, "h200", true},
};

static char *read_file(const char *name, size_t *bytes)
{
    FILE *f = fopen(name, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f || !text) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(2);
    }
    *bytes = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

static void stop(const sim_error *e)
{
    fprintf(stderr, "%s\n", e->message);
    exit(2);
}

typedef struct figures {
    double seconds, cpu_seconds, load_seconds;
    double warp, thread, fma, peak, cycles;
    int code, threads, again;
} figures;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a child: makes a launch per byte received, and sends the best figures so far. */
static void measure(const struct workload *w, const struct level *v, int threads, const char *ptx, size_t bytes,
                    int come, int go)
{
    sim_error e = {0};
    sim_card c;
    sim *s = NULL;
    sim_module *m = NULL;
    uint64_t at[3] = {0, 0, (uint64_t)w->n};
    figures best = {.seconds = 1e9};
    const char *of = v->card ? v->card : "h200";
    char file[64];
    size_t ignored;
    snprintf(file, sizeof file, "sim/cards/%s.card", of);
    char *card = read_file(file, &ignored);
    double begin = now();
    if (sim_card_read(&c, card, of, &e) || sim_open(&s, &c, &e) || sim_load(s, "workloads.ptx", ptx, bytes, &m, &e))
        stop(&e);
    best.load_seconds = now() - begin;
    if (sim_alloc(s, w->in * 4, "in", &at[0], &e) || sim_alloc(s, w->out * 4, "out", &at[1], &e)) stop(&e);
    float *in = malloc(w->in * 4);
    if (!in) exit(2);
    for (size_t i = 0; i < w->in; i++) in[i] = (float)((i * 2654435761u >> 8) % 1000) * 0.001f;
    if (sim_write(s, at[0], in, w->in * 4, &e)) stop(&e);
    free(in);
    sim_launch l = {.kernel = w->kernel,
                    .grid = {w->grid[0], w->grid[1], 1},
                    .block = {w->block[0], w->block[1], 1},
                    .params = at,
                    .param_bytes = 20,
                    .checks = v->checks,
                    .counts = v->counts,
                    .timed = v->card != NULL,
                    .exact = v->exact,
                    .host_threads = threads};
    char token;
    while (read(come, &token, 1) == 1) {
        sim_result r;
        double before = cpu();
        if (sim_run(s, m, &l, &r, &e)) stop(&e);
        if (r.host_seconds < best.seconds) {
            best.cpu_seconds = cpu() - before;
            best.seconds = r.host_seconds;
            best.warp = (double)r.total.warp_instructions;
            best.thread = (double)r.total.thread_instructions;
            best.cycles = (double)r.cycles;
            best.fma = (double)r.total.fma_operations;
        }
        best.code = r.code;
        best.threads = r.host_threads;
        best.again = r.reran_in_order;
        if (r.fault_count) fprintf(stderr, "%s: %s\n", w->name, r.faults[0].message);
        sim_result_free(&r);
        struct rusage u;
        getrusage(RUSAGE_SELF, &u);
        best.peak = (double)u.ru_maxrss * 1024;
        if (write(go, &best, sizeof best) != sizeof best) break;
    }
    sim_close(s);
}

typedef struct child {
    pid_t pid;
    int come, go; /* figures from the child; requests to it */
    figures f;
} child;

static child start(const struct workload *w, const struct level *v, int threads, const char *ptx, size_t bytes)
{
    int up[2], down[2];
    child c = {0};
    if (pipe(up) || pipe(down) || (c.pid = fork()) < 0) exit(2);
    if (!c.pid) {
        close(up[0]);
        close(down[1]);
        measure(w, v, threads, ptx, bytes, down[0], up[1]);
        _exit(0);
    }
    close(up[1]);
    close(down[0]);
    c.come = up[0];
    c.go = down[1];
    return c;
}

static bool launch(child *c)
{
    if (write(c->go, "", 1) == 1 && read(c->come, &c->f, sizeof c->f) == sizeof c->f) return true;
    c->f.code = -1;
    return false;
}

/* Closes all pipes before it waits: a child holds the pipes of those started before it. */
static void finish(const child *c, int n)
{
    for (int i = 0; i < n; i++) close(c[i].go), close(c[i].come);
    for (int i = 0; i < n; i++) waitpid(c[i].pid, NULL, 0);
}

static void show(const struct workload *w, const struct level *v, int threads, const figures *f, const figures *one)
{
    if (f->code) {
        printf("%-19s %-10s %7d failed (%d)\n", w->name, v->name, threads, f->code);
        return;
    }
    printf("%-19s %-10s %7d %8.0f %8.0f %5.2f %8.1f %10.0f %8.1f %8.1f %8.1f", w->name, v->name, f->threads,
           f->seconds * 1e3, f->cpu_seconds * 1e3, one->seconds / f->seconds, f->warp / f->seconds * 1e-6,
           f->thread / f->seconds * 1e-6, f->fma / f->seconds * 1e-6, f->peak / 1048576,
           (double)(w->in + w->out) * 4 / 1048576);
    if (v->card) printf(" %13.0f", f->cycles);
    printf("%s\n", f->again ? "  in order" : "");
}

int main(int argc, char **argv)
{
    size_t bytes;
    char *ptx = read_file("tests/bench/workloads.ptx", &bytes);
    printf("%-19s %-10s %7s %8s %8s %5s %8s %10s %8s %8s %8s %13s\n", "workload", "checks", "threads", "ms", "cpu ms",
           "x", "M warp/s", "M thread/s", "M FMA/s", "peak MiB", "data MiB", "cycles");
    double load = 0;
    signal(SIGPIPE, SIG_IGN); /* a child that died shows as a failed row */
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
            if (argc > 1 && !strstr(workloads[i].name, argv[1])) continue;
            if (argc > 2 && strcmp(levels[k].name, argv[2])) continue;
            if (workloads[i].sampled && (!levels[k].card || levels[k].exact)) continue;
            child c[2];
            fflush(stdout);
            for (int t = 0; t < 2; t++) c[t] = start(&workloads[i], &levels[k], t + 1, ptx, bytes);
            const double begin = now();
            for (int round = 0; round == 0 || (!levels[k].card && (round < 5 || now() - begin < 3)); round++)
                if (!launch(&c[0]) || !launch(&c[1])) break;
            finish(c, 2);
            for (int t = 0; t < 2; t++) show(&workloads[i], &levels[k], t + 1, &c[t].f, &c[0].f);
            if (!c[0].f.code) load = c[0].f.load_seconds;
        }
    printf("\nopening a card and loading the %zu bytes of workloads.ptx: %.2f ms\n", bytes, load * 1e3);
    return 0;
}
