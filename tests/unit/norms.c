/* norms.c: the sums of our cuBLAS (sim/cuda/blas/blas_kernels.cu) where each thread adds up thousands of numbers, as it
 * does with vectors of hundreds of millions: within one in a million of the sum in long double. */
#include "sim.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20 /* one block, so 4096 numbers for each thread */ };
static float values[N];
static sim *s;
static sim_module *m;
static uint64_t numbers, answer;

static char *file_text(const char *name, size_t *bytes)
{
    FILE *f = fopen(name, "rb");
    char *text = calloc(1, 4 << 20);
    *bytes = f && text ? fread(text, 1, (4 << 20) - 1, f) : 0;
    if (f) fclose(f);
    return text;
}

static float run(const char *kernel, int n)
{
    struct {
        int n, incx, incy, parts;
        uint64_t x, y, work, result;
    } args = {n, 1, 1, 0, numbers, numbers, 0, answer};
    sim_launch l = {
        .kernel = kernel, .grid = {1, 1, 1}, .block = {256, 1, 1}, .params = &args, .param_bytes = sizeof args};
    sim_result r;
    sim_error e;
    float out = -1;
    if (sim_write(s, numbers, values, sizeof values, &e) || sim_run(s, m, &l, &r, &e)) {
        printf("FAIL %s: %s\n", kernel, e.message);
        exit(1);
    }
    sim_result_free(&r);
    sim_read(s, answer, &out, sizeof out, &e);
    return out;
}

static void sums(const char *what)
{
    long double squares = 0, all = 0;
    char name[100];
    for (int i = 0; i < N; i++) squares += (long double)values[i] * values[i], all += fabsl(values[i]);
    const struct {
        const char *kernel;
        long double wanted;
    } each[] = {{"cublas_snrm2", sqrtl(squares)}, {"cublas_sasum", all}, {"cublas_sdot", squares}};
    for (int i = 0; i < 3; i++) {
        const double is = run(each[i].kernel, N), wanted = (double)each[i].wanted;
        snprintf(name, sizeof name, "%s of %s", each[i].kernel, what);
        check_that(fabs(is - wanted) <= 1e-6 * wanted, "%s: %.9g, not %.9g", name, (double)is, (double)wanted);
    }
}

/* Which have no square in single precision, and what is not a number. */
static void extremes(void)
{
    static const struct {
        float x, y, norm; /* 3, 4, 5 */
    } rows[] = {
        {0.6e38f, 0.8e38f, 1e38f}, {3e-42f, 4e-42f, 5e-42f}, {3e-30f, 4e-30f, 5e-30f}, {0, 0, 0},
        {3e-30f, 4e30f, 4e30f},    {INFINITY, 1, INFINITY},  {1, -INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};
    memset(values, 0, sizeof values);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        values[0] = rows[i].x;
        values[700] = rows[i].y;
        const float is = run("cublas_snrm2", 1000), wanted = rows[i].norm;
        check_that(is == wanted || fabsf(is - wanted) <= fmaxf(1e-6f * wanted, 2e-45f), "%s: %.9g, not %.9g",
                   "extremes", (double)is, (double)wanted);
    }
    values[0] = NAN;
    check_that(isnan(run("cublas_snrm2", 1000)), "%s: %.9g, not %.9g", "not a number", (double)0, (double)NAN);
}

int main(void)
{
    size_t bytes;
    sim_card card;
    sim_error e;
    char *text = file_text("sim/cards/h200.card", &bytes);
    if (sim_card_read(&card, text, "h200", &e) || sim_open(&s, &card, &e)) return printf("FAIL %s\n", e.message), 1;
    free(text);
    text = file_text("sim/cuda/blas/blas_kernels.ptx", &bytes);
    if (sim_load(s, "blas_kernels.ptx", text, bytes, &m, &e) || sim_alloc(s, sizeof values, "x", &numbers, &e) ||
        sim_alloc(s, 16, "result", &answer, &e))
        return printf("FAIL %s\n", e.message), 1;
    free(text);
    for (int i = 0; i < N; i++) values[i] = 0.1f;
    sums("0.1 everywhere");
    uint32_t random = 1;
    for (int i = 0; i < N; i++) values[i] = (float)((random = random * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
    sums("random numbers");
    for (int i = 0; i < N; i++) values[i] = ldexpf(1 + (float)(i % 7) / 8, 20 - i * 40 / N);
    sums("falling numbers");
    for (int i = 0; i < N; i++) values[i] = ldexpf(1 + (float)(i % 7) / 8, i * 40 / N - 20);
    sums("rising numbers");
    extremes();
    sim_close(s);
    return check_end();
}
