/* plain_file.c: see plain_file.h. */
#include "plain_file.h"
#include "language.h"
#include "list.h"

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

int file_read(const char *path, size_t most, char **text, size_t *bytes)
{
    FILE *f = plain_open(path);
    size_t room = 0, n = 1;
    int failure = f ? 0 : errno ? errno : EIO;
    *text = NULL;
    *bytes = 0;
    while (!failure && n > 0) {
        if (!list_room(text, &room, *bytes + 4096, 1)) {
            failure = ENOMEM;
            break;
        }
        *bytes += n = fread(*text + *bytes, 1, room - *bytes - 1, f);
        failure = *bytes > most ? EFBIG : !n && ferror(f) ? (errno ? errno : EIO) : 0;
    }
    if (f) fclose(f);
    if (!failure) {
        (*text)[*bytes] = 0;
        return 0;
    }
    free(*text);
    *text = NULL;
    *bytes = 0;
    return failure;
}

const char *plain_error(int why) { return why == EINVAL ? TR("it is no plain file") : strerror(why); }
