/* bench.c: `make bench-gpu`: our last steps beside the vendor's libraries, on the GPU of this computer.
 *
 * A row is one line of the table below. Its step runs as the lesson says: buffers, launches,
 * arguments. Its launches are recorded once (step_runner.h) and repeated in turns with the library's
 * call on the same numbers and, where memory is the limit, with a copy that moves as many bytes. So
 * all of a row saw the same clock and the same temperature. What must be zero before a run (counters,
 * states of tiles) is cleared within the timed part, since the library's own preparations are within
 * its part. Inputs that a run overwrites are restored outside of it.
 *
 * Results must agree: words with words, products within what the step itself allows. At n = 1000 both products are also
 * compared with one of the CPU in double. Kernels are the PTX beside their sources, as the driver compiles it. */
#include "library.h"
#include "device/gpu_device.h"
#include "device/statistics.h"
#include "run/step_runner.h"
#include "shell/child.h"
#include "shell/free_memory.h"
#include "shell/plain_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77, MOST_ENTRIES = 3, MOST_SAMPLES = 21, LEAST_SAMPLES = 5, BATCH = 10 };

/* What rows have in common: the unit, what a run is worth in it, and the step's buffers by name. */
typedef struct kind {
    const char *unit;
    enum library_call call;
    const char *in, *second, *out, *more; /* NULL: none */
    enum { PER_PRODUCT, PER_ELEMENT, PER_BYTE } worth;
    double scale;
    bool overwrites;   /* the run changes its inputs: in, and second where there is one */
    bool random;       /* its first input gets random words of 32 bits */
    bool half, turned; /* products: of bf16; b is stored with its columns as rows */
} kind;

static const kind fp32 = {"TFLOP/s", PRODUCT_F32, "a", "b", "c", NULL, PER_PRODUCT, 1e12, false, false, false, false};
static const kind tf32 = {"TFLOP/s", PRODUCT_TF32, "a", "b", "c", NULL, PER_PRODUCT, 1e12, false, false, false, false};
static const kind bf16_turned = {
    "TFLOP/s", PRODUCT_BF16, "a", "b", "c", NULL, PER_PRODUCT, 1e12, false, false, true, true};
static const kind tf32_turned = {
    "TFLOP/s", PRODUCT_TF32, "a", "b", "c", NULL, PER_PRODUCT, 1e12, false, false, false, true};
static const kind keys = {"Gkeys/s", SORT_KEYS, "key", NULL, "key", NULL, PER_ELEMENT, 1e9, true, true, false, false};
static const kind pairs = {
    "Gpairs/s", SORT_PAIRS, "key", "value", "key", "value", PER_ELEMENT, 1e9, true, true, false, false};
static const kind sums = {"GB/s", SCAN, "x", NULL, "y", NULL, PER_BYTE, 1e9, false, false, false, false};
static const kind filter = {"GB/s", FILTER, "x", NULL, "out", "count", PER_BYTE, 1e9, false, false, false, false};
static const kind squares = {"GB/s", SQUARES, "data", NULL, "total", NULL, PER_BYTE, 1e9, false, false, false, false};

static const struct row {
    const char *what;
    int lesson;
    const char *step;
    int64_t n;
    const kind *kind;
} rows[] = {
    {"fp32 product, 1000", 2, "vector", 1000, &fp32},
    {"fp32 product, 1000", 2, "split", 1000, &fp32},
    {"fp32 product, 4096", 2, "large", 4096, &fp32},
    {"fp32 product, 4096", 2, "ahead", 4096, &fp32},
    {"fp32 product, 3000", 2, "stream", 3000, &fp32},
    {"fp32 product, 4096", 2, "wide", 4096, &fp32},
    {"fp32 product, 4096", 2, "pointers", 4096, &fp32},
    {"fp32 product, 4096", 2, "stream", 4096, &fp32},
    {"fp32 product, 8192", 2, "pointers", 8192, &fp32},
    {"fp32 product, 8192", 2, "stream", 8192, &fp32},
    {"tf32 product, 4096", 2, "tensor", 4096, &tf32},
    {"tf32 product, 8192", 2, "tensor", 8192, &tf32},
    {"tf32 product, 4096", 10, "tf32", 4096, &tf32_turned},
    {"tf32 product, 8192", 10, "tf32", 8192, &tf32_turned},
    {"bf16 product, 4096", 10, "store", 4096, &bf16_turned},
    {"bf16 product, 8192", 10, "store", 8192, &bf16_turned},
    {"sort, 2^20 keys", 3, "look-back", 1 << 20, &keys},
    {"sort, 2^24 keys", 3, "look-back", 1 << 24, &keys},
    {"sort, 2^28 keys", 3, "look-back", 1 << 28, &keys},
    {"sort, 2^20 pairs", 3, "pairs", 1 << 20, &pairs},
    {"sort, 2^24 pairs", 3, "pairs", 1 << 24, &pairs},
    {"sort, 2^28 pairs", 3, "pairs", 1 << 28, &pairs},
    {"prefix sums, 2^20", 9, "scan-lookback", 1 << 20, &sums},
    {"prefix sums, 2^24", 9, "scan-lookback", 1 << 24, &sums},
    {"prefix sums, 2^28", 9, "scan-lookback", 1 << 28, &sums},
    {"prefix sums, 2^24", 9, "scan-waves", 1 << 24, &sums},
    {"prefix sums, 2^28", 9, "scan-waves", 1 << 28, &sums},
    {"stable filter, 2^24", 9, "compact-lookback", 1 << 24, &filter},
    {"stable filter, 2^28", 9, "compact-lookback", 1 << 28, &filter},
    {"stable filter, 2^24", 9, "compact-waves", 1 << 24, &filter},
    {"stable filter, 2^28", 9, "compact-waves", 1 << 28, &filter},
    {"sum of squares, 2^24", 1, "today", 1 << 24, &squares},
    {"sum of squares, 2^28", 1, "today", 1 << 28, &squares},
};

/* One of the things that take turns. */
typedef struct entry {
    enum { OURS, LIBRARY, COPY } what;
    double sample[MOST_SAMPLES];
    int samples, batch;
} entry;

typedef struct bench {
    struct child *c;
    const char *folder, *only;
    int out; /* where rows are printed */
    lesson_list lessons;
    const lesson *lesson;
    gpu_device *g; /* opened with the first step */
    dev_module *tools;
    void *event[2];
    bool headed;
    const char *unit;
    int wrong, failed;
} bench;

typedef struct bench_job {
    bench *b;
    const struct row *row;
    const lesson_step *s;
    step_request q;
    runner *k;
    library_work w;
    bool has_library;
    uint64_t saved[2]; /* copies of the inputs that a run overwrites */
    uint64_t spare;    /* what a copy is written to */
    uint64_t copied;   /* bytes of that copy */
    double worth;
    char says[400];
} job;

static bool say(job *j, const char *fmt, ...) APP_PRINTF(2, 3);
static bool say(job *j, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    vsnprintf(j->says, sizeof j->says, fmt, list);
    va_end(list);
    return false;
}

static bool driver(job *j, int code, const char *what)
{
    sim_error err = {0};
    return !code || (gpu_failed(j->b->g->cu, code, what, &err), say(j, "%s", err.message));
}

static int buffer(const job *j, const char *name) { return name ? step_buffer_named(j->s, name, strlen(name)) : -1; }

/* ---- a kernel of tools.cu ---- */

static bool tool(job *j, const char *kernel, unsigned blocks, unsigned threads, const void *params, size_t bytes)
{
    sim_error err = {0};
    sim_launch l = {.kernel = kernel,
                    .grid = {blocks, 1, 1},
                    .block = {threads, 1, 1},
                    .params = params,
                    .param_bytes = (uint32_t)bytes};
    return !gpu_queue(j->b->g, (gpu_module *)(void *)j->b->tools, &l, &err) || say(j, "%s", err.message);
}

static bool random_words(job *j, uint64_t at, int64_t n)
{
    const struct {
        uint64_t p;
        int64_t n;
        unsigned below;
    } params = {at, n, 0};
    return tool(j, "random_words", 1056, 256, &params, 20);
}

/* ---- the step, as its lesson has it ---- */

static bool open_tools(bench *b, char *why, size_t size)
{
    static const char path[] = "tests/bench/gpu/tools.ptx";
    char *text = NULL;
    size_t bytes;
    sim_error err = {0};
    if (file_read(path, 1 << 20, &text, &bytes)) return snprintf(why, size, "%s cannot be read", path), false;
    if (dev_load(&b->g->d, path, text, bytes, &b->tools, &err)) snprintf(why, size, "%.*s", (int)size - 1, err.message);
    free(text);
    for (int i = 0; i < 2 && b->tools; i++)
        if (!b->event[i] && b->g->cu->make_event(&b->event[i], 0))
            return snprintf(why, size, "the driver makes no events"), false;
    return b->tools != NULL;
}

static bool find_step(job *j)
{
    bench *b = j->b;
    lesson_error err = {0};
    const lesson_entry *e = NULL;
    for (int i = 0; i < b->lessons.count; i++)
        if (b->lessons.entry[i].number == j->row->lesson) e = &b->lessons.entry[i];
    if (!b->lesson || b->lesson->number != j->row->lesson) {
        lesson *l = NULL;
        if (!e) return say(j, "there is no lesson %d", j->row->lesson);
        if (lesson_read(&l, e, "kernels", &err)) return say(j, "%.200s:%d: %.150s", err.file, err.line, err.message);
        b->lesson = l;
    }
    j->s = lesson_step_named(b->lesson, j->row->step, strlen(j->row->step));
    return j->s || say(j, "lesson %d has no step %s", j->row->lesson, j->row->step);
}

/* The buffers that a run overwrites: -1 where there is none. */
static int overwritten(const job *j, int i)
{
    const kind *kd = j->row->kind;
    return kd->overwrites ? buffer(j, i ? kd->second : kd->in) : -1;
}

static bool save_inputs(job *j)
{
    sim_error err = {0};
    for (int i = 0; i < 2; i++) {
        const int b = overwritten(j, i);
        if (b >= 0 && (dev_alloc(j->k->dev, j->k->bytes[b], "a copy", &j->saved[i], &err) ||
                       dev_copy(j->k->dev, j->saved[i], j->k->address[b], j->k->bytes[b], &err)))
            return say(j, "%s", err.message);
    }
    return true;
}

static bool run_step(job *j)
{
    const lesson *l = j->b->lesson;
    step_chosen chosen = {0};
    char name[128], path[1200], *ptx = NULL;
    const int n = lesson_setting_named(l, "n", 1), k = lesson_setting_named(l, "k", 1);
    if (n < 0) return say(j, "lesson %d has no setting n", l->number);
    chosen.set[n] = true;
    chosen.value[n] = j->row->n;
    if (k >= 0 && j->row->kind->worth == PER_PRODUCT) chosen.set[k] = true, chosen.value[k] = j->row->n;
    step_request *q = &j->q;
    q->l = l;
    q->s = j->s;
    q->seed = 1;
    q->device = (struct device){.kind = DEVICE_GPU, .index = -1, .label = "the GPU"};
    if (!step_settings(l, j->s, &chosen, &q->values, j->says, sizeof j->says)) return false;
    if (!step_ptx_name(j->s, name, sizeof name) || !lesson_file(l, name, path, sizeof path) ||
        file_read(path, 1 << 24, &ptx, &q->ptx_bytes))
        return say(j, "the step's PTX cannot be read");
    q->ptx = ptx;
    snprintf(q->ptx_name, sizeof q->ptx_name, "%s", name);
    if (!(j->k = runner_new(j->b->c, q))) return say(j, "out of memory");
    int status = runner_open(j->k);
    if (!status) {
        j->b->g = (gpu_device *)(void *)j->k->dev;
        char why[300] = "", lacks[200];
        const card_needs needs = step_needs(l, j->s);
        const sim_card *card = dev_card(j->k->dev);
        if (card_lacks(&needs, "this GPU", 10 * card->cc_major + card->cc_minor, card, lacks, sizeof lacks))
            return say(j, "%s", lacks);
        if (!j->b->tools && !open_tools(j->b, why, sizeof why)) return say(j, "%s", why);
        status = runner_buffers(j->k);
    }
    const kind *kd = j->row->kind;
    const int in = buffer(j, kd->in);
    if (!status && in < 0) return say(j, "the step has no buffer %s", kd->in);
    if (!status && kd->random && !random_words(j, j->k->address[in], (int64_t)(j->k->bytes[in] / 4))) return false;
    if (!status && kd->overwrites && !save_inputs(j)) return false;
    j->k->recording = true;
    if (!status) status = runner_act(j->k);
    return !status || say(j, "%s", j->k->r.problem[0] ? j->k->r.problem : "the kernel faulted");
}

static uint64_t address_of(const job *j, const char *name)
{
    const int i = buffer(j, name);
    return i < 0 ? 0 : j->k->address[j->k->place[i]];
}

static int64_t pitch_of(const job *j)
{
    const int i = lesson_setting_named(j->b->lesson, "pitch", 5);
    return i < 0 ? j->row->n : j->q.values.value[i];
}

/* What a run is worth, and the bytes of a copy that moves as much. */
static bool find_worth(job *j)
{
    const double n = (double)j->row->n;
    char why[160];
    int64_t bytes = 0;
    switch (j->row->kind->worth) {
    case PER_PRODUCT: j->worth = 2 * n * n * n; break;
    case PER_ELEMENT: j->worth = n; break;
    case PER_BYTE:
        if (!step_value(j->b->lesson, &j->q.values, &j->s->bytes, &bytes, why, sizeof why)) return say(j, "%s", why);
        j->worth = (double)bytes;
        j->copied = (uint64_t)bytes / 2;
        break;
    }
    return true;
}

static bool allocate(job *j, uint64_t bytes, uint64_t *at)
{
    sim_error err = {0};
    return !bytes || !dev_alloc(j->k->dev, bytes, "what the library writes", at, &err) || say(j, "%s", err.message);
}

static bool prepare_library(job *j)
{
    const kind *kd = j->row->kind;
    const int out = buffer(j, kd->out), more = buffer(j, kd->more);
    if (out < 0) return say(j, "the step has no buffer %s", kd->out);
    j->w = (library_work){.call = kd->call,
                          .stream = j->b->g->stream,
                          .n = j->row->n,
                          .pitch = pitch_of(j),
                          .in = j->saved[0] ? j->saved[0] : address_of(j, kd->in),
                          .second = j->saved[1] ? j->saved[1] : address_of(j, kd->second),
                          .half_out = kd->half && j->k->bytes[out] == 2 * (uint64_t)(j->row->n * pitch_of(j)),
                          .second_turned = kd->turned};
    if (!allocate(j, j->k->bytes[out], &j->w.out) || (more >= 0 && !allocate(j, j->k->bytes[more], &j->w.more)))
        return false;
    const int code = library_scratch(&j->w);
    if (code) return say(j, "%s: error %d", library_name(kd->call), code);
    return allocate(j, j->w.temp_bytes, &j->w.temp);
}

/* ---- one run of each ---- */

static bool ours(job *j)
{
    sim_error err = {0};
    const gpu_driver *cu = j->b->g->cu;
    for (int i = 0; i < j->s->buffer_count; i++)
        if (j->s->buffer[i].fill == FILL_ZERO && j->k->bytes[i] &&
            !driver(j, cu->set_bytes(j->k->address[i], 0, (size_t)j->k->bytes[i], j->b->g->stream), "clearing"))
            return false;
    for (int i = 0; i < j->k->acts; i++) {
        const dev_act *a = &j->k->act[i];
        if (!a->module) {
            if (!driver(j, cu->set_bytes(a->address, 0, (size_t)a->bytes, j->b->g->stream), "clearing")) return false;
        } else if (gpu_queue(j->b->g, (gpu_module *)(void *)a->module, &a->launch, &err))
            return say(j, "%s", err.message);
    }
    return true;
}

static bool run_once(job *j, int what)
{
    if (what == OURS) return ours(j);
    if (what == COPY) {
        const uint64_t from = j->spare + j->copied;
        return driver(j, j->b->g->cu->copy(j->spare, from, (size_t)j->copied, j->b->g->stream), "copying");
    }
    const int code = library_run(&j->w);
    return !code || say(j, "%s: error %d", library_name(j->w.call), code);
}

static bool restore(job *j)
{
    for (int i = 0; i < 2; i++) {
        const int b = overwritten(j, i);
        if (b >= 0 &&
            !driver(j, j->b->g->cu->copy(j->k->address[b], j->saved[i], (size_t)j->k->bytes[b], j->b->g->stream),
                    "copying"))
            return false;
    }
    return true;
}

static bool sample(job *j, entry *e, double *seconds)
{
    const gpu_driver *cu = j->b->g->cu;
    const int64_t ns = 30000 + 30000 * (int64_t)e->batch;
    float ms = 0;
    if (!restore(j) || !tool(j, "wait", 1, 1, &ns, 8)) return false;
    if (!driver(j, cu->record(j->b->event[0], j->b->g->stream), "taking the time")) return false;
    for (int i = 0; i < e->batch; i++)
        if (!run_once(j, (int)e->what)) return false;
    if (!driver(j, cu->record(j->b->event[1], j->b->g->stream), "taking the time")) return false;
    if (!driver(j, cu->wait(j->b->g->stream), "running")) return false;
    if (!driver(j, cu->elapsed(&ms, j->b->event[0], j->b->event[1]), "taking the time")) return false;
    *seconds = (double)ms * 1e-3 / e->batch;
    return true;
}

/* ---- is it right? ---- */

/* The product of the CPU, of n x n numbers in rows of `pitch`, in double. The largest relative
 * distance of `c` from it. */
static double far_from_cpu(const float *a, const float *b, const float *c, int64_t n, int64_t pitch)
{
    double *sum = calloc((size_t)n, sizeof *sum), far = 0;
    for (int64_t y = 0; y < n && sum; y++) {
        memset(sum, 0, (size_t)n * sizeof *sum);
        for (int64_t k = 0; k < n; k++)
            for (int64_t x = 0; x < n; x++) sum[x] += (double)a[y * pitch + k] * (double)b[k * pitch + x];
        for (int64_t x = 0; x < n; x++) {
            const double d = fabs((double)c[y * pitch + x] - sum[x]) / fmax(fabs(sum[x]), 1e-30);
            if (!(d <= far)) far = isnan(d) ? INFINITY : d;
        }
    }
    free(sum);
    return sum ? far : INFINITY;
}

static bool read_floats(job *j, uint64_t at, uint64_t bytes, float **out)
{
    sim_error err = {0};
    if (!(*out = malloc((size_t)bytes))) return say(j, "out of memory");
    return !dev_read(j->k->dev, at, *out, bytes, &err) || say(j, "%s", err.message);
}

static bool check_cpu(job *j, double within)
{
    const uint64_t bytes = (uint64_t)(j->w.n * j->w.pitch) * 4;
    float *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    bool good = read_floats(j, j->w.in, bytes, &a) && read_floats(j, j->w.second, bytes, &b) &&
                read_floats(j, address_of(j, "c"), bytes, &c) && read_floats(j, j->w.out, bytes, &d);
    if (good) {
        const double mine = far_from_cpu(a, b, c, j->w.n, j->w.pitch), its = far_from_cpu(a, b, d, j->w.n, j->w.pitch);
        if (mine > within) good = say(j, "WRONG: %.2g from the CPU's product, allowed are %.2g", mine, within);
        else if (its > within)
            good = say(j, "the library is %.2g from the CPU's product, allowed are %.2g", its, within);
    }
    free(a), free(b), free(c), free(d);
    return good;
}

/* Rounding errors of both signs partly cancel, but not more than that is assumed: the step's bound, which holds at
 * n = 1000, grows with n, and both products may be off. */
static bool check_product(job *j)
{
    const double bf16_unit = 1. / 256; /* sums of small whole numbers are exact, then rounded once */
    const double within =
        j->s->right[0].rounding ? bf16_unit / 2 : j->s->right[0].within * fmax(1, (double)j->w.n / 1000);
    uint64_t worst = 0;
    float far = 0;
    sim_error err = {0};
    bool good = allocate(j, 8, &worst) && !dev_zero(j->k->dev, worst, 8, &err);
    const struct {
        uint64_t a, b;
        int64_t n, pitch;
        int half, pad;
        uint64_t worst;
    } params = {address_of(j, "c"), j->w.out, j->w.n, j->w.pitch, j->w.half_out, 0, worst};
    good = good && tool(j, "apart", 1056, 256, &params, sizeof params);
    if (good && dev_read(j->k->dev, worst, &far, sizeof far, &err)) good = say(j, "%s", err.message);
    if (good && !((double)far <= 2 * within))
        good = say(j, "WRONG: %.2g from the library's product, allowed are %.2g", (double)far, 2 * within);
    if (good && j->w.n == 1000 && !j->row->kind->half) good = check_cpu(j, within);
    return good;
}

static bool same_words(job *j, uint64_t a, uint64_t b, uint64_t bytes)
{
    uint64_t at = 0, many = 0;
    sim_error err = {0};
    if (!allocate(j, 8, &at) || dev_zero(j->k->dev, at, 8, &err)) return say(j, "%s", err.message);
    const struct {
        uint64_t a, b;
        int64_t n;
        uint64_t count;
    } params = {a, b, (int64_t)(bytes / 4), at};
    if (!tool(j, "differ", 1056, 256, &params, sizeof params)) return false;
    if (dev_read(j->k->dev, at, &many, 8, &err)) return say(j, "%s", err.message);
    return !many || say(j, "WRONG: %llu words differ from the library's", (unsigned long long)many);
}

static bool check(job *j)
{
    const kind *kd = j->row->kind;
    const int out = buffer(j, kd->out);
    if (kd->worth == PER_PRODUCT) return check_product(j);
    uint64_t bytes = j->k->bytes[out];
    if (kd->call == SORT_PAIRS && !same_words(j, address_of(j, kd->more), j->w.more, bytes)) return false;
    if (kd->call == FILTER) { /* as many as are kept */
        uint32_t kept = 0;
        sim_error err = {0};
        if (!same_words(j, address_of(j, kd->more), j->w.more, 4)) return false;
        if (dev_read(j->k->dev, j->w.more, &kept, 4, &err)) return say(j, "%s", err.message);
        if ((uint64_t)kept * 4 > bytes) return say(j, "WRONG: %u are kept", kept);
        bytes = (uint64_t)kept * 4;
    }
    return same_words(j, address_of(j, kd->out), j->w.out, bytes);
}

/* ---- a row ---- */

static bool measure(job *j, entry *e, int entries, double most_seconds)
{
    const double start = runner_now();
    for (int r = -2; r < MOST_SAMPLES && (r < LEAST_SAMPLES || runner_now() - start < most_seconds); r++)
        for (int i = 0; i < entries; i++) {
            double seconds = 0;
            if (!sample(j, &e[i], &seconds)) return false;
            if (r == -1 && seconds < 0.5e-3 && !j->row->kind->overwrites) e[i].batch = BATCH;
            if (r >= 0) e[i].sample[e[i].samples++] = seconds;
        }
    return true;
}

static const char *figures(char *to, size_t size, const job *j, const entry *e)
{
    measured m;
    const double worth = (e->what == COPY ? 2.0 * (double)j->copied : j->worth) / j->row->kind->scale;
    measure_summary(e->sample, e->samples, &m);
    const double mid = worth / m.median, low = worth / m.most, high = worth / m.least;
    const int digits = mid < 10 ? 2 : mid < 1000 ? 1 : 0;
    snprintf(to, size, "%.*f (%.*f..%.*f)", digits, mid, digits, low, digits, high);
    return to;
}

static double share(const entry *a, const entry *b, double more)
{
    measured x, y;
    measure_summary(a->sample, a->samples, &x);
    measure_summary(b->sample, b->samples, &y);
    return 100 * more * y.median / x.median;
}

static void print_row(job *j, const entry *e, int entries, bool copy)
{
    bench *b = j->b;
    char step[48], a[64], l[64] = "", of[16] = "", to_copy[16] = "";
    if (!b->unit || strcmp(b->unit, j->row->kind->unit)) {
        b->unit = j->row->kind->unit;
        char lib[32];
        snprintf(lib, sizeof lib, "%s", library_name(j->row->kind->call));
        printf("\n%-20s %-18s %-20s %-20s %6s %6s\n", b->unit, "step", "ours", lib, "share", copy ? "copy" : "");
    }
    snprintf(step, sizeof step, "%d.%s", j->row->lesson, j->row->step);
    if (j->has_library) {
        figures(l, sizeof l, j, &e[1]);
        snprintf(of, sizeof of, "%.1f %%", share(&e[0], &e[1], 1));
    }
    if (copy) snprintf(to_copy, sizeof to_copy, "%.1f %%", share(&e[0], &e[entries - 1], 1));
    printf("%-20s %-18s %-20s %-20s %6s %6s\n", j->row->what, step, figures(a, sizeof a, j, &e[0]), l, of, to_copy);
}

static void end_job(job *j)
{
    if (j->k) {
        dev_close(j->k->dev); /* all of its memory and modules */
        j->b->tools = NULL;
        runner_free(j->k);
    }
    free((void *)(uintptr_t)j->q.ptx);
}

static int one_row(bench *b, const struct row *row)
{
    job j = {.b = b, .row = row};
    entry e[MOST_ENTRIES] = {{.what = OURS, .batch = 1}};
    int entries = 1;
    char missing[300] = "";
    bool good = find_step(&j) && run_step(&j) && find_worth(&j);
    if (good) {
        j.has_library = library_has(row->kind->call, missing, sizeof missing);
        if (j.has_library) good = prepare_library(&j) && run_once(&j, LIBRARY) && check(&j);
    }
    if (j.has_library) e[entries++] = (entry){.what = LIBRARY, .batch = 1};
    const bool copy = j.copied > 0;
    if (copy) e[entries++] = (entry){.what = COPY, .batch = 1};
    if (good && copy) good = allocate(&j, 2 * j.copied, &j.spare);
    if (good) good = measure(&j, e, entries, 1.0);
    if (good) print_row(&j, e, entries, copy);
    if (missing[0]) printf("%-20s not compared, and not verified: %s\n", "", missing);
    if (!good) {
        printf("%-20s %d.%s: %s\n", row->what, row->lesson, row->step, j.says);
        if (strstr(j.says, "WRONG")) b->wrong++;
        else b->failed++;
    }
    end_job(&j);
    return b->g && b->g->lost;
}

static bool chosen(const bench *b, const struct row *row) { return !b->only[0] || strstr(row->what, b->only); }

static bool open_card(bench *b)
{
    dev *d = NULL;
    sim_error err = {0};
    const struct device gpu = {.kind = DEVICE_GPU, .index = -1, .label = "the GPU"};
    if (dev_open(&d, &gpu, NULL, &err)) {
        printf("bench-gpu: %s\n", err.message);
        return false;
    }
    const sim_card *card = dev_card(d);
    printf("%s, %s. Rates: median (least..most), in turns.\n", card->title, dev_info(d)->driver);
    printf("share: of the library's rate; copy: of a copy that moves as many bytes.\n");
    bool wanted[LIBRARY_CALLS] = {false};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (chosen(b, &rows[i])) wanted[rows[i].kind->call] = true;
    library_start(b->folder, card->cc_major, card->cc_minor, wanted);
    return true;
}

static int work(struct child *c, void *arg)
{
    bench *b = arg;
    bool any = false;
    b->c = c;
    dup2(b->out, STDOUT_FILENO); /* a child's own is stderr */
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) any = any || chosen(b, &rows[i]);
    if (!any) return printf("bench-gpu: no row has \"%s\" in its name\n", b->only), EXIT_USAGE;
    if (!open_card(b)) return SKIPPED;
    if (lesson_find(&b->lessons, "lessons")) {
        printf("bench-gpu: lessons/ cannot be read: start it in the source folder\n");
        return EXIT_INTERNAL;
    }
    bool lost = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !lost; i++)
        if (chosen(b, &rows[i])) lost = one_row(b, &rows[i]);
    library_end();
    return b->wrong ? EXIT_CHECK : b->failed || lost ? EXIT_INTERNAL : EXIT_DONE;
}

int main(int argc, char **argv)
{
    bench b = {.folder = argc > 1 ? argv[1] : "build/bench-gpu", .only = argc > 2 ? argv[2] : ""};
    b.out = dup(STDOUT_FILENO);
    const struct child_limits limits = {.seconds = 600, .keeps = {b.out}};
    struct child_result r;
    int status = child_run(&limits, work, &b, &r);
    if (status) fprintf(stderr, "bench-gpu: %s\n", r.end == CHILD_TIME ? "it took more than 600 s" : r.message);
    else status = r.status;
    child_free(&r);
    return status;
}
