/* data.c: declarations that hold values: registers, variables with their initialisers, parameters.
 *
 *     .visible .global .align 4 .v2 .f32 table[3][4] = { {...}, ... };
 *     ^ linkage (read by the caller)     ^ dimensions; a vector counts as one more, the innermost
 */
#include "constants.h"
#include "data.h"

#define LARGEST_VARIABLE (UINT64_C(1) << 40)

/* what stands between the state space and the name; the dimensions */
typedef struct shape {
    enum ptx_type type;
    uint32_t align; /* 0: natural */
    int vector;     /* 1, 2, 4, 8 */
    bool pointer, unsized;
    int dims;
    uint64_t dim[PARSE_MAX_DIMS + 1];
} shape;

void parse_attribute(parser *p) /* .attribute(.managed) and others without effect here */
{
    lex_next(p);
    parse_take(p, '(', "\"(\" after .attribute");
    for (int depth = 1; depth;) {
        if (p->t.kind == TK_END || p->t.kind == ';' || p->t.kind == '{')
            parse_expected(p, "\")\" at the end of .attribute");
        depth += (p->t.kind == '(') - (p->t.kind == ')');
        lex_next(p);
    }
}

static uint32_t parse_align(parser *p)
{
    lex_next(p);
    token at = p->t;
    int64_t a = parse_integer(p, "an alignment");
    if (a < 1 || a > 1 << 20 || (a & (a - 1))) parse_wrong(p, &at, "an alignment is a power of two up to 1048576");
    return (uint32_t)a;
}

static bool is_space(enum directive d)
{
    return d == D_GLOBAL || d == D_SHARED || d == D_LOCAL || d == D_CONST || d == D_PARAM;
}

/* .align, .attribute, .v2, .ptr with its space, and the type, in any order, up to the name */
static void parse_type(parser *p, shape *s, bool is_param)
{
    bool typed = false;
    *s = (shape){.vector = 1};
    while (p->t.kind == TK_DOT) {
        const name *n = names_find(p, p->t.text, p->t.length);
        enum directive d = n ? (enum directive)n->directive : D_NONE;
        if (d == D_ALIGN) {
            uint32_t a = parse_align(p);
            if (!s->pointer) s->align = a; /* after .ptr it is that of the target */
            continue;
        }
        if (d == D_ATTRIBUTE) {
            parse_attribute(p);
            continue;
        }
        if (d == D_PTR && is_param) s->pointer = true;
        else if (is_space(d) && s->pointer) {
        } /* the target's */
        else if (n && n->suffix == S_V2 && s->vector == 1)
            s->vector = 2;
        else if (n && n->suffix == S_V4 && s->vector == 1) s->vector = 4;
        else if (n && n->suffix == S_V8 && s->vector == 1) s->vector = 8;
        else if (n && n->type && ptx_types[n->type].kind != 'M' && !typed) {
            s->type = (enum ptx_type)n->type;
            typed = true;
        } else {
            parse_expected(p, typed ? "a name" : "a type");
        }
        lex_next(p);
    }
    if (!typed) parse_expected(p, "a type");
}

static void parse_dimensions(parser *p, shape *s)
{
    s->dims = 0;
    s->unsized = false;
    while (p->t.kind == '[') {
        token at = p->t;
        lex_next(p);
        if (s->dims == PARSE_MAX_DIMS)
            parse_fail(p, SIM_E_REFUSED, at.line, at.column, NULL, "an array has more than %d dimensions",
                       PARSE_MAX_DIMS);
        if (p->t.kind == ']') {
            if (s->dims) parse_expected(p, "a size: only the first dimension may be left open");
            s->unsized = true;
            s->dim[s->dims++] = 0;
        } else {
            int64_t n = parse_integer(p, "an array size");
            if (n < 0 || (uint64_t)n > LARGEST_VARIABLE)
                parse_wrong(p, &at, "an array size must lie between 0 and 2^40");
            s->dim[s->dims++] = (uint64_t)n;
        }
        parse_take(p, ']', "\"]\"");
    }
    if (s->vector > 1) s->dim[s->dims] = (uint64_t)s->vector;
}

/* Bytes of one element of the given level: level 0 is the whole variable, the last one a scalar. */
static uint64_t level_bytes(parser *p, const shape *s, int level, const token *at)
{
    uint64_t bytes = (uint64_t)((ptx_bits(s->type) + 7) / 8);
    for (int i = s->dims + (s->vector > 1) - 1; i >= level; i--) {
        if (s->dim[i] && bytes > LARGEST_VARIABLE / s->dim[i])
            parse_fail(p, SIM_E_REFUSED, at->line, at->column, NULL, "this variable is larger than 2^40 bytes");
        bytes *= s->dim[i];
    }
    return bytes;
}

static uint32_t natural_align(const shape *s)
{
    uint32_t bytes = (uint32_t)((ptx_bits(s->type) + 7) / 8);
    return (bytes ? bytes : 1) * (uint32_t)s->vector;
}

/* ---- registers ---- */
static void check_vector(parser *p, const shape *s)
{
    if (s->vector > 1 && ptx_types[s->type].kind == 'P') parse_wrong(p, &p->t, "a vector cannot be of predicates");
    if (s->vector > 1 && (s->vector > 4 || ptx_bits(s->type) * s->vector > 128))
        parse_wrong(p, &p->t, "a register of vector type has two or four elements and at most 128 bits");
}

void parse_registers(parser *p)
{
    shape s;
    parse_type(p, &s, false);
    if (ptx_types[s.type].kind == ' ' || s.type == T_TEXREF || s.type == T_SAMPLERREF || s.type == T_SURFREF)
        parse_fail(p, SIM_E_REFUSED, p->t.line, p->t.column, NULL, "registers of opaque type are not supported");
    check_vector(p, &s);
    const int vector = s.vector > 1 ? s.vector : 0;
    for (;;) {
        token at = p->t;
        if (at.kind != TK_NAME) parse_expected(p, "the name of a register");
        name *n = names_intern(p, at.text, at.length);
        lex_next(p);
        if (parse_accept(p, '<')) {
            token count = p->t;
            if (count.kind != TK_INT) parse_expected(p, "the number of registers");
            if (count.value > PARSE_MAX_REGS)
                parse_fail(p, SIM_E_REFUSED, count.line, count.column, NULL, "at most %d registers can be declared",
                           PARSE_MAX_REGS);
            lex_next(p);
            parse_take(p, '>', "\">\"");
            binding *b = names_bind(p, n, B_RANGE, at.line, at.column);
            b->type = (uint8_t)s.type;
            b->vector = (uint8_t)vector;
            b->is.count = (uint32_t)count.value;
        } else {
            names_register_bind(p, n, s.type, vector, at.line, at.column);
        }
        if (!parse_accept(p, ',')) break;
    }
    parse_take(p, ';', "\",\" or \";\"");
}

/* ---- initialisers ---- */
typedef struct filler {
    const ptx_var *v;
    shape *s;
    uint64_t end;  /* bytes of the variable; grows when the first dimension is open */
    uint32_t size; /* of a scalar */
} filler;

static uint64_t value_bits(parser *p, enum ptx_type t, value v, const token *at)
{
    char kind = ptx_types[t].kind;
    if (kind == 'F' && ptx_bits(t) == 32) {
        if (v.kind == V_F32) return v.bits;
        float f = (float)value_double(v);
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        return bits;
    }
    if (kind == 'F') {
        if (v.kind == V_F64) return v.bits;
        double d = value_double(v);
        uint64_t bits;
        memcpy(&bits, &d, sizeof bits);
        return bits;
    }
    if (v.kind != V_INT && kind != 'B') parse_wrong(p, at, "a float cannot initialise a .%s", ptx_types[t].name);
    if ((v.kind == V_F32 && ptx_bits(t) < 32) || (v.kind == V_F64 && ptx_bits(t) < 64))
        parse_wrong(p, at, "this float does not fit in a .%s", ptx_types[t].name);
    return ptx_bits(t) < 64 ? v.bits & ((UINT64_C(1) << ptx_bits(t)) - 1) : v.bits;
}

/* Neighbouring constants stay one piece while they fill an aligned power of two up to 8 bytes. */
static void add_init(parser *p, const ptx_init *piece)
{
    *ARENA_PUSH(&p->scratch, p->inits, p->init_count, p->init_capacity) = *piece;
    while (p->init_count > 1) {
        ptx_init *a = &p->inits[p->init_count - 2], *b = a + 1;
        if (a->var || a->func || b->var || b->func || a->size != b->size || a->size >= 8) return;
        if (a->offset + a->size != b->offset || a->offset % (2 * a->size)) return;
        a->bits |= b->bits << (8 * a->size);
        a->size *= 2;
        p->init_count--;
    }
}

static void parse_addend(parser *p, ptx_init *piece)
{
    while (p->t.kind == '+' || p->t.kind == '-') {
        bool minus = p->t.kind == '-';
        lex_next(p);
        token number = p->t;
        value v = parse_value_unary(p);
        if (v.kind != V_INT) parse_wrong(p, &number, "expected an integer offset");
        piece->addend = (int64_t)((uint64_t)piece->addend + (minus ? 0 - v.bits : v.bits));
    }
}

static void parse_symbol(parser *p, ptx_init *piece) /* name + 4, generic(name) + 4 */
{
    bool generic = p->t.kind == TK_NAME && p->t.length == 7 && !memcmp(p->t.text, "generic", 7);
    if (generic) {
        lexer before = p->lx;
        token word = p->t;
        lex_next(p);
        generic = p->t.kind == '(';
        if (!generic) { /* a variable of that name */
            p->lx = before;
            p->t = word;
        } else {
            lex_next(p);
        }
    }
    token at = p->t;
    if (at.kind != TK_NAME) parse_expected(p, "the name of a variable or function");
    name *n = names_intern(p, at.text, at.length);
    const binding *b = n->top;
    if (b && b->kind == B_VAR) piece->var = b->is.var;
    else if (b && b->kind == B_FUNC) piece->func = b->is.func;
    else {
        char quoted[64];
        parse_wrong(p, &at, "%s is not a variable or function declared above",
                    parse_quote(n->text, n->length, quoted, sizeof quoted));
    }
    lex_next(p);
    if (generic) {
        piece->generic = true;
        parse_addend(p, piece);
        parse_take(p, ')', "\"+\" or \")\"");
    }
    parse_addend(p, piece);
}

static void parse_scalar(parser *p, filler *fill, uint64_t offset)
{
    token at = p->t;
    ptx_init piece = {.offset = (uint32_t)offset, .size = fill->size};
    bool masked = false;
    if (at.kind == TK_INT) { /* 0xFF00(symbol) picks a byte of an address */
        lexer before = p->lx;
        lex_next(p);
        masked = p->t.kind == '(';
        if (!masked) {
            p->lx = before;
            p->t = at;
        }
    }
    if (masked) {
        uint64_t mask = at.value;
        int shift = 0;
        while (shift < 64 && !(mask >> shift & 1)) shift++;
        if (fill->size >= 8 || shift > 56 || shift % 8 || mask >> shift != (UINT64_C(1) << (8 * fill->size)) - 1)
            parse_fail(p, SIM_E_REFUSED, at.line, at.column, NULL,
                       "a mask must pick as many whole bytes as the element has");
        piece.byte_shift = (uint8_t)shift;
        lex_next(p);
        parse_symbol(p, &piece);
        parse_take(p, ')', "\")\"");
    } else if (at.kind == TK_NAME && !(at.length == 7 && !memcmp(at.text, "WARP_SZ", 7))) {
        parse_symbol(p, &piece);
        if (fill->size > 8)
            parse_fail(p, SIM_E_REFUSED, at.line, at.column, NULL, "an address cannot initialise this type");
    } else {
        piece.bits = value_bits(p, fill->v->type, parse_value(p), &at);
        if (piece.size > 8) { /* .b128: the high half is zero, or the sign */
            uint64_t high = (int64_t)piece.bits < 0 && at.kind == '-' ? UINT64_MAX : 0;
            piece.size = 8;
            add_init(p, &piece);
            piece.offset += 8;
            piece.bits = high;
        }
    }
    add_init(p, &piece);
}

/* One element of the given level at *offset, which advances. Braces may be left out, as in C. */
static void parse_element(parser *p, filler *fill, int level, int levels, uint64_t *offset)
{
    token at = p->t;
    if (at.kind == '{') {
        if (level >= levels) parse_wrong(p, &at, "this initialiser has more braces than the variable has dimensions");
        parse_enter(p);
        uint64_t each = level_bytes(p, fill->s, level + 1, &at), start = *offset;
        bool open = level == 0 && fill->s->unsized;
        uint64_t end = open ? UINT32_MAX : start + level_bytes(p, fill->s, level, &at);
        lex_next(p);
        while (p->t.kind != '}') {
            if (p->t.kind == '{' && each && (*offset - start) % each) *offset += each - (*offset - start) % each;
            if (*offset >= end || *offset > UINT32_MAX - 16)
                parse_wrong(p, &p->t, "this initialiser has more values than the variable has room for");
            parse_element(p, fill, p->t.kind == '{' ? level + 1 : levels, levels, offset);
            if (!parse_accept(p, ',')) break;
        }
        parse_take(p, '}', "\",\" or \"}\"");
        if (open) {
            if (each && (*offset - start) % each) *offset += each - (*offset - start) % each;
            fill->end = *offset;
        } else {
            *offset = end;
        }
        p->nesting--;
    } else {
        parse_scalar(p, fill, *offset);
        *offset += fill->size;
    }
}

static void parse_initialiser(parser *p, ptx_var *v, shape *s)
{
    token at = p->t;
    int levels = s->dims + (s->vector > 1);
    if (v->space != SPACE_GLOBAL && v->space != SPACE_CONST)
        parse_wrong(p, &at, "only .global and .const variables may be initialised");
    if (ptx_types[v->type].kind == 'P' || v->type == T_TEXREF || v->type == T_SAMPLERREF || v->type == T_SURFREF)
        parse_fail(p, SIM_E_REFUSED, at.line, at.column, NULL, "initialised .%s variables are not supported",
                   ptx_types[v->type].name);
    if (levels && at.kind != '{') parse_expected(p, "\"{\" around the values of an array");
    filler fill = {.v = v, .s = s, .end = v->size, .size = (uint32_t)((ptx_bits(s->type) + 7) / 8)};
    uint64_t offset = 0;
    p->init_count = 0;
    if (!levels && at.kind == '{') { /* a scalar in braces */
        lex_next(p);
        parse_scalar(p, &fill, 0);
        parse_take(p, '}', "\"}\"");
    } else {
        parse_element(p, &fill, 0, levels, &offset);
    }
    v->size = fill.end;
    v->inits = arena_array(p->keep, (size_t)p->init_count, sizeof *v->inits);
    v->init_count = p->init_count;
    if (p->init_count) memcpy(v->inits, p->inits, (size_t)p->init_count * sizeof *v->inits);
}

static bool is_word(const token *t, const char *word)
{
    return strlen(word) == t->length && !memcmp(t->text, word, t->length);
}

/* { addr_mode_0 = wrap, filter_mode = linear, ... } of a sampler. */
static ptx_sampler *parse_sampler(parser *p)
{
    static const struct {
        const char *name;
        int least, most;
    } fields[] = {{"addr_mode_0", 0, 3},
                  {"addr_mode_1", 0, 3},
                  {"addr_mode_2", 0, 3},
                  {"filter_mode", 4, 5},
                  {"force_unnormalized_coords", 6, 7}};
    static const struct {
        const char *name;
        uint8_t means;
    } values[] = {{"wrap", SIM_OUTSIDE_WRAP},
                  {"mirror", SIM_OUTSIDE_MIRROR},
                  {"clamp_to_edge", SIM_OUTSIDE_CLAMP},
                  {"clamp_to_border", SIM_OUTSIDE_BORDER},
                  {"nearest", 0},
                  {"linear", 1},
                  {"0", 0},
                  {"1", 1}};
    enum { FIELDS = sizeof fields / sizeof *fields };
    ptx_sampler *s = arena_alloc(p->keep, sizeof *s);
    *s = (ptx_sampler){.outside = {SIM_OUTSIDE_CLAMP, SIM_OUTSIDE_CLAMP, SIM_OUTSIDE_CLAMP}};
    parse_take(p, '{', "\"{\" around the fields of a sampler");
    while (p->t.kind != '}') {
        int i = 0, k;
        while (i < FIELDS && !is_word(&p->t, fields[i].name)) i++;
        if (i == FIELDS) parse_expected(p, "a field of a sampler, such as addr_mode_0 or filter_mode");
        lex_next(p);
        parse_take(p, '=', "\"=\"");
        for (k = fields[i].least; k <= fields[i].most; k++)
            if (is_word(&p->t, values[k].name)) break;
        if (k > fields[i].most) parse_expected(p, "a value of this field that is supported here");
        lex_next(p);
        if (i < 3) s->outside[i] = values[k].means;
        else if (i == 3) s->linear = values[k].means;
        else s->plain = values[k].means;
        if (!parse_accept(p, ',')) break;
    }
    parse_take(p, '}', "\",\" or \"}\"");
    return s;
}

/* ---- variables ---- */
static ptx_var *declare(parser *p, const token *at, enum ptx_space space, bool is_extern)
{
    name *n = names_intern(p, at->text, at->length);
    binding *old = n->top;
    if (old && !p->depth && old->kind == B_VAR && old->is.var->space == space &&
        (is_extern || old->is.var->is_extern)) {
        if (is_extern && !old->is.var->is_extern)
            return arena_alloc(&p->scratch, sizeof(ptx_var)); /* says nothing new */
        return old->is.var;
    }
    ptx_var *v = arena_alloc(p->keep, sizeof *v);
    names_bind(p, n, B_VAR, at->line, at->column)->is.var = v;
    v->name = n->text;
    bool lasting = space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_TEX;
    if (p->f && !lasting) *ARENA_PUSH(p->keep, p->f->vars, p->f->var_count, p->f->var_capacity) = v;
    else *ARENA_PUSH(p->keep, p->m->vars, p->m->var_count, p->m->var_capacity) = v;
    v->owner = p->f;
    return v;
}

void parse_variables(parser *p, enum ptx_space space, bool is_extern)
{
    shape s;
    parse_type(p, &s, false);
    if (space == SPACE_TEX) { /* how .global .texref was written before PTX 1.5 */
        space = SPACE_GLOBAL;
        s = (shape){.type = T_TEXREF, .vector = 1};
    }
    for (;;) {
        token at = p->t;
        if (at.kind != TK_NAME) parse_expected(p, "the name of a variable");
        if (ptx_types[s.type].kind == 'P') parse_wrong(p, &at, "a .pred is a register, not a variable");
        lex_next(p);
        parse_dimensions(p, &s);
        ptx_var *v = declare(p, &at, space, is_extern);
        v->space = space;
        v->type = s.type;
        v->align = s.align ? s.align : natural_align(&s);
        v->is_extern = is_extern;
        v->is_array = s.dims > 0;
        v->size = s.unsized ? 0 : level_bytes(p, &s, 0, &at);
        v->line = at.line;
        if (parse_accept(p, '=')) {
            if (is_extern) parse_wrong(p, &at, "an .extern variable cannot be initialised");
            if (v->type == T_SAMPLERREF && !v->is_array) v->sampler = parse_sampler(p);
            else parse_initialiser(p, v, &s);
        } else if (s.unsized && !is_extern) {
            parse_wrong(p, &at, "an array without a size must be .extern or initialised");
        }
        if (!parse_accept(p, ',')) break;
    }
    parse_take(p, ';', "\",\" or \";\"");
}

/* ".param .u64 .ptr .global .align 4 name[16]", without binding the name; "_": an unnamed one. */
ptx_var *parse_param(parser *p, int index)
{
    enum directive d = parse_directive_of(p);
    if (d != D_PARAM && d != D_REG) parse_expected(p, "\".param\"");
    lex_next(p);
    shape s;
    parse_type(p, &s, d == D_PARAM);
    token at = p->t;
    if (at.kind != TK_NAME) parse_expected(p, "the name of a parameter");
    const bool predicate = ptx_types[s.type].kind == 'P';
    if (predicate && d == D_PARAM) parse_wrong(p, &at, "a .pred can only be passed in a register: .reg .pred");
    lex_next(p);
    if (d == D_PARAM) parse_dimensions(p, &s);
    else if (ptx_types[s.type].kind == ' ' || !ptx_bits(s.type) || (ptx_bits(s.type) % 8 && !predicate))
        parse_wrong(p, &at, "a parameter in a register must be a number, a vector of them or a predicate");
    if (d == D_REG) {
        check_vector(p, &s);
        s.dim[0] = (uint64_t)s.vector;
    }
    ptx_var *v = arena_alloc(p->keep, sizeof *v);
    v->name = names_intern(p, at.text, at.length)->text;
    v->in_register = d == D_REG;
    v->space = SPACE_PARAM;
    v->type = s.type;
    v->align = s.align ? s.align : natural_align(&s);
    v->is_array = s.dims > 0;
    v->pointer = s.pointer;
    v->size = s.unsized ? 0 : level_bytes(p, &s, 0, &at);
    if (predicate) v->size = v->align = 4; /* it travels as a word (byreg.c) */
    v->vector = d == D_REG && s.vector > 1 ? s.vector : 0;
    v->line = at.line;
    v->index = index;
    return v;
}
