/* names.c: what the source calls the values in registers.
 *
 * A compiler gives each value a register of its own. So a register that is written in one place
 * stands for one expression, which is read back from the PTX: arguments by the kernel's signature,
 * threadIdx and the like, sums and products of these, elements of buffers. A register with several
 * values in turn (a loop's variable) has no such name; then its own is shown. */
#include "frames.h"
#include "shell/format.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct named {
    const reel_operand *reg;
    int line; /* of the PTX, where it is written; 0: in several places */
    int by;   /* of the source: where it is changed by itself, as in i += 1; 0: nowhere, or in several lines */
    char variable[NAME_MOST]; /* then: what the source calls it */
} named;

/* NAME = EXPRESSION; in the source */
typedef struct alias {
    char name[NAME_MOST], is[NAME_MOST]; /* the expression without blanks */
} alias;
enum { ALIASES = 128 };

struct names {
    named *list; /* by hash of the register's name */
    uint32_t room;
    alias alias[ALIASES];
    int aliases;
};

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static named *place_of(const struct names *n, const char *reg)
{
    uint32_t i = hash(reg) & (n->room - 1);
    while (n->list[i].reg && strcmp(n->list[i].reg->name, reg)) i = (i + 1) & (n->room - 1);
    return &n->list[i];
}

void names_free(struct names *n)
{
    if (n) free(n->list);
    free(n);
}

/* ---- one line of PTX ---- */

enum { PTX_ARGS = 8, PTX_WORD = 64 };
typedef struct ptx_line {
    char op[PTX_WORD], arg[PTX_ARGS][PTX_WORD];
    int args;
} ptx_line;

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static bool split(const char *p, ptx_line *out)
{
    memset(out, 0, sizeof *out);
    p = skip_blanks(p);
    if (*p == '@') {
        while (*p && *p != ' ' && *p != '\t') p++;
        p = skip_blanks(p);
    }
    size_t n = strcspn(p, " \t;");
    if (!n || n >= PTX_WORD) return false;
    memcpy(out->op, p, n);
    p = skip_blanks(p + n);
    int depth = 0;
    size_t used = 0;
    for (; *p && *p != ';'; p++) {
        depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
        if (*p == ',' && !depth) {
            if (++out->args == PTX_ARGS) return false;
            used = 0;
        } else if (*p != ' ' && *p != '\t') {
            if (used + 1 == PTX_WORD) return false;
            out->arg[out->args][used++] = *p;
        }
    }
    out->args += used > 0;
    return true;
}

/* ---- expressions ---- */

enum level { LEVEL_ANY, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_ATOM };
typedef struct expression {
    char text[NAME_MOST];
    enum level level;
} expression;

static bool tell(const frames *f, const char *word, int depth, expression *out);

static bool set(expression *out, enum level level, const char *fmt, ...) APP_PRINTF(3, 4);
static bool set(expression *out, enum level level, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    const int n = vsnprintf(out->text, sizeof out->text, fmt, v);
    va_end(v);
    out->level = level;
    return n > 0 && (size_t)n < sizeof out->text;
}

static bool join(expression *out, const expression *a, const char *op, const expression *b, enum level level)
{
    const bool left = a->level < level, right = b->level < level || (b->level == level && strchr("-/", *op));
    return set(out, level, "%s%s%s %s %s%s%s", left ? "(" : "", a->text, left ? ")" : "", op, right ? "(" : "", b->text,
               right ? ")" : "");
}

static bool both(const frames *f, const char *x, const char *op, const char *y, enum level level, int depth,
                 expression *out)
{
    expression a, b;
    return tell(f, x, depth, &a) && tell(f, y, depth, &b) && join(out, &a, op, &b, level);
}

static bool special(const char *word, expression *out)
{
    static const struct {
        const char *ptx, *cuda;
    } names[] = {{"%tid.", "threadIdx."}, {"%ntid.", "blockDim."}, {"%ctaid.", "blockIdx."}, {"%nctaid.", "gridDim."}};
    static const struct {
        const char *ptx, *cuda;
    } whole[] = {{"%laneid", "lane"},     {"%clock64", "clock64()"},       {"%clock", "clock()"},
                 {"WARP_SZ", "warpSize"}, {"%globaltimer", "globaltimer"}, {"%smid", "multiprocessor"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i].ptx);
        if (!strncmp(word, names[i].ptx, n)) return set(out, LEVEL_ATOM, "%s%.1s", names[i].cuda, word + n);
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!strcmp(word, whole[i].ptx)) return set(out, LEVEL_ATOM, "%s", whole[i].cuda);
    return false;
}

static bool constant(const char *word, expression *out)
{
    if (word[0] == '0' && (word[1] == 'f' || word[1] == 'F') && strlen(word) == 10) {
        const uint32_t bits = (uint32_t)strtoul(word + 2, NULL, 16);
        float v;
        memcpy(&v, &bits, 4);
        return set(out, LEVEL_ATOM, "%.6g", (double)v);
    }
    if (word[0] == '0' && (word[1] == 'd' || word[1] == 'D') && strlen(word) == 18) {
        const uint64_t bits = strtoull(word + 2, NULL, 16);
        double v;
        memcpy(&v, &bits, 8);
        return set(out, LEVEL_ATOM, "%.6g", v);
    }
    const char *digits = *word == '-' ? word + 1 : word;
    return isdigit((unsigned char)*digits) && set(out, LEVEL_ATOM, "%s", word);
}

/* "[sum_squares_param_0]": the kernel's argument */
static bool parameter(const frames *f, const char *word, expression *out)
{
    const char *number = strstr(word, "_param_");
    char *end;
    if (!number || !isdigit((unsigned char)number[7])) return false;
    const long k = strtol(number + 7, &end, 10);
    if (k < 0 || k >= f->params || !f->param[k][0]) return false;
    return *end == ']' ? set(out, LEVEL_ATOM, "%s", f->param[k]) : set(out, LEVEL_ATOM, "part of %s", f->param[k]);
}

/* Where a register is written, if in one place. */
static bool definition(const frames *f, const char *reg, ptx_line *out)
{
    if (!f->names) return false;
    const named *d = place_of(f->names, reg);
    return d->reg && d->line > 0 && d->line <= f->ptx.count && split(f->ptx.line[d->line - 1], out);
}

/* "%rd5+8" within brackets: its register, and what is added */
static bool base_of(const char *word, char *reg, size_t size, long long *add)
{
    if (*word != '[') return false;
    const size_t n = strcspn(word + 1, "+-]");
    if (!n || n >= size) return false;
    memcpy(reg, word + 1, n);
    reg[n] = 0;
    const char *rest = word + 1 + n;
    if (*rest == '+') rest++;
    *add = *rest == ']' ? 0 : strtoll(rest, NULL, 10);
    return true;
}

/* An element of a buffer or of an array in shared memory: base + index * size. */
static bool element(const frames *f, const char *word, int bytes, int depth, expression *out)
{
    char reg[PTX_WORD];
    long long add;
    ptx_line d, m;
    expression base, index;
    if (!base_of(word, reg, sizeof reg, &add)) return false;
    if (*reg != '%') { /* a variable's own name */
        if (add % bytes) return false;
        return add ? set(out, LEVEL_ATOM, "%s[%lld]", reg, add / bytes) : set(out, LEVEL_ATOM, "%s[0]", reg);
    }
    if (tell(f, reg, depth, &base) && base.level == LEVEL_ATOM && !strchr(base.text, '['))
        return add % bytes == 0 && set(out, LEVEL_ATOM, "%s[%lld]", base.text, add / bytes);
    if (!definition(f, reg, &d) || strncmp(d.op, "add.", 4) || d.args < 3) return false;
    for (int side = 1; side <= 2; side++) {
        const char *array = d.arg[side], *by = d.arg[3 - side];
        expression e;
        if (!definition(f, by, &m) || m.args < 3) continue;
        const bool wide = !strncmp(m.op, "mul.wide", 8) || !strncmp(m.op, "mul.lo", 6),
                   shift = !strncmp(m.op, "shl", 3);
        if (!wide && !shift) continue;
        const long long times = shift ? 1ll << (strtoll(m.arg[2], NULL, 10) & 63) : strtoll(m.arg[2], NULL, 10);
        if (times != bytes || add % bytes) continue;
        if (*array == '%' ? !tell(f, array, depth, &base) : !set(&base, LEVEL_ATOM, "%s", array)) continue;
        if (!tell(f, m.arg[1], depth, &index)) continue;
        if (add && !set(&e, LEVEL_SUM, "%s + %lld", index.text, add / bytes)) continue;
        return set(out, LEVEL_ATOM, "%s[%s]", base.text, add ? e.text : index.text);
    }
    return false;
}

static int bytes_of(const char *op)
{
    const char *dot = strrchr(op, '.');
    return dot && isdigit((unsigned char)dot[2]) ? atoi(dot + 2) / 8 : 0;
}

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

static bool of_line(const frames *f, const ptx_line *d, int depth, expression *out)
{
    static const struct {
        const char *op, *sign;
        enum level level;
    } two[] = {{"add", "+", LEVEL_SUM},     {"sub", "-", LEVEL_SUM},     {"mul", "*", LEVEL_PRODUCT},
               {"div", "/", LEVEL_PRODUCT}, {"rem", "%", LEVEL_PRODUCT}, {"shl", "<<", LEVEL_ANY},
               {"shr", ">>", LEVEL_ANY},    {"and", "&", LEVEL_ANY},     {"or", "|", LEVEL_ANY},
               {"xor", "^", LEVEL_ANY}};
    static const struct {
        const char *op, *sign;
    } compare[] = {{"setp.lt", "<"},  {"setp.le", "<="}, {"setp.gt", ">"},
                   {"setp.ge", ">="}, {"setp.eq", "=="}, {"setp.ne", "!="}};
    const int bytes = bytes_of(d->op);
    if (starts(d->op, "ld.param")) return parameter(f, d->arg[1], out);
    if ((starts(d->op, "ld.") || starts(d->op, "ldu.")) && bytes && d->args == 2)
        return element(f, d->arg[1], bytes, depth, out);
    if ((starts(d->op, "cvta") || starts(d->op, "mov.") || starts(d->op, "cvt.")) && d->args == 2)
        return tell(f, d->arg[1], depth, out);
    for (size_t i = 0; i < sizeof compare / sizeof *compare; i++)
        if (starts(d->op, compare[i].op) && d->args == 3)
            return both(f, d->arg[1], compare[i].sign, d->arg[2], LEVEL_ANY, depth, out);
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        const size_t n = strlen(two[i].op);
        if (starts(d->op, two[i].op) && d->op[n] == '.' && d->args == 3 && !strstr(d->op, ".hi"))
            return both(f, d->arg[1], two[i].sign, d->arg[2], two[i].level, depth, out);
    }
    if ((starts(d->op, "mad.lo") || starts(d->op, "fma.")) && d->args == 4) {
        expression a, b, product, c;
        return tell(f, d->arg[1], depth, &a) && tell(f, d->arg[2], depth, &b) &&
               join(&product, &a, "*", &b, LEVEL_PRODUCT) && tell(f, d->arg[3], depth, &c) &&
               join(out, &product, "+", &c, LEVEL_SUM);
    }
    return false;
}

/* The name of a variable that the source gives this value. */
static void use_alias(const frames *f, expression *e)
{
    char plain[NAME_MOST];
    size_t n = 0;
    for (const char *p = e->text; *p; p++)
        if (*p != ' ') plain[n++] = *p;
    plain[n] = 0;
    for (int i = 0; f->names && i < f->names->aliases; i++)
        if (!strcmp(f->names->alias[i].is, plain)) {
            set(e, LEVEL_ATOM, "%s", f->names->alias[i].name);
            return;
        }
}

static bool tell(const frames *f, const char *word, int depth, expression *out)
{
    ptx_line d;
    if (constant(word, out)) return true;
    if (special(word, out)) {
        use_alias(f, out);
        return true;
    }
    if (*word != '%' || !depth || !f->names) return false;
    const named *known = place_of(f->names, word);
    if (known->reg && known->variable[0]) return set(out, LEVEL_ATOM, "%s", known->variable);
    if (!definition(f, word, &d) || !of_line(f, &d, depth - 1, out)) return false;
    use_alias(f, out);
    return true;
}

enum { DEPTH = 5 };

bool names_of(const frames *f, const char *reg, char *out, size_t size)
{
    expression e;
    if (!reg[0] || !tell(f, reg, DEPTH, &e)) return false;
    snprintf(out, size, "%s", e.text);
    return true;
}

/* ---- the kernel's signature ---- */

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The kernel's name as the source has it: of _Z3addPfi, "add". */
static void plain_name(const char *kernel, char *out, size_t size)
{
    size_t n = 0;
    if (!strncmp(kernel, "_Z", 2)) {
        const char *p = kernel + 2;
        if (*p == 'N') p++;
        while (isdigit((unsigned char)*p)) { /* the last of a nested name */
            char *end;
            n = strtoul(p, &end, 10);
            kernel = end;
            if (n > strlen(end)) n = strlen(end);
            p = end + n;
        }
    } else {
        n = strlen(kernel);
    }
    snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), kernel);
}

/* Names of parameters from `p`, behind the opening parenthesis. */
static void take_parameters(frames *f, const char *p)
{
    int depth = 0;
    const char *word = NULL;
    size_t length = 0;
    for (; *p && f->params < PARAMS_MOST; p++) {
        if (is_name(*p)) {
            word = p;
            while (is_name(p[1])) p++;
            length = (size_t)(p + 1 - word);
            continue;
        }
        depth += (*p == '(' || *p == '[' || *p == '<' || *p == '{') - (*p == ']' || *p == '>' || *p == '}');
        if ((*p == ',' || *p == ')') && depth <= 0) {
            if (word) snprintf(f->param[f->params++], NAME_MOST, "%.*s", (int)(length < 40 ? length : 40), word);
            word = NULL;
            if (*p == ')') return;
        } else if (*p == ')') {
            depth--;
        }
    }
}

static void find_signature(frames *f)
{
    char name[128], *whole = NULL;
    size_t size = 0;
    plain_name(f->reel->kernel, name, sizeof name);
    FILE *m = open_memstream(&whole, &size);
    if (!m) return;
    for (int i = 0; i < f->source.count; i++) fprintf(m, "%s\n", f->source.line[i]);
    fclose(m);
    const size_t n = strlen(name);
    for (const char *p = whole; n && p && (p = strstr(p, name)); p += n) {
        const char *after = p + n + strspn(p + n, " \t\n");
        if (p == whole || is_name(p[-1]) || *after != '(') continue;
        const char *before = p;
        while (before > whole && !strchr(";}", before[-1])) before--;
        const char *global = strstr(before, "__global__");
        if (!global || global > p) continue;
        take_parameters(f, after + 1);
        break;
    }
    free(whole);
    if ((uint32_t)f->params != f->reel->params)
        f->params = 0; /* a template, perhaps: no names rather than wrong ones */
}

/* ---- variables ---- */

/* The type that a variable is declared with, if by a plain word: its kind and bytes. */
static bool declared(const frames *f, const char *name, char *kind, int *bytes)
{
    static const struct {
        const char *word;
        char kind;
        int bytes;
    } types[] = {{"int", 'i', 4},      {"unsigned", 'i', 4}, {"float", 'f', 4},    {"double", 'f', 8},
                 {"long", 'i', 8},     {"size_t", 'i', 8},   {"uint32_t", 'i', 4}, {"int32_t", 'i', 4},
                 {"uint64_t", 'i', 8}, {"int64_t", 'i', 8},  {"bool", 'i', 4},     {"char", 'i', 4}};
    const size_t n = strlen(name);
    for (int i = 0; i < f->source.count; i++)
        for (const char *p = f->source.line[i]; (p = strstr(p, name)); p += n) {
            if (p == f->source.line[i] || is_name(p[-1]) || is_name(p[n])) continue;
            const char *end = p;
            while (end > f->source.line[i] && end[-1] == ' ') end--;
            for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
                const size_t w = strlen(types[k].word);
                if ((size_t)(end - f->source.line[i]) < w || strncmp(end - w, types[k].word, w)) continue;
                *kind = types[k].kind;
                *bytes = types[k].bytes;
                return true;
            }
        }
    return false;
}

/* The word before an assignment at `p`: "i" of "i += 1", "++i", "i++". False: it is no plain one. */
static bool assigned(const char *line, const char *p, char *out, size_t size)
{
    const char *end = p;
    while (end > line && end[-1] == ' ') end--;
    const char *from = end;
    while (from > line && is_name(from[-1])) from--;
    if (from == end || (from > line && strchr(".]>", from[-1])) || isdigit((unsigned char)*from)) return false;
    snprintf(out, size, "%.*s", (int)(end - from), from);
    return true;
}

/* Which variable a line of the source changes, and holds values like this register's. False: none,
 * or several. */
static bool changed_there(const frames *f, int number, const reel_operand *o, char *out, size_t size)
{
    const char *line = f->source.line[number - 1];
    int found = 0;
    const char want = o->type[0] == 'f' ? 'f' : 'i';
    for (const char *p = line; *p; p++) {
        static const char *const signs[] = {"+=", "-=", "*=", "/=", "++", "--", ">>=", "<<=", "|=", "&=", "^=", "%="};
        char name[NAME_MOST], kind;
        int bytes;
        size_t k = 0;
        while (k < sizeof signs / sizeof *signs && !starts(p, signs[k])) k++;
        const bool plain = *p == '=' && p[1] != '=' && p > line && !strchr("=<>!+-*/|&^%", p[-1]);
        if (k == sizeof signs / sizeof *signs && !plain) continue;
        bool good = assigned(line, p, name, sizeof name);
        if (!good && k < sizeof signs / sizeof *signs && is_name(p[2])) { /* ++i */
            size_t n = 0;
            while (is_name(p[2 + n]) && n + 1 < sizeof name) n++;
            snprintf(name, sizeof name, "%.*s", (int)n, p + 2);
            good = true;
        }
        if (good && declared(f, name, &kind, &bytes) && kind == want && (uint32_t)bytes * 32 == o->bytes &&
            (!found || strcmp(out, name))) {
            found++;
            snprintf(out, size, "%s", name);
        }
        if (k < sizeof signs / sizeof *signs) p++;
    }
    return found == 1;
}

/* Registers that change by themselves: the variable of that line, if no other register claims it. */
static void find_variables(frames *f)
{
    struct names *n = f->names;
    for (uint32_t i = 0; i < n->room; i++) {
        named *d = &n->list[i];
        if (!d->reg || d->line || !d->by || d->by > f->source.count) continue;
        if (!changed_there(f, d->by, d->reg, d->variable, sizeof d->variable)) d->variable[0] = 0;
    }
    for (uint32_t i = 0; i < n->room; i++)
        for (uint32_t k = i + 1; k < n->room && n->list[i].variable[0]; k++)
            if (!strcmp(n->list[i].variable, n->list[k].variable)) n->list[i].variable[0] = n->list[k].variable[0] = 0;
}

/* One of "t = threadIdx.x, i = blockIdx.x * blockDim.x + t": a name and its value up to `end`. */
static void add_alias(struct names *n, const char *line, const char *sign, const char *end)
{
    alias *a = &n->alias[n->aliases];
    size_t used = 0;
    if (n->aliases == ALIASES || !assigned(line, sign, a->name, sizeof a->name)) return;
    for (const char *c = sign + 1; c < end && used + 1 < sizeof a->is; c++)
        if (*c != ' ') a->is[used++] = *c;
    a->is[used] = 0;
    /* of threadIdx and the like alone: what others hold may change */
    if (strstr(a->is, "Idx.") || strstr(a->is, "Dim.")) n->aliases++;
}

/* int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x; */
static void find_aliases(frames *f)
{
    for (int i = 0; i < f->source.count; i++) {
        const char *line = f->source.line[i];
        for (const char *p = line; *p; p++) {
            if (*p != '=' || p[1] == '=' || p == line || strchr("=<>!+-*/|&^%", p[-1])) continue;
            const char *end = p + 1;
            int depth = 0;
            for (; *end && *end != ';' && (*end != ',' || depth); end++) depth += (*end == '(') - (*end == ')');
            if (*end) add_alias(f->names, line, p, end);
        }
    }
}

/* Where registers are written. */
static void find_registers(frames *f)
{
    const reel *r = f->reel;
    struct names *n = f->names;
    for (uint32_t pc = 0; pc < r->insns; pc++) {
        const reel_insn *in = &r->insn[pc];
        const reel_operand *o = r->operand + in->operand;
        for (uint32_t i = 0; i < in->operands; i++) {
            if (!o[i].written || !o[i].name[0]) continue;
            named *d = place_of(n, o[i].name);
            d->line = !d->reg || d->line == in->ptx_line ? in->ptx_line : 0;
            if (!d->reg || strcmp(o[i].type, "b32")) d->reg = &o[i];
            bool itself = false;
            for (uint32_t k = 0; k < in->operands; k++) itself |= o[k].read && !strcmp(o[k].name, o[i].name);
            if (itself) d->by = !d->by || d->by == in->line ? in->line : -1;
        }
    }
    for (uint32_t i = 0; i < n->room; i++)
        if (n->list[i].by < 0) n->list[i].by = 0;
}

void names_make(frames *f)
{
    struct names *n = calloc(1, sizeof *n);
    if (!n) return;
    for (n->room = 64; n->room < 4 * (f->reel->operands + 1); n->room *= 2) continue;
    n->list = calloc(n->room, sizeof *n->list);
    if (!n->list) {
        free(n);
        return;
    }
    f->names = n;
    find_registers(f);
    find_signature(f);
    find_aliases(f);
    find_variables(f);
}
