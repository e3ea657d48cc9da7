/* float_products.c: products of f16, bf16 and tf32 made in f32 (exec/float_product.c) give what the rule of
 * exec/product.c gives, cut by cut, wherever they are said to be exact: bit by bit, for numbers that are drawn close to
 * the limits of that: few digits and many, far apart and near, subnormal, zeros of both signs, infinity and NaN.
 */
#define SIM_ISA base
#include "exec/float_product.c"
#include <stdio.h>
#include <stdlib.h>

static uint64_t drawn = 1;
static uint32_t draw(uint32_t below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(drawn >> 33) % below;
}

/* Of `digits` digits at most, and an exponent from `low` on, of so many. */
static float number(enum kind kind, int digits, int low, int many)
{
    if (!draw(6)) return draw(2) ? -0.0f : 0.0f;
    const double v = ldexp((double)(draw(1u << digits) | 1) * (draw(2) ? -1 : 1), low + (int)draw((uint32_t)many));
    float f[32];
    uint32_t words[32] = {0};
    words[0] = kind == K_F16 ? f32_to_f16(f64_to_f32_odd(v), ROUND_RN) : f32_bits((float)v);
    read_floats(kind, words, kind == K_BF16 ? 16 : 0, f);
    return f[0];
}

static void fill(float *to, int count, enum kind kind, int digits)
{
    const int lowest = kind == K_F16 ? -24 : -140, many = (int)draw(4) ? 1 + (int)draw(4) : 1 + (int)draw(25);
    const int low = draw(3) ? -(int)draw(12) : lowest + (int)draw(kind == K_F16 ? 36 : 240);
    for (int i = 0; i < count; i++) to[i] = number(kind, digits, low, many);
    if (!draw(40)) to[draw((uint32_t)count)] = draw(2) ? INFINITY : NAN;
}

/* The rule, with every cut. */
static void by_rule(const product *p, const float *a, const float *b, const float *c, double *d)
{
    static aligned wide_a, wide_b;
    const int step = groups_at_once(p);
    for (int i = 0; i < p->m * p->k; i++)
        wide_a.value[i] = (double)a[i], wide_a.power[i] = power_of((double)a[i], lowest_of(p->a), 0);
    for (int i = 0; i < p->n * p->k; i++)
        wide_b.value[i] = (double)b[i], wide_b.power[i] = power_of((double)b[i], lowest_of(p->b), 0);
    for (int i = 0; i < p->m * p->n; i++) d[i] = (double)c[i];
    for (int from = 0; from < p->k / 4; from += step) switch (step) {
        case 1: multiply_rows(p, 1, true, from, &wide_a, &wide_b, d); break;
        case 2: multiply_rows(p, 2, true, from, &wide_a, &wide_b, d); break;
        default: multiply_rows(p, 4, true, from, &wide_a, &wide_b, d); break;
        }
}

int main(void)
{
    (void)multiply_chained, (void)multiply_small, (void)write_values, (void)read_values; /* the header's other users' */
    static const product shapes[] = {
        {16, 8, 8, K_F16, K_F16, K_F32, K_F32, false},    {16, 8, 16, K_F16, K_F16, K_F32, K_F32, false},
        {16, 16, 16, K_F16, K_F16, K_F16, K_F32, false},  {32, 8, 16, K_F16, K_F16, K_F32, K_F32, false},
        {8, 32, 16, K_BF16, K_BF16, K_F32, K_F32, false}, {16, 8, 8, K_BF16, K_BF16, K_F32, K_F32, false},
        {16, 8, 4, K_TF32, K_TF32, K_F32, K_F32, false},  {16, 8, 8, K_TF32, K_TF32, K_F32, K_F32, false},
        {16, 16, 8, K_TF32, K_TF32, K_F32, K_F32, false},
    };
    enum { SHAPES = sizeof shapes / sizeof shapes[0], ROUNDS = 4000 };
    static _Alignas(64) float a[MOST_WIDE], b[MOST_WIDE], c[MOST_RESULT], d[MOST_RESULT];
    static double rule[MOST_RESULT];
    int taken[SHAPES] = {0}, wrong = 0;
    for (int round = 0; round < ROUNDS * SHAPES; round++) {
        const product *p = &shapes[round % SHAPES];
        const int digits_a = 1 + (int)draw(p->a == K_BF16 ? 8 : 11), digits_b = 1 + (int)draw(p->a == K_BF16 ? 8 : 11);
        fill(a, p->m * p->k, p->a, digits_a);
        fill(b, p->n * p->k, p->b, digits_b);
        fill(c, p->m * p->n, p->c, 1 + (int)draw(p->c == K_F16 ? 11 : 24));
        if (!draw(10)) memset(draw(2) ? a : c, 0, sizeof c);
        memcpy(d, c, sizeof d);
        if (!multiply_floats(p, a, b, d)) {
            wrong += memcmp(c, d, sizeof d) != 0; /* nothing has been done */
            continue;
        }
        taken[round % SHAPES]++;
        by_rule(p, a, b, c, rule);
        for (int i = 0; i < p->m * p->n; i++) {
            if (f32_bits(d[i]) == f32_bits((float)rule[i])) continue;
            if (wrong++ < 5)
                printf("m%dn%dk%d, element %d: %a, by the rule %a\n", p->m, p->n, p->k, i, (double)d[i], rule[i]);
        }
    }
    for (int i = 0; i < SHAPES; i++)
        if (taken[i] < ROUNDS / 20) wrong++, printf("shape %d was exact only %d times\n", i, taken[i]);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
