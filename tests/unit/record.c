/* record.c: a record with every field of record.def set reads back as it was written. A hostile
 * answer makes a failed run with a message, or is skipped. It never gives a number that its row
 * does not allow. */
#include "run/step.h"
#include "check.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a record with a value in every field, within its limits ---- */

enum { SOME = 40 }; /* elements of a list on the heap */
static int drawn;
static double next_within(double most) { return most < ++drawn ? most : drawn; }
/* clang-format off */
#define SETTER(kind) static void set_##kind(void *to, size_t bytes, double most, const char *unit)
#define SET(ctype, most) for (size_t i = 0; i < bytes / sizeof(ctype); i++) ((ctype *)to)[i] = (ctype)next_within(most)
#define UNUSED (void)bytes, (void)most, (void)unit
SETTER(FLAG) { UNUSED; memset(to, 1, bytes); }
SETTER(INT) { UNUSED; SET(int, most); }
SETTER(INDEX) { UNUSED; *(int *)to = -1; }
SETTER(U32) { UNUSED; SET(uint32_t, most); }
SETTER(COUNT) { UNUSED; SET(uint64_t, most); }
SETTER(SIGNED) { UNUSED; *(int64_t *)to = INT64_MIN + ++drawn; }
SETTER(REAL) { UNUSED; *(double *)to = ++drawn + 1 / 3.0; }
SETTER(MEASURE)
{
    UNUSED;
    for (size_t i = 0; i < bytes / sizeof(double); i++) ((double *)to)[i] = next_within(most) + 0.0125; /* 9 digits */
}
SETTER(DIFFERENCE)
{
    UNUSED;
    for (size_t i = 0; i < bytes / sizeof(double); i++) ((double *)to)[i] = -next_within(most) - 0.5;
}
static void set_ANY(void *to, size_t bytes, double most, const char *unit)
{
    static const double odd[] = {-INFINITY, INFINITY, DBL_MIN, 1 / 3.0, -DBL_MAX};
    (void)bytes, (void)most, (void)unit;
    *(double *)to = odd[++drawn % 5];
}
SETTER(TEXT)
{
    UNUSED;
    snprintf(to, bytes, "\303\251 %d. = ", ++drawn % 10000);
}
SETTER(LETTER)
{
    UNUSED;
    *(char *)to = unit[strlen(unit) - 1];
}
static void set_all(void *to, size_t bytes, size_t each, void (*set)(void *, size_t, double, const char *), double most)
{
    for (size_t at = 0; at < bytes; at += each) set((char *)to + at, each, most, "");
}
#define RECORD(type)                                           static void fill_##type(type *r) {
#define ABOUT(type)                                            static void fill_##type(type *r) {
#define END(type)                                              }
#define DONE(type)                                             }
#define FIELD(kind, name, dims, most, unit, meaning)           set_##kind(&r->name, sizeof r->name, most, unit);
#define HAS(kind, name, most)                                  set_##kind(&r->name, sizeof r->name, most, "");
#define SERIES(kind, name, dims, counter, most, unit, meaning) \
    r->counter = (int)(sizeof r->name / sizeof *r->name); \
    set_all(r->name, sizeof r->name, sizeof *r->name, set_##kind, most);
#define PART(type, name, meaning)                              fill_##type(&r->name);
#define LIST(type, name, dims, counter, meaning) \
    r->counter = (int)(sizeof r->name / sizeof(type)); \
    for (int i = 0; i < r->counter; i++) fill_##type(&r->name[i]);
#define HEAP(type, name, most, counter, meaning) \
    r->name = calloc(SOME, sizeof *r->name); \
    for (r->counter = 0; r->name && r->counter < SOME; r->counter++) fill_##type(&r->name[r->counter]);
#define BYTES(name, most, counter, meaning) \
    r->name = malloc(512); for (int i = 0; r->name && i < 512; i++) r->name[i] = (char)(i * 3); r->counter = 512;
#define OWN(member)
#include "run/record.def"

/* Compares field by field, since padding between fields has no meaning. */
#define SAME(a, b)  check_why(!memcmp(&(a), &(b), sizeof(a)), "not read as it was written", #a)
#define RECORD(type)                                           static void same_##type(const type *a, const type *b) {
#define ABOUT(type)                                            static void same_##type(const type *a, const type *b) {
#define END(type)                                              }
#define DONE(type)                                             }
#define FIELD(kind, name, dims, most, unit, meaning)           SAME(a->name, b->name);
#define HAS(kind, name, most)                                  SAME(a->name, b->name);
#define SERIES(kind, name, dims, counter, most, unit, meaning) SAME(a->name, b->name); SAME(a->counter, b->counter);
#define PART(type, name, meaning)                              same_##type(&a->name, &b->name);
#define LIST(type, name, dims, counter, meaning) \
    SAME(a->counter, b->counter); \
    for (int i = 0; i < a->counter && i < b->counter; i++) same_##type(&a->name[i], &b->name[i]);
#define HEAP(type, name, most, counter, meaning) LIST(type, name, , counter, meaning)
#define BYTES(name, most, counter, meaning) \
    SAME(a->counter, b->counter); check_why(a->name && b->name && !memcmp(a->name, b->name, 512), "bytes", #name);
#define OWN(member)
#include "run/record.def"
/* clang-format on */

static void there_and_back(void)
{
    static step_result a, b;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    fill_step_result(&a);
    if (!out) exit(1);
    record_write(out, &a);
    fclose(out);
    record_read(&b, 1, text, bytes);
    check_why(!b.refused, "our own record is refused", b.problem);
    check_why(b.faults == SOME && b.lines == SOME && b.accesses == SOME && b.results == LESSON_LOCALS,
              "the lists are there", "");
    same_step_result(&a, &b);
    step_result_free(&a);
    step_result_free(&b);
    free(text);
}

/* ---- hostile answers ---- */

static step_result answer(const char *lines)
{
    step_result r = {.bytes = -1};
    char *copy = strdup(lines);
    if (copy) record_read(&r, 1, copy, strlen(copy));
    free(copy);
    return r;
}

static void hostile(void)
{
    static const char *const refused[] = {"cycles nan",
                                          "cycles inf",
                                          "cycles -1",
                                          "cycles 1e19",
                                          "cycles 1e999",
                                          "cycles",
                                          "cycles 12x",
                                          "cycles 1 2",
                                          "cycles  12",
                                          "seconds 1e10",
                                          "launches -3",
                                          "launches 4294967297",
                                          "launches 99999999999999999999",
                                          "launches 1.5",
                                          "banks 33",
                                          "judged 2",
                                          "judged yes",
                                          "cache 3",
                                          "status 256",
                                          "grid 1 2",
                                          "grid 1 2 3 4",
                                          "grid 1 2 -1",
                                          "grid 1 2 4294967296",
                                          "total.warp_instructions -1",
                                          "total.warp_instructions 18446744073709551616",
                                          "total.warp_instructions 2000000000000000000",
                                          "usage.bound 7",
                                          "usage.busy -0.5",
                                          "usage.busy nan",
                                          "occupancy.limit 4",
                                          "occupancy.fit 1 2 3 4 5",
                                          "to_card -1",
                                          "bytes 99999999999999999999",
                                          "card 0123456789012345678901234567890123456789",
                                          "card \033[2J",
                                          "card_title \302\233m",
                                          "fault +\nfault.message x\nfault.kind 9999",
                                          "fault +\nfault.message x\nfault.kind race",
                                          "fault +\nfault.note 1",
                                          "access +\naccess.space x",
                                          "access +\naccess.kind ra",
                                          "access +\naccess.buffer -2",
                                          "access +\naccess.buffer 16",
                                          "access +\naccess.address 1 2 3",
                                          "line +\nline.line -1",
                                          "result +\nresult.value 1e",
                                          "gpu.sample 1 2 nan",
                                          "output %",
                                          "output %4",
                                          "output %zz",
                                          "output a\noutput b",
                                          "ended 8",
                                          "dump +\ndump.data %0"};
    static const char *const passed_over[] = {"nothing 5",
                                              "",
                                              " ",
                                              " 5",
                                              "cycles.x 5",
                                              "usage 5",
                                              "usage. 5",
                                              "usage.none 5",
                                              "fault.line 5",
                                              "line.line 5",
                                              "result.name x",
                                              "device gpu",
                                              "simulated 1",
                                              "seed 9",
                                              "has_time 1",
                                              ".",
                                              "job 7",
                                              "job -1"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char lines[300];
        snprintf(lines, sizeof lines, "complete 1\njudged 1\n%s%s\ncomplete 1\nstatus 0\n", refused[i],
                 strchr(refused[i], ' ') || strchr(refused[i], '\n') ? "" : " ");
        step_result r = answer(lines);
        check_why(r.refused && r.status == EXIT_INTERNAL && !r.complete && !r.judged && !r.faults &&
                      strstr(r.problem, "the run's answer cannot be right: "),
                  "believed", refused[i]);
        for (const char *p = r.problem; *p; p++)
            check_why((unsigned char)*p >= 32, "a control character is printed", refused[i]);
        step_result_free(&r);
    }
    for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; i++) {
        char lines[300];
        snprintf(lines, sizeof lines, "%s\ncycles 12\ncomplete 1\n", passed_over[i]);
        step_result r = answer(lines);
        check_why(!r.refused && r.complete && r.cycles == 12 && r.bytes == -1 && !r.faults && !r.lines && !r.seed,
                  "not passed over", passed_over[i]);
        step_result_free(&r);
    }
    /* one element more than each list has room for */
    static const char *const lists[] = {"fault +\nfault.message x\n", "line +\n", "access +\n", "result +\n",
                                        "print x\n"};
    static const int most[] = {STEP_FAULTS, STEP_LINES, STEP_TRACE, LESSON_LOCALS, STEP_PRINTS};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int more = 0; more < 2; more++) {
            const size_t each = strlen(lists[i]);
            char *lines = calloc((size_t)most[i] + 2, each);
            for (int n = 0; lines && n < most[i] + more; n++) memcpy(lines + (size_t)n * each, lists[i], each);
            step_result r = answer(lines ? lines : "");
            check_why(r.refused == (more == 1), more ? "more than there is room for" : "as many as there is room for",
                      lists[i]);
            step_result_free(&r);
            free(lines);
        }
    step_result cut = answer("cycles 12\ncomplete 1\nlaunches 1");
    check_why(cut.complete && !cut.launches, "a line that was cut off is believed", "");
    /* of two results, only the one that is answered changes */
    step_result two[2] = {{0}, {0}};
    char jobs[] = "job 0\ncycles nan\njob 1\ncycles 5\ncomplete 1\njob 0\ncomplete 1\n";
    record_read(two, 2, jobs, strlen(jobs));
    check_why(two[0].refused && !two[0].complete && !two[1].refused && two[1].complete && two[1].cycles == 5,
              "jobs are mixed up", "");
    /* random bytes */
    static char noise[4096];
    unsigned state = 1;
    for (int turn = 0; turn < 300; turn++) {
        static const char *const words[] = {"fault", "line", "access", ".",     " ",     "\n",
                                            "+",     "kind", "-1",     "1e308", "usage", "\377"};
        size_t used = 0;
        while (used < sizeof noise - 16) {
            const char *word = words[(state = state * 1103515245u + 12345u) >> 16 & 7 ? (state >> 20) % 12 : 5];
            memcpy(noise + used, word, strlen(word));
            used += strlen(word);
        }
        step_result r = {0};
        record_read(&r, 1, noise, used);
        check_why(r.faults >= 0 && r.faults <= STEP_FAULTS && r.lines <= STEP_LINES && r.accesses <= STEP_TRACE,
                  "noise", "");
        step_result_free(&r);
    }
}

/* What the progress line calls a step. */
static void names(void)
{
    lesson l = {.number = 1, .name = "sum-of-squares"}, program = {.number = 0, .name = "exec"};
    lesson_step v3 = {.name = "v3"}, add = {.name = "add"};
    char out[64];
    check_why(!strcmp(step_called(&(step_request){.l = &l, .s = &v3}, out, sizeof out), "1.v3"), "a lesson's step",
              out);
    check_why(!strcmp(step_called(&(step_request){.l = &program, .s = &add}, out, sizeof out), "exec.add"),
              "a program's kernel", out);
}

int main(void)
{
    there_and_back();
    hostile();
    names();
    return check_end();
}
