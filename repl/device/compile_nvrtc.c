/* compile_nvrtc.c: NVRTC, NVIDIA's compiler as a library, loaded in a child. It gets the program
 * and our headers as texts, starts no programs and writes no files. */
#define _GNU_SOURCE /* dladdr */
#include "compile_job.h"
#include "shell/embedded.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct nvrtc_program *nvrtc_handle;
typedef struct nvrtc {
    void *library;
    char where[PATH_MAX];
    int major, minor;
    int (*version)(int *major, int *minor);
    int (*create)(nvrtc_handle *, const char *text, const char *name, int, const char *const *, const char *const *);
    int (*compile)(nvrtc_handle, int, const char *const *);
    int (*ptx_size)(nvrtc_handle, size_t *);
    int (*ptx)(nvrtc_handle, char *);
    int (*log_size)(nvrtc_handle, size_t *);
    int (*log)(nvrtc_handle, char *);
    const char *(*error)(int);
} nvrtc;

/* ISO C cannot convert dlsym's void * to a function pointer; POSIX guarantees that copying the bits
 * works. */
static bool symbol(void *library, const char *name, void *function)
{
    void *p = dlsym(library, name);
    memcpy(function, &p, sizeof p);
    return p != NULL;
}

static bool nvrtc_open_at(nvrtc *n, const char *path)
{
    snprintf(n->where, sizeof n->where, "%s", path);
    n->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return n->library && symbol(n->library, "nvrtcVersion", &n->version) &&
           symbol(n->library, "nvrtcCreateProgram", &n->create) &&
           symbol(n->library, "nvrtcCompileProgram", &n->compile) &&
           symbol(n->library, "nvrtcGetPTXSize", &n->ptx_size) && symbol(n->library, "nvrtcGetPTX", &n->ptx) &&
           symbol(n->library, "nvrtcGetProgramLogSize", &n->log_size) &&
           symbol(n->library, "nvrtcGetProgramLog", &n->log) && symbol(n->library, "nvrtcGetErrorString", &n->error) &&
           n->version(&n->major, &n->minor) == 0;
}

/* Where scripts/get-compiler installs NVIDIA's wheel. */
static void own_nvrtc(struct words *out)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/') toolkit_add(out, "%s/warpstep/nvrtc/nvidia/cuda_nvrtc", data);
    else if (home && *home == '/') toolkit_add(out, "%s/.local/share/warpstep/nvrtc/nvidia/cuda_nvrtc", home);
}

/* Called in a child only: the library is large, and its code is not ours. */
static bool nvrtc_open(nvrtc *n)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
    static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
    const size_t name_count = sizeof names / sizeof *names, folder_count = sizeof folders / sizeof *folders;
    bool found = false;
    memset(n, 0, sizeof *n);
    for (size_t i = 0; i < name_count && !found; i++) found = nvrtc_open_at(n, names[i]);
    struct words homes = {0};
    if (!found) own_nvrtc(&homes);
    if (!found) toolkit_folders(&homes);
    for (int h = 0; h < homes.count && !found; h++)
        for (size_t i = 0; i < name_count * folder_count && !found; i++) {
            char path[PATH_MAX];
            int length =
                snprintf(path, sizeof path, "%s/%s/%s", homes.v[h], folders[i / name_count], names[i % name_count]);
            found = length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0 && nvrtc_open_at(n, path);
        }
    words_free(&homes);
    return found;
}

/* The start of the child's answer, before the texts. */
typedef struct nvrtc_answer {
    char state; /* 'n' no library, 'o' done, 'r' rejected, 'f' failed (the log says why) */
    int major, minor;
    size_t ptx, log;
    char where[512];
} nvrtc_answer;

static int find_nvrtc_work(struct child *c, void *arg)
{
    (void)arg;
    nvrtc n;
    nvrtc_answer a = {.state = 'n'};
    if (nvrtc_open(&n)) {
        a.state = 'o', a.major = n.major, a.minor = n.minor;
        snprintf(a.where, sizeof a.where, "%.500s", n.where);
    }
    return child_put(c, &a, sizeof a) ? 0 : 1;
}

/* Host headers that device code often includes. NVRTC does not have them, so one header of ours
 * takes the place of each. */
static const char *const host_headers[] = {"stdio.h",  "stdlib.h", "string.h", "math.h",  "assert.h", "stdint.h",
                                           "limits.h", "float.h",  "time.h",   "cstdio",  "cstdlib",  "cstring",
                                           "cmath",    "cassert",  "cstdint",  "climits", "cfloat",   "ctime"};
enum { HOST_HEADERS = sizeof host_headers / sizeof *host_headers };

/* Headers by name for `#include`: ours, except those that the toolkit's folder has. */
static void nvrtc_headers(const char *toolkit, struct words *names, const char **texts)
{
    int count = 0;
    for (const embedded_file *f = embedded_files; f->name; f++) {
        if (strncmp(f->name, EMBEDDED_HEADERS, strlen(EMBEDDED_HEADERS))) continue;
        const char *name = f->name + strlen(EMBEDDED_HEADERS);
        if (!strcmp(name, "warpstep_rtc.h"))
            for (int i = 0; i < HOST_HEADERS; i++) {
                words_add(names, host_headers[i]);
                texts[count++] = f->text;
            }
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s/%s", toolkit, name);
        if (*toolkit && n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0) continue;
        words_add(names, name);
        texts[count++] = f->text;
    }
}

/* Adds the library's files: when it compiles, it opens one of them by name. */
static void add_parts(struct words *reads, const char *library)
{
    glob_t g;
    char pattern[PATH_MAX];
    const char *slash = library ? strrchr(library, '/') : NULL;
    if (!slash || strpbrk(library, "*?[\\")) return;
    int n = snprintf(pattern, sizeof pattern, "%.*s/libnvrtc*", (int)(slash - library), library);
    if (n > 0 && (size_t)n < sizeof pattern && glob(pattern, 0, NULL, &g) == 0) {
        for (size_t i = 0; i < g.gl_pathc; i++) words_add(reads, g.gl_pathv[i]);
        globfree(&g);
    }
}

/* From now on this process can read the library's files and the toolkit's headers, nothing else. */
static void seal_with(const nvrtc *n, const char *toolkit)
{
    struct words reads = {0};
    Dl_info self;
    void *version;
    memcpy(&version, &n->version, sizeof version);
    const char *called = dladdr(version, &self) ? self.dli_fname : NULL;
    char *where = called ? realpath(called, NULL) : NULL;
    toolkit_reads(&reads, NULL);
    if (*toolkit) words_add(&reads, toolkit);
    add_parts(&reads, called); /* under the name used, and under the one that links lead to */
    add_parts(&reads, where);
    seal_view view = {(const char *const *)reads.v, NULL};
    child_seal_now(CHILD_ALONE, &view);
    words_free(&reads);
    free(where);
}

static int nvrtc_work(struct child *c, void *arg)
{
    job *j = arg;
    nvrtc n;
    nvrtc_answer a = {.state = 'n'};
    if (!nvrtc_open(&n)) return child_put(c, &a, sizeof a) ? 0 : 1;
    a.major = n.major, a.minor = n.minor;

    char toolkit[PATH_MAX - 64], *log = NULL, *ptx = NULL;
    int header_count = 0;
    for (const embedded_file *f = embedded_files; f->name; f++) header_count++;
    struct words names = {0}, options = {0};
    const char **texts = calloc((size_t)header_count + HOST_HEADERS, sizeof *texts);
    toolkit_include(toolkit, sizeof toolkit);
    if (texts) nvrtc_headers(toolkit, &names, texts);
    if (j->request->sealed) seal_with(&n, toolkit);
    toolkit_add(&options, "--gpu-architecture=compute_%d%s", j->arch,
                j->arch == ARCH_90A && n.major >= CUDA_OF_90A ? "a" : "");
    words_add(&options, "--generate-line-info");
    words_add(&options, "--std=c++17");
    if (!j->request->sealed) toolkit_add(&options, "-I%s", j->source_dir);
    if (*toolkit) {
        toolkit_add(&options, "-I%s", toolkit);
        toolkit_add(&options, "-I%s/cccl", toolkit); /* since CUDA 13 the C++ library has a folder of its own */
    }
    for (const char *const *d = j->request->defines; d && *d; d++) toolkit_add(&options, "-D%s", *d);

    nvrtc_handle program = NULL;
    int code = !texts || names.failed || options.failed
                   ? 1 /* out of memory */
                   : n.create(&program, j->request->text, j->name, names.count, texts, (const char *const *)names.v);
    if (code == 0) code = n.compile(program, options.count, (const char *const *)options.v);
    a.state = code == 0 ? 'o' : code == 6 /* NVRTC_ERROR_COMPILATION */ ? 'r' : 'f';
    if (program && n.log_size(program, &a.log) == 0 && a.log && (log = malloc(a.log)) && n.log(program, log) == 0)
        a.log = strnlen(log, a.log);
    else a.log = 0;
    if (a.state == 'f' && !a.log) {
        free(log);
        log = strdup(n.error(code));
        a.log = log ? strlen(log) : 0;
    }
    if (a.state == 'o') {
        if (n.ptx_size(program, &a.ptx) == 0 && a.ptx && (ptx = malloc(a.ptx)) && n.ptx(program, ptx) == 0)
            a.ptx = strnlen(ptx, a.ptx);
        else a.state = 'f', a.ptx = 0;
    }
    bool ok = child_put(c, &a, sizeof a) && child_put(c, ptx, a.ptx) && child_put(c, log, a.log);
    free(log), free(ptx), free(texts);
    words_free(&names), words_free(&options);
    return ok ? 0 : 1;
}

enum compile_status compile_by_nvrtc(job *j)
{
    struct child_result r;
    nvrtc_answer a;
    struct child_limits limits = j->limits;
    limits.seal = CHILD_OPEN;             /* the child seals itself once the library is loaded */
    if (j->request->sealed) seal_files(); /* probed once here, not in each child */
    child_run(&limits, nvrtc_work, j, &r);

    enum compile_status status;
    if (r.end != CHILD_DONE) {
        status = job_ended(j, "NVRTC", &r);
    } else if (r.status != 0 || r.bytes < sizeof a) {
        status = job_problem(j, COMPILE_FAILED, "NVRTC ended without an answer.");
    } else {
        memcpy(&a, r.answer, sizeof a);
        const char *rest = r.answer + sizeof a;
        size_t left = r.bytes - sizeof a;
        snprintf(j->result->compiler, sizeof j->result->compiler, "NVRTC %d.%d", a.major, a.minor);
        if (a.state == 'n' || a.ptx > left || a.log > left - a.ptx) {
            status = job_problem(j, COMPILE_NO_COMPILER, "libnvrtc cannot be loaded.");
        } else {
            job_messages(j, rest + a.ptx, a.log);
            status = a.state == 'o' ? COMPILE_DONE : COMPILE_REJECTED;
            if (a.state == 'o') {
                /* The PTX moves to the front of the answer, over the header. */
                memmove(r.answer, rest, a.ptx);
                r.answer[a.ptx] = 0;
                j->result->ptx = r.answer;
                j->result->ptx_bytes = a.ptx;
                r.answer = NULL;
            } else if (a.state == 'f') {
                status = job_problem(j, COMPILE_FAILED, "NVRTC failed: %.200s.", j->result->messages);
            }
        }
    }
    child_free(&r);
    return status;
}

void compile_find_nvrtc(compile_found *f)
{
    struct child_limits limits = {.seconds = 10, .memory_bytes = COMPILER_MEMORY, .max_answer = 1 << 16};
    struct child_result r;
    nvrtc_answer a = {.state = 'n'};
    if (child_run(&limits, find_nvrtc_work, NULL, &r) == EXIT_DONE && r.bytes == sizeof a)
        memcpy(&a, r.answer, sizeof a);
    child_free(&r);
    a.where[sizeof a.where - 1] = 0;
    f->usable = a.state == 'o';
    snprintf(f->where, sizeof f->where, "%s", a.where);
    if (f->usable) snprintf(f->version, sizeof f->version, "NVRTC %d.%d", a.major, a.minor);
    else snprintf(f->version, sizeof f->version, "libnvrtc.so is not found");
}

bool compile_is_host_code(const compile_result *r)
{
    static const char *const signs[] = {"JIT mode", "open source file", "not allowed in NVRTC", "<<<"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(r->messages, signs[i])) return true;
    return false;
}
