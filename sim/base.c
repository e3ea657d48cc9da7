/* base.c: the arena and the filling of errors. An arena is a list of chunks; the first of the list
 * is handed out from its front to its end, and a request that does not fit gets a new chunk. Chunks
 * grow with the arena, so that a small module costs one of them and a huge one few. What is large
 * has a chunk to itself, and so can grow without a copy. */
#include "base.h"
#include "list.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CHUNK = 64 << 10, LARGEST_STEP = 8 << 20, ALONE = 256 << 10, KEPT = 4 << 20, ALIGN = 16 };

typedef struct arena_chunk {
    struct arena_chunk *next;
    size_t size, used; /* of what follows the header */
    size_t alone;      /* holds one thing, which may grow */
} arena_chunk;

_Static_assert(sizeof(arena_chunk) % ALIGN == 0 || sizeof(void *) < 8, "memory after the header must stay aligned");

static void out_of_memory(arena *a)
{
    if (a->oom) longjmp(*a->oom, 1);
    abort(); /* an arena without an owner to return to is a mistake of ours */
}

static size_t rounded(arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) out_of_memory(a);
    return bytes ? (bytes + (ALIGN - 1)) & ~(size_t)(ALIGN - 1) : ALIGN;
}

static void take(arena *a, size_t more)
{
    arena_budget *b = a->budget;
    if (b && more > b->limit - b->used) {
        b->spent = true;
        out_of_memory(a);
    }
    if (b) b->used += more;
    a->used += more;
}

static void give_back(arena *a)
{
    if (a->budget) a->budget->used -= a->used;
    a->used = 0;
}

/* Something large, behind the chunk that is handed out. */
static void *alloc_alone(arena *a, size_t size)
{
    arena_chunk *c = calloc(1, sizeof *c + size), **at = a->chunks ? &a->chunks->next : &a->chunks;
    if (!c) out_of_memory(a);
    *c = (arena_chunk){.next = *at, .size = size, .used = size, .alone = 1};
    *at = c;
    return c + 1;
}

void *arena_alloc(arena *a, size_t bytes)
{
    const size_t size = rounded(a, bytes), before = a->used;
    take(a, size);
    if (size >= ALONE) return alloc_alone(a, size);
    arena_chunk *c = a->chunks;
    if (!c || size > c->size - c->used) {
        size_t room = before < FIRST_CHUNK ? FIRST_CHUNK : before < LARGEST_STEP ? before : LARGEST_STEP;
        if (room < size) room = size;
        c = calloc(1, sizeof *c + room);
        if (!c) out_of_memory(a);
        c->size = room;
        c->next = a->chunks;
        a->chunks = c;
    }
    void *at = (char *)(c + 1) + c->used;
    c->used += size;
    return at;
}

void *arena_array(arena *a, size_t count, size_t each)
{
    if (each && count > SIZE_MAX / 2 / each) out_of_memory(a);
    return arena_alloc(a, count * each);
}

char *arena_string(arena *a, const char *text, size_t length)
{
    char *s = arena_array(a, length + 1, 1);
    if (length) memcpy(s, text, length);
    return s;
}

void *arena_grow(arena *a, void *old, size_t old_count, size_t new_count, size_t each)
{
    if (each && new_count > SIZE_MAX / 2 / each) out_of_memory(a);
    const size_t size = rounded(a, new_count * each);
    for (arena_chunk **c = &a->chunks; old && size >= ALONE && *c; c = &(*c)->next) {
        if ((void *)(*c + 1) != old || !(*c)->alone || size < (*c)->size) continue;
        take(a, size - (*c)->size);
        arena_chunk *grown = realloc(*c, sizeof **c + size);
        if (!grown) out_of_memory(a);
        grown->size = grown->used = size;
        *c = grown;
        return grown + 1;
    }
    void *at = arena_alloc(a, size);
    if (old && old_count) memcpy(at, old, (old_count < new_count ? old_count : new_count) * each);
    return at;
}

void arena_empty(arena *a)
{
    arena_chunk *kept = NULL;
    for (arena_chunk *c = a->chunks; c; c = c->next)
        if (!c->alone && c->size <= KEPT && (!kept || c->size > kept->size)) kept = c;
    for (arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        if (c != kept) free(c);
    }
    if (kept) memset(kept + 1, 0, kept->used), kept->used = 0, kept->next = NULL;
    a->chunks = kept;
    give_back(a);
}

void arena_free(arena *a)
{
    for (arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    a->chunks = NULL;
    give_back(a);
}

int sim_fail(sim_error *err, int code, const char *fmt, ...)
{
    if (err) {
        memset(err, 0, sizeof *err);
        err->code = code;
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(err->message, sizeof err->message, fmt, ap);
        va_end(ap);
    }
    return code;
}

int sim_no_memory(sim_error *err) { return sim_fail(err, SIM_E_MEMORY, NO_MEMORY); }

void sim_hint(sim_error *err, const char *fmt, ...)
{
    if (!err) return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->hint, sizeof err->hint, fmt, ap);
    va_end(ap);
}
