/* scans.c: operations on parts of arrays and the fills that cut an array into segments. Expected
 * values are worked out by hand. */
#include "course/reference_arrays.h"
#include "check.h"
#include <stdio.h>
#include <string.h>

static const cpu_operation *named(const char *name)
{
    const cpu_operation *op = cpu_operations;
    while (op->name && strcmp(op->name, name)) op++;
    return op->name ? op : NULL;
}

/* Does it give these `count` numbers? Those of type `type`, which is that of the result. */
static bool gives(const char *name, const cpu_value *arg, int args, enum lesson_type type, int count,
                  const double *want)
{
    char why[100];
    cpu_value out;
    const cpu_operation *op = named(name);
    if (!op || args < op->least || args > op->most || op->compute(arg, args, &out, why, sizeof why)) return false;
    bool good = out.count == (uint64_t)count && out.type == type;
    for (int i = 0; good && i < count; i++) good = cpu_number(&out, (uint64_t)i) == want[i];
    cpu_value_free(&out);
    return good;
}

static bool refuses(const char *name, const cpu_value *arg, int args, const char *reason)
{
    char why[100] = "";
    cpu_value out = {0};
    const cpu_operation *op = named(name);
    const bool refused = op && op->compute(arg, args, &out, why, sizeof why) == -1 && strstr(why, reason);
    if (!refused) cpu_value_free(&out);
    return refused;
}

static cpu_value number(int64_t *x) { return (cpu_value){TYPE_I64, 1, true, x, 0}; }

static void operations(void)
{
    int32_t ints[] = {3, 1, 7, 0, 4}, top[] = {INT32_MAX, 1};
    float floats[] = {1e8f, 1, -1e8f};
    int64_t two = 2, none = 0, five = 5, six = 6, below = -1;
    cpu_value a[2] = {{TYPE_I32, 5, false, ints, 0}, number(&two)};
    check(gives("prefix_sums", a, 1, TYPE_I32, 5, (double[]){3, 4, 11, 11, 15}), "prefix sums");
    check(gives("prefix_sums", a, 2, TYPE_I32, 5, (double[]){3, 4, 7, 7, 4}), "prefix sums, two by two");
    check(gives("first_elements", a, 2, TYPE_I32, 2, (double[]){3, 1}), "the first two elements");
    a[1] = number(&none);
    check(refuses("prefix_sums", a, 2, "width"), "a width of 0");
    check(gives("first_elements", a, 2, TYPE_I32, 0, NULL), "no elements");
    a[1] = number(&five);
    check(gives("first_elements", a, 2, TYPE_I32, 5, (double[]){3, 1, 7, 0, 4}), "all elements");
    a[1] = number(&six);
    check(refuses("first_elements", a, 2, "fewer"), "more elements than there are");
    a[1] = number(&below);
    check(refuses("first_elements", a, 2, "fewer") && refuses("prefix_sums", a, 2, "width"), "numbers below 0");
    cpu_value wraps = {TYPE_I32, 2, false, top, 0};
    check(gives("prefix_sums", &wraps, 1, TYPE_I32, 2, (double[]){INT32_MAX, INT32_MIN}), "sums wrap as the card's");
    cpu_value f = {TYPE_F32, 3, false, floats, 0}; /* in float, 1e8 + 1 is 1e8 */
    check(gives("prefix_sums", &f, 1, TYPE_F64, 3, (double[]){1e8, 100000001, 1}), "sums of floats lose nothing");

    int32_t cuts[] = {0, 2, 2, 5}, back[] = {0, 3, 2, 5}, far[] = {0, 2, 6}, early[] = {-1, 2, 5};
    cpu_value s[2] = {a[0], {TYPE_I32, 4, false, cuts, 0}};
    check(gives("segment_sums", s, 2, TYPE_I32, 3, (double[]){4, 0, 11}), "segments, one of them empty");
    s[1].data = back;
    check(refuses("segment_sums", s, 2, "rise"), "offsets that fall");
    s[1] = (cpu_value){TYPE_I32, 3, false, far, 0};
    check(refuses("segment_sums", s, 2, "rise"), "an offset beyond the array");
    s[1].data = early;
    check(refuses("segment_sums", s, 2, "rise"), "an offset before the array");
    s[1].count = 0;
    check(refuses("segment_sums", s, 2, "rise"), "no offsets");

    /* (0 2 0 1) (0 0 0 0) (3 0 4 5), times (1 10 100 1000) */
    int32_t columns[] = {1, 3, 0, 2, 3}, outside[] = {1, 3, 0, 2, 4};
    float values[] = {2, 1, 3, 4, 5}, x[] = {1, 10, 100, 1000};
    cpu_value m[4] = {{TYPE_I32, 4, false, cuts, 0},
                      {TYPE_I32, 5, false, columns, 0},
                      {TYPE_F32, 5, false, values, 0},
                      {TYPE_F32, 4, false, x, 0}};
    check(gives("sparse_product", m, 4, TYPE_F64, 3, (double[]){1020, 0, 5403}), "a sparse product");
    m[1].data = outside;
    check(refuses("sparse_product", m, 4, "column"), "a column outside the vector");
    m[1].count = 4;
    check(refuses("sparse_product", m, 4, "each value"), "fewer columns than values");
}

/* From 0 to m, never falling; the longest and the shortest piece. */
static bool cut(const char *fill, int parts, int64_t m, uint64_t seed, int64_t *shortest, int64_t *longest)
{
    static int32_t room[1001];
    lesson_buffer b = {.type = TYPE_I32, .fill = fill_named(fill, strlen(fill))};
    fill_stream s;
    fill_start(&s, seed);
    if (b.fill < 0 || !fill_buffer(&b, (uint64_t)parts + 1, &s, m, room)) return false;
    *longest = 0;
    *shortest = m;
    for (int i = 0; i < parts; i++) {
        const int64_t length = (int64_t)room[i + 1] - room[i];
        if (length < *shortest) *shortest = length;
        if (length > *longest) *longest = length;
    }
    return room[0] == 0 && room[parts] == m && *shortest >= 0;
}

static void fills(void)
{
    int64_t shortest, longest;
    for (uint64_t seed = 1; seed < 20; seed++) {
        check(cut("offsets", 1000, 32000, seed, &shortest, &longest) && longest < 64, "at most twice the average");
        check(longest > 40 && shortest < 24, "and not all the same");
        check(cut("skewed_offsets", 1000, 32000, seed, &shortest, &longest), "skewed offsets rise from 0 to m");
        /* The sum of 1/1 to 1/1000 is 7.4855, and 32000 over that 4275; 4.3 for a thousandth. Ends
         * are rounded down. */
        check(longest >= 4274 && longest <= 4276 && shortest >= 3 && shortest <= 5, "one has a share of 1");
    }
    static const struct {
        int parts;
        int64_t m;
    } odd[] = {{1, 0}, {1, 5}, {7, 0}, {7, 3}, {1000, 999}, {1000, 1}, {3, INT32_MAX}, {1000, INT32_MAX}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        check(cut("offsets", odd[i].parts, odd[i].m, 1, &shortest, &longest), "offsets of odd sizes");
        check(cut("skewed_offsets", odd[i].parts, odd[i].m, 1, &shortest, &longest), "skewed offsets of odd sizes");
    }
    int32_t one = 7;
    lesson_buffer b = {.type = TYPE_I32, .fill = fill_named("skewed_offsets", 14)};
    fill_stream s;
    fill_start(&s, 1);
    check(fill_buffer(&b, 1, &s, 5, &one) && one == 5, "no segment at all");
    check(fill_buffer(&b, 0, &s, 5, &one), "no offset at all");
}

int main(void)
{
    operations();
    fills();
    return check_end();
}
