/* drv_context.c: starting, devices, contexts. Every context of a device is its primary one under
 * another name: what is allocated in one can be used in all. */
#define _GNU_SOURCE
#include "driver.h"
#include "cuda/library_names.h"
#include <dlfcn.h>

static bool initialised;
enum { STACK = 32 };
static _Thread_local void *contexts[STACK];
static _Thread_local int depth;

bool drv_initialised(void) { return initialised || core_started(); }

static void *current(void) { return depth ? contexts[depth - 1] : NULL; }

int drv_leave(int code, double cost)
{
    core_end(code, cost);
    return code == E_InvalidConfiguration ? E_InvalidValue : code;
}

int drv_enter(device **d)
{
    int code = core_begin();
    *d = NULL;
    if (code) return code == E_NoDevice ? E_InitializationError : code;
    if (!drv_initialised()) return E_InitializationError;
    if (!depth && core_has_context()) *d = core_current(); /* the runtime's, which the driver's calls share */
    else *d = handle_find(H_CONTEXT, current());
    if (!*d) return E_DeviceUninitialized;
    core_choose((*d)->ordinal);
    (*d)->used = true;
    return core_fault(*d);
}

int drv_enter_stream(device **d, void *handle, stream **st)
{
    int code = drv_enter(d);
    *st = NULL;
    if (code == E_DeviceUninitialized && (*st = handle_find(H_STREAM, handle)) != NULL) { /* it says which context */
        *d = (*st)->device;
        code = core_fault(*d);
    }
    if (!code && !*st) *st = stream_find(handle);
    return code ? code : *st ? E_OK : E_InvalidResourceHandle;
}

API cuInit(unsigned flags)
{
    int code = core_begin();
    if (!code) code = flags ? E_InvalidValue : core_devices() ? E_OK : E_NoDevice;
    if (!code) initialised = true;
    return drv_leave(code, CALL_COST);
}
API cuDriverGetVersion(int *version)
{
    if (!version) return E_InvalidValue;
    *version = DRIVER_VERSION;
    return E_OK;
}
API cuGetErrorString(int code, const char **text)
{
    if (!text) return E_InvalidValue;
    *text = core_error_text(code);
    return *text ? E_OK : E_InvalidValue;
}
API cuGetErrorName(int code, const char **text)
{
    if (!text) return E_InvalidValue;
    *text = core_error_name(code, true);
    return *text ? E_OK : E_InvalidValue;
}

/* ---- devices ---- */
#define NEEDS_INIT           \
    int code = core_begin(); \
    if (!code && !drv_initialised()) code = E_InitializationError

API cuDeviceGetCount(int *count)
{
    NEEDS_INIT;
    if (!code && !count) code = E_InvalidValue;
    if (!code) *count = core_devices();
    return drv_leave(code, CALL_COST);
}
API cuDeviceGet(int *out, int ordinal)
{
    NEEDS_INIT;
    if (!code && !out) code = E_InvalidValue;
    if (!code && (ordinal < 0 || ordinal >= core_devices())) code = E_InvalidDevice;
    if (!code) *out = ordinal;
    return drv_leave(code, CALL_COST);
}
API cuDeviceGetName(char *name, int size, int ordinal)
{
    NEEDS_INIT;
    sim_card c;
    if (!code) code = name && size > 0 ? core_card(ordinal, &c) : E_InvalidValue;
    if (!code) snprintf(name, (size_t)size, "%s%s", strncmp(c.title, "NVIDIA", 6) ? "NVIDIA " : "", c.title);
    return drv_leave(code, CALL_COST);
}
API cuDeviceGetUuid(unsigned char *uuid, int ordinal)
{
    NEEDS_INIT;
    sim_card c;
    if (!code) code = uuid ? core_card(ordinal, &c) : E_InvalidValue;
    if (!code) memset(uuid, 0, 16), uuid[0] = 'w', uuid[1] = 's', uuid[15] = (unsigned char)ordinal;
    return drv_leave(code, CALL_COST);
}
API cuDeviceGetUuid_v2(unsigned char *uuid, int ordinal) { return cuDeviceGetUuid(uuid, ordinal); }
API cuDeviceGetLuid(char *luid, unsigned *mask, int ordinal)
{
    (void)luid, (void)mask, (void)ordinal;
    return E_NotSupported;
}
API cuDeviceTotalMem_v2(size_t *bytes, int ordinal)
{
    NEEDS_INIT;
    sim_card c;
    if (!code) code = bytes ? core_card(ordinal, &c) : E_InvalidValue;
    if (!code) *bytes = c.memory_bytes;
    return drv_leave(code, CALL_COST);
}
API cuDeviceGetAttribute(int *value, int attribute, int ordinal)
{
    NEEDS_INIT;
    if (!code) code = value ? core_attribute(ordinal, attribute, value) : E_InvalidValue;
    return drv_leave(code, CALL_COST);
}
API cuDeviceComputeCapability(int *major, int *minor, int ordinal)
{
    NEEDS_INIT;
    sim_card c;
    if (!code) code = major && minor ? core_card(ordinal, &c) : E_InvalidValue;
    if (!code) *major = c.cc_major, *minor = c.cc_minor;
    return drv_leave(code, CALL_COST);
}
API cuDeviceGetProperties(int *p, int ordinal)
{
    NEEDS_INIT;
    if (!code && !p) code = E_InvalidValue;
    static const int attributes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    for (int i = 0; !code && i < 14; i++) code = core_attribute(ordinal, attributes[i], &p[i]);
    return drv_leave(code, CALL_COST);
}
API cuDeviceGetPCIBusId(char *text, int size, int ordinal)
{
    NEEDS_INIT;
    if (!code && (ordinal < 0 || ordinal >= core_devices())) code = E_InvalidDevice;
    if (!code && (!text || size < 1)) code = E_InvalidValue;
    if (!code) snprintf(text, (size_t)size, "0000:%02X:00.0", ordinal + 1);
    return drv_leave(code, CALL_COST);
}
API cuDeviceGetByPCIBusId(int *ordinal, const char *text)
{
    NEEDS_INIT;
    unsigned bus = 0;
    const char *colon = text ? strrchr(text, ':') : NULL; /* 0000:01:00.0, or without what stands before or behind */
    if (!code && (!ordinal || !colon)) code = E_InvalidValue;
    while (!code && colon > text && colon[-1] != ':') colon--;
    if (!code && (sscanf(colon, "%x:", &bus) != 1 || bus < 1 || (int)bus > core_devices())) code = E_InvalidDevice;
    if (!code) *ordinal = (int)bus - 1;
    return drv_leave(code, CALL_COST);
}
API cuDeviceCanAccessPeer(int *can, int from, int to)
{
    NEEDS_INIT;
    const int count = core_devices();
    if (!code && !can) code = E_InvalidValue;
    if (!code && (from < 0 || from >= count || to < 0 || to >= count)) code = E_InvalidDevice;
    if (!code) *can = from != to;
    return drv_leave(code, CALL_COST);
}

/* ---- contexts ---- */
static int with_context(int ordinal, void **out)
{
    device *d = core_device(ordinal);
    if (!d) return ordinal < 0 || ordinal >= core_devices() ? E_InvalidDevice : E_MemoryAllocation;
    *out = d->context;
    return E_OK;
}
static int push(void *context)
{
    if (depth == STACK) return E_MemoryAllocation;
    contexts[depth++] = context;
    core_choose(((device *)handle_find(H_CONTEXT, context))->ordinal);
    return E_OK;
}

API cuDevicePrimaryCtxRetain(void **out, int ordinal)
{
    NEEDS_INIT;
    if (!code) code = out ? with_context(ordinal, out) : E_InvalidValue;
    if (!code) core_device(ordinal)->retained++;
    return drv_leave(code, CALL_COST);
}
/* A context that nobody keeps stays usable all the same; only its end is counted. */
API cuDevicePrimaryCtxRelease_v2(int ordinal)
{
    NEEDS_INIT;
    device *d = code ? NULL : core_device(ordinal);
    if (!code && !d) code = E_InvalidDevice;
    if (!code && !d->retained) code = E_DeviceUninitialized;
    if (!code) d->retained--;
    return drv_leave(code, CALL_COST);
}
API cuDevicePrimaryCtxRelease(int ordinal) { return cuDevicePrimaryCtxRelease_v2(ordinal); }
API cuDevicePrimaryCtxReset_v2(int ordinal)
{
    NEEDS_INIT;
    if (!code && (ordinal < 0 || ordinal >= core_devices())) code = E_InvalidDevice;
    return drv_leave(code, CALL_COST);
}
API cuDevicePrimaryCtxReset(int ordinal) { return cuDevicePrimaryCtxReset_v2(ordinal); }
API cuDevicePrimaryCtxSetFlags_v2(int ordinal, unsigned flags)
{
    (void)flags;
    return cuDevicePrimaryCtxReset_v2(ordinal);
}
API cuDevicePrimaryCtxGetState(int ordinal, unsigned *flags, int *active)
{
    NEEDS_INIT;
    const device *d = code ? NULL : core_device(ordinal);
    if (!code && !d) code = E_InvalidDevice;
    if (!code && flags) *flags = d->flags;
    if (!code && active) *active = d->used;
    return drv_leave(code, CALL_COST);
}

static int create(void **out, int ordinal)
{
    NEEDS_INIT;
    void *primary = NULL;
    if (!code) code = out ? with_context(ordinal, &primary) : E_InvalidValue;
    if (!code && !(*out = handle_new(H_CONTEXT, handle_find(H_CONTEXT, primary)))) code = E_MemoryAllocation;
    if (!code) code = push(*out);
    return drv_leave(code, 1e-3);
}
API cuCtxCreate_v2(void **out, unsigned flags, int ordinal)
{
    (void)flags;
    return create(out, ordinal);
}
API cuCtxCreate_v3(void **out, void *affinity, int count, unsigned flags, int ordinal)
{
    (void)affinity, (void)count, (void)flags;
    return create(out, ordinal);
}
API cuCtxCreate_v4(void **out, void *params, unsigned flags, int ordinal)
{
    (void)params, (void)flags;
    return create(out, ordinal);
}
API cuCtxDestroy_v2(void *context)
{
    NEEDS_INIT;
    device *d = code ? NULL : handle_find(H_CONTEXT, context);
    if (!code && !d)
        code = !context                           ? E_InvalidValue
               : handle_ended(H_CONTEXT, context) ? E_ContextIsDestroyed
                                                  : E_DeviceUninitialized;
    if (!code) {
        wait_device(d);
        if (context != d->context) handle_end(H_CONTEXT, context);
        if (current() == context) depth--;
    }
    return drv_leave(code, CALL_COST);
}
API cuCtxDetach(void *context) { return cuCtxDestroy_v2(context); }
API cuCtxGetCurrent(void **out)
{
    NEEDS_INIT;
    if (!code && !out) code = E_InvalidValue;
    if (!code) {
        *out = current();
        if (!*out && core_has_context()) *out = core_current()->context;
    }
    return drv_leave(code, CALL_COST);
}
API cuCtxSetCurrent(void *context)
{
    NEEDS_INIT;
    if (!code && context && !handle_find(H_CONTEXT, context)) code = E_DeviceUninitialized;
    if (!code) {
        if (depth) depth--;
        if (context) code = push(context);
        else core_no_context();
    }
    return drv_leave(code, CALL_COST);
}
API cuCtxPushCurrent_v2(void *context)
{
    NEEDS_INIT;
    if (!code && !handle_find(H_CONTEXT, context)) code = E_DeviceUninitialized;
    if (!code) code = push(context);
    return drv_leave(code, CALL_COST);
}
API cuCtxPopCurrent_v2(void **out)
{
    NEEDS_INIT;
    if (!code && !depth) code = E_DeviceUninitialized;
    if (!code) {
        if (out) *out = current();
        depth--;
        const device *d = depth ? handle_find(H_CONTEXT, current()) : NULL;
        if (d) core_choose(d->ordinal);
        else core_no_context();
    }
    return drv_leave(code, CALL_COST);
}
API cuCtxGetDevice(int *ordinal)
{
    device *d;
    int code = drv_enter(&d);
    if (d && ordinal) *ordinal = d->ordinal;
    return drv_leave(code, CALL_COST);
}
API cuCtxGetDevice_v2(int *ordinal, void *context)
{
    (void)context;
    return cuCtxGetDevice(ordinal);
}
API cuCtxSynchronize(void)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = wait_device(d);
    return drv_leave(code, CALL_COST);
}
API cuCtxGetApiVersion(void *context, unsigned *version)
{
    (void)context;
    if (version) *version = 3020;
    return E_OK;
}
API cuCtxGetFlags(unsigned *flags)
{
    if (flags) *flags = 0;
    return E_OK;
}
API cuCtxGetId(void *context, unsigned long long *id)
{
    (void)context;
    if (id) *id = 1;
    return E_OK;
}
API cuCtxGetLimit(size_t *value, int limit)
{
    device *d;
    int code = drv_enter(&d);
    if (!code && (limit < 0 || limit >= LIMITS)) code = E_UnsupportedLimit;
    if (!code && !value) code = E_InvalidValue;
    if (!code) *value = d->limits[limit];
    return drv_leave(code, CALL_COST);
}
API cuCtxSetLimit(int limit, size_t value)
{
    device *d;
    int code = drv_enter(&d);
    if (!code && (limit < 0 || limit >= LIMITS)) code = E_UnsupportedLimit;
    if (!code) d->limits[limit] = value;
    return drv_leave(code, CALL_COST);
}
/* Hints that a simulated card has no use for, but gives back. */
API cuCtxSetCacheConfig(int config)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) d->cache_config = config;
    return drv_leave(code, CALL_COST);
}
API cuCtxGetCacheConfig(int *config)
{
    device *d;
    int code = drv_enter(&d);
    if (!code && !config) code = E_InvalidValue;
    if (!code) *config = d->cache_config;
    return drv_leave(code, CALL_COST);
}
API cuCtxSetSharedMemConfig(int config)
{
    (void)config;
    return E_OK;
}
API cuCtxGetSharedMemConfig(int *config)
{
    if (!config) return E_InvalidValue;
    *config = 1;
    return E_OK;
}
API cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return E_OK;
}
API cuProfilerInitialize(const char *config, const char *output, int mode)
{
    (void)config, (void)output, (void)mode;
    return E_OK;
}
static int peer_access(void *context, bool on, bool valid)
{
    device *d;
    int code = drv_enter(&d);
    device *to = code ? NULL : handle_find(H_CONTEXT, context);
    const bool has = to && d->peers >> to->ordinal & 1;
    if (!code && (!to || to == d || !valid)) code = to ? E_InvalidValue : E_DeviceUninitialized;
    if (!code && has == on) code = on ? E_PeerAccessAlreadyEnabled : E_PeerAccessNotEnabled;
    if (!code) {
        d->peers ^= UINT64_C(1) << to->ordinal;
        code = region_peer(d, to, on);
    }
    return drv_leave(code, CALL_COST);
}
API cuCtxEnablePeerAccess(void *context, unsigned flags) { return peer_access(context, true, !flags); }
API cuCtxDisablePeerAccess(void *context) { return peer_access(context, false, true); }
API cuProfilerStart(void) { return E_OK; }
API cuProfilerStop(void) { return E_OK; }

/* ---- finding functions ---- */
/* The newest form of each function that we have; what is not there is not found. */
static void *find(const char *name)
{
    static void *me;
    Dl_info info;
    char full[160];
    if (!me && dladdr((void *)(uintptr_t)&initialised, &info)) me = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (!me || strncmp(name, "cu", 2)) return NULL;
    static const char *const forms[] = {"_v2", ""};
    for (int i = 0; i < 2; i++) {
        snprintf(full, sizeof full, "%s%s", name, forms[i]);
        void *at = dlsym(me, full);
        if (at && !drv_is_missing(full)) return at;
    }
    return NULL;
}
API cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
    (void)version;
    (void)flags;
    if (!name || !out) return E_InvalidValue;
    *out = find(name);
    if (status) *status = *out ? 0 : 1;
    return *out || status ? E_OK : E_SymbolNotFound; /* who reads the status is told by that alone */
}
API cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* A runtime of NVIDIA's in whose place ours could not step asks this: which one, and why. */
API cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    const char *path = "";
    uint64_t base;
    core_object_of(__builtin_return_address(0), &path, &base);
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    if (table) *table = NULL;
    core_begin();
    if (library_called(file)) library_note(file);
    else if (strncmp(file, "libnv", 5)) /* NVIDIA's compilers ask as well, and do without */
        record_refused("%s holds NVIDIA's runtime, and its symbol table was stripped, so that its calls cannot be sent "
                       "to ours: rebuild it without -s and strip, or with nvcc -cudart shared",
                       *file ? file : "the program");
    return core_end(E_SymbolNotFound, 0);
}
