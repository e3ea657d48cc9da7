/* base.h: what every file of the simulator uses: an arena, growable arrays, error filling. */
#ifndef SIM_BASE_H
#define SIM_BASE_H

#include "sim.h"
#include <setjmp.h>
#include <string.h>

#if defined(__GNUC__)
#define SIM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define SIM_LIKELY(x)    __builtin_expect(!!(x), 1)
#define SIM_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#else
#define SIM_PRINTF(f, a)
#define SIM_LIKELY(x)   (x)
#define SIM_UNLIKELY(x) (x)
#endif

/* An arena frees everything at once. Loading a module uses one; running out of memory in it jumps
 * to `oom`, which the entry point that owns the arena has set, so that the code between need not
 * check every small allocation. */
/* of several arenas together */
typedef struct arena_budget {
    size_t used, limit;
    bool spent; /* something was refused for it, and not because the host has no more */
} arena_budget;
typedef struct arena {
    struct arena_chunk *chunks;
    size_t used;          /* bytes handed out */
    arena_budget *budget; /* NULL: none */
    jmp_buf *oom;
} arena;

void *arena_alloc(arena *a, size_t bytes);                     /* zeroed, 16-byte aligned */
void *arena_array(arena *a, size_t count, size_t each);        /* the same, overflow checked */
char *arena_string(arena *a, const char *text, size_t length); /* copied, NUL-terminated */
/* `old` must not be used any more. What is new is not zeroed: a large array grows where it is. */
void *arena_grow(arena *a, void *old, size_t old_count, size_t new_count, size_t each);
void arena_empty(arena *a); /* as arena_free, but ready to be filled again at little cost */
void arena_free(arena *a);

/* Append room for one element to an array kept in an arena: PUSH(a, array, count, capacity) gives a
 * pointer to it, to be filled. */
#define ARENA_PUSH(a, array, count, capacity)                                                            \
    ((count) == (capacity)                                                                               \
         ? ((array) = arena_grow((a), (array), (count), (capacity) ? (capacity)*2 : 8, sizeof *(array)), \
            (capacity) = (capacity) ? (capacity)*2 : 8, &(array)[(count)++])                             \
         : &(array)[(count)++])

/* Fill an error and return its code. `err` may be NULL. */
int sim_fail(sim_error *err, int code, const char *fmt, ...) SIM_PRINTF(3, 4);
void sim_hint(sim_error *err, const char *fmt, ...) SIM_PRINTF(2, 3);

#endif
