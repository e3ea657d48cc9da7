/* awaited.c: is a value that a thread reads by a volatile or relaxed load waited for?
 *
 * Such loads race with no store that is volatile, relaxed or atomic; but nothing tells when they
 * see it. That does no harm where the value itself is tested:
 *   while (*flag == 0);  if (*found) break;  if (mine > *best) atomicMax(best, mine);
 *       it only decides
 *   do w = *word; while (!(w >> 32));
 *       it is read again until it is there
 *   seen = *p; do ... while (atomicCAS(p, seen, new) != seen);
 *       the atomic operation compares it
 *   many = *count; if (many > 0) { __threadfence(); ... item[many - 1] ... }
 *       it says where data lie; a branch on it leads there or leaves that out, and a fence stands between
 * Otherwise the value is data, which must have been written before: see race.c. A test that leads
 * nowhere does not change that.
 *
 * This looks at the text of one function and follows the value through its registers, through
 * variables in memory, and through a call to what it returns. A function that writes or calls keeps
 * what it gets.
 */
#include "race.h"
#include <stdlib.h>

enum { MOST_LOOKS = 1 << 26 /* at instructions: a tenth of a second */, MOST_PLACES = 8 };
typedef struct trail {
    const ptx_func *f;
    bool *held; /* by register: depends on the value */
    bool *root; /* by register: the address of the load is made from it, in each turn of the loop looked at */
    const ptx_operand *place[MOST_PLACES]; /* of memory: likewise */
    int places;
    bool *been; /* by instruction */
    int *stack;
    uint64_t looks;
} trail;

static bool gave_up(const trail *t) { return t->looks > MOST_LOOKS; }

static bool same_place(const ptx_operand *a, const ptx_operand *b)
{
    return a->kind == O_ADDRESS && b->kind == O_ADDRESS && a->reg == b->reg && a->var == b->var &&
           a->value.i == b->value.i;
}

static bool operand_in(const ptx_operand *o, const bool *set)
{
    if ((o->kind == O_REG || o->kind == O_ADDRESS) && o->reg >= 0 && set[o->reg]) return true;
    for (int i = 0; i < ptx_inside(o); i++)
        if (operand_in(&o->elements[i], set)) return true;
    return false;
}

static bool add_operand(const ptx_operand *o, bool *set)
{
    bool more = false;
    if (o->kind == O_REG && o->reg >= 0 && !set[o->reg]) set[o->reg] = more = true;
    for (int i = 0; i < ptx_inside(o); i++) more |= add_operand(&o->elements[i], set);
    return more;
}

static bool is_load(const ptx_insn *u) { return u->op == OP_LD && u->operand_count > 1; }
static bool stores(const ptx_insn *u) { return u->op == OP_ST || u->op == OP_RED; }

/* Does it take its first operand as a source? */
static int first_source(const ptx_insn *u)
{
    const bool result = u->operand_count && u->operand[0].kind != O_ADDRESS && u->operand[0].kind != O_LIST;
    return !result || stores(u) || u->op == OP_BRA || u->op == OP_BRX || u->op == OP_CALL ? 0 : 1;
}

/* A variable, or a place of the stack: not an element of an array, which others load by another address. */
static bool one_variable(const trail *t, const ptx_operand *place)
{
    return place->reg < 0 || !strncmp(t->f->regs[place->reg].name, "%SP", 3);
}

static bool loads_again(trail *t, const ptx_operand *place)
{
    if (!one_variable(t, place)) return false;
    t->looks += (uint64_t)t->f->insn_count;
    for (int i = 0; i < t->f->insn_count; i++)
        if (is_load(&t->f->insns[i]) && same_place(&t->f->insns[i].operand[1], place)) return true;
    return false;
}

static bool to_parameter(const ptx_insn *u)
{
    return u->op == OP_ST && (ptx_has(u, S_PARAM) || (u->operand[0].var && u->operand[0].var->space == SPACE_PARAM));
}

static bool from_parameter(const ptx_insn *u)
{
    return is_load(u) && (ptx_has(u, S_PARAM) || (u->operand[1].var && u->operand[1].var->space == SPACE_PARAM));
}

/* The call after an argument was put in its place. */
static int call_after(const trail *t, int i)
{
    while (i < t->f->insn_count && t->f->insns[i].op != OP_CALL) i++;
    return i;
}

/* What the call returns. */
static bool follow_call(trail *t, int call)
{
    bool more = false;
    for (int i = call + 1; i < t->f->insn_count && t->f->insns[i].op != OP_CALL; i++)
        if (from_parameter(&t->f->insns[i])) more |= add_operand(&t->f->insns[i].operand[0], t->held);
    return more;
}

static void follow(trail *t, const ptx_insn *load)
{
    memset(t->held, 0, (size_t)t->f->reg_count * sizeof *t->held);
    for (bool more = add_operand(&load->operand[0], t->held); more;) {
        more = false;
        t->looks += (uint64_t)t->f->insn_count;
        for (int i = 0; i < t->f->insn_count && !gave_up(t); i++) {
            const ptx_insn *u = &t->f->insns[i];
            bool takes = false;
            if (!u->operand_count || u->op == OP_LD || u->op == OP_ATOM || u->op == OP_CALL) continue;
            for (int k = first_source(u); k < u->operand_count; k++)
                takes |= (u->op != OP_ST || k > 0) && operand_in(&u->operand[k], t->held);
            if (!takes || u->op == OP_RED) continue;
            if (u->op != OP_ST) {
                more |= add_operand(&u->operand[0], t->held);
                continue;
            }
            if (to_parameter(u)) {
                t->looks += (uint64_t)t->f->insn_count;
                more |= follow_call(t, call_after(t, i));
            }
            if (!one_variable(t, &u->operand[0])) continue;
            t->looks += (uint64_t)t->f->insn_count;
            for (int k = 0; k < t->f->insn_count; k++) /* loads what was stored */
                if (is_load(&t->f->insns[k]) && same_place(&t->f->insns[k].operand[1], &u->operand[0]))
                    more |= add_operand(&t->f->insns[k].operand[0], t->held);
        }
    }
}

static bool is_fence(const ptx_insn *u)
{
    return u->op == OP_MEMBAR || u->op == OP_FENCE || ptx_has(u, S_RELEASE) || ptx_has(u, S_ACQ_REL);
}

static bool jumps(const ptx_insn *u) { return u->op == OP_BRA && u->operand_count && u->operand[0].kind == O_LABEL; }

static bool leaves(const ptx_insn *u) { return u->op == OP_RET || u->op == OP_EXIT || u->op == OP_BRX; }

/* Does a way lead from one instruction to another, not through the two of `past`, nor through a fence (fences)? */
static bool leads(trail *t, int from, int to, const int *past, bool fences)
{
    int depth = 0;
    memset(t->been, 0, ((size_t)t->f->insn_count + 1) * sizeof *t->been);
    t->stack[depth++] = from;
    while (depth) {
        const int i = t->stack[--depth];
        if (i == to) return true;
        if (i >= t->f->insn_count || t->been[i] || i == past[0] || i == past[1]) continue;
        t->been[i] = true;
        t->looks++;
        const ptx_insn *u = &t->f->insns[i];
        if (fences && is_fence(u)) continue;
        if (jumps(u) && !t->been[u->operand[0].label]) t->stack[depth++] = u->operand[0].label;
        if (u->guard >= 0 || !(jumps(u) || leaves(u))) t->stack[depth++] = i + 1;
    }
    return false;
}

/* Does a branch on the value decide whether this instruction is reached, and does a fence stand between? */
static bool told_apart(trail *t, const ptx_insn *load, int use)
{
    const int at = (int)(load - t->f->insns);
    for (int i = 0; i < t->f->insn_count && !gave_up(t); i++) {
        const ptx_insn *u = &t->f->insns[i];
        if (u->guard < 0 || !t->held[u->guard] || !(jumps(u) || leaves(u))) continue;
        const int past[2] = {at, i}, again[2] = {at, at};
        const bool there = jumps(u) && leads(t, u->operand[0].label, use, again, false),
                   next = leads(t, i + 1, use, again, false);
        if (there == next || leads(t, at + 1, use, past, false)) continue;
        if (!leads(t, there ? u->operand[0].label : i + 1, use, again, true)) return true;
    }
    return false;
}

/* Does the function that is called keep what it gets? */
static bool call_keeps(const trail *t, int call)
{
    const ptx_func *f = NULL;
    const ptx_insn *u = call < t->f->insn_count ? &t->f->insns[call] : NULL;
    for (int k = 0; u && k < u->operand_count; k++)
        if (u->operand[k].kind == O_FUNC) f = u->operand[k].func;
    if (!f || !f->has_body) return true;
    for (int i = 0; i < f->insn_count; i++) {
        const ptx_insn *v = &f->insns[i];
        if (v->op == OP_ATOM || v->op == OP_CALL || (stores(v) && !to_parameter(v))) return true;
    }
    return false;
}

/* Where the value goes. */
typedef struct ends {
    bool compared; /* by a compare-and-swap */
    bool kept;     /* it serves for more than comparisons, and saying where data lie after one */
} ends;

static ends ends_of(trail *t, const ptx_insn *load)
{
    ends e = {0};
    for (int i = 0; i < t->f->insn_count && !gave_up(t); i++) {
        const ptx_insn *u = &t->f->insns[i];
        for (int k = first_source(u); k < u->operand_count; k++) {
            if (!operand_in(&u->operand[k], t->held)) continue;
            const bool reaches = u->op == OP_LD || u->op == OP_ATOM || stores(u);
            if (u->op == OP_CALL) e.kept |= call_keeps(t, i);
            else if (to_parameter(u)) e.kept |= call_keeps(t, call_after(t, i));
            else if (u->op == OP_ATOM && ptx_has(u, S_CAS) && k == 2) e.compared = true;
            else if (reaches && u->operand[k].kind == O_ADDRESS) e.kept |= !told_apart(t, load, i);
            else if (u->op == OP_ATOM || u->op == OP_RED) e.kept = true;
            else if (u->op == OP_ST) e.kept |= !loads_again(t, &u->operand[0]);
            else e.kept |= first_source(u) == 0 && u->op != OP_BRX; /* surfaces, copies, prefetches */
        }
    }
    return e;
}

/* What the address is made from where the loop begins: back from the load to there. */
static void find_roots(trail *t, int from, int at)
{
    memset(t->root, 0, (size_t)t->f->reg_count * sizeof *t->root);
    t->places = 0;
    const ptx_operand *address = &t->f->insns[at].operand[1];
    if (address->reg >= 0) t->root[address->reg] = true;
    t->looks += (uint64_t)(at - from);
    for (int i = at - 1; i >= from; i--) {
        const ptx_insn *u = &t->f->insns[i];
        const ptx_operand *to = u->operand_count ? &u->operand[0] : NULL;
        if (!to || stores(u) || to->kind != O_REG || !t->root[to->reg] || u->guard >= 0) continue;
        t->root[to->reg] = false;
        if (is_load(u) && t->places < MOST_PLACES) t->place[t->places++] = &u->operand[1];
        for (int k = 1; k < u->operand_count; k++) {
            const ptx_operand *o = &u->operand[k];
            if ((o->kind == O_REG || o->kind == O_ADDRESS) && o->reg >= 0) t->root[o->reg] = true;
        }
    }
}

/* Is the address another one after this instruction? Not where the value decides about that. */
static bool moves_on(const trail *t, const ptx_insn *u)
{
    if (!u->operand_count || (u->guard >= 0 && t->held[u->guard])) return false;
    for (int i = 0; u->op == OP_ST && i < t->places; i++)
        if (same_place(&u->operand[0], t->place[i])) return true;
    if (stores(u)) return false;
    if (u->op == OP_SELP && operand_in(&u->operand[3], t->held)) return false;
    if (u->operand[0].kind == O_REG && t->root[u->operand[0].reg]) return true;
    for (int i = 0; i < ptx_inside(&u->operand[0]); i++) {
        const ptx_operand *o = &u->operand[0].elements[i];
        if (o->kind == O_REG && t->root[o->reg]) return true;
    }
    return false;
}

/* Is there a way from the load back to where the loop begins, with the address left as it is? */
static bool comes_back(trail *t, int from, int at)
{
    int depth = 0;
    memset(t->been, 0, ((size_t)t->f->insn_count + 1) * sizeof *t->been);
    t->stack[depth++] = at + 1;
    while (depth) {
        const int i = t->stack[--depth];
        if (i == from) return true;
        if (i >= t->f->insn_count || t->been[i]) continue;
        t->been[i] = true;
        t->looks++;
        const ptx_insn *u = &t->f->insns[i];
        if (moves_on(t, u)) continue;
        if (jumps(u) && !t->been[u->operand[0].label]) t->stack[depth++] = u->operand[0].label;
        if (u->guard >= 0 || !(jumps(u) || leaves(u))) t->stack[depth++] = i + 1;
    }
    return false;
}

/* Is it read again at the same place, in a loop that the value decides about? */
static bool spins(trail *t, const ptx_insn *load)
{
    const ptx_insn *insns = t->f->insns;
    const int at = (int)(load - insns);
    for (int to = at; to < t->f->insn_count && !gave_up(t); to++) {
        if (!jumps(&insns[to])) continue;
        const int from = insns[to].operand[0].label;
        if (from > at) continue;
        bool decides = false;
        t->looks += (uint64_t)(to - from);
        for (int i = from; i <= to; i++)
            decides |= insns[i].guard >= 0 && t->held[insns[i].guard] &&
                       (insns[i].op == OP_BRA || insns[i].op == OP_RET || insns[i].op == OP_EXIT);
        if (!decides) continue;
        find_roots(t, from, at);
        if (comes_back(t, from, at)) return true;
    }
    return false;
}

static bool tested(trail *t, const ptx_insn *load)
{
    follow(t, load);
    const ends e = ends_of(t, load);
    return e.compared || !e.kept || spins(t, load) || gave_up(t);
}

bool race_awaited(launch *l, const code_info *info)
{
    const ptx_func *f = info->func;
    const ptx_insn *load = info->src;
    const size_t registers = (size_t)f->reg_count + 1, insns = (size_t)f->insn_count + 1;
    trail t = {.f = f,
               .held = calloc(registers, sizeof *t.held),
               .root = calloc(registers, sizeof *t.root),
               .been = calloc(insns, sizeof *t.been),
               .stack = calloc(2 * insns, sizeof *t.stack)};
    bool found = !t.held || !t.root || !t.been || !t.stack;
    if (found) l->lacks = true;
    else found = tested(&t, load);
    /* Reads of one word stay in order: after a loop that waits for it, it is there. */
    for (int i = 0; !found && i < f->insn_count; i++) {
        const ptx_insn *u = &f->insns[i];
        if (u == load || !is_load(u) || !same_place(&u->operand[1], &load->operand[1])) continue;
        follow(&t, u);
        found = spins(&t, u) || gave_up(&t);
    }
    free(t.held);
    free(t.root);
    free(t.been);
    free(t.stack);
    return found;
}
