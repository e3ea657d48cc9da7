/* judge.c: see judge.h. From the bottom up: compiling, running one case, what a result means, the goals, and
 * judge_answer, which does them in order. */
#include "judge.h"
#include "compile.h"
#include "format.h"
#include "reference.h"
#include "view.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_SECONDS = 120, COMPILE_SECONDS = 60 };
enum { SHUFFLED = 16, STRIDE = 7919 }; /* cases run in another order too; a prime, which visits all kinds of them */

typedef struct judging {
    struct app *app;
    const judge_request *q;
    const exercise *x;
    judge_verdict *v;
    struct device device;
    char *card;            /* text of its file */
    bool own_card;         /* the exercise's: goals hold */
    const char *ptx;
    size_t ptx_bytes;
    char *owned_ptx;
    bool interrupted;
} judging;

static void say(judge_verdict *v, enum judge_state state, const char *reason, const char *fmt, ...) APP_PRINTF(4, 5);
static void say(judge_verdict *v, enum judge_state state, const char *reason, const char *fmt, ...)
{
    v->state = state;
    snprintf(v->reason, sizeof v->reason, "%s", reason);
    va_list args;
    va_start(args, fmt);
    vsnprintf(v->message, sizeof v->message, fmt, args);
    va_end(args);
}

/* ---- compiling ---- */

static const char *kind_of(const char *compiler)
{
    return !strncmp(compiler, "NVRTC", 5) ? "nvrtc" : !strncmp(compiler, "nvcc", 4) ? "nvcc" : "clang";
}

/* The text of the folder's FILE, or the PTX made from it. */
static char *folder_text(judging *k, const char *file, size_t *bytes)
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

static bool compile(judging *k)
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
            say(v, JUDGE_FAIL, "rejected", "an answer includes no files, from asm neither");
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
            say(v, JUDGE_UNJUDGED, "unjudged", "%s takes device code alone, and this answer holds code of the host",
                v->compiler);
            snprintf(v->advice, sizeof v->advice, "Leave that out, or judge it where nvcc or clang is installed.");
            break;
        }
        say(v, JUDGE_FAIL, "rejected", "%s does not accept it", v->compiler[0] ? v->compiler : "the compiler");
        break;
    case COMPILE_NO_COMPILER:
        say(v, JUDGE_UNJUDGED, "no-compiler", "%s", c.problem);
        snprintf(v->advice, sizeof v->advice, "%s", c.advice);
        break;
    case COMPILE_INTERRUPTED: k->interrupted = true; /* fall through */
    default:
        say(v, JUDGE_UNJUDGED, "unjudged", "%s", c.problem);
        snprintf(v->advice, sizeof v->advice, "%s", c.advice);
    }
    compile_free(&c);
    return status == COMPILE_DONE;
}

/* ---- one case ---- */

static void describe_case(const judging *k, const exercise_case *c, const step_values *values, char *out, size_t size)
{
    const exercise *x = k->x;
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < x->l->setting_count && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s = %lld", i ? ", " : "", x->l->setting[i].name,
                              (long long)values->value[i]);
    if (c->fill >= 0 && n < size)
        n += (size_t)snprintf(out + n, size - n, "%s%s filled with %s", n ? ", " : "",
                              x->s->buffer[x->fill[c->fill].buffer].name, x->fill[c->fill].shown);
    const fill_generator *g = c->fill >= 0 ? &fill_generators[x->fill[c->fill].as.fill] : NULL;
    bool known = !g || g->parameter || x->fill[c->fill].as.fill <= FILL_CONSTANT || !strchr(g->about, ' ');
    if (!known && n < size) /* a word of the authors' */
        snprintf(out + n, size - n, " (%s)", g->about);
}

/* The step as case `c` has it: its buffers are copied, so that one can be filled otherwise. */
static void case_step(const exercise *x, const exercise_case *c, lesson_step *s, lesson_buffer *buffers)
{
    *s = *x->s;
    memcpy(buffers, x->s->buffer, (size_t)x->s->buffer_count * sizeof *buffers);
    s->buffer = buffers;
    if (c->fill < 0)
        return;
    const exercise_fill *f = &x->fill[c->fill];
    buffers[f->buffer].fill = f->as.fill;
    buffers[f->buffer].parameter = f->as.parameter;
    buffers[f->buffer].value = f->as.value;
}

static void request(judging *k, step_request *q, const lesson_step *s, const step_values *values)
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
                        .limit = k->device.kind == DEVICE_SIM ? RUN_SECONDS : k->app->limit, /* a GPU counts nothing */
                        .checks = SIM_CHECK_ALL,
                        .sealed = k->device.kind == DEVICE_SIM, /* CUDA needs its threads and addresses */
                        .exact = true,
                        .budget = (uint64_t)(k->x->budget ? k->x->budget : JUDGE_BUDGET)};
    snprintf(q->ptx_name, sizeof q->ptx_name, "%s", k->q->name);
}

static void put_element(char *out, size_t size, const verdict *d, bool ours)
{
    if (d->exact_integers)
        snprintf(out, size, "%lld", (long long)(ours ? d->ours_integer : d->reference_integer));
    else
        format_exact(out, size, ours ? d->ours : d->reference, 9);
}

/* Run again to see which thread wrote the element that is wrong. */
static void find_writer(judging *k, const step_request *q, const step_result *r)
{
    step_request again = *q;
    step_result seen;
    again.find_writer = true;
    again.untimed = true;
    again.writer_buffer = k->x->s->right.ours.buffer;
    again.writer_element = r->verdict.first;
    if (!step_run(&again, &seen) && seen.has_writer) {
        k->v->has_writer = true;
        k->v->line = seen.writer_line;
        memcpy(k->v->writer_block, seen.writer_block, sizeof k->v->writer_block);
        memcpy(k->v->writer_thread, seen.writer_thread, sizeof k->v->writer_thread);
    }
    step_result_free(&seen);
}

static void wrong(judging *k, const step_request *q, const step_result *r)
{
    judge_verdict *v = k->v;
    const lesson_right *right = &k->x->s->right;
    const verdict *d = &r->verdict;
    put_element(v->got, sizeof v->got, d, true);
    put_element(v->expected, sizeof v->expected, d, false);
    v->has_element = right->ours.buffer >= 0;
    v->element = d->first;
    if (d->message[0])
        say(v, JUDGE_FAIL, "wrong", "%s: %s", right->ours_name, d->message);
    else if (!v->has_element)
        say(v, JUDGE_FAIL, "wrong", "%s: expected %s, got %s", right->ours_name, v->expected, v->got);
    else
        say(v, JUDGE_FAIL, "wrong", "%s[%llu]: expected %s, got %s", right->ours_name, (unsigned long long)d->first,
            v->expected, v->got);
    if (v->has_element && !d->message[0])
        find_writer(k, q, r);
}

/* What a result means. True: this case is passed. */
static bool weigh(judging *k, const step_request *q, const step_result *r)
{
    judge_verdict *v = k->v;
    for (int i = 0; i < r->faults; i++) {
        const step_fault *f = &r->fault[i];
        if (f->note)
            continue;
        v->fault = *f;
        v->line = f->line;
        say(v, JUDGE_FAIL, f->kind, "%s", f->message);
        snprintf(v->advice, sizeof v->advice, "%s", f->advice);
        if (!strcmp(f->kind, "host-limit") || !strcmp(f->kind, "unsupported"))
            v->state = JUDGE_UNJUDGED;
        return false;
    }
    if (r->status == EXIT_INTERRUPT)
        k->interrupted = true;
    if (r->status == EXIT_USAGE) { /* no kernel of that name, other arguments, a launch that the card refuses */
        size_t path = strlen(k->x->l->path); /* the line of exercise.txt where it was noticed is not the student's */
        bool placed = !strncmp(r->problem, k->x->l->path, path) && r->problem[path] == ':';
        const char *what = placed ? strstr(r->problem + path, ": ") : NULL;
        say(v, JUDGE_FAIL, "rejected", "%s", what ? what + 2 : r->problem);
        if (k->device.kind == DEVICE_GPU && strstr(r->problem, "has no memory for")) /* others' programs take it */
            say(v, JUDGE_UNJUDGED, "unjudged", "%s", r->problem);
        snprintf(v->advice, sizeof v->advice, "%s", r->advice);
        return false;
    }
    size_t name = strlen(q->ptx_name);
    int line = 0;
    if (r->status && !strncmp(r->problem, q->ptx_name, name) && sscanf(r->problem + name, ":%d:", &line) == 1) {
        /* Compilers take over inline assembly unread. Without any, what is not understood is our own gap. */
        const char *why = strstr(r->problem + name, ": ");
        bool own = strstr(k->q->text, "asm") != NULL;
        say(v, own ? JUDGE_FAIL : JUDGE_UNJUDGED, own ? "rejected" : "unjudged",
            own ? "its asm makes PTX that no card takes (line %d of the PTX): %s"
                : "the simulator does not know what the compiler made of it (line %d of the PTX): %s",
            line, why ? why + 2 : r->problem);
        return false;
    }
    if (r->status) {
        say(v, JUDGE_UNJUDGED, "unjudged", "%s", r->problem);
        snprintf(v->advice, sizeof v->advice, "%s", r->advice);
        return false;
    }
    if (!r->judged || !r->verdict.correct) {
        wrong(k, q, r);
        return false;
    }
    return true;
}

/* Case `i`: passed, or the verdict says why not. `keep` gets the result of a case that is passed. Shuffled, warps and
 * blocks run in turns of an order drawn from the seed: what is right only in the order of their numbers is not right
 * on a card. */
static bool run_case(judging *k, int i, bool shuffled, step_result *keep)
{
    exercise_case c;
    step_values values;
    step_chosen chosen = {0};
    lesson_step s;
    lesson_buffer buffers[LESSON_BUFFERS];
    char why[200];
    exercise_case_at(k->x, i, &c);
    for (int n = 0; i && n < k->x->sizes; n++) {
        chosen.set[k->x->size[n].setting] = true;
        chosen.value[k->x->size[n].setting] = c.value[n];
    }
    if (!step_settings(k->x->l, k->x->s, &chosen, &values, why, sizeof why)) {
        k->v->cases -= !shuffled;
        return true; /* `require:` rules this one out */
    }
    describe_case(k, &c, &values, k->v->where, sizeof k->v->where);
    case_step(k->x, &c, &s, buffers);
    step_request q;
    step_result r;
    k->v->seed = k->q->seed + (uint64_t)i;
    request(k, &q, &s, &values);
    q.untimed = i != 0 || shuffled;
    if (shuffled) {
        size_t used = strlen(k->v->where);
        q.shuffle = k->v->seed;
        snprintf(k->v->where + used, sizeof k->v->where - used, ", warps and blocks in another order");
    }
    step_run(&q, &r);
    snprintf(k->v->device, sizeof k->v->device, "%s", r.device);
    bool good = weigh(k, &q, &r);
    if (i == 0 && !r.status && r.has_cycles) {
        k->v->has_cycles = true;
        k->v->cycles = r.cycles;
    }
    if (good && !shuffled)
        k->v->passed++;
    if (good && keep)
        *keep = r;
    else
        step_result_free(&r);
    return good;
}

/* ---- goals ---- */

/* Our own solution on the default case. False: it has been said why not. */
static bool standard(judging *k, judge_standard *out)
{
    if (out->known && !strcmp(out->compiler, k->v->compiler))
        return true;
    judge_standard_free(out);
    size_t bytes;
    judge_verdict v = {0};
    judge_request q = *k->q;
    judging own = *k;
    own.q = &q;
    own.v = &v;
    own.owned_ptx = NULL;
    q.name = "solution.cu";
    q.compiler = kind_of(k->v->compiler);
    char *text = folder_text(k, k->q->ptx ? "solution.ptx" : "solution.cu", &bytes);
    bool good = text != NULL;
    if (!text)
        say(&v, JUDGE_UNJUDGED, "unjudged", "the exercise's solution cannot be read in %s", k->x->dir);
    if (text && k->q->ptx) {
        own.ptx = text;
        own.ptx_bytes = bytes;
    } else if (text) {
        q.text = text;
        q.bytes = bytes;
        good = compile(&own);
    }
    if (good)
        good = run_case(&own, 0, false, &out->r);
    k->interrupted = k->interrupted || own.interrupted;
    if (good) {
        out->known = true;
        snprintf(out->compiler, sizeof out->compiler, "%s", k->v->compiler);
    } else {
        say(k->v, JUDGE_UNJUDGED, "unjudged", "our own solution does not run: %.500s", v.message);
    }
    free(own.owned_ptx);
    free(text);
    judge_free(&v);
    return good;
}

typedef struct goal_scope {
    const exercise *x;
    const step_values *values;
    const step_result *solution, *ours;
} goal_scope;

static bool goal_name(void *arg, const char *name, size_t length, int64_t *value)
{
    const goal_scope *g = arg;
    static const char prefix[] = "solution.";
    size_t n = sizeof prefix - 1;
    double number;
    int setting = lesson_setting_named(g->x->l, name, length);
    if (setting >= 0) {
        *value = g->values->value[setting];
        return true;
    }
    bool of_solution = length > n && !memcmp(name, prefix, n);
    const step_result *r = of_solution ? g->solution : g->ours;
    size_t from = of_solution ? n : 0;
    if (!r || !metric_get(metric_named(name + from, length - from), r, &number) || !(fabs(number) < 9e18))
        return false;
    *value = llround(number);
    return true;
}

/* The goals, in order; the first that is not reached is the reason. */
static void judge_goals(judging *k, const step_result *r, const judge_standard *own)
{
    const exercise *x = k->x;
    judge_verdict *v = k->v;
    step_values values;
    char why[200], ours[48], bound[48];
    if (!step_settings(x->l, x->s, NULL, &values, why, sizeof why))
        return;
    goal_scope scope = {x, &values, &own->r, r};
    for (int i = 0; i < x->goals; i++) {
        const exercise_goal *g = &x->goal[i];
        judge_goal *out = &v->goal[v->goals++];
        *out = (judge_goal){.metric = g->metric, .at_least = g->at_least};
        int64_t limit;
        if (!metric_get(g->metric, r, &out->ours))
            snprintf(why, sizeof why, "this run has no %s", metrics[g->metric].name);
        else if (g->within >= 0 && (out->relative = metric_get(g->metric, &own->r, &out->solution))) {
            out->bound = out->solution * (1 + g->within / 100);
            out->known = true;
        } else if (g->within < 0 && expr_eval(&g->bound, goal_name, &scope, &limit, why, sizeof why)) {
            out->bound = (double)limit;
            out->known = true;
        }
        if (!out->known) {
            say(v, JUDGE_UNJUDGED, "unjudged", "a goal cannot be judged: %s", why);
            return;
        }
        out->reached = out->at_least ? out->ours >= out->bound : out->ours <= out->bound;
        if (out->reached || v->state == JUDGE_FAIL)
            continue;
        say(v, JUDGE_FAIL, "short", "right, but short of the goal: %s %s; the goal is %s%s",
            view_value(ours, sizeof ours, g->metric, out->ours), metrics[g->metric].name,
            out->at_least ? "at least " : "", view_value(bound, sizeof bound, g->metric, out->bound));
        snprintf(v->advice, sizeof v->advice, "%s", g->why ? g->why : "");
    }
}

/* ---- answers that are numbers ---- */

/* The number in an answer's file: a line "answer: 65 536"; other lines, and what follows a #, are for people. */
static bool read_number(const char *text, size_t bytes, double *out)
{
    char line[200], digits[64];
    for (size_t at = 0; at < bytes; at++) {
        size_t n = 0, d = 0;
        for (; at < bytes && text[at] != '\n'; at++)
            if (n < sizeof line - 1)
                line[n++] = text[at];
        line[n] = 0;
        char *p = line + strspn(line, " \t"), *end;
        if (strncmp(p, "answer", 6))
            continue;
        p += 6 + strspn(p + 6, " \t");
        if (*p != ':' && *p != '=')
            continue;
        for (p++; *p && *p != '#' && d < sizeof digits - 1; p++)
            if (!strchr(" \t\r,_'", *p))
                digits[d++] = *p;
        digits[d] = 0;
        if (!d || strspn(digits, "0123456789.+-eEKMGi") != d)
            return false;
        *out = strtod(digits, &end);
        double factor = !strcmp(end, "Ki") ? 1024 : !strcmp(end, "Mi") ? 1048576 : *end ? 0 : 1;
        *out *= factor;
        return end > digits && factor && isfinite(*out);
    }
    return false;
}

static void judge_number(judging *k)
{
    judge_verdict *v = k->v;
    const exercise *x = k->x;
    const lesson_predict *p = x->s->predict;
    double guess, holds;
    v->cases = 1;
    if (!read_number(k->q->text, k->q->bytes, &guess)) {
        say(v, JUDGE_FAIL, "wrong", "there is no line \"answer: NUMBER\" yet");
        return;
    }
    size_t bytes;
    char *ptx = folder_text(k, "kernel.ptx", &bytes);
    step_result r;
    step_values values;
    char why[200], text[48];
    if (!ptx || !step_settings(x->l, x->s, NULL, &values, why, sizeof why)) {
        say(v, JUDGE_UNJUDGED, "unjudged", ptx ? "%s" : "the exercise has no kernel.ptx in %s", ptx ? why : x->dir);
        free(ptx);
        return;
    }
    k->ptx = ptx;
    k->ptx_bytes = bytes;
    v->seed = k->q->seed;
    step_request q;
    request(k, &q, x->s, &values);
    q.sealed = false; /* our own kernel */
    step_run(&q, &r);
    snprintf(v->device, sizeof v->device, "%s", r.device);
    if (weigh(k, &q, &r)) {
        goal_scope scope = {x, &values, NULL, &r};
        int64_t number = 0, per = 1;
        int choice = 0;
        bool known = true;
        for (int i = 0; i < p->choices && known; i++) {
            known = expr_eval(&p->choice[i].when, goal_name, &scope, &number, why, sizeof why);
            choice = known && number ? i + 1 : choice;
        }
        if (!p->choices) {
            known = expr_eval(&p->number, goal_name, &scope, &number, why, sizeof why) &&
                    (!p->per.count || (expr_eval(&p->per, goal_name, &scope, &per, why, sizeof why) && per));
            holds = known ? (double)number / (double)per : 0;
        } else {
            holds = choice;
        }
        snprintf(v->got, sizeof v->got, "%s", view_plain(text, sizeof text, guess));
        snprintf(v->expected, sizeof v->expected, "%s", view_plain(text, sizeof text, holds));
        bool right = p->choices ? guess == holds : fabs(guess - holds) <= p->within / 100 * fabs(holds) + 1e-9;
        if (!known)
            say(v, JUDGE_UNJUDGED, "unjudged", "the answer cannot be worked out: %s", why);
        else if (right)
            v->passed = 1;
        else
            say(v, JUDGE_FAIL, "wrong", "%s is not what the card counts", v->got);
    }
    step_result_free(&r);
    free(ptx);
}

/* ---- all of it ---- */

static void judge_text(judging *k)
{
    judge_verdict *v = k->v;
    if (k->q->ptx) {
        k->ptx = k->q->ptx;
        k->ptx_bytes = strlen(k->ptx);
    } else if (!compile(k)) {
        return;
    }
    v->cases = exercise_cases(k->x);
    int others = exercise_cases(k->x) - 1;
    for (int i = 1; i <= others; i++)
        if (!run_case(k, i, false, NULL))
            return;
    for (int i = 0; i < SHUFFLED && i < others; i++)
        if (!run_case(k, 1 + i * STRIDE % others, true, NULL))
            return;
    /* the default case last: on a card with a clock it takes the longest */
    step_result r;
    if (!run_case(k, 0, false, &r))
        return;
    if (k->x->goals && k->own_card) {
        judge_standard here = {0}, *own = k->q->standard ? k->q->standard : &here;
        if (standard(k, own))
            judge_goals(k, &r, own);
        judge_standard_free(&here);
    }
    step_result_free(&r);
}

/* What is compiled is the text that was looked at, and not the file. */
static void judge_kernel(judging *k)
{
    judge_verdict *v = k->v;
    const judge_request *whole = k->q;
    judge_request plain = *whole;
    char why[400];
    int line;
    char *text = judge_source(whole->text, whole->bytes, &plain.bytes, &line, why, sizeof why);
    if (!text) {
        say(v, line < 0 ? JUDGE_UNJUDGED : JUDGE_FAIL, line < 0 ? "unjudged" : "rejected", "%s", why);
        v->line = line < 0 ? 0 : line;
        return;
    }
    compile_cut_host_code(text, plain.bytes, true);
    plain.text = text;
    k->q = &plain;
    judge_text(k);
    k->q = whole;
    free(text);
}

int judge_answer(struct app *app, const judge_request *q, judge_verdict *out)
{
    judging k = {.app = app, .q = q, .x = q->x, .v = out};
    memset(out, 0, sizeof *out);
    struct device own[DEVICES_MAX];
    char label[64];
    int count;
    snprintf(label, sizeof label, "sim:%s", q->x->card);
    int status = device_parse(app, label, own, &count);
    k.device = q->device ? *q->device : own[0];
    k.own_card = !status && !strcmp(k.device.label, own[0].label);
    if (!status && k.device.kind == DEVICE_SIM)
        status = device_card_text(app, &k.device, &k.card);
    if (status)
        say(out, JUDGE_UNJUDGED, "unjudged", "the exercise's card %s is not there", q->x->card);
    else if (q->x->kind == KIND_PREDICT)
        judge_number(&k);
    else
        judge_kernel(&k);
    /* Goals are judged on the exercise's card, and a GPU does not see races: elsewhere, right is not yet a pass. */
    if (out->state == JUDGE_PASS && !k.own_card) {
        char device[sizeof out->device];
        memcpy(device, out->device, sizeof device);
        say(out, JUDGE_UNJUDGED, "right", "on %.100s in all %d cases; whether it passes is judged on sim:%s", device,
            out->cases, q->x->card);
        snprintf(out->advice, sizeof out->advice, "Check it without --device.");
        out->where[0] = 0;
    }
    if (out->state == JUDGE_PASS) {
        snprintf(out->reason, sizeof out->reason, "pass");
        out->where[0] = 0;
    }
    free(k.owned_ptx);
    free(k.card);
    if (k.interrupted || app_interrupted) {
        say(out, JUDGE_UNJUDGED, "unjudged", "interrupted");
        return EXIT_INTERRUPT;
    }
    return EXIT_DONE;
}

void judge_free(judge_verdict *v)
{
    free(v->compiler_says);
    v->compiler_says = NULL;
}

void judge_standard_free(judge_standard *s)
{
    step_result_free(&s->r);
    memset(s, 0, sizeof *s);
}

int judge_score(const judge_verdict *v)
{
    return v->state == JUDGE_UNJUDGED ? -1 : v->state == JUDGE_PASS ? 100 : !strcmp(v->reason, "short") ? 50 : 0;
}
