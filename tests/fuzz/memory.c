/* memory.c: throws forms and addresses at the memory operations. Build it with
 * SANITIZER=address,undefined.
 *
 *     build/.../tests/fuzz/memory SECONDS SEED
 *
 * A kernel is a few instructions grown from the templates below, in which {a|b|c} stands for one of
 * its alternatives. Most kernels load. Nothing may crash, and a launch must end well or with a
 * fault that has a message.
 */
#define KERNEL_WITHOUT_MAIN
#include "../unit/kernel.h"
#include <time.h>

#define AD                                                                                          \
    "{[%rd1]|[%rd2]|[%rd2+8]|[%rd9]|[%rd9+-4]|[%r20]|[%r21]|[room]|[room+16]|[bar]|[gl]|[co]|[lo]|" \
    "[mask]|[in]|[16]|[%rd20]|[%rd21]|[%rd2+4096]|[%r21+512]|[lo+2000000000]|[%rd8]}"
#define SP  "{.global|.shared|.local|.const|.param|||.shared::cta}"
#define TY  "{u8|s8|b8|u16|s16|b16|u32|s32|b32|f32|u64|s64|b64|f64}"
#define V32 "{%r20|%r1|%rd20|%h1|%f1|%fd1|7|_}"

static const char *const templates[] = {
    "ld{|.volatile|.relaxed.gpu|.acquire.sys}" SP "." TY " " V32 ", " AD,
    "ld{|.volatile}" SP ".v2." TY " {{%r20,%r22}|{%rd20,_}|{%h1,%h2}|{%f1,%f2}|{%fd1,%fd2}}, " AD,
    "ld" SP ".v4." TY " {{%r20,%r22,%r23,%r24}|{%h1,%h2,%h3,%h4}|{%f1,%f2,%f3,%f4}|{%rd20,%rd22,%rd23,%rd24}}, " AD,
    "st{|.volatile|.relaxed.gpu|.release.sys}" SP "." TY " " AD ", " V32,
    "st" SP ".v2." TY " " AD ", {{%r20,%r22}|{%rd20,7}|{%h1,%h2}|{%f1,%f2}|{%fd1,%fd2}}",
    "st" SP ".v4." TY " " AD ", {{%r20,%r22,3,%r24}|{%h1,%h2,%h3,%h4}|{%f1,%f2,%f3,%f4}}",
    "ld" SP ".b128 %q1, " AD,
    "st" SP ".b128 " AD ", %q1",
    "atom{.global|.shared|}.exch.b128 %q1, " AD ", %q1",
    "atom{.global|.shared|}.cas.b128 %q1, " AD ", %q1, %q2",
    "atom{|.acquire.cta|.acq_rel.gpu}{.global|.shared|}.{add|min|max|inc|dec|and|or|xor|exch}.{u32|"
    "s32|b32|u64|s64|b64|f32|f64} {%r20|%rd20|%f1|%fd1|_}, " AD ", {%r1|%rd20|%f1|%fd1|7}",
    "atom{.global|.shared|}.cas.{b16|b32|b64} {%r20|%rd20|%h1|_}, " AD ", {%r1|%rd20|%h1|7}, {%r2|%rd21|%h2|0}",
    "red{.global|.shared|}.{add|min|max|inc|dec|and|or|xor}.{u32|s32|b32|u64|s64|b64|f32|f64} " AD
    ", {%r1|%rd20|%f1|%fd1|7}",
    "red{.global|.shared|}.add.noftz.{f16|bf16|f16x2|bf16x2} " AD ", {%h1|%r1}",
    "red.global.{v2|v4}.f32.add " AD ", {{%f1,%f2}|{%f1,%f2,%f3,%f4}}",
    "red.global.{v2|v4|v8}.f16.{add|min|max}.noftz " AD ", {{%h1,%h2}|{%h1,%h2,%h3,%h4}}",
    "cp.async.{ca|cg}.shared.global " AD ", " AD ", {4|8|16|16|4}{||, 3|, 0|, %r1|, %p2|, -1}",
    "cp.async.{commit_group|wait_all|wait_group 0|wait_group 1}",
    "cp.async.bulk.{commit_group|wait_group 0|wait_group.read 1}",
    "cp.async.mbarrier.arrive{.noinc|}.shared.b64 {[bar]|[room]|[%r20]}",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes {[room]|[%r20]|[%r21]|"
    "[%rd20]}, {[%rd1]|[%rd9]|[gl]|[%rd1+4000]}, {16|64|%r1|1024|0|-16|4096}, {[bar]|[%r20]|[room]}",
    "cp.async.bulk.global.shared::cta.bulk_group {[%rd2]|[%rd9]|[gl]|[%rd2+4080]}, {[room]|[%r20]|"
    "[%r21]}, {16|64|%r1|512|0|-16|1024}",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [room], [room+{16|8|"
    "256}], {16|64|256|512}, [bar]",
    "mbarrier.{init|expect_tx|complete_tx}.shared.b64 {[bar]|[room]|[bar+4]|[%r20]|[%rd9]}, {1|32|0|%r1|2000000}",
    "mbarrier.{arrive|arrive_drop|arrive.noComplete}.shared.b64 {%rd20|_}, {[bar]|[room]|[%r20]}{|, 1|, 3|, %r1}",
    "mbarrier.{arrive|arrive_drop}.expect_tx.shared.b64 {%rd20|_}, [bar], {64|%r1|0}",
    "mbarrier.inval.shared.b64 {[bar]|[room]}",
    "mbarrier.{test_wait|try_wait}.shared.b64 %p3, {[bar]|[room]}, %rd20",
    "mbarrier.{test_wait|try_wait}.parity.shared.b64 %p3, {[bar]|[%r20]}, {0|1|%r1}",
    "mbarrier.pending_count.b64 %r20, %rd20",
    "tex.{1d|2d}.v4.{f32|u32|s32}.{f32|s32} {{%f1,%f2,%f3,%f4}|{%r20,_,_,%r21}}, [{%rd20|"
    "%rd25}, {{%f1}|{%f1,%f2}|{%r1}|{%r1,%r2}}]",
    "tld4.{r|a}.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd25, {%f1,%f2}]",
    "suld.b.{1d|2d}.{b32|v2.b32|v4.b8|b64|v2.b64}.{trap|clamp|zero} {{%r20}|{%r20,%r21}|"
    "{%h1,%h2,%h3,%h4}|{%rd20}|{%rd20,%rd21}}, [{%rd25|%rd20}, {{%r1}|{%r1,%r2}}]",
    "sust.b.{1d|2d}.{b32|v2.b32|v4.b8|b64|v2.b64}.{trap|clamp|zero} [{%rd25|%rd20}, {{%r1}|"
    "{%r1,%r2}}], {{%r20}|{%r20,%r21}|{%h1,%h2,%h3,%h4}|{%rd20}|{%rd20,%rd21}}",
    "txq.{width|height}.b32 %r20, [{%rd25|%rd20}]",
    "mov.u64 %rd20, {room|gl|co|lo|%rd9|0|-1}",
    "cvta.{shared|local|global}.u64 %rd20, %rd20",
    "mov.u32 %r20, {room|-4|2147483647|%r1}",
    "mov.u64 %rd9, {-1|%rd1|%rd2}",
    "ldu.global." TY " " V32 ", " AD,
    "prefetch.global.L2 " AD,
    "discard.global.L2 " AD ", 128",
    "bar.sync 0",
    "mov.f32 %f1, {0fFF800000|0f7FC00000|0f7F7FFFFF|0f3F800000}",
};

/* Writes a template with one alternative of each {|} chosen; braces without | stay as they are. */
static void grow(text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t end = i, from = i + 1;
        unsigned bars = 0;
        int depth = 0;
        if (s[i] != '{') {
            put(t, "%c", s[i]);
            continue;
        }
        do {
            depth += (s[end] == '{') - (s[end] == '}');
            bars += s[end++] == '|' && depth == 1;
        } while (depth && end < n);
        if (!bars) {
            put(t, "{");
            continue;
        }
        unsigned pick = (unsigned)(rnd() % (bars + 1));
        depth = 0;
        for (size_t k = i + 1; k < end; k++) {
            bool last = k == end - 1;
            if (last || (s[k] == '|' && !depth)) {
                if (!pick--) {
                    grow(t, s + from, k - from);
                    break;
                }
                from = k + 1;
            }
            depth += (s[k] == '{') - (s[k] == '}');
        }
        i = end - 1;
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 5;
    unsigned long long turns = 0, loaded = 0, faulted = 0;
    uint64_t image = 0;
    bench b = {0};
    seed ^= (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) * UINT64_C(0x9E3779B97F4A7C15);
    if (!open_bench(&b)) return 1;
    sim_texture texture = {
        .address = b.in, .width = 8, .height = 4, .texel = SIM_TEXEL_F32, .channels = 1, .linear = true};
    if (sim_texture_make(b.s, &texture, &image, &b.e)) return 1;
    for (time_t from = time(NULL); difftime(time(NULL), from) < seconds; turns++) {
        static text t;
        sim_module *m;
        sim_result r;
        start(&t, ".global .align 16 .b8 gl[64];\n.const .align 16 .b8 co[64];\n",
              ".shared .align 16 .b8 room[512];\n.shared .align 8 .b64 bar;\n.local .align 16 .b8 lo[64];\n.reg .b128 "
              "%q<3>;");
        put(&t, "mul.wide.u32 %%rd8, %%r1, 16;\nadd.u64 %%rd9, %%rd2, %%rd8;\nmov.u32 %%r20, room;\nmad.lo.u32 %%r21, "
                "%%r1, 16, %%r20;\n");
        put(&t, "mov.u64 %%rd20, %%rd9;\nmov.u64 %%rd21, 0;\nmov.u64 %%rd25, %llu;\n", (unsigned long long)image);
        if (rnd() % 2) put(&t, "mbarrier.init.shared.b64 [bar], 32;\n");
        for (uint64_t n = 1 + rnd() % 6; n--;) {
            const char *form = templates[rnd() % (sizeof templates / sizeof templates[0])];
            if (rnd() % 3 == 0) put(&t, "@%%p1 ");
            grow(&t, form, strlen(form));
            put(&t, ";\n");
        }
        put(&t, "st.global.u32 [%%rd2], %%r20;\nret;\n}\n");
        if (sim_load(b.s, "fuzz", t.s, t.n, &m, &b.e)) {
            if (!b.e.message[0]) abort();
            continue;
        }
        loaded++;
        host_threads = 1 + (int)(rnd() % 2);
        blocks = rnd() % 4 ? 1 : 3;
        int code = launch(&b, m, (uint32_t)rnd(), rnd() % 2 ? 32 : 40, rnd() % 2 ? SIM_CHECK_ALL : 0, &r);
        if (code == SIM_E_FAULT && (!r.fault_count || !r.faults[0].message[0])) abort();
        faulted += code == SIM_E_FAULT;
        sim_result_free(&r);
        sim_unload(b.s, m);
    }
    sim_close(b.s);
    printf("%llu kernels, %llu loaded, %llu of them faulted\n", turns, loaded, faulted);
    return 0;
}
