/* chains.c: rows of steps, hand-overs, places, values that came back and words (sim/check/chains.h), of kernels
 * of a few instructions, worked out by hand. %rd1 is where the kernel stores. */
#include "kernel.h"

// clang-format off
static const struct row {
    const char *name, *functions, *body;
    uint32_t block;
    uint64_t steps, hands, places, returns, words;
} rows[] = {
    {"what is loaded has no steps", "", "ld.global.u32 %r1, [%rd1+8];\nst.global.u32 [%rd1], %r1;", 1, 0, 0, 2, 0, 2},
    {"three additions in a row", "", "mov.u32 %r1, 1;\nst.global.u32 [%rd1+8], %r1;\nld.global.u32 %r1, [%rd1+8];\n"
     "add.u32 %r1, %r1, 5;\nadd.u32 %r1, %r1, 6;\nadd.u32 %r1, %r1, 7;\n"
     "st.global.u32 [%rd1], %r1;", 1, 3, 0, 2, 0, 2},
    {"two beside each other and one", "", "mov.u32 %r1, 3;\nadd.u32 %r2, %r1, 5;\nadd.u32 %r3, %r1, 9;\n"
     "add.u32 %r1, %r2, %r3;\n"
     "st.global.u32 [%rd1], %r1;", 1, 2, 0, 1, 0, 1},
    {"0 added, 1 multiplied with, a maximum and a move change nothing", "",
     "mov.u32 %r1, 77;\nmov.u32 %r2, 0;\nmov.u32 %r3, 1;\nadd.u32 %r4, %r1, %r2;\nmul.lo.u32 %r5, %r4, %r3;\n"
     "max.u32 %r6, %r5, %r3;\nmov.u32 %r1, %r6;\n"
     "st.global.u32 [%rd1], %r1;", 1, 0, 0, 1, 0, 1},
    {"addresses and loops lead to no value", "",
     "mov.u32 %r1, 1;\nmov.u32 %r2, 0;\nmov.u64 %rd2, %rd1;\nloop:\nadd.u64 %rd2, %rd2, 4;\nadd.u32 %r2, %r2, 1;\n"
     "setp.lt.u32 %p1, %r2, 9;\n@%p1 bra loop;\n"
     "st.global.u32 [%rd2], %r1;", 1, 0, 0, 1, 0, 1},
    {"but a sum in a loop is a row", "", "mov.u32 %r1, 1;\nmov.u32 %r2, 0;\nloop:\nadd.u32 %r1, %r1, 3;\n"
     "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n@%p1 bra loop;\n"
     "st.global.u32 [%rd1], %r1;", 1, 9, 0, 1, 0, 1},
    {"some lanes, by a predicate", "", "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 add.u32 %r1, %r1, 1;\n"
     "@%p1 add.u32 %r1, %r1, 1;\n"
     "@%p1 st.global.u32 [%rd1], %r1;", 32, 2, 0, 1, 0, 1},
    /* tid + 1 is a step; then 16, 8, 4, 2, 1 */
    {"a tree by shuffles", "", "mov.u32 %r1, %tid.x;\nadd.u32 %r1, %r1, 1;\nmov.u32 %r3, 16;\nloop:\n"
     "shfl.sync.bfly.b32 %r2, %r1, %r3, 31, -1;\nadd.u32 %r1, %r1, %r2;\n"
     "shr.u32 %r3, %r3, 1;\nsetp.gt.u32 %p1, %r3, 0;\n@%p1 bra loop;\nst.global.u32 [%rd1], %r1;", 32, 6, 0, 1, 0, 1},
    /* the first of 32 numbers is added to 0 */
    {"one number after the other by shuffles", "", "mov.u32 %r4, %tid.x;\nadd.u32 %r4, %r4, 1;\nmov.u32 %r1, 0;\n"
     "mov.u32 %r3, 0;\nloop:\nshfl.sync.idx.b32 %r2, %r4, %r3, 31, -1;\n"
     "add.u32 %r1, %r1, %r2;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 32;\n@%p1 bra loop;\n"
     "st.global.u32 [%rd1], %r1;", 32, 32, 0, 1, 0, 1},
    /* each thread writes its word; 0 and 1 read their own and another's and write; 0 does so again and stores */
    {"a fold of four threads in shared memory", "",
     ".shared .align 4 .b8 s[16];\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nmad.lo.u32 %r3, %r1, 4, s;\n"
     "st.shared.u32 [%r3], %r2;\nbar.sync 0;\n"
     "setp.lt.u32 %p1, %r1, 2;\n@!%p1 bra past;\nld.shared.u32 %r4, [%r3];\nld.shared.u32 %r5, [%r3+8];\n"
     "add.u32 %r4, %r4, %r5;\nst.shared.u32 [%r3], %r4;\npast:\nbar.sync 0;\n"
     "setp.eq.u32 %p1, %r1, 0;\n@!%p1 bra over;\nld.shared.u32 %r4, [s];\nld.shared.u32 %r5, [s+4];\n"
     "add.u32 %r4, %r4, %r5;\nst.global.u32 [%rd1], %r4;\nover:",
     4, 3, 2, 4, 0, 4}, /* thread 0: its word, two further, the card's */
    {"one's own word back from shared memory", "",
     ".shared .align 4 .b8 s[16];\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r3, %r1, 4, s;\nst.shared.u32 [%r3], %r1;\n"
     "ld.shared.u32 %r2, [%r3];\nst.shared.u32 [%r3], %r2;\n"
     "ld.shared.u32 %r2, [%r3];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], %r2;", 4,
     0, 0, 2, 0, 2},
    {"a read that nobody uses hands nothing over", "",
     ".shared .align 4 .b8 s[16];\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r3, %r1, 4, s;\nst.shared.u32 [%r3], %r1;\n"
     "bar.sync 0;\nxor.b32 %r4, %r1, 1;\nmad.lo.u32 %r4, %r4, 4, s;\n"
     "ld.volatile.shared.u32 %r5, [%r4];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\n"
     "st.global.u32 [%rd2], %r1;", 4, 0, 0, 3, 0, 3},
    {"additions by atomics stand in a row", "", "red.global.add.u32 [%rd1], 1;\nred.global.add.u32 [%rd1], 1;\n"
     "red.global.add.u32 [%rd1], 1;", 1, 3, 0, 1, 0, 1},
    /* 1, 2, 1 again; then a compare and swap that fails and one that brings 2 back */
    {"a value that comes back, twice", "", "atom.global.exch.b32 %r1, [%rd1], 1;\natom.global.exch.b32 %r1, [%rd1], "
     "2;\natom.global.exch.b32 %r1, [%rd1], 1;\n"
     "atom.global.cas.b32 %r1, [%rd1], 3, 2;\natom.global.cas.b32 %r1, [%rd1], 1, 2;", 1, 0, 0, 1, 2, 1},
    {"who tries again at one place is at one", "", "mov.u32 %r2, 0;\nloop:\natom.global.cas.b32 %r1, [%rd1], 3, 3;\n"
     "ld.volatile.global.u32 %r1, [%rd1+8];\n"
     "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n@%p1 bra loop;", 1, 0, 0, 2, 0, 2},
    {"who goes through 16 words twice is at 32 places", "", "mov.u32 %r2, 0;\nloop:\nand.b32 %r3, %r2, 15;\n"
     "mul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd2, %rd2, %rd1;\n"
     "ld.volatile.global.u32 %r1, [%rd2];\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 32;\n@%p1 bra loop;", 1, 0, 0,
     32, 0, 16},
    {"a function's arguments and its result",
     ".func (.param .b32 r) more(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\nadd.u32 %r1, %r1, 7;\n"
     "st.param.u32 [r], %r1;\nret;\n}\n",
     "mov.u32 %r1, 1;\n{ .param .b32 x; .param .b32 y;\nst.param.u32 [x], %r1;\ncall (y), more, (x);\n"
     "ld.param.u32 %r1, [y]; }\n"
     "{ .param .b32 x; .param .b32 y;\nst.param.u32 [x], %r1;\ncall (y), more, (x);\nld.param.u32 %r1, [y]; }\n"
     "st.global.u32 [%rd1], %r1;", 1, 2, 0, 1, 0, 1},
    {"doubles and a conversion", "", "mov.f64 %fd1, 0d3FF8000000000000;\nadd.rn.f64 %fd2, %fd1, %fd1;\n"
     "mul.rn.f64 %fd2, %fd2, %fd1;\ncvt.rn.f32.f64 %f1, %fd2;\n"
     "st.global.f32 [%rd1], %f1;", 1, 2, 0, 1, 0, 1},
    /* the sum of tid and 5 and 6 has two steps; it goes to the card's memory, and by the copy to
     * shared memory; the word is that of
     * the thread before, whose copy it was: a hand-over, and another addition. 0: out[8..], out and two words of s */
    {"a value that goes through an asynchronous copy", "",
     ".shared .align 16 .b8 s[128];\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 5;\nadd.u32 %r2, %r2, 6;\n"
     "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2+128], %r2;\n"
     "mad.lo.u32 %r3, %r1, 4, s;\ncp.async.ca.shared.global [%r3], [%rd2+128], 4;\ncp.async.wait_all;\nbar.sync 0;\n"
     "xor.b32 %r4, %r1, 1;\nmad.lo.u32 %r4, %r4, 4, s;\n"
     "ld.shared.u32 %r5, [%r4];\nadd.u32 %r5, %r5, 7;\nst.global.u32 [%rd2], %r5;", 32, 3, 1, 4, 0, 4},
    /* s[1], out[2], s[0] and s[1] (met before), out[0]. The source has two steps; of 8 bytes 4 are
     * copied, and the rest is 0 */
    {"what a copy fills with zeros has no steps", "",
     ".shared .align 16 .b8 s[8];\nmov.u32 %r1, 5;\nst.shared.u32 [s+4], %r1;\nmov.u32 %r2, 3;\n"
     "add.u32 %r2, %r1, %r2;\nadd.u32 %r2, %r2, 9;\nst.shared.u32 [s+4], %r2;\nmov.u32 %r3, s;\n"
     "mov.u32 %r4, 4;\ncp.async.ca.shared.global [%r3], [%rd1+8], 8, %r4;\ncp.async.wait_all;\n"
     "ld.shared.u32 %r2, [s+4];\nst.global.u32 [%rd1], %r2;", 1, 0, 0, 5, 0, 4},
    /* 4 words of out, 2 of the object, 4 of s, 4 of out, out[5] (met before) and out[8]. Three
     * additions lead to out[0..3]; a bulk copy brings them to shared memory, another back to
     * out[4..7]; one more addition */
    {"a value that goes through bulk copies there and back", "",
     ".shared .align 16 .b8 s[32];\n.shared .align 8 .b8 o[8];\nmov.u32 %r1, 5;\nmov.u32 %r5, 2;\n"
     "add.u32 %r1, %r1, %r5;\nadd.u32 %r1, %r1, 6;\nadd.u32 %r1, %r1, 7;\nst.global.v4.u32 [%rd1], {%r1, %r1, %r1, "
     "%r1};\n"
     "fence.proxy.async;\nmbarrier.init.shared.b64 [o], 1;\nfence.proxy.async;\nmov.u32 %r2, s;\nmov.u32 %r3, o;\n"
     "mbarrier.arrive.expect_tx.shared.b64 _, [o], 16;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 16, [%r3];\nwait:\n"
     "mbarrier.test_wait.parity.shared.b64 %p1, [o], 0;\n@!%p1 bra wait;\n"
     "cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [%r2], 16;\ncp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0;\n"
     "ld.global.u32 %r4, [%rd1+20];\nadd.u32 %r4, %r4, 9;\nst.global.u32 [%rd1+32], %r4;", 1, 4, 0, 16, 0, 15},
    /* one step is in shared memory, one in the card's, and the addition to it is one more */
    {"a bulk copy that adds is a step", "",
     ".shared .align 16 .b8 s[16];\nmov.u32 %r1, 5;\nmov.u32 %r5, 2;\nadd.u32 %r1, %r1, %r5;\n"
     "st.shared.v4.u32 [s], {%r1, %r1, %r1, %r1};\nst.global.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};\nfence.proxy.async;\n"
     "mov.u32 %r2, s;\n"
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 16;\ncp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0;\n", 1, 2, 0, 8, 0, 8},
    /* the address was worked out in three steps */
    {"the address of an atomic operation leads to no value", "", "mov.u64 %rd2, 4;\nadd.u64 %rd2, %rd2, %rd2;\n"
     "add.u64 %rd2, %rd2, 8;\nadd.u64 %rd2, %rd2, %rd1;\nred.global.add.u32 [%rd2], 1;", 1, 1, 0, 1, 0, 1},
};
// clang-format on

static bool run(bench *b, const struct row *w, unsigned counts, sim_result *r)
{
    static text t;
    t.n = 0;
    put(&t, ".version 8.3\n.target sm_90\n.address_size 64\n%s.visible .entry k(.param .u64 out)\n{\n", w->functions);
    put(&t, ".reg .pred %%p<8>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>;\n");
    put(&t, "ld.param.u64 %%rd1, [out];\n%s\nret;\n}\n", w->body);
    sim_module *m = load(b, &t);
    if (!m) return false;
    sim_launch l = {.kernel = "k",
                    .grid = {1, 1, 1},
                    .block = {w->block, 1, 1},
                    .params = &b->out,
                    .param_bytes = 8,
                    .counts = counts,
                    .checks = SIM_CHECK_INIT,
                    .host_threads = 1,
                    .max_instructions = 100000};
    const bool fine = !sim_run(b->s, m, &l, r, &b->e) && !r->code;
    sim_unload(b->s, m);
    return fine;
}

static void tests(bench *b)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *w = &rows[i];
        sim_result r = {0};
        const bool ran = run(b, w, SIM_COUNT_CHAINS, &r);
        const sim_chains *c = &r.chains;
        verdict(ran && c->known, "%s: it runs (%s)", w->name, b->e.message);
        verdict(c->steps == w->steps && c->hands == w->hands && c->places == w->places && c->returns == w->returns,
                "%s: %llu steps, %llu hand-overs, %llu places, %llu back; by hand %llu, %llu, %llu, %llu", w->name,
                (unsigned long long)c->steps, (unsigned long long)c->hands, (unsigned long long)c->places,
                (unsigned long long)c->returns, (unsigned long long)w->steps, (unsigned long long)w->hands,
                (unsigned long long)w->places, (unsigned long long)w->returns);
        verdict(c->words == w->words, "%s: %llu words; by hand %llu", w->name, (unsigned long long)c->words,
                (unsigned long long)w->words);
        sim_result_free(&r);
    }
    sim_result r = {0};
    verdict(run(b, &rows[0], SIM_COUNT_MEMORY, &r) && !r.chains.known,
            "nothing is said of chains where none was asked for");
    sim_result_free(&r);
}
