/* fail.h: what fail.c and the tests that use it share, in a file that both map. */
#ifndef FAIL_H
#define FAIL_H

#include <stdatomic.h>

enum { FAIL_FRAMES = 24 };
struct fail_page {
    atomic_long count; /* of calls that can fail, so far */
    long at;           /* the number of the one that does; 0: none */
    char what[32];     /* its name, once it has failed */
    char where[1400];  /* and who called: FILE+OFFSET, for addr2line -e FILE OFFSET */
};

#endif
