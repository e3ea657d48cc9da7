/* job_program.h: a step that is a whole program, as a job (job.h); and what job_answer.c does in
 * the same way. */
#ifndef JOB_PROGRAM_H
#define JOB_PROGRAM_H

#include "job.h"
#include "program/program.h"
#include "step_runner.h"

extern const struct job_kind job_program;

enum { PROGRAM_WORDS = LESSON_ARGS + 2 };
typedef struct program_words {
    char program[4400], number[LESSON_ARGS][24], *argv[PROGRAM_WORDS];
    int64_t cards;
} program_words;

/* The lesson's arguments for the program w->program, and how many cards it sees, from `least`. */
int program_arguments(runner *k, int64_t least, program_words *w);
/* How to run it; its output goes to a file of its own. */
struct program_options program_as(const runner *k, const program_words *w);
/* A file in memory, with this text; -1: errno says why. */
int program_file(const char *name, const char *text);
int program_not_started(runner *k);

/* How it ended. */
typedef struct program_end {
    int status; /* as program_run says it */
    bool late;
    struct program_record told;
} program_end;
/* Runs it and records what it printed. program_record_free(&e->told) afterwards, in any case. */
int program_perform(runner *k, program_words *w, const struct program_options *o, program_end *e);
/* Records what its libraries told. */
int program_put(runner *k, const struct program_record *told);

/* job_program's, which job_answer has too */
bool program_serves(job_use use, const lesson_step *s, const char *name, job_refusal *no);
int program_open(runner *k);

#endif
