/* answer_text.c: see answer_text.h. A text is split into tokens, as by a compiler. Comments and
 * blanks are dropped, names that the answer chose become numbers in order of appearance, and numbers
 * become their values. */
#include "answer_text.h"
#include "list.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Names that are not the answer's own: words of the language and CUDA's names. So are names that
 * begin with __ or atomic, or follow a point. Renaming one of these makes another program. */
static const char kept_names[] =
    " alignas alignof auto bool break case char class const const_cast constexpr continue decltype default delete do "
    "double dynamic_cast else enum explicit extern false float for friend "
    "goto if inline int long mutable namespace new "
    "noexcept nullptr operator private protected public register reinterpret_cast return short signed sizeof static "
    "static_assert static_cast struct switch template this throw true typedef "
    "typename union unsigned using virtual void "
    "volatile while define undef include ifdef ifndef elif endif defined pragma unroll nounroll error asm "
    "blockIdx threadIdx blockDim gridDim warpSize dim3 int2 int3 int4 uint2 uint4 float2 float3 float4 double2 "
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t "
    "make_int2 make_int4 make_float2 make_float4 "
    "cooperative_groups thread_block this_thread_block tiled_partition this_grid this_cluster "
    "min max abs fabs fabsf fmin fmax fminf fmaxf fma fmaf sqrt sqrtf rsqrt rsqrtf "
    "exp expf exp2f log logf log2f pow powf "
    "sin sinf cos cosf tan tanhf floor floorf ceil ceilf round roundf rint rintf trunc truncf isnan isinf signbit "
    "clock clock64 printf assert malloc free memcpy memset tex1Dfetch tex1D tex2D tex3D "
    "INT_MAX INT_MIN UINT_MAX FLT_MAX FLT_MIN DBL_MAX INFINITY NAN NULL ";

/* ---- tokens ---- */

enum kind { NAME, OWN_NAME, NUMBER, OTHER };

typedef struct token {
    enum kind kind;
    const char *at;
    size_t length;
} token;

typedef struct reader {
    const char *at, *end;
    char last[2]; /* the last two characters before it, without blanks: threadIdx.x, p->x */
} reader;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool is_kept(const char *name, size_t n)
{
    if ((n > 2 && !memcmp(name, "__", 2)) || (n > 6 && !memcmp(name, "atomic", 6))) return true;
    for (const char *p = kept_names; (p = strstr(p + 1, " "));)
        if (!strncmp(p + 1, name, n) && p[1 + n] == ' ') return true;
    return false;
}

static const char *skip_blanks(const char *p, const char *end)
{
    for (;;) {
        const char *from = p;
        while (p < end && (isspace((unsigned char)*p) || (*p == '\\' && p + 1 < end && strchr("\r\n", p[1])))) p++;
        if (end - p >= 2 && p[0] == '/' && p[1] == '/')
            while (p < end && *p != '\n') p++;
        if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
            p += 2;
            while (end - p >= 2 && (p[0] != '*' || p[1] != '/')) p++;
            p = end - p >= 2 ? p + 2 : end;
        }
        if (p == from) return p;
    }
}

static bool next_token(reader *r, token *t)
{
    const char *end = r->end, *p = skip_blanks(r->at, end);
    const bool member = r->last[1] == '.' || (r->last[0] == '-' && r->last[1] == '>');
    if (p == end) return false;
    t->at = p;
    if (isdigit((unsigned char)*p) || (*p == '.' && p + 1 < end && isdigit((unsigned char)p[1]))) {
        t->kind = NUMBER;
        while (p < end && (is_word(*p) || *p == '.' || *p == '\'' ||
                           ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]) && strncasecmp(t->at, "0x", 2))))
            p++;
    } else if (is_word(*p) || (unsigned char)*p >= 128) {
        while (p < end && (is_word(*p) || (unsigned char)*p >= 128)) p++;
        t->kind = member || is_kept(t->at, (size_t)(p - t->at)) ? NAME : OWN_NAME;
    } else if (*p == '"' || *p == '\'') {
        char quote = *p++;
        t->kind = OTHER;
        while (p < end && *p != quote && *p != '\n') p += *p == '\\' && p + 1 < end ? 2 : 1;
        p += p < end;
    } else {
        t->kind = OTHER;
        p++;
    }
    t->length = (size_t)(p - t->at);
    r->at = p;
    r->last[0] = r->last[1];
    r->last[1] = t->kind == OTHER && t->length == 1 ? *t->at : ' ';
    return true;
}

/* The next token except extern "C", which is optional in an answer. */
static bool next_said(reader *r, token *t)
{
    if (!next_token(r, t)) return false;
    reader after = *r;
    token language;
    bool linkage = t->kind == NAME && t->length == 6 && !memcmp(t->at, "extern", 6) && next_token(&after, &language) &&
                   language.length == 3 && !memcmp(language.at, "\"C\"", 3);
    if (!linkage) return true;
    *r = after;
    return next_token(r, t);
}

/* A number as its value: 0x20u is 32; 1.f equals 1.0, but not 1. */
static size_t number_text(const token *t, char *out, size_t size)
{
    char digits[64];
    size_t n = 0;
    for (size_t i = 0; i < t->length && n < sizeof digits - 1; i++)
        if (t->at[i] != '\'') digits[n++] = t->at[i];
    digits[n] = 0;
    bool hex = n > 1 && digits[0] == '0' && strchr("xX", digits[1]);
    bool real = strpbrk(digits, hex ? ".pP" : ".eE") != NULL;
    if (real) return (size_t)snprintf(out, size, "%.17g r", strtod(digits, NULL));
    bool binary = n > 1 && digits[0] == '0' && strchr("bB", digits[1]);
    return (size_t)snprintf(out, size, "%llu", strtoull(digits + (binary ? 2 : 0), NULL, binary ? 2 : 0));
}

/* ---- the digest of a text ---- */

/* names that the answer chose, in order of appearance */
typedef struct names {
    token *name;
    size_t count;
} names;

static bool name_number(names *n, const token *t, size_t *number)
{
    for (*number = 0; *number < n->count; ++*number)
        if (n->name[*number].length == t->length && !memcmp(n->name[*number].at, t->at, t->length)) return true;
    if (n->count == 4096 || !list_grow(&n->name, n->count, sizeof *n->name)) return false;
    n->name[n->count++] = *t;
    return true;
}

bool answer_digest(const char *text, size_t bytes, unsigned char out[DIGEST_BYTES])
{
    digest d;
    token t;
    names own = {0};
    bool good = true;
    digest_begin(&d);
    for (reader r = {text, text + bytes, ""}; good && next_said(&r, &t);) {
        char said[64];
        size_t number;
        if (t.kind == OWN_NAME) {
            good = name_number(&own, &t, &number);
            digest_add(&d, said, (size_t)snprintf(said, sizeof said, "name %zu", number));
        } else if (t.kind == NUMBER) {
            digest_add(&d, said, number_text(&t, said, sizeof said));
        } else {
            digest_add(&d, t.at, t.length);
        }
        digest_add(&d, "\n", 1);
    }
    free(own.name);
    digest_end(&d, out);
    return good;
}

/* ---- the difference from the starter ---- */

/* A checksum per token. All own names count as equal here, else renaming alone would make a text
 * different from the starter. */
static uint32_t *token_sums(const char *text, size_t bytes, size_t *count)
{
    uint32_t *sum = malloc((bytes + 1) * sizeof *sum);
    token t;
    *count = 0;
    for (reader r = {text, text + bytes, ""}; sum && next_said(&r, &t);) {
        char said[64];
        sum[(*count)++] = t.kind == OWN_NAME ? 1
                          : t.kind == NUMBER ? digest_sum(said, number_text(&t, said, sizeof said))
                                             : digest_sum(t.at, t.length);
    }
    return sum;
}

/* The number of tokens outside the longest common subsequence of both. */
size_t answer_difference(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t n, m, found = 0;
    uint32_t *x = token_sums(a, a_bytes, &n), *y = token_sums(b, b_bytes, &m);
    uint32_t *row = calloc(m + 1, sizeof *row);
    if (x && y && row) {
        for (size_t i = 0; i < n; i++) {
            uint32_t before = 0; /* row[k] of the previous line */
            for (size_t k = 0; k < m; k++) {
                uint32_t above = row[k + 1];
                row[k + 1] = x[i] == y[k] ? before + 1 : above > row[k] ? above : row[k];
                before = above;
            }
        }
        found = n + m - 2 * (size_t)row[m];
    }
    free(x);
    free(y);
    free(row);
    return found;
}

bool answer_same(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    unsigned char x[DIGEST_BYTES], y[DIGEST_BYTES];
    return answer_digest(a, a_bytes, x) && answer_digest(b, b_bytes, y) && !memcmp(x, y, sizeof x);
}
