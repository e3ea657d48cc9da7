/* ask.c: what multiprocessors asked of L2 and DRAM in a while, and the answers.
 *
 * Each multiprocessor runs by itself for a window of time (clock.c) that is no longer than the shortest way to the L2 and back. What it asks for
 * is kept here, and answered when all have come to the end of the window: in the order in which it was issued, of multiprocessors that
 * issue at the same clock the first one first. So the answers are those that asking one by one would give.
 *
 * A line that an L1 waits for has no time yet. Its place in the L1 says FILLS and a number instead, and so does what asks for it later on; when
 * the request that brings it has been answered, the time stands under that number, and in the L1 if the line is still there.
 */
#include "memory.h"
#include <stdlib.h>

/* Room for one more than `count`. */
static bool grow(void *list, uint32_t *room, uint32_t count, size_t each)
{
    void *old, *now;
    if (count < *room) return true;
    memcpy(&old, list, sizeof old);
    const uint32_t more = *room ? 2 * *room : 1024;
    now = more > *room ? realloc(old, more * each) : NULL;
    if (!now) return false;
    memcpy(list, &now, sizeof now);
    *room = more;
    return true;
}

request *ask_new(time_memory_state *m, uint32_t mp, uint32_t who, uint8_t kind, ticks now, ticks start)
{
    asks *s = &m->asks;
    if (!grow(&s->request, &s->request_room, s->requests, sizeof *s->request)) {
        s->failed = true;
        return NULL;
    }
    request *q = &s->request[s->requests++];
    *q = (request){.now = now, .start = start, .who = who, .mp = mp, .first = s->lines, .kind = kind};
    return q;
}

void ask_drop(time_memory_state *m)
{
    asks *s = &m->asks;
    s->lines = s->request[--s->requests].first;
}

asked_line *ask_line(time_memory_state *m, request *q, uint64_t line, unsigned sectors, ticks at)
{
    asks *s = &m->asks;
    if (!grow(&s->line, &s->line_room, s->lines, sizeof *s->line)) {
        s->failed = true;
        return NULL;
    }
    asked_line *l = &s->line[s->lines++];
    *l = (asked_line){.line = line, .at = at, .fill = NO_FILL, .sectors = (uint8_t)sectors};
    q->count++;
    return l;
}

void ask_fill(time_memory_state *m, asked_line *l, cache_line *c)
{
    asks *s = &m->asks;
    if (!grow(&s->fill, &s->fill_room, s->fills, sizeof *s->fill)) {
        s->failed = true;
        return;
    }
    l->fill = s->fills;
    s->fill[s->fills] = c->ready;
    c->ready = FILLS + s->fills++;
}

void ask_close(time_memory_state *m)
{
    asks *s = &m->asks;
    free(s->request);
    free(s->line);
    free(s->fill);
    free(s->order);
    free(s->turn);
    free(s->answer);
}

/* What `order` lists, by `key` of each, which is less than `keys`; those with the same one stay as they are. */
static void sort(const asks *s, uint32_t *to, const uint32_t *from, uint32_t *begin, uint32_t keys, ticks first, bool by_time)
{
    memset(begin, 0, (keys + 1) * sizeof *begin);
#define KEY(i) (by_time ? (uint32_t)((s->request[i].now - first) / TICKS) : s->request[i].mp)
    for (uint32_t i = 0; i < s->requests; i++) begin[KEY(from[i]) + 1]++;
    for (uint32_t k = 1; k < keys; k++) begin[k] += begin[k - 1];
    for (uint32_t i = 0; i < s->requests; i++) to[begin[KEY(from[i])]++] = from[i];
#undef KEY
}

/* In order: by clock, then by multiprocessor. False: out of memory. */
static bool put_in_order(time_memory_state *m)
{
    asks *s = &m->asks;
    ticks first = s->request[0].now, last = first;
    for (uint32_t i = 1; i < s->requests; i++) {
        if (s->request[i].now < first) first = s->request[i].now;
        if (s->request[i].now > last) last = s->request[i].now;
    }
    const uint32_t clocks_all = (uint32_t)((last - first) / TICKS) + 1, keys = clocks_all > m->mp_count ? clocks_all : m->mp_count;
    uint32_t *begin = malloc(((size_t)keys + 2) * sizeof *begin);
    free(s->order);
    free(s->turn);
    free(s->answer);
    s->order = malloc(s->requests * sizeof *s->order);
    s->turn = malloc(s->requests * sizeof *s->turn);
    s->answer = malloc(s->requests * sizeof *s->answer);
    const bool made = begin && s->order && s->turn && s->answer;
    for (uint32_t i = 0; made && i < s->requests; i++) s->order[i] = i;
    if (made) sort(s, s->turn, s->order, begin, m->mp_count, first, false);
    if (made) sort(s, s->order, s->turn, begin, clocks_all, first, true);
    free(begin);
    return made;
}

const time_answer *time_answers(time_memory_state *m, uint32_t *count)
{
    static const time_answer none;
    asks *s = &m->asks;
    *count = 0;
    if (s->failed || (s->requests && !put_in_order(m))) return NULL;
    for (uint32_t i = 0; i < s->requests; i++) {
        const request *q = &s->request[s->order[i]];
        s->answer[i] = (time_answer){q->who, sector_answer(m, q)};
    }
    *count = s->requests;
    s->requests = s->lines = s->fills = 0;
    return *count ? s->answer : &none;
}
