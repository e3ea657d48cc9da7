/* reader_readline.c: the only file that includes GNU Readline. It uses the callback interface, so
 * that we do the waiting: Ctrl-C and a new window size are seen between keys, and all signal
 * handlers are ours. */
#include "terminal.h"

#include "words.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_READLINE

#include <errno.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <sys/select.h>
#include <unistd.h>

static struct app *the_app; /* Readline's callbacks carry no argument */
static char *got_line;
static bool got_any;

static void on_line(char *line)
{
    got_line = line;
    got_any = true;
    rl_callback_handler_remove(); /* at once, else it would print another prompt */
}

/* ---- completion ---- */
static struct words candidates;

static char *nth_candidate(const char *text, int state)
{
    static int next;
    (void)text;
    if (state == 0) next = 0;
    if (next >= candidates.count) return NULL;
    const char *word = candidates.v[next++];
    char *copy = malloc(strlen(word) + 1);
    return copy ? strcpy(copy, word) : NULL;
}

static char **complete(const char *text, int start, int end)
{
    bool files = false;
    words_free(&candidates);
    if (terminal_complete) terminal_complete(the_app, rl_line_buffer, (size_t)start, (size_t)end, &candidates, &files);
    rl_attempted_completion_over = 1;
    if (files) {
        rl_filename_completion_desired = 1;
        return rl_completion_matches(text, rl_filename_completion_function);
    }
    return rl_completion_matches(text, nth_candidate);
}

static int is_escaped(char *text, int index)
{
    int n = 0;
    while (index > n && text[index - n - 1] == '\\') n++;
    return n % 2;
}

static void add_to_history(const char *line) { add_history(line); }

static void start(struct app *app)
{
    the_app = app;
    rl_readline_name = "warpstep";
    rl_instream = stdin;
    rl_outstream = app->out;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_attempted_completion_function = complete;
    rl_completer_quote_characters = "'\"";
    rl_completer_word_break_characters = " \t\n\"'";
    rl_filename_quote_characters = " \t\n\"'\\#";
    rl_char_is_quoted_p = is_escaped;
    rl_variable_bind("page-completions", "off"); /* its pager waits for keys itself and would not see Ctrl-C */
    rl_variable_bind("show-all-if-ambiguous", "on");
    rl_completion_query_items = 0;
    using_history();
    stifle_history(1000);
    history_each(app, add_to_history);
}

const char *readline_version(void)
{
    static char text[48];
    if (!*text) snprintf(text, sizeof text, "GNU Readline %.16s", rl_library_version);
    return text;
}

static char *colored(struct app *app, const char *prompt)
{
    const char *on = app_style(app, STYLE_BOLD), *off = app_style(app, STYLE_PLAIN);
    size_t size = strlen(prompt) + strlen(on) + strlen(off) + 5;
    char *text = malloc(size);
    if (text) snprintf(text, size, *on ? "\001%s\002%s\001%s\002" : "%s%s%s", on, prompt, off);
    return text;
}

/* Ctrl-Z: restore the terminal for the shell, stop, and redraw the line when the shell continues
 * us. */
static volatile sig_atomic_t stop_asked;

static void on_stop(int s)
{
    (void)s;
    stop_asked = 1;
}

static void stop_here(void)
{
    struct sigaction a, ours;
    sigset_t stop, old;
    stop_asked = 0;
    rl_deprep_term_function();
    memset(&a, 0, sizeof a);
    sigemptyset(&a.sa_mask);
    a.sa_handler = SIG_DFL;
    sigaction(SIGTSTP, &a, &ours);
    kill(getpid(), SIGTSTP);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, &old); /* the process stops here, and continues later */
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigaction(SIGTSTP, &ours, NULL);
    rl_prep_term_function(1);
    rl_forced_update_display();
}

enum terminal_got readline_read(struct app *app, const char *prompt, char **line)
{
    static bool started;
    if (!started) start(app);
    started = true;
    char *shown = colored(app, prompt);
    got_any = false;
    got_line = NULL;
    if (terminal_resized) terminal_measure(app);
    rl_callback_handler_install(shown ? shown : prompt, on_line);
    rl_resize_terminal();

    struct sigaction stop, old_stop;
    memset(&stop, 0, sizeof stop);
    sigemptyset(&stop.sa_mask);
    stop.sa_handler = on_stop;
    sigaction(SIGTSTP, &stop, &old_stop);
    sigset_t block, old;
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    sigaddset(&block, SIGTERM);
    sigaddset(&block, SIGHUP);
    sigaddset(&block, SIGWINCH);
    sigaddset(&block, SIGTSTP);
    sigprocmask(SIG_BLOCK, &block, &old);
    enum terminal_got got = TERMINAL_LINE;
    while (!got_any) {
        fflush(app->out); /* show the prompt before waiting */
        if (app_interrupted) {
            rl_callback_sigcleanup();
            rl_free_line_state();
            if (!app_ended) fputs("^C", app->out); /* at the cursor, before the next lines move it */
            rl_callback_handler_remove();
            fputc('\n', app->out);
            got = TERMINAL_INTERRUPT;
            break;
        }
        if (stop_asked) stop_here();
        if (terminal_resized) {
            terminal_measure(app);
            rl_resize_terminal();
        }
        fd_set reads;
        FD_ZERO(&reads);
        FD_SET(STDIN_FILENO, &reads);
        int n = pselect(STDIN_FILENO + 1, &reads, NULL, NULL, NULL, &old);
        if (n > 0) rl_callback_read_char();
        else if (n < 0 && errno != EINTR) on_line(NULL);
    }
    sigaction(SIGTSTP, &old_stop, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    free(shown);
    if (got == TERMINAL_INTERRUPT) return got;
    if (!got_line) return TERMINAL_END;
    if (*got_line) {
        HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
        if (!last || strcmp(last->line, got_line)) {
            add_history(got_line);
            history_add(app, got_line);
        }
    }
    *line = got_line;
    return TERMINAL_LINE;
}

#else

const char *readline_version(void) { return NULL; }

enum terminal_got readline_read(struct app *app, const char *prompt, char **line)
{
    (void)app;
    (void)prompt;
    (void)line;
    return TERMINAL_FAILED;
}

#endif
