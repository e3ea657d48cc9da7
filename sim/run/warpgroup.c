/* warpgroup.c: what the four warps of a warpgroup have issued together and wait for, and the
 * registers that setmaxnreg moves between them. machine/warpgroup.h says how.
 */
#include "machine/warpgroup.h"
#include "run.h"
#include "list.h"
#include <stdio.h>
#include <stdlib.h>

static uint32_t groups_of(const block *b) { return (b->warp_count + GROUP_WARPS - 1) / GROUP_WARPS; }

void warpgroup_start(block *b)
{
    for (uint32_t i = 0; b->groups && i < groups_of(b); i++) {
        warpgroup *g = &b->groups[i];
        *g = (warpgroup){.jobs = g->jobs, .room = g->room, .scratch = g->scratch};
    }
}

void warpgroup_free(block *b)
{
    for (uint32_t i = 0; b->groups && i < groups_of(b); i++) {
        free(b->groups[i].jobs);
        free(b->groups[i].scratch);
    }
    free(b->groups);
    b->groups = NULL;
}

static warpgroup *no_memory(warp *w, const insn *in)
{
    fault_raise(w, in, SIM_FAULT_HOST_LIMIT, -1, w->mask, "", 0, 0,
                "the host has too little memory for the products in flight");
    return NULL;
}

static warpgroup *group_of(warp *w, const insn *in)
{
    block *b = w->block;
    if (!b->groups) b->groups = calloc(groups_of(b), sizeof *b->groups);
    return b->groups ? &b->groups[w->index / GROUP_WARPS] : no_memory(w, in);
}

warpgroup *warpgroup_of(warp *w, const insn *in)
{
    const block *b = w->block;
    const uint32_t first = w->index - group_rank(w);
    for (uint32_t i = 0; i < GROUP_WARPS; i++) {
        const bool whole = first + i < b->warp_count && b->warps[first + i].exists == UINT32_MAX;
        if (whole) continue;
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, -1, w->mask, "", 0, 0,
                    "this takes a warpgroup: four whole warps from a multiple of four on. The block has %u threads, so "
                    "threads %u to %u are not one",
                    (unsigned)b->threads, (unsigned)first * 32, (unsigned)b->threads - 1);
        return NULL;
    }
    if (w->mask != UINT32_MAX) {
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, first_lane(~w->mask), ~w->mask, "", 0, 0,
                    "this takes all 32 threads of the warp; some of them (lanes %08x) have ended", (unsigned)~w->mask);
        return NULL;
    }
    return group_of(w, in);
}

/* ---- products ---- */

static int line_of(const warp *w, const insn *in)
{
    const code_module *code = w->worker->launch->code;
    return code->info[in - code->insns].src->line;
}

/* A warp of the group whose mask is `warps`: its first thread, for messages. */
static uint32_t first_warp(const warp *w, uint32_t warps)
{
    return w->index - group_rank(w) + (uint32_t)first_lane(warps);
}

static bool same_product(warp *w, const insn *in, const group_job *j, uint64_t a, uint64_t b, bool adds)
{
    const char *what = NULL;
    if (j->in == in)
        what = j->a != a         ? "another descriptor of A"
               : j->b != b       ? "another descriptor of B"
               : j->adds != adds ? "another scale-d"
                                 : NULL;
    if (j->in == in && !what) return true;
    const uint32_t other = first_warp(w, j->issued);
    char where[48];
    snprintf(where, sizeof where, "another product (PTX line %d)", line_of(w, j->in));
    w->worker->advice = "The four warps of a warpgroup must execute each wgmma together, with the same operands.";
    fault_raise(w, in, SIM_FAULT_WARP_APART, -1, w->mask, "", 0, 0,
                "warp %u of the block issues this product while warp %u of its warpgroup has issued %s", w->index,
                other, what ? what : where);
    return false;
}

static group_job *new_job(warp *w, const insn *in, warpgroup *g)
{
    if (!list_room(&g->jobs, &g->room, g->count + (size_t)1, sizeof *g->jobs)) return no_memory(w, in), NULL;
    group_job *j = &g->jobs[g->count++];
    memset(j, 0, sizeof *j);
    j->in = in;
    j->first = w->index - group_rank(w);
    return j;
}

group_job *warpgroup_issue(warp *w, const insn *in, uint64_t a, uint64_t b, bool adds)
{
    warpgroup *g = &w->block->groups[w->index / GROUP_WARPS];
    const uint32_t rank = group_rank(w);
    const uint64_t at = g->issued[rank] - g->made;
    group_job *j;
    if (at < g->count) {
        j = &g->jobs[at];
        if (!same_product(w, in, j, a, b, adds)) return NULL;
    } else {
        j = new_job(w, in, g);
        if (!j) return NULL;
        j->a = a;
        j->b = b;
        j->adds = adds;
    }
    g->issued[rank]++;
    j->issued |= 1u << rank;
    j->batch[rank] = g->committed[rank];
    j->regs[rank] = w->regs;
    return j;
}

void warpgroup_release(block *b, uint32_t of)
{
    const uint32_t first = of - of % GROUP_WARPS;
    for (uint32_t i = first; i < first + GROUP_WARPS && i < b->warp_count; i++)
        for (int k = 0; k < b->warps[i].split_high; k++) {
            split *s = &b->warps[i].splits[k];
            if (s->state != SPLIT_GROUP) continue;
            s->state = SPLIT_READY;
            b->worker->released++;
        }
}

static bool stay(warp *w, const insn *in, const insn **next)
{
    split *s = &w->splits[w->current];
    s->ip = in;
    s->state = SPLIT_GROUP;
    w->stop = STOP_BLOCKED;
    *next = NULL;
    return false;
}

bool warpgroup_due(warp *w, const insn *in, uint32_t keep, uint32_t *due, const insn **next)
{
    const warpgroup *g = &w->block->groups[w->index / GROUP_WARPS];
    const uint32_t rank = group_rank(w);
    for (*due = 0; *due < g->count; ++*due) {
        const group_job *j = &g->jobs[*due];
        const bool mine = j->issued >> rank & 1;
        if (!mine || (uint64_t)j->batch[rank] + keep >= g->committed[rank]) break;
        if (j->issued != GROUP_ALL) return stay(w, in, next);
    }
    return true;
}

void warpgroup_forget(warpgroup *g, uint32_t count)
{
    g->count -= count;
    g->made += count;
    memmove(g->jobs, g->jobs + count, g->count * sizeof *g->jobs);
}

/* ---- registers ---- */

/* Registers per thread that the kernel was compiled for; 0: nobody said. */
static uint32_t launched_with(const launch *l)
{
    const ptx_func *f = l->kernel;
    if (!f->maxnreg && !f->maxntid[0] && !f->reqntid[0]) return 0;
    return (uint32_t)code_registers(l->entry, &l->s->card);
}

bool warpgroup_registers(warp *w, const insn *in, uint32_t wanted, bool more, const insn **next)
{
    block *b = w->block;
    const uint32_t launched = launched_with(w->worker->launch), unit = (launched + 7) & ~7u;
    if (!launched || !group_of(w, in)) return launched == 0;
    int64_t pool = (int64_t)unit * b->warp_count; /* per lane, of all warps */
    for (uint32_t i = 0; i < b->warp_count; i++) {
        const uint32_t has = b->groups[i / GROUP_WARPS].registers[i % GROUP_WARPS];
        pool -= has ? has : unit;
    }
    uint32_t *mine = &b->groups[w->index / GROUP_WARPS].registers[group_rank(w)];
    const uint32_t has = *mine ? *mine : unit;
    if (more ? wanted <= has : wanted >= has) return true; /* it has that already */
    if (more && (int64_t)wanted - has > pool) return stay(w, in, next);
    *mine = wanted;
    for (uint32_t i = 0; !more && i < b->warp_count; i += GROUP_WARPS) warpgroup_release(b, i);
    return true;
}

/* ---- messages ---- */

const char *warpgroup_waits(const warp *w, const split *s, char *out, size_t size)
{
    const code_module *code = w->worker->launch->code;
    const block *b = w->block;
    const ptx_insn *in = code->info[s->ip - code->insns].src;
    const warpgroup *g = &b->groups[w->index / GROUP_WARPS];
    if (in->op == OP_SETMAXNREG) {
        snprintf(out, size, "setmaxnreg for %d registers per thread, which no other warp gives back",
                 (int)in->operand[0].value.i);
        return out;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const uint32_t missing = GROUP_ALL & ~g->jobs[i].issued;
        if (!missing) continue;
        snprintf(out, size, "wgmma.wait_group for a product (PTX line %d) that warp %u of its warpgroup has not issued",
                 line_of(w, g->jobs[i].in), first_warp(w, missing));
        return out;
    }
    snprintf(out, size, "wgmma.wait_group");
    return out;
}
