/* find_loops.c: finds the loops of which many iterations can run at once (exec/batched_loop.c).
 *
 * Such a loop is one block that ends in a branch to itself. It reads memory but writes none and has
 * no guards. Nothing in it may block, diverge or fail, except the loads. Its registers are of three
 * kinds: those that it does not write; *steps*, which it writes once, by adding something that it
 * does not write; all others, made anew in each iteration by ordinary instructions. Addresses of
 * loads and the operands of the test at the end are of the first two kinds. So the number of
 * iterations and the reach of each load are known ahead. A step that only loads and the test read
 * can be added once for all iterations.
 *
 * This holds for one thread. Whether all lanes of a warp agree is checked when the loop runs. The
 * block follows itself, so a register that it reads before it writes is live throughout, and shares
 * its place with no other (liveness.c).
 */
#include "liveness.h"

typedef struct finder {
    builder *b;
    const flow_block *block;
    const node *test;
    uint32_t enter; /* pc */
    code_loop loop;
} finder;

/* Nothing in the block may have a guard: a guard does not compute. */
static bool computes(const node *n)
{
    return n->real && n->kind == NODE_PLAIN && class_computes((enum sim_class)n->cls);
}

enum { LOAD_BASE = 4 /* the slot, see form_address */ };

/* One word of 4 or 8 bytes from global or shared memory to a register as wide. */
static bool is_load(const builder *b, const node *n)
{
    const bool shared = n->space == SPACE_SHARED;
    if (n->kind != NODE_PLAIN || n->src->op != OP_LD ||
        n->cls != (shared ? SIM_CLASS_SHARED_LOAD : SIM_CLASS_GLOBAL_LOAD))
        return false;
    if ((!shared && n->space != SPACE_GLOBAL) || n->order != ORDER_WEAK || n->count != 1 ||
        n->ref_count != LOAD_BASE + 1)
        return false;
    if (n->refs[0].ref < 0 || n->refs[LOAD_BASE].ref < 0) return false;
    const int width = live_width(b->reg_type[n->refs[0].ref]);
    return (n->size == 4 && width == 1) || (n->size == 8 && width == 2);
}

static bool writes(const node *n, int32_t reg)
{
    for (uint32_t s = 0; s < n->ref_count; s++)
        if (n->refs[s].ref == reg && (n->refs[s].role == DEF || n->refs[s].role == USE_DEF)) return true;
    return false;
}

/* How many instructions of the block write `reg`; *at: the last of them. */
static int writers(const finder *f, int32_t reg, uint32_t *at)
{
    int count = 0;
    for (uint32_t i = f->block->first; i <= f->block->last; i++) {
        if (!writes(&f->b->nodes[i], reg)) continue;
        *at = i;
        count++;
    }
    return count;
}

/* Is `reg` read only by addresses, the test, and the addition at node `at` that steps it? */
static bool read_by_few(const finder *f, int32_t reg, uint32_t at)
{
    for (uint32_t i = f->block->first; i <= f->block->last; i++) {
        const node *n = &f->b->nodes[i];
        for (uint32_t s = 0; s < n->ref_count; s++)
            if (n->refs[s].ref == reg && i != at && n != f->test && !(s == LOAD_BASE && is_load(f->b, n))) return false;
    }
    return true;
}

static uint16_t place_in(const finder *f, const node *n) { return (uint16_t)(n->pc - f->enter); }

/* The number, from 1, of the step made at node `at`; 0: it is not a step. */
static uint8_t step_at(finder *f, int32_t reg, uint32_t at)
{
    code_loop *l = &f->loop;
    const node *n = &f->b->nodes[at];
    const enum ptx_type t = (enum ptx_type)n->src->type[0];
    const bool wide = t == T_S64 || t == T_U64;
    uint32_t unused;
    for (uint32_t i = 0; i < l->steps; i++)
        if (l->step[i].at == place_in(f, n)) return (uint8_t)(i + 1);
    if (n->src->op != OP_ADD || n->src->suffix_count || (!wide && t != T_S32 && t != T_U32) || n->ref_count != 3 ||
        !computes(n))
        return 0;
    const uint32_t own = n->refs[1].ref == reg ? 1 : 2;
    const int32_t by = n->refs[3 - own].ref;
    if (l->steps == LOOP_STEPS || n->refs[own].ref != reg || (by >= 0 && writers(f, by, &unused))) return 0;
    const insn *in = &f->b->m->insns[n->pc];
    l->step[l->steps] = (loop_step){.place = in->o[0],
                                    .by = in->o[3 - own],
                                    .at = place_in(f, n),
                                    .wide = wide,
                                    .put_off = read_by_few(f, reg, at)};
    return (uint8_t)++l->steps;
}

/* What the loop does to `reg` (negative: a constant), which node `reader` reads. False: it is
 * neither constant nor a step. */
static bool use_of(finder *f, int32_t reg, uint32_t reader, loop_use *use)
{
    uint32_t at = 0;
    *use = (loop_use){0};
    switch (reg < 0 ? 0 : writers(f, reg, &at)) {
    case 0: return true;
    case 1:
        use->step = step_at(f, reg, at);
        use->behind = at < reader;
        return use->step;
    default: return false;
    }
}

/* The comparison whose result the final branch reads. Other instructions may read it too: it is the
 * same in all iterations but the last. */
static bool find_test(finder *f)
{
    builder *b = f->b;
    const node *last = &b->nodes[f->block->last];
    const int32_t p = last->refs[0].ref;
    uint32_t at = 0;
    if (p < 0 || writers(f, p, &at) != 1) return false;
    const node *test = f->test = &b->nodes[at];
    code_loop *l = &f->loop;
    l->test = test->ref_count == 3 ? b->ops->comparison(test->fn, test->mod) : 0;
    if (!l->test) return false;
    if (last->mod) l->test ^= TEST_INVERSE;
    for (uint32_t s = 0; s < 2; s++) {
        l->side[s] = b->m->insns[test->pc].o[s + 1];
        if (!use_of(f, test->refs[s + 1].ref, at, &l->moves[s])) return false;
    }
    return true;
}

const code_loop *build_loop(builder *b, uint32_t block, uint32_t enter)
{
    finder f = {.b = b, .block = &b->blocks[block], .enter = enter};
    loop_item items[LOOP_ITEMS];
    code_loop *l = &f.loop;
    if (f.block->last - f.block->first > LOOP_ITEMS || !find_test(&f)) return NULL;
    for (uint32_t i = f.block->first; i < f.block->last; i++) {
        const node *n = &b->nodes[i];
        if (n->removed || n == f.test) continue;
        loop_item *item = &items[l->items++];
        *item = (loop_item){.at = place_in(&f, n), .load = is_load(b, n)};
        if (!(item->load ? use_of(&f, n->refs[LOAD_BASE].ref, i, &item->base) : computes(n))) return NULL;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->items; i++) {
        bool put_off = false;
        for (uint32_t s = 0; s < l->steps; s++) put_off |= l->step[s].put_off && l->step[s].at == items[i].at;
        if (!put_off) items[kept++] = items[i];
    }
    l->items = kept;
    l->item = arena_array(b->arena, (size_t)kept + 1, sizeof *l->item);
    if (kept) memcpy(l->item, items, kept * sizeof *items);
    code_loop *found = arena_alloc(b->arena, sizeof *found);
    *found = *l;
    return found;
}
