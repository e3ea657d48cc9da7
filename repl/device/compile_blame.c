/* compile_blame.c: decides what a compiler's error is about. Most errors name a line of the
 * program. An error that names none, or that mentions memory, a disk or a killed process, may come
 * from a shortage. The judge of an answer should then check that the same compiler accepts a
 * program known to be correct. */
#include "compile.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The words of the C library, compilers and their drivers. */
static const struct lack {
    const char *words;
    bool killed; /* a process of the compiler was killed */
} lacks[] = {
    {"no space left", false},
    {"disk quota exceeded", false},
    {"cannot allocate memory", false},
    {"out of memory", false},
    {"memory exhausted", false},
    {"bad_alloc", false},
    {"insufficient memory", false},
    {"resource temporarily", false},
    {"too many open files", false},
    {"input/output error", false},
    {"read-only file system", false},
    {"error writing to", false},
    {"could not write", false},
    {"cannot fork", false},
    {"posix_spawn", false},
    {"due to signal", true},
    {"by signal", true},
    {"killed", true},
    {"unable to execute command", true},
};

static bool has_word(const char *line, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++)
        if (!strncasecmp(line + i, word, n)) return true;
    return false;
}

/* "1.2-tail.cu(3): error ..." or "1.2-tail.cu:3:5: error: ..." */
static bool names_line(const char *line, size_t length, const char *name)
{
    size_t n = strlen(name);
    return length > n + 1 && !strncmp(line, name, n) && (line[n] == '(' || line[n] == ':') &&
           isdigit((unsigned char)line[n + 1]) && has_word(line, length, "error");
}

/* A compiler puts blanks, or a number and a bar, before a quoted line: words in it are the
 * program's. */
static bool is_quote(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && (isspace((unsigned char)line[at]) || isdigit((unsigned char)line[at]))) at++;
    return at > 0 && (isspace((unsigned char)line[0]) || (at < length && line[at] == '|'));
}

enum compile_blame compile_blame(const compile_result *r, const char *name, char *line, size_t size)
{
    bool blamed = false;
    const struct lack *lack = NULL;
    const char *first = NULL; /* the line that names the shortage, else the first line */
    size_t first_length = 0;
    for (const char *p = r->messages; *p;) {
        size_t n = strcspn(p, "\n");
        bool named = names_line(p, n, name), had = lack != NULL;
        blamed = blamed || named;
        for (size_t i = 0; i < sizeof lacks / sizeof *lacks && !named && !is_quote(p, n); i++)
            if (has_word(p, n, lacks[i].words) && (!lack || lacks[i].killed > lack->killed)) lack = &lacks[i];
        if (n && (!first || (lack && !had))) {
            first = p;
            first_length = n;
        }
        p += n + (p[n] == '\n');
    }
    if (first) snprintf(line, size, "%.*s", first_length < 300 ? (int)first_length : 300, first);
    else snprintf(line, size, "it gave no reason");
    return lack ? lack->killed ? COMPILE_KILLED : COMPILE_LACKS : blamed ? COMPILE_BLAMES : COMPILE_SILENT;
}
