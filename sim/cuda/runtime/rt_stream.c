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

#define CALL(name)                  cuda##name
#define ENTER(d)                    enter(d)
#define ENTER_STREAM(d, handle, st) with_stream(d, handle, st)
#define LEAVE(code, cost)           leave(code, cost)
#define REFUSE(code)                fail(code)
#include "cuda/core/stream_calls.h"

/* ---- events ---- */
API cudaEventCreateWithFlags(void **out, unsigned flags)
{
    device *d;
    int code = enter(&d);
    if (!code && !out) code = E_InvalidValue;
    if (!code) code = event_new(d, flags, out);
    return leave(code, CALL_COST);
}
API cudaEventCreate(void **out) { return cudaEventCreateWithFlags(out, 0); }

API cudaEventDestroy(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (!code) code = event_end(handle);
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
static int capture_info(void *handle, int *status, unsigned long long *id, void **out, void ***nodes,
                        const void **edges, size_t *count)
{
    ON_STREAM;
    if (!code && status) *status = !st->capture ? 0 : st->capture->broken ? 2 : 1;
    if (!code && count) *count = 0;
    if (!code && st->capture) {
        if (id) *id = st->capture->id;
        if (out) *out = st->capture->graph->handle;
        if (edges) *edges = NULL;
        if (nodes || count) code = capture_tails(st, nodes, count);
    }
    return leave(code, CALL_COST);
}
/* In 11 and 12 with two answers, since 13 with all. */
API cudaStreamGetCaptureInfo(void *handle, int *status, unsigned long long *id, void **out, void ***nodes,
                             const void **edges, size_t *count)
{
    return runtime_version >= 13000 ? capture_info(handle, status, id, out, nodes, edges, count)
                                    : capture_info(handle, status, id, NULL, NULL, NULL, NULL);
}
API cudaStreamGetCaptureInfo_v2(void *handle, int *status, unsigned long long *id, void **out, void ***nodes,
                                size_t *count)
{
    return capture_info(handle, status, id, out, nodes, NULL, count);
}
API cudaStreamGetCaptureInfo_v3(void *handle, int *status, unsigned long long *id, void **out, void ***nodes,
                                const void **edges, size_t *count)
{
    return capture_info(handle, status, id, out, nodes, edges, count);
}
static int update_capture(void *handle, void *const *nodes, size_t count, unsigned flags)
{
    ON_STREAM;
    if (!code && (!st->capture || flags > 1 || (count && !nodes))) code = E_InvalidValue;
    if (!code) code = capture_set_tails(st, nodes, count, flags == 1);
    return leave(code, CALL_COST);
}
API cudaStreamUpdateCaptureDependencies(void *handle, void *const *nodes, const void *edges_or_count,
                                        size_t count_or_flags, unsigned flags)
{
    return runtime_version >= 13000
               ? update_capture(handle, nodes, count_or_flags, flags)
               : update_capture(handle, nodes, (size_t)(uintptr_t)edges_or_count, (unsigned)count_or_flags);
}
API cudaStreamUpdateCaptureDependencies_v2(void *handle, void *const *nodes, const void *edges, size_t count,
                                           unsigned flags)
{
    (void)edges;
    return update_capture(handle, nodes, count, flags);
}
API cudaThreadExchangeStreamCaptureMode(int *mode)
{
    if (!mode || *mode < 0 || *mode > 2) return fail(E_InvalidValue);
    *mode = capture_thread_mode(*mode);
    return E_OK;
}
