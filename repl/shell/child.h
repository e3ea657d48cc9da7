/* child.h: running something in a process of its own, within limits, and reading its answer.
 *
 * A kernel, simulated or on a GPU, never runs in the REPL's own process: it may spin, eat memory or
 * crash. child_run forks; the child calls `work`, which writes its answer to a pipe (child_put) and
 * returns a status; the parent collects the answer until the child ends, its time or memory limit
 * is reached, or Ctrl-C. The child leads a process group of its own, so that what it started ends
 * with it, and it dies when the REPL does. Of the parent's descriptors it keeps its answer's and
 * the first three.
 *
 * The child inherits all memory of the parent as it was: pass pointers in `arg` freely. It must not
 * use app->out; what it writes to stderr is seen by the person at once (progress). Nothing it does
 * to memory reaches the parent: only the answer does. Treat the answer as untrusted: a child that
 * went wrong may have written anything, or half of it.
 */
#ifndef CHILD_H
#define CHILD_H

#include "app.h"
#include "seal.h"

struct child; /* within the child: where the answer goes */

typedef int child_work(struct child *c, void *arg); /* returns 0 to 255: child_result.status */

enum child_end {
    CHILD_DONE,        /* it returned (or exited): see status */
    CHILD_TIME,        /* ended at its time limit */
    CHILD_INTERRUPTED, /* ended by Ctrl-C */
    /* ended by a signal that we did not send: see signal; a memory limit shows as this, or as
     * status */
    CHILD_CRASHED,
    CHILD_FLOOD, /* its answer exceeded max_answer; ended */
    CHILD_FAILED /* no process could be started, or its answer was not taken whole: see message */
};

struct child_limits {
    double seconds;      /* wall clock; 0: none */
    size_t memory_bytes; /* address space beyond what the parent has; 0: none. Not for children that use CUDA */
    size_t max_answer;   /* 0: 64 MiB */
    double cpu_seconds;  /* of each process; 0: none */
    size_t file_bytes;   /* the longest file it may write; 0: no limit */
    enum child_seal seal;
    const seal_view *view; /* the files that there are for one that is sealed; see seal.h */
    const char *folder;    /* where it works; NULL: where we are */
    /* what takes so long: named on stderr, with the time it has taken, when that is a terminal and
     * half a second has passed; NULL: nothing is */
    const char *label;
    bool at_once; /* without waiting for that half second */
    /* Unless NULL: called with all of the answer there is when more of it has come, which may end
     * within a line. It may write another label. */
    void (*hears)(void *arg, const char *answer, size_t bytes);
    void *hears_arg;
};

struct child_result {
    enum child_end end;
    int status, signal;
    char *answer; /* bytes long and a NUL after; what had arrived, also when the end was not CHILD_DONE */
    size_t bytes;
    double seconds;
    char message[160]; /* one sentence for every end but CHILD_DONE */
};

/* Run work(arg) in a child. Always fills `r` (free it with child_free). Returns EXIT_DONE when end
 * is CHILD_DONE, whatever its status; EXIT_TIME, EXIT_INTERRUPT, or EXIT_INTERNAL else. Prints
 * nothing. */
int child_run(const struct child_limits *limits, child_work *work, void *arg, struct child_result *r);

/* Run a program, its stdout and stderr together as the answer, its stdin empty. argv ends with
 * NULL; PATH is searched. A program that cannot be started gives CHILD_FAILED. */
int child_exec(const struct child_limits *limits, char *const argv[], struct child_result *r);

/* A child that is kept between runs, where opening what it needs costs much (a GPU's context).
 * `*kept` is NULL at first; child_ask starts one if need be and gives it the request, a copy of
 * `bytes` bytes: `work` gets that copy as its arg. The child sees the parent's memory as it was
 * when the child was started: pass no pointer to anything newer. It ends itself when work returns a
 * status with CHILD_LAST added, and is ended, and *kept NULL again, when a run does not end with
 * CHILD_DONE. */
enum { CHILD_LAST = 256 };
struct child_kept;
int child_ask(struct child_kept **kept, const struct child_limits *limits, child_work *work, const void *request,
              size_t bytes, struct child_result *r);
void child_release(struct child_kept **kept); /* end it; NULL is fine */

void child_free(struct child_result *r);

/* In the child: seal it now, where it needs files first that its limits would not let it have. */
void child_seal_now(enum child_seal how, const seal_view *view);

/* In the child: append to the answer. False when that cannot be (the parent is gone, no memory):
 * the parent is then told CHILD_FAILED in the end, so nobody has to look at each. */
bool child_put(struct child *c, const void *data, size_t bytes);
bool child_printf(struct child *c, const char *fmt, ...) APP_PRINTF(2, 3);
void child_lost(struct child *c); /* a part of the answer could not be made, and so not be put */

#endif
