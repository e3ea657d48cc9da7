// blind10.cu: kernels whose blocks are not alike: some have many times the work of others. Written,
// and simulated (blind10.predicted), before any of them had run on a card. scripts/sample-check
// also looks at them, since only some of their blocks are timed unless all are asked for.

// The Mandelbrot set: pixels inside go all the way, those outside leave early.
extern "C" __global__ void escape_times(unsigned short *__restrict__ times, int width, int height, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float re = -2.2f + 3.2f * x / width, im = -1.4f + 2.8f * y / height, a = 0, b = 0;
    int n = 0;
    while (n < most && a * a + b * b < 4) {
        float next = a * a - b * b + re;
        b = 2 * a * b + im;
        a = next;
        n++;
    }
    times[y * width + x] = n;
}

// Which of the three roots of z^3 = 1 Newton's method finds from here, and how soon: slow along the
// borders of their regions.
extern "C" __global__ void newton_roots(unsigned char *__restrict__ found, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float a = 4.f * x / width - 2, b = 4.f * y / height - 2;
    int n = 0;
    for (; n < 60; n++) {
        float a2 = a * a - b * b, b2 = 2 * a * b, a3 = a2 * a - b2 * b - 1, b3 = a2 * b + b2 * a;
        float size = a2 * a2 + b2 * b2;
        if (a3 * a3 + b3 * b3 < 1e-6f || size == 0) break;
        a -= (a3 * a2 + b3 * b2) / (3 * size);
        b -= (b3 * a2 - a3 * b2) / (3 * size);
    }
    found[y * width + x] = n * 4 + (a > 0.5f ? 0 : b > 0 ? 1 : 2);
}

// How many steps of halving and of three times and one more take each number to 1.
extern "C" __global__ void collatz_lengths(unsigned short *__restrict__ length, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned long long v = i + 1ull;
    int n = 0;
    for (; v != 1; n++) v = v & 1 ? 3 * v + 1 : v >> 1;
    length[i] = n;
}

// Is it a prime? The greater the number, the more divisors have to be tried; most are soon done.
extern "C" __global__ void odd_primes(unsigned char *__restrict__ prime, unsigned first, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned v = first + 2 * i, d = 3;
    while (d * d <= v && v % d) d += 2;
    prime[i] = v > 1 && d * d > v;
}

// A ray through a lattice of balls, thrown back from ball to ball until it gets away: pixels of the
// sky have nothing to do.
extern "C" __global__ void bouncing_rays(float *__restrict__ light, int width, int height, int balls)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float px = 0, py = 0, pz = -6, dx = 1.2f * x / width - 0.6f, dy = 0.9f * y / height - 0.3f, dz = 1, sum = 0,
          weight = 1;
    for (int bounce = 0; bounce < 6; bounce++) {
        float scale = rsqrtf(dx * dx + dy * dy + dz * dz), nearest = 1e9f;
        int hit = -1;
        dx *= scale, dy *= scale, dz *= scale;
        for (int k = 0; k < balls; k++) {
            float cx = (k % 4 - 1.5f) * 1.3f - px, cy = (k / 4 % 3) * 0.9f - 1.4f - py, cz = (k % 5) * 0.8f - pz;
            float along = cx * dx + cy * dy + cz * dz, off = cx * cx + cy * cy + cz * cz - along * along;
            if (along > 0 && off < 0.16f) {
                float t = along - sqrtf(0.16f - off);
                if (t > 1e-3f && t < nearest) nearest = t, hit = k;
            }
        }
        if (hit < 0) break;
        px += nearest * dx, py += nearest * dy, pz += nearest * dz;
        float nx = px - (hit % 4 - 1.5f) * 1.3f, ny = py - ((hit / 4 % 3) * 0.9f - 1.4f), nz = pz - (hit % 5) * 0.8f;
        float twice = 2 * (dx * nx + dy * ny + dz * nz) / (nx * nx + ny * ny + nz * nz);
        dx -= twice * nx, dy -= twice * ny, dz -= twice * nz;
        weight *= 0.7f;
        sum += weight * (0.5f + 0.5f * ny);
    }
    light[y * width + x] = sum;
}

// How long a walk of a whole block's threads stays within a circle, whose size the block says:
// small circles are soon left.
extern "C" __global__ void walks_inside(unsigned *__restrict__ steps, int most)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, seed = i * 747796405u + 2891336453u;
    int limit = 4 + blockIdx.x * 2654435761u % 29, n = 0;
    float x = 0, y = 0;
    while (n < most && x * x + y * y < limit * limit) {
        seed = seed * 1664525u + 1013904223u;
        x += (int)(seed >> 16 & 255) / 127.5f - 1;
        y += (int)(seed >> 24) / 127.5f - 1;
        n++;
    }
    steps[i] = n;
}

// Rows below the diagonal: row r has r numbers. A block a row.
extern "C" __global__ void lower_row_sums(const float *__restrict__ a, float *__restrict__ sum, int n)
{
    __shared__ float part[8];
    int r = blockIdx.x;
    float s = 0;
    for (int c = threadIdx.x; c <= r; c += blockDim.x) s += a[(size_t)r * n + c];
    for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned k = 1; k < blockDim.x / 32; k++) s += part[k];
        sum[r] = s;
    }
}

// A sparse matrix by rows, a warp a row: every 61st row is a hundred times longer.
extern "C" __global__ void skewed_rows(const unsigned *__restrict__ column, const float *__restrict__ value,
                                       const float *__restrict__ x, float *__restrict__ y, int rows, unsigned mask)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    unsigned length = r % 61 == 0 ? 6400 : 64, first = r * 167u;
    float s = 0;
    for (unsigned k = lane; k < length; k += 32) s += value[first + k & mask] * x[column[first + k & mask]];
    for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k);
    if (lane == 0) y[r] = s;
}

// Euclid's algorithm for pairs: some are done at once, others take a quotient for each golden ratio between them.
extern "C" __global__ void common_divisors(unsigned *__restrict__ coprime, unsigned first)
{
    unsigned a = first + blockIdx.x, found = 0;
    for (unsigned b = threadIdx.x + 1; b <= a; b += blockDim.x) {
        unsigned p = a, q = b;
        while (q) {
            unsigned rest = p % q;
            p = q;
            q = rest;
        }
        found += p == 1;
    }
    found += __shfl_xor_sync(~0u, found, 16);
    found += __shfl_xor_sync(~0u, found, 8);
    if (threadIdx.x % 32 == 0) atomicAdd(&coprime[blockIdx.x], found);
}

// Langton's ant on a torus of its own, in shared memory, a thread an ant; a block's ants walk the
// longer the further on it stands.
extern "C" __global__ void ants(unsigned *__restrict__ black, int steps_each)
{
    __shared__ unsigned row[32][33];
    for (int k = 0; k < 32; k++) row[threadIdx.x][k] = 0;
    int x = 16, y = 16, way = threadIdx.x % 4, n = 0;
    for (int k = steps_each * (int)(blockIdx.x % 16 + 1); k; k--) {
        unsigned bit = 1u << x, line = row[threadIdx.x][y];
        way = (line & bit ? way + 3 : way + 1) & 3;
        row[threadIdx.x][y] = line ^ bit;
        x = (x + (way == 1) - (way == 3)) & 31;
        y = (y + (way == 0) - (way == 2)) & 31;
    }
    for (int k = 0; k < 32; k++) n += __popc(row[threadIdx.x][k]);
    black[blockIdx.x * 32 + threadIdx.x] = n;
}
