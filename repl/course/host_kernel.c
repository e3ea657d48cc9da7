/* host_kernel.c: what the program of `show host` has to know of its kernel's text: the types of
 * parameters, and the macros that its PTX was made with. */
#include "host_program.h"

#include <ctype.h>
#include <string.h>

/* The parameter list of kernel `entry` in `text`, from after its '(' to its ')'. NULL: not found, as of
 * one that a macro makes. */
static const char *parameters(const char *text, const char *entry, const char **end)
{
    const size_t length = strlen(entry);
    for (const char *p = text; (p = strstr(p, "__global__")) != NULL;) {
        p += strlen("__global__");
        const char *open = p;
        for (;;) { /* a launch bound stands in parentheses too */
            open = strpbrk(open, "({;");
            if (!open || *open != '(') break;
            const char *word = open;
            while (word > p && isspace((unsigned char)word[-1])) word--;
            const char *from = word;
            while (from > p && (isalnum((unsigned char)from[-1]) || from[-1] == '_')) from--;
            int depth = 0;
            const char *close = open;
            for (; *close; close++) {
                depth += *close == '(';
                depth -= *close == ')';
                if (!depth) break;
            }
            if (!*close) return NULL;
            if ((size_t)(word - from) == length && !memcmp(from, entry, length)) {
                *end = close;
                return open + 1;
            }
            open = close + 1;
        }
    }
    return NULL;
}

bool host_parameter(const char *text, const char *entry, int index, char *out, size_t size)
{
    const char *end, *p = text ? parameters(text, entry, &end) : NULL;
    if (!p) return false;
    for (; index && p < end; index--) {
        p = memchr(p, ',', (size_t)(end - p));
        if (!p) return false;
        p++;
    }
    const char *stop = memchr(p, ',', (size_t)(end - p));
    if (!stop) stop = end;
    while (p < stop && isspace((unsigned char)*p)) p++;
    while (stop > p && isspace((unsigned char)stop[-1])) stop--;
    while (stop > p && (isalnum((unsigned char)stop[-1]) || stop[-1] == '_')) stop--; /* its name */
    snprintf(out, size, "%.*s", (int)(stop - p), p);
    for (char *r; (r = strstr(out, "__restrict__")) != NULL;) memset(r, ' ', strlen("__restrict__"));
    for (size_t n = strlen(out); n && isspace((unsigned char)out[n - 1]);) out[--n] = 0;
    return *out != 0;
}

void host_defines(FILE *to, const char *flags)
{
    for (const char *p = flags; p && (p = strstr(p, "-D")) != NULL;) {
        p += 2;
        const size_t length = strcspn(p, " ,\n");
        const char *equals = memchr(p, '=', length);
        if (equals)
            fprintf(to, "#define %.*s %.*s\n", (int)(equals - p), p, (int)(length - (size_t)(equals + 1 - p)),
                    equals + 1);
        else fprintf(to, "#define %.*s 1\n", (int)length, p);
    }
}
