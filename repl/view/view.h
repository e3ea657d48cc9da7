/* view.h: how lessons, runs and comparisons are printed. Each function writes to a document
 * (shell/document.h). */
#ifndef VIEW_H
#define VIEW_H

#include "session/session.h"
#include "run/bottleneck.h"
#include "shell/document.h"

/* What is on the screen: the source of the numbers that {NAME} in texts and predictions refers
 * to. */
typedef struct view_context {
    struct app *app;
    const lesson_step *s;
    const struct device *device;
    const step_result *r; /* of s; may be NULL if only settings are needed */
    const step_values *values;
    step_chosen *chosen; /* chosen settings, for the steps that it is compared with */
    bool missing;        /* set when a number is not available */
    const double *fact;  /* of the frame that a question is about, by enum frame_fact; NaN: it has none. NULL */
    /* called for each paragraph that view_kept keeps, as the lesson has it; NULL */
    void (*paragraph)(void *arg, struct view_context *c, const char *text);
    void *arg;
} view_context;

/* ---- lesson_text.c ---- */
char *view_expand(view_context *c, const char *text); /* replaces {NAME} and {A per B}; to be freed */
/* The paragraphs of a text that apply to this run, expanded, separated by blank lines; to be freed.
 * NULL: no memory. A paragraph is left out if its {when CONDITION} does not hold, or if it names a
 * number that the run does not have. The latter sets c->missing. */
char *view_kept(view_context *c, const char *text);
void view_paragraphs(doc *d, view_context *c, const char *text);
/* The right answer to a question: a choice, from 1, or a number. False: there is not exactly
 * one. */
bool predict_answer(view_context *c, const lesson_predict *p, int *choice, double *number);
/* The number that stands between { and }: [text, end). False: the run has no such number. */
bool view_value(view_context *c, const char *text, const char *end, double *out);
const char *view_figure(char *buffer, size_t size, const lesson_article *a);
const char *view_factor(char *buffer, size_t size, double factor);
char *view_change(char *buffer, size_t size, double before, double now); /* "8.0x more", "same" */
/* The same of a metric, with a sign and a word for what is good: "+3.0x faster", "-1.2x worse". Of one
 * that has no good direction it is view_change. */
char *view_gain(char *buffer, size_t size, int m, double before, double now);

/* ---- show_run.c ---- */
void view_step_head(doc *d, const lesson_step *s, const char *device);
/* view_run_outcome: what was launched, and the verdict. view_run: then its figures, next to those
 * of `before` (NULL: none). */
void view_run_outcome(doc *d, view_context *c);
void view_faults(doc *d, const step_result *r); /* the first of them */
void view_run(doc *d, view_context *c, const step_result *before, const lesson_step *before_step);
void view_run_figures(doc *d, view_context *c, const step_result *before, const lesson_step *before_step);
void view_run_times(doc *d, view_context *c); /* the two are view_run */

/* ---- beside.c ---- */
/* view_run and view_step_code beside one another. False: the terminal is too narrow for that, or there
 * is no code to show. */
bool view_run_with_code(doc *d, view_context *c, const step_result *before, const lesson_step *before_step);

/* ---- show_run.c: lines for others ---- */
/* How busy the schedulers of a multiprocessor are from the start of the longest launch to its end, a
 * sign for a fortieth of it. */
enum { VIEW_OVER_TIME = SIM_OVER_TIME * 3 + 1 };
const char *view_over_time(const struct app *app, const step_result *r, char *out, size_t size);
const char *view_cache(const step_result *r); /* a line on what the cache held; "" for a card without one */

/* ---- show_run_json.c ---- */
void view_json_sampled(json *j, const sim_usage *u);
void view_json_launch(json *j, const step_result *r); /* its grid, block and cluster */
/* Of a run, for programs to read: ok, fault, stopped, or wrong where what is right is known. */
const char *view_verdict(const step_result *r);
/* A simulated time: it is the same in every run, so there is a single sample. */
void view_json_ms(json *j, double seconds);
void view_run_json(doc *d, view_context *c); /* only when printing JSON */

/* ---- run_table.c ---- */
/* What the run measured or counted, next to `before` (NULL: none) and the article. */
void view_run_table(doc *d, view_context *c, const step_result *before, const lesson_step *before_step);
/* Where the article measured: "a GeForce 8800 GT", "an unknown card". */
const char *view_figure_device(const step_result *r, const char *device, char *out, size_t size);

/* ---- show_gpu_times.c ---- */
void view_gpu(doc *d, const step_result *r); /* how it was measured, and its share of the peak rates */
void view_gpu_json(json *j, const step_result *r);
char *view_gpu_gain(const step_result *r, char *out, size_t size); /* "1.80x +- 0.02 less"; "" when not compared */

/* ---- why.c ---- */
/* Prints the sentence of `why`; in class mode framed and bold, so that the last row can read it. */
void view_why_line(doc *d, const char *text);
enum { WHY_CAUSES = 4 };
typedef struct why_cause {
    const char *name; /* "transactions" */
    double now, before;
} why_cause;
typedef struct why_causes {
    why_cause cause[WHY_CAUSES];
    int count;
} why_causes;
/* The sentence that explains the difference between two results by their counters. `list`, unless
 * NULL, gets the causes that it names. */
void view_why_text(const step_result *r, const step_result *before, char *out, size_t size, why_causes *list);
/* the causes, and the cycles of both */
void view_why_json(json *j, const step_result *r, const step_result *before, const why_causes *list);
/* What limits the step, and its cycles without that, each by a run of the step (bottleneck.h). */
void view_why_limits(const view_context *c, limit_list *out);

/* ---- history.c ---- */
/* The whole journal as one page. *records: number of runs shown. */
int view_history(doc *d, int *records);

/* ---- ladder.c ---- */
int view_ladder(struct app *app, const lesson_chapter *of, const char *metric_name); /* of: NULL: the lesson */
int view_sweep(struct app *app, const char *variable, const int64_t *values, int count, const char *metric_name);
int view_sweep_values(struct app *app, int argc, char **argv, int64_t *values,
                      int most); /* returns their number, or -1 after a message */

/* ---- code_diff.c ---- */
/* The lines of the step's kernel that are not those of `before`; NULL: the kernel itself if it is short. */
void view_step_code(doc *d, const view_context *c, const lesson_step *before);

/* ---- new_words.c ---- */
/* The words of the glossary that no step before this one has in its text, a line each, two at most. */
void view_new_words(doc *d, const lesson_step *s);

/* ---- grid_pictures.c ---- */
int view_show_grid(struct app *app, const lesson_step *s, step_chosen *chosen);

/* ---- show_kernel.c, code_diff.c, memory_pictures.c ---- */
int view_diff_texts(struct app *app, const char *name_a, const char *text_a, const char *name_b, const char *text_b);
int view_show_source(struct app *app, const lesson_step *s, bool ptx);
int view_show_diff(struct app *app, const lesson_step *s, bool ptx);
int view_show_counters(struct app *app, const lesson_step *s, step_chosen *chosen);
int view_show_lines(struct app *app, const lesson_step *s, step_chosen *chosen);
/* how many lanes a mask names */
static inline int view_lanes(uint32_t mask)
{
    int n = 0;
    for (; mask; mask &= mask - 1) n++;
    return n;
}
typedef struct view_card {
    bool strict; /* compute 1.0 or 1.1 */
    int banks;
} view_card;
typedef struct view_tally {
    int transactions;
    uint64_t bytes; /* that they carry */
} view_tally;
/* of an access to global memory */
view_tally view_transactions(const step_access *a, const view_card *c);
/* Passes over the banks of shared memory. *half: of 16 banks, the half-warp with more. */
int view_passes(const step_access *a, int banks, int *half);
/* Of more than `most` scattered rows, the first and the last few. */
void view_draw_memory(doc *d, const view_card *c, const char *name, const step_access *a, int most);
void view_draw_banks(doc *d, const view_card *c, const step_access *a);
int view_show_mem(struct app *app, const lesson_step *s, step_chosen *chosen, int line);
int view_show_banks(struct app *app, const lesson_step *s, step_chosen *chosen, int line);

/* ---- show_program.c ---- */
void view_timeline(doc *d, const step_result *r); /* streams and the host, a line each */
void view_spans_json(json *j, const step_result *r);
void view_program_why(const step_result *r, const step_result *before, char *out, size_t size);

/* ---- show_host.c ---- */
int view_show_host(struct app *app, const lesson_step *s, step_chosen *chosen);

/* ---- roofline.c ---- */
int view_show_roofline(struct app *app);

/* ---- standing.c ---- */
typedef struct predict_score {
    int asked, right, streak; /* streak: right ones in a row, up to the last */
} predict_score;
predict_score predict_score_of(struct app *app, const char *prefix); /* of steps with this prefix: "1." */
/* A row per lesson: steps, guesses, exercises. Returns an exit status. */
int view_progress(doc *d);

#endif
