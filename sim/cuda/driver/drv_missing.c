/* drv_missing.c: the rest of the driver: each says that it is not there. */
#include "driver.h"

/* not inlined: there would be hundreds of copies */
static __attribute__((noinline)) int missing(const char *name)
{
    core_begin();
    record_missing(name);
    return core_end(E_NotSupported, 0);
}

#define MISSING(name) \
    API name(void) { return missing(#name); }
#include "drv_missing.def"
#undef MISSING

bool drv_is_missing(const char *name)
{
    static const char *const all[] = {
#define MISSING(name) #name,
#include "drv_missing.def"
#undef MISSING
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i], name)) return true;
    return false;
}
