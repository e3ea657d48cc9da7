/* hints.c: prefetch, applypriority, discard and createpolicy, which change no result.
 *
 * They do nothing, but their forms and operands are checked like those of other instructions.
 */
#include "access.h"
#include "exec.h"

OP_FN(nothing)
{
    (void)w;
    return in + 1;
}

static bool select_prefetch(form *f)
{
    static const uint16_t levels[] = {S_LEVEL_L1, S_LEVEL_L2, S_L2_EVICT_LAST, S_L2_EVICT_NORMAL, S_NONE};
    f->space = take_space(f);
    if (!form_take(f, S_TENSORMAP) && !form_take_any(f, levels)) return form_refuse(f, "needs a known cache level");
    if (!form_operands(f, 1, 1) || !take_space_of(f, &f->in->operand[0])) return false;
    form_address(f, &f->in->operand[0]);
    f->fn = nothing;
    return true;
}

/* discard and applypriority: [a], 128. */
static bool select_line_hint(form *f)
{
    f->space = take_space(f);
    if (f->space != SPACE_NONE && f->space != SPACE_GLOBAL) return form_refuse(f, "works on global memory only");
    if (!form_take(f, f->in->op == OP_DISCARD ? S_LEVEL_L2 : S_L2_EVICT_NORMAL))
        return form_refuse(f, "needs a known cache level");
    if (!form_operands(f, 2, 2)) return false;
    if (f->in->operand[1].kind != O_INT || f->in->operand[1].value.i != 128)
        return form_refuse(f, "needs the size 128");
    form_address(f, &f->in->operand[0]);
    f->fn = nothing;
    return true;
}

/* A policy is a 64-bit word that only hints read. That of .fractional has the word of an H200, whose bits 52 to 55
 * hold the fraction in sixteenths, less one (of 1, 1/2 and 1/16: others were not compared); that of .range is 1. */
static inline uint64_t sixteenths(float of)
{
    const int n = of < 1.0f ? (int)(of * 16.0f) : 16;
    return (uint64_t)(n > 1 ? n - 1 : 0) << 52;
}
OP_FN(fractional_policy)
{
    const float *pa = SRC(float, in->o[1]);
    LANE_STORE(uint64_t, (uint64_t)in->mod << 56 | sixteenths(A));
}
OP_FN(whole_policy) { LANE_STORE(uint64_t, (uint64_t)in->mod << 56 | sixteenths(1.0f)); }
OP_FN(range_policy) { LANE_STORE(uint64_t, 1); }
OP_FN(copied_policy)
{
    const uint64_t *pa = SRC(uint64_t, in->o[1]);
    LANE_STORE(uint64_t, A);
}

/* The bits of a priority: first, what has it; second, the rest. */
static uint32_t priority_bits(enum ptx_suffix s, bool rest)
{
    return rest                     ? s == S_L2_EVICT_FIRST
           : s == S_L2_EVICT_FIRST  ? 2
           : s == S_L2_EVICT_LAST   ? 4
           : s == S_L2_EVICT_NORMAL ? 6
                                    : 0;
}

static bool select_policy(form *f)
{
    static const uint16_t priorities[] = {S_L2_EVICT_LAST, S_L2_EVICT_NORMAL, S_L2_EVICT_FIRST, S_APPLYPRIORITY_L2,
                                          S_NONE};
    if (form_type(f) != T_B64) return form_refuse(f, "needs .b64");
    if (form_take(f, S_CVT)) {
        f->fn = copied_policy;
        form_take(f, S_LEVEL_L2);
        if (!form_operands(f, 2, 2)) return false;
        form_def(f, &f->in->operand[0], T_B64);
        form_use(f, &f->in->operand[1], T_B64);
        return true;
    }
    bool range = form_take(f, S_RANGE);
    if (!range && !form_take(f, S_FRACTIONAL)) return form_refuse(f, "needs .cvt, .range or .fractional");
    if (range) form_take(f, S_GLOBAL);
    const enum ptx_suffix first = form_take_any(f, priorities);
    if (!first) return form_refuse(f, "needs a known priority");
    const enum ptx_suffix rest = form_take_any(f, priorities);
    f->fn = range ? range_policy : f->in->operand_count == 2 ? fractional_policy : whole_policy;
    f->mod = 16 | priority_bits(first, false) | priority_bits(rest, true);
    if (!form_operands(f, range ? 4 : 1, range ? 4 : 2)) return false;
    form_def(f, &f->in->operand[0], T_B64);
    if (range) {
        form_address(f, &f->in->operand[1]);
        form_use(f, &f->in->operand[2], T_B32);
        form_use(f, &f->in->operand[3], T_B32);
    } else if (f->in->operand_count == 2) {
        form_use(f, &f->in->operand[1], T_F32);
    }
    return true;
}

bool SIM_NAME(select_hint)(form *f)
{
    switch (f->in->op) {
    case OP_PREFETCH:
    case OP_PREFETCHU: return select_prefetch(f);
    case OP_DISCARD:
    case OP_APPLYPRIORITY: return select_line_hint(f);
    case OP_CREATEPOLICY: return select_policy(f);
    default: return form_refuse(f, "is not supported here");
    }
}
