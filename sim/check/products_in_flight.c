/* products_in_flight.c: registers of products that run in the background (wgmma), and what touches them before
 * the warp has waited.
 *
 * While a product is in flight nobody may read or write its D, nor write its A. Such a warp goes
 * instruction by instruction (WATCH_FLIGHT): each is looked at before it is performed. Products on
 * the same D, in the same shape, follow one another in order and need no wait between them. The
 * lists are the warp's own: it may not touch its registers before its own wait, even when another
 * warp of its warpgroup has waited.
 *
 * A map has a byte for each register: 0, FLIES_A or FLIES_D.
 */
#include "check.h"
#include "machine/warpgroup.h"
#include "list.h"
#include <stdio.h>
#include <stdlib.h>

enum { REGISTER = 128, FLIES_A = 1, FLIES_D = 2 };

typedef struct flying {
    const insn *in;
    uint32_t frame, batch; /* its frame within reg_memory; groups committed before it */
} flying;

struct flight {
    flying *list;
    uint32_t count, registers;
    size_t room;
    uint8_t map[];
};

void in_flight_free(warp *w)
{
    if (w->flight) free(w->flight->list);
    free(w->flight);
    w->flight = NULL;
}

void in_flight_reset(warp *w)
{
    if (!w->flight || !w->flight->count) return;
    w->flight->count = 0;
    memset(w->flight->map, 0, w->flight->registers);
}

static const code_info *info_of(const warp *w, const insn *in)
{
    const code_module *m = w->worker->launch->code;
    return &m->info[in - m->insns];
}
static uint32_t place_of(const code_info *info, const insn *in, uint32_t i)
{
    const uint32_t *list = info->refs > 8 ? in->ext : in->o;
    return list[i];
}
static uint8_t role_of(const code_info *info, uint32_t i) { return info->refs > 8 ? info->roles[i] : info->role[i]; }
static uint8_t type_of(const code_info *info, uint32_t i)
{
    return info->refs > 8 ? info->roles[info->refs + i] : info->type[i];
}

/* Operand i is a register of D, of A, or 0. */
static uint8_t part_of(const code_info *info, uint32_t i)
{
    const uint8_t role = role_of(info, i);
    return role == DEF || role == USE_DEF ? FLIES_D : role == USE && type_of(info, i) == T_B32 ? FLIES_A : 0;
}

/* The register of an operand, or UINT32_MAX. */
static uint32_t register_of(const struct flight *f, const code_info *info, const insn *in, uint32_t frame, uint32_t i)
{
    const uint32_t place = place_of(info, in, i);
    if (place == UINT32_MAX || place & 1 || role_of(info, i) == SLOT_UNUSED) return UINT32_MAX;
    const uint32_t at = (frame + place) / REGISTER;
    return at < f->registers ? at : UINT32_MAX;
}

/* Parts up to `most`. */
static void mark(struct flight *f, const warp *w, const flying *p, uint8_t most)
{
    const code_info *info = info_of(w, p->in);
    for (uint32_t i = 0; i < info->refs; i++) {
        const uint8_t part = part_of(info, i);
        const uint32_t at = part && part <= most ? register_of(f, info, p->in, p->frame, i) : UINT32_MAX;
        if (at != UINT32_MAX && f->map[at] < part) f->map[at] = part;
    }
}

/* The product in flight that has the register, and which of its D or A that is. */
static const flying *owner_of(const struct flight *f, const warp *w, uint32_t reg, uint8_t part, uint32_t *number)
{
    for (uint32_t k = f->count; k-- > 0;) {
        const flying *p = &f->list[k];
        const code_info *info = info_of(w, p->in);
        *number = 0;
        for (uint32_t i = 0; i < info->refs; i++) {
            if (part_of(info, i) != part) continue;
            if (register_of(f, info, p->in, p->frame, i) == reg) return p;
            ++*number;
        }
    }
    return NULL;
}

static bool say(warp *w, const insn *in, uint32_t reg, bool writes, uint32_t lanes)
{
    const struct flight *f = w->flight;
    const uint8_t part = f->map[reg];
    uint32_t number = 0;
    const flying *p = owner_of(f, w, reg, part, &number);
    if (!p) return true;
    sim_place there = {0};
    char line[40];
    fault_place(w->worker->launch, (uint32_t)(p->in - w->worker->launch->code->insns), &there);
    fault_thread(w->worker->launch, w->block->linear, w->index * 32 + (uint32_t)first_lane(lanes), &there);
    if (there.line) snprintf(line, sizeof line, "line %d", there.line);
    else snprintf(line, sizeof line, "PTX line %d", there.ptx_line);
    w->worker->other = &there;
    w->worker->advice =
        part == FLIES_D ? "Wait for the product first: wgmma.wait_group (warpgroup_wait) with a number of groups small "
                          "enough."
                        : "Wait for the product (wgmma.wait_group) before its A registers are used again.";
    fault_raise(w, in, SIM_FAULT_RACE, first_lane(lanes), lanes, "", 0, 0,
                "this %s register %u of %c of the product at %s, which %s it in the background and has not been waited "
                "for",
                writes ? "writes" : "reads", number, part == FLIES_D ? 'D' : 'A', line,
                part == FLIES_D ? "writes" : "reads");
    return false;
}

static bool look(warp *w, const insn *in, uint32_t lanes)
{
    const struct flight *f = w->flight;
    const code_info *info = info_of(w, in);
    const uint32_t frame = (uint32_t)(w->regs - w->reg_memory);
    if (info->real && info->src->op == OP_WGMMA) return true; /* in_flight_begin looks at products */
    for (uint32_t i = 0; i < info->refs; i++) {
        const uint32_t at = register_of(f, info, in, frame, i);
        if (at == UINT32_MAX || !f->map[at]) continue;
        const bool writes = role_of(info, i) != USE;
        if ((f->map[at] == FLIES_D || writes) && !say(w, in, at, writes, lanes)) return false;
    }
    return true;
}

bool in_flight_look(warp *w, const insn *in)
{
    if (!w->flight || !w->flight->count) return true; /* it goes step by step for another reason */
    if (in->fn != w->worker->launch->s->ops->guard) return look(w, in, w->mask);
    /* a guard that narrows the mask performs the next instruction itself */
    uint32_t p;
    memcpy(&p, w->base[in->o[0] & 1] + in->o[0], sizeof p);
    if (in->mod) p = ~p;
    p &= w->mask;
    return !p || p == w->mask || look(w, in + 1, p);
}

/* The same registers in the same order? */
static bool same_d(const warp *w, const insn *a, const insn *b)
{
    const code_info *x = info_of(w, a), *y = info_of(w, b);
    uint32_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < x->refs && part_of(x, i) != FLIES_D) i++;
        while (k < y->refs && part_of(y, k) != FLIES_D) k++;
        if (i == x->refs || k == y->refs) return i == x->refs && k == y->refs;
        if (place_of(x, a, i) != place_of(y, b, k)) return false;
    }
}

/* A product in flight has the same D. Later ones of a chain are looked at first. */
static bool goes_on(const warp *w, const insn *in, uint32_t frame)
{
    const struct flight *f = w->flight;
    for (uint32_t k = f->count; k-- > 0;)
        if (f->list[k].frame == frame && (f->list[k].in == in || same_d(w, f->list[k].in, in))) return true;
    return false;
}

/* Its own registers: those of another product's A must not be written, those of another D not be
 * used, but as the same D. */
static bool fits(warp *w, const insn *in, uint32_t frame, bool same)
{
    const struct flight *f = w->flight;
    const code_info *info = info_of(w, in);
    for (uint32_t i = 0; f->count && i < info->refs; i++) {
        const uint8_t part = part_of(info, i);
        if (!part || (part == FLIES_D && same)) continue;
        const uint32_t at = register_of(f, info, in, frame, i);
        if (at == UINT32_MAX || !f->map[at] || (part == FLIES_A && f->map[at] == FLIES_A)) continue;
        if (!say(w, in, at, part == FLIES_D, w->mask)) return false;
    }
    return true;
}

bool in_flight_begin(warp *w, const insn *in, uint32_t batch)
{
    struct flight *f = w->flight;
    const uint32_t frame = (uint32_t)(w->regs - w->reg_memory), registers = w->reg_bytes / REGISTER + 1;
    if (!f) {
        f = w->flight = calloc(1, sizeof *f + registers);
        if (f) f->registers = registers;
    }
    if (!f || !list_room(&f->list, &f->room, f->count + (size_t)1, sizeof *f->list)) {
        fault_raise(w, in, SIM_FAULT_HOST_LIMIT, -1, w->mask, "", 0, 0,
                    "the host has too little memory to watch the registers of products");
        return false;
    }
    const bool same = goes_on(w, in, frame);
    if (!fits(w, in, frame, same)) return false;
    f->list[f->count] = (flying){in, frame, batch};
    mark(f, w, &f->list[f->count++], same ? FLIES_A : FLIES_D);
    w->watch |= WATCH_FLIGHT;
    return true;
}

void in_flight_wait(warp *w, uint32_t below)
{
    struct flight *f = w->flight;
    if (!f || !f->count) return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->count; i++)
        if (f->list[i].batch >= below) f->list[kept++] = f->list[i];
    if (kept == f->count) return;
    f->count = kept;
    memset(f->map, 0, f->registers);
    for (uint32_t i = 0; i < kept; i++) mark(f, w, &f->list[i], FLIES_D);
    if (!kept && !w->links) w->watch &= (uint8_t)~WATCH_FLIGHT;
}
