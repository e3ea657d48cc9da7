/* terminal.h: the terminal: its size, its colours, its letters, and reading a line from it.
 *
 * terminal_read asks reader_readline.c (GNU Readline, when built with it and the terminal can do
 * it) or reader_plain.c (our own, on nothing but the C library). Both end at Ctrl-D, give up the
 * line typed so far at Ctrl-C, and notice a new size.
 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "app.h"

void terminal_color(struct app *app); /* decides app->color and err_color by the options in force */

void terminal_start(struct app *app);   /* letters, colours, size, signals */
void terminal_measure(struct app *app); /* ask for the size again if it has changed */

enum terminal_got {
    TERMINAL_LINE,      /* *line is one, without its newline; to be freed */
    TERMINAL_END,       /* Ctrl-D, or the end of the input */
    TERMINAL_INTERRUPT, /* Ctrl-C: nothing to run */
    TERMINAL_FAILED     /* the input cannot be read, or a line of it cannot be taken: *why says it */
};
enum { TERMINAL_LINE_MAX = 1 << 16 };

/* `prompt` is plain text; the readers colour it. NULL: show none (a pipe). */
enum terminal_got terminal_read(struct app *app, const char *prompt, char **line, const char **why);

/* The two readers. */
enum terminal_got readline_read(struct app *app, const char *prompt, char **line);
const char *readline_version(void); /* NULL when built without it */
enum terminal_got plain_read(struct app *app, const char *prompt, char **line, const char **why);

/* Set by SIGWINCH. */
extern volatile sig_atomic_t terminal_resized;

/* Candidates for the word at `start` of a line: full words, unquoted, that begin with what is
 * typed. Set by whoever knows the commands; NULL: there are none. */
typedef void terminal_complete_fn(struct app *app, const char *line, size_t start, size_t end, struct words *out,
                                  bool *files);
extern terminal_complete_fn *terminal_complete;

/* History (progress.c): lines of earlier sessions, oldest first; and one more line. */
void history_each(struct app *app, void (*each)(const char *line));
void history_add(struct app *app, const char *line);

#endif
