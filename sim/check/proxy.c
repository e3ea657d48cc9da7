/* proxy.c: stores to shared memory that a bulk copy reads without a fence.proxy.async between them.
 *
 * cp.async.bulk reads shared memory through another proxy than loads and stores. A barrier alone
 * orders nothing between the two: a fence.proxy.async must lie on the path from the store to the
 * copy. It may be the storing thread's, or that of any later thread on the path, such as the
 * copying one. The end of a copy is such a fence by itself, so the other direction needs none.
 *
 * A clock counts fences and everything that orders threads. Each word remembers the thread,
 * instruction and time of its last store. A store is covered once its thread has fenced, or once
 * any thread has after something that ordered threads. Whether that thread was on the path is not
 * checked, so a reported fence is certainly missing. Stores to global memory, and stores that a
 * copy then overwrites, are not checked: the CUDA headers' own memcpy_async leaves fences out
 * there.
 *
 *    63        26 25    10 9       0
 *   | clock      | slot   | thread  |      by word; older than the block: no store, or a copy's
 *
 * A warpgroup's product (wgmma) reads the same way, and goes on reading until it is waited for. So
 * each 16 bytes also count the products that read them: nobody may write there, whatever orders the
 * threads.
 */
#include "proxy.h"
#include "race_memory.h"
#include "race_report.h"

struct proxy_watch {
    uint64_t now, begin;     /* the clock; when the block began */
    uint64_t event, covered; /* last event that ordered threads; last with a fence after it */
    uint32_t words, threads;
    uint64_t *store; /* by word */
    struct reading { /* by 16 bytes: products in flight that read them, and one of these */
        uint16_t count, slot;
        uint32_t thread;
    } * reading;
    uint32_t readings; /* those with a count */
    uint64_t *fence;   /* by thread: its last one */
};

static size_t watch_bytes(uint32_t words, uint32_t threads)
{
    return sizeof(proxy_watch) + ((size_t)words + threads) * sizeof(uint64_t) +
           (words / 4 + 1) * sizeof(struct reading);
}

bool proxy_new(struct block_order *o, uint32_t shared_bytes)
{
    const uint32_t words = (shared_bytes + 3) / 4, threads = o->warps * 32;
    proxy_watch *p = o->proxy = race_memory(o->worker, watch_bytes(words, threads));
    if (!p) return false;
    p->words = words;
    p->threads = threads;
    p->store = (uint64_t *)(void *)(p + 1);
    p->fence = p->store + words;
    p->reading = (struct reading *)(void *)(p->fence + threads);
    return true;
}

void proxy_free(struct block_order *o)
{
    if (o->proxy) race_memory_free(o->worker, o->proxy, watch_bytes(o->proxy->words, o->proxy->threads));
}

void proxy_begin(struct block_order *o)
{
    proxy_watch *p = o->proxy;
    p->begin = ++p->now;
    if (p->readings) memset(p->reading, 0, (p->words / 4 + 1) * sizeof *p->reading);
    p->readings = 0;
}

void proxy_event(struct block_order *o) { o->proxy->event = ++o->proxy->now; }

void watch_proxy_fence(warp *w)
{
    proxy_watch *p = w->block->order ? w->block->order->proxy : NULL;
    barrier_objects_fence(w);
    if (!p) return;
    for (int l = 0; l < 32; l++)
        if (w->mask >> l & 1) p->fence[w->index * 32 + (uint32_t)l] = p->now;
    p->covered = p->event;
    p->now++;
}

static bool is_covered(const proxy_watch *p, uint64_t store)
{
    const uint64_t when = store >> 26;
    return when < p->begin || when < p->covered || p->fence[store & 1023] >= when;
}

static void copy_reads(warp *w, const access *a, uint32_t lane)
{
    const proxy_watch *p = w->block->order->proxy;
    for (uint64_t at = a->address[lane] & ~UINT64_C(3); at < a->address[lane] + a->size; at += 4) {
        const uint64_t store = p->store[at >> 2];
        if (is_covered(p, store)) continue;
        race_side side = {w->block->linear, (uint32_t)store & 1023, (uint32_t)(store >> 10) & 0xffff, SIDE_STORE};
        race_say(w, a, lane, at, &side, true, false, false);
        return; /* one report is enough */
    }
}

void watch_product(block *b, const insn *in, uint32_t thread, uint32_t at, bool begins)
{
    proxy_watch *p = b->order ? b->order->proxy : NULL;
    if (!p || at >> 4 > p->words / 4) return;
    struct reading *r = &p->reading[at >> 4];
    if (begins) {
        p->readings += !r->count;
        if (r->count < UINT16_MAX) r->count++;
        r->slot = (uint16_t)in->slot;
        r->thread = thread;
    } else if (r->count) {
        p->readings -= !--r->count;
    }
}

/* A lane writes where a product of block `b` in flight reads. */
static void product_reads(warp *w, const access *a, uint32_t lane, const block *b)
{
    const proxy_watch *p = b->order->proxy;
    for (uint64_t at = a->address[lane] & ~UINT64_C(15); at < a->address[lane] + a->size; at += 16) {
        const struct reading *r = &p->reading[at >> 4];
        if (!r->count) continue;
        race_side side = {b->linear, r->thread, r->slot, SIDE_PRODUCT};
        race_say(w, a, lane, at < a->address[lane] ? a->address[lane] : at, &side, false, false, false);
        return;
    }
}

void watch_bulk_issue(warp *w, const insn *in, int lane, const block *b, uint64_t at, uint32_t bytes)
{
    const proxy_watch *p = b->order ? b->order->proxy : NULL;
    if (!p || !p->readings || !bytes) return;
    access a = {.in = in, .mask = 1u << lane, .size = bytes, .space = SPACE_SHARED, .kind = ACCESS_WRITE};
    a.address[lane] = at;
    product_reads(w, &a, (uint32_t)lane, b);
}

void proxy_access(warp *w, const access *a)
{
    proxy_watch *p = w->block->order->proxy;
    const bool copy = w->worker->launch->race->bulk[a->in->slot];
    if (a->kind == ACCESS_READ && !copy) return;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(a->mask >> lane & 1)) continue;
        if (a->kind == ACCESS_READ) {
            copy_reads(w, a, lane);
            continue;
        }
        if (p->readings) product_reads(w, a, lane, w->block);
        const uint64_t store =
            copy ? 0 : p->now << 26 | (uint64_t)(a->in->slot & 0xffff) << 10 | (w->index * 32 + lane);
        for (uint64_t at = a->address[lane] & ~UINT64_C(3); at < a->address[lane] + a->size; at += 4)
            p->store[at >> 2] = store;
    }
}

uint64_t watch_copy_begins(warp *w)
{
    proxy_watch *p = w->block->order ? w->block->order->proxy : NULL;
    return p ? p->now++ : 0;
}

void watch_copy_over(warp *w, const insn *in, int lane, uint64_t at, uint32_t bytes, uint64_t began)
{
    const proxy_watch *p = w->block->order ? w->block->order->proxy : NULL;
    access a = {.in = in, .mask = UINT32_C(1) << lane, .size = bytes, .space = SPACE_SHARED, .kind = ACCESS_READ};
    for (uint64_t word = at >> 2; p && word < (at + bytes) >> 2; word++) {
        const uint64_t store = p->store[word];
        if (store >> 26 <= began) continue;
        a.address[lane] = word << 2;
        race_side side = {.linear = w->block->linear,
                          .thread = (uint32_t)store & 1023,
                          .slot = (uint32_t)(store >> 10) & 0xffff,
                          .kind = SIDE_REUSED};
        race_say(w, &a, (uint32_t)lane, word << 2, &side, true, false, false);
        return; /* one report is enough */
    }
}
