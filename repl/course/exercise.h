/* exercise.h: an exercise as read from its folder, lessons/NN-name/exercises/K-name/.
 * lessons/README.md describes the file.
 *
 * An exercise is a lesson of one step: the lesson loader reads its settings, buffers, fills,
 * launches and expected result. exercise.c reads what only exercises have: the task, hints,
 * cases chosen to break an answer, goals, and the verdict of each answer in the folder. Judging an
 * answer: judge.h. The student's files and position: exercise_files.c. */
#ifndef EXERCISE_H
#define EXERCISE_H

#include "exercise_kinds.h"
#include "lesson.h"
#include "metric_names.h"
#include "reasons.h"
#include "step_values.h"

enum {
    EXERCISE_SIZES = 4,   /* settings that vary */
    EXERCISE_VALUES = 16, /* per setting */
    EXERCISE_FILLS = 24,
    EXERCISE_GOALS = 16,
    EXERCISE_CARDS = 4, /* that a launch is chosen for */
    EXERCISE_WRONGS = 24,
    EXERCISE_CASES = 250, /* sizes times fills */
    EXERCISE_INPUTS = 3,  /* on which goals are judged */
    EXERCISE_HINTS = 3,
    EXERCISE_PRINTS = 8, /* lines */
    EXERCISE_PIECES = 8, /* numbers of a line */
    EXERCISE_FAILS = 4,
    EXERCISES = 40 /* per lesson */
};

/* one setting takes each of these values */
typedef struct exercise_size {
    int setting;
    int64_t value[EXERCISE_VALUES];
    int count, line;
} exercise_size;

/* one setting is drawn from this range, for the goals */
typedef struct exercise_drawn {
    int setting, line;
    int64_t least, most;
} exercise_drawn;

/* one buffer gets another fill */
typedef struct exercise_fill {
    lesson_buffer as; /* its fill, parameter and value */
    int buffer;
    const char *shown; /* "rand % 3" */
} exercise_fill;

/* METRIC at most (or at least) VALUE, within a few percent of our own solution's, or at least so
 * many percent of it. */
typedef struct exercise_goal {
    int metric;
    bool at_least, relative; /* relative: `percent` of the solution's is the bound; else `bound` */
    double percent;
    expr bound; /* of settings and solution.METRIC */
    const char *why;
    int line;
} exercise_goal;

/* A line that a program prints or reads: text, and numbers in it. */
typedef struct exercise_line {
    int line, pieces;
    struct exercise_piece {
        const char *text; /* before the number */
        int length;
        bool has_value;
        expr value;    /* of settings; with `within`, a metric of the run */
        double within; /* percent; below 0: it is that number */
    } piece[EXERCISE_PIECES + 1];
} exercise_line;

/* A setting's value at which a call fails: the program must end with a status that is not 0, and say why. */
typedef struct exercise_failing {
    int setting, line;
    int64_t value;
    const char *says;
} exercise_failing;

/* a file of the folder and the reason for which it must fail; or "pass" */
typedef struct exercise_answer {
    char file[64];
    int reason, or_reason; /* reasons.h; or_reason: the reason with another compiler's code; or none */
    const char *words;
    int line;
} exercise_answer;

typedef struct exercise {
    lesson *l;                          /* owned */
    bool own;                           /* of a lesson that did not come with the program */
    const lesson_step *s;               /* its only step */
    int lesson_number, number;          /* 1.2 */
    char lesson_folder[64], folder[64]; /* "01-sum-of-squares", "2-guard" */
    char dir[1152];                     /* the folder of its files */
    char card[LESSON_NAME + 1];         /* its own, else the lesson's; goals are judged on it */
    const struct exercise_kind *kind;
    lesson_text task, hint[EXERCISE_HINTS];
    int hints;
    exercise_size size[EXERCISE_SIZES];
    int sizes;
    exercise_drawn drawn[EXERCISE_SIZES];
    int drawns;
    exercise_fill fill[EXERCISE_FILLS];
    int fills;
    exercise_goal goal[EXERCISE_GOALS];
    int goals;
    int choose[EXERCISE_SIZES]; /* the settings that an answer of kind launch gives */
    int chooses;
    char on[EXERCISE_CARDS - 1][LESSON_NAME + 1]; /* the cards that it is judged on, besides `card` */
    int ons;
    exercise_line prints[EXERCISE_PRINTS], input; /* of a program; input: `pieces` 0 where there is none */
    int prints_count;
    exercise_failing fails[EXERCISE_FAILS];
    int fails_count;
    int64_t budget; /* warp instructions per case; 0: the default */
    exercise_answer starter, wrong[EXERCISE_WRONGS];
    int wrongs;
} exercise;

/* Parse the text of an exercise.txt; reads no other file. 0 and *out, or -1 and the error. */
int exercise_parse(exercise **out, const char *path, const char *text, size_t bytes, lesson_error *err);
void exercise_free(exercise *x);

/* The exercises of a lesson, by number: folders K-name in exercises/ next to its lesson.txt. */
typedef struct exercise_entry {
    int number;
    char folder[64];
} exercise_entry;
typedef struct exercise_list {
    exercise_entry entry[EXERCISES];
    int count;
} exercise_list;
void exercise_find(exercise_list *out, const lesson *l);
/* Read one, with the lesson's card unless it names one. */
int exercise_read(exercise **out, const lesson *l, const exercise_entry *entry, lesson_error *err);

/* Card 0 is its own. */
const char *exercise_card(const exercise *x, int i);
const char *exercise_name(const exercise *x);   /* "guard", within `folder` */
const char *exercise_ending(const exercise *x); /* of its answers: ".cu" or ".txt" */

/* What an exercise must have, by its form: exercise_kinds.c, of launches; exercise_program.c, of a program. */
bool exercise_check_launches(const exercise *x, lesson_error *err);
bool exercise_check_program(const exercise *x, lesson_error *err);
/* The name of a metric that a program's printed line may have a number of; times are in nanoseconds there. */
int exercise_piece_metric(const struct exercise_piece *p);

/* exercise_cases.c: the cases, in order. Case 0 has the default settings and fills. */
typedef struct exercise_case {
    int64_t value[EXERCISE_SIZES];
    int fill; /* index of a fill; -1: the exercise's default */
} exercise_case;
int exercise_cases(const exercise *x);
void exercise_case_at(const exercise *x, int i, exercise_case *out);
/* The settings of a case. False: `require:` rules it out. */
bool exercise_case_values(const exercise *x, int i, step_values *out);

/* The EXERCISE_INPUTS inputs that goals are judged on. Input 0 has the defaults, the others are
 * drawn from the seed. */
void exercise_input_values(const exercise *x, uint64_t seed, int i, step_values *out);

#endif
