/* write_html.c: a document as one page of HTML. It has no external resource, and no script but those
 * of recorded films within their frames, so the page looks the same in ten years and without a
 * network. All text passes through put(), as a journal, a lesson or a kernel may hold anything. */
#include "document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char page_style[] =
    ":root{color-scheme:light dark;"
    "--ink:#1a1a1a;--paper:#fff;--dim:#595959;--line:#d0d0d0;--soft:#f2f4f6;--bar:#1f6fb2;"
    "--theirs:#b9c4cd;--good:#116329;--bad:#a40e26}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#16181b;--dim:#a3a3a3;--line:#3a3f45;--soft:#202429;"
    "--bar:#5aa7e6;--theirs:#56616b;--good:#5fc879;--bad:#ff8a94}}"
    "*{box-sizing:border-box}"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:62rem;margin:2rem auto;"
    "padding:0 1rem;overflow-wrap:break-word}"
    "h1{font-size:1.6rem;margin-bottom:.3rem}"
    "h2{font-size:1.3rem;border-top:1px solid var(--line);padding-top:1.2rem;margin-top:2.4rem}"
    "h3{font-size:1.05rem;margin:1.6rem 0 .5rem}.dim{color:var(--dim);font-weight:400}"
    "a{color:inherit}"
    "table{border-collapse:collapse;width:100%;font-size:.92rem}"
    "th,td{text-align:left;padding:.3rem .9rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top;"
    "white-space:nowrap}th{font-weight:600;color:var(--dim)}.t{white-space:normal;min-width:11rem}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}.n:last-child{padding-right:0}"
    ".good{color:var(--good)}.bad{color:var(--bad)}.wide{overflow-x:auto}"
    "progress{width:6rem;height:.55rem;margin-right:.6rem;accent-color:var(--bar)}"
    "pre{font:13px/1.45 ui-monospace,monospace;background:var(--soft);border:1px solid var(--line);padding:.8rem;"
    "overflow-x:auto;margin:.4rem 0 .8rem}.notes{white-space:pre-wrap}"
    "svg{display:block;width:100%;min-width:36rem;height:auto;font:13px system-ui,sans-serif}"
    "summary{cursor:pointer;padding:.15rem 0}iframe{width:100%;height:90vh;border:1px solid var(--line)}"
    "@media(max-width:36rem){progress{display:none}.t{min-width:8rem}svg{min-width:27rem}}"
    "@media print{body{margin:0;max-width:none}h2{break-before:page}"
    "details::details-content{content-visibility:visible}"
    "pre{white-space:pre-wrap;overflow:visible}.wide{overflow:visible}}";

static void put(doc *d, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", d->out); break;
        case '<': fputs("&lt;", d->out); break;
        case '>': fputs("&gt;", d->out); break;
        case '"': fputs("&quot;", d->out); break;
        case '\'': fputs("&#39;", d->out); break;
        default:
            if ((unsigned char)*text >= 32 || *text == '\n' || *text == '\t') putc(*text, d->out);
        }
}

/* <TAG class="CLASS">, without the class when it is empty. */
static void open_tag(doc *d, const char *tag, const char *class)
{
    fprintf(d->out, *class ? "<%s class=\"%s\">" : "<%s>", tag, class);
}

static void begin_page(doc *d, const char *title)
{
    fprintf(d->out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"warpstep %s\">\n"
            "<title>%s</title>\n<style>%s</style></head>\n<body>\n<h1>%s</h1>\n",
            app_version, title, page_style, title);
}

static void end_page(doc *d) { fputs("</body></html>\n", d->out); }

static void put_head(doc *d, int level, const char *text, const char *right)
{
    fprintf(d->out, "<h%d>", level);
    put(d, text);
    if (*right) {
        fputs(" <span class=\"dim\">", d->out);
        put(d, right);
        fputs("</span>", d->out);
    }
    fprintf(d->out, "</h%d>\n", level);
}

static const char *class_of(enum app_style style)
{
    return style == STYLE_GOOD ? "good" : style == STYLE_BAD ? "bad" : style == STYLE_DIM ? "dim" : "";
}

static void put_prose(doc *d, int indent, enum app_style style, const char *text)
{
    (void)indent;
    open_tag(d, "p", class_of(style));
    put(d, text);
    fputs("</p>\n", d->out);
}

/* "3 of 7", with a bar that shows it. */
static void put_parts(doc *d, const char *text)
{
    int part, of;
    if (sscanf(text, "%d of %d", &part, &of) == 2)
        fprintf(d->out, "<progress max=\"%d\" value=\"%d\"></progress>", of, part);
    put(d, text);
}

static void put_table(doc *d, const char *align, int indent)
{
    const text_table *t = &d->table;
    int heading = -t->columns; /* all rows before the first rule */
    (void)indent;
    for (int i = 0; i < t->count && heading < 0; i += t->columns) heading = t->cell[i].text ? heading : i;
    if (!t->count) return;
    fputs("<div class=\"wide\"><table>\n", d->out);
    for (int i = 0; i + t->columns <= t->count; i += t->columns) {
        if (!t->cell[i].text) continue;
        fputs("<tr>", d->out);
        for (int c = 0; c < t->columns; c++) {
            const table_cell *cell = &t->cell[i + c];
            const char *class = class_of((enum app_style)cell->style), *tag = i < heading ? "th" : "td";
            open_tag(d, tag, *class ? class : align[c] == 'r' ? "n" : align[c] == 'w' ? "t" : "");
            (align[c] == 'p' ? put_parts : put)(d, cell->text);
            fprintf(d->out, "</%s>", tag);
        }
        fputs("</tr>\n", d->out);
    }
    fputs("</table></div>\n", d->out);
}

/* With a remark, the code is folded and opens with a click. */
static void put_code(doc *d, const char *title, const char *remark, const char *text)
{
    fputs(*remark ? "<details><summary>" : "", d->out);
    put(d, title);
    if (*remark) {
        fputs(" <span class=\"dim\">", d->out);
        put(d, remark);
        fputs("</span></summary>", d->out);
    }
    open_tag(d, "pre", *remark ? "" : "notes");
    put(d, text);
    fputs(*remark ? "</pre></details>\n" : "</pre>\n", d->out);
}

/* Horizontal bars. Both values share one scale. It begins at about a third of the smallest value,
 * and spans a factor of ten at least. */
static void put_bars(doc *d, const doc_bars *b)
{
    enum { LEFT = 130, WIDTH = 480, ROW = 34 };
    double least = INFINITY, most = 0;
    bool others = false;
    for (int i = 0; i < b->count; i++)
        for (int k = 0; k < 2; k++) {
            double v = k ? b->bar[i].other : b->bar[i].value;
            others = others || (k && v > 0);
            least = v > 0 ? fmin(least, v) : least;
            most = fmax(most, v);
        }
    if (most <= 0) return;
    double low = log10(least) - 0.5, high = log10(most);
    if (high - low < 1) low = high - 1;
    fprintf(
        d->out,
        "<div class=\"wide\"><svg viewBox=\"0 0 760 %d\" role=\"img\" aria-label=\"%s of each step, logarithmic\">\n",
        b->count * ROW + 26, b->what);
    for (int i = 0; i < b->count; i++)
        for (int k = 0; k < 2; k++) {
            const doc_bar *at = &b->bar[i];
            const double v = k ? at->other : at->value, width = WIDTH * (log10(v) - low) / (high - low);
            const int y = i * ROW + (k ? 17 : 2);
            if (v <= 0) continue;
            if (!k) {
                fprintf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"currentColor\">", LEFT - 10,
                        y + 12);
                put(d, at->label);
                fputs("</text>", d->out);
            }
            fprintf(d->out,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" style=\"fill:var(--%s)\"/>"
                    "<text x=\"%.1f\" y=\"%d\" fill=\"currentColor\"%s>%s</text>\n",
                    LEFT, y, width, k ? 10 : 14, k ? "theirs" : "bar", LEFT + width + 8, y + (k ? 10 : 12),
                    k ? " opacity=\".65\" font-size=\"11\"" : "", k ? at->other_shown : at->shown);
        }
    fprintf(d->out, "<text x=\"%d\" y=\"%d\" fill=\"currentColor\" opacity=\".75\">%s, logarithmic%s", LEFT,
            b->count * ROW + 18, b->what, others ? "; grey: " : "");
    if (others) put(d, b->other);
    fputs("</text></svg></div>\n", d->out);
}

/* In a sandbox: its script runs, and reaches neither this page nor a network. It is loaded when it is
 * opened. */
static void put_inner_page(doc *d, const char *title, const char *remark, const char *html, size_t bytes)
{
    char *text = malloc(bytes / 3 * 4 + 5);
    if (!text) return;
    format_base64((const unsigned char *)html, bytes, text);
    fputs("<details><summary>", d->out);
    put(d, title);
    fputs(" <span class=\"dim\">", d->out);
    put(d, remark);
    fputs("</span></summary><iframe sandbox=\"allow-scripts\" loading=\"lazy\" title=\"", d->out);
    put(d, title);
    fprintf(d->out, "\" src=\"data:text/html;base64,%s\"></iframe></details>\n", text);
    free(text);
}

const doc_writer doc_html = {false,     begin_page, end_page, put_head,      put_prose,
                             put_table, put_code,   put_bars, put_inner_page};
