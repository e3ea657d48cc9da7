/* step_own.h: the user's own kernel as the command line of `try` gives it: what a step_request
 * holds in addition to a lesson's step. The step's buffers are those of the arguments, followed by
 * the variables of the file that are set. */
#ifndef STEP_OWN_H
#define STEP_OWN_H

#include "args.h"
#include "sim.h"

typedef struct own_dump {
    int buffer;
    uint64_t from, to; /* elements; `to` is UINT64_MAX until the buffer's size is known */
    bool is_sliced;    /* a range was given: then show all of it */
} own_dump;

typedef struct own_save {
    int buffer;
    const char *file;
} own_save;

typedef struct step_own {
    const char *file;      /* as the person named it */
    const char *kernel;    /* NULL: the file's only kernel */
    const kernel_arg *arg; /* the kernel's */
    int args;
    const kernel_arg *set; /* values for variables, ... */
    int sets;
    const char *const *set_name; /* ... and their names as written */
    const own_dump *dump;
    int dumps;
    const own_save *save;
    int saves;
    uint64_t heap;      /* bytes for malloc in the kernel; 0: as many as on a card */
    double seconds;     /* after this time the launch ends itself and says where it was; 0: no limit */
    bool memory_counts; /* count memory transactions too */
} step_own;

/* step_own.c, in the child. An int is 0 or an exit status after writing a problem. */
struct runner;
int own_open(struct runner *k);                          /* finds the kernel, checks the arguments */
int own_variable(struct runner *k, int buffer);          /* finds the address of the variable that this buffer sets */
void own_params(struct runner *k, unsigned char *block); /* fills in the kernel's parameters */
void own_launch(const struct runner *k, sim_launch *l);  /* sets the requested launch options */
void own_lines(struct runner *k, const sim_result *r);   /* all lines of the kernel's files */
/* How it ended and what it printed; dumps and files, in which an unknown value is a fault. */
int own_report(struct runner *k, const sim_result *r);

#endif
