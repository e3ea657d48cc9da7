/* device_gpu.c: a GPU as a device; see device.h. From the top: opening it and reading its
 * properties; modules; memory; launches. A module's contents come from the simulator's own PTX
 * parser, or from the driver when the parser declines. Timing is in gpu_time.c.
 *
 * A GPU is opened once per process and stays open, as creating its context takes about a tenth of a
 * second. dev_close frees memory and modules. */
#include "gpu_device.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PRINTED = 1 << 20 };

static gpu_device *opened;

static gpu_device *gpu_of(dev *d) { return (gpu_device *)(void *)d; }
static gpu_module *module_of(dev_module *m) { return (gpu_module *)(void *)m; }
static const gpu_module *module_in(const dev_module *m) { return (const gpu_module *)(const void *)m; }

int gpu_code(gpu_device *g, int code, const char *what, sim_error *err)
{
    if (!code) return 0;
    gpu_failed(g->cu, code, what, err);
    g->code = code;
    if (dev_lost(err)) g->lost = true;
    return err->code;
}

/* ---- opening ---- */

static int single_units(int major, int minor)
{
    static const struct {
        int major, minor, lanes;
    } table[] = {{5, -1, 128}, {6, 0, 64},   {6, -1, 128},  {7, -1, 64},  {8, 0, 64},
                 {8, -1, 128}, {9, -1, 128}, {10, -1, 128}, {12, -1, 128}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].major == major && (table[i].minor < 0 || table[i].minor == minor)) return table[i].lanes;
    return 0;
}

/* What tensor cores do at most, per clock and multiprocessor; without sparsity, with sums of f32. From
 * NVIDIA's papers on each architecture: A100 312 TFLOP/s of f16 at 1410 MHz on 108, H100 989 at 1830 on
 * 132, L40 181 at 2490 on 142. Unknown ones stay 0. */
static void product_peaks(sim_card *c)
{
    static const struct {
        int major, minor, f16, tf32, f8;
    } table[] = {{8, 0, 2048, 1024, 0}, {8, 9, 512, 256, 1024}, {9, 0, 4096, 2048, 8192}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].major == c->cc_major && table[i].minor == c->cc_minor)
            c->peak_f16 = table[i].f16, c->peak_tf32 = table[i].tf32, c->peak_f8 = table[i].f8;
}

static int attribute(gpu_device *g, int which)
{
    int value = 0;
    return g->cu->attribute(&value, which, g->device) ? 0 : value;
}

static void describe(gpu_device *g)
{
    sim_card *c = &g->d.card;
    dev_about *a = &g->d.about;
    size_t bytes = 0;
    snprintf(c->name, sizeof c->name, "gpu");
    if (g->cu->name(c->title, (int)sizeof c->title, g->device) || !c->title[0])
        snprintf(c->title, sizeof c->title, "NVIDIA GPU");
    c->title[sizeof c->title - 1] = 0;
    c->cc_major = attribute(g, GPU_MAJOR);
    c->cc_minor = attribute(g, GPU_MINOR);
    c->multiprocessors = attribute(g, GPU_MULTIPROCESSORS);
    c->max_threads_per_block = attribute(g, GPU_MAX_THREADS);
    c->max_threads_per_mp = attribute(g, GPU_THREADS_MP);
    c->max_blocks_per_mp = attribute(g, GPU_BLOCKS_MP);
    c->max_warps_per_mp = c->max_threads_per_mp / 32;
    c->registers_per_mp = attribute(g, GPU_REGISTERS_MP);
    c->max_registers_per_thread = 255;
    int shared = attribute(g, GPU_SHARED_BLOCK), most = attribute(g, GPU_SHARED_OPTIN);
    c->shared_per_block = most > shared ? most : shared;
    c->shared_per_mp = attribute(g, GPU_SHARED_MP);
    /* no attribute gives these allocation units; the driver's own count of resident blocks decides
     * in the end */
    c->register_unit = 256;
    c->shared_unit = c->cc_major < 8 ? 256 : 128;
    c->shared_reserved = attribute(g, GPU_SHARED_RESERVED);
    c->banks = 32;
    c->max_block_x = attribute(g, GPU_MAX_BLOCK_X);
    c->max_block_y = attribute(g, GPU_MAX_BLOCK_X + 1);
    c->max_block_z = attribute(g, GPU_MAX_BLOCK_X + 2);
    c->max_grid_x = attribute(g, GPU_MAX_GRID_X);
    c->max_grid_y = attribute(g, GPU_MAX_GRID_X + 1);
    c->max_grid_z = attribute(g, GPU_MAX_GRID_X + 2);
    c->clock_khz = attribute(g, GPU_CLOCK);
    if (!g->cu->total_memory(&bytes, g->device)) c->memory_bytes = bytes;
    a->memory_khz = attribute(g, GPU_MEMORY_CLOCK);
    a->bus_bits = attribute(g, GPU_BUS_BITS);
    a->l2_bytes = (uint64_t)attribute(g, GPU_L2_BYTES);
    a->lanes = single_units(c->cc_major, c->cc_minor);
    product_peaks(c);
    char version[32] = "";
    FILE *f = fopen("/sys/module/nvidia/version", "r");
    if (f) {
        if (!fgets(version, sizeof version, f)) version[0] = 0;
        version[strcspn(version, "\n")] = 0;
        fclose(f);
    }
    snprintf(a->driver, sizeof a->driver, "%s%s%sCUDA %d.%d", version[0] ? "driver " : "", version,
             version[0] ? ", " : "", g->cu->cuda_version / 1000, g->cu->cuda_version % 1000 / 10);
}

static const dev_ops ops;

int device_gpu_open(dev **out, const struct device *d, sim_error *err)
{
    int index = d->index < 0 ? 0 : d->index, count = 0, code;
    if (opened && opened->index == index && !opened->lost) {
        *out = &opened->d;
        return 0;
    }
    char why[300], hint[200];
    const gpu_driver *cu = gpu_driver_open(why, sizeof why, hint, sizeof hint);
    if (!cu) {
        snprintf(err->message, sizeof err->message, "%.40s is absent: %s", d->label, why);
        snprintf(err->hint, sizeof err->hint, "%s", hint);
        return err->code = DEV_E_ABSENT;
    }
    gpu_device *g = calloc(1, sizeof *g);
    if (!g) return sim_no_memory(err);
    g->cu = cu;
    g->index = index;
    g->d.ops = &ops;
    code = cu->count(&count);
    if (!code && index >= count) code = count ? 101 : 100;
    if (!code) code = cu->get(&g->device, index);
    if (!code) describe(g);
    if (!code) code = cu->retain(&g->context, g->device);
    if (!code) code = cu->set_context(g->context);
    if (!code) code = cu->make_stream(&g->stream, 0 /* waits for copies, which use the default stream */);
    if (code) {
        gpu_failed(cu, code, "opening the GPU", err);
        free(g);
        return err->code;
    }
    /* parses PTX by this card's limits; without it the driver must describe a module */
    sim_error ignored = {0};
    if (sim_open(&g->reader, &g->d.card, &ignored)) g->reader = NULL;
    opened = g;
    *out = &g->d;
    return 0;
}

/* ---- modules ---- */

static void free_module(gpu_device *g, gpu_module *m)
{
    if (m->handle && !g->lost) g->cu->unload(m->handle);
    if (m->known) sim_unload(g->reader, m->known);
    for (int i = 0; i < m->kernels && m->kernel; i++) {
        const char *name = m->kernel[i].name;
        free((char *)(uintptr_t)name);
    }
    free(m->kernel);
    free(m->param);
    free(m);
}

static void close_gpu(dev *d)
{
    gpu_device *g = gpu_of(d);
    while (g->modules) {
        gpu_module *m = g->modules;
        g->modules = m->next;
        free_module(g, m);
    }
    while (g->allocations) {
        gpu_allocation *a = g->allocations;
        g->allocations = a->next;
        if (!g->lost) g->cu->free(a->address);
        free(a);
    }
    free(g->printed);
    g->printed = NULL;
}

/* What the driver knows of a module's kernels, for PTX that the simulator cannot parse. False: too
 * little. */
static bool ask_driver(gpu_device *g, gpu_module *m)
{
    enum { MOST_KERNELS = 256, MOST_PARAMS = 64 };
    const gpu_driver *cu = g->cu;
    unsigned count = 0;
    void *function[MOST_KERNELS];
    if (!cu->function_count || !cu->functions || !cu->function_name || !cu->parameter ||
        cu->function_count(&count, m->handle) || !count)
        return false;
    if (count > MOST_KERNELS) count = MOST_KERNELS;
    m->kernel = calloc(count, sizeof *m->kernel);
    m->param = calloc((size_t)count * MOST_PARAMS, sizeof *m->param);
    if (!m->kernel || !m->param || cu->functions(function, count, m->handle)) return false;
    for (unsigned i = 0; i < count; i++) {
        sim_kernel *k = &m->kernel[m->kernels];
        sim_param *p = &m->param[(size_t)i * MOST_PARAMS];
        const char *name = NULL;
        if (cu->function_name(&name, function[i]) || !name || !(k->name = strdup(name))) return false;
        m->kernels++;
        k->param = p;
        size_t offset, size;
        while (k->params < MOST_PARAMS && !cu->parameter(function[i], (size_t)k->params, &offset, &size)) {
            p[k->params++] = (sim_param){.name = "", .offset = (uint32_t)offset, .size = (uint32_t)size};
            k->param_bytes = (uint32_t)(offset + size);
        }
        int shared = 0;
        cu->function_get(&shared, GPU_FUNCTION_SHARED, function[i]);
        k->shared_bytes = (uint32_t)shared;
    }
    return true;
}

static int load(dev *d, const char *name, const char *ptx, size_t bytes, dev_module **out, sim_error *err)
{
    enum { LOG_BUFFER = 5, LOG_BYTES = 6 };
    gpu_device *g = gpu_of(d);
    char log[2048] = "", what[200];
    int option[] = {LOG_BUFFER, LOG_BYTES};
    void *value[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    gpu_module *m = calloc(1, sizeof *m);
    if (!m) return sim_no_memory(err);
    snprintf(what, sizeof what, "%.150s", name);
    int code = g->cu->load(&m->handle, ptx, 2, option, value);
    if (code) {
        free(m);
        gpu_code(g, code, what, err);
        log[sizeof log - 1] = 0;
        size_t first = strcspn(log, "\n"), used = strlen(err->message);
        if (first)
            snprintf(err->message + used, sizeof err->message - used, ": %.*s", (int)(first < 200 ? first : 200), log);
        return err->code;
    }
    m->next = g->modules;
    g->modules = m;
    sim_error why = {0};
    if (!g->reader || sim_load(g->reader, name, ptx, bytes, &m->known, &why)) {
        m->known = NULL;
        if (!ask_driver(g, m)) {
            *err = why;
            if (!err->code) snprintf(err->message, sizeof err->message, "%.150s: its kernels cannot be listed", name);
            return err->code = SIM_E_REFUSED;
        }
    }
    *out = (dev_module *)(void *)m;
    return 0;
}

static int kernels(const dev_module *m)
{
    const gpu_module *g = module_in(m);
    return g->known ? sim_kernels(g->known) : g->kernels;
}

static const sim_kernel *kernel_at(const dev_module *m, int i)
{
    const gpu_module *g = module_in(m);
    return g->known ? sim_kernel_at(g->known, i) : &g->kernel[i];
}

/* ---- memory ---- */

static int allocate(dev *d, uint64_t bytes, const char *name, uint64_t *address, sim_error *err)
{
    gpu_device *g = gpu_of(d);
    gpu_allocation *a = calloc(1, sizeof *a);
    if (!a) return sim_no_memory(err);
    int code = g->cu->allocate(&a->address, (size_t)bytes);
    if (code) {
        free(a);
        size_t left = 0, all = 0;
        gpu_code(g, code, name ? name : "a buffer", err);
        if (gpu_meaning_of(code)->blame == GPU_MEMORY && !g->cu->free_memory(&left, &all))
            snprintf(err->message, sizeof err->message,
                     "the GPU has no memory for %.40s: it takes %.1f MiB, and %.1f of its %.0f MiB are free",
                     name ? name : "a buffer", (double)bytes / 1048576, (double)left / 1048576, (double)all / 1048576);
        return err->code;
    }
    a->bytes = bytes;
    snprintf(a->name, sizeof a->name, "%s", name ? name : "");
    a->next = g->allocations;
    g->allocations = a;
    *address = a->address;
    return 0;
}

static int give_back(dev *d, uint64_t address, sim_error *err)
{
    gpu_device *g = gpu_of(d);
    for (gpu_allocation **at = &g->allocations; *at; at = &(*at)->next)
        if ((*at)->address == address) {
            gpu_allocation *a = *at;
            *at = a->next;
            free(a);
            return gpu_code(g, g->cu->free(address), "giving memory back", err);
        }
    snprintf(err->message, sizeof err->message, "no buffer starts at that address");
    return err->code = SIM_E_ARGUMENT;
}

static int write_to(dev *d, uint64_t address, const void *data, uint64_t bytes, sim_error *err)
{
    return gpu_code(gpu_of(d), gpu_of(d)->cu->to_device(address, data, (size_t)bytes), "copying to the GPU", err);
}

static int read_from(dev *d, uint64_t address, void *data, uint64_t bytes, sim_error *err)
{
    return gpu_code(gpu_of(d), gpu_of(d)->cu->to_host(data, address, (size_t)bytes), "copying from the GPU", err);
}

static int zero(dev *d, uint64_t address, uint64_t bytes, sim_error *err)
{
    gpu_device *g = gpu_of(d);
    int code = gpu_code(g, g->cu->set_bytes(address, 0, (size_t)bytes, g->stream), "zeroing memory", err);
    return code ? code : gpu_finish(g, "zeroing memory", err);
}

static int copy_within(dev *d, uint64_t to, uint64_t from, uint64_t bytes, sim_error *err)
{
    gpu_device *g = gpu_of(d);
    int code = gpu_code(g, g->cu->copy(to, from, (size_t)bytes, g->stream), "copying on the GPU", err);
    return code ? code : gpu_finish(g, "copying on the GPU", err);
}

static int copy_rows(dev *d, uint64_t address, uint64_t pitch, void *data, uint64_t row, uint64_t rows, bool to_card,
                     sim_error *err)
{
    gpu_device *g = gpu_of(d);
    gpu_rows r = {.from = {.memory = GPU_ROWS_HOST, .host = data, .pitch = (size_t)row},
                  .to = {.memory = GPU_ROWS_DEVICE, .device = address, .pitch = (size_t)pitch},
                  .width = (size_t)row,
                  .height = (size_t)rows};
    if (!to_card) {
        gpu_rows_end card = r.to;
        r.to = r.from;
        r.from = card;
    }
    if (g->cu->copy_rows) return gpu_code(g, g->cu->copy_rows(&r), "copying rows", err);
    int code = 0;
    for (uint64_t i = 0; i < rows && !code; i++)
        code = to_card ? write_to(d, address + i * pitch, (char *)data + i * row, row, err)
                       : read_from(d, address + i * pitch, (char *)data + i * row, row, err);
    return code;
}

static int make_texture(dev *d, const sim_texture *t, uint64_t *handle, sim_error *err)
{
    static const int format[] = {
        [SIM_TEXEL_U8] = 0x01,  [SIM_TEXEL_S8] = 0x08,  [SIM_TEXEL_U16] = 0x02, [SIM_TEXEL_S16] = 0x09,
        [SIM_TEXEL_U32] = 0x03, [SIM_TEXEL_S32] = 0x0a, [SIM_TEXEL_F16] = 0x10, [SIM_TEXEL_F32] = 0x20};
    static const int bytes[] = {[SIM_TEXEL_U8] = 1,  [SIM_TEXEL_S8] = 1,  [SIM_TEXEL_U16] = 2, [SIM_TEXEL_S16] = 2,
                                [SIM_TEXEL_U32] = 4, [SIM_TEXEL_S32] = 4, [SIM_TEXEL_F16] = 2, [SIM_TEXEL_F32] = 4};
    static const int outside[] = {
        [SIM_OUTSIDE_CLAMP] = 1, [SIM_OUTSIDE_WRAP] = 0, [SIM_OUTSIDE_MIRROR] = 2, [SIM_OUTSIDE_BORDER] = 3};
    enum { AS_INTEGER = 1, NORMALIZED = 2 };
    gpu_device *g = gpu_of(d);
    gpu_resource resource = {0};
    gpu_texture texture = {0};
    size_t width = (size_t)t->width * (size_t)(bytes[t->texel] * t->channels);
    bool is_float = t->texel == SIM_TEXEL_F16 || t->texel == SIM_TEXEL_F32;
    if (!g->cu->make_texture) return gpu_code(g, 801, "making a texture", err);
    resource.kind = t->height ? GPU_RESOURCE_ROWS : GPU_RESOURCE_LINEAR;
    resource.memory.address = t->address;
    resource.memory.format = format[t->texel];
    resource.memory.channels = (unsigned)t->channels;
    resource.memory.size[0] = t->height ? t->width : width;
    resource.memory.size[1] = t->height;
    resource.memory.size[2] = t->pitch ? (size_t)t->pitch : width;
    for (int i = 0; i < 3; i++) texture.outside[i] = outside[t->outside[i < 2 ? i : 1]];
    if (!t->height && (t->linear || t->normalized)) { /* linear memory can be fetched from but not filtered */
        gpu_array shape = {t->width, 0, format[t->texel], (unsigned)t->channels};
        void *array = NULL;
        if (!g->cu->make_array || !g->cu->fill_array) return gpu_code(g, 801, "making a texture", err);
        int code = gpu_code(g, g->cu->make_array(&array, &shape), "making a texture", err);
        if (!code) code = gpu_code(g, g->cu->fill_array(array, 0, t->address, width), "filling a texture", err);
        if (code) return code;
        resource = (gpu_resource){.kind = GPU_RESOURCE_ARRAY, .memory.address = (uint64_t)(uintptr_t)array};
    }
    texture.filter = t->linear;
    texture.flags = (is_float || t->fractions ? 0 : AS_INTEGER) | (t->normalized ? NORMALIZED : 0);
    return gpu_code(g, g->cu->make_texture(handle, &resource, &texture, NULL), "making a texture", err);
}

static int make_map(dev *d, const sim_tensor_map *m, unsigned char out[128], sim_error *err)
{
    gpu_device *g = gpu_of(d);
    _Alignas(64) unsigned char map[128];
    if (!g->cu->make_map) {
        snprintf(err->message, sizeof err->message, "this driver makes none; CUDA 12 or later does");
        return err->code = SIM_E_REFUSED;
    }
    void *address = (void *)(uintptr_t)m->address;
    int code = g->cu->make_map(map, (int)m->type, m->rank, address, m->dim, m->stride, m->box, m->step,
                               (int)m->interleave, (int)m->swizzle, (int)m->promotion, (int)m->fill);
    unsigned char ours[128];
    sim_error why = {0}; /* the driver only says "invalid argument" */
    if (code && sim_tensor_map_encode(m, ours, &why) == SIM_E_ARGUMENT) {
        *err = why;
        return err->code;
    }
    if (!code) memcpy(out, map, sizeof map);
    return gpu_code(g, code, "making a tensor map", err);
}

/* ---- launches ---- */

/* The driver only says "invalid argument". This says which limit was exceeded. */
static int within_limits(gpu_device *g, void *function, const sim_launch *l, sim_error *err)
{
    enum { USUAL_SHARED = 48 * 1024 };
    int most = 0, fixed = 0;
    g->cu->function_get(&fixed, GPU_FUNCTION_SHARED, function);
    const uint64_t shared = (uint64_t)fixed + l->shared_bytes;
    const int code = sim_launch_fits(&g->d.card, l->grid, l->block, shared, err);
    if (code) return err->code = code;
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    if (!g->cu->function_get(&most, GPU_FUNCTION_THREADS, function) && most > 0 && threads > (uint32_t)most) {
        snprintf(err->message, sizeof err->message, "threads of a block of this kernel: %u, and this GPU allows %d",
                 threads, most);
        snprintf(err->hint, sizeof err->hint,
                 "It uses too many registers for a larger block, or says so with __launch_bounds__.");
        return err->code = SIM_E_LIMIT;
    }
    if (shared > USUAL_SHARED)
        return gpu_code(g, g->cu->function_set(function, GPU_FUNCTION_MOST_DYNAMIC, (int)l->shared_bytes),
                        "asking for more shared memory", err);
    return 0;
}

/* A launch whose blocks are in clusters. */
static int queue_clusters(gpu_device *g, void *function, const sim_launch *l, void **argument, void **extra,
                          const char *what, sim_error *err)
{
    enum { PORTABLE = 8 /* blocks that any card with clusters can hold together */ };
    gpu_launch_attribute cluster = {.id = GPU_LAUNCH_CLUSTER};
    gpu_launch_with how = {.shared = l->shared_bytes, .stream = g->stream, .attribute = &cluster, .attributes = 1};
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        how.grid[i] = l->grid[i];
        how.block[i] = l->block[i];
        cluster.cluster[i] = l->cluster[i];
        blocks *= l->cluster[i];
        if (l->grid[i] % l->cluster[i]) {
            snprintf(err->message, sizeof err->message,
                     "a grid of %u blocks along %c is no whole number of clusters of %u", l->grid[i], "xyz"[i],
                     l -> cluster[i]);
            return err->code = SIM_E_LIMIT;
        }
    }
    if (!g->cu->launch_with || g->d.card.cc_major < 9) {
        snprintf(err->message, sizeof err->message, "clusters need compute 9.0, and a driver of CUDA 12 or later");
        snprintf(err->hint, sizeof err->hint, "Run it on a simulated card, as with --device sim:h200.");
        return err->code = SIM_E_LIMIT;
    }
    int code = blocks <= PORTABLE ? 0
                                  : gpu_code(g, g->cu->function_set(function, GPU_FUNCTION_LARGE_CLUSTERS, 1),
                                             "asking for larger clusters", err);
    return code ? code : gpu_code(g, g->cu->launch_with(&how, function, argument, extra), what, err);
}

int gpu_queue(gpu_device *g, gpu_module *m, const sim_launch *l, sim_error *err)
{
    enum { MOST_ARGUMENTS = 256 };
    void *function = NULL;
    char what[100];
    snprintf(what, sizeof what, "kernel %.80s", l->kernel);
    int code = gpu_code(g, g->cu->function(&function, m->handle, l->kernel), what, err);
    if (!code) code = within_limits(g, function, l, err);
    if (code) return code;
    unsigned shared = l->shared_bytes;
    const uint32_t *b = l->block, *n = l->grid;
    /* Each argument by its address. All of them as one block, `extra`, is for a driver that does not tell what a
     * kernel takes: kernels with tensor maps then got something else on an H200. */
    const sim_kernel *k = dev_kernel_named(&g->d, (dev_module *)(void *)m, l->kernel);
    void *argument[MOST_ARGUMENTS];
    const bool told = k && k->params <= MOST_ARGUMENTS;
    for (int i = 0; told && i < k->params; i++) argument[i] = (char *)(uintptr_t)l->params + k->param[i].offset;
    if (l->cooperative)
        return gpu_code(
            g, g->cu->launch_together(function, n[0], n[1], n[2], b[0], b[1], b[2], shared, g->stream, argument), what,
            err);
    size_t bytes = l->param_bytes;
    void *block[] = {(void *)(uintptr_t)1, (void *)(uintptr_t)l->params, (void *)(uintptr_t)2, &bytes, NULL};
    void **arguments = told ? argument : NULL, **extra = told ? NULL : block;
    if (l->cluster[0]) return queue_clusters(g, function, l, arguments, extra, what, err);
    return gpu_code(g, g->cu->launch(function, n[0], n[1], n[2], b[0], b[1], b[2], shared, g->stream, arguments, extra),
                    what, err);
}

int gpu_finish(gpu_device *g, const char *what, sim_error *err)
{
    return gpu_code(g, g->cu->wait(g->stream), what, err);
}

/* The driver writes a kernel's printf output to stdout when we wait for the kernel: capture it. */
static int finish_printing(gpu_device *g, const char *what, sim_result *r, sim_error *err)
{
    FILE *caught = tmpfile();
    int out = caught ? dup(STDOUT_FILENO) : -1;
    if (out >= 0) {
        fflush(stdout);
        dup2(fileno(caught), STDOUT_FILENO);
    }
    int code = gpu_code(g, g->cu->synchronize(), what, err);
    if (out >= 0) {
        fflush(stdout);
        dup2(out, STDOUT_FILENO);
        close(out);
        long bytes = fseek(caught, 0, SEEK_END) ? 0 : ftell(caught);
        free(g->printed);
        g->printed = bytes > 0 ? malloc(MOST_PRINTED + 1) : NULL;
        rewind(caught);
        size_t n = g->printed ? fread(g->printed, 1, MOST_PRINTED, caught) : 0;
        if (n) {
            g->printed[n] = 0;
            g->print = (sim_print){.text = g->printed};
            r->prints = &g->print;
            r->print_count = 1;
        }
    }
    if (caught) fclose(caught);
    return code;
}

static int symbol(dev *d, dev_module *module, const char *name, uint64_t *address, uint64_t *bytes, sim_error *err)
{
    gpu_device *g = gpu_of(d);
    size_t size = 0;
    int code = gpu_code(g, g->cu->variable(address, &size, module_of(module)->handle, name), "finding a variable", err);
    *bytes = size;
    return code;
}

static int launch(dev *d, dev_module *module, const sim_launch *l, sim_result *r, sim_error *err)
{
    gpu_device *g = gpu_of(d);
    char what[100];
    memset(r, 0, sizeof *r);
    snprintf(what, sizeof what, "kernel %.80s", l->kernel);
    int code = gpu_queue(g, module_of(module), l, err);
    if (!code) code = finish_printing(g, what, r, err);
    if (code != SIM_E_FAULT) return code;
    sim_fault *f = &g->fault;
    memset(f, 0, sizeof *f);
    f->kind = (enum sim_fault_kind)gpu_meaning_of(g->code)->kind;
    f->at.kernel = l->kernel;
    f->at.file = "";
    f->space = "";
    f->count = 1;
    snprintf(f->message, sizeof f->message, "%.380s", err->message);
    snprintf(f->advice, sizeof f->advice, "A GPU does not say where. The simulator runs the same kernel and does.");
    r->code = SIM_E_FAULT;
    r->faults = f;
    r->fault_count = 1;
    return code;
}

/* From the registers that the driver's compiler gave the kernel, and the driver's count of resident
 * blocks. */
static void occupancy(dev *d, dev_module *module, const sim_kernel *kernel, const sim_launch *l, sim_occupancy *out)
{
    gpu_device *g = gpu_of(d);
    sim_kernel k = *kernel;
    void *function = NULL;
    int registers = 0, blocks = 0;
    bool found = !g->cu->function(&function, module_of(module)->handle, l->kernel);
    if (found && !g->cu->function_get(&registers, GPU_FUNCTION_REGISTERS, function) && registers > 0)
        k.registers = registers, k.registers_least = 0;
    sim_occupancy_of(&d->card, &k, l->grid, l->block, l->shared_bytes, out);
    if (out->blocks && found && g->cu->resident && !g->cu->resident(&blocks, function, out->threads, l->shared_bytes) &&
        blocks > 0) {
        out->blocks = blocks;
        out->warps = blocks * out->warps_per_block;
    }
}

static int reach(dev *d, dev_reach *out, sim_error *err) { return gpu_reach(gpu_of(d), out, err); }

static int transfer(dev *d, uint64_t bytes, double seconds[2], sim_error *err)
{
    return gpu_transfer(gpu_of(d), bytes, seconds, err);
}

static const dev_ops ops = {.close = close_gpu,
                            .load = load,
                            .kernels = kernels,
                            .kernel_at = kernel_at,
                            .alloc = allocate,
                            .free = give_back,
                            .write = write_to,
                            .read = read_from,
                            .zero = zero,
                            .symbol = symbol,
                            .launch = launch,
                            .texture = make_texture,
                            .map = make_map,
                            .rows = copy_rows,
                            .copy = copy_within,
                            .time = gpu_time,
                            .reach = reach,
                            .transfer = transfer,
                            .occupancy = occupancy};
