/* driver.h: what the files of the driver's face share. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include "cuda/abi.h"
#include "cuda/core/core.h"
#include <stdlib.h>
#include <string.h>

#define API PUBLIC int
enum { DRIVER_VERSION = 13000 };

/* Locks; *d: the device of the thread's context. Not E_OK: nothing can be done, but leave() all the
 * same. */
int drv_enter(device **d);
int drv_enter_stream(device **d, void *handle, stream **st);
int drv_leave(int code, double cost);
bool drv_initialised(void);

/* Textures, as the driver describes them. */
typedef struct drv_resource {
    int type;
    union {
        void *array;
        struct {
            uint64_t at;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            uint64_t at;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
} drv_resource;
typedef struct drv_texture {
    int outside[3], filter;
    unsigned flags; /* 1 integers stay, 2 normalized */
    unsigned rest[16];
} drv_texture;
typedef struct drv_array { /* CUDA_ARRAY_DESCRIPTOR */
    size_t width, height;
    int format;
    unsigned channels;
} drv_array;
/* A copy, as the driver describes it. */
typedef struct copy_end_3d {
    size_t x, y, z, level;
    int type;
    const void *host;
    uint64_t device;
    void *array, *context;
    size_t pitch, height;
} copy_end_3d;
typedef struct drv_copy_3d {
    copy_end_3d from, to;
    size_t width, height, depth;
} drv_copy_3d;
int drv_copy_of(const drv_copy_3d *p, copy *out);

int drv_make_object(unsigned long long *out, const drv_resource *r, const drv_texture *t);
image *drv_module(void *handle);
bool drv_is_missing(const char *name);

#endif
