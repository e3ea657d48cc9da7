/* nvjitlink.c: libnvJitLink.so.12 and .13: what they link is PTX, and stays PTX (core/linker.c). A program
 * loads it as the machine code that it takes it for. */
#include "cuda/core/core.h"
#include <stdlib.h>
#include <string.h>

#define API PUBLIC int
enum { OK, UNRECOGNIZED_OPTION, MISSING_ARCH, INVALID_INPUT, PTX_COMPILE, INTERNAL = 6, NULL_INPUT = 10 };

typedef struct state {
    linker *l;
    char *text;
    size_t bytes; /* without the NUL */
} state;

API nvJitLinkCreate(state **out, uint32_t count, const char **options)
{
    if (!out || (count && !options)) return NULL_INPUT;
    *out = NULL;
    bool arch = false;
    for (uint32_t i = 0; i < count; i++) arch = arch || (options[i] && strstr(options[i], "-arch="));
    if (!arch) return MISSING_ARCH;
    state *s = calloc(1, sizeof *s);
    if (s) s->l = linker_new();
    if (!s || !s->l) {
        free(s);
        return INTERNAL;
    }
    *out = s;
    return OK;
}
API nvJitLinkDestroy(state **s)
{
    if (!s || !*s) return NULL_INPUT;
    linker_end((*s)->l);
    free(*s);
    *s = NULL;
    return OK;
}
static int answer(int code) { return !code ? OK : code == E_MemoryAllocation ? INTERNAL : INVALID_INPUT; }
API nvJitLinkAddData(state *s, int type, const void *data, size_t bytes, const char *name)
{
    (void)type; /* what it is can be seen */
    return s && data ? answer(linker_add(s->l, data, bytes, name)) : NULL_INPUT;
}
API nvJitLinkAddFile(state *s, int type, const char *path)
{
    (void)type;
    return s && path ? answer(linker_add_file(s->l, path)) : NULL_INPUT;
}
API nvJitLinkComplete(state *s)
{
    const char *text;
    size_t bytes;
    if (!s) return NULL_INPUT;
    const int code = linker_done(s->l, &text, &bytes);
    return !code ? OK : code == E_MemoryAllocation ? INTERNAL : PTX_COMPILE;
}
/* Text that is copied with the NUL behind it, whose bytes are asked for first. */
static int text_size(size_t *bytes, const char *text)
{
    if (!bytes) return NULL_INPUT;
    *bytes = text ? strlen(text) + 1 : 0;
    return OK;
}
static int text_copy(char *to, const char *text)
{
    if (!to) return NULL_INPUT;
    strcpy(to, text);
    return OK;
}
static int linked(state *s, const char **text)
{
    size_t bytes;
    *text = NULL;
    return s ? answer(linker_done(s->l, text, &bytes)) : NULL_INPUT;
}
API nvJitLinkGetLinkedPtxSize(state *s, size_t *bytes)
{
    const char *text;
    const int code = linked(s, &text);
    return code ? code : text_size(bytes, text);
}
API nvJitLinkGetLinkedPtx(state *s, char *to)
{
    const char *text;
    const int code = linked(s, &text);
    return code ? code : text_copy(to, text);
}
API nvJitLinkGetLinkedCubinSize(state *s, size_t *bytes) { return nvJitLinkGetLinkedPtxSize(s, bytes); }
API nvJitLinkGetLinkedCubin(state *s, void *to) { return nvJitLinkGetLinkedPtx(s, to); }
API nvJitLinkGetErrorLogSize(state *s, size_t *bytes)
{
    return s ? text_size(bytes, linker_complaint(s->l)) : NULL_INPUT;
}
API nvJitLinkGetErrorLog(state *s, char *to) { return s ? text_copy(to, linker_complaint(s->l)) : NULL_INPUT; }
API nvJitLinkGetInfoLogSize(state *s, size_t *bytes) { return s ? text_size(bytes, "") : NULL_INPUT; }
API nvJitLinkGetInfoLog(state *s, char *to) { return s ? text_copy(to, "") : NULL_INPUT; }
/* The release before link-time optimization became what compilers in programs (numba-cuda) choose by
 * themselves: it needs NVIDIA's own intermediate form, of which nothing is known. They give us PTX then. */
API nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor) return NULL_INPUT;
    *major = 12;
    *minor = 2;
    return OK;
}

/* NVIDIA's header calls each by a name that tells which release it is of. */
#define AS(name, release) \
    extern __typeof__(name) __##name##_##release __attribute__((alias(#name), visibility("default")));
#define RELEASE(r)                     \
    AS(nvJitLinkCreate, r)             \
    AS(nvJitLinkDestroy, r)            \
    AS(nvJitLinkAddData, r)            \
    AS(nvJitLinkAddFile, r)            \
    AS(nvJitLinkComplete, r)           \
    AS(nvJitLinkGetLinkedPtxSize, r)   \
    AS(nvJitLinkGetLinkedPtx, r)       \
    AS(nvJitLinkGetLinkedCubinSize, r) \
    AS(nvJitLinkGetLinkedCubin, r)     \
    AS(nvJitLinkGetErrorLogSize, r)    \
    AS(nvJitLinkGetErrorLog, r)        \
    AS(nvJitLinkGetInfoLogSize, r)     \
    AS(nvJitLinkGetInfoLog, r)
RELEASE(12_0)
RELEASE(12_1)
RELEASE(12_2)
RELEASE(12_3)
RELEASE(12_4)
RELEASE(12_5)
RELEASE(12_6)
RELEASE(12_7)
RELEASE(12_8)
RELEASE(12_9)
RELEASE(13_0)
RELEASE(13_1)
RELEASE(13_2)
RELEASE(13_3)
