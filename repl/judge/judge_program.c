/* judge_program.c: answers that are whole programs. They are compiled as `exec` compiles, and run as
 * it runs, but both sealed and with limits. A program ends well when its exit status is 0, its kernels did
 * nothing wrong and it printed what the task asks for; where a call of its must fail, when its status
 * is not 0 and it says why.
 *
 * It runs beside the libraries that tell what it did, and could tell a tale of its own. So such an
 * exercise is for the student alone: `grade` has none of it. */
#include "judge_compile.h"
#include "judge_goals.h"
#include "judge_run.h"
#include "course/metric_names.h"
#include "device/compile.h"
#include "run/job_answer.h"
#include "shell/scratch.h"
#include "shell/language.h"
#include "shell/plain_file.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MOST = 400 };

/* ---- building ---- */

static bool same_text(const char *path, const char *text, size_t bytes)
{
    char *there;
    size_t size;
    if (file_read(path, JUDGE_SOURCE_MAX, &there, &size)) return false;
    const bool same = size == bytes && !memcmp(there, text, bytes);
    free(there);
    return same;
}

static bool write_file(const char *path, const char *text, size_t bytes)
{
    FILE *f = fopen(path, "w");
    if (!f) return false;
    const bool whole = fwrite(text, 1, bytes, f) == bytes;
    return !fclose(f) && whole;
}

/* Messages name the answer as the student knows it, without the folder that it was compiled in. */
static void strip_folder(char *text, const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash + 1 - path) : 0;
    char *to = text;
    for (const char *at = text; *at;) {
        if (n && !strncmp(at, path, n)) at += n;
        else *to++ = *at++;
    }
    *to = 0;
}

static int build(judging *k, const char *path, bool once, struct program_built *b, struct program_refusal *why)
{
    sim_card card;
    sim_error err;
    struct program_compile c = {.refusal = why, .once = once, .sealed = true};
    char whole[PATH_MAX];
    memset(why, 0, sizeof *why);
    if (sim_card_read(&card, k->card, k->device.card, &err)) {
        snprintf(why->message, sizeof why->message, "%.300s", err.message);
        return PROGRAM_FAILED;
    }
    c.compute = card.cc_major * 10 + card.cc_minor;
    words_add(&c.sources, realpath(path, whole) ? whole : path);
    const int status = program_build(k->app, &c, b);
    if (why->says) strip_folder(why->says, c.sources.v[0]);
    if (!status && why->says) free(why->says), why->says = NULL; /* warnings */
    words_free(&c.sources);
    return status;
}

/* Does the compiler take our own solution? Then a refusal that names no line is the answer's doing too. */
static bool takes_ours(judging *k)
{
    char path[1400];
    struct program_built b = {.held = -1};
    struct program_refusal why;
    snprintf(path, sizeof path, "%s/solution.cu", k->x->dir);
    const bool good = !build(k, path, false, &b, &why);
    free(why.says);
    program_unbuild(&b);
    return good;
}

static void say_refused(judging *k, struct program_refusal *why)
{
    judge_verdict *v = k->v;
    char line[320] = "";
    static char none[] = "";
    compile_result c = {.messages = why->says ? why->says : none};
    const enum compile_blame blame = why->refused ? compile_blame(&c, k->q->name, line, sizeof line) : COMPILE_LACKS;
    if (why->absent) {
        judge_say(v, JUDGE_UNJUDGED, REASON_NO_COMPILER, "a whole program needs nvcc or clang, and there is neither");
        snprintf(v->advice, sizeof v->advice, "scripts/get-compiler installs one, without superuser rights");
    } else if (why->refused && (blame == COMPILE_BLAMES || (blame == COMPILE_SILENT && takes_ours(k)))) {
        judge_say(v, JUDGE_FAIL, REASON_REJECTED, "%s does not accept it", why->compiler);
        v->compiler_says = why->says;
        why->says = NULL;
    } else {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", *line ? line : why->message);
        snprintf(v->advice, sizeof v->advice,
                 "See to memory and to room on the disk of temporary files, then judge again.");
    }
}

static bool ready(judging *k)
{
    const judge_request *q = k->q;
    const char *dot = strrchr(q->name, '.'), *tmp = getenv("TMPDIR");
    const bool named = dot && !strcmp(dot, ".cu") && !strchr(q->name, '/');
    char path[4400], folder[4000];
    if (judge_refuses(k)) return false;
    if (q->made && named) { /* built when warpstep was, from this very text */
        snprintf(path, sizeof path, "%s/%s", q->made, q->name);
        snprintf(k->program, sizeof k->program, "%s/%.*s", q->made, (int)(dot - q->name), q->name);
        if (same_text(path, q->text, q->bytes) && !access(k->program, X_OK)) return true;
    }
    struct program_refusal why;
    snprintf(path, sizeof path, "%s/%s", k->x->dir, q->name);
    int held = -1, status;
    const bool ours = same_text(path, q->text, q->bytes);
    if (!ours) {
        held = scratch_make(tmp && *tmp ? tmp : "/tmp", folder, sizeof folder);
        snprintf(path, sizeof path, "%s/%s", folder, named ? q->name : "answer.cu");
        if (held < 0 || !write_file(path, q->text, q->bytes)) {
            judge_say(k->v, JUDGE_UNJUDGED, REASON_UNJUDGED, "the answer cannot be written to a temporary file: %s",
                      strerror(errno));
            if (held >= 0) scratch_remove(folder, held);
            return false;
        }
    }
    status = build(k, path, !ours, &k->built, &why);
    if (held >= 0) scratch_remove(folder, held);
    snprintf(k->v->compiler, sizeof k->v->compiler, "%s", why.compiler);
    snprintf(k->program, sizeof k->program, "%s", k->built.path);
    k->interrupted = k->interrupted || status == EXIT_INTERRUPT;
    if (status && status != EXIT_INTERRUPT) say_refused(k, &why);
    free(why.says);
    return !status;
}

/* ---- lines: what it reads, and what it prints ---- */

/* The number of a piece. Times are in nanoseconds. */
static bool number_of(judging *k, const struct exercise_piece *p, const step_values *values, const step_result *r,
                      double *out)
{
    char why[200];
    int64_t v;
    if (p->within >= 0) {
        const int m = exercise_piece_metric(p);
        if (!r || !metric_get(m, r, out)) return false;
        *out *= !strcmp(metrics[m].unit, "s") ? 1e9 : 1;
        return true;
    }
    judge_scope scope = {.x = k->x, .values = values};
    if (!expr_eval(&p->value, judge_goal_name, &scope, &v, why, sizeof why)) return false;
    *out = (double)v;
    return true;
}

/* False: one of its numbers is not known. */
static bool put_line(judging *k, const exercise_line *l, const step_values *values, const step_result *r, char *out,
                     size_t size)
{
    size_t n = 0;
    double v = 0;
    out[0] = 0;
    for (int i = 0; i < l->pieces && n < size; i++) {
        const struct exercise_piece *p = &l->piece[i];
        n += (size_t)snprintf(out + n, size - n, "%.*s", p->length, p->text);
        if (!p->has_value || n >= size) continue;
        if (!number_of(k, p, values, r, &v)) return false;
        n += (size_t)snprintf(out + n, size - n, "%.0f", v);
        if (p->within >= 0 && n < size) n += (size_t)snprintf(out + n, size - n, " (within %g %%)", p->within);
    }
    return true;
}

static const char *blanks(const char *s) { return s + strspn(s, " \t\r"); }

/* Text of a line against what was printed; blanks as many as one likes. NULL: it differs. */
static const char *match_text(const char *text, int length, const char *s)
{
    for (int i = 0; i < length; i++) {
        const bool blank = isspace((unsigned char)text[i]);
        if (blank) s = blanks(s);
        else if (*s++ != text[i]) return NULL;
    }
    return s;
}

static bool match_line(judging *k, const exercise_line *l, const step_values *values, const step_result *r,
                       const char *s)
{
    s = blanks(s);
    for (int i = 0; i < l->pieces; i++) {
        const struct exercise_piece *p = &l->piece[i];
        double want, got;
        if (!(s = match_text(p->text, p->length, s))) return false;
        if (!p->has_value) continue;
        char *end;
        if (isspace((unsigned char)*s)) s = blanks(s);
        got = strtod(s, &end);
        if (end == s || !number_of(k, p, values, r, &want)) return false;
        if (!(fabs(got - want) <= (p->within < 0 ? 0 : p->within / 100 * fabs(want)))) return false;
        s = end;
    }
    return !*blanks(s);
}

/* All lines, in order; empty ones do not count. */
static bool printed_right(judging *k, const judge_input *in, const step_result *r)
{
    const exercise *x = k->x;
    judge_verdict *v = k->v;
    char want[LINE_MOST] = "";
    int at = 0;
    for (int i = 0; i <= x->prints_count; i++) {
        while (at < r->prints && !*blanks(r->print[at])) at++;
        const char *got = at < r->prints ? r->print[at++] : NULL;
        const exercise_line *l = i < x->prints_count ? &x->prints[i] : NULL;
        if (l ? got && match_line(k, l, &in->values, r, got) : !got) continue;
        if (l && !put_line(k, l, &in->values, r, want, sizeof want)) snprintf(want, sizeof want, "%s", TR("a number"));
        if (!l) judge_say(v, JUDGE_FAIL, REASON_WRONG, "it printed more than it should: \"%s\"", got);
        else if (got) judge_say(v, JUDGE_FAIL, REASON_WRONG, "it printed \"%s\", expected \"%s\"", got, want);
        else
            judge_say(v, JUDGE_FAIL, REASON_WRONG, "it did not print \"%s\"%s", want,
                      i ? "" : TR(", nor anything else"));
        snprintf(v->expected, sizeof v->expected, "%.39s", want);
        snprintf(v->got, sizeof v->got, "%.39s", got ? got : "");
        return false;
    }
    return true;
}

/* ---- how it ended ---- */

/* The command that runs it alone. */
static void advise(judging *k, const judge_input *in)
{
    const lesson_action *a = k->x->s->action;
    char why[200], *to = k->v->advice;
    size_t size = sizeof k->v->advice;
    int64_t v;
    step_values values = in->values;
    size_t n = (size_t)snprintf(to, size, "%s", TR("To run it alone: exec "));
    if (k->x->s->cards.count && step_value(k->x->l, &values, &k->x->s->cards, &v, why, sizeof why) && v != 1)
        n += (size_t)snprintf(to + n, size - n, "--cards %lld ", (long long)v);
    n += (size_t)snprintf(to + n, size - n, "FILE");
    for (int i = 0; i < a->args && n < size; i++)
        if (step_value(k->x->l, &values, &a->arg[i].value, &v, why, sizeof why))
            n += (size_t)snprintf(to + n, size - n, " %lld", (long long)v);
}

static bool said(const step_result *r, const char *words)
{
    bool there = strstr(r->program_said, words) != NULL;
    for (int i = 0; i < r->prints; i++) there = there || strstr(r->print[i], words);
    return there;
}

/* Did it come to its end by itself, and in time? */
static bool ended_itself(judging *k, const step_result *r)
{
    judge_verdict *v = k->v;
    const double limit = k->app->limit;
    const int s = r->program_signal;
    if (s == SIGXCPU || (s == SIGKILL && limit > 0 && r->program_cpu >= limit)) {
        judge_say(v, JUDGE_FAIL, REASON_FAULT + SIM_FAULT_ENDLESS,
                  "the program had computed for %g seconds and not ended", limit);
        return false;
    }
    if (r->program_late) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED,
                  "the program had not ended in time, and computed for %.0f seconds: does it wait for something?",
                  r->program_cpu);
        return false;
    }
    if (s == SIGXFSZ) {
        judge_say(v, JUDGE_FAIL, REASON_WRONG, "it printed more than %d MiB", (int)(PROGRAM_OUTPUT >> 20));
        return false;
    }
    if (s == SIGKILL) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "the program was killed, perhaps for want of memory");
        return false;
    }
    return true;
}

static bool weigh(judging *k, const judge_input *in, const step_result *r)
{
    judge_verdict *v = k->v;
    const step_fault *unseen;
    if (r->status == EXIT_INTERRUPT) k->interrupted = true;
    if (r->status) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", r->problem);
        return false;
    }
    /* where a call must fail, it is judged below what the program says of it */
    const int but = in->failing ? SIM_FAULT_LAUNCH_REFUSED : NO_FAULT;
    if (!ended_itself(k, r) || !judge_faults(k, r, but, &unseen)) return false;
    if (r->program_signal) {
        judge_say(v, JUDGE_FAIL, REASON_CRASH, "the host's part was ended by signal %d (%s)", r->program_signal,
                  strsignal(r->program_signal));
    } else if (in->failing && !r->program_status) {
        judge_say(v, JUDGE_FAIL, REASON_UNCHECKED,
                  "a call of CUDA fails here (%s), and the program ends with status 0, as if all were well",
                  in->failing->says);
    } else if (in->failing && !said(r, in->failing->says)) {
        judge_say(v, JUDGE_FAIL, REASON_UNCHECKED, "a call of CUDA fails here, and the program does not say \"%s\"",
                  in->failing->says);
    } else if (!in->failing && r->program_status) {
        const char *words = *r->program_said ? r->program_said : r->prints ? r->print[r->prints - 1] : "";
        judge_say(v, JUDGE_FAIL, REASON_STATUS, "the program ended with status %d%s%s%s", r->program_status,
                  *words ? TR(", and said \"") : "", words, *words ? "\"" : "");
    } else if (unseen) {
        judge_say(v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", unseen->message);
        return false;
    } else if (in->failing || printed_right(k, in, r)) {
        return true;
    }
    advise(k, in);
    return false;
}

static void run_program(judging *k, const judge_input *in, uint64_t spoil, step_result *r)
{
    step_request q;
    char input[LINE_MOST + 2] = "";
    const double limit = k->app->limit;
    judge_describe(k, in, k->v->where, sizeof k->v->where);
    k->v->seed = in->seed;
    k->v->input = in->number;
    if (k->x->input.pieces && put_line(k, &k->x->input, &in->values, NULL, input, LINE_MOST)) strcat(input, "\n");
    judge_step_request(k, &q, k->x->s, &in->values);
    const program_answer answer = {.program = k->program, .input = input, .cpu_seconds = limit, .spoil = spoil};
    q.job = answer_job(&answer);
    /* a computer that is busy takes longer than its processor */
    q.limit = limit > 0 ? 2 + fmin(10 * limit, 120 + limit) : 3600;
    q.sealed = q.exact = false; /* the program itself is sealed */
    step_run(&q, r);
}

/* Two runs of a program: do they end alike, and print the same? */
static bool same_output(const step_result *a, const step_result *b)
{
    bool same = a->program_status == b->program_status && a->program_signal == b->program_signal &&
                a->prints == b->prints && a->prints_left_out == b->prints_left_out;
    for (int i = 0; i < a->prints && same; i++) same = !strcmp(a->print[i], b->print[i]);
    return same;
}

/* Runs it again, changes what its kernels write, and says in *r, of the first run, whether its output
 * depends on that. False: the verdict says why that is not known. */
static bool measure(judging *k, const judge_input *in, step_result *r)
{
    step_result again;
    bool depends = false;
    for (int i = 0; i < k->x->goals; i++)
        depends = depends || !strcmp(metrics[k->x->goal[i].metric].id, "depends");
    if (!depends) return true;
    run_program(k, in, in->seed | 1, &again);
    if (again.status == EXIT_INTERRUPT) k->interrupted = true;
    if (again.status) judge_say(k->v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", again.problem);
    r->has_depends = !again.status;
    r->depends = !same_output(r, &again);
    step_result_free(&again);
    return r->has_depends;
}

static bool run(judging *k, const judge_input *in, step_result *keep)
{
    step_result r;
    run_program(k, in, 0, &r);
    snprintf(k->v->device, sizeof k->v->device, "%s", r.device);
    const bool good = weigh(k, in, &r);
    if (good) k->v->passed++;
    if (good && keep) *keep = r;
    else step_result_free(&r);
    return good;
}

static bool failing_calls(judging *k)
{
    char why[200];
    for (int i = 0; i < k->x->fails_count; i++) {
        const exercise_failing *f = &k->x->fails[i];
        judge_input in = {.failing = f, .fill = -1, .seed = k->q->seed};
        step_chosen chosen = {0};
        chosen.set[f->setting] = true;
        chosen.value[f->setting] = f->value;
        if (!step_settings(k->x->l, k->x->s, &chosen, &in.values, why, sizeof why)) {
            judge_say(k->v, JUDGE_UNJUDGED, REASON_UNJUDGED, "%s", why);
            return false;
        }
        if (!run(k, &in, NULL)) return false;
    }
    return true;
}

/* A whole program may include what its compiler has: it is shut in with the compiler, not looked at before. */
static void judge_program(judging *k)
{
    if (k->device.kind == DEVICE_GPU)
        judge_say(k->v, JUDGE_UNJUDGED, REASON_UNJUDGED, "a whole program is judged on a simulated card");
    else if (k->q->bytes > JUDGE_SOURCE_MAX)
        judge_say(k->v, JUDGE_FAIL, REASON_REJECTED, "an answer has at most %d KiB", JUDGE_SOURCE_MAX >> 10);
    else if (memchr(k->q->text, 0, k->q->bytes))
        judge_say(k->v, JUDGE_FAIL, REASON_REJECTED, "there is a NUL byte in it: this is no text");
    else judge_cases(k);
    program_unbuild(&k->built);
}

const struct judge_form judge_form_program = {
    .judge = judge_program, .ready = ready, .run = run, .measure = measure, .failing_calls = failing_calls};
