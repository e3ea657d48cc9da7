/* rt_missing.c: the rest of the runtime: each says that it is not there. */
#include "runtime.h"

/* What a program without a status to look at would miss, the report says. Not inlined: there would be hundreds of
 * copies. */
static __attribute__((noinline)) int missing(const char *name)
{
    core_begin();
    record_missing(name);
    return core_end(fail(E_NotSupported), 0);
}

#define MISSING(name) \
    API name(void) { return missing(#name); }
#include "missing.def"
