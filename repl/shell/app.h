/* app.h: what every file of the program shares: the app itself, how to print and how to fail.
 *
 * One `struct app` exists and is the first argument of everything. A command prints what the person
 * asked for on app->out. It fails with app_fail, which prints on app->err (or a JSON error line),
 * and returns an exit status.
 *
 * No kernel runs in this process, and this process touches no GPU: see child.h. Files that outlive
 * a session: see progress.h. How a line becomes words: words.h. Numbers and JSON: format.h,
 * json.h. */
#ifndef APP_H
#define APP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "words.h"

#define APP_RELEASE  "0.2.0"
#define APP_RELEASED "2026-11-26" /* the day of that release */
extern const char app_version[];  /* of a build that is not that release, its commit too (app_version.c) */

#if defined(__GNUC__)
#define APP_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define APP_PRINTF(f, a)
#endif

struct app;
struct words;
struct lesson_state; /* defined in session.h */
struct exercise_state;
struct settings; /* defined in settings.c */
struct state;    /* defined in progress.c */

/* ---- exit statuses: a contract, scripts rely on them ---- */
enum {
    EXIT_DONE = 0,
    EXIT_CHECK = 1,        /* a check failed or is pending; a kernel faulted or its output is wrong */
    EXIT_USAGE = 2,        /* usage, unknown lesson, unknown command */
    EXIT_DEVICE = 3,       /* the device asked for, or a compiler, is absent */
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
    char card[32];     /* name of the simulated card: "8800gt" */
    char path[1024];   /* the card's file, when the person named one; else "" */
    char changes[720]; /* changed values of a simulated card: "dram_latency=2x", separated by blanks */
};
enum { DEVICES_MAX = 8 };

/* One `set sim.KEY VALUE` (show_card.c). */
struct card_change {
    char key[40], value[24];
};
enum { CARD_CHANGES = 4 };

/* ---- what the shell asks of lessons: session.c sets app->lessons ---- */
struct lesson_hooks {
    const char *(*where)(struct app *app);  /* "1.v3" for the prompt and notes, "1" at a lesson's start, else "" */
    const char *(*card)(struct app *app);   /* the current lesson's card, or NULL */
    const char *(*footer)(struct app *app); /* the commands that make sense now: "next  run  why", or NULL */
    /* The lesson's variables (n, blocks, threads). `settings` lists their names. `get` returns a
     * value, or NULL when unknown. `set` changes one (value NULL: its default) and returns 0, or
     * EXIT_USAGE after a message. */
    void (*settings)(struct app *app, struct words *out);
    const char *(*get)(struct app *app, const char *name);
    int (*set)(struct app *app, const char *name, const char *value);
    void (*speak)(struct app *app); /* the language may have changed */
    void (*begin)(struct app *app); /* an outermost command begins, not one that another command runs */
    void (*close)(struct app *app); /* frees everything at the end */
};

/* ---- the app ---- */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum app_language { /* AUTO: as the locale says; language.h */
    LANGUAGE_AUTO,
    LANGUAGE_EN,
#define LANGUAGE(id, code, name) LANGUAGE_##id,
#include "languages.def"
    LANGUAGES
};

/* What an option changes for one command (`run --seed 3`), and `set` changes until the end. These
 * are members of struct app_options, and of struct app, which holds the options in force. */
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
    bool unsealed;    /* --unsealed: strangers' code is judged where nothing shuts it in */           \
    enum color_when color_when;                                                                       \
    enum app_language language;
struct app_options {
    APP_OPTIONS
};

/* The options to restore when a command ends. `outer` belongs to the command that ran this one. */
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
    struct app_kept *kept; /* NULL: no command is running */

    FILE *out, *err;     /* data; warnings and errors */
    bool one_command;    /* nothing follows the command on the command line */
    bool interactive;    /* a person is typing: prompt, footer, history, confirmations */
    bool color;          /* escape codes may be written to out */
    bool err_color;      /* the same for err */
    bool out_tty;        /* out is a terminal: long lines are wrapped at its width */
    bool utf8;           /* else ASCII only */
    bool class_question; /* a question is put to the class: nobody answers at the keyboard */
    bool no_record;      /* nothing goes into the journal: a demonstration */
    bool no_pages;       /* long answers are not shown a screen at a time (`set pages off`) */
    bool readline;       /* GNU Readline reads the lines */
    int width, height;   /* of the terminal, kept current; 80 x 24 when unknown */

    struct card_change card_changes[CARD_CHANGES];
    int card_change_count;
    struct words lessons_dirs; /* --lessons: added to those that came with the program, ... */
    bool lessons_only;         /* ... or --lessons-only: in their place */
    char *root;                /* folder that holds lessons/ and kernels/ */

    const struct lesson_hooks *lessons; /* NULL until lessons are loaded */
    struct lesson_state *lesson;
    struct exercise_state *exercise; /* defined in exercise_files.h */
    struct settings *settings;
    struct state *state;
    const char *source; /* where commands come from, for messages: a file of -x, "stdin"; NULL when typed or -c */
    int source_line;
    bool quit;        /* leave after this command */
    bool failed;      /* this command reported EXIT_INTERNAL, so it cannot succeed whatever it did afterwards */
    char *typed;      /* a command typed at the prompt between two screens: it runs next; NULL: none */
    char *fault_step; /* the command that opens the last fault where it happened; NULL: there was none */
    char repeat[16];  /* what an empty line repeats: "next" after next, else "" */
};

/* The folder of the lessons that came with the program, or the first that takes their place. */
const char *app_lessons_dir(const struct app *app, char *out, size_t size);

/* app_interrupted is set by Ctrl-C and cleared before a line is read. Our own long loops check it;
 * child.c ends a child. app_ended holds the signal that asked the program to end (SIGTERM, SIGHUP);
 * app_interrupted is then set too, and stays set. */
extern volatile sig_atomic_t app_interrupted, app_ended;

/* An errno from deep below a command, where no message can be printed: no memory for a row of a
 * table, a folder that cannot be read. The command then reports it and ends with EXIT_INTERNAL. 0:
 * nothing was lost. */
extern int app_lost;

/* ---- saying things ---- */
/* Report a failure and return `status`. `next`, unless NULL, is what to try next. */
int app_fail(struct app *app, int status, const char *next, const char *fmt, ...) APP_PRINTF(4, 5);
int app_no_memory(struct app *app); /* the same, of memory on this computer: EXIT_INTERNAL */
void app_warn(struct app *app, const char *fmt, ...) APP_PRINTF(2, 3); /* on err, apart from the data */

enum app_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_BAD, STYLE_NOTE, STYLE_HEAD, STYLES };
/* The escape code that starts a style on app->out, or "" when colour is off. STYLE_PLAIN ends any
 * style. A status is always printed as a word too: colour alone carries no meaning. */
const char *app_style(const struct app *app, enum app_style style);

/* The word of `candidates` nearest to `typed` (a few edits at most), or NULL: "did you mean ...".
 */
const char *app_nearest(const char *typed, const struct words *candidates);

#endif
