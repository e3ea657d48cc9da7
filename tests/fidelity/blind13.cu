// blind13.cu: kernels of the kinds that people of many trades write for their own work, about other
// things than those of the files before. Written by someone who had not seen the code of the clock.

#include <cuda_fp16.h>

// One round of making lines thin (Zhang and Suen): what lies on the rim of ink, but is not needed
// to hold it together, is taken away. A thread a pixel, blocks of 32 x 8.
extern "C" __global__ void thin_lines(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int second,
                                      int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int at = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1 || in[at] == 0) {
        out[at] = 0;
        return;
    }
    int p[8] = {in[at - width] != 0, in[at - width + 1] != 0, in[at + 1] != 0, in[at + width + 1] != 0,
                in[at + width] != 0, in[at + width - 1] != 0, in[at - 1] != 0, in[at - width - 1] != 0};
    int ink = 0, begins = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        ink += p[k];
        begins += p[k] == 0 && p[(k + 1) % 8] == 1;
    }
    bool away = ink >= 2 && ink <= 6 && begins == 1;
    if (away) {
        if (second) away = !(p[0] && p[2] && p[6]) && !(p[0] && p[4] && p[6]);
        else away = !(p[0] && p[2] && p[4]) && !(p[2] && p[4] && p[6]);
    }
    out[at] = away ? 0 : 1;
}

// Sorts lists of 32 numbers by a heap, a list a thread, which lies in a column of shared memory.
extern "C" __global__ void heap_sorts(const float *__restrict__ in, float *__restrict__ out, int lists)
{
    __shared__ float heap[32][128];
    int t = threadIdx.x, id = blockIdx.x * 128 + t;
    if (id >= lists) return;
    for (int k = 0; k < 32; k++) heap[k][t] = in[k * lists + id];
    int root = 16, size = 32;
    while (size > 1) {
        float sinks;
        if (root > 0) {
            root--;
            sinks = heap[root][t];
        } else {
            size--;
            sinks = heap[size][t];
            heap[size][t] = heap[0][t];
        }
        int at = root;
        for (;;) {
            int child = 2 * at + 1;
            if (child >= size) break;
            float greater = heap[child][t];
            if (child + 1 < size && heap[child + 1][t] > greater) greater = heap[++child][t];
            if (greater <= sinks) break;
            heap[at][t] = greater;
            at = child;
        }
        heap[at][t] = sinks;
    }
    for (int k = 0; k < 32; k++) out[k * lists + id] = heap[k][t];
}

// How many columns does a name in UTF-8 take on a screen, and how many of its bytes are wrong? A
// thread a name of 32 bytes, which ends early with a 0.
extern "C" __global__ void name_widths(const unsigned char *__restrict__ names, unsigned char *__restrict__ width,
                                       unsigned char *__restrict__ wrong, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    const unsigned char *name = names + (size_t)id * 32;
    int columns = 0, errors = 0, k = 0;
    while (k < 32) {
        unsigned c = name[k++];
        if (c == 0) break;
        int more = 0;
        unsigned least = 0;
        switch (c >> 4) {
        case 8: case 9: case 10: case 11:
            errors++;
            columns++;
            continue;
        case 12: case 13:
            more = 1;
            least = 0x80;
            c &= 31;
            break;
        case 14:
            more = 2;
            least = 0x800;
            c &= 15;
            break;
        case 15:
            more = 3;
            least = 0x10000;
            c &= 7;
            break;
        default:
            if (c >= 32 && c != 127) columns++;
            continue;
        }
        while (more > 0 && k < 32 && (name[k] & 0xc0) == 0x80) {
            c = c << 6 | (name[k++] & 63);
            more--;
        }
        if (more > 0 || c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
            errors++;
            columns++;
        } else if (c >= 0x300 && c < 0x370) {
            continue;
        } else if ((c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 && c < 0xd7a4) ||
                   (c >= 0x1f300 && c < 0x1f650)) {
            columns += 2;
        } else {
            columns++;
        }
    }
    width[id] = columns;
    wrong[id] = errors;
}

// Numbers from a stream of bits, as films are packed: as many zeros as there are bits behind the
// next one (Golomb's codes). A thread a stream of 512 bits.
extern "C" __global__ void golomb_codes(const unsigned *__restrict__ bits, short *__restrict__ value,
                                        unsigned char *__restrict__ count, int most, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    const unsigned *own = bits + id * 16;
    unsigned long long window = 0;
    int have = 0, next = 0, done = 0;
    while (done < most) {
        if (have < 32 && next < 16) {
            window |= (unsigned long long)own[next++] << (32 - have);
            have += 32;
        }
        int zeros = __clzll(window);
        if (zeros > 14 || 2 * zeros + 1 > have) break;
        int code = (int)(window >> (63 - 2 * zeros)) - 1;
        window <<= 2 * zeros + 1;
        have -= 2 * zeros + 1;
        value[done * n + id] = code & 1 ? (code + 1) / 2 : -(code / 2);
        done++;
    }
    count[id] = done;
}

// Waves on shallow water, a step by Lax and Friedrichs: depth and flow of each place from those of
// its four neighbours, the sides of the sea meet. Blocks of 32 x 8.
extern "C" __global__ void shallow_water(const float *__restrict__ depth, const float *__restrict__ flowx,
                                         const float *__restrict__ flowy, float *__restrict__ newdepth,
                                         float *__restrict__ newx, float *__restrict__ newy, float step, float gravity,
                                         int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int west = y * width + (x > 0 ? x - 1 : width - 1), east = y * width + (x < width - 1 ? x + 1 : 0);
    int north = (y > 0 ? y - 1 : height - 1) * width + x, south = (y < height - 1 ? y + 1 : 0) * width + x;
    float hw = depth[west], he = depth[east], hn = depth[north], hs = depth[south];
    float uw = flowx[west], ue = flowx[east], un = flowx[north], us = flowx[south];
    float vw = flowy[west], ve = flowy[east], vn = flowy[north], vs = flowy[south];
    float rw = 1 / fmaxf(hw, 0.01f), re = 1 / fmaxf(he, 0.01f), rn = 1 / fmaxf(hn, 0.01f), rs = 1 / fmaxf(hs, 0.01f),
          half = gravity / 2;
    int at = y * width + x;
    newdepth[at] = 0.25f * (hw + he + hn + hs) - step * (ue - uw + vs - vn);
    newx[at] = 0.25f * (uw + ue + un + us) -
               step * (ue * ue * re + half * he * he - uw * uw * rw - half * hw * hw + us * vs * rs - un * vn * rn);
    newy[at] = 0.25f * (vw + ve + vn + vs) -
               step * (ue * ve * re - uw * vw * rw + vs * vs * rs + half * hs * hs - vn * vn * rn - half * hn * hn);
}

// Which guess at Mastermind leaves the fewest codes, at worst? A block a guess of four pegs in six
// colours; its 432 threads compare it with all 1296 codes.
extern "C" __global__ void mastermind(int *__restrict__ worst, float *__restrict__ mean)
{
    __shared__ int left[25];
    if (threadIdx.x < 25) left[threadIdx.x] = 0;
    __syncthreads();
    int guess[4], code = blockIdx.x;
    for (int k = 0; k < 4; k++) {
        guess[k] = code % 6;
        code /= 6;
    }
    for (int secret = threadIdx.x; secret < 1296; secret += 432) {
        int rest = secret, black = 0, both = 0;
        unsigned mine = 0, theirs = 0;
        for (int k = 0; k < 4; k++) {
            int colour = rest % 6;
            rest /= 6;
            black += colour == guess[k];
            mine += 1u << 4 * guess[k];
            theirs += 1u << 4 * colour;
        }
        for (int c = 0; c < 6; c++) both += min(mine >> 4 * c & 15, theirs >> 4 * c & 15);
        atomicAdd(&left[black * 5 + both - black], 1);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        int most = threadIdx.x < 25 ? left[threadIdx.x] : 0, square = most * most;
        for (int step = 16; step > 0; step /= 2) {
            most = max(most, __shfl_down_sync(0xffffffff, most, step));
            square += __shfl_down_sync(0xffffffff, square, step);
        }
        if (threadIdx.x == 0) {
            worst[blockIdx.x] = most;
            mean[blockIdx.x] = square / 1296.0f;
        }
    }
}

// Parts 32 people into two halls such that many friends are apart, by slow cooling: a warp a party,
// a lane a person; of those who want to move one does.
extern "C" __global__ void anneal_parties(const unsigned *__restrict__ friends, unsigned *__restrict__ hall,
                                          int *__restrict__ apart, float hot, float cooling, int steps)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned later = friends[id] & ~(0xffffffffu >> (31 - lane)), knows = later;
    for (int k = 0; k < 32; k++) {
        unsigned earlier = __ballot_sync(0xffffffff, later >> k & 1);
        if (lane == k) knows |= earlier;
    }
    unsigned sides = 0, lot = id * 2654435761u + 12345u, best = 0;
    int cut = 0, most = 0;
    float heat = hot;
    for (int s = 0; s < steps; s++) {
        unsigned same = sides >> lane & 1 ? sides : ~sides;
        int gain = 2 * __popc(knows & same) - __popc(knows);
        lot ^= lot << 13;
        lot ^= lot >> 17;
        lot ^= lot << 5;
        bool wants = gain > 0 || (lot >> 8) * (1.0f / 16777216) < __expf(gain / heat);
        unsigned all = __ballot_sync(0xffffffff, wants);
        int turn = __shfl_sync(0xffffffff, lot >> 27, 0);
        heat *= cooling;
        if (all == 0) continue;
        int who = (__ffs(__funnelshift_r(all, all, turn)) - 1 + turn) & 31;
        sides ^= 1u << who;
        cut += __shfl_sync(0xffffffff, gain, who);
        if (cut > most) {
            most = cut;
            best = sides;
        }
    }
    if (lane == 0) {
        hall[id / 32] = best;
        apart[id / 32] = most;
    }
}

// The last ancestor that two members of a family tree have in common. Who is the parent of number k
// was drawn among those before k. A thread a pair.
extern "C" __global__ void common_ancestors(const unsigned *__restrict__ lot, const uint2 *__restrict__ pair,
                                            unsigned *__restrict__ ancestor, unsigned short *__restrict__ apart, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    unsigned a = pair[id].x, b = pair[id].y, steps = 0;
    while (a != b) {
        if (a < b) {
            unsigned t = a;
            a = b;
            b = t;
        }
        a = lot[a] % a;
        steps++;
    }
    ancestor[id] = a;
    apart[id] = steps;
}

// Turns pairs of halves by angles that grow with their place in a text, as language models do
// before attention: eight halves a thread, heads of 64 of them.
extern "C" __global__ void rotary_half(const uint4 *__restrict__ in, uint4 *__restrict__ out, int heads, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    int place = id / (8 * heads), first = id % 8 * 4;
    uint4 eight = in[id];
    __half2 *x = (__half2 *)&eight;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float angle = place * exp2f(-13.28771238f / 32 * (first + k)), s, c;
        sincosf(angle, &s, &c);
        float2 v = __half22float2(x[k]);
        x[k] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
    }
    out[id] = eight;
}

// Where to look at a function, and with which weights, to get its area (Gauss and Legendre), in
// doubles: a block a rule of one point more, a thread a point of a half.
extern "C" __global__ void gauss_rules(double *__restrict__ point, double *__restrict__ weight, double enough)
{
    __shared__ double part[256];
    for (int k = threadIdx.x; k < 256; k += 128) part[k] = 1.0 / (k + 1);
    __syncthreads();
    int n = blockIdx.x + 1, i = threadIdx.x;
    if (i >= (n + 1) / 2) return;
    double x = cos(3.141592653589793 * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int tries = 0; tries < 20; tries++) {
        double p = x, before = 1;
        for (int k = 2; k <= n; k++) {
            double next = x * p + (x * p - before) * (1 - part[k - 1]);
            before = p;
            p = next;
        }
        slope = n * (x * p - before) / (x * x - 1);
        double change = p / slope;
        x -= change;
        if (fabs(change) < enough) break;
    }
    point[blockIdx.x * 128 + i] = x;
    weight[blockIdx.x * 128 + i] = 2 / ((1 - x * x) * slope * slope);
}

// Speech as telephones send it: a block a piece of 240 samples, how alike it is to itself 0 to 10
// samples later, and from that ten coefficients by Levinson's way.
extern "C" __global__ void speech_coefficients(const float *__restrict__ sound, float *__restrict__ coefficient,
                                               float *__restrict__ error, int hop)
{
    __shared__ float piece[240], alike[11];
    const float *own = sound + blockIdx.x * hop;
    for (int k = threadIdx.x; k < 240; k += blockDim.x)
        piece[k] = own[k] * (0.54f - 0.46f * __cosf(6.2831853f * k / 239));
    __syncthreads();
    int lane = threadIdx.x % 32;
    for (int lag = threadIdx.x / 32; lag <= 10; lag += blockDim.x / 32) {
        float sum = 0;
        for (int k = lane; k + lag < 240; k += 32) sum += piece[k] * piece[k + lag];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
        if (lane == 0) alike[lag] = sum;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    float a[11], rest = alike[0] + 1e-6f;
    a[0] = 1;
    for (int m = 1; m <= 10; m++) {
        float sum = alike[m];
        for (int k = 1; k < m; k++) sum += a[k] * alike[m - k];
        float r = -sum / rest;
        a[m] = r;
        for (int k = 1; k <= m / 2; k++) {
            float low = a[k], high = a[m - k];
            a[k] = low + r * high;
            if (k != m - k) a[m - k] = high + r * low;
        }
        rest *= 1 - r * r;
    }
    for (int m = 1; m <= 10; m++) coefficient[blockIdx.x * 10 + m - 1] = a[m];
    error[blockIdx.x] = rest;
}

// Which boxes touch? They come in the order of their left sides, so each looks at those behind it
// until one begins too far right. Pairs go into a list, which begins again at its front when it is
// full.
extern "C" __global__ void touching_boxes(const float4 *__restrict__ box, int2 *__restrict__ pair,
                                          int *__restrict__ many, float wide, float high, int room, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    float4 own = box[id];
    float right = id + own.x + own.y * wide, bottom = own.z, top = own.z + own.w * high;
    for (int other = id + 1; other < n; other++) {
        float4 b = box[other];
        if (other + b.x > right) break;
        if (b.z > top || b.z + b.w * high < bottom) continue;
        int at = atomicAdd(many, 1);
        pair[at & (room - 1)] = make_int2(id, other);
    }
}

// A day at a bank, a thread a day: customers come by chance and go to the clerk who is free first,
// but not if they would wait too long.
extern "C" __global__ void bank_days(float *__restrict__ waited, int *__restrict__ lost, int clerks, float busy,
                                     float patience, int customers)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    float free[8];
    for (int k = 0; k < clerks; k++) free[k] = 0;
    unsigned lot = id * 747796405u + 2891336453u;
    float now = 0, sum = 0;
    int gone = 0;
    for (int c = 0; c < customers; c++) {
        lot = lot * 1664525u + 1013904223u;
        now -= __logf(((lot >> 9) + 0.5f) * (1.0f / 8388608));
        int first = 0;
        for (int k = 1; k < clerks; k++)
            if (free[k] < free[first]) first = k;
        float wait = fmaxf(free[first] - now, 0);
        if (wait > patience) {
            gone++;
            continue;
        }
        lot = lot * 1664525u + 1013904223u;
        float takes = -busy * clerks * __logf(((lot >> 9) + 0.5f) * (1.0f / 8388608));
        free[first] = now + wait + takes;
        sum += wait;
    }
    waited[id] = sum / max(customers - gone, 1);
    lost[id] = gone;
}

// Which places lie inside a border of many corners? Each counts the sides to its right, in doubles
// as maps have them. The corners wait in shared memory.
extern "C" __global__ void inside_border(const double2 *__restrict__ corner, const double2 *__restrict__ place,
                                         unsigned char *__restrict__ inside, int corners, int n)
{
    __shared__ double2 c[256];
    for (int k = threadIdx.x; k < corners; k += blockDim.x) c[k] = corner[k];
    __syncthreads();
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    double x = place[id].x, y = place[id].y;
    bool in = false;
    for (int k = 0, before = corners - 1; k < corners; before = k++) {
        double2 a = c[k], b = c[before];
        if (a.y > y != b.y > y) {
            double side = (b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y);
            if (b.y > a.y ? side > 0 : side < 0) in = !in;
        }
    }
    inside[id] = in;
}

// Which lines of a text follow a pattern? A machine of 32 states reads a line of 48 letters a
// thread and stops in state 0; its table lies in shared memory.
extern "C" __global__ void match_lines(const unsigned char *__restrict__ table, const unsigned char *__restrict__ text,
                                       unsigned char *__restrict__ matches, int *__restrict__ count, int lines)
{
    __shared__ unsigned char next[32 * 64];
    for (int k = threadIdx.x; k < 32 * 64; k += blockDim.x) next[k] = table[k];
    __syncthreads();
    int id = blockIdx.x * blockDim.x + threadIdx.x, state = 0;
    if (id < lines) {
        state = 1;
        for (int k = 0; k < 48; k++) {
            int letter = text[id * 48 + k];
            state = next[state * 64 + letter];
            if (state == 0) break;
        }
        matches[id] = state >= 16;
    }
    int all = __syncthreads_count(state >= 16);
    if (threadIdx.x == 0) count[blockIdx.x] = all;
}

// A gate of a quantum computer: where one bit of the place is set, the two amplitudes that differ
// in another bit are mixed. Two neighbours a thread, as a float4.
extern "C" __global__ void controlled_gate(float4 *__restrict__ state, int target, int control, float cosine,
                                           float sine, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    int low = id & ((1 << target) - 1), zero = (id - low) * 2 + low, one = zero | 1 << target;
    if ((zero >> control & 1) == 0) return;
    float4 a = state[zero], b = state[one];
    state[zero] = make_float4(cosine * a.x + sine * b.y, cosine * a.y - sine * b.x, cosine * a.z + sine * b.w,
                              cosine * a.w - sine * b.z);
    state[one] = make_float4(sine * a.y + cosine * b.x, cosine * b.y - sine * a.x, sine * a.w + cosine * b.z,
                             cosine * b.w - sine * a.z);
}
