/* nvcc.c: the `nvcc` command: stands in for nvcc in a course's Makefile (make NVCC="warpstep nvcc"). Where
 * there is an nvcc, that does it; else clang, with the headers of program/program_clang.c. */
#include "command.h"
#include "device/compile.h"
#include "device/toolkit.h"
#include "program/program_clang.h"
#include "shell/child.h"
#include "shell/scratch.h"
#include "list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    struct program_compile compile; /* its sources are those to be compiled ... */
    struct words objects;           /* ... and these are linked as they are */
    const char *to;
    bool objects_only, ptx_only;
} request;

/* Flags of nvcc's that have a word behind them and that clang need not know. */
static bool has_value(const char *flag)
{
    static const char *const all[] = {"-arch",
                                      "-code",
                                      "-gencode",
                                      "--gpu-architecture",
                                      "-Xptxas",
                                      "-maxrregcount",
                                      "-ccbin",
                                      "-x",
                                      "--default-stream",
                                      "-Xlinker",
                                      "--ptxas-options",
                                      "-Xnvlink",
                                      "-cudart",
                                      "--generate-code",
                                      "-t",
                                      "--gpu-code",
                                      "--compiler-bindir",
                                      "-odir",
                                      "--threads"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(flag, all[i])) return true;
    return false;
}

static int read_words(struct app *app, request *q, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *w = argv[i];
        const bool last = i + 1 == argc;
        const int more = program_flag(w);
        if (w[0] != '-') {
            const bool object = program_ends(w, ".o") || program_ends(w, ".a") || program_ends(w, ".so");
            words_add(object ? &q->objects : &q->compile.sources, w);
        } else if (!strcmp(w, "-o") || !strcmp(w, "--output-file")) {
            if (last) return app_fail(app, EXIT_USAGE, "help nvcc", "-o needs a file after it");
            q->to = argv[++i];
        } else if (!strcmp(w, "-c") || !strcmp(w, "-dc") || !strcmp(w, "--compile")) {
            q->objects_only = true;
        } else if (!strcmp(w, "-ptx") || !strcmp(w, "--ptx")) {
            q->ptx_only = true;
        } else if (more >= 0) {
            if (i + more >= argc) return app_fail(app, EXIT_USAGE, "help nvcc", "%s needs a value after it", w);
            for (int k = 0; k <= more; k++) words_add(&q->compile.flags, argv[i + k]);
            i += more;
        } else if (has_value(w)) {
            if (last) return app_fail(app, EXIT_USAGE, "help nvcc", "%s needs a value after it", w);
            i++;
        } else {
            words_add(&q->compile.flags, w); /* clang gets those that it knows */
        }
    }
    if (!q->compile.sources.count && !q->objects.count)
        return app_fail(app, EXIT_USAGE, "help nvcc", "nvcc needs a file to compile");
    if ((q->objects_only || q->ptx_only) && q->to && q->compile.sources.count > 1)
        return app_fail(app, EXIT_USAGE, "help nvcc", "-o names one file, and %d are to be made",
                        q->compile.sources.count);
    return 0;
}

/* dir/name.cu to name.o, here */
static void beside(char *out, size_t size, const char *source, const char *end)
{
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *dot = strrchr(name, '.');
    snprintf(out, size, "%.*s%s", (int)(dot ? dot - name : (long)strlen(name)), name, end);
}

static int by_clang(struct app *app, const char *clang, const char *libraries, request *q, const char *folder)
{
    int status = 0;
    for (int i = 0; i < q->compile.sources.count && !status; i++) {
        const char *source = q->compile.sources.v[i];
        char ptx[4200], object[4200], rule[4200], name[PATH_MAX];
        snprintf(ptx, sizeof ptx, "%s/%d.ptx", folder, i);
        snprintf(rule, sizeof rule, "%s/%d.rule", folder, i);
        snprintf(object, sizeof object, "%s/%d.o", folder, i);
        if (q->ptx_only || q->objects_only) beside(name, sizeof name, source, q->ptx_only ? ".ptx" : ".o");
        const char *made = q->to ? q->to : name;
        status = q->ptx_only       ? clang_object(app, clang, libraries, &q->compile, source, made, NULL, rule)
                 : q->objects_only ? clang_object(app, clang, libraries, &q->compile, source, ptx, made, rule)
                                   : clang_object(app, clang, libraries, &q->compile, source, ptx, object, rule);
        if (!q->ptx_only && !q->objects_only) words_add(&q->objects, object);
    }
    if (status || q->ptx_only || q->objects_only) return status;
    return clang_link(app, clang, libraries, &q->compile, &q->objects, q->to ? q->to : "a.out");
}

/* The real one, with our headers behind all others. */
static int by_nvcc(struct app *app, const char *nvcc, const char *libraries, int argc, char **argv)
{
    struct words args = {0};
    words_add(&args, nvcc);
    for (int i = 1; i < argc; i++) words_add(&args, argv[i]);
    toolkit_add(&args, "-isystem=%s/include/helpers", libraries);
    toolkit_add(&args, "--pre-include=%s/include/warpstep_removed.h", libraries);
    words_add(&args, "-lineinfo");
    struct child_result r;
    int status = args.failed ? app_fail(app, PROGRAM_FAILED, NULL, NO_MEMORY) : 0;
    if (!status) {
        program_run_compiler(&args, false, NULL, &r);
        if (r.bytes) fwrite(r.answer, 1, r.bytes, r.end == CHILD_DONE && !r.status ? app->out : app->err);
        status = r.end == CHILD_DONE          ? r.status
                 : r.end == CHILD_INTERRUPTED ? EXIT_INTERRUPT
                                              : app_fail(app, PROGRAM_FAILED, NULL, "%s: %s", nvcc, r.message);
        child_free(&r);
    }
    words_free(&args);
    return status;
}

static int nvcc_run(struct app *app, int argc, char **argv)
{
    char nvcc[PATH_MAX], clang[PATH_MAX], libraries[4000], folder[4000];
    const char *tmp = getenv("TMPDIR"), *wanted = getenv("WARPSTEP_COMPILER");
    if (!program_libraries(libraries, sizeof libraries))
        return app_fail(
            app, PROGRAM_FAILED, NULL,
            "the headers and libraries that take CUDA's place are missing: lib/warpstep beside the program");
    if ((!wanted || strcmp(wanted, "clang")) && toolkit_nvcc(nvcc, sizeof nvcc))
        return by_nvcc(app, nvcc, libraries, argc, argv);
    if (!compile_clang(clang, sizeof clang))
        return app_fail(app, PROGRAM_FAILED, "doctor", "neither nvcc nor a clang that can make PTX is found");
    request q = {.compile = {.compute = 86}};
    int status = read_words(app, &q, argc, argv), held = -1;
    if (!status && (held = scratch_make(tmp && *tmp ? tmp : "/tmp", folder, sizeof folder)) < 0)
        status = app_fail(app, PROGRAM_FAILED, NULL, "no folder can be made: %s", strerror(errno));
    if (!status) status = by_clang(app, clang, libraries, &q, folder);
    if (held >= 0) scratch_remove(folder, held);
    words_free(&q.compile.sources);
    words_free(&q.compile.flags);
    words_free(&q.objects);
    return status == PROGRAM_FAILED ? 1 : status;
}

static void nvcc_complete(struct app *app, int argc, char **argv, struct words *out)
{
    (void)app, (void)argc, (void)argv;
    complete_files(out);
}

const struct command nvcc_commands[] = {
    {"nvcc", 4, "Programs", "FLAGS... FILES... [-o PROGRAM]", "compile a CUDA program, also where there is no nvcc",
     "Takes the flags of nvcc that courses use: -o, -c, -ptx, -I, -D, -L, -l, -O2,\n"
     "-std=, -Xcompiler and others. With nvcc on this computer, that compiles. Without,\n"
     "clang does, with headers of warpstep's own; the program then runs under\n"
     "`warpstep exec`. In a course's folder:\n"
     "\n"
     "          make NVCC=\"warpstep nvcc\"\n"
     "\n"
     "What clang cannot do: several files that call each other's device functions\n"
     "(-rdc=true), and NVIDIA's own headers: CUB, Thrust, cuRAND, wmma.\n"
     "WARPSTEP_COMPILER=clang takes clang even where there is nvcc.\n"
     "\n"
     "Example:  nvcc -O2 mine.cu -o mine\n",
     nvcc_run, nvcc_complete},
    {0},
};
