/* view_job.c: see view_job.h. */
#include "view_job.h"
#include "run/job_program.h"

static void nothing(doc *d, view_context *c) { (void)d, (void)c; }

/* Its file is the program. */
static bool whole_file(FILE *out, const host_program *p, char *why, size_t size)
{
    (void)why, (void)size;
    return fputs(p->kernel, out) >= 0;
}

static void same_kernel(doc *d, const char *before, const char *differs)
{
    doc_say(d, 2, "The file is that of %s; what it is launched with differs%s.", before, differs);
}

static void same_program(doc *d, const char *before, const char *differs)
{
    doc_say(d, 2, "The program is that of %s; its arguments differ%s.", before, differs);
}

const struct view_job *view_job(const lesson_step *s)
{
    static const struct view_job usual = {NULL, view_launch, view_findings, host_program_write, same_kernel},
                                 others[] = {{&job_program, view_program_outcome, nothing, whole_file, same_program}};
    const struct job_kind *kind = step_job(s)->kind;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].kind == kind) return &others[i];
    return &usual;
}
