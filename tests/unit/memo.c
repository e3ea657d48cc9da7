/* memo.c: the stored result of a run. If any byte of the file is changed, cut off or added, the
 * file is ignored. */
#include "run/step.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(const char *path, const char *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, bytes, f) != bytes) check(false, "the test's own file");
    if (f) fclose(f);
}

/* What is read back: 1 the answer, 0 nothing, -1 a damaged file, -2 something else. */
static int read_back(const char *path, const char *answer)
{
    size_t bytes;
    bool damaged;
    char *got = step_memo_read(path, &bytes, &damaged);
    int what = !got ? damaged ? -1 : 0 : bytes == strlen(answer) && !memcmp(got, answer, bytes) ? 1 : -2;
    free(got);
    return what;
}

int main(void)
{
    static const char answer[] =
        "card 8800gt 1 1 16 14 768 8 16384 8192\ncycles 66048\nverdict 1 0 0 1 0 0 0 0 0 0 0 0\ncomplete 1\n";
    char path[400], whole[1000];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.300s/memo", folder && *folder ? folder : "/tmp");
    unlink(path);
    check(read_back(path, answer) == 0, "nothing is there yet");
    step_memo_write(path, answer, strlen(answer));
    check(read_back(path, answer) == 1, "what was written is read");
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(whole, 1, sizeof whole, f) : 0;
    if (f) fclose(f);
    int changed = 0, cut = 0;
    for (size_t at = 0; at < n; at++) {
        for (int bit = 0; bit < 8; bit++) {
            whole[at] = (char)(whole[at] ^ 1 << bit);
            put(path, whole, n);
            changed += read_back(path, answer) == -1;
            whole[at] = (char)(whole[at] ^ 1 << bit);
        }
        put(path, whole, at);
        cut += read_back(path, answer) == -1;
    }
    check(n > strlen(answer) && changed == 8 * (int)n, "any bit changed is seen");
    check(cut == (int)n, "any end cut off is seen");
    memcpy(whole + n, "x", 2);
    put(path, whole, n + 1);
    check(read_back(path, answer) == -1, "a byte more is seen");
    put(path, answer, strlen(answer));
    check(read_back(path, answer) == -1, "a file without its sum, as older programs wrote it");
    step_memo_write(path, answer, strlen(answer));
    check(read_back(path, answer) == 1, "written anew it is read again");
    step_memo_write(path, "", 0);
    check(read_back(path, "") == 1, "an empty answer");
    unlink(path);
    return check_end();
}
