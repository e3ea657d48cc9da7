/* notes.c: `notes`, which adds to the student's notes or prints them. */
#include "commands.h"

#include "shell/format.h"
#include "shell/document.h"
#include "shell/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int show_notes(struct app *app)
{
    size_t bytes;
    char *text = state_notes(app, &bytes);
    if (!text && errno != ENOENT && errno != 0)
        return app_fail(app, EXIT_INTERNAL, "doctor", "%s/notes cannot be read: %s", state_data_folder(app),
                        strerror(errno));
    doc d = doc_open(app);
    if (!bytes) doc_line(&d, "no notes yet; `notes TEXT` adds a line");
    for (char *line = text, *end; bytes && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        doc_data(&d, "note", "text %s", line);
        doc_program(&d, 0, "", line);
    }
    free(text);
    return EXIT_DONE;
}

int notes_run(struct app *app, int argc, char **argv)
{
    errno = 0;
    if (argc == 1) return show_notes(app);
    if (!strncmp(argv[1], "--", 2))
        return app_fail(app, EXIT_USAGE, "help notes", "notes has no option %s; a note begins with another word",
                        argv[1]);
    char line[STATE_LINE_MAX];
    state_time(line);
    line[10] = ' ';
    line[16] = 0;
    const char *step = app->lessons ? app->lessons->where(app) : "";
    size_t used = strlen(line);
    used += (size_t)snprintf(line + used, sizeof line - used, "%s%.64s%s", *step ? " [" : "", step, *step ? "]" : "");
    for (int i = 1; i < argc && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", argv[i]);
    if (used >= sizeof line) return app_fail(app, EXIT_USAGE, NULL, "a note is at most %d bytes", STATE_LINE_MAX - 100);
    for (char *p = line; *p; p++)
        if ((unsigned char)*p < ' ') *p = ' ';
    int status = state_note(app, line);
    if (status) return status;
    doc d = doc_open(app);
    doc_line(&d, "noted%s%s", *step ? " at " : "", step);
    return EXIT_DONE;
}
