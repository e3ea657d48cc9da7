/* warp_ops.c: shfl, vote, match, redux, elect and activemask against references that see all lanes
 * of the warp: for whole warps, for the lanes of a branch, and for tiles of a warp that each use a
 * mask of their own. */
#include "ops.h"

/* The lanes that take part with the current lane: the active ones in its tile of aux2 lanes. */
static uint32_t group_of(const op_test *t)
{
    uint32_t tile =
        t->aux2 == 32 ? UINT32_MAX : ((1u << t->aux2) - 1) << (warp_lane / (unsigned)t->aux2 * (unsigned)t->aux2);
    return tile & warp_active;
}
#define EACH(l, group)                \
    for (unsigned l = 0; l < 32; l++) \
        if ((group) >> l & 1)

enum { UP, DOWN, BFLY, IDX };
static uint64_t ref_shfl(const op_test *t, const op_in *x, uint64_t *second)
{
    int lane = (int)warp_lane, b = x->b & 31, c = x->c & 31, seg = x->c >> 8 & 31, j;
    int max_lane = (lane & seg) | (c & ~seg), min_lane = lane & seg;
    bool p;
    switch (t->aux) {
    case UP: j = lane - b, p = j >= max_lane; break;
    case DOWN: j = lane + b, p = j <= max_lane; break;
    case BFLY: j = lane ^ b, p = j <= max_lane; break;
    default: j = min_lane | (b & ~seg), p = j <= max_lane;
    }
    *second = p;
    if (!p) return x->a;
    return warp_active >> j & 1 ? warp_in[j].a : 0; /* undefined for inactive lanes: 0, as on an H200 */
}

enum { ALL, ANY, UNI, BALLOT, NOT = 8 };
static uint64_t ref_vote(const op_test *t, const op_in *x, uint64_t *second)
{
    (void)x, (void)second;
    uint32_t group = group_of(t), yes = 0;
    EACH(l, group) yes |= (uint32_t)((warp_in[l].a & 1) ^ (t->aux & NOT ? 1 : 0)) << l;
    switch (t->aux & 7) {
    case ALL: return yes == group;
    case ANY: return yes != 0;
    case UNI: return yes == group || yes == 0;
    default: return yes;
    }
}

static uint64_t ref_match_any(const op_test *t, const op_in *x, uint64_t *second)
{
    (void)second;
    uint32_t same = 0;
    EACH(l, group_of(t)) same |= (uint32_t)(warp_in[l].a == x->a) << l;
    return same;
}
static uint64_t ref_match_all(const op_test *t, const op_in *x, uint64_t *second)
{
    uint32_t group = group_of(t);
    *second = ref_match_any(t, x, second) == group;
    return *second ? group : 0;
}

enum { ADD, MIN, MAX, AND, OR, XOR, REDUCTIONS };
static uint64_t ref_redux(const op_test *t, const op_in *x, uint64_t *second)
{
    (void)x, (void)second;
    bool first = true;
    uint64_t out = 0;
    EACH(l, group_of(t))
    {
        uint64_t v = warp_in[l].a;
        bool less = t->sign ? as_signed(v, 32) < as_signed(out, 32) : v < out;
        out = first           ? v
              : t->aux == ADD ? out + v
              : t->aux == MIN ? (less ? v : out)
              : t->aux == MAX ? (less ? out : v)
              : t->aux == AND ? out & v
              : t->aux == OR  ? out | v
                              : out ^ v;
        first = false;
    }
    return out;
}
enum { ABS = 1, NANS = 2 };
static uint64_t ref_redux_float(const op_test *t, const op_in *x, uint64_t *second) /* bits: ABS, NANS */
{
    (void)x, (void)second;
    float best = 0;
    bool any = false, nan = false;
    EACH(l, group_of(t))
    {
        uint32_t bits = (uint32_t)warp_in[l].a & (t->bits & ABS ? 0x7fffffff : 0xffffffff);
        float v;
        memcpy(&v, &bits, 4);
        if (v != v) {
            nan = true;
            continue;
        }
        uint32_t best_bits;
        memcpy(&best_bits, &best, 4);
        bool zeros = v == 0 && best == 0, less = v < best || (zeros && bits >> 31 && !(best_bits >> 31));
        bool more = v > best || (zeros && !(bits >> 31) && best_bits >> 31);
        if (!any || (t->aux == MIN ? less : more)) best = v;
        any = true;
    }
    if (!any || (nan && t->bits & NANS)) return 0x7fffffff;
    uint32_t bits;
    memcpy(&bits, &best, 4);
    return bits;
}
static uint64_t ref_elect(const op_test *t, const op_in *x, uint64_t *second)
{
    (void)x;
    uint32_t group = group_of(t), leader = 0;
    while (!(group >> leader & 1)) leader++;
    *second = leader == warp_lane;
    return leader;
}
static uint64_t ref_active(const op_test *t, const op_in *x, uint64_t *second)
{
    (void)t, (void)x, (void)second;
    return warp_active;
}

/* Adds instruction `fmt`, which has a %m in it, in three settings: with a full mask, with the
 * active lanes, with tiles. */
static void add_sync(const char *widths, const char *inputs, op_ref *ref, char second, int aux, int bits, bool sign,
                     const char *op)
{
    static const int tiles[] = {32, 16, 4};
    for (int k = 0; k < 3; k++) {
        op_test *t;
        if (tiles[k] == 32) t = add_test(widths, inputs, ref, "{ .reg .b32 %%m; $g activemask.b32 %%m; $g %s }", op);
        else
            t = add_test(widths, inputs, ref,
                         "{ .reg .b32 %%m,%%n; $g activemask.b32 %%m; mov.u32 %%n,%%laneid; and.b32 %%n,%%n,%d; "
                         "shl.b32 %%n,%d,%%n; "
                         "$g and.b32 %%m,%%m,%%n; $g %s }",
                         32 - tiles[k], (1 << tiles[k]) - 1, op);
        t->second = second, t->aux = aux, t->aux2 = tiles[k], t->bits = bits, t->sign = sign;
    }
}

static void add_all(void)
{
    static const char *const ways[] = {"up", "down", "bfly", "idx"}, *const votes[] = {"all", "any", "uni", "ballot"};
    static const char *const reductions[] = {"add", "min", "max", "and", "or", "xor"};
    char op[160];
    for (int k = 0; k < 4; k++) {
        snprintf(op, sizeof op, "shfl.sync.%s.b32 $d|$q,$a,$b,$c,%%m;", ways[k]);
        add_sync("wwww", "xsc", ref_shfl, 'p', k, 0, false, op);
        snprintf(op, sizeof op, "shfl.sync.%s.b32 $d,$a,$b,$c,%%m;", ways[k]);
        add_sync("wwww", "xsc", ref_shfl, 0, k, 0, false, op);
        op_test *t = add_test("wwww", "xsc", ref_shfl, "shfl.%s.b32 $d|$q,$a,$b,$c;", ways[k]);
        t->second = 'p', t->aux = k, t->aux2 = 32;
    }
    for (int k = 0; k < 8; k++) {
        const char *not = k & 4 ? "!" : "", *type = (k & 3) == BALLOT ? "b32" : "pred",
                   *w = (k & 3) == BALLOT ? "wp" : "pp";
        snprintf(op, sizeof op, "vote.sync.%s.%s $d,%s$a,%%m;", votes[k & 3], type, not );
        add_sync(w, "i", ref_vote, 0, (k & 3) | (k & 4 ? NOT : 0), 0, false, op);
        op_test *t = add_test(w, "i", ref_vote, "vote.%s.%s $d,%s$a;", votes[k & 3], type, not );
        t->aux = (k & 3) | (k & 4 ? NOT : 0), t->aux2 = 32;
    }
    for (int k = 0; k < 2; k++) {
        snprintf(op, sizeof op, "match.any.sync.b%d $d,$a,%%m;", k ? 64 : 32);
        add_sync(k ? "wd" : "ww", "i", ref_match_any, 0, 0, 0, false, op);
        snprintf(op, sizeof op, "match.all.sync.b%d $d|$q,$a,%%m;", k ? 64 : 32);
        add_sync(k ? "wd" : "ww", "i", ref_match_all, 'p', 0, 0, false, op);
    }
    for (int k = 0; k < REDUCTIONS; k++)
        for (int sign = 0; sign < (k < AND ? 2 : 1); sign++) {
            snprintf(op, sizeof op, "redux.sync.%s.%s $d,$a,%%m;", reductions[k],
                     k >= AND ? "b32"
                     : sign   ? "s32"
                              : "u32");
            add_sync("ww", "i", ref_redux, 0, k, 0, sign, op);
        }
    for (int k = 0; k < 8; k++) {
        snprintf(op, sizeof op, "redux.sync.%s%s%s.f32 $d,$a,%%m;", k & 4 ? "max" : "min", k & 1 ? ".abs" : "",
                 k & 2 ? ".NaN" : "");
        add_sync("ww", "f", ref_redux_float, 0, k & 4 ? MAX : MIN, k & 3, false, op);
    }
    add_sync("w", "", ref_elect, 'p', 0, 0, false, "elect.sync $d|$q,%m;");
    add_test("w", "", ref_active, "activemask.b32 $d;");
}

/* A lane that its own mask leaves out takes part, as on a card since compute 7.0, and gets a remark. Each text sets %r2
 * from %r1, the lane; block 0 has 32 threads. */
struct left_out {
    const char *text;
    uint32_t lane;                 /* the first one left out */
    uint32_t (*of)(uint32_t lane); /* its %r2 */
};

static uint32_t lane_before(uint32_t l) { return l ? l - 1 : 0; }
static uint32_t lane_beside(uint32_t l) { return l ^ 1; }
static uint32_t same_lane(uint32_t l) { return l; }
static uint32_t any_is_31(uint32_t l) { return (void)l, 1; }
static uint32_t own_bit(uint32_t l) { return 1u << l; }
static uint32_t largest(uint32_t l) { return (void)l, 31; }
static uint32_t upper_only(uint32_t l) { return l < 16 ? 100 : l ^ 1; }

static const struct left_out left_out[] = {
    {"shfl.sync.up.b32 %r2, %r1, 1, 0, 0x0000ffff;", 16, lane_before},
    {"shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xfffffff7;", 3, lane_beside},
    {"bar.warp.sync 0xfffffffe; mov.u32 %r2, %r1;", 0, same_lane},
    {"setp.eq.u32 %p1, %r1, 31; vote.sync.any.pred %p2, %p1, 0x7fffffff; selp.b32 %r2, 1, 0, %p2;", 31, any_is_31},
    {"match.any.sync.b32 %r2, %r1, 0xff;", 8, own_bit},
    {"redux.sync.max.u32 %r2, %r1, 0xff;", 8, largest},
    /* those that are named are elsewhere, and nobody waits for them */
    {"mov.u32 %r2, 100; setp.lt.u32 %p1, %r1, 16; @%p1 bra on; shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0000ffff; on:", 16,
     upper_only},
};

static void check_left_out(sim *unused, uint64_t base, uint64_t *data)
{
    (void)unused, (void)base, (void)data;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        char text[1000];
        sim *s = open_card();
        sim_module *m = NULL;
        sim_error err;
        sim_launch l;
        sim_result r;
        uint64_t out = 0;
        uint32_t got[32] = {0};
        memset(&l, 0, sizeof l);
        memset(&r, 0, sizeof r);
        memset(&err, 0, sizeof err);
        const int n = snprintf(text, sizeof text,
                               ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                               ".reg .b32 %%r<3>; .reg .pred %%p<3>; .reg .b64 %%d<3>; mov.u32 %%r1, %%tid.x;\n%s\n"
                               "ld.param.u64 %%d1, [p]; mad.wide.u32 %%d1, %%r1, 4, %%d1; st.global.u32 [%%d1], %%r2; "
                               "ret;\n}\n",
                               left_out[i].text);
        l.kernel = "k", l.params = &out, l.param_bytes = 8, l.host_threads = 1;
        l.grid[0] = l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1, l.block[0] = 32;
        bool good = !sim_load(s, "member.ptx", text, (size_t)n, &m, &err) && !sim_alloc(s, 128, "out", &out, &err) &&
                    !sim_run(s, m, &l, &r, &err) && !sim_read(s, out, got, 128, &err) && r.code == SIM_OK &&
                    r.fault_count == 1 && r.faults[0].note && r.faults[0].kind == SIM_FAULT_MEMBER_MASK &&
                    r.faults[0].at.ptx_line == 6 && r.faults[0].at.thread[0] == left_out[i].lane;
        for (uint32_t lane = 0; lane < 32; lane++) good &= got[lane] == left_out[i].of(lane);
        if (!good)
            printf("FAIL `%s` [%s]: %d faults, line %d, thread %u: %s\n", left_out[i].text, isa, r.fault_count,
                   r.fault_count ? r.faults[0].at.ptx_line : 0,
                   r.fault_count ? (unsigned)r.faults[0].at.thread[0] : 0,
                   r.fault_count ? r.faults[0].message : err.message);
        check_count(good);
        sim_result_free(&r);
        sim_close(s);
    }
}

int main(void)
{
    add_all();
    also = check_left_out;
    return run_tests();
}
