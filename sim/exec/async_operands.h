/* async_operands.h: operands that the selectors of background copies share. */
#ifndef SIM_ASYNC_OPERANDS_H
#define SIM_ASYNC_OPERANDS_H

#include "run/async.h"
#include "access.h"
#include "exec.h"

static inline void unused(form *f, int slots)
{
    while (f->slots < slots) f->slot[f->slots++] = (struct form_slot){NULL, T_NONE, SLOT_UNUSED};
}

static inline const ptx_operand *constant(form *f, int64_t value)
{
    ptx_operand *c = arena_alloc(f->arena, sizeof *c);
    c->kind = O_INT;
    c->reg = -1;
    c->component = 255;
    c->value.i = value;
    return c;
}

static inline bool number(form *f, const ptx_operand *op, int64_t *value)
{
    if (op->kind != O_INT) return form_refuse(f, "needs a constant number");
    *value = op->value.i;
    return true;
}

/* The state spaces of destination and source, in the order written. */
static inline void two_spaces(form *f, uint8_t *to, uint8_t *from)
{
    *to = *from = SPACE_NONE;
    for (int i = 0; i < f->in->suffix_count; i++) {
        uint16_t s = f->in->suffix[i];
        uint8_t space = s == S_GLOBAL                                                 ? SPACE_GLOBAL
                        : s == S_SHARED || s == S_SHARED_CTA || s == S_SHARED_CLUSTER ? SPACE_SHARED
                                                                                      : SPACE_NONE;
        if (!space) continue;
        form_take(f, (enum ptx_suffix)s);
        if (!*to) *to = space;
        else *from = space;
    }
}

#endif
