/* shorthand.c: ways to write PTX that old compilers and people use: addresses of array elements,
 * registers plus a constant, prototypes without a semicolon, vector registers, vectors and
 * predicates as parameters, floats in wider registers. ptxas 13 said what is legal; the values are
 * worked out by hand.
 */
#include "kernel.h"

typedef struct written {
    const char *name, *before, *with, *body;
    uint32_t first, step; /* lane k's word: first + k * step */
} written;

#define OUT   " st.global.u32 [%rd9], %r10;"
#define WORDS ".global .align 16 .b32 g[8] = {10, 11, 12, 13, 14, 15, 16, 17};\n"
#define SWAP  ".func (.reg .v2 .b32 r) swap(.reg .v2 .b32 a) { mov.b32 r.x, a.y; mov.b32 r.y, a.x; ret; }\n"
#define NOT   ".func (.reg .pred r) opposite(.reg .pred a) { not.pred r, a; ret; }\n"

static const written cases[] = {
    /* sym[n] is the n-th scalar: ptxas does so for vectors and for arrays of arrays, too */
    {"address of an array's first element", WORDS, "", "mov.u64 %rd10, g[0]; ld.global.u32 %r10, [%rd10];" OUT, 10, 0},
    {"address of its fourth", WORDS, "", "mov.u64 %rd10, g[3]; ld.global.u32 %r10, [%rd10];" OUT, 13, 0},
    {"an index that is worked out", WORDS, "", "mov.u64 %rd10, g[(1 + 2) * 2 - 1]; ld.global.u32 %r10, [%rd10];" OUT,
     15, 0},
    {"an index below 0", WORDS, "", "mov.u64 %rd10, g[-1]; ld.global.u32 %r10, [%rd10+8];" OUT, 11, 0},
    {"an element of bytes", ".global .b8 g[4] = {5, 6, 7, 8};\n", "",
     "mov.u64 %rd10, g[2]; ld.global.u8 %r10, [%rd10];" OUT, 7, 0},
    {"an element of 8 bytes", ".global .b64 g[3] = {5, 6, 7};\n", "",
     "mov.u64 %rd10, g[2]; ld.global.u32 %r10, [%rd10];" OUT, 7, 0},
    {"an element of an array of vectors", ".global .v2 .b32 g[3] = {{5, 6}, {7, 8}, {9, 10}};\n", "",
     "mov.u64 %rd10, g[3]; ld.global.u32 %r10, [%rd10];" OUT, 8, 0},
    {"an element of an array of arrays", ".global .b32 g[2][2] = {{5, 6}, {7, 8}};\n", "",
     "mov.u64 %rd10, g[2]; ld.global.u32 %r10, [%rd10];" OUT, 7, 0},
    {"an element of shared memory", "", ".shared .b32 sm[4];",
     "mov.u32 %r11, sm[2]; mov.u32 %r12, 77; st.shared.u32 [sm+8], %r12; ld.shared.u32 %r10, [%r11];" OUT, 77, 0},
    {"an element of local memory", "", ".local .b32 lo[4];",
     "mov.u64 %rd11, lo[3]; st.local.u32 [lo+12], %r1; ld.local.u32 %r10, [%rd11];" OUT, 0, 1},
    {"a load of an element", WORDS, "", "ld.global.u32 %r10, g[2];" OUT, 12, 0},
    {"a store to an element", "", ".shared .b32 sm[4];", "st.shared.u32 sm[1], %r1; ld.shared.u32 %r10, [sm+4];" OUT,
     31, 0},
    /* registers plus a constant */
    {"mov of a register and 4", "", "", "mov.u32 %r10, %r1+4;" OUT, 4, 1},
    {"mov of a register and twice 4", "", "", "mov.s32 %r10, %r1+4+4;" OUT, 8, 1},
    {"mov of a register and -3", "", "", "mov.b32 %r10, %r1+-3;" OUT, UINT32_MAX - 2, 1},
    {"mov of a register to itself, and 1", "", "", "mov.u32 %r1, %r1+1; mov.u32 %r10, %r1;" OUT, 1, 1},
    {"mov of 64 bits and more than 32", "", "",
     "cvt.u64.u32 %rd10, %r1; mov.u64 %rd11, %rd10+0x500000000; shr.u64 %rd11, %rd11, 32; cvt.u32.u64 %r10, "
     "%rd11;" OUT,
     5, 0},
    {"mov of 16 bits wraps", "", "",
     "cvt.u16.u32 %h1, %r1; mov.u16 %h2, %h1+65535; cvt.u32.u16 %r10, %h2; add.u32 %r10, %r10, 1; "
     "and.b32 %r10, %r10, 65535;" OUT,
     0, 1},
    {"under a guard", "", "",
     "mov.u32 %r10, 7; setp.lt.u32 %p2, %r1, 99; @!%p2 mov.u32 %r10, %r1+4; @%p2 add.u32 %r10, %r10, 1;" OUT, 8, 0},
    {"a factor and 2", "", "", "mul.lo.u32 %r10, %r1+2, 3;" OUT, 6, 3},
    {"what is stored and 7", "", "", "st.global.u32 [%rd9], %r1+7;", 7, 1},
    {"both operands", "", "", "add.u32 %r10, %r1+1, %r1+2;" OUT, 3, 2},
    /* prototypes without ";" */
    {"a prototype before a function",
     ".func (.param .b32 r) next(.param .b32 a)\n.func (.param .b32 r) next(.param .b32 a)\n"
     "{ .reg .b32 %r<2>; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }\n",
     "", "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), next, (a); ld.param.b32 %r10, [r]; }" OUT, 1,
     1},
    {"a prototype before a variable, and an extern one",
     ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a)\n"
     ".visible .func nothing()\n" WORDS ".func nothing() { ret; }\n",
     "", "call nothing; ld.global.u32 %r10, [g];" OUT, 10, 0},
    /* vector registers */
    {"elements by x y z w", WORDS, ".reg .v4 .b32 v;",
     "ld.global.v4.b32 v, [g]; mul.lo.u32 %r10, v.x, 1000; sub.u32 %r10, %r10, v.w; add.u32 %r10, "
     "%r10, v.y; sub.u32 %r10, %r10, v.z;" OUT,
     9986, 0}, /* 10000 - 13 + 11 - 12 */
    {"elements by r g b a", WORDS, ".reg .v4 .b32 v;",
     "ld.global.v4.b32 v, [g]; mul.lo.u32 %r10, v.r, 1000; sub.u32 %r10, %r10, v.a; add.u32 %r10, "
     "%r10, v.g; sub.u32 %r10, %r10, v.b;" OUT,
     9986, 0},
    {"elements are written", "", ".reg .v2 .b32 v;",
     "mov.u32 v.x, %r1; add.u32 v.y, v.x, 5; add.u32 %r10, v.x, v.y;" OUT, 5, 2},
    {"a numbered one", WORDS, ".reg .v2 .b32 v<3>;",
     "ld.global.v2.b32 v1, [g]; ld.global.v2.b32 v2, [g+8]; sub.u32 %r10, v2.y, v1.x;" OUT, 3, 0},
    {"a vector is stored", "", ".reg .v2 .b32 v; .shared .align 8 .b32 sm[64];",
     "mov.u32 v.x, %r1; add.u32 v.y, %r1, 100; shl.b32 %r11, %r1, 3; mov.u32 %r12, sm; add.u32 %r12, %r12, %r11; "
     "st.shared.v2.b32 [%r12], v; "
     "ld.shared.u32 %r10, [%r12+4];" OUT,
     100, 1},
    {"mov of a vector", WORDS, ".reg .v4 .b32 v, u;",
     "ld.global.v4.b32 v, [g]; mov.v4.b32 u, v; sub.u32 %r10, u.w, u.x;" OUT, 3, 0},
    {"mov that turns a vector round", "", ".reg .v2 .b32 v;",
     "mov.u32 v.x, 100; mov.u32 v.y, %r1; mov.v2.b32 v, {v.y, v.x}; sub.u32 %r10, v.y, v.x;" OUT, 100, UINT32_MAX},
    {"mov of constants and registers", "", ".reg .v2 .b32 v;", "mov.v2.b32 v, {9, %r1}; add.u32 %r10, v.x, v.y;" OUT, 9,
     1},
    {"mov to single registers", WORDS, ".reg .v2 .b32 v;",
     "ld.global.v2.b32 v, [g+8]; mov.v2.b32 {%r11, %r12}, v; sub.u32 %r10, %r12, %r11;" OUT, 1, 0},
    {"mov of a special register", "", ".reg .v4 .u32 v;",
     "mov.v4.u32 v, %tid; add.u32 %r10, v.x, v.y; add.u32 %r10, %r10, v.z;" OUT, 0, 1},
    {"a vector packed", "", ".reg .v2 .b32 v;",
     "mov.u32 v.x, 3; mov.u32 v.y, %r1; mov.b64 %rd10, v; shr.u64 %rd10, %rd10, 32; cvt.u32.u64 %r10, %rd10;" OUT, 0,
     1},
    {"a vector unpacked", "", ".reg .v2 .b32 v;",
     "mov.u64 %rd10, 0x700000005; mov.b64 v, %rd10; sub.u32 %r10, v.y, v.x;" OUT, 2, 0},
    {"halves", ".global .align 8 .b16 h[4] = {1, 20, 300, 4000};\n", ".reg .v4 .b16 v;",
     "ld.global.v4.b16 v, [h]; add.u16 v.x, v.x, v.w; cvt.u32.u16 %r10, v.x;" OUT, 4001, 0},
    {"doubles", ".global .align 16 .f64 d[2] = {1.5, 40.5};\n", ".reg .v2 .f64 v;",
     "ld.global.v2.f64 v, [d]; add.f64 v.x, v.x, v.y; cvt.rzi.u32.f64 %r10, v.x;" OUT, 42, 0},
    /* parameters */
    {"a vector goes in and comes back", SWAP, ".reg .v2 .b32 v, u;",
     "mov.u32 v.x, 50; mov.u32 v.y, %r1; call (u), swap, (v); sub.u32 %r10, u.y, u.x;" OUT, 50, UINT32_MAX},
    {"a predicate goes in and comes back", NOT, "",
     "setp.lt.u32 %p2, %r1, 99; call (%p3), opposite, (%p2); selp.u32 %r10, 3, 4, %p3;" OUT, 4, 0},
    {"a predicate that differs by lane", NOT, "",
     "and.b32 %r11, %r1, 1; setp.eq.u32 %p2, %r11, 1; call (%p3), opposite, (%p2); selp.u32 %r10, 0, %r11, %p3; "
     "sub.u32 %r10, %r10, %r11;" OUT,
     0, 0},
    {"a call under a guard by what it is given", NOT, "",
     "setp.lt.u32 %p2, %r1, 99; setp.lt.u32 %p3, %r1, 99; @%p2 call (%p3), opposite, (%p2); selp.u32 %r10, 3, 4, "
     "%p3;" OUT,
     4, 0},
    /* floats in wider registers: the upper bits are zero */
    {"a float in 64 bits", ".global .f32 f = 0f3f800000;\n", "",
     "mov.u64 %rd10, -1; ld.global.f32 %rd10, [f]; shr.u64 %rd11, %rd10, 16; cvt.u32.u64 %r10, "
     "%rd11;" OUT,
     0x3f80, 0},
    {"two floats in 64 bits each", ".global .align 8 .f32 f[2] = {0f3f800000, 0f40000000};\n", "",
     "ld.global.v2.f32 {%rd10, %rd11}, [f]; sub.u64 %rd11, %rd11, %rd10; cvt.u32.u64 %r10, %rd11;" OUT, 0x800000, 0},
    {"a float is stored out of 64 bits", "", "", "mov.u64 %rd10, 0x123456789; st.global.f32 [%rd9], %rd10;", 0x23456789,
     0},
    {"an integer out of 64 bits becomes a float", "", "",
     "cvt.u64.u32 %rd10, %r1; add.u64 %rd10, %rd10, 0x100000000; cvt.rn.f32.u32 %f1, %rd10; add.f32 %f1, %f1, %f1; "
     "cvt.rzi.u32.f32 %r10, %f1;" OUT,
     0, 2},
    {"a float out of 64 bits becomes an integer", "", "",
     "mov.u64 %rd10, 0x7000000044160000; cvt.rzi.u32.f32 %r10, %rd10;" OUT, 600, 0},
    {"a float out of 64 bits becomes a double", "", "",
     "mov.u64 %rd10, 0x70000000c4160000; cvt.f64.f32 %fd1, %rd10; neg.f64 %fd1, %fd1; cvt.rzi.u32.f64 %r10, "
     "%fd1;" OUT,
     600, 0},
    {"an integer becomes a float in 64 bits", "", "",
     "mov.u64 %rd10, -1; mov.u32 %r11, 600; cvt.rn.f32.u32 %rd10, %r11; shr.u64 %rd10, %rd10, 16; cvt.u32.u64 "
     "%r10, %rd10;" OUT,
     0x4416, 0},
    {"a float moves from 64 bits to 64 bits", "", "",
     "mov.u64 %rd10, 0x7000000044160000; cvt.f32.f32 %rd11, %rd10; shr.u64 %rd11, %rd11, 16; cvt.u32.u64 %r10, "
     "%rd11;" OUT,
     0x4416, 0},
    {"a half out of 64 bits becomes a float", "", "",
     "mov.u64 %rd10, 0x7000000012344000; cvt.f32.f16 %f1, %rd10; cvt.rzi.u32.f32 %r10, %f1;" OUT, 2, 0},
    {"bits in a float", WORDS, "", "ld.global.b32 %f1, [g]; mov.b32 %r10, %f1;" OUT, 10, 0}};

/* A refusal gives the reason. */
static void test_refusals(bench *b)
{
    static const struct {
        const char *name, *before, *with, *body, *says;
    } refused[] = {
        {"an index in a register", WORDS, "", "mov.u64 %rd10, g[%r1];", "not a constant"},
        {"an index of a scalar", ".global .b32 g;\n", "", "mov.u64 %rd10, g[0];", "is not an array"},
        {"a float and 4", "", "", "mov.f32 %f1, %f2+4;", "needs an integer register"},
        {"a result and 4", "", "", "add.u32 %r1+4, %r1, 3;", "is written"},
        {"a vector of predicates", "", ".reg .v2 .pred v;", "", "cannot be of predicates"},
        {"a vector of 256 bits", "", ".reg .v4 .b64 v;", "", "at most 128 bits"},
        {"the third element of two", "", ".reg .v2 .b32 v;", "mov.u32 v.z, 3;", "vector of two"},
        {"a sum of vectors", "", ".reg .v2 .b32 v;", "add.u32 v, v, v;", "add.u32"},
        {"mov of another length", "", ".reg .v2 .b32 v; .reg .v4 .b32 u;", "mov.v4.b32 u, v;", "vectors of 4"},
        {"a vector where one value is taken", ".func one(.reg .b64 a) { ret; }\n", ".reg .v2 .b32 v;", "call one, (v);",
         "different kind"},
        {"a number for a predicate", ".func one(.reg .pred a) { ret; }\n", "", "call one, (%r1);", "different kind"},
        {"a predicate in .param", ".func one(.param .pred a) { ret; }\n", "", "", "in a register"},
        {"a float in a double", WORDS, "", "ld.global.f32 %fd1, [g];", "ld.global.f32"},
        {"a kernel without a body", ".visible .entry other(.param .u64 a)\n", "", "", "expected"}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        static text t;
        sim_module *m = NULL;
        start(&t, refused[i].before, refused[i].with);
        put(&t, "%s\nret;\n}\n", refused[i].body);
        const bool loads = !sim_load(b->s, "case.ptx", t.s, t.n, &m, &b->e);
        if (loads) sim_unload(b->s, m);
        else if (!strstr(b->e.message, refused[i].says)) printf("# %s\n", b->e.message);
        check_that(!loads && b->e.line && strstr(b->e.message, refused[i].says), "refused: %s", refused[i].name);
    }
}

static void tests(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t want[32];
        for (uint32_t k = 0; k < 32; k++) want[k] = cases[i].first + k * cases[i].step;
        test_words(b, cases[i].name, cases[i].before, cases[i].with, cases[i].body, 32, SIM_CHECK_INIT, want);
    }
    test_refusals(b);
}
