/* help.c: `help`, and the text of --help, both made from the command tables. */
#include "commands.h"
#include "course/glossary.h"
#include "program/program.h"

#include "shell/format.h"
#include "shell/document.h"
#include "shell/language.h"
#include "sim.h"
#include "shell/words.h"

#include <string.h>

const struct help_status help_statuses[] = {
    {EXIT_DONE, "done", "The command did what it says."},
    {EXIT_CHECK, "a check failed",
     "A check failed or is pending, a kernel did something wrong, or its result is wrong."},
    {EXIT_USAGE, "usage", "There is no such command, option, step or file, or what a file holds is not understood."},
    {EXIT_DEVICE, "device or compiler absent", "The device asked for, or a compiler that is needed, is absent."},
    {EXIT_INTERNAL, "internal error",
     "warpstep, a compiler or the driver failed, or memory or the disk was too small."},
    {EXIT_INCONCLUSIVE, "timing inconclusive", "The times measured on a GPU differ too much."},
    {EXIT_TIME, "time limit", "The command reached its limit of time (--limit)."},
    {PROGRAM_FAILED, "not run by exec", "exec did not compile the program, or some of its kernels did not run."},
    {PROGRAM_CANNOT, "not executable", "What exec was given is no program that this computer executes."},
    {PROGRAM_ABSENT, "not found by exec", "There is no such program."},
    {EXIT_INTERRUPT, "interrupted", "Ctrl-C ended the command."},
    {0, NULL, NULL},
};
const char help_exec_status[] =
    "exec ends with the program's own status where there is one, with 1 in place of 0 when it found a fault, and with "
    "128 + N when signal N ended the program.";

void help_usage(FILE *out)
{
    fprintf(out, "%s warpstep [options] [-c COMMAND]... [-x FILE] [COMMAND WORDS...]\n\n%s\n\n", TR("usage:"),
            TR("Without a command it reads commands: from you on a terminal, else from stdin."));
    for (const struct app_option *o = app_option_list; o->name; o++) {
        char left[40], brief[300];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        fprintf(out, "  %-18s  %s\n", left, language_choices(o->brief, false, brief, sizeof brief));
    }
    char statuses[600];
    snprintf(statuses, sizeof statuses, "%s ", TR("Exit status:"));
    for (const struct help_status *s = help_statuses; s->text; s++) {
        size_t used = strlen(statuses);
        snprintf(statuses + used, sizeof statuses - used, "%d %s%s", s->status, TR(s->text), s[1].text ? "; " : ".");
    }
    fputc('\n', out);
    print_wrapped(out, statuses, 0, 0, 80);
    fprintf(out, "%s\n", TR("`warpstep help` lists the commands, `warpstep help status` explains the statuses."));
}

static void put_data(doc *d, const struct command *c)
{
    doc_data(d, "command", "name %s, group %s, args %s, brief %s, help %s", c->name, c->group, c->args, c->brief,
             c->help);
}

void help_groups(struct words *out)
{
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c))
        if (!words_have(out, c->group)) words_add(out, c->group);
}

/* Enough to begin with, in the order of use. */
static const char *const beginner[] = {"next", "why", "show", "exercise", "check", "help"};

static void list_first(doc *d)
{
    doc_head(d, "", "To begin with");
    for (size_t i = 0; i < sizeof beginner / sizeof *beginner; i++) {
        const struct command *c = app_command(d->app, beginner[i], true);
        char name[40];
        snprintf(name, sizeof name, "  %s", beginner[i]);
        if (c) doc_entry(d, 34, name, "%s", c->brief);
    }
    doc_gap(d);
}

static void list(doc *d)
{
    list_first(d);
    struct words groups = {0};
    help_groups(&groups);
    for (int g = 0; g < groups.count; g++) {
        if (g) doc_gap(d);
        doc_head(d, "", "%s", groups.v[g]);
        for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) {
            char name[160];
            if (strcmp(c->group, groups.v[g])) continue;
            snprintf(name, sizeof name, "  %s %s", c->name, c->args);
            put_data(d, c);
            doc_entry(d, 34, name, "%s", c->brief);
        }
    }
    words_free(&groups);
    doc_gap(d);
    doc_say(d, 0,
            "help COMMAND explains one, help WORD a word of the lessons (help words lists them). Commands can be "
            "shortened. Tab completes, Ctrl-C ends a run, Ctrl-D leaves. In a long answer Enter shows the next page "
            "and q ends the answer.");
}

/* Explains a PTX operation from the simulator's own table: `help add`, `help ld.global`. */
static bool operation(doc *d, const char *name)
{
    int count;
    const sim_op_info *info = sim_op_infos(&count);
    size_t n = strcspn(name, ".");
    for (int i = 0; i < count; i++) {
        if (strlen(info[i].name) != n || strncmp(info[i].name, name, n)) continue;
        doc_data(d, "operation", "name %s, effect %s", info[i].name, info[i].effect);
        char head[100];
        snprintf(head, sizeof head, "%s%s%s  (PTX)", app_style(d->app, STYLE_BOLD), info[i].name,
                 app_style(d->app, STYLE_PLAIN));
        doc_entry(d, utf8_width(head) + 2, head, "%s", info[i].effect);
        return true;
    }
    return false;
}

static void list_statuses(doc *d)
{
    doc_head(d, "", "Exit status");
    for (const struct help_status *s = help_statuses; s->text; s++) {
        char name[16];
        doc_data(d, "status", "status %d, text %s, more %s", s->status, s->text, s->more);
        snprintf(name, sizeof name, "  %d", s->status);
        doc_entry(d, 7, name, "%s", TR(s->more));
    }
    doc_gap(d);
    doc_say(d, 0, "%s", TR(help_exec_status));
}

static void put_term(doc *d, const glossary_term *t)
{
    doc_data(d, "term", "name %s, also %s, text %s, see %s", t->name, t->also, t->text, t->see);
    doc_head(d, "", "%s", t->name);
    doc_say(d, 2, "%s", t->text);
    if (t->see[0]) doc_say(d, 2, "See: goto %s", t->see);
}

static void list_terms(doc *d)
{
    glossary_term t;
    doc_head(d, "", "Words of the lessons");
    char all[4000] = "";
    for (size_t at = 0; glossary_next(&at, &t);) {
        const size_t used = strlen(all);
        doc_data(d, "term", "name %s, also %s, text %s, see %s", t.name, t.also, t.text, t.see);
        snprintf(all + used, sizeof all - used, "%s%s%s%s", used ? ", " : "", t.local, t.local[0] ? " " : "", t.name);
    }
    doc_say(d, 2, "%s.", all);
    doc_gap(d);
    doc_say(d, 0, "help WORD explains one.");
}

/* Words of a lesson: one, or several that belong together ("bank conflict"). */
static bool term(doc *d, int argc, char **argv)
{
    char name[120] = "";
    glossary_term t;
    for (int i = 1; i < argc; i++) {
        const size_t used = strlen(name);
        snprintf(name + used, sizeof name - used, "%s%s", used ? " " : "", argv[i]);
    }
    if (!strcmp(name, "words")) {
        list_terms(d);
        return true;
    }
    if (!glossary_find(name, &t)) return false;
    put_term(d, &t);
    return true;
}

int help_run(struct app *app, int argc, char **argv)
{
    doc d = doc_open(app);
    if (argc > 2 && term(&d, argc, argv)) return EXIT_DONE;
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help words", "help takes one command, or a word of the lessons");
    if (argc == 1) {
        list(&d);
        return EXIT_DONE;
    }
    if (!strcmp(argv[1], "status")) {
        list_statuses(&d);
        return EXIT_DONE;
    }
    const struct command *c = app_command(app, argv[1], true);
    if ((!c || strcmp(c->name, argv[1])) && term(&d, argc, argv)) return EXIT_DONE;
    if (!c && operation(&d, argv[1])) return EXIT_DONE;
    if (!c && !app_command(app, argv[1], false)) return EXIT_USAGE;
    put_data(&d, c);
    doc_head(&d, "", "%s%s%s", c->name, *c->args ? " " : "", c->args);
    doc_gap(&d);
    doc_paragraphs(&d, 0, c->help);
    return EXIT_DONE;
}

void complete_commands(struct words *out)
{
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) words_add(out, c->name);
}
