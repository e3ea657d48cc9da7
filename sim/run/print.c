/* print.c: printf in kernels. vprintf gets the addresses of a format and of a buffer that holds the
 * arguments, each at its natural alignment, as CUDA lays them out. The format is the program's: it
 * is parsed here, and the host's printf sees only conversions rebuilt from what was understood,
 * with width and precision bounded.
 *
 * CUDA differs from C: there are at most 32 arguments, and conversions that need more, or do not
 * exist, are printed as they are. The result is the number of arguments; a null format gives -1. */
#include "print.h"
#include "list.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_ARGUMENTS = 32,
    MAX_FORMAT = 4096, /* bytes of a format that are read */
    MAX_STRING = 1024, /* bytes of one %s */
    MAX_WIDTH = 1024,  /* columns and digits of one conversion */
    MAX_TEXT = 8192,   /* bytes of one call */
    PRINT_COST = 8,    /* cost of a lane's printf in warp instructions, by host time */
    PRINT_BYTES = 64   /* one more per so many bytes of %s */
};

typedef struct print_record {
    uint64_t order; /* sort key: the block's number */
    uint64_t text;  /* offset in the log's text */
    uint32_t length;
    uint32_t block[3], thread[3];
} print_record;

/* At most the first `limit` bytes in the order of the records are wanted. The log may grow to twice
 * that; then it is sorted and cut. From then on nothing at or after the cut can be wanted. */
typedef struct print_log {
    print_record *records;
    size_t count, capacity;
    char *text;
    size_t used, room, limit;
    uint64_t left_out, cut; /* order of the first record cut off; UINT64_MAX: none */
} print_log;

/* ---- the log ---- */
void print_log_free(worker *k)
{
    if (!k->prints) return;
    free(k->prints->records);
    free(k->prints->text);
    free(k->prints);
    k->prints = NULL;
}

static print_log *log_of(worker *k)
{
    if (!k->prints && (k->prints = calloc(1, sizeof *k->prints)) != NULL) {
        size_t wanted = k->launch->wanted->max_output;
        k->prints->limit = wanted ? wanted < SIZE_MAX / 8 ? wanted : SIZE_MAX / 8 : (size_t)1 << 20;
        k->prints->cut = UINT64_MAX;
    }
    return k->prints;
}

static int by_order(const void *x, const void *y) /* within a block in order of text */
{
    const print_record *a = x, *b = y;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    return a->text < b->text ? -1 : a->text > b->text;
}

static void log_cut(print_log *g)
{
    size_t kept = 0, bytes = 0;
    if (g->count) qsort(g->records, g->count, sizeof *g->records, by_order);
    while (kept < g->count && g->records[kept].length + (size_t)1 <= g->limit - bytes)
        bytes += g->records[kept++].length + (size_t)1;
    if (kept == g->count) return;
    char *text = malloc(bytes ? bytes : 1);
    if (!text) return; /* it grows on, until that fails too */
    g->cut = g->records[kept].order;
    g->left_out += g->count - kept;
    g->count = kept;
    bytes = 0;
    for (size_t i = 0; i < kept; i++) {
        memcpy(text + bytes, g->text + g->records[i].text, g->records[i].length + (size_t)1);
        g->records[i].text = bytes;
        bytes += g->records[i].length + (size_t)1;
    }
    free(g->text);
    g->text = text;
    g->used = g->room = bytes;
}

static void log_add(launch *l, print_log *g, const print_record *r, const char *text)
{
    size_t need = r->length + (size_t)1;
    if (r->order >= g->cut) {
        g->left_out++;
        return;
    }
    if (!list_room(&g->records, &g->capacity, g->count + 1, sizeof *g->records) ||
        !list_room(&g->text, &g->room, g->used + need, 1)) {
        l->lacks = true;
        return;
    }
    g->records[g->count] = *r;
    g->records[g->count++].text = g->used;
    memcpy(g->text + g->used, text, need);
    g->used += need;
    if (g->used > 2 * g->limit) log_cut(g);
}

typedef struct merged {
    print_record r;
    const char *text;
} merged;

static int by_block(const void *x, const void *y) { return by_order(&((const merged *)x)->r, &((const merged *)y)->r); }

static bool store(sim_result *r, const merged *all, size_t count)
{
    jmp_buf oom;
    arena *mem = r->owner;
    jmp_buf *const outer = mem->oom;
    if (setjmp(oom)) {
        mem->oom = outer;
        return false;
    }
    mem->oom = &oom;
    sim_print *prints = arena_array(mem, count + 1, sizeof *prints);
    for (size_t i = 0; i < count; i++) {
        memcpy(prints[i].block, all[i].r.block, sizeof prints[i].block);
        memcpy(prints[i].thread, all[i].r.thread, sizeof prints[i].thread);
        prints[i].text = arena_string(mem, all[i].text, all[i].r.length);
    }
    mem->oom = outer;
    r->prints = prints;
    r->print_count = (int)count;
    return true;
}

void print_log_finish(launch *l, worker *k, int n)
{
    sim_result *r = l->result;
    size_t total = 0, kept = 0, bytes = 0, limit = 0;
    for (int i = 0; i < n; i++) {
        if (!k[i].prints) continue;
        limit = k[i].prints->limit;
        total += k[i].prints->count;
        r->prints_left_out += k[i].prints->left_out;
    }
    if (!total) return;
    merged *all = malloc(total * sizeof *all);
    if (all) {
        size_t at = 0;
        for (int i = 0; i < n; i++) {
            const print_log *g = k[i].prints;
            for (size_t j = 0; g && j < g->count; j++, at++)
                all[at] = (merged){g->records[j], g->text + g->records[j].text};
        }
        qsort(all, total, sizeof *all, by_block);
        while (kept < total && all[kept].r.length + (size_t)1 <= limit - bytes)
            bytes += all[kept++].r.length + (size_t)1;
        if (kept > INT32_MAX) kept = INT32_MAX;
    }
    if (all && store(r, all, kept)) r->prints_left_out += total - kept;
    else l->lacks = true;
    free(all);
}

/* ---- the program's memory ---- */
/* the bytes readable from an address on */
typedef struct view {
    const char *bytes; /* NULL: nothing */
    uint64_t size;
    const char *space;
    const alloc *al;
    uint8_t kind; /* of space ... */
    uint64_t at;  /* ... and where in it */
} view;

static view look_at(const warp *w, int lane, uint64_t address)
{
    const launch *l = w->worker->launch;
    if (address - PARAM_WINDOW < WINDOW_BYTES) {
        uint64_t at = address - PARAM_WINDOW;
        return (view){at < l->param_bytes ? l->params + at : NULL,
                      at < l->param_bytes ? l->param_bytes - at : 0,
                      "param",
                      NULL,
                      SPACE_PARAM,
                      at};
    }
    if (address - LOCAL_WINDOW < WINDOW_BYTES) {
        uint64_t at = address - LOCAL_WINDOW;
        bool in = w->local && at < w->local_limit;
        return (view){in ? w->local + (size_t)lane * w->local_stride + at : NULL,
                      in ? w->local_limit - at : 0,
                      "local",
                      NULL,
                      SPACE_LOCAL,
                      at};
    }
    if (address - SHARED_WINDOW < WINDOW_BYTES) {
        uint64_t at = address - SHARED_WINDOW;
        const shared_part *p = memory_part(w->worker->launch, at, false);
        return (view){p ? w->block->shared + at : NULL, p ? p->to - at : 0, "shared", NULL, SPACE_SHARED, at};
    }
    const alloc *a = memory_at(&l->s->mem, address);
    if (!a || !a->host) return (view){NULL, 0, "global", a, SPACE_GLOBAL, address};
    return (view){a->host + (address - a->start), a->size - (address - a->start), "global", a, SPACE_GLOBAL, address};
}

/* A string of at most `most` bytes; its length, or -1 after a fault. */
static int64_t read_text(warp *w, const insn *in, int lane, uint64_t address, uint32_t most, const char *what,
                         const char **text)
{
    view v = look_at(w, lane, address);
    w->worker->advice = "Give printf a char array in device memory that ends in a zero byte.";
    if (!v.bytes) {
        fault_raise(w, in, v.al ? SIM_FAULT_USE_AFTER_FREE : SIM_FAULT_OUT_OF_BOUNDS, lane, UINT32_C(1) << lane,
                    v.space, address, 1,
                    v.al ? "printf reads %s in freed memory" : "printf reads %s at an address that is not allocated",
                    what);
        return -1;
    }
    /* What other blocks may write meanwhile is read when the blocks run in order. */
    if (v.al && !v.al->is_const && (!v.al->is_symbol || v.al->tracked) && launch_serial(w, in)) return -1;
    *text = v.bytes;
    const char *end = memchr(v.bytes, 0, v.size < most ? (size_t)v.size : most);
    if (!end && v.size < most) {
        fault_raise(w, in, SIM_FAULT_OUT_OF_BOUNDS, lane, UINT32_C(1) << lane, v.space, address + v.size, 1,
                    "printf reads %s without a terminating zero byte", what);
        return -1;
    }
    w->worker->advice = NULL;
    const int64_t length = end ? end - v.bytes : most;
    return init_looked_at(w, in, lane, v.kind, v.at, (uint64_t)length, "prints") ? length : -1;
}

/* ---- one call of one lane ---- */
typedef struct call {
    warp *w;
    const insn *in;
    int lane;
    view args;
    uint64_t at; /* of the next argument */
    int used;    /* arguments so far */
    bool faulted;
    bool kept;  /* else the log is cut before this block: only reads and result matter */
    bool reads; /* there was a %s: each lane's own text must be read */
    size_t length;
    char text[MAX_TEXT];
} call;

static void put(call *c, const char *s, size_t n)
{
    if (!c->kept) return;
    size_t room = sizeof c->text - 1 - c->length;
    if (n > room) n = room;
    memcpy(c->text + c->length, s, n);
    c->length += n;
}

static bool take(call *c, uint32_t bytes, uint64_t *value) /* false: the buffer is over */
{
    c->at = (c->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    c->used++;
    *value = 0;
    if (!c->args.bytes || c->at > c->args.size || c->args.size - c->at < bytes) return false;
    c->faulted = c->faulted || !init_looked_at(c->w, c->in, c->lane, c->args.kind, c->args.at + c->at, bytes, "prints");
    memcpy(value, c->args.bytes + c->at, bytes); /* the lowest bytes: both are little-endian */
    c->at += bytes;
    return true;
}

typedef struct conversion {
    char flags[6];
    int flag_count;
    int width, precision; /* -1: none */
    bool width_argument, precision_argument;
    char size; /* 0 'H' (hh) 'h' 'l' (and all other 64-bit sizes) */
    char kind;
} conversion;

static const char *read_number(const char *s, const char *end, int *out)
{
    int n = 0;
    for (; s < end && *s >= '0' && *s <= '9'; s++) n = n < MAX_WIDTH ? n * 10 + (*s - '0') : n;
    *out = n < MAX_WIDTH ? n : MAX_WIDTH;
    return s;
}

/* Parses what follows "%". NULL: no such conversion. */
static const char *read_conversion(const char *s, const char *end, conversion *c)
{
    *c = (conversion){.width = -1, .precision = -1};
    for (; s < end && *s && strchr("-+ #0", *s); s++)
        if (!memchr(c->flags, *s, (size_t)c->flag_count)) c->flags[c->flag_count++] = *s;
    if (s < end && *s == '*') c->width_argument = true, s++;
    else if (s < end && *s >= '1' && *s <= '9') s = read_number(s, end, &c->width);
    if (s < end && *s == '.') {
        s++;
        if (s < end && *s == '*') c->precision_argument = true, s++;
        else s = read_number(s, end, &c->precision);
    }
    if (s < end && *s == 'h') {
        c->size = 'h';
        if (++s < end && *s == 'h') c->size = 'H', s++;
    } else if (s < end && *s && strchr("lLjzt", *s)) {
        bool is_l = *s == 'l';
        c->size = 'l';
        if (++s < end && is_l && *s == 'l') s++;
    }
    if (s == end || !*s || !strchr("diouxXcspeEfFgGaA", *s)) return NULL;
    c->kind = *s;
    return s + 1;
}

static int within(uint64_t argument) /* a width given as an argument */
{
    int64_t v = (int32_t)(uint32_t)argument;
    return (int)(v < -MAX_WIDTH ? -MAX_WIDTH : v > MAX_WIDTH ? MAX_WIDTH : v);
}

static size_t host_string(char *out, size_t size, const conversion *c, const char *s, size_t n)
{
    bool left = memchr(c->flags, '-', (size_t)c->flag_count) || c->width < 0;
    int width = c->width < 0 ? -c->width : c->width;
    if ((size_t)width < n) width = (int)n;
    if (n >= size) n = size - 1;
    return (size_t)snprintf(out, size, left ? "%-*.*s" : "%*.*s", width, (int)n, s);
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* built from checked flags and letters */
#endif

static size_t host_integer(char *out, size_t size, const conversion *c, uint64_t v)
{
    char format[16];
    snprintf(format, sizeof format, "%%%s*.*ll%c", c->flags, c->kind);
    bool is_signed = c->kind == 'd' || c->kind == 'i';
    if (is_signed) return (size_t)snprintf(out, size, format, c->width, c->precision, (long long)v);
    return (size_t)snprintf(out, size, format, c->width, c->precision, (unsigned long long)v);
}

static size_t host_float(char *out, size_t size, const conversion *c, uint64_t bits)
{
    char format[16];
    double d;
    memcpy(&d, &bits, sizeof d);
    if (d != d) { /* hosts write these differently */
        static const char *const names[2][2] = {{"nan", "-nan"}, {"NAN", "-NAN"}};
        const char *nan = names[c->kind < 'a'][bits >> 63];
        return host_string(out, size, c, nan, strlen(nan));
    }
    snprintf(format, sizeof format, "%%%s*.*%c", c->flags, c->kind);
    size_t n = (size_t)snprintf(out, size, format, c->width, c->precision, d);
    const char *point = localeconv()->decimal_point; /* the same output in every locale */
    char *at = point[0] != '.' && !point[1] ? strchr(out, point[0]) : NULL;
    if (at) *at = '.';
    return n;
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static uint64_t narrowed(const conversion *c, uint64_t v)
{
    bool is_signed = c->kind == 'd' || c->kind == 'i';
    switch (c->size) {
    case 'H': return is_signed ? (uint64_t)(int64_t)(int8_t)(uint8_t)v : (uint8_t)v;
    case 'h': return is_signed ? (uint64_t)(int64_t)(int16_t)(uint16_t)v : (uint16_t)v;
    case 'l': return v;
    default: return is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)v : (uint32_t)v;
    }
}

static bool put_conversion(call *c, conversion *v) /* false after a fault */
{
    char out[2 * MAX_WIDTH + 512], number[32];
    uint64_t value;
    size_t n = 0;
    bool wide = v->size == 'l' || strchr("sp", v->kind) || !strchr("diouxXc", v->kind), there = true;
    if (v->width_argument) {
        there &= take(c, 4, &value);
        v->width = within(value);
    }
    if (v->precision_argument) {
        there &= take(c, 4, &value);
        v->precision = within(value);
    }
    there &= take(c, wide && v->kind != 'c' ? 8 : 4, &value);
    if (v->width == -1 && !v->width_argument) v->width = 0;
    v->flags[v->flag_count] = 0;
    if (c->faulted) return false;
    if (!there) {
        put(c, "(no argument)", 13);
        return true;
    }
    if (!c->kept && v->kind != 's') return true;
    switch (v->kind) {
    case 'c':
        number[0] = (char)value;
        n = host_string(out, sizeof out, v, number, number[0] ? 1 : 0);
        break;
    case 's': {
        const char *s = "(null)";
        char what[48];
        uint32_t most = v->precision >= 0 && v->precision < MAX_STRING ? (uint32_t)v->precision : MAX_STRING;
        int64_t length = most < 6 ? most : 6;
        c->reads = true;
        if (value) {
            snprintf(what, sizeof what, "a string (argument %d)", c->used);
            length = read_text(c->w, c->in, c->lane, value, most, what, &s);
            c->w->worker->print_cost += (uint64_t)(length > 0 ? length : 0) / PRINT_BYTES;
        }
        if (length < 0) return false;
        n = host_string(out, sizeof out, v, s, (size_t)length);
        break;
    }
    case 'p':
        if (value) snprintf(number, sizeof number, "0x%llx", (unsigned long long)value);
        n = host_string(out, sizeof out, v, value ? number : "(nil)", strlen(value ? number : "(nil)"));
        break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': n = host_integer(out, sizeof out, v, narrowed(v, value)); break;
    default: n = host_float(out, sizeof out, v, value);
    }
    put(c, out, n < sizeof out ? n : sizeof out - 1);
    return true;
}

static bool print_lane(call *c, const char *format, size_t length)
{
    const char *s = format, *end = format + length;
    while (s < end) {
        const char *percent = memchr(s, '%', (size_t)(end - s));
        put(c, s, (size_t)((percent ? percent : end) - s));
        if (!percent) break;
        if (percent + 1 < end && percent[1] == '%') {
            put(c, "%", 1);
            s = percent + 2;
            continue;
        }
        conversion v;
        const char *behind = read_conversion(percent + 1, end, &v);
        if (behind && c->used + v.width_argument + v.precision_argument < MAX_ARGUMENTS) {
            if (!put_conversion(c, &v)) return false;
            s = behind;
        } else { /* as it is */
            put(c, "%", 1);
            s = percent + 1;
        }
    }
    c->text[c->length] = 0;
    return true;
}

bool print_call(warp *w, const insn *in, const uint64_t *format, const uint64_t *args, int32_t *counts)
{
    call c;
    print_log *g = log_of(w->worker);
    const bool in_time = w->worker->launch->wanted->cooperative;
    int last = -1; /* previous lane, if its text was not wanted and had no %s */
    if (in_time && launch_serial(w, in)) return false;
    for (int lane = 0; lane < 32; lane++) {
        const char *text;
        if (!(w->mask >> lane & 1)) continue;
        counts[lane] = -1;
        if (!format[lane]) continue;
        w->worker->print_calls++;
        w->worker->print_cost += PRINT_COST;
        if (last >= 0 && format[lane] == format[last]) { /* the format alone decides */
            counts[lane] = counts[last];
            if (g) g->left_out++;
            continue;
        }
        int64_t length = read_text(w, in, lane, format[lane], MAX_FORMAT, "its format", &text);
        if (length < 0) return false;
        c.w = w;
        c.in = in;
        c.lane = lane;
        c.args = look_at(w, lane, args[lane]);
        c.at = 0;
        c.used = 0;
        c.faulted = false;
        c.length = 0;
        c.reads = false;
        c.kept = g && (in_time ? 0 : w->block->linear) < g->cut;
        if (!print_lane(&c, text, (size_t)length)) return false;
        counts[lane] = c.used;
        last = c.kept || c.reads ? -1 : lane;
        if (!g) { /* out of memory for output */
            w->worker->launch->lacks = true;
            continue;
        }
        print_record r = {.order = in_time ? 0 : w->block->linear, .length = (uint32_t)c.length};
        memcpy(r.block, w->block->id, sizeof r.block);
        for (int i = 0; i < 3; i++) r.thread[i] = w->tid[i][lane];
        log_add(w->worker->launch, g, &r, c.text);
    }
    return true;
}
