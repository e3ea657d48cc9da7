/* compile.c: see compile.h. From the bottom up: finding files and compilers, the private folder, one function for each
 * compiler (try_nvrtc, try_nvcc, try_clang, a row each in `compilers`), and compile_ptx, which walks that table.
 *
 * A compiler's function returns COMPILE_NO_COMPILER when it is not there, and then the next row is asked. NVRTC accepts
 * device code only: a file that also holds host code, or includes the host's headers, goes on to the next compiler that
 * is there.
 */
#include "compile.h"
#include "child.h"
#include "embedded.h"
#include "words.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_SECONDS = 60, DEFAULT_ARCH = 75, PTX_MAX = 64 << 20, SOURCE_MAX = 16 << 20 };
#define COMPILER_MEMORY ((size_t)8 << 30)
#define SEALED_SECONDS 20 /* of processor time */
#define SEALED_MEMORY ((size_t)4 << 30)
#define HEADERS "sim/device/" /* where our headers lie in the table of embedded files */

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

static void addf(struct words *w, const char *fmt, ...) APP_PRINTF(2, 3);
static void addf(struct words *w, const char *fmt, ...)
{
    char text[PATH_MAX + 256];
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text)
        w->failed = true;
    else
        words_add(w, text);
}

static char *read_file(const char *path, size_t max, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (capacity - used < 65537) {
            capacity = capacity ? capacity * 2 : 1 << 18;
            char *grown = realloc(text, capacity);
            if (!grown) break;
            text = grown;
        }
        size_t n = fread(text + used, 1, 65536, f);
        used += n;
        if (used > max) {
            errno = EFBIG;
            break;
        }
        if (n == 0) {
            if (ferror(f)) break;
            fclose(f);
            text[used] = 0;
            *bytes = used;
            return text;
        }
    }
    int why = errno;
    fclose(f);
    free(text);
    errno = why;
    return NULL;
}

static bool write_file(const char *path, const char *head, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool ok = fputs(head, f) >= 0 && fwrite(data, 1, bytes, f) == bytes;
    return fclose(f) == 0 && ok;
}

static bool is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* The folders of CUDA toolkits, best first: what the environment names, then the usual place, newest version first. */
static void toolkits(struct words *out)
{
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *dir = getenv(variables[i]);
        if (dir && *dir) words_add(out, dir);
    }
    static const char *const places[] = {"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", "/usr/lib/cuda"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        glob_t g;
        if (glob(places[i], 0, NULL, &g) == 0) {
            struct words sorted = {0};
            for (size_t k = 0; k < g.gl_pathc; k++) words_add(&sorted, g.gl_pathv[k]);
            words_sort(&sorted);
            for (int k = sorted.count; k-- > 0;) words_add(out, sorted.v[k]);
            words_free(&sorted);
        }
        globfree(&g);
    }
}

/* Find a program in PATH. */
static bool in_path(const char *name, char *where, size_t size)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        int n = snprintf(where, size, "%.*s/%s", length ? (int)length : 1, length ? path : ".", name);
        if (n > 0 && (size_t)n < size && is_program(where)) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* ---- one compilation under way ---- */

typedef struct job {
    const compile_request *request;
    compile_result *result;
    const char *name; /* of the source, for messages and line information */
    char source_dir[PATH_MAX];
    char dir[PATH_MAX];   /* the private folder; "" until something needs it */
    char input[PATH_MAX]; /* a file that holds the source; "" until something needs it */
    int arch;
    struct child_limits limits;
} job;

static enum compile_status problem(job *j, enum compile_status status, const char *fmt, ...) APP_PRINTF(3, 4);
static enum compile_status problem(job *j, enum compile_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(j->result->problem, sizeof j->result->problem, fmt, args);
    va_end(args);
    return status;
}

static void set_messages(job *j, const char *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    if (!copy) return;
    memcpy(copy, text ? text : "", text ? bytes : 0);
    copy[text ? bytes : 0] = 0;
    free(j->result->messages);
    j->result->messages = copy;
}

/* Make the private folder, with our headers in it and, for a source that is only text, a file that holds it. The #line
 * keeps its own name in messages and line information. */
static bool make_folder(job *j)
{
    if (*j->dir) return true;
    const char *base = getenv("TMPDIR");
    if (!base || !*base) base = "/tmp";
    int n = snprintf(j->dir, sizeof j->dir - 64, "%s/warpstep-XXXXXX", base);
    if (n < 0 || (size_t)n >= sizeof j->dir - 64 || !mkdtemp(j->dir)) {
        problem(j, COMPILE_FAILED, "No temporary folder can be made in %.300s: %s.", base, strerror(errno));
        j->dir[0] = 0;
        return false;
    }
    bool ok = true;
    for (const embedded_file *f = embedded_files; f->name; f++) {
        if (strncmp(f->name, HEADERS, strlen(HEADERS))) continue;
        char *path = text_of("%s/%s", j->dir, f->name + strlen(HEADERS));
        char *slash = path ? strchr(path + strlen(j->dir) + 1, '/') : NULL;
        if (slash) { /* at most one folder deep */
            *slash = 0;
            mkdir(path, 0700);
            *slash = '/';
        }
        ok = path && write_file(path, "", f->text, f->bytes) && ok;
        free(path);
    }
    if (j->request->text) {
        snprintf(j->input, sizeof j->input, "%.*s/input.cu", (int)sizeof j->input - 16, j->dir);
        char *line = text_of("#line 1 \"%s\"\n", j->name);
        ok = line && !strpbrk(j->name, "\"\\\n") &&
             write_file(j->input, line, j->request->text, j->request->text_bytes) && ok;
        free(line);
    } else {
        snprintf(j->input, sizeof j->input, "%s%s", j->request->path[0] == '-' ? "./" : "", j->request->path);
    }
    if (!ok) problem(j, COMPILE_FAILED, "The temporary folder %.300s cannot be written.", j->dir);
    return ok;
}

/* The folder is ours alone and at most two deep (nvcc's own temporary files are in it too, through TMPDIR). Links are
 * not followed: what cannot be unlinked and is no folder of ours stays, and so does the folder then. */
static void remove_folder(const char *dir, int depth)
{
    char pattern[PATH_MAX + 64];
    glob_t g;
    int n = snprintf(pattern, sizeof pattern, "%s/*", dir);
    if (n > 0 && (size_t)n < sizeof pattern && glob(pattern, GLOB_PERIOD, NULL, &g) == 0) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            const char *path = g.gl_pathv[i], *name = strrchr(path, '/') + 1;
            struct stat s;
            if (!strcmp(name, ".") || !strcmp(name, "..") || lstat(path, &s)) continue;
            if (S_ISDIR(s.st_mode) && depth > 0)
                remove_folder(path, depth - 1);
            else
                unlink(path);
        }
        globfree(&g);
    }
    rmdir(dir);
}

/* What the end of a compiler's process means when it is not that it ran to its end. */
static enum compile_status ended(job *j, const char *what, const struct child_result *r)
{
    if (r->end == CHILD_INTERRUPTED) return problem(j, COMPILE_INTERRUPTED, "%s was interrupted.", what);
    if (j->request->sealed && r->end == CHILD_CRASHED) {
        snprintf(j->result->advice, sizeof j->result->advice,
                 "Look for macros, templates or arrays that grow without end; WARPSTEP_COMPILER chooses another "
                 "compiler.");
        return problem(j, COMPILE_FAILED, "%s did not come to an end within %d s of processor time and %d GiB: %s.",
                       what, SEALED_SECONDS, (int)(SEALED_MEMORY >> 30), r->message);
    }
    snprintf(j->result->advice, sizeof j->result->advice,
             "WARPSTEP_COMPILER=nvrtc, nvcc or clang chooses another compiler.");
    return problem(j, COMPILE_FAILED, "%s: %s.", what, r->message);
}

/* Run a compiler that leaves its PTX in `output`. */
static enum compile_status run_program(job *j, const char *what, struct words *argv, const char *output)
{
    if (argv->failed) return problem(j, COMPILE_FAILED, "Out of memory, or a path is too long.");
    struct child_result r;
    child_exec(&j->limits, argv->v, &r);
    set_messages(j, r.answer, r.bytes);
    enum compile_status status;
    if (r.end != CHILD_DONE) {
        status = ended(j, what, &r);
    } else if (r.status != 0) {
        status = COMPILE_REJECTED;
    } else {
        j->result->ptx = read_file(output, PTX_MAX, &j->result->ptx_bytes);
        status =
            j->result->ptx ? COMPILE_DONE : problem(j, COMPILE_FAILED, "%s left no PTX: %s.", what, strerror(errno));
    }
    child_free(&r);
    return status;
}

/* The first line of what a program prints that contains `sign`, from there on; "" when it prints none. */
static bool ask(const char *program, const char *option, const char *sign, char *line, size_t size)
{
    char *argv[] = {NULL, NULL, NULL};
    struct child_limits limits = {.seconds = 10, .memory_bytes = COMPILER_MEMORY, .max_answer = 1 << 20};
    struct child_result r;
    bool found = false;
    argv[0] = text_of("%s", program);
    argv[1] = text_of("%s", option);
    if (argv[0] && argv[1] && child_exec(&limits, argv, &r) == EXIT_DONE) {
        const char *at = r.answer ? strstr(r.answer, sign) : NULL;
        if (at) {
            snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
            found = true;
        }
        child_free(&r);
    }
    free(argv[0]);
    free(argv[1]);
    return found;
}

/* ---- NVRTC ---- */

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

/* ISO C has no conversion from dlsym's void * to a function pointer; POSIX promises that copying the bits works. */
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

/* Where scripts/get-compiler puts NVIDIA's wheel. */
static void own_nvrtc(struct words *out)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/')
        addf(out, "%s/warpstep/nvrtc/nvidia/cuda_nvrtc", data);
    else if (home && *home == '/')
        addf(out, "%s/.local/share/warpstep/nvrtc/nvidia/cuda_nvrtc", home);
}

/* Only ever called in a child: the library is large, and its code is not ours. */
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
    if (!found) toolkits(&homes);
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

/* What the child says before the texts themselves. */
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

/* The host's headers that device code may well include: NVRTC has no files of them, so one of ours stands for them all.
 */
static const char *const host_headers[] = {"stdio.h", "stdlib.h", "string.h", "math.h",  "assert.h", "stdint.h",
                                           "limits.h", "float.h", "time.h",   "cstdio",  "cstdlib",  "cstring",
                                           "cmath",   "cassert",  "cstdint",  "climits", "cfloat",   "ctime"};
enum { HOST_HEADERS = sizeof host_headers / sizeof *host_headers };

/* Headers by name for `#include`: ours, unless the toolkit's folder has one of that name. */
static void nvrtc_headers(const char *toolkit, struct words *names, const char **texts)
{
    int count = 0;
    for (const embedded_file *f = embedded_files; f->name; f++) {
        if (strncmp(f->name, HEADERS, strlen(HEADERS))) continue;
        const char *name = f->name + strlen(HEADERS);
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

/* The folder of the toolkit's headers, "" when there is none; or when WARPSTEP_HEADERS is "own", and then NVRTC finds ours. */
static void toolkit_include(char *dir, size_t size)
{
    struct words homes = {0};
    const char *which = getenv("WARPSTEP_HEADERS");
    dir[0] = 0;
    if (which && !strcmp(which, "own")) return;
    toolkits(&homes);
    bool found = false;
    for (int h = 0; h < homes.count && !found; h++) {
        char path[PATH_MAX];
        snprintf(dir, size, "%s/include", homes.v[h]);
        int length = snprintf(path, sizeof path, "%s/cooperative_groups.h", dir);
        found = length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
    }
    if (!found && size) dir[0] = 0;
    words_free(&homes);
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
    addf(&options, "--gpu-architecture=compute_%d", j->arch);
    words_add(&options, "--generate-line-info");
    words_add(&options, "--std=c++17");
    if (!j->request->sealed) addf(&options, "-I%s", j->source_dir);
    if (*toolkit) {
        addf(&options, "-I%s", toolkit);
        addf(&options, "-I%s/cccl", toolkit); /* since 13 the C++ library has a folder of its own */
    }
    for (const char *const *d = j->request->defines; d && *d; d++) addf(&options, "-D%s", *d);

    nvrtc_handle program = NULL;
    int code = !texts || names.failed || options.failed
                   ? 1 /* out of memory */
                   : n.create(&program, j->request->text, j->name, names.count, texts, (const char *const *)names.v);
    if (code == 0) code = n.compile(program, options.count, (const char *const *)options.v);
    a.state = code == 0 ? 'o' : code == 6 /* NVRTC_ERROR_COMPILATION */ ? 'r' : 'f';
    if (program && n.log_size(program, &a.log) == 0 && a.log && (log = malloc(a.log)) && n.log(program, log) == 0)
        a.log = strnlen(log, a.log);
    else
        a.log = 0;
    if (a.state == 'f' && !a.log) {
        free(log);
        log = text_of("%s", n.error(code));
        a.log = log ? strlen(log) : 0;
    }
    if (a.state == 'o') {
        if (n.ptx_size(program, &a.ptx) == 0 && a.ptx && (ptx = malloc(a.ptx)) && n.ptx(program, ptx) == 0)
            a.ptx = strnlen(ptx, a.ptx);
        else
            a.state = 'f', a.ptx = 0;
    }
    bool ok = child_put(c, &a, sizeof a) && child_put(c, ptx, a.ptx) && child_put(c, log, a.log);
    free(log), free(ptx), free(texts);
    words_free(&names), words_free(&options);
    return ok ? 0 : 1;
}

static enum compile_status try_nvrtc(job *j)
{
    struct child_result r;
    nvrtc_answer a;
    /* NVRTC takes text: a file is read here, once, and is then text for the child. */
    size_t bytes = 0;
    char *text = NULL;
    compile_request with_text = *j->request;
    const compile_request *old = j->request;
    if (!old->text) {
        if (!(text = read_file(old->path, SOURCE_MAX, &bytes)))
            return problem(j, COMPILE_FAILED, "%s cannot be read: %s.", old->path, strerror(errno));
        with_text.text = text;
        with_text.text_bytes = bytes;
        j->request = &with_text;
    }
    struct child_limits limits = j->limits;
    if (old->sealed) limits.seal = CHILD_ALONE; /* a library: it starts no programs and writes no files */
    child_run(&limits, nvrtc_work, j, &r);
    j->request = old;
    free(text);

    enum compile_status status;
    if (r.end != CHILD_DONE) {
        status = ended(j, "NVRTC", &r);
    } else if (r.status != 0 || r.bytes < sizeof a) {
        status = problem(j, COMPILE_FAILED, "NVRTC ended without an answer.");
    } else {
        memcpy(&a, r.answer, sizeof a);
        const char *rest = r.answer + sizeof a;
        size_t left = r.bytes - sizeof a;
        snprintf(j->result->compiler, sizeof j->result->compiler, "NVRTC %d.%d", a.major, a.minor);
        if (a.state == 'n' || a.ptx > left || a.log > left - a.ptx) {
            status = problem(j, COMPILE_NO_COMPILER, "libnvrtc cannot be loaded.");
        } else {
            set_messages(j, rest + a.ptx, a.log);
            status = a.state == 'o' ? COMPILE_DONE : COMPILE_REJECTED;
            if (a.state == 'o') {
                /* The bytes start at the answer's front once the header is moved away. */
                memmove(r.answer, rest, a.ptx);
                r.answer[a.ptx] = 0;
                j->result->ptx = r.answer;
                j->result->ptx_bytes = a.ptx;
                r.answer = NULL;
            } else if (a.state == 'f') {
                status = problem(j, COMPILE_FAILED, "NVRTC failed: %.200s.", j->result->messages);
            }
        }
    }
    child_free(&r);
    return status;
}

static void find_nvrtc(compile_found *f)
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
    if (f->usable)
        snprintf(f->version, sizeof f->version, "NVRTC %d.%d", a.major, a.minor);
    else
        snprintf(f->version, sizeof f->version, "libnvrtc.so is not found");
}

/* ---- nvcc ---- */

static bool nvcc_path(char *where, size_t size)
{
    struct words homes = {0};
    bool found = in_path("nvcc", where, size);
    if (!found) toolkits(&homes);
    for (int h = 0; h < homes.count && !found; h++) {
        int n = snprintf(where, size, "%s/bin/nvcc", homes.v[h]);
        found = n > 0 && (size_t)n < size && is_program(where);
    }
    words_free(&homes);
    return found;
}

static enum compile_status try_nvcc(job *j)
{
    char nvcc[PATH_MAX], output[PATH_MAX + 16];
    if (!nvcc_path(nvcc, sizeof nvcc)) return problem(j, COMPILE_NO_COMPILER, "nvcc is not found.");
    snprintf(j->result->compiler, sizeof j->result->compiler, "nvcc");
    if (!make_folder(j)) return COMPILE_FAILED;
    struct words argv = {0};
    words_add(&argv, "env"); /* nvcc's own temporary files go where ours go */
    addf(&argv, "TMPDIR=%s", j->dir);
    words_add(&argv, nvcc);
    words_add(&argv, "-ptx");
    words_add(&argv, "-lineinfo");
    addf(&argv, "-arch=compute_%d", j->arch);
    words_add(&argv, "-std=c++17");
    words_add(&argv, "-x");
    words_add(&argv, "cu");
    if (!j->request->sealed) addf(&argv, "-I%s", j->source_dir);
    for (const char *const *d = j->request->defines; d && *d; d++) addf(&argv, "-D%s", *d);
    words_add(&argv, "-o");
    snprintf(output, sizeof output, "%s/out.ptx", j->dir);
    words_add(&argv, output);
    words_add(&argv, j->input);
    enum compile_status status = run_program(j, "nvcc", &argv, output);
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
    if (!nvcc_path(path, sizeof path)) return;
    snprintf(f->where, sizeof f->where, "%.511s", path);
    f->usable = ask(path, "--version", ", V", line, sizeof line);
    if (f->usable)
        snprintf(f->version, sizeof f->version, "nvcc %.100s", line + 3);
    else
        snprintf(f->version, sizeof f->version, "it does not run");
}

/* ---- clang ---- */

/* The first clang that can make PTX. Distributions call them clang, clang-19, clang-14 ... */
static bool clang_path(char *where, size_t size)
{
    char line[160], name[16];
    for (int version = 0; version <= 30; version++) {
        snprintf(name, sizeof name, version ? "clang-%d" : "clang", 31 - version);
        if (in_path(name, where, size) && ask(where, "-print-targets", "nvptx64", line, sizeof line)) return true;
    }
    return false;
}

static enum compile_status try_clang(job *j)
{
    char clang[PATH_MAX], output[PATH_MAX + 16];
    if (!clang_path(clang, sizeof clang))
        return problem(j, COMPILE_NO_COMPILER, "No clang that can make PTX is found.");
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
    addf(&argv, "--cuda-gpu-arch=sm_%d", j->arch);
    words_add(&argv, "-Xclang");
    words_add(&argv, "-target-feature");
    words_add(&argv, "-Xclang");
    addf(&argv, "+ptx%d", j->arch <= 75 ? 63 : j->arch <= 80 ? 70 : j->arch <= 86 ? 71 : 78);
    words_add(&argv, "-O3");
    words_add(&argv, "-std=c++17");
    words_add(&argv, "-gline-tables-only");
    words_add(&argv, "-ffp-contract=fast"); /* as nvcc does */
    if (!j->request->sealed) addf(&argv, "-I%s", j->source_dir);
    addf(&argv, "-isystem%s", j->dir);
    words_add(&argv, "-include");
    words_add(&argv, "warpstep.h"); /* found in the -isystem folder: no warnings about it */
    for (const char *const *d = j->request->defines; d && *d; d++) addf(&argv, "-D%s", *d);
    words_add(&argv, "-S");
    words_add(&argv, "-o");
    snprintf(output, sizeof output, "%s/out.ptx", j->dir);
    words_add(&argv, output);
    words_add(&argv, j->input);
    enum compile_status status = run_program(j, "clang", &argv, output);
    words_free(&argv);
    return status;
}

static void find_clang(compile_found *f)
{
    char path[PATH_MAX];
    snprintf(f->version, sizeof f->version, "no clang that can make PTX is in PATH");
    if (!clang_path(path, sizeof path)) return;
    snprintf(f->where, sizeof f->where, "%.511s", path);
    f->usable = ask(path, "--version", "", f->version, sizeof f->version);
}

/* ---- choosing ---- */

static const struct compiler {
    const char *kind;
    enum compile_status (*compile)(job *j);
    void (*find)(compile_found *f);
} compilers[COMPILE_KINDS] = {
    {"nvrtc", try_nvrtc, find_nvrtc},
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

/* NVRTC says so when a file holds more than it takes: host functions, launches, the host's headers. */
static bool needs_another(const compile_result *r)
{
    static const char *const signs[] = {"JIT mode", "open source file", "not allowed in NVRTC", "<<<"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(r->messages, signs[i])) return true;
    return false;
}

static const char install[] = "scripts/get-compiler installs one: clang, or NVIDIA's NVRTC for you alone. NVIDIA's CUDA "
                              "toolkit will do too. A .ptx file runs without any compiler.";

static enum compile_status choose(job *j, const char *forced)
{
    enum compile_status status = COMPILE_NO_COMPILER;
    compile_result first = {.status = COMPILE_NO_COMPILER}; /* NVRTC's refusal, shown when no other compiler is there */
    bool known = !forced;
    for (int i = 0; i < COMPILE_KINDS; i++) {
        if (forced && strcmp(forced, compilers[i].kind)) continue;
        known = true;
        status = compilers[i].compile(j);
        if (status == COMPILE_NO_COMPILER) continue;
        if (i > 0 || forced || status != COMPILE_REJECTED || !needs_another(j->result)) break;
        first = *j->result;
        memset(j->result, 0, sizeof *j->result);
        set_messages(j, "", 0);
        first.status = status;
        status = COMPILE_NO_COMPILER;
    }
    if (status == COMPILE_NO_COMPILER && first.messages) {
        compile_free(j->result);
        *j->result = first;
        return first.status;
    }
    free(first.messages);
    if (status != COMPILE_NO_COMPILER) return status;
    snprintf(j->result->advice, sizeof j->result->advice, "%s", install);
    if (forced && !strcmp(forced, "none"))
        return problem(j, status, "CUDA C needs a compiler, and WARPSTEP_COMPILER=none asks for none.");
    if (!known) {
        snprintf(j->result->advice, sizeof j->result->advice, "WARPSTEP_COMPILER is nvrtc, nvcc, clang or none.");
        return problem(j, status, "There is no compiler called \"%.40s\".", forced);
    }
    if (!forced) problem(j, status, "CUDA C needs a compiler: NVRTC, nvcc or clang; none of them is found.");
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
        snprintf(result->problem, sizeof result->problem, "Out of memory.");
        return result->status = COMPILE_FAILED;
    }
    j->request = request;
    j->result = result;
    j->name = request->path ? request->path : "input.cu";
    j->arch = request->arch ? request->arch : DEFAULT_ARCH;
    j->limits = (struct child_limits){.seconds = request->seconds > 0 ? request->seconds : DEFAULT_SECONDS,
                                      .memory_bytes = COMPILER_MEMORY,
                                      .max_answer = PTX_MAX + (16 << 20)};
    if (request->sealed) {
        j->limits.memory_bytes = SEALED_MEMORY;
        j->limits.cpu_seconds = SEALED_SECONDS;
        j->limits.file_bytes = (size_t)256 << 20;
        j->limits.seal = CHILD_SHUT;
    }
    const char *slash = strrchr(j->name, '/');
    snprintf(j->source_dir, sizeof j->source_dir, "%.*s", slash ? slash == j->name ? 1 : (int)(slash - j->name) : 1,
             slash ? j->name : ".");
    const char *forced = request->compiler ? request->compiler : getenv("WARPSTEP_COMPILER");
    if (forced && !*forced) forced = NULL;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (!request->text && access(request->path, R_OK))
        result->status = problem(j, COMPILE_FAILED, "%.300s cannot be read: %s.", request->path, strerror(errno));
    else
        result->status = choose(j, forced);
    clock_gettime(CLOCK_MONOTONIC, &to);
    result->seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
    if (*j->dir) remove_folder(j->dir, 1);
    free(j);
    return result->status;
}

void compile_free(compile_result *result)
{
    free(result->ptx);
    free(result->messages);
    result->ptx = result->messages = NULL;
}
