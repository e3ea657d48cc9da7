/* race_report.c: races in words. The first race of each pair of instructions is reported with both
 * sides; the others are only counted. */
#include "race_report.h"
#include <stdio.h>
#include <stdlib.h>

enum { SEEN_GUESS = SIM_FAULT_KINDS }; /* the kind of a pair that is not a race: see is_guess */

static seen_race *seen_at(race_worker *k, uint32_t kind, uint32_t pc, uint32_t other_pc)
{
    uint32_t i = (pc * 0x9e3779b9u ^ other_pc * 0x85ebca6bu ^ kind) >> 7;
    for (int tries = 0; tries < 8; tries++, i++) {
        seen_race *s = &k->seen[i % SEEN_ROOM];
        if (!s->times || (s->pc == pc && s->other_pc == other_pc && s->kind == kind)) return s;
    }
    return NULL;
}

static void where_text(const sim_place *p, const sim_place *beside, char *out, size_t size)
{
    bool same_block = !memcmp(p->block, beside->block, sizeof p->block);
    if (same_block) snprintf(out, size, "thread (%u,%u,%u)", p->thread[0], p->thread[1], p->thread[2]);
    else
        snprintf(out, size, "thread (%u,%u,%u) of block (%u,%u,%u)", p->thread[0], p->thread[1], p->thread[2],
                 p->block[0], p->block[1], p->block[2]);
}

static const char *verb(const launch *l, uint32_t pc, bool wrote)
{
    const ptx_insn *in = pc < l->code->count ? l->code->info[pc].src : NULL;
    if (in && (in->op == OP_ATOM || in->op == OP_RED)) return "changes (atomically)";
    return wrote ? "writes" : "reads";
}

/* How the two sides are related, what is missing between them, and what to do about it. */
enum relation {
    PROXY,
    REUSED,
    PROXY_PRODUCT,
    PRODUCT,
    UNFENCED,
    NOT_READY,
    NOT_READY_HERE,
    COPY_EARLY,
    COPY_UNSEEN,
    SCOPE,
    LOCKSTEP,
    LUCK_BLOCK,
    LUCK_BLOCKS,
    STORES_TOGETHER,
    ONE_WORD,
    BEFORE_ATOMIC,
    STORES_OF_BLOCK,
    ONE_WARP,
    ONE_BLOCK,
    TWO_BLOCKS
};
static const struct {
    const char *missing, *advice;
} relations[] = {
    [PROXY] =
        {"there is no fence.proxy.async between the store and the bulk copy",
         "Put fence.proxy.async (fence_proxy_async of cuda::ptx) after the stores, in each storing thread, before "
         "the barrier: bulk copies read memory through another proxy."},
    [REUSED] = {"the bulk copy may not have read it yet",
                "Wait for the copy before storing there again: cp.async.bulk.wait_group.read in the thread that "
                "committed it, then a barrier if other threads store."},
    [PROXY_PRODUCT] =
        {"there is no fence.proxy.async between the store and the product",
         "Put fence.proxy.async (fence_proxy_async of cuda::ptx) after the stores, in each storing thread, before the "
         "barrier: wgmma reads shared memory through another proxy."},
    [PRODUCT] =
        {"the product has not been waited for",
         "Wait for the product (wgmma.wait_group, warpgroup_wait), and let the writing threads know, before its "
         "matrices are overwritten: it reads shared memory in the background."},
    [UNFENCED] =
        {"no fence.mbarrier_init and no fence.proxy.async comes between",
         "Put fence.mbarrier_init.release.cluster (or fence.proxy.async) behind mbarrier.init, in the same thread and "
         "before the barrier: bulk copies reach the object through another proxy."},
    [NOT_READY] =
        {"no barrier of the cluster orders the two",
         "Put the cluster's barrier (cluster.sync()) between mbarrier.init and all that other blocks, or copies "
         "to other blocks, do with the object: __syncthreads() waits for the own block alone."},
    [NOT_READY_HERE] = {"no __syncthreads() orders the two",
                        "Put __syncthreads() between mbarrier.init and all other uses of the object."},
    [COPY_EARLY] =
        {"nothing tells the copying thread that it may write there",
         "Let all that read there arrive at a barrier object afterwards (mbarrier.init counts them all), and let "
         "the copying thread wait for that phase first. Who reads what is copied waits for the copy "
         "(mbarrier.try_wait)."},
    [COPY_UNSEEN] =
        {"nothing tells the thread that the copy has landed",
         "Wait for the copy first: mbarrier.try_wait on the barrier object that it names, with the parity of its "
         "phase (0, then 1, 0, 1 ...); a test that passes at once may be for the phase before."},
    [SCOPE] = {"one of them has block scope only", "Use the atomic without _block: threads of other blocks take part."},
    [LOCKSTEP] =
        {"this holds only while the warp runs in lockstep",
         "Put __syncwarp() between the two: since Volta threads of a warp run independently, volatile or not."},
    [LUCK_BLOCK] =
        {"no __syncthreads() and no fence orders the two",
         "Put __syncthreads() between the two, or __threadfence_block() between the write and the flag that tells of "
         "it: volatile and relaxed accesses alone keep no order."},
    [LUCK_BLOCKS] =
        {"no fence orders the two blocks",
         "Put __threadfence() between the write and the atomic or flag that tells of it, in the writing thread: "
         "volatile and relaxed accesses alone keep no order."},
    [STORES_TOGETHER] = {"both at the same time", "Make it an atomic operation, or give each thread its own element."},
    [ONE_WORD] =
        {"nothing orders the two threads",
         "Both update one value. Make reading and writing it one atomic operation (atomicAdd and the like), or "
         "give each thread its own element."},
    [BEFORE_ATOMIC] =
        {"nothing orders the two threads",
         "Another thread may come between the read and the atomic operation that follows it. Use the value that the "
         "atomic operation returns (what it found), not one read before."},
    [STORES_OF_BLOCK] =
        {"nothing orders the two stores",
         "If all threads store here at once, make it an atomic operation or give each its own element; if in "
         "different iterations of a loop, put __syncthreads() between them."},
    [ONE_WARP] = {"nothing orders the two threads",
                  "Put __syncwarp() between the two: since Volta threads of a warp run independently."},
    [ONE_BLOCK] = {"no __syncthreads() orders the two",
                   "Put __syncthreads() between the two, where all threads of the block reach it."},
    [TWO_BLOCKS] =
        {"nothing orders the two blocks",
         "Blocks of one launch run in parallel, in any order: make both accesses atomic, or have the writer call "
         "__threadfence() before an atomic or flag that the reader waits for, or use two launches."},
};

static enum relation relation_of(enum race_scope scope)
{
    return scope == RACE_BLOCKS ? TWO_BLOCKS : scope == RACE_BLOCK ? ONE_BLOCK : ONE_WARP;
}

const char *race_advice(enum race_scope scope) { return relations[relation_of(scope)].advice; }

/* ---- one value that several threads update ---- */

static bool same_address(const ptx_operand *a, const ptx_operand *b)
{
    return a->kind == O_ADDRESS && b->kind == O_ADDRESS && a->reg == b->reg && a->var == b->var &&
           a->value.i == b->value.i;
}

/* Registers that depend on the load's result, except through memory. */
static void follow(const ptx_func *f, const ptx_insn *load, bool *held)
{
    memset(held, 0, (size_t)f->reg_count * sizeof *held);
    held[load->operand[0].reg] = true;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < f->insn_count; i++) {
            const ptx_insn *u = &f->insns[i];
            const ptx_operand *d = u->operand;
            if (!u->operand_count || d->kind != O_REG || held[d->reg] || u->op == OP_LD || u->op == OP_ATOM) continue;
            for (int k = 1; k < u->operand_count; k++)
                if (u->operand[k].kind == O_REG && held[u->operand[k].reg]) held[d->reg] = more = true;
        }
    }
}

static bool is_load(const ptx_insn *in) { return in && in->op == OP_LD && in->operand[0].kind == O_REG; }

/* Does an atomic operation on the word that the load reads follow? */
static bool reads_before(const launch *l, uint32_t load, uint32_t atomic)
{
    const code_module *code = l->code;
    const ptx_insn *in = load < code->count ? code->info[load].src : NULL,
                   *then = atomic < code->count ? code->info[atomic].src : NULL;
    if (!is_load(in) || !then || (then->op != OP_ATOM && then->op != OP_RED) ||
        code->info[load].func != code->info[atomic].func || in > then)
        return false;
    return same_address(&in->operand[1], &then->operand[then->op == OP_ATOM]);
}

/* Does the store write back the loaded value, changed: `x++`, `x += y`? Not if another word of
 * shared memory comes in: in `s[t] += s[t + 16]` that other word is the one raced for. */
static bool updates(launch *l, uint32_t load, uint32_t store)
{
    const code_module *code = l->code;
    const ptx_insn *in = load < code->count ? code->info[load].src : NULL,
                   *out = store < code->count ? code->info[store].src : NULL;
    if (!is_load(in) || !out || out->op != OP_ST || out->operand[1].kind != O_REG) return false;
    if (code->info[load].func != code->info[store].func || !same_address(&in->operand[1], &out->operand[0]))
        return false;
    const ptx_func *f = code->info[load].func;
    bool *held = f->reg_count ? calloc((size_t)f->reg_count, sizeof *held) : NULL;
    if (!held) {
        if (f->reg_count) l->lacks = true;
        return false;
    }
    follow(f, in, held);
    bool one = held[out->operand[1].reg];
    for (int i = 0; i < f->insn_count && one; i++) {
        const ptx_insn *u = &f->insns[i];
        bool shared = false;
        for (int k = 0; k < u->suffix_count; k++)
            shared = shared || u->suffix[k] == S_SHARED || u->suffix[k] == S_SHARED_CTA;
        if (u == in || !is_load(u) || !shared || same_address(&u->operand[1], &in->operand[1])) continue;
        follow(f, u, held);
        one = !held[out->operand[1].reg];
    }
    free(held);
    return one;
}

static const ptx_insn *at_pc(const launch *l, uint32_t pc)
{
    return pc < l->code->count ? l->code->info[pc].src : NULL;
}
/* A bulk copy to shared memory. */
static bool fills_shared(const ptx_insn *in)
{
    return in && in->op == OP_CP && ptx_has(in, S_BULK) && ptx_has(in, S_MBARRIER_COMPLETE);
}

/* What barrier objects and the copies that report to them have to do with a race, or TWO_BLOCKS + 1. */
static enum relation of_objects(const launch *l, enum race_scope scope, uint32_t pc, uint32_t other_pc, bool writes)
{
    const ptx_insn *in = at_pc(l, pc), *other = at_pc(l, other_pc);
    if (race_makes_object(in) || race_makes_object(other)) return scope == RACE_BLOCKS ? NOT_READY : NOT_READY_HERE;
    if (fills_shared(in) && writes) return COPY_EARLY;
    return fills_shared(other) ? COPY_UNSEEN : TWO_BLOCKS + 1;
}

static enum relation relation_between(launch *l, enum race_scope scope, uint32_t pc, uint32_t other_pc)
{
    if (updates(l, pc, other_pc) || updates(l, other_pc, pc)) return ONE_WORD;
    for (uint32_t load = 0; pc == other_pc && load < l->code->count; load++)
        if (updates(l, load, pc)) return ONE_WORD;
    if (reads_before(l, pc, other_pc) || reads_before(l, other_pc, pc)) return BEFORE_ATOMIC;
    if (pc == other_pc && scope != RACE_BLOCKS) return scope == RACE_WARP ? STORES_TOGETHER : STORES_OF_BLOCK;
    return relation_of(scope);
}

/* The number that an operand is: written there, or in the one move that sets its register. */
static bool number_of(const ptx_func *f, const ptx_operand *o, int64_t *out)
{
    const ptx_insn *set = NULL;
    if (o->kind != O_REG) {
        *out = o->value.i;
        return o->kind == O_INT;
    }
    for (int i = 0; i < f->insn_count; i++) {
        const ptx_insn *u = &f->insns[i];
        if (!u->operand_count || u->operand[0].kind != O_REG || u->operand[0].reg != o->reg) continue;
        if (set || u->op != OP_MOV || u->operand[1].kind != O_INT) return false;
        set = u;
    }
    if (set) *out = set->operand[1].value.i;
    return set != NULL;
}

static bool same_operand(const ptx_func *f, const ptx_operand *a, const ptx_operand *b)
{
    int64_t x, y;
    if (a->kind == O_REG && b->kind == O_REG && a->reg == b->reg) return true;
    return number_of(f, a, &x) && number_of(f, b, &y) && x == y;
}

/* What an atomic operation compares the word with, to leave it as it is; NULL: it does not. */
static const ptx_operand *tested_by(const ptx_insn *atomic)
{
    if (atomic->op == OP_ATOM && ptx_has(atomic, S_CAS)) return &atomic->operand[2];
    return ptx_has(atomic, S_MIN) || ptx_has(atomic, S_MAX) ? &atomic->operand[1 + (atomic->op == OP_ATOM)] : NULL;
}

/* A plain read is a guess where the atomic operation tests it:
 *   seen = *p; do ... while (atomicCAS(p, seen, new) != seen)    compares with what was read
 *   if (*p == none) atomicCAS(p, none, mine)                     and what was read serves for
 *   if (mine < *p) atomicMin(p, mine)                            nothing but comparisons
 * `held` are the registers that hold the value read, through copies alone. */
static bool tests_again(const ptx_func *f, const ptx_insn *atomic, const bool *held)
{
    const ptx_operand *test = tested_by(atomic);
    bool compared = false;
    for (int i = 0; test && i < f->insn_count; i++) {
        const ptx_insn *u = &f->insns[i];
        for (int k = u->op != OP_ST && u->op != OP_RED; k < u->operand_count; k++) {
            const ptx_operand *o = &u->operand[k];
            if (o->kind == O_VECTOR || o->kind == O_LIST) {
                for (int e = 0; e < o->count; e++)
                    if (o->elements[e].kind == O_REG && held[o->elements[e].reg]) return false;
                continue;
            }
            if ((o->kind != O_REG && o->kind != O_ADDRESS) || o->reg < 0 || !held[o->reg] || u->op == OP_MOV) continue;
            if (u->op != OP_SETP || u->operand_count != 3) return false;
            compared |= same_operand(f, &u->operand[3 - k], test);
        }
    }
    return compared;
}

static bool is_guess(launch *l, uint32_t load, uint32_t atomic)
{
    const code_module *code = l->code;
    const ptx_insn *in = load < code->count ? code->info[load].src : NULL,
                   *other = atomic < code->count ? code->info[atomic].src : NULL;
    if (!in || !other || in->op != OP_LD || in->operand[0].kind != O_REG ||
        (other->op != OP_ATOM && other->op != OP_RED))
        return false;
    const ptx_func *f = code->info[load].func;
    bool *held = f->reg_count ? calloc((size_t)f->reg_count, sizeof *held) : NULL, found = false;
    if (!held) {
        if (f->reg_count) l->lacks = true;
        return false;
    }
    held[in->operand[0].reg] = true;
    for (bool more = true; more && !found;) {
        more = false;
        for (int i = 0; i < f->insn_count && !found; i++) {
            const ptx_insn *u = &f->insns[i];
            if (u->op == OP_MOV && u->operand_count == 2) {
                const ptx_operand *d = &u->operand[0], *s = &u->operand[1];
                if (d->kind == O_REG && s->kind == O_REG && held[s->reg] && !held[d->reg]) held[d->reg] = more = true;
            }
            if (u->op != OP_ATOM || u->operand_count < 4 || u->operand[2].kind != O_REG || !held[u->operand[2].reg])
                continue;
            found = ptx_has(u, S_CAS);
        }
    }
    found = found || (code->info[atomic].func == f && tests_again(f, other, held));
    free(held);
    return found;
}

/* The same, with the answer kept among the races seen. */
static bool guessed(launch *l, race_worker *k, uint32_t load, uint32_t atomic)
{
    seen_race *seen = seen_at(k, SEEN_GUESS, load, atomic);
    if (seen && seen->times) return true;
    if (!is_guess(l, load, atomic)) return false;
    if (seen) *seen = (seen_race){load, atomic, SEEN_GUESS, RACE_WARP, 0, 1};
    return true;
}

void race_say(warp *w, const access *a, uint32_t lane, uint64_t address, const race_side *other, bool other_wrote,
              bool same_value, bool luck)
{
    launch *l = w->worker->launch;
    race_worker *k = w->block->order->worker;
    uint32_t pc = (uint32_t)(a->in - l->code->insns),
             other_pc = other->slot ? k->state->slot_pc[other->slot] : UINT32_MAX;
    if (a->kind == ACCESS_READ ? guessed(l, k, pc, other_pc) : !other_wrote && guessed(l, k, other_pc, pc)) return;
    uint32_t kind = same_value ? SIM_FAULT_SAME_VALUE : SIM_FAULT_RACE;
    const bool in_shared = a->space == SPACE_SHARED;
    const bool same_block = other->linear == w->block->linear, same_warp = same_block && other->thread / 32 == w->index;
    const enum race_scope scope = same_warp ? RACE_WARP : same_block ? RACE_BLOCK : RACE_BLOCKS;
    const bool note = same_value || other->kind == SIDE_UNFENCED || (luck && same_warp && l->s->card.cc_major < 7);
    if (l->found && !l->found->there && !note)
        *l->found = (sim_film_found){.there = true,
                                     .kind = SIM_FAULT_RACE,
                                     .lane = lane,
                                     .address = address,
                                     .size = a->size,
                                     .other_pc = other_pc,
                                     .other_thread = other->thread,
                                     .other_block = other->linear};
    seen_race *seen = seen_at(k, kind, pc, other_pc);
    if (seen && seen->times) {
        seen->times++;
        if (seen->scope > scope || (seen->scope == scope && seen->linear <= w->block->linear)) return;
        /* a better example: of threads further apart, or of an earlier block */
        seen->linear = w->block->linear;
        seen->scope = scope;
        seen->times--;
    } else if (seen) {
        *seen = (seen_race){pc, other_pc, kind, scope, w->block->linear, 1};
    }
    sim_fault f;
    memset(&f, 0, sizeof f);
    f.kind = (enum sim_fault_kind)kind;
    f.note = note;
    f.count = 1;
    uint32_t thread = w->index * 32 + lane;
    fault_place(l, pc, &f.at);
    fault_thread(l, w->block->linear, thread, &f.at);
    fault_place(l, other_pc, &f.other);
    fault_thread(l, other->linear, other->thread, &f.other);
    f.at.lanes = 1u << lane;
    f.other.lanes = 1u << (other->thread & 31);
    f.address = address;
    f.size = a->size;
    f.space = a->space == SPACE_SHARED ? "shared" : "global";
    char me[80], him[80], what[128];
    where_text(&f.at, same_block ? &f.at : &f.other, me, sizeof me);
    where_text(&f.other, &f.at, him, sizeof him);
    fault_what(w, a->space, address, a->in->size, what, sizeof what);
    if (same_value) {
        snprintf(f.message, sizeof f.message, "%s and %s both store the same value to %s", him, me, what);
    } else {
        const uint8_t *narrow = k->state->narrow;
        const bool out_of_scope = narrow && !same_block && (narrow[a->in->slot] || narrow[other->slot]);
        const enum relation objects =
            in_shared ? of_objects(l, scope, pc, other_pc, a->kind != ACCESS_READ) : TWO_BLOCKS + 1;
        enum relation how = other->kind == SIDE_PRODUCT    ? PRODUCT
                            : other->kind == SIDE_REUSED   ? REUSED
                            : other->kind == SIDE_UNFENCED ? UNFENCED
                            : other->kind == SIDE_STORE
                                ? (l->code->info[pc].src->op == OP_WGMMA ? PROXY_PRODUCT : PROXY)
                            : objects <= TWO_BLOCKS ? objects
                            : out_of_scope          ? SCOPE
                            : luck                  ? (same_warp    ? LOCKSTEP
                                                       : same_block ? LUCK_BLOCK
                                                                    : LUCK_BLOCKS)
                                                    : relation_between(l, scope, pc, other_pc);
        char line[40] = "";
        if (f.other.line) snprintf(line, sizeof line, " at line %d", f.other.line);
        snprintf(f.message, sizeof f.message, "%s %s %s, which %s %s%s; %s", me, verb(l, pc, a->kind != ACCESS_READ),
                 what, him, verb(l, other_pc, other_wrote), line, relations[how].missing);
        snprintf(f.advice, sizeof f.advice, "%s", relations[how].advice);
    }
    fault_note_race(l, &f, scope, pc, other_pc, w->block->linear);
}

void race_say_ends(const block *b, const race_side *other, uint64_t address, bool wrote)
{
    launch *l = b->worker->launch;
    const uint32_t pc = other->slot ? l->race->slot_pc[other->slot] : UINT32_MAX;
    sim_fault f = {.kind = SIM_FAULT_RACE, .count = 1, .address = address, .size = 4, .space = "shared"};
    fault_place(l, pc, &f.at);
    fault_thread(l, other->linear, other->thread, &f.at);
    f.at.lanes = 1u << (other->thread & 31);
    f.other = f.at;
    fault_thread(l, b->linear, 0, &f.other);
    char who[80], what[128];
    where_text(&f.at, &f.other, who, sizeof who);
    fault_what(&b->warps[0], SPACE_SHARED, address, 4, what, sizeof what);
    snprintf(f.message, sizeof f.message,
             "%s %s %s of block (%u,%u,%u), which may have ended by then: nothing makes it wait", who,
             verb(l, pc, wrote), what, b->id[0], b->id[1], b->id[2]);
    snprintf(f.advice, sizeof f.advice,
             "End the kernel with a barrier of the cluster (cluster.sync()), so that no block ends while others reach "
             "its shared memory.");
    fault_note_race(l, &f, RACE_BLOCKS, pc, UINT32_MAX, b->linear);
}

void race_say_unread(const block *b, const insn *in, uint32_t thread, uint64_t address, uint32_t bytes)
{
    launch *l = b->worker->launch;
    const uint32_t pc = (uint32_t)(in - l->code->insns);
    sim_fault f = {.kind = SIM_FAULT_RACE, .count = 1, .address = address, .size = bytes, .space = "shared"};
    char what[128];
    fault_place(l, pc, &f.at);
    fault_thread(l, b->linear, thread, &f.at);
    f.at.lanes = 1u << (thread & 31);
    fault_what(&b->warps[0], SPACE_SHARED, address, 4, what, sizeof what);
    snprintf(f.message, sizeof f.message,
             "the block ends while this bulk copy may still read its %u bytes from %s: nobody waited for it",
             (unsigned)bytes, what);
    snprintf(f.advice, sizeof f.advice,
             "Before it ends, the thread that committed the copy must wait: cp.async.bulk.wait_group.read 0 "
             "(cp_async_bulk_wait_group_read of cuda::ptx).");
    fault_note_race(l, &f, RACE_BLOCKS, pc, UINT32_MAX, b->linear);
}

void race_say_rest(launch *l, race_worker *k)
{
    for (int i = 0; i < SEEN_ROOM; i++)
        if (k->seen[i].times > 1)
            fault_count(l, (enum sim_fault_kind)k->seen[i].kind, k->seen[i].pc, k->seen[i].other_pc,
                        k->seen[i].times - 1);
}

void race_say_blind(launch *l, uint64_t limit)
{
    sim_fault f;
    memset(&f, 0, sizeof f);
    f.kind = SIM_FAULT_HOST_LIMIT;
    f.note = true;
    fault_place(l, UINT32_MAX, &f.at);
    snprintf(f.message, sizeof f.message,
             "the race check needs more than its %llu MiB, so it did not watch part of global memory",
             (unsigned long long)(limit >> 20));
    fault_note(l, &f, UINT32_MAX, UINT32_MAX, UINT64_MAX);
}
