/* device.h: an opened device: a simulated card or a GPU, behind one dozen functions.
 *
 * Only ever used in a child (child.h): opening a GPU makes this process one that a kernel can ruin.
 * What a device says and takes are sim.h's own structs (a card, a kernel, a launch, a result, an
 * error), so that nobody has to translate; a GPU leaves out what it cannot know (counters, checks,
 * traces) and reports a fault without the place where it happened. device_sim.c and device_gpu.c
 * are the two implementations; each fills a dev_ops.
 *
 * Who owns what: dev_open/dev_close own everything of the device: memory, modules. A result is the
 * caller's, emptied with dev_result_free. Every function returns 0 or a code with *err filled: a
 * SIM_E code, or one of those below. After SIM_E_FAULT or DEV_E_LOST a GPU is of no more use to
 * this process: end the child.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "shell/app.h"
#include "sim.h"

typedef struct dev dev;
typedef struct dev_module dev_module;

enum {
    DEV_E_ABSENT = 100, /* no such device, no driver, or no right to use it */
    DEV_E_LOST          /* the driver failed */
};

/* What is known of a device beyond its card. */
typedef struct dev_about {
    bool simulated;
    bool has_clock;           /* a timed launch says its cycles (sim_result.cycles) */
    char driver[64];          /* "driver 580.65, CUDA 13.0"; "" when simulated */
    int memory_khz, bus_bits; /* of a GPU: its memory's clock and width; 0: not known */
    uint64_t l2_bytes;
    int lanes; /* single-precision units of a multiprocessor, by compute capability; 0: not known */
} dev_about;

/* ---- measuring: for devices whose time can only be had by running ---- */

/* One thing of a run that is timed: a launch, or memory set to zero between launches. */
typedef struct dev_act {
    dev_module *module; /* NULL: zero `bytes` at `address` */
    sim_launch launch;  /* kernel and params owned by whoever made the plan */
    uint64_t address, bytes;
} dev_act;

/* Put `bytes` at `address` back as they were before the run: a copy of what is at `from`, or zeros
 * when that is 0. */
typedef struct dev_restore {
    uint64_t address, from, bytes;
} dev_restore;

/* one run, to be repeated */
typedef struct dev_plan {
    const dev_act *act;
    int acts;
    const dev_restore *restore;
    int restores;
    uint64_t clock; /* address of `blocks` starts, then as many ends, 64 bits each; 0: the kernels keep no time */
    uint64_t blocks;
} dev_plan;

typedef struct dev_wish {
    bool hot;       /* leave the cache as the run before left it */
    double seconds; /* about what all samples together may take; 0: half a second a plan */
} dev_wish;

enum { DEV_SAMPLES = 64 };
typedef struct dev_timing {
    bool hot;
    int batch;                   /* runs in each sample, averaged */
    int samples, discarded;      /* kept; thrown away because the clock was low */
    double seconds[DEV_SAMPLES]; /* of a run, as taken, in order */
    double other;                /* the median with the cache the other way (hot, or cold); 0: not taken */
    double slowest, span;        /* cycles: slowest block; latest end minus earliest start. 0: none. Medians */
    double clock_mhz;            /* median over the samples, clock64 against globaltimer */
    double overhead;             /* what was taken off each: seconds that two events cost by themselves */
    char doubt[160];             /* why the figures are inconclusive; "" when they are not */
} dev_timing;

/* What the device does at best: copying its own memory, reading and writing counted. Kept once
 * known. */
typedef struct dev_reach {
    double copy_bytes; /* a second */
    uint64_t copied;   /* bytes of the block that was copied */
} dev_reach;

typedef struct dev_ops {
    void (*close)(dev *d);
    int (*load)(dev *d, const char *name, const char *ptx, size_t bytes, dev_module **out, sim_error *err);
    int (*kernels)(const dev_module *m);
    const sim_kernel *(*kernel_at)(const dev_module *m, int i);
    int (*alloc)(dev *d, uint64_t bytes, const char *name, uint64_t *address, sim_error *err);
    /* the same, made of the host's memory, which the device then owns (sim_give); NULL: it has its
     * own */
    int (*give)(dev *d, void *memory, uint64_t bytes, const char *name, sim_fill *again, void *arg, uint64_t *address,
                sim_error *err);
    int (*free)(dev *d, uint64_t address, sim_error *err);
    int (*write)(dev *d, uint64_t address, const void *data, uint64_t bytes, sim_error *err);
    int (*read)(dev *d, uint64_t address, void *data, uint64_t bytes, sim_error *err);
    int (*zero)(dev *d, uint64_t address, uint64_t bytes, sim_error *err);
    bool (*known)(dev *d, uint64_t address, uint64_t bytes, sim_unknown *out); /* sim_known; NULL: it cannot tell */
    void (*empty_cache)(dev *d); /* NULL: its own way of taking the time does that */
    /* where a variable of the module lies, and how long it is */
    int (*symbol)(dev *d, dev_module *m, const char *name, uint64_t *address, uint64_t *bytes, sim_error *err);
    int (*launch)(dev *d, dev_module *m, const sim_launch *l, sim_result *r, sim_error *err);
    int (*texture)(dev *d, const sim_texture *t, uint64_t *handle, sim_error *err); /* NULL: it makes none */
    /* rows of the host's packed data, to or from memory where they lie `pitch` apart; NULL: one by
     * one does as well */
    int (*rows)(dev *d, uint64_t address, uint64_t pitch, void *data, uint64_t row, uint64_t rows, bool to_card,
                sim_error *err);
    /* NULL where launches say their own cycles: */
    int (*copy)(dev *d, uint64_t to, uint64_t from, uint64_t bytes, sim_error *err);
    int (*time)(dev *d, const dev_plan *plan, int plans, const dev_wish *wish, dev_timing *out, sim_error *err);
    int (*reach)(dev *d, dev_reach *out, sim_error *err);
    int (*transfer)(dev *d, uint64_t bytes, double seconds[2], sim_error *err);
    /* NULL where the kernel's own description is all there is to go by */
    void (*occupancy)(dev *d, dev_module *m, const sim_kernel *k, const sim_launch *l, sim_occupancy *out);
} dev_ops;

/* the first member of each implementation's own struct */
struct dev {
    const dev_ops *ops;
    sim_card card;
    dev_about about;
};

/* Open it. card_text: of a simulated one. */
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
int dev_copy(dev *d, uint64_t to, uint64_t from, uint64_t bytes, sim_error *err); /* where dev_time works */
int dev_zero(dev *d, uint64_t address, uint64_t bytes, sim_error *err);
/* Was something stored there of which no part of the program says what it is? True: a fault for
 * whoever looks at it, `name` and `unit` (bytes of an element) say what it is. Its strings are the
 * device's. */
bool dev_unknown(dev *d, uint64_t address, uint64_t bytes, const char *name, uint32_t unit, sim_fault *out);
bool dev_has_cache(const dev *d); /* a simulated card with an L2 */
void dev_empty_cache(dev *d);     /* of a simulated card: what is launched next finds nothing in the L2 */

/* What a kernel takes as a texture; it lives as long as the device. */
int dev_texture(dev *d, const sim_texture *t, uint64_t *handle, sim_error *err);

int dev_symbol(dev *d, dev_module *m, const char *name, uint64_t *address, uint64_t *bytes, sim_error *err);
/* Run a kernel to its end. */
int dev_launch(dev *d, dev_module *m, const sim_launch *l, sim_result *r, sim_error *err);
void dev_result_free(sim_result *r);
/* Run plans again and again, in turns, and time them; out has one for each. */
int dev_time(dev *d, const dev_plan *plan, int plans, const dev_wish *wish, dev_timing *out, sim_error *err);
int dev_reach_of(dev *d, dev_reach *out, sim_error *err);
/* Seconds that a copy of so many bytes to the device takes from pageable and from page-locked
 * memory; 0: not measured, as when they are too many to be copied again and again. */
int dev_transfer(dev *d, uint64_t bytes, double seconds[2], sim_error *err);
/* How many blocks of a launch fit. */
void dev_occupancy(dev *d, dev_module *m, const sim_kernel *k, const sim_launch *l, sim_occupancy *out);
bool dev_lost(const sim_error *err); /* after this failure the process can do no more with the device */

/* The exit status for a failure; `fallback` when its code does not decide it. */
int dev_status(const sim_error *err, int fallback);

/* The implementations. */
int device_sim_open(dev **out, const struct device *d, const char *card_text, sim_error *err);
int device_gpu_open(dev **out, const struct device *d, sim_error *err);

#endif
