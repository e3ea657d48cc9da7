/* origin.c: where unknown bits came from, and the report when they decide something. unknown.h says
 * what an origin is. */
#include "origin.h"
#include <stdio.h>
#include <stdlib.h>

enum { KEPT = 1 << 16 };
#define NAMELESS UINT32_MAX

struct origins {
    uint32_t next;
    origin list[KEPT];
};

uint32_t origin_new(worker *k, const origin *o)
{
    if (!k->origins) k->origins = calloc(1, sizeof *k->origins);
    if (!k->origins) return NAMELESS;
    const uint32_t id = k->origins->next = k->origins->next >= NAMELESS - 1 ? 1 : k->origins->next + 1;
    origin *to = &k->origins->list[id % KEPT];
    *to = *o;
    to->id = id;
    return id;
}

const origin *origin_find(const worker *k, uint32_t id)
{
    const origin *o = k->origins && id && id != NAMELESS ? &k->origins->list[id % KEPT] : NULL;
    return o && o->id == id ? o : NULL;
}

void origin_what(const warp *w, const origin *o, char *out, size_t size)
{
    char what[112];
    if (!o) {
        snprintf(out, size, "memory that was never written");
        return;
    }
    if (o->space == SPACE_REG) {
        snprintf(out, size, "lane %u, which was inactive in the shuffle", (unsigned)o->address);
        return;
    }
    const insn *in = &w->worker->launch->code->insns[o->pc];
    const uint32_t unit = in->size && in->size <= o->size ? in->size : o->size;
    fault_what(w, o->space, o->address + o->missing, unit, what, sizeof what);
    snprintf(out, size, "%s, %s", what,
             o->earlier ? "where an earlier launch stored an unwritten value" : "which was never written");
}

static const char *space_of(const origin *o)
{
    if (!o) return "";
    return o->space == SPACE_GLOBAL   ? "global"
           : o->space == SPACE_LOCAL  ? "local"
           : o->space == SPACE_SHARED ? "shared"
                                      : "";
}

void origin_place(const launch *l, const origin *o, sim_place *out)
{
    memset(out, 0, sizeof *out);
    if (!o) return;
    fault_place(l, o->pc, out);
    fault_thread(l, o->block, o->thread, out);
    out->lanes = UINT32_C(1) << o->thread % 32;
}

/* ", read at line 7", if that is not the line that uses it. */
static const char *read_at(const launch *l, uint32_t pc, const sim_place *from, char *out, size_t size)
{
    sim_place use = {0};
    fault_place(l, pc, &use);
    out[0] = 0;
    if (from->kernel && from->line > 0 && from->line != use.line) snprintf(out, size, " (read at line %d)", from->line);
    return out;
}

bool origin_fault(warp *w, const insn *in, uint32_t lanes, uint32_t from, const char *does)
{
    const launch *l = w->worker->launch;
    const origin *o = origin_find(w->worker, from);
    const int lane = first_lane(lanes);
    char what[200], where[40];
    sim_place t, other;
    origin_what(w, o, what, sizeof what);
    fault_thread(l, w->block->linear, w->index * 32 + (uint32_t)lane, &t);
    origin_place(l, o, &other);
    w->worker->other = &other;
    if (o && o->space == SPACE_REG)
        w->worker->advice = "Let every source lane execute the shuffle, or ignore the values of lanes that do not.";
    fault_raise(w, in, SIM_FAULT_UNINITIALISED, lane, lanes, space_of(o), o && o->space != SPACE_REG ? o->address : 0,
                o ? o->size : 0, "thread (%u,%u,%u) of block (%u,%u,%u) %s a value that comes from %s%s", t.thread[0],
                t.thread[1], t.thread[2], t.block[0], t.block[1], t.block[2], does, what,
                read_at(l, (uint32_t)(in - l->code->insns), &other, where, sizeof where));
    return false;
}

void origin_remark(warp *w, const insn *in, int lane, const origin *o)
{
    launch *l = w->worker->launch;
    const uint32_t pc = (uint32_t)(in - l->code->insns);
    char what[200], where[40];
    sim_fault f;
    memset(&f, 0, sizeof f);
    origin_what(w, o, what, sizeof what);
    f.kind = SIM_FAULT_UNINITIALISED;
    f.note = true;
    fault_place(l, pc, &f.at);
    fault_thread(l, w->block->linear, w->index * 32 + (uint32_t)lane, &f.at);
    f.at.lanes = UINT32_C(1) << lane;
    origin_place(l, o, &f.other);
    f.space = space_of(o);
    f.address = o && o->space != SPACE_REG ? o->address : 0;
    f.size = o ? o->size : 0;
    snprintf(f.message, sizeof f.message, "thread (%u,%u,%u) of block (%u,%u,%u) stores a value that comes from %s%s",
             f.at.thread[0], f.at.thread[1], f.at.thread[2], f.at.block[0], f.at.block[1], f.at.block[2], what,
             read_at(l, pc, &f.other, where, sizeof where));
    fault_note(l, &f, pc, o ? o->pc : UINT32_MAX, w->block->linear);
    fault_filmed(l, SIM_FAULT_UNINITIALISED, lane, f.address, f.size);
}
