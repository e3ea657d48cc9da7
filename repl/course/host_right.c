/* host_right.c: what is right, in the programs of `show host`: expressions about elements, and the comparison
 * at the end of main. */
#include "host_write.h"
#include "reference.h"

#include <string.h>

static int buffer_of(const host *h, const char *name, size_t length)
{
    const size_t prefix = length > 7 && !memcmp(name, "before.", 7) ? 7 : 0;
    return step_buffer_named(h->s, name + prefix, length - prefix);
}

/* What stands before [index] in an expression about elements. */
static void put_element(void *arg, FILE *to, const char *text, size_t length)
{
    const host *h = arg;
    const int buffer = buffer_of(h, text, length);
    if (buffer < 0) return;
    const lesson_buffer *b = &h->s->buffer[buffer];
    fprintf(to, "(%s)",
            lesson_types[b->type].kind == 'f' ? "double" : host_types[b->type == TYPE_U64 ? TYPE_U64 : TYPE_I64]);
    host_put_name(arg, to, b->name, strlen(b->name));
}

static void put_columns(void *arg, FILE *to, const char *text, size_t length)
{
    const host *h = arg;
    const int buffer = buffer_of(h, text, length);
    if (buffer >= 0) expr_write(to, &h->s->buffer[buffer].columns, false, host_put_name, arg);
}

void host_formula(host *h, FILE *to, const lesson_formula *f)
{
    expr_write_elements(to, f->node, f->count, host_put_name, put_element, put_columns, h);
}

typedef struct reading {
    const host *h;
    int buffer;
} reading;

static bool reads_other(void *arg, const char *name, size_t length, bool element)
{
    const reading *r = arg;
    return !element || buffer_of(r->h, name, length) != r->buffer;
}

/* Does the host look at its own copy: before a launch, or for what is right? */
bool host_reads(const host *h, int buffer)
{
    const lesson_step *s = h->s;
    bool launched = false, reads = false;
    for (int n = 0; n < s->right_count; n++) {
        const lesson_right *r = &s->right[n];
        reading of = {h, buffer};
        for (int i = 0; i < r->args; i++) reads = reads || r->arg[i].buffer == buffer;
        reads = reads || (r->formula && !expr_nodes_name(r->formula->node, r->formula->count, reads_other, &of));
    }
    for (int i = 0; i < s->action_count && !reads; i++) {
        const lesson_action *a = &s->action[i];
        launched = launched || a->kind == ACT_LAUNCH;
        for (int k = 0; k < a->args && (a->kind == ACT_HOST || (a->kind == ACT_FINISH && !launched)); k++)
            reads = reads || a->arg[k].buffer == buffer;
    }
    return reads;
}

/* for (long long i = FIRST; i <= LAST; i++), by default over all elements of what is judged. */
static void put_loop(host *h, const lesson_right *r, int v, const char *ours)
{
    const lesson_buffer *b = r->ours.buffer >= 0 ? &h->s->buffer[r->ours.buffer] : NULL;
    const bool rows = r->formula->variables == 2;
    fprintf(h->to, "%*sfor (long long ", 4 + 4 * v, "");
    host_name(h, r->formula->variable[v]);
    fprintf(h->to, " = ");
    if (r->first[v].count) host_value(h, &r->first[v]);
    else fputc('0', h->to);
    fprintf(h->to, "; ");
    host_name(h, r->formula->variable[v]);
    fprintf(h->to, r->last[v].count ? " <= " : " < ");
    if (r->last[v].count) host_value(h, &r->last[v]);
    else if (rows && b) host_value(h, v ? &b->columns : &b->rows);
    else fprintf(h->to, "(long long)%s.size()", ours);
    fprintf(h->to, "; ");
    host_name(h, r->formula->variable[v]);
    fprintf(h->to, "++)%s\n", v + 1 == r->formula->variables ? " {" : "");
}

/* exact1 gets what an expression says, ours1 the elements that are compared with it. */
static void put_formula_right(host *h, const lesson_right *r, const char *ours, int number)
{
    const lesson_formula *f = r->formula;
    const lesson_buffer *b = r->ours.buffer >= 0 ? &h->s->buffer[r->ours.buffer] : NULL;
    const bool rounded = b && r->within == 0;
    if (!f->variables) {
        fprintf(h->to, "    auto exact%d = ", number);
        host_formula(h, h->to, f);
        fprintf(h->to, ";\n    auto ours%d = %s;\n", number, ours);
        return;
    }
    const char *type = rounded ? host_types[b->type] : "double";
    fprintf(h->to, "    std::vector<%s> exact%d, ours%d;\n", type, number, number);
    for (int v = 0; v < f->variables; v++) put_loop(h, r, v, ours);
    const int in = 4 + 4 * f->variables;
    fprintf(h->to, "%*sexact%d.push_back((%s)(", in, "", number, type);
    host_formula(h, h->to, f);
    fprintf(h->to, "));\n%*sours%d.push_back(%s[", in, "", number, ours);
    host_name(h, f->variable[0]);
    if (f->variables == 2) {
        fprintf(h->to, " * (");
        host_value(h, &b->columns);
        fprintf(h->to, ") + ");
        host_name(h, f->variable[1]);
    }
    fprintf(h->to, "]);\n%*s}\n", in - 4, "");
}

void host_put_verdict(host *h)
{
    const lesson_step *s = h->s;
    if (!s->right_count) return;
    for (int i = 0; i < s->right_count; i++) {
        const lesson_right *r = &s->right[i];
        char ours[80], exact[24] = "exact";
        if (r->ours.buffer >= 0) host_put_back(h, r->ours.buffer);
        snprintf(ours, sizeof ours, "%s%s", r->ours_name,
                 r->ours.buffer >= 0                                 ? "_back"
                 : host_taken(h, r->ours_name, strlen(r->ours_name)) ? "_"
                                                                     : "");
        if (r->formula || i) snprintf(exact, sizeof exact, "exact%d", i + 1);
        if (r->formula) {
            put_formula_right(h, r, ours, i + 1);
            snprintf(ours, sizeof ours, "ours%d", i + 1);
        } else {
            fprintf(h->to, "    auto %s = ", exact);
            host_put_operation(h, r->operation, r->arg, r->args, false);
            fprintf(h->to, ";\n");
        }
        fprintf(h->to, "    %scompare(\"%s\", as_list(%s), as_list(%s), %.17g, %s)%s;\n",
                i ? "right = " : "bool right = ", r->ours_name, ours, exact, r->within, r->relative ? "true" : "false",
                i ? " && right" : "");
    }
    for (int i = 0; i < s->buffer_count && step_launches(s); i++)
        fprintf(h->to, "    CHECK(cudaFree(d_%s));\n", s->buffer[i].name);
    fprintf(h->to, "    return right ? 0 : 1;\n");
}
