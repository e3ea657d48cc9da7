/* free_memory.h: how much memory this computer can spare. */
#ifndef FREE_MEMORY_H
#define FREE_MEMORY_H

#include <stdint.h>

/* Bytes that this process could allocate without forcing out other programs: what the system has
 * available, or less where a limit of the process or of its control group (a container's) is
 * tighter. */
uint64_t room_now(void);
/* The share of a control group in that: what the groups listed in a file like /proc/self/cgroup have left, and those
 * above them. UINT64_MAX: no limit. */
uint64_t room_of_groups(const char *list, const char *mounts);
uint64_t room_at_start(void); /* as of the first call, so that decisions made by it do not change during a session */

#endif
