/* warpstep_thread.h: what threads do together: barriers, fences, shuffles, votes, atomics; also
 * clocks, printf, assert. clang leaves inline assembly of convergent operations in place: it treats
 * all CUDA code as convergent. */
#ifndef WARPSTEP_THREAD_H
#define WARPSTEP_THREAD_H

/* ---- barriers and fences ---- */
#define __syncthreads __ws_syncthreads /* the name is a builtin of some versions of clang */
__WS_FN void __ws_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __WS_SYNC_REDUCE(name, op)                                                                               \
    __WS_FN int __syncthreads_##name(int predicate)                                                              \
    {                                                                                                            \
        int result;                                                                                              \
        asm volatile("{ .reg .pred %%p, %%q; setp.ne.s32 %%p, %1, 0; bar.red." op ".pred %%q, 0, %%p; "          \
                     "selp.s32 %0, 1, 0, %%q; }" : "=r"(result) : "r"(predicate) : "memory");                    \
        return result;                                                                                           \
    }
__WS_SYNC_REDUCE(and, "and")
__WS_SYNC_REDUCE(or, "or")
#undef __WS_SYNC_REDUCE
__WS_FN int __syncthreads_count(int predicate)
{
    int result;
    asm volatile("{ .reg .pred %%p; setp.ne.s32 %%p, %1, 0; bar.red.popc.u32 %0, 0, %%p; }"
                 : "=r"(result) : "r"(predicate) : "memory");
    return result;
}
__WS_FN void __syncwarp(unsigned int mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
__WS_FN void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
__WS_FN void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
__WS_FN void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }

/* ---- votes and matches ---- */
#define __WS_VOTE(name, op)                                                                      \
    __WS_FN int name(unsigned int mask, int predicate)                                                           \
    {                                                                                                            \
        int result;                                                                                              \
        asm volatile("{ .reg .pred %%p, %%q; setp.ne.s32 %%p, %1, 0; vote.sync." op ".pred %%q, %%p, %2; "       \
                     "selp.s32 %0, 1, 0, %%q; }" : "=r"(result) : "r"(predicate), "r"(mask) : "memory");         \
        return result;                                                                                           \
    }
__WS_VOTE(__all_sync, "all")
__WS_VOTE(__any_sync, "any")
__WS_VOTE(__uni_sync, "uni")
#undef __WS_VOTE
__WS_FN unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    unsigned int result;
    asm volatile("{ .reg .pred %%p; setp.ne.s32 %%p, %1, 0; vote.sync.ballot.b32 %0, %%p, %2; }"
                 : "=r"(result) : "r"(predicate), "r"(mask) : "memory");
    return result;
}
__WS_FN unsigned int __activemask()
{
    unsigned int result;
    asm volatile("activemask.b32 %0;" : "=r"(result) :: "memory");
    return result;
}
template <class T> __WS_FN unsigned int __match_any_sync(unsigned int mask, T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any_sync takes 4 or 8 bytes");
    unsigned int result;
    if constexpr (sizeof(T) == 4)
        asm volatile("match.any.sync.b32 %0, %1, %2;"
                     : "=r"(result)
                     : "r"(__builtin_bit_cast(unsigned int, value)), "r"(mask));
    else
        asm volatile("match.any.sync.b64 %0, %1, %2;"
                     : "=r"(result) : "l"(__builtin_bit_cast(unsigned long long, value)), "r"(mask));
    return result;
}
template <class T> __WS_FN unsigned int __match_all_sync(unsigned int mask, T value, int *predicate)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_all_sync takes 4 or 8 bytes");
    unsigned int result;
    int all;
    if constexpr (sizeof(T) == 4)
        asm volatile("{ .reg .pred %%p; match.all.sync.b32 %0|%%p, %2, %3; selp.s32 %1, 1, 0, %%p; }"
                     : "=r"(result), "=r"(all) : "r"(__builtin_bit_cast(unsigned int, value)), "r"(mask));
    else
        asm volatile("{ .reg .pred %%p; match.all.sync.b64 %0|%%p, %2, %3; selp.s32 %1, 1, 0, %%p; }"
                     : "=r"(result), "=r"(all) : "l"(__builtin_bit_cast(unsigned long long, value)), "r"(mask));
    *predicate = all;
    return result;
}

/* ---- shuffles: 4 bytes at a time; the last operand holds the segment mask and the clamp. The
 * value is passed by reference: a lane whose value is not read may pass a variable that it never
 * set. clang treats that as undefined for a parameter, but not for an operand of assembly. ---- */
template <class T> struct __ws_plain { typedef T type; };
template <class T> struct __ws_plain<volatile T> { typedef T type; };
#define __WS_SHUFFLE(name, mode, argument, clamp)                                                                \
    template <class V>                                                                                           \
    __WS_FN typename __ws_plain<V>::type __##name##_sync(unsigned int mask, const V &value, argument at,         \
                                                            int width = 32)                                      \
    {                                                                                                            \
        typedef typename __ws_plain<V>::type T;                                                                  \
        static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 2, 4 or 8 bytes");    \
        const unsigned int c = ((32u - (unsigned int)width) << 8) | (clamp);                                     \
        unsigned int low, high;                                                                                  \
        T v = value;                                                                                             \
        if constexpr (sizeof(T) == 2) {                                                                          \
            asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                            \
                         : "=r"(low) : "r"((unsigned int)__builtin_bit_cast(unsigned short, v)), "r"(at), "r"(c), \
                         "r"(mask) : "memory");                                                                  \
            return __builtin_bit_cast(T, (unsigned short)low);                                                   \
        } else if constexpr (sizeof(T) == 4) {                                                                   \
            asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                            \
                         : "=r"(low) : "r"(__builtin_bit_cast(unsigned int, v)), "r"(at), "r"(c),                \
                         "r"(mask) : "memory");                                                                  \
            return __builtin_bit_cast(T, low);                                                                   \
        } else {                                                                                                 \
            unsigned long long w = __builtin_bit_cast(unsigned long long, v);                                    \
            asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                            \
                         : "=r"(low) : "r"((unsigned int)w), "r"(at), "r"(c), "r"(mask) : "memory");             \
            asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                            \
                         : "=r"(high) : "r"((unsigned int)(w >> 32)), "r"(at), "r"(c), "r"(mask) : "memory");    \
            return __builtin_bit_cast(T, (unsigned long long)high << 32 | low);                                  \
        }                                                                                                        \
    }
__WS_SHUFFLE(shfl, "idx", int, 31u)
__WS_SHUFFLE(shfl_up, "up", unsigned int, 0u)
__WS_SHUFFLE(shfl_down, "down", unsigned int, 31u)
__WS_SHUFFLE(shfl_xor, "bfly", int, 31u)
#undef __WS_SHUFFLE

#if __CUDA_ARCH__ >= 800
#define __WS_REDUX(name, type, text)                                                                             \
    __WS_FN type name(unsigned int mask, type value)                                                             \
    {                                                                                                            \
        type result;                                                                                             \
        asm volatile("redux.sync." text " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));                  \
        return result;                                                                                           \
    }
__WS_REDUX(__reduce_add_sync, unsigned int, "add.u32")
__WS_REDUX(__reduce_min_sync, unsigned int, "min.u32")
__WS_REDUX(__reduce_max_sync, unsigned int, "max.u32")
__WS_REDUX(__reduce_add_sync, int, "add.s32")
__WS_REDUX(__reduce_min_sync, int, "min.s32")
__WS_REDUX(__reduce_max_sync, int, "max.s32")
__WS_REDUX(__reduce_and_sync, unsigned int, "and.b32")
__WS_REDUX(__reduce_or_sync, unsigned int, "or.b32")
__WS_REDUX(__reduce_xor_sync, unsigned int, "xor.b32")
#undef __WS_REDUX
#endif

/* ---- atomics: builtins let clang find the state space. `ll` builtins take signed pointers ---- */
#define __WS_ATOMIC(name, type, builtin, as)                                                                     \
    __WS_FN type name(type *p, type v) { return (type)__nvvm_atom_##builtin((as *)p, (as)v); }                   \
    __WS_FN type name##_block(type *p, type v) { return (type)__nvvm_atom_cta_##builtin((as *)p, (as)v); }       \
    __WS_FN type name##_system(type *p, type v) { return name(p, v); }
typedef long long __ws_ll;
typedef unsigned long long __ws_ull;
__WS_ATOMIC(atomicAdd, int, add_gen_i, int)
__WS_ATOMIC(atomicAdd, unsigned int, add_gen_i, int)
__WS_ATOMIC(atomicAdd, __ws_ull, add_gen_ll, __ws_ll)
__WS_ATOMIC(atomicAdd, float, add_gen_f, float)
#if __CUDA_ARCH__ >= 600 || !defined(__CUDA_ARCH__)
__WS_ATOMIC(atomicAdd, double, add_gen_d, double)
#endif
__WS_FN int atomicSub(int *p, int v) { return atomicAdd(p, (int)(0u - (unsigned int)v)); }
__WS_FN unsigned int atomicSub(unsigned int *p, unsigned int v) { return atomicAdd(p, 0u - v); }
__WS_ATOMIC(atomicExch, int, xchg_gen_i, int)
__WS_ATOMIC(atomicExch, unsigned int, xchg_gen_i, int)
__WS_ATOMIC(atomicExch, __ws_ull, xchg_gen_ll, __ws_ll)
__WS_FN float atomicExch(float *p, float v)
{
    return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));
}
__WS_ATOMIC(atomicMin, int, min_gen_i, int)
__WS_ATOMIC(atomicMin, unsigned int, min_gen_ui, unsigned int)
__WS_ATOMIC(atomicMin, __ws_ll, min_gen_ll, __ws_ll)
__WS_ATOMIC(atomicMin, __ws_ull, min_gen_ull, __ws_ull)
__WS_ATOMIC(atomicMax, int, max_gen_i, int)
__WS_ATOMIC(atomicMax, unsigned int, max_gen_ui, unsigned int)
__WS_ATOMIC(atomicMax, __ws_ll, max_gen_ll, __ws_ll)
__WS_ATOMIC(atomicMax, __ws_ull, max_gen_ull, __ws_ull)
__WS_ATOMIC(atomicAnd, int, and_gen_i, int)
__WS_ATOMIC(atomicAnd, unsigned int, and_gen_i, int)
__WS_ATOMIC(atomicAnd, __ws_ull, and_gen_ll, __ws_ll)
__WS_ATOMIC(atomicOr, int, or_gen_i, int)
__WS_ATOMIC(atomicOr, unsigned int, or_gen_i, int)
__WS_ATOMIC(atomicOr, __ws_ull, or_gen_ll, __ws_ll)
__WS_ATOMIC(atomicXor, int, xor_gen_i, int)
__WS_ATOMIC(atomicXor, unsigned int, xor_gen_i, int)
__WS_ATOMIC(atomicXor, __ws_ull, xor_gen_ll, __ws_ll)
__WS_ATOMIC(atomicInc, unsigned int, inc_gen_ui, unsigned int)
__WS_ATOMIC(atomicDec, unsigned int, dec_gen_ui, unsigned int)
#undef __WS_ATOMIC
__WS_FN int atomicCAS(int *p, int compare, int v) { return __nvvm_atom_cas_gen_i(p, compare, v); }
__WS_FN unsigned int atomicCAS(unsigned int *p, unsigned int compare, unsigned int v)
{
    return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v);
}
__WS_FN __ws_ull atomicCAS(__ws_ull *p, __ws_ull compare, __ws_ull v)
{
    return (__ws_ull)__nvvm_atom_cas_gen_ll((__ws_ll *)p, (__ws_ll)compare, (__ws_ll)v);
}
__WS_FN unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short v)
{
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(compare), "h"(v) : "memory");
    return old;
}

/* ---- clocks ---- */
__WS_FN long clock()
{
    int t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory");
    return t;
}
__WS_FN long long clock64()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory");
    return t;
}
__WS_FN unsigned long long __ws_globaltimer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory");
    return t;
}
__WS_FN void __nanosleep(unsigned int nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory"); }

/* ---- the heap, output, stopping. clang turns printf into vprintf, as nvcc does. ---- */
extern "C" {
__device__ void *malloc(size_t size);
__device__ void free(void *p);
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...);
__device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file, unsigned int line,
                                                       const char *function, size_t char_size);
__device__ __attribute__((noreturn, always_inline, nodebug)) inline void
__assert_fail(const char *message, const char *file, unsigned int line, const char *function) noexcept
{
    __assertfail(message, file, line, function, sizeof(char));
}
}
/* new and delete: malloc and free. clang brings them, around the C++ library's <new>; without one
 * they are here. */
#if __has_include(<exception>)
#include <new>
#else
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
#define __WS_NEW __device__ inline __attribute__((always_inline, nodebug)) void
__WS_NEW *operator new(size_t n) { return malloc(n); }
__WS_NEW *operator new[](size_t n) { return malloc(n); }
__WS_NEW *operator new(size_t, void *place) noexcept { return place; }
__WS_NEW *operator new[](size_t, void *place) noexcept { return place; }
__WS_NEW operator delete(void *p) noexcept { free(p); }
__WS_NEW operator delete[](void *p) noexcept { free(p); }
__WS_NEW operator delete(void *p, size_t) noexcept { free(p); }
__WS_NEW operator delete[](void *p, size_t) noexcept { free(p); }
#undef __WS_NEW
#pragma clang diagnostic pop
#endif
extern "C" __device__ __attribute__((always_inline, nodebug)) inline void __cxa_pure_virtual()
{
    asm volatile("trap;");
}
#ifndef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif
__device__ __attribute__((noreturn, always_inline, nodebug)) static inline void __trap()
{
    asm volatile("trap;");
    __builtin_unreachable();
}
__WS_FN void __brkpt() { asm volatile("brkpt;"); }
__WS_FN void __prof_trigger(int) {}

__WS_FN void *memcpy(void *to, const void *from, size_t n) { return __builtin_memcpy(to, from, n); }
__WS_FN void *memset(void *to, int c, size_t n) { return __builtin_memset(to, c, n); }

#endif
