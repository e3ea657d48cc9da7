/* step_runner.h: a step being run in a child, shared by step_child.c, which does it, step_report.c,
 * which writes down what came of it, and step_gpu.c, which does it again and again for the time it
 * takes. */
#ifndef STEP_RUNNER_H
#define STEP_RUNNER_H

#include "step.h"
#include "device/device.h"

/* all that what is filled in depends on */
typedef struct buffer_fill {
    const lesson_buffer *buffer;
    uint64_t count;
    fill_stream from;
    int64_t parameter;
} buffer_fill;

/* those of a lesson's step, or of a kernel of one's own with the variables that it sets */
enum { STEP_BUFFERS = 320 };

typedef struct runner {
    struct child *c;
    const step_request *q;
    const lesson_step *s;
    dev *dev;
    dev_module *module;
    const sim_kernel *kernel;     /* of one's own */
    cpu_value host[STEP_BUFFERS]; /* as filled: of a buffer in rows, the rows alone */
    /* that memory is the card's: it says what was filled in until the card changes it */
    bool given[STEP_BUFFERS];
    buffer_fill fill[STEP_BUFFERS];
    uint64_t address[STEP_BUFFERS], bytes[STEP_BUFFERS];
    uint64_t row[STEP_BUFFERS], pitch[STEP_BUFFERS]; /* bytes of a row, and to the next; 0: it is one piece */
    int place[STEP_BUFFERS];                         /* buffer name -> which memory it stands for now (swap) */
    int64_t local[LESSON_LOCALS];                    /* let and for */
    cpu_value result[LESSON_LOCALS];                 /* finish */
    bool has_local[LESSON_LOCALS];
    step_result r;       /* what is recorded of it */
    double usage_cycles; /* that the shares in r.usage are of */
    uint64_t longest;    /* cycles of the longest launch */
    step_line *line;     /* by source line */
    int line_most;
    int faults;                     /* written so far */
    uint64_t cycles;                /* of all launches */
    sim_place writer[STEP_BUFFERS]; /* of the element asked for, in each buffer; line -1: nobody */
    uint32_t block[3];              /* threads of the running launch */
    uint64_t spent;                 /* warp instructions, of the budget */
    bool timed;                     /* the card has a clock, and nothing is asked that would slow it down */
    /* on a device that is timed by running again (step_gpu.c): */
    bool recording; /* write down what is done */
    dev_act *act;
    int acts, acts_most;
    bool again;            /* a run once more: what it prints has been said */
    cpu_value reference;   /* what is right, for these inputs */
    bool was_wrong;        /* a run before this one was: its verdict stands */
    double host_side;      /* seconds that a simulated card's allocations and copies would take */
    double device_seconds; /* in allocating, copying and launching; */
    double launch_seconds; /* of which launching */
    double cpu_seconds, host_op_seconds;
} runner;

/* Into a text of the record, cut to its length; NULL is "". */
#define COPY(to, text) snprintf((to), sizeof(to), "%s", (text) ? (text) : "")

runner *runner_new(struct child *c, const step_request *q); /* NULL: out of memory */
/* Each returns 0 or an exit status after writing a problem. */
int runner_open(runner *k);    /* the device and the kernel's module */
int runner_buffers(runner *k); /* allocated and filled; the host's copies are made once */
int runner_act(runner *k);     /* the lesson's actions; EXIT_CHECK: a kernel faulted, which is a result */
int runner_judge(runner *k);
int runner_read(runner *k, int buffer, cpu_value *out);    /* as it is on the card now */
int runner_restore(runner *k, int buffer, sim_error *err); /* as filled, if that is not what is on the card */
int runner_problem(runner *k, int status, const char *advice, const char *fmt, ...) APP_PRINTF(4, 5);
/* an expr_lookup: settings, let and for */
bool runner_value(void *runner, const char *name, size_t length, int64_t *value);
void runner_free(runner *k); /* what the host holds; the device is closed by whoever opened it */
double runner_now(void);

/* ---- step_hot.c ---- */
int runner_hot(runner *k); /* what was recorded once more, for what is counted and timed */

/* ---- step_report.c ---- */
void report_launch(runner *k, const sim_result *r);
void report_fault(runner *k, const sim_fault *f);
void report_counts(runner *k, const sim_result *r); /* of it what is counted and timed */
void report_forget(runner *k);                      /* all of that so far */
void report_occupancy(runner *k, const sim_kernel *kernel, const sim_launch *l);
void report_access(void *runner, const sim_access *a); /* a sim_launch.trace: each access of one warp */
void report_writer(void *runner, const sim_access *a); /* the same: who wrote the element that is asked for */
int report_cycles(runner *k);                          /* 0, or an exit status after writing a problem */
bool report_totals(runner *k);                         /* writes all that is known at the end */

#endif
