/* program_libraries.c: where our libcuda and libcudart are. */
#include "program.h"

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
