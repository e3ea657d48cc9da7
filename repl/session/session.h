/* session.h: where the student stands: the current lesson and step, the chosen settings, and the
 * results so far.
 *
 * All lesson commands go through here. Results are kept: a step that another is compared with runs
 * only if it has not run yet with the same device and settings. */
#ifndef LESSON_SESSION_H
#define LESSON_SESSION_H

#include "shell/app.h"
#include "run/step.h"
#include "shell/document.h"

/* How a command wants a step run. */
typedef struct run_as {
    const step_chosen *chosen; /* the settings as chosen; on a GPU the step takes turns with the one before it */
    const step_values *values; /* where chosen is NULL: these values */
    bool fresh, lines;         /* run now with fresh inputs, even if a result is kept; count per source line too */
    bool exact, hot, checked;  /* time every block; with a warm cache; with all checks, and therefore untimed */
} run_as;
/* With exact and hot from the options in force. */
run_as run_chosen(const struct app *app, const step_chosen *chosen);
run_as run_values(const struct app *app, const step_values *values);

typedef struct kept_result {
    const lesson_step *s;
    struct device device;
    step_values values;
    bool lines, exact, hot, checked;
    step_result *r;
    unsigned used; /* time of last use; the oldest is evicted first */
} kept_result;

enum { KEPT_RESULTS = 256 }; /* more only while one command uses more */

enum session_last { LAST_NONE, LAST_STEP, LAST_ANSWER, LAST_PROGRAM };

struct lesson_state {
    lesson_list list;
    lesson *l;            /* the current one, or NULL */
    const lesson_step *s; /* the current one, or NULL at the lesson's start */
    step_chosen chosen;
    step_chosen *with;      /* replaces `chosen` during the commands of which a step consists; NULL: none is running */
    const lesson_step *ran; /* the step that `run` ran last; NULL: none since the student stands there ... */
    step_chosen ran_with;   /* ... with these settings ... */
    struct app_options ran_as, then; /* ... and these options, where the session's were `then` */
    enum session_last last;          /* session_last.h: */
    bool last_known;
    char last_name[128]; /* where an earlier session ran it */
    kept_result *kept;
    int kept_count;
    unsigned clock, began;           /* began: clock when this command began; what it has used since is not evicted */
    int runs[LESSON_STEPS];          /* of each step in this session: each run has fresh inputs */
    char began_at[24];               /* when this session took up its first lesson, as in the journal */
    bool found;                      /* `list` has been filled */
    char *witness;                   /* PTX of the step that judges the one that was asked for last */
    struct made_ptx *made;           /* PTX of the author's own kernels, made in this session */
    struct session_program *program; /* of `exec` (session_program.h); NULL: none */
    unsigned moved;                  /* serial of the lesson of which was said that it runs on another card */
    struct session_answer *answer;   /* while a command is about it (session_answer.h); else NULL */
    char where[120], get[64], footer[160];
    /* Printed in the progress line before the running step's name: the figures of the current step
     * while another runs for comparison, or how far a ladder has come; "" */
    char already[64];
};

/* The state, made at the first call; NULL after a message: no memory. */
struct lesson_state *session_state(struct app *app);
void session_forget(struct lesson_state *st); /* all results */
/* The lesson at hand, which the session owns from then on, unless it is the program's. NULL: none. */
void session_change(struct app *app, lesson *l);
/* Finds the lessons, once. 0, or an exit status after a message. */
int session_lessons(struct app *app);
/* "from DIR, in the place of 01-sum-of-squares" */
const char *session_own_place(const lesson_entry *e, char *out, size_t size);
void session_say_own(struct app *app); /* where the author's own lessons come from */
/* Reads a lesson, current or not, to be freed with lesson_free. False: *err says why not. */
const lesson_entry *session_entry(struct app *app, const char *name); /* by number or name; NULL: none */
bool session_read(struct app *app, const lesson_entry *e, lesson **l, lesson_error *err);
/* Read lesson `name` ("1", "sum-of-squares", or an unambiguous prefix of it) and make it
 * current. */
int session_lesson(struct app *app, const char *name);
/* If the student stands nowhere in the current lesson, stand where the student stopped. The journal
 * is not written. */
void session_recall(struct app *app);
/* Stand at a step (NULL: the lesson's start) and record it in the journal. */
void session_stand(struct app *app, const lesson_step *s);
/* The step that `predict` asks about without a name: from the current step on, the first that has
 * not run in this session. When all have run, the last one. */
const lesson_step *session_unseen(struct app *app);
/* Find "v3" (of the current lesson), "1.v3" or "sum.v3"; NULL: the current step. Reads another
 * lesson if necessary. */
int session_step(struct app *app, const char *name, const lesson_step **s);
/* Take the current lesson, or the one where the student stopped last time. EXIT_USAGE when there is
 * none. */
int session_here(struct app *app);

/* ---- session_result.c ---- */
/* A run of `s`: a kept result, or a new run. On failure it prints a message, sets *status and
 * returns NULL. The result stays ours and is valid until the command ends. */
const step_result *session_result(struct app *app, const lesson_step *s, const struct device *d, run_as how,
                                  int *status);

/* ---- session.c ---- */
/* The step that `s` is compared with, or NULL if that step cannot run with what is chosen. */
const lesson_step *session_before(struct app *app, const lesson_step *s, const step_chosen *chosen);
int session_values(struct app *app, const lesson_step *s, const step_chosen *chosen, step_values *out);
/* Does the step serve so (run/job.h)? If not: EXIT_USAGE after a message that calls it `name` (NULL: as
 * session_step_name does). */
int session_use(struct app *app, const lesson_step *s, job_use use, const char *name);
step_chosen *session_chosen(struct app *app); /* what is chosen for the running command */
/* Choose one setting; NULL or "default" resets it. 0, or EXIT_USAGE after a message. */
int session_set(struct app *app, step_chosen *chosen, const char *name, const char *value);
/* `s` has been run with these settings, and with the options in force. */
void session_has_run(struct app *app, const lesson_step *s, const step_chosen *with);
/* What a command is about that names no step: the one that ran last, else `s`, where the student stands. */
const lesson_step *session_ran_last(const struct app *app, const lesson_step *s);
/* Statements about a step describe its last run. If that run had settings or a device of its own, this returns
 * the settings, puts the device in force for this command, and tells the reader so. */
step_chosen session_as_it_ran(doc *d, const lesson_step *s);
/* session_card.c. Notes in `chosen` whether the cards of a command are large enough for the lesson's own sizes;
 * session_values uses that. */
void session_look_at_cards(struct app *app, step_chosen *chosen, const struct device *d, int count);

/* ---- session_result.c ---- */
/* What runs `s` on a simulated card, or whatever counts for that GPU: a step of a lesson, or a launch
 * of a program. The caller adds settings, checks and the seed, and frees *card and *ptx. 0, or a
 * status after a message. */
int session_request(struct app *app, const lesson_step *s, const struct device *d, run_as how, step_request *q,
                    char **card, char **ptx);
/* The parts of session_result that session_gpu.c needs. */
kept_result *session_kept(struct app *app, const lesson_step *s, const struct device *d, const step_values *values,
                          run_as how);
/* Keeps the result and returns it; NULL after a message: no memory. */
const step_result *session_keep(struct app *app, const lesson_step *s, const struct device *d,
                                const step_values *values, run_as how, step_result *r);
uint64_t session_seed(struct app *app, const lesson_step *s, bool fresh);
int session_report(struct app *app, const lesson_step *s, const step_result *r); /* prints it; its status */

/* ---- session_gpu.c ---- */
/* On a GPU: run now. With chosen settings it takes turns with the step before, whose result is kept
 * too. */
const step_result *session_gpu_result(struct app *app, const lesson_step *s, const struct device *d,
                                      const step_values *values, run_as how, int *status);
/* Run the steps that have no result yet, in turns so that they can be compared: each with the step
 * before it in the list (`neighbours`), else with the step that it is compared with. Does nothing
 * on a simulated card. */
int session_in_turns(struct app *app, const struct device *d, const lesson_step *const *s, const step_values *values,
                     int count, bool neighbours);
/* The simulated card that does the counting for a GPU: one of its generation. */
int session_count_device(struct app *app, const struct device *gpu, struct device *out);
/* The devices of session_devices, with each GPU replaced by the card that counts for it. */
int session_count_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                          int *count);
/* Have that card count what a GPU cannot, if it takes only a few seconds. */
void session_count(struct app *app, const lesson_step *s, const struct device *d, const step_values *values,
                   const step_result *r);

/* ---- session_result.c ---- */
/* Run the step now and trace warp 0 of block 0; free with step_result_free. */
int session_trace(struct app *app, const lesson_step *s, const struct device *d, const step_chosen *chosen,
                  step_result *out);

/* ---- session.c ---- */
/* The devices to run a step on now. The step may name a card; NULL: the lesson's devices. Calls
 * session_look_at_cards for `chosen`. */
int session_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                    int *count);
const char *session_step_name(struct app *app, const lesson_step *s); /* "1.v3"; valid until the next call */

/* ---- session_kernels.c ---- */
/* The text of a kernel's source or PTX, to be freed; `shown` is its path for messages
 * ("kernels/01-.../v3.cu"). */
int session_kernel_text(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown,
                        size_t size);
/* The PTX of the step that judges `s`, if one does. 0, or a status after a message. */
int session_witness(struct app *app, const lesson_step *s, step_request *q);
/* The compiler that made the step's PTX now; NULL: it lies beside the kernel. */
const char *session_made_by(struct app *app, const lesson_step *s);
void session_made_free(struct app *app);

/* ---- session_needs.c ---- */
/* A simulated card that has what the step needs (NULL: the lesson): `first` if it can, else the first by name. */
bool session_card_that_can(struct app *app, const lesson_step *s, const char *first, struct device *out);
/* No device was asked for, and the one at hand cannot run the step: takes a simulated card that can, and says so. */
void session_device_that_can(struct app *app, const lesson_step *s, const char *card, struct device *d);
/* Does the device lack something that the step needs? `why` is "it needs compute 9.0, and ...". */
bool session_lacks(struct app *app, const lesson_step *s, const struct device *d, char *why, size_t size);
/* Has a block of the card the shared memory that the step asks for? False: `why` says what it has, `next` is the
 * command that makes it fit, if a smaller setting does. */
bool session_fits(struct app *app, const lesson_step *s, const struct device *d, const step_chosen *chosen,
                  const step_values *v, char *why, size_t size, char *next, size_t next_size);
/* The same as session_lacks, of all devices in force: `next`, `demo` and `ladder` pass over it. */
bool session_passes_over(struct app *app, const lesson_step *s, char *why, size_t size);

#endif
