/* rt_stream.c: streams, events, host functions, capture. */
#include "runtime.h"

API cudaStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
    device *d;
    int code = enter(&d);
    if (!code && (!out || flags > 1)) code = E_InvalidValue;
    if (priority > 0) priority = 0;
    if (priority < -5) priority = -5;
    if (!code) code = stream_new(d, flags, priority, out);
    return leave(code, CALL_COST);
}
API cudaStreamCreateWithFlags(void **out, unsigned flags) { return cudaStreamCreateWithPriority(out, flags, 0); }
API cudaStreamCreate(void **out) { return cudaStreamCreateWithPriority(out, 0, 0); }
API cudaStreamDestroy(void *handle)
{
    device *d;
    int code = enter(&d);
    if (!code) code = stream_end(handle);
    return leave(code, CALL_COST);
}

/* With the lock. */
static int with_stream(device **d, void *handle, stream **st)
{
    int code = enter(d);
    *st = code ? NULL : stream_find(handle);
    return code ? code : *st ? E_OK : E_InvalidResourceHandle;
}

#define ON_STREAM \
    device *d;    \
    stream *st;   \
    int code = with_stream(&d, handle, &st)

API cudaStreamSynchronize(void *handle)
{
    ON_STREAM;
    if (!code) code = wait_stream(st);
    return leave(code, CALL_COST);
}
API cudaStreamQuery(void *handle)
{
    ON_STREAM;
    if (!code) code = query_stream(st);
    return leave(code, 5 * CALL_COST);
}
API cudaStreamGetFlags(void *handle, unsigned *flags)
{
    ON_STREAM;
    if (!code && flags) *flags = st->flags;
    return leave(code, CALL_COST);
}
API cudaStreamGetPriority(void *handle, int *priority)
{
    ON_STREAM;
    if (!code && priority) *priority = st->priority;
    return leave(code, CALL_COST);
}
API cudaStreamGetId(void *handle, unsigned long long *id)
{
    ON_STREAM;
    if (!code && id) *id = st->id;
    return leave(code, CALL_COST);
}
API cudaStreamGetDevice(void *handle, int *ordinal)
{
    ON_STREAM;
    if (!code && ordinal) *ordinal = st->device->ordinal;
    return leave(code, CALL_COST);
}
API cudaStreamSetAttribute(void *handle, int attribute, const void *value)
{
    (void)attribute;
    (void)value;
    ON_STREAM;
    return leave(code, CALL_COST);
}
API cudaStreamGetAttribute(void *handle, int attribute, void *value)
{
    (void)attribute;
    ON_STREAM;
    if (!code && value) memset(value, 0, 64);
    return leave(code, CALL_COST);
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
    return leave(code, cost_launch(d));
}
API cudaLaunchHostFunc(void *handle, void (*call)(void *), void *arg)
{
    return call ? host_op(handle, call, NULL, arg) : fail(E_InvalidValue);
}
API cudaStreamAddCallback(void *handle, void (*callback)(void *, int, void *), void *arg, unsigned flags)
{
    return callback && !flags ? host_op(handle, NULL, callback, arg) : fail(E_InvalidValue);
}

/* ---- events ---- */
API cudaEventCreateWithFlags(void **out, unsigned flags)
{
    device *d;
    int code = enter(&d);
    if (!code && (!out || flags > 7)) code = E_InvalidValue;
    if (!code) code = event_new(d, flags, out);
    return leave(code, CALL_COST);
}
API cudaEventCreate(void **out) { return cudaEventCreateWithFlags(out, 0); }

static int with_event(void *handle, event **e)
{
    device *d;
    int code = enter(&d);
    *e = code ? NULL : handle_find(H_EVENT, handle);
    return code ? code : *e ? E_OK : E_InvalidResourceHandle;
}
API cudaEventDestroy(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (!code) code = event_end(handle);
    return leave(code, CALL_COST);
}
API cudaEventRecordWithFlags(void *event_handle, void *handle, unsigned flags)
{
    (void)flags;
    ON_STREAM;
    event *e = code ? NULL : handle_find(H_EVENT, event_handle);
    if (!code) code = e ? event_record(e, st) : E_InvalidResourceHandle;
    return leave(code, CALL_COST);
}
API cudaEventRecord(void *event_handle, void *handle) { return cudaEventRecordWithFlags(event_handle, handle, 0); }
API cudaEventSynchronize(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (!code) code = event_wait(e);
    return leave(code, CALL_COST);
}
API cudaEventQuery(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (!code) code = event_query(e);
    return leave(code, 5 * CALL_COST);
}
API cudaEventElapsedTime(float *ms, void *from, void *to)
{
    event *a;
    int code = with_event(from, &a);
    event *b = code ? NULL : handle_find(H_EVENT, to);
    if (!code) code = !ms ? E_InvalidValue : b ? event_elapsed(a, b, ms) : E_InvalidResourceHandle;
    return leave(code, CALL_COST);
}
API cudaEventElapsedTime_v2(float *ms, void *from, void *to) { return cudaEventElapsedTime(ms, from, to); }
API cudaStreamWaitEvent(void *handle, void *event_handle, unsigned flags)
{
    (void)flags;
    ON_STREAM;
    event *e = code ? NULL : handle_find(H_EVENT, event_handle);
    if (!code) code = e ? stream_wait(st, e) : E_InvalidResourceHandle;
    return leave(code, CALL_COST);
}

/* ---- capture ---- */
API cudaStreamBeginCapture(void *handle, int mode)
{
    ON_STREAM;
    if (!code) code = capture_begin(st, mode, NULL);
    return leave(code, CALL_COST);
}
API cudaStreamBeginCaptureToGraph(void *handle, void *into, const void *needs, const void *data, size_t count, int mode)
{
    (void)needs;
    (void)data;
    ON_STREAM;
    graph *g = code ? NULL : handle_find(H_GRAPH, into);
    if (!code && (!g || count)) code = g ? E_NotSupported : E_InvalidValue;
    if (!code) code = capture_begin(st, mode, g);
    return leave(code, CALL_COST);
}
API cudaStreamEndCapture(void *handle, void **out)
{
    ON_STREAM;
    graph *g = NULL;
    if (!code) code = capture_finish(st, &g);
    if (out) *out = g ? g->handle : NULL;
    return leave(code, CALL_COST);
}
API cudaStreamIsCapturing(void *handle, int *status)
{
    ON_STREAM;
    if (!code && status) *status = !st->capture ? 0 : st->capture->broken ? 2 : 1;
    return leave(code, CALL_COST);
}
API cudaStreamGetCaptureInfo(void *handle, int *status, unsigned long long *id, void **out)
{
    ON_STREAM;
    if (!code && status) *status = !st->capture ? 0 : st->capture->broken ? 2 : 1;
    if (!code && id && st->capture) *id = st->capture->id;
    if (!code && runtime_version >= 13000 && out) *out = st->capture ? st->capture->graph->handle : NULL;
    return leave(code, CALL_COST);
}
API cudaThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int now;
    if (!mode) return fail(E_InvalidValue);
    const int before = now;
    now = *mode;
    *mode = before;
    return E_OK;
}
