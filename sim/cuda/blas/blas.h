/* blas.h: our cuBLAS: its handle, and how its kernels (blas_kernels.cu) are launched.
 *
 * What the functions for float and for double share is written once, with `wide` for double; alpha,
 * beta and results are then `void *`. */
#ifndef CUDA_BLAS_H
#define CUDA_BLAS_H

#include "cuda/core/core.h"
#include <stdlib.h>
#include <string.h>

#define API PUBLIC int

enum { /* cublasStatus_t */
       B_OK,
       B_NOT_INITIALIZED = 1,
       B_ALLOC_FAILED = 3,
       B_INVALID_VALUE = 7,
       B_MAPPING_ERROR = 11,
       B_EXECUTION_FAILED = 13,
       B_NOT_SUPPORTED = 15
};
enum { PARTS_MOST = 128, PART_BYTES = 24 }; /* of a reduction */

typedef struct blas {
    device *device;
    void *stream;
    bool on_device; /* where alpha, beta and results are */
    int math_mode, atomics_mode;
    uint64_t work; /* parts of reductions, then a result */
} blas;

/* Locks; the handle's library, stream and device. Not B_OK: nothing can be done, but blas_leave all the same. */
int blas_enter(void *handle, blas **b, stream **st);
int blas_leave(int status, const blas *b);
int blas_status(int code, int otherwise); /* CUDA's code as cuBLAS's */

/* ---- what kernels get, laid out as there ---- */
typedef struct scalar {
    union {
        float f;
        double d;
    } value;
    uint64_t at;
} scalar;
scalar blas_scalar(const blas *b, const void *of, bool wide);

/* `of` is the name without the letter of the type; threads: 256 in each block. */
int blas_launch(stream *st, bool wide, const char *of, unsigned x, unsigned y, unsigned z, const void *args);
bool blas_fits(stream *st, bool wide, const char *of); /* does one block fit on a multiprocessor? */
/* Copies a result of `bytes` to the host, and waits for it. */
int blas_answer(stream *st, uint64_t from, void *to, size_t bytes);

static inline unsigned parts_of(int64_t n, int each) { return (unsigned)((n + each - 1) / each); }

#endif
