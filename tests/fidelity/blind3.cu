// blind3.cu: kernels of the kinds that courses and students write, none of them like those of
// heldout.cu, blind.cu and blind2.cu. Written, and simulated (blind3.predicted), before any of them
// had run on a card; since the clock of blind2.predicted much of it was changed.

// A row to mean 0 and variance 1: a block a row, each thread four of its numbers.
extern "C" __global__ void normalise_rows(const float4 *in, float4 *out, int width4)
{
    __shared__ float sums[8], squares[8];
    int t = threadIdx.x;
    float4 v = in[(size_t)blockIdx.x * width4 + t];
    float sum = v.x + v.y + v.z + v.w, square = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        square += __shfl_xor_sync(~0u, square, d);
    }
    if (t % 32 == 0) sums[t / 32] = sum, squares[t / 32] = square;
    __syncthreads();
    sum = square = 0;
    for (int w = 0; w < 8; w++) sum += sums[w], square += squares[w];
    float mean = sum / (4 * width4), scale = rsqrtf(square / (4 * width4) - mean * mean + 1e-5f);
    v.x = (v.x - mean) * scale, v.y = (v.y - mean) * scale, v.z = (v.z - mean) * scale, v.w = (v.w - mean) * scale;
    out[(size_t)blockIdx.x * width4 + t] = v;
}

// Keep what is above a limit, in any order: one atomic a warp. Launched again it goes on where it was, round and round.
extern "C" __global__ void compact(const int *in, int *out, int *count, int limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, at = 0;
    int v = i < n ? in[i] : limit;
    unsigned keep = __ballot_sync(~0u, v > limit);
    if (lane == 0 && keep) at = atomicAdd(count, __popc(keep));
    at = __shfl_sync(~0u, at, 0);
    if (v > limit) out[(at + __popc(keep & ((1u << lane) - 1))) & (n - 1)] = v;
}

// Fourier transforms of 1024 complex numbers, a block each, in shared memory.
extern "C" __global__ void fourier(const float2 *in, float2 *out)
{
    __shared__ float2 a[1024];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 512) a[__brev(i) >> 22] = in[(size_t)blockIdx.x * 1024 + i];
    __syncthreads();
    for (int half = 1; half < 1024; half *= 2) {
        int k = t & (half - 1), low = 2 * t - k, high = low + half;
        float s, c;
        __sincosf(-3.14159265f * k / half, &s, &c);
        float2 x = a[low], y = a[high], p;
        p.x = y.x * c - y.y * s;
        p.y = y.x * s + y.y * c;
        a[low] = make_float2(x.x + p.x, x.y + p.y);
        a[high] = make_float2(x.x - p.x, x.y - p.y);
        __syncthreads();
    }
    for (int i = t; i < 1024; i += 512) out[(size_t)blockIdx.x * 1024 + i] = a[i];
}

// A product of matrices: a block 64 x 64 results, a thread 4 x 4 of them in registers.
extern "C" __global__ void product_registers(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][64], bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = t; i < 1024; i += 256) {
            as[i % 16][i / 16] = a[(size_t)(row + i / 16) * n + k + i % 16];
            bs[i / 64][i % 64] = b[(size_t)(k + i / 64) * n + column + i % 64];
        }
        __syncthreads();
        for (int j = 0; j < 16; j++)
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++) sum[y][x] += as[j][4 * ty + y] * bs[j][4 * tx + x];
        __syncthreads();
    }
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) c[(size_t)(row + 4 * ty + y) * n + column + 4 * tx + x] = sum[y][x];
}

__device__ static void order(int &a, int &b)
{
    int low = min(a, b);
    b = max(a, b);
    a = low;
}

// The middle one of nine neighbours.
extern "C" __global__ void median(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, v[9];
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    for (int i = 0; i < 9; i++) v[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 9; k++) order(v[i], v[k]);
    out[y * width + x] = v[4];
}

// Running sums of 1024 numbers, a block each, in steps of doubling distance.
extern "C" __global__ void running_sums(const float *in, float *out)
{
    __shared__ float s[2][1024];
    int t = threadIdx.x, from = 0;
    size_t i = (size_t)blockIdx.x * 1024 + t;
    s[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[i] = s[from][t];
}

// A breadth-first search's step: neighbours of what was reached last, 8 of each.
extern "C" __global__ void search_step(const int *edge, int *level, int *changed, int now, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || level[i] % 16 != now) return;
    for (int k = 0; k < 8; k++) {
        int to = edge[8 * i + k];
        if (level[to] > 1000000000 && atomicExch(&level[to], 999999999) > 1000000000) *changed = 1;
    }
}

// What neural networks do to each number.
extern "C" __global__ void gelu(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i] * 1e-9f;
    out[i] = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

// Floats to bytes, each with the scale of its row.
extern "C" __global__ void to_bytes(const float4 *in, const float *scale, char4 *out, int width4, int n4)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float s = scale[i / width4];
        float4 v = in[i];
        out[i] = make_char4((char)__float2int_rn(fminf(fmaxf(v.x * s, -127), 127)),
                            (char)__float2int_rn(fminf(fmaxf(v.y * s, -127), 127)),
                            (char)__float2int_rn(fminf(fmaxf(v.z * s, -127), 127)),
                            (char)__float2int_rn(fminf(fmaxf(v.w * s, -127), 127)));
    }
}

extern "C" __global__ void multiply_complex(const float2 *a, const float2 *b, float2 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 x = a[i], y = b[i];
    c[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

struct sphere {
    float x, y, z, r;
};

// Rays through a picture and the nearest of some spheres.
extern "C" __global__ void rays(const sphere *s, int spheres, float *out, int width, int height)
{
    __shared__ sphere near[64];
    int t = threadIdx.y * blockDim.x + threadIdx.x, x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    if (t < spheres) near[t] = s[t];
    __syncthreads();
    float dx = (float)x / width - 0.5f, dy = (float)y / height - 0.5f, d = rsqrtf(dx * dx + dy * dy + 1), best = 1e30f;
    for (int i = 0; i < spheres; i++) {
        float cx = near[i].x * 1e-9f, cy = near[i].y * 1e-9f, cz = near[i].z * 1e-9f + 2, r = near[i].r * 1e-9f;
        float along = (cx * dx + cy * dy + cz) * d, off = cx * cx + cy * cy + cz * cz - along * along;
        if (off < r * r) {
            float at = along - sqrtf(r * r - off);
            if (at > 0 && at < best) best = at;
        }
    }
    out[y * width + x] = best < 1e29f ? 1 / best : 0;
}

// Each thread sorts sixteen numbers of its own, by insertion, in an array that cannot stay in registers.
extern "C" __global__ void sort_own(const int *in, int *out)
{
    int own[16];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x;
    for (int k = 0; k < 16; k++) {
        int v = in[k * all + i], j = k;
        for (; j > 0 && own[j - 1] > v; j--) own[j] = own[j - 1];
        own[j] = v;
    }
    for (int k = 0; k < 16; k++) out[k * all + i] = own[k];
}

// Where the greatest number of each row is.
extern "C" __global__ void greatest(const float *in, int *where, int width)
{
    __shared__ float value[256];
    __shared__ int at[256];
    int t = threadIdx.x;
    const float *row = in + (size_t)blockIdx.x * width;
    value[t] = row[t], at[t] = t;
    for (int i = t + 256; i < width; i += 256)
        if (row[i] > value[t]) value[t] = row[i], at[t] = i;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d && value[t + d] > value[t]) value[t] = value[t + d], at[t] = at[t + d];
        __syncthreads();
    }
    if (t == 0) where[blockIdx.x] = at[0];
}

__device__ static unsigned long long times(unsigned long long a, unsigned long long b, unsigned long long m)
{
    return a * b % m;
}

// Powers modulo a number below 2^32.
extern "C" __global__ void powers(const unsigned *base, unsigned *out, unsigned exponent, unsigned m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long r = 1, b = base[i] % m;
    for (unsigned e = exponent; e; e /= 2) {
        if (e & 1) r = times(r, b, m);
        b = times(b, b, m);
    }
    out[i] = (unsigned)r;
}

// The largest of 2 x 2.
extern "C" __global__ void pool(const float *in, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const float2 *a = (const float2 *)(in + (size_t)2 * y * 2 * width), *b = a + width;
    float2 p = a[x], q = b[x];
    out[(size_t)y * width + x] = fmaxf(fmaxf(p.x, p.y), fmaxf(q.x, q.y));
}

__constant__ unsigned table[256] = {0x1,        0x77073096, 0xee0e612c, 0x990951ba,
                                    0x076dc419, 0x706af48f, 0xe963a535, 0x9e6495a3};

// A check sum of 64 bytes a thread, by a table that lies in shared memory.
extern "C" __global__ void check_sums(const uchar4 *in, unsigned *out)
{
    __shared__ unsigned entry[256];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + t, all = (size_t)gridDim.x * blockDim.x;
    entry[t] = table[t] + t * 0x9e3779b9u;
    __syncthreads();
    unsigned c = ~0u;
    for (int k = 0; k < 16; k++) {
        uchar4 v = in[k * all + i];
        c = entry[(c ^ v.x) & 255] ^ c >> 8;
        c = entry[(c ^ v.y) & 255] ^ c >> 8;
        c = entry[(c ^ v.z) & 255] ^ c >> 8;
        c = entry[(c ^ v.w) & 255] ^ c >> 8;
    }
    out[i] = ~c;
}

// The longest common part of two words of 64 letters, a block each pair: diagonals one after the other.
extern "C" __global__ void common_part(const unsigned char *a, const unsigned char *b, int *out)
{
    __shared__ int row[3][65];
    int t = threadIdx.x;
    unsigned char mine = a[(size_t)blockIdx.x * 64 + t];
    for (int k = 0; k < 3; k++) row[k][t + 1] = row[k][0] = 0;
    __syncthreads();
    for (int d = 0; d < 127; d++) {
        int j = d - t, now = d % 3, last = (d + 2) % 3, before = (d + 1) % 3;
        if (j >= 0 && j < 64) {
            int same = row[before][t] + 1, other = max(row[last][t], row[last][t + 1]);
            row[now][t + 1] = b[(size_t)blockIdx.x * 64 + j] == mine ? same : other;
        }
        __syncthreads();
    }
    if (t == 63) out[blockIdx.x] = row[126 % 3][64];
}

// Points counted into the cells of a grid, where they crowd.
extern "C" __global__ void crowd(const float2 *p, int *cells, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 v = p[i];
    int x = (int)(v.x * v.x * 2.168e-19f * 511), y = (int)(v.y * v.y * 2.168e-19f * 511);
    atomicAdd(&cells[(y & 511) * 512 + (x & 511)], 1);
}
