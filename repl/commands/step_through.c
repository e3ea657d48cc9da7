/* step_through.c: the command `step`, which looks at a block instruction by instruction. */
#include "film_record.h"
#include "shell/format.h"
#include "session/session.h"
#include "shell/json.h"
#include "shell/language.h"
#include <stdlib.h>
#include <string.h>

static bool chosen(const film_plan *p, frames *f, uint32_t i)
{
    const reel_row *r = frame_row(f, i);
    if (p->warp >= 0 && r->warp != (uint32_t)p->warp) return false;
    return p->find < 0 || frame_is(f, i, (enum frame_kind)p->find);
}

enum { FRAMES_PRINTED = 100 /* without --to */ };

static int print_one(frames *f, uint32_t i, doc *d, FILE *lines)
{
    frame r;
    if (!frame_at(f, i, &r)) return app_fail(f->app, EXIT_INTERNAL, NULL, "the film is damaged: %s", f->reel->problem);
    if (lines) frame_json(f, &r, lines);
    else frame_print(d, f, &r);
    return EXIT_DONE;
}

/* The frames asked for, as text, or as JSON to `lines`. */
static int print_frames(const film_plan *p, frames *f, FILE *lines)
{
    doc d = doc_open(f->app);
    uint32_t shown = 0;
    const uint32_t first = p->from ? (uint32_t)p->from - 1 : 0, most = p->to ? (uint32_t)p->to : UINT32_MAX;
    if (p->back) frames_wait(f, most);
    const uint32_t end = p->back && most > f->reel->steps ? f->reel->steps : most;
    for (uint32_t k = first; k < end; k++) {
        const uint32_t i = p->back ? end - 1 - (k - first) : k;
        if (i < UINT32_MAX - 1) frames_settle(f, i);
        if (app_interrupted) return EXIT_INTERRUPT;
        if (i >= f->reel->steps || (!p->to && !lines && shown == FRAMES_PRINTED)) break;
        if (!chosen(p, f, i)) continue;
        const int status = print_one(f, i, &d, lines);
        if (status) return status;
        shown++;
    }
    if (!lines && !shown) doc_say(&d, 0, "No frame of %u is like that.", f->reel->steps);
    if (!lines && !p->to && shown == FRAMES_PRINTED)
        doc_say(&d, 0, "These are the first %d. --from N --to M prints others.", FRAMES_PRINTED);
    return EXIT_DONE;
}

static void print_head(frames *f)
{
    doc d = doc_open(f->app);
    const reel *r = f->reel;
    doc_head(&d, f->device, "%s, block %u,%u,%u of %u x %u x %u", f->title, r->at[0], r->at[1], r->at[2], r->grid[0],
             r->grid[1], r->grid[2]);
    doc_say(&d, 2, "%u warp%s of the block on multiprocessor %u of %d; the clock counts from the kernel's start.",
            r->warps, r->warps == 1 ? "" : "s", r->multiprocessor + 1, r->multiprocessors);
    doc_gap(&d);
}

typedef struct lines_of {
    const film_plan *p;
    frames *f;
} lines_of;

static int write_lines(void *arg, FILE *out)
{
    const lines_of *l = arg;
    return print_frames(l->p, l->f, out);
}

static int record(struct app *app, const film_plan *p, frames *f)
{
    lines_of l = {p, f};
    return film_record_write(
        app, &(film_record){
                 .p = p, .film = &f, .films = 1, .block = true, .chosen = chosen, .lines = write_lines, .arg = &l});
}

static void place_block(film_plan *p, const reel *r, uint64_t n)
{
    p->at[0] = (uint32_t)(n % r->grid[0]);
    p->at[1] = (uint32_t)(n / r->grid[0] % r->grid[1]);
    p->at[2] = (uint32_t)(n / r->grid[0] / r->grid[1]);
    p->has_at = true;
}

/* Another block of the same launch. */
static void next_block(film_plan *p, const reel *r, int by)
{
    const uint64_t all = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    place_block(p, r, (r->number + all + (by > 0 ? 1 : all - 1)) % all);
}

/* The first frame to show. */
static uint32_t first_frame(const film_plan *p, frames *f)
{
    uint32_t i = p->from ? (uint32_t)p->from - 1 : 0;
    for (;; i++) {
        frames_wait(f, i + 2);
        if (i >= f->reel->steps) return 0;
        if (chosen(p, f, i)) return i;
    }
}

/* ---- the two sides of a race, in two blocks ---- */

typedef struct across {
    bool wanted;     /* the earlier side, in a film of its own */
    bool there;      /* it is shown */
    frame_side side; /* the earlier one */
    uint32_t at[3];  /* of the later one: its block, ... */
    uint32_t later;  /* ... its frame */
} across;

/* To the earlier side, or back. */
static void cross(across *x, film_plan *p, const frames *f, const step_visit *v)
{
    x->there = v->by > 0;
    x->wanted = true;
    if (v->by > 0) {
        memcpy(x->at, f->reel->at, sizeof x->at);
        x->side = v->side;
        x->later = v->from;
        place_block(p, f->reel, v->side.block);
    } else {
        memcpy(p->at, x->at, sizeof p->at);
    }
}

/* ---- the moments of a lesson, in its order ---- */

static int count_looks(const lesson *l, const lesson_step *before)
{
    int n = 0;
    for (const lesson_step *s = l->step; s < (before ? before : l->step + l->step_count); s++) n += s->look_count;
    return n;
}

/* Goes to the next one, or the one before; around at the ends. */
static void next_look(film_plan *p, const lesson *l, const lesson_step *s, int by)
{
    const int all = count_looks(l, NULL), before = count_looks(l, s);
    int to = by > 0 ? before + (int)p->look + 1 : before + (int)p->look - 1; /* from 1 */
    if (to > all) to = 1;
    if (to < 1) to = all;
    for (s = l->step; to > s->look_count; s++) to -= s->look_count;
    p->look = to;
    snprintf(p->step, sizeof p->step, "%d.%s", l->number, s->name);
    if (!p->words || strchr(p->word[0], '=')) { /* it was about the step at hand */
        memmove(p->word + 1, p->word, (size_t)p->words * sizeof *p->word);
        p->words++;
    }
    p->word[0] = p->step;
}

/* Where to begin, and what is said of it. 0, or a status after a message. */
static int enter(const film_plan *p, film_made *m, step_visit *v, char **note, char *place, size_t size)
{
    struct app *app = m->f->app;
    const lesson_look *k = p->look ? &m->s->look[p->look - 1] : NULL;
    char which[120];
    *v = (step_visit){.looks = m->s ? count_looks(app->lesson->l, NULL) : 0};
    v->from = k ? look_find(m->f, k) : first_frame(p, m->f);
    if (!k) return 0;
    if (app_interrupted) return EXIT_INTERRUPT;
    if (v->from == UINT32_MAX)
        return app_fail(app, EXIT_CHECK, NULL,
                        "on %s %s has no such moment (%s): with another card or size it happens differently",
                        m->f->device, m->f->title, look_place(k, which, sizeof which));
    snprintf(place, size, TR("look %d of %d"), count_looks(app->lesson->l, m->s) + (int)p->look, v->looks);
    m->f->note = *note = look_says(k);
    m->f->note_at = v->from;
    v->place = place;
    return 0;
}

/* The frame of a moment, and what the lesson says of it. */
static int print_moment(frames *f, const step_visit *v)
{
    frame r;
    doc d = doc_open(f->app);
    if (!frame_at(f, v->from, &r))
        return app_fail(f->app, EXIT_INTERNAL, NULL, "the film is damaged: %s", f->reel->problem);
    if (f->app->json) {
        frame_json(f, &r, f->app->out);
    } else {
        frame_print(&d, f, &r);
    }
    return EXIT_DONE;
}

/* The first frame of a film, by what was asked for or where the visit before led to. */
static int begin_visit(film_plan *p, film_made *m, across *x, step_visit *v, char **note, char *place, size_t size)
{
    static const char other_side[] = "This is the earlier side of the race. o goes back to the later one.";
    static const char nothing[] = "The checks find nothing here when warps run in the order of the card's clock.";
    int status = enter(p, m, v, note, place, size);
    if (!status && p->find == FRAME_FAULT && !x->wanted && v->from < m->f->reel->steps &&
        !frame_is(m->f, v->from, FRAME_FAULT)) {
        m->f->note = TR(nothing);
        m->f->note_at = v->from;
    }
    if (status || !x->wanted) return status;
    x->wanted = false;
    v->from = x->there ? side_find(m->f, &x->side) : x->later;
    frames_wait(m->f, v->from == UINT32_MAX ? 0 : v->from + 1);
    v->back = x->there;
    if (x->there && v->from != UINT32_MAX) {
        m->f->note = TR(other_side);
        m->f->note_at = v->from;
    }
    return 0;
}

/* Nothing was found in the block that was named: it may be in another. */
static bool look_elsewhere(film_plan *p, const film_made *m, const step_visit *v)
{
    if (p->find != FRAME_FAULT || !p->has_at || (v->from < m->f->reel->steps && frame_is(m->f, v->from, FRAME_FAULT)))
        return false;
    p->has_at = false;
    return true;
}

static int step_command(struct app *app, int argc, char **argv)
{
    film_plan p;
    film_made m;
    step_visit v;
    across x = {0};
    if (argc == 1 && app->fault_step) {
        char line[4096];
        snprintf(line, sizeof line, "%s", app->fault_step); /* which that command may forget */
        return app_line(app, line);
    }
    int status = film_line(app, &p, argc, argv);
    const bool screen = app->out_tty && !app->json && !p.text && !p.record;
    bool again, first = true;
    do {
        char *note = NULL, place[60];
        if (status) return status;
        v.end = VISIT_LEFT;
        status = film_make(app, &p, 0, p.words, true, &m);
        if (!status) p.launch = frames_launch(m.f);
        if (!status) status = begin_visit(&p, &m, &x, &v, &note, place, sizeof place);
        again = !status && first && look_elsewhere(&p, &m, &v);
        first = false;
        if (!again && !status && p.record) {
            status = record(app, &p, m.f);
        } else if (!again && !status && !(screen && step_screen(m.f, &v))) {
            if (!app->json) print_head(m.f);
            status = p.look ? print_moment(m.f, &v) : print_frames(&p, m.f, app->json ? app->out : NULL);
        }
        if (v.end == VISIT_BLOCK) next_block(&p, m.f->reel, v.by);
        if (v.end == VISIT_SIDE) cross(&x, &p, m.f, &v);
        if (v.end == VISIT_LOOK) next_look(&p, app->lesson->l, m.s, v.by);
        else if (!again) p.look = 0;
        film_made_free(&m);
        free(note);
    } while (again || v.end != VISIT_LEFT);
    return status;
}

int film_play(struct app *app, film_scene *to)
{
    film_plan p = {.launch = 1, .find = -1, .warp = -1, .device = -1, .look = to->look, .words = 1};
    film_made m;
    step_visit v;
    char *note = NULL, place[60], scene_place[40];
    snprintf(p.step, sizeof p.step, "%s", to->step);
    p.word[0] = p.step;
    int status = film_make(app, &p, 0, 1, true, &m);
    if (!status) status = enter(&p, &m, &v, &note, place, sizeof place);
    if (!status) {
        snprintf(scene_place, sizeof scene_place, "%d/%d", to->number, to->of);
        v.place = scene_place;
        v.scene = true;
        v.seconds = to->seconds;
        v.looks = 0;
        to->shown = app->out_tty && to->screen && step_screen(m.f, &v);
        to->by = v.end == VISIT_SCENE ? v.by : 0;
        if (!to->shown) print_head(m.f);
        if (!to->shown) status = print_moment(m.f, &v);
    }
    film_made_free(&m);
    free(note);
    return status;
}

/* ---- look ---- */

static void list_step(doc *d, const lesson_step *s)
{
    char number[80], place[120];
    for (int i = 0; i < s->look_count; i++) {
        char *says = look_says(&s->look[i]);
        doc_data(d, "look", "lesson %d, step %s, look %d, at %s, text %s", d->app->lesson->l->number, s->name, i + 1,
                 look_place(&s->look[i], place, sizeof place), says);
        snprintf(number, sizeof number, "  %s %d", session_step_name(d->app, s), i + 1);
        doc_entry(d, 18, number, "%s", says ? says : "");
        free(says);
    }
}

/* Of one step, or, at the start of a lesson, of all. */
static int list_looks(struct app *app, const char *name)
{
    const lesson_step *s = NULL;
    doc d = doc_open(app);
    int status = name ? session_step(app, name, &s) : session_here(app);
    if (status) return status;
    if (!s) s = app->lesson->s;
    else if (!app->lesson->s) app->lesson->s = s;
    const lesson *l = app->lesson->l;
    if (s ? !s->look_count : !count_looks(l, NULL))
        return app_fail(app, EXIT_USAGE, s && step_launches(s) ? "step" : "lessons",
                        "the lesson names no moment of %s %s", TR(s ? "step" : "lesson"), s ? s->name : l->title);
    doc_head(&d, "", "%s  %s", session_step_name(app, s), s ? s->title : l->title);
    for (const lesson_step *k = s ? s : l->step; k < (s ? s + 1 : l->step + l->step_count); k++) list_step(&d, k);
    doc_gap(&d);
    doc_say(&d, 2, "`look STEP N` goes there, and from there `>` to the next.");
    return EXIT_DONE;
}

static int look_command(struct app *app, int argc, char **argv)
{
    char *words[LESSON_WORDS + 2], option[] = "--look";
    int kept = 0, number = 0;
    if (argc > LESSON_WORDS) return app_fail(app, EXIT_USAGE, "help look", "too many words");
    for (int i = 0; i < argc; i++) {
        const bool is_number = i && argv[i][strspn(argv[i], "0123456789")] == 0;
        if (is_number && !number) {
            number = i;
            words[kept++] = option;
        }
        words[kept++] = argv[i];
    }
    if (number) return step_command(app, kept, words);
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help look", "look takes a step and a number");
    return list_looks(app, argc > 1 ? argv[1] : NULL);
}

int warps_command(struct app *app, int argc, char **argv); /* warps.c */

const struct command film_commands[] = {
    {"step", 4, "Look", "[STEP|FILE[:KERNEL]] [OPTION]...", "step through a block, forwards and back",
     "Shows one instruction of one warp after another: lanes, values, memory, what the\n"
     "other warps wait for. On a terminal it takes the whole screen; ? lists the keys.\n"
     "FILE takes the options of `try`. In an exercise, or with its number (1.2), it\n"
     "goes through your answer. After a fault was found, `step` alone goes there.\n"
     "\n"
     "  --at X[,Y[,Z]]   the block; 0,0,0 without it\n"
     "  --launch N       which launch, where a step has several\n"
     "  --text           lines of text in place of the screen\n"
     "  --from N --to M  these frames only; --back: the last one first\n"
     "  --warp W         this warp only\n"
     "  --find WHAT      only line, barrier, split, wait, scattered, memory, global,\n"
     "                   shared, atomic, fault, product, copy\n"
     "  --case N         of an answer's inputs the Nth, as `check` counts them\n"
     "  --look N         at the Nth moment that the lesson names (`look` lists them)\n"
     "  --record FILE    keep it: a page (.html), frames (.json), for Perfetto\n"
     "                   (.trace.json), or a picture of the first frame (.svg)\n"
     "\n"
     "Example:  step 1.v3 --text --find scattered\n",
     step_command, film_complete},
    {"look", 3, "Look", "[STEP] [N]", "the moments of a step worth seeing",
     "Lists the moments that the lesson names, of a step or, at its start, of all, or\n"
     "opens `step` at one of them.\n"
     "\n"
     "Example:  look v2 1\n",
     look_command, lesson_complete_steps},
    {"warps", 2, "Look", "[STEP|FILE[:KERNEL]]... [OPTION]...", "all warps of a multiprocessor over time",
     "Shows what each warp of one multiprocessor does: a row for each warp, a column\n"
     "for some clocks. Two steps, or two cards (--device A,B), stand above each other.\n"
     "FILE takes the options of `try`. On a terminal it takes the whole screen.\n"
     "\n"
     "  --clock FROM:TO  these clocks only\n"
     "  --at, --launch, --text, --record  as for `step`\n"
     "\n"
     "Example:  warps 1.v1 1.v4 --text\n",
     warps_command, film_complete},
    {0},
};
