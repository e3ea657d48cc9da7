/* queue.c: the queue of a scheduler's warps (sim/clock/queue.h) against a plain list of times, over
 * a long random run. Waits are a few clocks, longer than its wheel, or longer than 32 bits. Some
 * warps leave it and come back. */
#include "clock/queue.h"
#include "check.h"
#include <stdio.h>

static uint64_t state = 1;
static uint64_t drawn(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static clocks some_wait(void)
{
    switch (drawn(20)) {
    case 0: return 0;
    case 1: return (clocks)drawn(5000);
    case 2: return (clocks)drawn(3) ? 700 : (clocks)drawn(1u << 30);
    case 3: return drawn(50) ? 300 : ((clocks)1 << 31) * (clocks)drawn(4) + (clocks)drawn(1000);
    default: return (clocks)drawn(40);
    }
}

/* A run with so many warps. Returns what is wrong, or NULL. */
static const char *course(uint32_t warps)
{
    static queue q;
    clocks when[QUEUE_PLACES], now = 0;
    q = (queue){0};
    queue_init(&q);
    for (uint32_t i = 0; i < warps; i++) queue_put(&q, (int)i, when[i] = some_wait());
    for (int turn = 0; turn < 200000; turn++) {
        clocks first = INT64_MAX;
        for (uint32_t i = 0; i < warps; i++) first = when[i] < first ? when[i] : first;
        const clocks at = first > now ? first : now;
        clocks next;
        for (;;) { /* after the first far warp leaves, the time of the next may be too early */
            queue_advance(&q, now);
            next = queue_next(&q, now);
            if (next > at) return "the next one is named too late";
            if (q.ready) break;
            if (next <= now) return "time does not go on";
            now = next;
        }
        if (now != at) return "one is ready too early";
        uint64_t ready = 0;
        for (uint32_t i = 0; i < warps; i++) ready |= (uint64_t)(when[i] <= now) << i;
        if (q.ready != ready) return "the wrong ones are ready";
        int bit = queue_low_bit(ready);
        for (uint64_t skip = drawn(4); skip && ready & (ready - 1); skip--) bit = queue_low_bit(ready &= ready - 1);
        queue_take(&q, bit);
        now += (clocks)drawn(5);
        const int other = (int)drawn(warps);
        if (when[other] < now + 4000) { /* wherever it stands */
            queue_drop(&q, other);
            if (other != bit) queue_put(&q, other, when[other] = now + some_wait());
        }
        queue_put(&q, bit, when[bit] = now + some_wait());
    }
    return now < (clocks)1 << 33 ? "the course was too short" : NULL;
}

int main(void)
{
    static const uint32_t sizes[] = {1, 7, 16, 17, 32, 33, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *wrong = course(sizes[i]);
        check_that(!wrong, "%u warps%s%s", sizes[i], wrong ? ": " : "", wrong ? wrong : "");
    }
    return check_end();
}
