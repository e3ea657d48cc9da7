/* args.h: the arguments of a kernel as a person writes them on a command line.
 *
 *     i32:5   f32:2.5   u8:0x7f               a scalar
 *     f32:1,2,3,4                             several packed into one parameter (a struct, a float4)
 *     f32[1024]:zero|ones|iota|rand|rand%K    a buffer and how it is filled
 *     i32[4]:=1,2,3,4                         with what is listed; i32[]:=1,2 is sized by its list
 *     i32[1024]:=7                            with one value everywhere
 *     f32[]@FILE   f32[1024]@FILE             with raw little-endian numbers; sized by the file, or by us (a prefix of it)
 *     f32[1024]                               not at all: as malloc'ed memory is
 *
 * Types: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64. rand is uniform over [0, 1) for floats and over all
 * values for integers; rand%K gives whole numbers from 0 to K - 1. Contents depend on the seed, the
 * buffer's number and the element alone.
 */
#ifndef ARGS_H
#define ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arg_type {
    const char *name;
    int bytes;
    char kind; /* 'i' signed, 'u' unsigned, 'f' float */
} arg_type;

enum arg_fill { FILL_NONE, FILL_ZERO, FILL_ONES, FILL_IOTA, FILL_RAND, FILL_LIST, FILL_FILE };

typedef struct arg {
    const char *text; /* as written; the caller's */
    const arg_type *type;
    bool is_buffer;
    enum arg_fill fill;
    uint64_t count;   /* elements; of a scalar: how many are packed */
    uint64_t modulus; /* of rand%K; 0: none */
    uint64_t *values; /* bits of a scalar's or a list's elements */
    uint64_t value_count;
    const char *file; /* within text */
} arg;

enum { ARG_PACKED_MAX = 4096 /* bytes of one parameter */ };
#define ARG_BYTES_MAX ((uint64_t)1 << 40)

/* Read one argument. False with a sentence in `message` when it is wrong; files are looked at (and
 * sized) here. */
bool arg_parse(arg *a, const char *text, char *message, size_t size);
void arg_free(arg *a);

static inline uint64_t arg_bytes(const arg *a) { return a->count * (uint64_t)a->type->bytes; }

/* Write elements first to first + count - 1 of a buffer (not FILL_FILE or FILL_NONE), or a
 * scalar's, to `out`. */
void arg_elements(const arg *a, uint64_t seed, int buffer, uint64_t first, uint64_t count, void *out);

/* An element as text: all digits of an integer, the shortest exact ones of a float. */
char *arg_element_text(const arg_type *type, const void *element, char *buffer, size_t size);

/* "4", "4,2", "4,2,1": each 1 to 4294967295, missing ones 1. False with a sentence. */
bool arg_triple(uint32_t out[3], const char *text, char *message, size_t size);
/* A whole number from `least` to `most`, decimal or 0x. False with a sentence; `what` names it
 * there. */
bool arg_whole(uint64_t *out, const char *text, size_t length, uint64_t least, uint64_t most, const char *what,
               char *message, size_t size);

#endif
