/* program_clang.h: what the files that compile programs share. */
#ifndef PROGRAM_CLANG_H
#define PROGRAM_CLANG_H

#include "program.h"

bool program_ends(const char *text, const char *end);
/* Runs one. 0, or a status after a message and its own words; both go to c->refusal unless that is NULL. */
int program_compiler(struct app *app, const struct program_compile *c, const char *name, const char *sources,
                     struct words *args);
struct child_limits;
struct child_result;
/* The running alone. `whole`: nvcc makes a program of it, and gets the flags that it turns out to need. Limits NULL:
 * those of a compiler that is not sealed. */
void program_run_compiler(struct words *args, bool whole, const struct child_limits *limits, struct child_result *r);
/* One source to one object; `ptx` is where its kernels' text goes, and `rule` the rule of make. Object
 * NULL: to PTX alone. */
int clang_object(struct app *app, const char *clang, const char *libraries, const struct program_compile *c,
                 const char *source, const char *ptx, const char *object, const char *rule);
int clang_link(struct app *app, const char *clang, const char *libraries, const struct program_compile *c,
               const struct words *objects, const char *to);

#endif
