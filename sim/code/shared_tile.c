/* shared_tile.c: loads of words of shared memory by one register that does not change between them:
 * a tile's row or column.
 *
 * The first of them in a block checks all of them for a full warp: how the lanes' addresses lie,
 * and whether everything that any lane reads is inside one variable and was written. What it finds
 * is the warp's *view* (struct shared_view). The next loads only check that the view was good, and
 * if so take their words. They cannot find anything else. Lanes reach them only through the first
 * one, in the same block, with the same register. A warp that was not full there finds no good
 * view. What was written stays written.
 */
#include "liveness.h"

enum { FEWEST = 3 /* loads */, FAR = 1 << 16 /* bytes: arrays are hardly larger */, OPEN = 8 };

typedef struct view {
    int32_t reg;
    uint32_t count, node[32];
    int64_t low, high; /* of their offsets */
} view;

static bool is_word(const builder *b, const node *n)
{
    return n->kind == NODE_PLAIN && n->src->op == OP_LD && n->cls == SIM_CLASS_SHARED_LOAD &&
           n->space == SPACE_SHARED && n->order == ORDER_WEAK && n->size == 4 && n->count == 1 && n->ref_count == 5 &&
           !n->mod && !n->guarded && n->refs[0].ref >= 0 && n->refs[4].ref >= 0 &&
           live_width(b->reg_type[n->refs[0].ref]) == 1;
}

static void close_view(builder *b, view *v)
{
    code_module *m = b->m;
    const uint32_t number = m->views;
    if (v->count >= FEWEST) m->views++;
    for (uint32_t i = 0; v->count >= FEWEST && i < v->count; i++) {
        insn *in = &m->insns[b->nodes[v->node[i]].pc];
        in->fn = i ? b->ops->view_next : b->ops->view_first;
        in->o[5] = (uint32_t)(int32_t)(v->low - in->imm);
        in->o[6] = (uint32_t)(v->high - v->low) + 4;
        in->o[7] = number;
    }
    v->count = 0;
}

/* Adds the load to the view of its register, or begins one. */
static void add_load(builder *b, view *open, uint32_t at)
{
    const node *n = &b->nodes[at];
    view *v = NULL, *unused = NULL;
    for (view *o = open; o < open + OPEN; o++) {
        if (o->count && o->reg == n->refs[4].ref) v = o;
        if (!o->count) unused = o;
    }
    if (v) {
        const int64_t low = n->imm < v->low ? n->imm : v->low, high = n->imm > v->high ? n->imm : v->high;
        if (high - low < FAR && !((n->imm - v->low) & 3) && v->count < sizeof v->node / sizeof v->node[0]) {
            v->low = low;
            v->high = high;
            v->node[v->count++] = at;
            return;
        }
        close_view(b, v);
        unused = v;
    }
    if (!unused) return;
    *unused = (view){.reg = n->refs[4].ref, .count = 1, .node = {at}, .low = n->imm, .high = n->imm};
}

void build_views(builder *b, uint32_t block)
{
    const flow_block *fb = &b->blocks[block];
    view open[OPEN] = {{0}};
    for (uint32_t i = fb->first; i <= fb->last; i++) {
        const node *n = &b->nodes[i];
        if (!n->removed && is_word(b, n)) add_load(b, open, i);
        for (uint32_t s = 0; s < n->ref_count; s++)
            for (view *o = open; o < open + OPEN; o++)
                if (o->count && n->refs[s].role != USE && n->refs[s].ref == o->reg) close_view(b, o);
    }
    for (view *o = open; o < open + OPEN; o++) close_view(b, o);
}
