/* new_lesson.c: `new-lesson NAME` writes a lesson that runs, to be changed into another. Its files are those
 * of repl/author/skeleton, which are built in. It never writes over what is there. */
#include "author.h"
#include "session/session.h"
#include "shell/embedded.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char skeleton[] = "repl/author/skeleton/", title[] = "@TITLE@";
enum { FIRST_OWN = 20 /* the program's own lessons have lower numbers */ };

/* The first number that neither a lesson nor a folder here has. */
static int free_number(struct app *app, const char *dir)
{
    int number = FIRST_OWN;
    for (bool taken = true; taken; number += taken) {
        taken = false;
        for (int i = 0; i < app->lesson->list.count && !taken; i++) taken = app->lesson->list.entry[i].number == number;
        DIR *d = opendir(dir);
        for (const struct dirent *e; d && !taken && (e = readdir(d));)
            taken = lesson_folder_number(e->d_name) == number;
        if (d) closedir(d);
    }
    return number;
}

/* Makes the folders of `path` below `base` characters. */
static bool make_folders(char *path, size_t base)
{
    for (char *p = path + base; (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        const bool good = mkdir(path, 0777) == 0 || errno == EEXIST;
        *p = good ? 0 : '/';
        if (!good) return false;
    }
    return true;
}

static bool write_one(const char *path, const embedded_file *f, const char *name)
{
    FILE *to = fopen(path, "wx");
    if (!to) return false;
    const char *at = strstr(f->text, title);
    const size_t before = at ? (size_t)(at - f->text) : f->bytes;
    bool good = fwrite(f->text, 1, before, to) == before;
    if (at) {
        good = good && fprintf(to, "%c%s", toupper((unsigned char)name[0]), name + 1) > 0;
        at += strlen(title);
        const size_t rest = f->bytes - (size_t)(at - f->text);
        good = good && fwrite(at, 1, rest, to) == rest;
    }
    return fclose(to) == 0 && good;
}

/* A word for a folder: letters, digits and dashes. */
static bool good_name(const char *name)
{
    if (!isalnum((unsigned char)name[0]) || strlen(name) > 40) return false;
    while (*name && (isalnum((unsigned char)*name) || *name == '-')) name++;
    return !*name;
}

int new_lesson_run(struct app *app, int argc, char **argv)
{
    char folder[1200], path[1400];
    if (argc < 2 || argc > 3)
        return app_fail(app, EXIT_USAGE, "help new-lesson", "new-lesson takes a name, and perhaps a folder");
    const char *name = argv[1], *dir = argc > 2 ? argv[2] : ".";
    if (!good_name(name))
        return app_fail(app, EXIT_USAGE, "new-lesson saxpy",
                        "a lesson's name is of letters, digits and dashes, 40 at most, not \"%s\"", name);
    int status = session_lessons(app), number = lesson_folder_number(name);
    if (status) return status;
    const char *words = number < 0 ? name : strchr(name, '-') + 1;
    if (number < 0) number = free_number(app, dir);
    const char *slash = !strcmp(dir, ".") ? "" : "/";
    int n = snprintf(folder, sizeof folder, "%s%s%02d-%s", *slash ? dir : "", slash, number, words);
    if (n < 0 || (size_t)n > 1000) return app_fail(app, EXIT_USAGE, NULL, "the folder's name is too long");
    if (mkdir(folder, 0777))
        return app_fail(app, EXIT_USAGE, errno == EEXIST ? "new-lesson with another name" : NULL,
                        "%s cannot be made: %s", folder, strerror(errno));
    int files = 0;
    for (const embedded_file *f = embedded_files; f->name; f++) {
        if (strncmp(f->name, skeleton, strlen(skeleton))) continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->name + strlen(skeleton));
        if (!make_folders(path, strlen(folder) + 1) || !write_one(path, f, words))
            return app_fail(app, EXIT_INTERNAL, NULL, "%s cannot be written: %s", path, strerror(errno));
        files++;
    }
    doc d = doc_open(app);
    doc_data(&d, "new_lesson", "lesson %d, folder %s, files %d", number, folder, files);
    doc_say(&d, 0, "%s is a lesson of two steps and an exercise; lesson.txt says what each line is for. Next:", folder);
    doc_gap(&d);
    doc_line(&d, "  warpstep --lessons %s lesson %d next", folder, number);
    doc_line(&d, "  warpstep --lessons %s watch-lesson %d      runs what you save", folder, number);
    doc_line(&d, "  warpstep --lessons %s check-lessons %d     holds it to what it says", folder, number);
    return EXIT_DONE;
}
