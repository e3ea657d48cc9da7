/* film_record.c: see film_record.h. */
#include "film_record.h"
#include "film/strip.h"
#include "shell/progress.h"
#include "shell/language.h"
#include "shell/words.h"
#include "list.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FRAMES_KEPT = 2000,         /* without --to */
    PAGE_BYTES = 1700000,       /* then the page, with all that is beside the frames, is below 2 MiB */
    PAGE_BYTES_MOST = 24 << 20, /* with --to */
    FINEST = 480 * 16,          /* columns of a page's finest strip */
    PICTURE_WIDTH = 100,
    PICTURE_HEIGHT = 30
};

static int damaged(const film_writing *w)
{
    const char *why = w->c.film[0]->reel->problem;
    return app_fail(w->app, EXIT_INTERNAL, NULL, "%s", *why ? why : NO_MEMORY);
}

/* The frames of a block: those from --from to --to that are asked for. */
static int choose_frames(film_writing *w)
{
    const film_plan *p = w->q->p;
    frames *f = w->c.film[0];
    for (uint32_t i = p->from ? (uint32_t)p->from - 1 : 0; !p->to || i < (uint32_t)p->to; i++) {
        frames_wait(f, i + 2);
        if (app_interrupted) return EXIT_INTERRUPT;
        if (i >= f->reel->steps || (!p->to && w->c.frames == FRAMES_KEPT)) break;
        if (!w->q->chosen(p, f, i)) continue;
        if (!list_grow(&w->frame, w->c.frames, sizeof *w->frame))
            return app_no_memory(w->app);
        w->frame[w->c.frames++] = i;
    }
    if (!w->c.frames) return app_fail(w->app, EXIT_USAGE, "help step", "no frame of %u is like that", f->reel->steps);
    w->c.frame = w->frame;
    const uint32_t last = w->frame[w->c.frames - 1];
    frames_settle(f, last);
    frames_wait(f, last + 2); /* is there more? */
    w->c.clock_from = frame_row(f, w->frame[0])->clock;
    w->c.clock_to = frame_row(f, last)->clock + 1;
    w->c.most = p->to ? PAGE_BYTES_MOST : PAGE_BYTES;
    return app_interrupted ? EXIT_INTERRUPT : EXIT_DONE;
}

static int choose_clocks(film_writing *w, int columns)
{
    const film_plan *p = w->q->p;
    uint64_t end = 1;
    w->c.clock_from = (uint64_t)p->clock_from;
    w->c.clock_to = p->clock_to ? (uint64_t)p->clock_to : strip_window(columns);
    for (int i = 0; i < w->c.films; i++) {
        strip_wait(w->c.film[i], w->c.clock_to);
        if (app_interrupted) return EXIT_INTERRUPT;
        if (strip_end(w->c.film[i]) > end) end = strip_end(w->c.film[i]);
    }
    if (!p->clock_to && w->c.clock_to > end) w->c.clock_to = end;
    if (w->c.clock_to > w->c.clock_from) return EXIT_DONE;
    return app_fail(w->app, EXIT_USAGE, "help warps", "--clock begins after the last clock, %llu",
                    (unsigned long long)end);
}

int film_write_choose(film_writing *w, int columns)
{
    return w->q->block ? choose_frames(w) : choose_clocks(w, columns);
}

int film_write_page(film_writing *w, FILE *out)
{
    uint32_t shown;
    const int status = film_write_choose(w, FINEST);
    if (status) return status;
    if (!page_write(&w->c, out, &shown)) return damaged(w);
    const uint32_t all = w->c.film[0]->reel->steps;
    if (!w->q->block) return EXIT_DONE;
    snprintf(w->said, sizeof w->said, TR("%u step%s%s"), shown, shown == 1 ? "" : "s",
             shown < w->c.frames                             ? TR("; more do not fit, --from chooses others")
             : all > w->frame[shown - 1] + 1 && !w->q->p->to ? TR("; the block has more, --from and --to choose others")
                                                             : "");
    return EXIT_DONE;
}

int film_write_trace(film_writing *w, FILE *out)
{
    uint32_t events;
    bool cut;
    const int status = film_write_choose(w, FINEST);
    if (status) return status;
    if (!trace_write(&w->c, out, &events, &cut)) return damaged(w);
    snprintf(w->said, sizeof w->said, TR("%u events%s"), events,
             cut ? w->q->block ? TR("; more do not fit, --from and --to choose others")
                               : TR("; more do not fit, --clock chooses others")
                 : "");
    return EXIT_DONE;
}

int film_write_picture(film_writing *w, FILE *out)
{
    const int status = film_write_choose(w, PICTURE_WIDTH);
    if (status) return status;
    const bool ok = w->q->block ? step_picture(w->c.film[0], w->frame[0], PICTURE_WIDTH, PICTURE_HEIGHT, out)
                                : warps_picture(w->c.film, w->c.films, w->c.clock_from, w->c.clock_to, PICTURE_WIDTH,
                                                PICTURE_HEIGHT, out);
    return ok ? EXIT_DONE : damaged(w);
}

int film_write_lines(film_writing *w, FILE *out) { return w->q->lines(w->q->arg, out); }

static const film_format formats[] = {
#define FORMAT(name, ending, ...) {.ends = ending, .write = film_write_##name, __VA_ARGS__},
#include "film_formats.def"
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const film_format *format_of(const char *path)
{
    const size_t n = strlen(path);
    const film_format *best = NULL;
    for (const film_format *f = formats; f < formats + FORMATS; f++) {
        const size_t k = strlen(f->ends);
        if (n > k && !strcmp(path + n - k, f->ends) && (!best || k > strlen(best->ends))) best = f;
    }
    return best;
}

static int no_format(struct app *app, const film_record *q)
{
    struct words endings = {0};
    char list[200];
    for (int i = 0; i < FORMATS; i++) words_add(&endings, formats[i].ends);
    language_either(&endings, list, sizeof list);
    words_free(&endings);
    return app_fail(app, EXIT_USAGE, q->block ? "help step" : "help warps", "%s: a film is written to a FILE%s",
                    q->p->record, list);
}

/* For `export html`: which step, and where. */
static void note(const film_writing *w, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *const pairs[] = {"device",  w->c.film[0]->device,           "file", whole,
                                 "command", w->q->block ? "step" : "warps", NULL};
    if (whole) state_record(w->app, "film", w->c.film[0]->title, pairs);
    free(whole);
}

int film_record_write(struct app *app, const film_record *q)
{
    const char *path = q->p->record;
    const film_format *format = format_of(path);
    if (!format) return no_format(app, q);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (fd < 0 && errno == EEXIST)
        return app_fail(app, EXIT_USAGE, NULL, "%s exists already; it was not changed", path);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) return app_fail(app, EXIT_USAGE, NULL, "%s cannot be written: %s", path, strerror(errno));
    film_writing w = {.app = app, .q = q, .c = {.film = q->film, .films = q->films}};
    const enum app_language spoken = language_now();
    if (format->english) language_speak(LANGUAGE_EN);
    const int status = format->write(&w, out);
    language_speak(spoken);
    int why = ferror(out) || fflush(out) ? errno : 0;
    if (fclose(out) && !why) why = errno;
    free(w.frame);
    if (status || why) { /* half a film is useless, and O_EXCL would refuse the next attempt */
        unlink(path);
        return status ? status
                      : app_fail(app, EXIT_INTERNAL, NULL, "%s could not be written in full and was removed: %s", path,
                                 strerror(why));
    }
    if (format->embedded) note(&w, path);
    doc d = doc_open(app);
    doc_data(&d, "film", "step %s, device %s, file %s", q->film[0]->title, q->film[0]->device, path);
    doc_part(&d, STYLE_PLAIN, "wrote ");
    doc_safe(&d, path, strlen(path));
    doc_line(&d, "%s%s", w.said[0] ? ": " : "", w.said);
    return EXIT_DONE;
}
