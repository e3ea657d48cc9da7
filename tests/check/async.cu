// async.cu: copies in the background and barrier objects, right and wrong, for tests/unit/checks.c.
// Same parameters as races.cu.
#define K extern "C" __global__ void
#define T threadIdx.x

__device__ unsigned at_shared(void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void copy(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at_shared(to)), "l"(from) : "memory");
}
__device__ void copies_done() { asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory"); }
__device__ void init(long long *b, int n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at_shared(b)), "r"(n) : "memory");
}
__device__ long long arrive(long long *b)
{
    long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at_shared(b)) : "memory");
    return state;
}
__device__ bool test(long long *b, long long state)
{
    int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at_shared(b)), "l"(state) : "memory");
    return done;
}

K ok_copy(int *a, int *b, int n)
{
    __shared__ int s[128];
    copy(&s[T], &a[T]);
    copies_done();
    __syncthreads();
    b[T] = s[127 - T];
}
K ok_barrier_object(int *a, int *b, int n)
{
    __shared__ int s[128];
    __shared__ long long bar;
    if (T == 0) init(&bar, 128);
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s[T] = a[T] + i;
        long long state = arrive(&bar);
        while (!test(&bar, state)) {}
        int v = s[127 - T];
        state = arrive(&bar);
        while (!test(&bar, state)) {}
        b[T] = v;
    }
}
K bad_copy(int *a, int *b, int n)
{
    __shared__ int s[128];
    copy(&s[T], &a[T]);
    copies_done();
    b[T] = s[127 - T];
}
K bad_barrier_object(int *a, int *b, int n)
{
    __shared__ int s[128];
    __shared__ long long bar;
    if (T == 0) init(&bar, 128);
    __syncthreads();
    s[T] = a[T];
    long long state = arrive(&bar);
    if (T < 64)
        while (!test(&bar, state)) {}
    b[T] = s[127 - T];
}
