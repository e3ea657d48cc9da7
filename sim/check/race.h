/* race.h: how the race checker remembers accesses and what orders them. (Shared memory comes here
 * only when interval.c cannot tell that all is well.)
 *
 * Time. A block has a clock that advances at everything that orders its threads: barriers, fences,
 * releases. An access is stamped with the clock, so "thread t knows thread u up to time x" orders
 * all of u's accesses stamped x or less before t's next ones. Time does not restart when the
 * block's structure is used for the next block of the grid: its start counts as a barrier, and what
 * is left of the last block lies before that.
 *
 * Cells. Each 4-byte word (byte, where a program uses bytes) remembers its last writer and two
 * readers, of different warps if possible:
 *
 *    63            32 31       16 15    11 10    6 5     1   0
 *   | stamp          | slot      | warp   | lane A | lane B | strong |      0: none yet
 *
 * Lanes A to B of the warp did it together, A and B for certain. `slot` names the instruction. In
 * shared memory the stamp is the block's time; in global memory it is the number of an *epoch*,
 * which stands for a block and its time. Cells live in pages of 4 KiB. As long as whole warps take
 * whole aligned segments of 128 bytes a page has one cell per segment: word i belongs to lane A +
 * (i >> k), with k from B - A. Anything else spreads the page into words.
 *
 * Clusters. Where blocks reach each other's shared memory, its cells are as those of global memory: in pages of the
 * block that owns it, with epochs as stamps. They are dropped when the block's structure begins another block.
 *
 * Strong accesses (atomic, volatile, relaxed and stronger) do not race with each other. But where one of two is a load
 * whose value is data, and nothing orders them, the value is there by luck: that is reported too (by_luck in race.c).
 *
 * The quick test is `stamp - lo <= span`: older than the block's last full barrier. What fails it
 * goes to race_ordered, which knows of warp barriers, named barriers, fences and releases. So a
 * check is exact, and cheap in the common case.
 */
#ifndef SIM_RACE_H
#define SIM_RACE_H

#include "check.h"
#include "interval.h"

#define CELL_STRONG UINT64_C(1)
#define CELL_WHO    UINT64_C(0xfffe) /* warp and lanes */
static inline uint32_t cell_stamp(uint64_t e) { return (uint32_t)(e >> 32); }
static inline uint32_t cell_slot(uint64_t e) { return (uint32_t)(e >> 16) & 0xffff; }
static inline uint32_t cell_warp(uint64_t e) { return (uint32_t)(e >> 11) & 31; }
static inline uint32_t cell_a(uint64_t e) { return (uint32_t)(e >> 6) & 31; }
static inline uint32_t cell_b(uint64_t e) { return (uint32_t)(e >> 1) & 31; }
#define CELL_LANES(a, b) ((uint64_t)(a) << 6 | (uint64_t)(b) << 1)

enum { PAGE_BITS = 12, PAGE_BYTES = 1 << PAGE_BITS, SEGMENT_BITS = 7, SEGMENTS = PAGE_BYTES >> SEGMENT_BITS };

typedef struct cell {
    uint64_t w, r0, r1;
} cell;

typedef struct page {
    cell *word;               /* NULL: one cell per segment */
    uint32_t shift;           /* of a word: 2, or 0 when there is a cell per byte */
    uint32_t wrote[SEGMENTS]; /* stamp of the last write to a segment; 0: none */
    /* words with two readers, so that more readers make no difference: of different blocks; in
     * shared memory of different warps, since the full barrier in `period` */
    uint32_t settled[SEGMENTS];
    uint32_t period[SEGMENTS];
    cell segment[SEGMENTS];
} page;

static inline size_t page_word_bytes(uint32_t shift) { return ((size_t)PAGE_BYTES >> shift) * sizeof(cell); }

/* ---- locations through which threads synchronise ---- */
/* What a thread has made visible: all accesses stamped `own` or less of its own, and so on. */
typedef struct published {
    uint32_t own;   /* its own accesses */
    uint32_t warp;  /* of all lanes of its warp */
    uint32_t all;   /* of all threads of its block */
    uint32_t *more; /* by thread, when the above does not say it all ... */
    bool wide;      /* ... that is, when this is set */
} published;

typedef struct release {
    uint64_t block_linear;
    uint32_t place; /* in the order of the location's releases */
    uint32_t older; /* the next older one of this block at this location, 0: none */
    uint32_t lanes;
    uint8_t warp;
    bool beyond_block; /* after a fence of gpu scope or wider */
    published p;
} release;

/* A thread that acquires this location beyond `at` knows that other location up to `place`. */
typedef struct include {
    uint32_t location, place, at;
    bool shared;
} include;

typedef struct location {
    uint64_t key;   /* address, or offset in shared memory with the top bit set */
    uint32_t count; /* releases so far */
    uint32_t seen_query, seen_place;
    include *includes;
    uint32_t include_count, include_capacity;
} location;

/* locations of global memory: one per worker; of shared memory: one per block */
typedef struct sync_set {
    location *list;
    uint32_t count, capacity;
    uint32_t *by_key; /* hash: index + 1 */
    uint32_t key_room;
    release *releases; /* 1.. */
    uint32_t release_count, release_capacity;
    struct block_release {
        uint64_t block_linear;
        uint32_t location, head;
    } * by_block; /* hash: a block's latest there */
    uint32_t block_room, block_used;
    uint32_t query;
    bool full; /* out of memory: from here on everything counts as ordered */
} sync_set;

#define ANY_THREAD UINT32_MAX
/* a thread has read what was released at a location */
typedef struct edge {
    uint32_t thread, time, location, place;
    bool shared; /* the location is in the block's own set */
} edge;

/* ---- what the threads of a block know of each other ---- */
struct warp_order {
    uint32_t full;    /* all lanes know all lanes of this warp up to here */
    bool partial;     /* known[][] is in use */
    uint32_t depends; /* lanes that have waited for the launch before */
    uint32_t known[32][32];
};

typedef struct proxy_watch proxy_watch; /* proxy.c */

/* A barrier object: who called mbarrier.init, where and when. */
enum { MOST_OBJECTS = 64 };
typedef struct made_object {
    uint32_t at, time;
    uint16_t slot, thread;
    bool fenced; /* by that thread, for copies, which reach it through another proxy */
} made_object;

struct block_order {
    struct block_order *next_spare;
    struct race_worker *worker;
    block *b;
    uint64_t linear;
    uint32_t time;                                /* now */
    uint32_t start;                               /* when the block began */
    uint32_t full;                                /* last full barrier: all up to here is known */
    uint32_t last_meeting;                        /* last barrier of any kind */
    uint32_t epoch;                               /* of now; 0: none yet */
    uint32_t first_epoch, last_epoch, full_epoch; /* this block's; full_epoch: before full */
    bool mixed;                                   /* epochs of other blocks lie between them */
    bool named;                                   /* warps[][] is in use */
    bool fenced;                                  /* `pub` is in use */
    bool fences;                                  /* since the last full barrier */
    uint32_t warps;
    uint32_t (*known)[32]; /* [w][v]: all threads of warp w know all of warp v up to here */
    struct {
        uint32_t lanes[32], known[32];
        bool any;
    } arrived[16]; /* bar.arrive, not completed yet */
    struct warp_order *warp;
    published *pub[2];     /* by thread: visible within the block, visible on the card */
    uint32_t shown_all[2]; /* what every thread has visible since the last full barrier */
    uint32_t *shown[2];    /* the same by thread, when shown_one is not NOBODY */
    uint32_t shown_one[2]; /* the only thread for which shown[] exceeds shown_all; SEVERAL */
    edge *edges;
    uint32_t edge_count, edge_capacity;
    uint32_t *latest; /* by thread: its latest edge, probably */
    sync_set sync;
    page *pages; /* of shared memory */
    uint32_t page_count;
    bool clustered;                        /* other blocks reach its shared memory */
    page **far_pages;                      /* then: of shared memory */
    uint32_t waited;                       /* threads that went on after the last phase of the cluster's barrier */
    uint32_t depends_time, depends_thread; /* the first griddepcontrol.wait; 0: none yet */
    proxy_watch *proxy;                    /* NULL: no bulk copy and no product reads shared memory */
    made_object made[MOST_OBJECTS];
    uint32_t made_count;
    interval interval; /* shared memory since the last full barrier, while it is simple */
};
#define NOBODY  UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

/* reported already: only counted */
typedef struct seen_race {
    uint32_t pc, other_pc;
    uint32_t kind;
    enum race_scope scope;
    uint64_t linear, times;
} seen_race;
enum { SEEN_ROOM = 256 };

typedef struct race_worker {
    struct race_state *state;
    struct epoch {
        uint64_t linear;
        uint32_t time;
    } * epochs; /* 1.. */
    uint32_t epoch_count, epoch_capacity;
    sync_set sync;
    struct block_order *spare;
    struct block_order **orders;
    uint32_t order_count;
    uint64_t bytes, peak;
    bool blind;  /* the limit on memory is reached: global memory is no longer watched */
    void **kept; /* vectors that live as long as the launch */
    uint32_t kept_count, kept_capacity;
    seen_race seen[SEEN_ROOM];
} race_worker;

/* what alloc->shadow points to during a launch */
typedef struct race_alloc {
    page ***by_worker; /* [worker] -> [page number] */
    uint64_t pages;
    uint32_t number; /* of the allocation */
} race_alloc;

enum race_role { ROLE_LOAD = 1, ROLE_STORE = 2, ROLE_ATOMIC = 4, ROLE_AWAITED = 8, ROLE_DATA = 16 };

struct race_state {
    launch *l;
    int workers;
    race_worker *worker;
    uint32_t *slot_pc; /* pc of each instruction slot */
    uint8_t *bulk;     /* slots of bulk copies */
    bool proxies;      /* some of them read shared memory */
    uint8_t *narrow;   /* slots with strong accesses of block scope (.cta); NULL: there are none */
    /* by slot, of strong accesses: enum race_role; and loads, once that has been asked: is the value awaited? */
    _Atomic uint8_t *role;
    uint64_t limit; /* bytes per worker */
    race_alloc **allocs;
    uint32_t alloc_count;
};

cell race_cell(const page *p, uint32_t in_page); /* of the word or byte there */

/* ---- earlier_launch.c ---- */
bool earlier_launch_keep(launch *l);
void earlier_launch_access(warp *w, const access *a);

/* ---- barrier_objects.c ---- */
static inline bool race_makes_object(const ptx_insn *in) { return in && in->op == OP_MBARRIER && ptx_has(in, S_INIT); }
void barrier_objects_begin(struct block_order *o); /* a block begins */
void barrier_objects_access(warp *w, const access *a);

/* awaited.c: is the value that a volatile or relaxed load reads waited for, rather than data? */
bool race_awaited(launch *l, const code_info *info);

#endif
