/* judge_compile.c: compiles an answer to PTX, and decides whose fault a failure is. */
#include "judge_compile.h"
#include "device/compile.h"
#include "shell/language.h"
#include "shell/seal.h"
#include "shell/plain_file.h"
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

/* Inline assembly reaches the PTX unchanged, and the driver would open files for such
 * directives. */
static bool reaches_files(const char *ptx) { return strstr(ptx, ".include") || strstr(ptx, ".incbin"); }

static enum compile_status compile_once(const judging *k, const char *name, const char *text, size_t bytes,
                                        compile_result *c)
{
    const int needs = step_needs(k->x->l, k->x->s).compute;
    compile_request q = {.path = name,
                         .arch = needs > 75 ? needs : 0,
                         .text = text,
                         .text_bytes = bytes,
                         .compiler = k->q->compiler,
                         .seconds = COMPILE_SECONDS,
                         .sealed = true};
    return compile_ptx(&q, c);
}

/* Does the compiler accept our own solution now? Else `why` says what is wrong. */
static bool takes_ours(judging *k, char *why, size_t size)
{
    size_t bytes;
    char *text = judge_folder_text(k, "solution.cu", &bytes), line[320];
    compile_result c;
    snprintf(why, size, "our own solution cannot be read in %.200s", k->x->dir);
    if (!text) return false;
    enum compile_status status = compile_once(k, "solution.cu", text, bytes, &c);
    if (status == COMPILE_REJECTED) compile_blame(&c, "solution.cu", line, sizeof line);
    snprintf(why, size, "%s", status == COMPILE_REJECTED ? line : c.problem);
    k->interrupted = k->interrupted || status == COMPILE_INTERRUPTED;
    compile_free(&c);
    free(text);
    return status == COMPILE_DONE;
}

/* A refusal that blames no line of the answer may come from a shortage (memory, disk). So the
 * answer is refused only if the same compiler then accepts our own solution and refuses the answer
 * a second time. True: it is refused. False: *c is the second result, or the verdict says why there
 * is none. */
static bool is_refused(judging *k, compile_result *c)
{
    judge_verdict *v = k->v;
    char line[320], why[512];
    const char *name = k->q->name, *compiler = v->compiler[0] ? v->compiler : TR("the compiler");
    if (compile_blame(c, name, line, sizeof line) == COMPILE_BLAMES) return true;
    if (!takes_ours(k, why, sizeof why)) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s does not take our own solution either: %s", compiler, why);
        snprintf(v->advice, sizeof v->advice, "%s",
                 TR("See to memory and to room on the disk of temporary files, then judge again."));
        return false;
    }
    compile_free(c);
    if (compile_once(k, name, k->q->text, k->q->bytes, c) != COMPILE_REJECTED) return false;
    if (compile_blame(c, name, line, sizeof line) != COMPILE_KILLED) return true;
    judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s does not come through with it: %s", compiler, line);
    return false;
}

/* Take over the compiler's output. */
static bool take_ptx(judging *k, compile_result *c)
{
    if (reaches_files(c->ptx)) {
        judge_say(k->v, JUDGE_FAIL, REASON_REJECTED, "an answer includes no files, not from asm either");
        return false;
    }
    k->ptx = k->owned_ptx = c->ptx;
    k->ptx_bytes = c->ptx_bytes;
    c->ptx = NULL;
    return true;
}

/* A lesson of strangers brings a solution of its own. Files need not be hidden from a simulated kernel, which opens
 * none, nor from a compiler that starts nothing of what it compiles. */
bool judge_refuses(judging *k)
{
    const bool shut = seal_calls() && !(k->x->kind->form->opens_files && seal_files() == SEAL_FILES_OPEN);
    if (!k->x->own || k->app->unsealed || shut) return false;
    judge_say(k->v, JUDGE_UNJUDGED, REASON_UNJUDGED,
              "this lesson did not come with warpstep, and nothing shuts its code in here");
    snprintf(k->v->advice, sizeof k->v->advice, "%s",
             TR("`doctor` says what is missing. If you trust the lesson: --unsealed."));
    return true;
}

bool judge_compile(judging *k)
{
    compile_result c;
    judge_verdict *v = k->v;
    bool good = false;
    if (judge_refuses(k)) return false;
    compile_once(k, k->q->name, k->q->text, k->q->bytes, &c);
    snprintf(v->compiler, sizeof v->compiler, "%s", c.compiler);
    const bool refused = c.status == COMPILE_REJECTED && !c.host_code && is_refused(k, &c);
    switch (v->reason ? COMPILE_NO_COMPILER : c.status) {
    case COMPILE_DONE: good = take_ptx(k, &c); break;
    case COMPILE_REJECTED:
        v->compiler_says = c.messages;
        c.messages = NULL;
        if (refused) {
            judge_say(v, JUDGE_FAIL, REASON_REJECTED, "%s does not accept it",
                      v->compiler[0] ? v->compiler : TR("the compiler"));
            break;
        }
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED,
                  "%s takes device code alone, and this answer holds code of the host", v->compiler);
        snprintf(v->advice, sizeof v->advice, "%s",
                 TR("Leave that out, or judge it where nvcc or clang is installed."));
        break;
    default:
        k->interrupted = k->interrupted || c.status == COMPILE_INTERRUPTED;
        if (v->reason) break; /* the verdict has been set */
        judge_say(v, JUDGE_UNJUDGED, c.status == COMPILE_NO_COMPILER ? REASON_NO_COMPILER : REASON_UNJUDGED, "%s",
                  c.problem);
        snprintf(v->advice, sizeof v->advice, "%s", c.advice);
    }
    compile_free(&c);
    return good;
}
