/* job.h: what a request runs. There are five kinds of job, with one file each:
 *
 *     job_lesson.c    a step of a lesson: launches of kernels, or the CPU's part alone
 *     job_own.c       a kernel of the user's own (`try`)
 *     job_launch.c    a launch that was kept from a program, run again alone
 *     job_program.c   a step of a lesson that is a whole program
 *     job_answer.c    a program that answers an exercise
 *
 * Nobody else asks which kind a job is. What others need to know is a fact or an operation
 * below. A kind names lesson_... functions (job_lesson.h) where it does as a lesson's step does.
 * What needs a room above this one is in a table of that room: session/session_job.c,
 * view/view_job.c. */
#ifndef JOB_H
#define JOB_H

#include "course/step_values.h"
#include "sim.h"
#include <stddef.h>

struct runner;
struct step_request;

struct job {
    const struct job_kind *kind;
    const void *data; /* the kind's own, which only its file reads; it belongs to whoever made the job */
};

/* What else than to run it somebody may want of a step. */
typedef enum job_use {
    USE_FILM,     /* `step`, `warps`: what one of its warps does, instruction by instruction */
    USE_ACCESSES, /* its single accesses of memory */
    USE_GPU,      /* to run it on a GPU */
    USE_EXEC      /* `exec` starts it as a program */
} job_use;
typedef struct job_refusal {
    char why[400];
    const char *next; /* what to do instead */
} job_refusal;

/* How `exec` starts a step. */
typedef struct job_command {
    char program[4400], number[LESSON_ARGS][24]; /* the program and its arguments */
    int arguments, cards;
} job_command;

struct job_kind {
    /* ---- facts of a step, whether it is being run or not ---- */
    bool in_course;      /* progress is kept of it; its new words are explained */
    bool beside_lesson;  /* its source lies beside the lesson's file */
    bool compiled_alone; /* its PTX is made of a kernel's file that has none */
    bool counts_shared;  /* the lesson says how much shared memory a launch asks for */
    bool copies_inputs;  /* its inputs are copied to the card for it, and its results back */
    unsigned checks;     /* SIM_CHECK_... that a usual run makes */
    /* Does it serve so? If not, *no says why. `name`: how the step is called there. */
    bool (*serves)(job_use use, const lesson_step *s, const char *name, job_refusal *no);
    /* Is what it runs there? A program may not have been built with warpstep. */
    bool (*is_built)(const lesson *l, const lesson_step *s);
    /* If it serves USE_EXEC. 0, or a status with a sentence in `why`. */
    int (*command)(const lesson *l, const lesson_step *s, const char *name, const step_values *v, job_command *out,
                   char *why, size_t size);

    /* ---- facts of a request, in the parent ---- */
    const char *label;                                                   /* in the progress line; NULL: its name */
    void (*title)(const struct step_request *q, char *out, size_t size); /* of its film */
    int (*file)(const struct job *j);                                    /* that the child keeps open; 0: none */
    double grace;                                                        /* seconds: it ends itself at the limit */
    size_t answer_most;                                                  /* bytes of the answer; 0: the usual */
    bool recalled;                                                       /* its answer may be kept for another time */
    bool may_be_untimed; /* on a GPU: a kernel that cannot be timed is no failure; and its copies are not timed */

    /* ---- in the child; an int is 0 or an exit status after writing a problem ---- */
    int no_card;                                   /* the status where the card cannot be opened */
    int length_bits;                               /* of the most elements of a buffer */
    int64_t parameter_least, parameter_most;       /* of a buffer's fill */
    bool reads_unfilled;                           /* the host reads a buffer that it did not fill */
    const char *whose, *smaller;                   /* too large a buffer: "step's ", and the advice */
    int faults_most;                               /* that are reported */
    int (*open)(struct runner *k);                 /* loads the module; the card is open */
    int (*run)(struct runner *k);                  /* all that follows, once */
    int (*buffers)(struct runner *k);              /* allocates and fills memory */
    int (*variable)(struct runner *k, int buffer); /* finds the variable that this buffer sets */
    int (*put_back)(struct runner *k);             /* the memory as it was, before a second run */
    int (*params)(struct runner *k, const lesson_action *a, const sim_kernel *kernel, unsigned char *block);
    void (*options)(const struct runner *k, sim_launch *l);        /* of the launch */
    int (*look)(struct runner *k, const sim_result *r);            /* after the first run's launch: dumps and files */
    void (*prints)(struct runner *k, const sim_result *r);         /* reports what the kernel printed */
    void (*lines)(struct runner *k, const sim_result *r);          /* counters by source line */
    int (*ended)(struct runner *k, const sim_result *r, int code); /* what it means how the launch ended */
};

const struct job *step_job(const lesson_step *s);            /* of a step */
const struct job *request_job(const struct step_request *q); /* of a request: its own, or its step's */
bool job_serves(const lesson_step *s, job_use use);          /* step_job(s)->kind->serves, without the reason */

#endif
