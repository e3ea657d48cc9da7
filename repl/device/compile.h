/* compile.h: compiles CUDA C to PTX, with whichever compiler is installed.
 *
 * NVRTC comes first (loaded at run time, never linked), then nvcc, then clang with our own device
 * headers (sim/device/). NVRTC gets those headers too when the toolkit's are absent.
 * WARPSTEP_COMPILER=nvrtc|nvcc|clang|none or the request selects one. Compilers run in a child with
 * limits, without a shell; they write to a private folder that is removed afterwards. Only these
 * files (compile*.c) run compilers. They print nothing. */
#ifndef COMPILE_H
#define COMPILE_H

#include "shell/app.h"

typedef struct compile_request {
    const char *path; /* the CUDA C file ... */
    const char *text; /* ... or its text (then `path` is only its name in messages); else NULL */
    size_t text_bytes;
    int arch;             /* 75 is compute_75, as is 0 */
    const char *compiler; /* "nvrtc", "nvcc", "clang", "none"; NULL: WARPSTEP_COMPILER, else the first that is found */
    const char *const *defines; /* "TILE=16" ..., ends with NULL; or NULL */
    bool fast_math;             /* as --use_fast_math */
    double seconds;             /* time limit; 0: 60 */
    bool sealed;                /* untrusted code: no includes from its own folder, and tighter limits */
} compile_request;

/* The first clang that can make PTX. */
bool compile_clang(char *where, size_t size);
/* The nvcc that finally runs: the one in PATH may be a script that calls it. */
bool compile_nvcc_itself(const char *nvcc, char *where, size_t size);

enum compile_status {
    COMPILE_DONE,
    COMPILE_REJECTED,    /* the compiler refused the program: see messages */
    COMPILE_NO_COMPILER, /* none found, or the one asked for is not there: see problem */
    COMPILE_FAILED,      /* the compiler or we failed: crash, time, memory, an unreadable file: see problem */
    COMPILE_INTERRUPTED  /* Ctrl-C */
};

typedef struct compile_result {
    enum compile_status status;
    char *ptx; /* NUL-terminated */
    size_t ptx_bytes;
    char *messages;     /* the compiler's own output, unchanged, may be ""; never NULL after compile_ptx */
    char compiler[160]; /* "nvcc 13.0.88", "NVRTC 13.0", "Debian clang version 14.0.6" */
    char problem[512];  /* a sentence unless DONE or REJECTED */
    char advice[512];   /* what to do about it, may be "" */
    bool host_code;     /* only NVRTC is here, and it refused the program for host code or host headers */
    double seconds;     /* how long it took */
} compile_result;

enum compile_status compile_ptx(const compile_request *request, compile_result *result);
void compile_free(compile_result *result);

/* compile_blame.c: the reason for a refusal. `name` is the program's; `line` gets the compiler's
 * message. */
enum compile_blame {
    COMPILE_BLAMES, /* a line of the program */
    COMPILE_SILENT, /* no line of the program is named */
    COMPILE_LACKS,  /* the compiler lacked something: memory, room on a disk */
    COMPILE_KILLED  /* a part of the compiler was killed */
};
enum compile_blame compile_blame(const compile_result *r, const char *name, char *line, size_t size);

/* host_code.c: overwrites main, or all host functions, with blanks. Returns how many there were. */
int compile_cut_host_code(char *text, size_t bytes, bool only_main);

/* The compilers here, for `doctor`: a row per compiler, found or not, in the order of
 * preference. */
typedef struct compile_found {
    const char *kind; /* "nvrtc", "nvcc", "clang" */
    bool usable;
    char where[512];   /* path of the library or program */
    char version[160]; /* or why it cannot be used */
} compile_found;
enum { COMPILE_KINDS = 3 };
void compile_find(compile_found found[COMPILE_KINDS]);

#endif
