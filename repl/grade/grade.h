/* grade.h: a class is graded: what commands/grade.c calls, and what the files of grade/ share.
 *
 * A job is one answer of one student. Its result is a line of fields, from its worker or from the
 * journal. */
#ifndef GRADE_H
#define GRADE_H

#include "shell/digest.h"
#include "session/exercise_files.h"
#include "judge/judge.h"
#include "shell/words.h"

enum { MOST_EXERCISES = 200, MOST_WORKERS = 64, LINE_MOST = 2000, FIELDS = 9 };

typedef struct grade_exercise {
    exercise *x;
    char id[32], name[120]; /* "1.2", and the name of its answers: "1.2-tail.cu" */
    char *ours[3];          /* our starter, solution and other answer; owned */
    size_t ours_bytes[3];
    uint64_t seed; /* of the inputs for this class */
    judge_standard standard;
    bool wanted;
} grade_exercise;
enum { OUR_STARTER, OUR_SOLUTION, OUR_OTHER };
extern const char *const grade_our_files[3]; /* "starter", "solution", "other" */

/* The fields of a result, as text for CSV. */
enum { F_VERDICT, F_REASON, F_SCORE, F_CYCLES, F_METRIC, F_MEASURED, F_GOAL, F_COMPILER, F_MESSAGE };
extern const char *const grade_field_names[FIELDS];

typedef struct grade_job {
    const char *student, *shown; /* the folder's name; the name in the results */
    char alias[24];
    grade_exercise *e;
    char *file;   /* within the student's folder; NULL when nothing was handed in */
    char *path;   /* path of that file */
    char key[72]; /* digest of answer, exercise, inputs, compiler and program; "" when the file is unreadable */
    char *line;   /* fields separated by tabs; NULL: not yet known */
    char *field[FIELDS];
    unsigned char text[DIGEST_BYTES]; /* digest of the text, whatever names it chose: grade_same.c */
    bool own_text;                    /* different enough from the starter to be compared */
    bool unchanged;                   /* the starter's text, but for names and comments */
    char *same;                       /* "solution.cu, bob": files and students with the same text; NULL: none */
} grade_job;

/* a file that is not an answer, or not the one that is used */
typedef struct grade_left {
    const char *student; /* NULL: it is outside the students' folders */
    char *file, *why;
} grade_left;

typedef struct grading {
    struct app *app;
    enum app_language asked; /* for the screen; all else is English */
    const char *dir, *out; /* out: the folder of the results */
    const char *word;      /* names are hidden with this word; NULL: not hidden */
    int part, parts;       /* students whose number modulo `parts` is `part`; parts 0: all students */
    bool anew;
    grade_exercise exercise[MOST_EXERCISES];
    int exercises;
    struct words students; /* of all parts */
    grade_job *job;
    int jobs;
    int judged_students; /* in this part */
    grade_left *left;
    int lefts;
    char compiler[160];
    uint64_t seed;                      /* of the class */
    unsigned char secret[DIGEST_BYTES]; /* of the class, for hiding names */
    int journal;                        /* descriptor, -1: none */
} grading;

/* grade_class.c: the seed of all inputs of this class, and the secret for hiding names. They are
 * drawn once, and kept in a file in the class's folder. 0, or an exit status after a message. */
int grade_class(grading *g);
/* The seed of an exercise's inputs in a given attempt. */
uint64_t grade_exercise_seed(const grading *g, const grade_exercise *e, int attempt);

/* grade_files.c: finds the students and their answers. */
int grade_find(grading *g, bool named);

/* grade_work.c: judge the jobs without a result, many at once. */
int grade_work(grading *g, grade_job *job, int jobs);
/* Split a line into the job's fields; the job then owns it. False when it is malformed. */
bool grade_set_line(grade_job *j, char *line);
/* Control characters become blanks; what else is hidden, as overrides of direction are, a question mark. */
void grade_clean(char *text);

/* grade_journal.c: earlier verdicts. */
void grade_recall(grading *g);                                /* open the journal */
void grade_recall_jobs(grading *g, grade_job *job, int jobs); /* fill in the results that it knows */
void grade_make_key(const grading *g, grade_job *j, const char *text, size_t bytes);
void grade_remember(const grading *g, const grade_job *j, const char *line);

/* grade_same.c: answers that differ from the starter, and are equal except for names, comments and
 * the spelling of numbers. */
void grade_read_text(grade_job *j, const char *text, size_t bytes);
int grade_compare(grading *g);

/* grade_report.c */
void grade_hide_names(grading *g);
int grade_report(grading *g);

#endif
