/* terminal.h: the terminal: its size, colours and character set, and reading a line from it.
 *
 * terminal_read uses reader_readline.c (GNU Readline, when built with it and the terminal is
 * capable) or reader_plain.c (the C library alone). Both end at Ctrl-D, discard the current line at
 * Ctrl-C, and notice a new window size. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "app.h"

void terminal_color(struct app *app); /* sets app->color and err_color by the options in force */

void terminal_start(struct app *app);   /* character set, colours, size, signals */
void terminal_measure(struct app *app); /* updates the size if it has changed */

enum terminal_got {
    TERMINAL_LINE,      /* *line is one, without its newline; to be freed */
    TERMINAL_END,       /* Ctrl-D, or the end of the input */
    TERMINAL_INTERRUPT, /* Ctrl-C: nothing to run */
    TERMINAL_FAILED     /* the input or a line of it cannot be read: *why says why */
};
enum { TERMINAL_LINE_MAX = 1 << 16 };

/* `prompt` is plain text; the readers colour it. NULL: show none (a pipe). */
enum terminal_got terminal_read(struct app *app, const char *prompt, char **line, const char **why);

/* The two readers. */
enum terminal_got readline_read(struct app *app, const char *prompt, char **line);
const char *readline_version(void); /* NULL when built without it */
enum terminal_got plain_read(struct app *app, const char *prompt, char **line, const char **why);

void terminal_clear(struct app *app);
/* A dim line without its newline, which terminal_erase takes off again. Returns its columns. */
int terminal_note(struct app *app, const char *text);
void terminal_erase(struct app *app, int columns);

/* Set by SIGWINCH. */
extern volatile sig_atomic_t terminal_resized;

/* Lists candidates for the word at `start` of a line: full words, unquoted, that begin with what is
 * typed. NULL: no completion. */
typedef void terminal_complete_fn(struct app *app, const char *line, size_t start, size_t end, struct words *out,
                                  bool *files);
extern terminal_complete_fn *terminal_complete;

/* History (progress.c): lines of earlier sessions, oldest first; and one more line. */
void history_each(struct app *app, void (*each)(const char *line));
void history_add(struct app *app, const char *line);

#endif
