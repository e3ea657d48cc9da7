/* try.h: shared by the files of `try`. try_line.c reads the command line, try.c makes a step of it
 * and runs that, show_try.c prints the record as text or JSON, show_try_why.c finds the
 * bottlenecks. */
#ifndef TRY_H
#define TRY_H

#include "device/compile.h"
#include "run/bottleneck.h"
#include "run/step.h"
#include "run/job_own.h"
#include "shell/document.h"
#include "shell/source_text.h"

enum { TRY_ARGS_MAX = 256, TRY_SETS_MAX = 64, TRY_DUMP_SHORT = 64, TRY_DUMP_LONG = 1 << 20 };

/* The parsed command line. */
typedef struct try_plan {
    char *path;         /* the file, without :KERNEL */
    const char *kernel; /* NULL: the file's only kernel */
    bool is_ptx;
    bool has_grid, has_block;
    uint32_t grid[3], block[3], cluster[3], shared_bytes; /* cluster 0: as the kernel says */
    kernel_arg args[TRY_ARGS_MAX], sets[TRY_SETS_MAX];
    int arg_count, set_count, buffer_count;
    int buffer_arg[TRY_ARGS_MAX]; /* index of the argument that is buffer K */
    char *set_name[TRY_SETS_MAX];
    own_dump dumps[STEP_DUMPS];
    own_save saves[STEP_DUMPS];
    int dump_count, save_count;
    unsigned checks; /* SIM_CHECK_... */
    bool has_checks; /* --check was given */
    bool counters, lines, why;
    char *words;      /* as words of `step`; NULL: not known */
    uint64_t shuffle; /* 0: numerical order */
    uint64_t heap;    /* bytes for malloc in the kernel; 0: as many as on a card */
    int arch;         /* 0: the compiler module's default */
} try_plan;

/* All that is shown of one run. */
typedef struct try_view {
    struct app *app;
    const try_plan *plan;
    const struct device *device;
    const step_request *request;
    const own_kernel *own; /* what the request's job is about */
    const step_result *r;
    source_cache sources;
    int ended, status; /* how it ended (SIM_OK, SIM_E_FAULT or SIM_E_STOPPED), dumps included; the exit status */
    char limit[300];   /* --why: what its warps waited for; "": not requested, or unknown */
    limit_list limits;
} try_view;

/* try_line.c: reads the command line, and checks all that does not depend on the kernel. 0, or a
 * status after a message. */
int try_line(struct app *app, try_plan *p, int argc, char **argv);
void try_plan_free(try_plan *p);
/* The option that makes warps run one after the other to expose races, and so without a clock.
 * NULL: none. */
const char *try_untimed(const try_plan *p);
const char *try_only_simulated(const try_plan *p); /* an option that only the simulator supports, or NULL */
void try_complete(struct app *app, int argc, char **argv, struct words *out);

/* try.c: a request for the kernel, and what it points to. 0, or a status after a message; either way
 * `m` is to be freed after it. */
typedef struct try_made {
    struct try_step *step;
    compile_result compiled;
    char *text;
} try_made;
int try_request(struct app *app, const try_plan *p, const struct device *d, int count, step_request *q, try_made *m);
void try_made_free(try_made *m);

/* show_try_why.c: try_why fills in v->limit and v->limits. try_why_text prints them, after the
 * occupancy. */
void try_why(try_view *v);
void try_why_text(doc *d, const try_view *v);
void try_why_json(json *j, const try_view *v);

void try_show(doc *d, try_view *v);

#endif
