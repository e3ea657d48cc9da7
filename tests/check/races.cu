// races.cu: small kernels for tests/unit/checks.c, right and wrong ways of ordering accesses. All
// take (int *a, int *b, int n); a is zeroed by the host, b is not written by it. The names say what
// is tested; those that begin with bad_ must be reported.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void
#define T threadIdx.x

// ---- right ----
K ok_tile(int *a, int *b, int n)
{
    __shared__ int s[256];
    s[T] = a[blockIdx.x * 256 + T] + T;
    __syncthreads();
    b[blockIdx.x * 256 + T] = s[255 - T];
}
K ok_loop(int *a, int *b, int n)
{
    __shared__ int s[128];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s[T] = a[i * 128 + T] + i;
        __syncthreads();
        sum += s[(T + 33) & 127];
        __syncthreads();
    }
    b[T] = sum;
}
K ok_double_buffer(int *a, int *b, int n)
{
    __shared__ int s[2][128];
    int sum = 0;
    s[0][T] = a[T];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s[(i + 1) & 1][T] = a[i * 128 + T];
        sum += s[i & 1][127 - T];
        __syncthreads();
    }
    b[T] = sum;
}
K ok_warp_tree(int *a, int *b, int n)
{
    __shared__ int s[64];
    s[T] = a[T] + T;
    __syncwarp();
#pragma unroll 1
    for (int d = 16; d; d >>= 1) {
        int v = s[T & 32 | (T + d) & 31];
        __syncwarp();
        s[T] += v;
        __syncwarp();
    }
    b[T] = s[T ^ 1];
}
// Blocks have places of their own.
K ok_block_scope(int *a, int *b, int n)
{
    atomicAdd_block(&a[blockIdx.x], 1);
    __syncthreads();
    if (T == 0) b[blockIdx.x] = atomicAdd(&a[blockIdx.x], 0);
}
// The first read of a loop with compare-and-swap is a guess.
K ok_guess(int *a, int *b, int n)
{
    int seen = a[0], held;
    do {
        held = seen;
        seen = atomicCAS(&a[0], held, held * 3 + (int)T);
    } while (seen != held);
}
K ok_guess_double(int *a, int *b, int n)
{
    unsigned long long *p = (unsigned long long *)a, old = *p, held;
    do {
        held = old;
        old = atomicCAS(p, held, (unsigned long long)__double_as_longlong(1.5 + __longlong_as_double((long long)held)));
    } while (held != old);
}
K ok_guess_shared(int *a, int *b, int n)
{
    __shared__ float most;
    if (T == 0) most = -1;
    __syncthreads();
    int *word = (int *)&most, seen = *word, held;
    while (__int_as_float(seen) < T * 0.5f) {
        held = atomicCAS(word, seen, __float_as_int(T * 0.5f));
        if (held == seen) break;
        seen = held;
    }
    __syncthreads();
    b[T] = most;
}
__device__ void bar_sync(int id, int count) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__device__ void bar_arrive(int id, int count) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory"); }
K ok_producer(int *a, int *b, int n)
{
    __shared__ int s[64]; // warps 0 and 1 fill, warps 2 and 3 use
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (T < 64) {
            bar_sync(2, 128); // empty
            s[T] = a[T] + i;
            __threadfence_block();
            bar_arrive(1, 128); // full
        } else {
            bar_arrive(2, 128);
            bar_sync(1, 128);
            sum += s[127 - T];
        }
    }
    b[T] = sum;
}
K ok_named(int *a, int *b, int n)
{
    __shared__ int s[256];
    int half = T / 128;
    s[T] = a[T] + T;
    bar_sync(1 + half, 128);
    b[T] = s[half * 128 + (T + 40) % 128];
}
K ok_bar_red(int *a, int *b, int n)
{
    __shared__ int s[128];
    s[T] = a[T] + T;
    int any = __syncthreads_or(a[T] != 0);
    b[T] = s[127 - T] + any;
}
K ok_last_block(int *a, int *b, int n)
{
    __shared__ bool last;
    if (T == 0) {
        b[blockIdx.x] = a[blockIdx.x] + 1;
        __threadfence();
        last = atomicInc((unsigned *)&a[4000], gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = T; i < gridDim.x; i += blockDim.x) sum += b[i];
        b[1024 + T] = sum;
    }
}
K ok_last_block_all(int *a, int *b, int n)
{
    __shared__ bool last;
    b[blockIdx.x * blockDim.x + T] = T;
    __threadfence();
    __syncthreads();
    if (T == 0) last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = T; i < gridDim.x * blockDim.x; i += blockDim.x) sum += b[i ^ 1];
        a[T] = sum;
    }
}
K ok_last_block_one_fence(int *a, int *b, int n)
{
    __shared__ bool last;
    b[blockIdx.x * blockDim.x + T] = T;
    __syncthreads();
    if (T == 0) {
        __threadfence();
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        int sum = 0;
        for (int i = T; i < gridDim.x * blockDim.x; i += blockDim.x) sum += b[i ^ 1];
        a[T] = sum;
    }
}
K ok_last_thread(int *a, int *b, int n)
{
    b[blockIdx.x * blockDim.x + T] = T;
    __threadfence();
    if (atomicAdd(&a[4000], 1) == gridDim.x * blockDim.x - 1) {
        int sum = 0;
        for (int i = 0; i < gridDim.x * blockDim.x; i++) sum += b[i];
        a[0] = sum;
    }
}
K ok_lock_global(int *a, int *b, int n)
{
    if (T == 0) {
        while (atomicCAS(&a[0], 0, 1) != 0) {}
        __threadfence();
        a[100] += 1;
        __threadfence();
        atomicExch(&a[0], 0);
    }
}
K ok_lock_volatile(int *a, int *b, int n)
{
    if (T % 32 == 0) {
        while (atomicCAS(&a[0], 0, 1) != 0) {}
        __threadfence();
        a[100] += 1;
        __threadfence();
        *(volatile int *)&a[0] = 0;
    }
}
K ok_lock_shared(int *a, int *b, int n)
{
    __shared__ int lock, count;
    if (T == 0) lock = 0, count = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            count += 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    b[T] = count;
}
K ok_flag(int *a, int *b, int n)
{
    volatile int *flag = a;
    if (blockIdx.x == 0) {
        b[T] = T;
        __syncthreads();
        if (T == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (T == 0) {
            while (*flag == 0) {}
            __threadfence();
        }
        __syncthreads();
        b[blockDim.x * blockIdx.x + T] = b[T ^ 3];
    }
}
K ok_acquire_release(int *a, int *b, int n)
{
    if (blockIdx.x == 0) {
        if (T == 0) {
            b[7] = 5;
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(a), "r"(1) : "memory");
        }
    } else if (T < 32) {
        if (T == 0) {
            int v;
            do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
            while (!v);
        }
        __syncwarp();
        b[64 + T] = b[7];
    }
}
K ok_chain(int *a, int *b, int n)
{
    volatile int *flag = a; // block k waits for block k - 1; the last one reads what the first wrote
    if (T == 0) {
        if (blockIdx.x) {
            while (flag[blockIdx.x - 1] == 0) {}
            __threadfence();
            b[blockIdx.x] = b[blockIdx.x - 1] + b[0];
        } else {
            b[0] = 1;
        }
        __threadfence();
        flag[blockIdx.x] = 1;
    }
}
K ok_flag_shared(int *a, int *b, int n)
{
    __shared__ int data[32];
    __shared__ volatile int flag;
    if (T == 0) flag = 0;
    __syncthreads();
    if (T < 32) {
        data[T] = T;
        __threadfence_block();
        __syncwarp();
        if (T == 0) flag = 1;
        __syncwarp();
    } else {
        while (flag == 0) {}
        __threadfence_block();
        b[T] = data[T ^ 33];
    }
}
K ok_histogram(int *a, int *b, int n)
{
    __shared__ int s[16];
    if (T < 16) s[T] = 0;
    __syncthreads();
    atomicAdd(&s[(T + a[T]) & 15], 1);
    __syncthreads();
    if (T < 16) atomicAdd(&a[4096 + T], s[T]);
}
K ok_grid_sync(int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + T, all = gridDim.x * blockDim.x;
    cg::grid_group g = cg::this_grid();
    b[i] = i;
    g.sync();
    int v = b[(i + 77) % all];
    g.sync();
    b[i] = v;
    g.sync();
    a[i] = b[(i + 99) % all];
}
K ok_tiles(int *a, int *b, int n)
{
    __shared__ int s[128];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    cg::thread_block_tile<4> small = cg::tiled_partition<4>(cg::this_thread_block());
    s[T] = a[T] + T;
    tile.sync();
    int v = s[T ^ 15];
    tile.sync();
    s[T] = v;
    small.sync();
    b[T] = s[T ^ 3];
}
K ok_bytes(int *a, int *b, int n)
{
    __shared__ unsigned char s[256];
    s[T] = T + a[T];
    __syncthreads();
    ((unsigned char *)b)[T] = s[255 - T];
}
K ok_halves_after_words(int *a, int *b, int n)
{
    __shared__ int s[64];
    s[T] = a[T] + T;
    __syncthreads();
    short v = ((short *)s)[127 - T];
    __syncthreads();
    ((short *)s)[T] = v;
    __syncthreads();
    b[T] = s[T ^ 1 & 31];
}
K ok_global_tree(int *a, int *b, int n)
{
    int *p = a + blockIdx.x * blockDim.x;
#pragma unroll 1
    for (int d = blockDim.x / 2; d; d >>= 1) {
        if (T < d) p[T] += p[T + d];
        __syncthreads();
    }
    if (T == 0) b[blockIdx.x] = p[0];
}
K ok_early_exit(int *a, int *b, int n)
{
    __shared__ int s[128];
    s[T] = T + a[T];
    if (T >= 100) return;
    __syncthreads();
    b[T] = s[127 - T];
}
K ok_wide(int *a, int *b, int n)
{
    __shared__ int4 s[64];
    s[T] = ((int4 *)a)[T];
    __syncthreads();
    b[T] = ((int *)s)[255 - T * 3];
    __syncthreads();
    ((int2 *)s)[T] = ((int2 *)a)[T];
    __syncthreads();
    b[T + 64] = ((int *)s)[(T * 5) & 127];
}
K ok_peer_fence(int *a, int *b, int n)
{
    __shared__ bool last; // every lane publishes, lane 0 tells
    b[blockIdx.x * 32 + T] = T;
    __threadfence();
    __syncwarp();
    if (T == 0) last = atomicAdd(&a[0], 1) == gridDim.x - 1;
    __syncwarp();
    if (last) a[64 + T] = b[(T * 7 + 3) & 127];
}
K ok_stencil(int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + T;
    if (i && i < n - 1) b[i] = a[i - 1] + a[i] + a[i + 1];
}
K ok_warp_private(int *a, int *b, int n)
{
    __shared__ int s[4][33];
    int w = T / 32, l = T % 32;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s[w][l] = a[l + i];
        __syncwarp();
        int v = s[w][31 - l];
        __syncwarp();
        b[T] = v;
    }
}

// ---- wrong ----
K bad_no_barrier(int *a, int *b, int n)
{
    __shared__ int s[256];
    s[T] = a[blockIdx.x * 256 + T] + T;
    b[blockIdx.x * 256 + T] = s[255 - T];
}
K bad_second_barrier(int *a, int *b, int n)
{
    __shared__ int s[128];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s[T] = a[i * 128 + T] + i;
        __syncthreads();
        sum += s[(T + 33) & 127];
    }
    b[T] = sum;
}
K bad_warp_tree(int *a, int *b, int n)
{
    __shared__ int s[32];
    s[T] = a[T] + T;
    __syncthreads();
#pragma unroll 1
    for (int d = 16; d; d >>= 1) {
        if (T < d) s[T] += s[T + d];
    }
    if (T == 0) b[0] = s[0];
}
K bad_last_block_no_fence(int *a, int *b, int n)
{
    __shared__ bool last;
    if (T == 0) {
        b[blockIdx.x] = a[blockIdx.x] + 1;
        last = atomicInc((unsigned *)&a[4000], gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = T; i < gridDim.x; i += blockDim.x) sum += b[i];
        b[1024 + T] = sum;
    }
}
K bad_last_block_no_barrier(int *a, int *b, int n)
{
    __shared__ bool last;
    b[blockIdx.x * blockDim.x + T] = T;
    if (T == 0) {
        __threadfence();
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = T; i < gridDim.x * blockDim.x; i += blockDim.x) sum += b[i ^ 1];
        a[T] = sum;
    }
}
K bad_last_block_block_fence(int *a, int *b, int n)
{
    __shared__ bool last;
    if (T == 0) {
        b[blockIdx.x] = 1;
        __threadfence_block();
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < gridDim.x) a[T] = b[T];
}
K bad_sum(int *a, int *b, int n) { a[0] += T; }
K bad_sum_blocks(int *a, int *b, int n)
{
    if (T == 0) a[0] += blockIdx.x + 1;
}
// An atomic that holds within the block, on a place that other blocks change too.
K bad_block_scope(int *a, int *b, int n)
{
    if (T == 0) atomicAdd_block(&a[0], 1);
}
K bad_mixed_scope(int *a, int *b, int n)
{
    if (T == 0 && blockIdx.x % 2) atomicAdd_block(&a[0], 1);
    else if (T == 0) atomicAdd(&a[0], 1);
}
// The loop is right; reading the result without waiting for the others is not.
K bad_guess_then_read(int *a, int *b, int n)
{
    int seen = a[0], held;
    do {
        held = seen;
        seen = atomicCAS(&a[0], held, held + 1);
    } while (seen != held);
    b[T] = ((volatile int *)a)[1] + a[0];
}
K bad_atomic_plain(int *a, int *b, int n)
{
    __shared__ int s;
    if (T == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    b[T] = s;
}
K bad_histogram(int *a, int *b, int n)
{
    __shared__ int s[16];
    if (T < 16) s[T] = 0;
    __syncthreads();
    s[T & 15] += T;
    __syncthreads();
    if (T < 16) b[T] = s[T];
}
K bad_byte(int *a, int *b, int n)
{
    __shared__ unsigned char s[64];
    s[T >> 1] = T + a[T];
    __syncthreads();
    b[T] = s[T & 31];
}
K bad_named(int *a, int *b, int n)
{
    __shared__ int s[128];
    s[T] = a[T] + T;
    bar_sync(1 + T / 64, 64);
    b[T] = s[(T + 64) & 127];
}
K bad_after_arrive(int *a, int *b, int n)
{
    __shared__ int s[64];
    if (T < 32) {
        s[T] = a[T] + 1;
        bar_arrive(1, 64);
        s[T + 32] = a[T] + 2;
    } else {
        bar_sync(1, 64);
        b[T] = s[T - 32] + s[T];
    }
}
K bad_tile(int *a, int *b, int n)
{
    __shared__ int s[32];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[T] = a[T] + T;
    tile.sync();
    b[T] = s[T ^ 15];
}
K bad_lock_no_fence(int *a, int *b, int n)
{
    if (T == 0) {
        while (atomicCAS(&a[0], 0, 1) != 0) {}
        a[100] += 1;
        atomicExch(&a[0], 0);
    }
}
K bad_flag_no_fence(int *a, int *b, int n)
{
    volatile int *flag = a;
    if (blockIdx.x == 0) {
        if (T == 0) {
            b[0] = 3;
            *flag = 1;
        }
    } else if (T == 0) {
        while (*flag == 0) {}
        b[blockIdx.x] = b[0];
    }
}
K bad_flag_plain(int *a, int *b, int n)
{
    if (blockIdx.x == 0) {
        if (T == 0) a[0] = 1;
    } else if (T == 0) {
        while (*(volatile int *)a == 0) {}
    }
}
K bad_in_place(int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + T;
    if (i < n - 1) a[i] = a[i + 1] + 1;
}
K bad_wide(int *a, int *b, int n)
{
    __shared__ int4 s[64];
    s[T] = ((int4 *)a)[T];
    b[T] = ((int *)s)[255 - T * 3];
}
K bad_no_grid_sync(int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + T, all = gridDim.x * blockDim.x;
    b[i] = i;
    __syncthreads();
    a[i] = b[(i + 77) % all];
}
K bad_syncwarp_mask(int *a, int *b, int n)
{
    __shared__ int s[32];
    s[T] = a[T] + T;
    if (T < 16) __syncwarp(0xffff);
    else __syncwarp(0xffff0000);
    b[T] = s[31 - T];
}
K bad_write_after_read(int *a, int *b, int n)
{
    __shared__ int s[64];
    s[T] = a[T];
    __syncthreads();
    int v = s[T & 31];
    if (T >= 32) s[T - 32] = v + T;
    b[T] = v;
}
K bad_reuse_after_last(int *a, int *b, int n)
{
    __shared__ int s;
    if (T == 0) s = a[5] + 7;
    __syncthreads();
    b[T] = s;
    if (T == 40) s = a[6] + 9;
}
K note_same_value(int *a, int *b, int n)
{
    if (T + a[T] >= 0) b[0] = 1;
}
K note_same_value_shared(int *a, int *b, int n)
{
    __shared__ int found;
    if (T == 0) found = 0;
    __syncthreads();
    if (a[T] == 0) found = 1;
    __syncthreads();
    b[T] = found;
}

// ---- enough work for several host threads ----
__device__ int rounds(int *a, int n, bool second)
{
    __shared__ int s[64];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s[T] = a[T] + i;
        __syncthreads();
        sum += s[63 - T];
        if (second) __syncthreads();
    }
    return sum;
}
K ok_many(int *a, int *b, int n) { b[blockIdx.x * 64 + T] = rounds(a, n, true); }
K bad_many(int *a, int *b, int n) { b[blockIdx.x * 64 + T] = rounds(a, n, false); }
K bad_many_blocks(int *a, int *b, int n)
{
    b[blockIdx.x * 64 + T] = rounds(a, n, true);
    a[8192 + blockIdx.x * 64 + T] = b[(blockIdx.x + 5) % gridDim.x * 64 + T];
}
K ok_many_atomic(int *a, int *b, int n)
{
    atomicAdd(&b[0], rounds(a, n, true));
    __threadfence();
    if (T == 0) atomicAdd(&a[9000], 1);
}

// Old warp-synchronous code: right on cards whose warps run in lockstep.
K lockstep_volatile(int *a, int *b, int n)
{
    __shared__ volatile int s[64];
    s[T] = a[T] + T;
    __syncthreads();
    if (T < 32) {
        s[T] = s[T] + s[T + 32];
        if (T < 16) s[T] = s[T] + s[T + 16];
        if (T < 8) s[T] = s[T] + s[T + 8];
    }
    __syncthreads();
    b[T] = s[T & 7];
}
K ok_volatile_warp(int *a, int *b, int n)
{
    __shared__ volatile int s[64];
    s[T] = a[T] + T;
    __syncthreads();
    if (T < 32) {
        int v = s[T] + s[T + 32];
        s[T] = v;
        __syncwarp();
        v += s[(T + 16) & 31];
        __syncwarp();
        s[T] = v;
    }
    __syncthreads();
    b[T] = s[T & 7];
}

// Memory that a kernel makes is watched like any other.
K ok_heap(int *a, int *b, int n)
{
    __shared__ int *p;
    if (T == 0) p = (int *)malloc(256 * sizeof *p);
    __syncthreads();
    p[T] = T;
    __syncthreads();
    b[T] = p[255 - T];
    __syncthreads();
    if (T == 0) free(p);
}
K bad_heap(int *a, int *b, int n)
{
    __shared__ int *p;
    if (T == 0) p = (int *)malloc(256 * sizeof *p);
    __syncthreads();
    p[T] = T;
    b[T] = p[255 - T];
    __syncthreads();
    if (T == 0) free(p);
}
K free_of_buffer(int *a, int *b, int n)
{
    if (T == 0) free(a);
}
// Rounds without a race, then one with: what was seen before the race must not be forgotten.
K ok_late(int *a, int *b, int n)
{
    __shared__ int s[128], t[128];
    for (int i = 0; i < n; i++) {
        s[T] = a[T] + i;
        t[T ^ 1] = i;
        __syncthreads();
        b[T] = s[127 - T] + t[T];
        __syncthreads();
    }
}
K bad_late(int *a, int *b, int n)
{
    __shared__ int s[128], t[128];
    for (int i = 0; i < n; i++) {
        s[T] = a[T] + i;
        t[T] = i;
        __syncthreads();
        b[T] = s[127 - T] + t[T];
        if (i == n - 1) s[T] = 0;
        __syncthreads();
    }
}
// The last access of a word is in order with the first of the next round, but not with that of the round in between.
K bad_late_read(int *a, int *b, int n)
{
    __shared__ int s[128];
    for (int i = 0; i < n; i++) {
        s[T] = i;
        __syncthreads();
        if (i % 3 == 2 && T == 5) b[0] = s[99];
        if (i % 3 != 2) __syncthreads();
    }
}
// Races of lanes of one warp, and of warps, at the same line: a barrier of the block is missing, not one of a warp.
K bad_tree(int *a, int *b, int n)
{
    __shared__ int s[128];
    s[T] = a[T];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2)
        if (T < d) s[T] += s[T + d];
    if (T == 0) b[0] = s[0];
}
// The same at two lines: the one's own warp, then others.
K bad_warp_then_block(int *a, int *b, int n)
{
    __shared__ int s[128], t[128];
    s[T] = a[T];
    t[T] = a[T] + 1;
    b[T] = s[T ^ 1] + t[127 - T];
}
// All update one word.
K bad_count(int *a, int *b, int n)
{
    __shared__ int s[4];
    if (T < 4) s[T] = 0;
    __syncthreads();
    s[T % 4]++;
    __syncthreads();
    if (T < 4) b[T] = s[T];
}
K bad_count_blocks(int *a, int *b, int n)
{
    a[0] += T;
}
K bad_ticket(int *a, int *b, int n)
{
    int slot = *a;
    atomicAdd(a, 1);
    b[slot % 64] = T;
}

/* A look before an atomic operation that tests again: what was seen decides no more than whether to try. */
K ok_claim(int *a, int *b, int n)
{
    const int key = 1 + (int)(blockIdx.x * blockDim.x + T) % 20;
    for (int slot = key * 7 & 63;; slot = (slot + 1) & 63) {
        const int there = a[slot];
        if (there == key) return;
        if (there) continue;
        const int was = atomicCAS(&a[slot], 0, key);
        if (was == 0 || was == key) return;
    }
}
K ok_raise(int *a, int *b, int n)
{
    const int mine = (int)(blockIdx.x * blockDim.x + T);
    if (mine > a[0]) atomicMax(&a[0], mine);
}
/* Not these: what was seen goes further, or the atomic operation does not test it. */
K bad_claim_kept(int *a, int *b, int n)
{
    const int there = a[0];
    if (there == 0) atomicCAS(&a[0], 0, (int)T + 1);
    b[T] = there;
}
K bad_claim_other(int *a, int *b, int n)
{
    if (a[0] < 5) atomicCAS(&a[0], 0, (int)T + 1);
}
K bad_raise_other(int *a, int *b, int n)
{
    if (a[0] < 5) atomicMax(&a[0], (int)T);
}
