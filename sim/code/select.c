/* select.c: what the selectors of exec/ use to read an instruction: consume its suffixes and types,
 * list its operands.
 *
 * A selector that returns true must have seen every suffix and every type. Otherwise form_finish
 * refuses the instruction, so that nothing the text says is ever ignored.
 */
#include "build.h"
#include <stdio.h>

bool form_take(form *f, enum ptx_suffix s)
{
    for (int i = 0; i < f->in->suffix_count; i++)
        if (f->in->suffix[i] == s && !(f->taken >> i & 1)) {
            f->taken |= 1u << i;
            return true;
        }
    return false;
}

enum ptx_suffix form_take_any(form *f, const uint16_t *list)
{
    for (; *list; list++)
        if (form_take(f, (enum ptx_suffix) * list)) return (enum ptx_suffix) * list;
    return S_NONE;
}

enum ptx_type form_type(form *f)
{
    return f->types_taken < f->in->type_count ? (enum ptx_type)f->in->type[f->types_taken++] : T_NONE;
}

bool form_refuse(form *f, const char *why)
{
    if (!f->why) f->why = why;
    return false;
}

bool form_operands(form *f, int least, int most)
{
    if (f->in->operand_count >= least && f->in->operand_count <= most) return true;
    return form_refuse(f, f->in->operand_count < least ? "has too few operands" : "has too many operands");
}

static void add_slot(form *f, const ptx_operand *op, enum ptx_type t, uint8_t role)
{
    if (f->slots >= (int)(sizeof f->slot / sizeof f->slot[0])) {
        form_refuse(f, "has too many operands");
        return;
    }
    f->slot[f->slots].op = op;
    f->slot[f->slots].type = t;
    f->slot[f->slots++].role = role;
}

void form_def(form *f, const ptx_operand *op, enum ptx_type t) { add_slot(f, op, t, DEF); }
void form_use(form *f, const ptx_operand *op, enum ptx_type t) { add_slot(f, op, t, USE); }

void form_shape(form *f, enum ptx_type d, enum ptx_type a, enum ptx_type b, enum ptx_type c)
{
    const enum ptx_type t[4] = {d, a, b, c};
    int n = 0;
    while (n < 4 && t[n] != T_NONE) n++;
    if (!form_operands(f, n, n)) return;
    for (int i = 0; i < n; i++) add_slot(f, &f->in->operand[i], t[i], i ? USE : DEF);
}

void form_address(form *f, const ptx_operand *op)
{
    while (f->slots < 4) add_slot(f, NULL, T_NONE, SLOT_UNUSED);
    if (op->kind != O_ADDRESS && op->kind != O_VAR) {
        form_refuse(f, "needs an address in brackets");
        return;
    }
    f->imm += op->value.i;
    if (op->var) {
        const ptx_var *v = op->var;
        f->imm += (int64_t)v->address;
        bool in_frame =
            v->space == SPACE_LOCAL || (v->space == SPACE_PARAM && !(v->owner && v->owner->is_entry && v->index >= 0));
        if (in_frame) f->mod |= 2;
        add_slot(f, NULL, T_NONE, SLOT_UNUSED);
    } else if (op->reg >= 0) {
        bool wide = ptx_bits(f->func->regs[op->reg].type) == 64;
        if (wide) f->mod |= 1;
        add_slot(f, op, wide ? T_B64 : T_B32, USE);
    } else {
        add_slot(f, NULL, T_NONE, SLOT_UNUSED);
    }
}

int form_finish(form *f, bool selected, sim_error *err)
{
    char text[160];
    const ptx_insn *in = f->in;
    const char *left = NULL;
    if (selected && !f->why && f->fn) {
        for (int i = 0; i < in->suffix_count && !left; i++)
            if (!(f->taken >> i & 1)) left = ptx_suffix_names[in->suffix[i]];
        if (!left && f->types_taken < in->type_count) left = ptx_types[in->type[f->types_taken]].name;
        if (!left) return SIM_OK;
    }
    ptx_form(in, text, sizeof text);
    if (left) sim_fail(err, SIM_E_REFUSED, "`%s`: this form is not supported here because of .%s", text, left);
    else if (f->why || f->fn) sim_fail(err, SIM_E_REFUSED, "`%s` %s", text, f->why ? f->why : "is not supported here");
    else
        sim_fail(err, SIM_E_REFUSED, "`%s` is not supported (%s: %s)", text, ptx_ops[in->op].name,
                 ptx_ops[in->op].effect);
    if (err) {
        snprintf(err->file, sizeof err->file, "%s", f->module->name);
        err->line = in->line;
        err->column = in->column;
    }
    sim_hint(err, PTX_DO_WITHOUT);
    return SIM_E_REFUSED;
}
