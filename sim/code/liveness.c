/* liveness.c: liveness, and a place in the frame for every virtual register.
 *
 * nvcc names a new register for nearly every value, so a kernel may name thousands. At 128 bytes
 * per register and warp they would not fit in the host's cache, so registers whose live ranges do
 * not overlap share a place. A live range is an interval in instruction order, from the first to
 * the last point at which the register is live; loops are covered by backward data flow over
 * blocks. Lanes of a warp may be at different points, but each lane writes only its own column of a
 * place, so what holds for one thread holds for all.
 *
 * Only registers seen in more than one block take part in the data flow; the many others do not
 * cost a bit.
 */
#include "flow.h"
#include "liveness.h"
#include "registers.h"
#include <stdlib.h>

int live_width(uint8_t type)
{
    int bits = ptx_bits((enum ptx_type)type);
    return bits == 1 ? 0 : bits <= 32 ? 1 : bits == 64 ? 2 : 3;
}

static int by_start(const void *x, const void *y)
{
    const live_interval *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->reg < b->reg ? -1 : a->reg > b->reg;
}

/* A heap of places in use, ordered by when they become free. */
typedef struct busy {
    uint32_t to, place;
} busy;
static void heap_push(busy *h, uint32_t *n, busy v)
{
    uint32_t i = (*n)++;
    while (i && h[(i - 1) / 2].to > v.to) {
        h[i] = h[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h[i] = v;
}
static busy heap_pop(busy *h, uint32_t *n)
{
    busy out = h[0], v = h[--*n];
    uint32_t i = 0, k;
    while ((k = 2 * i + 1) < *n) {
        if (k + 1 < *n && h[k + 1].to < h[k].to) k++;
        if (h[k].to >= v.to) break;
        h[i] = h[k];
        i = k;
    }
    if (*n) h[i] = v;
    return out;
}

static void widen(live_interval *v, uint32_t at)
{
    if (at < v->from) v->from = at;
    if (at > v->to) v->to = at;
}

/* Numbers the registers that matter across blocks from 0 in `global`; others get -1. */
static uint32_t find_globals(builder *b, int32_t *global)
{
    uint32_t *seen_in = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *seen_in);
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->reg_count; i++) global[i] = -1;
    for (uint32_t k = 0; k < b->block_count; k++)
        for (uint32_t i = b->blocks[k].first; i <= b->blocks[k].last; i++)
            for (int pass = 0; pass < 2; pass++) /* reads come before writes */
                for (uint32_t s = 0; s < b->nodes[i].ref_count; s++) {
                    const node_ref *r = &b->nodes[i].refs[s];
                    if (r->ref < 0 || (r->role == DEF) != pass) continue;
                    bool first_is_read = !seen_in[r->ref] && r->role != DEF;
                    bool elsewhere = seen_in[r->ref] && seen_in[r->ref] != k + 1;
                    if ((first_is_read || elsewhere) && global[r->ref] < 0) global[r->ref] = (int32_t)count++;
                    if (!seen_in[r->ref]) seen_in[r->ref] = k + 1;
                }
    return count;
}

static void flow_sets(builder *b, const int32_t *global, uint32_t words, uint64_t *use, uint64_t *def)
{
    for (uint32_t k = 0; k < b->block_count; k++) {
        uint64_t *u = use + (size_t)k * words, *d = def + (size_t)k * words;
        for (uint32_t i = b->blocks[k].first; i <= b->blocks[k].last; i++) {
            const node *n = &b->nodes[i];
            for (int pass = 0; pass < 2; pass++) /* reads come before writes */
                for (uint32_t s = 0; s < n->ref_count; s++) {
                    int32_t r = n->refs[s].ref;
                    if (r < 0 || global[r] < 0) continue;
                    uint64_t bit = UINT64_C(1) << (global[r] & 63);
                    size_t at = (size_t)(global[r] >> 6);
                    if (pass == 0 && n->refs[s].role != DEF && !(d[at] & bit)) u[at] |= bit;
                    if (pass == 1 && n->refs[s].role == DEF) d[at] |= bit;
                }
        }
    }
}

static void solve(builder *b, uint32_t words, const uint64_t *use, const uint64_t *def, uint64_t *in, uint64_t *out)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = b->block_count; k-- > 0;) {
            const uint32_t *succ;
            uint32_t c = flow_successors(&b->blocks[k], &succ);
            uint64_t *o = out + (size_t)k * words, *n = in + (size_t)k * words;
            for (uint32_t s = 0; s < c; s++)
                for (uint32_t w = 0; w < words; w++) o[w] |= in[(size_t)succ[s] * words + w];
            for (uint32_t w = 0; w < words; w++) {
                uint64_t v = use[(size_t)k * words + w] | (o[w] & ~def[(size_t)k * words + w]);
                if (v != n[w]) {
                    n[w] = v;
                    changed = true;
                }
            }
        }
    }
}

static uint32_t give_places(builder *b, live_interval *v, uint32_t count, int width, uint32_t *place, uint32_t base,
                            uint32_t each, int *used)
{
    busy *heap = arena_array(b->pass, (size_t)count + 1, sizeof *heap);
    uint32_t *free_list = arena_array(b->pass, (size_t)count + 1, sizeof *free_list);
    uint32_t busy_count = 0, free_count = 0, made = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (live_width(b->reg_type[v[i].reg]) != width) continue;
        while (busy_count && heap[0].to < v[i].from) free_list[free_count++] = heap_pop(heap, &busy_count).place;
        uint32_t p = free_count ? free_list[--free_count] : made++;
        place[v[i].reg] = base + p * each;
        heap_push(heap, &busy_count, (busy){v[i].to, p});
    }
    *used = (int)made;
    return made * each;
}

int build_live(builder *b)
{
    b->global = arena_array(b->scratch, (size_t)b->reg_count + 1, sizeof *b->global);
    uint32_t globals = find_globals(b, b->global), words = (globals + 63) / 64;
    if ((uint64_t)words * b->block_count > (UINT64_C(1) << 24))
        return sim_fail(b->err, SIM_E_LIMIT, "function %s is too large: %u registers across %u blocks", b->func->name,
                        globals, b->block_count);
    size_t cells = (size_t)words * b->block_count + 1;
    uint64_t *use = arena_array(b->pass, cells, 8), *def = arena_array(b->pass, cells, 8);
    b->live_words = words;
    b->live_in = arena_array(b->scratch, cells, 8);
    b->live_out = arena_array(b->scratch, cells, 8);
    flow_sets(b, b->global, words, use, def);
    solve(b, words, use, def, b->live_in, b->live_out);
    return SIM_OK;
}

int build_places(builder *b, uint32_t *place)
{
    const int32_t *global = b->global;
    const uint32_t words = b->live_words;
    const uint64_t *in = b->live_in, *out = b->live_out;
    live_interval *v = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *v);
    for (uint32_t i = 0; i < b->reg_count; i++) v[i] = (live_interval){i, UINT32_MAX, 0};
    for (uint32_t i = 0; i < b->node_count; i++)
        for (uint32_t s = 0; s < b->nodes[i].ref_count; s++)
            if (b->nodes[i].refs[s].ref >= 0) widen(&v[b->nodes[i].refs[s].ref], i);
    for (uint32_t r = 0; r < b->reg_count; r++) {
        if (global[r] < 0) continue;
        size_t at = (size_t)(global[r] >> 6);
        uint64_t bit = UINT64_C(1) << (global[r] & 63);
        for (uint32_t k = 0; k < b->block_count; k++) {
            if (in[(size_t)k * words + at] & bit) widen(&v[r], b->blocks[k].first);
            if (out[(size_t)k * words + at] & bit) widen(&v[r], b->blocks[k].last);
        }
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->reg_count; i++)
        if (v[i].from != UINT32_MAX) v[count++] = v[i];
    qsort(v, count, sizeof *v, by_start);

    /* A register read before it is written starts as zero: remember its place. */
    code_func *cf = b->cf;
    uint32_t at = FRAME_HEADER;
    at += give_places(b, v, count, 0, place, at, 4, &cf->regp);
    at = (at + 127) & ~127u;
    at += give_places(b, v, count, 1, place, at, 128, &cf->reg32);
    at += give_places(b, v, count, 2, place, at, 256, &cf->reg64);
    int wide;
    at += give_places(b, v, count, 3, place, at, 512, &wide);
    cf->frame_bytes = at;
    build_registers(b, v, count);
    cf->zero_from = b->m->zero_count;
    static const uint32_t bytes[4] = {4, 128, 256, 512};
    for (uint32_t r = 0; r < b->reg_count && b->func->is_entry; r++) {
        if (global[r] < 0 || !(in[(size_t)global[r] >> 6] >> (global[r] & 63) & 1)) continue;
        struct zero_place *z = ARENA_PUSH(b->arena, b->m->zero, b->m->zero_count, b->zero_capacity);
        z->place = place[r];
        z->bytes = bytes[live_width(b->reg_type[r])];
    }
    cf->zero_count = b->m->zero_count - cf->zero_from;
    return SIM_OK;
}
