/* reconverge_cost.c: where lanes that parted at a branch meet again, on cards whose machine code
 * says so itself (compute 7.0 and later).
 *
 * Each thread has a place of its own in the program there. In front of a branch that lanes may take
 * differently ptxas writes an instruction (BSSY) that says where they are to meet, and there
 * another one (BSYNC), at which those who come first wait. All go through it, whether they parted
 * or not: an "if" takes some fifteen clocks longer than one of which the compiler knows that all
 * lanes take it alike (uniform.c). Lanes that part go through it apart, and then one side after the
 * other takes as long: also those that have nothing to do between the branch and there, and those
 * that leave a loop earlier than others.
 *
 * The step is that of the block's ENTER, at which the simulator joins lanes too. It is the second
 * of the two; the first one costs an issue, which is counted with it. Where branches have become
 * predicates (combine.c) nobody meets, nor where nothing follows but the end or a barrier.
 */
#include "rules.h"
#include "ptxas.h"
#include <stdlib.h>

/* Nothing follows but the end, at which lanes end by themselves, or a barrier, in front of which
 * they go on as predicates. */
static bool need_not(const code_module *m, uint32_t pc)
{
    const code_block *b = &m->blocks[m->info[pc].block];
    for (uint32_t k = b->first; k <= b->last; k++)
        if (m->info[k].real)
            return m->info[k].src->op == OP_RET || m->info[k].src->op == OP_EXIT || m->info[k].cls == SIM_CLASS_BARRIER;
    return true;
}

bool *meet_find(const code_module *m, const bool *alike, const sim *card)
{
    bool *found = calloc((size_t)m->count + 1, sizeof *found);
    const bool costs = card->card.timing.meet_latency > 0 && !rule_left_out(RULE_reconverge);
    for (uint32_t pc = 0; found && costs && pc < m->count; pc++) {
        const insn *in = &m->insns[pc], *meet = in->fn == card->ops->branch ? insn_join(in) : NULL;
        if (!meet || !m->info[pc].src || m->info[pc].src->guard < 0 || alike[pc]) continue;
        const uint32_t at = (uint32_t)(meet - m->insns);
        if (!need_not(m, at)) found[pc] = found[at] = true;
    }
    return found;
}

void meet_drop(program *p, const code_module *m, const exec_table *ops)
{
    for (uint32_t pc = 0; pc < m->count; pc++) {
        if (!p->meets[pc] || m->insns[pc].fn == ops->branch) continue;
        p->steps[p->first[pc]].free = true;
        p->steps[p->first[pc]].branch = false;
    }
    for (uint32_t pc = 0; pc < m->count; pc++) {
        if (!p->meets[pc] || m->insns[pc].fn != ops->branch || p->steps[p->first[pc]].free) continue;
        step *s = &p->steps[p->first[insn_join(&m->insns[pc]) - m->insns]];
        s->free = false;
        s->branch = true;
    }
}
