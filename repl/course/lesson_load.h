/* lesson_load.h: a file divided into lines, and a cursor that reads them. Only lesson.c,
 * lesson_header.c, lesson_keys.c, lesson_formula.c, lesson_figures.c and exercise.c share it. */
#ifndef LESSON_LOAD_H
#define LESSON_LOAD_H

#include "lesson.h"

/* Memory of a lesson. */
struct lesson_piece {
    struct lesson_piece *next;
    uint64_t bytes[]; /* a text, or anything else that needs no wider alignment */
};

typedef struct source_line {
    char *text; /* in the lesson's own copy; NUL-terminated once its item has been read */
    int length;
} source_line;

typedef struct loader {
    lesson *l;
    lesson_step *step; /* being read; NULL before the first */
    source_line *lines;
    int line_count;
    const char *path;
    lesson_error *err;
    struct exercise *exercise; /* the file is an exercise: its single step exists from the start */
    uint64_t seen[3];          /* keys seen: of the lesson, the step, the exercise */
    bool own_actions;          /* the step has replaced the actions from `like` */
    bool own_rights;           /* and what is right */
} loader;

/* Reads one line, left to right. `s` has the first error. */
typedef struct cursor {
    loader *s;
    char *p, *end;
    int line;      /* index into s->lines */
    int last_line; /* last line of the item */
} cursor;

/* A key of the file. `value` describes what follows it, for error messages. */
typedef struct lesson_key {
    const char *name;
    enum { KEY_LESSON = 1, KEY_STEP = 2, KEY_BOTH = 4, KEY_EXERCISE = 5 } scope; /* BOTH: of a step or an exercise */
    bool many;                                                                   /* may occur several times */
    bool block;                                                                  /* may continue on indented lines */
    bool (*read)(cursor *c);
    const char *value;
} lesson_key;
extern const lesson_key lesson_header_keys[]; /* lesson_header.c; ends with a NULL name */
extern const lesson_key lesson_step_keys[];   /* lesson_keys.c; ends like the above */
extern const lesson_key exercise_keys[];      /* exercise.c; ends like the above */

/* Report what was expected at `at` (NULL: at the cursor). Returns false. */
bool load_fail(cursor *c, const char *at, const char *fmt, ...) LESSON_PRINTF(3, 4);
void load_blanks(cursor *c);
bool load_char(cursor *c, char want);        /* skips blanks; false without a report: another character follows */
bool load_word(cursor *c, const char *want); /* the same for a word */
bool load_end(cursor *c);                    /* fails if anything follows */
bool load_name(cursor *c, char out[LESSON_NAME + 1], const char *what, bool dashes);
bool load_expr(cursor *c, expr *e);
bool load_number(cursor *c, double *out, const char *what);
const char *load_rest(cursor *c, const char *what); /* to the end of the line, trimmed, not empty */
bool load_operation(cursor *c, int *operation, lesson_arg *arg, int *args); /* lesson_keys.c: NAME(ARGUMENTS) */
bool load_fill(cursor *c, lesson_buffer *b); /* lesson_formula.c: zero, rand % m, i % 7 - 3 ... */
bool load_right(cursor *c);
bool load_card_needs(cursor *c);             /* card_needs.c */
void *load_keep(cursor *c, size_t bytes);    /* memory that lives as long as the lesson; NULL after a report */
bool load_text(cursor *c, lesson_text *out); /* the rest of the line and all indented lines */
bool load_article(cursor *c);                /* lesson_figures.c: keys of lesson_keys.c's table */
bool load_constant(cursor *c, int64_t *out); /* a number without names; of an exercise */
bool exercise_read_prints(cursor *c);        /* exercise_program.c: keys of exercise.c's table */
bool exercise_read_input(cursor *c);
bool exercise_read_fails(cursor *c);
bool load_measured(cursor *c);
bool load_library(cursor *c);
bool load_peak(cursor *c);
bool load_predict(cursor *c);
bool load_look(cursor *c);                   /* lesson_look.c */
bool load_chapter(cursor *c);                /* lesson_chapter.c */
bool load_moment(cursor *c, lesson_look *k); /* what stands before the sentence */
/* Make room for one more element, zeroed, in an array that doubles. Returns the array, grown or
 * not; a failure is reported. */
void *load_grow(cursor *c, void *array, int count, int most, size_t each, const char *what);
#define LOAD_ROOM(c, array, count, most, what)                                    \
    ((array) = load_grow((c), (array), (count), (most), sizeof *(array), (what)), \
     (c)->s->err->message[0] ? NULL : &(array)[(count)++])

#endif
