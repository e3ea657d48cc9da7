/* cache.c: the tags of a cache: which lines of 128 bytes are there, and which 32-byte sectors of
 * them.
 *
 * Eight neighbouring lines lie in eight neighbouring sets. Which eight, and in which order, is
 * hashed, so that steps of a power of two do not pile up in a few sets. Within a set the least
 * recently used line goes.
 */
#include "memory_state.h"
#include <stdlib.h>

enum { NEIGHBOURS = 8 };

cache *cache_new(uint64_t bytes, int ways)
{
    uint64_t lines = bytes / LINE, w = (uint64_t)ways < lines ? (uint64_t)ways : lines;
    if (!w) w = 1;
    uint64_t sets = lines / w ? lines / w : 1;
    cache *c = calloc(1, sizeof *c + sets * w * sizeof *c->line);
    if (!c) return NULL;
    c->sets = (uint32_t)sets;
    c->ways = (uint32_t)w;
    return c;
}

static size_t set_of(const cache *c, uint64_t line)
{
    uint64_t row = line / NEIGHBOURS;
    uint32_t groups = c->sets / NEIGHBOURS, low = (uint32_t)(line ^ spread(row, 1u << 16)) % NEIGHBOURS;
    uint32_t set = groups > 1 ? spread(row, groups) * NEIGHBOURS + low : (uint32_t)(line % c->sets);
    return (size_t)set * c->ways;
}

void cache_fetch(const cache *c, uint64_t line)
{
    const char *set = (const char *)&c->line[set_of(c, line)];
    for (size_t at = 0; at < c->ways * sizeof *c->line; at += 64) host_fetch(set + at);
}

cache_line *cache_find(cache *c, uint64_t line)
{
    cache_line *set = &c->line[set_of(c, line)];
    for (uint32_t i = 0; i < c->ways && set[i].tag; i++) {
        if (set[i].tag >> 8 != line + 1) continue;
        if (i) {
            cache_line found = set[i];
            memmove(set + 1, set, i * sizeof *set);
            set[0] = found;
        }
        return set;
    }
    return NULL;
}

cache_line *cache_peek(cache *c, uint64_t line)
{
    cache_line *set = &c->line[set_of(c, line)];
    for (uint32_t i = 0; i < c->ways && set[i].tag; i++)
        if (set[i].tag >> 8 == line + 1) return &set[i];
    return NULL;
}

cache_line *cache_put(cache *c, uint64_t line, uint64_t *out)
{
    cache_line *set = &c->line[set_of(c, line)];
    *out = set[c->ways - 1].tag;
    memmove(set + 1, set, (c->ways - 1) * sizeof *set);
    set[0] = (cache_line){.tag = (line + 1) << 8};
    return set;
}

bool cache_drop_oldest(cache *c, uint32_t set, ticks before)
{
    cache_line *line = &c->line[(size_t)set * c->ways];
    uint32_t n = c->ways;
    bool any = false;
    while (n && !line[n - 1].tag) n--;
    for (uint32_t i = 0; i < n && !any; i++) any = line[i].ready <= before;
    if (any && line[n - 1].ready <= before) line[n - 1] = (cache_line){0};
    return any;
}
