/* app.h: what every file of the program shares: the app itself, how to print and how to fail.
 *
 * One `struct app` exists and is the first argument of everything. A command prints what the person
 * asked for on app->out, fails with app_fail (which prints on app->err, or a JSON error line) and
 * returns an exit status.
 *
 * No kernel runs in this process and no GPU is touched by it: see child.h. Files and memory that
 * outlive a session: see progress.h. Words, and how a line becomes words: words.h. Numbers and
 * JSON: format.h, json.h.
 */
#ifndef APP_H
#define APP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define APP_VERSION  "0.2.0"
#define APP_RELEASED "2026-11-26" /* the day of that version */

#if defined(__GNUC__)
#define APP_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define APP_PRINTF(f, a)
#endif

struct app;
struct words;
struct lesson_state; /* lesson_session.c's own */
struct exercise_state;
struct settings; /* settings.c's own */
struct state;    /* progress.c's own */

/* ---- exit statuses: a contract, scripts rely on them ---- */
enum {
    EXIT_DONE = 0,
    EXIT_CHECK = 1,        /* a check failed or is pending; a kernel faulted or its output is wrong */
    EXIT_USAGE = 2,        /* usage, unknown lesson, unknown command */
    EXIT_DEVICE = 3,       /* the device asked for is absent */
    EXIT_INTERNAL = 4,     /* our own failure, or CUDA's */
    EXIT_INCONCLUSIVE = 5, /* timing inconclusive */
    EXIT_TIME = 124,       /* the time limit was reached */
    EXIT_INTERRUPT = 130   /* Ctrl-C */
};

/* ---- devices ---- */
enum device_kind { DEVICE_AUTO, DEVICE_GPU, DEVICE_SIM };

struct device {
    enum device_kind kind;
    int index;         /* of a GPU; -1: any */
    char label[160];   /* what every row and JSON record says: "sim:8800gt", "gpu:0", "auto" */
    char card[32];     /* the simulated card's name: "8800gt" */
    char path[1024];   /* of the card's file, when one was named; else "" */
    char changes[720]; /* of a simulated card's values, for this session: "dram_latency=2x", a blank between two */
};
enum { DEVICES_MAX = 8 };

/* show_card.c's own */
struct card_change {
    char key[40], value[24];
};
enum { CARD_CHANGES = 4 };

/* ---- what a lesson tells the rest; lesson.c fills one and sets app->lessons ---- */
struct lesson_hooks {
    const char *(*where)(struct app *app);  /* "1.v3" for the prompt and notes, "1" at a lesson's start, "" nowhere */
    const char *(*card)(struct app *app);   /* the current lesson's card, or NULL */
    const char *(*footer)(struct app *app); /* the commands that make sense now: "next  run  why", or NULL */
    /* The lesson's variables (n, blocks, threads): list their names; give a value (NULL when
     * unknown); change one, where value NULL means its default: 0, or EXIT_USAGE after a message.
     */
    void (*settings)(struct app *app, struct words *out);
    const char *(*get)(struct app *app, const char *name);
    int (*set)(struct app *app, const char *name, const char *value);
    void (*begin)(struct app *app); /* a command begins that no other has begun */
    void (*close)(struct app *app); /* give everything back, at the end */
};

/* ---- the app ---- */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* What an option changes for one command (`run --seed 3`) and `set` until the end: members of
 * struct app_options, and of struct app, where they are those in force. */
#define APP_OPTIONS                                                                                   \
    struct device devices[DEVICES_MAX]; /* as asked for with --device; one `auto` when nothing was */ \
    int device_count;                                                                                 \
    bool device_explicit; /* asked for by name: never silently replaced */                            \
    uint64_t seed;                                                                                    \
    int host_threads; /* --threads; 0: all cores */                                                   \
    double limit;     /* seconds a run may take */                                                    \
    bool exact;       /* --exact: a timed run times every block, not a sample of them */              \
    bool hot;         /* --hot: time runs on a GPU with their data in its cache */                    \
    bool json;        /* one object a line on out, nothing else there */                              \
    bool class_mode;  /* on a projector: solutions hidden, the why line large */                      \
    enum color_when color_when;
struct app_options {
    APP_OPTIONS
};

/* The options that come into force again when a command ends, and those of the command that began
 * it. */
struct app_kept {
    struct app_options options;
    struct app_kept *outer;
};

struct app {
    union {
        struct app_options options;
        struct {
            APP_OPTIONS
        };
    };
    struct app_kept *kept; /* NULL: no command is under way */

    FILE *out, *err;     /* data; warnings */
    bool interactive;    /* a person is typing: prompt, footer, history, confirmations */
    bool color;          /* escape codes may be written to out */
    bool err_color;      /* the same for err */
    bool out_tty;        /* out is a terminal: long lines are folded at its width */
    bool utf8;           /* else ASCII only */
    bool class_question; /* a question is put to a room: nobody answers at the keyboard */
    bool no_record;      /* nothing goes into the journal: a demonstration */
    bool no_pages;       /* long answers are not shown a screen at a time */
    bool readline;       /* GNU Readline reads the lines */
    int width, height;   /* of the terminal, kept up to date; 80 x 24 when unknown */

    struct card_change card_changes[CARD_CHANGES];
    int card_change_count;
    char *lessons_dir; /* --lessons, or the one that came with the program */
    char *root;        /* folder that holds lessons/ and kernels/ */

    const struct lesson_hooks *lessons; /* NULL until lessons are loaded */
    struct lesson_state *lesson;
    struct exercise_state *exercise; /* exercise_files.c's own */
    struct settings *settings;
    struct state *state;
    const char *source; /* where commands come from, for messages: a file of -x, "stdin"; NULL when typed or -c */
    int source_line;
    bool quit;       /* leave after this command */
    bool failed;     /* this command has said EXIT_INTERNAL, and so cannot end well, whatever it did then */
    char *typed;     /* a line typed where the rest of a long answer was offered: it comes next; NULL: none */
    char repeat[16]; /* what an empty line repeats: "next" after next, else "" */
};

/* Set by Ctrl-C, cleared before a line is read. Long loops of our own look at it; a child is ended
 * by child.c. app_ended: the signal that asked the program to end (SIGTERM, SIGHUP); then
 * app_interrupted is set too, and stays. */
extern volatile sig_atomic_t app_interrupted, app_ended;

/* errno of what kept something from being shown, deep below a command, where nobody could say so:
 * memory for a row of a table, a folder that cannot be read. The command then ends with
 * EXIT_INTERNAL and says so. 0: nothing did. */
extern int app_lost;

/* ---- saying things ---- */
/* Report a failure and return `status`: "what is wrong" and, unless NULL, what to try next. */
int app_fail(struct app *app, int status, const char *next, const char *fmt, ...) APP_PRINTF(4, 5);
void app_warn(struct app *app, const char *fmt, ...) APP_PRINTF(2, 3); /* on err; never in the way of the data */

enum app_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_BAD, STYLE_NOTE, STYLE_HEAD, STYLES };
/* The escape code that starts a style on app->out, "" when colour is off. STYLE_PLAIN ends any. A
 * status is always also a word: colour alone says nothing. */
const char *app_style(const struct app *app, enum app_style style);
/* Print text on app->out, words wrapped at the terminal's width (100 at most), every line indented.
 */
void app_wrap(struct app *app, int indent, const char *text);

/* The word of `candidates` nearest to `typed` (a few edits at most), or NULL: "did you mean ...".
 */
const char *app_nearest(const char *typed, const struct words *candidates);

#endif
