/* progress.h: what outlives a session: progress, notes, history, the student's own exercise files.
 *
 * $XDG_DATA_HOME/warpstep/progress is an append-only journal, one line an event, written with one
 * write and flushed to disk: a kill at any moment loses at most the line being written, and several
 * REPLs at once only interleave lines. A line is `TIME VERB STEP KEY=VALUE...`, values quoted where
 * they need it: readable, and one file to copy. A line that makes no sense stays where it is,
 * counts for nothing, and is named once. A directory that cannot be used costs only persistence,
 * and says so once.
 */
#ifndef STATE_H
#define STATE_H

#include "app.h"

/* Append an event. verb: "at" (where the student stands), "run", "done", "predict", "check", "skip"
 * ... `pairs` is a list of key, value, key, value, NULL; a NULL value leaves its pair out. Never
 * fails visibly but for the one warning. */
void state_record(struct app *app, const char *verb, const char *step, const char *const pairs[]);

struct state_event {
    const char *time, *verb, *step;
    int pairs;
    const char *const *key, *const *value;
};
/* Call `each` for every event in the journal, oldest first, other sessions' included, until it
 * returns false. */
enum { STATE_LINE_MAX = 4000 };
void state_time(char out[24]);                     /* now, as the journal has it */
int state_note(struct app *app, const char *line); /* kept among the notes; 0, or an exit status after a message */
char *state_notes(struct app *app, size_t *bytes); /* all of them, to be freed; NULL with errno: they cannot be read */
void state_each(struct app *app, bool (*each)(void *arg, const struct state_event *e), void *arg);
const char *state_value(const struct state_event *e, const char *key); /* NULL when absent */

/* The folders themselves, whether or not they exist yet; "" when there is no home. For `doctor`. */
const char *state_data_folder(struct app *app);
const char *state_history_folder(struct app *app);
void state_end(struct app *app);

/* A path in the student's own data folder ("exercises/1.ex1.cu"), its folders made; NULL (after the
 * one warning) when there is no such place. To be freed. */
char *state_path(struct app *app, const char *relative);
/* The same beside the history, for what can be made again: NULL without a word. */
char *state_scratch_path(struct app *app, const char *relative);
/* Replace a file in one step: a temporary beside it, flushed, renamed. 0 or errno. */
int state_replace(const char *path, const void *data, size_t bytes);
/* To know again what a kept answer was made from: FNV-1a, begun with STATE_HASH_START. */
#define STATE_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t state_hash(uint64_t h, const void *data, size_t bytes);

#endif
