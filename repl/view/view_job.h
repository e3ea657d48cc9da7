/* view_job.h: what is shown in another way of each kind of job (run/job.h). */
#ifndef VIEW_JOB_H
#define VIEW_JOB_H

#include "course/host_program.h"
#include "view.h"

struct view_job {
    const struct job_kind *kind;
    void (*head)(doc *d, view_context *c);  /* how it was started; ... */
    void (*found)(doc *d, view_context *c); /* ... below its settings: what it printed, its faults, its verdict */
    /* `show host`: a program for it. False: `why` says why there is none. */
    bool (*host)(FILE *out, const host_program *p, char *why, size_t size);
    /* Its source is that of the step `before`. `differs`: "; n = 3, not 4", or "". */
    void (*same_code)(doc *d, const char *before, const char *differs);
};
const struct view_job *view_job(const lesson_step *s);

/* show_run.c: of a step that is made of kernels */
void view_launch(doc *d, view_context *c);
void view_findings(doc *d, view_context *c);
void view_program_outcome(doc *d, view_context *c); /* show_program.c: all of a whole program's */

#endif
