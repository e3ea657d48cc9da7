/* unknown_spread.c: which bits of an instruction's results are unknown, from those of its sources.
 * unknown.h says what for.
 *
 * The table below has a row for each opcode. By SPREAD_ALL any unknown bit of a source makes all
 * results unknown. An opcode that somebody added without a row is treated so, and fails
 * tests/unit/unknown.c: whether its operands must be known is for its author to say.
 */
#include "unknown_spread.h"

#define SLOT(i)     (1u << (i))
#define COORDINATES (SLOT(4) | SLOT(6) | SLOT(7) | SLOT(8) | SLOT(9))
#define ADDRESS     .strict = SLOT(4), .does = "uses as an address"
#define ANY(op)     [OP_##op] = {.how = SPREAD_ALL}
// clang-format off
const spread_rule spread_rules[OP_COUNT] = {
    [OP_MOV] = {.how = SPREAD_MOVES},
    [OP_MAPA] = {.how = SPREAD_MOVES, .control = SLOT(2)},
    [OP_PRMT] = {.how = SPREAD_MOVES, .control = SLOT(3)},
    [OP_SHL] = {.how = SPREAD_MOVES, .control = SLOT(2)},
    [OP_SHR] = {.how = SPREAD_MOVES, .control = SLOT(2)},
    [OP_SHF] = {.how = SPREAD_MOVES, .control = SLOT(3)},
    [OP_BFE] = {.how = SPREAD_MOVES, .control = SLOT(2) | SLOT(3)},
    [OP_BFI] = {.how = SPREAD_MOVES, .control = SLOT(3) | SLOT(4)},
    [OP_SZEXT] = {.how = SPREAD_MOVES, .control = SLOT(2)},
    [OP_BREV] = {.how = SPREAD_MOVES},
    [OP_SLCT] = {.how = SPREAD_MOVES, .control = SLOT(3)},
    [OP_SELP] = {.how = SPREAD_SELP, .table = 0xE4}, /* on predicates: c ? a : b */
    [OP_AND] = {.how = SPREAD_LOGIC, .table = 0xC0},
    [OP_OR] = {.how = SPREAD_LOGIC, .table = 0xFC},
    [OP_XOR] = {.how = SPREAD_LOGIC, .table = 0x3C},
    [OP_NOT] = {.how = SPREAD_LOGIC, .table = 0x0F},
    [OP_LOP3] = {.how = SPREAD_LOP3},
    [OP_CNOT] = {.how = SPREAD_CNOT},
    [OP_SETP] = {.how = SPREAD_SETP},
    [OP_CVT] = {.how = SPREAD_CVT},
    [OP_LD] = {.how = SPREAD_MEMORY, ADDRESS},
    [OP_LDU] = {.how = SPREAD_MEMORY, ADDRESS},
    [OP_ST] = {.how = SPREAD_MEMORY, ADDRESS, .effect = true},
    [OP_ATOM] = {.how = SPREAD_NOT, ADDRESS, .effect = true},
    [OP_RED] = {.how = SPREAD_NOT, ADDRESS, .effect = true},
    [OP_CP] = {.how = SPREAD_NOT, .strict = 0xff, .effect = true, .does = "sets up an asynchronous copy with"},
    [OP_MBARRIER] = {.how = SPREAD_MEMORY, .strict = 0xff, .effect = true, .does = "calls mbarrier with"},
    [OP_SULD] = {.how = SPREAD_MEMORY, .strict = COORDINATES, .does = "uses as a coordinate"},
    [OP_SUST] = {.how = SPREAD_MEMORY, .strict = COORDINATES, .effect = true, .does = "uses as a coordinate"},
    [OP_SURED] = {.how = SPREAD_NOT, .strict = COORDINATES | SLOT(0), .effect = true, .does = "updates a surface with"},
    [OP_TEX] = {.how = SPREAD_ALL, .strict = SLOT(4) | SLOT(5), .does = "uses as a texture"},
    [OP_TLD4] = {.how = SPREAD_ALL, .strict = SLOT(4) | SLOT(5), .does = "uses as a texture"},
    [OP_LDMATRIX] = {.how = SPREAD_MEETS, ADDRESS},
    [OP_STMATRIX] = {.how = SPREAD_MEETS, ADDRESS, .effect = true},
    [OP_WMMA] = {.how = SPREAD_MEETS, .effect = true}, /* loads and stores: see spread */
    [OP_MMA] = {.how = SPREAD_MEETS},
    [OP_MOVMATRIX] = {.how = SPREAD_MEETS},
    [OP_WGMMA] = {.how = SPREAD_MEETS,
                  .strict = SLOT(0) | SLOT(1) | SLOT(2),
                  .does = "describes a product of matrices with"},
    [OP_SHFL] = {.how = SPREAD_MEETS,
                 .strict = SLOT(2) | SLOT(3) | SLOT(5),
                 .does = "uses as a lane or mask of a shuffle"},
    [OP_VOTE] = {.how = SPREAD_MEETS, .strict = SLOT(2), .does = "uses as a mask of a vote"},
    [OP_MATCH] = {.how = SPREAD_MEETS, .strict = SLOT(2), .does = "uses as a mask of a match"},
    [OP_REDUX] = {.how = SPREAD_MEETS, .strict = SLOT(2), .does = "uses as a mask of a reduction"},
    [OP_ELECT] = {.how = SPREAD_MEETS, .strict = SLOT(2), .does = "uses as a mask"},
    [OP_BAR] = {.how = SPREAD_NOT, .strict = 0xff, .effect = true, .does = "calls a barrier with"},
    [OP_BARRIER] = {.how = SPREAD_NOT, .strict = 0xff, .effect = true, .does = "calls a barrier with"},
    [OP_NANOSLEEP] = {.how = SPREAD_NOT},
    [OP_MEMBAR] = {.how = SPREAD_NOT},
    [OP_FENCE] = {.how = SPREAD_NOT},
    [OP_PREFETCH] = {.how = SPREAD_NOT},
    [OP_PREFETCHU] = {.how = SPREAD_NOT},
    [OP_DISCARD] = {.how = SPREAD_NOT, ADDRESS, .effect = true},
    [OP_BRA] = {.how = SPREAD_NOT},
    [OP_BRX] = {.how = SPREAD_NOT},
    [OP_CALL] = {.how = SPREAD_NOT},
    [OP_RET] = {.how = SPREAD_NOT},
    [OP_EXIT] = {.how = SPREAD_NOT},
    ANY(CVTA), ANY(ISSPACEP), ANY(GETCTARANK), ANY(ADD), ANY(SUB), ANY(MUL), ANY(MAD), ANY(FMA), ANY(DIV), ANY(REM),
    ANY(ABS), ANY(NEG), ANY(MIN), ANY(MAX), ANY(ADDC), ANY(SUBC), ANY(MADC), ANY(MUL24), ANY(MAD24), ANY(SAD),
    ANY(POPC), ANY(CLZ), ANY(BFIND), ANY(FNS), ANY(BMSK), ANY(DP4A), ANY(DP2A), ANY(VADD), ANY(VSUB), ANY(VABSDIFF),
    ANY(VMIN), ANY(VMAX), ANY(VSHL), ANY(VSHR), ANY(VMAD), ANY(VSET), ANY(VADD2), ANY(VSUB2), ANY(VAVRG2),
    ANY(VABSDIFF2), ANY(VMIN2), ANY(VMAX2), ANY(VSET2), ANY(VADD4), ANY(VSUB4), ANY(VAVRG4), ANY(VABSDIFF4),
    ANY(VMIN4), ANY(VMAX4), ANY(VSET4), ANY(RCP), ANY(SQRT), ANY(RSQRT), ANY(SIN), ANY(COS), ANY(LG2), ANY(EX2),
    ANY(TANH), ANY(COPYSIGN), ANY(TESTP), ANY(SET), ANY(APPLYPRIORITY), ANY(CREATEPOLICY), ANY(GRIDDEPCONTROL),
    ANY(SETMAXNREG), ANY(ACTIVEMASK), ANY(TRAP), ANY(BRKPT), ANY(PMEVENT), ANY(TXQ), ANY(SUQ), ANY(TENSORMAP),
};
// clang-format on

/* ---- operands ---- */

/* one instruction of the lanes in `mask` */
typedef struct step {
    warp *w;
    const insn *in;
    const code_info *info;
    uint32_t mask;
} step;

static uint32_t place_of(const step *s, uint32_t i) { return unknown_place(s->info, s->in, i); }

static uint8_t role_of(const step *s, uint32_t i) { return s->info->refs > 8 ? s->info->roles[i] : s->info->role[i]; }

static bool get(const step *s, uint32_t i, row *r) { return row_get(s->w, s->info, place_of(s, i), r); }

static void put(const step *s, uint32_t i, const row *r) { row_put(s->w, s->info, place_of(s, i), s->mask, r); }

static void put_results(const step *s, const row *r)
{
    for (uint32_t i = 0; i < s->info->refs; i++)
        if (role_of(s, i) != USE && role_of(s, i) != SLOT_UNUSED) put(s, i, r);
}

/* The first of the sources in `which` with unknown bits in a lane says where they came from. */
static uint32_t gather(const step *s, uint32_t which, row *all)
{
    memset(all, 0, sizeof *all);
    for (uint32_t i = 0; i < s->info->refs; i++) {
        row r;
        if (role_of(s, i) != USE || (i < 32 && !(which >> i & 1)) || !get(s, i, &r)) continue;
        for (uint32_t m = r.lanes & ~all->lanes; m; m &= m - 1)
            row_lane(all, first_lane(m), UINT64_MAX, UINT64_MAX, r.from[first_lane(m)]);
    }
    return all->lanes;
}

/* A lane's value of a constant or a register of at most 64 bits. */
static uint64_t value_of(const step *s, uint32_t i, int lane)
{
    const uint32_t place = place_of(s, i);
    const char *at = s->w->base[place & 1] + place;
    uint64_t v = 0;
    if (ptx_bits((enum ptx_type)s->info->src->type[0]) == 64) memcpy(&v, at + 8 * lane, 8);
    else memcpy(&v, at + 4 * lane, 4);
    return v;
}

static uint32_t predicate(const step *s, uint32_t place)
{
    uint32_t v;
    memcpy(&v, s->w->base[place & 1] + place, sizeof v);
    return v;
}

/* ---- everything else ---- */

static void spread_all(const step *s)
{
    struct unknown *t = s->w->unknown;
    const enum ptx_op op = s->info->src->op;
    row r;
    gather(s, UINT32_MAX, &r);
    if (op == OP_ADDC || op == OP_SUBC || op == OP_MADC)
        for (uint32_t m = t->cc & s->mask & ~r.lanes; m; m &= m - 1)
            row_lane(&r, first_lane(m), UINT64_MAX, UINT64_MAX, t->cc_from);
    if (ptx_has(s->info->src, S_CC)) {
        t->cc = (t->cc & ~s->mask) | (r.lanes & s->mask);
        if (r.lanes & s->mask) t->cc_from = r.from[first_lane(r.lanes & s->mask)];
    }
    put_results(s, &r);
}

/* ---- moves ---- */

enum { SLOT_BYTES = 512 };

/* Performs the instruction on other operands: the real ones of `values`, and the unknown bits of
 * all others. Results go to scratch memory, operand i's to i * SLOT_BYTES. */
static void perform_aside(const step *s, uint32_t values, uint32_t mod)
{
    warp *w = s->w;
    char *scratch = w->unknown->scratch;
    insn aside = *s->in;
    aside.mod = mod;
    memset(scratch, 0, 8 * SLOT_BYTES);
    for (uint32_t i = 0; i < s->info->refs && i < 8; i++) {
        static const size_t bytes[4] = {4, 128, 256, 512};
        const uint32_t place = s->in->o[i], role = role_of(s, i);
        aside.o[i] = i * SLOT_BYTES;
        if (role == SLOT_UNUSED || place == UINT32_MAX) continue;
        char *to = scratch + (size_t)i * SLOT_BYTES;
        if (values >> i & 1) {
            /* Only 32 bits of a constant are read where the operand has no more. */
            memcpy(to, w->base[place & 1] + place, place & 1 ? 256 : bytes[unknown_class(s->info, place)]);
            continue;
        }
        if (role != USE || place & 1) continue;
        row r;
        const unsigned class = unknown_class(s->info, place);
        if (!get(s, i, &r)) continue;
        for (int l = 0; l < 32 && class; l++) memcpy(to + ((size_t)l << (class + 1)), r.bits[l], (size_t)2 << class);
        if (!class) memcpy(to, &r.lanes, sizeof r.lanes);
    }
    char *regs = w->regs;
    const char *base = w->base[0];
    w->regs = scratch;
    w->base[0] = scratch;
    aside.fn(w, &aside);
    w->regs = regs;
    w->base[0] = base;
}

static void take_aside(const step *s, uint32_t i, const row *sources, const row *control, row *d)
{
    const char *from = s->w->unknown->scratch + (size_t)i * SLOT_BYTES;
    const unsigned class = unknown_class(s->info, s->in->o[i]);
    memset(d, 0, sizeof *d);
    for (int l = 0; l < 32; l++) {
        uint64_t v[2] = {0};
        uint32_t word;
        memcpy(&word, from, sizeof word);
        if (class) memcpy(v, from + ((size_t)l << (class + 1)), (size_t)2 << class);
        else v[0] = word >> l & 1;
        if (control->lanes >> l & 1) row_lane(d, l, UINT64_MAX, UINT64_MAX, control->from[l]);
        else row_lane(d, l, v[0], v[1], sources->from[l]);
    }
}

static void spread_moves(const step *s, uint32_t control)
{
    row sources, unsure, d[8];
    gather(s, ~control, &sources);
    gather(s, control, &unsure);
    if (!sources.lanes && !unsure.lanes) {
        put_results(s, &sources);
        return;
    }
    perform_aside(s, control, s->in->mod);
    for (uint32_t i = 0; i < s->info->refs && i < 8; i++)
        if (role_of(s, i) != USE && role_of(s, i) != SLOT_UNUSED) take_aside(s, i, &sources, &unsure, &d[i]);
    for (uint32_t i = 0; i < s->info->refs && i < 8; i++)
        if (role_of(s, i) != USE && role_of(s, i) != SLOT_UNUSED) put(s, i, &d[i]);
}

/* Between integers bits only move, unless they saturate. */
static void spread_cvt(const step *s)
{
    const ptx_insn *src = s->info->src;
    bool moves = src->type_count == 2 && !ptx_has(src, S_SAT) && s->info->refs == 2;
    for (int i = 0; i < 2 && moves; i++)
        moves = strchr("USB", ptx_types[src->type[i]].kind) && ptx_bits((enum ptx_type)src->type[i]) <= 64;
    if (moves) spread_moves(s, 0);
    else spread_all(s);
}

/* ---- logic ---- */

/* Which bits of a function of three, by truth table, are unknown: those that can be both 0 and 1.
 * v: values, u: their unknown bits. */
static uint64_t by_table(uint8_t table, const uint64_t v[3], const uint64_t u[3])
{
    uint64_t can[2] = {0};
    for (unsigned k = 0; k < 8; k++) {
        uint64_t m = UINT64_MAX;
        for (unsigned i = 0; i < 3; i++) m &= u[i] | (k >> (2 - i) & 1 ? v[i] : ~v[i]);
        can[table >> k & 1] |= m;
    }
    return can[0] & can[1];
}

/* The same for whole predicates, one bit per lane. */
static void put_predicate(const step *s, uint32_t i, uint32_t unknown, const row *sources)
{
    row d;
    memset(&d, 0, sizeof d);
    for (uint32_t m = unknown & s->mask; m; m &= m - 1) row_lane(&d, first_lane(m), 1, 0, sources->from[first_lane(m)]);
    put(s, i, &d);
}

static void spread_logic(const step *s, uint8_t table, uint32_t sources)
{
    row all, r[3], d;
    if (!gather(s, UINT32_MAX, &all)) {
        put_results(s, &all);
        return;
    }
    memset(r, 0, sizeof r);
    for (uint32_t i = 0; i < sources; i++) get(s, i + 1, &r[i]);
    if (s->info->src->type[0] == T_PRED) {
        uint64_t v[3] = {0}, u[3] = {0};
        for (uint32_t i = 0; i < sources; i++) v[i] = predicate(s, place_of(s, i + 1)), u[i] = r[i].lanes;
        put_predicate(s, 0, (uint32_t)by_table(table, v, u), &all);
        return;
    }
    memset(&d, 0, sizeof d);
    for (uint32_t m = all.lanes & s->mask; m; m &= m - 1) {
        const int l = first_lane(m);
        uint64_t v[3] = {0}, u[3] = {0};
        for (uint32_t i = 0; i < sources; i++) v[i] = value_of(s, i + 1, l), u[i] = r[i].bits[l][0];
        row_lane(&d, l, by_table(table, v, u), 0, all.from[l]);
    }
    put(s, 0, &d);
}

static void spread_lop3(const step *s)
{
    if (s->info->refs > 4) spread_all(s); /* it has a predicate result too */
    else spread_logic(s, (uint8_t)s->in->mod, 3);
}

static void spread_cnot(const step *s)
{
    row r, d;
    memset(&d, 0, sizeof d);
    if (get(s, 1, &r))
        for (uint32_t m = r.lanes & s->mask; m; m &= m - 1) {
            const int l = first_lane(m);
            if (!(value_of(s, 1, l) & ~r.bits[l][0])) row_lane(&d, l, 1, 0, r.from[l]);
        }
    put(s, 0, &d);
}

/* Where the condition is unknown, so are the bits in which the two sources differ. */
static void spread_selp(const step *s)
{
    row a, b, p, d;
    const bool wide = s->info->src->type[0] != T_PRED;
    if (!wide) {
        spread_logic(s, spread_rules[OP_SELP].table, 3);
        return;
    }
    const bool any = (uint32_t)get(s, 1, &a) | (uint32_t)get(s, 2, &b) | (uint32_t)get(s, 3, &p);
    memset(&d, 0, sizeof d);
    const uint32_t chosen = any ? predicate(s, place_of(s, 3)) : 0;
    for (int l = 0; l < 32 && any; l++) {
        const uint64_t first = a.bits[l][0], second = b.bits[l][0];
        if (!(s->mask >> l & 1)) continue;
        if (p.lanes >> l & 1) row_lane(&d, l, first | second | (value_of(s, 1, l) ^ value_of(s, 2, l)), 0, p.from[l]);
        else if (chosen >> l & 1) row_lane(&d, l, first, 0, a.from[l]);
        else row_lane(&d, l, second, 0, b.from[l]);
    }
    put(s, 0, &d);
}

/* ---- comparisons: p = compared, combined with c; q = its inverse, combined with c. o[1] and o[2]
 * are compared, o[4] is c ---- */
static void spread_setp(const step *s)
{
    row all, compared, c;
    const uint32_t combine = s->in->mod & CMP_COMBINE;
    if (!gather(s, UINT32_MAX, &all)) {
        put_results(s, &all);
        return;
    }
    gather(s, SLOT(1) | SLOT(2), &compared);
    memset(&c, 0, sizeof c);
    if (combine) get(s, 4, &c);
    const bool two = s->info->refs > 3;
    if (!combine) {
        put_predicate(s, 0, compared.lanes, &all);
        if (two) put_predicate(s, 3, compared.lanes, &all);
        return;
    }
    /* The comparison alone. */
    uint32_t value, with = predicate(s, place_of(s, 4)), unknown[2];
    perform_aside(s, SLOT(1) | SLOT(2), s->in->mod & ~(uint32_t)(CMP_COMBINE | CMP_C_INVERTED));
    for (int q = 0; q < 2; q++) {
        memcpy(&value, s->w->unknown->scratch + (size_t)(q ? 3 : 0) * SLOT_BYTES, sizeof value);
        const uint64_t v[3] = {value, s->in->mod & CMP_C_INVERTED ? ~with : with, 0},
                       u[3] = {compared.lanes, c.lanes, 0};
        unknown[q] = (uint32_t)by_table(combine == CMP_AND ? 0xC0 : combine == CMP_OR ? 0xFC : 0x3C, v, u);
    }
    put_predicate(s, 0, unknown[0], &all);
    put_predicate(s, 3, unknown[1], &all);
}

void unknown_spread(warp *w, const insn *in, uint32_t mask)
{
    const code_module *m = w->worker->launch->code;
    const step s = {w, in, &m->info[in - m->insns], mask};
    const spread_rule *rule = &spread_rules[s.info->src->op];
    static const row known;
    switch ((enum spread_how)rule->how) {
    case SPREAD_UNSAID:
    case SPREAD_ALL: spread_all(&s); return;
    case SPREAD_MOVES: spread_moves(&s, rule->control); return;
    case SPREAD_LOGIC: spread_logic(&s, rule->table, s.info->refs - 1); return;
    case SPREAD_LOP3: spread_lop3(&s); return;
    case SPREAD_SELP: spread_selp(&s); return;
    case SPREAD_SETP: spread_setp(&s); return;
    case SPREAD_CNOT: spread_cnot(&s); return;
    case SPREAD_CVT: spread_cvt(&s); return;
    case SPREAD_MEMORY: put_results(&s, &known); return;
    case SPREAD_MEETS:
    case SPREAD_NOT: return;
    }
}
