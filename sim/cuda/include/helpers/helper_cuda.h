/* helper_cuda.h: what the header of this name that comes with NVIDIA's samples offers, in our own words,
 * for programs that are compiled without it: checking errors, and choosing a device. */
#ifndef WARPSTEP_HELPER_CUDA_H
#define WARPSTEP_HELPER_CUDA_H
#include "helper_string.h"
#include <cuda_runtime.h>

static inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

template <class T> void check(T result, const char *call, const char *file, int line)
{
    if (!result) return;
    fprintf(stderr, "CUDA error at %s:%d code=%u(%s) \"%s\" \n", file, line, (unsigned)result,
            _cudaGetErrorEnum((cudaError_t)result), call);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

static inline void __getLastCudaError(const char *message, const char *file, int line)
{
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%d) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
            cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
static inline void __printLastCudaError(const char *message, const char *file, int line)
{
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        fprintf(stderr, "%s(%d) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
                cudaGetErrorString(error));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
static inline int ftoi(float value) { return value >= 0 ? (int)(value + 0.5f) : (int)(value - 0.5f); }

/* Lanes for floats in a multiprocessor, by compute capability (the programming guide's table). */
static inline int _ConvertSMVer2Cores(int major, int minor)
{
    switch (major * 10 + minor) {
    case 30: case 32: case 35: case 37: return 192;
    case 60: case 70: case 72: case 75: case 80: return 64;
    default: return 128;
    }
}
static inline const char *_ConvertSMVer2ArchName(int major, int minor)
{
    switch (major * 10 + minor / 9 * 9) {
    case 30: return "Kepler";
    case 50: return "Maxwell";
    case 60: return "Pascal";
    case 70: return minor == 5 ? "Turing" : "Volta";
    case 80: return minor == 9 ? "Ada" : "Ampere";
    case 89: return "Ada";
    case 90: return "Hopper";
    default: return "Graphics Device";
    }
}
static inline int gpuDeviceInit(int device)
{
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (!count) {
        fprintf(stderr, "gpuDeviceInit() CUDA error: no devices supporting CUDA.\n");
        exit(EXIT_FAILURE);
    }
    if (device < 0) device = 0;
    if (device >= count) return -device;
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
static inline int gpuGetMaxGflopsDeviceId() { return 0; } /* the cards of one run are alike */
static inline int findCudaDevice(int argc, const char **argv)
{
    int device = 0, major = 0, minor = 0;
    if (checkCmdLineFlag(argc, argv, "device")) device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device="));
    if (device < 0) {
        printf("exiting...\n");
        exit(EXIT_FAILURE);
    }
    checkCudaErrors(cudaSetDevice(device));
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(major, minor),
           major, minor);
    return device;
}
static inline bool checkCudaCapabilities(int least_major, int least_minor)
{
    int device = 0, major = 0, minor = 0;
    checkCudaErrors(cudaGetDevice(&device));
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    const bool enough = major > least_major || (major == least_major && minor >= least_minor);
    if (!enough)
        printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", least_major, least_minor);
    return enough;
}
#endif
