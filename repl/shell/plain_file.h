/* plain_file.h: opens files to read that others may have made: a lesson's, a card's, a kernel's. A pipe
 * would make us wait for a writer, and a device may have no end: they are refused. */
#ifndef PLAIN_FILE_H
#define PLAIN_FILE_H

#include <stdio.h>

/* NULL with errno, which is EINVAL for what is no plain file. */
FILE *plain_open(const char *path);
/* Reads all of it and appends a NUL; to be freed. 0, or errno and no text; EFBIG beyond `most` bytes. */
int file_read(const char *path, size_t most, char **text, size_t *bytes);
const char *plain_error(int why); /* that errno, in words */

#endif
