/* reader_plain.c: reads lines with the C library alone: from pipes, files, and terminals when there
 * is no Readline. On a terminal its own line editing works (backspace, Ctrl-U, Ctrl-W). Ctrl-C
 * empties the line. */
#include "terminal.h"
#include "list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

static struct {
    char data[4096];
    size_t at, count;
    bool ended;
} input;

/* Wait for input or Ctrl-C. The signal is blocked outside the wait, so that none is missed. */
static enum terminal_got wait_for_input(struct app *app)
{
    sigset_t block, old;
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    sigaddset(&block, SIGTERM);
    sigaddset(&block, SIGHUP);
    sigprocmask(SIG_BLOCK, &block, &old);
    enum terminal_got got = TERMINAL_LINE;
    for (;;) {
        fflush(app->out); /* show the prompt before waiting */
        if (app_interrupted) {
            got = TERMINAL_INTERRUPT;
            break;
        }
        if (terminal_resized) terminal_measure(app);
        fd_set reads;
        FD_ZERO(&reads);
        FD_SET(STDIN_FILENO, &reads);
        if (pselect(STDIN_FILENO + 1, &reads, NULL, NULL, NULL, &old) >= 0 || errno != EINTR) break;
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    return got;
}

enum terminal_got plain_read(struct app *app, const char *prompt, char **line, const char **why)
{
    size_t length = 0, capacity = 256;
    char *text = malloc(capacity);
    if (!text) {
        *why = NO_MEMORY;
        return TERMINAL_FAILED;
    }
    if (prompt) fprintf(app->out, "%s%s%s", app_style(app, STYLE_BOLD), prompt, app_style(app, STYLE_PLAIN));
    for (;;) {
        if (input.at == input.count && !input.ended) {
            if (wait_for_input(app) == TERMINAL_INTERRUPT) {
                free(text);
                return TERMINAL_INTERRUPT;
            }
            ssize_t n = read(STDIN_FILENO, input.data, sizeof input.data);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) {
                *why = strerror(errno);
                free(text);
                return TERMINAL_FAILED;
            }
            input.at = 0;
            input.count = (size_t)n;
            if (n == 0) input.ended = true;
        }
        if (input.at == input.count) {       /* the end; a last line may lack its newline */
            if (prompt) input.ended = false; /* on a terminal, Ctrl-D ends this read but not later ones */
            if (length > 0) break;
            free(text);
            return TERMINAL_END;
        }
        char c = input.data[input.at++];
        if (c == '\n') break;
        if (c == 0) {
            *why = "the line holds a NUL byte";
            free(text);
            return TERMINAL_FAILED;
        }
        if (length + 1 >= capacity) {
            char *more = capacity < TERMINAL_LINE_MAX ? realloc(text, capacity * 2) : NULL;
            if (!more) {
                *why = "the line is longer than 65,536 bytes";
                free(text);
                return TERMINAL_FAILED;
            }
            text = more;
            capacity *= 2;
        }
        text[length++] = c;
    }
    text[length] = 0;
    *line = text;
    return TERMINAL_LINE;
}
