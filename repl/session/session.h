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

typedef struct kept_result {
    const lesson_step *s;
    struct device device;
    step_values values;
    bool lines, exact, hot, checked; /* checked: with all checks, and so without a clock */
    step_result *r;
    unsigned used; /* for giving back the oldest */
} kept_result;

enum { KEPT_RESULTS = 256 };

struct lesson_state {
    lesson_list list;
    lesson *l;            /* at hand, or NULL */
    const lesson_step *s; /* at hand, or NULL at the lesson's start */
    step_chosen chosen;
    const lesson_step *ran; /* last, with settings for that run alone: */
    step_chosen ran_with;   /* these. NULL: with what is chosen */
    kept_result kept[KEPT_RESULTS];
    bool all_checks; /* runs look for races too, and tell no time: check-lessons */
    unsigned clock;
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
/* Find "v3" (of the lesson at hand), "1.v3" or "sum.v3"; NULL: the step at hand. Reads the lesson
 * when it is another one. */
/* What `predict` asks about without a name: the first step from the one at hand on that has not run in this session. When all
 * have run, the last one. */
const lesson_step *session_unseen(struct app *app);
int session_step(struct app *app, const char *name, const lesson_step **s);
/* Take up the lesson at hand, or the one where the student stopped last time. EXIT_USAGE when there
 * is none. */
int session_here(struct app *app);

/* A run of `s`: kept, or done now (`fresh`: always now, with fresh inputs). `lines`: per source
 * line too. Failures are reported, and NULL returned with *status set. The result stays ours.
 * `values` NULL: as chosen. */
const step_result *session_result(struct app *app, const lesson_step *s, const struct device *d,
                                  const step_values *values, bool fresh, bool lines, int *status);
/* The step that `s` is compared with, unless that step cannot run with what the student has set. */
const lesson_step *session_before(struct app *app, const lesson_step *s);
/* The settings of `s` as chosen. */
int session_values(struct app *app, const lesson_step *s, step_values *out);
/* What is said of a step is said of it as it was run last: if that run had settings of its own they
 * are chosen now, and the screen says so. Returns what was chosen before, which the caller puts
 * back. */
step_chosen session_as_it_ran(struct app *app, const lesson_step *s);
/* Are the cards that a command is about large enough for the lesson's own sizes? session_values
 * goes by it. */
void session_look_at_cards(struct app *app, const struct device *d, int count);
/* What session_result is made of, for session_gpu.c. */
kept_result *session_kept(struct app *app, const lesson_step *s, const struct device *d, const step_values *values);
void session_keep(struct app *app, const lesson_step *s, const struct device *d, const step_values *values, bool lines,
                  step_result *r);
uint64_t session_seed(struct app *app, const lesson_step *s, bool fresh);
int session_report(struct app *app, const lesson_step *s, const step_result *r); /* a failure; its status */

/* ---- session_gpu.c ---- */
/* On a GPU: run now; `compare`: in turns with the step before, which is kept too. */
const step_result *session_gpu_result(struct app *app, const lesson_step *s, const struct device *d,
                                      const step_values *values, bool compare, bool fresh, int *status);
/* Run those that have not been run, in turns, so that they can be compared: with the one before it
 * in the list (`neighbours`), else with the step that each is compared with. Nothing on a simulated
 * card. */
int session_in_turns(struct app *app, const struct device *d, const lesson_step *const *s, const step_values *values,
                     int count, bool neighbours);
/* The simulated card that counts for a GPU: of its generation. */
int session_count_device(struct app *app, const struct device *gpu, struct device *out);
/* The devices of session_step_devices, each GPU replaced by the card that counts for it. */
int session_count_devices(struct app *app, const lesson_step *s, struct device out[DEVICES_MAX], int *count);
/* Let that card count what a GPU cannot, where it takes no more than a few seconds. */
void session_count(struct app *app, const lesson_step *s, const struct device *d, const step_values *values,
                   const step_result *r);

/* Run the step now and trace one warp; free with step_result_free. */
int session_trace(struct app *app, const lesson_step *s, const struct device *d, uint32_t block, uint32_t warp,
                  step_result *out);
/* The devices to run on now. */
int session_devices(struct app *app, struct device out[DEVICES_MAX], int *count);
/* The same for a step, which may name a card of its own. */
int session_step_devices(struct app *app, const lesson_step *s, struct device out[DEVICES_MAX], int *count);
/* The text of a kernel's source or PTX, to be freed; path as shown to people
 * ("kernels/01-.../v3.cu"). */
int session_kernel_text(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown,
                        size_t size);
const char *session_step_name(struct app *app, const lesson_step *s); /* "1.v3"; valid until the next call */

#endif
