/* session_program.h: the last program of `exec` as a lesson called "exec": a step for each of its
 * kernels that was kept, the most expensive first. So `why`, `show`, `run` and `next` work for
 * them as for the steps of lessons. */
#ifndef SESSION_PROGRAM_H
#define SESSION_PROGRAM_H

#include "program/program.h"
#include "program/program_snapshots.h"
#include "session.h"

struct session_program {
    lesson *l;
    struct program_step *step; /* what the steps of `l` are about and point to */
    char *name;                /* of the program, as it was typed */
    struct device device;      /* the card that it ran on */
    struct program_snapshots snapshots;
    struct program_snapshot *missing; /* kernels of which no launch was kept: names and reasons */
    struct program_record record;
};

/* Makes it the current lesson, at its most expensive kernel. The kernels of `r` are sorted; takes
 * over r and the snapshots. 0, or a status after a message. */
int session_program_begin(struct app *app, const char *name, const struct device *d, struct program_record *r,
                          struct program_snapshots *snapshots);
void session_program_end(struct app *app); /* forgets it */
/* The program, if the current lesson is it; else NULL. */
const struct session_program *session_program_here(const struct app *app);
/* Makes it the current lesson again. False: there is none. */
bool session_program_back(struct app *app);
/* The kernel of that name, or the first whose name begins so; NULL: none. */
const lesson_step *session_program_step(const struct session_program *p, const char *name);
/* Where it runs again: the cards that were asked for by name, else the program's own. */
int session_program_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                            int *count);
/* The PTX of its module, to run it; to be freed. */
int session_program_ptx(struct app *app, const lesson_step *s, step_request *q, char **ptx);
/* To be shown: the PTX of that kernel, or the source that its PTX names; to be freed. */
int session_program_text(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown,
                         size_t size);

#endif
