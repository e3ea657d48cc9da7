/* share.c: the multiprocessors of a card that are not timed, as those see them that are.
 *
 * Slices of the L2 and channels of DRAM serve the whole card. When only some multiprocessors are timed, each request of theirs stands for
 * as many more of the others as there are more of those. These go where the requests just seen went, all over them in turn: when all
 * of them go to one word, so do these; when they are spread, so are these.
 */
#include "memory.h"

void share_others(share *s, ticks *free, ticks *busy, uint32_t place, ticks takes, ticks now)
{
    busy[place] += takes;
    if (!s->others) return;
    s->kept[s->count % SHARE_KEPT].place = place;
    s->kept[s->count++ % SHARE_KEPT].takes = takes;
    for (s->owed += s->others; s->owed >= s->timed; s->owed -= s->timed) {
        s->turn = (s->turn + 97) % SHARE_KEPT;
        uint32_t i = s->count < SHARE_KEPT ? s->turn % s->count : s->turn;
        place = s->kept[i].place;
        takes = s->kept[i].takes;
        free[place] = later(free[place], now) + takes;
        busy[place] += takes;
    }
}
