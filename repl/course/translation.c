/* translation.c: see translation.h. One list says which texts a lesson has and where; reading,
 * applying and checking a translation all go through it. */
#include "translation.h"
#include "shell/format.h"
#include "shell/language.h"
#include "list.h"
#include "shell/plain_file.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 8, LONGEST = 1 << 20 };

/* ---- the texts of a lesson ---- */

/* Adds one, if the lesson has it. Without memory the rest stays in English. */
static void add(lesson *l, const char *step, const char *key, const char *name, int nth, int line, const char **at)
{
    if (!*at || !list_grow(&l->wording, (size_t)l->wordings, sizeof *l->wording)) return;
    l->wording[l->wordings++] = (lesson_wording){step, key, name ? name : "", nth, line, at, .english = *at};
}

static void add_predictions(lesson *l, lesson_step *s, const char *step)
{
    for (int i = 0; i < s->predict_count; i++) {
        lesson_predict *p = &s->predict[i];
        add(l, step, "predict", NULL, i + 1, p->line, &p->question.text);
        for (int k = 0; k < p->choices; k++)
            add(l, step, "choice", NULL, CHOICES * i + k + 1, p->choice[k].line, &p->choice[k].text);
        add(l, step, "because", NULL, i + 1, p->because.line, &p->because.text);
    }
}

static void add_step(lesson *l, lesson_step *s, const char *step)
{
    add(l, step, "title", NULL, 1, s->line, &s->title);
    add(l, step, "idea", NULL, 1, s->idea.line, &s->idea.text);
    /* a rule or a figure from `like` is a copy of one above */
    for (int i = 0, own = 0; i < s->rule_count; i++)
        add(l, step, "require", NULL, s->rule[i].line > s->line ? ++own : 0, s->rule[i].line, &s->rule[i].message);
    for (int i = 0, own = 0; i < s->article_count; i++)
        if (s->article[i].note) add(l, step, "remark", NULL, ++own, s->article[i].line, &s->article[i].note);
    for (int i = 0; i < s->look_count; i++) add(l, step, "look", NULL, i + 1, s->look[i].line, &s->look[i].says.text);
    add_predictions(l, s, step);
    add(l, step, "text", NULL, 1, s->text.line, &s->text.text);
    add(l, step, "explain", NULL, 1, s->explain.line, &s->explain.text);
}

static void add_exercise(lesson *l, exercise *x)
{
    lesson_step *s = &l->step[0];
    add(l, "", "task", NULL, 1, x->task.line, &x->task.text);
    add(l, "", "task", NULL, 0, x->task.line, &s->idea.text);
    for (int i = 0, own = 0; i < s->rule_count; i++)
        add(l, "", "require", NULL, ++own, s->rule[i].line, &s->rule[i].message);
    for (int i = 0, own = 0; i < x->goals; i++)
        if (x->goal[i].why) add(l, "", "goal", NULL, ++own, x->goal[i].line, &x->goal[i].why);
    add(l, "", "starter", NULL, 1, x->starter.line, &x->starter.words);
    for (int i = 0; i < x->wrongs; i++) add(l, "", "wrong", x->wrong[i].file, 1, x->wrong[i].line, &x->wrong[i].words);
    add_predictions(l, s, "");
    for (int i = 0; i < x->hints; i++) add(l, "", "hint", NULL, i + 1, x->hint[i].line, &x->hint[i].text);
    add(l, "", "explain", NULL, 1, s->explain.line, &s->explain.text);
}

static void list_all(lesson *l, exercise *x)
{
    l->wordings = 0;
    add(l, "", "title", NULL, 1, 1, &l->title);
    if (x) add(l, "", "title", NULL, 0, 1, &l->step[0].title);
    add(l, "", "needs", NULL, 1, 1, &l->needs);
    add(l, "", "source", NULL, 1, 1, &l->source);
    add(l, "", "about", NULL, 1, l->about.line, &l->about.text);
    for (int i = 0; i < l->setting_count; i++)
        add(l, "", "setting", l->setting[i].name, 1, l->setting[i].line, &l->setting[i].about);
    for (int i = 0; i < l->chapter_count; i++)
        add(l, "", "chapter", l->chapter[i].name, 1, l->chapter[i].line, &l->chapter[i].title);
    if (x) add_exercise(l, x);
    else
        for (int i = 0; i < l->step_count; i++) add_step(l, &l->step[i], l->step[i].name);
}

static lesson_wording *wording_of(lesson *l, const char *step, const char *key, const char *name, int nth)
{
    for (int i = 0; i < l->wordings; i++) {
        lesson_wording *w = &l->wording[i];
        if (w->nth == nth && !strcmp(w->key, key) && !strcmp(w->step, step) && !strcmp(w->name, name)) return w;
    }
    return NULL;
}

/* ---- reading ---- */

/* The file is divided in place; the texts of the lesson point into it. */
typedef struct reader {
    lesson *l;
    const exercise *x;
    const char *path;
    enum app_language language;
    translation_complain *complain;
    void *arg;
    char step[LESSON_NAME + 1];
    int line;      /* of the key */
    int counts[5]; /* texts so far in this step of the keys that may occur several times */
    int questions; /* so far in this step */
} reader;

static const char *const counted[] = {"require", "remark", "look", "goal", "hint"};

static void complain(const reader *r, int line, const char *fmt, ...) APP_PRINTF(3, 4);
static void complain(const reader *r, int line, const char *fmt, ...)
{
    char text[400];
    va_list args;
    if (!r->complain) return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    r->complain(r->arg, r->path, line, text);
}

/* A character of ASCII or two columns wide is as wide in every terminal. */
static void check_characters(const reader *r, int line, const char *text)
{
    for (size_t used; *text; text += used) {
        char one[8] = "";
        uint32_t point;
        if (!(used = utf8_decode(text, strlen(text), &point))) return;
        memcpy(one, text, used);
        if (point >= 0x80 && utf8_width(one) != 2) {
            complain(r, line, "expected another character than %s: some terminals draw it one column wide, some two",
                     one);
            return;
        }
    }
}

static void check_lines(const reader *r, int line, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        char one[LESSON_LINE];
        n = strcspn(text, "\n");
        snprintf(one, sizeof one, "%.*s", (int)n, text);
        if (*one == ' ' && utf8_width(one) > 76) complain(r, line, "a drawn line is wider than 76 columns");
    }
}

/* These are filled where they are printed, and may have paragraphs. Any other text is one line. */
static bool has_paragraphs(const char *key)
{
    static const char *const keys[] = {"about", "text", "explain", "task", "hint"};
    bool found = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) found = found || !strcmp(keys[i], key);
    return found;
}

static void join_lines(char *text)
{
    char *to = text;
    for (char *p = text; *p; p++)
        if (*p != '\n') *to++ = *p;
        else if (!utf8_joins(to, text, p + 1)) *to++ = ' ';
    *to = 0;
}

static void take(reader *r, const char *key, const char *name, int nth, int line, char *text)
{
    char why[300];
    if (!has_paragraphs(key)) join_lines(text);
    lesson_wording *w = wording_of(r->l, r->step, key, name, nth);
    if (!w) {
        complain(r, line, "expected a text that the English file has too: it has no %s%s%s here", key, *name ? " " : "",
                 name);
    } else if (w->other[r->language]) {
        complain(r, line, "expected this %s only once", key);
    } else if (!*text) {
        complain(r, line, "expected text after %s:", key);
    } else if (!translation_agrees(w->english, text, why, sizeof why)) {
        complain(r, line, "%s does not agree with the English text of line %d: %s", key, w->line, why);
    } else {
        check_characters(r, line, text);
        check_lines(r, line, text);
        w->other[r->language] = text;
    }
}

/* Lines from..to of an item become one text, in place: without their common indentation. `first`
 * stands behind the key. Returns where it begins. */
static char *text_of_lines(char *first, char **line, int from, int to)
{
    size_t common = 1000;
    for (int i = from; i < to; i++) {
        const size_t indent = strspn(line[i], " ");
        if (line[i][indent] && indent < common) common = indent;
    }
    first += strspn(first, " ");
    char *w = first + strlen(first);
    const bool begun = w > first;
    for (int i = from; i < to; i++) {
        const char *text = strlen(line[i]) > common ? line[i] + common : "";
        if (i > from || begun) *w++ = '\n';
        memmove(w, text, strlen(text));
        w += strlen(text);
    }
    while (w > first && (w[-1] == '\n' || w[-1] == ' ')) w--;
    *w = 0;
    return first;
}

/* NAME, TEXT */
static void take_named(reader *r, const char *key, char *text)
{
    char *comma = strchr(text, ',');
    if (!comma) {
        complain(r, r->line, "expected %s: NAME, and what it means", key);
        return;
    }
    *comma = 0;
    if (!strcmp(key, "chapter")) r->step[0] = 0; /* it may stand between two steps */
    take(r, key, text, 1, r->line, comma + 1 + strspn(comma + 1, " "));
}

/* A question, then choice: and because:. */
static void take_question(reader *r, char *first, char **line, int from, int to)
{
    const int question = ++r->questions;
    const char *key = "predict";
    int begins = from, at = r->line, choice = 0;
    char *start = first;
    for (int i = from; i <= to; i++) {
        char *p = i < to ? line[i] + strspn(line[i], " ") : NULL;
        const bool choose = p && !strncmp(p, "choice:", 7), explain = p && !strncmp(p, "because:", 8);
        if (i < to && !choose && !explain) continue;
        const int nth = *key == 'c' ? CHOICES * (question - 1) + ++choice : question;
        take(r, key, "", nth, at, text_of_lines(start, line, begins, i));
        if (!p) break;
        key = choose ? "choice" : "because";
        start = p + (choose ? 7 : 8);
        begins = i + 1;
        at = r->line + (i - from) + 1;
    }
}

static void take_item(reader *r, char **line, int from, int to)
{
    static const char *const keys[] = {"title",   "needs",   "source",  "about",   "idea",    "text",
                                       "explain", "task",    "starter", "setting", "chapter", "wrong",
                                       "predict", "require", "remark",  "look",    "goal",    "hint"};
    char *colon = strchr(line[from], ':'), *key = line[from];
    if (!colon || colon == key) {
        complain(r, r->line, "expected a key and a colon, as in \"title: ...\"");
        return;
    }
    *colon = 0;
    if (!strcmp(key, "step")) {
        char *name = colon + 1 + strspn(colon + 1, " ");
        snprintf(r->step, sizeof r->step, "%.*s", LESSON_NAME, name);
        memset(r->counts, 0, sizeof r->counts);
        r->questions = 0;
        if (r->x || !lesson_step_named(r->l, name, strlen(name)))
            complain(r, r->line, "expected a step of the English file: there is none called %.60s", name);
        return;
    }
    bool known = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) known = known || !strcmp(keys[i], key);
    if (!known) {
        complain(r, r->line, "expected a key that has text: %.60s is none", key);
        return;
    }
    if (!strcmp(key, "predict")) {
        take_question(r, colon + 1, line, from + 1, to);
        return;
    }
    char *text = text_of_lines(colon + 1, line, from + 1, to);
    if (!strcmp(key, "setting") || !strcmp(key, "chapter") || !strcmp(key, "wrong")) {
        take_named(r, key, text);
        return;
    }
    int nth = 1;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (!strcmp(counted[i], key)) nth = ++r->counts[i];
    take(r, key, "", nth, r->line, text);
}

/* Cuts the text into lines and items. */
static void take_file(reader *r, char *text)
{
    int count = 1;
    for (const char *p = text; *p; p++) count += *p == '\n';
    char **line = calloc((size_t)count + 1, sizeof *line);
    int lines = 0;
    if (!line) return;
    for (char *p = text; *p;) {
        char *end = p + strcspn(p, "\n"), *next = end + (*end != 0);
        *end = 0;
        while (end > p && (end[-1] == ' ' || end[-1] == '\r')) *--end = 0;
        line[lines++] = p;
        p = next;
    }
    for (int i = 0; i < lines;) {
        int to = i + 1;
        r->line = i + 1;
        for (int j = i + 1; j < lines && (!*line[j] || *line[j] == ' '); j++)
            if (*line[j]) to = j + 1;
        if (*line[i] && *line[i] != '#') take_item(r, line, i, to);
        i = to;
    }
    free(line);
}

void translation_path(const char *path, enum app_language language, char *out, size_t size)
{
    const size_t n = strlen(path);
    snprintf(out, size, "%.*s.%s.txt", (int)(n > 4 ? n - 4 : n), path, language_codes[language]);
}

/* A copy of a text says what the text says. */
static void fill_copies(lesson *l, enum app_language language)
{
    for (int i = 0; i < l->wordings; i++)
        for (int k = 0; k < l->wordings && !l->wording[i].nth; k++)
            if (l->wording[k].nth && l->wording[k].english == l->wording[i].english)
                l->wording[i].other[language] = l->wording[k].other[language];
}

static bool is_text(const char *text, size_t bytes)
{
    uint32_t point;
    for (size_t at = 0, used; at < bytes; at += used) {
        if (!(used = utf8_decode(text + at, bytes - at, &point))) return false;
        if ((utf8_hidden(point) && point != '\n' && point != '\r')) return false;
    }
    return true;
}

/* Reads one translation. False: there is none. */
static bool read_file(lesson *l, exercise *x, const char *path, enum app_language language, translation_complain *say,
                      void *arg)
{
    char file[1400], *text;
    size_t bytes;
    free(l->other_text[language]);
    l->other_text[language] = NULL;
    for (int i = 0; i < l->wordings; i++) l->wording[i].other[language] = NULL;
    translation_path(path, language, file, sizeof file);
    if (file_read(file, LONGEST, &text, &bytes)) return false;
    reader r = {.l = l, .x = x, .path = file, .language = language, .complain = say, .arg = arg};
    l->other_text[language] = text;
    if (!l->wordings) list_all(l, x);
    if (is_text(text, bytes)) take_file(&r, text);
    else complain(&r, 1, "expected UTF-8 text without control characters");
    fill_copies(l, language);
    return true;
}

void translation_read(lesson *l, exercise *x, const char *path)
{
    for (int i = LANGUAGE_FIRST; i < LANGUAGES; i++) read_file(l, x, path, (enum app_language)i, NULL, NULL);
    lesson_speak(l, language_now());
}

void lesson_speak(lesson *l, enum app_language language)
{
    for (int i = 0; i < l->wordings; i++) {
        const lesson_wording *w = &l->wording[i];
        *w->at = w->other[language] ? w->other[language] : w->english;
    }
}

void translation_free(lesson *l)
{
    free(l->wording);
    for (int i = LANGUAGE_FIRST; i < LANGUAGES; i++) free(l->other_text[i]);
}

bool translation_check(lesson *l, exercise *x, const char *path, enum app_language language, translation_complain *say,
                       void *arg, int *all, int *translated)
{
    lesson_speak(l, LANGUAGE_EN);
    const bool there = read_file(l, x, path, language, say, arg);
    if (!l->wordings) list_all(l, x);
    for (int i = 0; i < l->wordings; i++) {
        *all += l->wording[i].nth != 0;
        *translated += l->wording[i].nth != 0 && l->wording[i].other[language];
    }
    lesson_speak(l, language_now());
    return there;
}
