/* records.c: what `exec` is told, as it happens: lines of text (records.def), appended to a file of the
 * parent's, each by one write. Sums so far are written again and again rather than differences, so that
 * the last line of each kind is right whenever the program ends; a program of a million launches does
 * not write a million lines. */
#define _GNU_SOURCE
#define RECORD_ROWS
#include "core.h"
#include "cuda/records.h"
#include "list.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int to = -1;
enum { OFTEN = 256, FAULTS_MOST = 1000, NOTES_MOST = 200, EVENTS_MOST = 300000 };

/* A line of a kernel's source. */
typedef struct line_sum {
    char *file;
    int line;
    uint64_t instructions, bytes, clocks, waits; /* waits: clocks of warps that did not issue */
} line_sum;

typedef struct kernel_sum {
    char *name;
    uint64_t calls, timed, cycles, written;
    double seconds, shortest, longest, occupancy, dram_bytes;
    double unsure; /* of `seconds`, by how many the predicted ones may be off */
    /* what later launches have shown to be missing in them, summed, and its squares: errors of both signs cancel */
    double missing, squares;
    int registers;
    uint64_t shared;
    double use_seconds; /* of the launch that `use` and `stalls` are of */
    sim_usage use;
    uint64_t stalls[SIM_STALLS];
    sim_counters counts;
    line_sum *lines;
    int line_count;
} kernel_sum;
static kernel_sum *kernels;
static int kernel_count;
static struct {
    uint64_t calls, bytes;
    double seconds;
} copies[PROGRAM_DIRECTIONS];
static double waited;
static int note_lines;
static struct program_fault told[FAULTS_MOST]; /* without their texts, */
static uint64_t since[FAULTS_MOST];            /* and how often each was seen since it was told */
static int told_count;

/* Adds bytes to a line, which keeps room for its end. */
static void add(char line[RECORD_LINE], size_t *n, const char *bytes, size_t count)
{
    const size_t room = RECORD_LINE - 1 - *n;
    if (count > room) count = room;
    memcpy(line + *n, bytes, count);
    *n += count;
}

static void add_field(char line[RECORD_LINE], size_t *n, const record_field *f, const void *at)
{
    char text[40];
    switch (f->kind) {
    case RECORD_IS_TEXT: {
        const char *from = *(char *const *)at;
        const size_t first = *n;
        add(line, n, from ? from : "", from ? strnlen(from, (size_t)f->most) : 0);
        for (size_t i = first; i < *n; i++) /* control characters would end a field or a line */
            if ((unsigned char)line[i] < ' ') line[i] = ' ';
        return;
    }
    case RECORD_IS_LETTER: add(line, n, at, 1); return;
    case RECORD_IS_FAULT:
        snprintf(text, sizeof text, "%s", sim_fault_name((enum sim_fault_kind) * (const int *)at));
        break;
    case RECORD_IS_INT: snprintf(text, sizeof text, "%d", *(const int *)at); break;
    case RECORD_IS_MOMENT: snprintf(text, sizeof text, "%.12g", *(const double *)at); break;
    case RECORD_IS_REAL: snprintf(text, sizeof text, "%.9g", *(const double *)at); break;
    case RECORD_IS_COUNT: snprintf(text, sizeof text, "%" PRIu64, *(const uint64_t *)at); break;
    case RECORD_IS_STALLS:
    case RECORD_IS_COUNTERS:
        for (int i = 0, count = record_values(f->kind); i < count; i++) {
            const int digits = snprintf(text, sizeof text, "%s%" PRIu64, i ? "," : "",
                                        *(const uint64_t *)((const char *)at + record_offset(f->kind, i)));
            add(line, n, text, (size_t)digits);
        }
        return;
    }
    add(line, n, text, strlen(text));
}

static void put(enum program_record_id id, const void *record)
{
    const record_row *row = &record_rows[id];
    char line[RECORD_LINE];
    size_t n = 0;
    if (to < 0) return;
    add(line, &n, row->name, strlen(row->name));
    for (const record_field *f = row->field; f->most >= 0; f++) {
        add(line, &n, "\t", 1);
        add_field(line, &n, f, (const char *)record + f->offset);
    }
    line[n++] = '\n';
    while (write(to, line, n) < 0 && errno == EINTR) {}
}

/* Launches of one kernel that were refused for one kind of reason. */
typedef struct unrun_sum {
    char *kernel, *reason; /* the first one's, with its numbers */
    const char *kind;
    int code;
    bool by_kernel;
    uint64_t launches, unread, told; /* told: of `launches`, those of the last line */
    bool told_unread;
} unrun_sum;
enum { UNRUN_MOST = 64 };
static unrun_sum unrun[UNRUN_MOST];
static int unrun_count;
static _Thread_local uint64_t not_read[UNRUN_MOST]; /* the calling thread's, of `unread` */
static _Thread_local bool any_not_read;

void record_open(int fd)
{
    to = fd;
    put(PROGRAM_process, &(struct program_process){.pid = getpid(), .name = program_invocation_short_name});
}

void record_note(const char *fmt, ...)
{
    char text[1001];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (note_lines++ < NOTES_MOST) put(PROGRAM_note, &(struct program_note){.pid = getpid(), .text = text});
}

void record_refused(const char *fmt, ...)
{
    char text[1001];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (note_lines++ < NOTES_MOST) put(PROGRAM_refused, &(struct program_refused){.pid = getpid(), .text = text});
}

void record_missing(const char *name)
{
    static char last[64];
    if (!strncmp(last, name, sizeof last - 1)) return;
    snprintf(last, sizeof last, "%s", name);
    put(PROGRAM_missing, &(struct program_missing){.pid = getpid(), .text = last});
}

static void put_kernel(int i)
{
    kernel_sum *k = &kernels[i];
    const double calls = (double)k->calls;
    k->written = k->calls;
    put(PROGRAM_kernel, &(struct program_kernel){.pid = getpid(),
                                                 .number = i,
                                                 .name = k->name,
                                                 .calls = k->calls,
                                                 .timed = k->timed,
                                                 .seconds = k->seconds,
                                                 .shortest = k->shortest,
                                                 .longest = k->longest,
                                                 .cycles = k->cycles,
                                                 .registers = k->registers,
                                                 .shared = k->shared,
                                                 .occupancy = k->occupancy / calls,
                                                 .dram_bytes = k->dram_bytes,
                                                 .unsure = k->unsure + fmax(fabs(k->missing), sqrt(k->squares))});
}

/* Where the time of a kernel's warps went, and what they did with memory. */
static void put_use(int i)
{
    const kernel_sum *k = &kernels[i];
    struct program_use use = {.pid = getpid(),
                              .number = i,
                              .seconds = k->use_seconds,
                              .issue = k->use.issue,
                              .port = k->use.port,
                              .l2 = k->use.l2,
                              .dram = k->use.dram,
                              .starting = k->use.starting};
    memcpy(use.stalls, k->stalls, sizeof use.stalls);
    if (k->use_seconds > 0) put(PROGRAM_use, &use);
    if (core_options.counts)
        put(PROGRAM_counts, &(struct program_counts){.pid = getpid(), .number = i, .c = k->counts});
}

static void put_lines(int i)
{
    const kernel_sum *k = &kernels[i];
    for (const line_sum *l = k->lines; l < k->lines + k->line_count; l++)
        put(PROGRAM_line, &(struct program_line){.pid = getpid(),
                                                 .number = i,
                                                 .file = l->file,
                                                 .line = l->line,
                                                 .instructions = l->instructions,
                                                 .bytes = l->bytes,
                                                 .clocks = l->clocks,
                                                 .waits = l->waits});
}

static void add_lines(kernel_sum *k, const sim_result *r)
{
    for (int i = 0; i < r->line_count; i++) {
        const sim_line *l = &r->lines[i];
        int n = 0;
        while (n < k->line_count && (k->lines[n].line != l->line || strcmp(k->lines[n].file, l->file))) n++;
        if (n == k->line_count) {
            if (!list_grow(&k->lines, (size_t)n, sizeof *k->lines)) return;
            char *file = strdup(l->file);
            if (!file) return;
            k->lines[k->line_count++] = (line_sum){.file = file, .line = l->line};
        }
        line_sum *sum = &k->lines[n];
        sum->instructions += l->c.warp_instructions;
        sum->bytes += l->c.global_load_bytes + l->c.global_store_bytes + l->c.global_atomic_bytes;
        for (int s = 0; s < SIM_STALLS; s++) {
            sum->clocks += l->c.by_stall[s];
            if (s != SIM_STALL_ISSUE) sum->waits += l->c.by_stall[s];
        }
    }
}

void record_event(char what, int card, uint64_t on, double begin, double seconds, const char *name, const char *detail)
{
    static int count;
    if (!core_options.events || count > EVENTS_MOST) return;
    if (count++ == EVENTS_MOST) {
        record_note("there were more than %d events: the timeline and the list of launches end early", EVENTS_MOST);
        return;
    }
    put(PROGRAM_event, &(struct program_event){.pid = getpid(),
                                               .what = what,
                                               .card = card,
                                               .stream = on,
                                               .begin = begin,
                                               .seconds = seconds,
                                               .name = (char *)(uintptr_t)name,
                                               .detail = (char *)(uintptr_t)detail});
}

static void put_time(void)
{
    put(PROGRAM_time, &(struct program_time){.pid = getpid(), .seconds = time_furthest(), .waited = waited});
}

static void put_copies(int i)
{
    put(PROGRAM_copy, &(struct program_copy){.pid = getpid(),
                                             .direction = i,
                                             .calls = copies[i].calls,
                                             .bytes = copies[i].bytes,
                                             .seconds = copies[i].seconds});
}

void record_launch(const device *d, const launch_config *c, const sim_result *r, double seconds, bool timed,
                   double within)
{
    int i = 0;
    while (i < kernel_count && strcmp(kernels[i].name, c->f->name)) i++;
    if (i == kernel_count) {
        if (!list_grow(&kernels, (size_t)kernel_count, sizeof *kernels)) return;
        char *name = strdup(c->f->name);
        if (!name) return;
        kernels[kernel_count++] = (kernel_sum){.name = name, .shortest = seconds};
    }
    kernel_sum *k = &kernels[i];
    k->calls++;
    k->timed += timed;
    k->seconds += seconds;
    k->unsure += within * seconds;
    k->cycles += r->cycles;
    if (seconds < k->shortest) k->shortest = seconds;
    if (seconds > k->longest) k->longest = seconds;
    k->occupancy += r->usage.occupancy;
    k->dram_bytes += r->usage.dram_bytes;
    const sim_kernel *s = c->f->kernel[d->ordinal];
    k->registers = s->registers;
    k->shared = (uint64_t)s->shared_bytes + c->shared;
    if (timed && seconds > k->use_seconds) {
        k->use_seconds = seconds;
        k->use = r->usage;
        memcpy(k->stalls, r->total.by_stall, sizeof k->stalls);
    }
    if (core_options.counts) sim_counters_add(&k->counts, &r->total);
    if (core_options.lines) add_lines(k, r);
    if (k->calls <= OFTEN || k->calls - k->written >= OFTEN) {
        put_kernel(i);
        put_use(i);
        put_time();
    }
}

void record_off(const char *kernel, double seconds)
{
    for (kernel_sum *k = kernels; k < kernels + kernel_count; k++) {
        if (strcmp(k->name, kernel)) continue;
        k->missing += seconds;
        k->squares += seconds * seconds;
    }
}

static void put_unrun(unrun_sum *u)
{
    u->told = u->launches;
    u->told_unread = u->unread;
    put(PROGRAM_unrun, &(struct program_unrun){.pid = getpid(),
                                               .kernel = u->kernel,
                                               .by_kernel = u->by_kernel,
                                               .error = (char *)(uintptr_t)core_error_name(u->code, false),
                                               .launches = u->launches,
                                               .unread = u->unread,
                                               .reason = u->reason});
}

void record_unrun(const launch_config *c, int code, const char *kind, const char *reason)
{
    const char *kernel = c->f ? c->f->name : "?";
    int i = 0;
    while (i < unrun_count && (unrun[i].code != code || unrun[i].kind != kind || unrun[i].by_kernel != c->by_kernel ||
                               strcmp(unrun[i].kernel, kernel)))
        i++;
    if (i == UNRUN_MOST) i--; /* so many kernels: the others count with the last */
    unrun_sum *u = &unrun[i];
    if (i == unrun_count) {
        *u = (unrun_sum){
            .kernel = strdup(kernel), .reason = strdup(reason), .kind = kind, .code = code, .by_kernel = c->by_kernel};
        if (!u->kernel || !u->reason) return;
        unrun_count++;
    }
    u->launches++;
    if (c->unseen) u->unread++, not_read[i]++, any_not_read = true;
    if (u->launches <= OFTEN || u->launches - u->told >= OFTEN) put_unrun(u);
}

void record_error_read(void)
{
    if (!any_not_read || !core_take()) return;
    for (int i = 0; i < unrun_count; i++) {
        unrun[i].unread -= not_read[i];
        not_read[i] = 0;
        if (unrun[i].told_unread && !unrun[i].unread) put_unrun(&unrun[i]);
    }
    any_not_read = false;
    core_give();
}

static uint64_t stir(uint64_t h, const char *text)
{
    for (; text && *text; text++) h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

static char *three(const uint32_t at[3], char out[40])
{
    snprintf(out, 40, "%u,%u,%u", at[0], at[1], at[2]);
    return out;
}

/* A kernel that is launched a million times makes the same mistake a million times: it is told once, and
 * at the end how often. */
void record_faults(const sim_result *r)
{
    char block[40], thread[40];
    for (int i = 0; i < r->fault_count; i++) {
        const sim_fault *f = &r->faults[i];
        if (f->passes && core_options.silent) continue;
        uint64_t which = stir(stir(UINT64_C(0xcbf29ce484222325), f->at.kernel), f->at.file) + (uint64_t)f->at.line * 64;
        which = stir(which + (uint64_t)f->kind, f->kind == SIM_FAULT_OUT_OF_BOUNDS ? "" : f->message);
        int k = 0;
        while (k < told_count && told[k].which != which) k++;
        if (k < told_count) since[k] += f->count;
        if (k < told_count || k == FAULTS_MOST) continue;
        struct program_fault x = {.which = which,
                                  .pid = getpid(),
                                  .kind = (int)f->kind,
                                  .note = f->note,
                                  .kernel = (char *)(uintptr_t)f->at.kernel,
                                  .file = (char *)(uintptr_t)f->at.file,
                                  .line = f->at.line,
                                  .block = three(f->at.block, block),
                                  .thread = three(f->at.thread, thread),
                                  .count = f->count,
                                  .message = (char *)(uintptr_t)f->message,
                                  .advice = (char *)(uintptr_t)f->advice};
        put(PROGRAM_fault, &x);
        x.kernel = x.file = x.block = x.thread = x.message = x.advice =
            NULL; /* what comes later adds to the count alone */
        told[told_count++] = x;
    }
}

void record_copy(int direction, uint64_t bytes, double seconds)
{
    if (direction < 0 || direction >= PROGRAM_DIRECTIONS) direction = PROGRAM_DIRECTIONS - 1;
    copies[direction].calls++;
    copies[direction].bytes += bytes;
    copies[direction].seconds += seconds;
    if (copies[direction].calls <= OFTEN || copies[direction].calls % OFTEN == 0) put_copies(direction);
}

void record_wait(double seconds) { waited += seconds; }

void record_end(void)
{
    for (int i = 0; i < kernel_count; i++) {
        if (kernels[i].written != kernels[i].calls) put_kernel(i), put_use(i);
        put_lines(i);
    }
    for (int i = 0; i < PROGRAM_DIRECTIONS; i++)
        if (copies[i].calls > OFTEN) put_copies(i);
    for (int i = 0; i < unrun_count; i++) put_unrun(&unrun[i]);
    for (int i = 0; i < told_count; i++) {
        told[i].count = since[i];
        if (since[i]) put(PROGRAM_fault, &told[i]);
    }
    libraries_record();
    put_time();
}
