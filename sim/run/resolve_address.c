/* resolve_address.c: where the lanes of a memory instruction reach, found lane by lane, and the
 * report when one reaches nothing.
 *
 * The operations in exec/ find the usual case themselves: every lane within the allocation that the
 * same instruction hit before. The rest comes here: the first access, lanes in different
 * allocations or spaces, and every fault. A lane is checked in this order: alignment, its space,
 * the allocation, freed or not, writable or not.
 *
 * A card maps memory in pages of 2 MiB: an access a little outside an allocation passes there, and so
 * does one before the first allocation, where the driver has memory of its own. With sim_launch.pages
 * they do so here. They are reported; they read zeros and write nothing.
 */
#include "run.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* one lane's place */
typedef struct spot {
    char *host;
    alloc *al;               /* global only */
    const shared_part *part; /* shared only */
    uint32_t rank;           /* SPACE_CLUSTER: of the block whose memory it is */
    uint64_t at;             /* within the space */
    uint8_t space;           /* resolved */
    enum sim_fault_kind fault;
    bool bad;
} spot;

static const char *space_name(uint8_t space)
{
    switch (space) {
    case SPACE_CLUSTER:
    case SPACE_SHARED: return "shared";
    case SPACE_LOCAL: return "local";
    case SPACE_CONST: return "const";
    case SPACE_PARAM: return "param";
    default: return "global";
    }
}

/* A generic address names its space by the window that it lies in. An address a little before a
 * window belongs to it too: the end of the window before is empty. Its offset then wraps in 32
 * bits, like that of an address within the space. */
static uint8_t resolve(uint64_t *at)
{
    static const struct {
        uint64_t window, before;
        uint8_t space;
    } windows[] = {{PARAM_WINDOW, 1 << 16, SPACE_PARAM},
                   {LOCAL_WINDOW, UINT64_C(1) << 31, SPACE_LOCAL},
                   {SHARED_WINDOW, UINT64_C(1) << 31, SPACE_SHARED}};
    for (int i = 2; i >= 0; i--)
        if (*at - (windows[i].window - windows[i].before) < WINDOW_BYTES) {
            *at = (uint32_t)(*at - windows[i].window);
            return windows[i].space;
        }
    return SPACE_GLOBAL;
}

static uint64_t space_bytes(const warp *w, uint8_t space)
{
    switch (space) {
    case SPACE_SHARED: return w->worker->launch->shared_used;
    case SPACE_LOCAL: return w->local ? w->local_limit : 0;
    case SPACE_PARAM: return w->worker->launch->param_bytes;
    default: return 0;
    }
}

static void refuse(spot *s, enum sim_fault_kind kind)
{
    s->bad = true;
    s->fault = kind;
}

/* Shared memory that is not the own block's, if `at` names any. */
static void locate_in_cluster(const warp *w, uint64_t bytes, spot *s)
{
    uint32_t rank, offset;
    const block *b = w->block, *peer;
    shared_cluster_split((uint32_t)s->at, &rank, &offset);
    if (rank == b->rank) { /* by its cluster address */
        s->at = offset;
        s->part = memory_part(w->worker->launch, offset, false);
        if (!s->part || s->part->to - offset < bytes) refuse(s, SIM_FAULT_OUT_OF_BOUNDS);
        else s->host = b->shared + offset;
        return;
    }
    s->space = SPACE_CLUSTER;
    s->rank = rank;
    peer = block_peer(b, rank);
    const shared_part *part = memory_part(w->worker->launch, offset, false);
    if (rank < b->cluster->count && !peer) refuse(s, SIM_FAULT_CLUSTER_GONE);
    else if (!peer || !part || part->to - offset < bytes) refuse(s, SIM_FAULT_OUT_OF_BOUNDS);
    else s->host = peer->shared + offset;
}

enum { RANKS_NAMED = 0x7f /* addresses from 2^31 on are negative offsets */ };

static bool names_rank(uint64_t at) { return at >> CLUSTER_SHIFT && at >> CLUSTER_SHIFT <= RANKS_NAMED; }

static spot locate(const warp *w, uint8_t space, int lane, uint64_t at, uint64_t bytes, uint32_t align,
                   enum access_kind kind)
{
    spot s = {.at = at};
    s.space = space == SPACE_NONE ? resolve(&s.at) : space;
    if (s.at & (align - 1)) {
        refuse(&s, SIM_FAULT_MISALIGNED);
        return s;
    }
    if (s.space == SPACE_GLOBAL || s.space == SPACE_CONST) {
        s.al = memory_at(&w->worker->launch->s->mem, s.at);
        if (!s.al || s.al->size - (s.at - s.al->start) < bytes ||
            (space == SPACE_CONST && !s.al->is_const && !s.al->freed))
            refuse(&s, SIM_FAULT_OUT_OF_BOUNDS);
        else if (s.al->freed || !s.al->host) refuse(&s, SIM_FAULT_USE_AFTER_FREE);
        else if (s.al->is_const && kind != ACCESS_READ) refuse(&s, SIM_FAULT_READ_ONLY);
        else s.host = s.al->host + (s.at - s.al->start);
        if (s.host && !s.al->touched) s.al->touched = true;
        return s;
    }
    if (s.space == SPACE_SHARED || s.space == SPACE_CLUSTER) {
        s.space = SPACE_SHARED;
        s.part = memory_part(w->worker->launch, s.at, false);
        if (!s.part && space != SPACE_SHARED && names_rank(s.at)) locate_in_cluster(w, bytes, &s);
        else if (!s.part || s.part->to - s.at < bytes) refuse(&s, SIM_FAULT_OUT_OF_BOUNDS);
        else s.host = w->block->shared + s.at;
        return s;
    }
    uint64_t limit = space_bytes(w, s.space);
    if (s.at > limit || limit - s.at < bytes) refuse(&s, SIM_FAULT_OUT_OF_BOUNDS);
    else if (s.space == SPACE_PARAM && kind != ACCESS_READ) refuse(&s, SIM_FAULT_READ_ONLY);
    else if (s.space == SPACE_PARAM) s.host = w->worker->launch->params + s.at;
    else s.host = w->local + (size_t)lane * w->local_stride + s.at;
    return s;
}

/* ---- messages ---- */
static const char *bytes_text(char *buffer, size_t size, uint64_t n)
{
    snprintf(buffer, size, "%" PRIu64 " byte%s", n, n == 1 ? "" : "s");
    return buffer;
}

/* "12 bytes past the end of out (4096 bytes)" for an access that misses [start, start + size). */
static void say_distance(char *out, size_t size, uint64_t at, uint64_t bytes, uint64_t start, uint64_t length,
                         const char *name)
{
    char a[40], b[40];
    uint64_t end = start + length;
    bytes_text(b, sizeof b, length);
    if (at < start) snprintf(out, size, "starts %s before %s (%s)", bytes_text(a, sizeof a, start - at), name, b);
    else if (at < end)
        snprintf(out, size, "reaches %s past the end of %s (%s)", bytes_text(a, sizeof a, at + bytes - end), name, b);
    else if (at == end) snprintf(out, size, "starts just past the end of %s (%s)", name, b);
    else snprintf(out, size, "starts %s past the end of %s (%s)", bytes_text(a, sizeof a, at - end), name, b);
}

/* An address in no allocation and near none: what might it be? */
static void say_stray(char *out, size_t size, const warp *w, uint8_t space, uint64_t at)
{
    uint64_t shared = w->worker->launch->shared_used;
    if (at >= SHARED_WINDOW && at < SHARED_WINDOW + WINDOW_BYTES)
        snprintf(out, size, "is the generic address of shared memory, used as a %s address", space_name(space));
    else if (at >= LOCAL_WINDOW && at < LOCAL_WINDOW + WINDOW_BYTES)
        snprintf(out, size, "is the generic address of a local variable, used as a %s address", space_name(space));
    else if (at >= PARAM_WINDOW && at < PARAM_WINDOW + WINDOW_BYTES)
        snprintf(out, size, "is the generic address of a kernel parameter, used as a %s address", space_name(space));
    else if (at >= CODE_FUNCTION_BASE && at < CODE_FUNCTION_BASE + WINDOW_BYTES)
        snprintf(out, size, "is the address of a function, not of data");
    else if (!at) snprintf(out, size, "is a null pointer");
    else if (at < 4096)
        snprintf(out, size, "is a null pointer plus %" PRIu64 "%s", at,
                 at < shared ? ", or an offset into shared memory used as a pointer" : "");
    else if (at < shared) snprintf(out, size, "looks like an offset into shared memory used as a pointer");
    else if (at >= UINT64_MAX - UINT32_MAX)
        snprintf(out, size, "is a null pointer minus %" PRIu64, UINT64_MAX - at + 1);
    else if (at >> 40 >= 0x55 && at >> 47 == 0)
        snprintf(out, size, "looks like a pointer of the host: pass the kernel a buffer of the device");
    else snprintf(out, size, "is in no buffer");
}

static void say_where(char *out, size_t size, const warp *w, const spot *s, uint8_t asked, uint64_t bytes)
{
    if (s->space == SPACE_CLUSTER) {
        const cluster *c = w->block->cluster;
        spot there = *s;
        char in[160];
        there.space = SPACE_SHARED;
        there.at &= CLUSTER_OFFSET;
        say_where(in, sizeof in, w, &there, SPACE_CLUSTER, bytes);
        if (s->rank < c->count) snprintf(out, size, "%s of the block with rank %u in its cluster", in, s->rank);
        else
            snprintf(out, size, "names the block with rank %u; its cluster has %u block%s", s->rank, c->count,
                     c->count == 1 ? "" : "s");
        return;
    }
    if (s->space == SPACE_SHARED && asked == SPACE_SHARED && names_rank(s->at)) {
        snprintf(out, size,
                 "is the address of shared memory of a block of the cluster (rank %u): .shared reaches only "
                 "the own block's, .shared::cluster and generic addresses reach all",
                 (unsigned)(s->at >> CLUSTER_SHIFT) - 1);
        return;
    }
    if (s->space != SPACE_GLOBAL && s->space != SPACE_CONST) {
        uint64_t limit = space_bytes(w, s->space);
        char name[80], generic[120];
        if (s->at >> 32) { /* not even an offset */
            say_stray(generic, sizeof generic, w, asked, s->at);
            snprintf(out, size, "%s; the %s memory of a %s has %" PRIu64 " bytes", generic, space_name(s->space),
                     s->space == SPACE_SHARED  ? "block"
                     : s->space == SPACE_LOCAL ? "thread"
                                               : "kernel",
                     limit);
            return;
        }
        snprintf(name, sizeof name, "%s",
                 s->space == SPACE_LOCAL ? "the thread's local memory" : "the kernel's parameters");
        uint64_t at = s->at, start = 0;
        if (s->space == SPACE_SHARED) {
            const shared_part *p = memory_part(w->worker->launch, at, true);
            fault_part_name(p, name, sizeof name);
            start = p->from;
            limit = p->to - p->from;
        }
        if (at >= UINT64_C(0x80000000)) start += UINT64_C(1) << 32; /* a negative offset */
        say_distance(out, size, at, bytes, start, limit, name);
        return;
    }
    const alloc *al = s->al ? s->al : memory_near(&w->worker->launch->s->mem, s->at);
    uint64_t far = !al                             ? 0
                   : s->at < al->start             ? al->start - s->at
                   : s->at - al->start >= al->size ? s->at - al->start - al->size
                                                   : 0;
    if (!al || far >= UINT64_C(1) << 35 || s->at < GLOBAL_BASE - (UINT64_C(1) << 35)) {
        say_stray(out, size, w, asked == SPACE_NONE ? SPACE_GLOBAL : asked, s->at);
        return;
    }
    char name[96], nameless[32];
    snprintf(nameless, sizeof nameless, "allocation %u", (unsigned)al->number);
    snprintf(name, sizeof name, "%s%.64s", al->freed ? "the freed " : "", al->name ? al->name : nameless);
    if (s->space == SPACE_CONST && s->al && !s->al->is_const)
        snprintf(out, size, "lies in %s, which is not constant memory", name);
    else if (s->fault != SIM_FAULT_OUT_OF_BOUNDS) snprintf(out, size, "lies in %s", name);
    else say_distance(out, size, s->at, bytes, al->start, al->size, name);
}

/* What to do about an access out of bounds. */
static const char *advice_for(const warp *w, const spot *s)
{
    const launch *l = w->worker->launch;
    const alloc *near = memory_near(&l->s->mem, s->at);
    switch (s->space) {
    case SPACE_CLUSTER:
        if (s->rank >= w->block->cluster->count)
            return "Take the rank modulo the number of blocks of the cluster (cluster.num_blocks()).";
        return "Keep the index within the array, or make the array larger.";
    case SPACE_SHARED:
        if (s->at >> 32 || !l->entry->has_dynamic || memory_part(l, s->at, true) != &l->parts[l->part_count - 1])
            return "Keep the index within the array, or make the array larger.";
        return l->wanted->shared_bytes
                   ? "Keep the index within the array, or give the launch more dynamic shared memory."
                   : "The launch gives no dynamic shared memory: say how much, as the third value between <<< and >>> "
                     "(try: --shared).";
    case SPACE_LOCAL: return "Keep the index within the local array, or make the array larger.";
    case SPACE_PARAM: return "Keep the index within the parameter.";
    default: break;
    }
    if (!near || s->at < GLOBAL_BASE) return "Pass the kernel a pointer to a buffer, and check the offset added to it.";
    if (s->al ? s->al->is_symbol : near->is_symbol) return "Keep the index within the array, or make the array larger.";
    return NULL;
}

static const char *const verbs[] = {"read", "write", "atomic operation"};

/* ---- what a card lets pass ---- */

enum {
    CARD_PAGE = 1 << 21,
    /* of the driver, before the first allocation: a kernel's malloc has 8 MiB by default, its printf 1 MiB */
    DRIVER_PAGES = 5,
    VOID_MOST = 64 /* bytes of one lane */
};

static bool driver_holds(uint64_t at, uint64_t bytes)
{
    return at >= GLOBAL_BASE - DRIVER_PAGES * (uint64_t)CARD_PAGE && at + bytes <= GLOBAL_BASE;
}

static bool holds(const alloc *al, uint64_t at, uint64_t bytes)
{
    const uint64_t page = CARD_PAGE - 1;
    return al && !al->freed && at >= (al->start & ~page) && at + bytes <= ((al->start + al->size + page) & ~page);
}

static bool passes(const warp *w, const spot *s, uint64_t bytes)
{
    const launch *l = w->worker->launch;
    return l->wanted->pages && s->bad && s->fault == SIM_FAULT_OUT_OF_BOUNDS && s->space == SPACE_GLOBAL &&
           bytes <= VOID_MOST && s->at + bytes > s->at &&
           (driver_holds(s->at, bytes) ||
            (s->at >= GLOBAL_BASE && holds(s->al ? s->al : memory_near(&l->s->mem, s->at), s->at, bytes)));
}

/* Has this worker reported the instruction already, for this block or one before? */
static bool reported(worker *k, const insn *in, uint64_t number)
{
    if (!in->slot) return false;
    const size_t slots = (size_t)k->launch->code->slots + 1;
    if (!k->passed) {
        if (!(k->passed = malloc(slots * sizeof *k->passed))) return false;
        memset(k->passed, 0xff, slots * sizeof *k->passed);
    }
    if (k->passed[in->slot] <= number) return true;
    k->passed[in->slot] = number;
    return false;
}

static void let_pass(warp *w, const insn *in, uint32_t lanes, const spot *s, uint8_t asked, uint32_t bytes,
                     enum access_kind kind, reach *r)
{
    static const char zeros[VOID_MOST];
    worker *k = w->worker;
    launch *l = k->launch;
    const uint32_t pc = (uint32_t)(in - l->code->insns);
    const uint64_t times = (uint64_t)count_lanes(lanes);
    fault_filmed(l, SIM_FAULT_OUT_OF_BOUNDS, first_lane(lanes), s->at, bytes);
    if (reported(k, in, w->block->linear)) {
        fault_count(l, SIM_FAULT_OUT_OF_BOUNDS, pc, UINT32_MAX, times);
    } else {
        char where[256], width[40];
        sim_fault f = {
            .kind = SIM_FAULT_OUT_OF_BOUNDS, .passes = true, .count = times, .address = s->at, .size = bytes};
        fault_place(l, pc, &f.at);
        fault_thread(l, w->block->linear, w->index * 32 + (uint32_t)first_lane(lanes), &f.at);
        f.at.lanes = lanes;
        f.space = space_name(s->space);
        say_where(where, sizeof where, w, s, asked, bytes);
        snprintf(f.message, sizeof f.message, "%s of %s at 0x%" PRIx64 " %s; a card lets it pass", verbs[kind],
                 bytes_text(width, sizeof width, bytes), s->at, where);
        const char *advice = advice_for(w, s);
        if (advice) snprintf(f.advice, sizeof f.advice, "%s", advice);
        fault_note(l, &f, pc, UINT32_MAX, w->block->linear);
    }
    if (kind != ACCESS_READ) memset(k->nowhere, 0, sizeof k->nowhere);
    for (int lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1)) continue;
        r->spaces[lane] = SPACE_REG; /* no checker, counter or other thread has to do with it */
        r->host[lane] = kind == ACCESS_READ ? (char *)(uintptr_t)zeros : k->nowhere[lane];
    }
}

static void raise_fault(warp *w, const insn *in, int lane, uint32_t lanes, const spot *s, uint8_t asked, uint64_t bytes,
                        uint32_t align, enum access_kind kind)
{
    char where[256], width[40];
    bytes_text(width, sizeof width, bytes);
    const char *verb = verbs[kind];
    const uint32_t size = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    switch (s->fault) {
    case SIM_FAULT_MISALIGNED:
        fault_raise(w, in, s->fault, lane, lanes, space_name(s->space), s->at, size,
                    "misaligned %s: %s at 0x%" PRIx64 ", which is not a multiple of %u", verb, width, s->at,
                    (unsigned)align);
        return;
    case SIM_FAULT_READ_ONLY:
        if (s->space == SPACE_PARAM) snprintf(where, sizeof where, "the kernel's parameters, which cannot be written");
        else
            snprintf(where, sizeof where, "%s, which is constant",
                     s->al && s->al->name ? s->al->name : "constant memory");
        fault_raise(w, in, s->fault, lane, lanes, space_name(s->al ? SPACE_CONST : s->space), s->at, size,
                    "%s of %s to %s", verb, width, where);
        return;
    case SIM_FAULT_USE_AFTER_FREE: {
        char nameless[32];
        snprintf(nameless, sizeof nameless, "allocation %u", (unsigned)s->al->number);
        fault_raise(w, in, s->fault, lane, lanes, space_name(s->space), s->at, size,
                    "%s of %s at byte %" PRIu64 " of %.64s, which has been freed", verb, width, s->at - s->al->start,
                    s->al->name ? s->al->name : nameless);
        return;
    }
    case SIM_FAULT_CLUSTER_GONE:
        fault_raise(w, in, s->fault, lane, lanes, "shared", s->at, size,
                    "%s of %s of shared memory of the block with rank %u in its cluster, which has ended", verb, width,
                    s->rank);
        return;
    default:
        say_where(where, sizeof where, w, s, asked, bytes);
        w->worker->advice = advice_for(w, s);
        fault_raise(w, in, s->fault, lane, lanes, space_name(s->space), s->at, size, "%s of %s at 0x%" PRIx64 " %s",
                    verb, width, s->at, where);
    }
}

/* ---- entry points ---- */
bool memory_reach(warp *w, const insn *in, uint8_t space, uint32_t bytes, enum access_kind kind, reach *r)
{
    uint64_t said[32];
    uint32_t bad = 0, outside = 0;
    int first = -1, first_bad = -1;
    spot spot_bad = {0}, spot_outside = {0};
    memcpy(said, r->at, sizeof said);
    r->al = NULL;
    bool same_space = true, same_alloc = true;
    const shared_part *part = NULL;
    for (int l = 0; l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        spot s = locate(w, space, l, said[l], bytes, bytes, kind);
        if (passes(w, &s, bytes)) {
            if (!outside) spot_outside = s;
            outside |= UINT32_C(1) << l;
            continue;
        }
        if (s.bad) {
            if (first_bad < 0) {
                first_bad = l;
                spot_bad = s;
            }
            if (s.fault == spot_bad.fault) bad |= UINT32_C(1) << l;
            continue;
        }
        r->at[l] = s.at;
        r->host[l] = s.host;
        r->spaces[l] = s.space;
        if (s.part) part = s.part;
        if (first < 0) {
            first = l;
            r->al = s.al;
            r->space = s.space;
        }
        same_space = same_space && s.space == r->space;
        same_alloc = same_alloc && s.al == r->al;
    }
    if (bad) {
        raise_fault(w, in, first_bad, bad, &spot_bad, space, bytes, bytes, kind);
        return false;
    }
    if (outside) {
        let_pass(w, in, outside, &spot_outside, space, bytes, kind, r);
        if (first < 0) first = first_lane(outside);
        same_space = false;
        r->al = NULL; /* so that each lane is asked for its own space */
    }
    if (first < 0) return false; /* no active lane: never called so */
    for (int l = 0; l < 32; l++)
        if (!(w->mask >> l & 1)) {
            r->at[l] = r->at[first];
            r->host[l] = r->host[first];
            r->spaces[l] = r->spaces[first];
        }
    if (r->al && !outside) w->worker->cache[in->slot] = r->al;
    if (part) w->worker->part[in->slot] = part;
    if (!same_space) r->space = SPACE_NONE;
    if (!same_alloc) r->al = NULL;
    return true;
}

bool memory_span(warp *w, const insn *in, uint8_t space, int lane, uint64_t at, uint64_t bytes, uint32_t align,
                 enum access_kind kind, uint64_t *within, uint8_t *resolved, char **host, alloc **al)
{
    spot s = locate(w, space, lane, at, bytes, align, kind);
    if (s.bad) {
        raise_fault(w, in, lane, UINT32_C(1) << lane, &s, space, bytes, align, kind);
        return false;
    }
    *within = s.at;
    *resolved = s.space;
    *host = s.host;
    *al = s.al;
    return true;
}

bool memory_watch(warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind, uint8_t order,
                  const void *value, bool no_result)
{
    access a = {.in = in,
                .size = bytes,
                .kind = (uint8_t)kind,
                .order = order,
                .al = r->al,
                .value = value,
                .no_result = no_result};
    memcpy(a.address, r->at, sizeof a.address);
    if (r->space != SPACE_NONE) {
        a.mask = w->mask;
        a.space = r->space;
        a.contiguous = a.mask == UINT32_MAX;
        for (int l = 1; l < 32 && a.contiguous; l++) a.contiguous = a.address[l] == a.address[0] + (uint64_t)l * bytes;
        return watch_access(w, &a);
    }
    static const uint8_t spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM, SPACE_CLUSTER};
    enum { SPACES = sizeof spaces };
    uint8_t watch = w->watch;
    bool fine = true;
    for (int i = 0; i < 2 * SPACES && fine; i++) { /* first the checks that may stop it, then all others */
        a.mask = 0;
        for (int l = 0; l < 32; l++)
            if ((w->mask >> l & 1) && r->spaces[l] == spaces[i % SPACES]) a.mask |= UINT32_C(1) << l;
        a.space = spaces[i % SPACES];
        w->watch = i < SPACES ? watch & (WATCH_INIT | WATCH_UNKNOWN) : watch & (uint8_t)~WATCH_INIT;
        fine = !a.mask || watch_access(w, &a);
        watch |= w->watch & WATCH_UNKNOWN;
    }
    w->watch = watch;
    return fine;
}
