/* job.c: which kind of job a step is. */
#include "job.h"
#include "job_lesson.h"
#include "job_program.h"
#include "step.h"

const struct job *step_job(const lesson_step *s)
{
    static const struct job kernels = {.kind = &job_lesson}, program = {.kind = &job_program};
    return s->job ? s->job : step_program(s) ? &program : &kernels;
}

bool job_serves(const lesson_step *s, job_use use)
{
    job_refusal why;
    return step_job(s)->kind->serves(use, s, s->name, &why);
}

const struct job *request_job(const step_request *q) { return q->job.kind ? &q->job : step_job(q->s); }
