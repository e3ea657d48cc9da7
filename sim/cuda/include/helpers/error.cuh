/* error.cuh: CHECK, as courses have it. */
#ifndef WARPSTEP_ERROR_CUH
#define WARPSTEP_ERROR_CUH
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call)                                                                                  \
    do {                                                                                             \
        const cudaError_t error_code = call;                                                         \
        if (error_code != cudaSuccess) {                                                             \
            printf("CUDA Error:\n    File:       %s\n    Line:       %d\n", __FILE__, __LINE__);     \
            printf("    Error code: %d\n    Error text: %s\n", (int)error_code,                      \
                   cudaGetErrorString(error_code));                                                  \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)
#endif
