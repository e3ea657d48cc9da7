/* allocations.c: the card's memory: allocations, found by address.
 *
 * Addresses ascend and are never reused, so an address always tells which allocation it was meant
 * for: freed ones stay in the list to name a use after free. Between two allocations lies a gap of
 * exactly 1 GiB, so a wild index hits nothing. The low 30 bits are as if allocations were packed
 * one after the other at multiples of 256 bytes: caches and memory channels see what they would see
 * on a card.
 *
 *   start = end of the one before, rounded up to 256, plus 1 GiB
 *
 * Addresses from HOST_FROM to HOST_TO are the host's: only memory_map, which is told where, uses
 * them.
 */
#include "machine.h"
#include "host_memory.h"
#include "list.h"
#include <stdlib.h>

enum { ALLOC_ALIGN = 256 };
#define ALLOC_GAP    (UINT64_C(1) << 30)
#define ALLOC_MOST   (UINT64_C(1) << 46) /* bytes of one allocation */
#define ADDRESS_MOST (UINT64_C(1) << 56)

/* The number of allocations that start at or before the address. */
static uint32_t count_up_to(const memory *m, uint64_t address)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->list[middle]->start <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

alloc *memory_at(const memory *m, uint64_t address)
{
    uint32_t n = count_up_to(m, address);
    if (!n) return NULL;
    alloc *al = m->list[n - 1];
    return address - al->start < al->size ? al : NULL;
}

alloc *memory_near(const memory *m, uint64_t address)
{
    uint32_t n = count_up_to(m, address);
    alloc *before = n ? m->list[n - 1] : NULL, *after = n < m->count ? m->list[n] : NULL;
    if (!before || !after) return before ? before : after;
    uint64_t past = address - before->start < before->size ? 0 : address - before->start - before->size;
    return past <= after->start - address ? before : after;
}

#define HOST_FROM (UINT64_C(1) << 44)
#define HOST_TO   (UINT64_C(1) << 47)

static void let_go(const memory *m, alloc *al)
{
    free(al->raw);
    free(al->init);
    if (m->forget) m->forget(al);
    al->raw = al->host = NULL;
    al->init = NULL;
    al->shadow = NULL; /* the race checker frees it */
}

static bool room_for_one(memory *m)
{
    return m->count < UINT32_MAX && list_grow(&m->list, m->count, sizeof *m->list);
}

/* There is room for it. */
static void insert(memory *m, alloc *al)
{
    const uint32_t at = count_up_to(m, al->start);
    memmove(m->list + at + 1, m->list + at, (m->count - at) * sizeof *m->list);
    m->list[at] = al;
    m->count++;
    al->number = m->made++;
}

int memory_map(memory *m, uint64_t address, void *of, uint64_t bytes, const char *name, bool shared, alloc **out,
               sim_error *err)
{
    *out = NULL;
    if (!bytes || bytes > ALLOC_MOST || address + bytes < address)
        return sim_fail(err, SIM_E_ARGUMENT, "%llu bytes cannot be mapped at 0x%llx", (unsigned long long)bytes,
                        (unsigned long long)address);
    const uint32_t to = count_up_to(m, address + bytes - 1);
    uint32_t from = to;
    while (from && m->list[from - 1]->start + m->list[from - 1]->size > address) {
        if (!m->list[--from]->freed)
            return sim_fail(err, SIM_E_ARGUMENT, "something is mapped at 0x%llx already", (unsigned long long)address);
    }
    for (uint32_t i = from; i < to; i++) free(m->list[i]); /* what lay there has been given back */
    memmove(m->list + from, m->list + to, (m->count - to) * sizeof *m->list);
    m->count -= to - from;
    const size_t name_bytes = name ? strlen(name) + 1 : 0;
    alloc *al = calloc(1, sizeof *al + name_bytes);
    if (!al || !room_for_one(m)) {
        free(al);
        return sim_no_memory(err);
    }
    if (name) al->name = memcpy(al + 1, name, name_bytes);
    al->start = address;
    al->size = bytes;
    al->host = of;
    al->is_mapped = true;
    al->is_shared = shared;
    m->shared += shared;
    insert(m, al);
    *out = al;
    return SIM_OK;
}

static int add_at(memory *m, uint64_t start, uint64_t bytes, const char *name, void *given, alloc **out, sim_error *err)
{
    if (start >= ADDRESS_MOST)
        return sim_fail(err, SIM_E_MEMORY, "the card has run out of addresses: too many allocations");
    if (bytes > SIZE_MAX / 2)
        return sim_fail(err, SIM_E_MEMORY, "the host cannot hold %llu bytes", (unsigned long long)bytes);
    size_t name_bytes = name ? strlen(name) + 1 : 0;
    alloc *al = calloc(1, sizeof *al + name_bytes);
    const size_t align = bytes < HOST_LARGE_PAGE ? HOST_ALIGN : HOST_LARGE_PAGE;
    /* untouched pages cost nothing; the last large page is whole */
    char *raw = given ? given : calloc(1, (size_t)bytes + 2 * align);
    char *host = given ? given : raw ? raw + (align - (uintptr_t)raw % align) % align : NULL;
    if (!given && host) host_large_pages(host, (size_t)((bytes + align - 1) / align * align));
    uint64_t *init = calloc((size_t)(bytes + 63) / 64, sizeof *init);
    if (!al || !raw || !init || !room_for_one(m)) {
        free(al);
        if (!given) free(raw);
        free(init);
        return sim_fail(err, SIM_E_MEMORY, "the host has no room for %llu bytes", (unsigned long long)bytes);
    }
    if (name) al->name = memcpy(al + 1, name, name_bytes);
    al->start = start;
    al->size = bytes;
    al->raw = raw;
    al->host = host;
    al->init = init;
    insert(m, al);
    m->in_use += bytes;
    *out = al;
    return SIM_OK;
}

static int room_on_card(const memory *m, uint64_t bytes, sim_error *err)
{
    if (!bytes) return sim_fail(err, SIM_E_ARGUMENT, "an allocation needs at least one byte");
    uint64_t left = m->limit > m->in_use ? m->limit - m->in_use : 0;
    if ((!m->limit || bytes <= left) && bytes <= ALLOC_MOST) return SIM_OK;
    return sim_fail(err, SIM_E_LIMIT, "%llu bytes do not fit into the card's memory: %llu of its %llu bytes are free",
                    (unsigned long long)bytes, (unsigned long long)left, (unsigned long long)m->limit);
}

static uint64_t after(uint64_t end) { return (end + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN + ALLOC_GAP; }

int memory_add(memory *m, uint64_t bytes, const char *name, void *given, alloc **out, sim_error *err)
{
    *out = NULL;
    int code = room_on_card(m, bytes, err);
    uint64_t start = m->next ? m->next : GLOBAL_BASE;
    if (start < HOST_TO && start + bytes > HOST_FROM) start = HOST_TO + start % HOST_FROM; /* beyond the host's */
    if (!code) code = add_at(m, start, bytes, name, given, out, err);
    if (!code) m->next = after(start + bytes);
    return code;
}

int memory_add_at(memory *m, uint64_t address, uint64_t bytes, const char *name, alloc **out, sim_error *err)
{
    *out = NULL;
    int code = room_on_card(m, bytes, err);
    if (code) return code;
    const uint32_t to = address < ADDRESS_MOST ? count_up_to(m, address + bytes - 1) : 0;
    if (address < WINDOW_BYTES || address >= ADDRESS_MOST ||
        (to && m->list[to - 1]->start + m->list[to - 1]->size > address))
        return sim_fail(err, SIM_E_ARGUMENT, "%llu bytes cannot be placed at 0x%llx", (unsigned long long)bytes,
                        (unsigned long long)address);
    code = add_at(m, address, bytes, name, NULL, out, err);
    if (!code && after(address + bytes) > m->next && (address < HOST_FROM || address >= HOST_TO))
        m->next = after(address + bytes);
    return code;
}

int memory_remove(memory *m, uint64_t address, sim_error *err)
{
    alloc *al = memory_at(m, address);
    if (!al) return sim_fail(err, SIM_E_ARGUMENT, "nothing was ever allocated at 0x%llx", (unsigned long long)address);
    const char *name = al->name ? al->name : "the allocation";
    if (al->start != address)
        return sim_fail(err, SIM_E_ARGUMENT, "0x%llx is not the start of %s, which is at 0x%llx",
                        (unsigned long long)address, name, (unsigned long long)al->start);
    if (al->freed)
        return sim_fail(err, SIM_E_ARGUMENT, "%s at 0x%llx has been freed before", name, (unsigned long long)address);
    al->freed = true;
    m->shared -= al->is_shared;
    if (!al->is_mapped) m->in_use -= al->size;
    let_go(m, al);
    return SIM_OK;
}

void memory_end(memory *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        let_go(m, m->list[i]);
        free(m->list[i]);
    }
    free(m->list);
    memset(m, 0, sizeof *m);
}

const shared_part *memory_part(const launch *l, uint64_t at, bool near)
{
    const shared_part *best = NULL;
    uint64_t away = UINT64_MAX;
    if (near && at >= UINT64_C(0x80000000)) return l->parts; /* a negative offset */
    for (const shared_part *p = l->parts; p < l->parts + l->part_count; p++) {
        uint64_t off = at < p->from ? p->from - at : at < p->to ? 0 : at - p->to + 1;
        if (off < away) {
            away = off;
            best = p;
        }
    }
    return near || !away ? best : NULL;
}
