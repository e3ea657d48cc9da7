/* l2_requests.c: what multiprocessors ask of L2 and DRAM in a window, and the answers.
 *
 * Each multiprocessor runs by itself for a window of time (clock.c) no longer than the shortest way
 * to the L2 and back. What it asks for is kept here, and answered when all have come to the end of
 * the window. The order is that of issue; at the same clock the first multiprocessor comes first.
 * So the answers are those that asking one by one would give.
 *
 * A line that an L1 waits for has no time yet. Its place in the L1 holds FILLS and a number
 * instead, and so does what asks for it later. When the request that brings it has been answered,
 * the time stands under that number, and in the L1 if the line is still there.
 */
#include "memory_state.h"
#include "list.h"
#include <stdlib.h>

enum {
    SOON_ANSWERED = 6 /* requests: the host fetches so far ahead, because the L2's tags exceed its caches */
};

request *ask_new(asks *s, uint32_t mp, uint32_t who, uint8_t kind, ticks now, ticks start)
{
    if (!list_room(&s->request, &s->request_room, s->requests + (size_t)1, sizeof *s->request)) {
        s->failed = true;
        return NULL;
    }
    request *q = &s->request[s->requests++];
    *q = (request){.now = now, .start = start, .who = who, .mp = mp, .first = s->lines, .kind = kind};
    return q;
}

void ask_drop(asks *s) { s->lines = s->request[--s->requests].first; }

asked_line *ask_line(asks *s, request *q, uint64_t line, unsigned sectors, ticks at)
{
    if (!list_room(&s->line, &s->line_room, s->lines + (size_t)1, sizeof *s->line)) {
        s->failed = true;
        return NULL;
    }
    asked_line *l = &s->line[s->lines++];
    *l = (asked_line){.line = line, .at = at, .fill = NO_FILL, .sectors = (uint8_t)sectors};
    q->count++;
    return l;
}

void ask_fill(asks *s, asked_line *l, cache_line *c)
{
    if (!list_room(&s->fill, &s->fill_room, s->fills + (size_t)1, sizeof *s->fill)) {
        s->failed = true;
        return;
    }
    l->fill = s->fills;
    s->fill[s->fills] = c->ready;
    c->ready = FILLS + s->fills++;
}

bool ask_open(time_memory_state *m, uint32_t groups)
{
    m->asks = host_apart(groups, sizeof *m->asks);
    if (!m->asks) return false;
    m->groups = groups;
    for (uint32_t i = 0; i < m->mp_count; i++) m->own[i].asks = &m->asks[time_group_of(i, m->mp_count, groups)];
    return true;
}

void ask_close(time_memory_state *m)
{
    for (uint32_t g = 0; g < m->groups; g++) {
        free(m->asks[g].request);
        free(m->asks[g].line);
        free(m->asks[g].fill);
        free(m->asks[g].answer);
    }
    free(m->asks);
    free(m->order.list);
    free(m->order.other);
    free(m->order.begin);
}

/* Sorts `from` into `to` by KEY, which is less than `keys`; those with the same one keep their
 * order. */
static void sort(asked_order *o, const request **to, const request **from, uint32_t keys, ticks first, bool by_time)
{
    uint32_t *begin = o->begin;
    memset(begin, 0, ((size_t)keys + 1) * sizeof *begin);
#define KEY(q) (by_time ? (uint32_t)(((q)->now - first) / TICKS) : (q)->mp)
    for (uint32_t i = 0; i < o->count; i++) begin[KEY(from[i]) + 1]++;
    for (uint32_t k = 1; k < keys; k++) begin[k] += begin[k - 1];
    for (uint32_t i = 0; i < o->count; i++) to[begin[KEY(from[i])]++] = from[i];
#undef KEY
}

/* In order: by clock, then by multiprocessor. False: out of memory. */
static bool put_in_order(time_memory_state *m)
{
    asked_order *o = &m->order;
    ticks first = INT64_MAX, last = 0;
    uint32_t all = 0;
    for (uint32_t g = 0; g < m->groups; g++) all += m->asks[g].requests;
    o->count = 0;
    if (!all) return true;
    size_t room = o->room;
    if (!list_room(&o->list, &room, all, sizeof *o->list) || !list_room(&o->other, &o->room, all, sizeof *o->other))
        return false;
    for (uint32_t g = 0; g < m->groups; g++)
        for (const request *q = m->asks[g].request; q < m->asks[g].request + m->asks[g].requests; q++) {
            o->list[o->count++] = q;
            if (q->now < first) first = q->now;
            if (q->now > last) last = q->now;
        }
    const uint32_t clocks_all = (uint32_t)((last - first) / TICKS) + 1,
                   keys = clocks_all > m->mp_count ? clocks_all : m->mp_count;
    if (!list_room(&o->begin, &o->begin_room, keys + (size_t)2, sizeof *o->begin)) return false;
    sort(o, o->other, o->list, m->mp_count, first, false);
    sort(o, o->list, o->other, clocks_all, first, true);
    return true;
}

bool time_answer_all(time_memory_state *m, ticks *first)
{
    asked_order *o = &m->order;
    *first = INT64_MAX;
    for (uint32_t g = 0; g < m->groups; g++)
        if (m->asks[g].failed) return false;
    if (!put_in_order(m)) return false;
    for (uint32_t i = 0; i < o->count; i++) {
        const request *q = o->list[i];
        asks *s = m->own[q->mp].asks;
        if (i + SOON_ANSWERED < o->count) sector_fetch(m, o->list[i + SOON_ANSWERED]);
        if (!list_room(&s->answer, &s->answer_room, s->answers + (size_t)1, sizeof *s->answer)) return false;
        const time_access r = sector_answer(m, q);
        s->answer[s->answers++] = (time_answer){q->who, r};
        if (r.done < *first) *first = r.done;
    }
    for (uint32_t g = 0; g < m->groups; g++)
        m->asks[g].requests = m->asks[g].lines = m->asks[g].fills = 0, m->asks[g].round++;
    return true;
}

const time_answer *time_answers(time_memory_state *m, uint32_t group, uint32_t *count)
{
    asks *s = &m->asks[group];
    *count = s->answers;
    s->answers = 0;
    return s->answer;
}
