/* exercise_files.h: which exercise is current, the student's own files, and what the journal says
 * about each exercise.
 *
 * A student's answers are plain files in one folder, exercises/ in the data folder, named after
 * their exercise: 1.2-guard.cu. They belong to the student: nothing here overwrites one. `reset`
 * moves the old file aside first. */
#ifndef EXERCISE_FILES_H
#define EXERCISE_FILES_H

#include "course/exercise.h"
#include "shell/document.h"

struct exercise_state {
    exercise *x;  /* owned; the exercise that was named last, or NULL */
    bool at_hand; /* it is current: named more recently than a step of its lesson */
    char where[120], footer[120];
};

/* "1.2", "1.guard", "2" or "guard" (of the current lesson). NULL: the current exercise, else that
 * of the last session. The exercise stays ours and is valid until another is asked for. */
int exercise_session(struct app *app, const char *name, const exercise **x);
bool exercise_named(const char *word); /* "1.2": no step has such a name */
/* The current lesson, or that of the last exercise. 0, or an exit status after a message. */
int exercise_lesson(struct app *app);
/* Make it current: the prompt shows it, and a later session continues with it. */
void exercise_enter(struct app *app, const exercise *x);
void exercise_leave(struct app *app); /* a step is current again */
bool exercise_at_hand(struct app *app);
void exercise_close(struct app *app);
const char *exercise_id(const exercise *x, char *out, size_t size); /* "1.2" */
/* The number of the next exercise in the lesson; 0: this is the last. */
int exercise_next(struct app *app, const exercise *x);

/* What the journal says. */
typedef struct exercise_record {
    int checks;                     /* number of checks */
    int hints;                      /* shown so far */
    bool passed, skipped, solution; /* solution: it was shown */
    char last[40];                  /* reason of the last check; "": never checked */
    bool has_best;                  /* of kind minimise: the least number of a correct answer so far */
    double best;
} exercise_record;
void exercise_recall(struct app *app, const char *id, exercise_record *out);

/* The exercises of a lesson, and how many of them were passed. */
typedef struct exercise_score {
    int count, passed, first; /* first: the lowest number; 0: the lesson has none */
} exercise_score;
exercise_score exercise_score_of(struct app *app, const lesson *l);
/* "7 exercises, 2 of them passed: `exercise 1.1` ..." */
/* "Exercise 1.3 practises this: exercise 1.3". False: the lesson at hand has no such exercise. */
bool exercise_offer_of(struct app *app, int number, char *out, size_t size);
void exercise_offer(const lesson *l, exercise_score score, char *out, size_t size);

/* The path of the student's file, to be freed. NULL after the one warning when no place for it is
 * usable. */
char *exercise_path(struct app *app, const exercise *x);
/* The same as a person would write it: "~/.local/share/warpstep/...". */
const char *exercise_shown(const char *path, char *out, size_t size);
/* Write the starter there unless a file exists. *made: it was written. 0, or an exit status after a
 * message. */
int exercise_place(struct app *app, const exercise *x, const char *path, bool *made);
/* Read a regular file of moderate size. Anybody may have put it there, so links are not followed
 * and nothing blocks. 0 or errno. */
int exercise_file(const char *path, size_t most, char **text, size_t *bytes);
const char *exercise_file_error(int why); /* what that errno means: "it is a link" */
/* A file of the exercise's own folder ("solution.cu"), to be freed. */
int exercise_own_file(struct app *app, const exercise *x, const char *stem, char **text, size_t *bytes);

/* The heading of everything that is printed about it. */
void exercise_heading(doc *d, const exercise *x, const char *device);

/* `explain` and `ladder` for an exercise, current or named (exercise_commands.c). False: it is about a
 * step, or a lesson. */
bool exercise_explain(struct app *app, int argc, char **argv, int *status);
bool exercise_ladder(struct app *app, int argc, char **argv, int *status);

#endif
