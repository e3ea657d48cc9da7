/* compile_blame.c: a compiler that ends with an error mostly does so for a line of the program, and
 * names it. One that does not, or that speaks of memory, a disk or a part of it that was killed,
 * may have lacked something: who judges an answer should then see whether the same compiler takes a
 * program that is known to be right. */
#include "compile.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* As the C library, compilers and their drivers put it. */
static const struct lack {
    const char *words;
    bool killed; /* a part of the compiler was */
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

/* What a compiler quotes of the program stands behind blanks or a number and a bar: words in it are
 * the program's. */
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
    const char *first = NULL; /* the line that says what was lacking, else the first there is */
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
