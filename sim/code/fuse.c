/* fuse.c: the contractions that ptxas makes and PTX allows.
 *
 * A multiplication or addition without a rounding suffix may be fused with its neighbour into one
 * fma. ptxas does so wherever it can; the last bits of results on a real card show it. ptxas 13 was
 * seen to follow these rules, for floats, doubles and halves:
 *
 * - A product is fused only when every reader is such an addition or subtraction in its own basic
 *   block. It is then fused into each of them, however far away. x*y + x*y with the same product
 *   twice is left alone.
 * - The readers of a negated product count as readers of the product, when all of them are sums too
 *   (not for a pair of bf16, nor for halves when the negation says .ftz).
 * - Of two products added, the first operand's is fused.
 * - All must agree on .ftz (a negation may do without). A product with .sat is never fused, a sum
 *   with .sat may be.
 * - A product or negation under a guard is not fused, a sum under one is.
 *
 * Cards of compute 1.x have no fused multiply-add: theirs cuts the product to a float first. On
 * such a card contractions do that, and so do the fma.rn.f32 of the text, which is what today's
 * compilers write for x*y + z.
 *
 * The product's operands must still hold their values at the sum.
 */
#include "flow.h"

static bool is_product(const node *n) { return n->fusible && n->src->op == OP_MUL; }
static bool is_negation(const node *n) { return n->fusible && n->src->op == OP_NEG; }
static bool is_sum(const node *n) { return n->fusible && (n->src->op == OP_ADD || n->src->op == OP_SUB); }

static bool writes(const node *n, int32_t reg)
{
    for (uint32_t s = 0; s < n->ref_count; s++)
        if (n->refs[s].ref == reg && (n->refs[s].role == DEF || n->refs[s].role == USE_DEF)) return true;
    return false;
}

enum { FTZ = 1 }; /* of insn.mod, except for f64 */

static bool agree(const node *product, const node *with)
{
    enum ptx_type t = (enum ptx_type)product->src->type[0];
    if ((enum ptx_type)with->src->type[0] != t) return false;
    if (t == T_F64 || (product->mod & FTZ) == (with->mod & FTZ)) return true;
    return is_negation(with) && !(with->mod & FTZ);
}

/* The registers that hold a product or its negative. */
enum { NAMES = 4 };
typedef struct product {
    uint32_t at; /* its node */
    int count;
    struct name {
        int32_t reg;
        bool negative;
        uint32_t reads, maker; /* readers not found yet; the node that writes it */
    } name[NAMES];
    uint32_t reads; /* of all names, not found yet */
    bool second;    /* it is the second operand of some sum */
} product;

static int name_of(const product *p, int32_t reg)
{
    for (int k = 0; k < p->count; k++)
        if (p->name[k].reg == reg) return k;
    return -1;
}

static bool add_name(product *p, int32_t reg, bool negative, uint32_t maker, const uint32_t *reads,
                     const uint32_t *defs)
{
    if (p->count == NAMES || reg < 0 || defs[reg] != 1 || !reads[reg]) return false;
    p->name[p->count++] = (struct name){reg, negative, reads[reg], maker};
    p->reads += reads[reg];
    return true;
}

/* One reader of name k: a sum that takes it, or a negation that makes another name. False: it needs
 * the product itself. */
static bool meet(product *p, const node *of, node *n, uint32_t at, uint32_t slot, int k, const uint32_t *reads,
                 const uint32_t *defs)
{
    if (n->refs[slot].role != USE || !agree(of, n)) return false;
    p->name[k].reads--;
    p->reads--;
    if (is_sum(n)) {
        p->second |= slot == 2;
        return name_of(p, n->refs[slot == 1 ? 2 : 1].ref) < 0;
    }
    return is_negation(n) && add_name(p, n->refs[0].ref, !p->name[k].negative, at, reads, defs);
}

/* Fills p for the product at node `at`; false: it cannot be fused. */
static bool find_readers(builder *b, uint32_t at, product *p, const uint32_t *reads, const uint32_t *defs,
                         const uint8_t *leads)
{
    const node *of = &b->nodes[at];
    *p = (product){.at = at};
    if (!add_name(p, of->refs[0].ref, false, at, reads, defs)) return false;
    for (uint32_t i = at + 1; i < b->node_count && !leads[i] && p->reads; i++) {
        node *n = &b->nodes[i];
        for (uint32_t s = 0; s < n->ref_count; s++) {
            int k = n->refs[s].ref < 0 || n->refs[s].role == DEF ? -1 : name_of(p, n->refs[s].ref);
            if (k >= 0 && !meet(p, of, n, i, s, k, reads, defs)) return false;
        }
        for (uint32_t s = 1; s < 3; s++)
            if (p->reads && of->refs[s].ref >= 0 && writes(n, of->refs[s].ref)) return false;
    }
    return !p->reads;
}

static void fuse_into(builder *b, const node *of, node *sum, bool first, bool negative)
{
    const bool subtracts = sum->src->op == OP_SUB;
    uint32_t kind = (negative != (subtracts && !first) ? FUSED_NEGATIVE : 0) | (subtracts && first ? FUSED_MINUS : 0);
    node_ref *r = arena_array(b->scratch, 4, sizeof *r);
    r[0] = sum->refs[0];
    r[1] = of->refs[1];
    r[2] = of->refs[2];
    r[3] = sum->refs[first ? 2 : 1];
    sum->refs = r;
    sum->ref_count = 4;
    sum->fn = b->ops->fused((enum ptx_type)sum->src->type[0], &sum->mod, b->m->cuts_products ? kind | FUSED_CUT : kind);
    sum->fusible = false;
    if (sum->hflops) sum->hflops = (uint8_t)(2 * sum->hflops);
    if (sum->dflops) sum->dflops = 2;
    else if (sum->flops) sum->flops = 2;
}

static void fuse(builder *b, const product *p, const uint8_t *leads)
{
    node *of = &b->nodes[p->at];
    for (int k = 0; k < p->count; k++)
        for (uint32_t i = p->name[k].maker + 1; i < b->node_count && !leads[i]; i++) {
            node *n = &b->nodes[i];
            if (!is_sum(n)) continue;
            bool first = n->refs[1].ref == p->name[k].reg;
            if (first || n->refs[2].ref == p->name[k].reg) fuse_into(b, of, n, first, p->name[k].negative);
        }
    for (int k = 0; k < p->count; k++) {
        b->nodes[p->name[k].maker].removed = true;
        b->nodes[p->name[k].maker].ref_count = 0;
    }
}

/* fma.rn.f32 on a card without a fused multiply-add. */
static void cut_products(builder *b)
{
    for (uint32_t i = 0; i < b->node_count; i++) {
        node *n = &b->nodes[i];
        if (!n->real || n->src->op != OP_FMA || n->src->type[0] != T_F32) continue;
        for (int s = 0; s < n->src->suffix_count; s++)
            if (n->src->suffix[s] == S_RN) n->fn = b->ops->fused(T_F32, &n->mod, FUSED_CUT);
    }
}

int build_fuse(builder *b)
{
    if (b->m->cuts_products) cut_products(b);
    uint32_t *reads = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *reads);
    uint32_t *defs = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *defs);
    uint8_t *leads = arena_array(b->pass, (size_t)b->node_count + 1, 1);
    for (uint32_t i = 0; i < b->node_count; i++) {
        const node *n = &b->nodes[i];
        for (uint32_t s = 0; s < n->ref_count; s++) {
            if (n->refs[s].ref < 0) continue;
            if (n->refs[s].role != DEF) reads[n->refs[s].ref]++;
            if (n->refs[s].role != USE) defs[n->refs[s].ref]++;
        }
    }
    flow_leaders(b, leads);
    /* Products that are first operands are fused before those that are second operands. */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < b->node_count; i++) {
            product p;
            if (!is_product(&b->nodes[i]) || b->nodes[i].removed) continue;
            if (!find_readers(b, i, &p, reads, defs, leads)) continue;
            if (pass || !p.second) fuse(b, &p, leads);
        }
    return SIM_OK;
}
