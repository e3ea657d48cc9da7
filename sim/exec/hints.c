/* hints.c: prefetch, applypriority, discard and createpolicy, which change no result.
 *
 * They do nothing, but their forms and operands are checked like those of other instructions.
 */
#include "access.h"
#include "select.h"

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
    if (!form_operands(f, 1, 1)) return false;
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

/* A policy is a 64-bit word that only hints read; ours is always 1. */
OP_FN(make_policy) { LANE_STORE(uint64_t, 1); }

static bool select_policy(form *f)
{
    static const uint16_t priorities[] = {S_L2_EVICT_LAST, S_L2_EVICT_NORMAL, S_L2_EVICT_FIRST, S_APPLYPRIORITY_L2,
                                          S_NONE};
    if (form_type(f) != T_B64) return form_refuse(f, "needs .b64");
    f->fn = make_policy;
    if (form_take(f, S_CVT)) {
        form_take(f, S_LEVEL_L2);
        if (!form_operands(f, 2, 2)) return false;
        form_def(f, &f->in->operand[0], T_B64);
        form_use(f, &f->in->operand[1], T_B64);
        return true;
    }
    bool range = form_take(f, S_RANGE);
    if (!range && !form_take(f, S_FRACTIONAL)) return form_refuse(f, "needs .cvt, .range or .fractional");
    if (range) form_take(f, S_GLOBAL);
    if (!form_take_any(f, priorities)) return form_refuse(f, "needs a known priority");
    form_take_any(f, priorities);
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
