/* parse.c: a whole PTX text: its head, its functions, and errors. See parse.h for how the files
 * divide the work.
 *
 * The grammar is read top down, one function per rule: module, function, body. Only expressions,
 * operands and initialisers recurse, and that is counted (parse_enter); the braces of a body are a
 * stack of scopes, not recursion.
 */
#include "byreg.h"
#include "constants.h"
#include "data.h"
#include "debug.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- failing ---- */
PARSE_NORETURN static void leave(parser *p, int code, int line, int column, const char *hint, const char *message)
{
    sim_fail(p->err, code, "%s", message);
    if (p->err) {
        snprintf(p->err->file, sizeof p->err->file, "%s", p->m->name);
        p->err->line = line;
        p->err->column = column;
    }
    if (hint) sim_hint(p->err, "%s", hint);
    longjmp(p->fail, code);
}

void parse_fail(parser *p, int code, int line, int column, const char *hint, const char *fmt, ...)
{
    char message[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    leave(p, code, line, column, hint, message);
}

void parse_wrong(parser *p, const token *at, const char *fmt, ...)
{
    char message[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    leave(p, SIM_E_SYNTAX, at->line, at->column, NULL, message);
}

const char *parse_quote(const char *text, size_t length, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[at++] = '"';
    for (size_t i = 0; i < length; i++) {
        if (at + 6 > size) {
            if (at > 4) memcpy(buffer + at - 3, "...", 3);
            break;
        }
        unsigned char c = (unsigned char)text[i];
        if (c >= ' ' && c < 127) buffer[at++] = (char)c;
        else at += (size_t)snprintf(buffer + at, size - at, "\\x%02x", c);
    }
    buffer[at++] = '"';
    buffer[at] = 0;
    return buffer;
}

void parse_expected(parser *p, const char *what)
{
    char quoted[64];
    const token *t = &p->t;
    if (t->kind == TK_END) parse_wrong(p, t, "expected %s, but the text ends here", what);
    bool inner = t->kind == TK_DOT || t->kind == TK_STRING;
    parse_wrong(
        p, t, "expected %s, but found %s", what,
        parse_quote(t->text - inner, t->length + (inner ? t->kind == TK_STRING ? 2 : 1 : 0), quoted, sizeof quoted));
}

void parse_enter(parser *p)
{
    if (++p->nesting > PARSE_MAX_DEPTH)
        parse_fail(p, SIM_E_REFUSED, p->t.line, p->t.column, NULL, "this is nested more than %d deep", PARSE_MAX_DEPTH);
}

/* ---- small rules ---- */
bool parse_accept(parser *p, int kind)
{
    if (p->t.kind != kind) return false;
    lex_next(p);
    return true;
}

void parse_take(parser *p, int kind, const char *what)
{
    if (p->t.kind != kind) parse_expected(p, what);
    lex_next(p);
}

uint32_t parse_u32(parser *p, const char *what)
{
    if (p->t.kind != TK_INT || p->t.value > UINT32_MAX) parse_expected(p, what);
    uint32_t v = (uint32_t)p->t.value;
    lex_next(p);
    return v;
}

enum directive parse_directive_of(parser *p)
{
    if (p->t.kind != TK_DOT) return D_NONE;
    const name *n = names_find(p, p->t.text, p->t.length);
    return n ? (enum directive)n->directive : D_NONE;
}

static void parse_pragma(parser *p) /* .pragma "nounroll"; */
{
    static const char nounroll[] = "nounroll";
    lex_next(p);
    do {
        if (p->t.kind == TK_STRING)
            p->nounroll |= p->t.length == sizeof nounroll - 1 && !memcmp(p->t.text, nounroll, p->t.length);
        parse_take(p, TK_STRING, "a string after .pragma");
    } while (parse_accept(p, ','));
    parse_take(p, ';', "\";\"");
}

static enum ptx_space space_of(enum directive d)
{
    switch (d) {
    case D_GLOBAL: return SPACE_GLOBAL;
    case D_CONST: return SPACE_CONST;
    case D_SHARED: return SPACE_SHARED;
    case D_LOCAL: return SPACE_LOCAL;
    case D_PARAM: return SPACE_PARAM;
    case D_TEX: return SPACE_TEX;
    default: return SPACE_NONE;
    }
}

/* ---- signatures ---- */
static ptx_var **parse_params(parser *p, int *count) /* at "(", past ")" */
{
    ptx_var **list = NULL;
    int n = 0, capacity = 0;
    parse_take(p, '(', "\"(\"");
    while (p->t.kind != ')') {
        ptx_var *v = parse_param(p, n);
        *ARENA_PUSH(&p->scratch, list, n, capacity) = v;
        if (!parse_accept(p, ',')) break;
    }
    parse_take(p, ')', "\",\" or \")\"");
    *count = n;
    return n ? arena_grow(p->keep, list, (size_t)n, (size_t)n, sizeof *list) : NULL;
}

ptx_func *parse_prototype(parser *p) /* (.param .b32 _) _ (.param .b64 _) .noreturn; */
{
    ptx_func *f = arena_alloc(p->keep, sizeof *f);
    f->module = p->m;
    f->name = "_";
    f->line = p->t.line;
    if (p->t.kind == '(') f->rets = parse_params(p, &f->ret_count);
    parse_take(p, TK_NAME, "\"_\"");
    if (p->t.kind == '(') f->params = parse_params(p, &f->param_count);
    while (p->t.kind == TK_DOT) {
        if (parse_directive_of(p) != D_NORETURN) parse_expected(p, "\";\"");
        f->noreturn = true;
        lex_next(p);
    }
    parse_take(p, ';', "\";\"");
    return f;
}

static void parse_sizes(parser *p, uint32_t *out, const char *what) /* 256 [, 1 [, 1]] */
{
    lex_next(p);
    out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        token at = p->t;
        out[i] = parse_u32(p, what);
        if (!out[i]) parse_wrong(p, &at, "%s must not be 0", what);
        if (i == 2 || !parse_accept(p, ',')) break;
    }
}

static void parse_tuning(parser *p, ptx_func *f) /* directives between signature and body */
{
    uint32_t most[3];
    for (;;) {
        switch (parse_directive_of(p)) {
        case D_MAXNTID: parse_sizes(p, f->maxntid, "the largest number of threads"); break;
        case D_REQNTID: parse_sizes(p, f->reqntid, "the number of threads"); break;
        case D_REQNCTAPERCLUSTER: parse_sizes(p, f->cluster, "the number of blocks"); break;
        case D_MINNCTAPERSM:
            lex_next(p);
            f->minnctapersm = parse_u32(p, "a number of blocks");
            break;
        case D_MAXNREG:
            lex_next(p);
            f->maxnreg = parse_u32(p, "a number of registers");
            break;
        case D_MAXNCTAPERSM: parse_sizes(p, most, "a number"); break;
        case D_MAXCLUSTERRANK:
            parse_sizes(p, most, "the largest number of blocks");
            f->cluster_most = most[0];
            break;
        case D_EXPLICITCLUSTER:
            f->explicit_cluster = true;
            lex_next(p);
            break;
        case D_BLOCKSARECLUSTERS: lex_next(p); break;
        case D_NORETURN:
            f->noreturn = true;
            lex_next(p);
            break;
        case D_ATTRIBUTE: parse_attribute(p); break;
        case D_PRAGMA: parse_pragma(p); break;
        default: return;
        }
    }
}

/* ---- bodies ---- */
static void parse_label(parser *p, const token *at) /* after "name:" */
{
    name *n = names_intern(p, at->text, at->length);
    enum directive d = parse_directive_of(p);
    if (d == D_BRANCHTARGETS || d == D_CALLTARGETS || d == D_CALLPROTOTYPE) parse_table(p, n, at->line, at->column);
    else names_bind(p, n, B_LABEL, at->line, at->column)->is.label = p->insn_count;
}

static void parse_body_directive(parser *p)
{
    enum directive d = parse_directive_of(p);
    bool is_extern = false;
    while (d == D_EXTERN || d == D_VISIBLE || d == D_WEAK || d == D_COMMON) {
        is_extern |= d == D_EXTERN;
        lex_next(p);
        d = parse_directive_of(p);
    }
    if (space_of(d)) {
        lex_next(p);
        parse_variables(p, space_of(d), is_extern);
        return;
    }
    switch (d) {
    case D_REG:
        lex_next(p);
        parse_registers(p);
        break;
    case D_LOC: debug_loc(p); break;
    case D_FILE: debug_file(p); break;
    case D_PRAGMA: parse_pragma(p); break;
    default: parse_expected(p, "an instruction or a directive of a function's body");
    }
}

static void parse_body(parser *p, ptx_func *f) /* at "{", past the matching "}" */
{
    int outermost = p->depth; /* the function's scope: its parameters and the body's own names */
    token open = p->t;
    p->insn_count = 0;
    p->loc = -1;
    p->scopes[outermost].open = open;
    lex_next(p);
    byreg_begin(p);
    for (;;) {
        token at = p->t;
        switch (at.kind) {
        case '{':
            scope_open(p, &at);
            lex_next(p);
            break;
        case '}':
            f->last_line = at.line;
            lex_next(p);
            if (p->depth == outermost) goto done;
            scope_close(p);
            break;
        case ';': lex_next(p); break;
        case TK_DOT: parse_body_directive(p); break;
        case TK_NAME: {
            const lexer *lx = &p->lx;
            const char *s = lx->at;
            while (s < lx->end && (*s == ' ' || *s == '\t')) s++;
            if (s < lx->end && *s == ':') {
                lex_next(p);
                lex_next(p);
                parse_label(p, &at);
            } else {
                parse_statement(p);
            }
            break;
        }
        case TK_END:
            open = p->scopes[p->depth].open;
            parse_wrong(p, &at, "expected \"}\": the brace of line %d, column %d is not closed", open.line,
                        open.column);
        default: parse_statement(p);
        }
    }
done:
    byreg_return(p, NULL);
    f->insns = p->insn_count ? arena_array(p->keep, (size_t)p->insn_count, sizeof *f->insns) : NULL;
    if (p->insn_count) memcpy(f->insns, p->insns, (size_t)p->insn_count * sizeof *f->insns);
    f->insn_count = f->insn_capacity = p->insn_count;
    f->has_body = true;
}

/* ---- functions ---- */
static ptx_func *declare_function(parser *p, const token *at, bool is_entry)
{
    name *n = names_intern(p, at->text, at->length);
    binding *b = n->top;
    if (b && b->kind == B_FUNC) return b->is.func; /* declared before: defined or repeated here */
    ptx_func *f = arena_alloc(p->keep, sizeof *f);
    names_bind(p, n, B_FUNC, at->line, at->column)->is.func = f;
    f->name = n->text;
    f->is_entry = is_entry;
    f->module = p->m;
    f->index = p->m->func_count;
    *ARENA_PUSH(p->keep, p->m->funcs, p->m->func_count, p->m->func_capacity) = f;
    return f;
}

static void bind_params(parser *p, ptx_func *f, ptx_var **list, int count)
{
    for (int i = 0; i < count; i++) {
        list[i]->owner = f;
        const bool nameless = !strcmp(list[i]->name, "_");
        if (list[i]->in_register) {
            name *n = nameless ? NULL : names_intern(p, list[i]->name, strlen(list[i]->name));
            list[i]->reg = n ? names_register_bind(p, n, list[i]->type, list[i]->vector, list[i]->line, 1)->is.reg
                             : names_register(p, list[i]->type, list[i]->name, 0);
            for (int k = 1; !n && k < list[i]->vector; k++) names_register(p, list[i]->type, list[i]->name, 0);
        }
        if (nameless || list[i]->in_register) continue;
        names_bind(p, names_intern(p, list[i]->name, strlen(list[i]->name)), B_VAR, list[i]->line, 1)->is.var = list[i];
    }
}

static void parse_function(parser *p, bool is_entry, bool is_extern, bool is_weak)
{
    ptx_func seen = {0};
    lex_next(p);
    while (parse_directive_of(p) == D_ATTRIBUTE) parse_attribute(p);
    if (p->t.kind == '(' && !is_entry) seen.rets = parse_params(p, &seen.ret_count);
    token at = p->t;
    if (at.kind != TK_NAME) parse_expected(p, is_entry ? "the name of a kernel" : "the name of a function");
    ptx_func *f = declare_function(p, &at, is_entry);
    lex_next(p);
    if (p->t.kind == '(') seen.params = parse_params(p, &seen.param_count);
    for (int i = 0; is_entry && i < seen.param_count; i++)
        if (seen.params[i]->in_register)
            parse_wrong(p, &at, "a kernel takes its parameters as .param, not in registers");
    parse_tuning(p, &seen);
    bool defines = p->t.kind == '{';
    const bool next =
        !is_entry && (p->t.kind == TK_DOT || p->t.kind == TK_END); /* old compilers omit a prototype's ";" */
    if (!defines && !next && p->t.kind != ';') parse_expected(p, "\"{\" or \";\"");

    bool first = !f->line;
    if (!first && f->is_entry != is_entry)
        parse_wrong(p, &at, "\"%.60s\" is declared both as .entry and as .func", f->name);
    if (!first && (f->ret_count != seen.ret_count || f->param_count != seen.param_count))
        parse_wrong(p, &at, "\"%.60s\" is declared with different parameters in line %d", f->name, f->line);
    if (defines && f->has_body) parse_wrong(p, &at, "\"%.60s\" is already defined, in line %d", f->name, f->line);
    f->is_weak |= is_weak;
    f->noreturn |= seen.noreturn;
    if (first || defines) {
        f->line = at.line;
        f->is_extern = is_extern;
        f->rets = seen.rets;
        f->ret_count = seen.ret_count;
        f->params = seen.params;
        f->param_count = seen.param_count;
        memcpy(f->maxntid, seen.maxntid, sizeof f->maxntid);
        memcpy(f->reqntid, seen.reqntid, sizeof f->reqntid);
        memcpy(f->cluster, seen.cluster, sizeof f->cluster);
        f->cluster_most = seen.cluster_most;
        f->explicit_cluster = seen.explicit_cluster;
        f->minnctapersm = seen.minnctapersm;
        f->maxnreg = seen.maxnreg;
    }
    if (!defines) {
        parse_accept(p, ';');
        return;
    }
    scope_open(p, &p->t);
    p->f = f;
    bind_params(p, f, f->rets, f->ret_count);
    bind_params(p, f, f->params, f->param_count);
    parse_body(p, f);
    scope_close(p);
    p->f = NULL;
}

/* ---- the module ---- */
static void parse_version(parser *p)
{
    lex_next(p);
    const char *s = p->t.text;
    int parts[2] = {0, 0}, i = 0, digits = 0;
    bool good = p->t.kind == TK_F64;
    for (uint32_t k = 0; good && k < p->t.length; k++) {
        if (s[k] == '.' && !i && digits) i = 1, digits = 0;
        else if (s[k] >= '0' && s[k] <= '9' && ++digits <= 3) parts[i] = parts[i] * 10 + (s[k] - '0');
        else good = false;
    }
    if (!good || !digits || !i) parse_expected(p, "a version such as 8.0");
    p->m->version_major = parts[0];
    p->m->version_minor = parts[1];
    lex_next(p);
}

static void parse_target(parser *p)
{
    ptx_module *m = p->m;
    lex_next(p);
    for (bool first = true;; first = false) {
        token at = p->t;
        if (at.kind != TK_NAME) parse_expected(p, "a target such as sm_75");
        if (first) {
            uint32_t i = 3;
            if (at.length < 4 || memcmp(at.text, "sm_", 3)) parse_expected(p, "a target such as sm_75");
            for (m->sm = 0; i < at.length && at.text[i] >= '0' && at.text[i] <= '9' && m->sm < 1000; i++)
                m->sm = m->sm * 10 + (at.text[i] - '0');
            if (i == 3 || m->sm < 10 || at.length - i > 1) parse_expected(p, "a target such as sm_75");
            m->target_suffix = arena_string(p->keep, at.text + i, at.length - i);
        }
        lex_next(p);
        if (!parse_accept(p, ',')) break;
    }
}

static void parse_address_size(parser *p)
{
    lex_next(p);
    token at = p->t;
    p->m->address_size = (int)parse_u32(p, "64");
    if (p->m->address_size == 32)
        parse_fail(p, SIM_E_REFUSED, at.line, at.column, "Compile it again with -m64, as nvcc does by default.",
                   "PTX with 32-bit addresses is not supported");
    if (p->m->address_size != 64) parse_wrong(p, &at, "the address size must be 64");
}

static void parse_declaration(parser *p) /* [linkage] function or variable */
{
    bool is_extern = false, is_weak = false;
    enum directive d = parse_directive_of(p);
    for (; d == D_EXTERN || d == D_VISIBLE || d == D_WEAK || d == D_COMMON; d = parse_directive_of(p)) {
        is_extern |= d == D_EXTERN;
        is_weak |= d == D_WEAK;
        lex_next(p);
    }
    if (d == D_ENTRY || d == D_FUNC) {
        parse_function(p, d == D_ENTRY, is_extern, is_weak);
    } else if (space_of(d) && d != D_PARAM) {
        lex_next(p);
        parse_variables(p, space_of(d), is_extern);
    } else {
        parse_expected(p, "a function, a variable or another directive of a module");
    }
}

static void parse_module(parser *p)
{
    lex_next(p);
    if (parse_directive_of(p) != D_VERSION) parse_expected(p, "\".version\": PTX text must start with it");
    parse_version(p);
    if (parse_directive_of(p) != D_TARGET) parse_expected(p, "\".target\" after \".version\"");
    parse_target(p);
    while (p->t.kind != TK_END) {
        switch (parse_directive_of(p)) {
        case D_VERSION: parse_version(p); break;
        case D_TARGET: parse_target(p); break;
        case D_ADDRESS_SIZE: parse_address_size(p); break;
        case D_FILE: debug_file(p); break;
        case D_LOC: debug_loc(p); break;
        case D_SECTION: debug_section(p); break;
        case D_PRAGMA: parse_pragma(p); break;
        case D_ALIAS: parse_alias(p); break;
        default:
            if (p->t.kind == ';') lex_next(p);
            else if (p->t.kind == '}') parse_expected(p, "a function or a directive: no brace is open");
            else parse_declaration(p);
        }
    }
    alias_finish(p);
    debug_finish(p);
}

/* Runs with `p` set up; returns a code however parsing ends. */
static int parse_guarded(parser *p, const char *text_name, const char *text, size_t bytes)
{
    if (setjmp(p->oom)) {
        p->m->read = p->lx.at ? (size_t)(p->lx.at - text) : 0;
        sim_no_memory(p->err);
        if (p->err) snprintf(p->err->file, sizeof p->err->file, "%s", p->m->name);
        return SIM_E_MEMORY;
    }
    switch (setjmp(p->fail)) {
    case 0: break;
    case SIM_E_REFUSED: return SIM_E_REFUSED;
    default: return SIM_E_SYNTAX;
    }
    p->m->name = arena_string(p->keep, text_name, strlen(text_name));
    p->m->target_suffix = "";
    p->m->address_size = 64;
    names_start(p);
    lex_start(&p->lx, text, bytes);
    p->loc = -1;
    parse_module(p);
    return SIM_OK;
}

int ptx_parse(ptx_module *m, const char *text_name, const char *text, size_t bytes, sim_error *err)
{
    if (!text_name) text_name = "";
    m->name = text_name;
    parser *p = bytes <= PARSE_MAX_TEXT ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        int code = bytes <= PARSE_MAX_TEXT ? SIM_E_MEMORY : SIM_E_REFUSED;
        if (code == SIM_E_MEMORY) sim_no_memory(err);
        else sim_fail(err, code, "the text is longer than %d MiB", PARSE_MAX_TEXT >> 20);
        if (err) snprintf(err->file, sizeof err->file, "%s", text_name);
        return code;
    }
    arena *keep = m->arena;
    jmp_buf *outer_oom = keep->oom;
    p->m = m;
    p->err = err;
    p->keep = keep;
    p->scratch.oom = keep->oom = &p->oom;
    p->scratch.budget = keep->budget;
    int code = parse_guarded(p, text_name, text, bytes);
    keep->oom = outer_oom;
    arena_free(&p->scratch);
    free(p);
    return code;
}
