/* step_through.c: the command `step`, which looks at a block instruction by instruction. */
#include "film_record.h"
#include "shell/format.h"
#include "shell/json.h"
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
    doc_say(&d, 2, "%u warp%s of the block on multiprocessor 1 of %d; the clock counts from the kernel's start.",
            r->warps, r->warps == 1 ? "" : "s", r->multiprocessors);
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

/* Another block of the same launch. */
static void next_block(film_plan *p, const reel *r, int by)
{
    const uint64_t all = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2],
                   n = (r->number + all + (by > 0 ? 1 : all - 1)) % all;
    p->at[0] = (uint32_t)(n % r->grid[0]);
    p->at[1] = (uint32_t)(n / r->grid[0] % r->grid[1]);
    p->at[2] = (uint32_t)(n / r->grid[0] / r->grid[1]);
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

static int step_command(struct app *app, int argc, char **argv)
{
    film_plan p;
    film_made m;
    int block_by, status = film_line(app, &p, argc, argv);
    const bool screen = app->out_tty && !app->json && !p.text && !p.record;
    do {
        block_by = 0;
        if (status) return status;
        status = film_make(app, &p, 0, p.words, true, &m);
        if (!status && p.record) {
            status = record(app, &p, m.f);
        } else if (!status && !(screen && step_screen(m.f, first_frame(&p, m.f), &block_by))) {
            if (!app->json) print_head(m.f);
            status = print_frames(&p, m.f, app->json ? app->out : NULL);
        }
        if (block_by) next_block(&p, m.f->reel, block_by);
        film_made_free(&m);
    } while (block_by);
    return status;
}

int warps_command(struct app *app, int argc, char **argv); /* warps.c */

const struct command film_commands[] = {
    {"step", 4, "Look", "[STEP|FILE[:KERNEL]] [OPTION]...", "step through a block, forwards and back",
     "Shows one instruction of one warp after another: lanes, values, memory, what the\n"
     "other warps wait for. On a terminal it takes the whole screen; ? lists the keys.\n"
     "FILE takes the options of `try`.\n"
     "\n"
     "  --at X[,Y[,Z]]   the block; 0,0,0 without it\n"
     "  --launch N       which launch, where a step has several\n"
     "  --text           lines of text in place of the screen\n"
     "  --from N --to M  these frames only; --back: the last one first\n"
     "  --warp W         this warp only\n"
     "  --find WHAT      only line, barrier, split, wait, scattered, memory, fault\n"
     "  --record FILE    keep it: a page (.html), frames (.json), for Perfetto\n"
     "                   (.trace.json), or a picture of the first frame (.svg)\n"
     "\n"
     "Example:  step 1.v3 --text --find scattered\n",
     step_command, film_complete},
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
