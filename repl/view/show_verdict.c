/* show_verdict.c: prints a verdict: pass or fail, the first error, its case, and the line of the
 * answer. The line is quoted from the text that was judged. Names and lines come from a compiler
 * that read hostile text, so no file is opened for them. */
#include "judge/judge.h"
#include "session/exercise_files.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/seal.h"
#include "show_fault.h"
#include "view.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void judge_show_missing(struct app *app)
{
    doc d = doc_open(app);
    for (int i = 0; seal_missing(i); i++) {
        if (doc_is_data(&d)) app_warn(app, "%s", seal_missing(i)); /* app_warn translates */
        doc_say(&d, 0, "%s", TR(seal_missing(i)));
    }
}

/* Line `number` of a text, without its newline. */
static const char *line_of(const char *text, int number, int *length)
{
    const char *p = text;
    for (int i = 1; p && i < number; i++) {
        p = strchr(p, '\n');
        p = p ? p + 1 : NULL;
    }
    if (!p || number < 1) return NULL;
    *length = (int)strcspn(p, "\r\n");
    return p;
}

static void quote(doc *d, const char *text, int number)
{
    int length;
    const char *line = line_of(text, number, &length);
    if (!line) return;
    char clean[400];
    snprintf(clean, sizeof clean, "%.*s", length < 390 ? length : 390, line);
    for (char *p = clean; *p; p++) *p = *p == '\t' ? ' ' : *p;
    doc_part(d, STYLE_PLAIN, "  ");
    doc_part(d, STYLE_DIM, "%5d |", number);
    doc_part(d, STYLE_PLAIN, " ");
    doc_safe(d, clean, utf8_fit(clean, (d->app->width > 40 ? d->app->width : 80) - 10));
    doc_gap(d);
}

static void show_fault(doc *d, const judge_verdict *v, const char *file, const char *text)
{
    const step_place *other = &v->fault.other;
    char where[400];
    fault_where(&v->fault, file, v->line, where, sizeof where);
    doc_say(d, 2, "%s", where);
    quote(d, text, v->line);
    if (other->kernel[0] && other->line != v->line) quote(d, text, other->line);
}

/* The first lines of the compiler's output are enough. */
static void show_compiler(doc *d, const char *says)
{
    enum { LINES = 12 };
    int shown = 0;
    for (const char *p = says; *p;) {
        size_t n = strcspn(p, "\n");
        if (shown == LINES) {
            doc_line(d, "  ...");
            return;
        }
        if (n) {
            doc_part(d, STYLE_PLAIN, "  ");
            doc_safe(d, p, n);
            doc_gap(d);
            shown++;
        }
        p += n + (p[n] == '\n');
    }
}

/* A row of the ladder: one number of the starter, of this answer and of ours. Below 0: unknown. */
static void put_rung(doc *d, int metric, const char *card, bool with_starter, const double value[3])
{
    char text[48];
    doc_cell(d, STYLE_PLAIN, "%s%s%s", metrics[metric].name, *card ? ", " : "", card);
    for (int i = !with_starter; i < 3; i++)
        doc_cell(d, STYLE_PLAIN, "%s", value[i] < 0 ? "" : metric_text(text, sizeof text, metric, value[i]));
}

/* The answer between the starter and our solution: cycles, which are what counters are for, and the
 * numbers that the goals are about. */
void judge_show_ladder(doc *d, const exercise *x, const judge_verdict *v)
{
    const int cycles = metric_named("cycles", 6);
    bool starter = false, timed = !v->drawn && v->has_cycles && v->solution_cycles > 0;
    char bound[48];
    if (!v->goals) return;
    for (int i = 0; i < v->goals; i++) {
        starter = starter || v->goal[i].has_starter;
        timed = timed && v->goal[i].metric != cycles;
    }
    doc_table(d, starter ? "lrrrll" : "lrrll");
    doc_cell(d, STYLE_PLAIN, "on %s", x->ons ? TR("each card") : v->device);
    if (starter) doc_cell(d, STYLE_PLAIN, "starter");
    doc_row(d, "yours", "ours", "goal", "");
    doc_rule(d);
    if (timed) {
        put_rung(d, cycles, "", starter,
                 (const double[]){v->starter_cycles > 0 ? v->starter_cycles : -1, v->cycles, v->solution_cycles});
        doc_row(d, "", "");
    }
    for (int i = 0; i < v->goals; i++) {
        const judge_goal *g = &v->goal[i];
        if (!g->known) continue;
        put_rung(d, g->metric, x->ons ? exercise_card(x, g->card) : "", starter,
                 (const double[]){g->has_starter ? g->starter : -1, g->ours, g->has_solution ? g->solution : -1});
        doc_cell(d, STYLE_PLAIN, "%s %s", TR(g->at_least ? "at least" : "at most"),
                 metric_text(bound, sizeof bound, g->metric, g->bound));
        doc_cell(d, STYLE_BAD, "%s", g->reached ? "" : TR("missed"));
    }
    doc_table_end(d, 2);
}

static void put_place(json *j, const char *key, int line, const uint32_t block[3], const uint32_t thread[3])
{
    json_object(j, key);
    json_int(j, "line", line);
    json_dims(j, "block", block);
    json_dims(j, "thread", thread);
    json_close(j);
}

void judge_show_data(doc *d, const exercise *x, const judge_verdict *v, const char *file)
{
    char id[32];
    json *j = doc_begin(d, "check", "lesson %d, exercise %s, name %s, file %s, verdict %s, reason %s, message %s",
                        x->lesson_number, exercise_id(x, id, sizeof id), exercise_name(x), file,
                        v->state == JUDGE_PASS   ? "pass"
                        : v->state == JUDGE_FAIL ? "fail"
                                                 : "unjudged",
                        reason_word(v->reason), v->message);
    if (judge_score(v) < 0) json_null(j, "score");
    else json_int(j, "score", judge_score(v));
    if (v->unchanged) json_bool(j, "unchanged", true);
    json_keys(j, "device %s, compiler %s", v->device, v->compiler[0] ? v->compiler : NULL);
    if (v->compiler_says) json_text(j, "compiler_says", v->compiler_says);
    json_keys(j, "cases %d, passed %d, seed %" PRIu64, v->cases, v->passed, v->seed);
    if (v->where[0]) json_text(j, "case", v->where);
    if (v->line) json_int(j, "line", v->line);
    if (v->expected[0]) {
        if (v->has_element) json_uint(j, "element", v->element);
        if (!x->kind->form->number) /* else it would give the answer away */
            json_text(j, "expected", v->expected);
        json_text(j, "got", v->got);
    }
    const step_fault *f = &v->fault;
    if (v->has_fault) put_place(j, "fault", v->line, f->at.block, f->at.thread);
    else if (v->has_writer) put_place(j, "writer", v->line, v->writer_block, v->writer_thread);
    if (v->has_fault && f->other.kernel[0]) /* the other place of an unknown value is where it was read */
        put_place(j, f->kind == SIM_FAULT_UNINITIALISED ? "from" : "other", f->other.line, f->other.block,
                  f->other.thread);
    if (v->has_cycles) json_number(j, "cycles", v->cycles);
    if (v->solution_cycles) json_number(j, "solution_cycles", v->solution_cycles);
    if (v->starter_cycles) json_number(j, "starter_cycles", v->starter_cycles);
    json_array(j, "goals");
    for (int i = 0; i < v->goals; i++) {
        const judge_goal *g = &v->goal[i];
        json_object(j, NULL);
        json_keys(j, "metric %s, reached %i, ours %g", metrics[g->metric].id, g->reached, g->ours);
        json_number(j, g->at_least ? "least" : "most", g->bound);
        if (x->ons) json_text(j, "card", exercise_card(x, g->card));
        if (g->has_solution) json_number(j, "solution", g->solution);
        if (g->has_starter) json_number(j, "starter", g->starter);
        json_close(j);
    }
    json_end(j);
}

/* PASS or FAIL and the first error, with its case and its place in the answer. */
static void put_result(doc *d, const exercise *x, const judge_verdict *v, const char *file, const char *text)
{
    char who[120];
    const bool pass = v->state == JUDGE_PASS, fail = v->state == JUDGE_FAIL, brief = v->reason == REASON_SHORT;
    const char *word = pass                        ? "PASS"
                       : fail                      ? "FAIL"
                       : v->reason == REASON_RIGHT ? "RIGHT"
                                                   : "COULD NOT JUDGE",
               *said = TR(word);
    const char *good = app_style(d->app, pass ? STYLE_GOOD : STYLE_BAD), *plain = app_style(d->app, STYLE_PLAIN);
    if (pass && x->kind->form->number)
        doc_line(d, "  %s%s%s  %s is what the card counts", good, said, plain, v->got);
    else if (pass && v->cases == 1)
        doc_line(d, "  %s%s%s  its one case%s%s", good, said, plain, v->compiler[0] ? TR(", compiled by ") : "",
                 v->compiler);
    else if (pass)
        doc_line(d, "  %s%s%s  all %d cases%s%s", good, said, plain, v->cases,
                 v->compiler[0] ? TR(", compiled by ") : "", v->compiler);
    else {
        char line[900], message[700];
        snprintf(line, sizeof line, "%s%s%s", fail && !brief ? TR(reason_word(v->reason)) : "",
                 fail && !brief ? TR(": ") : "", language_said(v->message, message, sizeof message));
        doc_part(d, STYLE_PLAIN, "  %s%s%s  ", good, said, plain);
        doc_rest(d, 4 + utf8_width(said), 4, line);
    }
    if (v->note[0]) doc_say(d, 2, "note: %s.", v->note);
    if (!pass && v->where[0] && brief && v->drawn)
        doc_say(d, 2, "with %s, which were drawn (inputs from seed %" PRIu64 ")", v->where, v->seed);
    else if (!pass && v->where[0] && !brief && v->cases == 1)
        doc_say(d, 2, "with %s (inputs from seed %" PRIu64 ")", v->where, v->seed);
    else if (!pass && v->where[0] && !brief)
        doc_say(d, 2, "with %s (%d of %d cases passed before; inputs from seed %" PRIu64 ")", v->where, v->passed,
                v->cases, v->seed);
    if (v->compiler_says) show_compiler(d, v->compiler_says);
    else if (v->has_fault && !v->line)
        ; /* a GPU does not report the place */
    else if (v->has_fault && !pass) show_fault(d, v, file, text);
    else if (v->has_writer && !pass) {
        doc_say(d, 2, "%s:%d: written by %s", file, v->line,
                fault_who(who, sizeof who, v->writer_block, v->writer_thread));
        quote(d, text, v->line);
    } else if (v->line && !pass) {
        doc_line(d, "  %s:%d", file, v->line);
        quote(d, text, v->line);
    }
}

void judge_show(doc *d, const exercise *x, const judge_verdict *v, const char *file, const char *text)
{
    judge_show_data(d, x, v, file);
    exercise_heading(d, x, v->device);
    put_result(d, x, v, file, text);
    judge_show_ladder(d, x, v);
    if (v->state != JUDGE_PASS && v->advice[0]) {
        char advice[sizeof v->advice + 200];
        language_said(v->advice, advice, sizeof advice);
        const size_t n = strlen(advice); /* make a sentence of it, unless it begins with a program's name */
        const bool word = strcspn(advice, " /") == strcspn(advice, " ");
        doc_say(d, 2, "%c%s%s", word ? toupper((unsigned char)advice[0]) : advice[0], advice + 1,
                strchr(".?!", advice[n - 1]) || (n > 3 && !strcmp(advice + n - 3, "\xe3\x80\x82")) ? "" : TR("."));
    }
}
