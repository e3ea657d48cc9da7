/* glossary.c: see glossary.h. The text is built into the program. */
#include "glossary.h"
#include "shell/embedded.h"
#include "shell/format.h"
#include "shell/language.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Of a language, or LANGUAGE_EN. */
static const char *file_text(enum app_language language)
{
    char name[64];
    const bool english = language == LANGUAGE_EN;
    snprintf(name, sizeof name, "lessons/glossary%s%s.txt", english ? "" : ".",
             english ? "" : language_codes[language]);
    for (const embedded_file *f = embedded_files; f->name; f++)
        if (!strcmp(f->name, name)) return f->text;
    return "";
}

/* A line goes on; between Han characters there is no blank. */
static void append(char *to, size_t size, const char *from, size_t length)
{
    const size_t used = strlen(to);
    const bool blank = used && !utf8_joins(to + used, to, from);
    snprintf(to + used, size - used, "%s%.*s", blank ? " " : "", (int)length, from);
}

/* The block at *at of a file. False: no more. */
static bool next_block(const char *all, size_t *at, glossary_term *out)
{
    const char *p = all + *at;
    char *to = NULL;
    size_t size = 0;
    memset(out, 0, sizeof *out);
    while (*p) {
        const size_t length = strcspn(p, "\n");
        const char *line = p, *colon = memchr(line, ':', length);
        const bool goes_on = *line == ' ';
        if (!length && out->name[0]) break;
        p += length + (p[length] != 0);
        if (!length || *line == '#') continue;
        const char *value = goes_on ? line : colon ? colon + 1 : line;
        value += strspn(value, " ");
        const struct {
            const char *key;
            char *to;
            size_t size;
        } keys[] = {{"term:", out->name, sizeof out->name},
                    {"also:", out->also, sizeof out->also},
                    {"text:", out->text, sizeof out->text},
                    {"see:", out->see, sizeof out->see}};
        for (size_t k = 0; k < sizeof keys / sizeof *keys && !goes_on; k++)
            if (!strncmp(line, keys[k].key, strlen(keys[k].key))) to = keys[k].to, size = keys[k].size;
        if (to) append(to, size, value, length - (size_t)(value - line));
    }
    *at = (size_t)(p - all);
    return out->name[0];
}

/* The block of a word in another language. It begins with the English name; its text names the word in
 * that language first. */
static bool translated(enum app_language language, const char *name, glossary_term *out)
{
    const char *all = file_text(language);
    for (size_t at = 0; next_block(all, &at, out);)
        if (!strcmp(out->name, name)) return true;
    return false;
}

bool glossary_next(size_t *at, glossary_term *out)
{
    glossary_term other;
    if (!next_block(file_text(LANGUAGE_EN), at, out)) return false;
    if (language_now() != LANGUAGE_EN && translated(language_now(), out->name, &other)) {
        memcpy(out->text, other.text, sizeof out->text);
        snprintf(out->local, sizeof out->local, "%.*s", (int)strcspn(other.also, ","), other.also);
    }
    return true;
}

/* The same but for capitals, or with an s more. */
static bool same(const char *asked, const char *name, size_t length)
{
    const size_t n = strlen(asked);
    if (strncasecmp(asked, name, length)) return false;
    return n == length || (n == length + 1 && tolower((unsigned char)asked[length]) == 's');
}

static bool is_called(const glossary_term *t, const char *asked)
{
    if (same(asked, t->name, strlen(t->name))) return true;
    for (const char *p = t->also; *p;) {
        const size_t length = strcspn(p, ",");
        if (same(asked, p, length)) return true;
        p += length;
        p += strspn(p, ", ");
    }
    return false;
}

bool glossary_find(const char *name, glossary_term *out)
{
    size_t at = 0;
    glossary_term other;
    while (glossary_next(&at, out)) {
        if (is_called(out, name)) return true;
        for (int l = LANGUAGE_FIRST; l < LANGUAGES; l++)
            if (translated((enum app_language)l, out->name, &other) && is_called(&other, name)) return true;
    }
    return false;
}
