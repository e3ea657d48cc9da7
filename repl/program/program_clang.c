/* program_clang.c: from one source to one object, and from objects to a program, by clang with headers of
 * ours (sim/cuda/include, sim/device). The object holds the kernels' PTX as text. */
#include "program_clang.h"
#include "device/toolkit.h"

#include <string.h>

enum { CLANG_LEAST = 35, CLANG_MOST = 86 /* what clang 14 knows */ };

/* What clang does not need to be told, or takes under another name. 1: `*flag` is to be taken; 0: not;
 * -1: with the next one. */
static int clang_flag(const char **flag, const char *next)
{
    static const char *const plain[] = {"-I",    "-D",       "-U", "-l", "-L", "-O",
                                        "-std=", "-include", "-g", "-w", "-W", "-pthread"};
    if (!strcmp(*flag, "-Xcompiler") || !strcmp(*flag, "--compiler-options")) {
        *flag = next ? next : "";
        return *next ? 2 : 1;
    }
    if (!strncmp(*flag, "-Xcompiler=", 11)) {
        *flag += 11;
        return 1;
    }
    if (!strncmp(*flag, "--std=", 6)) {
        (*flag)++;
        return 1;
    }
    if (!strcmp(*flag, "-G")) return 0;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strncmp(*flag, plain[i], strlen(plain[i])) && strncmp(*flag, "-lineinfo", 9)) return 1;
    return 0;
}

/* One source to one object. */
int clang_object(struct app *app, const char *clang, const char *libraries, const struct program_compile *c,
                 const char *source, const char *ptx, const char *object, const char *rule)
{
    const bool kernels = program_ends(source, ".cu");
    for (int pass = !kernels, status; pass < (object ? 2 : 1); pass++) {
        struct words args = {0};
        words_add(&args, clang);
        static const char *const first[] = {"-x",
                                            "cuda",
                                            "-nocudainc",
                                            "-nocudalib",
                                            "--cuda-path=/nonexistent",
                                            "-Wno-unknown-cuda-version",
                                            "-DWARPSTEP_PROGRAM=1",
                                            "-O2",
                                            "-std=c++17",
                                            "-ffp-contract=fast",
                                            "-gline-tables-only"};
        for (size_t i = 0; i < sizeof first / sizeof *first; i++) words_add(&args, first[i]);
        for (int i = 0; i < c->flags.count; i++) {
            const char *flag = c->flags.v[i];
            const int takes = clang_flag(&flag, i + 1 < c->flags.count ? c->flags.v[i + 1] : "");
            if (takes && strncmp(flag, "-l", 2) && strncmp(flag, "-L", 2)) words_add(&args, flag);
            if (program_flag(c->flags.v[i]) == 1 && takes == 1 && i + 1 < c->flags.count)
                words_add(&args, c->flags.v[i + 1]);
            i += program_flag(c->flags.v[i]) == 1;
        }
        toolkit_add(&args, "-isystem%s/include/clang", libraries);
        toolkit_add(&args, "-idirafter%s/include/helpers", libraries);
        words_add(&args, "-include");
        words_add(&args, "warpstep.h");
        if (!pass) {
            const int arch = c->compute < CLANG_LEAST ? CLANG_LEAST : c->compute > CLANG_MOST ? CLANG_MOST : c->compute;
            words_add(&args, "--cuda-device-only");
            toolkit_add(&args, "--cuda-gpu-arch=sm_%d", arch);
            static const char *const device[] = {"-Xclang", "-target-feature", "-Xclang", "+ptx71", "-S", "-o"};
            for (size_t i = 0; i < sizeof device / sizeof *device; i++) words_add(&args, device[i]);
            words_add(&args, ptx);
        } else {
            words_add(&args, "--cuda-host-only");
            static const char *const host[] = {"-Xclang", "-target-sdk-version=11.2", "-Xclang",
                                               "-fcuda-include-gpubinary", "-Xclang"};
            for (size_t i = 0; kernels && i < sizeof host / sizeof *host; i++) words_add(&args, host[i]);
            if (kernels) words_add(&args, ptx);
            words_add(&args, "-w"); /* it has warned already */
            words_add(&args, "-MD");
            toolkit_add(&args, "-MF%s", rule);
            words_add(&args, "-c");
            words_add(&args, "-o");
            words_add(&args, object);
        }
        words_add(&args, source);
        status = program_compiler(app, c, "clang", source, &args);
        words_free(&args);
        if (status) return status;
    }
    return 0;
}

int clang_link(struct app *app, const char *clang, const char *libraries, const struct program_compile *c,
               const struct words *objects, const char *to)
{
    struct words args = {0};
    words_add(&args, clang);
    words_add(&args, "--driver-mode=g++");
    for (int i = 0; i < objects->count; i++) words_add(&args, objects->v[i]);
    toolkit_add(&args, "-o%s", to);
    for (int i = 0; i < c->flags.count; i++) {
        const char *flag = c->flags.v[i];
        const int takes = clang_flag(&flag, i + 1 < c->flags.count ? c->flags.v[i + 1] : "");
        if (takes && (!strncmp(flag, "-l", 2) || !strncmp(flag, "-L", 2) || !strncmp(flag, "-f", 2) ||
                      !strcmp(flag, "-pthread"))) {
            words_add(&args, flag);
            if (program_flag(c->flags.v[i]) == 1 && takes == 1 && i + 1 < c->flags.count)
                words_add(&args, c->flags.v[i + 1]);
        }
        i += program_flag(c->flags.v[i]) == 1;
    }
    toolkit_add(&args, "-L%s", libraries);
    static const char *const last[] = {"-l:libcudart.so.12", "-Wl,--allow-shlib-undefined", "-pthread", "-lm"};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) words_add(&args, last[i]);
    const int status = program_compiler(app, c, "clang", to, &args);
    words_free(&args);
    return status;
}
