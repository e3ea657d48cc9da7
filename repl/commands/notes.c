/* notes.c: `notes`. */
#include "commands.h"

#include "shell/format.h"
#include "shell/json.h"
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
    if (app->json) {
        for (char *line = text; line && *line;) {
            size_t n = strcspn(line, "\n");
            json j;
            json_begin(&j, app->out, "note");
            json_bytes(&j, "text", line, n);
            json_end(&j);
            line += n + (line[n] == '\n');
        }
    } else if (bytes == 0) {
        fputs("no notes yet; `notes TEXT` adds a line\n", app->out);
    } else {
        print_safe(app->out, text, bytes);
    }
    free(text);
    return EXIT_DONE;
}

int notes_run(struct app *app, int argc, char **argv)
{
    errno = 0;
    if (argc == 1) return show_notes(app);
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
    if (!app->json) fprintf(app->out, "noted%s%s\n", *step ? " at " : "", step);
    return EXIT_DONE;
}
