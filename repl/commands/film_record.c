/* film_record.c: see film_record.h. */
#include "film_record.h"
#include "film/page.h"
#include "film/strip.h"
#include "shell/progress.h"
#include "shell/language.h"
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

typedef struct recording {
    struct app *app;
    const film_record *q;
    film_choice c;
    uint32_t *frame;
    char said[160]; /* what the file has */
} recording;

static int damaged(const recording *w)
{
    const char *why = w->c.film[0]->reel->problem;
    return app_fail(w->app, EXIT_INTERNAL, NULL, "%s", *why ? why : NO_MEMORY);
}

/* The frames of a block: those from --from to --to that are asked for. */
static int choose_frames(recording *w)
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

static int choose_clocks(recording *w, int columns)
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

static int choose(recording *w, int columns) { return w->q->block ? choose_frames(w) : choose_clocks(w, columns); }

static int write_page(recording *w, FILE *out)
{
    uint32_t shown;
    const int status = choose(w, FINEST);
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

static int write_trace(recording *w, FILE *out)
{
    uint32_t events;
    bool cut;
    const int status = choose(w, FINEST);
    if (status) return status;
    if (!trace_write(&w->c, out, &events, &cut)) return damaged(w);
    snprintf(w->said, sizeof w->said, TR("%u events%s"), events,
             cut ? w->q->block ? TR("; more do not fit, --from and --to choose others")
                               : TR("; more do not fit, --clock chooses others")
                 : "");
    return EXIT_DONE;
}

static int write_picture(recording *w, FILE *out)
{
    const int status = choose(w, PICTURE_WIDTH);
    if (status) return status;
    const bool ok = w->q->block ? step_picture(w->c.film[0], w->frame[0], PICTURE_WIDTH, PICTURE_HEIGHT, out)
                                : warps_picture(w->c.film, w->c.films, w->c.clock_from, w->c.clock_to, PICTURE_WIDTH,
                                                PICTURE_HEIGHT, out);
    return ok ? EXIT_DONE : damaged(w);
}

static int write_lines(recording *w, FILE *out) { return w->q->lines(w->q->arg, out); }

/* The first that fits: .trace.json is no .json. */
static const struct kind {
    const char *ends;
    int (*write)(recording *w, FILE *out);
    bool embedded; /* `export html` shows it */
} kinds[] = {{".html", write_page, true},
             {".trace.json", write_trace, false},
             {".json", write_lines, false},
             {".svg", write_picture, false}};

static const struct kind *kind_of(const char *path)
{
    const size_t n = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t k = strlen(kinds[i].ends);
        if (n > k && !strcmp(path + n - k, kinds[i].ends)) return &kinds[i];
    }
    return NULL;
}

/* For `export html`: which step, and where. */
static void note(const recording *w, const char *path)
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
    const struct kind *kind = kind_of(path);
    if (!kind)
        return app_fail(app, EXIT_USAGE, q->block ? "help step" : "help warps",
                        "%s: a film is written to a FILE.html, .svg, .json or .trace.json", path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (fd < 0 && errno == EEXIST)
        return app_fail(app, EXIT_USAGE, NULL, "%s exists already; it was not changed", path);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) return app_fail(app, EXIT_USAGE, NULL, "%s cannot be written: %s", path, strerror(errno));
    recording w = {.app = app, .q = q, .c = {.film = q->film, .films = q->films}};
    const enum app_language spoken = language_now();
    if (kind->write == write_lines || kind->write == write_trace) language_speak(LANGUAGE_EN); /* JSON is English */
    const int status = kind->write(&w, out);
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
    if (kind->embedded) note(&w, path);
    doc d = doc_open(app);
    doc_data(&d, "film", "step %s, device %s, file %s", q->film[0]->title, q->film[0]->device, path);
    if (!doc_is_data(&d)) {
        fputs(TR("wrote "), app->out);
        print_safe(app->out, path, strlen(path));
        fprintf(app->out, w.said[0] ? ": %s\n" : "%s\n", w.said);
    }
    return EXIT_DONE;
}
