/* idle_tests.c: a cluster whose threads only test barrier objects, for ever.
 *
 * A thread that waits for an mbarrier is a loop that tests it: to the machine it runs. When the bytes or the arrivals
 * that it waits for never come, nothing ends the loop. So tests that fail are counted, as long as the host thread
 * performs no other operation that a thread could wait for. After many, the cluster is looked at: if each warp waits
 * at a barrier or has failed the same test again and again, nobody is left who could end a phase, and that is said.
 */
#include "async.h"

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
    cluster_deadlock(c);
    w->stop = STOP_FAULT;
    return false;
}
