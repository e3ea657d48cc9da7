/* gpu_compile.h: compiles a lesson's kernel for the local GPU. */
#ifndef GPU_COMPILE_H
#define GPU_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

/* `source` is the CUDA C file, `shipped` the PTX that came with it, `arch` 90 for compute
 * capability 9.0. False when it cannot be compiled here; else the texts stay ours. */
bool gpu_compile(const char *source, const char *shipped, int arch, const char **ptx, size_t *bytes,
                 const char **compiler);

#endif
