/* translation.h: the texts of a lesson or an exercise in another language: lesson.zh.txt beside
 * lesson.txt, exercise.zh.txt beside exercise.txt (zh: of shell/languages.def). lessons/README.md
 * describes the files.
 *
 * A translation has texts alone. Each is matched by its step, key and place: the second `look:` of
 * step v3. What is missing, or no longer agrees with the English text, is shown in English. */
#ifndef TRANSLATION_H
#define TRANSLATION_H

#include "exercise.h"
#include "shell/app.h"
#include "shell/language.h"

/* One text, in both languages. */
typedef struct lesson_wording {
    const char *step; /* "" before the first */
    const char *key;  /* "choice" */
    const char *name; /* of a setting, or of a wrong answer's file; "" */
    int nth;  /* of that key in the step, from 1; a choice counts from 8 times its question; 0: a copy of another */
    int line; /* of the English text */
    const char **at;             /* where the lesson has it */
    const char *english, *other[LANGUAGES]; /* other: NULL where there is none */
} lesson_wording;

/* Called with what is wrong with a line of a file. */
typedef void translation_complain(void *arg, const char *file, int line, const char *text);

/* Read the translations beside `path` that there are. `x` is NULL for a lesson. Then the lesson
 * speaks the language that is spoken now. */
void translation_read(lesson *l, exercise *x, const char *path);
/* Say all texts of a lesson in this language from now on. */
void lesson_speak(lesson *l, enum app_language language);
void translation_free(lesson *l);

/* For check-lessons: call `complain` for all that is wrong with this translation beside `path`, and
 * count its texts: all that the English file has, and those that are translated. False: there is no
 * such file. */
bool translation_check(lesson *l, exercise *x, const char *path, enum app_language language,
                       translation_complain *complain, void *arg, int *all, int *translated);
/* Does a translation say the same? The same paragraphs with the same {placeholders} and conditions,
 * and the same figures: "6.4 亿" is 640 million. False: *why says what differs. */
bool translation_agrees(const char *english, const char *other, char *why, size_t size);
/* The path of a translation of `path`: lesson.txt, lesson.zh.txt. */
void translation_path(const char *path, enum app_language language, char *out, size_t size);

#endif
