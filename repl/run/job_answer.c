/* job_answer.c: a program that answers an exercise, as a job: as job_program.c runs a program, but
 * the judge says what its end and its output mean, so both are only recorded. */
#include "job_answer.h"
#include "job_lesson.h"
#include "job_program.h"
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* How it ended: the judge says what that means. */
static void put_end(runner *k, const program_end *e, int errors)
{
    struct rusage used = {0};
    char *line = k->r.program_said;
    getrusage(RUSAGE_CHILDREN, &used);
    k->r.program_cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    k->r.program_late = e->late;
    k->r.program_signal = e->status > 128 && !e->late ? e->status - 128 : 0;
    k->r.program_status = k->r.program_signal || e->late ? 0 : e->status;
    const ssize_t n = pread(errors, line, sizeof k->r.program_said - 1, 0);
    line[n > 0 ? n : 0] = 0;
    line[strcspn(line, "\n")] = 0;
}

/* What its kernels did with memory, for goals. */
static void put_counts(runner *k, const struct program_record *told)
{
    k->r.program_counts = true;
    for (int i = 0; i < told->counts_count; i++) sim_counters_add(&k->r.total, &told->counts[i].c);
}

static int run(runner *k)
{
    const program_answer *answer = k->job->data;
    program_words w;
    program_end e;
    snprintf(w.program, sizeof w.program, "%s", answer->program);
    int status = program_arguments(k, 0, &w);
    if (status) return status;
    struct program_options o = program_as(k, &w);
    o.errors = program_file("warpstep-errors", NULL);
    o.input = program_file("warpstep-input", answer->input);
    o.sealed = o.counts = true;
    o.cpu_seconds = answer->cpu_seconds;
    o.limit = k->q->limit;
    o.budget = k->q->budget;
    o.spoil = answer->spoil;
    if (o.output < 0 || o.errors < 0 || o.input < 0) {
        status = program_not_started(k);
    } else {
        status = program_perform(k, &w, &o, &e);
        put_end(k, &e, o.errors);
        if (!status) status = program_put(k, &e.told);
        if (!status) put_counts(k, &e.told);
        program_record_free(&e.told);
    }
    const int files[] = {o.output, o.errors, o.input};
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0) close(files[i]);
    return status;
}

static const struct job_kind job_answer = {.serves = program_serves,
                                           .is_built = lesson_is_built,
                                           .command = lesson_command,
                                           .grace = 10,
                                           .open = program_open,
                                           .run = run,
                                           JOB_BUFFERS_OF_LESSON,
                                           JOB_LAUNCH_OF_LESSON};

struct job answer_job(const program_answer *a) { return (struct job){.kind = &job_answer, .data = a}; }
