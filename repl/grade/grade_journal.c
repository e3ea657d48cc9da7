/* grade_journal.c: writes every verdict at once to a journal in the results' folder, so that a
 * second `grade` judges only what is new. A line has a key, the fields of a verdict and a checksum.
 * The key is a digest of all that the verdict depends on; without the class's seed it reveals
 * nothing. A line with a wrong checksum is ignored and reported. Only verdicts are kept: an
 * unjudged answer is tried again. */
#include "grade.h"
#include "shell/plain_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL ".warpstep-grades"
enum { JOURNAL_MOST = 64 << 20 };

void grade_make_key(const grading *g, grade_job *j, const char *text, size_t bytes)
{
    unsigned char key[DIGEST_BYTES], mac[DIGEST_BYTES];
    char path[1400], *task = NULL;
    size_t task_bytes = 0, n = 0;
    digest d;
    digest_begin(&d);
    const uint64_t numbers[] = {g->seed, j->e->seed, bytes, j->e->ours_bytes[OUR_SOLUTION]};
    const char *const words[] = {"verdict", app_version, g->compiler, j->student, j->e->id};
    digest_add(&d, numbers, sizeof numbers);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) digest_add(&d, words[i], strlen(words[i]) + 1);
    digest_add(&d, text, bytes);
    digest_add(&d, j->e->ours[OUR_SOLUTION], j->e->ours_bytes[OUR_SOLUTION]);
    snprintf(path, sizeof path, "%s/exercise.txt", j->e->x->dir);
    if (!file_read(path, JUDGE_SOURCE_MAX, &task, &task_bytes)) digest_add(&d, task, task_bytes);
    free(task);
    digest_end(&d, key);
    digest_mac(&g->seed, sizeof g->seed, key, sizeof key, mac);
    n = (size_t)snprintf(j->key, sizeof j->key, "%s:", j->e->id);
    for (int i = 0; i < 16; i++) n += (size_t)snprintf(j->key + n, sizeof j->key - n, "%02x", mac[i]);
}

/* ---- reading ---- */

/* KEY, tab, FIELDS, tab, SUM. True: the sum is right, and is cut off the line. */
static bool is_whole(char *line, size_t length)
{
    uint32_t sum;
    char *tab = length > 9 ? line + length - 9 : NULL;
    if (!tab || *tab != '\t' || strlen(line) != length || strspn(tab + 1, "0123456789abcdef") != 8) return false;
    sum = (uint32_t)strtoul(tab + 1, NULL, 16);
    *tab = 0;
    return digest_sum(line, (size_t)(tab - line)) == sum;
}

static void recall_line(grade_job *job, int jobs, char *line)
{
    char *tab = strchr(line, '\t');
    if (!tab) return;
    *tab = 0;
    for (int i = 0; i < jobs; i++)
        if (job[i].key[0] && !strcmp(job[i].key, line)) {
            char *copy = strdup(tab + 1);
            if (copy && !grade_set_line(&job[i], copy)) free(copy);
        }
}

/* Returns the number of damaged lines. */
static int recall_file(grade_job *job, int jobs, const char *path)
{
    char *text;
    size_t bytes;
    int damaged = 0;
    if (exercise_file(path, JOURNAL_MOST, &text, &bytes)) return 0;
    for (size_t at = 0; at < bytes;) {
        char *end = memchr(text + at, '\n', bytes - at), *line = text + at;
        if (!end) break; /* cut off by a kill, or being written */
        *end = 0;
        at = (size_t)(end - text) + 1;
        if (is_whole(line, (size_t)(end - line))) recall_line(job, jobs, line);
        else damaged += end > line; /* not an empty line, which follows one that was cut off */
    }
    free(text);
    return damaged;
}

static bool is_journal(const char *name) { return !strncmp(name, JOURNAL, strlen(JOURNAL)); }

void grade_recall_jobs(grading *g, grade_job *job, int jobs)
{
    static bool said;
    DIR *d = g->anew ? NULL : opendir(g->out);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[2400];
        if (!is_journal(e->d_name) || (size_t)snprintf(path, sizeof path, "%s/%s", g->out, e->d_name) >= sizeof path)
            continue;
        int damaged = recall_file(job, jobs, path);
        if (damaged && !said)
            app_warn(g->app, "%s: %d line%s damaged and left out; those answers are judged again", path, damaged,
                     damaged == 1 ? " is" : "s are");
        said = said || damaged;
    }
    if (d) closedir(d);
}

/* ---- writing ---- */

void grade_recall(grading *g)
{
    char path[2400], part[24] = "", last = '\n';
    struct stat st;
    if (g->parts) snprintf(part, sizeof part, "-%d-of-%d", g->part + 1, g->parts);
    snprintf(path, sizeof path, "%s/" JOURNAL "%s", g->out, part);
    g->journal = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (g->journal >= 0 && (fstat(g->journal, &st) || !S_ISREG(st.st_mode))) {
        close(g->journal);
        g->journal = -1;
        errno = EINVAL;
    }
    if (g->journal < 0) {
        app_warn(g->app, "%s: %s: a second run will judge all again", path, exercise_file_error(errno));
        return;
    }
    /* a line that a kill cut off would spoil the next one */
    if (st.st_size > 0 && pread(g->journal, &last, 1, st.st_size - 1) == 1 && last != '\n' &&
        write(g->journal, "\n", 1) != 1)
        app_warn(g->app, "%s cannot be written: %s", path, strerror(errno));
}

void grade_remember(const grading *g, const grade_job *j, const char *line)
{
    char text[LINE_MOST + 200];
    if (g->journal < 0 || !j->key[0] || !strncmp(line, "unjudged\t", 9)) return;
    int n = snprintf(text, sizeof text, "%s\t%s", j->key, line);
    n += snprintf(text + n, sizeof text - (size_t)n, "\t%08" PRIx32 "\n", digest_sum(text, (size_t)n));
    ssize_t wrote = write(g->journal, text, (size_t)n); /* a lost line is judged again */
    if (wrote != n)
        app_warn(g->app, "the journal in %s cannot be written: %s", g->out, strerror(wrote < 0 ? errno : ENOSPC));
}
