/* judge_kernel.c: answers that are kernels. The text is checked (judge_source.c), then compiled. */
#include "judge_compile.h"
#include "judge_run.h"
#include "device/compile.h"
#include <stdlib.h>
#include <string.h>

/* Compile the text that was checked, not the file, which may have changed since. */
static void judge_kernel(judging *k)
{
    judge_verdict *v = k->v;
    const judge_request *whole = k->q;
    judge_request plain = *whole;
    char why[400];
    int line;
    char *text = judge_source(whole->text, whole->bytes, &plain.bytes, &line, why, sizeof why);
    if (!text) {
        judge_say(v, line < 0 ? JUDGE_UNJUDGED : JUDGE_FAIL, line < 0 ? REASON_UNJUDGED : REASON_REJECTED, "%s", why);
        v->line = line < 0 ? 0 : line;
        return;
    }
    compile_cut_host_code(text, plain.bytes, true);
    plain.text = text;
    k->q = &plain;
    judge_cases(k);
    k->q = whole;
    free(text);
}

static bool film_kernel(judging *k, judge_request *plain, char **text)
{
    char why[400];
    int line;
    *plain = *k->q;
    *text = judge_source(k->q->text, k->q->bytes, &plain->bytes, &line, why, sizeof why);
    if (!*text) {
        judge_say(k->v, JUDGE_FAIL, REASON_REJECTED, "line %d: %s", line < 0 ? 0 : line, why);
        return false;
    }
    compile_cut_host_code(*text, plain->bytes, true);
    plain->text = *text;
    k->q = plain;
    return judge_compile(k);
}

static bool ready(judging *k)
{
    if (!k->q->ptx) return judge_compile(k);
    k->ptx = k->q->ptx;
    k->ptx_bytes = strlen(k->ptx);
    return true;
}

/* Chains are counted in a run of their own, without the clock. */
static bool measure(judging *k, const judge_input *in, step_result *keep)
{
    judge_input untimed = *in;
    step_result again;
    bool chains = false;
    for (int i = 0; i < k->x->goals; i++) chains = chains || metric_of_chains(k->x->goal[i].metric);
    if (!chains) return true;
    untimed.timed = false;
    untimed.chains = true;
    if (!judge_run(k, &untimed, &again)) return false;
    k->v->passed--; /* it is the same input */
    keep->has_chains = again.has_chains;
    keep->chain = again.chain;
    keep->hand_overs = again.hand_overs;
    keep->places = again.places;
    keep->returns = again.returns;
    keep->words = again.words;
    step_result_free(&again);
    return true;
}

const struct judge_form judge_form_kernel = {
    .judge = judge_kernel, .film = film_kernel, .ready = ready, .run = judge_run, .measure = measure, .shuffles = true};
