/* init.c: reads of memory that nobody wrote. */
#include "check.h"
bool init_access(warp *w, const access *a, const pattern *p) { (void)w, (void)a, (void)p; return true; }
void init_launch_start(launch *l) { (void)l; }
bool init_launch_keep(launch *l) { (void)l; return true; }
void init_launch_undo(launch *l) { (void)l; }
void init_block_start(block *b) { (void)b; }
void init_warp_start(warp *w) { (void)w; }

/* Local memory that the machine itself writes (returned values) or copies (arguments of calls). */
void init_local_set(warp *w, int lane, uint32_t offset, uint32_t bytes)
{
    uint64_t at = (uint64_t)lane * w->local_stride + offset;
    for (uint32_t i = 0; i < bytes; i++) w->local_init[(at + i) / 64] |= UINT64_C(1) << ((at + i) % 64);
}

void init_local_copy(warp *w, int lane, uint32_t to, uint32_t from, uint32_t bytes)
{
    uint64_t base = (uint64_t)lane * w->local_stride;
    for (uint32_t i = 0; i < bytes; i++) {
        uint64_t bit = w->local_init[(base + from + i) / 64] >> ((base + from + i) % 64) & 1;
        w->local_init[(base + to + i) / 64] &= ~(UINT64_C(1) << ((base + to + i) % 64));
        w->local_init[(base + to + i) / 64] |= bit << ((base + to + i) % 64);
    }
}
