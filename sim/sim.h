/* sim.h: the embedded GPU's only public header.
 *
 * A `sim` is one simulated card with its memory. A `sim_module` is one PTX text loaded on it. A
 * launch runs a kernel of a module and fills a `sim_result`. Nothing here prints, exits or keeps
 * global state. Every call returns 0 or a SIM_E code, and describes a failure in the `sim_error` it
 * was given. What a kernel does wrong is never an error of the library: it is a `sim_fault` in the
 * result.
 *
 * The `sim` owns the card's memory and all its modules; sim_close frees them. The caller owns a
 * `sim_result` and empties it with sim_result_free. Strings in results live as long as the result;
 * names of kernels and variables live as long as the module. One host thread at a time uses a `sim`
 * (a launch uses several of its own inside).
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sim sim;
typedef struct sim_module sim_module;

/* ---- codes ---- */
enum {
    SIM_OK = 0,
    SIM_E_MEMORY,   /* the host is out of memory */
    SIM_E_SYNTAX,   /* the PTX text is malformed */
    SIM_E_REFUSED,  /* well-formed PTX that uses something not supported here */
    SIM_E_ARGUMENT, /* the caller asked for something impossible: size 0, unknown kernel, bad address */
    SIM_E_LIMIT,    /* a limit of the card: block too large, too much shared memory, its memory is full ... */
    SIM_E_FAULT,    /* the kernel ran and faulted: see the result's faults */
    SIM_E_STOPPED   /* cancelled, or the host time limit was reached */
};

typedef struct sim_error {
    int code;
    char file[128];    /* the PTX text's name, when the failure has a place */
    int line, column;  /* 1-based; 0 when it has none */
    char message[512]; /* what is wrong, one sentence */
    char hint[256];    /* what to do next, may be empty */
} sim_error;

int sim_no_memory(sim_error *err); /* says so; SIM_E_MEMORY */

/* ---- card ---- */
/* What the card's clock needs to know, and the computer around it: the rows of keys.def. See
 * sim/clock/. */
typedef struct sim_timing {
    bool known; /* the card has a clock */
#define TIME(field, lift, by, unit, meaning)                                    double field;
#define TIME_OPTION(field, lift, by, otherwise, unit, meaning)                  double field;
#define TIME_INT(field, lift, by, least, most, unit, meaning)                   int field;
#define TIME_INT_OPTION(field, lift, by, least, most, otherwise, unit, meaning) int field;
#include "keys.def"
} sim_timing;

typedef struct sim_host {
#define HOST_OPTION(field, otherwise, unit, meaning) double field;
#include "keys.def"
} sim_host;

/* What a card can hold and run. Values come from a text file (see sim/cards/). */
typedef struct sim_card {
    char name[32];  /* "8800gt" */
    char title[64]; /* "GeForce 8800 GT" */
#define CARD_INT(field, least, most, unit, meaning)               int field;
#define CARD_OPTION(field, least, most, otherwise, unit, meaning) int field;
#define CARD_LONG(field, least, most, unit, meaning)              long long field;
#include "keys.def"
    uint64_t memory_bytes;
    sim_timing timing;
    sim_host host;
} sim_card;

/* One row of a card's file, for lists and for changing it. */
typedef struct sim_card_value {
    const char *key; /* "time.dram_latency" */
    const char *unit, *meaning;
    char value[64];  /* now */
    double number;   /* the same; 0 for a text */
    bool given;      /* the file has it; otherwise it is the default */
    bool changed;    /* differs from what the file says */
    char source[96]; /* the comment after it: where the value comes from */
} sim_card_value;

/* `text` is the card's file, for `given`, `changed` and `source`; it may be NULL. Fills up to
 * `room` values; returns how many there are. */
int sim_card_values(const sim_card *card, const char *text, sim_card_value *out, int room);
/* Changes one value. A key may be written without "time." and with points for the underscores:
 * dram.latency. A value is a number in the key's unit, or a multiple of the current one: "2x",
 * "0.5x". On failure the card is unchanged. */
int sim_card_set(sim_card *card, const char *key, const char *value, sim_error *err);
/* What can hold a timed launch back. To see how much it did, run it again with the changes that
 * lift it. */
enum sim_lift {
    SIM_LIFT_NONE,
#define LIFT(id, without) SIM_LIFT_##id,
#include "lifts.def"
#undef LIFT
    SIM_LIFTS
};
const char *sim_lift_without(enum sim_lift l); /* "the latency of memory" */
/* "dram_latency=0 l2_latency=0 ...": for sim_card_set, on any card. Returns the length, as snprintf
 * does. */
size_t sim_lift_changes(enum sim_lift l, char *out, size_t size);
int sim_card_read(sim_card *out, const char *text, const char *name, sim_error *err);
int sim_open(sim **out, const sim_card *card, sim_error *err);
void sim_close(sim *s);
const sim_card *sim_card_of(const sim *s);

/* ---- memory ---- */
/* Addresses are the simulated card's. `name` appears in fault messages ("buffer 0", "out"); may be
 * NULL. */
int sim_alloc(sim *s, uint64_t bytes, const char *name, uint64_t *address, sim_error *err);
/* The same, made of host memory `of` (from sim_host_memory) with its contents. The card owns it
 * from then on and frees it. The caller may still read it until a launch or a write changes it.
 * After a failure it is still the caller's. `again` fills it once more with its present contents.
 * The first launch calls that if it must undo what it did, so it need not keep what it overwrites.
 * NULL: nobody can. */
typedef void sim_fill(void *arg, void *memory);
int sim_give(sim *s, void *of, uint64_t bytes, const char *name, sim_fill *again, void *arg, uint64_t *address,
             sim_error *err);
int sim_free(sim *s, uint64_t address, sim_error *err);
int sim_write(sim *s, uint64_t address, const void *data, uint64_t bytes, sim_error *err);
int sim_read(sim *s, uint64_t address, void *data, uint64_t bytes, sim_error *err);
/* Where sim_alloc begins, before anything has been allocated: programs with several cards need
 * addresses that tell them apart. */
void sim_addresses_from(sim *s, uint64_t base);
/* sim_alloc at an address of the caller's choice, where nothing lies yet. */
int sim_alloc_at(sim *s, uint64_t address, uint64_t bytes, const char *name, sim_error *err);
/* Lets kernels use memory of the host, which stays the caller's, at an address of the caller's
 * choice. It may read and write there at any time, also while a launch runs; sim_free ends it. */
int sim_map(sim *s, uint64_t address, void *of, uint64_t bytes, const char *name, sim_error *err);
/* The same of memory that nobody else touches while a launch runs. */
int sim_map_alone(sim *s, uint64_t address, void *of, uint64_t bytes, const char *name, sim_error *err);
/* Where these bytes lie in the host's memory, to be read while no launch runs; NULL: they are not
 * all of one buffer. */
void *sim_memory(sim *s, uint64_t address, uint64_t bytes);
/* Tells one state of all that kernels can read from another: the same number twice means that nothing
 * has changed. Reads it all, so it takes a while where there is much: sim_bytes_in_use. */
void sim_fingerprint(sim *s, uint64_t out[2]);
uint64_t sim_bytes_in_use(const sim *s);
/* After launches under SIM_CHECK_INIT: has each bit of these bytes been given a value? False: `out`
 * describes the first byte that has not. */
typedef struct sim_unknown sim_unknown;
bool sim_known(sim *s, uint64_t address, uint64_t bytes, sim_unknown *out);
/* What lies in the card's memory, to be read while no launch runs. */
typedef struct sim_buffer {
    uint64_t address, bytes;
    const char *name; /* may be NULL */
    const void *memory;
    const uint64_t *written; /* a bit per byte; NULL: all */
    bool touched;            /* a kernel read or wrote there since sim_touched_none */
} sim_buffer;
/* The first one that ends behind the address. False: there is none. */
bool sim_buffer_from(const sim *s, uint64_t address, sim_buffer *out);
void sim_touched_none(sim *s);
/* Empties the card's L2, as if much else had been read since. Otherwise it holds what launches and
 * the host's writes left there. */
void sim_empty_cache(sim *s);

/* ---- textures and surfaces ---- */
/* A kernel's cudaTextureObject_t or cudaSurfaceObject_t parameter holds the handle that
 * sim_texture_make gives. It stands for rows of texels in a buffer of the card, which stays the
 * caller's. There are no mipmaps: every level is this one. A texture reference of old PTX (.texref,
 * .surfref, .samplerref, .tex) is bound to such a handle. */
enum {
    SIM_TEXEL_U8,
    SIM_TEXEL_S8,
    SIM_TEXEL_U16,
    SIM_TEXEL_S16,
    SIM_TEXEL_U32,
    SIM_TEXEL_S32,
    SIM_TEXEL_F16,
    SIM_TEXEL_F32
};
/* what coordinates outside mean */
enum { SIM_OUTSIDE_CLAMP, SIM_OUTSIDE_WRAP, SIM_OUTSIDE_MIRROR, SIM_OUTSIDE_BORDER };
typedef struct sim_texture {
    uint64_t address;       /* of the first texel */
    uint32_t width, height; /* in texels; height 0: one-dimensional */
    uint32_t depth;         /* slices of height rows; 0: not three-dimensional */
    uint32_t layers;        /* number of layers, of one or two dimensions, or of cubes; 0: not layered */
    bool cube;              /* six squares: +x, -x, +y, -y, +z, -z */
    uint64_t pitch;         /* bytes from one row to the next; 0: no gaps */
    uint64_t slice;         /* bytes from one slice, layer or face to the next; 0: no gaps */
    int texel, channels;    /* SIM_TEXEL_...; 1, 2 or 4 */
    int outside[3];         /* along x, y and z */
    bool linear;            /* filter between texels: for floats, and integers read as fractions */
    bool normalized;        /* coordinates run from 0 to 1 */
    bool fractions;         /* 8- and 16-bit integers are read as floats from 0 (or -1) to 1 */
} sim_texture;
int sim_texture_make(sim *s, const sim_texture *t, uint64_t *handle, sim_error *err);
int sim_texture_free(sim *s, uint64_t handle, sim_error *err); /* samplers too */
/* All of them, in the order of their handles; width 0: freed; no channels: a sampler. Restored, they
 * stand where all others stood, and have the handles that they had. */
const sim_texture *sim_textures(const sim *s, uint32_t *count);
int sim_textures_restore(sim *s, const sim_texture *list, uint32_t count, sim_error *err);
/* How a texture is read, apart from what it holds: for independent texturing, where an instruction
 * names both. */
typedef struct sim_sampler {
    int outside[3];
    bool linear;
    bool plain; /* coordinates count texels, whatever the texture says */
} sim_sampler;
int sim_sampler_make(sim *s, const sim_sampler *sampler, uint64_t *handle, sim_error *err);
/* The module's reference `name` stands for `handle` from now on; 0: for nothing. */
int sim_texture_bind(sim *s, sim_module *m, const char *name, uint64_t handle, sim_error *err);

/* ---- tensor maps ---- */
/* A tensor in global memory and the box of it that one bulk copy moves, as cuTensorMapEncodeTiled
 * takes them; the numbers are those of CUDA's CUtensorMap enums. Dimension 0 is contiguous. A kernel
 * takes the 128 bytes as a parameter aligned to 64, or reads them from .const or global memory. */
typedef struct sim_tensor_map {
    uint32_t type, rank;
    uint64_t address;
    uint64_t dim[5];    /* elements */
    uint64_t stride[4]; /* bytes from one index of dimension 1, 2 ... to the next */
    uint32_t box[5];    /* elements */
    uint32_t step[5];   /* of each dimension every step-th element is copied; 1: all */
    uint32_t interleave, swizzle, promotion, fill;
} sim_tensor_map;
/* SIM_E_ARGUMENT: a card's driver refuses this, too. SIM_E_REFUSED: a card of compute 9.0 takes it, it is
 * not simulated here. The bytes are our own layout and mean nothing to a real card. */
int sim_tensor_map_encode(const sim_tensor_map *m, unsigned char out[128], sim_error *err);
bool sim_tensor_map_decode(const unsigned char map[128], sim_tensor_map *m); /* false: these bytes are none */

/* ---- modules ---- */
typedef struct sim_param {
    const char *name;
    uint32_t offset, size, align; /* within the parameter block */
    bool pointer;                 /* said to be one (.ptr), or loaded as u64/b64 and used as an address */
} sim_param;

typedef struct sim_kernel {
    const char *name;
    int params;
    const sim_param *param;
    uint32_t param_bytes;
    uint32_t shared_bytes, local_bytes; /* static, per block; per thread */
    int registers;                      /* estimate, per thread */
    int registers_least;                /* the estimate less its error; 0: it is no estimate */
    uint32_t max_threads;               /* .maxntid product, 0 if none */
    uint32_t required_block[3];         /* .reqntid, zeros if none */
    uint32_t required_cluster[3];       /* .reqnctapercluster, likewise */
    uint32_t most_cluster;              /* .maxclusterrank; 0: not said */
    bool explicit_cluster;              /* .explicitcluster */
    bool cooperative;                   /* uses grid-wide synchronisation */
    bool asks;                          /* reads a clock, or which launch it is */
    int line, last_line;                /* of the PTX text: from its name to the end of its body */
    const char *file;                   /* the source file of its first instruction, by .loc; NULL: not known */
} sim_kernel;

int sim_load(sim *s, const char *name, const char *text, size_t bytes, sim_module **out, sim_error *err);
/* The same, with some of its variables where the caller wants them: as by sim_map, or (memory NULL)
 * by sim_alloc_at. */
typedef struct sim_place_of {
    const char *name;
    uint64_t address, bytes; /* and how many there are at least */
    void *memory;
} sim_place_of;
int sim_load_at(sim *s, const char *name, const char *text, size_t bytes, const sim_place_of *places, int count,
                sim_module **out, sim_error *err);
void sim_unload(sim *s, sim_module *m);
/* Modules loaded from now on run as written: no instruction is moved, joined with another or put
 * off. For tests: no result may depend on it; times do. */
void sim_as_written(sim *s, bool as_written);
int sim_kernels(const sim_module *m);
const sim_kernel *sim_kernel_at(const sim_module *m, int i);
const sim_kernel *sim_kernel_named(const sim_module *m, const char *name);
/* By its address, as its code has it. */
const sim_kernel *sim_kernel_of(const sim_module *m, uint64_t address);
int sim_symbol(const sim_module *m, const char *name, uint64_t *address, uint64_t *bytes); /* .global and .const data */
/* The name and the place of the i-th of them; NULL: there are no more. */
const char *sim_variable_at(const sim_module *m, int i, uint64_t *address);

/* ---- launch ---- */
#define SIM_HEAP_BYTES (UINT64_C(8) << 20) /* the default heap of malloc in a kernel, as on a card */
/* what to watch for; bounds, alignment, use after free and deadlock are always watched */
enum { SIM_CHECK_RACE = 1, SIM_CHECK_INIT = 2, SIM_CHECK_BARRIER = 4, SIM_CHECK_ALL = 7 };
/* what to count beyond instructions */
enum {
    SIM_COUNT_MEMORY = 1, /* transactions, sectors, passes, contention */
    SIM_COUNT_LINES = 2,  /* everything also per source line */
    /* sim_result.chains: untimed launches, with SIM_CHECK_INIT; slow, and on one host thread */
    SIM_COUNT_CHAINS = 4
};

/* one memory access of a warp, as sim_launch.trace sees it */
typedef struct sim_access {
    const char *file; /* as in sim_place */
    int line, ptx_line;
    const char *space;       /* "global", "shared", "local", "const", "param" */
    char kind;               /* 'r' read, 'w' write, 'a' atomic */
    uint32_t size;           /* bytes per lane */
    uint32_t lanes;          /* active ones */
    uint32_t block[3], warp; /* lane k is thread 32 * warp + k of the block, x first */
    const uint64_t *address; /* by lane, within the space; those of inactive lanes mean nothing */
} sim_access;

typedef struct sim_moment sim_moment; /* see films, below */
/* Whether a card can start such a launch, whatever the kernel is; `shared`: bytes of a block. */
int sim_launch_fits(const sim_card *c, const uint32_t grid[3], const uint32_t block[3], uint64_t shared,
                    sim_error *err);

typedef struct sim_launch {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* blocks per cluster; 0, 0, 0: as the kernel says, else one */
    bool cluster_large;    /* clusters of up to 16 blocks, not 8 */
    uint32_t shared_bytes; /* dynamic */
    /* heap of malloc in kernels, with what earlier launches have not freed
     * (cudaLimitMallocHeapSize); 0: SIM_HEAP_BYTES */
    uint64_t heap_bytes;
    const void *params;
    size_t param_bytes;
    uint64_t start_ns; /* when it begins, for %globaltimer, which counts nanoseconds */
    bool timed;        /* in timed order: cycles, and clock() reads them; the card must have a clock */
    bool exact;        /* timed: no sampling, every block in timed order */
    bool cooperative;  /* all blocks resident at once, as grid synchronisation needs */
    bool dependent;    /* may begin before the last launch ends: for the race check, which wants griddepcontrol.wait */
    bool pages; /* as on a card: accesses outside, but on the 2 MiB pages of an allocation, pass; else they end it */
    unsigned checks, counts;    /* SIM_CHECK_..., SIM_COUNT_... */
    int host_threads;           /* 0: one per core */
    uint64_t max_instructions;  /* warp instructions; 0: no limit */
    double max_seconds;         /* host time; 0: no limit */
    const volatile int *cancel; /* the launch ends soon after this turns non-zero; may be NULL */
    /* 0: blocks and warps run in the order of their numbers. Else their order, and turns of a few
     * instructions, are drawn from this number, the same for any number of host threads. A missing
     * barrier then shows in the result. Not for timed launches. */
    uint64_t shuffle;
    int max_faults;    /* races and notes collected before the launch ends; 0: 16 */
    size_t max_output; /* bytes of kernel printf kept; 0: 1 MiB */
    /* Unless NULL, called in order for every access of one warp (or of all); the launch then runs
     * on one host thread. */
    void (*trace)(void *arg, const sim_access *a);
    void *trace_arg;
    uint64_t trace_block; /* number in the grid, x first; UINT64_MAX: every warp of every block */
    uint32_t trace_warp;  /* in the block */
    /* Unless NULL, for a timed launch: called for all that the multiprocessor does which runs this
     * block, from the block's start on. All blocks are timed then, on one host thread. False: that
     * is enough; the launch stops. */
    bool (*film)(void *arg, const sim_moment *m);
    void *film_arg;
    uint64_t film_block; /* number in the grid, x first */
    /* Unless NULL, called on the thread of sim_run when a sample has told about how many cycles the
     * launch takes, and other blocks still have to run. Called again if the sample must be taken
     * again. */
    void (*soon)(void *arg, uint64_t cycles);
    void *soon_arg;
    /* Unless NULL, called now and then on the thread of sim_run, between two instructions, when
     * nothing of the launch will be taken back. Until it comes back the sim may be used by any
     * thread as between launches, but nothing that the kernel uses may be freed; another launch may
     * run if it is not timed. `waits`: its threads read the same again and again, as those do that
     * wait for somebody else. */
    void (*meanwhile)(void *arg, bool waits);
    void *meanwhile_arg;
} sim_launch;

/* ---- results ---- */
enum sim_fault_kind {
#define FAULT(id, name, advice) SIM_FAULT_##id,
#include "faults.def"
#undef FAULT
    SIM_FAULT_KINDS
};

/* one thread at one instruction */
typedef struct sim_place {
    const char *kernel;
    const char *file; /* source file from .loc, or the PTX text's name */
    int line;         /* source line from .loc, or the PTX line; 0 unknown */
    int ptx_line;
    const char *inlined_into; /* function name the line was inlined into, or NULL */
    int inlined_line;
    uint32_t block[3], thread[3];
    uint32_t lanes; /* lanes of the same warp that this happened to */
} sim_place;

struct sim_unknown {
    uint64_t offset; /* of the byte */
    bool stored;     /* something unknown was stored there; else nothing was */
    char what[160];  /* its origin: "element 5 of shared tile (byte 20), which was never written"; "": unknown */
    sim_place from;  /* where that was read; kernel NULL: unknown */
};

typedef struct sim_fault {
    enum sim_fault_kind kind;
    bool note;   /* worth knowing but not wrong: does not fail the launch */
    bool passes; /* wrong, but a card goes on (sim_launch.pages) */
    sim_place at;
    /* the other side of a race; where an unknown value was read; other.kernel NULL: there is
     * none */
    sim_place other;
    uint64_t address; /* as the program sees it: within its space */
    uint32_t size;
    const char *space; /* "global", "shared", "local", "const", "param", "" */
    uint64_t count;    /* how often this fault was seen (races between the same two lines are one) */
    char message[384]; /* what happened */
    int assertion;     /* where in it "FILE:LINE: CONDITION" of a failed assert begins; 0: it is none */
    char advice[256];  /* what to do */
} sim_fault;

const char *sim_fault_name(enum sim_fault_kind kind);
const char *sim_fault_advice(enum sim_fault_kind kind); /* what to do about it in general */

enum sim_class {
#define CLASS(id, name) SIM_CLASS_##id,
#include "classes.def"
#undef CLASS
    SIM_CLASSES
};
const char *sim_class_name(enum sim_class c);

/* What a warp of a timed launch does with its time, from its block's start to its own end; in
 * clocks, summed over all warps. */
enum sim_stall {
#define STALL(id, name, meaning) SIM_STALL_##id,
#include "stalls.def"
#undef STALL
    SIM_STALLS
};
typedef struct sim_stall_info {
    const char *id, *name, *meaning;
} sim_stall_info;
const sim_stall_info *sim_stall_info_of(enum sim_stall s);

typedef struct sim_counters {
#define COUNTER(id, name, unit, meaning) uint64_t id;
#include "counters.def"
#undef COUNTER
    uint64_t by_class[SIM_CLASSES]; /* warp instructions */
    uint64_t by_stall[SIM_STALLS];  /* timed launches: warp clocks; a wait is booked on the instruction that waited */
} sim_counters;

typedef struct sim_counter_info {
    const char *id, *name, *unit, *meaning;
    size_t offset; /* in sim_counters */
    bool maximum;  /* combined by max, not by sum */
} sim_counter_info;
const sim_counter_info *sim_counter_infos(int *count);
void sim_counters_add(sim_counters *to, const sim_counters *from); /* each by its maximum or its sum */

typedef struct sim_line {
    const char *file;
    int line;
    sim_counters c;
} sim_line;

/* one printf of one thread */
typedef struct sim_print {
    uint32_t block[3], thread[3];
    const char *text;
} sim_print;

/* How a timed launch used the card. Shares are from 0 to 1: of all multiprocessors, over the
 * launch's cycles. */
enum sim_bound {
    SIM_BOUND_NONE,
    SIM_BOUND_ISSUE,
    SIM_BOUND_PORT,
    SIM_BOUND_DRAM,
    SIM_BOUND_STARTS,
    SIM_BOUND_LATENCY,
    SIM_BOUND_FEW_BLOCKS
};
enum { SIM_OVER_TIME = 40 };
typedef struct sim_usage {
    /* some blocks were timed, and the cycles of all worked out from them; sim_launch.exact times
     * all */
    bool sampled;
    /* then: how far the cycles may be from those of all blocks, relative to them; 0: all were timed */
    double error;
    uint64_t timed_blocks;
    double busy;           /* multiprocessors that had a block */
    double issue;          /* schedulers that issued, or could not because of what they had issued */
    double port, l2, dram; /* of the time of the memory ports, the L2 and DRAM */
    double starting;       /* of the time of what starts blocks, one after the other on the whole card */
    /* achieved: resident warps, out of all that the multiprocessors can hold, over the launch's
     * cycles */
    double occupancy;
    double dram_bytes;                        /* moved between DRAM and the card's chip */
    uint32_t resident_blocks, resident_warps; /* per multiprocessor at once, at most */
    /* of the first multiprocessor, in equal parts of the time that was timed: percent of its
     * schedulers' clocks in which they issued */
    uint32_t over_time[SIM_OVER_TIME];
    enum sim_bound bound; /* what it ran into most: the busiest resource, or latency when none is busy */
} sim_usage;

/* How the numbers came about that a launch stored in the card's memory (SIM_COUNT_CHAINS). */
typedef struct sim_chains {
    bool known;
    uint64_t steps;   /* results in the longest row of which each was computed from the one before */
    uint64_t hands;   /* most times that one went from thread to thread through shared memory */
    uint64_t places;  /* words of shared and global memory that one thread went to, but for the last ones again */
    uint64_t returns; /* times that an atomic operation gave a word a value that it had had before */
    uint64_t words;   /* different words of shared and global memory that one thread went to */
} sim_chains;

typedef struct sim_result {
    int code; /* SIM_OK, SIM_E_FAULT or SIM_E_STOPPED */
    sim_counters total;
    sim_line *lines;
    int line_count;
    sim_fault *faults;
    int fault_count;
    uint64_t faults_left_out;
    sim_print *prints;
    int print_count;
    uint64_t prints_left_out;
    int host_threads; /* used */
    uint64_t cycles;  /* of a timed launch, else 0 */
    sim_usage usage;  /* of a timed launch */
    sim_chains chains;
    bool met_host;       /* it read memory of sim_map as one does who waits for a change (volatile, atomic) */
    bool reran_in_order; /* blocks depended on each other, so they ran one after the other */
    double host_seconds;
    uint64_t checker_bytes; /* host memory of the checks at their peak */
    void *owner;            /* private */
} sim_result;

int sim_run(sim *s, sim_module *m, const sim_launch *l, sim_result *r, sim_error *err);
void sim_result_free(sim_result *r);

/* ---- films: what one multiprocessor did ---- */
/* What a warp of a filmed multiprocessor does (sim_launch.film), in the order of the clock. */
enum sim_moment_kind {
    SIM_MOMENT_BEGIN,  /* a block begins on `multiprocessor`: `block`, and `warp` of them are its warps */
    SIM_MOMENT_ISSUED, /* an instruction */
    SIM_MOMENT_MORE,   /* machine code has several instructions for the warp's last one: one more */
    SIM_MOMENT_FAULT,  /* the instruction that ended the launch; it has no time of its own */
    SIM_MOMENT_END     /* the block has ended */
};
/* bytes that are new: of a register in 32 lanes, or of shared memory */
typedef struct sim_film_bytes {
    uint32_t at, bytes; /* from the start of the warp's registers, or of the block's shared memory */
    const void *data;
} sim_film_bytes;
enum { SIM_FILM_ACCESSES = 4 };
typedef struct sim_film_access {
    char space;           /* 'g' global, 's' shared, 'l' local, 'c' constant, 'p' parameter */
    char kind;            /* 'r' read, 'w' write, 'a' atomic */
    uint32_t size, lanes; /* bytes per lane; which lanes */
    uint64_t address[32]; /* by lane, within the space */
} sim_film_access;
/* What a check found in the instruction: a fault, or a race, of which this is the later side. */
typedef struct sim_film_found {
    bool there; /* else nothing was found */
    enum sim_fault_kind kind;
    uint32_t lane; /* of the warp */
    uint64_t address;
    uint32_t size;
    uint32_t other_pc; /* the earlier side of a race; UINT32_MAX: it is none, or not known */
    uint32_t other_thread;
    uint64_t other_block;
} sim_film_found;
struct sim_moment {
    enum sim_moment_kind kind;
    uint64_t clock;
    uint64_t block;          /* number in the grid, x first */
    uint32_t warp;           /* of the block */
    uint32_t place;          /* among the warps of the multiprocessor: a block's warps are neighbours */
    uint32_t multiprocessor; /* of a block that begins or ends */
    uint32_t pc;             /* for sim_instruction_at */
    uint32_t lanes;          /* that performed it */
    /* Before that the warp could not issue for so many clocks, for this reason; then others were
     * issued before it for so many. */
    uint32_t waited, queued;
    enum sim_stall cause;
    /* Then it kept its scheduler for so many clocks; and after these its warp, for the latency of
     * arithmetic, where the machine code says so. */
    uint32_t slot, held;
    uint32_t frame; /* where the registers of its function begin, in bytes */
    /* of the block that the film is about: */
    sim_film_found found;
    int values, shared, accesses;
    const sim_film_bytes *value, *changed; /* registers; shared memory */
    const sim_film_access *access;
};

/* Modules loaded from now on know the names of their registers. */
void sim_keep_names(sim *s, bool keep);
typedef struct sim_operand {
    const char *name; /* "%r7"; NULL: the machine's own */
    const char *type; /* "s32" */
    /* In its function's registers: 128 bytes for 32 bits of 32 lanes, 256 for 64, 512 for 128; 4 for
     * a predicate, a bit per lane. */
    uint32_t at, bytes;
    bool read, written;
} sim_operand;
enum { SIM_OPERANDS = 40 };
typedef struct sim_instruction {
    const char *kernel; /* or function */
    const char *file;   /* as in sim_place */
    int line, ptx_line;
    const char *form; /* "ld.global.f32"; "" for bookkeeping of the machine's own */
    enum sim_class cls;
    bool real; /* of the program, not bookkeeping */
    int operands;
    sim_operand operand[SIM_OPERANDS];
} sim_instruction;
uint32_t sim_instructions(const sim_module *m);
/* False: there is no such pc. */
bool sim_instruction_at(const sim_module *m, uint32_t pc, sim_instruction *out);
/* A variable in a kernel's shared memory, or what the launch gives behind them (name NULL).
 * Addresses in shared memory have gaps between variables. */
typedef struct sim_shared {
    const char *name;
    uint32_t from, to;
    const char *type; /* of its elements; "" unknown */
} sim_shared;
/* Fills up to `room`; returns how many there are. */
int sim_shared_of(const sim_module *m, const char *kernel, uint32_t dynamic_bytes, sim_shared *out, int room);
uint32_t sim_register_bytes(const sim_module *m, const char *kernel); /* of a warp, with what it may call */

/* ---- how many blocks of a launch a multiprocessor holds, and why not more ---- */
enum sim_limit { SIM_LIMIT_THREADS, SIM_LIMIT_BLOCKS, SIM_LIMIT_REGISTERS, SIM_LIMIT_SHARED, SIM_LIMITS };
typedef struct sim_occupancy {
    int threads, warps_per_block; /* of a block */
    int registers, shared_bytes;  /* of a thread, an estimate; of a block, with what the card adds and rounds */
    int estimate; /* the estimate would not let one block fit, and may be off by that much: `registers` is then what
                     fits; 0: `registers` is the estimate */
    int fit[SIM_LIMITS];          /* blocks that each limit alone would allow */
    enum sim_limit limit;         /* the tightest; the first of the list among equals */
    int blocks, warps, max_warps; /* resident on a multiprocessor when the grid is large enough */
    int busy_multiprocessors;     /* with the grid's blocks spread out */
    int grid_warps;               /* resident on the fullest multiprocessor with this grid */
} sim_occupancy;
const char *sim_limit_name(enum sim_limit l); /* "threads", "blocks", "registers", "shared memory" */
/* `size` is the block's. A launch that the card would refuse gives 0 blocks. */
/* Clusters of `size` blocks that the card holds at once, when a multiprocessor holds `blocks`. */
int sim_occupancy_clusters(const sim_card *c, int blocks, int size);
void sim_occupancy_of(const sim_card *card, const sim_kernel *k, const uint32_t grid[3], const uint32_t size[3],
                      uint32_t dynamic_shared, sim_occupancy *out);

/* ---- the host's side of a run, in seconds, by the host.* values of the card; 0 where it has none
 * ---- */
/* Host memory that will be used from end to end at once; free() takes it. Several threads make its
 * pages when there are many. */
void *sim_host_memory(size_t bytes);
double sim_host_time_start(const sim_card *card);                                  /* once per program */
double sim_host_time_alloc(const sim_card *card, uint64_t bytes);                  /* one allocation */
double sim_host_time_copy(const sim_card *card, uint64_t bytes, bool page_locked); /* one copy, either way */
double sim_host_time_launch(const sim_card *card);                                 /* one launch, beyond its cycles */
/* the cycles of all launches, and host.kernel_us for each */
double sim_host_time_kernel(const sim_card *card, double cycles, uint64_t launches);

/* ---- the host's instruction sets that the operations were compiled for ---- */
const char *sim_instruction_sets(void); /* "base avx2 avx512" */
const char *sim_instruction_set(void);  /* the one in use here, which WARPSTEP_ISA can choose; NULL: none can run */

/* ---- PTX knowledge, for `help add` and `show ptx` ---- */
typedef struct sim_op_info {
    const char *name, *effect; /* "add", "d = a + b" */
} sim_op_info;
const sim_op_info *sim_op_infos(int *count);

#endif
