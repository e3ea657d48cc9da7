/* registers.c: how many registers per thread the machine code of a function would need.
 *
 * PTX has unlimited registers; ptxas assigns the card's own. The estimate is the largest number of
 * 32-bit registers live at once, corrected for how ptxas differs from the text:
 * - Parameters, constants and the sizes and numbers of blocks are operands of instructions and take
 *   no registers. Neither do pointers made from them by cvta, nor places in local memory, which are
 *   offsets from the stack.
 * - Newer compilers move the loads of a block up to the previous store or barrier, so that they
 *   overlap, if registers are left for that. What ptxas takes lies between two orders: that of
 *   schedule.c, with each value live from its first instruction to its last, and one that saves
 *   registers (put_lean). A 64-bit value takes two.
 * - Where nothing is waited for, and the saving order needs at most 32, ptxas needs at most 32.
 * - Where a few more than 32 would do, ptxas moves less and stays within 32, with which all threads
 *   of a multiprocessor fit. Of the kernels here that would be 33 to 40 it gives all but one 32 or
 *   fewer (tests/fidelity/registers.sh). The exception: where values live across blocks take most
 *   of them.
 * - One register holds the stack. A function with calls follows the calling convention, which takes
 *   24.
 *
 * A kernel that moves registers between its warps (setmaxnreg) begins with as many as its largest
 * block can have.
 *
 * At worst the estimate was 2.65 times what ptxas gave (hold96 of kernels/06-memory: ptxas adds up the
 * numbers as they arrive). So a launch is not refused for registers that only the estimate asks for:
 * see code_registers_least.
 *
 * On cards with 32-bit addresses instructions, and so live ranges, stay as written:
 * - What PTX holds in 64 bits is an address, and takes one register.
 * - A comparison leaves condition codes, which cost nothing but cannot be combined. To combine two,
 *   it leaves a mask of ones or zeros in an ordinary register.
 */
#include "rules.h"
#include "registers.h"

enum { WITH_CALLS = 24, BESIDE = 5, FEWEST = 8, ALL_FIT = 32, NEARLY = 40, FEW_STAY = 24, STACK = 1, FEWEST_32 = 2 };

/* Reads a number that is the same for the whole block, and lies with the parameters or in a uniform
 * register. */
static bool reads_block_number(const builder *b, const node *n)
{
    return n->fn == b->ops->sreg && (n->mod == SR_NTID || n->mod == SR_NCTAID || n->mod == SR_CTAID);
}

enum { KNOWN = 1, LOCAL_PLACE = 2 };

static bool names_local(const ptx_insn *in)
{
    return in->op == OP_MOV && in->operand_count == 2 && in->operand[1].kind == O_VAR &&
           in->operand[1].var->space == SPACE_LOCAL;
}
static bool adds_constant(const ptx_insn *in)
{
    return in->op == OP_ADD && in->operand_count == 3 && in->operand[2].kind == O_INT;
}

/* Registers whose only definition is a parameter, a constant, a number of the block, or a place in
 * local memory. */
static uint8_t *operands_of(const builder *b)
{
    uint8_t *operand = arena_array(b->scratch, (size_t)b->reg_count + 1, 1),
            *defs = arena_array(b->pass, (size_t)b->reg_count + 1, 1);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < b->node_count; i++) {
            const node *n = &b->nodes[i];
            bool number = reads_block_number(b, n);
            if ((!n->real && !number) || !n->src || n->removed) continue;
            bool constant = number || (n->src->op == OP_LD && ptx_has(n->src, S_PARAM)),
                 moved = n->src->op == OP_MOV || n->src->op == OP_CVTA;
            bool known = true, any = false, local = names_local(n->src);
            for (uint32_t s = 0; s < n->ref_count; s++) {
                if (n->refs[s].role == DEF) continue;
                if (n->refs[s].ref >= 0) known = known && operand[n->refs[s].ref];
                if (n->refs[s].ref >= 0) local = operand[n->refs[s].ref] == LOCAL_PLACE;
                any = any || n->refs[s].ref != REF_NONE;
            }
            constant = (constant || ((moved || (local && adds_constant(n->src))) && any && known)) && !n->guarded;
            for (uint32_t s = 0; s < n->ref_count; s++) {
                int32_t r = n->refs[s].ref;
                if (r < 0 || n->refs[s].role == USE || n->refs[s].role == SLOT_UNUSED) continue;
                if (pass == 0 && defs[r] < 2) defs[r]++;
                if (constant && defs[r] == 1) operand[r] = local ? LOCAL_PLACE : KNOWN;
            }
        }
    for (uint32_t r = 0; r < b->reg_count; r++) operand[r] = operand[r] && defs[r] == 1;
    return operand;
}

int *build_words(builder *b, bool addresses_32)
{
    const int width[4] = {0, 1, addresses_32 ? 1 : 2, 4};
    int *words = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *words);
    if (!b->operand) b->operand = operands_of(b);
    for (uint32_t r = 0; r < b->reg_count; r++) words[r] = b->operand[r] ? 0 : width[live_width(b->reg_type[r])];
    return words;
}

/* Each value counts from its first instruction to its last. */
static int most_held(builder *b, const live_interval *v, uint32_t count, const int *words)
{
    int32_t *delta = arena_array(b->pass, (size_t)b->node_count + 2, sizeof *delta);
    for (uint32_t i = 0; i < count; i++) {
        const int c = words[v[i].reg];
        delta[v[i].from] += c;
        delta[v[i].to] -= c; /* the last reader may write its result there */
    }
    int now = 0, most = 0;
    for (uint32_t i = 0; i < b->node_count; i++) {
        now += delta[i];
        if (now > most) most = now;
    }
    return most;
}

/* The most registers live from one block to the next. */
static int most_between(const builder *b, const int *words)
{
    int *of = arena_array(b->pass, (size_t)b->live_words * 64 + 1, sizeof *of), most = 0;
    for (uint32_t r = 0; r < b->reg_count; r++)
        if (b->global[r] >= 0) of[b->global[r]] = words[r];
    for (uint32_t k = 0; k < b->block_count; k++) {
        int now = 0;
        for (uint32_t g = 0; g < 64 * b->live_words; g++)
            now += b->live_in[(size_t)k * b->live_words + g / 64] >> g % 64 & 1 ? of[g] : 0;
        if (now > most) most = now;
    }
    return most;
}

/* The block has only arithmetic on integers and single precision: no result takes long. */
static bool waits_for_nothing(const builder *b, uint32_t block)
{
    for (uint32_t i = b->blocks[block].first; i <= b->blocks[block].last; i++) {
        const node *n = &b->nodes[i];
        if (n->kind != NODE_PLAIN || n->removed || n->cls == SIM_CLASS_CONSTANT) continue;
        if (n->real && (!class_computes((enum sim_class)n->cls) || n->cls == SIM_CLASS_SPECIAL ||
                        n->cls == SIM_CLASS_INT_DIV || n->cls == SIM_CLASS_FP64))
            return false;
    }
    return true;
}

static int estimate(builder *b, const live_interval *v, uint32_t count)
{
    const int *words = build_words(b, false);
    const int some = (most_held(b, v, count, words) + b->lean) / 2 + BESIDE, all = (some + 1) / 2 * 2;
    if (all <= ALL_FIT || rule_left_out(RULE_snap)) return all;
    if (b->lean + STACK <= ALL_FIT && waits_for_nothing(b, b->lean_block)) return ALL_FIT;
    return all <= NEARLY && most_between(b, words) <= FEW_STAY ? ALL_FIT : all;
}

/* ---- cards with 32-bit addresses ---- */

static bool is_predicate(const builder *b, const node_ref *r)
{
    return r->ref >= 0 && !live_width(b->reg_type[r->ref]);
}

/* How many machine registers each register takes there. */
static int *words_32(builder *b)
{
    int *words = build_words(b, true);
    for (uint32_t i = 0; i < b->node_count; i++) {
        const node *n = &b->nodes[i];
        int predicates = 0;
        for (uint32_t s = 0; s < n->ref_count; s++) predicates += is_predicate(b, &n->refs[s]);
        for (uint32_t s = 0; s < n->ref_count && predicates > 1; s++)
            if (is_predicate(b, &n->refs[s])) words[n->refs[s].ref] = 1;
    }
    return words;
}

/* Walks up each block: live after an instruction are its results and what is read later. Registers
 * of one block are not live at its ends. */
static int most_alive_32(const builder *b, const int *words)
{
    uint8_t *alive = arena_array(b->pass, (size_t)b->reg_count + 1, 1);
    uint32_t *reg_of = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *reg_of);
    int most = 0;
    for (uint32_t r = 0; r < b->reg_count; r++)
        if (b->global[r] >= 0) reg_of[b->global[r]] = r;
    for (uint32_t k = 0; k < b->block_count; k++) {
        const uint64_t *in_set = b->live_in + (size_t)k * b->live_words,
                       *out_set = b->live_out + (size_t)k * b->live_words;
        int now = 0;
        for (uint32_t w = 0; w < b->live_words; w++)
            for (uint32_t bit = 0; out_set[w] && bit < 64; bit++) {
                if (!(out_set[w] >> bit & 1)) continue;
                alive[reg_of[64 * w + bit]] = 1;
                now += words[reg_of[64 * w + bit]];
            }
        for (uint32_t i = b->blocks[k].last + 1; i-- > b->blocks[k].first;) {
            const node *n = &b->nodes[i];
            int here = now; /* counts results that are never read */
            for (uint32_t s = 0; s < n->ref_count; s++) {
                const int32_t r = n->refs[s].ref;
                if (r < 0 || n->refs[s].role != DEF) continue;
                if (alive[r]) now -= words[r];
                else here += words[r];
                alive[r] = 0;
            }
            if (here > most) most = here;
            for (uint32_t s = 0; s < n->ref_count; s++) {
                const int32_t r = n->refs[s].ref;
                if (r < 0 || n->refs[s].role == DEF || n->refs[s].role == SLOT_UNUSED || alive[r]) continue;
                alive[r] = 1;
                now += words[r];
            }
        }
        for (uint32_t w = 0; w < b->live_words; w++)
            for (uint32_t bit = 0; in_set[w] && bit < 64; bit++)
                if (in_set[w] >> bit & 1) alive[reg_of[64 * w + bit]] = 0;
    }
    return most;
}

/* What ptxas gives each thread of a kernel with setmaxnreg: all that its launch bounds allow. 0: they
 * do not say. */
static int shared_out(const builder *b)
{
    enum { ALL = 65536, UNIT = 8, MOST = 255 }; /* compute 9.0 */
    const ptx_func *f = b->func;
    const uint32_t *bounds = f->reqntid[0] ? f->reqntid : f->maxntid;
    bool moves = false;
    for (uint32_t i = 0; i < b->node_count; i++) {
        const node *n = &b->nodes[i];
        moves = moves || (n->real && n->src && n->src->op == OP_SETMAXNREG);
    }
    if (!moves || (!bounds[0] && !f->maxnreg)) return 0;
    if (f->maxnreg) return f->maxnreg < MOST ? (int)f->maxnreg : MOST;
    uint64_t threads = f->minnctapersm ? f->minnctapersm : 1;
    for (int i = 0; i < 3; i++) threads *= bounds[i] ? bounds[i] : 1;
    const uint64_t each = ALL / threads / UNIT * UNIT;
    return each > MOST ? MOST : each < UNIT ? UNIT : (int)each;
}

void build_registers(builder *b, const live_interval *v, uint32_t count)
{
    bool calls = false;
    for (uint32_t i = 0; i < b->node_count; i++) calls = calls || b->nodes[i].kind == NODE_CALL;
    b->cf->registers = estimate(b, v, count);
    const int shared = shared_out(b);
    if (shared) b->cf->registers = shared, b->cf->registers_known = true;
    if (b->cf->registers < FEWEST) b->cf->registers = FEWEST;
    if (calls && b->cf->registers < WITH_CALLS) b->cf->registers = WITH_CALLS;
    b->cf->registers_32 = most_alive_32(b, words_32(b));
    if (b->cf->registers_32 < FEWEST_32) b->cf->registers_32 = FEWEST_32;
}

/* What the kernel's own bounds leave for a thread: .maxnreg, and of .maxntid threads so many blocks must fit that
 * .minnctapersm says. The compiler keeps to that and spills what does not fit. 0: it has no bounds. */
static int most_allowed(const ptx_func *f, const sim_card *c)
{
    const uint32_t *size = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint64_t threads = size[0], blocks = f->minnctapersm ? f->minnctapersm : 1;
    int most = (int)(f->maxnreg < 256 ? f->maxnreg : 0);
    for (int i = 1; i < 3; i++) threads *= size[i] ? size[i] : 1;
    uint64_t warps = (threads + 31) / 32;
    if (c->cc_major == 1) warps += warps % 2; /* as they are given out, occupancy.c */
    warps *= blocks;
    if (!warps || warps > (uint64_t)c->registers_per_mp / 32 / FEWEST_32) return most;
    const int each = c->registers_per_mp / 32 / (int)warps / 8 * 8; /* a warp's registers come in units */
    return most && most < each ? most : each;
}

static int within_limits(const code_func *f, const sim_card *c, int registers)
{
    const int allowed = most_allowed(f->src, c), most = c->max_registers_per_thread;
    if (allowed && allowed < registers) registers = allowed;
    return most && most < registers ? most : registers;
}

int code_registers(const code_func *f, const sim_card *c)
{
    return within_limits(f, c, c->cc_major == 1 ? f->registers_32 : f->registers);
}

int code_registers_least(const code_func *f, const sim_card *c)
{
    enum { WORST = 265 /* percent of ptxas's, of 501 kernels: tests/fidelity/registers.sh holds it to that */ };
    const int estimate = c->cc_major == 1 ? f->registers_32 : f->registers,
              fewest = c->cc_major == 1 ? FEWEST_32 : FEWEST;
    if (c->cc_major != 1 && f->registers_known) return code_registers(f, c);
    const int least = (100 * estimate + WORST - 1) / WORST;
    return within_limits(f, c, least < fewest ? fewest : least);
}
