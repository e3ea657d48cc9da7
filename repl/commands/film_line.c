/* film_line.c: see film_line.h. */
#include "film_line.h"
#include "device/devices.h"
#include "judge/judge.h"
#include "session/exercise_files.h"
#include "session/session.h"
#include "shell/format.h"
#include "shell/plain_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A film of so many bytes has about two million instructions of one block. */
#define FILM_BYTES ((uint64_t)256 << 20)

static int bad(struct app *app, const char *option, const char *value, const char *why)
{
    return app_fail(app, EXIT_USAGE, "help step", "%s %.80s: %s", option, value, why);
}

static bool take_whole(const char *value, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(value, &end, 10);
    return *value && !*end && !errno && *out >= least && *out <= most;
}

static int take_at(struct app *app, film_plan *p, const char *value)
{
    const char *at = value;
    for (int i = 0; i < 3; i++) {
        char *end;
        const unsigned long long v = strtoull(at, &end, 10);
        if (end == at || *at == '-' || v > UINT32_MAX) break;
        p->at[i] = (uint32_t)v;
        p->has_at = true;
        if (!*end) return 0;
        if (*end != ',') break;
        at = end + 1;
    }
    return bad(app, "--at", value, "write the block's place in the grid, X or X,Y or X,Y,Z, counted from 0");
}

static int take_number(struct app *app, const char *option, const char *value, int64_t least, int64_t *to)
{
    return take_whole(value, least, INT32_MAX, to) ? 0
                                                   : bad(app, option, value, least ? "a number from 1" : "a number");
}

static int take_find(struct app *app, film_plan *p, const char *value)
{
    for (int k = 0; k < FRAME_KINDS; k++)
        if (*value && !strncmp(frame_kind_names[k], value, strlen(value))) {
            p->find = k;
            return 0;
        }
    return bad(
        app, "--find", value,
        "one of instruction, line, barrier, split, wait, scattered, memory, global, shared, atomic, fault, product, "
        "copy");
}

static int take_clock(struct app *app, film_plan *p, const char *value)
{
    char *end;
    errno = 0;
    p->clock_from = strtoll(value, &end, 10);
    if (end != value && *end == ':' && end[1]) p->clock_to = strtoll(end + 1, &end, 10);
    if (!errno && end != value && !*end && p->clock_from >= 0 && p->clock_to > p->clock_from) return 0;
    return bad(app, "--clock", value, "write FROM:TO in clocks, for example 0:5000");
}

static int take(struct app *app, film_plan *p, const char *option, const char *value)
{
    int64_t n = 0;
    int status = 0;
    if (!strcmp(option, "--at")) return take_at(app, p, value);
    if (!strcmp(option, "--find")) return take_find(app, p, value);
    if (!strcmp(option, "--clock")) return take_clock(app, p, value);
    if (!strcmp(option, "--record")) p->record = value;
    else if (!strcmp(option, "--from")) status = take_number(app, option, value, 1, &p->from);
    else if (!strcmp(option, "--case")) status = take_number(app, option, value, 0, &p->input);
    else if (!strcmp(option, "--look")) status = take_number(app, option, value, 1, &p->look);
    else if (!strcmp(option, "--to")) status = take_number(app, option, value, 1, &p->to);
    else if (!strcmp(option, "--launch")) {
        status = take_number(app, option, value, 1, &n);
        p->launch = (int)n;
        p->has_at = true;
    } else {
        status = take_number(app, option, value, 0, &n);
        p->warp = (int)n;
    }
    return status;
}

static const char *const valued[] = {"--at",   "--launch", "--record", "--from", "--to",
                                     "--find", "--look",   "--case",   "--warp", "--clock"};
enum { VALUED = sizeof valued / sizeof *valued };

int film_line(struct app *app, film_plan *p, int argc, char **argv)
{
    *p = (film_plan){.launch = 1, .find = -1, .warp = -1, .device = -1};
    for (int i = 1; i < argc; i++) {
        const char *equals = !strncmp(argv[i], "--", 2) ? strchr(argv[i], '=') : NULL;
        const size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        int k = 0;
        while (k < VALUED && (strlen(valued[k]) != length || strncmp(valued[k], argv[i], length))) k++;
        if (k == VALUED) {
            if (!strcmp(argv[i], "--text")) p->text = true;
            else if (!strcmp(argv[i], "--back")) p->back = true;
            else if (p->words == LESSON_WORDS) return app_fail(app, EXIT_USAGE, NULL, "too many words");
            else p->word[p->words++] = argv[i];
            continue;
        }
        const char *value = equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
        if (!value) return app_fail(app, EXIT_USAGE, "help step", "%s needs a value after it", valued[k]);
        const int status = take(app, p, valued[k], value);
        if (status) return status;
    }
    if (p->from && p->to && p->to < p->from)
        return app_fail(app, EXIT_USAGE, NULL, "--to %lld comes before --from %lld", (long long)p->to,
                        (long long)p->from);
    return 0;
}

static bool is_file(const char *word)
{
    const char *colon = strrchr(word, ':');
    const size_t n = colon ? (size_t)(colon - word) : strlen(word);
    return (n > 3 && !strncmp(word + n - 3, ".cu", 3)) || (n > 4 && !strncmp(word + n - 4, ".ptx", 4));
}

/* The card to use, of those that --device names. */
static int only_simulated(struct app *app, const film_plan *p, struct device *d, int count)
{
    const int which = p->device < 0 ? 0 : p->device;
    if (which < count && (count == 1 || p->device >= 0) && d[which].kind == DEVICE_SIM) {
        *d = d[which];
        return 0;
    }
    return app_fail(app, EXIT_USAGE, "--device sim:" DEFAULT_CARD,
                    count > 1 ? "one card at a time is looked into"
                              : "a GPU cannot be looked into; a simulated card can");
}

static char *file_text(const char *path)
{
    char *text;
    size_t bytes;
    (void)file_read(path, 16 << 20, &text, &bytes);
    return text;
}

/* Races and unwritten values cost time to look for. */
static unsigned film_checks(const film_plan *p) { return p->find == FRAME_FAULT ? SIM_CHECK_ALL : SIM_CHECK_BARRIER; }

static int make_own(struct app *app, const film_plan *p, int from, int to, const film_request *what, film_made *m)
{
    char name[] = "try", *argv[LESSON_WORDS + 1] = {name};
    struct device d[DEVICES_MAX];
    int count = 0, argc = 1;
    while (from < to) argv[argc++] = p->word[from++];
    if (p->look) return app_fail(app, EXIT_USAGE, "help look", "only steps of a lesson have moments that it names");
    if (!(m->plan = calloc(1, sizeof *m->plan))) return app_no_memory(app);
    int status = try_line(app, m->plan, argc, argv);
    if (!status && app->device_explicit) status = device_resolve(app, NULL, d, &count);
    else if (!status) status = device_parse(app, "sim:" DEFAULT_CARD, d, &count);
    if (!status) status = only_simulated(app, p, d, count);
    step_request q;
    if (!status) status = try_request(app, m->plan, d, count, &q, &m->made);
    if (!status) status = device_card_text(app, d, &m->card);
    if (status) return status;
    q.device = *d;
    q.card_text = m->card;
    q.limit = app->limit;
    if (!m->plan->has_checks) q.checks = film_checks(p);
    status = frames_open(app, &q, what, &m->f);
    if (status) return status;
    frames_texts(m->f, q.ptx, q.ptx_bytes, m->plan->is_ptx ? NULL : file_text(m->plan->path), m->plan->path);
    return frames_card(m->f, m->card, d);
}

static int make_step(struct app *app, const film_plan *p, int from, int to, const film_request *what, film_made *m)
{
    char name[] = "step", *words[LESSON_WORDS + 1] = {name}, *argv[LESSON_WORDS];
    struct device d[DEVICES_MAX];
    const lesson_step *s;
    int count, argc = 1;
    while (from < to) words[argc++] = p->word[from++];
    int status = lesson_words_about(app, &argc, words, argv, &s);
    if (status) return status;
    step_chosen with = *session_chosen(app);
    if ((status = lesson_take_settings(app, &with, &argc, argv))) return status;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "help step", "\"%s\" is no setting and no option", argv[1]);
    if ((status = session_use(app, s, USE_FILM, NULL))) return status;
    if (!step_launches(s)) return app_fail(app, EXIT_USAGE, "next", "step %s runs no kernel", s->name);
    status = session_count_devices(app, s, &with, d, &count);
    if (!status) status = only_simulated(app, p, d, count);
    film_request there = *what;
    if (!status && p->look > s->look_count)
        status = s->look_count ? app_fail(app, EXIT_USAGE, "look", "step %s has %d moments to look at, not %lld",
                                          s->name, s->look_count, (long long)p->look)
                               : app_fail(app, EXIT_USAGE, "step", "the lesson names no moment of step %s", s->name);
    if (status) return status;
    if (p->look) look_film(&s->look[p->look - 1], &there);
    m->s = s;
    return frames_of_step(app, s, d, &with, &there, p->look ? look_checks(&s->look[p->look - 1]) : film_checks(p),
                          &m->f);
}

/* ---- answers of exercises ---- */

/* The student's file, or the one that is named. */
static int answer_text(struct app *app, const exercise *x, const char *file, char **text, size_t *bytes)
{
    char *path = file ? strdup(file) : exercise_path(app, x), id[32], next[64];
    if (!path) return app_fail(app, EXIT_INTERNAL, "doctor", "there is no place for a file of yours");
    snprintf(next, sizeof next, "exercise %s", exercise_id(x, id, sizeof id));
    const int why = exercise_file(path, JUDGE_SOURCE_MAX, text, bytes);
    int status = 0;
    if (why == ENOENT) status = app_fail(app, EXIT_USAGE, next, "there is no %s, not yet or no longer", path);
    else if (why) status = app_fail(app, EXIT_USAGE, NULL, "%s is not taken: %s", path, exercise_file_error(why));
    free(path);
    return status;
}

static int make_answer(struct app *app, const film_plan *p, int from, int to, const film_request *what, film_made *m)
{
    const char *word = from < to ? p->word[from] : NULL, *file = from + 1 < to ? p->word[from + 1] : NULL;
    const exercise *x;
    char id[32], kernel[1400];
    size_t bytes = 0;
    int status = exercise_session(app, word, &x);
    if (status) return status;
    exercise_id(x, id, sizeof id);
    if (from + 2 < to) return app_fail(app, EXIT_USAGE, "help step", "step takes an exercise and a file of its answer");
    if (p->look) return app_fail(app, EXIT_USAGE, "help look", "only steps of a lesson have moments that it names");
    if (app->device_explicit)
        return app_fail(app, EXIT_USAGE, "step", "an answer is looked at on the card of its exercise, %s", x->card);
    snprintf(kernel, sizeof kernel, "%s/kernel.cu", x->dir);
    if (!x->kind->form->text) status = answer_text(app, x, file, &m->text, &bytes);
    else if (file_read(kernel, JUDGE_SOURCE_MAX, &m->text, &bytes))
        status = app_fail(app, EXIT_INTERNAL, "doctor", "%s cannot be read", kernel);
    if (status) return status;
    char name[64];
    snprintf(name, sizeof name, "%.16s-%.40s.cu", id, exercise_name(x));
    const judge_request q = {.x = x, .text = m->text, .bytes = bytes, .name = name, .seed = app->seed ? app->seed : 1};
    judge_verdict v;
    m->answer = judge_film_open(app, &q, (int)p->input, &v);
    if (!m->answer) {
        char says[900];
        judge_sentence(&v, says, sizeof says);
        judge_free(&v);
        return app_fail(app, EXIT_CHECK, "check", "%s: %s", id, says);
    }
    judge_free(&v);
    step_request r = *judge_film_request(m->answer);
    r.checks = film_checks(p);
    status = frames_open(app, &r, what, &m->f);
    if (status) return status;
    snprintf(m->f->title, sizeof m->f->title, "%.31s", id);
    frames_texts(m->f, r.ptx, r.ptx_bytes, strdup(m->text), name);
    return frames_card(m->f, r.card_text, &r.device);
}

int film_make(struct app *app, const film_plan *p, int from, int to, bool whole_block, film_made *m)
{
    const film_request what = {.file = -1,
                               .launch = p->launch,
                               .at = {p->at[0], p->at[1], p->at[2]},
                               .most = FILM_BYTES,
                               .at_fault = p->find == FRAME_FAULT && !p->has_at && !p->look,
                               .whole_block = whole_block};
    memset(m, 0, sizeof *m);
    if (from < to && is_file(p->word[from])) return make_own(app, p, from, to, &what, m);
    if (from < to ? exercise_named(p->word[from]) : exercise_at_hand(app))
        return make_answer(app, p, from, to, &what, m);
    return make_step(app, p, from, to, &what, m);
}

int film_cards(struct app *app) { return app->device_explicit ? app->device_count : 1; }

void film_made_free(film_made *m)
{
    frames_close(m->f);
    free(m->card);
    judge_film_free(m->answer);
    free(m->text);
    if (m->plan) {
        try_made_free(&m->made);
        try_plan_free(m->plan);
    }
}

void film_complete(struct app *app, int argc, char **argv, struct words *out)
{
    const char *last = argc > 1 ? argv[argc - 1] : "";
    if (!strcmp(last, "--find")) {
        for (int k = 0; k < FRAME_KINDS; k++) words_add(out, frame_kind_names[k]);
        return;
    }
    if (!strcmp(last, "--record")) complete_files(out);
    for (int k = 0; k < VALUED; k++)
        if (!strcmp(last, valued[k])) return;
    lesson_complete_steps(app, argc, argv, out);
    complete_files(out);
    for (int k = 0; k < VALUED; k++) words_add(out, valued[k]);
    words_add(out, "--text");
    words_add(out, "--back");
}
