/* step_memo.c: keeps the answers of simulated runs in files.
 *
 * A simulated run with the same program, lesson, kernel, card, settings and inputs always gives the
 * same answer. So a run that only serves as a comparison (`run 2.kahan` compares with 2.naive) need
 * not be repeated in a later session. Its answer is in the folder `runs` of the student's state
 * folder, under a name that is a hash of all these. Deleting the folder loses only time. The step
 * that `run` itself shows is always run. */
#include "step.h"
#include "shell/app.h"
#include "shell/digest.h"
#include "shell/progress.h"
#include "shell/plain_file.h"
#include <errno.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_KEPT = 300, MOST_BYTES = 4 << 20 /* MOST_BYTES: per answer */ };

/* Hashes the length too, so that two adjacent texts cannot be confused with two others. */
static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    return state_hash(state_hash(h, data, bytes), &bytes, sizeof bytes);
}

static uint64_t hash_text(uint64_t h, const char *text) { return hash(h, text, text ? strlen(text) : 0); }

/* A file is identified by size, time and inode: a rewritten one counts as another. */
static bool hash_file(uint64_t *h, const char *path)
{
    struct stat st;
    if (stat(path, &st)) return false;
    const int64_t what[] = {(int64_t)st.st_size, (int64_t)st.st_mtime, (int64_t)st.st_ino};
    *h = hash(*h, what, sizeof what);
    return true;
}

static bool hash_program(uint64_t *h, const struct app *app)
{
    char path[PATH_MAX];
    if (hash_file(h, "/proc/self/exe")) return true;
    int n = snprintf(path, sizeof path, "%s/warpstep", app->root);
    return n > 0 && (size_t)n < sizeof path && hash_file(h, path);
}

char *step_memo_path(struct app *app, const step_request *q)
{
    if (q->device.kind != DEVICE_SIM || !q->ptx || !request_job(q)->kind->recalled || q->trace || q->sealed ||
        q->find_writer || q->shuffle || q->budget ||
        getenv("WARPSTEP_LEAVE_OUT")) /* the clock then lacks some of its rules (sim/rules.def) */
        return NULL;
    uint64_t names[2];
    for (int i = 0; i < 2; i++) {
        uint64_t h = STATE_HASH_START + (uint64_t)i;
        if (!hash_program(&h, app) || !hash_file(&h, q->l->path)) return NULL;
        h = hash_text(h, q->s->name);
        h = hash_text(hash_text(h, q->device.label), q->card_text);
        h = hash(h, q->ptx, q->ptx_bytes);
        if (q->witness) h = hash(h, q->witness, q->witness_bytes);
        h = hash(h, q->values.value, (size_t)q->l->setting_count * sizeof *q->values.value);
        const uint64_t how[] = {q->seed, q->checks, q->lines, q->exact, q->untimed, q->hot};
        names[i] = hash(h, how, sizeof how);
    }
    char name[48];
    snprintf(name, sizeof name, "runs/%016llx%016llx", (unsigned long long)names[0], (unsigned long long)names[1]);
    return state_scratch_path(app, name);
}

/* A file begins with a checksum of the rest. A changed file is ignored. */
#define HEAD "warpstep run "
enum { HEAD_BYTES = sizeof HEAD - 1 + 8 + 1 };

static void write_head(char out[HEAD_BYTES + 1], const char *answer, size_t bytes)
{
    snprintf(out, HEAD_BYTES + 1, HEAD "%08x\n", (unsigned)digest_sum(answer, bytes));
}

char *step_memo_read(const char *path, size_t *bytes, bool *damaged)
{
    enum { MOST = MOST_BYTES + HEAD_BYTES };
    char *text = NULL, head[HEAD_BYTES + 1];
    size_t all = 0;
    const int why = path ? file_read(path, MOST, &text, &all) : ENOENT;
    *bytes = all > HEAD_BYTES ? all - HEAD_BYTES : 0;
    *damaged = why == EFBIG || (!why && all < HEAD_BYTES);
    if (!why && !*damaged) {
        write_head(head, text + HEAD_BYTES, *bytes);
        *damaged = memcmp(head, text, HEAD_BYTES) != 0;
    }
    if (why || *damaged) {
        free(text);
        return NULL;
    }
    memmove(text, text + HEAD_BYTES, *bytes);
    text[*bytes] = 0;
    return text;
}

/* Deletes all answers when there are too many. */
static void clear_full(const char *folder)
{
    DIR *d = opendir(folder);
    int count = 0;
    if (!d) return;
    while (readdir(d)) count++;
    for (rewinddir(d); count > MOST_KEPT;) {
        struct dirent *e = readdir(d);
        char path[PATH_MAX];
        if (!e) break;
        int n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' && n > 0 && (size_t)n < sizeof path) unlink(path);
    }
    closedir(d);
}

void step_memo_write(const char *path, const char *answer, size_t bytes)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = 0;
    if (bytes > MOST_BYTES) return;
    char *text = malloc(bytes + HEAD_BYTES + 1);
    if (!text) return;
    write_head(text, answer, bytes);
    memcpy(text + HEAD_BYTES, answer, bytes);
    clear_full(folder);
    state_replace(path, text, bytes + HEAD_BYTES); /* a failure only costs speed */
    free(text);
}
