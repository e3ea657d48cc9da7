/* step.c: the values of a step's settings, and a step run in a child. What the child does is in
 * step_child.c; how its answer is read, in step_answer.c. */
#include "step.h"
#include "child.h"
#include "format.h"
#include "room.h"
#include <stdlib.h>
#include <string.h>

#define SEALED_MEMORY ((size_t)4 << 30) /* beyond what this process has */

bool step_launches(const lesson_step *s)
{
    for (int i = 0; i < s->action_count; i++)
        if (s->action[i].kind == ACT_LAUNCH) return true;
    return false;
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

bool step_uses(const lesson *l, const lesson_step *s, int setting)
{
    looking k = {l, setting};
    bool unused = true;
    for (int i = 0; i < s->buffer_count && unused; i++) {
        const lesson_buffer *b = &s->buffer[i];
        unused = expr_names(&b->length, other_name, &k) && expr_names(&b->parameter, other_name, &k) &&
                 expr_names(&b->rows, other_name, &k) && expr_names(&b->columns, other_name, &k) &&
                 expr_names(&b->pitch, other_name, &k);
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
            unused = expr_names(&a->arg[n].value, other_name, &k) && expr_names(&a->arg[n].height, other_name, &k);
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

static void begin(const step_request *q, bool kernels, step_result *r)
{
    memset(r, 0, sizeof *r);
    r->counted = true;
    snprintf(r->device, sizeof r->device, "%s", kernels ? q->device.label : "this CPU");
    r->simulated = kernels && q->device.kind == DEVICE_SIM;
    r->seed = q->seed;
    r->bytes = r->operations = -1;
}

/* The answer of a run before, as good as a new one. */
static bool recall(const step_request *q, step_result *r, bool *damaged)
{
    size_t bytes;
    char *kept = step_memo_read(q->memo, &bytes, damaged);
    if (!kept) return false;
    begin(q, true, r);
    step_answer_read(r, kept, bytes);
    free(kept);
    r->has_time = r->has_cycles;
    if (r->complete && r->status == EXIT_DONE) return true;
    step_result_free(r);
    return false;
}

/* What progress says: which step runs, and how long it takes when the child has said that. */
typedef struct progress_label {
    const step_request *q;
    char text[160];
    size_t heard; /* of the answer */
} progress_label;

/* Figures of another step stand there, which are to stay. */
static bool beside_others(const step_request *q) { return q->already && *q->already; }

static void name_step(progress_label *p)
{
    const step_request *q = p->q;
    if (beside_others(q)) snprintf(p->text, sizeof p->text, "%s; now %d.%s", q->already, q->l->number, q->s->name);
    else snprintf(p->text, sizeof p->text, "%d.%s on %.60s", q->l->number, q->s->name, q->device.label);
}

static void hear_line(progress_label *p, const char *line)
{
    double cycles, seconds;
    char count[40], time[40];
    if (sscanf(line, "soon %lf %lf", &cycles, &seconds) != 2 || !(cycles >= 0 && cycles < 1e18) || !(seconds >= 0))
        return;
    snprintf(p->text, sizeof p->text, "%d.%s: about %s, %s cycles; now its results", p->q->l->number, p->q->s->name,
             format_si(time, sizeof time, seconds, "s"), format_count(count, sizeof count, (uint64_t)cycles));
}

/* Line by line, the last of which may not have come to its end. */
static void hear(void *label, const char *answer, size_t bytes)
{
    progress_label *p = label;
    const char *end;
    while (p->heard < bytes && (end = memchr(answer + p->heard, '\n', bytes - p->heard))) {
        char line[80];
        const size_t long_as = (size_t)(end - (answer + p->heard));
        snprintf(line, sizeof line, "%.*s", (int)(long_as < sizeof line ? long_as : sizeof line), answer + p->heard);
        hear_line(p, line);
        p->heard = (size_t)(end - answer) + 1;
    }
}

int step_run(const step_request *q, step_result *r)
{
    bool kernels = step_launches(q->s);
    if (kernels && q->device.kind == DEVICE_GPU) return step_run_in_turns(q, 1, r);
    bool damaged = false;
    if (q->memo && q->recall && recall(q, r, &damaged)) return EXIT_DONE;
    begin(q, kernels, r);
    const bool beside = beside_others(q);
    progress_label label = {.q = q};
    name_step(&label);
    struct child_limits limits = {.seconds = q->limit,
                                  .label = label.text,
                                  .at_once = beside,
                                  .hears = beside ? NULL : hear,
                                  .hears_arg = &label};
    if (q->sealed) {
        limits.memory_bytes = SEALED_MEMORY;
        limits.file_bytes = 1 << 20; /* it writes none */
        limits.seal = CHILD_ALONE;
    }
    struct child_result child;
    step_request copy = *q; /* the child gets its own */
    if (q->sealed) copy.room = room_now() < SEALED_MEMORY ? room_now() : SEALED_MEMORY;
    int status = child_run(&limits, step_child, &copy, &child);
    char *answer = q->memo && child.answer ? malloc(child.bytes + 1) : NULL; /* reading it takes it apart */
    if (answer) memcpy(answer, child.answer, child.bytes);
    step_answer_read(r, child.answer, child.bytes);
    if (child.end == CHILD_CRASHED || child.end == CHILD_FAILED || child.end == CHILD_FLOOD) {
        r->status = EXIT_INTERNAL;
        r->faults = 0; /* what came of the answer may be cut short */
        r->judged = false;
        snprintf(r->problem, sizeof r->problem, "%s", child.message);
    } else if (child.end != CHILD_DONE) {
        r->status = status;
        snprintf(r->problem, sizeof r->problem, "%s", child.message);
    } else if (child.status != EXIT_DONE) {
        r->status = child.status;
        if (!r->problem[0]) snprintf(r->problem, sizeof r->problem, "the run ended with status %d", child.status);
    } else if (!r->complete) {
        r->status = EXIT_INTERNAL;
        snprintf(r->problem, sizeof r->problem, "the run's answer is incomplete");
    }
    r->has_time = r->has_cycles;
    r->memo_damaged = damaged;
    if (r->status != EXIT_DONE) r->complete = false;
    else if (answer) step_memo_write(q->memo, answer, child.bytes);
    free(answer);
    child_free(&child);
    return r->status;
}

void step_result_free(step_result *r)
{
    free(r->line);
    free(r->access);
    memset(r, 0, sizeof *r);
}

bool step_as_expected(const lesson_step *s, const step_result *r)
{
    if (r->status != EXIT_DONE) return false;
    bool raced = false, unwritten = false, faulted = false; /* a race; a read of what nobody wrote; any other fault */
    for (int i = 0; i < r->faults; i++)
        if (!r->fault[i].note)
            *(!strcmp(r->fault[i].kind, "race")            ? &raced
              : !strcmp(r->fault[i].kind, "uninitialised") ? &unwritten
                                                           : &faulted) = true;
    if (faulted || (unwritten && s->expect != EXPECT_UNINITIALISED)) return false;
    switch (s->expect) {
    case EXPECT_WRONG: return !raced && r->judged && !r->verdict.correct;
    case EXPECT_RACE: return raced || !r->simulated; /* a real card does not tell */
    case EXPECT_UNINITIALISED: return unwritten || !r->simulated;
    default: return !raced && (!r->judged || r->verdict.correct);
    }
}
