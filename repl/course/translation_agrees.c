/* translation_agrees.c: does a translation say the same as the English text, as far as a program
 * can tell? See translation.h. */
#include "translation.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- placeholders ---- */

/* The length of the "{...}" at p. 0: there is none, as where a block of C begins and ends on other lines. */
static size_t placeholder_at(const char *p, const char *end)
{
    const size_t inside = *p == '{' ? strcspn(p, "}\n") : 0;
    return inside && p + inside < end && p[inside] == '}' ? inside + 1 : 0;
}

/* The next "{...}" of a text that ends at `end`. NULL: no more. */
static const char *placeholder(const char *p, const char *end, size_t *length)
{
    for (; p < end; p++)
        if ((*length = placeholder_at(p, end))) return p;
    return NULL;
}

static int occurrences(const char *p, const char *end, const char *what, size_t n)
{
    int count = 0;
    size_t length;
    for (; (p = placeholder(p, end, &length)); p += length) count += length == n && !memcmp(p, what, n);
    return count;
}

/* Each placeholder of a is in b as often? */
static bool has_all(const char *a, const char *a_end, const char *b, const char *b_end, char *why, size_t size,
                    const char *fmt_missing)
{
    size_t length;
    for (const char *p = a; (p = placeholder(p, a_end, &length)); p += length)
        if (occurrences(a, a_end, p, length) != occurrences(b, b_end, p, length)) {
            snprintf(why, size, "%.*s %s", (int)(length < 120 ? length : 120), p, fmt_missing);
            return false;
        }
    return true;
}

/* ---- figures ---- */

enum { FIGURES = 64 };
typedef struct figures {
    double value[FIGURES];
    int count;
} figures;

/* What a number is multiplied by: "640 million", "6.4 亿". */
static double scale_after(const char *p)
{
    static const struct {
        const char *word;
        double scale;
    } scales[] = {{"thousand", 1e3},
                  {"million", 1e6},
                  {"billion", 1e9},
                  {"\xe4\xb8\x87\xe4\xba\xbf", 1e12}, /* 万亿 */
                  {"\xe4\xba\xbf", 1e8},              /* 亿 */
                  {"\xe7\x99\xbe\xe4\xb8\x87", 1e6},  /* 百万 */
                  {"\xe5\x8d\x83\xe4\xb8\x87", 1e7},  /* 千万 */
                  {"\xe4\xb8\x87", 1e4},              /* 万 */
                  {"\xe5\x8d\x83", 1e3}};             /* 千 */
    p += strspn(p, " \n");
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (!strncmp(p, scales[i].word, strlen(scales[i].word))) return scales[i].scale;
    return 1;
}

/* A number at p, with its commas. Returns where it ends. */
static const char *number_at(const char *p, double *value)
{
    char digits[64];
    size_t n = 0;
    while (n < sizeof digits - 1) {
        if (isdigit((unsigned char)*p)) digits[n++] = *p++;
        else if (*p == ',' && strspn(p + 1, "0123456789") == 3) p++;
        else if (*p == '.' && isdigit((unsigned char)p[1])) digits[n++] = *p++;
        else break;
    }
    digits[n] = 0;
    *value = strtod(digits, NULL);
    return p;
}

/* The figures of a text, outside of its placeholders and not part of a name (v3). */
static void find_figures(const char *p, figures *out)
{
    out->count = 0;
    for (char before = 0; *p && out->count < FIGURES;) {
        const size_t skipped = placeholder_at(p, p + strlen(p));
        if (skipped) {
            p += skipped;
            before = 0;
        } else if (isdigit((unsigned char)*p) && !isalnum((unsigned char)before) && before != '_') {
            double value;
            p = number_at(p, &value);
            double scale = scale_after(p);
            const char *to = p + strspn(p, " ");
            if (scale == 1 && !strncmp(to, "to ", 3) && isdigit((unsigned char)to[3])) { /* 2.6 to 1.95 million */
                double other;
                scale = scale_after(number_at(to + 3, &other));
            }
            out->value[out->count++] = value * scale;
            before = '0';
        } else {
            before = *p++;
        }
    }
}

static bool has_figure(const figures *f, double value)
{
    for (int i = 0; i < f->count; i++)
        if (fabs(f->value[i] - value) <= 1e-9 * fabs(value)) return true;
    return false;
}

/* ---- both ---- */

static const char *paragraph_end(const char *p)
{
    const char *end = strstr(p, "\n\n");
    return end ? end : p + strlen(p);
}

bool translation_agrees(const char *english, const char *other, char *why, size_t size)
{
    static const char missing[] = "stands there another number of times";
    const char *a = english, *b = other;
    for (int nth = 1; *a || *b; nth++) {
        if (!*a || !*b) {
            snprintf(why, size, "it has %s paragraphs", *a ? "fewer" : "more");
            return false;
        }
        const char *a_end = paragraph_end(a), *b_end = paragraph_end(b);
        if (!has_all(a, a_end, b, b_end, why, size, missing) || !has_all(b, b_end, a, a_end, why, size, missing))
            return false;
        const bool when = !strncmp(a, "{when ", 6);
        if (when != !strncmp(b, "{when ", 6)) {
            snprintf(why, size, "paragraph %d must begin with its condition", nth);
            return false;
        }
        a = a_end + strspn(a_end, "\n");
        b = b_end + strspn(b_end, "\n");
    }
    figures of_english, of_other;
    find_figures(english, &of_english);
    find_figures(other, &of_other);
    for (int i = 0; i < of_english.count; i++)
        if (!has_figure(&of_other, of_english.value[i])) {
            snprintf(why, size, "the figure %.12g is missing", of_english.value[i]);
            return false;
        }
    for (int i = 0; i < of_other.count; i++)
        if (!has_figure(&of_english, of_other.value[i])) {
            snprintf(why, size, "the figure %.12g is not there in English", of_other.value[i]);
            return false;
        }
    return true;
}
