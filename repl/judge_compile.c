/* judge_compile.c: an answer's text to PTX, and whose fault it is when that fails. */
#include "judge_own.h"
#include "compile.h"
#include <stdlib.h>
#include <string.h>

enum { COMPILE_SECONDS = 60 };

const char *judge_kind_of(const char *compiler)
{
    return !strncmp(compiler, "NVRTC", 5) ? "nvrtc" : !strncmp(compiler, "nvcc", 4) ? "nvcc" : "clang";
}

char *judge_folder_text(judging *k, const char *file, size_t *bytes)
{
    char path[1400], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", k->q->ptx ? k->q->ptx_folder : k->x->dir, file);
    return file_read(path, 8 << 20, &text, bytes) ? NULL : text;
}

/* Inline assembly reaches the PTX as it was written; what reads PTX on a GPU would open files for it. */
static bool reaches_files(const char *ptx)
{
    return strstr(ptx, ".include") || strstr(ptx, ".incbin");
}

bool judge_compile(judging *k)
{
    compile_request q = {.path = k->q->name,
                         .text = k->q->text,
                         .text_bytes = k->q->bytes,
                         .compiler = k->q->compiler,
                         .seconds = COMPILE_SECONDS,
                         .sealed = true};
    compile_result c;
    judge_verdict *v = k->v;
    enum compile_status status = compile_ptx(&q, &c);
    snprintf(v->compiler, sizeof v->compiler, "%s", c.compiler);
    switch (status) {
    case COMPILE_DONE:
        if (reaches_files(c.ptx)) {
            judge_say(v, JUDGE_FAIL, "rejected", "an answer includes no files, from asm neither");
            status = COMPILE_REJECTED;
            break;
        }
        k->ptx = k->owned_ptx = c.ptx;
        k->ptx_bytes = c.ptx_bytes;
        c.ptx = NULL;
        break;
    case COMPILE_REJECTED:
        v->compiler_says = c.messages;
        c.messages = NULL;
        if (c.host_code) {
            judge_say(v, JUDGE_UNJUDGED, "unjudged", "%s takes device code alone, and this answer holds code of the host",
                v->compiler);
            snprintf(v->advice, sizeof v->advice, "Leave that out, or judge it where nvcc or clang is installed.");
            break;
        }
        judge_say(v, JUDGE_FAIL, "rejected", "%s does not accept it", v->compiler[0] ? v->compiler : "the compiler");
        break;
    case COMPILE_NO_COMPILER:
        judge_say(v, JUDGE_UNJUDGED, "no-compiler", "%s", c.problem);
        snprintf(v->advice, sizeof v->advice, "%s", c.advice);
        break;
    case COMPILE_INTERRUPTED: k->interrupted = true; /* fall through */
    default:
        judge_say(v, JUDGE_UNJUDGED, "unjudged", "%s", c.problem);
        snprintf(v->advice, sizeof v->advice, "%s", c.advice);
    }
    compile_free(&c);
    return status == COMPILE_DONE;
}
