/* gpu_compile.c: compiles a lesson's kernel for the local GPU with NVRTC, if that can be loaded.
 * Results are cached, so a kernel is compiled once. Otherwise the PTX shipped with the lesson
 * serves. */
#include "gpu_compile.h"
#include "compile.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEFINES = 16, MOST_KEPT = 64 };

typedef struct compiled {
    char key[1600], compiler[100];
    char *ptx;
    size_t bytes;
} compiled;

static compiled kept[MOST_KEPT];
static int count;

/* The -D options of the shipped PTX are in a comment at its top: "// compiler: ..., flags: ..." */
static int defines_of(const char *shipped, char *buffer, size_t size, const char *out[MOST_DEFINES + 1])
{
    const char *flags = strstr(shipped, "// compiler:");
    int n = 0;
    snprintf(buffer, size, "%.*s", flags ? (int)strcspn(flags, "\n") : 0, flags ? flags : "");
    for (char *word = strtok(buffer, " ,"); word && n < MOST_DEFINES; word = strtok(NULL, " ,"))
        if (!strncmp(word, "-D", 2)) out[n++] = word + 2;
    out[n] = NULL;
    return n;
}

bool gpu_compile(const char *source, const char *shipped, int arch, const char **ptx, size_t *bytes,
                 const char **compiler)
{
    static bool none;
    const char *wanted = getenv("WARPSTEP_COMPILER");
    if (wanted && *wanted && strcmp(wanted, "nvrtc")) return false;
    char key[sizeof kept->key], flags[400];
    const char *defines[MOST_DEFINES + 1];
    int n = defines_of(shipped, flags, sizeof flags, defines);
    size_t used = (size_t)snprintf(key, sizeof key, "%d %.1100s", arch, source);
    for (int i = 0; i < n && used < sizeof key; i++)
        used += (size_t)snprintf(key + used, sizeof key - used, " %s", defines[i]);
    compiled *c = NULL;
    for (int i = 0; i < count && !c; i++)
        if (!strcmp(kept[i].key, key)) c = &kept[i];
    if (!c && !none && count < MOST_KEPT) {
        compile_request request = {.path = source, .arch = arch, .compiler = "nvrtc", .defines = defines};
        compile_result r;
        compile_ptx(&request, &r);
        none = r.status == COMPILE_NO_COMPILER;
        if (r.status == COMPILE_DONE) {
            c = &kept[count++];
            snprintf(c->key, sizeof c->key, "%s", key);
            snprintf(c->compiler, sizeof c->compiler, "%.99s", r.compiler);
            c->ptx = r.ptx;
            c->bytes = r.ptx_bytes;
            r.ptx = NULL;
        }
        compile_free(&r);
    }
    if (c) {
        *ptx = c->ptx;
        *bytes = c->bytes;
        *compiler = c->compiler;
    }
    return c != NULL;
}
