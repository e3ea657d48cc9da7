/* truth.c: do the words of a text agree with its numbers? A sentence such as "It took {cycles} cycles,
 * fewer than the {before.cycles} of v1" says which of two numbers of one metric is less. Where it says so
 * without doubt, the run must bear it out: one such word stands between the two numbers, and "than", "as" or
 * "the" leads to the second; or it stands before "{A}, not {B}" or "{A} ... instead of {B}"; and nothing denies
 * it. Other sentences are left alone. */
#include "author.h"
#include "view/view.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MIDDLE = 100 /* characters between the numbers: further apart, a word may be about something else */ };

/* What the first number is, compared with the second. */
static const struct word {
    const char *text;
    double least, most; /* of first / second, the bounds left out where they are 1 */
    const char *then;   /* one of these follows */
    bool speed;         /* more of it is less of a time */
} words[] = {
    {"fewer", 0, 1, "than", false},          {"less", 0, 1, "than", false},
    {"lower", 0, 1, "than", false},          {"smaller", 0, 1, "than", false},
    {"shorter", 0, 1, "than", false},        {"more", 1, INFINITY, "than", false},
    {"greater", 1, INFINITY, "than", false}, {"higher", 1, INFINITY, "than", false},
    {"larger", 1, INFINITY, "than", false},  {"longer", 1, INFINITY, "than", false},
    {"faster", 0, 1, "than", true},          {"slower", 1, INFINITY, "than", true},
    {"twice", 1.8, 2.2, "as the of", false}, {"half", 0.45, 0.55, "as the of", false},
};

typedef struct number {
    const char *open, *close; /* the braces */
    const char *name;         /* of the metric, without its step */
    size_t length;
    double value;
} number;

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

static bool among(const char *text, size_t length, const char *list)
{
    for (const char *p = list; *p; p += strspn(p, " ")) {
        const size_t n = strcspn(p, " ");
        if (n == length && !memcmp(p, text, n)) return true;
        p += n;
    }
    return false;
}

/* A word that denies or weakens what stands around it, or says that something was expected and not seen. */
static bool doubtful(const char *text, size_t length)
{
    return among(text, length,
                 "not no nor never neither without would should could might if unless until hardly "
                 "instead nearly almost about");
}

/* Reads {NAME}, {before.NAME} or {[STEP].NAME}. */
static bool read_number(view_context *c, const char *open, number *out)
{
    const char *close = strchr(open, '}');
    if (!close) return false;
    out->open = open;
    out->close = close;
    out->name = open + 1;
    if (out->name[0] == '[') {
        const char *end = memchr(out->name, ']', (size_t)(close - out->name));
        if (!end || end[1] != '.') return false;
        out->name = end + 2;
    } else if (!strncmp(out->name, "before.", 7)) {
        out->name += 7;
    }
    out->length = (size_t)(close - out->name);
    for (size_t i = 0; i < out->length; i++)
        if (!isalnum((unsigned char)out->name[i]) && out->name[i] != '_') return false;
    return out->length && view_value(c, open + 1, close, &out->value);
}

/* The one word between the numbers that compares them; NULL: none, or no clear one. */
static const struct word *comparing(const char *from, const char *to)
{
    const struct word *found = NULL;
    bool leads = false;
    while (from < to) {
        if (!isalpha((unsigned char)*from)) {
            if (*from == ';' || *from == ':') return NULL;
            from++;
            continue;
        }
        size_t n = 0;
        while (from + n < to && isalpha((unsigned char)from[n])) n++;
        if (doubtful(from, n) || is_word(from, n, "and") || is_word(from, n, "but")) return NULL;
        if (found && among(from, n, found->then)) leads = true;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (is_word(from, n, words[i].text)) {
                if (found) return NULL; /* "more than twice the ..." */
                found = &words[i];
            }
        from += n;
    }
    return leads ? found : NULL;
}

/* "Fewer instructions ({A}, not {B})", "The queue is shorter: {A} deep instead of {B}": the one word before the
 * first number that compares; NULL: none, or no clear one. */
static const struct word *announcing(const char *from, const char *open, const char *middle, const char *to)
{
    const struct word *found = NULL;
    const size_t between = (size_t)(to - middle);
    char text[MIDDLE + 1];
    if (between > MIDDLE) return NULL;
    memcpy(text, middle, between);
    text[between] = 0;
    if (strcmp(text, ", not ") && !strstr(text, " instead of ")) return NULL;
    while (from < open) {
        char word[20] = "";
        size_t n = 0;
        while (from + n < open && isalpha((unsigned char)from[n])) n++;
        for (size_t i = 0; i < n && i < sizeof word - 1; i++) word[i] = (char)tolower((unsigned char)from[i]);
        if (*from == '{' || doubtful(word, strlen(word))) return NULL;
        for (size_t i = 0; n && i < sizeof words / sizeof *words; i++)
            if (words[i].then[0] == 't' && !strcmp(word, words[i].text)) {
                if (found) return NULL;
                found = &words[i];
            }
        from += n ? n : 1;
    }
    return found;
}

static bool agrees(const struct word *w, const number *a, const number *b)
{
    double x = a->value, y = b->value;
    const int m = metric_named(a->name, a->length);
    if (w->speed && m >= 0 && metrics[m].higher_is_better) {
        x = b->value;
        y = a->value;
    }
    if (w->least == 0) return x < y;
    if (w->most > 1e9) return x > y;
    return y != 0 && x / y >= w->least && x / y <= w->most;
}

static bool ends_sentence(const char *p) { return strchr(".!?", *p) && (!p[1] || isspace((unsigned char)p[1])); }

static void judge_sentence(truth *t, view_context *c, const char *from, const char *to)
{
    number n[8];
    int count = 0;
    bool denied = false;
    for (const char *p = from; p < to; p++) {
        if (*p == '{' && count < 8) {
            number *next = &n[count];
            if (read_number(c, p, next)) count++;
            const char *close = strchr(p, '}');
            p = close && close < to ? close : p;
        }
    }
    for (const char *p = from; p < to && count;) { /* before the first number, nothing may deny it */
        if (p >= n[0].open) break;
        size_t k = 0;
        while (p + k < n[0].open && isalpha((unsigned char)p[k])) k++;
        denied = denied || (k && (doubtful(p, k) || is_word(p, k, "than") || is_word(p, k, "from")));
        p += k ? k : 1;
    }
    for (int i = 0; i + 1 < count; i++) {
        const number *a = &n[i], *b = &n[i + 1];
        const char *middle = a->close + 1;
        if (b->open - middle > MIDDLE || a->length != b->length || memcmp(a->name, b->name, a->length) ||
            (a->close - a->open == b->close - b->open && !memcmp(a->open, b->open, (size_t)(a->close - a->open))))
            continue;
        const struct word *w = denied ? NULL : comparing(middle, b->open);
        if (!w && i == 0) w = announcing(from, a->open, middle, b->open);
        if (!w) continue;
        t->judged++;
        if (agrees(w, a, b)) continue;
        char text[400];
        snprintf(text, sizeof text, "\"%s\" is not what this run shows: %.*s is %.6g, %.*s is %.6g: \"%.*s\"", w->text,
                 (int)(a->close - a->open + 1), a->open, a->value, (int)(b->close - b->open + 1), b->open, b->value,
                 (int)(to - from < 160 ? to - from : 160), from);
        for (char *p = text; *p; p++)
            if (*p == '\n') *p = ' ';
        t->complain(t->arg, text);
    }
}

void truth_paragraph(void *arg, view_context *c, const char *text)
{
    truth *t = arg;
    const char *from = text;
    int depth = 0;
    for (const char *p = text;; p++) {
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
        if (*p && (depth > 0 || !ends_sentence(p))) continue;
        from += strspn(from, " \n");
        if (p > from) judge_sentence(t, c, from, *p ? p + 1 : p);
        if (!*p) break;
        from = p + 1;
    }
}
