/* async.c: asynchronous copies (cp.async, cp.async.bulk) and the barrier objects that tell when
 * they are done (mbarrier).
 *
 * A copy is checked when it is issued and made when a thread waits for it, never earlier: a kernel
 * that reads the destination too soon finds what was there before, as it may on a card. Until then
 * it is a job in its warp's list, one for all lanes of an instruction. Groups are counted per lane:
 * a job remembers the group of each lane. A copy that reports to a barrier object is made when any
 * thread of the block tests that object. Copies to global memory and to other blocks of the cluster
 * that nobody has waited for are made when their block ends, as on a card. When a warp has more than
 * MOST_JOBS in flight, the oldest is made early.
 *
 * A barrier object is one 64-bit word of shared memory:
 *
 *   63 62 | 61    | 60 .. 40                      | 39 .. 20 | 19 .. 0
 *   1  0  | phase | bytes awaited, plus 2^20      | expected | pending arrivals
 *
 * The phase is over when no arrival is pending and no byte awaited. Then the phase bit flips and
 * `pending` restarts from `expected`. The state that an arrival returns is the word before it. For
 * the race checker an arrival releases, a test that passes acquires, and the thread that issued a
 * copy writes the data and then releases.
 */
#include "bulk.h"
#include "async_store.h"
#include "parallel_bet.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_JOBS = 1024, COUNT_BITS = 20, COUNT_MOST = (1 << COUNT_BITS) - 1 };

static uint64_t copying_bit(const warp *w) { return UINT64_C(1) << w->index; }

/* The first warp of the block that has jobs and is not before warp k; NULL: there is none. */
static warp *next_copying(const block *b, uint32_t k)
{
    const uint64_t left = k < 64 ? b->copying >> k : 0;
    return left ? &b->warps[k + (uint32_t)__builtin_ctzll(left)] : NULL;
}

void async_warp_start(warp *w)
{
    w->block->copying &= ~copying_bit(w);
    if (!w->async) return;
    w->async->count = w->async->waiting = 0;
    w->async->tested = NULL;
    memset(w->async->committed, 0, sizeof w->async->committed);
}

void async_warp_free(warp *w)
{
    if (w->async) free(w->async->jobs);
    free(w->async);
    w->async = NULL;
}

/* ---- barrier objects ---- */
static uint32_t mb_pending(uint64_t v) { return (uint32_t)v & COUNT_MOST; }
static uint32_t mb_expected(uint64_t v) { return (uint32_t)(v >> COUNT_BITS) & COUNT_MOST; }
static int64_t mb_bytes(uint64_t v) { return (int64_t)(v >> 40 & 0x1fffff) - (COUNT_MOST + 1); }
static uint32_t mb_phase(uint64_t v) { return (uint32_t)(v >> 61) & 1; }
static bool mb_valid(uint64_t v) { return v >> 62 == 2; }
static uint64_t mb_make(uint32_t phase, int64_t bytes, uint32_t expected, uint32_t pending)
{
    return UINT64_C(2) << 62 | (uint64_t)phase << 61 | (uint64_t)(bytes + COUNT_MOST + 1) << 40 |
           (uint64_t)expected << COUNT_BITS | pending;
}

uint32_t mbarrier_pending(uint64_t state) { return mb_pending(state); }

/* The word after a change. The phase ends when nothing is awaited any more. */
static uint64_t mb_settle(uint32_t phase, int64_t bytes, uint32_t expected, uint32_t pending)
{
    return !pending && !bytes ? mb_make(phase ^ 1, 0, expected, expected) : mb_make(phase, bytes, expected, pending);
}

/* A phase of the object at `host` is over: who waits for it and has not looked yet? */
static void phase_over(const warp *w, const char *host, uint32_t phase)
{
    const cluster *c = w->block->cluster;
    for (uint32_t r = 0; r < c->count; r++) {
        const block *b = c->member[r];
        if (!b || host < b->shared || host >= b->shared + b->shared_bytes) continue;
        const uint32_t object = (uint32_t)(host - b->shared);
        for (uint32_t i = 0; i < b->warp_count; i++) {
            async_state *s = b->warps[i].async;
            if (s && s->tested && s->object == object && (s->unseen || s->parity == phase)) s->unseen++;
        }
    }
}

static bool complain(warp *w, const insn *in, int lane, uint64_t at, const char *what)
{
    fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, UINT32_C(1) << lane, "shared", at, 8, "%s", what);
    return false;
}

static bool mb_read(warp *w, const insn *in, int lane, uint64_t at, const char *host, uint64_t *v)
{
    memcpy(v, host, sizeof *v);
    if (mb_valid(*v)) return true;
    w->worker->advice =
        "mbarrier.init comes first, and between it and whoever uses the object a barrier: __syncthreads(), "
        "or the cluster's (cluster.sync()) when other blocks or their copies use it.";
    return complain(w, in, lane, at, "this is not a barrier object: mbarrier.init was never called on it");
}

/* Changes what is pending and awaited on one object. False: a fault. */
bool mb_change(warp *w, const insn *in, int lane, uint64_t at, char *host, int64_t arrivals, int64_t bytes,
               uint32_t drop, bool may_complete)
{
    uint64_t v;
    if (!mb_read(w, in, lane, at, host, &v)) return false;
    int64_t pending = (int64_t)mb_pending(v) - arrivals, awaited = mb_bytes(v) + bytes,
            expected = (int64_t)mb_expected(v) - drop;
    if (pending < 0 || expected < 0) {
        w->worker->advice =
            "mbarrier.init must count all that arrive in one phase; and who arrives again must wait until "
            "the phase is over. In a ring: wait until a place is empty before it is filled again.";
        return complain(w, in, lane, at, "more threads arrive at this barrier object than it was initialised for");
    }
    if (pending > COUNT_MOST)
        return complain(w, in, lane, at, "a barrier object cannot await more than 1048575 arrivals");
    if (awaited > COUNT_MOST || awaited < -COUNT_MOST)
        return complain(w, in, lane, at, "a barrier object cannot await more than 1048575 bytes");
    v = mb_settle(mb_phase(v), awaited, (uint32_t)expected, (uint32_t)pending);
    if (!may_complete && !pending && !awaited)
        return complain(w, in, lane, at, "an arrival with .noComplete would complete the phase");
    if (!may_complete || pending || awaited) return memcpy(host, &v, sizeof v), true;
    phase_over(w, host, mb_phase(v) ^ 1);
    memcpy(host, &v, sizeof v);
    return true;
}

bool mbarrier_complete(warp *w, const insn *in, int lane, uint64_t at, char *object, uint32_t bytes)
{
    return mb_change(w, in, lane, at, object, 0, -(int64_t)bytes, 0, true);
}

/* ---- jobs ---- */
bool job_report(warp *w, const insn *in, uint32_t mask, uint8_t space, const uint64_t *at, uint32_t bytes,
                enum access_kind kind, uint8_t order, alloc *al)
{
    if (!w->watch || !bytes) return true;
    access a = {.in = in, .mask = mask, .size = bytes, .space = space, .kind = (uint8_t)kind, .order = order, .al = al};
    memcpy(a.address, at, sizeof a.address);
    a.contiguous = mask == UINT32_MAX;
    for (int l = 1; l < 32 && a.contiguous; l++) a.contiguous = at[l] == at[0] + (uint64_t)l * bytes;
    return watch_access(w, &a);
}

/* It has landed, as far as the clock is concerned, if there is one. */
static bool landed(const warp *w, const job *j)
{
    return !j->flight || !(w->watch & WATCH_TIME) || w->worker->bulk.lands[j->flight - 1] <= (int64_t)w->worker->now;
}

bool job_release(warp *w, const insn *in, int lane, uint32_t barrier)
{
    uint64_t at[32];
    for (int k = 0; k < 32; k++) at[k] = barrier;
    return job_report(w, in, UINT32_C(1) << lane, SPACE_SHARED, at, 8, ACCESS_ATOMIC, ORDER_RELEASE, NULL);
}

/* Zeros stand for the rest. */
static inline void copy_taken(char *to, const char *from, uint32_t taken, uint32_t bytes)
{
    char all[16];
    if (taken == sizeof all) { /* mostly */
        memcpy(all, from, sizeof all);
        memcpy(to, all, sizeof all);
        return;
    }
    if (taken) memmove(to, from, taken);
    memset(to + taken, 0, bytes - taken);
}

/* Performs a job for some of its lanes. `w` is the warp that issued it. */
static bool perform(warp *w, job *j, uint32_t lanes)
{
    lanes &= j->mask;
    if (!lanes) return true;
    j->mask &= ~lanes;
    if (j->kind == JOB_COPY) {
        if (!job_report(w, j->in, lanes, j->space, j->at, j->bytes[first_lane(lanes)], ACCESS_WRITE, ORDER_WEAK, j->al))
            return false;
    }
    for (int l = 0; l < 32; l++) {
        if (!(lanes >> l & 1)) continue;
        if (j->kind == JOB_BULK_BARRIER || j->kind == JOB_BULK_GROUP) {
            if (!bulk_land(w, j, l)) return false;
            continue;
        }
        if (j->kind == JOB_COPY) {
            copy_taken(j->to[l], j->from[l], j->taken[l], j->bytes[l]);
            const landing taken = {.of = w->block,
                                   .to = j->at[l],
                                   .from = j->source[l],
                                   .from_space = j->source_space,
                                   .bytes = j->taken[l]},
                          zeros = {.of = w->block,
                                   .to = j->at[l] + j->taken[l],
                                   .bytes = j->bytes[l] - j->taken[l],
                                   .from_space = SPACE_NONE};
            watch_landed(w, l, &taken);
            watch_landed(w, l, &zeros);
            if (w->watch & WATCH_INIT && j->taken[l])
                init_copied(w, j->in, l, j->space, j->at[l], j->source_space, j->source[l], j->taken[l]);
            continue;
        }
        if (!job_release(w, j->in, l, j->barrier[l]) ||
            !mb_change(w, j->in, l, j->barrier[l], w->block->shared + j->barrier[l], 1, 0, 0, true))
            return false;
    }
    return true;
}

/* A copy in flight outlives its block: what it writes is elsewhere. */
static bool outlives(const warp *w, const job *j, int lane)
{
    if (j->kind == JOB_BULK_GROUP) return j->space == SPACE_GLOBAL;
    return j->kind == JOB_BULK_BARRIER && (j->blocks[lane] || j->there[lane] != w->block);
}

void async_block_ends(block *b)
{
    const bool watch = b->worker->launch->watch & WATCH_RACE;
    for (warp *w, *next = next_copying(b, 0); (w = next);) {
        const async_state *s = w->async;
        next = next_copying(b, w->index + 1);
        for (uint32_t k = 0; k < s->count; k++) {
            job *j = &s->jobs[k];
            const int lane = j->mask ? first_lane(j->mask) : 0;
            if (!j->mask || !outlives(w, j, lane)) continue;
            if (watch && j->kind == JOB_BULK_GROUP)
                race_say_unread(b, j->in, w->index * 32 + (uint32_t)lane, j->source[lane], j->bytes[lane]);
            if (!perform(w, j, UINT32_MAX)) return;
        }
    }
}

static void forget_done(warp *w)
{
    async_state *s = w->async;
    uint32_t kept = 0;
    s->waiting = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->jobs[i].mask) {
            if (kept != i) s->jobs[kept] = s->jobs[i];
            kept++;
        }
    s->count = kept;
    if (!kept) w->block->copying &= ~copying_bit(w);
}

static async_state *state_of(warp *w, const insn *in)
{
    if (!w->async) w->async = calloc(1, sizeof *w->async);
    if (!w->async)
        fault_raise(w, in, SIM_FAULT_HOST_LIMIT, -1, w->mask, "", 0, 0,
                    "the host has too little memory for the copies in flight");
    return w->async;
}

job *job_new(warp *w, const insn *in, enum job_kind kind)
{
    async_state *s = state_of(w, in);
    if (!s) return NULL;
    if (s->count == MOST_JOBS) {
        if (!perform(w, &s->jobs[0], UINT32_MAX)) return NULL;
        forget_done(w);
    }
    if (s->count == s->capacity) {
        /* not doubled: a job is large, and a card has thousands of warps */
        const uint32_t capacity = s->capacity + (s->capacity < 16 ? 8 : s->capacity / 2);
        job *jobs = realloc(s->jobs, capacity * sizeof *jobs);
        if (!jobs) {
            fault_raise(w, in, SIM_FAULT_HOST_LIMIT, -1, w->mask, "", 0, 0,
                        "the host has too little memory for the copies in flight");
            return NULL;
        }
        s->jobs = jobs;
        s->capacity = capacity;
    }
    s->waiting = 0;
    w->block->copying |= copying_bit(w);
    job *j = &s->jobs[s->count++];
    memset(j, 0, sizeof *j);
    j->in = in;
    j->kind = (uint8_t)kind;
    return j;
}

bool async_copy(warp *w, const insn *in, const reach *to, const reach *from, uint32_t bytes, const uint32_t *taken)
{
    job *j = job_new(w, in, JOB_COPY);
    if (!j) return false;
    j->space = SPACE_SHARED;
    j->source_space = SPACE_GLOBAL;
    for (int l = 0; l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        j->bytes[l] = bytes;
        j->taken[l] = taken[l];
        j->group[l] = w->async->committed[0][l];
        j->at[l] = to->at[l];
        j->to[l] = to->host[l];
        j->from[l] = from->host[l];
        j->source[l] = from->at[l];
    }
    j->mask = w->mask;
    if (!(w->watch & WATCH_TIME)) return true;
    /* the clock knows its reads as those of a load */
    if (!bulk_flight(w, in, 0)) return false;
    j->flight = w->worker->bulk.flight;
    return true;
}

bool async_commit(warp *w, const insn *in, bool bulk)
{
    async_state *s = state_of(w, in);
    if (s) s->waiting = 0;
    for (int l = 0; s && l < 32; l++) s->committed[bulk][l] += w->mask >> l & 1;
    return s != NULL;
}

static uint32_t count_landed(const warp *w, enum job_kind kind)
{
    uint32_t n = 0;
    for (const job *j = w->async->jobs; j < w->async->jobs + w->async->count; j++) n += j->kind == kind && landed(w, j);
    return n;
}

enum async_waited async_wait(warp *w, bool bulk, uint32_t keep)
{
    async_state *s = w->async;
    bool all = true;
    if (!s) return ASYNC_DONE;
    const enum job_kind kind = bulk ? JOB_BULK_GROUP : JOB_COPY;
    if (s->waiting && s->waiting == w->mask && s->waits_bulk == bulk && s->waits_keep == keep &&
        s->waits_landed == count_landed(w, kind))
        return ASYNC_LATER;
    for (uint32_t i = 0; i < s->count; i++) {
        job *j = &s->jobs[i];
        uint32_t lanes = 0;
        if (j->kind != kind) continue;
        const bool here = landed(w, j);
        if (!here && !all) continue; /* it waits anyway */
        for (int l = 0; l < 32; l++) {
            bool due = keep == UINT32_MAX || (uint64_t)j->group[l] + keep < s->committed[bulk][l];
            if (due) lanes |= UINT32_C(1) << l;
        }
        lanes &= w->mask & j->mask;
        if (lanes && !here) all = false;
        else if (!perform(w, j, lanes)) return ASYNC_FAULT;
    }
    forget_done(w);
    if (all) return ASYNC_DONE;
    s->waiting = w->mask;
    s->waits_bulk = bulk;
    s->waits_keep = keep;
    s->waits_landed = count_landed(w, kind);
    return ASYNC_LATER;
}

bool async_arrive_after_copies(warp *w, const insn *in, const reach *barrier, bool increment)
{
    job *j = job_new(w, in, JOB_ARRIVE);
    if (!j) return false;
    for (int l = 0; l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        if (increment && !mb_change(w, in, l, barrier->at[l], barrier->host[l], -1, 0, 0, true)) return false;
        j->barrier[l] = (uint32_t)barrier->at[l];
        j->mask |= UINT32_C(1) << l;
    }
    return true;
}

/* Lanes whose copy reports to the object at this offset of that block. */
static uint32_t lanes_for(const warp *w, const job *j, block *b, uint32_t offset)
{
    uint32_t lanes = 0;
    if (j->kind != JOB_BULK_BARRIER && (j->kind != JOB_ARRIVE || w->block != b)) return 0;
    for (uint32_t m = j->mask; m; m &= m - 1) {
        const int l = first_lane(m);
        if (j->barrier[l] == offset && (j->kind == JOB_ARRIVE || bulk_goes_to(w, j, l, b))) lanes |= UINT32_C(1) << l;
    }
    return lanes;
}

/* The same for the warps of one block of the cluster. */
static bool finish_of(block *from, block *b, uint32_t offset)
{
    for (warp *w, *next = next_copying(from, 0); (w = next);) {
        async_state *s = w->async;
        next = next_copying(from, w->index + 1);
        for (uint32_t i = 0; i < s->count; i++) {
            job *j = &s->jobs[i];
            const uint32_t lanes = lanes_for(w, j, b, offset);
            bool there = landed(w, j);
            if (!lanes) continue;
            for (uint32_t n = 0; j->kind == JOB_ARRIVE && n < i; n++)
                there &= s->jobs[n].kind != JOB_COPY || !(s->jobs[n].mask & lanes) || landed(w, &s->jobs[n]);
            if (!there) continue;
            for (uint32_t n = 0; j->kind == JOB_ARRIVE && n < i; n++)
                if (s->jobs[n].kind == JOB_COPY && !perform(w, &s->jobs[n], lanes)) return false;
            if (!perform(w, j, lanes)) return false;
        }
        forget_done(w);
    }
    return true;
}

/* A thread tests the object at this offset: makes the copies that report to it, from whichever block of
 * the cluster, and lets lanes arrive that wait for copies of their own. */
static bool finish_for(block *b, uint32_t offset)
{
    for (uint32_t r = 0; r < b->cluster->count; r++) {
        block *peer = block_peer(b, r); /* NULL: it has ended */
        if (peer && !finish_of(peer, b, offset)) return false;
    }
    return true;
}

bool async_overtaken(const warp *w) { return w->async && w->async->tested && w->async->unseen > 1; }

bool async_lacks(const warp *w, bool *bytes_alone, char *out, size_t size)
{
    const async_state *s = w->async;
    const launch *l = w->worker->launch;
    char what[120];
    uint64_t v;
    *out = 0;
    if (!s || !s->tested) return false;
    memcpy(&v, w->block->shared + s->object, sizeof v);
    if (!mb_valid(v) || mb_phase(v) != s->parity) return false;
    fault_what(w, SPACE_SHARED, s->object, 8, what, sizeof what);
    const int64_t bytes = mb_bytes(v);
    char more[80] = "";
    if (bytes)
        snprintf(more, sizeof more, " and %lld byte%s%s", (long long)(bytes < 0 ? -bytes : bytes),
                 bytes == 1 || bytes == -1 ? "" : "s", bytes < 0 ? " too many: more came than expect_tx said" : "");
    snprintf(out, size, "the barrier object in %.80s (PTX line %d), whose phase of parity %u lacks %u arrival%s%s%s",
             what, l->code->info[s->tested - l->code->insns].src->line, (unsigned)s->parity, (unsigned)mb_pending(v),
             mb_pending(v) == 1 ? "" : "s", more,
             async_overtaken(w) ? ": the one that it waited for ended, and so did the next, before it looked" : "");
    *bytes_alone = bytes && !mb_pending(v);
    return true;
}

int64_t async_over_at(const warp *w, uint32_t object)
{
    int64_t last = 0;
    uint64_t v;
    block *b = w->block;
    memcpy(&v, b->shared + object, sizeof v);
    if (mb_pending(v)) return 0;
    for (uint32_t r = 0; r < b->cluster->count; r++) {
        const block *from = block_peer(b, r);
        for (const warp *by = from ? next_copying(from, 0) : NULL; by; by = next_copying(from, by->index + 1)) {
            for (uint32_t i = 0; i < by->async->count; i++) {
                const job *j = &by->async->jobs[i];
                if (!lanes_for(by, j, b, object)) continue;
                if (j->kind != JOB_BULK_BARRIER || !j->flight) return 0;
                const int64_t at = w->worker->bulk.lands[j->flight - 1];
                if (at == INT64_MAX) return 0;
                if (at > last) last = at;
            }
        }
    }
    return last;
}

void async_waits_for(const warp *w, char *out, size_t size)
{
    char at[300];
    bool bytes;
    *out = 0;
    if (async_lacks(w, &bytes, at, sizeof at)) snprintf(out, size, "; it waits at %s", at);
}

bool mbarrier_do(warp *w, const insn *in, int op, const reach *barrier, const uint64_t *value, uint64_t *state,
                 uint32_t *passed)
{
    const int what = op & ~MB_NO_COMPLETE;
    const bool test = what == MB_TEST || what == MB_TEST_PARITY, makes = what == MB_INIT || what == MB_INVAL;
    if (test)
        for (int l = 0; l < 32; l++)
            if ((w->mask >> l & 1) && (l == first_lane(w->mask) || barrier->at[l] != barrier->at[l - 1]) &&
                (!finish_for(w->block, (uint32_t)barrier->at[l]) || !stores_land(w, in, l, (uint32_t)barrier->at[l]))) {
                w->stop = STOP_FAULT;
                return false;
            }
    uint32_t over = 0;
    for (int l = 0; test && l < 32; l++) {
        uint64_t v;
        if (!(w->mask >> l & 1)) continue;
        if (!mb_read(w, in, l, barrier->at[l], barrier->host[l], &v)) return false;
        uint32_t asked = what == MB_TEST ? mb_phase(value[l]) : (uint32_t)value[l] & 1;
        if (mb_phase(v) != asked) over |= UINT32_C(1) << l;
    }
    if (passed) *passed = over;
    if (test && (w->async || over != w->mask)) {
        async_state *s = state_of(w, in);
        const int failed = first_lane(w->mask & ~over);
        if (!s) return false;
        const insn *before = s->tested;
        s->tested = over == w->mask ? NULL : in;
        if (s->tested) {
            const uint32_t object = (uint32_t)barrier->at[failed],
                           parity = what == MB_TEST ? mb_phase(value[failed]) : (uint32_t)value[failed] & 1;
            s->failures = before == in && object == s->object && parity == s->parity ? s->failures + 1 : 1;
            if (s->failures == 1) s->unseen = 0;
            s->object = object;
            s->parity = parity;
            if (!async_test_failed(w)) return false;
        }
    }
    const bool relaxed = (in->order & ORDER_MASK) == ORDER_VOLATILE;
    uint8_t order = makes     ? ORDER_WEAK
                    : relaxed ? ORDER_VOLATILE
                    : test    ? (over ? ORDER_ACQUIRE : ORDER_VOLATILE)
                              : ORDER_RELEASE;
    if (!mbarrier_watch(w, in, barrier, makes ? ACCESS_WRITE : ACCESS_ATOMIC, order, relaxed && !test)) return false;
    for (int l = 0; !test && l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        const uint64_t at = barrier->at[l], n = value ? value[l] : 0;
        char *host = barrier->host[l];
        uint64_t v;
        bool fine = true;
        if (makes) {
            if (what == MB_INIT && (!n || n > COUNT_MOST))
                return complain(w, in, l, at, "a barrier object takes 1 to 1048575 arrivals");
            v = what == MB_INIT ? mb_make(0, 0, (uint32_t)n, (uint32_t)n) : 0;
            memcpy(host, &v, sizeof v);
            continue;
        }
        memcpy(&v, host, sizeof v);
        if (state) state[l] = v;
        switch (what) {
        case MB_EXPECT: fine = mb_change(w, in, l, at, host, 0, (int64_t)n, 0, true); break;
        case MB_COMPLETE: fine = mb_change(w, in, l, at, host, 0, -(int64_t)n, 0, true); break;
        case MB_ARRIVE: fine = mb_change(w, in, l, at, host, (int64_t)n, 0, 0, !(op & MB_NO_COMPLETE)); break;
        case MB_DROP: fine = mb_change(w, in, l, at, host, (int64_t)n, 0, (uint32_t)n, !(op & MB_NO_COMPLETE)); break;
        case MB_ARRIVE_EXPECT: fine = mb_change(w, in, l, at, host, 1, (int64_t)n, 0, true); break;
        default: fine = mb_change(w, in, l, at, host, 1, (int64_t)n, 1, true);
        }
        if (!fine) return false;
    }
    return true;
}
