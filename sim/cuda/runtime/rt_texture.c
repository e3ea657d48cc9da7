/* rt_texture.c: arrays, textures, surfaces. */
#include "runtime.h"

enum { LAYERED = 1, SURFACES = 2, CUBE = 4 };

PUBLIC channel_desc cudaCreateChannelDesc(int x, int y, int z, int w, int f) { return (channel_desc){x, y, z, w, f}; }

/* The texel that a format stands for; -1: there is none. */
static int texel_of(const channel_desc *c, int *channels)
{
    *channels = !c->y ? 1 : !c->z ? 2 : 4;
    switch (c->x) {
    case 8: return c->f == 1 ? SIM_TEXEL_U8 : c->f == 0 ? SIM_TEXEL_S8 : -1;
    case 16: return c->f == 1 ? SIM_TEXEL_U16 : c->f == 0 ? SIM_TEXEL_S16 : SIM_TEXEL_F16;
    case 32: return c->f == 1 ? SIM_TEXEL_U32 : c->f == 0 ? SIM_TEXEL_S32 : SIM_TEXEL_F32;
    default: return -1;
    }
}

static int make_array(void **out, const channel_desc *desc, extent size, unsigned flags)
{
    device *d;
    int code = enter(&d);
    if (!code && (!out || !desc)) code = E_InvalidValue;
    array a = {.width = code ? 0 : size.width, .height = size.height, .depth = size.depth, .flags = flags};
    if (!code) {
        a.texel = texel_of(desc, &a.channels);
        a.format = desc->f;
        a.bits[0] = desc->x, a.bits[1] = desc->y, a.bits[2] = desc->z, a.bits[3] = desc->w;
        code = a.texel < 0 ? E_InvalidChannelDescriptor : array_new(d, &a, out);
    }
    return leave(code, cost_alloc(d));
}
API cudaMallocArray(void **out, const channel_desc *desc, size_t width, size_t height, unsigned flags)
{
    return make_array(out, desc, (extent){width, height, 0}, flags);
}
API cudaMalloc3DArray(void **out, const channel_desc *desc, extent size, unsigned flags)
{
    return make_array(out, desc, size, flags);
}
API cudaFreeArray(void *handle)
{
    device *d;
    int code = enter(&d);
    if (!code && handle) code = array_end(handle);
    return leave(code, CALL_COST);
}
static channel_desc desc_of(const array *a)
{
    return (channel_desc){a->bits[0], a->bits[1], a->bits[2], a->bits[3], a->format};
}
API cudaArrayGetInfo(channel_desc *desc, extent *size, unsigned *flags, void *handle)
{
    device *d;
    int code = enter(&d);
    const array *a = code ? NULL : array_of(handle);
    if (!code && !a) code = E_InvalidResourceHandle;
    if (!code && desc) *desc = desc_of(a);
    if (!code && size) *size = (extent){a->width, a->height, a->depth};
    if (!code && flags) *flags = a->flags;
    return leave(code, CALL_COST);
}
API cudaGetChannelDesc(channel_desc *desc, const void *handle)
{
    return cudaArrayGetInfo(desc, NULL, NULL, (void *)(uintptr_t)handle);
}

/* A mipmapped array of one level */
API cudaMallocMipmappedArray(void **out, const channel_desc *desc, extent size, unsigned levels, unsigned flags)
{
    if (levels > 1) {
        record_missing("cudaMallocMipmappedArray with several levels");
        return fail(E_NotSupported);
    }
    return make_array(out, desc, size, flags);
}
API cudaFreeMipmappedArray(void *handle) { return cudaFreeArray(handle); }
API cudaGetMipmappedArrayLevel(void **out, const void *handle, unsigned level)
{
    if (level || !out) return fail(E_InvalidValue);
    *out = (void *)(uintptr_t)handle;
    return E_OK;
}

/* ---- objects: what was asked is kept beside the simulator's handle, to be given back ---- */
typedef struct object {
    uint64_t handle;
    device *device;
    resource_desc resource;
    texture_desc texture;
    struct object *next;
} object;
static object *objects;

static int describe(const resource_desc *r, sim_texture *t)
{
    *t = (sim_texture){0};
    channel_desc desc;
    if (r->type == 0 || r->type == 1) {
        const array *a = array_of(r->of.array);
        if (!a) return E_InvalidResourceHandle;
        t->address = a->at;
        t->pitch = a->pitch;
        t->slice = a->slice;
        t->width = (uint32_t)a->width;
        t->height = (uint32_t)a->height;
        if (a->flags & CUBE) t->cube = true, t->layers = a->flags & LAYERED ? (uint32_t)a->depth / 6 : 0;
        else if (a->flags & LAYERED) t->layers = (uint32_t)a->depth;
        else t->depth = (uint32_t)a->depth;
        desc = desc_of(a);
    } else if (r->type == 2) {
        desc = r->of.linear.desc;
        const uint32_t texel = (uint32_t)(desc.x + desc.y + desc.z + desc.w) / 8;
        if (!texel) return E_InvalidChannelDescriptor;
        t->address = (uint64_t)(uintptr_t)r->of.linear.at;
        t->width = (uint32_t)(r->of.linear.bytes / texel);
    } else if (r->type == 3) {
        desc = r->of.pitched.desc;
        t->address = (uint64_t)(uintptr_t)r->of.pitched.at;
        t->width = (uint32_t)r->of.pitched.width;
        t->height = (uint32_t)r->of.pitched.height;
        t->pitch = r->of.pitched.pitch;
    } else {
        return E_InvalidValue;
    }
    t->texel = texel_of(&desc, &t->channels);
    return t->texel < 0 ? E_InvalidChannelDescriptor : E_OK;
}

static int make_object(unsigned long long *out, const resource_desc *r, const texture_desc *t)
{
    device *d;
    int code = enter(&d);
    sim_texture st;
    if (!code) code = out && r ? describe(r, &st) : E_InvalidValue;
    object *o = code ? NULL : calloc(1, sizeof *o);
    if (!code && !o) code = E_MemoryAllocation;
    if (!code && t) {
        static const int outside[] = {SIM_OUTSIDE_WRAP, SIM_OUTSIDE_CLAMP, SIM_OUTSIDE_MIRROR, SIM_OUTSIDE_BORDER};
        for (int i = 0; i < 3; i++) {
            st.outside[i] = outside[t->outside[i] & 3];
            /* wrapping and mirroring need coordinates from 0 to 1: else it is clamped */
            if (!t->normalized && (st.outside[i] == SIM_OUTSIDE_WRAP || st.outside[i] == SIM_OUTSIDE_MIRROR))
                st.outside[i] = SIM_OUTSIDE_CLAMP;
        }
        st.linear = t->filter == 1;
        st.normalized = t->normalized;
        st.fractions = t->read_mode == 1;
        o->texture = *t;
    }
    if (!code) code = object_new(d, &st, &o->handle);
    if (!code) {
        o->device = d;
        o->resource = *r;
        o->next = objects;
        objects = o;
        *out = o->handle;
    } else {
        free(o);
    }
    return leave(code, 2e-6);
}
API cudaCreateTextureObject(unsigned long long *out, const resource_desc *r, const texture_desc *t, const void *view)
{
    (void)view;
    return t ? make_object(out, r, t) : fail(E_InvalidValue);
}
API cudaCreateTextureObject_v2(unsigned long long *out, const resource_desc *r, const texture_desc *t, const void *view)
{
    return cudaCreateTextureObject(out, r, t, view);
}
API cudaCreateSurfaceObject(unsigned long long *out, const resource_desc *r) { return make_object(out, r, NULL); }

static object **find_object(unsigned long long handle)
{
    object **p = &objects;
    while (*p && (*p)->handle != handle) p = &(*p)->next;
    return p;
}
static int end_object(unsigned long long handle)
{
    device *d;
    int code = enter(&d);
    object **p = find_object(handle), *o = *p;
    if (!code && o) {
        code = object_end(o->device, handle);
        *p = o->next;
        free(o);
    }
    return leave(code, CALL_COST);
}
API cudaDestroyTextureObject(unsigned long long handle) { return end_object(handle); }
API cudaDestroySurfaceObject(unsigned long long handle) { return end_object(handle); }

static int ask(unsigned long long handle, void *out, bool texture)
{
    device *d;
    int code = enter(&d);
    const object *o = code ? NULL : *find_object(handle);
    if (!code && (!o || !out)) code = E_InvalidValue;
    if (!code && texture) memcpy(out, &o->texture, sizeof o->texture);
    else if (!code) memcpy(out, &o->resource, sizeof o->resource);
    return leave(code, CALL_COST);
}
API cudaGetTextureObjectResourceDesc(void *out, unsigned long long handle) { return ask(handle, out, false); }
API cudaGetSurfaceObjectResourceDesc(void *out, unsigned long long handle) { return ask(handle, out, false); }
API cudaGetTextureObjectTextureDesc(void *out, unsigned long long handle) { return ask(handle, out, true); }
