/* frames.c: a film that is made while it is looked at. A thread waits for the child that runs the
 * step; the film itself comes through the file that both share. */
#include "frame.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct film_run {
    pthread_t thread;
    bool started, joined;
    atomic_bool over;
    step_request q;
    film_request what;
    step_result r;
};

static void *run(void *arg)
{
    struct film_run *t = arg;
    step_run(&t->q, &t->r);
    atomic_store(&t->over, true);
    return NULL;
}

void frames_text(text_lines *to, char *text)
{
    int count = 1;
    to->text = text;
    to->count = 0;
    to->line = NULL;
    if (!text) return;
    for (const char *p = text; *p; p++) count += *p == '\n';
    to->line = calloc((size_t)count + 1, sizeof *to->line);
    if (!to->line) return;
    for (char *p = text; p && *p;) {
        char *end = strchr(p, '\n');
        to->line[to->count++] = p;
        if (end) {
            *end = 0;
            if (end > p && end[-1] == '\r') end[-1] = 0;
        }
        p = end ? end + 1 : NULL;
    }
}

static void text_free(text_lines *t)
{
    free(t->text);
    free(t->line);
}

bool frames_running(const frames *f) { return !atomic_load(&f->run->over); }

bool frames_more(frames *f) { return reel_read(f->reel); }

static void pause_a_little(void)
{
    const struct timespec t = {.tv_nsec = 2000000};
    nanosleep(&t, NULL);
}

void frames_wait(frames *f, uint32_t steps)
{
    for (;;) {
        const bool running = frames_running(f); /* before reading: what came last must be read too */
        frames_more(f);
        if (f->reel->steps >= steps || !running || app_interrupted || f->reel->problem[0]) return;
        pause_a_little();
    }
}

bool frames_over(const frames *f) { return f->reel->ended || !frames_running(f); }

void frames_settle(frames *f, uint32_t i)
{
    frames_wait(f, i + 2);
    for (uint32_t w = 0; w < f->reel->warps && !app_interrupted; w++)
        while (!frames_over(f) && !app_interrupted && frame_next_of(f, i, w) == UINT32_MAX)
            frames_wait(f, f->reel->steps + 1);
    frames_more(f);
}

int frames_launch(const frames *f) { return f->run->what.launch; }

const step_result *frames_result(frames *f)
{
    if (frames_running(f)) return NULL;
    if (!f->run->joined) pthread_join(f->run->thread, NULL);
    f->run->joined = true;
    return &f->run->r;
}

void frames_close(frames *f)
{
    if (!f) return;
    if (f->run) {
        const sig_atomic_t before = app_interrupted;
        if (f->run->started && frames_running(f)) {
            app_interrupted = 1; /* ends the child */
            pthread_kill(f->run->thread, SIGCHLD);
        }
        if (f->run->started && !f->run->joined) pthread_join(f->run->thread, NULL);
        app_interrupted = before;
        if (f->run->started) step_result_free(&f->run->r);
        free(f->run);
    }
    reel_close(f->reel);
    names_free(f->names);
    text_free(&f->source);
    text_free(&f->ptx);
    free(f->moment);
    for (int i = 0; i < 2; i++) free(f->owned[i]);
    free(f);
}

/* Why there is no film. */
static int say_failure(frames *f)
{
    struct app *app = f->app;
    const step_result *r = frames_result(f);
    if (app_interrupted) return app_fail(app, EXIT_INTERRUPT, NULL, "interrupted");
    if (f->reel->problem[0]) return app_fail(app, EXIT_INTERNAL, NULL, "%s", f->reel->problem);
    if (r && r->status)
        return app_fail(app, r->status, r->advice[0] ? r->advice : NULL, "%s: %s", f->title, r->problem);
    if (r && f->run->what.launch > r->launches)
        return app_fail(app, EXIT_USAGE, "--launch 1", "%s has %d launch%s: there is no launch %d", f->title,
                        r->launches, r->launches == 1 ? "" : "es", f->run->what.launch);
    return app_fail(app, EXIT_CHECK, NULL, "%s: the block ended before its first instruction", f->title);
}

/* A run in the order of time, as a film shows it: in the order of numbers the two sides of a race may
 * be the other way round. */
static void find_fault(const step_request *q, film_request *what)
{
    step_request again = *q;
    step_result r;
    again.film = NULL;
    again.exact = true;
    again.untimed = false;
    step_run(&again, &r);
    for (int i = 0; i < r.faults; i++) {
        if (r.fault[i].note) continue;
        memcpy(what->at, r.fault[i].at.block, sizeof what->at);
        what->launch = r.fault[i].launch > 0 ? r.fault[i].launch : 1;
        break;
    }
    step_result_free(&r);
}

int frames_open(struct app *app, const step_request *q, const film_request *what, frames **out)
{
    frames *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f || !(f->run = calloc(1, sizeof *f->run)) || !(f->moment = malloc(sizeof *f->moment))) {
        if (f) free(f->run);
        free(f);
        return app_no_memory(app);
    }
    struct film_run *t = f->run;
    f->app = app;
    t->q = *q;
    t->what = *what;
    if (what->at_fault) find_fault(q, &t->what);
    t->what.file = film_file();
    if (t->what.file < 0 || !(f->reel = reel_open(t->what.file))) {
        const int why = errno;
        frames_close(f);
        return app_fail(app, EXIT_INTERNAL, NULL, "no file for the film: %s", strerror(why));
    }
    t->q.film = &t->what;
    t->q.quiet = true;
    if (pthread_create(&t->thread, NULL, run, t)) {
        frames_close(f);
        return app_fail(app, EXIT_INTERNAL, NULL, "no thread for the film");
    }
    t->started = true;
    request_job(q)->kind->title(q, f->title, sizeof f->title);
    snprintf(f->device, sizeof f->device, "%s", q->device.label);
    frames_wait(f, 1);
    if (!f->reel->steps) {
        const int status = say_failure(f);
        frames_close(f);
        return status;
    }
    *out = f;
    return 0;
}
