/* step_values.c: a step's settings: defaults, the student's values, and conditions between them. */
#include "step_values.h"
#include "shell/free_memory.h"

#include "shell/format.h"

#include <stdlib.h>
#include <string.h>

const lesson_action *step_program(const lesson_step *s)
{
    return s->action_count == 1 && s->action->kind == ACT_PROGRAM ? s->action : NULL;
}

bool step_launches(const lesson_step *s)
{
    for (int i = 0; i < s->action_count; i++)
        if (s->action[i].kind == ACT_LAUNCH) return true;
    return step_program(s) != NULL;
}

typedef struct looking {
    const lesson *l;
    int setting;
} looking;

static bool other_name(void *arg, const char *name, size_t length)
{
    const looking *k = arg;
    return lesson_setting_named(k->l, name, length) != k->setting;
}

static bool other_node(void *arg, const char *name, size_t length, bool element)
{
    return element || other_name(arg, name, length);
}

bool map_names(const lesson_map *m, bool (*known)(void *arg, const char *name, size_t length), void *arg)
{
    return !m || (expr_names(&m->box[0], known, arg) && expr_names(&m->box[1], known, arg) &&
                  expr_names(&m->swizzle, known, arg) && expr_names(&m->promotion, known, arg));
}

bool step_uses(const lesson *l, const lesson_step *s, int setting)
{
    looking k = {l, setting};
    bool unused = true;
    for (int i = 0; i < s->buffer_count && unused; i++) {
        const lesson_buffer *b = &s->buffer[i];
        unused = expr_names(&b->length, other_name, &k) && expr_names(&b->parameter, other_name, &k) &&
                 expr_names(&b->rows, other_name, &k) && expr_names(&b->columns, other_name, &k) &&
                 expr_names(&b->pitch, other_name, &k) &&
                 (!b->formula || expr_nodes_name(b->formula->node, b->formula->count, other_node, &k));
    }
    for (int i = 0; i < s->action_count && unused; i++) {
        const lesson_action *a = &s->action[i];
        const char *brace = strchr(a->name, '{');
        unused = !brace || lesson_setting_named(l, brace + 1, strcspn(brace + 1, "}")) != setting;
        for (int d = 0; d < 3; d++)
            unused = unused && expr_names(&a->grid[d], other_name, &k) && expr_names(&a->block[d], other_name, &k);
        unused = unused && expr_names(&a->shared, other_name, &k) && expr_names(&a->from, other_name, &k) &&
                 expr_names(&a->to, other_name, &k) && expr_names(&a->step, other_name, &k);
        for (int n = 0; n < a->args && unused; n++)
            unused = expr_names(&a->arg[n].value, other_name, &k) && expr_names(&a->arg[n].height, other_name, &k) &&
                     map_names(a->arg[n].map, other_name, &k);
    }
    for (int d = 0; d < 3; d++) unused = unused && expr_names(&s->cluster[d], other_name, &k);
    for (int i = 0; i < s->right_count && unused; i++) {
        const lesson_right *r = &s->right[i];
        unused = !r->formula || expr_nodes_name(r->formula->node, r->formula->count, other_node, &k);
        for (int v = 0; v < 2; v++)
            unused = unused && expr_names(&r->first[v], other_name, &k) && expr_names(&r->last[v], other_name, &k);
    }
    return !unused;
}

bool step_runs(const lesson_step *s) { return s->action_count > 0; }

const char *step_entry(const lesson *l, const step_values *v, const lesson_action *launch, char *out, size_t size)
{
    const char *brace = strchr(launch->name, '{');
    int setting = brace ? lesson_setting_named(l, brace + 1, strcspn(brace + 1, "}")) : -1;
    if (setting < 0) snprintf(out, size, "%s", launch->name);
    else snprintf(out, size, "%.*s%lld", (int)(brace - launch->name), launch->name, (long long)v->value[setting]);
    return out;
}

const lesson_step *step_before(const lesson *l, const lesson_step *s)
{
    if (s->after) return !*s->after ? NULL : lesson_step_named(l, s->after, strlen(s->after));
    for (const lesson_step *p = s; p-- > l->step;)
        if (step_launches(p) && p->bytes.count && !p->aside) return p;
    return NULL;
}

typedef struct scope {
    const lesson *l;
    const int64_t *value;
    int known;
} scope;

static bool setting_value(void *arg, const char *name, size_t length, int64_t *value)
{
    const scope *s = arg;
    int i = lesson_setting_named(s->l, name, length);
    if (i < 0 || i >= s->known) return false;
    *value = s->value[i];
    return true;
}

bool step_value(const lesson *l, const step_values *v, const expr *e, int64_t *out, char *why, size_t size)
{
    scope s = {l, v->value, l->setting_count};
    return expr_eval(e, setting_value, &s, out, why, size);
}

typedef struct launch_scope {
    scope settings;
    const lesson_step *s;
    const struct sim_card *card;
    int64_t local[LESSON_LOCALS];
    bool has_local[LESSON_LOCALS];
} launch_scope;

static bool launch_value(void *arg, const char *name, size_t length, int64_t *value)
{
    launch_scope *s = arg;
    const int i = step_local_named(s->s, name, length);
    if (setting_value(&s->settings, name, length, value)) return true;
    if (i < 0 || !s->has_local[i]) return i < 0 && launch_fact(s->card, name, length, value);
    *value = s->local[i];
    return true;
}

int64_t step_shared(const lesson *l, const lesson_step *s, const step_values *v, const struct sim_card *card)
{
    launch_scope known = {.settings = {l, v->value, l->setting_count}, .s = s, .card = card};
    int64_t most = 0, bytes;
    char why[160];
    for (int i = 0; i < s->action_count; i++) {
        const lesson_action *a = &s->action[i];
        if (a->kind == ACT_FOR || a->kind == ACT_WHILE) break;
        if (a->kind == ACT_LET)
            known.has_local[a->local] =
                expr_eval(&a->from, launch_value, &known, &known.local[a->local], why, sizeof why);
        if (a->kind == ACT_LAUNCH && a->shared.count &&
            expr_eval(&a->shared, launch_value, &known, &bytes, why, sizeof why) && bytes > most)
            most = bytes;
    }
    return most;
}

bool step_settings(const lesson *l, const lesson_step *s, const step_chosen *chosen, step_values *out, char *why,
                   size_t size)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < l->setting_count; i++) {
        const lesson_setting *v = &l->setting[i];
        scope known = {l, out->value, i};
        const expr *initial = &v->initial;
        for (int k = 0; s && k < s->with_count; k++)
            if (s->with[k].setting == i) {
                initial = &s->with[k].value;
                out->fixed[i] = s->with[k].fixed;
            }
        char what[120];
        int64_t room;
        if (initial == &v->initial && v->lean.count && !(chosen && chosen->set[i])) {
            out->small_card = chosen && chosen->small_card;
            out->lean[i] = out->small_card || (expr_eval(&v->room, setting_value, &known, &room, what, sizeof what) &&
                                               room > 0 && room_at_start() < (uint64_t)room);
            if (out->lean[i]) initial = &v->lean;
        }
        if (!expr_eval(initial, setting_value, &known, &out->value[i], what, sizeof what) ||
            !expr_eval(&v->least, setting_value, &known, &out->least[i], what, sizeof what) ||
            !expr_eval(&v->most, setting_value, &known, &out->most[i], what, sizeof what)) {
            snprintf(why, size, "%s: %s", v->name, what);
            return false;
        }
        if (chosen && chosen->set[i] && !out->fixed[i]) out->value[i] = chosen->value[i];
        if (out->value[i] < out->least[i] || out->value[i] > out->most[i]) {
            snprintf(why, size, "%s = %lld is not between %lld and %lld", v->name, (long long)out->value[i],
                     (long long)out->least[i], (long long)out->most[i]);
            return false;
        }
    }
    for (int i = 0; s && i < s->rule_count; i++) {
        int64_t good;
        char what[120];
        if (!step_value(l, out, &s->rule[i].condition, &good, what, sizeof what)) {
            snprintf(why, size, "a requirement cannot be judged: %s", what);
            return false;
        }
        if (!good) {
            snprintf(why, size, "%s", s->rule[i].message);
            return false;
        }
    }
    return true;
}

int64_t step_usual(const lesson *l, const step_values *v, int setting)
{
    int64_t usual;
    char why[160];
    return v->lean[setting] && step_value(l, v, &l->setting[setting].initial, &usual, why, sizeof why)
               ? usual
               : v->value[setting];
}

typedef struct choosing {
    const lesson *l;
    step_chosen chosen;
} choosing;

static void choose(void *arg, const char *name, size_t length, int64_t value)
{
    choosing *c = arg;
    int setting = lesson_setting_named(c->l, name, length);
    if (setting >= 0) {
        c->chosen.set[setting] = true;
        c->chosen.value[setting] = value;
    }
}

bool step_settings_where(const lesson *l, const lesson_step *s, const expr *condition, step_values *out)
{
    choosing c = {.l = l};
    int64_t holds;
    char why[200];
    expr_equalities(condition, choose, &c);
    return step_settings(l, s, &c.chosen, out, why, sizeof why) &&
           (!condition->count || (step_value(l, out, condition, &holds, why, sizeof why) && holds));
}
