/* drv_curand.c: cuRAND's calls of the host. Its kernels are machine code; but it also makes numbers on the host, and
 * "all other calls work identically" there, says its guide: so a generator for the card becomes one for the host, and
 * what that makes is copied to where the program wants it. */
#define _GNU_SOURCE
#include "driver.h"
#include <dlfcn.h>
#include <pthread.h>

enum { NOT_INITIALIZED = 101, ALLOCATION_FAILED = 102, NOT_A_MULTIPLE = 105, LAUNCH_FAILURE = 201 };
enum { QUASI_RANDOM = 200 }; /* types from there on */

typedef struct generator { /* one that a program wants for the card */
    void *real, *on;       /* on: the stream */
    int type;
    struct generator *next;
} generator;
static generator *generators;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool real(const char *name, void *to, size_t bytes)
{
    void *at = dlsym(RTLD_NEXT, name);
    if (at) memcpy(to, &at, bytes);
    return at;
}

static generator **place_of(void *of)
{
    generator **g = &generators;
    while (*g && (*g)->real != of) g = &(*g)->next;
    return g;
}

/* Is it for the card? Then *on is the stream where its numbers belong. */
static bool for_card(void *of, void **on, int *type)
{
    pthread_mutex_lock(&lock);
    const generator *g = *place_of(of);
    if (g) *on = g->on;
    if (g) *type = g->type;
    pthread_mutex_unlock(&lock);
    return g;
}

API curandCreateGenerator(void **out, int type)
{
    static bool told;
    int (*make)(void **, int);
    if (!real("curandCreateGeneratorHost", &make, sizeof make)) return NOT_INITIALIZED;
    const int code = make(out, type);
    generator *g = code ? NULL : calloc(1, sizeof *g);
    if (!code && !g) return ALLOCATION_FAILED;
    if (code) return code;
    pthread_mutex_lock(&lock);
    *g = (generator){*out, NULL, type, generators};
    generators = g;
    const bool first = !told;
    told = true;
    pthread_mutex_unlock(&lock);
    core_begin();
    if (first)
        record_note("cuRAND's numbers are made by its own generators for the host, and copied to the card: what a card "
                    "takes to make them is not known");
    core_end(E_OK, CALL_COST);
    return code;
}
API curandDestroyGenerator(void *of)
{
    int (*end)(void *);
    pthread_mutex_lock(&lock);
    generator **g = place_of(of), *gone = *g;
    if (gone) *g = gone->next;
    pthread_mutex_unlock(&lock);
    free(gone);
    return real("curandDestroyGenerator", &end, sizeof end) ? end(of) : NOT_INITIALIZED;
}
API curandSetStream(void *of, void *on)
{
    int (*set)(void *, void *);
    pthread_mutex_lock(&lock);
    generator *g = *place_of(of);
    if (g) g->on = on;
    pthread_mutex_unlock(&lock);
    if (g) return 0;
    return real("curandSetStream", &set, sizeof set) ? set(of, on) : NOT_INITIALIZED;
}

/* Copies what was made, when that went well, in the stream's order. */
static int deliver(void *on, void *to, void *made, size_t bytes, int code)
{
    if (core_begin() && !code) code = LAUNCH_FAILURE; /* within a callback */
    stream *st = code ? NULL : stream_find(on);
    const copy c = {{(uint64_t)(uintptr_t)to, bytes, 0}, {(uint64_t)(uintptr_t)made, bytes, 0}, bytes, 1, 1, COPY_ANY};
    if (!code && (!st || submit_copy(st, &c, false))) code = LAUNCH_FAILURE;
    free(made);
    return core_end(code, CALL_COST);
}

/* What makes `n` numbers of a type at `to`; further arguments in brackets: declared, their types, and passed on.
 * A card makes normal ones in pairs. */
#define MAKES(name, type, declared, types, passed, pairs)                               \
    API name(void *g, type *to, size_t n UNPACK declared)                               \
    {                                                                                   \
        void *on = NULL;                                                                \
        int sort = 0;                                                                   \
        int (*make)(void *, type *, size_t UNPACK types);                               \
        if (!real(#name, &make, sizeof make)) return NOT_INITIALIZED;                   \
        if (!for_card(g, &on, &sort)) return make(g, to, n UNPACK passed);              \
        if (pairs && n % 2 && sort < QUASI_RANDOM) return NOT_A_MULTIPLE;               \
        type *made = n < SIZE_MAX / sizeof *made ? malloc(n * sizeof *made + 1) : NULL; \
        if (!made) return ALLOCATION_FAILED;                                            \
        time_inside(); /* the program's own clock stands */                             \
        const int code = make(g, made, n UNPACK passed);                                \
        time_outside();                                                                 \
        return deliver(on, to, made, n * sizeof *made, code);                           \
    }
#define UNPACK(...) __VA_ARGS__
MAKES(curandGenerate, unsigned, (), (), (), false)
MAKES(curandGenerateLongLong, unsigned long long, (), (), (), false)
MAKES(curandGenerateUniform, float, (), (), (), false)
MAKES(curandGenerateUniformDouble, double, (), (), (), false)
MAKES(curandGenerateNormal, float, (, float mean, float deviation), (, float, float), (, mean, deviation), true)
MAKES(curandGenerateNormalDouble, double, (, double mean, double deviation), (, double, double), (, mean, deviation),
      true)
MAKES(curandGenerateLogNormal, float, (, float mean, float deviation), (, float, float), (, mean, deviation), true)
MAKES(curandGenerateLogNormalDouble, double, (, double mean, double deviation), (, double, double), (, mean, deviation),
      true)
MAKES(curandGeneratePoisson, unsigned, (, double lambda), (, double), (, lambda), false)
