/* args.h: the arguments of a kernel as a person writes them on a command line.
 *
 *     i32:5   f32:2.5   u8:0x7f               a scalar
 *     f32:1,2,3,4                             several packed into one parameter (a struct, a float4)
 *     f32[1024]:zero|ones|iota|rand|rand%K    a buffer and how it is filled: these, or any fill of a lesson
 *     i32[4]:=1,2,3,4                         with what is listed; i32[]:=1,2 is sized by its list
 *     i32[1024]:=7                            with one value everywhere
 *     f32[]@FILE   f32[1024]@FILE             with raw little-endian numbers; sized by the file, or by us (a prefix of it)
 *     f32[1024]                               not at all: as malloc'ed memory is
 *
 * Types: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64. rand is uniform over [0, 1) for floats and over all
 * values for integers; rand%K gives whole numbers from 0 to K - 1: what lessons call `any`.
 */
#ifndef ARGS_H
#define ARGS_H

#include "course/reference.h"

typedef struct kernel_arg {
    const char *text;     /* as written; the caller's */
    bool is_buffer;       /* else a scalar, whose type and list `buffer` has */
    lesson_buffer buffer; /* its type and how it is filled; its length is in count */
    uint64_t count;       /* elements; of a scalar: how many are packed; 0: as many as what it fills has */
    uint64_t *values;     /* buffer.list, ours */
} kernel_arg;

enum { ARG_PACKED_MAX = 4096 /* bytes of one parameter */ };
#define ARG_BYTES_MAX ((uint64_t)1 << 40)

/* Read one argument. False with a sentence in `message` when it is wrong; files are looked at (and
 * sized) here. Where it is for something that has a size, f32[]:zero needs none. */
bool arg_parse(kernel_arg *a, const char *text, bool sized, char *message, size_t size);
void arg_free(kernel_arg *a);

static inline uint64_t arg_bytes(const kernel_arg *a)
{
    return a->count * (uint64_t)lesson_types[a->buffer.type].bytes;
}

/* An element as text: all digits of an integer, the shortest exact ones of a float. */
char *arg_element_text(enum lesson_type type, const void *element, char *buffer, size_t size);

/* "4", "4,2", "4,2,1": each 1 to 4294967295, missing ones 1. False with a sentence. */
bool arg_triple(uint32_t out[3], const char *text, char *message, size_t size);
/* "race,init": SIM_CHECK_... of them; memory is always checked, and asks for nothing more. False with a sentence. */
bool arg_checks(unsigned *out, const char *text, char *message, size_t size);
/* A whole number from `least` to `most`, decimal or 0x. False with a sentence; `what` names it
 * there. */
bool arg_whole(uint64_t *out, const char *text, size_t length, uint64_t least, uint64_t most, const char *what,
               char *message, size_t size);

#endif
