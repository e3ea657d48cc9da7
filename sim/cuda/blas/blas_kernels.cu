// blas_kernels.cu: the kernels of our cuBLAS (the other files here launch them). Matrices are in column-major order:
// the element of row i and column j of `a` is a[i + j * lda]. blas.h has the host's view of the arguments.
#include <climits>
#include <math.h>

// A factor that lies on the host (value) or on the card (at).
template <class T> struct scalar {
    T value;
    const T *at;
    __device__ T get() const { return at ? *at : value; }
};

// ---- C = alpha op(A) op(B) + beta C ----
template <class T> struct gemm_args {
    int m, n, k, ldc;
    scalar<T> alpha, beta;
    const T *a, *b;
    T *c;
    long long a_row, a_k, b_column, b_k;    // how far apart in memory elements are along each index
    long long a_next, b_next, c_next;       // from matrix to matrix of a batch
    const T *const *a_list, *const *b_list; // or the matrices of a batch, one by one
    T *const *c_list;
};
template <class T, int N> struct alignas(sizeof(T) * N) several {
    T v[N];
};

// How one thread moves its part of a tile of EDGE elements along x and K along k into shared memory. Neighbours
// in a warp read neighbours in memory, whether x or k is the contiguous index.
template <class T, int EDGE, int K, int PITCH> struct mover {
    enum { COUNT = EDGE * K / 256 };
    const T *from;
    T held[COUNT];
    long long step, advance;
    int x, k, dx, dk, left, to, to_step; // left: rows or columns from x on
    __device__ mover(const T *matrix, long long x_apart, long long k_apart, int first, int limit)
    {
        const int t = threadIdx.x;
        const bool along = x_apart == 1;
        x = along ? t % EDGE : t / K;
        k = along ? t / EDGE : t % K;
        dx = along ? 0 : 256 / K;
        dk = along ? 256 / EDGE : 0;
        from = matrix + (first + x) * x_apart + k * k_apart;
        step = dx * x_apart + dk * k_apart;
        advance = K * k_apart;
        left = limit - first - x;
        to = k * PITCH + x;
        to_step = dk * PITCH + dx;
    }
    __device__ void read(int k_left)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) held[i] = i * dx < left && k + i * dk < k_left ? from[i * step] : T(0);
        from += advance;
    }
    __device__ void write(T *tile) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) tile[to + i * to_step] = held[i];
    }
};

// A block of 256 threads computes EDGE x EDGE elements, each thread EACH x EACH of them.
template <class T, int EDGE, int K, int EACH> __device__ void gemm(const gemm_args<T> &g)
{
    enum { GROUP = EACH < 4 ? EACH : 4, GROUPS = EACH / GROUP, APART = EDGE / GROUPS, PITCH = EDGE + 4 };
    __shared__ alignas(32) T as[2][K * PITCH], bs[2][K * PITCH];
    const int row = threadIdx.x % 16 * GROUP, column = threadIdx.x / 16 * GROUP, z = blockIdx.z;
    const T *a = g.a_list ? g.a_list[z] : g.a + z * g.a_next, *b = g.b_list ? g.b_list[z] : g.b + z * g.b_next;
    T *c = g.c_list ? g.c_list[z] : g.c + z * g.c_next;
    const int i0 = blockIdx.x * EDGE, j0 = blockIdx.y * EDGE;
    const T alpha = g.alpha.get(), beta = g.beta.get();
    T sum[EACH][EACH] = {};
    if (alpha != T(0) && g.k > 0) {
        mover<T, EDGE, K, PITCH> from_a(a, g.a_row, g.a_k, i0, g.m), from_b(b, g.b_column, g.b_k, j0, g.n);
        from_a.read(g.k);
        from_b.read(g.k);
        from_a.write(as[0]);
        from_b.write(bs[0]);
        __syncthreads();
        for (int k0 = 0, now = 0; k0 < g.k; k0 += K, now ^= 1) {
            const bool more = k0 + K < g.k;
            if (more) {
                from_a.read(g.k - k0 - K);
                from_b.read(g.k - k0 - K);
            }
#pragma unroll
            for (int k = 0; k < K; k++) {
                several<T, GROUP> x[GROUPS], y[GROUPS];
#pragma unroll
                for (int i = 0; i < GROUPS; i++) {
                    x[i] = *(const several<T, GROUP> *)&as[now][k * PITCH + i * APART + row];
                    y[i] = *(const several<T, GROUP> *)&bs[now][k * PITCH + i * APART + column];
                }
#pragma unroll
                for (int i = 0; i < EACH; i++)
#pragma unroll
                    for (int j = 0; j < EACH; j++) sum[i][j] += x[i / GROUP].v[i % GROUP] * y[j / GROUP].v[j % GROUP];
            }
            if (more) {
                from_a.write(as[now ^ 1]);
                from_b.write(bs[now ^ 1]);
            }
            __syncthreads();
        }
    }
#pragma unroll
    for (int j = 0; j < EACH; j++)
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int r = i0 + i / GROUP * APART + row + i % GROUP, q = j0 + j / GROUP * APART + column + j % GROUP;
            if (r >= g.m || q >= g.n) continue;
            T *at = &c[r + (long long)q * g.ldc];
            const T product = alpha * sum[i][j];
            *at = beta == T(0) ? product : product + beta * *at; // what is there is not looked at when beta is 0
        }
}
extern "C" __global__ void __launch_bounds__(256) cublas_sgemm_128x128(gemm_args<float> g)
{
    gemm<float, 128, 8, 8>(g);
}
extern "C" __global__ void __launch_bounds__(256) cublas_sgemm_64x64(gemm_args<float> g) { gemm<float, 64, 16, 4>(g); }
extern "C" __global__ void __launch_bounds__(256) cublas_sgemm_32x32(gemm_args<float> g) { gemm<float, 32, 16, 2>(g); }
extern "C" __global__ void __launch_bounds__(256) cublas_sgemm_16x16(gemm_args<float> g) { gemm<float, 16, 16, 1>(g); }
extern "C" __global__ void __launch_bounds__(256) cublas_dgemm_64x64(gemm_args<double> g) { gemm<double, 64, 8, 4>(g); }
extern "C" __global__ void __launch_bounds__(256) cublas_dgemm_32x32(gemm_args<double> g) { gemm<double, 32, 8, 2>(g); }

// ---- y = alpha op(A) x + beta y ----
template <class T> struct gemv_args {
    int m, n, lda, incx, incy;
    scalar<T> alpha, beta;
    const T *a, *x;
    T *y;
};
// A vector is read from its end when the distance of its elements is negative.
template <class T> __device__ T *first_of(T *x, int n, int inc) { return inc < 0 ? x + (long long)(1 - n) * inc : x; }

template <class T> __device__ void put(T *y, T alpha, T sum, T beta)
{
    *y = beta == T(0) ? alpha * sum : alpha * sum + beta * *y;
}
// Rows along a warp, eight parts of the columns.
template <class T> __device__ void gemv_n(const gemv_args<T> &g)
{
    __shared__ T part[8][32];
    const int lane = threadIdx.x % 32, slice = threadIdx.x / 32, i = blockIdx.x * 32 + lane;
    const T *x = first_of(g.x, g.n, g.incx);
    const T alpha = g.alpha.get(), beta = g.beta.get();
    T sum = 0;
    if (i < g.m && alpha != T(0))
        for (int j = slice; j < g.n; j += 8) sum += g.a[i + (long long)j * g.lda] * x[(long long)j * g.incx];
    part[slice][lane] = sum;
    __syncthreads();
    if (slice || i >= g.m) return;
    for (int s = 1; s < 8; s++) sum += part[s][lane];
    put(first_of(g.y, g.m, g.incy) + (long long)i * g.incy, alpha, sum, beta);
}
// A warp for each column.
template <class T> __device__ void gemv_t(const gemv_args<T> &g)
{
    __shared__ T part[8][32];
    const int lane = threadIdx.x % 32, slice = threadIdx.x / 32, j = blockIdx.x * 8 + slice;
    const T *x = first_of(g.x, g.m, g.incx);
    const T alpha = g.alpha.get(), beta = g.beta.get();
    T sum = 0;
    if (j < g.n && alpha != T(0))
        for (int i = lane; i < g.m; i += 32) sum += g.a[i + (long long)j * g.lda] * x[(long long)i * g.incx];
    part[slice][lane] = sum;
    for (int s = 16; s; s /= 2) {
        __syncthreads();
        if (lane < s) part[slice][lane] += part[slice][lane + s];
    }
    if (lane == 0 && j < g.n) put(first_of(g.y, g.n, g.incy) + (long long)j * g.incy, alpha, part[slice][0], beta);
}

// ---- C = alpha op(A) + beta op(B); A = alpha x y' + A ----
template <class T> struct geam_args {
    int m, n, lda, ldb, ldc, turn_a, turn_b, unused;
    scalar<T> alpha, beta;
    const T *a, *b;
    T *c;
};
// A tile of 32 x 32, read along its columns in memory, whichever way it is turned.
template <class T> __device__ void take_tile(T (*tile)[33], const T *from, int ld, int m, int n, int turned)
{
    const int x = threadIdx.x % 32, i0 = blockIdx.x * 32, j0 = blockIdx.y * 32;
    for (int y = threadIdx.x / 32; y < 32; y += 8) {
        const int i = turned ? j0 + x : i0 + x, j = turned ? i0 + y : j0 + y;
        const bool in = i < (turned ? n : m) && j < (turned ? m : n);
        tile[turned ? x : y][turned ? y : x] = in ? from[i + (long long)j * ld] : T(0);
    }
}
template <class T> __device__ void geam(const geam_args<T> &g)
{
    __shared__ T tile[32][33];
    const int x = threadIdx.x % 32, y0 = threadIdx.x / 32, i = blockIdx.x * 32 + x;
    T sum[4] = {};
    for (int turn = 0; turn < 2; turn++) {
        const T factor = turn ? g.beta.get() : g.alpha.get();
        if (factor == T(0)) continue; /* what is there is not looked at */
        if (turn) __syncthreads();
        take_tile(tile, turn ? g.b : g.a, turn ? g.ldb : g.lda, g.m, g.n, turn ? g.turn_b : g.turn_a);
        __syncthreads();
        for (int k = 0; k < 4; k++) sum[k] += factor * tile[y0 + 8 * k][x];
    }
    for (int k = 0; k < 4; k++) {
        const int j = blockIdx.y * 32 + y0 + 8 * k;
        if (i < g.m && j < g.n) g.c[i + (long long)j * g.ldc] = sum[k];
    }
}
template <class T> struct ger_args {
    int m, n, lda, incx, incy, unused;
    scalar<T> alpha;
    const T *x, *y;
    T *a;
};
template <class T> __device__ void ger(const ger_args<T> &g)
{
    const int i = blockIdx.x * 32 + threadIdx.x % 32;
    const T *x = first_of(g.x, g.m, g.incx), *y = first_of(g.y, g.n, g.incy);
    if (i >= g.m) return;
    const T factor = g.alpha.get() * x[(long long)i * g.incx];
    for (int j = blockIdx.y * 32 + threadIdx.x / 32; j < g.n && j < (int)(blockIdx.y + 1) * 32; j += 8)
        g.a[i + (long long)j * g.lda] += factor * y[(long long)j * g.incy];
}

// ---- vectors ----
template <class T> struct vector_args {
    int n, incx, incy;
    scalar<T> alpha;
    T *x, *y;
};
template <class T, class F> __device__ void each(const vector_args<T> &v, F f)
{
    T *x = first_of(v.x, v.n, v.incx), *y = first_of(v.y, v.n, v.incy);
    for (long long i = blockIdx.x * 256ll + threadIdx.x; i < v.n; i += gridDim.x * 256ll)
        f(x[i * v.incx], y[i * v.incy]);
}
template <class T> __device__ void axpy(const vector_args<T> &v)
{
    const T alpha = v.alpha.get();
    each(v, [=](T &x, T &y) { y += alpha * x; });
}
template <class T> __device__ void copy(const vector_args<T> &v)
{
    each(v, [](T &x, T &y) { y = x; });
}
template <class T> __device__ void swap(const vector_args<T> &v)
{
    each(v, [](T &x, T &y) {
        const T was = x;
        x = y;
        y = was;
    });
}
template <class T> __device__ void scal(const vector_args<T> &v)
{
    const T alpha = v.alpha.get();
    for (long long i = blockIdx.x * 256ll + threadIdx.x; i < v.n; i += gridDim.x * 256ll) v.x[i * v.incx] *= alpha;
}

// ---- one number of a vector ----
// Each block leaves a part; one more block joins the parts.
template <class T> struct reduce_args {
    int n, incx, incy, parts; // parts: 0 while the vector is read
    const T *x, *y;
    void *work, *result;
};
// A product by itself: fused with the sum that follows, its rounding would not be the sum's.
__device__ float product(float x, float y) { return __fmul_rn(x, y); }
__device__ double product(double x, double y) { return __dmul_rn(x, y); }
// A sum, and what its roundings have lost: a thread may add up thousands of numbers.
template <class T> struct kept_sum {
    T sum, lost;
    __device__ kept_sum() : sum(0), lost(0) {}
    __device__ void add(T x)
    {
        const T next = sum + x, added = next - sum;
        lost += (sum - (next - added)) + (x - added);
        sum = next;
    }
    __device__ void add(const kept_sum &o)
    {
        add(o.sum);
        lost += o.lost;
    }
    __device__ T value() const { return sum + lost == sum + lost ? sum + lost : sum; } // with infinity nothing is lost
};
template <class T> struct of_dot {
    typedef T answer;
    kept_sum<T> all;
    __device__ void take(T x, T y, int) { all.add(product(x, y)); }
    __device__ void join(const of_dot &o) { all.add(o.all); }
    __device__ T result() const { return all.value(); }
};
template <class T> struct of_asum : of_dot<T> {
    __device__ void take(T x, T, int) { this->all.add(fabs(x)); }
};
// 1 / x, but for the fraction of x: a power of two, by which nothing is rounded.
__device__ float inverse_of(float x)
{
    const int e = __float_as_int(x) >> 23;
    return __int_as_float((254 - min(max(e, 1), 253)) << 23);
}
__device__ double inverse_of(double x)
{
    const long long e = __double_as_longlong(x) >> 52;
    return __longlong_as_double((2046 - min(max(e, 1ll), 2045ll)) << 52);
}
// The root of a sum of squares that may be too large or too small for a number: of the numbers times `by`.
template <class T> struct of_nrm2 {
    typedef T answer;
    T by;
    kept_sum<T> all;
    __device__ of_nrm2() : by(inverse_of(T(0))) {} // as if they were the smallest that there are
    __device__ void turn(T to)
    {
        const T factor = to / by * (to / by);
        all.sum *= factor;
        all.lost *= factor;
        by = to;
    }
    __device__ void take(T x, T, int)
    {
        const T most = sizeof(T) == 4 ? T(1 << 30) : T(1ll << 60); // whose square is far from the largest number
        const T s = fabs(x);
        if (s * by > most) turn(inverse_of(s));
        all.add(product(s * by, s * by));
    }
    __device__ void join(of_nrm2 o)
    {
        if (o.by < by) turn(o.by);
        else o.turn(by);
        all.add(o.all);
    }
    __device__ T result() const { return sqrt(all.value()) / by; }
};
// The first of the largest, or of the smallest, counted from 1.
template <class T, bool LARGEST> struct of_extreme {
    typedef int answer;
    T value;
    int at;
    __device__ of_extreme() : value(0), at(INT_MAX) {}
    __device__ void add(T v, int i)
    {
        if (i == INT_MAX) return;
        if (at == INT_MAX || (LARGEST ? v > value : v < value) || (v == value && i < at)) value = v, at = i;
    }
    __device__ void take(T x, T, int i) { add(fabs(x), i); }
    __device__ void join(const of_extreme &o) { add(o.value, o.at); }
    __device__ int result() const { return at == INT_MAX ? 0 : at + 1; }
};
template <class T, class P> __device__ void reduce(const reduce_args<T> &r)
{
    __shared__ char room[256 * sizeof(P)] __attribute__((aligned(16)));
    P *all = (P *)room, mine;
    const int t = threadIdx.x;
    if (r.parts) {
        for (int i = t; i < r.parts; i += 256) mine.join(((const P *)r.work)[i]);
    } else {
        const T *x = first_of(r.x, r.n, r.incx), *y = first_of(r.y, r.n, r.incy);
        for (long long i = blockIdx.x * 256ll + t; i < r.n; i += gridDim.x * 256ll)
            mine.take(x[i * r.incx], y[i * r.incy], (int)i);
    }
    all[t] = mine;
    for (int s = 128; s; s /= 2) {
        __syncthreads();
        if (t < s) all[t].join(all[t + s]);
    }
    if (t) return;
    if (gridDim.x > 1) ((P *)r.work)[blockIdx.x] = all[0];
    else *(typename P::answer *)r.result = all[0].result();
}

#define KERNEL(name, args, call) \
    extern "C" __global__ void __launch_bounds__(256) cublas_##name(args a) { call(a); }
#define BOTH(name, args, function)                \
    KERNEL(s##name, args<float>, function<float>) \
    KERNEL(d##name, args<double>, function<double>)
#define REDUCE(name, T, ...) \
    extern "C" __global__ void __launch_bounds__(256) cublas_##name(reduce_args<T> a) { reduce<T, __VA_ARGS__>(a); }
BOTH(gemv_n, gemv_args, gemv_n)
BOTH(gemv_t, gemv_args, gemv_t)
BOTH(geam, geam_args, geam)
BOTH(ger, ger_args, ger)
BOTH(axpy, vector_args, axpy)
BOTH(copy, vector_args, copy)
BOTH(swap, vector_args, swap)
BOTH(scal, vector_args, scal)
REDUCE(sdot, float, of_dot<float>)
REDUCE(ddot, double, of_dot<double>)
REDUCE(sasum, float, of_asum<float>)
REDUCE(dasum, double, of_asum<double>)
REDUCE(snrm2, float, of_nrm2<float>)
REDUCE(dnrm2, double, of_nrm2<double>)
REDUCE(isamax, float, of_extreme<float, true>)
REDUCE(idamax, double, of_extreme<double, true>)
REDUCE(isamin, float, of_extreme<float, false>)
REDUCE(idamin, double, of_extreme<double, false>)
