/* element_operators.c: the operators and functions of expressions about elements, for all lanes at once. */
#include "element_run.h"
#include "small_floats.h"
#include <float.h>
#include <math.h>
#include <string.h>

static int64_t whole_of(double d)
{
    return d != d ? 0 : d >= 9.2233720368547758e18 ? INT64_MAX : d <= -9.2233720368547758e18 ? INT64_MIN : (int64_t)d;
}

/* As C converts to the type, with wrapping for whole numbers. */
static void cast(vec *out, const vec *v, enum element_kind from, enum lesson_type to, int n)
{
    if (to == TYPE_F64) {
        memcpy(out->r, v->r, sizeof(double) * (size_t)n);
        return;
    }
    if (to == TYPE_F32) {
        EACH out->r[l] = v->r[l] > FLT_MAX ? INFINITY : v->r[l] < -FLT_MAX ? -INFINITY : (double)(float)v->r[l];
        return;
    }
    if (float_format_of(to)) {
        EACH out->r[l] = float_unpack(float_format_of(to), float_pack(float_format_of(to), v->r[l]));
        return;
    }
    if (from != ELEMENT_REAL) *out = *v;
    else if (to == TYPE_U64)
        EACH out->u[l] = v->r[l] >= 0x1p63 && v->r[l] < 0x1p64 ? (uint64_t)v->r[l] : (uint64_t)whole_of(v->r[l]);
    else EACH out->i[l] = whole_of(v->r[l]);
    switch (to) {
    case TYPE_I8: EACH out->i[l] = (int8_t)(uint8_t)out->u[l]; break;
    case TYPE_U8: EACH out->i[l] = (uint8_t)out->u[l]; break;
    case TYPE_I16: EACH out->i[l] = (int16_t)(uint16_t)out->u[l]; break;
    case TYPE_U16: EACH out->i[l] = (uint16_t)out->u[l]; break;
    case TYPE_I32: EACH out->i[l] = (int32_t)(uint32_t)out->u[l]; break;
    case TYPE_U32: EACH out->i[l] = (uint32_t)out->u[l]; break;
    default: break;
    }
}

/* ---- two operands ---- */

static uint64_t whole_power(uint64_t a, uint64_t b)
{
    uint64_t x = 1;
    for (; b; b >>= 1, a *= a)
        if (b & 1) x *= a;
    return x;
}

static void divide(run *r, const element_node *e, int op, vec *out, const vec *a, const vec *b, const uint8_t *mask,
                   int n)
{
    const bool plain = e->kind == ELEMENT_UNSIGNED;
    EACH
    {
        uint64_t by = b->u[l];
        if (by == 0 && ON(l)) {
            element_stop(r, e, l, "division by zero");
            return;
        }
        if (by == 0) by = 1;
        const int64_t x = a->i[l], y = element_signed(by);
        if (plain) out->u[l] = op == DIV ? a->u[l] / by : op == REM ? a->u[l] % by : a->u[l] / by + (a->u[l] % by != 0);
        else if (y == -1) out->u[l] = op == REM ? 0 : 0 - a->u[l];
        else out->i[l] = op == DIV ? x / y : op == REM ? x % y : x / y + (x % y != 0 && (x < 0) == (y < 0));
    }
}

static void shift(run *r, const element_node *e, int op, vec *out, const vec *a, const vec *b, const uint8_t *mask,
                  int n)
{
    EACH
    {
        const int64_t by = b->i[l];
        if ((by < 0 || by > 63) && ON(l)) {
            element_stop(r, e, l, "a shift by %lld, which is not between 0 and 63", (long long)by);
            return;
        }
        if (by < 0 || by > 63) out->i[l] = 0;
        else if (op == SHL) out->u[l] = a->u[l] << by;
        else if (e->kind == ELEMENT_UNSIGNED || a->i[l] >= 0) out->u[l] = a->u[l] >> by;
        else out->u[l] = ~(~a->u[l] >> by);
    }
}

#define COMPARE(sign)                                                         \
    if (kind == ELEMENT_REAL) EACH out->i[l] = a->r[l] sign b->r[l];          \
    else if (kind == ELEMENT_UNSIGNED) EACH out->i[l] = a->u[l] sign b->u[l]; \
    else EACH out->i[l] = a->i[l] sign b->i[l];                               \
    break
#define ARITHMETIC(sign)                                             \
    if (kind == ELEMENT_REAL) EACH out->r[l] = a->r[l] sign b->r[l]; \
    else EACH out->u[l] = a->u[l] sign b->u[l];                      \
    break

void element_two(run *r, int index, vec *out, const uint8_t *mask, int n)
{
    const element_node *e = &r->p->node[index], *x = &r->p->node[e->a], *y = &r->p->node[e->b];
    const int op = e->op >= BINARY ? e->op - BINARY : -1;
    const enum element_kind kind = (enum element_kind)(x->kind > y->kind ? x->kind : y->kind);
    const vec *a = element_as(r, e->a, kind, mask, n), *b = r->failed ? a : element_as(r, e->b, kind, mask, n);
    if (r->failed) return;
    switch (e->op) {
    case CEIL: divide(r, e, BINARIES, out, a, b, mask, n); return;
    case XOR: EACH out->u[l] = a->u[l] ^ b->u[l]; return;
    case MIN:
    case MAX: {
        const bool least = e->op == MIN;
        if (kind == ELEMENT_REAL) EACH out->r[l] = (least ? b->r[l] < a->r[l] : b->r[l] > a->r[l]) ? b->r[l] : a->r[l];
        else if (kind == ELEMENT_UNSIGNED)
            EACH out->u[l] = (least ? b->u[l] < a->u[l] : b->u[l] > a->u[l]) ? b->u[l] : a->u[l];
        else EACH out->i[l] = (least ? b->i[l] < a->i[l] : b->i[l] > a->i[l]) ? b->i[l] : a->i[l];
        return;
    }
    }
    switch (op) {
    case EQ: COMPARE(==);
    case NE: COMPARE(!=);
    case LT: COMPARE(<);
    case LE: COMPARE(<=);
    case GT: COMPARE(>);
    case GE: COMPARE(>=);
    case ADD: ARITHMETIC(+);
    case SUB: ARITHMETIC(-);
    case MUL: ARITHMETIC(*);
    case BOR: EACH out->u[l] = a->u[l] | b->u[l]; break;
    case BAND: EACH out->u[l] = a->u[l] & b->u[l]; break;
    case SHL:
    case SHR: shift(r, e, op, out, a, b, mask, n); break;
    case POWER:
        EACH
        {
            if (kind == ELEMENT_REAL) out->r[l] = pow(a->r[l], b->r[l]);
            else if (b->i[l] < 0 && ON(l)) {
                element_stop(r, e, l, "a power below 0 is no whole number");
                return;
            } else out->u[l] = b->i[l] < 0 ? 0 : whole_power(a->u[l], b->u[l]);
        }
        break;
    default:
        if (kind == ELEMENT_REAL) EACH out->r[l] = a->r[l] / b->r[l];
        else divide(r, e, op, out, a, b, mask, n);
    }
}

void element_one(run *r, int index, vec *out, const uint8_t *mask, int n)
{
    const element_node *e = &r->p->node[index], *x = &r->p->node[e->a];
    const bool is_real = x->kind == ELEMENT_REAL;
    const vec *v = e->kind == ELEMENT_REAL ? element_real(r, e->a, mask, n) : element_eval(r, e->a, mask, n);
    if (r->failed) return;
    switch (e->op) {
    case NEGATE:
        if (is_real) EACH out->r[l] = -v->r[l];
        else EACH out->u[l] = 0 - v->u[l];
        return;
    case NOT:
        if (is_real) EACH out->i[l] = v->r[l] == 0;
        else EACH out->i[l] = v->i[l] == 0;
        return;
    case FLIP: EACH out->u[l] = ~v->u[l]; return;
    case ABS:
        if (is_real) EACH out->r[l] = fabs(v->r[l]);
        else if (x->kind == ELEMENT_UNSIGNED) *out = *v;
        else EACH out->u[l] = v->i[l] < 0 ? 0 - v->u[l] : v->u[l];
        return;
    case FLOOR:
        if (is_real) EACH out->r[l] = floor(v->r[l]);
        else *out = *v;
        return;
    case LOG2:
        EACH
        {
            if (v->i[l] < 1 && ON(l)) {
                element_stop(r, e, l, "log2 of a number below 1");
                return;
            }
            out->i[l] = 0;
            for (uint64_t u = v->i[l] < 1 ? 1 : v->u[l]; u > 1; u /= 2) out->i[l]++;
        }
        return;
    case SQRT: EACH out->r[l] = sqrt(v->r[l]); return;
    case EXP: EACH out->r[l] = exp(v->r[l]); return;
    case LOG: EACH out->r[l] = log(v->r[l]); return;
    case SIN: EACH out->r[l] = sin(v->r[l]); return;
    case COS: EACH out->r[l] = cos(v->r[l]); return;
    case TANH: EACH out->r[l] = tanh(v->r[l]); return;
    default: cast(out, v, (enum element_kind)x->kind, (enum lesson_type)(e->op - CAST), n);
    }
}
