/* step_own.h: a kernel of one's own, as the command line of `try` gives it: what a step_request says of it beyond a
 * lesson's step. Its buffers are the step's: those of the arguments, then the variables of its file that are set. */
#ifndef STEP_OWN_H
#define STEP_OWN_H

#include "args.h"
#include "sim.h"

typedef struct own_dump {
    int buffer;
    uint64_t from, to; /* elements; `to` is UINT64_MAX until the buffer's size is known */
    bool is_sliced;    /* a range was given: then all of it is shown */
} own_dump;

typedef struct own_save {
    int buffer;
    const char *file;
} own_save;

typedef struct step_own {
    const char *file;      /* as it was named */
    const char *kernel;    /* NULL: the only one there is */
    const kernel_arg *arg; /* the kernel's */
    int args;
    const kernel_arg *set; /* of variables, */
    int sets;
    const char *const *set_name; /* as they were written */
    const own_dump *dump;
    int dumps;
    const own_save *save;
    int saves;
    uint64_t heap;      /* bytes that malloc in the kernel has; 0: as many as on a card */
    double seconds;     /* after which the launch ends by itself, and says where it was; 0: no limit */
    bool memory_counts; /* count memory's transactions too */
} step_own;

/* step_own.c, in the child. An int is 0 or an exit status after writing a problem. */
struct runner;
int own_open(struct runner *k);                          /* finds the kernel, holds the arguments against it */
int own_variable(struct runner *k, int buffer);          /* where the variable lies that this buffer sets */
void own_params(struct runner *k, unsigned char *block); /* the kernel's */
void own_launch(const struct runner *k, sim_launch *l);  /* what it asks for */
void own_lines(struct runner *k, const sim_result *r);   /* all lines of its files */
/* How it ended, what it printed; dumps and files, in which what is unknown is a fault. */
int own_report(struct runner *k, const sim_result *r);

#endif
