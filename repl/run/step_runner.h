/* step_runner.h: the state of a step that runs in a child. step_child.c runs it, step_report.c
 * records its results, and step_gpu.c repeats it for timing. */
#ifndef STEP_RUNNER_H
#define STEP_RUNNER_H

#include "step.h"
#include "course/elements.h"
#include "device/device.h"

/* all that the contents of a filled buffer depend on */
typedef struct buffer_fill {
    const lesson_buffer *buffer;
    uint64_t count;
    fill_stream from;
    int64_t parameter;
    element_program *formula; /* NULL: a generator */
} buffer_fill;

/* of a lesson's step, or of the user's own kernel with the variables that it sets */
enum { STEP_BUFFERS = 320 };

typedef struct runner {
    struct child *c;
    const step_request *q;
    const struct job *job; /* request_job(q) */
    const lesson_step *s;
    dev *dev;
    dev_module *module;
    const sim_kernel *kernel;     /* the user's own */
    cpu_value host[STEP_BUFFERS]; /* contents as filled; for a buffer in rows, the rows alone */
    /* this memory belongs to the card: it has the filled contents until the card changes it */
    bool given[STEP_BUFFERS];
    buffer_fill fill[STEP_BUFFERS];
    uint64_t address[STEP_BUFFERS], bytes[STEP_BUFFERS];
    uint64_t row[STEP_BUFFERS], pitch[STEP_BUFFERS]; /* bytes of a row, and from row to row; 0: in one piece */
    int place[STEP_BUFFERS];                         /* index of the memory that a buffer's name refers to now (swap) */
    int64_t local[LESSON_LOCALS];                    /* let and for */
    cpu_value result[LESSON_LOCALS];                 /* finish */
    bool has_local[LESSON_LOCALS];
    step_result r;       /* the record so far */
    double usage_cycles; /* cycles that the shares in r.usage cover */
    uint64_t longest;    /* cycles of the longest launch */
    step_line *line;     /* by source line */
    size_t line_most;
    int faults;                     /* written so far */
    uint64_t cycles;                /* of all launches */
    sim_place writer[STEP_BUFFERS]; /* last writer of the requested element, in each buffer; line -1: nobody */
    uint32_t block[3];              /* threads per block of the running launch */
    uint64_t spent;                 /* warp instructions used of the budget */
    bool timed;                     /* the card has a clock, and no option rules out timing */
    /* for devices that are timed by repetition (step_gpu.c): */
    bool recording; /* record the acts */
    dev_act *act;
    int acts;
    bool filmed;                        /* the film is made, and the step ends with it */
    bool again;                         /* a repeated run: its output has been printed */
    cpu_value reference[LESSON_RIGHTS]; /* the expected results for these inputs */
    bool was_wrong;                     /* an earlier run's output was wrong: its verdict stands */
    int copied_after[STEP_BUFFERS];     /* number of the launch after which the host copied it back; 0: never */
    double host_side;                   /* seconds that a simulated card's allocations and copies would take */
    double device_seconds;              /* spent allocating, copying and launching; ... */
    double launch_seconds;              /* ... of which launching */
    double cpu_seconds, host_op_seconds;
} runner;

/* Copy into a text of the record, cut to its size; NULL becomes "". */
#define COPY(to, text) snprintf((to), sizeof(to), "%s", (text) ? (text) : "")

runner *runner_new(struct child *c, const step_request *q); /* NULL: out of memory */
/* Each returns 0 or an exit status after writing a problem. */
int runner_open(runner *k);              /* the device and the kernel's module */
int runner_load(runner *k, int refused); /* the module; the status when its PTX is not taken */
int runner_buffers(runner *k);           /* allocates and fills the buffers; the host's copies are made once */
int runner_act(runner *k);               /* the lesson's actions; EXIT_CHECK: a kernel faulted, which is a result */
int runner_judge(runner *k);             /* step_cpu.c */
int runner_read(runner *k, int buffer, cpu_value *out);    /* current contents on the card */
int runner_restore(runner *k, int buffer, sim_error *err); /* restores the filled contents if the card's differ */
int runner_problem(runner *k, int status, const char *advice, const char *fmt, ...) APP_PRINTF(4, 5);
/* an expr_lookup of settings, `let` and `for` variables */
bool runner_value(void *runner, const char *name, size_t length, int64_t *value);
int runner_value_of(runner *k, const expr *e, int line, const char *what, int64_t least, int64_t most, int64_t *out);
/* Has every value of the buffer that the host reads been written? EXIT_CHECK: no, and a fault has
 * been reported. */
int runner_known(runner *k, int buffer);
void runner_count_back(runner *k, int buffer, const cpu_value *v); /* it was copied from the card */
void runner_free(runner *k); /* frees the host's memory; whoever opened the device closes it */
double runner_now(void);

/* ---- step_arguments.c ---- */
int runner_params(runner *k, const lesson_action *a, const sim_kernel *kernel, unsigned char *block);

/* ---- step_cpu.c ---- */
int runner_finish(runner *k, const lesson_action *a);
/* Called before the card changes memory. If the expected result needs buffers whose memory was
 * given to the card, compute it now. */
int runner_before_card(runner *k);
/* May the host read a buffer's original contents after the card could have changed them? */
bool runner_reads_later(const lesson_step *s, int buffer);
/* An expression with its numbers; of a fill, or of what buffer `judged` must be. */
int runner_bind(runner *k, const lesson_formula *f, bool fill, int judged, element_program **out);
int runner_element_problem(runner *k, const lesson_formula *f, const element_error *err);

/* ---- step_hot.c ---- */
bool runner_hot_too(const runner *k); /* is the step run a second time, with its data in the cache? */
int runner_hot(runner *k);            /* repeats the recorded acts, for the counters and the time */

/* ---- step_report.c ---- */
void report_launch(runner *k, const sim_result *r);
void report_fault(runner *k, const sim_fault *f);
void report_counts(runner *k, const sim_result *r); /* adds counters and times only */
void report_forget(runner *k);                      /* discards all of these so far */
void report_occupancy(runner *k, const sim_kernel *kernel, const sim_launch *l);
void report_access(void *runner, const sim_access *a); /* a sim_launch.trace: each access of one warp */
void report_writer(void *runner, const sim_access *a); /* the same: who wrote the requested element */
int report_cycles(runner *k);                          /* 0, or an exit status after writing a problem */
bool report_totals(runner *k);                         /* writes everything that is known at the end */

#endif
