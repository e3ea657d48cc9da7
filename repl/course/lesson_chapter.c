/* lesson_chapter.c: chapters: steps that belong together, from a line `chapter:` to the next. */
#include "lesson_load.h"
#include "metric_names.h"
#include <string.h>

/* chapter: NAME, WORDS. A command tells a chapter from a step and a metric by its name alone. */
bool load_chapter(cursor *c)
{
    lesson *l = c->s->l;
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "the chapter's name", true)) return false;
    if (l->chapter_count == LESSON_CHAPTERS)
        return load_fail(c, start, "expected at most %d chapters", LESSON_CHAPTERS);
    for (int i = 0; i < l->chapter_count; i++)
        if (!strcmp(l->chapter[i].name, name))
            return load_fail(c, start, "expected a new name: there is a chapter %s already", name);
    if (!strcmp(name, "next") || metric_named(name, strlen(name)) >= 0)
        return load_fail(c, start, "expected another name: %s is a %s", name,
                         strcmp(name, "next") ? "metric" : "command");
    if (l->chapter_count && l->chapter[l->chapter_count - 1].first == l->step_count)
        return load_fail(c, start, "expected a step: chapter %s above has none", l->chapter[l->chapter_count - 1].name);
    if (!load_char(c, ',')) return load_fail(c, NULL, "expected ',' and what the chapter is about");
    lesson_chapter *made = &l->chapter[l->chapter_count];
    if (!(made->title = load_rest(c, "what the chapter is about"))) return false;
    memcpy(made->name, name, sizeof name);
    made->first = l->step_count;
    made->line = c->line + 1;
    l->chapter_count++;
    c->s->step = NULL; /* the next key is of a new step */
    return true;
}

const lesson_chapter *lesson_chapter_named(const lesson *l, const char *name)
{
    const lesson_chapter *found = NULL;
    int count = 0;
    for (int i = 0; i < l->chapter_count; i++) {
        if (!strcmp(l->chapter[i].name, name)) return &l->chapter[i];
        if (strncmp(l->chapter[i].name, name, strlen(name))) continue;
        found = &l->chapter[i];
        count++;
    }
    return count == 1 ? found : NULL;
}

const lesson_chapter *lesson_chapter_of(const lesson *l, const lesson_step *s)
{
    int i = l->chapter_count;
    if (s < l->step || s >= l->step + l->step_count) return NULL; /* of a program, not of the lesson */
    while (i && l->step + l->chapter[i - 1].first > s) i--;
    return i ? &l->chapter[i - 1] : NULL;
}

int lesson_chapter_end(const lesson *l, const lesson_chapter *c)
{
    return c + 1 < l->chapter + l->chapter_count ? c[1].first : l->step_count;
}
