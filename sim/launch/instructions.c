/* instructions.c: what a module's instructions and shared variables are called, for who looks at a
 * film. */
#include "launch.h"
#include "check/check.h"
#include <stdlib.h>

uint32_t launch_parts(const code_func *cf, uint32_t more, shared_part *out, uint32_t *total)
{
    uint32_t count = cf->part_count;
    if (count) memcpy(out, cf->parts, count * sizeof *out);
    *total = cf->shared_end;
    if (more || cf->has_dynamic || !count) {
        *total = (cf->has_dynamic ? cf->dynamic_to : cf->shared_end) + more;
        out[count++] = (shared_part){cf->has_dynamic ? cf->dynamic_from : cf->shared_end, *total, NULL};
    }
    return count;
}

uint32_t sim_instructions(const sim_module *m) { return m->code.count; }

static void describe(sim_operand *o, const insn *in, const code_info *info, uint32_t i, const ptx_reg *reg)
{
    const bool many = info->refs > 8;
    const uint32_t place = many ? ((const uint32_t *)in->ext)[i] : in->o[i];
    const uint8_t role = many ? info->roles[i] : info->role[i];
    *o = (sim_operand){
        .name = reg ? reg->name : NULL, .type = "", .at = place, .read = role != DEF, .written = role != USE};
    enum ptx_type type = many ? info->roles[info->refs + i] : info->type[i];
    /* a load may move 32 bits of no type into a register of floats */
    if (reg &&
        (type == T_NONE || (*ptx_types[type].name == 'b' && code_place_bytes(type) == code_place_bytes(reg->type))))
        type = reg->type;
    if (place == UINT32_MAX || place & 1 || role == SLOT_UNUSED) return; /* no register */
    o->type = ptx_types[type].name;
    o->bytes = code_place_bytes(type);
}

bool sim_instruction_at(const sim_module *m, uint32_t pc, sim_instruction *out)
{
    const code_module *c = &m->code;
    *out = (sim_instruction){.form = "", .kernel = "", .file = m->ptx.name};
    if (pc >= c->count) return false;
    const code_info *info = &c->info[pc];
    sim_place place = {0};
    fault_place_in(m, pc, &place);
    out->kernel = info->func ? info->func->name : "";
    out->file = place.file;
    out->line = place.line;
    out->ptx_line = place.ptx_line;
    out->form = info->real && info->src && info->src->form ? info->src->form : "";
    out->cls = info->cls;
    out->real = info->real;
    for (uint32_t i = 0; i < info->refs && out->operands < SIM_OPERANDS; i++) {
        sim_operand *o = &out->operand[out->operands];
        describe(o, &c->insns[pc], info, i, c->names && c->names[pc] ? c->names[pc][i] : NULL);
        out->operands += o->bytes > 0;
    }
    return true;
}

static const ptx_func *kernel_of(const sim_module *m, const char *kernel)
{
    for (int i = 0; i < m->ptx.func_count; i++)
        if (m->ptx.funcs[i]->is_entry && m->ptx.funcs[i]->has_body && !strcmp(m->ptx.funcs[i]->name, kernel))
            return m->ptx.funcs[i];
    return NULL;
}

/* The name of the launch's own shared memory, where the module has one for it. */
static const ptx_var *dynamic_name(const sim_module *m)
{
    const ptx_var *only = NULL;
    for (int i = 0; i < m->ptx.var_count; i++) {
        const ptx_var *v = m->ptx.vars[i];
        if (v->space != SPACE_SHARED || !v->is_extern) continue;
        if (only) return NULL;
        only = v;
    }
    return only;
}

int sim_shared_of(const sim_module *m, const char *kernel, uint32_t dynamic_bytes, sim_shared *out, int room)
{
    const ptx_func *f = kernel_of(m, kernel);
    shared_part *parts = f ? calloc((size_t)f->code->part_count + 1, sizeof *parts) : NULL;
    if (!parts) return 0;
    uint32_t total, count = launch_parts(f->code, dynamic_bytes, parts, &total);
    int listed = 0;
    for (uint32_t i = 0; i < count && listed < room; i++) {
        const ptx_var *v = parts[i].var ? parts[i].var : dynamic_name(m);
        if (parts[i].from == parts[i].to) continue;
        out[listed++] = (sim_shared){v ? v->name : NULL, parts[i].from, parts[i].to, v ? ptx_types[v->type].name : ""};
    }
    free(parts);
    return listed;
}

uint32_t sim_register_bytes(const sim_module *m, const char *kernel)
{
    const ptx_func *f = kernel_of(m, kernel);
    return f ? launch_register_bytes(f->code) : 0;
}
