/* own.c: blocks on several host threads, with the same result as one after the other.
 *
 * The threads run blocks side by side on the same memory and bet that no block sees what another one of the launch did. The
 * bet is checked word by word: the first thread to touch a 4-byte word claims it, for reading or for writing; a second thread may
 * read what is only read, and anything else loses the bet. Then every write of the launch is taken back from the logs, and the blocks
 * run again in order on one thread. So the outcome never depends on the host: either no two threads shared a word that anyone
 * wrote, or the blocks ran in order.
 *
 * Most buffers are only read, and claiming their words would cost more than reading them. So the first block runs alone, and the
 * buffers that it writes are tracked; a store to another one later loses the bet too. Atomics without a result that may be done in any
 * order (adding integers, say) share a word under a lock.
 *
 * A word's state is a byte; eight of them are one atomic integer, so that a whole warp's contiguous access is four of those.
 *
 *     0 free   1 read by several threads   2..9 changed by atomics of one kind   64 + k read by thread k   128 + k written by thread k
 */
#include "own.h"
#include "run.h"
#include <pthread.h>
#include <stdlib.h>

enum { READ_SHARED = 1, COMMUTES = 1, READ_BY = 64, WRITTEN_BY = 128 };

typedef _Atomic uint64_t states;

struct own_log { /* what lay where before this thread wrote: {place, words, the words} ... */
    char *data;
    size_t used, capacity;
    bool lost; /* no memory for it: the bet must not be taken further */
};

struct own_shared {
    pthread_mutex_t lock;
    bool alone; /* the first block: nothing is claimed, buffers are chosen */
    bool order; /* it made atomics whose order shows: not worth the bet */
};

own_log *own_log_new(void) { return calloc(1, sizeof(own_log)); }

void own_log_free(own_log *g)
{
    if (g) free(g->data);
    free(g);
}

uint64_t own_bytes(const own_log *g) { return g ? g->capacity : 0; }

static bool give_up(warp *w)
{
    launch *l = w->worker->launch;
    int runs = LAUNCH_RUNS;
    atomic_compare_exchange_strong(&l->stop, &runs, LAUNCH_AGAIN);
    w->stop = STOP_FAULT;
    return false;
}

/* Remember `words` words at `offset` of the allocation; its last word may be short. */
static bool remember(warp *w, alloc *al, uint64_t offset, uint32_t words)
{
    own_log *g = w->worker->own;
    size_t need = sizeof(char *) + 2 * sizeof(uint32_t) + 4 * (size_t)words;
    if (g->capacity - g->used < need) {
        size_t capacity = g->capacity ? g->capacity * 2 : 1 << 16;
        char *data = capacity <= ((size_t)1 << 30) ? realloc(g->data, capacity) : NULL;
        if (!data) {
            g->lost = true;
            return give_up(w);
        }
        g->data = data;
        g->capacity = capacity;
    }
    char *to = g->data + g->used, *from = al->host + offset;
    uint64_t left = al->size - offset;
    uint32_t bytes = left < 4 * (uint64_t)words ? (uint32_t)left : 4 * words;
    memcpy(to, &from, sizeof from);
    memcpy(to + sizeof from, &words, sizeof words);
    memcpy(to + sizeof from + sizeof words, &bytes, sizeof bytes);
    memcpy(to + sizeof from + 2 * sizeof words, from, bytes);
    g->used += need;
    return true;
}

/* Claim the words first to last of a group of eight. */
static bool claim_group(warp *w, alloc *al, uint64_t group, uint32_t first, uint32_t last, enum access_kind kind, uint32_t commutes)
{
    states *s = (states *)(void *)al->owner + group;
    const uint8_t me = (uint8_t)w->worker->index, mine = (uint8_t)(WRITTEN_BY + me), reads = (uint8_t)(READ_BY + me);
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

static bool claim(warp *w, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind, uint32_t commutes)
{
    uint64_t first = offset / 4, last = (offset + bytes - 1) / 4;
    for (uint64_t group = first / 8; group <= last / 8; group++) {
        uint32_t from = group == first / 8 ? (uint32_t)(first % 8) : 0, to = group == last / 8 ? (uint32_t)(last % 8) : 7;
        if (!claim_group(w, al, group, from, to, kind, commutes)) return false;
    }
    return true;
}

/* The first block writes here: from now on the buffer's words are claimed. */
static bool track(alloc *al)
{
    if (al->tracked & TRACK_LOADS) return true;
    uint64_t groups = (al->size + 31) / 32;
    if (!al->owner) al->owner = calloc((size_t)groups + 1, sizeof(states));
    if (!al->owner) return false;
    al->tracked |= TRACK_LOADS;
    return true;
}

bool own_run(warp *w, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind)
{
    struct own_shared *o = w->worker->launch->own;
    if (o->alone) {
        if (kind == ACCESS_READ) return true;
        return track(al) ? remember(w, al, offset & ~UINT64_C(3), (uint32_t)((offset % 4 + bytes + 3) / 4)) : give_up(w);
    }
    if (!(al->tracked & TRACK_LOADS)) return kind == ACCESS_READ ? true : give_up(w);
    return claim(w, al, offset, bytes, kind, 0);
}

bool own_reach(warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind, uint32_t commutes)
{
    launch *l = w->worker->launch;
    struct own_shared *o = l->own;
    (void)in;
    bool any = false;
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
            o->order = true; /* it goes on: how long a block is, is all that is asked */
        }
        if (!own_run(w, al, offset, bytes, kind)) return false;
    }
    w->worker->own_locked = any;
    return true;
}

void own_release(worker *k)
{
    k->own_locked = false;
    pthread_mutex_unlock(&k->launch->own->lock);
}

/* ---- a launch ---- */

static void forget(launch *l)
{
    for (uint32_t i = 0; i < l->s->mem.count; i++) {
        alloc *al = l->s->mem.list[i];
        free(al->owner);
        al->owner = NULL;
        al->tracked = 0;
    }
}

bool own_start(launch *l)
{
    l->own = calloc(1, sizeof *l->own);
    if (!l->own) return false;
    pthread_mutex_init(&l->own->lock, NULL);
    l->own->alone = true;
    for (uint32_t i = 0; i < l->s->mem.count; i++) l->s->mem.list[i]->tracked = TRACK_STORES;
    return true;
}

bool own_shows_order(const launch *l) { return l->own->order; }

void own_part(launch *l) { l->own->alone = false; }

void own_end(launch *l)
{
    if (!l->own) return;
    forget(l);
    pthread_mutex_destroy(&l->own->lock);
    free(l->own);
    l->own = NULL;
}

void own_undo(launch *l, worker *all, int n)
{
    /* Threads wrote different words, so their order does not matter; the first block's log is last. Within a log an older
     * entry for the same word must win, so it is applied from the end. */
    for (int i = n - 1; i >= 0; i--) {
        own_log *g = all[i].own;
        if (!g) continue;
        size_t count = 0;
        for (size_t at = 0; at < g->used; count++) {
            uint32_t words;
            memcpy(&words, g->data + at + sizeof(char *), sizeof words);
            at += sizeof(char *) + 2 * sizeof words + 4 * (size_t)words;
        }
        size_t *entry = calloc(count + 1, sizeof *entry);
        size_t k = 0;
        for (size_t at = 0; entry && at < g->used; k++) {
            uint32_t words;
            entry[k] = at;
            memcpy(&words, g->data + at + sizeof(char *), sizeof words);
            at += sizeof(char *) + 2 * sizeof words + 4 * (size_t)words;
        }
        for (k = entry ? count : 0; k-- > 0;) {
            uint32_t bytes;
            char *to;
            memcpy(&to, g->data + entry[k], sizeof to);
            memcpy(&bytes, g->data + entry[k] + sizeof to + sizeof bytes, sizeof bytes);
            memcpy(to, g->data + entry[k] + sizeof to + 2 * sizeof bytes, bytes);
        }
        free(entry);
    }
    own_end(l);
}
