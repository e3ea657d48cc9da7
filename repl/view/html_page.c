/* html_page.c: `export html`: one page that holds everything: progress, a ladder chart and a table
 * for each lesson and device, the sources of the steps that were run, exercises with the student's
 * own answers, notes: a page to hand in. No script, no font, no picture and no address of another
 * machine: the page is the same in ten years and without a network.
 *
 * The journal says what was run; the last run of a step on a device with a size is the one shown.
 * All text that was not written here passes through put(): the journal, lessons and kernels may
 * hold anything.
 */
#include "session/exercise_files.h"
#include "device/devices.h"
#include "shell/format.h"
#include "judge/judge.h"
#include "session/session.h"
#include "shell/progress.h"
#include "view.h"
#include "shell/words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RUNS = 2000, MOST_DEVICES = 16 };

typedef struct run {
    char step[64], device[80], time[24], n[24], n_name[32], correct[8];
    double cycles, ms, gbps, gflops; /* below 0: not there */
} run;

typedef struct page {
    struct app *app;
    FILE *out;
    run *run;
    int runs, shown;
    const lesson *l;
} page;

/* ---- text ---- */

static void put(page *p, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", p->out); break;
        case '<': fputs("&lt;", p->out); break;
        case '>': fputs("&gt;", p->out); break;
        case '"': fputs("&quot;", p->out); break;
        default:
            if ((unsigned char)*text >= 32 || *text == '\n' || *text == '\t') fputc(*text, p->out);
        }
}

static void cell(page *p, const char *class, const char *text)
{
    fprintf(p->out, "<td%s%s%s>", class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    put(p, text);
    fputs("</td>", p->out);
}

static void wrap_cell(page *p, const char *text) { cell(p, "t", text); }

/* 1048576 as a person writes it; what is no number as it stands. */
static void put_size(page *p, const char *text)
{
    char shown[48];
    bool plain = *text && strlen(text) < 19 && strspn(text, "0123456789") == strlen(text);
    put(p, plain ? format_count(shown, sizeof shown, strtoull(text, NULL, 10)) : text);
}

/* "GeForce 8800 GT, simulated", from "sim:8800gt". */
static void put_device_name(page *p, const char *device)
{
    char title[100];
    bool simulated = !strncmp(device, "sim:", 4);
    put(p, simulated && device_card_title(device + 4, title, sizeof title) ? title : device);
}

static void number_cell(page *p, double value, const char *unit, double factor)
{
    char text[48] = "";
    if (value >= 0 && *unit) format_si(text, sizeof text, value * factor, unit);
    else if (value >= 0) format_number(text, sizeof text, value);
    cell(p, "n", text);
}

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--dim:#595959;--line:#d0d0d0;--soft:#f2f4f6;--bar:#1f6fb2;"
    "--theirs:#b9c4cd;--good:#116329;--bad:#a40e26}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#16181b;--dim:#a3a3a3;--line:#3a3f45;--soft:#202429;"
    "--bar:#5aa7e6;--theirs:#56616b;--good:#5fc879;--bad:#ff8a94}}"
    "*{box-sizing:border-box}"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:62rem;margin:2rem auto;"
    "padding:0 1rem;overflow-wrap:break-word}"
    "h1{font-size:1.6rem;margin-bottom:.3rem}"
    "h2{font-size:1.3rem;border-top:1px solid var(--line);padding-top:1.2rem;margin-top:2.4rem}"
    "h3{font-size:1.05rem;margin:1.6rem 0 .5rem}.dim{color:var(--dim);font-weight:400}"
    "a{color:inherit}"
    "table{border-collapse:collapse;width:100%;font-size:.92rem}"
    "th,td{text-align:left;padding:.3rem .9rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top;"
    "white-space:nowrap}th{font-weight:600;color:var(--dim)}.t{white-space:normal;min-width:11rem}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}.n:last-child{padding-right:0}"
    ".good{color:var(--good)}.bad{color:var(--bad)}.wide{overflow-x:auto}"
    "progress{width:6rem;height:.55rem;margin-right:.6rem;accent-color:var(--bar)}"
    "pre{font:13px/1.45 ui-monospace,monospace;background:var(--soft);border:1px solid var(--line);padding:.8rem;"
    "overflow-x:auto;margin:.4rem 0 .8rem}.notes{white-space:pre-wrap}"
    "svg{display:block;width:100%;min-width:36rem;height:auto;font:13px system-ui,sans-serif}"
    "summary{cursor:pointer;padding:.15rem 0}"
    "@media(max-width:36rem){progress{display:none}.t{min-width:8rem}svg{min-width:27rem}}"
    "@media print{body{margin:0;max-width:none}h2{break-before:page}details::details-content{content-visibility:visible}"
    "pre{white-space:pre-wrap;overflow:visible}.wide{overflow:visible}}";

/* ---- the journal ---- */

static double real_of(const struct state_event *e, const char *key)
{
    const char *text = state_value(e, key);
    char *end;
    double v = text ? strtod(text, &end) : -1;
    return text && *text && !*end && isfinite(v) && v >= 0 ? v : -1;
}

static bool add_run(void *arg, const struct state_event *e)
{
    page *p = arg;
    const char *device = state_value(e, "device"), *correct = state_value(e, "correct");
    if (strcmp(e->verb, "run") || !strchr(e->step, '.') || !device) return true;
    run r = {.cycles = real_of(e, "cycles"),
             .ms = real_of(e, "ms"),
             .gbps = real_of(e, "gbps"),
             .gflops = real_of(e, "gflops")};
    snprintf(r.step, sizeof r.step, "%.63s", e->step);
    snprintf(r.device, sizeof r.device, "%.79s", device);
    snprintf(r.time, sizeof r.time, "%.23s", e->time);
    snprintf(r.correct, sizeof r.correct, "%.7s", correct ? correct : "");
    /* the size is the pair that is none of the others */
    static const char *const others[] = {"device", "correct", "cycles", "ms", "gbps", "gflops"};
    for (int i = 0; i < e->pairs; i++) {
        bool other = false;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) other = other || !strcmp(e->key[i], others[k]);
        if (!other && !r.n[0]) {
            snprintf(r.n, sizeof r.n, "%.23s", e->value[i]);
            snprintf(r.n_name, sizeof r.n_name, "%.31s", e->key[i]);
        }
    }
    for (int i = 0; i < p->runs; i++)
        if (!strcmp(p->run[i].step, r.step) && !strcmp(p->run[i].device, r.device) && !strcmp(p->run[i].n, r.n)) {
            p->run[i] = r;
            return true;
        }
    if (p->runs < MOST_RUNS) p->run[p->runs++] = r;
    return true;
}

/* ---- charts ---- */

/* The article's cycles for a step with that size, or -1. */
static double article_cycles(const page *p, const lesson_step *s, const run *r, char *device, size_t size)
{
    step_values values;
    char why[200];
    if (!step_settings(p->l, s, NULL, &values, why, sizeof why)) return -1;
    int n = lesson_setting_named(p->l, r->n_name, strlen(r->n_name));
    if (n >= 0) values.value[n] = strtoll(r->n, NULL, 10);
    for (int i = 0; i < s->article_count; i++) {
        const lesson_article *a = &s->article[i];
        int64_t holds = 1;
        if (strcmp(a->metric, "cycles") ||
            (a->condition.count && !step_value(p->l, &values, &a->condition, &holds, why, sizeof why)) || !holds)
            continue;
        snprintf(device, size, "%s", a->device);
        return a->value;
    }
    return -1;
}

/* Horizontal bars, logarithmic from a tenth of the least, as `ladder` draws them. */
static void chart(page *p, run *const *list, const lesson_step *const *step, int count)
{
    bool cycles = true;
    double least = INFINITY, most = 0;
    char device[40] = "", text[64];
    for (int i = 0; i < count; i++) cycles = cycles && list[i]->cycles > 0;
    double *ours = calloc((size_t)count * 2, sizeof *ours), *theirs = ours ? ours + count : NULL;
    int drawn = 0;
    for (int i = 0; ours && i < count; i++) {
        ours[i] = cycles ? list[i]->cycles : list[i]->ms;
        theirs[i] = cycles ? article_cycles(p, step[i], list[i], device, sizeof device) : -1;
        drawn += ours[i] > 0;
        for (int k = 0; k < 2; k++) {
            double v = k ? theirs[i] : ours[i];
            least = v > 0 && v < least ? v : least;
            most = v > most ? v : most;
        }
    }
    if (!drawn) {
        free(ours);
        return;
    }
    enum { LEFT = 130, WIDTH = 480, ROW = 34 };
    double low = log10(least) - 0.5, high = log10(most);
    if (high - low < 1) low = high - 1;
    fprintf(
        p->out,
        "<div class=\"wide\"><svg viewBox=\"0 0 760 %d\" role=\"img\" aria-label=\"%s of each step, logarithmic\">\n",
        count * ROW + 26, cycles ? "cycles" : "time");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) {
            double v = k ? theirs[i] : ours[i];
            int y = i * ROW + (k ? 17 : 2);
            if (v <= 0) continue;
            double width = WIDTH * (log10(v) - low) / (high - low);
            if (!k) {
                fprintf(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"currentColor\">", LEFT - 10,
                        y + 12);
                put(p, strchr(list[i]->step, '.') + 1);
                fputs("</text>", p->out);
            }
            if (cycles) format_count(text, sizeof text, (uint64_t)llround(v));
            else format_si(text, sizeof text, v / 1000, "s");
            fprintf(p->out,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" style=\"fill:var(--%s)\"/>"
                    "<text x=\"%.1f\" y=\"%d\" fill=\"currentColor\"%s>%s</text>\n",
                    LEFT, y, width, k ? 10 : 14, k ? "theirs" : "bar", LEFT + width + 8, y + (k ? 10 : 12),
                    k ? " opacity=\".65\" font-size=\"11\"" : "", text);
        }
    fprintf(p->out, "<text x=\"%d\" y=\"%d\" fill=\"currentColor\" opacity=\".75\">%s, logarithmic", LEFT,
            count * ROW + 18, cycles ? "cycles" : "time");
    if (device[0]) {
        char title[100];
        fputs("; grey: the article&#39;s, on ", p->out);
        put(p, device_card_title(device, title, sizeof title) ? title : device);
    }
    fputs("</text></svg></div>\n", p->out);
    free(ours);
}

/* ---- a lesson ---- */

static void put_source(page *p, const lesson_step *s)
{
    char path[1400], *text;
    size_t bytes;
    if (!s->kernel_file || !lesson_file(p->l, s->kernel_file, path, sizeof path) ||
        file_read(path, 1 << 20, &text, &bytes))
        return;
    fputs("<details><summary>", p->out);
    put(p, s->name);
    fputs(": ", p->out);
    put(p, s->title ? s->title : "");
    fputs(" <span class=\"dim\">", p->out);
    put(p, s->kernel_file);
    fputs("</span></summary><pre>", p->out);
    put(p, text);
    fputs("</pre></details>\n", p->out);
    free(text);
}

/* The runs of one device with one size, in the lesson's order: only these can be held against each
 * other. */
static void put_device(page *p, const char *device, const char *n, bool ran[LESSON_STEPS])
{
    run *list[LESSON_STEPS];
    const lesson_step *step[LESSON_STEPS];
    int count = 0;
    for (int i = 0; i < p->l->step_count; i++) {
        char name[64];
        run *last = NULL;
        snprintf(name, sizeof name, "%d.%s", p->l->number, p->l->step[i].name);
        for (int k = 0; k < p->runs; k++)
            if (!strcmp(p->run[k].step, name) && !strcmp(p->run[k].device, device) && !strcmp(p->run[k].n, n))
                last = &p->run[k];
        if (!last) continue;
        ran[i] = true;
        step[count] = &p->l->step[i];
        list[count++] = last;
    }
    if (!count) return;
    bool real = strncmp(device, "sim:", 4) != 0, rates = false;
    for (int i = 0; i < count; i++) rates = rates || list[i]->gflops > 0;
    fputs("<h3>", p->out);
    put_device_name(p, device);
    fputs(" <span class=\"dim\">", p->out);
    fputs(real ? "measured" : "simulated, ", p->out);
    if (!real) put(p, device);
    if (n[0]) {
        fputs(", ", p->out);
        put(p, list[0]->n_name);
        fputs(" = ", p->out);
        put_size(p, n);
    }
    fputs("</span></h3>\n", p->out);
    if (count > 1) chart(p, list, step, count);
    fprintf(p->out,
            "<div class=\"wide\"><table><tr><th>step</th><th></th><th>answer</th><th class=\"n\">cycles</th>"
            "<th class=\"n\">time</th><th class=\"n\">bandwidth</th>%s<th>when (UTC)</th></tr>\n",
            rates ? "<th class=\"n\">rate</th>" : "");
    for (int i = 0; i < count; i++) {
        const run *r = list[i];
        fputs("<tr>", p->out);
        cell(p, NULL, strchr(r->step, '.') + 1);
        wrap_cell(p, step[i]->title ? step[i]->title : "");
        bool right = !strcmp(r->correct, "yes"), meant = step[i]->expect != EXPECT_OK; /* a step that shows a mistake */
        cell(p,
             right         ? "good"
             : meant       ? "dim"
             : *r->correct ? "bad"
                           : NULL,
             right          ? "right"
             : !*r->correct ? ""
             : meant        ? "wrong, as meant"
                            : "wrong");
        number_cell(p, r->cycles, "", 1);
        number_cell(p, r->ms, "s", 1e-3);
        number_cell(p, r->gbps, "B/s", 1e9);
        if (rates) number_cell(p, r->gflops > 0 ? r->gflops : -1, "FLOP/s", 1e9);
        char when[24];
        snprintf(when, sizeof when, "%.10s %.5s", r->time, strlen(r->time) > 15 ? r->time + 11 : "");
        cell(p, "dim", when);
        fputs("</tr>\n", p->out);
        p->shown++;
    }
    fputs("</table></div>\n", p->out);
}

/* What the student wrote, as he left it; nothing when it is the starter still. */
static void put_answer(page *p, const exercise *x)
{
    char *path = exercise_path(p->app, x), *text = NULL, *starter = NULL, id[32];
    size_t bytes, starter_bytes = 0;
    if (path && !exercise_file(path, JUDGE_SOURCE_MAX, &text, &bytes) &&
        (exercise_own_file(p->app, x, "starter", &starter, &starter_bytes) || bytes != starter_bytes ||
         memcmp(text, starter, bytes))) {
        fputs("<details><summary>", p->out);
        put(p, exercise_id(x, id, sizeof id));
        fputs(": ", p->out);
        put(p, x->l->title);
        fputs(" <span class=\"dim\">my answer, ", p->out);
        put(p, strrchr(path, '/') + 1);
        fputs("</span></summary><pre>", p->out);
        put(p, text); /* up to the first NUL */
        fputs("</pre></details>\n", p->out);
    }
    free(starter);
    free(text);
    free(path);
}

static void put_answers(page *p, const exercise_list *list)
{
    for (int i = 0; i < list->count; i++) {
        exercise *x;
        lesson_error err;
        if (exercise_read(&x, p->l, &list->entry[i], &err)) continue;
        put_answer(p, x);
        exercise_free(x);
    }
}

/* The exercises of a lesson; `passed` of how many. */
static int exercises(page *p, const lesson *l, bool print, int *passed)
{
    exercise_list list;
    exercise_find(&list, l);
    *passed = 0;
    for (int i = 0; i < list.count; i++) {
        exercise *x;
        lesson_error err;
        exercise_record r;
        char id[32], text[120];
        if (exercise_read(&x, l, &list.entry[i], &err)) continue;
        exercise_recall(p->app, exercise_id(x, id, sizeof id), &r);
        *passed += r.passed;
        if (print) {
            if (!i) fputs("<h3>Exercises</h3>\n<div class=\"wide\"><table>\n", p->out);
            fputs("<tr>", p->out);
            cell(p, NULL, id);
            wrap_cell(p, x->l->title);
            cell(p, "dim", exercise_kinds[x->kind].about);
            cell(p, r.passed ? "good" : "dim",
                 r.passed    ? "passed"
                 : r.checks  ? r.last
                 : r.skipped ? "skipped"
                             : "not begun");
            snprintf(text, sizeof text, "%d check%s, %d hint%s%s", r.checks, r.checks == 1 ? "" : "s", r.hints,
                     r.hints == 1 ? "" : "s", r.solution ? ", solution seen" : "");
            cell(p, "dim", r.checks || r.hints || r.solution ? text : "");
            fputs("</tr>\n", p->out);
        }
        exercise_free(x);
    }
    if (print && list.count) {
        fputs("</table></div>\n", p->out);
        put_answers(p, &list);
    }
    return list.count;
}

static void put_lesson(page *p)
{
    struct words devices = {0};
    char prefix[24];
    bool ran[LESSON_STEPS] = {false}, any = false;
    int passed, of = exercises(p, p->l, false, &passed);
    snprintf(prefix, sizeof prefix, "%d.", p->l->number);
    for (int i = 0; i < p->runs; i++)
        if (!strncmp(p->run[i].step, prefix, strlen(prefix)) && !words_have(&devices, p->run[i].device))
            words_add(&devices, p->run[i].device);
    exercise_list list;
    exercise_find(&list, p->l);
    bool tried = false;
    for (int i = 0; i < list.count; i++) {
        exercise_record r;
        char id[32];
        snprintf(id, sizeof id, "%d.%d", p->l->number, list.entry[i].number);
        exercise_recall(p->app, id, &r);
        tried = tried || r.checks;
    }
    if (!devices.count && !tried) return;
    fprintf(p->out, "<h2 id=\"lesson-%d\">Lesson %d: ", p->l->number, p->l->number);
    put(p, p->l->title);
    fputs("</h2>\n", p->out);
    if (p->l->source) {
        fputs("<p class=\"dim\">", p->out);
        put(p, p->l->source);
        fputs("</p>\n", p->out);
    }
    words_sort(&devices);
    for (int i = 0; i < devices.count; i++) {
        struct words sizes = {0};
        for (int k = 0; k < p->runs; k++)
            if (!strncmp(p->run[k].step, prefix, strlen(prefix)) && !strcmp(p->run[k].device, devices.v[i]) &&
                !words_have(&sizes, p->run[k].n))
                words_add(&sizes, p->run[k].n);
        words_sort(&sizes);
        for (int k = 0; k < sizes.count; k++) put_device(p, devices.v[i], sizes.v[k], ran);
        words_free(&sizes);
    }
    for (int i = 0; i < p->l->step_count; i++) any = any || (ran[i] && p->l->step[i].kernel_file);
    if (any) fputs("<h3>Kernels</h3>\n", p->out);
    for (int i = 0; i < p->l->step_count; i++)
        if (ran[i]) put_source(p, &p->l->step[i]);
    if (of) exercises(p, p->l, true, &passed);
    words_free(&devices);
}

/* ---- the page ---- */

static bool is_done(void *arg, const struct state_event *e)
{
    struct words *w = arg;
    if (!strcmp(e->verb, "done") && !words_have(w, e->step)) words_add(w, e->step);
    return true;
}

static void put_progress(page *p, const struct words *done)
{
    int passed, of = exercises(p, p->l, false, &passed), steps = 0;
    for (int i = 0; i < p->l->step_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%d.%s", p->l->number, p->l->step[i].name);
        steps += words_have(done, name);
    }
    char text[64];
    fprintf(p->out, "<tr><td>%d</td><td class=\"t\">", p->l->number);
    put(p, p->l->title);
    fprintf(p->out, "</td><td><progress max=\"%d\" value=\"%d\"></progress>", p->l->step_count, steps);
    snprintf(text, sizeof text, "%d of %d", steps, p->l->step_count);
    put(p, text);
    fputs("</td><td>", p->out);
    if (of) fprintf(p->out, "<progress max=\"%d\" value=\"%d\"></progress>%d of %d", of, passed, passed, of);
    fputs("</td></tr>\n", p->out);
}

static void put_notes(page *p)
{
    char path[4096], *text;
    size_t bytes;
    snprintf(path, sizeof path, "%s/notes", state_data_folder(p->app));
    if (file_read(path, 8 << 20, &text, &bytes)) return;
    if (bytes) {
        fputs("<h2>Notes</h2>\n<pre class=\"notes\">", p->out);
        put(p, text);
        fputs("</pre>\n", p->out);
    }
    free(text);
}

static void put_date(page *p)
{
    char day[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(day, sizeof day, " on %Y-%m-%d", &utc);
    fprintf(p->out,
            "<p class=\"dim\">Written by warpstep " APP_VERSION "%s. Cycles and times of simulated cards are "
            "those of a model of the card; they are measured only where it says so.</p>\n",
            day);
}

int view_html(struct app *app, FILE *out, int *records)
{
    page p = {.app = app, .out = out};
    struct words done = {0};
    int status = session_lessons(app);
    if (status) return status;
    if (!(p.run = calloc(MOST_RUNS, sizeof *p.run))) return app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    state_each(app, add_run, &p);
    state_each(app, is_done, &done);
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"warpstep " APP_VERSION "\">\n"
            "<title>What I did in warpstep</title>\n<style>%s</style></head>\n<body>\n"
            "<h1>What I did in warpstep</h1>\n",
            style);
    put_date(&p);
    char kernels[1088];
    snprintf(kernels, sizeof kernels, "%.1000s/kernels", app->root ? app->root : ".");
    for (int pass = 0; pass < 2; pass++) {
        if (!pass)
            fputs("<div class=\"wide\"><table>\n<tr><th></th><th>lesson</th><th>steps</th><th>exercises</th>"
                  "</tr>\n",
                  out);
        for (int i = 0; i < app->lesson->list.count; i++) {
            lesson *l;
            lesson_error err;
            if (lesson_read(&l, &app->lesson->list.entry[i], kernels, &err)) continue;
            p.l = l;
            if (pass) put_lesson(&p);
            else put_progress(&p, &done);
            lesson_free(l);
        }
        if (!pass) fputs("</table></div>\n", out);
    }
    if (!p.runs) fputs("<p>Nothing has been run yet.</p>\n", out);
    put_notes(&p);
    fputs("</body></html>\n", out);
    *records = p.shown;
    free(p.run);
    words_free(&done);
    return 0;
}
