/* faults.h: what a launch did wrong: the fault that ends it, notes, and the place and the thread of each. */
#ifndef SIM_FAULTS_H
#define SIM_FAULTS_H

#include "machine/machine.h"

bool fault_log_start(launch *l); /* false: out of memory */
void fault_log_reset(launch *l);
void fault_log_finish(launch *l);
void fault_place(const launch *l, uint32_t pc, sim_place *out);                       /* the place in the program */
void fault_place_in(const struct sim_module *m, uint32_t pc, sim_place *out);         /* all but the kernel */
void fault_thread(const launch *l, uint64_t linear, uint32_t thread, sim_place *out); /* the thread there */
void fault_thread_in(const uint32_t grid[3], const uint32_t of[3], uint64_t linear, uint32_t thread, sim_place *out);
void fault_note(launch *l, const sim_fault *f, uint32_t pc, uint32_t other_pc,
                uint64_t linear); /* folded; does not stop */
/* A note, not a fault, about what those lanes do at `in`. */
void fault_remark(const warp *w, const insn *in, enum sim_fault_kind kind, uint32_t lanes, const char *advice,
                  const char *fmt, ...) SIM_PRINTF(6, 7);
/* How far apart the two threads of a race are. Of the races at the same two instructions the widest
 * is reported, and the widest of all comes first. */
enum race_scope { RACE_WARP, RACE_BLOCK, RACE_BLOCKS };
void fault_note_race(launch *l, const sim_fault *f, enum race_scope scope, uint32_t pc, uint32_t other_pc,
                     uint64_t linear);
void fault_count(launch *l, enum sim_fault_kind kind, uint32_t pc, uint32_t other_pc,
                 uint64_t times); /* the same finding, `times` more */
/* "element 5 of buffer 0 (byte 20)": what lies at an address of a space, in elements of `unit`
 * bytes */
void fault_what(const warp *w, uint8_t space, uint64_t address, uint32_t unit, char *out, size_t size);
void fault_part_name(const shared_part *p, char *out, size_t size); /* "shared tile", "the block's shared memory" */

/* Records a fault; returns NULL, which ends the run loop. lane: the first lane at fault, -1: the first active
 * one. */
const insn *fault_raise(warp *w, const insn *in, enum sim_fault_kind kind, int lane, uint32_t lanes, const char *space,
                        uint64_t address, uint32_t size, const char *fmt, ...) SIM_PRINTF(9, 10);
/* The instruction that is performed has a fault, for the film of it, if there is one. */
void fault_filmed(launch *l, enum sim_fault_kind kind, int lane, uint64_t address, uint32_t size);
/* The pc of the fault that ended the launch, and what a film says of it. UINT32_MAX: there is none. */
uint32_t fault_ended_at(const launch *l, sim_film_found *found);

#endif
