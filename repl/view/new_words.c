/* new_words.c: words of the glossary, explained where a student meets them first: below the first
 * step, in the order of lessons and steps, whose text has the word. Where a text has more than two
 * new words, the rest wait for the next step that has them. So it needs no memory of what a student
 * has read, and everybody sees the same. */
#include "course/glossary.h"
#include "view.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MOST = 200, WORDS_A_STEP = 2 };

typedef struct walk {
    glossary_term *term;
    int count;
    bool known[WORDS_MOST];
    int fresh[WORDS_A_STEP]; /* of the step last walked over */
    int fresh_count;
} walk;

/* Where the text has the name as a word of its own, or its plural; NULL: nowhere. A word that goes on behind a
 * hyphen is another one: stream-K is no stream. */
static const char *find_word(const char *text, const char *name, size_t length)
{
    for (const char *p = text; *p; p++) {
        if ((p > text && isalnum((unsigned char)p[-1])) || strncasecmp(p, name, length)) continue;
        const char *end = p + length + (p[length] == 's');
        if (!isalnum((unsigned char)*end) && !(*end == '-' && isalnum((unsigned char)end[1]))) return p;
    }
    return NULL;
}

/* The first place of the term, under any of its names. */
static const char *find_term(const char *text, const glossary_term *t)
{
    const char *best = find_word(text, t->name, strlen(t->name));
    for (const char *p = t->also; *p;) {
        const size_t length = strcspn(p, ",");
        const char *at = length ? find_word(text, p, length) : NULL;
        if (at && (!best || at < best)) best = at;
        p += length;
        p += strspn(p, ", ");
    }
    return best;
}

/* A single Chinese character is part of many words, and a word of its own behind a measure word. */
static bool is_counted(const char *text, const char *at)
{
    return at >= text + 3 && (!memcmp(at - 3, "个", 3) || !memcmp(at - 3, "条", 3));
}

/* Chinese has no blanks between words: not where it is part of a longer term (warp, of which thread
 * is the beginning). */
static const char *find_local(const char *text, const glossary_term *t, const glossary_term *all, int count)
{
    const size_t length = strlen(t->local);
    for (const char *at = text; length && (at = strstr(at, t->local)); at += length) {
        bool part = length <= 3 && !is_counted(text, at);
        for (int i = 0; i < count && !part; i++)
            for (const char *in = all[i].local; strlen(all[i].local) > length && (in = strstr(in, t->local)); in++) {
                const size_t before = (size_t)(in - all[i].local);
                part = part ||
                       ((size_t)(at - text) >= before && !strncmp(at - before, all[i].local, strlen(all[i].local)));
            }
        if (!part) return at;
    }
    return NULL;
}

/* A copy without the paragraphs that only some cards see, and without {...}; NULL: no memory. */
static char *plain_text(const lesson_step *s)
{
    const char *const parts[] = {s->idea.text, s->text.text};
    char *out = calloc(1, strlen(parts[0] ? parts[0] : "") + strlen(parts[1] ? parts[1] : "") + 4), *w = out;
    for (int i = 0; out && i < 2; i++) {
        for (const char *p = parts[i] ? parts[i] : ""; *p;) {
            const char *stop = strstr(p, "\n\n");
            const size_t n = stop ? (size_t)(stop - p) + 2 : strlen(p);
            bool inside = false;
            for (size_t k = 0; k < n && strncmp(p, "{when", 5); k++) {
                inside = p[k] == '{' || (inside && p[k - 1] != '}');
                if (!inside) *w++ = p[k];
            }
            p += n;
        }
        *w++ = '\n';
    }
    if (out) *w = 0;
    return out;
}

static void walk_step(walk *w, const lesson_step *s)
{
    char *text = plain_text(s);
    w->fresh_count = 0;
    for (; text && w->fresh_count < WORDS_A_STEP;) {
        const char *first = NULL;
        int which = -1;
        for (int i = 0; i < w->count; i++) {
            const glossary_term *t = &w->term[i];
            const char *at = w->known[i] ? NULL
                             : *t->local ? find_local(text, t, w->term, w->count)
                                         : find_term(text, t);
            if (!at || (first && at >= first)) continue;
            first = at;
            which = i;
        }
        if (which < 0) break;
        w->known[which] = true;
        w->fresh[w->fresh_count++] = which;
    }
    free(text);
}

/* Over all steps from the first lesson's to `to`, a step of the lesson at hand. */
static void walk_to(struct app *app, walk *w, const lesson_step *to)
{
    const lesson *here = app->lesson->l;
    for (int i = 0; i < app->lesson->list.count; i++) {
        const lesson_entry *e = &app->lesson->list.entry[i];
        const bool last = !strcmp(e->folder, here->folder);
        lesson *other = NULL;
        lesson_error err;
        if (!last && !session_read(app, e, &other, &err)) continue;
        const lesson *l = last ? here : other;
        for (int k = 0; k < l->step_count; k++) {
            walk_step(w, &l->step[k]);
            if (last && &l->step[k] == to) return;
        }
        lesson_free(other);
    }
    w->fresh_count = 0;
}

/* "name: its first sentence", cut to one line. A Chinese text begins with the name, and may have
 * no other name than the English one (PTX). */
static void put_word(doc *d, const glossary_term *t)
{
    char line[1000];
    const char *han_stop = strstr(t->text, "\xe3\x80\x82"), *end = han_stop ? han_stop : strstr(t->text, ". ");
    const int sentence = !end ? (int)strlen(t->text) : (int)(end - t->text) + (han_stop ? 3 : 1);
    const int room = (d->app->width > 100 ? 100 : d->app->width) - 4;
    snprintf(line, sizeof line, "%s%s%.*s", han_stop ? "" : t->name, han_stop ? "" : ": ", sentence, t->text);
    if (utf8_width(line) > room) {
        size_t fit = utf8_fit(line, room > 8 ? room - 4 : 4);
        while (!han_stop && fit > 0 && line[fit] != ' ') fit--;
        snprintf(line + fit, sizeof line - fit, " ...");
    }
    doc_dim(d, "  %s", line);
}

void view_new_words(doc *d, const lesson_step *s)
{
    struct app *app = d->app;
    walk w = {.term = calloc(WORDS_MOST, sizeof *w.term)};
    if (w.term && step_job(s)->kind->in_course && !session_lessons(app)) {
        for (size_t at = 0; w.count < WORDS_MOST && glossary_next(&at, &w.term[w.count]);) w.count++;
        walk_to(app, &w, s);
        if (w.fresh_count) {
            doc_gap(d);
            doc_dim(d, "New here (help WORD says more):");
        }
        for (int i = 0; i < w.fresh_count; i++) put_word(d, &w.term[w.fresh[i]]);
    }
    free(w.term);
}
