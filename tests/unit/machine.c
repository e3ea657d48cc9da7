/* machine.c: what only a whole machine shows: lanes that wait for lanes, blocks that wait for
 * blocks, calls and stacks, faults of control flow. The number of host threads must change nothing.
 * The kernels are in tests/machine/machine.cu. */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sim *s;
static sim_module *m;
static uint64_t at;
enum { CELLS = 1 << 20 };
static int32_t out[CELLS], other[CELLS];

static char *read_file(const char *name, size_t *bytes)
{
    FILE *f = fopen(name, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f || !text) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(1);
    }
    *bytes = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

typedef struct how {
    const char *kernel;
    uint32_t grid, block;
    int n;
    unsigned checks;
    int threads;
    bool cooperative, given; /* given: in memory of the host, which can refill it */
    uint64_t limit, shuffle;
    const void *params; /* NULL: (out, n) */
    size_t param_bytes;
} how;

static char why[600];

static int filled;

static void fill(void *arg, void *memory)
{
    int32_t *cell = memory;
    (void)arg;
    filled++;
    for (int i = 0; i < CELLS; i++) cell[i] = 5 * i;
}

/* Runs a kernel on zeroed memory, or on memory filled by `fill`; copies that memory to `out`. */
static bool run(const how *h, sim_result *r)
{
    sim_error e = {0};
    struct {
        uint64_t p;
        int32_t n;
    } p = {at, h->n};
    if (h->given) {
        void *memory = sim_host_memory(sizeof out);
        fill(NULL, memory);
        sim_give(s, memory, sizeof out, "given", fill, NULL, &p.p, &e);
        filled = 0;
    } else {
        memset(out, 0, sizeof out);
        sim_write(s, at, out, sizeof out, &e);
    }
    sim_launch l = {.kernel = h->kernel,
                    .grid = {h->grid, 1, 1},
                    .block = {h->block, 1, 1},
                    .params = h->params ? h->params : &p,
                    .param_bytes = h->params ? h->param_bytes : 12,
                    .checks = h->checks,
                    .host_threads = h->threads ? h->threads : 1,
                    .cooperative = h->cooperative,
                    .shuffle = h->shuffle,
                    .max_instructions = h->limit ? h->limit : 200000000};
    if (sim_run(s, m, &l, r, &e)) {
        snprintf(why, sizeof why, "%s", e.message);
        return false;
    }
    sim_read(s, p.p, out, sizeof out, &e);
    if (h->given) sim_free(s, p.p, &e);
    snprintf(why, sizeof why, "code %d%s%s", r->code, r->fault_count ? ": " : "",
             r->fault_count ? r->faults[0].message : "");
    return true;
}

#define FINE(name, condition, ...)                                     \
    do {                                                               \
        sim_result r_;                                                 \
        bool ok_ = run(&(how){__VA_ARGS__}, &r_) && r_.code == SIM_OK; \
        bool right_ = ok_;                                             \
        for (int t = 0; ok_ && t < CELLS; t++)                         \
            if (!(condition)) {                                        \
                snprintf(why, sizeof why, "out[%d] is %d", t, out[t]); \
                right_ = false;                                        \
                break;                                                 \
            }                                                          \
        check_why(right_, name, why);                                  \
        sim_result_free(&r_);                                          \
    } while (0)

static void faults(const char *name, enum sim_fault_kind kind, how h)
{
    sim_result r;
    bool ok =
        run(&h, &r) && r.code == SIM_E_FAULT && r.fault_count && r.faults[0].kind == kind && r.faults[0].at.line > 0;
    check_why(ok, name, why);
    sim_result_free(&r);
}

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int table_of(int t)
{
    switch (t % 8) {
    case 0: return t * 3;
    case 1: return t ^ 55;
    case 2: return t << 2;
    case 3: return t - 100;
    case 4: return t * t;
    case 5: return ~t;
    case 6: return t / 3;
    default: return 7;
    }
}

static int reconverged(int t)
{
    int k = 0;
    for (int i = 0; i < t % 7; i++) k += i * t;
    return k + 32;
}

static int local_sum(int t, int n)
{
    int a[32];
    unsigned sum = 0;
    for (int i = 0; i < 32; i++) a[(i * 5 + t) % 32] = i * t;
    for (int i = 0; i < n; i++) sum = sum * 3 + (unsigned)a[(i + t) % 32];
    return (int)sum;
}

static void waiting(void)
{
    FINE("lanes of a warp take a lock in turn", out[t] == (t == 0 ? 64 : 0), .kernel = "spin_lock", .grid = 1,
         .block = 64, .n = 0);
    FINE("... with all checks", out[t] == (t == 0 ? 64 : 0), .kernel = "spin_lock", .grid = 1, .block = 64, .n = 0,
         .checks = SIM_CHECK_ALL);
    FINE("two lanes of a warp answer each other", out[t] == (t < 2 ? 50 : 0), .kernel = "ping_pong", .grid = 1,
         .block = 32, .n = 50);
    FINE("... with all checks", out[t] == (t < 2 ? 50 : 0), .kernel = "ping_pong", .grid = 1, .block = 32, .n = 50,
         .checks = SIM_CHECK_ALL);
    FINE("blocks that wait for later blocks", out[t] == (t < 40 ? 40 - t : 0), .kernel = "backwards", .grid = 40,
         .block = 64, .n = 0);
    FINE("... on several host threads", out[t] == (t < 40 ? 40 - t : 0), .kernel = "backwards", .grid = 40, .block = 64,
         .n = 0, .threads = 4);
    FINE("grid-wide synchronisation", out[t] == (t < 640 ? 5 : 0), .kernel = "grid_sync", .grid = 10, .block = 64,
         .n = 5, .cooperative = true);
    FINE("... with all checks", out[t] == (t < 640 ? 5 : 0), .kernel = "grid_sync", .grid = 10, .block = 64, .n = 5,
         .checks = SIM_CHECK_ALL, .cooperative = true);
}

static void control(void)
{
    struct {
        uint64_t p;
        struct {
            int a;
            double b;
            char c[5];
            short d;
        } v;
    } big = {at, {5, 2.5, {1, 2, 3, 4, 5}, -7}};
    static const int lookup[] = {4, 1, 5, 9};
    FINE("recursion, diverged", out[t] == (t < 64 ? fib(t % 11) : 0), .kernel = "recursion", .grid = 1, .block = 64,
         .n = 10);
    FINE("... with all checks", out[t] == (t < 64 ? fib(t % 11) : 0), .kernel = "recursion", .grid = 1, .block = 64,
         .n = 10, .checks = SIM_CHECK_ALL);
    FINE("calls through pointers, each lane its own",
         out[t] == (t < 64 ? t % 3 == 0   ? 2 * t
                             : t % 3 == 1 ? t * t
                                          : -t
                           : 0),
         .kernel = "indirect", .grid = 1, .block = 64, .n = 0);
    FINE("a jump table, each lane its own way", out[t] == (t < 96 ? table_of(t) : 0), .kernel = "jump_table", .grid = 1,
         .block = 96, .n = 0);
    FINE("lanes that leave a loop apart meet behind it", out[t] == (t < 64 ? reconverged(t) : 0),
         .kernel = "reconverge", .grid = 1, .block = 64, .n = 0);
    FINE("threads that have ended are not waited for", out[t] == (t < 64 && t % 2 == 0), .kernel = "some_end",
         .grid = 1, .block = 64, .n = 0, .checks = SIM_CHECK_ALL);
    FINE("local arrays", out[t] == (t < 64 ? local_sum(t, 50) : 0), .kernel = "local_array", .grid = 1, .block = 64,
         .n = 50);
    FINE("... with all checks", out[t] == (t < 64 ? local_sum(t, 50) : 0), .kernel = "local_array", .grid = 1,
         .block = 64, .n = 50, .checks = SIM_CHECK_ALL);
    FINE("a struct by value", out[t] == (t < 10 ? 5 + 2 + t % 5 + 1 - 7 : 0), .kernel = "by_value", .grid = 1,
         .block = 10, .n = 0, .params = &big, .param_bytes = sizeof big);
    FINE("constant and global data, with addresses in them", out[t] == (t < 16 ? lookup[t % 4] + 10 * (t % 4 + 1) : 0),
         .kernel = "data", .grid = 1, .block = 16, .n = 0, .checks = SIM_CHECK_ALL);
    faults("a stack overflow", SIM_FAULT_STACK_OVERFLOW, (how){.kernel = "overflow", .grid = 1, .block = 32, .n = 0});
    faults("a call of no function", SIM_FAULT_BAD_CALL, (how){.kernel = "bad_call", .grid = 1, .block = 32, .n = 77});
    faults("lanes of a warp at different barriers", SIM_FAULT_BARRIER_DIVERGENCE,
           (how){.kernel = "parted_barrier", .grid = 1, .block = 64, .n = 0, .checks = SIM_CHECK_ALL});
    faults("warps at barriers that never fill", SIM_FAULT_BARRIER_DIVERGENCE,
           (how){.kernel = "named_deadlock", .grid = 1, .block = 64, .n = 0});
    faults("a kernel that never ends", SIM_FAULT_ENDLESS,
           (how){.kernel = "endless", .grid = 2, .block = 64, .n = 0, .limit = 3000000});
    faults("barriers that never end", SIM_FAULT_ENDLESS,
           (how){.kernel = "endless_barriers", .grid = 2, .block = 96, .limit = 3000000});
    faults("... on several host threads", SIM_FAULT_ENDLESS,
           (how){.kernel = "endless", .grid = 8, .block = 64, .n = 0, .limit = 3000000, .threads = 4});
}

/* One, two and four host threads give the same memory, counters and faults. */
static void reruns_alike(const char *name, how h, bool may_rerun)
{
    sim_result one, r;
    bool ok = run(&h, &one);
    memcpy(other, out, sizeof out);
    for (int threads = 2; ok && threads <= 4; threads += 2) {
        h.threads = threads;
        ok = run(&h, &r);
        if (!ok) break;
        if (memcmp(other, out, sizeof out))
            ok = false, snprintf(why, sizeof why, "%d threads leave other results", threads);
        if (memcmp(&one.total, &r.total, sizeof r.total))
            ok = false, snprintf(why, sizeof why, "%d threads count otherwise", threads);
        if (one.code != r.code || one.fault_count != r.fault_count)
            ok = false, snprintf(why, sizeof why, "%d threads end otherwise", threads);
        for (int i = 0; ok && i < r.fault_count; i++)
            if (strcmp(one.faults[i].message, r.faults[i].message) ||
                memcmp(one.faults[i].at.block, r.faults[i].at.block, 12))
                ok = false, snprintf(why, sizeof why, "%d threads fault otherwise", threads);
        if (ok && !may_rerun && (r.reran_in_order || r.host_threads != threads))
            ok = false, snprintf(why, sizeof why, "%d threads: ran in order without need", threads);
        if (ok && h.given && filled != r.reran_in_order)
            ok = false, snprintf(why, sizeof why, "%d threads: filled %d times", threads, filled);
        sim_result_free(&r);
    }
    check_why(ok, name, why);
    sim_result_free(&one);
}

static void threads(void)
{
    reruns_alike("blocks that share nothing run side by side",
                 (how){.kernel = "independent", .grid = 256, .block = 128, .n = 200}, false);
    reruns_alike("... with uninitialised reads watched",
                 (how){.kernel = "independent", .grid = 256, .block = 128, .n = 200, .checks = SIM_CHECK_INIT}, false);
    reruns_alike("the order of tickets", (how){.kernel = "ticket", .grid = 200, .block = 64, .n = 300}, true);
    reruns_alike("atomics whose order does not show run side by side",
                 (how){.kernel = "histogram", .grid = 64, .block = 128, .n = 100}, false);
    reruns_alike("each block reads the one before", (how){.kernel = "chain", .grid = 200, .block = 64, .n = 300}, true);
    reruns_alike("... and what was given has to be filled again",
                 (how){.kernel = "chain", .grid = 200, .block = 64, .n = 300, .given = true}, true);
    reruns_alike("... 128 bytes at a time", (how){.kernel = "warp_chain", .grid = 200, .block = 64, .n = 300}, true);
    reruns_alike("... or what the one behind has yet to write",
                 (how){.kernel = "warp_chain_back", .grid = 200, .block = 64, .n = 300}, true);
    reruns_alike("... but not after blocks that share nothing",
                 (how){.kernel = "independent", .grid = 256, .block = 128, .n = 200, .given = true}, false);
    reruns_alike("a buffer that only a late block writes",
                 (how){.kernel = "late_write", .grid = 64, .block = 128, .n = 100}, true);
    reruns_alike("blocks that write bytes of one word", (how){.kernel = "bytes", .grid = 300, .block = 64, .n = 300},
                 true);
    reruns_alike("float sums, whose order shows", (how){.kernel = "float_sum", .grid = 100, .block = 64, .n = 200},
                 false);
    reruns_alike("a fault in a late block", (how){.kernel = "late_fault", .grid = 100, .block = 64, .n = 300}, true);
}

/* Runs `h` in shuffled orders 1, 2 ... and counts the different values in cell 0. *again: did each
 * order give the same value twice? */
static int values_of(how h, int orders, bool *again)
{
    int32_t seen[32];
    int count = 0;
    *again = true;
    for (int i = 0; i < orders; i++) {
        int32_t first = 0;
        h.shuffle = (uint64_t)i + 1;
        for (h.threads = 1; h.threads <= 4; h.threads += 3) {
            sim_result r;
            bool ok = run(&h, &r) && r.code == SIM_OK;
            sim_result_free(&r);
            if (h.threads == 1) first = out[0];
            if (!ok || out[0] != first) *again = false;
        }
        int k = 0;
        while (k < count && seen[k] != first) k++;
        if (k == count && count < 32) seen[count++] = first;
    }
    return count;
}

static void shuffled(void)
{
    bool again;
    int values = values_of((how){.kernel = "lost", .grid = 20, .block = 128, .n = 10}, 8, &again);
    snprintf(why, sizeof why, "%d different sums in 8 orders", values);
    check_why(values > 3, "what a race leaves depends on the order", why);
    check_why(again, "the same order gives the same, on any number of host threads", "it does not");
    values = values_of((how){.kernel = "lost", .grid = 1, .block = 32, .n = 10}, 4, &again);
    check_why(values == 1 && again, "one warp alone has no order", "its result changes");
    for (uint64_t order = 1; order <= 6; order++) {
        FINE("in shuffled order lanes take a lock in turn", out[t] == (t == 0 ? 64 : 0), .kernel = "spin_lock",
             .grid = 1, .block = 64, .checks = SIM_CHECK_ALL, .shuffle = order);
        FINE("... blocks wait for others", out[t] == (t < 40 ? 40 - t : 0), .kernel = "backwards", .grid = 40,
             .block = 64, .shuffle = order);
        FINE("... a grid synchronises", out[t] == (t < 640 ? 5 : 0), .kernel = "grid_sync", .grid = 10, .block = 64,
             .n = 5, .checks = SIM_CHECK_ALL, .cooperative = true, .shuffle = order);
        FINE("... recursion", out[t] == (t < 64 ? fib(t % 11) : 0), .kernel = "recursion", .grid = 1, .block = 64,
             .n = 10, .shuffle = order);
        FINE("... lanes that leave a loop apart meet", out[t] == (t < 64 ? reconverged(t) : 0), .kernel = "reconverge",
             .grid = 1, .block = 64, .checks = SIM_CHECK_ALL, .shuffle = order);
        FINE("... threads that have ended", out[t] == (t < 64 && t % 2 == 0), .kernel = "some_end", .grid = 1,
             .block = 64, .checks = SIM_CHECK_ALL, .shuffle = order);
    }
    sim_error e = {0};
    sim_result r;
    struct {
        uint64_t p;
        int32_t n;
    } p = {at, 1};
    sim_launch l = {.kernel = "lost",
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = &p,
                    .param_bytes = 12,
                    .timed = true,
                    .shuffle = 1};
    check_why(sim_run(s, m, &l, &r, &e) == SIM_E_ARGUMENT && strstr(e.message, "timed"),
              "a timed launch is not shuffled", e.message);
    faults("... a kernel that never ends", SIM_FAULT_ENDLESS,
           (how){.kernel = "endless", .grid = 2, .block = 64, .limit = 3000000, .shuffle = 1});
    faults("... warps at barriers that never fill", SIM_FAULT_BARRIER_DIVERGENCE,
           (how){.kernel = "named_deadlock", .grid = 1, .block = 64, .shuffle = 2});
}

int main(int argc, char **argv) /* with an argument: only that group */
{
    sim_error e = {0};
    sim_card c;
    size_t bytes, card_bytes;
    char *card = read_file("sim/cards/h200.card", &card_bytes), *text = read_file("tests/machine/machine.ptx", &bytes);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (sim_card_read(&c, card, "h200", &e) || sim_open(&s, &c, &e) ||
        sim_load(s, "machine.ptx", text, bytes, &m, &e) || sim_alloc(s, sizeof out, "out", &at, &e)) {
        printf("FAIL setup: %s:%d: %s\n", e.file, e.line, e.message);
        return 1;
    }
    const char *only = argc > 1 ? argv[1] : NULL;
    if (!only || !strcmp(only, "waiting")) waiting();
    if (!only || !strcmp(only, "control")) control();
    if (!only || !strcmp(only, "threads")) threads();
    if (!only || !strcmp(only, "shuffled")) shuffled();
    sim_close(s);
    free(card);
    free(text);
    return check_end();
}
