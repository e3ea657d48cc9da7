// One lane of each warp counts: without an atomic, so that counts are lost, and with one.
extern "C" __global__ void lossy(int *out)
{
    if (threadIdx.x % 32 == 0) *out = *out + 1;
}
extern "C" __global__ void atomic(int *out)
{
    if (threadIdx.x % 32 == 0) atomicAdd(out, 1);
}
