/* session_kernels.c: the texts of a step's kernel. What is built in has its PTX beside it, pinned. A
 * kernel of the author's own lesson that has none is compiled now, once for each text of it, by
 * whichever compiler is here. */
#include "session.h"
#include "session_answer.h"
#include "session_job.h"
#include "device/compile.h"
#include "shell/plain_file.h"
#include <stdlib.h>
#include <string.h>

struct made_ptx {
    struct made_ptx *next;
    char path[1400], compiler[160];
    int arch;
    char *source, *ptx;
    size_t ptx_bytes;
};

void session_made_free(struct app *app)
{
    for (struct made_ptx *m = app->lesson->made, *next; m; m = next) {
        next = m->next;
        free(m->source);
        free(m->ptx);
        free(m);
    }
    app->lesson->made = NULL;
    free(app->lesson->witness);
    app->lesson->witness = NULL;
}

static struct made_ptx *made_of(struct app *app, const char *path, int arch, const char *source)
{
    struct made_ptx *m = app->lesson->made;
    while (m && (strcmp(m->path, path) || m->arch != arch || (source && strcmp(m->source, source)))) m = m->next;
    return m;
}

/* The compute capability to compile for: the usual one, or what the step needs. */
static int arch_of(const lesson *l, const lesson_step *s)
{
    const int needs = step_needs(l, s).compute;
    return needs > 75 ? needs : 75;
}

const char *session_made_by(struct app *app, const lesson_step *s)
{
    char path[1400], name[160], ptx[1400];
    const lesson *l = app->lesson->l;
    if (!l || !l->own || !s->kernel_file || !step_job(s)->kind->compiled_alone ||
        !step_ptx_name(s, name, sizeof name) || lesson_file(l, name, ptx, sizeof ptx) ||
        !lesson_file(l, s->kernel_file, path, sizeof path))
        return NULL;
    const struct made_ptx *m = made_of(app, path, arch_of(l, s), NULL);
    return m ? m->compiler : NULL;
}

static int not_made(struct app *app, const char *path, const compile_result *c)
{
    const char *next = c->advice[0] ? c->advice : NULL;
    if (c->messages && *c->messages) {
        fflush(app->out);
        fputs(c->messages, app->err);
        if (c->messages[strlen(c->messages) - 1] != '\n') fputc('\n', app->err);
    }
    switch (c->status) {
    case COMPILE_REJECTED: return app_fail(app, EXIT_CHECK, NULL, "%s does not compile (%s)", path, c->compiler);
    case COMPILE_INTERRUPTED: return app_fail(app, EXIT_INTERRUPT, NULL, "%s", c->problem);
    case COMPILE_NO_COMPILER:
        return app_fail(app, EXIT_DEVICE, next, "%s has no .ptx beside it, and there is no compiler to make it. %s",
                        path, c->problem);
    default: return app_fail(app, EXIT_INTERNAL, next, "%s", c->problem);
    }
}

/* The PTX of an author's kernel that has none. */
static int make_ptx(struct app *app, const lesson_step *s, char **text, size_t *bytes, char *shown, size_t size)
{
    const lesson *l = app->lesson->l;
    char path[1400], *source;
    size_t source_bytes;
    if (!lesson_file(l, s->kernel_file, path, sizeof path))
        return app_fail(app, EXIT_USAGE, "check-lessons", "%s of step %s is not in %s", s->kernel_file, s->name,
                        l->own_kernels);
    int failure = file_read(path, 8 << 20, &source, &source_bytes);
    if (failure) return app_fail(app, EXIT_INTERNAL, "doctor", "%s cannot be read: %s", path, plain_error(failure));
    const int arch = arch_of(l, s);
    struct made_ptx *m = made_of(app, path, arch, source);
    int status = 0;
    if (!m) {
        const compile_request q = {.path = path, .text = source, .text_bytes = source_bytes, .arch = arch};
        compile_result c;
        compile_ptx(&q, &c);
        if (c.status != COMPILE_DONE) status = not_made(app, path, &c);
        else if (!(m = calloc(1, sizeof *m))) status = app_no_memory(app);
        if (m) {
            snprintf(m->path, sizeof m->path, "%s", path);
            snprintf(m->compiler, sizeof m->compiler, "%s", c.compiler);
            m->arch = arch;
            m->source = source;
            m->ptx = c.ptx;
            m->ptx_bytes = c.ptx_bytes;
            m->next = app->lesson->made;
            app->lesson->made = m;
            source = NULL;
            c.ptx = NULL;
        }
        compile_free(&c);
    }
    free(source);
    if (status) return status;
    if (!(*text = malloc(m->ptx_bytes + 1))) return app_no_memory(app);
    memcpy(*text, m->ptx, m->ptx_bytes);
    (*text)[m->ptx_bytes] = 0;
    *bytes = m->ptx_bytes;
    step_ptx_name(s, shown, size);
    return 0;
}

int session_kernel_text(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown,
                        size_t size)
{
    *text = NULL;
    *bytes = 0;
    return session_job(s)->text(app, s, ptx, text, bytes, shown, size);
}

int usual_text(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown, size_t size)
{
    const lesson *l = app->lesson->l;
    char name[160], path[1400];
    const struct session_answer *answer = session_answer_here(app);
    if (answer && (*text = session_answer_text(answer, s, ptx, bytes, shown, size))) return 0;
    if (answer) return app_no_memory(app);
    if (!s->kernel_file) return app_fail(app, EXIT_USAGE, "next", "step %s runs no kernel", s->name);
    if (ptx) step_ptx_name(s, name, sizeof name);
    else snprintf(name, sizeof name, "%s", s->kernel_file);
    const bool there = lesson_file(l, name, path, sizeof path);
    if (ptx && l->own && !there) return make_ptx(app, s, text, bytes, shown, size);
    if (!there)
        return app_fail(app, EXIT_INTERNAL, "doctor", "%s of step %s is neither in %s nor in %s", name, s->name,
                        l->own_kernels, l->kernels);
    int failure = file_read(path, 8 << 20, text, bytes);
    if (failure) return app_fail(app, EXIT_INTERNAL, "doctor", "%s cannot be read: %s", path, strerror(failure));
    const char *root = app->root ? app->root : "";
    size_t n = strlen(root);
    snprintf(shown, size, "%s", n && !strncmp(path, root, n) && path[n] == '/' ? path + n + 1 : path);
    return 0;
}

int session_witness(struct app *app, const lesson_step *s, step_request *q)
{
    struct lesson_state *st = app->lesson;
    char shown[256];
    for (int i = 0; i < s->right_count; i++) {
        if (s->right[i].witness < 0) continue;
        free(st->witness);
        st->witness = NULL;
        int status = session_kernel_text(app, &st->l->step[s->right[i].witness], true, &st->witness, &q->witness_bytes,
                                         shown, sizeof shown);
        q->witness = st->witness;
        return status;
    }
    return 0;
}
