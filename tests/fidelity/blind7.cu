// blind7.cu: kernels of the kinds that courses and students write, none of them like those of the
// files before. Written, and simulated (blind7.predicted), before any of them had run on a card, by
// someone who did not know how the clock works.

// The first step of a sort by digits: how many keys of the same four bits does a warp have before
// each of its 256 keys, and how many in all?
extern "C" __global__ void digit_ranks(const unsigned *__restrict__ keys, unsigned char *__restrict__ rank,
                                       unsigned *counts, int shift, int n)
{
    __shared__ unsigned seen[8][17];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, all = blockIdx.x * 8 + warp;
    if (lane < 17) seen[warp][lane] = 0;
    __syncwarp();
    for (int k = 0; k < 8; k++) {
        int i = all * 256 + k * 32 + lane;
        unsigned digit = i < n ? keys[i] >> shift & 15 : 16;
        unsigned peers = __match_any_sync(~0u, digit);
        unsigned before = seen[warp][digit], below = __popc(peers & ((1u << lane) - 1));
        __syncwarp();
        if (below == 0) seen[warp][digit] = before + __popc(peers);
        __syncwarp();
        if (i < n) rank[i] = (unsigned char)(before + below);
    }
    if (lane < 16) counts[all * 16 + lane] = seen[warp][lane];
}

// Is a key known? A Bloom filter says no, or perhaps: six bits of it must be set.
extern "C" __global__ void bloom_queries(const unsigned *__restrict__ keys, const unsigned *__restrict__ filter,
                                         unsigned char *__restrict__ answer, unsigned mask, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], h = key * 0x9e3779b1u, step = (key ^ key >> 15) * 0x85ebca6bu | 1;
    bool known = true;
    for (int k = 0; k < 6 && known; k++) {
        known = filter[h >> 5 & mask] >> (h & 31) & 1;
        h += step;
        h ^= h >> 13;
    }
    answer[i] = known;
}

// Where are a word of 32 letters and a text most alike? Smith and Waterman's way with gaps: a warp
// a pair, a lane a letter, each hands its row to the next.
extern "C" __global__ void align_warps(const unsigned char *words, const unsigned char *texts, int *score, int length,
                                       int pairs)
{
    int lane = threadIdx.x % 32, pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (pair >= pairs) return;
    const unsigned char *text = texts + pair * length;
    int own = words[pair * 32 + lane], letter = 255, h = 0, e = -1000, f = -1000, corner = 0, best = 0;
    for (int s = 0; s < length + 31; s++) {
        int up = __shfl_up_sync(~0u, h, 1), gap = __shfl_up_sync(~0u, f, 1);
        letter = __shfl_up_sync(~0u, letter, 1);
        if (lane == 0) {
            up = 0, gap = -1000;
            letter = s < length ? text[s] : 255;
        }
        if (s >= lane && s - lane < length) {
            e = max(h - 3, e - 1);
            f = max(up - 3, gap - 1);
            h = max(max(0, corner + (own == letter ? 2 : -1)), max(e, f));
            best = max(best, h);
        }
        corner = up;
    }
    for (int d = 16; d; d /= 2) best = max(best, __shfl_xor_sync(~0u, best, d));
    if (lane == 0) score[pair] = best;
}

// Layer normalisation backwards: rows of 512, a warp each, what came in and its slopes stay in registers.
extern "C" __global__ void layer_norm_back(const float4 *__restrict__ x, const float4 *__restrict__ slope,
                                           const float4 *__restrict__ weight, const float *__restrict__ mean,
                                           const float *__restrict__ scale, float4 *__restrict__ out, int rows)
{
    int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    float m = mean[row], s = scale[row], sum = 0, dot = 0;
    float4 a[4], g[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float4 v = x[row * 128 + k * 32 + lane], d = slope[row * 128 + k * 32 + lane], w = weight[k * 32 + lane];
        a[k] = make_float4((v.x - m) * s, (v.y - m) * s, (v.z - m) * s, (v.w - m) * s);
        g[k] = make_float4(d.x * w.x, d.y * w.y, d.z * w.z, d.w * w.w);
        sum += g[k].x + g[k].y + g[k].z + g[k].w;
        dot += g[k].x * a[k].x + g[k].y * a[k].y + g[k].z * a[k].z + g[k].w * a[k].w;
    }
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        dot += __shfl_xor_sync(~0u, dot, d);
    }
    sum /= 512, dot /= 512;
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[row * 128 + k * 32 + lane] =
            make_float4(s * (g[k].x - sum - a[k].x * dot), s * (g[k].y - sum - a[k].y * dot),
                        s * (g[k].z - sum - a[k].z * dot), s * (g[k].w - sum - a[k].w * dot));
}

// Attention: a block a head of 128 places and 32 numbers, a thread a place, which looks at itself
// and at those before it.
extern "C" __global__ void attention_heads(const float4 *__restrict__ query, const float4 *__restrict__ key,
                                           const float4 *__restrict__ value, float4 *__restrict__ out, float scale)
{
    __shared__ float4 keys[128][8], values[128][8];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    for (int k = t; k < 1024; k += 128) {
        keys[k / 8][k % 8] = key[base + k];
        values[k / 8][k % 8] = value[base + k];
    }
    float4 q[8], o[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        q[k] = query[base + t * 8 + k];
        o[k] = make_float4(0, 0, 0, 0);
    }
    __syncthreads();
    float most = -1e30f, sum = 0;
    for (int j = 0; j <= t; j++) {
        float dot = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 v = keys[j][k];
            dot += q[k].x * v.x + q[k].y * v.y + q[k].z * v.z + q[k].w * v.w;
        }
        dot *= scale;
        if (dot > most) {
            float less = __expf(most - dot);
            sum *= less;
#pragma unroll
            for (int k = 0; k < 8; k++) o[k].x *= less, o[k].y *= less, o[k].z *= less, o[k].w *= less;
            most = dot;
        }
        float p = __expf(dot - most);
        sum += p;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 v = values[j][k];
            o[k].x += p * v.x, o[k].y += p * v.y, o[k].z += p * v.z, o[k].w += p * v.w;
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[base + t * 8 + k] = make_float4(o[k].x / sum, o[k].y / sum, o[k].z / sum, o[k].w / sum);
}

// Which sides of a square does a line of equal height go through, by which of its corners are
// higher? Two lines at most, of two sides each.
__constant__ signed char sides[16][4] = {{-1, -1, -1, -1}, {3, 0, -1, -1}, {0, 1, -1, -1}, {3, 1, -1, -1},
                                         {1, 2, -1, -1},   {3, 0, 1, 2},   {0, 2, -1, -1}, {3, 2, -1, -1},
                                         {2, 3, -1, -1},   {2, 0, -1, -1}, {0, 1, 2, 3},   {2, 1, -1, -1},
                                         {1, 3, -1, -1},   {1, 0, -1, -1}, {0, 3, -1, -1}, {-1, -1, -1, -1}};

// Marching squares: the case of each square of a map, and how long the lines of equal height are, a sum a block.
extern "C" __global__ void marching_squares(const float *map, unsigned char *square, float *length, float level,
                                            int width, int height)
{
    __shared__ float part[8];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    if (x < width - 1 && y < height - 1) {
        float a = map[y * width + x] - level, b = map[y * width + x + 1] - level;
        float d = map[(y + 1) * width + x] - level, c = map[(y + 1) * width + x + 1] - level;
        int which = (a > 0) | (b > 0) << 1 | (c > 0) << 2 | (d > 0) << 3;
        float px[4] = {a / (a - b), 1, d / (d - c), 0}, py[4] = {0, b / (b - c), 1, a / (a - d)};
        for (int k = 0; k < 4; k += 2) {
            int from = sides[which][k], to = sides[which][k + 1];
            if (from < 0) break;
            float ex = px[from] - px[to], ey = py[from] - py[to];
            sum += sqrtf(ex * ex + ey * ey);
        }
        square[y * width + x] = (unsigned char)which;
    }
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) part[threadIdx.y] = sum;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        for (int k = 1; k < 8; k++) sum += part[k];
        length[blockIdx.y * gridDim.x + blockIdx.x] = sum;
    }
}

// A layer of a network for pictures: 3 x 3 of each channel that comes in, eight channels that go out of each thread.
extern "C" __global__ void convolve_channels(const float *__restrict__ in, const float4 *__restrict__ weight,
                                             float *__restrict__ out, int channels, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, group = blockIdx.z,
        groups = gridDim.z;
    if (x >= width || y >= height) return;
    float sum[8] = {0};
    for (int c = 0; c < channels; c++)
        for (int k = 0; k < 9; k++) {
            int u = x + k % 3 - 1, v = y + k / 3 - 1;
            float pixel = u >= 0 && v >= 0 && u < width && v < height ? in[(c * height + v) * width + u] : 0;
            float4 low = weight[((c * 9 + k) * groups + group) * 2],
                   high = weight[((c * 9 + k) * groups + group) * 2 + 1];
            sum[0] += pixel * low.x, sum[1] += pixel * low.y, sum[2] += pixel * low.z, sum[3] += pixel * low.w;
            sum[4] += pixel * high.x, sum[5] += pixel * high.y, sum[6] += pixel * high.z, sum[7] += pixel * high.w;
        }
    for (int k = 0; k < 8; k++) out[((group * 8 + k) * height + y) * width + x] = fmaxf(sum[k], 0);
}

// Where is a thing, and how fast, if what is seen of it is not exact, and now and then nothing is
// seen? Kalman's filter in doubles, a thread a thing.
extern "C" __global__ void kalman(const double *seen, double *place, double step, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = seen[i], v = 0, xx = 1, xv = 0, vv = 1;
    for (int k = 0; k < steps; k++) {
        x += step * v;
        xx += 2 * step * xv + step * step * vv + 0.001;
        xv += step * vv;
        vv += 0.01;
        double z = seen[k * n + i];
        if (z > 0.1) {
            double gain = xx / (xx + 0.2), turn = xv / (xx + 0.2), off = z - x;
            x += gain * off;
            v += turn * off;
            vv -= turn * xv;
            xx *= 1 - gain;
            xv *= 1 - gain;
        }
        place[k * n + i] = x;
    }
}

__device__ void jacobi_turn(double &pp, double &qq, double &pq, double &rp, double &rq)
{
    if (!(fabs(pq) > 1e-15)) return;
    double half = (qq - pp) / (2 * pq), t = 1 / (fabs(half) + sqrt(half * half + 1));
    if (half < 0) t = -t;
    double c = 1 / sqrt(t * t + 1), s = t * c, old = rp;
    pp -= t * pq;
    qq += t * pq;
    pq = 0;
    rp = c * old - s * rq;
    rq = s * old + c * rq;
}

// The eigenvalues of symmetric matrices of 3 by 3 in doubles, by Jacobi's turns, the greatest first.
extern "C" __global__ void eigen_3x3(const double *m, double *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double xx = m[i], yy = m[n + i], zz = m[2 * n + i], xy = m[3 * n + i], xz = m[4 * n + i], yz = m[5 * n + i];
    for (int sweep = 0; sweep < 6; sweep++) {
        if (fabs(xy) + fabs(xz) + fabs(yz) < 1e-14) break;
        jacobi_turn(xx, yy, xy, xz, yz);
        jacobi_turn(xx, zz, xz, xy, yz);
        jacobi_turn(yy, zz, yz, xy, xz);
    }
    double most = fmax(xx, fmax(yy, zz)), least = fmin(xx, fmin(yy, zz));
    values[i] = most;
    values[n + i] = xx + yy + zz - most - least;
    values[2 * n + i] = least;
}

// The eight points nearest to each of many others: they pass through shared memory, the best are
// kept in order in registers.
extern "C" __global__ void nearest_eight(const float4 *points, const float4 *queries, int *which, int many, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 q = queries[min(i, n - 1)];
    float best[8];
    int index[8];
#pragma unroll
    for (int m = 0; m < 8; m++) best[m] = 1e30f, index[m] = -1;
    for (int base = 0; base < many; base += 128) {
        if (base + threadIdx.x < many) tile[threadIdx.x] = points[base + threadIdx.x];
        __syncthreads();
        int end = min(128, many - base);
        for (int k = 0; k < end; k++) {
            float dx = tile[k].x - q.x, dy = tile[k].y - q.y, dz = tile[k].z - q.z, d = dx * dx + dy * dy + dz * dz;
            if (d >= best[7]) continue;
            best[7] = d, index[7] = base + k;
#pragma unroll
            for (int m = 7; m > 0; m--)
                if (best[m] < best[m - 1]) {
                    float swap = best[m];
                    int other = index[m];
                    best[m] = best[m - 1], index[m] = index[m - 1];
                    best[m - 1] = swap, index[m - 1] = other;
                }
        }
        __syncthreads();
    }
    if (i >= n) return;
#pragma unroll
    for (int m = 0; m < 8; m++) which[m * n + i] = index[m];
}

__device__ float towards(int hash, float x, float y)
{
    switch (hash & 7) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return -x + y;
    case 3: return -x - y;
    case 4: return 1.4f * x;
    case 5: return -1.4f * x;
    case 6: return 1.4f * y;
    default: return -1.4f * y;
    }
}

// Clouds of Perlin's noise: some layers of it, each twice as fine and half as strong as the one before.
extern "C" __global__ void perlin(const unsigned char *order, float *out, float zoom, int layers, int width, int height)
{
    __shared__ int shuffled[512];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, t = threadIdx.y * 32 + threadIdx.x;
    shuffled[t] = shuffled[t + 256] = order[t];
    __syncthreads();
    if (x >= width || y >= height) return;
    float sum = 0, strength = 1, px = x * zoom, py = y * zoom;
    for (int k = 0; k < layers; k++) {
        float fx = floorf(px), fy = floorf(py), u = px - fx, v = py - fy;
        int cx = (int)fx & 255, cy = (int)fy & 255, left = shuffled[cx] + cy, right = shuffled[cx + 1] + cy;
        float su = u * u * u * (u * (u * 6 - 15) + 10), sv = v * v * v * (v * (v * 6 - 15) + 10);
        float a = towards(shuffled[left], u, v), b = towards(shuffled[right], u - 1, v);
        float c = towards(shuffled[left + 1], u, v - 1), d = towards(shuffled[right + 1], u - 1, v - 1);
        float top = a + su * (b - a), low = c + su * (d - c);
        sum += strength * (top + sv * (low - top));
        px *= 2, py *= 2, strength /= 2;
    }
    out[y * width + x] = 0.5f + 0.5f * sum;
}

// Points turned in space, each by a quaternion of its own.
extern "C" __global__ void rotate_quaternions(const float4 *turn, const float3 *in, float3 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 q = turn[i];
    float3 v = in[i];
    float s = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w + 1e-12f);
    q.x *= s, q.y *= s, q.z *= s, q.w *= s;
    float tx = 2 * (q.y * v.z - q.z * v.y), ty = 2 * (q.z * v.x - q.x * v.z), tz = 2 * (q.x * v.y - q.y * v.x);
    out[i] = make_float3(v.x + q.w * tx + q.y * tz - q.z * ty, v.y + q.w * ty + q.z * tx - q.x * tz,
                         v.z + q.w * tz + q.x * ty - q.y * tx);
}

// Which pixels of a tile of 32 by 32 hang together? Each takes the least number among its
// neighbours, until nothing changes.
extern "C" __global__ void label_tiles(const unsigned char *picture, short *label, int width, int height)
{
    __shared__ int tile[34][34];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * 32 + threadIdx.x,
        y = blockIdx.y * 32 + threadIdx.y;
    int t = threadIdx.y * 32 + threadIdx.x, none = 1 << 20;
    for (int k = t; k < 34 * 34; k += 1024) tile[k / 34][k % 34] = none;
    __syncthreads();
    bool set = x < width && y < height && picture[y * width + x] != 0;
    int own = set ? t : none;
    tile[ty][tx] = own;
    __syncthreads();
    for (int turn = 0; turn < 1024; turn++) {
        int least = own;
        if (set)
            least = min(min(min(own, tile[ty - 1][tx]), tile[ty + 1][tx]), min(tile[ty][tx - 1], tile[ty][tx + 1]));
        if (!__syncthreads_or(least < own)) break;
        if (least < own) tile[ty][tx] = own = least;
        __syncthreads();
    }
    if (x < width && y < height) label[y * width + x] = set ? (short)own : -1;
}

// Half the cosines of a transform of eight, a row each, the first divided by the root of two.
__constant__ float cosines[8][8] = {
    {.353553f, .353553f, .353553f, .353553f, .353553f, .353553f, .353553f, .353553f},
    {.490393f, .415735f, .277785f, .097545f, -.097545f, -.277785f, -.415735f, -.490393f},
    {.461940f, .191342f, -.191342f, -.461940f, -.461940f, -.191342f, .191342f, .461940f},
    {.415735f, -.097545f, -.490393f, -.277785f, .277785f, .490393f, .097545f, -.415735f},
    {.353553f, -.353553f, -.353553f, .353553f, .353553f, -.353553f, -.353553f, .353553f},
    {.277785f, -.490393f, .097545f, .415735f, -.415735f, -.097545f, .490393f, -.277785f},
    {.191342f, -.461940f, .461940f, -.191342f, -.191342f, .461940f, -.461940f, .191342f},
    {.097545f, -.277785f, .415735f, -.490393f, .490393f, -.415735f, .277785f, -.097545f}};

// What JPEG does to squares of 8 x 8 pixels: a cosine transform along rows and columns, then few
// steps are kept. A block has four squares.
extern "C" __global__ void dct_8x8(const unsigned char *picture, short *out, int quality, int width, int height)
{
    __shared__ float pixel[4][8][8], half[4][8][8];
    int u = threadIdx.x, v = threadIdx.y, s = threadIdx.z, x = (blockIdx.x * 4 + s) * 8 + u, y = blockIdx.y * 8 + v;
    bool inside = x < width && y < height;
    pixel[s][v][u] = inside ? picture[y * width + x] - 128.f : 0;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += pixel[s][v][k] * cosines[u][k];
    half[s][v][u] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++) sum += half[s][k][u] * cosines[v][k];
    if (inside) out[y * width + x] = (short)rintf(sum / (quality + u + v));
}

// Features of two pictures, 256 bits each: which of the one has the fewest bits unlike, and is it
// clearly better than the next?
extern "C" __global__ void match_features(const uint4 *mine, const uint4 *theirs, int *match, int many, int n)
{
    __shared__ uint4 tile[64][2];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, best = 257, second = 257, which = -1, from = min(i, n - 1);
    uint4 a = mine[from * 2], b = mine[from * 2 + 1];
    for (int base = 0; base < many; base += 64) {
        if (base + t < many) {
            tile[t][0] = theirs[(base + t) * 2];
            tile[t][1] = theirs[(base + t) * 2 + 1];
        }
        __syncthreads();
        int end = min(64, many - base);
        for (int k = 0; k < end; k++) {
            uint4 c = tile[k][0], d = tile[k][1];
            int unlike = __popc(a.x ^ c.x) + __popc(a.y ^ c.y) + __popc(a.z ^ c.z) + __popc(a.w ^ c.w) +
                         __popc(b.x ^ d.x) + __popc(b.y ^ d.y) + __popc(b.z ^ d.z) + __popc(b.w ^ d.w);
            if (unlike < best) {
                second = best;
                best = unlike;
                which = base + k;
            } else
                second = min(second, unlike);
        }
        __syncthreads();
    }
    if (i < n) match[i] = 10 * best < 9 * second ? which : -1;
}

// Sums of whole numbers of 4096 bits, a warp each: ballots say where a carry begins and where it goes on.
extern "C" __global__ void add_long(const unsigned *__restrict__ a, const unsigned *__restrict__ b,
                                    unsigned *__restrict__ sum, unsigned *carries, int n)
{
    int lane = threadIdx.x % 32, number = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (number >= n) return;
    unsigned carry = 0;
    for (int k = 0; k < 4; k++) {
        int i = number * 128 + k * 32 + lane;
        unsigned u = a[i], v = u + b[i];
        unsigned begin = __ballot_sync(~0u, v < u), pass = __ballot_sync(~0u, v == ~0u);
        unsigned in = begin << 1 | carry, all = pass + in;
        sum[i] = v + ((all ^ pass) >> lane & 1);
        carry = begin >> 31 | (all < pass);
    }
    if (lane == 0) carries[number] = carry;
}

// A table grouped by a key below 256: how many rows, their sum and their greatest, first in shared
// memory and then in all.
extern "C" __global__ void group_by(const unsigned char *key, const float *value, int *count, float *sum, int *most,
                                    int n)
{
    __shared__ int counts[256], mosts[256];
    __shared__ float sums[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        counts[k] = mosts[k] = 0;
        sums[k] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
        float v = value[i];
        atomicAdd(&counts[k], 1);
        atomicAdd(&sums[k], v);
        atomicMax(&mosts[k], (int)(1000 * v));
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        if (counts[k]) {
            atomicAdd(&count[k], counts[k]);
            atomicAdd(&sum[k], sums[k]);
            atomicMax(&most[k], mosts[k]);
        }
}

// The charge of each particle is shared among the four corners of the cell that it is in.
extern "C" __global__ void deposit_charge(const float2 *place, const float *charge, float *grid, int size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = place[i].x * (size - 1), y = place[i].y * (size - 1), q = charge[i];
    int cx = max(0, min((int)x, size - 2)), cy = max(0, min((int)y, size - 2));
    float u = x - cx, v = y - cy;
    atomicAdd(&grid[cy * size + cx], q * (1 - u) * (1 - v));
    atomicAdd(&grid[cy * size + cx + 1], q * u * (1 - v));
    atomicAdd(&grid[(cy + 1) * size + cx], q * (1 - u) * v);
    atomicAdd(&grid[(cy + 1) * size + cx + 1], q * u * v);
}

// What a forest of trees says of each row of sixteen numbers: at each of eight branches one of them
// is compared, left or right.
extern "C" __global__ void forest(const float *__restrict__ rows, const int *__restrict__ feature,
                                  const float *__restrict__ limit, const float *__restrict__ leaf,
                                  float *__restrict__ out, int trees, int n)
{
    __shared__ float x[16][128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    for (int k = 0; k < 16; k++) x[k][t] = i < n ? rows[k * n + i] : 0;
    if (i >= n) return;
    float sum = 0;
    for (int tree = 0; tree < trees; tree++) {
        int at = 0;
        for (int level = 0; level < 8; level++) {
            int f = feature[tree * 255 + at] & 15;
            at = 2 * at + (x[f][t] < limit[tree * 255 + at] ? 1 : 2);
        }
        sum += leaf[tree * 256 + at - 255];
    }
    out[i] = sum / trees;
}

// Names of up to 24 letters are hashed, and how many come to the same bucket is counted.
extern "C" __global__ void hash_names(const unsigned char *names, const int *length, unsigned *hash, int *bucket,
                                      int buckets, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = 2166136261u;
    int end = min(length[i], 24);
    for (int k = 0; k < end; k++) h = (h ^ names[i * 24 + k]) * 16777619u;
    hash[i] = h;
    atomicAdd(&bucket[h % buckets], 1);
}
