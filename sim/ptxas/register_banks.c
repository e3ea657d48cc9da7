/* register_banks.c: what instructions read from the register file.
 *
 * The registers of a scheduler's warps are in banks, each of which gives one register of a warp per
 * clock; time.register_reads says how many that are together. On an H200 they are two.
 * Multiply-adds of floats with three different registers issue there every 1.5 clocks, those of
 * doubles every 3, since a double is two registers. With two different ones, or when the
 * instruction before read one of them, they issue every clock. Only ptxas knows which bank a
 * register is in; here they are spread evenly.
 *
 * Some operands are not read: constants and kernel parameters, of which an instruction can have
 * one; and a factor or a summand that the instruction before had too, which is kept, but not the
 * last operand of three. (ptxas marks it .reuse: for the kernels of tests/fidelity and compute 9.0
 * at 509 of 584 such pairs of multiply-adds, of doubles at 108 of 252, so half of these are kept
 * here; two instructions apart at one of four.) An instruction that has taken in another
 * (combine.c) reads what that would have read. Addresses and what is stored are read at another
 * time, hidden by others.
 */
#include "rules.h"
#include "ptxas.h"
#include <stdlib.h>

enum { MOST = 9 /* registers that a step names */ };

typedef struct reader {
    const code_module *m;
    program *p;
    uint8_t *weight;     /* by register: how many registers are read for it */
    uint16_t kept[MOST]; /* read by the last instruction, but for its last operand */
    int kept_count;
    uint32_t block; /* of that instruction */
} reader;

static bool is_double(const code_module *m, const step *s)
{
    const ptx_insn *in = m->info[s->pc].src;
    const ptx_operand *to = in && in->operand_count ? &in->operand[0] : NULL;
    if (!to || to->kind != O_REG || to->reg < 0) return false;
    const enum ptx_type type = (enum ptx_type)m->info[s->pc].func->regs[to->reg].type;
    return ptx_types[type].kind == 'F' && ptx_bits(type) == 64;
}

/* Its unit gets the operands with the instruction. */
static bool computes(const step *s) { return s->unit != UNIT_MEMORY && s->unit != UNIT_TENSOR && !s->branch; }

/* A product and a sum in one, of floats or integers: the summand is the last operand. */
static bool has_summand(const ptx_insn *in) { return in->op == OP_FMA || in->op == OP_MAD || in->op == OP_MADC; }

static bool was_kept(const reader *r, uint16_t reg)
{
    for (int i = 0; i < r->kept_count; i++)
        if (r->kept[i] == reg) return true;
    return false;
}

static void keep(reader *r, const uint16_t *regs, int count)
{
    memcpy(r->kept, regs, sizeof *regs * (size_t)count);
    r->kept_count = count;
}

static void read_step(reader *r, step *s)
{
    const code_info *info = &r->m->info[s->pc];
    const ptx_insn *in = info->src;
    /* else it is one of several, whose operands are little known */
    const bool of_text = r->p->first[s->pc + 1] - r->p->first[s->pc] == 1;
    const int predicates = info->func ? info->func->code->regp : 0;
    uint16_t regs[MOST];
    int count = 0, constants = 0, weight = 0, all = 0;
    if (r->block != info->block) {
        r->block = info->block;
        r->kept_count = 0;
    }
    for (int i = 0; in && i < s->sources; i++) {
        const uint16_t reg = s->source[i];
        bool again = reg < predicates || reg == r->p->carry || reg == r->p->chain;
        for (int k = 0; k < count && !again; k++) again = regs[k] == reg;
        if (!again) regs[count++] = reg;
    }
    for (int i = 1; in && i < in->operand_count; i++)
        constants += in->operand[i].kind == O_INT || in->operand[i].kind == O_F32 || in->operand[i].kind == O_F64;
    const int factors = count - (count > 1 && has_summand(in));
    for (int i = 0; i < count; i++) {
        const int each = r->weight[regs[i]];
        all += each;
        constants += !each;
        weight += i < factors && was_kept(r, regs[i]) ? each / 2 : each;
    }
    if (constants > 1) weight += constants - 1, all += constants - 1;
    const int made = s->free ? (all > 3 ? 3 : all) : is_double(r->m, s) ? 2 : 1;
    for (int i = 0; i < s->targets; i++) r->weight[s->target[i]] = (uint8_t)made;
    if (s->free || !computes(s)) return;
    if (of_text || !s->reads) s->reads = (uint8_t)(of_text ? weight : !s->sources ? 0 : s->unit == UNIT_DOUBLE ? 4 : 2);
    keep(r, regs, factors);
}

bool register_reads_count(program *p, const code_module *m, const sim_timing *t)
{
    if (!t->register_reads || rule_left_out(RULE_banks)) return true;
    reader r = {.m = m, .p = p, .weight = malloc(p->registers), .block = UINT32_MAX};
    if (!r.weight) return false;
    memset(r.weight, 1, p->registers);
    for (uint32_t i = 0; i < p->count; i++) read_step(&r, &p->steps[i]);
    free(r.weight);
    return true;
}
