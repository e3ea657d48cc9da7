/* grade_report.c: the results: a table on the screen, grades.csv and grades.json. On request they
 * show codes in place of names. */
#include "grade.h"
#include "shell/document.h"
#include "shell/language.h"
#include "shell/progress.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The name of a file may reveal its student. */
static const char *shown_file(const grading *g, const grade_job *j)
{
    return j->file && g->word ? j->e->name : j->file;
}

/* NULL: there is none. */
static const char *remark_of(const grade_job *j)
{
    return j->unchanged && !strcmp(j->field[F_REASON], "short") ? "unchanged" : NULL;
}

/* As its answers are called: a spreadsheet would take "5.1" and "5.10" for one number. */
static const char *exercise_column(const grade_job *j, char *out, size_t size)
{
    const size_t ending = strlen(exercise_ending(j->e->x)), name = strlen(j->e->name);
    snprintf(out, size, "%.*s", (int)(name - ending), j->e->name);
    return out;
}

static void put_data(const grading *g, doc *d, const grade_job *j)
{
    json *o = doc_begin(d, "grade", "student %s, exercise %s", j->shown, j->e->id);
    json_text(o, "file", shown_file(g, j));
    for (int i = 0; i < FIELDS; i++) {
        bool number = i == F_SCORE || i == F_CYCLES || i == F_MEASURED || i == F_GOAL;
        if (number && *j->field[i]) json_number(o, grade_field_names[i], strtod(j->field[i], NULL));
        else json_text(o, grade_field_names[i], *j->field[i] ? j->field[i] : NULL);
    }
    char device[64];
    snprintf(device, sizeof device, "sim:%s", j->e->x->card);
    json_text(o, "device", device);
    json_text(o, "same_text_as", j->same);
    json_text(o, "remark", remark_of(j));
    json_end(o);
}

/* The files that were not judged, by student. Their names may contain names of people. */
static void put_left(const grading *g, doc *d)
{
    if (g->lefts && g->word) doc_line(d, "not judged: %d other file%s", g->lefts, g->lefts == 1 ? "" : "s");
    for (int i = 0; i < g->lefts && !g->word; i++) {
        const grade_left *l = &g->left[i];
        char line[1200];
        doc_data(d, "grade-left", "student %s, file %s, why %s", l->student, l->file, l->why);
        snprintf(line, sizeof line, "%s%s%.300s (%.500s)", l->student ? l->student : "", l->student ? "/" : "", l->file,
                 l->why);
        grade_clean(line);
        doc_entry(d, 12, TR("not judged:"), "%s", line);
    }
}

/* grades.csv and grades.json. */
static void put_file(const grading *g, doc *d)
{
    char align[FIELDS + 6] = "", name[120];
    memset(align, 'l', FIELDS + 5);
    doc_table(d, align);
    doc_row(d, "student", "exercise", "file");
    doc_cells(d, grade_field_names, FIELDS);
    doc_row(d, "same_text_as", "remark");
    doc_rule(d);
    for (int i = 0; i < g->jobs; i++) {
        const grade_job *j = &g->job[i];
        put_data(g, d, j);
        doc_row(d, j->shown, exercise_column(j, name, sizeof name), shown_file(g, j));
        doc_cells(d, (const char *const *)j->field, FIELDS);
        doc_row(d, j->same, remark_of(j));
    }
    doc_table_end(d, 0);
    put_left(g, d);
}

static int write_files(grading *g, doc *said)
{
    char part[24] = "", path[2][2300];
    if (g->parts) snprintf(part, sizeof part, "-%d-of-%d", g->part + 1, g->parts);
    language_speak(LANGUAGE_EN);
    for (int kind = 0; kind < 2; kind++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *f = open_memstream(&text, &bytes);
        if (!f) return app_no_memory(g->app);
        doc d = doc_to(g->app, f, kind ? &doc_json : &doc_csv);
        put_file(g, &d);
        bool bad = fflush(f) || ferror(f) || app_lost; /* a table with a missing cell must not be published */
        bad |= fclose(f) != 0;
        snprintf(path[kind], sizeof path[kind], "%s/grades%s.%s", g->out, part, kind ? "json" : "csv");
        int why = bad ? ENOMEM : state_replace(path[kind], text, bytes);
        free(text);
        if (why) return app_fail(g->app, EXIT_INTERNAL, NULL, "%s cannot be written: %s", path[kind], strerror(why));
    }
    language_speak(g->asked);
    grade_clean(path[0]);
    grade_clean(path[1]);
    doc_line(said, "written: %s and %s", path[0], path[1]);
    return 0;
}

static int by_alias(const void *x, const void *y)
{
    const grade_job *a = x, *b = y;
    int order = strcmp(a->alias, b->alias);
    return order ? order : (a->e > b->e) - (a->e < b->e);
}

/* Replaces names by codes, made with a word of the instructor's and a secret of the class. The word
 * alone could be guessed. Students are then ordered by code. */
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
    for (int i = 0; i < g->jobs; i++) g->job[i].shown = g->job[i].alias; /* sorting has moved it */
}

int grade_report(grading *g)
{
    struct app *app = g->app;
    static const char *const verdicts[] = {"pass", "fail", "unjudged", "missing"};
    int count[4] = {0};
    doc d = doc_open(app);
    language_speak(g->asked);
    doc_table(&d, "lllrl");
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        for (int k = 0; k < 4; k++) count[k] += !strcmp(j->field[F_VERDICT], verdicts[k]);
        put_data(g, &d, j);
        char student[300], sentence[800], said[600];
        snprintf(student, sizeof student, "%.*s", (int)utf8_fit(j->shown, 20), j->shown);
        grade_clean(student);
        const char *reason = strcmp(j->field[F_REASON], j->field[F_VERDICT]) ? TR(j->field[F_REASON]) : "",
                   *message = language_said(j->field[F_MESSAGE], said,
                                            sizeof said); /* equal texts are named first, as long messages are cut */
        snprintf(sentence, sizeof sentence, "%s%s%s%s%s%s%s", remark_of(j) ? TR("unchanged; ") : "",
                 j->same ? TR("same text as ") : "", j->same ? j->same : "",
                 j->same && (*reason || *message) ? "; " : "", reason, *reason && *message ? TR(": ") : "", message);
        grade_clean(sentence);
        doc_row(&d, student, j->e->id, TR(j->field[F_VERDICT]), *j->field[F_SCORE] ? j->field[F_SCORE] : "-", sentence);
    }
    table_fit(&d.table, app->width > 100 ? 100 : app->width);
    doc_table_end(&d, 0);
    doc_line(&d, "%d answers of %d students: %d pass, %d fail, %d missing, %d not judged%s%s", g->jobs,
             g->judged_students, count[0], count[1], count[3], count[2], g->compiler[0] ? TR("; compiler: ") : "",
             g->compiler);
    put_left(g, &d);
    int status = write_files(g, &d);
    return status ? status : count[2] ? EXIT_CHECK : EXIT_DONE;
}
