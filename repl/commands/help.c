/* help.c: `help`, and what --help prints. All of it comes from the command tables. */
#include "commands.h"

#include "shell/format.h"
#include "shell/json.h"
#include "sim.h"
#include "shell/words.h"

#include <string.h>

const struct help_status help_statuses[] = {
    {EXIT_DONE, "done"},
    {EXIT_CHECK, "a check failed"},
    {EXIT_USAGE, "usage"},
    {EXIT_DEVICE, "device absent"},
    {EXIT_INTERNAL, "internal error"},
    {EXIT_INCONCLUSIVE, "timing inconclusive"},
    {EXIT_TIME, "time limit"},
    {EXIT_INTERRUPT, "interrupted"},
    {0, NULL},
};

void help_usage(FILE *out)
{
    fputs("usage: warpstep [options] [-c COMMAND]... [-x FILE] [COMMAND WORDS...]\n"
          "\n"
          "Without a command it reads commands: from you on a terminal, else from stdin.\n"
          "\n",
          out);
    for (const struct app_option *o = app_option_list; o->name; o++) {
        char left[40];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        fprintf(out, "  %-17s  %s\n", left, o->brief);
    }
    char statuses[400] = "Exit status: ";
    for (const struct help_status *s = help_statuses; s->text; s++) {
        size_t used = strlen(statuses);
        snprintf(statuses + used, sizeof statuses - used, "%d %s%s", s->status, s->text, s[1].text ? "; " : ".");
    }
    fputc('\n', out);
    print_wrapped(out, statuses, 0, 0, 80);
    fputs("`warpstep help` lists the commands.\n", out);
}

static void describe_json(struct app *app, const struct command *c)
{
    json j;
    json_begin(&j, app->out, "command");
    json_text(&j, "name", c->name);
    json_text(&j, "group", c->group);
    json_text(&j, "args", c->args);
    json_text(&j, "brief", c->brief);
    json_text(&j, "help", c->help);
    json_end(&j);
}

static void put_row(struct app *app, const struct command *c)
{
    char left[160];
    snprintf(left, sizeof left, "%s %s", c->name, c->args);
    const int at = 2 + utf8_width(left), column = app->width < 60 ? 6 : 34;
    fputs("  ", app->out);
    if (at + 2 <= column) {
        fprintf(app->out, "%s%*s", left, column - at, "");
    } else {
        print_wrapped(app->out, left, 2, 6, app->width);
        fprintf(app->out, "%*s", column, "");
    }
    print_wrapped(app->out, c->brief, column, column, app->width);
}

/* A command's help: lines that begin at the margin are one text, others stand as they are written. */
static void put_help(struct app *app, const char *text)
{
    char paragraph[4000] = "";
    size_t n = 0;
    for (const char *p = text; *p;) {
        char line[400];
        size_t length = strcspn(p, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, p);
        p += length + (p[length] == '\n');
        const bool prose = *line && *line != ' ' && !strstr(line, "  ");
        if (prose && n + length + 2 < sizeof paragraph) {
            n += (size_t)snprintf(paragraph + n, sizeof paragraph - n, "%s%s", n ? " " : "", line);
            if (*p && *p != '\n' && *p != ' ') continue;
        }
        if (n) app_wrap(app, 0, paragraph);
        n = 0;
        if (!prose) print_code(app->out, line, 0, app->width);
    }
}

void help_groups(struct words *out)
{
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c))
        if (!words_have(out, c->group)) words_add(out, c->group);
}

static void list(struct app *app)
{
    const char *bold = app_style(app, STYLE_BOLD), *plain = app_style(app, STYLE_PLAIN);
    struct words groups = {0};
    help_groups(&groups);
    for (int g = 0; g < groups.count; g++) {
        if (!app->json) fprintf(app->out, "%s%s%s%s\n", g ? "\n" : "", bold, groups.v[g], plain);
        for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) {
            if (strcmp(c->group, groups.v[g])) continue;
            if (app->json) describe_json(app, c);
            else put_row(app, c);
        }
    }
    words_free(&groups);
    if (!app->json) fputc('\n', app->out);
    if (!app->json)
        app_wrap(
            app, 0,
            "help COMMAND explains one. Commands can be shortened. Tab completes, Ctrl-C ends a run, Ctrl-D leaves. "
            "In a long answer Enter shows the next page and q ends the answer.");
}

/* What a PTX operation does, from the simulator's own table: `help add`, `help ld.global`. */
static bool operation(struct app *app, const char *name)
{
    int count;
    const sim_op_info *info = sim_op_infos(&count);
    size_t n = strcspn(name, ".");
    for (int i = 0; i < count; i++) {
        if (strlen(info[i].name) != n || strncmp(info[i].name, name, n)) continue;
        if (app->json) {
            json j;
            json_begin(&j, app->out, "operation");
            json_text(&j, "name", info[i].name);
            json_text(&j, "effect", info[i].effect);
            json_end(&j);
        } else {
            fprintf(app->out, "%s%s%s  (PTX)  %s\n", app_style(app, STYLE_BOLD), info[i].name,
                    app_style(app, STYLE_PLAIN), info[i].effect);
        }
        return true;
    }
    return false;
}

int help_run(struct app *app, int argc, char **argv)
{
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help", "help takes one command");
    if (argc == 1) {
        list(app);
        return EXIT_DONE;
    }
    const struct command *c = app_command(app, argv[1], true);
    if (!c && operation(app, argv[1])) return EXIT_DONE;
    if (!c && !app_command(app, argv[1], false)) return EXIT_USAGE;
    if (app->json) {
        describe_json(app, c);
        return EXIT_DONE;
    }
    char usage[300];
    snprintf(usage, sizeof usage, "%s%s%s%s%s", app_style(app, STYLE_BOLD), c->name, *c->args ? " " : "", c->args,
             app_style(app, STYLE_PLAIN));
    print_wrapped(app->out, usage, 0, 4, app->width);
    fputc('\n', app->out);
    put_help(app, c->help);
    return EXIT_DONE;
}

void complete_commands(struct words *out)
{
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) words_add(out, c->name);
}
