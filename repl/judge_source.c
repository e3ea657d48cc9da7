/* judge_source.c: looks at the text of an answer before any compiler does. What it is after: an #include that would
 * print another file of this machine in an error message, or never end; a #line or #pragma that speaks to the compiler.
 *
 * It does not try to understand C++: it joins continued lines, and then judges every # wherever it stands, in comments
 * and strings too. So there is no way to hide a directive from it that a compiler would see; the price is that a
 * directive in a comment is judged as well.
 */
#include "judge.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Headers that compilers bring themselves, or that we bring. */
static const char *const headers[] = {
    "cuda_runtime.h", "cuda.h",   "device_launch_parameters.h", "cooperative_groups.h", "cooperative_groups/reduce.h",
    "cuda_fp16.h",    "stdio.h",  "stdint.h", "math.h",   "assert.h", "limits.h", "float.h", "stddef.h",
    "cstdio",         "cstdint",  "cmath",    "cassert",  "climits",  "cfloat",   "cstddef",
};

/* Words that reach for files or options from anywhere, or that let an answer behave otherwise another day. */
static const char *const words[] = {"_Pragma",  "__pragma", "__has_include", "__has_include_next", "__has_embed",
                                    "__DATE__", "__TIME__", "__TIMESTAMP__"};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* A copy in which continued lines are joined; each character's line is in line_of. */
static char *join(const char *text, size_t bytes, int **line_of, size_t *length)
{
    char *out = malloc(bytes + 1);
    *line_of = malloc((bytes + 1) * sizeof **line_of);
    if (!out || !*line_of) {
        free(out);
        free(*line_of);
        return NULL;
    }
    size_t n = 0;
    int line = 1;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\\') { /* compilers take blanks between it and the line's end too */
            size_t k = i + 1;
            while (k < bytes && text[k] != '\n' && isspace((unsigned char)text[k]))
                k++;
            if (k < bytes && text[k] == '\n') {
                i = k;
                line++;
                continue;
            }
        }
        (*line_of)[n] = line;
        out[n++] = text[i];
        line += text[i] == '\n';
    }
    out[n] = 0;
    (*line_of)[n] = line;
    *length = n;
    return out;
}

/* Past blanks and comments. A long comment inside a directive has no honest use: NULL. */
static const char *skip(const char *p)
{
    enum { LONGEST = 1000 };
    for (;;) {
        while (*p == ' ' || *p == '\t' || *p == '\v' || *p == '\f' || *p == '\r')
            p++;
        if (p[0] != '/' || p[1] != '*')
            return p;
        int n = 2;
        while (n < LONGEST && p[n] && (p[n] != '*' || p[n + 1] != '/'))
            n++;
        if (n == LONGEST || !p[n])
            return NULL;
        p += n + 2;
    }
}

static bool known_header(const char *p)
{
    if (*p != '<' && *p != '"')
        return false;
    char close = *p == '<' ? '>' : '"';
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        size_t n = strlen(headers[i]);
        if (!strncmp(p + 1, headers[i], n) && p[1 + n] == close)
            return true;
    }
    return false;
}

/* A directive that begins after a # at `p`. */
static bool directive(const char *p, char *why, size_t size)
{
    static const char *const files[] = {"include", "include_next", "import", "embed"};
    static const char *const others[] = {"line", "ident", "sccs", "assert", "unassert", "using"};
    const char *name = skip(p), *end = name, *what = NULL;
    if (*p == '#' || (p[0] == '%' && p[1] == ':')) {
        snprintf(why, size, "an answer may not put words together with ##");
        return false;
    }
    while (end && is_word(*end))
        end++;
    if (end)
        what = skip(end);
    if (!what) {
        snprintf(why, size, "there is a long comment inside a directive");
        return false;
    }
    size_t n = (size_t)(end - name);
    if ((unsigned char)*end >= 0x80 || (*end == '\\' && (end[1] == 'u' || end[1] == 'U'))) {
        snprintf(why, size, "a directive is written in letters that are not plain ones");
        return false;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strlen(files[i]) == n && !memcmp(files[i], name, n)) {
            if (!i && known_header(what))
                return true;
            snprintf(why, size,
                     "an answer includes no files; of headers it may have <cuda_runtime.h>, "
                     "<cooperative_groups.h>, <cuda_fp16.h>, <stdio.h>, <stdint.h>, <math.h> and the like");
            return false;
        }
    if (n == 6 && !memcmp("pragma", name, n)) {
        if ((!strncmp(what, "unroll", 6) && !is_word(what[6])) || (!strncmp(what, "once", 4) && !is_word(what[4])) ||
            (!strncmp(what, "nounroll", 8) && !is_word(what[8])))
            return true;
        snprintf(why, size, "of pragmas, an answer may have unroll and nounroll");
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == n && !memcmp(others[i], name, n)) {
            snprintf(why, size, "an answer may not have #%s", others[i]);
            return false;
        }
    return true;
}

static bool judge(const char *text, size_t length, size_t *at, char *why, size_t size)
{
    for (*at = 0; *at < length; ++*at) {
        const char *p = text + *at;
        if (*p == '#' || (p[0] == '%' && p[1] == ':')) {
            if (!directive(p + (*p == '#' ? 1 : 2), why, size))
                return false;
        } else if (p[0] == '?' && p[1] == '?' && (p[2] == '=' || p[2] == '/')) {
            snprintf(why, size, "write # and \\ as themselves, not as ??%c", p[2]);
            return false;
        } else if (*p == 0) {
            snprintf(why, size, "there is a NUL byte here: this is no text");
            return false;
        } else if (*p == '_' && (p == text || !is_word(p[-1]))) {
            for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
                size_t n = strlen(words[i]);
                if (!strncmp(p, words[i], n) && !is_word(p[n])) {
                    snprintf(why, size, "an answer may not have %s", words[i]);
                    return false;
                }
            }
        }
    }
    return true;
}

bool judge_source(const char *text, size_t bytes, int *line, char *why, size_t size)
{
    *line = 0;
    if (bytes > JUDGE_SOURCE_MAX) {
        snprintf(why, size, "an answer has at most %d KiB", JUDGE_SOURCE_MAX >> 10);
        return false;
    }
    if (bytes >= 2 && (!memcmp(text, "\377\376", 2) || !memcmp(text, "\376\377", 2))) {
        snprintf(why, size, "this is UTF-16; save it as UTF-8, or as plain ASCII");
        return false;
    }
    int *line_of;
    size_t length, at;
    char *joined = join(text, bytes, &line_of, &length);
    if (!joined) {
        snprintf(why, size, "out of memory");
        return false;
    }
    bool good = judge(joined, length, &at, why, size);
    if (!good)
        *line = line_of[at];
    free(joined);
    free(line_of);
    return good;
}
