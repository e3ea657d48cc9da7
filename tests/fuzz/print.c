/* print.c: throws odd formats and arguments at a kernel's printf. The launch must end with text or
 * with a fault. Build it with SANITIZER=address,undefined.
 *
 *     build/.../tests/fuzz/print SECONDS SEED [FILE ...] */
#include "sim.h"
#include "corpus.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char kernel[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".visible .entry k(.param .u64 f, .param .u64 a)\n{\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [f]; ld.param.u64 %rd2, "
    "[a];\n"
    "{ .param .b64 p0; .param .b64 p1; .param .b32 r0; st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd2;\n"
    "call.uni (r0), vprintf, (p0, p1); }\nret;\n}\n";

static uint64_t state;
static uint64_t any(uint64_t below) /* splitmix */
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return below ? (z ^ z >> 31) % below : z ^ z >> 31;
}

static uint32_t below(uint32_t n) { return (uint32_t)any(n); }

int main(int argc, char **argv)
{
    static const char letters[] = "%%%%%%%%diouxXcspeEfFgGaAhlLjztn*..-+ #001234567899999y\n\x80";
    static const sim_card card = {.name = "test",
                                  .title = "test",
                                  .cc_major = 7,
                                  .multiprocessors = 1,
                                  .max_threads_per_block = 1024,
                                  .max_threads_per_mp = 1024,
                                  .max_blocks_per_mp = 16,
                                  .max_warps_per_mp = 32,
                                  .registers_per_mp = 65536,
                                  .max_registers_per_thread = 255,
                                  .shared_per_block = 49152,
                                  .shared_per_mp = 65536,
                                  .banks = 32,
                                  .max_grid_x = 65535,
                                  .max_grid_y = 65535,
                                  .max_grid_z = 65535,
                                  .max_block_x = 1024,
                                  .max_block_y = 1024,
                                  .max_block_z = 64,
                                  .clock_khz = 1000000,
                                  .memory_bytes = 1 << 30};
    enum { FORMAT = 4200, ARGS = 300 };
    sim *s;
    sim_module *m;
    sim_error e = {0};
    uint64_t format_at, args_at, text_at;
    if (argc < 3) return fprintf(stderr, "usage: print SECONDS SEED\n"), 2;
    state = strtoull(argv[2], NULL, 0);
    if (sim_open(&s, &card, &e) || sim_load(s, "print.ptx", kernel, sizeof kernel - 1, &m, &e) ||
        sim_alloc(s, FORMAT, "format", &format_at, &e) || sim_alloc(s, ARGS, "arguments", &args_at, &e) ||
        sim_alloc(s, 64, "text", &text_at, &e))
        return fprintf(stderr, "%s\n", e.message), 1;
    unsigned long long runs = 0, faults = 0;
    corpus_read(argc - 3, argv + 3);
    for (time_t end = time(NULL) + strtol(argv[1], NULL, 10); time(NULL) < end;) {
        for (int i = 0; i < 500; i++, runs++) {
            char format[FORMAT], args[ARGS], text[64];
            size_t length = any(any(10) ? 40 : FORMAT - 1);
            for (size_t k = 0; k < length; k++) format[k] = letters[any(sizeof letters - 1)];
            if (runs < (unsigned)corpus_count) {
                length = corpus[runs].bytes < FORMAT ? corpus[runs].bytes : FORMAT - 1;
                memcpy(format, corpus[runs].text, length);
            } else if (any(2) && corpus_count) {
                static char changed[CORPUS_BYTES];
                length = corpus_change(changed, below);
                length = length < FORMAT ? length : FORMAT - 1;
                memcpy(format, changed, length);
            }
            format[length] = 0;
            for (size_t k = 0; k < sizeof text; k++) text[k] = any(30) ? 'x' : 0;
            for (size_t k = 0; k + 8 <= sizeof args; k += 4) { /* small numbers, anything, addresses near our memory */
                uint64_t v = any(3) ? any(20) - 10 : any(2) ? any(0) : text_at + any(70) - 3;
                memcpy(args + k, &v, 8);
            }
            sim_write(s, format_at, format, length + 1, &e);
            sim_write(s, args_at, args, sizeof args, &e);
            sim_write(s, text_at, text, sizeof text, &e);
            uint64_t params[2] = {format_at, any(20) ? args_at + any(3) * 4 : args_at + any(400)};
            sim_launch l = {.kernel = "k",
                            .grid = {1, 1, 1},
                            .block = {1, 1, 1},
                            .params = params,
                            .param_bytes = sizeof params,
                            .host_threads = 1};
            sim_result r;
            if (sim_run(s, m, &l, &r, &e)) return fprintf(stderr, "launch: %s\n", e.message), 1;
            if (r.code != SIM_OK && r.code != SIM_E_FAULT) abort();
            if ((r.code == SIM_OK) != (r.print_count == 1)) abort();
            if (r.print_count && strlen(r.prints[0].text) > 8191) abort();
            faults += r.code == SIM_E_FAULT;
            sim_result_free(&r);
        }
    }
    printf("%llu formats, %llu of them faults\n", runs, faults);
    sim_close(s);
    corpus_free();
    return 0;
}
