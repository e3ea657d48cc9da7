/* exercise_files.h: which exercise is at hand, the student's own files, and what the journal
 * knows of each exercise.
 *
 * A student's answers are plain files in one folder, exercises/ under his data folder, named after
 * their exercise: 1.2-guard.cu. They are his: nothing here ever writes over one. `reset` moves the
 * old file aside first.
 */
#ifndef EXERCISE_SESSION_H
#define EXERCISE_SESSION_H

#include "course/exercise.h"
#include "shell/document.h"

struct exercise_state {
    exercise *x;  /* owned; the last one spoken of, or NULL */
    bool at_hand; /* and more recently than a step of its lesson */
    char where[120], footer[120];
};

/* "1.2", "1.guard", "2" or "guard" (of the lesson at hand); NULL: the one at hand, else the one of
 * last time. The exercise stays ours, until the next is asked for. */
int exercise_session(struct app *app, const char *name, const exercise **x);
/* The lesson at hand, or that of the last exercise. 0, or an exit status after a message. */
int exercise_lesson(struct app *app);
/* Enter it: what the prompt shows, and where a later session goes on. */
void exercise_enter(struct app *app, const exercise *x);
void exercise_leave(struct app *app); /* a step is at hand again */
bool exercise_at_hand(struct app *app);
void exercise_close(struct app *app);
const char *exercise_id(const exercise *x, char *out, size_t size); /* "1.2" */
/* The number after this one in its lesson; 0: it is the last. */
int exercise_next(struct app *app, const exercise *x);

/* What the journal knows. */
typedef struct exercise_record {
    int checks;                     /* how often it was checked */
    int hints;                      /* shown so far */
    bool passed, skipped, solution; /* solution: shown */
    char last[40];                  /* reason of the last check, "" none */
} exercise_record;
void exercise_recall(struct app *app, const char *id, exercise_record *out);

/* Of a lesson: its exercises, and how many of them were passed. */
typedef struct exercise_score {
    int count, passed, first; /* first: the lowest number; 0: there is none */
} exercise_score;
exercise_score exercise_score_of(struct app *app, const lesson *l);
/* "7 exercises, 2 of them passed: `exercise 1.1` ..." */
void exercise_offer(const lesson *l, exercise_score score, char *out, size_t size);

/* The student's file. The path, to be freed; NULL after the one warning when there is no place for
 * it. */
char *exercise_path(struct app *app, const exercise *x);
/* The same as a person would write it: "~/.local/share/warpstep/...". */
const char *exercise_shown(const char *path, char *out, size_t size);
/* Put the starter there unless a file is there already. *made says which. 0, or an exit status
 * after a message. */
int exercise_place(struct app *app, const exercise *x, const char *path, bool *made);
/* A plain file of moderate size, whoever may have put it there: no link is followed, nothing waits.
 * 0 or errno. */
int exercise_file(const char *path, size_t most, char **text, size_t *bytes);
const char *exercise_file_error(int why); /* what its errno means: "it is a link" */
/* A file of the exercise's own folder ("solution.cu"), to be freed. */
int exercise_own_file(struct app *app, const exercise *x, const char *stem, char **text, size_t *bytes);

/* Its line on top of what is said of it. */
void exercise_heading(doc *d, const exercise *x, const char *device);

/* `explain` with an exercise at hand or named (exercise_commands.c). False: it is about a step. */
bool exercise_explain(struct app *app, int argc, char **argv, int *status);

#endif
