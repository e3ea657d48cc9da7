/* export.c: `export`: the recorded runs and the notes as Markdown, JSON lines, CSV or an HTML
 * page. */
#include "commands.h"

#include "shell/document.h"
#include "shell/language.h"
#include "shell/progress.h"
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A table of the events of one verb. Other keys of the records are in the JSON only. */
typedef struct listing {
    doc *d;
    const char *verb, *step, *const *key; /* step: the heading of the column of steps */
    int rows;
} listing;
static const char *const of_runs[] = {"device", "n", "correct", "cycles", "ms", "gbps", "gflops", NULL};
static const char *const of_checks[] = {"result", "score", "device", "compiler", NULL};

static void put_head(listing *l)
{
    char align[16] = "ll";
    for (int i = 0; l->key[i]; i++) strcat(align, "l");
    doc_table(l->d, align);
    doc_row(l->d, "time", l->step);
    for (int i = 0; l->key[i]; i++) doc_row(l->d, l->key[i]);
    doc_rule(l->d);
}

static bool put_event(void *arg, const struct state_event *e)
{
    listing *l = arg;
    if (strcmp(e->verb, l->verb)) return true;
    if (!l->rows++) put_head(l);
    doc_row(l->d, e->time, e->step);
    for (int i = 0; l->key[i]; i++) doc_row(l->d, state_value(e, l->key[i]));
    return true;
}

static bool put_record(void *arg, const struct state_event *e)
{
    listing *l = arg;
    json *j = doc_begin(l->d, "record", "time %s, verb %s, step %s", e->time, e->verb, e->step);
    for (int i = 0; i < e->pairs; i++) {
        char *end;
        double number = strtod(e->value[i], &end);
        if (!strcmp(e->key[i], "time") || !strcmp(e->key[i], "verb") || !strcmp(e->key[i], "step")) continue;
        bool is_number = *e->value[i] && !*end && isfinite(number);
        if (is_number && number == floor(number) && fabs(number) < 1e15) json_int(j, e->key[i], (int64_t)number);
        else if (is_number) json_number(j, e->key[i], number);
        else json_text(j, e->key[i], e->value[i]);
    }
    json_end(j);
    l->rows++;
    return true;
}

static void put_notes(doc *d)
{
    size_t bytes;
    char *notes = state_notes(d->app, &bytes);
    if (notes) doc_section(d, 2, "", "Notes");
    for (char *line = notes, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        doc_say(d, 2, "%s", line);
    }
    free(notes);
}

static int put_page(doc *d, int *records)
{
    listing runs = {d, "run", "step", of_runs, 0}, checks = {d, "check", "exercise", of_checks, 0};
    doc_title(d, "What I ran in warpstep");
    if (doc_is_data(d)) state_each(d->app, put_record, &runs);
    else state_each(d->app, put_event, &runs);
    if (!runs.rows) doc_say(d, 0, "Nothing yet.");
    doc_table_end(d, 0);
    *records = runs.rows;
    if (d->writer != &doc_markdown) return 0;
    state_each(d->app, put_event, &checks);
    if (checks.rows) doc_section(d, 2, "", "Exercises");
    doc_table_end(d, 0);
    put_notes(d);
    return 0;
}

static const struct format {
    const char *name;
    const doc_writer *writer;
    int (*put)(doc *d, int *records); /* a status */
    bool records;                     /* it has nothing but the records */
} formats[] = {
    {"md", &doc_markdown, put_page, false},
    {"html", &doc_html, view_history, false},
    {"json", &doc_json, put_page, true},
    {"csv", &doc_csv, put_page, true},
};
enum { FORMATS = sizeof formats / sizeof *formats };

void export_complete(struct app *app, int argc, char **argv, struct words *out)
{
    (void)app;
    (void)argv;
    for (int i = 0; i < FORMATS && argc == 1; i++) words_add(out, formats[i].name);
    if (argc == 2) complete_files(out);
}

int export_run(struct app *app, int argc, char **argv)
{
    const struct format *format = NULL;
    struct words names = {0};
    char list[100];
    for (int i = 0; i < FORMATS; i++) {
        words_add(&names, formats[i].name);
        if (argc > 1 && !strcmp(argv[1], formats[i].name)) format = &formats[i];
    }
    language_either(&names, list, sizeof list);
    words_free(&names);
    if (argc < 2 || argc > 3) return app_fail(app, EXIT_USAGE, "export md", "export takes %s, and a file", list);
    if (!format) return app_fail(app, EXIT_USAGE, "export md", "export writes %s, not \"%s\"", list, argv[1]);
    if (argc == 3 && argv[2][0] == '-')
        return app_fail(app, EXIT_USAGE, "help export", "export has no option %s; such a file is ./%s", argv[2],
                        argv[2]);
    FILE *out = app->out;
    if (argc == 3) {
        int fd = open(argv[2], O_WRONLY | O_CREAT | O_EXCL, 0644);
        if (fd < 0 && errno == EEXIST)
            return app_fail(app, EXIT_USAGE, NULL, "%s exists already; it was not changed", argv[2]);
        out = fd < 0 ? NULL : fdopen(fd, "w");
        if (!out) return app_fail(app, EXIT_USAGE, NULL, "%s cannot be written: %s", argv[2], strerror(errno));
    }
    doc d = doc_to(app, out, format->writer);
    int records = 0;
    const int status = format->put(&d, &records);
    if (format->records && !records) app_warn(app, "nothing has been run yet: there is nothing to export");
    if (argc == 3) {
        int why = ferror(out) || fflush(out) ? errno : app_lost;
        if (fclose(out) && !why) why = errno;
        if (why) { /* an incomplete page is useless, and O_EXCL would refuse the next attempt */
            unlink(argv[2]);
            return app_fail(app, EXIT_INTERNAL, NULL, "%s could not be written in full and was removed: %s", argv[2],
                            strerror(why));
        }
        doc said = doc_open(app);
        doc_part(&said, STYLE_PLAIN, "wrote ");
        doc_safe(&said, argv[2], strlen(argv[2]));
        doc_line(&said, ": %d records", records);
    }
    return status;
}
