/* lesson_commands.c: the commands of a lesson, and their table. A command finds its step
 * (session.c), runs what is needed, and leaves printing to view/. */
#include "session/exercise_files.h"
#include "lesson_run.h"
#include "exec_report.h"
#include "session/session_answer.h"
#include "session/session_job.h"
#include "session/session_last.h"
#include "session/session_program.h"
#include "view/view.h"
#include "shell/document.h"
#include "shell/language.h"
#include "shell/progress.h"
#include "shell/terminal.h"
#include "shell/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- running ---- */

/* The words of a command belong to its caller; removing some needs a copy of the list. */

static int copy_words(struct app *app, int argc, char **argv, char *out[LESSON_WORDS])
{
    if (argc > LESSON_WORDS) return app_fail(app, EXIT_USAGE, "help", "at most %d words", LESSON_WORDS);
    for (int i = 0; i < argc; i++) out[i] = argv[i];
    return 0;
}

/* Remove NAME=VALUE words: they are settings for this command alone. */
int lesson_take_settings(struct app *app, step_chosen *chosen, int *argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) {
            argv[kept++] = argv[i];
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(equals - argv[i] < 63 ? equals - argv[i] : 63), argv[i]);
        int status = session_set(app, chosen, name, equals + 1);
        if (status) return status;
    }
    *argc = kept;
    return 0;
}

/* In an exercise the student means the answer, not the lesson's kernel. */
int lesson_about_answer(struct app *app)
{
    return app_fail(app, EXIT_USAGE, "check",
                    "an exercise is at hand: `check` runs your answer and says what is wrong, `why` and `show mem` "
                    "look into it, `diff` shows what you changed; for a step of the lesson, name it");
}

typedef int step_finder(struct app *app, const char *name, const lesson_step **s);

/* The step that a command is about: the first of its words, or the one that `find` gives without a name. */
static int step_of(struct app *app, int *argc, char **argv, step_finder *find, const lesson_step **s)
{
    bool named = *argc > 1 && !strchr(argv[1], '=');
    const bool last = find == session_step_last && session_last(app) != LAST_ANSWER;
    if (!named && exercise_at_hand(app) && !session_answer_here(app) && !last) return lesson_about_answer(app);
    int status = find(app, named ? argv[1] : NULL, s);
    if (status || !named) return status;
    if (!app->lesson->s) app->lesson->s = *s; /* from now on `why` and `show` mean this step */
    for (int i = 1; i < *argc - 1; i++) argv[i] = argv[i + 1];
    --*argc;
    return 0;
}

/* A copy of the command's words without the step's name; *s: that step. */
int lesson_words_about(struct app *app, int *argc, char **words, char *argv[LESSON_WORDS], const lesson_step **s)
{
    int status = copy_words(app, *argc, words, argv);
    return status ? status : step_of(app, argc, argv, session_step, s);
}

/* The same for a command that looks at a run. */
static int words_about_last(struct app *app, int *argc, char **words, char *argv[LESSON_WORDS], const lesson_step **s)
{
    int status = copy_words(app, *argc, words, argv);
    return status ? status : step_of(app, argc, argv, session_step_last, s);
}

/* A run that did something wrong: that comes before its speed. */
static void put_wrong(doc *out, const view_context *c)
{
    const step_result *r = c->r;
    char look[100];
    if (session_answer_here(c->app)) snprintf(look, sizeof look, "check");
    else snprintf(look, sizeof look, "run %s", session_step_name(c->app, c->s));
    if (r->faults)
        doc_say(out, 0, "%s on %s has a mistake: %s. `%s` says where. The cycles are those of a wrong kernel.",
                c->s->name, r->device, TR(fault_word(&r->fault[0])), look);
    else if (r->judged && !r->verdict.correct)
        doc_say(out, 0, "%s on %s gives a wrong result. `%s` shows it. The cycles are those of a wrong kernel.",
                c->s->name, r->device, look);
    else return;
    doc_gap(out);
}

/* The difference from the previous step, what the warps wait for, and the time without that. */
static void put_why(doc *out, const view_context *c, const step_result *before, const lesson_step *before_step)
{
    const lesson_step *s = c->s;
    const step_result *r = c->r;
    char why[600], limit[300];
    limit_list without;
    why_causes causes;
    view_why_text(r, before, why, sizeof why, &causes);
    bool limited = r->has_usage && limit_text(&r->total, &r->usage, limit, sizeof limit);
    view_why_limits(c, &without);
    json *j = doc_begin(out, "why", "lesson %d, step %s, device %s", c->app->lesson->l->number, s->name, r->device);
    json_text(j, "before", before ? before_step->name : NULL);
    json_text(j, "why", why);
    if (r->counted_on[0]) json_text(j, "counted_on", r->counted_on);
    view_why_json(j, r, before, &causes);
    json_text(j, "limit", limited ? limit : NULL);
    limits_json(j, &without);
    json_end(j);
    char counted[100] = "";
    if (r->counted_on[0]) snprintf(counted, sizeof counted, TR(" (counted on %s)"), r->counted_on);
    if (!r->has_timeline) put_wrong(out, c);
    if (before) doc_say(out, 0, "%s after %s on %s%s: %s", s->name, before_step->name, r->device, counted, why);
    else doc_say(out, 0, "%s on %s%s: %s", s->name, r->device, counted, why);
    if (limited) {
        doc_gap(out);
        doc_say(out, 0, "%s", limit);
    }
    if (r->has_timeline) {
        view_timeline(out, r);
        doc_gap(out);
        doc_say(out, 0,
                "`exec --why %s` says what its kernels wait for, `exec --timeline FILE %s` writes all of this "
                "for ui.perfetto.dev.",
                session_step_name(c->app, s), session_step_name(c->app, s));
    } else {
        limits_show(out, &without);
    }
}

/* Runs a command about the answer to the exercise at hand. */
int lesson_on_answer(struct app *app, int argc, char **argv, int (*run)(struct app *, int, char **))
{
    int status = session_answer_begin(app);
    if (status) return status;
    status = run(app, argc, argv);
    session_answer_end(app);
    return status;
}

static int why(struct app *app, int argc, char **words)
{
    const lesson_step *s = NULL;
    struct device d[DEVICES_MAX];
    char *argv[LESSON_WORDS];
    const bool named = argc > 1;
    int devices, status = words_about_last(app, &argc, words, argv, &s);
    if (status) return status;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "help why", "why takes one step");
    if (!step_launches(s)) return app_fail(app, EXIT_USAGE, "next", "step %s runs no kernel", s->name);
    doc out = doc_open(app);
    step_chosen chosen = session_as_it_ran(&out, s);
    status = session_devices(app, s, &chosen, d, &devices);
    for (int i = 0; !status && i < devices; i++) {
        view_context c = {.app = app, .s = s, .device = &d[i], .chosen = &chosen};
        /* As `run` compares: not a trap of another size with the last rung. */
        const lesson_step *before_step = s->bytes.count || s->after ? session_before(app, s, &chosen) : NULL;
        const step_result *before;
        if (!(c.r = session_result(app, s, &d[i], run_chosen(app, &chosen), &status)) ||
            !lesson_run_before(&c, before_step, &before, &status))
            break;
        lesson_count_now(&c, s, c.r);
        if (before) lesson_count_now(&c, before_step, before);
        /* a name alone would not say where: of the answer, the program, or a session before */
        if (session_answer_here(app) || !session_job(s)->numbered || (!named && session_last_earlier(app)))
            view_step_head(&out, s, c.r->device);
        put_why(&out, &c, before, before_step);
    }
    return status;
}

static int why_run(struct app *app, int argc, char **argv)
{
    return session_answer_meant(app, argc, argv, 1) ? lesson_on_answer(app, argc, argv, why) : why(app, argc, argv);
}

static int explain(doc *out, const lesson_step *s, step_chosen *chosen)
{
    struct app *app = out->app;
    int status;
    view_context c = {.app = app, .s = s, .chosen = chosen};
    struct device d[DEVICES_MAX];
    step_values values;
    int devices;
    if (step_runs(s)) {
        if ((status = session_devices(app, s, chosen, d, &devices)) ||
            (status = session_values(app, s, chosen, &values)))
            return status;
        c.device = &d[0];
        c.values = &values;
        if (!(c.r = session_result(app, s, &d[0], run_chosen(app, chosen), &status))) return status;
        lesson_count_now(&c, s, c.r);
    }
    char *text = view_kept(&c, s->text.text ? s->text.text : ""),
         *more = view_kept(&c, s->explain.text ? s->explain.text : "");
    doc_data(out, "explain", "lesson %d, step %s, text %s, more %s", app->lesson->l->number, s->name, text, more);
    view_step_head(out, s, c.r ? c.r->device : "");
    if (c.r) lesson_say_card(out, s, c.r);
    if (text) doc_paragraphs(out, 2, text);
    if (s->explain.text) doc_gap(out);
    if (more) doc_paragraphs(out, 2, more);
    free(text);
    free(more);
    return EXIT_DONE;
}

static int explain_run(struct app *app, int argc, char **words)
{
    const lesson_step *s;
    char *argv[LESSON_WORDS];
    int status;
    if (exercise_explain(app, argc, words, &status)) return status;
    status = words_about_last(app, &argc, words, argv, &s);
    if (status) return status;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "help explain", "explain takes one step");
    doc out = doc_open(app);
    step_chosen chosen = session_as_it_ran(&out, s);
    return explain(&out, s, &chosen);
}

static int progress_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "progress", "progress takes nothing after it");
    doc d = doc_open(app);
    int status = view_progress(&d);
    doc_gap(&d);
    doc_say(&d, 2,
            "Steps that ran rightly, guesses (`predict`) that were right, exercises that were passed. `exercise N.K` "
            "takes up exercise K of lesson N.");
    return status;
}

/* A chapter of the lesson at hand, by its full name: a prefix may be another lesson's. */
static bool chapter_here(const struct app *app, const char *name)
{
    const lesson *l = app->lesson ? app->lesson->l : NULL;
    const lesson_chapter *c = l ? lesson_chapter_named(l, name) : NULL;
    return c && !strcmp(c->name, name);
}

static int ladder_run(struct app *app, int argc, char **argv)
{
    const char *metric = NULL;
    int status = 0, at = 1;
    if (exercise_ladder(app, argc, argv, &status)) return status;
    if (argc > at && exec_names_program(argv[at])) return exec_ladder_of(app, argc - at, argv + at);
    const struct session_program *p = session_program_here(app);
    if (p && argc == at) return exec_ladder(app, &(struct exec_rung){p->name, p->device.label, &p->record}, 1);
    const lesson_chapter *of = NULL;
    if (argc > at && metric_named(argv[at], strlen(argv[at])) < 0 && !chapter_here(app, argv[at]))
        status = session_lesson(app, argv[at++]);
    else status = session_here(app);
    if (status) return status;
    const lesson *l = app->lesson->l;
    if (argc > at && metric_named(argv[at], strlen(argv[at])) < 0) {
        if (!(of = lesson_chapter_named(l, argv[at])) && l->chapter_count)
            return app_fail(app, EXIT_USAGE, "lesson", "lesson %d has no chapter \"%s\", and there is no such metric",
                            l->number, argv[at]);
        at += of != NULL;
    }
    if (argc > at) metric = argv[at++];
    if (argc > at)
        return app_fail(app, EXIT_USAGE, "help ladder", "ladder takes a lesson and a metric, not \"%s\"", argv[at]);
    return view_ladder(app, of, metric);
}

static int sweep_run(struct app *app, int argc, char **argv)
{
    const lesson_step *s;
    int64_t values[64];
    const char *metric = NULL;
    if (argc < 3) return app_fail(app, EXIT_USAGE, "help sweep", "sweep takes a setting and its values");
    int status = session_step(app, NULL, &s);
    if (status) return status;
    if (!step_runs(s)) return app_fail(app, EXIT_USAGE, "goto", "step %s runs nothing", s->name);
    if (argc > 3 && metric_named(argv[argc - 1], strlen(argv[argc - 1])) >= 0) metric = argv[--argc];
    int count = view_sweep_values(app, argc - 2, argv + 2, values, 64);
    return count < 0 ? EXIT_USAGE : view_sweep(app, argv[1], values, count, metric);
}

/* ---- completion ---- */

static void add_chapters(const lesson *l, struct words *out)
{
    for (int i = 0; l && i < l->chapter_count; i++) words_add(out, l->chapter[i].name);
}

/* Chapters of the lesson that a word names; it need not be the one at hand. */
static void add_chapters_of(struct app *app, const char *name, struct words *out)
{
    lesson *l;
    lesson_error err;
    const lesson_entry *e = session_entry(app, name);
    if (!e || !session_read(app, e, &l, &err)) return;
    add_chapters(l, out);
    lesson_free(l);
}

void lesson_complete_numbers(struct app *app, int argc, char **argv, struct words *out)
{
    if (argc == 2) {
        words_add(out, "next");
        add_chapters_of(app, argv[1], out);
    }
    if (argc != 1 || session_lessons(app)) return;
    for (int i = 0; i < app->lesson->list.count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", app->lesson->list.entry[i].number);
        words_add(out, number);
        words_add(out, strchr(app->lesson->list.entry[i].folder, '-') + 1);
    }
}

static void add_steps(struct app *app, struct words *out)
{
    const lesson *l = app->lesson ? app->lesson->l : NULL;
    for (int i = 0; l && i < l->step_count; i++) words_add(out, l->step[i].name);
}

void lesson_complete_steps(struct app *app, int argc, char **argv, struct words *out)
{
    (void)argv;
    if (argc == 1) add_steps(app, out);
}

static void complete_sweep(struct app *app, int argc, char **argv, struct words *out)
{
    (void)argv;
    if (argc == 1 && app->lessons) app->lessons->settings(app, out);
}

static void complete_ladder(struct app *app, int argc, char **argv, struct words *out)
{
    if (argc == 2) add_chapters_of(app, argv[1], out);
    else if (argc == 1 && app->lesson) add_chapters(app->lesson->l, out);
    for (int m = 0; argc <= 2 && metrics[m].id; m++) words_add(out, metrics[m].id);
}

const struct command lesson_commands[] = {
    {"lessons", 7, "Lessons", "", "list the lessons",
     "Lists the lessons that were found. --lessons DIR adds your own: DIR is a folder of\n"
     "lessons, or of one. One with the number of a lesson that came with the program\n"
     "takes its place.\n"
     "\n"
     "Example:  lessons\n",
     lesson_lessons_run, NULL},
    {"lesson", 6, "Lessons", "[N [next|CHAPTER]]", "take up a lesson, or go on in it",
     "Shows a lesson's steps and takes it up where you stopped. N is its number or its\n"
     "name. `lesson N next` goes on at once, from a shell too. `lesson N CHAPTER` begins\n"
     "at a chapter.\n"
     "\n"
     "Example:  lesson 1 next\n",
     lesson_lesson_run, lesson_complete_numbers},
    {"next", 1, "Lessons", "", "go on to the next step",
     "Goes to the next step of the lesson, runs it and explains what is seen. An\n"
     "empty line repeats it.\n"
     "\n"
     "Example:  next\n",
     lesson_next_run, NULL},
    {"back", 1, "Lessons", "", "go back to the step before",
     "Goes back one step and runs it again.\n\nExample:  back\n", lesson_back_run, NULL},
    {"goto", 1, "Lessons", "STEP", "go to a step by name",
     "Goes to a step, of this lesson (v3) or of another (1.v3), and runs it.\n\nExample:  goto v4\n", lesson_goto_run,
     lesson_complete_steps},
    {"run", 1, "Lessons", "[STEP] [SETTING=VALUE ...]", "run a step",
     "Runs the step at hand, or another one without going there. Each run has fresh\n"
     "inputs and is checked against the CPU. Settings and a device given here hold for\n"
     "this run. Without a step's name `why`, `explain` and `show` speak of this run, until\n"
     "`next`, `back` or `goto`.\n"
     "\n"
     "Example:  run v3 threads=128\n",
     lesson_run_run, lesson_complete_steps},
    {"predict", 0, "Lessons", "[STEP] [ANSWER]", "guess before you look",
     "Asks what the next step will do. Answer with the number of a choice, or with the\n"
     "number asked for; then the step is run to see whether you were right. The first\n"
     "answer to each question counts.\n"
     "\n"
     "Example:  predict v3 2\n",
     lesson_predict_run, lesson_complete_steps},
    {"why", 1, "Look", "[STEP]", "why it is faster or slower, in a sentence",
     "Says what made the difference to the step before, drawn from the counters of\n"
     "both. On a simulated card with a clock it also says what the warps wait for, and\n"
     "what the step would take without that: the card is changed and the step run.\n"
     "At an exercise it is about your answer, after the starter if that is right.\n"
     "\n"
     "Example:  why v3\n",
     why_run, lesson_complete_steps},
    {"explain", 0, "Look", "[STEP]", "the text of a step, and more",
     "Shows the text of a step again, with what there is to say beyond it.\n\nExample:  explain v1\n", explain_run,
     lesson_complete_steps},
    {"show", 1, "Look", "WHAT [STEP] [LINE]", "look at a step's code, memory or counters",
     "show source      the kernel\n"
     "show ptx         what the compiler made of it\n"
     "show diff [ptx]  what changed since the step before\n"
     "show mem [LINE]  which addresses the 32 lanes of a warp touch\n"
     "show roofline    the card's limits, and the lesson's steps under them\n"
     "show banks [LINE]  which banks an access to shared memory uses\n"
     "show counters    everything that was counted\n"
     "show lines       the counters of each line of the kernel\n"
     "show grid [NAME=VALUE]  the launch as a picture: blocks, warps, an index, the\n"
     "                 waves of blocks that go through the card\n"
     "show host [NAME=VALUE]  the whole program that would run the step; in a shell:\n"
     "                 warpstep show host 1.v3 >v3.cu, then nvcc or `exec v3.cu`\n"
     "\n"
     "Without a step: the one at hand, or your answer to the exercise at hand.\n"
     "\n"
     "Example:  show mem v2\n",
     lesson_show_run, lesson_complete_show},
    {"source", 6, "Look", "[STEP]", "the kernel, as show source does",
     "Shows the kernel of a step, as `show source` does.\n\nExample:  source v3\n", lesson_source_run,
     lesson_complete_steps},
    {"ladder", 0, "Measure", "[N [CHAPTER]] [METRIC] | N.K | PROGRAM...", "all steps in one table and chart",
     "Runs every step of the lesson that has not been run and shows them together: a\n"
     "table and a bar chart of one metric, with the article's figures below the bars. A\n"
     "lesson with chapters has a table and a chart for each; of one chapter all steps.\n"
     "Of programs (a .cu file, a path): runs each as `exec` does, and shows all of\n"
     "their kernels. After `exec`, without a word: the kernels of that program. Of an\n"
     "exercise N.K, or the one at hand: your answer between the starter and ours.\n"
     "\n"
     "Example:  ladder 1 transactions\n",
     ladder_run, complete_ladder},
    {"sweep", 0, "Measure", "SETTING FROM TO | VALUES [METRIC]", "one step over values of a setting",
     "Runs the step at hand for each value of a setting: doubling from FROM to TO, or\n"
     "the three or more values given. Shows a table and a chart.\n"
     "\n"
     "Example:  sweep threads 32 512\n",
     sweep_run, complete_sweep},
    {"progress", 0, "Lessons", "", "what you have done so far",
     "Shows how many steps of each lesson you have run rightly, how many of your\n"
     "predictions were right, and how many exercises you have passed.\n"
     "\n"
     "Example:  progress\n",
     progress_run, NULL},
    {0},
};
