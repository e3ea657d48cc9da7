/* abi.h: the shapes of what programs and CUDA hand each other, where both faces need them. The layout
 * is CUDA's; with nvcc at hand tests/programs compares it with NVIDIA's headers. */
#ifndef CUDA_ABI_H
#define CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

typedef struct channel_desc {
    int x, y, z, w, f; /* bits; f: 0 signed, 1 unsigned, 2 float, 3 none */
} channel_desc;

typedef struct pitched_ptr {
    void *ptr;
    size_t pitch, xsize, ysize;
} pitched_ptr;

typedef struct extent {
    size_t width, height, depth;
} extent;

typedef struct position {
    size_t x, y, z;
} position;

typedef struct copy_3d {
    void *from_array;
    position from_at;
    pitched_ptr from;
    void *to_array;
    position to_at;
    pitched_ptr to;
    extent size;
    int kind;
} copy_3d;

typedef struct func_attributes {
    size_t shared, constant, local;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared, carveout;
    int cluster_must, cluster[3], cluster_policy, non_portable;
    int reserved[16];
} func_attributes;

typedef struct pointer_attributes {
    int type, device;
    void *on_device, *on_host;
    long reserved[8];
} pointer_attributes;

typedef struct launch_attribute {
    int id, pad;
    union {
        char bytes[64];
        int number;
        dim3 dim;
    } value;
} launch_attribute;

typedef struct launch_request {
    dim3 grid, block;
    size_t shared;
    void *stream;
    launch_attribute *attributes;
    unsigned count;
} launch_request;
enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4, LAUNCH_DEPENDENT = 6 /* programmatic stream serialisation */ };

typedef struct resource_desc {
    int type; /* 0 array, 1 mipmapped array, 2 linear, 3 pitched */
    union {
        void *array;
        struct {
            void *at;
            channel_desc desc;
            size_t bytes;
        } linear;
        struct {
            void *at;
            channel_desc desc;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
} resource_desc;

typedef struct texture_desc {
    int outside[3], filter, read_mode, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float bias, least, most;
    int no_trilinear, seamless;
} texture_desc;

typedef struct kernel_node {
    void *func;
    dim3 grid, block;
    unsigned shared;
    void **params, **extra;
} kernel_node;

typedef struct memset_node {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} memset_node;

typedef struct host_node {
    void (*call)(void *);
    void *arg;
} host_node;

typedef struct memory_location {
    int type, id;
} memory_location;

_Static_assert(sizeof(copy_3d) == 160 && sizeof(func_attributes) == 144 && sizeof(pointer_attributes) == 88, "");
_Static_assert(sizeof(launch_attribute) == 72 && sizeof(launch_request) == 56 && sizeof(resource_desc) == 144, "");
_Static_assert(sizeof(texture_desc) == 72 && sizeof(kernel_node) == 56 && sizeof(memset_node) == 40, "");

#endif
