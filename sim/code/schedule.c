/* schedule.c: the order in which the instructions of a block stand in the machine code.
 *
 * PTX comes in the order in which its compiler wrote it: a load, then what needs it. A warp issues
 * in order, so machine code has loads early, and other work between a load and its first use. ptxas
 * places an instruction so that its result is there just when it is needed (a shared load some 24
 * clocks before, no earlier: that would only take registers). This file does the same, from the end
 * of a block upwards: among the instructions whose users are all placed, far enough below, the one
 * with the longest path above it goes next.
 *
 * A move must be invisible to every thread. Registers and the carry flag are written and read in
 * the same order. Loads do not pass stores to the same space (ptx/ops.def says what each opcode
 * touches; tests/unit/moves.c holds random programs to it). Shuffles do not pass each other, since
 * divergent lanes reconverge at them one by one. Nothing passes a barrier, a fence, a volatile
 * access or a read of the clock, nor an exact quotient or root, in which ptxas has a branch. The
 * latencies are what a compiler assumes, not the card's; so are the four clocks between memory
 * accesses or shuffles of a warp. Joined accesses (join.c) stand together.
 *
 * Each region is ordered twice: first with few registers live (put_lean), which says how many it
 * needs at least; then for time, with one more.
 *
 * Compilers for compute 1.x are taken to keep the order of the text: they had one scheduler with 24
 * warps to hide latencies, and few registers.
 */
#include "rules.h"
#include "registers.h"
#include "schedule.h"
#include <stdlib.h>

enum { LATENCY = 4, PREDICATE = 13, SHARED = 24, SPECIAL = 18, DOUBLE = 8, GLOBAL = 200 };
enum {
    PLENTY = 24, /* ptxas saves none below this: all threads fit on a multiprocessor */
    /* above that: what a region needs, and so many for results in flight while the next are
     * requested */
    SLACK = 1,
    LOOKED_AT = 64,
    APART = 4 /* clocks between operations of the memory unit */
};

/* An exact quotient or root, or a division of 64-bit numbers, has a branch around its slow path:
 * the block of the machine code ends there. */
static bool branches_inside(const ptx_insn *in)
{
    if (!in->type_count) return false;
    const bool is_float = ptx_types[in->type[0]].kind == 'F',
               rounds = ptx_has(in, S_RN) || ptx_has(in, S_RZ) || ptx_has(in, S_RM) || ptx_has(in, S_RP);
    switch (in->op) {
    case OP_DIV: return is_float ? rounds : ptx_bits((enum ptx_type)in->type[0]) == 64;
    case OP_REM: return ptx_bits((enum ptx_type)in->type[0]) == 64;
    case OP_RCP:
    case OP_SQRT: return rounds;
    default: return false;
    }
}

/* What ops.def says of each opcode. An opcode without a word is 0: nothing moves across it. */
enum { REGISTERS = 1, LANES = 2, READS = 4, WRITES = 8, UPDATES = 16, ALL = 32 };
static const uint8_t op_touches[OP_COUNT] = {
#define OP(id, name, group, touches, effect) [OP_##id] = touches,
#include "ptx/ops.def"
#undef OP
};

static unsigned memory_of(const node *n)
{
    switch ((enum ptx_space)n->space) {
    case SPACE_SHARED: return TOUCH_SHARED;
    case SPACE_LOCAL: return TOUCH_LOCAL;
    case SPACE_GLOBAL: return TOUCH_GLOBAL;
    case SPACE_NONE: return TOUCH_MEMORY; /* a generic address */
    default: return TOUCH_ALL;
    }
}

/* Memory that no kernel writes: constants, parameters, and what is read with .nc. */
static bool reads_fixed(const node *n)
{
    return n->space == SPACE_CONST || n->space == SPACE_PARAM || ptx_has(n->src, S_NC);
}

unsigned build_touches(const node *n)
{
    if (n->removed || n->kind == NODE_GUARD) return 0;
    if (n->kind != NODE_PLAIN || n->ends_block) return TOUCH_ALL;
    if (!n->real) { /* a special register, or the address of a local variable */
        if (!n->refs || n->ref_count != 1 || n->refs[0].role != DEF) return TOUCH_ALL;
        return ptx_sregs[n->mod].fixed ? 0 : TOUCH_ALL;
    }
    unsigned what = op_touches[n->src->op], touches = 0;
    if (n->src->op == OP_WMMA && ptx_has(n->src, S_LOAD)) what = READS | LANES;
    if (n->src->op == OP_WMMA && ptx_has(n->src, S_MMA)) what = LANES;
    if (!what || what & ALL || branches_inside(n->src)) return TOUCH_ALL;
    /* whatever its memory order: all memory accesses stay on their side */
    if (what & UPDATES) return TOUCH_MEMORY | TOUCH_WARP;
    if ((n->order & ORDER_MASK) != ORDER_WEAK) return TOUCH_ALL;
    if (what & WRITES) touches = memory_of(n);
    else if (what & READS && !reads_fixed(n))
        touches = memory_of(n) & TOUCH_ALL ? TOUCH_ALL : TOUCH_READS(memory_of(n));
    return touches | (what & LANES ? TOUCH_WARP : 0);
}

static int32_t latency_of(const node *n)
{
    const bool wide = n->real && n->src && n->src->type_count && ptx_bits((enum ptx_type)n->src->type[0]) == 64;
    /* a comparison in two parts, and a selection */
    if (wide && (n->src->op == OP_MIN || n->src->op == OP_MAX)) return 3 * LATENCY;
    if (n->real && ptx_chooses(n->src) && n->src->type_count && n->src->type[0] == T_PRED) return PREDICATE;
    switch ((enum sim_class)n->cls) {
    case SIM_CLASS_GLOBAL_LOAD:
    case SIM_CLASS_TEXTURE:
    case SIM_CLASS_ATOMIC:
    case SIM_CLASS_LOCAL: return GLOBAL;
    case SIM_CLASS_WARP:
        if (n->src->op == OP_VOTE || n->src->op == OP_ACTIVEMASK)
            return n->src->type[0] == T_PRED ? PREDICATE : LATENCY;
        return SHARED;
    case SIM_CLASS_SHARED_LOAD:
    case SIM_CLASS_TENSOR: return SHARED;
    case SIM_CLASS_SPECIAL:
    case SIM_CLASS_CONVERT:
    case SIM_CLASS_INT_DIV: return SPECIAL;
    case SIM_CLASS_FP64: return DOUBLE;
    case SIM_CLASS_COMPARE: return PREDICATE;
    default: return n->real ? LATENCY : SPECIAL;
    }
}

/* What moves as one: an instruction with its guard, or joined accesses. */
typedef struct unit {
    uint32_t first, count; /* in members[] */
    uint32_t edges;        /* to the units that must stand before it: head of a list, or 0 */
    uint32_t below;        /* units that must stand after it and are not placed yet */
    int32_t depth;         /* clocks from the top of the region to its issue */
    int32_t ready;         /* clocks from the bottom: it may not stand below this */
    int32_t latency;
} unit;
typedef struct edge {
    uint32_t unit, next;
    int32_t clocks;
} edge;
typedef struct user {
    uint32_t unit, next;
} user;

typedef struct scheduler {
    builder *b;
    unit *units;
    uint32_t *members; /* nodes of the units */
    uint32_t unit_count, member_count;
    edge *edges;
    uint32_t edge_count, edge_capacity;
    user *users;
    uint32_t user_count, user_capacity;
    /* by register: the last unit that wrote it, plus one; list of the units that read it since */
    uint32_t *def, *uses;
    uint32_t *named; /* registers that have an entry in def or uses */
    uint32_t named_count;
    uint32_t carry, carried; /* the last writer of the carry flag, plus one; its readers since */
    /* by space, and for warp operations: the last that changes it, plus one; its readers since */
    uint32_t stores[4], loads[4];
    uint32_t *heap, heap_count, *late, late_count;
    uint32_t *order;
    const int *width;    /* by register: how many machine registers it takes */
    uint8_t *live;       /* by register: live above what is placed */
    int32_t alive;       /* machine registers that are live */
    int32_t memory_at;   /* clocks from the bottom before which the memory unit is busy */
    bool lean;           /* this pass only finds how few registers would do */
    int32_t few, plenty; /* most live at once in the lean order; below plenty none are saved */
    unit *kept_units;
    uint8_t *kept_live; /* parallel to named[] */
} scheduler;

static void add_edge(scheduler *s, uint32_t before, uint32_t after, int32_t clocks)
{
    if (before == after) return;
    edge *e = ARENA_PUSH(s->b->pass, s->edges, s->edge_count, s->edge_capacity);
    *e = (edge){.unit = before, .next = s->units[after].edges, .clocks = clocks};
    s->units[after].edges = s->edge_count; /* index of this edge, plus one */
    s->units[before].below++;
    int32_t depth = s->units[before].depth + clocks;
    if (depth > s->units[after].depth) s->units[after].depth = depth;
}

static void add_user(scheduler *s, uint32_t *head, uint32_t by)
{
    user *u = ARENA_PUSH(s->b->pass, s->users, s->user_count, s->user_capacity);
    *u = (user){.unit = by, .next = *head};
    *head = s->user_count;
}

static void changes(scheduler *s, uint32_t *def, uint32_t *users, uint32_t by)
{
    for (uint32_t u = *users; u; u = s->users[u - 1].next) add_edge(s, s->users[u - 1].unit, by, 0);
    if (*def) add_edge(s, *def - 1, by, 1);
    *users = 0;
    *def = by + 1;
}

static void name(scheduler *s, int32_t reg)
{
    if (!s->def[reg] && !s->uses[reg]) s->named[s->named_count++] = (uint32_t)reg;
}

/* Clocks that `n` waits for the result of `made`. A selection by a comparison waits less long than
 * an instruction that the comparison predicates. */
static int32_t clocks_to(const unit *made, const node *n)
{
    return made->latency == PREDICATE && n->kind == NODE_PLAIN && n->real && ptx_chooses(n->src) ? LATENCY
                                                                                                 : made->latency;
}

/* Adds the edges between a node and those before it. */
static void relate(scheduler *s, const node *n, uint32_t by)
{
    for (uint32_t i = 0; i < n->ref_count; i++) {
        int32_t r = n->refs[i].ref;
        if (r < 0 || n->refs[i].role == DEF || n->refs[i].role == SLOT_UNUSED) continue;
        name(s, r);
        if (s->def[r]) add_edge(s, s->def[r] - 1, by, clocks_to(&s->units[s->def[r] - 1], n));
        add_user(s, &s->uses[r], by);
    }
    for (uint32_t i = 0; i < n->ref_count; i++) {
        int32_t r = n->refs[i].ref;
        if (r < 0 || n->refs[i].role == USE || n->refs[i].role == SLOT_UNUSED) continue;
        name(s, r);
        changes(s, &s->def[r], &s->uses[r], by);
    }
    if (n->real && n->src && ptx_carries(n->src)) {
        if (s->carry) add_edge(s, s->carry - 1, by, LATENCY);
        add_user(s, &s->carried, by);
    }
    if (n->real && n->src && ptx_has(n->src, S_CC)) changes(s, &s->carry, &s->carried, by);
    const unsigned touches = build_touches(n);
    for (int k = 0; k < 4; k++) {
        const unsigned bit = 1u << k;
        if (touches & bit) {
            changes(s, &s->stores[k], &s->loads[k], by);
        } else if (touches & TOUCH_READS(bit)) {
            if (s->stores[k]) add_edge(s, s->stores[k] - 1, by, 0);
            add_user(s, &s->loads[k], by);
        }
    }
}

/* ---- heaps of units ---- */
static bool sooner(const scheduler *s, uint32_t x, uint32_t y, bool by_ready)
{
    const unit *a = &s->units[x], *b = &s->units[y];
    if (by_ready && a->ready != b->ready) return a->ready < b->ready;
    if (!by_ready && a->depth != b->depth) return a->depth > b->depth;
    return x > y; /* of equals the later one stands lower */
}

static void push(const scheduler *s, uint32_t *heap, uint32_t *n, uint32_t v, bool by_ready)
{
    uint32_t i = (*n)++;
    while (i && sooner(s, v, heap[(i - 1) / 2], by_ready)) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = v;
}

/* ---- registers live, going upwards ---- */

static int32_t above(scheduler *s, const node *n, bool change)
{
    int32_t more = 0;
    for (uint32_t i = 0; i < n->ref_count; i++) {
        int32_t r = n->refs[i].ref;
        if (r < 0 || n->refs[i].role != DEF || !s->live[r]) continue;
        more -= s->width[r];
        if (change) s->live[r] = 0;
    }
    for (uint32_t i = 0; i < n->ref_count; i++) {
        int32_t r = n->refs[i].ref;
        if (r < 0 || n->refs[i].role == DEF || n->refs[i].role == SLOT_UNUSED || s->live[r]) continue;
        more += s->width[r];
        if (change) s->live[r] = 1;
    }
    if (change) s->alive += more;
    if (change && s->lean && s->alive > s->few) s->few = s->alive;
    return more;
}

static int32_t unit_above(scheduler *s, uint32_t u, bool change)
{
    int32_t more = 0;
    for (uint32_t i = s->units[u].count; i-- > 0;)
        more += above(s, &s->b->nodes[s->members[s->units[u].first + i]], change);
    return more;
}

/* Takes the unit at heap[i] out. */
static uint32_t take(const scheduler *s, uint32_t *heap, uint32_t *n, uint32_t i, bool by_ready)
{
    uint32_t out = heap[i], v = heap[--*n], k;
    if (i == *n) return out;
    for (; i && sooner(s, v, heap[(i - 1) / 2], by_ready); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    while ((k = 2 * i + 1) < *n) {
        if (k + 1 < *n && sooner(s, heap[k + 1], heap[k], by_ready)) k++;
        if (!sooner(s, heap[k], v, by_ready)) break;
        heap[i] = heap[k];
        i = k;
    }
    heap[i] = v;
    return out;
}

/* Of the available units the one that leaves the fewest registers live. Among those that are ready
 * in time, a unit that takes no more is as good as one that frees some: short chains then run in
 * parallel, not one after the other. */
static uint32_t leanest(scheduler *s, const uint32_t *heap, uint32_t n, bool by_ready, int32_t *more)
{
    uint32_t best = 0;
    *more = INT32_MAX;
    for (uint32_t i = 0; i < n && i < LOOKED_AT; i++) {
        int32_t m = unit_above(s, heap[i], false);
        if (m < 0 && !by_ready) m = 0;
        if (m > *more || (m == *more && !sooner(s, heap[i], heap[best], by_ready))) continue;
        *more = m;
        best = i;
    }
    return best;
}

/* Of the available units in either heap the one that is last in the text. */
static uint32_t last_of_text(scheduler *s)
{
    uint32_t *heap = NULL, at = 0;
    for (uint32_t i = 0; i < s->heap_count && i < LOOKED_AT; i++)
        if (!heap || s->heap[i] > heap[at]) heap = s->heap, at = i;
    for (uint32_t i = 0; i < s->late_count && i < LOOKED_AT; i++)
        if (!heap || s->late[i] > heap[at]) heap = s->late, at = i;
    return heap == s->late ? take(s, s->late, &s->late_count, at, true) : take(s, s->heap, &s->heap_count, at, false);
}

/* The next unit upwards. While registers are plenty: the one with the longest path above it.
 * Otherwise: one that takes no more registers, even if its result will be late. Where all take
 * more: the one that takes the fewest, or, in the lean pass, the text's order, in which what
 * belongs together stands together. */
static uint32_t next_unit(scheduler *s, int32_t *now)
{
    if (s->alive > s->plenty) {
        int32_t more = INT32_MAX, late_more = INT32_MAX;
        const uint32_t i = s->heap_count ? leanest(s, s->heap, s->heap_count, false, &more) : 0;
        const uint32_t k = s->late_count ? leanest(s, s->late, s->late_count, true, &late_more) : 0;
        if (more > 0 && late_more < 0) return take(s, s->late, &s->late_count, k, true);
        if (more > 0 && s->lean) return last_of_text(s);
        if (s->heap_count) return take(s, s->heap, &s->heap_count, i, false);
    }
    if (!s->heap_count && s->units[s->late[0]].ready > *now) *now = s->units[s->late[0]].ready;
    while (s->late_count && s->units[s->late[0]].ready <= *now)
        push(s, s->heap, &s->heap_count, take(s, s->late, &s->late_count, 0, true), false);
    return take(s, s->heap, &s->heap_count, 0, false);
}

static bool is_for_memory(const scheduler *s, uint32_t u)
{
    switch ((enum sim_class)s->b->nodes[s->members[s->units[u].first + s->units[u].count - 1]].cls) {
    case SIM_CLASS_GLOBAL_LOAD:
    case SIM_CLASS_GLOBAL_STORE:
    case SIM_CLASS_SHARED_LOAD:
    case SIM_CLASS_SHARED_STORE:
    case SIM_CLASS_LOCAL:
    case SIM_CLASS_ATOMIC:
    case SIM_CLASS_WARP: return true;
    default: return false;
    }
}

/* As next_unit, but puts back what comes too soon for the memory unit. If that is all there is
 * among the units looked at, time passes. */
static uint32_t next_in_time(scheduler *s, int32_t *now)
{
    uint32_t u = next_unit(s, now);
    for (int looked = 0; !s->lean && *now < s->memory_at && s->units[u].ready < s->memory_at && is_for_memory(s, u);
         looked++) {
        if (looked == LOOKED_AT) {
            push(s, s->heap, &s->heap_count, u, false);
            *now = s->memory_at;
            u = next_unit(s, now);
            break;
        }
        s->units[u].ready = s->memory_at;
        push(s, s->late, &s->late_count, u, true);
        u = next_unit(s, now);
    }
    if (is_for_memory(s, u)) s->memory_at = *now + APART;
    return u;
}

/* Fills order[] with the units from the last to the first. */
static void put_in_order(scheduler *s)
{
    int32_t now = 0;
    s->memory_at = 0;
    s->heap_count = s->late_count = 0;
    for (uint32_t u = 0; u < s->unit_count; u++)
        if (!s->units[u].below) push(s, s->late, &s->late_count, u, true);
    for (uint32_t done = 0; done < s->unit_count; done++) {
        while (s->late_count && s->units[s->late[0]].ready <= now)
            push(s, s->heap, &s->heap_count, take(s, s->late, &s->late_count, 0, true), false);
        uint32_t u = next_in_time(s, &now);
        s->order[done] = u;
        unit_above(s, u, true);
        for (uint32_t e = s->units[u].edges; e; e = s->edges[e - 1].next) {
            unit *before = &s->units[s->edges[e - 1].unit];
            if (before->ready < now + s->edges[e - 1].clocks) before->ready = now + s->edges[e - 1].clocks;
            if (!--before->below) push(s, s->late, &s->late_count, s->edges[e - 1].unit, true);
        }
        now += !s->b->nodes[s->members[s->units[u].first]].removed;
    }
}

/* Finds how many registers are live when as few as possible are. */
static void put_lean(scheduler *s)
{
    s->few = s->alive;
    s->plenty = PLENTY;
    const int32_t alive = s->alive;
    memcpy(s->kept_units, s->units, s->unit_count * sizeof *s->units);
    for (uint32_t i = 0; i < s->named_count; i++) s->kept_live[i] = s->live[s->named[i]];
    s->lean = true;
    put_in_order(s);
    s->lean = false;
    if (s->few > s->b->lean) s->b->lean = s->few, s->b->lean_block = s->b->nodes[s->members[0]].block;
    s->plenty = s->few + SLACK > PLENTY ? s->few + SLACK : PLENTY;
    memcpy(s->units, s->kept_units, s->unit_count * sizeof *s->units);
    for (uint32_t i = 0; i < s->named_count; i++) s->live[s->named[i]] = s->kept_live[i];
    s->alive = alive;
}

/* ---- one region: nodes from..to, none of which stops others; `below` needs what it reads soon
 * after them, or is NULL ---- */

static void make_units(scheduler *s, uint32_t from, uint32_t to)
{
    node *nodes = s->b->nodes;
    s->unit_count = s->member_count = 0;
    for (uint32_t i = from; i <= to; i++) {
        const node *n = &nodes[i];
        const join_group *g = n->group ? &s->b->groups[n->group - 1] : NULL;
        /* joined loads stand where the first one does, joined stores where the last one does */
        if (g && i != g->node[n->cls == SIM_CLASS_SHARED_STORE ? g->count - 1 : 0]) continue;
        unit *u = &s->units[s->unit_count++];
        *u = (unit){.first = s->member_count, .latency = latency_of(n)};
        for (uint32_t k = 0; g && k < g->count; k++) s->members[s->member_count++] = g->node[k];
        if (!g) s->members[s->member_count++] = i;
        if (n->kind == NODE_GUARD && i < to) s->members[s->member_count++] = ++i, u->latency = latency_of(&nodes[i]);
        u->count = s->member_count - u->first;
    }
}

/* Node k becomes what node source[k] was. Copies one node at a time: a block may have a million. */
static void move_nodes(node *nodes, uint32_t *source, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const node kept = nodes[k];
        uint32_t to = k;
        for (uint32_t from; (from = source[to]) != k; to = from) {
            nodes[to] = nodes[from];
            source[to] = to;
        }
        if (to != k) nodes[to] = kept;
        source[to] = to;
    }
}

static void order_region(scheduler *s, uint32_t from, uint32_t to, const node *below)
{
    node *nodes = s->b->nodes;
    make_units(s, from, to);
    s->edge_count = s->user_count = s->named_count = 0;
    s->carry = s->carried = 0;
    memset(s->stores, 0, sizeof s->stores);
    memset(s->loads, 0, sizeof s->loads);
    for (uint32_t u = 0; u < s->unit_count; u++)
        for (uint32_t i = 0; i < s->units[u].count; i++) relate(s, &nodes[s->members[s->units[u].first + i]], u);
    for (uint32_t i = 0; below && i < below->ref_count; i++) {
        int32_t r = below->refs[i].ref;
        if (r >= 0 && below->refs[i].role != DEF && s->def[r])
            s->units[s->def[r] - 1].ready = s->units[s->def[r] - 1].latency;
    }
    put_lean(s);
    put_in_order(s);
    uint32_t at = 0, *source = s->heap;
    for (uint32_t u = s->unit_count; u-- > 0;)
        for (uint32_t i = 0; i < s->units[s->order[u]].count; i++)
            source[at++] = s->members[s->units[s->order[u]].first + i] - from;
    move_nodes(&nodes[from], source, at);
    for (uint32_t i = 0; i < s->named_count; i++) s->def[s->named[i]] = s->uses[s->named[i]] = 0;
}

/* Does nothing move across node i? */
static bool stops(const builder *b, uint32_t i, uint32_t first, uint32_t last)
{
    const node *n = &b->nodes[i];
    if (build_touches(n) & TOUCH_ALL) return true;
    if (n->kind == NODE_GUARD && i < last) return build_touches(n + 1) & TOUCH_ALL;
    /* the clock's value, moved to its register */
    return i > first && n->real && n->src->op == OP_MOV && !n[-1].real && build_touches(n - 1) & TOUCH_ALL;
}

/* Orders the regions of the block, from its end upwards. */
static void order_block(scheduler *s, uint32_t first, uint32_t last)
{
    for (uint32_t to = last + 1; to > first;) {
        uint32_t from = to;
        while (from > first && !stops(s->b, from - 1, first, last)) from--;
        if (from < to) order_region(s, from, to - 1, to <= last ? &s->b->nodes[to] : NULL);
        for (to = from; to > first && stops(s->b, to - 1, first, last); to--) above(s, &s->b->nodes[to - 1], true);
    }
}

void build_schedule(builder *b)
{
    scheduler s = {.b = b};
    size_t n = 0, regs = (size_t)b->reg_count + 1;
    if (!rule_left_out(RULE_joined)) build_join(b);
    arena_empty(b->pass);
    for (uint32_t k = 0; k < b->block_count; k++) {
        const size_t nodes = (size_t)(b->blocks[k].last - b->blocks[k].first) + 2;
        if (nodes > n) n = nodes;
    }
    s.units = arena_array(b->pass, n, sizeof *s.units);
    s.members = arena_array(b->pass, n, sizeof *s.members);
    s.def = arena_array(b->pass, regs, sizeof *s.def);
    s.uses = arena_array(b->pass, regs, sizeof *s.uses);
    s.named = arena_array(b->pass, regs, sizeof *s.named);
    s.heap = arena_array(b->pass, n, sizeof *s.heap);
    s.late = arena_array(b->pass, n, sizeof *s.late);
    s.order = arena_array(b->pass, n, sizeof *s.order);
    s.live = arena_array(b->pass, regs, 1);
    s.kept_units = arena_array(b->pass, n, sizeof *s.units);
    s.kept_live = arena_array(b->pass, regs, 1);
    s.width = build_words(b, false);
    for (uint32_t k = 0; k < b->block_count; k++) {
        s.alive = 0;
        for (uint32_t r = 0; r < b->reg_count; r++) {
            int32_t g = b->global[r];
            s.live[r] = g >= 0 && b->live_out[(size_t)k * b->live_words + (size_t)(g >> 6)] >> (g & 63) & 1;
            if (s.live[r]) s.alive += s.width[r];
        }
        order_block(&s, b->blocks[k].first, b->blocks[k].last);
    }
}
