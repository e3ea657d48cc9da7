/* race.c: accesses that nothing orders. */
#include "check.h"
void race_access(warp *w, const access *a, const pattern *p) { (void)w, (void)a, (void)p; }
bool race_launch_start(launch *l, int workers) { (void)l, (void)workers; return true; }
void race_launch_finish(launch *l) { (void)l; }
bool race_block_start(block *b) { (void)b; return true; }
void race_block_end(block *b) { (void)b; }
void watch_block_barrier(block *b, uint32_t id, const uint32_t *lanes_by_warp, bool everyone) { (void)b, (void)id, (void)lanes_by_warp, (void)everyone; }
void watch_barrier_arrive(warp *w, uint32_t id) { (void)w, (void)id; }
void watch_warp_barrier(warp *w, uint32_t lanes) { (void)w, (void)lanes; }
void watch_fence(warp *w, const insn *in, uint32_t scope) { (void)w, (void)in, (void)scope; }
