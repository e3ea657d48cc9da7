/* state.c: the progress journal. What is written reads back. Many writers, some killed at any
 * moment, lose no line of another. A line cut short or damaged costs only itself. */
#include "shell/format.c"
#include "shell/json.c"
#include "shell/plain_file.c"
#include "shell/progress.c"
#include "shell/words.c"
#include "check.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>

/* English is spoken: without the catalogue. */
const char *language_words(const char *english) { return english; }
const char *language_part(void) { return NULL; }

static int warnings;
static char last_warning[1024];
int app_lost;

void app_warn(struct app *app, const char *fmt, ...)
{
    (void)app;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(last_warning, sizeof last_warning, fmt, ap);
    va_end(ap);
    warnings++;
}
int app_fail(struct app *app, int status, const char *next, const char *fmt, ...)
{
    (void)app;
    (void)next;
    (void)fmt;
    return status;
}

static char folder[PATH_MAX], journal[PATH_MAX];
static int events, whole, others;
static char last_step[64], last_value[256];

static bool on_event(void *arg, const struct state_event *e)
{
    (void)arg;
    events++;
    const char *a = state_value(e, "writer"), *b = state_value(e, "again"), *value = state_value(e, "value");
    if (!strcmp(e->verb, "write") && a && b && !strcmp(a, b)) whole++;
    if (strcmp(e->verb, "write")) others++;
    snprintf(last_step, sizeof last_step, "%s", e->step);
    snprintf(last_value, sizeof last_value, "%s", value ? value : "(none)");
    return true;
}
static void read_back(struct app *app)
{
    events = whole = others = 0;
    state_each(app, on_event, NULL);
}
static void put(const char *text, size_t bytes, const char *mode)
{
    FILE *f = fopen(journal, mode);
    if (!f || fwrite(text, 1, bytes, f) != bytes) abort();
    fclose(f);
}

static void writer(struct app *app, int id, int count)
{
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "writer %d, event \"%d\"", id, i);
        const char *pairs[] = {"writer", name, "none", NULL, "again", name, NULL};
        state_record(app, "write", "1.v3", pairs);
    }
}

static void many_writers(struct app *app)
{
    enum { WRITERS = 6, EACH = 40 };
    pid_t pid[WRITERS + 2];
    for (int i = 0; i < WRITERS + 2; i++) {
        pid[i] = fork();
        if (pid[i] == 0) {
            writer(app, i, i < WRITERS ? EACH : 100000);
            _exit(0);
        }
    }
    for (int i = 0; i < WRITERS; i++) waitpid(pid[i], NULL, 0);
    for (int i = WRITERS; i < WRITERS + 2; i++) { /* these two are killed while they write */
        kill(pid[i], SIGKILL);
        waitpid(pid[i], NULL, 0);
    }
    read_back(app);
    check(whole >= WRITERS * EACH, "no line of a writer that ended is lost");
    check(whole + others == events, "every line is whole");
    check(warnings == 0, "nothing to warn of");
}

int main(void)
{
    struct app app;
    memset(&app, 0, sizeof app);
    app.out = stdout;
    app.err = stderr;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.4000s/warpstep-state-%ld", tmp ? tmp : "/tmp", (long)getpid());
    setenv("XDG_DATA_HOME", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    snprintf(journal, sizeof journal, "%.4000s/warpstep/progress", folder);

    read_back(&app);
    check(events == 0 && warnings == 0, "an absent journal is empty");
    static const char *const odd[] = {"plain", "two words", "a \"quote\" and \\", "#hash", "=",
                                      "a=b",   "",          "caf\xc3\xa9",        "-",     "'"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        const char *pairs[] = {"value", odd[i], NULL};
        state_record(&app, "run", "1.v3", pairs);
        read_back(&app);
        check(events == (int)i + 1 && !strcmp(last_value, odd[i]), odd[i]);
    }
    const char *breaks[] = {"value", "line\nbreak", NULL};
    state_record(&app, "run", "", breaks);
    read_back(&app);
    check(!strcmp(last_value, "line break") && !strcmp(last_step, "-"), "a line break becomes a blank");
    char huge[9000];
    memset(huge, 'h', sizeof huge);
    huge[sizeof huge - 1] = 0;
    const char *pairs[] = {"value", huge, "after", "kept", NULL};
    int before = events;
    state_record(&app, "run", "1.v3", pairs);
    read_back(&app);
    check(events == before + 1 && !strcmp(last_value, "(none)"), "a pair too long to keep is left out");

    many_writers(&app);

    /* A line cut short by a power cut is not an event, and does not swallow the next. */
    before = events;
    put("2026-11-20T10:31:00Z run 1.v", 28, "a");
    read_back(&app);
    check(events == before, "a line without its end is not an event");
    state_record(&app, "run", "1.v5", NULL);
    read_back(&app);
    check(events == before + 1 && !strcmp(last_step, "1.v5") && warnings == 0, "the next line is");

    /* A line that makes no sense is ignored, reported once, and kept. */
    before = events;
    put("garbage\n", 8, "a");
    put("2026-11-20T10:31:00Z run 1.\0003 a=b\n", 34, "a");
    state_record(&app, "done", "1.v6", NULL);
    read_back(&app);
    check(events == before + 1 && warnings == 1 && strstr(last_warning, "make no sense"), "damage is mentioned");
    read_back(&app);
    check(events == before + 1 && warnings == 1, "once");
    char command[2 * PATH_MAX + 200];
    snprintf(command, sizeof command,
             "grep -aq '^garbage$' '%.4000s/warpstep/progress' && "
             "! ls '%.4000s'/warpstep/progress.* >/dev/null 2>&1",
             folder, folder);
    check(system(command) == 0, "the file stays as it is");
    put("\0\0\0\0\0\0\0\0", 8, "w");
    read_back(&app);
    state_record(&app, "done", "1.v6", NULL);
    read_back(&app);
    check(events == 1, "zeros after a power cut");

    /* A journal that cannot be used. */
    warnings = 0;
    app.state = NULL;
    setenv("XDG_DATA_HOME", "/dev/null", 1);
    memset(state_of(&app), 0, sizeof(struct state));
    choose(state_of(&app)->data, "XDG_DATA_HOME", ".local/share");
    state_record(&app, "run", "1.v3", NULL);
    state_record(&app, "run", "1.v3", NULL);
    read_back(&app);
    check(warnings == 1 && events == 0, "an unusable folder is mentioned once");

    snprintf(command, sizeof command, "rm -rf '%.4000s'", folder);
    check(system(command) == 0, "clean up");
    return check_end();
}
