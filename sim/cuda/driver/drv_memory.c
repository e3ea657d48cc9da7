/* drv_memory.c: memory, copies, fills, arrays, textures. */
#include "driver.h"

static uint64_t number(const void *p) { return (uint64_t)(uintptr_t)p; }
static void *pointer(uint64_t at) { return (void *)(uintptr_t)at; }

static int take(uint64_t *out, size_t bytes, enum region_kind kind, unsigned flags, bool in_stream)
{
    device *d;
    int code = drv_enter(&d);
    if (!code && (!out || !bytes)) code = E_InvalidValue;
    if (!code && !in_stream) code = capture_allows();
    if (!code) code = region_new(d, kind, bytes, flags, NULL, out);
    return drv_leave(code, cost_alloc(d));
}
static int give(uint64_t at, unsigned kinds)
{
    device *d;
    int code = drv_enter(&d);
    if (code == E_DeviceUninitialized && region_find(at)) code = E_OK; /* it belongs to a context, current or not */
    if (!code && at) code = region_end(at, kinds);
    return drv_leave(code, d ? cost_alloc(d) / 4 : CALL_COST);
}
API cuMemAlloc_v2(uint64_t *out, size_t bytes) { return take(out, bytes, R_DEVICE, 0, false); }
API cuMemAllocManaged(uint64_t *out, size_t bytes, unsigned flags) { return take(out, bytes, R_MANAGED, flags, false); }
API cuMemFree_v2(uint64_t at) { return give(at, 1u << R_DEVICE | 1u << R_MANAGED); }
API cuMemAllocPitch_v2(uint64_t *out, size_t *pitch, size_t width, size_t height, unsigned element)
{
    uint64_t row, bytes;
    if (!out || !pitch || (element != 4 && element != 8 && element != 16)) return E_InvalidValue;
    const int code = pitched_bytes(width, height, 1, &row, &bytes);
    *pitch = row;
    return code ? code : take(out, bytes, R_DEVICE, 0, false);
}
API cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    uint64_t at = 0;
    if (!out || flags > 7) return E_InvalidValue;
    const int code = take(&at, bytes, R_PINNED, flags, false);
    if (!code) *out = pointer(at);
    return code;
}
API cuMemAllocHost_v2(void **out, size_t bytes) { return cuMemHostAlloc(out, bytes, 0); }
API cuMemFreeHost(void *at) { return give(number(at), 1u << R_PINNED); }
API cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = region_register(at, bytes, flags);
    return drv_leave(code, cost_alloc(d));
}
API cuMemHostUnregister(void *at)
{
    device *d;
    int code = drv_enter(&d);
    if (!code && region_end(number(at), 1u << R_REGISTERED)) code = E_HostMemoryNotRegistered;
    return drv_leave(code, CALL_COST);
}
API cuMemHostGetDevicePointer_v2(uint64_t *out, void *at, unsigned flags)
{
    device *d;
    int code = drv_enter(&d);
    const region *r = code ? NULL : region_find(number(at));
    if (!code && (!out || flags || !r || (r->kind != R_PINNED && r->kind != R_REGISTERED))) code = E_InvalidValue;
    if (!code) *out = number(at);
    return drv_leave(code, CALL_COST);
}
API cuMemHostGetFlags(unsigned *flags, void *at)
{
    device *d;
    int code = drv_enter(&d);
    const region *r = code ? NULL : region_find(number(at));
    if (!code && (!flags || !r)) code = E_InvalidValue;
    if (!code) *flags = r->flags | 2;
    return drv_leave(code, CALL_COST);
}
API cuMemGetInfo_v2(size_t *left, size_t *total)
{
    device *d;
    int code = drv_enter(&d);
    uint64_t a = 0, b = 0;
    if (!code) region_left(d, &a, &b);
    if (!code && left) *left = a;
    if (!code && total) *total = b;
    return drv_leave(code, CALL_COST);
}
API cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t at)
{
    device *d;
    int code = drv_enter(&d);
    const region *r = code ? NULL : region_find(at);
    if (!code && !r) code = E_SymbolNotFound;
    if (!code && base) *base = r->at;
    if (!code && bytes) *bytes = r->bytes;
    return drv_leave(code, CALL_COST);
}

/* What an address is. */
static int pointer_attribute(device *d, void *out, int attribute, uint64_t at)
{
    const region *r = region_find(at);
    const bool host = r && (r->kind == R_PINNED || r->kind == R_REGISTERED);
    if (!r && attribute != 1 && attribute != 2 && attribute != 9) return E_InvalidValue;
    switch (attribute) {
    case 1: *(void **)out = d->context; return r ? E_OK : E_InvalidValue;
    case 2: *(int *)out = host ? 1 : 2; return r ? E_OK : E_InvalidValue;
    case 3: *(uint64_t *)out = at; return E_OK;
    case 4: *(uint64_t *)out = at; return host || r->kind == R_MANAGED ? E_OK : E_InvalidValue;
    case 7: *(unsigned long long *)out = r->id; return E_OK;
    case 8: *(int *)out = r->kind == R_MANAGED; return E_OK;
    case 9: *(int *)out = r && r->device ? r->device->ordinal : -2; return E_OK;
    case 11: *(uint64_t *)out = r->at; return E_OK;
    case 12: *(size_t *)out = r->bytes; return E_OK;
    case 13: *(int *)out = 1; return E_OK;
    default: return E_NotSupported;
    }
}
API cuPointerGetAttribute(void *out, int attribute, uint64_t at)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = out ? pointer_attribute(d, out, attribute, at) : E_InvalidValue;
    return drv_leave(code, CALL_COST);
}
API cuPointerGetAttributes(unsigned count, int *attributes, void **out, uint64_t at)
{
    device *d;
    int code = drv_enter(&d);
    for (unsigned i = 0; !code && i < count; i++) pointer_attribute(d, out[i], attributes[i], at);
    return drv_leave(code, CALL_COST);
}

/* ---- copies ---- */
static int run(const copy *c, void *stream_handle, bool async)
{
    device *d;
    stream *st;
    int code = drv_enter_stream(&d, stream_handle, &st);
    if (!code) code = submit_copy(st, c, async);
    return drv_leave(code, async ? cost_launch(d) : CALL_COST);
}
static int plain(uint64_t to, uint64_t from, size_t bytes, int direction, void *st, bool async)
{
    const copy c = {{to, bytes, 0}, {from, bytes, 0}, bytes, 1, 1, direction};
    return run(&c, st, async);
}
API cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n)
{
    return plain(to, number(from), n, COPY_HOST_DEVICE, NULL, false);
}
API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n)
{
    return plain(number(to), from, n, COPY_DEVICE_HOST, NULL, false);
}
API cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t n)
{
    return plain(to, from, n, COPY_DEVICE_DEVICE, NULL, false);
}
API cuMemcpy(uint64_t to, uint64_t from, size_t n) { return plain(to, from, n, COPY_ANY, NULL, false); }
API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *st)
{
    return plain(to, number(from), n, COPY_HOST_DEVICE, st, true);
}
API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *st)
{
    return plain(number(to), from, n, COPY_DEVICE_HOST, st, true);
}
API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *st)
{
    return plain(to, from, n, COPY_DEVICE_DEVICE, st, true);
}
API cuMemcpyAsync(uint64_t to, uint64_t from, size_t n, void *st) { return plain(to, from, n, COPY_ANY, st, true); }
API cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t n)
{
    (void)to_context, (void)from_context;
    return plain(to, from, n, COPY_ANY, NULL, false);
}
API cuMemcpyPeerAsync(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t n, void *st)
{
    (void)to_context, (void)from_context;
    return plain(to, from, n, COPY_ANY, st, true);
}

typedef struct copy_end { /* the half of CUDA_MEMCPY2D */
    size_t x, y;
    int type; /* 1 host, 2 device, 3 array, 4 unified */
    const void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} copy_end;
typedef struct drv_copy_2d {
    copy_end from, to;
    size_t width, height;
} drv_copy_2d;
_Static_assert(sizeof(drv_copy_2d) == 128 && sizeof(drv_copy_3d) == 200, "as CUDA has them");

static int end_of(const copy_end_3d *e, size_t rows, place *out)
{
    const size_t height = e->height ? e->height : rows;
    uint64_t at = e->type == 1 ? number(e->host) : e->device;
    *out = (place){0, e->pitch, e->pitch * height};
    if (e->type == 3) {
        const array *a = handle_find(H_ARRAY, e->array);
        if (!a) return E_InvalidResourceHandle;
        at = a->at;
        out->pitch = a->pitch;
        out->slice = a->slice;
    }
    out->at = at + e->x + e->y * out->pitch + e->z * out->slice;
    return e->type >= 1 && e->type <= 4 ? E_OK : E_InvalidValue;
}
int drv_copy_of(const drv_copy_3d *p, copy *out)
{
    if (!p) return E_InvalidValue;
    *out = (copy){.width = p->width, .height = p->height, .depth = p->depth, .direction = COPY_ANY};
    int code = end_of(&p->from, p->height, &out->from);
    if (!code) code = end_of(&p->to, p->height, &out->to);
    if (!code && !out->from.pitch) out->from.pitch = p->width, out->from.slice = p->width * p->height;
    if (!code && !out->to.pitch) out->to.pitch = p->width, out->to.slice = p->width * p->height;
    return code;
}
static int run_3d(const drv_copy_3d *p, void *stream_handle, bool async)
{
    device *d;
    stream *st;
    copy c;
    int code = drv_enter_stream(&d, stream_handle, &st);
    if (!code) code = drv_copy_of(p, &c);
    if (!code) code = submit_copy(st, &c, async);
    return drv_leave(code, async ? cost_launch(d) : CALL_COST);
}
static copy_end_3d as_3d(const copy_end *e)
{
    return (copy_end_3d){.x = e->x,
                         .y = e->y,
                         .type = e->type,
                         .host = e->host,
                         .device = e->device,
                         .array = e->array,
                         .pitch = e->pitch};
}
static int run_2d(const drv_copy_2d *p, void *st, bool async)
{
    if (!p) return E_InvalidValue;
    const drv_copy_3d all = {as_3d(&p->from), as_3d(&p->to), p->width, p->height, 1};
    return run_3d(&all, st, async);
}
API cuMemcpy2D_v2(const drv_copy_2d *p) { return run_2d(p, NULL, false); }
API cuMemcpy2DUnaligned_v2(const drv_copy_2d *p) { return run_2d(p, NULL, false); }
API cuMemcpy2DAsync_v2(const drv_copy_2d *p, void *st) { return run_2d(p, st, true); }
API cuMemcpy3D_v2(const drv_copy_3d *p) { return run_3d(p, NULL, false); }
API cuMemcpy3DAsync_v2(const drv_copy_3d *p, void *st) { return run_3d(p, st, true); }
/* The same shape, with contexts in it: an address says which card it is of. */
API cuMemcpy3DPeer(const drv_copy_3d *p) { return run_3d(p, NULL, false); }
API cuMemcpy3DPeerAsync(const drv_copy_3d *p, void *st) { return run_3d(p, st, true); }
/* A row of bytes; at least one end is an array. */
enum { OF_HOST = 1, OF_CARD = 2, OF_ARRAY = 3 };
static int row_copy(copy_end_3d to, copy_end_3d from, size_t bytes, void *st, bool async)
{
    const drv_copy_3d p = {from, to, bytes, 1, 1};
    return run_3d(&p, st, async);
}
#define HOST_END(at)     ((copy_end_3d){.type = OF_HOST, .host = (at)})
#define CARD_END(at)     ((copy_end_3d){.type = OF_CARD, .device = (at)})
#define ARRAY_END(a, at) ((copy_end_3d){.type = OF_ARRAY, .array = (a), .x = (at)})
API cuMemcpyHtoA_v2(void *to, size_t x, const void *from, size_t n)
{
    return row_copy(ARRAY_END(to, x), HOST_END(from), n, NULL, false);
}
API cuMemcpyHtoAAsync_v2(void *to, size_t x, const void *from, size_t n, void *st)
{
    return row_copy(ARRAY_END(to, x), HOST_END(from), n, st, true);
}
API cuMemcpyAtoH_v2(void *to, void *from, size_t x, size_t n)
{
    return row_copy(HOST_END(to), ARRAY_END(from, x), n, NULL, false);
}
API cuMemcpyAtoHAsync_v2(void *to, void *from, size_t x, size_t n, void *st)
{
    return row_copy(HOST_END(to), ARRAY_END(from, x), n, st, true);
}
API cuMemcpyDtoA_v2(void *to, size_t x, uint64_t from, size_t n)
{
    return row_copy(ARRAY_END(to, x), CARD_END(from), n, NULL, false);
}
API cuMemcpyAtoD_v2(uint64_t to, void *from, size_t x, size_t n)
{
    return row_copy(CARD_END(to), ARRAY_END(from, x), n, NULL, false);
}
API cuMemcpyAtoA_v2(void *to, size_t to_x, void *from, size_t from_x, size_t n)
{
    return row_copy(ARRAY_END(to, to_x), ARRAY_END(from, from_x), n, NULL, false);
}

/* ---- fills ---- */
static int run_fill(uint64_t at, size_t pitch, uint32_t value, uint32_t size, size_t width, size_t height,
                    void *stream_handle)
{
    device *d;
    stream *st;
    int code = drv_enter_stream(&d, stream_handle, &st);
    const fill f = {at, pitch ? pitch : width * size, width, height, value, size};
    if (!code) code = submit_fill(st, &f, true);
    return drv_leave(code, cost_launch(d));
}
#define FILL(bits, type)                                                                                         \
    API cuMemsetD##bits##_v2(uint64_t at, type v, size_t n) { return run_fill(at, 0, v, bits / 8, n, 1, NULL); } \
    API cuMemsetD##bits##Async(uint64_t at, type v, size_t n, void *st)                                          \
    {                                                                                                            \
        return run_fill(at, 0, v, bits / 8, n, 1, st);                                                           \
    }                                                                                                            \
    API cuMemsetD2D##bits##_v2(uint64_t at, size_t pitch, type v, size_t w, size_t h)                            \
    {                                                                                                            \
        return run_fill(at, pitch, v, bits / 8, w, h, NULL);                                                     \
    }                                                                                                            \
    API cuMemsetD2D##bits##Async(uint64_t at, size_t pitch, type v, size_t w, size_t h, void *st)                \
    {                                                                                                            \
        return run_fill(at, pitch, v, bits / 8, w, h, st);                                                       \
    }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)

/* ---- in the order of a stream ---- */
API cuMemAllocAsync(uint64_t *out, size_t bytes, void *st)
{
    int code = core_begin();
    const stream *in = code ? NULL : stream_find(st);
    const bool captured = in && in->capture;
    core_end(code, 0);
    return take(out, bytes, R_DEVICE, captured ? REGION_GRAPH : 0, true);
}
API cuMemAllocFromPoolAsync(uint64_t *out, size_t bytes, void *pool, void *st) /* the pool says which device */
{
    (void)st;
    int code = core_begin();
    device *d = code ? NULL : handle_find(H_POOL, pool);
    if (!code && (!d || !out || !bytes)) code = E_InvalidValue;
    if (!code) code = region_new(d, R_DEVICE, bytes, 0, NULL, out);
    return drv_leave(code, d ? cost_alloc(d) : CALL_COST);
}
API cuMemFreeAsync(uint64_t at, void *stream_handle)
{
    device *d;
    stream *st;
    int code = drv_enter_stream(&d, stream_handle, &st);
    if (!code) code = region_give(at, st);
    op *o = code ? NULL : calloc(1, sizeof *o);
    if (!code && !o) code = E_MemoryAllocation;
    if (o) {
        o->kind = OP_FREE;
        o->u.free = at;
        code = submit(st, o, false);
    }
    return drv_leave(code, cost_launch(d));
}
#define CALL(name)        cu##name
#define LEAVE(code, cost) drv_leave(code, cost)
#include "cuda/core/pool_calls.h"

API cuMemPrefetchAsync(uint64_t at, size_t bytes, int where, void *st)
{
    (void)at, (void)bytes, (void)where, (void)st;
    return E_OK;
}
API cuMemAdvise(uint64_t at, size_t bytes, int advice, int where)
{
    (void)at, (void)bytes, (void)advice, (void)where;
    return E_OK;
}
API cuMemPrefetchAsync_v2(uint64_t at, size_t bytes, pool_place where, unsigned flags, void *st)
{
    (void)at, (void)bytes, (void)where, (void)flags, (void)st;
    return E_OK;
}
API cuMemAdvise_v2(uint64_t at, size_t bytes, int advice, pool_place where)
{
    (void)at, (void)bytes, (void)advice, (void)where;
    return E_OK;
}
API cuStreamAttachMemAsync(void *st, uint64_t at, size_t bytes, unsigned flags)
{
    (void)st, (void)at, (void)bytes, (void)flags;
    return E_OK;
}

/* ---- arrays and textures ---- */
static int texel_of(int format, int *bits, int *kind)
{
    switch (format) {
    case 0x01: *bits = 8, *kind = 1; return SIM_TEXEL_U8;
    case 0x02: *bits = 16, *kind = 1; return SIM_TEXEL_U16;
    case 0x03: *bits = 32, *kind = 1; return SIM_TEXEL_U32;
    case 0x08: *bits = 8, *kind = 0; return SIM_TEXEL_S8;
    case 0x09: *bits = 16, *kind = 0; return SIM_TEXEL_S16;
    case 0x0a: *bits = 32, *kind = 0; return SIM_TEXEL_S32;
    case 0x10: *bits = 16, *kind = 2; return SIM_TEXEL_F16;
    case 0x20: *bits = 32, *kind = 2; return SIM_TEXEL_F32;
    default: return -1;
    }
}
typedef struct array_3d {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} array_3d;
API cuArray3DCreate_v2(void **out, const array_3d *p)
{
    device *d;
    int code = drv_enter(&d), bits = 0, kind = 0;
    if (!code && (!out || !p || p->channels < 1 || p->channels > 4)) code = E_InvalidValue;
    array a = {.width = code ? 0 : p->width};
    if (!code) {
        a.height = p->height, a.depth = p->depth, a.flags = p->flags, a.channels = (int)p->channels;
        a.texel = texel_of(p->format, &bits, &kind);
        a.format = kind;
        for (unsigned i = 0; i < p->channels; i++) a.bits[i] = bits;
        code = a.texel < 0 ? E_InvalidValue : array_new(d, &a, out);
    }
    return drv_leave(code, cost_alloc(d));
}
typedef struct array_2d {
    size_t width, height;
    int format;
    unsigned channels;
} array_2d;
API cuArrayCreate_v2(void **out, const array_2d *p)
{
    if (!p) return E_InvalidValue;
    const array_3d all = {p->width, p->height, 0, p->format, p->channels, 0};
    return cuArray3DCreate_v2(out, &all);
}
API cuArrayDestroy(void *handle)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = array_end(handle);
    return drv_leave(code, CALL_COST);
}

int drv_make_object(unsigned long long *out, const drv_resource *r, const drv_texture *t)
{
    device *d;
    int code = drv_enter(&d), bits = 0, kind = 0;
    sim_texture s = {0};
    if (!code && (!out || !r)) code = E_InvalidValue;
    const array *a = !code && r->type <= 1 ? handle_find(H_ARRAY, r->of.array) : NULL;
    if (!code && r->type <= 1 && !a) code = E_InvalidResourceHandle;
    if (a) {
        s = (sim_texture){.address = a->at,
                          .width = (uint32_t)a->width,
                          .height = (uint32_t)a->height,
                          .pitch = a->pitch,
                          .slice = a->slice,
                          .texel = a->texel};
        s.channels = a->channels == 3 ? 4 : a->channels;
        s.cube = a->flags & 4;
        if (s.cube) s.layers = a->flags & 1 ? (uint32_t)a->depth / 6 : 0;
        else if (a->flags & 1) s.layers = (uint32_t)a->depth;
        else s.depth = (uint32_t)a->depth;
    } else if (!code) {
        const bool linear = r->type == 2;
        s.texel = texel_of(linear ? r->of.linear.format : r->of.pitched.format, &bits, &kind);
        s.channels = (int)(linear ? r->of.linear.channels : r->of.pitched.channels);
        s.address = linear ? r->of.linear.at : r->of.pitched.at;
        if (s.texel < 0 || s.channels < 1 || s.channels > 4 || r->type > 3) code = E_InvalidValue;
        else if (linear) s.width = (uint32_t)(r->of.linear.bytes / ((size_t)bits / 8 * (size_t)s.channels));
        else
            s.width = (uint32_t)r->of.pitched.width, s.height = (uint32_t)r->of.pitched.height,
            s.pitch = r->of.pitched.pitch;
    }
    if (!code && t) {
        static const int outside[] = {SIM_OUTSIDE_WRAP, SIM_OUTSIDE_CLAMP, SIM_OUTSIDE_MIRROR, SIM_OUTSIDE_BORDER};
        s.normalized = t->flags & 2;
        for (int i = 0; i < 3; i++) {
            s.outside[i] = outside[t->outside[i] & 3];
            if (!s.normalized && (s.outside[i] == SIM_OUTSIDE_WRAP || s.outside[i] == SIM_OUTSIDE_MIRROR))
                s.outside[i] = SIM_OUTSIDE_CLAMP;
        }
        s.linear = t->filter == 1;
        s.fractions = !(t->flags & 1) && s.texel <= SIM_TEXEL_S16;
    }
    uint64_t handle = 0;
    if (!code) code = object_new(d, &s, &handle);
    if (!code) *out = handle;
    return drv_leave(code, 2e-6);
}
API cuTexObjectCreate(unsigned long long *out, const drv_resource *r, const drv_texture *t, const void *view)
{
    (void)view;
    return t ? drv_make_object(out, r, t) : E_InvalidValue;
}
API cuSurfObjectCreate(unsigned long long *out, const drv_resource *r) { return drv_make_object(out, r, NULL); }
static int end_object(unsigned long long handle)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = object_end(d, handle);
    return drv_leave(code, CALL_COST);
}
API cuTexObjectDestroy(unsigned long long handle) { return end_object(handle); }
API cuSurfObjectDestroy(unsigned long long handle) { return end_object(handle); }
