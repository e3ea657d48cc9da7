/* tensor_maps.c: tensor maps and the bulk copies that use them.
 *
 * Boxes of random tensors are loaded, stored and reduced, and the memory afterwards is compared
 * with plain loops over elements. Where 16 bytes go under a swizzle is written as the programming
 * guide draws it: column c of row r goes to column c ^ r. Then: what the encoder refuses, and
 * planted mistakes with their lines and threads.
 */
#include "kernel.h"

enum { TILE = 24576, ROOM = 1 << 18 };
enum { LOAD, STORE, ADD, KINDS };

static const uint32_t size_of[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4};
static unsigned char tensor_was[ROOM], image_was[TILE], tensor_is[ROOM], image_is[TILE], tensor_want[ROOM],
    image_want[TILE];
static uint64_t tensor, image;

typedef struct parameters {
    _Alignas(64) unsigned char map[128];
    uint64_t image;
    int32_t at[5];
    uint32_t offset, bytes;
} parameters;

/* One launch of kernel k: all threads bring the image to shared memory, thread 0 performs `body`
 * (%r10.. coordinates, %r20 the tile, %r21 the barrier object, %r22 bytes, %rd20 the map), all bring
 * it back. */
static void kernel_text(text *t, const char *body, const char *at_end)
{
    t->n = 0;
    put(t,
        ".version 8.3\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 image, .param .align 4 .b8 at[20], .param "
        ".u32 offset, .param .u32 bytes)\n{\n.reg .pred %%p<8>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>; "
        ".reg .b16 %%h<4>;\n"
        ".shared .align 1024 .b8 tile[%d]; .shared .align 8 .b64 bar;\n",
        TILE);
    put(t, "ld.param.u64 %%rd1, [image]; mov.u32 %%r1, %%tid.x; mov.u32 %%r20, tile; mov.u32 %%r21, bar;\n"
           "ld.param.u32 %%r22, [bytes]; ld.param.u32 %%r2, [offset]; mov.b64 %%rd19, map; cvta.param.u64 %%rd20, "
           "%%rd19;\n");
    for (int d = 0; d < 5; d++) put(t, "ld.param.u32 %%r1%d, [at+%d];\n", d, 4 * d);
    put(t,
        "mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd3, %%rd1, %%rd2; mad.lo.u32 %%r3, %%r1, 4, %%r20; mov.u32 %%r4, "
        "%%r1;\n"
        "setp.ne.u32 %%p1, %%r1, 0;\n@!%%p1 mbarrier.init.shared.b64 [%%r21], 1;\n"
        "in: ld.global.u32 %%r5, [%%rd3]; st.shared.u32 [%%r3], %%r5; add.u64 %%rd3, %%rd3, 256; add.u32 %%r3, %%r3, "
        "256;\nadd.u32 %%r4, %%r4, 64; setp.lt.u32 %%p2, %%r4, %d; @%%p2 bra in;\n",
        TILE / 4);
    put(t, "%s", at_end ? "" : "fence.proxy.async;\n");
    put(t, "bar.sync 0;\nadd.u32 %%r23, %%r20, %%r2;\n@%%p1 bra rest;\n%s\nrest: bar.sync 0;\n", body);
    if (at_end) {
        put(t, "%s\nret;\n}\n", at_end);
        return;
    }
    put(t,
        "add.u64 %%rd3, %%rd1, %%rd2; mad.lo.u32 %%r3, %%r1, 4, %%r20; mov.u32 %%r4, %%r1;\n"
        "out: ld.shared.u32 %%r5, [%%r3]; st.global.u32 [%%rd3], %%r5; add.u64 %%rd3, %%rd3, 256; add.u32 %%r3, %%r3, "
        "256;\nadd.u32 %%r4, %%r4, 64; setp.lt.u32 %%p2, %%r4, %d; @%%p2 bra out;\nret;\n}\n",
        TILE / 4);
}

#define WAIT                                                                                                      \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], %r22;\nwait: mbarrier.try_wait.parity.shared::cta.b64 " \
    "%p3, [%r21], 0;\n@!%p3 bra wait;\n"
#define ALL_DONE "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"

static const char *body_of(int kind, uint32_t rank)
{
    static char s[600];
    static const char *const at[] = {"{%r10}", "{%r10, %r11}", "{%r10, %r11, %r12}", "{%r10, %r11, %r12, %r13}",
                                     "{%r10, %r11, %r12, %r13, %r14}"};
    const unsigned n = rank;
    if (kind == LOAD)
        snprintf(s, sizeof s,
                 "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r23], [%%rd20, "
                 "%s], [%%r21];\n%s",
                 n, at[rank - 1], WAIT);
    else
        snprintf(s, sizeof s,
                 "cp.%sasync.bulk.tensor.%ud.global.shared::cta%s.tile.bulk_group [%%rd20, %s], [%%r23];\n%s",
                 kind == ADD ? "reduce." : "", n, kind == ADD ? ".add" : "", at[rank - 1], ALL_DONE);
    return s;
}

/* ---- the reference ---- */
static uint32_t swizzled(uint32_t swizzle, uint32_t byte)
{
    const uint32_t columns[] = {1, 2, 4, 8}, n = columns[swizzle], row = byte / 128, column = byte / 16 % n,
                   first = byte / 16 - column;
    return (first + (column ^ row % n)) * 16 + byte % 16;
}

static void reference(const sim_tensor_map *m, const int32_t *at, int kind, uint32_t offset)
{
    const uint32_t each = size_of[m->type];
    uint32_t n[5] = {1, 1, 1, 1, 1}, i[5], place = 0;
    for (uint32_t d = 0; d < m->rank; d++) n[d] = d ? (m->box[d] + m->step[d] - 1) / m->step[d] : m->box[d];
    for (i[4] = 0; i[4] < n[4]; i[4]++)
        for (i[3] = 0; i[3] < n[3]; i[3]++)
            for (i[2] = 0; i[2] < n[2]; i[2]++)
                for (i[1] = 0; i[1] < n[1]; i[1]++)
                    for (i[0] = 0; i[0] < n[0]; i[0]++, place += each) {
                        bool inside = true;
                        uint64_t byte = 0;
                        for (uint32_t d = 0; d < m->rank; d++) {
                            const int64_t x = at[d] + (int64_t)(i[d] * (d ? m->step[d] : 1));
                            /* stores write whole 16 bytes */
                            const uint64_t end =
                                d || kind == LOAD ? m->dim[d] : (m->dim[0] * each + 15) / 16 * 16 / each;
                            inside &= x >= 0 && x < (int64_t)end;
                            byte += (uint64_t)x * (d ? m->stride[d - 1] : each);
                        }
                        unsigned char *s = image_want + swizzled(m->swizzle, offset + place);
                        unsigned char *g = inside ? tensor_want + byte : NULL;
                        if (kind == LOAD) {
                            for (uint32_t k = 0; k < each; k++) s[k] = g ? g[k] : 0;
                        } else if (g && kind == STORE) {
                            memcpy(g, s, each);
                        } else if (g) {
                            uint32_t a, b;
                            memcpy(&a, g, 4);
                            memcpy(&b, s, 4);
                            a += b;
                            memcpy(g, &a, 4);
                        }
                    }
}

static uint32_t below(uint32_t n) { return (uint32_t)(rnd() % n); }

/* A random tensor and box of them; false: it does not fit here. */
static bool draw(sim_tensor_map *m, int32_t *at, int kind, uint32_t *bytes)
{
    static const uint32_t spans[] = {256, 32, 64, 128};
    *m = (sim_tensor_map){.rank = 1 + below(5), .swizzle = below(4), .address = tensor};
    m->type = kind == ADD ? 2 + below(2) : below(11);
    if (kind != LOAD && m->type == 10) m->type = 7;
    const uint32_t each = size_of[m->type];
    /* rows as wide as the swizzle */
    m->box[0] = (m->swizzle ? spans[m->swizzle] : 16 * (1 + below(8))) / each;
    uint64_t next = 0, all;
    *bytes = m->box[0] * each;
    for (uint32_t d = 0; d < m->rank; d++) {
        const uint32_t most[] = {90, 40, 9, 6, 5};
        m->dim[d] = 1 + below(most[d]);
        if (d) m->box[d] = 1 + below(most[d] / 2 + 2);
        m->step[d] = d && !below(4) ? 1 + below(8) : 1;
        if (d) *bytes *= (m->box[d] + m->step[d] - 1) / m->step[d];
        if (d) m->stride[d - 1] = next;
        all = d ? next * m->dim[d] : m->dim[0] * each;
        next = d ? all + 16 * (uint64_t)below(3) : (all + 15) / 16 * 16 + 16 * (uint64_t)below(3);
        at[d] = (int32_t)below((uint32_t)m->dim[d] + m->box[d]) - (int32_t)m->box[d] / 2;
        if (kind != LOAD && at[d] < 0) at[d] = 0; /* what is stored does not begin before the tensor */
        if (!d) at[d] = at[d] * (int32_t)each / 16 * 16 / (int32_t)each; /* as a card wants it */
    }
    return all <= ROOM && *bytes <= TILE - 1024;
}

static void write_all(bench *b)
{
    for (size_t i = 0; i < ROOM; i += 8) {
        const uint64_t x = rnd();
        memcpy(tensor_was + i, &x, 8);
        /* words that no float type takes for a subnormal or NaN: f32.ftz leaves them as they are */
        for (int k = 3; k < 8; k += 4)
            tensor_was[i + (size_t)k] = (unsigned char)(0x20 | (tensor_was[i + (size_t)k] & 0x9f));
        if (i < TILE) memcpy(image_was + i, &x, 8);
    }
    if (sim_write(b->s, tensor, tensor_was, ROOM, &b->e) || sim_write(b->s, image, image_was, TILE, &b->e)) abort();
    memcpy(tensor_want, tensor_was, ROOM);
    memcpy(image_want, image_was, TILE);
}

static int run_map(bench *b, sim_module *m, const parameters *p, unsigned checks, sim_result *r)
{
    const sim_launch l = {.kernel = "k",
                          .grid = {1, 1, 1},
                          .block = {64, 1, 1},
                          .params = p,
                          .param_bytes = 164,
                          .checks = checks,
                          .host_threads = 1,
                          .max_instructions = 400000};
    memset(r, 0, sizeof *r);
    const int code = sim_run(b->s, m, &l, r, &b->e);
    return code ? code : r->code;
}

static void test_boxes(bench *b)
{
    static const char *const names[KINDS] = {"loads", "stores", "sums"};
    enum { TRIES = 120 };
    for (int kind = 0; kind < KINDS; kind++) {
        sim_module *modules[6] = {0};
        uint32_t done = 0, wrong = 0;
        bool outside = false;
        while (done < TRIES) {
            static text t;
            sim_tensor_map m;
            parameters p = {.image = image, .offset = 128 * below(8)};
            sim_result r;
            if (!draw(&m, p.at, kind, &p.bytes)) continue;
            done++;
            kernel_text(&t, body_of(kind, m.rank), NULL);
            if (!modules[m.rank]) modules[m.rank] = load(b, &t);
            if (!modules[m.rank] || sim_tensor_map_encode(&m, p.map, &b->e)) {
                printf("# %s\n", b->e.message);
                wrong++;
                continue;
            }
            write_all(b);
            reference(&m, p.at, kind, p.offset);
            const int code = run_map(b, modules[m.rank], &p, done % 2 ? SIM_CHECK_ALL : 0, &r);
            if (code) printf("# %s\n", r.fault_count ? r.faults[0].message : b->e.message);
            if (sim_read(b->s, tensor, tensor_is, ROOM, &b->e) || sim_read(b->s, image, image_is, TILE, &b->e)) abort();
            const bool good = !code && !memcmp(tensor_is, tensor_want, ROOM) && !memcmp(image_is, image_want, TILE);
            outside |= kind == LOAD ? p.at[0] < 0 : p.at[0] + (int64_t)m.box[0] > (int64_t)m.dim[0];
            if (!good && wrong++ < 3)
                printf("# rank %u type %u swizzle %u box %u %u at %d %d\n", (unsigned)m.rank, (unsigned)m.type,
                       (unsigned)m.swizzle, (unsigned)m.box[0], (unsigned)m.box[1], (int)p.at[0], (int)p.at[1]);
            sim_result_free(&r);
        }
        for (int i = 0; i < 6; i++)
            if (modules[i]) sim_unload(b->s, modules[i]);
        check_that(!wrong && outside, "boxes of random tensors: %s", names[kind]);
    }
}

/* ---- the encoder ---- */
#define PLAIN          PLAIN_OF(7)
#define PLAIN_OF(kind) .type = kind, .rank = 2, .dim = {64, 64}, .stride = {256}, .box = {32, 8}, .step = {1, 1}
static void test_encoder(bench *b)
{
    static const struct {
        const char *says; /* NULL: it is taken */
        sim_tensor_map m;
    } rows[] = {
        {NULL, {PLAIN}},
        {NULL, {.type = 7, .rank = 1, .dim = {UINT64_C(1) << 32}, .box = {256}, .step = {9 - 1}}},
        {NULL, {.type = 0, .rank = 2, .dim = {64, 64}, .stride = {0}, .box = {16, 8}, .step = {1, 8}}},
        {"has 1 to 5 dimensions, not 0", {.type = 7}},
        {"has 1 to 5 dimensions, not 6", {.type = 7, .rank = 6}},
        {"address must be a multiple of 16: 0x8 is not", {PLAIN, .address = 8}},
        {"dimension 1 of a tensor map has 0 elements", {.type = 7, .rank = 2, .dim = {64, 0}}},
        {"dimension 0 of a tensor map has 4294967297 elements",
         {.type = 7, .rank = 1, .dim = {(UINT64_C(1) << 32) + 1}, .box = {32}, .step = {1}}},
        {"the stride of dimension 1 of a tensor map is 264 bytes",
         {.type = 7, .rank = 2, .dim = {64, 64}, .stride = {264}, .box = {32, 8}, .step = {1, 1}}},
        {"less than 2^40",
         {.type = 7, .rank = 2, .dim = {64, 64}, .stride = {UINT64_C(1) << 40}, .box = {32, 8}, .step = {1, 1}}},
        {"257 elements in dimension 1",
         {.type = 7, .rank = 2, .dim = {64, 64}, .stride = {256}, .box = {32, 257}, .step = {1, 1}}},
        {"0 elements in dimension 0",
         {.type = 7, .rank = 2, .dim = {64, 64}, .stride = {256}, .box = {0, 8}, .step = {1, 1}}},
        {"has 24 bytes (6 elements of f32); it must be a multiple of 16",
         {.type = 7, .rank = 2, .dim = {64, 64}, .stride = {256}, .box = {6, 8}, .step = {1, 1}}},
        {"element stride of dimension 1 of a tensor map is 9",
         {.type = 7, .rank = 2, .dim = {64, 64}, .stride = {256}, .box = {32, 8}, .step = {1, 9}}},
        {"has 128 bytes (32 elements of f32); with a swizzle of 64 bytes it can have 64", {PLAIN, .swizzle = 2}},
        {"swizzle 4", {PLAIN, .swizzle = 4}},
        {"swizzle is a number from 0 to 6, not 7", {PLAIN, .swizzle = 7}},
        {"data type is a number from 0 to 15, not 16", {PLAIN_OF(16)}},
        {"needs compute 10.0", {PLAIN_OF(13)}},
        {"only floating-point elements can be filled with NaN outside, not u32", {PLAIN_OF(2), .fill = 1}},
        {"interleaved tensor map has 3 to 5 dimensions", {PLAIN, .interleave = 1}},
        {"are not supported here",
         {.type = 1,
          .rank = 3,
          .dim = {8, 8, 8},
          .stride = {256, 2048},
          .box = {8, 8, 8},
          .step = {1, 1, 1},
          .interleave = 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char out[128];
        const int code = sim_tensor_map_encode(&rows[i].m, out, &b->e);
        const bool refused = rows[i].says && strstr(rows[i].says, "not supported");
        check_that(rows[i].says
                       ? code == (refused ? SIM_E_REFUSED : SIM_E_ARGUMENT) && strstr(b->e.message, rows[i].says)
                       : !code,
                   "encoder: %s", rows[i].says ? rows[i].says : "taken");
    }
    sim_tensor_map m = rows[0].m, back;
    unsigned char out[128];
    m.address = 0x123450;
    m.fill = 1;
    const bool good = !sim_tensor_map_encode(&m, out, &b->e) && sim_tensor_map_decode(out, &back) &&
                      back.address == m.address && back.dim[1] == 64 && back.stride[0] == 256 && back.box[0] == 32 &&
                      back.fill == 1 && back.type == 7 && back.rank == 2;
    out[30] ^= 1;
    check_that(good && !sim_tensor_map_decode(out, &back), "encoder: a changed byte makes it none");
    /* as CuTe does to maps of small tensors, against a mistake of drivers */
    m.address = UINT64_C(0xfffffffff0);
    check_that(!sim_tensor_map_encode(&m, out, &b->e) && (out[10] &= 0xdf, sim_tensor_map_decode(out, &back)) &&
                   back.address == m.address,
               "encoder: bit 21 of the second word may be cleared");
}

/* ---- planted mistakes ---- */
#define LOAD_2D                                                                                                        \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r23], [%rd20, {%r10, %r11}], " \
    "[%r21];\n"
#define STORE_2D "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd20, {%r10, %r11}], [%r23];\n"
enum { SMALL = 1, FREED = 2, NONE = 4, ALONE = 8 /* thread 0 of the race's other side is at fault.other */ };

static void test_mistakes(bench *b)
{
    const struct {
        const char *name, *body, *at_end;
        enum sim_fault_kind kind;
        const char *says;
        unsigned how;
        int other; /* thread of the other side, -1: none */
        uint32_t offset, bytes;
    } rows[] = {
        {"a tensor larger than its buffer", LOAD_2D WAIT, NULL, SIM_FAULT_OUT_OF_BOUNDS,
         "the tensor map map (f32, 64 x 64) is larger than small (8192 bytes)", SMALL, -1, 0, 1024},
        {"its dimension", LOAD_2D WAIT, NULL, SIM_FAULT_OUT_OF_BOUNDS, "dimension 1 of 64 reaches out of it", SMALL, -1,
         0, 1024},
        {"a store to one", STORE_2D ALL_DONE, NULL, SIM_FAULT_OUT_OF_BOUNDS, "is larger than small", SMALL, -1, 0,
         1024},
        {"a freed buffer", LOAD_2D WAIT, NULL, SIM_FAULT_USE_AFTER_FREE,
         "describes small (8192 bytes), which has been freed", SMALL | FREED, -1, 0, 1024},
        {"no tensor map", LOAD_2D WAIT, NULL, SIM_FAULT_BAD_OPERAND, "the tensor map map is none", NONE, -1, 0, 1024},
        {"another number of dimensions",
         "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r23], [%rd20, {%r10, "
         "%r11, "
         "%r12}], [%r21];\n" WAIT,
         NULL, SIM_FAULT_BAD_OPERAND, "the tensor map map has 2 dimensions, the instruction 3", 0, -1, 0, 1024},
        {"a tile at 64", LOAD_2D WAIT, NULL, SIM_FAULT_MISALIGNED, "which is not a multiple of 128", 0, -1, 64, 1024},
        {"a box that begins within 16 bytes", "add.u32 %r10, %r10, 1;\n" LOAD_2D WAIT, NULL, SIM_FAULT_BAD_OPERAND,
         "the box begins at element 5 of its rows, 20 bytes in", 1, -1, 0, 1024},
        {"a reduction of a type that has none",
         "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group [%rd20, {%r10, %r11}], "
         "[%r23];\n" ALL_DONE,
         NULL, SIM_FAULT_BAD_OPERAND, "has elements of f32, which a reduction by .inc does not take", 0, -1, 0, 1024},
        {"a mask that names a block too many",
         "mov.u16 %h1, 3;\n"
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
         "[%r23], [%rd20, {%r10, %r11}], [%r21], %h1;\n" WAIT,
         NULL, SIM_FAULT_BAD_OPERAND, "the mask 0x3 of a multicast names block 1, which the cluster does not have", 0,
         -1, 0, 1024},
        {"expect_tx with too many bytes", LOAD_2D WAIT, NULL, SIM_FAULT_ENDLESS,
         "whose phase of parity 0 lacks 0 arrivals and 16 bytes", 0, -1, 0, 1040},
        {"expect_tx with too few", LOAD_2D WAIT, NULL, SIM_FAULT_ENDLESS, "16 bytes too many: more came", 0, -1, 0,
         1008},
        {"an arrival that never comes",
         LOAD_2D "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r21], %r22;\n"
                 "wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r21], 0;\n@!%p3 bra wait;\n",
         NULL, SIM_FAULT_ENDLESS, "lacks 1 arrival", 0, -1, 0, 1024},
        {"no fence before a store", STORE_2D ALL_DONE, "", SIM_FAULT_RACE, "there is no fence.proxy.async between", 0,
         -2, 0, 1024},
        {"the thread stores again before wait_group",
         "fence.proxy.async;\n" STORE_2D
         "cp.async.bulk.commit_group;\nst.shared.u32 [%r23+8], %r1;\ncp.async.bulk.wait_group.read "
         "0;\n",
         NULL, SIM_FAULT_RACE, "the bulk copy may not have read it yet", 0, 0, 0, 1024},
        {"another thread does", STORE_2D "cp.async.bulk.commit_group;\n",
         "setp.ne.u32 %p4, %r1, 37;\nadd.u32 %r23, %r20, %r2;\n@!%p4 st.shared.u32 [%r23+8], %r1;\nbar.sync 0;\n@!%p1 "
         "cp.async.bulk.wait_group.read 0;\n",
         SIM_FAULT_RACE, "the bulk copy may not have read it yet", ALONE, 37, 0, 1024},
        {"a store that the block does not wait for", "fence.proxy.async;\n" STORE_2D "cp.async.bulk.commit_group;\n",
         NULL, SIM_FAULT_RACE, "the block ends while this bulk copy may still read its 1024 bytes", 0, -1, 0, 1024},
        {"a read before the wait", LOAD_2D "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], %r22;\n",
         "setp.ne.u32 %p4, %r1, 37;\nadd.u32 %r23, %r20, %r2;\n@!%p4 ld.shared.u32 %r5, [%r23];\n"
         "@!%p4 st.global.u32 [%rd3+-256], %r5;\n"
         "@%p1 bra over;\nwait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r21], 0;\n@!%p3 bra wait;\nover:\n",
         SIM_FAULT_RACE, "writes", ALONE, 37, 0, 1024},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static text t;
        sim_tensor_map m = {PLAIN};
        parameters p = {
            .image = image, .at = {4, rows[i].how & FREED ? 0 : 60}, .offset = rows[i].offset, .bytes = rows[i].bytes};
        sim_result r = {0};
        uint64_t small;
        char body[900];
        /* a store that other threads read in another way needs the fence that kernel_text leaves out */
        snprintf(body, sizeof body, "%s%s", rows[i].how & ALONE ? "fence.proxy.async;\n" : "", rows[i].body);
        if (sim_alloc(b->s, 8192, "small", &small, &b->e)) abort();
        m.address = rows[i].how & SMALL ? small : tensor;
        if (sim_tensor_map_encode(&m, p.map, &b->e)) abort();
        if (rows[i].how & NONE) memset(p.map, 0, sizeof p.map);
        if (rows[i].how & FREED && sim_free(b->s, small, &b->e)) abort();
        write_all(b);
        kernel_text(&t, body, rows[i].at_end);
        sim_module *mod = load(b, &t);
        bool good = false;
        if (mod) {
            run_map(b, mod, &p, SIM_CHECK_ALL, &r);
            for (int k = 0; k < r.fault_count && !good; k++) {
                const sim_fault *f = &r.faults[k];
                good = f->kind == rows[i].kind && strstr(f->message, rows[i].says) && f->at.line > 0 &&
                       f->at.thread[0] == 0;
                if (rows[i].other >= 0) good = good && (int)f->other.thread[0] == rows[i].other && f->other.line > 0;
                if (rows[i].how & ALONE && !good && f->kind == rows[i].kind) /* the sides may be the other way round */
                    good = strstr(f->message, rows[i].says) && (int)f->at.thread[0] == rows[i].other && f->at.line > 0;
            }
            for (int k = 0; !good && k < r.fault_count; k++)
                printf("# %s at %d by %u, other %u: %s\n", sim_fault_name(r.faults[k].kind), r.faults[k].at.line,
                       (unsigned)r.faults[k].at.thread[0], (unsigned)r.faults[k].other.thread[0], r.faults[k].message);
            sim_unload(b->s, mod);
        }
        sim_result_free(&r);
        if (!(rows[i].how & FREED)) sim_free(b->s, small, &b->e);
        check_that(good, "mistakes: %s", rows[i].name);
    }
}

/* A kernel makes a map out of 128 zeros: 32 x 8 floats of a tensor of 64 rows of 256 bytes. */
static void test_built(bench *b)
{
    static const unsigned char zeros[128], ones[128] = {1};
    uint64_t map;
    if (sim_alloc(b->s, 128, "map", &map, &b->e)) abort();
    for (int good = 0; good < 2; good++) {
        static text t;
        const sim_tensor_map m = {PLAIN, .address = tensor};
        parameters p = {.image = image, .at = {4, 60}, .bytes = 1024};
        sim_result r = {0};
        char body[2400];
        const unsigned long long at = map;
        int n = snprintf(body, sizeof body, "mov.u64 %%rd20, 0x%llx;\n", at);
        static const char *const fields[] = {
            "global_address.global.b1024.b64 [%%rd20], %%rd21", "rank.global.b1024.b32 [%%rd20], 1",
            "box_dim.global.b1024.b32 [%%rd20], 0, 32",         "box_dim.global.b1024.b32 [%%rd20], 1, 8",
            "global_dim.global.b1024.b32 [%%rd20], 0, 64",      "global_dim.global.b1024.b32 [%%rd20], 1, 64",
            "global_stride.global.b1024.b64 [%%rd20], 0, 256",  "element_stride.global.b1024.b32 [%%rd20], 0, 1",
            "element_stride.global.b1024.b32 [%%rd20], 1, 1",   "elemtype.global.b1024.b32 [%%rd20], 7"};
        n += snprintf(body + n, sizeof body - (size_t)n, "mov.u64 %%rd21, 0x%llx;\n", (unsigned long long)tensor);
        for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
            n += snprintf(body + n, sizeof body - (size_t)n, "tensormap.replace.tile.");
            for (const char *c = fields[i]; *c; c++)
                if (*c != '%' || c[1] != '%') body[n++] = *c;
            n += snprintf(body + n, sizeof body - (size_t)n, ";\n");
        }
        snprintf(body + n, sizeof body - (size_t)n, "%s", LOAD_2D WAIT);
        write_all(b);
        if (sim_write(b->s, map, good ? zeros : ones, 128, &b->e)) abort();
        reference(&m, p.at, LOAD, 0);
        kernel_text(&t, body, NULL);
        sim_module *mod = load(b, &t);
        const int code = mod ? run_map(b, mod, &p, SIM_CHECK_INIT, &r) : 1;
        if (sim_read(b->s, image, image_is, TILE, &b->e)) abort();
        if (good) check_that(!code && !memcmp(image_is, image_want, TILE), "a map built from zeros");
        else
            check_that(code && r.fault_count && r.faults[0].kind == SIM_FAULT_BAD_OPERAND &&
                           strstr(r.faults[0].message, "these 128 bytes are none, nor are they zeros"),
                       "a map built from other bytes");
        if (good && code) printf("# %s\n", r.fault_count ? r.faults[0].message : b->e.message);
        sim_result_free(&r);
        if (mod) sim_unload(b->s, mod);
    }
    sim_free(b->s, map, &b->e);
}

static void tests(bench *b)
{
    if (sim_alloc(b->s, ROOM, "tensor", &tensor, &b->e) || sim_alloc(b->s, TILE, "image", &image, &b->e)) abort();
    test_encoder(b);
    test_boxes(b);
    test_mistakes(b);
    test_built(b);
}
