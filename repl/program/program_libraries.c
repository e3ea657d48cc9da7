/* program_libraries.c: where our libcuda and libcudart are, and a path to them that the dynamic linker takes. */
#include "program.h"
#include "shell/scratch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool program_libraries(char *out, size_t size)
{
    static const char *const places[] = {"lib/warpstep", "../lib/warpstep", "build/release/lib/warpstep"};
    char me[PATH_MAX], test[PATH_MAX], folder[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", me, sizeof me - 1);
    if (n <= 0) return false;
    me[n] = 0;
    *strrchr(me, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (snprintf(folder, sizeof folder, "%s/%s", me, places[i]) >= (int)sizeof folder ||
            snprintf(test, sizeof test, "%s/libcuda.so.1", folder) >= (int)sizeof test || access(test, R_OK) ||
            !realpath(folder, test) || strlen(test) >= size)
            continue;
        strcpy(out, test);
        return true;
    }
    return false;
}

bool program_of_lesson(const char *folder, const char *name, char *out, char *source, size_t size)
{
    char libraries[4000];
    return program_libraries(libraries, sizeof libraries) &&
           snprintf(out, size, "%s/programs/%s/%s", libraries, folder, name) < (int)size &&
           snprintf(source, size, "%s/programs/%s/%s.cu", libraries, folder, name) < (int)size && !access(out, X_OK);
}

/* Blanks, colons and semicolons end a path in LD_PRELOAD and LD_LIBRARY_PATH, $ORIGIN and the like are replaced in it,
 * and nothing quotes them. */
static bool linker_takes(const char *path) { return !strpbrk(path, " \t\n\v\f\r:;$"); }

bool program_way_open(struct program_way *w, const char *libraries)
{
    const char *tmp = getenv("TMPDIR");
    w->held = -1;
    if (linker_takes(libraries)) return snprintf(w->path, sizeof w->path, "%s", libraries) < (int)sizeof w->path;
    if (!tmp || *tmp != '/' || !linker_takes(tmp)) tmp = "/tmp";
    w->held = scratch_make(tmp, w->folder, sizeof w->folder);
    if (w->held < 0) return false;
    if (snprintf(w->path, sizeof w->path, "%s/lib", w->folder) < (int)sizeof w->path && !symlink(libraries, w->path))
        return true;
    program_way_close(w);
    return false;
}

void program_way_close(struct program_way *w)
{
    if (w->held >= 0) scratch_remove(w->folder, w->held);
    w->held = -1;
}
