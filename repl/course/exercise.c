/* exercise.c: turns the text of an exercise.txt into an `exercise`. The lines, the cursor and
 * the keys that an exercise shares with a step belong to the lesson loader (lesson_load.h). The
 * exercise's own keys are here, with a function each, and the table that names them. Then: checks
 * across lines, finding exercises, and reading one. */
#include "shell/app.h"
#include "shell/plain_file.h"
#include "exercise.h"
#include "lesson_load.h"
#include "reference.h"
#include "metric_names.h"
#include "sim.h"
#include "step_values.h"
#include "translation.h"
#include "list.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- keys ---- */

static bool read_title(cursor *c)
{
    const char *title = load_rest(c, "the exercise's title");
    c->s->l->title = c->s->step->title = title;
    return title != NULL;
}

/* "write, bug ... or launch" */
static const char *kind_names(void)
{
    static char names[120];
    size_t n = 0;
    for (int i = 0; i < KINDS && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              !i              ? ""
                              : i + 1 < KINDS ? ", "
                                              : " or ",
                              exercise_kinds[i].name);
    return names;
}

static bool read_kind(cursor *c)
{
    for (int i = 0; i < KINDS; i++)
        if (load_word(c, exercise_kinds[i].name)) {
            c->s->exercise->kind = &exercise_kinds[i];
            return load_end(c);
        }
    return load_fail(c, NULL, "expected %s", kind_names());
}

static bool read_task(cursor *c)
{
    bool good = load_text(c, &c->s->exercise->task);
    c->s->step->idea = c->s->exercise->task;
    return good;
}

static bool read_hint(cursor *c)
{
    exercise *x = c->s->exercise;
    if (x->hints == EXERCISE_HINTS) return load_fail(c, NULL, "expected at most %d hints", EXERCISE_HINTS);
    return load_text(c, &x->hint[x->hints++]);
}

static bool no_names(void *arg, const char *name, size_t length, int64_t *value)
{
    (void)arg, (void)name, (void)length, (void)value;
    return false;
}

/* A number without names: 100003, 1Mi, 64 * 257. */
bool load_constant(cursor *c, int64_t *out)
{
    expr e;
    char why[120];
    load_blanks(c);
    char *start = c->p;
    if (!load_expr(c, &e)) return false;
    if (!expr_eval(&e, no_names, NULL, out, why, sizeof why)) return load_fail(c, start, "expected a number");
    return true;
}

static bool read_sizes(cursor *c)
{
    exercise *x = c->s->exercise;
    char name[LESSON_NAME + 1];
    if (x->sizes == EXERCISE_SIZES) return load_fail(c, NULL, "expected at most %d settings that vary", EXERCISE_SIZES);
    exercise_size *v = &x->size[x->sizes];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a setting's name", false)) return false;
    v->setting = lesson_setting_named(c->s->l, name, strlen(name));
    v->line = c->line + 1;
    if (v->setting < 0) return load_fail(c, start, "expected one of the settings above: there is no %s", name);
    for (int i = 0; i < x->sizes; i++)
        if (x->size[i].setting == v->setting) return load_fail(c, start, "expected sizes of %s only once", name);
    if (!load_char(c, '=')) return load_fail(c, NULL, "expected '=' and the values, separated by commas");
    do {
        if (v->count == EXERCISE_VALUES) return load_fail(c, NULL, "expected at most %d values", EXERCISE_VALUES);
        if (!load_constant(c, &v->value[v->count++])) return false;
    } while (load_char(c, ','));
    x->sizes++;
    return load_end(c);
}

/* drawn: SETTING = LEAST to MOST */
static bool read_drawn(cursor *c)
{
    exercise *x = c->s->exercise;
    char name[LESSON_NAME + 1];
    if (x->drawns == EXERCISE_SIZES)
        return load_fail(c, NULL, "expected at most %d settings that are drawn", EXERCISE_SIZES);
    exercise_drawn *d = &x->drawn[x->drawns];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a setting's name", false)) return false;
    d->setting = lesson_setting_named(c->s->l, name, strlen(name));
    d->line = c->line + 1;
    if (d->setting < 0) return load_fail(c, start, "expected one of the settings above: there is no %s", name);
    for (int i = 0; i < x->drawns; i++)
        if (x->drawn[i].setting == d->setting) return load_fail(c, start, "expected %s to be drawn only once", name);
    if (!load_char(c, '=')) return load_fail(c, NULL, "expected '=' and LEAST to MOST");
    if (!load_constant(c, &d->least)) return false;
    if (!load_word(c, "to")) return load_fail(c, NULL, "expected 'to' and the most that is drawn");
    if (!load_constant(c, &d->most)) return false;
    if (d->least > d->most) return load_fail(c, start, "expected the least first, and then the most");
    x->drawns++;
    return load_end(c);
}

static bool read_fills(cursor *c)
{
    exercise *x = c->s->exercise;
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a buffer's name", false)) return false;
    int buffer = step_buffer_named(c->s->step, name, strlen(name));
    if (buffer < 0) return load_fail(c, start, "expected one of the buffers above: there is no %s", name);
    if (!load_char(c, '=')) return load_fail(c, NULL, "expected '=' and fills, separated by commas");
    bool more;
    do {
        if (x->fills == EXERCISE_FILLS) return load_fail(c, NULL, "expected at most %d fills", EXERCISE_FILLS);
        exercise_fill *f = &x->fill[x->fills++];
        f->as = c->s->step->buffer[buffer];
        f->as.parameter.count = 0;
        f->buffer = buffer;
        load_blanks(c);
        char *from = c->p;
        if (!load_fill(c, &f->as)) return false;
        char *end = c->p;
        more = load_char(c, ',');
        if (!more && !load_end(c)) return false;
        f->shown = from;
        if (f->as.fill == FILL_NONE) return load_fail(c, from, "expected a fill that writes the buffer");
        *end = 0; /* the comma or the line's end has been read already */
    } while (more);
    return true;
}

/* P% of solution. False without a report: something else follows. */
static bool of_solution(cursor *c, exercise_goal *g)
{
    char *start = c->p;
    g->relative = strchr(start, '%') && sscanf(start, " %lf", &g->percent) == 1 && load_number(c, &g->percent, "") &&
                  load_char(c, '%') && load_word(c, "of") && load_word(c, "solution");
    if (!g->relative) c->p = start;
    return g->relative;
}

/* METRIC <= VALUE[, why] | METRIC >= VALUE | METRIC within P% of solution | METRIC >= P% of solution */
static bool read_goal(cursor *c)
{
    exercise *x = c->s->exercise;
    char name[LESSON_NAME + 1];
    if (x->goals == EXERCISE_GOALS) return load_fail(c, NULL, "expected at most %d goals", EXERCISE_GOALS);
    exercise_goal *g = &x->goal[x->goals++];
    g->line = c->line + 1;
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a metric (cycles, transactions ...)", false)) return false;
    if ((g->metric = metric_named(name, strlen(name))) < 0)
        return load_fail(c, start, "expected a metric (cycles, transactions ...): there is no %s", name);
    if (load_word(c, "within")) {
        if (!of_solution(c, g) || g->percent < 0 || g->percent > 100)
            return load_fail(c, NULL, "expected a percentage, then 'of solution'");
        g->percent += 100;
    } else {
        g->at_least = load_word(c, ">=");
        if (!g->at_least && !load_word(c, "<="))
            return load_fail(c, NULL, "expected '<=' or '>=' and a value, or 'within 5%% of solution'");
        if (g->at_least && of_solution(c, g)) {
            if (g->percent <= 0 || g->percent > 100) return load_fail(c, start, "expected at most 100 %% of solution");
        } else if (!load_expr(c, &g->bound)) return false;
    }
    return load_char(c, ',') ? (g->why = load_rest(c, "what the goal means")) != NULL : load_end(c);
}

/* choose: SETTING, SETTING ... */
static bool read_choose(cursor *c)
{
    exercise *x = c->s->exercise;
    do {
        char name[LESSON_NAME + 1];
        load_blanks(c);
        char *start = c->p;
        if (!load_name(c, name, "a setting's name", false)) return false;
        const int setting = lesson_setting_named(c->s->l, name, strlen(name));
        if (setting < 0) return load_fail(c, start, "expected one of the settings above: there is no %s", name);
        if (x->chooses == EXERCISE_SIZES) return load_fail(c, start, "expected at most %d settings", EXERCISE_SIZES);
        x->choose[x->chooses++] = setting;
    } while (load_char(c, ','));
    return load_end(c);
}

/* on: CARD, CARD ... */
static bool read_on(cursor *c)
{
    exercise *x = c->s->exercise;
    do {
        if (x->ons == EXERCISE_CARDS - 1)
            return load_fail(c, NULL, "expected at most %d cards besides its own", EXERCISE_CARDS - 1);
        load_blanks(c);
        if (!load_name(c, x->on[x->ons++], "a simulated card's name", true)) return false;
    } while (load_char(c, ','));
    return load_end(c);
}

/* A reason for which an answer fails. */
static bool load_reason(cursor *c, int *out)
{
    static const int ours[] = {REASON_REJECTED, REASON_WRONG,  REASON_SHORT,
                               REASON_CRASH,    REASON_STATUS, REASON_UNCHECKED};
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "the reason that it must fail by (wrong, race, out-of-bounds, short ...)", true))
        return false;
    *out = reason_called(name);
    bool fails = *out >= REASON_FAULT;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) fails = fails || *out == ours[i];
    return fails || load_fail(c, start,
                              "expected rejected, wrong, short or a fault (race, out-of-bounds, uninitialised, "
                              "barrier-divergence, deadlock, endless ...)");
}

/* REASON [or REASON][, explanation] */
static bool read_reason(cursor *c, exercise_answer *a)
{
    a->line = c->line + 1;
    if (!load_reason(c, &a->reason) || (load_word(c, "or") && !load_reason(c, &a->or_reason))) return false;
    if (load_char(c, ',')) return (a->words = load_rest(c, "what is wrong with it")) != NULL;
    return load_end(c);
}

static bool read_starter(cursor *c) { return read_reason(c, &c->s->exercise->starter); }

static bool read_wrong(cursor *c)
{
    exercise *x = c->s->exercise;
    if (x->wrongs == EXERCISE_WRONGS) return load_fail(c, NULL, "expected at most %d wrong answers", EXERCISE_WRONGS);
    exercise_answer *a = &x->wrong[x->wrongs++];
    load_blanks(c);
    char *start = c->p;
    while (c->p < c->end && (isalnum((unsigned char)*c->p) || *c->p == '-' || *c->p == '.')) c->p++;
    size_t length = (size_t)(c->p - start);
    if (length >= sizeof a->file || length < 7 || memcmp(start, "wrong-", 6))
        return load_fail(c, start, "expected a file wrong-NAME.cu (or .txt) of this folder");
    memcpy(a->file, start, length);
    for (const exercise_answer *b = x->wrong; b < a; b++)
        if (!strcmp(b->file, a->file)) return load_fail(c, start, "expected %s only once", a->file);
    return read_reason(c, a);
}

static bool read_budget(cursor *c)
{
    exercise *x = c->s->exercise;
    return load_constant(c, &x->budget) &&
           (x->budget > 0 || load_fail(c, NULL, "expected at least one warp instruction")) && load_end(c);
}

const lesson_key exercise_keys[] = {
    {"title", KEY_EXERCISE, false, false, read_title, "the exercise's title"},
    {"kind", KEY_EXERCISE, false, false, read_kind,
     "write, bug, faster, minimise, predict, timeline, launch or program"},
    {"task", KEY_EXERCISE, false, true, read_task, "text"},
    {"hint", KEY_EXERCISE, true, true, read_hint, "text"},
    {"sizes", KEY_EXERCISE, true, false, read_sizes, "SETTING = VALUE, VALUE ..."},
    {"drawn", KEY_EXERCISE, true, false, read_drawn, "SETTING = LEAST to MOST"},
    {"fills", KEY_EXERCISE, true, false, read_fills, "BUFFER = FILL, FILL ..."},
    {"goal", KEY_EXERCISE, true, false, read_goal,
     "METRIC <= VALUE, METRIC within P% of solution, or METRIC >= P% of solution"},
    {"choose", KEY_EXERCISE, false, false, read_choose, "SETTING, SETTING ..."},
    {"on", KEY_EXERCISE, false, false, read_on, "CARD, CARD ..."},
    {"prints", KEY_EXERCISE, true, false, exercise_read_prints, "a line, with {NUMBER} or {METRIC within P%}"},
    {"input", KEY_EXERCISE, false, false, exercise_read_input, "a line, with {NUMBER}"},
    {"fails", KEY_EXERCISE, true, false, exercise_read_fails, "SETTING = VALUE says WORDS"},
    {"budget", KEY_EXERCISE, false, false, read_budget, "warp instructions"},
    {"starter", KEY_EXERCISE, false, false, read_starter, "REASON [or REASON][, in words]"},
    {"wrong", KEY_EXERCISE, true, false, read_wrong, "FILE REASON [or REASON][, in words]"},
    {0},
};

/* ---- checks across lines ---- */

static bool goal_name(void *arg, const char *name, size_t length)
{
    const lesson *l = arg;
    static const char solution[] = "solution.";
    size_t n = sizeof solution - 1;
    if (lesson_setting_named(l, name, length) >= 0) return true;
    return length > n && !memcmp(name, solution, n) && metric_named(name + n, length - n) >= 0;
}

/* May a setting have this value, with the other settings as they are? */
static bool allowed(const lesson *l, int setting, int64_t value, char *why, size_t size)
{
    step_chosen chosen = {0};
    step_values values;
    chosen.set[setting] = true;
    chosen.value[setting] = value;
    return step_settings(l, NULL, &chosen, &values, why, size);
}

static bool check(const exercise *x, lesson_error *err)
{
    const lesson *l = x->l;
    char why[200];
#define FAIL(at, ...) return lesson_error_at(err, l, (at), __VA_ARGS__), false
    if (x->hints < EXERCISE_HINTS) FAIL(1, "expected three hints, each more direct than the one before");
    if (!x->s->explain.text) FAIL(1, "expected \"explain: ...\", shown after a pass");
    if (!x->starter.line) FAIL(1, "expected \"starter: REASON\", what the starter must fail by");
    const struct exercise_kind *kind = x->kind;
    const struct exercise_form *form = kind->form;
    if (!form->check(x, err)) return false;
    if (form->number && x->s->predict_count != 1) FAIL(1, "expected one predict: in an exercise of this kind");
    if (!form->number && x->s->predict_count)
        FAIL(x->s->predict[0].line, "expected no predict: in an exercise of this kind");
    if (form->number && x->goals) FAIL(1, "expected no goal: in an exercise of this kind");
    if (form->text && (x->sizes || x->fills || x->drawns))
        FAIL(1, "expected no sizes:, fills: or drawn: in an exercise of this kind");
    if (kind->goal && !x->goals) FAIL(1, "expected a goal: in an exercise of this kind");
    if (form->chooses && !x->chooses) FAIL(1, "expected \"choose: SETTING\", what an answer gives");
    if (!form->chooses && (x->chooses || x->ons))
        FAIL(1, "expected choose: and on: in exercises of kind launch only");
    if (exercise_cases(x) > EXERCISE_CASES)
        FAIL(1, "expected at most %d cases; these sizes and fills make %d", EXERCISE_CASES, exercise_cases(x));
    for (int i = 0; i < x->goals; i++)
        if (!expr_names(&x->goal[i].bound, goal_name, x->l))
            FAIL(x->goal[i].line, "expected settings and solution.METRIC in the goal");
    for (int i = 0; i < x->sizes; i++)
        for (int k = 0; k < x->size[i].count; k++)
            if (!allowed(l, x->size[i].setting, x->size[i].value[k], why, sizeof why)) FAIL(x->size[i].line, "%s", why);
    for (int i = 0; i < x->fails_count; i++)
        if (!allowed(l, x->fails[i].setting, x->fails[i].value, why, sizeof why)) FAIL(x->fails[i].line, "%s", why);
    if (x->drawns && !x->goals) FAIL(x->drawn[0].line, "expected a goal: to be judged at what is drawn");
    for (int i = 0; i < x->drawns; i++)
        if (!allowed(l, x->drawn[i].setting, x->drawn[i].least, why, sizeof why) ||
            !allowed(l, x->drawn[i].setting, x->drawn[i].most, why, sizeof why))
            FAIL(x->drawn[i].line, "%s", why);
    return true;
#undef FAIL
}

int exercise_parse(exercise **out, const char *path, const char *text, size_t bytes, lesson_error *err)
{
    *out = NULL;
    exercise *x = calloc(1, sizeof *x);
    if (!x) {
        memset(err, 0, sizeof *err);
        snprintf(err->message, sizeof err->message, NO_MEMORY);
        return -1;
    }
    x->kind = exercise_kinds;
    if (lesson_parse_as(&x->l, x, path, text, bytes, err)) {
        free(x);
        return -1;
    }
    lesson_step *s = x->l->step;
    snprintf(s->name, sizeof s->name, "exercise");
    s->kernel_file = x->kind->form->text ? "kernel.cu" : "starter.cu";
    x->s = s;
    if (!x->task.text) { /* else the check of steps would ask for `idea:`, which exercises do not have */
        memset(err, 0, sizeof *err);
        lesson_error_at(err, x->l, 1, "expected \"task: ...\"");
        exercise_free(x);
        return -1;
    }
    if (!lesson_check(x->l, err) || !check(x, err)) {
        exercise_free(x);
        return -1;
    }
    *out = x;
    return 0;
}

void exercise_free(exercise *x)
{
    if (!x) return;
    lesson_free(x->l);
    free(x);
}

/* ---- finding exercises ---- */

static int by_number(const void *a, const void *b)
{
    const exercise_entry *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : strcmp(x->folder, y->folder);
}

void exercise_find(exercise_list *out, const lesson *l)
{
    char dir[1100];
    memset(out, 0, sizeof *out);
    snprintf(dir, sizeof dir, "%s/exercises", l->own_kernels);
    DIR *d = opendir(dir);
    if (!d && errno != ENOENT && errno != ENOTDIR) app_lost = errno;
    for (const struct dirent *e; d && out->count < EXERCISES && (e = readdir(d));) {
        const char *p = e->d_name;
        int number = 0;
        while (isdigit((unsigned char)*p) && number < 10000) number = number * 10 + (*p++ - '0');
        if (p == e->d_name || *p != '-' || strlen(e->d_name) >= sizeof out->entry->folder) continue;
        exercise_entry *entry = &out->entry[out->count++];
        entry->number = number;
        snprintf(entry->folder, sizeof entry->folder, "%.63s", e->d_name);
    }
    if (d) closedir(d);
    qsort(out->entry, (size_t)out->count, sizeof *out->entry, by_number);
}

int exercise_read(exercise **out, const lesson *l, const exercise_entry *entry, lesson_error *err)
{
    char dir[1152], path[1300], *text;
    size_t bytes;
    *out = NULL;
    snprintf(dir, sizeof dir, "%.1023s/exercises/%.63s", l->own_kernels, entry->folder);
    snprintf(path, sizeof path, "%s/exercise.txt", dir);
    int failure = file_read(path, LESSON_BYTES, &text, &bytes);
    if (failure) {
        memset(err, 0, sizeof *err);
        snprintf(err->file, sizeof err->file, "%.500s", path);
        snprintf(err->message, sizeof err->message, "cannot be read: %s", plain_error(failure));
        return -1;
    }
    int bad = exercise_parse(out, path, text, bytes, err);
    free(text);
    if (bad) return -1;
    exercise *x = *out;
    x->own = l->own;
    x->lesson_number = l->number;
    x->number = entry->number;
    snprintf(x->lesson_folder, sizeof x->lesson_folder, "%s", l->folder);
    snprintf(x->folder, sizeof x->folder, "%s", entry->folder);
    snprintf(x->dir, sizeof x->dir, "%s", dir);
    snprintf(x->l->own_kernels, sizeof x->l->own_kernels, "%.1023s", dir);
    snprintf(x->card, sizeof x->card, "%s", x->l->card ? x->l->card : l->card ? l->card : DEFAULT_CARD);
    translation_read(x->l, x, path);
    return 0;
}

const char *exercise_name(const exercise *x) { return strchr(x->folder, '-') + 1; }
const char *exercise_ending(const exercise *x) { return x->kind->form->text ? ".txt" : ".cu"; }
const char *exercise_card(const exercise *x, int i) { return i ? x->on[i - 1] : x->card; }
