/* program_build.c: from .cu files to a program: by nvcc, or by clang alone with headers of ours. Both
 * get PTX for the card and no machine code, and lines of the source. What was compiled is kept
 * (program_cache.c). */
#include "program_clang.h"
#include "device/compile.h"
#include "device/toolkit.h"
#include "shell/child.h"
#include "shell/language.h"
#include "shell/scratch.h"
#include "list.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NVCC_LEAST = 75, /* the least that today's nvcc makes code for */
    BUILD_SECONDS = 600,
    SEALED_SECONDS = 120, /* of processor time, of each process */
    SEALED_MIB = 256      /* of the longest file */
};
#define SEALED_MEMORY ((size_t)8 << 30)

bool program_ends(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

size_t program_first(const char *list) { return access(list, F_OK) ? strcspn(list, ",") : strlen(list); }

/* One .cu file, or several files joined by commas, of which one is. */
bool program_is_source(const char *path)
{
    if (!path[program_first(path)]) return program_ends(path, ".cu");
    static const char *const kinds[] = {".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a"};
    bool any = false;
    for (const char *at = path; *at;) {
        char one[PATH_MAX];
        const size_t n = program_first(at);
        size_t k = 0;
        if (n >= sizeof one) return false;
        memcpy(one, at, n);
        one[n] = 0;
        while (k < sizeof kinds / sizeof *kinds && !program_ends(one, kinds[k])) k++;
        if (k == sizeof kinds / sizeof *kinds) return false;
        any |= !k;
        at += n + (at[n] == ',');
    }
    return any;
}

/* ---- flags ---- */

int program_flag(const char *word)
{
    static const struct {
        const char *name;
        int more; /* words behind it */
    } alone[] = {{"-I", 1}, {"-D", 1}, {"-U", 1}, {"-l", 1}, {"-L", 1}, {"-include", 1}, {"-Xcompiler", 1}};
    static const char *const begin[] = {"-I", "-D", "-U", "-l", "-L", "-std=", "-rdc=", "--std=", "-O", "-Xcompiler="};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (!strcmp(word, alone[i].name)) return alone[i].more;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (!strncmp(word, begin[i], strlen(begin[i]))) return 0;
    return !strcmp(word, "--extended-lambda") || !strcmp(word, "--use_fast_math") ||
                   !strcmp(word, "--expt-relaxed-constexpr") || !strcmp(word, "--expt-extended-lambda")
               ? 0
               : -1;
}

/* ---- compilers ---- */

/* What CUDA has removed and warpstep_removed.h gives back only to a program that failed without: other
 * programs may have such names of their own. */
static const struct retry {
    const char *sign, *flag;
} removed[] = {{"texture<", "-DWARPSTEP_TEXTURE_REFERENCES=1"},
               {"\"texture\"", "-DWARPSTEP_TEXTURE_REFERENCES=1"},
               {"'texture'", "-DWARPSTEP_TEXTURE_REFERENCES=1"},
               {"textureReference", "-DWARPSTEP_TEXTURE_REFERENCES=1"},
               {"'vote' without '.sync'", "-DWARPSTEP_OLD_VOTES=1"}};

/* What a source cannot say, a makefile would: nvcc's flags for which its own words, and the linker's, ask. */
static const struct retry missing[] = {
    {"requires separate compilation mode", "-rdc=true"}, {"undefined reference to `omp_", "-Xcompiler=-fopenmp"},
    {"undefined reference to `cublas", "-lcublas"},      {"undefined reference to `cufft", "-lcufft"},
    {"undefined reference to `curand", "-lcurand"},      {"undefined reference to `cusparse", "-lcusparse"},
    {"undefined reference to `cusolver", "-lcusolver"},  {"undefined reference to `nvrtc", "-lnvrtc"},
    {"undefined reference to `cuInit'", "-lcuda"},       {"undefined reference to `cuCtx", "-lcuda"},
    {"undefined reference to `cuDevice", "-lcuda"},      {"undefined reference to `cuModule", "-lcuda"}};

static void add_retries(struct words *args, const char *said, const struct retry *of, size_t count, int *added)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(said, of[i].sign) && !words_have(args, of[i].flag)) {
            words_add(args, of[i].flag);
            ++*added;
        }
}

static void run_once(const struct words *args, const struct child_limits *limits, struct child_result *r)
{
    static const struct child_limits usual = {.seconds = BUILD_SECONDS, .label = "compiling"};
    struct words all = {0};
    if (limits) { /* its temporary files are in the folder that it may write to; ccache's own is out of reach */
        words_add(&all, "env");
        toolkit_add(&all, "TMPDIR=%s", limits->folder);
        words_add(&all, "CCACHE_DISABLE=1");
    }
    for (int i = 0; i < args->count; i++) words_add(&all, args->v[i]);
    if (all.failed) *r = (struct child_result){.end = CHILD_FAILED, .message = NO_MEMORY};
    else child_exec(limits ? limits : &usual, all.v, r);
    words_free(&all);
}

void program_run_compiler(struct words *args, bool whole, const struct child_limits *limits, struct child_result *r)
{
    for (;;) {
        int more = 0;
        run_once(args, limits, r);
        if (r->end == CHILD_DONE && r->status && r->answer) {
            add_retries(args, r->answer, removed, sizeof removed / sizeof *removed, &more);
            if (whole) add_retries(args, r->answer, missing, sizeof missing / sizeof *missing, &more);
        }
        if (!more || args->failed) return;
        child_free(r);
    }
}

/* A failure: printed, or kept in `to`. */
static int fail(struct app *app, struct program_refusal *to, const char *next, const char *fmt, ...) APP_PRINTF(4, 5);
static int fail(struct app *app, struct program_refusal *to, const char *next, const char *fmt, ...)
{
    char message[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, TR(fmt), args);
    va_end(args);
    if (!to) return app_fail(app, PROGRAM_FAILED, next, "%s", message);
    snprintf(to->message, sizeof to->message, "%s", message);
    return PROGRAM_FAILED;
}

int program_compiler(struct app *app, const struct program_compile *c, const char *name, const char *sources,
                     struct words *args)
{
    struct program_refusal *to = c->refusal;
    if (to) snprintf(to->compiler, sizeof to->compiler, "%s", name);
    if (args->failed) return fail(app, to, NULL, NO_MEMORY);
    struct child_result r;
    program_run_compiler(args, !strcmp(name, "nvcc"), c->limits, &r);
    int status = 0;
    if (r.end == CHILD_INTERRUPTED) status = EXIT_INTERRUPT;
    else if (to) to->says = (free(to->says), r.answer), r.answer = NULL;
    else if (r.bytes) fwrite(r.answer, 1, r.bytes, app->err);
    if (!status && r.end == CHILD_TIME)
        status = fail(app, to, NULL, "%s did not end within %d seconds", name, BUILD_SECONDS);
    else if (!status && r.end != CHILD_DONE)
        status = fail(app, to, NULL, "%s could not compile %s: %s", name, sources, r.message);
    else if (!status && r.status) {
        status = fail(app, to, NULL, "%s does not compile %s", name, sources);
        if (to) to->refused = true;
    }
    child_free(&r);
    return status;
}

static void add_flags(struct words *args, const struct program_compile *c)
{
    for (int i = 0; i < c->flags.count; i++) words_add(args, c->flags.v[i]);
}

/* The headers that stand in for those of NVIDIA's samples, after all others; the names that CUDA has
 * removed. */
static void add_headers(struct words *args, const char *libraries)
{
    toolkit_add(args, "-isystem=%s/include/helpers", libraries);
    toolkit_add(args, "--pre-include=%s/include/warpstep_removed.h", libraries);
}

static void nvcc_words(struct words *args, const char *nvcc, const char *libraries, const struct program_compile *c)
{
    words_add(args, nvcc);
    words_add(args, "-lineinfo");
    toolkit_add(args, "-arch=compute_%d", c->compute < NVCC_LEAST ? NVCC_LEAST : c->compute);
    words_add(args, "-Wno-deprecated-gpu-targets");
    add_flags(args, c);
    add_headers(args, libraries);
}

/* The compiler is to write what it reads into a file of its own. */
static void add_rule(struct words *args, const struct program_built *b, struct words *rules)
{
    char rule[4200];
    snprintf(rule, sizeof rule, "%s/%d.rule", b->folder, rules->count);
    words_add(args, "-MF");
    words_add(args, rule);
    words_add(rules, rule);
}

/* What nvcc reads for one of several sources: of several at once it would write one list over the other. */
static void rule_by_nvcc(const char *nvcc, const char *libraries, const struct program_compile *c, const char *source,
                         struct program_built *b, struct words *rules)
{
    if (program_ends(source, ".o") || program_ends(source, ".a")) {
        b->entry[0] = 0; /* of what these were made nobody knows */
        return;
    }
    struct words args = {0};
    struct child_result r;
    nvcc_words(&args, nvcc, libraries, c);
    words_add(&args, "-M");
    add_rule(&args, b, rules);
    words_add(&args, source);
    program_run_compiler(&args, true, c->limits, &r);
    if (r.end != CHILD_DONE || r.status) b->entry[0] = 0; /* then it is not kept */
    child_free(&r);
    words_free(&args);
}

static int by_nvcc(struct app *app, const char *nvcc, const char *libraries, const struct program_compile *c,
                   struct program_built *b, struct words *rules)
{
    struct words args = {0};
    nvcc_words(&args, nvcc, libraries, c);
    for (int i = 0; i < c->sources.count; i++) words_add(&args, c->sources.v[i]);
    if (c->sealed) words_add(&args, "sealed"); /* it may come out otherwise */
    if (c->refusal) snprintf(c->refusal->compiler, sizeof c->refusal->compiler, "nvcc");
    const bool kept = program_cache_find(b, &args);
    words_free(&args);
    if (kept) return 0;
    snprintf(b->path, sizeof b->path, "%s/program", b->folder);
    nvcc_words(&args, nvcc, libraries, c);
    for (int i = 0; i < c->sources.count; i++) words_add(&args, c->sources.v[i]);
    words_add(&args, "-o");
    words_add(&args, b->path);
    if (c->sources.count == 1) {
        words_add(&args, "-MD");
        add_rule(&args, b, rules);
    }
    const int status = program_compiler(app, c, "nvcc", c->sources.v[0], &args);
    words_free(&args);
    for (int i = 0; !status && c->sources.count > 1 && i < c->sources.count && *b->entry && !c->once; i++)
        rule_by_nvcc(nvcc, libraries, c, c->sources.v[i], b, rules);
    return status;
}

static int by_clang(struct app *app, const char *clang, const char *libraries, const struct program_compile *c,
                    struct program_built *b, struct words *rules)
{
    struct words key = {0}, objects = {0};
    words_add(&key, clang);
    words_add(&key, libraries);
    toolkit_add(&key, "%d", c->compute);
    add_flags(&key, c);
    for (int i = 0; i < c->sources.count; i++) words_add(&key, c->sources.v[i]);
    if (c->sealed) words_add(&key, "sealed"); /* it may come out otherwise */
    const bool kept = program_cache_find(b, &key);
    if (c->refusal) snprintf(c->refusal->compiler, sizeof c->refusal->compiler, "clang");
    words_free(&key);
    if (kept) return 0;
    int status = 0;
    for (int i = 0; i < c->sources.count && !status; i++) {
        char ptx[4100], object[4100], rule[4100];
        snprintf(ptx, sizeof ptx, "%s/%d.ptx", b->folder, i);
        snprintf(object, sizeof object, "%s/%d.o", b->folder, i);
        snprintf(rule, sizeof rule, "%s/%d.rule", b->folder, i);
        if (program_ends(c->sources.v[i], ".o") || program_ends(c->sources.v[i], ".a")) {
            words_add(&objects, c->sources.v[i]);
            b->entry[0] = 0; /* of what these were made nobody knows */
            continue;
        }
        status = clang_object(app, clang, libraries, c, c->sources.v[i], ptx, object, rule);
        words_add(&objects, object);
        words_add(rules, rule);
    }
    snprintf(b->path, sizeof b->path, "%s/program", b->folder);
    if (!status) status = clang_link(app, clang, libraries, c, &objects, b->path);
    words_free(&objects);
    return status;
}

/* What compilers of untrusted code see. */
static void add_reads(struct words *reads, const struct program_compile *c, const char *compiler, bool is_nvcc,
                      const char *libraries)
{
    char itself[PATH_MAX];
    const char *programs[] = {compiler, is_nvcc && compile_nvcc_itself(compiler, itself, sizeof itself) ? itself : NULL,
                              NULL};
    toolkit_reads(reads, programs);
    words_add(reads, libraries);
    for (int i = 0; i < c->sources.count; i++) words_add(reads, c->sources.v[i]);
}

static int build_by(struct app *app, const char *nvcc, const char *clang, const char *libraries,
                    const struct program_compile *c, struct program_built *b, struct words *rules)
{
    return nvcc ? by_nvcc(app, nvcc, libraries, c, b, rules) : by_clang(app, clang, libraries, c, b, rules);
}

static int build_sealed(struct app *app, const char *nvcc, const char *clang, const char *libraries,
                        const struct program_compile *c, struct program_built *b, struct words *rules)
{
    struct words reads = {0};
    add_reads(&reads, c, nvcc ? nvcc : clang, nvcc != NULL, libraries);
    const seal_view view = {(const char *const *)reads.v, b->folder};
    const struct child_limits limits = {.seconds = BUILD_SECONDS,
                                        .label = "compiling",
                                        .memory_bytes = SEALED_MEMORY,
                                        .cpu_seconds = SEALED_SECONDS,
                                        .file_bytes = (size_t)SEALED_MIB << 20,
                                        .seal = CHILD_SHUT,
                                        .view = &view,
                                        .folder = b->folder};
    struct program_compile sealed = *c;
    sealed.limits = &limits;
    const int status = reads.failed ? fail(app, c->refusal, NULL, NO_MEMORY)
                                    : build_by(app, nvcc, clang, libraries, &sealed, b, rules);
    words_free(&reads);
    return status;
}

int program_build(struct app *app, const struct program_compile *c, struct program_built *b)
{
    char nvcc[PATH_MAX], clang[PATH_MAX], libraries[4000];
    const char *tmp = getenv("TMPDIR"), *wanted = getenv("WARPSTEP_COMPILER");
    const bool only_clang = wanted && !strcmp(wanted, "clang"), only_nvcc = wanted && !strcmp(wanted, "nvcc"),
               none = wanted && !strcmp(wanted, "none");
    b->held = -1;
    *b->entry = 0;
    if (!program_libraries(libraries, sizeof libraries)) return 0; /* program_run says so */
    const bool has_nvcc = !only_clang && !none && toolkit_nvcc(nvcc, sizeof nvcc);
    if (!has_nvcc && (only_nvcc || none || !compile_clang(clang, sizeof clang))) {
        if (c->refusal) c->refusal->absent = true;
        return fail(app, c->refusal, "scripts/get-compiler clang",
                    "a .cu file needs nvcc or clang, and %s; a program that was built elsewhere runs without them",
                    only_nvcc    ? TR("nvcc is not found")
                    : only_clang ? TR("a clang that can make PTX is not found")
                                 : TR("neither is found"));
    }
    char *base = realpath(tmp && *tmp ? tmp : "/tmp", NULL); /* a sealed compiler works in it */
    b->held = base ? scratch_make(base, b->folder, sizeof b->folder) : -1;
    free(base);
    if (b->held < 0) return fail(app, c->refusal, NULL, "no folder can be made for the program");
    struct words rules = {0};
    int status = (c->sealed ? build_sealed : build_by)(app, has_nvcc ? nvcc : NULL, clang, libraries, c, b, &rules);
    if (!status && rules.count && !c->once) program_cache_keep(b, &rules);
    words_free(&rules);
    if (status) program_unbuild(b);
    return status;
}

void program_unbuild(struct program_built *b)
{
    if (b->held >= 0) scratch_remove(b->folder, b->held);
    b->held = -1;
}
