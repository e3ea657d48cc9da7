/* strip.c: see strip.h. */
#include "strip.h"
#include "shell/language.h"
#include <stdlib.h>
#include <string.h>

const struct strip_sign strip_signs[STRIP_STATES] = {
    [STRIP_EMPTY] = {' ', "no warp"},         [STRIP_ISSUE] = {'#', "issues"},  [STRIP_READY] = {':', "could issue"},
    [STRIP_ARITHMETIC] = {'-', "arithmetic"}, [STRIP_MEMORY] = {'m', "memory"}, [STRIP_SHARED] = {'s', "shared memory"},
    [STRIP_BARRIER] = {'b', "barrier"},
};

static enum strip_state state_of(enum sim_stall cause)
{
    switch (cause) {
    case SIM_STALL_MEMORY:
    case SIM_STALL_COPY:
    case SIM_STALL_PORT:
    case SIM_STALL_DRAM: return STRIP_MEMORY;
    case SIM_STALL_SHARED:
    case SIM_STALL_CONFLICT:
    case SIM_STALL_SHARED_PORT:
    case SIM_STALL_SHARED_TURN: return STRIP_SHARED;
    case SIM_STALL_BARRIER: return STRIP_BARRIER;
    case SIM_STALL_SLOT: return STRIP_READY;
    case SIM_STALL_ISSUE: return STRIP_ISSUE;
    default: return STRIP_ARITHMETIC;
    }
}

uint64_t strip_end(const frames *f) { return f->reel->rows ? f->reel->row[f->reel->rows - 1].clock + 1 : 1; }

void strip_wait(frames *f, uint64_t clock)
{
    while (frames_running(f) && strip_end(f) <= clock && !app_interrupted) frames_wait(f, f->reel->steps + 1000);
}

void strip_free(strip *s)
{
    free(s->state);
    s->state = NULL;
}

typedef struct maker {
    strip *s;
    float *time;                  /* places x columns x states: clocks */
    double *issues;               /* by column: clocks in which some warp issues */
    double each;                  /* clocks of a column */
    uint64_t until[STRIP_PLACES]; /* by place: what is known of it ends here; 0: no block there */
    bool there[STRIP_PLACES], over[STRIP_PLACES];
} maker;

static void add(maker *m, uint32_t place, uint64_t from, uint64_t to, enum strip_state state)
{
    strip *s = m->s;
    if (place >= STRIP_PLACES || to <= s->from || from >= s->to || to <= from) return;
    const double a = from > s->from ? (double)(from - s->from) : 0, b = (double)((to < s->to ? to : s->to) - s->from);
    for (int c = (int)(a / m->each); c < s->columns && c * m->each < b; c++) {
        const double low = a > c * m->each ? a : c * m->each, high = b < (c + 1) * m->each ? b : (c + 1) * m->each;
        if (high > low)
            m->time[((size_t)place * STRIP_COLUMNS + (size_t)c) * STRIP_STATES + state] += (float)(high - low);
    }
    if ((int)place >= s->places) s->places = (int)place + 1;
}

static void add_row(maker *m, const reel *l, const reel_row *r)
{
    if (r->kind == SIM_MOMENT_BEGIN) {
        for (uint32_t p = r->place; p < r->place + l->warps && p < STRIP_PLACES; p++) {
            m->there[p] = true;
            m->until[p] = r->clock;
        }
        return;
    }
    if (r->kind == SIM_MOMENT_END) {
        for (uint32_t p = r->place; p < r->place + l->warps && p < STRIP_PLACES; p++) m->there[p] = false;
        return;
    }
    const uint32_t p = r->place;
    if (p >= STRIP_PLACES || !m->there[p]) return;
    const uint64_t ready = r->clock - r->queued, waits = ready - r->waited;
    if (waits > m->until[p]) add(m, p, m->until[p], waits, STRIP_ISSUE);
    add(m, p, waits, ready, state_of(r->cause));
    add(m, p, ready, r->clock, STRIP_READY);
    add(m, p, r->clock, r->clock + r->slot, STRIP_ISSUE);
    add(m, p, r->clock + r->slot, r->clock + r->slot + r->held, STRIP_ARITHMETIC);
    m->until[p] = r->clock + r->slot + r->held;
    if (r->clock >= m->s->to) m->over[p] = true;
}

static void choose(maker *m)
{
    strip *s = m->s;
    double all = 0;
    for (int p = 0; p < s->places; p++)
        for (int c = 0; c < s->columns; c++) {
            const float *t = m->time + ((size_t)p * STRIP_COLUMNS + (size_t)c) * STRIP_STATES;
            int best = STRIP_EMPTY;
            for (int k = 1; k < STRIP_STATES; k++) {
                s->share[k] += (double)t[k];
                all += (double)t[k];
                if (t[k] > t[best] || (best == STRIP_EMPTY && t[k] > 0)) best = k;
            }
            s->state[p * s->columns + c] = (unsigned char)best;
        }
    for (int k = 0; k < STRIP_STATES && all > 0; k++) s->share[k] /= all;
    for (int c = 0; c < s->columns; c++) s->issued[c] = (unsigned char)(100 * m->issues[c] / m->each + 0.5);
}

/* The first row at or after a clock. */
static uint32_t row_at(const reel *l, uint64_t clock)
{
    uint32_t low = 0, high = l->rows;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (l->row[middle].clock < clock) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Which blocks are there when the strip begins, and what their warps did last. */
static void begin(maker *m, const reel *l, uint32_t first)
{
    for (uint32_t i = 0; i < first; i++) {
        const reel_row *r = &l->row[i];
        if (r->kind == SIM_MOMENT_BEGIN || r->kind == SIM_MOMENT_END) add_row(m, l, r);
        else if (r->place < STRIP_PLACES) m->until[r->place] = r->clock;
    }
}

/* Clocks in which schedulers issue, as a share of all of them. */
static void count_issues(maker *m, const reel *l, uint32_t first)
{
    const strip *s = m->s;
    const double each = 1.0 / (l->schedulers > 0 ? l->schedulers : 1);
    for (uint32_t i = first; i < l->rows && l->row[i].clock < s->to; i++) {
        const int c = (int)((double)(l->row[i].clock - s->from) / m->each);
        if (c >= 0 && c < s->columns) m->issues[c] += l->row[i].slot * each;
    }
    for (int c = 0; c < s->columns; c++) { /* what goes on in the next column */
        if (m->issues[c] <= m->each) continue;
        if (c + 1 < s->columns) m->issues[c + 1] += m->issues[c] - m->each;
        m->issues[c] = m->each;
    }
}

bool strip_make(const frames *f, uint64_t from, uint64_t to, int columns, strip *out)
{
    const reel *l = f->reel;
    maker *m = calloc(1, sizeof *m);
    if (to <= from) to = from + 1;
    if (columns > STRIP_COLUMNS) columns = STRIP_COLUMNS;
    *out = (strip){.from = from, .to = to, .columns = columns};
    out->state = calloc((size_t)STRIP_PLACES * (size_t)columns, 1);
    if (m) m->time = calloc((size_t)STRIP_PLACES * STRIP_COLUMNS * STRIP_STATES, sizeof *m->time);
    if (m) m->issues = calloc(STRIP_COLUMNS, sizeof *m->issues);
    const bool made = m && m->time && m->issues && out->state;
    if (made) {
        const uint32_t first = row_at(l, from);
        m->s = out;
        m->each = (double)(to - from) / columns;
        begin(m, l, first);
        uint32_t i = first;
        for (; i < l->rows && l->row[i].clock < to; i++) add_row(m, l, &l->row[i]);
        /* waits that end later: the next row of each place */
        for (uint32_t left = 4096 + STRIP_PLACES; i < l->rows && left; i++, left--)
            if (l->row[i].place < STRIP_PLACES && !m->over[l->row[i].place]) add_row(m, l, &l->row[i]);
        count_issues(m, l, first);
        choose(m);
    }
    if (m) {
        free(m->time);
        free(m->issues);
    }
    free(m);
    if (!made) strip_free(out);
    return made;
}

void strip_row(const strip *s, int place, char *out)
{
    for (int c = 0; c < s->columns; c++) out[c] = strip_signs[s->state[place * s->columns + c]].sign;
    out[s->columns] = 0;
}

void strip_sentence(const strip *s, char *out, size_t size)
{
    double issued = 0;
    for (int c = 0; c < s->columns; c++) issued += s->issued[c];
    int worst = STRIP_READY;
    for (int k = STRIP_READY + 1; k < STRIP_STATES; k++)
        if (s->share[k] > s->share[worst]) worst = k;
    static const char *const waits[STRIP_STATES] = {[STRIP_READY] = "wait for others that issue",
                                                    [STRIP_ARITHMETIC] = "wait for the results of arithmetic",
                                                    [STRIP_MEMORY] = "wait for global memory",
                                                    [STRIP_SHARED] = "wait for shared memory",
                                                    [STRIP_BARRIER] = "wait at barriers"};
    snprintf(out, size, TR("The schedulers issue at %.0f %% of the clocks. The warps %s for %.0f %% of their time."),
             issued / s->columns, TR(waits[worst]), 100 * s->share[worst]);
}
