/* compile_job.h: one compilation under way; what the files of compile.h share. */
#ifndef COMPILE_JOB_H
#define COMPILE_JOB_H

#include "shell/child.h"
#include "compile.h"
#include "toolkit.h"

#include <limits.h>

/* The private folder, in which compilers run, so that no name of the user's stands on a command
 * line (nvcc hands its own on to a shell). */
#define JOB_SOURCE       "src/kernel.cu" /* a copy of the program; a #line in it gives its name in messages */
#define JOB_HEADERS      "headers"       /* ours */
#define JOB_BESIDE       "beside.ws"     /* a link to the folder that the program lies in; not for sealed ones */
#define JOB_TEMPORARY    "tmp"           /* of the compilers */
#define JOB_PTX          "out.ptx"
#define EMBEDDED_HEADERS "sim/device/" /* where our headers lie in the table of embedded files */

typedef struct job {
    const compile_request *request; /* with its text, whatever it was given */
    compile_result *result;
    const char *name;          /* of the source, for messages and line information */
    char source_dir[PATH_MAX]; /* where it lies, as the user writes it */
    char dir[PATH_MAX];        /* the private folder; "" until something needs it */
    int held;                  /* keeps others from clearing that away */
    int arch;
    struct child_limits limits;
} job;

enum {
    COMPILE_SECONDS = 60,  /* by default */
    SEALED_SECONDS = 20,   /* of processor time */
    SEALED_FILE_MIB = 256, /* of the longest file */
    PTX_MOST = 64 << 20
};
#define COMPILER_MEMORY ((size_t)8 << 30)
#define SEALED_MEMORY   ((size_t)4 << 30)

enum compile_status job_problem(job *j, enum compile_status status, const char *fmt, ...) APP_PRINTF(3, 4);
void job_messages(job *j, const char *text, size_t bytes);
/* What the end of a compiler's process means when it is not that it ran to its end. */
enum compile_status job_ended(job *j, const char *what, const struct child_result *r);

/* compile_nvrtc.c */
enum compile_status compile_by_nvrtc(job *j);
void compile_find_nvrtc(compile_found *f);
/* NVRTC says so when a program holds more than it takes: host functions, launches, the host's
 * headers. */
bool compile_is_host_code(const compile_result *r);

/* compile_private_names.c: names of the private folder, as the user knows them. A new text, or NULL
 * without memory. */
char *compile_line_directive(const char *name);
char *compile_own_messages(const job *j, const char *text);
char *compile_own_ptx(const job *j, const char *ptx, size_t *bytes);

#endif
