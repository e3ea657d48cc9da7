/* job_own.h: the user's own kernel as a job (job.h), as the command line of `try` gives it. Its
 * step's buffers are those of the arguments, followed by the variables of the file that are set. */
#ifndef JOB_OWN_H
#define JOB_OWN_H

#include "args.h"
#include "job.h"

typedef struct own_dump {
    int buffer;
    uint64_t from, to; /* elements; `to` is UINT64_MAX until the buffer's size is known */
    bool is_sliced;    /* a range was given: then show all of it */
} own_dump;

typedef struct own_save {
    int buffer;
    const char *file;
} own_save;

typedef struct own_kernel {
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
} own_kernel;

struct job own_job(const own_kernel *own); /* which must outlive it */

#endif
