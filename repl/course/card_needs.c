/* card_needs.c: card-needs: what a step, a lesson or an exercise needs of the card. */
#include "lesson_load.h"
#include "sim.h"
#include "shell/language.h"
#include <stddef.h>
#include <string.h>

enum { TENSOR_COMPUTE = 70 /* the first with tensor cores */ };

static bool load_compute(cursor *c, int *out)
{
    double compute;
    load_blanks(c);
    char *start = c->p;
    if (!load_number(c, &compute, "a compute capability, as in compute 9.0")) return false;
    const int tenths = (int)(compute < 100 && compute > 0 ? compute * 10 + 0.5 : 0);
    if (tenths < 10 || compute * 10 - tenths > 0.01 || tenths - compute * 10 > 0.01)
        return load_fail(c, start, "expected a compute capability, as in compute 9.0");
    *out = tenths;
    return true;
}

static bool load_bytes(cursor *c, int64_t *out)
{
    expr e;
    char why[100];
    load_blanks(c);
    char *start = c->p;
    if (!load_expr(c, &e)) return false;
    if (!expr_eval(&e, NULL, NULL, out, why, sizeof why) || *out < 1)
        return load_fail(c, start, "expected a number of bytes, as in shared memory 100Ki");
    return true;
}

bool load_card_needs(cursor *c)
{
    lesson_step *s = c->s->step;
    card_needs n = {.line = c->line + 1};
    do {
        if (load_word(c, "compute")) {
            if (!load_compute(c, &n.compute)) return false;
        } else if (load_word(c, "tensor cores")) {
            n.tensor_cores = true;
        } else if (load_word(c, "shared memory")) {
            if (!load_bytes(c, &n.shared)) return false;
        } else if (load_word(c, "a clock")) {
            n.clock = true;
        } else {
            return load_fail(c, NULL, "expected compute N.N, tensor cores, shared memory BYTES or a clock");
        }
    } while (load_char(c, ','));
    if (s) s->needs = n;
    else c->s->l->card_needs = n;
    return load_end(c);
}

card_needs step_needs(const lesson *l, const lesson_step *s)
{
    card_needs n = l->card_needs;
    if (!s) return n;
    if (s->needs.compute > n.compute) n.compute = s->needs.compute;
    if (s->needs.shared > n.shared) n.shared = s->needs.shared;
    n.tensor_cores = n.tensor_cores || s->needs.tensor_cores;
    n.clock = n.clock || s->needs.clock;
    if (!n.line) n.line = s->needs.line;
    return n;
}

bool card_lacks(const card_needs *n, const char *device, int compute, const sim_card *card, char *out, size_t size)
{
    if (n->compute > compute)
        snprintf(out, size, TR("it needs compute %d.%d, and %.60s has %d.%d"), n->compute / 10, n->compute % 10, device,
                 compute / 10, compute % 10);
    else if (n->tensor_cores && compute < TENSOR_COMPUTE)
        snprintf(out, size, TR("it needs tensor cores, and %.60s has none"), device);
    else if (card && n->shared > (int64_t)card->shared_per_block)
        snprintf(out, size, TR("it needs %lld bytes of shared memory for a block, and %.60s has %lld"),
                 (long long)n->shared, device, (long long)card->shared_per_block);
    else if (card && n->clock && !card->timing.known)
        snprintf(out, size, TR("it needs a clock, and %.60s has none here"), device);
    else return false;
    return true;
}

static const struct {
    const char *name;
    size_t at; /* of an int in sim_card */
    const char *attribute;
} values[] = {
    {"multiprocessors", offsetof(sim_card, multiprocessors), "cudaDevAttrMultiProcessorCount"},
    {"shared_per_block", offsetof(sim_card, shared_per_block), "cudaDevAttrMaxSharedMemoryPerBlockOptin"},
};

const char *launch_fact_at(int i, const char **attribute)
{
    if (i >= (int)(sizeof values / sizeof *values)) return NULL;
    *attribute = values[i].attribute;
    return values[i].name;
}

static int value_named(const char *name, size_t length)
{
    int i = (int)(sizeof values / sizeof *values);
    while (i-- > 0)
        if (strlen(values[i].name) == length && !memcmp(values[i].name, name, length)) break;
    return i;
}

bool launch_fact_named(const char *name, size_t length) { return value_named(name, length) >= 0; }

bool launch_fact(const sim_card *card, const char *name, size_t length, int64_t *out)
{
    const int i = value_named(name, length);
    int value = 0;
    if (i < 0) return false;
    memcpy(&value, (const char *)card + values[i].at, sizeof value);
    *out = value;
    return true;
}
