/* race.c: two accesses to one place by different threads, one of them a write, not both strong, and
 * nothing that orders them. (Both strong: see by_luck.)
 *
 * race.h says what is remembered. Here an access is compared with the cells of the words it
 * touches: race_access takes whole aligned segments in one step, everything else word by word.
 * `fine` is the quick test, `against` the exact one, which reports. Each worker has cells of its
 * own: blocks of different workers that touch the same words run again in order anyway.
 */
#include "happens_before.h"
#include "proxy.h"
#include "race_memory.h"
#include "race_report.h"

/* ---- one access ---- */

typedef struct look {
    warp *w;
    const access *a; /* NULL: only `h` is set, see access_of */
    const warp_halves *h;
    access *expanded;
    struct block_order *o;
    const struct epoch *epochs;
    uint64_t key;      /* of this access's cells, without lanes */
    uint32_t lo, span; /* stamps that lie before the last full barrier */
    bool strong, reads, global;
    const uint8_t *narrow; /* of the race_state, for strong accesses to global memory */
    bool shared;           /* memory of a block, whatever its cells */
    bool lockstep;         /* a volatile store to shared memory by several lanes: may be old warp-synchronous code */
    uint8_t role;          /* of a strong access; 0: nothing can be by luck */
    bool settles;          /* two readers of different warps or blocks are enough */
    page **pages;          /* global: of the allocation */
    uint64_t base;         /* its address */
} look;

static const access *access_of(look *k)
{
    if (!k->a) {
        watch_expand(k->h, k->expanded);
        k->a = k->expanded;
    }
    return k->a;
}

static inline bool before(const look *k, uint64_t e) { return e == 0 || cell_stamp(e) - k->lo <= k->span; }

/* Was it done by this very block? */
static inline bool mine(const look *k, uint64_t e)
{
    if (!k->global) return true;
    const struct block_order *o = k->o;
    return o->mixed ? k->epochs[cell_stamp(e)].linear == o->linear
                    : cell_stamp(e) - o->first_epoch <= o->last_epoch - o->first_epoch;
}

static inline bool same_warp(const look *k, uint64_t e)
{
    return ((e ^ k->key) & (UINT64_C(31) << 11)) == 0 && mine(k, e);
}

/* Two strong accesses of different blocks, one of which has block scope only? */
static bool out_of_scope(const look *k, uint64_t e)
{
    return k->narrow && (k->narrow[cell_slot(e)] || k->narrow[cell_slot(k->key)]) && !mine(k, e);
}

/* Does the load with this slot read data, which should have been written before, and not a value that it waits for? */
static bool reads_data(struct race_state *s, uint32_t slot)
{
    uint8_t role = atomic_load_explicit(&s->role[slot], memory_order_relaxed);
    if (!(role & ROLE_LOAD)) return false;
    if (!(role & (ROLE_AWAITED | ROLE_DATA))) {
        role |= race_awaited(s->l, &s->l->code->info[s->slot_pc[slot]]) ? ROLE_AWAITED : ROLE_DATA;
        atomic_store_explicit(&s->role[slot], role, memory_order_relaxed);
    }
    return role & ROLE_DATA;
}

/* Two strong accesses, one of them a load of data: if nothing orders them it reads what it reads by luck. */
static bool by_luck(const look *k, uint64_t e)
{
    struct race_state *s = k->o->worker->state;
    const uint32_t slot = cell_slot(e);
    if (k->role & ROLE_LOAD) return s->role[slot] & (ROLE_STORE | ROLE_ATOMIC);
    if (k->lockstep && (s->role[slot] & ROLE_STORE) && same_warp(k, e)) return true;
    return k->role && reads_data(s, slot);
}

static inline bool fine(const look *k, uint64_t e, uint64_t key)
{
    if (before(k, e)) return true;
    if (k->strong && (e & CELL_STRONG) && !by_luck(k, e) && !out_of_scope(k, e)) return true;
    return ((e ^ key) & CELL_WHO) == 0 && cell_a(e) == cell_b(e) && mine(k, e);
}

/* Did the two stores put the same value there? The other one's is in memory, or, if it is of this
 * same instruction, in the access. */
static bool same_value(look *k, uint64_t e, uint32_t me, uint32_t other, uint64_t address, uint32_t bytes)
{
    const access *a = access_of(k);
    if (a->kind != ACCESS_WRITE || !a->value) return false;
    const char *value = (const char *)a->value + (size_t)me * a->size + (address - a->address[me]);
    bool together = (e >> 11) == (k->key >> 11) && (a->mask >> other & 1) && address - a->address[other] < a->size;
    const char *there;
    if (together) there = (const char *)a->value + (size_t)other * a->size + (address - a->address[other]);
    else if (k->shared) there = access_block(k->w, a)->shared + address;
    else {
        const alloc *al = a->al ? a->al : memory_at(&k->o->worker->state->l->s->mem, address);
        if (!al || !al->host) return false;
        there = al->host + (address - al->start);
    }
    return !memcmp(value, there, bytes);
}

/* The exact test of lanes a to b against what a cell remembers. */
static void against(look *k, uint64_t e, bool wrote, uint64_t address, uint32_t bytes, uint32_t a, uint32_t b)
{
    uint64_t linear = k->global ? k->epochs[cell_stamp(e)].linear : k->o->linear;
    uint32_t time = k->global ? k->epochs[cell_stamp(e)].time : cell_stamp(e);
    uint32_t me[2] = {a, b}, other[2] = {cell_a(e), cell_b(e)};
    for (int i = 0; i < (a == b ? 1 : 2); i++)
        for (int j = 0; j < (other[0] == other[1] ? 1 : 2); j++) {
            if (race_ordered(k->w, me[i], linear, time, cell_warp(e), other[j])) continue;
            race_side side = {linear, cell_warp(e) * 32 + other[j], cell_slot(e), SIDE_PLAIN};
            bool strong = k->strong && (e & CELL_STRONG) && !out_of_scope(k, e);
            /* An atomic stores no value in this sense, even when the value is equal now. */
            bool stored = !(e & CELL_STRONG) || (k->o->worker->state->role[cell_slot(e)] & ROLE_STORE);
            bool same = wrote && stored && same_value(k, e, me[i], other[j], address, bytes);
            if (!strong || !same) race_say(k->w, access_of(k), me[i], address, &side, wrote, same, strong);
            return;
        }
}

static void add_reader(const look *k, cell *c, uint64_t key, uint32_t *settled, uint32_t bit)
{
    uint64_t e = c->r0, f = c->r1;
    if (e == key) return;
    if (before(k, e)) {
        c->r0 = key;
    } else if (same_warp(k, e)) {
        if ((key & CELL_STRONG) > (e & CELL_STRONG)) return; /* a plain read says more */
        if ((e ^ key) >> 16) {
            c->r0 = key;
        } else { /* more lanes of the same access */
            uint32_t low = cell_a(e) < cell_a(key) ? cell_a(e) : cell_a(key);
            uint32_t high = cell_b(e) > cell_b(key) ? cell_b(e) : cell_b(key);
            c->r0 = (e & ~UINT64_C(0x7fe)) | CELL_LANES(low, high);
        }
    } else if (before(k, f) || same_warp(k, f)) {
        c->r1 = e;
        c->r0 = key;
    } else if (!k->global) {
        if (k->settles) *settled |= bit; /* a writer has one of another warp to race with */
    } else { /* two others: keep readers of two blocks, so that any writer has one to race with */
        uint64_t x = k->epochs[cell_stamp(e)].linear, y = k->epochs[cell_stamp(f)].linear;
        if (x == y && x != k->o->linear) {
            c->r1 = e;
            c->r0 = key;
            y = k->o->linear;
        }
        if (x != y) *settled |= bit;
    }
}

static inline void touch(look *k, cell *c, uint64_t address, uint32_t bytes, uint32_t a, uint32_t b, uint32_t *settled,
                         uint32_t bit)
{
    uint64_t key = k->key | CELL_LANES(a, b);
    if (SIM_UNLIKELY(!fine(k, c->w, key))) against(k, c->w, true, address, bytes, a, b);
    if (k->reads) {
        add_reader(k, c, key, settled, bit);
        return;
    }
    if (SIM_UNLIKELY(!fine(k, c->r0, key))) against(k, c->r0, false, address, bytes, a, b);
    if (SIM_UNLIKELY(!fine(k, c->r1, key))) against(k, c->r1, false, address, bytes, a, b);
    if (SIM_UNLIKELY(a != b && !k->strong)) { /* one instruction, several lanes, one place */
        race_side side = {k->o->linear, k->w->index * 32 + a, access_of(k)->in->slot, SIDE_PLAIN};
        race_say(k->w, k->a, b, address, &side, true, same_value(k, key, b, a, address, bytes), false);
    }
    c->w = key;
    if (!k->strong) {
        c->r0 = c->r1 = 0;
        *settled &= ~bit;
    }
}

/* ---- pages ---- */

/* Was the segment last written before what the quick test takes as ordered? Then readers can skip
 * the writer. */
static inline bool quiet(const look *k, const page *p, uint32_t i)
{
    return k->global ? !p->wrote[i] : p->wrote[i] <= k->span;
}

static inline void mark_written(const look *k, page *p, uint32_t i) { p->wrote[i] = (uint32_t)(k->key >> 32); }

static inline uint32_t *settled_words(const look *k, page *p, uint32_t i)
{
    if (!k->global && p->period[i] != k->span) {
        p->period[i] = k->span;
        p->settled[i] = 0;
    }
    return &p->settled[i];
}

static page *page_new(const look *k, page **slot)
{
    *slot = race_memory(k->o->worker, sizeof **slot);
    if (*slot) (*slot)->shift = 2;
    return *slot;
}

static inline page *page_at(const look *k, uint64_t offset)
{
    if (!k->global) return &k->o->pages[offset >> PAGE_BITS];
    page **slot = &k->pages[offset >> PAGE_BITS];
    return SIM_LIKELY(*slot != NULL) ? *slot : page_new(k, slot);
}

static uint64_t lane_of_word(uint64_t e, uint32_t i)
{
    if (!e) return 0;
    uint32_t wide = cell_b(e) - cell_a(e), k = wide == 31 ? 0 : wide == 15 ? 1 : 2;
    uint32_t lane = (cell_a(e) + (i >> k)) & 31;
    return (e & ~UINT64_C(0x7fe)) | CELL_LANES(lane, lane);
}

cell race_cell(const page *p, uint32_t in_page)
{
    if (p->word) return p->word[in_page >> p->shift];
    const cell *s = &p->segment[in_page >> SEGMENT_BITS];
    const uint32_t i = (in_page & ((1 << SEGMENT_BITS) - 1)) >> 2;
    return (cell){lane_of_word(s->w, i), lane_of_word(s->r0, i), lane_of_word(s->r1, i)};
}

/* Spreads a page from segments to words, or from words to bytes. */
static bool spread(const look *k, page *p, uint32_t shift)
{
    race_worker *owner = k->o->worker;
    cell *word = race_memory(owner, page_word_bytes(shift));
    if (!word) return false;
    uint32_t count = PAGE_BYTES >> shift;
    if (p->word) {
        for (uint32_t i = 0; i < count; i++) word[i] = p->word[i << shift >> p->shift];
        race_memory_free(owner, p->word, page_word_bytes(p->shift));
    } else {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t in_segment = (i << shift & ((1 << SEGMENT_BITS) - 1)) >> 2;
            const cell *s = &p->segment[i << shift >> SEGMENT_BITS];
            if (!(s->w | s->r0 | s->r1)) continue;
            word[i] = (cell){lane_of_word(s->w, in_segment), lane_of_word(s->r0, in_segment),
                             lane_of_word(s->r1, in_segment)};
        }
    }
    p->word = word;
    p->shift = shift;
    return true;
}

/* Lanes a to b touch `size` bytes at one address. */
static bool touch_words(look *k, uint64_t address, uint32_t size, uint32_t a, uint32_t b)
{
    uint64_t offset = address - k->base;
    bool bytes = size < 4 || (offset & 3);
    uint32_t done = 0;
    while (done < size) {
        page *p = page_at(k, offset + done);
        if (!p) return false;
        uint32_t segment = (uint32_t)((offset + done) & (PAGE_BYTES - 1)) >> SEGMENT_BITS;
        uint32_t bit = 1u << ((offset + done) >> 2 & 31);
        uint32_t *settled = settled_words(k, p, segment);
        if (!k->reads) mark_written(k, p, segment);
        else if ((*settled & bit) && p->shift && quiet(k, p, segment)) {
            done += 4 - (uint32_t)((offset + done) & 3);
            continue;
        }
        if (!p->word || (bytes && p->shift)) {
            if (!spread(k, p, bytes ? 0 : 2)) return false;
        }
        uint32_t unit = 1u << p->shift;
        touch(k, &p->word[((offset + done) & (PAGE_BYTES - 1)) >> p->shift], address + done, unit, a, b, settled,
              p->shift ? bit : 0);
        done += unit;
    }
    return true;
}

/* ---- words, quickly ---- */

/* Does what touch does, for the cases that end well without a call; false: nothing was done.
 * `is_quiet`: the writer does not matter. */
static inline bool quick_read(const look *k, cell *c, uint64_t key, bool is_quiet, uint32_t *settled, uint32_t bit)
{
    if (!is_quiet && !fine(k, c->w, key)) return false;
    uint64_t e = c->r0;
    if (e == key) return true;
    if (before(k, e)) {
        c->r0 = key;
        return true;
    }
    if (same_warp(k, e)) {
        if ((key & CELL_STRONG) > (e & CELL_STRONG) || !((e ^ key) >> 16)) return false;
        c->r0 = key;
        return true;
    }
    uint64_t f = c->r1;
    if (!before(k, f) && !same_warp(k, f)) return false;
    c->r1 = e;
    c->r0 = key;
    if (k->settles && (!k->global || !mine(k, e))) *settled |= bit;
    return true;
}

static inline bool quick_write(const look *k, cell *c, uint64_t key)
{
    if (!fine(k, c->w, key) || !fine(k, c->r0, key) || !fine(k, c->r1, key)) return false;
    *c = (cell){key, 0, 0};
    return true;
}

/* The same for shared memory, where one comparison tells "before the last full barrier". */
static inline bool shared_fine(uint64_t e, uint64_t key, uint64_t limit)
{
    return e < limit || !((e ^ key) & CELL_WHO);
}

static inline bool shared_read(cell *c, uint64_t key, uint64_t limit, bool is_quiet)
{
    uint64_t e = c->r0;
    if (!is_quiet && !shared_fine(c->w, key, limit)) return false;
    if (e >= limit && (((e ^ key) & (UINT64_C(31) << 11)) || (e ^ key) >> 16 == 0)) return false;
    c->r0 = key;
    return true;
}

static inline bool shared_write(cell *c, uint64_t key, uint64_t limit)
{
    if (!shared_fine(c->w, key, limit) || !shared_fine(c->r0, key, limit) || !shared_fine(c->r1, key, limit))
        return false;
    c->w = key;
    c->r0 = c->r1 = 0;
    return true;
}

/* Words `at` to `at + words` of a page, all in segment i. Lane `from`, and lane from + twin, has
 * the first 1 << each words, and so on. */
static void read_piece(look *k, page *p, uint32_t i, uint32_t at, uint32_t words, uint32_t each, uint32_t from,
                       uint32_t twin, uint64_t address)
{
    uint32_t *settled = settled_words(k, p, i), first = at & 31;
    const uint32_t mask = (words == 32 ? UINT32_MAX : (1u << words) - 1) << first;
    const bool is_quiet = quiet(k, p, i), global = k->global;
    if (is_quiet && (*settled & mask) == mask) return;
    const uint64_t limit = ((uint64_t)k->span + 1) << 32, base = k->key | CELL_LANES(from, from + twin);
    cell *c = &p->word[at];
    for (uint32_t n = 0; n < words; n++, c++) {
        const uint64_t key = base + (n >> each) * CELL_LANES(1, 1);
        if (SIM_LIKELY(!global && shared_read(c, key, limit, is_quiet))) continue;
        if (SIM_UNLIKELY(!quick_read(k, c, key, is_quiet, settled, 1u << (first + n))))
            touch(k, c, address + 4 * n, 4, cell_a(key), cell_b(key), settled, 1u << (first + n));
    }
}

static void write_piece(look *k, page *p, uint32_t i, uint32_t at, uint32_t words, uint32_t each, uint32_t from,
                        uint64_t address)
{
    uint32_t *settled = settled_words(k, p, i), first = at & 31;
    const uint64_t limit = ((uint64_t)k->span + 1) << 32, base = k->key | CELL_LANES(from, from);
    const bool global = k->global;
    cell *c = &p->word[at];
    mark_written(k, p, i);
    for (uint32_t n = 0; n < words; n++, c++) {
        const uint64_t key = base + (n >> each) * CELL_LANES(1, 1);
        if (SIM_LIKELY(!global && shared_write(c, key, limit))) continue;
        if (SIM_UNLIKELY(!quick_write(k, c, key)))
            touch(k, c, address + 4 * n, 4, cell_a(key), cell_a(key), settled, 1u << (first + n));
    }
    *settled &= ~((words == 32 ? UINT32_MAX : (1u << words) - 1) << first);
}

/* `lanes` lanes, `size` bytes each (4, 8 or 16), consecutive from lane `from` on; each with the
 * lane `twin` further. False: nothing was done. */
static bool quick_run(look *k, uint64_t address, uint32_t size, uint32_t lanes, uint32_t from, uint32_t twin)
{
    uint64_t offset = address - k->base;
    uint32_t within = (uint32_t)offset & (PAGE_BYTES - 1), each = size == 4 ? 0 : size == 8 ? 1 : 2;
    if ((size != 4 && size != 8 && size != 16) || (offset & (size - 1)) || k->strong ||
        within + lanes * size > PAGE_BYTES || (twin && !k->reads))
        return false;
    page *p = page_at(k, offset);
    if (!p || p->shift != 2 || (!p->word && !spread(k, p, 2))) return false;
    uint32_t at = within >> 2, end = at + (lanes << each);
    while (at < end) {
        uint32_t i = at >> 5, words = 32 - (at & 31);
        if (words > end - at) words = end - at;
        if (k->reads) read_piece(k, p, i, at, words, each, from, twin, address);
        else write_piece(k, p, i, at, words, each, from, address);
        at += words;
        from += words >> each;
        address += 4 * (uint64_t)words;
    }
    return true;
}

/* Lanes a to b at one word. `fixed` equals k; the compiler can keep it in registers. */
static inline bool touch_word(look *k, const look *fixed, uint64_t address, uint32_t a, uint32_t b)
{
    uint64_t offset = address - fixed->base;
    page *p = page_at(fixed, offset);
    if (SIM_UNLIKELY(!p || p->shift != 2 || !p->word || (offset & 3))) return touch_words(k, address, 4, a, b);
    uint32_t at = ((uint32_t)offset & (PAGE_BYTES - 1)) >> 2, bit = 1u << (at & 31);
    uint32_t *settled = settled_words(fixed, p, at >> 5);
    uint64_t key = fixed->key | CELL_LANES(a, b);
    if (fixed->reads) {
        bool is_quiet = quiet(fixed, p, at >> 5);
        if (is_quiet && (*settled & bit)) return true;
        if (SIM_LIKELY(quick_read(fixed, &p->word[at], key, is_quiet, settled, bit))) return true;
    } else {
        mark_written(fixed, p, at >> 5);
        *settled &= ~bit;
        cell *c = &p->word[at];
        if (fixed->strong) { /* keeps the readers: a plain store may still race with them */
            if (SIM_LIKELY(fine(fixed, c->w, key) && fine(fixed, c->r0, key) && fine(fixed, c->r1, key))) {
                c->w = key;
                return true;
            }
        } else if (SIM_LIKELY(a == b && quick_write(fixed, c, key))) {
            return true;
        }
    }
    touch(k, &p->word[at], address, 4, a, b, settled, bit);
    return true;
}

/* ---- whole segments ---- */

/* May the cell of a segment take this access as one? All that it remembers must be before the
 * barrier, of the same lanes in the same order, or, when both read, of another warp. */
static bool segment_takes(const look *k, uint64_t e, uint64_t key, bool reader)
{
    if (before(k, e)) return true;
    bool same = ((e ^ key) & CELL_WHO) == 0 && mine(k, e);
    return same || (reader && !same_warp(k, e));
}

/* False: nothing was changed, go word by word. */
static bool touch_segment(const look *k, page *p, uint32_t i, uint32_t a, uint32_t b)
{
    cell *c = &p->segment[i];
    uint64_t key = k->key | CELL_LANES(a, b);
    if (p->word || k->strong) return false;
    if (!segment_takes(k, c->w, key, false)) return false;
    if (!segment_takes(k, c->r0, key, k->reads) || !segment_takes(k, c->r1, key, k->reads)) return false;
    if (k->reads) {
        uint32_t ignored = 0;
        add_reader(k, c, key, &ignored, 0);
    } else {
        *c = (cell){key, 0, 0};
        mark_written(k, p, i);
    }
    return true;
}

/* 32 consecutive lanes on whole segments: 1, 2 or 4 of them. */
static bool touch_row(look *k, uint64_t offset, uint64_t address, uint32_t size)
{
    uint32_t segments = size / 4, lanes = 32 / segments;
    for (uint32_t s = 0; s < segments; s++, offset += 1 << SEGMENT_BITS, address += 1 << SEGMENT_BITS) {
        page *p = page_at(k, offset);
        if (!p) return false;
        if (touch_segment(k, p, (uint32_t)(offset & (PAGE_BYTES - 1)) >> SEGMENT_BITS, s * lanes,
                          s * lanes + lanes - 1))
            continue;
        if (quick_run(k, address, size, lanes, s * lanes, 0)) continue;
        for (uint32_t l = s * lanes; l < (s + 1) * lanes; l++)
            if (!touch_words(k, address + (l - s * lanes) * size, size, l, l)) return false;
    }
    return true;
}

/* Lanes at words of shared memory, one by one: several at one word go to touch_word in turn. */
static void shared_lanes(look *k, uint32_t mask)
{
    const access *a = k->a;
    const uint64_t limit = ((uint64_t)k->span + 1) << 32, base = k->key;
    const uint32_t time = (uint32_t)(base >> 32), period = k->span;
    page *const pages = k->o->pages;
    const bool reads = k->reads;
    for (; mask; mask &= mask - 1) {
        uint32_t l = (uint32_t)first_lane(mask);
        uint64_t address = a->address[l], key = base | CELL_LANES(l, l);
        page *p = &pages[address >> PAGE_BITS];
        if (SIM_UNLIKELY(!p->word || p->shift != 2)) {
            touch_words(k, address, 4, l, l);
            continue;
        }
        uint32_t at = (uint32_t)address >> 2 & ((PAGE_BYTES >> 2) - 1), i = at >> 5;
        cell *c = &p->word[at];
        if (reads) {
            if (SIM_LIKELY(shared_read(c, key, limit, false))) continue;
        } else {
            p->wrote[i] = time;
            if (p->period[i] == period) p->settled[i] &= ~(1u << (at & 31));
            if (SIM_LIKELY(shared_write(c, key, limit))) continue;
        }
        touch_word(k, k, address, l, l);
    }
}

/* Lanes one by one; neighbours at the same address together. */
static bool touch_lanes(look *k, uint32_t mask)
{
    const access *a = k->a;
    const look fixed = *k;
    const uint32_t size = a->size;
    if (size == 4 && !k->global && !k->strong && a->address[first_lane(mask)] != a->address[last_lane(mask)]) {
        shared_lanes(k, mask);
        return true;
    }
    while (mask) {
        uint32_t first = (uint32_t)first_lane(mask), last = first;
        mask &= mask - 1;
        while (last < 31 && (mask >> (last + 1) & 1) && a->address[last + 1] == a->address[first]) {
            last++;
            mask &= mask - 1;
        }
        if (!(size == 4 ? touch_word(k, &fixed, a->address[first], first, last)
                        : touch_words(k, a->address[first], size, first, last)))
            return false;
    }
    return true;
}

/* ---- global memory: epochs and allocations ---- */

static bool have_epoch(struct block_order *o)
{
    if (o->epoch) return true;
    race_worker *k = o->worker;
    if (k->epoch_count + 1 >= k->epoch_capacity) {
        uint32_t more = k->epoch_capacity ? k->epoch_capacity * 2 : 1024;
        struct epoch *bigger = more > k->epoch_capacity ? race_memory(k, more * sizeof *bigger) : NULL;
        if (!bigger) return false;
        if (k->epochs) memcpy(bigger, k->epochs, k->epoch_capacity * sizeof *bigger);
        race_memory_free(k, k->epochs, k->epoch_capacity * sizeof *bigger);
        k->epochs = bigger;
        k->epoch_capacity = more;
    }
    if (o->first_epoch && k->epochs[k->epoch_count].linear != o->linear) o->mixed = true;
    k->epochs[++k->epoch_count] = (struct epoch){o->linear, o->time};
    o->epoch = o->last_epoch = k->epoch_count;
    if (!o->first_epoch) o->first_epoch = o->epoch;
    return true;
}

static page **pages_of(race_worker *k, alloc *al)
{
    race_alloc *r = al->shadow ? al->shadow : race_alloc_new(k->state, al);
    if (!r) return NULL;
    page ***mine_too = &r->by_worker[k - k->state->worker];
    if (!*mine_too) *mine_too = race_memory(k, (size_t)r->pages * sizeof **mine_too);
    return *mine_too;
}

static bool look_global(look *k, alloc *al)
{
    struct block_order *o = k->o;
    k->pages = pages_of(o->worker, al);
    k->base = al->start;
    return k->pages != NULL;
}

static inline bool start_global(look *k)
{
    struct block_order *o = k->o;
    if (o->worker->blind || !have_epoch(o)) return false;
    k->epochs = o->worker->epochs;
    k->global = true;
    if (k->strong) k->narrow = o->worker->state->narrow;
    k->key |= (uint64_t)o->epoch << 32;
    if (o->full_epoch && !o->mixed) {
        k->lo = o->first_epoch;
        k->span = o->full_epoch - o->first_epoch;
    }
    return true;
}

static inline void start_shared(look *k)
{
    k->key |= (uint64_t)k->o->time << 32;
    k->span = k->o->full;
}

static void access_global(look *k, const pattern *p)
{
    const access *a = k->a;
    struct block_order *o = k->o;
    if (!start_global(k)) return;
    if (a->al) {
        if (!look_global(k, a->al)) return;
        uint64_t offset = p->low - k->base;
        if (p->contiguous && !(offset & ((1 << SEGMENT_BITS) - 1)) && (a->size == 4 || a->size == 8 || a->size == 16))
            touch_row(k, offset, p->low, a->size);
        else touch_lanes(k, a->mask);
        return;
    }
    for (uint32_t m = a->mask; m; m &= m - 1) {
        alloc *al = memory_at(&o->worker->state->l->s->mem, a->address[first_lane(m)]);
        if (al && look_global(k, al)) touch_lanes(k, m & (~m + 1));
    }
}

/* Shared memory that other blocks of the cluster reach too. */
static void access_cluster(look *k, const pattern *p)
{
    const access *a = k->a;
    const struct block_order *of = access_block(k->w, a)->order;
    if (!of || !of->far_pages || p->high > (uint64_t)of->page_count << PAGE_BITS || !start_global(k)) return;
    k->pages = of->far_pages;
    k->base = 0;
    touch_lanes(k, a->mask);
}

static void access_shared(look *k, const pattern *p)
{
    const access *a = k->a;
    start_shared(k);
    if (p->high > (uint64_t)k->o->page_count << PAGE_BITS) return;
    if (p->contiguous && !(p->low & ((1 << SEGMENT_BITS) - 1)) && (a->size == 4 || a->size == 8 || a->size == 16))
        touch_row(k, p->low, p->low, a->size);
    else touch_lanes(k, a->mask);
}

static inline void start_look(look *k, const insn *in, uint8_t kind, uint8_t order)
{
    struct race_state *s = k->o->worker->state;
    uint32_t slot = in->slot <= 0xffff ? in->slot : 0;
    k->reads = kind == ACCESS_READ;
    k->settles = !k->o->named;
    k->strong = kind == ACCESS_ATOMIC || (order & ORDER_MASK) != ORDER_WEAK;
    k->key = (uint64_t)slot << 16 | (uint64_t)k->w->index << 11 | (k->strong ? CELL_STRONG : 0);
    k->lockstep = false;
    k->role = k->strong ? s->role[slot] : 0;
    if ((k->role & ROLE_LOAD) && !reads_data(s, slot)) k->role = 0;
}

void race_access(warp *w, const access *a, const pattern *p)
{
    struct block_order *o = w->block->order;
    if (!o || (a->space != SPACE_SHARED && a->space != SPACE_GLOBAL)) return;
    if (a->space == SPACE_GLOBAL && w->worker->launch->earlier) earlier_launch_access(w, a);
    if (a->space == SPACE_SHARED && w->block->interval) interval_break(w->block);
    look k = {.w = w, .a = a, .o = o, .shared = a->space == SPACE_SHARED};
    start_look(&k, a->in, a->kind, a->order);
    k.lockstep = a->space == SPACE_SHARED && a->kind == ACCESS_WRITE && (a->order & ORDER_MASK) == ORDER_VOLATILE &&
                 (a->mask & (a->mask - 1));
    if (k.shared && o->clustered) access_cluster(&k, p);
    else if (k.shared) access_shared(&k, p);
    else access_global(&k, p);
    if (o->proxy && k.shared && !a->of) proxy_access(w, a);
    if (k.shared) barrier_objects_access(w, a);
    if (k.strong) race_synchronise(w, a);
}

/* Sixteen consecutive lanes from lane `from` on; for a read that both halves do equally, lanes l
 * and l + 16 at once. */
static bool touch_run(look *k, uint64_t address, uint32_t size, uint32_t from, uint32_t twin)
{
    if (quick_run(k, address, size, 16, from, twin)) return true;
    for (uint32_t l = 0; l < 16; l++, address += size)
        if (!touch_words(k, address, size, from + l, from + l + twin)) return false;
    return true;
}

/* Would these reads change nothing? All words settled, no writer since the last full barrier. */
static inline bool half_settled(const page *p, bool global, uint32_t full, uint64_t offset, uint32_t bytes)
{
    uint32_t i = (uint32_t)(offset >> SEGMENT_BITS) & (SEGMENTS - 1), first = (uint32_t)(offset >> 2) & 31,
             words = (bytes + 3) >> 2;
    if (first + words > 32 || p->shift != 2 || (offset & 3)) return false;
    uint32_t mask = (words == 32 ? UINT32_MAX : (1u << words) - 1) << first;
    if ((p->settled[i] & mask) != mask) return false;
    return global ? !p->wrote[i] : p->period[i] == full && p->wrote[i] <= full;
}

static bool reads_settled(const struct block_order *o, const warp_halves *h)
{
    uint32_t bytes = h->step ? 16 * h->size : h->size;
    if (h->kind != ACCESS_READ || (h->order & ORDER_MASK) != ORDER_WEAK) return false;
    if (h->space == SPACE_SHARED) {
        uint64_t last = (h->at[0] > h->at[1] ? h->at[0] : h->at[1]) >> PAGE_BITS;
        return last < o->page_count &&
               half_settled(&o->pages[h->at[0] >> PAGE_BITS], false, o->full, h->at[0], bytes) &&
               (h->at[1] == h->at[0] ||
                half_settled(&o->pages[h->at[1] >> PAGE_BITS], false, o->full, h->at[1], bytes));
    }
    const race_alloc *r = h->al->shadow;
    page **pages = r ? r->by_worker[o->worker - o->worker->state->worker] : NULL;
    for (int i = 0; i < 2; i++) {
        uint64_t offset = h->at[i] - h->al->start;
        const page *p = pages ? pages[offset >> PAGE_BITS] : NULL;
        if (!p || !half_settled(p, true, 0, offset, bytes)) return false;
    }
    return true;
}

/* Plain reads of one word per half, the most common access of tiled code, when all is well. */
static bool read_two_words(const struct block_order *o, const warp *w, const warp_halves *h)
{
    if (h->kind != ACCESS_READ || h->space != SPACE_SHARED || h->step || h->size != 4 ||
        (h->order & ORDER_MASK) != ORDER_WEAK)
        return false;
    const uint64_t limit = ((uint64_t)o->full + 1) << 32, slot = h->in->slot <= 0xffff ? h->in->slot : 0;
    const uint64_t key = (uint64_t)o->time << 32 | slot << 16 | (uint64_t)w->index << 11;
    const bool same = h->at[0] == h->at[1];
    for (int i = 0; i < (same ? 1 : 2); i++) {
        if (h->at[i] >> PAGE_BITS >= o->page_count) return false;
        const page *p = &o->pages[h->at[i] >> PAGE_BITS];
        if (!p->word || p->shift != 2) return false;
        cell *c = &p->word[(h->at[i] & (PAGE_BYTES - 1)) >> 2];
        if (!shared_read(c, key | (same ? CELL_LANES(0, 31) : CELL_LANES(16 * i, 16 * i + 15)), limit, false))
            return false;
    }
    return true;
}

void race_halves(warp *w, const warp_halves *h)
{
    struct block_order *o = w->block->order;
    access room;
    if (!o) return;
    if (h->space == SPACE_SHARED && w->block->interval) interval_break(w->block);
    if (h->space == SPACE_GLOBAL && w->worker->launch->earlier) {
        watch_expand(h, &room);
        earlier_launch_access(w, &room);
    }
    if (h->space == SPACE_SHARED && (o->clustered || (o->proxy && h->kind != ACCESS_READ))) {
        pattern p;
        watch_expand(h, &room);
        watch_see(&p, &room);
        race_access(w, &room, &p);
        return;
    }
    if (read_two_words(o, w, h) || reads_settled(o, h)) return;
    look k = {.w = w, .h = h, .expanded = &room, .o = o, .shared = h->space == SPACE_SHARED};
    start_look(&k, h->in, h->kind, h->order);
    if (k.strong) {
        pattern p;
        watch_expand(h, &room);
        watch_see(&p, &room);
        race_access(w, &room, &p);
        return;
    }
    if (h->space == SPACE_SHARED) {
        start_shared(&k);
        uint64_t run = h->step ? 16 * (uint64_t)h->size : h->size, end = (uint64_t)o->page_count << PAGE_BITS;
        if (h->at[0] + run > end || h->at[1] + run > end) return;
    } else {
        if (!start_global(&k) || !look_global(&k, h->al)) return;
    }
    uint64_t offset = h->at[0] - k.base;
    bool same = h->at[0] == h->at[1];
    if (!h->step && h->size == 4) {
        if (same) touch_word(&k, &k, h->at[0], 0, 31);
        else if (touch_word(&k, &k, h->at[0], 0, 15)) touch_word(&k, &k, h->at[1], 16, 31);
    } else if (!h->step) {
        if (same) touch_words(&k, h->at[0], h->size, 0, 31);
        else if (touch_words(&k, h->at[0], h->size, 0, 15)) touch_words(&k, h->at[1], h->size, 16, 31);
    } else if (h->at[1] == h->at[0] + 16 * (uint64_t)h->size && !(offset & ((1 << SEGMENT_BITS) - 1)) && h->size >= 4) {
        touch_row(&k, offset, h->at[0], h->size);
    } else if (same && k.reads) {
        touch_run(&k, h->at[0], h->size, 0, 16);
    } else if (touch_run(&k, h->at[0], h->size, 0, 0)) {
        touch_run(&k, h->at[1], h->size, 16, 0);
    }
}

/* ---- a block of a cluster ends ---- */

/* Did all that a cell remembers of another block come before the end of one of this block's threads? A phase of the
 * cluster's barrier is enough, even of relaxed arrivals: who has arrived after an access has made it. */
static bool before_end(block *b, uint64_t e, const struct epoch *at)
{
    const cluster *c = b->cluster;
    const launch *l = b->worker->launch;
    for (uint32_t i = 0; i < c->count; i++)
        if (at->time <= c->met[i] && cluster_block(l, c->number, i) == at->linear) return true;
    for (uint32_t step = 32; step; step = step == 32 ? 1 : 0) /* one lane of each warp, then all */
        for (uint32_t t = 0; t < b->threads; t += step)
            if (race_ordered(&b->warps[t / 32], t % 32, at->linear, at->time, cell_warp(e), cell_a(e))) return true;
    return false;
}

void race_block_leaves(block *b)
{
    const struct block_order *o = b->order;
    if (!o || !o->clustered) return;
    uint64_t fine_as = 0; /* all but the slot and the kind */
    for (uint32_t i = 0; i < o->page_count; i++) {
        const page *p = o->far_pages[i];
        for (uint32_t k = 0; p && p->word && k < (uint32_t)PAGE_BYTES >> p->shift; k++)
            for (int j = 0; j < 3; j++) {
                const cell *c = &p->word[k];
                const uint64_t e = j == 0 ? c->w : j == 1 ? c->r0 : c->r1;
                const uint64_t who = e & ~(UINT64_C(0xffff) << 16 | UINT64_C(0x3f));
                if (!e || who == fine_as) continue;
                const struct epoch *at = &o->worker->epochs[cell_stamp(e)];
                if (at->linear == o->linear || before_end(b, e, at)) {
                    fine_as = who;
                    continue;
                }
                const race_side side = {at->linear, cell_warp(e) * 32 + cell_a(e), cell_slot(e), false};
                race_say_ends(b, &side, ((uint64_t)i << PAGE_BITS) + ((uint64_t)k << p->shift), j == 0);
                return; /* one is enough */
            }
    }
}
