// meets.cu: the programs of meets.h as kernels of one warp. seen[(turn * 16 + point) * 32 + lane]
// becomes the lanes that were at that point with this one. tests/unit/meets.c runs them, and
// tests/gpu/card.sh on a GPU too. The text of each point's instruction is another one, so that no
// compiler makes one of two.

#define PLACE __device__
#define PROGRAM(name)                                                                                             \
    static __device__ __forceinline__ void program_##name(unsigned *seen, unsigned lane, unsigned turns);         \
    extern "C" __global__ void name(unsigned *seen, unsigned turns) { program_##name(seen, threadIdx.x, turns); } \
    static __device__ __forceinline__ void program_##name(unsigned *seen, unsigned lane, unsigned turns)
#define SEE(p)                                                                  \
    do {                                                                        \
        unsigned here;                                                          \
        asm volatile("activemask.b32 %0; // point " #p : "=r"(here)::"memory"); \
        seen[(turn * 16 + p) * 32 + lane] = here;                               \
    } while (0)
#define SEE_APART(p, way) \
    do {                  \
        (void)(way);      \
        SEE(p);           \
    } while (0)

#include "meets.h"
