/* blas.c: cuBLAS, for blas.sh: C host code as nvcc's headers would have it, with prototypes by hand. Expected
 * values: sums on the host in double (or long double), within the rounding of the type. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
int cudaDeviceSynchronize(void), cudaStreamCreate(void **), cudaStreamSynchronize(void *);
int cublasCreate_v2(void **), cublasDestroy_v2(void *), cublasSetStream_v2(void *, void *);
int cublasGetStream_v2(void *, void **), cublasSetPointerMode_v2(void *, int), cublasGetPointerMode_v2(void *, int *);
int cublasSetMathMode(void *, int), cublasGetVersion_v2(void *, int *);
const char *cublasGetStatusName(int), *cublasGetStatusString(int);
int cublasSetVector(int, int, const void *, int, void *, int),
    cublasGetVector(int, int, const void *, int, void *, int);
int cublasSetMatrix(int, int, int, const void *, int, void *, int);
int cublasGetMatrix(int, int, int, const void *, int, void *, int);
#define TYPED(L, T)                                                                                                    \
    int cublas##L##gemm_v2(void *, int, int, int, int, int, const T *, const T *, int, const T *, int, const T *, T *, \
                           int);                                                                                       \
    int cublas##L##gemmStridedBatched(void *, int, int, int, int, int, const T *, const T *, int, long long,           \
                                      const T *, int, long long, const T *, T *, int, long long, int);                 \
    int cublas##L##gemmBatched(void *, int, int, int, int, int, const T *, T *const *, int, T *const *, int,           \
                               const T *, T *const *, int, int);                                                       \
    int cublas##L##gemv_v2(void *, int, int, int, const T *, const T *, int, const T *, int, const T *, T *, int);     \
    int cublas##L##axpy_v2(void *, int, const T *, const T *, int, T *, int);                                          \
    int cublas##L##scal_v2(void *, int, const T *, T *, int),                                                          \
        cublas##L##copy_v2(void *, int, const T *, int, T *, int);                                                     \
    int cublas##L##swap_v2(void *, int, T *, int, T *, int);                                                           \
    int cublas##L##dot_v2(void *, int, const T *, int, const T *, int, T *);                                           \
    int cublas##L##asum_v2(void *, int, const T *, int, T *), cublas##L##nrm2_v2(void *, int, const T *, int, T *);
TYPED(S, float)
TYPED(D, double)
int cublasIsamax_v2(void *, int, const float *, int, int *), cublasIdamax_v2(void *, int, const double *, int, int *);
int cublasIsamin_v2(void *, int, const float *, int, int *), cublasIdamin_v2(void *, int, const double *, int, int *);
int cublasSsyrk_v2();
int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                 const void *, void *, int, int, int, int);
#define SUMS(L, T)                                                                                                   \
    int cublas##L##geam(void *, int, int, int, int, const T *, const T *, int, const T *, const T *, int, T *, int); \
    int cublas##L##ger_v2(void *, int, int, const T *, const T *, int, const T *, int, T *, int);
SUMS(S, float)
SUMS(D, double)
/* the first interface */
int cublasInit(void), cublasShutdown(void), cublasGetError(void), cublasAlloc(int, int, void **), cublasFree(void *);
void cublasSgemm(char, char, int, int, int, float, const float *, int, const float *, int, float, float *, int);
void cublasDgemv(char, int, int, double, const double *, int, const double *, int, double, double *, int);
void cublasSaxpy(int, float, const float *, int, float *, int), cublasDscal(int, double, double *, int);
float cublasSdot(int, const float *, int, const float *, int);
double cublasDnrm2(int, const double *, int);
int cublasIsamax(int, const float *, int);

enum { MOST = 2000000 };
static void say(const char *what, int code) { printf("%s: %s\n", what, cublasGetStatusName(code)); }
static void *handle;
static int cases, wrong;
static void check(bool fine, const char *what, int a, int b, int c)
{
    cases++;
    if (!fine && wrong++ < 10) printf("wrong: %s %d %d %d\n", what, a, b, c);
}
static uint32_t seed = 1;
static double next(void) /* between -1 and 1 */
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(int32_t)seed / 2147483648.0;
}
static int64_t at_of(int i, int n, int inc) { return inc < 0 ? (int64_t)(i + 1 - n) * inc : (int64_t)i * inc; }

#define FOR_TYPE(L, l, T, EPS)                                                                                         \
    static T l##_a[MOST], l##_b[MOST], l##_c[MOST], l##_d[MOST], *l##_on[3], *l##_scalars;                             \
    static void l##_fill(T *x, T *on, int n)                                                                           \
    {                                                                                                                  \
        for (int i = 0; i < n; i++) x[i] = (T)next();                                                                  \
        cudaMemcpy(on, x, (size_t)n * sizeof(T), 1);                                                                   \
    }                                                                                                                  \
    static void l##_gemm(int ta, int tb, int m, int n, int k, int more, double alpha, double beta, bool device)        \
    {                                                                                                                  \
        const int lda = (ta ? k : m) + more, ldb = (tb ? n : k) + more, ldc = m + more;                                \
        l##_fill(l##_a, l##_on[0], lda *(ta ? m : k));                                                                 \
        l##_fill(l##_b, l##_on[1], ldb *(tb ? k : n));                                                                 \
        l##_fill(l##_c, l##_on[2], ldc *n);                                                                            \
        if (!beta) /* what is there does not count */                                                                  \
            for (int i = 0; i < ldc * n; i++) l##_d[i] = (T)NAN;                                                       \
        if (!beta) cudaMemcpy(l##_on[2], l##_d, (size_t)(ldc * n) * sizeof(T), 1);                                     \
        const T s[2] = {(T)alpha, (T)beta};                                                                            \
        cudaMemcpy(l##_scalars, s, sizeof s, 1);                                                                       \
        cublasSetPointerMode_v2(handle, device);                                                                       \
        const int code =                                                                                               \
            cublas##L##gemm_v2(handle, ta, tb, m, n, k, device ? l##_scalars : s, l##_on[0], lda > 0 ? lda : 1,        \
                               l##_on[1], ldb > 0 ? ldb : 1, device ? l##_scalars + 1 : s + 1, l##_on[2], ldc);        \
        cublasSetPointerMode_v2(handle, 0);                                                                            \
        cudaMemcpy(l##_d, l##_on[2], (size_t)(ldc * n) * sizeof(T), 2);                                                \
        bool fine = !code;                                                                                             \
        for (int j = 0; j < n; j++)                                                                                    \
            for (int i = 0; i < ldc; i++) {                                                                            \
                double sum = 0, size = 0;                                                                              \
                const double was = l##_c[i + j * ldc];                                                                 \
                for (int x = 0; i < m && x < k; x++) {                                                                 \
                    const double p =                                                                                   \
                        (double)l##_a[ta ? x + i * lda : i + x * lda] * (double)l##_b[tb ? j + x * ldb : x + j * ldb]; \
                    sum += p, size += fabs(p);                                                                         \
                }                                                                                                      \
                const double want = alpha * sum + (beta ? beta * was : 0), got = l##_d[i + j * ldc];                   \
                if (i >= m) fine = fine && (got == was || !beta); /* between the columns */                            \
                else fine = fine && fabs(got - want) <= (k + 4) * (double)EPS * (fabs(alpha) * size + fabs(want) + 1); \
            }                                                                                                          \
        check(fine, #L "gemm", m, n, k);                                                                               \
    }                                                                                                                  \
    static void l##_batches(void)                                                                                      \
    {                                                                                                                  \
        enum { M = 5, N = 7, K = 3, COUNT = 4 };                                                                       \
        const T one = 1, none = 0;                                                                                     \
        l##_fill(l##_a, l##_on[0], M *K *COUNT);                                                                       \
        l##_fill(l##_b, l##_on[1], K *N *COUNT);                                                                       \
        for (int lists = 0; lists < 2; lists++) {                                                                      \
            T *list[3][COUNT], **on_card;                                                                              \
            for (int i = 0; i < COUNT; i++) /* the last first */                                                       \
                list[0][i] = l##_on[0] + M * K * i, list[1][i] = l##_on[1] + K * N * i,                                \
                list[2][i] = l##_on[2] + M * N * (COUNT - 1 - i);                                                      \
            cudaMalloc((void **)&on_card, sizeof list);                                                                \
            cudaMemcpy(on_card, list, sizeof list, 1);                                                                 \
            const int code =                                                                                           \
                lists ? cublas##L##gemmBatched(handle, 0, 0, M, N, K, &one, on_card, M, on_card + COUNT, K, &none,     \
                                               on_card + 2 * COUNT, M, COUNT)                                          \
                      : cublas##L##gemmStridedBatched(handle, 0, 0, M, N, K, &one, l##_on[0], M, M * K, l##_on[1], K,  \
                                                      K * N, &none, l##_on[2], M, M * N, COUNT);                       \
            cudaMemcpy(l##_c, l##_on[2], M *N *COUNT * sizeof(T), 2);                                                  \
            bool fine = !code;                                                                                         \
            for (int z = 0; z < COUNT; z++)                                                                            \
                for (int i = 0; i < M * N; i++) {                                                                      \
                    double sum = 0;                                                                                    \
                    for (int x = 0; x < K; x++)                                                                        \
                        sum += (double)l##_a[z * M * K + i % M + x * M] * (double)l##_b[z * K * N + x + i / M * K];    \
                    fine = fine && fabs(l##_c[(lists ? COUNT - 1 - z : z) * M * N + i] - sum) < 8 * (double)EPS;       \
                }                                                                                                      \
            check(fine, #L "gemm of several", lists, 0, 0);                                                            \
            cudaFree(on_card);                                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static void l##_gemv(int t, int m, int n, int more, int incx, int incy, double alpha, double beta)                 \
    {                                                                                                                  \
        const int lda = m + more, nx = t ? m : n, ny = t ? n : m;                                                      \
        const T s[2] = {(T)alpha, (T)beta};                                                                            \
        l##_fill(l##_a, l##_on[0], lda *n);                                                                            \
        l##_fill(l##_b, l##_on[1], nx *abs(incx));                                                                     \
        l##_fill(l##_c, l##_on[2], ny *abs(incy));                                                                     \
        bool fine = !cublas##L##gemv_v2(handle, t, m, n, s, l##_on[0], lda, l##_on[1], incx, s + 1, l##_on[2], incy);  \
        cudaMemcpy(l##_d, l##_on[2], (size_t)(ny * abs(incy)) * sizeof(T), 2);                                         \
        for (int y = 0; y < ny; y++) {                                                                                 \
            double sum = 0;                                                                                            \
            for (int x = 0; x < nx; x++)                                                                               \
                sum += (double)l##_a[t ? x + y * lda : y + x * lda] * (double)l##_b[at_of(x, nx, incx)];               \
            const int64_t at = at_of(y, ny, incy);                                                                     \
            fine = fine && fabs(l##_d[at] - (alpha * sum + beta * l##_c[at])) <= (nx + 4) * (double)EPS * 4;           \
        }                                                                                                              \
        check(fine, #L "gemv", m, n, t);                                                                               \
    }                                                                                                                  \
    static void l##_vectors(int n, int incx, int incy)                                                                 \
    {                                                                                                                  \
        const int bytes_x = n * abs(incx), bytes_y = n * abs(incy);                                                    \
        const T alpha = (T)1.5;                                                                                        \
        l##_fill(l##_a, l##_on[0], bytes_x + 1);                                                                       \
        l##_fill(l##_b, l##_on[1], bytes_y + 1);                                                                       \
        bool fine = !cublas##L##axpy_v2(handle, n, &alpha, l##_on[0], incx, l##_on[1], incy);                          \
        cudaMemcpy(l##_d, l##_on[1], (size_t)(bytes_y + 1) * sizeof(T), 2);                                            \
        double dot = 0, size = 0, asum = 0, squares = 0;                                                               \
        int most = 0, least = 0;                                                                                       \
        for (int i = 0; i < n; i++) {                                                                                  \
            const double x = l##_a[at_of(i, n, incx)], y = l##_b[at_of(i, n, incy)], p = x * l##_d[at_of(i, n, incy)]; \
            fine = fine && fabs(l##_d[at_of(i, n, incy)] - (1.5 * x + y)) <= 4 * (double)EPS;                          \
            dot += p, size += fabs(p), asum += fabs(x), squares += x * x;                                              \
            if (fabs(x) > fabs((double)l##_a[at_of(most, n, incx)])) most = i;                                         \
            if (fabs(x) < fabs((double)l##_a[at_of(least, n, incx)])) least = i;                                       \
        }                                                                                                              \
        check(fine &&l##_d[bytes_y] == l##_b[bytes_y], #L "axpy", n, incx, incy);                                      \
        T got[3] = {9, 9, 9};                                                                                          \
        int at[2] = {9, 9};                                                                                            \
        fine = !cublas##L##dot_v2(handle, n, l##_on[0], incx, l##_on[1], incy, got) &&                                 \
               !cublas##L##asum_v2(handle, n, l##_on[0], incx, got + 1) &&                                             \
               !cublas##L##nrm2_v2(handle, n, l##_on[0], incx, got + 2) &&                                             \
               !cublasI##l##amax_v2(handle, n, l##_on[0], incx, at) &&                                                 \
               !cublasI##l##amin_v2(handle, n, l##_on[0], incx, at + 1);                                               \
        if (incx < 0) asum = squares = 0, most = least = -1; /* those of one vector give 0 */                          \
        if (n == 0) most = least = -1;                                                                                 \
        const double near = (n / 8 + 16) * (double)EPS;                                                                \
        check(fine &&fabs(got[0] - dot) <= near * (size + 1), #L "dot", n, incx, incy);                                \
        check(fabs(got[1] - asum) <= near * (asum + 1), #L "asum", n, incx, incy);                                     \
        check(fabs(got[2] - sqrt(squares)) <= near * (sqrt(squares) + 1), #L "nrm2", n, incx, incy);                   \
        check(at[0] == most + 1 && at[1] == least + 1, #L "amax", n, at[0], most + 1);                                 \
        /* the same, and what follows from it, without the host */                                                     \
        cublasSetPointerMode_v2(handle, 1);                                                                            \
        fine = !cublas##L##dot_v2(handle, n, l##_on[0], incx, l##_on[1], incy, l##_scalars) &&                         \
               !cublas##L##scal_v2(handle, n, l##_scalars, l##_on[1], abs(incy));                                      \
        cublasSetPointerMode_v2(handle, 0);                                                                            \
        cudaMemcpy(l##_c, l##_on[1], (size_t)(bytes_y + 1) * sizeof(T), 2);                                            \
        for (int i = 0; i < n; i++) fine = fine && l##_c[i * abs(incy)] == got[0] * l##_d[i * abs(incy)];              \
        check(fine, #L "scal by what is on the card", n, incx, incy);                                                  \
        fine = !cublas##L##copy_v2(handle, n, l##_on[0], incx, l##_on[2], incy) &&                                     \
               !cublas##L##swap_v2(handle, n, l##_on[1], incy, l##_on[2], incy);                                       \
        cudaMemcpy(l##_d, l##_on[1], (size_t)(bytes_y + 1) * sizeof(T), 2);                                            \
        for (int i = 0; i < n; i++) fine = fine && l##_d[at_of(i, n, incy)] == l##_a[at_of(i, n, incx)];               \
        check(fine, #L "copy and swap", n, incx, incy);                                                                \
    }                                                                                                                  \
    static void l##_all(void)                                                                                          \
    {                                                                                                                  \
        for (int i = 0; i < 3; i++) cudaMalloc((void **)&l##_on[i], MOST * sizeof(T));                                 \
        cudaMalloc((void **)&l##_scalars, 64);                                                                         \
        for (int ta = 0; ta < 3; ta++)                                                                                 \
            for (int tb = 0; tb < 3; tb++) {                                                                           \
                l##_gemm(ta, tb, 33, 65, 17, 0, 1, 0, false);                                                          \
                l##_gemm(ta, tb, 70, 30, 41, 3, -0.5, 2, ta == tb);                                                    \
            }                                                                                                          \
        l##_gemm(0, 0, 1, 1, 1, 0, 2, 1, true);                                                                        \
        l##_gemm(0, 1, 5, 6, 0, 0, 2, 3, false); /* no product: C = 3 C */                                             \
        l##_gemm(1, 0, 5, 6, 7, 0, 0, 0, false);                                                                       \
        l##_gemm(0, 1, 515, 530, 9, 1, 1, 1, false);   /* tiles of 64 x 64 */                                          \
        l##_gemm(1, 0, 1100, 1050, 11, 2, 1, 1, true); /* and of 128 x 128 */                                          \
        l##_gemm(0, 0, 1025, 1030, 8, 0, 1, 0, false);                                                                 \
        l##_batches();                                                                                                 \
        for (int t = 0; t < 3; t++) {                                                                                  \
            l##_gemv(t, 37, 50, 0, 1, 1, 1, 0);                                                                        \
            l##_gemv(t, 100, 9, 5, -2, 3, 2, -1);                                                                      \
            l##_gemv(t, 1, 300, 0, 2, -1, 1, 1);                                                                       \
        }                                                                                                              \
        static const int sizes[] = {0, 1, 31, 1000, 1025, 50000};                                                      \
        for (int i = 0; i < 6; i++) {                                                                                  \
            l##_vectors(sizes[i], 1, 1);                                                                               \
            l##_vectors(sizes[i], 2, 3);                                                                               \
            l##_vectors(sizes[i], -1, 2);                                                                              \
        }                                                                                                              \
    }
FOR_TYPE(S, s, float, FLT_EPSILON)
FOR_TYPE(D, d, double, DBL_EPSILON)

#define FOR_SUMS(L, l, T, EPS)                                                                                       \
    static void l##_geam(int ta, int tb, int m, int n, int more, double alpha, double beta, bool in_place)           \
    {                                                                                                                \
        const int lda = (ta ? n : m) + more, ldb = (tb ? n : m) + more, ldc = m + more;                              \
        const T s[2] = {(T)alpha, (T)beta};                                                                          \
        l##_fill(l##_a, l##_on[0], lda *(ta ? m : n));                                                               \
        l##_fill(l##_b, l##_on[1], ldb *(tb ? m : n));                                                               \
        T *to = l##_on[in_place ? 0 : 2];                                                                            \
        bool fine = !cublas##L##geam(handle, ta, tb, m, n, s, l##_on[0], lda, s + 1, l##_on[1], ldb, to, ldc);       \
        cudaMemcpy(l##_d, to, (size_t)(ldc * n) * sizeof(T), 2);                                                     \
        for (int j = 0; j < n; j++)                                                                                  \
            for (int i = 0; i < m; i++) {                                                                            \
                const double want =                                                                                  \
                    alpha * l##_a[ta ? j + i * lda : i + j * lda] + beta * l##_b[tb ? j + i * ldb : i + j * ldb];    \
                fine = fine && fabs(l##_d[i + j * ldc] - want) <= 8 * (double)EPS;                                   \
            }                                                                                                        \
        check(fine, #L "geam", m, n, 10 * ta + tb);                                                                  \
    }                                                                                                                \
    static void l##_ger(int m, int n, int more, int incx, int incy)                                                  \
    {                                                                                                                \
        const T alpha = (T)-1.5;                                                                                     \
        l##_fill(l##_a, l##_on[0], m *abs(incx));                                                                    \
        l##_fill(l##_b, l##_on[1], n *abs(incy));                                                                    \
        l##_fill(l##_c, l##_on[2], (m + more) * n);                                                                  \
        bool fine = !cublas##L##ger_v2(handle, m, n, &alpha, l##_on[0], incx, l##_on[1], incy, l##_on[2], m + more); \
        cudaMemcpy(l##_d, l##_on[2], (size_t)((m + more) * n) * sizeof(T), 2);                                       \
        for (int j = 0; j < n; j++)                                                                                  \
            for (int i = 0; i < m + more; i++) {                                                                     \
                const int at = i + j * (m + more);                                                                   \
                const double add =                                                                                   \
                    i < m ? -1.5 * (double)l##_a[at_of(i, m, incx)] * (double)l##_b[at_of(j, n, incy)] : 0;          \
                fine = fine && fabs(l##_d[at] - (l##_c[at] + add)) <= 8 * (double)EPS;                               \
            }                                                                                                        \
        check(fine, #L "ger", m, n, incx);                                                                           \
    }                                                                                                                \
    static void l##_sums(void)                                                                                       \
    {                                                                                                                \
        for (int t = 0; t < 4; t++) {                                                                                \
            l##_geam(t & 1, t >> 1, 70, 45, 0, 1, 0, false);                                                         \
            l##_geam(t & 1, t >> 1, 33, 100, 5, -2, 0.5, false);                                                     \
        }                                                                                                            \
        l##_geam(0, 1, 50, 50, 0, 1, 1, true);                                                                       \
        l##_ger(70, 45, 0, 1, 1);                                                                                    \
        l##_ger(5, 100, 3, -2, 3);                                                                                   \
    }
FOR_SUMS(S, s, float, FLT_EPSILON)
FOR_SUMS(D, d, double, DBL_EPSILON)

/* The first interface: no handle, numbers by value, results returned. */
static void first(void)
{
    float a[4] = {1, 2, 3, 4}, c[4] = {0}, *x, *y;
    double d[2] = {3, 4}, e[4] = {1, 0, 0, 1}, *v, *w;
    cublasSaxpy(1, 1, NULL, 1, NULL, 1);
    say("before", cublasGetError());
    say("no error any more", cublasGetError());
    say("init", cublasInit());
    say("alloc", cublasAlloc(4, 4, (void **)&x));
    cublasAlloc(4, 4, (void **)&y), cublasAlloc(2, 8, (void **)&v), cublasAlloc(4, 8, (void **)&w);
    cublasSetVector(4, 4, a, 1, x, 1), cublasSetVector(2, 8, d, 1, v, 1), cublasSetVector(4, 8, e, 1, w, 1);
    cublasSgemm('n', 'T', 2, 2, 2, 1, x, 2, x, 2, 0, y, 2); /* (1 3; 2 4) times (1 2; 3 4) */
    cublasGetVector(4, 4, y, 1, c, 1);
    printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
    printf("%g %g %d\n", cublasSdot(4, x, 1, y, 1), cublasDnrm2(2, v, 1), cublasIsamax(4, y, 1));
    cublasDgemv('N', 2, 2, 2, w, 2, v, 1, 0, w + 2, 1); /* 2 (3 4) over the second column */
    cublasDscal(2, 10, w + 2, 1);
    cublasGetVector(2, 8, w + 2, 1, d, 1);
    printf("%g %g\n", d[0], d[1]);
    cublasSgemm('x', 'n', 2, 2, 2, 1, x, 2, x, 2, 0, y, 2);
    say("no such form", cublasGetError());
    say("free", cublasFree(x));
    say("shutdown", cublasShutdown());
}

/* The squares of these numbers do not fit; of equal ones the first counts. */
static void extremes(void)
{
    float f[4] = {3e30f, -4e30f, 4e30f, 0}, f_got = 0;
    double d[4] = {3e-200, 4e-200, 0, 0}, d_got = 0;
    int at[2];
    cudaMemcpy(s_on[0], f, sizeof f, 1);
    cudaMemcpy(d_on[0], d, sizeof d, 1);
    cublasSnrm2_v2(handle, 2, s_on[0], 1, &f_got);
    cublasDnrm2_v2(handle, 4, d_on[0], 1, &d_got);
    cublasIsamax_v2(handle, 4, s_on[0], 1, at);
    cublasIdamin_v2(handle, 4, d_on[0], 1, at + 1);
    printf("%g %g, %d %d\n", f_got, d_got, at[0], at[1]);
}

static void errors(void)
{
    float one = 1, *p = s_on[0];
    void *other, *st = NULL, *got = NULL;
    int mode = 9;
    say("no handle", cublasSgemm_v2(NULL, 0, 0, 1, 1, 1, &one, p, 1, p, 1, &one, p, 1));
    say("not a handle", cublasSgemm_v2(&one, 0, 0, 1, 1, 1, &one, p, 1, p, 1, &one, p, 1));
    say("lda", cublasSgemm_v2(handle, 0, 0, 8, 8, 8, &one, p, 7, p, 8, &one, p, 8));
    say("lda transposed", cublasSgemm_v2(handle, 1, 0, 8, 8, 4, &one, p, 4, p, 4, &one, p, 8));
    say("ldc", cublasSgemm_v2(handle, 0, 0, 8, 8, 8, &one, p, 8, p, 8, &one, p, 7));
    say("m", cublasSgemm_v2(handle, 0, 0, -1, 8, 8, &one, p, 8, p, 8, &one, p, 8));
    say("operation", cublasSgemm_v2(handle, 5, 0, 8, 8, 8, &one, p, 8, p, 8, &one, p, 8));
    say("no alpha", cublasSgemm_v2(handle, 0, 0, 8, 8, 8, NULL, p, 8, p, 8, &one, p, 8));
    say("nothing to do", cublasSgemm_v2(handle, 0, 0, 0, 8, 8, &one, NULL, 8, NULL, 8, &one, NULL, 8));
    say("incx", cublasSgemv_v2(handle, 0, 8, 8, &one, p, 8, p, 0, &one, p, 1));
    say("element size", cublasSetVector(4, 0, &one, 1, p, 1));
    say("the host's instead of the card's", cublasSetVector(1, 4, &one, 1, &one, 1));
    say("mode", cublasSetPointerMode_v2(handle, 7));
    say("of floats", cublasGemmEx(handle, 0, 0, 8, 8, 8, &one, p, 0, 8, p, 0, 8, &one, p + 64, 0, 8, 68, -1));
    say("turned in place", cublasSgeam(handle, 1, 0, 8, 8, &one, p, 8, &one, p, 8, p, 8));
    say("create", cublasCreate_v2(&other));
    cudaStreamCreate(&st);
    say("stream", cublasSetStream_v2(other, st));
    cublasGetStream_v2(other, &got);
    cublasGetPointerMode_v2(other, &mode);
    printf("its stream %d, mode %d\n", got == st, mode);
    say("destroy", cublasDestroy_v2(other));
    say("destroyed", cublasDestroy_v2(other));
    printf("%s\n", cublasGetStatusString(7));
}

/* What ours does not have: not for a card, where these need their arguments. */
static void missing(void)
{
    float one = 1, *p = s_on[0];
    say("not there", cublasSsyrk_v2());
    say("of halves", cublasGemmEx(handle, 0, 0, 8, 8, 8, &one, p, 2, 8, p, 2, 8, &one, p + 64, 2, 8, 64, -1));
}

/* A matrix and a vector there and back, with gaps. */
static void moves(void)
{
    float from[12], to[12];
    for (int i = 0; i < 12; i++) from[i] = (float)i, to[i] = -1;
    say("matrix", cublasSetMatrix(2, 3, 4, from, 4, s_on[0], 2));
    say("back", cublasGetMatrix(2, 3, 4, s_on[0], 2, to, 3));
    printf("%g %g %g %g %g %g %g %g\n", to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7]);
    say("vector", cublasSetVector(3, 4, from, 2, s_on[0], 1));
    say("back", cublasGetVector(3, 4, s_on[0], 1, to, 3));
    printf("%g %g %g %g\n", to[0], to[3], to[6], to[1]);
}

/* Work on a stream; the host's clock shows what the card takes, not what simulating it does. */
static void timed(void)
{
    enum { N = 512 };
    double one = 1;
    struct timespec a, b;
    cublasDgemm_v2(handle, 0, 0, 8, 8, 8, &one, d_on[0], 8, d_on[1], 8, &one, d_on[2], 8);
    cudaDeviceSynchronize();
    clock_gettime(CLOCK_MONOTONIC, &a);
    cublasDgemm_v2(handle, 0, 0, N, N, N, &one, d_on[0], N, d_on[1], N, &one, d_on[2], N);
    cudaDeviceSynchronize();
    clock_gettime(CLOCK_MONOTONIC, &b);
    const double us = (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) * 1e-3;
    printf("%d\n", us > 10 && us < 400); /* 268 million operations at 1 to 26 T/s */
}

/* With the report of exec: a buffer that is too small. */
static void small(void)
{
    float one = 1, *p;
    cudaMalloc((void **)&p, 64);
    cublasSaxpy_v2(handle, 32, &one, s_on[0], 1, p, 1);
    printf("over %d\n", cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    if (argc < 2 || cublasCreate_v2(&handle)) return 9;
    if (strcmp(argv[1], "all")) {
        cudaMalloc((void **)&s_on[0], 1 << 20);
        for (int i = 0; i < 3; i++) cudaMalloc((void **)&d_on[i], 4 << 20);
    }
    if (!strcmp(argv[1], "all")) {
        s_all(), d_all(), s_sums(), d_sums();
        printf("%d cases, %d wrong\n", cases, wrong);
        extremes(), moves();
    } else if (!strcmp(argv[1], "errors")) errors();
    else if (!strcmp(argv[1], "missing")) missing();
    else if (!strcmp(argv[1], "timed")) timed();
    else if (!strcmp(argv[1], "first")) first();
    else small();
    return cublasDestroy_v2(handle);
}
