/* compile_job.h: a compilation in progress, shared by the files compile*.c. */
#ifndef COMPILE_JOB_H
#define COMPILE_JOB_H

#include "shell/child.h"
#include "compile.h"
#include "toolkit.h"

#include <limits.h>

/* The private folder in which compilers run. It keeps the user's names off command lines, as nvcc
 * passes its own on to a shell. */
#define JOB_SOURCE       "src/kernel.cu" /* a copy of the program; a #line gives its real name for messages */
#define JOB_HEADERS      "headers"       /* our device headers */
#define JOB_BESIDE       "beside.ws"     /* a link to the program's own folder; absent when sealed */
#define JOB_TEMPORARY    "tmp"           /* for the compilers' temporary files */
#define JOB_PTX          "out.ptx"
#define EMBEDDED_HEADERS "sim/device/" /* where our headers are in the table of embedded files */

typedef struct job {
    const compile_request *request; /* always with the text, also when a file was given */
    compile_result *result;
    const char *name;          /* of the source, for messages and line information */
    char source_dir[PATH_MAX]; /* its folder, as the user writes it */
    char dir[PATH_MAX];        /* the private folder; "" until it is needed */
    int held;                  /* lock that keeps other processes from removing it */
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
/* The status for a compiler's process that did not end by itself. */
enum compile_status job_ended(job *j, const char *what, const struct child_result *r);

/* Compute 9.0 has instructions that no later card has: its PTX is for 9.0a, of CUDA 12 and later. */
enum { ARCH_90A = 90, CUDA_OF_90A = 12, CLANG_OF_90A = 18 };

/* compile_retarget.c: PTX that clang made for compute 8.6, for compute 9.0a. A new text; NULL: no memory. */
char *compile_retarget(const char *ptx, size_t *bytes);

/* compile_nvrtc.c */
enum compile_status compile_by_nvrtc(job *j);
void compile_find_nvrtc(compile_found *f);
/* Did NVRTC refuse the program for host functions, launches or host headers? */
bool compile_is_host_code(const compile_result *r);

/* compile_private_names.c: replaces names of the private folder by the user's. A new text, or NULL
 * when memory ran out. */
char *compile_line_directive(const char *name);
char *compile_own_messages(const job *j, const char *text);
char *compile_own_ptx(const job *j, const char *ptx, size_t *bytes);

#endif
