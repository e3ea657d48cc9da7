/* Fuzz entry: any bytes as a lesson.txt must give a lesson or an error, and nothing else. */
#include "../../repl/step.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lesson *l;
    lesson_error err;
    if (lesson_parse(&l, "lesson.txt", (const char *)data, size, &err)) {
        if (!err.message[0])
            abort(); /* a failure must say what was expected */
        return 0;
    }
    lesson_check(l, &err);
    lesson_free(l);
    return 0;
}
