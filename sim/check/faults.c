/* faults.c: what a kernel did wrong, as values.
 *
 * fault_raise makes a fatal fault: it ends the launch. fault_note adds a finding that lets the
 * launch go on (races, notes); findings of one kind between the same two instructions fold into one
 * with a count. Blocks may run on several host threads and in any order. So of folded findings the
 * log keeps that of the lowest block, and it sorts by block at the end: reports do not depend on
 * the host.
 */
#include "check.h"
#include "list.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOG_MOST = 512 }; /* distinct findings kept while running; far more than are shown */

typedef struct entry {
    sim_fault f;
    uint32_t pc, other_pc;
    enum race_scope scope;
    uint64_t block, order; /* order of discovery, which within one block is the program's own */
} entry;

struct fault_log {
    pthread_mutex_t lock;
    entry *list;
    uint32_t count;
    uint64_t found;
    entry fatal;
    bool has_fatal;
};

static const char *const advice_of[SIM_FAULT_KINDS] = {
#define FAULT(id, name, advice) advice,
#include "faults.def"
#undef FAULT
};

const char *sim_fault_advice(enum sim_fault_kind kind) { return advice_of[kind]; }

bool fault_log_start(launch *l)
{
    l->faults = calloc(1, sizeof *l->faults);
    if (!l->faults) return false;
    if (pthread_mutex_init(&l->faults->lock, NULL)) {
        free(l->faults);
        l->faults = NULL;
        return false;
    }
    return true;
}

void fault_log_reset(launch *l)
{
    struct fault_log *g = l->faults;
    if (!g) return;
    g->count = 0;
    g->found = 0;
    g->has_fatal = false;
}

/* ---- places ---- */

/* The .loc of an instruction. Instructions that the compiler invented have none or line 0: they
 * take the nearest one before.
 */
static const ptx_loc *loc_of(const ptx_module *m, const code_info *info)
{
    const ptx_insn *in = info->src;
    for (; in && in >= info->func->insns && in < info->func->insns + info->func->insn_count; in--)
        if (in->loc >= 0 && in->loc < m->loc_count && m->locs[in->loc].line > 0) return &m->locs[in->loc];
    return NULL;
}

static const char *file_of(const ptx_module *m, const ptx_loc *loc)
{
    return loc->file >= 0 && loc->file < m->file_count ? m->files[loc->file] : NULL;
}

/* Where a loc in a library's header was inlined into something else, show the place it was inlined
 * into. */
static const ptx_loc *out_of_headers(const ptx_module *m, const ptx_loc *loc)
{
    for (const ptx_loc *at = loc; at;
         at = at->inlined_at >= 0 && at->inlined_at < m->loc_count ? &m->locs[at->inlined_at] : NULL) {
        const char *file = file_of(m, at), *dot = file ? strrchr(file, '.') : NULL;
        if (file && at->line > 0 && !(dot && (!strcmp(dot, ".h") || !strcmp(dot, ".hpp")))) return at;
        if (at->inlined_at >= at - m->locs) break; /* a loc is inlined at an earlier one, or this may not end */
    }
    return loc;
}

void fault_place(const launch *l, uint32_t pc, sim_place *out)
{
    out->kernel = l->kernel ? l->kernel->name : "";
    fault_place_in(l->module, pc, out);
}

void fault_place_in(const struct sim_module *of, uint32_t pc, sim_place *out)
{
    const ptx_module *m = &of->ptx;
    out->file = m->name;
    if (pc >= of->code.count || !of->code.info[pc].src) return;
    const code_info *info = &of->code.info[pc];
    out->ptx_line = out->line = info->src->line;
    const ptx_loc *loc = loc_of(m, info);
    if (!loc || !file_of(m, loc)) return;
    loc = out_of_headers(m, loc);
    out->file = file_of(m, loc);
    out->line = loc->line;
    if (loc->inlined_at >= 0 && loc->inlined_at < m->loc_count) {
        const ptx_loc *at = &m->locs[loc->inlined_at];
        out->inlined_into = at->function ? at->function : info->func->name;
        out->inlined_line = at->line;
    }
}

void fault_thread(const launch *l, uint64_t linear, uint32_t thread, sim_place *out)
{
    fault_thread_in(l->grid, l->block, linear, thread, out);
}

void fault_thread_in(const uint32_t grid[3], const uint32_t of[3], uint64_t linear, uint32_t thread, sim_place *out)
{
    uint64_t gx = grid[0] ? grid[0] : 1, gy = grid[1] ? grid[1] : 1;
    uint32_t bx = of[0] ? of[0] : 1, by = of[1] ? of[1] : 1;
    out->block[0] = (uint32_t)(linear % gx);
    out->block[1] = (uint32_t)(linear / gx % gy);
    out->block[2] = (uint32_t)(linear / gx / gy);
    out->thread[0] = thread % bx;
    out->thread[1] = thread / bx % by;
    out->thread[2] = thread / bx / by;
}

/* The source's name of a variable within a function: "tile" of "_ZZ3mulPKfE4tile". Other names stay
 * as they are. */
static int source_name(const char *name, const char **start)
{
    *start = name;
    for (const char *e = strncmp(name, "_ZZ", 3) ? NULL : strchr(name, 'E'); e; e = strchr(e + 1, 'E')) {
        char *rest;
        if (e[1] < '1' || e[1] > '9') continue;
        unsigned long length = strtoul(e + 1, &rest, 10);
        size_t left = strlen(rest);
        if (length > left || (length < left && rest[length] != '_')) continue;
        *start = rest;
        return (int)length;
    }
    return (int)strlen(name);
}

void fault_part_name(const shared_part *p, char *out, size_t size)
{
    const char *start = "memory";
    int length = p->var ? source_name(p->var->name, &start) : 6;
    snprintf(out, size, "%sshared %.*s", p->var ? "" : "the block's ", length, start);
}

void fault_what(const warp *w, uint8_t space, uint64_t address, uint32_t unit, char *out, size_t size)
{
    const launch *l = w->worker->launch;
    uint64_t offset = address;
    char name[96] = "";
    const char *what = space == SPACE_LOCAL ? "the thread's local memory" : "shared memory";
    if (space == SPACE_GLOBAL) {
        const alloc *al = memory_at(&l->s->mem, address);
        what = al && al->name ? al->name : "a buffer";
        if (al) offset -= al->start;
    } else if (space == SPACE_SHARED) {
        const shared_part *p = memory_part(l, address, false);
        if (p && p->var) {
            offset -= p->from;
            fault_part_name(p, name, sizeof name);
            what = name;
        }
    }
    if (!unit) unit = 1;
    snprintf(out, size, "element %llu of %s (byte %llu)", (unsigned long long)(offset / unit), what,
             (unsigned long long)offset);
}

/* ---- recording ---- */

void fault_filmed(launch *l, enum sim_fault_kind kind, int lane, uint64_t address, uint32_t size)
{
    if (!l->found || l->found->there) return;
    *l->found = (sim_film_found){
        .there = true, .kind = kind, .lane = (uint32_t)lane, .address = address, .size = size, .other_pc = UINT32_MAX};
}

const insn *fault_raise(warp *w, const insn *in, enum sim_fault_kind kind, int lane, uint32_t lanes, const char *space,
                        uint64_t address, uint32_t size, const char *fmt, ...)
{
    launch *l = w->worker->launch;
    struct fault_log *g = l->faults;
    const block *b = w->block;
    uint32_t mask = w->mask ? w->mask : w->exists;
    if (lane < 0 || lane > 31) lane = mask ? first_lane(mask) : 0;
    entry e;
    memset(&e, 0, sizeof e);
    e.f.kind = kind;
    e.pc = in && in >= l->code->insns && in < l->code->insns + l->code->count ? (uint32_t)(in - l->code->insns)
                                                                              : UINT32_MAX;
    e.block = b->linear;
    fault_place(l, e.pc, &e.f.at);
    fault_thread(l, b->linear, w->index * 32 + (uint32_t)lane, &e.f.at);
    e.f.at.lanes = lanes ? lanes : 1u << lane;
    e.f.space = space ? space : "";
    e.f.address = address;
    e.f.size = size;
    e.f.count = 1;
    va_list args;
    va_start(args, fmt);
    vsnprintf(e.f.message, sizeof e.f.message, fmt, args);
    va_end(args);
    snprintf(e.f.advice, sizeof e.f.advice, "%s", w->worker->advice ? w->worker->advice : advice_of[kind]);
    w->worker->advice = NULL;
    e.f.assertion = w->worker->assertion;
    w->worker->assertion = 0;
    if (w->worker->other) e.f.other = *w->worker->other;
    w->worker->other = NULL;
    if (g) {
        pthread_mutex_lock(&g->lock);
        if (!g->has_fatal || e.block < g->fatal.block) {
            g->fatal = e;
            g->has_fatal = true;
        }
        pthread_mutex_unlock(&g->lock);
    }
    fault_filmed(l, kind, lane, address, size);
    w->stop = STOP_FAULT;
    atomic_store(&l->stop, 1);
    return NULL;
}

uint32_t fault_ended_at(const launch *l, sim_film_found *found)
{
    const struct fault_log *g = l->faults;
    if (!g || !g->has_fatal) return UINT32_MAX;
    const sim_fault *f = &g->fatal.f;
    const uint32_t thread = f->at.thread[0] + l->block[0] * (f->at.thread[1] + l->block[1] * f->at.thread[2]);
    *found = (sim_film_found){.there = true,
                              .kind = f->kind,
                              .lane = thread % 32,
                              .address = f->address,
                              .size = f->size,
                              .other_pc = UINT32_MAX};
    return g->fatal.pc;
}

static entry *find(struct fault_log *g, enum sim_fault_kind kind, uint32_t pc, uint32_t other_pc)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (g->list[i].pc == pc && g->list[i].other_pc == other_pc && g->list[i].f.kind == kind) return &g->list[i];
    return NULL;
}

static entry *add(struct fault_log *g)
{
    if (g->count == LOG_MOST || !list_grow(&g->list, g->count, sizeof *g->list)) return NULL;
    return &g->list[g->count++];
}

void fault_note(launch *l, const sim_fault *f, uint32_t pc, uint32_t other_pc, uint64_t linear)
{
    fault_note_race(l, f, RACE_WARP, pc, other_pc, linear);
}

void fault_note_race(launch *l, const sim_fault *f, enum race_scope scope, uint32_t pc, uint32_t other_pc,
                     uint64_t linear)
{
    struct fault_log *g = l->faults;
    if (!g) return;
    pthread_mutex_lock(&g->lock);
    entry *e = find(g, f->kind, pc, other_pc);
    uint64_t count = f->count ? f->count : 1;
    bool better = false;
    if (e) {
        count += e->f.count;
        better = scope > e->scope || (scope == e->scope && linear < e->block);
    } else {
        e = add(g);
        better = e != NULL;
    }
    if (better) {
        *e = (entry){.f = *f, .pc = pc, .other_pc = other_pc, .scope = scope, .block = linear, .order = g->found++};
        if (!e->f.advice[0]) snprintf(e->f.advice, sizeof e->f.advice, "%s", advice_of[f->kind]);
        if (!e->f.space) e->f.space = "";
    }
    if (e) e->f.count = count;
    else l->lacks = true;
    pthread_mutex_unlock(&g->lock);
}

void fault_remark(const warp *w, const insn *in, enum sim_fault_kind kind, uint32_t lanes, const char *advice,
                  const char *fmt, ...)
{
    launch *l = w->worker->launch;
    const uint32_t pc = (uint32_t)(in - l->code->insns);
    sim_fault f = {.kind = kind, .note = true, .count = 1};
    fault_place(l, pc, &f.at);
    fault_thread(l, w->block->linear, w->index * 32 + (uint32_t)first_lane(lanes), &f.at);
    f.at.lanes = lanes;
    va_list args;
    va_start(args, fmt);
    vsnprintf(f.message, sizeof f.message, fmt, args);
    va_end(args);
    snprintf(f.advice, sizeof f.advice, "%s", advice);
    fault_note(l, &f, pc, UINT32_MAX, w->block->linear);
}

void fault_count(launch *l, enum sim_fault_kind kind, uint32_t pc, uint32_t other_pc, uint64_t times)
{
    struct fault_log *g = l->faults;
    if (!g) return;
    pthread_mutex_lock(&g->lock);
    entry *e = find(g, kind, pc, other_pc);
    if (e) e->f.count += times;
    pthread_mutex_unlock(&g->lock);
}

/* ---- the end of a launch ---- */

static int by_block(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->f.note != y->f.note) return x->f.note ? 1 : -1;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_race(const entry *e) { return e->f.kind == SIM_FAULT_RACE && !e->f.note; }

static bool same_line(const sim_place *a, const sim_place *b)
{
    return a->line && a->line == b->line && a->file && b->file && !strcmp(a->file, b->file);
}

static bool same_lines(const sim_fault *a, const sim_fault *b)
{
    return (same_line(&a->at, &b->at) && same_line(&a->other, &b->other)) ||
           (same_line(&a->at, &b->other) && same_line(&a->other, &b->at));
}

/* Orders races by scope, the widest first: a warp's barrier does not help where threads of other
 * warps race too. A narrower race at the same two lines counts as the wider one. Where a block's
 * barrier is missing, races on the same memory are not advised a warp's.
 */
static void widest_first(struct fault_log *g)
{
    uint32_t kept = 0;
    /* insertion sort among races only; other findings keep their places */
    for (uint32_t i = 0; i < g->count; i++) {
        if (!is_race(&g->list[i])) continue;
        for (uint32_t at = i, before = i; before-- > 0;) {
            if (!is_race(&g->list[before])) continue;
            if (g->list[before].scope >= g->list[at].scope) break;
            const entry e = g->list[before];
            g->list[before] = g->list[at];
            g->list[at] = e;
            at = before;
        }
    }
    for (uint32_t i = 0; i < g->count; i++) {
        entry *e = &g->list[i], *wider = NULL;
        for (uint32_t k = 0; is_race(e) && k < kept && !wider; k++)
            if (is_race(&g->list[k]) && g->list[k].scope > e->scope && same_lines(&g->list[k].f, &e->f))
                wider = &g->list[k];
        if (wider) {
            wider->f.count += e->f.count;
            continue;
        }
        for (uint32_t k = 0; is_race(e) && e->scope == RACE_WARP && k < kept; k++)
            if (is_race(&g->list[k]) && g->list[k].scope == RACE_BLOCK && !strcmp(g->list[k].f.space, e->f.space) &&
                !strcmp(e->f.advice, race_advice(RACE_WARP)))
                snprintf(e->f.advice, sizeof e->f.advice, "%s", race_advice(RACE_BLOCK));
        g->list[kept++] = *e;
    }
    g->count = kept;
}

/* Stores as many findings in the result as the caller wants. */
static bool store(const launch *l, const struct fault_log *g)
{
    sim_result *r = l->result;
    uint32_t most = l->wanted->max_faults > 0 ? (uint32_t)l->wanted->max_faults : 16;
    uint32_t kept = g->count < most ? g->count : most;
    arena *const mem = r->owner;
    jmp_buf oom, *const outer = mem->oom;
    if (setjmp(oom)) {
        mem->oom = outer;
        r->fault_count = 0;
        return false;
    }
    mem->oom = &oom;
    r->faults = arena_array(mem, (size_t)kept + 1, sizeof *r->faults);
    r->fault_count = 0;
    if (g->has_fatal) r->faults[r->fault_count++] = g->fatal.f;
    for (uint32_t i = 0; i < kept; i++) r->faults[r->fault_count++] = g->list[i].f;
    r->faults_left_out = g->count - kept;
    for (int i = 0; i < r->fault_count; i++) {
        sim_fault *f = &r->faults[i];
        if (f->at.file) f->at.file = arena_string(mem, f->at.file, strlen(f->at.file));
        if (f->other.file) f->other.file = arena_string(mem, f->other.file, strlen(f->other.file));
        if (!f->note) r->code = SIM_E_FAULT;
    }
    mem->oom = outer;
    return true;
}

void fault_log_finish(launch *l)
{
    struct fault_log *g = l->faults;
    if (!g) return;
    if (g->count) qsort(g->list, g->count, sizeof *g->list, by_block);
    widest_first(g);
    if (!store(l, g)) l->lacks = true;
    pthread_mutex_destroy(&g->lock);
    free(g->list);
    free(g);
    l->faults = NULL;
}
