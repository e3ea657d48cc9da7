/* idle_tests.c: a cluster whose threads only test barrier objects, for ever.
 *
 * A thread that waits for an mbarrier is a loop that tests it: to the machine it runs. When the bytes or the arrivals
 * that it waits for never come, nothing ends the loop. So tests that fail are counted, as long as the host thread
 * performs no other operation that a thread could wait for. After many, the cluster is looked at: if each warp waits
 * at a barrier or has failed the same test again and again, nobody is left who could end a phase, and that is said.
 */
#include "async.h"
#include "check/check.h"
#include "run.h"
#include <stdio.h>

enum {
    MANY = 1 << 18, /* tests before the first look */
    EACH = 1 << 12, /* and between two */
    AGAIN = 16,     /* failures of one warp, at least */
    LOOP = 16       /* instructions that such a loop has at most, on either side of the test */
};

static bool only_tests(const warp *w)
{
    const async_state *s = w->async;
    for (int k = 0; k < w->split_high; k++) {
        const split *p = &w->splits[k];
        if (p->state != SPLIT_READY) continue;
        if (!s || !s->tested || s->failures < AGAIN) return false;
        const ptrdiff_t away = p->ip - s->tested;
        if (away < -LOOP || away > LOOP) return false;
    }
    return true;
}

/* The witness is who waits for bytes alone, if there is one: it holds up those who wait for arrivals. */
static void say_idle(const cluster *c)
{
    char at[300], rest[420] = "", all[64];
    warp *first = NULL, *other = NULL;
    bool sure = false;
    uint32_t threads = 0;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t n = 0; c->member[i] && n < c->member[i]->warp_count; n++) {
            warp *w = &c->member[i]->warps[n];
            bool bytes;
            threads += (uint32_t)__builtin_popcount(w->live);
            if (!w->live || !async_lacks(w, &bytes, at, sizeof at)) continue;
            if (first && other && (sure || !bytes)) continue;
            if (!first || (bytes && !sure)) {
                if (first) other = first;
                first = w;
                sure = bytes;
            } else if (w->async->tested != first->async->tested || w->async->object != first->async->object) other = w;
        }
    if (!first) return;
    bool bytes;
    const insn *in = first->async->tested;
    const int lane = first_lane(first->live);
    if (other && async_lacks(other, &bytes, at, sizeof at)) {
        const int l = first_lane(other->live);
        char of[64] = "";
        if (other->block != first->block)
            snprintf(of, sizeof of, " of block (%u,%u,%u)", other->block->id[0], other->block->id[1],
                     other->block->id[2]);
        snprintf(rest, sizeof rest, ", while thread (%u,%u,%u)%s waits at %s", other->tid[0][l], other->tid[1][l],
                 other->tid[2][l], of, at);
    }
    async_lacks(first, &bytes, at, sizeof at);
    snprintf(all, sizeof all, c->count > 1 ? "the cluster's %u blocks" : "the block", c->count);
    first->worker->advice =
        "A phase ends when as many threads have arrived as mbarrier.init says, and as many bytes have come as expect_tx "
        "says: those of whole boxes, also where they reach out of the tensor.";
    fault_raise(first, in, SIM_FAULT_DEADLOCK, lane, UINT32_C(1) << lane, "", 0, 0,
                "all %u remaining threads of %s wait, and none can continue: this one at %s%s", threads, all, at, rest);
}

bool async_test_failed(warp *w)
{
    worker *k = w->worker;
    const cluster *c = w->block->cluster;
    k->failed_tests++;
    const uint64_t other = k->strong - k->failed_tests;
    k->idle_tests = other == k->other_strong ? k->idle_tests + 1 : 0;
    k->other_strong = other;
    if (k->idle_tests < MANY || k->idle_tests % EACH) return true;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t n = 0; c->member[i] && n < c->member[i]->warp_count; n++)
            if (c->member[i]->warps[n].live && !only_tests(&c->member[i]->warps[n])) return true;
    say_idle(c);
    w->stop = STOP_FAULT;
    return false;
}
