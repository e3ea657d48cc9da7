/* lesson.h: a lesson as read from its folder. lessons/README.md describes the file.
 *
 * lesson.c turns the text into a `lesson` and reports errors with their place. lesson_check.c
 * checks what spans several lines (unknown names, defaults out of range, loops without an end). A
 * lesson owns its text: all strings and expressions point into it. Nothing here runs anything; see
 * step.h. */
#ifndef LESSON_H
#define LESSON_H

#include "expressions.h"
#include "frame_kinds.h"
#include "shell/app.h"
#include <stdio.h>

#if defined(__GNUC__)
#define LESSON_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define LESSON_PRINTF(f, a)
#endif

/* more than any lesson needs, few enough to be safe */
enum {
    LESSON_BYTES = 1 << 20,
    LESSON_LINE = 1000,
    LESSON_STEPS = 100,
    LESSON_SETTINGS = 24,
    LESSON_BUFFERS = 16,
    LESSON_ACTIONS = 64,
    LESSON_ARGS = 24,
    LESSON_RIGHTS = 8,
    LESSON_LOCALS = 28,
    LESSON_LOOKS = 16,
    LESSON_CHAPTERS = 24,
    LESSON_NAME = 31
};

typedef struct lesson_error {
    char file[512];
    int line, column;             /* 1-based; 0: the whole file */
    char source[LESSON_LINE + 1]; /* the line itself */
    char message[400];            /* "expected a number between 1 and 1024" */
} lesson_error;

/* A text of the file: without the common indentation, with the blank lines between paragraphs. */
typedef struct lesson_text {
    const char *text; /* NUL-terminated, lines end in \n; NULL: none */
    int line;
} lesson_text;

typedef struct lesson_setting {
    const char *name;
    expr initial, least, most; /* of earlier settings */
    /* the value instead of `initial` when less than `room` bytes of memory are free; empty: none */
    expr lean, room;
    const char *about;
    int line;
} lesson_setting;

/* A step's own default for a setting, or its fixed value. */
typedef struct lesson_with {
    int setting; /* index */
    bool fixed;
    expr value;
    int line;
} lesson_with;

/* also: SETTING = VALUE, VALUE ... [with SETTING = VALUE]: further sizes for check-lessons to run each step with. */
typedef struct lesson_also {
    int setting, with; /* indices; with: -1 when no other setting is given */
    expr value, with_value;
    int line;
} lesson_also;

/* require: EXPR, message */
typedef struct lesson_rule {
    expr condition;
    const char *message;
    int line;
} lesson_rule;

enum lesson_type {
    TYPE_I8,
    TYPE_U8,
    TYPE_I16,
    TYPE_U16,
    TYPE_I32,
    TYPE_U32,
    TYPE_I64,
    TYPE_U64,
    TYPE_F32,
    TYPE_F64,
    TYPE_F16, /* these five: small_floats.h */
    TYPE_BF16,
    TYPE_TF32,
    TYPE_E4M3,
    TYPE_E5M2,
    TYPES
};
extern const struct lesson_type_info {
    const char *name;
    int bytes;
    char kind; /* 'i', 'u' or 'f' */
} lesson_types[TYPES];
extern const char lesson_type_names[]; /* all of them, for messages */

/* An expression about elements (elements.h). It belongs to the lesson. */
typedef struct lesson_formula {
    const expr_node *node;
    int count;
    char variable[2][LESSON_NAME + 1]; /* what it says for the element's index, or its row and column */
    int variables;
    const char *source; /* the line, and where it begins there */
    int line, column;
} lesson_formula;

typedef struct lesson_buffer {
    char name[LESSON_NAME + 1];
    enum lesson_type type;
    expr length;
    int fill;                      /* index in fill_generators, see reference.h */
    expr parameter;                /* rand % parameter */
    double value;                  /* = 1.23 */
    const lesson_formula *formula; /* = i % 7; NULL: none */
    const uint64_t *list;          /* or these bits, one per element; a single one fills the buffer; ... */
    uint64_t listed;               /* ... their number; 0: none */
    const char *file;              /* or the start of this file of raw numbers; NULL: none */
    const char *symbol;            /* this variable of the kernel's file; NULL: memory is allocated */
    expr rows, columns, pitch;     /* in ROWS x COLUMNS of PITCH: the part that the host sees; empty: all */
    bool rest_zero;                /* zero between and after the rows; else uninitialised */
    bool keeps;                    /* copied back to the host after the launches, for finish, right or clock */
    int line;
} lesson_buffer;

/* A tensor map of a buffer: its rows and columns (of one without rows, its elements), and the box that
 * one bulk copy moves. */
typedef struct lesson_map {
    expr box[2];             /* rows and columns; box[0] empty: of a buffer without rows */
    expr swizzle, promotion; /* bytes: 0, 32, 64, 128; 0, 64, 128, 256; empty: 0 */
    bool tf32;               /* of a buffer of f32: what is copied is rounded to tf32 */
} lesson_map;

/* A value passed to a kernel or to a CPU operation. */
typedef struct lesson_arg {
    int buffer; /* index, or -1 */
    int local;  /* index of a `finish` result, or -1 */
    bool is_float;
    double number;
    expr value;
    bool texture, linear;  /* `buffer` as a texture of value x height texels, with or without filtering */
    expr height;           /* empty: one-dimensional */
    int channels;          /* floats per texel: 1 or 4 */
    const lesson_map *map; /* `buffer` as a tensor map, the lesson's; NULL: not */
} lesson_arg;

enum lesson_act {
    ACT_LAUNCH,
    ACT_LET,
    ACT_FOR,
    ACT_WHILE,
    ACT_END,
    ACT_ZERO,
    ACT_SWAP,
    ACT_FINISH,
    ACT_HOST,
    ACT_PROGRAM
};

/* One action of a run, in order. A loop's body is between it and its ACT_END. */
typedef struct lesson_action {
    enum lesson_act kind;
    int line;
    char name[72]; /* kernel's entry, "tiled{tile}" when a setting chooses it (step_entry); variable of let and for;
                       * result of finish */
    int local;     /* index of that variable or result */
    expr grid[3], block[3], shared; /* launch */
    expr from, to, step;            /* for; let and while use `from` */
    lesson_arg arg[LESSON_ARGS];    /* launch, finish, program; zero and swap use arg[0], arg[1] */
    int args;
    int operation; /* finish, host: index in cpu_operations */
    int match;     /* loop: index of its end; end: index of its loop */
} lesson_action;

/* The expected result: a result or buffer compared with a CPU operation, or with an expression. */
typedef struct lesson_right {
    lesson_arg ours;
    char ours_name[LESSON_NAME + 1];
    int witness;                   /* the step whose kernel computes it, of an author's own lesson; -1: none */
    const lesson_formula *formula; /* NULL: an operation */
    expr first[2], last[2];        /* of its variables; empty: all elements */
    int operation;
    lesson_arg arg[LESSON_ARGS];
    int args;
    double within; /* 0: exact */
    bool rounding; /* of a product: within what rounding can do (product_judge.c) */
    bool relative;
    int line;
} lesson_right;

enum lesson_expect { EXPECT_OK, EXPECT_WRONG, EXPECT_RACE, EXPECT_UNINITIALISED, EXPECT_FAULT };
extern const char *const lesson_expected[]; /* "right", "wrong", "a race" ... */

typedef struct lesson_article {
    const char *metric, *unit, *device, *note; /* unit: the base unit, as in JSON */
    const char *shown;                         /* as in the file: "8.3 M" is 8300000 */
    double value;
    bool measured;  /* we measured it on that card; else it is the article's */
    bool hot, cold; /* with a warm or a cold cache; neither: the cache does not matter */
    expr condition; /* settings for which the figure holds; empty: all */
    int line;
} lesson_article;

typedef struct lesson_choice {
    const char *text;
    expr when;
    int line;
} lesson_choice;

/* A moment of the step's run that is worth seeing. */
typedef struct lesson_look {
    enum frame_kind kind;
    int nth;           /* of those that are like that, from 1 */
    int source_line;   /* of the kernel's file; 0: any */
    int warp;          /* of the block; -1: any */
    uint32_t block[3]; /* ... of this launch, from 1 */
    int launch;
    lesson_text says; /* what to look at */
    int line;
} lesson_look;

typedef struct lesson_predict {
    lesson_text question;
    lesson_text because;
    lesson_choice choice[6];
    int choices;
    expr number, per; /* or a number: number / per, correct within so many percent */
    double within;
    const char *unit;
    bool has_frame; /* it is about this moment, whose numbers are frame_lanes and so on */
    lesson_look frame;
    int line;
} lesson_predict;

/* card-needs: what a card must have; 0 and false: anything will do. */
typedef struct card_needs {
    int compute; /* 90 is compute 9.0 */
    bool tensor_cores, clock;
    int64_t shared; /* bytes of shared memory for a block */
    int line;
} card_needs;

typedef struct lesson_step {
    char name[LESSON_NAME + 1];
    int like; /* index of the step that it takes over from; -1: none */
    const char *title;
    lesson_text idea, text, explain;
    const char *kernel_file, *ptx_file; /* in the lesson's kernel folder; NULL: the step runs no kernel */
    const char *commands[6];            /* or it shows the output of these commands */
    int command_count;
    lesson_with *with;
    int with_count;
    lesson_rule *rule;
    int rule_count;
    lesson_buffer *buffer;
    int buffer_count;
    lesson_action *action;
    int action_count;
    char locals[LESSON_LOCALS][LESSON_NAME + 1]; /* let and for variables, finish results */
    int local_count;
    int clock;           /* buffer of block times: starts, then ends; -1: none */
    lesson_right *right; /* all must hold */
    int right_count;
    enum lesson_expect expect;
    expr bytes, operations; /* useful bytes and operations, for bandwidth and rate */
    expr each;              /* divides the cycles, for the cost of a single item */
    lesson_article *article;
    int article_count;
    lesson_article *library; /* what the vendor's library does on the same */
    int library_count;
    bool has_peak;
    enum lesson_type peak; /* of the products: its rate is held to the card's for this type */
    lesson_predict *predict;
    int predict_count;
    lesson_look *look;
    int look_count;
    expr cards;          /* of a program: how many it sees; empty: 1 */
    const char *says[8]; /* what it must print, each within a line */
    int says_count;
    const char *row[8]; /* the metrics of its table; row_count 0: chosen by rule */
    int row_count;
    int exercise;     /* the number of the one that practises it; 0: none */
    bool aside;       /* a side step: the ladder marks it */
    const char *card; /* the default card for this step, if not the lesson's */
    card_needs needs;
    expr cluster[3];       /* blocks of a cluster in its launches; empty: as the kernel says */
    const char *after;     /* the step that it is compared with, if not the previous one */
    const struct job *job; /* how it is run (run/job.h); NULL: as the lesson says */
    int line;
} lesson_step;

/* Steps that belong together: from `first` to the next chapter's. */
typedef struct lesson_chapter {
    char name[LESSON_NAME + 1];
    const char *title;
    int first; /* index of its first step */
    int line;
} lesson_chapter;

typedef struct lesson {
    unsigned serial; /* unique among the lessons read in this process; 0: not from a file */
    int number;
    bool own;                              /* of a folder given by --lessons: its PTX may be made now */
    char folder[64];                       /* "01-sum-of-squares" */
    const char *name;                      /* "sum-of-squares": within folder */
    char path[1024];                       /* path of lesson.txt */
    char kernels[1152], own_kernels[1024]; /* folders of kernel files: the shared one, the lesson's own */
    const char *title, *needs, *card, *source;
    card_needs card_needs; /* of all steps */
    lesson_text about;
    bool has_seed; /* `seed` is for the first run's inputs: the article's own */
    uint64_t seed;
    lesson_also *also, *check; /* sizes for check-lessons: further ones, and those that replace the defaults */
    int also_count, check_count;
    lesson_setting setting[LESSON_SETTINGS];
    int setting_count;
    const char *ladder[4]; /* metrics to draw: the first that is available */
    int ladder_count;
    lesson_chapter chapter[LESSON_CHAPTERS];
    int chapter_count;
    lesson_step *step;
    int step_count;
    char *file_text;                /* owned; all strings point into it */
    struct lesson_piece *pieces;    /* owned: texts without their indentation */
    struct lesson_wording *wording; /* owned: its texts in two languages (translation.h) */
    int wordings;
    char *other_text[LANGUAGES]; /* owned: the files of its translations */
} lesson;

/* Parse `bytes` of text; `path` names it in messages. Reads no other file. 0 and *out, or -1 and
 * the error. */
int lesson_parse(lesson **out, const char *path, const char *text, size_t bytes, lesson_error *err);
/* The same for the text of an exercise: a lesson with one step. The exercise's own keys go to `x`
 * (exercise.h). */
struct exercise;
int lesson_parse_as(lesson **out, struct exercise *x, const char *path, const char *text, size_t bytes,
                    lesson_error *err);
void lesson_free(lesson *l);
/* Print "file:line:column: message", the line and a caret. */
void lesson_error_print(FILE *out, const lesson_error *err);
void lesson_error_caret(FILE *out, const lesson_error *err); /* the line and the caret alone */

/* ---- lessons in a folder: NN-name/lesson.txt ---- */
typedef struct lesson_entry {
    int number;
    char folder[64];
    char path[1024]; /* of lesson.txt */
    bool own;        /* of a folder given by --lessons, ... */
    char took[64];   /* ... whose number this other folder had; "": none */
} lesson_entry;
typedef struct lesson_list {
    lesson_entry *entry;
    int count;
} lesson_list;
/* The number of a folder's name, NN-name; -1: it is no lesson's. */
int lesson_folder_number(const char *name);
/* Add lessons of the author's own, which take the places of those with the same numbers. 0 or errno. */
int lesson_list_add(lesson_list *list, const lesson_list *own);
/* Find the lessons in `dir`, or the one that it is, sorted by number, then name. 0 or errno. Kernels
 * are searched in the lesson's own folder, then in `kernels`/FOLDER. */
int lesson_find(lesson_list *out, const char *dir);
/* Is there a link below the folder that leads out of it? Its path, to be freed; NULL: none. What a lesson of strangers
 * shows would be the file that such a link leads to. */
char *lesson_link_out(const char *folder);
void lesson_list_free(lesson_list *list);
/* Read and check a lesson's file. Whether its kernels exist is up to check-lessons. */
int lesson_read(lesson **out, const lesson_entry *entry, const char *kernels, lesson_error *err);

/* ---- card_needs.c ---- */
/* What a step needs: its own and the lesson's. */
card_needs step_needs(const lesson *l, const lesson_step *s);
/* Which of it is not there? "it needs compute 9.0, and sim:8800gt has 1.1"; false: all is. `card` may be NULL:
 * only `compute` is known. */
struct sim_card;
bool card_lacks(const card_needs *n, const char *device, int compute, const struct sim_card *card, char *out,
                size_t size);

/* A number of the card that launches may use: "multiprocessors" or "shared_per_block". */
bool launch_fact_named(const char *name, size_t length);
/* The i-th of them and what CUDA calls it; NULL: there are fewer. */
const char *launch_fact_at(int i, const char **attribute);
bool launch_fact(const struct sim_card *card, const char *name, size_t length, int64_t *out);

/* ---- looking things up ---- */
const lesson_step *lesson_step_named(const lesson *l, const char *name, size_t length);
int lesson_setting_named(const lesson *l, const char *name, size_t length);    /* -1: none */
const lesson_chapter *lesson_chapter_named(const lesson *l, const char *name); /* its name, or a unique prefix */
const lesson_chapter *lesson_chapter_of(const lesson *l, const lesson_step *s);
int lesson_chapter_end(const lesson *l, const lesson_chapter *c); /* index after its last step */
int step_buffer_named(const lesson_step *s, const char *name, size_t length);
int step_local_named(const lesson_step *s, const char *name, size_t length);

/* The card that is simulated where neither the user nor the lesson names one. */
#define DEFAULT_CARD "h200"

/* The path of a kernel file of the lesson. False: not found. */
bool lesson_file(const lesson *l, const char *name, char *path, size_t size);
bool step_ptx_name(const lesson_step *s, char *name, size_t size);

/* ---- checks across lines; false after filling err ---- */
bool lesson_check(const lesson *l, lesson_error *err);
void lesson_error_at(lesson_error *err, const lesson *l, int line, const char *fmt, ...) LESSON_PRINTF(4, 5);

#endif
