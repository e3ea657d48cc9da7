/* roofline.c: `show roofline`: how fast a card could be at each ratio of operations to bytes, and
 * where the steps of the current lesson are below that.
 *
 * The roof has two parts: a slope, bytes per second times operations per byte, and a flat top, the
 * arithmetic of all multiprocessors. Both follow from the card's own parameters (card_peaks). Each
 * step is a letter. Its x is useful operations per byte that DRAM moved for it, so that bytes from
 * a cache do not count against DRAM's roof. An untimed run does not separate the two: then it is
 * per byte of its transactions. Its y is its rate by the clock. Both axes are logarithmic. The plot
 * is a grid of characters, rows from the top. */
#include "view.h"
#include "device/card_changes.h"
#include "shell/format.h"
#include "shell/language.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 64, HIGH = 11, POINTS = 26 };

typedef struct point {
    const lesson_step *s;
    double ratio, rate; /* rate 0: not timed; ratio infinite: all bytes came from a cache */
    double cached;      /* bytes of its transactions that came from a cache */
} point;

typedef struct plot {
    double peak, bandwidth;
    double low_x, high_x, low_y, high_y; /* logarithms to base 10 */
    point at[POINTS];
    int points;
    int wide; /* used columns of `cell` */
    char cell[HIGH][WIDE];
} plot;

static double roof(const plot *p, double ratio) { return isinf(ratio) ? p->peak : fmin(p->peak, ratio * p->bandwidth); }

/* Collects the steps that state their operations. 0, or an exit status. */
static int collect(struct app *app, const struct device *d, plot *p)
{
    const lesson *l = app->lesson->l;
    for (int i = 0; i < l->step_count && p->points < POINTS; i++) {
        const lesson_step *s = &l->step[i];
        step_values v;
        char why[300];
        int status;
        double moved;
        if (!step_launches(s) || !s->operations.count || !step_settings(l, s, session_chosen(app), &v, why, sizeof why))
            continue;
        if (session_lacks(app, s, d, why, sizeof why)) continue; /* `next` says so */
        if (app_interrupted) return EXIT_INTERRUPT;
        const step_result *r = session_result(app, s, d, run_values(app, &v), &status);
        if (!r) {
            if (status == EXIT_USAGE) /* the card does not allow it, as a message has said */
                continue;
            return status;
        }
        if (r->operations <= 0 || !metric_get(metric_named("moved_bytes", 11), r, &moved) || moved <= 0) continue;
        const double from_memory = r->has_usage ? r->usage.dram_bytes : moved;
        p->at[p->points++] = (point){s, from_memory > 0 ? (double)r->operations / from_memory : INFINITY,
                                     r->has_cycles && r->seconds > 0 ? (double)r->operations / r->seconds : 0,
                                     fmax(moved - from_memory, 0)};
    }
    return EXIT_DONE;
}

/* Axes that show the ridge and every point; x covers whole decades. */
static void choose_axes(plot *p)
{
    double ridge = p->peak / p->bandwidth, low = ridge / 4, high = ridge * 4, least = p->peak;
    for (int i = 0; i < p->points; i++) {
        if (isinf(p->at[i].ratio)) continue;
        low = fmin(low, p->at[i].ratio);
        high = fmax(high, p->at[i].ratio);
        if (p->at[i].rate > 0) least = fmin(least, p->at[i].rate);
    }
    p->low_x = floor(log10(low));
    p->high_x = ceil(log10(high));
    p->high_y = log10(p->peak) + 0.15;
    for (int i = 0; i < p->points; i++)
        if (p->at[i].rate > 0) p->high_y = fmax(p->high_y, log10(p->at[i].rate) + 0.1);
    p->low_y = log10(fmin(least, roof(p, pow(10, p->low_x)))) - 0.1;
}

static int column(const plot *p, double ratio)
{
    return (int)lround((log10(ratio) - p->low_x) / (p->high_x - p->low_x) * (p->wide - 1));
}

static int row(const plot *p, double rate)
{
    return (int)lround((p->high_y - log10(rate)) / (p->high_y - p->low_y) * (HIGH - 1));
}

static void draw(plot *p)
{
    memset(p->cell, ' ', sizeof p->cell);
    for (int x = 0; x < p->wide; x++) {
        double ratio = pow(10, p->low_x + (p->high_x - p->low_x) * x / (p->wide - 1));
        int y = row(p, roof(p, ratio));
        if (y >= 0 && y < HIGH) p->cell[y][x] = ratio * p->bandwidth < p->peak ? '/' : '-';
    }
    for (int i = 0; i < p->points; i++) {
        int x = isinf(p->at[i].ratio) ? p->wide - 1 : column(p, p->at[i].ratio),
            y = p->at[i].rate > 0 ? row(p, p->at[i].rate) : -1;
        if (x >= 0 && x < p->wide && y >= 0 && y < HIGH)
            p->cell[y][x] = p->cell[y][x] >= 'A' && p->cell[y][x] <= 'Z' ? '*' : (char)('A' + i);
    }
}

static void put_cell(doc *d, char c)
{
    const bool utf8 = d->app->utf8;
    if ((c >= 'A' && c <= 'Z') || c == '*') doc_part(d, STYLE_BOLD, "%c", c);
    else if (utf8 && c == '/') doc_part(d, STYLE_PLAIN, "\xe2\x95\xb1");
    else if (utf8 && c == '-') doc_part(d, STYLE_PLAIN, "\xe2\x94\x80");
    else doc_part(d, STYLE_PLAIN, "%c", c);
}

static void put_plot(doc *d, const plot *p)
{
    const struct app *app = d->app;
    char number[40];
    int last = -1000;
    for (int y = 0; y < HIGH; y++) {
        /* a decade's label goes to the nearest row */
        char label[24] = "";
        for (double e = ceil(p->low_y); e <= p->high_y; e++)
            if (row(p, pow(10, e)) == y && y - last > 1) {
                snprintf(label, sizeof label, "%s", format_si(number, sizeof number, pow(10, e), ""));
                last = y;
            }
        doc_part(d, STYLE_PLAIN, "  %8s %s", label, app->utf8 ? "\xe2\x94\x82" : "|");
        int end = p->wide;
        while (end > 0 && p->cell[y][end - 1] == ' ') end--;
        for (int x = 0; x < end; x++) put_cell(d, p->cell[y][x]);
        doc_gap(d);
    }
    doc_part(d, STYLE_PLAIN, "  %8s %s", "FLOP/s", app->utf8 ? "\xe2\x94\x94" : "+");
    for (int x = 0; x < p->wide; x++) put_cell(d, '-');
    char line[WIDE + 16];
    memset(line, ' ', sizeof line);
    for (double e = p->low_x; e <= p->high_x; e++) {
        int n = snprintf(number, sizeof number, "%g", pow(10, e)), x = column(p, pow(10, e));
        if (x + n > p->wide) x = p->wide - n;
        memcpy(line + x, number, (size_t)n);
    }
    line[p->wide] = 0;
    doc_line(d, "\n  %8s  %s", "", line);
    doc_say(d, 12, "operations for each byte that memory moved");
}

static void put_points(doc *out, const plot *p)
{
    char name[2] = "A", a[40], b[40], c[40], d[40];
    bool cached = false, untimed = false, several = memchr(p->cell, '*', sizeof p->cell) != NULL;
    doc_table(out, "llrrrr");
    doc_row(out, "", "step", "ops/byte", "rate", "roof there", "of it");
    for (int i = 0; i < p->points; i++, name[0]++) {
        const point *at = &p->at[i];
        double most = roof(p, at->ratio);
        cached = cached || at->cached > 0;
        untimed = untimed || at->rate <= 0;
        snprintf(d, sizeof d, "%.0f %%", 100 * at->rate / most);
        doc_row(out, name, at->s->name, isinf(at->ratio) ? TR("no byte") : format_number(a, sizeof a, at->ratio),
                at->rate > 0 ? format_si(b, sizeof b, at->rate, "FLOP/s") : TR("no clock"),
                format_si(c, sizeof c, most, "FLOP/s"), at->rate > 0 ? d : "");
    }
    doc_table_end(out, 2);
    if (cached)
        doc_say(
            out, 2,
            "Bytes are those that the card's memory moved; what a cache gave is not among them (`show counters` has "
            "all that the transactions moved).");
    if (several) doc_say(out, 2, "* marks several steps.");
    if (untimed) doc_say(out, 2, "A step without a rate is not drawn: this run had no clock.");
}

static void put_data(doc *out, const struct device *d, const plot *p)
{
    json *j = doc_begin(out, "roofline", "lesson %d, device %s, flops %g, bytes_per_second %g",
                        out->app->lesson->l->number, d->label, p->peak, p->bandwidth);
    json_array(j, "steps");
    for (int i = 0; i < p->points; i++) { /* infinity and NaN become null */
        const point *at = &p->at[i];
        json_object(j, NULL);
        json_keys(j, "step %s, operations_per_byte %g, cached_bytes %g, rate %g, roof %g", at->s->name, at->ratio,
                  at->cached, at->rate > 0 ? at->rate : NAN, roof(p, at->ratio));
        json_close(j);
    }
    json_end(j);
}

static int one_roofline(doc *out, const struct device *d)
{
    struct app *app = out->app;
    static plot p; /* static because it is large; filled anew each time */
    sim_card card;
    char b[40], c[40];
    memset(&p, 0, sizeof p);
    p.wide = app->width < WIDE + 13 ? app->width - 13 : WIDE;
    if (p.wide < 20) p.wide = 20;
    struct device counting;
    if (d->kind == DEVICE_GPU && !session_count_device(app, d, &counting)) {
        app_warn(app, "the roof is drawn from a card's parameters, and of %s they are not known: this is %s", d->label,
                 counting.label);
        d = &counting;
    }
    if (d->kind != DEVICE_SIM)
        return app_fail(app, EXIT_USAGE, "show roofline --device sim:" DEFAULT_CARD,
                        "the roof is drawn from a simulated card's parameters; of %s they are not known", d->label);
    int status = card_open(app, d, &card, NULL);
    if (status) return status;
    if (!card_peaks(&card, &p.peak, &p.bandwidth))
        return app_fail(app, EXIT_USAGE, "show counters", "%s has no clock here yet, so its roof is not known",
                        d->label);
    if ((status = collect(app, d, &p))) return status;
    put_data(out, d, &p);
    choose_axes(&p);
    draw(&p);
    const sim_timing *t = &card.timing;
    doc_head(out, d->label, "Roofline, %s", app->lesson->l->title);
    doc_say(out, 2, "level: %s = %d multiprocessors x %d x 32 / %g lanes x 2 x %g GHz",
            format_si(b, sizeof b, p.peak, "FLOP/s"), card.multiprocessors, t->schedulers,
            t->float_issue > 0 ? t->float_issue : t->issue, card.clock_khz / 1e6);
    doc_say(out, 2, "slope: %s = %g bytes per clock x %g GHz; they meet at %s",
            format_si(b, sizeof b, p.bandwidth, "B/s"), t->dram_bytes, card.clock_khz / 1e6,
            format_number(c, sizeof c, p.peak / p.bandwidth));
    doc_gap(out);
    put_plot(out, &p);
    if (p.points) put_points(out, &p);
    else doc_say(out, 2, "No step of this lesson states its operations, so none is drawn.");
    return EXIT_DONE;
}

int view_show_roofline(struct app *app)
{
    struct device d[DEVICES_MAX];
    int count, status = session_here(app);
    if (!status) status = session_devices(app, NULL, session_chosen(app), d, &count);
    doc out = doc_open(app);
    for (int i = 0; !status && i < count; i++) {
        if (i) doc_gap(&out);
        status = one_roofline(&out, &d[i]);
    }
    return status;
}
