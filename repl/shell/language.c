/* language.c: see language.h. */
#include "language.h"
#include "embedded.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const language_codes[LANGUAGES] = {
    "auto",
    "en",
#define LANGUAGE(id, code, name) code,
#include "languages.def"
};
const char *const language_names[LANGUAGES] = {
#define LANGUAGE(id, code, name) [LANGUAGE_##id] = name,
#include "languages.def"
};

static enum app_language spoken = LANGUAGE_EN;

enum app_language language_of_locale(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *locale = getenv(names[i]), *set = locale ? strchr(locale, '.') : NULL;
        if (!locale || !*locale) continue;
        if (!set || (strncasecmp(set, ".utf-8", 6) && strncasecmp(set, ".utf8", 5))) return LANGUAGE_EN;
        for (int l = LANGUAGE_FIRST; l < LANGUAGES; l++) {
            const size_t n = strlen(language_codes[l]);
            if (!strncmp(locale, language_codes[l], n) && !isalpha((unsigned char)locale[n]))
                return (enum app_language)l;
        }
        return LANGUAGE_EN;
    }
    return LANGUAGE_EN;
}

void language_take(const struct app *app)
{
    spoken = app->json ? LANGUAGE_EN : app->language == LANGUAGE_AUTO ? language_of_locale() : app->language;
}

enum app_language language_now(void) { return spoken; }
void language_speak(enum app_language language) { spoken = language; }
const char *language_part(void) { return spoken == LANGUAGE_EN ? NULL : language_codes[spoken]; }

void language_either(const struct words *w, char *out, size_t size)
{
    char so_far[400] = "";
    snprintf(out, size, "%s", w->count ? w->v[0] : "");
    for (int i = 1; i < w->count; i++) {
        snprintf(so_far, sizeof so_far, "%s", out);
        snprintf(out, size, i + 1 < w->count ? TR("%s, %s") : TR("%s or %s"), so_far, w->v[i]);
    }
}

const char *language_choices(const char *brief, bool english, char *out, size_t size)
{
    char before[100], list[100];
    const char *text = english ? brief : TR(brief), *place = strstr(text, "%s");
    if (!place) return text;
    snprintf(list, sizeof list, "%s", language_codes[LANGUAGE_EN]);
    for (int i = LANGUAGE_FIRST; i < LANGUAGES; i++) {
        snprintf(before, sizeof before, "%s", list);
        snprintf(list, sizeof list, english ? "%s, %s" : TR("%s, %s"), before, language_codes[i]);
    }
    snprintf(out, size, "%.*s%s%s", (int)(place - text), text, list, place + 2);
    return out;
}

bool language_file(const char *name, const char *english)
{
    char other[300];
    for (int l = LANGUAGE_FIRST; l < LANGUAGES; l++) {
        snprintf(other, sizeof other, "%.*s.%s.txt", (int)strcspn(english, "."), english, language_codes[l]);
        if (!strcmp(name, other)) return true;
    }
    return false;
}

/* ---- formats ---- */

/* One conversion at *p, which is moved behind it: its argument's number (0: not said), and its
 * type, as "ld" or "s". A star is a conversion of its own and has no number. False: there is none
 * here, but a percent sign. */
static bool conversion(const char **p, int *number, char type[8])
{
    const char *q = *p + 1;
    size_t used = 0;
    *number = 0;
    const size_t digits = strspn(q, "0123456789");
    if (digits && digits < 3 && q[digits] == '$') {
        *number = atoi(q);
        q += digits + 1;
    }
    q += strspn(q, "-+#0");
    while (*q && strchr("0123456789.*", *q)) {
        if (*q == '*' && used < 4) type[used++] = '*';
        q++;
    }
    while (*q && strchr("hlzjtL", *q) && used < 6) type[used++] = *q++;
    if (!*q || !strchr("diouxXeEfFgGaAcsp", *q)) return false;
    type[used++] = *q++;
    type[used] = 0;
    *p = q;
    return true;
}

enum { CONVERSIONS = 24 };
typedef struct conversions {
    char type[CONVERSIONS][8];
    int number[CONVERSIONS];
    int count;
} conversions;

static bool find_conversions(const char *text, conversions *out)
{
    out->count = 0;
    for (const char *p = text; (p = strchr(p, '%'));) {
        if (p[1] == '%') {
            p += 2;
        } else if (out->count == CONVERSIONS) {
            return false;
        } else if (conversion(&p, &out->number[out->count], out->type[out->count])) {
            out->count++;
        } else {
            p++;
        }
    }
    return true;
}

bool language_fits(const char *english, const char *other)
{
    conversions a, b;
    if (!find_conversions(english, &a) || !find_conversions(other, &b) || a.count != b.count) return false;
    unsigned seen = 0;
    for (int i = 0; i < b.count; i++) {
        const int at = b.number[i] ? b.number[i] - 1 : i;
        if (a.number[i] || !b.number[i] != !b.number[0] || at >= a.count || strcmp(a.type[at], b.type[i])) return false;
        /* a star takes an argument too, so numbers would be off by one */
        if (b.number[i] && strchr(a.type[at], '*')) return false;
        seen |= 1u << at;
    }
    for (int i = 0; i < a.count && b.count && b.number[0]; i++)
        if (strchr(a.type[i], '*')) return false;
    return seen == (1u << a.count) - 1;
}

/* ---- the catalogue ---- */

static const char *whole_text(enum app_language language)
{
    char name[64];
    snprintf(name, sizeof name, "repl/words.%s.txt", language_codes[language]);
    for (const embedded_file *f = embedded_files; f->name; f++)
        if (!strcmp(f->name, name)) return f->text;
    return "";
}

/* The value of the key whose line begins at *p: the rest of that line, or the indented lines below
 * without four blanks. Quotes around it keep blanks at its ends. *p is moved behind it. NULL: no memory. */
static char *value_at(const char **p)
{
    const char *q = strchr(*p, ':') + 1, *end;
    char *value = malloc(strlen(q) < 20000 ? strlen(q) + 1 : 20001), *w = value;
    q += strspn(q, " ");
    for (bool first = true;; first = false) {
        const size_t length = strcspn(q, "\n");
        end = q + length + (q[length] != 0);
        if (value && w + length + 2 < value + 20000) {
            memcpy(w, q, length);
            w += length;
            if (!first || length) *w++ = '\n';
        }
        /* an empty line belongs to the value when an indented one follows */
        const char *next = end + strspn(end, "\n");
        if (!strncmp(end, "    ", 4)) q = end + 4;
        else if (next > end && !strncmp(next, "    ", 4)) q = end;
        else break;
    }
    while (value && w > value && w[-1] == '\n') w--;
    if (value) *w = 0;
    if (value && w - value > 1 && *value == '"' && w[-1] == '"') {
        memmove(value, value + 1, (size_t)(w - value - 2));
        w[-2] = 0;
    }
    *p = end;
    return value;
}

/* The next key `key` that a line with its translation follows. */
static bool next_entry(enum app_language language, const char *key, size_t *at, char **english, char **other)
{
    const char *all = whole_text(language), *p = all + *at, *code = language_codes[language];
    const size_t n = strlen(code);
    *english = *other = NULL;
    while (*p && !*other) {
        if (!strncmp(p, key, strlen(key))) free(*english), *english = value_at(&p);
        else if (!strncmp(p, code, n) && p[n] == ':' && *english) *other = value_at(&p);
        else p += strcspn(p, "\n"), p += *p != 0;
    }
    *at = (size_t)(p - all);
    if (*other) return true;
    free(*english);
    return false;
}

bool language_entry(enum app_language language, size_t *at, char **english, char **other)
{
    return next_entry(language, "en:", at, english, other);
}
bool language_pattern(enum app_language language, size_t *at, char **english, char **other)
{
    return next_entry(language, "said:", at, english, other);
}

typedef struct entry {
    char *english, *other;
} entry;
typedef struct catalogue {
    entry *slot; /* by hash; NULL: not read yet */
    size_t room; /* a power of two, at least twice the entries */
} catalogue;
static catalogue catalogues[LANGUAGES];

/* Line ends at the end of a string do not matter. */
static size_t length_of(const char *text)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '\n') n--;
    return n;
}

static entry *slot_of(const catalogue *c, const char *text)
{
    const size_t n = length_of(text);
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    for (size_t i = hash & (c->room - 1);; i = (i + 1) & (c->room - 1)) {
        entry *e = &c->slot[i];
        if (!e->english || (strlen(e->english) == n && !memcmp(e->english, text, n))) return e;
    }
}

/* Without memory, English is spoken. It stays until the program ends. */
static bool read_catalogue(catalogue *c, enum app_language language)
{
    entry e;
    size_t count = 0;
    if (c->slot) return true;
    for (const char *p = whole_text(language); (p = strstr(p, "\nen:")); p++) count++;
    for (c->room = 64; c->room < 2 * count + 2;) c->room *= 2;
    c->slot = calloc(c->room, sizeof *c->slot);
    if (!c->slot) return false;
    for (size_t at = 0; language_entry(language, &at, &e.english, &e.other);) {
        entry *to = slot_of(c, e.english);
        if (!to->english && language_fits(e.english, e.other)) *to = e;
        else free(e.english), free(e.other);
    }
    return true;
}

const char *language_words(const char *english)
{
    catalogue *c = &catalogues[spoken];
    if (spoken == LANGUAGE_EN || !english || !*english || !read_catalogue(c, spoken)) return english;
    const entry *e = slot_of(c, english);
    return e->english ? e->other : english;
}

/* ---- sentences that are already made ---- */

enum { PATTERNS = 300, PARTS = 10, DEPTH = 4, PART_LENGTH = 400 };
static struct patterns {
    entry pattern[PATTERNS];
    int count;
    bool read;
} patterns[LANGUAGES];

typedef struct span {
    const char *text;
    size_t length;
} span;

static void read_patterns(struct patterns *said, enum app_language language)
{
    if (said->read) return;
    said->read = true;
    for (size_t at = 0; said->count < PATTERNS;) {
        entry *e = &said->pattern[said->count];
        if (!language_pattern(language, &at, &e->english, &e->other)) return;
        said->count++;
    }
}

/* {1} to {9} at p: its number, else 0. */
static int part_at(const char *p) { return p[0] == '{' && p[1] >= '1' && p[1] <= '9' && p[2] == '}' ? p[1] - '0' : 0; }

/* Is the whole text this pattern? Each part takes as little as it can, and something. */
static bool matches(const char *pattern, const char *text, span part[PARTS])
{
    for (; *pattern; pattern++, text++) {
        const int n = part_at(pattern);
        if (n) {
            for (size_t length = 1; text[0] && text[length - 1]; length++) {
                part[n] = (span){text, length};
                if (matches(pattern + 3, text + length, part)) return true;
            }
            return false;
        }
        if (*pattern != *text) return false;
    }
    return !*text;
}

static bool say_in_pattern(const char *text, char *out, size_t size, int depth)
{
    const struct patterns *said = &patterns[spoken];
    for (int i = 0; i < said->count; i++) {
        span part[PARTS] = {{0}};
        size_t used = 0;
        if (!matches(said->pattern[i].english, text, part)) continue;
        for (const char *p = said->pattern[i].other; *p && used + 1 < size; p++) {
            const int n = part_at(p);
            if (!n) {
                out[used++] = *p;
                continue;
            }
            char one[PART_LENGTH], other[PART_LENGTH];
            snprintf(one, sizeof one, "%.*s", (int)part[n].length, part[n].text ? part[n].text : "");
            const bool known = depth < DEPTH && say_in_pattern(one, other, sizeof other, depth + 1);
            const int put = snprintf(out + used, size - used, "%s", known ? other : one);
            used += put < 0 ? 0 : (size_t)put < size - used ? (size_t)put : size - used - 1;
            p += 2;
        }
        out[used] = 0;
        return true;
    }
    return false;
}

/* Patterns have a blank beside a part, as it may be a name in Latin letters. Between Han characters there is none. */
static void close_up(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++)
        if (*p != ' ' || p == text || !(p[-1] & 0x80) || !(p[1] & 0x80)) *to++ = *p;
    *to = 0;
}

const char *language_said(const char *english, char *out, size_t size)
{
    if (spoken != LANGUAGE_EN) read_patterns(&patterns[spoken], spoken);
    if (spoken == LANGUAGE_EN || !say_in_pattern(english, out, size, 0)) snprintf(out, size, "%s", english);
    else close_up(out);
    return out;
}
