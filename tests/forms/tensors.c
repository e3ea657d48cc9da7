/* tensors.c: copies by tensor maps as forms:
 *
 *     tensor.KIND.Rd.TYPE.SWIZZLE.FILL VARIANT [WORDS]
 *
 * KIND: load, store, or the operation of a reduction. R: dimensions; 0: a copy of plain bytes, without a
 * map. SWIZZLE: its bytes, or 0. FILL: zero or nan. VARIANT: a number from which the tensor, its box and where
 * the boxes begin are drawn; many reach out of the tensor. Words:
 *     hint          with a cache hint        prefetch     after a prefetch
 *     cta           to .shared::cta          unaligned    boxes begin at any element
 *     before        boxes that are stored may begin before the tensor
 *     multicast=M   in clusters of four: block r copies to the blocks of M turned left by r
 *     replace=FIELD the host encodes another value of this field, tensormap.replace puts it right
 *
 * A load copies a box of what %a was made of into a tile of known words, and each thread folds a part of the
 * tile. A store or reduction brings a tile of known words to the block's 2048 bytes of the results, which hold
 * {%c, %a} before. */
#include "ptx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 16384, SLICE = 4096, REGION = 2048, BLOCKS = N / BLOCK };

static const struct {
    const char *name;
    uint32_t number, bytes;
} types[] = {{"u8", 0, 1},    {"u16", 1, 2},   {"u32", 2, 4},  {"s32", 3, 4}, {"u64", 4, 8},
             {"s64", 5, 8},   {"f16", 6, 2},   {"f32", 7, 4},  {"f64", 8, 8}, {"bf16", 9, 2},
             {"fftz", 10, 4}, {"tf32", 11, 4}, {"tftz", 12, 4}};
/* tensormap.replace numbers them in another way */
static const uint32_t replaced_types[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};

typedef struct copy {
    char kind[16], type[16];
    uint32_t rank, each;
    bool load, hint, prefetch, cta, before;
    int multicast; /* the mask, 0: none */
    char field[16];
    int32_t at[5], turn[5], span[5]; /* block b begins at at + (b * turn) % span, times unit */
    uint32_t unit;
    tensor map, encoded; /* what the kernel uses; what the host encodes, without the replacement */
} copy;

static uint64_t state;
static uint32_t below(uint32_t n)
{
    state = mix(state + UINT64_C(0x9e3779b97f4a7c15));
    return (uint32_t)(state >> 33) % n;
}
static uint32_t up16(uint32_t n) { return (n + 15) / 16 * 16; }

static uint32_t rows_of(const tensor *m)
{
    uint32_t rows = 1;
    for (uint32_t d = 1; d < m->rank; d++) rows *= (m->box[d] + m->step[d] - 1) / m->step[d];
    return rows;
}
static uint32_t pitch_of(const copy *c)
{
    static const uint32_t spans[] = {0, 32, 64, 128};
    return c->map.swizzle ? spans[c->map.swizzle] : c->map.box[0] * c->each;
}
static uint32_t box_bytes(const copy *c) { return rows_of(&c->map) * c->map.box[0] * c->each; }

/* False: it does not fit; draw again. */
static bool draw_load(copy *c)
{
    static const uint32_t most[] = {90, 40, 9, 6, 5};
    tensor *m = &c->map;
    uint64_t next = 0, all = 0;
    m->offset = 16 * below(4);
    for (uint32_t d = 0; d < m->rank; d++) {
        m->dim[d] = 1 + below(most[d]);
        if (d) m->box[d] = 1 + below(most[d] / 2 + 2);
        m->step[d] = d && !below(4) ? 1 + below(8) : 1;
        if (d) m->stride[d - 1] = next;
        all = d ? next * m->dim[d] : m->dim[0] * c->each;
        next = d ? all + 16 * below(3) : up16((uint32_t)all) + 16 * below(3);
        c->span[d] = (int32_t)((m->dim[d] + m->box[d]) / (d ? 1 : c->unit)) + 1;
        c->at[d] = -(int32_t)(m->box[d] / 2 / (d ? 1 : c->unit));
    }
    return m->offset + all <= N * 8 && rows_of(m) * pitch_of(c) <= SLICE;
}

/* The last dimension is the block, and what a block writes stays in its part of the results. */
static bool draw_store(copy *c)
{
    static const uint32_t most[] = {90, 9, 4, 3, 1};
    tensor *m = &c->map;
    uint64_t next = 0, all = 0;
    if (m->rank == 1) {
        m->step[0] = 1;
        m->dim[0] = N * 8 / c->each - below(40);
        c->turn[0] = REGION / 16;
        c->span[0] = BLOCKS * c->turn[0];
        c->at[0] = (int32_t)below(8);
        return (uint32_t)c->at[0] * 16 + box_bytes(c) <= REGION;
    }
    for (uint32_t d = 0; d + 1 < m->rank; d++) {
        m->dim[d] = 1 + below(most[d]);
        if (d) m->box[d] = 1 + below(most[d] / 2 + 2);
        m->step[d] = d && !below(4) ? 1 + below(3) : 1;
        if (d) m->stride[d - 1] = next;
        all = d ? next * m->dim[d] : up16((uint32_t)m->dim[0] * c->each);
        next = all + 16 * below(3);
        c->span[d] = (int32_t)((m->dim[d] + m->box[d]) / (d ? 1 : c->unit)) + 1;
        c->at[d] = c->before ? -(int32_t)(m->box[d] / 2 / (d ? 1 : c->unit)) : 0;
    }
    const uint32_t last = m->rank - 1;
    m->dim[last] = BLOCKS, m->box[last] = m->step[last] = 1, m->stride[last - 1] = REGION;
    c->at[last] = 0, c->turn[last] = 1, c->span[last] = BLOCKS;
    return all <= REGION && rows_of(m) * pitch_of(c) <= TILE;
}

static void other_value(copy *c)
{
    tensor *m = &c->encoded;
    *m = c->map;
    const char *f = c->field;
    if (!strcmp(f, "address")) m->offset += 64;
    else if (!strcmp(f, "dim")) m->dim[m->rank - 1] += 3;
    else if (!strcmp(f, "stride")) m->stride[0] += 32;
    else if (!strcmp(f, "box")) m->box[m->rank - 1] += 1;
    else if (!strcmp(f, "step")) m->step[m->rank - 1] = m->step[m->rank - 1] % 8 + 1;
    else if (!strcmp(f, "type"))
        m->type = m->type == 7 ? 2 : m->type == 11 ? 7 : m->type == 6 ? 9 : m->type == 2 ? 3 : 2;
    else if (!strcmp(f, "swizzle")) m->swizzle = m->swizzle == 3 ? 0 : 3;
    else if (!strcmp(f, "fill")) m->fill = !m->fill;
    else if (f[0]) die("no such field: %s", f);
}

static void draw(const form *f, copy *c)
{
    char fill_name[16];
    int swizzle, variant;
    memset(c, 0, sizeof *c);
    if (sscanf(f->text, "tensor.%15[a-z].%ud.%15[a-z0-9].%d.%15s %d", c->kind, &c->rank, c->type, &swizzle, fill_name,
               &variant) != 6)
        die("not a tensor: %s", f->text);
    const char *word = strstr(f->text, " multicast="), *field = strstr(f->text, " replace=");
    if (word) c->multicast = atoi(word + 11);
    if (field) sscanf(field, " replace=%15[a-z]", c->field);
    c->hint = strstr(f->text, " hint"), c->prefetch = strstr(f->text, " prefetch"), c->cta = strstr(f->text, " cta");
    c->before = strstr(f->text, " before");
    c->load = !strcmp(c->kind, "load");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(types[i].name, c->type)) c->map.type = types[i].number, c->each = types[i].bytes;
    if (!c->each) die("no such type: %s", f->text);
    c->unit = strstr(f->text, " unaligned") ? 1 : 16 / c->each;
    state = 1;
    for (const char *p = f->text; *p; p++) state = mix(state ^ (unsigned char)*p);
    c->map.rank = c->rank ? c->rank : 1;
    c->map.base = c->load ? 0 : 3;
    c->map.fill = !strcmp(fill_name, "nan");
    c->map.swizzle = swizzle == 128 ? 3 : (uint32_t)swizzle / 32;
    c->map.promotion = below(4);
    do {
        const uint32_t span = swizzle ? (uint32_t)swizzle : 16 * (1 + below(8));
        c->map.box[0] = (below(4) || span % 32 ? span : span / 2) / c->each;
        for (int d = 0; d < 5; d++) c->turn[d] = 1 + 2 * (int)below(9);
    } while (!(c->load ? draw_load(c) : draw_store(c)));
    other_value(c);
}

bool has_tensor(const form *f)
{
    return !strncmp(f->text, "tensor.", 7) && strncmp(strchr(f->text + 7, '.'), ".0d", 3);
}
void draw_tensor(const form *f, tensor *m)
{
    static copy c;
    draw(f, &c);
    *m = c.encoded;
}

static void put_replace(text *t, const copy *c)
{
    static const char *const names[][2] = {
        {"address", "global_address"}, {"dim", "global_dim"}, {"stride", "global_stride"}, {"box", "box_dim"},
        {"step", "element_stride"},    {"type", "elemtype"},  {"swizzle", "swizzle_mode"}, {"fill", "fill_mode"}};
    const char *name = "";
    const tensor *m = &c->map;
    const uint32_t last = m->rank - 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i][0], c->field)) name = names[i][1];
    put(t, "  .shared .align 128 .b8 copied[128];\n");
    put(t,
        "  setp.ge.u32 %%P3, %%t0, 32;\n  @%%P3 bra replaced;\n  setp.ne.u32 %%P3, %%t0, 0;\n  @%%P3 bra changed;\n");
    for (int i = 0; i < 128; i += 8)
        put(t, "  ld.param.b64 %%x1, [p4+%d];\n  st.shared.b64 [copied+%d], %%x1;\n", i, i);
    if (!strcmp(c->field, "address"))
        put(t, "  ld.param.u64 %%x1, [p%u];\n  add.u64 %%x1, %%x1, %u;\n", m->base, (unsigned)m->offset);
    if (!strcmp(c->field, "stride")) put(t, "  mov.u64 %%x1, %u;\n", (unsigned)m->stride[0]);
    const uint32_t value = !strcmp(c->field, "dim")    ? (uint32_t)m->dim[last]
                           : !strcmp(c->field, "box")  ? m->box[last]
                           : !strcmp(c->field, "step") ? m->step[last]
                                                       : 0;
    put(t, "  mov.u32 w, %u;\n", value);
    put(t, "  tensormap.replace.tile.%s.shared::cta.b1024.b%d [copied], ", name,
        c->field[0] == 'a' || !strcmp(c->field, "stride") ? 64 : 32);
    if (c->field[0] == 'a') put(t, "%%x1;\n");
    else if (!strcmp(c->field, "stride")) put(t, "0, %%x1;\n");
    else if (c->field[0] == 't') put(t, "%u;\n", replaced_types[m->type]);
    else if (!strcmp(c->field, "swizzle")) put(t, "%u;\n", m->swizzle);
    else if (!strcmp(c->field, "fill")) put(t, "%u;\n", m->fill);
    else put(t, "%u, w;\n", last);
    /* the changed map goes to global memory: operand c is not used then */
    put(t, "changed:\n  bar.warp.sync -1;\n  ld.param.u64 map, [p2];\n  mul.wide.u32 %%x2, %%t1, 128;\n  add.u64 map, "
           "map, %%x2;\n  mov.u64 %%x3, copied;\n  cvta.shared.u64 %%x3, %%x3;\n");
    put(t, "  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [map], [copied], "
           "128;\n  fence.proxy.tensormap::generic.acquire.gpu [map], 128;\nreplaced:\n");
}

static void put_box(text *t, const copy *c)
{
    put(t, "[map, {");
    for (uint32_t d = 0; d < c->rank; d++) put(t, "%sat%u", d ? ", " : "", d);
    put(t, "}]");
}

static void put_load(text *t, const copy *c)
{
    const uint32_t bytes = box_bytes(c);
    const bool several = c->multicast != 0;
    const int copies = several ? __builtin_popcount((unsigned)c->multicast) : 1;
    put(t, "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], %u;\n", bytes * (unsigned)copies);
    if (several) {
        put(t, "  mov.u32 w, %%cluster_ctarank;\n  mad.lo.u32 tile_at, w, %d, tile_at;\n", SLICE);
        put(t,
            "  shl.b32 v, %d, w;\n  shr.u32 w, v, 4;\n  or.b32 w, v, w;\n  and.b32 w, w, 15;\n  cvt.u16.u32 mask, w;\n",
            c->multicast);
    }
    if (c->prefetch && c->rank) {
        put(t, "  prefetch.tensormap [map];\n  cp.async.bulk.prefetch.tensor.%ud.L2.global.tile ", c->rank);
        put_box(t, c);
        put(t, ";\n");
    }
    if (c->prefetch && !c->rank) put(t, "  cp.async.bulk.prefetch.L2.global [map], %u;\n", bytes);
    put(t, "  cp.async.bulk");
    if (c->rank) put(t, ".tensor.%ud", c->rank);
    put(t, ".shared::%s.global%s.mbarrier::complete_tx::bytes%s%s [tile_at], ", c->cta ? "cta" : "cluster",
        c->rank ? ".tile" : "", several ? ".multicast::cluster" : "", c->hint ? ".L2::cache_hint" : "");
    if (c->rank) put_box(t, c);
    else put(t, "[map], %u", bytes);
    put(t, ", [bar]%s%s;\n", several ? ", mask" : "", c->hint ? ", policy" : "");
}

void put_tensor(text *t, const form *f)
{
    static copy c;
    draw(f, &c);
    put(t,
        "{\n  .shared .align 1024 .b8 tile[%d];\n  .shared .align 8 .b64 bar;\n  .reg .b32 at<5>, w, v, tile_at, own;\n"
        "  .reg .b64 map, policy, fold;\n  .reg .b16 mask;\n",
        TILE);
    put(t, "  mov.u32 tile_at, tile;\n  mad.lo.u32 own, %%t0, 4, tile_at;\n");
    for (uint32_t d = 0; d < c.map.rank; d++)
        put(t, "  mul.lo.u32 w, %%t1, %d;\n  rem.u32 w, w, %d;\n  add.s32 w, w, %d;\n  mul.lo.s32 at%u, w, %u;\n",
            c.turn[d], c.span[d], c.at[d], d, d ? 1 : c.unit);
    if (c.rank) put(t, "  mov.u64 map, p4;\n  cvta.param.u64 map, map;\n");
    else /* plain bytes: 16 times the first coordinate, and no box that leaves the buffer */
        put(t,
            "  rem.u32 w, %%t1, 29;\n  mul.wide.u32 %%x1, w, 2000;\n  ld.param.u64 map, [p%u];\n"
            "  add.u64 map, map, %%x1;\n",
            c.map.base);
    if (c.hint) put(t, "  createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n");
    if (c.field[0]) put_replace(t, &c);
    for (int i = 0; i < TILE / 1024; i++) put(t, "  st.shared.b32 [own+%d], %%%c;\n", i * 1024, i % 3 ? 'a' : 'b');
    if (!c.load)
        put(t, "  ld.param.u64 %%i5, [p3];\n  add.u64 %%i5, %%i5, %%i0;\n  st.global.v2.b32 [%%i5], {%%c, %%a};\n");
    put(t, "  setp.ne.u32 %%P1, %%t0, 0;\n  @!%%P1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
           "  @!%%P1 fence.mbarrier_init.release.cluster;\n  fence.proxy.async;\n  bar.sync 0;\n");
    if (f->cluster) put(t, "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n");
    put(t, "  @%%P1 bra issued;\n");
    if (c.load) {
        put_load(t, &c);
    } else {
        put(t, "  cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.tile.bulk_group%s ",
            !strcmp(c.kind, "store") ? "" : "reduce.", c.rank, !strcmp(c.kind, "store") ? "" : ".",
            !strcmp(c.kind, "store") ? "" : c.kind, c.hint ? ".L2::cache_hint" : "");
        put_box(t, &c);
        put(t, ", [tile_at]%s;\n  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n",
            c.hint ? ", policy" : "");
    }
    put(t, "issued:\n");
    if (c.load) { /* a wait that ends also where the copy does not: the result says so */
        put(t, "  mov.u32 w, 0;\n  mov.u32 tile_at, tile;\nwait:\n"
               "  mbarrier.try_wait.parity.shared::cta.b64 %%P2, [bar], 0;\n"
               "  @%%P2 bra came;\n  add.u32 w, w, 1;\n  setp.lt.u32 %%P3, w, 4000;\n  @%%P3 bra wait;\n"
               "  mov.u64 fold, 0xdead;\n  bra folded;\ncame:\n  mov.u64 fold, 1;\n");
        for (int i = 0; i < TILE / 1024; i++)
            put(t,
                "  ld.shared.b32 w, [own+%d];\n  cvt.u64.u32 %%x1, w;\n"
                "  mad.lo.u64 fold, fold, 0x9e3779b97f4a7c15, %%x1;\n",
                i * 1024);
        put(t, "folded:\n  mov.b64 %%d, fold;\n");
    } else {
        put(t, "  bar.sync 0;\n  ld.relaxed.gpu.global.b64 %%d, [%%i5];\n");
    }
    put(t, "}\n");
}
