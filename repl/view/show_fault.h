/* show_fault.h: prints what a kernel did wrong, as text and as JSON, for every command. */
#ifndef SHOW_FAULT_H
#define SHOW_FAULT_H

#include "run/step.h"
#include "shell/document.h"
#include "shell/source_text.h"

/* As `try` shows it: with both places and their source lines. */
void fault_show(doc *d, const step_result *r, const step_fault *f, source_cache *sources);
/* As a step's run shows it, in a few lines. `said`: its advice has been printed. */
void fault_show_brief(doc *d, const step_result *r, const step_fault *f, bool said);
/* "FILE:12: block (0,0,0) thread (1,0,0) and block ...": in an answer, whose file and line are
 * known. */
void fault_where(const step_fault *f, const char *file, int line, char *out, size_t size);
/* "block (0,0,0) thread (1,0,0)" */
char *fault_who(char *out, size_t size, const uint32_t block[3], const uint32_t thread[3]);
/* An array of all faults of a run. sources: NULL, or the names of files in messages. */
void faults_json(json *j, const step_result *r, const source_cache *sources);

#endif
