/* grid_sync.c: the barrier of a whole grid for code that calls NVIDIA's device runtime for it (numba-cuda; what nvcc
 * compiles has it in its headers). The last block that comes lets a new generation begin. */
#include "core.h"
#include <string.h>

#define SYNC(name)                                                                                           \
    ".visible .func (.param .b32 r) " name "(.param .b64 h, .param .b32 f)\n{\n"                             \
    ".reg .b64 %a<2>;\n.reg .b32 %q<8>;\n.reg .pred %p<2>;\nbar.sync 0;\n"                                   \
    "mov.u32 %q1, %tid.x;\nmov.u32 %q2, %tid.y;\nmov.u32 %q3, %tid.z;\nor.b32 %q1, %q1, %q2;\n"              \
    "or.b32 %q1, %q1, %q3;\nsetp.ne.u32 %p1, %q1, 0;\n@%p1 bra DONE;\n"                                      \
    "mov.u64 %a1, __warpstep_grid;\nmembar.gl;\nld.volatile.global.u32 %q4, [%a1+4];\n"                      \
    "mov.u32 %q1, %nctaid.x;\nmov.u32 %q2, %nctaid.y;\nmov.u32 %q3, %nctaid.z;\nmul.lo.u32 %q1, %q1, %q2;\n" \
    "mul.lo.u32 %q1, %q1, %q3;\nsub.u32 %q1, %q1, 1;\natom.global.add.u32 %q5, [%a1], 1;\n"                  \
    "setp.ne.u32 %p1, %q5, %q1;\n@%p1 bra WAIT;\n"                                                           \
    "atom.global.exch.b32 %q6, [%a1], 0;\nmembar.gl;\natom.global.add.u32 %q6, [%a1+4], 1;\nbra CAME;\n"     \
    "WAIT:\nld.volatile.global.u32 %q6, [%a1+4];\nsetp.eq.u32 %p1, %q6, %q4;\n@%p1 bra WAIT;\n"              \
    "CAME:\nmembar.gl;\nDONE:\nbar.sync 0;\nst.param.b32 [r], 0;\nret;\n}\n"

const char grid_sync_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .align 8 .b8 __warpstep_grid[8];\n"
    ".visible .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 s)\n{\n"
    ".reg .b64 %a<2>;\n.reg .b32 %q<2>;\n"
    "ld.param.b32 %q1, [s];\ncvt.u64.u32 %a1, %q1;\nst.param.b64 [r], %a1;\nret;\n}\n" SYNC("cudaCGSynchronize")
        SYNC("cudaCGSynchronizeGrid");

bool grid_sync_wanted(const char *text) { return strstr(text, "cudaCGSynchronize"); }
