/* library.h: the vendor's libraries, for bench-gpu. Nothing is linked or fetched: cuBLAS is opened
 * when it is there, and CUB, which is headers alone, is compiled by nvcc when that is there. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum library_call {
    PRODUCT_F32,
    PRODUCT_TF32,
    PRODUCT_BF16,
    SORT_KEYS,
    SORT_PAIRS,
    SCAN,
    FILTER,
    SQUARES,
    LIBRARY_CALLS
};

/* What a call works on: addresses on the card. A product: c[n][n] = a[n][n] b[n][n], in rows of `pitch` elements. */
typedef struct library_work {
    enum library_call call;
    void *stream;
    uint64_t in, second, out, more; /* a b c; keys values keys values; numbers - kept count */
    int64_t n, pitch;
    bool half_out, second_turned; /* c is bf16; b is stored with its columns as rows */
    uint64_t temp;
    size_t temp_bytes;
} library_work;

/* Begin to compile those of CUB's calls that are `wanted`, for a card of compute MAJOR.MINOR, each in a process of its
 * own. `folder` keeps them. */
void library_start(const char *folder, int major, int minor, const bool wanted[LIBRARY_CALLS]);
/* Is the call there? Waits for its compilation. False: `why` says what is missing. */
bool library_has(enum library_call call, char *why, size_t size);
/* How much of the card's memory the call needs as scratch. 0, or the library's error. */
int library_scratch(library_work *w);
/* Queue it. 0, or the library's error. */
int library_run(const library_work *w);
const char *library_name(enum library_call call); /* "cuBLAS" */
/* Ends what is still being compiled. */
void library_end(void);

#endif
