/* moves.c: instructions that are moved, joined or merged give the results of the original order.
 *
 * Random programs without branches: loads and stores, also of matrices, atomics, asynchronous
 * copies, surfaces, exchanges between lanes, barriers and fences. They use a few windows of memory,
 * so small that accesses often overlap, and many addresses come from the data. Each program is
 * loaded twice, as ptxas would order it and as written (sim_as_written). A warp runs both, one in
 * 16 also in timed order: all registers and all memory must be the same. A program that differs is
 * made as short as possible and printed.
 *
 *
 *   moves [COUNT [FIRST]]    COUNT programs, from number FIRST on
 */
#include "base.h"
#include "check.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 1024, /* bytes, of shared and of global memory */
    PRIVATE = 64,  /* of local memory */
    FIXED = 256,   /* of constant memory, and of what is read with .nc */
    DATA = 12,
    WIDE = 6,
    HALVES = 4,
    PREDICATES = 4,
    BASES = 3, /* registers %d %w %h %p; address registers %s %g %l %x */
    ITEMS = 40,
    ITEM = 320,
    DUMP = 4096
};

static uint64_t state; /* of the random generator of the current program */
static uint32_t draw(uint32_t n)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 33) % n;
}

#define ONE_OF(...) \
    one_of((const char *const[]){__VA_ARGS__}, sizeof(const char *[]){__VA_ARGS__} / sizeof(const char *))
static const char *one_of(const char *const *list, size_t n) { return list[draw((uint32_t)n)]; }

typedef struct program {
    char item[ITEMS][ITEM];
    uint32_t items;
    uint64_t left_out;         /* a bit for each item */
    bool init;                 /* run with the check for unwritten memory */
    uint32_t matrices, copies; /* out of ten accesses to memory */
    bool waiting;              /* a bulk copy into shared memory is in flight: */
    uint32_t phase;            /* the phase of its barrier object */
    uint32_t later_in;         /* items until `later` is placed; 0: none */
    char later[ITEM];
} program;

static char line[ITEM];
static void say(const char *fmt, ...) SIM_PRINTF(1, 2);
static void say(const char *fmt, ...)
{
    const size_t n = strlen(line);
    va_list v;
    va_start(v, fmt);
    if (vsnprintf(line + n, sizeof line - n, fmt, v) >= (int)(sizeof line - n)) abort();
    va_end(v);
}

/* ---- parts of an instruction ---- */
static const char *guard(void)
{
    static char text[8];
    if (draw(6)) return "";
    snprintf(text, sizeof text, "@%s%%p%d ", draw(2) ? "!" : "", (int)draw(PREDICATES));
    return text;
}

enum space { SHARED, GLOBAL, LOCAL, GENERIC };
static const char *const space_names[] = {".shared", ".global", ".local", ""};
static enum space any_space(void)
{
    static const enum space often[] = {SHARED, SHARED, SHARED, GLOBAL, GLOBAL, LOCAL, GENERIC};
    return often[draw(7)];
}

/* "[%s1+8]": an address of `bytes` bytes. Registers are multiples of 16. */
static const char *at(enum space s, uint32_t bytes)
{
    static char text[2][32];
    static int turn;
    char *t = text[turn ^= 1];
    const uint32_t reach = s == LOCAL || s == GENERIC ? 16 : draw(4) ? 64 : 480;
    snprintf(t, sizeof text[0], "[%%%c%d+%d]", "sglx"[s], (int)draw(BASES), (int)(draw(reach / bytes) * bytes));
    return t;
}

/* An address that is the same for all lanes, for matrices and copies by one lane. */
static const char *at_all(enum space s)
{
    static char text[2][32];
    static int turn;
    char *t = text[turn ^= 1];
    const char *base = s == SHARED ? "s" : s == GLOBAL ? "g" : draw(2) ? "xs" : "xg";
    snprintf(t, sizeof text[0], "[%%%s+%d]", base, (int)draw(15) * 32);
    return t;
}

static const char *data(void)
{
    static char text[4][8];
    static int turn;
    char *t = text[turn = (turn + 1) & 3];
    snprintf(t, sizeof text[0], "%%d%d", (int)draw(DATA));
    return t;
}
static const char *wide(void)
{
    static char text[4][8];
    static int turn;
    char *t = text[turn = (turn + 1) & 3];
    snprintf(t, sizeof text[0], "%%w%d", (int)draw(WIDE));
    return t;
}
static const char *predicate(void)
{
    static char text[2][8];
    static int turn;
    char *t = text[turn ^= 1];
    snprintf(t, sizeof text[0], "%%p%d", (int)draw(PREDICATES));
    return t;
}
/* "{%d3, %d4}": n consecutive registers. */
static const char *some(char name, uint32_t of, uint32_t n)
{
    static char text[4][128];
    static int turn;
    char *t = text[turn = (turn + 1) & 3];
    const uint32_t first = draw(of - n + 1);
    size_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        k += (size_t)snprintf(t + k, sizeof text[0] - k, "%s%%%c%d", i ? ", " : "{", name, (int)(first + i));
    snprintf(t + k, sizeof text[0] - k, "}");
    return t;
}

/* ---- instructions ---- */
static void access_item(bool load)
{
    const enum space s = any_space();
    const char *op = load ? "ld" : "st", *order = "", *g = guard();
    if (!draw(10) && s != LOCAL)
        order = load ? ONE_OF(".volatile", ".relaxed.gpu", ".acquire.cta", ".acquire.gpu")
                     : ONE_OF(".volatile", ".relaxed.gpu", ".release.gpu");
    char value[128];
    uint32_t bytes = 4;
    const char *type = "u32";
    switch (draw(8)) {
    case 0: type = ONE_OF("u8", "s8"), bytes = 1, snprintf(value, sizeof value, "%s", data()); break;
    case 1: type = "u16", bytes = 2, snprintf(value, sizeof value, "%%h%d", (int)draw(HALVES)); break;
    case 2: type = "u64", bytes = 8, snprintf(value, sizeof value, "%s", wide()); break;
    case 3: type = "v2.u32", bytes = 8, snprintf(value, sizeof value, "%s", some('d', DATA, 2)); break;
    case 4: type = "v4.u32", bytes = 16, snprintf(value, sizeof value, "%s", some('d', DATA, 4)); break;
    default: snprintf(value, sizeof value, "%s", data());
    }
    if (*order && type[0] == 'v') order = "";
    const char *where = at(s, bytes);
    say("%s%s%s%s.%s %s, %s;", g, op, order, space_names[s], type, load ? value : where, load ? where : value);
}

static void fixed_item(void)
{
    const int k = (int)draw(FIXED / 4);
    switch (draw(4)) {
    case 0: say("ld.const.u32 %s, [%%c0+%d];", data(), k / 2 * 4); break;
    case 1: say("ld.const.u32 %s, [fixed+%d];", data(), 4 * k); break;
    case 2: say("ld.param.u32 %s, [number];", data()); break;
    default: say("ld.global.nc.u32 %s, [%%n0+%d];", data(), k / 2 * 4);
    }
}

static void atomic_item(void)
{
    const enum space s = draw(3) ? draw(2) ? SHARED : GLOBAL : GENERIC;
    const char *order = draw(3)
                            ? ""
                            : ONE_OF(".relaxed.gpu", ".acquire.gpu", ".release.gpu", ".acq_rel.gpu", ".acq_rel.cta"),
               *g = guard();
    if (s == GENERIC) { /* not local memory */
        say("%satom%s.%s.u32 %s, %s, %s;", g, order, ONE_OF("add", "min", "max", "inc"), data(), at_all(GENERIC),
            data());
        return;
    }
    switch (draw(6)) {
    case 0:
        say("%satom%s%s.cas.b32 %s, %s, %s, %s;", g, order, space_names[s], data(), at(s, 4), data(), data());
        break;
    case 1: say("%satom%s%s.exch.b64 %s, %s, %s;", g, order, space_names[s], wide(), at(s, 8), wide()); break;
    case 2: say("%sred%s%s.add.u64 %s, %s;", g, order, space_names[s], at(s, 8), wide()); break;
    case 3:
        say("%sred%s%s.%s.b32 %s, %s;", g, order, space_names[s], ONE_OF("and", "or", "xor"), at(s, 4), data());
        break;
    case 4: say("%sred%s.add.f32 %s, %s;", g, space_names[s], at(s, 4), data()); break;
    default:
        say("%satom%s%s.%s.u32 %s, %s, %s;", g, order, space_names[s], ONE_OF("add", "max", "dec"), data(), at(s, 4),
            data());
    }
}

static void matrix_item(void)
{
    static const char *const tiles[] = {"x1", "x2", "", "x4"}, *const turned[] = {"", ".trans"};
    const uint32_t kind = draw(9), x = draw(3) == 2 ? 4 : 1 + draw(2), t = draw(2);
    const enum space s = draw(3) ? draw(2) ? SHARED : GLOBAL : GENERIC;
    switch (kind) {
    case 0:
    case 1:
    case 2:
        say("ldmatrix.sync.aligned.m8n8.%s%s.shared.b16 %s, %s;", tiles[x - 1], turned[t], some('d', DATA, x),
            at(SHARED, 16));
        break;
    case 3:
    case 4:
        say("stmatrix.sync.aligned.m8n8.%s%s.shared.b16 %s, %s;", tiles[x - 1], turned[t], at(SHARED, 16),
            some('d', DATA, x));
        break;
    case 5:
        say("wmma.load.%s.sync.aligned.%s.m16n16k16%s.f16 %s, %s;", ONE_OF("a", "b"), ONE_OF("row", "col"),
            space_names[s], some('d', DATA, 8), at_all(s));
        break;
    case 6:
        say("wmma.store.d.sync.aligned.%s.m16n16k16%s.f16 %s, %s;", ONE_OF("row", "col"), space_names[s], at_all(s),
            some('d', DATA, 4));
        break;
    case 7:
        say("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 %s, %s, %s, %s;", some('d', DATA, 2), some('d', DATA, 4),
            some('d', DATA, 2), some('d', DATA, 2));
        break;
    default: say("movmatrix.sync.aligned.m8n8.trans.b16 %s, %s;", data(), data());
    }
}

/* Bulk copies: one lane makes them, the one with %q. */
static void copy_item(program *p)
{
    const char *g = guard();
    switch (draw(7)) {
    case 0:
    case 1: say("%scp.async.ca.shared.global %s, %s, 4;", g, at(SHARED, 4), at(GLOBAL, 4)); break;
    case 2: say("%scp.async.cg.shared.global %s, %s, 16;", g, at(SHARED, 16), at(GLOBAL, 16)); break;
    case 3: say("cp.async.commit_group;"); break;
    case 4: say("cp.async.wait_group %d;", (int)draw(3)); break;
    case 5:
        say("@%%q cp.async.bulk.global.shared::cta.bulk_group %s, %s, 64; @%%q cp.async.bulk.commit_group; @%%q "
            "cp.async.bulk.wait_group 0;",
            at_all(GLOBAL), at_all(SHARED));
        break;
    default:
        if (!p->waiting)
            say("@%%q mbarrier.arrive.expect_tx.shared.b64 %%w0, [object], 64;\n@%%q "
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes %s, %s, "
                "64, [object];",
                at_all(SHARED), at_all(GLOBAL));
        else say("mbarrier.test_wait.parity.shared.b64 %s, [object], %d;", predicate(), (int)(p->phase++ & 1));
        p->waiting = !p->waiting;
    }
}

static void lanes_item(void)
{
    switch (draw(8)) {
    case 0: say("shfl.sync.idx.b32 %s, %s, %s, 0x1f, 0xffffffff;", data(), data(), data()); break;
    case 1:
        say("shfl.sync.%s.b32 %s|%s, %s, %d, 0x1f, 0xffffffff;", ONE_OF("bfly", "down"), data(), predicate(), data(),
            (int)draw(32));
        break;
    case 2: say("vote.sync.ballot.b32 %s, %s, 0xffffffff;", data(), predicate()); break;
    case 3: say("vote.sync.any.pred %s, %s, 0xffffffff;", predicate(), predicate()); break;
    case 4: say("match.any.sync.b32 %s, %s, 0xffffffff;", data(), data()); break;
    case 5: say("redux.sync.%s.s32 %s, %s, 0xffffffff;", ONE_OF("add", "min"), data(), data()); break;
    case 6: say("activemask.b32 %s;", data()); break;
    default: say("elect.sync %s|%s, 0xffffffff;", data(), predicate());
    }
}

static void order_item(void)
{
    const char *where = at(GLOBAL, 4);
    switch (draw(8)) {
    case 0: say("bar.warp.sync 0xffffffff;"); break;
    case 1: say("bar.sync 0;"); break;
    case 2: say("membar.%s;", ONE_OF("cta", "gl", "sys")); break;
    case 3: say("fence.acq_rel.%s;", ONE_OF("cta", "gpu")); break;
    case 4: say("fence.proxy.async;"); break;
    case 5: say("prefetch.global.L2 %s;", where); break;
    case 6: say("nanosleep.u32 20;"); break;
    default: say("bar.red.popc.u32 %s, 0, %s;", data(), predicate());
    }
}

/* The texels are the words of the window in global memory. */
static void surface_item(void)
{
    const char *g = guard();
    say("and.b32 %%t, %s, 255; shl.b32 %%t, %%t, 2;\n", data());
    switch (draw(3)) {
    case 0: say("%ssuld.b.1d.b32.trap {%s}, [%%surface, {%%t}];", g, data()); break;
    case 1: say("%ssust.b.1d.b32.trap [%%surface, {%%t}], {%s};", g, data()); break;
    default: say("shr.u32 %%t, %%t, 2; tex.1d.v4.u32.s32 %s, [%%texture, {%%t}];", some('d', DATA, 4));
    }
}

/* Two adjacent words, which may become one access. The second comes some items later. */
static void neighbours_item(program *p)
{
    const bool load = draw(2);
    const int base = (int)draw(BASES), word = (int)draw(8) * 8, other = draw(2) ? 4 : 0;
    for (int k = 0; k < 2; k++) {
        const int offset = word + (k ? 4 - other : other);
        const char *value = data();
        if (k) snprintf(p->later, sizeof p->later, "%s", line), line[0] = 0;
        if (load) say("ld.shared.u32 %s, [%%s%d+%d];", value, base, offset);
        else say("st.shared.u32 [%%s%d+%d], %s;", base, offset, value);
    }
    p->later_in = 1 + draw(4);
}

static void arithmetic_item(void)
{
    const char *g = guard();
    switch (draw(12)) {
    case 0: say("%smad.lo.u32 %s, %s, %s, %s;", g, data(), data(), data(), data()); break;
    case 1: say("%sxor.b32 %s, %s, %s;", g, data(), data(), data()); break;
    case 2: say("%sshr.u32 %s, %s, %d;", g, data(), data(), (int)draw(20)); break;
    case 3: say("%ssetp.lt.s32 %s, %s, %s;", g, predicate(), data(), data()); break;
    case 4: say("selp.b32 %s, %s, %s, %s;", data(), data(), data(), predicate()); break;
    case 5: say("%sadd.cc.u32 %s, %s, %s;", g, data(), data(), data()); break;
    case 6: say("%saddc.u32 %s, %s, %s;", g, data(), data(), data()); break;
    case 7: say("%smov.b64 %s, {%s, %s};", g, wide(), data(), data()); break;
    case 8: say("%scvt.u32.u64 %s, %s;", g, data(), wide()); break;
    case 9: say("%scvt.u16.u32 %%h%d, %s;", g, (int)draw(HALVES), data()); break;
    case 10: say("%sadd.u64 %s, %s, %s;", g, wide(), wide(), wide()); break;
    default: say("%sadd.u32 %s, %s, %d;", g, data(), data(), (int)draw(1000));
    }
}

/* Changes an address register: to a value from data, or to another register's address. %a is a
 * multiple of 16 wherever it is written, so that adjacent accesses can be joined. */
static void address_item(void)
{
    const uint32_t k = draw(BASES);
    switch (draw(6)) {
    case 0:
    case 1: say("and.b32 %%a, %s, 0x1f0; add.u32 %%s%d, %%s, %%a;", data(), (int)k); break;
    case 2: say("mov.u32 %%s%d, %%s%d;", (int)k, (int)draw(BASES)); break;
    case 3: say("and.b32 %%a, %s, 0x1f0; cvt.u64.u32 %%a64, %%a; add.u64 %%g%d, %%g, %%a64;", data(), (int)k); break;
    case 4: say("and.b32 %%a, %s, 0x30; cvt.u64.u32 %%a64, %%a; add.u64 %%l%d, %%l, %%a64;", data(), (int)k); break;
    default: {
        const char s = "sgl"[draw(3)];
        say("and.b32 %%a, %s, 0x%x; cvt.u64.u32 %%a64, %%a; add.u64 %%x%d, %%x%c, %%a64;", data(),
            s == 'l' ? 0x30u : 0x1f0u, (int)k, s);
    }
    }
}

static void make(program *p, uint64_t number)
{
    state = number;
    memset(p, 0, sizeof *p);
    p->init = !draw(4);
    p->matrices = draw(2) ? draw(6) : 0;
    p->copies = draw(2) ? draw(4) : 0;
    const uint32_t orders = draw(3);
    p->items = 8 + draw(ITEMS - 8);
    for (uint32_t i = 0; i < p->items; i++) {
        line[0] = 0;
        const uint32_t what = draw(20);
        if (p->later_in && !--p->later_in) say("%s", p->later);
        else if (what < 4) arithmetic_item();
        else if (what < 6) address_item();
        else if (what < 7) fixed_item();
        else if (what < 8) lanes_item();
        else if (what < 9 && orders) orders == 2 ? order_item() : draw(4) ? access_item(draw(2)) : surface_item();
        else if (draw(10) < p->matrices) matrix_item();
        else if (draw(10) < p->copies) copy_item(p);
        else if (!draw(8)) atomic_item();
        else if (!p->later_in && !draw(4)) neighbours_item(p);
        else access_item(draw(2));
        snprintf(p->item[i], sizeof p->item[i], "%s", line);
    }
}

/* ---- the kernel around them ---- */
static char before_items[4096], behind_items[4096];

static size_t append(char *to, size_t room, size_t n, const char *fmt, ...) SIM_PRINTF(4, 5);
static size_t append(char *to, size_t room, size_t n, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    n += (size_t)vsnprintf(to + n, room - n, fmt, v);
    va_end(v);
    if (n >= room) abort();
    return n;
}

static void make_frame(void)
{
    char *t = before_items;
    const size_t room = sizeof before_items;
    size_t n = append(t, room, 0, ".version 8.3\n.target sm_90\n.address_size 64\n.const .align 16 .b32 fixed[%d] = {",
                      FIXED / 4);
    for (int i = 0; i < FIXED / 4; i++) n = append(t, room, n, "%s%u", i ? "," : "", 2654435761u * (unsigned)(i + 1));
    n = append(t, room, n,
               "};\n.visible .entry k(.param .u64 start, .param .u64 memory, .param .u64 out, .param .u64 nc, "
               ".param .u64 tex, .param .u64 surf, .param .u32 number)\n{\n"
               ".reg .b32 %%d<%d>, %%s<%d>, %%s, %%t, %%a, %%lane; .reg .b64 %%w<%d>, %%g<%d>, %%l<%d>, %%x<%d>, "
               "%%g, %%l, %%xs, %%xg, %%xl, %%t64, %%a64, %%c0, %%n0, %%start,\n"
               "%%out, %%texture, %%surface; .reg .b16 %%h<%d>; .reg .pred %%p<%d>, %%q;\n"
               ".shared .align 128 .b8 window[%d]; .shared .align 8 .b64 object; .local .align 16 .b8 own[%d];\n"
               "mov.u32 %%lane, %%tid.x; ld.param.u64 %%start, [start]; ld.param.u64 %%g, [memory]; ld.param.u64 "
               "%%out, [out]; ld.param.u64 %%n0, [nc];\n"
               "ld.param.u64 %%texture, [tex]; ld.param.u64 %%surface, [surf];\n"
               "mov.u32 %%s, window; cvt.u64.u32 %%t64, %%s; cvta.shared.u64 %%xs, %%t64; mov.u64 %%l, own; "
               "cvta.local.u64 %%xl, %%l; mov.u64 %%xg, %%g;\n"
               "shl.b32 %%t, %%lane, 2; cvt.u64.u32 %%t64, %%t; mov.u64 %%c0, fixed; add.u64 %%c0, %%c0, %%t64; "
               "add.u64 %%n0, %%n0, %%t64;\n"
               "mul.lo.u32 %%t, %%lane, 128; cvt.u64.u32 %%t64, %%t; add.u64 %%start, %%start, %%t64; add.u64 "
               "%%out, %%out, %%t64;\n"
               "setp.eq.u32 %%q, %%lane, 0; @%%q mbarrier.init.shared.b64 [object], 1;\n",
               DATA, BASES, WIDE, BASES, BASES, BASES, HALVES, PREDICATES, WINDOW, PRIVATE);
    for (int i = 0; i < DATA; i += 4)
        n = append(t, room, n, "ld.global.v4.u32 {%%d%d,%%d%d,%%d%d,%%d%d}, [%%start+%d];\n", i, i + 1, i + 2, i + 3,
                   4 * i);
    for (int i = 0; i < WIDE; i += 2)
        n = append(t, room, n, "ld.global.v2.u64 {%%w%d,%%w%d}, [%%start+%d];\n", i, i + 1, 48 + 8 * i);
    n = append(t, room, n, "ld.global.v4.u16 {%%h0,%%h1,%%h2,%%h3}, [%%start+96];\n");
    for (int i = 0; i < PREDICATES; i++)
        n = append(t, room, n, "and.b32 %%t, %%d%d, 2; setp.ne.u32 %%p%d, %%t, 0;\n", i, i);
    /* Memory begins with the data of `start`, lane by lane. Addresses: the lane's own, one for all
     * lanes, and mixed. */
    n = append(t, room, n, "shl.b32 %%a, %%lane, 5; add.u32 %%s0, %%s, %%a;\n");
    for (int i = 0; i < 2; i++)
        n = append(t, room, n, "st.shared.v4.u32 [%%s0+%d], {%%d%d,%%d%d,%%d%d,%%d%d};\n", 16 * i, 4 * i, 4 * i + 1,
                   4 * i + 2, 4 * i + 3);
    for (int i = 0; i < 4; i++) n = append(t, room, n, "st.local.v2.u64 [%%l+%d], {%%w%d,%%w%d};\n", 16 * i, i, i + 1);
    n = append(t, room, n,
               "shl.b32 %%a, %%lane, 4; cvt.u64.u32 %%a64, %%a; add.u32 %%s0, %%s, %%a; mov.u32 %%s1, %%s; and.b32 "
               "%%a, %%d0, 0x1f0; add.u32 %%s2, %%s, %%a;\n"
               "add.u64 %%g0, %%g, %%a64; mov.u64 %%g1, %%g; cvt.u64.u32 %%a64, %%a; add.u64 %%g2, %%g, %%a64; "
               "add.u64 %%x0, %%xs, %%a64; add.u64 %%x1, %%xg, %%a64;\n"
               "and.b32 %%a, %%a, 0x30; cvt.u64.u32 %%a64, %%a; mov.u64 %%l0, %%l; add.u64 %%l1, %%l, %%a64; "
               "add.u64 %%l2, %%l, 16; add.u64 %%x2, %%xl, %%a64;\n"
               "bar.sync 0;\n");
    t = behind_items;
    n = append(t, sizeof behind_items, 0, "cp.async.wait_all; bar.sync 0;\n");
    for (int i = 0; i < DATA; i += 4)
        n = append(t, room, n, "st.global.v4.u32 [%%out+%d], {%%d%d,%%d%d,%%d%d,%%d%d};\n", 4 * i, i, i + 1, i + 2,
                   i + 3);
    for (int i = 0; i < WIDE; i += 2)
        n = append(t, room, n, "st.global.v2.u64 [%%out+%d], {%%w%d,%%w%d};\n", 48 + 8 * i, i, i + 1);
    n = append(t, room, n, "st.global.v4.u16 [%%out+96], {%%h0,%%h1,%%h2,%%h3};\nmov.u32 %%d0, 0;\n");
    for (int i = 0; i < PREDICATES; i++) n = append(t, room, n, "@%%p%d or.b32 %%d0, %%d0, %d;\n", i, 1 << i);
    n = append(t, room, n,
               "mov.u32 %%d1, 0; mov.u32 %%d2, 1; addc.u32 %%d1, %%d1, %%d2; st.global.v2.u32 [%%out+104], "
               "{%%d0,%%d1};\n");
    n = append(t, room, n,
               /* shared memory, 32 bytes per lane, after the registers */
               "shl.b32 %%a, %%lane, 5; add.u32 %%s0, %%s, %%a;\n");
    n = append(t, room, n,
               "mul.lo.u32 %%t, %%lane, 96; cvt.u64.u32 %%t64, %%t; sub.u64 %%out, %%out, %%t64; add.u64 %%out, "
               "%%out, %d;\n",
               DUMP);
    for (int i = 0; i < 2; i++)
        n = append(t, room, n,
                   "ld.shared.v4.u32 {%%d0,%%d1,%%d2,%%d3}, [%%s0+%d]; st.global.v4.u32 [%%out+%d], "
                   "{%%d0,%%d1,%%d2,%%d3};\n",
                   16 * i, 16 * i);
    n = append(t, room, n,
               "add.u64 %%out, %%out, %%t64; mul.lo.u32 %%t, %%lane, 64; cvt.u64.u32 %%t64, %%t; sub.u64 %%out, "
               "%%out, %%t64;\n");
    for (int i = 0; i < 4; i++)
        n = append(t, room, n,
                   "ld.local.v4.u32 {%%d0,%%d1,%%d2,%%d3}, [%%l+%d]; st.global.v4.u32 [%%out+%d], "
                   "{%%d0,%%d1,%%d2,%%d3};\n",
                   16 * i, DUMP + 16 * i);
    append(t, room, n, "ret;\n}\n");
}

typedef struct outcome {
    char memory[WINDOW];        /* of global memory */
    char dump[2 * DUMP + 2048]; /* registers, 128 bytes per lane; shared memory; local memory */
} outcome;

static struct rig {
    sim *s;
    sim_error e;
    uint64_t start, memory, out, nc, texture, surface;
} rig;
static char start_bytes[DUMP];

static bool open_rig(const sim_card *card)
{
    memset(&rig, 0, sizeof rig);
    if (sim_open(&rig.s, card, &rig.e) || sim_alloc(rig.s, DUMP, "start", &rig.start, &rig.e) ||
        sim_alloc(rig.s, WINDOW, "memory", &rig.memory, &rig.e) ||
        sim_alloc(rig.s, sizeof(outcome) - WINDOW, "out", &rig.out, &rig.e) ||
        sim_alloc(rig.s, FIXED, "nc", &rig.nc, &rig.e))
        return false;
    const sim_texture t = {.address = rig.memory, .width = WINDOW / 4, .texel = SIM_TEXEL_U32, .channels = 1};
    for (size_t i = 0; i < sizeof start_bytes; i++) start_bytes[i] = (char)draw(256);
    sim_write(rig.s, rig.start, start_bytes, DUMP, &rig.e);
    sim_write(rig.s, rig.nc, start_bytes + 64, FIXED, &rig.e);
    return !sim_texture_make(rig.s, &t, &rig.texture, &rig.e) && !sim_texture_make(rig.s, &t, &rig.surface, &rig.e);
}

/* False when the program does not load, or faults. */
static bool run(const program *p, bool as_written, bool timed, outcome *o)
{
    static char ptx[sizeof before_items + sizeof behind_items + ITEMS * ITEM];
    struct {
        uint64_t start, memory, out, nc, texture, surface;
        uint32_t number;
    } params = {rig.start, rig.memory, rig.out, rig.nc, rig.texture, rig.surface, 77};
    sim_module *m;
    sim_result r = {0};
    size_t n = append(ptx, sizeof ptx, 0, "%s", before_items);
    for (uint32_t i = 0; i < p->items; i++)
        if (!(p->left_out >> i & 1)) n = append(ptx, sizeof ptx, n, "%s\n", p->item[i]);
    n = append(ptx, sizeof ptx, n, "%s", behind_items);
    memset(o, 0, sizeof *o);
    sim_as_written(rig.s, as_written);
    if (sim_load(rig.s, "moves.ptx", ptx, n, &m, &rig.e)) return false;
    sim_write(rig.s, rig.memory, start_bytes + 512, WINDOW, &rig.e);
    sim_write(rig.s, rig.out, o->dump, sizeof o->dump, &rig.e);
    const sim_launch l = {.kernel = "k",
                          .grid = {1, 1, 1},
                          .block = {32, 1, 1},
                          .params = &params,
                          .param_bytes = 52,
                          .host_threads = 1,
                          .timed = timed,
                          .checks = p->init ? SIM_CHECK_INIT : 0,
                          .max_instructions = 100000};
    int code = sim_run(rig.s, m, &l, &r, &rig.e);
    if (!code && r.code) {
        code = r.code;
        if (r.fault_count)
            snprintf(rig.e.message, sizeof rig.e.message, "%s, line %d", r.faults[0].message, r.faults[0].at.line);
    }
    sim_read(rig.s, rig.memory, o->memory, WINDOW, &rig.e);
    sim_read(rig.s, rig.out, o->dump, sizeof o->dump, &rig.e);
    sim_result_free(&r);
    sim_unload(rig.s, m);
    return !code;
}

/* Are the results the same in both orders? `broken`: the original program does not run. */
static bool same_state(const program *p, bool timed, bool *broken)
{
    static outcome written, moved;
    *broken = !run(p, true, false, &written);
    return *broken || (run(p, false, timed, &moved) && !memcmp(&written, &moved, sizeof moved));
}

static bool try_program(uint64_t number)
{
    static program p;
    bool broken;
    const bool timed = number % 16 == 0;
    make(&p, number);
    if (same_state(&p, timed, &broken) && !broken) return true;
    if (broken) {
        printf("FAIL program %llu does not run as it is written: %s\n", (unsigned long long)number, rig.e.message);
        return false;
    }
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (uint32_t i = 0; i < p.items; i++) {
            if (p.left_out >> i & 1) continue;
            p.left_out |= UINT64_C(1) << i;
            if (same_state(&p, timed, &broken) || broken) p.left_out &= ~(UINT64_C(1) << i);
            else shorter = true;
        }
    }
    printf("FAIL program %llu%s comes out otherwise when its instructions are moved; of it:\n",
           (unsigned long long)number, timed ? ", timed," : "");
    for (uint32_t i = 0; i < p.items; i++)
        if (!(p.left_out >> i & 1)) printf("    %s\n", p.item[i]);
    return false;
}

static bool read_card(const char *name, sim_card *c)
{
    static char text[65536];
    char path[64];
    sim_error e;
    snprintf(path, sizeof path, "sim/cards/%s.card", name);
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return !sim_card_read(c, text, name, &e);
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    sim_card card;
    make_frame();
    if (!read_card("h200", &card) || !open_rig(&card)) {
        printf("FAIL cannot open the card: %s\n", rig.e.message);
        return 1;
    }
    for (uint64_t k = first; k < first + count && check_so_far().failed < 20; k++) check_count(try_program(k));
    sim_close(rig.s);
    return check_end();
}
