/* run.c: compares every form of every instruction on the simulator with a real card, bit for bit.
 *
 * A .txt file in this folder has one form per line, `text : types | options`. Text may hold {a,b}
 * alternatives, which are expanded here. Text without a blank is an opcode: the operands %d, %a,
 * %b, %c are added, one per type (the first type is the result's). Each form becomes a kernel of a
 * generated module: thread i loads operand values number i, performs the instruction, and stores
 * the result. The values are all pairs of 64 special values of the type, then pseudo-random ones.
 *
 *     run check FILES...         simulate on each instruction set; compare with FILE.h200, the
 *                                results of a real card
 *     run gpu FILES...           run on the GPU too and compare; -w records its results in
 *                                FILE.h200
 *     run ptx DIR FILES...       write the modules to DIR, for ptxas
 *
 * `wgmma.SHAPE.TYPES A-FROM SCALE-A SCALE-B TRANSPOSE-A TRANSPOSE-B [masked]` is a product of a
 * warpgroup: see put_product.
 *
 * A text with blanks may use %i5 and %i6: addresses of 8 bytes of global and 16 bytes of shared
 * memory that belong to the thread.
 *
 * Options: ulp=N (an approximation: results may differ from the card's by N units in the last
 * place; nothing is recorded), abs=E (or by E), range=R (for |a| <= R), sm=90 or sm=90a (needs that target),
 * safe (operand b of a division and the like: never 0), ptx=87 (needs that version), nan (any NaN
 * matches any other), mild (floats between 1/8 and 2, or -2 and -1/8, so that sums of many products
 * keep all digits).
 */
#include "../unit/isa.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

enum { EDGES = 64, RANDOM = 4096, N = EDGES * EDGES + RANDOM, BLOCK = 256, MODULE = 96, MOST = 20000, LONGEST = 1000 };

typedef struct form {
    char text[LONGEST];
    char type[6][12];
    int types;
    double ulp, abs, range;      /* of an approximation; |a| > range: no promise */
    int sm, ptx;                 /* the target; the version of PTX, 83 by default */
    bool nan, safe, mild, alone; /* alone: the target is of one architecture alone, sm_90a */
    uint64_t card_hash;          /* recorded */
    bool recorded, bad, waits;   /* bad on any instruction set; waits for a card's results */
    char file[64];
} form;

static form *forms;
static int count;
static uint64_t *inputs[3], *out_sim, *out_gpu;

static void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void die(const char *fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    vfprintf(stderr, fmt, a);
    va_end(a);
    fputc('\n', stderr);
    exit(2);
}

/* ---- values ---- */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30, x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27, x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int bits_of(const char *t)
{
    if (!strcmp(t, "pred")) return 1;
    if (strstr(t, "x2")) return !strncmp(t, "e", 1) ? 16 : 32;
    if (!strcmp(t, "tf32")) return 32;
    if (!strncmp(t, "bf", 2)) return atoi(t + 2);
    return atoi(t + 1);
}
static bool is_float(const char *t) { return t[0] == 'f' || !strncmp(t, "bf", 2) || t[0] == 't'; }

static uint64_t edge(const char *t, int i)
{
    int b = bits_of(t);
    if (b == 1) return (uint64_t)(i & 1);
    if (strstr(t, "x2")) {
        char half[8];
        snprintf(half, sizeof half, "%.*s", (int)(strlen(t) - 2), t);
        return (edge(half, i) & 0xffff) | (edge(half, (i * 7 + 3) % EDGES) & 0xffff) << 16;
    }
    if (is_float(t)) {
        int m = b == 64 ? 52 : b == 32 ? 23 : t[0] == 'b' ? 7 : 10, e = b - 1 - m, bias = (1 << (e - 1)) - 1;
        uint64_t one = (uint64_t)bias << m, sign = (uint64_t)(i & 1) << (b - 1), inf = ((UINT64_C(1) << e) - 1) << m, v;
        switch (i >> 1) {
        case 0: v = 0; break;
        case 1: v = 1; break;                      /* least subnormal */
        case 2: v = (UINT64_C(1) << m) - 1; break; /* largest subnormal */
        case 3: v = UINT64_C(1) << m; break;       /* least normal */
        case 4: v = inf - 1; break;                /* largest */
        case 5: v = inf; break;
        case 6: v = inf | UINT64_C(1) << (m - 1); break; /* quiet NaN */
        case 7: v = inf | 1; break;                      /* signalling NaN */
        case 8: v = one; break;
        case 9: v = one + 1; break;
        case 10: v = one - 1; break;
        case 11: v = one + (UINT64_C(1) << (m - 1)); break;                      /* 1.5 */
        case 12: v = one + (UINT64_C(1) << m); break;                            /* 2 */
        case 13: v = one - (UINT64_C(1) << m); break;                            /* 0.5 */
        case 14: v = one + (UINT64_C(1) << m) + (UINT64_C(1) << (m - 2)); break; /* 2.5 */
        case 15: v = one + ((uint64_t)m << m); break;                            /* about where all are integers */
        case 16: v = one + ((uint64_t)(m + 1) << m); break;
        case 17: v = one + ((uint64_t)(m - 1) << m) + 1; break;
        case 18: v = one + ((uint64_t)(bias > 31 ? 31 : bias) << m); break;
        case 19: v = one + ((uint64_t)(bias > 63 ? 63 : bias) << m); break;
        case 20: v = one + ((uint64_t)(bias > 30 ? 30 : bias - 1) << m) + ((UINT64_C(1) << m) - 1); break;
        case 21: v = one + ((uint64_t)7 << m) + (UINT64_C(0x7f) << (m > 7 ? m - 7 : 0)); break; /* about 255 */
        case 22: v = one + ((uint64_t)(bias / 2) << m); break;
        case 23: v = one - ((uint64_t)(bias / 2) << m); break;
        case 24: v = one + ((uint64_t)(bias - 1) << m); break;
        case 25: v = one - ((uint64_t)(bias - 1) << m); break;
        case 26: v = UINT64_C(3) << (m - 2); break; /* a subnormal in the middle */
        default: v = mix((uint64_t)i) & ((UINT64_C(1) << m) - 1); v |= (one + ((uint64_t)((i >> 1) - 29) << m)) & inf;
        }
        return v | sign;
    }
    uint64_t top = UINT64_C(1) << (b - 1), all = b == 64 ? UINT64_MAX : (UINT64_C(1) << b) - 1;
    if (i < 20) return (uint64_t)i;
    if (i < 36) {
        static const int s[] = {31, 32, 33, 63, 64, 65, 7, 8, 15, 16, 23, 24, 255, 256, 127, 128};
        return (uint64_t)s[i - 20] & all;
    }
    if (i < 48) return (UINT64_C(0) - (uint64_t)(i - 35)) & all;
    if (i < 52) return (top + (uint64_t)(i - 50)) & all;
    if (i < 60) return mix((uint64_t)i) & all;
    return (UINT64_C(0x5555555555555555) << (i & 1)) & all;
}

/* A float between 1/8 and 2 or its negative. */
static uint64_t mild(const char *t, uint64_t random)
{
    int b = bits_of(t), m = b == 32 ? 23 : b == 64 ? 52 : t[0] == 'b' ? 7 : 10;
    uint64_t bias = (UINT64_C(1) << (b - m - 2)) - 1;
    return (random & ((UINT64_C(1) << m) - 1)) | (bias - (random >> 54 & 3)) << m | (random >> 56 & 1) << (b - 1);
}

static uint64_t mild_value(const char *t, int i, int operand)
{
    uint64_t random = mix((uint64_t)i * 3 + (uint64_t)operand + 1);
    if (!strstr(t, "x2")) return mild(t, random);
    const char *half = t[0] == 'b' ? "bf16" : "f16";
    return mild(half, random) | mild(half, mix(random)) << 16;
}

static uint64_t value(const char *t, int i, int operand, bool safe)
{
    int b = bits_of(t);
    uint64_t v;
    if (i < EDGES * EDGES) {
        v = edge(t, operand == 0 ? i / EDGES : operand == 1 ? i % EDGES : (int)(mix((uint64_t)i) % EDGES));
    } else {
        uint64_t r = mix((uint64_t)i * 3 + (uint64_t)operand + 1);
        v = r;
        if (is_float(t) && !strstr(t, "x2") && (i & 3)) { /* most of them with moderate exponents */
            int m = b == 64 ? 52 : b == 32 ? 23 : t[0] == 'b' ? 7 : 10, e = b - 1 - m, bias = (1 << (e - 1)) - 1;
            int span = (i & 1) ? 4 : bias > 20 ? 20 : bias;
            uint64_t exp = (uint64_t)(bias - span + (int)(mix(r) % (uint64_t)(2 * span)));
            v = (r & ((UINT64_C(1) << m) - 1)) | exp << m | (r >> 60 & 1) << (b - 1);
        } else if (!is_float(t) && (i & 1)) {
            v = r >> (mix(r) % (uint64_t)b);
        }
        if (b < 64) v &= (UINT64_C(1) << b) - 1;
    }
    if (safe && operand == 1 && !v) v = 1;
    return v;
}

/* ---- the forms ---- */
static const char *card_name(const char *file)
{
    static char name[256];
    snprintf(name, sizeof name, "%.*s.h200", (int)(strlen(file) - 4), file);
    return name;
}

static void add_form(const char *text, char *rest, const char *file)
{
    if (count == MOST) die("%s: more than %d forms", file, MOST);
    form *f = &forms[count++];
    memset(f, 0, sizeof *f);
    snprintf(f->text, sizeof f->text, "%s", text);
    snprintf(f->file, sizeof f->file, "%s", file);
    char copy[256], *bar;
    snprintf(copy, sizeof copy, "%s", rest);
    bar = strchr(copy, '|');
    if (bar) *bar++ = 0;
    for (char *w = strtok(copy, " \t\n"); w; w = strtok(NULL, " \t\n")) {
        if (f->types == 6) die("%s: too many types: %s", file, text);
        snprintf(f->type[f->types++], sizeof f->type[0], "%s", w);
    }
    for (char *w = bar ? strtok(bar, " \t\n") : NULL; w; w = strtok(NULL, " \t\n")) {
        if (!strncmp(w, "ulp=", 4)) f->ulp = atof(w + 4);
        else if (!strncmp(w, "abs=", 4)) f->abs = atof(w + 4);
        else if (!strncmp(w, "range=", 6)) f->range = atof(w + 6);
        else if (!strncmp(w, "sm=", 3)) f->sm = atoi(w + 3), f->alone = w[strlen(w) - 1] == 'a';
        else if (!strncmp(w, "ptx=", 4)) f->ptx = atoi(w + 4);
        else if (!strcmp(w, "nan")) f->nan = true;
        else if (!strcmp(w, "safe")) f->safe = true;
        else if (!strcmp(w, "mild")) f->mild = true;
        else die("%s: unknown option %s", file, w);
    }
    if (f->types < 1) die("%s: no types: %s", file, text);
}

/* Expands {a,b} alternatives of the text. The types have none. */
static void expand(const char *text, char *rest, const char *file)
{
    const char *open = strchr(text, '{');
    if (open && !strncmp(open, "{{", 2)) { /* {{ is a literal brace of a vector: see finish() */
        const char *later = open;
        while ((later = strchr(later + 2, '{')) && !strncmp(later, "{{", 2)) {}
        open = later;
    }
    if (!open) {
        add_form(text, rest, file);
        return;
    }
    const char *close = strchr(open, '}');
    if (!close) die("%s: unclosed brace: %s", file, text);
    for (const char *p = open + 1; p <= close;) {
        const char *e = p;
        while (e < close && *e != ',') e++;
        char one[LONGEST];
        snprintf(one, sizeof one, "%.*s%.*s%s", (int)(open - text), text, (int)(e - p), p, close + 1);
        expand(one, rest, file);
        p = e + 1;
    }
}

static void read_forms(const char *file)
{
    char line[LONGEST + 100];
    FILE *f = fopen(file, "r");
    if (!f) die("cannot read %s", file);
    int first = count;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!line[0] || line[0] == '#') continue;
        char *colon = strstr(line, " : ");
        if (!colon) die("%s: no ` : ` in: %s", file, line);
        *colon = 0;
        expand(line, colon + 3, file);
    }
    fclose(f);
    f = fopen(card_name(file), "r");
    if (!f) return;
    int at = first;
    while (fgets(line, sizeof line, f)) {
        uint64_t h;
        char text[LONGEST];
        if (sscanf(line, "%" SCNx64 " %999[^\n]", &h, text) != 2) continue;
        for (int i = at; i < count; i++)
            if (!strcmp(forms[i].text, text)) {
                forms[i].card_hash = h;
                forms[i].recorded = true;
                at = i;
                break;
            }
    }
    fclose(f);
}

/* ---- PTX ---- */
typedef struct text {
    char *s;
    size_t n, cap;
} text;
static void put(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *fmt, ...)
{
    char b[1024];
    va_list a;
    va_start(a, fmt);
    int n = vsnprintf(b, sizeof b, fmt, a);
    va_end(a);
    if (t->n + (size_t)n + 1 > t->cap) {
        t->cap = t->cap * 2 + 4096;
        t->s = realloc(t->s, t->cap);
        if (!t->s) die("out of memory");
    }
    memcpy(t->s + t->n, b, (size_t)n + 1);
    t->n += (size_t)n;
}

static const char *reg_type(const char *t)
{
    int b = bits_of(t);
    if (b == 1) return "pred";
    if (!strcmp(t, "f32") || !strcmp(t, "f64")) return t;
    return b == 64 ? "b64" : b == 32 ? "b32" : b <= 16 ? "b16" : "b128";
}

/* The product of a warpgroup. Its tiles lie without swizzle in shared memory: 8192 bytes of B, then
 * 2048 of A for each of the two warpgroups, filled with the threads' %a and %b in turn (`masked`:
 * without the bit that makes an 8-bit float's exponent large). All registers of D begin as %c; every
 * fourth block begins with zeros, by scale-d. Every register of D is folded into the result. */
static void put_product(text *t, const form *f)
{
    char types[64], from[16], masked[16] = "";
    int n, k, scale_a, scale_b, turn_a, turn_b;
    if (sscanf(f->text, "wgmma.m64n%dk%d.%63s %15s %d %d %d %d %15s", &n, &k, types, from, &scale_a, &scale_b, &turn_a,
               &turn_b, masked) < 8)
        die("not a product: %s", f->text);
    const bool words = strncmp(types, "f16", 3) != 0, scaled = strncmp(types, "s32", 3) != 0,
               registers = from[0] == 'r';
    const int regs = words ? n / 2 : n / 4;
    put(t, "{\n  .shared .align 128 .b8 tile[12288];\n  .reg .b32 e<%d>, va, vb, at;\n  .reg .b64 da, db;\n", regs);
    put(t, "  mov.b32 va, %%a;\n  mov.b32 vb, %%b;\n  mov.u32 at, tile;\n");
    if (masked[0]) put(t, "  and.b32 va, va, 0xbfbfbfbf;\n  and.b32 vb, vb, 0xbfbfbfbf;\n");
    put(t, "  mad.lo.u32 %%t3, %%t0, 4, at;\n");
    for (int i = 0; i < 12; i++) put(t, "  st.shared.b32 [%%t3+%d], v%c;\n", i * 1024, i % 3 ? 'a' : 'b');
    put(t, "  fence.proxy.async;\n  bar.sync 0;\n  and.b32 %%t2, %%t1, 3;\n  setp.ne.u32 %%P1, %%t2, 0;\n");
    for (int i = 0; i < regs; i++) put(t, "  mov.b32 e%d, %%c;\n", i);
    /* descriptors: the address, the two strides, all in units of 16 bytes */
    put(t, "  shr.u32 %%t3, at, 4;\n  cvt.u64.u32 db, %%t3;\n  or.b64 db, db, 0x%x%08x;\n", turn_b ? 8 : 16,
        (turn_b ? (unsigned)n : 8) << 16);
    put(t, "  shr.u32 %%t3, %%t0, 7;\n  mad.lo.u32 %%t3, %%t3, 2048, at;\n  add.u32 %%t3, %%t3, 8192;\n");
    put(t, "  shr.u32 %%t3, %%t3, 4;\n  cvt.u64.u32 da, %%t3;\n  or.b64 da, da, 0x%x%08x;\n", turn_a ? 8 : 16,
        (turn_a ? 64u : 8) << 16);
    put(t, "  wgmma.fence.sync.aligned;\n  wgmma.mma_async.sync.aligned.m64n%dk%d.%s {", n, k, types);
    for (int i = 0; i < regs; i++) put(t, "%se%d", i ? "," : "", i);
    put(t, "}, %s, db, %%P1", registers ? "{va,vb,vb,va}" : "da");
    if (scaled) put(t, ", %d, %d", scale_a, scale_b);
    if (scaled && k == 16) put(t, registers ? ", %d" : ", %d, %d", registers ? turn_b : turn_a, turn_b);
    put(t, ";\n  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n");
    for (int i = 0; i < regs; i++) put(t, "  mad.lo.u32 %%d, e%d, %d, %%d;\n", i, 2 * i + 1);
    put(t, "}\n");
}

static void put_kernel(text *t, const form *f, int k)
{
    put(t, ".visible .entry k%d(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n", k);
    put(t, "  .reg .u32 %%t<4>;\n  .reg .u64 %%i<8>;\n  .reg .pred %%P<4>;\n  .reg .b64 %%x<4>;\n");
    const char names[] = "dabc";
    for (int i = 0; i < f->types && i < 4; i++) put(t, "  .reg .%s %%%c;\n", reg_type(f->type[i]), names[i]);
    put(t,
        "  mov.u32 %%t0, %%tid.x;\n  mov.u32 %%t1, %%ctaid.x;\n  mad.lo.u32 %%t2, %%t1, %d, %%t0;\n  mul.wide.u32 %%i0, %%t2, 8;\n",
        BLOCK);
    put(t, "  mov.u32 %%t3, %%t0;\n");
    /* 8 bytes of global memory */
    if (strstr(f->text, "%i5")) put(t, "  ld.param.u64 %%i5, [p3];\n  add.u64 %%i5, %%i5, %%i0;\n");
    if (strstr(f->text, "%i6")) /* 16 bytes of shared memory */
        put(t,
            "  .shared .align 16 .b8 scratch%d[%d];\n  mov.u64 %%i6, scratch%d;\n  mad.wide.u32 %%i6, %%t0, 16, %%i6;\n",
            k, 16 * BLOCK, k);
    for (int i = 1; i < f->types && i < 4; i++) {
        int b = bits_of(f->type[i]);
        put(t, "  ld.param.u64 %%i1, [p%d];\n  add.u64 %%i1, %%i1, %%i0;\n", i - 1);
        if (b == 1) put(t, "  ld.global.b32 %%t3, [%%i1];\n  setp.ne.u32 %%%c, %%t3, 0;\n", names[i]);
        else put(t, "  ld.global.b%d %%%c, [%%i1];\n", b <= 8 ? 8 : b, names[i]);
    }
    int db = bits_of(f->type[0]);
    if (db == 1) put(t, "  setp.ne.u32 %%d, 0, 0;\n");
    else if (is_float(reg_type(f->type[0])))
        put(t, "  mov.%s %%d, 0%c%s;\n", reg_type(f->type[0]), db == 64 ? 'd' : 'f',
            db == 64 ? "0000000000000000" : "00000000");
    else put(t, "  mov.%s %%d, 0;\n", reg_type(f->type[0]));
    put(t, "  setp.ne.u32 %%P0, 0, 0;\n  ");
    if (!strncmp(f->text, "wgmma.m64", 9)) {
        put_product(t, f);
    } else if (strchr(f->text, ' ')) {
        for (const char *p = f->text; *p; p++) {
            if (*p == '{' && p[1] == '{') {
                put(t, "{");
                p++;
            } else if (*p == '}' && p[1] == '}') {
                put(t, "}");
                p++;
            } else put(t, "%c", *p);
        }
        put(t, strlen(f->text) > 4 && !strcmp(f->text + strlen(f->text) - 4, "; }}") ? "\n" : ";\n");
    } else {
        put(t, "%s %%d", f->text);
        for (int i = 1; i < f->types && i < 4; i++) put(t, ", %%%c", names[i]);
        put(t, ";\n");
    }
    put(t, "  ld.param.u64 %%i1, [p3];\n  add.u64 %%i1, %%i1, %%i0;\n  mov.b64 %%x0, 0;\n");
    if (db == 1) put(t, "  selp.b64 %%x0, 1, 0, %%d;\n");
    else if (db == 64) put(t, "  mov.b64 %%x0, %%d;\n");
    else if (db == 32) put(t, "  { .reg .b32 z; mov.b32 z, %%d; cvt.u64.u32 %%x0, z; }\n");
    else put(t, "  cvt.u64.u16 %%x0, %%d;\n");
    if (strstr(f->text, "%P0")) put(t, "  @%%P0 xor.b64 %%x0, %%x0, 0x8000000000000000;\n");
    put(t, "  st.global.b64 [%%i1], %%x0;\n  ret;\n}\n\n");
}

static int sm_of(const form *f) { return f->sm ? f->sm : 75; }
static void put_head(text *t, const form *f)
{
    const int ptx = f->ptx ? f->ptx : 83;
    put(t, ".version %d.%d\n.target sm_%d%s\n.address_size 64\n\n", ptx / 10, ptx % 10, sm_of(f), f->alone ? "a" : "");
}

static char *module_text(int first, int n)
{
    text t = {0};
    put_head(&t, &forms[first]);
    for (int i = 0; i < n; i++) put_kernel(&t, &forms[first + i], i);
    return t.s;
}

/* The number of consecutive forms that fit one module: same target and PTX version. The types may
 * differ, since inputs are filled per kernel. */
static int module_size(int first)
{
    int n = 1;
    while (first + n < count && n < MODULE && sm_of(&forms[first + n]) == sm_of(&forms[first]) &&
           forms[first + n].ptx == forms[first].ptx && forms[first + n].alone == forms[first].alone)
        n++;
    return n;
}

static void fill(const form *f)
{
    for (int o = 0; o < 3; o++)
        for (int i = 0; i < N; i++) {
            const char *t = o + 1 < f->types ? f->type[o + 1] : NULL;
            inputs[o][i] = !t ? 0 : f->mild && is_float(t) ? mild_value(t, i, o) : value(t, i, o, f->safe);
        }
}

/* ---- the simulator ---- */
static sim *open_sim(void)
{
    static const char card[] =
        "title: test card\ncc_major: 9\ncc_minor: 0\nmultiprocessors: 4\nclock_khz: 1000000\nmax_threads_per_block: 1024\n"
        "max_threads_per_mp: 2048\nmax_warps_per_mp: 64\nmax_blocks_per_mp: 32\nregisters_per_mp: 65536\nmax_registers_per_thread: 255\n"
        "shared_per_block: 49152\nshared_per_mp: 98304\nbanks: 32\nmax_grid_x: 2147483647\nmax_grid_y: 65535\nmax_grid_z: 65535\n"
        "max_block_x: 1024\nmax_block_y: 1024\nmax_block_z: 64\nmemory_bytes: 1073741824\n";
    sim_error e = {0};
    sim_card c;
    sim *s = NULL;
    if (sim_card_read(&c, card, "test", &e) || sim_open(&s, &c, &e)) die("%s", e.message);
    return s;
}

static bool run_sim(sim *s, sim_module *m, const uint64_t at[4], const char *kernel)
{
    sim_error e = {0};
    sim_result r;
    for (int o = 0; o < 3; o++) sim_write(s, at[o], inputs[o], N * 8, &e);
    sim_launch l = {.kernel = kernel,
                    .grid = {N / BLOCK, 1, 1},
                    .block = {BLOCK, 1, 1},
                    .params = at,
                    .param_bytes = 32,
                    .host_threads = 1};
    if (sim_run(s, m, &l, &r, &e)) {
        printf("FAIL %s [%s]: %s\n", kernel, isa, e.message);
        return false;
    }
    bool ok = r.code == SIM_OK;
    if (!ok) printf("FAIL %s [%s]: %s\n", kernel, isa, r.fault_count ? r.faults[0].message : "stopped");
    sim_result_free(&r);
    sim_read(s, at[3], out_sim, N * 8, &e);
    return ok;
}

/* ---- the real card ---- */
typedef int cu_result;
static struct gpu {
    cu_result (*init)(unsigned), (*device)(int *, int), (*ctx)(void **, unsigned, int),
        (*load)(void **, const void *, unsigned, int *, void **), (*unload)(void *),
        (*function)(void **, void *, const char *), (*alloc)(uint64_t *, size_t), (*to)(uint64_t, const void *, size_t),
        (*from)(void *, uint64_t, size_t), (*sync)(void),
        (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
} cu;
static uint64_t gpu_at[4];

static void *need(void *lib, const char *name)
{
    void *p = dlsym(lib, name);
    if (!p) die("libcuda lacks %s", name);
    return p;
}

static void open_gpu(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW), *ctx;
    int dev;
    if (!lib) die("no GPU driver: %s", dlerror());
#define GET(member, name) *(void **)&cu.member = need(lib, name)
    GET(init, "cuInit");
    GET(device, "cuDeviceGet");
    GET(ctx, "cuDevicePrimaryCtxRetain");
    cu_result (*retain)(void **, int);
    cu_result (*set)(void *);
    *(void **)&retain = need(lib, "cuDevicePrimaryCtxRetain");
    *(void **)&set = need(lib, "cuCtxSetCurrent");
    GET(load, "cuModuleLoadDataEx");
    GET(unload, "cuModuleUnload");
    GET(function, "cuModuleGetFunction");
    GET(alloc, "cuMemAlloc_v2");
    GET(to, "cuMemcpyHtoD_v2");
    GET(from, "cuMemcpyDtoH_v2");
    GET(sync, "cuCtxSynchronize");
    GET(launch, "cuLaunchKernel");
    if (cu.init(0) || cu.device(&dev, 0) || retain(&ctx, dev) || set(ctx)) die("the GPU cannot be opened");
    for (int i = 0; i < 4; i++)
        if (cu.alloc(&gpu_at[i], N * 8)) die("no GPU memory");
}

static bool run_gpu(void *module, const char *kernel)
{
    void *f;
    void *args[4] = {&gpu_at[0], &gpu_at[1], &gpu_at[2], &gpu_at[3]};
    for (int o = 0; o < 3; o++) cu.to(gpu_at[o], inputs[o], N * 8);
    if (cu.function(&f, module, kernel)) return false;
    if (cu.launch(f, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, args, NULL)) return false;
    if (cu.sync()) die("%s failed on the GPU", kernel);
    return !cu.from(out_gpu, gpu_at[3], N * 8);
}

/* ---- comparison ---- */
static double as_double(const char *t, uint64_t v)
{
    if (!strcmp(t, "f64")) {
        double d;
        memcpy(&d, &v, 8);
        return d;
    }
    if (!strcmp(t, "f32")) {
        uint32_t u = (uint32_t)v;
        float f;
        memcpy(&f, &u, 4);
        return f;
    }
    int m = t[0] == 'b' ? 7 : 10, e = 15 - m, bias = (1 << (e - 1)) - 1, x = (int)(v >> m & ((1u << e) - 1));
    double frac = (double)(v & ((1u << m) - 1)) / (1 << m), r;
    if (x == (1 << e) - 1) r = frac != 0 ? (double)NAN : (double)INFINITY;
    else r = x ? ldexp(1 + frac, x - bias) : ldexp(frac, 1 - bias);
    return v >> 15 & 1 ? -r : r;
}

/* The difference in units in the last place of the larger value. */
static double ulps(const char *t, uint64_t a, uint64_t b)
{
    double x = as_double(t, a), y = as_double(t, b);
    if (isnan(x) && isnan(y)) return 0;
    if (a == b || x == y) return 0;
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y)) return INFINITY;
    int m = !strcmp(t, "f64")   ? 52
            : !strcmp(t, "f32") ? 23
            : t[0] == 'b'       ? 7
                                : 10,
        least = !strcmp(t, "f64")   ? -1074
                : !strcmp(t, "f16") ? -24
                : t[0] == 'b'       ? -133
                                    : -149,
        e;
    frexp(fabs(x) > fabs(y) ? x : y, &e);
    e = e - 1 - m < least ? least : e - 1 - m;
    return fabs(x - y) / ldexp(1, e);
}

static uint64_t canonical(const form *f, uint64_t v)
{
    if (f->nan && is_float(f->type[0]) && isnan(as_double(f->type[0], v))) return UINT64_C(0x7ff8dead);
    return v;
}

static uint64_t hash(const form *f, const uint64_t *v)
{
    uint64_t h = 1;
    for (int i = 0; i < N; i++) h = mix(h ^ canonical(f, v[i])) + (uint64_t)i;
    return h;
}

static void compare(form *f)
{
    int bad = 0, first = -1;
    double worst = 0, furthest = 0;
    for (int i = 0; i < N; i++) {
        if (f->ulp > 0) {
            double u = ulps(f->type[0], out_sim[i], out_gpu[i]), x = as_double(f->type[1], inputs[0][i]);
            double off = fabs(as_double(f->type[0], out_sim[i]) - as_double(f->type[0], out_gpu[i]));
            if (f->range > 0 && fabs(x) > f->range) continue;
            if (f->abs > 0 && off <= f->abs) {
                if (off > furthest) furthest = off;
                continue;
            }
            if (u > worst) worst = u;
            if (u <= f->ulp) continue;
        } else if (canonical(f, out_sim[i]) == canonical(f, out_gpu[i])) {
            continue;
        }
        if (first < 0) first = i;
        bad++;
    }
    if (f->ulp > 0 && !bad)
        printf("ok   %s: within %.3g ulp (bound %.3g) or %.3g (bound %.3g) of the card\n", f->text, worst, f->ulp,
               furthest, f->abs);
    if (!bad) return;
    f->bad = true;
    printf("FAIL %s: %d of %d differ; a=%" PRIx64 " b=%" PRIx64 " c=%" PRIx64 " card %" PRIx64 " sim %" PRIx64, f->text,
           bad, N, inputs[0][first], inputs[1][first], inputs[2][first], out_gpu[first], out_sim[first]);
    if (f->ulp > 0) printf(" worst %.3g ulp", worst);
    putchar('\n');
}

/* All forms on one simulator; with `folder`, writes the modules there instead. */
static void run_forms(bool gpu, const char *folder, bool record)
{
    sim *s = open_sim();
    sim_error e = {0};
    uint64_t at[4];
    for (int i = 0; i < 4; i++)
        if (sim_alloc(s, N * 8, "values", &at[i], &e)) die("%s", e.message);
    FILE *rec = NULL;
    char rec_name[256] = "";
    for (int first = 0; first < count;) {
        int n = module_size(first);
        char *t = module_text(first, n);
        if (folder) {
            char name[512];
            snprintf(name, sizeof name, "%s/forms-%05d-sm%d.ptx", folder, first, sm_of(&forms[first]));
            FILE *o = fopen(name, "w");
            if (!o) die("cannot write %s", name);
            fputs(t, o);
            fclose(o);
        } else {
            sim_module *m = NULL;
            void *g = NULL;
            bool whole = !sim_load(s, "forms", t, strlen(t), &m, &e);
            if (gpu && cu.load(&g, t, 0, NULL, NULL)) g = NULL;
            for (int i = 0; i < n; i++) {
                form *f = &forms[first + i];
                char kernel[16], *own = NULL;
                sim_module *one = m;
                void *g1 = g;
                snprintf(kernel, sizeof kernel, "k%d", i);
                if (!whole || (gpu && !g)) { /* a form is refused: load each alone, to see which */
                    text single = {0};
                    put_head(&single, f);
                    put_kernel(&single, f, i);
                    own = single.s;
                    one = NULL;
                    if (sim_load(s, "forms", own, strlen(own), &one, &e))
                        printf("FAIL %s: refused: %s\n", f->text, e.message), f->bad = true;
                    if (gpu && cu.load(&g1, own, 0, NULL, NULL)) printf("card refuses %s\n", f->text), g1 = NULL;
                }
                fill(f);
                bool simulated = one && run_sim(s, one, at, kernel);
                if (one && !simulated) printf("     in %s\n", f->text), f->bad = true;
                if (gpu && g1 && run_gpu(g1, kernel)) {
                    if (simulated) compare(f);
                    if (record && f->ulp == 0) {
                        if (strcmp(rec_name, card_name(f->file))) {
                            if (rec) fclose(rec);
                            snprintf(rec_name, sizeof rec_name, "%s", card_name(f->file));
                            rec = fopen(rec_name, "w");
                            if (!rec) die("cannot write %s", rec_name);
                        }
                        fprintf(rec, "%016" PRIx64 " %s\n", hash(f, out_gpu), f->text);
                    }
                } else if (simulated && !gpu) {
                    f->waits = f->ulp == 0 && !f->recorded;
                    if (f->recorded && f->ulp == 0 && hash(f, out_sim) != f->card_hash)
                        printf("FAIL %s [%s]: differs from the recorded results of a real card\n", f->text, isa),
                            f->bad = true;
                }
                if (own && one) sim_unload(s, one);
                if (own && g1) cu.unload(g1);
                free(own);
            }
            if (m) sim_unload(s, m);
            if (g) cu.unload(g);
        }
        free(t);
        first += n;
    }
    if (rec) fclose(rec);
    sim_close(s);
}

int main(int argc, char **argv)
{
    bool gpu = argc > 1 && !strcmp(argv[1], "gpu"), ptx = argc > 2 && !strcmp(argv[1], "ptx"), record = false;
    int at_file = ptx ? 3 : 2;
    if (gpu && argc > 2 && !strcmp(argv[2], "-w")) record = true, at_file = 3;
    if (argc <= at_file || (!gpu && !ptx && strcmp(argv[1], "check")))
        die("usage: run check|gpu [-w]|ptx DIR FILES...");
    forms = calloc(MOST, sizeof *forms);
    out_sim = calloc(N, 8);
    out_gpu = calloc(N, 8);
    for (int i = 0; i < 3; i++) inputs[i] = calloc(N, 8);
    if (!forms || !out_sim || !out_gpu || !inputs[2]) die("out of memory");
    for (int i = at_file; i < argc; i++) read_forms(argv[i]);
    if (gpu) open_gpu();
    if (gpu || ptx) run_forms(gpu, ptx ? argv[2] : NULL, record);
    else
        for (isa_begin(); isa_next();) run_forms(false, NULL, false);
    if (ptx) {
        printf("%d forms written\n", count);
        return 0;
    }
    int failed = 0, waiting = 0;
    for (int i = 0; i < count; i++) failed += forms[i].bad, waiting += forms[i].waits && !forms[i].bad;
    if (!gpu) printf("%d forms on %d instruction sets:%s\n", count, isa_run.sets, isa_run.names);
    printf("%d forms agree, %d do not, %d have no recorded result\n", count - failed - waiting, failed, waiting);
    return failed || !count || (!gpu && !isa_run.sets);
}
