/* pool_calls.h: the calls on pools of memory that driver and runtime share, with the words of
 * stream_calls.h. A pool is its device's memory, and always has room. */
typedef struct pool_place {
    int type, id; /* type 1: a device */
} pool_place;

static device *of_pool(void *pool, int *code)
{
    *code = core_begin();
    device *d = *code ? NULL : handle_find(H_POOL, pool);
    if (!*code && !d) *code = E_InvalidValue;
    return d;
}

API CALL(DeviceGetDefaultMemPool)(void **pool, int ordinal)
{
    int code = core_begin();
    device *d = code ? NULL : core_device(ordinal);
    if (!code && !d) code = E_InvalidDevice;
    if (!code && !pool) code = E_InvalidValue;
    if (!code && !d->pool && !(d->pool = handle_new(H_POOL, d))) code = E_MemoryAllocation;
    if (!code) *pool = d->pool;
    return LEAVE(code, CALL_COST);
}
API CALL(DeviceGetMemPool)(void **pool, int ordinal) { return CALL(DeviceGetDefaultMemPool)(pool, ordinal); }
API CALL(DeviceSetMemPool)(int ordinal, void *pool)
{
    int code;
    of_pool(pool, &code);
    if (!code && (ordinal < 0 || ordinal >= core_devices())) code = E_InvalidDevice;
    return LEAVE(code, CALL_COST);
}
API CALL(MemPoolCreate)(void **pool, const void *properties)
{
    const struct {
        int type, handles;
        pool_place where;
    } *of = properties;
    int code = core_begin();
    device *d = NULL;
    if (!code && (!pool || !of)) code = E_InvalidValue;
    if (!code && of->where.type != 1) code = E_NotSupported; /* memory of the host's */
    if (!code && !(d = core_device(of->where.id))) code = E_InvalidDevice;
    if (!code && !(*pool = handle_new(H_POOL, d))) code = E_MemoryAllocation;
    return LEAVE(code, CALL_COST);
}
API CALL(MemPoolDestroy)(void *pool)
{
    int code;
    const device *d = of_pool(pool, &code);
    if (!code && d->pool == pool) code = E_InvalidValue; /* the device's own */
    if (!code) handle_end(H_POOL, pool);
    return LEAVE(code, CALL_COST);
}
API CALL(MemPoolSetAttribute)(void *pool, int attribute, void *value)
{
    int code;
    device *d = of_pool(pool, &code);
    if (!code && !value) code = E_InvalidValue;
    if (!code && attribute >= 1 && attribute <= 3) {
        const unsigned bit = 1u << attribute;
        d->pool_off = *(const int *)value ? d->pool_off & ~bit : d->pool_off | bit;
    }
    if (!code && attribute == 4) d->pool_keeps = *(const uint64_t *)value;
    return LEAVE(code, CALL_COST);
}
API CALL(MemPoolGetAttribute)(void *pool, int attribute, void *value)
{
    int code;
    const device *d = of_pool(pool, &code);
    if (!code && !value) code = E_InvalidValue;
    if (!code && attribute >= 0 && attribute <= 3) *(int *)value = !(d->pool_off >> attribute & 1);
    else if (!code) *(uint64_t *)value = attribute >= 5 ? d->in_use : d->pool_keeps;
    return LEAVE(code, CALL_COST);
}
API CALL(MemPoolTrimTo)(void *pool, size_t bytes)
{
    int code;
    (void)bytes;
    of_pool(pool, &code);
    return LEAVE(code, CALL_COST);
}
API CALL(MemPoolSetAccess)(void *pool, const void *list, size_t count)
{
    const struct {
        pool_place who;
        int flags;
    } *one = list;
    int code;
    device *d = of_pool(pool, &code);
    if (!code && !list && count) code = E_InvalidValue;
    for (size_t i = 0; !code && i < count; i++) {
        device *who = one[i].who.type == 1 ? core_device(one[i].who.id) : NULL;
        if (!who) code = E_InvalidDevice;
        else if (who != d) code = region_peer(who, d, one[i].flags != 0);
    }
    return LEAVE(code, CALL_COST);
}
API CALL(MemPoolGetAccess)(int *flags, void *pool, const pool_place *who)
{
    enum { NOTHING = 0, READ_AND_WRITE = 3 };
    int code;
    const device *d = of_pool(pool, &code);
    if (!code && (!flags || !who)) code = E_InvalidValue;
    if (!code && (who->type != 1 || who->id < 0 || who->id >= core_devices())) code = E_InvalidDevice;
    if (!code) *flags = who->id == d->ordinal || d->sharers >> who->id & 1 ? READ_AND_WRITE : NOTHING;
    return LEAVE(code, CALL_COST);
}
