/* records.c: what `exec` is told, as it happens: lines of text, appended to a file of the parent's,
 * each by one write. Fields are parted by tabs. Sums so far are written again and again rather than
 * differences, so that the last line of each kind is right whenever the program ends, and a program
 * of a million launches does not write a million lines.
 *
 *   program  PID NAME
 *   kernel   PID NUMBER NAME CALLS SECONDS SHORTEST LONGEST CYCLES REGISTERS SHARED OCCUPANCY
 *            DRAM_BYTES BOUND REAL SHAPE
 *   use      PID NUMBER SECONDS ISSUE PORT L2 DRAM STARTING STALL,STALL,...   of its longest timed launch
 *   counts   PID NUMBER COUNT,COUNT,...   of all its launches, in the order of sim_counter_infos
 *   line     PID NUMBER FILE LINE INSTRUCTIONS BYTES CLOCKS WAITS
 *   event    PID WHAT DEVICE STREAM BEGIN SECONDS NAME DETAIL
 *   copy     PID DIRECTION CALLS BYTES SECONDS
 *   time     PID PROGRAM WAITED
 *   fault    PID KIND NOTE KERNEL FILE LINE BLOCK THREAD COUNT MESSAGE ADVICE
 *   unrun    PID KERNEL ERROR LAUNCHES UNREAD REASON   that were refused; whose error nobody read
 *   note     PID TEXT
 *   refused  PID TEXT
 *   missing  PID NAME
 */
#define _GNU_SOURCE
#include "core.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int to = -1;
enum { LINE_MOST = 4096, OFTEN = 256, FAULTS_MOST = 1000, NOTES_MOST = 200, EVENTS_MOST = 300000 };

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
    double unsure; /* of `seconds`, those that what was foretold may be off */
    /* what later launches have shown to be missing in them, summed, and its squares: errors of both signs cancel */
    double missing, squares;
    int registers;
    uint64_t shared;
    double use_seconds; /* of the launch that `use` and `stalls` are of */
    sim_usage use;
    uint64_t stalls[SIM_STALLS];
    sim_counters counts;
    line_sum *lines;
    int line_count, line_room;
} kernel_sum;
static kernel_sum *kernels;
static int kernel_count, kernel_room;
static struct {
    uint64_t calls, bytes;
    double seconds;
} copies[5];
static double waited;
static int note_lines;
static struct {
    uint64_t place, more; /* which fault, as a hash; how often it was seen since it was told */
    char *before, *after; /* its line, but for the number */
} told[FAULTS_MOST];
static int told_count;

/* Control characters would end a field or a line. */
static void put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *fmt, ...)
{
    if (to < 0) return;
    char line[LINE_MOST];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line - 1, fmt, args);
    va_end(args);
    if (n < 0) return;
    if (n > (int)sizeof line - 2) n = (int)sizeof line - 2;
    for (int i = 0; i < n; i++)
        if ((unsigned char)line[i] < ' ' && line[i] != '\t') line[i] = line[i] == 1 ? '\t' : ' ';
    line[n++] = '\n';
    while (write(to, line, (size_t)n) < 0 && errno == EINTR) {}
}

/* Launches of one kernel that were refused for one kind of reason. */
typedef struct unrun_sum {
    char *kernel, *reason; /* the first one's, with its numbers */
    const char *kind;
    int code;
    uint64_t launches, unread, told; /* told: of `launches`, those of the last line */
    bool told_unread;
} unrun_sum;
enum { UNRUN_MOST = 64 };
static unrun_sum unrun[UNRUN_MOST];
static int unrun_count;
static _Thread_local uint64_t not_read[UNRUN_MOST]; /* the calling thread's, of `unread` */
static _Thread_local bool any_not_read;

static const char *clean(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (; text && *text && n + 1 < size; text++) out[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
    out[n] = 0;
    return out;
}

void record_open(int fd)
{
    to = fd;
    put("program\t%ld\t%s", (long)getpid(), program_invocation_short_name);
}

static void note(const char *kind, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
static void note(const char *kind, const char *fmt, va_list args)
{
    char text[1000], cleaned[1000];
    vsnprintf(text, sizeof text, fmt, args);
    if (note_lines++ < NOTES_MOST) put("%s\t%ld\t%s", kind, (long)getpid(), clean(text, cleaned, sizeof cleaned));
}

void record_note(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    note("note", fmt, args);
    va_end(args);
}

void record_refused(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    note("refused", fmt, args);
    va_end(args);
}

void record_missing(const char *name)
{
    static char last[64];
    if (!strncmp(last, name, sizeof last - 1)) return;
    snprintf(last, sizeof last, "%s", name);
    put("missing\t%ld\t%s", (long)getpid(), name);
}

static void put_kernel(int i)
{
    kernel_sum *k = &kernels[i];
    char name[700];
    k->written = k->calls;
    put("kernel\t%ld\t%d\t%s\t%llu\t%llu\t%.9g\t%.9g\t%.9g\t%llu\t%d\t%llu\t%.4f\t%.6g\t%.4g", (long)getpid(), i,
        clean(k->name, name, sizeof name), (unsigned long long)k->calls, (unsigned long long)k->timed, k->seconds,
        k->shortest, k->longest, (unsigned long long)k->cycles, k->registers, (unsigned long long)k->shared,
        k->occupancy / (double)k->calls, k->dram_bytes, k->unsure + fmax(fabs(k->missing), sqrt(k->squares)));
}

/* Where the time of a kernel's warps went. */
static void put_use(int i)
{
    const kernel_sum *k = &kernels[i];
    char stalls[24 * SIM_STALLS] = "";
    if (!k->use_seconds) return;
    for (int s = 0, n = 0; s < SIM_STALLS; s++)
        n += snprintf(stalls + n, sizeof stalls - (size_t)n, "%s%llu", s ? "," : "", (unsigned long long)k->stalls[s]);
    put("use\t%ld\t%d\t%.9g\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%s", (long)getpid(), i, k->use_seconds, k->use.issue,
        k->use.port, k->use.l2, k->use.dram, k->use.starting, stalls);
}

static void put_counts(int i)
{
    int count;
    const sim_counter_info *info = sim_counter_infos(&count);
    char text[LINE_MOST - 100];
    int n = 0;
    if (!core_options.counts) return;
    for (int k = 0; k < count && n < (int)sizeof text - 32; k++) {
        uint64_t v;
        memcpy(&v, (const char *)&kernels[i].counts + info[k].offset, sizeof v);
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%llu", k ? "," : "", (unsigned long long)v);
    }
    put("counts\t%ld\t%d\t%s", (long)getpid(), i, text);
}

static void put_lines(int i)
{
    const kernel_sum *k = &kernels[i];
    char file[300];
    for (int n = 0; n < k->line_count; n++) {
        const line_sum *l = &k->lines[n];
        put("line\t%ld\t%d\t%s\t%d\t%llu\t%llu\t%llu\t%llu", (long)getpid(), i, clean(l->file, file, sizeof file),
            l->line, (unsigned long long)l->instructions, (unsigned long long)l->bytes, (unsigned long long)l->clocks,
            (unsigned long long)l->waits);
    }
}

static void add_lines(kernel_sum *k, const sim_result *r)
{
    for (int i = 0; i < r->line_count; i++) {
        const sim_line *l = &r->lines[i];
        int n = 0;
        while (n < k->line_count && (k->lines[n].line != l->line || strcmp(k->lines[n].file, l->file))) n++;
        if (n == k->line_room) {
            const int room = n ? 2 * n : 32;
            line_sum *more = realloc(k->lines, (size_t)room * sizeof *more);
            if (!more) return;
            k->lines = more;
            k->line_room = room;
        }
        if (n == k->line_count) {
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

void record_event(const char *what, int card, unsigned long long on, double begin, double seconds, const char *name,
                  const char *detail)
{
    static int count;
    char cleaned[700], more[200];
    if (!core_options.events || count > EVENTS_MOST) return;
    if (count++ == EVENTS_MOST) {
        record_note("there were more than %d events: the timeline and the list of launches end early", EVENTS_MOST);
        return;
    }
    put("event\t%ld\t%s\t%d\t%llu\t%.12g\t%.9g\t%s\t%s", (long)getpid(), what, card, on, begin, seconds,
        clean(name, cleaned, sizeof cleaned), clean(detail, more, sizeof more));
}

static void put_time(void) { put("time\t%ld\t%.9g\t%.9g", (long)getpid(), time_furthest(), waited); }

static void put_copies(int i)
{
    put("copy\t%ld\t%d\t%llu\t%llu\t%.9g", (long)getpid(), i, (unsigned long long)copies[i].calls,
        (unsigned long long)copies[i].bytes, copies[i].seconds);
}

void record_launch(const device *d, const launch_config *c, const sim_result *r, double seconds, bool timed,
                   double within)
{
    int i = 0;
    while (i < kernel_count && strcmp(kernels[i].name, c->f->name)) i++;
    if (i == kernel_count) {
        if (kernel_count == kernel_room) {
            const int room = kernel_room ? kernel_room * 2 : 16;
            kernel_sum *more = realloc(kernels, (size_t)room * sizeof *more);
            if (!more) return;
            kernels = more;
            kernel_room = room;
        }
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
        put_counts(i);
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
    char name[700], reason[400];
    u->told = u->launches;
    u->told_unread = u->unread;
    put("unrun\t%ld\t%s\t%s\t%llu\t%llu\t%s", (long)getpid(), clean(u->kernel, name, sizeof name),
        core_error_name(u->code, false), (unsigned long long)u->launches, (unsigned long long)u->unread,
        clean(u->reason, reason, sizeof reason));
}

void record_unrun(const char *kernel, int code, const char *kind, const char *reason, bool unread)
{
    int i = 0;
    while (i < unrun_count && (unrun[i].code != code || unrun[i].kind != kind || strcmp(unrun[i].kernel, kernel))) i++;
    if (i == UNRUN_MOST) i--; /* so many kernels: the others count with the last */
    unrun_sum *u = &unrun[i];
    if (i == unrun_count) {
        *u = (unrun_sum){.kernel = strdup(kernel), .reason = strdup(reason), .kind = kind, .code = code};
        if (!u->kernel || !u->reason) return;
        unrun_count++;
    }
    u->launches++;
    if (unread) u->unread++, not_read[i]++, any_not_read = true;
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

/* A kernel that is launched a million times does the same wrong a million times: it is told once, and
 * at the end how often. */
void record_faults(const sim_result *r)
{
    char file[300], kernel[500], message[500], advice[300], before[1200], after[1000];
    for (int i = 0; i < r->fault_count; i++) {
        const sim_fault *f = &r->faults[i];
        if (f->passes && core_options.silent) continue;
        uint64_t which = stir(stir(UINT64_C(0xcbf29ce484222325), f->at.kernel), f->at.file) + (uint64_t)f->at.line * 64;
        which = stir(which + (uint64_t)f->kind, f->kind == SIM_FAULT_OUT_OF_BOUNDS ? "" : f->message);
        int k = 0;
        while (k < told_count && told[k].place != which) k++;
        if (k < told_count) told[k].more += f->count;
        if (k < told_count || k == FAULTS_MOST) continue;
        snprintf(before, sizeof before, "fault\t%ld\t%s\t%d\t%s\t%s\t%d\t%u,%u,%u\t%u,%u,%u", (long)getpid(),
                 sim_fault_name(f->kind), f->note, clean(f->at.kernel, kernel, sizeof kernel),
                 clean(f->at.file, file, sizeof file), f->at.line, f->at.block[0], f->at.block[1], f->at.block[2],
                 f->at.thread[0], f->at.thread[1], f->at.thread[2]);
        snprintf(after, sizeof after, "%s\t%s", clean(f->message, message, sizeof message),
                 clean(f->advice, advice, sizeof advice));
        told[told_count].place = which;
        told[told_count].before = strdup(before);
        told[told_count++].after = strdup(after);
        put("%s\t%llu\t%s", before, (unsigned long long)f->count, after);
    }
}

void record_copy(int direction, uint64_t bytes, double seconds)
{
    if (direction < 0 || direction > 4) direction = 4;
    copies[direction].calls++;
    copies[direction].bytes += bytes;
    copies[direction].seconds += seconds;
    if (copies[direction].calls <= OFTEN || copies[direction].calls % OFTEN == 0) put_copies(direction);
}

void record_wait(double seconds) { waited += seconds; }

void record_end(void)
{
    for (int i = 0; i < kernel_count; i++) {
        if (kernels[i].written != kernels[i].calls) put_kernel(i), put_use(i), put_counts(i);
        put_lines(i);
    }
    for (int i = 0; i < 5; i++)
        if (copies[i].calls > OFTEN) put_copies(i);
    for (int i = 0; i < unrun_count; i++) put_unrun(&unrun[i]);
    for (int i = 0; i < told_count; i++)
        if (told[i].more && told[i].before && told[i].after)
            put("%s\t%llu\t%s", told[i].before, (unsigned long long)told[i].more, told[i].after);
    libraries_record();
    put_time();
}
