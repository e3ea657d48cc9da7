/* warpstep_program.h: CUDA's runtime as whole programs call it, for clang without NVIDIA's headers.
 * warpstep.h includes it in place of warpstep_host.h when WARPSTEP_PROGRAM is defined. Shapes and
 * numbers are those of CUDA 12, whose face libcudart.so.12 has. */
#ifndef WARPSTEP_PROGRAM_H
#define WARPSTEP_PROGRAM_H

#undef CUDART_VERSION
#define CUDART_VERSION 12000
#define CUDA_VERSION   12000
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define CUDARTAPI
#define CUDART_CB

enum cudaError {
    cudaSuccess = 0,
#define ERROR(code, name, driver, text) cudaError##name = code,
#include "errors.def"
#undef ERROR
};
typedef enum cudaError cudaError_t;

/* ---- handles ---- */
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef void (*cudaHostFn_t)(void *);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);

/* ---- numbers ---- */
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
#define cudaStreamLegacy    ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterReadOnly = 8,
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaEventInterprocess = 4,
    cudaEventRecordDefault = 0,
    cudaEventWaitDefault = 0,
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceBlockingSync = 4,
    cudaDeviceMapHost = 8,
    cudaDeviceLmemResizeToMax = 16,
    cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2,
    cudaMemAttachSingle = 4,
    cudaOccupancyDefault = 0,
    cudaArrayDefault = 0,
    cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8
};
#define cudaCpuDeviceId     ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX,
    cudaDevAttrMaxBlockDimY,
    cudaDevAttrMaxBlockDimZ,
    cudaDevAttrMaxGridDimX,
    cudaDevAttrMaxGridDimY,
    cudaDevAttrMaxGridDimZ,
    cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrTotalConstantMemory,
    cudaDevAttrWarpSize,
    cudaDevAttrMaxPitch,
    cudaDevAttrMaxRegistersPerBlock,
    cudaDevAttrClockRate,
    cudaDevAttrTextureAlignment,
    cudaDevAttrGpuOverlap,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrKernelExecTimeout,
    cudaDevAttrIntegrated,
    cudaDevAttrCanMapHostMemory,
    cudaDevAttrComputeMode,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled,
    cudaDevAttrPciBusId,
    cudaDevAttrPciDeviceId,
    cudaDevAttrTccDriver,
    cudaDevAttrMemoryClockRate,
    cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrL2CacheSize,
    cudaDevAttrMaxThreadsPerMultiProcessor,
    cudaDevAttrAsyncEngineCount,
    cudaDevAttrUnifiedAddressing,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor,
    cudaDevAttrManagedMemory,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrSingleToDoublePrecisionPerfRatio,
    cudaDevAttrPageableMemoryAccess,
    cudaDevAttrConcurrentManagedAccess,
    cudaDevAttrComputePreemptionSupported,
    cudaDevAttrCanUseHostPointerForRegisteredMem,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrMemoryPoolsSupported = 115
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte
};
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported,
    cudaDevP2PAttrNativeAtomicSupported,
    cudaDevP2PAttrCudaArrayAccessSupported
};
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh,
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize
};
enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};

/* ---- shapes ---- */
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned int flags;
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
        clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
    long reserved[8];
};
typedef struct cudaUUID_st {
    char bytes[16];
} cudaUUID_t;
struct cudaDeviceProp {
#include "warpstep_props.h"
    int reserved[63];
};
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};

/* ---- functions ---- */
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
extern "C" {
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaSetDevice(int);
cudaError_t cudaSetDeviceFlags(unsigned int);
cudaError_t cudaGetDeviceFlags(unsigned int *);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *, int);
cudaError_t cudaChooseDevice(int *, const struct cudaDeviceProp *);
cudaError_t cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int);
cudaError_t cudaDeviceGetPCIBusId(char *, int, int);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *);
cudaError_t cudaDeviceGetByPCIBusId(int *, const char *);
cudaError_t cudaInitDevice(int, unsigned int, unsigned int);
cudaError_t cudaDeviceGetP2PAttribute(int *, enum cudaDeviceP2PAttr, int, int);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaHostGetFlags(unsigned int *, void *);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *, struct cudaExtent *, unsigned int *, cudaArray_t);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t,
                                     enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr, int, struct cudaExtent, cudaStream_t = 0);
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t);
cudaError_t cudaDeviceGetLimit(size_t *, enum cudaLimit);
cudaError_t cudaDeviceGetStreamPriorityRange(int *, int *);
cudaError_t cudaDeviceCanAccessPeer(int *, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaHostRegister(void *, size_t, unsigned int);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *, struct cudaExtent);
cudaError_t cudaMallocArray(cudaArray_t *, const struct cudaChannelFormatDesc *, size_t, size_t = 0, unsigned int = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *, const struct cudaChannelFormatDesc *, struct cudaExtent, unsigned int = 0);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *, const void *);
cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, int);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t = 0, unsigned int = cudaMemAttachSingle);
cudaError_t cudaFreeAsync(void *, cudaStream_t);

cudaError_t cudaMemcpy(void *, const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind,
                              cudaStream_t = 0);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArray(void *, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t,
                                  enum cudaMemcpyKind);
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyFromArray(void *, cudaArray_const_t, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *, cudaStream_t = 0);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaMemset2DAsync(void *, size_t, int, size_t, size_t, cudaStream_t = 0);
cudaError_t cudaMemset3D(struct cudaPitchedPtr, int, struct cudaExtent);

cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned int);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned int, int);
cudaError_t cudaStreamGetPriority(cudaStream_t, int *);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int *);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *, unsigned int);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned int);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);

struct cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, enum cudaChannelFormatKind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const struct cudaResourceDesc *,
                                    const struct cudaTextureDesc *, const void *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const struct cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);

cudaError_t cudaStreamBeginCapture(cudaStream_t, enum cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaStreamIsCapturing(cudaStream_t, enum cudaStreamCaptureStatus *);
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned int);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphClone(cudaGraph_t *, cudaGraph_t);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, const struct cudaKernelNodeParams *);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t, const struct cudaKernelNodeParams *);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const struct cudaKernelNodeParams *);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const struct cudaMemcpy3DParms *);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *,
                                     const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const struct cudaMemsetParams *);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                 const struct cudaHostNodeParams *);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);

cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);

/* the untyped ones below their templates */
cudaError_t __ws_malloc(void **, size_t) __asm__("cudaMalloc");
cudaError_t __ws_malloc_host(void **, size_t) __asm__("cudaMallocHost");
cudaError_t __ws_host_alloc(void **, size_t, unsigned int) __asm__("cudaHostAlloc");
cudaError_t __ws_host_pointer(void **, void *, unsigned int) __asm__("cudaHostGetDevicePointer");
cudaError_t __ws_malloc_managed(void **, size_t, unsigned int) __asm__("cudaMallocManaged");
cudaError_t __ws_malloc_pitch(void **, size_t *, size_t, size_t) __asm__("cudaMallocPitch");
cudaError_t __ws_malloc_async(void **, size_t, cudaStream_t) __asm__("cudaMallocAsync");
cudaError_t __ws_malloc_pool(void **, size_t, cudaMemPool_t, cudaStream_t) __asm__("cudaMallocFromPoolAsync");
cudaError_t __ws_func_banks(const void *, enum cudaSharedMemConfig) __asm__("cudaFuncSetSharedMemConfig");
cudaError_t __ws_occupancy_flags(int *, const void *, int, size_t, unsigned int) __asm__(
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
cudaError_t __ws_to_symbol(const void *, const void *, size_t, size_t, enum cudaMemcpyKind) __asm__(
    "cudaMemcpyToSymbol");
cudaError_t __ws_from_symbol(void *, const void *, size_t, size_t, enum cudaMemcpyKind) __asm__(
    "cudaMemcpyFromSymbol");
cudaError_t __ws_to_symbol_async(const void *, const void *, size_t, size_t, enum cudaMemcpyKind,
                                 cudaStream_t) __asm__("cudaMemcpyToSymbolAsync");
cudaError_t __ws_from_symbol_async(void *, const void *, size_t, size_t, enum cudaMemcpyKind, cudaStream_t) __asm__(
    "cudaMemcpyFromSymbolAsync");
cudaError_t __ws_symbol_address(void **, const void *) __asm__("cudaGetSymbolAddress");
cudaError_t __ws_symbol_size(size_t *, const void *) __asm__("cudaGetSymbolSize");
cudaError_t __ws_func_attribute(const void *, enum cudaFuncAttribute, int) __asm__("cudaFuncSetAttribute");
cudaError_t __ws_func_attributes(struct cudaFuncAttributes *, const void *) __asm__("cudaFuncGetAttributes");
cudaError_t __ws_func_cache(const void *, enum cudaFuncCache) __asm__("cudaFuncSetCacheConfig");
cudaError_t __ws_occupancy(int *, const void *, int, size_t) __asm__("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}

/* as CUDA 11 had it */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *x, cudaGraph_t g, cudaGraphNode_t *, char *, size_t)
{
    return cudaGraphInstantiate(x, g, 0ull);
}
template <class T> cudaError_t cudaMalloc(T **p, size_t n) { return __ws_malloc((void **)p, n); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t n, unsigned int flags = 0)
{
    return __ws_host_alloc((void **)p, n, flags);
}
template <class T> cudaError_t cudaHostAlloc(T **p, size_t n, unsigned int flags = 0)
{
    return __ws_host_alloc((void **)p, n, flags);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned int flags = 0)
{
    return __ws_host_pointer((void **)p, host, flags);
}
template <class T> cudaError_t cudaMallocManaged(T **p, size_t n, unsigned int flags = cudaMemAttachGlobal)
{
    return __ws_malloc_managed((void **)p, n, flags);
}
template <class T> cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return __ws_malloc_pitch((void **)p, pitch, width, height);
}
template <class T> cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t s)
{
    return __ws_malloc_async((void **)p, n, s);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t n, size_t at = 0,
                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return __ws_to_symbol((const void *)&symbol, from, n, at, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t n, size_t at = 0,
                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return __ws_from_symbol(to, (const void *)&symbol, n, at, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t n, size_t at = 0,
                                    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t s = 0)
{
    return __ws_to_symbol_async((const void *)&symbol, from, n, at, kind, s);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t n, size_t at = 0,
                                      enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t s = 0)
{
    return __ws_from_symbol_async(to, (const void *)&symbol, n, at, kind, s);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **at, const T &symbol)
{
    return __ws_symbol_address(at, (const void *)&symbol);
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *n, const T &symbol)
{
    return __ws_symbol_size(n, (const void *)&symbol);
}
template <class T> cudaError_t cudaFuncSetAttribute(T *f, enum cudaFuncAttribute a, int v)
{
    return __ws_func_attribute((const void *)f, a, v);
}
template <class T> cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, T *f)
{
    return __ws_func_attributes(a, (const void *)f);
}
template <class T> cudaError_t cudaMallocFromPoolAsync(T **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
    return __ws_malloc_pool((void **)p, n, pool, s);
}
template <class T> cudaError_t cudaFuncSetSharedMemConfig(T *f, enum cudaSharedMemConfig c)
{
    return __ws_func_banks((const void *)f, c);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T f, int threads, size_t shared,
                                                                   unsigned int flags)
{
    return __ws_occupancy_flags(blocks, (const void *)f, threads, shared, flags);
}
template <class T> cudaError_t cudaFuncSetCacheConfig(T *f, enum cudaFuncCache c)
{
    return __ws_func_cache((const void *)f, c);
}
template <class T> cudaError_t cudaLaunchKernel(T *f, dim3 g, dim3 b, void **args, size_t n = 0, cudaStream_t s = 0)
{
    return cudaLaunchKernel((const void *)f, g, b, args, n, s);
}
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T *f, dim3 g, dim3 b, void **args, size_t n = 0, cudaStream_t s = 0)
{
    return cudaLaunchCooperativeKernel((const void *)f, g, b, args, n, s);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T f, int threads, size_t shared)
{
    return __ws_occupancy(blocks, (const void *)f, threads, shared);
}
/* The block size with the most resident threads, the largest of those that are alike. */
template <class T, class S>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T f, S shared_of, int limit = 0)
{
    int device = 0, processors = 0, best = 0;
    cudaFuncAttributes a;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (code == cudaSuccess) code = __ws_func_attributes(&a, (const void *)f);
    if (code != cudaSuccess) return code;
    int most = a.maxThreadsPerBlock;
    if (limit && limit < most) most = limit;
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
        int size = threads < most ? threads : most, blocks = 0;
        code = __ws_occupancy(&blocks, (const void *)f, size, shared_of(size));
        if (code != cudaSuccess) return code;
        if (blocks * size <= best) continue;
        best = blocks * size;
        *block = size;
        *grid = blocks * processors;
    }
    return cudaSuccess;
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T f, size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, f, [=](int) { return shared; }, limit);
}

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y)
{
    return {p, pitch, x, y};
}
template <class T> struct __ws_channels {
    static const int bits = 8 * sizeof(T), count = 1;
    static const cudaChannelFormatKind kind =
        T(-1) < T(0) ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
};
template <> struct __ws_channels<float> {
    static const int bits = 32, count = 1;
    static const cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
};
#define __WS_CHANNELS(base, name)                                                          \
    template <> struct __ws_channels<name##1> : __ws_channels<base> {};                    \
    template <> struct __ws_channels<name##2> : __ws_channels<base> {                      \
        static const int count = 2;                                                        \
    };                                                                                     \
    template <> struct __ws_channels<name##4> : __ws_channels<base> {                      \
        static const int count = 4;                                                        \
    };
__WS_CHANNELS(signed char, char)
__WS_CHANNELS(unsigned char, uchar)
__WS_CHANNELS(short, short)
__WS_CHANNELS(unsigned short, ushort)
__WS_CHANNELS(int, int)
__WS_CHANNELS(unsigned int, uint)
__WS_CHANNELS(float, float)
#undef __WS_CHANNELS
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef __ws_channels<T> c;
    return {c::bits, c::count > 1 ? c::bits : 0, c::count > 2 ? c::bits : 0, c::count > 2 ? c::bits : 0, c::kind};
}

/* ---- __managed__ ----
 * clang 14 ignores the attribute and makes a variable of the host. Both halves of a __device__
 * variable are kept if it stands in a section of its own; the runtime then lets kernels use the
 * host's half. */
#undef __managed__
#define __managed__ __attribute__((device, section("warpstep_managed")))
#if !defined(__CUDA_ARCH__)
extern "C" {
extern char __start_warpstep_managed[] __attribute__((weak)), __stop_warpstep_managed[] __attribute__((weak));
void __cudaWarpstepManaged(void *, void *) __attribute__((weak));
}
__attribute__((constructor(101))) static void __ws_managed(void)
{
    if (__cudaWarpstepManaged && __start_warpstep_managed)
        __cudaWarpstepManaged(__start_warpstep_managed, __stop_warpstep_managed);
}
#endif

/* ---- what CUDA adds to the host's functions ---- */
#define __WS_HOST static __inline__ __attribute__((host, unused))
#define __WS_LESS(T)                                     \
    __WS_HOST T min(T a, T b) { return b < a ? b : a; }  \
    __WS_HOST T max(T a, T b) { return a < b ? b : a; }
__WS_LESS(int)
__WS_LESS(unsigned int)
__WS_LESS(long)
__WS_LESS(unsigned long)
__WS_LESS(long long)
__WS_LESS(unsigned long long)
__WS_LESS(float)
__WS_LESS(double)
#undef __WS_LESS
__WS_HOST float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }
__WS_HOST double rsqrt(double x) { return 1 / __builtin_sqrt(x); }

__WS_FN unsigned int umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
__WS_FN unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }

#include "warpstep_texture.h"

/* what NVIDIA's headers bring along */
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __VECTOR_TYPES_H__
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "warpstep_removed.h"
#endif
