/* stop.c: what the workers of a launch ask while they run: whether to stop, whether blocks must run
 * in order after all, the next random number in shuffled order.
 */
#include "machine/host_memory.h"
#include "run.h"

/* A kernel that waits for another does nothing but look: one of so many instructions does, for so
 * many instructions. */
enum { LOOKS_EACH = 64, LOOKS_LONG = 1 << 20 };

static void look_up(launch *l, worker *k, uint64_t more)
{
    const uint64_t looks = k->strong - k->strong_before;
    k->strong_before = k->strong;
    k->looked = looks * LOOKS_EACH >= more ? k->looked + more : 0;
    l->wanted->meanwhile(l->wanted->meanwhile_arg, k->looked >= LOOKS_LONG);
}

bool launch_should_stop(launch *l, worker *k)
{
    if (l->stop) return true;
    const uint64_t now = worker_did(k), more = now - k->reported;
    if (l->wanted->meanwhile && !l->bet) look_up(l, k, more);
    uint64_t spent = atomic_fetch_add(&l->spent, more) + more;
    k->reported = now;
    int why = LAUNCH_RUNS;
    if (l->wanted->cancel && *l->wanted->cancel) why = LAUNCH_CANCELLED;
    else if (l->max_instructions && spent > l->max_instructions) why = l->bet ? LAUNCH_AGAIN : LAUNCH_ENDLESS;
    else if (l->deadline > 0 && host_seconds() > l->deadline) why = LAUNCH_TIMEOUT;
    int runs = LAUNCH_RUNS;
    if (why) atomic_compare_exchange_strong(&l->stop, &runs, why);
    return l->stop;
}

bool launch_serial(warp *w, const insn *in)
{
    (void)in;
    launch *l = w->worker->launch;
    if (!l->bet) return false;
    int runs = LAUNCH_RUNS;
    atomic_compare_exchange_strong(&l->stop, &runs, LAUNCH_AGAIN);
    w->stop = STOP_FAULT;
    return true;
}

uint64_t shuffle_next(worker *k, uint64_t below) /* splitmix64 */
{
    uint64_t z = k->drawn += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % below;
}
