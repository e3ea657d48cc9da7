/* step.h: running a lesson's step, and the numbers that come of it.
 *
 * step_settings works out the values of a step's settings; step_run runs it in a child
 * (step_child.c is all that happens there) and collects its answer, lines of "key value ...", into
 * a step_result (step_answer.c). A metric is a number of a result by name: a counter, or something
 * derived from counters by the card's own rules (step_metric.c). Views, predictions, `why`, sweeps
 * and JSON all read results through metrics.
 */
#ifndef STEP_H
#define STEP_H

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
    const char *shipped; /* the lesson's own PTX, where ptx was compiled for the card now; else NULL */
    size_t shipped_bytes;
    char compiler[100]; /* that did, "" when none did */
    bool hot;           /* time it with its data in the cache */
    uint64_t seed;
    int host_threads;
    double limit;        /* seconds */
    unsigned checks;     /* SIM_CHECK_... */
    bool lines;          /* count per source line */
    bool exact;          /* --exact: time every block */
    const char *memo;    /* file for its answer; NULL: it is not kept */
    bool recall;         /* the answer that is kept there will do */
    const char *already; /* what progress says first, "" or NULL: nothing */
    bool trace;          /* record the accesses of one warp: */
    uint32_t trace_block, trace_warp;
    bool untimed;     /* without the card's clock, which is faster */
    uint64_t shuffle; /* untimed: warps and blocks in an order drawn from it; 0: as they are numbered */
    uint64_t budget;  /* warp instructions of all launches together; 0: no limit */
    bool sealed;      /* a kernel from anybody: limits on memory, files and processes */
    uint64_t room;    /* this computer's free memory, for a child that cannot look; 0: it looks itself */
    bool find_writer; /* note which thread wrote this element of a buffer last: */
    int writer_buffer;
    uint64_t writer_element;
} step_request;

/* ---- answers ---- */
enum { STEP_FAULTS = 16, STEP_LINES = 400, STEP_TRACE = 512, STEP_RESULTS = LESSON_LOCALS, STEP_PRINTS = 24 };

typedef struct step_line {
    int line;
    sim_counters c;
} step_line;

typedef struct step_fault {
    char kind[32], file[128], message[384], advice[256], kernel[64];
    bool note;
    int line, other_line;
    uint32_t block[3], thread[3], other_block[3], other_thread[3];
    bool has_other;
    uint64_t address, count;
} step_fault;

/* one access of the traced warp */
typedef struct step_access {
    int line;
    char space; /* 'g' or 's' */
    char kind;  /* 'r', 'w' or 'a' */
    int buffer; /* global: which of the step's; -1 unknown */
    uint32_t size, mask;
    uint64_t address[32]; /* within the buffer or the block's shared memory */
} step_access;

enum { STEP_SAMPLES = 64 };
/* of a run on a GPU */
typedef struct step_timing {
    bool known;
    bool hot;             /* its data in the cache */
    int batch, discarded; /* runs averaged in each sample; samples thrown away for a low clock */
    double sample[STEP_SAMPLES];
    measured time; /* seconds */
    double other;  /* median with the cache the other way; 0: not taken */
    double span;   /* cycles from the earliest start to the latest end of a block: the wrong way */
    double clock_mhz, nominal_mhz, overhead;
    double first, load, total;       /* seconds: the first run; loading the kernel; with allocation and copies, warm */
    double copy_bytes;               /* a second: a copy on the spot */
    int memory_khz, bus_bits, lanes; /* what the peaks are worked out from; 0: not known */
    char driver[64], compiler[100], doubt[160];
    char before[32]; /* the run that took turns with this one, and how many times as long it took */
    measured_ratio gain;
} step_timing;

/* What the card's cache held when what was timed began. */
enum {
    CACHE_NONE /* the card has none, or nothing was timed */,
    CACHE_COLD /* nothing */,
    CACHE_HOT /* what a run before left */
};

typedef struct step_result {
    int status;        /* an exit status: EXIT_DONE also when the output is wrong */
    char problem[600]; /* a sentence when it is not EXIT_DONE: what went wrong */
    char advice[300];
    bool memo_damaged; /* what was kept of it was not what was written, and counted for nothing */
    bool complete;     /* every launch ran to its end and the output was judged */
    char device[160];  /* label */
    char card[32], card_title[64];
    int cc_major, cc_minor, banks, multiprocessors, max_threads_per_mp, max_blocks_per_mp, shared_per_mp;
    bool simulated;
    uint64_t seed;
    int launches;
    uint32_t grid[3], block[3], shared; /* of the first launch */
    bool has_occupancy;
    sim_occupancy occupancy; /* of the first launch */
    int cache;               /* CACHE_... */
    bool has_usage;
    sim_usage usage;    /* how a timed run used the card */
    sim_counters total; /* of all launches */
    bool judged;
    verdict verdict;
    char result_name[STEP_RESULTS][LESSON_NAME + 1]; /* what `finish` computed */
    double result[STEP_RESULTS];
    int results;
    uint64_t to_card, from_card; /* bytes copied */
    uint64_t host_elements;      /* that `finish` worked through */
    double cpu_seconds;          /* what `host` took on this computer, else the reference */
    int cpu_threads;             /* that did it */
    bool host_timed;             /* it was `host` */
    double host_seconds;         /* the simulator's own time */
    int64_t bytes, operations;   /* useful ones; -1: not stated */
    int registers_per_mp;        /* the card's */
    double copy_seconds[2];      /* the inputs to the card, from pageable and from page-locked memory; 0: not known */
    int64_t each;                /* what cycles are divided by; 0: not stated */
    bool has_cycles;
    double cycles, seconds;        /* of the kernels, when there is a clock */
    double rate_peak, memory_peak; /* of the card; 0: not known */
    double double_price;           /* clocks for an instruction of doubles, for one of floats; 0: not known */
    double total_seconds;          /* with the host's start, allocations, copies and launches; 0: not known */
    bool has_time;                 /* seconds are known */
    bool counted;                  /* the counters are: always on a simulated card */
    char counted_on[160];          /* the simulated card that counted for a GPU; "" */
    step_timing gpu;
    double block_cycles; /* of the slowest block, by the kernel's own clock; 0: it reads none */
    step_fault fault[STEP_FAULTS];
    int faults;
    char print[STEP_PRINTS][160]; /* lines that the kernels printed, the first of them */
    int prints;
    uint64_t prints_left_out;
    step_line *line; /* per source line, ascending */
    int lines;
    step_access *access;
    int accesses;
    bool has_writer; /* the thread that find_writer asked for */
    int writer_line;
    uint32_t writer_block[3], writer_thread[3];
} step_result;

/* Run. Always fills *r (free it with step_result_free) and returns r->status. Prints nothing. */
int step_run(const step_request *q, step_result *r);
/* Several on one GPU, timed in turns so that they can be compared. 0, or the first failure's
 * status. */
int step_run_in_turns(const step_request *q, int count, step_result *r);
void step_release(void); /* end the child that is kept for a GPU, if there is one */
/* How many times as long `before` took, where both were timed in turns. */
void step_compare(step_result *r, const step_result *before, const char *name);
void step_result_free(step_result *r);
bool step_as_expected(const lesson_step *s, const step_result *r);

/* step_memo.c: answers of simulated runs in files. The path of this one's (to be freed), NULL: it
 * is not to be kept. Reading: to be freed, NULL: not there, or no longer what was written. */
struct app;
char *step_memo_path(struct app *app, const step_request *q);
char *step_memo_read(const char *path, size_t *bytes, bool *damaged);
void step_memo_write(const char *path, const char *answer, size_t bytes);

/* step_child.c: the work of the child. step_answer.c: reading what it wrote. */
struct child;
int step_child(struct child *c, void *request);
void step_answer_read(step_result *r, char *answer, size_t bytes);
/* The same for several: a line "job N" says whose the lines after it are. */
void step_answers_read(step_result *r, int count, char *answer, size_t bytes);

/* ---- metrics ---- */
typedef struct step_metric {
    const char *id, *name, *unit, *about;
    bool lower_is_better, higher_is_better;
    bool (*get)(const step_result *r, double *out); /* NULL: a counter, at offset */
    size_t offset;
} step_metric;
extern const step_metric metrics[]; /* ends with a NULL id */
/* False when this result has no such number: no clock, nothing of the kind happened. */
bool metric_get(int m, const step_result *r, double *out);
/* The same for a name: a metric, what a `finish:` or `host:` of the step computed, or a fact of the
 * card. */
bool metric_number(const step_result *r, const char *name, size_t length, double *out);
/* Facts of the card, for conditions. */
bool metric_of_card(const step_result *r, const char *name, size_t length, double *out);
/* Does the article's figure belong beside this result? */
bool metric_article(const lesson *l, const step_values *v, const step_result *r, const lesson_article *a);
bool metric_counted(int m);               /* it comes from counters, which a GPU has not */
bool metric_strict(const step_result *r); /* the card has compute 1.0 or 1.1 rules */
/* A figure as it stands beside ours: seconds in the unit that ours have, thousands parted. */
char *metric_text(char *buffer, size_t size, int metric, double value);

#endif
