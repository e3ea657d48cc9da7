/* library.c: see library.h. */
#include "library.h"
#include "device/toolkit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCE "tests/bench/gpu/cub.cu"

/* ---- cuBLAS ---- */

enum { TYPE_F32 = 0, TYPE_BF16 = 14, COMPUTE_F32 = 68, COMPUTE_TF32 = 77, PLAIN = 0, TURNED = 1, ANY_ALGORITHM = -1 };

typedef int blas_create(void **handle);
typedef int blas_set_stream(void *handle, void *stream);
typedef int blas_gemm(void *handle, int turn_a, int turn_b, int m, int n, int k, const void *alpha, const void *a,
                      int a_type, int lda, const void *b, int b_type, int ldb, const void *beta, void *c, int c_type,
                      int ldc, int compute, int algorithm);

static struct {
    bool tried;
    char why[300];
    void *handle;
    blas_set_stream *set_stream;
    blas_gemm *gemm;
} blas;

static void *open_blas(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12"};
    struct words folders = {0};
    toolkit_folders(&folders);
    void *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        for (int f = 0; f < folders.count && !found; f++) {
            char path[1200];
            snprintf(path, sizeof path, "%.1000s/lib64/%s", folders.v[f], names[i]);
            found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    words_free(&folders);
    return found;
}

static bool has_blas(char *why, size_t size)
{
    if (!blas.tried) {
        blas.tried = true;
        void *lib = open_blas(), *create = lib ? dlsym(lib, "cublasCreate_v2") : NULL;
        void *stream = lib ? dlsym(lib, "cublasSetStream_v2") : NULL, *gemm = lib ? dlsym(lib, "cublasGemmEx") : NULL;
        blas_create *make = NULL;
        memcpy(&make, &create, sizeof make);
        memcpy(&blas.set_stream, &stream, sizeof stream);
        memcpy(&blas.gemm, &gemm, sizeof gemm);
        int code = 0;
        if (!lib) snprintf(blas.why, sizeof blas.why, "libcublas.so.13 and .12 are not on this computer");
        else if (!make || !stream || !gemm) snprintf(blas.why, sizeof blas.why, "this libcublas lacks a function");
        else if ((code = make(&blas.handle)))
            snprintf(blas.why, sizeof blas.why, "cuBLAS does not start: its error %d", code);
    }
    snprintf(why, size, "%s", blas.why);
    return blas.handle != NULL;
}

/* cuBLAS counts columns first. To it our rows are columns, so it computes the transposed product: B's by A's. */
static int product(const library_work *w)
{
    static const float one = 1, zero = 0;
    const bool half = w->call == PRODUCT_BF16;
    const int n = (int)w->n, pitch = (int)w->pitch, in = half ? TYPE_BF16 : TYPE_F32;
    const int out = w->half_out ? TYPE_BF16 : TYPE_F32;
    int code = blas.set_stream(blas.handle, w->stream);
    if (code) return code;
    return blas.gemm(blas.handle, w->second_turned ? TURNED : PLAIN, PLAIN, n, n, n, &one,
                     (const void *)(uintptr_t)w->second, in, pitch, (const void *)(uintptr_t)w->in, in, pitch, &zero,
                     (void *)(uintptr_t)w->out, out, pitch, w->call == PRODUCT_TF32 ? COMPUTE_TF32 : COMPUTE_F32,
                     ANY_ALGORITHM);
}

/* ---- CUB ---- */

typedef int cub_call(void *temp, size_t *bytes, const void *in, const void *values, void *out, void *more, long long n,
                     void *stream);

static struct {
    pid_t compiler;                /* 0: none runs */
    char file[1100], log[1100];    /* the library, and what the compiler says */
    char why[300];
    cub_call *call;
} cub[LIBRARY_CALLS];
static const char *const cub_names[LIBRARY_CALLS] = {[SORT_KEYS] = "SORT_KEYS",
                                                     [SORT_PAIRS] = "SORT_PAIRS",
                                                     [SCAN] = "SCAN",
                                                     [FILTER] = "FILTER",
                                                     [SQUARES] = "SQUARES"};

static bool is_newer(const char *file, const char *than)
{
    struct stat a, b;
    return !stat(file, &a) && !stat(than, &b) && a.st_mtime > b.st_mtime;
}

void library_start(const char *folder, int major, int minor, const bool wanted[LIBRARY_CALLS])
{
    char nvcc[1024], arch[32], define[48];
    const bool has = toolkit_nvcc(nvcc, sizeof nvcc);
    snprintf(arch, sizeof arch, "-arch=sm_%d%d", major, minor);
    mkdir(folder, 0777);
    for (int i = 0; i < LIBRARY_CALLS; i++) {
        if (!cub_names[i] || !wanted[i]) continue;
        snprintf(cub[i].file, sizeof cub[i].file, "%.900s/cub-%s-sm_%d%d.so", folder, cub_names[i], major, minor);
        snprintf(cub[i].log, sizeof cub[i].log, "%.900s/cub-%s.log", folder, cub_names[i]);
        if (is_newer(cub[i].file, SOURCE)) continue;
        if (!has) {
            snprintf(cub[i].why, sizeof cub[i].why, "CUB is compiled by nvcc, which is not on this computer");
            continue;
        }
        snprintf(define, sizeof define, "-D%s", cub_names[i]);
        char part[1110];
        snprintf(part, sizeof part, "%s.part", cub[i].file);
        cub[i].compiler = fork();
        if (cub[i].compiler > 0) setpgid(cub[i].compiler, cub[i].compiler); /* nvcc starts others */
        if (cub[i].compiler < 0) snprintf(cub[i].why, sizeof cub[i].why, "no process could be started for nvcc");
        if (cub[i].compiler) continue;
        setpgid(0, 0);
        int log = open(cub[i].log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (log >= 0) dup2(log, STDOUT_FILENO), dup2(log, STDERR_FILENO);
        execl(nvcc, nvcc, "-O3", "-std=c++17", "-w", arch, define, "-shared", "-Xcompiler", "-fPIC", "-o", part, SOURCE,
              (char *)NULL);
        _exit(127);
    }
}

static bool has_cub(enum library_call call, char *why, size_t size)
{
    if (cub[call].compiler > 0) {
        char part[1110];
        int status = 0;
        snprintf(part, sizeof part, "%s.part", cub[call].file);
        waitpid(cub[call].compiler, &status, 0);
        cub[call].compiler = 0;
        if (status || rename(part, cub[call].file))
            snprintf(cub[call].why, sizeof cub[call].why, "nvcc did not compile CUB; it says why in its log");
    }
    if (!cub[call].call && !cub[call].why[0]) {
        void *lib = dlopen(cub[call].file, RTLD_NOW | RTLD_LOCAL), *found = lib ? dlsym(lib, "call") : NULL;
        if (found) memcpy(&cub[call].call, &found, sizeof found);
        else snprintf(cub[call].why, sizeof cub[call].why, "CUB, as compiled here, cannot be opened");
    }
    snprintf(why, size, "%s", cub[call].why);
    return cub[call].call != NULL;
}

void library_end(void)
{
    for (int i = 0; i < LIBRARY_CALLS; i++)
        if (cub[i].compiler > 0) {
            kill(-cub[i].compiler, SIGTERM);
            waitpid(cub[i].compiler, NULL, 0);
            cub[i].compiler = 0;
        }
}

/* ---- both ---- */

bool library_has(enum library_call call, char *why, size_t size)
{
    return cub_names[call] ? has_cub(call, why, size) : has_blas(why, size);
}

const char *library_name(enum library_call call) { return cub_names[call] ? "CUB" : "cuBLAS"; }

int library_scratch(library_work *w)
{
    w->temp_bytes = 0;
    return cub_names[w->call] ? cub[w->call].call(NULL, &w->temp_bytes, NULL, NULL, NULL, NULL, w->n, w->stream) : 0;
}

int library_run(const library_work *w)
{
    if (!cub_names[w->call]) return product(w);
    size_t bytes = w->temp_bytes;
    return cub[w->call].call((void *)(uintptr_t)w->temp, &bytes, (const void *)(uintptr_t)w->in,
                             (const void *)(uintptr_t)w->second, (void *)(uintptr_t)w->out, (void *)(uintptr_t)w->more,
                             w->n, w->stream);
}
