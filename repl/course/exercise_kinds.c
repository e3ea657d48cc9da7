/* exercise_kinds.c: the tables of exercise_kinds.def, and what an exercise of launches must have. */
#include "exercise.h"
#include "step_values.h"

bool exercise_check_launches(const exercise *x, lesson_error *err)
{
    if (!step_program(x->s) && step_launches(x->s)) return true;
    lesson_error_at(err, x->l, 1,
                    step_program(x->s) ? "expected \"kind: program\" where there is a program:" : "expected a launch:");
    return false;
}

const struct exercise_form exercise_forms[FORMS] = {
#define FORM(name, ...) {__VA_ARGS__},
#define KIND(...)
#include "exercise_kinds.def"
};

const struct exercise_kind exercise_kinds[KINDS] = {
#define FORM(...)
#define KIND(word, what, of, ...) {.name = #word, .about = what, .form = &exercise_forms[FORM_##of], __VA_ARGS__},
#include "exercise_kinds.def"
};
