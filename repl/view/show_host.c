/* show_host.c: `show host`: the whole program that would run a step. It is printed as it is, so that
 * `warpstep show host 1.v3 >v3.cu` makes a file that compiles. */
#include "view.h"
#include "view_job.h"
#include "course/host_program.h"
#include <stdlib.h>
#include <string.h>

/* The flags in the heading of a pinned PTX file; NULL: it has none. To be freed. */
static char *flags_of(const char *ptx)
{
    const char *flags = ptx ? strstr(ptx, "flags: ") : NULL;
    const char *code = ptx ? strstr(ptx, ".version") : NULL;
    if (!flags || (code && code < flags)) return NULL;
    return strndup(flags, strcspn(flags, "\n"));
}

/* One line of text after the other; `text` is cut. */
static void put_lines(doc *d, json *j, char *text)
{
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        json_text(j, NULL, line);
        doc_line(d, "%s", line);
        line = end ? end + 1 : line + strlen(line);
    }
}

int view_show_host(struct app *app, const lesson_step *s, step_chosen *chosen)
{
    char shown[1400] = "", ptx_shown[1400], why[200], *kernel = NULL, *ptx = NULL, *text = NULL;
    size_t bytes;
    step_values values;
    int status = session_values(app, s, chosen, &values);
    if (!status && step_launches(s)) {
        status = session_kernel_text(app, s, false, &kernel, &bytes, shown, sizeof shown);
        if (!status) status = session_kernel_text(app, s, true, &ptx, &bytes, ptx_shown, sizeof ptx_shown);
    }
    char *flags = status ? NULL : flags_of(ptx);
    FILE *to = status ? NULL : open_memstream(&text, &bytes);
    if (to) {
        const host_program p = {.l = app->lesson->l,
                                .s = s,
                                .values = &values,
                                .kernel = kernel,
                                .kernel_path = shown,
                                .defines = flags,
                                .seed = session_seed(app, s, false)};
        const bool can = view_job(s)->host(to, &p, why, sizeof why);
        if (fclose(to) || !text) status = app_no_memory(app);
        else if (!can) status = app_fail(app, EXIT_USAGE, "show source", "step %s is no program: %s", s->name, why);
    } else if (!status) {
        status = app_no_memory(app);
    }
    if (!status) {
        doc d = doc_open(app);
        json *j = doc_begin(&d, "host", "lesson %d, step %s, file %s", app->lesson->l->number, s->name, shown);
        json_array(j, "lines");
        put_lines(&d, j, text);
        json_close(j);
        json_end(j);
    }
    free(text);
    free(flags);
    free(ptx);
    free(kernel);
    return status;
}
