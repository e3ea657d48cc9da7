/* host_write.h: a program of `show host` while it is written. host_program.c and host_right.c share it. */
#ifndef HOST_WRITE_H
#define HOST_WRITE_H

#include "host_program.h"

typedef struct host {
    const host_program *p;
    const lesson_step *s;
    FILE *to;
    int depth; /* of loops */
    bool used[128], copied[LESSON_BUFFERS], known[LESSON_LOCALS];
    const char *parts[128]; /* helpers that were written */
    int part_count;
} host;

extern const char *const host_types[TYPES]; /* as C has them */
/* Names and expressions, as the program has them. host_put_name is an expr_put_name. */
bool host_taken(const host *h, const char *name, size_t length);
void host_put_name(void *host, FILE *to, const char *name, size_t length);
void host_name(host *h, const char *text);
void host_value(host *h, const expr *e);
void host_operand(host *h, const expr *e);
void host_put_back(host *h, int buffer); /* its contents on the card, in NAME_back */
void host_put_operation(host *h, int operation, const lesson_arg *arg, int args, bool from_card);

/* ---- host_right.c ---- */
void host_formula(host *h, FILE *to, const lesson_formula *f);
/* Does the host look at its own copy of a buffer: before a launch, or for what is right? */
bool host_reads(const host *h, int buffer);
void host_put_verdict(host *h);

#endif
