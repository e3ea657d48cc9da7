/* show_verdict.c: a verdict as a person reads it: pass or fail, the first thing wrong, the case it
 * went wrong in, and the line of the answer, quoted from the text that was judged (names and lines
 * come from a compiler that read hostile text: no file is opened for them). */
#include "judge/judge.h"
#include "session/exercise_files.h"
#include "shell/format.h"
#include "shell/json.h"
#include "show_fault.h"
#include "view.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Line `number` of a text, without its end. */
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

static void quote(struct app *app, const char *text, int number)
{
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

static void show_fault(struct app *app, const judge_verdict *v, const char *file, const char *text)
{
    const step_place *other = &v->fault.other;
    char where[400];
    fault_where(&v->fault, file, v->line, where, sizeof where);
    app_wrap(app, 2, where);
    quote(app, text, v->line);
    if (other->kernel[0] && other->line != v->line) quote(app, text, other->line);
}

/* The compiler's words, without the folder of this machine that it was run in; the first lines are
 * enough. */
static void show_compiler(struct app *app, const char *says)
{
    enum { LINES = 12 };
    int shown = 0;
    for (const char *p = says; *p;) {
        size_t n = strcspn(p, "\n");
        if (shown == LINES) {
            fprintf(app->out, "  ...\n");
            return;
        }
        if (n) {
            fputs("  ", app->out);
            print_safe(app->out, p, n);
            fputc('\n', app->out);
            shown++;
        }
        p += n + (p[n] == '\n');
    }
}

static void show_goals(struct app *app, const judge_verdict *v)
{
    for (int i = 0; i < v->goals; i++) {
        const judge_goal *g = &v->goal[i];
        char a[48], b[48], c[48], line[300];
        if (!g->known) continue;
        int used = snprintf(line, sizeof line, "%s: %s; the goal is %s%s", metrics[g->metric].name,
                            metric_text(a, sizeof a, g->metric, g->ours), g->at_least ? "at least " : "at most ",
                            metric_text(b, sizeof b, g->metric, g->bound));
        if (g->relative)
            snprintf(line + used, sizeof line - (size_t)used, ", our solution has %s",
                     metric_text(c, sizeof c, g->metric, g->solution));
        app_wrap(app, 2, line);
    }
}

/* Counters are what is judged; what they are for is time. */
static void show_cycles(struct app *app, const judge_verdict *v)
{
    int cycles = metric_named("cycles", 6);
    char a[48], b[48], c[48], line[300];
    if (!v->has_cycles || !v->solution_cycles) return;
    int used =
        snprintf(line, sizeof line, "cycles on %s: %s; ", v->device, metric_text(a, sizeof a, cycles, v->cycles));
    if (v->starter_cycles)
        used += snprintf(line + used, sizeof line - (size_t)used, "the starter takes %s, ",
                         metric_text(b, sizeof b, cycles, v->starter_cycles));
    snprintf(line + used, sizeof line - (size_t)used, "our solution %s%s", v->starter_cycles ? "" : "takes ",
             metric_text(c, sizeof c, cycles, v->solution_cycles));
    app_wrap(app, 2, line);
}

static void show_json(struct app *app, const exercise *x, const judge_verdict *v, const char *file)
{
    json j;
    char id[32];
    snprintf(id, sizeof id, "%d.%d", x->lesson_number, x->number);
    json_begin(&j, app->out, "check");
    json_int(&j, "lesson", x->lesson_number);
    json_text(&j, "exercise", id);
    json_text(&j, "name", exercise_name(x));
    json_text(&j, "file", file);
    json_text(&j, "verdict", v->state == JUDGE_PASS ? "pass" : v->state == JUDGE_FAIL ? "fail" : "unjudged");
    json_text(&j, "reason", v->reason);
    json_text(&j, "message", v->message);
    if (judge_score(v) < 0) json_null(&j, "score");
    else json_int(&j, "score", judge_score(v));
    json_text(&j, "device", v->device);
    json_text(&j, "compiler", v->compiler[0] ? v->compiler : NULL);
    if (v->compiler_says) json_text(&j, "compiler_says", v->compiler_says);
    json_int(&j, "cases", v->cases);
    json_int(&j, "passed", v->passed);
    json_uint(&j, "seed", v->seed);
    if (v->where[0]) json_text(&j, "case", v->where);
    if (v->line) json_int(&j, "line", v->line);
    if (v->expected[0]) {
        if (v->has_element) json_uint(&j, "element", v->element);
        if (x->kind != KIND_PREDICT) /* it would give the answer away */
            json_text(&j, "expected", v->expected);
        json_text(&j, "got", v->got);
    }
    for (int side = 0; side < 2; side++) {
        bool have = v->fault.kind[0] ? side == 0 || v->fault.other.kernel[0] : side == 0 && v->has_writer;
        if (!have) continue;
        bool read = !strcmp(v->fault.kind, "uninitialised"); /* the other place is where what is unknown was read */
        json_object(&j, side ? (read ? "from" : "other") : v->fault.kind[0] ? "fault" : "writer");
        const uint32_t *block = side ? v->fault.other.block : v->fault.kind[0] ? v->fault.at.block : v->writer_block;
        const uint32_t *thread = side               ? v->fault.other.thread
                                 : v->fault.kind[0] ? v->fault.at.thread
                                                    : v->writer_thread;
        json_int(&j, "line", side ? v->fault.other.line : v->line);
        fault_json_triple(&j, "block", block);
        fault_json_triple(&j, "thread", thread);
        json_close(&j);
    }
    if (v->has_cycles) json_number(&j, "cycles", v->cycles);
    if (v->solution_cycles) json_number(&j, "solution_cycles", v->solution_cycles);
    if (v->starter_cycles) json_number(&j, "starter_cycles", v->starter_cycles);
    json_array(&j, "goals");
    for (int i = 0; i < v->goals; i++) {
        const judge_goal *g = &v->goal[i];
        json_object(&j, NULL);
        json_text(&j, "metric", metrics[g->metric].id);
        json_bool(&j, "reached", g->reached);
        json_number(&j, "ours", g->ours);
        json_number(&j, g->at_least ? "least" : "most", g->bound);
        if (g->relative) json_number(&j, "solution", g->solution);
        json_close(&j);
    }
    json_close(&j);
    json_end(&j);
}

void judge_show(struct app *app, const exercise *x, const judge_verdict *v, const char *file, const char *text)
{
    char line[900];
    if (app->json) {
        show_json(app, x, v, file);
        return;
    }
    exercise_heading(app, x, v->device);
    bool pass = v->state == JUDGE_PASS;
    fprintf(app->out, "  %s%s%s", app_style(app, pass ? STYLE_GOOD : STYLE_BAD),
            pass                          ? "PASS"
            : v->state == JUDGE_FAIL      ? "FAIL"
            : !strcmp(v->reason, "right") ? "RIGHT"
                                          : "COULD NOT JUDGE",
            app_style(app, STYLE_PLAIN));
    if (pass && x->kind == KIND_PREDICT) fprintf(app->out, "  %s is what the card counts\n", v->got);
    else if (pass)
        fprintf(app->out, "  all %d cases%s%s\n", v->cases, v->compiler[0] ? ", compiled by " : "", v->compiler);
    else {
        fputs("  ", app->out);
        snprintf(line, sizeof line, "%s%s%s", v->state == JUDGE_FAIL && strcmp(v->reason, "short") ? v->reason : "",
                 v->state == JUDGE_FAIL && strcmp(v->reason, "short") ? ": " : "", v->message);
        print_wrapped(app->out, line,
                      v->state == JUDGE_FAIL        ? 8
                      : !strcmp(v->reason, "right") ? 9
                                                    : 19,
                      4, app->width > 100 ? 100 : app->width);
    }
    if (!pass && v->where[0] && !strcmp(v->reason, "short") && v->drawn) {
        snprintf(line, sizeof line, "with %s, which were drawn (inputs from seed %llu)", v->where,
                 (unsigned long long)v->seed);
        app_wrap(app, 2, line);
    } else if (!pass && v->where[0] && strcmp(v->reason, "short")) {
        snprintf(line, sizeof line, "with %s (%d of %d cases passed before; inputs from seed %llu)", v->where,
                 v->passed, v->cases, (unsigned long long)v->seed);
        app_wrap(app, 2, line);
    }
    if (v->compiler_says) show_compiler(app, v->compiler_says);
    else if (v->fault.kind[0] && !v->line)
        ; /* a GPU does not say where */
    else if (v->fault.kind[0] && !pass) show_fault(app, v, file, text);
    else if (v->has_writer && !pass) {
        char who[120];
        snprintf(line, sizeof line, "%s:%d: written by %s", file, v->line,
                 fault_who(who, sizeof who, v->writer_block, v->writer_thread));
        app_wrap(app, 2, line);
        quote(app, text, v->line);
    } else if (v->line && !pass) {
        fprintf(app->out, "  %s:%d\n", file, v->line);
        quote(app, text, v->line);
    }
    show_goals(app, v);
    show_cycles(app, v);
    if (!pass && v->advice[0]) {
        size_t n = strlen(v->advice); /* a goal's reason is no sentence as it stands; the name of a program stays */
        const bool word = strcspn(v->advice, " /") == strcspn(v->advice, " ");
        snprintf(line, sizeof line, "%c%s%s", word ? toupper((unsigned char)v->advice[0]) : v->advice[0], v->advice + 1,
                 strchr(".?!", v->advice[n - 1]) ? "" : ".");
        app_wrap(app, 2, line);
    }
}

void judge_sentence(const judge_verdict *v, char *out, size_t size)
{
    const char *says = v->compiler_says;
    if (says) { /* its first line that names an error */
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
