/* args.h: a kernel's arguments as a person writes them on a command line.
 *
 *     i32:5   f32:2.5   u8:0x7f             a scalar
 *     f32:1,2,3,4                           several packed into one parameter (a struct, a float4)
 *     f32[1024]:zero|ones|iota|rand|rand%K  a buffer and its fill: these, or any fill of a lesson
 *     i32[4]:=1,2,3,4                       filled with this list; i32[]:=1,2 takes its size from it
 *     i32[1024]:=7                          the same value everywhere
 *     f32[]@FILE   f32[1024]@FILE           raw little-endian numbers: all of the file, or a prefix
 *     f32[1024]                             unfilled, like memory from malloc
 *
 * Types: lesson_types. rand is uniform over [0, 1) for floats and over all
 * values for integers. rand%K gives integers from 0 to K - 1. Lessons call both fills `any`. */
#ifndef ARGS_H
#define ARGS_H

#include "course/reference.h"

typedef struct kernel_arg {
    const char *text;     /* as written; belongs to the caller */
    bool is_buffer;       /* else a scalar, whose type and list are in `buffer` */
    lesson_buffer buffer; /* type and fill; the length is in `count` */
    uint64_t count;       /* elements; of a scalar: how many are packed; 0: as many as the variable that it sets has */
    uint64_t *values;     /* buffer.list, owned */
} kernel_arg;

enum { ARG_PACKED_MAX = 4096 /* per parameter */ };
#define ARG_BYTES_MAX ((uint64_t)1 << 40)

/* Read one argument. False with a sentence in `message` when it is wrong; files are measured here.
 * `sized`: it fills something with a known size, so f32[]:zero needs no length. */
bool arg_parse(kernel_arg *a, const char *text, bool sized, char *message, size_t size);
void arg_free(kernel_arg *a);

static inline uint64_t arg_bytes(const kernel_arg *a)
{
    return a->count * (uint64_t)lesson_types[a->buffer.type].bytes;
}

/* An element as text: all digits of an integer, the shortest exact ones of a float. */
char *arg_element_text(enum lesson_type type, const void *element, char *buffer, size_t size);

/* "4", "4,2", "4,2,1": each 1 to 4294967295; missing ones are 1. False with a sentence. */
bool arg_triple(uint32_t out[3], const char *text, char *message, size_t size);
/* "race,init" to SIM_CHECK_... flags; memory is always checked and adds none. False with a
 * sentence. */
bool arg_checks(unsigned *out, const char *text, char *message, size_t size);
/* A whole number from `least` to `most`, decimal or 0x. False with a sentence that calls it
 * `what`. */
bool arg_whole(uint64_t *out, const char *text, size_t length, uint64_t least, uint64_t most, const char *what,
               char *message, size_t size);

#endif
