/* same.c: which answers count as the same text (repl/grade/grade_same.c). */
#include "grade/grade.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

static char starter[] = "extern \"C\" __global__ void k(const float *x, float *y, int n)\n{\n}\n";
static const char *const solution = "#define TILE 16\n"
                                    "extern \"C\" __global__ void k(const float *x, float *y, int n)\n"
                                    "{\n"
                                    "    __shared__ float part[TILE];\n"
                                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    float sum = 0.5f;\n"
                                    "    for (int j = 0; j < n; j += 32)\n"
                                    "        sum += x[i + j] * 2.0f;\n"
                                    "    part[threadIdx.x % TILE] = sum;\n"
                                    "    __syncthreads();\n"
                                    "    y[i] = min(part[0], sum) + 'a';\n"
                                    "}\n";

/* The solution with each `from` replaced. */
static char *changed(const char *from, const char *to)
{
    char *text = calloc(1, 8 * strlen(solution) + 100), *out = text;
    for (const char *p = solution; *p;)
        if (*from && !strncmp(p, from, strlen(from))) {
            out += sprintf(out, "%s", to);
            p += strlen(from);
        } else {
            *out++ = *p++;
        }
    return text;
}

static void one_change(const char *from, const char *to, bool same)
{
    char what[200], *text = changed(from, to), ours[600], other[] = "other";
    exercise x = {.kind = &exercise_kinds[KIND_write]};
    snprintf(ours, sizeof ours, "%s", solution);
    grade_exercise e = {
        .x = &x, .ours = {starter, ours, other}, .ours_bytes = {strlen(starter), strlen(ours), strlen(other)}};
    grade_job job[2] = {{.e = &e, .shown = "ann"}, {.e = &e, .shown = "bob"}};
    grading *g = calloc(1, sizeof *g);
    g->job = job;
    g->jobs = 2;
    grade_read_text(&job[0], text, strlen(text));
    grade_read_text(&job[1], text, strlen(text));
    grade_compare(g);
    snprintf(what, sizeof what, "%.60s for %.60s: %.40s", to, from, job[0].same ? job[0].same : "nobody");
    check(job[0].same && !strcmp(job[0].same, same ? "our solution.cu, bob" : "bob"), what);
    free(job[0].same);
    free(job[1].same);
    free(text);
    free(g);
}

/* Texts that differ from the starter by less than 60 tokens, whatever their names. */
static void short_ones(void)
{
    char text[4000], what[120];
    exercise x = {.kind = &exercise_kinds[KIND_bug]}, number = {.kind = &exercise_kinds[KIND_predict]};
    grade_exercise e = {.x = &x, .ours = {starter, starter, starter}};
    for (int i = 0; i < 3; i++) e.ours_bytes[i] = strlen(starter);
    for (int more = 0; more <= 24; more++) { /* "y[0]=1;" is 7 tokens */
        int n = sprintf(text, "extern \"C\" __global__ void k(const float *in, float *out, int count)\n{\n");
        for (int i = 0; i < more; i++) n += sprintf(text + n, "out[0] = %d;\n", i);
        n += sprintf(text + n, "}\n");
        grade_job j = {.e = &e};
        grade_read_text(&j, text, (size_t)n);
        snprintf(what, sizeof what, "%d tokens more than the starter", 7 * more);
        check(j.own_text == (7 * more >= 60), what);
    }
    grade_job j = {.e = &e};
    e.x = &number;
    grade_read_text(&j, text, strlen(text));
    check(!j.own_text, "an answer that is a number");
}

static void hostile(void)
{
    static const char *const texts[] = {"",         "/*",     "//",           "\"",      "'",   "\\",
                                        "0x",       "1e",     "\"\\",         "/* */ /", "...", "1.5e+e-+",
                                        "\xff\xfe", "extern", "extern \"C\"", "0b2"};
    char *text = malloc(JUDGE_SOURCE_MAX + 1);
    exercise x = {.kind = &exercise_kinds[KIND_write]};
    grade_exercise e = {.x = &x, .ours = {starter, starter, starter}};
    for (int i = 0; i < 3; i++) e.ours_bytes[i] = strlen(starter);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        grade_job j = {.e = &e};
        char *copy = malloc(strlen(texts[i]) + 1); /* a copy of the exact size shows a read past the end */
        memcpy(copy, texts[i], strlen(texts[i]));
        grade_read_text(&j, copy, strlen(texts[i]));
        free(copy);
        for (size_t n = 0, length = strlen(texts[i]); length && n + length <= JUDGE_SOURCE_MAX; n += length)
            memcpy(text + n, texts[i], length);
        grade_read_text(&j, text, JUDGE_SOURCE_MAX);
    }
    for (size_t n = 0; n + 7 < JUDGE_SOURCE_MAX; n += 7) { /* more names than fit the table */
        char name[16];
        snprintf(name, sizeof name, "a%05zu ", n / 7);
        memcpy(text + n, name, 7);
    }
    grade_job j = {.e = &e};
    grade_read_text(&j, text, JUDGE_SOURCE_MAX - 7);
    check(!j.own_text, "more names than can be kept are not compared");
    free(text);
}

int main(void)
{
    static const struct {
        const char *from, *to;
        bool same;
    } list[] = {
        {"", "", true},
        {"part", "tile", true},
        {"sum", "total /* of all */", true},
        {"    ", "\t", true},
        {"\n", "\r\n", true},
        {" j <", " q <", false}, /* j stays elsewhere: another program */
        {"x[", "data[", false},
        {" j", " q", true},
        {"32", "0x20u", true},
        {"2.0f", "2.f", true},
        {"2.0f", "2", false}, /* of another type */
        {"0.5f", "5e-1", true},
        {"extern \"C\" ", "", true},
        {"min(", "max(", false},
        {"__syncthreads", "__syncwarp", false},
        {"threadIdx.x", "threadIdx.y", false},
        {"float", "double", false},
        {"+=", "-=", false},
        {"'a'", "'b'", false},
        {"{\n    __shared", "{ // a remark\n    __shared", true},
        {"const ", "", false},
        {"blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x *\\\n blockDim.x + threadIdx.x", true},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) one_change(list[i].from, list[i].to, list[i].same);
    short_ones();
    hostile();
    return check_end();
}
