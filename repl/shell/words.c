/* words.c: lists of words, and how a line is split into them; see words.h. */
#include "words.h"

#include "app.h"
#include "list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void fail(struct words *w)
{
    w->failed = true;
    app_lost = ENOMEM;
}

void words_addn(struct words *w, const char *text, size_t length)
{
    char *copy = list_room(&w->v, &w->room, (size_t)w->count + 2, sizeof *w->v) ? malloc(length + 1) : NULL;
    if (!copy) {
        fail(w);
        return;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    w->v[w->count++] = copy;
    w->v[w->count] = NULL;
}

void words_add(struct words *w, const char *text) { words_addn(w, text, strlen(text)); }

void words_remove(struct words *w, int at)
{
    if (at < 0 || at >= w->count) return;
    free(w->v[at]);
    memmove(w->v + at, w->v + at + 1, (size_t)(w->count - at) * sizeof *w->v); /* with the NULL at the end */
    w->count--;
}

static int compare(const void *pa, const void *pb)
{
    const char *a = *(char *const *)pa, *b = *(char *const *)pb;
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            while (*a == '0') a++;
            while (*b == '0') b++;
            size_t m = strspn(a, "0123456789"), n = strspn(b, "0123456789");
            if (m != n) return m < n ? -1 : 1;
            int c = strncmp(a, b, m);
            if (c) return c;
            a += m;
            b += n;
        } else {
            if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
        }
    }
    return *a ? 1 : *b ? -1 : 0;
}

void words_sort(struct words *w)
{
    if (w->count > 1) qsort(w->v, (size_t)w->count, sizeof *w->v, compare);
}

bool words_have(const struct words *w, const char *text)
{
    for (int i = 0; i < w->count; i++)
        if (!strcmp(w->v[i], text)) return true;
    return false;
}

void words_free(struct words *w)
{
    for (int i = 0; i < w->count; i++) free(w->v[i]);
    free(w->v);
    memset(w, 0, sizeof *w);
}

const char *words_split(struct words *w, const char *line)
{
    char *word = malloc(strlen(line) + 1);
    if (!word) {
        fail(w);
        return NO_MEMORY;
    }
    const char *p = line, *wrong = NULL;
    while (!wrong) {
        while (isspace((unsigned char)*p)) p++;
        if (!*p || *p == '#') break;
        size_t n = 0;
        char quote = 0;
        for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
            if (quote == '\'') {
                if (*p == '\'') quote = 0;
                else word[n++] = *p;
            } else if (*p == '\\' && (!quote || p[1] == '"' || p[1] == '\\')) {
                if (!p[1]) {
                    wrong = "nothing follows the backslash at the end";
                    break;
                }
                word[n++] = *++p;
            } else if (quote) {
                if (*p == '"') quote = 0;
                else word[n++] = *p;
            } else if (*p == '\'' || *p == '"') {
                quote = *p;
            } else {
                word[n++] = *p;
            }
        }
        if (quote && !wrong) wrong = quote == '"' ? "a \" is not closed" : "a ' is not closed";
        if (!wrong) words_addn(w, word, n);
    }
    free(word);
    if (!wrong && w->failed) wrong = NO_MEMORY;
    return wrong;
}
