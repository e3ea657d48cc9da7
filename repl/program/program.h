/* program.h: whole CUDA programs: where their libraries are, building one from its source, running it
 * with the simulated card in the GPU's place, and what it did, as its libraries told it. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "shell/app.h"
#include "cuda/records.h"
#include "shell/words.h"
#include "sim.h"

struct program_options {
    struct device device;
    const char *card_text;
    int cards;
    unsigned checks;
    bool silent;               /* accesses that a card lets pass are not reported */
    bool events, lines, exact; /* tell each operation; count by line; time every launch and block */
    const char *time;          /* "measured", "repeatable", "none" */
    double limit;              /* seconds of real time; 0: none */
    int snapshots;             /* the file for launches that are kept (program_snapshots.h); -1: none are */
    bool counts;               /* tell what the kernels did with memory */
    uint64_t budget;           /* warp instructions of its kernels together; 0: no limit */
    uint64_t spoil;            /* a word that each kernel wrote is changed, drawn from this; 0: none is */
    bool quiet;                /* it has no terminal and no input; its output goes to ... */
    int output;                /* ... this file descriptor, */
    int errors, input;         /* what it writes to stderr to this one, its input is this one; 0: neither */
    bool sealed;               /* and it starts no process, changes no file, and has limits: */
    double cpu_seconds;        /* 0: none */
    const char *file;          /* what runs, where argv[0] is a name for it; NULL: argv[0] */
};

/* ---- the libraries (program_libraries.c) ---- */
/* The folder of our libcuda and libcudart. False: they are not there. */
bool program_libraries(char *out, size_t size);
/* A path to that folder for LD_PRELOAD: itself, or a link to it in a private folder where its name would be split. */
struct program_way {
    char path[4096], folder[4000];
    int held;
};
bool program_way_open(struct program_way *w, const char *libraries); /* false: errno says why */
void program_way_close(struct program_way *w);
/* The program of a lesson's step that `make` built from lessons' FOLDER and NAME.cu, and the source that it was built
 * from, beside it. False: there is none. */
bool program_of_lesson(const char *folder, const char *name, char *out, char *source, size_t size);

/* ---- building (program_build.c) ---- */
bool program_is_source(const char *path); /* .cu, or several joined by commas */
/* Of such a list: the length of the first name. A comma in the path of a file that exists ends nothing. */
size_t program_first(const char *list);
/* Why there is no program, where nothing is to be printed. */
struct program_refusal {
    bool refused, absent; /* a compiler read it and does not take it; there is no compiler. Else: a shortage */
    char compiler[16], message[400];
    char *says; /* the compiler's own words; owned, or NULL */
};
struct program_compile {
    struct words sources, flags;
    int compute;                     /* 90 */
    struct program_refusal *refusal; /* NULL: a failure is printed */
    bool once;                       /* what is built is not kept for another time */
    /* Untrusted code: its compilers see their own files, the sources (whose paths begin with "/") and the folder that
     * they work in, where this machine can hide files (shell/seal.h). */
    bool sealed;
    const struct child_limits *limits; /* of its compilers: program_build's own matter */
};
/* A word that is a flag for the compiler: how many words belong to it beside itself; -1: it is none. */
int program_flag(const char *word);
struct program_built {
    char path[4096], folder[4000]; /* the program, and the folder that it was made in */
    char entry[4096];              /* of the cache; "": it cannot be kept */
    int held;
};
/* Compiles and links the files. 0, or an exit status after a message; then program_unbuild. */
int program_build(struct app *app, const struct program_compile *c, struct program_built *b);
void program_unbuild(struct program_built *b);
/* The folder under which programs are kept (program_cache.c), made or not. False: there is no place for it. */
bool program_cache_place(char *out, size_t size);
/* What was built before. Found: b->path. */
bool program_cache_find(struct program_built *b, const struct words *command);
void program_cache_keep(struct program_built *b, const struct words *rules); /* rules: of make, what was read */

/* ---- running (program_run.c) ---- */
/* Of a sealed program: the longest file that it can write, which its output is, and its address space. */
#define PROGRAM_OUTPUT ((size_t)16 << 20)
#define PROGRAM_MEMORY ((size_t)8 << 30)
enum { PROGRAM_FAILED = 125, PROGRAM_CANNOT = 126, PROGRAM_ABSENT = 127 };
/* Runs argv with this process's terminal and files, unless it is to be quiet. *records: a file descriptor, to be
 * closed, with what the libraries wrote; -1: none. Returns the exit status; or a PROGRAM code, with a sentence in
 * `why`, which is else "". */
int program_run(const struct program_options *o, char **argv, int *records, bool *timed_out, char *why, size_t size);

/* Adds the libraries of NVIDIA's that the executable is linked with and that are not simulated (program_needs.c). */
void program_needs(const char *path, struct words *out);

/* ---- what it did (program_records.c) ---- */
/* The records of cuda/records.def; all texts are there. */
struct program_record {
/* clang-format off */
#define RECORD(name, list, count, most, joins) struct program_##name *list; int count;
#define KEY(record, kind, name, most)
#define FIELD(record, kind, name, most)
#define END(name)
#include "cuda/records.def"
#undef RECORD
#undef KEY
#undef FIELD
#undef END
    /* clang-format on */
    double seconds, waited; /* of the process that ran longest */
    uint64_t bad_lines;     /* that no library of ours wrote so */
    bool failed;            /* memory ran out: what is there is valid */
    bool cut;               /* it is longer than what is read of it */
};
void program_read(int fd, struct program_record *r);
void program_record_free(struct program_record *r);
/* Of the time when the card did anything: the share in which it did two things or more. */
double program_overlap(const struct program_record *r);

#endif
