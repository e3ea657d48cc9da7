/* lesson_figures.c: the keys of a step that its run is compared with: figures of the article,
 * figures that we measured, and the predictions that the student is asked for. lesson_keys.c has
 * their table. */
#include "lesson_load.h"
#include <ctype.h>
#include <string.h>

static const struct unit {
    const char *text, *base;
    double factor;
} units[] = {
    {"cycles", "cycles", 1},
    {"s", "s", 1},
    {"ms", "s", 1e-3},
    {"us", "s", 1e-6},
    {"B/s", "B/s", 1},
    {"MB/s", "B/s", 1e6},
    {"GB/s", "B/s", 1e9},
    {"MiB/s", "B/s", 1048576},
    {"GiB/s", "B/s", 1073741824.0},
    {"FLOP/s", "FLOP/s", 1},
    {"GFLOP/s", "FLOP/s", 1e9},
    {"TFLOP/s", "FLOP/s", 1e12},
    {"times", "1", 1},
    {"", "", 1}, /* dimensionless: an error, a ratio */
};

/* `rate`: the figure is of that, and its metric is not written. */
static bool read_figure(cursor *c, lesson_article *a, bool measured, bool rate)
{
    if (!a) return false;
    a->line = c->line + 1;
    a->measured = measured;
    char name[LESSON_NAME + 1], unit[16];
    load_blanks(c);
    static char of_rate[] = "rate";
    char *metric = rate ? of_rate : c->p;
    if (rate) snprintf(name, sizeof name, "rate");
    else if (!load_name(c, name, "a metric (cycles, time, bandwidth ...)", false)) return false;
    size_t metric_length = strlen(name);
    load_blanks(c);
    char *figure = c->p;
    if (!load_number(c, &a->value, "the figure")) return false;
    if (c->p < c->end && (*c->p == 'M' || *c->p == 'K')) /* 8.3M: without a blank, else it would be a unit */
        a->value *= *c->p++ == 'M' ? 1e6 : 1e3;
    char *number_end = c->p;
    load_blanks(c);
    size_t n = 0;
    char *at = c->p;
    while (c->p < c->end && (isalpha((unsigned char)*c->p) || *c->p == '/') && n < sizeof unit - 1) unit[n++] = *c->p++;
    unit[n] = 0;
    if (!strcmp(unit, "on")) {
        c->p = at;
        unit[0] = 0;
    }
    size_t i = 0;
    while (i < sizeof units / sizeof *units && strcmp(units[i].text, unit)) i++;
    if (i == sizeof units / sizeof *units)
        return load_fail(
            c, at, "expected a unit: cycles s ms us B/s MB/s GB/s MiB/s GiB/s FLOP/s GFLOP/s TFLOP/s times, or none");
    a->value *= units[i].factor;
    a->unit = units[i].base;
    char *figure_end = unit[0] ? c->p : number_end;
    if (!load_word(c, "on")) return load_fail(c, NULL, "expected 'on' and the card it was measured on");
    load_blanks(c);
    char *device = c->p;
    if (!load_name(c, name, "a card's name", true)) return false;
    char *device_end = c->p;
    if (measured) a->hot = load_word(c, "hot"), a->cold = !a->hot && load_word(c, "cold");
    if (load_word(c, "if") && !load_expr(c, &a->condition)) return false;
    if (rate && strcmp(a->unit, "FLOP/s")) return load_fail(c, at, "expected TFLOP/s, GFLOP/s or FLOP/s");
    if (load_char(c, ',')) {
        if (!(a->note = load_rest(c, "a remark"))) return false;
    } else if (rate) {
        return load_fail(c, NULL, "expected ',' and which library it is: cuBLAS 13.0, measured on ...");
    } else if (!load_end(c)) return false;
    metric[metric_length] = *figure_end = *device_end = 0;
    a->metric = metric;
    a->shown = figure;
    a->device = device;
    return true;
}

static lesson_article *add_figure(cursor *c)
{
    lesson_step *s = c->s->step;
    return LOAD_ROOM(c, s->article, s->article_count, 32, "figures");
}

bool load_article(cursor *c) { return read_figure(c, add_figure(c), false, false); }
bool load_measured(cursor *c) { return read_figure(c, add_figure(c), true, false); }

/* library: RATE on CARD [hot|cold] [if CONDITION], which library */
bool load_library(cursor *c)
{
    lesson_step *s = c->s->step;
    return read_figure(c, LOAD_ROOM(c, s->library, s->library_count, 32, "figures of the library"), true, true);
}

/* peak: TYPE of the products, whose rate is held to what the card's tensor cores do at most */
bool load_peak(cursor *c)
{
    static const struct {
        const char *name;
        enum lesson_type type;
    } types[] = {{"f16", TYPE_F16},   {"bf16", TYPE_BF16}, {"tf32", TYPE_TF32},
                 {"e4m3", TYPE_E4M3}, {"e5m2", TYPE_E5M2}, {"f32", TYPE_F32}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (load_word(c, types[i].name)) {
            c->s->step->peak = types[i].type;
            c->s->step->has_peak = true;
            return load_end(c);
        }
    return load_fail(c, NULL, "expected f16, bf16, tf32, e4m3, e5m2, or f32 without tensor cores");
}

/* The question, then indented lines that begin with a key of their own. Other lines continue the
 * line above them. */
bool load_predict(cursor *c)
{
    lesson_step *s = c->s->step;
    lesson_predict *p = LOAD_ROOM(c, s->predict, s->predict_count, 8, "predictions");
    if (!p) return false;
    p->line = c->line + 1;
    p->unit = "";
    static const char *const keys[] = {"choice:", "number:", "because:", "frame:"};
    enum { KEYS = sizeof keys / sizeof *keys };
    int line = c->line, last = c->last_line;
    lesson_text *text = &p->question;
    while (line <= last) {
        cursor part = {c->s, line == c->line ? c->p : c->s->lines[line].text,
                       c->s->lines[line].text + c->s->lines[line].length, line, line};
        int key = -1;
        load_blanks(&part);
        for (int k = 0; k < KEYS && line > c->line && key < 0; k++)
            if (load_word(&part, keys[k])) key = k;
        /* this part extends to the next line with a key */
        int next = line + 1;
        for (; next <= last; next++) {
            cursor probe = {c->s, c->s->lines[next].text, c->s->lines[next].text + c->s->lines[next].length, next,
                            next};
            int k = 0;
            while (k < KEYS && !load_word(&probe, keys[k])) k++;
            if (k < KEYS) break;
        }
        if (key < 0 || key == 2) {
            part.last_line = next - 1;
            text = key == 2 ? &p->because : text;
            if (text->text) return load_fail(&part, NULL, "expected because: only once");
            if (!load_text(&part, text)) return false;
            line = next;
            continue;
        }
        if (next > line + 1 && c->s->lines[line + 1].length) {
            cursor extra = {c->s, c->s->lines[line + 1].text, c->s->lines[line + 1].text, line + 1, line + 1};
            return load_fail(&extra, NULL, "expected choice:, number:, frame: or because:");
        }
        if (key == 3) {
            if (p->has_frame || c->s->exercise)
                return load_fail(&part, NULL,
                                 c->s->exercise ? "expected no frame: in an exercise" : "expected frame: only once");
            if (!load_moment(&part, &p->frame) || !load_end(&part)) return false;
            p->has_frame = true;
            line = next;
            continue;
        }
        if (key == 0) {
            if (p->choices == (int)(sizeof p->choice / sizeof *p->choice))
                return load_fail(&part, NULL, "expected at most %d choices", p->choices);
            lesson_choice *choice = &p->choice[p->choices++];
            choice->line = line + 1;
            load_blanks(&part);
            char *start = part.p, *when = NULL;
            for (char *q = start; q + 6 <= part.end; q++)
                if (!memcmp(q, " when ", 6)) when = q;
            if (!when || when == start)
                return load_fail(&part, part.end,
                                 "expected an answer, then 'when' and the condition that makes it right");
            part.p = when + 6;
            if (!load_expr(&part, &choice->when) || !load_end(&part)) return false;
            while (when > start && when[-1] == ' ') when--;
            *when = 0;
            choice->text = start;
        } else {
            if (p->number.count) return load_fail(&part, NULL, "expected number: only once");
            if (!load_expr(&part, &p->number)) return false;
            if (load_word(&part, "per") && !load_expr(&part, &p->per)) return false;
            if (!load_word(&part, "within"))
                return load_fail(&part, NULL, "expected 'within' and how far off a right answer may be, as 10%%");
            if (!load_number(&part, &p->within, "a percentage")) return false;
            if (!load_char(&part, '%') || p->within < 0 || p->within > 100)
                return load_fail(&part, NULL, "expected a percentage, as 10%%");
            if (!load_end(&part)) return false;
        }
        line = next;
    }
    c->p = c->end;
    if ((p->choices >= 2) == (p->number.count != 0) || p->choices == 1)
        return load_fail(c, c->s->lines[c->line].text,
                         "expected either two or more choice: lines or one number: line under predict:");
    return true;
}
