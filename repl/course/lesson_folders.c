/* lesson_folders.c: finds lessons: folders NN-name with a lesson.txt. */
#include "lesson.h"
#include "list.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int by_number(const void *a, const void *b)
{
    const lesson_entry *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : strcmp(x->folder, y->folder);
}

int lesson_folder_number(const char *name)
{
    const char *p = name;
    int number = 0;
    while (isdigit((unsigned char)*p) && number < 100000) number = number * 10 + (*p++ - '0');
    return p == name || *p != '-' || !p[1] || strlen(name) >= sizeof((lesson_entry *)0)->folder ? -1 : number;
}

/* Adds DIR/NAME, if it is a lesson. 0 or errno. */
static int add(lesson_list *out, const char *dir, const char *name)
{
    struct stat st;
    lesson_entry new = {.number = lesson_folder_number(name)};
    if (new.number < 0 || out->count >= 1000) return 0;
    snprintf(new.folder, sizeof new.folder, "%.63s", name);
    if ((size_t)snprintf(new.path, sizeof new.path, "%s/%.63s/lesson.txt", dir, name) >= sizeof new.path ||
        stat(new.path, &st))
        return 0;
    if (!list_grow(&out->entry, (size_t)out->count, sizeof *out->entry)) return ENOMEM;
    out->entry[out->count++] = new;
    return 0;
}

/* DIR itself is a lesson's folder: its name is the last part of its path. */
static int find_one(lesson_list *out, const char *dir)
{
    char whole[PATH_MAX];
    if (!realpath(dir, whole)) return errno;
    char *slash = strrchr(whole, '/');
    if (!slash || slash == whole) return 0;
    *slash = 0;
    return add(out, whole, slash + 1);
}

int lesson_find(lesson_list *out, const char *dir)
{
    memset(out, 0, sizeof *out);
    char path[1100];
    struct stat st;
    if ((size_t)snprintf(path, sizeof path, "%s/lesson.txt", dir) < sizeof path && stat(path, &st) == 0)
        return find_one(out, dir);
    DIR *d = opendir(dir);
    if (!d) return errno;
    int failure = 0;
    for (const struct dirent *e; !failure && (e = readdir(d));) failure = add(out, dir, e->d_name);
    closedir(d);
    if (out->count) qsort(out->entry, (size_t)out->count, sizeof *out->entry, by_number);
    return failure;
}

/* `real`: the lesson's folder. */
static char *link_out(const char *real, const char *folder, int depth)
{
    char *found = NULL;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && !found && (e = readdir(d));) {
        char path[PATH_MAX], leads[PATH_MAX];
        struct stat st;
        const size_t n = strlen(real);
        if (e->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path ||
            lstat(path, &st))
            continue;
        if (S_ISDIR(st.st_mode) && depth > 0) found = link_out(real, path, depth - 1);
        if (!S_ISLNK(st.st_mode) || !realpath(path, leads)) continue;
        if (strncmp(leads, real, n) || leads[n] != '/') found = strdup(path);
    }
    if (d) closedir(d);
    return found;
}

char *lesson_link_out(const char *folder)
{
    enum { DEEP = 3 }; /* exercises/NAME/FILE is the deepest that is read */
    char real[PATH_MAX];
    return realpath(folder, real) ? link_out(real, real, DEEP) : NULL;
}

void lesson_list_free(lesson_list *list)
{
    free(list->entry);
    memset(list, 0, sizeof *list);
}

int lesson_list_add(lesson_list *list, const lesson_list *own)
{
    for (int i = 0; i < own->count; i++) {
        lesson_entry new = own->entry[i];
        int at = 0;
        new.own = true;
        while (at < list->count && list->entry[at].number != new.number) at++;
        if (at == list->count) {
            if (!list_grow(&list->entry, (size_t)at, sizeof *list->entry)) return ENOMEM;
            list->count++;
        } else if (!list->entry[at].own || strcmp(list->entry[at].folder, new.folder)) {
            const lesson_entry *old = &list->entry[at];
            snprintf(new.took, sizeof new.took, "%s", old->own && old->took[0] ? old->took : old->folder);
        }
        list->entry[at] = new;
    }
    if (list->count) qsort(list->entry, (size_t)list->count, sizeof *list->entry, by_number);
    return 0;
}
