/* gpu_time.c: timing on a GPU. Read it from gpu_time at the end.
 *
 * A sample is one run between two events:
 *
 *   spin | restore buffers | write, then read twice the cache's size | event | run | event | clock
 *
 * All of it is queued at once. The spin keeps the GPU busy until then, so that no launch in the
 * window waits for the host. Writing as much as the cache holds evicts the run's data; reading
 * other memory afterwards leaves no dirty lines for the run to write back. Two events cost time
 * themselves. Calibration measures how much more than an empty kernel among others they take, and
 * each sample is reduced by that. On an H200 the result agreed within 3 % with the kernel durations
 * of NVIDIA's profiler, from 6 to 550 us. The clock at the end spins on one multiprocessor and
 * compares its cycles with the GPU's own time. A sample that was taken while the clock was low is
 * discarded and repeated.
 *
 * Several plans take turns, sample by sample, so that drift affects all of them equally. */
#include "gpu_device.h"
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WARM_UPS = 3,
    LEAST_SAMPLES = 7,
    MOST_SAMPLES = 31,
    ENOUGH = 5, /* with fewer good samples there is no result */
    BATCH = 10, /* runs per sample of a short run */
    OTHER_SAMPLES = 5,
    ATTEMPTS = 3, /* at a set of samples without too much spread */
    FLUSH_BLOCKS = 264,
    FLUSH_THREADS = 512
};
static const double short_run = 20e-6, clock_share = 0.75, most_spread = 0.25, spin_clock = 30e-6;
/* Programs that share a GPU take turns of a millisecond or two. So we watch the GPU's time for
 * `watched`. If it jumps by more than `taken_away`, another program had the GPU. */
static const double watched = 8e-3, taken_away = 0.2e-3;

typedef struct gpu_clockwork {
    void *module, *empty, *spin, *clock, *read;
    void *event[2 * BATCH];
    uint64_t flush, flush_bytes; /* two halves: one is written, one is read */
    uint64_t out;                /* where ws_clock writes */
    double overhead;             /* seconds */
    dev_reach reach;
} gpu_clockwork;

/* ---- launching the small kernels ---- */

static int tool(gpu_device *g, void *function, unsigned blocks, unsigned threads, void **arguments, sim_error *err)
{
    return gpu_code(g, g->cu->launch(function, blocks, 1, 1, threads, 1, 1, 0, g->stream, arguments, NULL),
                    "preparing to measure", err);
}

static int spin(gpu_device *g, double seconds, sim_error *err)
{
    int64_t ns = (int64_t)(fmin(seconds, 0.02) * 1e9);
    void *arguments[] = {&ns};
    return tool(g, g->clockwork->spin, 1, 1, arguments, err);
}

static int flush(gpu_device *g, sim_error *err)
{
    gpu_clockwork *w = g->clockwork;
    uint64_t from = w->flush + w->flush_bytes, count = w->flush_bytes / 16;
    void *arguments[] = {&from, &w->flush, &count};
    int code = gpu_code(g, g->cu->set_bytes(w->flush, 0, (size_t)w->flush_bytes, g->stream), "emptying the cache", err);
    return code ? code : tool(g, w->read, FLUSH_BLOCKS, FLUSH_THREADS, arguments, err);
}

static int record(gpu_device *g, int event, sim_error *err)
{
    return gpu_code(g, g->cu->record(g->clockwork->event[event], g->stream), "taking the time", err);
}

static int elapsed(gpu_device *g, int event, double *seconds, sim_error *err)
{
    float ms = 0;
    int code = gpu_code(g, g->cu->elapsed(&ms, g->clockwork->event[event], g->clockwork->event[event + 1]),
                        "taking the time", err);
    *seconds = (double)ms * 1e-3;
    return code;
}

/* ---- calibration ---- */

/* The time between two events around `count` empty kernels: the median of several measurements. */
static int empties(gpu_device *g, int count, bool cold, double *seconds, sim_error *err)
{
    double sample[LEAST_SAMPLES];
    int code = 0;
    for (int i = -WARM_UPS; i < LEAST_SAMPLES && !code; i++) {
        double s = 0;
        code = spin(g, 100e-6 + 5e-6 * count, err);
        if (!code && cold) code = flush(g, err);
        if (!code) code = record(g, 0, err);
        for (int k = 0; k < count && !code; k++) code = tool(g, g->clockwork->empty, 1, 1, NULL, err);
        if (!code) code = record(g, 1, err);
        if (!code) code = gpu_finish(g, "taking the time", err);
        if (!code) code = elapsed(g, 0, &s, err);
        if (i >= 0) sample[i] = s;
    }
    measured m;
    if (!code) {
        measure_summary(sample, LEAST_SAMPLES, &m);
        *seconds = m.median;
    }
    return code;
}

/* What two events around one kernel cost on top of that kernel: the time of one empty kernel
 * between events, minus the cost per kernel in a long series. */
static int calibrate(gpu_device *g, sim_error *err)
{
    double one = 0, some = 0, many = 0;
    int code = empties(g, 1, true, &one, err);
    if (!code) code = empties(g, 50, false, &some, err);
    if (!code) code = empties(g, 150, false, &many, err);
    if (!code) g->clockwork->overhead = fmax(0, one - fmax(0, many - some) / 100);
    return code;
}

static int prepare(gpu_device *g, sim_error *err)
{
    const struct {
        const char *name;
        size_t offset;
    } tools[] = {{"ws_empty", offsetof(gpu_clockwork, empty)},
                 {"ws_spin", offsetof(gpu_clockwork, spin)},
                 {"ws_clock", offsetof(gpu_clockwork, clock)},
                 {"ws_read", offsetof(gpu_clockwork, read)}};
    if (g->clockwork) return 0;
    gpu_clockwork *w = g->clockwork = calloc(1, sizeof *w);
    if (!w) return sim_no_memory(err);
    int code = gpu_code(g, g->cu->load(&w->module, gpu_kernels_ptx, 0, NULL, NULL), "preparing to measure", err);
    for (size_t i = 0; i < sizeof tools / sizeof *tools && !code; i++) {
        void *function = NULL;
        code = gpu_code(g, g->cu->function(&function, w->module, tools[i].name), "preparing to measure", err);
        memcpy((char *)w + tools[i].offset, &function, sizeof function);
    }
    for (int i = 0; i < 2 * BATCH && !code; i++)
        code = gpu_code(g, g->cu->make_event(&w->event[i], 0), "preparing to measure", err);
    uint64_t cache = g->d.about.l2_bytes ? g->d.about.l2_bytes : 8 << 20;
    w->flush_bytes = (2 * cache + 4095) / 4096 * 4096;
    if (!code)
        code = gpu_code(g, g->cu->allocate(&w->flush, (size_t)(2 * w->flush_bytes)), "memory to empty the cache with",
                        err);
    if (!code)
        code = gpu_code(g, g->cu->set_bytes(w->flush, 0, (size_t)(2 * w->flush_bytes), g->stream), "emptying the cache",
                        err);
    if (!code) code = gpu_code(g, g->cu->allocate(&w->out, 24), "preparing to measure", err);
    if (!code) code = calibrate(g, err);
    if (code) { /* a later attempt may find more memory */
        if (w->flush && !g->lost) g->cu->free(w->flush);
        free(w);
        g->clockwork = NULL;
    }
    return code;
}

/* ---- one sample ---- */

static int restore(gpu_device *g, const dev_plan *p, sim_error *err)
{
    int code = 0;
    for (int i = 0; i < p->restores && !code; i++) {
        const dev_restore *r = &p->restore[i];
        code = r->from ? g->cu->copy(r->address, r->from, (size_t)r->bytes, g->stream)
                       : g->cu->set_bytes(r->address, 0, (size_t)r->bytes, g->stream);
    }
    return gpu_code(g, code, "putting the buffers back", err);
}

static int run(gpu_device *g, const dev_plan *p, sim_error *err)
{
    int code = 0;
    for (int i = 0; i < p->acts && !code; i++) {
        const dev_act *a = &p->act[i];
        code = a->module ? gpu_queue(g, (gpu_module *)(void *)a->module, &a->launch, err)
                         : gpu_code(g, g->cu->set_bytes(a->address, 0, (size_t)a->bytes, g->stream), "zeroing", err);
    }
    return code;
}

static int sample(gpu_device *g, const dev_plan *p, bool hot, int batch, double *seconds, double *mhz, sim_error *err)
{
    gpu_clockwork *w = g->clockwork;
    bool together = hot && !p->restores; /* back-to-back runs, which is only possible when nothing must be restored */
    int windows = together ? 1 : batch, runs = together ? batch : 1;
    int code = spin(g, 30e-6 + 6e-6 * batch * (p->acts + p->restores + 4), err);
    for (int i = 0; i < windows && !code; i++) {
        code = restore(g, p, err);
        if (!code && !hot) code = flush(g, err);
        else if (!code && together) code = run(g, p, err); /* loads its data into the cache */
        if (!code) code = record(g, 2 * i, err);
        for (int k = 0; k < runs && !code; k++) code = run(g, p, err);
        if (!code) code = record(g, 2 * i + 1, err);
    }
    int64_t ns = (int64_t)(spin_clock * 1e9);
    void *arguments[] = {&w->out, &ns};
    if (!code) code = tool(g, w->clock, 1, 1, arguments, err);
    if (!code) code = gpu_finish(g, "the kernel", err);
    double sum = 0;
    for (int i = 0; i < windows && !code; i++) {
        double s;
        code = elapsed(g, 2 * i, &s, err);
        sum += s - w->overhead;
    }
    uint64_t counted[2] = {0, 0};
    if (!code) code = gpu_code(g, g->cu->to_host(counted, w->out, sizeof counted), "reading the clock", err);
    *seconds = sum / (windows * runs);
    *mhz = counted[0] ? 1e3 * (double)counted[1] / (double)counted[0] : 0;
    return code;
}

/* Watch for a while. *away: the longest time that another program had the GPU; 0: none did. */
static int watch(gpu_device *g, double *away, sim_error *err)
{
    int64_t ns = (int64_t)(watched * 1e9);
    uint64_t counted[3] = {0, 0, 0};
    void *arguments[] = {&g->clockwork->out, &ns};
    int code = tool(g, g->clockwork->clock, 1, 1, arguments, err);
    if (!code) code = gpu_finish(g, "taking the time", err);
    if (!code) code = gpu_code(g, g->cu->to_host(counted, g->clockwork->out, sizeof counted), "reading the clock", err);
    double gap = 1e-9 * (double)counted[2];
    if (!code && gap > taken_away && gap > *away) *away = gap;
    return code;
}

/* ---- samples of several plans ---- */

typedef struct taking {
    gpu_device *g;
    const dev_plan *plan;
    dev_timing *out;
    double mhz[DEV_SAMPLES], slowest[DEV_SAMPLES], span[DEV_SAMPLES];
    int blocks_seen;
    double estimate;
} taking;

/* The block times that the kernels wrote. Clocks of different multiprocessors cannot be compared,
 * so the figure that counts is the slowest block by its own clock. `span` compares them
 * nevertheless, to show that this is wrong. */
static int read_blocks(taking *t, sim_error *err)
{
    const dev_plan *p = t->plan;
    if (!p->clock || !p->blocks || t->blocks_seen == DEV_SAMPLES) return 0;
    size_t bytes = (size_t)p->blocks * 2 * sizeof(int64_t);
    int64_t *v = malloc(bytes);
    if (!v) return 0;
    int code = gpu_code(t->g, t->g->cu->to_host(v, p->clock, bytes), "reading the blocks' clocks", err);
    int64_t longest = 0, first = INT64_MAX, last = INT64_MIN;
    for (uint64_t i = 0; i < p->blocks && !code; i++) {
        int64_t start = v[i], end = v[p->blocks + i];
        uint64_t took = (uint64_t)end - (uint64_t)start;
        if (took <= INT64_MAX && (int64_t)took > longest) longest = (int64_t)took;
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    free(v);
    if (!code && longest > 0) {
        t->slowest[t->blocks_seen] = (double)longest;
        t->span[t->blocks_seen++] = (double)last - (double)first;
    }
    return code;
}

static double median(const double *v, int count)
{
    measured m;
    measure_summary(v, count, &m);
    return m.median;
}

static void pause_a_little(void)
{
    struct timespec t = {0, 20 * 1000 * 1000};
    nanosleep(&t, NULL);
}

/* One more good sample of `t`. A low clock is waited out, at most *patience times. */
static int take(taking *t, bool hot, int *patience, sim_error *err)
{
    dev_timing *out = t->out;
    double nominal = t->g->d.card.clock_khz / 1e3;
    for (;;) {
        double seconds, mhz;
        int code = sample(t->g, t->plan, hot, out->batch, &seconds, &mhz, err);
        if (code) return code;
        if (mhz < clock_share * nominal) {
            out->discarded++;
            if ((*patience)-- <= 0) return 0;
            pause_a_little();
            continue;
        }
        if (out->samples < DEV_SAMPLES) {
            out->seconds[out->samples] = seconds;
            t->mhz[out->samples++] = mhz;
        }
        return read_blocks(t, err);
    }
}

static bool too_spread(const dev_timing *out)
{
    measured m;
    measure_summary(out->seconds, out->samples, &m);
    return m.iqr > most_spread * m.median && m.iqr > 1e-6;
}

/* Decide whether the samples can be trusted. `away`: how long another program had the GPU at a
 * time. A run much shorter than that is seldom interrupted. */
static void judge(taking *t, double away)
{
    dev_timing *out = t->out;
    out->clock_mhz = median(t->mhz, out->samples);
    out->slowest = median(t->slowest, t->blocks_seen);
    out->span = median(t->span, t->blocks_seen);
    if (out->samples < ENOUGH)
        snprintf(out->doubt, sizeof out->doubt, "the clock stayed under %.0f %% of its nominal %d MHz in %d samples",
                 100 * clock_share, t->g->d.card.clock_khz / 1000, out->discarded);
    else if (away > 0 && median(out->seconds, out->samples) > away / 4)
        snprintf(out->doubt, sizeof out->doubt, "another program is using this GPU, and has it for %.1f ms at a time",
                 1e3 * away);
    else if (too_spread(out))
        snprintf(out->doubt, sizeof out->doubt,
                 "the samples spread too far, as if another program were using this GPU");
    else if (median(out->seconds, out->samples) <= 0)
        snprintf(out->doubt, sizeof out->doubt, "the run is too short to be told from an empty one");
}

/* Estimate how long each run takes, while everything warms up: module, clock, page tables. */
static int warm_up(taking *t, int plans, sim_error *err)
{
    int code = 0;
    for (int i = 0; i < WARM_UPS && !code; i++)
        for (int k = 0; k < plans && !code; k++) {
            double mhz;
            code = sample(t[k].g, t[k].plan, false, 1, &t[k].estimate, &mhz, err);
        }
    return code;
}

static int take_all(taking *t, int plans, const dev_wish *wish, sim_error *err)
{
    double round = 0;
    for (int k = 0; k < plans; k++) {
        t[k].out->batch = t[k].estimate < short_run && t[k].plan->acts <= 16 ? BATCH : 1;
        round += 150e-6 + t[k].out->batch * (fmax(t[k].estimate, 0) + (wish->hot ? 5e-6 : 80e-6));
    }
    double budget = wish->seconds > 0 ? wish->seconds : 0.5 * plans;
    int rounds = (int)fmin(fmax(budget / round, LEAST_SAMPLES), MOST_SAMPLES), code = 0;
    for (int attempt = 0; attempt < ATTEMPTS && !code; attempt++) {
        int patience[64];
        bool again = false;
        for (int k = 0; k < plans; k++) {
            patience[k] = rounds;
            t[k].out->samples = t[k].blocks_seen = 0;
        }
        for (int i = 0; i < rounds && !code; i++)
            for (int k = 0; k < plans && !code; k++)
                if (patience[k] >= 0) code = take(&t[k], wish->hot, &patience[k], err);
        for (int k = 0; k < plans && !code; k++) again = again || too_spread(t[k].out);
        if (!again) break;
    }
    return code;
}

/* A few samples with the opposite cache state, to report how much difference it makes. */
static int take_other(taking *t, int plans, bool hot, sim_error *err)
{
    int code = 0;
    for (int k = 0; k < plans && !code; k++) {
        double seconds[OTHER_SAMPLES], mhz;
        if (t[k].estimate > 0.1) continue; /* so long a run hardly depends on the cache */
        for (int i = 0; i < OTHER_SAMPLES && !code; i++)
            code = sample(t[k].g, t[k].plan, !hot, t[k].out->batch, &seconds[i], &mhz, err);
        if (!code) t[k].out->other = median(seconds, OTHER_SAMPLES);
    }
    return code;
}

int gpu_time(dev *d, const dev_plan *plan, int plans, const dev_wish *wish, dev_timing *out, sim_error *err)
{
    enum { MOST_PLANS = 64 };
    gpu_device *g = (gpu_device *)(void *)d;
    if (plans > MOST_PLANS) {
        snprintf(err->message, sizeof err->message, "at most %d runs can be compared at once", MOST_PLANS);
        return err->code = SIM_E_ARGUMENT;
    }
    int code = prepare(g, err);
    taking *t = code ? NULL : calloc((size_t)plans, sizeof *t);
    if (!code && !t) code = sim_no_memory(err);
    for (int k = 0; k < plans && !code; k++) {
        memset(&out[k], 0, sizeof out[k]);
        out[k].hot = wish->hot;
        out[k].overhead = g->clockwork->overhead;
        t[k].g = g;
        t[k].plan = &plan[k];
        t[k].out = &out[k];
    }
    double away = 0;
    if (!code) code = warm_up(t, plans, err);
    if (!code) code = watch(g, &away, err);
    if (!code) code = take_all(t, plans, wish, err);
    if (!code) code = watch(g, &away, err);
    if (!code) code = take_other(t, plans, wish->hot, err);
    for (int k = 0; k < plans && !code; k++) judge(&t[k], away);
    free(t);
    return code;
}

/* ---- a copy within the GPU's memory ---- */

int gpu_reach(gpu_device *g, dev_reach *out, sim_error *err)
{
    size_t left = 0, all = 0;
    uint64_t bytes = (uint64_t)512 << 20, a = 0, b = 0;
    memset(out, 0, sizeof *out);
    int code = prepare(g, err);
    if (code || g->clockwork->reach.copied) {
        if (!code) *out = g->clockwork->reach;
        return code;
    }
    if (!g->cu->free_memory(&left, &all))
        while (bytes > left / 4) bytes /= 2;
    if (bytes < 1 << 20) return 0; /* no memory: the result stays unknown, which is no failure */
    double seconds[LEAST_SAMPLES];
    code = gpu_code(g, g->cu->allocate(&a, (size_t)bytes), "memory to copy", err);
    if (!code) code = gpu_code(g, g->cu->allocate(&b, (size_t)bytes), "memory to copy", err);
    for (int i = -WARM_UPS; i < LEAST_SAMPLES && !code; i++) {
        double s = 0;
        code = spin(g, 60e-6, err);
        if (!code) code = record(g, 0, err);
        if (!code) code = gpu_code(g, g->cu->copy(b, a, (size_t)bytes, g->stream), "copying on the GPU", err);
        if (!code) code = record(g, 1, err);
        if (!code) code = gpu_finish(g, "copying on the GPU", err);
        if (!code) code = elapsed(g, 0, &s, err);
        if (i >= 0) seconds[i] = s - g->clockwork->overhead;
    }
    if (!g->lost) {
        if (a) g->cu->free(a);
        if (b) g->cu->free(b);
    }
    double s = code ? 0 : median(seconds, LEAST_SAMPLES);
    if (s > 0) g->clockwork->reach = (dev_reach){2.0 * (double)bytes / s, bytes};
    *out = g->clockwork->reach;
    return code;
}

/* ---- copies to the card ---- */

static double host_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* From pageable and from page-locked memory, in turns, by the host's clock, as the driver's own
 * work is part of it. If there is no memory, the result stays unknown, which is no failure. */
int gpu_transfer(gpu_device *g, uint64_t bytes, double seconds[2], sim_error *err)
{
    enum { MOST_BYTES = 64 << 20 };
    double sample[2][LEAST_SAMPLES];
    void *memory[2] = {NULL, NULL};
    uint64_t to = 0;
    int code = 0;
    seconds[0] = seconds[1] = 0;
    if (!bytes || bytes > MOST_BYTES || !g->cu->allocate_host || !g->cu->free_host) return 0;
    if (g->cu->allocate_host(&memory[1], (size_t)bytes)) memory[1] = NULL;
    bool room = memory[1] && (memory[0] = malloc((size_t)bytes)) && !g->cu->allocate(&to, (size_t)bytes);
    for (int k = 0; k < 2 && room; k++) memset(memory[k], 1, (size_t)bytes);
    for (int i = -1; i < LEAST_SAMPLES && room && !code; i++)
        for (int k = 0; k < 2 && !code; k++) {
            double start = host_now();
            code = gpu_code(g, g->cu->to_device(to, memory[k], (size_t)bytes), "copying to the GPU", err);
            if (!code) /* a small copy may return before it has arrived */
                code = gpu_code(g, g->cu->synchronize(), "copying to the GPU", err);
            if (i >= 0) sample[k][i] = host_now() - start;
        }
    for (int k = 0; k < 2 && room && !code; k++) seconds[k] = median(sample[k], LEAST_SAMPLES);
    if (to && !g->lost) g->cu->free(to);
    if (memory[1] && !g->lost) g->cu->free_host(memory[1]);
    free(memory[0]);
    return code;
}
