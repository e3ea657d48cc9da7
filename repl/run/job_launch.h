/* job_launch.h: a launch that was kept from a program, as a job (job.h): run again alone. */
#ifndef JOB_LAUNCH_H
#define JOB_LAUNCH_H

#include "job.h"

extern const struct job_kind job_launch; /* for the tables of other rooms (job.h) */

struct program_snapshot;
struct job launch_job(const struct program_snapshot *s); /* which must outlive it */

#endif
