/* exercise_program.c: the keys of an exercise whose answer is a whole program: what it prints and
 * reads, and where a call of its fails. The rest of such an exercise is in exercise.c. */
#include "exercise.h"
#include "lesson_load.h"
#include <stdlib.h>
#include <string.h>

/* {NUMBER}, or {METRIC within P%} */
static bool read_piece(cursor *c, struct exercise_piece *p)
{
    char *start = c->p;
    p->has_value = true;
    p->within = -1;
    c->p++;
    if (!load_expr(c, &p->value)) return false;
    if (load_word(c, "within")) {
        if (!load_number(c, &p->within, "a percentage")) return false;
        if (!load_char(c, '%') || p->within < 0 || p->within > 100)
            return load_fail(c, start, "expected a percentage: {kernels_time within 10%%}");
        if (exercise_piece_metric(p) < 0) return load_fail(c, start, "expected one metric before 'within'");
    }
    if (!load_char(c, '}')) return load_fail(c, start, "expected '}' after the number");
    return true;
}

static bool read_line(cursor *c, exercise_line *out)
{
    load_blanks(c);
    char *start = c->p;
    out->line = c->line + 1;
    if (c->p == c->end) return load_fail(c, NULL, "expected a line of text");
    while (c->p < c->end) {
        if (out->pieces > EXERCISE_PIECES) return load_fail(c, start, "expected at most %d numbers", EXERCISE_PIECES);
        struct exercise_piece *p = &out->piece[out->pieces++];
        p->text = c->p;
        while (c->p < c->end && *c->p != '{') c->p++;
        p->length = (int)(c->p - p->text);
        if (c->p < c->end && !read_piece(c, p)) return false;
    }
    return true;
}

bool exercise_read_prints(cursor *c)
{
    exercise *x = c->s->exercise;
    if (x->prints_count == EXERCISE_PRINTS) return load_fail(c, NULL, "expected at most %d lines", EXERCISE_PRINTS);
    return read_line(c, &x->prints[x->prints_count++]);
}

bool exercise_read_input(cursor *c) { return read_line(c, &c->s->exercise->input); }

/* SETTING = VALUE says WORDS */
bool exercise_read_fails(cursor *c)
{
    exercise *x = c->s->exercise;
    char name[LESSON_NAME + 1];
    if (x->fails_count == EXERCISE_FAILS) return load_fail(c, NULL, "expected at most %d of these", EXERCISE_FAILS);
    exercise_failing *f = &x->fails[x->fails_count++];
    load_blanks(c);
    char *start = c->p;
    f->line = c->line + 1;
    if (!load_name(c, name, "a setting's name", false)) return false;
    f->setting = lesson_setting_named(c->s->l, name, strlen(name));
    if (f->setting < 0) return load_fail(c, start, "expected one of the settings above: there is no %s", name);
    if (!load_char(c, '=')) return load_fail(c, NULL, "expected '=' and the value at which a call fails");
    if (!load_constant(c, &f->value)) return false;
    if (!load_word(c, "says")) return load_fail(c, NULL, "expected 'says' and words of the error");
    return (f->says = load_rest(c, "words of the error")) != NULL;
}

int exercise_piece_metric(const struct exercise_piece *p)
{
    const char *name;
    size_t length;
    expr_single_name(&p->value, &name, &length);
    return name ? metric_named(name, length) : -1;
}

static bool is_setting(void *arg, const char *name, size_t length)
{
    return lesson_setting_named(arg, name, length) >= 0;
}

static bool check_line(const exercise *x, const exercise_line *l, bool measured, lesson_error *err)
{
    for (int i = 0; i < l->pieces; i++) {
        const struct exercise_piece *p = &l->piece[i];
        if (!p->has_value || (measured && p->within >= 0)) continue;
        if (p->within < 0 && expr_names(&p->value, is_setting, x->l)) continue;
        lesson_error_at(err, x->l, l->line, "expected numbers made of settings in {...}%s",
                        measured ? ", or {METRIC within P%}" : "");
        return false;
    }
    return true;
}

bool exercise_check_program(const exercise *x, lesson_error *err)
{
#define FAIL(at, ...) return lesson_error_at(err, x->l, (at), __VA_ARGS__), false
    if (!step_program(x->s)) FAIL(1, "expected \"program: starter.cu [VALUE, VALUE ...]\"");
    if (strcmp(step_program(x->s)->name, "starter.cu"))
        FAIL(step_program(x->s)->line, "expected starter.cu: each answer is run in its place");
    if (!x->prints_count) FAIL(1, "expected \"prints: ...\", what the program must print");
    if (x->fills || x->s->predict_count) FAIL(1, "expected no fills: and no predict: in an exercise of this kind");
    for (int i = 0; i < x->prints_count; i++)
        if (!check_line(x, &x->prints[i], true, err)) return false;
    return check_line(x, &x->input, false, err);
#undef FAIL
}
