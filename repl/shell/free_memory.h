/* free_memory.h: how much memory this computer has to spare. */
#ifndef ROOM_H
#define ROOM_H

#include <stdint.h>

/* Bytes that this process could still take without pushing out others: what the system has
 * available, less where a limit of the process or of its group of processes (a container's) is
 * nearer. */
uint64_t room_now(void);
uint64_t room_at_start(void); /* the same when it was first asked for: what is decided by it stays so */

#endif
