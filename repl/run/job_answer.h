/* job_answer.h: a program that answers an exercise, as a job (job.h). It runs in place of the
 * exercise's own: sealed, its output apart from what it says on stderr, and its exit status not
 * yet a verdict. */
#ifndef JOB_ANSWER_H
#define JOB_ANSWER_H

#include "job.h"

typedef struct program_answer {
    const char *program, *input; /* path; what it reads on stdin */
    double cpu_seconds;          /* the limit */
    uint64_t spoil;              /* as program_options.spoil */
} program_answer;

struct job answer_job(const program_answer *a); /* which must outlive it */

#endif
