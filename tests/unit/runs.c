/* runs.c: a fast path of the simulator for loads and stores by a run of adjacent lanes, as in `if
 * (first <= tid && tid < end)`. The check for races turns it off. So every launch here runs both
 * ways, on one thread and on three: all counters must agree, data must arrive, and a single
 * unwritten byte of a run must be noticed. */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 40,
    THREADS = 64,
    BUFFER = 1 << 16,
    WORTH_THREADS = 1000 /* turns of the loop: only long blocks run on several host threads */
};
static sim_card card;

/* out[block][tid] = in[block][tid] + 1 through shared memory, for threads first to end - 1, with
 * elements of `bytes` bytes, moved by `shift`. */
static const char kernel[] =
    ".version 6.3\n.target sm_50\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 first, .param .u32 end, .param .u32 turns)\n{\n"
    ".reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .shared .align 16 .b8 part[2048];\n"
    "ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; ld.param.u32 %%r1, [first]; ld.param.u32 %%r2, [end]; "
    "ld.param.u32 %%r9, [turns];\n"
    "mov.u32 %%r3, %%tid.x; mov.u32 %%r4, %%ctaid.x; mad.lo.u32 %%r5, %%r4, %d, %%r3; mul.wide.u32 %%rd3, %%r5, %d;\n"
    "add.u64 %%rd4, %%rd1, %%rd3; add.u64 %%rd5, %%rd2, %%rd3; mov.u32 %%r6, part; mad.lo.u32 %%r7, %%r3, %d, %%r6;\n"
    "WAIT: sub.u32 %%r9, %%r9, 1; setp.ne.u32 %%p3, %%r9, 0; @%%p3 bra WAIT;\n"
    "setp.lt.u32 %%p1, %%r3, %%r1; setp.ge.u32 %%p2, %%r3, %%r2; or.pred %%p1, %%p1, %%p2; @%%p1 bra END;\n"
    "ld.global.u%d %s, [%%rd4+%d]; st.shared.u%d [%%r7+%d], %s; ld.shared.u%d %s, [%%r7+%d];\n"
    "add.u%d %s, %s, 1; st.global.u%d [%%rd5+%d], %s;\nEND: ret;\n}\n";

/* last_missing: the host writes one byte less of `in`, so that the last thread faults. */
static bool run(int bytes, int shift, uint32_t first, uint32_t end, unsigned checks, int threads, bool last_missing,
                sim_counters *counts, char *data, int *faults)
{
    char text[4096], zeros[BUFFER];
    const char *v = bytes == 8 ? "%rd8" : "%r8";
    const int bits = 8 * bytes, at = shift * bytes;
    int n = snprintf(text, sizeof text, kernel, THREADS, bytes, bytes, bits, v, at, bits, at, v, bits, v, at, bits, v,
                     v, bits, at, v);
    struct {
        uint64_t in, out;
        uint32_t first, end, turns;
    } p = {.first = first, .end = end, .turns = WORTH_THREADS};
    sim *s;
    sim_module *m;
    sim_error e = {0};
    sim_result r = {0};
    memset(zeros, 0, sizeof zeros);
    if (n < 0 || (size_t)n >= sizeof text || sim_open(&s, &card, &e) ||
        sim_load(s, "runs.ptx", text, (size_t)n, &m, &e) || sim_alloc(s, BUFFER, "in", &p.in, &e) ||
        sim_alloc(s, BUFFER, "out", &p.out, &e)) {
        printf("FAIL line %d: %s\n", e.line, e.message);
        exit(1);
    }
    for (int i = 0; i < BUFFER; i++) data[i] = (char)(i * 7 + i / 256);
    uint64_t used = (uint64_t)(shift + (BLOCKS - 1) * THREADS + (int)end) * (uint64_t)bytes;
    sim_write(s, p.in, data, last_missing ? used - 1 : used, &e);
    sim_write(s, p.out, zeros, sizeof zeros, &e);
    sim_launch l = {.kernel = "k",
                    .grid = {BLOCKS, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = &p,
                    .param_bytes = 28,
                    .checks = checks,
                    .counts = SIM_COUNT_MEMORY,
                    .host_threads = threads};
    if (sim_run(s, m, &l, &r, &e)) {
        printf("FAIL %s\n", e.message);
        exit(1);
    }
    *counts = r.total;
    *faults = r.fault_count;
    bool good = !sim_read(s, p.out, zeros, sizeof zeros, &e);
    for (int b = 0; b < BLOCKS && !r.code; b++)
        for (uint32_t t = 0; t < THREADS; t++) {
            uint64_t is = 0, was = 0, place = (uint64_t)(shift + b * THREADS + (int)t) * (uint64_t)bytes;
            memcpy(&is, zeros + place, (size_t)bytes);
            memcpy(&was, data + place, (size_t)bytes);
            good = good && is == (t >= first && t < end ? (bytes == 8 ? was + 1 : (uint32_t)(was + 1)) : 0);
        }
    sim_result_free(&r);
    sim_close(s);
    return good;
}

int main(void)
{
    char *data = malloc(BUFFER), what[160];
    sim_error err = {0};
    FILE *f = fopen("sim/cards/8800gt.card", "rb"); /* its rule for coalescing is the strictest about half-warps */
    size_t got = f && data ? fread(data, 1, BUFFER - 1, f) : 0;
    if (data) data[got] = 0;
    if (f) fclose(f);
    if (!got || sim_card_read(&card, data, "8800gt", &err)) {
        printf("FAIL card: %s\n",
               got ? err.message : "cannot read sim/cards/8800gt.card; run this from the top of the source tree");
        return 1;
    }
    uint32_t drawn = 12345;
    for (int i = 0; i < 120; i++) {
        drawn = drawn * 1664525u + 1013904223u;
        const int bytes = drawn >> 30 & 1 ? 8 : 4, shift = (int)(drawn >> 8 & 1 ? drawn >> 9 & 15 : 0);
        const uint32_t first = drawn >> 13 & 31, end = first + 1 + (drawn >> 18 & 31);
        const unsigned plain = SIM_CHECK_INIT | SIM_CHECK_BARRIER;
        sim_counters c[3];
        int faults = 0;
        for (int k = 0; k < 3; k++) {
            bool good = run(bytes, shift, first, end, k == 2 ? plain | SIM_CHECK_RACE : plain, k == 1 ? 3 : 1, false,
                            &c[k], data, &faults);
            snprintf(what, sizeof what, "%d bytes, shift %d, threads %u to %u, way %d: data, no fault", bytes, shift,
                     first, end - 1, k);
            check(good && !faults, what);
        }
        int n;
        const sim_counter_info *info = sim_counter_infos(&n);
        for (int k = 0; k < n; k++) {
            uint64_t v[3];
            for (int j = 0; j < 3; j++) memcpy(&v[j], (const char *)&c[j] + info[k].offset, sizeof v[j]);
            snprintf(what, sizeof what,
                     "%d bytes, shift %d, threads %u to %u: %s %llu, with threads %llu, watched closely %llu", bytes,
                     shift, first, end - 1, info[k].id, (unsigned long long)v[0], (unsigned long long)v[1],
                     (unsigned long long)v[2]);
            if (v[0] != v[1] || v[0] != v[2]) check(false, what);
        }
        snprintf(what, sizeof what, "%d bytes, shift %d, threads %u to %u: a byte that nobody wrote", bytes, shift,
                 first, end - 1);
        run(bytes, shift, first, end, plain, 1, true, &c[0], data, &faults);
        check(faults == 1, what);
    }
    free(data);
    return check_end();
}
