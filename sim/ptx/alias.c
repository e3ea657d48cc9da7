/* alias.c: `.alias name, function;` gives a function with a body here a second name, declared
 * before without a body. When the text has been read, every mention of the second name becomes the
 * function.
 */
#include "parse.h"

static ptx_func *function_named(parser *p)
{
    token at = p->t;
    if (at.kind != TK_NAME) parse_expected(p, "the name of a function");
    binding *b = names_lookup(p, names_intern(p, at.text, at.length));
    if (!b || b->kind != B_FUNC)
        parse_wrong(p, &at, "\"%.*s\" is not a function declared above", (int)(at.length < 60 ? at.length : 60),
                    at.text);
    lex_next(p);
    return b->is.func;
}

void parse_alias(parser *p)
{
    lex_next(p);
    token at = p->t;
    ptx_func *f = function_named(p);
    parse_take(p, ',', "\",\"");
    ptx_func *of = function_named(p);
    parse_take(p, ';', "\";\"");
    if (f->alias || f->has_body) parse_wrong(p, &at, "\"%.60s\" already has a body or an alias", f->name);
    if (f->is_entry || of->is_entry) parse_wrong(p, &at, "a kernel cannot have an alias");
    if (f->ret_count != of->ret_count || f->param_count != of->param_count)
        parse_wrong(p, &at, "\"%.60s\" and its alias \"%.60s\" take different parameters", f->name, of->name);
    f->alias = of;
    f->alias_line = at.line;
}

static ptx_func *meant(ptx_func *f) { return f && f->alias ? f->alias : f; }

static void in_operand(ptx_operand *o)
{
    ptx_table *t = o->kind == O_TABLE ? o->table : NULL;
    if (o->kind == O_FUNC) o->func = meant(o->func);
    for (int i = 0; t && i < t->count && t->funcs; i++) t->funcs[i] = meant(t->funcs[i]);
    for (int i = 0; i < ptx_inside(o); i++) in_operand(&o->elements[i]);
}

static void in_variables(ptx_var **vars, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < vars[i]->init_count; k++) vars[i]->inits[k].func = meant(vars[i]->inits[k].func);
}

void alias_finish(parser *p)
{
    ptx_module *m = p->m;
    bool any = false;
    for (int i = 0; i < m->func_count; i++) {
        const ptx_func *f = m->funcs[i];
        if (!f->alias) continue;
        any = true;
        if (f->has_body || !f->alias->has_body)
            parse_fail(p, SIM_E_SYNTAX, f->alias_line, 1, NULL,
                       f->has_body ? "\"%.60s\" has a body and is an alias too"
                                   : "\"%.60s\" is an alias of a function without a body",
                       f->name);
    }
    if (!any) return;
    in_variables(m->vars, m->var_count);
    for (int i = 0; i < m->func_count; i++) {
        ptx_func *f = m->funcs[i];
        in_variables(f->vars, f->var_count);
        for (int k = 0; k < f->insn_count; k++)
            for (int o = 0; o < f->insns[k].operand_count; o++) in_operand(&f->insns[k].operand[o]);
    }
}
