/* show_verdict.c: prints a verdict: pass or fail, the first error, its case, and the line of the
 * answer. The line is quoted from the text that was judged. Names and lines come from a compiler
 * that read hostile text, so no file is opened for them. */
#include "judge/judge.h"
#include "session/exercise_files.h"
#include "shell/format.h"
#include "show_fault.h"
#include "view.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    struct app *app = d->app;
    int length;
    const char *line = line_of(text, number, &length);
    if (!line) return;
    char clean[400];
    snprintf(clean, sizeof clean, "%.*s", length < 390 ? length : 390, line);
    for (char *p = clean; *p; p++) *p = *p == '\t' ? ' ' : *p;
    fprintf(app->out, "  %s%5d |%s ", app_style(app, STYLE_DIM), number, app_style(app, STYLE_PLAIN));
    int width = app->width > 40 ? app->width : 80;
    size_t fit = utf8_fit(clean, width - 10);
    print_safe(app->out, clean, fit);
    fputc('\n', app->out);
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
            fputs("  ", d->out);
            print_safe(d->out, p, n);
            fputc('\n', d->out);
            shown++;
        }
        p += n + (p[n] == '\n');
    }
}

static void show_goals(doc *d, const judge_verdict *v)
{
    for (int i = 0; i < v->goals; i++) {
        const judge_goal *g = &v->goal[i];
        char a[48], b[48], c[48];
        if (!g->known) continue;
        doc_say(d, 2, "%s: %s; the goal is %s%s%s%s", metrics[g->metric].name,
                metric_text(a, sizeof a, g->metric, g->ours), g->at_least ? "at least " : "at most ",
                metric_text(b, sizeof b, g->metric, g->bound), g->relative ? ", our solution has " : "",
                g->relative ? metric_text(c, sizeof c, g->metric, g->solution) : "");
    }
}

/* Counters are judged, but their purpose is time, so show it. */
static void show_cycles(doc *d, const judge_verdict *v)
{
    int cycles = metric_named("cycles", 6);
    char a[48], b[48], c[48];
    if (!v->has_cycles || !v->solution_cycles) return;
    const bool starter = v->starter_cycles > 0;
    doc_say(d, 2, "cycles on %s: %s; %s%s%sour solution %s%s", v->device, metric_text(a, sizeof a, cycles, v->cycles),
            starter ? "the starter takes " : "", starter ? metric_text(b, sizeof b, cycles, v->starter_cycles) : "",
            starter ? ", " : "", starter ? "" : "takes ", metric_text(c, sizeof c, cycles, v->solution_cycles));
}

static void put_place(json *j, const char *key, int line, const uint32_t block[3], const uint32_t thread[3])
{
    json_object(j, key);
    json_int(j, "line", line);
    json_dims(j, "block", block);
    json_dims(j, "thread", thread);
    json_close(j);
}

static void put_data(doc *d, const exercise *x, const judge_verdict *v, const char *file)
{
    char id[32];
    json *j = doc_begin(d, "check", "lesson %d, exercise %s, name %s, file %s, verdict %s, reason %s, message %s",
                        x->lesson_number, exercise_id(x, id, sizeof id), exercise_name(x), file,
                        v->state == JUDGE_PASS   ? "pass"
                        : v->state == JUDGE_FAIL ? "fail"
                                                 : "unjudged",
                        v->reason, v->message);
    if (judge_score(v) < 0) json_null(j, "score");
    else json_int(j, "score", judge_score(v));
    json_keys(j, "device %s, compiler %s", v->device, v->compiler[0] ? v->compiler : NULL);
    if (v->compiler_says) json_text(j, "compiler_says", v->compiler_says);
    json_keys(j, "cases %d, passed %d, seed %" PRIu64, v->cases, v->passed, v->seed);
    if (v->where[0]) json_text(j, "case", v->where);
    if (v->line) json_int(j, "line", v->line);
    if (v->expected[0]) {
        if (v->has_element) json_uint(j, "element", v->element);
        if (!exercise_kinds[x->kind].number) /* else it would give the answer away */
            json_text(j, "expected", v->expected);
        json_text(j, "got", v->got);
    }
    const step_fault *f = &v->fault;
    if (f->kind[0]) put_place(j, "fault", v->line, f->at.block, f->at.thread);
    else if (v->has_writer) put_place(j, "writer", v->line, v->writer_block, v->writer_thread);
    if (f->kind[0] && f->other.kernel[0]) /* the other place of an unknown value is where it was read */
        put_place(j, strcmp(f->kind, "uninitialised") ? "other" : "from", f->other.line, f->other.block,
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
        if (g->relative) json_number(j, "solution", g->solution);
        json_close(j);
    }
    json_end(j);
}

/* PASS or FAIL and the first error, with its case and its place in the answer. */
static void put_result(doc *d, const exercise *x, const judge_verdict *v, const char *file, const char *text)
{
    char who[120];
    const bool pass = v->state == JUDGE_PASS, fail = v->state == JUDGE_FAIL, brief = !strcmp(v->reason, "short");
    const char *word = pass ? "PASS" : fail ? "FAIL" : !strcmp(v->reason, "right") ? "RIGHT" : "COULD NOT JUDGE";
    const char *good = app_style(d->app, pass ? STYLE_GOOD : STYLE_BAD), *plain = app_style(d->app, STYLE_PLAIN);
    if (pass && exercise_kinds[x->kind].number) doc_line(d, "  %s%s%s  %s is what the card counts", good, word, plain, v->got);
    else if (pass)
        doc_line(d, "  %s%s%s  all %d cases%s%s", good, word, plain, v->cases, v->compiler[0] ? ", compiled by " : "",
                 v->compiler);
    else {
        char line[900];
        snprintf(line, sizeof line, "%s%s%s", fail && !brief ? v->reason : "", fail && !brief ? ": " : "", v->message);
        fprintf(d->out, "  %s%s%s  ", good, word, plain);
        print_wrapped(d->out, line, 4 + (int)strlen(word), 4, d->app->width > 100 ? 100 : d->app->width);
    }
    if (!pass && v->where[0] && brief && v->drawn)
        doc_say(d, 2, "with %s, which were drawn (inputs from seed %" PRIu64 ")", v->where, v->seed);
    else if (!pass && v->where[0] && !brief)
        doc_say(d, 2, "with %s (%d of %d cases passed before; inputs from seed %" PRIu64 ")", v->where, v->passed,
                v->cases, v->seed);
    if (v->compiler_says) show_compiler(d, v->compiler_says);
    else if (v->fault.kind[0] && !v->line)
        ; /* a GPU does not report the place */
    else if (v->fault.kind[0] && !pass) show_fault(d, v, file, text);
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
    put_data(d, x, v, file);
    if (doc_is_data(d)) return;
    exercise_heading(d, x, v->device);
    put_result(d, x, v, file, text);
    show_goals(d, v);
    show_cycles(d, v);
    if (v->state != JUDGE_PASS && v->advice[0]) {
        const size_t n = strlen(v->advice); /* make a sentence of it, unless it begins with a program's name */
        const bool word = strcspn(v->advice, " /") == strcspn(v->advice, " ");
        doc_say(d, 2, "%c%s%s", word ? toupper((unsigned char)v->advice[0]) : v->advice[0], v->advice + 1,
                strchr(".?!", v->advice[n - 1]) ? "" : ".");
    }
}

void judge_sentence(const judge_verdict *v, char *out, size_t size)
{
    const char *says = v->compiler_says;
    if (says) { /* the first line that mentions an error */
        const char *at = strstr(says, "error");
        while (at && at > says && at[-1] != '\n') at--;
        says = at ? at : says;
    }
    const bool placed = v->where[0] && (v->drawn || strcmp(v->reason, "short")) && !says;
    snprintf(out, size, "%s%s%.*s%s%s", v->message, says ? ": " : "", says ? (int)strcspn(says, "\n") : 0,
             says ? says : "", placed ? ", with " : "", placed ? v->where : "");
    for (char *p = out; *p; p++)
        if ((unsigned char)*p < 32 || *p == 127) *p = ' ';
}
