/* pager.h: shows the answer of a command a screen at a time. */
#ifndef PAGER_H
#define PAGER_H

#include "app.h"

/* Is a person there, and may the command's answer wait until it is complete? */
bool pages_wanted(const struct app *app, const char *command);
/* Runs a command's function and shows what it printed. A command typed between two screens is kept
 * in app->typed. */
int pages_run(struct app *app, int (*run)(struct app *app, int argc, char **argv), int argc, char **argv);
/* Within a command whose answer is kept: runs what asks the person something, at the terminal. */
int pages_ask(struct app *app, int (*ask)(struct app *app, void *arg), void *arg);
/* Where the next screen of a text ends: at its end, or after `lines` lines, between two paragraphs
 * if possible. */
const char *pages_end(const char *text, int lines);
int pages_lines(const struct app *app); /* lines of one screen */

#endif
