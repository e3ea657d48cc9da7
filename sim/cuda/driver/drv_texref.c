/* drv_texref.c: texture references of a module: each is a texture object that is made anew when the
 * program has said something else about it. */
#include "driver.h"

typedef struct texref {
    image *module;
    char *name;
    drv_resource from;
    drv_texture how;
    int format;
    unsigned channels;
    bool bound;
    unsigned long long object;
    struct texref *next;
} texref;
static texref *all; /* a handle is the address of one of these */

static texref *find(const void *handle)
{
    texref *t = all;
    while (t && t != handle) t = t->next;
    return t;
}

/* It has changed. Nothing is bound before it has memory. */
static int bind(texref *t)
{
    device *d;
    unsigned long long made = 0;
    if (!t->bound) return E_OK;
    int code = drv_make_object(&made, &t->from, &t->how);
    if (code) return code;
    const int in = drv_enter(&d);
    sim_error err;
    if (!in && t->object) object_end(d, t->object);
    t->object = made;
    code = in;
    if (!code && t->module->module[d->ordinal] &&
        sim_texture_bind(d->s, t->module->module[d->ordinal], t->name, made, &err))
        code = E_InvalidValue;
    return drv_leave(code, CALL_COST);
}

API cuModuleGetTexRef(void **out, void *module, const char *name)
{
    device *d;
    uint64_t at, bytes;
    int code = drv_enter(&d);
    image *i = code ? NULL : drv_module(module);
    if (!code) code = i && name && out ? image_symbol(i, d, name, &at, &bytes) : E_InvalidValue;
    texref *t = code ? NULL : all;
    while (t && (t->module != i || strcmp(t->name, name))) t = t->next;
    if (!code && !t) {
        t = calloc(1, sizeof *t);
        if (!t || !(t->name = strdup(name))) {
            free(t);
            code = E_MemoryAllocation;
        } else {
            t->module = i;
            t->format = 0x20; /* floats */
            t->channels = 1;
            t->how.outside[0] = t->how.outside[1] = t->how.outside[2] = 1;
            t->next = all;
            all = t;
        }
    }
    if (!code) *out = t;
    return drv_leave(code, CALL_COST);
}
API cuTexRefSetArray(void *handle, void *array_handle, unsigned flags)
{
    texref *t = find(handle);
    (void)flags;
    if (!t) return E_InvalidValue;
    t->from.type = 0;
    t->from.of.array = array_handle;
    t->bound = true;
    return bind(t);
}
API cuTexRefSetAddress_v2(size_t *offset, void *handle, uint64_t at, size_t bytes)
{
    texref *t = find(handle);
    if (!t) return E_InvalidValue;
    if (offset) *offset = 0;
    memset(&t->from, 0, sizeof t->from);
    t->from.type = 2;
    t->from.of.linear.at = at;
    t->from.of.linear.bytes = bytes;
    t->from.of.linear.format = t->format;
    t->from.of.linear.channels = t->channels;
    t->bound = true;
    return bind(t);
}
API cuTexRefSetAddress2D_v3(void *handle, const drv_array *shape, uint64_t at, size_t pitch)
{
    texref *t = find(handle);
    if (!t || !shape) return E_InvalidValue;
    memset(&t->from, 0, sizeof t->from);
    t->from.type = 3;
    t->from.of.pitched.at = at;
    t->from.of.pitched.format = t->format = shape->format;
    t->from.of.pitched.channels = t->channels = shape->channels;
    t->from.of.pitched.width = shape->width;
    t->from.of.pitched.height = shape->height;
    t->from.of.pitched.pitch = pitch;
    t->bound = true;
    return bind(t);
}
API cuTexRefSetFormat(void *handle, int format, int channels)
{
    texref *t = find(handle);
    if (!t || channels < 1 || channels > 4) return E_InvalidValue;
    t->format = format;
    t->channels = (unsigned)channels;
    if (!t->bound || t->from.type < 2) return E_OK; /* an array knows its own */
    t->from.of.linear.format = format;              /* where a pitched one has it too */
    t->from.of.linear.channels = t->channels;
    return bind(t);
}
API cuTexRefSetAddressMode(void *handle, int dimension, int mode)
{
    texref *t = find(handle);
    if (!t || dimension < 0 || dimension > 2 || mode < 0 || mode > 3) return E_InvalidValue;
    t->how.outside[dimension] = mode;
    return bind(t);
}
API cuTexRefSetFilterMode(void *handle, int mode)
{
    texref *t = find(handle);
    if (!t || mode < 0 || mode > 1) return E_InvalidValue;
    t->how.filter = mode;
    return bind(t);
}
API cuTexRefSetFlags(void *handle, unsigned flags)
{
    texref *t = find(handle);
    if (!t) return E_InvalidValue;
    t->how.flags = flags;
    return bind(t);
}
API cuParamSetTexRef(void *f, int unit, void *handle)
{
    (void)f, (void)unit;
    return find(handle) ? E_OK : E_InvalidValue;
}
