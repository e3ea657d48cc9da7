/* warpstep_types.h: CUDA's keywords, vector types with make_*, and the built-in variables. */
#ifndef WARPSTEP_TYPES_H
#define WARPSTEP_TYPES_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#if __clang_major__ < 16 /* a keyword since */
#define __noinline__ __attribute__((noinline))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __CUDACC__ 1
#define CUDART_VERSION 11000

/* Our own functions: local to this file, gone once inlined, and without lines of their own: what
 * they do counts for, and is reported at, the line that calls them. */
#define __WS_FN static __inline__ __attribute__((always_inline, unused, nodebug)) __attribute__((device))
#define __WS_BOTH static __inline__ __attribute__((always_inline, unused, nodebug)) __attribute__((host, device))

#include <stddef.h>
#include <stdint.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

/* char2 ... double4. CUDA aligns two and four elements as one load needs, three as one element. */
#define __WS_VECTORS(base, name, a2, a4)                                                                         \
    struct name##1 { base x; };                                                                                  \
    struct __attribute__((aligned(a2))) name##2 { base x, y; };                                                  \
    struct name##3 { base x, y, z; };                                                                            \
    struct __attribute__((aligned(a4))) name##4 { base x, y, z, w; };                                            \
    __WS_BOTH name##1 make_##name##1(base x) { return {x}; }                                                     \
    __WS_BOTH name##2 make_##name##2(base x, base y) { return {x, y}; }                                          \
    __WS_BOTH name##3 make_##name##3(base x, base y, base z) { return {x, y, z}; }                               \
    __WS_BOTH name##4 make_##name##4(base x, base y, base z, base w) { return {x, y, z, w}; }
__WS_VECTORS(signed char, char, 2, 4)
__WS_VECTORS(unsigned char, uchar, 2, 4)
__WS_VECTORS(short, short, 4, 8)
__WS_VECTORS(unsigned short, ushort, 4, 8)
__WS_VECTORS(int, int, 8, 16)
__WS_VECTORS(unsigned int, uint, 8, 16)
__WS_VECTORS(long, long, 16, 16)
__WS_VECTORS(unsigned long, ulong, 16, 16)
__WS_VECTORS(long long, longlong, 16, 16)
__WS_VECTORS(unsigned long long, ulonglong, 16, 16)
__WS_VECTORS(float, float, 8, 16)
__WS_VECTORS(double, double, 16, 16)
#undef __WS_VECTORS

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__
        __attribute__((nodebug)) constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1)
        : x(a), y(b), z(c)
    {
    }
    __host__ __device__ __attribute__((nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ __attribute__((nodebug)) constexpr operator uint3() const { return {x, y, z}; }
};

/* threadIdx.x reads a special register: a property, so that it cannot be assigned to and has no
 * address.
 */
#define __WS_COMPONENT(c, builtin)                                                                                     \
    __declspec(property(get = __get_##c)) unsigned int c;                                                              \
    static __inline__ __attribute__((always_inline, nodebug)) __attribute__((device)) unsigned int __get_##c()         \
    {                                                                                                                  \
        return builtin();                                                                                              \
    }
#define __WS_VARIABLE(name, sreg)                                                                                      \
    struct __ws_##name {                                                                                               \
        __WS_COMPONENT(x, sreg##_x)                                                                                    \
        __WS_COMPONENT(y, sreg##_y)                                                                                    \
        __WS_COMPONENT(z, sreg##_z)                                                                                    \
        __attribute__((device, nodebug)) operator dim3() const { return dim3(x, y, z); }                               \
        __attribute__((device, nodebug)) operator uint3() const { return {x, y, z}; }                                  \
        __attribute__((device)) __ws_##name() = delete;                                                                \
        __attribute__((device)) void operator=(const __ws_##name &) const = delete;                                    \
    };                                                                                                                 \
    extern const __attribute__((device)) __attribute__((weak)) __ws_##name name;
__WS_VARIABLE(threadIdx, __nvvm_read_ptx_sreg_tid)
__WS_VARIABLE(blockIdx, __nvvm_read_ptx_sreg_ctaid)
__WS_VARIABLE(blockDim, __nvvm_read_ptx_sreg_ntid)
__WS_VARIABLE(gridDim, __nvvm_read_ptx_sreg_nctaid)
#undef __WS_VARIABLE
#undef __WS_COMPONENT
__attribute__((device)) const int warpSize = 32;

#endif
