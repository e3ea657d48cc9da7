/* drv_module.c: code: modules, libraries, linking, functions, launches. */
#include "driver.h"
#include <sys/stat.h>

/* ---- loading ---- */
static void option_logs(unsigned count, const int *options, void **values)
{
    for (unsigned i = 0; i < count && options && values; i++) {
        if ((options[i] == 3 || options[i] == 5) && values[i]) *(char *)values[i] = 0; /* an empty one ends at once */
        if (options[i] == 4 || options[i] == 6) values[i] = NULL;
    }
}
static int load(void **out, const void *data, size_t most, enum handle_kind kind)
{
    device *d;
    int code = drv_enter(&d);
    if (!code && (!out || !data)) code = E_InvalidValue;
    image *i = code ? NULL : image_new(data, most);
    if (!code) code = i ? image_load(i, d) : E_MemoryAllocation;
    if (!code && !(*out = handle_new(kind, i))) code = E_MemoryAllocation;
    if (code && i) image_end(i);
    return drv_leave(code, 100e-6);
}
API cuModuleLoadData(void **out, const void *data) { return load(out, data, 0, H_MODULE); }
API cuModuleLoadDataEx(void **out, const void *data, unsigned count, int *options, void **values)
{
    const int code = load(out, data, 0, H_MODULE);
    option_logs(count, options, values);
    return code;
}
API cuModuleLoadFatBinary(void **out, const void *data) { return load(out, data, 0, H_MODULE); }

static int load_file(void **out, const char *path, enum handle_kind kind)
{
    FILE *f = path ? fopen(path, "rb") : NULL;
    struct stat st;
    if (!f) return E_FileNotFound;
    char *data = fstat(fileno(f), &st) || st.st_size > 1 << 28 ? NULL : calloc(1, (size_t)st.st_size + 1);
    const bool whole = data && fread(data, 1, (size_t)st.st_size, f) == (size_t)st.st_size;
    fclose(f);
    const int code = whole ? load(out, data, (size_t)st.st_size, kind) : E_InvalidKernelImage;
    free(data); /* an image keeps the text that it found there */
    return code;
}
API cuModuleLoad(void **out, const char *path) { return load_file(out, path, H_MODULE); }

static image *module_of(void *handle) { return handle_find(H_MODULE, handle); }
image *drv_module(void *handle) { return module_of(handle); }

API cuModuleUnload(void *handle)
{
    device *d;
    int code = drv_enter(&d);
    image *i = code ? NULL : module_of(handle);
    if (!code && !i) code = E_InvalidResourceHandle;
    if (!code) {
        image_end(i);
        handle_end(H_MODULE, handle);
    }
    return drv_leave(code, CALL_COST);
}
static int get_function(void **out, void *handle, const char *name)
{
    device *d;
    int code = drv_enter(&d);
    image *i = code ? NULL : module_of(handle);
    const sim_kernel *k;
    if (!code && (!out || !name)) code = E_InvalidValue;
    if (!code && !i) code = E_InvalidResourceHandle;
    function *f = code ? NULL : image_function(i, name);
    if (!code) code = f ? function_resolve(f, d, &k) : E_MemoryAllocation;
    if (!code) *out = f->handle;
    return drv_leave(code == E_InvalidDeviceFunction ? E_SymbolNotFound : code, CALL_COST);
}
API cuModuleGetFunction(void **out, void *handle, const char *name) { return get_function(out, handle, name); }
API cuModuleGetGlobal_v2(uint64_t *at, size_t *bytes, void *handle, const char *name)
{
    device *d;
    int code = drv_enter(&d);
    image *i = code ? NULL : module_of(handle);
    uint64_t where = 0, size = 0;
    if (!code) code = i && name ? image_symbol(i, d, name, &where, &size) : E_InvalidResourceHandle;
    if (!code && at) *at = where;
    if (!code && bytes) *bytes = size;
    return drv_leave(code, CALL_COST);
}
API cuModuleGetLoadingMode(int *mode)
{
    if (mode) *mode = 2;
    return E_OK;
}

/* ---- libraries: modules that belong to no context ---- */
API cuLibraryLoadData(void **out, const void *data, void *jit, void **jit_values, unsigned jit_count, void *options,
                      void **values, unsigned count)
{
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return load(out, data, 0, H_MODULE);
}
API cuLibraryLoadFromFile(void **out, const char *path, void *jit, void **jit_values, unsigned jit_count, void *options,
                          void **values, unsigned count)
{
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return load_file(out, path, H_MODULE);
}
API cuLibraryUnload(void *handle) { return cuModuleUnload(handle); }
API cuLibraryGetKernel(void **out, void *handle, const char *name) { return get_function(out, handle, name); }
API cuLibraryGetModule(void **out, void *handle)
{
    if (!out) return E_InvalidValue;
    *out = handle;
    return E_OK;
}
API cuLibraryGetGlobal(uint64_t *at, size_t *bytes, void *handle, const char *name)
{
    return cuModuleGetGlobal_v2(at, bytes, handle, name);
}
API cuKernelGetFunction(void **out, void *kernel)
{
    if (!out) return E_InvalidValue;
    *out = kernel;
    return E_OK;
}

/* ---- linking: PTX stays PTX ---- */
static linker *link_of(void *state)
{
    core_begin();
    linker *l = handle_find(H_LINK, state);
    core_end(E_OK, 0);
    return l;
}
API cuLinkCreate_v2(unsigned count, int *options, void **values, void **out)
{
    if (!out) return E_InvalidValue;
    linker *l = linker_new();
    core_begin();
    *out = l ? handle_new(H_LINK, l) : NULL;
    core_end(E_OK, 0);
    if (!*out) linker_end(l);
    option_logs(count, options, values);
    return *out ? E_OK : E_MemoryAllocation;
}
API cuLinkAddData_v2(void *state, int type, const void *data, size_t bytes, const char *name, unsigned count,
                     void *options, void **values)
{
    (void)type, (void)count, (void)options, (void)values;
    linker *l = link_of(state);
    return !l ? E_InvalidResourceHandle : data ? linker_add(l, data, bytes, name) : E_InvalidValue;
}
API cuLinkAddFile_v2(void *state, int type, const char *path, unsigned count, void *options, void **values)
{
    (void)type, (void)count, (void)options, (void)values;
    linker *l = link_of(state);
    return !l ? E_InvalidResourceHandle : path ? linker_add_file(l, path) : E_InvalidValue;
}
API cuLinkComplete(void *state, void **out, size_t *bytes)
{
    const char *text = NULL;
    size_t size = 0;
    linker *l = link_of(state);
    const int code = !l ? E_InvalidResourceHandle : out ? linker_done(l, &text, &size) : E_InvalidValue;
    if (!code) *out = (void *)(uintptr_t)text;
    if (!code && bytes) *bytes = size;
    return code;
}
API cuLinkDestroy(void *state)
{
    core_begin();
    linker *l = handle_find(H_LINK, state);
    if (l) handle_end(H_LINK, state);
    core_end(E_OK, 0);
    linker_end(l);
    return l ? E_OK : E_InvalidResourceHandle;
}

/* ---- functions ---- */
enum { F_MAX_THREADS, F_SHARED, F_CONST, F_LOCAL, F_REGISTERS, F_PTX, F_BINARY, F_CACHE, F_MAX_DYNAMIC, F_CARVEOUT };

API cuFuncGetAttribute(int *value, int attribute, void *handle)
{
    device *d;
    int code = drv_enter(&d);
    function *f = code ? NULL : handle_find(H_FUNCTION, handle);
    const sim_kernel *k = NULL;
    if (!code) code = !value ? E_InvalidValue : f ? function_resolve(f, d, &k) : E_InvalidResourceHandle;
    if (code) return drv_leave(code, CALL_COST);
    const sim_card *c = core_card_of(d);
    const int plain = c->shared_per_block < 48 << 10 ? c->shared_per_block : 48 << 10;
    switch (attribute) {
    case F_MAX_THREADS: *value = function_most_threads(c, k); break;
    case F_SHARED: *value = (int)k->shared_bytes; break;
    case F_LOCAL: *value = (int)k->local_bytes; break;
    case F_REGISTERS: *value = k->registers; break;
    case F_PTX: *value = f->image->target; break;
    case F_BINARY: *value = c->cc_major * 10 + c->cc_minor; break;
    case F_MAX_DYNAMIC: *value = f->dynamic_shared ? f->dynamic_shared : plain - (int)k->shared_bytes; break;
    case F_CARVEOUT: *value = f->carveout; break;
    default:
        if (attribute < 0 || attribute > FUNCTION_CLUSTER_POLICY) code = E_InvalidValue;
        else *value = function_get_cluster(f, k, attribute);
    }
    return drv_leave(code, CALL_COST);
}
API cuKernelGetAttribute(int *value, int attribute, void *kernel, int ordinal)
{
    (void)ordinal;
    return cuFuncGetAttribute(value, attribute, kernel);
}
API cuFuncSetAttribute(void *handle, int attribute, int value)
{
    device *d;
    int code = drv_enter(&d);
    function *f = code ? NULL : handle_find(H_FUNCTION, handle);
    if (!code && !f) code = E_InvalidResourceHandle;
    if (!code && attribute == F_MAX_DYNAMIC) {
        if (value < 0 || value > core_card_of(d)->shared_per_block) code = E_InvalidValue;
        else f->dynamic_shared = value;
    }
    if (!code && attribute == F_CARVEOUT) f->carveout = value;
    if (!code && attribute >= FUNCTION_CLUSTER && attribute <= FUNCTION_CLUSTER_POLICY) {
        const sim_kernel *k = NULL;
        code = function_resolve(f, d, &k);
        if (!code) code = function_set_cluster(f, k, attribute, value);
    } else if (!code && attribute != F_MAX_DYNAMIC && attribute != F_CARVEOUT) {
        code = E_InvalidValue;
    }
    return drv_leave(code, CALL_COST);
}
API cuKernelSetAttribute(int attribute, int value, void *kernel, int ordinal)
{
    (void)ordinal;
    return cuFuncSetAttribute(kernel, attribute, value);
}
API cuFuncSetCacheConfig(void *handle, int config)
{
    (void)config;
    return handle_find(H_FUNCTION, handle) ? E_OK : E_InvalidResourceHandle;
}
API cuFuncSetSharedMemConfig(void *handle, int config) { return cuFuncSetCacheConfig(handle, config); }
API cuFuncGetName(const char **name, void *handle)
{
    const function *f = handle_find(H_FUNCTION, handle);
    if (f) *name = f->name;
    return f ? E_OK : E_InvalidResourceHandle;
}
API cuKernelGetName(const char **name, void *handle) { return cuFuncGetName(name, handle); }

/* ---- launching ---- */
static int launch(void *handle, const unsigned grid[3], const unsigned block[3], unsigned shared, void *stream_handle,
                  void **params, void **extra, const launch_config *asked)
{
    device *d;
    stream *st;
    int code = drv_enter_stream(&d, stream_handle, &st);
    function *f = code ? NULL : handle_find(H_FUNCTION, handle);
    if (!code && !f) code = E_InvalidResourceHandle;
    if (!code && params && extra) code = E_InvalidValue;
    const void *whole = NULL;
    size_t bytes = 0;
    for (void **e = extra; !code && e && *e; e += 2) { /* 1: the block of parameters, 2: where its size is */
        if (e[0] == (void *)1) whole = e[1];
        else if (e[0] == (void *)2) bytes = *(const size_t *)e[1];
        else code = E_InvalidValue;
    }
    launch_config c = *asked;
    c.f = f;
    c.shared = shared;
    memcpy(c.grid, grid, sizeof c.grid);
    memcpy(c.block, block, sizeof c.block);
    if (!code) code = submit_launch(st, &c, params, whole, bytes);
    return drv_leave(launch_answer(&c, code), cost_launch(d));
}
static const launch_config not_asked; /* as the kernel says */
API cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *st, void **params, void **extra)
{
    return launch(f, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, shared, st, params, extra, &not_asked);
}
API cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                              unsigned shared, void *st, void **params)
{
    return launch(f, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, shared, st, params, NULL,
                  &(launch_config){.cooperative = true});
}
typedef struct drv_launch {
    unsigned grid[3], block[3], shared;
    void *stream;
    launch_attribute *attributes;
    unsigned count;
} drv_launch;
API cuLaunchKernelEx(const drv_launch *l, void *f, void **params, void **extra)
{
    if (!l) return E_InvalidValue;
    launch_config asked = {0};
    launch_asked(&asked, l->attributes, l->count);
    return launch(f, l->grid, l->block, l->shared, l->stream, params, extra, &asked);
}

/* ---- occupancy ---- */
static int about_clusters(int *out, void *handle, const drv_launch *l,
                          int (*find)(device *, const launch_config *, int *))
{
    device *d;
    int code = drv_enter(&d);
    function *f = code ? NULL : handle_find(H_FUNCTION, handle);
    if (!code && (!out || !l)) code = E_InvalidValue;
    if (!code && !f) code = E_InvalidResourceHandle;
    if (code) return drv_leave(code, CALL_COST);
    launch_config c = {.f = f, .shared = l->shared};
    memcpy(c.grid, l->grid, sizeof c.grid);
    memcpy(c.block, l->block, sizeof c.block);
    launch_asked(&c, l->attributes, l->count);
    return drv_leave(find(d, &c, out), CALL_COST);
}
API cuOccupancyMaxActiveClusters(int *clusters, void *f, const drv_launch *l)
{
    return about_clusters(clusters, f, l, occupancy_clusters);
}
API cuOccupancyMaxPotentialClusterSize(int *size, void *f, const drv_launch *l)
{
    return about_clusters(size, f, l, occupancy_largest_cluster);
}
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *handle, int threads, size_t shared)
{
    device *d;
    int code = drv_enter(&d);
    function *f = code ? NULL : handle_find(H_FUNCTION, handle);
    sim_occupancy o = {0};
    if (!code && (!blocks || threads <= 0)) code = E_InvalidValue;
    if (!code) code = f ? occupancy_blocks(d, f, (uint32_t)threads, (uint32_t)shared, &o) : E_InvalidResourceHandle;
    if (!code) *blocks = o.blocks;
    return drv_leave(code, CALL_COST);
}
API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *handle, int threads, size_t shared,
                                                         unsigned flags)
{
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, threads, shared);
}
/* The block size with which most threads are resident. */
API cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *handle, size_t (*shared_of)(int), size_t shared,
                                     int limit)
{
    device *d;
    int code = drv_enter(&d);
    function *f = code ? NULL : handle_find(H_FUNCTION, handle);
    if (!code && (!f || !grid || !block)) code = E_InvalidValue;
    int best = 0, most = 0, least = 0;
    const sim_card *c = core_card_of(d);
    const int top = limit > 0 && limit < c->max_threads_per_block ? limit : c->max_threads_per_block;
    for (int size = top; !code && size > 0; size -= size % 32 ? size % 32 : 32) {
        sim_occupancy o;
        code = occupancy_blocks(d, f, (uint32_t)size, (uint32_t)(shared_of ? shared_of(size) : shared), &o);
        if (!code && o.blocks * size > most) most = o.blocks * size, best = size, least = o.blocks;
    }
    if (!code) *block = best, *grid = least * c->multiprocessors;
    return drv_leave(code, CALL_COST);
}
API cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *handle, size_t (*shared_of)(int),
                                              size_t shared, int limit, unsigned flags)
{
    (void)flags;
    return cuOccupancyMaxPotentialBlockSize(grid, block, handle, shared_of, shared, limit);
}
