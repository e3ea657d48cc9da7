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
/* Writes what went on when into a file. False: errno says why not. */
bool exec_timeline(const struct program_record *r, const char *path);

#endif
