/* session_lessons.c: which lessons there are: those that came with the program, and the author's own. */
#include "session.h"
#include "shell/words.h"
#include <string.h>

static int cannot_read(struct app *app, const char *dir, int failure)
{
    return app_fail(app, EXIT_USAGE, "doctor", "the lessons in %s cannot be read: %s", dir, strerror(failure));
}

static int none_there(struct app *app, const char *dir)
{
    return app_fail(app, EXIT_USAGE, "new-lesson NAME",
                    "there is no lesson in %s (a lesson is a folder NN-name with a lesson.txt)", dir);
}

int session_lessons(struct app *app)
{
    struct lesson_state *st = session_state(app);
    char dir[2048];
    if (!st) return EXIT_INTERNAL;
    if (st->found) return 0;
    lesson_list_free(&st->list);
    if (!app->lessons_only) {
        int failure = lesson_find(&st->list, app_lessons_dir(app, dir, sizeof dir));
        if (failure) return cannot_read(app, dir, failure);
        if (!st->list.count) return none_there(app, dir);
    }
    for (int i = 0; i < app->lessons_dirs.count; i++) {
        lesson_list own;
        const char *from = app->lessons_dirs.v[i];
        int failure = lesson_find(&own, from);
        const bool none = !own.count;
        if (!failure && !none) failure = lesson_list_add(&st->list, &own);
        lesson_list_free(&own);
        if (failure) return cannot_read(app, from, failure);
        if (none) return none_there(app, from);
    }
    st->found = true;
    return 0;
}

const char *session_own_place(const lesson_entry *e, char *out, size_t size)
{
    const size_t tail = strlen("/lesson.txt");
    snprintf(out, size, "from %.*s%s%s", (int)(strlen(e->path) - tail), e->path, e->took[0] ? ", in the place of " : "",
             e->took);
    return out;
}

void session_say_own(struct app *app)
{
    doc d = doc_open(app);
    if (session_lessons(app)) return;
    for (int i = 0; i < app->lesson->list.count; i++) {
        const lesson_entry *e = &app->lesson->list.entry[i];
        char place[1200];
        if (e->own) doc_say(&d, 0, "Lesson %d is %s.", e->number, session_own_place(e, place, sizeof place));
    }
}
