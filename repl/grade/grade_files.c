/* grade_files.c: finds which file in a student's folder answers which exercise.
 *
 * Files arrive by mail and through browsers, which name a second copy "1.4-barrier (1).cu" and a
 * duplicate "1.4 - Copy.cu". So the number decides: any name that begins with 1.4 and has the
 * exercise's ending, in any case. Among several files, those with the name that `exercise` gives,
 * or copies of it, come first; then the newest; then the plain name; then the last name in
 * alphabetical order. Every file that is not used is listed. */
#include "grade.h"
#include "list.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

const char *const grade_our_files[3] = {"starter", "solution", "other"};

typedef struct candidate {
    const char *name;
    struct stat st;
    int exercise; /* -1: none */
    int rank;     /* 0: the plain name; 1: a copy of it; 2: by its number alone */
} candidate;

static char *text_of(const char *fmt, ...) APP_PRINTF(1, 2);
static char *text_of(const char *fmt, ...)
{
    char text[2600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return strdup(text);
}

static bool leave(grading *g, const char *student, const char *file, char *why)
{
    if (!list_grow(&g->left, (size_t)g->lefts, sizeof *g->left)) {
        free(why);
        return false;
    }
    grade_left *l = &g->left[g->lefts++];
    *l = (grade_left){student, strdup(file), why};
    return l->file && l->why;
}

/* ---- names ---- */

/* What programs append to the name of a copy: "", " (1)", " - copy", "-2". */
static bool is_copy_mark(const char *p, size_t n)
{
    char mark[40];
    size_t used = 0;
    if (n >= sizeof mark) return false;
    for (size_t i = 0; i < n; i++) /* ignore numbers and separators */
        if (isalpha((unsigned char)p[i])) mark[used++] = (char)tolower((unsigned char)p[i]);
        else if (!strchr(" -_()0123456789", p[i])) return false;
    mark[used] = 0;
    return !used || !strcmp(mark, "copy") || !strcmp(mark, "copyof") || !strcmp(mark, "kopie");
}

static bool has_ending(const char *name, size_t n, const char *ending)
{
    size_t e = strlen(ending);
    return n > e && !strncasecmp(name + n - e, ending, e);
}

/* The rank of the name as an answer to `x`; -1: it is not one. */
static int rank_of(const char *name, const exercise *x)
{
    char number[32];
    const char *ending = exercise_ending(x), *own = exercise_name(x);
    size_t n = strlen(name);
    bool twice = has_ending(name, n, ".txt") && has_ending(name, n - 4, ending); /* 1.4.cu.txt, as browsers save it */
    n -= twice ? 4 : 0;
    if (!has_ending(name, n, ending)) return -1;
    n -= strlen(ending);
    while (n && isspace((unsigned char)*name)) name++, n--;
    while (n && isspace((unsigned char)name[n - 1])) n--;
    size_t digits = (size_t)snprintf(number, sizeof number, "%d.%d", x->lesson_number, x->number);
    if (n < digits || strncmp(name, number, digits) || (n > digits && isalnum((unsigned char)name[digits]))) return -1;
    if (n > digits + 1 && name[digits] == '.' && isdigit((unsigned char)name[digits + 1]))
        return -1; /* 1.4.2: a version of something else */
    const char *rest = name + digits;
    size_t left = n - digits, length = strlen(own);
    if (left > length && *rest == '-' && !strncasecmp(rest + 1, own, length)) rest += length + 1, left -= length + 1;
    return !left ? 0 : is_copy_mark(rest, left) ? 1 : 2;
}

/* Is `a` preferred to `b`, both being answers to the same exercise? */
static bool comes_first(const candidate *a, const candidate *b)
{
    const bool by_number[2] = {a->rank == 2, b->rank == 2};
    if (by_number[0] != by_number[1]) return by_number[1];
    if (a->st.st_mtim.tv_sec != b->st.st_mtim.tv_sec) return a->st.st_mtim.tv_sec > b->st.st_mtim.tv_sec;
    if (a->st.st_mtim.tv_nsec != b->st.st_mtim.tv_nsec) return a->st.st_mtim.tv_nsec > b->st.st_mtim.tv_nsec;
    if (a->rank != b->rank) return a->rank < b->rank;
    return strcmp(a->name, b->name) > 0;
}

/* ---- a student's folder ---- */

typedef struct folder {
    struct words names;
    candidate *file;
    int files;
    int taken[MOST_EXERCISES]; /* index of a file per exercise; -1: none */
} folder;

static void folder_free(folder *f)
{
    words_free(&f->names);
    free(f->file);
}

/* 0 or errno. */
static int read_folder(const grading *g, const char *student, folder *f)
{
    char path[2300];
    memset(f, 0, sizeof *f);
    for (int e = 0; e < g->exercises; e++) f->taken[e] = -1;
    snprintf(path, sizeof path, "%s/%s", g->dir, student);
    DIR *d = opendir(path);
    if (!d) return errno;
    for (const struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) words_add(&f->names, e->d_name);
    closedir(d);
    words_sort(&f->names);
    f->file = calloc((size_t)f->names.count + 1, sizeof *f->file);
    if (f->names.failed || !f->file) return ENOMEM;
    for (int i = 0; i < f->names.count; i++) {
        candidate *c = &f->file[f->files++];
        char file[2600];
        *c = (candidate){.name = f->names.v[i], .exercise = -1};
        snprintf(file, sizeof file, "%s/%s", path, c->name);
        if (lstat(file, &c->st)) continue;
        for (int e = 0; e < g->exercises && c->exercise < 0; e++)
            if ((c->rank = rank_of(c->name, g->exercise[e].x)) >= 0) c->exercise = e;
        if (c->exercise < 0) continue;
        int *taken = &f->taken[c->exercise];
        if (*taken < 0 || comes_first(c, &f->file[*taken])) *taken = i;
    }
    return 0;
}

/* A program that runs can write its own report: no verdict on it counts. */
static bool is_program(const grading *g, int number)
{
    return number >= 0 && !g->exercise[number].x->kind->form->graded;
}

static char *why_left(const grading *g, const folder *f, const candidate *c)
{
    if (is_program(g, c->exercise)) return strdup("not graded: a program");
    if (c->exercise >= 0) {
        const candidate *taken = &f->file[f->taken[c->exercise]];
        bool name = (taken->rank == 2) != (c->rank == 2);
        bool time =
            taken->st.st_mtim.tv_sec != c->st.st_mtim.tv_sec || taken->st.st_mtim.tv_nsec != c->st.st_mtim.tv_nsec;
        return text_of("%s is taken for %s: %s", taken->name, g->exercise[c->exercise].id,
                       name   ? "it is called as that exercise is"
                       : time ? "it is newer"
                              : "both are of one time");
    }
    return S_ISDIR(c->st.st_mode) ? strdup("a folder") : strdup("called as no exercise");
}

/* Lists the files that are not used, except answers to exercises that are not being graded. */
static bool name_rest(grading *g, const char *student, const folder *f)
{
    for (int i = 0; i < f->files; i++) {
        const candidate *c = &f->file[i];
        bool other = c->exercise >= 0 && (f->taken[c->exercise] == i || !g->exercise[c->exercise].wanted);
        other = other && !is_program(g, c->exercise);
        if (!other && !leave(g, student, c->name, why_left(g, f, c))) return false;
    }
    return true;
}

static bool add_job(grading *g, const char *student, grade_exercise *e, const char *file)
{
    grade_job *j = &g->job[g->jobs++];
    *j = (grade_job){.student = student, .shown = student, .e = e};
    if (!file) return true;
    j->file = strdup(file);
    j->path = text_of("%s/%s/%s", g->dir, student, file);
    return j->file && j->path;
}

/* ---- the class ---- */

static bool is_result(const char *name)
{
    return !strncmp(name, ".warpstep-", 10) || (!strncmp(name, "grades", 6) && strchr(".-", name[6]) && name[6]);
}

static int add_students(grading *g)
{
    DIR *d = opendir(g->dir);
    bool good = true;
    if (!d) return app_fail(g->app, EXIT_USAGE, NULL, "%s cannot be read: %s", g->dir, strerror(errno));
    for (const struct dirent *e; (e = readdir(d));) {
        char path[2600];
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        bool hidden = e->d_name[0] == '.';
        bool fits = (size_t)snprintf(path, sizeof path, "%s/%s", g->dir, e->d_name) < 2048;
        if (fits && !hidden && lstat(path, &st) == 0 &&
            S_ISDIR(st.st_mode)) /* a link would lead out of the class's folder */
            words_add(&g->students, e->d_name);
        else if (!is_result(e->d_name))
            good = leave(g, NULL, e->d_name, strdup(hidden ? "hidden" : "no student's folder")) && good;
    }
    closedir(d);
    words_sort(&g->students);
    if (g->students.failed || !good) return app_no_memory(g->app);
    return g->students.count
               ? 0
               : app_fail(g->app, EXIT_USAGE, NULL, "%s holds no folders: there is to be one for each student", g->dir);
}

/* Reads all students' folders, even for a single part: they determine the exercises, so that each
 * part judges the same ones. */
static int read_folders(grading *g, bool named, folder *f)
{
    for (int s = 0; s < g->students.count; s++) {
        int why = read_folder(g, g->students.v[s], &f[s]);
        if (why)
            return app_fail(g->app, EXIT_INTERNAL, NULL, "%s/%s cannot be read: %s", g->dir, g->students.v[s],
                            strerror(why));
        for (int e = 0; e < g->exercises && !named; e++)
            g->exercise[e].wanted = g->exercise[e].wanted || (f[s].taken[e] >= 0 && !is_program(g, e));
    }
    size_t wanted = 0;
    for (int e = 0; e < g->exercises; e++) wanted += g->exercise[e].wanted;
    if (!wanted)
        return app_fail(g->app, EXIT_USAGE, "help grade", "nobody handed in an answer (a file such as %s/NAME/1.2.cu)",
                        g->dir);
    g->job = calloc((size_t)g->students.count * wanted, sizeof *g->job);
    bool good = g->job != NULL;
    for (int s = 0; s < g->students.count && good; s++) {
        if (g->parts && s % g->parts != g->part) continue;
        g->judged_students++;
        good = name_rest(g, g->students.v[s], &f[s]);
        for (int e = 0; e < g->exercises && good; e++)
            if (g->exercise[e].wanted)
                good = add_job(g, g->students.v[s], &g->exercise[e],
                               f[s].taken[e] < 0 ? NULL : f[s].file[f[s].taken[e]].name);
    }
    return good ? 0 : app_no_memory(g->app);
}

int grade_find(grading *g, bool named)
{
    int status = add_students(g);
    folder *f = status ? NULL : calloc((size_t)g->students.count, sizeof *f);
    if (!status && !f) status = app_no_memory(g->app);
    if (!status) status = read_folders(g, named, f);
    for (int s = 0; f && s < g->students.count; s++) folder_free(&f[s]);
    free(f);
    return status;
}
