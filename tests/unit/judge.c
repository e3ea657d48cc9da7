/* judge.c: what may stand in an answer, what is said about mistakes in an exercise.txt, and which cases its sizes and
 * fills make. */
#include "../../repl/judge.h"
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void check(bool good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAIL %s\n", what);
}

/* ---- answers ---- */

static void sources(void)
{
    static const struct {
        const char *text;
        int line; /* where it is refused; 0: it is taken */
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
        {"/*\n#include \"x.h\"\n*/\n", 2}, /* in a comment too: hiding it must not help */
        {"#line 1 \"/etc/passwd\"\n", 1},
        {"#pragma GCC dependency \"/etc/shadow\"\n", 1},
        {"#pragma comment(lib, \"x\")\n", 1},
        {"#pragma unrolled\n", 1},
        {"_Pragma(\"GCC dependency\")\n", 1},
        {"#if __has_include(</etc/shadow>)\n#endif\n", 1},
        {"#include <stdio.h>\nint x = __has_include (\"x\");\n", 2},
        {"#incl\\u0075de \"x.h\"\n", 1},
        {"int my_Pragma, has__has_include;\n", 0},
    };
    char what[200], why[300];
    int line;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = judge_source(cases[i].text, strlen(cases[i].text), &line, why, sizeof why);
        snprintf(what, sizeof what, "source %zu: refused at line %d, expected %d: %.60s", i, good ? 0 : line,
                 cases[i].line, cases[i].text);
        check((good ? 0 : line) == cases[i].line, what);
    }
    check(!judge_source("a\0b", 3, &line, why, sizeof why) && line == 1, "a NUL byte");
    /* many unfinished comments must not take long: each is looked at once */
    size_t n = JUDGE_SOURCE_MAX;
    char *text = malloc(n);
    for (size_t i = 0; text && i < n; i++)
        text[i] = "#/*"[i % 3];
    check(text && !judge_source(text, n, &line, why, sizeof why), "comments that do not end");
    check(text && !judge_source(text, n + 1, &line, why, sizeof why) && strstr(why, "256 KiB"), "too long an answer");
    free(text);
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
                               "right: y == squares(x)\n"
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
    if (!x)
        return;
    /* the defaults; then 3 sizes of n times 2 of m, as filled by itself and in two other ways */
    check(exercise_cases(x) == 1 + 6 * 3, "how many cases");
    static const int64_t expected[][3] = {{1, 2, -1}, {1, 8, -1}, {5, 2, -1}, {5, 8, -1}, {0, 2, -1}, {0, 8, -1}, {1, 2, 0}};
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

/* One line of the shortest exercise replaced, or one more: the mistake is told with its line. */
static void mistakes(void)
{
    static const struct {
        const char *line, *instead, *says;
        int at;
    } list[] = {
        {"kind: write", "kind: witty", "expected write, bug, faster or predict", 2},
        {"kind: write", "kind: faster", "expected a goal:", 1},
        {"kind: write", "kind: predict", "expected one predict:", 1},
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
        {"fills: x = ones, rand % 3", "budget: 0", "at least one", 12},
        {"starter: wrong\n", "", "starter: REASON", 1},
        {"starter: wrong", "starter: bad", "expected rejected, wrong, short or a fault", 13},
        {"starter: wrong", "wrong: bad.cu wrong", "expected a file wrong-NAME.cu", 13},
        {"hint: c\n", "", "expected three hints", 1},
        {"hint: c", "hint: c\nhint: d", "at most 3 hints", 17},
        {"explain: d", "step: v1", "there is no step", 17},
        {"explain: d", "article: cycles 3 cycles on x", "there is no article", 17},
        {"right: y == squares(x)\n", "", "expected \"right: ...\"", 1},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[2000], what[900];
        exercise *x;
        lesson_error err;
        const char *at = strstr(shortest, list[i].line);
        if (!at) {
            check(false, "a mistake's line is not in the text");
            continue;
        }
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - shortest), shortest, list[i].instead,
                 at + strlen(list[i].line));
        int bad = exercise_parse(&x, "x", text, strlen(text), &err);
        snprintf(what, sizeof what, "mistake %zu: \"%s\" at line %d, expected \"%s\" at %d", i,
                 bad ? err.message : "none", bad ? err.line : 0, list[i].says, list[i].at);
        check(bad && strstr(err.message, list[i].says) && err.line == list[i].at, what);
        if (!bad)
            exercise_free(x);
    }
}

int main(void)
{
    sources();
    cases();
    mistakes();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
