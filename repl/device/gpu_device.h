/* gpu_device.h: an opened GPU, shared by device_gpu.c and gpu_time.c. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include "device.h"
#include "gpu.h"

typedef struct gpu_module {
    struct gpu_module *next;
    void *handle;
    sim_module *known;  /* parsed PTX, for names and parameters; NULL when the parser declined: then ... */
    sim_kernel *kernel; /* ... what the driver said */
    sim_param *param;
    int kernels;
} gpu_module;

typedef struct gpu_allocation {
    struct gpu_allocation *next;
    uint64_t address, bytes;
    char name[32];
} gpu_allocation;

typedef struct gpu_device {
    dev d;
    const gpu_driver *cu;
    int index, device;
    void *context, *stream;
    gpu_module *modules;
    gpu_allocation *allocations;
    sim *reader;     /* parses PTX; runs nothing */
    sim_fault fault; /* the last launch's, if it faulted */
    sim_print print; /* what it printed, in `printed` */
    char *printed;
    int code;                        /* the driver's last failure */
    bool lost;                       /* a fault made the context unusable */
    struct gpu_clockwork *clockwork; /* defined in gpu_time.c */
} gpu_device;

/* Queue a launch on the device's stream and return at once. */
int gpu_queue(gpu_device *g, gpu_module *m, const sim_launch *l, sim_error *err);
/* Wait for everything that is queued. */
int gpu_finish(gpu_device *g, const char *what, sim_error *err);
int gpu_code(gpu_device *g, int code, const char *what, sim_error *err); /* 0, or like gpu_failed */

/* gpu_time.c */
int gpu_time(dev *d, const dev_plan *plan, int plans, const dev_wish *wish, dev_timing *out, sim_error *err);
int gpu_reach(gpu_device *g, dev_reach *out, sim_error *err);
int gpu_transfer(gpu_device *g, uint64_t bytes, double seconds[2], sim_error *err);

#endif
