/* compile.c: see compile.h. From the top: finding files and compilers, the private folder, the
 * compilers that are programs (compile_nvrtc.c has the library), and compile_ptx, which tries the
 * compilers in the order of the table `compilers`.
 *
 * A compiler's function returns COMPILE_NO_COMPILER when it is not installed; then the next row is
 * tried. NVRTC accepts device code only: a file with host code or host headers goes on to the next
 * compiler. */
#include "compile_job.h"
#include "shell/embedded.h"
#include "shell/scratch.h"
#include "shell/plain_file.h"
#include "list.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_ARCH = 75, SOURCE_MAX = 16 << 20 };

/* ---- small things ---- */

static char *text_of(const char *fmt, ...) APP_PRINTF(1, 2);
static char *text_of(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!text) return NULL;
    va_start(args, fmt);
    vsnprintf(text, (size_t)length + 1, fmt, args);
    va_end(args);
    return text;
}

static bool write_file(const char *path, const char *head, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool ok = fputs(head, f) >= 0 && fwrite(data, 1, bytes, f) == bytes;
    return fclose(f) == 0 && ok;
}

/* ---- a compilation in progress ---- */

enum compile_status job_problem(job *j, enum compile_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(j->result->problem, sizeof j->result->problem, fmt, args);
    va_end(args);
    return status;
}

void job_messages(job *j, const char *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    if (!copy) return;
    memcpy(copy, text ? text : "", text ? bytes : 0);
    copy[text ? bytes : 0] = 0;
    free(j->result->messages);
    j->result->messages = copy;
}

/* Make the private folder: a copy of the program, our headers, and a link to the program's own
 * folder. */
static bool make_folder(job *j)
{
    if (*j->dir) return true;
    const char *base = getenv("TMPDIR");
    if (!base || !*base) base = "/tmp";
    j->held = scratch_make(base, j->dir, sizeof j->dir - 64);
    if (j->held < 0) {
        job_problem(j, COMPILE_FAILED, "No temporary folder can be made in %.300s: %s.", base, strerror(errno));
        j->dir[0] = 0;
        return false;
    }
    static const char *const folders[] = {"src", JOB_HEADERS, JOB_TEMPORARY};
    bool ok = true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = text_of("%s/%s", j->dir, folders[i]);
        ok = path && mkdir(path, 0700) == 0 && ok;
        free(path);
    }
    for (const embedded_file *f = embedded_files; f->name; f++) {
        if (strncmp(f->name, EMBEDDED_HEADERS, strlen(EMBEDDED_HEADERS))) continue;
        char *path = text_of("%s/" JOB_HEADERS "/%s", j->dir, f->name + strlen(EMBEDDED_HEADERS));
        char *slash = path ? strchr(path + strlen(j->dir) + sizeof JOB_HEADERS + 1, '/') : NULL;
        if (slash) { /* at most one folder deep */
            *slash = 0;
            mkdir(path, 0700);
            *slash = '/';
        }
        ok = path && write_file(path, "", f->text, f->bytes) && ok;
        free(path);
    }
    char *path = text_of("%s/" JOB_SOURCE, j->dir), *line = compile_line_directive(j->name);
    ok = path && line && write_file(path, line, j->request->text, j->request->text_bytes) && ok;
    free(path);
    free(line);
    if (!j->request->sealed) {
        char *link = text_of("%s/" JOB_BESIDE, j->dir), *real = realpath(j->source_dir, NULL);
        ok = link && (!real || symlink(real, link) == 0) && ok;
        free(link);
        free(real);
    }
    if (!ok) job_problem(j, COMPILE_FAILED, "The temporary folder %.300s cannot be written.", j->dir);
    return ok;
}

/* The status for a compiler's process that did not end by itself. */
enum compile_status job_ended(job *j, const char *what, const struct child_result *r)
{
    if (r->end == CHILD_INTERRUPTED) return job_problem(j, COMPILE_INTERRUPTED, "%s was interrupted.", what);
    if (j->request->sealed && r->end == CHILD_CRASHED && (r->signal == SIGXCPU || r->signal == SIGXFSZ)) {
        snprintf(j->result->advice, sizeof j->result->advice,
                 "Look for macros, templates or arrays that grow without end; WARPSTEP_COMPILER chooses another "
                 "compiler.");
        if (r->signal == SIGXFSZ)
            return job_problem(j, COMPILE_FAILED, "%s was stopped when it had written %d MiB.", what, SEALED_FILE_MIB);
        return job_problem(j, COMPILE_FAILED, "%s was stopped after %d s of processor time.", what, SEALED_SECONDS);
    }
    if (r->end == CHILD_CRASHED)
        return job_problem(j, COMPILE_FAILED, "%s was killed by signal %d (%s)%s.", what, r->signal,
                           strsignal(r->signal), r->signal == SIGKILL ? ", perhaps for want of memory" : "");
    snprintf(j->result->advice, sizeof j->result->advice,
             "WARPSTEP_COMPILER=nvrtc, nvcc or clang chooses another compiler.");
    return job_problem(j, COMPILE_FAILED, "%s: %s.", what, r->message);
}

/* From what a program prints: the first line that contains `sign`, starting there; "" if there is
 * none. */
static bool ask(const char *program, const char *options, const char *sign, char *line, size_t size)
{
    struct words argv = {0};
    struct child_limits limits = {.seconds = 10, .memory_bytes = COMPILER_MEMORY, .max_answer = 1 << 20};
    struct child_result r;
    bool found = false;
    words_add(&argv, program);
    for (size_t n; *options; options += n + (options[n] == ' ')) {
        n = strcspn(options, " ");
        words_addn(&argv, options, n);
    }
    if (!argv.failed && child_exec(&limits, argv.v, &r) == EXIT_DONE) {
        const char *at = r.answer ? strstr(r.answer, sign) : NULL;
        if (at) {
            snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
            found = true;
        }
        child_free(&r);
    }
    words_free(&argv);
    return found;
}

/* Run a compiler in the private folder, where it leaves its PTX. A sealed one sees its own files
 * and that folder only. */
static enum compile_status run_program(job *j, const char *what, const char *const *programs, struct words *argv)
{
    if (argv->failed) return job_problem(j, COMPILE_FAILED, "out of memory, or a path is too long");
    struct child_result r;
    struct words reads = {0};
    seal_view view = {NULL, j->dir};
    struct child_limits limits = j->limits;
    limits.folder = j->dir;
    if (j->request->sealed) {
        toolkit_reads(&reads, programs);
        view.reads = (const char *const *)reads.v;
        limits.view = &view;
    }
    child_exec(&limits, argv->v, &r);
    words_free(&reads);
    char *messages = compile_own_messages(j, r.answer ? r.answer : "");
    if (messages) job_messages(j, messages, strlen(messages));
    free(messages);
    enum compile_status status;
    if (r.end != CHILD_DONE) {
        status = job_ended(j, what, &r);
    } else if (r.status != 0) {
        status = COMPILE_REJECTED;
    } else {
        char *path = text_of("%s/" JOB_PTX, j->dir);
        char *ptx = NULL;
        const int why = path ? file_read(path, PTX_MOST, &ptx, &j->result->ptx_bytes) : ENOMEM;
        j->result->ptx = ptx ? compile_own_ptx(j, ptx, &j->result->ptx_bytes) : NULL;
        status = ptx && !j->result->ptx ? job_problem(j, COMPILE_FAILED, NO_MEMORY)
                 : ptx                  ? COMPILE_DONE
                                        : job_problem(j, COMPILE_FAILED, "%s left no PTX: %s.", what, strerror(why));
        free(path);
        free(ptx);
    }
    child_free(&r);
    return status;
}

/* ---- nvcc ---- */

bool compile_nvcc_itself(const char *nvcc, char *where, size_t size)
{
    static const char sign[] = "_HERE_=";
    char line[PATH_MAX];
    if (!ask(nvcc, "--dryrun -x cu /dev/null", sign, line, sizeof line) || line[sizeof sign - 1] != '/') return false;
    int n = snprintf(where, size, "%s/nvcc", line + sizeof sign - 1);
    return n > 0 && (size_t)n < size;
}

static enum compile_status try_nvcc(job *j)
{
    char nvcc[PATH_MAX], itself[PATH_MAX];
    if (!toolkit_nvcc(nvcc, sizeof nvcc)) return job_problem(j, COMPILE_NO_COMPILER, "nvcc is not found.");
    snprintf(j->result->compiler, sizeof j->result->compiler, "nvcc");
    if (!make_folder(j)) return COMPILE_FAILED;
    struct words argv = {0};
    words_add(&argv, "env"); /* so that nvcc's own temporary files are in our folder */
    words_add(&argv, "TMPDIR=" JOB_TEMPORARY);
    if (j->request->sealed) words_add(&argv, "CCACHE_DISABLE=1"); /* ccache's folder is out of reach */
    words_add(&argv, nvcc);
    words_add(&argv, "-ptx");
    words_add(&argv, "-lineinfo");
    char release[160];
    const bool own = j->arch == ARCH_90A && ask(nvcc, "--version", ", V", release, sizeof release) &&
                     strtol(release + 3, NULL, 10) >= CUDA_OF_90A;
    toolkit_add(&argv, "-arch=compute_%d%s", j->arch, own ? "a" : "");
    words_add(&argv, "-std=c++17");
    words_add(&argv, "-x");
    words_add(&argv, "cu");
    if (!j->request->sealed) words_add(&argv, "-I" JOB_BESIDE);
    for (const char *const *d = j->request->defines; d && *d; d++) toolkit_add(&argv, "-D%s", *d);
    words_add(&argv, "-o");
    words_add(&argv, JOB_PTX);
    words_add(&argv, JOB_SOURCE);
    const char *programs[] = {
        nvcc, j->request->sealed && compile_nvcc_itself(nvcc, itself, sizeof itself) ? itself : NULL, NULL};
    enum compile_status status = run_program(j, "nvcc", programs, &argv);
    words_free(&argv);
    const char *version = j->result->ptx ? strstr(j->result->ptx, "release ") : NULL;
    version = version ? strstr(version, ", V") : NULL; /* "// Cuda compilation tools, release 13.0, V13.0.88" */
    if (version)
        snprintf(j->result->compiler, sizeof j->result->compiler, "nvcc %.*s", (int)strspn(version + 3, "0123456789."),
                 version + 3);
    return status;
}

static void find_nvcc(compile_found *f)
{
    char path[PATH_MAX], line[160];
    snprintf(f->version, sizeof f->version, "nvcc is not in PATH, $CUDA_HOME or /usr/local/cuda");
    if (!toolkit_nvcc(path, sizeof path)) return;
    snprintf(f->where, sizeof f->where, "%.511s", path);
    f->usable = ask(path, "--version", ", V", line, sizeof line);
    if (f->usable) snprintf(f->version, sizeof f->version, "nvcc %.100s", line + 3);
    else snprintf(f->version, sizeof f->version, "it does not run");
}

/* ---- clang ---- */

/* The first clang that can make PTX. Distributions name them clang, clang-19, clang-14 ... */
bool compile_clang(char *where, size_t size)
{
    char line[160], name[16];
    for (int version = 0; version <= 30; version++) {
        snprintf(name, sizeof name, version ? "clang-%d" : "clang", 31 - version);
        if (toolkit_program(name, where, size) && ask(where, "-print-targets", "nvptx64", line, sizeof line))
            return true;
    }
    return false;
}

static enum compile_status try_clang(job *j)
{
    char clang[PATH_MAX];
    if (!compile_clang(clang, sizeof clang))
        return job_problem(j, COMPILE_NO_COMPILER, "No clang that can make PTX is found.");
    if (!ask(clang, "--version", "", j->result->compiler, sizeof j->result->compiler))
        snprintf(j->result->compiler, sizeof j->result->compiler, "clang");
    if (!make_folder(j)) return COMPILE_FAILED;
    struct words argv = {0};
    words_add(&argv, clang);
    words_add(&argv, "-x");
    words_add(&argv, "cuda");
    words_add(&argv, "--cuda-device-only");
    words_add(&argv, "-nocudainc");
    words_add(&argv, "-nocudalib");
    words_add(&argv, "--cuda-path=/nonexistent"); /* the same result whether or not a toolkit is installed */
    const char *version = strstr(j->result->compiler, "version ");
    const bool retargets = j->arch >= ARCH_90A && (!version || strtol(version + 8, NULL, 10) < CLANG_OF_90A);
    const int arch = retargets ? 86 : j->arch;
    toolkit_add(&argv, "--cuda-gpu-arch=sm_%d%s", arch, arch == ARCH_90A ? "a" : "");
    if (retargets) {
        words_add(&argv, "-U__CUDA_ARCH__");
        toolkit_add(&argv, "-D__CUDA_ARCH__=%d", 10 * j->arch);
        words_add(&argv, "-D__CUDA_ARCH_FEAT_SM90_ALL");
    }
    words_add(&argv, "-Xclang");
    words_add(&argv, "-target-feature");
    words_add(&argv, "-Xclang");
    toolkit_add(&argv, "+ptx%d", arch <= 75 ? 63 : arch <= 80 ? 70 : arch <= 86 ? 71 : arch < ARCH_90A ? 78 : 80);
    words_add(&argv, "-O3");
    words_add(&argv, "-std=c++17");
    words_add(&argv, "-gline-tables-only");
    words_add(&argv, "-ffp-contract=fast"); /* like nvcc */
    if (!j->request->sealed) words_add(&argv, "-I" JOB_BESIDE);
    words_add(&argv, "-isystem" JOB_HEADERS);
    words_add(&argv, "-include");
    words_add(&argv, "warpstep.h"); /* in the -isystem folder, so without warnings about it */
    for (const char *const *d = j->request->defines; d && *d; d++) toolkit_add(&argv, "-D%s", *d);
    words_add(&argv, "-S");
    words_add(&argv, "-o");
    words_add(&argv, JOB_PTX);
    words_add(&argv, JOB_SOURCE);
    const char *programs[] = {clang, NULL};
    enum compile_status status = run_program(j, "clang", programs, &argv);
    words_free(&argv);
    if (status != COMPILE_DONE || !retargets) return status;
    char *ptx = compile_retarget(j->result->ptx, &j->result->ptx_bytes);
    free(j->result->ptx);
    j->result->ptx = ptx;
    return ptx ? status : job_problem(j, COMPILE_FAILED, NO_MEMORY);
}

static void find_clang(compile_found *f)
{
    char path[PATH_MAX];
    snprintf(f->version, sizeof f->version, "no clang that can make PTX is in PATH");
    if (!compile_clang(path, sizeof path)) return;
    snprintf(f->where, sizeof f->where, "%.511s", path);
    f->usable = ask(path, "--version", "", f->version, sizeof f->version);
}

/* ---- choosing ---- */

static const struct compiler {
    const char *kind;
    enum compile_status (*compile)(job *j);
    void (*find)(compile_found *f);
} compilers[COMPILE_KINDS] = {
    {"nvrtc", compile_by_nvrtc, compile_find_nvrtc},
    {"nvcc", try_nvcc, find_nvcc},
    {"clang", try_clang, find_clang},
};

void compile_find(compile_found found[COMPILE_KINDS])
{
    for (int i = 0; i < COMPILE_KINDS; i++) {
        memset(&found[i], 0, sizeof found[i]);
        found[i].kind = compilers[i].kind;
        compilers[i].find(&found[i]);
    }
}

static const char install[] =
    "scripts/get-compiler installs one: clang, or NVIDIA's NVRTC for you alone. NVIDIA's CUDA "
    "toolkit will do too. A .ptx file runs without any compiler.";

/* Only NVRTC is here, and it refused the program for its host code. Compile once more without the
 * host functions, as the other compilers handle those separately. An answer is then rejected for
 * its device code alone. */
static enum compile_status device_code(job *j, compile_result *first)
{
    const compile_request *whole = j->request;
    compile_request cut = *whole;
    char *text = malloc(whole->text_bytes + 1);
    enum compile_status status = COMPILE_NO_COMPILER;
    if (text) {
        memcpy(text, whole->text, whole->text_bytes);
        text[whole->text_bytes] = 0;
        cut.text = text;
        j->request = &cut;
        if (compile_cut_host_code(text, whole->text_bytes, false)) status = compile_by_nvrtc(j);
        j->request = whole;
        free(text);
    }
    bool host = status == COMPILE_NO_COMPILER || (status == COMPILE_REJECTED && compile_is_host_code(j->result));
    if (!host && (status != COMPILE_REJECTED || whole->sealed)) {
        free(first->messages);
        return status;
    }
    compile_free(j->result);
    *j->result = *first;
    j->result->host_code = true;
    return first->status;
}

static enum compile_status choose(job *j, const char *forced)
{
    enum compile_status status = COMPILE_NO_COMPILER;
    compile_result first = {.status = COMPILE_NO_COMPILER}; /* NVRTC's refusal, for when there is no other compiler */
    bool known = !forced;
    for (int i = 0; i < COMPILE_KINDS; i++) {
        if (forced && strcmp(forced, compilers[i].kind)) continue;
        known = true;
        status = compilers[i].compile(j);
        if (status == COMPILE_NO_COMPILER) continue;
        if (i > 0 || status != COMPILE_REJECTED || !compile_is_host_code(j->result)) break;
        first = *j->result;
        memset(j->result, 0, sizeof *j->result);
        job_messages(j, "", 0);
        first.status = status;
        status = COMPILE_NO_COMPILER;
    }
    if (status == COMPILE_NO_COMPILER && first.messages) return device_code(j, &first);
    free(first.messages);
    if (status != COMPILE_NO_COMPILER) return status;
    snprintf(j->result->advice, sizeof j->result->advice, "%s", install);
    if (forced && !strcmp(forced, "none"))
        return job_problem(j, status, "CUDA C needs a compiler, and WARPSTEP_COMPILER=none asks for none.");
    if (!known) {
        snprintf(j->result->advice, sizeof j->result->advice, "WARPSTEP_COMPILER is nvrtc, nvcc, clang or none.");
        return job_problem(j, status, "There is no compiler called \"%.40s\".", forced);
    }
    if (!forced) job_problem(j, status, "CUDA C needs a compiler: NVRTC, nvcc or clang; none of them is found.");
    return status;
}

enum compile_status compile_ptx(const compile_request *request, compile_result *result)
{
    job *j = calloc(1, sizeof *j);
    struct timespec from, to;
    memset(result, 0, sizeof *result);
    result->messages = calloc(1, 1);
    if (!j || !result->messages) {
        free(j);
        snprintf(result->problem, sizeof result->problem, NO_MEMORY);
        return result->status = COMPILE_FAILED;
    }
    size_t bytes = 0;
    char *text = NULL;
    compile_request with_text = *request; /* a file is read here, once: every compiler gets the same text */
    const int unread = request->text ? 0 : file_read(request->path, SOURCE_MAX, &text, &bytes);
    if (text) {
        with_text.text = text;
        with_text.text_bytes = bytes;
    }
    j->request = &with_text;
    j->result = result;
    j->name = request->path ? request->path : "input.cu";
    j->arch = request->arch ? request->arch : DEFAULT_ARCH;
    j->limits = (struct child_limits){.seconds = request->seconds > 0 ? request->seconds : COMPILE_SECONDS,
                                      .memory_bytes = COMPILER_MEMORY,
                                      .max_answer = PTX_MOST + (16 << 20)};
    if (request->sealed) {
        j->limits.memory_bytes = SEALED_MEMORY;
        j->limits.cpu_seconds = SEALED_SECONDS;
        j->limits.file_bytes = (size_t)SEALED_FILE_MIB << 20;
        j->limits.seal = CHILD_SHUT;
    }
    const char *slash = strrchr(j->name, '/');
    snprintf(j->source_dir, sizeof j->source_dir, "%.*s", slash ? slash == j->name ? 1 : (int)(slash - j->name) : 1,
             slash ? j->name : ".");
    const char *forced = request->compiler ? request->compiler : getenv("WARPSTEP_COMPILER");
    if (forced && !*forced) forced = NULL;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (!with_text.text)
        result->status =
            job_problem(j, COMPILE_FAILED, "%.300s cannot be read: %s.", request->path, plain_error(unread));
    else result->status = choose(j, forced);
    clock_gettime(CLOCK_MONOTONIC, &to);
    result->seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
    if (*j->dir) scratch_remove(j->dir, j->held);
    free(text);
    free(j);
    return result->status;
}

void compile_free(compile_result *result)
{
    free(result->ptx);
    free(result->messages);
    result->ptx = result->messages = NULL;
}
