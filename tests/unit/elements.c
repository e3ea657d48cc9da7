/* elements.c: expressions about elements: their values, worked out by hand or by plain C; their
 * mistakes, each with its place; and that hostile ones end. */
#include "course/elements.h"
#include "course/reference_arrays.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, MANY = 1 << 20 };
static float x[N], big[MANY];
static double d[N];
static int32_t k[N];
static uint32_t w[N];
static uint64_t u[N];
static int64_t q[N];
static unsigned char b[N];
static float m[6], y[N];

static const char head[] = "title: T\n"
                           "setting: n = 1000 from 1 to 1000, elements\n"
                           "setting: zero = 0 from 0 to 1, nothing\n"
                           "step: a\ntitle: A\nidea: I\nkernel: a.cu\n"
                           "buffer: x f32[n] = ones\nbuffer: d f64[n] = ones\nbuffer: k i32[n] = ones\n"
                           "buffer: w u32[n] = ones\nbuffer: u u64[n] = ones\nbuffer: q i64[n] = ones\n"
                           "buffer: b u8[n] = ones\n"
                           "buffer: m f32[6] = ones in 2 x 3\n"
                           "buffer: empty f32[n]\nbuffer: y f32[n] = ones\nbuffer: big f32[n] = ones\n"
                           "launch: f<<<1, 32>>>(y)\nlet: seven = 7\n";

static cpu_value of(enum lesson_type type, uint64_t count, void *data)
{
    return (cpu_value){.type = type, .count = count, .data = data};
}

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = (float)i / 4;
        d[i] = i * 0.1;
        k[i] = i - 500;
        w[i] = 4294967295u - (uint32_t)i;
        u[i] = UINT64_MAX - (uint64_t)i;
        q[i] = INT64_MAX - i;
        b[i] = (unsigned char)i;
        y[i] = (float)-i;
    }
    for (int i = 0; i < 6; i++) m[i] = (float)(10 * (i / 3) + i % 3);
    for (int i = 0; i < MANY; i++) big[i] = 0.1f;
}

/* Parses `right:`, checks it and computes `count` elements from `first`. */
static bool run(const char *right, int64_t first, uint64_t count, enum lesson_type type, void *out, lesson_error *err)
{
    char text[6000];
    lesson *l;
    element_error why = {0};
    snprintf(text, sizeof text, "%sright: %s\n", head, right);
    memset(err, 0, sizeof *err);
    if (lesson_parse(&l, "T", text, strlen(text), err)) return false;
    if (!lesson_check(l, err)) {
        lesson_free(l);
        return false;
    }
    const lesson_step *s = l->step;
    const lesson_right *r = s->right;
    int64_t setting[] = {N, 0}, seven = 7;
    cpu_value buffer[] = {of(TYPE_F32, N, x),    of(TYPE_F64, N, d), of(TYPE_I32, N, k),     of(TYPE_U32, N, w),
                          of(TYPE_U64, N, u),    of(TYPE_I64, N, q), of(TYPE_U8, N, b),      of(TYPE_F32, 6, m),
                          of(TYPE_F32, 0, NULL), of(TYPE_F32, N, y), of(TYPE_F32, MANY, big)};
    uint64_t columns[11] = {[7] = 3};
    cpu_value local[LESSON_LOCALS] = {of(TYPE_I64, 1, &seven)};
    const element_names names = {l, s, r->formula, false, r->ours.buffer};
    const element_inputs in = {setting, buffer, columns, local};
    element_program *p = r->formula ? element_bind(&names, &in, &why) : NULL;
    const element_range range = {
        .count = count, .columns = r->formula && r->formula->variables == 2 ? 3 : 0, .first = {first, 0}};
    cpu_value to = {.type = type, .count = count, .data = out};
    const bool good = p && element_run(p, &range, &to, &why);
    if (!good) {
        snprintf(err->message, sizeof err->message, "%s", why.text);
        err->column = why.column;
    }
    element_free(p);
    lesson_free(l);
    return good;
}

static void values(void)
{
    static const struct {
        const char *text;
        int64_t at;
        double value;
    } cases[] = {
        {"2 * x[i] + before.y[i]", 8, 2 * 2.0 - 8},
        {"i / 3", 8, 2},
        {"i / 3.0", 6, 2},
        {"1 / 2", 0, 0},
        {"1 / 2.0", 0, 0.5},
        {"-7 / 2", 0, -3},
        {"-7 % 3", 0, -1},
        {"k[i] % 3", 0, -500 % 3},
        {"floor(-2.5)", 0, -3},
        {"floor(i)", 9, 9},
        {"abs(k[i])", 0, 500},
        {"abs(-2.5)", 0, 2.5},
        {"sqrt(16)", 0, 4},
        {"sqrt(x[i])", 64, 4},
        {"exp(0) + log(1) + sin(0) + cos(0) + tanh(0)", 0, 2},
        {"2^10", 0, 1024},
        {"2.0^0.5 * 2.0^0.5", 0, 2.0000000000000004}, /* 1.4142135623730951 squared, rounded to double */
        {"(-2)^3", 0, -8},
        {"min(3, 2.5)", 0, 2.5},
        {"max(k[i], -7)", 0, -7},
        {"ceil(10, 4) + ceil(-7, 2)", 0, 0},
        {"log2(max(i, 1))", 255, 7},
        {"xor(12, 10)", 0, 6},
        {"0x1f + 1e2 + 0.5", 0, 131.5},
        {"i > 0 ? x[i - 1] : 99", 0, 99},
        {"i > 0 ? x[i - 1] : 99", 5, 1},
        {"i > 0 && x[i - 1] > 0", 0, 0},
        {"i == 0 || x[i - 1] > 0", 0, 1},
        {"i == 0 ? 0 : 100 / i", 0, 0},
        {"zero ? 1 / zero : 5", 0, 5},
        {"seven * 2", 0, 14},
        {"sum(j, 0, 4, j * j)", 0, 14},
        {"sum(j, 0, n, 1)", 0, 1000},
        {"sum(j, 4, 4, x[-1])", 0, 0}, /* no turn, no read */
        {"sum(j, 5, 4, 1)", 0, 0},
        {"sum(j, 0, i + 1, j)", 10, 55},
        {"sum(j, 0, 3, sum(t, 0, j + 1, 10 * j + t))", 0, 0 + (10 + 11) + (20 + 21 + 22)},
        {"sum(j, 0, n, 0.1)", 0, 100}, /* 0.1 a thousand times loses digits where they are not kept */
        {"least(j, 0, n, abs(k[j] - 3))", 0, 0},
        {"greatest(j, 0, n, k[j])", 0, 499},
        {"greatest(j, 0, i + 1, x[j])", 8, 2},
        {"m[1][2] + m[i][0]", 0, 12},
        {"u8(300) + i8(200) + u16(-1) + i16(40000)", 0, 44 - 56 + 65535 - 25536},
        {"i32(2147483648)", 0, -2147483648.0},
        {"u32(-1)", 0, 4294967295.0},
        {"f32(0.1) == 0.1", 0, 0},
        {"f32(0.5) == 0.5", 0, 1},
        {"i64(-2.9)", 0, -2},
        {"f64(7) / 2", 0, 3.5},
        {"w[0] > 0", 0, 1},
        {"u[0] > 5", 0, 1}, /* unsigned, as C has it */
        {"u[0] / 2 == 9223372036854775807", 0, 1},
        {"u[0] >> 63", 0, 1},
        {"-8 >> 1", 0, -4},
        {"q[0] + 1 < 0", 0, 1}, /* 64 bits wrap */
        {"(-q[0] - 1) / -1 < 0", 0, 1},
        {"(-q[0] - 1) % -1", 0, 0},
        {"~0", 0, -1},
        {"!x[0] + !3", 0, 1},
        {"b[300]", 0, 44},
        {"1 << 3 | 1", 0, 9},
        {"1.0 / zero > 1e300", 0, 1}, /* of doubles: infinity, as a kernel has it */
        {"2.5e-1 * 4", 0, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        /* the element alone, and in the middle of many: both ways to add, several threads */
        char text[200];
        double one = NAN;
        static double many[N];
        lesson_error err;
        snprintf(text, sizeof text, "y[i] == %s within 1e-9", cases[c].text);
        bool good = run(text, cases[c].at, 1, TYPE_F64, &one, &err);
        check_why(good && one == cases[c].value, cases[c].text, good ? "another value" : err.message);
        const uint64_t count = strstr(cases[c].text, "m[i]") ? 2 : N;
        good = run(text, 0, count, TYPE_F64, many, &err);
        check_why(good && many[cases[c].at] == cases[c].value, cases[c].text,
                  good ? "another value among many" : err.message);
    }
}

/* Everything for all elements against the same in C. */
static void arrays(void)
{
    static float f[N];
    static int32_t whole[N];
    static double real[N];
    lesson_error err;
    bool good = run("y[i] == 2 * x[i] + before.y[i]", 0, N, TYPE_F32, f, &err), same = good;
    for (int i = 0; i < N && good; i++) same = same && f[i] == 2 * x[i] + y[i];
    check_why(same, "saxpy", err.message);
    same = good = run("y[i] == k[i] * 1664525 + 1013904223", 0, N, TYPE_I32, whole, &err);
    for (int i = 0; i < N && good; i++) same = same && (uint32_t)whole[i] == (uint32_t)k[i] * 1664525u + 1013904223u;
    check_why(same, "32 bits wrap", err.message);
    same = good = run("y[i] == u32(w[i] * 1664525 + 1013904223) >> 16", 0, N, TYPE_I32, whole, &err);
    for (int i = 0; i < N && good; i++) same = same && (uint32_t)whole[i] == (w[i] * 1664525u + 1013904223u) >> 16;
    check_why(same, "wraps before a shift", err.message);
    same = good = run("y[i] == sum(j, max(0, i - 2), min(n, i + 3), d[j])", 0, N, TYPE_F64, real, &err);
    for (int i = 0; i < N && good; i++) {
        double sum = 0;
        for (int j = i < 2 ? 0 : i - 2; j < (i + 3 < N ? i + 3 : N); j++) sum += d[j];
        same = same && fabs(real[i] - sum) <= 1e-12 * fabs(sum) + 1e-300;
    }
    check_why(same, "a stencil", err.message);
    double product[6];
    same = good = run("m[r][c] == sum(t, 0, 2, before.m[r][t] * before.m[t][c])", 0, 6, TYPE_F64, product, &err);
    for (int i = 0; i < 6 && good; i++) /* m is 0 1 2 / 10 11 12: its upper left part times itself */
        same = same && product[i] == m[3 * (i / 3)] * m[i % 3] + m[3 * (i / 3) + 1] * m[3 + i % 3];
    check_why(same, "rows and columns", err.message);
    double sum = 0;
    good = run("y[i] == sum(j, 0, 1Mi, big[j])", 0, 1, TYPE_F64, &sum, &err);
    check_why(good && fabs(sum - 104857.6015625) < 1e-9, "a long sum", err.message); /* 2^20 times 0.100000001490116 */
}

static void mistakes(void)
{
    static const struct {
        const char *text;
        int column; /* 0: any */
        const char *says;
    } bad[] = {
        /* right: y[i] == x: x is in column 16 */
        {"y[i] == x[i + 1]", 16, "x[1000] is outside x, which has 1000 elements, at i = 999"},
        {"y[i] == x[i - 1]", 16, "x[-1] is outside x, which has 1000 elements, at i = 0"},
        {"y[i] == sum(j, 0, 2, x[i + j])", 0, "x[1000] is outside x, which has 1000 elements, at i = 999, j = 1"},
        {"y[i] == m[2][0]", 0, "m[2] is outside m, which has 2 rows"},
        {"y[i] == m[1][3]", 0, "m[3] is outside m, which has 3 columns"},
        {"y[i] == m[6]", 0, "m[6] is outside m, which has 6 elements"},
        {"y[i] == x[9223372036854775807 * 2]", 0, "x[-2] is outside"},
        {"y[i] == 1 / zero", 18, "division by zero, at i = 0"},
        {"y[i] == 5 % (i - 3)", 0, "division by zero, at i = 3"},
        {"y[i] == ceil(i, zero)", 0, "division by zero"},
        {"y[i] == 1 << (i - 1)", 0, "a shift by -1"},
        {"y[i] == 1 >> 64", 0, "a shift by 64"},
        {"y[i] == 2^(0 - i - 1)", 0, "a power below 0"},
        {"y[i] == log2(i)", 0, "log2 of a number below 1, at i = 0"},
        {"y[i] == least(j, 0, i, 1)", 0, "the least or greatest of nothing"},
        {"y[i] == sum(j, -9223372036854775807, 9223372036854775807, sum(t, 0, 2^40, 1.5))", 0, "too long"},
        {"y[i] == x[i] + nothing", 23, "there is no nothing"},
        {"y[i] == nothing[i]", 16, "a buffer of this step: there is no nothing"},
        {"y[i] == y[i]", 16, "expected before.y"},
        {"y[i] == empty[i]", 16, "expected a buffer that the host fills"},
        {"y[i] == x", 16, "expected an element of x, as in x[i]"},
        {"y[i] == x[0.5]", 0, "expected a whole number as an index"},
        {"y[i] == x[x[i]]", 0, "expected a whole number as an index"},
        {"y[i] == x[i] % 2", 0, "expected a whole number for %"},
        {"y[i] == x[i] << 2", 0, "expected a whole number for <<"},
        {"y[i] == ~x[i]", 0, "expected a whole number after ~"},
        {"y[i] == sum(j, 0, x[0], 1)", 0, "at which the sum ends"},
        {"y[i] == x[i][0]", 0, "expected one index"},
        {"y[i][j] == 1", 0, "expected one index"},
        {"y[n] == 1", 0, "n is taken"},
        {"y[x] == 1", 0, "x is taken"},
        {"m[r][r] == 1", 0, "r is taken"},
        {"y[0] == 1", 0, "a name for the index"},
        {"y[i == 1", 0, "']'"},
        {"y[i] = 1", 0, "'=='"},
        {"y[i] == ", 0, "a number, a name or '('"},
        {"y[i] == x[i", 0, "']' after the index"},
        {"y[i] == sum(j, 0, n)", 0, "',' and what is added up"},
        {"y[i] == sum(3, 0, n, 1)", 0, "a name that counts"},
        {"y[i] == frobnicate(x[i])", 0, "a function: min max"},
        {"y[i] == [v3].x", 0, "a number, a name or '('"},
        {"y[i] == 1.2.3", 0, "a number, as in"},
        {"y[i] == 0x", 0, "0x1f"},
        {"y[i] == 0xffffffffffffffff", 0, "below 2^63"},
        {"y[i] == 1e999", 0, "a number, as in"},
        {"y == 1", 0, "expected an element, as in y[i]"},
        {"y == sum(j, 0, n, x[j])", 0, "expected an element, as in y[i]"},
        {"y[i] == 1 for j = 0 to 3", 0, "expected the index that stands on the left"},
        {"y[i] == 1 for i = 0", 0, "'to' and the last element"},
        {"y[i] == 1 within 0", 0, "an error bound above 0"},
        {"y[i] == 1 within 1 relative 2", 0, "the end of the line"},
        {"y[i] == before.nothing[i]", 0, "there is no nothing"},
        {"y[i] == before.n", 0, "there is no before.n"},
    };
    static double out[N];
    for (size_t c = 0; c < sizeof bad / sizeof *bad; c++) {
        lesson_error err;
        bool good = run(bad[c].text, 0, N, TYPE_F64, out, &err);
        char more[600];
        snprintf(more, sizeof more, "%s (column %d)", good ? "no mistake" : err.message, err.column);
        check_why(!good && strstr(err.message, bad[c].says) && (!bad[c].column || bad[c].column == err.column),
                  bad[c].text, more);
    }
    /* deep and long ones end with a message */
    char deep[900] = "y[i] == ", longer[990] = "y[i] == 1", sums[900] = "y[i] == ";
    for (int i = 0; i < 200; i++) strcat(deep, "(");
    for (int i = 0; i < 300; i++) strcat(longer, "+ 1");
    for (int i = 0; i < 9; i++) sprintf(sums + strlen(sums), "sum(v%d, 0, 2, ", i);
    strcat(sums, "1");
    for (int i = 0; i < 9; i++) strcat(sums, ")");
    lesson_error err;
    check_why(!run(deep, 0, 1, TYPE_F64, out, &err) && strstr(err.message, "a simpler expression"), "deep",
              err.message);
    check_why(!run(longer, 0, 1, TYPE_F64, out, &err) && strstr(err.message, "a shorter expression"), "long",
              err.message);
    check_why(!run(sums, 0, 1, TYPE_F64, out, &err) && strstr(err.message, "fewer sums within sums"), "sums",
              err.message);
}

int main(void)
{
    fill();
    values();
    arrays();
    mistakes();
    return check_end();
}
