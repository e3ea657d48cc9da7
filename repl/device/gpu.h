/* gpu.h: the CUDA driver, loaded at run time, never linked; used in a child only (child.h).
 *
 * gpu.c finds the library and turns its codes into sentences. gpu_kernels.c holds the PTX of the
 * small kernels for timing. device_gpu.c makes a GPU a device (device.h). gpu_time.c times runs on
 * it. No other file knows CUDA. WARPSTEP_CUDA_DRIVER names a library to load in place of the
 * driver. */
#ifndef GPU_H
#define GPU_H

#include "sim.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the GPUs of this machine ---- */
typedef struct gpu_info {
    char name[96];
    int cc_major, cc_minor, multiprocessors, clock_khz;
    uint64_t memory_bytes;
} gpu_info;

/* Ask the driver for GPUs. Returns their number; the first `room` are described in `out`. 0: `why`
 * says why there are none. */
int gpu_list(gpu_info *out, int room, int *driver_version, char *why, size_t why_size);

/* ---- the driver ---- */
/* The structs of the driver that we use, with the layout of its headers. */
enum { GPU_ROWS_HOST = 1, GPU_ROWS_DEVICE = 2 };
typedef struct gpu_rows_end {
    size_t x, y;
    int memory; /* GPU_ROWS_... */
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} gpu_rows_end;
typedef struct gpu_rows {
    gpu_rows_end from, to;
    size_t width, height; /* bytes, rows */
} gpu_rows;
typedef struct gpu_array {
    size_t width, height; /* in texels; height 0: one row */
    int format;
    unsigned channels;
} gpu_array;
enum { GPU_RESOURCE_ARRAY = 0, GPU_RESOURCE_LINEAR = 2, GPU_RESOURCE_ROWS = 3 };
typedef struct gpu_resource {
    int kind;
    struct {
        uint64_t address; /* or an array's handle, without the members that follow */
        int format;
        unsigned channels;
        size_t size[3]; /* linear: bytes; rows: width, height, pitch */
    } memory;
    char reserved[128 - 40];
    unsigned flags;
} gpu_resource;
typedef struct gpu_texture {
    int outside[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap[3], border[4];
    int reserved[12];
} gpu_texture;

enum { GPU_LAUNCH_CLUSTER = 4 };
typedef struct gpu_launch_attribute {
    int id; /* GPU_LAUNCH_... */
    char pad[4];
    unsigned cluster[3];
    char rest[64 - 12];
} gpu_launch_attribute;
typedef struct gpu_launch_with {
    unsigned grid[3], block[3], shared;
    void *stream;
    gpu_launch_attribute *attribute;
    unsigned attributes;
} gpu_launch_with;

typedef struct gpu_driver {
#define CALL(field, symbol, arguments) int(*field) arguments;
#define OPTIONAL                       CALL
#include "gpu_calls.def"
#undef OPTIONAL
#undef CALL
    int cuda_version; /* 13000 is CUDA 13.0 */
    void *opened;     /* handle of the driver, from dlopen */
} gpu_driver;

/* The driver, loaded and initialised once per process; NULL: `why` says why not. */
const gpu_driver *gpu_driver_open(char *why, size_t size, char *hint, size_t hint_size);

/* What a code of the driver means to a person. `kind` is the fault if a kernel caused it, else
 * -1. */
enum gpu_blame { GPU_ABSENT, GPU_LIMIT, GPU_MEMORY, GPU_KERNEL, GPU_PTX, GPU_LOST };
typedef struct gpu_meaning {
    int code;
    enum gpu_blame blame;
    int kind;            /* enum sim_fault_kind, or -1 */
    const char *message; /* NULL: the driver's own words */
    const char *hint;
} gpu_meaning;
/* Never NULL; an unknown code means GPU_LOST. */
const gpu_meaning *gpu_meaning_of(int code);
/* Fill err for a code; returns err->code. `what`: "copying to the GPU". */
int gpu_failed(const gpu_driver *d, int code, const char *what, sim_error *err);

/* The device attributes (cuDeviceGetAttribute) that we use. */
enum {
    GPU_MAX_THREADS = 1,
    GPU_MAX_BLOCK_X = 2,
    GPU_MAX_GRID_X = 5,
    GPU_SHARED_BLOCK = 8,
    GPU_REGISTERS_BLOCK = 12,
    GPU_CLOCK = 13,
    GPU_MULTIPROCESSORS = 16,
    GPU_MEMORY_CLOCK = 36,
    GPU_BUS_BITS = 37,
    GPU_L2_BYTES = 38,
    GPU_THREADS_MP = 39,
    GPU_MAJOR = 75,
    GPU_MINOR = 76,
    GPU_SHARED_MP = 81,
    GPU_REGISTERS_MP = 82,
    GPU_COOPERATIVE = 95,
    GPU_SHARED_OPTIN = 97,
    GPU_BLOCKS_MP = 106,
    GPU_SHARED_RESERVED = 111
};
/* The kernel attributes (cuFuncGetAttribute) that we use. */
enum {
    GPU_FUNCTION_THREADS = 0,
    GPU_FUNCTION_SHARED = 1,
    GPU_FUNCTION_REGISTERS = 4,
    GPU_FUNCTION_MOST_DYNAMIC = 8,
    GPU_FUNCTION_LARGE_CLUSTERS = 14
};

/* ---- gpu_kernels.c ---- */
extern const char gpu_kernels_ptx[];

#endif
