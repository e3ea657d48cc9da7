/* chains.c: see chains.h. Registers and shared and local memory have a `link` beside each word; so
 * has each word of global memory that was stored to, in a table. */
#include "chains.h"
#include "unknown_spread.h"
#include <stdlib.h>

typedef struct chain_link {
    uint16_t steps, hands;
    uint32_t writer; /* of memory: the thread, from 1; 0: none */
} chain_link;

/* A word of global memory, or a value that a word has had. */
typedef struct found_word {
    uint64_t key, value; /* key 0: free */
    chain_link link;
} found_word;
typedef struct word_table {
    found_word *list;
    uint64_t count, room; /* room: a power of two, or 0 */
} word_table;

struct chains {
    word_table global, had; /* links; the values that atomics gave to words */
    sim_chains sum;
};

enum { OPERANDS = 16, ATOMIC_BYTES = 8, LAST = 4 };
enum { ADDRESS = 4 /* the operand with the address, of instructions that reach memory */ };
enum { MOST_VALUES = 1 << 20 /* that atomics gave to words; later ones are not remembered */ };
enum { MOST_WORDS = 1 << 16 /* that the lanes of a warp went to; later ones count each time */ };

/* the registers of a warp, and the instruction under way */
struct warp_links {
    chain_link *reg;       /* by word, as unknown.h's `from` */
    chain_link *local;     /* by word: a lane's after another's */
    const insn *in;        /* NULL: none whose results follow from its operands alone */
    uint32_t mask, frame;  /* lanes that perform it; where its registers lie */
    chain_link result[32]; /* the longest of its sources, a step longer */
    uint32_t sources;      /* of it, and their values */
    struct {
        uint64_t value[32];
        chain_link link[32];
        unsigned class;
    } source[OPERANDS];
    const insn *atomic; /* whose words are compared afterwards */
    access words;
    uint64_t last[32][LAST]; /* where each lane has just been */
    uint64_t places[32];     /* how many it has been to */
    word_table went;         /* words by key, the lane as value */
    uint64_t met[32];        /* how many of them are a lane's */
};

/* ---- tables ---- */

static found_word *slot_of(const word_table *t, uint64_t key, uint64_t value)
{
    uint64_t i = (key * UINT64_C(0x9e3779b97f4a7c15) ^ value * UINT64_C(0xc2b2ae3d27d4eb4f)) >> 17 & (t->room - 1);
    while (t->list[i].key && (t->list[i].key != key || t->list[i].value != value)) i = (i + 1) & (t->room - 1);
    return &t->list[i];
}

static found_word *find_word(const word_table *t, uint64_t key, uint64_t value)
{
    found_word *f = t->room ? slot_of(t, key, value) : NULL;
    return f && f->key ? f : NULL;
}

/* NULL: out of memory. */
static found_word *put_word(word_table *t, uint64_t key, uint64_t value)
{
    if (2 * t->count >= t->room) {
        word_table more = {.room = t->room ? 2 * t->room : 1024, .count = t->count};
        more.list = calloc((size_t)more.room, sizeof *more.list);
        if (!more.list) return NULL;
        for (uint64_t i = 0; i < t->room; i++)
            if (t->list[i].key) *slot_of(&more, t->list[i].key, t->list[i].value) = t->list[i];
        free(t->list);
        *t = more;
    }
    found_word *f = slot_of(t, key, value);
    if (!f->key) {
        *f = (found_word){.key = key, .value = value};
        t->count++;
    }
    return f;
}

static void empty_table(word_table *t)
{
    if (t->count) memset(t->list, 0, (size_t)t->room * sizeof *t->list);
    t->count = 0;
}

/* Remembers a value that a word has. */
static void had_value(launch *l, uint64_t key, uint64_t value)
{
    word_table *t = &l->chains->had;
    if (t->count < MOST_VALUES && !put_word(t, key, value)) l->lacks = true;
}

/* ---- the state ---- */

bool chains_launch_start(launch *l)
{
    l->chains = calloc(1, sizeof *l->chains);
    return l->chains != NULL;
}

void chains_launch_finish(launch *l)
{
    if (!l->chains) return;
    l->result->chains = l->chains->sum;
    l->result->chains.known = true;
    free(l->chains->global.list);
    free(l->chains->had.list);
    free(l->chains);
    l->chains = NULL;
}

static size_t local_words(const launch *l) { return (size_t)l->local_stride * 32 / 4 + 1; }

static bool warp_start(const launch *l, warp *w)
{
    const size_t words = (w->reg_bytes + 3) / 4 + 1;
    if (!w->links) {
        if (!(w->links = calloc(1, sizeof *w->links))) return false;
        w->links->reg = malloc(words * sizeof *w->links->reg);
        w->links->local = malloc(local_words(l) * sizeof *w->links->local);
        if (!w->links->reg || !w->links->local) return false;
    }
    memset(w->links->reg, 0, words * sizeof *w->links->reg);
    memset(w->links->local, 0, local_words(l) * sizeof *w->links->local);
    memset(w->links->last, 0, sizeof w->links->last);
    memset(w->links->places, 0, sizeof w->links->places);
    memset(w->links->met, 0, sizeof w->links->met);
    empty_table(&w->links->went);
    w->links->in = w->links->atomic = NULL;
    w->watch |= WATCH_FLIGHT | WATCH_TRACE;
    return true;
}

bool chains_block_start(block *b)
{
    const size_t words = (size_t)b->shared_bytes / 4 + 1;
    if (!b->links && !(b->links = malloc(words * sizeof *b->links))) return false;
    memset(b->links, 0, words * sizeof *b->links);
    bool fine = true;
    for (uint32_t i = 0; i < b->warp_count; i++) fine = fine && warp_start(b->worker->launch, &b->warps[i]);
    return fine;
}

void chains_block_free(block *b)
{
    free(b->links);
    b->links = NULL;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp_links *k = b->warps[i].links;
        if (!k) continue;
        free(k->reg);
        free(k->local);
        free(k->went.list);
        free(k);
        b->warps[i].links = NULL;
    }
}

/* ---- links ---- */

static chain_link longer(chain_link a, chain_link b)
{
    return (chain_link){.steps = a.steps > b.steps ? a.steps : b.steps, .hands = a.hands > b.hands ? a.hands : b.hands};
}

static chain_link one_more(chain_link a)
{
    a.steps += a.steps < UINT16_MAX;
    return a;
}

static const code_info *info_of(const warp *w, const insn *in)
{
    const code_module *m = w->worker->launch->code;
    return in >= m->insns && in < m->insns + m->count ? &m->info[in - m->insns] : NULL;
}

static uint8_t role_of(const code_info *info, uint32_t i) { return info->refs > 8 ? info->roles[i] : info->role[i]; }

/* NULL: a constant or a predicate, which leads to no value. */
static chain_link *link_at(const warp *w, const code_info *info, uint32_t frame, uint32_t place, int lane)
{
    if (place & 1) return NULL;
    const unsigned class = unknown_class(info, place);
    const uint32_t at = frame + place;
    return !class || at >= w->reg_bytes ? NULL : &w->links->reg[at / 4 + ((uint32_t)lane << (class - 1))];
}

static chain_link get(const warp *w, const code_info *info, uint32_t frame, uint32_t place, int lane)
{
    const chain_link *k = link_at(w, info, frame, place, lane);
    return k ? *k : (chain_link){0};
}

static void put(warp *w, const code_info *info, uint32_t frame, uint32_t place, int lane, chain_link to)
{
    chain_link *k = link_at(w, info, frame, place, lane);
    if (k) *k = (chain_link){.steps = to.steps, .hands = to.hands};
}

static void put_results(warp *w, const insn *in, const code_info *info, uint32_t frame, int lane, chain_link to)
{
    for (uint32_t i = 0; i < info->refs; i++)
        if (role_of(info, i) == DEF || role_of(info, i) == USE_DEF)
            put(w, info, frame, unknown_place(info, in, i), lane, to);
}

/* The longest of an instruction's operands in a lane, but for the one at `but`. */
static chain_link of_operands(const warp *w, const insn *in, const code_info *info, uint32_t frame, int lane,
                              uint32_t but)
{
    chain_link all = {0};
    for (uint32_t i = 0; i < info->refs; i++)
        if (i != but && (role_of(info, i) == USE || role_of(info, i) == USE_DEF))
            all = longer(all, get(w, info, frame, unknown_place(info, in, i), lane));
    return all;
}

/* ---- an instruction on registers ---- */

static uint64_t value_at(const warp *w, const char *regs, uint32_t place, unsigned class, int lane)
{
    const char *at = (place & 1 ? w->base[1] : regs) + place;
    uint64_t v = 0;
    memcpy(&v, at + ((size_t)lane << (class + 1)), class == 1 ? 4 : 8);
    return v;
}

/* Constants have as many bits as the result. */
static unsigned class_of(const code_info *info, uint32_t place, unsigned of_result)
{
    return place & 1 ? of_result : unknown_class(info, place);
}

static bool is_conversion(enum ptx_op op) { return op == OP_CVT || op == OP_CVTA || op == OP_MOV; }

/* Do the lanes of the warp work together? Shuffles have a function of their own. */
static bool is_together(enum ptx_op op) { return spread_rules[op].how == SPREAD_MEETS; }

/* The lanes that a guard lets perform the next instruction, where it narrows the mask and performs it itself. */
static const insn *performed(const warp *w, const insn *in, uint32_t *mask)
{
    *mask = w->mask;
    if (in->fn != w->worker->launch->s->ops->guard) return in;
    uint32_t p;
    memcpy(&p, w->base[in->o[0] & 1] + in->o[0], sizeof p);
    if (in->mod) p = ~p;
    *mask &= p;
    return *mask && *mask != w->mask ? in + 1 : NULL;
}

void chains_before(warp *w, const insn *in)
{
    struct warp_links *k = w->links;
    k->in = k->atomic = NULL;
    if (!(in = performed(w, in, &k->mask))) return;
    const code_info *info = info_of(w, in);
    if (!info || !info->refs || !info->real) return;
    const enum ptx_op op = info->src->op;
    const enum spread_how how = spread_rules[op].how;
    if (how == SPREAD_MEMORY || how == SPREAD_NOT || op == OP_SHFL || op == OP_TEX || op == OP_TLD4) return;
    k->in = in;
    k->frame = (uint32_t)(w->regs - w->reg_memory);
    k->sources = 0;
    memset(k->result, 0, sizeof k->result);
    const unsigned class = unknown_class(info, unknown_place(info, in, 0));
    for (uint32_t m = k->mask; m; m &= m - 1)
        k->result[first_lane(m)] = of_operands(w, in, info, k->frame, first_lane(m), UINT32_MAX);
    for (uint32_t i = 0; i < info->refs && k->sources < OPERANDS && !is_together(op) && class; i++) {
        const uint32_t place = unknown_place(info, in, i);
        if (role_of(info, i) != USE || place == UINT32_MAX || !class_of(info, place, class)) continue;
        const uint32_t n = k->sources++;
        k->source[n].class = class_of(info, place, class);
        for (uint32_t m = k->mask; m; m &= m - 1) {
            const int l = first_lane(m);
            k->source[n].value[l] = value_at(w, w->regs, place, k->source[n].class, l);
            k->source[n].link[l] = get(w, info, k->frame, place, l);
        }
    }
    if (!is_together(op)) return;
    chain_link all = {0};
    for (uint32_t m = k->mask; m; m &= m - 1) all = longer(all, k->result[first_lane(m)]);
    for (int l = 0; l < 32; l++) k->result[l] = all;
}

/* Of the sources that the result equals, the one with the shortest chain. */
static bool equals_source(const struct warp_links *k, uint64_t value, unsigned class, int lane, chain_link *out)
{
    bool any = false;
    for (uint32_t n = 0; n < k->sources; n++) {
        if (k->source[n].class != class || class > 2 || k->source[n].value[lane] != value) continue;
        const chain_link of = k->source[n].link[lane];
        if (!any || of.steps < out->steps || (of.steps == out->steps && of.hands < out->hands)) *out = of;
        any = true;
    }
    return any;
}

static void compare_words(warp *w);

void chains_after(warp *w)
{
    struct warp_links *k = w->links;
    if (k->atomic) compare_words(w);
    const insn *in = k->in;
    if (!in) return;
    const code_info *info = info_of(w, in);
    const bool converts = is_conversion(info->src->op);
    for (uint32_t i = 0; i < info->refs; i++) {
        const uint32_t place = unknown_place(info, in, i);
        if (role_of(info, i) != DEF && role_of(info, i) != USE_DEF) continue;
        if (place == UINT32_MAX || place & 1) continue;
        const unsigned class = unknown_class(info, place);
        for (uint32_t m = class ? k->mask : 0; m; m &= m - 1) {
            const int l = first_lane(m);
            chain_link to = converts ? k->result[l] : one_more(k->result[l]);
            if (k->sources) equals_source(k, value_at(w, w->reg_memory + k->frame, place, class, l), class, l, &to);
            put(w, info, k->frame, place, l, to);
        }
    }
    k->in = NULL;
}

/* ---- shuffles ---- */

/* The instruction at which a lane performs it, and where its registers lie: lanes of several splits may have
 * met. */
static const insn *insn_of_lane(const warp *w, const insn *in, int lane, uint32_t *frame)
{
    *frame = (uint32_t)(w->regs - w->reg_memory);
    if (!w->apart) return in;
    for (int i = 0; i < w->split_high; i++)
        if (i != w->current && w->splits[i].state != SPLIT_FREE && w->splits[i].mask >> lane & 1) {
            *frame = w->splits[i].frame;
            return w->splits[i].ip;
        }
    *frame = w->splits[w->current].frame;
    return w->apart;
}

void chains_shuffle(warp *w, const insn *in, const uint32_t *from)
{
    chain_link of[32] = {{0}};
    uint32_t frame;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const insn *at = insn_of_lane(w, in, first_lane(m), &frame);
        of[first_lane(m)] = get(w, info_of(w, at), frame, at->o[1], first_lane(m));
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const insn *at = insn_of_lane(w, in, first_lane(m), &frame);
        put(w, info_of(w, at), frame, at->o[0], first_lane(m), of[from[first_lane(m)] & 31]);
    }
}

/* ---- memory ---- */

static uint32_t thread_of(const warp *w, int lane) { return w->index * 32 + (uint32_t)lane + 1; }

/* The link of a word of memory. NULL: it has none, or there is no memory for it. */
static chain_link *link_of_word(warp *w, const access *a, int lane, uint64_t at, bool makes)
{
    block *b = a->of ? a->of : w->block;
    if (a->space == SPACE_SHARED) return b->links && at < b->shared_bytes ? &b->links[at / 4] : NULL;
    if (a->space == SPACE_LOCAL) {
        const uint64_t i = ((uint64_t)lane * w->local_stride + at) / 4;
        return i < local_words(w->worker->launch) ? &w->links->local[i] : NULL;
    }
    if (a->space != SPACE_GLOBAL) return NULL;
    word_table *t = &w->worker->launch->chains->global;
    found_word *f = makes ? put_word(t, (at >> 2) + 1, 0) : find_word(t, (at >> 2) + 1, 0);
    if (makes && !f) w->worker->launch->lacks = true;
    return f ? &f->link : NULL;
}

static chain_link load_word(warp *w, const access *a, int lane, uint64_t at)
{
    const chain_link *k = link_of_word(w, a, lane, at, false);
    if (!k) return (chain_link){0};
    const bool handed = a->space == SPACE_SHARED && k->writer && k->writer != thread_of(w, lane);
    return (chain_link){.steps = k->steps, .hands = (uint16_t)(k->hands + (handed && k->hands < UINT16_MAX))};
}

static chain_link load_bytes(warp *w, const access *a, int lane, uint64_t at, uint32_t bytes)
{
    chain_link all = {0};
    for (uint64_t i = at & ~UINT64_C(3); i < at + bytes; i += 4) all = longer(all, load_word(w, a, lane, i));
    return all;
}

static void store_bytes(warp *w, const access *a, int lane, uint64_t at, uint32_t bytes, chain_link of)
{
    sim_chains *sum = &w->worker->launch->chains->sum;
    of.writer = thread_of(w, lane);
    for (uint64_t i = at & ~UINT64_C(3); i < at + bytes; i += 4) {
        chain_link *k = link_of_word(w, a, lane, i, of.steps || of.hands);
        if (!k) continue;
        const chain_link both = bytes < 4 ? longer(*k, of) : of; /* the rest of the word stays */
        *k = (chain_link){.steps = both.steps, .hands = both.hands, .writer = of.writer};
    }
    if (a->space != SPACE_GLOBAL) return;
    if (of.steps > sum->steps) sum->steps = of.steps;
    if (of.hands > sum->hands) sum->hands = of.hands;
}

/* The word as it is, if it is one that atomics change. */
static bool word_now(const warp *w, const access *a, int lane, uint64_t *key, uint64_t *value)
{
    const block *b = a->of ? a->of : w->block;
    const uint64_t at = a->address[lane];
    const char *from = NULL;
    *value = 0;
    if (a->size > ATOMIC_BYTES) return false;
    if (a->space == SPACE_SHARED && at + a->size <= b->shared_bytes) {
        from = b->shared + at;
        *key = UINT64_C(1) << 63 | b->linear << 24 | at;
    } else if (a->space == SPACE_GLOBAL) {
        const alloc *al = a->al ? a->al : memory_at(&w->worker->launch->s->mem, at);
        if (!al || al->freed || at < al->start || at + a->size > al->start + al->size) return false;
        from = al->host + (at - al->start);
        *key = at;
    }
    if (from) memcpy(value, from, a->size);
    return from != NULL;
}

/* Before and after an atomic operation: does a word that it changed have a value of before? */
static void compare_words(warp *w)
{
    struct warp_links *k = w->links;
    launch *l = w->worker->launch;
    uint64_t key, value;
    for (uint32_t m = k->words.mask; m; m &= m - 1) {
        const int lane = first_lane(m);
        bool seen = false;
        for (uint32_t o = k->words.mask & ((UINT32_C(1) << lane) - 1); o; o &= o - 1)
            seen = seen || k->words.address[first_lane(o)] == k->words.address[lane];
        if (seen || !word_now(w, &k->words, lane, &key, &value)) continue;
        if (value == k->source[0].value[lane]) continue; /* it has not changed */
        if (find_word(&l->chains->had, key, value)) l->chains->sum.returns++;
        had_value(l, key, value);
    }
    k->atomic = NULL;
}

static void atomic_access(warp *w, const access *a, const code_info *info, uint32_t frame)
{
    struct warp_links *k = w->links;
    uint64_t key, value;
    k->atomic = a->in;
    k->words = *a;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const int lane = first_lane(m);
        const chain_link old = load_bytes(w, a, lane, a->address[lane], a->size);
        const chain_link with = of_operands(w, a->in, info, frame, lane, ADDRESS);
        const bool swaps = ptx_has(info->src, S_EXCH) || ptx_has(info->src, S_CAS);
        store_bytes(w, a, lane, a->address[lane], a->size, swaps ? with : one_more(longer(old, with)));
        if (!a->no_result) put_results(w, a->in, info, frame, lane, old);
        if (!word_now(w, a, lane, &key, &value)) continue;
        k->source[0].value[lane] = value;
        had_value(w->worker->launch, key, value);
    }
}

/* Words that a lane goes to for the first time. */
static void count_words(warp *w, const access *a, int lane)
{
    struct warp_links *k = w->links;
    launch *l = w->worker->launch;
    const block *b = access_block(w, a);
    const uint64_t space = a->space == SPACE_SHARED ? UINT64_C(1) << 63 | b->linear << 24 : UINT64_C(1) << 62;
    for (uint64_t at = a->address[lane] >> 2; at <= (a->address[lane] + a->size - 1) >> 2; at++) {
        const uint64_t before = k->went.count;
        const bool room = before < MOST_WORDS;
        if (room && !put_word(&k->went, space | at, (uint64_t)lane)) l->lacks = true;
        k->met[lane] += !room || k->went.count > before;
    }
    if (k->met[lane] > l->chains->sum.words) l->chains->sum.words = k->met[lane];
}

/* The words that a lane goes to, unless it has just been there: who tries again is no busier. */
static void count_places(warp *w, const access *a)
{
    struct warp_links *k = w->links;
    sim_chains *sum = &w->worker->launch->chains->sum;
    if (a->space != SPACE_GLOBAL && a->space != SPACE_SHARED) return;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const int lane = first_lane(m);
        const uint64_t key = (uint64_t)a->space << 56 ^ (a->address[lane] >> 2) ^ UINT64_C(1) << 63;
        uint64_t *last = k->last[lane];
        int i = 0;
        while (i < LAST && last[i] != key) i++;
        if (i == LAST) {
            k->places[lane] += (a->size + 3) / 4;
            i--;
            count_words(w, a, lane);
        }
        memmove(last + 1, last, (size_t)i * sizeof *last);
        last[0] = key;
        if (k->places[lane] > sum->places) sum->places = k->places[lane];
    }
}

/* st.async and red.async (exec/store_async.c): what arrives was computed when it was sent. */
static void async_store_access(warp *w, const access *a, const code_info *info, uint32_t frame)
{
    static const uint8_t value_place[4] = {1, 2, 3, 6};
    const bool adds = info->src->op == OP_RED;
    if (!a->no_result) return; /* the barrier object */
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const int lane = first_lane(m);
        for (uint32_t i = 0; i < a->in->count; i++) {
            const uint64_t at = a->address[lane] + i * a->in->size;
            const chain_link with = get(w, info, frame, a->in->o[value_place[i]], lane);
            const chain_link old = adds ? load_bytes(w, a, lane, at, a->in->size) : with;
            store_bytes(w, a, lane, at, a->in->size, adds ? one_more(longer(old, with)) : with);
        }
    }
}

void chains_access(warp *w, const access *a)
{
    count_places(w, a);
    const insn *in = a->in;
    const code_info *info = info_of(w, in);
    if (!info || w->apart) return;
    const enum ptx_op op = info->src->op;
    const uint32_t frame = (uint32_t)(w->regs - w->reg_memory);
    const bool plain = op == OP_LD || op == OP_LDU || op == OP_ST;
    if (op == OP_CP || op == OP_MBARRIER) return; /* chains_landed */
    if ((op == OP_ST || op == OP_RED) && ptx_has(info->src, S_ASYNC)) {
        async_store_access(w, a, info, frame);
        return;
    }
    if (op == OP_ATOM || op == OP_RED) {
        atomic_access(w, a, info, frame);
        return;
    }
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const int lane = first_lane(m);
        if (plain) {
            for (uint32_t i = 0; i < in->count; i++) {
                const uint64_t at = a->address[lane] + i * in->size;
                if (op == OP_ST) store_bytes(w, a, lane, at, in->size, get(w, info, frame, in->o[i], lane));
                else put(w, info, frame, in->o[i], lane, load_bytes(w, a, lane, at, in->size));
            }
        } else if (a->kind == ACCESS_READ) {
            put_results(w, in, info, frame, lane, load_bytes(w, a, lane, a->address[lane], a->size));
        } else { /* a tile of registers */
            store_bytes(w, a, lane, a->address[lane], a->size, of_operands(w, in, info, frame, lane, ADDRESS));
        }
    }
}

/* A copy is a load and a store by the thread that issued it. */
void chains_landed(warp *w, int lane, const landing *c)
{
    const access from = {.space = c->from_space}, there = {.space = c->of ? SPACE_SHARED : SPACE_GLOBAL, .of = c->of};
    for (uint32_t i = 0; i < c->bytes; i += 4) {
        const uint32_t bytes = c->bytes - i < 4 ? c->bytes - i : 4;
        const chain_link with = load_bytes(w, &from, lane, c->from + i, bytes);
        const chain_link old = c->reduces ? load_bytes(w, &there, lane, c->to + i, bytes) : with;
        store_bytes(w, &there, lane, c->to + i, bytes, c->reduces ? one_more(longer(old, with)) : with);
    }
}

void chains_local_copy(warp *w, int lane, uint32_t to, uint32_t from, uint32_t bytes)
{
    const access a = {.space = SPACE_LOCAL};
    for (uint32_t i = 0; i < bytes; i += 4) {
        const chain_link *k = link_of_word(w, &a, lane, from + i, false);
        chain_link *t = link_of_word(w, &a, lane, to + i, true);
        if (k && t) *t = *k;
    }
}
