/* fault_matrix.c: every kind of memory fault, in every space, by every kind of access that PTX
 * allows there.
 *
 * `forms` lists the accesses, `spaces` the memory that they access, `mistakes` what is wrong with
 * the address. Each combination makes one small kernel of three blocks of 64 threads. All threads
 * make the same access, each to 16 bytes of its own; only thread 37 of block 2 makes the mistake.
 * The fault must name the kernel, the line, that thread and the address, and say what to do.
 * Reads of unwritten memory are tested the same way, and so are races: two threads at one address,
 * with and without what orders them.
 */
#include "kernel.h"

enum { THREADS = 64, BLOCKS = 3, BAD_BLOCK = 2, BAD_THREAD = 37, OWN = 16, MOST_FAULTS = 64 };

/* ---- spaces ---- */
enum { G = 1, S = 2, L = 4, C = 8, P = 16, NG = 32, NS = 64, NL = 128, NC = 256, NP = 512 };
enum {
    EXPLICIT = G | S | L | C | P,
    GENERIC = NG | NS | NL | NC | NP,
    GLOBALS = G | NG,
    SHAREDS = S | NS,
    LOCALS = L | NL,
    CONSTS = C | NC,
    PARAMS = P | NP,
    WRITABLE = GLOBALS | SHAREDS | LOCALS,
    ATOMIC = GLOBALS | SHAREDS
};

/* `base` leaves the address of the region in %rd10. `places` is the number of threads that have 16
 * bytes of their own in it. */
static const struct space {
    unsigned bit;
    const char *name, *suffix, *base, *resolved;
    uint32_t places;
} spaces[] = {
    {G, "global", ".global", "ld.param.u64 %rd10, [data];", "global", BLOCKS *THREADS},
    {NG, "generic to global", "", "ld.param.u64 %rd10, [data];", "global", BLOCKS *THREADS},
    {S, "shared", ".shared", "mov.u64 %rd10, room;", "shared", THREADS},
    {NS, "generic to shared", "", "mov.u64 %rd10, room;\ncvta.shared.u64 %rd10, %rd10;", "shared", THREADS},
    {L, "local", ".local", "mov.u64 %rd10, mine;", "local", 1},
    {NL, "generic to local", "", "mov.u64 %rd10, mine;\ncvta.local.u64 %rd10, %rd10;", "local", 1},
    {C, "const", ".const", "mov.u64 %rd10, table;", "const", THREADS},
    {NC, "generic to const", "", "mov.u64 %rd10, table;\ncvta.const.u64 %rd10, %rd10;", "global", THREADS},
    {P, "param", ".param", "mov.b64 %rd10, pack;", "param", THREADS},
    {NP, "generic to param", "", "mov.b64 %rd10, pack;\ncvta.param.u64 %rd10, %rd10;", "param", THREADS},
};
enum { SPACES = sizeof spaces / sizeof spaces[0] };

/* ---- accesses ---- */
/* In `access`, ~ stands for the space's suffix and $ for the address. %r31 is the thread's own
 * place in shared memory, %rd13 its place in global memory, for the other side of copies. */
typedef struct form {
    const char *name, *access;
    uint32_t bytes;
    enum { READS, STORES, CHANGES } kind;
    unsigned where;
    const char *after;  /* what completes a copy, so that it shows */
    const char *before; /* what the thread does first, at its own place */
} form;

#define BULK_IN   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
#define BULK_OUT  "cp.async.bulk.global.shared::cta.bulk_group "
#define BULK_OUT_DONE " cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
#define BULK_DONE "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
static const form forms[] = {
    {"ld.u8", "ld~.u8 %r20, [$];", 1, READS, EXPLICIT | GENERIC, 0, 0},
    {"ld.s16", "ld~.s16 %h1, [$];", 2, READS, EXPLICIT | GENERIC, 0, 0},
    {"ld.u32", "ld~.u32 %r20, [$];", 4, READS, EXPLICIT | GENERIC, 0, 0},
    {"ld.f64", "ld~.f64 %fd1, [$];", 8, READS, EXPLICIT | GENERIC, 0, 0},
    {"ld.v4.u8", "ld~.v4.u8 {%h1, %h2, %h3, %h4}, [$];", 4, READS, EXPLICIT | GENERIC, 0, 0},
    {"ld.v2.u32", "ld~.v2.u32 {%r20, %r21}, [$];", 8, READS, EXPLICIT | GENERIC, 0, 0},
    {"ld.v4.f32", "ld~.v4.f32 {%f1, %f2, %f3, %f4}, [$];", 16, READS, EXPLICIT | GENERIC, 0, 0},
    {"ld.v2.u64", "ld~.v2.u64 {%rd20, %rd21}, [$];", 16, READS, EXPLICIT | GENERIC, 0, 0},
    {"ld.volatile", "ld.volatile~.u32 %r20, [$];", 4, READS, WRITABLE, 0, 0},
    {"ld.relaxed", "ld.relaxed.gpu~.u32 %r20, [$];", 4, READS, ATOMIC, 0, 0},
    {"ld.acquire", "ld.acquire.gpu~.u64 %rd20, [$];", 8, READS, ATOMIC, 0, 0},
    {"ld.nc", "ld.global.nc.u32 %r20, [$];", 4, READS, G, 0, 0},
    {"ld.nc.v4", "ld.global.nc.v4.u32 {%r20, %r21, %r22, %r23}, [$];", 16, READS, G, 0, 0},
    {"ldu", "ldu.global.u32 %r20, [$];", 4, READS, G, 0, 0},
    {"ldu.v2", "ldu.global.v2.u32 {%r20, %r21}, [$];", 8, READS, G, 0, 0},
    {"st.u8", "st~.u8 [$], %h1;", 1, STORES, WRITABLE | NC | NP, 0, 0},
    {"st.u16", "st~.u16 [$], %h1;", 2, STORES, WRITABLE | NC | NP, 0, 0},
    {"st.u32", "st~.u32 [$], %r5;", 4, STORES, WRITABLE | NC | NP, 0, 0},
    {"st.f64", "st~.f64 [$], %fd1;", 8, STORES, WRITABLE | NC | NP, 0, 0},
    {"st.v2.u16", "st~.v2.u16 [$], {%h1, %h2};", 4, STORES, WRITABLE | NC | NP, 0, 0},
    {"st.v4.u32", "st~.v4.u32 [$], {%r5, %r5, %r5, %r5};", 16, STORES, WRITABLE | NC | NP, 0, 0},
    {"st.v2.f64", "st~.v2.f64 [$], {%fd1, %fd2};", 16, STORES, WRITABLE | NC | NP, 0, 0},
    {"st.volatile", "st.volatile~.u32 [$], %r5;", 4, STORES, WRITABLE, 0, 0},
    {"st.release", "st.release.gpu~.u32 [$], %r5;", 4, STORES, ATOMIC, 0, 0},
    {"atom.add.u32", "atom~.add.u32 %r20, [$], 1;", 4, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.add.u64", "atom~.add.u64 %rd20, [$], 1;", 8, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.add.f32", "atom~.add.f32 %f1, [$], %f2;", 4, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.add.f64", "atom~.add.f64 %fd1, [$], %fd2;", 8, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.add.noftz.f16x2", "atom~.add.noftz.f16x2 %r20, [$], %r5;", 4, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.cas.b16", "atom~.cas.b16 %h1, [$], %h2, %h3;", 2, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.cas.b64", "atom~.cas.b64 %rd20, [$], 1, 2;", 8, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.exch.b32", "atom~.exch.b32 %r20, [$], 1;", 4, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.inc.u32", "atom~.inc.u32 %r20, [$], 9;", 4, CHANGES, ATOMIC | NC, 0, 0},
    {"atom.v2.f32", "atom.global.v2.f32.add {%f1, %f2}, [$], {%f3, %f4};", 8, CHANGES, G, 0, 0},
    {"red.add.u32", "red~.add.u32 [$], 1;", 4, CHANGES, ATOMIC | NC, 0, 0},
    {"red.max.s64", "red~.max.s64 [$], 1;", 8, CHANGES, ATOMIC | NC, 0, 0},
    {"red.v4.f32", "red.global.v4.f32.add [$], {%f1, %f2, %f3, %f4};", 16, CHANGES, G, 0, 0},
    {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [$];", 16, READS, S, 0, 0},
    {"stmatrix", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$], {%r5, %r5, %r5, %r5};", 16, STORES, S, 0, 0},
    {"cp.async from, 4", "cp.async.ca.shared.global [%r31], [$], 4;", 4, READS, G, 0, 0},
    {"cp.async from, 16", "cp.async.cg.shared.global [%r31], [$], 16;", 16, READS, G, 0, 0},
    {"cp.async to, 8", "cp.async.ca.shared.global [$], [%rd13], 8;", 8, STORES, S, "cp.async.wait_all;", 0},
    {"cp.async to, 16", "cp.async.cg.shared.global [$], [%rd13], 16;", 16, STORES, S, "cp.async.wait_all;", 0},
    {"bulk copy from global", BULK_IN "[%r31], [$], 16, [bar];", 16, READS, G, 0, 0},
    {"bulk copy to shared", BULK_IN "[$], [%rd13], 16, [bar];", 16, STORES, S, 0, 0},
    {"bulk copy from shared", BULK_OUT "[%rd13], [$], 16;" BULK_OUT_DONE, 16, READS, S, BULK_DONE, 0},
    {"bulk copy to global", BULK_OUT "[$], [%r31], 16;" BULK_OUT_DONE, 16, STORES, G, BULK_DONE, 0},
    {"mbarrier.init", "mbarrier.init~.b64 [$], 4;", 8, CHANGES, SHAREDS, 0, 0},
    {"mbarrier.arrive", "mbarrier.arrive~.b64 %rd20, [$];", 8, CHANGES, SHAREDS, 0, "mbarrier.init~.b64 [$], 4;"},
    {"mbarrier.test_wait", "mbarrier.test_wait.parity~.b64 %p2, [$], 1;", 8, CHANGES, SHAREDS, 0,
     "mbarrier.init~.b64 [$], 4;"},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* ---- one kernel ---- */
static text kernel_text;
static int marked;      /* line of the last access */
static int decided;     /* line of the branch that depends on its result */
static bool pack_first; /* the region is the first parameter, not the last */

static int line_now(void)
{
    int line = 1;
    for (size_t i = 0; i < kernel_text.n; i++) line += kernel_text.s[i] == '\n';
    return line;
}

/* Adds an access with its suffix and address. */
static void put_access(const char *access, const char *suffix, const char *address)
{
    for (const char *c = access; *c; c++) {
        if (*c == '~') put(&kernel_text, "%s", suffix);
        else if (*c == '$') put(&kernel_text, "%s", address);
        else put(&kernel_text, "%c", *c);
    }
    put(&kernel_text, "\n");
}

/* The start of the kernel: %rd10 is the region, %rd11 the thread's place in it, %r1 the thread, %r2
 * the block. `extra` bytes follow the last place of the region. */
static void put_start(const struct space *sp, uint32_t extra)
{
    kernel_text.n = 0;
    put(&kernel_text, ".version 8.6\n.target sm_90\n.address_size 64\n.const .align 16 .b8 table[%u];\n",
        THREADS * OWN + extra);
    char pack[60];
    snprintf(pack, sizeof pack, ".param .align 16 .b8 pack[%u]", THREADS * OWN + extra);
    put(&kernel_text, ".visible .entry k(%s%s.param .u64 data, .param .u64 aside, .param .u64 gone%s%s)\n{\n",
        pack_first ? pack : "", pack_first ? ", " : "", pack_first ? "" : ", ", pack_first ? "" : pack);
    put(&kernel_text,
        ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>; .reg .f32 %%f<9>; "
        ".reg .f64 %%fd<9>;\n");
    put(&kernel_text, ".shared .align 16 .b8 other[%u];\n.shared .align 8 .b64 bar;\n.shared .align 16 .b8 room[%u];\n",
        THREADS * OWN, THREADS * OWN + extra);
    put(&kernel_text, ".local .align 16 .b8 mine[%u];\n", OWN + extra);
    put(&kernel_text, "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\nmad.lo.u32 %%r3, %%r2, %d, %%r1;\n", THREADS);
    put(&kernel_text,
        "mov.u32 %%r5, %%r3;\ncvt.u16.u32 %%h1, %%r3;\nmov.b16 %%h2, %%h1;\nmov.b16 %%h3, %%h1;\n"
        "cvt.rn.f64.u32 %%fd1, %%r3;\nmov.f64 "
        "%%fd2, %%fd1;\n"); /* each thread stores a value of its own */
    for (int i = 1; i <= 4; i++) put(&kernel_text, "cvt.rn.f32.u32 %%f%d, %%r3;\n", i);
    put(&kernel_text, "mov.u32 %%r31, other;\nmad.lo.u32 %%r31, %%r1, %d, %%r31;\n", OWN);
    put(&kernel_text, "ld.param.u64 %%rd13, [aside];\nmad.wide.u32 %%rd13, %%r3, %d, %%rd13;\n", OWN);
    put(&kernel_text, "st.shared.v4.u32 [%%r31], {%%r5, %%r5, %%r5, %%r5};\nfence.proxy.async;\n%s\n", sp->base);
    const char *which = sp->places == 1 ? "0" : sp->places == THREADS ? "%r1" : "%r3";
    put(&kernel_text, "mad.wide.u32 %%rd11, %s, %d, %%rd10;\n", which, OWN);
    put(&kernel_text, "setp.eq.u32 %%p3, %%r2, %d;\nsetp.eq.and.u32 %%p1, %%r1, %d, %%p3;\n", BAD_BLOCK, BAD_THREAD);
}

typedef struct buffers {
    uint64_t data, aside, gone;
} buffers;

static bool run_kernel(bench *b, const buffers *at, uint32_t extra, unsigned checks, int host, uint32_t grid,
                       sim_result *r)
{
    /* 24 bytes of pointers; pack needs a multiple of 16 bytes at a multiple of 16. */
    _Alignas(16) unsigned char params[32 + THREADS * OWN + OWN] = {0};
    const uint32_t pack = THREADS * OWN + extra, behind = pack_first ? (pack + 7) / 8 * 8 : 0;
    memcpy(params + behind, at, sizeof *at);
    sim_module *m = load(b, &kernel_text);
    memset(r, 0, sizeof *r);
    if (!m) return false;
    sim_launch l = {.kernel = "k",
                    .grid = {grid, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = params,
                    .param_bytes = pack_first ? behind + 24 : 32 + pack,
                    .checks = checks,
                    .host_threads = host,
                    .max_instructions = 1000000,
                    .max_faults = MOST_FAULTS};
    int code = sim_run(b->s, m, &l, r, &b->e);
    if (code) printf("# %s\n", b->e.message);
    sim_unload(b->s, m); /* the result owns its strings, except the kernel's name */
    return !code;
}

static void show(const sim_result *r)
{
    for (int i = 0; i < r->fault_count && i < 3; i++) {
        const sim_fault *f = &r->faults[i];
        printf("# %s%s: %s (line %d, block %u, thread %u, lanes %08x, 0x%llx, %s; %s)\n", sim_fault_name(f->kind),
               f->note ? " (note)" : "", f->message, f->at.ptx_line, f->at.block[0], f->at.thread[0], f->at.lanes,
               (unsigned long long)f->address, f->space, f->advice);
    }
    if (!r->fault_count) printf("# no fault, code %d\n", r->code);
}

static bool at_place(const sim_place *p, int line, uint32_t block, uint32_t thread)
{
    return p->line == line && p->ptx_line == line && p->file && !strcmp(p->file, "case.ptx") && p->block[0] == block &&
           !p->block[1] && !p->block[2] && p->thread[0] == thread && !p->thread[1] && !p->thread[2];
}

/* ---- mistakes ---- */
enum mistake { PAST, FAR, BEFORE, STRADDLES, CROOKED, FREED, TO_CONSTANT, MISTAKES };
static const struct {
    const char *name;
    enum sim_fault_kind kind;
} mistakes[MISTAKES] = {
    [PAST] = {"just past the end", SIM_FAULT_OUT_OF_BOUNDS},
    [FAR] = {"far past the end", SIM_FAULT_OUT_OF_BOUNDS},
    [BEFORE] = {"before the start", SIM_FAULT_OUT_OF_BOUNDS},
    [STRADDLES] = {"over the end", SIM_FAULT_OUT_OF_BOUNDS},
    [CROOKED] = {"misaligned", SIM_FAULT_MISALIGNED},
    [FREED] = {"in a freed buffer", SIM_FAULT_USE_AFTER_FREE},
    [TO_CONSTANT] = {"in what is constant", SIM_FAULT_READ_ONLY},
};

/* Can this access make this mistake in this space? */
static bool makes_sense(const form *f, const struct space *sp, enum mistake how)
{
    const bool constant = sp->bit & (CONSTS | PARAMS);
    if (how == TO_CONSTANT) return constant && f->kind != READS;
    if (constant && f->kind != READS) return false;
    if (how == STRADDLES) return f->bytes > 1;
    if (how == CROOKED) return f->bytes > 1;
    if (how == FREED) return sp->bit & GLOBALS;
    return true;
}

static const char *advice_for(const struct space *sp, enum mistake how)
{
    if (how == CROOKED) return "needs an address that is a multiple of";
    if (how == FREED) return "Free the buffer only after the last kernel that uses it";
    if (how == TO_CONSTANT) return "cannot be written by a kernel";
    return sp->bit & GLOBALS  ? "Guard the access with the buffer's length"
           : sp->bit & PARAMS ? "Keep the index within the parameter"
           : sp->bit & LOCALS ? "Keep the index within the local array"
                              : "Keep the index within the array";
}

static void test_mistake(bench *b, const buffers *at, const form *f, const struct space *sp, enum mistake how,
                         unsigned checks, int host)
{
    const uint32_t extra = how == STRADDLES ? f->bytes / 2 : 0;
    const uint64_t size = (uint64_t)sp->places * OWN + extra;
    const uint64_t own = sp->places == 1         ? 0
                         : sp->places == THREADS ? BAD_THREAD * OWN
                                                 : (BAD_BLOCK * THREADS + BAD_THREAD) * OWN;
    const int64_t off = how == PAST        ? (int64_t)size
                        : how == FAR       ? (int64_t)size + 0x40000
                        : how == BEFORE    ? -(int64_t)f->bytes
                        : how == STRADDLES ? (int64_t)(size - f->bytes / 2)
                                           : (int64_t)own + (how == CROOKED ? f->bytes / 2 : 0);
    buffers use = *at;
    sim_result r;
    uint64_t straddled = 0;
    if (how == STRADDLES && (sp->bit & GLOBALS) && !sim_alloc(b->s, size, "straddled", &straddled, &b->e)) {
        static const unsigned char bytes[BLOCKS * THREADS * OWN + OWN];
        sim_write(b->s, straddled, bytes, size, &b->e);
        use.data = straddled;
    }
    pack_first = how == BEFORE;
    put_start(sp, extra);
    if (sp->bit & (SHAREDS | LOCALS)) put_access("st~.v4.u32 [$], {%r5, %r5, %r5, %r5};", sp->suffix, "%rd11");
    if (f->before) put_access(f->before, sp->suffix, "%rd11");
    if (how == FREED)
        put(&kernel_text, "ld.param.u64 %%rd12, [gone];\nadd.s64 %%rd12, %%rd12, %lld;\n", (long long)off);
    else put(&kernel_text, "add.s64 %%rd12, %%rd10, %lld;\n", (long long)off);
    put(&kernel_text, "fence.proxy.async;\nselp.b64 %%rd14, %%rd12, %s, %%p1;\n",
        how == TO_CONSTANT ? "%rd13" : "%rd11");
    marked = line_now();
    put_access(f->access, sp->suffix, "%rd14");
    put(&kernel_text, "ret;\n}\n");

    bool good = run_kernel(b, &use, extra, checks, host, BLOCKS, &r) && r.code == SIM_E_FAULT && r.fault_count;
    const sim_fault *x = r.faults;
    pack_first = false;
    if (good) {
        const uint64_t base = how == FREED ? use.gone : sp->bit & GLOBALS ? use.data : 0;
        /* The module decides where shared memory and constants begin: there the message must give
         * the distance to the end. */
        const bool known = sp->bit & (GLOBALS | LOCALS);
        const uint64_t said =
            sp->bit == NL ? (uint32_t)off : base + (uint64_t)off; /* windows of generic addresses have 32 bits */
        good = x->kind == mistakes[how].kind && !x->note && at_place(&x->at, marked, BAD_BLOCK, BAD_THREAD) &&
               x->size == f->bytes && x->at.lanes == 1u << BAD_THREAD % 32 &&
               !strcmp(x->space, how == TO_CONSTANT && sp->bit == NC ? "const" : sp->resolved) &&
               (!known || x->address == said) && strstr(x->advice, advice_for(sp, how)) && strlen(x->message) > 20;
        for (int i = 1; i < r.fault_count; i++) good = good && x[i].note; /* nothing else is wrong */
        if (how == PAST) good = good && strstr(x->message, "starts just past the end of");
        if (how == FAR) good = good && strstr(x->message, "262144 bytes past the end of");
        if (how == STRADDLES) good = good && strstr(x->message, "past the end of") && strstr(x->message, "reaches");
    }
    check_that(good, "%s %s, %s%s, %d host thread%s", f->name, mistakes[how].name, sp->name,
               checks ? ", all checks" : "", host, host > 1 ? "s" : "");
    if (!good) show(&r);
    sim_result_free(&r);
    if (straddled) sim_free(b->s, straddled, &b->e);
}

/* ---- reads of unwritten memory ---- */
/* Loads the result of an access that is not in registers. */
static void put_look(const form *f, const struct space *sp)
{
    char line[200];
    if (!strncmp(f->name, "red", 3)) {
        snprintf(line, sizeof line,
                 f->bytes == 16  ? "ld~.v4.f32 {%%f1, %%f2, %%f3, %%f4}, [$];"
                 : f->bytes == 8 ? "ld~.u64 %%rd20, [$];"
                                 : "ld~.u32 %%r20, [$];");
        put_access(line, sp->suffix, "%rd11");
    } else if (!strncmp(f->name, "cp.async from", 13)) {
        put(&kernel_text, "cp.async.wait_all;\nld.shared.v4.u32 {%%r20, %%r21, %%r22, %%r23}, [%%r31];\n");
    } else if (!strcmp(f->name, "bulk copy from global")) {
        put(&kernel_text,
            "mbarrier.test_wait.parity.shared.b64 %%p2, [bar], 0;\nld.shared.v4.u32 {%%r20, %%r21, %%r22, %%r23}, "
            "[%%r31];\n");
    } else if (!strcmp(f->name, "bulk copy from shared")) {
        put(&kernel_text, "%s\nld.global.v4.u32 {%%r20, %%r21, %%r22, %%r23}, [%%rd13];\n", BULK_DONE);
    }
    /* A branch depends on everything that the access may have produced. */
    put(&kernel_text,
        "cvt.u64.u16 %%rd30, %%h1;\ncvt.u64.u16 %%rd31, %%h2;\nxor.b64 %%rd30, %%rd30, %%rd31;\n"
        "cvt.u64.u16 %%rd31, %%h3;\n"
        "xor.b64 %%rd30, %%rd30, %%rd31;\ncvt.u64.u16 %%rd31, %%h4;\nxor.b64 %%rd30, %%rd30, %%rd31;\n");
    for (int i = 20; i <= 23; i++)
        put(&kernel_text, "cvt.u64.u32 %%rd31, %%r%d;\nxor.b64 %%rd30, %%rd30, %%rd31;\n", i);
    for (int i = 1; i <= 4; i++)
        put(&kernel_text, "mov.b32 %%r32, %%f%d;\ncvt.u64.u32 %%rd31, %%r32;\nxor.b64 %%rd30, %%rd30, %%rd31;\n", i);
    put(&kernel_text,
        "mov.b64 %%rd31, %%fd1;\nxor.b64 %%rd30, %%rd30, %%rd31;\nxor.b64 %%rd30, %%rd30, %%rd20;\n"
        "xor.b64 %%rd30, %%rd30, %%rd21;\n"
        "setp.eq.u64 %%p4, %%rd30, 1;\n");
    decided = line_now();
    put(&kernel_text, "@%%p4 bra end;\nend:\nret;\n}\n");
}

static void test_unwritten(bench *b, const buffers *at, const form *f, const struct space *sp, bool half, int host)
{
    buffers use = *at;
    sim_result r;
    if (sp->bit & GLOBALS && sim_alloc(b->s, BLOCKS * THREADS * OWN, "fresh", &use.data, &b->e)) return;
    put_start(sp, 0);
    put(&kernel_text, "@%%p1 bra behind;\n");
    put_access("st~.v4.u32 [$], {%r5, %r5, %r5, %r5};", sp->suffix, "%rd11");
    put(&kernel_text, "behind:\n");
    if (half) { /* the first bytes are written */
        put(&kernel_text, "@!%%p1 bra on;\n");
        for (uint32_t i = 0; i < f->bytes / 2; i++) {
            char place[24];
            snprintf(place, sizeof place, "%%rd11+%u", (unsigned)i);
            put_access("st~.u8 [$], %h1;", sp->suffix, place);
        }
        put(&kernel_text, "on:\n");
    }
    if (!strcmp(f->name, "bulk copy from global"))
        put(&kernel_text, "setp.eq.u32 %%p5, %%r1, 0;\n@%%p5 mbarrier.init.shared.b64 [bar], %d;\nbar.sync 0;\n",
            THREADS);
    marked = line_now();
    put_access(f->access, sp->suffix, "%rd11");
    put_look(f, sp);
    bool good = run_kernel(b, &use, 0, SIM_CHECK_INIT, host, BLOCKS, &r) && r.code == SIM_E_FAULT && r.fault_count == 1;
    const sim_fault *x = r.faults;
    if (good) {
        const uint64_t own = sp->places == 1         ? 0
                             : sp->places == THREADS ? BAD_THREAD * OWN
                                                     : use.data + (BAD_BLOCK * THREADS + BAD_THREAD) * OWN;
        const bool tiles = !strcmp(f->name, "ldmatrix");   /* other lanes get its row */
        const bool swaps = strstr(f->name, "cas") != NULL; /* the comparison itself depends on the value */
        const int where = swaps ? marked : decided;
        good = x->kind == SIM_FAULT_UNINITIALISED && x->other.kernel &&
               at_place(&x->other, marked, BAD_BLOCK, BAD_THREAD) &&
               (tiles ? x->at.line == where
                      : at_place(&x->at, where, BAD_BLOCK, BAD_THREAD) && x->at.lanes == 1u << BAD_THREAD % 32) &&
               strstr(x->message, swaps ? "decides a compare-and-swap by a value that comes from element"
                                        : "branches on a value that comes from element") &&
               x->size == f->bytes && !strcmp(x->space, sp->resolved) && (sp->bit & SHAREDS || x->address == own) &&
               strstr(x->message, "never written") && strstr(x->advice, "Write every element before reading it");
    }
    check_that(good, "%s of %s unwritten, %s, %d host thread%s", f->name, half ? "partly" : "what is", sp->name, host,
            host > 1 ? "s" : "");
    if (!good) show(&r);
    sim_result_free(&r);
    if (use.data != at->data) sim_free(b->s, use.data, &b->e);
}

/* ---- races ---- */
static const struct pair {
    const char *name, *ordered, *advice;
    uint32_t block[2], thread[2];
} pairs[] = {
    {"threads of two warps", "fence.proxy.async;\nbar.sync 0;", "Put __syncthreads() between", {0, 0}, {3, 37}},
    {"threads of one warp", "fence.proxy.async;\nbar.warp.sync -1;", "Put __syncwarp() between", {0, 0}, {3, 5}},
    {"two blocks", NULL, "Blocks of one launch run in parallel", {0, 1}, {3, 3}},
};

static void put_side(const form *f, const struct space *sp, const struct pair *p, int side)
{
    put(&kernel_text, "setp.eq.u32 %%p3, %%r2, %u;\nsetp.eq.and.u32 %%p2, %%r1, %u, %%p3;\n", p->block[side],
        p->thread[side]);
    put(&kernel_text, "@!%%p2 bra past%d;\n", side);
    marked = line_now();
    put_access(f->access, sp->suffix, "%rd10");
    if (f->after) put(&kernel_text, "%s\n", f->after);
    put(&kernel_text, "past%d:\n", side);
}

static void test_race(bench *b, const buffers *at, const form *first, const form *then, const struct space *sp,
                      const struct pair *p, bool ordered)
{
    sim_result r;
    put_start(sp, 0);
    put(&kernel_text, "setp.eq.u32 %%p2, %%r1, 0;\n@!%%p2 bra begin;\n");
    if (sp->bit & SHAREDS) put_access("st~.v4.u32 [$], {%r5, %r5, %r5, %r5};", sp->suffix, "%rd10");
    put(&kernel_text, "begin:\nfence.proxy.async;\nbar.sync 0;\n");
    put_side(first, sp, p, 0);
    const int line = marked;
    if (ordered) put(&kernel_text, "%s\n", p->ordered);
    put_side(then, sp, p, 1);
    put(&kernel_text, "ret;\n}\n");
    bool good = run_kernel(b, at, 0, SIM_CHECK_ALL, 1, p->block[1] + 1, &r);
    if (ordered) {
        good = good && !r.code && !r.fault_count;
    } else {
        const sim_fault *x = r.faults;
        good =
            good && r.code == SIM_E_FAULT && r.fault_count && x->kind == SIM_FAULT_RACE && !x->note && x->other.kernel;
        for (int i = 1; i < r.fault_count; i++) good = good && x[i].note; /* the values may share bytes */
        const sim_place *late = &x->at, *early = &x->other;
        if (good && x->at.line == line) late = &x->other, early = &x->at; /* the other warp came first */
        good = good && at_place(late, marked, p->block[1], p->thread[1]) &&
               at_place(early, line, p->block[0], p->thread[0]) && !strcmp(x->space, sp->resolved) &&
               (!(sp->bit & GLOBALS) || x->address - at->data < OWN) && strstr(x->advice, p->advice);
    }
    check_that(good, "%s, then %s, %s, %s%s", first->name, then->name, p->name, sp->name, ordered ? ", in order" : "");
    if (!good) show(&r);
    sim_result_free(&r);
}

/* A copy from elsewhere into this space, or one that only a barrier object completes, does not take
 * part in these races. */
static bool can_race(const form *f, const struct space *sp)
{
    return (f->where & sp->bit) && !f->before && strncmp(f->name, "mbarrier", 8) && !strstr(f->name, "matrix") &&
           strcmp(f->name, "bulk copy to shared");
}

static void test_races(bench *b, const buffers *at, const struct space *sp)
{
    const form *store = NULL, *load_all = NULL;
    for (int i = 0; i < FORMS; i++) {
        if (!strcmp(forms[i].name, "st.v4.u32")) store = &forms[i];
        if (!strcmp(forms[i].name, "ld.v4.f32")) load_all = &forms[i];
    }
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
        for (int i = 0; i < FORMS; i++) {
            if (!can_race(&forms[i], sp) || (!pairs[p].ordered && !(sp->bit & GLOBALS))) continue;
            for (int ordered = 0; ordered <= (pairs[p].ordered != NULL); ordered++) {
                test_race(b, at, store, &forms[i], sp, &pairs[p], ordered);
                if (forms[i].kind != READS) test_race(b, at, &forms[i], load_all, sp, &pairs[p], ordered);
            }
        }
}

static void tests(bench *b)
{
    static unsigned char bytes[BLOCKS * THREADS * OWN];
    buffers at = {0};
    for (int i = 0; i < 3; i++) {
        uint64_t *one = i == 0 ? &at.data : i == 1 ? &at.aside : &at.gone;
        if (sim_alloc(b->s, sizeof bytes, i == 0 ? "data" : i == 1 ? "aside" : "gone", one, &b->e)) return;
        sim_write(b->s, *one, bytes, sizeof bytes, &b->e);
    }
    sim_free(b->s, at.gone, &b->e);
    for (int s = 0; s < SPACES; s++) {
        const struct space *sp = &spaces[s];
        for (int i = 0; i < FORMS; i++) {
            const form *f = &forms[i];
            if (!(f->where & sp->bit)) continue;
            for (int how = 0; how < MISTAKES; how++)
                if (makes_sense(f, sp, (enum mistake)how)) {
                    test_mistake(b, &at, f, sp, (enum mistake)how, 0, 1);
                    test_mistake(b, &at, f, sp, (enum mistake)how, SIM_CHECK_ALL, 2);
                }
            if (f->kind == STORES || !(sp->bit & WRITABLE) || f->before || !strncmp(f->name, "mbarrier", 8)) continue;
            test_unwritten(b, &at, f, sp, false, 1);
            if (f->bytes > 1) test_unwritten(b, &at, f, sp, true, 2);
        }
        if (sp->bit & ATOMIC) test_races(b, &at, sp);
    }
    sim_free(b->s, at.data, &b->e);
    sim_free(b->s, at.aside, &b->e);
}
