/* helper_string.h: what the header of this name that comes with NVIDIA's samples offers, in our own
 * words, for programs that are compiled without it: options of the command line, and finding files. */
#ifndef WARPSTEP_HELPER_STRING_H
#define WARPSTEP_HELPER_STRING_H
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

/* What stands behind the dashes of an option, if it is `name`: "" or "=VALUE"; else NULL. */
static inline const char *warpstep_option(const char *word, const char *name)
{
    while (*word == '-') word++;
    const size_t n = strlen(name);
    return !strncasecmp(word, name, n) && (!word[n] || word[n] == '=' || word[n] == ':') ? word + n : NULL;
}
static inline bool checkCmdLineFlag(const int argc, const char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' && warpstep_option(argv[i], name)) return true;
    return false;
}
static inline bool getCmdLineArgumentString(const int argc, const char **argv, const char *name, char **value)
{
    for (int i = 1; i < argc; i++) {
        const char *after = argv[i][0] == '-' ? warpstep_option(argv[i], name) : NULL;
        if (!after || !*after) continue;
        *value = (char *)after + 1;
        return true;
    }
    return false;
}
static inline int getCmdLineArgumentInt(const int argc, const char **argv, const char *name)
{
    char *value;
    return getCmdLineArgumentString(argc, argv, name, &value) ? atoi(value) : 0;
}
static inline float getCmdLineArgumentFloat(const int argc, const char **argv, const char *name)
{
    char *value;
    return getCmdLineArgumentString(argc, argv, name, &value) ? (float)atof(value) : 0;
}
/* The path of a file that lies here, beside the program, or in a folder "data" of either; NULL: it does
 * not. The caller frees it. */
static inline char *sdkFindFilePath(const char *name, const char *program)
{
    std::string beside = program ? program : "";
    beside.erase(beside.find_last_of('/') == std::string::npos ? 0 : beside.find_last_of('/') + 1);
    const std::string places[] = {"./", "./data/", beside, beside + "data/", "../", "../data/"};
    for (const std::string &place : places) {
        const std::string path = place + name;
        FILE *f = fopen(path.c_str(), "rb");
        if (!f) continue;
        fclose(f);
        return strdup(path.c_str());
    }
    return NULL;
}
#endif
