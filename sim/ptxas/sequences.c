/* sequences.c: PTX instructions that are several in machine code, on cards whose compilers are like
 * ptxas today (code_module.schedules).
 *
 * What ptxas 13 writes for compute 9.0, as ordinary numbers go through it; slow_paths.c has the
 * paths for others. A letter is an instruction, in the order of machine code:
 *
 *     f  multiply-add of floats    i  integers, logic, selections    x  multiply-add of integers
 *     w  the same with 64 bits     h  its upper 32                   v  a constant into a register
 *     m  special function          c  conversion by that unit        d  multiply-add of doubles
 *     e  the same of three registers (register_banks.c)
 *     p  comparison, on which the next one depends
 *     q  comparison, by whose outcome the next one chooses
 *     k, o  are these special numbers? By the special unit, or a comparison; only 'b' waits for that
 *     b  branch past the slow path
 *     s  where lanes reconverge, and y: they wait there for each other; neither is there when a
 *        compiler can tell that all go the same way (uniform.c)
 *
 * Small: it needs only what the PTX instruction needs; with a '.' after it, only the last operand
 * of that, the divisor. Capital: also the result of the letter before, or, with no branch among
 * them, of all letters before. '!' follows the letter whose result is that of the PTX instruction;
 * else that is the last one with a result.
 */
#include "rules.h"
#include "ptxas.h"

static const char *float_sequence(const ptx_insn *in)
{
    bool exact = ptx_has(in, S_RN) || ptx_has(in, S_RZ) || ptx_has(in, S_RM) || ptx_has(in, S_RP),
         ftz = ptx_has(in, S_FTZ);
    switch (in->op) {
    case OP_DIV:
        /* a constant has a constant reciprocal */
        if (exact) return in->operand[2].kind == O_F32 ? "vskfFFFF!by" : "m.skFFFFF!by";
        return ptx_has(in, S_FULL) ? ftz ? "pFFMF" : "ppFFFFMF" : ftz ? "mF" : "pFFMF";
    case OP_RCP: return exact ? "siIPBmFFF!y" : ftz ? "m" : "ppIIFMF";
    case OP_SQRT: return exact ? "msiPBffFF!y" : ftz ? "m" : "pFMF";
    case OP_RSQRT:
    case OP_LG2:
    case OP_EX2: return ftz ? "m" : "pFMF";
    case OP_SIN:
    case OP_COS: return "fM";
    case OP_MIN:
    case OP_MAX: return in->operand_count == 3 ? "i" : NULL;
    default: return NULL;
    }
}

static const char *double_sequence(const ptx_insn *in)
{
    switch (in->op) {
    case OP_DIV: return "m.vsD.D.D.D.D.oDEE!FPBy";
    case OP_RCP: return "imsoDDDDD!by";
    case OP_SQRT: return "imvvsoDDDdEDiiDE!by";
    case OP_MIN:
    case OP_MAX: return "vvdIIIX";
    default: return NULL;
    }
}

/* The rest of a division when the reciprocal is there; what is not on the longest path comes
 * first. */
static const char *rest_of_division(const ptx_insn *in, bool is_signed)
{
    if (in->op == OP_DIV) return is_signed ? "iiiHXXpPIPIII" : "ihXXPIPII";
    return is_signed ? "iHXXpPIPIII" : "hXXPIPII";
}

/* Divisions go through the reciprocal as a float, which is a little off. */
static const char *integer_sequence(const ptx_insn *in, int bits, bool is_signed)
{
    bool constant = in->operand_count > 2 && in->operand[2].kind == O_INT;
    switch (in->op) {
    case OP_DIV:
    case OP_REM:
        if (bits == 64) return "vbcMICWXIXWXVXWWWIXWXXIXIXWXVXWWWIXWXXWIXIPIIIIPIIIIPI!b";
        if (constant) return in->op == OP_DIV ? "hI" : "hIX";
        if (bits < 32) return "iicfMFCiX";
        if (is_signed) return in->op == OP_DIV ? "iiiiCMICxIXHHXPXiPIiipIII" : "iiiiCMICxiXHHXXPIpPIII";
        return in->op == OP_DIV ? "iicMICxXHHIXPXiPII" : "iicMICxXHHXXPIPII";
    case OP_MUL:
    case OP_MAD:
        if (bits == 64) return ptx_has(in, S_HI) ? "wWwiiIW" : ptx_has(in, S_LO) ? "xwXI" : NULL;
        return bits == 32 && ptx_has(in, S_HI) ? "h" : NULL;
    case OP_MIN:
    case OP_MAX: return bits == 64 ? "qQIi" : NULL;
    case OP_POPC:
    case OP_BREV: return bits == 64 ? "ccI" : "c";
    case OP_CLZ:
    case OP_BFIND: return bits == 64 ? "cciI" : "cI";
    case OP_BFE: return "iI";
    case OP_BFI: return "iI";
    default: return NULL;
    }
}

/* To and from floats. An integer of 32 bits or fewer to a 32-bit float is ordinary arithmetic. */
static const char *conversion(const ptx_insn *in)
{
    if (in->type_count < 2) return NULL;
    enum ptx_type to = (enum ptx_type)in->type[0], from = (enum ptx_type)in->type[1];
    bool to_float = ptx_types[to].kind == 'F', from_float = ptx_types[from].kind == 'F';
    if (!to_float && !from_float) return NULL;
    if (to_float && !from_float)
        return ptx_bits(to) == 32 && ptx_bits(from) <= 32 && !ptx_has(in, S_RP) && !ptx_has(in, S_RM) ? "i" : "c";
    if (to_float && ptx_bits(to) == 32 && ptx_bits(from) == 32)
        return in->suffix_count &&
                       (ptx_has(in, S_RNI) || ptx_has(in, S_RZI) || ptx_has(in, S_RMI) || ptx_has(in, S_RPI))
                   ? "c"
                   : NULL;
    return ptx_bits(to) <= 16 || ptx_bits(from) <= 16 ? NULL : "c";
}

/* ---- divisions by the same number ---- */

enum { LOOKED_AT = 512 /* instructions before and after a division */ };

static bool divides(const ptx_insn *in)
{
    return (in->op == OP_DIV || in->op == OP_REM) && in->type_count && ptx_types[in->type[0]].kind != 'F' &&
           ptx_bits((enum ptx_type)in->type[0]) == 32 && in->operand_count == 3 && in->operand[2].kind == O_REG;
}

static bool writes(const code_info *info, int reg)
{
    const ptx_operand *to = info->real && info->src->operand_count ? &info->src->operand[0] : NULL;
    if (!to) return false;
    for (int i = 0; ptx_is_list(to) && i < to->count; i++)
        if (to->elements[i].reg == reg) return true;
    return to->kind == O_REG && to->reg == reg;
}

/* The loop around `pc`, if it ends near: where it begins, and *end; else `pc`. */
static uint32_t loop_of(const code_module *m, uint32_t pc, const exec_table *ops, uint32_t *end)
{
    for (*end = pc; *end < m->count && *end - pc < LOOKED_AT; ++*end) {
        const insn *in = &m->insns[*end];
        if (in->fn != ops->branch && in->fn != ops->jump) continue;
        const uint32_t to = (uint32_t)(insn_target(in) - m->insns);
        if (to <= pc) return pc - to < LOOKED_AT ? to : pc;
    }
    return pc;
}

/* ptxas works out the reciprocal of a divisor once: for the first division by it, as long as
 * nothing jumps in between, and before a loop that does not change it. (Its cost there is left
 * out.) */
static bool has_reciprocal(const program *p, const code_module *m, uint32_t pc, const exec_table *ops)
{
    const ptx_insn *in = m->info[pc].src;
    if (!divides(in)) return false;
    const int by = in->operand[2].reg;
    for (uint32_t k = pc; k > 0 && pc - k < LOOKED_AT && !p->entered[k] && m->info[k - 1].func == m->info[pc].func;) {
        const code_info *info = &m->info[--k];
        if (writes(info, by)) return false;
        if (info->real && divides(info->src) && info->src->operand[2].reg == by && info->src->type[0] == in->type[0])
            return true;
    }
    uint32_t end, begin = loop_of(m, pc, ops, &end);
    if (begin == pc) return false;
    for (uint32_t k = begin; k <= end; k++)
        if (writes(&m->info[k], by)) return false;
    return true;
}

const char *sequence_of(const program *p, const code_module *m, uint32_t pc, const sim *card)
{
    const ptx_insn *in = m->info[pc].src;
    if (!m->schedules || !m->info[pc].real || card->card.timing.units != 2 || !in->type_count ||
        rule_left_out(RULE_sequences))
        return NULL;
    enum ptx_type type = (enum ptx_type)in->type[0];
    if (has_reciprocal(p, m, pc, card->ops)) return rest_of_division(in, ptx_types[type].kind == 'S');
    if (in->op == OP_CVT) return conversion(in);
    if (in->op == OP_MUL || in->op == OP_MAD) {
        if (p->narrow[pc] == NARROW_PRODUCT) return "w";
        if (p->narrow[pc] == NARROW_FACTOR) return "xwI";
        if (p->narrow[pc] == NARROW_32) return "x";
    }
    if (ptx_types[type].kind != 'F') return integer_sequence(in, ptx_bits(type), ptx_types[type].kind == 'S');
    return ptx_bits(type) == 32 ? float_sequence(in) : ptx_bits(type) == 64 ? double_sequence(in) : NULL;
}

static void set(step *s, enum unit unit, double busy, double latency)
{
    s->unit = (uint8_t)unit;
    s->busy = clocks_of(busy);
    s->latency = clocks_of(latency);
}

void sequence_cost(step *s, char letter, const sim_timing *t)
{
    s->slot = clocks_of(t->issue);
    s->cause = SIM_STALL_ARITHMETIC;
    switch (letter | 32) {
    case 'f': set(s, UNIT_FLOAT, t->float_issue, t->latency); break;
    case 'x': set(s, cost_product_unit(t), t->multiply_issue, t->multiply_latency); break;
    case 'w':
        set(s, cost_product_unit(t), t->wide_issue > 0 ? t->wide_issue : 2 * t->multiply_issue, t->multiply_latency);
        break;
    case 'h':
        set(s, cost_product_unit(t), 2 * t->multiply_issue,
            t->high_latency > 0 ? t->high_latency : t->multiply_latency);
        break;
    case 'm':
    case 'k':
    case 'c': set(s, UNIT_SPECIAL, t->special_issue, t->special_latency); break;
    case 'd': set(s, UNIT_DOUBLE, t->double_issue, t->double_latency); break;
    case 'e':
        set(s, UNIT_DOUBLE, t->double_issue, t->double_latency);
        s->reads = t->register_reads > 0 ? 6 : 0; /* or the card's banks give all at once */
        break;
    case 'o':
    case 'p': set(s, UNIT_INT, t->integer_issue, t->predicate_latency); break;
    case 'q':
        set(s, UNIT_INT, t->integer_issue, t->select_latency > 0 ? t->select_latency : t->predicate_latency);
        break;
    case 'b':
    case 'y': /* the instruction for 's' is counted with what reconverging takes */
        set(s, UNIT_INT, t->issue,
            (letter | 32) == 'y' && t->meet_latency > t->meet_issue ? t->meet_latency - t->meet_issue
                                                                    : t->branch_latency);
        s->cause = SIM_STALL_BRANCH;
        s->branch = true;
        break;
    case 's':
    case 'v': set(s, UNIT_INT, t->issue, t->latency); break;
    default: set(s, UNIT_INT, t->integer_issue, t->latency); break;
    }
}

/* ---- constants of 64 bits ----
 *
 * An instruction holds 32 bits of one constant: all of a double whose lower half is zero. Other
 * constants need two moves each. A few per block stay in registers, which costs nothing in a loop;
 * more are made anew each time, though there would be room.
 */

enum { CONSTANTS_KEPT = 4 };

static bool has_constants(const code_info *info)
{
    return info->real && info->src->op != OP_MOV && info->src->op != OP_LD && info->src->op != OP_ST;
}

/* Adds the constants of the instruction at `pc` that the list lacks; returns how many. */
static uint32_t new_constants(sequence_constants *e, const code_module *m, uint32_t pc)
{
    uint32_t added = 0, inside = 0;
    const ptx_insn *in = m->info[pc].src;
    if (!has_constants(&m->info[pc])) return 0;
    for (int i = 1; i < in->operand_count; i++) {
        uint64_t v = (uint64_t)in->operand[i].value.i;
        uint32_t k = 0;
        if (in->operand[i].kind != O_F64 || !v || (!(v & UINT32_MAX) && !inside++)) continue;
        while (k < e->count && e->seen[k] != v) k++;
        if (k < e->count || e->count == SEQUENCE_CONSTANTS) continue;
        e->seen[e->count++] = v;
        added++;
    }
    return added;
}

uint32_t sequence_moves(sequence_constants *e, const code_module *m, uint32_t pc)
{
    uint32_t of = m->info[pc].block;
    if (!e->begun || e->block != of) {
        *e = (sequence_constants){.begun = true, .block = of};
        for (uint32_t k = m->blocks[of].first; k <= m->blocks[of].last; k++) new_constants(e, m, k);
        e->again = e->count > CONSTANTS_KEPT;
        e->count = 0;
    }
    return e->again && !rule_left_out(RULE_constants) ? 2 * new_constants(e, m, pc) : 0;
}
