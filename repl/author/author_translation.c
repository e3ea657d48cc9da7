/* author_translation.c: the translations' part of check-lessons; see author.h. */
#include "author.h"
#include "course/translation.h"
#include "shell/language.h"

typedef struct report {
    translated *t;
    enum app_language language;
} report;

static void put_report(void *arg, const char *file, int line, const char *text)
{
    const report *r = arg;
    r->t->of[r->language].behind++;
    doc_data(r->t->d, language_now() == r->language ? "problem" : "behind", "file %s, line %d, message %s", file, line,
             text);
    doc_line(r->t->d, "%s:%d: %s", file, line, text);
}

void translated_check(translated *t, lesson *l, struct exercise *x, const char *path)
{
    for (int i = LANGUAGE_FIRST; i < LANGUAGES; i++) {
        int all = 0, texts = 0;
        report r = {t, (enum app_language)i};
        if (!translation_check(l, x, path, r.language, put_report, &r, &all, &texts)) continue;
        t->of[i].files++;
        t->of[i].all += all;
        t->of[i].texts += texts;
    }
}

int translated_sum(const translated *t)
{
    for (int i = LANGUAGE_FIRST; i < LANGUAGES; i++)
        if (t->of[i].files)
            doc_line(t->d, "%s: %d of %d texts in %d files%s", language_names[i], t->of[i].texts, t->of[i].all,
                     t->of[i].files, t->of[i].behind ? "; what is behind is shown in English" : "");
    return language_now() == LANGUAGE_EN ? 0 : t->of[language_now()].behind;
}
