/* grade_report.c: the results: a table on the screen, grades.csv and grades.json; with codes
 * instead of names where that is asked for. */
#include "grade_own.h"
#include "shell/format.h"
#include "shell/json.h"
#include "shell/progress.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In one line, since some readers of CSV know no others. */
static void put_csv(FILE *out, const char *text)
{
    char line[1200];
    snprintf(line, sizeof line, "%s", text);
    grade_clean(line);
    print_csv(out, line);
}

/* A file's own name may tell whose it is. */
static const char *shown_file(const grading *g, const grade_job *j)
{
    return j->file && g->word ? j->e->name : j->file;
}

static void put_json(const grading *g, FILE *out, const grade_job *j)
{
    json o;
    json_begin(&o, out, "grade");
    json_text(&o, "student", j->shown);
    json_text(&o, "exercise", j->e->id);
    json_text(&o, "file", shown_file(g, j));
    for (int i = 0; i < FIELDS; i++) {
        bool number = i == F_SCORE || i == F_CYCLES || i == F_MEASURED || i == F_GOAL;
        if (number && *j->field[i]) json_number(&o, grade_field_names[i], strtod(j->field[i], NULL));
        else json_text(&o, grade_field_names[i], *j->field[i] ? j->field[i] : NULL);
    }
    char device[64];
    snprintf(device, sizeof device, "sim:%s", j->e->x->card);
    json_text(&o, "device", device);
    json_text(&o, "same_text_as", j->same);
    json_end(&o);
}

static void put_left_json(const grading *g, FILE *out)
{
    for (int i = 0; i < g->lefts && !g->word; i++) {
        json o;
        json_begin(&o, out, "grade-left");
        json_text(&o, "student", g->left[i].student);
        json_text(&o, "file", g->left[i].file);
        json_text(&o, "why", g->left[i].why);
        json_end(&o);
    }
}

/* Each file that was not judged, by student. Names of files may be names of people. */
static void print_left(const grading *g)
{
    FILE *out = g->app->out;
    if (g->lefts && g->word) fprintf(out, "not judged: %d other file%s\n", g->lefts, g->lefts == 1 ? "" : "s");
    for (int i = 0; i < g->lefts && !g->word; i++) {
        char line[1200], name[300];
        snprintf(name, sizeof name, "%s%s", g->left[i].student ? g->left[i].student : "",
                 g->left[i].student ? "/" : "");
        snprintf(line, sizeof line, "not judged: %s%.300s (%.500s)", name, g->left[i].file, g->left[i].why);
        grade_clean(line);
        print_wrapped(out, line, 0, 4, g->app->width > 100 ? 100 : g->app->width);
    }
}

static int write_files(grading *g)
{
    char part[24] = "", path[2300];
    if (g->parts) snprintf(part, sizeof part, "-%d-of-%d", g->part + 1, g->parts);
    for (int kind = 0; kind < 2; kind++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *f = open_memstream(&text, &bytes);
        if (!f) return app_fail(g->app, EXIT_INTERNAL, NULL, "out of memory");
        if (!kind) {
            fputs("student,exercise,file", f);
            for (int i = 0; i < FIELDS; i++) fprintf(f, ",%s", grade_field_names[i]);
            fputs(",same_text_as\n", f);
        }
        for (int i = 0; i < g->jobs; i++) {
            const grade_job *j = &g->job[i];
            if (kind) {
                put_json(g, f, j);
                continue;
            }
            put_csv(f, j->shown);
            fprintf(f, ",%s,", j->e->id);
            put_csv(f, j->file ? shown_file(g, j) : "");
            for (int k = 0; k < FIELDS; k++) {
                fputc(',', f);
                put_csv(f, j->field[k]);
            }
            fputc(',', f);
            put_csv(f, j->same ? j->same : "");
            fputc('\n', f);
        }
        if (kind) put_left_json(g, f);
        bool bad = fclose(f) != 0;
        snprintf(path, sizeof path, "%s/grades%s.%s", g->out, part, kind ? "json" : "csv");
        int why = bad ? ENOMEM : state_replace(path, text, bytes);
        free(text);
        if (why) return app_fail(g->app, EXIT_INTERNAL, NULL, "%s cannot be written: %s", path, strerror(why));
        if (!g->app->json) {
            fputs(kind ? " and " : "written: ", g->app->out);
            print_safe(g->app->out, path, strlen(path));
        }
    }
    if (!g->app->json) fputc('\n', g->app->out);
    return 0;
}

static int by_alias(const void *x, const void *y)
{
    const grade_job *a = x, *b = y;
    int order = strcmp(a->alias, b->alias);
    return order ? order : (a->e > b->e) - (a->e < b->e);
}

/* Instead of names, what is made from them with a word that the instructor knows and a secret of
 * the class: a word can be guessed, and both together not. In an order of their own. */
void grade_hide_names(grading *g)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    enum { LETTERS = 13 }; /* 65 bits */
    unsigned char key[DIGEST_BYTES], mac[DIGEST_BYTES];
    digest_mac(g->secret, sizeof g->secret, g->word, strlen(g->word), key);
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        digest_mac(key, sizeof key, j->student, strlen(j->student), mac);
        size_t n = (size_t)snprintf(j->alias, sizeof j->alias, "anon-");
        for (int k = 0; k < LETTERS; k++) {
            int bit = 5 * k;
            unsigned two = (unsigned)mac[bit / 8] << 8 | mac[bit / 8 + 1];
            j->alias[n++] = letters[two >> (11 - bit % 8) & 31];
        }
        j->alias[n] = 0;
    }
    qsort(g->job, (size_t)g->jobs, sizeof *g->job, by_alias);
    for (int i = 0; i < g->jobs; i++) g->job[i].shown = g->job[i].alias; /* it has moved */
}

int grade_report(grading *g)
{
    struct app *app = g->app;
    static const char *const verdicts[] = {"pass", "fail", "unjudged", "missing"};
    int count[4] = {0};
    text_table t;
    table_init(&t, "lllrl");
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        for (int k = 0; k < 4; k++) count[k] += !strcmp(j->field[F_VERDICT], verdicts[k]);
        if (app->json) {
            put_json(g, app->out, j);
            continue;
        }
        char student[300], sentence[800];
        snprintf(student, sizeof student, "%.*s", (int)utf8_fit(j->shown, 20), j->shown);
        grade_clean(student);
        bool named = strcmp(j->field[F_REASON], j->field[F_VERDICT]) != 0;
        size_t said = (size_t)snprintf(sentence, sizeof sentence, "%s%s%s", named ? j->field[F_REASON] : "",
                                       named && *j->field[F_MESSAGE] ? ": " : "", j->field[F_MESSAGE]);
        if (j->same) /* first, since what is long is cut */
            snprintf(sentence, sizeof sentence, "same text as %s%s%s%s%s", j->same, said ? "; " : "",
                     named ? j->field[F_REASON] : "", named && *j->field[F_MESSAGE] ? ": " : "", j->field[F_MESSAGE]);
        table_add(&t, "%s", student);
        table_add(&t, "%s", j->e->id);
        table_add(&t, "%s", j->field[F_VERDICT]);
        table_add(&t, "%s", *j->field[F_SCORE] ? j->field[F_SCORE] : "-");
        table_add(&t, "%s", sentence);
    }
    if (!app->json) {
        table_fit(&t, app->width > 100 ? 100 : app->width);
        table_print(&t, app->out, 0, app->width);
        fprintf(app->out, "%d answers of %d students: %d pass, %d fail, %d missing, %d not judged%s%s\n", g->jobs,
                g->judged_students, count[0], count[1], count[3], count[2], g->compiler[0] ? "; compiler: " : "",
                g->compiler);
    }
    table_free(&t);
    if (app->json) put_left_json(g, app->out);
    else print_left(g);
    int status = write_files(g);
    return status ? status : count[2] ? EXIT_CHECK : EXIT_DONE;
}
