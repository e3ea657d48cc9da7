/* uniform.c: what is surely the same in all lanes of a warp, as a compiler can tell.
 *
 * Parameters, constants, numbers of the block, what arithmetic makes of these, and what is loaded
 * from such an address, through a pointer to volatile too. Also what a warp votes or sums up, or
 * gets from one of its lanes. Not what an atomic or a barrier gives back, nor what is in local
 * memory. So ptxas 13 has it for compute 9.0. Each register of a function counts as the same until
 * one of its definitions is not: because of its sources, or because lanes that parted from others
 * make it, while it is made elsewhere too. The turns of a loop that lanes leave one by one do not
 * count as that: those that go round it have the same counter.
 *
 * Machine code makes one atomic of those of a whole warp (coalesce_sectors.c) if the compiler can
 * tell that they go to one word, not if they only turn out to. Lanes reconverge after a branch
 * (reconverge_cost.c) if it cannot tell that they all go the same way.
 */
#include "rules.h"
#include "ptxas.h"
#include <stdlib.h>

static bool of_the_block(uint16_t sreg)
{
    return sreg == SR_CTAID || sreg == SR_NCTAID || sreg == SR_NTID || sreg == SR_GRIDID;
}

/* `alike`: by register. */
static bool is_alike(const ptx_operand *o, const uint8_t *alike)
{
    switch (o->kind) {
    case O_REG:
    case O_ADDRESS: return o->reg < 0 || alike[o->reg];
    case O_INT:
    case O_F32:
    case O_F64: return true;
    case O_VAR: return !o->var || o->var->space != SPACE_LOCAL; /* what lies there is each lane's own */
    case O_SREG: return of_the_block(o->sreg);
    default: return false;
    }
}

/* Its result is the same in all lanes when its sources are. */
static bool passes_on(const code_info *info)
{
    switch ((enum sim_class)info->cls) {
    case SIM_CLASS_CONSTANT:
    case SIM_CLASS_GLOBAL_LOAD:
    case SIM_CLASS_SHARED_LOAD: return true;
    default: return class_computes((enum sim_class)info->cls);
    }
}

enum {
    PASSES = 32,
    FAR = 4096 /* instructions after a branch */,
    WHOLE_WARP = 31 /* what tells a shuffle that all lanes belong together */
};

/* Where each register is first and last named, how often it is written, up to 2, and what a `mov`
 * wrote there. */
typedef struct named {
    uint32_t first, last;
    uint8_t written;
    int64_t moved;
} named;

static void note(named *list, const ptx_operand *o, uint32_t pc, bool written)
{
    if ((o->kind == O_REG || o->kind == O_ADDRESS) && o->reg >= 0) {
        named *n = &list[o->reg];
        if (n->first > pc) n->first = pc;
        n->last = pc;
        if (written && o->kind == O_REG && n->written < 2) n->written++;
    }
    for (int i = 0; i < ptx_inside(o); i++) note(list, &o->elements[i], pc, written);
}

static named *find_named(const code_module *m, uint32_t from, uint32_t to, size_t registers)
{
    named *list = malloc(registers * sizeof *list);
    for (size_t i = 0; list && i < registers; i++) list[i] = (named){.first = UINT32_MAX};
    for (uint32_t pc = from; list && pc < to; pc++) {
        const ptx_insn *in = m->info[pc].real ? m->info[pc].src : NULL;
        for (int i = 0; in && i < in->operand_count; i++) note(list, &in->operand[i], pc, i == 0);
        if (in && in->op == OP_MOV && in->operand[1].kind == O_INT && in->operand[0].kind == O_REG &&
            in->operand[0].reg >= 0)
            list[in->operand[0].reg].moved = in->operand[1].value.i;
        if (in && in->guard >= 0) note(list, &(ptx_operand){.kind = O_REG, .reg = in->guard}, pc, false);
    }
    return list;
}

/* True: that is new. */
static bool differ(const ptx_operand *o, uint8_t *alike)
{
    bool changed = false;
    if (o->kind == O_REG && o->reg >= 0 && alike[o->reg]) alike[o->reg] = 0, changed = true;
    for (int i = 0; i < ptx_inside(o); i++) changed |= differ(&o->elements[i], alike);
    return changed;
}

static bool reads_alike(const ptx_insn *in, const uint8_t *alike)
{
    bool all = in->guard < 0 || alike[in->guard];
    for (int i = 1; i < in->operand_count; i++) all = all && is_alike(&in->operand[i], alike);
    return all;
}

static bool is_whole_warp(const ptx_operand *o, const named *list)
{
    return o->kind == O_INT
               ? o->value.i == WHOLE_WARP
               : o->kind == O_REG && o->reg >= 0 && list[o->reg].written == 1 && list[o->reg].moved == WHOLE_WARP;
}

static bool makes_alike(const code_info *info, const named *list, const uint8_t *alike)
{
    const ptx_insn *in = info->src;
    switch (in->op) {
    case OP_VOTE:
    case OP_ACTIVEMASK:
    case OP_REDUX: return true;
    case OP_SHFL: return ptx_has(in, S_IDX) && is_alike(&in->operand[2], alike) && is_whole_warp(&in->operand[3], list);
    default: return passes_on(info) && reads_alike(in, alike);
    }
}

/* The branch at `pc` leads into a loop that comes back to it. */
static bool comes_again(const code_module *m, uint32_t pc, uint32_t to, const exec_table *ops)
{
    for (uint32_t k = pc + 1; k < to && k < pc + FAR; k++)
        if ((m->insns[k].fn == ops->branch || m->insns[k].fn == ops->jump) &&
            (uint32_t)(insn_target(&m->insns[k]) - m->insns) <= pc)
            return true;
    return false;
}

static uint32_t parts(const code_module *m, uint32_t pc, const uint8_t *alike, const exec_table *ops)
{
    const insn *in = &m->insns[pc], *meet = in->fn == ops->branch ? insn_join(in) : NULL;
    const ptx_insn *src = m->info[pc].src;
    return meet && src && src->guard >= 0 && !alike[src->guard] ? (uint32_t)(meet - m->insns) : 0;
}

/* What is written after the branch at `pc`, before lanes reconverge: if it is named elsewhere too,
 * and written more than once, lanes differ in it then. */
static bool part_registers(const code_module *m, uint32_t pc, uint32_t meet, const named *list, uint8_t *alike)
{
    bool changed = false;
    for (uint32_t k = pc + 1; k < meet && k < pc + FAR; k++) {
        const ptx_operand *o = m->info[k].real && m->info[k].src->operand_count ? &m->info[k].src->operand[0] : NULL;
        if (!o || o->kind != O_REG || o->reg < 0) continue;
        const named *n = &list[o->reg];
        if (n->written > 1 && (n->first <= pc || n->last >= meet)) changed |= differ(o, alike);
    }
    return changed;
}

/* Products and signs that became part of a sum (code/fuse.c) are only in the text. */
static bool differ_in_text(const ptx_func *f, const named *list, uint8_t *alike)
{
    bool changed = false;
    for (int i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        if ((in->op != OP_MUL && in->op != OP_NEG) || !in->operand_count) continue;
        const ptx_operand *to = &in->operand[0];
        if (to->kind == O_REG && to->reg >= 0 && !list[to->reg].written && !reads_alike(in, alike))
            changed |= differ(to, alike);
    }
    return changed;
}

static uint8_t *alike_registers(const code_module *m, uint32_t from, uint32_t to, const exec_table *ops)
{
    const size_t registers = (size_t)m->info[from].func->reg_count + 1;
    uint8_t *alike = malloc(registers);
    named *list = find_named(m, from, to, registers);
    bool changed = alike && list;
    if (changed) memset(alike, 1, registers);
    for (int pass = 0; changed && pass < PASSES; pass++) {
        changed = differ_in_text(m->info[from].func, list, alike);
        for (uint32_t pc = from; pc < to; pc++) {
            const code_info *info = &m->info[pc];
            if (info->real && info->src->operand_count && !makes_alike(info, list, alike))
                changed |= differ(&info->src->operand[0], alike);
            const uint32_t meet = parts(m, pc, alike, ops);
            if (meet > pc && !comes_again(m, pc, meet, ops)) changed |= part_registers(m, pc, meet, list, alike);
        }
    }
    if (changed) memset(alike, 0, registers); /* it would take too long to find out */
    if (!list) free(alike), alike = NULL;
    free(list);
    return alike;
}

/* What decides about the machine code: an atomic's address, all that another instruction reads. */
static bool decides_alike(const code_info *info, const uint8_t *alike)
{
    const ptx_insn *in = info->src;
    if (info->cls != SIM_CLASS_ATOMIC) return reads_alike(in, alike);
    bool one_word = false;
    for (int i = 0; i < in->operand_count; i++)
        if (in->operand[i].kind == O_ADDRESS) one_word = is_alike(&in->operand[i], alike);
    return one_word;
}

bool *uniform_find(const code_module *m, const exec_table *ops)
{
    bool *found = calloc((size_t)m->count + 1, sizeof *found);
    for (uint32_t from = 0, to; found && from < m->count && !rule_left_out(RULE_uniform); from = to) {
        const ptx_func *f = m->info[from].func;
        for (to = from; to < m->count && m->info[to].func == f; to++) {}
        uint8_t *alike = f ? alike_registers(m, from, to, ops) : NULL;
        if (f && !alike) {
            free(found);
            return NULL;
        }
        for (uint32_t pc = from; alike && pc < to; pc++)
            found[pc] = m->info[pc].src && decides_alike(&m->info[pc], alike);
        free(alike);
    }
    return found;
}
