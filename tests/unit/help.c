/* help.c: every command of every table appears in `help` and in `help --json` under its group, and
 * `help COMMAND` explains it. */
#include "commands/commands.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What `help` with these arguments prints; the caller frees it. */
static char *printed(struct app *app, int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    app->out = open_memstream(&text, &size);
    if (!app->out) exit(1);
    check_why(help_run(app, argc, argv) == EXIT_DONE, "help fails", argv[argc - 1]);
    fclose(app->out);
    return text;
}

/* "  name " at the start of a line, as `help` lists it. */
static bool listed(const char *text, const char *name)
{
    char row[64];
    snprintf(row, sizeof row, "\n  %s ", name);
    return strstr(text, row) != NULL;
}

static bool described(const char *text, const struct command *c)
{
    char name[80], group[80];
    snprintf(name, sizeof name, "\"name\":\"%s\",", c->name);
    snprintf(group, sizeof group, "\"group\":\"%s\",", c->group);
    const char *at = strstr(text, name);
    return at && strstr(at, group) && strstr(at, group) < at + strcspn(at, "\n");
}

int main(void)
{
    static struct app app;
    char word[] = "help";
    char *list[] = {word, NULL};
    app.err = stderr;
    app.width = 80;
    char *text = printed(&app, 1, list);
    app.json = true;
    char *json = printed(&app, 1, list);
    app.json = false;
    int tables = 0, commands = 0;
    for (const struct command *const *t = app_tables; *t; t++, tables++)
        for (const struct command *c = *t; c->name; c++, commands++) {
            char name[40], heading[60];
            snprintf(name, sizeof name, "%s", c->name);
            char *one[] = {word, name, NULL};
            check_why(c->group && *c->group, "has no group", c->name);
            if (!c->group) continue;
            snprintf(heading, sizeof heading, "\n%s\n", c->group);
            check_why(strstr(text, heading) || !strncmp(text, heading + 1, strlen(heading + 1)),
                      "its group has no heading", c->name);
            check_why(listed(text, c->name), "not in help", c->name);
            check_why(described(json, c), "not in help --json", c->name);
            char *own = printed(&app, 2, one);
            check_why(strstr(own, "Example:") != NULL, "is explained without an example", c->name);
            free(own);
        }
    check_why(tables >= 6 && commands >= 30, "the tables are found", "all");
    free(text);
    free(json);
    return check_end();
}
