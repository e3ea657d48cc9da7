/* child.h: runs something in a process of its own, within limits, and reads its answer.
 *
 * A kernel, simulated or on a GPU, never runs in the REPL's own process: it may loop forever,
 * exhaust memory or crash. child_run forks. The child calls `work`, which writes its answer to a
 * pipe (child_put) and returns a status. The parent collects the answer until the child ends, a
 * limit of time or size is reached, or Ctrl-C. The child leads its own process group, so everything
 * it started ends with it, and it dies when the REPL does. Of the parent's descriptors it keeps its
 * answer's and the first three.
 *
 * The child inherits all memory of the parent: pass pointers in `arg` freely. It must not use
 * app->out; the person sees what it writes to stderr at once (progress). Nothing it does to memory
 * reaches the parent, only the answer does. The answer is untrusted: a child that went wrong may
 * have written anything, or half of it. */
#ifndef CHILD_H
#define CHILD_H

#include "app.h"
#include "seal.h"

struct child; /* in the child: where its answer goes */

typedef int child_work(struct child *c, void *arg); /* returns 0 to 255: child_result.status */

enum child_end {
    CHILD_DONE,        /* it returned (or exited): see status */
    CHILD_TIME,        /* ended at its time limit */
    CHILD_INTERRUPTED, /* ended by Ctrl-C */
    /* ended by a signal that we did not send: see `signal`. A memory limit shows as this, or as a
     * status. */
    CHILD_CRASHED,
    CHILD_FLOOD, /* its answer exceeded max_answer; ended */
    CHILD_FAILED /* no process could be started, or its answer was not received whole: see message */
};

struct child_limits {
    double seconds;      /* wall clock; 0: none */
    size_t memory_bytes; /* address space on top of the parent's; 0: none. Not for children that use CUDA */
    size_t max_answer;   /* 0: 64 MiB */
    double cpu_seconds;  /* of each process; 0: none */
    size_t file_bytes;   /* the longest file it may write; 0: no limit */
    enum child_seal seal;
    const seal_view *view; /* the files that a sealed child can see; see seal.h */
    const char *folder;    /* its working directory; NULL: ours */
    int keeps[2];          /* descriptors of ours that it keeps too; 0: none */
    /* What is running, for the progress line on stderr: shown with the elapsed time after half a
     * second, on a terminal only. NULL: no progress line. */
    const char *label;
    bool at_once; /* show it without waiting half a second */
    /* Unless NULL: called with the answer so far whenever more has arrived, which may end in the
     * middle of a line. It may change the label. */
    void (*hears)(void *arg, const char *answer, size_t bytes);
    void *hears_arg;
};

struct child_result {
    enum child_end end;
    int status, signal;
    char *answer; /* `bytes` long, then a NUL; holds what had arrived even when end is not CHILD_DONE */
    size_t bytes;
    double seconds;
    char message[160]; /* one sentence for every end but CHILD_DONE */
};

/* Run work(arg) in a child. Always fills `r` (free it with child_free). Returns EXIT_DONE when end
 * is CHILD_DONE, whatever its status; else EXIT_TIME, EXIT_INTERRUPT or EXIT_INTERNAL. Prints
 * nothing. */
int child_run(const struct child_limits *limits, child_work *work, void *arg, struct child_result *r);

/* Run a program with an empty stdin; its stdout and stderr together are the answer. argv ends with
 * NULL; PATH is searched. A program that cannot be started gives CHILD_FAILED. */
int child_exec(const struct child_limits *limits, char *const argv[], struct child_result *r);

/* A child that is kept between runs, because what it opens is expensive (a GPU's context). `*kept`
 * is NULL at first. child_ask starts a child if needed and sends it a copy of the request: `work`
 * gets that copy as its arg. The child sees the parent's memory as it was when the child was
 * started: pass no pointer to anything newer. The child ends when work returns a status with
 * CHILD_LAST added. A run that does not end with CHILD_DONE ends the child too, and *kept is NULL
 * again. */
enum { CHILD_LAST = 256 };
struct child_kept;
int child_ask(struct child_kept **kept, const struct child_limits *limits, child_work *work, const void *request,
              size_t bytes, struct child_result *r);
void child_release(struct child_kept **kept); /* end it; NULL is fine */

void child_free(struct child_result *r);

/* In the child: seal it now. For a child that must first read files that its seal forbids. */
void child_seal_now(enum child_seal how, const seal_view *view);

/* In the child: append to the answer. False when that fails (the parent is gone, no memory). The
 * parent then gets CHILD_FAILED at the end, so callers need not check each call. */
bool child_put(struct child *c, const void *data, size_t bytes);
bool child_printf(struct child *c, const char *fmt, ...) APP_PRINTF(2, 3);
void child_lost(struct child *c); /* part of the answer could not be produced: the whole answer is lost */

#endif
