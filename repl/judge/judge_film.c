/* judge_film.c: an answer and one of the inputs that it is judged on, made ready to be run and looked
 * at: the same text, compiled in the same way, with the same numbers in its buffers. */
#include "judge_compile.h"
#include "judge_run.h"
#include "device/compile.h"
#include "device/devices.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

struct judge_film {
    judging k;
    judge_request plain;
    char *text;
    lesson_step s;
    lesson_buffer buffers[LESSON_BUFFERS];
    step_request q;
};

/* The text that is compiled, in place of the file's. */
static bool take_text(judge_film *t, const judge_request *whole)
{
    char why[400];
    int line;
    t->plain = *whole;
    t->text = judge_source(whole->text, whole->bytes, &t->plain.bytes, &line, why, sizeof why);
    if (!t->text) {
        judge_say(t->k.v, JUDGE_FAIL, "rejected", "line %d: %s", line < 0 ? 0 : line, why);
        return false;
    }
    compile_cut_host_code(t->text, t->plain.bytes, true);
    t->plain.text = t->text;
    t->k.q = &t->plain;
    return judge_compile(&t->k);
}

/* An exercise whose answers are text has a kernel of its own. */
static bool take_kernel(judge_film *t, const judge_request *whole)
{
    size_t bytes;
    t->k.q = whole;
    t->k.owned_ptx = judge_folder_text(&t->k, "kernel.ptx", &bytes);
    t->k.ptx = t->k.owned_ptx;
    t->k.ptx_bytes = bytes;
    if (!t->k.ptx) judge_say(t->k.v, JUDGE_UNJUDGED, "unjudged", "the exercise has no kernel.ptx in %s", t->k.x->dir);
    return t->k.ptx != NULL;
}

static bool take_input(judge_film *t, const judge_request *whole, int which)
{
    judge_input in;
    if (!judge_input_at(&t->k, whole->seed, which, &in)) {
        judge_say(t->k.v, JUDGE_UNJUDGED, "unjudged", "the exercise has no case %d", which);
        return false;
    }
    t->k.v->seed = in.seed;
    judge_describe(&t->k, &in, t->k.v->where, sizeof t->k.v->where);
    judge_step_request(&t->k, &t->q, judge_step_with(t->k.x, in.fill, &t->s, t->buffers), &in.values);
    return true;
}

judge_film *judge_film_open(struct app *app, const judge_request *whole, int which, judge_verdict *v)
{
    struct device own[DEVICES_MAX];
    char label[64];
    int count;
    memset(v, 0, sizeof *v);
    judge_film *t = calloc(1, sizeof *t);
    if (!t) {
        judge_say(v, JUDGE_UNJUDGED, "unjudged", NO_MEMORY);
        return NULL;
    }
    t->k = (judging){.app = app, .q = whole, .x = whole->x, .v = v, .own_card = true};
    snprintf(label, sizeof label, "sim:%s", whole->x->card);
    bool good = !device_parse(app, label, own, &count) && !device_card_text(app, &own[0], &t->k.card);
    t->k.device = own[0];
    const bool there = good;
    good = false;
    if (!there) judge_say(v, JUDGE_UNJUDGED, "unjudged", "the exercise's card %s is not there", whole->x->card);
    else if (whole->x->kind == KIND_PROGRAM)
        judge_say(v, JUDGE_UNJUDGED, "unjudged",
                  "a whole program has no film: `exec FILE` shows what it does, and `step` then "
                  "shows its kernels");
    else good = exercise_kinds[whole->x->kind].text ? take_kernel(t, whole) : take_text(t, whole);
    if (good && take_input(t, whole, which)) return t;
    judge_film_free(t);
    return NULL;
}

const step_request *judge_film_request(const judge_film *t) { return &t->q; }

void judge_film_free(judge_film *t)
{
    if (!t) return;
    free(t->k.owned_ptx);
    free(t->k.card);
    free(t->text);
    free(t);
}
