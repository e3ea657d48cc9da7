/* lesson_text.c: the text of a lesson with its numbers filled in, and numbers as words. {NAME}
 * stands for a setting, a metric of the run on the screen, before.METRIC or [STEP].METRIC; {A per
 * B} for a ratio. If a step that is named has no result yet, it runs now, without being shown. */
#include "view.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/text.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A setting or metric as a number with its fraction. A setting that the step does not use hides no metric: a lesson's
 * `blocks` may be those of another chapter's launches. */
static bool value_of(view_context *c, const char *name, size_t length, double *out)
{
    const lesson *l = c->app->lesson->l;
    int setting = lesson_setting_named(l, name, length);
    if (setting >= 0 && c->values && (!c->s || step_uses(l, c->s, setting) || metric_named(name, length) < 0)) {
        *out = (double)c->values->value[setting];
        return true;
    }
    for (int i = 0; c->fact && i < FRAME_FACTS; i++)
        if (strlen(frame_fact_names[i]) == length && !memcmp(frame_fact_names[i], name, length)) {
            *out = c->fact[i];
            return !isnan(*out);
        }
    const char *dot = memchr(name, '.', length);
    if (!dot) return c->r && metric_number(c->r, name, length, out);
    size_t prefix = (size_t)(dot - name);
    const lesson_step *s = name[0] == '[' ? lesson_step_named(l, name + 1, prefix - 2) : step_before(l, c->s);
    step_values v;
    char why[300];
    if (!s || !c->device || session_lacks(c->app, s, c->device, why, sizeof why) ||
        !step_settings(l, s, c->chosen, &v, why, sizeof why))
        return false;
    int status;
    const step_result *r = session_result(c->app, s, c->device, run_chosen(c->app, c->chosen), &status);
    if (r) session_count(c->app, s, c->device, &v, r);
    return r && metric_number(r, dot + 1, length - prefix - 1, out);
}

static bool view_lookup(void *context, const char *name, size_t length, int64_t *value)
{
    double v;
    if (!value_of(context, name, length, &v) || !(fabs(v) < 9e18)) return false;
    *value = llround(v);
    return true;
}

static bool one_number(view_context *c, const expr *e, double *out)
{
    /* a single name keeps its fraction */
    if (e->count == 1) {
        const char *name = NULL;
        size_t length = 0;
        expr_single_name(e, &name, &length);
        if (name) return value_of(c, name, length, out);
    }
    int64_t v;
    char why[160];
    if (!expr_eval(e, view_lookup, c, &v, why, sizeof why)) return false;
    *out = (double)v;
    return true;
}

static bool view_number(view_context *c, const expr *e, const expr *per, double *out)
{
    double b;
    if (!one_number(c, e, out)) return false;
    if (!per || !per->count) return true;
    if (!one_number(c, per, &b) || b == 0) return false;
    *out /= b;
    return true;
}

bool view_value(view_context *c, const char *text, const char *end, double *out)
{
    expr e;
    const char *at, *expected;
    return expr_parse(&e, text, end, &at, &expected) == end && view_number(c, &e, NULL, out);
}

const char *view_figure(char *buffer, size_t size, const lesson_article *a)
{
    size_t digits = strspn(a->shown, "0123456789");
    const char *point = a->shown[digits] == '.' ? a->shown + digits + 1 : NULL;
    int places = point ? (int)strspn(point, "0123456789") : 0;
    bool seconds = point && !strcmp(point + places, " s") && a->value > 0 && a->value < 1;
    char number[40];
    for (int k = 3; seconds && k <= 6;
         k += 3) /* as precise as in the article: 0.001692 s becomes 1.692 ms, 0.43 s stays */
        if (places >= k && (a->value * pow(10, k) >= 1 || k == 6)) {
            snprintf(buffer, size, "%.*f %s", places - k, a->value * pow(10, k), k == 3 ? "ms" : "us");
            return buffer;
        }
    if (strstr(a->shown, "iB/s")) /* in powers of ten, like ours */
        format_si(buffer, size, a->value, "B/s");
    else if (digits > 4 && !a->shown[digits])
        snprintf(buffer, size, "%s", format_count(number, sizeof number, strtoull(a->shown, NULL, 10)));
    else snprintf(buffer, size, "%s", a->shown);
    static const char *const units[] = {" cycles", " times"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t used = strlen(buffer), unit = strlen(units[i]);
        if (used > unit && !strcmp(buffer + used - unit, units[i]))
            snprintf(buffer + used - unit, size - used + unit, "%s", TR(units[i]));
    }
    return buffer;
}

/* A factor: "1.5", "12,568". */
const char *view_factor(char *buffer, size_t size, double factor)
{
    if (factor < 10) snprintf(buffer, size, "%.1f", factor);
    else if (factor < 1e15) format_count(buffer, size, (uint64_t)(factor + 0.5));
    else snprintf(buffer, size, "%.3g", factor);
    return buffer;
}

char *view_change(char *buffer, size_t size, double before, double now)
{
    char number[40];
    if (fabs(now - before) < 0.0005 * fabs(before)) {
        snprintf(buffer, size, "%s", TR("same"));
    } else if (before <= 0 || now <= 0) {
        snprintf(buffer, size, "%s", now > before ? TR("new") : TR("gone"));
    } else {
        double factor = now > before ? now / before : before / now;
        if (factor < 1.095) snprintf(buffer, size, "%+.1f %%", 100 * (now - before) / before);
        else
            snprintf(buffer, size, now > before ? TR("%sx more") : TR("%sx less"),
                     view_factor(number, sizeof number, factor));
    }
    return buffer;
}

char *view_gain(char *buffer, size_t size, int m, double before, double now)
{
    const int better = metric_better(m);
    if (!better || before <= 0 || now <= 0 || fabs(now - before) < 0.0005 * fabs(before))
        return view_change(buffer, size, before, now);
    const bool good = (now > before) == (better > 0);
    const bool speed = !strcmp(metrics[m].unit, "s") || !strcmp(metrics[m].unit, "cycles");
    const char *word = TR(speed ? good ? "faster" : "slower" : good ? "better" : "worse");
    const double factor = now > before ? now / before : before / now;
    char number[40];
    if (factor < 1.095)
        snprintf(buffer, size, "%c%.1f %% %s", good ? '+' : '-', 100 * fabs(now - before) / before, word);
    else snprintf(buffer, size, TR("%c%sx %s"), good ? '+' : '-', view_factor(number, sizeof number, factor), word);
    return buffer;
}

/* ---- text ---- */

/* NULL, which the command reports: no memory. */
static char *taken(struct text *t)
{
    if (t->failed) app_lost = ENOMEM;
    return text_taken(t);
}

/* A time or a rate has its unit: in seconds it would mostly be 0.00. */
static void put_number(char *out, size_t size, const view_context *c, const expr *e, bool ratio, double v)
{
    const char *name = NULL;
    size_t length = 0;
    if (!ratio) expr_single_name(e, &name, &length);
    const char *dot = name ? memchr(name, '.', length) : NULL;
    if (dot) {
        length -= (size_t)(dot + 1 - name);
        name = dot + 1;
    }
    int m = name ? metric_named(name, length) : -1;
    for (int i = 0; m >= 0 && !dot && c->s && i < c->s->local_count; i++) /* a result of that name comes first */
        if (strlen(c->s->locals[i]) == length && !memcmp(c->s->locals[i], name, length)) m = -1;
    if (m >= 0 && (!strcmp(metrics[m].unit, "s") || strstr(metrics[m].unit, "/s"))) metric_text(out, size, m, v);
    else format_number(out, size, v);
}

char *view_expand(view_context *c, const char *text)
{
    struct text g = {0};
    text_add(&g, "");
    for (const char *p = text; *p;) {
        const char *open = strchr(p, '{'), *close = open ? strchr(open, '}') : NULL;
        if (!close) {
            text_add(&g, p);
            break;
        }
        text_addn(&g, p, (size_t)(open - p));
        expr e, per = {0};
        const char *at, *expected, *stop = expr_parse(&e, open + 1, close, &at, &expected);
        if (stop && close - stop > 5 && !memcmp(stop, " per ", 5))
            stop = expr_parse(&per, stop + 5, close, &at, &expected);
        double v;
        char number[64];
        if (stop == close && view_number(c, &e, &per, &v)) {
            put_number(number, sizeof number, c, &e, per.count > 0, v);
            text_add(&g, number);
        } else {
            c->missing = true;
            text_add(&g, "?");
        }
        p = close + 1;
    }
    return taken(&g);
}

/* A paragraph may begin with "{when CONDITION} ", for the runs that it is about. True: the
 * condition holds, or there is none; *p is moved past it. */
static bool wanted(view_context *c, const char **p)
{
    const char *close = strncmp(*p, "{when ", 6) ? NULL : strchr(*p, '}');
    if (!close) return true;
    expr e;
    const char *at, *expected;
    double v;
    if (expr_parse(&e, *p + 6, close, &at, &expected) != close || !view_number(c, &e, NULL, &v)) {
        c->missing = true;
        return false;
    }
    *p = close + 1 + strspn(close + 1, " \n");
    return v != 0;
}

char *view_kept(view_context *c, const char *text)
{
    bool missing = false;
    struct text all = {0}, one = {0};
    text_add(&all, "");
    for (const char *p = text + strspn(text, "\n"); *p;) {
        const char *stop = strstr(p, "\n\n"), *from;
        size_t n = stop ? (size_t)(stop - p) : strlen(p);
        one.used = 0;
        text_addn(&one, p, n);
        c->missing = false;
        char *filled = (from = one.s) && wanted(c, &from) ? view_expand(c, from) : NULL;
        if (filled && !c->missing) {
            if (c->paragraph) c->paragraph(c->arg, c, from);
            text_add(&all, all.used ? "\n\n" : "");
            text_add(&all, filled);
        }
        missing = missing || c->missing;
        free(filled);
        p += n;
        p += strspn(p, "\n");
    }
    c->missing = missing;
    free(text_taken(&one));
    return taken(&all);
}

void view_paragraphs(doc *d, view_context *c, const char *text)
{
    char *all = view_kept(c, text);
    if (all) doc_paragraphs(d, 2, all);
    free(all);
}

/* The right answer: a choice (from 1) or a number. False: not exactly one of the lesson's
 * conditions holds. */
bool predict_answer(view_context *c, const lesson_predict *p, int *choice, double *number)
{
    *choice = 0;
    for (int i = 0; i < p->choices; i++) {
        double holds;
        if (!view_number(c, &p->choice[i].when, NULL, &holds)) return false;
        if (holds != 0 && *choice) return false;
        if (holds != 0) *choice = i + 1;
    }
    return p->choices ? *choice > 0 : view_number(c, &p->number, &p->per, number);
}
