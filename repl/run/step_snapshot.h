/* step_snapshot.h: a step that is one launch of a program, run again alone (step_snapshot.c, in the
 * child). An int is 0 or an exit status after writing a problem. */
#ifndef STEP_SNAPSHOT_H
#define STEP_SNAPSHOT_H

#include "sim.h"

struct runner;
int snapshot_open(struct runner *k);     /* loads its module, with its variables where they were */
int snapshot_buffers(struct runner *k);  /* its memory, as it was before the launch; its textures */
int snapshot_put_back(struct runner *k); /* that memory again, before a second run */
void snapshot_params(const struct runner *k, unsigned char *block);
void snapshot_launch_as(const struct runner *k, sim_launch *l);

#endif
