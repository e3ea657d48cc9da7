/* pager.h: what a command says, a screen at a time. */
#ifndef PAGES_H
#define PAGES_H

#include "app.h"

/* Is a person there, and the command one whose whole answer may wait until it is known? */
bool pages_wanted(const struct app *app, const char *command);
/* A command's function: run it, and show what it printed. What was typed instead of going on is
 * kept in app->typed. */
int pages_run(struct app *app, int (*run)(struct app *app, int argc, char **argv), int argc, char **argv);
/* Where the next piece of a text ends: all of it, or so many lines, and then rather between two
 * paragraphs. */
const char *pages_end(const char *text, int lines);
int pages_lines(const struct app *app); /* of a piece */

#endif
