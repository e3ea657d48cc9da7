/* core.h: CUDA as both faces see it: devices, memory, modules, streams, events, errors.
 *
 * The driver's face (driver/) and the runtime's (runtime/) turn the calls of a program into those
 * below. Codes are CUDA's own, which both faces share.
 *
 * One lock guards everything (core_lock). A device performs what it is asked in the order in which
 * it was asked (queue.c), on a worker thread of its own, which holds no lock while a kernel or a
 * copy runs; the host waits for it where CUDA says that it waits. When everything began and ended on
 * the card is worked out along with it, in seconds of simulated time (program_clock.c).
 */
#ifndef CUDA_CORE_H
#define CUDA_CORE_H

#include "sim.h"
#include <pthread.h>
#include <stdio.h>

#define PUBLIC __attribute__((visibility("default")))

#include "names.h"

enum {
    E_OK,
#define ERROR(code, name, driver, text) E_##name = (code),
#include "errors.def"
#undef ERROR
};
PUBLIC const char *core_error_name(int code, bool driver); /* NULL: there is no such code */
PUBLIC const char *core_error_text(int code);

enum { DEVICES_MOST = 16, NAME_MOST = 1024 };

/* ---- handles ----
 * What a program holds is a number, looked up at each use: one that was destroyed, or was never a
 * handle, is told apart for ever. */
enum handle_kind {
    H_STREAM = 1,
    H_EVENT,
    H_MODULE,
    H_FUNCTION,
    H_ARRAY,
    H_GRAPH,
    H_NODE,
    H_EXEC,
    H_POOL,
    H_CONTEXT,
    H_PHYSICAL,
    H_BLAS,
    H_LINK,
    H_KINDS
};
PUBLIC void *handle_new(enum handle_kind kind, void *object); /* NULL: out of memory */
PUBLIC void *handle_find(enum handle_kind kind, const void *handle);
PUBLIC void handle_end(enum handle_kind kind, const void *handle);
bool handle_ended(enum handle_kind kind, const void *handle); /* it was one */

/* ---- devices ---- */
struct op;
typedef struct mark { /* a moment of a device's work: an event that was recorded */
    int refs;
    struct device *device;
    uint64_t sequence;
    double time;
    bool done;
} mark;

typedef struct stream {
    void *handle;
    struct device *device;
    unsigned flags; /* 1: does not wait for the legacy stream */
    int priority, policy;
    unsigned char window[40]; /* of the L2, that a program asked for */
    double ready;             /* when what was performed on it is over */
    uint64_t last, done;      /* the sequences of what was last asked, and performed */
    int pending;              /* in the queue */
    int waiters;              /* threads of the host that wait for it */
    uint64_t scan;            /* of next_turn */
    bool legacy, dead;
    struct capture *capture;
    struct stream *next; /* of the device's */
    unsigned long long id;
} stream;

enum { LATE_MOST = 64, LIMITS = 8, RUNNING = 32, WORKERS = 128 /* and so many kernels may wait for each other */ };
typedef struct device {
    int ordinal;
    sim *s;
    stream legacy, per_thread;
    stream *streams;
    const stream *launched_in; /* where the last operation was performed, if it was a launch */
    struct op *head, *tail;
    uint64_t asked, done; /* sequences; all up to the second have been performed */
    bool crosses;         /* it waits for, or performs, a copy that needs another device too: */
    struct device *other;
    uint64_t pool_keeps;  /* what programs said as the release threshold of its pools */
    unsigned pool_off;    /* bits of the rules of reuse (1 to 3) that they switched off */
    bool busy;            /* somebody uses `s`, ... */
    bool awaits;          /* ... but only waits for what another device does: `s` lies still */
    int holders;          /* who want it for themselves */
    int workers, idle;    /* threads that perform; of those, without work */
    int active;           /* operations that have begun: one, unless kernels wait for something */
    struct op *inserting; /* what is asked comes behind this one, which has begun */
    uint64_t tickets;     /* of those that gave way */
    uint64_t *to_free;    /* when none is active */
    size_t to_free_count;
    pthread_cond_t wake;
    int fault;                /* what every call answers from `fault_at` on; 0: nothing */
    uint64_t fault_at;        /* the operation that did it */
    bool fault_shown;         /* the host has waited for that */
    double copy_in, copy_out; /* when each copy engine is free */
    struct {
        double end, share;
    } running[RUNNING]; /* kernels of late */
    uint64_t limits[LIMITS];
    char *printed; /* by kernels, until the host waits */
    size_t printed_bytes, printed_room;
    unsigned flags;
    int cache_config, shared_config;
    uint64_t peers;   /* a bit each: who may be reached */
    uint64_t sharers; /* who may reach this one's memory, as a peer or by its pool */
    bool used;
    void *context;      /* handle of the primary one, ... */
    unsigned retained;  /* ... which so many keep; ... */
    bool runtime_keeps; /* ... the runtime is one of them */
    void *pool;         /* the handle of its own */
    uint64_t in_use, graph_bytes, graph_high;
    /* repeat.c */
    struct repeat *repeats;
    uint64_t version, printed_version; /* of what lies in memory; that the fingerprint is of */
    uint64_t fingerprint[2];
    bool host_memory; /* some of it the host can write to at any time */
    bool shared;      /* and some of it other cards or processes, or it is theirs: no launch is known to repeat */
    const struct changes *late[LATE_MOST]; /* that are still to be made, in this order (changes.c) */
    int late_count;
} device;

typedef struct core_settings {
    int cards;
    unsigned checks;
    bool timed, repeatable, silent;
    bool events, lines, exact; /* each operation is told; counts by line; every launch and block timed */
    bool counts;               /* what a kernel did with memory is counted and told */
    uint64_t budget;           /* warp instructions of all launches together; 0: no limit */
    uint64_t spoil;            /* what kernels write is changed (spoil.c), drawn from this; 0: it is not */
} core_settings;
extern core_settings core_options;

/* Locks, and starts everything at the first call. E_OK, or why nothing can be done: it is locked all
 * the same. */
PUBLIC int core_begin(void);
/* Unlocks; gives `code` back. `cost`: what the call takes of the host, in seconds. */
PUBLIC int core_end(int code, double cost);
#define CALL_COST 0.3e-6 /* of a call that asks the card for nothing */
PUBLIC extern pthread_mutex_t core_lock;
extern pthread_cond_t core_done;       /* something was performed */
/* Takes the lock; false: the thread is in a call of CUDA, and has it (core.c: calls within calls). */
bool core_take(void);
void core_give(void);
/* Of a call that only waits: until core_done, or that moment, in CLOCK_REALTIME. As pthread_cond_timedwait answers. */
int core_rest(const struct timespec *until);
extern _Thread_local bool core_worker; /* the calling thread performs what devices are asked */

/* Called when something of a shared object has called atexit, with an address inside of that. */
PUBLIC extern void (*core_object_begins)(const void *inside);

PUBLIC int core_devices(void);
PUBLIC device *core_device(int ordinal); /* opened when first asked for; NULL: no such, or no memory */
device *core_opened(int ordinal);        /* NULL: it is not in use */
PUBLIC device *core_current(void);       /* the calling thread's */
PUBLIC int core_current_ordinal(void);
PUBLIC int core_choose(int ordinal);
PUBLIC void core_no_context(void); /* the driver's cuCtxSetCurrent(NULL) */
PUBLIC bool core_has_context(void);
PUBLIC bool core_started(void); /* some thread has chosen a device: the runtime initialises the driver */
PUBLIC int core_card(int ordinal, sim_card *out);
/* The value of an attribute by CUDA's own number; the same in driver and runtime. */
PUBLIC const sim_card *core_card_of(const device *d);
/* What calls cost the host, in seconds, by the card's file: one allocation; giving work to the card. */
PUBLIC double cost_alloc(const device *d);
PUBLIC double cost_launch(const device *d);
PUBLIC int core_attribute(int ordinal, int attribute, int *value);
/* What the host is to be told of the device, as far as it has waited: a fault stays for ever. */
PUBLIC int core_fault(device *d);
PUBLIC int core_reset(device *d);

/* ---- memory ---- */
enum region_kind { R_NONE, R_DEVICE, R_PINNED, R_MANAGED, R_REGISTERED, R_SYMBOL, R_ARRAY, R_VIRTUAL };
typedef struct region {
    uint64_t at, bytes;
    enum region_kind kind;
    device *device;
    unsigned flags;
    uint64_t id;
} region;
PUBLIC int region_new(device *d, enum region_kind kind, uint64_t bytes, unsigned flags, const char *name, uint64_t *at);
PUBLIC int region_end(uint64_t at, unsigned kinds); /* kinds: bits of region_kind that may be freed so */
enum {                                              /* flags */
       REGION_ADOPTED = 1 << 30,                    /* it cannot be freed */
       REGION_GRAPH = 1 << 29,  /* a graph's, which has it at this address at each launch: freeing changes nothing */
       REGION_OPENED = 1 << 28, /* another process's: it is closed, not freed */
       REGION_GIVEN = 1 << 27   /* a stream will free it: nobody else may */
};
int region_adopt(uint64_t at, uint64_t bytes);
PUBLIC int region_register(void *at, uint64_t bytes, unsigned flags);
/* The region that holds the address, NULL: ordinary memory of the host. Valid until unlocked. */
PUBLIC const region *region_find(uint64_t at);
const region *region_before(uint64_t at); /* the last one that begins there or before; NULL: none */
const region *region_after(uint64_t at);  /* the first one that begins behind it */
PUBLIC int region_note(device *d, enum region_kind kind, uint64_t at, uint64_t bytes, unsigned flags);
PUBLIC int region_forget(uint64_t at);
PUBLIC int region_give(uint64_t at, const stream *st); /* E_InvalidValue: it cannot be freed in a stream */
PUBLIC void region_left(device *d, uint64_t *free_bytes, uint64_t *total);
bool region_host_readable(uint64_t at, uint64_t bytes, bool write);
uint64_t region_host_bytes(uint64_t at, uint64_t most); /* of so many, those that the host can read */
void region_open_device(device *d); /* maps what the host has pinned into a device opened later */
PUBLIC int region_peer(device *from, device *to, bool on);
void region_share(device *d, uint64_t at, uint64_t bytes);
void region_unshare(device *d, uint64_t at, bool wait);

/* ---- reserved addresses, and memory mapped there (virtual.c) ---- */
enum { VIRTUAL_GRANULE = 2 << 20 };
PUBLIC int virtual_reserve(uint64_t bytes, uint64_t align, uint64_t wish, uint64_t *at);
PUBLIC int virtual_unreserve(uint64_t at, uint64_t bytes);
PUBLIC int virtual_map(uint64_t at, uint64_t bytes, uint64_t offset, void *handle);
PUBLIC int virtual_unmap(uint64_t at, uint64_t bytes);
PUBLIC int virtual_access(uint64_t at, uint64_t bytes, int ordinal, unsigned flags); /* CUDA's: 0, 1, 3 */
PUBLIC int virtual_accessible(uint64_t at, int ordinal, bool *may);
PUBLIC int physical_new(device *d, uint64_t bytes, void **handle);
PUBLIC int physical_end(void *handle);
PUBLIC int physical_at(uint64_t at, void **handle);
PUBLIC int physical_export(void *handle, int *fd);
PUBLIC int physical_import(int fd, void **handle);

/* One end of a copy: rows of bytes. */
typedef struct place {
    uint64_t at, pitch, slice; /* bytes from row to row, and from slice to slice */
} place;
enum copy_direction { COPY_HOST_HOST, COPY_HOST_DEVICE, COPY_DEVICE_HOST, COPY_DEVICE_DEVICE, COPY_ANY };
typedef struct copy {
    place to, from;
    uint64_t width, height, depth; /* bytes, rows, slices */
    int direction;
} copy;
/* Of memory whose rows begin at multiples of 512 bytes: what a row takes, and all. False: no number holds that. */
PUBLIC int pitched_bytes(uint64_t width, uint64_t rows, uint64_t slices, uint64_t *row, uint64_t *bytes);
PUBLIC int copy_check(const copy *c);
device *copy_other(device *d, const copy *c); /* the other device that it needs; NULL: none */
int copy_perform(device *d, const copy *c);
double copy_seconds(device *d, const copy *c, int *engine); /* engine: 0 none, 1 in, 2 out */
bool copy_on_card(const copy *c);                           /* from the card's memory to the card's memory */
bool copy_waits(const copy *c); /* the host waits for it even if asked not to: ordinary memory */

typedef struct fill {
    uint64_t at, pitch, width, height; /* width in elements */
    uint32_t value, size;              /* 1, 2 or 4 bytes */
} fill;
int fill_check(const fill *f);

typedef struct array {
    void *handle;
    device *device;
    uint64_t at, pitch, slice;
    uint64_t width, height, depth;
    int texel, channels, bits[4], format; /* format: cudaChannelFormatKind */
    uint32_t texel_bytes;
    unsigned flags; /* 1: layered, 2: surfaces, 4: cube */
} array;
PUBLIC int array_new(device *d, array *wanted, void **handle);
PUBLIC int array_end(void *handle);
PUBLIC int object_new(device *d, const sim_texture *t, uint64_t *handle); /* a texture or a surface */
PUBLIC int object_end(device *d, uint64_t handle);

/* ---- code ---- */
typedef struct variable {
    struct image *image;
    char *name;
    uint64_t bytes;
    uint64_t managed; /* its address in managed memory; 0: it is the device's */
} variable;
enum { SAID_MET_HOST = 1, SAID_WITHIN = 2, SAID_PRINTS_LOST = 4, SAID_FEWER = 8 };
typedef struct function {
    void *handle;
    struct image *image;
    char *name;
    const sim_kernel *kernel[DEVICES_MOST];
    uint32_t cluster[3]; /* cudaFuncAttributeRequiredCluster...; 0: not set */
    bool large_cluster;  /* cudaFuncAttributeNonPortableClusterSizeAllowed */
    int dynamic_shared;  /* cudaFuncAttributeMaxDynamicSharedMemorySize */
    int carveout;
    unsigned said; /* SAID_...: once each */
    void *old;     /* what calls from before CUDA 4 have set (driver/drv_launch_old.c) */
    struct function *next;
} function;
typedef struct image {
    const void *data; /* what the program registered or loaded; its own memory */
    char *text;       /* PTX, once it was looked at */
    size_t bytes;
    int ptx_version, target; /* 83; 52 */
    int looked;              /* a code + 1, once it was looked at */
    char why[400];
    sim_module *module[DEVICES_MOST];
    int loaded[DEVICES_MOST]; /* a code + 1 */
    function *functions;
    variable **variables;
    int variable_count;
    bool freed;
    bool ours; /* a library's of ours: which card it was compiled for is nobody's concern */
} image;
PUBLIC image *image_new(const void *data, size_t most); /* most: bytes, 0: its headers say */
PUBLIC int image_load(image *i, device *d);
PUBLIC void image_end(image *i);
PUBLIC function *image_function(image *i, const char *name);
PUBLIC int function_resolve(function *f, device *d, const sim_kernel **out);
PUBLIC int image_symbol(image *i, device *d, const char *name, uint64_t *at, uint64_t *bytes);
/* *at: where it is, or 0 for a place of ours. */
PUBLIC int image_add_managed(image *i, const char *name, uint64_t bytes, uint64_t *at);
PUBLIC bool image_has_managed(const image *i);
PUBLIC const char *image_complaint(image *i);
int fatbin_text(const void *data, size_t most, int arch, char **text, size_t *bytes, char *why, size_t why_size);
/* Of a program built with -rdc=true: the PTX of all files that its object holds beside the linked
 * machine code at `data`. */
int fatbin_linked(const void *data, int arch, char **text, size_t *bytes, char *why, size_t why_size);
/* Adds the PTX of what a linker is given: a text, a fat binary, an object, a library. */
typedef struct ptx_texts {
    char **v;
    int count;
} ptx_texts;
int fatbin_take(ptx_texts *t, const void *data, size_t bytes, int arch, char *why, size_t why_size);
void ptx_texts_free(ptx_texts *t);
int ptx_link(char *const *texts, int files, char **out, size_t *bytes);
/* What stands in for a linker of machine code (cuLink, nvJitLink): what it makes is PTX too. */
typedef struct linker linker;
PUBLIC linker *linker_new(void);
PUBLIC int linker_add(linker *l, const void *data, size_t bytes, const char *name);
PUBLIC int linker_add_file(linker *l, const char *path);
PUBLIC int linker_done(linker *l, const char **text, size_t *bytes); /* bytes: with the NUL behind it */
PUBLIC const char *linker_complaint(const linker *l);
PUBLIC void linker_end(linker *l);
long lz4_expand(const unsigned char *from, size_t from_bytes, unsigned char *to, size_t to_bytes);

/* ---- work ---- */
typedef struct launch_config {
    function *f;
    uint32_t grid[3], block[3], shared;
    bool cooperative;
    uint32_t cluster[3]; /* 0, 0, 0: as the kernel says */
    bool dependent;      /* may begin before the launch before it in its stream ends */
    bool unseen;         /* <<<>>>: what the launch answers reaches nobody */
    bool by_kernel;      /* a kernel launches it */
} launch_config;
/* Puts in what attributes of a launch ask for. */
struct launch_attribute;
PUBLIC void launch_asked(launch_config *c, const struct launch_attribute *list, unsigned count);
/* attributes of a function, in both interfaces */
enum {
    FUNCTION_CLUSTER_MUST = 10,
    FUNCTION_CLUSTER = 11 /* width, height, depth */,
    FUNCTION_LARGE_CLUSTER = 14,
    FUNCTION_CLUSTER_POLICY = 15
};
bool function_cluster(const function *f, const sim_kernel *k, const uint32_t asked[3], uint32_t out[3]);
PUBLIC int function_set_cluster(function *f, const sim_kernel *k, int attribute, int value);
PUBLIC int function_get_cluster(const function *f, const sim_kernel *k, int attribute);
/* Threads of the largest block that its registers and its bounds let a card take. */
PUBLIC int function_most_threads(const sim_card *card, const sim_kernel *k);
/* Clusters of a launch that are resident at once. */
PUBLIC int occupancy_clusters(device *d, const launch_config *c, int *out);
/* Blocks of the largest cluster that a launch may have. */
PUBLIC int occupancy_largest_cluster(device *d, const launch_config *c, int *out);

enum { REPEAT_POINTS = 16 };
typedef struct repeat_point {
    double cycles, work; /* work: warp instructions */
} repeat_point;
typedef struct repeat {
    bool used, known, looks;
    bool asks; /* its kernel does: see sim_kernel */
    /* of a shape or a family: the next launch is timed, since the last one did more or less than those that were, or,
     * when it was timed, did not take what was predicted (odd) */
    bool beyond, odd;
    launch_config config;
    unsigned char *params; /* NULL: of every launch of this shape; the grid 0: of this kernel and block (family) */
    size_t bytes;
    int seen, misses;
    int timed, alike; /* launches in a row: that took what was predicted; with the same arguments */
    int guesses;      /* timed ones whose time was predicted */
    /* of memory: before this launch; where its effect is known (changes: what it writes then, NULL: nothing), and after
     * it; where it last ran and changed something */
    uint64_t before[2], state[2], after[2], met[2];
    struct memory_copy *copy; /* of memory before this launch, to learn what it changes */
    struct changes *changes;
    uint64_t plain;
    double seconds, real, reach; /* reach: how far work may be from that of the last timed one */
    double fewest, most;         /* blocks of timed ones */
    double spent;                /* work of all timed ones */
    double off;                  /* how far timed ones were from what was predicted: the largest part, lately */
    /* work of a timed one for each of the same launch without the clock; work of the last one that ran without it, and
     * that was beyond. 0: unknown */
    double waits, untimed;
    int untold, spell;                 /* launches predicted since the last timed one; as many as may be */
    double since;                      /* their cycles */
    repeat_point point[REPEAT_POINTS]; /* timed ones that differ in work, the last one first */
    int points;
    sim_result result; /* the numbers of the last one */
} repeat;
repeat *repeat_find(device *d, const launch_config *c, const void *params, size_t bytes);
repeat *repeat_family(device *d, const launch_config *c);
bool repeat_known(device *d, repeat *r);
void repeat_ran(device *d, repeat *r, const sim_result *result, double seconds, double real);
void repeat_begins(repeat *shape, const unsigned char *params, size_t bytes);
bool repeat_steady(const repeat *shape);
bool repeat_stands_in(const repeat *family, const repeat *shape, const launch_config *c);
double repeat_timed(repeat *shape, const launch_config *c, const sim_result *r);
double repeat_cycles(repeat *shape, const sim_result *r);
double repeat_within(const repeat *shape);

/* changes.c */
struct memory_copy *memory_copy_make(device *d);
void memory_copy_free(struct memory_copy *m);
struct changes *changes_since(const device *d, const struct memory_copy *m);
void changes_free(struct changes *c);
void changes_repeat(device *d, const struct changes *c);
void changes_settle(device *d);

enum op_kind { OP_LAUNCH, OP_COPY, OP_FILL, OP_HOST, OP_RECORD, OP_WAIT, OP_FREE, OP_DECIDE, OP_GRAPH_END };
typedef struct op {
    struct op *next;
    enum op_kind kind;
    stream *stream;
    uint64_t sequence;
    double issued; /* when the host had asked for it */
    double began, ended;
    bool begun, gave_way, interrupted, waits;
    bool waited;                    /* it did little but look at memory for long */
    uint64_t ticket;                /* when it gave way */
    double after;                   /* the latest end of what was performed meanwhile */
    void (*give_way)(void *, bool); /* what the simulator is to call while a launch runs */
    struct op *of;                  /* the one whose kernel launched this; NULL: the host did */
    struct graph_run *run;          /* of a graph that was launched */
    int node, *needs, need_count;   /* and the nodes that it waits for */
    union {
        struct {
            launch_config config;
            unsigned char *params;
            size_t param_bytes;
        } launch;
        copy copy;
        fill fill;
        struct {
            void (*call)(void *);
            void (*callback)(void *, int, void *);
            void *arg;
        } host;
        mark *mark;
        uint64_t free;
        struct {
            uint64_t at; /* of the condition, in the card's memory */
            int kind;    /* 0 if, 1 while, 2 switch; -1: it has been decided */
            unsigned count;
            struct graph **bodies;
        } decide;
    } u;
} op;

PUBLIC stream *stream_find(void *handle); /* of the current device for 0, 1, 2; NULL: no such stream */
PUBLIC int stream_new(device *d, unsigned flags, int priority, void **handle);
PUBLIC int stream_end(void *handle);
/* Puts a copy of the operation into the queue of the stream's device; while the stream is being
 * captured, into the graph. `waits`: comes back when it has been performed, with what went wrong. */
PUBLIC int submit(stream *st, op *o, bool waits);
/* Gives `code` back, for which a launch is refused, and keeps the reason for launch_answer. */
PUBLIC int launch_refuse(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *launch_reason(void); /* of the thread's last launch; it is no longer kept then */
/* What a launch answers is known: of one that was refused exec is told. */
PUBLIC int launch_answer(const launch_config *c, int code);
PUBLIC int submit_launch(stream *st, const launch_config *c, void **args, const void *block, size_t block_bytes);
PUBLIC int submit_copy(stream *st, const copy *c, bool async);
PUBLIC int submit_fill(stream *st, const fill *f, bool async);
PUBLIC int wait_stream(stream *st);
PUBLIC int wait_device(device *d);
PUBLIC int query_stream(stream *st);
void wait_sequence(device *d, uint64_t sequence); /* until it has been performed */
void wait_asked(stream *st);                      /* for what the stream was asked to do so far */
/* Until nobody performs, or all that do have given way: the caller may use d->s while it has the
 * lock. Nothing that kernels use may be freed: for that wait for all that was asked. */
void device_hold(device *d);
void device_let_go(device *d);
void device_free(device *d, uint64_t at, int mine); /* at once, or when no kernel runs any more */
bool core_idle(void);                               /* no device does anything, but for kernels that wait */
void op_free(op *o);
int launch_check(device *d, const launch_config *c, const sim_kernel *k);
int launch_perform(device *d, op *o, double *seconds, double *share);
/* Kernels that launch kernels (device_launch.c). */
extern const char device_launch_ptx[];
bool device_launch_wanted(const char *text); /* PTX that needs it */
bool device_launch_theirs(const char *text); /* what NVIDIA's device runtime is made of */
extern const char grid_sync_ptx[];           /* grid_sync.c */
bool grid_sync_wanted(const char *text);
int device_launch_prepare(device *d, sim_module *m);
int device_launches(device *d, op *o, double *seconds);
void print_flush(device *d);
PUBLIC int occupancy_blocks(device *d, function *f, uint32_t threads, uint32_t shared, sim_occupancy *out);

typedef struct event {
    void *handle;
    device *device;
    unsigned flags; /* 1 blocking, 2 no timing, 4 between processes */
    mark *mark;     /* NULL: never recorded */
    struct capture *capture;
    int captured;          /* the node it stands for */
    struct ipc_event *ipc; /* NULL: no other process has it */
    int ipc_fd;            /* -1: another process's */
    uint64_t ipc_inode;
} event;
PUBLIC int event_new(device *d, unsigned flags, void **handle);
PUBLIC int event_end(void *handle);
PUBLIC int event_record(event *e, stream *st);
PUBLIC int event_wait(event *e);
PUBLIC int event_query(event *e);
PUBLIC int event_elapsed(event *from, event *to, float *ms);
PUBLIC int stream_wait(stream *st, event *e);
void mark_drop(mark *m);

/* ---- what processes share (ipc.c) ---- */
enum { IPC_HANDLE_BYTES = 64 };
PUBLIC int ipc_show(uint64_t at, void *handle);
PUBLIC int ipc_open(device *d, const void *handle, uint64_t *at);
PUBLIC int ipc_close(uint64_t at);
void ipc_forget(uint64_t at); /* that memory has been freed */
PUBLIC int ipc_event_show(event *e, void *handle);
PUBLIC int ipc_event_open(device *d, const void *handle, void **out);
void ipc_event_end(event *e);
/* With what this process does itself, what others were asked for: */
int ipc_event_recorded(event *e, stream *st);
int ipc_event_awaited(event *e, stream *st);
void ipc_event_wait(const event *e);
bool ipc_event_passed(const event *e);

/* ---- graphs ---- */
typedef struct node {
    void *handle;
    struct graph *graph;
    int index;
    int type; /* CUDA's: 0 kernel, 1 copy, 2 fill, 3 host, 4 child, 5 empty, 6 wait, 7 record */
    op op;
    struct graph *child;
    void *event;
    uint64_t memory, memory_bytes; /* of one that allocates or frees */
    uint64_t condition;            /* of one with graphs of its own */
    int condition_kind;
    struct graph **bodies;
    unsigned body_count;
    int *needs;
    int need_count;
    bool gone, off;
} node;
typedef struct graph {
    void *handle;
    node **nodes;
    int count, refs;
    bool owned; /* a child's, or a capture's that goes on */
    struct condition {
        uint64_t at;
        uint32_t first;
        bool assigned; /* at each launch */
    } * conditions;
    int condition_count;
} graph;
typedef struct capture {
    graph *graph;
    stream *origin;
    int *tails[64]; /* by stream: the nodes that the next one needs */
    stream *streams[64];
    int tail_count[64], stream_count;
    int broken, mode;
    pthread_t thread; /* which began it */
    unsigned long long id;
    void **shown; /* to the program */
} capture;
typedef struct graph_exec { /* instantiated */
    graph *graph;
    unsigned long long flags;
} graph_exec;
PUBLIC graph *graph_new(void);
void graph_release(graph *g);
PUBLIC int graph_condition(graph *g, uint64_t at, uint32_t first, bool assigned);
PUBLIC int graph_bodies(node *n, unsigned count);
PUBLIC void graph_end(graph *g);
PUBLIC node *graph_add(graph *g, int type, const op *o, node **needs, size_t count);
/* The same of handles. */
PUBLIC int graph_add_node(void **out, void *handle, void *const *needs, size_t count, int type, const op *o,
                          node **made);
/* What a node asks for that launches; it owns a copy of the parameters. */
PUBLIC int graph_node_launch(device *d, const launch_config *c, void **params, op *o);
PUBLIC int graph_launch(graph *g, stream *st);
PUBLIC bool graph_is_ring(const graph *g); /* or one of the graphs in it: nodes wait for each other */
PUBLIC graph *graph_copy(const graph *g);
PUBLIC int capture_begin(stream *st, int mode, graph *into);
PUBLIC int capture_thread_mode(int mode); /* of the calling thread from now on; before */
PUBLIC int capture_allows(void); /* a call that no graph can hold: E_OK, or the captures that forbid it are broken */
PUBLIC int capture_finish(stream *st, graph **out);
PUBLIC int capture_tails(stream *st, void ***list, size_t *count);
PUBLIC int capture_set_tails(stream *st, void *const *nodes, size_t count, bool replace);
int capture_op(stream *st, const op *o);
int capture_record(stream *st, event *e);
int capture_wait(stream *st, event *e);
typedef struct graph_run {
    int refs;
    bool begun;
    double began, ended;
    double *end; /* by node */
} graph_run;

/* ---- time ---- */
PUBLIC double time_now(void);    /* the calling thread's, in simulated seconds */
void time_spend(double seconds); /* the calling thread did something that takes this long */
void time_until(double when);
void time_start(void);  /* clocks begin to differ from the real ones */
void time_inside(void); /* the calling thread's own work has ended: the library's begins */
void time_outside(void);
double time_real(void); /* of a clock that only goes forward */
double time_furthest(void);
bool time_simulated(void);       /* the program asks, and simulated time is what it wants to know */
double time_of_clock(int id);    /* what that clock of the host shows now; negative: there is no such */
void time_slept(double seconds); /* the calling thread, which has done nothing since */
void time_woken(void);           /* by what another thread did */
/* A wait of the library's own, in real time: false: so many seconds are over. */
bool time_wait_for(pthread_cond_t *c, double seconds);

/* ---- what exec's report is made of ---- */
void record_open(int fd);
/* ---- crashes (crash.c) ---- */
void crash_watch(void);

PUBLIC void record_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void record_refused(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* code that cannot be run at all */
PUBLIC void record_missing(const char *name); /* a function that is not there yet was called */
/* A launch was refused; kind: of the reason, whose numbers differ from launch to launch. Unread: the program is told by
 * the last error alone, which ... */
void record_unrun(const launch_config *c, int code, const char *kind, const char *reason);
PUBLIC void record_error_read(void); /* ... the calling thread asks for now */
/* within: how far `seconds` may be off, where they were predicted */
void record_launch(const device *d, const launch_config *c, const sim_result *r, double seconds, bool timed,
                   double within);
/* Launches of the kernel before it, whose time was predicted, took so many seconds more (less than 0: fewer). */
void record_off(const char *kernel, double seconds);
void record_faults(const sim_result *r);
void record_copy(int direction, uint64_t bytes, double seconds);
void record_wait(double seconds);
/* The fields of struct program_event (cuda/records.def); on: the stream. */
void record_event(char what, int card, uint64_t on, double begin, double seconds, const char *name,
                  const char *detail);
void record_end(void);
/* libraries.c: of library_names.h */
void library_note(const char *file);
void libraries_record(void); /* those that the program has loaded */
/* The file that an address lies in ("": the program's), and what was added to its addresses. False: in none. */
PUBLIC bool core_object_of(const void *inside, const char **file, uint64_t *base);

/* ---- launches that are kept for later (snapshots.c); nothing is, unless exec asks for it ---- */
struct kept_buffer;
struct kept_buffer *spoil_begin(device *d); /* before a kernel; after it, freed: */
void spoil_end(device *d, struct kept_buffer *all);
struct snapshot;
void snapshots_open(const char *path);
struct snapshot *snapshot_begin(device *d, const op *o);
/* r: NULL if it could not be run. */
void snapshot_end(struct snapshot *s, device *d, const op *o, const sim_result *r, double seconds);
void snapshot_took(const launch_config *c, double seconds); /* each launch, also those that were not run */

#endif
