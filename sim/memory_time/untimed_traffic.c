/* untimed_traffic.c: the untimed multiprocessors of a card, as the timed ones see them.
 *
 * Slices of the L2 and channels of DRAM serve the whole card. When only some multiprocessors are
 * timed, each of their requests stands for as many more of the others as there are more of those.
 * These go where the last requests seen went, in the same proportion: all to one word, or spread.
 * Within that they are dealt out evenly, place after place, because the blocks that run at one time
 * work on neighbouring data. Places that the timed requests have just used are left to them.
 */
#include "memory_state.h"

/* What a request costs a place: what it earns in a turn when all are asked for equally. */
static int64_t price_of(const share *s)
{
    return (int64_t)((s->count < SHARE_KEPT ? s->count : SHARE_KEPT) / s->places + 1);
}

/* The place of the others' next request: each turn around, a place earns as much as it was asked
 * for. */
static uint32_t next_place(share *s)
{
    const int64_t price = price_of(s);
    while (s->credit[s->turn] < price) {
        s->turn = s->turn + 1 == s->places ? 0 : s->turn + 1;
        s->credit[s->turn] += s->asked[s->turn];
    }
    s->credit[s->turn] -= price;
    return s->turn;
}

void share_others(share *s, ticks *free, ticks *busy, uint32_t place, ticks takes, ticks now)
{
    busy[place] += takes;
    if (!s->others) return;
    uint8_t *kept = &s->kept[s->count % SHARE_KEPT];
    if (s->count >= SHARE_KEPT) s->asked[*kept]--;
    *kept = (uint8_t)place;
    s->asked[place]++;
    s->takes[place] = takes;
    s->count++;
    s->credit[place] -= price_of(s);
    for (s->owed += s->others; s->owed >= s->timed; s->owed -= s->timed) {
        place = next_place(s);
        free[place] = later(free[place], now) + s->takes[place];
        busy[place] += s->takes[place];
    }
}
