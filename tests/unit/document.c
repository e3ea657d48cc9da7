/* document.c: one document as text, JSON lines, HTML, Markdown and CSV, each against a text written
 * by hand, also at widths where text must break.
 */
#include "shell/document.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct app app;

/* What `put` prints with a writer at a width, in a static buffer. */
static const char *printed(const doc_writer *w, int width, void (*put)(doc *d))
{
    static char text[8192];
    FILE *f = tmpfile();
    if (!f) return NULL;
    app.width = width;
    doc d = doc_to(&app, f, w);
    put(&d);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static void put_table(doc *d)
{
    doc_head(d, "sim:x", "Two rows");
    doc_table(d, "rwp");
    doc_row(d, "", "name", "done");
    doc_rule(d);
    doc_data(d, "row", "number %d, name %s, right %i, factor %g", 1, "a|<b>\"", true, 0.5);
    doc_row(d, "1", "a|<b>\"", "1 of 2");
    doc_cell(d, STYLE_PLAIN, "%d", 10);
    doc_cell(d, STYLE_GOOD, "=%s", "c");
    doc_cell(d, STYLE_PLAIN, "%s", "");
    doc_table_end(d, 2);
    doc_say(d, 2, "%d words", 2);
}

static void put_heading(doc *d) { doc_head(d, "sim:xyz.........", "Two rows"); }
static void put_wide_heading(doc *d) { doc_head(d, "x", "A heading of several words"); }

static void test_table(void)
{
    same("text", printed(&doc_text, 40, put_table),
         "Two rows                           sim:x\n"
         "      name      done\n"
         "  ------------------\n"
         "   1  a|<b>\"  1 of 2\n"
         "  10  =c\n"
         "  2 words\n");
    same("a heading that has no room for what stands at its right", printed(&doc_text, 12, put_heading),
         "Two rows\n  sim:xyz.........\n");
    same("one that is itself too wide", printed(&doc_text, 20, put_wide_heading),
         "A heading of several\n  words\n  x\n");
    same("JSON lines", printed(&doc_json, 40, put_table),
         "{\"schema\":\"warpstep/1\",\"event\":\"row\",\"number\":1,\"name\":\"a|<b>\\\"\",\"right\":true,"
         "\"factor\":0.5}\n");
    same("Markdown", printed(&doc_markdown, 40, put_table),
         "\n# Two rows, sim:x\n\n"
         "|  | name | done |\n"
         "|---|---|---|\n"
         "| 1 | a\\|&lt;b&gt;\" | 1 of 2 |\n"
         "| 10 | =c |  |\n"
         "- 2 words\n");
    same("CSV", printed(&doc_csv, 40, put_table), ",name,done\n1,\"a|<b>\"\"\",1 of 2\n10,\"'=c\",\n");
    same("HTML", printed(&doc_html, 40, put_table),
         "<h1>Two rows <span class=\"dim\">sim:x</span></h1>\n"
         "<div class=\"wide\"><table>\n"
         "<tr><th class=\"n\"></th><th class=\"t\">name</th><th>done</th></tr>\n"
         "<tr><td class=\"n\">1</td><td class=\"t\">a|&lt;b&gt;&quot;</td>"
         "<td><progress max=\"2\" value=\"1\"></progress>1 of 2</td></tr>\n"
         "<tr><td class=\"n\">10</td><td class=\"good\">=c</td><td></td></tr>\n"
         "</table></div>\n"
         "<p>2 words</p>\n");
}

/* A table without rows prints nothing with any writer. */
static void put_nothing(doc *d)
{
    doc_table(d, "ll");
    doc_table_end(d, 2);
    doc_table_end(d, 2);
}

static void put_entry(doc *d) { doc_entry(d, 20, "  a name", "%s", "text that goes on for some time"); }
static void put_long_entry(doc *d) { doc_entry(d, 10, "  a long name", "%s", "text"); }

static void put_prose(doc *d)
{
    doc_paragraphs(d, 2, "one\ntwo three\n\n\n\n    drawn  as it is\nfour\nExample:  five\n");
}

static void put_bars(doc *d)
{
    /* 1 to 100 on a scale from 0.5: the bar of 10 has 1 + 39 log(20) / log(200) = 23.05 of 40
     * letters */
    doc_bar bar[] = {{"a", 100, 0, "100", ""}, {"b", 10, 0, "10", ""}, {"c", 1, 0, "1", ""}, {"d", -1, 0, "", ""}};
    doc_bars_put(d, &(doc_bars){bar, 4, "things", "", false});
}

/* An open object takes more keys; the text writer prints none of them. */
static void put_open(doc *d)
{
    const uint32_t dims[3] = {1, 2, 3};
    json *j = doc_begin(d, "open", "n %lld, big %llu", -5LL, 18446744073709551615ULL);
    json_array(j, "list");
    json_object(j, NULL);
    const char *none = getenv("NO SUCH NAME"); /* NULL, unknown to the compiler */
    json_keys(j, "none %s, nan %g, false %i", none, NAN, false);
    json_close(j);
    json_close(j);
    json_dims(j, "dims", dims);
    json_end(j);
}

int main(void)
{
    app.out = stdout;
    app.err = stderr;
    test_table();
    const doc_writer *const writers[] = {&doc_text, &doc_json, &doc_html, &doc_markdown, &doc_csv};
    for (int i = 0; i < 5; i++) same("no rows", printed(writers[i], 80, put_nothing), "");
    same("an entry", printed(&doc_text, 50, put_entry),
         "  a name            text that goes on for some\n                    time\n");
    same("an entry where there is no room", printed(&doc_text, 40, put_entry),
         "  a name\n      text that goes on for some time\n");
    same("an entry with a long name", printed(&doc_text, 40, put_long_entry), "  a long name\n          text\n");
    same("paragraphs", printed(&doc_text, 40, put_prose),
         "  one two three\n\n      drawn  as it is\n  four\n  Example:  five\n");
    same("bars", printed(&doc_text, 80, put_bars),
         "\n  things, logarithmic\n"
         "  a  ######################################## 100\n"
         "  b  #######################                  10\n"
         "  c  ######                                   1\n"
         "  d                                           none\n");
    same("an open object", printed(&doc_json, 80, put_open),
         "{\"schema\":\"warpstep/1\",\"event\":\"open\",\"n\":-5,\"big\":18446744073709551615,"
         "\"list\":[{\"none\":null,\"nan\":null,\"false\":false}],\"dims\":[1,2,3]}\n");
    same("an open object as text", printed(&doc_text, 80, put_open), "");
    return check_end();
}
