/* uniform.c: atomics at an address that all lanes of a warp have alike for sure.
 *
 * The machine code makes one atomic of those of a whole warp (sector.c) where the compiler can tell that they go to one word, not where they
 * only turn out to. It can tell when the address is made of parameters, constants and numbers of the block by arithmetic. Here: of registers
 * that are written once, not under a guard, and before they are read in the order of the text.
 */
#include "memory.h"
#include <stdlib.h>

static bool of_the_block(uint16_t sreg) { return sreg == SR_CTAID || sreg == SR_NCTAID || sreg == SR_NTID || sreg == SR_GRIDID; }

/* `alike`: by register. */
static bool is_alike(const ptx_operand *o, const uint8_t *alike)
{
    switch (o->kind) {
    case O_REG:
    case O_ADDRESS: return o->reg < 0 || alike[o->reg];
    case O_INT:
    case O_VAR: return true;
    case O_SREG: return of_the_block(o->sreg);
    default: return false;
    }
}

/* Its result is alike for all lanes when its sources are. */
static bool passes_on(const code_info *info)
{
    switch ((enum sim_class)info->cls) {
    case SIM_CLASS_MOVE:
    case SIM_CLASS_INT:
    case SIM_CLASS_INT_MUL:
    case SIM_CLASS_LOGIC:
    case SIM_CLASS_CONVERT:
    case SIM_CLASS_CONSTANT: return info->src->guard < 0;
    default: return false;
    }
}

static void note_written(const ptx_operand *o, uint8_t *written)
{
    if (o->kind == O_REG && o->reg >= 0 && written[o->reg] < 2) written[o->reg]++;
    if (o->pair && o->second) note_written(o->second, written);
    for (int i = 0; (o->kind == O_VECTOR || o->kind == O_LIST) && i < o->count; i++) note_written(&o->elements[i], written);
}

/* Of one function, whose instructions are `from` to `to`. */
static void find_in(const code_module *m, uint32_t from, uint32_t to, uint8_t *written, uint8_t *alike, bool *found)
{
    for (uint32_t pc = from; pc < to; pc++)
        if (m->info[pc].real && m->info[pc].src->operand_count) note_written(&m->info[pc].src->operand[0], written);
    for (uint32_t pc = from; pc < to; pc++) {
        const code_info *info = &m->info[pc];
        const ptx_insn *in = info->src;
        if (!info->real || !in->operand_count) continue;
        bool all = passes_on(info);
        for (int i = 1; i < in->operand_count; i++) all = all && is_alike(&in->operand[i], alike);
        if (in->operand[0].kind == O_REG && in->operand[0].reg >= 0) alike[in->operand[0].reg] = all && written[in->operand[0].reg] == 1;
        for (int i = 0; i < in->operand_count && info->cls == SIM_CLASS_ATOMIC; i++)
            if (in->operand[i].kind == O_ADDRESS) found[pc] = is_alike(&in->operand[i], alike);
    }
}

bool *uniform_atomics(const code_module *m)
{
    bool *found = calloc((size_t)m->count + 1, sizeof *found);
    for (uint32_t from = 0, to; found && from < m->count; from = to) {
        const ptx_func *f = m->info[from].func;
        bool any = false;
        for (to = from; to < m->count && m->info[to].func == f; to++) any |= m->info[to].real && m->info[to].cls == SIM_CLASS_ATOMIC;
        if (!any || !f) continue;
        const size_t registers = (size_t)f->reg_count + 1;
        uint8_t *known = calloc(2 * registers, 1);
        if (known) find_in(m, from, to, known, known + registers, found);
        free(known);
    }
    return found;
}
