// Kernels of waits.c; waits.ptx is what nvcc 13 makes of them, with the folders taken out of its .file lines:
// nvcc -arch=compute_75 -lineinfo -ptx waits.cu
extern "C" __global__ void raise_flags(int *flags, volatile int *go)
{
    if (threadIdx.x == 0) atomicAdd(&flags[blockIdx.x], 1);
    while (*go == 0) {}
}
/* One byte of each word, plainly; the host writes the others. */
extern "C" __global__ void bytes(unsigned char *p, volatile int *go)
{
    p[4 * (blockIdx.x * blockDim.x + threadIdx.x)] = 1;
    float x = 1;
    for (int i = 0; i < 100000; i++) x = x * 1.0001f + 1.0f;
    while (*go == 0) {}
    if (x == 0) p[0] = 2;
}
extern "C" __global__ void counts(int *n, int turns)
{
    for (int i = 0; i < turns; i++) {
        atomicAdd_system(&n[0], 1);
        atomicMax_system(&n[1], i);
        atomicXor_system(&n[2], 1 << threadIdx.x);
    }
}
extern "C" __global__ void wait_flag(volatile int *flag, int *out)
{
    while (*flag == 0) {}
    *out = 42;
}
extern "C" __global__ void ping_pong(volatile int *ball, int me, int turns)
{
    for (int i = 0; i < turns; i++) {
        while (*ball != 2 * i + me) {}
        *ball = 2 * i + me + 1;
    }
}
extern "C" __global__ void past_end(int *p, int *out, int at)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[at + i];
    p[at + i] = i;
    out[i] += atomicAdd(&p[at + i], 5);
}
