/* grade_own.h: what the files of `grade` (grade*.c) share; nobody else includes it.
 *
 * A job is one answer of one student. What is known of it is one line of fields, from its worker or
 * from the journal.
 */
#ifndef GRADE_OWN_H
#define GRADE_OWN_H

#include "shell/digest.h"
#include "session/exercise_files.h"
#include "judge/judge.h"
#include "shell/words.h"

enum { MOST_EXERCISES = 200, MOST_WORKERS = 64, LINE_MOST = 2000, FIELDS = 9 };

typedef struct grade_exercise {
    exercise *x;
    char id[32], name[120]; /* "1.2", and how its answers are called: "1.2-tail.cu" */
    char *ours[3];          /* our starter, solution and other answer; owned */
    size_t ours_bytes[3];
    uint64_t seed; /* of this class's inputs */
    judge_standard standard;
    bool wanted;
} grade_exercise;
enum { OUR_STARTER, OUR_SOLUTION, OUR_OTHER };
extern const char *const grade_our_files[3]; /* "starter", "solution", "other" */

/* One line: what is known of an answer. Fields are text, ready for CSV. */
enum { F_VERDICT, F_REASON, F_SCORE, F_CYCLES, F_METRIC, F_MEASURED, F_GOAL, F_COMPILER, F_MESSAGE };
extern const char *const grade_field_names[FIELDS];

typedef struct grade_job {
    const char *student, *shown; /* the folder's name; what stands for it in the results */
    char alias[24];
    grade_exercise *e;
    char *file;   /* within the student's folder; NULL when nothing was handed in */
    char *path;   /* that file */
    char key[72]; /* of answer, exercise, inputs, compiler and program; "" when the file cannot be read */
    char *line;   /* fields separated by tabs; NULL: not known yet */
    char *field[FIELDS];
    unsigned char text[DIGEST_BYTES]; /* of what the compiler makes of it, whatever its names: grade_same.c */
    bool own_text;                    /* it differs enough from the starter to be compared */
    char *same;                       /* "solution.cu, bob": who has the same text; NULL: nobody */
} grade_job;

/* a file that is no answer, or not the one that was taken */
typedef struct grade_left {
    const char *student; /* NULL: it lies beside the students' folders */
    char *file, *why;
} grade_left;

typedef struct grading {
    struct app *app;
    const char *dir, *out; /* out: where the results go */
    const char *word;      /* names are hidden behind it; NULL: they are not */
    int part, parts;       /* every parts-th student, from the part-th; 0: all */
    bool anew;
    grade_exercise exercise[MOST_EXERCISES];
    int exercises;
    struct words students; /* of all parts */
    grade_job *job;
    int jobs;
    int judged_students; /* of this part */
    grade_left *left;
    int lefts, left_room;
    char compiler[160];
    uint64_t seed;                      /* of the class */
    unsigned char secret[DIGEST_BYTES]; /* of the class, where names are hidden */
    int journal;                        /* descriptor, -1: none */
} grading;

/* grade_class.c: the seed that all inputs of this class are drawn from, and the secret that hides
 * its names: made once, and kept in a file of the class's folder. 0, or an exit status after a
 * message. */
int grade_class(grading *g);
/* The seed of an exercise's inputs, for the first, second ... try. */
uint64_t grade_exercise_seed(const grading *g, const grade_exercise *e, int attempt);

/* grade_files.c: which file is whose answer to what. */
int grade_find(grading *g, bool named);

/* grade_work.c: judge what is not known yet, many at once. */
int grade_work(grading *g, grade_job *job, int jobs);
/* Cut a line into the job's fields, which then own it. False when it is not one. */
bool grade_set_line(grade_job *j, char *line);
void grade_clean(char *text); /* control characters become blanks */

/* grade_journal.c: what was judged before. */
void grade_recall(grading *g);                                /* open the journal */
void grade_recall_jobs(grading *g, grade_job *job, int jobs); /* give these what it knows of them */
void grade_make_key(const grading *g, grade_job *j, const char *text, size_t bytes);
void grade_remember(const grading *g, const grade_job *j, const char *line);

/* grade_same.c: answers that differ from the starter and are alike but for names, comments and the
 * spelling of numbers. */
void grade_read_text(grade_job *j, const char *text, size_t bytes);
int grade_compare(grading *g);

/* grade_report.c */
void grade_hide_names(grading *g);
int grade_report(grading *g);

#endif
