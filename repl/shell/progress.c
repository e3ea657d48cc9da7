/* progress.c: see progress.h. Top to bottom: where the folders are; appending a line under a lock;
 * reading the journal back; notes; history. Progress, notes and history are files of whole lines
 * that are only ever appended to, so one function (append) writes all three. */
#include "progress.h"

#include "format.h"
#include "json.h"
#include "plain_file.h"
#include "terminal.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 64 << 20, HISTORY_KEPT = 1000 };
static const char cut_mark[] = " (cut short)"; /* ends a line that a kill or a power cut left incomplete */

struct state {
    char data[PATH_MAX], history[PATH_MAX]; /* "" when there is no such place */
    bool warned, named;                     /* warned: that progress is not kept; named: its damaged lines */
};

/* ---- folders ---- */
static void choose(char *out, const char *variable, const char *below_home)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    int n = -1;
    if (base && base[0] == '/') n = snprintf(out, PATH_MAX, "%s/warpstep", base);
    else if (home && home[0] == '/') n = snprintf(out, PATH_MAX, "%s/%s/warpstep", home, below_home);
    if (n < 0 || n >= PATH_MAX - 64) *out = 0;
}

static struct state *state_of(struct app *app)
{
    static struct state the_state;
    if (!app->state) {
        app->state = &the_state;
        choose(the_state.data, "XDG_DATA_HOME", ".local/share");
        choose(the_state.history, "XDG_STATE_HOME", ".local/state");
    }
    return app->state;
}

const char *state_data_folder(struct app *app) { return state_of(app)->data; }
const char *state_history_folder(struct app *app) { return state_of(app)->history; }
void state_end(struct app *app) { app->state = NULL; }

static void warn_once(struct app *app, const char *path, int why)
{
    struct state *s = state_of(app);
    if (!s->warned) {
        if (*path) app_warn(app, "progress is not kept: %s: %s", path, strerror(why));
        else app_warn(app, "progress is not kept: there is no home folder (HOME and XDG_DATA_HOME are not set)");
    }
    s->warned = true;
}

/* Make every folder above the last slash. */
static int make_folders(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part) return ENAMETOOLONG;
    for (size_t i = 1; i < n; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = 0;
        int why = mkdir(part, 0700) ? errno : 0; /* access would only say that the folder is missing */
        if (why && why != EEXIST && access(part, X_OK) != 0) return why;
    }
    return 0;
}

static bool join(char *out, const char *folder, const char *name)
{
    int n = *folder ? snprintf(out, PATH_MAX, "%s/%s", folder, name) : -1;
    return n > 0 && n < PATH_MAX;
}

char *state_path(struct app *app, const char *relative)
{
    char path[PATH_MAX];
    if (!join(path, state_of(app)->data, relative)) {
        warn_once(app, "", 0);
        return NULL;
    }
    int why = make_folders(path);
    if (why) {
        warn_once(app, path, why);
        return NULL;
    }
    return strdup(path);
}

char *state_scratch_path(struct app *app, const char *relative)
{
    char path[PATH_MAX];
    const char *folder = state_of(app)->history;
    return folder[0] && join(path, folder, relative) && !make_folders(path) ? strdup(path) : NULL;
}

/* ---- writing ---- */
static int write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

uint64_t state_hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

int state_replace(const char *path, const void *data, size_t bytes)
{
    char temporary[PATH_MAX], folder[PATH_MAX];
    int n = snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof temporary) return ENAMETOOLONG;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) return errno;
    int why = write_all(fd, data, bytes);
    if (!why && fsync(fd) != 0) why = errno;
    close(fd);
    if (!why && rename(temporary, path) != 0) why = errno;
    if (why) {
        unlink(temporary);
        return why;
    }
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    fd = open(slash ? folder : ".", O_RDONLY); /* the rename is on disk only once the folder is */
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    return 0;
}

/* Open for appending, and lock. Another process may replace the file while we wait for the lock:
 * then open it again. */
static int open_locked(const char *path, int *why)
{
    for (int tries = 0; tries < 100; tries++) {
        int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0600); /* O_NONBLOCK: opening a pipe would wait */
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        struct stat ours, named;
        *why = fd < 0 || fstat(fd, &ours) != 0 ? errno : S_ISREG(ours.st_mode) ? 0 : EINVAL;
        if (*why) {
            if (fd >= 0) close(fd);
            return -1;
        }
        fcntl(fd, F_SETLKW, &lock); /* a file system without locks: one write call is still in one piece */
        if (fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_ino == named.st_ino &&
            ours.st_dev == named.st_dev)
            return fd;
        close(fd);
    }
    *why = EAGAIN;
    return -1;
}

/* Append one line (without its newline) in one write, flushed to disk on return. 0 or errno. */
static int append(const char *path, const char *line)
{
    int why = make_folders(path);
    if (why) return why;
    int fd = open_locked(path, &why);
    if (fd < 0) return why;
    struct stat s;
    char last = '\n';
    if (fstat(fd, &s) == 0 && s.st_size > 0 && pread(fd, &last, 1, s.st_size - 1) != 1) last = '\n';
    size_t n = strlen(line);
    char *text = malloc(n + sizeof cut_mark + 2);
    if (text) {
        int used = sprintf(text, "%s%s\n", last == '\n' ? "" : " (cut short)\n", line);
        why = write_all(fd, text, (size_t)used);
        if (!why && fsync(fd) != 0) why = errno;
        free(text);
    } else {
        why = ENOMEM;
    }
    close(fd);
    return why;
}

static void put_word(char *line, size_t size, const char *text)
{
    size_t used = strlen(line);
    bool plain = *text && !strpbrk(text, " \t\n\"'\\#");
    if (used + 2 * strlen(text) + 4 > size) return;
    char *p = line + used;
    if (!plain) *p++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') *p++ = '\\';
        *p++ = (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text;
    }
    if (!plain) *p++ = '"';
    *p = 0;
}

static void put_char(char *line, size_t size, char c)
{
    size_t used = strlen(line);
    if (used + 1 < size) {
        line[used] = c;
        line[used + 1] = 0;
    }
}

/* 2026-11-20T10:31:00Z */
void state_time(char out[24])
{
    time_t now = time(NULL);
    struct tm tm;
    if (!gmtime_r(&now, &tm)) memset(&tm, 0, sizeof tm);
    if (strftime(out, 24, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0) *out = 0;
}

void state_record(struct app *app, const char *verb, const char *step, const char *const pairs[])
{
    struct state *s = state_of(app);
    char line[STATE_LINE_MAX], path[PATH_MAX];
    if (app->no_record) return;
    state_time(line);
    put_char(line, sizeof line, ' ');
    put_word(line, sizeof line, verb);
    put_char(line, sizeof line, ' ');
    put_word(line, sizeof line, *step ? step : "-");
    for (int i = 0; pairs && pairs[i]; i += 2) {
        if (!pairs[i + 1]) continue;
        if (strlen(line) + strlen(pairs[i]) + 2 * strlen(pairs[i + 1]) + 6 > sizeof line) continue;
        put_char(line, sizeof line, ' ');
        put_word(line, sizeof line, pairs[i]);
        put_char(line, sizeof line, '=');
        put_word(line, sizeof line, pairs[i + 1]);
    }
    if (!join(path, s->data, "progress")) {
        warn_once(app, "", 0);
        return;
    }
    int why = append(path, line);
    if (why) warn_once(app, path, why);
}

bool state_begun(struct app *app)
{
    char path[PATH_MAX];
    return join(path, state_of(app)->data, "progress") && !access(path, F_OK);
}

/* ---- reading ---- */
/* The whole file of that name in a folder. NULL: there is none, or it cannot be read, which is said once. */
static char *lines_of(struct app *app, char path[PATH_MAX], const char *folder, const char *name, size_t *bytes)
{
    char *text = NULL;
    const int why = join(path, folder, name) ? file_read(path, FILE_MAX_BYTES, &text, bytes) : ENOENT;
    if (why && why != ENOENT) warn_once(app, path, why);
    return text;
}

/* Text without control characters, as we write it ourselves. */
static bool is_clean(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 127) return false;
    return true;
}

/* Parse one line of the journal into an event, whose strings live in `words` and `values`. */
static bool parse_event(const char *line, struct words *words, struct words *values, struct state_event *e)
{
    if (words_split(words, line) || words->count < 3) return false;
    const char *time = words->v[0];
    if (strlen(time) != 20 || time[4] != '-' || time[10] != 'T' || time[19] != 'Z') return false;
    for (int i = 3; i < words->count; i++) {
        char *equals = strchr(words->v[i], '=');
        if (!equals) return false;
        words_add(values, equals + 1);
        *equals = 0;
    }
    if (values->failed || values->count != words->count - 3) return false;
    e->time = time;
    e->verb = words->v[1];
    e->step = words->v[2];
    e->pairs = values->count;
    e->key = (const char *const *)(words->v + 3);
    e->value = (const char *const *)values->v;
    return true;
}

/* Keep the damaged file under another name, and put a file of its readable lines in its place. */
static void set_aside(struct app *app, const char *path, const char *good, size_t good_bytes, int damaged)
{
    char kept[PATH_MAX], stamp[32];
    int why = 0;
    state_time(stamp);
    int n = snprintf(kept, sizeof kept, "%s.damaged-%s-%ld", path, stamp, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof kept) return;
    int fd = open_locked(path, &why); /* so that nobody appends in between */
    if (fd >= 0 && link(path, kept) != 0) why = errno;
    if (fd >= 0 && !why) why = state_replace(path, good, good_bytes);
    if (fd >= 0) close(fd);
    char lines[48];
    format_plural(lines, sizeof lines, (uint64_t)damaged, "damaged line");
    if (why) app_warn(app, "%s has %s, left out here: %s", path, lines, strerror(why));
    else app_warn(app, "%s had %s; the file as it was is kept as %s", path, lines, kept);
}

/* The student's file is left unchanged, however damaged: its bad lines are only reported. */
static void name_lines(struct app *app, const char *path, const int *line, int named, int damaged)
{
    char list[120] = "";
    size_t n = 0;
    for (int i = 0; i < named; i++) n += (size_t)snprintf(list + n, sizeof list - n, "%s%d", i ? ", " : "", line[i]);
    if (damaged > named) snprintf(list + n, sizeof list - n, " and %d more", damaged - named);
    app_warn(app, "%s: line%s %s make%s no sense and %s left out", path, damaged == 1 ? "" : "s", list,
             damaged == 1 ? "s" : "", damaged == 1 ? "is" : "are");
}

void state_each(struct app *app, bool (*each)(void *arg, const struct state_event *e), void *arg)
{
    enum { NAMED = 8 };
    struct state *s = state_of(app);
    char path[PATH_MAX];
    size_t bytes;
    char *text = lines_of(app, path, s->data, "progress", &bytes);
    if (!text) return;
    int damaged = 0, number = 0, lines[NAMED];
    bool going = true;
    for (size_t at = 0; at < bytes;) {
        const char *newline = memchr(text + at, '\n', bytes - at);
        if (!newline) break; /* being written now, or cut short: in both cases not yet an event */
        size_t length = (size_t)(newline - (text + at)), mark = strlen(cut_mark);
        char *line = text + at;
        at += length + 1;
        number++;
        bool cut = length >= mark && !memcmp(line + length - mark, cut_mark, mark);
        line[length] = 0;
        struct words words = {0}, values = {0};
        struct state_event e;
        if (!cut && is_clean(line, length) && parse_event(line, &words, &values, &e)) {
            if (going) going = each(arg, &e);
        } else if (words.failed || values.failed) {
            going = false; /* no memory, which says nothing against the line */
        } else if (!cut && damaged++ < NAMED) {
            lines[damaged - 1] = number;
        }
        words_free(&words);
        words_free(&values);
    }
    if (damaged && !s->named) name_lines(app, path, lines, damaged < NAMED ? damaged : NAMED, damaged);
    s->named = s->named || damaged;
    free(text);
}

const char *state_value(const struct state_event *e, const char *key)
{
    for (int i = 0; i < e->pairs; i++)
        if (!strcmp(e->key[i], key)) return e->value[i];
    return NULL;
}

/* ---- notes ---- */
char *state_notes(struct app *app, size_t *bytes)
{
    char path[PATH_MAX], *text = NULL;
    *bytes = 0;
    if (join(path, state_of(app)->data, "notes")) errno = file_read(path, FILE_MAX_BYTES, &text, bytes);
    return text;
}

int state_note(struct app *app, const char *line)
{
    char path[PATH_MAX];
    if (!join(path, state_of(app)->data, "notes")) {
        warn_once(app, "", 0);
        return EXIT_INTERNAL;
    }
    int why = append(path, line);
    if (why) return app_fail(app, EXIT_INTERNAL, "doctor", "the note was not kept: %s: %s", path, strerror(why));
    return 0;
}

/* ---- history ---- */
void history_add(struct app *app, const char *line)
{
    struct state *s = state_of(app);
    char path[PATH_MAX];
    if (*line == ' ' || strlen(line) > STATE_LINE_MAX || !join(path, s->history, "history")) return;
    char *copy = strdup(line);
    if (!copy) return;
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p < ' ') *p = ' ';
    int why = append(path, copy);
    if (why) warn_once(app, path, why);
    free(copy);
}

/* Shorten the history once it is twice as long as what is kept. */
static void trim_history(const char *path, const char *text, size_t bytes, int lines)
{
    for (; lines > HISTORY_KEPT; lines--) {
        const char *newline = memchr(text, '\n', bytes);
        if (!newline) return;
        bytes -= (size_t)(newline + 1 - text);
        text = newline + 1;
    }
    state_replace(path, text, bytes);
}

void history_each(struct app *app, void (*each)(const char *line))
{
    char path[PATH_MAX];
    size_t bytes;
    char *text = lines_of(app, path, state_of(app)->history, "history", &bytes);
    if (!text) return;
    char *good = malloc(bytes + 1);
    size_t good_bytes = 0;
    int lines = 0, damaged = 0;
    for (size_t at = 0; at < bytes && good;) {
        const char *newline = memchr(text + at, '\n', bytes - at);
        size_t length = newline ? (size_t)(newline - (text + at)) : bytes - at;
        char *line = text + at;
        at += length + 1;
        line[length] = 0;
        if (!is_clean(line, length)) {
            damaged++;
            continue;
        }
        memcpy(good + good_bytes, line, length);
        good_bytes += length;
        good[good_bytes++] = '\n';
        lines++;
        if (length > 0) each(line);
    }
    if (damaged) set_aside(app, path, good, good_bytes, damaged);
    else if (lines > 2 * HISTORY_KEPT) trim_history(path, good, good_bytes, lines);
    free(good);
    free(text);
}
