/* judge_goals.c: compares an answer's numbers with the goals of an exercise on several inputs: the
 * default, and others whose sizes are drawn from the seed (exercise_cases.c). An answer tuned to
 * the default input alone falls short. */
#include "judge_compile.h"
#include "judge_goals.h"
#include "judge_run.h"
#include "run/step.h"
#include "shell/format.h"
#include "shell/language.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Does any goal need the card's clock? The further inputs run untimed otherwise. */
static bool goals_need_clock(const exercise *x)
{
    for (int i = 0; i < x->goals; i++)
        if (!metric_counted(x->goal[i].metric)) return true;
    return false;
}

static judge_input input_at(const judging *k, int i)
{
    judge_input in;
    judge_input_at(k, k->q->seed, i ? exercise_cases(k->x) + i - 1 : 0, &in);
    in.timed = i == 0 || goals_need_clock(k->x);
    return in;
}

static bool run_input(judging *k, int i, step_result *keep)
{
    const judge_input in = input_at(k, i);
    return judge_form(k)->run(k, &in, keep) && judge_form(k)->measure(k, &in, keep);
}

/* Runs an answer of our own, STEM.cu in the exercise's folder, on the first `inputs` inputs. False:
 * `v` says why not. */
static bool run_own(judging *k, const char *stem, int inputs, step_result *r, judge_verdict *v)
{
    char file[32], name[32];
    size_t bytes;
    judge_request q = *k->q;
    judging own = *k;
    own.q = &q;
    own.v = v;
    own.owned_ptx = NULL;
    own.built.held = -1;
    snprintf(name, sizeof name, "%s.cu", stem);
    q.name = name;
    q.compiler = judge_kind_of(k->v->compiler);
    snprintf(file, sizeof file, "%s.%s", stem, k->q->ptx ? "ptx" : "cu");
    char *text = judge_folder_text(k, file, &bytes);
    bool good = text != NULL;
    if (!text) judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s cannot be read in %s", file, k->x->dir);
    if (q.ptx) {
        q.ptx = text;
    } else {
        q.text = text;
        q.bytes = bytes;
    }
    if (text) good = judge_form(k)->ready(&own);
    for (int i = 0; i < inputs && good; i++) good = run_input(&own, i, &r[i]);
    k->interrupted = k->interrupted || own.interrupted;
    program_unbuild(&own.built);
    free(own.owned_ptx);
    free(text);
    return good;
}

/* Our own solution's results on these inputs. False: the verdict says why not. */
static bool standard(judging *k, judge_standard *out)
{
    if (out->known && out->seed == k->q->seed && !strcmp(out->compiler, k->v->compiler)) return true;
    judge_standard_free(out);
    judge_verdict v = {0}, of_starter = {0};
    out->seed = k->q->seed;
    snprintf(out->compiler, sizeof out->compiler, "%s", k->v->compiler);
    out->known = run_own(k, "solution", EXERCISE_INPUTS, out->r, &v);
    if (!out->known)
        judge_say(k->v, JUDGE_UNJUDGED, REASON_UNJUDGED, "our own solution does not run: %.500s", v.message);
    else if (k->x->starter.reason == REASON_SHORT) /* its output is correct: show its cycles next to the answer's */
        out->has_starter = run_own(k, "starter", 1, &out->starter, &of_starter);
    judge_free(&v);
    judge_free(&of_starter);
    return out->known;
}

bool judge_goal_name(void *arg, const char *name, size_t length, int64_t *value)
{
    const judge_scope *g = arg;
    static const char prefix[] = "solution.";
    size_t n = sizeof prefix - 1;
    double number;
    int setting = lesson_setting_named(g->x->l, name, length);
    if (setting >= 0) {
        *value = g->values->value[setting];
        return true;
    }
    bool of_solution = length > n && !memcmp(name, prefix, n);
    const step_result *r = of_solution ? g->solution : g->ours;
    size_t from = of_solution ? n : 0;
    if (!r || !metric_get(metric_named(name + from, length - from), r, &number) || !(fabs(number) < 9e18)) return false;
    *value = llround(number);
    return true;
}

bool judge_goals(judging *k, const judge_sample *t)
{
    const exercise *x = k->x;
    judge_verdict *v = k->v;
    char why[200], ours[48], bound[48];
    judge_scope scope = {x, t->values, t->solution, t->ours};
    for (int n = 0; n < x->goals; n++) {
        const exercise_goal *g = &x->goal[n];
        judge_goal *out = &v->goal[v->goals++];
        *out = (judge_goal){.metric = g->metric, .at_least = g->at_least, .relative = g->relative, .card = t->card};
        out->has_solution = metric_get(g->metric, t->solution, &out->solution);
        out->has_starter = t->starter && metric_get(g->metric, t->starter, &out->starter);
        int64_t limit;
        if (!metric_get(g->metric, t->ours, &out->ours))
            snprintf(why, sizeof why, TR("this run has no %s"), metrics[g->metric].name);
        else if (g->relative && !out->has_solution)
            snprintf(why, sizeof why, TR("our solution's run has no %s"), metrics[g->metric].name);
        else if (g->relative) {
            out->bound = out->solution * g->percent / 100;
            out->known = true;
        } else if (expr_eval(&g->bound, judge_goal_name, &scope, &limit, why, sizeof why)) {
            out->bound = (double)limit;
            out->known = true;
        }
        if (!out->known) {
            judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "a goal cannot be judged: %s", why);
            return false;
        }
        out->reached = out->at_least ? out->ours >= out->bound : out->ours <= out->bound;
        if (out->reached || v->state == JUDGE_FAIL) continue;
        judge_say(v, JUDGE_FAIL, REASON_SHORT, "right, but short of the goal: %s %s; the goal is %s%s",
                  metric_text(ours, sizeof ours, g->metric, out->ours), metrics[g->metric].name,
                  out->at_least ? TR("at least ") : "", metric_text(bound, sizeof bound, g->metric, out->bound));
        snprintf(v->advice, sizeof v->advice, "%s", g->why ? g->why : "");
        v->seed = t->seed;
        v->drawn = t->drawn;
        snprintf(v->where, sizeof v->where, "%s", t->where);
    }
    return v->state != JUDGE_FAIL;
}

/* Compares input `i` with the goals; the verdict shows the numbers of the last one. */
static bool reached(judging *k, int i, const step_result *r, const judge_standard *own)
{
    const judge_input in = input_at(k, i);
    char where[256];
    judge_describe(k, &in, where, sizeof where);
    k->v->goals = 0;
    return judge_goals(k, &(judge_sample){.values = &in.values,
                                          .ours = r,
                                          .solution = &own->r[i],
                                          .starter = i || !own->has_starter ? NULL : &own->starter,
                                          .where = where,
                                          .seed = in.seed,
                                          .drawn = i > 0});
}

void judge_inputs(judging *k)
{
    judge_verdict *v = k->v;
    step_result r[EXERCISE_INPUTS] = {0};
    const bool goals = k->x->goals && k->own_card;
    bool right = true;
    for (int i = 1; i < EXERCISE_INPUTS && goals && right; i++) right = run_input(k, i, &r[i]);
    /* the default input comes last: on a card with a clock it takes longest */
    if (right && run_input(k, 0, &r[0])) {
        v->has_cycles = r[0].has_cycles;
        v->cycles = r[0].cycles;
        judge_standard here = {0}, *own = k->q->standard ? k->q->standard : &here;
        bool all = goals && standard(k, own);
        v->solution_cycles = all && own->r[0].has_cycles ? own->r[0].cycles : 0;
        v->starter_cycles = all && own->has_starter && own->starter.has_cycles ? own->starter.cycles : 0;
        for (int i = 0; i < EXERCISE_INPUTS && all; i++) all = reached(k, i, &r[i], own);
        if (all) /* show the numbers of the default input */
            reached(k, 0, &r[0], own);
        judge_standard_free(&here);
    }
    for (int i = 0; i < EXERCISE_INPUTS; i++) step_result_free(&r[i]);
}
