/* author_translation.c: the translations' part of check-lessons; see author.h. */
#include "author.h"
#include "course/translation.h"
#include "shell/language.h"

static void report(void *arg, const char *file, int line, const char *text)
{
    translated *t = arg;
    t->behind++;
    doc_data(t->d, language_now() == LANGUAGE_EN ? "behind" : "problem", "file %s, line %d, message %s", file, line,
             text);
    doc_line(t->d, "%s:%d: %s", file, line, text);
}

void translated_check(translated *t, lesson *l, struct exercise *x, const char *path)
{
    int all = 0, texts = 0;
    if (!translation_check(l, x, path, report, t, &all, &texts)) return;
    t->files++;
    t->all += all;
    t->texts += texts;
}

int translated_sum(const translated *t)
{
    if (t->files)
        doc_line(t->d, "Chinese: %d of %d texts in %d files%s", t->texts, t->all, t->files,
                 t->behind ? "; what is behind is shown in English" : "");
    return language_now() == LANGUAGE_EN ? 0 : t->behind;
}
