// blind9.cu: kernels of the kinds that courses and students write, none of them like those of the
// files before. Written, and simulated (blind9.predicted), before any of them had run on a card, by
// someone who had not seen the code of the clock.
#include <cuda_fp16.h>
#include <mma.h>

// Rows of a matrix that turns, stretches and moves a space.
__constant__ float moved[12] = {0.96f, -0.17f, 0.12f, 6.5f, 0.21f, 0.93f, -0.14f, 3.25f, -0.08f, 0.19f, 0.97f, -2.75f};

// AES with a table: 16 bytes a thread, the table is kept once in shared memory and its words are
// turned for the other three bytes.
extern "C" __global__ void aes_tables(const uint4 *__restrict__ plain, const unsigned *__restrict__ table,
                                      const uint4 *__restrict__ keys, uint4 *__restrict__ secret, int rounds, int n)
{
    __shared__ unsigned t[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = table[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 s = plain[i], k = keys[0];
    s.x ^= k.x, s.y ^= k.y, s.z ^= k.z, s.w ^= k.w;
    for (int r = 1; r < rounds; r++) {
        k = keys[r];
#define MIXED(a, b, c, d, key)                                                                                       \
    (t[(a)&255] ^ __funnelshift_l(t[(b) >> 8 & 255], t[(b) >> 8 & 255], 8) ^                                         \
     __funnelshift_l(t[(c) >> 16 & 255], t[(c) >> 16 & 255], 16) ^ __funnelshift_l(t[(d) >> 24], t[(d) >> 24], 24) ^ \
     (key))
        unsigned x = MIXED(s.x, s.y, s.z, s.w, k.x), y = MIXED(s.y, s.z, s.w, s.x, k.y);
        unsigned z = MIXED(s.z, s.w, s.x, s.y, k.z), w = MIXED(s.w, s.x, s.y, s.z, k.w);
        s = make_uint4(x, y, z, w);
    }
    k = keys[rounds];
#define LAST(a, b, c, d, key)                                                                         \
    ((t[(a)&255] >> 8 & 0xff) ^ (t[(b) >> 8 & 255] & 0xff00) ^ ((t[(c) >> 16 & 255] & 0xff00) << 8) ^ \
     ((t[(d) >> 24] & 0xff00) << 16) ^ (key))
    secret[i] = make_uint4(LAST(s.x, s.y, s.z, s.w, k.x), LAST(s.y, s.z, s.w, s.x, k.y), LAST(s.z, s.w, s.x, s.y, k.z),
                           LAST(s.w, s.x, s.y, s.z, k.w));
}

// Where did the text at each place occur before, at most 128 letters ago, and how many letters are
// the same? What packers of files look for.
extern "C" __global__ void longest_matches(const unsigned char *__restrict__ text, ushort2 *__restrict__ match, int n)
{
    __shared__ unsigned char near[128 + 256 + 32];
    int first = blockIdx.x * 256, i = first + threadIdx.x;
    for (int k = threadIdx.x; k < 128 + 256 + 32; k += 256) {
        int from = first + k - 128;
        near[k] = from >= 0 && from < n ? text[from] : 0;
    }
    __syncthreads();
    if (i >= n) return;
    int here = threadIdx.x + 128, most = min(32, n - i), best = 0, where = 0, reach = min(128, i);
    for (int back = 1; back <= reach; back++) {
        if (best > 0 && best < most && near[here + best] != near[here + best - back]) continue;
        int same = 0;
        while (same < most && near[here + same] == near[here + same - back]) same++;
        if (same > best) best = same, where = back;
    }
    match[i] = make_ushort2(where, best);
}

// The path from the top of a picture to its bottom that costs least: a block a picture, a thread a
// column, row by row; then one thread follows it back.
extern "C" __global__ void cheapest_seams(const float *__restrict__ cost, unsigned short *__restrict__ seam, int rows)
{
    __shared__ float sums[2][514];
    __shared__ signed char step[64][512];
    __shared__ unsigned long long least;
    int x = threadIdx.x;
    const float *own = cost + (size_t)blockIdx.x * rows * 512 + x;
    if (x == 0) {
        least = ~0ull;
        sums[0][0] = sums[0][513] = sums[1][0] = sums[1][513] = 1e30f;
    }
    float sum = own[0], next = own[512];
    sums[0][x + 1] = sum;
    __syncthreads();
    for (int y = 1; y < rows; y++) {
        float now = next;
        if (y + 1 < rows) next = own[(y + 1) * 512];
        const float *above = sums[(y - 1) & 1] + x;
        float left = above[0], middle = above[1], right = above[2], low = middle;
        int go = 0;
        if (left < low) low = left, go = -1;
        if (right < low) low = right, go = 1;
        sum = low + now;
        step[y][x] = go;
        sums[y & 1][x + 1] = sum;
        __syncthreads();
    }
    atomicMin(&least, (unsigned long long)__float_as_uint(sum) << 32 | x);
    __syncthreads();
    if (x == 0) {
        int at = (int)(least & 511);
        for (int y = rows - 1; y > 0; y--) {
            seam[blockIdx.x * rows + y] = at;
            at += step[y][at];
        }
        seam[blockIdx.x * rows] = at;
    }
}

// Divisors by Pollard's way: two walkers go round until what lies between them has a divisor in
// common with the number; looked at every eight steps.
extern "C" __global__ void find_factors(const unsigned *__restrict__ number, unsigned *__restrict__ factor, int tries,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long m = number[i] | 1, slow = 2, fast = 2, product = 1;
    unsigned found = 1;
    for (int k = 0; k < tries && found == 1 && m > 3; k++) {
        for (int j = 0; j < 8; j++) {
            slow = (slow * slow + 1) % m;
            fast = (fast * fast + 1) % m;
            fast = (fast * fast + 1) % m;
            product = product * (slow > fast ? slow - fast : fast - slow) % m;
        }
        unsigned a = (unsigned)m, b = (unsigned)product;
        while (b) {
            unsigned c = a % b;
            a = b;
            b = c;
        }
        found = a;
    }
    factor[i] = found;
}

// A symmetric matrix of 32 x 32 as the product of a triangle with itself, by Cholesky's way: a
// block of four warps a matrix, the largest part in place.
extern "C" __global__ void cholesky_32(const float *__restrict__ matrix, float *__restrict__ triangle)
{
    __shared__ float a[32][33];
    int x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * 1024;
    for (int r = y; r < 32; r += 4) a[r][x] = matrix[base + r * 32 + x] + (r == x ? 32.f : 0.f);
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        float root = sqrtf(a[k][k]);
        __syncthreads();
        if (y == 0 && x >= k) a[x][k] = x == k ? root : a[x][k] / root;
        __syncthreads();
        float other = a[x][k];
        for (int r = k + 1 + y; r < 32; r += 4)
            if (x > k && x <= r) a[r][x] -= a[r][k] * other;
        __syncthreads();
    }
    for (int r = y; r < 32; r += 4) triangle[base + r * 32 + x] = x <= r ? a[r][x] : 0.f;
}

// Lines in a picture by Hough's way: each bright point votes for the lines through it; a column of
// blocks has one direction, its distances are counted apart.
extern "C" __global__ void hough_lines(const uchar4 *__restrict__ picture, int *__restrict__ votes, int light,
                                       int width, int height)
{
    __shared__ int count[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) count[k] = 0;
    __syncthreads();
    float s, c;
    sincospif(blockIdx.x / (float)gridDim.x, &s, &c);
    int quads = width / 4, all = quads * height;
    for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < all; i += gridDim.y * blockDim.x) {
        uchar4 p = picture[i];
        int y = i / quads, x = (i - y * quads) * 4;
        float r = x * c + y * s + 512.f;
        if (p.x >= light) atomicAdd(&count[(int)r & 1023], 1);
        if (p.y >= light) atomicAdd(&count[(int)(r + c) & 1023], 1);
        if (p.z >= light) atomicAdd(&count[(int)(r + 2 * c) & 1023], 1);
        if (p.w >= light) atomicAdd(&count[(int)(r + 3 * c) & 1023], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        if (count[k]) atomicAdd(&votes[blockIdx.x * 1024 + k], count[k]);
}

__device__ unsigned shuffled(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// Colours for a graph, one step: whoever has none and draws higher than all such neighbours takes
// the first colour that none of them has.
extern "C" __global__ void colour_graph(const unsigned char *__restrict__ many, const int *__restrict__ neighbours,
                                        const unsigned char *__restrict__ colour, unsigned char *__restrict__ next,
                                        int degree, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int own = colour[i];
    if (own == 0) {
        unsigned drawn = shuffled(i), taken = 1;
        int from = i * degree, end = from + min((int)many[i], degree);
        bool first = true;
        for (int k = from; k < end; k++) {
            int j = neighbours[k], theirs = colour[j];
            if (theirs)
                taken |= 1u << (theirs & 31);
            else if (j != i) {
                unsigned other = shuffled(j);
                if (other > drawn || (other == drawn && j > i)) first = false;
            }
        }
        if (first && ~taken) own = __ffs(~taken) - 1;
    }
    next[i] = own;
}

// Wavelets as pictures are packed with: a block a row of 1024 numbers, what is odd is guessed from
// its neighbours, what is even is made smooth, again and again.
extern "C" __global__ void wavelet_rows(const short *__restrict__ in, short *__restrict__ out, int levels)
{
    __shared__ int row[1024];
    int base = blockIdx.x * 1024;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) row[k] = in[base + k];
    __syncthreads();
    for (int level = 0; level < levels; level++) {
        int stride = 1 << level, pairs = 512 >> level;
        for (int k = threadIdx.x; k < pairs; k += blockDim.x) {
            int at = (2 * k + 1) * stride;
            row[at] -= (row[at - stride] + row[k + 1 < pairs ? at + stride : at - stride]) >> 1;
        }
        __syncthreads();
        for (int k = threadIdx.x; k < pairs; k += blockDim.x) {
            int at = 2 * k * stride;
            row[at] += (row[k > 0 ? at - stride : at + stride] + row[at + stride] + 2) >> 2;
        }
        __syncthreads();
    }
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) out[base + k] = (short)row[k];
}

// Which digits can still stand in each field of a sudoku? A warp a puzzle: lanes go through its 27
// rows, columns and squares, then through its 81 fields.
extern "C" __global__ void sudoku_sieve(const unsigned char *__restrict__ given, unsigned short *__restrict__ may,
                                        int passes, int n)
{
    __shared__ unsigned short field[4][81], fixed[4][27], single[4][27];
    int lane = threadIdx.x, w = threadIdx.y, puzzle = blockIdx.x * 4 + w;
    if (puzzle >= n) return;
    for (int k = lane; k < 81; k += 32) {
        int v = given[puzzle * 81 + k];
        field[w][k] = v >= 1 && v <= 9 ? 1 << (v - 1) : 511;
    }
    __syncwarp();
    for (int pass = 0; pass < passes; pass++) {
        if (lane < 27) {
            unsigned known = 0, once = 0, twice = 0;
            int kind = lane / 9, u = lane % 9;
            for (int k = 0; k < 9; k++) {
                int at = kind == 0 ? u * 9 + k : kind == 1 ? k * 9 + u : (u / 3 * 3 + k / 3) * 9 + u % 3 * 3 + k % 3;
                unsigned f = field[w][at];
                if (__popc(f) == 1) known |= f;
                twice |= once & f;
                once |= f;
            }
            fixed[w][lane] = known;
            single[w][lane] = once & ~twice;
        }
        __syncwarp();
        bool changed = false;
        for (int k = lane; k < 81; k += 32) {
            int r = k / 9, c = k % 9, s = r / 3 * 3 + c / 3;
            unsigned f = field[w][k], g = f;
            if (__popc(f) > 1) {
                g &= ~(fixed[w][r] | fixed[w][9 + c] | fixed[w][18 + s]);
                unsigned only = g & (single[w][r] | single[w][9 + c] | single[w][18 + s]);
                if (__popc(only) == 1) g = only;
            }
            changed |= f != g;
            field[w][k] = g;
        }
        __syncwarp();
        if (!__any_sync(~0u, changed)) break;
    }
    for (int k = lane; k < 81; k += 32) may[puzzle * 81 + k] = field[w][k];
}

// A formula a thread, written as for pocket calculators of old: what is a number goes on a stack,
// what is a sign takes two from it or changes the last one.
extern "C" __global__ void stack_machine(const unsigned char *__restrict__ signs, const float *__restrict__ x,
                                         float *__restrict__ result, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float stack[16], v = x[i];
    int top = 0;
    stack[0] = v;
    for (int t = 0; t < length; t++) {
        int sign = signs[t * n + i];
        if (sign < 5 || top == 0) {
            if (top < 15) stack[++top] = sign & 1 ? v + sign : sign * 0.5f;
        } else if (sign < 9) {
            float b = stack[top--], a = stack[top];
            switch (sign) {
            case 5: a += b; break;
            case 6: a -= b; break;
            case 7: a *= b; break;
            default: a = b != 0 ? a / b : 0; break;
            }
            stack[top] = fminf(fmaxf(a, -1e6f), 1e6f);
        } else if (sign == 9)
            stack[top] = sqrtf(fabsf(stack[top]));
        else {
            float b = stack[top];
            stack[top] = stack[top - 1];
            stack[top - 1] = b;
        }
    }
    result[i] = stack[top];
}

// What is an option worth if the unrest of its price is left to chance too? A path a thread, two
// normal draws a step, and the mean of each block.
extern "C" __global__ void heston_paths(double *__restrict__ value, float strike, float bound, int steps)
{
    __shared__ float part[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = shuffled(2 * i + 1) | 1, b = shuffled(2 * i + 2) | 1;
    float price = 1, unrest = 0.04f, dt = 1.f / steps, wide = sqrtf(dt);
    for (int k = 0; k < steps; k++) {
        a ^= a << 13, a ^= a >> 17, a ^= a << 5;
        b = b * 1664525u + 1013904223u;
        float s, c, r = sqrtf(-2 * logf(((a >> 8) + 0.5f) / 16777216)), root = sqrtf(fmaxf(unrest, 0));
        sincospif((b >> 8) / 8388608.f, &s, &c);
        float z = r * c, y = bound * z + sqrtf(1 - bound * bound) * r * s;
        price *= __expf((0.02f - 0.5f * root * root) * dt + root * wide * z);
        unrest += 1.5f * (0.04f - root * root) * dt + 0.3f * root * wide * y;
    }
    float gain = fmaxf(price - strike, 0);
    for (int d = 16; d; d /= 2) gain += __shfl_xor_sync(~0u, gain, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = gain;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0;
        for (unsigned k = 0; k < blockDim.x / 32; k++) sum += part[k];
        value[blockIdx.x] = sum / blockDim.x;
    }
}

// A space of bytes, as from a scanner, turned and stretched: each point of the new one is made from
// the eight about where it comes from.
extern "C" __global__ void turn_space(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= size || y >= size || z >= size) return;
    float u = moved[0] * x + moved[1] * y + moved[2] * z + moved[3];
    float v = moved[4] * x + moved[5] * y + moved[6] * z + moved[7];
    float w = moved[8] * x + moved[9] * y + moved[10] * z + moved[11];
    int a = (int)floorf(u), b = (int)floorf(v), c = (int)floorf(w);
    float light = 0;
    if (a >= 0 && b >= 0 && c >= 0 && a + 1 < size && b + 1 < size && c + 1 < size) {
        const unsigned char *p = in + (c * size + b) * size + a, *q = p + size * size;
        u -= a, v -= b, w -= c;
        float k = p[0] + u * (p[1] - p[0]), l = p[size] + u * (p[size + 1] - p[size]);
        float m = q[0] + u * (q[1] - q[0]), o = q[size] + u * (q[size + 1] - q[size]);
        float near = k + v * (l - k), far = m + v * (o - m);
        light = near + w * (far - near);
    }
    out[(z * size + y) * size + x] = (unsigned char)(light + 0.5f);
}

__device__ float gate(float x)
{
    return 1 / (1 + expf(-x));
}

__device__ float remember(float in, float forget, float show, float fresh, float &cell)
{
    cell = gate(forget) * cell + gate(in) * tanhf(fresh);
    return gate(show) * tanhf(cell);
}

// What a cell with a long memory keeps and shows, four of them a thread: the four gates of all
// cells lie one behind the other.
extern "C" __global__ void lstm_cells(const float4 *__restrict__ gates, const float4 *__restrict__ before,
                                      float4 *__restrict__ after, float4 *__restrict__ shown, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = gates[i], f = gates[n + i], o = gates[2 * n + i], g = gates[3 * n + i], c = before[i], h;
    h.x = remember(a.x, f.x, o.x, g.x, c.x);
    h.y = remember(a.y, f.y, o.y, g.y, c.y);
    h.z = remember(a.z, f.z, o.z, g.z, c.z);
    h.w = remember(a.w, f.w, o.w, g.w, c.w);
    after[i] = c;
    shown[i] = h;
}

// Two layers of a network at once, by tensor cores: a block takes 64 rows of 64 halves through the
// first, nothing below zero, and the second; weights wait in shared memory.
extern "C" __global__ void two_layers(const uint4 *__restrict__ input, const uint4 *__restrict__ first,
                                      const uint4 *__restrict__ second, float *__restrict__ out)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) __half rows[64][72];
    __shared__ __align__(32) __half weights[64][72];
    __shared__ __align__(32) float sums[4][16][20];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < 512; k += 128) {
        *(uint4 *)&rows[k / 8][k % 8 * 8] = input[blockIdx.x * 512 + k];
        *(uint4 *)&weights[k / 8][k % 8 * 8] = first[k];
    }
    __syncthreads();
    fragment<accumulator, 16, 16, 16, float> sum[4];
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, row_major> b;
    for (int layer = 0; layer < 2; layer++) {
#pragma unroll
        for (int j = 0; j < 4; j++) fill_fragment(sum[j], 0.f);
#pragma unroll
        for (int k = 0; k < 64; k += 16) {
            load_matrix_sync(a, &rows[warp * 16][k], 72);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                load_matrix_sync(b, &weights[k][j * 16], 72);
                mma_sync(sum[j], a, b, sum[j]);
            }
        }
        if (layer == 1) break;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 4; j++) {
            store_matrix_sync(&sums[warp][0][0], sum[j], 20, mem_row_major);
            __syncwarp();
            for (int k = lane; k < 256; k += 32)
                rows[warp * 16 + k / 16][j * 16 + k % 16] =
                    __float2half(fmaxf(sums[warp][k / 16][k % 16] * 0.0625f, 0));
            __syncwarp();
        }
        for (int k = threadIdx.x; k < 512; k += 128) *(uint4 *)&weights[k / 8][k % 8 * 8] = second[k];
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        store_matrix_sync(out + (blockIdx.x * 64 + warp * 16) * 64 + j * 16, sum[j], 64, mem_row_major);
}

// How alike is each of many rows of halves to each other one? A warp has 32 x 32 pairs, its tensor
// core reads them from memory as they are.
extern "C" __global__ void gram_pairs(const unsigned *__restrict__ rows, float *__restrict__ alike, int pairs, int n)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
    int top = (blockIdx.y * 2 + warp / 2) * 32, left = (blockIdx.x * 2 + warp % 2) * 32;
    float sum[2][4][4];
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int c = 0; c < 4; c++)
#pragma unroll
            for (int k = 0; k < 4; k++) sum[r][c][k] = 0;
    const unsigned *across = rows + (top + g) * pairs + q, *down = rows + (left + g) * pairs + q;
#pragma unroll 2
    for (int at = 0; at < pairs; at += 4) {
        unsigned a[2][2], b[4];
#pragma unroll
        for (int r = 0; r < 2; r++) {
            a[r][0] = across[r * 16 * pairs + at];
            a[r][1] = across[(r * 16 + 8) * pairs + at];
        }
#pragma unroll
        for (int c = 0; c < 4; c++) b[c] = down[c * 8 * pairs + at];
#pragma unroll
        for (int r = 0; r < 2; r++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : "+f"(sum[r][c][0]), "+f"(sum[r][c][1]), "+f"(sum[r][c][2]), "+f"(sum[r][c][3])
                    : "r"(a[r][0]), "r"(a[r][1]), "r"(b[c]));
    }
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            float *to = alike + (top + r * 16 + g) * n + left + c * 8 + 2 * q;
            *(float2 *)to = make_float2(sum[r][c][0], sum[r][c][1]);
            *(float2 *)(to + 8 * n) = make_float2(sum[r][c][2], sum[r][c][3]);
        }
}

__device__ bool four_in_line(unsigned long long b)
{
    unsigned long long m = b & b >> 7;
    if (m & m >> 14) return true;
    m = b & b >> 6;
    if (m & m >> 12) return true;
    m = b & b >> 8;
    if (m & m >> 16) return true;
    m = b & b >> 1;
    return m & m >> 2;
}

// Four in a row on 7 columns of 6, played to the end by chance: which first move wins how often?
// Each side is 64 bits, a column has seven of them.
extern "C" __global__ void connect_four(int *__restrict__ wins, int games)
{
    __shared__ int won[7];
    if (threadIdx.x < 7) won[threadIdx.x] = 0;
    __syncthreads();
    unsigned chance = shuffled(blockIdx.x * blockDim.x + threadIdx.x + 1) | 1;
    for (int game = 0; game < games; game++) {
        unsigned long long mine = 0, yours = 0;
        int begun = -1, result = 0;
        for (int turn = 0; turn < 42; turn++) {
            unsigned long long all = mine | yours;
            chance ^= chance << 13, chance ^= chance >> 17, chance ^= chance << 5;
            int column = (int)__umulhi(chance, 7);
            while (all >> (column * 7 + 5) & 1) column = column == 6 ? 0 : column + 1;
            if (turn == 0) begun = column;
            unsigned long long bottom = 1ull << (column * 7), full = 63ull << (column * 7);
            mine |= (all + bottom) & full & ~all;
            if (four_in_line(mine)) {
                result = turn & 1 ? -1 : 1;
                break;
            }
            unsigned long long t = mine;
            mine = yours, yours = t;
        }
        if (result > 0) atomicAdd(&won[begun], 1);
    }
    __syncthreads();
    if (threadIdx.x < 7) atomicAdd(&wins[threadIdx.x], won[threadIdx.x]);
}

// By chance alone, how likely is what a test of squares has found? The rest of the gamma function
// in doubles: a row of terms or a long fraction, as fits.
extern "C" __global__ void chi_squared(const double *__restrict__ found, const unsigned char *__restrict__ freedom,
                                       double *__restrict__ likely, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = 0.5 * (freedom[i] + 1), x = 20 * found[i] + 1e-3, before = exp(a * log(x) - x - lgamma(a)), p;
    if (x < a + 1) {
        double term = 1 / a, sum = term, k = a;
        for (int j = 0; j < 100 && term > sum * 1e-12; j++) {
            k += 1;
            term *= x / k;
            sum += term;
        }
        p = 1 - before * sum;
    } else {
        double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
        for (int j = 1; j <= 100; j++) {
            double k = -j * (j - a);
            b += 2;
            d = k * d + b;
            if (fabs(d) < 1e-300) d = 1e-300;
            c = b + k / c;
            if (fabs(c) < 1e-300) c = 1e-300;
            d = 1 / d;
            double change = c * d;
            h *= change;
            if (fabs(change - 1) < 1e-12) break;
        }
        p = before * h;
    }
    likely[i] = p;
}

// Which number of each row is the one of a given rank? A block a row: eight bits at a time, it
// counts those that begin as what is known, and goes on in one of 256 parts.
extern "C" __global__ void rank_in_row(const unsigned *__restrict__ rows, unsigned *__restrict__ ranked, int rank,
                                       int length)
{
    __shared__ unsigned count[256], chosen, left;
    const unsigned *row = rows + (size_t)blockIdx.x * length;
    unsigned known = 0, wanted = rank;
    for (int shift = 24; shift >= 0; shift -= 8) {
        count[threadIdx.x] = 0;
        __syncthreads();
        unsigned mask = shift == 24 ? 0 : ~0u << (shift + 8);
        for (int k = threadIdx.x; k < length; k += 256) {
            unsigned v = row[k];
            if ((v & mask) == known) atomicAdd(&count[v >> shift & 255], 1);
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            unsigned own[8], sum = 0;
#pragma unroll
            for (int k = 0; k < 8; k++) sum += own[k] = count[threadIdx.x * 8 + k];
            unsigned upto = sum;
            for (int d = 1; d < 32; d *= 2) {
                unsigned v = __shfl_up_sync(~0u, upto, d);
                if (threadIdx.x >= d) upto += v;
            }
            unsigned below = upto - sum;
            if (wanted >= below && wanted < upto) {
                int k = 0;
#pragma unroll
                for (int j = 0; j < 7; j++)
                    if (k == j && wanted >= below + own[j]) below += own[j], k++;
                chosen = threadIdx.x * 8 + k;
                left = wanted - below;
            }
        }
        __syncthreads();
        known |= chosen << shift;
        wanted = left;
    }
    if (threadIdx.x == 0) ranked[blockIdx.x] = known;
}

// Light in skin: a packet a thread flies, leaves some of itself where it hits and is thrown into
// another direction, until it is out or too weak.
extern "C" __global__ void skin_light(float *__restrict__ heat, float absorbed, int hits, int width, int depth)
{
    unsigned a = shuffled(blockIdx.x * blockDim.x + threadIdx.x + 7) | 1;
    float x = (a >> 8) * (width / 16777216.f), z = 0, dx = 0, dz = 1, weight = 1;
    for (int k = 0; k < hits; k++) {
        a = a * 747796405u + 2891336453u;
        float way = -3.f * __logf(((a >> 8) + 0.5f) / 16777216);
        x += dx * way;
        z += dz * way;
        if (!(z >= 0 && z < depth)) break;
        if (x < 0) x += width;
        if (x >= width) x -= width;
        int at = min(max((int)x, 0), width - 1), down = min((int)z, depth - 1);
        float lost = weight * absorbed;
        atomicAdd(&heat[down * width + at], lost);
        weight -= lost;
        if (weight < 0.05f) break;
        a = a * 747796405u + 2891336453u;
        float s, c, u = (a >> 8) / 8388608.f - 1;
        __sincosf(u * u * u * 3.14159265f, &s, &c);
        float t = dx * c - dz * s;
        dz = dx * s + dz * c;
        dx = t;
    }
}

// Each channel of a picture in halves has its own 3 x 3 weights: two channels a thread, those of a
// point lie together, a warp has 64 of them.
extern "C" __global__ void depthwise_half(const __half2 *__restrict__ in, const __half2 *__restrict__ weights,
                                          __half2 *__restrict__ out, int width, int height)
{
    int c = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y, top = blockIdx.y * 4;
    if (x >= width) return;
    __half2 w[9];
#pragma unroll
    for (int k = 0; k < 9; k++) w[k] = weights[k * 32 + c];
    for (int y = top; y < min(top + 4, height); y++) {
        __half2 sum = __float2half2_rn(0);
#pragma unroll
        for (int k = 0; k < 9; k++) {
            int u = x + k % 3 - 1, v = y + k / 3 - 1;
            if (u >= 0 && v >= 0 && u < width && v < height) sum = __hfma2(in[(v * width + u) * 32 + c], w[k], sum);
        }
        out[(y * width + x) * 32 + c] = sum;
    }
}
