/* toolkit.c: finds compilers and the files that they read; see toolkit.h. */
#include "toolkit.h"

#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void toolkit_add(struct words *out, const char *fmt, ...)
{
    char text[PATH_MAX + 256];
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text) out->failed = true;
    else words_add(out, text);
}

static bool is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* Adds the matches, sorted by the numbers in them, largest last. */
static void add_matching(struct words *out, const char *pattern)
{
    glob_t g;
    if (glob(pattern, 0, NULL, &g) == 0)
        for (size_t k = 0; k < g.gl_pathc; k++) words_add(out, g.gl_pathv[k]);
    globfree(&g);
    words_sort(out);
}

bool toolkit_program(const char *name, char *where, size_t size)
{
    const char *path = getenv("PATH");
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) here[0] = 0;
    while (path && *path) {
        int length = (int)strcspn(path, ":");
        int n = *path == '/'
                    ? snprintf(where, size, "%.*s/%s", length, path, name)
                    : snprintf(where, size, "%s/%.*s/%s", here, length ? length : 1, length ? path : ".", name);
        if (n > 0 && (size_t)n < size && is_program(where)) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

void toolkit_folders(struct words *out)
{
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *dir = getenv(variables[i]);
        char here[PATH_MAX];
        if (dir && *dir == '/') words_add(out, dir);
        else if (dir && *dir && getcwd(here, sizeof here)) toolkit_add(out, "%s/%s", here, dir);
    }
    static const char *const places[] = {"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", "/usr/lib/cuda"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct words sorted = {0};
        add_matching(&sorted, places[i]);
        for (int k = sorted.count; k-- > 0;) words_add(out, sorted.v[k]);
        words_free(&sorted);
    }
}

bool toolkit_nvcc(char *where, size_t size)
{
    struct words homes = {0};
    bool found = toolkit_program("nvcc", where, size);
    if (!found) toolkit_folders(&homes);
    for (int h = 0; h < homes.count && !found; h++) {
        int n = snprintf(where, size, "%s/bin/nvcc", homes.v[h]);
        found = n > 0 && (size_t)n < size && is_program(where);
    }
    words_free(&homes);
    return found;
}

void toolkit_include(char *dir, size_t size)
{
    struct words homes = {0};
    const char *which = getenv("WARPSTEP_HEADERS");
    dir[0] = 0;
    if (which && !strcmp(which, "own")) return;
    toolkit_folders(&homes);
    for (int h = 0; h < homes.count && !*dir; h++) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s/include/cooperative_groups.h", homes.v[h]);
        if (n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0) snprintf(dir, size, "%s/include", homes.v[h]);
    }
    words_free(&homes);
}

/* ---- files that compilers read ---- */

/* Folders that a system itself fills: users' files are elsewhere. */
static const char *const system_places[] = {
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/libexec",
    "/usr/include",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/local/include",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/alternatives",
    "/dev/urandom",
};

/* A program in PREFIX/bin has its other parts in these folders. PREFIX as a whole is never added,
 * as it may be a home folder. */
static const char *const parts[] = {"bin",  "lib",     "lib32",   "lib64",    "libexec",
                                    "nvvm", "include", "targets", "*-linux*", "sysroot"};

static void add_program(struct words *out, const char *path)
{
    char folder[PATH_MAX], pattern[PATH_MAX + 16];
    words_add(out, path);
    size_t n = strlen(path);
    if (n >= sizeof folder) return;
    memcpy(folder, path, n + 1);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) return;
    *slash = 0; /* PREFIX/bin */
    slash = strrchr(folder, '/');
    if (!slash || slash == folder || strcmp(slash, "/bin")) return;
    *slash = 0;
    if (!strcmp(folder, "/usr") || strpbrk(folder, "*?[\\")) return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s", folder, parts[i]);
        struct words found = {0};
        add_matching(&found, pattern);
        for (int k = 0; k < found.count; k++) words_add(out, found.v[k]);
        words_free(&found);
    }
}

/* Adds the path as given, and where links lead. */
static void add_both(struct words *out, const char *path)
{
    char *real = realpath(path, NULL);
    add_program(out, path);
    if (real && strcmp(real, path)) add_program(out, real);
    free(real);
}

static void add_listed(struct words *out, const char *variable)
{
    const char *path = getenv(variable);
    while (path && *path) {
        size_t length = strcspn(path, ":");
        if (*path == '/' && length > 1) words_addn(out, path, length);
        path += length + (path[length] == ':');
    }
}

void toolkit_reads(struct words *out, const char *const *programs)
{
    static const char *const helpers[] = {"gcc", "g++", "cc", "c++", "as", "ld", "sh", "env", "ccache"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof system_places / sizeof *system_places; i++) words_add(out, system_places[i]);
    add_matching(out, "/etc/ld-musl-*.path");
    add_listed(out, "LD_LIBRARY_PATH");
    add_listed(out, "WARPSTEP_TOOLCHAIN");
    for (const char *const *p = programs; p && *p; p++) add_both(out, *p);
    for (size_t i = 0; programs && i < sizeof helpers / sizeof *helpers; i++)
        if (toolkit_program(helpers[i], path, sizeof path)) add_both(out, path);
    const char *host = programs ? getenv("NVCC_CCBIN") : NULL;
    if (host && *host == '/') add_both(out, host);
    else if (host && *host && toolkit_program(host, path, sizeof path)) add_both(out, path);
    words_sort(out);
}
