/* ptx.c: forms as kernels of a PTX module. */
#include "forms.h"
#include "ptx.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put(text *t, const char *fmt, ...)
{
    char b[4096];
    va_list a;
    va_start(a, fmt);
    int n = vsnprintf(b, sizeof b, fmt, a);
    va_end(a);
    if (t->n + (size_t)n + 1 > t->cap) {
        t->cap = t->cap * 2 + 4096;
        t->s = realloc(t->s, t->cap);
        if (!t->s) die("out of memory");
    }
    memcpy(t->s + t->n, b, (size_t)n + 1);
    t->n += (size_t)n;
}

static const char *reg_type(const char *t)
{
    int b = bits_of(t);
    if (b == 1) return "pred";
    if (!strcmp(t, "f32") || !strcmp(t, "f64")) return t;
    return b == 64 ? "b64" : b == 32 ? "b32" : b <= 16 ? "b16" : "b128";
}

static void put_kernel(text *t, const form *f, int k)
{
    put(t, ".visible .entry k%d(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3%s)", k,
        has_tensor(f) ? ", .param .align 64 .b8 p4[128]" : "");
    if (f->cluster) put(t, " .explicitcluster .reqnctapercluster %d, 1, 1", f->cluster);
    put(t, "\n{\n");
    put(t, "  .reg .u32 %%t<4>;\n  .reg .u64 %%i<8>;\n  .reg .pred %%P<4>;\n  .reg .b64 %%x<4>;\n");
    const char names[] = "dabc";
    for (int i = 0; i < f->types && i < 4; i++) put(t, "  .reg .%s %%%c;\n", reg_type(f->type[i]), names[i]);
    put(t,
        "  mov.u32 %%t0, %%tid.x;\n  mov.u32 %%t1, %%ctaid.x;\n  mad.lo.u32 %%t2, %%t1, %d, %%t0;\n"
        "  mul.wide.u32 %%i0, %%t2, 8;\n",
        BLOCK);
    put(t, "  mov.u32 %%t3, %%t0;\n");
    /* 8 bytes of global memory */
    if (strstr(f->text, "%i5")) put(t, "  ld.param.u64 %%i5, [p3];\n  add.u64 %%i5, %%i5, %%i0;\n");
    const int room = f->room ? f->room : 16;
    if (strstr(f->text, "%i6") || strstr(f->text, "%i7"))
        put(t,
            "  .shared .align %d .b8 scratch%d[%d];\n  mov.u64 %%i6, scratch%d;\n"
            "  mad.wide.u32 %%i6, %%t0, %d, %%i6;\n",
            room < 16 ? 128 : 16, k, room * BLOCK, k, room);
    if (f->cluster && strstr(f->text, "%i7"))
        put(t,
            "  mov.u32 %%t2, %%cluster_ctarank;\n  add.u32 %%t2, %%t2, 1;\n  rem.u32 %%t2, %%t2, %d;\n  "
            "mapa.shared::cluster.u64 %%i7, %%i6, %%t2;\n",
            f->cluster);
    for (int i = 1; i < f->types && i < 4; i++) {
        int b = bits_of(f->type[i]);
        put(t, "  ld.param.u64 %%i1, [p%d];\n  add.u64 %%i1, %%i1, %%i0;\n", i - 1);
        if (b == 1) put(t, "  ld.global.b32 %%t3, [%%i1];\n  setp.ne.u32 %%%c, %%t3, 0;\n", names[i]);
        else put(t, "  ld.global.b%d %%%c, [%%i1];\n", b <= 8 ? 8 : b, names[i]);
    }
    int db = bits_of(f->type[0]);
    if (db == 1) put(t, "  setp.ne.u32 %%d, 0, 0;\n");
    else if (is_float(reg_type(f->type[0])))
        put(t, "  mov.%s %%d, 0%c%s;\n", reg_type(f->type[0]), db == 64 ? 'd' : 'f',
            db == 64 ? "0000000000000000" : "00000000");
    else put(t, "  mov.%s %%d, 0;\n", reg_type(f->type[0]));
    put(t, "  setp.ne.u32 %%P0, 0, 0;\n  ");
    if (!strncmp(f->text, "wgmma.m64", 9)) {
        put_product(t, f);
    } else if (!strncmp(f->text, "tensor.", 7)) {
        put_tensor(t, f);
    } else if (strchr(f->text, ' ')) {
        for (const char *p = f->text; *p; p++) {
            if (*p == '{' && p[1] == '{') {
                put(t, "{");
                p++;
            } else if (*p == '}' && p[1] == '}') {
                put(t, "}");
                p++;
            } else put(t, "%c", *p);
        }
        put(t, strlen(f->text) > 4 && !strcmp(f->text + strlen(f->text) - 4, "; }}") ? "\n" : ";\n");
    } else {
        put(t, "%s %%d", f->text);
        for (int i = 1; i < f->types && i < 4; i++) put(t, ", %%%c", names[i]);
        put(t, ";\n");
    }
    /* nobody leaves while others of the cluster reach its shared memory */
    if (f->cluster) put(t, "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n");
    put(t, "  ld.param.u64 %%i1, [p3];\n  add.u64 %%i1, %%i1, %%i0;\n  mov.b64 %%x0, 0;\n");
    if (db == 1) put(t, "  selp.b64 %%x0, 1, 0, %%d;\n");
    else if (db == 64) put(t, "  mov.b64 %%x0, %%d;\n");
    else if (db == 32) put(t, "  { .reg .b32 z; mov.b32 z, %%d; cvt.u64.u32 %%x0, z; }\n");
    else put(t, "  cvt.u64.u16 %%x0, %%d;\n");
    if (strstr(f->text, "%P0")) put(t, "  @%%P0 xor.b64 %%x0, %%x0, 0x8000000000000000;\n");
    put(t, "  st.global.b64 [%%i1], %%x0;\n  ret;\n}\n\n");
}

static int sm_of(const form *f) { return f->sm ? f->sm : 75; }
static void put_head(text *t, const form *f)
{
    const int ptx = f->ptx ? f->ptx : 83;
    put(t, ".version %d.%d\n.target sm_%d%s\n.address_size 64\n\n", ptx / 10, ptx % 10, sm_of(f), f->alone ? "a" : "");
}

char *module_text(int first, int n)
{
    text t = {0};
    put_head(&t, &forms[first]);
    for (int i = 0; i < n; i++) put_kernel(&t, &forms[first + i], i);
    return t.s;
}

char *single_text(const form *f, int k)
{
    text t = {0};
    put_head(&t, f);
    put_kernel(&t, f, k);
    return t.s;
}

/* The number of consecutive forms that fit one module: same target and PTX version. The types may
 * differ, since inputs are filled per kernel. */
int module_size(int first)
{
    int n = 1;
    while (first + n < count && n < MODULE && sm_of(&forms[first + n]) == sm_of(&forms[first]) &&
           forms[first + n].ptx == forms[first].ptx && forms[first + n].alone == forms[first].alone)
        n++;
    return n;
}
