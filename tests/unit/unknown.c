/* unknown.c: unknown bits travel with values, and are faults where they decide.
 *
 * A rule is some instructions that compute %r9 from %r4, an unwritten word of shared memory, and
 * from %r5 = %r4 & 0x00ff00f0, whose other bits are known to be 0. The rule states which bits of
 * %r9 are unknown, worked out by hand from the PTX ISA. The test sees them as a student does: a
 * branch on a bit is a fault if the bit is unknown, and none otherwise. Every rule runs with and
 * without timing, and with several blocks on several threads. Results and counters are the same
 * with the check as without.
 */
#include "base.h"
#include "check/unknown_spread.h"
#include "isa.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char s[16384];
    size_t n;
} text;

enum { U = 0x00ff00f0, ALL = -1 };

// clang-format off
static const struct rule {
    const char *name, *body;
    uint32_t unknown; /* the unknown bits of %r9, in lane 3 */
    const char *with; /* text before the kernel */
} rules[] = {
    {"mov", "mov.u32 %r9, %r5;", U, ""},
    {"and with a constant", "and.b32 %r9, %r5, 255;", 0xf0, ""},
    {"and 0", "and.b32 %r9, %r4, 0;", 0, ""},
    {"or", "or.b32 %r9, %r5, 0xf0;", 0x00ff0000, ""},
    {"or ~0", "or.b32 %r9, %r4, -1;", 0, ""},
    {"xor", "xor.b32 %r9, %r5, %r1;", U, ""},
    {"not", "not.b32 %r9, %r5;", U, ""},
    {"and of 64 bits", "cvt.u64.u32 %rd20, %r5; and.b64 %rd20, %rd20, 0xff; cvt.u32.u64 %r9, %rd20;", 0xf0, ""},
    {"cnot of a word with a known 1", "or.b32 %r9, %r5, 1; cnot.b32 %r9, %r9;", 0, ""},
    {"cnot", "cnot.b32 %r9, %r5;", 1, ""},
    {"lop3 (a & b) | c", "lop3.b32 %r9, %r5, -1, 0xf0, 0xEA;", 0x00ff0000, ""},
    {"lop3 a ^ b ^ c", "lop3.b32 %r9, %r5, %r1, 7, 0x96;", U, ""},
    {"shl", "shl.b32 %r9, %r5, 4;", 0x0ff00f00, ""},
    {"shl by a register", "shl.b32 %r9, %r5, %r1;", U << 3, ""},
    {"shl by what is unknown", "shl.b32 %r9, %r1, %r5;", ALL, ""},
    {"shr", "shr.u32 %r9, %r5, 4;", 0x000ff00f, ""},
    {"shr with its sign", "shl.b32 %r9, %r5, 8; shr.s32 %r9, %r9, 4;", 0xfff00f00, ""},
    {"shl of 64 bits", "cvt.u64.u32 %rd20, %r5; shl.b64 %rd20, %rd20, 16; shr.u64 %rd20, %rd20, 32; cvt.u32.u64 %r9, "
     "%rd20;", 0xff, ""},
    {"shf", "shf.l.wrap.b32 %r9, %r5, 0, 16;", 0xff, ""},
    {"shf to the right", "shf.r.clamp.b32 %r9, %r5, %r5, 16;", 0x00f000ff, ""},
    {"prmt", "prmt.b32 %r9, %r5, 0, 0x0123;", 0xf000ff00, ""},
    {"prmt by a register", "mov.u32 %r10, 0x4442; prmt.b32 %r9, %r5, 0, %r10;", 0xff, ""},
    {"prmt of a sign", "prmt.b32 %r9, %r5, 0, 0x444a;", 0xff, ""},
    {"prmt by what is unknown", "prmt.b32 %r9, %r1, 0, %r5;", ALL, ""},
    {"bfe", "bfe.u32 %r9, %r5, 4, 4;", 0xf, ""},
    {"bfe with its sign", "bfe.s32 %r9, %r5, 4, 4;", ALL, ""},
    {"bfe of what is known", "bfe.u32 %r9, %r5, 8, 8;", 0, ""},
    {"bfi of known bits", "bfi.b32 %r9, 0, %r5, 4, 4;", 0x00ff0000, ""},
    {"bfi into a known word", "bfi.b32 %r9, %r4, 0, 8, 4;", 0xf00, ""},
    {"brev", "brev.b32 %r9, %r5;", 0x0f00ff00, ""},
    {"szext", "szext.wrap.u32 %r9, %r5, 8;", 0xf0, ""},
    {"selp that takes it", "setp.eq.u32 %p2, %r1, %r1; selp.b32 %r9, %r5, 1, %p2;", U, ""},
    {"selp that throws it away", "setp.eq.u32 %p2, %r1, %r1; selp.b32 %r9, 1, %r4, %p2;", 0, ""},
    {"selp by what is unknown, of equals", "setp.eq.u32 %p2, %r4, 0; selp.b32 %r9, 7, 7, %p2;", 0, ""},
    {"selp by what is unknown", "setp.eq.u32 %p2, %r4, 0; selp.b32 %r9, 5, 4, %p2;", 1, ""},
    {"slct", "slct.b32.s32 %r9, %r5, 0, %r1;", U, ""},
    {"cvt to a half", "cvt.u16.u32 %h1, %r5; cvt.u32.u16 %r9, %h1;", 0xf0, ""},
    {"cvt of a byte", "cvt.u32.u8 %r9, %r5;", 0xf0, ""},
    {"cvt of a byte with its sign", "cvt.s32.s8 %r9, %r5;", 0xfffffff0, ""},
    {"cvt that saturates", "cvt.sat.u8.u32 %h1, %r5; cvt.u32.u16 %r9, %h1;", 0xffff, ""},
    {"cvt to a float", "cvt.rn.f32.u32 %f1, %r5; mov.b32 %r9, %f1;", ALL, ""},
    {"mov that packs, the upper half", "mov.b64 %rd20, {%r1, %r5}; shr.u64 %rd20, %rd20, 32; cvt.u32.u64 %r9, %rd20;",
     U, ""},
    {"mov that packs, the lower half", "mov.b64 %rd20, {%r1, %r5}; cvt.u32.u64 %r9, %rd20;", 0, ""},
    {"mov that unpacks", "cvt.u64.u32 %rd20, %r5; mov.b64 {%r9, %r10}, %rd20;", U, ""},
    {"mov that unpacks halves", "mov.b32 {%h1, %h2}, %r5; cvt.u32.u16 %r9, %h2;", 0xff, ""},
    {"add", "add.u32 %r9, %r5, 1;", ALL, ""},
    {"mul by 0", "mul.lo.u32 %r9, %r5, 0;", ALL, ""},
    {"min", "min.u32 %r9, %r5, %r1;", ALL, ""},
    {"popc", "popc.b32 %r9, %r5;", ALL, ""},
    {"add with carry", "add.cc.u32 %r10, %r5, -1; addc.u32 %r9, %r1, 0;", ALL, ""},
    {"add.f32", "mov.b32 %f1, %r5; add.f32 %f2, %f1, %f1; mov.b32 %r9, %f2;", ALL, ""},
    {"mad", "mad.lo.u32 %r9, %r1, 3, %r5;", ALL, ""},
    {"sad", "sad.u32 %r9, %r1, %r1, %r5;", ALL, ""},
    {"set", "set.eq.u32.u32 %r9, %r5, 0;", ALL, ""},
    {"setp, false AND unknown", "setp.ne.u32 %p2, %r1, %r1; setp.eq.and.u32 %p3, %r4, 0, %p2; selp.b32 %r9, 1, 0, %p3;",
     0, ""},
    {"setp, unknown AND true", "setp.eq.u32 %p2, %r1, %r1; setp.eq.and.u32 %p3, %r4, 0, %p2; selp.b32 %r9, 1, 0, %p3;",
     1, ""},
    {"setp, true OR unknown", "setp.eq.u32 %p2, %r1, %r1; setp.eq.or.u32 %p3, %r4, 0, %p2; selp.b32 %r9, 1, 0, %p3;", 0,
     ""},
    {"setp false, AND a predicate that is unknown", "setp.eq.u32 %p2, %r4, 0; setp.ne.and.u32 %p3, %r1, %r1, %p2; "
     "selp.b32 %r9, 1, 0, %p3;", 0, ""},
    {"setp true, AND its inverse", "setp.eq.u32 %p2, %r4, 0; setp.eq.and.u32 %p3, %r1, %r1, !%p2; selp.b32 %r9, 1, 0, "
     "%p3;", 1, ""},
    {"setp false OR, the second result", "setp.eq.u32 %p2, %r4, 0; setp.ne.or.u32 %p3|%p4, %r1, %r1, %p2; "
     "selp.b32 %r9, 1, 0, %p4;", 0, ""},
    {"and of predicates", "setp.eq.u32 %p2, %r4, 0; setp.ne.u32 %p3, %r1, %r1; and.pred %p4, %p2, %p3; selp.b32 %r9, "
     "1, 0, %p4;", 0, ""},
    {"not of predicates", "setp.eq.u32 %p2, %r4, 0; not.pred %p4, %p2; selp.b32 %r9, 1, 0, %p4;", 1, ""},
    {"a guard that is unknown", "mov.u32 %r9, 0; setp.eq.u32 %p2, %r4, 0; @%p2 mov.u32 %r9, 1;", ALL, ""},
    {"a guard that is known", "mov.u32 %r9, 0; setp.gt.u32 %p2, %r1, 100; @%p2 mov.u32 %r9, %r4;", 0, ""},
    {"a guard for some lanes", "mov.u32 %r9, 0; setp.gt.u32 %p2, %r1, 2; @%p2 mov.u32 %r9, %r5;", U, ""},
    {"local memory", "st.local.u32 [l+8], %r5; ld.local.u32 %r9, [l+8];", U, ""},
    {"shared memory", "st.shared.u32 [%r8], %r5; ld.shared.u32 %r9, [%r8];", U, ""},
    {"shared memory, a byte", "st.shared.u32 [%r8], %r1; st.shared.u8 [%r8+1], %r4; ld.shared.u32 %r9, [%r8];", 0xff00,
     ""},
    {"shared memory, overwritten", "st.shared.u32 [%r8], %r5; st.shared.u32 [%r8], %r1; ld.shared.u32 %r9, [%r8];", 0,
     ""},
    {"shared memory, a generic address", "cvt.u64.u32 %rd20, %r8; cvta.shared.u64 %rd20, %rd20; st.u32 [%rd20], %r5; "
     "ld.u32 %r9, [%rd20];", U, ""},
    {"shared memory, a vector", "st.shared.v4.u32 [%r7], {%r1, %r5, %r1, %r4}; ld.shared.v4.u32 {%r10, %r9, %r11, "
     "%r12}, [%r7];", U, ""},
    {"shared memory, beside it in a vector", "st.shared.v4.u32 [%r7], {%r1, %r5, %r1, %r4}; ld.shared.v4.u32 {%r10, "
     "%r11, %r9, %r12}, [%r7];", 0, ""},
    {"shared memory, a byte with its sign", "st.shared.u32 [%r8], %r5; ld.shared.s8 %r9, [%r8];", 0xfffffff0, ""},
    {"global memory", "st.global.u32 [%rd9], %r5; ld.global.u32 %r9, [%rd9]; st.global.u32 [%rd9], %r1;", U, ""},
    {"an atomic or", "st.shared.u32 [%r8], %r5; atom.shared.or.b32 %r9, [%r8], 1;", U, ""},
    {"what an atomic or leaves", "st.shared.u32 [%r8], %r5; atom.shared.or.b32 %r10, [%r8], 0xf0; ld.shared.u32 %r9, "
     "[%r8];", 0x00ff0000, ""},
    {"what an atomic and leaves", "st.shared.u32 [%r8], %r5; atom.shared.and.b32 %r10, [%r8], 0xff; ld.shared.u32 %r9, "
     "[%r8];", 0xf0, ""},
    {"what an exchange leaves", "st.shared.u32 [%r8], %r5; atom.shared.exch.b32 %r10, [%r8], %r1; ld.shared.u32 %r9, "
     "[%r8];", 0, ""},
    {"what an exchange puts there", "st.shared.u32 [%r8], %r1; atom.shared.exch.b32 %r10, [%r8], %r5; "
     "ld.shared.u32 %r9, [%r8];", U, ""},
    {"what an atomic sum leaves", "st.shared.u32 [%r8], %r1; red.shared.add.u32 [%r8], %r5; ld.shared.u32 %r9, [%r8];",
     ALL, ""},
    {"what compare and swap leaves", "st.shared.u32 [%r8], %r1; atom.shared.cas.b32 %r10, [%r8], %r1, %r5; "
     "ld.shared.u32 %r9, [%r8];", U, ""},
    {"an exchange where nothing was", "atom.shared.exch.b32 %r10, [%r8], %r1; ld.shared.u32 %r9, [%r8];", 0, ""},
    {"an atomic sum that is overwritten", "red.shared.add.u32 [%r8], %r1; st.shared.u32 [%r8], %r1; ld.shared.u32 %r9, "
     "[%r8];", 0, ""},
    {"a shuffle", "shfl.sync.bfly.b32 %r9, %r5, 1, 31, -1;", U, ""},
    {"a shuffle from a lane that knows", "setp.eq.u32 %p2, %r1, 2; selp.b32 %r10, 9, %r5, %p2; shfl.sync.idx.b32 %r9, "
     "%r10, 2, 31, -1;", 0, ""},
    {"a shuffle that stays, its predicate", "shfl.sync.up.b32 %r10|%p2, %r5, 16, 0, -1; selp.b32 %r9, 1, 0, %p2;", 0,
     ""},
    {"a shuffle on two sides of a branch", "setp.lt.u32 %p2, %r1, 16; @%p2 bra A; shfl.sync.bfly.b32 %r9, %r5, 16, 31, "
     "-1; bra J; A: shfl.sync.bfly.b32 %r9, %r5, 16, 31, -1; J:", U, ""},
    {"... from lanes that know", "setp.lt.u32 %p2, %r1, 16; @%p2 bra A; shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1; "
     "bra J; A: shfl.sync.bfly.b32 %r9, %r5, 16, 31, -1; J:", 0, ""},
    {"a ballot on two sides of a branch", "setp.eq.u32 %p3, %r4, 0; setp.lt.u32 %p2, %r1, 16; setp.eq.u32 %p4, %r1, "
     "99; @%p2 bra A; vote.sync.ballot.b32 %r9, %p4, -1; bra J;"
     " A: vote.sync.ballot.b32 %r9, !%p3, -1; J:", 0xffff, ""},
    {"a ballot", "setp.eq.u32 %p2, %r1, 5; setp.eq.and.u32 %p3, %r4, 0, %p2; vote.sync.ballot.b32 %r9, %p3, -1;", 0x20,
     ""},
    {"a vote that one settles", "setp.eq.u32 %p2, %r1, 5; setp.eq.or.u32 %p3, %r4, 0, %p2; vote.sync.any.pred %p4, "
     "%p3, -1; selp.b32 %r9, 1, 0, %p4;", 0, ""},
    {"a vote that none settles", "setp.eq.u32 %p3, %r4, 0; vote.sync.all.pred %p4, %p3, -1; selp.b32 %r9, 1, 0, %p4;",
     1, ""},
    {"redux", "redux.sync.add.u32 %r9, %r5, -1;", ALL, ""},
    {"match", "match.any.sync.b32 %r9, %r5, -1;", ALL, ""},
    {"a copy in the background", "st.global.u32 [%rd9], %r5; cp.async.ca.shared.global [%r8], [%rd9], 4; "
     "cp.async.wait_all; ld.shared.u32 %r9, [%r8]; "
     "st.global.u32 [%rd9], %r1;", U, ""},
    {"ldmatrix", "st.shared.v4.u32 [%r7], {%r5, %r5, %r1, %r5}; bar.warp.sync -1; "
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r7];", U, ""},
    {"ldmatrix of what is known", "st.shared.v4.u32 [%r7], {%r1, %r1, %r1, %r1}; bar.warp.sync -1; "
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r7];", 0, ""},
    {"stmatrix", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r7], {%r5}; bar.warp.sync -1; "
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r7];", U, ""},
    {"movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r5;", ALL, ""},
    {"mma", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r5}, {%f5, %f5, %f5, "
     "%f5}; mov.b32 %r9, %f1;", ALL, ""},
    {"a function's parameter", "call.uni (%r9), keep, (%r5);", U,
     ".func (.reg .b32 %a) keep(.reg .b32 %b) { xor.b32 %a, %b, 0; ret; }"},
    {"a function's parameter in memory",
     "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r5; call.uni (y), twice, (x); ld.param.b32 %r9, [y]; }",
     U << 1,
     ".func (.param .b32 y) twice(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; shl.b32 %a, %a, 1; "
     "st.param.b32 [y], %a; ret; }"},
    {"a register that is used again", "mov.u32 %r9, %r5; mov.u32 %r9, %r1;", 0, ""},
    {"a loop", "mov.u32 %r9, 0; mov.u32 %r10, 0; L: or.b32 %r9, %r9, %r5; add.u32 %r10, %r10, 1; setp.lt.u32 %p2, "
     "%r10, 40; @%p2 bra L;", U, ""},
};
// clang-format on
enum { RULES = sizeof rules / sizeof *rules };

/* ---- launches ---- */

// clang-format off
static const struct way {
    const char *name;
    bool timed;
    uint32_t blocks;
    int threads;
    unsigned checks;
} ways[] = {
    {"no clock", false, 1, 1, SIM_CHECK_INIT}, {"the clock", true, 2, 1, SIM_CHECK_INIT},    {"three threads", false,
     30, 3, SIM_CHECK_INIT},
    {"all checks", false, 1, 1, SIM_CHECK_ALL}, {"no check", false, 1, 1, 0},                {"no check, the clock",
     true, 2, 1, 0},
};
// clang-format on
enum { BEFORE = 13 /* lines before the body; the last one has the load */ };
enum { PLAIN, TIMED, SHARED_OUT, CHECKED, BARE, BARE_TIMED };

typedef struct seen {
    int code, notes;
    sim_fault fault, note;
    sim_counters total;
    uint64_t cycles;
    uint32_t out[64];
    bool ran, known;
    sim_unknown unknown;
} seen;

static void build(text *t, const char *with, const char *body, const char *after)
{
    const int n = snprintf(
        t->s, sizeof t->s,
        ".version 8.3\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 f, "
        ".param .b64 a);\n"
        ".global .align 1 .b8 format[3] = {37, 100, 0};\n%s\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<24>; "
        ".reg .b64 %%rd<24>; .reg .f32 %%f<8>;\n"
        ".shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[64];\n"
        "mov.f32 %%f5, 0f00000000; ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; "
        "mad.lo.u32 %%r3, %%r2, 32, %%r1;\n"
        "mul.wide.u32 %%rd2, %%r3, 4; add.u64 %%rd9, %%rd1, %%rd2; mov.u32 %%r6, s; shl.b32 %%r8, %%r1, 2; "
        "add.u32 %%r8, %%r8, %%r6;\n"
        "shl.b32 %%r7, %%r1, 4; add.u32 %%r7, %%r7, %%r6; add.u32 %%r8, %%r8, 512; ld.shared.u32 %%r4, [%%r6+1020]; "
        "and.b32 %%r5, %%r4, 0x00ff00f0;\n"
        "%s\n%s\nret;\n}\n",
        with, body, after);
    t->n = n > 0 ? (size_t)n : 0;
    if (t->n >= sizeof t->s) abort();
}

static sim_card h200;

static void run_way(const text *t, const struct way *w, seen *o)
{
    sim *s = NULL;
    sim_module *m = NULL;
    sim_error e = {0};
    sim_result r = {0};
    uint64_t out = 0;
    const uint32_t zeros[4096] = {0};
    memset(o, 0, sizeof *o);
    if (sim_open(&s, &h200, &e) || sim_alloc(s, sizeof zeros, "out", &out, &e) ||
        sim_write(s, out, zeros, sizeof zeros, &e) || sim_load(s, "case.ptx", t->s, t->n, &m, &e)) {
        printf("# %s:%d: %s\n", e.file, e.line, e.message);
    } else {
        const sim_launch l = {.kernel = "k",
                              .grid = {w->blocks, 1, 1},
                              .block = {32, 1, 1},
                              .params = &out,
                              .param_bytes = 8,
                              .checks = w->checks,
                              .timed = w->timed,
                              .host_threads = w->threads,
                              .counts = SIM_COUNT_MEMORY,
                              .max_instructions = 1000000};
        o->code = sim_run(s, m, &l, &r, &e);
        if (!o->code) o->code = r.code;
        for (int i = 0; i < r.fault_count; i++)
            if (r.faults[i].note) o->note = r.faults[i], o->notes++;
            else if (!o->fault.message[0]) o->fault = r.faults[i];
        o->total = r.total;
        o->cycles = r.cycles;
        o->ran = !sim_read(s, out, o->out, sizeof o->out, &e);
        o->known = sim_known(s, out, sizeof zeros, &o->unknown);
        sim_result_free(&r);
    }
    if (s) sim_close(s);
}

/* ---- rules ---- */

static bool is_unwritten(const sim_fault *f)
{
    return f->kind == SIM_FAULT_UNINITIALISED && !f->note && f->other.kernel;
}

static void test_rule(const struct rule *c)
{
    static text t;
    bool good = true;
    char after[400];
    seen o;
    const uint32_t bits[3] = {~c->unknown, c->unknown & (0 - c->unknown), 0};
    uint32_t highest = c->unknown;
    while (highest & (highest - 1)) highest &= highest - 1;
    for (int i = 0; i < 3; i++) {
        const uint32_t bit = i == 2 ? highest : bits[i];
        if (!bit) continue;
        snprintf(after, sizeof after,
                 "and.b32 %%r20, %%r9, %u;\nsetp.eq.u32 %%p7, %%r20, 1;\nsetp.ne.u32 %%p6, %%r1, 3;\n"
                 "selp.b32 %%r20, 0, %%r20, %%p6;\nsetp.eq.u32 %%p7, %%r20, 1;\n@%%p7 bra END;\n"
                 "st.global.u32 [%%rd9], %%r1;\nEND:",
                 bit);
        build(&t, c->with, c->body, after);
        for (int way = PLAIN; way <= CHECKED; way++) {
            run_way(&t, &ways[way], &o);
            const bool fine =
                o.ran && (i ? o.code == SIM_E_FAULT && is_unwritten(&o.fault) &&
                                  strstr(o.fault.message, "branches on a value that comes from element 255")
                            : !o.code);
            if (!fine) printf("# %s, bits %08x: code %d %s\n", ways[way].name, bit, o.code, o.fault.message);
            good = good && fine;
        }
    }
    /* Results and counters do not differ. */
    build(&t, c->with, c->body, "st.global.u32 [%rd9], %r9;");
    for (int timed = 0; timed < 2; timed++) {
        seen with;
        run_way(&t, &ways[timed ? TIMED : PLAIN], &with);
        run_way(&t, &ways[timed ? BARE_TIMED : BARE], &o);
        const bool same = o.ran && with.ran && !with.code && !o.code && !memcmp(o.out, with.out, sizeof o.out) &&
                          !memcmp(&o.total, &with.total, sizeof o.total) && o.cycles == with.cycles;
        if (!same)
            printf("# with the check: code %d, %llu cycles; without: code %d, %llu cycles %s\n", with.code,
                   (unsigned long long)with.cycles, o.code, (unsigned long long)o.cycles, with.fault.message);
        good = good && same;
        /* The host is told when %r9 has unknown bits. */
        if (!c->unknown != with.known && c->unknown) good = false, printf("# the host was not told\n");
    }
    check_that(good, "%s", c->name);
}

/* ---- where unknown bits decide, and where they do not ---- */

// clang-format off
static const struct use {
    const char *name, *body;
    const char *fault; /* NULL: none */
    const char *note;  /* NULL: none */
    int line;          /* the line of the fault in the body, from 1 */
    const char *with;
} uses[] = {
    {"a branch", "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra END;\nEND:",
     "branches on a value that comes from element 255 of shared s (byte 1020), which was never written (read at line "
     "13)", NULL, 2, ""},
    {"a return", "setp.eq.u32 %p2, %r4, 0;\n@%p2 ret;\n", "branches on", NULL, 2, ""},
    {"a guard of a store", "setp.eq.u32 %p2, %r4, 0;\n@%p2 st.global.u32 [%rd9], %r1;",
     "decides whether to do this by a value that comes from", NULL, 2, ""},
    {"what an exchange finds where nothing was", "atom.shared.exch.b32 %r10, [%r8], %r1;\nsetp.eq.u32 %p2, %r10, 0;\n"
     "@%p2 bra END;\nEND:",
     "branches on a value that comes from element 128 of shared s (byte 512), which was never written", NULL, 3, ""},
    {"an atomic sum where nothing was", "red.shared.add.u32 [%r8], %r1;\nld.shared.u32 %r10, [%r8];\n"
     "setp.eq.u32 %p2, %r10, 0;\n@%p2 bra END;\nEND:",
     "branches on a value that comes from element 128 of shared s (byte 512), which was never written", NULL, 4, ""},
    {"compare and swap where nothing was", "atom.shared.cas.b32 %r10, [%r8], 0, %r1;",
     "decides a compare-and-swap by a value that comes from", NULL, 1, ""},
    {"compare and swap with what is unknown", "st.shared.u32 [%r8], %r1;\natom.shared.cas.b32 %r10, [%r8], %r4, %r1;",
     "decides a compare-and-swap by", NULL, 2, ""},
    {"a guard of a barrier", "setp.eq.u32 %p2, %r4, 0;\n@%p2 bar.sync 0;", "branches on", NULL, 2, ""},
    {"an address of a load", "and.b32 %r10, %r4, 0;\nand.b32 %r10, %r4, 4;\nadd.u32 %r10, %r10, %r8;\n"
     "ld.shared.u32 %r11, [%r10];", "uses as an address", NULL, 4, ""},
    {"an address of a store", "and.b32 %r10, %r4, 4;\nadd.u32 %r10, %r10, %r8;\nst.shared.u32 [%r10], %r1;",
     "uses as an address", NULL, 3, ""},
    {"a lane of a shuffle", "shfl.sync.idx.b32 %r10, %r1, %r4, 31, -1;", "uses as a lane or mask of a shuffle", NULL, 1,
     ""},
    {"a mask of a shuffle", "or.b32 %r10, %r4, -2;\nshfl.sync.idx.b32 %r10, %r1, 0, 31, %r10;",
     "uses as a lane or mask of a shuffle", NULL, 2, ""},
    {"a jump table", "and.b32 %r10, %r4, 1;\nT: .branchtargets one, two;\nbrx.idx %r10, T;\none:\ntwo:",
     "picks its jump target by", NULL, 3, ""},
    {"printf", "{ .param .b64 f; .param .b64 a; .param .b32 r;\nst.local.u32 [l], %r4; mov.u64 %rd20, format; "
     "cvta.global.u64 %rd20, %rd20; mov.u64 %rd21, l; cvta.local.u64 %rd21, %rd21;"
     " st.param.b64 [f], %rd20; st.param.b64 [a], %rd21;\ncall.uni (r), vprintf, (f, a); }",
     "prints a value that comes from element 255", NULL, 3, ""},
    {"printf of memory that nobody wrote", "{ .param .b64 f; .param .b64 a; .param .b32 r;\n"
     "mov.u64 %rd20, format; cvta.global.u64 %rd20, %rd20; mov.u64 %rd21, l; cvta.local.u64 %rd21, %rd21;"
     " st.param.b64 [f], %rd20; st.param.b64 [a], %rd21;\ncall.uni (r), vprintf, (f, a); }",
     "prints a value that comes from", NULL, 3, ""},
    {"a barrier's predicate", "setp.eq.u32 %p2, %r4, 0;\nbar.red.or.pred %p3, 0, %p2;", "calls a barrier with", NULL, 2,
     ""},
    {"a lane that took no part in a shuffle", "setp.gt.u32 %p2, %r1, 3;\n@%p2 bra END;\nshfl.sync.down.b32 %r10, %r1, "
     "2, 31, 15;\nsetp.eq.u32 %p3, %r10, 1;\n@%p3 bra END;\nEND:",
     "branches on a value that comes from lane 4, which was inactive in the shuffle (read at line 16)", NULL, 5, ""},
    {"lanes that its mask names and that ended", "setp.gt.u32 %p2, %r1, 3;\n@%p2 ret;\nshfl.sync.down.b32 %r10, %r1, "
     "2, 31, -1;\nsetp.eq.u32 %p3, %r10, 1;\n@%p3 bra END;\nEND:",
     "branches on a value that comes from lane 4, which was inactive in the shuffle (read at line 16)", NULL, 5, ""},
    {"... whose value nobody uses", "setp.gt.u32 %p2, %r1, 3;\n@%p2 bra END;\nshfl.sync.down.b32 %r10, %r1, 2, 31, "
     "15;\nsetp.gt.u32 %p4, %r1, 1;\nselp.b32 %r10, 0, %r10, %p4;\nsetp.eq.u32 %p3, %r10, 1;\n@%p3 bra END;\nEND:",
     NULL, NULL, 0, ""},
    {"a store of what is unknown", "st.global.u32 [%rd9], %r4;", NULL,
     "stores a value that comes from element 255 of shared s (byte 1020), which was never written", 1, ""},
    {"a store of a struct with gaps", "mul.wide.u32 %rd22, %r3, 16;\nadd.u64 %rd22, %rd22, %rd1;\n"
     "st.global.v4.u32 [%rd22], {%r1, %r1, %r4, %r4};\n", NULL, NULL, 0, ""},
    {"a struct with gaps through shared memory", "st.shared.v2.u32 [%r7], {%r1, %r1};\nld.shared.v4.u32 {%r10, %r11, "
     "%r12, %r13}, [%r7];\nst.shared.v4.u32 [%r7], {%r10, %r11, %r12, %r13};\n"
     "ld.shared.u32 %r14, [%r7+4];\nsetp.eq.u32 %p2, %r14, 3;\n@%p2 bra END;\nEND:", NULL, NULL, 0, ""},
    {"a struct copied in words of 64 bits", "st.shared.u32 [%r7], %r1;\nld.shared.u64 %rd20, [%r7];\n"
     "st.local.u64 [l], %rd20;\nld.local.u32 %r14, [l];\nsetp.eq.u32 %p2, %r14, 3;\n@%p2 bra END;\nEND:", NULL, NULL, 0,
     ""},
    {"a bit field", "bfi.b32 %r10, %r1, %r4, 3, 5;\nst.shared.u32 [%r7], %r10;\nld.shared.u32 %r11, [%r7];\n"
     "bfe.u32 %r12, %r11, 3, 5;\nsetp.eq.u32 %p2, %r12, 3;\n@%p2 bra END;\nEND:", NULL, NULL, 0, ""},
    {"a bit field beside it", "bfi.b32 %r10, %r1, %r4, 3, 5;\nbfe.u32 %r12, %r10, 4, 5;\nsetp.eq.u32 %p2, %r12, 3;\n"
     "@%p2 bra END;\nEND:", "branches on", NULL, 4, ""},
};
// clang-format on

static void test_use(const struct use *c)
{
    static text t;
    bool good = true;
    seen o;
    build(&t, c->with, c->body, strstr(c->body, "END:") ? "" : "END:");
    for (int way = PLAIN; way <= CHECKED; way++) {
        run_way(&t, &ways[way], &o);
        bool fine = o.ran && (c->fault ? o.code == SIM_E_FAULT && o.fault.kind == SIM_FAULT_UNINITIALISED &&
                                             strstr(o.fault.message, c->fault) != NULL &&
                                             o.fault.at.line == BEFORE + c->line && o.fault.other.kernel
                                       : !o.code);
        fine = fine && (c->note ? o.notes && o.note.kind == SIM_FAULT_UNINITIALISED &&
                                      strstr(o.note.message, c->note) && o.note.at.line == BEFORE + c->line
                                : c->fault || !o.notes);
        if (!fine)
            printf("# %s: code %d, line %d: %s, %d notes: %s\n", ways[way].name, o.code, o.fault.at.line,
                   o.fault.message, o.notes, o.note.message);
        good = good && fine;
    }
    check_that(good, "%s", c->name);
}

/* What the host is told when it reads. */
static void test_host(void)
{
    static text t;
    seen o;
    build(&t, "", "setp.eq.u32 %p2, %r1, 7; selp.b32 %r9, %r4, %r1, %p2; st.global.u32 [%rd9], %r9;", "");
    for (int way = PLAIN; way <= SHARED_OUT; way++) {
        run_way(&t, &ways[way], &o);
        const bool good = o.ran && !o.code && !o.known && o.unknown.offset == 28 && o.unknown.stored &&
                          o.unknown.from.line == BEFORE &&
                          strstr(o.unknown.what, "element 255 of shared s (byte 1020), which was never written");
        if (!good)
            printf("# code %d, known %d, byte %llu, line %d, %s\n", o.code, o.known,
                   (unsigned long long)o.unknown.offset, o.unknown.from.line, o.unknown.what);
        check_that(good, "the host is told what it must not look at, %s", ways[way].name);
    }
    run_way(&t, &ways[BARE], &o);
    check_that(o.ran && !o.code && o.known, "nothing is known to be unknown without the check");
}

/* Somebody decided for each opcode how unknown bits go through it. */
static void test_rows(void)
{
    static const struct {
        const char *name, *group;
    } ops[OP_COUNT] = {
#define OP(id, name, group, touches, effect) [OP_##id] = {name, #group},
#include "ptx/ops.def"
#undef OP
    };
    for (int op = 0; op < OP_COUNT; op++) {
        if (!ops[op].name || !strcmp(ops[op].group, "NONE")) continue;
        check_that(spread_rules[op].how != SPREAD_UNSAID, "%s has a row in unknown_spread.c", ops[op].name);
    }
}

int main(void)
{
    static char file[1 << 16];
    sim_error e = {0};
    FILE *f = fopen("sim/cards/h200.card", "r");
    if (f) file[fread(file, 1, sizeof file - 1, f)] = 0, fclose(f);
    if (!f || sim_card_read(&h200, file, "h200", &e)) return 1;
    for (isa_begin(); isa_next();) {
        test_rows();
        for (int k = 0; k < RULES; k++) test_rule(&rules[k]);
        for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) test_use(&uses[k]);
        test_host();
    }
    return isa_end();
}
