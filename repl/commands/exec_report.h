/* exec_report.h: what `exec` was asked for, and its report. */
#ifndef EXEC_REPORT_H
#define EXEC_REPORT_H

#include "program/program.h"
#include "shell/document.h"

typedef struct exec_plan {
    struct program_options run;
    const char *device, *report, *timeline;
    struct program_compile compile;
    bool json, why, each;
    char *card_text;
    sim_card card;
} exec_plan;

void exec_sort(struct program_record *r); /* kernels by time */
void exec_report(doc *d, const exec_plan *p, const char *program, const struct program_record *r, int status);
uint64_t exec_wrong(const struct program_record *r); /* faults that are not notes */
const struct program_use *exec_use(const struct program_record *r, const struct program_kernel *k); /* NULL: unknown */
/* What its warps wait for most; NULL: nothing is known, or they wait for nothing. */
const char *exec_first_wait(const struct program_use *u);
/* In a table that has little room: "memory" for "memory latency". */
const char *exec_short_wait(const char *name, char *out, size_t size);
/* exec_ladder.c: the kernels of several programs in one table. */
struct exec_rung {
    const char *program, *device;
    const struct program_record *record;
};
int exec_ladder(struct app *app, const struct exec_rung *rungs, int count);
/* exec.c: runs each of the programs, and prints that table. */
bool exec_names_program(const char *word);
int exec_ladder_of(struct app *app, int argc, char **argv);
/* Writes what went on when into a file. False: errno says why not. */
bool exec_timeline(const struct program_record *r, const char *path);

#endif
