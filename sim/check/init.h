/* init.h: which bytes of memory were written: a bit each. */
#ifndef SIM_INIT_H
#define SIM_INIT_H

#include "watch.h"

#define INIT_WORDS(bytes) (((uint64_t)(bytes) + 63) / 64)

void init_launch_start(launch *l);
bool init_launch_keep(launch *l);
void init_launch_undo(launch *l);
void init_launch_forget(launch *l);
void init_block_start(block *b);
void init_warp_start(warp *w);
void init_block_free(block *b);

bool init_access(warp *w, const access *a, const pattern *p);
/* false: something was not written */
bool init_run(const warp *w, uint64_t *map, uint64_t at, uint64_t bytes, enum access_kind kind);
bool init_halves(const warp *w, const warp_halves *h); /* false: init_access says what was not written */

/* Bitmaps of what was written: a word, in which another thread may be setting bits; bits `at` to
 * `at + count` of a word, where count may reach over its end; whether all `count` bytes from `at`
 * on were written. */
static inline uint64_t init_word(const uint64_t *p)
{
    return atomic_load_explicit((const _Atomic uint64_t *)(const void *)p, memory_order_relaxed);
}

static inline uint64_t init_span(uint64_t at, uint64_t count)
{
    uint64_t bits = count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    return bits << (at & 63);
}

static inline bool init_all(const uint64_t *map, uint64_t at, uint64_t count)
{
    uint64_t missing = 0;
    for (uint64_t end = at + count, here; at < end; at += here) {
        here = 64 - (at & 63);
        if (here > end - at) here = end - at;
        missing |= ~init_word(&map[at >> 6]) & init_span(at, here);
    }
    return !missing;
}

#endif
