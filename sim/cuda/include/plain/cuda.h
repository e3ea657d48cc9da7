/* cuda.h, for host code that a plain C compiler builds: what lesson 8 uses of the driver's interface
 * (see cuda_runtime.h). Names with _v2 are what NVIDIA's header makes of the plain ones. */
#ifndef WARPSTEP_PLAIN_CUDA_H
#define WARPSTEP_PLAIN_CUDA_H

#include <stddef.h>

typedef enum CUresult { CUDA_SUCCESS } CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

CUresult cuInit(unsigned), cuDeviceGet(CUdevice *, int), cuDevicePrimaryCtxRetain(CUcontext *, CUdevice);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice), cuCtxSetCurrent(CUcontext), cuCtxSynchronize(void);
CUresult cuModuleLoadData(CUmodule *, const void *), cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *), cuGetErrorName(CUresult, const char **);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t), cuMemFree_v2(CUdeviceptr);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t), cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void **, void **);
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuMemAlloc                cuMemAlloc_v2
#define cuMemFree                 cuMemFree_v2
#define cuMemcpyHtoD              cuMemcpyHtoD_v2
#define cuMemcpyDtoH              cuMemcpyDtoH_v2

#endif
