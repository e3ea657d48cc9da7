/* warps.c: the command `warps`: what all warps of a multiprocessor do over time. */
#include "film_record.h"
#include "film/strip.h"
#include "shell/format.h"
#include "shell/language.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int warps_command(struct app *app, int argc, char **argv);

enum { ROW_NAME = 9, ROWS_SHOWN = 64 };

typedef struct film_list {
    film_made made[FILM_FILMS];
    int count;
} film_list;

static void print_json(frames *f, const strip *s, doc *d)
{
    char row[STRIP_COLUMNS + 1];
    json *j = doc_begin(d, "warps", "step %s, device %s, kernel %s", f->title, f->device, f->reel->kernel);
    json_keys(j, "multiprocessor %u, multiprocessors %d, clock_from %" PRIu64 ", clock_to %" PRIu64 ", columns %d",
              f->reel->multiprocessor, f->reel->multiprocessors, s->from, s->to, s->columns);
    json_object(j, "signs");
    for (int k = 0; k < STRIP_STATES; k++) json_text(j, (char[]){strip_signs[k].sign, 0}, strip_signs[k].name);
    json_close(j);
    json_array(j, "warps");
    for (int p = 0; p < s->places; p++) {
        strip_row(s, p, row);
        json_text(j, NULL, row);
    }
    json_close(j);
    json_array(j, "issued_percent");
    for (int c = 0; c < s->columns; c++) json_int(j, NULL, s->issued[c]);
    json_close(j);
    json_object(j, "share");
    for (int k = 1; k < STRIP_STATES; k++) json_number(j, strip_signs[k].name, s->share[k]);
    json_close(j);
    json_end(j);
}

static void print_strip(doc *d, frames *f, const strip *s)
{
    char row[STRIP_COLUMNS + 1], from[32], to[32], sentence[300];
    const uint32_t each = f->reel->warps;
    doc_head(d, f->device, "%s, multiprocessor %u of %d", f->title, f->reel->multiprocessor + 1,
             f->reel->multiprocessors);
    for (int p = 0; p < s->places && p < ROWS_SHOWN; p++) {
        strip_row(s, p, row);
        if (p && (uint32_t)p % each == 0) doc_line(d, "%*s%s", ROW_NAME, "", "");
        doc_line(d, "warp %-3d %s", p, row);
    }
    if (s->places > ROWS_SHOWN) doc_dim(d, "... %d warps more ...", s->places - ROWS_SHOWN);
    for (int c = 0; c < s->columns; c++) row[c] = (char)(s->issued[c] >= 95 ? '9' : '0' + s->issued[c] / 10);
    doc_line(d, "issue    %s", row);
    format_count(from, sizeof from, s->from);
    format_count(to, sizeof to, s->to);
    doc_line(d, "clock    %s%*s", from, s->columns - (int)strlen(from), to);
    strip_sentence(s, sentence, sizeof sentence);
    doc_say(d, 2, "%s", sentence);
    doc_gap(d);
}

static void print_legend(doc *d)
{
    char text[300] = "";
    for (int k = 1; k < STRIP_STATES; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%c %s", k > 1 ? TR(", ") : "", strip_signs[k].sign,
                 TR(strip_signs[k].name));
    doc_say(d, 2,
            "Signs, what a warp does most in those clocks: %s. issue: tenths of the clocks in which an instruction "
            "is issued.",
            text);
}

/* All strips on one scale, as JSON to `lines` if that is not NULL. */
static int print_all(struct app *app, const film_plan *p, film_list *l, FILE *lines)
{
    uint64_t to = 0;
    const int columns = app->width - ROW_NAME < 20 ? 20 : app->width - ROW_NAME;
    const uint64_t from = (uint64_t)p->clock_from, most = p->clock_to ? (uint64_t)p->clock_to : strip_window(columns);
    for (int i = 0; i < l->count; i++) {
        strip_wait(l->made[i].f, most);
        if (app_interrupted) return EXIT_INTERRUPT;
        if (strip_end(l->made[i].f) > to) to = strip_end(l->made[i].f);
    }
    if (to > most) to = most;
    doc d = lines ? doc_to(app, lines, &doc_json) : doc_open(app);
    for (int i = 0; i < l->count; i++) {
        strip s;
        if (!strip_make(l->made[i].f, from, to, columns, &s))
            return app_no_memory(app);
        print_json(l->made[i].f, &s, &d);
        print_strip(&d, l->made[i].f, &s);
        strip_free(&s);
    }
    print_legend(&d);
    return EXIT_DONE;
}

static bool names_target(const char *word) { return strncmp(word, "--", 2) && !strchr(word, '='); }

/* Films of the steps that the words name, or of one step on several cards. */
static int make_all(struct app *app, film_plan *p, film_list *l)
{
    int status = 0, from = 0;
    const bool own = p->words && (strstr(p->word[0], ".cu") || strstr(p->word[0], ".ptx"));
    do {
        int to = from + 1;
        while (to < p->words && (own || !names_target(p->word[to]))) to++;
        if (to > p->words) to = p->words;
        const int cards = film_cards(app);
        for (int k = 0; k < cards && !status; k++) {
            if (l->count == FILM_FILMS)
                return app_fail(app, EXIT_USAGE, "help warps", "at most %d strips above each other", FILM_FILMS);
            p->device = cards > 1 ? k : -1;
            status = film_make(app, p, from, to, false, &l->made[l->count]);
            l->count++;
        }
        from = to;
    } while (!status && from < p->words);
    return status;
}

typedef struct lines_of {
    struct app *app;
    const film_plan *p;
    film_list *l;
} lines_of;

static int write_lines(void *arg, FILE *out)
{
    const lines_of *x = arg;
    return print_all(x->app, x->p, x->l, out);
}

static int record(struct app *app, const film_plan *p, film_list *l, frames *const *f)
{
    lines_of x = {app, p, l};
    return film_record_write(app,
                             &(film_record){.p = p, .film = f, .films = l->count, .lines = write_lines, .arg = &x});
}

int warps_command(struct app *app, int argc, char **argv)
{
    film_plan p;
    film_list l = {.count = 0};
    int status = film_line(app, &p, argc, argv);
    if (!status) status = make_all(app, &p, &l);
    if (!status) {
        frames *f[FILM_FILMS];
        for (int i = 0; i < l.count; i++) f[i] = l.made[i].f;
        if (p.record) status = record(app, &p, &l, f);
        else if (!(app->out_tty && !app->json && !p.text &&
                   warps_screen(f, l.count, (uint64_t)p.clock_from, (uint64_t)p.clock_to)))
            status = print_all(app, &p, &l, NULL);
    }
    for (int i = 0; i < l.count; i++) film_made_free(&l.made[i]);
    return status;
}
