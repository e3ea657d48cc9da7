/* job_lesson.h: a step of a lesson as a job (job.h). Other kinds use what they do as it does. */
#ifndef JOB_LESSON_H
#define JOB_LESSON_H

#include "job.h"
#include "step_runner.h"

extern const struct job_kind job_lesson;

bool lesson_serves(job_use use, const lesson_step *s, const char *name, job_refusal *no);
bool lesson_is_built(const lesson *l, const lesson_step *s);
int lesson_command(const lesson *l, const lesson_step *s, const char *name, const step_values *v, job_command *out,
                   char *why, size_t size);
void lesson_title(const struct step_request *q, char *out, size_t size);
int lesson_no_file(const struct job *j);
int lesson_open(runner *k);
int lesson_run(runner *k);
int lesson_no_variable(runner *k, int buffer);
int lesson_put_back(runner *k);
void lesson_options(const runner *k, sim_launch *l);
int lesson_no_look(runner *k, const sim_result *r);
void lesson_prints(runner *k, const sim_result *r);
void lesson_lines(runner *k, const sim_result *r);
int lesson_ended(runner *k, const sim_result *r, int code);

/* What a kind says of buffers and arguments, and of the launch, when it has nothing of its own to say. */
#define JOB_BUFFERS_OF_LESSON                                                                                       \
    .title = lesson_title, .file = lesson_no_file, .no_card = EXIT_DEVICE, .length_bits = 36, .parameter_least = 1, \
    .parameter_most = INT32_MAX, .reads_unfilled = true, .whose = "step's ", .smaller = "Choose smaller settings.", \
    .faults_most = STEP_LESSON_FAULTS, .buffers = runner_buffers, .variable = lesson_no_variable,                   \
    .put_back = lesson_put_back
#define JOB_LAUNCH_OF_LESSON                                                                             \
    .params = runner_params, .options = lesson_options, .look = lesson_no_look, .prints = lesson_prints, \
    .lines = lesson_lines, .ended = lesson_ended

#endif
