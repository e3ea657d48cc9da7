/* coalesce_sectors.c: global memory since caches: an access of a warp asks for 32-byte sectors of
 * 128-byte lines.
 *
 *     warp -> port of its multiprocessor, a line or a pass at a time -> L1 -> link -> slice of the L2
 *          -> channel of DRAM
 *
 * Each of these takes one request after the other; slices and channels take them in the order of
 * issue. A request waits for those before it. It comes back after the latency of the level where it
 * found its sectors, counted from the port. A sector on its way is waited for, not fetched twice.
 *
 * The L1 passes stores on and keeps what it has. The L2 keeps them, and writes them back when it
 * needs the room; later requests wait for that when DRAM is far behind.
 *
 * The slices of the L2 perform atomics. These take a time per sector, as often as lanes want the
 * same word of it. Lanes whose comparison fails change nothing and cost less. A sum of floats takes
 * longer until the same word can be added to again. Its slice serves others meanwhile, so that time
 * is kept for the line.
 *
 * Stores of a warp that fill sectors in part go out together when they come to the same few lines
 * one after the other. Stores to many lines at once on a busy multiprocessor get none of that
 * (time.store_lines).
 *
 * Loads that must see what others wrote (volatile, relaxed, acquire) go past the L1, and so do
 * those that PTX marks .cg or .cv. Local memory is treated the same: an H200's L1 passes on what is
 * stored there too (tests/fidelity/micro.txt, local-write).
 */
#include "rules.h"
#include "memory_state.h"
#include <stdlib.h>

enum { FETCH_LINES = 4 /* of a request with many: the host fetches these before they are needed */ };
enum { ATOMIC_MERGES = 1, ATOMIC_MERGES_UNUSED = 2, ATOMIC_FLOATS = 4, PAST_L1 = 8, ATOMIC_SWAPS = 16 };

/* Integer sums and the like of a whole warp on one word. Where that is known to be one word,
 * machine code has one atomic, if nobody wants the old value or it can be worked out (constant
 * operand). */
static uint8_t kind_of(const ptx_insn *in, bool one_word)
{
    if (in->type_count && ptx_types[in->type[0]].kind == 'F') return ATOMIC_FLOATS;
    if (ptx_has(in, S_CAS)) return ATOMIC_SWAPS;
    if (!one_word) return 0;
    const bool add = ptx_has(in, S_ADD);
    const bool folds = add || ptx_has(in, S_MIN) || ptx_has(in, S_MAX) || ptx_has(in, S_AND) || ptx_has(in, S_OR) ||
                       ptx_has(in, S_XOR);
    int last = in->operand_count - 1;
    bool constant = last > 0 && in->operand[last].kind == O_INT;
    return (uint8_t)((folds ? ATOMIC_MERGES_UNUSED : 0) | (add && constant ? ATOMIC_MERGES : 0));
}

/* Loads that say so go past the L1. */
static uint8_t past_l1(const ptx_insn *in) { return ptx_has(in, S_CG) || ptx_has(in, S_CV) ? PAST_L1 : 0; }

/* Neighbouring multiprocessors ask the L2 together. */
static bool ask_together(time_memory_state *m)
{
    const uint32_t askers = (uint32_t)m->t->l2_askers;
    m->under_way = calloc((size_t)m->mp_count + 1, sizeof *m->under_way);
    m->together = calloc((size_t)m->mp_count + 1, sizeof *m->together);
    for (uint32_t i = 0; m->together && i < m->mp_count; i++)
        m->together[i] = i / askers * ASKERS_MOST + i % askers;
    return m->under_way && m->together;
}

bool sector_open(time_memory_state *m, launch *l, const bool *alike, uint64_t shared_bytes)
{
    const sim_timing *t = m->t;
    int64_t l1 = t->l1_bytes;
    if (t->unified_bytes && t->unified_bytes - (int64_t)shared_bytes < l1)
        l1 = t->unified_bytes - (int64_t)shared_bytes;
    if (!time_l2(m->s)) return false;
    m->l2 = m->s->l2;
    m->base = m->s->l2_time;
    m->crowded = m->share.others && m->s->mem.in_use > (uint64_t)t->l2_bytes;
    m->traits = calloc((size_t)l->code->count + 1, 1);
    if (!m->traits) return false;
    for (uint32_t pc = 0; pc < l->code->count; pc++) {
        const code_info *info = &l->code->info[pc];
        if (info->real && info->cls == SIM_CLASS_ATOMIC) m->traits[pc] = kind_of(info->src, alike[pc]);
        if (info->real && info->cls == SIM_CLASS_GLOBAL_LOAD) m->traits[pc] = past_l1(info->src);
    }
    if (t->l2_askers > 1 && !rule_left_out(RULE_l2_pairs) && !ask_together(m)) return false;
    m->l1_bytes = l1 > LINE ? (uint64_t)l1 : LINE;
    return true;
}

void sector_close(time_memory_state *m)
{
    for (uint32_t i = 0; m->own && i < m->mp_count; i++) free(m->own[i].l1);
    free(m->traits);
    for (uint32_t i = 0; m->under_way && i < m->mp_count; i++) free(m->under_way[i]);
    free(m->under_way);
    free(m->together);
    for (uint32_t g = 0; g < m->groups; g++) m->last = later(m->last, m->asks[g].last);
    if (m->l2) m->s->l2_time = m->base + m->last + TICKS;
}

/* ---- the L2 from launch to launch ---- */

/* These bytes pass through the L2, on to memory, and stay there: nothing of their lines is left to write back. So what
 * the L2 holds depends on which lines came last, and not on how often. */
static void pass_through(sim *s, const struct written_bytes *w)
{
    uint64_t gone;
    for (uint64_t line = w->from / LINE; line <= (w->to - 1) / LINE; line++) {
        cache_fetch(s->l2, line + 8); /* neighbours lie in one row of sets, others anywhere */
        cache_line *c = cache_find(s->l2, line);
        if (!c) c = cache_put(s->l2, line, &gone);
        c->tag = (line + 1) << 8 | 15;
    }
}

bool time_l2(sim *s)
{
    if (!s->l2) s->l2 = cache_new((uint64_t)s->card.timing.l2_bytes, s->card.timing.l2_ways);
    if (!s->l2) return false;
    for (uint32_t i = 0; i < s->written_count; i++) pass_through(s, &s->written[i]);
    s->written_count = 0;
    return true;
}

bool time_l2_keep(sim *s, time_l2_kept *k)
{
    *k = (time_l2_kept){.time = s->l2_time};
    if (s->card.timing.l2_bytes <= 0) return true;
    if (!time_l2(s)) return false;
    k->tags = malloc(cache_bytes(s->l2));
    if (k->tags) memcpy(k->tags, s->l2, cache_bytes(s->l2));
    return k->tags != NULL;
}

void time_l2_back(sim *s, const time_l2_kept *k)
{
    if (k->tags) memcpy(s->l2, k->tags, cache_bytes(s->l2));
    s->l2_time = k->time;
}

bool time_misses_parameters(time_memory_state *m)
{
    const uint64_t line = 2 * TIME_LOCAL / LINE; /* beside all that programs can reach */
    uint64_t gone;
    if (!m->sectors || cache_find(m->l2, line)) return false;
    cache_line *c = cache_put(m->l2, line, &gone);
    c->tag |= 15;
    c->ready = m->base;
    return true;
}

void time_l2_empty(sim *s)
{
    s->written_count = 0;
    if (s->l2) memset(s->l2->line, 0, (size_t)s->l2->sets * s->l2->ways * sizeof *s->l2->line);
}

/* What the host copies to the card passes through the L2. That matters only when a launch is timed, so it waits until
 * then: programs that measure write a large buffer before each launch. What is written again later need not be
 * remembered, since all that counts is which lines came last. */
void time_written(sim *s, uint64_t address, uint64_t bytes)
{
    const uint32_t most = sizeof s->written / sizeof *s->written;
    const uint64_t room = (uint64_t)s->card.timing.l2_bytes / LINE, last = (address + bytes - 1) / LINE;
    struct written_bytes now = {address, address + bytes};
    if (!bytes || !s->card.timing.known || s->card.timing.l2_bytes <= 0) return;
    if (last - address / LINE >= room) now.from = (last - room + 1) * LINE;
    if (s->written_count && s->written[s->written_count - 1].to == now.from)
        now.from = s->written[--s->written_count].from; /* a piece of the same */
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->written_count; i++)
        if (s->written[i].from < now.from || s->written[i].to > now.to) s->written[n++] = s->written[i];
    s->written_count = n;
    if (n == most && !time_l2(s)) return;
    s->written[s->written_count++] = now;
}

/* ---- which sectors an access asks for ---- */
typedef struct wanted {
    int count;
    uint64_t line[64];
    uint8_t sectors[64];
    uint8_t partial[64];              /* of a store: those that it does not fill */
    uint32_t bytes[64][LINE_SECTORS]; /* of a store that does not fill all: a bit for each that it stores */
    bool full;
} wanted;

static void want(wanted *w, uint64_t sector)
{
    uint64_t line = sector / LINE_SECTORS;
    uint8_t bit = (uint8_t)(1u << sector % LINE_SECTORS);
    for (int i = w->count; i-- > 0;)
        if (w->line[i] == line) {
            w->sectors[i] |= bit;
            return;
        }
    if (w->count == 64) return; /* cannot be: 32 lanes of up to 32 bytes each touch at most 64 */
    w->line[w->count] = line;
    w->sectors[w->count++] = bit;
}

static void want_bytes(wanted *w, uint64_t from, uint64_t bytes)
{
    for (uint64_t s = from / SECTOR, last = (from + bytes - 1) / SECTOR; s <= last; s++) want(w, s);
}

static void find_wanted(const access *a, wanted *w)
{
    w->count = 0;
    if (a->halves == HALVES_ANY) {
        uint64_t size = a->size > SECTOR ? SECTOR : a->size;
        for (uint32_t left = a->mask; left; left &= left - 1) want_bytes(w, a->address[first_lane(left)], size);
        return;
    }
    uint64_t bytes = a->halves == HALVES_SAME ? a->size : 16 * (uint64_t)a->size;
    want_bytes(w, a->address[0], bytes);
    want_bytes(w, a->address[16], bytes);
}

/* Which sectors a store fills only in part, where that matters. */
static void find_partial(const access *a, wanted *w)
{
    memset(w->partial, 0, (size_t)w->count);
    w->full = a->halves == HALVES_ASCEND && a->contiguous && a->address[0] % SECTOR == 0 && a->size >= 1;
    if (w->full) return;
    memset(w->bytes, 0, (size_t)w->count * sizeof *w->bytes);
    const uint32_t each = a->size >= SECTOR ? UINT32_MAX : ((uint32_t)1 << a->size) - 1;
    int i = 0;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const int l = first_lane(left);
        const uint64_t at = access_address(a, l);
        if (a->halves == HALVES_SAME && (l & 15)) continue;
        if (at / LINE != w->line[i])
            for (i = 0; at / LINE != w->line[i]; i++)
                if (i + 1 == w->count) break;
        w->bytes[i][at / SECTOR % LINE_SECTORS] |= each << at % SECTOR;
    }
    w->full = true;
    for (i = 0; i < w->count; i++)
        for (int k = 0; k < LINE_SECTORS; k++)
            if (w->sectors[i] >> k & 1 && ~w->bytes[i][k]) w->partial[i] |= (uint8_t)(1u << k), w->full = false;
}

static unsigned count_bits(unsigned four) { return (four & 1) + (four >> 1 & 1) + (four >> 2 & 1) + (four >> 3 & 1); }

/* ---- one line of an access ---- */

static uint32_t slice_of(const time_memory_state *m, uint64_t line)
{
    return deal(line * LINE / (uint64_t)m->t->l2_slice_bytes, (uint32_t)m->t->l2_slices);
}

static ticks hit_latency(const time_memory_state *m, const asked_line *l)
{
    return l->bulk ? m->bulk_latency : m->l2_latency;
}

/* A sector of the line on the link. */
static ticks sector_takes(const time_memory_state *m, const asked_line *l)
{
    return l->bulk ? m->bulk_sector : m->link_sector;
}

/* To its slice, which it keeps for so long as it takes; it keeps the link for `takes`. Returns when it is there. */
static ticks over_link(time_memory_state *m, ticks *link, ticks takes, const asked_line *l)
{
    const ticks on_link = later(*link, l->at);
    *link = on_link + takes;
    uint32_t place = slice_of(m, l->line);
    ticks *slice = &m->slice[place], start = later(*slice, m->asked);
    *slice = start + l->takes;
    share_others(&m->share, m->slice, m->slice_busy, place, l->takes, m->asked);
    return later(start, on_link);
}

static ticks reach_slice(time_memory_state *m, uint32_t mp, const asked_line *l)
{
    return over_link(m, &m->own[mp].link, count_bits(l->sectors) * sector_takes(m, l), l);
}

/* A store brings its data, which go a way of their own. A sector that it fills in part takes longer. */
static ticks store_slice(time_memory_state *m, uint32_t mp, const asked_line *l)
{
    if (!m->out_sector) return reach_slice(m, mp, l);
    return over_link(m, &m->own[mp].out,
                     count_bits(l->sectors) * m->out_sector + count_bits(l->partial) * m->out_partial, l);
}

/* Moves what no warp waits for. Slices hold some of it until DRAM comes to it; later requests wait
 * when they have no more room. */
static void move_later(time_memory_state *m, uint64_t line, uint32_t bytes, ticks at)
{
    ticks wait, *slice = &m->slice[slice_of(m, line)];
    dram_move(&m->dram, line * LINE, bytes, m->asked, at, &wait);
    if (wait > m->dram_latency) *slice = later(*slice, at + wait - m->dram_latency);
}

static void write_back(time_memory_state *m, uint64_t tag, ticks at)
{
    if (line_changed(tag)) move_later(m, (tag >> 8) - 1, count_bits(line_changed(tag)) * SECTOR, at);
}

/* A line came into the L2. Untimed multiprocessors bring in others meanwhile. These too drive out
 * what was there before the launch, unless there is room for all that the card holds. Once no set
 * holds any of that, none need be looked at. (Nothing is waited for in a store's line, so it looks
 * old.) */
static void others_fill(time_memory_state *m)
{
    for (m->owed += m->share.others; m->owed >= m->share.timed; m->owed -= m->share.timed) {
        if (m->none < m->l2->sets) m->none = cache_drop_oldest(m->l2, m->set, m->base) ? 0 : m->none + 1;
        m->set = m->set + 1 == m->l2->sets ? 0 : m->set + 1;
    }
}

static cache_line *l2_line(time_memory_state *m, uint64_t line, ticks at)
{
    uint64_t gone;
    cache_line *c = cache_find(m->l2, line);
    if (c) return c;
    c = cache_put(m->l2, line, &gone);
    if (gone) write_back(m, gone, at);
    if (m->crowded) others_fill(m);
    return c;
}

/* What a request at its slice waits for when DRAM is crowded, which counts from when it was asked
 * for. */
static ticks slowed(const time_memory_state *m, ticks wait, ticks there)
{
    return later(wait, m->asked + m->dram.slow - there);
}

/* One that asks together with this one has all of it on its way: when it is there. 0: none has. Each gets it once. */
static ticks under_way_too(time_memory_state *m, uint32_t mp, const asked_line *l, under_way *u)
{
    const uint32_t me = 1u << m->together[mp] % ASKERS_MOST;
    if (u->line != l->line || u->until <= l->at || l->sectors & ~u->sectors) return 0;
    for (int k = 0; k < LINE_SECTORS; k++)
        if (l->sectors >> k & 1 && u->had[k] & me) return 0;
    for (int k = 0; k < LINE_SECTORS; k++)
        if (l->sectors >> k & 1) u->had[k] |= me;
    ticks *link = &m->own[mp].link;
    *link = later(*link, l->at) + count_bits(l->sectors) * sector_takes(m, l);
    return later(later(u->until, *link), l->at + hit_latency(m, l));
}

static void now_under_way(const time_memory_state *m, uint32_t mp, const asked_line *l, under_way *u, ticks done)
{
    const uint32_t me = 1u << m->together[mp] % ASKERS_MOST;
    *u = (under_way){.line = l->line, .until = done, .sectors = l->sectors, .had = {me, me, me, me}};
}

/* Where a line has its place among those under way; NULL: the multiprocessor asks alone. */
static under_way *place_under_way(time_memory_state *m, uint32_t mp, uint64_t line)
{
    if (!m->under_way) return NULL;
    under_way **all = &m->under_way[m->together[mp] / ASKERS_MOST];
    if (!*all && !(*all = calloc(UNDER_WAY, sizeof **all))) {
        m->own[mp].asks->failed = true;
        return NULL;
    }
    /* rows of a matrix are a power of two of lines apart */
    return *all + spread(line / 8, UNDER_WAY / 8) * 8 + line % 8;
}

/* Sectors that a load did not find in the L1: when they are back. */
static ticks load_line(time_memory_state *m, uint32_t mp, const asked_line *l, time_access *r)
{
    under_way *u = place_under_way(m, mp, l->line);
    const ticks shared = u ? under_way_too(m, mp, l, u) : 0;
    if (shared) {
        r->done = later(r->done, shared);
        return shared;
    }
    ticks there = reach_slice(m, mp, l);
    cache_line *c = l2_line(m, l->line, there);
    unsigned missing = l->sectors & ~line_sectors(c->tag);
    const ticks more = (count_bits(l->sectors) - 1) * m->line_sector;
    ticks done = there + hit_latency(m, l) + more, waited = 0;
    if (missing) {
        ticks wait;
        dram_move(&m->dram, l->line * LINE, count_bits(missing) * SECTOR, m->asked, there, &wait);
        wait = slowed(m, wait, there);
        done = there + wait + m->dram_latency - m->l2_latency + hit_latency(m, l) + more;
        waited = wait;
        c->tag |= missing;
        c->ready = later(c->ready, m->base + done);
    } else {
        done = later(done, c->ready - m->base);
    }
    if (u) now_under_way(m, mp, l, u, done);
    if (done > r->done) {
        r->done = done;
        r->behind = waited;
    }
    return done;
}

static bool one_place(const access *a)
{
    int l = 1;
    if (a->halves != HALVES_ANY || a->mask != UINT32_MAX) return a->halves == HALVES_SAME;
    while (l < 32 && a->address[l] == a->address[0]) l++;
    return l == 32;
}

/* How often a load goes through the L1. Each of its parts looks up one tag at a time. Neighbouring
 * lines are in different parts, and rows of an image are spread too (tests/fidelity/blind4.txt,
 * turn-image). A bank gives one word at a time. */
static unsigned load_passes(const time_memory_state *m, const access *a, const wanted *w)
{
    uint8_t lines[32] = {0};
    /* one place gives all lanes a word at a time */
    unsigned most = a->size > 4 && one_place(a) ? a->size / 4 : bank_passes(a);
    for (int i = 0; i < w->count; i++) {
        uint8_t *n = &lines[deal(w->line[i], (uint32_t)m->t->l1_tags)];
        if (++*n > most) most = *n;
    }
    return most;
}

/* All lines were found in the L1, and are there, or it is known when: nobody else need be asked. */
static bool found_all(const time_memory_state *m, asks *s, const request *q, time_access *r)
{
    const asked_line *l = &s->line[q->first];
    for (uint32_t i = 0; i < q->count; i++)
        if (l[i].sectors || l[i].takes >= FILLS) return false;
    for (uint32_t i = 0; i < q->count; i++) r->done = later(r->done, later(l[i].at + m->l1_latency, l[i].takes));
    ask_drop(s);
    return true;
}

static bool ask_load(const time_memory_state *m, asks *s, request *q, const wanted *w, cache *l1)
{
    for (int i = 0; i < w->count; i++) {
        asked_line *l = ask_line(s, q, w->line[i], w->sectors[i],
                                 q->start + (m->t->l1_tags ? i / m->t->l1_tags : i) * m->port_line);
        if (!l) return false;
        if (l1) {
            uint64_t gone;
            cache_line *c = cache_find(l1, w->line[i]);
            if (!c) c = cache_put(l1, w->line[i], &gone);
            l->sectors = (uint8_t)(w->sectors[i] & ~line_sectors(c->tag));
            l->takes = c->ready;
            c->tag |= l->sectors;
            if (l->sectors) ask_fill(s, l, c);
        }
        if (l->sectors) l->takes = m->l2_request + count_bits(l->sectors) * m->l2_sector;
    }
    return true;
}

static void load(time_memory_state *m, const request *q, const asked_line *l, time_access *r)
{
    const own_way *own = &m->own[q->mp];
    ticks *fill = own->asks->fill;
    for (uint32_t i = 0; i < q->count; i++, l++) {
        if (!l->sectors) {
            ticks done = later(l->at + m->l1_latency, l->takes < FILLS ? l->takes : fill[l->takes - FILLS]);
            if (done > r->done) r->done = done, r->behind = 0;
            continue;
        }
        ticks done = load_line(m, q->mp, l, r);
        if (l->fill == NO_FILL) continue;
        ticks *there = &fill[l->fill];
        *there = later(*there < FILLS ? *there : fill[*there - FILLS], done);
        cache_line *c = cache_peek(own->l1, l->line);
        if (c && c->ready == FILLS + l->fill) c->ready = *there;
    }
}

static ticks store_takes(const time_memory_state *m, const asked_line *l)
{
    return (ticks)(m->t->l2_write * (double)(m->l2_request + count_bits(l->sectors) * m->l2_sector)) +
           count_bits(l->partial) * m->l2_partial;
}

/* Whether a store's i-th line joins earlier stores of the same warp to other bytes of that line
 * that are not answered yet. If not, it takes the place of the line used longest ago, and is about
 * to be asked for. (A warp that stores to one word again and again has each store sent:
 * tests/fidelity/blind3.txt, search-step.) */
static bool put_together(const time_memory_state *m, own_way *own, uint32_t by, const wanted *w, int i)
{
    const asks *s = own->asks;
    stored_line *e = NULL, *oldest = own->stored;
    for (stored_line *k = own->stored; k < own->stored + m->t->store_lines; k++) {
        if (k->used && k->round == s->round && k->warp == by && k->line == w->line[i]) e = k;
        if (k->used < oldest->used) oldest = k;
    }
    bool found = e;
    for (int k = 0; k < LINE_SECTORS && found; k++) found = !(e->bytes[k] & w->bytes[i][k]);
    if (!found) {
        e = e ? e : oldest;
        *e = (stored_line){.line = w->line[i], .warp = by, .round = s->round, .at = s->lines};
    }
    e->used = ++own->stores;
    for (int k = 0; k < LINE_SECTORS; k++) e->bytes[k] |= w->bytes[i][k];
    if (!found) return false;
    asked_line *l = &s->line[e->at];
    l->sectors |= w->sectors[i];
    l->partial = 0;
    for (int k = 0; k < LINE_SECTORS; k++)
        if (e->bytes[k] && ~e->bytes[k]) l->partial |= (uint8_t)(1u << k);
    l->takes = store_takes(m, l);
    return true;
}

static bool ask_store(const time_memory_state *m, own_way *own, uint32_t by, request *q, const wanted *w)
{
    const bool together =
        m->l2_partial && !w->full && 2 * w->count <= m->t->store_lines && !rule_left_out(RULE_store_lines);
    for (int i = 0; i < w->count; i++) {
        if (together && put_together(m, own, by, w, i)) continue;
        asked_line *l = ask_line(own->asks, q, w->line[i], w->sectors[i], q->start + i * m->port_line);
        if (!l) return false;
        l->partial = m->l2_partial ? w->partial[i] : 0;
        l->takes = store_takes(m, l);
    }
    return true;
}

static void store(time_memory_state *m, const request *q, const asked_line *l, time_access *r)
{
    for (uint32_t i = 0; i < q->count; i++, l++) {
        ticks there = store_slice(m, q->mp, l);
        cache_line *c = l2_line(m, l->line, there);
        if (c->ready <= m->base) m->none = 0;
        unsigned missing = l->partial & ~line_sectors(c->tag); /* check bits cover all bytes of a sector */
        if (missing) move_later(m, l->line, count_bits(missing) * SECTOR, there);
        c->tag |= l->sectors | (uint64_t)l->sectors << 4;
        r->done = later(r->done, there + m->l2_latency);
    }
}

/* ---- atomics ---- */

static bool ask_atomics(const time_memory_state *m, asks *s, request *q, const access *a, const wanted *w)
{
    uint8_t kind = m->traits[a->in - m->code->insns];
    uint64_t word[32];
    uint8_t times[32];
    const unsigned words = time_addresses(a, word, times);
    if (words == 1 && (kind & ATOMIC_MERGES || (kind & ATOMIC_MERGES_UNUSED && a->no_result))) times[0] = 1;
    for (int i = 0; i < w->count; i++) {
        asked_line *l = ask_line(s, q, w->line[i], w->sectors[i], q->start + i * m->port_line);
        if (!l) return false;
        uint8_t passes[LINE_SECTORS] = {0};
        for (unsigned k = 0; k < words; k++) {
            if (word[k] / LINE != w->line[i]) continue;
            const uint8_t one_by_one = kind & ATOMIC_SWAPS ? 1 : times[k], sector = word[k] / SECTOR % LINE_SECTORS;
            if (one_by_one > passes[sector]) passes[sector] = one_by_one;
            if (kind & ATOMIC_FLOATS) l->chain = later(l->chain, times[k] * m->atomic_float);
            if (kind & ATOMIC_SWAPS) l->takes += (times[k] - 1u) * m->atomic_swap;
        }
        for (int k = 0; k < LINE_SECTORS; k++) l->takes += passes[k] * m->atomic_sector;
    }
    return true;
}

/* How long a sum of floats keeps its line, with what untimed multiprocessors add there
 * meanwhile. */
static ticks keep_for_sum(time_memory_state *m, uint32_t mp, uint64_t line, ticks chain)
{
    summed *s = &m->summed[line % SUMMED_LINES];
    if (s->line != line) *s = (summed){.line = line, .mp = mp};
    s->several |= s->mp != mp;
    s->mp = mp;
    if (s->several) chain += chain * m->share.others / m->share.timed;
    s->busy += chain;
    m->summed_longest = later(m->summed_longest, s->busy);
    return chain;
}

static void atomics(time_memory_state *m, const request *q, const asked_line *l, time_access *r)
{
    for (uint32_t i = 0; i < q->count; i++, l++) {
        ticks there = reach_slice(m, q->mp, l);
        cache_line *c = l2_line(m, l->line, there);
        unsigned missing = l->sectors & ~line_sectors(c->tag);
        ticks done = there + m->atomic_latency + (l->takes > m->atomic_sector ? l->takes - m->atomic_sector : 0),
              wait = 0;
        if (missing) {
            dram_move(&m->dram, l->line * LINE, count_bits(missing) * SECTOR, m->asked, there, &wait);
            wait = slowed(m, wait, there);
            done += wait + m->dram_latency - m->l2_latency;
            c->ready = later(c->ready, m->base + done);
        } else {
            done = later(done, c->ready - m->base);
        }
        if (l->chain) {
            c->ready = later(m->base + there, c->ready) + keep_for_sum(m, q->mp, l->line, l->chain);
            done = later(done, c->ready - m->base + m->atomic_latency - m->atomic_sector);
        }
        c->tag |= l->sectors | (uint64_t)l->sectors << 4;
        if (done > r->done) {
            r->done = done;
            r->behind = wait;
        }
    }
}

/* ---- an access ---- */

uint32_t sector_access(time_memory_state *m, const time_asker *by, const access *a, time_access *r)
{
    wanted w;
    const ticks now = by->now;
    own_way *own = &m->own[by->multiprocessor];
    asks *s = own->asks;
    ticks start = later(own->port, now);
    find_wanted(a, &w);
    own->port =
        start + (a->kind == ACCESS_READ && m->t->l1_tags ? load_passes(m, a, &w) : (unsigned)w.count) * m->port_line;
    own->busy += own->port - start;
    r->port = start - now;
    request *q = ask_new(s, by->multiprocessor, by->who,
                         a->kind == ACCESS_ATOMIC  ? ASK_ATOMIC
                         : a->kind == ACCESS_WRITE ? ASK_STORE
                                                   : ASK_LOAD,
                         now, start);
    if (!q) return 0;
    if (a->kind == ACCESS_ATOMIC) return ask_atomics(m, s, q, a, &w);
    if (a->kind == ACCESS_WRITE) {
        if (m->l2_partial) find_partial(a, &w);
        return ask_store(m, own, by->warp, q, &w);
    }
    const bool cached = m->t->l1_global && (a->order & ORDER_MASK) == ORDER_WEAK && m->t->l1_bytes &&
                        !(m->traits[a->in - m->code->insns] & PAST_L1);
    if (cached && !own->l1 && !(own->l1 = cache_new(m->l1_bytes, m->t->l1_ways))) s->failed = true;
    if (!ask_load(m, s, q, &w, cached ? own->l1 : NULL) || found_all(m, s, q, r)) {
        s->last = later(s->last, r->done);
        return 0;
    }
    return 1;
}

void time_will_ask(const time_memory_state *m, uint32_t multiprocessor, uint64_t address)
{
    const own_way *own = &m->own[multiprocessor];
    if (own->l1) cache_fetch(own->l1, address / LINE);
}

void sector_fetch(const time_memory_state *m, const request *q)
{
    const asked_line *l = &m->own[q->mp].asks->line[q->first];
    for (uint32_t i = 0; i < q->count && i < FETCH_LINES; i++)
        if (l[i].sectors) cache_fetch(m->l2, l[i].line);
}

/* The rest of a request's way. Requests come in the order in which they were issued. */
time_access sector_answer(time_memory_state *m, const request *q)
{
    static void (*const ways[])(time_memory_state *, const request *, const asked_line *,
                                time_access *) = {[ASK_LOAD] = load, [ASK_STORE] = store, [ASK_ATOMIC] = atomics};
    time_access r = {.done = q->now, .port = q->start - q->now};
    m->asked = q->now;
    ways[q->kind](m, q, &m->own[q->mp].asks->line[q->first], &r);
    m->last = later(m->last, r.done);
    return r;
}
