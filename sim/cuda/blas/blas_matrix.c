/* blas_matrix.c: products of matrices, and of a matrix and a vector. */
#include "blas.h"

typedef struct gemm_args {
    int m, n, k, ldc;
    scalar alpha, beta;
    uint64_t a, b, c;
    int64_t a_row, a_k, b_column, b_k;
    int64_t a_next, b_next, c_next;
    uint64_t a_list, b_list, c_list;
} gemm_args;

typedef struct batch {
    int count;
    int64_t a, b, c; /* elements from matrix to matrix */
    bool lists;      /* a, b and c are lists of matrices */
} batch;
static const batch alone = {.count = 1};

static bool trans_valid(int trans) { return trans >= 0 && trans <= 2; }
static int at_least_one(int n) { return n > 1 ? n : 1; }

typedef struct tile {
    int edge;
    const char *kernel;
    bool for_double;
} tile;
/* The largest tile with which half of the multiprocessors have a block; else the smallest. The last one is for
 * cards with so few registers that no other fits. */
static const tile *tile_for(stream *st, bool wide, int64_t m, int64_t n, int64_t count)
{
    static const tile tiles[] = {
        {128, "gemm_128x128", false}, {64, "gemm_64x64", true}, {32, "gemm_32x32", true}, {16, "gemm_16x16", false}};
    const int multiprocessors = core_card_of(st->device)->multiprocessors;
    const tile *best = &tiles[2];
    for (int i = 2; i >= 0; i--) {
        const int e = tiles[i].edge;
        const int64_t blocks = (m + e - 1) / e * ((n + e - 1) / e) * count;
        if (2 * blocks < multiprocessors) break;
        if ((!wide || tiles[i].for_double) && blas_fits(st, wide, tiles[i].kernel)) best = &tiles[i];
    }
    return best->edge == 32 && !wide && !blas_fits(st, wide, best->kernel) ? &tiles[3] : best;
}

static int gemm(void *handle, bool wide, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc, batch all)
{
    blas *lib;
    stream *st;
    int status = blas_enter(handle, &lib, &st);
    if (!status &&
        (!trans_valid(trans_a) || !trans_valid(trans_b) || m < 0 || n < 0 || k < 0 || all.count < 0 ||
         lda < at_least_one(trans_a ? k : m) || ldb < at_least_one(trans_b ? n : k) || ldc < at_least_one(m)))
        status = B_INVALID_VALUE;
    if (!status && m && n && all.count && (!alpha || !beta || !c || (k && (!a || !b)))) status = B_INVALID_VALUE;
    if (status || !m || !n || !all.count) return blas_leave(status, lib);
    gemm_args g = {.m = m,
                   .n = n,
                   .k = k,
                   .ldc = ldc,
                   .alpha = blas_scalar(lib, alpha, wide),
                   .beta = blas_scalar(lib, beta, wide),
                   .a_row = trans_a ? lda : 1, /* along rows and columns of what is multiplied */
                   .a_k = trans_a ? 1 : lda,
                   .b_column = trans_b ? 1 : ldb,
                   .b_k = trans_b ? ldb : 1,
                   .a_next = all.a,
                   .b_next = all.b,
                   .c_next = all.c};
    const tile *t = tile_for(st, wide, m, n, all.count);
    const int together = core_card_of(st->device)->max_grid_z;
    const int64_t size = wide ? sizeof(double) : sizeof(float);
    for (int z = 0; z < all.count && !status; z += together) { /* old cards have grids of two dimensions */
        const int64_t pointers = z * (int64_t)sizeof(void *);
        uint64_t *to[2][3] = {{&g.a, &g.b, &g.c}, {&g.a_list, &g.b_list, &g.c_list}};
        *to[all.lists][0] = (uint64_t)(uintptr_t)a + (uint64_t)(all.lists ? pointers : z * all.a * size);
        *to[all.lists][1] = (uint64_t)(uintptr_t)b + (uint64_t)(all.lists ? pointers : z * all.b * size);
        *to[all.lists][2] = (uint64_t)(uintptr_t)c + (uint64_t)(all.lists ? pointers : z * all.c * size);
        const int count = all.count - z < together ? all.count - z : together;
        status = blas_launch(st, wide, t->kernel, parts_of(m, t->edge), parts_of(n, t->edge), (unsigned)count, &g);
    }
    return blas_leave(status, lib);
}

#define GEMM(letter, wide)                                                                                          \
    API cublas##letter##gemm_v2(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,     \
                                int lda, const void *b, int ldb, const void *beta, void *c, int ldc)                \
    {                                                                                                               \
        return gemm(h, wide, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, alone);                          \
    }                                                                                                               \
    API cublas##letter##gemmStridedBatched(                                                                         \
        void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda, long long a_next,  \
        const void *b, int ldb, long long b_next, const void *beta, void *c, int ldc, long long c_next, int count)  \
    {                                                                                                               \
        return gemm(h, wide, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,                                  \
                    (batch){count, a_next, b_next, c_next, false});                                                 \
    }                                                                                                               \
    API cublas##letter##gemmBatched(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, \
                                    int lda, const void *b, int ldb, const void *beta, void *c, int ldc, int count) \
    {                                                                                                               \
        return gemm(h, wide, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,                                  \
                    (batch){.count = count, .lists = true});                                                        \
    }
GEMM(S, false)
GEMM(D, true)

/* ---- a matrix and a vector ---- */
typedef struct gemv_args {
    int m, n, lda, incx, incy;
    scalar alpha, beta;
    uint64_t a, x, y;
} gemv_args;

static int gemv(void *handle, bool wide, int trans, int m, int n, const void *alpha, const void *a, int lda,
                const void *x, int incx, const void *beta, void *y, int incy)
{
    blas *lib;
    stream *st;
    int status = blas_enter(handle, &lib, &st);
    if (!status && (!trans_valid(trans) || m < 0 || n < 0 || lda < at_least_one(m) || !incx || !incy))
        status = B_INVALID_VALUE;
    if (!status && m && n && (!alpha || !beta || !a || !x || !y)) status = B_INVALID_VALUE;
    if (status || !m || !n) return blas_leave(status, lib);
    const gemv_args g = {m,
                         n,
                         lda,
                         incx,
                         incy,
                         blas_scalar(lib, alpha, wide),
                         blas_scalar(lib, beta, wide),
                         (uint64_t)(uintptr_t)a,
                         (uint64_t)(uintptr_t)x,
                         (uint64_t)(uintptr_t)y};
    status = trans ? blas_launch(st, wide, "gemv_t", parts_of(n, 8), 1, 1, &g)
                   : blas_launch(st, wide, "gemv_n", parts_of(m, 32), 1, 1, &g);
    return blas_leave(status, lib);
}
#define GEMV(letter, wide)                                                                                   \
    API cublas##letter##gemv_v2(void *h, int trans, int m, int n, const void *alpha, const void *a, int lda, \
                                const void *x, int incx, const void *beta, void *y, int incy)                \
    {                                                                                                        \
        return gemv(h, wide, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                            \
    }
GEMV(S, false)
GEMV(D, true)

/* ---- sums of matrices, and a product of two vectors that is added to one ---- */
typedef struct geam_args {
    int m, n, lda, ldb, ldc, turn_a, turn_b, unused;
    scalar alpha, beta;
    uint64_t a, b, c;
} geam_args;

static int geam(void *handle, bool wide, int trans_a, int trans_b, int m, int n, const void *alpha, const void *a,
                int lda, const void *beta, const void *b, int ldb, void *c, int ldc)
{
    blas *lib;
    stream *st;
    int status = blas_enter(handle, &lib, &st);
    if (!status &&
        (!trans_valid(trans_a) || !trans_valid(trans_b) || m < 0 || n < 0 || lda < at_least_one(trans_a ? n : m) ||
         ldb < at_least_one(trans_b ? n : m) || ldc < at_least_one(m)))
        status = B_INVALID_VALUE;
    if (!status && m && n && (!alpha || !beta || !c)) status = B_INVALID_VALUE;
    if (!status && ((c == a && (trans_a || lda != ldc)) || (c == b && (trans_b || ldb != ldc))))
        status = B_INVALID_VALUE; /* in place only as it lies */
    if (status || !m || !n) return blas_leave(status, lib);
    const geam_args g = {.m = m,
                         .n = n,
                         .lda = lda,
                         .ldb = ldb,
                         .ldc = ldc,
                         .turn_a = trans_a != 0,
                         .turn_b = trans_b != 0,
                         .alpha = blas_scalar(lib, alpha, wide),
                         .beta = blas_scalar(lib, beta, wide),
                         .a = (uint64_t)(uintptr_t)a,
                         .b = (uint64_t)(uintptr_t)b,
                         .c = (uint64_t)(uintptr_t)c};
    return blas_leave(blas_launch(st, wide, "geam", parts_of(m, 32), parts_of(n, 32), 1, &g), lib);
}

typedef struct ger_args {
    int m, n, lda, incx, incy, unused;
    scalar alpha;
    uint64_t x, y, a;
} ger_args;

static int ger(void *handle, bool wide, int m, int n, const void *alpha, const void *x, int incx, const void *y,
               int incy, void *a, int lda)
{
    blas *lib;
    stream *st;
    int status = blas_enter(handle, &lib, &st);
    if (!status && (m < 0 || n < 0 || !incx || !incy || lda < at_least_one(m))) status = B_INVALID_VALUE;
    if (!status && m && n && (!alpha || !x || !y || !a)) status = B_INVALID_VALUE;
    if (status || !m || !n) return blas_leave(status, lib);
    const ger_args g = {.m = m,
                        .n = n,
                        .lda = lda,
                        .incx = incx,
                        .incy = incy,
                        .alpha = blas_scalar(lib, alpha, wide),
                        .x = (uint64_t)(uintptr_t)x,
                        .y = (uint64_t)(uintptr_t)y,
                        .a = (uint64_t)(uintptr_t)a};
    return blas_leave(blas_launch(st, wide, "ger", parts_of(m, 32), parts_of(n, 32), 1, &g), lib);
}
#define SUMS(letter, wide)                                                                                       \
    API cublas##letter##geam(void *h, int ta, int tb, int m, int n, const void *alpha, const void *a, int lda,   \
                             const void *beta, const void *b, int ldb, void *c, int ldc)                         \
    {                                                                                                            \
        return geam(h, wide, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                 \
    }                                                                                                            \
    API cublas##letter##ger_v2(void *h, int m, int n, const void *alpha, const void *x, int incx, const void *y, \
                               int incy, void *a, int lda)                                                       \
    {                                                                                                            \
        return ger(h, wide, m, n, alpha, x, incx, y, incy, a, lda);                                              \
    }
SUMS(S, false)
SUMS(D, true)

/* ---- products whose types are arguments: those of one type, float or double ---- */
enum { TYPE_FLOAT, TYPE_DOUBLE };
static int gemm_ex(const char *name, void *handle, int ta, int tb, int m, int n, int k, const void *alpha,
                   const void *a, int a_type, int lda, const void *b, int b_type, int ldb, const void *beta, void *c,
                   int c_type, int ldc, batch all)
{
    if (a_type != b_type || a_type != c_type || a_type < TYPE_FLOAT || a_type > TYPE_DOUBLE) {
        core_begin();
        record_missing(name);
        return core_end(B_NOT_SUPPORTED, CALL_COST);
    }
    return gemm(handle, a_type == TYPE_DOUBLE, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, all);
}
#define OTHER_TYPES " of other types than float and double"
API cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int a_type, int lda,
                 const void *b, int b_type, int ldb, const void *beta, void *c, int c_type, int ldc, int compute,
                 int algorithm)
{
    (void)compute, (void)algorithm;
    return gemm_ex("cublasGemmEx" OTHER_TYPES, h, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c,
                   c_type, ldc, alone);
}
API cublasGemmStridedBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
                               int a_type, int lda, long long a_next, const void *b, int b_type, int ldb,
                               long long b_next, const void *beta, void *c, int c_type, int ldc, long long c_next,
                               int count, int compute, int algorithm)
{
    (void)compute, (void)algorithm;
    return gemm_ex("cublasGemmStridedBatchedEx" OTHER_TYPES, h, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,
                   beta, c, c_type, ldc, (batch){count, a_next, b_next, c_next, false});
}
