/* video_ops.c: the video instructions against references that follow the manual's pseudo-code
 * (pick, operate, saturate, combine or merge). Where a real card departs from it, the references
 * say so. */
#include "ops.h"

enum { ADD, SUB, ABSDIFF, MIN, MAX, SHL, SHR, SET, AVRG, MAD };
enum { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX, SECOND_MERGE };
static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};

/* One form of an instruction; a test names its form by index (aux). */
typedef struct video_form {
    int op, count, compare, second;
    bool sd, sa, sb, sat, clamp;
    bool neg_a, neg_b, neg_c, po;
    int scale;
    char dsel[6], asel[6], bsel[6]; /* "" or "b0", "h1", "b3210" ... */
} video_form;
static video_form *forms;
static int form_count;

static uint64_t next_choice = 12345;
static unsigned choose(unsigned n)
{
    next_choice = next_choice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(next_choice >> 33) % n;
}

static bool holds(int compare, int64_t a, int64_t b)
{
    return compare == 0   ? a == b
           : compare == 1 ? a != b
           : compare == 2 ? a < b
           : compare == 3 ? a <= b
           : compare == 4 ? a > b
                          : a >= b;
}
static int64_t limit(int64_t v, int bits, bool sign)
{
    int64_t least = sign ? -(INT64_C(1) << (bits - 1)) : 0,
            most = sign ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    return v < least ? least : v > most ? most : v;
}
static int selector_bits(const char *sel) { return sel[0] == 'b' ? 8 : sel[0] == 'h' ? 16 : 32; }
static int64_t selected(uint64_t v, const char *sel, bool sign)
{
    int bits = selector_bits(sel);
    uint64_t part = cut(sel[0] ? v >> bits * (sel[1] - '0') : v, bits);
    return sign ? as_signed(part, bits) : (int64_t)part;
}

static uint64_t ref_scalar(const op_test *t, const op_in *x, uint64_t *second)
{
    const video_form *f = &forms[t->aux];
    (void)second;
    int64_t a = selected(x->a, f->asel, f->sa), b = selected(x->b, f->bsel, f->sb), v = 0;
    switch (f->op) {
    case ADD: v = a + b; break;
    case SUB: v = a - b; break;
    case ABSDIFF: v = a < b ? b - a : a - b; break;
    case MIN: v = a < b ? a : b; break;
    case MAX: v = a > b ? a : b; break;
    case SET: v = holds(f->compare, a, b); break;
    default: {
        int by = f->clamp ? (b > 32 ? 32 : (int)b) : (int)(b & 31);
        for (v = a; by > 0; by--)
            v = f->op == SHL ? as_signed((uint64_t)v * 2, 34)
                : v < 0      ? -((1 - v) / 2)
                             : v / 2; /* 34 bits, as on an H200 */
    }
    }
    /* As an H200 does: an unsigned sum wraps above; parts saturate as if unsigned. video.c has the
     * rest. */
    int bits = selector_bits(f->dsel);
    if (f->sat && bits < 32) {
        int64_t most = (INT64_C(1) << (bits - f->sd)) - 1;
        v = (int64_t)cut((uint64_t)v, 32) > most ? most : v;
    } else if (f->sat && (f->sd || f->op == SHL || v < 0)) {
        v = limit(v, 32, f->sd);
    }
    if (f->op == ADD || f->op == SUB || f->op == SHL) v = as_signed((uint64_t)v, 32);
    int64_t c = f->sd ? as_signed(x->c, 32) : (int64_t)cut(x->c, 32);
    switch (f->second) {
    case SECOND_ADD: return (uint64_t)v + (uint64_t)c;
    case SECOND_MIN: return (uint64_t)(c < v || (!f->sd && v < 0) ? c : v);
    case SECOND_MAX: return (uint64_t)(c > v && (f->sd || v >= 0) ? c : v);
    case SECOND_MERGE: {
        int at = bits * (f->dsel[1] - '0');
        uint64_t d = x->c;
        for (int i = 0; i < bits; i++) d = (d & ~(UINT64_C(1) << (at + i))) | ((uint64_t)v >> i & 1) << (at + i);
        return d;
    }
    default: return (uint64_t)v;
    }
}

static uint64_t ref_mad(const op_test *t, const op_in *x, uint64_t *second)
{
    const video_form *f = &forms[t->aux];
    (void)second;
    /* On an H200 all words are signed; only the range of .sat is not. */
    bool negative = f->neg_a != f->neg_b, sign = f->sa || f->sb || negative || f->neg_c;
    uint64_t a = (uint64_t)selected(x->a, f->asel, f->sa), b = (uint64_t)selected(x->b, f->bsel, f->sb);
    int64_t v = as_signed(a, 32) * as_signed(b, 32), c = as_signed(x->c, 32);
    v = (negative ? -v : v) + (f->neg_c ? -c : c) + f->po;
    for (int i = 0; i < f->scale; i++) v = v < 0 ? -((1 - v) / 2) : v / 2;
    return (uint64_t)(f->sat ? limit(v, 32, sign) : v);
}

static uint64_t ref_simd(const op_test *t, const op_in *x, uint64_t *second)
{
    const video_form *f = &forms[t->aux];
    (void)second;
    int n = f->count, bits = 32 / n;
    uint64_t both = x->a | x->b << 32, d = f->second == SECOND_ADD ? x->c : 0;
    for (int i = 0; i < n; i++) {
        int sel_a = f->asel[0] ? f->asel[n - i] - '0' : i, sel_b = f->bsel[0] ? f->bsel[n - i] - '0' : n + i;
        uint64_t pa = cut(both >> bits * sel_a, bits), pb = cut(both >> bits * sel_b, bits);
        int64_t a = f->sa ? as_signed(pa, bits) : (int64_t)pa, b = f->sb ? as_signed(pb, bits) : (int64_t)pb, v;
        switch (f->op) {
        case ADD: v = a + b; break;
        case SUB: v = a - b; break;
        case ABSDIFF: v = a < b ? b - a : a - b; break;
        case MIN: v = a < b ? a : b; break;
        case MAX: v = a > b ? a : b; break;
        case SET: v = holds(f->compare, a, b); break;
        default: /* the average, rounded away from zero: up, but a negative sum down */
            v = a + b >= 0 ? (a + b + 1) / 2 : -((1 - (a + b)) / 2);
        }
        if (f->sat) v = limit(v, bits, f->sd);
        bool written = !f->dsel[0] || strchr(f->dsel + 1, '0' + i);
        if (f->second == SECOND_ADD) d += written ? (uint64_t)v : 0;
        else d |= (written ? cut((uint64_t)v, bits) : cut(x->c >> bits * i, bits)) << bits * i;
    }
    return d;
}

static char *random_selector(char *to)
{
    static const char *const all[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
    return strcpy(to, all[choose(7)]);
}
static const char *dotted(const char *sel)
{
    static char out[4][8];
    static int turn;
    char *o = out[turn++ & 3];
    snprintf(o, 8, sel[0] ? ".%s" : "%s", sel);
    return o;
}
static const char *sign_name(bool s) { return s ? "s32" : "u32"; }

static void add_form(const video_form *f, op_ref *ref, const char *widths, const char *text)
{
    op_test *t = add_test(widths, "iii", ref, "%s", text);
    t->aux = form_count;
    forms = realloc(forms, (size_t)(form_count + 1) * sizeof *forms);
    if (!forms) abort();
    forms[form_count++] = *f;
}

int main(void)
{
    static const char *const names[] = {"vadd", "vsub", "vabsdiff", "vmin",  "vmax",
                                        "vshl", "vshr", "vset",     "vavrg", "vmad"};
    static const char *const seconds[] = {"", ".add", ".min", ".max", ""};
    char text[200], types[40];
    for (int op = ADD; op <= MAD; op++) {
        if (op == AVRG) continue;
        for (int k = 0; k < (op == MAD ? 60 : 40); k++) { /* scalar */
            video_form f = {.op = op, .count = 1, .compare = k % 6};
            bool shift = op == SHL || op == SHR, mad = op == MAD;
            f.sd = op != SET && k & 1, f.sa = k >> 1 & 1, f.sb = !shift && k >> 2 & 1, f.sat = op != SET && k >> 3 & 1,
            f.clamp = choose(2);
            f.second = mad ? SECOND_NONE : (int)choose(5);
            random_selector(f.asel), random_selector(f.bsel);
            if (shift) f.bsel[0] = 0;
            while (f.second == SECOND_MERGE && !f.dsel[0]) random_selector(f.dsel);
            snprintf(types, sizeof types, op == SET ? "%.0s.%s.%s" : ".%s.%s.%s", sign_name(f.sd), sign_name(f.sa),
                     sign_name(f.sb));
            if (mad) {
                unsigned how = choose(5);
                f.neg_a = how == 1, f.neg_b = how == 2, f.neg_c = how == 3, f.po = how == 4;
                f.scale = (int[]){0, 7, 15}[choose(3)];
                snprintf(text, sizeof text, "vmad%s%s%s%s $d,%s$a%s,%s$b%s,%s$c;", types, f.po ? ".po" : "",
                         f.sat ? ".sat" : "",
                         f.scale == 7 ? ".shr7"
                         : f.scale    ? ".shr15"
                                      : "",
                         f.neg_a ? "-" : "", dotted(f.asel), f.neg_b ? "-" : "", dotted(f.bsel), f.neg_c ? "-" : "");
                add_form(&f, ref_mad, "wwww", text);
                continue;
            }
            snprintf(text, sizeof text, "%s%s%s%s%s%s%s $d%s,$a%s,$b%s%s;", names[op], types, op == SET ? "." : "",
                     op == SET ? compares[f.compare] : "", f.sat ? ".sat" : "",
                     shift ? f.clamp ? ".clamp" : ".wrap" : "", seconds[f.second], dotted(f.dsel), dotted(f.asel),
                     dotted(f.bsel), f.second ? ",$c" : "");
            add_form(&f, ref_scalar, f.second ? "wwww" : "www", text);
            if (shift) snprintf(tests[test_count - 1].kinds, 4, "isi");
        }
    }
    for (int op = ADD; op <= AVRG; op++) {
        if (op == SHL || op == SHR) continue;
        for (int k = 0; k < 48; k++) {
            video_form f = {.op = op, .count = k & 1 ? 4 : 2, .compare = k % 6};
            f.sd = op != SET && k >> 1 & 1, f.sa = k >> 2 & 1, f.sb = k >> 3 & 1;
            f.second = choose(3) == 0 ? SECOND_ADD : SECOND_NONE;
            f.sat = op != SET && !f.second && choose(2);
            int n = f.count;
            char letter = n == 2 ? 'h' : 'b';
            for (int s = 0; s < 2; s++)
                if (choose(3)) {
                    char *sel = s ? f.bsel : f.asel;
                    sel[0] = letter;
                    for (int i = 1; i <= n; i++) sel[i] = (char)('0' + choose((unsigned)(2 * n)));
                }
            if (choose(2)) {
                unsigned mask = 1 + choose((1u << n) - 1), at = 0;
                f.dsel[at++] = letter;
                for (int i = n - 1; i >= 0; i--)
                    if (mask >> i & 1) f.dsel[at++] = (char)('0' + i);
            }
            snprintf(types, sizeof types, op == SET ? "%.0s.%s.%s" : ".%s.%s.%s", sign_name(f.sd), sign_name(f.sa),
                     sign_name(f.sb));
            snprintf(text, sizeof text, "%s%d%s%s%s%s%s $d%s,$a%s,$b%s,$c;", names[op], n, types, op == SET ? "." : "",
                     op == SET ? compares[f.compare] : "", f.sat ? ".sat" : "", f.second ? ".add" : "", dotted(f.dsel),
                     dotted(f.asel), dotted(f.bsel));
            add_form(&f, ref_simd, "wwww", text);
            snprintf(tests[test_count - 1].kinds, 4, "xxx");
        }
    }
    int status = run_tests();
    free(forms);
    return status;
}
