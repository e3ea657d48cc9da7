/* free_memory.h: how much memory this computer can spare. */
#ifndef ROOM_H
#define ROOM_H

#include <stdint.h>

/* Bytes that this process could allocate without forcing out other programs: what the system has
 * available, or less where a limit of the process or of its control group (a container's) is
 * tighter. */
uint64_t room_now(void);
uint64_t room_at_start(void); /* as of the first call, so that decisions made by it do not change during a session */

#endif
