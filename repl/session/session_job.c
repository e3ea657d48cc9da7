/* session_job.c: see session_job.h. */
#include "session_job.h"
#include "run/job_launch.h"
#include "session_program.h"

const struct session_job *session_job(const lesson_step *s)
{
    static const struct session_job usual = {NULL, usual_devices, usual_ptx, usual_text, LAST_STEP, true},
                                    others[] = {{&job_launch, session_program_devices, session_program_ptx,
                                                 session_program_text, LAST_PROGRAM, false}};
    const struct job_kind *kind = s ? step_job(s)->kind : NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].kind == kind) return &others[i];
    return &usual;
}
