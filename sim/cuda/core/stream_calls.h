/* stream_calls.h: the calls on streams and events that driver and runtime share. Each face includes
 * this once, after it has said how its calls are named, begin and end:
 *
 *   CALL(name)                       cuNAME or cudaNAME
 *   ENTER(&d)                        locks; d: the thread's device
 *   ENTER_STREAM(&d, handle, &st)    and st: the stream of that handle
 *   LEAVE(code, cost)                unlocks
 *   REFUSE(code)                     what needed no lock ends so
 */
#define ON_STREAM \
    device *d;    \
    stream *st;   \
    int code = ENTER_STREAM(&d, handle, &st)

/* Asks something of a stream and writes it where the caller said. */
#define STREAM_ASKED(name, type, value)           \
    API CALL(name)(void *handle, type *out)       \
    {                                             \
        ON_STREAM;                                \
        if (!code && !out) code = E_InvalidValue; \
        if (!code) *out = (value);                \
        return LEAVE(code, CALL_COST);            \
    }
STREAM_ASKED(StreamGetFlags, unsigned, st->flags)
STREAM_ASKED(StreamGetPriority, int, st->priority)
STREAM_ASKED(StreamGetDevice, int, st->device->ordinal)
STREAM_ASKED(StreamGetId, unsigned long long, st->id)
STREAM_ASKED(StreamIsCapturing, int, !st->capture ? 0 : st->capture->broken ? 2 : 1)

API CALL(StreamSynchronize)(void *handle)
{
    ON_STREAM;
    if (!code) code = wait_stream(st);
    return LEAVE(code, CALL_COST);
}
API CALL(StreamQuery)(void *handle)
{
    ON_STREAM;
    if (!code) code = query_stream(st);
    return LEAVE(code, 5 * CALL_COST);
}
API CALL(StreamEndCapture)(void *handle, void **out)
{
    ON_STREAM;
    graph *g = NULL;
    if (!code) code = capture_finish(st, &g);
    if (out) *out = g ? g->handle : NULL;
    return LEAVE(code, CALL_COST);
}

/* Hints that a simulated card has no use for, but gives back. */
enum { STREAM_WINDOW = 1, STREAM_POLICY = 3, STREAM_PRIORITY = 8, STREAM_VALUE_BYTES = 64 };
API CALL(StreamSetAttribute)(void *handle, int attribute, const void *value)
{
    ON_STREAM;
    if (!code && !value) code = E_InvalidValue;
    if (!code && attribute == STREAM_WINDOW) memcpy(st->window, value, sizeof st->window);
    if (!code && attribute == STREAM_POLICY) st->policy = *(const int *)value;
    if (!code && attribute == STREAM_PRIORITY) st->priority = *(const int *)value;
    return LEAVE(code, CALL_COST);
}
API CALL(StreamGetAttribute)(void *handle, int attribute, void *value)
{
    ON_STREAM;
    if (!code && !value) code = E_InvalidValue;
    if (!code) memset(value, 0, STREAM_VALUE_BYTES);
    if (!code && attribute == STREAM_WINDOW) memcpy(value, st->window, sizeof st->window);
    if (!code && attribute == STREAM_POLICY) *(int *)value = st->policy ? st->policy : 1; /* automatic */
    if (!code && attribute == STREAM_PRIORITY) *(int *)value = st->priority;
    return LEAVE(code, CALL_COST);
}
API CALL(StreamCopyAttributes)(void *to, void *handle)
{
    ON_STREAM;
    stream *other = code ? NULL : stream_find(to);
    if (!code && !other) code = E_InvalidResourceHandle;
    if (!code) {
        memcpy(other->window, st->window, sizeof st->window);
        other->policy = st->policy;
        other->priority = st->priority;
    }
    return LEAVE(code, CALL_COST);
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
    return LEAVE(code, cost_launch(d));
}
API CALL(LaunchHostFunc)(void *handle, void (*call)(void *), void *arg)
{
    return call ? host_op(handle, call, NULL, arg) : REFUSE(E_InvalidValue);
}
API CALL(StreamAddCallback)(void *handle, void (*callback)(void *, int, void *), void *arg, unsigned flags)
{
    return callback && !flags ? host_op(handle, NULL, callback, arg) : REFUSE(E_InvalidValue);
}

/* ---- events ---- */

/* With the lock. */
static int with_event(void *handle, event **e)
{
    device *d;
    const int code = ENTER(&d);
    *e = code ? NULL : handle_find(H_EVENT, handle);
    return code ? code : *e ? E_OK : E_InvalidResourceHandle;
}
API CALL(EventRecordWithFlags)(void *event_handle, void *handle, unsigned flags)
{
    (void)flags;
    ON_STREAM;
    event *e = code ? NULL : handle_find(H_EVENT, event_handle);
    if (!code) code = e ? event_record(e, st) : E_InvalidResourceHandle;
    return LEAVE(code, CALL_COST);
}
API CALL(EventRecord)(void *event_handle, void *handle) { return CALL(EventRecordWithFlags)(event_handle, handle, 0); }
API CALL(EventSynchronize)(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (!code) code = event_wait(e);
    return LEAVE(code, CALL_COST);
}
API CALL(EventQuery)(void *handle)
{
    event *e;
    int code = with_event(handle, &e);
    if (code == E_NotPermitted) { /* a callback may ask */
        e = handle_find(H_EVENT, handle);
        code = e ? E_OK : E_InvalidResourceHandle;
    }
    if (!code) code = event_query(e);
    return LEAVE(code, 5 * CALL_COST);
}
API CALL(EventElapsedTime)(float *ms, void *from, void *to)
{
    event *a;
    int code = with_event(from, &a);
    event *b = code ? NULL : handle_find(H_EVENT, to);
    if (!code) code = !ms ? E_InvalidValue : b ? event_elapsed(a, b, ms) : E_InvalidResourceHandle;
    return LEAVE(code, CALL_COST);
}
API CALL(EventElapsedTime_v2)(float *ms, void *from, void *to) { return CALL(EventElapsedTime)(ms, from, to); }
API CALL(StreamWaitEvent)(void *handle, void *event_handle, unsigned flags)
{
    enum { WAIT_EXTERNAL = 1 };
    ON_STREAM;
    if (!code && flags & ~(unsigned)WAIT_EXTERNAL) code = E_InvalidValue;
    event *e = code ? NULL : handle_find(H_EVENT, event_handle);
    if (!code) code = e ? stream_wait(st, e) : E_InvalidResourceHandle;
    return LEAVE(code, CALL_COST);
}

/* ---- what processes share ---- */
typedef struct ipc_handle {
    char bytes[IPC_HANDLE_BYTES];
} ipc_handle;

API CALL(IpcGetMemHandle)(ipc_handle *out, uint64_t at)
{
    device *d;
    int code = ENTER(&d);
    if (!code) code = out ? ipc_show(at, out) : E_InvalidValue;
    return LEAVE(code, CALL_COST);
}
API CALL(IpcOpenMemHandle)(uint64_t *at, ipc_handle handle, unsigned flags)
{
    enum { LAZY_PEER_ACCESS = 1 };
    device *d;
    int code = ENTER(&d);
    if (!code) code = at && flags == LAZY_PEER_ACCESS ? ipc_open(d, &handle, at) : E_InvalidValue;
    return LEAVE(code, CALL_COST);
}
API CALL(IpcCloseMemHandle)(uint64_t at)
{
    device *d;
    int code = ENTER(&d);
    if (!code) code = ipc_close(at);
    return LEAVE(code, CALL_COST);
}
API CALL(IpcGetEventHandle)(ipc_handle *out, void *event_handle)
{
    event *e;
    int code = with_event(event_handle, &e);
    if (!code) code = out ? ipc_event_show(e, out) : E_InvalidValue;
    return LEAVE(code, CALL_COST);
}
API CALL(IpcOpenEventHandle)(void **out, ipc_handle handle)
{
    device *d;
    int code = ENTER(&d);
    if (!code) code = out ? ipc_event_open(d, &handle, out) : E_InvalidValue;
    return LEAVE(code, CALL_COST);
}
