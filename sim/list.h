/* list.h: how arrays grow, in the simulator, in the CUDA library and in the program around them.
 *
 * `list` is the address of the pointer to the first element: NULL before there is one. New elements
 * are not zeroed. False: out of memory, or too many; the list is then as it was.
 */
#ifndef LIST_H
#define LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_MEMORY "out of memory" /* how every message says so */

/* Room for `need` elements. `room` counts those that there is room for. */
static inline bool list_room(void *list, size_t *room, size_t need, size_t each)
{
    size_t more = *room > 8 ? *room : 8;
    if (need <= *room) return true;
    if (need > SIZE_MAX / 4 / each) return false;
    while (more < need) more *= 2;
    void *at;
    memcpy(&at, list, sizeof at);
    if (!(at = realloc(at, more * each))) return false;
    memcpy(list, &at, sizeof at);
    *room = more;
    return true;
}

/* Room for one element behind `count`, for a list whose room nobody keeps: the next power of two.
 * All of it comes from here, and it is used for lists that seldom become shorter. */
static inline bool list_grow(void *list, size_t count, size_t each)
{
    size_t room = count;
    return (count < 8 ? count != 0 : (count & (count - 1)) != 0) || list_room(list, &room, count + 1, each);
}

#endif
