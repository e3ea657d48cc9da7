// blind4.cu: kernels of the kinds that courses and students write, none of them like those of the
// files before. Written, and simulated (blind4.predicted), before any of them had run on a card;
// since the clock of blind3.predicted atomics and local memory were changed.
#include <cuda_fp16.h>

// y = a x + y in halves, two at a time.
extern "C" __global__ void axpy_half(const __half2 *x, __half2 *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

// A warp a row of a matrix, times a vector.
extern "C" __global__ void matvec_warp(const float *a, const float *x, float *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < n; k += 32) sum += a[(size_t)row * n + k] * x[k];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (!lane) y[row] = sum;
}

// The transposed of one matrix times another: both are read along rows.
extern "C" __global__ void product_transposed(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[k * n + row] * b[k * n + col];
    c[row * n + col] = sum;
}

// Sums up to each of 1024 numbers, up and down a tree in shared memory; its steps meet in the banks.
extern "C" __global__ void tree_scan(const int *in, int *out)
{
    __shared__ int s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024, step = 1;
    s[2 * t] = in[base + 2 * t];
    s[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = 512; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
    }
    if (t == 0) s[1023] = 0;
    for (int d = 1; d < 1024; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int low = step * (2 * t + 1) - 1, high = step * (2 * t + 2) - 1, v = s[low];
            s[low] = s[high];
            s[high] += v;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[2 * t];
    out[base + 2 * t + 1] = s[2 * t + 1];
}

// Heat flows: a tile with a rim in shared memory, eight steps in it.
extern "C" __global__ void heat_tile(const float *in, float *out, int width)
{
    __shared__ float a[2][18][34];
    int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * 32, top = blockIdx.y * 16;
    for (int j = y; j < 18; j += 16)
        for (int i = x; i < 34; i += 32) {
            int gx = min(max(left + i - 1, 0), width - 1), gy = min(max(top + j - 1, 0), width - 1);
            a[0][j][i] = a[1][j][i] = in[gy * width + gx];
        }
    for (int k = 0; k < 8; k++) {
        __syncthreads();
        float(*s)[34] = a[k & 1], (*d)[34] = a[~k & 1];
        d[y + 1][x + 1] =
            0.6f * s[y + 1][x + 1] + 0.1f * (s[y][x + 1] + s[y + 2][x + 1] + s[y + 1][x] + s[y + 1][x + 2]);
    }
    __syncthreads();
    out[(top + y) * width + left + x] = a[0][y + 1][x + 1];
}

// A gas on a lattice: nine numbers come in from the neighbours and nine go out.
extern "C" __global__ void lattice(const float *f, float *g, int width, int cells)
{
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float w[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width, height = cells / width;
    float v[9], rho = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; k++) {
        int fx = (x - dx[k] + width) % width, fy = (y - dy[k] + height) % height;
        v[k] = f[k * cells + fy * width + fx];
        rho += v[k], ux += v[k] * dx[k], uy += v[k] * dy[k];
    }
    ux /= rho + 1e-6f, uy /= rho + 1e-6f;
    for (int k = 0; k < 9; k++) {
        float c = 3 * (dx[k] * ux + dy[k] * uy);
        g[k * cells + i] = v[k] + 0.6f * (w[k] * rho * (1 + c + 0.5f * c * c - 1.5f * (ux * ux + uy * uy)) - v[k]);
    }
}

// An image turned about its middle: four texels are mixed.
extern "C" __global__ void turn_image(const float *in, float *out, float turn, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float c = cosf(turn), s = sinf(turn), cx = x - width / 2.f, cy = y - width / 2.f;
    float u = c * cx + s * cy + width / 2.f, v = c * cy - s * cx + width / 2.f;
    int iu = (int)floorf(u), iv = (int)floorf(v);
    float r = 0;
    if (iu >= 0 && iv >= 0 && iu + 1 < width && iv + 1 < width) {
        float a = u - iu, b = v - iv;
        const float *p = in + iv * width + iu;
        r = (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[width] + a * p[width + 1]);
    }
    out[y * width + x] = r;
}

// How many numbers have a sum of digits that can be divided by seven? A count for each block.
extern "C" __global__ void digit_sums(int *count, unsigned from)
{
    unsigned v = from + blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (; v; v /= 10) sum += v % 10;
    int n = __syncthreads_count(sum % 7 == 0);
    if (threadIdx.x == 0) count[blockIdx.x] = n;
}

// A row of the table of a knapsack.
extern "C" __global__ void knapsack_row(const int *before, int *now, int weight, int value, int n)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= n) return;
    int without = before[w];
    now[w] = w >= weight ? max(without, before[w - weight] + value) : without;
}

// The two greatest of each row of 1024, by a warp.
extern "C" __global__ void two_greatest(const float *in, float2 *out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float first = -1e30f, second = -1e30f;
    for (int k = lane; k < 1024; k += 32) {
        float v = in[row * 1024 + k];
        if (v > first) second = first, first = v;
        else if (v > second) second = v;
    }
    for (int d = 16; d; d /= 2) {
        float f = __shfl_xor_sync(~0u, first, d), s = __shfl_xor_sync(~0u, second, d);
        second = f > first ? fmaxf(first, s) : fmaxf(second, f);
        first = fmaxf(first, f);
    }
    if (!lane) out[row] = make_float2(first, second);
}

// The triangular root of matrices of 16 by 16, a half-warp each.
extern "C" __global__ void small_roots(const float *in, float *out)
{
    __shared__ float s[8][16][17];
    int m = threadIdx.x / 16, r = threadIdx.x % 16;
    float(*a)[17] = s[m];
    size_t base = ((size_t)blockIdx.x * 8 + m) * 256;
    for (int k = 0; k < 16; k++) a[k][r] = in[base + k * 16 + r] + (k == r ? 20.f : 0.f);
    __syncwarp();
    for (int k = 0; k < 16; k++) {
        float d = sqrtf(a[k][k]);
        __syncwarp();
        if (r == k) a[k][k] = d;
        if (r > k) a[r][k] /= d;
        __syncwarp();
        if (r > k)
            for (int j = k + 1; j <= r; j++) a[r][j] -= a[r][k] * a[j][k];
        __syncwarp();
    }
    for (int k = 0; k < 16; k++) out[base + k * 16 + r] = r <= k ? a[k][r] : 0;
}

// A filter of 64 taps over a signal, both in shared memory.
extern "C" __global__ void fir(const float *in, const float *taps, float *out)
{
    __shared__ float s[256 + 63], h[64];
    int t = threadIdx.x, base = blockIdx.x * 256;
    if (t < 64) h[t] = taps[t];
    for (int i = t; i < 256 + 63; i += 256) s[i] = in[base + i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += h[k] * s[t + 63 - k];
    out[base + t] = sum;
}

// Particles as structs of eight floats move in a box, with a wind that turns.
extern "C" __global__ void particles(float *p, float time, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float *q = p + 8 * i, wx = cosf(time + q[6]), wy = sinf(time + q[6]);
    for (int k = 0; k < 3; k++) {
        float v = q[3 + k] + 0.01f * (k == 0 ? wx : k == 1 ? wy : -9.8f), x = q[k] + 0.01f * v;
        if (x < 0 || x > 1) v = -v, x = fminf(fmaxf(x, 0.f), 1.f);
        q[k] = x, q[3 + k] = v;
    }
}

// Which interval of a sorted table does each number lie in?
extern "C" __global__ void intervals(const float *values, const float *table, int *out, int entries, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = entries;
    if (i >= n) return;
    float v = values[i] * entries;
    while (low < high) {
        int middle = (low + high) / 2;
        if (table[middle] + middle < v) low = middle + 1;
        else high = middle;
    }
    out[i] = low;
}

// What flows along the edges of a graph is added up at their ends.
extern "C" __global__ void edges(const int *from, const int *to, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[to[i]], 0.5f * in[from[i]]);
}

// A matrix plus the product of a column and a row.
extern "C" __global__ void rank_one(float *a, const float *x, const float *y, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * 4;
    float v = y[col];
    for (int k = 0; k < 4; k++) a[(row + k) * n + col] += x[row + k] * v;
}

// Matrix product of doubles, tiles of 16.
extern "C" __global__ void product_double(const double *a, const double *b, double *c, int n)
{
    __shared__ double s[16][16], t[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    double sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// The sums of the columns of a matrix: a thread a column and a part of the rows.
extern "C" __global__ void sum_columns(const float *in, float *out, int width, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += in[(size_t)(blockIdx.y * rows + r) * width + col];
    atomicAdd(&out[col], sum);
}

// The sums of its rows, as beginners write it: a thread a row.
extern "C" __global__ void sum_rows(const float *in, float *out, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < width; c++) sum += in[(size_t)row * width + c];
    out[row] = sum;
}

// Random walks with steps of a normal distribution.
extern "C" __global__ void walks(float *out, unsigned seed, int steps)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = seed ^ (i * 2654435761u + 1);
    float x = 0;
    for (int k = 0; k < steps; k++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        float u = (state >> 8) * (1 / 16777216.f) + 1e-7f;
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        float v = (state >> 8) * (1 / 16777216.f);
        x += sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
    }
    out[i] = x;
}
