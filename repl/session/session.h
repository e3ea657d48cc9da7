/* session.h: where the student stands: the lesson and step at hand, the settings chosen, and
 * results so far.
 *
 * Everything behind the lesson commands goes through here. Results are kept: a step that another is
 * compared with is run when nobody has run it yet, and not again while its device and settings stay
 * the same.
 */
#ifndef LESSON_SESSION_H
#define LESSON_SESSION_H

#include "shell/app.h"
#include "run/step.h"
#include "shell/document.h"

/* How a command wants a step run. */
typedef struct run_as {
    const step_chosen *chosen; /* its settings as chosen: on a GPU it takes turns with the step before */
    const step_values *values; /* or these, where chosen is NULL */
    bool fresh, lines;         /* now, with fresh inputs, whatever is kept; per source line too */
    bool exact, hot, checked;  /* every block timed; the cache hot; with all checks, and so without a clock */
} run_as;
/* Exact and hot as the options have it. */
run_as run_chosen(const struct app *app, const step_chosen *chosen);
run_as run_values(const struct app *app, const step_values *values);

typedef struct kept_result {
    const lesson_step *s;
    struct device device;
    step_values values;
    bool lines, exact, hot, checked;
    step_result *r;
    unsigned used; /* when last: for giving back the oldest */
} kept_result;

enum { KEPT_RESULTS = 256 }; /* more only where one command uses more */

struct lesson_state {
    lesson_list list;
    lesson *l;            /* at hand, or NULL */
    const lesson_step *s; /* at hand, or NULL at the lesson's start */
    step_chosen chosen;
    step_chosen *with;      /* instead, for the commands that a step is made of; NULL: none is under way */
    const lesson_step *ran; /* last, with settings for that run alone: */
    step_chosen ran_with;   /* these. NULL: with what is chosen */
    kept_result *kept;
    int kept_count, kept_room;
    unsigned clock, began;  /* began: when this command did; what it has used since is not given back */
    int runs[LESSON_STEPS]; /* of each step, this session: each run has fresh inputs */
    int asked, guessed;     /* predictions: asked, and guessed right */
    bool found;             /* list has been filled */
    char where[120], get[64], footer[160];
    /* what progress says before the name of the step that runs: what is known of the one at hand
     * while another runs beside it, or how far a ladder has come; "" */
    char already[64];
};

/* The lessons, found once. 0, or an exit status after a message. */
int session_lessons(struct app *app);
/* One of them, to be freed with lesson_free, whichever is at hand. False: *err says why not. */
bool session_read(struct app *app, const lesson_entry *e, lesson **l, lesson_error *err);
/* Read lesson `name` ("1", "sum-of-squares", or an unambiguous start of it) and make it the one at
 * hand. */
int session_lesson(struct app *app, const char *name);
/* Stand where the student stopped in the lesson at hand, when he stands nowhere in it. Nothing is
 * written down. */
void session_recall(struct app *app);
/* Stand at a step (NULL: the lesson's start) and write that down. */
void session_stand(struct app *app, const lesson_step *s);
/* What `predict` asks about without a name: the first step from the one at hand on that has not
 * run in this session. When all have run, the last one. */
const lesson_step *session_unseen(struct app *app);
/* Find "v3" (of the lesson at hand), "1.v3" or "sum.v3"; NULL: the step at hand. Reads the lesson
 * when it is another one. */
int session_step(struct app *app, const char *name, const lesson_step **s);
/* Take up the lesson at hand, or the one where the student stopped last time. EXIT_USAGE when there
 * is none. */
int session_here(struct app *app);

/* A run of `s`: kept, or done now. Failures are reported, and NULL returned with *status set. The
 * result stays ours, and there until the command ends. */
const step_result *session_result(struct app *app, const lesson_step *s, const struct device *d, run_as how,
                                  int *status);
/* The step that `s` is compared with, unless that step cannot run with what is chosen. */
const lesson_step *session_before(struct app *app, const lesson_step *s, const step_chosen *chosen);
int session_values(struct app *app, const lesson_step *s, const step_chosen *chosen, step_values *out);
step_chosen *session_chosen(struct app *app); /* what is chosen for the command under way */
/* Choose one setting; NULL or "default" takes it back. 0, or EXIT_USAGE after a message. */
int session_set(struct app *app, step_chosen *chosen, const char *name, const char *value);
/* What is said of a step is said of it as it was run last: if that run had settings of its own
 * they are these, and the screen says so. */
step_chosen session_as_it_ran(doc *d, const lesson_step *s);
/* Are the cards that a command is about large enough for the lesson's own sizes? session_values
 * goes by it. */
void session_look_at_cards(struct app *app, step_chosen *chosen, const struct device *d, int count);
/* What session_result is made of, for session_gpu.c. */
kept_result *session_kept(struct app *app, const lesson_step *s, const struct device *d, const step_values *values,
                          run_as how);
/* The result, kept; NULL after a message: no memory. */
const step_result *session_keep(struct app *app, const lesson_step *s, const struct device *d,
                                const step_values *values, run_as how, step_result *r);
uint64_t session_seed(struct app *app, const lesson_step *s, bool fresh);
int session_report(struct app *app, const lesson_step *s, const step_result *r); /* a failure; its status */

/* ---- session_gpu.c ---- */
/* On a GPU: run now; as chosen, in turns with the step before, which is kept too. */
const step_result *session_gpu_result(struct app *app, const lesson_step *s, const struct device *d,
                                      const step_values *values, run_as how, int *status);
/* Run those that have not been run, in turns, so that they can be compared: with the one before it
 * in the list (`neighbours`), else with the step that each is compared with. Nothing on a simulated
 * card. */
int session_in_turns(struct app *app, const struct device *d, const lesson_step *const *s, const step_values *values,
                     int count, bool neighbours);
/* The simulated card that counts for a GPU: of its generation. */
int session_count_device(struct app *app, const struct device *gpu, struct device *out);
/* The devices of session_step_devices, each GPU replaced by the card that counts for it. */
int session_count_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                          int *count);
/* Let that card count what a GPU cannot, where it takes no more than a few seconds. */
void session_count(struct app *app, const lesson_step *s, const struct device *d, const step_values *values,
                   const step_result *r);

/* Run the step now and trace warp 0 of block 0; free with step_result_free. */
int session_trace(struct app *app, const lesson_step *s, const struct device *d, const step_chosen *chosen,
                  step_result *out);
/* The devices to run a step on now: it may name a card of its own; NULL: of the lesson. It looks
 * at them for `chosen` (session_look_at_cards). */
int session_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                    int *count);
/* The text of a kernel's source or PTX, to be freed; path as shown to people
 * ("kernels/01-.../v3.cu"). */
int session_kernel_text(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown,
                        size_t size);
const char *session_step_name(struct app *app, const lesson_step *s); /* "1.v3"; valid until the next call */

#endif
