/* check.h: counts the cases of a test. Each call is one case; it prints "ok what" or "FAIL what",
 * and gives back whether the case passed.
 *
 *     check(good, "what is right");                  a case with a name
 *     check_that(good, "%d words, shifted by %d", ...); its name is made by a format
 *     check_why(good, "what is right", why);         why it is not, said where it fails
 *     expect(got, wanted, "clocks of a load");       a number
 *     expect_near(got, wanted, 0.5, "clocks");       a number that may be so far off
 *     same("a table", got, wanted);                  a text
 *     skip("a case: %s", "why it cannot run here");
 *     return check_end();                            the last line of main
 *
 * A test without a case fails. isa.h repeats the cases on each instruction set. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
#define CHECK_FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define CHECK_FORMAT(f, a)
#endif

enum { CHECK_SAID = 100 }; /* so many failures are printed, not a million */

static struct {
    unsigned char *bad;     /* per case: it failed */
    size_t at, count, room; /* the next case, their number */
    size_t said, skipped;
    const char *where; /* what every line ends with: the instruction set */
} check_run = {.where = ""};

/* A case of which the caller has said what is to be said. */
static inline bool check_count(bool good)
{
    if (check_run.at == check_run.room) {
        size_t room = check_run.room ? 2 * check_run.room : 1024;
        check_run.bad = realloc(check_run.bad, room);
        if (!check_run.bad) abort();
        memset(check_run.bad + check_run.room, 0, room - check_run.room);
        check_run.room = room;
    }
    check_run.bad[check_run.at++] |= !good;
    if (check_run.count < check_run.at) check_run.count = check_run.at;
    return good;
}

static inline bool check_that(bool good, const char *format, ...) CHECK_FORMAT(2, 3);
static inline bool check_that(bool good, const char *format, ...)
{
    if (good || check_run.said++ < CHECK_SAID) {
        va_list list;
        va_start(list, format);
        printf(good ? "ok " : "FAIL ");
        vprintf(format, list);
        printf("%s\n", check_run.where);
        va_end(list);
    }
    return check_count(good);
}

static inline bool check(bool good, const char *what) { return check_that(good, "%s", what); }

static inline bool check_why(bool good, const char *what, const char *why)
{
    return check_that(good, "%s%s%s", what, good || !*why ? "" : ": ", good ? "" : why);
}

static inline bool expect_near(double got, double wanted, double apart, const char *what)
{
    if (fabs(got - wanted) <= apart || got == wanted) return check_that(true, "%s: %.9g", what, got);
    return check_that(false, "%s: %.17g, not %.17g", what, got, wanted);
}

static inline bool expect(double got, double wanted, const char *what) { return expect_near(got, wanted, 0, what); }

static inline bool same(const char *what, const char *got, const char *wanted)
{
    if (got && !strcmp(got, wanted)) return check(true, what);
    return check_that(false, "%s: got\n%s\nnot\n%s", what, got ? got : "(null)", wanted);
}

static inline void skip(const char *format, ...) CHECK_FORMAT(1, 2);
static inline void skip(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("SKIP ");
    vprintf(format, list);
    putchar('\n');
    va_end(list);
    check_run.skipped++;
}

/* ---- cases that a child process judges ---- */

typedef struct case_counts {
    size_t passed, failed, skipped;
} case_counts;

static inline case_counts check_so_far(void)
{
    case_counts c = {.skipped = check_run.skipped};
    for (size_t i = 0; i < check_run.count; i++) c.failed += check_run.bad[i];
    c.passed = check_run.count - c.failed;
    return c;
}

/* The child begins at 0. */
static inline void check_restart(void)
{
    if (check_run.bad) memset(check_run.bad, 0, check_run.room);
    check_run.at = check_run.count = check_run.skipped = 0;
}

/* The parent adds what the child has counted. */
static inline void check_add(case_counts c)
{
    for (size_t i = 0; i < c.passed; i++) check_count(true);
    for (size_t i = 0; i < c.failed; i++) check_count(false);
    check_run.skipped += c.skipped;
}

/* ---- the end ---- */

/* The line that tests/run.sh reads, and the status of the test. */
static inline int check_line(case_counts c)
{
    printf("%zu passed, %zu failed", c.passed, c.failed);
    if (c.skipped) printf(", %zu skipped", c.skipped);
    putchar('\n');
    return c.failed != 0 || !(c.passed + c.skipped);
}

static inline int check_end(void)
{
    const case_counts c = check_so_far();
    if (check_run.said > CHECK_SAID) printf("and %zu failures more\n", check_run.said - CHECK_SAID);
    free(check_run.bad);
    return check_line(c);
}

#endif
