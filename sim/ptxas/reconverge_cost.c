/* reconverge_cost.c: what it costs lanes that parted at a branch to reconverge, on cards whose
 * machine code says where (compute 7.0 and later).
 *
 * Each thread has its own place in the program there. Before a branch that lanes may take
 * differently, ptxas writes an instruction (BSSY) that says where they reconverge. There it writes
 * another (BSYNC), at which the first lanes wait. All go through it, whether they parted or not: an
 * "if" takes some fifteen clocks longer than one that all lanes take the same way, as the compiler
 * knows (uniform.c). Lanes that parted go through it apart, and each side takes as long, one after
 * the other. So do lanes with nothing to do between the branch and there, and those that leave a
 * loop before others.
 *
 * The step is that of the block's ENTER, at which the simulator joins lanes too. It is the second
 * of the two; the first costs an issue, which is counted with it. Where branches have become
 * predicates (combine.c) no lanes reconverge, nor where only the end or a barrier follows.
 */
#include "rules.h"
#include "ptxas.h"
#include <stdlib.h>

/* Only the end follows, at which lanes end by themselves, or a barrier, before which they go on as
 * predicates. */
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
