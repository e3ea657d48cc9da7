/* rt_device.c: devices, their properties and limits, errors and versions. */
#include "runtime.h"

static _Thread_local int last;

int enter(device **d)
{
    int code = core_begin();
    *d = code ? NULL : core_current();
    if (!code && !*d) code = core_devices() ? E_MemoryAllocation : E_NoDevice;
    if (!code && !(*d)->runtime_keeps) (*d)->runtime_keeps = true, (*d)->retained++;
    return code ? code : core_fault(*d);
}

int as_told(int code)
{
    /* CUDA 13 has one code for every launch that cannot be */
    return code == E_InvalidConfiguration && runtime_version >= 13000 ? E_InvalidValue : code;
}

int fail(int code)
{
    code = as_told(code);
    if (code && code != E_NotReady) last = code;
    return code;
}

int leave(int code, double cost)
{
    core_end(code, cost);
    return fail(code);
}

/* ---- errors ---- */
API cudaGetLastError(void)
{
    const int code = last;
    last = E_OK;
    record_error_read();
    return code;
}
API cudaPeekAtLastError(void)
{
    record_error_read();
    return last;
}
int last_error_peek(void) { return last; }

PUBLIC const char *cudaGetErrorName(int code)
{
    const char *name = core_error_name(code, false);
    return name ? name : "unrecognized error code";
}

PUBLIC const char *cudaGetErrorString(int code)
{
    const char *text = core_error_text(code);
    return text ? text : "unrecognized error code";
}

/* ---- versions ---- */
API cudaRuntimeGetVersion(int *version)
{
    if (!version) return fail(E_InvalidValue);
    *version = runtime_version;
    return E_OK;
}
API cudaDriverGetVersion(int *version)
{
    if (!version) return fail(E_InvalidValue);
    *version = 13000;
    return E_OK;
}

/* ---- devices ---- */
API cudaGetDeviceCount(int *count)
{
    int code = core_begin();
    if (!count) code = code ? code : E_InvalidValue;
    else *count = code ? 0 : core_devices();
    if (!code && !core_devices()) code = E_NoDevice;
    return leave(code, CALL_COST);
}

API cudaSetDevice(int ordinal)
{
    int code = core_begin();
    if (!code) code = core_choose(ordinal);
    if (!code && !core_current()) code = E_MemoryAllocation;
    return leave(code, CALL_COST);
}
API cudaInitDevice(int ordinal, unsigned device_flags, unsigned flags)
{
    (void)device_flags;
    (void)flags;
    int code = core_begin();
    if (!code && !core_device(ordinal)) code = E_InvalidDevice;
    return leave(code, CALL_COST);
}

API cudaGetDevice(int *ordinal)
{
    int code = core_begin();
    if (!ordinal) code = code ? code : E_InvalidValue;
    else *ordinal = core_current_ordinal();
    return leave(code, CALL_COST);
}

API cudaSetDeviceFlags(unsigned flags)
{
    device *d;
    int code = enter(&d);
    if (!code && flags & ~(7u | 8u | 16u | 128u)) code = E_InvalidValue; /* schedule, map, keep local, sync copies */
    if (!code) d->flags = flags;
    return leave(code, CALL_COST);
}
API cudaGetDeviceFlags(unsigned *flags)
{
    device *d;
    int code = enter(&d);
    if (!flags) code = E_InvalidValue;
    else if (!code) *flags = d->flags | 8;
    return leave(code, CALL_COST);
}
API cudaSetValidDevices(int *list, int count)
{
    (void)list;
    return fail(count < 0 ? E_InvalidValue : E_OK);
}

API cudaDeviceGetAttribute(int *value, int attribute, int ordinal)
{
    int code = core_begin();
    if (!code) code = value ? core_attribute(ordinal, attribute, value) : E_InvalidValue;
    return leave(code, CALL_COST);
}

API cudaDeviceSynchronize(void)
{
    device *d;
    int code = enter(&d);
    if (!code) code = wait_device(d);
    return leave(code, CALL_COST);
}

API cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

API cudaDeviceReset(void)
{
    device *d;
    int code = enter(&d);
    if (d) code = core_reset(d);
    return leave(code, CALL_COST);
}

API cudaThreadExit(void) { return cudaDeviceReset(); }

API cudaDeviceSetLimit(int limit, size_t value)
{
    enum { STACK, STACK_MOST = 512 << 10 /* the local memory that a thread can have */ };
    device *d;
    int code = enter(&d);
    if (!code && (limit < 0 || limit >= LIMITS)) code = E_InvalidValue;
    if (!code && limit == STACK && value > STACK_MOST) code = E_InvalidValue;
    if (!code) d->limits[limit] = value;
    return leave(code, CALL_COST);
}
API cudaDeviceGetLimit(size_t *value, int limit)
{
    device *d;
    int code = enter(&d);
    if (!code && (limit < 0 || limit >= LIMITS)) code = E_InvalidValue;
    if (!code && !value) code = E_InvalidValue;
    if (!code) *value = d->limits[limit];
    return leave(code, CALL_COST);
}

API cudaThreadSetLimit(int limit, size_t value) { return cudaDeviceSetLimit(limit, value); }

/* Hints that a simulated card has no use for, but gives back. */
API cudaDeviceSetCacheConfig(int config)
{
    enum { CACHE_CONFIGS = 4 };
    device *d;
    int code = enter(&d);
    if (!code && (config < 0 || config >= CACHE_CONFIGS)) code = E_InvalidValue;
    if (!code) d->cache_config = config;
    return leave(code, CALL_COST);
}
API cudaDeviceGetCacheConfig(int *config)
{
    device *d;
    int code = enter(&d);
    if (!code && config) *config = d->cache_config;
    return leave(code, CALL_COST);
}
API cudaDeviceSetSharedMemConfig(int config)
{
    device *d;
    int code = enter(&d);
    if (!code) d->shared_config = config;
    return leave(code, CALL_COST);
}
API cudaDeviceGetSharedMemConfig(int *config)
{
    device *d;
    int code = enter(&d);
    if (!code && config) *config = d->shared_config ? d->shared_config : 1;
    return leave(code, CALL_COST);
}

API cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return E_OK;
}

API cudaDeviceGetPCIBusId(char *text, int size, int ordinal)
{
    int code = core_begin();
    if (!code && (ordinal < 0 || ordinal >= core_devices())) code = E_InvalidDevice;
    if (!code && (!text || size < 13)) code = E_InvalidValue;
    if (!code) snprintf(text, (size_t)size, "0000:%02X:00.0", ordinal + 1);
    return leave(code, CALL_COST);
}
API cudaDeviceGetByPCIBusId(int *ordinal, const char *text)
{
    int code = core_begin();
    unsigned domain, bus = 0;
    if (!code && (!ordinal || !text || sscanf(text, "%x:%x", &domain, &bus) != 2)) code = E_InvalidValue;
    if (!code && (!bus || (int)bus > core_devices())) code = E_InvalidDevice;
    if (!code) *ordinal = (int)bus - 1;
    return leave(code, CALL_COST);
}

/* ---- properties: one list, a shape for each version ---- */
#define MEMBER(type, name, dims, attribute) type name dims;
#define NO_MEMBER(type, name, dims, attribute)
typedef struct props_all {
#define ALL    MEMBER
#define OLD    MEMBER
#define NEW    MEMBER
#define NEWEST MEMBER
#include "props.def"
} props_all;
#undef NEWEST
#define NEWEST NO_MEMBER
typedef struct props_12 {
#include "props.def"
    int reserved[63];
} props_12;
#undef NEW
#define NEW NO_MEMBER
typedef struct props_11 {
#include "props.def"
} props_11;
#undef OLD
#undef NEW
#undef NEWEST
#define OLD    NO_MEMBER
#define NEW    MEMBER
#define NEWEST MEMBER
typedef struct props_13 {
#include "props.def"
    int reserved[56];
} props_13;
#undef ALL
#undef OLD
#undef NEW
#undef NEWEST
_Static_assert(sizeof(props_13) == 1008, "as CUDA 13 has it");
_Static_assert(sizeof(props_12) == 1032, "as CUDA 12 has it");

static int fill_props(props_all *p, int ordinal)
{
    sim_card c;
    memset(p, 0, sizeof *p);
    const int code = core_card(ordinal, &c);
    if (code) return code;
#define SET(type, name, dims, attribute)                                 \
    if ((attribute) >= 0)                                                \
        for (size_t i = 0; i < sizeof p->name / sizeof(type); i++) {     \
            int v = 0;                                                   \
            core_attribute(ordinal, (attribute) + (int)i, &v);           \
            const type as = (type)v;                                     \
            memcpy((char *)&p->name + i * sizeof(type), &as, sizeof as); \
        }
#define ALL    SET
#define OLD    SET
#define NEW    SET
#define NEWEST SET
#include "props.def"
#undef ALL
#undef OLD
#undef NEW
#undef NEWEST
    snprintf(p->name, sizeof p->name, "%s%s", strncmp(c.title, "NVIDIA", 6) ? "NVIDIA " : "", c.title);
    p->totalGlobalMem[0] = c.memory_bytes;
    p->uuid[0] = 'w', p->uuid[1] = 's', p->uuid[15] = (char)ordinal;
    return E_OK;
}

/* The members that both have, one by one. */
#define COPY(type, name, dims, attribute) memcpy(&out->name, &p->name, sizeof out->name);
#define NO_COPY(type, name, dims, attribute)
#define ALL    COPY
#define OLD    COPY
#define NEW    NO_COPY
#define NEWEST NO_COPY
static void props_to_11(props_11 *out, const props_all *p)
{
    memset(out, 0, sizeof *out);
#include "props.def"
}
#undef NEW
#define NEW COPY
static void props_to_12(props_12 *out, const props_all *p)
{
    memset(out, 0, sizeof *out);
#include "props.def"
}
#undef OLD
#undef NEWEST
#define OLD    NO_COPY
#define NEWEST COPY
static void props_to_13(props_13 *out, const props_all *p)
{
    memset(out, 0, sizeof *out);
#include "props.def"
}

API cudaGetDeviceProperties(void *out, int ordinal)
{
    int code = core_begin();
    props_all p;
    if (!code) code = out ? fill_props(&p, ordinal) : E_InvalidValue;
    if (!code && runtime_version >= 13000) props_to_13(out, &p);
    else if (!code) props_to_11(out, &p);
    return leave(code, CALL_COST);
}

API cudaGetDeviceProperties_v2(void *out, int ordinal)
{
    int code = core_begin();
    props_all p;
    if (!code) code = out ? fill_props(&p, ordinal) : E_InvalidValue;
    if (!code) props_to_12(out, &p);
    return leave(code, CALL_COST);
}

API cudaChooseDevice(int *ordinal, const void *wanted)
{
    (void)wanted;
    if (!ordinal) return fail(E_InvalidValue);
    *ordinal = 0;
    return E_OK;
}

/* ---- peers ---- */
API cudaDeviceCanAccessPeer(int *can, int from, int to)
{
    int code = core_begin();
    if (!code && (from < 0 || to < 0 || from >= core_devices() || to >= core_devices())) code = E_InvalidDevice;
    if (!code && can) *can = from != to;
    return leave(code, CALL_COST);
}
API cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    device *d;
    int code = enter(&d);
    device *to = code ? NULL : core_device(peer);
    if (!code && (!to || to == d)) code = to ? E_PeerAccessUnsupported : E_InvalidDevice;
    if (!code && flags) code = E_InvalidValue;
    if (!code && d->peers >> peer & 1) code = E_PeerAccessAlreadyEnabled;
    if (!code) {
        d->peers |= UINT64_C(1) << peer;
        code = region_peer(d, to, true);
    }
    return leave(code, CALL_COST);
}
API cudaDeviceDisablePeerAccess(int peer)
{
    device *d;
    int code = enter(&d);
    device *to = code ? NULL : core_device(peer);
    if (!code && !to) code = E_InvalidDevice;
    if (!code && !(d->peers >> peer & 1)) code = E_PeerAccessNotEnabled;
    if (!code) {
        d->peers &= ~(UINT64_C(1) << peer);
        code = region_peer(d, to, false);
    }
    return leave(code, CALL_COST);
}
API cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    (void)from;
    (void)to;
    if (value) *value = attribute == 2 || attribute == 4;
    return E_OK;
}

API cudaProfilerStart(void) { return E_OK; }
API cudaProfilerStop(void) { return E_OK; }
API cudaCtxResetPersistingL2Cache(void) { return E_OK; }

/* ---- functions of the driver ---- */
PUBLIC int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);
static int driver_function(const char *name, void **out, int *status)
{
    int found = 0;
    device *d;
    int code = enter(&d);
    if (!code && (!name || !out)) code = E_InvalidValue;
    if (!code) cuGetProcAddress_v2(name, out, face_version, 0, &found);
    if (!code && status) *status = found;
    return leave(code, CALL_COST);
}
/* Before CUDA 12 there was no status. */
API cudaGetDriverEntryPoint(const char *name, void **out, uint64_t flags, int *status)
{
    (void)flags;
    return driver_function(name, out, runtime_version < 12000 ? NULL : status);
}
API cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, uint64_t flags, int *status)
{
    (void)version;
    (void)flags;
    return driver_function(name, out, status);
}
API cudaGetDriverEntryPoint_ptsz(const char *name, void **out, uint64_t flags, int *status)
{
    return cudaGetDriverEntryPoint(name, out, flags, status);
}
API cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **out, unsigned version, uint64_t flags, int *status)
{
    return cudaGetDriverEntryPointByVersion(name, out, version, flags, status);
}
