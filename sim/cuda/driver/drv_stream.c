/* drv_stream.c: streams, events, host functions, capture, graphs. */
#include "driver.h"

API cuStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = out && flags <= 1 ? stream_new(d, flags, priority, out) : E_InvalidValue;
    return drv_leave(code, CALL_COST);
}
API cuStreamCreate(void **out, unsigned flags) { return cuStreamCreateWithPriority(out, flags, 0); }
API cuStreamDestroy_v2(void *handle)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = stream_end(handle);
    return drv_leave(code, CALL_COST);
}

#define CALL(name)                  cu##name
#define ENTER(d)                    drv_enter(d)
#define ENTER_STREAM(d, handle, st) drv_enter_stream(d, handle, st)
#define LEAVE(code, cost)           drv_leave(code, cost)
#define REFUSE(code)                (code)
#include "cuda/core/stream_calls.h"
API cuIpcOpenMemHandle_v2(uint64_t *at, ipc_handle handle, unsigned flags)
{
    return cuIpcOpenMemHandle(at, handle, flags);
}

API cuStreamGetCtx(void *handle, void **context)
{
    ON_STREAM;
    if (!code && !context) code = E_InvalidValue;
    if (!code) *context = d->context;
    return drv_leave(code, CALL_COST);
}

/* ---- events ---- */
API cuEventCreate(void **out, unsigned flags)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = out ? event_new(d, flags, out) : E_InvalidValue;
    return drv_leave(code, CALL_COST);
}
API cuEventDestroy_v2(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (!code) code = event_end(handle);
    return drv_leave(code, CALL_COST);
}

/* ---- capture ---- */
API cuStreamBeginCapture_v2(void *handle, int mode)
{
    ON_STREAM;
    if (!code) code = capture_begin(st, mode, NULL);
    return drv_leave(code, CALL_COST);
}
