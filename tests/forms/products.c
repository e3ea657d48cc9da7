/* products.c: a product of a warpgroup as a form:
 *
 *     wgmma.SHAPE.TYPES A-FROM SCALE-A SCALE-B TRANSPOSE-A TRANSPOSE-B [masked] [swizzle=BYTES] */
#include "ptx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where tiles lie: B's bytes, A's bytes for each of two warpgroups, and how far the second's A begins
 * within a row of its swizzle. */
typedef struct tiles {
    int swizzle, b_bytes, a_bytes, step;
} tiles;

static unsigned lead_of(const tiles *l, bool turned, int rows)
{
    if (!l->swizzle) return turned ? (unsigned)rows : 8;
    return turned ? (unsigned)l->swizzle : 1; /* to the next rows: two groups of 8 k */
}
static unsigned stride_of(const tiles *l, bool turned)
{
    if (!l->swizzle) return turned ? 8 : 16;
    return (unsigned)l->swizzle / 2; /* 8 rows of the swizzle */
}

static void put_descriptor(text *t, const tiles *l, char which, bool turned, int rows)
{
    static const unsigned codes[] = {0, 3, 2, 0, 1}; /* 32, 64, 128 bytes */
    put(t, "  shr.u32 %%t3, %%t3, 4;\n  cvt.u64.u32 d%c, %%t3;\n  or.b64 d%c, d%c, 0x%x%08x;\n", which, which, which,
        codes[l->swizzle / 32] << 30 | stride_of(l, turned), lead_of(l, turned, rows) << 16);
}

/* The tiles are filled with the threads' %a and %b in turn (`masked`: without the bit that makes an 8-bit float's
 * exponent large). All registers of D begin as %c; every fourth block begins with zeros, by scale-d. Every register of
 * D is folded into the result. */
void put_product(text *t, const form *f)
{
    char types[64], from[16];
    int n, k, scale_a, scale_b, turn_a, turn_b;
    if (sscanf(f->text, "wgmma.m64n%dk%d.%63s %15s %d %d %d %d", &n, &k, types, from, &scale_a, &scale_b, &turn_a,
               &turn_b) != 8)
        die("not a product: %s", f->text);
    const bool words = strncmp(types, "f16", 3) != 0, scaled = strncmp(types, "s32", 3) != 0,
               registers = from[0] == 'r', masked = strstr(f->text, " masked") != NULL;
    const char *swizzle = strstr(f->text, " swizzle=");
    const int regs = words ? n / 2 : n / 4;
    tiles l = {0, 8192, 2048, 0};
    if (swizzle) l = (tiles){atoi(swizzle + 9), 32768, 8192, 32};
    if (l.swizzle == 32 || turn_a) l.step = 0; /* one row of the swizzle holds all k */
    const int bytes = l.b_bytes + 2 * l.a_bytes;
    put(t, "{\n  .shared .align %d .b8 tile[%d];\n  .reg .b32 e<%d>, va, vb, at;\n  .reg .b64 da, db;\n",
        swizzle ? 1024 : 128, bytes, regs);
    put(t, "  mov.b32 va, %%a;\n  mov.b32 vb, %%b;\n  mov.u32 at, tile;\n");
    if (masked) put(t, "  and.b32 va, va, 0xbfbfbfbf;\n  and.b32 vb, vb, 0xbfbfbfbf;\n");
    put(t, "  mad.lo.u32 %%t3, %%t0, 4, at;\n");
    for (int i = 0; i < bytes / 1024; i++) put(t, "  st.shared.b32 [%%t3+%d], v%c;\n", i * 1024, i % 3 ? 'a' : 'b');
    put(t, "  fence.proxy.async;\n  bar.sync 0;\n  and.b32 %%t2, %%t1, 3;\n  setp.ne.u32 %%P1, %%t2, 0;\n");
    for (int i = 0; i < regs; i++) put(t, "  mov.b32 e%d, %%c;\n", i);
    put(t, "  mov.u32 %%t3, at;\n");
    put_descriptor(t, &l, 'b', turn_b, n);
    put(t, "  shr.u32 %%t3, %%t0, 7;\n  mad.lo.u32 %%t3, %%t3, %d, at;\n  add.u32 %%t3, %%t3, %d;\n",
        l.a_bytes + l.step, l.b_bytes);
    put_descriptor(t, &l, 'a', turn_a, 64);
    put(t, "  wgmma.fence.sync.aligned;\n  wgmma.mma_async.sync.aligned.m64n%dk%d.%s {", n, k, types);
    for (int i = 0; i < regs; i++) put(t, "%se%d", i ? "," : "", i);
    put(t, "}, %s, db, %%P1", registers ? "{va,vb,vb,va}" : "da");
    if (scaled) put(t, ", %d, %d", scale_a, scale_b);
    if (scaled && k == 16) put(t, registers ? ", %d" : ", %d, %d", registers ? turn_b : turn_a, turn_b);
    put(t, ";\n  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n");
    for (int i = 0; i < regs; i++) put(t, "  mad.lo.u32 %%d, e%d, %d, %%d;\n", i, 2 * i + 1);
    put(t, "}\n");
}
