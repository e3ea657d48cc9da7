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
    int width = utf8_width(left);
    fprintf(app->out, "  %s", left);
    if (width > 30) {
        fputc('\n', app->out);
        width = -2;
    }
    fprintf(app->out, "%*s%s\n", 32 - width, "", c->brief);
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
    if (!app->json)
        fputs("\nhelp COMMAND explains one. Commands can be shortened. Tab completes, Ctrl-C ends a\n"
              "run, Ctrl-D leaves.\n",
              app->out);
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
    fprintf(app->out, "%s%s%s%s%s\n\n", app_style(app, STYLE_BOLD), c->name, *c->args ? " " : "", c->args,
            app_style(app, STYLE_PLAIN));
    fputs(c->help, app->out);
    return EXIT_DONE;
}

void complete_commands(struct words *out)
{
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) words_add(out, c->name);
}
