/* embedded.h: text files built into the program (device headers, card files), by their path in the
 * source tree: "sim/device/warpstep.h", "sim/cards/h200.card". scripts/embed.sh generates the table
 * during make. */
#ifndef EMBEDDED_H
#define EMBEDDED_H

#include <stddef.h>

typedef struct embedded_file {
    const char *name;
    const char *text; /* ends with a NUL that `bytes` does not count */
    size_t bytes;
} embedded_file;

extern const embedded_file embedded_files[]; /* ends with a row whose name is NULL */

#endif
