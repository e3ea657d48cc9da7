/* forms.c: the forms of the .txt files, the values that they are given, and the recorded results; see forms.h. */
#include "forms.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

form *forms;
int count;
uint64_t *inputs[3];

void die(const char *fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    vfprintf(stderr, fmt, a);
    va_end(a);
    fputc('\n', stderr);
    exit(2);
}

/* ---- values ---- */
uint64_t mix(uint64_t x)
{
    x ^= x >> 30, x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27, x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

int bits_of(const char *t)
{
    if (!strcmp(t, "pred")) return 1;
    if (strstr(t, "x2")) return !strncmp(t, "e", 1) ? 16 : 32;
    if (!strcmp(t, "tf32")) return 32;
    if (!strncmp(t, "bf", 2)) return atoi(t + 2);
    return atoi(t + 1);
}
bool is_float(const char *t) { return t[0] == 'f' || !strncmp(t, "bf", 2) || t[0] == 't'; }

static uint64_t edge(const char *t, int i)
{
    int b = bits_of(t);
    if (b == 1) return (uint64_t)(i & 1);
    if (strstr(t, "x2")) {
        char half[8];
        snprintf(half, sizeof half, "%.*s", (int)(strlen(t) - 2), t);
        return (edge(half, i) & 0xffff) | (edge(half, (i * 7 + 3) % EDGES) & 0xffff) << 16;
    }
    if (is_float(t)) {
        int m = b == 64 ? 52 : b == 32 ? 23 : t[0] == 'b' ? 7 : 10, e = b - 1 - m, bias = (1 << (e - 1)) - 1;
        uint64_t one = (uint64_t)bias << m, sign = (uint64_t)(i & 1) << (b - 1), inf = ((UINT64_C(1) << e) - 1) << m, v;
        switch (i >> 1) {
        case 0: v = 0; break;
        case 1: v = 1; break;                      /* least subnormal */
        case 2: v = (UINT64_C(1) << m) - 1; break; /* largest subnormal */
        case 3: v = UINT64_C(1) << m; break;       /* least normal */
        case 4: v = inf - 1; break;                /* largest */
        case 5: v = inf; break;
        case 6: v = inf | UINT64_C(1) << (m - 1); break; /* quiet NaN */
        case 7: v = inf | 1; break;                      /* signalling NaN */
        case 8: v = one; break;
        case 9: v = one + 1; break;
        case 10: v = one - 1; break;
        case 11: v = one + (UINT64_C(1) << (m - 1)); break;                      /* 1.5 */
        case 12: v = one + (UINT64_C(1) << m); break;                            /* 2 */
        case 13: v = one - (UINT64_C(1) << m); break;                            /* 0.5 */
        case 14: v = one + (UINT64_C(1) << m) + (UINT64_C(1) << (m - 2)); break; /* 2.5 */
        case 15: v = one + ((uint64_t)m << m); break;                            /* about where all are integers */
        case 16: v = one + ((uint64_t)(m + 1) << m); break;
        case 17: v = one + ((uint64_t)(m - 1) << m) + 1; break;
        case 18: v = one + ((uint64_t)(bias > 31 ? 31 : bias) << m); break;
        case 19: v = one + ((uint64_t)(bias > 63 ? 63 : bias) << m); break;
        case 20: v = one + ((uint64_t)(bias > 30 ? 30 : bias - 1) << m) + ((UINT64_C(1) << m) - 1); break;
        case 21: v = one + ((uint64_t)7 << m) + (UINT64_C(0x7f) << (m > 7 ? m - 7 : 0)); break; /* about 255 */
        case 22: v = one + ((uint64_t)(bias / 2) << m); break;
        case 23: v = one - ((uint64_t)(bias / 2) << m); break;
        case 24: v = one + ((uint64_t)(bias - 1) << m); break;
        case 25: v = one - ((uint64_t)(bias - 1) << m); break;
        case 26: v = UINT64_C(3) << (m - 2); break; /* a subnormal in the middle */
        default: v = mix((uint64_t)i) & ((UINT64_C(1) << m) - 1); v |= (one + ((uint64_t)((i >> 1) - 29) << m)) & inf;
        }
        return v | sign;
    }
    uint64_t top = UINT64_C(1) << (b - 1), all = b == 64 ? UINT64_MAX : (UINT64_C(1) << b) - 1;
    if (i < 20) return (uint64_t)i;
    if (i < 36) {
        static const int s[] = {31, 32, 33, 63, 64, 65, 7, 8, 15, 16, 23, 24, 255, 256, 127, 128};
        return (uint64_t)s[i - 20] & all;
    }
    if (i < 48) return (UINT64_C(0) - (uint64_t)(i - 35)) & all;
    if (i < 52) return (top + (uint64_t)(i - 50)) & all;
    if (i < 60) return mix((uint64_t)i) & all;
    return (UINT64_C(0x5555555555555555) << (i & 1)) & all;
}

/* A float between 1/8 and 2 or its negative. */
static uint64_t mild(const char *t, uint64_t random)
{
    int b = bits_of(t), m = b == 32 ? 23 : b == 64 ? 52 : t[0] == 'b' ? 7 : 10;
    uint64_t bias = (UINT64_C(1) << (b - m - 2)) - 1;
    return (random & ((UINT64_C(1) << m) - 1)) | (bias - (random >> 54 & 3)) << m | (random >> 56 & 1) << (b - 1);
}

static uint64_t mild_value(const char *t, int i, int operand)
{
    uint64_t random = mix((uint64_t)i * 3 + (uint64_t)operand + 1);
    if (!strstr(t, "x2")) return mild(t, random);
    const char *half = t[0] == 'b' ? "bf16" : "f16";
    return mild(half, random) | mild(half, mix(random)) << 16;
}

static uint64_t value(const char *t, int i, int operand, bool safe)
{
    int b = bits_of(t);
    uint64_t v;
    if (i < EDGES * EDGES) {
        v = edge(t, operand == 0 ? i / EDGES : operand == 1 ? i % EDGES : (int)(mix((uint64_t)i) % EDGES));
    } else {
        uint64_t r = mix((uint64_t)i * 3 + (uint64_t)operand + 1);
        v = r;
        if (is_float(t) && !strstr(t, "x2") && (i & 3)) { /* most of them with moderate exponents */
            int m = b == 64 ? 52 : b == 32 ? 23 : t[0] == 'b' ? 7 : 10, e = b - 1 - m, bias = (1 << (e - 1)) - 1;
            int span = (i & 1) ? 4 : bias > 20 ? 20 : bias;
            uint64_t exp = (uint64_t)(bias - span + (int)(mix(r) % (uint64_t)(2 * span)));
            v = (r & ((UINT64_C(1) << m) - 1)) | exp << m | (r >> 60 & 1) << (b - 1);
        } else if (!is_float(t) && (i & 1)) {
            v = r >> (mix(r) % (uint64_t)b);
        }
        if (b < 64) v &= (UINT64_C(1) << b) - 1;
    }
    if (safe && operand == 1 && !v) v = 1;
    return v;
}
/* ---- the forms ---- */
const char *const card_kinds[CARDS] = {"h100", "h200"};

const char *card_file(const char *file, const char *kind)
{
    static char name[256];
    snprintf(name, sizeof name, "%.*s.%s", (int)(strlen(file) - 4), file, kind);
    return name;
}

static void add_form(const char *text, char *rest, const char *file)
{
    if (count == MOST) die("%s: more than %d forms", file, MOST);
    form *f = &forms[count++];
    memset(f, 0, sizeof *f);
    snprintf(f->text, sizeof f->text, "%s", text);
    snprintf(f->file, sizeof f->file, "%s", file);
    char copy[256], *bar;
    snprintf(copy, sizeof copy, "%s", rest);
    bar = strchr(copy, '|');
    if (bar) *bar++ = 0;
    for (char *w = strtok(copy, " \t\n"); w; w = strtok(NULL, " \t\n")) {
        if (f->types == 6) die("%s: too many types: %s", file, text);
        snprintf(f->type[f->types++], sizeof f->type[0], "%s", w);
    }
    for (char *w = bar ? strtok(bar, " \t\n") : NULL; w; w = strtok(NULL, " \t\n")) {
        if (!strncmp(w, "ulp=", 4)) f->ulp = atof(w + 4);
        else if (!strncmp(w, "abs=", 4)) f->abs = atof(w + 4);
        else if (!strncmp(w, "range=", 6)) f->range = atof(w + 6);
        else if (!strncmp(w, "sm=", 3)) f->sm = atoi(w + 3), f->alone = w[strlen(w) - 1] == 'a';
        else if (!strncmp(w, "ptx=", 4)) f->ptx = atoi(w + 4);
        else if (!strncmp(w, "cluster=", 8)) f->cluster = atoi(w + 8);
        else if (!strncmp(w, "room=", 5)) f->room = atoi(w + 5);
        else if (!strcmp(w, "nan")) f->nan = true;
        else if (!strcmp(w, "safe")) f->safe = true;
        else if (!strcmp(w, "mild")) f->mild = true;
        else die("%s: unknown option %s", file, w);
    }
    if (f->types < 1) die("%s: no types: %s", file, text);
}

/* Expands {a,b} alternatives of the text. The types have none. */
static void expand(const char *text, char *rest, const char *file)
{
    const char *open = strchr(text, '{');
    if (open && !strncmp(open, "{{", 2)) { /* {{ is a literal brace of a vector: see finish() */
        const char *later = open;
        while ((later = strchr(later + 2, '{')) && !strncmp(later, "{{", 2)) {}
        open = later;
    }
    if (!open) {
        add_form(text, rest, file);
        return;
    }
    const char *close = strchr(open, '}');
    if (!close) die("%s: unclosed brace: %s", file, text);
    for (const char *p = open + 1; p <= close;) {
        const char *e = p;
        while (e < close && *e != ',') e++;
        char one[LONGEST];
        snprintf(one, sizeof one, "%.*s%.*s%s", (int)(open - text), text, (int)(e - p), p, close + 1);
        expand(one, rest, file);
        p = e + 1;
    }
}

/* Names that later lines use as ${name}. */
static struct {
    char name[32], text[LONGEST];
} named[40];
static int names;

static void put_names(const char *line, char *out, size_t size)
{
    size_t n = 0;
    for (const char *p = line; *p && n + 1 < size;) {
        const char *end = p[0] == '$' && p[1] == '{' ? strchr(p, '}') : NULL;
        if (!end) {
            out[n++] = *p++;
            continue;
        }
        int i = 0;
        while (i < names && (strlen(named[i].name) != (size_t)(end - p - 2) ||
                             memcmp(named[i].name, p + 2, (size_t)(end - p - 2)) != 0))
            i++;
        if (i == names) die("no such name: %s", p);
        n += (size_t)snprintf(out + n, size - n, "%s", named[i].text);
        p = end + 1;
    }
    if (n + 1 >= size) die("too long: %s", line);
    out[n] = 0;
}

static void read_recorded(const char *file, int first, int card)
{
    char line[LONGEST + 100];
    FILE *f = fopen(card_file(file, card_kinds[card]), "r");
    if (!f) return;
    int at = first;
    while (fgets(line, sizeof line, f)) {
        uint64_t h;
        int begin = 0;
        line[strcspn(line, "\n")] = 0;
        const bool fails = !strncmp(line, "fails ", 6);
        if (fails) h = 0, begin = (int)strspn(line + 5, " ") + 5;
        else if (sscanf(line, "%" SCNx64 " %n", &h, &begin) != 1 || !begin) continue;
        for (int i = at; i < count; i++)
            if (!strcmp(forms[i].text, line + begin)) {
                forms[i].hash[card] = h;
                forms[i].recorded[card] = true;
                forms[i].fails |= fails;
                at = i + 1;
                break;
            }
    }
    fclose(f);
}

void read_forms(const char *file)
{
    static char line[LONGEST + 100], whole[LONGEST + 100];
    FILE *f = fopen(file, "r");
    if (!f) die("cannot read %s", file);
    const int first = count;
    names = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!line[0] || line[0] == '#') continue;
        put_names(line, whole, sizeof whole);
        char *colon = strstr(whole, " : "), *is = strstr(whole, " = ");
        if (is && !colon) {
            if (names == 40) die("%s: too many names", file);
            *is = 0;
            snprintf(named[names].name, sizeof named[0].name, "%.31s", whole);
            snprintf(named[names++].text, sizeof named[0].text, "%s", is + 3);
            continue;
        }
        if (!colon) die("%s: no ` : ` in: %s", file, line);
        *colon = 0;
        expand(whole, colon + 3, file);
    }
    fclose(f);
    for (int i = 0; i < CARDS; i++) read_recorded(file, first, i);
}
void fill(const form *f, int n)
{
    for (int o = 0; o < 3; o++)
        for (int i = 0; i < n; i++) {
            const char *t = o + 1 < f->types ? f->type[o + 1] : NULL;
            inputs[o][i] = !t ? 0 : f->mild && is_float(t) ? mild_value(t, i, o) : value(t, i, o, f->safe);
        }
}
double as_double(const char *t, uint64_t v)
{
    if (!strcmp(t, "f64")) {
        double d;
        memcpy(&d, &v, 8);
        return d;
    }
    if (!strcmp(t, "f32")) {
        uint32_t u = (uint32_t)v;
        float f;
        memcpy(&f, &u, 4);
        return f;
    }
    int m = t[0] == 'b' ? 7 : 10, e = 15 - m, bias = (1 << (e - 1)) - 1, x = (int)(v >> m & ((1u << e) - 1));
    double frac = (double)(v & ((1u << m) - 1)) / (1 << m), r;
    if (x == (1 << e) - 1) r = frac != 0 ? (double)NAN : (double)INFINITY;
    else r = x ? ldexp(1 + frac, x - bias) : ldexp(frac, 1 - bias);
    return v >> 15 & 1 ? -r : r;
}

/* The difference in units in the last place of the larger value. */
uint64_t canonical(const form *f, uint64_t v)
{
    if (f->nan && is_float(f->type[0]) && isnan(as_double(f->type[0], v))) return UINT64_C(0x7ff8dead);
    return v;
}

uint64_t hash(const form *f, const uint64_t *v)
{
    uint64_t h = 1;
    for (int i = 0; i < N; i++) h = mix(h ^ canonical(f, v[i])) + (uint64_t)i;
    return h;
}
