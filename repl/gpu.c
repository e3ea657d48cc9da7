/* gpu.c: see gpu.h. The driver's functions are found by name in libcuda; their types are written out here, so that
 * building needs no CUDA header. A failure is always a sentence, never a crash: most machines have no driver. */
#include "gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { ATTRIBUTE_CLOCK = 13, ATTRIBUTE_MULTIPROCESSORS = 16, ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };

struct driver {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*count)(int *);
    int (*get)(int *, int);
    int (*name)(char *, int, int);
    int (*attribute)(int *, int, int);
    int (*memory)(size_t *, int);
    int (*error)(int, const char **);
};

/* A function pointer out of a data pointer, as POSIX's dlsym has it. */
static int find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

int gpu_list(gpu_info *out, int room, int *driver_version, char *why, size_t why_size) {
    static const char *const libraries[] = {"libcuda.so.1", "libcuda.so"};
    void *library = NULL;
    *driver_version = 0;
    for (int i = 0; i < 2 && !library; i++) library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, why_size, "no NVIDIA driver is installed (libcuda.so.1 was not found)");
        return 0;
    }
    struct driver d;
    if (!find(library, "cuInit", &d.init) || !find(library, "cuDriverGetVersion", &d.version) ||
        !find(library, "cuDeviceGetCount", &d.count) || !find(library, "cuDeviceGet", &d.get) ||
        !find(library, "cuDeviceGetName", &d.name) || !find(library, "cuDeviceGetAttribute", &d.attribute) ||
        !find(library, "cuDeviceTotalMem_v2", &d.memory) || !find(library, "cuGetErrorString", &d.error)) {
        snprintf(why, why_size, "the NVIDIA driver that was found is too old");
        return 0;
    }
    int count = 0, code = d.init(0);
    if (code == 0) code = d.count(&count);
    d.version(driver_version);
    if (code != 0) {
        const char *text = NULL;
        d.error(code, &text);
        snprintf(why, why_size, "the NVIDIA driver says: %s", text ? text : "an unknown error");
        return 0;
    }
    if (count <= 0) {
        snprintf(why, why_size, "the NVIDIA driver finds no GPU");
        return 0;
    }
    for (int i = 0; i < count && i < room; i++) {
        gpu_info *g = &out[i];
        memset(g, 0, sizeof *g);
        int device = 0;
        size_t bytes = 0;
        if (d.get(&device, i) != 0) continue;
        d.name(g->name, (int)sizeof g->name, device);
        g->name[sizeof g->name - 1] = 0;
        d.attribute(&g->cc_major, ATTRIBUTE_MAJOR, device);
        d.attribute(&g->cc_minor, ATTRIBUTE_MINOR, device);
        d.attribute(&g->multiprocessors, ATTRIBUTE_MULTIPROCESSORS, device);
        d.attribute(&g->clock_khz, ATTRIBUTE_CLOCK, device);
        if (d.memory(&bytes, device) == 0) g->memory_bytes = bytes;
    }
    return count;
}
