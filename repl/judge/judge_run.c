/* judge_run.c: one run of an answer, and the verdict on its result. */
#include "judge_run.h"
#include "shell/format.h"
#include "shell/language.h"
#include "course/reference.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_SECONDS = 120, CHAINS_SLOWER = 10 };

void judge_describe(const judging *k, const judge_input *in, char *out, size_t size)
{
    const exercise *x = k->x;
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < x->l->setting_count && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s = %lld", i ? ", " : "", x->l->setting[i].name,
                              (long long)in->values.value[i]);
    if (in->fill >= 0 && n < size)
        n += (size_t)snprintf(out + n, size - n, TR("%s%s filled with %s"), n ? ", " : "",
                              x->s->buffer[x->fill[in->fill].buffer].name, x->fill[in->fill].shown);
    const fill_generator *g = in->fill >= 0 ? &fill_generators[x->fill[in->fill].as.fill] : NULL;
    bool known = !g || g->parameter || x->fill[in->fill].as.fill <= FILL_FORMULA || !strchr(g->about, ' ');
    if (!known && n < size) /* our own name for a fill needs an explanation */
        snprintf(out + n, size - n, " (%s)", g->about);
}

const lesson_step *judge_step_with(const exercise *x, int fill, lesson_step *s, lesson_buffer *buffers)
{
    if (fill < 0) return x->s;
    *s = *x->s;
    memcpy(buffers, x->s->buffer, (size_t)x->s->buffer_count * sizeof *buffers);
    s->buffer = buffers;
    const exercise_fill *f = &x->fill[fill];
    buffers[f->buffer].fill = f->as.fill;
    buffers[f->buffer].parameter = f->as.parameter;
    buffers[f->buffer].value = f->as.value;
    return s;
}

void judge_step_request(judging *k, step_request *q, const lesson_step *s, const step_values *values)
{
    *q = (step_request){.l = k->x->l,
                        .s = s,
                        .values = *values,
                        .device = k->device,
                        .card_text = k->card,
                        .ptx = k->ptx,
                        .ptx_bytes = k->ptx_bytes,
                        .seed = k->v->seed,
                        .host_threads = 1,
                        .limit = k->device.kind == DEVICE_SIM ? RUN_SECONDS : k->app->limit, /* a GPU has no budget */
                        .checks = SIM_CHECK_ALL,
                        .sealed = k->device.kind == DEVICE_SIM, /* CUDA needs threads and address space */
                        .exact = true,
                        .budget = (uint64_t)(k->x->budget ? k->x->budget : JUDGE_BUDGET)};
    snprintf(q->ptx_name, sizeof q->ptx_name, "%s", k->q->name);
}

static void put_element(char *out, size_t size, const verdict *d, bool ours)
{
    if (d->exact_integers) snprintf(out, size, "%lld", (long long)(ours ? d->ours_integer : d->reference_integer));
    else format_exact(out, size, ours ? d->ours : d->reference, 9);
}

/* Run again to find the thread that wrote the wrong element. True: no thread did. */
static bool find_writer(judging *k, const step_request *q, const step_result *r)
{
    step_request again = *q;
    step_result seen;
    again.find_writer = true;
    again.untimed = true;
    again.writer_buffer = k->x->s->right[r->right].ours.buffer;
    again.writer_element = r->verdict.first;
    const bool ran = !step_run(&again, &seen) && !seen.problem[0];
    if (ran && seen.has_writer) {
        k->v->has_writer = true;
        k->v->line = seen.writer_line;
        memcpy(k->v->writer_block, seen.writer_block, sizeof k->v->writer_block);
        memcpy(k->v->writer_thread, seen.writer_thread, sizeof k->v->writer_thread);
    }
    const bool nobody = ran && !seen.has_writer && k->device.kind == DEVICE_SIM; /* a GPU does not report who writes */
    step_result_free(&seen);
    return nobody;
}

static void wrong(judging *k, const step_request *q, const step_result *r)
{
    judge_verdict *v = k->v;
    if (r->right >= k->x->s->right_count) { /* the child says so */
        judge_say(v, JUDGE_FAIL, REASON_WRONG, "wrong");
        return;
    }
    const lesson_right *right = &k->x->s->right[r->right];
    const verdict *d = &r->verdict;
    put_element(v->got, sizeof v->got, d, true);
    put_element(v->expected, sizeof v->expected, d, false);
    v->has_element = right->ours.buffer >= 0;
    v->element = d->first;
    if (d->message[0]) judge_say(v, JUDGE_FAIL, REASON_WRONG, "%s: %s", right->ours_name, d->message);
    else if (!v->has_element)
        judge_say(v, JUDGE_FAIL, REASON_WRONG, "%s: expected %s, got %s", right->ours_name, v->expected, v->got);
    else
        judge_say(v, JUDGE_FAIL, REASON_WRONG, "%s[%llu]: expected %s, got %s", right->ours_name,
                  (unsigned long long)d->first, v->expected, v->got);
    if (v->has_element && !d->message[0] && find_writer(k, q, r))
        judge_say(v, JUDGE_FAIL, REASON_WRONG, "%s[%llu]: expected %s, got %s; it was never written", right->ours_name,
                  (unsigned long long)d->first, v->expected, v->got);
}

/* Does the text contain `name` where a function's name could be, followed by a parenthesis? */
static bool names_function(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length) {
        const bool starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        const char *next = at + length + strspn(at + length, " \t\r\n");
        if (starts && *next == '(') return true;
    }
    return false;
}

/* Was the reason that no kernel has the name the exercise launches? Then sets the verdict. */
static bool no_such_kernel(judging *k, const step_result *r)
{
    const char *name = r->absent_kernel;
    if (!*name) return false;
    const bool there = names_function(k->q->text, name);
    judge_say(k->v, JUDGE_FAIL, REASON_REJECTED,
              there ? "%s is there, but it is no kernel: a function that is launched needs __global__ before it"
                    : "there is no kernel called %s",
              name);
    snprintf(k->v->advice, sizeof k->v->advice,
             there ? TR("Begin it as the starter does: extern \"C\" __global__ void %s(...)")
                   : TR("Keep the name that the starter has: extern \"C\" __global__ void %s(...)"),
             name);
    return true;
}

bool judge_faults(judging *k, const step_result *r, int but, const step_fault **unseen)
{
    judge_verdict *v = k->v;
    *unseen = NULL;
    for (int i = 0; i < r->faults; i++) {
        const step_fault *f = &r->fault[i];
        if (f->note && f->kind == SIM_FAULT_HOST_LIMIT) *unseen = f;
        if (f->note && f->kind == SIM_FAULT_LAUNCH_REFUSED) snprintf(v->note, sizeof v->note, "%s", f->message);
        if (f->note || f->kind == but) continue;
        v->has_fault = true;
        v->fault = *f;
        v->line = f->at.line;
        judge_say(v, JUDGE_FAIL, REASON_FAULT + (int)f->kind, "%s", f->message);
        snprintf(v->advice, sizeof v->advice, "%s", TR(f->advice));
        if (f->kind == SIM_FAULT_HOST_LIMIT || f->kind == SIM_FAULT_UNSUPPORTED) v->state = JUDGE_UNJUDGED;
        return false;
    }
    return true;
}

bool judge_weigh(judging *k, const step_request *q, const step_result *r)
{
    judge_verdict *v = k->v;
    const step_fault *unseen;
    if (!judge_faults(k, r, NO_FAULT, &unseen)) return false;
    if (r->status == EXIT_INTERRUPT) k->interrupted = true;
    if (r->status == EXIT_USAGE && no_such_kernel(k, r)) return false;
    if (r->status == EXIT_USAGE) {           /* wrong arguments, or a launch that the card refuses */
        size_t path = strlen(k->x->l->path); /* skip the place in exercise.txt: the file is not the student's */
        bool placed = !strncmp(r->problem, k->x->l->path, path) && r->problem[path] == ':';
        const char *what = placed ? strstr(r->problem + path, ": ") : NULL;
        judge_say(v, JUDGE_FAIL, REASON_REJECTED, "%s", what ? what + 2 : r->problem);
        if (k->device.kind == DEVICE_GPU && r->card_full) /* other programs use its memory */
            judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", r->problem);
        snprintf(v->advice, sizeof v->advice, "%s", r->advice);
        return false;
    }
    if (r->status && r->problem_line) {
        /* Compilers pass inline assembly through unread. Without any, PTX that we cannot read is a
         * gap of ours. */
        const char *why = strstr(r->problem, ": ");
        bool own = strstr(k->q->text, "asm") != NULL;
        judge_say(v, own ? JUDGE_FAIL : JUDGE_UNJUDGED, own ? REASON_REJECTED : REASON_UNJUDGED,
                  own ? "its asm makes PTX that no card takes (line %d of the PTX): %s"
                      : "the simulator does not know what the compiler made of it (line %d of the PTX): %s",
                  r->problem_line, why ? why + 2 : r->problem);
        return false;
    }
    if (r->status) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", r->problem);
        snprintf(v->advice, sizeof v->advice, "%s", r->advice);
        return false;
    }
    if (!r->judged || !r->verdict.correct) {
        wrong(k, q, r);
        return false;
    }
    if (unseen) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", unseen->message);
        return false;
    }
    return true;
}

/* Shuffled: warps and blocks take turns in an order drawn from the seed. An answer that needs them
 * in numerical order is wrong on a real card. */
bool judge_run(judging *k, const judge_input *in, step_result *keep)
{
    lesson_step s;
    lesson_buffer buffers[LESSON_BUFFERS];
    step_request q;
    step_result r;
    judge_describe(k, in, k->v->where, sizeof k->v->where);
    k->v->seed = in->seed;
    k->v->input = in->number;
    judge_step_request(k, &q, judge_step_with(k->x, in->fill, &s, buffers), &in->values);
    q.untimed = !in->timed;
    q.chains = in->chains;
    if (in->chains) q.limit *= CHAINS_SLOWER; /* the budget of instructions ends it, not the time */
    if (in->shuffled) {
        size_t used = strlen(k->v->where);
        q.shuffle = k->v->seed;
        snprintf(k->v->where + used, sizeof k->v->where - used, "%s", TR(", warps and blocks in another order"));
    }
    step_run(&q, &r);
    snprintf(k->v->device, sizeof k->v->device, "%s", r.device);
    bool good = judge_weigh(k, &q, &r);
    if (good && !in->shuffled) k->v->passed++;
    if (good && keep) *keep = r;
    else step_result_free(&r);
    return good;
}
