/* export.c: `export`: every recorded run, and the notes, as Markdown, JSON lines or CSV. */
#include "commands.h"

#include "shell/format.h"
#include "shell/json.h"
#include "shell/progress.h"
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Columns of the table; every other key of a record appears in JSON only. */
static const char *const columns[] = {"device", "n", "correct", "cycles", "ms", "gbps", "gflops"};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct export
{
    struct app *app;
    FILE *out;
    int runs, checks;
};

static bool one_csv(void *arg, const struct state_event *e)
{
    struct export *x = arg;
    if (strcmp(e->verb, "run")) return true;
    if (x->runs++ == 0) {
        fputs("time,step", x->out);
        for (int i = 0; i < COLUMNS; i++) fprintf(x->out, ",%s", columns[i]);
        fputc('\n', x->out);
    }
    print_csv(x->out, e->time);
    fputc(',', x->out);
    print_csv(x->out, e->step);
    for (int i = 0; i < COLUMNS; i++) {
        const char *value = state_value(e, columns[i]);
        fputc(',', x->out);
        print_csv(x->out, value ? value : "");
    }
    fputc('\n', x->out);
    return true;
}

static bool one_json(void *arg, const struct state_event *e)
{
    struct export *x = arg;
    json j;
    json_begin(&j, x->out, "record");
    json_text(&j, "time", e->time);
    json_text(&j, "verb", e->verb);
    json_text(&j, "step", e->step);
    for (int i = 0; i < e->pairs; i++) {
        char *end;
        double number = strtod(e->value[i], &end);
        if (!strcmp(e->key[i], "time") || !strcmp(e->key[i], "verb") || !strcmp(e->key[i], "step")) continue;
        bool is_number = *e->value[i] && !*end && isfinite(number);
        if (is_number && number == floor(number) && fabs(number) < 1e15) json_int(&j, e->key[i], (int64_t)number);
        else if (is_number) json_number(&j, e->key[i], number);
        else json_text(&j, e->key[i], e->value[i]);
    }
    json_end(&j);
    x->runs++;
    return true;
}

/* What a person wrote is text, not HTML, a link, a picture or the end of a cell. */
static void put_md(FILE *out, const char *text)
{
    static const char *const written[128] = {['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['|'] = "\\|",
                                             ['['] = "\\[",  [']'] = "\\]",  ['\\'] = "\\\\", ['`'] = "\\`"};
    for (size_t length; *text; text += length) {
        const char *other = (unsigned char)*text < 128 ? written[(unsigned char)*text] : NULL;
        length = other ? 1 : 1 + strcspn(text + 1, "<>&|[]\\`");
        if (other) fputs(other, out);
        else print_safe(out, text, length);
    }
}

static void put_cell(FILE *out, const char *text)
{
    fputs("| ", out);
    put_md(out, text);
    fputc(' ', out);
}

static bool one_md(void *arg, const struct state_event *e)
{
    struct export *x = arg;
    if (strcmp(e->verb, "run")) return true;
    if (x->runs++ == 0) {
        fputs("| time | step ", x->out);
        for (int i = 0; i < COLUMNS; i++) put_cell(x->out, columns[i]);
        fputs("|\n|---|---", x->out);
        for (int i = 0; i < COLUMNS; i++) fputs("|---", x->out);
        fputs("|\n", x->out);
    }
    put_cell(x->out, e->time);
    put_cell(x->out, e->step);
    for (int i = 0; i < COLUMNS; i++) {
        const char *value = state_value(e, columns[i]);
        put_cell(x->out, value ? value : "");
    }
    fputs("|\n", x->out);
    return true;
}

static bool one_check_md(void *arg, const struct state_event *e)
{
    static const char *const keys[] = {"result", "score", "device", "compiler"};
    struct export *x = arg;
    if (strcmp(e->verb, "check")) return true;
    if (x->checks++ == 0)
        fputs("\n## Exercises\n\n| time | exercise | result | score | device | compiler |\n|---|---|---|---|---|---|\n",
              x->out);
    put_cell(x->out, e->time);
    put_cell(x->out, e->step);
    for (int i = 0; i < 4; i++) {
        const char *value = state_value(e, keys[i]);
        put_cell(x->out, value ? value : "");
    }
    fputs("|\n", x->out);
    return true;
}

static void write_md(struct export *x)
{
    fputs("# What I ran in warpstep\n\n", x->out);
    state_each(x->app, one_md, x);
    if (!x->runs) fputs("Nothing yet.\n", x->out);
    state_each(x->app, one_check_md, x);
    size_t bytes;
    char *notes = state_notes(x->app, &bytes);
    if (!notes) return;
    fputs("\n## Notes\n\n", x->out);
    for (char *line = notes, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        fputs("- ", x->out);
        put_md(x->out, line);
        fputc('\n', x->out);
    }
    free(notes);
}

int export_run(struct app *app, int argc, char **argv)
{
    static const char *const kinds[] = {"md", "json", "csv", "html"};
    int kind = -1;
    if (argc < 2 || argc > 3)
        return app_fail(app, EXIT_USAGE, "export md", "export takes md, html, json or csv, and a file");
    for (int i = 0; i < 4; i++)
        if (!strcmp(argv[1], kinds[i])) kind = i;
    if (kind < 0)
        return app_fail(app, EXIT_USAGE, "export md", "export writes md, html, json or csv, not \"%s\"", argv[1]);
    struct export x = {.app = app, .out = app->out};
    if (argc == 3) {
        int fd = open(argv[2], O_WRONLY | O_CREAT | O_EXCL, 0644);
        if (fd < 0 && errno == EEXIST)
            return app_fail(app, EXIT_USAGE, NULL, "%s exists already, and is left as it is", argv[2]);
        x.out = fd < 0 ? NULL : fdopen(fd, "w");
        if (!x.out) return app_fail(app, EXIT_USAGE, NULL, "%s cannot be written: %s", argv[2], strerror(errno));
    }
    int status = 0;
    if (kind == 0) write_md(&x);
    else if (kind == 3) status = view_html(app, x.out, &x.runs);
    else state_each(app, kind == 1 ? one_json : one_csv, &x);
    if (kind && kind != 3 && !x.runs) app_warn(app, "nothing has been run yet: there is nothing to export");
    if (argc == 3) {
        int why = ferror(x.out) || fflush(x.out) ? errno : 0;
        if (fclose(x.out) && !why) why = errno;
        if (why) { /* half a page is worse than none, and would stand in the way of the next try */
            unlink(argv[2]);
            return app_fail(app, EXIT_INTERNAL, NULL, "%s could not be written in full, and is gone again: %s", argv[2],
                            strerror(why));
        }
        if (!app->json) {
            fputs("wrote ", app->out);
            print_safe(app->out, argv[2], strlen(argv[2]));
            fprintf(app->out, ": %d records\n", x.runs);
        }
    }
    return status;
}
