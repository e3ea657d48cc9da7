/* race.c: two accesses to a place by different threads, one of them a write, not both strong, and nothing that orders them.
 *
 * race.h says what is remembered. Here an access meets the cells of the words it touches: race_access takes whole aligned
 * segments in one step, everything else word by word; `fine` is the quick test, `against` the exact one, which reports.
 * Each worker has cells of its own: blocks that touch the same words from different workers run again in order anyway.
 */
#include "race.h"
#include <stdlib.h>

/* ---- memory ---- */

void *race_memory(race_worker *k, size_t bytes)
{
    if (k->bytes + bytes > k->state->limit) {
        k->blind = true;
        return NULL;
    }
    void *p = calloc(1, bytes ? bytes : 1);
    if (p) k->bytes += bytes;
    else k->blind = true;
    if (k->bytes > k->peak) k->peak = k->bytes;
    return p;
}

void race_memory_free(race_worker *k, void *p, size_t bytes)
{
    if (!p) return;
    free(p);
    k->bytes -= bytes;
}

/* ---- one access ---- */

typedef struct look {
    warp *w;
    const access *a;   /* NULL: only `h` is there, see access_of */
    const warp_halves *h;
    access *expanded;
    struct block_order *o;
    const struct epoch *epochs;
    uint64_t key;      /* of this access's cells, without lanes */
    uint32_t lo, span; /* stamps that lie before the last full barrier */
    bool strong, reads, global;
    page **pages;      /* global: of the allocation */
    uint64_t base;     /* its address */
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

/* Done by this very block? */
static inline bool mine(const look *k, uint64_t e)
{
    if (!k->global) return true;
    return k->o->mixed ? k->epochs[cell_stamp(e)].linear == k->o->linear : cell_stamp(e) >= k->o->first_epoch;
}

static inline bool same_warp(const look *k, uint64_t e) { return ((e ^ k->key) & (UINT64_C(31) << 11)) == 0 && mine(k, e); }

static inline bool fine(const look *k, uint64_t e, uint64_t key)
{
    if (before(k, e)) return true;
    if (k->strong && (e & CELL_STRONG)) return true;
    return ((e ^ key) & CELL_WHO) == 0 && cell_a(e) == cell_b(e) && mine(k, e);
}

/* Did the two stores put the same value there? The other one's is in memory, or, of this same instruction, in the access. */
static bool same_value(look *k, uint64_t e, uint32_t me, uint32_t other, uint64_t address, uint32_t bytes)
{
    const access *a = access_of(k);
    if (a->kind != ACCESS_WRITE || !a->value) return false;
    const char *value = (const char *)a->value + (size_t)me * a->size + (address - a->address[me]);
    bool together = (e >> 11) == (k->key >> 11) && (a->mask >> other & 1) && address - a->address[other] < a->size;
    const char *there;
    if (together) there = (const char *)a->value + (size_t)other * a->size + (address - a->address[other]);
    else if (!k->global) there = k->w->block->shared + address;
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
            race_side side = {linear, cell_warp(e) * 32 + other[j], cell_slot(e)};
            race_say(k->w, access_of(k), me[i], address, &side, wrote, wrote && same_value(k, e, me[i], other[j], address, bytes));
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
    } else if (k->global) { /* two others: keep readers of two blocks, so that any writer has one to race with */
        uint64_t x = k->epochs[cell_stamp(e)].linear, y = k->epochs[cell_stamp(f)].linear;
        if (x == y && x != k->o->linear) {
            c->r1 = e;
            c->r0 = key;
            y = k->o->linear;
        }
        if (x != y) *settled |= bit;
    }
}

static inline void touch(look *k, cell *c, uint64_t address, uint32_t bytes, uint32_t a, uint32_t b, uint32_t *settled, uint32_t bit)
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
        race_side side = {k->o->linear, k->w->index * 32 + a, access_of(k)->in->slot};
        race_say(k->w, k->a, b, address, &side, true, same_value(k, key, b, a, address, bytes));
    }
    c->w = key;
    if (!k->strong) {
        c->r0 = c->r1 = 0;
        *settled &= ~bit;
    }
}

/* ---- pages ---- */

static page *page_at(const look *k, uint64_t offset)
{
    if (!k->global) return &k->o->pages[offset >> PAGE_BITS];
    page **slot = &k->pages[offset >> PAGE_BITS];
    if (!*slot) {
        *slot = race_memory(k->o->worker, sizeof **slot);
        if (*slot) (*slot)->shift = 2;
    }
    return *slot;
}

static size_t word_bytes(uint32_t shift) { return ((size_t)PAGE_BYTES >> shift) * sizeof(cell); }

static uint64_t lane_of_word(uint64_t e, uint32_t i)
{
    if (!e) return 0;
    uint32_t wide = cell_b(e) - cell_a(e), k = wide == 31 ? 0 : wide == 15 ? 1 : 2;
    uint32_t lane = (cell_a(e) + (i >> k)) & 31;
    return (e & ~UINT64_C(0x7fe)) | CELL_LANES(lane, lane);
}

/* From segments to words, or from words to bytes. */
static bool spread(const look *k, page *p, uint32_t shift)
{
    race_worker *owner = k->o->worker;
    cell *word = race_memory(owner, word_bytes(shift));
    if (!word) return false;
    uint32_t count = PAGE_BYTES >> shift;
    if (p->word) {
        for (uint32_t i = 0; i < count; i++) word[i] = p->word[i << shift >> p->shift];
        race_memory_free(owner, p->word, word_bytes(p->shift));
    } else {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t in_segment = (i << shift & ((1 << SEGMENT_BITS) - 1)) >> 2;
            const cell *s = &p->segment[i << shift >> SEGMENT_BITS];
            if (!(s->w | s->r0 | s->r1)) continue;
            word[i] = (cell){lane_of_word(s->w, in_segment), lane_of_word(s->r0, in_segment), lane_of_word(s->r1, in_segment)};
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
        uint32_t *settled = &p->settled[segment];
        if (!k->reads) p->written |= 1u << segment;
        else if ((*settled & bit) && !(p->written >> segment & 1)) {
            done += 4 - (uint32_t)((offset + done) & 3);
            continue;
        }
        if (!p->word || (bytes && p->shift)) {
            if (!spread(k, p, bytes ? 0 : 2)) return false;
        }
        uint32_t unit = 1u << p->shift;
        touch(k, &p->word[((offset + done) & (PAGE_BYTES - 1)) >> p->shift], address + done, unit, a, b, settled, p->shift ? bit : 0);
        done += unit;
    }
    return true;
}

/* ---- words, quickly ---- */

/* What touch does, for the cases that end well without a call; false: nothing was done. */
static inline bool quick_read(const look *k, cell *c, uint64_t key)
{
    if (!fine(k, c->w, key)) return false;
    uint64_t e = c->r0, f = c->r1;
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
    if (before(k, f) || same_warp(k, f)) {
        c->r1 = e;
        c->r0 = key;
        return true;
    }
    return !k->global;
}

static inline bool quick_write(const look *k, cell *c, uint64_t key)
{
    if (!fine(k, c->w, key) || !fine(k, c->r0, key) || !fine(k, c->r1, key)) return false;
    *c = (cell){key, 0, 0};
    return true;
}

/* `lanes` lanes, `size` bytes each (4, 8 or 16), one after the other from lane `from` on, and with each the one `twin` further.
 * False: nothing was done. */
static bool quick_run(look *k, uint64_t address, uint32_t size, uint32_t lanes, uint32_t from, uint32_t twin)
{
    uint64_t offset = address - k->base;
    uint32_t within = (uint32_t)offset & (PAGE_BYTES - 1), each = size / 4;
    if ((size & 3) || (offset & 3) || k->strong || within + lanes * size > PAGE_BYTES || (twin && !k->reads)) return false;
    page *p = page_at(k, offset);
    if (!p || p->shift != 2 || (!p->word && !spread(k, p, 2))) return false;
    cell *c = &p->word[within >> 2];
    uint64_t key = k->key | CELL_LANES(from, from + twin);
    if (k->reads) {
        for (uint32_t l = 0; l < lanes; l++, key += CELL_LANES(1, 1))
            for (uint32_t i = 0; i < each; i++, c++) {
                if (SIM_LIKELY(quick_read(k, c, key))) continue;
                uint32_t at = (uint32_t)(c - p->word);
                touch(k, c, address + 4 * (l * each + i), 4, from + l, from + l + twin, &p->settled[at >> 5], 1u << (at & 31));
            }
        return true;
    }
    for (uint32_t l = 0; l < lanes; l++, key += CELL_LANES(1, 1))
        for (uint32_t i = 0; i < each; i++, c++) {
            if (SIM_LIKELY(quick_write(k, c, key))) continue;
            uint32_t at = (uint32_t)(c - p->word);
            touch(k, c, address + 4 * (l * each + i), 4, from + l, from + l, &p->settled[at >> 5], 1u << (at & 31));
        }
    for (uint32_t i = within >> SEGMENT_BITS; i <= (within + lanes * size - 1) >> SEGMENT_BITS; i++) {
        p->written |= 1u << i;
        p->settled[i] = 0;
    }
    return true;
}

/* Lanes a to b at one word. */
static inline bool touch_word(look *k, uint64_t address, uint32_t a, uint32_t b)
{
    uint64_t offset = address - k->base;
    page *p = page_at(k, offset);
    if (SIM_UNLIKELY(!p || p->shift != 2 || !p->word || (offset & 3) || k->strong)) return touch_words(k, address, 4, a, b);
    uint32_t at = ((uint32_t)offset & (PAGE_BYTES - 1)) >> 2;
    uint64_t key = k->key | CELL_LANES(a, b);
    if (k->reads) {
        if ((p->settled[at >> 5] >> (at & 31) & 1) && !(p->written >> (at >> 5) & 1)) return true;
        if (SIM_LIKELY(quick_read(k, &p->word[at], key))) return true;
    } else {
        p->written |= 1u << (at >> 5);
        p->settled[at >> 5] &= ~(1u << (at & 31));
        if (SIM_LIKELY(a == b && quick_write(k, &p->word[at], key))) return true;
    }
    touch(k, &p->word[at], address, 4, a, b, &p->settled[at >> 5], 1u << (at & 31));
    return true;
}

/* ---- whole segments ---- */

/* May the cell of a segment take this access as one, with all that it remembers either before the barrier, strong, or of the
 * same lanes in the same order? */
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
        p->written |= 1u << i;
    }
    return true;
}

/* 32 lanes, one after the other, on whole segments: 1, 2 or 4 of them. */
static bool touch_row(look *k, uint64_t offset, uint64_t address, uint32_t size)
{
    uint32_t segments = size / 4, lanes = 32 / segments;
    for (uint32_t s = 0; s < segments; s++, offset += 1 << SEGMENT_BITS, address += 1 << SEGMENT_BITS) {
        page *p = page_at(k, offset);
        if (!p) return false;
        if (touch_segment(k, p, (uint32_t)(offset & (PAGE_BYTES - 1)) >> SEGMENT_BITS, s * lanes, s * lanes + lanes - 1)) continue;
        if (quick_run(k, address, size, lanes, s * lanes, 0)) continue;
        for (uint32_t l = s * lanes; l < (s + 1) * lanes; l++)
            if (!touch_words(k, address + (l - s * lanes) * size, size, l, l)) return false;
    }
    return true;
}

static bool touch_lanes(look *k, uint32_t mask)
{
    const access *a = k->a;
    if (a->size == 4) {
        while (mask) {
            uint32_t first = (uint32_t)check_first(mask), last = first;
            mask &= mask - 1;
            while (last < 31 && (mask >> (last + 1) & 1) && a->address[last + 1] == a->address[first]) {
                last++;
                mask &= mask - 1;
            }
            if (!touch_word(k, a->address[first], first, last)) return false;
        }
        return true;
    }
    while (mask) {
        uint32_t first = (uint32_t)check_first(mask), last = first;
        mask &= mask - 1;
        while (last < 31 && (mask >> (last + 1) & 1) && a->address[last + 1] == a->address[first]) {
            last++;
            mask &= mask - 1;
        }
        if (!touch_words(k, a->address[first], a->size, first, last)) return false;
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

static page **pages_of(race_worker *k, const alloc *al)
{
    race_alloc *r = al->shadow;
    if (!r) return NULL; /* made while the launch ran */
    page ***mine_too = &r->by_worker[k - k->state->worker];
    if (!*mine_too) *mine_too = race_memory(k, (size_t)r->pages * sizeof **mine_too);
    return *mine_too;
}

static bool look_global(look *k, const alloc *al)
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
        else
            touch_lanes(k, a->mask);
        return;
    }
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const alloc *al = memory_at(&o->worker->state->l->s->mem, a->address[check_first(m)]);
        if (al && look_global(k, al)) touch_lanes(k, m & (~m + 1));
    }
}

static void access_shared(look *k, const pattern *p)
{
    const access *a = k->a;
    start_shared(k);
    if (p->high > (uint64_t)k->o->page_count << PAGE_BITS) return;
    if (p->contiguous && !(p->low & ((1 << SEGMENT_BITS) - 1)) && (a->size == 4 || a->size == 8 || a->size == 16))
        touch_row(k, p->low, p->low, a->size);
    else
        touch_lanes(k, a->mask);
}

static inline void start_look(look *k, const insn *in, uint8_t kind, uint8_t order)
{
    uint32_t slot = in->slot <= 0xffff ? in->slot : 0;
    k->reads = kind == ACCESS_READ;
    k->strong = kind == ACCESS_ATOMIC || (order & ORDER_MASK) != ORDER_WEAK;
    k->key = (uint64_t)slot << 16 | (uint64_t)k->w->index << 11 | (k->strong ? CELL_STRONG : 0);
}

void race_access(warp *w, const access *a, const pattern *p)
{
    struct block_order *o = w->block->order;
    if (!o || (a->space != SPACE_SHARED && a->space != SPACE_GLOBAL)) return;
    look k = {.w = w, .a = a, .o = o};
    start_look(&k, a->in, a->kind, a->order);
    if (a->space == SPACE_SHARED) access_shared(&k, p);
    else access_global(&k, p);
    if (k.strong) race_synchronise(w, a);
}

/* Sixteen lanes, one after the other, from lane `from` on; for a read that both halves do alike, lanes l and l + 16 at once. */
static bool touch_run(look *k, uint64_t address, uint32_t size, uint32_t from, uint32_t twin)
{
    if (quick_run(k, address, size, 16, from, twin)) return true;
    for (uint32_t l = 0; l < 16; l++, address += size)
        if (!touch_words(k, address, size, from + l, from + l + twin)) return false;
    return true;
}

void race_halves(warp *w, const warp_halves *h)
{
    struct block_order *o = w->block->order;
    access room;
    if (!o) return;
    look k = {.w = w, .h = h, .expanded = &room, .o = o};
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
        if (same) touch_word(&k, h->at[0], 0, 31);
        else if (touch_word(&k, h->at[0], 0, 15)) touch_word(&k, h->at[1], 16, 31);
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

/* ---- blocks ---- */

static void order_free(struct block_order *o)
{
    race_worker *k = o->worker;
    for (uint32_t i = 0; o->pages && i < o->page_count; i++) race_memory_free(k, o->pages[i].word, word_bytes(o->pages[i].shift));
    race_memory_free(k, o->pages, o->page_count * sizeof *o->pages);
    for (int level = 0; level < 2; level++) {
        for (uint32_t t = 0; o->pub[level] && t < o->warps * 32; t++)
            race_memory_free(k, o->pub[level][t].more, o->warps * 32 * sizeof(uint32_t));
        race_memory_free(k, o->pub[level], o->warps * 32 * sizeof(published));
        race_memory_free(k, o->shown[level], o->warps * 32 * sizeof(uint32_t));
    }
    race_memory_free(k, o->known, sizeof *o->known * 32);
    race_memory_free(k, o->warp, o->warps * sizeof *o->warp);
    race_memory_free(k, o->edges, o->edge_capacity * sizeof *o->edges);
    sync_set_free(k, &o->sync);
    race_memory_free(k, o, sizeof *o);
}

static struct block_order *order_new(race_worker *k, const block *b)
{
    if (k->order_count == k->order_capacity) {
        uint32_t more = k->order_capacity ? k->order_capacity * 2 : 16;
        struct block_order **list = realloc(k->orders, more * sizeof *list);
        if (!list) return NULL;
        k->orders = list;
        k->order_capacity = more;
    }
    struct block_order *o = race_memory(k, sizeof *o);
    if (!o) return NULL;
    k->orders[k->order_count++] = o;
    o->worker = k;
    o->warps = b->warp_count;
    o->page_count = (b->shared_bytes + PAGE_BYTES - 1) >> PAGE_BITS;
    o->pages = race_memory(k, o->page_count * sizeof *o->pages);
    o->warp = race_memory(k, o->warps * sizeof *o->warp);
    o->shown_one[0] = o->shown_one[1] = NOBODY;
    if (!o->pages || !o->warp) return NULL; /* freed with the launch */
    for (uint32_t i = 0; i < o->page_count; i++) o->pages[i].shift = 2;
    return o;
}

/* The clock is about to run out: forget everything, which no thread of a new block minds. */
static void order_rewind(struct block_order *o)
{
    for (uint32_t i = 0; i < o->page_count; i++) {
        race_memory_free(o->worker, o->pages[i].word, word_bytes(o->pages[i].shift));
        o->pages[i] = (page){.shift = 2};
    }
    memset(o->warp, 0, o->warps * sizeof *o->warp);
    if (o->known) memset(o->known, 0, sizeof *o->known * 32);
    for (int level = 0; level < 2; level++) {
        for (uint32_t t = 0; o->pub[level] && t < o->warps * 32; t++)
            o->pub[level][t] = (published){.more = o->pub[level][t].more};
        if (o->shown[level]) memset(o->shown[level], 0, o->warps * 32 * sizeof(uint32_t));
        o->shown_all[level] = 0;
    }
    o->time = 0;
}

bool race_block_start(block *b)
{
    race_worker *k = &b->worker->launch->race->worker[b->worker->index];
    struct block_order *o = k->spare;
    if (o) k->spare = o->next_spare;
    else o = order_new(k, b);
    if (!o) return false;
    if (o->time > UINT32_MAX / 2) order_rewind(o);
    o->b = b;
    o->linear = b->linear;
    o->full = o->start = o->last_meeting = o->time;
    o->first_epoch = o->last_epoch = o->full_epoch = 0;
    o->mixed = o->named = o->fenced = o->fences = false;
    o->shown_one[0] = o->shown_one[1] = NOBODY;
    o->edge_count = 0;
    memset(o->arrived, 0, sizeof o->arrived);
    for (uint32_t i = 0; i < o->warps; i++) o->warp[i].partial = false;
    sync_set_clear(k, &o->sync);
    race_advance(o);
    b->order = o;
    for (uint32_t i = 0; i < b->warp_count; i++) b->warps[i].order = &o->warp[i];
    return true;
}

void race_block_end(block *b)
{
    struct block_order *o = b->order;
    if (!o) return;
    b->order = NULL;
    o->next_spare = o->worker->spare;
    o->worker->spare = o;
}

/* ---- launches ---- */

bool race_launch_start(launch *l, int workers)
{
    struct race_state *s = calloc(1, sizeof *s);
    if (!s) return false;
    l->race = s;
    s->l = l;
    s->workers = workers;
    s->limit = (UINT64_C(3) << 30) / (uint64_t)workers;
    s->worker = calloc((size_t)workers, sizeof *s->worker);
    s->slot_pc = calloc((size_t)l->code->slots + 1, sizeof *s->slot_pc);
    const memory *mem = &l->s->mem;
    s->allocs = calloc((size_t)mem->count + 1, sizeof *s->allocs);
    bool ok = s->worker && s->slot_pc && s->allocs;
    for (int i = 0; ok && i < workers; i++) s->worker[i].state = s;
    for (uint32_t i = 0; ok && i < mem->count; i++) {
        alloc *al = mem->list[i];
        al->shadow = NULL;
        if (al->freed || al->is_const) continue;
        race_alloc *r = calloc(1, sizeof *r);
        if (r) r->by_worker = calloc((size_t)workers, sizeof *r->by_worker);
        if (r) s->allocs[s->alloc_count++] = r;
        ok = r && r->by_worker;
        if (!ok) break;
        r->pages = (al->size + PAGE_BYTES - 1) >> PAGE_BITS;
        al->shadow = r;
    }
    if (!ok) {
        race_launch_finish(l);
        return false;
    }
    for (uint32_t pc = 0; pc < l->code->count; pc++)
        if (l->code->info[pc].slot && l->code->info[pc].slot <= l->code->slots) s->slot_pc[l->code->info[pc].slot] = pc;
    return true;
}

static void worker_end(struct race_state *s, race_worker *k)
{
    for (uint32_t i = 0; i < k->order_count; i++) order_free(k->orders[i]);
    free(k->orders);
    sync_set_free(k, &k->sync);
    for (uint32_t i = 0; i < k->kept_count; i++) free(k->kept[i]);
    free(k->kept);
    free(k->epochs);
    for (uint32_t i = 0; i < s->alloc_count; i++) {
        page **list = s->allocs[i]->by_worker ? s->allocs[i]->by_worker[k - s->worker] : NULL;
        if (!list) continue;
        for (uint64_t j = 0; j < s->allocs[i]->pages; j++)
            if (list[j]) {
                free(list[j]->word);
                free(list[j]);
            }
        free(list);
    }
}

void race_launch_finish(launch *l)
{
    struct race_state *s = l->race;
    if (!s) return;
    memory *mem = &l->s->mem;
    for (uint32_t i = 0; i < mem->count; i++) mem->list[i]->shadow = NULL;
    uint64_t bytes = 0;
    bool blind = false;
    for (int i = 0; s->worker && i < s->workers; i++) {
        race_say_rest(l, &s->worker[i]);
        bytes += s->worker[i].peak;
        blind = blind || s->worker[i].blind;
    }
    if (blind) race_say_blind(l, s->limit * (uint64_t)s->workers);
    if (bytes > l->result->checker_bytes) l->result->checker_bytes = bytes;
    for (int i = 0; s->worker && i < s->workers; i++) worker_end(s, &s->worker[i]);
    for (uint32_t i = 0; i < s->alloc_count; i++) {
        free(s->allocs[i]->by_worker);
        free(s->allocs[i]);
    }
    free(s->allocs);
    free(s->slot_pc);
    free(s->worker);
    free(s);
    l->race = NULL;
}
