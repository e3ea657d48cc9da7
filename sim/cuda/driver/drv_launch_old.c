/* drv_launch_old.c: launches as they were before CUDA 4: a function remembers its block's shape and its arguments,
 * which the program puts in place one by one. PyCUDA launches so, and so do articles of that time. */
#include "driver.h"

API cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                   void **);

enum { PARAMS_MOST = 4096 };
typedef struct old_launch {
    unsigned block[3], shared;
    size_t bytes;
    unsigned char params[PARAMS_MOST];
} old_launch;

/* What the function remembers; it is made when first asked for. */
static int begin(void *handle, old_launch **out)
{
    device *d;
    int code = drv_enter(&d);
    function *f = code ? NULL : handle_find(H_FUNCTION, handle);
    *out = NULL;
    if (!code && !f) code = E_InvalidResourceHandle;
    if (f && !f->old && !(f->old = calloc(1, sizeof(old_launch)))) code = E_MemoryAllocation;
    if (!code) *out = f->old;
    return code;
}

API cuFuncSetBlockShape(void *f, int x, int y, int z)
{
    old_launch *o;
    int code = begin(f, &o);
    if (!code && (x <= 0 || y <= 0 || z <= 0)) code = E_InvalidValue;
    if (!code) o->block[0] = (unsigned)x, o->block[1] = (unsigned)y, o->block[2] = (unsigned)z;
    return drv_leave(code, CALL_COST);
}
API cuFuncSetSharedSize(void *f, unsigned bytes)
{
    old_launch *o;
    const int code = begin(f, &o);
    if (!code) o->shared = bytes;
    return drv_leave(code, CALL_COST);
}
API cuParamSetSize(void *f, unsigned bytes)
{
    old_launch *o;
    int code = begin(f, &o);
    if (!code && bytes > PARAMS_MOST) code = E_InvalidValue;
    if (!code) o->bytes = bytes;
    return drv_leave(code, CALL_COST);
}
API cuParamSetv(void *f, int offset, const void *from, unsigned bytes)
{
    old_launch *o;
    int code = begin(f, &o);
    if (!code && (offset < 0 || !from || bytes > PARAMS_MOST || (unsigned)offset > PARAMS_MOST - bytes))
        code = E_InvalidValue;
    if (!code) memcpy(o->params + offset, from, bytes);
    return drv_leave(code, CALL_COST);
}
API cuParamSeti(void *f, int offset, unsigned value) { return cuParamSetv(f, offset, &value, sizeof value); }
API cuParamSetf(void *f, int offset, float value) { return cuParamSetv(f, offset, &value, sizeof value); }

API cuLaunchGridAsync(void *f, int width, int height, void *st)
{
    old_launch *o;
    int code = begin(f, &o);
    if (!code && (width <= 0 || height <= 0 || !o->block[0])) code = E_InvalidValue;
    old_launch now = {.shared = 0};
    if (!code) now = *o;
    code = drv_leave(code, 0);
    void *extra[] = {(void *)1, now.params, (void *)2, &now.bytes, NULL};
    return code ? code
                : cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, now.block[0], now.block[1], now.block[2],
                                 now.shared, st, NULL, extra);
}
API cuLaunchGrid(void *f, int width, int height) { return cuLaunchGridAsync(f, width, height, NULL); }
API cuLaunch(void *f) { return cuLaunchGridAsync(f, 1, 1, NULL); }
