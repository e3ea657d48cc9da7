/* cuda_runtime.h, for host code that a plain C or C++ compiler builds (scripts/plain-host): what the
 * programs of lesson 8 use of CUDA's runtime. Kernels come as PTX; a kernel's name is a function that
 * launches it, as nvcc makes one. */
#ifndef WARPSTEP_PLAIN_CUDA_RUNTIME_H
#define WARPSTEP_PLAIN_CUDA_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDART_VERSION 13000
#define PLAIN_HOST     1 /* no CUDA compiler sees this file */

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorPeerAccessAlreadyEnabled = 704
} cudaError_t;
typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
} cudaMemcpyKind;
enum { cudaMemAttachGlobal = 1, cudaStreamNonBlocking = 1, cudaHostAllocMapped = 2, cudaCpuDeviceId = -1 };
typedef enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal } cudaStreamCaptureMode;
typedef enum cudaDeviceAttr { cudaDevAttrClockRate = 13, cudaDevAttrMultiProcessorCount = 16 } cudaDeviceAttr;
typedef enum cudaMemLocationType { cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost = 2 } cudaMemLocationType;
typedef struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
} cudaMemLocation;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
#endif
} dim3;

cudaError_t cudaMalloc(void **, size_t), cudaFree(void *), cudaMallocHost(void **, size_t), cudaFreeHost(void *);
cudaError_t cudaHostAlloc(void **, size_t, unsigned), cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t), cudaMemset(void *, int, size_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t);
cudaError_t cudaGetLastError(void), cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t), *cudaGetErrorName(cudaError_t);
cudaError_t cudaDeviceSynchronize(void), cudaSetDevice(int), cudaGetDevice(int *), cudaGetDeviceCount(int *);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t cudaDeviceCanAccessPeer(int *, int, int), cudaDeviceEnablePeerAccess(int, unsigned);
cudaError_t cudaStreamCreate(cudaStream_t *), cudaStreamDestroy(cudaStream_t), cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaEventCreate(cudaEvent_t *), cudaEventDestroy(cudaEvent_t), cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t), cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t), cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);

/* ---- what nvcc would write ---- */
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);

#ifdef __cplusplus
}
#endif

/* A pointer to any pointer will do, as in C++ with nvcc. */
#define cudaMalloc(p, bytes)               cudaMalloc((void **)(p), bytes)
#define cudaMallocHost(p, bytes)           cudaMallocHost((void **)(p), bytes)
#define cudaHostAlloc(p, bytes, flags)     cudaHostAlloc((void **)(p), bytes, flags)
#define cudaMallocManaged(p, bytes, flags) cudaMallocManaged((void **)(p), bytes, flags)
#define cudaMallocPitch(p, pitch, w, h)    cudaMallocPitch((void **)(p), pitch, w, h)

/* What nvcc makes of <<<...>>>: the sizes, then the call of the kernel, whose answer reaches nobody. */
extern
#ifdef __cplusplus
    "C"
#endif
    unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
extern
#ifdef __cplusplus
    "C"
#endif
    cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
static inline void plain_launch(const void *kernel, void **args)
{
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess)
        (void)cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
#ifdef __cplusplus
#define PLAIN_DIM(x) dim3(x)
#else
static inline dim3 plain_of_dim3(dim3 d) { return d; }
static inline dim3 plain_of_int(unsigned n)
{
    dim3 d = {n, 1, 1};
    return d;
}
#define PLAIN_DIM(x) _Generic((x), dim3: plain_of_dim3, default: plain_of_int)(x)
#endif
#define plain_configure(...)                          PLAIN_FOUR(__VA_ARGS__, 0, 0, 0)
#define PLAIN_FOUR(grid, block, shared, stream, ...) \
    (void)__cudaPushCallConfiguration(PLAIN_DIM(grid), PLAIN_DIM(block), shared, stream)

#endif
