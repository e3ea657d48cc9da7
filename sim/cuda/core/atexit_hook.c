/* atexit_hook.c: when a shared object has told NVIDIA's runtime inside it of its kernels, it calls atexit as the
 * last thing: a moment at which our runtime can take that one's place (runtime/rt_static.c), before anything of
 * the object is used. */
#define _GNU_SOURCE
#include "core.h"
#include <dlfcn.h>
#include <string.h>

typedef void ending(void *);
void (*core_object_begins)(const void *inside);

PUBLIC int __cxa_atexit(ending *call, void *arg, void *object);
PUBLIC int __cxa_atexit(ending *call, void *arg, void *object)
{
    static int (*real)(ending *, void *, void *);
    if (!real) {
        void *at = dlsym(RTLD_NEXT, "__cxa_atexit");
        memcpy(&real, &at, sizeof real);
        if (!real) return -1;
    }
    const int code = real(call, arg, object);
    if (!arg && object && core_object_begins) core_object_begins(object); /* atexit itself gives no argument */
    return code;
}
