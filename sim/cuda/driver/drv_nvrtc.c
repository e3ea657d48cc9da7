/* drv_nvrtc.c: NVRTC, NVIDIA's compiler as a library, stays in use: but where a program asks it for machine code,
 * it makes PTX, which the program then loads as if it were that. */
#define _GNU_SOURCE
#include "driver.h"
#include <dlfcn.h>

enum { OUT_OF_MEMORY = 1, INTERNAL_ERROR = 11 };

/* The compiler's own function of that name. */
static bool real(const char *name, void *to, size_t bytes)
{
    void *at = dlsym(RTLD_NEXT, name);
    if (at) memcpy(to, &at, bytes);
    return at;
}

/* "sm_90a" as "compute_90a" behind the first `head` characters; NULL: no memory. */
static char *for_ptx(const char *option, size_t head)
{
    const size_t bytes = strlen(option) + sizeof "compute_";
    char *all = malloc(bytes);
    if (all) snprintf(all, bytes, "%.*scompute_%s", (int)head, option, option + head + strlen("sm_"));
    return all;
}

API nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    static const char *const names[] = {"-arch", "--gpu-architecture", "-gpu-architecture", "--arch"};
    int (*compile)(void *, int, const char *const *);
    if (!real("nvrtcCompileProgram", &compile, sizeof compile)) return INTERNAL_ERROR;
    if (count <= 0 || !options) return compile(program, count, options);
    char **changed = calloc((size_t)count, sizeof *changed);
    const char **all = malloc((size_t)count * sizeof *all);
    bool failed = !changed || !all;
    for (int i = 0; i < count && !failed; i++) {
        all[i] = options[i];
        for (size_t k = 0; k < sizeof names / sizeof *names && options[i]; k++) {
            const size_t n = strlen(names[k]);
            const bool behind = i && options[i - 1] && !strcmp(options[i - 1], names[k]);
            const bool here = !strncmp(options[i], names[k], n) && options[i][n] == '=';
            const size_t head = here ? n + 1 : 0;
            if ((!here && !behind) || strncmp(options[i] + head, "sm_", 3)) continue;
            all[i] = changed[i] = for_ptx(options[i], head);
            failed = !changed[i];
            break;
        }
    }
    const int code = failed ? OUT_OF_MEMORY : compile(program, count, all);
    for (int i = 0; i < count && changed; i++) free(changed[i]);
    free(changed);
    free(all);
    return code;
}
API nvrtcGetCUBINSize(void *program, size_t *bytes)
{
    int (*ask)(void *, size_t *);
    return real("nvrtcGetPTXSize", &ask, sizeof ask) ? ask(program, bytes) : INTERNAL_ERROR;
}
API nvrtcGetCUBIN(void *program, char *to)
{
    int (*ask)(void *, char *);
    return real("nvrtcGetPTX", &ask, sizeof ask) ? ask(program, to) : INTERNAL_ERROR;
}
