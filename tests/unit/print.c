/* print.c: printf in kernels. One kernel calls vprintf with a format and an argument buffer written
 * by the test. So each case is a format, its arguments as bytes, and the expected text and result.
 * Where C's printf and CUDA's agree, the host's printf is the reference; the rest is written by
 * hand. Then order, limits and bad addresses.
 */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* k(format, arguments, results): every thread prints once. ids_of(rounds): every thread prints
 * block, thread and round, `rounds` times. */
static const char kernels[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 ids[17] = {98, 37, 100, 32, 116, 37, 100, 32, 114, 37, 100, 10, 0};\n" /* "b%d t%d r%d\n" */
    ".visible .entry k(.param .u64 f, .param .u64 a, .param .u64 out)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [f]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [out];\n"
    "{ .param .b64 p0; .param .b64 p1; .param .b32 r0; st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd2;\n"
    "call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r1, [r0]; }\n"
    "mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd3, %rd3, %rd4; st.global.u32 [%rd3], %r1; ret;\n}\n"
    ".visible .entry ids_of(.param .u32 rounds)\n{\n"
    ".local .align 8 .b8 depot[16]; .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0; mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; mov.u64 %rd3, ids; "
    "cvta.global.u64 %rd3, %rd3;\n"
    "again: mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x; st.local.u32 [%rd1], %r3; st.local.u32 [%rd1+4], %r4; "
    "st.local.u32 [%rd1+8], %r2;\n"
    "{ .param .b64 p0; .param .b64 p1; .param .b32 r0; st.param.b64 [p0], %rd3; st.param.b64 [p1], %rd2;\n"
    "call.uni (r0), vprintf, (p0, p1); }\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra again; ret;\n}\n";

static sim *s;
static sim_module *module;
static uint64_t format_at, args_at, out_at, tight_at;

static bool start(sim_error *e)
{
    static const sim_card card = {.name = "test",
                                  .title = "test",
                                  .cc_major = 7,
                                  .multiprocessors = 4,
                                  .max_threads_per_block = 1024,
                                  .max_threads_per_mp = 1024,
                                  .max_blocks_per_mp = 16,
                                  .max_warps_per_mp = 32,
                                  .registers_per_mp = 65536,
                                  .max_registers_per_thread = 255,
                                  .shared_per_block = 49152,
                                  .shared_per_mp = 65536,
                                  .banks = 32,
                                  .max_grid_x = 1 << 30,
                                  .max_grid_y = 65535,
                                  .max_grid_z = 65535,
                                  .max_block_x = 1024,
                                  .max_block_y = 1024,
                                  .max_block_z = 64,
                                  .clock_khz = 1000000,
                                  .memory_bytes = 1 << 30};
    return !sim_open(&s, &card, e) && !sim_load(s, "print.ptx", kernels, sizeof kernels - 1, &module, e) &&
           !sim_alloc(s, 8192, "format", &format_at, e) && !sim_alloc(s, 8192, "arguments", &args_at, e) &&
           !sim_alloc(s, 4096, "out", &out_at, e) && !sim_alloc(s, 4, "tight", &tight_at, e);
}

static int run(const char *kernel, const void *params, size_t bytes, uint32_t grid, uint32_t block, int threads,
               size_t max_output, sim_result *r)
{
    sim_launch l = {.kernel = kernel,
                    .grid = {grid, 1, 1},
                    .block = {block, 1, 1},
                    .params = params,
                    .param_bytes = bytes,
                    .host_threads = threads,
                    .max_output = max_output};
    sim_error e = {0};
    int code = sim_run(s, module, &l, r, &e);
    if (code) check_that(false, "launch of %s: %s", kernel, e.message);
    return code;
}

/* ---- the argument buffer, in the compiler's layout ---- */
static unsigned char args[4096];
static size_t used;

static void push(const void *v, size_t size)
{
    used = (used + size - 1) / size * size;
    memcpy(args + used, v, size);
    used += size;
}
static void push_int(int v) { push(&v, 4); }
static void push_long(long long v) { push(&v, 8); }
static void push_double(double v) { push(&v, 8); }
static void clear(void) { memset(args, 0, sizeof args), used = 0; }

static void check_at(const char *name, uint64_t format, uint64_t arguments, const char *text, int result)
{
    const uint64_t params[3] = {format, arguments, out_at};
    sim_result r;
    int32_t got = -99;
    sim_error e;
    if (run("k", params, sizeof params, 1, 1, 1, 0, &r)) return;
    sim_read(s, out_at, &got, 4, &e);
    bool good = r.code == SIM_OK && got == result &&
                (text ? r.print_count == 1 && !strcmp(r.prints[0].text, text) : r.print_count == 0);
    char why[9000];
    snprintf(why, sizeof why, "code %d, result %d, \"%.4000s\", expected %d, \"%.4000s\"", r.code, got,
             r.print_count ? r.prints[0].text : "(nothing)", result, text ? text : "(nothing)");
    check_why(good, name, why);
    sim_result_free(&r);
}

static void shows(const char *format, const char *text, int result)
{
    sim_error e;
    sim_write(s, format_at, format, strlen(format) + 1, &e);
    sim_write(s, args_at, args, used ? used : 1, &e);
    check_at(format, format_at, args_at, text, result);
    clear();
}

/* What the host prints for the same format and one argument. */
#define SAME(format, kind, value)                           \
    do {                                                    \
        char expected[2048];                                \
        snprintf(expected, sizeof expected, format, value); \
        push_##kind(value);                                 \
        shows(format, expected, 1);                         \
    } while (0)

static void conversions(void)
{
    SAME("%d", int, 0);
    SAME("%d", int, -2147483647 - 1);
    SAME("%i|", int, 42);
    SAME("%u", int, -1);
    SAME("%x", int, 0xBEEF);
    SAME("%#X", int, 0xBEEF);
    SAME("%#o", int, 8);
    SAME("[%5d]", int, 42);
    SAME("[%-5d]", int, 42);
    SAME("[%05d]", int, -42);
    SAME("[%+d]", int, 42);
    SAME("[% d]", int, 42);
    SAME("[%.4d]", int, 42);
    SAME("[%8.4d]", int, 42);
    SAME("[%.0d]", int, 0);
    SAME("[%c]", int, 'A');
    SAME("[%3c]", int, 'A');
    SAME("%ld", long, -1L);
    SAME("%lld", long, 0x7FFFFFFFFFFFFFFFLL);
    SAME("%llu", long, -1LL);
    SAME("%llx", long, 0x123456789ABCDEFLL);
    SAME("%lu", long, 1L << 40);
    SAME("%f", double, 3.14159);
    SAME("%.0f", double, 2.5);
    SAME("%10.3f|", double, -2.71828);
    SAME("%-10.2f|", double, 2.71828);
    SAME("%+.3e", double, 12345.678);
    SAME("%g", double, 1e-10);
    SAME("%G", double, 1e20);
    SAME("%E", double, 1e300);
    SAME("%f", double, 1e300);
    SAME("%a", double, 1.0);
    push_int(70000);
    shows("%hd", "4464", 1);
    push_int(300);
    shows("%hhd", "44", 1);
    push_int(-1);
    shows("%hhu", "255", 1);
    push_long(5);
    shows("%zu", "5", 1);
    push_double(1e308 * 10);
    shows("%f", "inf", 1);
    push_double(-1e308 * 10);
    shows("%F", "-INF", 1);
    push("\0\0\0\0\0\0\xf8\x7f", 8);
    shows("[%5.1f]", "[  nan]", 1);
    push_long(0x1234);
    shows("%p", "0x1234", 1);
    push_long(0);
    shows("%p", "(nil)", 1);
    push_int(-6), push_int(42);
    shows("[%*d]", "[42    ]", 2);
    push_int(7), push_int(3), push_double(2.71828);
    shows("[%*.*f]", "[  2.718]", 3);
    push_int(-1), push_double(1.5);
    shows("%.*f", "1.500000", 2);
    push_int(1), push_double(2.5), push_int(3), push_long(4), push_int(5);
    shows("%d %g %d %lld %d", "1 2.5 3 4 5", 5);
}

static void odd_formats(void)
{
    shows("", "", 0);
    shows("plain\n", "plain\n", 0);
    shows("100%%", "100%", 0);
    shows("%", "%", 0);
    shows("50%", "50%", 0);
    push_int(7);
    shows("%y %d", "%y 7", 1);
    push_int(7);
    shows("%-08.3q %d", "%-08.3q 7", 1);
    push_int(7);
    shows("%n%d", "%n7", 1);
}

static void strings(void)
{
    sim_error e;
    sim_write(s, format_at + 4096, "hello", 6, &e);
    static const struct {
        const char *format, *text;
    } cases[] = {{"%s", "hello"},
                 {"[%8s]", "[   hello]"},
                 {"[%-8s]", "[hello   ]"},
                 {"[%.2s]", "[he]"},
                 {"[%6.2s]", "[    he]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        push_long((long long)(format_at + 4096));
        shows(cases[i].format, cases[i].text, 1);
    }
    push_long(0);
    shows("%s", "(null)", 1);
    /* four bytes without a final 0: read up to a precision, a fault beyond */
    sim_write(s, tight_at, "abcd", 4, &e);
    push_long((long long)tight_at);
    shows("%.4s", "abcd", 1);
}

/* A fault with the right kind and address. */
static void check_fault(const char *name, uint64_t format, uint64_t arguments, enum sim_fault_kind kind,
                        uint64_t address)
{
    const uint64_t params[3] = {format, arguments, out_at};
    sim_result r;
    char why[600];
    if (run("k", params, sizeof params, 1, 1, 1, 0, &r)) return;
    bool good =
        r.code == SIM_E_FAULT && r.fault_count == 1 && r.faults[0].kind == kind && r.faults[0].address == address;
    snprintf(why, sizeof why, "code %d, %d faults, %s", r.code, r.fault_count,
             r.fault_count ? r.faults[0].message : "");
    check_why(good, name, why);
    sim_result_free(&r);
}

static void bad_addresses(void)
{
    sim_error e;
    uint64_t freed;
    check_at("null format", 0, args_at, NULL, -1);
    check_fault("format nowhere", 12345, args_at, SIM_FAULT_OUT_OF_BOUNDS, 12345);
    check_fault("format without an end", tight_at, args_at, SIM_FAULT_OUT_OF_BOUNDS, tight_at + 4);
    if (sim_alloc(s, 64, "old", &freed, &e) || sim_free(s, freed, &e)) check_why(false, "freed format", "no memory");
    else check_fault("freed format", freed, args_at, SIM_FAULT_USE_AFTER_FREE, freed);
    sim_write(s, format_at, "%s", 3, &e);
    push_long(99);
    sim_write(s, args_at, args, used, &e);
    check_fault("string nowhere", format_at, args_at, SIM_FAULT_OUT_OF_BOUNDS, 99);
    clear();
    push_long((long long)tight_at);
    sim_write(s, args_at, args, used, &e);
    check_fault("string without an end", format_at, args_at, SIM_FAULT_OUT_OF_BOUNDS, tight_at + 4);
    clear();
    sim_write(s, format_at, "%d %d|", 7, &e);
    check_at("no arguments at all", format_at, 0, "(no argument) (no argument)|", 2);
    int one = 1;
    sim_write(s, tight_at, &one, 4, &e);
    check_at("arguments that end early", format_at, tight_at, "1 (no argument)|", 2);
}

static void limits(void)
{
    char format[4000] = "", text[8192] = "";
    for (int i = 0; i < 34; i++) {
        char piece[16];
        push_int(i);
        strcat(format, "%d ");
        snprintf(piece, sizeof piece, i < 32 ? "%d " : "%%d ", i);
        strcat(text, piece);
    }
    shows(format, text, 32);
    memset(text, ' ', 1023);
    strcpy(text + 1023, "1");
    push_int(1);
    shows("%99999999999d", text, 1); /* a huge width is cut to 1024 */
    memset(text, ' ', 8191);
    text[8191] = 0;
    for (int i = 0; i < 30; i++) push_int(i);
    strcpy(format, "");
    for (int i = 0; i < 10; i++) strcat(format, "%1024d");
    sim_error e;
    sim_write(s, format_at, format, strlen(format) + 1, &e);
    sim_write(s, args_at, args, used, &e);
    clear();
    const uint64_t params[3] = {format_at, args_at, out_at};
    sim_result r;
    if (run("k", params, sizeof params, 1, 1, 1, 0, &r)) return;
    check_why(r.print_count == 1 && strlen(r.prints[0].text) == 8191, "8 KiB of one call",
              "not cut to 8191 characters");
    sim_result_free(&r);
}

/* ---- order ---- */
static bool same_result(const sim_result *a, const sim_result *b)
{
    bool good = a->print_count == b->print_count && a->prints_left_out == b->prints_left_out;
    for (int i = 0; good && i < a->print_count; i++)
        good = !strcmp(a->prints[i].text, b->prints[i].text) &&
               !memcmp(a->prints[i].thread, b->prints[i].thread, sizeof a->prints[i].thread) &&
               !memcmp(a->prints[i].block, b->prints[i].block, sizeof a->prints[i].block);
    return good;
}

static void order(void)
{
    uint32_t rounds = 3;
    sim_result r, other;
    if (run("ids_of", &rounds, 4, 200, 40, 1, 0, &r)) return;
    bool good = r.print_count == 200 * 40 * 3 && !r.prints_left_out;
    for (int i = 0, block = 0; good && block < 200; block++) {
        int at[40] = {0}, last = -1, round = -1; /* every warp prints round by round, lanes ascending */
        for (int k = 0; good && k < 120; k++, i++) {
            unsigned b, t, n;
            const sim_print *p = &r.prints[i];
            good = sscanf(p->text, "b%u t%u r%u\n", &b, &t, &n) == 3 && (int)b == block && p->block[0] == b &&
                   p->thread[0] == t && t < 40;
            if (good) good = at[t]++ == (int)n && ((int)t > last || (int)n != round || t == 32);
            last = (int)t, round = (int)n;
        }
    }
    check_why(good, "blocks ascend, lanes ascend, each thread in its own order", "out of order");
    static const size_t sizes[] = {0, 1, 100, 5000, 50000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            char name[64];
            uint64_t bytes = 0;
            if (run("ids_of", &rounds, 4, 200, 40, threads, sizes[i], &other)) continue;
            size_t limit = sizes[i] ? sizes[i] : 1 << 20;
            for (int k = 0; k < other.print_count; k++) bytes += strlen(other.prints[k].text) + 1;
            bool prefix = other.print_count <= r.print_count;
            for (int k = 0; prefix && k < other.print_count; k++)
                prefix = !strcmp(r.prints[k].text, other.prints[k].text);
            bool full =
                other.print_count == r.print_count || bytes + strlen(r.prints[other.print_count].text) + 1 > limit;
            snprintf(name, sizeof name, "first %zu bytes on %d threads", sizes[i], threads);
            check_why(prefix && full && bytes <= limit && (uint64_t)other.print_count + other.prints_left_out == 24000,
                      name, "not the first ones, or not counted");
            if (!sizes[i]) check_why(same_result(&r, &other), "the same for any number of threads", "differs");
            sim_result_free(&other);
        }
    sim_result_free(&r);
}

/* A launch's limit of instructions also ends a kernel that does little but print: a printf counts
 * as many instructions. */
static void flood(void)
{
    sim_result r;
    sim_error e = {0};
    int rounds = 1 << 30;
    sim_launch l = {.kernel = "ids_of",
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = &rounds,
                    .param_bytes = 4,
                    .host_threads = 1,
                    .max_output = 1000,
                    .max_instructions = 10000000};
    int code = sim_run(s, module, &l, &r, &e);
    bool endless = !code && r.fault_count == 1 && r.faults[0].kind == SIM_FAULT_ENDLESS;
    check_why(endless && strstr(r.faults[0].message, " calls of printf"), "a flood of output is ended", e.message);
    /* A round is a dozen instructions and printf in 32 lanes. At 8 instructions per lane that is
     * 38,000 rounds, not 900,000. */
    uint64_t all = r.prints_left_out + (uint64_t)r.print_count;
    check_why(endless && all > 100000 && all < 3000000, "in time", "too late, or too early");
    check_why(endless && r.print_count > 10 && !strcmp(r.prints[1].text, "b0 t1 r0\n"), "what it printed first is kept",
              "lost");
    sim_result_free(&r);
}

int main(void)
{
    sim_error e = {0};
    if (!start(&e)) return check_that(false, "start: %s", e.message), check_end();
    conversions();
    odd_formats();
    strings();
    bad_addresses();
    limits();
    order();
    flood();
    sim_close(s);
    return check_end();
}
