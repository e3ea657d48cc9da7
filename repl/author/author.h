/* author.h: commands for authors of lessons and cards. */
#ifndef AUTHOR_H
#define AUTHOR_H

#include "course/lesson.h"
#include "shell/document.h"

/* fidelity.c */
int fidelity_run(struct app *app, int argc, char **argv);
/* A sentence on the known error of a simulated card. False: nothing is known. */
bool fidelity_known(const char *card, char *out, size_t size);

/* lesson_author.c */
int lesson_check_run(struct app *app, int argc, char **argv);

/* new_lesson.c: `new-lesson` */
int new_lesson_run(struct app *app, int argc, char **argv);

/* figures.c */
int figures_run(struct app *app, int argc, char **argv);
/* Is every figure of figures.txt that belongs to the current lesson in its step, and in
 * REFERENCE.md? Calls `complain` for each that is not; returns their number. */
int figures_check(struct app *app, void (*complain)(void *arg, const char *file, int line, const char *text),
                  void *arg);

/* author_translation.c: translations that check-lessons has seen: files, their texts, those of the
 * English files, and what does not agree. */
typedef struct translated {
    doc *d;
    struct {
        int files, texts, all, behind;
    } of[LANGUAGES];
} translated;
/* Checks the translations beside `path`. What is behind is shown in English, so it is reported, and is a
 * problem only when that language is spoken: whoever changes an English text need not know others. */
struct exercise;
void translated_check(translated *t, lesson *l, struct exercise *x, const char *path);
/* The line on all of them. Returns the problems. */
int translated_sum(const translated *t);

/* exercise_author.c: checks the exercises of a lesson against their own claims. The starter and the
 * wrong answers fail for their stated reason, the solution and other.cu pass, every file is used.
 * Reports each problem and returns their number. */
int exercise_author(doc *d, const lesson *l, int *exercises, translated *words);

/* truth.c: a paragraph of a text whose words compare two numbers (a view_context.paragraph). */
struct view_context;
typedef struct truth {
    int judged; /* comparisons so far */
    void (*complain)(void *arg, const char *text);
    void *arg;
} truth;
void truth_paragraph(void *truth, struct view_context *c, const char *text);

#endif
