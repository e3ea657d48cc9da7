/* why_causes.h: what `why` compares of two runs, and how it says which counter made the difference. */
#ifndef WHY_CAUSES_H
#define WHY_CAUSES_H

#include "run/step.h"

/* parts of the time (why.c), units of the card, and counters that change them (why_causes.def) */
enum { WAIT, COPY, MOVE, ISSUE, RESULT, SHARED, TURN, BARRIER, PRODUCT, PARTS };
enum { SCHEDULERS, PORTS, CACHE, CHIPS, TENSOR, UNITS_MOST };
enum {
#define CAUSE(id, ...) id,
#include "why_causes.def"
    CAUSES
};

/* `fewer_is_slower`: with fewer of them, work takes more rounds, or latency is hidden less. `equal`:
 * after "as many". `last`: for when nothing else is named. */
struct cause {
    const char *name; /* for `why --json` */
    bool fewer_is_slower;
    const char *equal;
    bool last;
};
extern const struct cause why_cause_facts[CAUSES];

typedef struct picture {
    double part[PARTS];      /* in cycles of the run */
    double unit[UNITS_MOST]; /* cycles that it was busy */
    double cause[CAUSES];
    double time; /* cycles of a simulated card, seconds of a GPU */
    double warps, blocks, lanes, accesses, shared, asked, warp_loads, doubles_price;
    bool booked; /* the simulator reported the parts */
} picture;

double why_get(const step_result *r, const char *metric); /* 0: it has none */
void why_values(const step_result *r, double cause[CAUSES]);
/* Is the difference worth a word? */
bool why_differs(double a, double b);

typedef struct sentence {
    char *out;
    size_t size, used;
} sentence;

void why_say(sentence *s, const char *fmt, ...) APP_PRINTF(2, 3);
char *why_times(char *buffer, size_t size, double n); /* "once", "4,096 times", "0.97 times on average" */
void why_say_cause(sentence *s, int cause, const picture *now, const picture *before);

#endif
