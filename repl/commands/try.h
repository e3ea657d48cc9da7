/* try.h: what the parts of `try` share. try_line.c reads the command line, try.c runs the kernel in
 * a child, show_try_why.c asks what holds it back; show_try.c turns the result into a screen or a
 * JSON line; try_name.c deals with the names of kernels. */
#ifndef TRY_H
#define TRY_H

#include "shell/app.h"
#include "run/args.h"
#include "device/device.h"
#include "sim.h"
#include "shell/json.h"
#include "shell/source_text.h"
#include "run/bottleneck.h"

enum { TRY_ARGS_MAX = 256, TRY_DUMPS_MAX = 64, TRY_DUMP_SHORT = 64, TRY_DUMP_LONG = 1 << 20 };

typedef struct try_dump {
    int buffer;
    uint64_t from, to; /* elements; `to` is UINT64_MAX until the buffer's size is known */
    bool is_sliced;    /* a range was given: then all of it is shown */
} try_dump;

typedef struct try_save {
    int buffer;
    const char *file;
} try_save;

/* The command line, understood. */
typedef struct try_plan {
    char *path;         /* the file, without :KERNEL */
    const char *kernel; /* NULL: the only one there is */
    bool is_ptx;
    bool has_grid, has_block;
    uint32_t grid[3], block[3], shared_bytes;
    arg args[TRY_ARGS_MAX];
    int arg_count, buffer_count;
    int buffer_arg[TRY_ARGS_MAX]; /* which argument buffer K is */
    try_dump dumps[TRY_DUMPS_MAX];
    int dump_count;
    try_save saves[TRY_DUMPS_MAX];
    int save_count;
    unsigned checks; /* SIM_CHECK_... */
    bool has_checks; /* asked for */
    bool counters, lines, why;
    uint64_t shuffle; /* 0: in order */
    uint64_t heap;    /* bytes that malloc in the kernel has; 0: as many as on a card */
    int arch;         /* 0: the compiler module's default */
} try_plan;

/* What the child is to run. */
typedef struct try_run {
    struct app *app;
    const try_plan *plan;
    const struct device *device;
    const char *card_text;
    const char *ptx;
    size_t ptx_bytes;
    const char *ptx_name;
    const char *compiler;
} try_run;

/* Everything that is shown of one run. Lives in the child. */
typedef struct try_view {
    struct app *app;
    const try_plan *plan;
    const struct device *device;
    const sim_card *card;
    const sim_kernel *kernel;
    const char *compiler; /* "" for a .ptx */
    const sim_launch *launch;
    const sim_result *result;
    void *dumped[TRY_DUMPS_MAX]; /* elements of each dump, NULL when they could not be read */
    source_cache sources;
    int status;
    bool simulated;
    dev_timing *timing; /* on a GPU, NULL when it was not timed; then: */
    char no_time[240];
    double first_seconds; /* of the first launch on a GPU, by the host's clock */
    sim_occupancy occupancy;
    char limit[300]; /* --why: what its warps waited for, "" when nobody asked or knows; and what it takes otherwise */
    limit_list limits;
} try_view;

/* try_line.c: the command line, read and judged as far as the kernel need not be known. 0 or a
 * status after a message. */
int try_line(struct app *app, try_plan *p, int argc, char **argv);
void try_plan_free(try_plan *p);
/* The option because of which warps run one after the other, and so without a clock: they show most
 * races then. NULL: none. */
const char *try_untimed(const try_plan *p);
const char *try_only_simulated(const try_plan *p); /* the option that only the simulator knows, or NULL */
void try_complete(struct app *app, int argc, char **argv, struct words *out);

/* show_try_why.c: fill in v->limit and v->limits; say them, the first line of all being what the
 * card holds and gives. */
typedef struct try_again_of {
    const try_run *run;
    const sim_launch *launch;
} try_again_of;
double try_again(void *context, const char *without, const char *changes);
void try_why(try_view *v, const try_run *t);
void try_why_text(const try_view *v);
void try_why_json(json *j, const try_view *v);

void try_show_text(try_view *v);
void try_show_json(try_view *v);

/* try_gpu.c: copies of all filled buffers, to be put back before each timed run (-1: no room);
 * timing; showing it. */
int try_gpu_save(const try_plan *p, dev *d, const uint64_t *address, dev_restore *restore);
void try_gpu_time(try_view *v, dev *d, dev_module *m, const dev_restore *restore, int restores);
void try_gpu_verdict(const try_view *v);
void try_gpu_json(json *j, const try_view *v);

/* A kernel's name as its author wrote it: "saxpy", "tile<16>"; other names are returned as they
 * are. */
const char *try_title(const char *symbol, char *buffer, size_t size);
/* A message with every symbol in it replaced by its title. */
const char *try_readable(const char *message, char *buffer, size_t size);
/* The kernel called `name` (symbol, title, or title without its <...>) of a module; NULL name: the
 * only one. NULL after app_fail with the list when there is none or more than one. */
const sim_kernel *try_kernel(struct app *app, const dev *d, const dev_module *m, const char *file, const char *name);

#endif
