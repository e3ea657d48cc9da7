/* unknown_memory.c: unknown bits in memory, and on their way between memory and registers. unknown.h says
 * what for.
 *
 * An access of a careful warp is examined byte by byte and lane by lane, in the order in which
 * lanes take effect. Loads deliver the unknown bits of memory to their registers, stores bring
 * those of registers to memory. How the bytes of a lane map to registers depends on the
 * instruction.
 */
#include "unknown.h"
#include "unknown_memory.h"
#include "chains.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 16 /* per lane */, MOST_KEPT = 1 << 16 };

/* ---- pieces of memory ---- */

/* where a lane's bytes are found */
typedef struct piece {
    uint64_t *map; /* NULL: all bytes are known */
    struct known_bits *known_bits;
    uint64_t at;
    alloc *al; /* global */
    block *of; /* shared */
    uint8_t space;
} piece;

static uint64_t *map_of_alloc(alloc *al)
{
    return atomic_load_explicit((uint64_t * _Atomic *)(void *)&al->init, memory_order_acquire);
}

static struct known_bits *known_bits_of_alloc(alloc *al)
{
    return atomic_load_explicit((struct known_bits * _Atomic *)(void *)&al->known_bits, memory_order_acquire);
}

static bool find_piece(const warp *w, uint8_t space, alloc *al, int lane, uint64_t at, piece *p)
{
    uint32_t rank, offset;
    *p = (piece){.at = at, .space = space, .of = w->block};
    switch (space) {
    case SPACE_CLUSTER:
        shared_cluster_split((uint32_t)at, &rank, &offset);
        p->of = block_peer(w->block, rank);
        if (!p->of) return false;
        p->at = offset;
        p->space = SPACE_SHARED;
        /* fallthrough */
    case SPACE_SHARED:
        p->map = p->of->shared_init;
        p->known_bits = p->of->known_bits;
        return true;
    case SPACE_LOCAL:
        p->at += (uint64_t)lane * w->local_stride;
        p->map = w->local_init;
        p->known_bits = w->known_bits;
        return true;
    case SPACE_GLOBAL:
        p->al = al ? al : memory_at(&w->worker->launch->s->mem, at);
        if (!p->al || p->al->freed) return false;
        p->at -= p->al->start;
        p->map = map_of_alloc(p->al);
        p->known_bits = known_bits_of_alloc(p->al);
        return true;
    default: return false;
    }
}

static bool piece_of(const warp *w, const access *a, int lane, piece *p)
{
    const bool far = a->of && a->of != w->block;
    const uint64_t at = far ? shared_cluster_address(w->block, a->of, (uint32_t)a->address[lane]) : a->address[lane];
    return find_piece(w, far ? SPACE_CLUSTER : a->space, a->al, lane, at, p);
}

static bool is_whole(const piece *p, uint64_t i)
{
    return !p->map || init_word(&p->map[(p->at + i) >> 6]) >> ((p->at + i) & 63) & 1;
}

/* The unknown bits of byte i. */
static uint8_t unknown_of(const piece *p, uint64_t i)
{
    if (is_whole(p, i)) return 0;
    return p->known_bits ? (uint8_t)~p->known_bits->known[p->at + i] : 0xff;
}

static void set_whole(const piece *p, uint64_t i, bool whole, bool parallel)
{
    _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)&p->map[(p->at + i) >> 6];
    const uint64_t bit = UINT64_C(1) << ((p->at + i) & 63), old = atomic_load_explicit(word, memory_order_relaxed);
    if (!(old & bit) == !whole) return;
    if (!parallel) atomic_store_explicit(word, old ^ bit, memory_order_relaxed);
    else if (whole) atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
    else atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed);
}

static struct known_bits *known_bits_new(uint64_t bytes, bool keeps)
{
    struct known_bits *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->bytes = bytes;
    d->known = calloc((size_t)bytes + 1, 1);
    d->from = calloc((size_t)bytes / 4 + 1, sizeof *d->from);
    d->kept = keeps ? calloc(MOST_KEPT, sizeof *d->kept) : NULL; /* unused pages cost nothing */
    if (!d->known || !d->from || (keeps && !d->kept)) known_bits_forget(&d);
    return d;
}

void known_bits_forget(struct known_bits **d)
{
    if (!*d) return;
    free((*d)->known);
    free((*d)->from);
    free((*d)->kept);
    free(*d);
    *d = NULL;
}

bool known_bits_keep(const struct known_bits *d, struct known_bits **copy)
{
    *copy = NULL;
    if (!d) return true;
    struct known_bits *c = known_bits_new(d->bytes, false);
    if (!c) return false;
    memcpy(c->known, d->known, (size_t)d->bytes);
    memcpy(c->from, d->from, ((size_t)d->bytes / 4 + 1) * sizeof *d->from);
    *copy = c;
    return true;
}

void known_bits_back(struct known_bits *d, const struct known_bits *copy)
{
    memcpy(d->known, copy->known, (size_t)d->bytes);
    memcpy(d->from, copy->from, ((size_t)d->bytes / 4 + 1) * sizeof *d->from);
}

/* Blocks on several host threads may need it at once: one of them makes it. */
static void publish(void *at, void *made, void (*drop)(void *))
{
    void *none = NULL;
    if (!atomic_compare_exchange_strong((void *_Atomic *)at, &none, made)) drop(made);
}

static void drop_known_bits(void *d)
{
    struct known_bits *p = d;
    known_bits_forget(&p);
}

/* Makes room to mark bytes of the piece as unknown. */
static bool make_room(warp *w, const insn *in, piece *p)
{
    if (p->al && !p->map) {
        const size_t words = (size_t)INIT_WORDS(p->al->size);
        uint64_t *map = malloc(words * sizeof *map);
        if (map) {
            memset(map, 0xff, words * sizeof *map);
            publish(&p->al->init, map, free);
        }
        p->map = map_of_alloc(p->al);
    }
    if (!p->known_bits) {
        struct known_bits *made = known_bits_new(p->al                      ? p->al->size
                                                 : p->space == SPACE_SHARED ? p->of->shared_bytes
                                                                            : (uint64_t)w->local_stride * 32,
                                                 p->al);
        if (p->al) {
            if (made) publish(&p->al->known_bits, made, drop_known_bits);
            p->known_bits = known_bits_of_alloc(p->al);
        } else {
            p->known_bits = *(p->space == SPACE_SHARED ? &p->of->known_bits : &w->known_bits) = made;
        }
    }
    if (p->map && p->known_bits) return true;
    fault_raise(w, in, SIM_FAULT_HOST_LIMIT, -1, w->mask, "", 0, 0,
                "the host has too little memory to track unknown values");
    return false;
}

/* ---- origins in memory ---- */

/* The number under which known_bits of global memory keep an origin; 0: there is no room. */
static uint32_t keep_origin(const warp *w, struct known_bits *d, const origin *o)
{
    const launch *l = w->worker->launch;
    if (!o) return 0;
    const uint32_t last = d->count < MOST_KEPT ? d->count : MOST_KEPT;
    for (uint32_t i = last > 32 ? last - 32 : 0; i < last; i++) {
        const kept_origin *k = &d->kept[i];
        if (k->launch == l->s->launches && k->o.pc == o->pc && k->o.address == o->address && k->o.block == o->block &&
            k->o.thread == o->thread)
            return i + 1;
    }
    const uint32_t at = d->count < MOST_KEPT ? atomic_fetch_add(&d->count, 1) : MOST_KEPT;
    if (at >= MOST_KEPT) return 0;
    kept_origin *k = &d->kept[at];
    k->o = *o;
    k->launch = l->s->launches;
    k->module = l->module;
    origin_what(w, o, k->what, sizeof k->what);
    origin_place(l, o, &k->at);
    return at + 1;
}

/* Where the first unknown bit of a load came from: an origin stored with it, otherwise this
 * load. */
static uint32_t origin_of(const warp *w, const access *a, int lane, const piece *p, uint64_t missing)
{
    const launch *l = w->worker->launch;
    const uint32_t from = p->known_bits && p->known_bits->known ? p->known_bits->from[(p->at + missing) / 4] : 0;
    bool earlier = false;
    if (from && p->al) {
        const kept_origin *k = &p->known_bits->kept[from - 1];
        earlier = k->launch != l->s->launches;
        if (!earlier) return origin_new(w->worker, &k->o);
    } else if (from) {
        return from;
    }
    const origin o = {.pc = (uint32_t)(a->in - l->code->insns),
                      .address = a->address[lane],
                      .size = a->size,
                      .missing = (uint32_t)missing,
                      .block = w->block->linear,
                      .thread = w->index * 32 + (uint32_t)lane,
                      .space = a->space,
                      .earlier = earlier};
    return origin_new(w->worker, &o);
}

static void set_bytes(const warp *w, const piece *p, const uint8_t *unknown, uint32_t bytes, uint32_t from)
{
    const bool parallel = p->al && w->worker->bet;
    uint32_t here = from;
    bool asked = !p->al;
    for (uint32_t i = 0; i < bytes && p->map; i++) {
        if (unknown[i]) {
            if (!asked) here = keep_origin(w, p->known_bits, origin_find(w->worker, from));
            asked = true;
            p->known_bits->known[p->at + i] = (uint8_t)~unknown[i];
            p->known_bits->from[(p->at + i) / 4] = here;
        }
        set_whole(p, i, !unknown[i], parallel);
    }
}

/* ---- between a lane's bytes and its registers ---- */

static const code_info *info_of(const warp *w, const insn *in)
{
    return &w->worker->launch->code->info[in - w->worker->launch->code->insns];
}

static void deliver_element(warp *w, const insn *in, uint32_t place, int lane, uint64_t low, uint64_t high,
                            uint32_t from)
{
    row r;
    memset(&r, 0, sizeof r);
    row_lane(&r, lane, low, high, from);
    row_put(w, info_of(w, in), place, UINT32_C(1) << lane, &r);
}

/* Elements of a load go to registers one by one, widened like the values. */
static void deliver_elements(warp *w, const insn *in, int lane, const uint8_t *unknown, uint32_t from)
{
    const ptx_insn *src = info_of(w, in)->src;
    const bool is_signed = src->op != OP_ATOM && ptx_types[src->type[src->type_count - 1]].kind == 'S';
    for (uint32_t k = 0; k < in->count; k++) {
        uint64_t v[2] = {0};
        memcpy(v, unknown + k * in->size, in->size);
        if (is_signed && in->size < 8 && v[0] >> (8 * in->size - 1) & 1) v[0] |= UINT64_MAX << 8 * in->size;
        deliver_element(w, in, in->o[k], lane, v[0], v[1], from);
    }
}

/* ldmatrix: the lane's 16 bytes are a row, of which four lanes get two elements each; with .trans
 * eight lanes get one each. */
static void deliver_row(warp *w, const insn *in, int lane, const uint8_t *unknown, uint32_t from)
{
    const uint32_t matrix = (uint32_t)lane / 8, r = (uint32_t)lane % 8,
                   place = unknown_place(info_of(w, in), in, 5 + matrix);
    for (uint32_t column = 0; column < 8; column++) {
        const bool turned = ptx_has(info_of(w, in)->src, S_TRANS);
        const uint32_t i = turned ? column : r, j = turned ? r : column; /* in the registers */
        const int to = (int)(4 * i + j / 2);
        uint16_t half;
        row d;
        memcpy(&half, unknown + 2 * column, sizeof half);
        if (!half) continue;
        row_get(w, info_of(w, in), place, &d);
        row_lane(&d, to, d.bits[to][0] | (uint64_t)half << 16 * (j & 1), 0, from);
        row_put(w, info_of(w, in), place, UINT32_C(1) << to, &d);
    }
}

static void deliver(warp *w, const insn *in, int lane, const uint8_t *unknown, bool any, uint32_t from)
{
    switch (info_of(w, in)->src->op) {
    case OP_LD:
    case OP_LDU: deliver_elements(w, in, lane, unknown, from); return;
    case OP_LDMATRIX:
        if (any) deliver_row(w, in, lane, unknown, from);
        return;
    default:
        if (any) unknown_add(w, in, lane, from);
    }
}

/* The unknown bits of the `bytes` bytes that a lane stores. */
static bool bring(const warp *w, const insn *in, int lane, uint8_t *unknown, uint32_t bytes, uint32_t *from)
{
    const code_info *info = info_of(w, in);
    bool any = false;
    memset(unknown, 0, bytes);
    if (info->src->op == OP_ST) {
        for (uint32_t k = 0; k < in->count; k++) {
            row r;
            if (!row_get(w, info, in->o[k], &r) || !(r.lanes >> lane & 1)) continue;
            memcpy(unknown + k * in->size, r.bits[lane], in->size);
            bool more = false;
            for (uint32_t i = 0; i < in->size; i++) more |= unknown[k * in->size + i] != 0;
            if (more && !any) *from = r.from[lane];
            any |= more;
        }
        return any;
    }
    if (info->src->op == OP_STMATRIX) { /* row lane % 8 of matrix lane / 8 */
        const bool turned = ptx_has(info->src, S_TRANS);
        row r;
        if (!row_get(w, info, unknown_place(info, in, 5 + (uint32_t)lane / 8), &r)) return false;
        for (uint32_t column = 0; column < 8; column++) {
            const uint32_t i = turned ? column : (uint32_t)lane % 8, j = turned ? (uint32_t)lane % 8 : column;
            const int source = (int)(4 * i + j / 2);
            const uint16_t half = (uint16_t)(r.bits[source][0] >> 16 * (j & 1));
            memcpy(unknown + 2 * column, &half, sizeof half);
            if (half && !any) *from = r.from[source];
            any |= half != 0;
        }
        return any;
    }
    if (info->src->op == OP_CP || info->src->op == OP_MBARRIER) return false; /* init_copied; known */
    if (unknown_source(w, in, lane, from)) {
        memset(unknown, 0xff, bytes);
        any = true;
    }
    return any;
}

/* ---- accesses ---- */

static bool read_lane(warp *w, const access *a, int lane)
{
    uint8_t unknown[MOST_BYTES] = {0};
    uint32_t first = a->size, from = 0;
    piece p;
    if (a->size > MOST_BYTES) return true; /* a bulk copy: init_copied */
    if (piece_of(w, a, lane, &p))
        for (uint32_t i = 0; i < a->size; i++) {
            unknown[i] = unknown_of(&p, i);
            if (unknown[i] && first == a->size) first = i;
        }
    if (first < a->size) from = origin_of(w, a, lane, &p, first);
    deliver(w, a->in, lane, unknown, first < a->size, from);
    return true;
}

/* Stored to global memory and completely unknown: not (only) the gaps of a struct. */
static bool nothing_known(const insn *in, const uint8_t *unknown, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (unknown[i] != 0xff) return false;
    return in->size != 0;
}

static bool write_lane(warp *w, const access *a, int lane)
{
    uint8_t unknown[MOST_BYTES] = {0};
    uint32_t from = 0;
    piece p;
    if (!piece_of(w, a, lane, &p)) return true;
    if (a->size > MOST_BYTES || !bring(w, a->in, lane, unknown, a->size, &from)) {
        for (uint32_t i = 0; i < a->size && p.map; i++) set_whole(&p, i, true, p.al && w->worker->bet);
        return true;
    }
    if (!make_room(w, a->in, &p)) return false;
    set_bytes(w, &p, unknown, a->size, from);
    if (a->space == SPACE_GLOBAL && nothing_known(a->in, unknown, a->size))
        origin_remark(w, a->in, lane, origin_find(w->worker, from));
    return true;
}

/* An atomic operation on one element: the old bits are returned, and the new ones are unknown as
 * far as they depend on something unknown. */
static bool combine(warp *w, const access *a, int lane, uint32_t k, const row *b, const row *c)
{
    const insn *in = a->in;
    const ptx_insn *src = info_of(w, in)->src;
    const uint32_t size = in->size;
    uint64_t old[2] = {0}, with[2] = {0}, third[2] = {0}, next[2];
    uint8_t bytes[MOST_BYTES];
    uint32_t from = 0, missing = size;
    piece p;
    if (!piece_of(w, a, lane, &p)) return true;
    p.at += k * size;
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = unknown_of(&p, i);
        if (bytes[i] && missing == size) missing = i;
    }
    memcpy(old, bytes, size);
    memcpy(with, b->bits[lane], size);
    memcpy(third, c->bits[lane], size);
    const bool was = old[0] | old[1];
    if (was) {
        piece whole = p;
        whole.at -= k * size;
        from = origin_of(w, a, lane, &whole, k * size + missing);
    } else if (b->lanes >> lane & 1) {
        from = b->from[lane];
    } else {
        from = c->from[lane];
    }
    const bool any = was || with[0] | with[1];
    /* the unknown decides whether it swaps */
    if (any && ptx_has(src, S_CAS))
        return origin_fault(w, in, UINT32_C(1) << lane, from, "decides a compare-and-swap by");
    for (int i = 0; i < 2; i++) {
        if (ptx_has(src, S_EXCH)) next[i] = with[i];
        else if (ptx_has(src, S_CAS)) next[i] = third[i];
        else if (ptx_has(src, S_AND) || ptx_has(src, S_OR) || ptx_has(src, S_XOR)) next[i] = old[i] | with[i];
        else next[i] = any ? UINT64_MAX : 0;
    }
    /* Bits that the operand alone decides. */
    const bool is_and = ptx_has(src, S_AND);
    if ((is_and || ptx_has(src, S_OR)) && size <= 8) {
        uint64_t value = 0;
        memcpy(&value, w->base[in->o[5] & 1] + in->o[5] + (size_t)lane * size, size);
        next[0] &= ~((is_and ? ~value : value) & ~with[0]);
    }
    if (!a->no_result && in->o[k] != UINT32_MAX) deliver_element(w, in, in->o[k], lane, old[0], old[1], from);
    memcpy(bytes, next, size);
    bool doubtful = false;
    for (uint32_t i = 0; i < size; i++) doubtful |= bytes[i] != 0;
    if (doubtful && !make_room(w, in, &p)) return false;
    if (doubtful && p.al) fault_filmed(w->worker->launch, SIM_FAULT_UNINITIALISED, lane, a->address[lane], size);
    set_bytes(w, &p, bytes, size, from);
    return true;
}

static bool atomic_lanes(warp *w, const access *a)
{
    static const uint8_t places[4] = {5, 6, 7, 3}; /* elements of b (exec/atomic.c) */
    const code_info *info = info_of(w, a->in);
    for (uint32_t k = 0; k < a->in->count; k++) {
        row b, c;
        row_get(w, info, a->in->o[places[k & 3]], &b);
        row_get(w, info, ptx_has(info->src, S_CAS) ? a->in->o[6] : UINT32_MAX, &c);
        for (uint32_t m = a->mask; m; m &= m - 1)
            if (!combine(w, a, first_lane(m), k, &b, &c)) return false;
    }
    return true;
}

bool unknown_access(warp *w, const access *a)
{
    const enum ptx_op op = info_of(w, a->in)->src->op;
    if (a->kind == ACCESS_ATOMIC) {
        if (op == OP_ATOM || op == OP_RED) return atomic_lanes(w, a);
        for (uint32_t m = a->mask; m; m &= m - 1)
            if (!init_looked_at(w, a->in, first_lane(m), a->space, a->address[first_lane(m)], a->size, "changes"))
                return false;
        return true;
    }
    if (op == OP_CP && a->kind == ACCESS_READ) return true;
    for (uint32_t m = a->mask; m; m &= m - 1)
        if (a->kind == ACCESS_READ ? !read_lane(w, a, first_lane(m)) : !write_lane(w, a, first_lane(m))) return false;
    return true;
}

/* ---- what the machine itself does ---- */

void init_copied(warp *w, const insn *in, int lane, uint8_t to_space, uint64_t to, uint8_t from_space, uint64_t from,
                 uint32_t bytes)
{
    piece a, b;
    uint8_t unknown[MOST_BYTES];
    if (!find_piece(w, to_space, NULL, lane, to, &a) || !find_piece(w, from_space, NULL, lane, from, &b)) return;
    if (!b.map || init_all(b.map, b.at, bytes)) return; /* mostly: the write has been reported */
    access read = {.in = in, .space = from_space, .size = bytes};
    read.address[lane] = from;
    for (uint32_t done = 0, here; done < bytes; done += here, a.at += here, b.at += here) {
        uint32_t missing = MOST_BYTES;
        here = bytes - done < MOST_BYTES ? bytes - done : MOST_BYTES;
        for (uint32_t i = here; i-- > 0;)
            if ((unknown[i] = unknown_of(&b, i))) missing = i;
        if (missing == MOST_BYTES) continue; /* the write has been reported */
        read.address[lane] = from + done;
        if (!make_room(w, in, &a)) return;
        set_bytes(w, &a, unknown, here, origin_of(w, &read, lane, &b, missing));
    }
}

void init_local_set(warp *w, int lane, uint32_t offset, uint32_t bytes)
{
    piece p;
    find_piece(w, SPACE_LOCAL, NULL, lane, offset, &p);
    for (uint32_t i = 0; i < bytes; i++) set_whole(&p, i, true, false);
}

void init_local_copy(warp *w, int lane, uint32_t to, uint32_t from, uint32_t bytes)
{
    if (w->links) chains_local_copy(w, lane, to, from, bytes);
    piece a, b;
    find_piece(w, SPACE_LOCAL, NULL, lane, to, &a);
    find_piece(w, SPACE_LOCAL, NULL, lane, from, &b);
    for (uint32_t i = 0; i < bytes && w->known_bits; i++) {
        w->known_bits->known[a.at + i] = w->known_bits->known[b.at + i];
        w->known_bits->from[(a.at + i) / 4] = w->known_bits->from[(b.at + i) / 4];
    }
    for (uint32_t i = 0; i < bytes; i++) set_whole(&a, i, is_whole(&b, i), false);
}

bool init_looked_at(warp *w, const insn *in, int lane, uint8_t space, uint64_t at, uint64_t bytes, const char *does)
{
    piece p;
    if (!(w->watch & WATCH_INIT) || !find_piece(w, space, NULL, lane, at, &p)) return true;
    for (uint64_t i = 0; i < bytes; i++) {
        if (!unknown_of(&p, i)) continue;
        access a = {.in = in, .size = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes, .space = space};
        a.address[lane] = at;
        return origin_fault(w, in, UINT32_C(1) << lane, origin_of(w, &a, lane, &p, i), does);
    }
    return true;
}

bool sim_known(sim *s, uint64_t address, uint64_t bytes, sim_unknown *out)
{
    alloc *al = memory_at(&s->mem, address);
    if (!al || al->freed || !al->init) return true;
    piece p = {
        .map = al->init, .known_bits = al->known_bits, .at = address - al->start, .al = al, .space = SPACE_GLOBAL};
    if (bytes > al->size - p.at) bytes = al->size - p.at;
    for (uint64_t i = 0; i < bytes;) {
        if (!((p.at + i) & 63) && bytes - i >= 64 && init_word(&p.map[(p.at + i) >> 6]) == UINT64_MAX) {
            i += 64;
            continue;
        }
        if (!unknown_of(&p, i)) {
            i++;
            continue;
        }
        memset(out, 0, sizeof *out);
        out->offset = i;
        out->stored = p.known_bits && (p.known_bits->known[p.at + i] || p.known_bits->from[(p.at + i) / 4]);
        const uint32_t from = out->stored ? p.known_bits->from[(p.at + i) / 4] : 0;
        const kept_origin *k = from ? &p.known_bits->kept[from - 1] : NULL;
        bool loaded = false;
        for (int m = 0; k && m < s->module_count; m++) loaded |= s->modules[m] == k->module;
        if (k) snprintf(out->what, sizeof out->what, "%s", k->what);
        if (loaded) out->from = k->at;
        return false;
    }
    return true;
}
