/* program_build.c: from .cu files to a program, by nvcc. It gets PTX for the card and no machine code,
 * which takes a fraction of the time, and lines of the source. */
#include "program.h"
#include "device/toolkit.h"
#include "shell/child.h"
#include "shell/scratch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NVCC_LEAST = 75 /* the least that today's nvcc makes code for */, BUILD_SECONDS = 600 };

bool program_is_source(const char *path)
{
    const size_t n = strlen(path);
    return n > 3 && !strcmp(path + n - 3, ".cu");
}

static int nvcc_failed(struct app *app, const struct child_result *r, const char *sources)
{
    if (r->bytes) fwrite(r->answer, 1, r->bytes, app->err);
    return app_fail(app, PROGRAM_FAILED, NULL, "nvcc does not compile %s", sources);
}

int program_build(struct app *app, const char *sources, int compute, struct program_built *b)
{
    char nvcc[PATH_MAX], arch[40];
    const char *tmp = getenv("TMPDIR");
    b->held = -1;
    if (!toolkit_nvcc(nvcc, sizeof nvcc))
        return app_fail(
            app, PROGRAM_FAILED, "doctor",
            "nvcc is not found, which compiles .cu files; a program that was built elsewhere runs without it");
    b->held = scratch_make(tmp && *tmp ? tmp : "/tmp", b->folder, sizeof b->folder);
    if (b->held < 0 || snprintf(b->path, sizeof b->path, "%s/program", b->folder) >= (int)sizeof b->path)
        return app_fail(app, PROGRAM_FAILED, NULL, "no folder can be made for the program");
    snprintf(arch, sizeof arch, "-arch=compute_%d", compute < NVCC_LEAST ? NVCC_LEAST : compute);
    struct words args = {0};
    const char *const plain[] = {nvcc, "-lineinfo", arch, "-Wno-deprecated-gpu-targets", "-o", b->path};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) words_add(&args, plain[i]);
    for (const char *s = sources; *s;) {
        const size_t n = strcspn(s, ",");
        words_addn(&args, s, n);
        s += n + (s[n] == ',');
    }
    int status = args.failed ? app_fail(app, PROGRAM_FAILED, NULL, "memory ran out") : 0;
    if (!status) {
        const struct child_limits limits = {.seconds = BUILD_SECONDS};
        struct child_result r;
        child_exec(&limits, args.v, &r);
        if (r.end == CHILD_INTERRUPTED) status = EXIT_INTERRUPT;
        else if (r.end != CHILD_DONE || r.status) status = nvcc_failed(app, &r, sources);
        child_free(&r);
    }
    words_free(&args);
    if (status) program_unbuild(b);
    return status;
}

void program_unbuild(struct program_built *b)
{
    if (b->held >= 0) scratch_remove(b->folder, b->held);
    b->held = -1;
}
