/* scopes.c: every word of the text is kept once, in a hash table, and knows its innermost
 * declaration. Opening a scope costs nothing; closing one undoes its declarations. So a name is
 * resolved in one step however deep the braces.
 *
 * A range, .reg .b32 %r<1000>, is one declaration of the prefix "%r". A register of it gets its
 * number when it is first used, so unused registers cost nothing. Labels may be used before they
 * are declared: each use waits in its scope until the scope closes, and goes to the outer scope if
 * the label was not declared there. */
#include "parse.h"
#include <time.h>

static uint32_t hash_of(const parser *p, const char *text, size_t length)
{
    const uint64_t k = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t h = p->seed ^ length * k;
    while (length >= 8) {
        uint64_t piece;
        memcpy(&piece, text, 8);
        h = (h ^ piece) * k;
        h ^= h >> 29;
        text += 8;
        length -= 8;
    }
    if (length) {
        uint64_t piece = 0;
        memcpy(&piece, text, length);
        h = (h ^ piece) * k;
        h ^= h >> 29;
    }
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(h >> 32);
}

static name **slot_of(parser *p, const char *text, size_t length, uint32_t hash)
{
    uint32_t i = hash & (p->table_size - 1);
    for (; p->table[i]; i = (i + 1) & (p->table_size - 1)) {
        const name *n = p->table[i];
        if (n->hash == hash && n->length == length && !memcmp(n->text, text, length)) break;
    }
    return &p->table[i];
}

static void grow_table(parser *p)
{
    name **old = p->table;
    uint32_t old_size = p->table_size;
    p->table_size = old_size ? old_size * 2 : 2048;
    p->table = arena_array(&p->scratch, p->table_size, sizeof *p->table);
    for (uint32_t i = 0; i < old_size; i++) {
        if (!old[i]) continue;
        uint32_t j = old[i]->hash & (p->table_size - 1);
        while (p->table[j]) j = (j + 1) & (p->table_size - 1);
        p->table[j] = old[i];
    }
}

static name *add_name(parser *p, name **slot, const char *kept, size_t length, uint32_t hash)
{
    name *n = arena_alloc(&p->scratch, sizeof *n);
    n->text = kept;
    n->length = (uint32_t)length;
    n->hash = hash;
    *slot = n;
    if (++p->name_count > p->table_size / 2) grow_table(p);
    return n;
}

name *names_find(parser *p, const char *text, size_t length)
{
    return *slot_of(p, text, length, hash_of(p, text, length));
}

name *names_intern(parser *p, const char *text, size_t length)
{
    uint32_t hash = hash_of(p, text, length);
    name **slot = slot_of(p, text, length, hash);
    return *slot ? *slot : add_name(p, slot, arena_string(p->keep, text, length), length, hash);
}

static name *language_word(parser *p, const char *text)
{
    size_t length = strlen(text);
    uint32_t hash = hash_of(p, text, length);
    name **slot = slot_of(p, text, length, hash);
    return *slot ? *slot : add_name(p, slot, text, length, hash);
}

void names_start(parser *p)
{
    static const char *const directives[] = {"",
#define D(id, text) text,
                                             PARSE_DIRECTIVES(D)
#undef D
    };
    /* Authors of a text must not know which names collide. The order of the table is never
     * visible. */
    p->seed = ((uint64_t)(uintptr_t)p ^ (uint64_t)clock() << 32 ^ (uint64_t)time(NULL)) * UINT64_C(0xD6E8FEB86659FD93);
    grow_table(p);
    for (int i = 1; i < OP_COUNT; i++) language_word(p, ptx_ops[i].name)->op = (uint16_t)i;
    for (int i = 1; i < T_COUNT; i++) language_word(p, ptx_types[i].name)->type = (uint16_t)i;
    for (int i = 1; i < S_COUNT; i++) language_word(p, ptx_suffix_names[i])->suffix = (uint16_t)i;
    for (int i = 1; i < SR_COUNT; i++) language_word(p, ptx_sregs[i].name)->sreg = (uint16_t)i;
    for (int i = 1; i < D_COUNT; i++) language_word(p, directives[i])->directive = (uint16_t)i;
}

/* ---- declarations ---- */
static binding *push_binding(parser *p, name *n, enum binding_kind kind, int depth, int line)
{
    binding *b = arena_alloc(&p->scratch, sizeof *b);
    binding **top = kind == B_RANGE ? &n->range : &n->top;
    *b = (binding){.kind = (uint8_t)kind, .depth = depth, .line = line, .of = n, .shadowed = *top};
    b->scope_next = p->scopes[depth].bindings;
    p->scopes[depth].bindings = b;
    *top = b;
    return b;
}

binding *names_bind(parser *p, name *n, enum binding_kind kind, int line, int column)
{
    binding *old = kind == B_RANGE ? n->range : n->top;
    if (old && old->depth == p->depth) {
        char quoted[64];
        parse_fail(p, SIM_E_SYNTAX, line, column, NULL, "%s is already declared in this scope, in line %d",
                   parse_quote(n->text, n->length, quoted, sizeof quoted), old->line);
    }
    if (kind == B_RANGE) p->scopes[p->depth].range_depth = p->depth;
    return push_binding(p, n, kind, p->depth, line);
}

static int new_register(parser *p, enum ptx_type type, const char *text)
{
    ptx_func *f = p->f;
    if (f->reg_count >= PARSE_MAX_REGS)
        parse_fail(p, SIM_E_REFUSED, p->t.line, p->t.column, NULL, "function \"%.60s\" has more than %d registers",
                   f->name, PARSE_MAX_REGS);
    ptx_reg *r = ARENA_PUSH(p->keep, f->regs, f->reg_count, f->reg_capacity);
    r->name = text;
    r->type = type;
    return f->reg_count - 1;
}

/* A register, or the consecutive registers of a vector. Returns the first. */
static int new_registers(parser *p, enum ptx_type type, const char *text, int vector)
{
    const int first = new_register(p, type, text);
    for (int i = 1; i < vector; i++) new_register(p, type, text);
    return first;
}

int names_register(parser *p, enum ptx_type type, const char *text, int line)
{
    return line ? names_register_bind(p, names_intern(p, text, strlen(text)), type, 0, line, 1)->is.reg
                : new_register(p, type, text);
}

binding *names_register_bind(parser *p, name *n, enum ptx_type type, int vector, int line, int column)
{
    binding *b = names_bind(p, n, B_REG, line, column);
    b->type = (uint8_t)type;
    b->vector = (uint8_t)vector;
    b->is.reg = new_registers(p, type, n->text, vector);
    return b;
}

/* The deepest range that holds this name, NULL none. A name such as %a12 may be %a<N>'s 12th or
 * %a1<N>'s second. */
static binding *range_of(parser *p, const name *n)
{
    binding *best = NULL;
    uint64_t number = 0, unit = 1;
    for (uint32_t at = n->length; at > 1 && unit < 10000000000; unit *= 10) {
        char c = n->text[--at];
        if (c < '0' || c > '9') break;
        number += (uint64_t)(c - '0') * unit;
        if (c == '0' && unit != 1 && at + 1 < n->length) continue; /* no leading zeros */
        name *prefix = names_find(p, n->text, at);
        binding *r = prefix ? prefix->range : NULL;
        while (r && number >= r->is.count) r = r->shadowed; /* %r5 of an outer %r<9> may be meant */
        if (r && (!best || r->depth > best->depth)) best = r;
    }
    return best;
}

binding *names_lookup(parser *p, name *n)
{
    binding *b = n->top;
    if (b && b->depth >= p->scopes[p->depth].range_depth) return b;
    char last = n->text[n->length ? n->length - 1 : 0];
    if (!p->f || last < '0' || last > '9') return b;
    binding *range = range_of(p, n);
    if (!range || (b && b->depth >= range->depth)) return b;
    int reg = new_registers(p, (enum ptx_type)range->type, n->text, range->vector);
    b = push_binding(p, n, B_REG, range->depth, range->line);
    b->type = range->type;
    b->vector = range->vector;
    b->is.reg = reg;
    return b;
}

/* ---- scopes ---- */
void scope_open(parser *p, const token *brace)
{
    if (p->depth >= PARSE_MAX_SCOPES)
        parse_fail(p, SIM_E_REFUSED, brace->line, brace->column, NULL, "scopes are nested more than %d deep",
                   PARSE_MAX_SCOPES);
    scope *outer = &p->scopes[p->depth++];
    p->scopes[p->depth] = (scope){.open = *brace, .range_depth = outer->range_depth};
}

static void resolve(const label_ref *r, const binding *b)
{
    if (b->kind == B_LABEL) {
        if (r->slot) {
            *r->slot = b->is.label;
        } else {
            r->operand->kind = O_LABEL;
            r->operand->label = b->is.label;
        }
    } else {
        r->operand->kind = O_TABLE;
        r->operand->table = b->is.table;
        r->operand->label = 0;
    }
}

void scope_close(parser *p)
{
    scope *s = &p->scopes[p->depth];
    for (label_ref *r = s->refs, *next; r; r = next) {
        next = r->next;
        const binding *b = r->of->top;
        if (b && b->depth == p->depth && (b->kind == B_LABEL || (b->kind == B_TABLE && !r->slot))) {
            resolve(r, b);
        } else if (p->depth > 1) {
            r->next = s[-1].refs;
            s[-1].refs = r;
        } else {
            char quoted[64];
            parse_fail(p, SIM_E_SYNTAX, r->line, r->column, NULL, "there is no label %s in function \"%.60s\"",
                       parse_quote(r->of->text, r->of->length, quoted, sizeof quoted), p->f ? p->f->name : "");
        }
    }
    for (binding *b = s->bindings; b; b = b->scope_next) {
        if (b->kind == B_RANGE) b->of->range = b->shadowed;
        else b->of->top = b->shadowed;
    }
    *s = (scope){0};
    p->depth--;
}

void scope_want_label(parser *p, name *n, ptx_operand *operand, int *slot, int line, int column)
{
    label_ref *r = arena_alloc(&p->scratch, sizeof *r);
    *r = (label_ref){
        .next = p->scopes[p->depth].refs, .of = n, .operand = operand, .slot = slot, .line = line, .column = column};
    p->scopes[p->depth].refs = r;
}
