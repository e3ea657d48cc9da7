/* device.h: an opened device, a simulated card or a GPU, behind a dozen functions.
 *
 * Used in a child only (child.h), since a kernel can ruin a process that has opened a GPU. Devices
 * use sim.h's own structs (card, kernel, launch, result, error), so nothing is translated. A GPU
 * leaves out what it cannot know (counters, checks, traces), and reports a fault without its place.
 * device_sim.c and device_gpu.c are the two implementations; each fills a dev_ops.
 *
 * Ownership: dev_open and dev_close own all memory and modules of the device. A result belongs to
 * the caller, who empties it with dev_result_free. Every function returns 0, or a code with *err
 * filled: a SIM_E code, or one of those below. After SIM_E_FAULT or DEV_E_LOST this process can no
 * longer use the GPU: end the child. */
#ifndef DEVICE_H
#define DEVICE_H

#include "shell/app.h"
#include "sim.h"

typedef struct dev dev;
typedef struct dev_module dev_module;

enum {
    DEV_E_ABSENT = 100, /* no such device, no driver, or no permission to use it */
    DEV_E_LOST          /* the driver failed */
};

/* What is known of a device beyond its card. */
typedef struct dev_about {
    bool simulated;
    bool has_clock;           /* timed launches report their cycles (sim_result.cycles) */
    char driver[64];          /* "driver 580.65, CUDA 13.0"; "" when simulated */
    int memory_khz, bus_bits; /* a GPU's memory clock and bus width; 0: unknown */
    uint64_t l2_bytes;
    int lanes; /* single-precision units per multiprocessor, by compute capability; 0: unknown */
} dev_about;

/* ---- timing, for devices whose time is only known by running ---- */

/* One act of a timed run: a launch, or clearing memory between launches. */
typedef struct dev_act {
    dev_module *module; /* NULL: zero `bytes` at `address` */
    sim_launch launch;  /* its kernel and params belong to the maker of the plan */
    uint64_t address, bytes;
} dev_act;

/* Restores `bytes` at `address` to their contents before the run: a copy from `from`, or zeros when
 * that is 0. */
typedef struct dev_restore {
    uint64_t address, from, bytes;
} dev_restore;

/* one run, to be repeated */
typedef struct dev_plan {
    const dev_act *act;
    int acts;
    const dev_restore *restore;
    int restores;
    uint64_t clock; /* address of one start per block, then one end per block, 64 bits each; 0: none */
    uint64_t blocks;
} dev_plan;

typedef struct dev_wish {
    bool hot;       /* leave the cache as the previous run left it */
    double seconds; /* approximate total for all samples; 0: half a second per plan */
} dev_wish;

enum { DEV_SAMPLES = 64 };
typedef struct dev_timing {
    bool hot;
    int batch;                   /* runs per sample, averaged */
    int samples, discarded;      /* kept; discarded because the clock was low */
    double seconds[DEV_SAMPLES]; /* per run, in the order of measurement */
    double other;                /* the median with the opposite cache state (hot or cold); 0: not measured */
    double slowest, span;        /* medians of cycles: the slowest block; latest end minus earliest start; 0: none */
    double clock_mhz;            /* median over the samples, clock64 against globaltimer */
    double overhead;             /* seconds subtracted from each: the cost of the two events */
    char doubt[160];             /* why the figures are inconclusive; "" when they are conclusive */
} dev_timing;

/* The best that the device does when it copies its own memory, reads and writes both counted.
 * Measured once and kept. */
typedef struct dev_reach {
    double copy_bytes; /* per second */
    uint64_t copied;   /* size of the block that was copied */
} dev_reach;

typedef struct dev_ops {
    void (*close)(dev *d);
    int (*load)(dev *d, const char *name, const char *ptx, size_t bytes, dev_module **out, sim_error *err);
    int (*kernels)(const dev_module *m);
    const sim_kernel *(*kernel_at)(const dev_module *m, int i);
    int (*alloc)(dev *d, uint64_t bytes, const char *name, uint64_t *address, sim_error *err);
    /* the same with the host's memory, which the device then owns (sim_give); NULL: it has its own
     * memory */
    int (*give)(dev *d, void *memory, uint64_t bytes, const char *name, sim_fill *again, void *arg, uint64_t *address,
                sim_error *err);
    int (*free)(dev *d, uint64_t address, sim_error *err);
    int (*write)(dev *d, uint64_t address, const void *data, uint64_t bytes, sim_error *err);
    int (*read)(dev *d, uint64_t address, void *data, uint64_t bytes, sim_error *err);
    int (*zero)(dev *d, uint64_t address, uint64_t bytes, sim_error *err);
    bool (*known)(dev *d, uint64_t address, uint64_t bytes, sim_unknown *out); /* sim_known; NULL: it cannot tell */
    void (*empty_cache)(dev *d);                                               /* NULL: its way of timing does that */
    /* address and size of a variable of the module */
    int (*symbol)(dev *d, dev_module *m, const char *name, uint64_t *address, uint64_t *bytes, sim_error *err);
    int (*launch)(dev *d, dev_module *m, const sim_launch *l, sim_result *r, sim_error *err);
    int (*texture)(dev *d, const sim_texture *t, uint64_t *handle, sim_error *err); /* NULL: no textures */
    int (*map)(dev *d, const sim_tensor_map *m, unsigned char out[128], sim_error *err);
    /* copies rows of the host's packed data to or from memory where they are `pitch` apart; NULL:
     * one copy per row is as good */
    int (*rows)(dev *d, uint64_t address, uint64_t pitch, void *data, uint64_t row, uint64_t rows, bool to_card,
                sim_error *err);
    /* NULL where launches report their own cycles: */
    int (*copy)(dev *d, uint64_t to, uint64_t from, uint64_t bytes, sim_error *err);
    int (*time)(dev *d, const dev_plan *plan, int plans, const dev_wish *wish, dev_timing *out, sim_error *err);
    int (*reach)(dev *d, dev_reach *out, sim_error *err);
    int (*transfer)(dev *d, uint64_t bytes, double seconds[2], sim_error *err);
    sim *(*simulator)(dev *d); /* NULL: it is none */
    /* NULL where the kernel's own description is all that is known */
    void (*occupancy)(dev *d, dev_module *m, const sim_kernel *k, const sim_launch *l, sim_occupancy *out);
} dev_ops;

/* the first member of each implementation's own struct */
struct dev {
    const dev_ops *ops;
    sim_card card;
    dev_about about;
};

/* Open a device. card_text: the card's file, for a simulated one. */
int dev_open(dev **out, const struct device *d, const char *card_text, sim_error *err);
void dev_close(dev *d); /* NULL is fine */
static inline const sim_card *dev_card(const dev *d) { return &d->card; }
static inline const dev_about *dev_info(const dev *d) { return &d->about; }

int dev_load(dev *d, const char *name, const char *ptx, size_t bytes, dev_module **out, sim_error *err);
int dev_kernels(const dev *d, const dev_module *m);
const sim_kernel *dev_kernel_at(const dev *d, const dev_module *m, int i);
const sim_kernel *dev_kernel_named(const dev *d, const dev_module *m, const char *name);

int dev_alloc(dev *d, uint64_t bytes, const char *name, uint64_t *address, sim_error *err);
int dev_free(dev *d, uint64_t address, sim_error *err);
int dev_write(dev *d, uint64_t address, const void *data, uint64_t bytes, sim_error *err);
int dev_read(dev *d, uint64_t address, void *data, uint64_t bytes, sim_error *err);
int dev_copy(dev *d, uint64_t to, uint64_t from, uint64_t bytes, sim_error *err); /* where dev_time is available */
int dev_zero(dev *d, uint64_t address, uint64_t bytes, sim_error *err);
/* Does the memory hold values that no part of the program has written? True: `out` is a fault for
 * whoever reads them. It says `name` and `unit` (bytes per element); its strings belong to the
 * device. */
bool dev_unknown(dev *d, uint64_t address, uint64_t bytes, const char *name, uint32_t unit, sim_fault *out);
bool dev_has_cache(const dev *d); /* a simulated card with an L2 */
void dev_empty_cache(dev *d);     /* of a simulated card: the next launch finds nothing in the L2 */

/* A texture as a kernel's argument. It lives as long as the device. */
int dev_texture(dev *d, const sim_texture *t, uint64_t *handle, sim_error *err);

/* A tensor map as a kernel's argument: its 128 bytes. */
int dev_map(dev *d, const sim_tensor_map *m, unsigned char out[128], sim_error *err);

int dev_symbol(dev *d, dev_module *m, const char *name, uint64_t *address, uint64_t *bytes, sim_error *err);
/* Run a kernel to completion. */
int dev_launch(dev *d, dev_module *m, const sim_launch *l, sim_result *r, sim_error *err);
void dev_result_free(sim_result *r);
/* Repeat the plans in turns and time them; `out` has one timing per plan. */
int dev_time(dev *d, const dev_plan *plan, int plans, const dev_wish *wish, dev_timing *out, sim_error *err);
int dev_reach_of(dev *d, dev_reach *out, sim_error *err);
/* Seconds for a copy of so many bytes to the device, from pageable and from page-locked memory. 0:
 * not measured, for example when the copy is too large to repeat. */
int dev_transfer(dev *d, uint64_t bytes, double seconds[2], sim_error *err);
/* How many blocks of a launch fit on a multiprocessor. */
void dev_occupancy(dev *d, dev_module *m, const sim_kernel *k, const sim_launch *l, sim_occupancy *out);
sim *dev_simulator(dev *d); /* what a simulated card is made of; NULL: it is a GPU */
/* For films: names of registers are kept of modules loaded from now on; the module of a simulated
 * card (NULL: of a GPU). */
void dev_keep_names(dev *d);
const sim_module *dev_sim_module(const dev *d, const dev_module *m);
bool dev_lost(const sim_error *err); /* after this failure the process can no longer use the device */

/* The exit status for a failure; `fallback` if its code does not determine one. */
int dev_status(const sim_error *err, int fallback);

/* The implementations. */
int device_sim_open(dev **out, const struct device *d, const char *card_text, sim_error *err);
int device_gpu_open(dev **out, const struct device *d, sim_error *err);

#endif
