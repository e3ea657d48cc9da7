/* sim.c: the public functions that are not a launch: the card, its memory, its modules. */
#include "rules.h"
#include "check/unknown_memory.h"
#include "isa.h"
#include "machine/host_memory.h"
#include "run/parallel_bet.h"
#include "run/texture_read.h"
#include "list.h"
#include <stdio.h>
#include <stdlib.h>

static void forget(alloc *al)
{
    known_bits_forget(&al->known_bits);
    bet_forget(al);
}

/* Memory that loading one text may take. A usual text takes some 15 times its length, one of very
 * short lines twice that. */
#define LOAD_MOST ((size_t)2 << 30)

int sim_open(sim **out, const sim_card *card, sim_error *err)
{
    *out = NULL;
    if (rules_read(err)) return SIM_E_ARGUMENT;
    const char *wanted = getenv("WARPSTEP_ISA");
    const exec_table *ops = exec_best(wanted);
    if (!ops && wanted)
        return sim_fail(err, SIM_E_ARGUMENT, "WARPSTEP_ISA=%s: this processor or build has no such instruction set",
                        wanted);
    if (!ops)
        return sim_fail(
            err, SIM_E_ARGUMENT,
            "this program was built for other processors: build it again, with ISAS=base among the settings");
    sim *s = calloc(1, sizeof *s);
    if (!s) return sim_no_memory(err);
    s->card = *card;
    s->ops = ops;
    s->time_run = time_run_by(ops);
    s->mem.forget = forget;
    s->mem.limit = card->memory_bytes;
    s->load_most = LOAD_MOST;
    host_pool_open(&s->pool);
    *out = s;
    return SIM_OK;
}

void sim_close(sim *s)
{
    if (!s) return;
    earlier_launch_free(s, NULL);
    while (s->module_count) sim_unload(s, s->modules[s->module_count - 1]);
    free(s->modules);
    texture_end(s);
    free(s->l2);
    memory_end(&s->mem);
    host_pool_close(&s->pool);
    free(s);
}

const sim_card *sim_card_of(const sim *s) { return &s->card; }

/* ---- memory ---- */

int sim_alloc(sim *s, uint64_t bytes, const char *name, uint64_t *address, sim_error *err)
{
    alloc *a;
    int code = memory_add(&s->mem, bytes, name, NULL, &a, err);
    if (!code) *address = a->start;
    return code;
}

int sim_alloc_at(sim *s, uint64_t address, uint64_t bytes, const char *name, sim_error *err)
{
    alloc *a;
    return memory_add_at(&s->mem, address, bytes, name, &a, err);
}

bool sim_buffer_from(const sim *s, uint64_t address, sim_buffer *out)
{
    const memory *m = &s->mem;
    uint32_t low = 0, high = m->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->list[middle]->start + m->list[middle]->size <= address) low = middle + 1;
        else high = middle;
    }
    while (low < m->count && (m->list[low]->freed || !m->list[low]->host)) low++;
    if (low == m->count) return false;
    const alloc *a = m->list[low];
    *out = (sim_buffer){a->start, a->size, a->name, a->host, a->init, a->touched};
    return true;
}

void sim_touched_none(sim *s)
{
    for (uint32_t i = 0; i < s->mem.count; i++) s->mem.list[i]->touched = false;
}

/* The host has written these bytes. */
static void set_written(sim *s, alloc *a, uint64_t from, uint64_t bytes)
{
    const uint64_t to = from + bytes;
    time_written(s, a->start + from, bytes);
    a->again = NULL;
    if (!from && bytes == a->size) { /* all of it: nothing is left to ask */
        free(a->init);
        a->init = NULL;
        known_bits_forget(&a->known_bits);
    }
    if (!a->init) return;
    while (from < to && from % 64) a->init[from / 64] |= UINT64_C(1) << (from % 64), from++;
    while (from + 64 <= to) a->init[from / 64] = UINT64_MAX, from += 64;
    while (from < to) a->init[from / 64] |= UINT64_C(1) << (from % 64), from++;
}

int sim_give(sim *s, void *of, uint64_t bytes, const char *name, sim_fill *again, void *arg, uint64_t *address,
             sim_error *err)
{
    alloc *a;
    int code = memory_add(&s->mem, bytes, name, of, &a, err);
    if (code) return code;
    *address = a->start;
    set_written(s, a, 0, bytes);
    a->again = again;
    a->again_arg = arg;
    return SIM_OK;
}

int sim_map(sim *s, uint64_t address, void *of, uint64_t bytes, const char *name, sim_error *err)
{
    alloc *a;
    return memory_map(&s->mem, address, of, bytes, name, true, &a, err);
}

int sim_map_alone(sim *s, uint64_t address, void *of, uint64_t bytes, const char *name, sim_error *err)
{
    alloc *a;
    return memory_map(&s->mem, address, of, bytes, name, false, &a, err);
}

void sim_addresses_from(sim *s, uint64_t base)
{
    if (!s->mem.next) s->mem.next = base;
}

void sim_empty_cache(sim *s) { time_l2_empty(s); }

int sim_free(sim *s, uint64_t address, sim_error *err) { return memory_remove(&s->mem, address, err); }

static alloc *whole_range(sim *s, uint64_t address, uint64_t bytes, const char *verb, sim_error *err)
{
    alloc *a = memory_at(&s->mem, address);
    if (!a || a->freed || !a->host) {
        sim_fail(err, SIM_E_ARGUMENT, "cannot %s at 0x%llx: %s", verb, (unsigned long long)address,
                 a ? "that buffer has been freed" : "no buffer is there");
        return NULL;
    }
    if (bytes > a->size - (address - a->start)) {
        sim_fail(err, SIM_E_ARGUMENT, "cannot %s %llu bytes at offset %llu of %s, which has %llu", verb,
                 (unsigned long long)bytes, (unsigned long long)(address - a->start), a->name ? a->name : "a buffer",
                 (unsigned long long)a->size);
        return NULL;
    }
    return a;
}

int sim_write(sim *s, uint64_t address, const void *data, uint64_t bytes, sim_error *err)
{
    if (!bytes) return SIM_OK;
    alloc *a = whole_range(s, address, bytes, "write", err);
    if (!a) return SIM_E_ARGUMENT;
    host_copy(a->host + (address - a->start), data, bytes);
    set_written(s, a, address - a->start, bytes);
    return SIM_OK;
}

int sim_read(sim *s, uint64_t address, void *data, uint64_t bytes, sim_error *err)
{
    if (!bytes) return SIM_OK;
    alloc *a = whole_range(s, address, bytes, "read", err);
    if (!a) return SIM_E_ARGUMENT;
    host_copy(data, a->host + (address - a->start), bytes);
    return SIM_OK;
}

void *sim_memory(sim *s, uint64_t address, uint64_t bytes)
{
    alloc *a = memory_at(&s->mem, address);
    return a && !a->freed && a->host && bytes <= a->size - (address - a->start) ? a->host + (address - a->start) : NULL;
}

/* ---- modules ---- */

/* Where the caller wants it; NULL: nowhere in particular. */
static const sim_place_of *wanted_place(const sim_place_of *places, int count, const ptx_var *v)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(places[i].name, v->name) && v->size <= places[i].bytes) return &places[i];
    return NULL;
}

static int place_globals(sim *s, sim_module *m, const sim_place_of *places, int count, sim_error *err)
{
    m->symbols = arena_array(&m->arena, (size_t)m->ptx.var_count + 1, sizeof *m->symbols);
    for (int i = 0; i < m->ptx.var_count; i++) {
        ptx_var *v = m->ptx.vars[i];
        if (v->space != SPACE_GLOBAL && v->space != SPACE_CONST) continue;
        if (v->is_extern && !v->size)
            return sim_fail(err, SIM_E_REFUSED, "%s is declared .extern but not defined in this module", v->name);
        alloc *a;
        const sim_place_of *to = wanted_place(places, count, v);
        const uint64_t bytes = v->size ? v->size : 1;
        int code = !to           ? memory_add(&s->mem, bytes, v->name, NULL, &a, err)
                   : !to->memory ? memory_add_at(&s->mem, to->address, bytes, v->name, &a, err)
                                 : memory_map(&s->mem, to->address, to->memory, bytes, v->name, true, &a, err);
        if (code) return code;
        a->is_symbol = true;
        a->is_reference = ptx_is_reference(v) && !v->is_array;
        a->is_const = v->space == SPACE_CONST;
        if (a->init) memset(a->init, 0xff, (a->size + 63) / 64 * 8); /* PTX: zero unless initialised */
        v->address = a->start;
        v->placed = true;
        m->symbols[m->symbol_count++] = a;
    }
    return SIM_OK;
}

/* The samplers that the module itself describes. */
static int make_samplers(sim *s, sim_module *m, sim_error *err)
{
    for (int i = 0; i < m->ptx.var_count; i++) {
        const ptx_var *v = m->ptx.vars[i];
        if (!v->sampler || !v->placed) continue;
        sim_sampler of = {.linear = v->sampler->linear, .plain = v->sampler->plain};
        for (int k = 0; k < 3; k++) of.outside[k] = v->sampler->outside[k];
        uint64_t handle;
        int code = sim_sampler_make(s, &of, &handle, err);
        if (code) return code;
        m->samplers[m->sampler_count++] = handle;
        memcpy(memory_at(&s->mem, v->address)->host, &handle, sizeof handle);
    }
    return SIM_OK;
}

static void fill_globals(sim *s, sim_module *m)
{
    for (int i = 0; i < m->ptx.var_count; i++) {
        const ptx_var *v = m->ptx.vars[i];
        if (v->space != SPACE_GLOBAL && v->space != SPACE_CONST) continue;
        alloc *a = memory_at(&s->mem, v->address);
        for (int k = 0; a && k < v->init_count; k++) {
            const ptx_init *p = &v->inits[k];
            uint64_t bits = p->bits;
            if (p->var) {
                bits = p->var->address + (uint64_t)p->addend;
                if (p->var->space == SPACE_SHARED && p->generic) bits += SHARED_WINDOW;
                bits >>= 8 * (p->byte_shift < 8 ? p->byte_shift : 7);
            } else if (p->func) {
                bits = (CODE_FUNCTION_BASE + 16 * (uint64_t)p->func->index + (uint64_t)p->addend) >>
                       (8 * (p->byte_shift < 8 ? p->byte_shift : 7));
            }
            if (p->offset <= a->size && p->size <= a->size - p->offset && p->size <= 8)
                memcpy(a->host + p->offset, &bits, p->size);
        }
    }
}

/* A parameter that the kernel loads and uses as an address is a pointer. */
static bool used_as_address(const ptx_func *f, const ptx_var *v)
{
    for (int i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        if (in->op != OP_LD || in->operand_count != 2 || in->operand[1].var != v || in->operand[0].kind != O_REG)
            continue;
        int r = in->operand[0].reg;
        for (int k = 0; k < f->insn_count; k++) {
            const ptx_insn *u = &f->insns[k];
            for (int o = 0; o < u->operand_count; o++)
                if (u->operand[o].reg == r &&
                    ((u->operand[o].kind == O_ADDRESS) || (u->op == OP_CVTA && u->operand[o].kind == O_REG && o == 1)))
                    return true;
        }
    }
    return false;
}

/* The source file of the first instruction that has one. */
static const char *source_of(const ptx_module *m, const ptx_func *f)
{
    for (int i = 0; i < f->insn_count; i++) {
        const ptx_loc *loc = f->insns[i].loc < 0 ? NULL : &m->locs[f->insns[i].loc];
        if (loc) return loc->file >= 0 && loc->file < m->file_count ? m->files[loc->file] : NULL;
    }
    return NULL;
}

static void list_kernels(const sim *s, sim_module *m)
{
    int count = 0;
    for (int i = 0; i < m->ptx.func_count; i++) count += m->ptx.funcs[i]->is_entry && m->ptx.funcs[i]->has_body;
    m->kernels = arena_array(&m->arena, (size_t)count + 1, sizeof *m->kernels);
    for (int i = 0; i < m->ptx.func_count; i++) {
        const ptx_func *f = m->ptx.funcs[i];
        if (!f->is_entry || !f->has_body) continue;
        sim_kernel *k = &m->kernels[m->kernel_count++];
        sim_param *p = arena_array(&m->arena, (size_t)f->param_count + 1, sizeof *p);
        uint32_t end = 0;
        for (int j = 0; j < f->param_count; j++) {
            const ptx_var *v = f->params[j];
            p[j] = (sim_param){.name = v->name,
                               .offset = (uint32_t)v->address,
                               .size = (uint32_t)v->size,
                               .align = v->align,
                               .pointer = v->size == 8 && (v->pointer || used_as_address(f, v))};
            end = (uint32_t)(v->address + v->size);
        }
        *k = (sim_kernel){.name = f->name,
                          .params = f->param_count,
                          .param = p,
                          .param_bytes = end,
                          .shared_bytes = f->code->shared_bytes,
                          .local_bytes = f->code->stack_local,
                          .registers = code_registers(f->code, &s->card),
                          .registers_least = code_registers_least(f->code, &s->card),
                          .cooperative = m->code.uses_grid_sync,
                          .asks = f->code->asks & (FUNC_CLOCK | FUNC_LAUNCH),
                          .line = f->line,
                          .last_line = f->last_line,
                          .file = source_of(&m->ptx, f)};
        if (f->maxntid[0])
            k->max_threads = f->maxntid[0] * (f->maxntid[1] ? f->maxntid[1] : 1) * (f->maxntid[2] ? f->maxntid[2] : 1);
        k->most_cluster = f->cluster_most;
        k->explicit_cluster = f->explicit_cluster;
        for (int d = 0; d < 3; d++) k->required_cluster[d] = f->cluster[0] ? (f->cluster[d] ? f->cluster[d] : 1) : 0;
        for (int d = 0; d < 3; d++) k->required_block[d] = f->reqntid[0] ? (f->reqntid[d] ? f->reqntid[d] : 1) : 0;
    }
}

void sim_as_written(sim *s, bool as_written) { s->as_written = as_written; }
void sim_keep_names(sim *s, bool keep) { s->keeps_names = keep; }

static int too_large(const sim *s, const char *name, size_t bytes, const sim_module *m, sim_error *err)
{
    const double most = (double)s->load_most / (1 << 30);
    const double share = m->ptx.read ? (double)m->ptx.read / (double)bytes : 1; /* of the text that has been read */
    const double more = share < 1 ? 1.6 / share : 1.6; /* the code is made when all has been read */
    int code =
        sim_fail(err, SIM_E_REFUSED, "this PTX of %.1f MiB would need about %.2g GiB of memory; the limit is %.2g GiB",
                 (double)bytes / (1 << 20), more * most, most);
    if (err) snprintf(err->file, sizeof err->file, "%s", name ? name : "");
    sim_hint(err,
             "Put the kernels that you run into a file of their own, or unroll their loops less (#pragma unroll 1).");
    return code;
}

int sim_load(sim *s, const char *name, const char *text, size_t bytes, sim_module **out, sim_error *err)
{
    return sim_load_at(s, name, text, bytes, NULL, 0, out, err);
}

int sim_load_at(sim *s, const char *name, const char *text, size_t bytes, const sim_place_of *places, int count,
                sim_module **out, sim_error *err)
{
    *out = NULL;
    sim_module *m =
        list_grow(&s->modules, (size_t)s->module_count, sizeof *s->modules) ? calloc(1, sizeof *m) : NULL;
    if (!m) return sim_no_memory(err);
    jmp_buf here;
    volatile int code;
    arena_budget budget = {.limit = s->load_most};
    m->arena.budget = &budget;
    m->arena.oom = &here;
    m->ptx.arena = &m->arena;
    s->modules[s->module_count++] = m;
    if (setjmp(here) == 0) {
        code = ptx_parse(&m->ptx, name, text, bytes, err);
        if (!code) code = place_globals(s, m, places, count, err);
        m->code.cuts_products = s->card.mad_truncates;
        m->code.schedules = s->card.cc_major > 1;
        m->code.as_written = s->as_written;
        m->code.keeps_names = s->keeps_names;
        if (!code) code = code_build(&m->code, &m->ptx, s->ops, &m->arena, err);
        if (!code) {
            fill_globals(s, m);
            list_kernels(s, m);
            m->samplers = arena_array(&m->arena, (size_t)m->ptx.var_count + 1, sizeof *m->samplers);
            code = make_samplers(s, m, err);
        }
    } else {
        code = sim_no_memory(err);
    }
    if (code == SIM_E_MEMORY && budget.spent) code = too_large(s, name, bytes, m, err);
    m->arena.oom = NULL;
    m->arena.budget = NULL;
    if (code) sim_unload(s, m);
    else *out = m;
    return code;
}

void sim_unload(sim *s, sim_module *m)
{
    for (int i = 0; i < s->module_count; i++) {
        if (s->modules[i] != m) continue;
        earlier_launch_free(s, m);
        s->modules[i] = s->modules[--s->module_count];
        for (int k = 0; k < m->symbol_count; k++) {
            m->symbols[k]->name = NULL;
            memory_remove(&s->mem, m->symbols[k]->start, NULL);
        }
        for (int k = 0; k < m->sampler_count; k++) sim_texture_free(s, m->samplers[k], NULL);
        arena_free(&m->arena);
        free(m);
        return;
    }
}

int sim_kernels(const sim_module *m) { return m->kernel_count; }
const sim_kernel *sim_kernel_at(const sim_module *m, int i)
{
    return i >= 0 && i < m->kernel_count ? &m->kernels[i] : NULL;
}
const sim_kernel *sim_kernel_of(const sim_module *m, uint64_t address)
{
    const uint64_t n = (address - CODE_FUNCTION_BASE) / 16;
    if (address < CODE_FUNCTION_BASE || address % 16 || n >= (uint64_t)m->ptx.func_count) return NULL;
    const ptx_func *f = m->ptx.funcs[n];
    return f->is_entry && f->has_body ? sim_kernel_named(m, f->name) : NULL;
}

const sim_kernel *sim_kernel_named(const sim_module *m, const char *name)
{
    for (int i = 0; i < m->kernel_count; i++)
        if (!strcmp(m->kernels[i].name, name)) return &m->kernels[i];
    return NULL;
}

const char *sim_variable_at(const sim_module *m, int i, uint64_t *address)
{
    if (i < 0 || i >= m->symbol_count) return NULL;
    *address = m->symbols[i]->start;
    return m->symbols[i]->name;
}

int sim_symbol(const sim_module *m, const char *name, uint64_t *address, uint64_t *bytes)
{
    for (int i = 0; i < m->ptx.var_count; i++) {
        const ptx_var *v = m->ptx.vars[i];
        if ((v->space != SPACE_GLOBAL && v->space != SPACE_CONST) || strcmp(v->name, name)) continue;
        *address = v->address;
        *bytes = v->size;
        return SIM_OK;
    }
    return SIM_E_ARGUMENT;
}

int sim_texture_bind(sim *s, sim_module *m, const char *name, uint64_t handle, sim_error *err)
{
    for (int i = 0; i < m->ptx.var_count; i++) {
        const ptx_var *v = m->ptx.vars[i];
        if (!ptx_is_reference(v) || strcmp(v->name, name)) continue;
        if (!texture_binds(s, handle, v->type))
            return sim_fail(err, SIM_E_ARGUMENT, "%s cannot be bound to this: it is not the handle of a %s", name,
                            v->type == T_SAMPLERREF ? "sampler" : "texture");
        return sim_write(s, v->address, &handle, sizeof handle, err);
    }
    return sim_fail(err, SIM_E_ARGUMENT, "the module has no texture, surface or sampler reference called %s", name);
}
