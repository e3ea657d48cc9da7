/* show_fault.h: what a kernel did wrong, on the screen and in JSON, for every command. */
#ifndef SHOW_FAULT_H
#define SHOW_FAULT_H

#include "run/step.h"
#include "shell/json.h"
#include "shell/source_text.h"

/* With both places and their lines of the source: as `try` shows it. */
void fault_show(struct app *app, const step_result *r, const step_fault *f, source_cache *sources);
/* In a few lines: as a step's run shows it. `said`: its advice has been given. */
void fault_show_brief(struct app *app, const step_result *r, const step_fault *f, bool said);
/* "FILE:12: block (0,0,0) thread (1,0,0) and block ...": an answer's, whose file and line are known. */
void fault_where(const step_fault *f, const char *file, int line, char *out, size_t size);
/* "block (0,0,0) thread (1,0,0)" */
char *fault_who(char *out, size_t size, const uint32_t block[3], const uint32_t thread[3]);
/* An object in an array. sources: NULL, or how files are called. */
void fault_json(json *j, const step_fault *f, const source_cache *sources);

/* A line cut to `columns`, ending in ".." when it was. */
void fault_put_fitting(FILE *out, const char *text, int columns);

#endif
