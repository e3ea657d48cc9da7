/* program.c: the machine code, as steps along with the code that runs.
 *
 * A warp runs ahead of its time. All instructions up to the next event (`act`), whose effect others
 * could see, are performed at once, which is fast; their steps are then issued one by one at their
 * times. So each pc knows where such a stretch ends and which steps belong to it.
 */
#include "ptxas.h"
#include <stdlib.h>

bool program_reads_clock(const code_module *m, uint32_t pc, const exec_table *ops)
{
    if (m->insns[pc].fn != ops->sreg) return false;
    switch (m->insns[pc].mod) {
    case SR_CLOCK:
    case SR_CLOCK_HI:
    case SR_CLOCK64:
    case SR_GLOBALTIMER:
    case SR_GLOBALTIMER_LO:
    case SR_GLOBALTIMER_HI: return true;
    default: return false;
    }
}

static enum act act_of(const code_module *m, uint32_t pc, const exec_table *ops)
{
    const code_info *info = &m->info[pc];
    if (!info->real)
        return info->cls == SIM_CLASS_BRANCH ? ACT_LEAVE : program_reads_clock(m, pc, ops) ? ACT_LOCAL : ACT_RUN;
    if (class_computes((enum sim_class)info->cls)) return ACT_RUN;
    switch ((enum sim_class)info->cls) {
    /* lanes may want different constants */
    case SIM_CLASS_CONSTANT:
        return m->insns[pc].space == SPACE_CONST && m->insns[pc].o[4] != UINT32_MAX ? ACT_LOCAL : ACT_RUN;
    case SIM_CLASS_BRANCH: return ACT_LEAVE;
    case SIM_CLASS_CALL: return m->insns[pc].fn == ops->builtin ? ACT_GLOBAL : ACT_LEAVE;
    case SIM_CLASS_SHARED_LOAD:
    case SIM_CLASS_SHARED_STORE: return m->insns[pc].space == SPACE_CLUSTER ? ACT_GLOBAL : ACT_LOCAL;
    case SIM_CLASS_BARRIER: return ptx_has(info->src, S_CLUSTER) ? ACT_GLOBAL : ACT_LOCAL;
    case SIM_CLASS_FENCE:
    case SIM_CLASS_WARP: return ACT_LOCAL;
    case SIM_CLASS_TENSOR:
        return m->info[pc].matrix || m->info[pc].src->op != OP_WMMA || m->insns[pc].space == SPACE_SHARED ? ACT_LOCAL
                                                                                                          : ACT_GLOBAL;
    case SIM_CLASS_ATOMIC: return m->insns[pc].space == SPACE_SHARED ? ACT_LOCAL : ACT_GLOBAL;
    default: return ACT_GLOBAL;
    }
}

/* Loads and stores that nobody waits or watches for, and what lanes of a warp exchange. Nobody
 * whose accesses are in order can tell when exactly they happen. */
static bool is_plain(const code_module *m, uint32_t pc)
{
    switch ((enum sim_class)m->info[pc].cls) {
    case SIM_CLASS_GLOBAL_LOAD:
    case SIM_CLASS_GLOBAL_STORE:
    case SIM_CLASS_LOCAL:
    case SIM_CLASS_CONSTANT:
    case SIM_CLASS_SHARED_LOAD:
    case SIM_CLASS_SHARED_STORE: return (m->insns[pc].order & ORDER_MASK) == ORDER_WEAK;
    case SIM_CLASS_WARP: return true;
    default: return false;
    }
}

bool program_reaches_all(const code_module *m, uint32_t pc, const exec_table *ops)
{
    return act_of(m, pc, ops) == ACT_GLOBAL;
}

/* Registers are numbered densely: predicates, then 128-byte places. */
static uint16_t number(const code_func *f, uint32_t place)
{
    uint32_t flat = (FRAME_HEADER + 4 * (uint32_t)f->regp + 127) & ~127u;
    return (uint16_t)(place < flat ? (place - FRAME_HEADER) / 4 : (uint32_t)f->regp + (place - flat) / 128);
}

static void name_place(step *s, const code_info *info, uint32_t place, uint8_t role, uint32_t *registers)
{
    if (place == UINT32_MAX || place & 1 || place < FRAME_HEADER) return;
    uint16_t n = number(info->func->code, place);
    if (n + 1u > *registers) *registers = n + 1u;
    if ((role == USE || role == USE_DEF) && s->sources < 8) s->source[s->sources++] = n;
    if ((role == DEF || role == USE_DEF) && s->targets < 8) s->target[s->targets++] = n;
}

/* Of a warpgroup's product all but D: what waits for D are waits (clock/issue.c). */
static void name_product(step *s, const code_info *info, const insn *in, uint32_t *registers)
{
    const uint32_t *list = info->refs > 8 ? in->ext : in->o;
    const uint8_t *roles = info->refs > 8 ? info->roles : info->role;
    for (uint32_t i = 0; i < info->refs; i++)
        name_place(s, info, list[i], roles[i] == USE ? USE : SLOT_UNUSED, registers);
}

/* Matrices have more operands than a step has room for. Those of one matrix come together, so some
 * of them stand for all. */
static void name_some(step *s, const code_info *info, const insn *in, uint8_t role, uint32_t *registers)
{
    const uint32_t *list = in->ext;
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < info->refs; i++) count += info->roles[i] == role;
    const uint32_t most = count < 8 ? count : 8;
    for (uint32_t i = 0, k = 0; i < info->refs && at < most; i++)
        if (info->roles[i] == role && k++ == at * count / most) {
            name_place(s, info, list[i], role, registers);
            at++;
        }
}

void program_names(step *s, const code_module *m, uint32_t pc, uint32_t *registers)
{
    const code_info *info = &m->info[pc];
    if (info->cls == SIM_CLASS_TENSOR && info->real && info->src->op == OP_WGMMA) {
        name_product(s, info, &m->insns[pc], registers);
        return;
    }
    if (info->cls == SIM_CLASS_TENSOR && info->refs > 8) {
        name_some(s, info, &m->insns[pc], DEF, registers);
        name_some(s, info, &m->insns[pc], USE, registers);
        return;
    }
    for (uint32_t i = 0; i < info->places; i++) name_place(s, info, m->insns[pc].o[i], info->role[i], registers);
}

static step *new_step(program *p, uint32_t pc)
{
    step *s = &p->steps[p->count++];
    memset(s, 0, sizeof *s);
    s->pc = pc;
    return s;
}

/* All steps of an instruction wait for its guard. */
static void name_all(step *s, program *p, const code_module *m, uint32_t pc, uint32_t guard)
{
    program_names(s, m, pc, &p->registers);
    if (guard != pc) program_names(s, m, guard, &p->registers);
    if (ptx_carries(m->info[pc].src)) s->source[s->sources++] = p->carry;
    if (ptx_has(m->info[pc].src, S_CC)) s->target[s->targets++] = p->carry;
}

/* Instructions that are several, with no branch among them: a compiler puts others between them. So
 * nobody waits for the first ones, and the result is there when they have taken their times one
 * after the other. */
static void make_interleaved(program *p, const step *names, const char *sequence, const sim_timing *t)
{
    uint32_t chain = 0, offset = 0, unit_free[UNITS] = {0};
    step *last = NULL;
    for (const char *l = sequence; *l; l++) {
        step *s = new_step(p, names->pc);
        sequence_cost(s, *l, t);
        if (offset < unit_free[s->unit]) offset = unit_free[s->unit];
        unit_free[s->unit] = offset + s->busy;
        if (*l != 'v') {
            memcpy(s->source, names->source, sizeof s->source);
            s->sources = names->sources;
            const uint32_t begin = *l >= 'A' && *l <= 'Z' && chain > offset ? chain : offset;
            if (begin + s->latency > chain) chain = begin + s->latency;
            last = s;
            last->latency = chain - offset;
        }
        offset += s->slot;
    }
    memcpy(last->target, names->target, sizeof last->target);
    last->targets = names->targets;
}

/* The divisor alone, and the guard. */
static void name_divisor(step *s, program *p, const code_module *m, uint32_t pc, uint32_t guard)
{
    name_place(s, &m->info[pc], m->insns[pc].o[2], USE, &p->registers);
    if (guard != pc) program_names(s, m, guard, &p->registers);
}

/* Others: one register stands for all that passes from one to the next. */
static void make_sequence(program *p, const code_module *m, uint32_t pc, uint32_t guard, const char *sequence,
                          const sim_timing *t)
{
    step names = {.pc = pc}, *last = NULL;
    name_all(&names, p, m, pc, guard);
    if (!strpbrk(sequence, "sbBy")) {
        make_interleaved(p, &names, sequence, t);
        return;
    }
    bool found = false;
    for (const char *l = sequence; *l; l++) {
        const bool meets = *l == 's' || *l == 'y', branch = *l == 'b' || *l == 'B', check = *l == 'k' || *l == 'o';
        found |= *l == '!';
        if (*l == '!' || *l == '.' || (meets && p->alike[pc])) continue;
        step *s = new_step(p, pc);
        sequence_cost(s, *l, t);
        if (*l == 'v' || meets) continue;
        if (branch) {
            s->source[s->sources++] = p->check;
        } else if (l[1] == '.') {
            name_divisor(s, p, m, pc, guard);
        } else {
            memcpy(s->source, names.source, sizeof s->source);
            s->sources = names.sources;
        }
        if (!branch) s->target[s->targets++] = check ? p->check : p->chain;
        if (!branch && !check && !found) last = s;
        if (*l >= 'A' && *l <= 'Z') s->source[s->sources++] = p->chain;
    }
    if (!last) return;
    memcpy(last->target, names.target, sizeof last->target);
    last->targets = names.targets;
}

/* The steps of what stands at `pc`; `guard` is the pc of its guard, or pc itself. */
static void make_steps(program *p, const code_module *m, uint32_t pc, uint32_t guard, const sim *card,
                       sequence_constants *constants)
{
    const sim_timing *t = &card->card.timing;
    const char *sequence = sequence_of(p, m, pc, card);
    for (uint32_t moves = m->schedules && t->units == 2 ? sequence_moves(constants, m, pc) : 0; moves; moves--)
        sequence_cost(new_step(p, pc), 'v', t);
    if (sequence) {
        make_sequence(p, m, pc, guard, sequence, t);
        return;
    }
    step *s = new_step(p, pc);
    cost_estimate(s, m, pc, t);
    name_all(s, p, m, pc, guard);
    step second = {.pc = pc};
    if (!cost_second(&second, m, pc, t)) return;
    /* the product has a register of its own, which the addition reads */
    uint16_t product = (uint16_t)p->registers++;
    step *then = new_step(p, pc);
    *then = second;
    memcpy(then->target, s->target, sizeof then->target);
    then->targets = s->targets;
    memcpy(then->source, s->source, sizeof then->source);
    then->sources = s->sources;
    then->source[then->sources++] = product;
    s->target[0] = product;
    s->targets = 1;
}

/* An instruction waits for what it reads, not for what it overwrites. Two values that share a place
 * here (code/liveness.c) need not share a register in ptxas, which uses others for what is still on
 * the way. */
static void name_needs(step *s, uint16_t always_ready)
{
    uint16_t need[9];
    int n = 0;
    for (int i = 0; i < s->sources; i++) {
        int k = 0;
        while (k < n && need[k] != s->source[i]) k++;
        if (k == n) need[n++] = s->source[i];
    }
    for (int i = 0; i < 4; i++) s->need[i] = i < n ? need[i] : always_ready;
    for (int i = 4; i < n; i++) s->needs[s->more++] = need[i];
}

/* What issuing reads, from what cost.c and combine.c decided. */
static void finish(step *s, uint32_t registers)
{
    name_needs(s, (uint16_t)registers);
    for (int i = 0; i < 2; i++) s->into[i] = i < s->targets ? s->target[i] : (uint16_t)(registers + 1);
    s->result = key_of(s->latency, (enum sim_stall)s->cause);
    s->next = s->stall > s->slot ? s->stall : s->slot;
    s->simple = !(s->branch || s->turn || s->port || s->puts_off || s->free) && !s->more && s->targets <= 2;
}

/* Lanes reconverge at this ENTER. Waits there are booked on the next instruction. */
static void make_meeting(program *p, const code_module *m, uint32_t pc, const sim_timing *t)
{
    uint32_t at = pc;
    while (at < m->blocks[m->info[pc].block].last && !m->info[at].real) at++;
    step *s = new_step(p, at);
    sequence_cost(s, 'y', t);
    s->slot = clocks_of(t->meet_issue);
    s->latency = clocks_of(t->meet_latency);
}

static bool is_guard(const code_module *m, uint32_t pc)
{
    return pc + 1 < m->count && m->info[pc + 1].guarded && !m->info[pc].real;
}

/* Room for so many more steps, and one after them. False: out of memory. */
static bool make_room(program *p, uint32_t more)
{
    if (p->room - p->count > more) return true;
    const uint32_t room = p->room + p->room / 4 + more + 1;
    step *steps = host_lines(room, sizeof *steps);
    if (!steps) return false;
    if (p->count) memcpy(steps, p->steps, p->count * sizeof *steps);
    free(p->steps);
    p->steps = steps;
    p->room = room;
    return true;
}

/* The slow paths, after all other steps. */
static bool make_odd(program *p, const code_module *m, const sim *card)
{
    for (uint32_t pc = 0; pc < m->count; pc++) {
        const bool here = m->info[pc].real && p->reached[m->info[pc].func->index];
        const uint32_t count = here && sequence_of(p, m, pc, card) ? slow_path_count(m, pc) : 0;
        if (!count) continue;
        if (!make_room(p, count)) return false;
        p->slow[pc - (pc && is_guard(m, pc - 1))] = p->count;
        slow_path_steps(p->steps + p->count, m, pc, &card->card.timing);
        p->count += count;
    }
    return true;
}

uint8_t *program_entries(const code_module *m, const program *p, const exec_table *ops)
{
    uint8_t *entered = calloc((size_t)m->count + 1, 1);
    for (uint32_t pc = 0; entered && pc < m->count; pc++) {
        const insn *in = &m->insns[pc];
        if (p && p->first[pc] < p->first[pc + 1] && p->steps[p->first[pc]].free) continue;
        if (in->fn == ops->branch || in->fn == ops->jump) {
            const uint32_t to = (uint32_t)(insn_target(in) - m->insns);
            if (to < m->count && entered[to] < 2) entered[to]++;
        } else if (in->fn == ops->jump_table) {
            const uint32_t *list = in->ext;
            for (uint32_t i = 0; i < in->mod; i++) entered[list[i]] = 2;
        }
    }
    return entered;
}

/* By function: the kernel may come there. */
static uint8_t *find_reached(const code_module *m, const code_func *kernel)
{
    uint8_t *reached = calloc((size_t)m->ptx->func_count + 1, 1);
    int *list = malloc(((size_t)m->ptx->func_count + 1) * sizeof *list);
    if (reached && list) code_reach(m->ptx, kernel->src, reached, list);
    free(list);
    if (list) return reached;
    free(reached);
    return NULL;
}

/* The most steps of one instruction: with the moves of its constants, the second part of a product,
 * and a reconvergence. */
static uint32_t most_steps(const program *p, const code_module *m, uint32_t pc, const sim *card)
{
    const char *sequence = sequence_of(p, m, pc, card);
    return 2 + SEQUENCE_MOVES + (sequence ? (uint32_t)strlen(sequence) : 0) + p->meets[pc];
}

bool program_make(program *p, const code_module *m, const sim *card, const code_func *kernel)
{
    const sim_timing *t = &card->card.timing;
    memset(p, 0, sizeof *p);
    const size_t n = (size_t)m->count + 2;
    sequence_constants constants = {0};
    p->narrow = narrow_find(m);
    if (!p->narrow) return false;
    p->alike = uniform_find(m, card->ops);
    p->meets = p->alike ? meet_find(m, p->alike, card) : NULL;
    p->entered = program_entries(m, NULL, card->ops);
    if (!p->meets || !p->entered) return false;
    p->reached = find_reached(m, kernel);
    p->first = calloc(n, sizeof *p->first);
    p->stop = calloc(n, sizeof *p->stop);
    p->act = calloc(n, 1);
    p->slow = calloc(n, sizeof *p->slow);
    p->length = calloc(n, 1);
    p->plain = calloc(n, sizeof *p->plain);
    p->over = calloc(n, sizeof *p->over);
    if (!p->reached || !p->first || !p->stop || !p->act || !p->slow || !p->length || !p->plain || !p->over)
        return false;
    for (uint32_t pc = 0; pc < m->count; pc++) /* first, so that temporary registers come after these */
        for (step names = {0}; names.pc == 0; names.pc = 1) program_names(&names, m, pc, &p->registers);
    uint32_t real = 0;
    for (uint32_t pc = 0; pc < m->count; pc++) real += m->info[pc].real && p->reached[m->info[pc].func->index];
    if (!make_room(p, real + real / 4)) return false; /* most are one step; unused room takes no memory */
    p->chain = (uint16_t)p->registers++;
    p->check = (uint16_t)p->registers++;
    p->carry = (uint16_t)p->registers++;
    for (uint32_t pc = 0; pc < m->count; pc++) {
        p->first[pc] = p->count;
        p->length[pc] = 1;
        p->act[pc] = ACT_LEAVE;
        if (!p->reached[m->info[pc].func->index]) {
            p->meets[pc] = false;
            continue;
        }
        if (!make_room(p, most_steps(p, m, pc, card) + (pc + 1 < m->count ? most_steps(p, m, pc + 1, card) : 0)))
            return false;
        p->act[pc] = (uint8_t)act_of(m, pc, card->ops);
        p->plain[pc] = m->info[pc].real && is_plain(m, pc);
        if (m->info[pc].real || program_reads_clock(m, pc, card->ops)) {
            make_steps(p, m, pc, pc, card, &constants);
            if (m->info[pc].joined) { /* one access: the others are performed with the first one */
                step *s = &p->steps[p->count - 1];
                uint32_t first = pc, last = pc + m->info[pc].joined - 1u;
                s->joined_bytes = m->info[pc].joined_bytes;
                p->length[first] = m->info[first].joined;
                while (pc < last) {
                    program_names(s, m, ++pc, &p->registers);
                    p->act[pc] = p->act[first];
                    p->length[pc] = 1;
                    p->first[pc] = p->count;
                }
            }
        } else if (is_guard(m, pc)) {
            p->act[pc] = (uint8_t)act_of(m, pc + 1, card->ops);
            p->plain[pc] = is_plain(m, pc + 1);
            p->length[pc] = 2;
            make_steps(p, m, pc + 1, pc, card, &constants);
            pc++;
            p->act[pc] = p->act[pc - 1];
            p->length[pc] = 1;
            p->first[pc] = p->count;
        } else if (p->meets[pc]) {
            make_meeting(p, m, pc, t);
        }
    }
    for (uint32_t pc = m->count; pc < n; pc++) {
        p->first[pc] = p->count;
        p->act[pc] = ACT_LEAVE;
        p->stop[pc] = m->count;
    }
    if (!make_odd(p, m, card)) return false;
    for (uint32_t pc = m->count; pc-- > 0;) p->stop[pc] = p->act[pc] == ACT_RUN && !p->slow[pc] ? p->stop[pc + 1] : pc;
    cost_fold(p, m, t);
    if (m->schedules && (!combine_steps(p, m, card) || !control_codes_make(p, m, card))) return false;
    meet_drop(p, m, card->ops);
    if (m->schedules && !hoist_mark(p, m, card->ops)) return false;
    if (!register_reads_count(p, m, t)) return false;
    for (uint32_t i = 0; i < p->count; i++) finish(&p->steps[i], p->registers);
    p->registers += 2;
    return true;
}

bool program_copy(program *p, const program *from)
{
    *p = *from;
    p->steps = host_lines((size_t)from->count + 1, sizeof *p->steps);
    if (p->steps) memcpy(p->steps, from->steps, from->count * sizeof *p->steps);
    return p->steps;
}

size_t program_most_registers(const code_module *m)
{
    int most = 0;
    for (int i = 0; i < m->ptx->func_count; i++)
        if (m->ptx->funcs[i]->reg_count > most) most = m->ptx->funcs[i]->reg_count;
    return (size_t)most + 1;
}

void program_free(program *p)
{
    free(p->steps);
    free(p->first);
    free(p->stop);
    free(p->act);
    free(p->slow);
    free(p->length);
    free(p->plain);
    free(p->over);
    free(p->narrow);
    free(p->alike);
    free(p->meets);
    free(p->entered);
    free(p->reached);
}
