/* parallel_bet.c: blocks on several host threads, with the same result as one after the other.
 *
 * The threads run blocks in parallel on the same memory and bet that no block sees what another
 * block of the launch did. The bet is checked word by word: the first thread to touch a 4-byte word
 * claims it, for reading or for writing. A second thread may read what is only read; anything else
 * loses the bet. Then every write of the launch is undone from the logs, and the blocks run again
 * in order on one thread. So the outcome never depends on the host: either no two threads shared a
 * word that was written, or the blocks ran in order.
 *
 * Most buffers are only read, and claiming their words would cost more than reading them. So the
 * first block runs alone, and the buffers that it writes are tracked; a later store to another
 * buffer loses the bet too. Atomics without a result that may be done in any order (adding
 * integers, say) share a word under a lock.
 *
 * In sums of floats whose result is not used the order shows only in the final value, so they are
 * deferred. Their words are claimed as changed by sums, which keeps other accesses out, and each
 * thread logs the operands. When all blocks have ended they are added in the order in which one
 * thread would have run the blocks: first those of the clock's blocks, if any, as they came, then
 * the others by block. At words that a thread has claimed for itself, and in the first block,
 * before which nothing runs, they are performed at once. The log has a limit, beyond which the bet
 * is lost; the bet is not made when the first block shows that it would be. A launch that is
 * stopped keeps what its blocks did so far, and adds what they logged so far.
 *
 * A word's state is a byte:
 *
 *     0 free   1 read by several threads   2..11 changed by atomics of one kind
 *     12 + k read by thread k   132 + k written by thread k
 *
 * Words are mostly claimed many at a time. So one such byte stands for eight words that are in the
 * same state. Only where they differ does it say so, and their own states count, eight of which are
 * one atomic integer. These take memory only where they are needed. Four of the bytes, for 128
 * bytes of memory, are read and changed together where they are equal.
 *
 * Memory that the host sees too (alloc.is_shared) can change under the bet, and a host may look at it
 * while the kernel runs. An access by which it could tell when something happened (volatile, atomic,
 * a fence of system scope) ends the bet before it is performed. Of plain stores the log keeps the
 * very bytes that were written: what the host wrote beside them stays when they are undone.
 *
 * A thread that later gets blocks with lower numbers than its last (those that the clock left over)
 * claims under another number from then on.
 */
#include "parallel_bet.h"
#include "machine/host_memory.h"
#include <pthread.h>
#include <stdlib.h>

enum { READ_SHARED = 1, COMMUTES = 1, READ_BY = 12, WRITTEN_BY = READ_BY + BET_THREADS };
enum { DIFFER = 255 /* the eight words' own states count */, BUSY = 254 /* they soon will */ };
_Static_assert(COMMUTES + BET_KINDS <= READ_BY && WRITTEN_BY + BET_THREADS <= BUSY, "a state is a byte");
enum { PIECE_FIRST = 1 << 16, PIECE_MOST = 1 << 24, PIECES = 72 /* a GiB and more in all */ };
enum { SUM_CHUNK = 1 << 15, SUM_CHUNKS = 256 /* of all threads together */ };

typedef _Atomic uint8_t eight_state;
typedef _Atomic uint32_t four_states; /* four of them, from an index divisible by four */
typedef _Atomic uint64_t states;      /* one of each of eight words */
_Static_assert(sizeof(four_states) == 4 && sizeof(eight_state) == 1, "four states are one word");
static const uint64_t each_word = UINT64_C(0x0101010101010101);

/* of an allocation. Those of small ones are kept between launches: a word's state counts only where its group's says
 * so, so only these are cleared. */
enum { OWNERS_KEPT = 512 << 10 /* groups */ };
struct owners {
    eight_state *eight;
    states *word;
};

/* Part of a log. It stays in place when the log grows: moving pages is slow, and pieces are
 * large. */
typedef struct piece {
    char *data;
    size_t used, capacity;
    uint32_t last; /* where its last entry begins */
} piece;

/* the old contents of what this thread wrote: entries, each followed by its words */
struct bet_log {
    piece pieces[PIECES];
    int count;
    bool lost;                 /* out of memory: the bet must not go on */
    bet_sum *sums[SUM_CHUNKS]; /* deferred, SUM_CHUNK in each, in the thread's order */
    size_t sum_count;
    uint64_t block; /* the block of the last one */
    bet_adder *add;
};

struct bet_shared {
    pthread_mutex_t lock;
    bool alone;        /* the first block: nothing is claimed, buffers are selected */
    bool order;        /* it made atomics whose order shows: no bet */
    uint64_t sums;     /* sums of floats that it made; the others would defer as many */
    atomic_int chunks; /* in use for them */
    atomic_bool met;   /* a block saw what another did: not only a sample that was too small */
};

bet_log *bet_log_new(void) { return calloc(1, sizeof(bet_log)); }

void bet_log_free(bet_log *g, host_pool *pool)
{
    for (int i = 0; g && i < SUM_CHUNKS; i++) free(g->sums[i]);
    for (int i = 0; g && i < g->count; i++) host_pool_give(pool, g->pieces[i].data);
    free(g);
}

/* in a log; its words follow, the last of which may be short */
typedef struct entry {
    char *place;
    uint32_t bytes, before; /* before: where the previous entry begins */
} entry;

static size_t words_of(const entry *e) { return 4 * (((size_t)e->bytes + 3) / 4); }

uint64_t bet_written(const bet_log *g)
{
    uint64_t sum = 0;
    entry e;
    for (int i = 0; g && i < g->count; i++) {
        const piece *p = &g->pieces[i];
        for (size_t at = 0; at < p->used; at += sizeof e + words_of(&e)) {
            memcpy(&e, p->data + at, sizeof e);
            sum += e.bytes;
        }
    }
    return sum;
}

static bool give_up(warp *w)
{
    launch *l = w->worker->launch;
    int runs = LAUNCH_RUNS;
    atomic_compare_exchange_strong(&l->stop, &runs, LAUNCH_AGAIN);
    l->bet->met = true;
    w->stop = STOP_FAULT;
    return false;
}

/* The last piece, if it has that much room, or a new one; NULL: out of memory. */
static piece *make_room(warp *w, bet_log *g, size_t need)
{
    piece *p = g->count ? &g->pieces[g->count - 1] : NULL;
    if (p && p->capacity - p->used >= need) return p;
    size_t capacity = !p ? PIECE_FIRST : p->capacity < PIECE_MOST ? 2 * p->capacity : PIECE_MOST;
    if (capacity < need) capacity = need;
    char *data = g->count < PIECES ? host_pool_take(&w->worker->launch->s->pool, capacity, false) : NULL;
    if (!data) {
        g->lost = true;
        give_up(w);
        return NULL;
    }
    g->pieces[g->count] = (piece){data, 0, capacity, 0};
    return &g->pieces[g->count++];
}

/* The first blocks are often undone alone, which should be quick. What many blocks changed can be
 * generated again. */
static bool made_again(const launch *l, const alloc *al) { return al->again && !l->bet->alone; }

/* Logs bytes of the allocation. A write that directly follows the previous entry extends it. */
static bool remember_bytes(warp *w, const alloc *al, uint64_t offset, uint32_t bytes)
{
    entry e = {al->host + offset, bytes, 0}, last;
    const size_t words = ((size_t)bytes + 3) / 4;
    piece *p = make_room(w, w->worker->bet, sizeof e + 4 * words);
    if (!p) return false;
    if (p->used) {
        memcpy(&last, p->data + p->last, sizeof last);
        if (last.place + last.bytes == e.place && !(last.bytes % 4)) {
            last.bytes += e.bytes;
            memcpy(p->data + p->last, &last, sizeof last);
            memcpy(p->data + p->used, e.place, e.bytes);
            p->used += 4 * words;
            return true;
        }
    }
    e.before = p->last;
    p->last = (uint32_t)p->used;
    memcpy(p->data + p->used, &e, sizeof e);
    memcpy(p->data + p->used + sizeof e, e.place, e.bytes);
    p->used += sizeof e + 4 * words;
    return true;
}

/* Logs `words` words that have just been claimed; the last one may be short. */
static bool remember(warp *w, alloc *al, uint64_t offset, uint32_t words)
{
    if (made_again(w->worker->launch, al) || al->is_shared) return true;
    const uint64_t left = al->size - offset;
    return remember_bytes(w, al, offset, left < 4 * (uint64_t)words ? (uint32_t)left : 4 * words);
}

/* The words' own states of a group. */
static states *by_word(const alloc *al, uint64_t group)
{
    eight_state *e = &al->owner->eight[group];
    uint8_t old = atomic_load_explicit(e, memory_order_acquire);
    while (old != DIFFER) {
        if (old == BUSY) {
            old = atomic_load_explicit(e, memory_order_acquire);
        } else if (atomic_compare_exchange_weak_explicit(e, &old, BUSY, memory_order_acq_rel, memory_order_acquire)) {
            atomic_store_explicit(&al->owner->word[group], each_word * old, memory_order_relaxed);
            atomic_store_explicit(e, DIFFER, memory_order_release);
            break;
        }
    }
    return &al->owner->word[group];
}

/* Claims the words first to last of a group of eight. */
static bool claim_group(warp *w, alloc *al, uint64_t group, uint32_t first, uint32_t last, enum access_kind kind,
                        uint32_t commutes)
{
    states *s = by_word(al, group);
    const uint8_t me = w->worker->claims_as, mine = (uint8_t)(WRITTEN_BY + me), reads = (uint8_t)(READ_BY + me);
    uint64_t old = atomic_load_explicit(s, memory_order_acquire);
    for (;;) {
        uint64_t now = old;
        uint32_t taken = 0;
        for (uint32_t i = first; i <= last; i++) {
            uint8_t is = (uint8_t)(old >> (8 * i)), next = is;
            if (is == mine) continue;
            if (commutes && (!is || is == COMMUTES + commutes)) {
                next = (uint8_t)(COMMUTES + commutes);
            } else if (kind == ACCESS_READ) {
                if (is == reads || is == READ_SHARED) continue;
                if (is && (is < READ_BY || is >= WRITTEN_BY)) return give_up(w);
                next = is ? READ_SHARED : reads;
            } else {
                if (is && is != reads) return give_up(w);
                next = mine;
            }
            if (kind != ACCESS_READ && is != next) taken |= 1u << i;
            now = (now & ~(UINT64_C(0xff) << (8 * i))) | (uint64_t)next << (8 * i);
        }
        if (now == old) return true;
        if (!atomic_compare_exchange_weak_explicit(s, &old, now, memory_order_acq_rel, memory_order_acquire)) continue;
        for (uint32_t i = first; i <= last; i++) {
            if (!(taken >> i & 1)) continue;
            uint32_t n = 1;
            while (i + n <= last && taken >> (i + n) & 1) n++;
            if (!remember(w, al, 4 * (8 * group + i), n)) return false;
            i += n;
        }
        return true;
    }
}

enum { FRESH = 2 }; /* just claimed for writing: must be logged */

/* Claims a group whose words are all in one state. `all`: all its words are wanted. 0: go word by
 * word. */
static inline int claim_whole(const warp *w, alloc *al, uint64_t group, bool all, enum access_kind kind)
{
    const uint8_t me = w->worker->claims_as, mine = (uint8_t)(WRITTEN_BY + me), reads = (uint8_t)(READ_BY + me);
    const bool write = kind != ACCESS_READ;
    eight_state *s = &al->owner->eight[group];
    uint8_t old = atomic_load_explicit(s, memory_order_acquire), next = write ? mine : old ? READ_SHARED : reads;
    if (old == mine || (!write && (old == reads || old == READ_SHARED))) return true;
    if (!all || (old && old != reads && (write || old < READ_BY || old >= WRITTEN_BY))) return false;
    return atomic_compare_exchange_strong_explicit(s, &old, next, memory_order_acq_rel, memory_order_acquire)
               ? true + write
               : false;
}

/* Claims four groups in one state, all of whose words are wanted. 0: go group by group. */
static inline int claim_four(const warp *w, alloc *al, uint64_t group, enum access_kind kind)
{
    const uint32_t each = 0x01010101, mine = each * (WRITTEN_BY + w->worker->claims_as),
                   reads = each * (READ_BY + w->worker->claims_as);
    const bool write = kind != ACCESS_READ;
    four_states *s = (four_states *)(uintptr_t)&al->owner->eight[group];
    uint32_t old = atomic_load_explicit(s, memory_order_acquire);
    if (old == mine || (!write && (old == reads || old == each * READ_SHARED))) return true;
    if (old && old != reads) return false;
    return atomic_compare_exchange_strong_explicit(s, &old, write ? mine : reads, memory_order_acq_rel,
                                                   memory_order_acquire)
               ? true + write
               : false;
}

static bool claim(warp *w, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind, uint32_t commutes)
{
    const uint64_t first = offset / 4, last = (offset + bytes - 1) / 4;
    for (uint64_t group = first / 8, fresh = 0, n; group <= last / 8; group += n) {
        int whole = 0;
        n = 4; /* 128 bytes: what a warp mostly wants, or every second piece of it */
        if (!(group % 4) && 8 * group >= first && 8 * group + 31 <= last && !commutes)
            whole = claim_four(w, al, group, kind);
        const uint32_t from = group == first / 8 ? (uint32_t)(first % 8) : 0,
                       to = group == last / 8 ? (uint32_t)(last % 8) : 7;
        if (!whole) n = 1, whole = claim_whole(w, al, group, from == 0 && to == 7 && !commutes, kind);
        if (whole == FRESH) fresh += n;
        if (fresh && (whole != FRESH || group + n > last / 8)) { /* up to this one or with it */
            const uint64_t end = whole == FRESH ? group + n : group;
            if (!remember(w, al, 32 * (end - fresh), (uint32_t)(8 * fresh))) return false;
            fresh = 0;
        }
        if (!whole && (w->stop == STOP_FAULT || !claim_group(w, al, group, from, to, kind, commutes))) return false;
    }
    return true;
}

void bet_forget(alloc *al)
{
    if (al->owner) {
        free(al->owner->eight);
        free(al->owner->word);
    }
    free(al->owner);
    al->owner = NULL;
}

/* The first block writes here: from now on the buffer's words are claimed. */
static bool track(alloc *al)
{
    if (al->tracked & TRACK_LOADS) return true;
    const size_t groups = (size_t)((al->size + 31) / 32);
    if (al->owner) {
        memset(al->owner->eight, 0, groups * sizeof(eight_state));
        al->tracked |= TRACK_LOADS;
        return true;
    }
    al->owner = calloc(1, sizeof *al->owner);
    if (!al->owner) return false;
    *al->owner = (struct owners){calloc(groups, sizeof(eight_state)), calloc(groups, sizeof(states))};
    if (!al->owner->eight || !al->owner->word) {
        bet_forget(al);
        return false;
    }
    al->tracked |= TRACK_LOADS;
    return true;
}

bool bet_run(warp *w, const insn *in, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind)
{
    struct bet_shared *o = w->worker->launch->bet;
    if (bet_shows(in, al, kind)) return give_up(w);
    if (kind == ACCESS_READ && (o->alone || !(al->tracked & TRACK_LOADS))) return true;
    if (o->alone) {
        if (!track(al)) return give_up(w);
        if (!al->is_shared) return remember(w, al, offset & ~UINT64_C(3), (uint32_t)((offset % 4 + bytes + 3) / 4));
    } else if (!(al->tracked & TRACK_LOADS)) {
        return give_up(w);
    } else if (!claim(w, al, offset, bytes, kind, 0)) {
        return false;
    }
    return kind == ACCESS_READ || !al->is_shared || remember_bytes(w, al, offset, bytes);
}

static uint8_t state_of(const alloc *al, uint64_t word)
{
    const uint8_t is = atomic_load_explicit(&al->owner->eight[word / 8], memory_order_acquire);
    return is < BUSY ? is
                     : (uint8_t)(atomic_load_explicit(by_word(al, word / 8), memory_order_acquire) >> 8 * (word % 8));
}

/* Claims words for sums to be deferred, unless the thread has all of them for itself. */
static bool claim_sums(warp *w, const reach *r, uint32_t bytes, uint32_t kind_of)
{
    worker *k = w->worker;
    const uint8_t later = (uint8_t)(COMMUTES + kind_of), wrote = (uint8_t)(WRITTEN_BY + k->claims_as);
    bool mine = false, shared = false;
    uint64_t before = UINT64_MAX;
    for (int lane = 0; lane < 32; lane++) {
        if (!(w->mask >> lane & 1) || r->at[lane] == before) continue;
        before = r->at[lane];
        alloc *al = r->al ? r->al : memory_at(&k->launch->s->mem, before);
        const uint64_t offset = before - al->start, first = offset / 4, last = (offset + bytes) / 4 - 1;
        if (!(al->tracked & TRACK_LOADS)) return give_up(w);
        uint8_t is[2] = {state_of(al, first), state_of(al, last)};
        if (is[0] != is[1] || (is[0] != later && is[0] != wrote)) {
            if (!claim(w, al, offset, bytes, ACCESS_ATOMIC, kind_of)) return false;
            is[0] = state_of(al, first);
            is[1] = state_of(al, last);
        }
        mine |= is[0] == wrote || is[1] == wrote;
        shared |= is[0] == later || is[1] == later;
    }
    if (mine && shared) return give_up(w); /* some at once and some deferred: rare */
    k->bet_later = shared;
    return true;
}

static bool new_chunk(warp *w, bet_log *g)
{
    struct bet_shared *o = w->worker->launch->bet;
    bet_sum *chunk = atomic_fetch_add(&o->chunks, 1) < SUM_CHUNKS ? malloc(SUM_CHUNK * sizeof *chunk) : NULL;
    if (!chunk) return give_up(w);
    g->sums[g->sum_count / SUM_CHUNK] = chunk;
    return true;
}

static inline bool note(warp *w, bet_log *g, char *at, uint64_t bits)
{
    if (!(g->sum_count % SUM_CHUNK) && !new_chunk(w, g)) return false;
    g->sums[g->sum_count / SUM_CHUNK][g->sum_count % SUM_CHUNK] = (bet_sum){at, bits};
    g->sum_count++;
    return true;
}

bool bet_defer(warp *w, const reach *r, const void *operands, uint32_t bytes, bet_adder *add)
{
    bet_log *g = w->worker->bet;
    const uint32_t *single = operands;
    const uint64_t *twice = operands;
    w->worker->bet_later = false;
    g->add = add;
    if (w->worker->seen && w->worker->launch->clocks > 1) return give_up(w); /* logs of several have no order */
    /* the clock's blocks are interleaved, and that is their order */
    if (!w->worker->seen && (!g->sum_count || g->block != w->block->cluster->number)) {
        g->block = w->block->cluster->number; /* its blocks run together */
        if (!note(w, g, NULL, g->block)) return false;
    }
    for (int lane = 0; lane < 32; lane++)
        if (w->mask >> lane & 1 && !note(w, g, r->host[lane] + (bytes == 8), bytes == 8 ? twice[lane] : single[lane]))
            return false;
    return true;
}

bool bet_reach(warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind, uint32_t kind_of)
{
    launch *l = w->worker->launch;
    struct bet_shared *o = l->bet;
    bool any = false;
    uint32_t commutes = kind_of;
    if (r->al && bet_shows(in, r->al, kind) && r->space == SPACE_GLOBAL) return give_up(w);
    if (!r->al && l->s->mem.shared && (in->order != ORDER_WEAK || kind == ACCESS_ATOMIC)) {
        for (int lane = 0; lane < 32; lane++) {
            if (!(w->mask >> lane & 1) || (r->space ? r->space : r->spaces[lane]) != SPACE_GLOBAL) continue;
            if (memory_at(&l->s->mem, r->at[lane])->is_shared) return give_up(w);
        }
    }
    if (kind_of >= BET_SUMS) {
        if (r->space == SPACE_GLOBAL && !o->alone) return claim_sums(w, r, bytes, kind_of);
        if (r->space == SPACE_GLOBAL) o->sums += (uint64_t)count_lanes(w->mask);
        else commutes = 0;
    }
    if (kind == ACCESS_READ && r->al && r->space == SPACE_GLOBAL && (o->alone || !(r->al->tracked & TRACK_LOADS)))
        return true;
    for (int lane = 0; lane < 32; lane++) {
        if (!(w->mask >> lane & 1)) continue;
        if ((r->space ? r->space : r->spaces[lane]) != SPACE_GLOBAL) continue;
        alloc *al = r->al ? r->al : memory_at(&l->s->mem, r->at[lane]);
        uint64_t offset = r->at[lane] - al->start;
        if (commutes && !o->alone && (al->tracked & TRACK_LOADS)) {
            if (!any) pthread_mutex_lock(&o->lock);
            any = true;
            if (claim(w, al, offset, bytes, kind, commutes)) continue;
            pthread_mutex_unlock(&o->lock);
            return false;
        }
        if (o->alone && kind == ACCESS_ATOMIC && !commutes) {
            if (!l->wanted->timed) return give_up(w);
            o->order = true; /* it goes on: only the block's length matters */
        }
        if (!bet_run(w, in, al, offset, bytes, kind)) return false;
    }
    w->worker->bet_locked = any;
    return true;
}

void bet_release(worker *k)
{
    k->bet_locked = false;
    pthread_mutex_unlock(&k->launch->bet->lock);
}

/* ---- a launch ---- */

enum { LOST_REST = 4, LOST_MOST = 64 /* launches */ };

static struct lost_bet *find_lost(const launch *l)
{
    for (size_t i = 0; i < sizeof l->s->lost / sizeof *l->s->lost; i++)
        if (l->s->lost[i].kernel == l->entry) return &l->s->lost[i];
    return NULL;
}

bool bet_worth_trying(launch *l)
{
    struct lost_bet *lost = find_lost(l);
    if (!lost || !lost->rest) return true;
    lost->rest--;
    return false;
}

void bet_lost(launch *l)
{
    if (!l->bet || !l->bet->met) return;
    struct lost_bet *lost = find_lost(l);
    if (!lost) {
        lost = &l->s->lost[l->s->lost_next++ % (sizeof l->s->lost / sizeof *l->s->lost)];
        *lost = (struct lost_bet){.kernel = l->entry, .skip = LOST_REST};
    }
    lost->rest = lost->skip;
    if (lost->skip < LOST_MOST) lost->skip *= 2;
}

static void forget(launch *l)
{
    for (uint32_t i = 0; i < l->s->mem.count; i++) {
        alloc *al = l->s->mem.list[i];
        if (al->size > (uint64_t)OWNERS_KEPT * 32) bet_forget(al);
        al->tracked = 0;
    }
}

bool bet_start(launch *l)
{
    l->bet = calloc(1, sizeof *l->bet);
    if (!l->bet) return false;
    pthread_mutex_init(&l->bet->lock, NULL);
    l->bet->alone = true;
    for (uint32_t i = 0; i < l->s->mem.count; i++) l->s->mem.list[i]->tracked = TRACK_STORES;
    return true;
}

bool bet_shows_order(const launch *l, int blocks)
{
    const struct bet_shared *o = l->bet;
    return o->order || (o->sums && ((double)o->sums / blocks + 1) * (double)l->blocks > (double)SUM_CHUNK * SUM_CHUNKS);
}

bool bet_defers(const launch *l) { return l->bet && l->bet->sums; }

void bet_part(launch *l) { l->bet->alone = false; }

void bet_end(launch *l)
{
    if (!l->bet) return;
    forget(l);
    pthread_mutex_destroy(&l->bet->lock);
    free(l->bet);
    l->bet = NULL;
}

/* ---- deferred sums ---- */

/* Blocks of ascending numbers, of one thread. */
typedef struct stream {
    const bet_log *g;
    size_t at, end; /* in its sums; `at` is where a block begins */
    uint64_t block;
} stream;

static const bet_sum *sum_at(const bet_log *g, size_t i) { return &g->sums[i / SUM_CHUNK][i % SUM_CHUNK]; }

/* Adds the sums from `at` to where the next block begins. Returns that. */
static size_t add_block(const bet_log *g, size_t at, size_t end)
{
    while (at < end) {
        const bet_sum *list = sum_at(g, at);
        size_t most = SUM_CHUNK - at % SUM_CHUNK, n = 0;
        if (most > end - at) most = end - at;
        while (n < most && list[n].at) n++;
        g->add(list, n);
        at += n;
        if (n < most) break;
    }
    return at;
}

/* Splits a thread's log into streams in which block numbers ascend: blocks that the clock left over
 * come after the others. */
static int find_streams(const bet_log *g, stream *out)
{
    int count = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < g->sum_count; i++) {
        const bet_sum *s = sum_at(g, i);
        if (s->at) continue;
        if (!count || s->bits < before) {
            if (count) out[count - 1].end = i;
            out[count++] = (stream){g, i, g->sum_count, s->bits};
        }
        before = s->bits;
    }
    return count;
}

void bet_keep(launch *l, worker *all, int n, const worker *clock)
{
    stream list[BET_THREADS]; /* at most two per thread */
    int count = 0;
    if (clock && clock->bet) add_block(clock->bet, 0, clock->bet->sum_count);
    for (int i = 0; i < n; i++)
        if (all[i].bet && &all[i] != clock) count += find_streams(all[i].bet, list + count);
    while (count) {
        stream *first = list;
        for (int i = 1; i < count; i++)
            if (list[i].block < first->block) first = &list[i];
        first->at = add_block(first->g, first->at + 1, first->end);
        if (first->at < first->end) first->block = sum_at(first->g, first->at)->bits;
        else *first = list[--count];
    }
    bet_end(l);
}

/* The oldest entry for a word must win: so from the end. */
static void put_piece_back(const piece *p)
{
    entry e;
    for (uint32_t at = p->last; p->used; at = e.before) {
        memcpy(&e, p->data + at, sizeof e);
        memcpy(e.place, p->data + at + sizeof e, e.bytes);
        if (!at) break;
    }
}

void bet_put_back(worker *all, int n)
{
    /* Threads wrote different words, so their order does not matter. The first block's log is last.
     */
    for (int i = n - 1; i >= 0; i--)
        for (int k = all[i].bet ? all[i].bet->count - 1 : -1; k >= 0; k--) put_piece_back(&all[i].bet->pieces[k]);
}

void bet_undo(launch *l, worker *all, int n)
{
    bet_put_back(all, n);
    for (uint32_t i = 0; i < l->s->mem.count; i++) {
        alloc *al = l->s->mem.list[i];
        if (made_again(l, al) && al->tracked & TRACK_LOADS) al->again(al->again_arg, al->host);
    }
    bet_end(l);
}
