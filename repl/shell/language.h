/* language.h: which language the program speaks, and its own words in that language.
 *
 * languages.def lists the languages. A catalogue of each, as repl/words.zh.txt, is built in. It has,
 * for an English string of the program, the same in that language:
 *
 *     en: no command is called "%s"
 *     zh: 没有名为“%s”的命令
 *
 * Quotes around a whole string keep the blanks at its ends. A document (document.h) and app_fail
 * look up what they are given, so most calls are written in English and need nothing more. Where a
 * sentence is made of pieces, each piece is said by TR.
 * What the catalogue lacks is said in English. JSON is always in English. */
#ifndef LANGUAGE_H
#define LANGUAGE_H

#include "app.h"
#include "words.h"

#if defined(__GNUC__)
#define LANGUAGE_FORMAT __attribute__((format_arg(1)))
#else
#define LANGUAGE_FORMAT
#endif

/* The values that `set lang` takes, in the order of enum app_language: "auto", "en", "zh" ... */
extern const char *const language_codes[LANGUAGES];
/* "Chinese"; NULL for LANGUAGE_AUTO and LANGUAGE_EN. */
extern const char *const language_names[LANGUAGES];
/* The languages that there are translations for: for (l = LANGUAGE_FIRST; l < LANGUAGES; l++). */
enum { LANGUAGE_FIRST = LANGUAGE_EN + 1 };
/* "a, b or c" */
void language_either(const struct words *w, char *out, size_t size);
/* A line of help, with "en, zh" in the place of its %s: in the language spoken, or in English. */
const char *language_choices(const char *brief, bool english, char *out, size_t size);
/* Is `name` the file that translates `english`, as lesson.zh.txt does lesson.txt? */
bool language_file(const char *name, const char *english);

/* Speak as the options in force ask: English with --json, else the language that was chosen, else
 * that of the locale. Call it when options have changed. */
void language_take(const struct app *app);
/* What is spoken now; never LANGUAGE_AUTO. */
enum app_language language_now(void);
/* For a while: JSON that goes to a file. */
void language_speak(enum app_language language);
/* "zh" when that is spoken, NULL in English: the part of a file's name, glossary.zh.txt. */
const char *language_part(void);
/* The language of LC_ALL, LC_MESSAGES or LANG, the first that is set; other than English only in UTF-8. */
enum app_language language_of_locale(void);

/* The same in the language spoken now; `english` itself when there is no translation. */
const char *language_words(const char *english) LANGUAGE_FORMAT;
#define TR(english) language_words(english)

/* The same for a sentence that is already made: one that the simulator says about a fault. The
 * catalogue has patterns of them (`said:`), in which {1} to {9} stand for any text; what they stand for is
 * translated in the same way. Returns `out`, which holds `english` when no pattern fits. */
const char *language_said(const char *english, char *out, size_t size);
/* One pattern after the other, as language_entry. */
bool language_pattern(enum app_language language, size_t *at, char **english, char **other);

/* May `other` take the place of `english` as a format of printf? It must use the same arguments in
 * the same order, or say with %1$s which is which. */
bool language_fits(const char *english, const char *other);
/* One entry of a language's catalogue after the other: *at begins at 0. False: no more. Both are to
 * be freed. */
bool language_entry(enum app_language language, size_t *at, char **english, char **other);

#endif
