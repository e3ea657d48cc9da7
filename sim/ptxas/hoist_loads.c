/* hoist_loads.c: loads that machine code has before what does not need them, and the text after it.
 *
 * schedule.c orders the instructions of a block. ptxas makes one block of several: then the loads
 * of all of them come before what needs them.
 *
 *   - A loop of one block that counts by a constant up to a fixed limit becomes one of four turns,
 *     unless it is long or the text forbids it (.pragma "nounroll", which nvcc writes above the few
 *     turns left over where it has unrolled a loop itself).
 *   - What comes after a branch that is none (combine.c) follows what comes before it.
 *
 * Here all stays where it is. But in the first three of four turns, and before the last of such
 * loads, only loads wait for their sources. Other results come their latency after their sources.
 * The fourth turn, and what comes after those loads, waits for all (clock/issue.c, put_off).
 *
 * Loads may not pass stores, barriers, votes or steps that jump: a loop with these is left out, and
 * they end a block.
 */
#include "rules.h"
#include "ptxas.h"
#include <stdlib.h>

enum {
    LONG = 56,     /* instructions: ptxas unrolled loops of up to 53, and none of 62 and 93 */
    PREDICATES = 7 /* of a thread: with so many loads on their way none is left for one more branch */
};

/* The only instruction of the block that makes `reg`; else NULL. *none: nothing makes it. */
static const ptx_insn *maker(const code_module *m, const code_block *b, int reg, bool *none)
{
    const ptx_insn *found = NULL;
    int makers = 0;
    for (uint32_t pc = b->first; pc <= b->last; pc++) {
        const ptx_insn *in = m->info[pc].src;
        if (!m->info[pc].real || !in->operand_count) continue;
        const ptx_operand *o = &in->operand[0];
        for (int i = 0; i < (ptx_is_list(o) ? o->count : 1); i++) {
            const ptx_operand *one = ptx_is_list(o) ? &o->elements[i] : o, *second = ptx_second(one);
            if (one->kind != O_REG || (one->reg != reg && !(second && second->reg == reg))) continue;
            found = in;
            makers++;
        }
    }
    *none = !makers;
    return makers == 1 && found->guard < 0 ? found : NULL;
}

/* It grows by a constant each turn; *stays: it does not change. */
static bool counts(const code_module *m, const code_block *b, const ptx_operand *o, bool *stays)
{
    *stays = o->kind != O_REG;
    if (*stays) return false;
    const ptx_insn *in = maker(m, b, o->reg, stays);
    return in && (in->op == OP_ADD || in->op == OP_SUB) && in->operand_count == 3 && in->operand[1].kind == O_REG &&
           in->operand[1].reg == o->reg && in->operand[2].kind == O_INT;
}

static bool goes_round(const code_module *m, uint32_t of, const exec_table *ops)
{
    const code_block *b = &m->blocks[of];
    bool none, stays[2];
    const insn *last = &m->insns[b->last];
    if (last->fn != ops->branch || (uint32_t)(insn_target(last) - m->insns) != b->first || !m->info[b->last].src)
        return false;
    const ptx_insn *test = maker(m, b, m->info[b->last].src->guard, &none);
    if (!test || test->op != OP_SETP || test->operand_count != 3) return false;
    const bool first = counts(m, b, &test->operand[1], &stays[0]), second = counts(m, b, &test->operand[2], &stays[1]);
    return (first && stays[1]) || (second && stays[0]);
}

static bool is_load(const code_module *m, uint32_t pc)
{
    const enum sim_class cls = (enum sim_class)m->info[pc].cls;
    return cls == SIM_CLASS_GLOBAL_LOAD || cls == SIM_CLASS_SHARED_LOAD || cls == SIM_CLASS_CONSTANT;
}

static bool is_unrolled(const program *p, const code_module *m, uint32_t of, const exec_table *ops)
{
    const code_block *b = &m->blocks[of];
    uint32_t steps = 0;
    for (uint32_t i = p->first[b->first]; i < p->first[b->last + 1]; i++) {
        steps += !p->steps[i].free;
        if (p->steps[i].branch && p->steps[i].pc != b->last) return false;
    }
    if (steps > LONG || !goes_round(m, of, ops)) return false;
    for (uint32_t pc = b->first; pc <= b->last; pc++) {
        if (!m->info[pc].real) continue;
        if (m->info[pc].src->nounroll) return false;
        if (is_load(m, pc) ? (m->insns[pc].order & ORDER_MASK) != ORDER_WEAK : p->act[pc] != ACT_RUN && pc != b->last)
            return false;
    }
    return true;
}

/* The last step of a block; NULL: it has none. */
static step *last_step(const program *p, const code_block *b)
{
    const uint32_t end = p->first[b->last + 1];
    return end > p->first[b->first] ? &p->steps[end - 1] : NULL;
}

/* What comes to an unrolled loop from elsewhere begins with its first turn. */
static void begin_at(program *p, const code_module *m, uint32_t from, uint32_t to)
{
    step *s = last_step(p, &m->blocks[from]);
    const step *loop = to < m->block_count && to != from ? last_step(p, &m->blocks[to]) : NULL;
    if (s && !s->turn && loop && loop->turn == TURN_NEXT) s->turn = TURN_FIRST;
}

static void mark_loops(program *p, const code_module *m, const exec_table *ops)
{
    for (uint32_t k = 0; k < m->block_count; k++) {
        const code_block *b = &m->blocks[k];
        if (!is_unrolled(p, m, k, ops)) continue;
        for (uint32_t i = p->first[b->first]; i < p->first[b->last + 1]; i++) {
            step *s = &p->steps[i];
            if (!is_load(m, s->pc) && s->pc != b->last) s->puts_off = TURNS - 1;
            if (s->pc == b->last) s->turn = TURN_NEXT;
        }
    }
    for (uint32_t k = 0; k < m->block_count; k++) {
        const insn *in = &m->insns[m->blocks[k].last];
        const uint32_t to =
            in->fn == ops->branch || in->fn == ops->jump ? (uint32_t)(insn_target(in) - m->insns) : m->count;
        if (to < m->count) begin_at(p, m, k, m->info[to].block);
        if (in->fn != ops->jump) begin_at(p, m, k, k + 1);
    }
}

/* ---- branches that are none ---- */

/* Loads after it may come before it. */
static bool lets_pass(const program *p, const code_module *m, uint32_t pc)
{
    /* what a guard guards */
    const uint32_t of = !m->info[pc].real && pc + 1 < m->count && m->info[pc + 1].guarded ? pc + 1 : pc;
    for (uint32_t i = p->first[pc]; i < p->first[pc + 1]; i++)
        if (p->steps[i].branch) return false; /* a quotient, say, has one around its slow path */
    return p->act[pc] == ACT_RUN || (is_load(m, of) && (m->insns[of].order & ORDER_MASK) == ORDER_WEAK);
}

/* A branch or a jump that machine code does not have. */
static bool is_none(const program *p, uint32_t pc)
{
    for (uint32_t i = p->first[pc]; i < p->first[pc + 1]; i++)
        if (!p->steps[i].free) return false;
    return true;
}

static bool jumps(const code_module *m, uint32_t pc, const exec_table *ops)
{
    return m->insns[pc].fn == ops->branch || m->insns[pc].fn == ops->jump;
}

/* By block: something in the machine code goes there. */
static void find_entered(const program *p, const code_module *m, const exec_table *ops, bool *entered)
{
    for (uint32_t pc = 0; pc < m->count; pc++) {
        const insn *in = &m->insns[pc];
        const uint32_t to = jumps(m, pc, ops) && !is_none(p, pc) ? (uint32_t)(insn_target(in) - m->insns) : m->count;
        if (to < m->count) entered[m->info[to].block] = true;
        for (uint32_t i = 0; in->fn == ops->jump_table && i < in->mod; i++)
            entered[m->info[((const uint32_t *)in->ext)[i]].block] = true;
    }
}

/* From `from` on nothing stops loads: the last one of another block comes before what does not need
 * it. */
static void mark_stretch(program *p, const code_module *m, uint32_t from, uint32_t to)
{
    uint32_t last = to;
    while (last > from && !is_load(m, last - 1)) last--;
    if (last == from || m->info[last - 1].block == m->info[from].block) return;
    for (uint32_t i = p->first[from]; i < p->first[last - 1]; i++)
        if (!is_load(m, p->steps[i].pc)) p->steps[i].puts_off = TURNS;
}

/* Blocks in a row, with only such branches between them that machine code does not have. */
static void mark_blocks(program *p, const code_module *m, const exec_table *ops, const bool *entered)
{
    uint32_t from = 0, predicates = 0;
    for (uint32_t pc = 0; pc < m->count; pc++) {
        const uint32_t of = m->info[pc].block;
        const bool none = jumps(m, pc, ops) && is_none(p, pc);
        predicates += none && m->insns[pc].fn == ops->branch;
        if ((pc == m->blocks[of].first && entered[of]) || predicates > PREDICATES) {
            mark_stretch(p, m, from, pc);
            from = pc;
            predicates = 0;
        }
        if (none || lets_pass(p, m, pc)) continue;
        mark_stretch(p, m, from, pc);
        from = pc + 1;
        predicates = 0;
    }
}

bool hoist_mark(program *p, const code_module *m, const exec_table *ops)
{
    if (rule_left_out(RULE_hoist)) return true;
    bool *entered = calloc((size_t)m->block_count + 1, sizeof *entered);
    if (!entered) return false;
    mark_loops(p, m, ops);
    find_entered(p, m, ops, entered);
    mark_blocks(p, m, ops, entered);
    free(entered);
    return true;
}
