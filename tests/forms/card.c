/* card.c: a real card, by its driver. */
#include "forms.h"
#include <dlfcn.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef int cu_result;
static struct gpu {
    cu_result (*init)(unsigned), (*device)(int *, int), (*ctx)(void **, unsigned, int),
        (*load)(void **, const void *, unsigned, int *, void **), (*unload)(void *),
        (*function)(void **, void *, const char *), (*alloc)(uint64_t *, size_t), (*to)(uint64_t, const void *, size_t),
        (*from)(void *, uint64_t, size_t), (*sync)(void), (*name)(char *, int, int),
        (*encode)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,
                  int, int, int, int),
        (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
} cu;
static uint64_t gpu_at[4];

static void *need(void *lib, const char *name)
{
    void *p = dlsym(lib, name);
    if (!p) die("libcuda lacks %s", name);
    return p;
}

const char *open_card(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW), *ctx;
    int dev;
    if (!lib) die("no GPU driver: %s", dlerror());
#define GET(member, name) *(void **)&cu.member = need(lib, name)
    GET(init, "cuInit");
    GET(device, "cuDeviceGet");
    GET(ctx, "cuDevicePrimaryCtxRetain");
    cu_result (*retain)(void **, int);
    cu_result (*set)(void *);
    *(void **)&retain = need(lib, "cuDevicePrimaryCtxRetain");
    *(void **)&set = need(lib, "cuCtxSetCurrent");
    GET(load, "cuModuleLoadDataEx");
    GET(unload, "cuModuleUnload");
    GET(function, "cuModuleGetFunction");
    GET(alloc, "cuMemAlloc_v2");
    GET(to, "cuMemcpyHtoD_v2");
    GET(from, "cuMemcpyDtoH_v2");
    GET(sync, "cuCtxSynchronize");
    GET(launch, "cuLaunchKernel");
    GET(name, "cuDeviceGetName");
    GET(encode, "cuTensorMapEncodeTiled");
    if (cu.init(0) || cu.device(&dev, 0) || retain(&ctx, dev) || set(ctx)) die("the GPU cannot be opened");
    for (int i = 0; i < 4; i++)
        if (cu.alloc(&gpu_at[i], N * 8)) die("no GPU memory");
    /* "NVIDIA H100 80GB HBM3" is an h100 */
    static char kind[64];
    char name[128] = "";
    cu.name(name, sizeof name, dev);
    const char *at = strncmp(name, "NVIDIA ", 7) ? name : name + 7;
    for (size_t i = 0; i + 1 < sizeof kind && at[i] && at[i] != ' '; i++) kind[i] = (char)tolower((unsigned char)at[i]);
    return kind;
}

void *load_card(const char *ptx)
{
    void *m = NULL;
    return cu.load(&m, ptx, 0, NULL, NULL) ? NULL : m;
}
void unload_card(void *module) { cu.unload(module); }

static bool encode(const form *f, unsigned char *map)
{
    tensor m;
    draw_tensor(f, &m);
    return !cu.encode(map, (int)m.type, m.rank, (void *)(uintptr_t)(gpu_at[m.base] + m.offset), m.dim, m.stride, m.box,
                      m.step, (int)m.interleave, (int)m.swizzle, (int)m.promotion, (int)m.fill);
}

bool run_card(const form *f, void *module, const char *kernel, uint64_t *out)
{
    _Alignas(64) unsigned char map[128] = {0};
    void *k, *args[5] = {&gpu_at[0], &gpu_at[1], &gpu_at[2], &gpu_at[3], map};
    for (int o = 0; o < 3; o++) cu.to(gpu_at[o], inputs[o], N * 8);
    if (has_tensor(f) && !encode(f, map)) return false;
    if (cu.function(&k, module, kernel)) return false;
    if (cu.launch(k, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, args, NULL)) return false;
    return !cu.sync() && !cu.from(out, gpu_at[3], N * 8);
}
