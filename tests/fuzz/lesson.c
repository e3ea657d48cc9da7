/* lesson.c: throws damaged lessons at the loader. It must return a lesson, or an error that says
 * what was expected and where. Each text is also read as an exercise and as an answer. Build it
 * with SANITIZER=address,undefined.
 *
 *     build/.../tests/fuzz/lesson SECONDS SEED FILE ...
 *
 * Each turn takes one of the texts, changes it in a few places (bytes, lines, pieces of other
 * texts) and reads it. A text that is still a lesson joins the others. With -DLESSON_LIBFUZZER it
 * is a libFuzzer target.
 */
#include "device/compile.h"
#include "course/elements.h"
#include "judge/judge.h"
#include "shell/plain_file.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int good;

/* Computes each expression of the lesson on a few elements of small buffers. It gives numbers, or a reason. */
static void run_formula(const lesson *l, const lesson_step *s, const lesson_formula *f, bool fill, int judged)
{
    static uint64_t data[8] = {0, 1, 0x4000000000000000, UINT64_MAX, 0x7ff8000000000000, 5, 6, 7};
    step_values v;
    char why[300];
    cpu_value buffer[LESSON_BUFFERS], local[LESSON_LOCALS];
    uint64_t columns[LESSON_BUFFERS];
    double out[6];
    element_error err;
    if (!f || !step_settings(l, s, NULL, &v, why, sizeof why)) return;
    for (int i = 0; i < s->buffer_count; i++) {
        buffer[i] = (cpu_value){.type = s->buffer[i].type, .count = 6, .data = data};
        columns[i] = s->buffer[i].rows.count ? 3 : 0;
    }
    for (int i = 0; i < LESSON_LOCALS; i++) local[i] = (cpu_value){.type = TYPE_I64, .count = 1, .data = data};
    const element_names names = {l, s, f, fill, judged};
    const element_inputs in = {v.value, buffer, columns, local};
    element_program *p = element_bind(&names, &in, &err);
    const element_range range = {.count = 6, .columns = f->variables == 2 ? 3 : 0};
    cpu_value to = {.type = TYPE_F64, .count = 6, .data = out};
    if (p && !element_run(p, &range, &to, &err) && !err.text[0]) abort();
    if (!p && !err.text[0]) abort();
    element_free(p);
}

static void run_formulas(const lesson *l)
{
    for (int i = 0; i < l->step_count; i++) {
        const lesson_step *s = &l->step[i];
        for (int b = 0; b < s->buffer_count; b++) run_formula(l, s, s->buffer[b].formula, true, -1);
        for (int r = 0; r < s->right_count; r++) run_formula(l, s, s->right[r].formula, false, s->right[r].ours.buffer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lesson *l;
    exercise *x;
    lesson_error err;
    int line;
    char why[300];
    good = 0;
    why[0] = 0;
    size_t plain;
    char *text = judge_source((const char *)data, size, &plain, &line, why, sizeof why);
    if (text) {
        compile_cut_host_code(text, plain, true);
        compile_cut_host_code(text, plain, false);
    }
    free(text);
    if (!text && !why[0]) abort();
    if (exercise_parse(&x, "exercise.txt", (const char *)data, size, &err) == 0) {
        exercise_case c;
        for (int i = 0; i < exercise_cases(x); i++) exercise_case_at(x, i, &c);
        exercise_free(x);
        good = 1;
        return 0;
    }
    if (!err.message[0]) abort();
    if (lesson_parse(&l, "lesson.txt", (const char *)data, size, &err)) {
        if (!err.message[0] || err.line < 0 || err.column < 0 || strlen(err.source) > LESSON_LINE) {
            fprintf(stderr, "a failure does not say what and where\n");
            abort();
        }
        return 0;
    }
    good = lesson_check(l, &err);
    if (!good && !err.message[0]) abort();
    if (good) run_formulas(l);
    lesson_free(l);
    return 0;
}

#ifndef LESSON_LIBFUZZER
static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return below ? (uint32_t)(state >> 33) % below : 0;
}

enum { TEXTS = 512, LONGEST = 60000 };
static char *text[TEXTS];
static size_t bytes[TEXTS];

static size_t damage(char *t, size_t n, int texts)
{
    static const char *const words[] = {"step: a like b\n",
                                        "for: i = 0 to n\n",
                                        "end:\n",
                                        "<<<",
                                        ">>>",
                                        "[",
                                        "]",
                                        "(",
                                        ")",
                                        "{",
                                        "99999999999999999999",
                                        " when ",
                                        " per ",
                                        "-1",
                                        "%",
                                        "\xff\xfe",
                                        "\t",
                                        "1Gi",
                                        "? 1 : 0",
                                        "like",
                                        "<<",
                                        "sum(k, 0, n, ",
                                        "right: y[i] == ",
                                        "before.y[i]",
                                        "x[i - 1]",
                                        " for i = 1 to n - 2",
                                        "card-needs: compute 9.0\n",
                                        "predict: x\n",
                                        "    choice: y when 1\n"};
    for (uint32_t changes = 1 + draw(4); changes; changes--) {
        size_t at = n ? draw((uint32_t)n) : 0;
        switch (draw(6)) {
        case 0: /* another byte */
            if (n) t[at] = (char)draw(256);
            break;
        case 1: { /* a piece is removed */
            size_t most = n - at, gone = draw((uint32_t)(most < 40 ? most + 1 : 40));
            memmove(t + at, t + at + gone, n - at - gone);
            n -= gone;
            break;
        }
        case 2: { /* a word is added */
            const char *w = words[draw(sizeof words / sizeof *words)];
            size_t length = strlen(w);
            if (n + length < LONGEST) {
                memmove(t + at + length, t + at, n - at);
                memcpy(t + at, w, length);
                n += length;
            }
            break;
        }
        case 3: { /* a piece of another text */
            int other = (int)draw((uint32_t)texts);
            size_t from = bytes[other] ? draw((uint32_t)bytes[other]) : 0, length = draw(200);
            if (from + length > bytes[other]) length = bytes[other] - from;
            if (n + length < LONGEST) {
                memmove(t + at + length, t + at, n - at);
                memcpy(t + at, text[other] + from, length);
                n += length;
            }
            break;
        }
        case 4: /* cut off */
            if (draw(8) == 0) n = at;
            break;
        default: { /* a line twice */
            size_t start = at, stop = at;
            while (start > 0 && t[start - 1] != '\n') start--;
            while (stop < n && t[stop] != '\n') stop++;
            size_t length = stop < n ? stop + 1 - start : 0;
            if (length && n + length < LONGEST) {
                memmove(t + start + length, t + start, n - start);
                n += length;
            }
        }
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    static char work[LONGEST + 1000];
    int texts = 0;
    long turns = 0, lessons = 0;
    if (argc < 4) {
        fprintf(stderr, "usage: lesson SECONDS SEED FILE ...\n");
        return 2;
    }
    state = strtoull(argv[2], NULL, 10) * 2 + 1;
    for (int i = 3; i < argc && texts < TEXTS / 2; i++) {
        if (file_read(argv[i], LONGEST, &text[texts], &bytes[texts])) {
            perror(argv[i]);
            return 2;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text[texts], bytes[texts]);
        texts++;
    }
    for (time_t end = time(NULL) + atoi(argv[1]); time(NULL) < end; turns++) {
        int from = (int)draw((uint32_t)texts);
        memcpy(work, text[from], bytes[from]);
        size_t n = damage(work, bytes[from], texts);
        /* a copy of the exact size, so that the sanitizer sees a read past the end */
        char *exact = malloc(n ? n : 1);
        if (!exact) return 2;
        memcpy(exact, work, n);
        LLVMFuzzerTestOneInput((const uint8_t *)exact, n);
        lessons += good;
        if (good && texts < TEXTS) {
            text[texts] = exact;
            bytes[texts++] = n;
        } else {
            free(exact);
        }
    }
    printf("%ld texts read, %ld of them lessons\n", turns, lessons);
    for (int i = 0; i < texts; i++) free(text[i]);
    return 0;
}
#endif
