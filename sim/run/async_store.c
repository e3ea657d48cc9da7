/* async_store.c: st.async and red.async, and how barrier objects of other blocks are reached.
 *
 * Such a store goes to shared memory of any block of the cluster, and tells a barrier object of that block how many
 * bytes have come. It is kept by the block that it goes to, and made when a thread there tests the object, never
 * earlier: who reads too soon finds what was there before, as may be on a card. It outlives the thread that issued it.
 * For the race checker the issuing thread writes and then releases, at once.
 */
#include "async.h"
#include "async_store.h"
#include <stdlib.h>

typedef struct flying_store {
    char *to, *object;
    uint32_t barrier, at; /* offsets in the block's shared memory: of the object, of the place */
    uint32_t bytes;
    char data[16];
    store_combine *combine;
} flying_store;

struct flying_stores {
    uint32_t count, room;
    flying_store list[];
};

enum { STORES_MOST = 1 << 16 };

void stores_forget(block *b)
{
    if (b->stores) b->stores->count = 0;
}

void stores_free(block *b)
{
    free(b->stores);
    b->stores = NULL;
}

static bool keep(block *b, const flying_store *s)
{
    struct flying_stores *all = b->stores;
    if (!all || all->count == all->room) {
        const uint32_t room = all ? 2 * all->room : 64, count = all ? all->count : 0;
        struct flying_stores *more = room <= STORES_MOST ? realloc(all, sizeof *all + room * sizeof *s) : NULL;
        if (!more) return false;
        more->count = count;
        more->room = room;
        b->stores = all = more;
    }
    all->list[all->count++] = *s;
    return true;
}

/* Makes one; the bytes count for its object. False: a fault. */
static bool land(warp *w, const insn *in, int lane, const flying_store *s)
{
    if (s->combine) s->combine(s->to, s->data, s->bytes);
    else memcpy(s->to, s->data, s->bytes);
    return mbarrier_complete(w, in, lane, s->barrier, s->object, s->bytes);
}

bool stores_land(warp *w, const insn *in, int lane, uint32_t offset)
{
    struct flying_stores *all = w->block->stores;
    if (!all || !all->count) return true;
    uint32_t kept = 0;
    bool fine = true;
    for (uint32_t i = 0; i < all->count; i++) {
        if (fine && all->list[i].barrier == offset) fine = land(w, in, lane, &all->list[i]);
        else all->list[kept++] = all->list[i];
    }
    all->count = kept;
    return fine;
}

/* Lanes of the mask whose place is in the own block, and those of other blocks. */
static bool watch_lanes(warp *w, access *a, const reach *r)
{
    const uint32_t all = a->mask;
    bool fine = true;
    for (int pass = 0; pass < 2 && fine; pass++) {
        a->space = pass ? SPACE_CLUSTER : SPACE_SHARED;
        a->mask = 0;
        for (uint32_t m = all; m; m &= m - 1) {
            const int lane = first_lane(m);
            if ((r->space ? r->space : r->spaces[lane]) == a->space) a->mask |= UINT32_C(1) << lane;
        }
        fine = !a->mask || watch_access(w, a);
    }
    return fine;
}

bool mbarrier_watch(warp *w, const insn *in, const reach *object, enum access_kind kind, uint8_t order, bool arrives)
{
    access a = {.in = in, .mask = w->mask, .size = 8, .kind = (uint8_t)kind, .order = order, .arrives = arrives};
    if (!w->watch) return true;
    memcpy(a.address, object->at, sizeof a.address);
    return watch_lanes(w, &a, object);
}

/* The block and the offset there of a place that was reached. */
static block *owner_of(const warp *w, const reach *r, int lane, uint32_t *offset)
{
    uint32_t rank;
    *offset = (uint32_t)r->at[lane];
    if ((r->space ? r->space : r->spaces[lane]) != SPACE_CLUSTER) return w->block;
    shared_cluster_split((uint32_t)r->at[lane], &rank, offset);
    return block_peer(w->block, rank);
}

bool async_store(warp *w, const insn *in, const reach *to, const char *data, uint32_t bytes, const reach *object,
                 store_combine *combine)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const int lane = first_lane(m);
        uint32_t at, barrier;
        if (owner_of(w, to, lane, &at) == owner_of(w, object, lane, &barrier)) continue;
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, UINT32_C(1) << lane, "shared", object->at[lane], 8,
                    "the barrier object of an asynchronous store must lie in the block that the store goes to");
        return false;
    }
    access a = {.in = in,
                .mask = w->mask,
                .size = bytes,
                .kind = combine ? ACCESS_ATOMIC : ACCESS_WRITE,
                .order = combine ? ORDER_VOLATILE | ORDER_SCOPE_CLUSTER : ORDER_WEAK,
                .no_result = true};
    memcpy(a.address, to->at, sizeof a.address);
    if (w->watch && !watch_lanes(w, &a, to)) return false;
    if (!mbarrier_watch(w, in, object, ACCESS_ATOMIC, ORDER_RELEASE | ORDER_SCOPE_CLUSTER, false)) return false;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const int lane = first_lane(m);
        flying_store s = {.to = to->host[lane], .object = object->host[lane], .bytes = bytes, .combine = combine};
        block *b = owner_of(w, to, lane, &s.at);
        owner_of(w, object, lane, &s.barrier);
        memcpy(s.data, data + 16 * lane, bytes);
        if (!keep(b, &s) && !land(w, in, lane, &s)) return false; /* too many: early */
    }
    return true;
}
