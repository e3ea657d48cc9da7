/* slow_paths.c: the slow paths of quotients, roots and reciprocals: for zero, infinity, and what is
 * near them.
 *
 * An exact one is several instructions (sequences.c), with a test among them: are all numbers
 * ordinary? If not, in any lane, a routine is called that finds out what to do, and does it. It
 * takes several times as long, and a zero among the numerators is enough. So the clock looks at the
 * numbers: an instruction with slow paths ends what is performed at once (clock.c), and the steps
 * of a path follow when a lane takes it.
 *
 * The tests and the routines are those of ptxas 13 for compute 9.0, as far as these numbers go
 * through them. The letters are those of sequences.c, and 'r' goes back to where a register says.
 * Nothing comes between an instruction of a routine and the next that needs its result, so each
 * waits for the one before where a capital says so. micro.txt has rows for each: quotients take 200
 * to 430 clocks more, roots and reciprocals 80 to 130.
 */
#include "rules.h"
#include "exec/lanes.h"
#include "ptxas.h"

enum slow_path { WAY_DIV, WAY_DIV_FAR, WAY_RCP, WAY_SQRT, WAY_DIV_64, WAY_SQRT_64, WAYS };
enum { RETURN = 4 /* branches take as long */ };

static const char *const sequences[WAYS] = {
    [WAY_DIV] = "vbisiviiIipPIbppPBPBpppBpPBibyvr",
    /* with exponents near the ends of the range (div_32) */
    [WAY_DIV_FAR] = "vbisiviiIipPIbppPBPBpppBpPBpPBpIfIfiiviiimfFFFfiiFIiIPBPBPBiffffiipiIPiIPIIIIIbybyvr",
    [WAY_RCP] = "vbiIPBiPBmbVvr",
    [WAY_SQRT] = "vbPIbivvr",
    [WAY_DIV_64] = "vvvbpiiviIvmDDDviiDipiDPviipiiDpIDidipDBiidiiIpBiDipIIBiiDbvr",
    [WAY_SQRT_64] = "vvvvvvbpvvBdPBiDVr",
};

/* The slow paths of an instruction: the first, and how many follow each other; 0: it has none. */
static uint32_t ways_of(const ptx_insn *in, enum slow_path *first)
{
    const bool exact = ptx_has(in, S_RN) || ptx_has(in, S_RZ) || ptx_has(in, S_RM) || ptx_has(in, S_RP);
    const enum ptx_type type = in->type_count ? (enum ptx_type)in->type[0] : T_NONE;
    const int bits = exact && ptx_types[type].kind == 'F' ? ptx_bits(type) : 0;
    if (bits != 32 && bits != 64) return 0;
    switch (in->op) {
    case OP_DIV: *first = bits == 64 ? WAY_DIV_64 : WAY_DIV; return bits == 64 ? 1 : 2;
    case OP_RCP: *first = WAY_RCP; return bits == 64 ? 0 : 1;
    case OP_SQRT: *first = bits == 64 ? WAY_SQRT_64 : WAY_SQRT; return 1;
    default: return 0;
    }
}

static uint32_t length_of(enum slow_path way) { return (uint32_t)strlen(sequences[way]); }

uint32_t slow_path_count(const code_module *m, uint32_t pc)
{
    enum slow_path way = WAYS;
    uint32_t count = 0;
    if (rule_left_out(RULE_slow_paths)) return 0;
    for (uint32_t k = ways_of(m->info[pc].src, &way), i = 0; i < k; i++) count += length_of((enum slow_path)(way + i));
    return count;
}

void slow_path_steps(step *s, const code_module *m, uint32_t pc, const sim_timing *t)
{
    enum slow_path way = WAYS;
    for (uint32_t k = ways_of(m->info[pc].src, &way), i = 0; i < k; i++)
        for (const char *l = sequences[way + i]; *l; l++, s++) {
            const bool returns = *l == 'r', needed = l[1] >= 'A' && l[1] <= 'Z';
            *s = (step){.pc = pc};
            sequence_cost(s, returns ? 'b' : *l, t);
            if (returns) s->latency *= RETURN;
            /* a predicate is ready sooner for what makes another of it */
            if (needed && !s->branch)
                s->stall = (*l | 32) == 'p' && l[1] == 'P' ? clocks_of(t->latency + t->issue) : s->latency;
        }
}

/* ---- which path the numbers at hand take: a bit for each lane ---- */

static uint32_t div_32(const warp *w, const insn *in, bool far)
{
    const uint32_t *a = SRC(uint32_t, in->o[1]), *b = SRC(uint32_t, in->o[2]);
    uint32_t lanes = 0;
    for (int l = 0; l < 32; l++) {
        const uint32_t x = a[l] & 0x7fffffffu, y = b[l] & 0x7fffffffu;
        const int32_t i = (int32_t)(x >> 23), k = (int32_t)(y >> 23);
        const bool plain = !x || !y || i == 255 || k == 255; /* zero, infinity, not a number: nothing to divide */
        const bool reached = far ? !plain && (i < 25 || !k || k > 252 || i - k > 125 || i - k < -125) : plain;
        lanes |= (uint32_t)reached << l;
    }
    return lanes & w->mask;
}

static uint32_t of_one(const warp *w, const insn *in, enum slow_path way)
{
    const uint32_t *a = SRC(uint32_t, in->o[1]);
    uint32_t lanes = 0;
    for (int l = 0; l < 32; l++)
        lanes |= (uint32_t)(way == WAY_SQRT ? a[l] - 0x0d000000u > 0x727fffffu
                                            : ((a[l] + 0x1800000u) & 0x7f800000u) <= 0x1ffffffu)
                 << l;
    return lanes & w->mask;
}

static uint32_t of_64(const warp *w, const insn *in, enum slow_path way)
{
    const uint64_t *a = SRC(uint64_t, in->o[1]), *b = way == WAY_DIV_64 ? SRC(uint64_t, in->o[2]) : a;
    uint32_t lanes = 0;
    for (int l = 0; l < 32; l++) {
        const uint32_t x = (uint32_t)(a[l] >> 32), y = (uint32_t)(b[l] >> 32) & 0x7fffffffu;
        /* the exponent of the quotient, or one less */
        const int32_t quotient = (int32_t)((x & 0x7fffffffu) >> 20) - (int32_t)(y >> 20) + 1023;
        const bool reached = way == WAY_SQRT_64 ? x - 0x03500000u >= 0x7ca00000u
                                                : (x & 0x7fffffffu) < 0x03600000u || y >= 0x7f800000u || quotient < 2;
        lanes |= (uint32_t)reached << l;
    }
    return lanes & w->mask;
}

uint32_t slow_path_taken(const warp *w, const code_module *m, uint32_t pc, uint32_t *from)
{
    enum slow_path way = WAYS;
    uint32_t lanes = UINT32_MAX;
    if (!m->info[pc].real) { /* a guard */
        lanes = pred_get(w, m->insns[pc].o[0]) ^ (m->insns[pc].mod ? UINT32_MAX : 0);
        pc++;
    }
    const insn *in = &m->insns[pc];
    if (!ways_of(m->info[pc].src, &way)) return 0;
    *from = 0;
    if (way == WAY_DIV) {
        if (div_32(w, in, true) & lanes) {
            *from = length_of(WAY_DIV);
            return length_of(WAY_DIV_FAR);
        }
        return div_32(w, in, false) & lanes ? length_of(WAY_DIV) : 0;
    }
    return (way == WAY_RCP || way == WAY_SQRT ? of_one(w, in, way) : of_64(w, in, way)) & lanes ? length_of(way) : 0;
}
