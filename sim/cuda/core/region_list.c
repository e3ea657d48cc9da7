/* region_list.c: the regions (regions.c), ascending by address, in pieces of a few hundred: a program may
 * have hundreds of thousands, and free them in any order. */
#include "core.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 };
typedef struct piece {
    int count; /* at least one */
    region list[PIECE];
} piece;
static piece **pieces;
static size_t piece_count;
static uint64_t ids = 1;

/* The last piece that begins at or before the address, else the first. There is one. */
static size_t piece_of(uint64_t at)
{
    size_t low = 0, high = piece_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (pieces[middle]->list[0].at <= at) low = middle;
        else high = middle;
    }
    return low;
}

/* How many of the piece begin at or before the address. */
static int up_to(const piece *p, uint64_t at)
{
    int low = 0, high = p->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (p->list[middle].at <= at) low = middle + 1;
        else high = middle;
    }
    return low;
}

const region *region_before(uint64_t at)
{
    const piece *p = piece_count ? pieces[piece_of(at)] : NULL;
    const int n = p ? up_to(p, at) : 0;
    return n ? &p->list[n - 1] : NULL;
}

const region *region_after(uint64_t at)
{
    if (!piece_count) return NULL;
    const size_t i = piece_of(at);
    const int n = up_to(pieces[i], at);
    return n < pieces[i]->count ? &pieces[i]->list[n] : i + 1 < piece_count ? &pieces[i + 1]->list[0] : NULL;
}

const region *region_find(uint64_t at)
{
    const region *r = region_before(at);
    return r && at - r->at < r->bytes ? r : NULL;
}

/* Puts an empty piece at place i. */
static piece *add_piece(size_t i)
{
    piece *p = list_grow(&pieces, piece_count, sizeof *pieces) ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    memmove(pieces + i + 1, pieces + i, (piece_count - i) * sizeof *pieces);
    piece_count++;
    return pieces[i] = p;
}

/* A piece with room for a region that begins there. */
static piece *room_at(uint64_t at)
{
    if (!piece_count) return add_piece(0);
    const size_t i = piece_of(at);
    piece *p = pieces[i];
    if (p->count < PIECE) return p;
    const int half = i + 1 == piece_count && up_to(p, at) == PIECE ? PIECE : PIECE / 2; /* most come behind the last */
    piece *next = add_piece(i + 1);
    if (!next) return NULL;
    next->count = PIECE - half;
    memcpy(next->list, p->list + half, (size_t)next->count * sizeof *next->list);
    p->count = half;
    return half == PIECE || next->list[0].at <= at ? next : p;
}

int region_note(device *d, enum region_kind kind, uint64_t at, uint64_t bytes, unsigned flags)
{
    piece *p = room_at(at);
    if (!p) return E_MemoryAllocation;
    const int n = up_to(p, at);
    memmove(p->list + n + 1, p->list + n, (size_t)(p->count - n) * sizeof *p->list);
    p->list[n] = (region){at, bytes, kind, d, flags, ids++};
    p->count++;
    if (kind == R_DEVICE || kind == R_ARRAY) d->in_use += bytes;
    return E_OK;
}

int region_give(uint64_t at, const stream *st)
{
    region *r = (region *)(uintptr_t)region_find(at);
    if (!r || r->at != at || r->kind != R_DEVICE || r->flags & REGION_GIVEN) return E_InvalidValue;
    if (!st->capture && !(r->flags & REGION_GRAPH)) r->flags |= REGION_GIVEN; /* a graph frees it at each launch */
    return E_OK;
}

int region_forget(uint64_t at)
{
    const region *r = region_find(at);
    if (!r || r->at != at) return E_InvalidValue;
    if (r->kind == R_DEVICE || r->kind == R_ARRAY) r->device->in_use -= r->bytes;
    const size_t i = piece_of(at);
    piece *p = pieces[i];
    const size_t n = (size_t)(r - p->list);
    memmove(p->list + n, p->list + n + 1, ((size_t)--p->count - n) * sizeof *p->list);
    if (p->count) return E_OK;
    free(p);
    memmove(pieces + i, pieces + i + 1, (--piece_count - i) * sizeof *pieces);
    return E_OK;
}
