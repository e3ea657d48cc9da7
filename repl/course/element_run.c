/* element_run.c: evaluates a bound expression for BATCH elements at once, so that the cost of
 * walking its tree is shared. Each node's function gets a mask of the lanes that need it: the side
 * of ?: that is not taken, and what && and || decide, read nothing and divide nothing there.
 *
 * A sum goes over its turns with all lanes at once; where there are few lanes (the sum of a whole
 * buffer), each lane's turns become the lanes. Sums of doubles keep what rounding loses. The work
 * is counted and has a limit, so that a lesson cannot keep a computer busy for hours. */
#include "element_run.h"
#include "reference_arrays.h"
#include "shell/threads.h"
#include "list.h"
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 16 /* lanes: fewer than that take turns as lanes */, WORTH_THREADS = 1 << 14 };
static const uint64_t most_work = UINT64_C(1) << 33; /* nodes times lanes: seconds */

vec *element_take(run *r) { return &r->room[r->used++]; }

/* ---- errors ---- */

void element_stop(run *r, const element_node *n, int lane, const char *fmt, ...)
{
    if (r->failed) return;
    r->failed = true;
    va_list args;
    va_start(args, fmt);
    char *text = r->err.text;
    size_t size = sizeof r->err.text;
    vsnprintf(text, size, fmt, args);
    va_end(args);
    r->err.column = n ? r->p->formula->column + n->at : 0;
    for (int v = 0; n && lane >= 0 && v < ELEMENT_SLOTS && r->var[v]; v++) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%.*s = %lld", v ? ", " : ", at ", (int)r->p->variable_length[v],
                 r->p->variable[v], (long long)r->var[v]->i[lane]);
    }
}

static void count_work(run *r, uint64_t lanes)
{
    if (atomic_fetch_add_explicit(&r->all->work, lanes * (uint64_t)r->p->count, memory_order_relaxed) > most_work)
        element_stop(r, NULL, -1,
                     "the sums are too long for an expression (more than %.0f operations): choose smaller sizes, or "
                     "an operation in C",
                     (double)most_work);
}

/* ---- lanes ---- */

/* The value of a node as doubles. */
const vec *element_real(run *r, int index, const uint8_t *mask, int n)
{
    const element_node *e = &r->p->node[index];
    const vec *v = element_eval(r, index, mask, n);
    if (e->kind == ELEMENT_REAL) return v;
    vec *out = element_take(r);
    if (e->kind == ELEMENT_UNSIGNED) EACH out->r[l] = (double)v->u[l];
    else EACH out->r[l] = (double)v->i[l];
    return out;
}

const vec *element_as(run *r, int index, enum element_kind kind, const uint8_t *mask, int n)
{
    return kind == ELEMENT_REAL ? element_real(r, index, mask, n) : element_eval(r, index, mask, n);
}

/* Is it not 0? */
static void truth(run *r, int index, const uint8_t *mask, int n, uint8_t *out)
{
    const int mark = r->used;
    const vec *v = element_eval(r, index, mask, n);
    if (r->p->node[index].kind == ELEMENT_REAL) EACH out[l] = v->r[l] != 0;
    else EACH out[l] = v->i[l] != 0;
    r->used = mark;
}

static bool any(const uint8_t *mask, int n)
{
    uint8_t all = 0;
    EACH all |= mask[l];
    return all;
}

/* ---- elements of buffers ---- */

static bool inside(run *r, const element_node *e, int lane, int64_t i, uint64_t most, const char *what)
{
    if (i >= 0 && (uint64_t)i < most) return true;
    element_stop(r, e, lane, "%.*s[%lld] is outside %.*s, which has %llu %s", (int)e->length, e->name, (long long)i,
                 (int)e->length, e->name, (unsigned long long)most, what);
    return false;
}

static void read_elements(run *r, const element_node *e, vec *out, const vec *index, const vec *column,
                          const uint8_t *mask, int n)
{
    const cpu_value *a = e->array;
    uint64_t at[BATCH];
    EACH
    {
        at[l] = UINT64_MAX;
        if (!ON(l)) continue;
        int64_t i = index->i[l];
        if (column) {
            if (!inside(r, e, l, i, e->columns ? a->count / e->columns : 0, "rows") ||
                !inside(r, e, l, column->i[l], e->columns, "columns"))
                return;
            i = i * (int64_t)e->columns + column->i[l];
        }
        if (!inside(r, e, l, i, a->count, a->count == 1 ? "element" : "elements")) return;
        at[l] = (uint64_t)i;
    }
#define READ(T, to, as)                                                          \
    EACH out->to[l] = at[l] == UINT64_MAX ? 0 : (as)((const T *)a->data)[at[l]]; \
    break
    switch (a->type) {
    case TYPE_I8: READ(int8_t, i, int64_t);
    case TYPE_U8: READ(uint8_t, i, int64_t);
    case TYPE_I16: READ(int16_t, i, int64_t);
    case TYPE_U16: READ(uint16_t, i, int64_t);
    case TYPE_I32: READ(int32_t, i, int64_t);
    case TYPE_U32: READ(uint32_t, i, int64_t);
    case TYPE_I64: READ(int64_t, i, int64_t);
    case TYPE_U64: READ(uint64_t, u, uint64_t);
    case TYPE_F32: READ(float, r, double);
    case TYPE_F64: READ(double, r, double);
    default: EACH out->r[l] = at[l] == UINT64_MAX ? 0 : cpu_number(a, at[l]);
    }
#undef READ
}

/* ---- choices ---- */

static void choose(run *r, const element_node *e, vec *out, const uint8_t *mask, int n)
{
    uint8_t yes[BATCH], no[BATCH];
    truth(r, e->a, mask, n, yes);
    EACH
    {
        no[l] = !yes[l] && ON(l);
        yes[l] = yes[l] && ON(l);
    }
    const enum element_kind kind = (enum element_kind)e->kind;
    const vec *a = !r->failed && any(yes, n) ? element_as(r, e->b, kind, yes, n) : NULL;
    const vec *b = !r->failed && any(no, n) ? element_as(r, e->c, kind, no, n) : NULL;
    EACH out->u[l] = yes[l] && a ? a->u[l] : b ? b->u[l] : 0;
}

static void decide(run *r, const element_node *e, vec *out, const uint8_t *mask, int n)
{
    const bool wanted = e->op == BINARY + OR_;
    uint8_t first[BATCH], open[BATCH], second[BATCH] = {0};
    truth(r, e->a, mask, n, first);
    EACH open[l] = ON(l) && first[l] != wanted;
    if (!r->failed && any(open, n)) truth(r, e->b, open, n, second);
    EACH out->i[l] = open[l] ? second[l] : first[l];
}

/* ---- sums ---- */

typedef struct total {
    double sum, lost;
    uint64_t whole;
    bool begun;
} total;

static void put_in(total *t, const element_node *e, double real, uint64_t whole)
{
    if (e->op == SUM && e->kind == ELEMENT_REAL) {
        const double now = t->sum + real, of = now - t->sum, lost = (t->sum - (now - of)) + (real - of);
        t->sum = now;
        if (lost == lost) t->lost += lost; /* beyond the largest double nothing is lost that matters */
    } else if (e->op == SUM) {
        t->whole += whole;
    } else {
        const bool less = e->kind == ELEMENT_REAL       ? real < t->sum
                          : e->kind == ELEMENT_UNSIGNED ? whole < t->whole
                                                        : element_signed(whole) < element_signed(t->whole);
        const bool more = e->kind == ELEMENT_REAL       ? real > t->sum
                          : e->kind == ELEMENT_UNSIGNED ? whole > t->whole
                                                        : element_signed(whole) > element_signed(t->whole);
        if (!t->begun || (e->op == LEAST ? less : more)) {
            t->sum = real;
            t->whole = whole;
        }
        t->begun = true;
    }
}

/* Few lanes: a lane's turns become the lanes. */
static void sum_in_rows(run *r, const element_node *e, vec *out, const vec *from, const vec *to, const uint8_t *mask,
                        int n)
{
    const vec *outer[ELEMENT_SLOTS], *known[ELEMENT_NODES];
    vec *same[ELEMENT_SLOTS], *k = element_take(r);
    memcpy(outer, r->var, sizeof outer);
    memcpy(known, r->known, sizeof known);
    for (int i = 0; i < r->p->count; i++)
        if (r->p->node[i].op != NUMBER && r->p->node[i].op != REAL) r->known[i] = NULL;
    for (int v = 0; v < e->slot; v++) r->var[v] = same[v] = element_take(r);
    r->var[e->slot] = k;
    EACH
    {
        total t = {0};
        out->i[l] = 0;
        if (!ON(l)) continue;
        for (int v = 0; v < e->slot; v++)
            for (int x = 0; x < BATCH; x++) same[v]->i[x] = outer[v]->i[l];
        for (int64_t i = from->i[l]; i < to->i[l] && !r->failed;) {
            const uint64_t left = (uint64_t)to->i[l] - (uint64_t)i;
            const int now = left < BATCH ? (int)left : BATCH, mark = r->used;
            for (int x = 0; x < now; x++) k->i[x] = i + x;
            count_work(r, (uint64_t)now);
            if (r->failed) break;
            const vec *v = element_eval(r, e->c, NULL, now);
            for (int x = 0; x < now && !r->failed; x++)
                put_in(&t, e, e->kind == ELEMENT_REAL ? v->r[x] : 0, e->kind == ELEMENT_REAL ? 0 : v->u[x]);
            r->used = mark;
            i = element_signed((uint64_t)i + (uint64_t)now);
        }
        if (e->op != SUM && !t.begun) element_stop(r, e, -1, "the least or greatest of nothing");
        if (e->kind == ELEMENT_REAL) out->r[l] = t.sum + t.lost;
        else out->u[l] = t.whole;
    }
    memcpy(r->var, outer, sizeof outer);
    memcpy(r->known, known, sizeof known);
}

/* All lanes take the same turn. */
static void sum_in_columns(run *r, const element_node *e, vec *out, const vec *from, const vec *to, const uint8_t *mask,
                           int n)
{
    vec *k = element_take(r), *lost = element_take(r);
    const vec *outer = r->var[e->slot];
    uint8_t on[BATCH];
    bool whole = true; /* no lane is off */
    uint64_t turns = 0;
    EACH
    {
        const uint64_t mine = ON(l) && to->i[l] > from->i[l] ? (uint64_t)to->i[l] - (uint64_t)from->i[l] : 0;
        turns = mine > turns ? mine : turns;
        if (ON(l) && !mine && e->op != SUM) {
            element_stop(r, e, l, "the least or greatest of nothing");
            return;
        }
        k->i[l] = from->i[l];
        out->i[l] = 0;
        lost->r[l] = 0;
    }
    EACH whole = whole && ON(l) && to->i[l] > from->i[l] && (uint64_t)to->i[l] - (uint64_t)from->i[l] == turns;
    for (int i = 0; i < e->hoists; i++) r->known[e->hoisted[i]] = element_eval(r, e->hoisted[i], mask, n);
    r->var[e->slot] = k;
    for (uint64_t turn = 0; turn < turns && !r->failed; turn++) {
        const int mark = r->used;
        count_work(r, (uint64_t)n);
        if (r->failed) break;
        if (!whole) EACH on[l] = ON(l) && k->i[l] < to->i[l];
        const vec *v = element_eval(r, e->c, whole ? NULL : on, n);
        if (r->failed) break;
        if (e->op == SUM && e->kind == ELEMENT_REAL) {
            EACH
            {
                const double x = whole || on[l] ? v->r[l] : 0, before = out->r[l], now = before + x, of = now - before;
                const double rest = (before - (now - of)) + (x - of);
                out->r[l] = now;
                lost->r[l] += rest == rest ? rest : 0;
            }
        } else if (e->op == SUM) {
            EACH out->u[l] += whole || on[l] ? v->u[l] : 0;
        } else {
            EACH
            {
                total t = {.begun = turn > 0,
                           .sum = e->kind == ELEMENT_REAL ? out->r[l] : 0,
                           .whole = e->kind == ELEMENT_REAL ? 0 : out->u[l]};
                if (!whole && !on[l]) continue;
                put_in(&t, e, e->kind == ELEMENT_REAL ? v->r[l] : 0, e->kind == ELEMENT_REAL ? 0 : v->u[l]);
                if (e->kind == ELEMENT_REAL) out->r[l] = t.sum;
                else out->u[l] = t.whole;
            }
        }
        EACH k->u[l]++;
        r->used = mark;
    }
    if (e->op == SUM && e->kind == ELEMENT_REAL) EACH out->r[l] += lost->r[l];
    for (int i = 0; i < e->hoists; i++) r->known[e->hoisted[i]] = NULL;
    r->var[e->slot] = outer;
}

static void sum(run *r, const element_node *e, vec *out, const uint8_t *mask, int n)
{
    const vec *from = element_eval(r, e->a, mask, n), *to = r->failed ? from : element_eval(r, e->b, mask, n);
    if (r->failed) return;
    if (n < FEW) sum_in_rows(r, e, out, from, to, mask, n);
    else sum_in_columns(r, e, out, from, to, mask, n);
}

/* ---- a node, and all ---- */

const vec *element_eval(run *r, int index, const uint8_t *mask, int n)
{
    const element_node *e = &r->p->node[index];
    if (r->known[index]) return r->known[index];
    if (e->op == NAME) return r->var[e->slot];
    vec *out = element_take(r);
    const int mark = r->used;
    if (r->failed) return out;
    switch (e->op) {
    case AT:
    case AT_ROW: {
        const vec *i = element_eval(r, e->a, mask, n),
                  *column = e->op == AT_ROW && !r->failed ? element_eval(r, e->b, mask, n) : NULL;
        if (!r->failed) read_elements(r, e, out, i, column, mask, n);
        break;
    }
    case SUM:
    case LEAST:
    case GREATEST: sum(r, e, out, mask, n); break;
    case CHOOSE: choose(r, e, out, mask, n); break;
    case BINARY + OR_:
    case BINARY + AND_: decide(r, e, out, mask, n); break;
    case MIN:
    case MAX:
    case CEIL:
    case XOR: element_two(r, index, out, mask, n); break;
    default:
        if (e->op >= BINARY) element_two(r, index, out, mask, n);
        else element_one(r, index, out, mask, n);
    }
    r->used = mark;
    return out;
}

static void put(cpu_value *out, uint64_t at, const vec *v, enum element_kind kind, int n)
{
    if (out->type == TYPE_F64 && kind == ELEMENT_REAL)
        memcpy((double *)out->data + at, v->r, sizeof(double) * (size_t)n);
    else if (kind == ELEMENT_REAL) EACH cpu_put_number(out, at + (uint64_t)l, v->r[l]);
    else if (kind == ELEMENT_UNSIGNED && cpu_is_float(out->type))
        EACH cpu_put_number(out, at + (uint64_t)l, (double)v->u[l]);
    else EACH cpu_put_integer(out, at + (uint64_t)l, v->i[l]);
}

static void *work(void *arg)
{
    run *r = arg;
    const element_range *range = r->all->range;
    const element_program *p = r->p;
    vec *var[ELEMENT_VARIABLES];
    for (int i = 0; i < p->formula->variables; i++) r->var[i] = var[i] = element_take(r);
    for (int i = 0; i < p->count; i++)
        if (p->node[i].op == NUMBER || p->node[i].op == REAL) {
            vec *v = element_take(r);
            r->known[i] = v;
            for (int l = 0; l < BATCH; l++)
                if (p->node[i].op == REAL) v->r[l] = p->node[i].real;
                else v->i[l] = p->node[i].value;
        }
    for (uint64_t at = r->from; at < r->to && !r->failed; at += BATCH) {
        const int n = r->to - at < BATCH ? (int)(r->to - at) : BATCH, mark = r->used;
        EACH
        {
            const uint64_t s = at + (uint64_t)l;
            if (p->formula->variables)
                var[0]->i[l] = range->first[0] + (int64_t)(range->columns ? s / range->columns : s);
            if (p->formula->variables > 1) var[1]->i[l] = range->first[1] + (int64_t)(s % range->columns);
        }
        count_work(r, (uint64_t)n);
        const vec *v = r->failed ? NULL : element_eval(r, p->count - 1, NULL, n);
        if (!r->failed) put(r->all->out, at, v, (enum element_kind)p->node[p->count - 1].kind, n);
        r->used = mark;
    }
    return NULL;
}

/* Scratch for the deepest way down: constants and variables, a node's result, its operands as doubles, and what
 * sums keep. */
static size_t room_for(const element_program *p)
{
    size_t sums = 0;
    for (int i = 0; i < p->count; i++) sums += p->node[i].op >= SUM && p->node[i].op <= GREATEST;
    return (size_t)p->count * 5 + sums * (ELEMENT_SLOTS + ELEMENT_HOISTED + 4) + 16;
}

bool element_run(const element_program *p, const element_range *range, cpu_value *out, element_error *err)
{
    shared all = {.p = p, .range = range, .out = out};
    bool sums = false;
    for (int i = 0; i < p->count; i++) sums = sums || (p->node[i].op >= SUM && p->node[i].op <= GREATEST);
    const uint64_t batches = (range->count + BATCH - 1) / BATCH;
    int threads = range->count >= WORTH_THREADS || (sums && batches > 1) ? threads_here() : 1;
    if ((uint64_t)threads > batches) threads = batches ? (int)batches : 1;
    run *r = calloc((size_t)threads, sizeof *r);
    bool good = r != NULL;
    for (int i = 0; i < threads && good; i++) {
        r[i].all = &all;
        r[i].p = p;
        r[i].from = batches * (uint64_t)i / (uint64_t)threads * BATCH;
        r[i].to = i + 1 == threads ? range->count : batches * (uint64_t)(i + 1) / (uint64_t)threads * BATCH;
        r[i].room = malloc(room_for(p) * sizeof(vec));
        good = r[i].room != NULL;
        if (good) memset(r[i].room, 0, room_for(p) * sizeof(vec));
    }
    *err = (element_error){.shortage = true, .text = NO_MEMORY};
    if (good) {
        out->threads = threads_run(work, r, sizeof *r, threads);
        for (int i = threads; i-- > 0;) /* the first failure that a loop over the elements would meet */
            if (r[i].failed) {
                *err = r[i].err;
                good = false;
            }
    }
    for (int i = 0; i < threads && r; i++) free(r[i].room);
    free(r);
    return good;
}
