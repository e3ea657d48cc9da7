/* init.c: reads of memory that nobody wrote. */
#include "check.h"
bool init_access(warp *w, const access *a, const pattern *p) { (void)w, (void)a, (void)p; return true; }
void init_launch_start(launch *l) { (void)l; }
bool init_launch_keep(launch *l) { (void)l; return true; }
void init_launch_undo(launch *l) { (void)l; }
void init_block_start(block *b) { (void)b; }
void init_warp_start(warp *w) { (void)w; }
