/* bulk_engine.c: the copy engine of a multiprocessor, which moves bulk copies (cp.async.bulk).
 *
 * It takes one copy after the other, a row of at most 128 bytes at a time, and asks the L2 for lines
 * as loads and stores do, past the L1. A copy to several blocks asks once. The thread that issued it
 * goes on at once; when the last line has come, the copy has landed. Boxes of tensors take longer to
 * begin than plain bytes: the engine fetches the tensor map and works out addresses.
 */
#include "memory_state.h"

static ticks row_takes(const time_memory_state *m, uint8_t kind)
{
    return ticks_of(kind == ACCESS_READ ? m->t->bulk_row : m->t->bulk_store);
}

/* The lines of one piece; the engine is at `*at`. */
static bool ask_piece(const time_memory_state *m, asks *s, request *q, uint64_t from, uint64_t bytes, uint8_t kind,
                      ticks *at)
{
    const ticks each = row_takes(m, kind);
    for (uint64_t end = from + bytes; from < end;) {
        const uint64_t line = from / LINE, stop = (line + 1) * LINE < end ? (line + 1) * LINE : end;
        unsigned sectors = 0, partial = 0, n = 0;
        for (uint64_t k = from / SECTOR; k <= (stop - 1) / SECTOR; k++, n++) {
            const unsigned bit = 1u << k % LINE_SECTORS;
            sectors |= bit;
            if (from > k * SECTOR || stop < (k + 1) * SECTOR) partial |= bit;
        }
        asked_line *l = ask_line(s, q, line, sectors, *at);
        if (!l) return false;
        const ticks moved = m->l2_request + n * m->l2_sector;
        l->takes = kind == ACCESS_READ     ? moved
                   : kind == ACCESS_ATOMIC ? n * m->atomic_sector
                                           : (ticks)(m->t->l2_write * (double)moved);
        l->bulk = true;
        if (kind == ACCESS_WRITE) l->partial = (uint8_t)(m->l2_partial > 0 ? partial : 0);
        *at += each;
        from = stop;
    }
    return true;
}

/* When the map of a tensor is there: the first box waits for it. */
static ticks map_there(const time_memory_state *m, own_way *own, const bulk_traffic *t, ticks now)
{
    if (!t->tensor || m->t->tensor_map <= 0) return now;
    for (uint32_t i = 0; i < own->maps && i < TENSOR_MAPS; i++)
        if (own->map[i] == t->map) return now;
    own->map[own->maps++ % TENSOR_MAPS] = t->map;
    return now + ticks_of(m->t->tensor_map);
}

uint32_t time_bulk(time_memory_state *m, const time_asker *by, const bulk_traffic *t, time_access *r)
{
    own_way *own = &m->own[by->multiprocessor];
    const ticks begin = later(own->engine, map_there(m, own, t, by->now));
    ticks at = begin;
    *r = (time_access){.done = by->now + m->shared_latency, .port = begin - by->now};
    if (!m->sectors) return 0;
    own->engine = begin + t->rows * row_takes(m, t->kind);
    if (!t->count) { /* between blocks, or all of it outside the tensor */
        r->done = own->engine + m->l2_latency;
        return 0;
    }
    request *q = ask_new(own->asks, by->multiprocessor, by->who,
                         t->kind == ACCESS_READ    ? ASK_LOAD
                         : t->kind == ACCESS_WRITE ? ASK_STORE
                                                   : ASK_ATOMIC,
                         by->now, begin);
    for (uint32_t i = 0; q && i < t->count; i++)
        if (!ask_piece(m, own->asks, q, t->piece[i].address, t->piece[i].bytes, t->kind, &at)) return 0;
    own->engine = later(own->engine, at);
    if (t->kind == ACCESS_WRITE) r->done = own->engine;
    return q ? 1 : 0;
}
