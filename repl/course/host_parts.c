/* host_parts.c: how the programs of `show host` fill buffers, and compute on the CPU what a lesson's
 * operations compute (reference.c). Each is a few plain lines: the program is there to be read. Fills
 * give the same numbers as reference.c, bit for bit, on a system whose rand() is glibc's. */
#include "host_program.h"

#include <string.h>

/* In the text of a fill $x is the buffer, $n its length, $m what follows %, $T its type, $k its number. */
/* clang-format off */
static const host_part fills[] = {
    {"zero", .fill = "0"},
    {"ones", .fill = "1"},
    {"iota", .fill = "i", .with_m = "i % $m"},
    {"rand", .fill = "rand()", .with_m = "rand() % $m"},
    {"down", .fill = "$n - 1 - i"},
    {"pipe", .fill = "i < ($n + 1) / 2 ? 2 * i : 2 * ($n - 1 - i) + 1"},
    {"last", .fill = "i == $n - 1"},
    {"signed", .fill = "rand() % 201 - 100", .with_m = "rand() % (2 * $m + 1) - $m"},
    {"uniform", .fill = "((rand() >> 8) + 0.5) / 8388608", .with_m = "((rand() >> 8) + 0.5) / 8388608 * $m"},
    {"rand_msvc", {"msvc"}, .fill = "cpu_msvc()", .with_m = "cpu_msvc() % $m"},
    {"unit_msvc", {"msvc"}, .text =
     "// rand()/RAND_MAX + rand()/(RAND_MAX*RAND_MAX), with the RAND_MAX of that library\n"
                            "static double cpu_unit()\n"
                            "{\n"
                            "    double high = cpu_msvc() / 32767.0;\n"
                            "    return high + cpu_msvc() / (32767.0 * 32767.0);\n"
                            "}\n",
     .fill = "cpu_unit()"},
    {"shuffled", .text =
     "// Each of 0 to n - 1 once, in random order.\n"
     "template <class T> static void cpu_shuffle(std::vector<T> &to)\n"
     "{\n"
     "    for (size_t i = 0; i < to.size(); i++) to[i] = (T)i;\n"
     "    for (size_t i = to.size(); i > 1; i--) {\n"
     "        unsigned long long high = rand(), low = rand();\n"
     "        std::swap(to[i - 1], to[(high << 31 | low) % i]);\n"
     "    }\n"
     "}\n",
     .whole = "cpu_shuffle($x)"},
    {"offsets", {"share"}, .text =
     "// From 0 to m, rising: segments with about as many elements.\n"
     "template <class T> static void cpu_offsets(std::vector<T> &to, unsigned long long m)\n"
     "{\n"
     "    size_t parts = to.size() - 1;\n"
     "    for (size_t i = 0; i <= parts; i++) {\n"
     "        unsigned long long at = i < parts ? cpu_share(i, m, parts) : m;\n"
     "        unsigned long long next = i < parts ? cpu_share(i + 1, m, parts) : m;\n"
     "        to[i] = (T)(i && next > at ? at + rand() % (next - at) : at);\n"
     "    }\n"
     "}\n",
     .whole = "cpu_offsets($x, 0)", .with_m = "cpu_offsets($x, $m)"},
    {"skewed_offsets", {"share"}, .text =
     "// From 0 to m, rising: shares of 1, 1/2, 1/3 ... in random order.\n"
     "template <class T> static void cpu_skewed_offsets(std::vector<T> &to, unsigned long long m)\n"
     "{\n"
     "    size_t parts = to.size() - 1;\n"
     "    unsigned long long sum = 0, before = 0;\n"
     "    for (size_t i = 0; i < parts; i++) {\n"
     "        sum += (1u << 24) / (i + 1);\n"
     "        to[i] = (T)i;\n"
     "    }\n"
     "    for (size_t i = parts; i > 1; i--) std::swap(to[i - 1], to[rand() % i]);\n"
     "    for (size_t i = 0; i < parts; i++) {\n"
     "        unsigned long long each = (1u << 24) / ((unsigned long long)to[i] + 1);\n"
     "        to[i] = (T)cpu_share(before, m, sum);\n"
     "        before += each;\n"
     "    }\n"
     "    to[parts] = (T)m;\n"
     "}\n",
     .whole = "cpu_skewed_offsets($x, 0)", .with_m = "cpu_skewed_offsets($x, $m)"},
    {"edges", .text =
     "// Many equal words, zeros, and words of which every bit is set.\n"
     "static long long cpu_edge()\n"
     "{\n"
     "    int r = rand(), kind = rand() % 8;\n"
     "    return kind == 0 ? -1 : kind == 1 ? 0 : kind < 4 ? r % 16 : kind == 4 ? -(long long)r : r;\n"
     "}\n",
     .fill = "cpu_edge()"},
    {"extremes", .text =
     "// The least and greatest numbers of the type, and those around 0.\n"
     "template <class T> static T cpu_extreme()\n"
     "{\n"
     "    int which = rand() / 64 % 8;\n"
     "    const double reals[] = {0, 1, -1, 16777216, -16777216, 1e-30, -1e-30, 0.1};\n"
     "    if (!std::numeric_limits<T>::is_integer) return (T)reals[which];\n"
     "    const bool sign = std::numeric_limits<T>::is_signed;\n"
     "    const T top = std::numeric_limits<T>::max();\n"
     "    const T whole[] = {0, 1, 2, (T)(sign ? -1 : 255), top, sign ? std::numeric_limits<T>::min() : (T)0,\n"
     "                       (T)(top - 1), (T)(top / 2)};\n"
     "    return whole[which];\n"
     "}\n",
     .fill = "cpu_extreme<$T>()"},
    {"any", .text =
     "// 64 well-mixed bits of a seed, a buffer's number and an element's.\n"
     "static unsigned long long cpu_mix(unsigned long long seed, unsigned long long buffer, unsigned long long i)\n"
     "{\n"
     "    unsigned long long z = seed * 0x9e3779b97f4a7c15u + buffer * 0xd1342543de82ef95u;\n"
     "    z += (i + 1) * 0x9e3779b97f4a7c15u;\n"
     "    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;\n"
     "    z = (z ^ z >> 27) * 0x94d049bb133111ebu;\n"
     "    return z ^ z >> 31;\n"
     "}\n"
     "template <class T>\n"
     "static void cpu_any(std::vector<T> &to, unsigned long long seed, int buffer, unsigned long long m)\n"
     "{\n"
     "    for (size_t i = 0; i < to.size(); i++) {\n"
     "        unsigned long long r = cpu_mix(seed, buffer, i);\n"
     "        if (m || std::numeric_limits<T>::is_integer) to[i] = (T)(m ? r % m : r);\n"
     "        else if (sizeof(T) == 4) to[i] = (T)((double)(r >> 40) / 16777216);\n"
     "        else to[i] = (T)((double)(r >> 11) / 9007199254740992);\n"
     "    }\n"
     "}\n",
     .whole = "cpu_any($x, seed, $k, 0)", .with_m = "cpu_any($x, seed, $k, $m)"},
    {0},
};

static const host_part operations[] = {
    /* ---- helpers of others ---- */
    {"msvc", .text =
     "// The 15-bit rand() of Microsoft's C library.\n"
     "static unsigned cpu_msvc_state;\n"
     "static int cpu_msvc()\n"
     "{\n"
     "    cpu_msvc_state = cpu_msvc_state * 214013u + 2531011u;\n"
     "    return cpu_msvc_state >> 16 & 0x7fff;\n"
     "}\n"},
    {"power_of", .text =
     "static long long cpu_power(long long a, long long b) { return b > 0 ? a * cpu_power(a, b - 1) : 1; }\n"},
    {"log2_of", .text =
     "static long long cpu_log2(long long a) { return a > 1 ? 1 + cpu_log2(a / 2) : 0; }\n"},
    {"share", .text =
     "// a * b / c without overflow.\n"
     "static unsigned long long cpu_share(unsigned long long a, unsigned long long b, unsigned long long c)\n"
     "{\n"
     "    return b / c * a + b % c * a / c;\n"
     "}\n"},
    {"min_of", .text =
     "template <class A, class B> static auto cpu_min(A a, B b) -> decltype(0LL + a + b) { return b < a ? b : a; }\n"},
    {"max_of", .text =
     "template <class A, class B> static auto cpu_max(A a, B b) -> decltype(0LL + a + b) { return b > a ? b : a; }\n"},
    {"total", {"accurate"}, .text =
     "// The sum of f(k) for k from `from` to below `to`.\n"
     "template <class F> static auto cpu_total(long long from, long long to, F f) -> decltype(f(from))\n"
     "{\n"
     "    cpu_accurate real;\n"
     "    decltype(f(from)) whole = 0;\n"
     "    const bool exact = std::numeric_limits<decltype(f(from))>::is_integer;\n"
     "    for (long long k = from; k < to; k++)\n"
     "        if (exact) whole += f(k);\n"
     "        else real.add((double)f(k));\n"
     "    return exact ? whole : (decltype(f(from)))(real.sum + real.lost);\n"
     "}\n"},
    {"lowest", .text =
     "template <class F> static auto cpu_lowest(long long from, long long to, F f) -> decltype(f(from))\n"
     "{\n"
     "    auto x = f(from);\n"
     "    for (long long k = from + 1; k < to; k++) x = std::min(x, f(k));\n"
     "    return x;\n"
     "}\n"},
    {"highest", .text =
     "template <class F> static auto cpu_highest(long long from, long long to, F f) -> decltype(f(from))\n"
     "{\n"
     "    auto x = f(from);\n"
     "    for (long long k = from + 1; k < to; k++) x = std::max(x, f(k));\n"
     "    return x;\n"
     "}\n"},
    {"wide", .text =
     "// Sums are kept in 64 bits, or in double.\n"
     "template <class T> struct cpu_wide { typedef long long type; };\n"
     "template <> struct cpu_wide<float> { typedef double type; };\n"
     "template <> struct cpu_wide<double> { typedef double type; };\n"},
    {"accurate", .text =
     "// Adds doubles and keeps what rounding loses.\n"
     "struct cpu_accurate {\n"
     "    double sum = 0, lost = 0;\n"
     "    void add(double x)\n"
     "    {\n"
     "        double t = sum + x;\n"
     "        lost += fabs(sum) >= fabs(x) ? (sum - t) + x : (x - t) + sum;\n"
     "        sum = t;\n"
     "    }\n"
     "};\n"},
    /* ---- sums ---- */
    {"sum", {"accurate", "wide"}, .text =
     "template <class T> static typename cpu_wide<T>::type cpu_sum(const std::vector<T> &x)\n"
     "{\n"
     "    cpu_accurate real;\n"
     "    long long whole = 0;\n"
     "    for (T v : x)\n"
     "        if (std::numeric_limits<T>::is_integer) whole += (long long)v;\n"
     "        else real.add((double)v);\n"
     "    if (std::numeric_limits<T>::is_integer) return (typename cpu_wide<T>::type)whole;\n"
     "    return (typename cpu_wide<T>::type)(real.sum + real.lost);\n"
     "}\n"},
    {"sum_of_squares", {"accurate", "wide"}, .text =
     "template <class T> static typename cpu_wide<T>::type cpu_sum_of_squares(const std::vector<T> &x)\n"
     "{\n"
     "    cpu_accurate real;\n"
     "    long long whole = 0;\n"
     "    for (T v : x)\n"
     "        if (std::numeric_limits<T>::is_integer) whole += (long long)v * (long long)v;\n"
     "        else real.add((double)v * (double)v);\n"
     "    if (std::numeric_limits<T>::is_integer) return (typename cpu_wide<T>::type)whole;\n"
     "    return (typename cpu_wide<T>::type)(real.sum + real.lost);\n"
     "}\n"},
    {"whole_sum", .text =
     "template <class T> static long long cpu_sum(const std::vector<T> &x)\n"
     "{\n"
     "    long long sum = 0;\n"
     "    for (T v : x) sum += v;\n"
     "    return sum;\n"
     "}\n"},
    {"whole_sum_of_squares", .text =
     "template <class T> static long long cpu_sum_of_squares(const std::vector<T> &x)\n"
     "{\n"
     "    long long sum = 0;\n"
     "    for (T v : x) sum += (long long)v * v;\n"
     "    return sum;\n"
     "}\n"},
    {"running_sum", {"wide"}, .text =
     "#include <type_traits>\n"
     "// One after another, rounded each time, as a plain loop does it.\n"
     "template <class T> static typename cpu_wide<T>::type cpu_running_sum(const std::vector<T> &x)\n"
     "{\n"
     "    typename std::conditional<std::numeric_limits<T>::is_integer, long long, T>::type sum = 0;\n"
     "    for (T v : x) sum += v;\n"
     "    return sum;\n"
     "}\n"},
    {"sum_in_double", .text =
     "template <class T> static double cpu_sum_in_double(const std::vector<T> &x)\n"
     "{\n"
     "    double sum = 0;\n"
     "    for (T v : x) sum += (double)v;\n"
     "    return sum;\n"
     "}\n"},
    {"repeated_sum", .text =
     "static double cpu_repeated_sum(double x, long long n)\n"
     "{\n"
     "    double sum = 0;\n"
     "    for (long long i = 0; i < n; i++) sum += x;\n"
     "    return sum;\n"
     "}\n"},
    /* ---- element by element ---- */
    {"scaled", .text =
     "// Times a number, rounded once to the type.\n"
     "template <class T, class F> static T cpu_scaled(T x, F by)\n"
     "{\n"
     "    return std::numeric_limits<T>::is_integer ? (T)((unsigned long long)x * (unsigned long long)by)\n"
     "                                              : (T)((double)x * (double)by);\n"
     "}\n"
     "template <class T, class F> static std::vector<T> cpu_scaled(std::vector<T> x, F by)\n"
     "{\n"
     "    for (T &v : x) v = cpu_scaled(v, by);\n"
     "    return x;\n"
     "}\n"},
    /* ---- moved and combined ---- */
    {"repeated", .text =
     "template <class T> static std::vector<T> cpu_repeated(T x, long long n) { return std::vector<T>(n, x); }\n"},
    {"every", .text =
     "// Elements offset + i * stride, wrapped around, or groups of `width` elements.\n"
     "template <class T>\n"
     "static std::vector<T> cpu_every(const std::vector<T> &x, long long stride, long long offset, long long n,\n"
     "                                long long width = 1)\n"
     "{\n"
     "    std::vector<T> y(n * width);\n"
     "    for (long long i = 0; i < n * width; i++)\n"
     "        y[i] = x[(offset + i / width * stride) % (x.size() / width) * width + i % width];\n"
     "    return y;\n"
     "}\n"},
    {"row_sums", .text =
     "// The sum of the first `used` of each `width` elements.\n"
     "template <class T>\n"
     "static std::vector<double> cpu_row_sums(const std::vector<T> &x, long long width, long long used)\n"
     "{\n"
     "    std::vector<double> y(x.size() / width);\n"
     "    for (size_t i = 0; i < y.size(); i++)\n"
     "        for (long long k = 0; k < used; k++) y[i] += (double)x[i * width + k];\n"
     "    return y;\n"
     "}\n"},
    {"lcg", .text =
     "// After so many rounds of a random number generator, each of which needs the one before.\n"
     "template <class T> static std::vector<T> cpu_lcg(std::vector<T> x, long long rounds)\n"
     "{\n"
     "    for (T &v : x)\n"
     "        for (long long k = 0; k < rounds; k++) v = (T)((unsigned)v * 1664525u + 1013904223u);\n"
     "    return x;\n"
     "}\n"},
    {"interpolated", .text =
     "// Place 2.25 is a quarter of the way from x[2] to x[3].\n"
     "template <class T, class P>\n"
     "static std::vector<double> cpu_interpolated(const std::vector<T> &x, const std::vector<P> &places)\n"
     "{\n"
     "    std::vector<double> y(places.size());\n"
     "    for (size_t i = 0; i < y.size(); i++) {\n"
     "        double low = floor((double)places[i]), last = (double)x.size() - 1;\n"
     "        double a = (double)x[(size_t)fmin(fmax(low, 0), last)];\n"
     "        double b = (double)x[(size_t)fmin(fmax(low + 1, 0), last)];\n"
     "        y[i] = a + ((double)places[i] - low) * (b - a);\n"
     "    }\n"
     "    return y;\n"
     "}\n"},
    {"product", .text =
     "// Of two matrices, summed in double and rounded once.\n"
     "typedef std::vector<float> cpu_floats;\n"
     "static cpu_floats cpu_product(const cpu_floats &a, const cpu_floats &b, long long inner)\n"
     "{\n"
     "    const long long rows = a.size() / inner, columns = b.size() / inner;\n"
     "    cpu_floats c(rows * columns);\n"
     "    std::vector<double> row(columns);\n"
     "    for (long long i = 0; i < rows; i++) {\n"
     "        std::fill(row.begin(), row.end(), 0.0);\n"
     "        for (long long k = 0; k < inner; k++)\n"
     "            for (long long j = 0; j < columns; j++) row[j] += (double)a[i * inner + k] * b[k * columns + j];\n"
     "        for (long long j = 0; j < columns; j++) c[i * columns + j] = (float)row[j];\n"
     "    }\n"
     "    return c;\n"
     "}\n"},
    /* ---- parts of an array ---- */
    {"prefix_sums", {"wide"}, .text =
     "// Of each element and those before it; starting again every `width` elements. Integers wrap.\n"
     "template <class T>\n"
     "static std::vector<typename cpu_wide<T>::type> cpu_prefix_sums(const std::vector<T> &x, long long width = 0)\n"
     "{\n"
     "    std::vector<typename cpu_wide<T>::type> y(x.size());\n"
     "    typename cpu_wide<T>::type sum = 0;\n"
     "    for (size_t i = 0; i < x.size(); i++) {\n"
     "        if (width && i % width == 0) sum = 0;\n"
     "        sum += x[i];\n"
     "        y[i] = std::numeric_limits<T>::is_integer ? (T)sum : sum;\n"
     "    }\n"
     "    return y;\n"
     "}\n"},
    {"first_elements", .text =
     "template <class T> static std::vector<T> cpu_first_elements(std::vector<T> x, long long count)\n"
     "{\n"
     "    x.resize(count);\n"
     "    return x;\n"
     "}\n"},
    {"segment_sums", {"wide"}, .text =
     "// The sums from offsets[0], offsets[1] ... each up to before the next.\n"
     "template <class T, class O>\n"
     "static std::vector<typename cpu_wide<T>::type> cpu_segment_sums(const std::vector<T> &x,\n"
     "                                                                const std::vector<O> &offsets)\n"
     "{\n"
     "    std::vector<typename cpu_wide<T>::type> y(offsets.size() - 1);\n"
     "    for (size_t s = 0; s < y.size(); s++)\n"
     "        for (O i = offsets[s]; i < offsets[s + 1]; i++) y[s] += x[i];\n"
     "    return y;\n"
     "}\n"},
    {"sparse_product", .text =
     "// A matrix given by its rows, times a vector.\n"
     "template <class O, class C, class V, class X>\n"
     "static std::vector<double> cpu_sparse_product(const std::vector<O> &offsets, const std::vector<C> &columns,\n"
     "                                              const std::vector<V> &values, const std::vector<X> &x)\n"
     "{\n"
     "    std::vector<double> y(offsets.size() - 1);\n"
     "    for (size_t row = 0; row < y.size(); row++)\n"
     "        for (O i = offsets[row]; i < offsets[row + 1]; i++) y[row] += (double)values[i] * x[columns[i]];\n"
     "    return y;\n"
     "}\n"},
    /* ---- elements ---- */
    {"first_of", {"wide"}, .text =
     "template <class T> static typename cpu_wide<T>::type cpu_first_of(const std::vector<T> &x)\n"
     "{\n"
     "    return x.at(0);\n"
     "}\n"},
    {"element", {"wide"}, .text =
     "template <class T> static typename cpu_wide<T>::type cpu_element(const std::vector<T> &x, long long i)\n"
     "{\n"
     "    return x.at(i);\n"
     "}\n"},
    {"greatest", {"wide"}, .text =
     "template <class T> static typename cpu_wide<T>::type cpu_greatest(const std::vector<T> &x)\n"
     "{\n"
     "    return x.empty() ? 0 : *std::max_element(x.begin(), x.end());\n"
     "}\n"},
    /* ---- sorted and selected ---- */
    {"sorted", .text =
     "template <class T> static std::vector<T> cpu_sorted(std::vector<T> x)\n"
     "{\n"
     "    std::sort(x.begin(), x.end());\n"
     "    return x;\n"
     "}\n"},
    {"library_sorted", .text =
     "// By qsort, as a C program does it.\n"
     "template <class T> static int cpu_order(const void *a, const void *b)\n"
     "{\n"
     "    const T x = *(const T *)a, y = *(const T *)b;\n"
     "    return (x > y) - (x < y);\n"
     "}\n"
     "template <class T> static std::vector<T> cpu_library_sorted(std::vector<T> x)\n"
     "{\n"
     "    qsort(x.data(), x.size(), sizeof(T), cpu_order<T>);\n"
     "    return x;\n"
     "}\n"},
    {"sorted_by", .text =
     "// In ascending order of the keys; equal keys keep the order of x.\n"
     "template <class T, class K>\n"
     "static std::vector<T> cpu_sorted_by(const std::vector<T> &x, const std::vector<K> &key)\n"
     "{\n"
     "    std::vector<size_t> place(x.size());\n"
     "    for (size_t i = 0; i < place.size(); i++) place[i] = i;\n"
     "    std::stable_sort(place.begin(), place.end(), [&](size_t a, size_t b) { return key[a] < key[b]; });\n"
     "    std::vector<T> y;\n"
     "    for (size_t i : place) y.push_back(x[i]);\n"
     "    return y;\n"
     "}\n"},
    {"first_sorted", .text =
     "template <class T> static std::vector<T> cpu_first_sorted(std::vector<T> x, long long count)\n"
     "{\n"
     "    x.resize(count);\n"
     "    std::sort(x.begin(), x.end());\n"
     "    return x;\n"
     "}\n"},
    {"sorted_columns", .text =
     "// Each column in ascending order; rows are as long as there are columns.\n"
     "template <class T> static std::vector<T> cpu_sorted_columns(std::vector<T> x, long long columns)\n"
     "{\n"
     "    for (long long c = 0; c < columns; c++) {\n"
     "        std::vector<T> column;\n"
     "        for (size_t i = c; i < x.size(); i += columns) column.push_back(x[i]);\n"
     "        std::sort(column.begin(), column.end());\n"
     "        for (size_t k = 0; k < column.size(); k++) x[c + k * columns] = column[k];\n"
     "    }\n"
     "    return x;\n"
     "}\n"},
    {"filtered", .text =
     "// The elements from `least` on, in the order of the array.\n"
     "template <class T> static std::vector<T> cpu_filtered(const std::vector<T> &x, long long least)\n"
     "{\n"
     "    std::vector<T> y;\n"
     "    for (T v : x)\n"
     "        if (v >= (T)least) y.push_back(v);\n"
     "    return y;\n"
     "}\n"},
    {"kept", {"filtered", "sorted"}, .text =
     "template <class T> static std::vector<T> cpu_kept(const std::vector<T> &x, long long least)\n"
     "{\n"
     "    return cpu_sorted(cpu_filtered(x, least));\n"
     "}\n"},
    {"histogram", .text =
     "template <class T> static std::vector<long long> cpu_histogram(const std::vector<T> &x, long long bins)\n"
     "{\n"
     "    std::vector<long long> y(bins);\n"
     "    for (T v : x)\n"
     "        if (v >= 0 && (long long)v < bins) y[(long long)v]++;\n"
     "    return y;\n"
     "}\n"},
    {"product_of_odd", .text =
     "// 2x + 1 is odd, so no factor can make the product 0.\n"
     "template <class T> static long long cpu_product_of_odd(const std::vector<T> &x)\n"
     "{\n"
     "    unsigned product = 1;\n"
     "    for (T v : x) product *= 2 * (unsigned)v + 1;\n"
     "    return product;\n"
     "}\n"},
    {"atomic_words", .text =
     "// After all x: add sub and or xor min max inc dec, and the sum that an exchange conserves.\n"
     "template <class T>\n"
     "static std::vector<unsigned> cpu_atomic_words(const std::vector<T> &data, unsigned start, unsigned limit)\n"
     "{\n"
     "    std::vector<unsigned> w(10, start);\n"
     "    for (T v : data) {\n"
     "        unsigned x = (unsigned)v;\n"
     "        w[0] += x, w[1] -= x, w[2] &= x, w[3] |= x, w[4] ^= x;\n"
     "        w[5] = std::min(w[5], x), w[6] = std::max(w[6], x);\n"
     "        w[7] = w[7] >= limit ? 0 : w[7] + 1;\n"
     "        w[8] = w[8] == 0 || w[8] > limit ? limit : w[8] - 1;\n"
     "        w[9] += x;\n"
     "    }\n"
     "    return w;\n"
     "}\n"},
    /* ---- grids, rows and small matrices ---- */
    {"transposed", .text =
     "template <class T> static std::vector<T> cpu_transposed(const std::vector<T> &x, long long columns)\n"
     "{\n"
     "    const long long rows = x.size() / columns;\n"
     "    std::vector<T> y(x.size());\n"
     "    for (long long i = 0; i < rows; i++)\n"
     "        for (long long k = 0; k < columns; k++) y[k * rows + i] = x[i * columns + k];\n"
     "    return y;\n"
     "}\n"},
    {"stencil", .text =
     "// Each element times `centre`, its neighbours along each axis times `arm`. Outside is 0.\n"
     "template <class T>\n"
     "static std::vector<double> cpu_stencil(const std::vector<T> &x, long long columns, long long rows,\n"
     "                                       long long radius, double centre, double arm)\n"
     "{\n"
     "    const long long length[3] = {columns, rows, (long long)x.size() / columns / rows};\n"
     "    std::vector<double> y(x.size());\n"
     "    for (long long i = 0; i < (long long)x.size(); i++) {\n"
     "        double sum = 0;\n"
     "        for (long long axis = 0, apart = 1; axis < 3; apart *= length[axis++]) {\n"
     "            const long long at = i / apart % length[axis];\n"
     "            for (long long k = 1; k <= radius; k++) {\n"
     "                if (k <= at) sum += (double)x[i - k * apart];\n"
     "                if (at + k < length[axis]) sum += (double)x[i + k * apart];\n"
     "            }\n"
     "        }\n"
     "        y[i] = centre * (double)x[i] + arm * sum;\n"
     "    }\n"
     "    return y;\n"
     "}\n"},
    {"small_products", .text =
     "// Small matrices times a vector each. Of `group` matrices the first elements lie side by side,\n"
     "// then the second ones, and so on.\n"
     "template <class T>\n"
     "static std::vector<double> cpu_small_products(const std::vector<T> &a, const std::vector<T> &x, long long side,\n"
     "                                              long long group)\n"
     "{\n"
     "    std::vector<double> y(x.size());\n"
     "    for (long long p = 0; p < (long long)x.size() / side; p++) {\n"
     "        const long long first = p / group * group, lane = p % group;\n"
     "        for (long long row = 0; row < side; row++)\n"
     "            for (long long k = 0; k < side; k++)\n"
     "                y[first * side + row * group + lane] +=\n"
     "                    (double)a[first * side * side + (row * side + k) * group + lane] *\n"
     "                    (double)x[first * side + k * group + lane];\n"
     "    }\n"
     "    return y;\n"
     "}\n"},
    {"softmax", .text =
     "// Of each row; the greatest element is taken off first, so that no power overflows.\n"
     "template <class T> static std::vector<double> cpu_softmax(const std::vector<T> &x, long long columns)\n"
     "{\n"
     "    std::vector<double> y(x.size());\n"
     "    for (size_t row = 0; row < x.size(); row += columns) {\n"
     "        const double most = (double)*std::max_element(x.begin() + row, x.begin() + row + columns);\n"
     "        double sum = 0;\n"
     "        for (long long i = 0; i < columns; i++) sum += y[row + i] = exp((double)x[row + i] - most);\n"
     "        for (long long i = 0; i < columns; i++) y[row + i] /= sum;\n"
     "    }\n"
     "    return y;\n"
     "}\n"},
    /* ---- what stands around kernels ---- */
    {"texture", .text =
     "// Memory of the card, read through the texture unit by tex1Dfetch.\n"
     "template <class T> static cudaTextureObject_t as_texture(float *d, size_t width)\n"
     "{\n"
     "    cudaResourceDesc from = {};\n"
     "    from.resType = cudaResourceTypeLinear;\n"
     "    from.res.linear.devPtr = d;\n"
     "    from.res.linear.desc = cudaCreateChannelDesc<T>();\n"
     "    from.res.linear.sizeInBytes = width * sizeof(T);\n"
     "    cudaTextureDesc how = {};\n"
     "    how.readMode = cudaReadModeElementType;\n"
     "    cudaTextureObject_t t;\n"
     "    CHECK(cudaCreateTextureObject(&t, &from, &how, NULL));\n"
     "    return t;\n"
     "}\n"},
    {"texture_array", .text =
     "// A copy in an array, which the texture unit can filter. A height of 0: of one dimension.\n"
     "template <class T>\n"
     "static cudaTextureObject_t as_texture_array(const float *d, size_t width, size_t height, bool filtered)\n"
     "{\n"
     "    cudaArray_t array;\n"
     "    cudaChannelFormatDesc texel = cudaCreateChannelDesc<T>();\n"
     "    const size_t row = width * sizeof(T);\n"
     "    CHECK(cudaMallocArray(&array, &texel, width, height));\n"
     "    CHECK(cudaMemcpy2DToArray(array, 0, 0, d, row, row, height ? height : 1, cudaMemcpyDeviceToDevice));\n"
     "    cudaResourceDesc from = {};\n"
     "    from.resType = cudaResourceTypeArray;\n"
     "    from.res.array.array = array;\n"
     "    cudaTextureDesc how = {};\n"
     "    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;\n"
     "    how.filterMode = filtered ? cudaFilterModeLinear : cudaFilterModePoint;\n"
     "    how.readMode = cudaReadModeElementType;\n"
     "    cudaTextureObject_t t;\n"
     "    CHECK(cudaCreateTextureObject(&t, &from, &how, NULL));\n"
     "    return t;\n"
     "}\n"},
    {"verdict", .text =
     "static bool cpu_wrong(double ours, double exact, double within, bool relative)\n"
     "{\n"
     "    if (within > 0) return !(fabs(ours - exact) <= within * (relative ? fabs(exact) : 1));\n"
     "    return !(ours == exact || (ours != ours && exact != exact));\n"
     "}\n"
     "template <class T> static std::vector<T> as_list(T x) { return std::vector<T>(1, x); }\n"
     "template <class T> static const std::vector<T> &as_list(const std::vector<T> &x) { return x; }\n"
     "\n"
     "// Prints whether the two agree, and where they do not.\n"
     "template <class A, class B>\n"
     "static bool compare(const char *name, const std::vector<A> &ours, const std::vector<B> &exact, double within,\n"
     "                    bool relative)\n"
     "{\n"
     "    size_t wrong = ours.size() != exact.size(), first = 0;\n"
     "    if (wrong) printf(\"%s: %zu elements instead of %zu\\n\", name, ours.size(), exact.size());\n"
     "    for (size_t i = 0; i < ours.size() && i < exact.size(); i++) {\n"
     "        bool whole = within == 0 && std::numeric_limits<A>::is_integer && std::numeric_limits<B>::is_integer;\n"
     "        if (whole ? (long long)ours[i] == (long long)exact[i]\n"
     "                  : !cpu_wrong((double)ours[i], (double)exact[i], within, relative))\n"
     "            continue;\n"
     "        if (!wrong++) first = i;\n"
     "    }\n"
     "    if (!wrong) printf(\"%s: right, the CPU says the same\\n\", name);\n"
     "    else if (first < ours.size() && first < exact.size())\n"
     "        printf(\"%s: WRONG in %zu of %zu: [%zu] is %.9g, not %.9g\\n\", name, wrong, ours.size(), first,\n"
     "               (double)ours[first], (double)exact[first]);\n"
     "    return !wrong;\n"
     "}\n"},
    {0},
};

/* clang-format on */

static const host_part *named(const host_part *all, const char *name)
{
    for (; all->name; all++)
        if (!strcmp(all->name, name)) return all;
    return NULL;
}

const host_part *host_fill(const char *name) { return named(fills, name); }
const host_part *host_operation(const char *name) { return named(operations, name); }
