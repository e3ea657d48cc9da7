/* program_records.c: reads what the libraries wrote (sim/cuda/core/records.c says how). A program can
 * write into the same file, by mistake or on purpose: each line is checked, and what is no line of
 * ours is counted and left out. */
#include "program.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MOST ((off_t)1 << 30) /* some 10 million lines: ten times what EVENTS_MOST of them take */
enum { LINE_MOST = 8192 /* those of our libraries have half of it */ };
enum { FIELDS_MOST = 20, ROWS_MOST = 20000, EVENTS_MOST = 400000, FAULTS_MOST = 2000, TEXTS_MOST = 400 };

/* Makes room for one row. */
static void *row(struct program_record *r, void **list, int *count, size_t each)
{
    if (*count >= (list == (void **)&r->events ? EVENTS_MOST : ROWS_MOST)) return NULL;
    if ((*count & (*count - 1)) == 0) {
        void *more = realloc(*list, (*count ? 2 * (size_t)*count : 1) * each);
        if (!more) {
            r->failed = true;
            return NULL;
        }
        *list = more;
    }
    void *at = (char *)*list + (size_t)(*count)++ * each;
    memset(at, 0, each);
    return at;
}

static bool to_u64(const char *s, uint64_t *v)
{
    char *end;
    errno = 0;
    if (*s < '0' || *s > '9') return false;
    *v = strtoull(s, &end, 10);
    return !*end && !errno;
}
static bool to_int(const char *s, int *v)
{
    uint64_t u;
    if (!to_u64(s, &u) || u > 1 << 30) return false;
    *v = (int)u;
    return true;
}
static bool to_long(const char *s, long *v)
{
    uint64_t u;
    if (!to_u64(s, &u) || u > INT32_MAX) return false;
    *v = (long)u;
    return true;
}
static bool to_number(const char *s, double *v)
{
    char *end;
    if ((*s < '0' || *s > '9') && *s != '.') return false;
    *v = strtod(s, &end);
    return !*end && isfinite(*v) && *v >= 0;
}
static char *keep(struct program_record *r, const char *s)
{
    char *copy = strdup(s);
    if (!copy) r->failed = true;
    return copy;
}

static bool take_kernel(struct program_record *r, char **f)
{
    struct program_kernel k = {0};
    if (!to_long(f[1], &k.pid) || !to_long(f[2], &k.number) || !to_u64(f[4], &k.calls) || !to_u64(f[5], &k.timed) ||
        !to_number(f[6], &k.seconds) || !to_number(f[7], &k.shortest) || !to_number(f[8], &k.longest) ||
        !to_u64(f[9], &k.cycles) || !to_int(f[10], &k.registers) || !to_u64(f[11], &k.shared) ||
        !to_number(f[12], &k.occupancy) || !to_number(f[13], &k.dram_bytes) || !to_number(f[14], &k.unsure) ||
        !k.calls || k.timed > k.calls)
        return false;
    struct program_kernel *at = NULL;
    for (int i = 0; i < r->kernel_count && !at; i++)
        if (r->kernels[i].pid == k.pid && r->kernels[i].number == k.number) at = &r->kernels[i];
    if (at && (!at->name || strcmp(at->name, f[3]) || at->calls > k.calls)) return false;
    k.name = at ? at->name : keep(r, f[3]);
    if (!at) at = row(r, (void **)&r->kernels, &r->kernel_count, sizeof *at);
    if (!at) free(k.name);
    if (!at) return true;
    *at = k;
    return true;
}

static bool take_use(struct program_record *r, char **f)
{
    struct program_use u = {0};
    if (!to_long(f[1], &u.pid) || !to_long(f[2], &u.number) || !to_number(f[3], &u.seconds) ||
        !to_number(f[4], &u.usage.issue) || !to_number(f[5], &u.usage.port) || !to_number(f[6], &u.usage.l2) ||
        !to_number(f[7], &u.usage.dram) || !to_number(f[8], &u.usage.starting))
        return false;
    char *at = f[9];
    for (int i = 0; i < SIM_STALLS; i++) {
        char *comma = strchr(at, ',');
        if ((comma == NULL) != (i == SIM_STALLS - 1)) return false;
        if (comma) *comma = 0;
        if (!to_u64(at, &u.stalls[i]) || u.stalls[i] > UINT64_MAX / 64) return false;
        at = comma ? comma + 1 : at;
    }
    struct program_use *to = NULL;
    for (int i = 0; i < r->use_count && !to; i++)
        if (r->uses[i].pid == u.pid && r->uses[i].number == u.number) to = &r->uses[i];
    if (!to) to = row(r, (void **)&r->uses, &r->use_count, sizeof *to);
    if (to) *to = u;
    return true;
}

/* Numbers parted by commas, of each counter that the simulator has. */
static bool take_counts(struct program_record *r, char **f)
{
    struct program_counts c = {0};
    int count;
    const sim_counter_info *info = sim_counter_infos(&count);
    if (!to_long(f[1], &c.pid) || !to_long(f[2], &c.number)) return false;
    char *at = f[3];
    for (int i = 0; i < count; i++) {
        uint64_t v;
        char *comma = strchr(at, ',');
        if ((comma == NULL) != (i == count - 1)) return false;
        if (comma) *comma = 0;
        if (!to_u64(at, &v) || v > UINT64_MAX / 64) return false;
        memcpy((char *)&c.c + info[i].offset, &v, sizeof v);
        at = comma ? comma + 1 : at;
    }
    struct program_counts *to = NULL;
    for (int i = 0; i < r->counts_count && !to; i++)
        if (r->counts[i].pid == c.pid && r->counts[i].number == c.number) to = &r->counts[i];
    if (!to) to = row(r, (void **)&r->counts, &r->counts_count, sizeof *to);
    if (to) *to = c;
    return true;
}

static bool take_source_line(struct program_record *r, char **f)
{
    struct program_line l = {0};
    if (!to_long(f[1], &l.pid) || !to_long(f[2], &l.number) || !to_int(f[4], &l.line) ||
        !to_u64(f[5], &l.instructions) || !to_u64(f[6], &l.bytes) || !to_u64(f[7], &l.clocks) ||
        !to_u64(f[8], &l.waits) || l.waits > l.clocks)
        return false;
    struct program_line *to = row(r, (void **)&r->lines, &r->line_count, sizeof *to);
    if (!to) return true;
    l.file = keep(r, f[3]);
    *to = l;
    return true;
}

static bool take_event(struct program_record *r, char **f)
{
    struct program_event e = {0};
    if (!to_long(f[1], &e.pid) || !to_int(f[3], &e.card) || !to_u64(f[4], &e.stream) || !to_number(f[5], &e.begin) ||
        !to_number(f[6], &e.seconds))
        return false;
    static const char *const kinds[] = {"kernel", "copy", "fill", "wait", "call", "range"};
    size_t k = 0;
    while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k], f[2])) k++;
    if (k == sizeof kinds / sizeof *kinds) return false;
    struct program_event *to = row(r, (void **)&r->events, &r->event_count, sizeof *to);
    if (!to) return true;
    e.what = "kcfwhr"[k];
    e.name = keep(r, f[7]);
    e.detail = keep(r, f[8]);
    *to = e;
    return true;
}

static bool take_copy(struct program_record *r, char **f)
{
    struct program_copy c = {0};
    if (!to_long(f[1], &c.pid) || !to_int(f[2], &c.direction) || c.direction > 4 || !to_u64(f[3], &c.calls) ||
        !to_u64(f[4], &c.bytes) || !to_number(f[5], &c.seconds))
        return false;
    struct program_copy *at = NULL;
    for (int i = 0; i < r->copy_count && !at; i++)
        if (r->copies[i].pid == c.pid && r->copies[i].direction == c.direction) at = &r->copies[i];
    if (!at) at = row(r, (void **)&r->copies, &r->copy_count, sizeof *at);
    if (at) *at = c;
    return true;
}

/* One that is known already: out of bounds on the same line, or the same in all. */
static struct program_fault *same_fault(struct program_record *r, char **f, int line)
{
    for (int i = 0; i < r->fault_count; i++) {
        struct program_fault *x = &r->faults[i];
        if (x->line == line && x->kind && !strcmp(x->kind, f[2]) && x->kernel && !strcmp(x->kernel, f[4]) && x->file &&
            !strcmp(x->file, f[5]) && x->message && (!strcmp(f[2], "out-of-bounds") || !strcmp(x->message, f[10])))
            return x;
    }
    return NULL;
}

static bool take_fault(struct program_record *r, char **f)
{
    struct program_fault x = {0};
    int note;
    if (!to_long(f[1], &x.pid) || !to_int(f[3], &note) || !to_int(f[6], &x.line) || !to_u64(f[9], &x.count))
        return false;
    struct program_fault *at = same_fault(r, f, x.line);
    if (at) at->count = at->count + x.count < x.count ? UINT64_MAX : at->count + x.count;
    if (at || r->fault_count == FAULTS_MOST) return true;
    at = row(r, (void **)&r->faults, &r->fault_count, sizeof *at);
    if (!at) return true;
    x.note = note;
    x.kind = keep(r, f[2]);
    x.kernel = keep(r, f[4]);
    x.file = keep(r, f[5]);
    x.block = keep(r, f[7]);
    x.thread = keep(r, f[8]);
    x.message = keep(r, f[10]);
    x.advice = keep(r, f[11]);
    *at = x;
    return true;
}

static bool take_unrun(struct program_record *r, char **f)
{
    struct program_unrun u = {0};
    if (!to_long(f[1], &u.pid) || !to_u64(f[4], &u.launches) || !to_u64(f[5], &u.unread) || u.unread > u.launches)
        return false;
    struct program_unrun *at = NULL;
    for (int i = 0; i < r->unrun_count && !at; i++) {
        struct program_unrun *x = &r->unrun[i];
        if (x->pid == u.pid && x->kernel && !strcmp(x->kernel, f[2]) && x->error && !strcmp(x->error, f[3]) &&
            x->reason && !strcmp(x->reason, f[6]))
            at = x;
    }
    if (!at) {
        if (!(at = row(r, (void **)&r->unrun, &r->unrun_count, sizeof *at))) return true;
        at->pid = u.pid;
        at->kernel = keep(r, f[2]);
        at->error = keep(r, f[3]);
        at->reason = keep(r, f[6]);
    }
    at->launches = u.launches;
    at->unread = u.unread;
    return true;
}

static bool take_time(struct program_record *r, char **f)
{
    double seconds, waited;
    if (!to_number(f[2], &seconds) || !to_number(f[3], &waited)) return false;
    if (seconds > r->seconds) r->seconds = seconds; /* of the process that ran longest */
    if (waited > r->waited) r->waited = waited;
    return true;
}
static bool take_program(struct program_record *r, char **f)
{
    (void)f;
    r->processes++;
    return true;
}
/* Each once; a program that tells ever new ones cannot take all memory. */
static bool take_text(struct words *all, const char *text)
{
    if (all->count < TEXTS_MOST && !words_have(all, text)) words_add(all, text);
    return true;
}
static bool take_note(struct program_record *r, char **f) { return take_text(&r->notes, f[2]); }
static bool take_refused(struct program_record *r, char **f) { return take_text(&r->refused, f[2]); }
static bool take_missing(struct program_record *r, char **f) { return take_text(&r->missing, f[2]); }

static bool take_line(struct program_record *r, char *line)
{
    static const struct {
        const char *name;
        int fields;
        bool (*take)(struct program_record *, char **);
    } kinds[] = {{"kernel", 15, take_kernel},   {"copy", 6, take_copy},       {"fault", 12, take_fault},
                 {"time", 4, take_time},        {"program", 3, take_program}, {"note", 3, take_note},
                 {"missing", 3, take_missing},  {"refused", 3, take_refused}, {"use", 10, take_use},
                 {"line", 9, take_source_line}, {"event", 9, take_event},     {"counts", 4, take_counts},
                 {"unrun", 7, take_unrun}};
    char *fields[FIELDS_MOST];
    int n = 0;
    for (char *s = line; n < FIELDS_MOST;) {
        fields[n++] = s;
        s = strchr(s, '\t');
        if (!s) break;
        *s++ = 0;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, fields[0])) return n == kinds[i].fields && kinds[i].take(r, fields);
    return false;
}

/* A line is taken, or counted as damaged. */
static void end_line(struct program_record *r, char *line, size_t bytes, bool fine)
{
    line[bytes] = 0;
    for (size_t i = 0; i < bytes && fine; i++) fine = (unsigned char)line[i] >= ' ' || line[i] == '\t';
    if (!fine || !take_line(r, line)) r->bad_lines++;
}

void program_read(int fd, struct program_record *r)
{
    static char part[1 << 16], line[LINE_MOST + 1];
    struct stat st;
    size_t bytes = 0;
    bool fine = true;
    if (fd < 0 || fstat(fd, &st) || st.st_size <= 0) return;
    r->cut = st.st_size > BYTES_MOST;
    const off_t end = r->cut ? BYTES_MOST : st.st_size;
    for (off_t at = 0; at < end;) {
        const off_t left = end - at;
        const ssize_t n = pread(fd, part, left < (off_t)sizeof part ? (size_t)left : sizeof part, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        at += n;
        for (const char *from = part, *stop; from < part + n; from = stop + 1) {
            stop = memchr(from, '\n', (size_t)(part + n - from));
            const size_t more = (size_t)((stop ? stop : part + n) - from);
            fine = fine && bytes + more <= LINE_MOST;
            if (fine) memcpy(line + bytes, from, more);
            bytes = fine ? bytes + more : 0;
            if (!stop) break;
            end_line(r, line, bytes, fine);
            bytes = 0;
            fine = true;
        }
    }
    if (bytes || !fine) r->bad_lines++;
    r->failed = r->failed || r->notes.failed || r->missing.failed || r->refused.failed;
}

typedef struct edge {
    double at;
    int change;
} edge;

static int by_place(const void *x, const void *y)
{
    const edge *a = x, *b = y;
    return a->at < b->at ? -1 : a->at > b->at ? 1 : a->change - b->change;
}

double program_overlap(const struct program_record *r)
{
    edge *all = malloc((2 * (size_t)r->event_count + 1) * sizeof *all);
    size_t n = 0;
    for (int i = 0; all && i < r->event_count; i++) {
        const struct program_event *e = &r->events[i];
        if (!strchr("kcf", e->what)) continue;
        all[n++] = (edge){e->begin, 1};
        all[n++] = (edge){e->begin + e->seconds, -1};
    }
    if (n) qsort(all, n, sizeof *all, by_place);
    double busy = 0, twice = 0;
    int open = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        open += all[i].change;
        busy += open >= 1 ? all[i + 1].at - all[i].at : 0;
        twice += open >= 2 ? all[i + 1].at - all[i].at : 0;
    }
    free(all);
    return twice > 1e-6 * busy ? twice / busy : 0; /* not what rounding makes */
}

void program_record_free(struct program_record *r)
{
    for (int i = 0; i < r->kernel_count; i++) free(r->kernels[i].name);
    for (int i = 0; i < r->fault_count; i++) {
        struct program_fault *x = &r->faults[i];
        char *all[] = {x->kind, x->kernel, x->file, x->block, x->thread, x->message, x->advice};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    }
    for (int i = 0; i < r->unrun_count; i++) {
        free(r->unrun[i].kernel);
        free(r->unrun[i].error);
        free(r->unrun[i].reason);
    }
    for (int i = 0; i < r->line_count; i++) free(r->lines[i].file);
    for (int i = 0; i < r->event_count; i++) free(r->events[i].name), free(r->events[i].detail);
    free(r->uses);
    free(r->counts);
    free(r->lines);
    free(r->events);
    free(r->kernels);
    free(r->copies);
    free(r->faults);
    free(r->unrun);
    words_free(&r->notes);
    words_free(&r->missing);
    words_free(&r->refused);
    memset(r, 0, sizeof *r);
}
