/* blas_first.c: cuBLAS's first interface (cublas.h), which old articles and courses use: one handle that nobody
 * sees, numbers by value, results returned, and an error to be asked for. */
#include "blas.h"

API cublasCreate_v2(void **), cublasDestroy_v2(void *), cublasSetStream_v2(void *, void *);
static void *handle;
static int last;

static int keep(int status)
{
    if (status) last = status;
    return status;
}

API cublasInit(void) { return handle ? B_OK : keep(cublasCreate_v2(&handle)); }
API cublasShutdown(void)
{
    const int status = cublasDestroy_v2(handle);
    handle = NULL;
    return keep(status);
}
API cublasGetError(void)
{
    const int status = last;
    last = B_OK;
    return status;
}
API cublasSetKernelStream(void *st) { return keep(cublasSetStream_v2(handle, st)); }
API cublasAlloc(int n, int size, void **out)
{
    uint64_t at = 0;
    if (n <= 0 || size <= 0 || !out) return keep(B_INVALID_VALUE);
    const int code = core_begin();
    device *d = code ? NULL : core_current();
    int status = d ? B_OK : B_NOT_INITIALIZED;
    if (d) status = blas_status(region_new(d, R_DEVICE, (uint64_t)n * (uint64_t)size, 0, NULL, &at), B_ALLOC_FAILED);
    if (!status) *out = (void *)(uintptr_t)at;
    return keep(core_end(status, d ? cost_alloc(d) : CALL_COST));
}
API cublasFree(void *at)
{
    int code = core_begin();
    device *d = code ? NULL : core_current();
    if (d && at) {
        wait_device(d);
        code = region_end((uint64_t)(uintptr_t)at, 1u << R_DEVICE);
    }
    return keep(core_end(blas_status(d ? code : E_NoDevice, d ? B_MAPPING_ERROR : B_NOT_INITIALIZED), CALL_COST));
}

/* 'n', 'T', ...; what is none of them is refused where it is used */
static int trans(char c) { return c == 'n' || c == 'N' ? 0 : c == 't' || c == 'T' ? 1 : c == 'c' || c == 'C' ? 2 : -1; }

#define FIRST(L, l, T)                                                                                              \
    int cublas##L##gemm_v2(void *, int, int, int, int, int, const void *, const void *, int, const void *, int,     \
                           const void *, void *, int);                                                              \
    int cublas##L##gemv_v2(void *, int, int, int, const void *, const void *, int, const void *, int, const void *, \
                           void *, int);                                                                            \
    int cublas##L##ger_v2(void *, int, int, const void *, const void *, int, const void *, int, void *, int);       \
    int cublas##L##axpy_v2(void *, int, const void *, const void *, int, void *, int);                              \
    int cublas##L##scal_v2(void *, int, const void *, void *, int);                                                 \
    int cublas##L##copy_v2(void *, int, const void *, int, void *, int);                                            \
    int cublas##L##swap_v2(void *, int, void *, int, void *, int);                                                  \
    int cublas##L##dot_v2(void *, int, const void *, int, const void *, int, void *);                               \
    int cublas##L##asum_v2(void *, int, const void *, int, void *);                                                 \
    int cublas##L##nrm2_v2(void *, int, const void *, int, void *);                                                 \
    int cublasI##l##amax_v2(void *, int, const void *, int, void *);                                                \
    int cublasI##l##amin_v2(void *, int, const void *, int, void *);                                                \
    PUBLIC void cublas##L##gemm(char ta, char tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b,    \
                                int ldb, T beta, T *c, int ldc)                                                     \
    {                                                                                                               \
        keep(cublas##L##gemm_v2(handle, trans(ta), trans(tb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc));     \
    }                                                                                                               \
    PUBLIC void cublas##L##gemv(char t, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta,   \
                                T *y, int incy)                                                                     \
    {                                                                                                               \
        keep(cublas##L##gemv_v2(handle, trans(t), m, n, &alpha, a, lda, x, incx, &beta, y, incy));                  \
    }                                                                                                               \
    PUBLIC void cublas##L##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda)    \
    {                                                                                                               \
        keep(cublas##L##ger_v2(handle, m, n, &alpha, x, incx, y, incy, a, lda));                                    \
    }                                                                                                               \
    PUBLIC void cublas##L##axpy(int n, T alpha, const T *x, int incx, T *y, int incy)                               \
    {                                                                                                               \
        keep(cublas##L##axpy_v2(handle, n, &alpha, x, incx, y, incy));                                              \
    }                                                                                                               \
    PUBLIC void cublas##L##scal(int n, T alpha, T *x, int incx)                                                     \
    {                                                                                                               \
        keep(cublas##L##scal_v2(handle, n, &alpha, x, incx));                                                       \
    }                                                                                                               \
    PUBLIC void cublas##L##copy(int n, const T *x, int incx, T *y, int incy)                                        \
    {                                                                                                               \
        keep(cublas##L##copy_v2(handle, n, x, incx, y, incy));                                                      \
    }                                                                                                               \
    PUBLIC void cublas##L##swap(int n, T *x, int incx, T *y, int incy)                                              \
    {                                                                                                               \
        keep(cublas##L##swap_v2(handle, n, x, incx, y, incy));                                                      \
    }                                                                                                               \
    PUBLIC T cublas##L##dot(int n, const T *x, int incx, const T *y, int incy)                                      \
    {                                                                                                               \
        T result = 0;                                                                                               \
        keep(cublas##L##dot_v2(handle, n, x, incx, y, incy, &result));                                              \
        return result;                                                                                              \
    }                                                                                                               \
    PUBLIC T cublas##L##asum(int n, const T *x, int incx)                                                           \
    {                                                                                                               \
        T result = 0;                                                                                               \
        keep(cublas##L##asum_v2(handle, n, x, incx, &result));                                                      \
        return result;                                                                                              \
    }                                                                                                               \
    PUBLIC T cublas##L##nrm2(int n, const T *x, int incx)                                                           \
    {                                                                                                               \
        T result = 0;                                                                                               \
        keep(cublas##L##nrm2_v2(handle, n, x, incx, &result));                                                      \
        return result;                                                                                              \
    }                                                                                                               \
    API cublasI##l##amax(int n, const T *x, int incx)                                                               \
    {                                                                                                               \
        int result = 0;                                                                                             \
        keep(cublasI##l##amax_v2(handle, n, x, incx, &result));                                                     \
        return result;                                                                                              \
    }                                                                                                               \
    API cublasI##l##amin(int n, const T *x, int incx)                                                               \
    {                                                                                                               \
        int result = 0;                                                                                             \
        keep(cublasI##l##amin_v2(handle, n, x, incx, &result));                                                     \
        return result;                                                                                              \
    }
FIRST(S, s, float)
FIRST(D, d, double)
