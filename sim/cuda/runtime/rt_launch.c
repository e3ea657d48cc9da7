/* rt_launch.c: what compilers put into the host's code: registering images, functions and variables, and
 * launching; then what can be asked of a function. */
#include "runtime.h"

/* ---- from addresses of the host to what they stand for: a table, by hashing ---- */
typedef struct entry {
    const void *host;
    function *function;
    variable *variable;
} entry;
static entry *table;
static size_t used, room; /* room: a power of two */

static entry *slot_of(const void *host)
{
    size_t i = ((uintptr_t)host >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (room - 1);
    while (table[i].host && table[i].host != host) i = (i + 1) & (room - 1);
    return &table[i];
}

static entry *entry_for(const void *host)
{
    if (2 * used >= room) {
        entry *old = table;
        const size_t before = room;
        entry *more = calloc(room ? room * 2 : 256, sizeof *more);
        if (!more) return NULL;
        table = more;
        room = room ? room * 2 : 256;
        for (size_t i = 0; i < before; i++)
            if (old[i].host) *slot_of(old[i].host) = old[i];
        free(old);
    }
    entry *e = slot_of(host);
    if (!e->host) used++;
    e->host = host;
    return e;
}

function *function_of(const void *host)
{
    function *f = handle_find(H_FUNCTION, host); /* a cudaKernel_t is accepted where a function is */
    if (f) return f;
    const entry *e = room && host ? slot_of(host) : NULL;
    return e && e->host ? e->function : NULL;
}

variable *variable_of(const void *host, int *code)
{
    const entry *e = room && host ? slot_of(host) : NULL;
    variable *v = e && e->host ? e->variable : NULL;
    *code = v ? E_OK : E_InvalidSymbol;
    return v;
}

int symbol_at(const void *host, device *d, uint64_t *at, uint64_t *bytes)
{
    int code;
    const variable *v = variable_of(host, &code);
    if (!v) { /* a __managed__ variable's address is that of the memory itself */
        const region *r = region_find((uint64_t)(uintptr_t)host);
        if (!r || r->kind != R_MANAGED) return code;
        *at = r->at;
        *bytes = r->bytes;
        return E_OK;
    }
    code = image_symbol(v->image, d, v->name, at, bytes);
    return code == E_SymbolNotFound ? E_InvalidSymbol : code;
}

/* ---- registering ---- */
PUBLIC void **__cudaRegisterFatBinary(void *wrapper);
PUBLIC void **__cudaRegisterFatBinary(void *wrapper)
{
    void **handle = calloc(1, sizeof *handle);
    if (handle) *handle = image_new(wrapper, 0);
    return handle;
}
PUBLIC void __cudaRegisterFatBinaryEnd(void **handle);
/* All of its variables are known. The first values of managed ones are in the image: the host may look
 * at once. */
PUBLIC void __cudaRegisterFatBinaryEnd(void **handle)
{
    image *i = handle ? *handle : NULL;
    if (!i || !image_has_managed(i)) return;
    int code = core_begin();
    if (!code) code = image_load(i, core_device(0));
    core_end(code, 0);
}
PUBLIC void __cudaUnregisterFatBinary(void **handle);
PUBLIC void __cudaUnregisterFatBinary(void **handle) { (void)handle; /* the process ends */ }
PUBLIC char __cudaInitModule(void **handle);
PUBLIC char __cudaInitModule(void **handle)
{
    __cudaRegisterFatBinaryEnd(handle);
    return 1;
}

PUBLIC void __cudaRegisterFunction(void **handle, const char *host, char *device_name, const char *name, int limit,
                                   void *tid, void *bid, void *block, void *grid, int *warp);
PUBLIC void __cudaRegisterFunction(void **handle, const char *host, char *device_name, const char *name, int limit,
                                   void *tid, void *bid, void *block, void *grid, int *warp)
{
    (void)device_name, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    pthread_mutex_lock(&core_lock);
    entry *e = handle && *handle ? entry_for(host) : NULL;
    if (e) e->function = image_function(*handle, name);
    pthread_mutex_unlock(&core_lock);
}

static variable *add_variable(image *i, const void *host, const char *name, size_t bytes)
{
    entry *e = i ? entry_for(host) : NULL;
    variable *v = e ? calloc(1, sizeof *v) : NULL;
    if (!v) return NULL;
    v->image = i;
    v->bytes = bytes;
    v->name = strdup(name);
    return e->variable = v;
}

/* Programs that clang built with headers of ours say where their managed variables are, before they
 * register them. */
static const char *managed[2];
PUBLIC void __cudaWarpstepManaged(char *from, char *to);
PUBLIC void __cudaWarpstepManaged(char *from, char *to)
{
    managed[0] = from;
    managed[1] = to;
}

PUBLIC void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext, size_t bytes,
                              int constant, int global);
PUBLIC void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext, size_t bytes,
                              int constant, int global)
{
    (void)address, (void)ext, (void)constant, (void)global;
    image *i = handle ? *handle : NULL;
    if (i && host >= managed[0] && host < managed[1]) {
        uint64_t at = (uint64_t)(uintptr_t)host;
        int code = core_begin();
        if (!code) code = image_add_managed(i, name, bytes ? bytes : 1, &at);
        core_end(code, 0);
        return;
    }
    add_variable(i, host, name, bytes);
}
PUBLIC void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
PUBLIC void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
    add_variable(handle ? *handle : NULL, host, name, bytes);
}

/* The host's code reaches the variable through *at_host. */
PUBLIC void __cudaRegisterManagedVar(void **handle, void **at_host, char *address, const char *name, int ext,
                                     size_t bytes, int constant, int global);
PUBLIC void __cudaRegisterManagedVar(void **handle, void **at_host, char *address, const char *name, int ext,
                                     size_t bytes, int constant, int global)
{
    (void)address, (void)ext, (void)constant, (void)global;
    uint64_t at = 0;
    image *i = handle ? *handle : NULL;
    if (!i) return;
    int code = core_begin();
    if (!code) code = image_add_managed(i, name, bytes ? bytes : 1, &at);
    if (!code) *at_host = (void *)(uintptr_t)at;
    core_end(code, 0);
}

/* Texture references of programs from before CUDA 12 */
PUBLIC void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name, int dim,
                                  int norm, int ext);
PUBLIC void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name, int dim,
                                  int norm, int ext)
{
    (void)address, (void)dim, (void)norm, (void)ext;
    add_variable(handle ? *handle : NULL, host, name, 0);
}
PUBLIC void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name, int dim,
                                  int ext);
PUBLIC void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name, int dim,
                                  int ext)
{
    (void)address, (void)dim, (void)ext;
    add_variable(handle ? *handle : NULL, host, name, 0);
}

/* ---- launching ---- */
typedef struct configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configuration;
enum { NESTED = 16 };
static _Thread_local configuration pushed[NESTED];
static _Thread_local int depth;
static _Thread_local bool unseen; /* what launches next is <<<>>>, which has no value */

PUBLIC unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *st);
PUBLIC unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *st)
{
    if (depth == NESTED) return 1;
    pushed[depth++] = (configuration){grid, block, shared, st};
    return 0;
}
PUBLIC int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *st);
PUBLIC int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *st)
{
    if (!depth) return fail(E_MissingConfiguration);
    const configuration *c = &pushed[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(void **)st = c->stream;
    unseen = true;
    return E_OK;
}

/* Why there is no such kernel. Since 13 an address that nobody registered is taken for a handle, and a kernel that the
 * code lacks for a symbol: what an H200 answers. */
static int lacks_kernel(const void *func, const function *f)
{
    if (runtime_version < 13000 || !func) return E_InvalidDeviceFunction;
    return f ? E_SymbolNotFound : E_InvalidResourceHandle;
}
/* With the lock: the kernel of that address, on the device. */
static int resolve(const void *func, device *d, function **f, const sim_kernel **k)
{
    *f = function_of(func);
    const int code = *f ? function_resolve(*f, d, k) : E_InvalidDeviceFunction;
    return code == E_InvalidDeviceFunction ? lacks_kernel(func, *f) : code;
}

static int run(const void *func, dim3 grid, dim3 block, void **args, size_t shared, void *stream_handle,
               const launch_config *asked)
{
    device *d;
    int code = enter(&d);
    stream *st = code ? NULL : stream_find(stream_handle);
    function *f = code ? NULL : function_of(func);
    if (!code && !st) code = launch_refuse(E_InvalidResourceHandle, "there is no such stream");
    if (!code && !f) code = launch_refuse(lacks_kernel(func, f), "there is no such kernel");
    if (!code && shared > UINT32_MAX)
        code = launch_refuse(E_InvalidValue, "blocks with %zu bytes of shared memory", shared);
    launch_config c = *asked;
    c.unseen = unseen;
    unseen = false;
    c.f = f;
    c.shared = (uint32_t)shared;
    c.grid[0] = grid.x, c.grid[1] = grid.y, c.grid[2] = grid.z;
    c.block[0] = block.x, c.block[1] = block.y, c.block[2] = block.z;
    if (!code) code = submit_launch(st, &c, args, NULL, 0);
    if (f && code == E_InvalidDeviceFunction) code = lacks_kernel(func, f);
    return leave(launch_answer(&c, as_told(code)), cost_launch(d));
}
static const launch_config not_asked; /* as the kernel says */

API cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, void *st)
{
    return run(func, grid, block, args, shared, st, &not_asked);
}
API cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, void *st)
{
    return run(func, grid, block, args, shared, st, &(launch_config){.cooperative = true});
}
API cudaLaunchKernelExC(const launch_request *r, const void *func, void **args)
{
    if (!r) return fail(E_InvalidValue);
    launch_config asked = {0};
    launch_asked(&asked, r->attributes, r->count);
    return run(func, r->grid, r->block, args, r->shared, r->stream, &asked);
}
/* nvcc 12 and 13 */
API __cudaGetKernel(void **kernel, const void *func)
{
    const function *f = function_of(func);
    if (!f) return fail(E_InvalidDeviceFunction);
    *kernel = f->handle;
    return E_OK;
}
API cudaGetKernel(void **kernel, const void *func) { return __cudaGetKernel(kernel, func); }
API cudaGetFuncBySymbol(void **out, const void *func) { return __cudaGetKernel(out, func); }
API __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared, void *st)
{
    return run(kernel, grid, block, args, shared, st, &not_asked);
}

/* The oldest way: arguments one by one. */
static _Thread_local unsigned char old_params[4096];
static _Thread_local size_t old_bytes;
API cudaConfigureCall(dim3 grid, dim3 block, size_t shared, void *st)
{
    old_bytes = 0;
    return __cudaPushCallConfiguration(grid, block, shared, st) ? fail(E_InvalidValue) : E_OK;
}
API cudaSetupArgument(const void *arg, size_t bytes, size_t offset)
{
    if (offset > sizeof old_params || bytes > sizeof old_params - offset) return fail(E_InvalidValue);
    memcpy(old_params + offset, arg, bytes);
    if (offset + bytes > old_bytes) old_bytes = offset + bytes;
    return E_OK;
}
API cudaLaunch(const void *func)
{
    if (!depth) return fail(E_MissingConfiguration);
    const configuration *k = &pushed[--depth];
    device *d;
    int code = enter(&d);
    stream *st = code ? NULL : stream_find(k->stream);
    function *f = code ? NULL : function_of(func);
    if (!code && !st) code = launch_refuse(E_InvalidResourceHandle, "there is no such stream");
    if (!code && !f) code = launch_refuse(E_InvalidDeviceFunction, "there is no such kernel");
    const launch_config c = {f,
                             {k->grid.x, k->grid.y, k->grid.z},
                             {k->block.x, k->block.y, k->block.z},
                             (uint32_t)k->shared,
                             false,
                             {1, 1, 1},
                             false,
                             true,
                             false};
    if (!code) code = submit_launch(st, &c, NULL, old_params, sizeof old_params);
    return leave(launch_answer(&c, as_told(code)), cost_launch(d));
}

/* ---- what a function is like ---- */
enum { MAX_DYNAMIC_SHARED = 8, CARVEOUT = 9 };

API cudaFuncGetAttributes(func_attributes *out, const void *func)
{
    device *d;
    int code = enter(&d);
    function *f = NULL;
    const sim_kernel *k = NULL;
    if (!code) code = out ? resolve(func, d, &f, &k) : E_InvalidValue;
    if (code) return leave(code, CALL_COST);
    const sim_card *c = core_card_of(d);
    const int plain = c->shared_per_block < 48 << 10 ? c->shared_per_block : 48 << 10;
    func_attributes a = {.shared = k->shared_bytes,
                         .local = k->local_bytes,
                         .max_threads = function_most_threads(c, k),
                         .registers = k->registers,
                         .ptx_version = f->image->target,
                         .binary_version = c->cc_major * 10 + c->cc_minor,
                         .max_dynamic_shared = f->dynamic_shared ? f->dynamic_shared : plain - (int)k->shared_bytes,
                         .carveout = f->carveout,
                         .cluster_must = function_get_cluster(f, k, FUNCTION_CLUSTER_MUST),
                         .non_portable = function_get_cluster(f, k, FUNCTION_LARGE_CLUSTER)};
    for (int i = 0; i < 3; i++) a.cluster[i] = function_get_cluster(f, k, FUNCTION_CLUSTER + i);
    memcpy(out, &a, runtime_version >= 12000 ? sizeof a : offsetof(func_attributes, cluster_must));
    return leave(code, CALL_COST);
}

API cudaFuncSetAttribute(const void *func, int attribute, int value)
{
    device *d;
    int code = enter(&d);
    function *f = NULL;
    const sim_kernel *k = NULL;
    if (!code) code = resolve(func, d, &f, &k);
    if (!code && attribute == MAX_DYNAMIC_SHARED) {
        if (value < 0 || value + (int64_t)k->shared_bytes > core_card_of(d)->shared_per_block) code = E_InvalidValue;
        else f->dynamic_shared = value;
    } else if (!code && attribute == CARVEOUT) {
        if (value < -1 || value > 100) code = E_InvalidValue;
        else f->carveout = value;
    } else if (!code && attribute >= FUNCTION_CLUSTER && attribute <= FUNCTION_CLUSTER_POLICY) {
        code = function_set_cluster(f, k, attribute, value);
    } else if (!code) {
        code = E_InvalidValue;
    }
    return leave(code, CALL_COST);
}
API cudaFuncSetCacheConfig(const void *func, int config)
{
    (void)config;
    return fail(function_of(func) ? E_OK : E_InvalidDeviceFunction);
}
API cudaFuncSetSharedMemConfig(const void *func, int config)
{
    (void)config;
    return fail(function_of(func) ? E_OK : E_InvalidDeviceFunction);
}
API cudaFuncGetName(const char **name, const void *func)
{
    const function *f = function_of(func);
    if (f) *name = f->name;
    return fail(f ? E_OK : E_InvalidDeviceFunction);
}

API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads, size_t shared,
                                                           unsigned flags)
{
    device *d;
    int code = enter(&d);
    function *f = NULL;
    const sim_kernel *k = NULL;
    sim_occupancy o = {0};
    (void)flags;
    if (!code && (!blocks || threads <= 0)) code = E_InvalidValue;
    if (!code) code = resolve(func, d, &f, &k);
    if (!code) code = occupancy_blocks(d, f, (uint32_t)threads, (uint32_t)shared, &o);
    if (!code) *blocks = o.blocks;
    return leave(code, CALL_COST);
}
API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared, 0);
}
static int about_clusters(int *out, const void *func, const launch_request *r,
                          int (*find)(device *, const launch_config *, int *))
{
    device *d;
    int code = enter(&d);
    function *f = NULL;
    const sim_kernel *k = NULL;
    if (!code && (!out || !r)) code = E_InvalidValue;
    if (!code) code = resolve(func, d, &f, &k);
    if (code) return leave(code, CALL_COST);
    launch_config c = {.f = f,
                       .grid = {r->grid.x, r->grid.y, r->grid.z},
                       .block = {r->block.x, r->block.y, r->block.z},
                       .shared = (uint32_t)r->shared};
    launch_asked(&c, r->attributes, r->count);
    return leave(find(d, &c, out), CALL_COST);
}
API cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const launch_request *r)
{
    return about_clusters(clusters, func, r, occupancy_clusters);
}
API cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const launch_request *r)
{
    return about_clusters(size, func, r, occupancy_largest_cluster);
}
API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks, int threads)
{
    device *d;
    int code = enter(&d);
    function *f = NULL;
    const sim_kernel *k = NULL;
    (void)threads;
    if (!code && (!bytes || blocks <= 0)) code = E_InvalidValue;
    if (!code) code = resolve(func, d, &f, &k);
    if (code) return leave(code, CALL_COST);
    const sim_card *c = core_card_of(d);
    int64_t left =
        c->shared_per_mp / blocks / c->shared_unit * c->shared_unit - c->shared_reserved - (int64_t)k->shared_bytes;
    if (left > c->shared_per_block) left = c->shared_per_block;
    *bytes = left > 0 ? (size_t)left : 0;
    return leave(code, CALL_COST);
}
