/* step_cpu.c: the CPU's part of a step: finish and host, and what is right. */
#include "step_runner.h"
#include "course/reference_product.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

#define problem(...) runner_problem(__VA_ARGS__)
#define now          runner_now
#define value_of     runner_value_of

/* ---- which buffers are read ---- */

static bool reads(const lesson_arg *arg, int args, int buffer)
{
    bool any = false;
    for (int i = 0; i < args; i++) any = any || arg[i].buffer == buffer;
    return any;
}

typedef struct mention {
    const lesson_step *s;
    int buffer;
    bool buffers, locals; /* that one, any of these */
} mention;

static bool mentions(void *arg, const char *name, size_t length, bool element)
{
    mention *m = arg;
    const size_t prefix = element && length > 7 && !memcmp(name, "before.", 7) ? 7 : 0;
    if (element) m->buffers = m->buffers || step_buffer_named(m->s, name + prefix, length - prefix) == m->buffer;
    else m->locals = m->locals || step_local_named(m->s, name, length) >= 0;
    return true;
}

static mention of_formula(const lesson_step *s, const lesson_right *r, int buffer)
{
    mention m = {.s = s, .buffer = buffer};
    if (r->formula) expr_nodes_name(r->formula->node, r->formula->count, mentions, &m);
    for (int v = 0; v < 2; v++) { /* a limit may be a number that the step computes */
        expr_nodes_name(r->first[v].node, r->first[v].count, mentions, &m);
        expr_nodes_name(r->last[v].node, r->last[v].count, mentions, &m);
    }
    return m;
}

static bool right_reads(const lesson_step *s, const lesson_right *r, int buffer)
{
    return r->formula ? of_formula(s, r, buffer).buffers : reads(r->arg, r->args, buffer);
}

/* Does the expected result follow from inputs alone? Then it can be computed before any launch. */
static bool judged_by_inputs(const lesson_step *s, const lesson_right *r)
{
    if (r->rounding) return false;     /* it is compared with the factors, once it is known */
    if (r->witness >= 0) return false; /* it has a card of its own, after this one */
    if (r->formula) return r->ours.local < 0 && !of_formula(s, r, -1).locals; /* a result has its length later */
    bool all = true;
    for (int i = 0; i < r->args; i++) all = all && r->arg[i].buffer >= 0;
    return all;
}

bool runner_reads_later(const lesson_step *s, int buffer)
{
    bool later = false;
    for (int i = 0; i < s->action_count; i++) {
        const lesson_action *a = &s->action[i];
        later = later || a->kind == ACT_LAUNCH || a->kind == ACT_ZERO || a->kind == ACT_FOR || a->kind == ACT_WHILE;
        if (later && a->kind == ACT_HOST && reads(a->arg, a->args, buffer)) return true;
    }
    for (int i = 0; i < s->right_count; i++)
        if (!judged_by_inputs(s, &s->right[i]) && right_reads(s, &s->right[i], buffer)) return true;
    return false;
}

/* ---- operations ---- */

static int operate(runner *k, int operation, const lesson_arg *arg, int args, int line, bool from_card, cpu_value *out,
                   double *seconds)
{
    cpu_value in[LESSON_ARGS];
    bool owned[LESSON_ARGS] = {false};
    int64_t number[LESSON_ARGS];
    double real[LESSON_ARGS];
    int status = 0, made = 0;
    for (; made < args && !status; made++) {
        const lesson_arg *a = &arg[made];
        if (a->buffer >= 0 && from_card) {
            status = runner_known(k, a->buffer);
            if (!status) status = runner_read(k, a->buffer, &in[made]);
            owned[made] = !status;
            if (!status) {
                runner_count_back(k, a->buffer, &in[made]);
                k->r.host_elements += in[made].count;
            }
        } else if (a->buffer >= 0) {
            in[made] = k->host[a->buffer]; /* the input as it was before any kernel ran */
        } else if (a->local >= 0 && k->result[a->local].data) {
            in[made] = k->result[a->local];
        } else if (a->is_float) {
            real[made] = a->number;
            in[made] = (cpu_value){.type = TYPE_F64, .count = 1, .scalar = true, .data = &real[made]};
        } else {
            status = value_of(k, &a->value, line, "an argument", INT64_MIN, INT64_MAX, &number[made]);
            in[made] = (cpu_value){.type = TYPE_I64, .count = 1, .scalar = true, .data = &number[made]};
        }
    }
    double start = now();
    char why[160];
    if (!status && cpu_operations[operation].compute(in, args, out, why, sizeof why))
        status =
            problem(k, EXIT_INTERNAL, NULL, "%s:%d: %s: %s", k->q->l->path, line, cpu_operations[operation].name, why);
    if (seconds) *seconds = now() - start;
    for (int i = 0; i < made; i++)
        if (owned[i]) cpu_value_free(&in[i]);
    return status;
}

/* finish: the host's work on the card's results. host: on its own copy of the inputs, timed. */
int runner_finish(runner *k, const lesson_action *a)
{
    cpu_value out = {0};
    double seconds = 0;
    bool from_card = a->kind == ACT_FINISH && k->r.launches > 0;
    int status = operate(k, a->operation, a->arg, a->args, a->line, from_card, &out, &seconds);
    if (status) return status;
    if (a->kind == ACT_HOST) { /* a short one is repeated while caches are warm: the minimum of up to five */
        double spent = seconds;
        for (int i = 0; i < 4 && spent < 0.02; i++) {
            cpu_value again = {0};
            double took = 0;
            status = operate(k, a->operation, a->arg, a->args, a->line, from_card, &again, &took);
            cpu_value_free(&again);
            if (status) {
                cpu_value_free(&out);
                return status;
            }
            spent += took;
            seconds = took < seconds ? took : seconds;
        }
        k->host_op_seconds += seconds;
        k->r.cpu_threads = out.threads;
    }
    cpu_value_free(&k->result[a->local]);
    k->result[a->local] = out;
    k->has_local[a->local] = true;
    step_result *r = &k->r;
    int i = 0;
    while (i < r->results && strcmp(r->result[i].name, a->name)) i++;
    if (i == r->results) snprintf(r->result[r->results++].name, sizeof r->result->name, "%.31s", a->name);
    r->result[i].value = out.count ? cpu_number(&out, 0) : 0;
    return 0;
}

/* ---- expressions about elements ---- */

int runner_element_problem(runner *k, const lesson_formula *f, const element_error *err)
{
    if (err->shortage) return problem(k, EXIT_INTERNAL, "Choose smaller settings.", "%s", err->text);
    return err->column ? problem(k, EXIT_USAGE, NULL, "%s:%d:%d: %s", k->q->l->path, f->line, err->column, err->text)
                       : problem(k, EXIT_USAGE, NULL, "%s:%d: %s", k->q->l->path, f->line, err->text);
}

int runner_bind(runner *k, const lesson_formula *f, bool fill, int judged, element_program **out)
{
    cpu_value local[LESSON_LOCALS];
    uint64_t columns[STEP_BUFFERS];
    element_error err;
    for (int i = 0; i < k->s->local_count; i++)
        local[i] = !k->has_local[i]    ? (cpu_value){0}
                   : k->result[i].data ? k->result[i]
                                       : (cpu_value){.type = TYPE_I64, .count = 1, .data = &k->local[i]};
    for (int i = 0; i < k->s->buffer_count; i++)
        columns[i] = k->row[i] ? k->row[i] / (uint64_t)lesson_types[k->host[i].type].bytes : 0;
    const element_names names = {k->q->l, k->s, f, fill, judged};
    const element_inputs in = {k->q->values.value, k->host, columns, local};
    *out = element_bind(&names, &in, &err);
    return *out ? 0 : runner_element_problem(k, f, &err);
}

/* Which elements a `right:` is about: by default all of `all`, of which a row has `columns` (0: no rows). */
static int find_range(runner *k, const lesson_right *r, uint64_t all, uint64_t columns, element_range *out)
{
    const bool rows = r->formula->variables == 2 && columns;
    uint64_t count[2] = {rows ? all / columns : all, columns};
    *out = (element_range){.count = r->formula->variables ? all : 1, .columns = rows ? columns : 0};
    for (int v = 0; v < r->formula->variables; v++) {
        int64_t first, last;
        int bad = 0;
        if (!r->first[v].count) continue;
        bad = value_of(k, &r->first[v], r->line, "the first element", INT64_MIN, INT64_MAX, &first);
        if (!bad) bad = value_of(k, &r->last[v], r->line, "the last element", INT64_MIN, INT64_MAX, &last);
        if (bad) return bad;
        if (last >= first && (first < 0 || (uint64_t)last >= count[v]))
            return problem(k, EXIT_USAGE, NULL, "%s:%d: %s is judged for %s = %lld to %lld, and has %llu %s",
                           k->q->l->path, r->line, r->ours_name, r->formula->variable[v], (long long)first,
                           (long long)last, (unsigned long long)count[v], rows ? v ? "columns" : "rows" : "elements");
        out->first[v] = first;
        count[v] = last < first ? 0 : (uint64_t)(last - first) + 1;
    }
    if (rows) out->columns = count[1];
    if (r->formula->variables) out->count = rows ? count[0] * count[1] : count[0];
    return 0;
}

/* Where element `i` of the range stands in what is judged. */
static uint64_t range_place(const element_range *range, uint64_t columns, uint64_t i)
{
    if (!range->columns) return (uint64_t)range->first[0] + i;
    return ((uint64_t)range->first[0] + i / range->columns) * columns + (uint64_t)range->first[1] + i % range->columns;
}

/* ---- what is right ---- */

static uint64_t columns_of(const runner *k, const lesson_right *r)
{
    const int at = r->ours.buffer;
    return at >= 0 && k->row[at] ? k->row[at] / (uint64_t)lesson_types[k->host[at].type].bytes : 0;
}

static int evaluate(runner *k, const lesson_right *r, const cpu_value *ours, cpu_value *out)
{
    element_range range;
    element_program *p = NULL;
    element_error err;
    char why[160];
    int status = find_range(k, r, ours->count, columns_of(k, r), &range);
    if (!status) status = runner_bind(k, r->formula, false, r->ours.buffer, &p);
    if (status) return status;
    const double start = now();
    /* a double where the answer may be off; else as our type would hold it */
    const bool real = element_kind_of(p) == ELEMENT_REAL;
    const enum lesson_type type = real && (r->within > 0 || !cpu_is_float(ours->type)) ? TYPE_F64
                                  : ours->scalar && !real && !cpu_is_float(ours->type) ? TYPE_I64
                                                                                       : ours->type;
    if (cpu_make(out, type, range.count, ours->scalar, why, sizeof why))
        status = problem(k, EXIT_INTERNAL, "Choose smaller settings.", "%s", why);
    else if (!element_run(p, &range, out, &err)) status = runner_element_problem(k, r->formula, &err);
    element_free(p);
    k->cpu_seconds += now() - start;
    if (status) cpu_value_free(out);
    return status;
}

/* The other step's kernel, on the same inputs and a simulated card of its own. */
static int ask_witness(runner *k, const lesson_right *r, cpu_value *out)
{
    const lesson_step *other = &k->q->l->step[r->witness];
    if (!k->q->witness || k->q->device.kind != DEVICE_SIM)
        return problem(k, EXIT_USAGE, "Choose a simulated card.",
                       "%s:%d: what step %s computes is known on simulated cards alone", k->q->l->path, r->line,
                       other->name);
    step_request q = *k->q;
    q.s = other;
    q.ptx = k->q->witness;
    q.ptx_bytes = k->q->witness_bytes;
    snprintf(q.ptx_name, sizeof q.ptx_name, "%.200s.ptx", other->name);
    q.checks = 0;
    q.untimed = true;
    q.lines = q.trace = q.hot = q.find_writer = false;
    q.film = NULL;
    q.shipped = NULL;
    runner *w = runner_new(k->c, &q);
    if (!w) return problem(k, EXIT_INTERNAL, NULL, NO_MEMORY);
    w->again = true; /* it says nothing of its own */
    int status = runner_open(w);
    if (!status) status = runner_buffers(w);
    if (!status) status = runner_act(w);
    if (!status) status = runner_read(w, r->ours.buffer, out);
    if (status)
        problem(k, status == EXIT_CHECK ? EXIT_USAGE : status, NULL,
                "%s:%d: step %s, which is to judge this one, fails%s%.150s", k->q->l->path, r->line, other->name,
                w->r.problem[0] ? ": " : "", w->r.problem);
    if (status == EXIT_CHECK) status = EXIT_USAGE;
    dev *opened = w->dev;
    runner_free(w);
    dev_close(opened);
    return status;
}

/* What is judged, as far as it is known before the card has run: its type and its length. */
static cpu_value shape_of(const runner *k, const lesson_right *r)
{
    cpu_value v = {.type = TYPE_I64, .count = 1, .scalar = true};
    if (r->ours.buffer >= 0) v = k->host[r->ours.buffer];
    else if (k->result[r->ours.local].data) v = k->result[r->ours.local];
    return v;
}

/* Computes the expected result, unless an earlier run on the same inputs has done so. That includes
 * runs whose inputs have since been given to the card. */
static int know_right(runner *k, int index)
{
    const lesson_right *r = &k->s->right[index];
    cpu_value *to = &k->reference[index];
    if (to->data && judged_by_inputs(k->s, r)) return 0;
    cpu_value_free(to);
    double seconds = 0;
    const cpu_value ours = shape_of(k, r);
    int status = r->witness >= 0 ? ask_witness(k, r, to)
                 : r->formula    ? evaluate(k, r, &ours, to)
                                 : operate(k, r->operation, r->arg, r->args, r->line, false, to, &seconds);
    k->cpu_seconds += seconds;
    return status;
}

int runner_before_card(runner *k)
{
    for (int i = 0; i < k->s->right_count; i++) {
        bool needs = false;
        const lesson_right *r = &k->s->right[i];
        for (int b = 0; b < k->s->buffer_count; b++) needs = needs || (k->given[b] && right_reads(k->s, r, b));
        needs = needs && !k->reference[i].data && judged_by_inputs(k->s, r);
        int status = needs ? know_right(k, i) : 0;
        if (status) return status;
    }
    return 0;
}

/* Those elements of `ours` that are judged. */
static int part(runner *k, const lesson_right *r, const cpu_value *ours, element_range *range, cpu_value *out)
{
    char why[160];
    const size_t each = (size_t)lesson_types[ours->type].bytes;
    const uint64_t columns = columns_of(k, r);
    int status = find_range(k, r, ours->count, columns, range);
    if (status) return status;
    if (cpu_make(out, ours->type, range->count, false, why, sizeof why))
        return problem(k, EXIT_INTERNAL, "Choose smaller settings.", "%s", why);
    for (uint64_t i = 0; i < range->count; i++)
        memcpy((char *)out->data + i * each, (const char *)ours->data + range_place(range, columns, i) * each, each);
    return 0;
}

/* A product, within what rounding can do. */
static int judge_product(runner *k, const lesson_right *r, const cpu_value *ours, verdict *v)
{
    char why[200];
    product_check q = {.a = &k->host[r->arg[0].buffer],
                       .b = &k->host[r->arg[1].buffer],
                       .ours = ours,
                       .by_rows = !strcmp(cpu_operations[r->operation].name, "row_products"),
                       .seed = k->q->seed};
    memset(v, 0, sizeof *v);
    int status = value_of(k, &r->arg[2].value, r->line, "the columns of the first", 1, INT64_C(1) << 36, &q.inner);
    const int bad = status ? 0 : product_judge(&q, v, why, sizeof why);
    if (bad)
        status = problem(k, bad == PRODUCT_SHORTAGE ? EXIT_INTERNAL : EXIT_USAGE, NULL, "%s:%d: %s: %s", k->q->l->path,
                         r->line, cpu_operations[r->operation].name, why);
    return status;
}

static int judge(runner *k, int index)
{
    const lesson_right *r = &k->s->right[index];
    cpu_value ours = {0}, some = {0};
    bool owned = false;
    int status = r->rounding ? 0 : know_right(k, index);
    if (k->host_op_seconds <= 0) k->r.cpu_threads = k->reference[index].threads;
    int64_t number;
    if (!status && r->ours.buffer >= 0) {
        status = runner_known(k, r->ours.buffer);
        if (!status) status = runner_read(k, r->ours.buffer, &ours);
        owned = !status;
        if (!status) runner_count_back(k, r->ours.buffer, &ours);
    } else if (!status && k->result[r->ours.local].data) {
        ours = k->result[r->ours.local];
    } else if (!status) {
        number = k->local[r->ours.local];
        ours = (cpu_value){.type = TYPE_I64, .count = 1, .scalar = true, .data = &number};
    }
    element_range range = {0};
    const bool partly = r->first[0].count || r->first[1].count;
    if (!status && partly) status = part(k, r, &ours, &range, &some);
    if (!status) {
        verdict v;
        if (r->rounding) status = judge_product(k, r, &ours, &v);
        else verdict_compare(&v, partly ? &some : &ours, &k->reference[index], r->within, r->relative);
        if (partly && !v.message[0] && v.wrong) v.first = range_place(&range, columns_of(k, r), v.first);
        if (!status && !k->was_wrong && (!k->r.judged || !v.correct || !index)) { /* else an earlier verdict stands */
            k->r.verdict = v;
            k->r.right = index;
        }
        if (!status) {
            k->was_wrong = k->was_wrong || !v.correct;
            k->r.judged = true;
        }
    }
    cpu_value_free(&some);
    if (owned) cpu_value_free(&ours);
    return status;
}

int runner_judge(runner *k)
{
    int status = 0;
    for (int i = 0; i < k->s->right_count && !status; i++) status = judge(k, i);
    const sim_place *writer = k->s->right_count && k->q->find_writer ? &k->writer[k->place[k->q->writer_buffer]] : NULL;
    if (writer && writer->line >= 0) {
        k->r.has_writer = true;
        k->r.writer_line = writer->line;
        memcpy(k->r.writer_block, writer->block, sizeof k->r.writer_block);
        memcpy(k->r.writer_thread, writer->thread, sizeof k->r.writer_thread);
    }
    return status;
}
