/* judge.c: what an answer may contain, the messages about mistakes in an exercise.txt, and the
 * cases that an exercise's sizes and fills make. */
#include "device/compile.h"
#include "judge/judge.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

static bool taken(const char *text, size_t bytes, int *line, char *why, size_t size)
{
    size_t n;
    char *plain = judge_source(text, bytes, &n, line, why, size);
    free(plain);
    return plain != NULL;
}

/* The text that every compiler gets to read. */
static void plain(void)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {
        {"int a;\r\nint b;\r\n", "int a;\nint b;\n"},
        {"\357\273\277int a;\n", "int a;\n"},
        {"int\fa\v;\n", "int a ;\n"},
        {"#define A \\ \t \r\n  1\n", "#define A \\\n  1\n"},
        {"// \\\v\nint a;\n", "// \\\nint a;\n"},
        {"char a[] = \"\\\\ \";\n\\", "char a[] = \"\\\\ \";\n\\"},
    };
    char why[300];
    int line;
    size_t n;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = judge_source(cases[i].text, strlen(cases[i].text), &n, &line, why, sizeof why);
        check(got && !strcmp(got, cases[i].plain) && n == strlen(got), cases[i].text);
        free(got);
    }
}

static void sources(void)
{
    static const struct {
        const char *text;
        int line; /* where it is refused; 0: accepted */
    } cases[] = {
        {"__global__ void k() {}\n", 0},
        {"", 0},
        {"#include <cooperative_groups.h>\n#include <stdint.h>\n", 0},
        {"#include \"cuda_runtime.h\"\n", 0},
        {"#define N 32\n#if N > 1\n#pragma unroll 4\n#pragma nounroll\n#endif\n", 0},
        {"#define TEXT(x) #x\n", 0},
        {"\n#define TWO(a, b) a##b\nTWO(_Pra, gma)(\"GCC dependency\")\n", 2},
        {"#define TWO(a, b) a %:%: b\n", 1},
        {"char *s = __TIME__;\n", 1},
        {"// issue #12: 50%: done\n", 0},
        {"int a = 1'000'000; char c = '#', d = '\"';\n", 0},
        {"#include \"/etc/passwd\"\n", 1},
        {"\n\n#include </dev/zero>\n", 3},
        {"#include <../stdint.h>\n", 1},
        {"#include <stdint.h/../../passwd>\n", 1},
        {"#include NAME\n", 1},
        {"#include\n", 1},
        {"  #  include \"x.h\"\n", 1},
        {"/* a */ # /* b\n */ include \"x.h\"\n", 1},
        {"#inc\\\nlude \"x.h\"\n", 1},
        {"int x;\n#inc\\ \t\nlude \"x.h\"\n", 2},
        {"#\\\ninclude \"x.h\"\n", 1},
        {"%:include \"x.h\"\n", 1},
        {"?\?=include \"x.h\"\n", 1},
        {"#include_next <stdio.h>\n", 1},
        {"#import <stdio.h>\n", 1},
        {"#embed \"/etc/passwd\"\n", 1},
        {"char *s = R\"x(\n)x\";\n#include \"x.h\"\n", 3},
        {"int a = 1'1 + '/*';\n#include \"x.h\" /* '*/\n", 2},
        {"/*\n#include \"x.h\"\n*/\n", 2}, /* also in a comment: hiding it must not help */
        {"#line 1 \"/etc/passwd\"\n", 1},
        {"#pragma GCC dependency \"/etc/shadow\"\n", 1},
        {"#pragma comment(lib, \"x\")\n", 1},
        {"#pragma unrolled\n", 1},
        {"_Pragma(\"GCC dependency\")\n", 1},
        {"#if __has_include(</etc/shadow>)\n#endif\n", 1},
        {"#include <stdio.h>\nint x = __has_include (\"x\");\n", 2},
        {"#incl\\u0075de \"x.h\"\n", 1},
        {"int my_Pragma, has__has_include;\n", 0},
        /* after a backslash and a carriage return, some compilers continue the line */
        {"#\\\rinclude \"x.h\"\n", 1},
        {"#\\\r\ninclude \"x.h\"\n", 1},
        {"#\\ \v\f\ninclude \"x.h\"\n", 1},
        {"int a;\r#include \"x.h\"\n", 1},
        {"#inc\\\rlude \"x.h\"\n", 1},
        {"_Pra\\\r\ngma(\"GCC dependency\")\n", 1},
        {"\n__TI\\\nME__\n", 2},
        {"#\v\finclude \"x.h\"\n", 1},
        {"# 1 \"/etc/passwd\"\n", 1},
        {"#/**/12 /* a */ \"/etc/passwd\" 3\n", 1},
        {"// see #12 and #7\n", 0},
        {"#__include_macros \"x.h\"\n", 1},
        {"__has_inc\\u006cude\n", 1},
        {"__has_inc\\U0000006cude\n", 1},
        {"__has_inc\\u{6c}ude\n", 1},
        {"_\\N{LATIN CAPITAL LETTER P}ragma\n", 1},
        {"const char *a = \"caf\\u00e9 \\U0001F600 \\u0391\";\n", 0},
        {"int a; /* \x1b[2J */\n", 1},
        {"// caf\303\251 \342\200\250#include \"x.h\"\n", 1},
        {"int a;\r\nint b;\r\n#include <math.h>\r\n", 0},
    };
    char what[200], why[300];
    int line;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = taken(cases[i].text, strlen(cases[i].text), &line, why, sizeof why);
        snprintf(what, sizeof what, "source %zu: refused at line %d, expected %d: %.60s", i, good ? 0 : line,
                 cases[i].line, cases[i].text);
        check((good ? 0 : line) == cases[i].line, what);
    }
    check(!taken("a\0b", 3, &line, why, sizeof why) && line == 1, "a NUL byte");
    /* Many unfinished comments must not take long: each is scanned once. */
    size_t n = JUDGE_SOURCE_MAX;
    char *text = malloc(n);
    for (size_t i = 0; text && i < n; i++) text[i] = "#/*"[i % 3];
    check(text && !taken(text, n, &line, why, sizeof why), "comments that do not end");
    check(text && !taken(text, n + 1, &line, why, sizeof why) && strstr(why, "256 KiB"), "too long an answer");
    free(text);
}

/* Removing functions of the host: main only, or all of them. Blanks take their place. */
static void cut(void)
{
    static const struct {
        const char *text, *no_main, *no_host;
    } list[] = {
        {"int main() { return 0; }", "", ""},
        {"int x;\nint main(int c, char **v)\n{ if (c) { k<<<1, 1>>>(); } }\nint y;", "int x;\n\n\nint y;",
         "int x;\n\n\nint y;"},
        {"auto main() -> int { }", "", ""},
        {"static void help(int a) { }\n__global__ void k() { }", "static void help(int a) { }\n__global__ void k() { }",
         "\n__global__ void k() { }"},
        {"extern \"C\" { int main() { } __global__ void k() { } }", "extern \"C\" { __global__ void k() { } }",
         "extern \"C\" { __global__ void k() { } }"},
        {"namespace a { void f() { } }", "namespace a { void f() { } }", "namespace a { }"},
        {"struct S { int a; void f() { } };", "struct S { int a; void f() { } };", "struct S { int a; void f() { } };"},
        {"#define GO __global__ void\nGO k() { }", "#define GO __global__ void\nGO k() { }",
         "#define GO __global__ void\nGO k() { }"},
        {"constexpr int f(int a) { return a; }", "constexpr int f(int a) { return a; }",
         "constexpr int f(int a) { return a; }"},
        {"int a[] = { 1, 2 };", "int a[] = { 1, 2 };", "int a[] = { 1, 2 };"},
        {"int domain() { } int mainly() { }", "int domain() { } int mainly() { }", ""},
        {"char c = '{'; const char *s = \"int main() {\"; int main() { char d = '}'; }",
         "char c = '{'; const char *s = \"int main() {\";", "char c = '{'; const char *s = \"int main() {\";"},
        {"int main() { const char *s = R\"x(} )\" } )x\"; } int a;", "int a;", "int a;"},
        {"int main() { // }\n/* } */ int a = 1'000; }\nint b;", "\n\nint b;", "\n\nint b;"},
        {"int main() {\n#ifdef A\nf();\n#endif\n}", "\n#ifdef A\n\n#endif\n", "\n#ifdef A\n\n#endif\n"},
        {"int main() { {", "int main() { {", "int main() { {"},
        {"int main(); int main() { }", "int main();", "int main();"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int only = 0; only < 2; only++) {
            char text[200], packed[2][200], what[500];
            const char *expected = only ? list[i].no_main : list[i].no_host;
            size_t n = strlen(list[i].text), lines = 0;
            memcpy(text, list[i].text, n + 1);
            compile_cut_host_code(text, n, only);
            for (int k = 0; k < 2; k++) { /* blanks do not count */
                size_t to = 0;
                for (const char *p = k ? expected : text; *p; p++)
                    if (*p != ' ') packed[k][to++] = *p;
                packed[k][to] = 0;
            }
            for (size_t c = 0; c < n; c++) lines += text[c] == '\n' && list[i].text[c] != '\n';
            snprintf(what, sizeof what, "without %s: %s: %s", only ? "main" : "host code", list[i].text, text);
            check(strlen(text) == n && !lines && !strcmp(packed[0], packed[1]), what);
        }
}

/* ---- exercises ---- */

static const char shortest[] = "title: T\n"
                               "kind: write\n"
                               "task: Do it.\n"
                               "setting: n = 10 from 0 to 100, numbers\n"
                               "setting: m = 4 from 1 to 8, threads\n"
                               "buffer: x i32[n] = iota\n"
                               "buffer: y i32[n]\n"
                               "launch: k<<<max(ceil(n, m), 1), m>>>(x, y, n)\n"
                               "right: y[i] == x[i] * x[i]\n"
                               "sizes: n = 1, 5, 0\n"
                               "sizes: m = 2, 8\n"
                               "fills: x = ones, rand % 3\n"
                               "starter: wrong\n"
                               "hint: a\n"
                               "hint: b\n"
                               "hint: c\n"
                               "explain: d\n";

static void cases(void)
{
    exercise *x;
    lesson_error err;
    check(exercise_parse(&x, "x", shortest, strlen(shortest), &err) == 0, err.message);
    if (!x) return;
    /* the defaults; then 3 sizes of n times 2 of m, with the exercise's fills and two others */
    check(exercise_cases(x) == 1 + 6 * 3, "how many cases");
    static const int64_t expected[][3] = {{1, 2, -1}, {1, 8, -1}, {5, 2, -1}, {5, 8, -1},
                                          {0, 2, -1}, {0, 8, -1}, {1, 2, 0}};
    exercise_case c;
    exercise_case_at(x, 0, &c);
    check(c.fill == -1, "the default case has the exercise's own fills");
    bool good = true;
    for (int i = 0; i < 7; i++) {
        exercise_case_at(x, i + 1, &c);
        good = good && c.value[0] == expected[i][0] && c.value[1] == expected[i][1] && c.fill == expected[i][2];
    }
    check(good, "the order of the cases");
    check(!strcmp(x->fill[1].shown, "rand % 3") && x->fill[1].buffer == 0, "a fill as it is written");
    exercise_free(x);
}

/* The inputs that goals are judged on: the defaults, and sizes within the stated limits. The same
 * seed gives the same sizes. */
static void inputs(void)
{
    static const struct {
        const char *more;   /* lines added to the shortest exercise */
        int64_t n[2], m[2]; /* range of the draw; by default 0.5 to 1.5 times the default */
    } list[] = {
        {"", {5, 15}, {2, 6}},
        {"drawn: n = 40 to 60\n", {40, 60}, {2, 6}},
        {"drawn: n = 7 to 7\n", {7, 7}, {2, 6}},
        {"require: m % 4 == 0, by fours\n", {5, 15}, {4, 4}}, /* only 4 in 2 to 6 */
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[2000], what[200];
        exercise *x;
        lesson_error err;
        snprintf(text, sizeof text, "%sgoal: transactions <= n\n%s", shortest, list[i].more);
        bool good = exercise_parse(&x, "x", text, strlen(text), &err) == 0;
        check(good, err.message);
        if (!good) continue;
        step_values v, again;
        exercise_input_values(x, 5, 0, &v);
        check(v.value[0] == 10 && v.value[1] == 4, "the first input is the defaults");
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (uint64_t seed = 1; seed <= 300; seed++) {
            exercise_input_values(x, seed, 1, &v);
            exercise_input_values(x, seed, 1, &again);
            good = good && v.value[0] >= list[i].n[0] && v.value[0] <= list[i].n[1] && v.value[1] >= list[i].m[0] &&
                   v.value[1] <= list[i].m[1] && v.value[0] == again.value[0] && v.value[1] == again.value[1];
            least = v.value[0] < least ? v.value[0] : least;
            most = v.value[0] > most ? v.value[0] : most;
        }
        snprintf(what, sizeof what, "inputs %zu: drawn %lld to %lld", i, (long long)least, (long long)most);
        check(good, what);
        check(least == list[i].n[0] && most == list[i].n[1], what); /* 300 draws reach all of 21 values */
        exercise_free(x);
    }
}

/* Goals that are a part of our solution's number: the bound in percent of it. */
static void parts(void)
{
    static const struct {
        const char *goal;
        bool at_least, relative;
        double percent;
    } list[] = {
        {"transactions within 5% of solution", false, true, 105},
        {"bandwidth >= 90% of solution", true, true, 90},
        {"bandwidth >= 90 % of solution, as fast", true, true, 90},
        {"transactions >= 90 % 7", true, false, 0}, /* a remainder */
        {"transactions >= 9 * solution.transactions", true, false, 0},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[2000];
        exercise *x;
        lesson_error err;
        snprintf(text, sizeof text, "%sgoal: %s\n", shortest, list[i].goal);
        const bool good = exercise_parse(&x, "x", text, strlen(text), &err) == 0;
        check(good, good ? list[i].goal : err.message);
        if (!good) continue;
        const exercise_goal *g = &x->goal[0];
        check(g->at_least == list[i].at_least && g->relative == list[i].relative &&
                  (!g->relative || g->percent == list[i].percent),
              list[i].goal);
        exercise_free(x);
    }
}

typedef struct mistake {
    const char *line, *instead, *says;
    int at;
} mistake;

/* One line of the text replaced, or one added: the message names that line. */
static void try_mistakes(const char *text_of, const mistake *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[2000], what[900];
        exercise *x;
        lesson_error err;
        const char *at = strstr(text_of, list[i].line);
        if (!at) {
            check(false, "a mistake's line is not in the text");
            continue;
        }
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - text_of), text_of, list[i].instead,
                 at + strlen(list[i].line));
        int bad = exercise_parse(&x, "x", text, strlen(text), &err);
        snprintf(what, sizeof what, "mistake %zu: \"%s\" at line %d, expected \"%s\" at %d", i,
                 bad ? err.message : "none", bad ? err.line : 0, list[i].says, list[i].at);
        check(bad && strstr(err.message, list[i].says) && err.line == list[i].at, what);
        if (!bad) exercise_free(x);
    }
}

static const char program[] = "title: T\nkind: program\ntask: Do it.\nsetting: n = 3 from 0 to 9, numbers\n"
                              "setting: cards = 1 from 0 to 1, cards\nprogram: starter.cu n\ncards: cards\n"
                              "prints: {n} numbers, {2 * n + 1}\nprints: in {kernels_time within 10%} ns\n"
                              "input: {n}\nsizes: n = 1, 0\nfails: cards = 0 says no card\nstarter: unchecked\n"
                              "hint: a\nhint: b\nhint: c\nexplain: d\n";

static void program_mistakes(void)
{
    static const mistake list[] = {
        {"kind: program", "kind: write", "expected \"kind: program\"", 1},
        {"program: starter.cu n\n", "", "expected a launch:, a program:", 1},
        {"program: starter.cu n", "program: other.cu n", "expected starter.cu", 6},
        {"prints: {n} numbers, {2 * n + 1}\nprints: in {kernels_time within 10%} ns\n", "", "expected \"prints:", 1},
        {"{2 * n + 1}", "{2 * k}", "numbers made of settings", 8},
        {"{2 * n + 1}", "{2 * n", "expected '}'", 8},
        {"{kernels_time within 10%}", "{kernels_time}", "METRIC within P%", 9},
        {"{kernels_time within 10%}", "{beauty within 10%}", "expected one metric", 9},
        {"{kernels_time within 10%}", "{kernels_time within 101%}", "expected a percentage", 9},
        {"input: {n}", "input: {kernels_time within 10%}", "numbers made of settings", 10},
        {"cards = 0 says no card", "cards = 0", "expected 'says'", 12},
        {"cards = 0 says no card", "cards = 2 says no card", "cards = 2 is not between 0 and 1", 12},
        {"cards = 0 says no card", "dogs = 2 says no card", "there is no dogs", 12},
        {"starter: unchecked", "starter: unasked", "expected rejected, wrong, short", 13},
        {"starter: unchecked", "starter: unchecked\nlaunch: k<<<1, 1>>>(n)", "the program alone", 6},
    };
    exercise *x;
    lesson_error err;
    const bool bad = exercise_parse(&x, "x", program, strlen(program), &err);
    check(!bad && x->kind == &exercise_kinds[KIND_program] && x->prints_count == 2 && x->fails_count == 1 &&
              exercise_cases(x) == 3,
          bad ? err.message : "an exercise of a program");
    if (!bad) exercise_free(x);
    try_mistakes(program, list, sizeof list / sizeof *list);
}

/* As many goals as there is room for, and one more. */
static void many_goals(void)
{
    char text[4000];
    for (int more = 0; more < 2; more++) {
        exercise *x;
        lesson_error err = {0};
        size_t n = (size_t)snprintf(text, sizeof text, "%s", shortest);
        for (int i = 0; i < 16 + more; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "goal: atomic_lanes <= %d, fewer\n", 20 - i);
        const bool bad = exercise_parse(&x, "x", text, strlen(text), &err);
        check(bad == (more == 1), more ? "17 goals are refused" : err.message);
        if (bad) check(strstr(err.message, "at most 16 goals") != NULL, err.message);
        if (!bad) check(x->goals == 16, "16 goals are read");
        if (!bad) exercise_free(x);
    }
}

static void mistakes(void)
{
    static const mistake list[] = {
        {"kind: write", "kind: witty", "expected write, bug, faster, minimise, predict, timeline, launch or program",
         2},
        {"kind: write", "kind: faster", "expected a goal:", 1},
        {"kind: write", "kind: minimise", "expected a goal:", 1},
        {"kind: write", "kind: predict", "expected one predict:", 1},
        {"kind: write", "kind: timeline", "expected one predict:", 1},
        {"kind: write", "kind: launch", "expected no sizes:", 1},
        {"fills: x = ones, rand % 3", "choose: n", "of kind launch only", 1},
        {"fills: x = ones, rand % 3", "on: h200", "of kind launch only", 1},
        {"fills: x = ones, rand % 3", "choose: k", "there is no k", 12},
        {"fills: x = ones, rand % 3", "on: a, b, c, d", "at most 3 cards", 12},
        {"fills: x = ones, rand % 3", "goal: bandwidth >= 120% of solution", "at most 100 %", 12},
        {"fills: x = ones, rand % 3", "goal: cycles within 120% of solution", "a percentage", 12},
        {"task: Do it.\n", "", "expected \"task: ...\"", 1},
        {"sizes: n = 1, 5, 0", "sizes: k = 1", "there is no k", 10},
        {"sizes: n = 1, 5, 0", "sizes: n = 1, 500", "n = 500 is not between 0 and 100", 10},
        {"sizes: n = 1, 5, 0", "sizes: n = 1, n", "expected a number", 10},
        {"sizes: n = 1, 5, 0", "sizes: n 1", "expected '='", 10},
        {"sizes: m = 2, 8", "sizes: n = 2", "expected sizes of n only once", 11},
        {"fills: x = ones, rand % 3", "fills: z = ones", "there is no z", 12},
        {"fills: x = ones, rand % 3", "fills: x = sand", "expected a fill", 12},
        {"fills: x = ones, rand % 3", "goal: beauty <= 3", "there is no beauty", 12},
        {"fills: x = ones, rand % 3", "goal: cycles < 3", "expected '<=' or '>='", 12},
        {"fills: x = ones, rand % 3", "goal: cycles within 5% of ours", "of solution", 12},
        {"fills: x = ones, rand % 3", "goal: cycles <= solution.beauty", "solution.METRIC", 12},
        {"fills: x = ones, rand % 3", "drawn: n = 5 to 8", "expected a goal:", 12},
        {"fills: x = ones, rand % 3", "goal: cycles <= 3\ndrawn: k = 5 to 8", "there is no k", 13},
        {"fills: x = ones, rand % 3", "goal: cycles <= 3\ndrawn: n = 5", "expected 'to'", 13},
        {"fills: x = ones, rand % 3", "goal: cycles <= 3\ndrawn: n = 8 to 5", "the least first", 13},
        {"fills: x = ones, rand % 3", "goal: cycles <= 3\ndrawn: n = 8 to 500", "n = 500 is not between 0 and 100", 13},
        {"fills: x = ones, rand % 3", "budget: 0", "at least one", 12},
        {"starter: wrong\n", "", "starter: REASON", 1},
        {"starter: wrong", "starter: bad", "expected rejected, wrong, short or a fault", 13},
        {"starter: wrong", "wrong: bad.cu wrong", "expected a file wrong-NAME.cu", 13},
        {"hint: c\n", "", "expected three hints", 1},
        {"hint: c", "hint: c\nhint: d", "at most 3 hints", 17},
        {"explain: d", "step: v1", "there is no step", 17},
        {"explain: d", "article: cycles 3 cycles on x", "there is no article", 17},
        {"right: y[i] == x[i] * x[i]\n", "", "expected \"right: ...\"", 1},
    };
    try_mistakes(shortest, list, sizeof list / sizeof *list);
}

int main(void)
{
    sources();
    plain();
    cut();
    cases();
    inputs();
    parts();
    many_goals();
    mistakes();
    program_mistakes();
    return check_end();
}
