/* judge.c: see judge.h. judge_answer leaves the text to the form of the answer: a kernel
 * (judge_kernel.c), a number (judge_number.c), a launch (judge_launch.c) or a program (judge_program.c).
 * Kernels and programs are compiled (judge_compile.c), then run on the cases (judge_run.c), then held
 * to the goals (judge_goals.c): judge_cases. */
#include "judge_goals.h"
#include "judging.h"
#include "answer_text.h"
#include "device/devices.h"
#include "shell/language.h"
#include "shell/plain_file.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHUFFLED = 16, STRIDE = 7919 }; /* cases to run shuffled; a prime step, which visits all kinds of cases */

void judge_say(judge_verdict *v, enum judge_state state, int reason, const char *fmt, ...)
{
    v->state = state;
    v->reason = reason;
    va_list args;
    va_start(args, fmt);
    vsnprintf(v->message, sizeof v->message, TR(fmt), args);
    va_end(args);
    const char *whole = strcmp(fmt, "%s") ? v->message : TR(v->message);
    if (whole != v->message) snprintf(v->message, sizeof v->message, "%s", whole);
}

bool judge_input_at(const judging *k, uint64_t seed, int number, judge_input *out)
{
    const int cases = exercise_cases(k->x);
    *out = (judge_input){.number = number, .fill = -1, .seed = seed + (uint64_t)number};
    if (number < 0 || number >= cases + EXERCISE_INPUTS - 1) return false;
    if (number >= cases) { /* drawn */
        const int i = number - cases + 1;
        out->seed = seed + EXERCISE_CASES + (uint64_t)i;
        exercise_input_values(k->x, out->seed, i, &out->values);
        return true;
    }
    exercise_case c;
    exercise_case_at(k->x, number, &c);
    out->fill = c.fill;
    return exercise_case_values(k->x, number, &out->values);
}

static const struct judge_form *const forms[FORMS] = {
#define FORM(name, ...) &judge_form_##name,
#define KIND(...)
#include "course/exercise_kinds.def"
};

const struct judge_form *judge_form(const judging *k) { return forms[k->x->kind->form - exercise_forms]; }

/* Run case `i`. A case that `require:` rules out does not count. */
static bool run_case(judging *k, int i, bool shuffled)
{
    judge_input in;
    const bool there = judge_input_at(k, k->q->seed, i, &in);
    in.shuffled = shuffled;
    if (there) return judge_form(k)->run(k, &in, NULL);
    k->v->cases -= !shuffled;
    return true;
}

void judge_cases(judging *k)
{
    judge_verdict *v = k->v;
    const struct judge_form *form = judge_form(k);
    if (!form->ready(k)) return;
    v->cases = exercise_cases(k->x) + k->x->fails_count + (k->x->goals && k->own_card ? EXERCISE_INPUTS - 1 : 0);
    int others = exercise_cases(k->x) - 1;
    for (int i = 1; i <= others; i++)
        if (!run_case(k, i, false)) return;
    for (int i = 0; i < SHUFFLED && i < others && form->shuffles; i++)
        if (!run_case(k, 1 + i * STRIDE % others, true)) return;
    if (form->failing_calls && !form->failing_calls(k)) return;
    judge_inputs(k);
}

/* Does the card lack what the exercise needs? */
static bool judge_lacks(const judging *k, char *out, size_t size)
{
    const card_needs n = step_needs(k->x->l, k->x->s);
    sim_card card;
    sim_error err = {0};
    if (!n.line) return false;
    if (k->device.kind == DEVICE_GPU) {
        const int compute = device_gpu_arch(k->app, k->device.index);
        return compute && card_lacks(&n, k->device.label, compute, NULL, out, size);
    }
    return k->card && !sim_card_read(&card, k->card, k->device.card, &err) &&
           card_lacks(&n, k->device.label, card.cc_major * 10 + card.cc_minor, &card, out, size);
}

/* Is the answer the starter, as it was handed out? */
static bool is_starter(judging *k)
{
    char path[1400], *text = NULL;
    size_t bytes;
    snprintf(path, sizeof path, "%s/starter%s", k->x->dir, exercise_ending(k->x));
    const bool same =
        !file_read(path, JUDGE_SOURCE_MAX, &text, &bytes) && answer_same(k->q->text, k->q->bytes, text, bytes);
    free(text);
    return same;
}

int judge_answer(struct app *app, const judge_request *q, judge_verdict *out)
{
    judging k = {.app = app, .q = q, .x = q->x, .v = out, .built = {.held = -1}};
    memset(out, 0, sizeof *out);
    struct device own[DEVICES_MAX];
    char label[64];
    int count;
    snprintf(label, sizeof label, "sim:%s", q->x->card);
    int status = device_parse(app, label, own, &count);
    k.device = q->device ? *q->device : own[0];
    k.own_card = !status && !strcmp(k.device.label, own[0].label);
    if (!status && k.device.kind == DEVICE_SIM) status = device_card_text(app, &k.device, &k.card);
    char lacks[200];
    if (!status && judge_lacks(&k, lacks, sizeof lacks)) judge_say(out, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", lacks);
    else if (status) judge_say(out, JUDGE_UNJUDGED, REASON_UNJUDGED, "the exercise's card %s is not there", q->x->card);
    else judge_form(&k)->judge(&k);
    /* Goals are judged on the exercise's card alone, and a GPU does not see races. On any other
     * device a correct answer is not yet a pass. */
    if (out->state == JUDGE_PASS && !k.own_card) {
        char device[sizeof out->device];
        memcpy(device, out->device, sizeof device);
        if (out->cases == 1)
            judge_say(out, JUDGE_UNJUDGED, REASON_RIGHT,
                      "on %.100s in its one case; whether it passes is judged on sim:%s", device, q->x->card);
        else
            judge_say(out, JUDGE_UNJUDGED, REASON_RIGHT,
                      "on %.100s in all %d cases; whether it passes is judged on sim:%s", device, out->cases,
                      q->x->card);
        snprintf(out->advice, sizeof out->advice, "%s", TR("Check it without --device."));
        out->where[0] = 0;
    }
    out->unchanged = out->state == JUDGE_FAIL && out->reason == REASON_SHORT && is_starter(&k);
    if (out->state == JUDGE_PASS) {
        out->reason = REASON_PASS;
        out->where[0] = 0;
    }
    free(k.owned_ptx);
    free(k.card);
    if (k.interrupted || app_interrupted) {
        judge_say(out, JUDGE_UNJUDGED, REASON_UNJUDGED, "interrupted");
        return EXIT_INTERRUPT;
    }
    return EXIT_DONE;
}

void judge_free(judge_verdict *v)
{
    free(v->compiler_says);
    v->compiler_says = NULL;
}

void judge_standard_free(judge_standard *s)
{
    for (int i = 0; i < EXERCISE_INPUTS; i++) step_result_free(&s->r[i]);
    step_result_free(&s->starter);
    memset(s, 0, sizeof *s);
}

int judge_score(const judge_verdict *v)
{
    if (v->state == JUDGE_UNJUDGED) return -1;
    return v->state == JUDGE_PASS ? 100 : v->reason == REASON_SHORT && !v->unchanged ? 50 : 0;
}

int judge_status(const judge_verdict *v)
{
    if (v->state == JUDGE_PASS) return EXIT_DONE;
    if (v->state == JUDGE_FAIL || v->reason == REASON_RIGHT) return EXIT_CHECK;
    return v->reason == REASON_NO_COMPILER ? EXIT_DEVICE : EXIT_INTERNAL;
}

void judge_sentence(const judge_verdict *v, char *out, size_t size)
{
    const char *says = v->compiler_says;
    if (says) { /* the first line that mentions an error */
        const char *at = strstr(says, "error");
        while (at && at > says && at[-1] != '\n') at--;
        says = at ? at : says;
    }
    const bool placed = v->where[0] && (v->drawn || v->reason != REASON_SHORT) && !says;
    snprintf(out, size, "%s%s%.*s%s%s", v->message, says ? TR(": ") : "", says ? (int)strcspn(says, "\n") : 0,
             says ? says : "", placed ? TR(", with ") : "", placed ? v->where : "");
    for (char *p = out; *p; p++)
        if ((unsigned char)*p < 32 || *p == 127) *p = ' ';
}
