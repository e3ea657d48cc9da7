/* compile.c: the compile stage alone, as if no check had seen the answer before. An answer cannot
 * read another student's file, with each way of hiding files that this kernel has and with each
 * compiler that is here. */
#define _GNU_SOURCE
#include "device/compile.h"
#include "shell/seal.h"
#include "device/toolkit.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char theirs[] = "__global__ void k(int *p) { p[0] = 8675309; }\n";

/* Compiles a text in which %s is the path of the other student's file. */
static enum compile_status compile(const char *compiler, const char *text, bool sealed, compile_result *r)
{
    compile_request q = {
        .path = "answer.cu", .text = text, .text_bytes = strlen(text), .compiler = compiler, .sealed = sealed};
    return compile_ptx(&q, r);
}

static bool shows(const compile_result *r)
{
    return strstr(r->messages, "8675309") || (r->ptx && strstr(r->ptx, "8675309"));
}

static void cannot_read(const char *way, const char *compiler, const char *file)
{
    static const char *const spellings[] = {
        "#include \"%s\"\n",
        "#include </proc/self/root%s>\n",
        "#define FILE \"%s\"\n#include FILE\n",
        "#if __has_include(\"%s\")\n__global__ void k(int *p) { p[0] = 8675309; }\n#endif\n"
        "__global__ void other() {}\n",
        "#pragma GCC dependency \"%s\"\n#error here\n",
        "#line 1 \"%s\"\n#error here\n",
        "# 1 \"%s\"\n#error here\n",
    };
    char text[1000], what[1200];
    compile_result r;
    enum compile_status plain;
    snprintf(text, sizeof text, "__global__ void own(int *p) { p[0] = 1; }\n#include \"%s\"\n", file);
    plain = compile(compiler, text, false, &r);
    bool there = plain == COMPILE_DONE && shows(&r);
    if (plain == COMPILE_NO_COMPILER) {
        skip("%s by %s: not here", compiler, way);
        compile_free(&r);
        return;
    }
    snprintf(what, sizeof what, "%s reads the file where nothing is sealed: %s", compiler, r.messages);
    check(there, what);
    compile_free(&r);
    plain = compile(compiler, "__global__ void own(int *p) { p[0] = 1; }\n", true, &r);
    snprintf(what, sizeof what, "%s by %s: an answer compiles: %s%s", compiler, way, r.messages, r.problem);
    check(plain == COMPILE_DONE && r.ptx && strstr(r.ptx, ".entry"), what);
    compile_free(&r);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const char *at = strstr(spellings[i], "%s");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - spellings[i]), spellings[i], file, at + 2);
        plain = compile(compiler, text, true, &r);
        snprintf(what, sizeof what, "%s by %s: the other's file stays unread (%d): %s%s", compiler, way, (int)plain,
                 text, r.messages);
        check((plain == COMPILE_REJECTED || plain == COMPILE_DONE) && !shows(&r), what);
        compile_free(&r);
    }
}

/* Makes PATH lead to a script that calls nvcc, and no longer to nvcc itself. */
static bool only_a_script(const char *folder)
{
    char nvcc[4096], script[300], path[400];
    if (!toolkit_nvcc(nvcc, sizeof nvcc)) return false;
    snprintf(script, sizeof script, "%s/nvcc", folder);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    FILE *f = fopen(script, "w");
    if (!f || fprintf(f, "#!/bin/sh\nexec '%s' \"$@\"\n", nvcc) < 0 || fclose(f)) return false;
    return !chmod(script, 0755) && !setenv("PATH", path, 1);
}

int main(void)
{
    static const struct {
        const char *name, *variable;
        enum seal_files is;
    } ways[] = {{"Landlock", "", SEAL_FILES_LANDLOCK}, {"mounts", "mounts", SEAL_FILES_MOUNTS}};
    static const char *const compilers[] = {"nvrtc", "nvcc", "clang"};
    char folder[256], file[300];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.200s/warpstep-theirs-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/other.cu", folder);
    FILE *f = fopen(file, "w");
    if (!f || fputs(theirs, f) < 0 || fclose(f)) return 1;
    for (int i = 0; i < 2; i++) { /* a process each: the way of hiding files is found once per process */
        case_counts counts;
        int status = 0, pipes[2];
        if (pipe(pipes)) return 1;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            check_restart();
            setenv("WARPSTEP_SEAL", ways[i].variable, 1);
            if (seal_files() != ways[i].is) {
                skip("by %s: this kernel does not let us", ways[i].name);
            } else {
                for (int c = 0; c < 3; c++) cannot_read(ways[i].name, compilers[c], file);
                if (only_a_script(folder))
                    cannot_read(i ? "mounts and a script" : "Landlock and a script", "nvcc", file);
            }
            fflush(stdout);
            counts = check_so_far();
            _exit(write(pipes[1], &counts, sizeof counts) != (ssize_t)sizeof counts);
        }
        close(pipes[1]);
        bool told = read(pipes[0], &counts, sizeof counts) == (ssize_t)sizeof counts;
        close(pipes[0]);
        waitpid(pid, &status, 0);
        if (told) check_add(counts);
        else check(false, "the child ends");
    }
    unlink(file);
    snprintf(file, sizeof file, "%s/nvcc", folder);
    unlink(file);
    rmdir(folder);
    return check_end();
}
