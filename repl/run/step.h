/* step.h: running a step of a lesson, and the numbers of that run.
 *
 * step_run runs a step in a child (all of that is in step_child.c) and reads the answer into a
 * step_result, whose members record.def lists. A metric is a named number of a result: a counter,
 * or derived from counters by the card's own rules (step_metric.c). Views, predictions, `why`,
 * sweeps and JSON all read results through metrics. */
#ifndef STEP_H
#define STEP_H

#include "film.h"
#include "job.h"
#include "course/metric_names.h"
#include "course/reference.h"
#include "course/step_values.h"
#include "device/statistics.h"
#include "shell/app.h"
#include "sim.h"

/* ---- asking ---- */
typedef struct step_request {
    const lesson *l;
    const lesson_step *s;
    step_values values;
    struct device device;
    const char *card_text; /* of a simulated device */
    const char *ptx;       /* its text, and its name in messages */
    size_t ptx_bytes;
    char ptx_name[256];
    const char *shipped; /* the lesson's own PTX, if ptx was just compiled for this GPU; else NULL */
    size_t shipped_bytes;
    const char *witness; /* the PTX of the step that judges this one (right: y == like STEP); NULL: none */
    size_t witness_bytes;
    char compiler[100]; /* the compiler that did so; else "" */
    bool hot;           /* time it with its data in the cache */
    uint64_t seed;
    int host_threads;
    double limit;        /* seconds */
    unsigned checks;     /* SIM_CHECK_... */
    bool lines;          /* count per source line */
    bool exact;          /* --exact: time every block */
    const char *memo;    /* file to keep its answer in; NULL: not kept */
    bool recall;         /* an answer kept there may be reused */
    const char *already; /* start of the progress line; "" or NULL: none */
    bool trace;          /* record the accesses of one warp: */
    uint32_t trace_block, trace_warp;
    bool untimed;             /* without the card's clock, which makes it faster */
    uint64_t shuffle;         /* if untimed: seed of a random order of warps and blocks; 0: numerical order */
    uint64_t budget;          /* warp instructions of all launches together; 0: no limit */
    bool sealed;              /* an untrusted kernel: limit memory, files and processes */
    uint64_t room;            /* free memory of this computer, for a child that cannot ask; 0: it asks */
    struct job job;           /* its kind is NULL: the step's own (request_job) */
    const film_request *film; /* NULL: it is not filmed */
    bool quiet;               /* no progress line */
    bool chains;              /* count sim_chains: untimed, with SIM_CHECK_INIT */
    bool find_writer;         /* record which thread last wrote this element of a buffer: */
    int writer_buffer;
    uint64_t writer_element;
} step_request;

/* ---- answers ---- */
enum {
    STEP_FAULTS = 160, /* for the user's own kernel; ... */
    STEP_LESSON_FAULTS = 16,
    STEP_LINES = 20000, /* for the user's own kernel */
    STEP_LESSON_LINES = 400,
    STEP_TRACE = 512,
    STEP_LANE_BYTES = 64,
    STEP_PRINTS = 24,
    STEP_DUMPS = 64,
    STEP_SPANS = 2000,
    STEP_FILE = 512,
    STEP_SYMBOL = 400
};

enum { STEP_SAMPLES = 64 };

/* What the cache held when the timed part began. */
enum {
    CACHE_NONE /* the card has no cache, or nothing was timed */,
    CACHE_COLD /* nothing */,
    CACHE_HOT /* what an earlier run left */
};

/* step_line, step_fault, step_access, step_outcome, step_span, step_timing, step_result: see record.def. */
/* clang-format off */
#define HOLDS_FLAG       bool
#define HOLDS_INT        int
#define HOLDS_INDEX      int
#define HOLDS_U32        uint32_t
#define HOLDS_COUNT      uint64_t
#define HOLDS_SIGNED     int64_t
#define HOLDS_REAL       double
#define HOLDS_MEASURE    double
#define HOLDS_DIFFERENCE double
#define HOLDS_ANY        double
#define HOLDS_TEXT       char
#define HOLDS_LETTER     char
#define ABOUT(type)
#define DONE(type)
#define HAS(kind, name, most)
#define RECORD(type)                                           typedef struct type {
#define END(type)                                              } type;
#define FIELD(kind, name, dims, most, unit, meaning)           HOLDS_##kind name dims;
#define SERIES(kind, name, dims, counter, most, unit, meaning) HOLDS_##kind name dims;
#define PART(type, name, meaning)                              type name;
#define LIST(type, name, dims, counter, meaning)               type name dims; int counter;
#define HEAP(type, name, most, counter, meaning)               type *name; int counter;
#define BYTES(name, most, counter, meaning)                    char *name; int counter;
#define OWN(member)                                            member
#include "record.def"
/* clang-format on */

/* The word for it: "out-of-bounds". */
static inline const char *fault_word(const step_fault *f) { return sim_fault_name((enum sim_fault_kind)f->kind); }

/* "1.v3"; of a program's kernels, whose lesson has no number, "exec.add". */
const char *step_called(const step_request *q, char *out, size_t size);
/* Run the step. Always fills *r (free it with step_result_free) and returns r->status. Prints
 * nothing. */
int step_run(const step_request *q, step_result *r);
/* Run several steps on one GPU, timed in turns so that they can be compared. 0, or the status of
 * the first failure. */
int step_run_in_turns(const step_request *q, int count, step_result *r);
void step_release(void); /* end the child that is kept for a GPU, if any */
/* If both were timed in turns: how many times as long `before` took. */
void step_compare(step_result *r, const step_result *before, const char *name);
void step_result_free(step_result *r);
bool step_as_expected(const lesson_step *s, const step_result *r);

/* step_memo.c: answers of simulated runs in files. The path for this run (to be freed); NULL: it is
 * not kept. Reading: the answer, to be freed; NULL: no file, or a file that was changed. */
struct app;
char *step_memo_path(struct app *app, const step_request *q);
char *step_memo_read(const char *path, size_t *bytes, bool *damaged);
void step_memo_write(const char *path, const char *answer, size_t bytes);

/* step_child.c: what the child does. */
struct child;
int step_child(struct child *c, void *request);

/* record.c: the record as lines "key value". A fault may be written as soon as it is seen. */
void record_write(FILE *out, const step_result *r);
void record_write_fault(FILE *out, const step_fault *f);
/* Reads a child's answer, which may be incomplete or hostile. Lines that are no field of a record
 * are skipped. A value that its row does not allow makes r a failed run, whose problem says which.
 * A line "job N" says which run the following lines belong to. */
void record_read(step_result *r, int count, char *answer, size_t bytes);

/* ---- metrics ---- */
typedef struct step_metric {
    const char *id, *name, *unit, *about;
    bool lower_is_better, higher_is_better;
    bool (*get)(const step_result *r, double *out); /* NULL: a counter, at offset */
    size_t offset;
} step_metric;
extern const step_metric *const metrics; /* ends with a NULL id */
void metrics_speak(void);                /* their names in the language spoken now; step_metric.c */
/* False when this result has no such number: it was not timed, or nothing of the kind happened. */
bool metric_get(int m, const step_result *r, double *out);
/* The same by name: a metric, a result of a `finish:` or `host:` of the step, or a fact of the
 * card. */
bool metric_number(const step_result *r, const char *name, size_t length, double *out);
/* Facts of the card, for conditions. */
bool metric_of_card(const step_result *r, const char *name, size_t length, double *out);
/* May the article's figure be shown next to this result? */
bool metric_article(const lesson *l, const step_values *v, const step_result *r, const lesson_article *a);
/* Sets the rate of the vendor's library, if a `library:` of the step is about this card and these settings. */
void step_library(const step_request *q, step_result *r);
int metric_better(int m);                 /* 1: more is better; -1: less is; 0: neither */
bool metric_of_chains(int m);             /* sim_chains: a run of its own (step_request.chains) */
bool metric_counted(int m);               /* derived from counters, which a GPU does not have */
bool metric_strict(const step_result *r); /* the card has compute 1.0 or 1.1 rules */
/* A figure in the format of ours: seconds in the same unit, digits in groups of three. */
char *metric_text(char *buffer, size_t size, int metric, double value);

#endif
