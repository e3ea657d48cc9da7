/* lesson_header.c: the keys of the whole lesson, before its first step, and `step:` itself. A function each,
 * and the table that names them. */
#include "lesson_load.h"
#include <string.h>

static bool read_title(cursor *c) { return (c->s->l->title = load_rest(c, "the lesson's title")) != NULL; }
static bool read_needs(cursor *c) { return (c->s->l->needs = load_rest(c, "what the student should know")) != NULL; }
static bool read_source(cursor *c) { return (c->s->l->source = load_rest(c, "where the figures come from")) != NULL; }
static bool read_about(cursor *c) { return load_text(c, &c->s->l->about); }

static bool read_card(cursor *c)
{
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a card's name (8800gt, gtx1050 ...)", true) || !load_end(c)) return false;
    start[strlen(name)] = 0;
    c->s->l->card = start;
    return true;
}

static bool read_setting(cursor *c)
{
    lesson *l = c->s->l;
    if (l->setting_count == LESSON_SETTINGS) return load_fail(c, NULL, "expected at most %d settings", LESSON_SETTINGS);
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "the setting's name", false)) return false;
    if (lesson_setting_named(l, name, strlen(name)) >= 0)
        return load_fail(c, start, "expected a new name: there is a setting %s already", name);
    lesson_setting *v = &l->setting[l->setting_count];
    v->line = c->line + 1;
    if (!load_char(c, '=')) return load_fail(c, NULL, "expected '=' and the default value");
    if (!load_expr(c, &v->initial)) return false;
    if (load_word(c, "or")) {
        if (!load_expr(c, &v->lean)) return false;
        if (!load_word(c, "below"))
            return load_fail(c, NULL, "expected 'below' and the bytes of memory that the default wants");
        if (!load_expr(c, &v->room)) return false;
    }
    if (!load_word(c, "from")) return load_fail(c, NULL, "expected 'from' and the least value");
    if (!load_expr(c, &v->least)) return false;
    if (!load_word(c, "to")) return load_fail(c, NULL, "expected 'to' and the greatest value");
    if (!load_expr(c, &v->most)) return false;
    if (!load_char(c, ',')) return load_fail(c, NULL, "expected ',' and what the setting means");
    if (!(v->about = load_rest(c, "what the setting means"))) return false;
    start[strlen(name)] = 0;
    v->name = start;
    l->setting_count++;
    return true;
}

static bool read_sized(cursor *c, int *setting) /* "SETTING =" */
{
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a setting's name", false)) return false;
    *setting = lesson_setting_named(c->s->l, name, strlen(name));
    if (*setting < 0) return load_fail(c, start, "expected a setting given above: there is no %s", name);
    return load_char(c, '=') || load_fail(c, NULL, "expected '=' and values");
}

static bool read_sizes(cursor *c, lesson_also **list, int *count)
{
    int setting;
    if (!read_sized(c, &setting)) return false;
    do {
        lesson_also *a = LOAD_ROOM(c, *list, *count, 64, "sizes to check");
        if (!a || !load_expr(c, &a->value)) return false;
        a->setting = setting;
        a->with = -1;
        a->line = c->line + 1;
    } while (load_char(c, ','));
    return true;
}

static bool read_also(cursor *c)
{
    lesson *l = c->s->l;
    const int first = l->also_count;
    int with;
    expr value;
    if (!read_sizes(c, &l->also, &l->also_count)) return false;
    if (!load_word(c, "with")) return load_end(c);
    load_blanks(c);
    char *start = c->p;
    if (!read_sized(c, &with) || !load_expr(c, &value)) return false;
    if (with == l->also[first].setting)
        return load_fail(c, start, "expected another setting: the values before \"with\" are of this one");
    for (int i = first; i < l->also_count; i++) {
        l->also[i].with = with;
        l->also[i].with_value = value;
    }
    return load_end(c);
}

static bool read_check(cursor *c)
{
    return read_sizes(c, &c->s->l->check, &c->s->l->check_count) && load_end(c);
}

static bool read_seed(cursor *c)
{
    double seed;
    load_blanks(c);
    char *start = c->p;
    if (!load_number(c, &seed, "the seed of the article's inputs")) return false;
    if (seed < 0 || seed > UINT32_MAX || seed != (double)(uint64_t)seed)
        return load_fail(c, start, "expected a whole number of at most 32 bits");
    c->s->l->has_seed = true;
    c->s->l->seed = (uint64_t)seed;
    return load_end(c);
}

static bool read_ladder(cursor *c)
{
    lesson *l = c->s->l;
    do {
        char name[LESSON_NAME + 1];
        load_blanks(c);
        char *start = c->p;
        if (l->ladder_count == (int)(sizeof l->ladder / sizeof *l->ladder))
            return load_fail(c, start, "expected at most %d metrics", l->ladder_count);
        if (!load_name(c, name, "a metric", false)) return false;
        l->ladder[l->ladder_count++] = start;
        bool more = load_char(c, ',');
        start[strlen(name)] = 0;
        if (!more) break;
    } while (1);
    return load_end(c);
}

static bool read_step(cursor *c)
{
    loader *s = c->s;
    lesson *l = s->l;
    char name[LESSON_NAME + 1], model[LESSON_NAME + 1] = "";
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "the step's name", true)) return false;
    if (lesson_step_named(l, name, strlen(name)))
        return load_fail(c, start, "expected a new name: there is a step %s already", name);
    const lesson_step *like = NULL;
    if (load_word(c, "like")) {
        load_blanks(c);
        start = c->p;
        if (!load_name(c, model, "the name of an earlier step", true)) return false;
        if (!(like = lesson_step_named(l, model, strlen(model))))
            return load_fail(c, start, "expected an earlier step: there is none called %s", model);
    }
    if (!load_end(c)) return false;
    int like_index = like ? (int)(like - l->step) : -1;
    lesson_step *step = LOAD_ROOM(c, l->step, l->step_count, LESSON_STEPS, "steps");
    if (!step) return false;
    memcpy(step->name, name, sizeof name);
    step->line = c->line + 1;
    step->clock = -1;
    step->like = like_index;
    s->step = step;
    s->seen[1] = 0;
    s->own_actions = s->own_rights = false;
    if (like_index < 0) return true;
    like = &l->step[like_index];
    step->kernel_file = like->kernel_file;
    step->ptx_file = like->ptx_file;
    step->clock = like->clock;
    step->expect = like->expect;
    step->card = like->card;
    step->needs = like->needs;
    memcpy(step->cluster, like->cluster, sizeof step->cluster);
    step->bytes = like->bytes;
    step->operations = like->operations;
    step->each = like->each;
    step->has_peak = like->has_peak;
    step->peak = like->peak;
    step->cards = like->cards;
    memcpy(step->says, like->says, sizeof step->says);
    step->says_count = like->says_count;
    memcpy(step->locals, like->locals, sizeof step->locals);
    step->local_count = like->local_count;
    /* the lists are copied element by element, so that each step owns its lists */
#define COPY(list, count)                                                          \
    for (int i = 0; i < like->count; i++) {                                        \
        if (!LOAD_ROOM(c, step->list, step->count, 1000, "entries")) return false; \
        step->list[i] = like->list[i];                                             \
    }
    COPY(with, with_count)
    COPY(rule, rule_count)
    COPY(buffer, buffer_count)
    COPY(action, action_count)
    COPY(right, right_count)
    COPY(library, library_count)
#undef COPY
    return true;
}

const lesson_key lesson_header_keys[] = {
    {"title", KEY_LESSON, false, false, read_title, "the lesson's title"},
    {"needs", KEY_LESSON, false, false, read_needs, "what the student should know"},
    {"card", KEY_BOTH, false, false, read_card, "the card that it runs on when there is no GPU"},
    {"card-needs", KEY_LESSON, false, false, load_card_needs,
     "compute N.N, tensor cores, shared memory BYTES, a clock"},
    {"source", KEY_LESSON, false, false, read_source, "where its figures come from"},
    {"about", KEY_LESSON, false, true, read_about, "text"},
    {"setting", KEY_BOTH, true, false, read_setting, "NAME = VALUE from LEAST to MOST, what it means"},
    {"seed", KEY_LESSON, false, false, read_seed, "the seed of the article's inputs"},
    {"check", KEY_LESSON, true, false, read_check, "SETTING = VALUE"},
    {"also", KEY_LESSON, true, false, read_also, "SETTING = VALUE, VALUE ... [with SETTING = VALUE]"},
    {"ladder", KEY_LESSON, false, false, read_ladder, "METRIC, METRIC ..."},
    {"chapter", KEY_LESSON, true, false, load_chapter, "NAME, WORDS"},
    {"step", KEY_LESSON, true, false, read_step, "NAME [like STEP]"},
    {0},
};
