/* spoil.c: after each kernel one of the words that it changed is changed again (WARPSTEP_EXEC's
 * spoil=SEED). What the program says must then differ, if it comes from what its kernels wrote. */
#include "core.h"
#include <stdlib.h>
#include <string.h>

typedef struct kept_buffer {
    struct kept_buffer *next;
    uint64_t address, bytes;
    unsigned char before[];
} kept_buffer;

/* All that lies in the card's memory. NULL: nothing, or it has no room here. */
struct kept_buffer *spoil_begin(device *d)
{
    kept_buffer *all = NULL;
    sim_buffer b;
    for (uint64_t at = 0; core_options.spoil && sim_buffer_from(d->s, at, &b); at = b.address + b.bytes) {
        kept_buffer *k = b.memory && b.bytes ? malloc(sizeof *k + b.bytes) : NULL;
        if (!k) continue;
        k->next = all;
        k->address = b.address;
        k->bytes = b.bytes;
        memcpy(k->before, b.memory, b.bytes);
        all = k;
    }
    return all;
}

/* The n-th word that differs from before; `count` says how many there are. 0: there is none. */
static uint64_t changed_word(device *d, const kept_buffer *all, uint64_t n, uint64_t *count)
{
    uint64_t found = 0;
    *count = 0;
    for (const kept_buffer *k = all; k; k = k->next) {
        const unsigned char *now = sim_memory(d->s, k->address, k->bytes);
        for (uint64_t at = 0; now && at + 4 <= k->bytes; at += 4)
            if (memcmp(now + at, k->before + at, 4) && (*count)++ == n) found = k->address + at;
    }
    return found;
}

void spoil_end(device *d, struct kept_buffer *all)
{
    static uint64_t launches;
    uint64_t count, ignored;
    sim_error err;
    changed_word(d, all, UINT64_MAX, &count);
    const uint64_t which = count ? (core_options.spoil + launches) * UINT64_C(0x9e3779b97f4a7c15) >> 16 : 0,
                   bit = 20 - launches % 16;
    const uint64_t at = count ? changed_word(d, all, which % count, &ignored) : 0;
    uint32_t word;
    if (at && !sim_read(d->s, at, &word, sizeof word, &err)) {
        word ^= UINT32_C(1) << bit; /* another one each time, so that two changes do not cancel */
        sim_write(d->s, at, &word, sizeof word, &err);
        launches++;
    }
    for (kept_buffer *next; all; all = next) {
        next = all->next;
        free(all);
    }
}
