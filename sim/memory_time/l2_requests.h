/* l2_requests.h: the way beyond a multiprocessor, for all requests of a window. */
#ifndef SIM_L2_REQUESTS_H
#define SIM_L2_REQUESTS_H

#include "cache.h"
#include "machine/host_memory.h"

enum { ASK_LOAD, ASK_STORE, ASK_ATOMIC };
#define FILLS   ((ticks)1 << 60) /* stands for the time of the fill with that number, which is not known yet */
#define NO_FILL UINT32_MAX
/* of a request */
typedef struct asked_line {
    uint64_t line;
    ticks at;      /* when its multiprocessor sends it */
    ticks takes;   /* of its slice. Found in the L1: when it is there, or FILLS and a number */
    ticks chain;   /* atomics: until the words that it changes can change again */
    uint32_t fill; /* the number of the L1's fill that it makes */
    /* 0 sectors: all were found in the L1; partial: those that a store fills only in part */
    uint8_t sectors, partial;
    bool bulk; /* of a bulk copy */
} asked_line;
typedef struct request {
    ticks now, start; /* when it was issued; came to its multiprocessor's port */
    uint32_t who, mp;
    uint32_t first, count; /* of its lines */
    uint8_t kind;
} request;
/* of a group of multiprocessors */
typedef struct asks {
    HOST_APART request *request;
    asked_line *line;
    ticks *fill; /* when it is there; until that is known: what its line was ready at before */
    time_answer *answer;
    uint32_t requests, lines, fills, answers;
    size_t request_room, line_room, fill_room, answer_room;
    ticks last;     /* of what was known without asking */
    bool failed;    /* out of memory */
    uint32_t round; /* counts the times that all was answered */
} asks;
/* all requests, by time */
typedef struct asked_order {
    const request **list, **other;
    uint32_t *begin; /* by clock or multiprocessor, while they are sorted */
    uint32_t count;
    size_t room, begin_room;
} asked_order;
bool ask_open(struct time_memory_state *m, uint32_t groups);                                /* false: out of memory */
request *ask_new(asks *s, uint32_t mp, uint32_t who, uint8_t kind, ticks now, ticks start); /* NULL: out of memory */
void ask_drop(asks *s); /* the newest request, whose lines are all known */
/* of the newest request; NULL: out of memory */
asked_line *ask_line(asks *s, request *r, uint64_t line, unsigned sectors, ticks at);
void ask_fill(asks *s, asked_line *l, cache_line *c); /* the line makes a fill of the L1 */
void ask_close(struct time_memory_state *m);

#endif
