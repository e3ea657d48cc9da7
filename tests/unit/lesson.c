/* lesson.c: parts of the lesson loader: expressions, generators against the C libraries that they
 * reproduce, CPU operations, and the messages about mistakes in a lesson, with line and column. */
#include "run/step.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

static bool names(void *arg, const char *name, size_t length, int64_t *value)
{
    (void)arg;
    if (length == 1 && *name >= 'a' && *name <= 'e') {
        *value = *name - 'a' + 1; /* a = 1, b = 2 ... */
        return true;
    }
    if (length == 6 && !memcmp(name, "before", 6)) {
        *value = 60;
        return true;
    }
    if (length == 9 && !memcmp(name, "[v3-512].x", 9)) *value = 7;
    return length == 10 && !memcmp(name, "[v3-512].x", 10) && (*value = 7);
}

static void expressions(void)
{
    static const struct {
        const char *text;
        int64_t value;
        const char *fails; /* or a part of the reason why it has no value */
    } cases[] = {
        {"1", 1, NULL},
        {"64Ki", 65536, NULL},
        {"1Mi", 1048576, NULL},
        {"2Gi", INT64_C(2147483648), NULL},
        {"1_000", 1000, NULL},
        {"2 + 3 * 4", 14, NULL},
        {"(2 + 3) * 4", 20, NULL},
        {"10 - 3 - 2", 5, NULL},
        {"100 / 7 / 2", 7, NULL},
        {"-7 / 2", -3, NULL},
        {"-7 % 3", -1, NULL},
        {"1 << 10 >> 2", 256, NULL},
        {"6 & 3 | 8", 10, NULL},
        {"2^20", 1048576, NULL}, /* not XOR, which would give 22 */
        {"2 * 96^3 / 16", 110592, NULL},
        {"2^3^2", 512, NULL},
        {"-2^2", -4, NULL},
        {"(-2)^63", INT64_MIN, NULL},
        {"2^-a + 1", 0, "power below 0"},
        {"0^0 + 0^9223372036854775807 + (-1)^9223372036854775807", 0, NULL},
        {"1^9223372036854775806 + (-1)^9223372036854775806", 2, NULL},
        {"2^63", 0, "64 bits"},
        {"3^9223372036854775807", 0, "64 bits"},
        {"!0 + ~0", 0, NULL},
        {"1 < 2 == 1", 1, NULL},
        {"a ? b : c", 2, NULL},
        {"0 ? 1 / 0 : 5", 5, NULL},
        {"1 || 1 / 0", 1, NULL},
        {"0 && 1 / 0", 0, NULL},
        {"a == 1 && b == 2", 1, NULL},
        {"0 ? 1 : 0 ? 2 : 3", 3, NULL},
        {"ceil(10, 4)", 3, NULL},
        {"ceil(8, 4)", 2, NULL},
        {"ceil(-7, 2)", -3, NULL},
        {"min(4, 3)", 3, NULL},
        {"max(4, 3)", 4, NULL},
        {"log2(1)", 0, NULL},
        {"log2(255)", 7, NULL},
        {"[v3-512].x * 2", 14, NULL},
        {"before / 4", 15, NULL},
        {"9223372036854775807", INT64_MAX, NULL},
        {"-9223372036854775807 - 1", INT64_MIN, NULL},
        {"1 / 0", 0, "division by zero"},
        {"1 % 0", 0, "division by zero"},
        {"9223372036854775807 + 1", 0, "64 bits"},
        {"-9223372036854775807 - 2", 0, "64 bits"},
        {"4Gi * 4Gi", 0, "64 bits"},
        {"(-9223372036854775807 - 1) / -1", 0, "64 bits"},
        {"(-9223372036854775807 - 1) * -1", 0, "64 bits"},
        {"-(-9223372036854775807 - 1)", 0, "64 bits"},
        {"1 << 63", 0, "64 bits"},
        {"1 << 64", 0, "64 bits"},
        {"-1 << 1", 0, "64 bits"},
        {"log2(0)", 0, "log2"},
        {"zz + 1", 0, "'zz' has no value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expr e;
        const char *at, *expected, *end = cases[i].text + strlen(cases[i].text);
        int64_t v = 0;
        char why[160] = "";
        bool whole = expr_parse(&e, cases[i].text, end, &at, &expected) == end;
        bool has = whole && expr_eval(&e, names, NULL, &v, why, sizeof why);
        check(whole && (cases[i].fails ? !has && strstr(why, cases[i].fails) : has && v == cases[i].value),
              cases[i].text);
    }
    static const struct {
        const char *text;
        int at; /* where the mistake is */
        const char *expected;
    } bad[] = {
        {"", 0, "a number"},
        {"1 +", 3, "a number"},
        {"(1", 2, "')'"},
        {"1 ? 2", 5, "':'"},
        {"12abc", 2, "a whole number"},
        {"1.5", 1, "a whole number"},
        {"foo(1)", 0, "one of the functions"},
        {"min(1)", 5, "','"},
        {"99999999999999999999", 0, "below 2^63"},
        {"9999999999Gi", 0, "below 2^63"},
        {"[v3", 3, "']'"},
        {"[v3]", 4, "'.'"},
        {"x.", 2, "a name"},
        {"*", 0, "a number"},
        {"1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1", 33, "a shorter"},
        {"((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))", 40, "simpler"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expr e;
        const char *at = NULL, *expected = "";
        bool read = expr_parse(&e, bad[i].text, bad[i].text + strlen(bad[i].text), &at, &expected) != NULL;
        bool good = !read && at == bad[i].text + bad[i].at && strstr(expected, bad[i].expected);
        check(good, bad[i].text);
        if (!good && !read) printf("     at %d: expected %s\n", (int)(at - bad[i].text), expected);
    }
}

/* ---- generators: the first numbers of the two C libraries ---- */
static void generators(void)
{
    static const int32_t one[] = {1804289383, 846930886, 1681692777, 1714636915, 1957747793};
    static const int32_t seed42[] = {71876166, 708592740, 1483128881};
    static const int32_t msvc[] = {41, 18467, 6334, 26500, 19169};
    rand_glibc g;
    rand_glibc_seed(&g, 1);
    for (int i = 0; i < 5; i++) check(rand_glibc_next(&g) == one[i], "glibc's rand() after srand(1)");
    rand_glibc_seed(&g, 0);
    check(rand_glibc_next(&g) == one[0], "srand(0) is srand(1)");
    rand_glibc_seed(&g, 42);
    for (int i = 0; i < 3; i++) check(rand_glibc_next(&g) == seed42[i], "glibc's rand() after srand(42)");
    rand_glibc many = g;
    int32_t batch[200];
    bool same = true;
    for (int n = 0; n < 200; n += n < 70 ? 1 : 13) { /* from and to every position of the ring */
        rand_glibc_many(&many, batch, (size_t)n);
        for (int i = 0; i < n; i++) same = same && rand_glibc_next(&g) == batch[i];
    }
    check(same, "many numbers at once are those that come one after the other");
    uint32_t state = 1;
    for (int i = 0; i < 5; i++) check(rand_msvc_next(&state) == msvc[i], "Microsoft's rand() after srand(1)");
}

/* ---- operations ---- */
static void operations(void)
{
    int32_t ints[] = {3, -2, 5};
    float floats[] = {1e8f, 1.0f, -1e8f};
    cpu_value a = {TYPE_I32, 3, false, ints, 0}, f = {TYPE_F32, 3, false, floats, 0}, out;
    char why[100];
    for (const cpu_operation *op = cpu_operations; op->name; op++) {
        if (!strcmp(op->name, "sum") && !op->compute(&a, 1, &out, why, sizeof why)) {
            check(cpu_integer(&out, 0) == 6, "sum of ints");
            cpu_value_free(&out);
            check(!op->compute(&f, 1, &out, why, sizeof why) && cpu_number(&out, 0) == 1.0,
                  "a sum of floats loses nothing");
            cpu_value_free(&out);
        }
        if (!strcmp(op->name, "sum_of_squares") && !op->compute(&a, 1, &out, why, sizeof why)) {
            check(cpu_integer(&out, 0) == 38, "sum of squares");
            cpu_value_free(&out);
        }
        if (!strcmp(op->name, "sorted") && !op->compute(&a, 1, &out, why, sizeof why)) {
            check(cpu_integer(&out, 0) == -2 && cpu_integer(&out, 2) == 5, "sorted");
            cpu_value_free(&out);
        }
    }
    /* From 2^24 on a float cannot count. 123000000.110771 is what an article got for 10^8 times
     * 1.23. */
    static const struct {
        const char *name;
        double expected;
    } sums[] = {{"running_sum", 16777216}, {"sum_in_double", 16777218}, {"sum", 16777218}};
    float stuck[] = {16777216, 1, 1};
    cpu_value floats3 = {TYPE_F32, 3, false, stuck, 0};
    double x = 1.23;
    int64_t often = 100000000;
    cpu_value repeat[] = {{TYPE_F64, 1, true, &x, 0}, {TYPE_I64, 1, true, &often, 0}};
    for (const cpu_operation *op = cpu_operations; op->name; op++) {
        for (int i = 0; i < 3; i++)
            if (!strcmp(op->name, sums[i].name) && !op->compute(&floats3, 1, &out, why, sizeof why)) {
                check(cpu_number(&out, 0) == sums[i].expected, sums[i].name);
                cpu_value_free(&out);
            }
        if (!strcmp(op->name, "repeated_sum") && !op->compute(repeat, 2, &out, why, sizeof why)) {
            check(fabs(cpu_number(&out, 0) - 123000000.110771) < 1e-6, "10^8 times 1.23 in double");
            cpu_value_free(&out);
        }
    }
    /* 2 x 3 times 3 x 2, worked out by hand; and a sum that float would lose */
    float m[] = {1, 2, 3, 4, 5, 6}, t[] = {7, 8, 9, 10, 11, 12}, big[] = {1e8f, 1, -1e8f}, one[] = {1, 1, 1};
    int64_t three = 3;
    cpu_value pair[] = {{TYPE_F32, 6, false, m, 0}, {TYPE_F32, 6, false, t, 0}, {TYPE_I64, 1, true, &three, 0}};
    cpu_value thin[] = {{TYPE_F32, 3, false, big, 0}, {TYPE_F32, 3, false, one, 0}, {TYPE_I64, 1, true, &three, 0}};
    for (const cpu_operation *op = cpu_operations; op->name; op++) {
        if (strcmp(op->name, "product")) continue;
        check(!op->compute(pair, 3, &out, why, sizeof why), "a product");
        check(out.count == 4 && cpu_number(&out, 0) == 58 && cpu_number(&out, 1) == 64 && cpu_number(&out, 2) == 139 &&
                  cpu_number(&out, 3) == 154,
              "product of 2 x 3 and 3 x 2");
        cpu_value_free(&out);
        check(!op->compute(thin, 3, &out, why, sizeof why) && out.count == 1 && cpu_number(&out, 0) == 1,
              "a product is summed in double");
        cpu_value_free(&out);
        three = 4;
        check(op->compute(pair, 3, &out, why, sizeof why) && strstr(why, "4 columns"), "a product that does not fit");
    }
    /* Sums of doubles in which plain addition loses every 1, wherever the large ones are. */
    for (int apart = 1; apart < 20; apart++) {
        double tall[21];
        for (int i = 0; i < 21; i++) tall[i] = i == 0 ? 1e17 : i == apart ? -1e17 : 1;
        cpu_value sum = {TYPE_F64, 21, false, tall, 0};
        for (const cpu_operation *op = cpu_operations; op->name; op++)
            if (!strcmp(op->name, "sum")) {
                check(!op->compute(&sum, 1, &out, why, sizeof why) && cpu_number(&out, 0) == 19,
                      "a sum of doubles is compensated");
                cpu_value_free(&out);
            }
    }
    /* Each operation on 3, -2, 5, worked out by hand; -1 in operations on words has every bit
     * set. */
    static const struct {
        const char *name;
        int64_t arg[2];
        int args, count;
        int64_t want[10];
    } more[] = {
        {"element", {1}, 2, 1, {-2}},
        {"library_sorted", {0}, 1, 3, {-2, 3, 5}},
        {"first_sorted", {2}, 2, 2, {-2, 3}},
        {"first_sorted", {0}, 2, 0, {0}},
        {"kept", {3}, 2, 2, {3, 5}},
        {"kept", {-2}, 2, 3, {-2, 3, 5}},
        {"histogram", {6}, 2, 6, {0, 0, 0, 1, 0, 1}},
        {"greatest", {0}, 1, 1, {5}},
        {"filtered", {3}, 2, 2, {3, 5}},
        {"sorted_columns", {2}, 2, 3, {3, -2, 5}},
        {"sorted_columns", {1}, 2, 3, {-2, 3, 5}},
        {"lcg", {0}, 2, 3, {3, -2, 5}}, /* one round: 1664525 times 3, -2 and 5, plus 1013904223 */
        {"lcg", {1}, 2, 3, {1018897798, 1010575173, 1022226848}},
        {"product_of_odd", {0}, 1, 1, {INT64_C(4294967065)}}, /* 7 * -3 * 11 = -231 */
        {"atomic_words",
         {4, 2},
         3,
         10,
         {10, INT64_C(4294967294), 0, INT64_C(4294967295), INT64_C(4294967292), 3, INT64_C(4294967294), 2, 0, 10}},
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        for (const cpu_operation *op = cpu_operations; op->name; op++) {
            int64_t second = more[i].arg[0], third = more[i].arg[1];
            cpu_value in[3] = {a, {TYPE_I64, 1, true, &second, 0}, {TYPE_I64, 1, true, &third, 0}};
            if (strcmp(op->name, more[i].name)) continue;
            bool good = !op->compute(in, more[i].args, &out, why, sizeof why) && out.count == (uint64_t)more[i].count;
            for (int k = 0; good && k < more[i].count; k++) good = cpu_integer(&out, (uint64_t)k) == more[i].want[k];
            check(good, more[i].name);
            cpu_value_free(&out);
        }
    /* as unsigned numbers, the words with the top bit come last */
    uint32_t words[] = {UINT32_MAX, 1, UINT32_C(1) << 31, 65537};
    int64_t half = INT64_C(1) << 31;
    cpu_value unsigned_words[2] = {{TYPE_U32, 4, false, words, 0}, {TYPE_I64, 1, true, &half, 0}};
    for (const cpu_operation *op = cpu_operations; op->name; op++) {
        if (!strcmp(op->name, "sorted") && !op->compute(unsigned_words, 1, &out, why, sizeof why)) {
            check(cpu_integer(&out, 0) == 1 && cpu_integer(&out, 1) == 65537 && cpu_integer(&out, 2) == half &&
                      cpu_integer(&out, 3) == UINT32_MAX,
                  "sorted words");
            cpu_value_free(&out);
        }
        if (!strcmp(op->name, "kept") && !op->compute(unsigned_words, 2, &out, why, sizeof why)) {
            check(out.count == 2 && cpu_integer(&out, 0) == half && cpu_integer(&out, 1) == UINT32_MAX,
                  "words that are kept");
            cpu_value_free(&out);
        }
    }
    /* in the order of keys; of equal keys the first comes first; as signed numbers -1 is the least */
    double four[] = {0, 1, 2, 3};
    static const double order_of[2][4] = {{1, 3, 0, 2}, {0, 2, 1, 3}};
    uint32_t keys[] = {UINT32_MAX, 7, UINT32_MAX, 7};
    for (const cpu_operation *op = cpu_operations; op->name; op++) {
        if (strcmp(op->name, "sorted_by")) continue;
        cpu_value by[2] = {{TYPE_F64, 4, false, four, 0}, {TYPE_U32, 4, false, keys, 0}};
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            by[1].type = is_signed ? TYPE_I32 : TYPE_U32;
            bool good = !op->compute(by, 2, &out, why, sizeof why) && out.count == 4 && out.type == TYPE_F64;
            for (uint64_t i = 0; good && i < 4; i++) good = cpu_number(&out, i) == order_of[is_signed][i];
            check(good, "sorted by keys");
            cpu_value_free(&out);
        }
        by[1].count = 3;
        check(op->compute(by, 2, &out, why, sizeof why) == -1 && strstr(why, "32 bits"), "fewer keys than elements");
    }
    /* groups of two: groups 1, 1 + 2 and 1 + 4 of three, which are 1, 0 and 2 */
    int32_t six[] = {0, 1, 2, 3, 4, 5};
    static const double groups[] = {2, 3, 0, 1, 4, 5};
    int64_t stride = 2, offset = 1, often3 = 3, width = 2;
    cpu_value every[] = {{TYPE_I32, 6, false, six, 0},
                         {TYPE_I64, 1, true, &stride, 0},
                         {TYPE_I64, 1, true, &offset, 0},
                         {TYPE_I64, 1, true, &often3, 0},
                         {TYPE_I64, 1, true, &width, 0}};
    for (const cpu_operation *op = cpu_operations; op->name; op++) {
        if (strcmp(op->name, "every")) continue;
        bool good = !op->compute(every, 5, &out, why, sizeof why) && out.count == 6;
        for (uint64_t i = 0; good && i < 6; i++) good = cpu_number(&out, i) == groups[i];
        check(good, "every second group of two");
        cpu_value_free(&out);
        width = 7;
        check(op->compute(every, 5, &out, why, sizeof why) == -1, "groups larger than the array");
    }
    int64_t too_far = 3;
    cpu_value beyond[2] = {a, {TYPE_I64, 1, true, &too_far, 0}};
    for (const cpu_operation *op = cpu_operations; op->name; op++)
        if (!strcmp(op->name, "element"))
            check(op->compute(beyond, 2, &out, why, sizeof why) == -1, "element beyond the array");
    int32_t other[] = {3, -2, 6};
    cpu_value b = {TYPE_I32, 3, false, other, 0};
    verdict v;
    verdict_compare(&v, &a, &a, 0, false);
    check(v.correct && v.wrong == 0, "equal arrays");
    verdict_compare(&v, &b, &a, 0, false);
    check(!v.correct && v.wrong == 1 && v.first == 2 && v.ours_integer == 6 && v.reference_integer == 5,
          "one element differs");
    verdict_compare(&v, &b, &a, 1, false);
    check(v.correct, "within 1");
    b.count = 2;
    verdict_compare(&v, &b, &a, 0, false);
    check(!v.correct && v.message[0], "different lengths");
    float nan_[] = {NAN, 1, 1};
    cpu_value n = {TYPE_F32, 3, false, nan_, 0};
    verdict_compare(&v, &n, &f, 1e30, true);
    check(!v.correct, "a NaN is never within a bound");
}

/* ---- mistakes ---- */
#define HEAD    "title: T\nsetting: n = 8 from 1 to 64, numbers\n"
#define STEP    HEAD "step: a\ntitle: A\nidea: I\nkernel: k.cu\nbuffer: x i32[n] = iota\n"
#define PROGRAM HEAD "step: a\ntitle: A\nidea: I\n"
#define GOOD    STEP "launch: k<<<1, n>>>(x)\nright: x == sorted(x)\n"

static void mistakes(void)
{
    static const struct {
        const char *text;
        int line, column;
        const char *message;
    } cases[] = {
        {"", 1, 0, "expected \"title: ...\""},
        {"title: T\n", 1, 0, "at least one \"step: NAME\""},
        {"  title: T\n", 1, 1, "a key in the first column"},
        {"what is this\n", 1, 5, "a key and a colon"},
        {"colour: red\n", 1, 1, "one of the keys of a lesson"},
        {"title: A\ntitle: B\n", 2, 1, "title only once"},
        {"title:\n", 1, 7, "the lesson's title"},
        {"title: A\n  more\n", 2, 1, "expected a key"},
        {"launch: k<<<1, 1>>>()\n", 1, 1, "\"step: NAME\" first"},
        {"title: a\x01z\n", 1, 9, "control character"},
        {"title: a\xc2\x9bz\n", 1, 9, "control character"},
        {"title: a\xffz\n", 1, 9, "UTF-8"},
        {HEAD "chapter: a\n", 3, 11, "expected ',' and what the chapter is about"},
        {HEAD "chapter: a, A\nchapter: b, B\n", 4, 10, "expected a step: chapter a above has none"},
        {HEAD "chapter: cycles, A\n", 3, 10, "expected another name: cycles is a metric"},
        {HEAD "chapter: next, A\n", 3, 10, "expected another name: next is a command"},
        {HEAD "chapter: a, A\nlicence: x\n", 4, 1, "expected one of the keys of a lesson"},
        {HEAD "chapter: a, A\nneeds: x\n", 4, 1, "expected needs before the first step"},
        {HEAD "chapter: a, A\nidea: x\n", 4, 1, "expected \"step: NAME\" first"},
        {HEAD "chapter: a, A\nstep: s\ntitle: A\nidea: A\ncommands: doctor\nchapter: a, A\n", 8, 10,
         "expected a new name: there is a chapter a already"},
        {HEAD "step: a\ncommands: doctor; quit\n", 4, 19, "expected doctor, devices"},
        {HEAD "step: a\ncommands: devices --device gpu\n", 4, 11, "without options"},
        {HEAD "also: m = 1\n", 3, 7, "there is no m"},
        {HEAD "also: n = 1 with m = 2\n", 3, 18, "there is no m"},
        {HEAD "also: n = 1 with n = 2\n", 3, 18, "another setting"},
        {HEAD "also: n = 1 with\n", 3, 17, "a setting's name"},
        {HEAD "check: n = 1 with n = 2\n", 3, 14, "the end of the line"},
        {HEAD "check: n = m\nstep: a\n", 3, 0, "there is no m"},
        {STEP "on: \n", 8, 4, "a card's name"},
        {STEP "buffer: y i32[n] in 2 2 of 4\n", 8, 23, "'x'"},
        {STEP "buffer: y i32[n] in 2 x 2 4\n", 8, 27, "the end of the line"},
        {STEP "buffer: y i32[n] = ones in 2 x 2 of 4, zero\n", 8, 40, "'rest zero'"},
        {GOOD "buffer: y i32[n] in m x 2 of 4\n", 10, 0, "there is no m"},
        {HEAD "also: n 1\n", 3, 9, "'=' and values"},
        {HEAD "seed: 1.5\n", 3, 7, "a whole number"},
        {STEP "launch: k{m}<<<1, n>>>(x)\n", 8, 11, "there is no m"},
        {STEP "launch: k{n<<<1, n>>>(x)\n", 8, 12, "'}'"},
        {"setting: n = 1 from 2\n", 1, 22, "'to' and the greatest"},
        {"setting: n = 1 from 2 to 3\n", 1, 27, "',' and what"},
        {"setting: 1n = 1 from 2 to 3, x\n", 1, 10, "the setting's name"},
        {HEAD "setting: n = 1 from 1 to 2, again\n", 3, 10, "a new name"},
        {HEAD "setting: m = k from 1 to 2, m\nstep: a\n", 3, 0, "there is no k"},
        {HEAD "step: a like b\n", 3, 14, "an earlier step"},
        {STEP "step: a\n", 8, 7, "a new name"},
        {STEP "card: x\n", 8, 1, "card before the first step"},
        {STEP "buffer: y int[n]\n", 8, 11, "a type: i8"},
        {STEP "buffer: y i32 n\n", 8, 15, "'['"},
        {STEP "buffer: y i32[n\n", 8, 16, "']'"},
        {STEP "buffer: y i32[n] = random\n", 8, 20, "a fill (none, zero"},
        {STEP "launch: k<<1, n>>>(x)\n", 8, 10, "<<<blocks, threads>>>"},
        {STEP "launch: k<<<1, n>>>(texture4(x, n))\n", 8, 30, "a buffer of f32"},
        {STEP "launch: k<<<1 n>>>(x)\n", 8, 15, "',' and the threads"},
        {STEP "launch: k<<<1, n>>(x)\n", 8, 22, "'>>>'"},
        {STEP "launch: k<<<1, n>>>(x\n", 8, 22, "',' or ')'"},
        {STEP "launch: k<<<1, n>>>(x) now\n", 8, 24, "the end of the line"},
        {STEP "right: z == sum(x)\n", 8, 8, "there is no z"},
        {STEP "right: x == average(x)\n", 8, 13, "a CPU operation: sum"},
        {STEP "right: x == sum(x, x)\n", 8, 16, "sum(array)"},
        {STEP "right: x == sum(x) within 0\n", 8, 28, "an error bound above 0"},
        {STEP "program: a.c n\n", 8, 10, ".cu"},
        {STEP "program: a.cu n,\n", 8, 17, "one more value"},
        {PROGRAM "program: a.cu nothing\n", 6, 0, "there is no nothing"},
        {STEP "program: a.cu n\nlaunch: k<<<1, n>>>(x)\n", 8, 0, "the program alone"},
        {PROGRAM "program: a.cu n\ncards: two\n", 3, 0, "there is no two"},
        {STEP "says:\n", 8, 6, "what the program prints"},
        {STEP "expect: maybe\n", 8, 9, "ok, wrong, race, uninitialised or fault"},
        {STEP "for: i = 0 to 3\n", 8, 0, "an end: for this loop"},
        {STEP "end:\n", 8, 1, "this ends nothing"},
        {STEP "with: m = 1\n", 8, 7, "there is no m"},
        {STEP "article: cycles fast on x\n", 8, 17, "the figure"},
        {STEP "article: cycles 3 parsecs on x\n", 8, 19, "a unit"},
        {STEP "predict: why?\n", 8, 1, "two or more choice:"},
        {STEP "predict: why?\n    choice: one\n    choice: two when 1\n", 9, 16, "'when' and the condition"},
        {STEP "look: colours, x\n", 8, 7, "instruction, barrier, split"},
        {STEP "look: barrier 0, x\n", 8, 15, "which of them, from 1"},
        {STEP "look: barrier line, x\n", 8, 19, "a line of the kernel's file"},
        {STEP "look: barrier warp 64, x\n", 8, 20, "a warp of the block"},
        {STEP "look: barrier block x, y\n", 8, 21, "a block, as 3"},
        {STEP "look: barrier launch 0, x\n", 8, 22, "which launch, from 1"},
        {STEP "look: barrier near line 3, x\n", 8, 15, "line N, warp W"},
        {STEP "look: barrier\n", 8, 14, "',' and what to look at"},
        {STEP "look: barrier,\n", 8, 15, "text, here or on"},
        {STEP "look: barrier, {cycles} cycles\n", 8, 15, "the screen shows the numbers"},
        {STEP "predict: q\n    frame: nowhere\n    number: 1 within 0%\n", 9, 12, "instruction, barrier, split"},
        {STEP "predict: q\n    frame: barrier, x\n    number: 1 within 0%\n", 9, 19, "the end of the line"},
        {STEP "predict: q\n    frame: wait\n    frame: wait\n    number: 1 within 0%\n", 10, 11, "frame: only once"},
        {STEP "rows: cycles, speed\n", 8, 15, "there is no speed"},
        {STEP "rows:\n", 8, 6, "a metric"},
        {STEP "rows: cycles,time,cycles,time,cycles,time,cycles,time,cycles\n", 8, 55, "at most 8 metrics"},
        {STEP "exercise: 0\n", 8, 11, "the number of an exercise"},
        {STEP "exercise: 1.5\n", 8, 11, "the number of an exercise"},
        {STEP "exercise: one\n", 8, 11, "the number of an exercise"},
        {STEP "kernel: ../../etc/passwd\n", 8, 1, "kernel only once"},
        {HEAD "step: a\nkernel: ../k.cu\n", 4, 9, "the name of a .cu file"},
        {GOOD "bytes: m\n", 3, 0, "there is no m"},
        {GOOD "article: speed 3 s on x\n", 10, 0, "there is no speed"},
        {GOOD "predict: q\n    number: sectors within 5%\n", 10, 0, "there is no sectors"},
        {GOOD "predict: q\n    number: frame_lanes within 5%\n", 10, 0, "there is no frame_lanes"},
        {GOOD "predict: q\n    number: before.warps within 5%\n", 10, 0, "there is no before.warps"},
        {STEP "launch: k<<<1, n>>>(x)\n", 3, 0, "what the answer must be"},
        {HEAD "step: a\ntitle: A\nidea: I\nbuffer: x i32[n]\nlaunch: k<<<1, 1>>>(x)\nright: x == sorted(x)\n", 3, 0,
         "\"kernel: FILE.cu\""},
        {GOOD "with: n = 100\n", 3, 0, "not between 1 and 64"},
        {GOOD "chapter: z, Z\n", 10, 0, "a step after chapter z"},
        {GOOD "chapter: a, A\nstep: b like a\ntitle: B\nidea: B\n", 10, 0, "there is a step a"},
        {GOOD "require: n > 9, more than nine numbers\n", 3, 0, "more than nine numbers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lesson *l = NULL;
        lesson_error err;
        bool bad = lesson_parse(&l, "t", cases[i].text, strlen(cases[i].text), &err) || !lesson_check(l, &err);
        bool good = bad && err.line == cases[i].line && (!cases[i].column || err.column == cases[i].column) &&
                    strstr(err.message, cases[i].message);
        check(good, cases[i].message);
        if (!good) printf("     got %d:%d: %s\n", err.line, err.column, bad ? err.message : "no error");
        lesson_free(l);
    }
    lesson *l;
    lesson_error err;
    check(!lesson_parse(&l, "t", GOOD, strlen(GOOD), &err) && lesson_check(l, &err),
          "the text that the mistakes are made in is right");
    lesson_free(l);
    static char big[LESSON_BYTES + 1];
    memset(big, '\n', sizeof big);
    check(lesson_parse(&l, "t", big, sizeof big, &err) && strstr(err.message, "at most"), "a file that is too large");
}

/* Which steps belong to which chapter, by the order of the lines alone. */
static void chapters(void)
{
    static const char text[] = "title: T\n"
                               "step: s0\ntitle: A\nidea: I\ncommands: doctor\n"
                               "chapter: one, The first\n"
                               "step: s1\ntitle: A\nidea: I\ncommands: doctor\n"
                               "step: s2\ntitle: A\nidea: I\ncommands: doctor\n"
                               "chapter: once, The second\n"
                               "step: s3\ntitle: A\nidea: I\ncommands: doctor\n";
    lesson *l;
    lesson_error err;
    if (lesson_parse(&l, "t", text, strlen(text), &err) || !lesson_check(l, &err)) {
        check(false, "a lesson with chapters is read");
        return;
    }
    const lesson_chapter *c = l->chapter;
    check(l->chapter_count == 2 && !strcmp(c[0].title, "The first") && !strcmp(c[1].name, "once"), "two chapters");
    check(!lesson_chapter_of(l, &l->step[0]), "a step before the first chapter has none");
    check(lesson_chapter_of(l, &l->step[1]) == c && lesson_chapter_of(l, &l->step[2]) == c, "steps of the first");
    check(lesson_chapter_of(l, &l->step[3]) == c + 1, "the step of the second");
    check(lesson_chapter_end(l, c) == 3 && lesson_chapter_end(l, c + 1) == 4, "where they end");
    check(!lesson_chapter_named(l, "on") && lesson_chapter_named(l, "one") == c &&
              lesson_chapter_named(l, "onc") == c + 1 && !lesson_chapter_named(l, "two"),
          "a name, or a prefix that only one has");
    lesson_free(l);
}

/* Products of every awkward shape, against three plain loops. */
static void products(void)
{
    static const int shapes[][3] = {{1, 1, 1},   {1, 7, 1},  {3, 5, 25},      {4, 1, 24},   {5, 9, 23},
                                    {6, 100, 7}, {9, 2, 49}, {129, 300, 131}, {8, 999, 600}};
    const cpu_operation *op = cpu_operations;
    while (op->name && strcmp(op->name, "product")) op++;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int rows = shapes[i][0], inner = shapes[i][1], columns = shapes[i][2];
        float *a = malloc(sizeof *a * (size_t)(rows * inner)), *b = malloc(sizeof *b * (size_t)(inner * columns));
        uint32_t drawn = 1;
        int64_t n = inner;
        char why[160], what[100];
        if (!a || !b || !op->name) exit(1);
        for (int k = 0; k < rows * inner; k++)
            a[k] = (float)((drawn = drawn * 1664525u + 1013904223u) >> 8) * 1e-7f - 0.5f;
        for (int k = 0; k < inner * columns; k++)
            b[k] = (float)((drawn = drawn * 1664525u + 1013904223u) >> 8) * 1e-7f - 0.5f;
        cpu_value in[] = {{TYPE_F32, (uint64_t)(rows * inner), false, a, 0},
                          {TYPE_F32, (uint64_t)(inner * columns), false, b, 0},
                          {TYPE_I64, 1, true, &n, 0}},
                  out;
        bool good = !op->compute(in, 3, &out, why, sizeof why) && out.count == (uint64_t)(rows * columns);
        for (int r = 0; good && r < rows; r++)
            for (int c = 0; c < columns; c++) {
                double sum = 0;
                for (int k = 0; k < inner; k++) sum += (double)a[r * inner + k] * b[k * columns + c];
                good = good && ((const float *)out.data)[r * columns + c] == (float)sum;
            }
        snprintf(what, sizeof what, "product of %d x %d and %d x %d", rows, inner, inner, columns);
        check(good, what);
        cpu_value_free(&out);
        free(a);
        free(b);
    }
}

int main(void)
{
    expressions();
    products();
    generators();
    operations();
    mistakes();
    chapters();
    return check_end();
}
