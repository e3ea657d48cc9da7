/* compile_private_names.c: a compiler works in a private folder, on a copy with a plain name. This
 * file restores the user's names: a #line before the program names it, and names of the private
 * folder in messages and in the PTX's .file lines are replaced. */
#include "compile_job.h"
#include "shell/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* As compilers write it between quotes: non-ASCII and control characters in octal. */
static void put_escaped(struct text *g, const char *text)
{
    char number[8];
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') snprintf(number, sizeof number, "\\%c", *p);
        else snprintf(number, sizeof number, *p < 32 || *p > 126 ? "\\%03o" : "%c", *p);
        text_add(g, number);
    }
}

char *compile_line_directive(const char *name)
{
    struct text g = {0};
    text_add(&g, "#line 1 \"");
    put_escaped(&g, name);
    text_add(&g, "\"\n");
    return text_taken(&g);
}

/* The program's folder, to precede the name of a file in it. */
static void put_beside(struct text *g, const job *j, bool escaped)
{
    if (!strcmp(j->source_dir, ".")) return;
    if (escaped) put_escaped(g, j->source_dir);
    else text_add(g, j->source_dir);
    if (strcmp(j->source_dir, "/")) text_add(g, "/");
}

/* If `text` begins with a name in the private folder: appends the user's name for it, and returns
 * the length to skip. `at_start`: names relative to the folder count too. */
static size_t replace(struct text *g, const job *j, const char *dir, const char *text, bool at_start, bool escaped)
{
    size_t n = strlen(dir), skip = 0;
    if (n && !strncmp(text, dir, n) && text[n] == '/') skip = n + 1;
    if (!skip && !at_start) return 0;
    if (!strncmp(text + skip, JOB_BESIDE "/", sizeof JOB_BESIDE)) {
        put_beside(g, j, escaped);
        return skip + sizeof JOB_BESIDE;
    }
    if (!strncmp(text + skip, JOB_SOURCE, sizeof JOB_SOURCE - 1)) {
        if (escaped) put_escaped(g, j->name);
        else text_add(g, j->name);
        return skip + sizeof JOB_SOURCE - 1;
    }
    return skip;
}

char *compile_own_messages(const job *j, const char *text)
{
    struct text g = {0};
    char *real = realpath(j->dir, NULL);
    text_add(&g, "");
    for (const char *p = text; *p;) {
        bool start = p == text || (!isalnum((unsigned char)p[-1]) && !strchr("/._-", p[-1]));
        size_t n = start ? replace(&g, j, j->dir, p, true, false) : 0;
        if (start && !n && real) n = replace(&g, j, real, p, false, false);
        if (!n) text_addn(&g, p, n = 1);
        p += n;
    }
    free(real);
    return text_taken(&g);
}

char *compile_own_ptx(const job *j, const char *ptx, size_t *bytes)
{
    struct text g = {0}, dir = {0};
    char *real = realpath(j->dir, NULL);
    put_escaped(&dir, real ? real : j->dir);
    for (const char *line = ptx, *end; *line; line = end) {
        end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        const char *word = line + strspn(line, " \t"), *quote = NULL;
        if (!strncmp(word, ".file", 5)) quote = memchr(word, '"', (size_t)(end - word));
        if (!quote) {
            text_addn(&g, line, (size_t)(end - line));
            continue;
        }
        text_addn(&g, line, (size_t)(++quote - line));
        size_t n = replace(&g, j, dir.s ? dir.s : "", quote, true, true);
        text_addn(&g, quote + n, (size_t)(end - quote) - n);
    }
    free(real);
    free(dir.s);
    *bytes = g.used;
    return dir.failed ? NULL : text_taken(&g);
}
