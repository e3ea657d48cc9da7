/* blas_missing.c: the rest of cuBLAS: each says that it is not there. */
#include "blas.h"

/* not inlined: there would be hundreds of copies */
static __attribute__((noinline)) int missing(const char *name)
{
    core_begin();
    record_missing(name);
    return core_end(B_NOT_SUPPORTED, 0);
}

#define MISSING(name) \
    API name(void) { return missing(#name); }
#include "blas_missing.def"
