/* judge_film.c: an answer and one of the inputs that it is judged on, made ready to be run and looked
 * at: the same text, compiled in the same way, with the same numbers in its buffers. */
#include "judge_run.h"
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

static bool take_input(judge_film *t, const judge_request *whole, int which)
{
    judge_input in;
    if (!judge_input_at(&t->k, whole->seed, which, &in)) {
        judge_say(t->k.v, JUDGE_UNJUDGED, REASON_UNJUDGED, "the exercise has no case %d", which);
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
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, NO_MEMORY);
        return NULL;
    }
    t->k = (judging){.app = app, .q = whole, .x = whole->x, .v = v, .own_card = true};
    snprintf(label, sizeof label, "sim:%s", whole->x->card);
    bool good = !device_parse(app, label, own, &count) && !device_card_text(app, &own[0], &t->k.card);
    t->k.device = own[0];
    const bool there = good;
    good = false;
    if (!there) judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "the exercise's card %s is not there", whole->x->card);
    else if (!whole->x->kind->form->filmed)
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED,
                  "a whole program has no film: `exec FILE` shows what it does, and `step` then "
                  "shows its kernels");
    else good = judge_form(&t->k)->film(&t->k, &t->plain, &t->text);
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
