/* record.c: writes the record of a run as lines of text, and reads it back. Both directions follow
 * the table in record.def.
 *
 * A line is "key value". In a record within a record, the key is "usage.busy". For a list, a line
 * "fault +" begins the next element, and "fault.line 12" belongs to the last one. Values that are 0
 * or empty are not written. */
#include "step.h"
#include "list.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind {
    FLAG,
    INT,
    INDEX,
    U32,
    COUNT,
    SIGNED,
    REAL,
    MEASURE,
    DIFFERENCE,
    ANY,
    TEXT,
    LETTER,
    BLOB,
    NO_KIND
} kind;

typedef struct field {
    const char *name;
    kind kind;
    size_t offset, bytes; /* of one value, or of one record of a list */
    int most_values;      /* per line; of a list: records; of a series of texts: texts */
    double most;
    const char *letters;
    bool counted, heap; /* counted: the int at `counter` says how many; heap: allocated */
    size_t counter;
    const struct field *(*part)(void);
} field;

/* clang-format off */
#define MEMBER(name)  ((here *)0)->name
#define EACH(name)    sizeof *MEMBER(name)
#define BEGIN(type)   static const field *type##_fields(void) { typedef type here; static const field all[] = {
#define FINISH        {0}}; return all; }
#define RECORD(type)  BEGIN(type)
#define ABOUT(type)   BEGIN(type)
#define END(type)     FINISH
#define DONE(type)    FINISH
#define OWN(member)
#define FIELD(kind, name, dims, most, unit, meaning) HAS_OF(kind, name, most, unit)
#define HAS(kind, name, most)                        HAS_OF(kind, name, most, "")
#define HAS_OF(kind, name, most, letters) \
    {#name, kind, offsetof(here, name), kind == TEXT ? sizeof MEMBER(name) : sizeof(HOLDS_##kind), \
     kind == TEXT ? 1 : (int)(sizeof MEMBER(name) / sizeof(HOLDS_##kind)), most, letters, NOT_COUNTED},
#define SERIES(kind, name, dims, counter, most, unit, meaning) \
    {#name, kind, offsetof(here, name), EACH(name), (int)(sizeof MEMBER(name) / EACH(name)), most, unit, \
     true, false, offsetof(here, counter), NULL},
#define PART(type, name, meaning) \
    {#name, NO_KIND, offsetof(here, name), sizeof(type), 1, 0, "", false, false, 0, type##_fields},
#define LIST(type, name, dims, counter, meaning) \
    {#name, NO_KIND, offsetof(here, name), sizeof(type), (int)(sizeof MEMBER(name) / sizeof(type)), 0, "", \
     true, false, offsetof(here, counter), type##_fields},
#define HEAP(type, name, most, counter, meaning) \
    {#name, NO_KIND, offsetof(here, name), sizeof(type), most, 0, "", \
     true, true, offsetof(here, counter), type##_fields},
#define BYTES(name, most, counter, meaning) \
    {#name, BLOB, offsetof(here, name), 1, most, 0, "", true, true, offsetof(here, counter), NULL},
#define NOT_COUNTED false, false, 0, NULL
#include "record.def"
/* clang-format on */

/* The pointer that a member of a HEAP or BYTES row holds. */
static char *kept_at(const char *pointer)
{
    char *kept;
    memcpy(&kept, pointer, sizeof kept);
    return kept;
}

/* ---- writing ---- */

enum { KEY_BYTES = 120 };

static bool is_control(const char *text, size_t i)
{
    const unsigned char c = (unsigned char)text[i], before = i ? (unsigned char)text[i - 1] : 0;
    return c < 32 || c == 127 || (before == 0xC2 && c < 0xA0); /* C1 included */
}

static void write_value(FILE *out, const field *f, const char *at)
{
    union {
        bool flag;
        int whole;
        uint32_t narrow;
        uint64_t count;
        int64_t integer;
        double real;
    } v;
    if (f->kind != TEXT) memcpy(&v, at, f->bytes);
    switch (f->kind) {
    case FLAG: fprintf(out, " %d", v.flag); break;
    case INT:
    case INDEX: fprintf(out, " %d", v.whole); break;
    case U32: fprintf(out, " %u", v.narrow); break;
    case COUNT: fprintf(out, " %llu", (unsigned long long)v.count); break;
    case SIGNED: fprintf(out, " %lld", (long long)v.integer); break;
    case MEASURE:
    case DIFFERENCE: fprintf(out, " %.9g", v.real); break;
    case REAL:
    case ANY: fprintf(out, " %.17g", v.real); break;
    case LETTER: fprintf(out, " %c", *at); break;
    case TEXT: /* a newline would begin another line, and control characters could drive the terminal */
        fputc(' ', out);
        for (size_t i = 0; at[i]; i++) fputc(is_control(at, i) ? ' ' : at[i], out);
        break;
    case BLOB:
    case NO_KIND: break;
    }
}

/* Letters and digits unchanged, other bytes as %XX. */
static void write_blob(FILE *out, const char *at, int count)
{
    static const char digits[] = "0123456789ABCDEF";
    for (int i = 0; i < count; i++) {
        const unsigned char c = (unsigned char)at[i];
        const bool plain = c > ' ' && c < 127 && c != '%';
        putc(plain ? c : '%', out);
        if (!plain) putc(digits[c >> 4], out), putc(digits[c & 15], out);
    }
}

static bool is_zero(const char *at, size_t bytes)
{
    while (bytes && !*at) at++, bytes--;
    return !bytes;
}

static void write_record(FILE *out, const char *prefix, const field *f, const char *record)
{
    for (; f->name; f++) {
        const char *at = record + f->offset;
        char key[KEY_BYTES];
        int count = f->most_values;
        snprintf(key, sizeof key, "%s%s%s", prefix, f->name, f->part ? "." : "");
        if (f->counted) memcpy(&count, record + f->counter, sizeof count);
        if (f->heap) at = kept_at(at);
        if (f->kind == BLOB) {
            if (at) fprintf(out, "%s ", key), write_blob(out, at, count), putc('\n', out);
            continue;
        }
        const bool lines = f->part || f->kind == TEXT; /* these are written one per line */
        if (!lines && f->kind != SIGNED && is_zero(at, (size_t)count * f->bytes)) continue;
        if (!lines) fputs(key, out);
        for (int i = 0; i < count; i++, at += f->bytes) {
            if (f->part && f->counted) fprintf(out, "%s%s +\n", prefix, f->name);
            if (f->part) write_record(out, key, f->part(), at);
            else if (f->kind == TEXT && !*at && !f->counted) continue;
            if (f->kind == TEXT) fputs(key, out);
            if (!f->part) write_value(out, f, at);
            if (f->kind == TEXT) fputc('\n', out);
        }
        if (!lines) fputc('\n', out);
    }
}

void record_write(FILE *out, const step_result *r) { write_record(out, "", step_result_fields(), (const char *)r); }

void record_write_fault(FILE *out, const step_fault *f)
{
    fputs("fault +\n", out);
    write_record(out, "fault.", step_fault_fields(), (const char *)f);
}

/* ---- reading ---- */

/* Read one value of a line and move *text past it. */
static bool read_value(const field *f, char **text, char *to)
{
    char *end = *text;
    bool good = true;
    errno = 0;
    if (f->kind == LETTER) {
        good = *end && strchr(f->letters, *end);
        *to = *end++;
    } else if (f->kind >= REAL) {
        const double v = strtod(*text, &end);
        good = f->kind == ANY || (isfinite(v) && fabs(v) <= f->most && (v >= 0 || f->kind == DIFFERENCE));
        memcpy(to, &v, sizeof v);
    } else if (f->kind == COUNT) {
        const uint64_t v = strtoull(*text, &end, 10);
        good = **text != '-' && !errno && (double)v <= f->most;
        memcpy(to, &v, sizeof v);
    } else {
        const int64_t v = strtoll(*text, &end, 10);
        const int whole = (int)v;
        const uint32_t narrow = (uint32_t)v;
        const bool flag = v == 1;
        good = !errno && (f->kind == SIGNED || (v >= (f->kind == INDEX ? -1 : 0) && (double)v <= f->most &&
                                                v <= (f->kind == U32 ? UINT32_MAX : INT_MAX)));
        memcpy(to,
               f->kind == SIGNED ? (const void *)&v
               : f->kind == U32  ? (const void *)&narrow
               : f->kind == FLAG ? (const void *)&flag
                                 : (const void *)&whole,
               f->bytes);
    }
    good = good && end != *text && **text != ' ' && (!*end || *end == ' ');
    *text = *end ? end + 1 : end;
    return good;
}

static bool read_text(const field *f, const char *text, char *to)
{
    const size_t length = strlen(text);
    bool good = length < f->bytes;
    for (size_t i = 0; i < length && good; i++) good = !is_control(text, i);
    if (good) memcpy(to, text, length + 1);
    return good;
}

static int digit_of(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

static bool read_blob(const field *f, const char *text, char *record)
{
    const size_t most = strlen(text);
    int count = 0;
    char *to;
    if (kept_at(record + f->offset) || !(to = malloc(most + 1))) return false;
    memcpy(record + f->offset, &to, sizeof to);
    for (const char *p = text; *p; count++) {
        const bool coded = *p == '%';
        if (count == f->most_values || (coded && (digit_of(p[1]) < 0 || digit_of(p[2]) < 0))) return false;
        to[count] = coded ? (char)(digit_of(p[1]) * 16 + digit_of(p[2])) : *p;
        p += coded ? 3 : 1;
    }
    to[count] = 0;
    memcpy(record + f->counter, &count, sizeof count);
    return true;
}

/* Make room for element `count` of an allocated list. False: no memory. */
static bool grow(const field *f, char *list, int count)
{
    if (!list_grow(list, (size_t)count, f->bytes)) return false;
    memset(kept_at(list) + (size_t)count * f->bytes, 0, f->bytes);
    return true;
}

/* False: the field does not allow this value. */
static bool read_field(const field *f, char *record, const char *key, char *value)
{
    const size_t length = strcspn(key, ".");
    while (f->name && (strlen(f->name) != length || memcmp(f->name, key, length))) f++;
    if (!f->name || (key[length] && !f->part)) return true; /* not a field of ours */
    const char *rest = key[length] ? key + length + 1 : NULL;
    char *at = record + f->offset;
    int count = 1;
    if (f->counted) memcpy(&count, record + f->counter, sizeof count);
    if (f->kind == BLOB) return read_blob(f, value, record);
    if (f->heap) {
        if (!rest && (count == f->most_values || !grow(f, at, count))) return false;
        at = kept_at(at);
    }
    if (f->part && rest) return !count || read_field(f->part(), at + (size_t)(count - 1) * f->bytes, rest, value);
    if (f->counted && (f->part || f->kind == TEXT)) {
        if (count == f->most_values || (!f->part && !read_text(f, value, at + (size_t)count * f->bytes))) return false;
        count++;
    } else if (f->kind == TEXT) {
        return read_text(f, value, at);
    } else if (!f->part) {
        for (count = 0; *value; count++)
            if (count == f->most_values || !read_value(f, &value, at + (size_t)count * f->bytes)) return false;
        if (!f->counted) return count == f->most_values;
    }
    if (f->counted) memcpy(record + f->counter, &count, sizeof count);
    return true;
}

static void free_record(const field *f, char *record)
{
    for (; f->name; f++) {
        char *at = record + f->offset;
        int count = 1;
        if (f->counted) memcpy(&count, record + f->counter, sizeof count);
        if (f->heap) at = kept_at(at);
        for (int i = 0; i < count && f->part; i++) free_record(f->part(), at + (size_t)i * f->bytes);
        if (f->heap) free(at);
    }
}

void step_result_free(step_result *r)
{
    free_record(step_result_fields(), (char *)r);
    memset(r, 0, sizeof *r);
}

static void refuse(step_result *r, const char *key, const char *value)
{
    char text[40];
    size_t used = 0;
    for (; value[used] && used < sizeof text - 1; used++) text[used] = is_control(value, used) ? ' ' : value[used];
    text[used] = 0;
    r->refused = true;
    r->status = EXIT_INTERNAL;
    r->complete = r->judged = false;
    r->faults = 0;
    if (errno == ENOMEM) snprintf(r->problem, sizeof r->problem, NO_MEMORY);
    else snprintf(r->problem, sizeof r->problem, "the run's answer cannot be right: %.60s is \"%s\"", key, text);
}

void record_read(step_result *r, int count, char *answer, size_t bytes)
{
    step_result *of = r;
    char *end = answer ? answer + bytes : NULL;
    for (char *p = answer, *stop; p && p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) break; /* cut off: the last line may end in the middle of a number */
        *stop = 0;
        char *value = strchr(p, ' ');
        if (!value) continue;
        *value++ = 0;
        if (!strcmp(p, "job")) {
            const long job = strtol(value, NULL, 10);
            if (job >= 0 && job < count) of = &r[job];
            continue;
        }
        errno = 0;
        if (!of->refused && !read_field(step_result_fields(), (char *)of, p, value)) refuse(of, p, value);
    }
    for (of = r; of < r + count; of++)
        for (int i = 0; i < of->faults; i++)
            if (!of->fault[i].message[0]) refuse(of, "fault.message", ""); /* which no row can express */
}
