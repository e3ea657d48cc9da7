/* exercise_files.c: finding an exercise by its name, its entries in the journal, and the student's
 * files; see exercise_files.h. */
#include "exercise_files.h"
#include "shell/format.h"
#include "shell/language.h"
#include "judge/judge.h"
#include "session.h"
#include "session_last.h"
#include "shell/progress.h"
#include "shell/words.h"
#include "shell/plain_file.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *exercise_id(const exercise *x, char *out, size_t size)
{
    snprintf(out, size, "%d.%d", x->lesson_number, x->number);
    return out;
}

bool exercise_named(const char *word)
{
    const size_t n = strspn(word, "0123456789"), rest = strspn(word + n + (word[n] == '.'), "0123456789");
    return n && word[n] == '.' && rest && !word[n + 1 + rest];
}

static bool last_place(void *arg, const struct state_event *e)
{
    if (!strcmp(e->verb, "exercise") || !strcmp(e->verb, "at")) *(bool *)arg = e->verb[0] == 'e';
    return true;
}

/* At the start of a session the journal says which exercise came last. */
static struct exercise_state *state_of(struct app *app)
{
    if (!app->exercise && (app->exercise = calloc(1, sizeof *app->exercise)))
        state_each(app, last_place, &app->exercise->at_hand);
    return app->exercise;
}

bool exercise_at_hand(struct app *app)
{
    const struct exercise_state *s = state_of(app);
    return s && s->at_hand;
}

void exercise_leave(struct app *app)
{
    struct exercise_state *s = state_of(app); /* or what it says would be the journal's, when somebody asks */
    if (s) s->at_hand = false;
}

void exercise_close(struct app *app)
{
    if (app->exercise) exercise_free(app->exercise->x);
    free(app->exercise);
    app->exercise = NULL;
}

void exercise_enter(struct app *app, const exercise *x)
{
    char id[32];
    app->exercise->at_hand = true;
    session_last_set(app, LAST_ANSWER);
    state_record(app, "exercise", exercise_id(x, id, sizeof id), NULL);
}

/* ---- finding ---- */

static bool last_exercise(void *arg, const struct state_event *e)
{
    if (!strcmp(e->verb, "exercise")) snprintf(arg, 64, "%s", e->step);
    return true;
}

int exercise_lesson(struct app *app)
{
    char last[64] = "";
    if ((!app->lesson || !app->lesson->l) && exercise_at_hand(app)) state_each(app, last_exercise, last);
    last[strcspn(last, ".")] = 0;
    int status = last[0] ? session_lesson(app, last) : session_here(app);
    if (!status) session_recall(app);
    return status;
}

static int unknown(struct app *app, const lesson *l, const exercise_list *list, const char *name)
{
    struct words all = {0};
    for (int i = 0; i < list->count; i++) words_add(&all, strchr(list->entry[i].folder, '-') + 1);
    const char *near = app_nearest(name, &all);
    char next[120];
    snprintf(next, sizeof next, near ? "exercise %d.%.60s" : "exercise", l->number, near);
    const exercise *here = exercise_at_hand(app) ? app->exercise->x : NULL;
    int status = !list->count ? app_fail(app, EXIT_USAGE, "lessons", "lesson %d has no exercises", l->number)
                 : here && here->kind->form->number /* the word may have been meant as an answer */
                     ? app_fail(app, EXIT_USAGE, near ? next : "hint",
                                "\"%s\" is neither an answer (a whole number, 0 or more) nor an exercise of lesson %d",
                                name, l->number)
                     : app_fail(app, EXIT_USAGE, next, "lesson %d has no exercise \"%s\"", l->number, name);
    words_free(&all);
    return status;
}

static int read_exercise(struct app *app, const lesson *l, const exercise_entry *entry)
{
    lesson_error err;
    exercise *x;
    if (exercise_read(&x, l, entry, &err)) {
        int status = app_fail(app, EXIT_USAGE, NULL, "%s:%d:%d: %s", err.file, err.line, err.column, err.message);
        if (!app->json) lesson_error_caret(app->err, &err);
        return status;
    }
    exercise_free(app->exercise->x);
    app->exercise->x = x;
    return 0;
}

int exercise_session(struct app *app, const char *name, const exercise **x)
{
    char last[64] = "", lesson_name[64];
    *x = NULL;
    if (!state_of(app)) return app_no_memory(app);
    if (!name && app->exercise->x) {
        *x = app->exercise->x;
        return 0;
    }
    if (!name) {
        state_each(app, last_exercise, last);
        if (!last[0]) return app_fail(app, EXIT_USAGE, "exercise", "no exercise has been chosen yet");
        name = last;
    }
    const char *dot = strchr(name, '.'), *part = dot ? dot + 1 : name;
    snprintf(lesson_name, sizeof lesson_name, "%.*s", dot ? (int)(dot - name < 60 ? dot - name : 60) : 0, name);
    int status = dot ? session_lesson(app, lesson_name) : exercise_lesson(app);
    if (status) return status;
    session_recall(app);
    const lesson *l = app->lesson->l;
    exercise_list list;
    exercise_find(&list, l);
    char *end;
    long number = strtol(part, &end, 10);
    bool numbered = *part && !*end;
    const exercise_entry *found = NULL;
    int fits = 0;
    for (int i = 0; i < list.count; i++) {
        const char *own = strchr(list.entry[i].folder, '-') + 1;
        if (numbered ? list.entry[i].number != number : strncmp(own, part, strlen(part)) != 0) continue;
        if (!numbered && strcmp(own, part) == 0) fits = 0;
        found = &list.entry[i];
        fits++;
        if (!numbered && strcmp(own, part) == 0) break;
    }
    if (fits != 1 || !*part) return unknown(app, l, &list, part);
    status = read_exercise(app, l, found);
    *x = status ? NULL : app->exercise->x;
    return status;
}

int exercise_next(struct app *app, const exercise *x)
{
    exercise_list list;
    if (!app->lesson || !app->lesson->l || app->lesson->l->number != x->lesson_number) return 0;
    exercise_find(&list, app->lesson->l);
    for (int i = 0; i < list.count; i++)
        if (list.entry[i].number > x->number) return list.entry[i].number;
    return 0;
}

/* ---- the journal ---- */

struct recall {
    const char *id;
    exercise_record *out;
};

static bool recall_event(void *arg, const struct state_event *e)
{
    struct recall *k = arg;
    exercise_record *r = k->out;
    if (strcmp(e->step, k->id)) return true;
    if (!strcmp(e->verb, "check")) {
        const char *result = state_value(e, "result");
        r->checks++;
        snprintf(r->last, sizeof r->last, "%s", result ? result : "");
        r->passed = r->passed || !strcmp(r->last, "pass");
        const char *value = state_value(e, "value");
        if (value && (!r->has_best || atof(value) < r->best)) r->best = atof(value);
        r->has_best = r->has_best || value;
    } else if (!strcmp(e->verb, "hint")) {
        const char *stage = state_value(e, "stage");
        int n = stage ? atoi(stage) : 0;
        r->hints = n > r->hints && n <= EXERCISE_HINTS ? n : r->hints;
    } else if (!strcmp(e->verb, "solution")) {
        r->solution = true;
    } else if (!strcmp(e->verb, "skip")) {
        r->skipped = true;
    }
    return true;
}

void exercise_recall(struct app *app, const char *id, exercise_record *out)
{
    memset(out, 0, sizeof *out);
    struct recall k = {id, out};
    state_each(app, recall_event, &k);
}

struct passes {
    const lesson *l;
    const exercise_list *list;
    bool passed[EXERCISES];
};

static bool note_pass(void *arg, const struct state_event *e)
{
    struct passes *p = arg;
    const char *result = state_value(e, "result");
    if (strcmp(e->verb, "check") || !result || strcmp(result, "pass")) return true;
    for (int i = 0; i < p->list->count; i++) {
        char id[32];
        snprintf(id, sizeof id, "%d.%d", p->l->number, p->list->entry[i].number);
        p->passed[i] = p->passed[i] || !strcmp(e->step, id);
    }
    return true;
}

exercise_score exercise_score_of(struct app *app, const lesson *l)
{
    exercise_list list;
    exercise_find(&list, l);
    struct passes p = {.l = l, .list = &list};
    exercise_score score = {.count = list.count, .first = list.count ? list.entry[0].number : 0};
    if (list.count) state_each(app, note_pass, &p);
    for (int i = 0; i < list.count; i++) score.passed += p.passed[i];
    return score;
}

void exercise_offer(const lesson *l, exercise_score score, char *out, size_t size)
{
    char count[40], passed[40] = "";
    format_plural(count, sizeof count, (uint64_t)score.count, "exercise");
    if (score.passed) snprintf(passed, sizeof passed, TR(", %d passed"), score.passed);
    snprintf(out, size, TR("%s%s: `exercise %d.%d` puts the first into a file of yours, `exercise` lists them."), count,
             passed, l->number, score.first);
}

bool exercise_offer_of(struct app *app, int number, char *out, size_t size)
{
    const lesson *l = app->lesson->l;
    exercise_list list;
    exercise_record r;
    char id[32];
    bool found = false;
    exercise_find(&list, l);
    for (int i = 0; i < list.count; i++) found = found || list.entry[i].number == number;
    if (!found) return false;
    snprintf(id, sizeof id, "%d.%d", l->number, number);
    exercise_recall(app, id, &r);
    snprintf(out, size, TR("Exercise %s practises this%s: exercise %s"), id, r.passed ? TR(" (passed)") : "", id);
    return true;
}

/* ---- files ---- */

char *exercise_path(struct app *app, const exercise *x)
{
    char relative[160];
    snprintf(relative, sizeof relative, "exercises/%d.%s%s", x->lesson_number, x->folder, exercise_ending(x));
    return state_path(app, relative);
}

const char *exercise_shown(const char *path, char *out, size_t size)
{
    const char *home = getenv("HOME");
    size_t n = home ? strlen(home) : 0;
    bool below = n > 1 && !strncmp(path, home, n) && path[n] == '/';
    snprintf(out, size, "%s%s", below ? "~" : "", below ? path + n : path);
    return out;
}

int exercise_file(const char *path, size_t most, char **text, size_t *bytes)
{
    *text = NULL;
    *bytes = 0;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno;
    struct stat st;
    int why = fstat(fd, &st) ? errno : !S_ISREG(st.st_mode) ? EINVAL : st.st_size > (off_t)most ? EFBIG : 0;
    char *data = why ? NULL : malloc(most + 2);
    if (!why && !data) why = ENOMEM;
    for (size_t used = 0; !why;) {
        ssize_t n = read(fd, data + used, most + 1 - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) why = errno;
        used += n > 0 ? (size_t)n : 0;
        if (used > most) why = EFBIG;
        if (n <= 0) {
            data[used] = 0;
            *bytes = used;
            break;
        }
    }
    close(fd);
    if (why) {
        free(data);
        return why;
    }
    *text = data;
    return 0;
}

const char *exercise_file_error(int why)
{
    return why == EFBIG   ? TR("it is longer than an answer may be")
           : why == ELOOP ? TR("it is a link")
                          : plain_error(why);
}

int exercise_own_file(struct app *app, const exercise *x, const char *stem, char **text, size_t *bytes)
{
    char path[1400];
    snprintf(path, sizeof path, "%s/%s%s", x->dir, stem, exercise_ending(x));
    int why = file_read(path, JUDGE_SOURCE_MAX, text, bytes);
    return why ? app_fail(app, EXIT_INTERNAL, "doctor", "%s cannot be read: %s", path, plain_error(why)) : 0;
}

int exercise_place(struct app *app, const exercise *x, const char *path, bool *made)
{
    char *text;
    size_t bytes;
    *made = false;
    if (access(path, F_OK) == 0) return 0;
    int status = exercise_own_file(app, x, "starter", &text, &bytes);
    if (status) return status;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644); /* never over a file of the student's */
    int why = fd < 0 ? errno : 0;
    for (size_t at = 0; !why && at < bytes;) {
        ssize_t n = write(fd, text + at, bytes - at);
        if (n < 0 && errno != EINTR) why = errno;
        at += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0 && close(fd) && !why) why = errno;
    free(text);
    if (why == EEXIST) return 0;
    if (why) {
        if (fd >= 0) unlink(path); /* a partial starter that we have just written */
        return app_fail(app, EXIT_INTERNAL, "doctor", "%s cannot be written: %s", path, strerror(why));
    }
    *made = true;
    return 0;
}

void exercise_heading(doc *d, const exercise *x, const char *device)
{
    doc_head(d, device, "%d.%d  %s", x->lesson_number, x->number, x->l->title);
}
