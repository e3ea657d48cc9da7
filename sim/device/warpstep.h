/* warpstep.h: the CUDA C language for clang without NVIDIA's headers. Included before the program's own text.
 *
 * What is where:  warpstep_types.h       keywords, vector types, built-in variables
 *                 warpstep_thread.h      barriers, fences, shuffles, votes, atomics, clocks, printf, assert
 *                 warpstep_intrinsics.h  bit, integer, float and conversion intrinsics
 *                 warpstep_math.h        sqrtf to erf, in float and double, with their errors
 *                 warpstep_host.h        declarations that let a file's host part (main, cudaMalloc ...) parse
 *                 cooperative_groups.h   included by the program when it wants groups
 *                 warpstep_rtc.h         for NVRTC, which has the language built in but none of the host's headers
 */
#ifndef WARPSTEP_H
#define WARPSTEP_H
#if !defined(__CUDA__) || !defined(__clang__)
#error "this header is for clang -x cuda"
#endif
#include "warpstep_types.h"
#include "warpstep_intrinsics.h"
#include "warpstep_thread.h"
#include "warpstep_math.h"
#ifdef WARPSTEP_PROGRAM /* a whole program, host code and all */
#include "warpstep_program.h"
#else
#include "warpstep_host.h"
#endif
#endif
