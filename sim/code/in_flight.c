/* in_flight.c: the registers of products that run in the background (wgmma).
 *
 * D is written when a thread waits, not where the text names it; A may be read until then. So each
 * wgmma.wait_group gets, as operands, the registers that may be in flight there: it reads A, and
 * reads and writes D. Then they live until it, nobody else is given their places, and a film shows D
 * there.
 *
 * A wgmma.fence must stand between a write of a register of D or A and the product. A compiler may
 * move arithmetic down past a fence that the source has at the right place, and ptxas allows for
 * that. So only a write counts that has no fence on either side: none since the last wait (or since
 * the kernel began), and none before the product. Copies of one register to another are not looked
 * at: they may be the compiler's own. What is found is reported when the product runs (exec/wgmma.c).
 */
#include "flow.h"

typedef struct flight {
    builder *b;
    uint8_t *role;    /* by number: USE_DEF of D, USE of A alone */
    int32_t *number;  /* by virtual register: among those of D and A, or -1 */
    uint32_t *reg;    /* by number */
    uint32_t *writer; /* by number: a node that wrote it without a fence */
    uint32_t count, words;
} flight;

/* What may hold where a block begins. */
typedef struct state {
    uint64_t *flying, *dirty; /* D and A not waited for; D and A written without a fence */
    bool never, lately;       /* no fence since the kernel began; since the last wait */
} state;

enum what { OTHER, PRODUCT, FENCE, WAIT };
static enum what what_is(const node *n)
{
    if (n->kind != NODE_PLAIN || !n->real || n->removed || n->src->op != OP_WGMMA) return OTHER;
    return ptx_has(n->src, S_MMA_ASYNC)    ? PRODUCT
           : ptx_has(n->src, S_FENCE)      ? FENCE
           : ptx_has(n->src, S_WAIT_GROUP) ? WAIT
                                           : OTHER;
}

/* Registers of D are those that a product writes; of A, those of 32 bits that it only reads. */
static bool is_d(const node_ref *r) { return r->ref >= 0 && (r->role == DEF || r->role == USE_DEF); }
static bool is_a(const node_ref *r) { return r->ref >= 0 && r->role == USE && r->type == T_B32; }

static uint64_t bit_of(uint32_t n) { return UINT64_C(1) << (n & 63); }
static bool has(const uint64_t *set, int32_t n) { return set[n >> 6] >> (n & 63) & 1; }

static bool number_registers(flight *f)
{
    builder *b = f->b;
    bool any = false;
    for (uint32_t i = 0; i < b->node_count && !any; i++) any = what_is(&b->nodes[i]) == PRODUCT;
    if (!any) return false;
    f->number = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *f->number);
    f->role = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *f->role);
    f->reg = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *f->reg);
    f->writer = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *f->writer);
    for (uint32_t i = 0; i < b->reg_count; i++) f->number[i] = -1;
    for (uint32_t i = 0; i < b->node_count; i++) {
        const node *n = &b->nodes[i];
        for (uint32_t k = 0; what_is(n) == PRODUCT && k < n->ref_count; k++) {
            const node_ref *r = &n->refs[k];
            if (!is_d(r) && !is_a(r)) continue;
            if (f->number[r->ref] < 0) {
                f->reg[f->count] = (uint32_t)r->ref;
                f->role[f->count] = USE;
                f->number[r->ref] = (int32_t)f->count++;
            }
            if (is_d(r)) f->role[f->number[r->ref]] = USE_DEF;
        }
    }
    f->words = (f->count + 63) / 64;
    return true;
}

static bool copies(const node *n)
{
    return n->real && n->src && n->src->op == OP_MOV && n->src->operand_count == 2 && n->src->operand[1].kind == O_REG;
}

static void write_registers(flight *f, const node *n, uint32_t at, state *s)
{
    for (uint32_t k = 0; k < n->ref_count; k++) {
        const node_ref *r = &n->refs[k];
        const int32_t number = is_d(r) ? f->number[r->ref] : -1;
        if (number < 0 || copies(n)) continue;
        s->dirty[number >> 6] |= bit_of((uint32_t)number);
        f->writer[number] = at;
    }
}

/* The product at `n` follows no fence. */
static void lacks_fence(flight *f, node *n, const state *s)
{
    code_module *m = f->b->m;
    code_unfenced found = {0};
    bool any = s->never;
    for (uint32_t k = 0; k < n->ref_count && !any; k++) {
        const node_ref *r = &n->refs[k];
        const int32_t number = is_d(r) || is_a(r) ? f->number[r->ref] : -1;
        if (number < 0 || !has(s->dirty, number)) continue;
        found.wrote = f->b->nodes[f->writer[number]].src;
        found.reg = r->ref < f->b->func->reg_count ? f->b->func->regs[r->ref].name : "";
        any = true;
    }
    if (!any || n->mod) return;
    *ARENA_PUSH(f->b->arena, m->unfenced, m->unfenced_count, f->b->unfenced_capacity) = found;
    n->mod = m->unfenced_count;
}

static void wait_for(flight *f, node *n, const state *s)
{
    uint32_t more = 0;
    for (uint32_t i = 0; i < f->count; i++) more += has(s->flying, (int32_t)i);
    node_ref *refs = arena_array(f->b->scratch, (size_t)n->ref_count + more + 1, sizeof *refs);
    if (n->ref_count) memcpy(refs, n->refs, n->ref_count * sizeof *refs);
    for (uint32_t i = 0; i < f->count; i++)
        if (has(s->flying, (int32_t)i))
            refs[n->ref_count++] = (node_ref){.ref = (int32_t)f->reg[i], .role = f->role[i], .type = T_B32};
    n->refs = refs;
}

/* Goes through a block. `last`: all is known, so nodes are marked. */
static void pass_block(flight *f, uint32_t k, state *s, bool last)
{
    builder *b = f->b;
    for (uint32_t i = b->blocks[k].first; i <= b->blocks[k].last; i++) {
        node *n = &b->nodes[i];
        switch (what_is(n)) {
        case OTHER:
            if (s->lately && !n->removed) write_registers(f, n, i, s);
            break;
        case FENCE:
            s->never = s->lately = false;
            memset(s->dirty, 0, f->words * sizeof *s->dirty);
            break;
        case WAIT:
            if (last) wait_for(f, n, s);
            if (!n->mod2) memset(s->flying, 0, f->words * sizeof *s->flying);
            s->lately = true;
            break;
        case PRODUCT:
            if (last) lacks_fence(f, n, s);
            for (uint32_t r = 0; r < n->ref_count; r++)
                if (is_d(&n->refs[r]) || is_a(&n->refs[r])) {
                    const int32_t number = f->number[n->refs[r].ref];
                    s->flying[number >> 6] |= bit_of((uint32_t)number);
                }
            break;
        }
    }
}

/* `to` may begin with what `from` ends with. True: that is news. */
static bool join(const flight *f, state *to, const state *from)
{
    bool news = (from->never && !to->never) || (from->lately && !to->lately);
    to->never |= from->never;
    to->lately |= from->lately;
    for (uint32_t w = 0; w < f->words; w++) {
        news |= (from->flying[w] & ~to->flying[w]) || (from->dirty[w] & ~to->dirty[w]);
        to->flying[w] |= from->flying[w];
        to->dirty[w] |= from->dirty[w];
    }
    return news;
}

int build_in_flight(builder *b)
{
    flight f = {.b = b};
    if (!number_registers(&f)) return SIM_OK;
    if ((uint64_t)f.words * b->block_count > (UINT64_C(1) << 24))
        return sim_fail(b->err, SIM_E_LIMIT, "function %s is too large: %u registers of products, %u blocks",
                        b->func->name, f.count, b->block_count);
    state *in = arena_array(b->pass, (size_t)b->block_count + 1, sizeof *in), now;
    bool *seen = arena_array(b->pass, (size_t)b->block_count + 1, sizeof *seen);
    uint64_t *sets = arena_array(b->pass, 2 * ((size_t)b->block_count + 1) * f.words, sizeof *sets);
    for (uint32_t k = 0; k <= b->block_count; k++)
        in[k].flying = sets + 2 * (size_t)k * f.words, in[k].dirty = in[k].flying + f.words;
    now = in[b->block_count];
    /* a function that is called may rely on its caller's fence */
    in[0].never = in[0].lately = b->func->is_entry;
    seen[0] = true;
    for (bool changed = true, last = false; changed || !last;) {
        last = !changed;
        changed = false;
        for (uint32_t k = 0; k < b->block_count; k++) {
            if (!seen[k]) continue;
            now.never = in[k].never;
            now.lately = in[k].lately;
            memcpy(now.flying, in[k].flying, f.words * sizeof *now.flying);
            memcpy(now.dirty, in[k].dirty, f.words * sizeof *now.dirty);
            pass_block(&f, k, &now, last);
            const uint32_t *next;
            const uint32_t count = flow_successors(&b->blocks[k], &next);
            for (uint32_t i = 0; i < count && !last; i++) {
                changed |= !seen[next[i]];
                seen[next[i]] = true;
                changed |= join(&f, &in[next[i]], &now);
            }
        }
    }
    return SIM_OK;
}
