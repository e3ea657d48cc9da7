/* bottleneck.h: what limits a timed run, and what it would take without that; see bottleneck.c. */
#ifndef BOTTLENECK_H
#define BOTTLENECK_H

#include "shell/app.h"
#include "shell/document.h"
#include "sim.h"

/* A sentence on what the warps of a timed run waited for. False: the run was not timed. */
bool limit_text(const sim_counters *total, const sim_usage *usage, char *out, size_t size);

enum { LIMITS_LIFTED = 3 };
typedef struct limit_lifted {
    const char *without; /* "the latency of memory" */
    char changes[400];   /* the values of the card that lift it */
    double cycles;       /* of the run without it */
} limit_lifted;
typedef struct limit_list {
    double cycles; /* on the unchanged card */
    int count;
    limit_lifted lifted[LIMITS_LIFTED]; /* the limits with the largest shares */
} limit_list;
/* Runs again on the card with those values changed. Returns the cycles, or 0 if it failed. */
typedef double limit_lift(void *context, const char *without, const char *changes);
void limits_find(const sim_counters *total, const sim_usage *usage, double cycles, limit_lift *lift, void *context,
                 limit_list *out);
void limits_show(doc *d, const limit_list *l);
void limits_json(json *j, const limit_list *l);

/* ---- the cycles of all warps, by stall reason ---- */
uint64_t stalls_all(const sim_counters *c); /* 0: the run was not timed */
/* Of the time of all warps, the percentage that they spent waiting at `c`, not issuing; 0 when that
 * is negligible. */
double stalls_waits(const sim_counters *total, const sim_counters *c);
void stalls_show(doc *d, const sim_counters *c); /* a row per stall reason, in percent */
void stalls_json(json *j, const sim_counters *c);

#endif
