/* copies.c: bulk copies, boxes of tensors and tensor maps: a line per case with a hash of the memory after it.
 *
 *     copies copies.ptx            on the driver that is there: a card's, or ours under `warpstep exec`
 *     copies copies.ptx mistakes   what the driver says after each mistake
 *
 * copies.h200 and mistakes.h200 hold what an NVIDIA H200 printed (driver 580, CUDA 13.0); copies.sh
 * compares. A case that ends the context says so; the rest goes on in a new process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define EACH(list) (int i = 0; i < (int)(sizeof list / sizeof *list); i++)
enum { IMAGE = 32768, ROOM = 1 << 19 };
enum { LOAD, STORE, ADD, MIN, MAX, INC, DEC, AND, OR, XOR };
enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };
typedef struct tensor_map {
    _Alignas(64) uint64_t opaque[16];
} tensor_map;
typedef uint64_t address;

/* ---- the driver ---- */
static struct driver {
    int (*init)(unsigned), (*device)(int *, int), (*retain)(void **, int), (*set)(void *);
    int (*load)(void **, const void *), (*function)(void **, void *, const char *), (*attribute)(void *, int, int);
    int (*alloc)(address *, size_t), (*to)(address, const void *, size_t), (*from)(void *, address, size_t);
    int (*sync)(void), (*error)(int, const char **);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*encode)(tensor_map *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                  const uint32_t *, int, int, int, int);
} cu;
static const char *now = "start";
static int *at_case; /* shared with the parent: the case that runs */
static void *module;
static address tensor, src, out, arrived, map;
static unsigned char *host, *before;

static void ok(int code)
{
    if (!code) return;
    const char *name = "?";
    if (cu.error) cu.error(code, &name);
    printf("%-34s %s\n", now, name);
    fflush(stdout);
    _exit(7);
}
static void start(const char *path)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW), *context;
    static const struct {
        void *at;
        const char *name;
    } need[] = {{&cu.init, "cuInit"},
                {&cu.device, "cuDeviceGet"},
                {&cu.retain, "cuDevicePrimaryCtxRetain"},
                {&cu.set, "cuCtxSetCurrent"},
                {&cu.load, "cuModuleLoadData"},
                {&cu.function, "cuModuleGetFunction"},
                {&cu.attribute, "cuFuncSetAttribute"},
                {&cu.alloc, "cuMemAlloc_v2"},
                {&cu.to, "cuMemcpyHtoD_v2"},
                {&cu.from, "cuMemcpyDtoH_v2"},
                {&cu.sync, "cuCtxSynchronize"},
                {&cu.error, "cuGetErrorName"},
                {&cu.launch, "cuLaunchKernel"},
                {&cu.encode, "cuTensorMapEncodeTiled"}};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++) {
        void *p = lib ? dlsym(lib, need[i].name) : NULL;
        if (!p) {
            printf("libcuda has no %s\n", need[i].name);
            _exit(1);
        }
        memcpy(need[i].at, &p, sizeof p);
    }
    int device;
    char *text = calloc(1, 1 << 20);
    FILE *f = fopen(path, "r");
    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) _exit(1);
    fclose(f);
    ok(cu.init(0)), ok(cu.device(&device, 0)), ok(cu.retain(&context, device)), ok(cu.set(context));
    ok(cu.load(&module, text));
    free(text);
    ok(cu.alloc(&tensor, ROOM)), ok(cu.alloc(&src, 4 * IMAGE)), ok(cu.alloc(&out, 4 * IMAGE));
    ok(cu.alloc(&arrived, 64)), ok(cu.alloc(&map, 1024));
    host = malloc(ROOM), before = malloc(ROOM);
    if (!host || !before) _exit(1);
}
static void run(const char *kernel, unsigned blocks, void **arguments)
{
    void *f;
    ok(cu.function(&f, module, kernel));
    ok(cu.attribute(f, 8, IMAGE + 1024)); /* dynamic shared memory, at most */
    ok(cu.launch(f, blocks, 1, 1, 128, 1, 1, IMAGE + 1024, NULL, arguments, NULL));
    ok(cu.sync());
}

/* ---- values ---- */
static uint32_t hash(const void *p, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ ((const unsigned char *)p)[i]) * 16777619u;
    return h;
}
static uint32_t mix(uint32_t x)
{
    x *= 2654435761u, x ^= x >> 15, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u;
    return x ^ x >> 16;
}
static const int size_of[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
enum { ANY, NEAR_1, SPECIAL };
static void fill(void *p, size_t n, uint32_t seed, int type, int kind)
{
    static const uint32_t word[] = {0x00000001, 0x807fffff, 0x00400000, 0x7f800000, 0x7fc00001, 0xff800000,
                                    0x80000000, 0x3f800fff, 0x3f801000, 0x3f801001, 0x3f803000, 0x7f7fffff,
                                    0x7f800001, 0x00800000, 0x007ff000, 0xbf801fff};
    static const uint16_t half[] = {0x0001, 0x8001, 0x03ff, 0x7c00, 0x7e01, 0xfc00, 0x8000, 0x0400,
                                    0x0080, 0x7f80, 0xff81, 0x7bff, 0x3c01, 0x3f81, 0x0200, 0x807f};
    const bool word_type = type == F32 || type >= F32_FTZ, half_type = type == F16 || type == BF16;
    for (size_t i = 0; i < n; i += 4) {
        const uint32_t at = (uint32_t)(i / 4);
        uint32_t x = mix(at * 2 + seed * 7919u);
        if (kind == NEAR_1 && half_type) {
            const uint32_t s = type == F16 ? 10 : 7, base = type == F16 ? 13 : 125, keep = 0x8000 | ((1u << s) - 1);
            uint32_t low = x & 0xffff, high = x >> 16;
            low = (low & keep) | (base + low % 5) << s, high = (high & keep) | (base + high % 5) << s;
            x = low | high << 16;
        } else if (kind == NEAR_1 && type == F64) {
            if (i & 4) x = (x & 0x800fffff) | (1021 + x % 5) << 20;
        } else if (kind == NEAR_1 && word_type) {
            x = (x & 0x807fffff) | (125 + x % 5) << 23;
        } else if (kind == SPECIAL && word_type) {
            x = word[at % 16];
            if (seed & 1) x = i / 64 % 3 == 0 ? x : i / 64 % 3 == 1 ? 0x00300000 : 0x80000003;
        } else if (kind == SPECIAL) {
            x = half[(i / 2 + seed) % 16] | (uint32_t)half[(i / 2 + 1 + seed * 3) % 16] << 16;
        }
        memcpy((char *)p + i, &x, 4);
    }
}
static void set_up(int type, int kind)
{
    const int no = -1;
    fill(before, ROOM, 1, type, kind);
    ok(cu.to(tensor, before, ROOM));
    fill(host, IMAGE, 2, type, kind);
    ok(cu.to(src, host, IMAGE));
    ok(cu.to(arrived, &no, 4));
}
/* what is in `from` now; of the tensor also how many of its bytes are others than before */
static void look(const char *name, bool tile, bool waited)
{
    int got;
    const size_t n = tile ? IMAGE : ROOM;
    ok(cu.from(host, tile ? out : tensor, n)), ok(cu.from(&got, arrived, 4));
    printf("%-34s %08x", name, hash(host, n));
    if (!tile) {
        int changed = 0;
        for (size_t i = 0; i < n; i++) changed += host[i] != before[i];
        printf(" %d", changed);
    }
    printf("%s\n", !waited ? "" : got == 1 ? " arrived" : " short");
}

/* ---- boxes ---- */
typedef struct box {
    const char *name;
    int op, type, rank;
    uint64_t dim[5];
    uint32_t box[5];
    int at[5];
    int swizzle, fill, kind;
    uint32_t offset;
    uint32_t step[5];
    int pad;        /* bytes between rows, beyond the next multiple of 16 */
    int interleave; /* of boxes: 1 by 16, 2 by 32 bytes */
} box;
static const box boxes[] = {
#include "boxes.h"
};
static int map_of(tensor_map *m, const box *c, uint32_t *bytes)
{
    uint64_t stride[4] = {0}, next = (c->dim[0] * (uint64_t)size_of[c->type] + 15) / 16 * 16 + (uint64_t)c->pad;
    uint32_t step[5];
    *bytes = (uint32_t)size_of[c->type];
    for (int i = 0; i < 5; i++) step[i] = c->step[i] ? c->step[i] : 1;
    for (int i = 0; i < c->rank; i++) {
        const uint32_t s = i ? step[i] : 1;
        *bytes *= (c->box[i] + s - 1) / s;
    }
    for (int i = 0; i + 1 < c->rank; i++) stride[i] = next, next *= c->dim[i + 1];
    return cu.encode(m, c->type, (uint32_t)c->rank, (void *)(uintptr_t)tensor, c->dim, stride, c->box, step,
                     c->interleave, c->swizzle, 0, c->fill);
}
static void copy_box(const box *c, const char *name, const tensor_map *m, uint32_t bytes, bool there)
{
    int op = c->op, rank = c->rank;
    uint32_t offset = c->offset;
    int at[5];
    memcpy(at, c->at, sizeof at);
    void *arguments[] = {
        there ? (void *)&map : (void *)(uintptr_t)m, &op, &rank, at, &offset, &bytes, &src, &out, &arrived};
    run(there ? "box_there" : "box", 1, arguments);
    look(name, op == LOAD, op == LOAD);
}
static void do_box(const box *c)
{
    tensor_map m;
    uint32_t bytes;
    const int code = map_of(&m, c, &bytes);
    now = c->name;
    if (code) printf("%-34s refused %d\n", c->name, code);
    if (code) return;
    set_up(c->type, c->kind);
    copy_box(c, c->name, &m, bytes, false);
}

/* ---- without maps ---- */
static const char *const reductions[] = {
#define DO(i, o) [i] = o,
#include "reductions.h"
};
static int reduction_type(const char *o)
{
    static const struct {
        const char *end;
        int type;
    } ends[] = {{"u32", U32}, {"s32", S32}, {"b32", U32}, {"u64", U64}, {"s64", S64},
                {"b64", U64}, {"f16", F16}, {"f32", F32}, {"f64", F64}};
    const char *end = o + strlen(o) - 3;
    if (strstr(o, "bf16")) return BF16;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(ends[i].end, end)) return ends[i].type;
    return U32;
}
static void do_bulk(int which, const char *name, int type, int kind, address to, uint32_t offset, uint32_t bytes)
{
    now = name;
    set_up(type, kind);
    void *arguments[] = {&which, &to, &src, &offset, &bytes, &out, &arrived};
    run("bulk", 1, arguments);
    look(name, which == -2, which == -2);
}

/* ---- tensormap.replace ---- */
static void do_replace(int what)
{
    static const char *const fields[] = {"global_address",    "rank 2 (of 2)",
                                         "box_dim 7 (of 16)", "global_dim 10",
                                         "global_stride 512", "element_stride 1",
                                         "elemtype s32",      "interleave 0",
                                         "swizzle 128",       "fill nan",
                                         "elemtype tf32",     "elemtype f32.ftz",
                                         "element_stride 2",  "box_dim 15 (of 32), dimension 0"};
    static const box c = {"", LOAD, F32, 2, {64, 64}, {32, 16}, {40, 5}};
    tensor_map m;
    uint32_t bytes;
    char name[80];
    snprintf(name, sizeof name, "replace %s", fields[what]);
    now = name;
    ok(map_of(&m, &c, &bytes));
    set_up(F32, ANY);
    address place = tensor + 8192;
    void *arguments[] = {&m, &map, &place, &what};
    run("replace", 1, arguments);
    if (what == 2) bytes = 32 * 7 * 4;
    if (what == 12) bytes = 32 * 8 * 4;
    if (what == 13) return; /* a row of 60 bytes: not looked at */
    copy_box(&c, name, &m, bytes, true);
}

/* ---- what the driver takes ---- */
typedef struct take {
    const char *name;
    int type, rank;
    uint64_t address, dim[5], stride[4];
    uint32_t box[5], step[5];
    int interleave, swizzle, promotion, fill;
} take;
static const take takes[] = {
#include "takes.h"
};

/* ---- clusters ---- */
static void do_cluster(int how)
{
    static const char *const names[] = {"cluster, each its own", "multicast tensor", "multicast bulk",
                                        "shared to shared"};
    char name[80];
    const int type = how < 4 ? F32 : reduction_type(reductions[how - 4]);
    const box c = {"", LOAD, type, 2, {64, 64}, {32, 8}};
    tensor_map m;
    uint32_t bytes;
    int got[4];
    if (how < 4) snprintf(name, sizeof name, "%s", names[how]);
    else snprintf(name, sizeof name, "shared reduce %s", reductions[how - 4]);
    now = name;
    ok(map_of(&m, &c, &bytes));
    set_up(type, ANY);
    fill(host, 4 * IMAGE, 3, type, ANY);
    ok(cu.to(src, host, 4 * IMAGE));
    bytes = 1024;
    void *arguments[] = {&m, &how, &bytes, &src, &out, &arrived};
    run("multicast", 4, arguments);
    ok(cu.from(got, arrived, sizeof got)), ok(cu.from(host, out, 4 * IMAGE));
    printf("%-34s", name);
    for (int i = 0; i < 4; i++) printf(" %08x%s", hash(host + i * IMAGE, IMAGE), got[i] == 1 ? "" : " short");
    printf("\n");
}

/* ---- mistakes ---- */
static const struct {
    int which;
    const char *name;
} mistakes[] = {
    {0, "a store to a block that ended"},
    {1, "a load from a block that ended"},
    {2, "st.async to a block that ended"},
    {3, "an arrival at a block that ended"},
    {4, "multicast to a block that ended"},
    {5, "a cluster's barrier, one ended"},
    {10, "24 bytes"},
    {11, "to shared memory + 8"},
    {12, "from global memory + 8"},
    {13, "0 bytes"},
    {14, "a barrier object at + 4"},
    {15, "multicast to a third of two"},
    {16, "a box to shared memory + 16"},
    {17, "a box to shared memory + 64"},
    {18, "a map at + 16"},
    {19, "no map"},
    {20, "one coordinate of two"},
    {21, "expect_tx 2^20"},
    {22, "a count of 0"},
    {23, "a count of 2^20"},
    {24, "a block that is not there"},
    {25, "griddepcontrol twice"},
    {26, "an arrival too many"},
    {27, "bytes that nobody expected"},
    {28, "two arrivals too many"},
};
static void do_mistake(int i)
{
    static const box c = {"", LOAD, F32, 2, {64, 64}, {32, 8}};
    tensor_map m;
    uint32_t bytes;
    int which = mistakes[i].which, got = 0;
    now = mistakes[i].name;
    ok(map_of(&m, &c, &bytes));
    memset(host, 0, ROOM);
    memcpy(host + 16, &m, 128);
    ok(cu.to(tensor, host, ROOM));
    void *arguments[] = {&m, &tensor, &which};
    run("mistake", 2, arguments);
    ok(cu.from(&got, tensor, 4));
    printf("%-34s %s\n", now, got == 7 ? "no error" : "did not end as it should");
}

/* ---- how many clusters a card holds ---- */
static int clusters(void)
{
    static const int sizes[] = {1, 2, 4, 8, 16}, bytes[] = {0, 40000, 100000, 180000, 227 * 1024},
                     threads[] = {32, 256, 1024};
    struct {
        unsigned grid[3], block[3], shared;
        void *stream;
        struct {
            int id;
            char space[4];
            unsigned value[16];
        } * attributes;
        unsigned count;
    } config;
    int (*active)(int *, void *, const void *), (*potential)(int *, void *, const void *);
    void *lib = dlopen("libcuda.so.1", RTLD_NOW), *f,
         *p[] = {dlsym(lib, "cuOccupancyMaxActiveClusters"), dlsym(lib, "cuOccupancyMaxPotentialClusterSize")};
    memcpy(&active, &p[0], sizeof active), memcpy(&potential, &p[1], sizeof potential);
    if (!active || !potential) return printf("libcuda has no cuOccupancyMaxActiveClusters\n"), 1;
    ok(cu.function(&f, module, "small"));
    ok(cu.attribute(f, 8, 227 * 1024));
    for (int big = 0; big < 2; big++) {
        if (big) ok(cu.attribute(f, 14, 1)); /* clusters of more than 8 */
        for
            EACH(bytes) for (int t = 0; t < 3; t++)
            {
                printf("%7d bytes, %4d threads%s:", bytes[i], threads[t], big ? ", any size" : "");
                for (int c = 0; c < 5; c++) {
                    struct {
                        int id;
                        char space[4];
                        unsigned value[16];
                    } a = {.id = 4, .value = {(unsigned)sizes[c], 1, 1}};
                    int n = -1;
                    memset(&config, 0, sizeof config);
                    config.grid[0] = 1024, config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
                    config.block[0] = (unsigned)threads[t], config.shared = (unsigned)bytes[i];
                    config.attributes = (void *)&a, config.count = 1;
                    const int code = active(&n, f, &config);
                    if (code) printf(" error %d", code);
                    else printf(" %d", n);
                }
                int most = -1;
                config.count = 0;
                const int code = potential(&most, f, &config);
                printf(", at most %d", code ? -code : most);
                printf("\n");
            }
    }
    return 0;
}

#define STEP                         \
    if (step++ < *at_case) continue; \
    else if (++*at_case, alarm(60), true)
static int work(int argc, char **argv)
{
    static char name[80];
    int step = 0;
    start(argv[1]);
    if (argc > 2 && !strcmp(argv[2], "clusters")) return clusters();
    if (argc > 2) {
        for
            EACH(mistakes) STEP do_mistake(i);
        return 0;
    }
    for
        EACH(boxes) STEP do_box(&boxes[i]);
    for
        EACH(reductions)
        {
            const int type = reduction_type(reductions[i]), special = strchr(reductions[i], 'f') != NULL;
            for (int k = special; k <= 2 * special; k++) STEP
                {
                    snprintf(name, sizeof name, "reduce %s%s", reductions[i], k == SPECIAL ? " special" : "");
                    do_bulk(i, name, type, k, tensor + 48, 0, 4096);
                }
        }
    static const int lengths[] = {16, 48, 4096, 16400, 32768};
    for
        EACH(lengths) STEP
        {
            snprintf(name, sizeof name, "store of %d bytes", lengths[i]);
            do_bulk(-1, name, U8, ANY, tensor + 16 * (address)i, (uint32_t)(IMAGE - lengths[i]), (uint32_t)lengths[i]);
        }
    for
        EACH(lengths) STEP
        {
            snprintf(name, sizeof name, "load of %d bytes", lengths[i]);
            do_bulk(-2, name, U8, ANY, tensor + 16 * (address)i, (uint32_t)(IMAGE - lengths[i]), (uint32_t)lengths[i]);
        }
    for (int i = 0; i < 14; i++) STEP do_replace(i);
    for
        EACH(takes) STEP
        {
            tensor_map m;
            const take *t = &takes[i];
            now = t->name;
            printf("encode %-27s %d\n", t->name,
                   cu.encode(&m, t->type, (uint32_t)t->rank, (void *)(uintptr_t)(tensor + t->address), t->dim,
                             t->stride, t->box, t->step, t->interleave, t->swizzle, t->promotion, t->fill));
        }
    for (int i = 0; i < 16; i++) STEP do_cluster(i);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    at_case = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at_case == MAP_FAILED) return 2;
    for (int status = 7 << 8, tries = 0; WIFEXITED(status) && WEXITSTATUS(status) == 7 && tries < 200; tries++) {
        fflush(stdout);
        const pid_t child = fork();
        if (!child) {
            const int r = work(argc, argv);
            fflush(stdout);
            _exit(r);
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) {
            printf("case %d: %s\n", *at_case, WTERMSIG(status) == SIGALRM ? "does not end" : "the process died");
            if (!*at_case) return 1;
            status = 7 << 8;
        }
    }
    return 0;
}
