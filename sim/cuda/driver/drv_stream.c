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

#define ON_STREAM \
    device *d;    \
    stream *st;   \
    int code = drv_enter_stream(&d, handle, &st)

API cuStreamSynchronize(void *handle)
{
    ON_STREAM;
    if (!code) code = wait_stream(st);
    return drv_leave(code, CALL_COST);
}
API cuStreamQuery(void *handle)
{
    ON_STREAM;
    if (!code) code = query_stream(st);
    return drv_leave(code, 5 * CALL_COST);
}
API cuStreamGetFlags(void *handle, unsigned *flags)
{
    ON_STREAM;
    if (!code) *flags = st->flags;
    return drv_leave(code, CALL_COST);
}
API cuStreamGetPriority(void *handle, int *priority)
{
    ON_STREAM;
    if (!code) *priority = st->priority;
    return drv_leave(code, CALL_COST);
}
API cuStreamGetCtx(void *handle, void **context)
{
    ON_STREAM;
    if (!code) *context = d->context;
    return drv_leave(code, CALL_COST);
}
API cuStreamGetDevice(void *handle, int *ordinal)
{
    ON_STREAM;
    if (!code) *ordinal = d->ordinal;
    return drv_leave(code, CALL_COST);
}
API cuStreamGetId(void *handle, unsigned long long *id)
{
    ON_STREAM;
    if (!code) *id = st->id;
    return drv_leave(code, CALL_COST);
}
static int host_op(void *handle, void (*call)(void *), void (*callback)(void *, int, void *), void *arg)
{
    ON_STREAM;
    op *o = code ? NULL : calloc(1, sizeof *o);
    if (!code && !o) code = E_MemoryAllocation;
    if (o) {
        o->kind = OP_HOST;
        o->u.host.call = call;
        o->u.host.callback = callback;
        o->u.host.arg = arg;
        code = submit(st, o, false);
    }
    return drv_leave(code, cost_launch(d));
}
API cuLaunchHostFunc(void *handle, void (*call)(void *), void *arg)
{
    return call ? host_op(handle, call, NULL, arg) : E_InvalidValue;
}
API cuStreamAddCallback(void *handle, void (*callback)(void *, int, void *), void *arg, unsigned flags)
{
    return callback && !flags ? host_op(handle, NULL, callback, arg) : E_InvalidValue;
}

/* ---- events ---- */
static int with_event(void *handle, event **e)
{
    device *d;
    const int code = drv_enter(&d);
    *e = code ? NULL : handle_find(H_EVENT, handle);
    return code ? code : *e ? E_OK : E_InvalidResourceHandle;
}
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
API cuEventRecord(void *event_handle, void *handle)
{
    ON_STREAM;
    event *e = code ? NULL : handle_find(H_EVENT, event_handle);
    if (!code) code = e ? event_record(e, st) : E_InvalidResourceHandle;
    return drv_leave(code, CALL_COST);
}
API cuEventRecordWithFlags(void *event_handle, void *handle, unsigned flags)
{
    (void)flags;
    return cuEventRecord(event_handle, handle);
}
API cuEventSynchronize(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (!code) code = event_wait(e);
    return drv_leave(code, CALL_COST);
}
API cuEventQuery(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (!code) code = event_query(e);
    return drv_leave(code, 5 * CALL_COST);
}
API cuEventElapsedTime(float *ms, void *from, void *to)
{
    event *a;
    int code = with_event(from, &a);
    event *b = code ? NULL : handle_find(H_EVENT, to);
    if (!code) code = !ms ? E_InvalidValue : b ? event_elapsed(a, b, ms) : E_InvalidResourceHandle;
    return drv_leave(code, CALL_COST);
}
API cuEventElapsedTime_v2(float *ms, void *from, void *to) { return cuEventElapsedTime(ms, from, to); }
API cuStreamWaitEvent(void *handle, void *event_handle, unsigned flags)
{
    (void)flags;
    ON_STREAM;
    event *e = code ? NULL : handle_find(H_EVENT, event_handle);
    if (!code) code = e ? stream_wait(st, e) : E_InvalidResourceHandle;
    return drv_leave(code, CALL_COST);
}

/* ---- capture ---- */
API cuStreamBeginCapture_v2(void *handle, int mode)
{
    ON_STREAM;
    if (!code) code = capture_begin(st, mode, NULL);
    return drv_leave(code, CALL_COST);
}
API cuStreamEndCapture(void *handle, void **out)
{
    ON_STREAM;
    graph *g = NULL;
    if (!code) code = capture_finish(st, &g);
    if (out) *out = g ? g->handle : NULL;
    return drv_leave(code, CALL_COST);
}
API cuStreamIsCapturing(void *handle, int *status)
{
    ON_STREAM;
    if (!code) *status = !st->capture ? 0 : st->capture->broken ? 2 : 1;
    return drv_leave(code, CALL_COST);
}
