/* judge_source.c: checks the text of an answer before any compiler reads it. It looks for an
 * #include that would show another file of this machine in an error message, or never end, and for
 * #line and #pragma. (Files are not protected here: the compilers of answers cannot see them, see
 * seal.h. This check says in a clear sentence what is not allowed, and makes verdicts independent
 * of the day and of the compiler.)
 *
 * First the text is normalised, so that all compilers read the same lines. Lines end in a line feed
 * alone, a backslash that continues a line is its last character, and tabs are the only other
 * control characters. The text that is checked is the text that is compiled. The check does not
 * parse C++. It joins continued lines and checks every # anywhere, in comments and strings too. So
 * no directive that a compiler would see can be hidden; the price is that a directive in a comment
 * is checked as well. */
#include "judge.h"
#include "shell/language.h"
#include "list.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Headers that come with the compilers, or with us. */
static const char *const headers[] = {
    "cuda_runtime.h",
    "cuda.h",
    "device_launch_parameters.h",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cuda_fp16.h",
    "stdio.h",
    "stdint.h",
    "math.h",
    "assert.h",
    "limits.h",
    "float.h",
    "stddef.h",
    "cstdio",
    "cstdint",
    "cmath",
    "cassert",
    "climits",
    "cfloat",
    "cstddef",
};

/* Words that reach files or options, or that make an answer behave differently on another day. */
static const char *const words[] = {"_Pragma",     "__pragma", "__has_include", "__has_include_next",
                                    "__has_embed", "__DATE__", "__TIME__",      "__TIMESTAMP__"};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The text normalised as described above. NULL when it contains characters that no text has. */
static char *make_plain(const char *text, size_t bytes, size_t *plain_bytes, int *line, char *why, size_t size)
{
    char *out = malloc(bytes + 1);
    size_t n = 0;
    *line = -1;
    snprintf(why, size, NO_MEMORY);
    if (!out) return NULL;
    *line = 1;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\r' && i + 1 < bytes && text[i + 1] == '\n') continue;
        if (c == '\v' || c == '\f') c = ' ';
        if ((c < 32 && c != '\t' && c != '\n') || c == 127) {
            if (c == '\r')
                snprintf(why, size,
                         "there is a carriage return without a line feed; save the file with plain line ends");
            else if (!c) snprintf(why, size, "there is a NUL byte here: this is no text");
            else snprintf(why, size, TR("there is a control character (number %d) here"), c);
            free(out);
            return NULL;
        }
        if (c == '\n') { /* compilers allow blanks between a backslash and the line's end, some with a warning */
            size_t end = n;
            while (end && (out[end - 1] == ' ' || out[end - 1] == '\t')) end--;
            if (end && out[end - 1] == '\\') n = end;
            ++*line;
        }
        out[n++] = (char)c;
    }
    out[n] = 0;
    *plain_bytes = n;
    return out;
}

/* A copy with continued lines joined; line_of has each character's line. */
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
        if (text[i] == '\\' && i + 1 < bytes && text[i + 1] == '\n') {
            i++;
            line++;
            continue;
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

/* Skips blanks and comments. NULL at a very long comment, which has no honest use in a
 * directive. */
static const char *skip(const char *p)
{
    enum { LONGEST = 1000 };
    for (;;) {
        while (*p == ' ' || *p == '\t') p++;
        if (p[0] != '/' || p[1] != '*') return p;
        int n = 2;
        while (n < LONGEST && p[n] && (p[n] != '*' || p[n + 1] != '/')) n++;
        if (n == LONGEST || !p[n]) return NULL;
        p += n + 2;
    }
}

static bool known_header(const char *p)
{
    if (*p != '<' && *p != '"') return false;
    char close = *p == '<' ? '>' : '"';
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        size_t n = strlen(headers[i]);
        if (!strncmp(p + 1, headers[i], n) && p[1 + n] == close) return true;
    }
    return false;
}

/* Checks the directive that follows a # at `p`. */
static bool directive(const char *p, char *why, size_t size)
{
    static const char *const files[] = {"include", "include_next", "import", "embed"};
    static const char *const others[] = {"line", "ident", "sccs", "assert", "unassert", "using", "__include_macros"};
    const char *name = skip(p), *end = name, *what = NULL;
    if (*p == '#' || (p[0] == '%' && p[1] == ':')) {
        snprintf(why, size, "an answer may not put words together with ##");
        return false;
    }
    while (end && is_word(*end)) end++;
    if (end) what = skip(end);
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
            if (!i && known_header(what)) return true;
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
    if (n && strspn(name, "0123456789") >= n && *what == '"') {
        snprintf(why, size, "an answer may not give lines another number, or another file");
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == n && !memcmp(others[i], name, n)) {
            snprintf(why, size, TR("an answer may not have #%s"), others[i]);
            return false;
        }
    return true;
}

/* A universal character name of an ASCII character, which some compilers replace: \u0069,
 * \U00000069, \u{69}; or \N{...}. */
static bool plain_letter(const char *p)
{
    const char *digits = p + 1;
    if ((*p == 'u' || *p == 'U' || *p == 'N') && p[1] == '{') return true;
    if (*p != 'u' && *p != 'U') return false;
    size_t zeros = strspn(digits, "0"), all = *p == 'u' ? 4 : 8;
    return zeros >= all - 1 || (zeros == all - 2 && digits[zeros] >= '1' && digits[zeros] <= '7');
}

static bool judge(const char *text, size_t length, size_t *at, char *why, size_t size)
{
    for (*at = 0; *at < length; ++*at) {
        const char *p = text + *at;
        if (*p == '#' || (p[0] == '%' && p[1] == ':')) {
            if (!directive(p + (*p == '#' ? 1 : 2), why, size)) return false;
        } else if (p[0] == '?' && p[1] == '?' && (p[2] == '=' || p[2] == '/')) {
            snprintf(why, size, TR("write # and \\ as themselves, not as ??%c"), p[2]);
            return false;
        } else if (*p == '\\' && plain_letter(p + 1)) {
            snprintf(why, size, "write plain letters as themselves, not by their numbers or names");
            return false;
        } else if (*p == '_' && (p == text || !is_word(p[-1]))) {
            for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
                size_t n = strlen(words[i]);
                if (!strncmp(p, words[i], n) && !is_word(p[n])) {
                    snprintf(why, size, TR("an answer may not have %s"), words[i]);
                    return false;
                }
            }
        }
    }
    return true;
}

char *judge_source(const char *text, size_t bytes, size_t *plain_bytes, int *line, char *why, size_t size)
{
    *line = 0;
    if (bytes > JUDGE_SOURCE_MAX) {
        snprintf(why, size, TR("an answer has at most %d KiB"), JUDGE_SOURCE_MAX >> 10);
        return NULL;
    }
    if (bytes >= 2 && (!memcmp(text, "\377\376", 2) || !memcmp(text, "\376\377", 2))) {
        snprintf(why, size, "this is UTF-16; save it as UTF-8, or as plain ASCII");
        return NULL;
    }
    if (bytes >= 3 && !memcmp(text, "\357\273\277", 3)) { /* a byte order mark, which some compilers refuse */
        text += 3;
        bytes -= 3;
    }
    char *plain = make_plain(text, bytes, plain_bytes, line, why, size);
    if (!plain) return NULL;
    int *line_of;
    size_t length, at;
    char *joined = join(plain, *plain_bytes, &line_of, &length);
    *line = -1;
    snprintf(why, size, NO_MEMORY);
    bool good = joined && judge(joined, length, &at, why, size);
    if (joined) {
        *line = good ? 0 : line_of[at];
        free(joined);
        free(line_of);
    }
    if (!good) free(plain);
    return good ? plain : NULL;
}
