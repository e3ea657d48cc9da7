/* reference.c: the CPU's part of a lesson: reading and writing elements of any type; the
 * generators; the operations; and the comparison of a kernel's output with the CPU's. */
#include "reference.h"
#include "shell/format.h"
#include "shell/language.h"
#include "reference_arrays.h"
#include "reference_sort.h"
#include "small_floats.h"
#include "list.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cpu_value_free(cpu_value *v)
{
    free(v->data);
    v->data = NULL;
    v->count = 0;
}

bool cpu_is_float(enum lesson_type t) { return lesson_types[t].kind == 'f'; }

static uint32_t small_bits(const cpu_value *v, uint64_t i)
{
    switch (lesson_types[v->type].bytes) {
    case 1: return ((const uint8_t *)v->data)[i];
    case 2: return ((const uint16_t *)v->data)[i];
    default: return ((const uint32_t *)v->data)[i];
    }
}

static void put_small(cpu_value *v, uint64_t i, uint32_t bits)
{
    switch (lesson_types[v->type].bytes) {
    case 1: ((uint8_t *)v->data)[i] = (uint8_t)bits; break;
    case 2: ((uint16_t *)v->data)[i] = (uint16_t)bits; break;
    default: ((uint32_t *)v->data)[i] = bits; break;
    }
}

double cpu_number(const cpu_value *v, uint64_t i)
{
    switch (v->type) {
    case TYPE_F32: return ((const float *)v->data)[i];
    case TYPE_F64: return ((const double *)v->data)[i];
    case TYPE_U64: return (double)((const uint64_t *)v->data)[i];
    default: break;
    }
    const float_format *small = float_format_of(v->type);
    return small ? float_unpack(small, small_bits(v, i)) : (double)cpu_integer(v, i);
}

int64_t cpu_integer(const cpu_value *v, uint64_t i)
{
    switch (v->type) {
    case TYPE_I8: return ((const int8_t *)v->data)[i];
    case TYPE_U8: return ((const uint8_t *)v->data)[i];
    case TYPE_I16: return ((const int16_t *)v->data)[i];
    case TYPE_U16: return ((const uint16_t *)v->data)[i];
    case TYPE_I32: return ((const int32_t *)v->data)[i];
    case TYPE_U32: return ((const uint32_t *)v->data)[i];
    case TYPE_I64: return ((const int64_t *)v->data)[i];
    case TYPE_U64: { /* two's complement on every machine we build for */
        int64_t s;
        memcpy(&s, (const uint64_t *)v->data + i, sizeof s);
        return s;
    }
    default: {
        double d = cpu_number(v, i);
        return d != d                        ? 0
               : d >= 9.2233720368547758e18  ? INT64_MAX
               : d <= -9.2233720368547758e18 ? INT64_MIN
                                             : (int64_t)d;
    }
    }
}

void cpu_put_integer(cpu_value *v, uint64_t i, int64_t x)
{
    switch (v->type) {
    case TYPE_I8:
    case TYPE_U8: ((uint8_t *)v->data)[i] = (uint8_t)x; break;
    case TYPE_I16:
    case TYPE_U16: ((uint16_t *)v->data)[i] = (uint16_t)x; break;
    case TYPE_I32:
    case TYPE_U32: ((uint32_t *)v->data)[i] = (uint32_t)x; break;
    case TYPE_I64:
    case TYPE_U64: ((uint64_t *)v->data)[i] = (uint64_t)x; break;
    case TYPE_F32: ((float *)v->data)[i] = (float)x; break;
    default: cpu_put_number(v, i, (double)x); break;
    }
}

void cpu_put_number(cpu_value *v, uint64_t i, double x)
{
    const float_format *small = float_format_of(v->type);
    if (small) put_small(v, i, float_pack(small, x));
    else if (v->type == TYPE_F64) ((double *)v->data)[i] = x;
    else if (v->type == TYPE_F32) ((float *)v->data)[i] = x > FLT_MAX ? INFINITY : x < -FLT_MAX ? -INFINITY : (float)x;
    else cpu_put_integer(v, i, x != x || x >= 9.2e18 || x <= -9.2e18 ? 0 : (int64_t)x);
}

/* ---- generators ---- */

/* glibc's rand(): r[i] = r[i-3] + r[i-31], started by a linear congruential generator (16807, 2^31
 * - 1); the first 310 numbers are dropped. */
void rand_glibc_seed(rand_glibc *g, uint32_t seed)
{
    int32_t word;
    memcpy(&word, &seed, sizeof word);
    if (word == 0) word = 1;
    g->ring[0] = (uint32_t)word;
    for (int i = 1; i < 31; i++) {
        int64_t x = INT64_C(16807) * word % INT64_C(2147483647);
        word = (int32_t)(x < 0 ? x + 2147483647 : x);
        g->ring[i] = (uint32_t)word;
    }
    g->f = 3;
    g->b = 0;
    for (int i = 0; i < 310; i++) rand_glibc_next(g);
}

int32_t rand_glibc_next(rand_glibc *g)
{
    uint32_t sum = g->ring[g->f] += g->ring[g->b];
    g->f = g->f == 30 ? 0 : g->f + 1;
    g->b = g->b == 30 ? 0 : g->b + 1;
    return (int32_t)(sum >> 1);
}

void rand_glibc_many(rand_glibc *g, int32_t *out, size_t count)
{
    while (count) { /* up to where the first of the two indices reaches the ring's end */
        const int behind = g->f > g->b ? g->f : g->b;
        const size_t n = count < (size_t)(31 - behind) ? count : (size_t)(31 - behind);
        uint32_t *to = g->ring + g->f;
        const uint32_t *from = g->ring + g->b;
        for (size_t i = 0; i < n; i++) out[i] = (int32_t)((to[i] += from[i]) >> 1);
        g->f = (g->f + (int)n) % 31;
        g->b = (g->b + (int)n) % 31;
        out += n;
        count -= n;
    }
}

int32_t rand_msvc_next(uint32_t *state)
{
    *state = *state * 214013u + 2531011u;
    return (int32_t)(*state >> 16 & 0x7fff);
}

void fill_start(fill_stream *s, uint64_t seed)
{
    uint32_t folded = (uint32_t)(seed ^ seed >> 32);
    rand_glibc_seed(&s->glibc, folded);
    s->msvc = folded;
    s->seed = seed;
    s->buffer = 0;
}

static void fill_none(cpu_value *v, fill_stream *s, int64_t m, double x) { (void)v, (void)s, (void)m, (void)x; }

static void fill_zero(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)s, (void)m, (void)x;
    memset(v->data, 0, (size_t)v->count * (size_t)lesson_types[v->type].bytes);
}

static void fill_constant(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)s, (void)m;
    size_t each = (size_t)lesson_types[v->type].bytes;
    if (v->count) cpu_put_number(v, 0, x);
    for (uint64_t done = 1, more; done < v->count;) { /* the start is copied after itself, doubling each time */
        more = done < v->count - done ? done : v->count - done;
        more = more < 16384 ? more : 16384;
        memcpy((char *)v->data + (size_t)done * each, v->data, (size_t)more * each);
        done += more;
    }
}

static void fill_ones(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)x;
    fill_constant(v, s, m, 1);
}

static void fill_iota(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)s, (void)x;
    for (uint64_t i = 0; i < v->count; i++) cpu_put_integer(v, i, (int64_t)(m > 0 ? i % (uint64_t)m : i));
}

enum { BATCH = 1024 /* numbers of glibc's generator made at once */ };

static uint64_t next_batch(fill_stream *s, int32_t *r, uint64_t wanted)
{
    const size_t n = wanted < BATCH ? (size_t)wanted : BATCH;
    rand_glibc_many(&s->glibc, r, n);
    return n;
}

static void fill_rand(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    const uint32_t below = m > 0 && m <= INT32_MAX ? (uint32_t)m : 0; /* 0: no number is that large */
    int32_t r[BATCH];
    (void)x;
    for (uint64_t i = 0, n; i < v->count; i += n) {
        n = next_batch(s, r, v->count - i);
        for (uint64_t k = 0; k < n; k++) cpu_put_integer(v, i + k, below ? (int32_t)((uint32_t)r[k] % below) : r[k]);
    }
}

static void fill_rand_msvc(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)x;
    for (uint64_t i = 0; i < v->count; i++) {
        int32_t r = rand_msvc_next(&s->msvc);
        cpu_put_integer(v, i, m > 0 ? r % m : r);
    }
}

/* rand()/RAND_MAX + rand()/(RAND_MAX*RAND_MAX) with a RAND_MAX of 32767 */
static void fill_unit_msvc(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)m, (void)x;
    for (uint64_t i = 0; i < v->count; i++) {
        double high = rand_msvc_next(&s->msvc) / 32767.0;
        cpu_put_number(v, i, high + rand_msvc_next(&s->msvc) / (32767.0 * 32767.0));
    }
}

/* Each of 0 to count - 1 once, in random order. */
static void fill_shuffled(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    fill_iota(v, s, 0, x);
    (void)m;
    for (uint64_t i = v->count; i > 1; i--) {
        uint64_t high = (uint64_t)rand_glibc_next(&s->glibc), low = (uint64_t)rand_glibc_next(&s->glibc);
        uint64_t k = (high << 31 | low) % i;
        int64_t a = cpu_integer(v, i - 1);
        cpu_put_integer(v, i - 1, cpu_integer(v, k));
        cpu_put_integer(v, k, a);
    }
}

/* Values that break sorts and searches: equal elements, zeros, and all bits set. */
static void fill_edges(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)m, (void)x;
    for (uint64_t i = 0; i < v->count; i++) {
        int32_t r = rand_glibc_next(&s->glibc), kind = rand_glibc_next(&s->glibc) % 8;
        cpu_put_integer(v, i, kind == 0 ? -1 : kind == 1 ? 0 : kind < 4 ? r % 16 : kind == 4 ? -(int64_t)r : r);
    }
}

/* 24 bits, so that a float holds each value exactly */
static void fill_uniform(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    const double most = (double)(m > 0 ? m : 1);
    int32_t r[BATCH];
    (void)x;
    for (uint64_t i = 0, n; i < v->count; i += n) {
        float *to = v->type == TYPE_F32 ? (float *)v->data + i : NULL;
        n = next_batch(s, r, v->count - i);
        for (uint64_t k = 0; k < n; k++) {
            const double number = ((r[k] >> 8) + 0.5) / 8388608.0 * most;
            if (to) to[k] = (float)number;
            else cpu_put_number(v, i + k, number);
        }
    }
}

/* -m to m (100 when not given) */
static void fill_signed(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)x;
    m = m > 0 && m < 1 << 30 ? m : 100;
    for (uint64_t i = 0; i < v->count; i++) cpu_put_integer(v, i, rand_glibc_next(&s->glibc) % (2 * m + 1) - m);
}

/* Chosen at random: the type's smallest and largest numbers and those around 0; for floats, large
 * and small ones. */
static void fill_extremes(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)m, (void)x;
    double reals[] = {0, 1, -1, 16777216, -16777216, 1e-30, -1e-30, 0.1};
    const float_format *small = float_format_of(v->type);
    if (small) {
        reals[3] = float_unpack(small, small->largest << small->unused), reals[4] = -reals[3];
        reals[5] = float_unpack(small, 1u << small->unused), reals[6] = -reals[5];
    }
    int bits = 8 * lesson_types[v->type].bytes;
    bool is_signed = lesson_types[v->type].kind == 'i';
    int64_t top = is_signed ? INT64_MAX >> (64 - bits) : bits == 64 ? -1 : (INT64_C(1) << bits) - 1;
    int64_t integers[] = {0, 1, 2, is_signed ? -1 : 255, top, is_signed ? -top - 1 : 0, top - 1, top / 2};
    for (uint64_t i = 0; i < v->count; i++) {
        int32_t which = rand_glibc_next(&s->glibc) / 64 % 8;
        if (cpu_is_float(v->type)) cpu_put_number(v, i, reals[which]);
        else cpu_put_integer(v, i, integers[which]);
    }
}

static void fill_down(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)s, (void)m, (void)x;
    for (uint64_t i = 0; i < v->count; i++) cpu_put_integer(v, i, (int64_t)(v->count - 1 - i));
}

/* 0, 2, 4 ... 5, 3, 1: a permutation with the largest numbers in the middle */
static void fill_pipe(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)s, (void)m, (void)x;
    for (uint64_t i = 0; i < v->count; i++)
        cpu_put_integer(v, i, (int64_t)(i < (v->count + 1) / 2 ? 2 * i : 2 * (v->count - 1 - i) + 1));
}

static void fill_last(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    fill_zero(v, s, m, x);
    if (v->count) cpu_put_integer(v, v->count - 1, 1);
}

/* 64 well-mixed bits of (seed, buffer, element): the finaliser of splitmix64 over a counter. */
static uint64_t mix(uint64_t seed, int buffer, uint64_t element)
{
    uint64_t z =
        seed * 0x9e3779b97f4a7c15u + (uint64_t)buffer * 0xd1342543de82ef95u + (element + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* m is unsigned here, so that a 64-bit type covers its whole range */
static void fill_any(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)x;
    for (uint64_t i = 0; i < v->count; i++) {
        const uint64_t r = mix(s->seed, s->buffer, i);
        if (m && v->type == TYPE_F64) ((double *)v->data)[i] = (double)(r % (uint64_t)m);
        else if (m) cpu_put_integer(v, i, (int64_t)(r % (uint64_t)m));
        else if (v->type == TYPE_F64) cpu_put_number(v, i, (double)(r >> 11) * 0x1p-53);
        else if (cpu_is_float(v->type)) cpu_put_number(v, i, (double)(r >> 40) * 0x1p-24);
        else cpu_put_integer(v, i, (int64_t)r);
    }
}

const fill_generator fill_generators[] = {
    {"none", false, "as allocated: reading an element before writing it is an error of the kernel", fill_none},
    {"zero", false, "zeros", fill_zero},
    {"NUMBER", false, "that number everywhere", fill_constant},
    {"EXPRESSION", false, "of the element's index i: i % 7 - 3", fill_none},
    {"ones", false, "ones", fill_ones},
    {"iota", true, "0, 1, 2 ... (with % m: starting again at m)", fill_iota},
    {"rand", true, "glibc's rand() after srand(seed), % m when given", fill_rand},
    {"rand_msvc", true, "the 15-bit rand() of Microsoft's C library, % m when given", fill_rand_msvc},
    {"signed", true, "-m to m, at random", fill_signed},
    {"extremes", false, "the type's least and greatest numbers and those around 0, at random", fill_extremes},
    {"down", false, "n - 1, n - 2 ... 0", fill_down},
    {"pipe", false, "0, 2, 4 ... 5, 3, 1", fill_pipe},
    {"last", false, "zeros, and a 1 in the last element", fill_last},
    {"unit_msvc", false, "0 to 1: rand()/RAND_MAX + rand()/(RAND_MAX*RAND_MAX), 15-bit generator", fill_unit_msvc},
    {"shuffled", false, "0, 1, 2 ... each once, in random order", fill_shuffled},
    {"edges", false, "random words with many equal ones, zeros, and words of which every bit is set", fill_edges},
    {"uniform", true, "between 0 and 1 (with % m: 0 and m), never 0 itself", fill_uniform},
    {"offsets", true, "of segments with about as many elements: 0 ... m, rising", fill_offsets},
    {"skewed_offsets", true, "of segments with very different numbers of elements: 0 ... m, rising",
     fill_skewed_offsets},
    {"any", true, "any number of the type, of floats any from 0 to 1; with % m whole ones below m", fill_any},
    {0},
};

int fill_named(const char *name, size_t length)
{
    for (int i = 0; fill_generators[i].name; i++)
        if (i != FILL_CONSTANT && i != FILL_FORMULA && strlen(fill_generators[i].name) == length &&
            !memcmp(fill_generators[i].name, name, length))
            return i;
    return -1;
}

static bool fill_from_file(const lesson_buffer *b, size_t bytes, void *to)
{
    FILE *f = fopen(b->file, "rb");
    const bool all = f && fread(to, 1, bytes, f) == bytes;
    if (f) fclose(f);
    return all;
}

bool fill_buffer(const lesson_buffer *b, uint64_t count, fill_stream *s, int64_t parameter, void *to)
{
    cpu_value v = {.type = b->type, .count = count, .data = to};
    const size_t each = (size_t)lesson_types[b->type].bytes;
    if (b->file) return fill_from_file(b, (size_t)count * each, to);
    if (!b->listed) fill_generators[b->fill].fill(&v, s, parameter, b->value);
    for (uint64_t i = 0; i < count && b->listed; i++) {
        const uint64_t bits = b->list[b->listed == 1 ? 0 : i];
        for (size_t k = 0; k < each; k++) ((unsigned char *)to)[i * each + k] = (unsigned char)(bits >> 8 * k);
    }
    return true;
}

/* ---- operations ---- */

int cpu_make(cpu_value *out, enum lesson_type type, uint64_t count, bool scalar, char *why, size_t size)
{
    *out = (cpu_value){.type = type, .count = count, .scalar = scalar};
    out->data = count <= SIZE_MAX / 8 ? malloc((size_t)(count ? count : 1) * 8) : NULL;
    if (!out->data) snprintf(why, size, NO_MEMORY);
    return out->data ? 0 : -1;
}

static int add_up(const cpu_value *v, bool square, cpu_value *out, char *why, size_t size)
{
    if (cpu_make(out, cpu_is_float(v->type) ? TYPE_F64 : TYPE_I64, 1, true, why, size)) return -1;
    if (cpu_is_float(v->type)) {
        cpu_put_number(out, 0, cpu_accurate_sum(v, square, &out->threads));
        return 0;
    }
    uint64_t sum = 0;          /* unsigned: wraps as the hardware does, without undefined behaviour */
    if (v->type == TYPE_I32) { /* the common case, which lessons time: a plain loop */
        const int32_t *p = v->data;
        for (uint64_t i = 0; i < v->count; i++)
            sum += square ? (uint64_t)((int64_t)p[i] * p[i]) : (uint64_t)(int64_t)p[i];
    } else {
        for (uint64_t i = 0; i < v->count; i++) {
            uint64_t x = (uint64_t)cpu_integer(v, i);
            sum += square ? x * x : x;
        }
    }
    cpu_put_integer(out, 0, (int64_t)sum);
    return 0;
}

static int op_sum(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    return add_up(&arg[0], false, out, why, size);
}

static int op_sum_of_squares(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    return add_up(&arg[0], true, out, why, size);
}

static int op_first_of(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    bool real = cpu_is_float(arg->type);
    if (cpu_make(out, real ? TYPE_F64 : TYPE_I64, 1, true, why, size)) return -1;
    if (real) cpu_put_number(out, 0, cpu_number(arg, 0));
    else cpu_put_integer(out, 0, cpu_integer(arg, 0));
    return 0;
}

/* each element times a number, rounded once to the array's own type */
static int op_scaled(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    if (cpu_make(out, arg[0].type, arg[0].count, arg[0].scalar, why, size)) return -1;
    for (uint64_t i = 0; i < arg[0].count; i++)
        if (cpu_is_float(arg[0].type)) cpu_put_number(out, i, cpu_number(&arg[0], i) * cpu_number(&arg[1], 0));
        else cpu_put_integer(out, i, (int64_t)((uint64_t)cpu_integer(&arg[0], i) * (uint64_t)cpu_integer(&arg[1], 0)));
    return 0;
}

/* ---- inexact sums ---- */

static int op_sum_in_double(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    if (cpu_make(out, TYPE_F64, 1, true, why, size)) return -1;
    double sum = 0;
    if (arg->type == TYPE_F32)
        for (uint64_t i = 0; i < arg->count; i++) sum += ((const float *)arg->data)[i];
    else if (arg->type == TYPE_F64)
        for (uint64_t i = 0; i < arg->count; i++) sum += ((const double *)arg->data)[i];
    else
        for (uint64_t i = 0; i < arg->count; i++) sum += cpu_number(arg, i);
    cpu_put_number(out, 0, sum);
    return 0;
}

/* one after another, rounded to the array's own type each time, as a plain loop does */
static int op_running_sum(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    if (arg->type != TYPE_F32)
        return arg->type == TYPE_F64 ? op_sum_in_double(arg, args, out, why, size) : add_up(arg, false, out, why, size);
    if (cpu_make(out, TYPE_F64, 1, true, why, size)) return -1;
    const float *p = arg->data;
    float sum = 0;
    for (uint64_t i = 0; i < arg->count; i++) sum += p[i];
    cpu_put_number(out, 0, (double)sum);
    return 0;
}

/* adds the same number repeatedly in double, as a program that adds 1.23 does */
static int op_repeated_sum(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    if (cpu_make(out, TYPE_F64, 1, true, why, size)) return -1;
    double x = cpu_number(&arg[0], 0), sum = 0;
    int64_t n = cpu_integer(&arg[1], 0);
    for (int64_t i = 0; i < n && i < INT64_C(1) << 31; i++) sum += x;
    cpu_put_number(out, 0, sum);
    return 0;
}

const cpu_operation cpu_operations[] = {
    {"sum", "(array)", "the sum of all elements", 1, 1, op_sum},
    {"sum_of_squares", "(array)", "the sum of the squares of all elements", 1, 1, op_sum_of_squares},
    {"running_sum", "(array)", "the elements added one after another in the array's own type", 1, 1, op_running_sum},
    {"sum_in_double", "(array)", "the elements added one after another in double", 1, 1, op_sum_in_double},
    {"repeated_sum", "(number, n)", "the number added n times in double, one after another", 2, 2, op_repeated_sum},
    {"repeated", "(number, n)", "an array of n such numbers", 2, 2, cpu_repeated},
    {"every", "(array, stride, offset, n[, width])",
     "elements offset + i * stride, wrapped around, for i below n; or groups of `width` elements", 4, 5, cpu_every},
    {"row_sums", "(array, width, used)", "the sum of the first `used` of each `width` elements", 3, 3, cpu_row_sums},
    {"lcg", "(array, rounds)", "every 32-bit element after so many rounds of x = 1664525 x + 1013904223", 2, 2,
     cpu_lcg},
    {"interpolated", "(array, places)", "between elements: place 2.25 is a quarter of the way from [2] to [3]", 2, 2,
     cpu_interpolated},
    {"first_of", "(array)", "the first element", 1, 1, op_first_of},
    {"element", "(array, i)", "element i", 2, 2, cpu_element},
    {"sorted", "(array)", "the elements in ascending order", 1, 1, cpu_sorted},
    {"library_sorted", "(array)", "the same, by the C library's qsort", 1, 1, cpu_library_sorted},
    {"sorted_by", "(array, keys)", "the elements in ascending order of their keys; of equal keys, the first first", 2,
     2, cpu_sorted_by},
    {"first_sorted", "(array, count)", "the first so many elements in ascending order", 2, 2, cpu_first_sorted},
    {"sorted_columns", "(array, columns)", "each column in ascending order; rows are as long as there are columns", 2,
     2, cpu_sorted_columns},
    {"histogram", "(array, bins)", "how many elements are 0, 1 ... bins - 1", 2, 2, cpu_histogram},
    {"greatest", "(array)", "the greatest element", 1, 1, cpu_greatest},
    {"kept", "(array, least)", "the elements from `least` on, in ascending order", 2, 2, cpu_kept},
    {"filtered", "(array, least)", "the same in the order of the array", 2, 2, cpu_filtered},
    {"product_of_odd", "(array)", "the product of 2x + 1 over all elements, in 32 bits", 1, 1, cpu_product_of_odd},
    {"atomic_words", "(array, start, limit)",
     "ten words after all elements were applied: add sub and or xor min max"
     " inc dec, and the sum that an exchange conserves",
     3, 3, cpu_atomic_words},
    {"scaled", "(array, number)", "every element times a number", 2, 2, op_scaled},
    {"product", "(array, array, n)", "the product of two matrices, the first with n columns, the second with n rows", 3,
     3, cpu_product},
    {"row_products", "(array, array, n)",
     "the same with the second by its rows of n: element i, j is row i times row j", 3, 3, cpu_row_products},
    {"prefix_sums", "(array[, width])", "of each element and those before it; starting again every `width` elements", 1,
     2, cpu_prefix_sums},
    {"first_elements", "(array, count)", "the first so many elements", 2, 2, cpu_first_elements},
    {"segment_sums", "(array, offsets)", "the sums from offsets[0], [1] ... each up to before the next", 2, 2,
     cpu_segment_sums},
    {"sparse_product", "(offsets, columns, values, array)", "of a matrix given by its rows, and a vector", 4, 4,
     cpu_sparse_product},
    {"transposed", "(array, columns)", "columns become rows", 2, 2, cpu_transposed},
    {"stencil", "(array, columns, rows, radius, centre, arm)",
     "centre times each element, arm times the sum of those up to `radius` away along each axis; planes have so many"
     " columns and rows, and what lies outside counts as 0",
     6, 6, cpu_stencil},
    {"small_products", "(matrices, vectors, side, group)",
     "small square matrices times a vector each; the elements of `group` of them are interleaved (1: none are)", 4, 4,
     cpu_small_products},
    {"softmax", "(array, columns)", "of each row: e to the power of each element, over the sum of them", 2, 2,
     cpu_softmax},
    {0},
};

/* ---- judging ---- */

void verdict_compare(verdict *out, const cpu_value *ours, const cpu_value *reference, double within, bool relative)
{
    memset(out, 0, sizeof *out);
    out->exact_integers = !cpu_is_float(ours->type) && !cpu_is_float(reference->type);
    out->array = !ours->scalar;
    if (ours->count != reference->count) {
        char have[48];
        snprintf(out->message, sizeof out->message, TR("%s instead of %llu"),
                 format_plural(have, sizeof have, ours->count, "element"), (unsigned long long)reference->count);
        out->wrong = ours->count;
        return;
    }
    accurate mean = {0, 0};
    const bool same =
        out->exact_integers && ours->type == reference->type &&
        !memcmp(ours->data, reference->data, (size_t)ours->count * (size_t)lesson_types[ours->type].bytes);
    for (uint64_t i = same ? ours->count : 0; i < ours->count; i++) {
        if (out->exact_integers && cpu_integer(ours, i) == cpu_integer(reference, i))
            continue; /* equal, as most elements are */
        double a = cpu_number(ours, i), b = cpu_number(reference, i);
        double off = fabs(a - b), share = b != 0 ? off / fabs(b) : off != 0 ? INFINITY : 0;
        bool right;
        if (out->exact_integers) right = within > 0 && off <= within * (relative ? fabs(b) : 1);
        else right = within > 0 ? off <= within * (relative ? fabs(b) : 1) : a == b || (a != a && b != b);
        if (!right && out->wrong++ == 0) out->first = i;
        if (off != off || share != share) { /* NaN: the largest error */
            off = a != a && b != b ? 0 : INFINITY;
            share = off;
        }
        if (off > out->max_absolute) out->max_absolute = off;
        if (share > out->max_relative) out->max_relative = share;
        if (cpu_is_float(ours->type) && ours->type != TYPE_F64 && off > 0)
            out->max_ulp = fmax(out->max_ulp,
                                off < INFINITY && fabs(b) < INFINITY ? off / float_last_bit(ours->type, b) : INFINITY);
        accurate_add(&mean, share);
    }
    if (ours->count) {
        out->mean_relative = (mean.sum + mean.lost) / (double)ours->count;
        out->ours = cpu_number(ours, out->first);
        out->reference = cpu_number(reference, out->first);
        out->ours_integer = cpu_integer(ours, out->first);
        out->reference_integer = cpu_integer(reference, out->first);
    }
    out->correct = out->wrong == 0;
}
