/* dispatch.c: turns a line into a command and runs it, after taking out the options in it. */
#include "command.h"

#include "shell/language.h"
#include "shell/pager.h"
#include "shell/terminal.h"
#include "shell/words.h"
#include "commands.h"
#include "run/step.h"

#include <stdlib.h>
#include <string.h>

/* ---- the program's options ---- */
static int take_device(struct app *app, const char *value) { return setting_option(app, "device", value); }
static int take_color(struct app *app, const char *value) { return setting_option(app, "color", value); }
static int take_lang(struct app *app, const char *value) { return setting_option(app, "lang", value); }
static int take_seed(struct app *app, const char *value) { return setting_option(app, "seed", value); }
static int take_threads(struct app *app, const char *value) { return setting_option(app, "host-threads", value); }
static int take_hot(struct app *app, const char *value)
{
    (void)value;
    app->hot = true;
    return 0;
}
static int take_limit(struct app *app, const char *value) { return setting_option(app, "limit", value); }
static int take_lessons(struct app *app, const char *value)
{
    words_add(&app->lessons_dirs, value);
    return app->lessons_dirs.failed ? app_no_memory(app) : 0;
}

static int take_lessons_only(struct app *app, const char *value)
{
    app->lessons_only = true;
    return take_lessons(app, value);
}

static int take_json(struct app *app, const char *value)
{
    (void)value;
    app->json = true;
    return 0;
}

static int take_exact(struct app *app, const char *value)
{
    (void)value;
    app->exact = true;
    return 0;
}

static int take_class(struct app *app, const char *value)
{
    (void)value;
    app->class_mode = true;
    return 0;
}

static int take_unsealed(struct app *app, const char *value)
{
    (void)value;
    app->unsealed = true;
    return 0;
}

/* In the order of --help. */
const struct app_option app_option_list[] = {
    {"--device", "DEV", "auto, gpu, gpu:N, sim:CARD, sim:FILE", OPTION_ANYWHERE, take_device},
    {"--json", NULL, "one JSON object per line on stdout, nothing else there", OPTION_ANYWHERE, take_json},
    {"--color", "WHEN", "auto, always, never", OPTION_ANYWHERE, take_color},
    {"--lang", "LANGUAGE", "auto (as the locale says), %s", OPTION_ANYWHERE, take_lang},
    {"--seed", "N", "what random input is made from", OPTION_ANYWHERE, take_seed},
    {"--limit", "SECONDS", "time a run may take", OPTION_ANYWHERE, take_limit},
    {"--threads", "N", "host threads of the simulator; 0: one per core", OPTION_ANYWHERE, take_threads},
    {"--exact", NULL, "time every block, not a sample (simulated cards)", OPTION_ANYWHERE, take_exact},
    {"--hot", NULL, "time with a warm cache, as the previous run left it", OPTION_ANYWHERE, take_hot},
    {"--unsealed", NULL, "judge strangers' code also where nothing can shut it in", OPTION_ANYWHERE, take_unsealed},
    {"--lessons", "DIR", "lessons of your own, added to these; may be repeated", OPTION_START, take_lessons},
    {"--lessons-only", "DIR", "the same, in place of these", OPTION_START, take_lessons_only},
    {"--class", NULL, "for a projector: why framed, solutions hidden", OPTION_START, take_class},
    {"-c", "COMMAND", "run a command line, then leave; may be repeated", OPTION_START, NULL},
    {"-x", "FILE", "run the command lines of a file, then leave", OPTION_START, NULL},
    {"--help", NULL, "show these lines", OPTION_START, NULL},
    {"--version", NULL, "print the version and how the program was built", OPTION_START, NULL},
    {0},
};

void options_changed(struct app *app)
{
    terminal_color(app);
    language_take(app);
    metrics_speak();
    if (app->lessons) app->lessons->speak(app);
}

int app_options(struct app *app, struct words *words, int from)
{
    for (int i = from; i < words->count;) {
        const char *word = words->v[i];
        /* the rest belongs to this command, or to another program */
        if (!strcmp(word, "--") || (i == from && (!strcmp(word, "exec") || !strcmp(word, "nvcc")))) break;
        const struct app_option *found = NULL;
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) : strlen(word);
        for (const struct app_option *o = app_option_list; o->name; o++)
            if (o->take && strlen(o->name) == length && !strncmp(o->name, word, length)) found = o;
        if (!found) {
            i++;
            continue;
        }
        const char *value = equals ? equals + 1 : NULL;
        if (found->value && !value) {
            if (i + 1 >= words->count) return app_fail(app, EXIT_USAGE, NULL, "%s needs a value after it", found->name);
            value = words->v[i + 1];
        }
        if (!found->value && value) return app_fail(app, EXIT_USAGE, found->name, "%s takes no value", found->name);
        int status = found->take(app, value);
        if (status) return status;
        if (found->value && !equals) words_remove(words, i + 1);
        words_remove(words, i);
    }
    options_changed(app);
    return 0;
}

/* ---- finding and running a command ---- */
const struct command *app_next_command(const struct command *before)
{
    for (int t = 0; app_tables[t]; t++) {
        const struct command *c = app_tables[t];
        if (!before) {
            if (c->name) return c;
            continue;
        }
        for (; c->name; c++) {
            if (c != before) continue;
            if (c[1].name) return c + 1;
            before = NULL; /* continue with the next table */
            break;
        }
    }
    return NULL;
}

const struct command *app_command(struct app *app, const char *name, bool quietly)
{
    if (!strcmp(name, "?")) name = "help";
    size_t n = strlen(name);
    struct words all = {0}, fit = {0};
    const struct command *found = NULL, *only = NULL;
    int fits = 0;
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) {
        words_add(&all, c->name);
        if (n == 0 || strncmp(c->name, name, n)) continue;
        if (!c->name[n] || (c->min > 0 && n >= (size_t)c->min)) found = c;
        if (!c->name[n]) break;
        words_add(&fit, c->name);
        only = c;
        fits++;
    }
    if (!found && fits == 1) found = only;
    if (found || quietly) {
        /* no message */
    } else if (fits > 1) {
        char list[256] = "";
        words_sort(&fit);
        for (int i = 0; i < fit.count; i++) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", fit.v[i]);
        }
        app_fail(app, EXIT_USAGE, NULL, "\"%s\" could be %s", name, list);
    } else {
        const char *near = app_nearest(name, &all);
        app_fail(app, EXIT_USAGE, near ? near : "help", "no command is called \"%s\"", name);
    }
    words_free(&all);
    words_free(&fit);
    return found;
}

int app_words(struct app *app, struct words *words)
{
    if (words->count == 0) return 0;
    if (app_interrupted) /* since the line was read: terminal_read cleared it */
        return app_fail(app, EXIT_INTERRUPT, NULL, "%s: interrupted before it began", words->v[0]);
    const bool outer = app->failed; /* belongs to the command that runs this one */
    app_lost = 0;
    app->failed = false;
    struct app_kept kept = {app->options, app->kept}; /* options in the line apply to this command alone */
    if (!app->kept && app->lessons) app->lessons->begin(app);
    app->kept = &kept;
    int status = app_options(app, words, 0);
    const struct command *c = NULL;
    if (!status && words->count == 1 && app->interactive && !strcmp(words->v[0], "q")) {
        /* one q too many after a long answer must not end the session */
        status = app_fail(app, EXIT_USAGE, "quit", "q ends a long answer; `quit` or Ctrl-D leaves the program");
    } else if (!status && words->count > 0) {
        c = app_command(app, words->v[0], false);
        if (!c) status = EXIT_USAGE;
    }
    char **argv = c ? malloc((size_t)(words->count + 1) * sizeof *argv) : NULL;
    if (c && !argv) status = app_no_memory(app);
    if (argv) {
        /* its own list, as the command may rearrange it */
        memcpy(argv, words->v, (size_t)(words->count + 1) * sizeof *argv);
        char name[32];
        snprintf(name, sizeof name, "%s", c->name);
        argv[0] = name;
        status =
            pages_wanted(app, c->name) ? pages_run(app, c->run, words->count, argv) : c->run(app, words->count, argv);
        free(argv);
        /* also `lesson 1 next`, which moves to the same step */
        bool walks = words->count > 0 && !strcmp(words->v[words->count - 1], "next") && strcmp(c->name, "help");
        snprintf(app->repeat, sizeof app->repeat, "%s", status == 0 && walks ? "next" : "");
    }
    if (app_lost) app_fail(app, EXIT_INTERNAL, NULL, "part of the output is missing: %s", strerror(app_lost));
    fflush(app->out);
    if ((app->failed || ferror(app->out)) && (!status || status == EXIT_CHECK)) status = EXIT_INTERNAL;
    app->failed = app->failed || outer;
    app->options = kept.options;
    app->kept = kept.outer;
    options_changed(app);
    return status;
}

int app_line(struct app *app, const char *line)
{
    struct words words = {0};
    const char *wrong = words_split(&words, line);
    int status = wrong ? app_fail(app, EXIT_USAGE, NULL, "%s", wrong) : app_words(app, &words);
    words_free(&words);
    return status;
}
