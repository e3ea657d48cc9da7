// luck.cu: volatile and relaxed accesses, for tests/unit/checks.c. They race with nothing, and they
// order nothing: what one thread writes and another reads is right by luck, unless a fence or a
// barrier stands between, or the reader waits for the value itself. All take (int *a, int *b, int n);
// a is zeroed by the host, b is not written by it. Those that begin with bad_ must be reported;
// lockstep_ from compute 7.0 on, and as a note on cards whose warps ran in lockstep.
#define K extern "C" __global__ void
#define T threadIdx.x

__device__ int relaxed(const int *p)
{
    int v;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ void store_relaxed(int *p, int v)
{
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

// ---- the last block adds up ----
K ok_last_block(int *a, int *b, int n)
{
    volatile int *part = b;
    __shared__ bool last;
    if (T == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (int i = T; i < gridDim.x; i += blockDim.x) sum += part[i];
    a[T] = sum;
}
K bad_last_block(int *a, int *b, int n)
{
    volatile int *part = b;
    __shared__ bool last;
    if (T == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (int i = T; i < gridDim.x; i += blockDim.x) sum += part[i];
    a[T] = sum;
}
K bad_last_block_relaxed(int *a, int *b, int n)
{
    __shared__ bool last;
    if (T == 0) {
        store_relaxed(&b[blockIdx.x], blockIdx.x + 1);
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (int i = T; i < gridDim.x; i += blockDim.x) sum += relaxed(&b[i]);
    a[T] = sum;
}
// A look at the value that decides nothing of importance.
K bad_look(int *a, int *b, int n)
{
    volatile int *part = b;
    __shared__ bool last;
    if (T == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
#pragma unroll 1
    for (int i = T; i < gridDim.x; i += blockDim.x) {
        const int v = part[i];
        if (v == 123456789) continue;
        sum += v;
    }
    a[T] = sum;
}
K bad_read_twice(int *a, int *b, int n)
{
    volatile int *part = b;
    __shared__ bool last;
    if (T == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
#pragma unroll 1
    for (int i = T; i < gridDim.x; i += blockDim.x) {
        part[i];
        sum += part[i];
    }
    a[T] = sum;
}
// A test that leads nowhere, and a fence.
K bad_test(int *a, int *b, int n)
{
    volatile int *part = b;
    __shared__ bool last;
    if (T == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
#pragma unroll 1
    for (int i = T; i < gridDim.x; i += blockDim.x) {
        const int v = part[i];
        if (v == 123456789) a[4001] = T;
        __threadfence();
        sum += v;
    }
    a[T] = sum;
}
// ... and one that leads past the fence and the sum.
K bad_test_around(int *a, int *b, int n)
{
    volatile int *part = b;
    __shared__ bool last;
    if (T == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
#pragma unroll 1
    for (int i = T; i < gridDim.x; i += blockDim.x) {
        if (part[i] == 123456789) continue;
        __threadfence();
        sum += part[i];
    }
    a[T] = sum;
}
__device__ __noinline__ int plus(int sum, int v) { return sum * 3 + v; }
// The value goes into a function and comes back.
K bad_call(int *a, int *b, int n)
{
    volatile int *part = b;
    __shared__ bool last;
    if (T == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
#pragma unroll 1
    for (int i = T; i < gridDim.x; i += blockDim.x) sum = plus(sum, part[i]);
    a[T] = sum;
}
__device__ __noinline__ void keep(int *to, int v) { *to = v + 1; }
K bad_call_keeps(int *a, int *b, int n)
{
    volatile int *part = b;
    part[blockIdx.x * blockDim.x + T] = T;
    keep(&a[blockIdx.x * blockDim.x + T], part[(blockIdx.x + 1) % gridDim.x * blockDim.x + T]);
}
// It says where an item lies, but the fence comes before the test, which leads nowhere.
K bad_count_early_fence(int *a, int *b, int n)
{
    volatile int *count = a, *item = b;
    if (T) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 20; i++) {
            item[i] = i + 1;
            __threadfence();
            *count = i + 1;
        }
    } else {
        const int many = *count;
        __threadfence();
        if (many == 12345) a[900] = 1;
        a[1 + blockIdx.x] = item[(many + 19) % 20];
    }
}
K ok_count_then_item(int *a, int *b, int n)
{
    volatile int *count = a, *item = b;
    if (T) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 20; i++) {
            item[i] = i + 1;
            __threadfence();
            *count = i + 1;
        }
    } else {
        const int many = *count;
        if (many > 0) {
            __threadfence();
            a[1 + blockIdx.x] = item[many - 1];
        }
    }
}
__device__ __noinline__ bool ready(int v) { return (v & 255) != 0; }
K ok_call_waits(int *a, int *b, int n)
{
    volatile int *flag = a, *data = b;
    if (T) return;
    if (blockIdx.x == 0) {
        data[0] = 5;
        __threadfence();
        flag[0] = 1;
    } else {
        while (!ready(flag[0])) {}
        data[blockIdx.x] = data[0];
    }
}
K ok_call_decides(int *a, int *b, int n)
{
    volatile int *found = a;
    for (int i = 0; i < 40; i++) {
        if (ready(*found)) break;
        if (i == 20 && blockIdx.x == 1 && T == 3) *found = 1;
    }
}
// The fence comes after the ticket.
K bad_late_fence(int *a, int *b, int n)
{
    volatile int *part = b;
    __shared__ bool last;
    if (T == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && T < gridDim.x) a[T] = part[T];
}
// Sums of atomic operations, read before anybody said that they are complete.
K bad_atomic_then_volatile(int *a, int *b, int n)
{
    __shared__ bool last;
    if (T == 0) {
        atomicAdd(&a[100 + blockIdx.x], 5);
        last = atomicAdd(&a[4000], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < gridDim.x) b[T] = ((volatile int *)a)[100 + T];
}

// ---- flags ----
K ok_flag(int *a, int *b, int n)
{
    volatile int *flag = a, *data = b;
    if (T) return;
    if (blockIdx.x == 0) {
        data[0] = 5;
        __threadfence();
        flag[0] = 1;
    } else {
        while (flag[0] == 0) {}
        data[blockIdx.x] = data[0];
    }
}
K bad_flag(int *a, int *b, int n)
{
    volatile int *flag = a, *data = b;
    if (T) return;
    if (blockIdx.x == 0) {
        data[0] = 5;
        flag[0] = 1;
    } else {
        while (flag[0] == 0) {}
        data[blockIdx.x] = data[0];
    }
}
// The word that is waited for carries the value too: it cannot come apart. Block k waits for block k - 1.
K ok_packed(int *a, int *b, int n)
{
    volatile unsigned long long *state = (unsigned long long *)a;
    if (T) return;
    unsigned long long before = 0;
    if (blockIdx.x)
        do before = state[blockIdx.x - 1];
        while (!(before >> 32));
    state[blockIdx.x] = 1ull << 32 | (unsigned)(before + blockIdx.x);
    b[blockIdx.x] = (int)before;
}
K ok_packed_back(int *a, int *b, int n)
{
    // as above, back over blocks that have their own sum only
    volatile unsigned long long *state = (unsigned long long *)a;
    if (T) return;
    const bool whole = blockIdx.x % 3 == 0;
    if (!whole) state[blockIdx.x] = 1ull << 32 | blockIdx.x;
    unsigned sum = blockIdx.x;
    for (int k = (int)blockIdx.x - 1; k >= 0;) {
        const unsigned long long w = state[k];
        if (w >> 32 == 0) continue;
        sum += (unsigned)w;
        if (w >> 32 == 2) break;
        k--;
    }
    state[blockIdx.x] = 2ull << 32 | sum;
    b[blockIdx.x] = (int)sum;
}
K ok_wait_then_read(int *a, int *b, int n)
{
    volatile int *word = a; // reads of one word stay in order
    if (T) return;
    if (blockIdx.x == 0) word[7] = 9;
    else {
        while (word[7] == 0) {}
        b[blockIdx.x] = word[7];
    }
}
K ok_two_flags(int *a, int *b, int n)
{
    volatile int *flag = a; // each is waited for
    if (T) return;
    if (blockIdx.x == 0) {
        flag[0] = 1;
        flag[1] = 1;
    } else {
        while (flag[1] == 0) {}
        while (flag[0] == 0) {}
    }
}
K ok_until_found(int *a, int *b, int n)
{
    volatile int *found = a; // whoever sees it late works in vain
    for (int i = 0; i < 40; i++) {
        if (*found) break;
        if (i == 20 && blockIdx.x == 1 && T == 3) *found = 1;
    }
}
K ok_found_for_all(int *a, int *b, int n)
{
    __shared__ int seen;
    for (int i = 0; i < 40; i++) {
        if (T == 0) seen = *(volatile int *)a;
        __syncthreads();
        if (seen) break;
        if (i == 20 && blockIdx.x == 1 && T == 3) *(volatile int *)a = 1;
        __syncthreads();
    }
}
K ok_best(int *a, int *b, int n)
{
    const int mine = (int)(blockIdx.x * blockDim.x + T);
    if (mine > *(volatile int *)a) atomicMax(a, mine);
}
K ok_exchange(int *a, int *b, int n)
{
    int seen = *(volatile int *)a, held;
    do {
        held = seen;
        seen = atomicCAS(a, held, held * 3 + (int)T);
    } while (seen != held);
}
K ok_count(int *a, int *b, int n)
{
    b[blockIdx.x * blockDim.x + T] = T;
    __threadfence();
    __syncthreads();
    if (T == 0) {
        atomicAdd(&a[0], 1);
        while (*(volatile int *)&a[0] < gridDim.x) {}
    }
    __syncthreads();
    a[64 + blockIdx.x * blockDim.x + T] = b[(T * 7 + 3) & 127];
}

// ---- nobody waits for anything ----
K bad_neighbour(int *a, int *b, int n)
{
    volatile int *v = b;
    v[blockIdx.x * blockDim.x + T] = T;
    a[blockIdx.x * blockDim.x + T] = v[(blockIdx.x + 1) % gridDim.x * blockDim.x + T];
}
K bad_one_word(int *a, int *b, int n)
{
    volatile int *v = a;
    v[0] = T;
    b[blockIdx.x * blockDim.x + T] = v[0];
}
K bad_shared(int *a, int *b, int n)
{
    __shared__ volatile int s[64];
    s[T] = T + a[T];
    b[T] = s[63 - T];
}
K ok_shared(int *a, int *b, int n)
{
    __shared__ volatile int s[64];
    s[T] = T + a[T];
    __syncthreads();
    b[T] = s[63 - T];
}

// ---- within a warp ----
K lockstep_tree(int *a, int *b, int n)
{
    __shared__ volatile int s[64];
    s[T] = a[T] + T;
    __syncthreads();
    for (int half = 16; half; half /= 2)
        if (T < half) s[T] += s[T + half];
    if (T == 0) b[0] = s[0];
}
K lockstep_one_reader(int *a, int *b, int n)
{
    __shared__ volatile int s[32];
    s[T] = a[T] + T;
    if (T == 3) b[0] = s[17];
}
K lockstep_global(int *a, int *b, int n)
{
    volatile int *v = a;
    v[T] = T;
    b[T] = v[T ^ 1];
}
K lockstep_relaxed(int *a, int *b, int n)
{
    store_relaxed(&a[T], T);
    b[T] = relaxed(&a[T ^ 1]);
}
K ok_warp_flag(int *a, int *b, int n)
{
    __shared__ volatile int flag;
    if (T == 0) flag = 0;
    __syncwarp();
    if (T == 5) flag = 1;
    while (flag == 0) {}
    b[T] = 1;
}
