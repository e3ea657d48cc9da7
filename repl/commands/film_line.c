/* film_line.c: see film_line.h. */
#include "film_line.h"
#include "device/devices.h"
#include "shell/format.h"
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
        if (!*end) return 0;
        if (*end != ',') break;
        at = end + 1;
    }
    return bad(app, "--at", value, "write the block's place in the grid, X or X,Y or X,Y,Z, counted from 0");
}

static int take_number(struct app *app, const char *option, const char *value, int64_t least, int64_t *to)
{
    return take_whole(value, least, INT32_MAX, to) ? 0 : bad(app, option, value, least ? "a number from 1" : "a number");
}

static int take_find(struct app *app, film_plan *p, const char *value)
{
    for (int k = 0; k < FRAME_KINDS; k++)
        if (*value && !strncmp(frame_kind_names[k], value, strlen(value))) {
            p->find = k;
            return 0;
        }
    return bad(app, "--find", value, "one of instruction, line, barrier, split, wait, scattered, memory, fault");
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
    else if (!strcmp(option, "--to")) status = take_number(app, option, value, 1, &p->to);
    else if (!strcmp(option, "--launch")) {
        status = take_number(app, option, value, 1, &n);
        p->launch = (int)n;
    } else {
        status = take_number(app, option, value, 0, &n);
        p->warp = (int)n;
    }
    return status;
}

static const char *const valued[] = {"--at", "--launch", "--record", "--from", "--to", "--find", "--warp", "--clock"};
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

/* Both texts, for quoting. */
static void add_texts(frames *f, const char *ptx, size_t ptx_bytes, char *source, const char *name)
{
    frames_text(&f->source, source);
    frames_text(&f->ptx, ptx ? strndup(ptx, ptx_bytes) : NULL);
    snprintf(f->source_name, sizeof f->source_name, "%.255s", name);
    names_make(f);
}

static int card_of(struct app *app, frames *f, const char *text, const struct device *d)
{
    sim_card card;
    sim_error err = {0};
    if (sim_card_read(&card, text, d->card, &err)) return app_fail(app, EXIT_DEVICE, NULL, "%s", err.message);
    f->card = (view_card){.strict = card.cc_major == 1 && card.cc_minor < 2, .banks = card.banks};
    f->cc_major = card.cc_major;
    return 0;
}

/* The card to use, of those that --device names. */
static int only_simulated(struct app *app, const film_plan *p, struct device *d, int count)
{
    const int which = p->device < 0 ? 0 : p->device;
    if (which < count && (count == 1 || p->device >= 0) && d[which].kind == DEVICE_SIM) {
        *d = d[which];
        return 0;
    }
    return app_fail(app, EXIT_USAGE, "--device sim:h200",
                    count > 1 ? "one card at a time is looked into" : "a GPU cannot be looked into; a simulated card can");
}

static char *file_text(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = in ? open_memstream(&text, &bytes) : NULL;
    char part[4096];
    for (size_t n; to && bytes < (16u << 20) && (n = fread(part, 1, sizeof part, in)) > 0;) fwrite(part, 1, n, to);
    if (in) fclose(in);
    if (to) fclose(to);
    return text;
}

static int make_own(struct app *app, const film_plan *p, int from, int to, const film_request *what, film_made *m)
{
    char name[] = "try", *argv[LESSON_WORDS + 1] = {name};
    struct device d[DEVICES_MAX];
    int count = 0, argc = 1;
    while (from < to) argv[argc++] = p->word[from++];
    if (!(m->plan = calloc(1, sizeof *m->plan))) return app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    int status = try_line(app, m->plan, argc, argv);
    if (!status && app->device_explicit) status = device_resolve(app, NULL, d, &count);
    else if (!status) status = device_parse(app, "sim:h200", d, &count);
    if (!status) status = only_simulated(app, p, d, count);
    step_request q;
    if (!status) status = try_request(app, m->plan, d, count, &q, &m->made);
    if (!status) status = device_card_text(app, d, &m->card);
    if (status) return status;
    q.device = *d;
    q.card_text = m->card;
    q.limit = app->limit;
    if (!m->plan->has_checks) q.checks = SIM_CHECK_BARRIER;
    status = frames_open(app, &q, what, &m->f);
    if (status) return status;
    add_texts(m->f, q.ptx, q.ptx_bytes, m->plan->is_ptx ? NULL : file_text(m->plan->path), m->plan->path);
    return card_of(app, m->f, m->card, d);
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
    if (!step_launches(s)) return app_fail(app, EXIT_USAGE, "next", "step %s runs no kernel", s->name);
    status = session_count_devices(app, s, &with, d, &count);
    if (!status) status = only_simulated(app, p, d, count);
    step_request q = {.checks = SIM_CHECK_BARRIER};
    if (!status) status = session_values(app, s, &with, &q.values);
    if (!status) status = session_request(app, s, d, run_chosen(app, &with), &q, &m->card, &m->ptx);
    if (status) return status;
    q.seed = session_seed(app, s, false);
    char shown[1400], *source;
    size_t bytes;
    status = frames_open(app, &q, what, &m->f);
    if (!status) status = session_kernel_text(app, s, false, &source, &bytes, shown, sizeof shown);
    if (status) return status;
    add_texts(m->f, m->ptx, q.ptx_bytes, source, shown);
    return card_of(app, m->f, m->card, d);
}

int film_make(struct app *app, const film_plan *p, int from, int to, bool whole_block, film_made *m)
{
    const film_request what = {.file = -1, .launch = p->launch, .at = {p->at[0], p->at[1], p->at[2]}, .most = FILM_BYTES,
                               .whole_block = whole_block};
    memset(m, 0, sizeof *m);
    return from < to && is_file(p->word[from]) ? make_own(app, p, from, to, &what, m)
                                               : make_step(app, p, from, to, &what, m);
}

int film_cards(struct app *app) { return app->device_explicit ? app->device_count : 1; }

void film_made_free(film_made *m)
{
    frames_close(m->f);
    free(m->card);
    free(m->ptx);
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
