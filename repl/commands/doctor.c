/* doctor.c: `doctor`: what the program found on this computer, a line per item, each with a word:
 * ok, none, problem. */
#include "commands.h"
#include "device/devices.h"
#include "program/program.h"

#include "device/compile.h"
#include "shell/document.h"
#include "shell/format.h"
#include "shell/free_memory.h"
#include "shell/language.h"
#include "shell/progress.h"
#include "shell/seal.h"
#include "shell/terminal.h"
#include "shell/words.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum verdict { OK, NONE, PROBLEM };
#define ENOUGH (UINT64_C(4) << 30) /* memory for every step of the lessons as it stands there */

static void report(struct app *app, const char *what, enum verdict v, const char *fmt, ...) APP_PRINTF(4, 5);
static void report(struct app *app, const char *what, enum verdict v, const char *fmt, ...)
{
    static const char *const word[] = {"ok", "none", "problem"};
    static const enum app_style style[] = {STYLE_GOOD, STYLE_DIM, STYLE_BAD};
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, TR(fmt), ap);
    va_end(ap);
    doc d = doc_open(app);
    char name[60];
    doc_data(&d, "doctor", "what %s, status %s, text %s", what, word[v], text);
    snprintf(name, sizeof name, "%-10s  %s%s%*s%s", what, app_style(app, style[v]), TR(word[v]),
             7 - utf8_width(TR(word[v])), "", app_style(app, STYLE_PLAIN));
    doc_entry(&d, 21, name, "%s", text);
    fflush(app->out); /* the next item may take a while */
}

static void folder(struct app *app, const char *what, const char *path)
{
    struct stat s;
    if (!*path) report(app, what, PROBLEM, "no place: HOME is not set");
    else if (stat(path, &s) != 0) report(app, what, OK, "%s (made when first needed)", path);
    else if (!S_ISDIR(s.st_mode)) report(app, what, PROBLEM, "%s is not a folder", path);
    else if (access(path, R_OK | W_OK | X_OK) != 0) report(app, what, PROBLEM, "%s cannot be written", path);
    else report(app, what, OK, "%s", path);
}

int doctor_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "doctor", "doctor takes nothing after it");
    report(app, "warpstep", OK, "version %s", app_version);
    struct stat s;
    char lessons[2048];
    app_lessons_dir(app, lessons, sizeof lessons);
    for (int i = app->lessons_only ? 0 : -1; i < app->lessons_dirs.count; i++) {
        const char *dir = i < 0 ? lessons : app->lessons_dirs.v[i];
        bool have = stat(dir, &s) == 0 && S_ISDIR(s.st_mode);
        report(app, "lessons", have ? OK : PROBLEM, "%s%s", dir, have ? "" : TR(" is not a folder"));
    }
    struct words cards = {0};
    device_names(&cards);
    char list[512] = "";
    for (int i = 0; i < cards.count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%ssim:%s", i ? ", " : "", cards.v[i]);
    }
    report(app, "cards", cards.count ? OK : PROBLEM, "%s", cards.count ? list : TR("no simulated card was found"));
    words_free(&cards);
    report(app, "terminal", OK, "%d x %d, %s, colours %s, TERM=%s", app->width, app->height,
           app->utf8 ? "UTF-8" : "ASCII", TR(app->color ? "on" : "off"), getenv("TERM") ? getenv("TERM") : "");
    char bytes[24];
    const uint64_t room = room_now();
    format_bytes(bytes, sizeof bytes, room);
    report(app, "memory", OK,
           room < ENOUGH ? "%s free; steps that want more take smaller settings, and say so" : "%s free", bytes);
    const char *readline = readline_version();
    report(app, "readline", readline ? OK : NONE, "%s",
           readline ? readline : TR("built without it: the plain reader has no completion or history"));
    folder(app, "progress", state_data_folder(app));
    folder(app, "history", state_history_folder(app));
    for (int i = 0; seal_missing(i); i++) report(app, "seal", PROBLEM, "%s", TR(seal_missing(i)));
    if (!seal_missing(0))
        report(app, "seal", OK, "answers are shut in by seccomp and %s",
               seal_files() == SEAL_FILES_LANDLOCK ? "Landlock" : TR("mount namespaces"));
    compile_found found[COMPILE_KINDS];
    compile_find(found);
    for (int i = 0; i < COMPILE_KINDS && !app_interrupted; i++)
        report(app, found[i].kind, found[i].usable ? OK : NONE, "%s%s%s", found[i].version,
               found[i].usable && *found[i].where ? ", " : "", found[i].usable ? found[i].where : "");
    char cache[PATH_MAX]; /* of what they compiled for exec */
    folder(app, "cache", program_cache_place(cache, sizeof cache) ? cache : "");
    const char *why;
    int gpus = app_interrupted ? 0 : device_gpus(app, &why);
    if (!app_interrupted) {
        if (gpus) report(app, "gpu", OK, "%d found; `devices` lists them", gpus);
        else report(app, "gpu", NONE, "%s; everything runs on simulated cards", why);
    }
    return app_interrupted ? EXIT_INTERRUPT : EXIT_DONE;
}
