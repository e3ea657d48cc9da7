/* progress.h: what outlives a session: progress, notes, history and the student's exercise files.
 *
 * $XDG_DATA_HOME/warpstep/progress is an append-only journal with one line per event. A line is
 * appended in one write and flushed to disk: a kill at any moment loses at most that line, and
 * several REPLs at once only interleave lines. A line is `TIME VERB STEP KEY=VALUE...`, with values
 * quoted where needed: readable, and a single file to copy. A damaged line stays in the file, is
 * ignored, and is reported once. If the folder cannot be used, progress is not kept, and one
 * warning says so. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "app.h"

/* Append an event. verb: "at" (where the student stands), "run", "done", "predict", "check", "skip"
 * ... `pairs` is a list of key, value, key, value, NULL; a pair whose value is NULL is left out. A
 * failure only shows as the one warning. */
void state_record(struct app *app, const char *verb, const char *step, const char *const pairs[]);

bool state_begun(struct app *app); /* there is a journal */

struct state_event {
    const char *time, *verb, *step;
    int pairs;
    const char *const *key, *const *value;
};
/* state_each calls `each` for every event in the journal, oldest first, including those of other
 * sessions, until it returns false. */
enum { STATE_LINE_MAX = 4000 };
void state_time(char out[24]);                     /* the time now, in the journal's format */
int state_note(struct app *app, const char *line); /* appends to the notes; 0, or an exit status after a message */
char *state_notes(struct app *app, size_t *bytes); /* all notes, to be freed; NULL with errno: they cannot be read */
void state_each(struct app *app, bool (*each)(void *arg, const struct state_event *e), void *arg);
const char *state_value(const struct state_event *e, const char *key); /* NULL when absent */

/* The folders themselves, whether or not they exist yet; "" when there is no home. For `doctor`. */
const char *state_data_folder(struct app *app);
const char *state_history_folder(struct app *app);
void state_end(struct app *app);

/* A path in the student's own data folder ("exercises/1.ex1.cu"), to be freed. Its folders are
 * created. NULL (after the one warning) when no such place is usable. */
char *state_path(struct app *app, const char *relative);
/* The same in the state folder, next to the history, for files that can be made again. NULL without
 * a warning. */
char *state_scratch_path(struct app *app, const char *relative);
/* Replace a file atomically: a temporary next to it, flushed, renamed. 0 or errno. */
int state_replace(const char *path, const void *data, size_t bytes);
/* FNV-1a, to recognise what a kept answer was made from. Begin with STATE_HASH_START. */
#define STATE_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t state_hash(uint64_t h, const void *data, size_t bytes);

#endif
