/* combine.h: what combine.c and predicates.c share; see there. */
#ifndef SIM_COMBINE_H
#define SIM_COMBINE_H

#include "ptxas.h"

enum { FULL = 1, HOLDS_CONSTANT = 2, EITHER_UNIT = 4 }; /* bits of `full` */
enum {
    PREDICATED = 7 /* instructions at most on a side of a branch that is none */,
    NEAR = 64 /* instructions at most to the one that takes another in */
};

typedef struct combiner {
    program *p;
    const code_module *m;
    const sim_timing *t;
    const exec_table *ops;
    size_t most;         /* registers of a function */
    uint8_t *names;      /* by register of the function: how often it is named */
    uint8_t *named_else; /* not counting what says how to shuffle: lanes, masks */
    uint8_t *not_added;  /* not counting summands of 64 bits */
    uint8_t *in_sum;     /* a product that each sum with it makes */
    uint8_t *full;       /* by pc: has taken in another instruction, a constant; may go to either unit */
    /* the card has instructions for the least or greatest of three numbers, and of a sum and
     * another */
    bool minimum_of_three;
} combiner;

static inline int bits_of(const ptx_insn *in)
{
    return in->type_count && ptx_types[in->type[0]].kind != 'F' ? ptx_bits((enum ptx_type)in->type[0]) : 0;
}
static inline bool is_sum(const ptx_insn *in)
{
    return (in->op == OP_ADD || in->op == OP_SUB) && !ptx_has(in, S_SAT) && !ptx_has(in, S_CC);
}
static inline bool is_logic(const ptx_insn *in)
{
    return in->op == OP_AND || in->op == OP_OR || in->op == OP_XOR || in->op == OP_NOT;
}
static inline bool reads(const ptx_insn *in, int reg)
{
    for (int i = 1; i < in->operand_count; i++)
        if (in->operand[i].kind == O_REG && in->operand[i].reg == reg) return true;
    return false;
}
static inline bool plain(const combiner *c, uint32_t pc)
{
    return c->m->info[pc].real && !c->m->info[pc].guarded && c->p->first[pc] < c->p->first[pc + 1];
}

/* The one instruction of the block that uses what `pc` makes; 0: there is none, or more. */
uint32_t combine_only_user(const combiner *c, uint32_t pc);
/* One more than the pc of the instruction of the block that makes the operand of the one at `pc`;
 * 0: there is none. */
uint32_t combine_maker(const combiner *c, uint32_t pc, const ptx_operand *o);

#endif
