/* fuse.c: the contractions that ptxas makes and PTX allows.
 *
 * A multiplication or addition written without a rounding suffix may be fused with its neighbour into one fma, and ptxas does
 * so wherever it can; the last bits of results on a real card show it. What follows is what ptxas 13 was seen to do:
 *
 *   - a product is fused only when every reader is such an addition or subtraction in its own basic block, and then into
 *     each of them, however far away; x*y + x*y with the same product twice is left alone;
 *   - of two products added, the first operand's is fused;
 *   - both must agree on .ftz; a product with .sat is never fused, a sum with .sat may be;
 *   - a product under a guard is not fused, a sum under one is.
 *
 * Cards of compute 1.x have no fused multiply-add: theirs cuts the product to a float first. On a card that says so, contractions
 * do that, and so do the fma.rn.f32 of the text, which is what compilers of today write for x*y + z.
 *
 * The product's registers must still hold their values at the sum. Halves (f16, bf16) are left as written: see sim/README.md.
 */
#include "build.h"

static bool is_product(const node *n) { return n->fusible && n->src->op == OP_MUL; }
static bool is_sum(const node *n) { return n->fusible && (n->src->op == OP_ADD || n->src->op == OP_SUB); }

static bool writes(const node *n, int32_t reg)
{
    for (uint32_t s = 0; s < n->ref_count; s++)
        if (n->refs[s].ref == reg && (n->refs[s].role == DEF || n->refs[s].role == USE_DEF)) return true;
    return false;
}

enum { FTZ = 1 }; /* of insn.mod of the f32 operations */

static bool agree(const node *product, const node *sum)
{
    return product->src->type[0] == sum->src->type[0] && (product->src->type[0] == T_F64 || (product->mod & FTZ) == (sum->mod & FTZ));
}

/* Everything that reads the product of node `at`, when all of it may be fused: their number, or 0. */
static uint32_t readers(builder *b, uint32_t at, uint32_t reads, const uint8_t *leads)
{
    const node *p = &b->nodes[at];
    int32_t d = p->refs[0].ref;
    uint32_t found = 0;
    for (uint32_t i = at + 1; i < b->node_count && !leads[i] && found < reads; i++) {
        const node *n = &b->nodes[i];
        for (uint32_t s = 0; s < n->ref_count; s++) {
            if (n->refs[s].ref != d || n->refs[s].role != USE) continue;
            if (!is_sum(n) || !agree(p, n) || n->refs[1].ref == n->refs[2].ref) return 0;
            found++;
        }
        for (uint32_t s = 1; s < 3; s++)
            if (found < reads && p->refs[s].ref >= 0 && writes(n, p->refs[s].ref)) return 0;
    }
    return found == reads ? found : 0;
}

static void fuse_into(builder *b, const node *p, node *sum)
{
    int32_t d = p->refs[0].ref;
    bool first = sum->refs[1].ref == d;
    enum fused_kind kind = sum->src->op == OP_ADD ? FUSED_ADD : first ? FUSED_SUB : FUSED_SUB_FROM;
    node_ref *r = arena_array(b->scratch, 4, sizeof *r);
    r[0] = sum->refs[0];
    r[1] = p->refs[1];
    r[2] = p->refs[2];
    r[3] = sum->refs[first ? 2 : 1];
    sum->refs = r;
    sum->ref_count = 4;
    sum->fn = b->ops->fused((enum ptx_type)sum->src->type[0], sum->mod | (b->m->cuts_products ? FUSED_CUT : 0), kind);
    sum->fusible = false;
    if (sum->dflops)
        sum->dflops = 2;
    else
        sum->flops = 2;
}

/* fma.rn.f32 on a card without one. */
static void cut_products(builder *b)
{
    for (uint32_t i = 0; i < b->node_count; i++) {
        node *n = &b->nodes[i];
        if (!n->real || n->src->op != OP_FMA || n->src->type[0] != T_F32) continue;
        for (int s = 0; s < n->src->suffix_count; s++)
            if (n->src->suffix[s] == S_RN) n->fn = b->ops->fused(T_F32, n->mod | FUSED_CUT, FUSED_ADD);
    }
}

int build_fuse(builder *b)
{
    if (b->m->cuts_products) cut_products(b);
    uint32_t *reads = arena_array(b->scratch, (size_t)b->reg_count + 1, sizeof *reads);
    uint32_t *defs = arena_array(b->scratch, (size_t)b->reg_count + 1, sizeof *defs);
    uint8_t *leads = arena_array(b->scratch, (size_t)b->node_count + 1, 1);
    for (uint32_t i = 0; i < b->node_count; i++) {
        const node *n = &b->nodes[i];
        for (uint32_t s = 0; s < n->ref_count; s++) {
            if (n->refs[s].ref < 0) continue;
            if (n->refs[s].role != DEF) reads[n->refs[s].ref]++;
            if (n->refs[s].role != USE) defs[n->refs[s].ref]++;
        }
    }
    flow_leaders(b, leads);
    /* Products that are first operands take their sums before those that are second operands. */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < b->node_count; i++) {
            node *p = &b->nodes[i];
            if (!is_product(p) || p->removed) continue;
            int32_t d = p->refs[0].ref;
            if (d < 0 || defs[d] != 1 || !reads[d] || !readers(b, i, reads[d], leads)) continue;
            bool as_second = false;
            uint32_t left = reads[d];
            for (uint32_t k = i + 1; left && !leads[k]; k++)
                for (uint32_t s = 1; s < 3 && is_sum(&b->nodes[k]); s++)
                    if (b->nodes[k].refs[s].ref == d) {
                        left--;
                        as_second |= s == 2;
                    }
            if (pass == 0 && as_second) continue;
            left = reads[d];
            for (uint32_t k = i + 1; left && !leads[k]; k++) {
                node *n = &b->nodes[k];
                if (!is_sum(n) || (n->refs[1].ref != d && n->refs[2].ref != d)) continue;
                fuse_into(b, p, n);
                left--;
            }
            p->removed = true;
            p->ref_count = 0;
        }
    return SIM_OK;
}
