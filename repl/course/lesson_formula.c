/* lesson_formula.c: the keys that hold expressions about elements: a buffer's fill, and `right:`.
 * What their names mean is checked when the whole step is known (lesson_check.c). */
#include "lesson_load.h"
#include "reference.h"
#include <ctype.h>
#include <string.h>

/* An expression about elements; NULL after a report. `from` has the names of its variables. */
static lesson_formula *load_formula(cursor *c, const lesson_formula *from)
{
    expr_node node[ELEMENT_NODES];
    int count;
    load_blanks(c);
    const char *at, *expected, *stop = expr_parse_elements(node, &count, c->p, c->end, &at, &expected);
    if (!stop) {
        load_fail(c, at, "expected %s", expected);
        return NULL;
    }
    lesson_formula *f = load_keep(c, sizeof *f);
    expr_node *kept = f ? load_keep(c, sizeof *kept * (size_t)count) : NULL;
    if (!kept) return NULL;
    memcpy(kept, node, sizeof *kept * (size_t)count);
    *f = *from;
    f->node = kept;
    f->count = count;
    f->source = c->s->lines[c->line].text;
    f->line = c->line + 1;
    f->column = (int)(c->p - f->source) + 1;
    c->p += stop - c->p;
    return f;
}

/* ---- fills ---- */

bool load_fill(cursor *c, lesson_buffer *b)
{
    char *start = (load_blanks(c), c->p), *end = start;
    b->formula = NULL;
    while (end < c->end && (isalnum((unsigned char)*end) || *end == '_')) end++;
    const int fill = fill_named(start, (size_t)(end - start));
    if (fill >= 0) {
        b->fill = fill;
        c->p = end;
        return !fill_generators[fill].parameter || !load_char(c, '%') || load_expr(c, &b->parameter);
    }
    /* a number alone is written as it is, without rounding to 64 bits */
    const bool number = start < c->end && (isdigit((unsigned char)*start) || *start == '-' || *start == '.');
    char *after = start + (number && *start == '-');
    while (number && after < c->end &&
           (isalnum((unsigned char)*after) || *after == '.' ||
            (strchr("+-", *after) && after > start && strchr("eE", after[-1]))))
        after++;
    char *next = after;
    while (next < c->end && *next == ' ') next++;
    if (number && (next == c->end || *next == ',' || (next > after && !strncmp(next, "in ", 3)))) {
        b->fill = FILL_CONSTANT;
        return load_number(c, &b->value, "a number");
    }
    lesson_formula of = {.variables = 1, .variable = {"i"}};
    if (!(b->formula = load_formula(c, &of))) return false;
    b->fill = FILL_FORMULA;
    if (b->formula->count > 1 || !isalpha((unsigned char)*start) || (end - start == 1 && *start == 'i') ||
        lesson_setting_named(c->s->l, start, (size_t)(end - start)) >= 0)
        return true;
    char known[300] = "";
    for (int i = 0; fill_generators[i].name; i++)
        if (i != FILL_CONSTANT && i != FILL_FORMULA)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                     fill_generators[i].name);
    return load_fail(c, start, "expected a fill (%s), a number, or an expression of i", known);
}

/* ---- right ---- */

/* [i] or [i][j] after what is judged: the names of its index. */
static bool load_variables(cursor *c, lesson_formula *f)
{
    const lesson_step *s = c->s->step;
    while (f->variables < 2 && load_char(c, '[')) {
        char *name = f->variable[f->variables];
        load_blanks(c);
        char *start = c->p;
        if (!load_name(c, f->variable[f->variables], "a name for the index, as in y[i]", false)) return false;
        if (lesson_setting_named(c->s->l, name, strlen(name)) >= 0 || step_buffer_named(s, name, strlen(name)) >= 0 ||
            step_local_named(s, name, strlen(name)) >= 0 || (f->variables && !strcmp(name, f->variable[0])))
            return load_fail(c, start, "expected a name that nothing else has: %s is taken", name);
        if (!load_char(c, ']')) return load_fail(c, NULL, "expected ']': the index is a name alone, for every element");
        f->variables++;
    }
    return true;
}

/* for i = FIRST to LAST[, j = FIRST to LAST] */
static bool load_limits(cursor *c, lesson_right *r)
{
    do {
        char name[LESSON_NAME + 1];
        load_blanks(c);
        char *start = c->p;
        if (!load_name(c, name, "the name of the index", false)) return false;
        int v = 0;
        while (v < r->formula->variables && strcmp(r->formula->variable[v], name)) v++;
        if (v == r->formula->variables)
            return load_fail(c, start, "expected the index that stands on the left: %s is not", name);
        if (!load_char(c, '=')) return load_fail(c, NULL, "expected '=' and the first element");
        if (!load_expr(c, &r->first[v])) return false;
        if (!load_word(c, "to")) return load_fail(c, NULL, "expected 'to' and the last element");
        if (!load_expr(c, &r->last[v])) return false;
    } while (load_char(c, ','));
    return true;
}

/* sum(data) is an operation in C; sum(k, 0, n, data[k]) is not: no operation's first argument is followed by
 * something else than a comma or a parenthesis where it is a buffer. */
static bool is_operation(const cursor *c)
{
    const char *p = c->p, *name;
    while (p < c->end && *p == ' ') p++;
    for (name = p; p < c->end && (isalnum((unsigned char)*p) || *p == '_');) p++;
    if (p == c->end || *p != '(' || p == name) return false;
    char shown[LESSON_NAME + 2];
    snprintf(shown, sizeof shown, "%.*s", (int)(p - name < LESSON_NAME ? p - name : LESSON_NAME), name);
    bool function = false;
    for (int i = 0; !function && expr_function_name(i); i++) function = !strcmp(expr_function_name(i), shown);
    if (!function) return true; /* of an unknown name the operations are listed */
    const char *arg = ++p;
    while (p < c->end && (isalnum((unsigned char)*p) || *p == '_')) p++;
    const bool alone = p < c->end && (*p == ',' || *p == ')');
    return alone && (step_buffer_named(c->s->step, arg, (size_t)(p - arg)) >= 0 ||
                     step_local_named(c->s->step, arg, (size_t)(p - arg)) >= 0);
}

/* like STEP: what another step's kernel made of the same inputs. */
static bool load_witness(cursor *c, lesson_right *r)
{
    char name[LESSON_NAME + 1];
    const lesson *l = c->s->l;
    const lesson_step *s = c->s->step;
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "the name of an earlier step", true)) return false;
    const lesson_step *other = lesson_step_named(l, name, strlen(name));
    if (!other || other == s) return load_fail(c, start, "expected an earlier step: there is none called %s", name);
    bool same = other->kernel_file && other->buffer_count == s->buffer_count;
    for (int i = 0; same && i < s->buffer_count; i++)
        same = !strcmp(s->buffer[i].name, other->buffer[i].name) && s->buffer[i].type == other->buffer[i].type &&
               s->buffer[i].fill == other->buffer[i].fill;
    if (!same)
        return load_fail(c, start, "expected a step with the same buffers and fills, as after \"step: %s like %s\"",
                         s->name, name);
    r->witness = (int)(other - l->step);
    return true;
}

bool load_right(cursor *c)
{
    lesson_step *s = c->s->step;
    if (!c->s->own_rights) s->right_count = 0; /* the first of its own replaces all those from `like` */
    c->s->own_rights = true;
    lesson_right *r = LOAD_ROOM(c, s->right, s->right_count, LESSON_RIGHTS, "right:");
    if (!r) return false;
    lesson_formula of = {.variables = 0};
    r->line = c->line + 1;
    r->witness = -1;
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, r->ours_name, "the result or buffer to judge", false)) return false;
    const size_t length = strlen(r->ours_name);
    r->ours.buffer = step_buffer_named(s, r->ours_name, length);
    r->ours.local = r->ours.buffer < 0 ? step_local_named(s, r->ours_name, length) : -1;
    if (r->ours.buffer < 0 && r->ours.local < 0)
        return load_fail(c, start, "expected a buffer or a `finish` result of this step: there is no %s", r->ours_name);
    if (r->ours.buffer >= 0) s->buffer[r->ours.buffer].keeps = true;
    if (!load_variables(c, &of)) return false;
    if (of.variables == 2 && (r->ours.buffer < 0 || !s->buffer[r->ours.buffer].rows.count))
        return load_fail(c, start, "expected one index: %s is not declared \"in ROWS x COLUMNS\"", r->ours_name);
    if (!load_word(c, "==")) return load_fail(c, NULL, "expected '==' and what the CPU computes");
    if (!of.variables && r->ours.buffer >= 0 && load_word(c, "like")) {
        if (!load_witness(c, r)) return false;
    } else if (!of.variables && is_operation(c)) {
        if (!load_operation(c, &r->operation, r->arg, &r->args)) return false;
    } else {
        if (!of.variables && r->ours.buffer >= 0)
            return load_fail(c, start, "expected an element, as in %s[i], or an operation after ==", r->ours_name);
        if (!(r->formula = load_formula(c, &of))) return false;
        if (of.variables && load_word(c, "for") && !load_limits(c, r)) return false;
    }
    if (load_word(c, "within")) {
        if (load_word(c, "rounding")) {
            const char *name = r->formula || r->witness >= 0 ? "" : cpu_operations[r->operation].name;
            if (strcmp(name, "product") && strcmp(name, "row_products"))
                return load_fail(c, NULL, "expected a number: within rounding is for product and row_products");
            if (r->ours.buffer < 0 || r->arg[0].buffer < 0 || r->arg[1].buffer < 0)
                return load_fail(c, NULL, "expected buffers: %s and both factors", r->ours_name);
            r->rounding = true;
            return load_end(c);
        }
        if (!load_number(c, &r->within, "an error bound")) return false;
        r->relative = load_word(c, "relative");
        if (r->within <= 0)
            return load_fail(c, NULL, "expected an error bound above 0 (leave it out for an exact comparison)");
    }
    return load_end(c);
}
