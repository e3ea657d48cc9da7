/* occupancy.c: how many blocks of a launch a multiprocessor can hold at once, and which limit
 * decides.
 *
 * Threads and registers are allocated per warp, registers in units (on compute 1.x per block, for
 * an even number of warps). Shared memory is allocated per block in units; newer cards reserve a
 * part.
 */
#include "run.h"

static uint64_t round_up(uint64_t n, int unit)
{
    return unit > 1 ? (n + (uint64_t)unit - 1) / (uint64_t)unit * (uint64_t)unit : n;
}

const char *sim_limit_name(enum sim_limit l)
{
    static const char *const names[SIM_LIMITS] = {"threads", "blocks", "registers", "shared memory"};
    return l < SIM_LIMITS ? names[l] : "?";
}

static int at_most(uint64_t n) { return n > 1 << 20 ? 1 << 20 : (int)n; }

void occupancy_find(const sim_card *c, uint64_t threads, int registers, uint64_t shared, sim_occupancy *out)
{
    memset(out, 0, sizeof *out);
    uint64_t warps = (threads + 31) / 32, room = (uint64_t)c->max_threads_per_mp / 32;
    if (c->max_warps_per_mp && room > (uint64_t)c->max_warps_per_mp) room = (uint64_t)c->max_warps_per_mp;
    out->threads = at_most(threads);
    out->warps_per_block = at_most(warps);
    out->max_warps = at_most(room);
    out->registers = registers < 1 ? 1
                     : c->max_registers_per_thread && registers > c->max_registers_per_thread
                         ? c->max_registers_per_thread
                         : registers;
    if (!warps) return;
    out->fit[SIM_LIMIT_THREADS] = at_most(room / warps);
    out->fit[SIM_LIMIT_BLOCKS] = c->max_blocks_per_mp;
    uint64_t file = (uint64_t)c->registers_per_mp, each = (uint64_t)out->registers * 32;
    out->fit[SIM_LIMIT_REGISTERS] =
        at_most(c->cc_major == 1 ? file / round_up(round_up(warps, 2) * each, c->register_unit)
                                 : file / round_up(each, c->register_unit) / warps);
    uint64_t used = round_up(shared + (uint64_t)c->shared_reserved, c->shared_unit);
    out->shared_bytes = at_most(used);
    out->fit[SIM_LIMIT_SHARED] = used ? at_most((uint64_t)c->shared_per_mp / used) : 1 << 20;
    for (int i = 1; i < SIM_LIMITS; i++)
        if (out->fit[i] < out->fit[out->limit]) out->limit = (enum sim_limit)i;
    out->blocks = out->fit[out->limit];
    out->warps = out->blocks * out->warps_per_block;
}

void occupancy_estimated(const sim_card *c, uint64_t threads, int estimate, int least, uint64_t shared,
                         sim_occupancy *out)
{
    occupancy_find(c, threads, estimate, shared, out);
    if (!threads || least < 1) return;
    for (int n = out->registers; !out->fit[SIM_LIMIT_REGISTERS] && n-- > least;) {
        sim_occupancy fewer;
        occupancy_find(c, threads, n, shared, &fewer);
        if (!fewer.fit[SIM_LIMIT_REGISTERS]) continue;
        fewer.estimate = out->registers;
        *out = fewer;
    }
}

/* Groups of multiprocessors: the full ones, those with two fewer, and what is left. */
uint32_t occupancy_gpc_size(const sim_card *c, uint32_t g)
{
    const uint32_t all = (uint32_t)c->multiprocessors, full = (uint32_t)c->gpc_multiprocessors;
    if (!full || full >= all) return g ? 0 : all;
    const uint32_t many = c->gpc_full && (uint32_t)c->gpc_full * full <= all ? (uint32_t)c->gpc_full : all / full,
                   less = full > 2 ? full - 2 : full;
    if (g < many) return full;
    const uint64_t before = (uint64_t)many * full + (uint64_t)(g - many) * less;
    return before >= all ? 0 : all - before < less ? (uint32_t)(all - before) : less;
}

uint32_t occupancy_gpcs(const sim_card *c)
{
    uint32_t n = 0;
    while (occupancy_gpc_size(c, n)) n++;
    return n;
}

/* Neighbouring pairs go to the groups in turn, while these have room. */
void occupancy_gpc_of(const sim_card *c, uint32_t *of)
{
    const uint32_t all = (uint32_t)c->multiprocessors, n = occupancy_gpcs(c);
    uint32_t at = 0;
    for (uint32_t turn = 0; at < all; turn++)
        for (uint32_t g = 0; g < n; g++)
            for (uint32_t k = 2 * turn; k < 2 * turn + 2 && k < occupancy_gpc_size(c, g); k++) of[at++] = g;
}

int sim_occupancy_clusters(const sim_card *c, int blocks, int size)
{
    int n = 0;
    for (uint32_t g = 0; size > 0 && g < occupancy_gpcs(c); g++)
        n += (int)((int64_t)occupancy_gpc_size(c, g) * blocks / size);
    return n;
}

void sim_occupancy_of(const sim_card *card, const sim_kernel *k, const uint32_t grid[3], const uint32_t size[3],
                      uint32_t dynamic_shared, sim_occupancy *out)
{
    uint64_t threads = 1, blocks = 1, shared = (uint64_t)k->shared_bytes + dynamic_shared;
    bool refused = shared > (uint64_t)card->shared_per_block;
    for (int i = 0; i < 3; i++) {
        threads = threads > 1u << 20 ? threads : threads * size[i];
        blocks = blocks > UINT64_C(1) << 32 ? blocks : blocks * grid[i];
    }
    refused = refused || !blocks || !threads || threads > (uint64_t)card->max_threads_per_block;
    if (refused) {
        memset(out, 0, sizeof *out);
        return;
    }
    occupancy_estimated(card, threads, k->registers, k->registers_least, shared, out);
    uint64_t mps = (uint64_t)card->multiprocessors, fullest = (blocks + mps - 1) / mps;
    if (fullest > (uint64_t)out->blocks) fullest = (uint64_t)out->blocks;
    out->busy_multiprocessors = at_most(blocks < mps ? blocks : mps);
    out->grid_warps = at_most(fullest * (uint64_t)out->warps_per_block);
}
