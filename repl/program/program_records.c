/* program_records.c: reads what the libraries wrote (cuda/records.def). A program can write into the
 * same file, by mistake or on purpose: each line is checked, and what is no line of ours is counted
 * and left out. */
#define RECORD_ROWS
#include "program.h"
#include "list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MOST ((off_t)1 << 30) /* some 10 million lines: ten times what all events of a program take */

/* any record */
union record {
#define KEY(record, kind, name, most)
#define FIELD(record, kind, name, most)
#define END(name)
#define RECORD(name, list, count, most, joins) struct program_##name name;
#include "cuda/records.def"
#undef RECORD
};

/* Where records of a kind are kept. */
static const struct {
    size_t list, count;
} kept[PROGRAM_RECORDS] = {
#define RECORD(name, list, count, most, joins) \
    {offsetof(struct program_record, list), offsetof(struct program_record, count)},
#include "cuda/records.def"
#undef RECORD
#undef KEY
#undef FIELD
#undef END
};
static void **list_of(struct program_record *r, int id) { return (void **)(void *)((char *)r + kept[id].list); }
static int *count_of(struct program_record *r, int id) { return (int *)(void *)((char *)r + kept[id].count); }

/* ---- values ---- */
static bool read_integer(const char *s, double most, uint64_t *v)
{
    char *end;
    errno = 0;
    if (*s < '0' || *s > '9') return false;
    *v = strtoull(s, &end, 10);
    return !*end && !errno && (double)*v <= most;
}

static bool read_real(const char *s, double most, double *v)
{
    char *end;
    if (*s == '+' || *s == '-' || s[strspn(s, "0123456789.eE+-")]) return false;
    *v = strtod(s, &end);
    return end != s && !*end && isfinite(*v) && *v >= 0 && *v <= most;
}

static bool read_fault(const char *s, int *kind)
{
    for (*kind = 0; *kind < SIM_FAULT_KINDS; ++*kind)
        if (!strcmp(s, sim_fault_name((enum sim_fault_kind) * kind))) return true;
    return false;
}

/* Integers separated by commas. Sums of some of them cannot overflow. */
static bool read_list(char *s, enum record_kind kind, char *out)
{
    const int count = record_values(kind);
    for (int i = 0; i < count; i++) {
        char *comma = strchr(s, ',');
        uint64_t v;
        if ((comma == NULL) != (i == count - 1)) return false;
        if (comma) *comma = 0;
        if (!read_integer(s, (double)(UINT64_MAX / 64), &v)) return false;
        memcpy(out + record_offset(kind, i), &v, sizeof v);
        if (comma) s = comma + 1;
    }
    return true;
}

/* A text stays in the line. */
static bool read_field(char *s, const record_field *f, char *out)
{
    uint64_t v;
    switch (f->kind) {
    case RECORD_IS_INT:
        if (!read_integer(s, f->most, &v)) return false;
        *(int *)(void *)out = (int)v;
        return true;
    case RECORD_IS_COUNT: return read_integer(s, f->most, (uint64_t *)(void *)out);
    case RECORD_IS_MOMENT:
    case RECORD_IS_REAL: return read_real(s, f->most, (double *)(void *)out);
    case RECORD_IS_TEXT: *(char **)(void *)out = s; return strlen(s) <= (size_t)f->most;
    case RECORD_IS_FAULT: return read_fault(s, (int *)(void *)out);
    case RECORD_IS_LETTER: *out = *s; return *s && !s[1] && strchr(PROGRAM_EVENT_LETTERS, *s);
    default: return read_list(s, f->kind, out);
    }
}

static bool read_record(char *fields, const record_row *row, char *out)
{
    char *s = fields;
    for (const record_field *f = row->field; f->most >= 0; f++) {
        char *tab = s ? strchr(s, '\t') : NULL;
        if (!s) return false;
        if (tab) *tab = 0;
        if (!read_field(s, f, out + f->offset)) return false;
        s = tab ? tab + 1 : NULL;
    }
    return !s;
}

/* What the rows cannot say of a record, and of the one that it joins (NULL: none). */
static bool is_likely(int id, const union record *new, const union record *old)
{
    switch (id) {
    case PROGRAM_kernel: {
        const struct program_kernel *k = &new->kernel;
        return k->calls && k->timed <= k->calls &&
               (!old || (!strcmp(old->kernel.name, k->name) && old->kernel.calls <= k->calls));
    }
    case PROGRAM_line: return new->line.waits <= new->line.clocks;
    case PROGRAM_unrun: return new->unrun.unread <= new->unrun.launches;
    case PROGRAM_fault: return old || new->fault.kernel[0];
    default: return true;
    }
}

/* ---- keeping them ---- */
static bool same_keys(const record_row *row, const char *a, const char *b)
{
    bool same = true, keys = false;
    for (const record_field *f = row->field; same && f->most >= 0; f++) {
        if (!f->is_key) continue;
        const char *x = a + f->offset, *y = b + f->offset;
        keys = true;
        same = f->kind == RECORD_IS_TEXT  ? !strcmp(*(char *const *)(const void *)x, *(char *const *)(const void *)y)
               : f->kind == RECORD_IS_INT ? !memcmp(x, y, sizeof(int))
                                          : !memcmp(x, y, sizeof(uint64_t));
    }
    return same && keys;
}

static void free_texts(const record_row *row, char *record)
{
    for (const record_field *f = row->field; f->most >= 0; f++)
        if (f->kind == RECORD_IS_TEXT) free(*(char **)(void *)(record + f->offset));
}

/* Its texts become its own. False: no memory, and it has none. */
static bool own_texts(const record_row *row, char *record)
{
    bool whole = true;
    for (const record_field *f = row->field; f->most >= 0; f++) {
        char **text = (char **)(void *)(record + f->offset);
        if (f->kind == RECORD_IS_TEXT && !(*text = whole ? strdup(*text) : NULL)) whole = false;
    }
    if (!whole) free_texts(row, record);
    return whole;
}

/* Makes room for one; NULL: no memory. */
static char *new_place(void **list, int *count, size_t size)
{
    if (!list_grow(list, (size_t)*count, size)) return NULL;
    return (char *)*list + (size_t)(*count)++ * size;
}

static void add_to(uint64_t *sum, uint64_t more) { *sum = *sum + more < more ? UINT64_MAX : *sum + more; }

/* False: it contradicts what was told before. */
static bool keep(struct program_record *r, int id, union record *new)
{
    const record_row *row = &record_rows[id];
    void **list = list_of(r, id);
    int *count = count_of(r, id);
    char *old = NULL;
    for (int i = 0; row->joins != RECORD_JOINS_EACH && i < *count && !old; i++) {
        char *at = (char *)*list + (size_t)i * row->size;
        if (same_keys(row, at, (char *)new)) old = at;
    }
    if (!is_likely(id, new, (union record *)(void *)old)) return false;
    if (old && row->joins == RECORD_JOINS_TOTAL) { /* the faults alone */
        add_to(&((struct program_fault *)(void *)old)->count, new->fault.count);
        return true;
    }
    if (!old && *count >= row->most) return true;
    if (!own_texts(row, (char *)new)) {
        r->failed = true;
        return true;
    }
    if (old) free_texts(row, old);
    else old = new_place(list, count, row->size);
    if (old) memcpy(old, new, row->size);
    else free_texts(row, (char *)new), r->failed = true;
    return true;
}

static bool take_line(struct program_record *r, char *line)
{
    union record record;
    char *fields = strchr(line, '\t');
    if (!fields) return false;
    *fields++ = 0;
    for (int id = 0; id < PROGRAM_RECORDS; id++) {
        if (strcmp(record_rows[id].name, line) != 0) continue;
        memset(&record, 0, sizeof record);
        return read_record(fields, &record_rows[id], (char *)&record) && keep(r, id, &record);
    }
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
    static char part[1 << 16], line[RECORD_LINE + 1];
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
            fine = fine && bytes + more <= RECORD_LINE;
            if (fine) memcpy(line + bytes, from, more);
            bytes = fine ? bytes + more : 0;
            if (!stop) break;
            end_line(r, line, bytes, fine);
            bytes = 0;
            fine = true;
        }
    }
    if (bytes || !fine) r->bad_lines++;
    for (int i = 0; i < r->time_count; i++) { /* of the process that ran longest */
        r->seconds = fmax(r->seconds, r->times[i].seconds);
        r->waited = fmax(r->waited, r->times[i].waited);
    }
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
    for (int id = 0; id < PROGRAM_RECORDS; id++) {
        char *list = *list_of(r, id);
        for (int i = 0; i < *count_of(r, id); i++)
            free_texts(&record_rows[id], list + (size_t)i * record_rows[id].size);
        free(list);
    }
    memset(r, 0, sizeof *r);
}
