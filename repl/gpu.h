/* gpu.h: the CUDA driver, loaded at run time; gpu.c is the only file that touches it, and only ever in a child. */
#ifndef GPU_H
#define GPU_H

#include <stddef.h>
#include <stdint.h>

typedef struct gpu_info {
    char name[96];
    int cc_major, cc_minor, multiprocessors, clock_khz;
    uint64_t memory_bytes;
} gpu_info;

/* Ask the driver what there is. The number of GPUs, of which the first `room` are described; 0 and why when none. */
int gpu_list(gpu_info *out, int room, int *driver_version, char *why, size_t why_size);

#endif
