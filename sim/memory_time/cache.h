/* cache.h: the tags of a cache. Sets of lines; the least recently used one goes. */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include "memory_time.h"

enum { SECTOR = 32, LINE = 128 /* bytes */, LINE_SECTORS = LINE / SECTOR };

typedef struct cache_line {
    uint64_t tag; /* | number of the line, plus one : 56 | sectors changed : 4 | sectors there : 4 |; 0: empty */
    ticks ready;  /* when all of them are there */
} cache_line;
typedef struct cache {
    uint32_t sets, ways;
    cache_line line[]; /* set after set, most recently used first */
} cache;
static inline size_t cache_bytes(const cache *c) { return sizeof *c + (size_t)c->sets * c->ways * sizeof *c->line; }
static inline uint64_t line_number(const cache_line *c) { return (c->tag >> 8) - 1; }
static inline unsigned line_sectors(uint64_t tag) { return (unsigned)tag & 15; }
static inline unsigned line_changed(uint64_t tag) { return (unsigned)tag >> 4 & 15; }

cache *cache_new(uint64_t bytes, int ways);      /* NULL: out of memory */
void cache_fetch(const cache *c, uint64_t line); /* it will be asked for soon */
cache_line *cache_find(cache *c, uint64_t line); /* makes it the most recently used; NULL: not there */
cache_line *cache_peek(cache *c, uint64_t line); /* leaves it as it is; NULL: not there */
/* makes room for a line with no sectors yet; *out: the tag that went, or 0 */
cache_line *cache_put(cache *c, uint64_t line, uint64_t *out);
/* drops the set's oldest line, if it was there `before` already; whether any was */
bool cache_drop_oldest(cache *c, uint32_t set, ticks before);

#endif
