/* drv_virtual.c: reserving addresses and mapping memory there (core/virtual.c). */
#include "driver.h"

typedef struct location {
    int type, id;
} location;
typedef struct properties { /* CUmemAllocationProp */
    int type, handles;
    location where;
    void *windows;
    unsigned char flags[8];
} properties;
typedef struct access { /* CUmemAccessDesc */
    location where;
    unsigned flags;
} access;
enum { OF_DEVICE = 1, PINNED = 1, FILE_DESCRIPTOR = 1 };

static int property_device(const properties *p, device **d)
{
    if (!p || p->type != PINNED || p->where.type != OF_DEVICE) return E_InvalidValue;
    if (p->handles & ~FILE_DESCRIPTOR) return E_NotSupported;
    *d = core_device(p->where.id);
    return *d ? E_OK : E_InvalidDevice;
}

API cuMemGetAllocationGranularity(size_t *out, const properties *p, int option)
{
    device *d, *of;
    int code = drv_enter(&d);
    if (code == E_DeviceUninitialized) code = E_OK; /* needs no context */
    if (!code) code = out && option >= 0 && option <= 1 ? property_device(p, &of) : E_InvalidValue;
    if (!code) *out = VIRTUAL_GRANULE;
    return drv_leave(code, CALL_COST);
}
API cuMemAddressReserve(uint64_t *out, size_t bytes, size_t align, uint64_t wish, unsigned long long flags)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = out && !flags ? virtual_reserve(bytes, align, wish, out) : E_InvalidValue;
    return drv_leave(code, CALL_COST);
}
API cuMemAddressFree(uint64_t at, size_t bytes)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = virtual_unreserve(at, bytes);
    return drv_leave(code, CALL_COST);
}
API cuMemCreate(void **handle, size_t bytes, const properties *p, unsigned long long flags)
{
    device *d, *of = NULL;
    int code = drv_enter(&d);
    if (!code) code = handle && !flags ? property_device(p, &of) : E_InvalidValue;
    if (!code) code = physical_new(of, bytes, handle);
    return drv_leave(code, cost_alloc(d));
}
API cuMemRelease(void *handle)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = physical_end(handle);
    return drv_leave(code, CALL_COST);
}
API cuMemRetainAllocationHandle(void **handle, void *at)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = handle ? physical_at((uint64_t)(uintptr_t)at, handle) : E_InvalidValue;
    return drv_leave(code, CALL_COST);
}
API cuMemMap(uint64_t at, size_t bytes, size_t offset, void *handle, unsigned long long flags)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = flags ? E_InvalidValue : virtual_map(at, bytes, offset, handle);
    return drv_leave(code, CALL_COST);
}
API cuMemUnmap(uint64_t at, size_t bytes)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = virtual_unmap(at, bytes);
    return drv_leave(code, CALL_COST);
}
API cuMemSetAccess(uint64_t at, size_t bytes, const access *list, size_t count)
{
    device *d;
    int code = drv_enter(&d);
    if (!code && (!list || !count)) code = E_InvalidValue;
    for (size_t i = 0; !code && i < count; i++)
        code = list[i].where.type == OF_DEVICE ? virtual_access(at, bytes, list[i].where.id, list[i].flags)
                                               : E_NotSupported;
    return drv_leave(code, cost_alloc(d));
}
API cuMemGetAccess(unsigned long long *flags, const location *where, uint64_t at)
{
    device *d;
    bool may = false;
    int code = drv_enter(&d);
    if (!code && (!flags || !where || where->type != OF_DEVICE || where->id < 0 || where->id >= core_devices()))
        code = E_InvalidValue;
    if (!code) code = virtual_accessible(at, where->id, &may);
    if (!code) *flags = may ? 3 : 0;
    return drv_leave(code, CALL_COST);
}
API cuMemExportToShareableHandle(void *out, void *handle, int type, unsigned long long flags)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = !out || flags ? E_InvalidValue : type != FILE_DESCRIPTOR ? E_NotSupported : E_OK;
    if (!code) code = physical_export(handle, out);
    return drv_leave(code, CALL_COST);
}
API cuMemImportFromShareableHandle(void **handle, void *shared, int type)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) code = !handle ? E_InvalidValue : type != FILE_DESCRIPTOR ? E_NotSupported : E_OK;
    if (!code) code = physical_import((int)(intptr_t)shared, handle);
    return drv_leave(code, CALL_COST);
}
