/* exercise_kinds.h: the kinds of exercise, and what they tell of themselves. exercise_kinds.def lists them. */
#ifndef EXERCISE_KINDS_H
#define EXERCISE_KINDS_H

#include "lesson.h"

struct exercise;

/* what an answer is */
struct exercise_form {
    /* What the exercise's file must have besides what all have. */
    bool (*check)(const struct exercise *x, lesson_error *err);
    bool text;        /* an answer is text, about a kernel of the exercise's own ... */
    bool number;      /* ... namely a number, the answer to predict: */
    bool chooses;     /* ... namely values of the settings that choose: names */
    bool pinned;      /* build/answers has PTX of the folder's answers, to judge them without a compiler */
    bool filmed;      /* its runs can be looked at warp by warp */
    bool graded;      /* an answer cannot write its own report, so a verdict counts for a class */
    bool opens_files; /* an answer may open files when it is compiled or run */
};
enum {
#define FORM(name, ...) FORM_##name,
#define KIND(...)
#include "exercise_kinds.def"
    FORMS
};
extern const struct exercise_form exercise_forms[FORMS];

struct exercise_kind {
    const char *name, *about; /* "bug", "find the planted bug" */
    const struct exercise_form *form;
    bool goal;      /* it must have a goal */
    bool best;      /* the best number so far is kept, of its first goal */
    bool over_time; /* the task shows how busy the card was from start to end */
};
enum {
#define FORM(...)
#define KIND(name, ...) KIND_##name,
#include "exercise_kinds.def"
    KINDS
};
extern const struct exercise_kind exercise_kinds[KINDS];

#endif
