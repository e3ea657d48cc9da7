/* ptx.c: throws damaged PTX at the parser. It must return a consistent tree, or an error that names
 * a place. Build it with SANITIZER=address,undefined.
 *
 *     build/.../tests/fuzz/ptx [--load] SECONDS SEED [FILE.ptx ...]
 *
 * It starts from a built-in text and the files given. Every text that parses, or fails at a place
 * not seen before, joins them. --load also runs sim_load, which turns the tree into code. With
 * -DPTX_LIBFUZZER it is a libFuzzer target. */
#include "ptx/ptx.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char seed_text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".func (.param .b32 r) twice (.param .b32 x) .noreturn;\n"
    ".global .align 4 .u32 table[2][3] = {{1, 2}, {-3, 0x4U, 0b101}};\n"
    ".const .v4 .f32 four[] = {{1.5, 0f3F800000, 0d3FF0000000000000, 2}, {1}};\n"
    ".global .u64 where[3] = {generic(table)+4, twice, table-8};\n"
    ".global .b8 bytes[4] = {0xFF(table), 0xFF00(generic(table)), -1, 7};\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .entry k (.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 s[16], .param .f32 f)\n"
    ".maxntid 256, 1, 1 .minnctapersm 2 .maxnreg 32\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<20>, x; .reg .b64 %rd<9>; .reg .f32 %f<4>; .reg .b16 %h<5>;\n"
    ".local .align 8 .b8 depot[32]; .shared .f64 sh[4];\n"
    "$top: .loc 1 3 5\nld.param.u64 %rd1, [p]; ld.param.v2.b32 {%r1, %r2}, [s+8];\n"
    ".loc 1 4 1, function_name $str0, inlined_at 1 3 5\n"
    "mov.u32 %r3, %tid.x; mov.u32 x, WARP_SZ; mov.u32 %r4, %envreg3;\n"
    "@!%p1 bra $top; @%p2 bra.uni end;\n"
    "mad.lo.s32 %r5, %r3, (3 + 4 * -2) << 1, ~1 ? 2 : 0x7f;\n"
    "setp.lt.and.f32 %p1|%p2, %f1, -1.5, !%p1; shfl.sync.bfly.b32 %r6|%p1, %r5, 1, 31, -1;\n"
    "ld.global.L2::128B.v4.f32 {%f1, %f2, _, %f3}, [%rd1+-16]; st.shared.f32 [sh+4], %f1;\n"
    "vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1; tex.2d.v4.f32.f32 {%f1,%f1,%f1,%f1}, [%rd1, {%f1, %f2}];\n"
    "{ .param .b32 a0; .param .b32 a1; .reg .b32 %r<2>; st.param.b32 [a0+0], %r1;\n"
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (a1), %rd1, (a0), proto; call.uni (a1), twice, "
    "(a0); }\n"
    "targets: .branchtargets $top, end;\nbrx.idx %r1, targets;\n"
    ".pragma \"nounroll\"; /* c */ // c\nend: ret;\n}\n"
    ".func (.param .b32 r) twice (.param .b32 x) { .reg .u32 a; ld.param.u32 a, [x]; add.u32 a, a, a; st.param.u32 "
    "[r], a; ret; }\n"
    ".file 1 \"a.cu\", 3, 4\n.section .debug_str\n{\n$str0: .b8 102, 111, 111, 0\n}\n.section .debug_info { .b32 1 }\n";

static uint64_t state;
static uint64_t any(uint64_t below) /* splitmix */
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return below ? (z ^ z >> 31) % below : 0;
}

#define REQUIRE(c) ((c) ? (void)0 : (fprintf(stderr, "not so: %s (line %d)\n", #c, __LINE__), abort()))

static void check_operand(const ptx_func *f, const ptx_operand *o, int depth)
{
    REQUIRE(depth < 100 && o->kind <= O_TABLE);
    REQUIRE(o->reg >= -1 && o->reg < f->reg_count);
    if (o->kind == O_REG) REQUIRE(o->reg >= 0);
    if (o->kind == O_LABEL) REQUIRE(o->label >= 0 && o->label <= f->insn_count);
    if (o->kind == O_VAR) REQUIRE(o->var && o->var->name);
    if (o->kind == O_FUNC) REQUIRE(o->func && o->func->name);
    if (o->kind == O_SREG) REQUIRE(o->sreg > SR_NONE && o->sreg < SR_COUNT);
    if (o->kind == O_TABLE) {
        REQUIRE(o->table);
        for (int i = 0; o->table->labels && i < o->table->count; i++)
            REQUIRE(o->table->labels[i] >= 0 && o->table->labels[i] <= f->insn_count);
    }
    REQUIRE(o->pick_count <= 4);
    if (ptx_inside(o)) REQUIRE(o->elements);
    for (int i = 0; i < ptx_inside(o); i++) check_operand(f, &o->elements[i], depth + 1);
}

static void check_variable(const ptx_var *v)
{
    REQUIRE(v->name && v->type > T_NONE && v->type < T_COUNT && v->align);
    uint64_t end = 0;
    for (int i = 0; i < v->init_count; i++) {
        REQUIRE(v->inits[i].offset >= end);
        end = (uint64_t)v->inits[i].offset + v->inits[i].size;
        REQUIRE(end <= v->size);
    }
}

static void check_tree(const ptx_module *m)
{
    for (int i = 0; i < m->var_count; i++) check_variable(m->vars[i]);
    for (int i = 0; i < m->loc_count; i++) {
        REQUIRE(m->locs[i].file >= 0 && m->locs[i].file < m->file_count);
        REQUIRE(m->locs[i].inlined_at >= -1 && m->locs[i].inlined_at < i);
        if (m->locs[i].function) REQUIRE(*m->locs[i].function);
    }
    for (int i = 0; i < m->func_count; i++) {
        const ptx_func *f = m->funcs[i];
        REQUIRE(f->index == i && f->module == m && f->name);
        for (int j = 0; j < f->param_count; j++) check_variable(f->params[j]);
        for (int j = 0; j < f->ret_count; j++) check_variable(f->rets[j]);
        for (int j = 0; j < f->var_count; j++) check_variable(f->vars[j]);
        for (int j = 0; j < f->insn_count; j++) {
            const ptx_insn *in = &f->insns[j];
            REQUIRE(in->op > OP_NONE && in->op < OP_COUNT && in->guard < f->reg_count && in->loc < m->loc_count &&
                    in->line > 0);
            for (int k = 0; k < in->operand_count; k++) check_operand(f, &in->operand[k], 0);
        }
    }
}

/* Returns a hash of the place of the error, 0 when there is none. */
static uint64_t try_text(const char *text, size_t bytes, bool load)
{
    arena a = {0};
    ptx_module m = {.arena = &a};
    sim_error err = {0};
    char *exact = malloc(bytes ? bytes : 1); /* so that the sanitizer sees a read past the end */
    if (!exact) abort();
    memcpy(exact, text, bytes);
    int code = ptx_parse(&m, "fuzz.ptx", exact, bytes, &err);
    uint64_t place = 0;
    if (code == SIM_OK) {
        check_tree(&m);
    } else {
        REQUIRE(err.code == code && err.message[0] && !strcmp(err.file, "fuzz.ptx"));
        REQUIRE(code == SIM_E_MEMORY || (err.line > 0 && err.column > 0));
        for (const char *s = err.message; *s && *s != '"'; s++) place = place * 31 + (unsigned char)*s;
        place |= 1;
    }
    arena_free(&a);
    if (code == SIM_OK && load) {
        sim_card card;
        sim *s = NULL;
        sim_module *module = NULL;
        memset(&card, 0, sizeof card);
        snprintf(card.name, sizeof card.name, "fuzz");
        card.cc_major = 7, card.cc_minor = 5, card.multiprocessors = 2, card.max_threads_per_block = 1024;
        card.max_threads_per_mp = 1024, card.max_blocks_per_mp = 16, card.max_warps_per_mp = 32;
        card.registers_per_mp = 65536, card.max_registers_per_thread = 255,
        card.shared_per_block = card.shared_per_mp = 65536;
        card.banks = 32, card.max_grid_x = card.max_grid_y = card.max_grid_z = 65535;
        card.max_block_x = card.max_block_y = 1024, card.max_block_z = 64, card.clock_khz = 1000000,
        card.memory_bytes = 64 << 20;
        if (sim_open(&s, &card, &err) == SIM_OK) {
            err.code = 0;
            code = sim_load(s, "fuzz.ptx", exact, bytes, &module, &err);
            if (code != SIM_OK) REQUIRE(err.code == code && err.message[0]);
            sim_close(s);
        }
    }
    free(exact);
    return place;
}

#ifdef PTX_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_text((const char *)data, size, false);
    return 0;
}
#else

enum { MAX_CORPUS = 4000, MAX_TEXT = 64 << 10 };
static struct {
    char *text;
    size_t bytes;
} corpus[MAX_CORPUS];
static int corpus_count;
static uint64_t seen[1 << 12];

static void keep(const char *text, size_t bytes)
{
    int at = corpus_count < MAX_CORPUS ? corpus_count++ : (int)any(MAX_CORPUS);
    free(corpus[at].text);
    corpus[at].text = malloc(bytes ? bytes : 1);
    if (!corpus[at].text) abort();
    memcpy(corpus[at].text, text, bytes);
    corpus[at].bytes = bytes;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("_$%.", c);
}

/* A word or a single character, at a random place. */
static size_t pick_token(const char *t, size_t n, size_t *length)
{
    size_t at = any(n);
    if (is_word(t[at]) && t[at]) {
        while (at && t[at - 1] && is_word(t[at - 1])) at--;
        size_t e = at;
        while (e < n && t[e] && is_word(t[e])) e++;
        *length = e - at;
    } else {
        *length = 1;
    }
    return at;
}

static size_t replace(char *t, size_t n, size_t at, size_t length, const char *with, size_t with_length)
{
    if (n - length + with_length > MAX_TEXT) return n;
    memmove(t + at + with_length, t + at + length, n - at - length);
    memcpy(t + at, with, with_length);
    return n - length + with_length;
}

static size_t mutate(char *t, size_t n)
{
    static const char *const words[] = {"{",
                                        "}",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "<",
                                        ">",
                                        ",",
                                        ";",
                                        ":",
                                        "@",
                                        "!",
                                        "|",
                                        "-",
                                        "+",
                                        "~",
                                        "?",
                                        "\"",
                                        "/*",
                                        "//",
                                        "0",
                                        "-1",
                                        "4294967296",
                                        "18446744073709551615",
                                        "0x8000000000000000",
                                        "0f3F800000",
                                        "0d",
                                        "1e999",
                                        "99999999999999999999",
                                        ".reg",
                                        ".param",
                                        ".global",
                                        ".shared",
                                        ".align",
                                        ".b8",
                                        ".b128",
                                        ".pred",
                                        ".v4",
                                        ".entry",
                                        ".func",
                                        ".extern",
                                        ".loc",
                                        ".file",
                                        ".section",
                                        ".branchtargets",
                                        ".callprototype",
                                        "%r1",
                                        "%r999999999",
                                        "%tid.x",
                                        "_",
                                        "$top",
                                        "bra",
                                        "call",
                                        "add.u32",
                                        ".ptr",
                                        "= {",
                                        "[4294967296]",
                                        "[1099511627776]",
                                        "[]",
                                        "<1000000>",
                                        "<4000000000>",
                                        "generic(",
                                        "0xFF(",
                                        "/",
                                        "%",
                                        "<<",
                                        "WARP_SZ",
                                        "(.s64)",
                                        "..",
                                        "::",
                                        "\n#",
                                        "@@"};
    char piece[4096];
    size_t length, other;
    for (uint64_t k = 1 + any(4); k; k--) {
        if (!n) return replace(t, n, 0, 0, words[3], 1);
        size_t at = pick_token(t, n, &length);
        switch (any(9)) {
        case 0: t[any(n)] ^= (char)(1 << any(8)); break;
        case 1: t[any(n)] = (char)any(256); break;
        case 2: n = any(16) ? n : any(n); break; /* cut off */
        case 3: n = replace(t, n, at, length, "", 0); break;
        case 4:
        case 5: {
            const char *w = words[any(sizeof words / sizeof *words)];
            n = replace(t, n, at, any(2) ? length : 0, w, strlen(w));
            break;
        }
        case 6: /* a token from elsewhere */
            other = pick_token(t, n, &length);
            if (length > sizeof piece) break;
            memcpy(piece, t + other, length);
            n = replace(t, n, at, 0, piece, length);
            break;
        case 7: /* a piece is repeated */
            other = any(n);
            length = 1 + any(any(8) ? 60 : 2000);
            if (length > n - other) length = n - other;
            if (length > sizeof piece) length = sizeof piece;
            memcpy(piece, t + other, length);
            n = replace(t, n, any(n), 0, piece, length);
            break;
        default: { /* the same character many times: deep nesting */
            length = 1 + any(any(50) ? 8 : 200);
            memset(piece, t[any(n)], length);
            n = replace(t, n, at, 0, piece, length);
        }
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    bool load = argc > 1 && !strcmp(argv[1], "--load");
    argc -= load, argv += load;
    if (argc < 3) return fprintf(stderr, "usage: ptx [--load] SECONDS SEED [FILE.ptx ...]\n"), 2;
    state = strtoull(argv[2], NULL, 0);
    static char text[MAX_TEXT + 4096];
    if (try_text(seed_text, sizeof seed_text - 1, load))
        return fprintf(stderr, "the built-in text does not parse\n"), 1;
    keep(seed_text, sizeof seed_text - 1);
    for (int i = 3; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) return perror(argv[i]), 1;
        size_t n = fread(text, 1, MAX_TEXT, f);
        fclose(f);
        try_text(text, n, load);
        keep(text, n);
    }
    int own = corpus_count;
    uint64_t runs = 0, parsed = 0;
    time_t end = time(NULL) + strtol(argv[1], NULL, 10);
    char last[64];
    snprintf(last, sizeof last, "fuzz-last-%s.ptx", argv[2]);
    bool record = getenv("FUZZ_RECORD") != NULL; /* keep the current text in a file */
    while (time(NULL) < end) {
        for (int i = 0; i < 200; i++, runs++) {
            int from = (int)any(any(3) ? (uint64_t)corpus_count : (uint64_t)own);
            size_t n = corpus[from].bytes;
            memcpy(text, corpus[from].text, n);
            n = mutate(text, n);
            if (record) {
                FILE *f = fopen(last, "wb");
                if (f) fwrite(text, 1, n, f), fclose(f);
            }
            uint64_t place = try_text(text, n, load);
            uint64_t *slot = &seen[(place ^ place >> 17) & (sizeof seen / sizeof *seen - 1)];
            if (!place) parsed++;
            if (!place ? !any(8) : *slot != place) keep(text, n);
            if (place) *slot = place;
        }
    }
    printf("%llu texts, %llu of them parsed, corpus %d\n", (unsigned long long)runs, (unsigned long long)parsed,
           corpus_count);
    for (int i = 0; i < corpus_count; i++) free(corpus[i].text);
    return 0;
}
#endif
