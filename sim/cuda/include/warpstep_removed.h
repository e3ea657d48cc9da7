/* warpstep_removed.h: names that CUDA has removed, for programs written before. `exec` has nvcc read
 * it first; the device's part stays as small as it can. */
#ifndef WARPSTEP_REMOVED_H
#define WARPSTEP_REMOVED_H
#if defined(__CUDACC__) && defined(__cplusplus)
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit        cudaDeviceReset
#define cudaThreadSetLimit    cudaDeviceSetLimit
#define cudaThreadGetLimit    cudaDeviceGetLimit

/* The properties that became attributes alone. */
struct warpstep_device_prop : cudaDeviceProp {
    int clockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, maxTexture1DLinear, memoryClockRate,
        singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};
static inline cudaError_t warpstep_properties(cudaDeviceProp *p, int device)
{
    return cudaGetDeviceProperties(p, device);
}
static inline cudaError_t warpstep_properties(warpstep_device_prop *p, int device)
{
    cudaDeviceProp *plain = p;
    cudaError_t code = cudaGetDeviceProperties(plain, device);
    p->deviceOverlap = 1;
    p->cooperativeMultiDeviceLaunch = 0;
    int *const to[] = {&p->clockRate, &p->kernelExecTimeoutEnabled, &p->computeMode, &p->maxTexture1DLinear,
                       &p->memoryClockRate, &p->singleToDoublePrecisionPerfRatio};
    static const int of[] = {13, 17, 20, 69, 36, 87};
    for (int i = 0; code == cudaSuccess && i < 6; i++) code = cudaDeviceGetAttribute(to[i], (cudaDeviceAttr)of[i], device);
    return code;
}
#define cudaDeviceProp          warpstep_device_prop
#define cudaGetDeviceProperties warpstep_properties
#endif
/* Warp operations without a mask: of the lanes that are there. */
#if defined(WARPSTEP_PROGRAM) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700)
#define WARPSTEP_SHUFFLE(name, second)                                                                             \
    template <class T> __device__ static inline T name(T value, second other, int width = 32)                      \
    {                                                                                                              \
        return name##_sync(__activemask(), value, other, width);                                                   \
    }
WARPSTEP_SHUFFLE(__shfl, int)
WARPSTEP_SHUFFLE(__shfl_up, unsigned int)
WARPSTEP_SHUFFLE(__shfl_down, unsigned int)
WARPSTEP_SHUFFLE(__shfl_xor, int)
#undef WARPSTEP_SHUFFLE
#define __ballot(p) __ballot_sync(__activemask(), p)
#define __any(p)    __any_sync(__activemask(), p)
#define __all(p)    __all_sync(__activemask(), p)
#endif
#endif
#endif
