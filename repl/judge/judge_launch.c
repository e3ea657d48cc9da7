/* judge_launch.c: judges a choice of launch, for exercises that ask for one on each of several cards.
 * An answer has a line for each card, "8800gt: tile = 16, threads = 256". The kernel is the exercise's
 * own, so a goal may be cycles: no compiler of the student's has a part in them. */
#include "judge_compile.h"
#include "judge_goals.h"
#include "judge_run.h"
#include "device/devices.h"
#include "shell/language.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct choices {
    step_chosen of[EXERCISE_CARDS];
    int line[EXERCISE_CARDS]; /* of the answer; 0: none */
} choices;

typedef struct reader {
    const char *p, *end; /* the rest of the line */
    int line;
    char *why;
    size_t size;
} reader;

static bool refuse(const reader *r, const char *what) { return snprintf(r->why, r->size, "%s", what), false; }

static void blanks(reader *r)
{
    while (r->p < r->end && strchr(" \t\r", *r->p)) r->p++;
}

static bool sign(reader *r, const char *any)
{
    blanks(r);
    return r->p < r->end && strchr(any, *r->p) && r->p++;
}

/* A name, or a number. */
static bool word(reader *r, char *out, size_t size)
{
    size_t n = 0;
    blanks(r);
    for (; r->p < r->end && (isalnum((unsigned char)*r->p) || *r->p == '_' || *r->p == '-'); r->p++)
        if (n + 1 < size) out[n++] = *r->p;
    out[n] = 0;
    return n > 0;
}

/* NAME = NUMBER, of the settings that are to be chosen */
static bool read_choice(const exercise *x, reader *r, step_chosen *out)
{
    char name[LESSON_NAME + 1], number[24], *end;
    if (!word(r, name, sizeof name)) return refuse(r, TR("a setting's name is missing"));
    const int setting = lesson_setting_named(x->l, name, strlen(name));
    bool chosen = false;
    for (int i = 0; i < x->chooses; i++) chosen = chosen || x->choose[i] == setting;
    if (!chosen) return snprintf(r->why, r->size, TR("%s is not to be chosen"), name), false;
    if (out->set[setting]) return snprintf(r->why, r->size, TR("%s is chosen twice for one card"), name), false;
    if (!sign(r, "=:") || !word(r, number, sizeof number)) return refuse(r, TR("write NAME = NUMBER"));
    out->set[setting] = true;
    out->value[setting] = strtoll(number, &end, 10);
    return isdigit((unsigned char)*number) && !*end && strlen(number) < 12 ? true
                                                                           : refuse(r, TR("write NAME = NUMBER"));
}

/* CARD: NAME = NUMBER, NAME = NUMBER ... */
static bool read_line(const exercise *x, reader *r, choices *out)
{
    char card[LESSON_NAME + 1];
    int i = 0;
    if (!word(r, card, sizeof card) || !sign(r, ":")) return refuse(r, TR("write CARD: NAME = NUMBER"));
    while (i <= x->ons && strcmp(card, exercise_card(x, i))) i++;
    if (i > x->ons) return snprintf(r->why, r->size, TR("the card %s is not asked about"), card), false;
    if (out->line[i]) return snprintf(r->why, r->size, TR("there are two lines for %s"), card), false;
    out->line[i] = r->line;
    do {
        if (!read_choice(x, r, &out->of[i])) return false;
    } while (sign(r, ","));
    blanks(r);
    return r->p == r->end ? true : refuse(r, TR("something follows the number"));
}

/* Text after a # is a comment. False: why, and in *line the line, 0 when one is missing. */
static bool read_choices(const exercise *x, const char *text, size_t bytes, choices *out, int *line, char *why,
                         size_t size)
{
    memset(out, 0, sizeof *out);
    *line = 0;
    for (size_t at = 0, n; at < bytes; at += n + 1) {
        const char *newline = memchr(text + at, '\n', bytes - at);
        n = newline ? (size_t)(newline - text) - at : bytes - at;
        const char *comment = memchr(text + at, '#', n);
        reader r = {text + at, comment ? comment : text + at + n, ++*line, why, size};
        blanks(&r);
        if (r.p < r.end && !read_line(x, &r, out)) return false;
    }
    *line = 0;
    for (int i = 0; i <= x->ons; i++)
        for (int n = 0; n < x->chooses; n++)
            if (!out->of[i].set[x->choose[n]])
                return snprintf(why, size, TR("there is no %s for the card %s yet"), x->l->setting[x->choose[n]].name,
                                exercise_card(x, i)),
                       false;
    return true;
}

/* Run the kernel so on the card of `k`. False: the verdict says what is wrong. */
static bool run(judging *k, const step_chosen *chosen, judge_input *in, step_result *r)
{
    char why[200];
    step_request q;
    *in = (judge_input){.fill = -1, .seed = k->q->seed, .timed = true};
    if (!step_settings(k->x->l, k->x->s, chosen, &in->values, why, sizeof why)) {
        judge_say(k->v, JUDGE_FAIL, REASON_REJECTED, "%s", why);
        return false;
    }
    judge_step_request(k, &q, k->x->s, &in->values);
    q.sealed = false; /* the kernel is ours */
    step_run(&q, r);
    snprintf(k->v->device, sizeof k->v->device, "%s", r->device);
    const bool right = judge_weigh(k, &q, r);
    if (!right) step_result_free(r);
    return right;
}

static bool same(const exercise *x, const step_chosen *a, const step_chosen *b)
{
    bool all = true;
    for (int i = 0; i < x->chooses; i++) all = all && a->value[x->choose[i]] == b->value[x->choose[i]];
    return all;
}

/* The answer, and our own, on the card of `k`, which is number `i` of the exercise. */
static void on_card(judging *k, int i, const choices *mine, const choices *own)
{
    judge_verdict *v = k->v, of_own = {0};
    judging other = *k;
    judge_input in, unused;
    step_result r, s;
    size_t n = (size_t)snprintf(v->where, sizeof v->where, "%s: ", k->device.label);
    v->seed = k->q->seed;
    v->line = 0;
    for (int c = 0; c < k->x->chooses && n < sizeof v->where; c++)
        n += (size_t)snprintf(v->where + n, sizeof v->where - n, "%s%s = %lld", c ? ", " : "",
                              k->x->l->setting[k->x->choose[c]].name, (long long)mine->of[i].value[k->x->choose[c]]);
    if (!run(k, &mine->of[i], &in, &r)) {
        v->line = mine->line[i];
        return;
    }
    const bool equal = same(k->x, &mine->of[i], &own->of[i]);
    other.v = &of_own;
    of_own.seed = v->seed;
    if (!equal && !run(&other, &own->of[i], &unused, &s))
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "our own solution does not run: %.500s", of_own.message);
    else {
        char where[sizeof v->where];
        memcpy(where, v->where, sizeof where);
        judge_goals(k, &(judge_sample){.values = &in.values,
                                       .ours = &r,
                                       .solution = equal ? &r : &s,
                                       .where = where,
                                       .seed = v->seed,
                                       .card = i});
        v->passed += v->state == JUDGE_PASS;
        if (!equal) step_result_free(&s);
    }
    k->interrupted = k->interrupted || other.interrupted;
    judge_free(&of_own);
    step_result_free(&r);
}

/* A card that is not the exercise's first. */
static bool take_card(judging *k, const char *name)
{
    struct device d[DEVICES_MAX];
    char label[64];
    int count;
    snprintf(label, sizeof label, "sim:%s", name);
    free(k->card);
    k->card = NULL;
    if (!device_parse(k->app, label, d, &count) && !device_card_text(k->app, &d[0], &k->card)) {
        k->device = d[0];
        return true;
    }
    judge_say(k->v, JUDGE_UNJUDGED, REASON_UNJUDGED, "the exercise's card %s is not there", name);
    return false;
}

static void judge_launch(judging *k)
{
    judge_verdict *v = k->v;
    const exercise *x = k->x;
    choices mine, own;
    char why[200], *text;
    size_t bytes;
    int line;
    v->cases = x->ons + 1;
    if (!read_choices(x, k->q->text, k->q->bytes, &mine, &line, why, sizeof why)) {
        judge_say(v, JUDGE_FAIL, REASON_REJECTED, "%s", why);
        v->line = line;
        return;
    }
    if (!k->own_card) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "a launch is judged on the cards that it is chosen for");
        snprintf(v->advice, sizeof v->advice, "%s", TR("Check it without --device."));
        return;
    }
    if (!(text = judge_folder_text(k, "solution.txt", &bytes))) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "solution.txt cannot be read in %s", x->dir);
        return;
    }
    const bool ours = read_choices(x, text, bytes, &own, &line, why, sizeof why);
    free(text);
    if (!ours) judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "our own solution cannot be read: %s", why);
    if (!ours || !judge_own_kernel(k)) return;
    v->goals = 0;
    for (int i = 0; i <= x->ons && v->state == JUDGE_PASS && !k->interrupted; i++)
        if (!i || take_card(k, exercise_card(x, i))) on_card(k, i, &mine, &own);
}

const struct judge_form judge_form_launch = {.judge = judge_launch, .film = judge_film_own_kernel};
