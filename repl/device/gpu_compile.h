/* gpu_compile.h: a lesson's kernel compiled for the GPU that is here. */
#ifndef GPU_COMPILE_H
#define GPU_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

/* `source` is the CUDA C file, `shipped` the PTX that came with it, `arch` 90 for compute
 * capability 9.0. False when it cannot be compiled here; else texts that stay ours. */
bool gpu_compile(const char *source, const char *shipped, int arch, const char **ptx, size_t *bytes,
                 const char **compiler);

#endif
