/* text.c: numbers, widths, tables, JSON, names of kernels and source lines, each against text
 * written by hand.
 */
#include "shell/format.h"
#include "shell/json.h"
#include "shell/source_text.h"
#include "commands/try.h"
#include "run/kernel_name.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The output of a function, in a static buffer. */
static char printed[4096];
static FILE *capture(void) { return tmpfile(); }
static const char *finish(FILE *f)
{
    rewind(f);
    printed[fread(printed, 1, sizeof printed - 1, f)] = 0;
    fclose(f);
    return printed;
}

static const char *csv(const char *text)
{
    FILE *f = capture();
    print_csv(f, text);
    return finish(f);
}

static const char *safe(const char *text)
{
    FILE *f = capture();
    print_safe(f, text, strlen(text));
    return finish(f);
}

/* A name or a line of a kernel must not harm a terminal, a spreadsheet or a reader. */
static void test_hostile(void)
{
    same("a letter", safe("h\xc3\xa4"), "h\xc3\xa4");
    same("an escape", safe("a\033[2J"), "a\\x1b[2J");
    same("a C1 control",
         safe("a\xc2\x9b"
              "2J"),
         "a\\u009b2J");
    same("a raw C1 control",
         safe("a\x9b"
              "2J"),
         "a\\x9b2J");
    same("an override of direction", safe("a\xe2\x80\xaeyp.exe"), "a\\u202eyp.exe");
    same("an isolate", safe("\xe2\x81\xa6x"), "\\u2066x");
    same("a byte order mark", safe("\xef\xbb\xbfx"), "\\ufeffx");
    same("csv plain", csv("1.2-tail"), "1.2-tail");
    same("csv comma", csv("a,b"), "\"a,b\"");
    same("csv quote", csv("a\"b"), "\"a\"\"b\"");
    same("csv number", csv("-1.5e3"), "-1.5e3");
    same("csv formula", csv("=1+1"), "\"'=1+1\"");
    same("csv formula from a minus", csv("-1+cmd"), "\"'-1+cmd\"");
    same("csv override of direction",
         csv("a\xe2\x80\xae"
             "b"),
         "a\\u202eb");
    FILE *f = capture();
    json j;
    json_begin(&j, f, "x");
    json_text(&j, "k", "a\xc2\x9b\xe2\x80\xae");
    json_end(&j);
    same("json", finish(f), "{\"schema\":\"warpstep/1\",\"event\":\"x\",\"k\":\"a\\u009b\\u202e\"}\n");
}

static void test_numbers(void)
{
    char b[64];
    same("si 0", format_si(b, sizeof b, 0, "B"), "0 B");
    same("si 1", format_si(b, sizeof b, 1, ""), "1");
    same("si 999.4", format_si(b, sizeof b, 999.4, "B/s"), "999 B/s");
    same("si 999.6", format_si(b, sizeof b, 999.6, "B/s"), "1.00 kB/s");
    same("si 13.2e9", format_si(b, sizeof b, 13.2e9, "B/s"), "13.2 GB/s");
    same("si 98.5e-6", format_si(b, sizeof b, 98.5e-6, "s"), "98.5 us");
    same("si negative", format_si(b, sizeof b, -2.5e6, "FLOP/s"), "-2.50 MFLOP/s");
    same("si nan", format_si(b, sizeof b, NAN, "s"), "nan s");
    same("si huge", format_si(b, sizeof b, 1e30, ""), "1000000000000 E");
    same("bytes", format_bytes(b, sizeof b, 512), "512 B");
    same("bytes KiB", format_bytes(b, sizeof b, 65536), "64 KiB");
    same("bytes GiB", format_bytes(b, sizeof b, 3ull << 29), "1.50 GiB");
    same("count", format_count(b, sizeof b, 999), "999");
    same("count 1000", format_count(b, sizeof b, 1000), "1,000");
    same("count max", format_count(b, sizeof b, UINT64_MAX), "18,446,744,073,709,551,615");
    same("exact float", format_exact(b, sizeof b, (double)0.1f, 9), "0.1");
    same("exact double", format_exact(b, sizeof b, 0.1, 17), "0.1");
    same("exact sum", format_exact(b, sizeof b, 0.1 + 0.2, 17), "0.30000000000000004");
    same("exact 20", format_exact(b, sizeof b, 20, 9), "20");
    same("exact -0", format_exact(b, sizeof b, -0.0, 9), "-0");
    same("exact inf", format_exact(b, sizeof b, -INFINITY, 9), "-inf");
    same("exact small", format_exact(b, sizeof b, 5e-324, 17), "5e-324");
    same("plural 1", format_plural(b, sizeof b, 1, "warp"), "1 warp");
    same("plural 1000", format_plural(b, sizeof b, 1000, "warp"), "1,000 warps");
}

static void test_text(void)
{
    char b[64];
    snprintf(b, sizeof b, "%d %d %d %d", utf8_width("abc"), utf8_width("\303\251\346\274\242"),
             utf8_width("\033[31mred\033[0m"), utf8_width("e\314\201"));
    same("widths", b, "3 3 3 1");
    snprintf(b, sizeof b, "%zu %zu", utf8_fit("\346\274\242\346\274\242", 3), utf8_fit("abc", 9));
    same("fit", b, "3 3");
    uint32_t p;
    snprintf(b, sizeof b, "%zu %zu %zu %zu %zu", utf8_decode("\300\200", 2, &p), utf8_decode("\355\240\200", 3, &p),
             utf8_decode("\364\220\200\200", 4, &p), utf8_decode("\303", 1, &p),
             utf8_decode("\360\237\230\200", 4, &p));
    same("not UTF-8", b, "0 0 0 0 4");
    FILE *f = capture();
    print_wrapped(f, "the quick brown fox jumps over\nit", 2, 4, 20);
    same("wrapped", finish(f), "the quick brown\n    fox jumps over\n    it\n");
    f = capture();
    print_safe(f, "a\033[31m\xff\tb\n", 10);
    same("safe", finish(f), "a\\x1b[31m\\xff\tb\n");
    text_table t;
    table_init(&t, "lr");
    table_add(&t, "a");
    table_add(&t, "%d", 1000);
    table_rule(&t);
    table_add(&t, "\303\251\303\251\303\251");
    table_add(&t, "%d", 7);
    f = capture();
    table_print(&t, f, 1, 80);
    same("table", finish(f), " a    1000\n ---------\n \303\251\303\251\303\251     7\n");
    table_free(&t);
    table_init(&t, "ll");
    table_add(&t, "name");
    table_add(&t, "a long meaning that is cut");
    table_fit(&t, 20);
    f = capture();
    table_print(&t, f, 0, 80);
    same("fitted", finish(f), "name  a long meani..\n");
    table_free(&t);
}

static void test_json(void)
{
    json j;
    FILE *f = capture();
    json_begin(&j, f, "try");
    json_text(&j, "t", "\"\\\n\001\377\303\251");
    json_array(&j, "a");
    json_int(&j, NULL, INT64_MIN);
    json_number(&j, NULL, 0.1);
    json_number(&j, NULL, NAN);
    json_object(&j, NULL);
    json_close(&j);
    json_close(&j);
    json_bool(&j, "b", false);
    json_object(&j, "open");
    json_text(&j, "n", NULL);
    json_end(&j);
    same("json", finish(f),
         "{\"schema\":\"warpstep/"
         "1\",\"event\":\"try\",\"t\":\"\\\"\\\\\\n\\u0001\\ufffd\303\251\",\"a\":[-9223372036854775808,0.1,null,{}],"
         "\"b\":false,\"open\":{\"n\":null}}\n");
    f = capture();
    json_begin(&j, f, "deep");
    for (int i = 0; i < 40; i++) json_array(&j, i ? NULL : "k");
    json_end(&j);
    const char *text = finish(f);
    int depth = 0;
    for (const char *c = text; *c; c++) depth += (*c == '[' || *c == '{') - (*c == ']' || *c == '}');
    same("json too deep closes", depth == 0 && strstr(text, "null") ? "yes" : text, "yes");
}

static void test_names(void)
{
    static const char *const names[][2] = {
        {"saxpy", "saxpy"},
        {"_Z5saxpyifPKfPf", "saxpy"},
        {"_ZL5saxpyifPKfPf", "saxpy"},
        {"_ZN3one3two5saxpyEi", "saxpy"},
        {"_ZN12_GLOBAL__N_15saxpyEi", "saxpy"},
        {"_Z6matmulILi16EEvPKfS1_Pfi", "matmul<16>"},
        {"_Z3addIfLin4ELb1EEvPT_", "add<float,-4,true>"},
        {"_Z3addI5thingEvPT_", "add<thing>"},
        {"_Z3addIPfEvT_", "add<float*>"},
        {"_Z3addIPKfRiEvT_T0_", "add<float*,int&>"},
        {"_Z3addIN3one5thingEEvT_", "add<thing>"},
        {"_Z3addISt6vectorIidEEvT_", "add<vector<int,double>>"},
        {"_ZN3one3addINS_5thingIiEELNS_4kindE2EvEEvT_", "add<thing<int>,2,void>"},
        {"_Z3addIN3one5thingES1_iEvT_", "add<thing,..,int>"}, /* S1_: what came before */
        {"_Z3addIiUlvE_EvT_", "add<int,..>"},                  /* a lambda: not understood */
        {"_Z3addIUlvE_EvT_", "add<..>"},
        {"_Z3addI5thingI1aUlvE_EEvT_", "add<..>"},
        {"_ZN2ab11EmptyKernelIvEEvv", "EmptyKernel<void>"},
        {"_Z3addIS1", "_Z3addIS1"},
        {"_Z3addIN3one", "_Z3addIN3one"},
        {"_ZZ4racePfE1s", "s"},
        {"_ZZ6matmulILi16EEvPKfE2sb_0", "sb"},
        {"_Z99short", "_Z99short"},
        {"_Z", "_Z"},
        {"_ZN", "_ZN"},
        {"_Z3addI", "_Z3addI"},
        {"_ZZ", "_ZZ"},
    };
    char b[400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        same(names[i][0], kernel_title(names[i][0], b, sizeof b), names[i][1]);
    same("readable", kernel_readable("element 3 of _ZZ4racePfE1s, called by _Z4deepi!", b, sizeof b),
         "element 3 of s, called by deep!");
    same("readable, cut", kernel_readable("abcdefgh", b, 4), "abc");
}

static void test_source(void)
{
    char path[] = "/tmp/warpstep-text-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f) return;
    fputs("one\r\n\ttwo\t.\033\n\nlast", f);
    fclose(f);
    source_cache c = {.beside = path};
    same("line 1", source_line(&c, path, 1), "one");
    same("line 2", source_line(&c, path, 2), "    two .?");
    same("line 3", source_line(&c, path, 3), "");
    same("line 4", source_line(&c, path, 4), "last");
    same("beside", source_line(&c, strrchr(path, '/') + 1, 4), "last");
    same("beyond", source_line(&c, path, 5) ? "a line" : "none", "none");
    same("line 0", source_line(&c, path, 0) ? "a line" : "none", "none");
    same("a device", source_line(&c, "/dev/zero", 1) ? "a line" : "none", "none");
    same("no file", source_line(&c, "/nowhere/at/all", 1) ? "a line" : "none", "none");
    source_free(&c);
    remove(path);
}

int main(void)
{
    test_hostile();
    test_numbers();
    test_text();
    test_json();
    test_names();
    test_source();
    return check_end();
}
