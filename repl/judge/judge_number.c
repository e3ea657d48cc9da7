/* judge_number.c: judges numeric answers, for exercises that ask for a prediction. */
#include "judge_compile.h"
#include "judge_goals.h"
#include "judge_run.h"
#include "shell/format.h"
#include "run/step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads the number from a line "answer: 65 536" of an answer's file. Other lines, and text after a
 * #, are comments. */
static bool read_number(const char *text, size_t bytes, double *out)
{
    char line[200], digits[64];
    for (size_t at = 0; at < bytes; at++) {
        size_t n = 0, d = 0;
        for (; at < bytes && text[at] != '\n'; at++)
            if (n < sizeof line - 1) line[n++] = text[at];
        line[n] = 0;
        char *p = line + strspn(line, " \t"), *end;
        if (strncmp(p, "answer", 6)) continue;
        p += 6 + strspn(p + 6, " \t");
        if (*p != ':' && *p != '=') continue;
        for (p++; *p && *p != '#' && d < sizeof digits - 1; p++)
            if (!strchr(" \t\r,_'", *p)) digits[d++] = *p;
        digits[d] = 0;
        if (!d || strspn(digits, "0123456789.+-eEKMGi") != d) return false;
        *out = strtod(digits, &end);
        double factor = !strcmp(end, "Ki") ? 1024 : !strcmp(end, "Mi") ? 1048576 : *end ? 0 : 1;
        *out *= factor;
        return end > digits && factor && isfinite(*out);
    }
    return false;
}

bool judge_own_kernel(judging *k)
{
    k->ptx = k->owned_ptx = judge_folder_text(k, "kernel.ptx", &k->ptx_bytes);
    if (!k->ptx) judge_say(k->v, JUDGE_UNJUDGED, REASON_UNJUDGED, "the exercise has no kernel.ptx in %s", k->x->dir);
    return k->ptx != NULL;
}

bool judge_film_own_kernel(judging *k, judge_request *plain, char **text)
{
    (void)plain;
    (void)text;
    return judge_own_kernel(k);
}

static void judge_number(judging *k)
{
    judge_verdict *v = k->v;
    const exercise *x = k->x;
    const lesson_predict *p = x->s->predict;
    double guess, holds;
    v->cases = 1;
    if (!read_number(k->q->text, k->q->bytes, &guess)) {
        judge_say(v, JUDGE_FAIL, REASON_WRONG, "there is no line \"answer: NUMBER\" yet");
        return;
    }
    step_result r;
    step_values values;
    char why[200], text[48];
    if (!judge_own_kernel(k)) return;
    if (!step_settings(x->l, x->s, NULL, &values, why, sizeof why)) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", why);
        return;
    }
    v->seed = k->q->seed;
    step_request q;
    judge_step_request(k, &q, x->s, &values);
    q.sealed = false; /* the kernel is ours */
    step_run(&q, &r);
    snprintf(v->device, sizeof v->device, "%s", r.device);
    if (judge_weigh(k, &q, &r)) {
        judge_scope scope = {x, &values, NULL, &r};
        int64_t number = 0, per = 1;
        int choice = 0;
        bool known = true;
        for (int i = 0; i < p->choices && known; i++) {
            known = expr_eval(&p->choice[i].when, judge_goal_name, &scope, &number, why, sizeof why);
            choice = known && number ? i + 1 : choice;
        }
        if (!p->choices) {
            known = expr_eval(&p->number, judge_goal_name, &scope, &number, why, sizeof why) &&
                    (!p->per.count || (expr_eval(&p->per, judge_goal_name, &scope, &per, why, sizeof why) && per));
            holds = known ? (double)number / (double)per : 0;
        } else {
            holds = choice;
        }
        snprintf(v->got, sizeof v->got, "%s", format_number(text, sizeof text, guess));
        snprintf(v->expected, sizeof v->expected, "%s", format_number(text, sizeof text, holds));
        bool right = p->choices ? guess == holds : fabs(guess - holds) <= p->within / 100 * fabs(holds) + 1e-9;
        if (!known) judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "the answer cannot be worked out: %s", why);
        else if (right) v->passed = 1;
        else judge_say(v, JUDGE_FAIL, REASON_WRONG, "%s is not what the card counts", v->got);
    }
    step_result_free(&r);
}

const struct judge_form judge_form_number = {.judge = judge_number, .film = judge_film_own_kernel};
