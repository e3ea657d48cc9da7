/* blas_vector.c: vectors: what changes them, and what makes one number of them. */
#include "blas.h"

typedef struct vector_args {
    int n, incx, incy;
    scalar alpha;
    uint64_t x, y;
} vector_args;

static int vector(void *handle, bool wide, const char *kernel, int n, const void *alpha, bool has_alpha, const void *x,
                  int incx, void *y, int incy)
{
    blas *lib;
    stream *st;
    int status = blas_enter(handle, &lib, &st);
    if (!status && n > 0 && ((has_alpha && !alpha) || !x || !y)) status = B_INVALID_VALUE;
    if (status || n <= 0) return blas_leave(status, lib);
    const vector_args v = {n,
                           incx,
                           incy,
                           has_alpha ? blas_scalar(lib, alpha, wide) : (scalar){.at = 0},
                           (uint64_t)(uintptr_t)x,
                           (uint64_t)(uintptr_t)y};
    const unsigned blocks = parts_of(n, 256);
    status = blas_launch(st, wide, kernel, blocks < 2048 ? blocks : 2048, 1, 1, &v);
    return blas_leave(status, lib);
}

typedef struct reduce_args {
    int n, incx, incy, parts;
    uint64_t x, y, work, result;
} reduce_args;

/* A reduction leaves its result at `result`, of the host or of the card. */
static int reduce(void *handle, bool wide, const char *kernel, size_t bytes, int n, const void *x, int incx,
                  const void *y, int incy, void *result)
{
    blas *lib;
    stream *st;
    int status = blas_enter(handle, &lib, &st);
    if (!status && (!result || (n > 0 && (!x || !y)))) status = B_INVALID_VALUE;
    if (status) return blas_leave(status, lib);
    if (n <= 0 && !lib->on_device) {
        memset(result, 0, bytes);
        return blas_leave(B_OK, lib);
    }
    unsigned blocks = n > 1024 ? parts_of(n, 1024) : 1;
    if (blocks > PARTS_MOST) blocks = PARTS_MOST;
    const uint64_t ours = lib->work + PARTS_MOST * PART_BYTES, to = lib->on_device ? (uint64_t)(uintptr_t)result : ours;
    reduce_args r = {n > 0 ? n : 0, incx, incy, 0, (uint64_t)(uintptr_t)x, (uint64_t)(uintptr_t)y, lib->work, to};
    status = blas_launch(st, wide, kernel, blocks, 1, 1, &r);
    r.parts = (int)blocks;
    if (!status && blocks > 1) status = blas_launch(st, wide, kernel, 1, 1, 1, &r);
    if (!status && !lib->on_device) status = blas_answer(st, ours, result, bytes);
    return blas_leave(status, lib);
}

/* Those of one vector give 0 where its elements do not follow each other upwards. */
static int reduce_one(void *handle, bool wide, const char *kernel, size_t bytes, int n, const void *x, int incx,
                      void *result)
{
    return reduce(handle, wide, kernel, bytes, incx > 0 ? n : 0, x, incx, x, incx, result);
}

#define VECTORS(letter, wide, type)                                                                            \
    API cublas##letter##axpy_v2(void *h, int n, const void *alpha, const void *x, int incx, void *y, int incy) \
    {                                                                                                          \
        return vector(h, wide, "axpy", n, alpha, true, x, incx, y, incy);                                      \
    }                                                                                                          \
    API cublas##letter##scal_v2(void *h, int n, const void *alpha, void *x, int incx)                          \
    {                                                                                                          \
        return vector(h, wide, "scal", incx > 0 ? n : 0, alpha, true, x, incx, x, incx);                       \
    }                                                                                                          \
    API cublas##letter##copy_v2(void *h, int n, const void *x, int incx, void *y, int incy)                    \
    {                                                                                                          \
        return vector(h, wide, "copy", n, NULL, false, x, incx, y, incy);                                      \
    }                                                                                                          \
    API cublas##letter##swap_v2(void *h, int n, void *x, int incx, void *y, int incy)                          \
    {                                                                                                          \
        return vector(h, wide, "swap", n, NULL, false, x, incx, y, incy);                                      \
    }                                                                                                          \
    API cublas##letter##dot_v2(void *h, int n, const void *x, int incx, const void *y, int incy, void *result) \
    {                                                                                                          \
        return reduce(h, wide, "dot", sizeof(type), n, x, incx, y, incy, result);                              \
    }                                                                                                          \
    API cublas##letter##asum_v2(void *h, int n, const void *x, int incx, void *result)                         \
    {                                                                                                          \
        return reduce_one(h, wide, "asum", sizeof(type), n, x, incx, result);                                  \
    }                                                                                                          \
    API cublas##letter##nrm2_v2(void *h, int n, const void *x, int incx, void *result)                         \
    {                                                                                                          \
        return reduce_one(h, wide, "nrm2", sizeof(type), n, x, incx, result);                                  \
    }
VECTORS(S, false, float)
VECTORS(D, true, double)
#define EXTREME(name, wide, kernel)                                              \
    API cublas##name##_v2(void *h, int n, const void *x, int incx, void *result) \
    {                                                                            \
        return reduce_one(h, wide, kernel, sizeof(int), n, x, incx, result);     \
    }
EXTREME(Isamax, false, "i_amax")
EXTREME(Idamax, true, "i_amax")
EXTREME(Isamin, false, "i_amin")
EXTREME(Idamin, true, "i_amin")
