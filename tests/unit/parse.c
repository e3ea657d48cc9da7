/* parse.c: what the PTX parser makes of good text, and its messages about bad text. Every rejected
 * text states the line and a part of the message that a person should see. For every accepted text,
 * the tree is checked. */
#include "ptx/ptx.h"
#include "check.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n" /* three lines: the text starts in line 4 */
#define BODY                                                                                                    \
    HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .f32 " \
         "%f<5>;\n"
#define END "\nret;\n}\n" /* BODY's instructions start in line 7 */

typedef struct parsed {
    arena a;
    ptx_module m;
    sim_error err;
    int code;
    const ptx_func *f; /* the last function with a body */
} parsed;

static parsed parse_bytes(const char *text, size_t bytes)
{
    parsed r;
    memset(&r, 0, sizeof r);
    r.m.arena = &r.a;
    char *exact = malloc(bytes ? bytes : 1); /* not NUL-terminated, and freed after parsing */
    if (!exact) abort();
    memcpy(exact, text, bytes);
    r.code = ptx_parse(&r.m, "test.ptx", exact, bytes, &r.err);
    memset(exact, 'x', bytes);
    free(exact);
    for (int i = 0; r.code == SIM_OK && i < r.m.func_count; i++)
        if (r.m.funcs[i]->has_body) r.f = r.m.funcs[i];
    return r;
}

/* ---- rejected ---- */
typedef struct reject {
    const char *name, *text;
    int code, line, column; /* column 0: not checked */
    const char *message, *hint;
} reject;

static const reject rejects[] = {
    {"empty text", "", SIM_E_SYNTAX, 1, 1, "expected \".version\": PTX text must start with it, but the text ends here",
     NULL},
    {"no version", ".target sm_75\n", SIM_E_SYNTAX, 1, 1, "expected \".version\"", NULL},
    {"no target", ".version 8.0\n.address_size 64\n", SIM_E_SYNTAX, 2, 1, "expected \".target\"", NULL},
    {"bad version", ".version eight\n", SIM_E_SYNTAX, 1, 10, "expected a version such as 8.0, but found \"eight\"",
     NULL},
    {"bad target", ".version 8.0\n.target pentium\n", SIM_E_SYNTAX, 2, 9,
     "expected a target such as sm_75, but found \"pentium\"", NULL},
    {"32-bit addresses", ".version 8.0\n.target sm_75\n.address_size 32\n", SIM_E_REFUSED, 3, 15, "32-bit addresses",
     "Compile it again with -m64, as nvcc does by default."},
    {"unknown directive", HEAD ".banana 3;\n", SIM_E_SYNTAX, 4, 1, "but found \".banana\"", NULL},
    {"unknown directive in a body", BODY ".banana;" END, SIM_E_SYNTAX, 7, 1, "but found \".banana\"", NULL},
    {"unknown opcode", BODY "mvo.u32 %r1, %r2;" END, SIM_E_REFUSED, 7, 1, "unknown opcode \"mvo\"",
     "Did you mean \"mov\"?"},
    {"unknown opcode, nothing alike", BODY "frobnicate %r1;" END, SIM_E_REFUSED, 7, 1, "unknown opcode \"frobnicate\"",
     NULL},
    {"unknown suffix", BODY "  add.banana.u32 %r1, %r2, %r3;" END, SIM_E_REFUSED, 7, 3,
     "in \"add.banana.u32\" the suffix \".banana\" is not known", NULL},
    {"unknown suffix with ::", BODY "ld.global.L9::x.u32 %r1, [%rd1];" END, SIM_E_REFUSED, 7, 1,
     "the suffix \".L9::x\" is not known", NULL},
    {"unsupported opcode", BODY "multimem.ld_reduce.add.u32 %r1, [%rd1];" END, SIM_E_REFUSED, 7, 1,
     "\"multimem.ld_reduce.add.u32\" is not supported (multimem: works on memory of several", NULL},
    {"opcode is not a directive", BODY "u32 %r1, %r2;" END, SIM_E_REFUSED, 7, 1, "unknown opcode \"u32\"", NULL},
    {"undefined register", BODY "mov.u32 %r1, %q7;" END, SIM_E_SYNTAX, 7, 14, "\"%q7\" is not declared here", NULL},
    {"register outside its range", BODY "mov.u32 %r9, 0;" END, SIM_E_SYNTAX, 7, 9, "\"%r9\" is not declared here",
     NULL},
    {"register with a leading zero", BODY "mov.u32 %r01, 0;" END, SIM_E_SYNTAX, 7, 9, "\"%r01\" is not declared here",
     NULL},
    {"undefined variable in an address", BODY "ld.shared.u32 %r1, [nowhere+4];" END, SIM_E_SYNTAX, 7, 21,
     "\"nowhere\" is not declared here", NULL},
    {"undefined guard", BODY "@%q1 ret;" END, SIM_E_SYNTAX, 7, 2, "\"%q1\" is not declared here", NULL},
    {"call of a function declared later", HEAD ".func f() {\ncall h;\n}\n.func h();", SIM_E_SYNTAX, 5, 6,
     "\"h\" is not declared here", NULL},
    {"guard is no predicate", BODY "@%r1 ret;" END, SIM_E_SYNTAX, 7, 2, "must be a register of type .pred", NULL},
    {"undefined label", BODY "bra nowhere;" END, SIM_E_SYNTAX, 7, 5, "there is no label \"nowhere\" in function \"k\"",
     NULL},
    {"label of another function", BODY "there:" END ".func g() { bra there; }", SIM_E_SYNTAX, 10, 17,
     "no label \"there\" in function \"g\"", NULL},
    {"label inside a scope that has closed", BODY "{ in: ; } bra in;" END, SIM_E_SYNTAX, 7, 15,
     "there is no label \"in\"", NULL},
    {"label as a value", BODY "here: mov.u64 %rd1, here;" END, SIM_E_SYNTAX, 7, 21,
     "the label \"here\" cannot be used as a value", NULL},
    {"branch target not a label", BODY "t: .branchtargets k;" END, SIM_E_SYNTAX, 7, 19, "there is no label \"k\"",
     NULL},
    {"register declared twice", BODY ".reg .b32 a;\n.reg .b32 a;" END, SIM_E_SYNTAX, 8, 11,
     "\"a\" is already declared in this scope, in line 7", NULL},
    {"range declared twice", BODY ".reg .f32 %r<3>;" END, SIM_E_SYNTAX, 7, 11,
     "already declared in this scope, in line 6", NULL},
    {"label declared twice", BODY "a:\na:" END, SIM_E_SYNTAX, 8, 1, "already declared in this scope, in line 7", NULL},
    {"variable declared twice", HEAD ".global .u32 a;\n.global .u32 a;", SIM_E_SYNTAX, 5, 14,
     "\"a\" is already declared", NULL},
    {"function defined twice", HEAD ".func f() { ret; }\n.func f() { ret; }", SIM_E_SYNTAX, 5, 7,
     "\"f\" is already defined, in line 4", NULL},
    {"function with other parameters", HEAD ".func f(.param .b32 a);\n.func f() { ret; }", SIM_E_SYNTAX, 5, 7,
     "declared with different parameters in line 4", NULL},
    {"parameter named twice", HEAD ".func f(.param .b32 a,\n.param .b32 a) { }", SIM_E_SYNTAX, 5, 0,
     "\"a\" is already declared", NULL},
    {"too many registers", BODY ".reg .b32 %x<4000000000>;" END, SIM_E_REFUSED, 7, 14, "at most 1000000 registers",
     NULL},
    {"register of opaque type", BODY ".reg .texref v;" END, SIM_E_REFUSED, 7, 0, "opaque type are not supported", NULL},
    {"vector register of eight", BODY ".reg .v8 .b16 v;" END, SIM_E_SYNTAX, 7, 0, "two or four elements", NULL},
    {"element that a vector has not", BODY ".reg .v2 .f32 v;\nmov.f32 v.z, v.x;" END, SIM_E_SYNTAX, 8, 10,
     "of a vector of two", NULL},
    {"prototype of a kernel without a semicolon", HEAD ".entry f(.param .b32 x)\n.global .b32 g;", SIM_E_SYNTAX, 5, 1,
     "expected \"{\" or \";\"", NULL},
    {"missing semicolon", BODY "mov.u32 %r1, 1\nmov.u32 %r2, 2;" END, SIM_E_SYNTAX, 8, 1,
     "expected \",\" or \";\", but found \"mov\"", NULL},
    {"missing semicolon after no operands", BODY "exit\nret;" END, SIM_E_SYNTAX, 8, 1, "is not declared here", NULL},
    {"text ends in a body", BODY "mov.u32 %r1, 1;\n", SIM_E_SYNTAX, 8, 1,
     "expected \"}\": the brace of line 5, column 1 is not closed", NULL},
    {"text ends in a scope", BODY "\n  { ret;\n", SIM_E_SYNTAX, 9, 1, "the brace of line 8, column 3 is not closed",
     NULL},
    {"one brace too many", HEAD ".func f() { } }\n", SIM_E_SYNTAX, 4, 15, "no brace is open, but found \"}\"", NULL},
    {"open comment", HEAD "\n  /* never\nends", SIM_E_SYNTAX, 5, 3, "this comment is not closed", NULL},
    {"open string", HEAD ".file 1 \"abc\n", SIM_E_SYNTAX, 4, 9, "this string is not closed", NULL},
    {"open vector", BODY "mov.b64 %rd1, {%r1, %r2;" END, SIM_E_SYNTAX, 7, 24,
     "expected \",\" or \"}\", but found \";\"", NULL},
    {"open bracket", BODY "ld.global.u32 %r1, [%rd1;" END, SIM_E_SYNTAX, 7, 25,
     "expected \"+\" or \"]\", but found \";\"", NULL},
    {"open section", HEAD ".section .debug_info {\n.b8 1\n", SIM_E_SYNTAX, 4, 1, "this section is not closed", NULL},
    {"operand missing", BODY "mov.u32 %r1, ;" END, SIM_E_SYNTAX, 7, 14, "expected a constant, but found \";\"", NULL},
    {"odd character", BODY "mov.u32 %r1, `;" END, SIM_E_SYNTAX, 7, 14, "the character \"`\" has no place in PTX", NULL},
    {"byte that is no character", BODY "mov.u32 %r1, \xff;" END, SIM_E_SYNTAX, 7, 14, "the character \"\\xff\"", NULL},
    {"short hex float", BODY "mov.f32 %f1, 0f3F80;" END, SIM_E_SYNTAX, 7, 14,
     "\"0f3F80\" needs exactly 8 hexadecimal digits", NULL},
    {"long hex float", BODY "mov.f32 %f1, 0f3F8000000;" END, SIM_E_SYNTAX, 7, 14, "needs exactly 8 hexadecimal digits",
     NULL},
    {"number too large", BODY "mov.u64 %rd1, 18446744073709551616;" END, SIM_E_SYNTAX, 7, 15, "does not fit in 64 bits",
     NULL},
    {"number with letters", BODY "mov.u64 %rd1, 12ab;" END, SIM_E_SYNTAX, 7, 15, "\"12ab\" is malformed", NULL},
    {"hex without digits", BODY "mov.u64 %rd1, 0x;" END, SIM_E_SYNTAX, 7, 15, "has no digits", NULL},
    {"octal 8", BODY "mov.u64 %rd1, 018;" END, SIM_E_SYNTAX, 7, 15, "is malformed", NULL},
    {"division by zero", BODY "mov.u32 %r1, 1 / 0;" END, SIM_E_SYNTAX, 7, 16, "division by zero", NULL},
    {"float in integer arithmetic", BODY "mov.u32 %r1, 1 + 1.5;" END, SIM_E_SYNTAX, 7, 16, "expected an integer", NULL},
    {"float as an offset", BODY "ld.global.u32 %r1, [%rd1+1.5];" END, SIM_E_SYNTAX, 7, 26, "expected an integer offset",
     NULL},
    {"negated constant name", HEAD ".global .u32 g;\n.func f() { .reg .u64 a; mov.u64 a, -g; }", SIM_E_SYNTAX, 5, 0,
     "only a register can be negated", NULL},
    {"function as an address", BODY "ld.global.u32 %r1, [k];" END, SIM_E_SYNTAX, 7, 21, "an address must start with",
     NULL},
    {"bad component", BODY "mov.u32 %r1, %tid.q;" END, SIM_E_SYNTAX, 7, 18, "expected \".x\", \".y\", \".z\" or \".w\"",
     NULL},
    {"component of a scalar", BODY "mov.u32 %r1, %laneid.x;" END, SIM_E_SYNTAX, 7, 21, "but found \".x\"", NULL},
    {"%envreg32", BODY "mov.u32 %r1, %envreg32;" END, SIM_E_SYNTAX, 7, 14, "is not declared here", NULL},
    {"alignment", HEAD ".global .align 3 .u32 x;", SIM_E_SYNTAX, 4, 16, "an alignment is a power of two", NULL},
    {"variable without a type", HEAD ".global x;", SIM_E_SYNTAX, 4, 9, "expected a type, but found \"x\"", NULL},
    {"variable of predicates", HEAD ".global .pred x;", SIM_E_SYNTAX, 4, 15, "a .pred is a register", NULL},
    {"array size overflow", HEAD ".global .u64 x[1099511627776][1099511627776];", SIM_E_REFUSED, 4, 14,
     "larger than 2^40 bytes", NULL},
    {"negative array size", HEAD ".global .u64 x[-1];", SIM_E_SYNTAX, 4, 15, "an array size", NULL},
    {"open second dimension", HEAD ".global .u64 x[2][];", SIM_E_SYNTAX, 4, 19, "only the first dimension", NULL},
    {"array without a size", HEAD ".global .u64 x[];", SIM_E_SYNTAX, 4, 14, "must be .extern or initialised", NULL},
    {"too many values", HEAD ".global .u32 x[2] = {1, 2, 3};", SIM_E_SYNTAX, 4, 28,
     "more values than the variable has room for", NULL},
    {"too many values in a row", HEAD ".global .u32 x[2][2] = {{1, 2, 3}};", SIM_E_SYNTAX, 4, 32, "more values", NULL},
    {"braces too deep", HEAD ".global .u32 x[2] = {{1}};", SIM_E_SYNTAX, 4, 22,
     "more braces than the variable has dimensions", NULL},
    {"initialised shared variable", HEAD ".shared .u32 x = 1;", SIM_E_SYNTAX, 4, 18,
     "only .global and .const variables may be initialised", NULL},
    {"initialised extern variable", HEAD ".extern .global .u32 x = 1;", SIM_E_SYNTAX, 4, 0, "cannot be initialised",
     NULL},
    {"undefined symbol in an initialiser", HEAD ".global .u64 x = nowhere;", SIM_E_SYNTAX, 4, 18,
     "\"nowhere\" is not a variable or function declared above", NULL},
    {"float for an integer", HEAD ".global .u32 x = 1.5;", SIM_E_SYNTAX, 4, 18, "a float cannot initialise a .u32",
     NULL},
    {"a kernel's parameter in a register", HEAD ".entry f(.reg .b32 x) { }", SIM_E_SYNTAX, 4, 8,
     "takes its parameters as .param", NULL},
    {"predicate as a parameter in memory", HEAD ".func f(.param .pred x) { }", SIM_E_SYNTAX, 4, 22,
     "only be passed in a register", NULL},
    {"vector of predicates as a parameter", HEAD ".func f(.reg .v2 .pred x) { }", SIM_E_SYNTAX, 4, 0,
     "cannot be of predicates", NULL},
    {"array of registers as a parameter", HEAD ".func f(.reg .b32 x[2]) { }", SIM_E_SYNTAX, 4, 20, "", NULL},
    {"two parameters of one name", HEAD ".func f(.reg .b32 x, .reg .b32 x) { }", SIM_E_SYNTAX, 4, 0, "", NULL},
    {"64 bits for 32", HEAD ".func f(.reg .b32 x) { }\n.func g() { .reg .b64 d; call f, (d); }", SIM_E_SYNTAX, 5, 26,
     "passes a value of 8 bytes", NULL},
    {"predicate for 32 bits", HEAD ".func f(.reg .b32 x) { }\n.func g() { .reg .pred d; call f, (d); }", SIM_E_SYNTAX,
     5, 27, "a value of a different kind", NULL},
    {"entry and func", HEAD ".func f();\n.entry f() { }", SIM_E_SYNTAX, 5, 8, "declared both as .entry and as .func",
     NULL},
    {"zero threads", HEAD ".entry f() .maxntid 0 { }", SIM_E_SYNTAX, 4, 21, "must not be 0", NULL},
    {"alias of nothing", HEAD ".alias a, b;", SIM_E_SYNTAX, 4, 8, "\"a\" is not a function declared above", NULL},
    {"alias of a variable", HEAD ".global .u32 g;\n.func f();\n.alias f, g;", SIM_E_SYNTAX, 6, 11,
     "\"g\" is not a function", NULL},
    {"alias with a body", HEAD ".func f() { }\n.func g() { }\n.alias f, g;", SIM_E_SYNTAX, 6, 8,
     "\"f\" already has a body or an alias", NULL},
    {"alias that gets a body", HEAD ".func f();\n.func g() { }\n.alias f, g;\n.func f() { }", SIM_E_SYNTAX, 6, 1,
     "has a body and is an alias", NULL},
    {"alias of a function without a body", HEAD ".func f();\n.func g();\n.alias f, g;", SIM_E_SYNTAX, 6, 1,
     "of a function without a body", NULL},
    {"alias of an alias", HEAD ".func f();\n.func g();\n.func h() { }\n.alias g, h;\n.alias f, g;", SIM_E_SYNTAX, 8, 1,
     "of a function without a body", NULL},
    {"alias of a kernel", HEAD ".func f();\n.entry k() { }\n.alias f, k;", SIM_E_SYNTAX, 6, 8,
     "a kernel cannot have an alias", NULL},
    {"alias with other parameters", HEAD ".func f(.param .b32 x);\n.func g() { }\n.alias f, g;", SIM_E_SYNTAX, 6, 8,
     "take different parameters", NULL},
    {"alias cut short", HEAD ".func f();\n.func g() { }\n.alias f,", SIM_E_SYNTAX, 6, 10, "the name of a function",
     NULL},
    {"file number", HEAD ".file 70000 \"a\"", SIM_E_REFUSED, 4, 7, "file numbers above 65535", NULL},
    {"words behind .loc", BODY ".loc 1 2 3, banana 4" END, SIM_E_SYNTAX, 7, 13,
     "expected \"function_name\" or \"inlined_at\"", NULL},
    {"calltargets of a variable", HEAD ".global .u32 g; .func f() { t: .calltargets g; }", SIM_E_SYNTAX, 4, 45,
     "a function declared above", NULL},
};

static void check_reject(const reject *c)
{
    parsed r = parse_bytes(c->text, strlen(c->text));
    bool good = r.code == c->code && r.err.code == c->code && r.err.line == c->line &&
                (!c->column || r.err.column == c->column) && strstr(r.err.message, c->message) &&
                !strcmp(r.err.file, "test.ptx") && (!c->hint || !strcmp(r.err.hint, c->hint));
    check_that(good, "%s: code %d, %s:%d:%d: %s [%s]", c->name, r.code, r.err.file, r.err.line, r.err.column,
               r.err.message, r.err.hint);
    arena_free(&r.a);
}

/* ---- accepted ---- */
static parsed accept(const char *name, const char *text)
{
    parsed r = parse_bytes(text, strlen(text));
    if (r.code)
        check_that(false, "%s: code %d, line %d, column %d: %s", name, r.code, r.err.line, r.err.column, r.err.message);
    return r;
}

/* `text` is the inside of a body, or a whole module when it starts with a dot. The code after the
 * macro checks r.m and r.f. */
#define ACCEPT(name, text)                                                                                   \
    for (parsed r = accept(name, text), *once = &r; once && (r.code == SIM_OK || (arena_free(&r.a), false)); \
         arena_free(&r.a), once = NULL)
#define CHECK(name, condition) check_that(condition, "%s: %s", name, #condition)

static const ptx_operand *operand(const parsed *r, int insn, int i)
{
    static const ptx_operand none = {.kind = 99, .reg = -2};
    if (!r->f || insn >= r->f->insn_count || i >= r->f->insns[insn].operand_count) return &none;
    return &r->f->insns[insn].operand[i];
}

static const ptx_var *variable(const parsed *r, const char *name)
{
    static const ptx_var none = {.name = "none"};
    for (int i = 0; i < r->m.var_count; i++)
        if (!strcmp(r->m.vars[i]->name, name)) return r->m.vars[i];
    for (int i = 0; r->f && i < r->f->var_count; i++)
        if (!strcmp(r->f->vars[i]->name, name)) return r->f->vars[i];
    return &none;
}

static bool holds(const ptx_var *v, const void *expected,
                  size_t bytes) /* its constant bytes, zero where not initialised */
{
    unsigned char *image = calloc(1, bytes ? bytes : 1);
    bool good = image && v->size == bytes;
    for (int i = 0; good && i < v->init_count; i++) {
        const ptx_init *p = &v->inits[i];
        good = p->offset + (uint64_t)p->size <= bytes && p->size <= 8;
        for (uint32_t k = 0; good && k < p->size; k++) image[p->offset + k] = (unsigned char)(p->bits >> (8 * k));
    }
    good = good && !memcmp(image, expected, bytes);
    free(image);
    return good;
}

static void check_constant(const char *text, int kind, uint64_t expected)
{
    char source[512];
    snprintf(source, sizeof source, "%s%s%s", BODY "mov.b64 %rd1, ", text, ";" END);
    ACCEPT(text, source)
    {
        const ptx_operand *o = operand(&r, 0, 1);
        check_that(o->kind == kind && (uint64_t)o->value.i == expected, "%s: kind %d, value %llx", text, o->kind,
                   (unsigned long long)o->value.i);
    }
}

static void constants(void)
{
    static const struct {
        const char *text;
        uint64_t value;
    } integers[] = {{"0", 0},
                    {"42", 42},
                    {"0x1F", 31},
                    {"0b101", 5},
                    {"017", 15},
                    {"7U", 7},
                    {"0xFFFFFFFFFFFFFFFF", UINT64_MAX},
                    {"18446744073709551615", UINT64_MAX},
                    {"-1", UINT64_MAX},
                    {"- -1", 1},
                    {"~0", UINT64_MAX},
                    {"!0", 1},
                    {"!5", 0},
                    {"WARP_SZ", 32},
                    {"WARP_SZ*2", 64},
                    {"2+3*4", 14},
                    {"(2+3)*4", 20},
                    {"10-3-2", 5},
                    {"7/2", 3},
                    {"-7/2", (uint64_t)-3},
                    {"-7%4", (uint64_t)-3},
                    {"1<<4", 16},
                    {"1<<64", 0},
                    {"-8>>1", (uint64_t)-4},
                    {"-1>>99", UINT64_MAX},
                    {"0xFFFFFFFFFFFFFFFF>>60", 15},
                    {"6&3", 2},
                    {"6|3", 7},
                    {"6^3", 5},
                    {"1|2^2&3", 1},
                    {"1<2", 1},
                    {"-1<0", 1},
                    {"-1<0U", 0},
                    {"3>=3", 1},
                    {"3!=3", 0},
                    {"1&&0", 0},
                    {"0||2", 1},
                    {"1?2:3", 2},
                    {"0?2:1?4:5", 4},
                    {"(.u64)-1>1", 1},
                    {"(.s64)-1>1", 0},
                    {"-9223372036854775808/-1", UINT64_C(0x8000000000000000)},
                    {"-9223372036854775808%-1", 0},
                    {"1/*two*/+2 // three", 0}};
    for (size_t i = 0; i + 1 < sizeof integers / sizeof *integers; i++)
        check_constant(integers[i].text, O_INT, integers[i].value);
    check_constant("0f3F800000", O_F32, 0x3F800000);
    check_constant("0F3f800000", O_F32, 0x3F800000);
    check_constant("-0f3F800000", O_F32, 0xBF800000);
    check_constant("0d3FF0000000000000", O_F64, UINT64_C(0x3FF0000000000000));
    check_constant("1.5", O_F64, UINT64_C(0x3FF8000000000000));
    check_constant("-1.5e0", O_F64, UINT64_C(0xBFF8000000000000));
    check_constant("1e3", O_F64, UINT64_C(0x408F400000000000));
    check_constant("1e999", O_F64, UINT64_C(0x7FF0000000000000));
}

static void instructions(void)
{
    ACCEPT("types and suffixes in order", BODY "set.lt.and.ftz.f32.s32 %f1, %r1, %r2, %p1;" END)
    {
        const ptx_insn *in = &r.f->insns[0];
        char form[64];
        CHECK("opcode", in->op == OP_SET && in->type_count == 2 && in->suffix_count == 3);
        CHECK("types", in->type[0] == T_F32 && in->type[1] == T_S32);
        CHECK("suffixes", in->suffix[0] == S_LT && in->suffix[1] == S_AND && in->suffix[2] == S_FTZ);
        CHECK("form", !strcmp(ptx_form(in, form, sizeof form), "set.lt.and.ftz.f32.s32"));
        CHECK("place", in->line == 7 && in->column == 1 && in->guard == -1);
    }
    ACCEPT("words that do not touch", BODY "add .sat\n .s32 %r1, %r2, %r3;" END)
    {
        CHECK("spaced form",
              r.f->insns[0].op == OP_ADD && r.f->insns[0].suffix[0] == S_SAT && r.f->insns[0].type[0] == T_S32);
    }
    ACCEPT("suffix with ::", BODY "ld.global.nc.L2::128B.u32 %r1, [%rd1];" END)
    {
        CHECK("one piece", r.f->insns[0].suffix_count == 3 && r.f->insns[0].suffix[2] == S_L2_128B);
    }
    ACCEPT("guards", BODY "@%p1 mov.u32 %r1, 1; @!%p2 mov.u32 %r1, 2;" END)
    {
        CHECK("guard", r.f->insns[0].guard >= 0 && r.f->regs[r.f->insns[0].guard].type == T_PRED &&
                           !r.f->insns[0].guard_negated);
        CHECK("negated guard", r.f->insns[1].guard_negated && r.f->insns[1].guard != r.f->insns[0].guard);
    }
    ACCEPT("registers", BODY "add.u32 %r1, %r1, %r8; mov.f32 %f4, %f4;" END)
    {
        CHECK("same register",
              operand(&r, 0, 0)->reg == operand(&r, 0, 1)->reg && operand(&r, 0, 2)->reg != operand(&r, 0, 0)->reg);
        CHECK("name and type", !strcmp(r.f->regs[operand(&r, 0, 2)->reg].name, "%r8") &&
                                   r.f->regs[operand(&r, 1, 0)->reg].type == T_F32);
    }
    ACCEPT("unused registers cost nothing", HEAD ".func f() { .reg .b32 %r<1000000>; mov.u32 %r999999, 0; ret; }")
    {
        CHECK("one register", r.f->reg_count == 1);
    }
    ACCEPT("prefix that ends in a digit",
           HEAD ".func f() { .reg .b32 %a<5>; .reg .b64 %a1<9>; mov.u32 %a1, 0; mov.u64 %a17, 0; ret; }")
    {
        CHECK("short prefix", r.f->regs[operand(&r, 0, 0)->reg].type == T_B32);
        CHECK("long prefix", r.f->regs[operand(&r, 1, 0)->reg].type == T_B64);
    }
    ACCEPT("scopes", BODY "mov.u32 %r1, 0;\n{ .reg .b64 %r<2>; mov.u64 %r1, 0; mov.u32 %r5, 0; { .reg .f32 %r1; "
                          "mov.f32 %r1, 0f00000000; } }\nmov.u32 %r1, 1;" END)
    {
        const ptx_reg *regs = r.f->regs;
        CHECK("inner range", regs[operand(&r, 1, 0)->reg].type == T_B64);
        CHECK("outer register through it", regs[operand(&r, 2, 0)->reg].type == T_B32);
        CHECK("innermost", regs[operand(&r, 3, 0)->reg].type == T_F32);
        CHECK("restored", operand(&r, 4, 0)->reg == operand(&r, 0, 0)->reg);
    }
    ACCEPT("labels", BODY "top: bra end;\n{ top: bra top; bra end; }\n$L__x: @%p1 bra top;\nend:" END)
    {
        CHECK("forward", operand(&r, 0, 0)->kind == O_LABEL && operand(&r, 0, 0)->label == 4);
        CHECK("inner label", operand(&r, 1, 0)->label == 1);
        CHECK("out of a scope", operand(&r, 2, 0)->label == 4);
        CHECK("backward", operand(&r, 3, 0)->label == 0);
    }
    ACCEPT("label at the end", HEAD ".func f() { bra end; end: }") { CHECK("end", operand(&r, 0, 0)->label == 1); }
    ACCEPT("label named like a variable", HEAD ".global .u32 x;\n.func f() { bra x; ret; x: ret; }")
    {
        CHECK("the label", operand(&r, 0, 0)->kind == O_LABEL && operand(&r, 0, 0)->label == 2);
    }
    ACCEPT("vectors", BODY "mov.b64 {%r1, _}, %rd1; mov.b32 %r1, {%r2, 3};" END)
    {
        const ptx_operand *v = operand(&r, 0, 0);
        CHECK("elements",
              v->kind == O_VECTOR && v->count == 2 && v->elements[0].kind == O_REG && v->elements[1].kind == O_NONE);
        CHECK("constant element",
              operand(&r, 1, 1)->elements[1].kind == O_INT && operand(&r, 1, 1)->elements[1].value.i == 3);
    }
    ACCEPT("pairs", BODY "setp.lt.s32 %p1|%p2, %r1, %r2; elect.sync _|%p1, -1;" END)
    {
        CHECK("second half", operand(&r, 0, 0)->pair == 1 && ptx_second(operand(&r, 0, 0))->kind == O_REG);
        CHECK("sink and register", operand(&r, 1, 0)->kind == O_NONE && ptx_second(operand(&r, 1, 0))->kind == O_REG);
    }
    ACCEPT("negations", BODY "setp.eq.and.u32 %p1, %r1, -5, !%p2; neg.s32 %r1, -%r2;" END)
    {
        CHECK("negated predicate", operand(&r, 0, 3)->negated && operand(&r, 0, 3)->kind == O_REG);
        CHECK("negative constant",
              operand(&r, 0, 2)->kind == O_INT && operand(&r, 0, 2)->value.i == -5 && !operand(&r, 0, 2)->negated);
        CHECK("negated register", operand(&r, 1, 1)->negated);
    }
    ACCEPT(
        "addresses", HEAD
        ".global .u32 g[9];\n.func f() { .reg .u64 a; .reg .u32 v; ld.u32 v, [a]; ld.u32 v, [a+8]; ld.u32 v, [a+-8]; "
        "ld.u32 v, [a-8]; ld.u32 v, [g]; ld.u32 v, [g+4]; ld.u32 v, [4096]; mov.u64 a, g; mov.u64 a, g+4; }")
    {
        CHECK("register",
              operand(&r, 0, 1)->kind == O_ADDRESS && operand(&r, 0, 1)->reg >= 0 && operand(&r, 0, 1)->value.i == 0);
        CHECK("plus", operand(&r, 1, 1)->value.i == 8);
        CHECK("plus minus", operand(&r, 2, 1)->value.i == -8);
        CHECK("minus", operand(&r, 3, 1)->value.i == -8);
        CHECK("variable", operand(&r, 4, 1)->var == variable(&r, "g") && operand(&r, 4, 1)->reg == -1);
        CHECK("variable plus", operand(&r, 5, 1)->var && operand(&r, 5, 1)->value.i == 4);
        CHECK("number",
              operand(&r, 6, 1)->kind == O_ADDRESS && !operand(&r, 6, 1)->var && operand(&r, 6, 1)->value.i == 4096);
        CHECK("address of a variable", operand(&r, 7, 1)->kind == O_VAR && operand(&r, 8, 1)->value.i == 4);
    }
    ACCEPT("texture list", BODY "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];" END)
    {
        const ptx_operand *t = operand(&r, 0, 1);
        CHECK("handle and coordinates",
              t->kind == O_LIST && t->count == 2 && t->elements[0].kind == O_REG && t->elements[1].kind == O_VECTOR);
    }
    ACCEPT(
        "special registers", BODY
        "mov.u32 %r1, %tid.x; mov.u32 %r1, %nctaid.z; mov.u32 %r1, %laneid; mov.b32 %r1, %envreg31; mov.u32 %r1, %pm3; "
        "mov.u64 %rd1, %pm7_64; mov.u64 %rd1, %clock64;" END)
    {
        CHECK("%tid.x", operand(&r, 0, 1)->kind == O_SREG && operand(&r, 0, 1)->sreg == SR_TID &&
                            operand(&r, 0, 1)->component == 0);
        CHECK("%nctaid.z", operand(&r, 1, 1)->sreg == SR_NCTAID && operand(&r, 1, 1)->component == 2);
        CHECK("%laneid", operand(&r, 2, 1)->sreg == SR_LANEID && operand(&r, 2, 1)->component == 255);
        CHECK("%envreg31", operand(&r, 3, 1)->sreg == SR_ENVREG && operand(&r, 3, 1)->component == 31);
        CHECK("%pm3", operand(&r, 4, 1)->sreg == SR_PM && operand(&r, 4, 1)->component == 3);
        CHECK("%pm7_64", operand(&r, 5, 1)->sreg == SR_PM64 && operand(&r, 5, 1)->component == 7);
        CHECK("%clock64", operand(&r, 6, 1)->sreg == SR_CLOCK64);
    }
    ACCEPT("selectors",
           BODY "vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1; vadd4.u32.u32.u32 %r1.b310, %r2.b7654, %r3, %r4;" END)
    {
        const ptx_operand *o = operand(&r, 1, 0);
        CHECK("byte", operand(&r, 0, 1)->pick == 'b' && operand(&r, 0, 1)->pick_count == 1 &&
                          operand(&r, 0, 1)->picked[0] == 3);
        CHECK("half", operand(&r, 0, 2)->pick == 'h' && operand(&r, 0, 2)->picked[0] == 1);
        CHECK("several",
              o->pick == 'b' && o->pick_count == 3 && o->picked[0] == 3 && o->picked[1] == 1 && o->picked[2] == 0);
        CHECK("none", operand(&r, 1, 2)->pick == 0);
    }
}

static void functions(void)
{
    ACCEPT("calls",
           HEAD ".extern .func (.param .b32 r) g(.param .b64 a, .param .b64 b);\n.func f() { .reg .b64 %rd<2>; .param "
                ".b32 o; .param .b64 i;\n"
                "call.uni (o), g, (i, i);\nproto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 "
                "_[12]) .noreturn;\n"
                "call (o), %rd1, (i, i), proto;\ncall f;\nts: .calltargets f, g;\ncall (o), %rd1, (i, i), ts;\n}\n")
    {
        CHECK("results", operand(&r, 0, 0)->kind == O_LIST && operand(&r, 0, 0)->count == 1 &&
                             operand(&r, 0, 0)->elements[0].kind == O_VAR);
        CHECK("target", operand(&r, 0, 1)->kind == O_FUNC && !strcmp(operand(&r, 0, 1)->func->name, "g") &&
                            operand(&r, 0, 1)->func->is_extern);
        CHECK("arguments", operand(&r, 0, 2)->kind == O_LIST && operand(&r, 0, 2)->count == 2);
        const ptx_table *t = operand(&r, 1, 3)->table;
        CHECK("prototype", operand(&r, 1, 3)->kind == O_TABLE && t && t->kind == 'p' && t->prototype->noreturn &&
                               t->prototype->param_count == 2 && t->prototype->params[1]->size == 12);
        CHECK("recursion", operand(&r, 2, 0)->func == r.f);
        t = operand(&r, 3, 3)->table;
        CHECK("call targets", t && t->kind == 'c' && t->count == 2 && t->funcs[0] == r.f);
    }
    ACCEPT("branch targets", BODY "ts: .branchtargets a, b, a;\nbrx.idx %r1, ts;\na: exit;\nb: exit;" END)
    {
        const ptx_table *t = operand(&r, 0, 1)->table;
        CHECK("labels",
              t && t->kind == 'b' && t->count == 3 && t->labels[0] == 1 && t->labels[1] == 2 && t->labels[2] == 1);
    }
    ACCEPT("branch targets behind their use", BODY "brx.idx %r1, ts;\na: exit;\nts: .branchtargets a;" END)
    {
        CHECK("forward table", operand(&r, 0, 1)->kind == O_TABLE && operand(&r, 0, 1)->table->labels[0] == 1);
    }
    ACCEPT("declared, then defined", HEAD ".func (.param .b32 x) f(.param .b32 a);\n.weak .func (.param .b32 y) "
                                          "f(.param .b32 b)\n{ .reg .b32 v; ld.param.b32 v, [b]; }")
    {
        CHECK("one function",
              r.m.func_count == 1 && r.f->line == 5 && r.f->is_weak && !strcmp(r.f->params[0]->name, "b"));
    }
    ACCEPT("kernel", HEAD ".visible .entry k(\n.param .u64 .ptr .global .align 16 a,\n.param .align 8 .b8 "
                          "s[20],\n.param .u32 n, .param .u64 .ptr .align 1 q)\n"
                          ".maxntid 32, 4\n.minnctapersm 2\n.maxnreg 40 .reqnctapercluster 2 .explicitcluster "
                          ".maxclusterrank 8\n.pragma \"x\";\n{ ret; }")
    {
        CHECK("entry", r.f->is_entry && r.f->param_count == 4);
        CHECK("pointer", r.f->params[0]->pointer && r.f->params[0]->align == 8 && r.f->params[3]->pointer &&
                             !r.f->params[2]->pointer);
        CHECK("struct", r.f->params[1]->size == 20 && r.f->params[1]->align == 8 && r.f->params[1]->is_array);
        CHECK("index", r.f->params[2]->index == 2 && r.f->params[2]->owner == r.f);
        CHECK("bounds", r.f->maxntid[0] == 32 && r.f->maxntid[1] == 4 && r.f->maxntid[2] == 1 &&
                            r.f->minnctapersm == 2 && r.f->maxnreg == 40);
        CHECK("cluster", r.f->cluster[0] == 2 && r.f->reqntid[0] == 0);
    }
    ACCEPT("kernel without parameters", HEAD ".entry k { ret; }") { CHECK("none", r.f->param_count == 0); }
}

static void variables(void)
{
    static const uint32_t rows[2][3] = {{1, 2, 0}, {0xFFFFFFFD, 4, 0}}, flat[2][2] = {{1, 2}, {3, 0}};
    static const float floats[2][4] = {{1.5f, 1.0f, 1.0f, 2.0f}, {-1.0f, 0, 0, 0}};
    static const unsigned char bytes[5] = {1, 2, 3, 255, 0};
    static const double doubles[2] = {1.5, -3};
    ACCEPT("initialisers",
           HEAD ".global .align 8 .u32 rows[2][3] = {{1, 2}, {-3, 0x4U}};\n.global .u32 flat[2][2] = {1, 2, 3};\n"
                ".const .v4 .f32 floats[] = {{1.5, 0f3F800000, 0d3FF0000000000000, 2}, {-1}};\n.global .b8 bytes[5] = "
                "{1, 2, 3, -1};\n"
                ".global .f64 doubles[2] = {1.5, -3}, one = 1.0;\n.global .u16 half = 70000;\n")
    {
        CHECK("rows", holds(variable(&r, "rows"), rows, sizeof rows) && variable(&r, "rows")->align == 8);
        CHECK("flat", holds(variable(&r, "flat"), flat, sizeof flat));
        CHECK("vector array of open length",
              holds(variable(&r, "floats"), floats, sizeof floats) && variable(&r, "floats")->align == 16);
        CHECK("bytes", holds(variable(&r, "bytes"), bytes, sizeof bytes) && variable(&r, "bytes")->init_count == 1);
        CHECK("doubles", holds(variable(&r, "doubles"), doubles, sizeof doubles));
        CHECK("second declarator", variable(&r, "one")->size == 8 && !variable(&r, "one")->is_array);
        CHECK("cut to its type", holds(variable(&r, "half"), &(uint16_t){70000 & 0xffff}, 2));
    }
    ACCEPT("symbols in initialisers",
           HEAD ".global .u32 t[4];\n.func f();\n.global .u64 a[4] = {t, generic(t)+8, f, generic(t+4)-8};\n"
                ".global .b8 m[3] = {0xFF(t), 0xFF00(generic(t)), 7};\n.global .u64 self = self;\n.global .u64 generic "
                "= 1;\n.global .u64 g = generic;")
    {
        const ptx_var *a = variable(&r, "a"), *m = variable(&r, "m");
        CHECK("address", a->init_count == 4 && a->inits[0].var == variable(&r, "t") && !a->inits[0].generic &&
                             a->inits[0].size == 8);
        CHECK("generic", a->inits[1].generic && a->inits[1].addend == 8 && a->inits[1].offset == 8);
        CHECK("function", a->inits[2].func && !strcmp(a->inits[2].func->name, "f"));
        CHECK("addends", a->inits[3].generic && a->inits[3].addend == -4);
        CHECK("mask", m->init_count == 3 && m->inits[0].byte_shift == 0 && m->inits[1].byte_shift == 8 &&
                          m->inits[1].size == 1 && m->inits[1].generic);
        CHECK("itself", variable(&r, "self")->inits[0].var == variable(&r, "self"));
        CHECK("a variable named generic", variable(&r, "g")->inits[0].var == variable(&r, "generic"));
    }
    ACCEPT("extern", HEAD ".extern .shared .align 16 .b8 s[];\n.extern .global .u32 g;\n.visible .global .u32 g = "
                          "5;\n.extern .global .u32 g;\n.common .global .u32 c;\n"
                          ".weak .global .attribute(.managed) .u32 w;\n.global .texref t;\n.global .surfref u;")
    {
        CHECK("dynamic shared memory",
              variable(&r, "s")->is_extern && variable(&r, "s")->size == 0 && variable(&r, "s")->space == SPACE_SHARED);
        CHECK("defined after extern", !variable(&r, "g")->is_extern && variable(&r, "g")->init_count == 1);
        CHECK("texture", variable(&r, "t")->type == T_TEXREF && variable(&r, "t")->size == 8);
    }
    ACCEPT("local variables",
           BODY ".local .align 8 .b8 depot[32]; .shared .f64 sh[2][3]; .param .b64 a; .global .u32 g;" END)
    {
        CHECK("local", variable(&r, "depot")->space == SPACE_LOCAL && variable(&r, "depot")->owner == r.f);
        CHECK("shared", variable(&r, "sh")->size == 48 && variable(&r, "sh")->align == 8);
        CHECK("global in a body lasts", r.m.var_count == 1 && r.f->var_count == 3);
    }
}

static void places(void)
{
    ACCEPT("head", "\n// c\n# 1 \"x\"\n.version 7.8\n.target sm_90a, texmode_independent, debug\n.address_size 64\n")
    {
        CHECK("version", r.m.version_major == 7 && r.m.version_minor == 8 && r.m.sm == 90 &&
                             !strcmp(r.m.target_suffix, "a") && r.m.address_size == 64);
    }
    ACCEPT("places", BODY "mov.u32 %r1, 0;\n.loc 2 10 3\nmov.u32 %r1, 1;\n.loc 2 20 4, function_name $info1+2, "
                          "inlined_at 2 10 3\nmov.u32 %r1, 2;\n"
                          ".loc 2 30 5, function_name $info0, inlined_at 2 20 4\nmov.u32 %r1, 3;\n.loc 1 1 1, "
                          "function_name $none, inlined_at 3 9 9\n" END
                          ".file 2 \"dir\\\\a \\\"b\\\".cu\", 12, 34\n.section .debug_abbrev { .b8 1 }\n.section "
                          ".debug_str\n{\n$info0:\n.b8 102,111,111\n.b8 0\n$info1: .b8 120, 121, 122, 0\n}\n")
    {
        const ptx_loc *l = r.m.locs;
        CHECK("none before the first", r.f->insns[0].loc == -1);
        CHECK("place",
              l[r.f->insns[1].loc].file == 2 && l[r.f->insns[1].loc].line == 10 && l[r.f->insns[1].loc].column == 3);
        CHECK("inlined", l[r.f->insns[2].loc].inlined_at == r.f->insns[1].loc);
        CHECK("name with an offset", l[r.f->insns[2].loc].function && !strcmp(l[r.f->insns[2].loc].function, "z"));
        CHECK("inlined twice",
              l[r.f->insns[3].loc].inlined_at == r.f->insns[2].loc && !strcmp(l[r.f->insns[3].loc].function, "foo"));
        const ptx_loc *last = &l[r.f->insns[4].loc];
        CHECK("no such label", last->function == NULL && last->inlined_at >= 0 && l[last->inlined_at].line == 9);
        CHECK("file", r.m.file_count == 4 && !strcmp(r.m.files[2], "dir\\a \"b\".cu") && r.m.files[1] == NULL);
    }
    ACCEPT("the place ends with its function", HEAD ".func f() { .loc 1 5 5\n ret; }\n.func g() { ret; }")
    {
        CHECK("forgotten", r.f->insns[0].loc == -1);
    }
    parsed r = parse_bytes(HEAD "\0\0", sizeof HEAD + 1);
    CHECK("final NULs", r.code == SIM_OK);
    arena_free(&r.a);
    r = parse_bytes(HEAD "\0.func", sizeof HEAD + 5);
    CHECK("NUL in the middle", r.code == SIM_E_SYNTAX && r.err.line == 4);
    arena_free(&r.a);
}

/* ---- large and hostile ---- */
typedef struct text {
    char *at;
    size_t n, room;
} text;

static void add(text *t, const char *s, size_t times)
{
    size_t length = strlen(s);
    while (t->room < t->n + length * times + 1) {
        t->room = t->room ? t->room * 2 : 1024;
        if (!(t->at = realloc(t->at, t->room))) abort();
    }
    for (; times; times--, t->n += length) memcpy(t->at + t->n, s, length);
}

static void check_large(const char *name, const char *before, const char *repeated, size_t times, const char *after,
                        int code, const char *message)
{
    text t = {0};
    add(&t, before, 1);
    add(&t, repeated, times);
    add(&t, after, 1);
    parsed r = parse_bytes(t.at, t.n);
    check_that(r.code == code && (!message || strstr(r.err.message, message)), "%s: code %d, line %d: %s", name, r.code,
               r.err.line, r.err.message);
    arena_free(&r.a);
    free(t.at);
}

static void hostile(void)
{
    check_large("deep parentheses", BODY "mov.u32 %r1, ", "(", 100000, END, SIM_E_REFUSED, "nested more than 64 deep");
    check_large("deep minuses", BODY "mov.u32 %r1, ", "-", 100000, "1;" END, SIM_E_REFUSED, "nested more than 64 deep");
    check_large("deep conditions", BODY "mov.u32 %r1, ", "1 ? ", 100000, "1;" END, SIM_E_REFUSED,
                "nested more than 64 deep");
    check_large("long sums", BODY "mov.u32 %r1, 1", "+1", 100000, ";" END, SIM_OK, NULL);
    check_large("deep vectors", BODY "mov.u32 %r1, ", "{", 100000, END, SIM_E_REFUSED, "nested more than 64 deep");
    check_large("deep scopes", BODY, "{", 100000, END, SIM_E_REFUSED, "scopes are nested more than 64 deep");
    check_large("deep initialisers", HEAD ".global .u32 x[2] = ", "{", 100000, "", SIM_E_SYNTAX, "more braces");
    check_large("many dimensions", HEAD ".global .u32 x", "[2]", 1000, ";", SIM_E_REFUSED, "more than 16 dimensions");
    check_large("long list", BODY "mov.u32 %r1, {0", ",0", 100000, "};" END, SIM_E_REFUSED, "more than 4096 elements");
    check_large("many operands", BODY "mov.u32 %r1", ",%r1", 1000, ";" END, SIM_E_SYNTAX, "too many operands");
    check_large("many suffixes", BODY "add", ".sat", 13, ".u32 %r1, %r2, %r3;" END, SIM_E_REFUSED,
                "more than 12 suffixes");
    check_large("many types", BODY "add", ".u32", 7, " %r1, %r2, %r3;" END, SIM_E_REFUSED, "more than 6 types");
    check_large("endless opcode", BODY "add", ".sat", 100000, ".u32 %r1, %r2, %r3;" END, SIM_E_REFUSED,
                "unknown opcode \"add");
    check_large("long name", BODY "mov.u32 %r1, ", "a", 1000000, ";" END, SIM_E_SYNTAX, "is not declared here");
    check_large("name of many digits", BODY "mov.u32 %r1, %r", "1", 1000000, ";" END, SIM_E_SYNTAX,
                "is not declared here");
    check_large("many instructions", BODY, "add.u32 %r1, %r2, %r3;\n", 200000, END, SIM_OK, NULL);
    check_large("many branches forward", BODY "{{{{", "bra end;", 200000, "}}}} end:" END, SIM_OK, NULL);
    check_large("large initialiser", HEAD ".global .b8 x[] = {1", ",2", 2000000, "};", SIM_OK, NULL);
    check_large("many lines of places", BODY ".loc 1 1 1\n", ".loc 1 2 3, function_name x, inlined_at 1 1 1\n", 50000,
                END, SIM_OK, NULL);
    check_large("text too long", HEAD, "                                ", (64 << 20) / 32, "", SIM_E_REFUSED,
                "longer than 64 MiB");
    text t = {0};
    char line[80];
    add(&t, HEAD ".func f() {", 1);
    for (int i = 0; i < 100000; i++) {
        snprintf(line, sizeof line, ".reg .b32 r%d_; L%d: mov.u32 r%d_, 0;\n", i, i, i);
        add(&t, line, 1);
    }
    add(&t, "}", 1);
    parsed r = parse_bytes(t.at, t.n);
    CHECK("many names", r.code == SIM_OK && r.f->reg_count == 100000 && r.f->insn_count == 100000);
    arena_free(&r.a);
    free(t.at);
    arena_budget few = {.limit = 100000};
    r = (parsed){.a = {.budget = &few}};
    r.m.arena = &r.a;
    static const char big[] = HEAD ".func f() { .reg .b32 a, b, c, d, e; }";
    t = (text){0};
    add(&t, big, 1);
    add(&t, ".global .u32 x[] = {1};", 1);
    add(&t, ".func g() { ", 1);
    add(&t, "mov.u32 %warpid, 1;", 10000);
    add(&t, "}", 1);
    r.code = ptx_parse(&r.m, "test.ptx", t.at, t.n, &r.err);
    CHECK("limit of the arena", r.code == SIM_E_MEMORY && strstr(r.err.message, "out of memory") && r.a.oom == NULL &&
                                    few.spent && r.m.read > 0);
    arena_free(&r.a);
    free(t.at);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rejects / sizeof *rejects; i++) check_reject(&rejects[i]);
    constants();
    instructions();
    functions();
    variables();
    places();
    hostile();
    return check_end();
}
