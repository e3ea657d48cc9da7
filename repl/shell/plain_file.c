/* plain_file.c: see plain_file.h. */
#include "plain_file.h"
#include "language.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *plain_open(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* opening a pipe would wait */
    if (fd < 0) return NULL;
    int why = fstat(fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : S_ISREG(st.st_mode) ? 0 : EINVAL;
    FILE *f = why ? NULL : fdopen(fd, "rb");
    if (!f) {
        why = why ? why : errno;
        close(fd);
        errno = why;
    }
    return f;
}

const char *plain_error(int why) { return why == EINVAL ? TR("it is no plain file") : strerror(why); }
