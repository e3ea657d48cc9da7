/* session_job.h: what the session does in another way for each kind of job (run/job.h). */
#ifndef SESSION_JOB_H
#define SESSION_JOB_H

#include "session.h"

struct session_job {
    const struct job_kind *kind;
    /* where it runs now: session_devices */
    int (*devices)(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                   int *count);
    /* the PTX that runs it, and its name in messages */
    int (*ptx)(struct app *app, const lesson_step *s, step_request *q, char **ptx);
    /* what is shown of it: session_kernel_text */
    int (*text)(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown, size_t size);
    enum session_last last; /* what ran last when it has run */
    bool numbered;          /* its lesson has a number, and the list of lessons has it */
};
const struct session_job *session_job(const lesson_step *s);

/* As a step of a lesson has them. */
int usual_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                  int *count);                                                     /* session.c */
int usual_ptx(struct app *app, const lesson_step *s, step_request *q, char **ptx); /* session_result.c */
int usual_text(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown,
               size_t size); /* session_kernels.c */

#endif
