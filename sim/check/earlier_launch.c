/* earlier_launch.c: a launch that may begin while the one before it still runs (programmatic stream serialisation).
 *
 * Where the earlier launch calls griddepcontrol.launch_dependents, the later one must call griddepcontrol.wait
 * before it touches what the earlier one touches. So what the race checker remembers of the earlier launch's global
 * memory is kept, and accesses of threads that do not know of such a wait are compared with it.
 */
#include "happens_before.h"
#include "race_memory.h"
#include "race_report.h"
#include <stdio.h>
#include <stdlib.h>

struct earlier_launch {
    struct race_state *state; /* its cells of global memory and its epochs; all else is freed */
    const sim_module *module;
    sim_place *place; /* of each slot */
    uint32_t grid[3], block[3];
};

void earlier_launch_free(sim *s, const sim_module *m)
{
    struct earlier_launch *e = s->earlier;
    if (!e || (m && e->module != m)) return;
    s->earlier = NULL;
    race_cells_free(e->state);
    free(e->place);
    free(e);
}

/* Called with the race checker's memory of a launch that is over. True: it is kept. */
bool earlier_launch_keep(launch *l)
{
    struct race_state *s = l->race;
    earlier_launch_free(l->s, NULL);
    if (!atomic_load(&l->lets_start) || !s->worker || !s->slot_pc) return false;
    struct earlier_launch *e = calloc(1, sizeof *e);
    if (!e) return false;
    e->place = calloc((size_t)l->code->slots + 1, sizeof *e->place);
    if (!e->place) {
        free(e);
        return false;
    }
    for (uint32_t i = 1; i <= l->code->slots; i++) fault_place(l, s->slot_pc[i], &e->place[i]);
    e->state = s;
    e->module = l->module;
    for (int i = 0; i < 3; i++) e->grid[i] = l->grid[i], e->block[i] = l->block[i];
    l->s->earlier = e;
    return true;
}

/* griddepcontrol.wait */
void earlier_launch_wait(warp *w)
{
    struct block_order *o = w->block->order;
    if (!o || !w->worker->launch->earlier) return;
    w->order->depends |= w->mask;
    if (o->depends_time) return;
    o->depends_time = o->time;
    o->depends_thread = w->index * 32 + (uint32_t)first_lane(w->mask);
}

/* Does the lane's thread know that the earlier launch is over? */
static bool knows(warp *w, int lane)
{
    const struct block_order *o = w->block->order;
    if (w->order->depends >> lane & 1) return true;
    return o->depends_time &&
           race_ordered(w, (uint32_t)lane, o->linear, o->depends_time, o->depends_thread / 32, o->depends_thread & 31);
}

static const race_alloc *alloc_then(const struct race_state *s, const alloc *al)
{
    for (uint32_t i = 0; i < s->alloc_count; i++)
        if (s->allocs[i]->number == al->number) return s->allocs[i];
    return NULL;
}

/* What one of the earlier launch's threads did there, 0: nothing that matters to a read, or to a write. */
static uint64_t done_there(const struct race_state *s, const race_alloc *r, uint64_t offset, bool reads, bool *wrote,
                           const struct epoch **at)
{
    for (int i = 0; i < s->workers; i++) {
        page *const *list = r->by_worker[i];
        const page *p = list && offset >> PAGE_BITS < r->pages ? list[offset >> PAGE_BITS] : NULL;
        if (!p) continue;
        const uint32_t in_page = (uint32_t)offset & (PAGE_BYTES - 1);
        const cell c = race_cell(p, in_page);
        const uint64_t e = c.w ? c.w : reads ? 0 : c.r0;
        if (!e) continue;
        *wrote = c.w != 0;
        *at = &s->worker[i].epochs[cell_stamp(e)];
        return e;
    }
    return 0;
}

static void say(warp *w, const access *a, int lane, uint64_t address, const struct earlier_launch *e, uint64_t done,
                bool wrote, const struct epoch *at)
{
    launch *l = w->worker->launch;
    const uint32_t pc = (uint32_t)(a->in - l->code->insns), slot = cell_slot(done);
    sim_fault f = {.kind = SIM_FAULT_RACE, .count = 1, .address = address, .size = a->size, .space = "global"};
    char what[128], line[40] = "";
    fault_place(l, pc, &f.at);
    fault_thread(l, w->block->linear, w->index * 32 + (uint32_t)lane, &f.at);
    f.at.lanes = UINT32_C(1) << lane;
    if (slot) f.other = e->place[slot];
    fault_thread_in(e->grid, e->block, at->linear, cell_warp(done) * 32 + cell_a(done), &f.other);
    f.other.lanes = UINT32_C(1) << cell_a(done);
    fault_what(w, SPACE_GLOBAL, address, a->in->size, what, sizeof what);
    if (f.other.line) snprintf(line, sizeof line, " at line %d", f.other.line);
    snprintf(f.message, sizeof f.message,
             "thread (%u,%u,%u) %s %s before griddepcontrol.wait; thread (%u,%u,%u) of block (%u,%u,%u) of the launch "
             "before, %.60s, %s it%s and may not be done",
             f.at.thread[0], f.at.thread[1], f.at.thread[2], a->kind == ACCESS_READ ? "reads" : "writes", what,
             f.other.thread[0], f.other.thread[1], f.other.thread[2], f.other.block[0], f.other.block[1],
             f.other.block[2], f.other.kernel ? f.other.kernel : "a kernel", wrote ? "writes" : "reads", line);
    snprintf(f.advice, sizeof f.advice,
             "Put griddepcontrol.wait (cudaGridDependencySynchronize()) before the first access to what the launch "
             "before touches: this one may begin as soon as all blocks there have called "
             "griddepcontrol.launch_dependents.");
    fault_note_race(l, &f, RACE_BLOCKS, pc, UINT32_MAX, w->block->linear);
}

void earlier_launch_access(warp *w, const access *a)
{
    const struct earlier_launch *e = w->worker->launch->earlier;
    const struct block_order *o = w->block->order;
    if (o->depends_time && o->depends_time <= o->full) return; /* the whole block knows */
    for (uint32_t m = a->mask & ~w->order->depends; m; m &= m - 1) {
        const int lane = first_lane(m);
        const uint64_t address = a->address[lane];
        const alloc *al = a->al ? a->al : memory_at(&w->worker->launch->s->mem, address);
        const race_alloc *r = al ? alloc_then(e->state, al) : NULL;
        bool wrote;
        const struct epoch *at;
        for (uint64_t i = 0; r && i < a->size; i += 4) {
            const uint64_t offset = address + i - al->start;
            const uint64_t done = done_there(e->state, r, offset, a->kind == ACCESS_READ, &wrote, &at);
            if (!done) continue;
            if (knows(w, lane)) break;
            say(w, a, lane, address + i, e, done, wrote, at);
            return;
        }
    }
}
