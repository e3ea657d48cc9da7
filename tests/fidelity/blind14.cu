// blind14.cu: kernels of the kinds that people of many trades write for their own work, about other
// things than those of the files before. Written by someone who had not seen the code of the clock.

#include <cuda_fp16.h>

// A slice of a body from the shadows that it threw at many angles (back projection): a thread a
// pixel, blocks of 32 x 8; sines and cosines wait in shared memory.
extern "C" __global__ void back_project(const float *__restrict__ shadow, float *__restrict__ slice, int angles,
                                        int detectors, int size)
{
    __shared__ float2 turn[128];
    int own = threadIdx.y * blockDim.x + threadIdx.x;
    if (own < angles) {
        float s, c;
        sincosf(3.14159265f * own / angles, &s, &c);
        turn[own] = make_float2(c, s);
    }
    __syncthreads();
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= size || row >= size) return;
    float x = col - 0.5f * (size - 1), y = row - 0.5f * (size - 1), sum = 0;
    for (int a = 0; a < angles; a++) {
        float2 t = turn[a];
        float place = x * t.x + y * t.y + 0.5f * (detectors - 1);
        float whole = floorf(place);
        int left = (int)whole;
        if (left < 0 || left >= detectors - 1) continue;
        const float *line = shadow + a * detectors + left;
        sum += line[0] + (place - whole) * (line[1] - line[0]);
    }
    slice[row * size + col] = sum * 3.14159265f / angles;
}

// An electronic organ: a thread a moment of sound, which sums eight overtones of each key that is
// down then and fades since, for the left and the right ear.
extern "C" __global__ void add_voices(const float4 *__restrict__ key, short2 *__restrict__ sound, int keys, float rate,
                                      int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    float now = id / rate, length = n / rate, left = 0, right = 0;
    for (int k = 0; k < keys; k++) {
        float4 own = key[k];
        float since = now - own.x * length;
        if (since < 0 || since > 0.25f * length + own.w) continue;
        float cycles = since * 55 * exp2f(5 * own.y);
        cycles -= floorf(cycles);
        float tone = 0;
#pragma unroll
        for (int h = 1; h <= 8; h++) tone += __sinf(6.2831853f * h * cycles) / h;
        tone *= __expf(-3 * since) * (1 - __expf(-200 * since));
        left += tone * own.z;
        right += tone * (1 - own.z);
    }
    left = fminf(fmaxf(left * 4000, -32768), 32767);
    right = fminf(fmaxf(right * 4000, -32768), 32767);
    sound[id] = make_short2((short)__float2int_rn(left), (short)__float2int_rn(right));
}

// From single trades to the candles of a chart: first, highest, lowest and last price, how many
// pieces went and at which price on average. A warp a candle of 512 trades.
extern "C" __global__ void candlesticks(const float4 *__restrict__ price, const uint4 *__restrict__ pieces,
                                        float4 *__restrict__ candle, float2 *__restrict__ mean, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= n) return;
    float4 p[4];
    uint4 w[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        p[k] = price[warp * 128 + k * 32 + lane];
        w[k] = pieces[warp * 128 + k * 32 + lane];
    }
    float high = p[0].x, low = p[0].x, value = 0;
    unsigned volume = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        high = fmaxf(high, fmaxf(fmaxf(p[k].x, p[k].y), fmaxf(p[k].z, p[k].w)));
        low = fminf(low, fminf(fminf(p[k].x, p[k].y), fminf(p[k].z, p[k].w)));
        value += p[k].x * w[k].x + p[k].y * w[k].y + p[k].z * w[k].z + p[k].w * w[k].w;
        volume += w[k].x + w[k].y + w[k].z + w[k].w;
    }
    for (int step = 16; step > 0; step /= 2) {
        high = fmaxf(high, __shfl_xor_sync(0xffffffff, high, step));
        low = fminf(low, __shfl_xor_sync(0xffffffff, low, step));
        value += __shfl_xor_sync(0xffffffff, value, step);
        volume += __shfl_xor_sync(0xffffffff, volume, step);
    }
    float last = __shfl_sync(0xffffffff, p[3].w, 31);
    if (lane == 0) {
        candle[warp] = make_float4(p[0].x, high, low, last);
        mean[warp] = make_float2(volume, volume > 0 ? value / volume : last);
    }
}

// The integrals that quantum chemists need for the forces between electrons (Boys's functions of
// orders 0 to 4), in doubles, a thread an argument: a series for the highest order and down from
// there, or for large arguments what the lowest tends to and up.
extern "C" __global__ void boys_functions(const double *__restrict__ argument, double *__restrict__ value, double most,
                                          int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    double t = argument[id] * most, fades = exp(-t), f[5];
    if (t > 32) {
        f[0] = 0.886226925452758 / sqrt(t);
        double half = 0.5 / t;
#pragma unroll
        for (int m = 0; m < 4; m++) f[m + 1] = ((2 * m + 1) * f[m] - fades) * half;
    } else {
        double term = 1 / 9.0, sum = term;
        for (int k = 1; k < 150; k++) {
            term *= t / (4.5 + k);
            sum += term;
            if (term < 1e-15 * sum) break;
        }
        f[4] = fades * sum;
#pragma unroll
        for (int m = 3; m >= 0; m--) f[m] = (2 * t * f[m + 1] + fades) * (1.0 / (2 * m + 1));
    }
#pragma unroll
    for (int m = 0; m < 5; m++) value[m * n + id] = f[m];
}

// How likely is a family tree of eight species, given their genes (Felsenstein)? A thread a letter
// of the genes, from the leaves to the root, for four speeds of change. How a branch changes
// letters waits in shared memory; node k of the tree has the children 2k + 1 and 2k + 2.
extern "C" __global__ void site_likelihoods(const unsigned char *__restrict__ letter, const float *__restrict__ branch,
                                            float *__restrict__ likelihood, float kappa, int n)
{
    __shared__ float4 change[4][15][4];
    for (int k = threadIdx.x; k < 56; k += blockDim.x) {
        int node = k % 14 + 1, speed = k / 14;
        float time = branch[node - 1] * (0.1f + 0.6f * speed), slow = __expf(-time),
              fast = __expf(-0.5f * (kappa + 1) * time);
        float same = 0.25f + 0.25f * slow + 0.5f * fast, near = 0.25f + 0.25f * slow - 0.5f * fast,
              far = 0.25f - 0.25f * slow;
        change[speed][node][0] = make_float4(same, far, near, far);
        change[speed][node][1] = make_float4(far, same, far, near);
        change[speed][node][2] = make_float4(near, far, same, far);
        change[speed][node][3] = make_float4(far, near, far, same);
    }
    __syncthreads();
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    int leaf[8];
#pragma unroll
    for (int k = 0; k < 8; k++) leaf[k] = letter[k * n + id];
    float all = 0;
    for (int speed = 0; speed < 4; speed++) {
        float4 up[15];
#pragma unroll
        for (int node = 14; node > 0; node--) {
            const float4 *c = change[speed][node];
            if (node >= 7) {
                up[node] = c[leaf[node - 7]];
            } else {
                float4 a = up[2 * node + 1], b = up[2 * node + 2];
                float4 here = make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
                float4 c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
                up[node].x = c0.x * here.x + c1.x * here.y + c2.x * here.z + c3.x * here.w;
                up[node].y = c0.y * here.x + c1.y * here.y + c2.y * here.z + c3.y * here.w;
                up[node].z = c0.z * here.x + c1.z * here.y + c2.z * here.z + c3.z * here.w;
                up[node].w = c0.w * here.x + c1.w * here.y + c2.w * here.z + c3.w * here.w;
            }
        }
        all += up[1].x * up[2].x + up[1].y * up[2].y + up[1].z * up[2].z + up[1].w * up[2].w;
    }
    likelihood[id] = logf(all / 16);
}

// Is there a pulsar in a radio's noise? A block a frequency: samples are summed by their phase in
// 64 bins of shared memory; then how unequal the bins are.
extern "C" __global__ void fold_pulsars(const float *__restrict__ sample, float *__restrict__ unequal, double lowest,
                                        double step, int samples)
{
    __shared__ float sum[64];
    __shared__ int count[64];
    if (threadIdx.x < 64) {
        sum[threadIdx.x] = 0;
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    double frequency = lowest + step * blockIdx.x;
    for (int k = threadIdx.x; k < samples; k += blockDim.x) {
        double turns = k * frequency;
        int bin = (int)((turns - floor(turns)) * 64);
        atomicAdd(&sum[bin], sample[k]);
        atomicAdd(&count[bin], 1);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        int t = threadIdx.x;
        float both = sum[t] + sum[t + 32];
        for (int s = 16; s > 0; s /= 2) both += __shfl_xor_sync(0xffffffff, both, s);
        float mean = both / samples, odd = 0;
        for (int k = t; k < 64; k += 32) {
            float off = sum[k] - mean * count[k];
            if (count[k] > 0) odd += off * off / count[k];
        }
        for (int s = 16; s > 0; s /= 2) odd += __shfl_xor_sync(0xffffffff, odd, s);
        if (t == 0) unequal[blockIdx.x] = odd;
    }
}

// How far is each place of a game's map from the middle? A block a map of 32 x 32 in shared memory,
// four places a thread; it looks again until nothing changes.
extern "C" __global__ void maze_distances(const unsigned char *__restrict__ wall, unsigned char *__restrict__ distance,
                                          int *__restrict__ farthest)
{
    __shared__ int far[34][34];
    __shared__ int most;
    int x = threadIdx.x % 32 + 1, row = threadIdx.x / 32, base = blockIdx.x * 1024, best[4];
    bool open[4];
    for (int k = threadIdx.x; k < 34 * 34; k += 256) far[k / 34][k % 34] = 255;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int y = row + 8 * k + 1;
        open[k] = wall[base + (y - 1) * 32 + x - 1] >= 3;
        best[k] = 255;
        if (x == 16 && y == 16) {
            open[k] = true;
            best[k] = 0;
            far[y][x] = 0;
        }
    }
    __syncthreads();
    for (;;) {
        bool nearer[4], any = false;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int y = row + 8 * k + 1;
            nearer[k] = false;
            if (!open[k]) continue;
            int around = min(min(far[y - 1][x], far[y + 1][x]), min(far[y][x - 1], far[y][x + 1])) + 1;
            if (around < best[k]) {
                best[k] = around;
                nearer[k] = any = true;
            }
        }
        if (!__syncthreads_or(any)) break;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (nearer[k]) far[row + 8 * k + 1][x] = best[k];
        __syncthreads();
    }
    int mine = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        distance[base + (row + 8 * k) * 32 + x - 1] = best[k];
        if (best[k] < 255) mine = max(mine, best[k]);
    }
    atomicMax(&most, mine);
    __syncthreads();
    if (threadIdx.x == 0) farthest[blockIdx.x] = most;
}

// Where was a tile of 16 x 16 pixels in the frame before, as codecs of films want to know? A block
// a tile, a thread one of 225 moves; the least difference wins.
extern "C" __global__ void motion_search(const unsigned char *__restrict__ before,
                                         const unsigned char *__restrict__ now, char2 *__restrict__ move,
                                         int *__restrict__ cost, int dear, int width, int height)
{
    __shared__ unsigned char tile[16][16], window[30][32];
    __shared__ unsigned least[8];
    int left = blockIdx.x * 16, top = blockIdx.y * 16, t = threadIdx.x;
    tile[t / 16][t % 16] = now[(top + t / 16) * width + left + t % 16];
    for (int k = t; k < 30 * 30; k += 256) {
        int x = min(max(left - 7 + k % 30, 0), width - 1), y = min(max(top - 7 + k / 30, 0), height - 1);
        window[k / 30][k % 30] = before[y * width + x];
    }
    __syncthreads();
    unsigned best = 0xffffffffu;
    if (t < 225) {
        int dx = t % 15, dy = t / 15;
        unsigned sum = dear * (abs(dx - 7) + abs(dy - 7));
        for (int y = 0; y < 16; y++)
#pragma unroll
            for (int x = 0; x < 16; x++) sum = __usad(tile[y][x], window[y + dy][x + dx], sum);
        best = sum << 8 | t;
    }
    for (int step = 16; step > 0; step /= 2) best = min(best, __shfl_down_sync(0xffffffff, best, step));
    if (t % 32 == 0) least[t / 32] = best;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; k++) best = min(best, least[k]);
        int which = best & 255, at = blockIdx.y * gridDim.x + blockIdx.x;
        move[at] = make_char2(which % 15 - 7, which / 15 - 7);
        cost[at] = best >> 8;
    }
}

__constant__ unsigned long long keccak_round[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull, 0x000000000000808bull,
    0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008aull, 0x0000000000000088ull,
    0x0000000080008009ull, 0x000000008000000aull, 0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull,
    0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

// SHA-3 of messages of 128 bytes, a thread a message: 25 words of 64 bits, 24 rounds. Messages and
// their hashes lie word by word.
extern "C" __global__ void keccak_hashes(const unsigned long long *__restrict__ message,
                                         unsigned long long *__restrict__ hash, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    unsigned long long a[25], column[5];
#pragma unroll
    for (int k = 0; k < 25; k++) a[k] = k < 16 ? message[k * n + id] : k == 16 ? 0x8000000000000006ull : 0;
#pragma unroll 1
    for (int round = 0; round < 24; round++) {
#pragma unroll
        for (int x = 0; x < 5; x++) column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
        for (int k = 0; k < 25; k++) {
            unsigned long long next = column[(k + 1) % 5];
            a[k] ^= column[(k + 4) % 5] ^ (next << 1 | next >> 63);
        }
        unsigned long long carried = a[1];
        int x = 1, y = 0;
#pragma unroll
        for (int k = 0; k < 24; k++) {
            int turn = (k + 1) * (k + 2) / 2 % 64, below = (2 * x + 3 * y) % 5;
            x = y;
            y = below;
            unsigned long long taken = a[y * 5 + x];
            a[y * 5 + x] = carried << turn | carried >> (64 - turn);
            carried = taken;
        }
#pragma unroll
        for (int r = 0; r < 25; r += 5) {
#pragma unroll
            for (int k = 0; k < 5; k++) column[k] = a[r + k];
#pragma unroll
            for (int k = 0; k < 5; k++) a[r + k] = column[k] ^ (~column[(k + 1) % 5] & column[(k + 2) % 5]);
        }
        a[0] ^= keccak_round[round];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) hash[k * n + id] = a[k];
}

// Spots and stripes as on a leopard (Gray and Scott): two substances spread and feed on each other,
// a pair of halves a place, a step for each. Blocks of 32 x 8.
extern "C" __global__ void spots_half(const __half2 *__restrict__ in, __half2 *__restrict__ out, float feed, float kill,
                                      int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int west = x > 0 ? x - 1 : width - 1, east = x < width - 1 ? x + 1 : 0, north = y > 0 ? y - 1 : height - 1,
        south = y < height - 1 ? y + 1 : 0;
    __half2 own = in[y * width + x];
    __half2 around = __hadd2(__hadd2(in[y * width + west], in[y * width + east]),
                             __hadd2(in[north * width + x], in[south * width + x]));
    __half2 spread = __hfma2(own, __float2half2_rn(-4), around);
    __half a = __low2half(own), b = __high2half(own), eaten = __hmul(a, __hmul(b, b));
    __half2 gains = __halves2half2(__hfma(__float2half(feed), __hsub(__float2half(1), a), __hneg(eaten)),
                                   __hfma(__float2half(-feed - kill), b, eaten));
    __half2 next = __hadd2(__hfma2(__floats2half2_rn(0.2f, 0.1f), spread, own), gains);
    out[y * width + x] = __hmin2(__hmax2(next, __float2half2_rn(0)), __float2half2_rn(1));
}

// Which two of 64 experts shall work on each word (a mixture of experts)? A warp a word, eight
// words one after the other; a block's 64 words get seats with their experts by one addition each,
// and behind that their places in its queue.
extern "C" __global__ void pick_experts(const float2 *__restrict__ score, int *__restrict__ taken,
                                        uchar2 *__restrict__ expert, float2 *__restrict__ weight,
                                        int2 *__restrict__ seat, int words)
{
    __shared__ int count[64], first[64];
    __shared__ int2 chosen[64], place[64];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < 64) count[threadIdx.x] = 0;
    __syncthreads();
    for (int k = warp; k < 64; k += 8) {
        int word = blockIdx.x * 64 + k;
        if (word >= words) break;
        float2 own = score[word * 32 + lane];
        float top[2];
        int who[2];
#pragma unroll
        for (int turn = 0; turn < 2; turn++) {
            float most = own.x;
            int at = 2 * lane;
            if (own.y > most) {
                most = own.y;
                at++;
            }
            for (int step = 16; step > 0; step /= 2) {
                float other = __shfl_xor_sync(0xffffffff, most, step);
                int others = __shfl_xor_sync(0xffffffff, at, step);
                if (other > most || (other == most && others < at)) {
                    most = other;
                    at = others;
                }
            }
            top[turn] = most;
            who[turn] = at;
            if (at == 2 * lane) own.x = -1e30f;
            if (at == 2 * lane + 1) own.y = -1e30f;
        }
        if (lane == 0) {
            float second = __expf(top[1] - top[0]), share = 1 / (1 + second);
            chosen[k] = make_int2(who[0], who[1]);
            place[k] = make_int2(atomicAdd(&count[who[0]], 1), atomicAdd(&count[who[1]], 1));
            expert[word] = make_uchar2(who[0], who[1]);
            weight[word] = make_float2(share, second * share);
        }
    }
    __syncthreads();
    int t = threadIdx.x;
    if (t < 64) first[t] = count[t] > 0 ? atomicAdd(&taken[t], count[t]) : 0;
    __syncthreads();
    if (t < 64 && blockIdx.x * 64 + t < words)
        seat[blockIdx.x * 64 + t] = make_int2(first[chosen[t].x] + place[t].x, first[chosen[t].y] + place[t].y);
}

// Groups among people who know each other: each takes over the group that most of his eight friends
// are in, the smaller number if two are alike. A thread a person.
extern "C" __global__ void join_majority(const uint4 *__restrict__ friends, const int *__restrict__ group,
                                         int *__restrict__ joins, int *__restrict__ changed, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    bool moves = false;
    if (id < n) {
        uint4 a = friends[2 * id], b = friends[2 * id + 1];
        int g[8] = {group[a.x], group[a.y], group[a.z], group[a.w], group[b.x], group[b.y], group[b.z], group[b.w]};
        int best = g[0], most = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            int alike = 1;
#pragma unroll
            for (int other = k + 1; other < 8; other++) alike += g[other] == g[k];
            if (alike > most || (alike == most && g[k] < best)) {
                most = alike;
                best = g[k];
            }
        }
        joins[id] = best;
        moves = best != group[id];
    }
    int all = __syncthreads_count(moves);
    if (threadIdx.x == 0 && all > 0) atomicAdd(changed, all);
}

// Which way does a surface look at each of its corners? A thread a triangle, which adds its own
// direction, by its area, to those of its three corners.
extern "C" __global__ void corner_normals(const float *__restrict__ corner, const unsigned char *__restrict__ offset,
                                          float *__restrict__ normal, int triangles)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= triangles) return;
    int at[3];
    float p[3][3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        at[k] = id / 2 + offset[3 * id + k];
#pragma unroll
        for (int axis = 0; axis < 3; axis++) p[k][axis] = corner[3 * at[k] + axis];
    }
    float ax = p[1][0] - p[0][0], ay = p[1][1] - p[0][1], az = p[1][2] - p[0][2];
    float bx = p[2][0] - p[0][0], by = p[2][1] - p[0][1], bz = p[2][2] - p[0][2];
    float nx = ay * bz - az * by, ny = az * bx - ax * bz, nz = ax * by - ay * bx;
    if (nx * nx + ny * ny + nz * nz < 1e-12f) return;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        atomicAdd(&normal[3 * at[k]], nx);
        atomicAdd(&normal[3 * at[k] + 1], ny);
        atomicAdd(&normal[3 * at[k] + 2], nz);
    }
}

// Where to cut a file so that a backup finds the same pieces again, wherever they have moved to: at
// bytes behind which a hash of the last 32 begins with zeros. A thread 32 bytes, which reads the 32
// before them first; what a byte adds to the hash is drawn by chance and lies in shared memory.
extern "C" __global__ void cut_pieces(const uint4 *__restrict__ file, const unsigned *__restrict__ adds,
                                      unsigned *__restrict__ cuts, int *__restrict__ many, int zeros, int n)
{
    __shared__ unsigned table[256];
    table[threadIdx.x] = adds[threadIdx.x];
    __syncthreads();
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
    if (id < n) {
        unsigned hash = 0;
        for (int piece = id > 0 ? 0 : 2; piece < 4; piece++) {
            uint4 four = file[2 * id - 2 + piece];
            unsigned word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int k = 0; k < 16; k++) {
                hash = (hash << 1) + table[word[k / 4] >> 8 * (k % 4) & 255];
                if (piece >= 2 && hash >> (32 - zeros) == 0) found |= 1u << (16 * (piece - 2) + k);
            }
        }
        cuts[id] = found;
    }
    int sum = __popc(found);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0 && sum > 0) atomicAdd(many, sum);
}

// The shortest net of cables between 256 places (Prim): a block a net, a thread a place. The place
// next to the net joins it, then all look how far they are from that.
extern "C" __global__ void cable_nets(const float *__restrict__ place, unsigned char *__restrict__ joins,
                                      float *__restrict__ length)
{
    __shared__ float x[256], y[256];
    __shared__ unsigned long long nearest[2][8];
    int t = threadIdx.x, at = blockIdx.x * 256 + t, link = 0;
    x[t] = place[2 * at];
    y[t] = place[2 * at + 1];
    __syncthreads();
    float own = x[t], mine = y[t], away = (own - x[0]) * (own - x[0]) + (mine - y[0]) * (mine - y[0]), sum = 0;
    bool waits = t > 0;
    for (int step = 0; step < 255; step++) {
        unsigned long long key = waits ? (unsigned long long)__float_as_uint(away) << 32 | t : ~0ull;
        for (int s = 16; s > 0; s /= 2) {
            unsigned long long other = __shfl_xor_sync(0xffffffff, key, s);
            if (other < key) key = other;
        }
        if (t % 32 == 0) nearest[step & 1][t / 32] = key;
        __syncthreads();
        key = nearest[step & 1][0];
        for (int k = 1; k < 8; k++)
            if (nearest[step & 1][k] < key) key = nearest[step & 1][k];
        int next = (int)(key & 255);
        sum += sqrtf(__uint_as_float((unsigned)(key >> 32)));
        if (t == next) waits = false;
        float dx = own - x[next], dy = mine - y[next], new_away = dx * dx + dy * dy;
        if (waits && new_away < away) {
            away = new_away;
            link = next;
        }
    }
    joins[at] = link;
    if (t == 0) length[blockIdx.x] = sum;
}

// Arms of robots reach for something (by cyclic descent): each of six joints, from the hand to the
// shoulder, turns the hand towards it, but only so far at once. A thread an arm, until its hand is
// there or it has tried often enough.
extern "C" __global__ void reach_arms(const float2 *__restrict__ target, float *__restrict__ angle,
                                      unsigned char *__restrict__ tries, float limit, float near, int most, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    float2 want = target[id];
    float wx = 9 * want.x - 3, wy = 9 * want.y - 3, x[7], y[7], turned[6];
    x[0] = y[0] = 0;
#pragma unroll
    for (int k = 0; k < 6; k++) {
        x[k + 1] = x[k] + 1.5f - 0.2f * k;
        y[k + 1] = 0;
        turned[k] = 0;
    }
    int tried = 0;
    while (tried < most) {
        float dx = wx - x[6], dy = wy - y[6];
        if (dx * dx + dy * dy < near * near) break;
#pragma unroll
        for (int j = 5; j >= 0; j--) {
            float hx = x[6] - x[j], hy = y[6] - y[j], tx = wx - x[j], ty = wy - y[j];
            float turn = atan2f(hx * ty - hy * tx, hx * tx + hy * ty), s, c;
            turn = fminf(fmaxf(turn, -limit), limit);
            turned[j] += turn;
            __sincosf(turn, &s, &c);
#pragma unroll
            for (int k = j + 1; k < 7; k++) {
                float ax = x[k] - x[j], ay = y[k] - y[j];
                x[k] = x[j] + c * ax - s * ay;
                y[k] = y[j] + s * ax + c * ay;
            }
        }
        tried++;
    }
#pragma unroll
    for (int k = 0; k < 6; k++) angle[k * n + id] = turned[k];
    tries[id] = tried;
}
