/* rt_memory.c: memory of all kinds, copies of all shapes, symbols. */
#include "runtime.h"

static uint64_t number(const void *p) { return (uint64_t)(uintptr_t)p; }
static void *pointer(uint64_t at) { return (void *)(uintptr_t)at; }

static int take(void **out, size_t bytes, enum region_kind kind, unsigned flags, bool in_stream)
{
    device *d;
    int code = enter(&d);
    uint64_t at = 0;
    if (!code && !out) code = E_InvalidValue;
    if (!code && !in_stream) code = capture_allows();
    if (!code && bytes) code = region_new(d, kind, bytes, flags, NULL, &at);
    if (!code) *out = pointer(at);
    return leave(code, cost_alloc(d));
}

API cudaMalloc(void **out, size_t bytes) { return take(out, bytes, R_DEVICE, 0, false); }
API cudaMallocHost(void **out, size_t bytes) { return take(out, bytes, R_PINNED, 0, false); }
API cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    if (flags > 7) return fail(E_InvalidValue);
    return take(out, bytes, R_PINNED, flags, false);
}
API cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    if (flags != 1 && flags != 2) return fail(E_InvalidValue);
    return take(out, bytes, R_MANAGED, flags, false);
}

static int give(void *at, unsigned kinds)
{
    device *d;
    int code = enter(&d);
    if (!code && at) code = region_end(number(at), kinds);
    const double cost = cost_alloc(d);
    if (!code && at && d) {
        for (stream *s = d->streams; s; s = s->next)
            if (s->ready > time_now()) code = s->capture ? E_OK : wait_stream(s);
        code = core_fault(d);
    }
    return leave(code, at ? cost / 4 : CALL_COST);
}
API cudaFree(void *at) { return give(at, 1u << R_DEVICE | 1u << R_MANAGED); }
API cudaFreeHost(void *at) { return give(at, 1u << R_PINNED); }

API cudaHostRegister(void *at, size_t bytes, unsigned flags)
{
    device *d;
    int code = enter(&d);
    if (!code) code = region_register(at, bytes, flags);
    return leave(code, cost_alloc(d));
}
API cudaHostUnregister(void *at)
{
    device *d;
    int code = enter(&d);
    if (!code && region_end(number(at), 1u << R_REGISTERED)) code = E_HostMemoryNotRegistered;
    return leave(code, CALL_COST);
}
API cudaHostGetDevicePointer(void **out, void *at, unsigned flags)
{
    device *d;
    int code = enter(&d);
    const region *r = code ? NULL : region_find(number(at));
    if (!code && (!out || flags || !r || (r->kind != R_PINNED && r->kind != R_REGISTERED))) code = E_InvalidValue;
    if (!code) *out = at;
    return leave(code, CALL_COST);
}
API cudaHostGetFlags(unsigned *flags, void *at)
{
    device *d;
    int code = enter(&d);
    const region *r = code ? NULL : region_find(number(at));
    if (!code && (!flags || !r || (r->kind != R_PINNED && r->kind != R_REGISTERED))) code = E_InvalidValue;
    if (!code) *flags = r->flags | 2;
    return leave(code, CALL_COST);
}

API cudaMemGetInfo(size_t *left, size_t *total)
{
    device *d;
    int code = enter(&d);
    uint64_t a = 0, b = 0;
    if (!code) region_left(d, &a, &b);
    if (!code && left) *left = a;
    if (!code && total) *total = b;
    return leave(code, CALL_COST);
}

API cudaPointerGetAttributes(pointer_attributes *out, const void *at)
{
    device *d;
    int code = enter(&d);
    if (!out) return leave(E_InvalidValue, CALL_COST);
    const region *r = code ? NULL : region_find(number(at));
    pointer_attributes a = {.device = r && r->device ? r->device->ordinal : -2};
    if (r) {
        const bool host = r->kind == R_PINNED || r->kind == R_REGISTERED;
        a.type = host ? 1 : r->kind == R_MANAGED ? 3 : 2;
        a.on_device = pointer(number(at));
        a.on_host = host || r->kind == R_MANAGED ? pointer(number(at)) : NULL;
    } else {
        a.on_host = pointer(number(at));
    }
    /* before 13 the structure ended behind the pointers */
    if (!code) memcpy(out, &a, runtime_version >= 13000 ? sizeof a : offsetof(pointer_attributes, reserved));
    return leave(code, CALL_COST);
}

/* ---- pitched ---- */
API cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    uint64_t row, bytes;
    if (!out || !pitch) return fail(E_InvalidValue);
    const int code = pitched_bytes(width, height, 1, &row, &bytes);
    *pitch = row; /* a card writes it whatever comes of it */
    return code ? fail(code) : take(out, bytes, R_DEVICE, 0, false);
}
API cudaMalloc3D(pitched_ptr *out, extent size)
{
    if (!out) return fail(E_InvalidValue);
    uint64_t pitch, bytes;
    void *at = NULL;
    int code = pitched_bytes(size.width, size.height, size.depth, &pitch, &bytes);
    code = code ? fail(code) : take(&at, bytes, R_DEVICE, 0, false);
    if (!code) *out = (pitched_ptr){at, pitch, size.width, size.height};
    return code;
}

/* ---- copies ---- */
static int run_copy(const copy *c, void *stream_handle, bool async)
{
    device *d;
    int code = enter(&d);
    stream *st = code ? NULL : stream_find(stream_handle);
    if (!code && !st) code = E_InvalidResourceHandle;
    if (!code) code = submit_copy(st, c, async);
    return leave(code, async ? cost_launch(d) : CALL_COST);
}

static copy rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind)
{
    return (copy){{number(to), to_pitch, 0}, {number(from), from_pitch, 0}, width, height, 1, kind};
}

API cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    const copy c = rows(to, bytes, from, bytes, bytes, 1, kind);
    return run_copy(&c, NULL, false);
}
API cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *st)
{
    const copy c = rows(to, bytes, from, bytes, bytes, 1, kind);
    return run_copy(&c, st, true);
}
API cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind)
{
    if (width > to_pitch || width > from_pitch) return fail(E_InvalidPitchValue);
    const copy c = rows(to, to_pitch, from, from_pitch, width, height, kind);
    return run_copy(&c, NULL, false);
}
API cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                      int kind, void *st)
{
    if (width > to_pitch || width > from_pitch) return fail(E_InvalidPitchValue);
    const copy c = rows(to, to_pitch, from, from_pitch, width, height, kind);
    return run_copy(&c, st, true);
}
static bool no_device(int ordinal) { return ordinal < 0 || ordinal >= core_devices(); }
API cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    if (no_device(to_device) || no_device(from_device)) return fail(E_InvalidDevice);
    return cudaMemcpy(to, from, bytes, COPY_ANY);
}
API cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, void *st)
{
    if (no_device(to_device) || no_device(from_device)) return fail(E_InvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, COPY_ANY, st);
}

array *array_of(const void *handle) { return handle_find(H_ARRAY, handle); }

/* With the lock: a place in an array. x in bytes. */
static int in_array(const array *a, size_t x, size_t y, size_t z, place *out)
{
    const uint64_t rows_in = a->height ? a->height : 1, slices = a->depth ? a->depth : 1;
    if (x > a->width * a->texel_bytes || y >= rows_in || z >= slices) return E_InvalidValue;
    *out = (place){a->at + z * a->slice + y * a->pitch + x, a->pitch, a->slice};
    return E_OK;
}

int copy_from_3d(const copy_3d *p, copy *out)
{
    const array *to = array_of(p->to_array), *from = array_of(p->from_array);
    if ((p->to_array && !to) || (p->from_array && !from)) return E_InvalidResourceHandle;
    if (!to == !p->to.ptr || !from == !p->from.ptr) return E_InvalidValue;
    const size_t unit = to ? to->texel_bytes : from ? from->texel_bytes : 1; /* an array's extent counts texels */
    *out =
        (copy){.width = p->size.width * unit, .height = p->size.height, .depth = p->size.depth, .direction = p->kind};
    int code = E_OK;
    if (to) code = in_array(to, p->to_at.x * to->texel_bytes, p->to_at.y, p->to_at.z, &out->to);
    else
        out->to =
            (place){number(p->to.ptr) + p->to_at.x + p->to_at.y * p->to.pitch + p->to_at.z * p->to.pitch * p->to.ysize,
                    p->to.pitch, p->to.pitch * p->to.ysize};
    if (code) return code;
    if (from) code = in_array(from, p->from_at.x * from->texel_bytes, p->from_at.y, p->from_at.z, &out->from);
    else
        out->from = (place){number(p->from.ptr) + p->from_at.x + p->from_at.y * p->from.pitch +
                                p->from_at.z * p->from.pitch * p->from.ysize,
                            p->from.pitch, p->from.pitch * p->from.ysize};
    return code;
}

static int run_3d(const copy_3d *p, void *stream_handle, bool async)
{
    device *d;
    copy c;
    int code = enter(&d);
    stream *st = code ? NULL : stream_find(stream_handle);
    if (!code && !st) code = E_InvalidResourceHandle;
    if (!code && !p) code = E_InvalidValue;
    const bool empty = !code && !(p->size.width && p->size.height && p->size.depth); /* and may lie nowhere */
    if (!code && !empty) code = copy_from_3d(p, &c);
    if (!code && !empty) code = submit_copy(st, &c, async);
    return leave(code, async ? cost_launch(d) : CALL_COST);
}
API cudaMemcpy3D(const copy_3d *p) { return run_3d(p, NULL, false); }
API cudaMemcpy3DAsync(const copy_3d *p, void *st) { return run_3d(p, st, true); }

/* Rows between an array and memory. The old one-dimensional forms run on from row to row. */
static int array_copy(void *handle, size_t x, size_t y, const void *memory, size_t pitch, size_t width, size_t height,
                      int kind, bool into, void *stream_handle, bool async)
{
    device *d;
    int code = enter(&d);
    stream *st = code ? NULL : stream_find(stream_handle);
    const array *a = code ? NULL : array_of(handle);
    if (!code && (!st || !a)) code = E_InvalidResourceHandle;
    place in = {0}, out = {number(memory), pitch, 0};
    if (!code) code = in_array(a, x, y, 0, &in);
    if (!code && height == 1 && width > a->width * a->texel_bytes && !x) { /* a whole array at once */
        const size_t row = a->width * a->texel_bytes;
        height = width / row;
        width = row;
        out.pitch = row;
    }
    if (!code && x + width > a->width * a->texel_bytes) code = E_InvalidValue;
    const copy c = {into ? in : out, into ? out : in, width, height, 1, kind};
    if (!code) code = submit_copy(st, &c, async);
    return leave(code, async ? cost_launch(d) : CALL_COST);
}
API cudaMemcpyToArray(void *a, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    return array_copy(a, x, y, from, bytes, bytes, 1, kind, true, NULL, false);
}
API cudaMemcpyFromArray(void *to, const void *a, size_t x, size_t y, size_t bytes, int kind)
{
    return array_copy(pointer(number(a)), x, y, to, bytes, bytes, 1, kind, false, NULL, false);
}
API cudaMemcpyToArrayAsync(void *a, size_t x, size_t y, const void *from, size_t bytes, int kind, void *st)
{
    return array_copy(a, x, y, from, bytes, bytes, 1, kind, true, st, true);
}
API cudaMemcpyFromArrayAsync(void *to, const void *a, size_t x, size_t y, size_t bytes, int kind, void *st)
{
    return array_copy(pointer(number(a)), x, y, to, bytes, bytes, 1, kind, false, st, true);
}
API cudaMemcpy2DToArray(void *a, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                        int kind)
{
    return array_copy(a, x, y, from, pitch, width, height, kind, true, NULL, false);
}
API cudaMemcpy2DToArrayAsync(void *a, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                             int kind, void *st)
{
    return array_copy(a, x, y, from, pitch, width, height, kind, true, st, true);
}
API cudaMemcpy2DFromArray(void *to, size_t pitch, const void *a, size_t x, size_t y, size_t width, size_t height,
                          int kind)
{
    return array_copy(pointer(number(a)), x, y, to, pitch, width, height, kind, false, NULL, false);
}
API cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const void *a, size_t x, size_t y, size_t width, size_t height,
                               int kind, void *st)
{
    return array_copy(pointer(number(a)), x, y, to, pitch, width, height, kind, false, st, true);
}

/* ---- fills ---- */
static int run_fill(void *at, size_t pitch, int value, size_t width, size_t height, size_t depth, size_t slice,
                    void *stream_handle, bool async)
{
    device *d;
    int code = enter(&d);
    stream *st = code ? NULL : stream_find(stream_handle);
    if (!code && !st) code = E_InvalidResourceHandle;
    for (size_t z = 0; !code && z < depth; z++) {
        const fill f = {number(at) + z * slice, pitch, width, height, (uint8_t)value, 1};
        code = submit_fill(st, &f, async);
    }
    return leave(code, cost_launch(d));
}
API cudaMemset(void *at, int value, size_t bytes) { return run_fill(at, bytes, value, bytes, 1, 1, 0, NULL, false); }
API cudaMemsetAsync(void *at, int value, size_t bytes, void *st)
{
    return run_fill(at, bytes, value, bytes, 1, 1, 0, st, true);
}
API cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height)
{
    return run_fill(at, pitch, value, width, height, 1, 0, NULL, false);
}
API cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width, size_t height, void *st)
{
    return run_fill(at, pitch, value, width, height, 1, 0, st, true);
}
API cudaMemset3D(pitched_ptr p, int value, extent size)
{
    return run_fill(p.ptr, p.pitch, value, size.width, size.height, size.depth, p.pitch * p.ysize, NULL, false);
}
API cudaMemset3DAsync(pitched_ptr p, int value, extent size, void *st)
{
    return run_fill(p.ptr, p.pitch, value, size.width, size.height, size.depth, p.pitch * p.ysize, st, true);
}

/* ---- symbols ---- */
static int symbol_copy(const void *symbol, void *memory, size_t bytes, size_t offset, int kind, bool into,
                       void *stream_handle, bool async)
{
    device *d;
    int code = enter(&d);
    uint64_t at = 0, size = 0;
    stream *st = code ? NULL : stream_find(stream_handle);
    if (!code && !st) code = E_InvalidResourceHandle;
    if (!code && kind == (into ? 2 : 1)) code = E_InvalidMemcpyDirection; /* to the host; from there */
    if (!code) code = symbol_at(symbol, d, &at, &size);
    if (!code && (offset > size || bytes > size - offset)) code = E_InvalidValue;
    const copy c = into ? rows(pointer(at + offset), bytes, memory, bytes, bytes, 1, kind)
                        : rows(memory, bytes, pointer(at + offset), bytes, bytes, 1, kind);
    if (!code) code = submit_copy(st, &c, async);
    return leave(code, async ? cost_launch(d) : CALL_COST);
}
API cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    return symbol_copy(symbol, pointer(number(from)), bytes, offset, kind, true, NULL, false);
}
API cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind, void *st)
{
    return symbol_copy(symbol, pointer(number(from)), bytes, offset, kind, true, st, true);
}
API cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return symbol_copy(symbol, to, bytes, offset, kind, false, NULL, false);
}
API cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind, void *st)
{
    return symbol_copy(symbol, to, bytes, offset, kind, false, st, true);
}
API cudaGetSymbolAddress(void **out, const void *symbol)
{
    device *d;
    int code = enter(&d);
    uint64_t at = 0, bytes = 0;
    if (!code) code = out ? symbol_at(symbol, d, &at, &bytes) : E_InvalidValue;
    if (!code) *out = pointer(at);
    return leave(code, CALL_COST);
}
API cudaGetSymbolSize(size_t *out, const void *symbol)
{
    device *d;
    int code = enter(&d);
    uint64_t at = 0, bytes = 0;
    if (!code) code = out ? symbol_at(symbol, d, &at, &bytes) : E_InvalidValue;
    if (!code) *out = bytes;
    return leave(code, CALL_COST);
}

/* ---- managed memory: where pages are is not simulated, so hints change nothing ---- */
static int hint(const void *at, size_t bytes, void *stream_handle)
{
    device *d;
    int code = enter(&d);
    const region *r = code ? NULL : region_find(number(at));
    if (!code && !stream_find(stream_handle)) code = E_InvalidResourceHandle;
    if (!code && (!bytes || !r || r->kind != R_MANAGED || bytes > r->bytes - (number(at) - r->at)))
        code = E_InvalidValue;
    return leave(code, cost_launch(d));
}
/* In 13 a place is a structure of two ints, which travels in one register as an int did. */
API cudaMemPrefetchAsync(const void *at, size_t bytes, memory_location to, uintptr_t flags_or_stream, void *st)
{
    (void)to;
    return hint(at, bytes, runtime_version >= 13000 ? st : (void *)flags_or_stream);
}
API cudaMemPrefetchAsync_v2(const void *at, size_t bytes, memory_location to, unsigned flags, void *st)
{
    (void)to;
    (void)flags;
    return hint(at, bytes, st);
}
API cudaMemAdvise(const void *at, size_t bytes, int advice, memory_location to)
{
    (void)to;
    (void)advice;
    return hint(at, bytes, NULL);
}
API cudaMemAdvise_v2(const void *at, size_t bytes, int advice, memory_location to)
{
    (void)to;
    (void)advice;
    return hint(at, bytes, NULL);
}
API cudaStreamAttachMemAsync(void *st, void *at, size_t bytes, unsigned flags)
{
    (void)st;
    (void)at;
    (void)bytes;
    (void)flags;
    return E_OK;
}

/* ---- in the order of a stream ---- */
API cudaMallocAsync(void **out, size_t bytes, void *stream_handle)
{
    int code = core_begin();
    const stream *st = code ? NULL : stream_find(stream_handle);
    const bool captured = st && st->capture;
    if (!code && !st) code = E_InvalidResourceHandle;
    core_end(code, 0);
    return code ? fail(code) : take(out, bytes, R_DEVICE, captured ? REGION_GRAPH : 0, true);
}
API cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *st)
{
    (void)st;
    int code = core_begin();
    device *d = code ? NULL : handle_find(H_POOL, pool);
    if (!code) code = d && out && bytes ? core_fault(d) : E_InvalidValue;
    uint64_t at = 0;
    if (!code) code = region_new(d, R_DEVICE, bytes, 0, NULL, &at);
    if (!code) *out = pointer(at);
    return leave(code, cost_alloc(d));
}
API cudaFreeAsync(void *at, void *stream_handle)
{
    device *d;
    int code = enter(&d);
    stream *st = code ? NULL : stream_find(stream_handle);
    if (!code) code = st ? region_give(number(at), st) : E_InvalidResourceHandle;
    op *o = code ? NULL : calloc(1, sizeof *o);
    if (!code && !o) code = E_MemoryAllocation;
    if (o) {
        o->kind = OP_FREE;
        o->u.free = number(at);
        code = submit(st, o, false);
    }
    return leave(code, cost_launch(d));
}

/* ---- pools ---- */
#define CALL(name)        cuda##name
#define LEAVE(code, cost) leave(code, cost)
#include "cuda/core/pool_calls.h"
