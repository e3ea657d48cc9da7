// blind8.cu: kernels of the kinds that courses and students write, none of them like those of the
// files before. Written, and simulated (blind8.predicted), before any of them had run on a card, by
// someone who had not seen the code of the clock.
#include <cuda_fp16.h>

// The first 32 bits behind the point of the cubic roots of 64 primes.
__constant__ unsigned cubic_roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned turned(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}

// SHA-256 of 64 bytes a thread; the words to come are made in the places of those that are used up.
extern "C" __global__ void sha_256(const uint4 *message, uint4 *digest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned w[16], a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c,
                    g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint4 v = message[i * 4 + k];
        w[4 * k] = __byte_perm(v.x, 0, 0x0123), w[4 * k + 1] = __byte_perm(v.y, 0, 0x0123);
        w[4 * k + 2] = __byte_perm(v.z, 0, 0x0123), w[4 * k + 3] = __byte_perm(v.w, 0, 0x0123);
    }
    for (int round = 0; round < 64; round += 16) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            unsigned t = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) +
                         cubic_roots[round + k] + w[k];
            unsigned u = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
            unsigned x = w[(k + 1) % 16], y = w[(k + 14) % 16];
            w[k] +=
                (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + w[(k + 9) % 16] + (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
        }
    }
    digest[2 * i] = make_uint4(a + 0x6a09e667, b + 0xbb67ae85, c + 0x3c6ef372, d + 0xa54ff53a);
    digest[2 * i + 1] = make_uint4(e + 0x510e527f, f + 0x9b05688c, g + 0x1f83d9ab, h + 0x5be0cd19);
}

// Numbers that fill a space evenly, by Sobol's way, as draws of a normal distribution: a row of
// blocks has one dimension and its 32 directions.
extern "C" __global__ void sobol_normals(const unsigned *directions, float *out, int n)
{
    __shared__ unsigned direction[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 32) direction[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
    __syncthreads();
    if (i >= n) return;
    unsigned x = 0;
    int k = 0;
    for (unsigned gray = i ^ i >> 1; gray; gray >>= 1, k++)
        if (gray & 1) x ^= direction[k];
    out[blockIdx.y * n + i] = normcdfinvf(((x >> 9) + 0.5f) / 8388608);
}

// How likely is a row of letters, if 32 hidden states follow each other by chance? A warp a row, a
// lane a state; each hears from all others.
extern "C" __global__ void hidden_states(const float *__restrict__ follows, const float *__restrict__ shows,
                                         const unsigned char *__restrict__ letters, float *likely, int length, int n)
{
    int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= n) return;
    float from[32], p = 1 / 32.f, sum = 0;
#pragma unroll
    for (int j = 0; j < 32; j++) from[j] = follows[j * 32 + lane];
    for (int t = 0; t < length; t++) {
        float next = 0;
#pragma unroll
        for (int j = 0; j < 32; j++) next += __shfl_sync(~0u, p, j) * from[j];
        next *= shows[(letters[row * length + t] & 3) * 32 + lane];
        float all = next;
        for (int d = 16; d; d /= 2) all += __shfl_xor_sync(~0u, all, d);
        all = fmaxf(all, 1e-30f);
        sum += __logf(all);
        p = next / all;
    }
    if (lane == 0) likely[row] = sum;
}

// How far is it from one place to another on the earth? Their latitudes and longitudes are doubles,
// as parts of a half and of a whole turn.
extern "C" __global__ void great_circles(const double2 *from, const double2 *to, double *distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double2 a = from[i], b = to[i];
    double pi = 3.14159265358979323846, north = (a.x - 0.5) * pi, other = (b.x - 0.5) * pi;
    double u = sin((other - north) / 2), v = sin((b.y - a.y) * pi);
    double h = u * u + cos(north) * cos(other) * v * v;
    distance[i] = 2 * 6371.0 * asin(sqrt(fmin(fmax(h, 0.0), 1.0)));
}

// Which point of a tree is nearest? Each node divides what is below it to the left and right, or up
// and down; a stack keeps the sides still to be seen.
extern "C" __global__ void nearest_in_tree(const float2 *__restrict__ tree, const float2 *__restrict__ query,
                                           int *which, int nodes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int later[32], top = 0, at = 0, depth = 0, nearest = -1;
    float far[32], best = 1e30f;
    float2 q = query[i];
    for (;;) {
        while (at < nodes) {
            float2 p = tree[at];
            float dx = q.x - p.x, dy = q.y - p.y, d = dx * dx + dy * dy, across = depth & 1 ? dy : dx;
            if (d < best) best = d, nearest = at;
            int side = across > 0;
            if (across * across < best && 2 * at + 2 < nodes) {
                later[top] = 2 * at + 2 - side;
                far[top++] = across * across;
            }
            at = 2 * at + 1 + side;
            depth++;
        }
        while (top > 0 && far[top - 1] >= best) top--;
        if (top == 0) break;
        at = later[--top];
        depth = 31 - __clz(at + 1);
    }
    which[i] = nearest;
}

// A question to a table of sales: what did we give away on small orders in one year, in hundredths of a hundredth?
extern "C" __global__ void sum_discounts(const int *__restrict__ day, const unsigned char *__restrict__ discount,
                                         const unsigned char *__restrict__ quantity, const int *__restrict__ price,
                                         unsigned long long *total, int from, int n)
{
    __shared__ unsigned long long part[32];
    unsigned long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (day[i] >= from && day[i] < from + 365 && discount[i] >= 5 && discount[i] <= 7 && quantity[i] < 24)
            sum += (unsigned long long)price[i] * discount[i];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (threadIdx.x == 0) atomicAdd(total, sum);
    }
}

// Numbers of a few bits each, packed without gaps, and the least of each 128 of them: what a
// database makes of them when it reads a column.
extern "C" __global__ void unpack_bits(const unsigned *__restrict__ packed, const int *__restrict__ least,
                                       int *__restrict__ out, int bits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i * bits, word = at >> 5;
    unsigned v = __funnelshift_r(packed[word], packed[word + 1], at & 31);
    out[i] = least[i >> 7] + (int)(v & ((1u << bits) - 1));
}

// Four filters of the second order, one behind the other, over many channels: a thread a channel, only a few warps.
extern "C" __global__ void filter_chain(const float *__restrict__ in, const float *__restrict__ taps,
                                        float *__restrict__ out, int samples, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float b0[4], b1[4], b2[4], a1[4], a2[4], z1[4], z2[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        b0[k] = taps[k * 5], b1[k] = taps[k * 5 + 1], b2[k] = taps[k * 5 + 2];
        a1[k] = 0.4f * taps[k * 5 + 3], a2[k] = 0.4f * taps[k * 5 + 4];
        z1[k] = z2[k] = 0;
    }
    for (int t = 0; t < samples; t++) {
        float x = in[t * n + i];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float y = b0[k] * x + z1[k];
            z1[k] = b1[k] * x - a1[k] * y + z2[k];
            z2[k] = b2[k] * x - a2[k] * y;
            x = y;
        }
        out[t * n + i] = x;
    }
}

__device__ uchar4 coloured(int y, int red, int green, int blue)
{
    int light = 298 * max(y - 16, 0) + 128;
    return make_uchar4((unsigned char)min(max((light + red) >> 8, 0), 255),
                       (unsigned char)min(max((light + green) >> 8, 0), 255),
                       (unsigned char)min(max((light + blue) >> 8, 0), 255), 255);
}

// A picture as cameras give it, light for each pixel and colour for each four of them, for the
// screen: a thread makes 2 x 2 pixels.
extern "C" __global__ void camera_colours(const uchar2 *__restrict__ light, const uchar2 *__restrict__ colour,
                                          uchar4 *__restrict__ out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, half = width / 2;
    if (x >= half || y >= height / 2) return;
    uchar2 c = colour[y * half + x], above = light[2 * y * half + x], below = light[(2 * y + 1) * half + x];
    int u = c.x - 128, v = c.y - 128, red = 409 * v, green = -100 * u - 208 * v, blue = 516 * u;
    uchar4 *to = out + 2 * y * width + 2 * x;
    to[0] = coloured(above.x, red, green, blue);
    to[1] = coloured(above.y, red, green, blue);
    to[width] = coloured(below.x, red, green, blue);
    to[width + 1] = coloured(below.y, red, green, blue);
}

// Gray becomes black and white, what is wrong is handed on to the right and below, in strips of 32
// rows: a warp a strip, each row two pixels behind the last.
extern "C" __global__ void dither_strips(const unsigned char *__restrict__ in, unsigned char *__restrict__ out,
                                         int width)
{
    int lane = threadIdx.x, row = (blockIdx.x * 32 + lane) * width;
    float own = 0, older = 0, old = 0;
    for (int s = 0; s < width + 62; s++) {
        float young = __shfl_up_sync(~0u, own, 1);
        if (lane == 0) young = 0;
        int x = s - 2 * lane;
        float off = 0;
        if (x >= 0 && x < width) {
            float v = in[row + x] + (7 * own + older + 5 * old + 3 * young) / 16;
            bool white = v >= 128;
            out[row + x] = white ? 255 : 0;
            off = white ? v - 255 : v;
        }
        own = off;
        older = old;
        old = young;
    }
}

// How dense is a fluid at each of its particles? Each cell of a space has up to eight of them,
// those of the 27 cells about count.
extern "C" __global__ void fluid_density(const float4 *__restrict__ particle, const unsigned char *__restrict__ count,
                                         float *density, float reach, int size)
{
    int slot = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y, z = blockIdx.z;
    if (x >= size) return;
    int cell = (z * size + y) * size + x;
    if (slot >= min((int)count[cell], 8)) return;
    float4 p = particle[cell * 8 + slot];
    float sum = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                if (x + dx < 0 || y + dy < 0 || z + dz < 0 || x + dx >= size || y + dy >= size || z + dz >= size)
                    continue;
                int other = cell + (dz * size + dy) * size + dx, many = min((int)count[other], 8);
                for (int k = 0; k < many; k++) {
                    float4 q = particle[other * 8 + k];
                    float u = q.x + dx - p.x, v = q.y + dy - p.y, w = q.z + dz - p.z,
                          near = reach * reach - u * u - v * v - w * w;
                    if (near > 0) sum += q.w * near * near * near;
                }
            }
    density[cell * 8 + slot] = sum;
}

// Half a step of Maxwell's equations in space: the electric field follows from how the magnetic one turns.
extern "C" __global__ void electric_step(float *__restrict__ ex, float *__restrict__ ey, float *__restrict__ ez,
                                         const float *__restrict__ hx, const float *__restrict__ hy,
                                         const float *__restrict__ hz, float c, int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= width || y >= height || z >= depth) return;
    int i = (z * height + y) * width + x, up = i - width, back = i - width * height;
    float a = hx[i], b = hy[i], d = hz[i];
    ex[i] += c * (d - hz[up] - b + hy[back]);
    ey[i] += c * (a - hx[back] - d + hz[i - 1]);
    ez[i] += c * (b - hy[i - 1] - a + hx[up]);
}

// Bags of words, each word has a row of 64 halves: a warp takes the mean of the rows of one bag, two halves a lane.
extern "C" __global__ void bags_of_words(const __half2 *__restrict__ table, const int *__restrict__ words,
                                         __half2 *__restrict__ mean, int many, int rows, int n)
{
    int lane = threadIdx.x % 32, bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (bag >= n) return;
    float2 sum = make_float2(0, 0);
    for (int k = 0; k < many; k++) {
        int word = words[bag * many + k];
        if (word < 0 || word >= rows) continue;
        float2 v = __half22float2(table[word * 32 + lane]);
        sum.x += v.x, sum.y += v.y;
    }
    mean[bag * 32 + lane] = __floats2half2_rn(sum.x / many, sum.y / many);
}

// A layer of a network in bytes: rows of inputs times rows of weights, four bytes at once through
// tiles of 16 x 16, and back to bytes by a scale.
extern "C" __global__ void layer_of_bytes(const char4 *input, const char4 *weight, signed char *out, float scale,
                                          int length, int outputs)
{
    __shared__ char4 inputs[16][16], weights[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx, sum = 0;
    for (int base = 0; base < length; base += 16) {
        inputs[ty][tx] = input[row * length + base + tx];
        weights[ty][tx] = weight[(blockIdx.x * 16 + ty) * length + base + tx];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            char4 a = inputs[ty][k], b = weights[tx][k];
            sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        __syncthreads();
    }
    out[row * outputs + column] = (signed char)min(max(__float2int_rn(sum * scale), 0), 127);
}

// 2^255 - 19, the lowest word first.
__constant__ unsigned prime[8] = {0xffffffed, 0xffffffff, 0xffffffff, 0xffffffff,
                                  0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff};

// Numbers of 256 bits are multiplied again and again modulo a prime, by Montgomery's way: after
// each word of the one the lowest word of the sum is made zero.
extern "C" __global__ void montgomery(const unsigned *factor, unsigned *out, int turns, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a[8], x[8];
#pragma unroll
    for (int k = 0; k < 8; k++) x[k] = a[k] = factor[k * n + i] & (k == 7 ? 0x3fffffff : ~0u);
    for (int turn = 0; turn < turns; turn++) {
        unsigned t[9] = {0};
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned long long carry = 0;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                carry += (unsigned long long)a[j] * x[k] + t[j];
                t[j] = (unsigned)carry;
                carry >>= 32;
            }
            unsigned high = t[8] + (unsigned)carry, m = t[0] * 0x286bca1bu;
            carry = ((unsigned long long)m * prime[0] + t[0]) >> 32;
#pragma unroll
            for (int j = 1; j < 8; j++) {
                carry += (unsigned long long)m * prime[j] + t[j];
                t[j - 1] = (unsigned)carry;
                carry >>= 32;
            }
            carry += high;
            t[7] = (unsigned)carry;
            t[8] = (unsigned)(carry >> 32);
        }
#pragma unroll
        for (int k = 0; k < 8; k++) x[k] = t[k];
    }
#pragma unroll
    for (int k = 0; k < 8; k++) out[k * n + i] = x[k];
}

// Where may one move on a board of Othello? In eight directions all of the other's stones are
// followed at once, in 64 bits.
extern "C" __global__ void othello_moves(const uint2 *mine, const uint2 *theirs, unsigned char *many,
                                         unsigned char *first, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint2 m = mine[i], t = theirs[i];
    unsigned long long own = (unsigned long long)m.y << 32 | m.x, other = ((unsigned long long)t.y << 32 | t.x) & ~own,
                       empty = ~(own | other), moves = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int by = k == 0 ? 8 : k == 1 ? 1 : k == 2 ? 7 : 9;
        unsigned long long inner = k == 0 ? other : other & 0x7e7e7e7e7e7e7e7eull;
        unsigned long long up = inner & own << by, down = inner & own >> by;
#pragma unroll
        for (int step = 0; step < 5; step++) {
            up |= inner & up << by;
            down |= inner & down >> by;
        }
        moves |= empty & (up << by | down >> by);
    }
    many[i] = (unsigned char)__popcll(moves);
    first[i] = (unsigned char)__ffsll((long long)moves);
}

// Which grays lie beside which others? A table of 16 x 16 for each tile of 64 x 64 pixels, and how
// strong the contrast in it is.
extern "C" __global__ void texture_contrast(const unsigned char *picture, float *contrast, int width, int height)
{
    __shared__ int pairs[256];
    __shared__ float part[8];
    int t = threadIdx.x, left = blockIdx.x * 64, top = blockIdx.y * 64;
    pairs[t] = 0;
    __syncthreads();
    for (int k = t; k < 64 * 64; k += 256) {
        int x = left + k % 64, y = top + k / 64;
        if (x >= width || y >= height) continue;
        int gray = picture[y * width + x] >> 4;
        if (x + 1 < width) atomicAdd(&pairs[gray * 16 + (picture[y * width + x + 1] >> 4)], 1);
        if (y + 1 < height) atomicAdd(&pairs[gray * 16 + (picture[(y + 1) * width + x] >> 4)], 1);
    }
    __syncthreads();
    int unlike = t / 16 - t % 16;
    float sum = (float)(unlike * unlike * pairs[t]);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; k++) sum += part[k];
        contrast[blockIdx.y * gridDim.x + blockIdx.x] = sum / (2 * 64 * 64);
    }
}

// Which triangle is seen at each pixel? 32 at a time are made into three edges and a depth in
// shared memory, each pixel asks all of them.
extern "C" __global__ void draw_triangles(const float *corners, int *which, float *depth, int many, int width,
                                          int height)
{
    __shared__ float4 edge[32][3];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, t = threadIdx.y * 16 + threadIdx.x,
        seen = -1;
    float px = x + 0.5f, py = y + 0.5f, nearest = 1e30f;
    for (int base = 0; base < many; base += 32) {
        int end = min(32, many - base);
        if (t < end) {
            const float *c = corners + (base + t) * 9;
            float ax = c[0] * width, ay = c[1] * height, bx = c[3] * width, by = c[4] * height, cx = c[6] * width,
                  cy = c[7] * height;
            float area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax), s = fabsf(area) > 1e-6f ? 1 / area : 0;
            edge[t][0] = make_float4((by - cy) * s, (cx - bx) * s, (bx * cy - by * cx) * s, c[2]);
            edge[t][1] = make_float4((cy - ay) * s, (ax - cx) * s, (cx * ay - cy * ax) * s, c[5]);
            edge[t][2] = make_float4((ay - by) * s, (bx - ax) * s, (ax * by - ay * bx) * s, c[8]);
        }
        __syncthreads();
        for (int k = 0; k < end; k++) {
            float4 a = edge[k][0], b = edge[k][1], c = edge[k][2];
            float u = a.x * px + a.y * py + a.z, v = b.x * px + b.y * py + b.z, w = c.x * px + c.y * py + c.z;
            if (u < 0 || v < 0 || w < 0) continue;
            float z = u * a.w + v * b.w + w * c.w;
            if (z < nearest) nearest = z, seen = base + k;
        }
        __syncthreads();
    }
    if (x >= width || y >= height) return;
    which[y * width + x] = seen;
    depth[y * width + x] = nearest;
}

// How many of 32 rows of 64 bits do not follow from the others? A warp a matrix, a lane a row: for
// each column one row is taken from all that have it too.
extern "C" __global__ void rank_of_bits(const uint2 *rows, unsigned char *rank, int n)
{
    int lane = threadIdx.x % 32, matrix = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (matrix >= n) return;
    uint2 v = rows[matrix * 32 + lane];
    unsigned long long row = (unsigned long long)v.y << 32 | v.x;
    bool used = false;
    int found = 0;
    for (int c = 0; c < 64 && found < 32; c++) {
        bool bit = row >> c & 1;
        unsigned free = __ballot_sync(~0u, bit && !used);
        if (free == 0) continue;
        int pivot = __ffs(free) - 1;
        unsigned long long taken = __shfl_sync(~0u, row, pivot);
        if (lane == pivot)
            used = true;
        else if (bit)
            row ^= taken;
        found++;
    }
    if (lane == 0) rank[matrix] = (unsigned char)found;
}

// Areas below curves by Romberg's way, in doubles: steps twice as fine each time, and what they
// lead to; a thread a curve, its last row is a local array.
extern "C" __global__ void romberg(const double *bend, double *area, int levels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double last[10], a = fabs(bend[i]), width = 1;
    levels = min(levels, 9);
    last[0] = (1 + exp(-1.0) * sqrt(1 + a)) / 2;
    for (int k = 1; k <= levels; k++) {
        double sum = 0;
        width /= 2;
        for (int j = 0; j < 1 << (k - 1); j++) {
            double x = (2 * j + 1) * width;
            sum += exp(-x) * sqrt(1 + a * x);
        }
        double now = last[0] / 2 + sum * width, power = 1;
        for (int m = 0; m < k; m++) {
            double old = last[m];
            last[m] = now;
            power *= 4;
            now += (now - old) / (power - 1);
        }
        last[k] = now;
    }
    area[i] = last[levels > 0 ? levels : 0];
}
