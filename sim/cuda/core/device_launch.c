/* device_launch.c: kernels that launch kernels (CUDA's dynamic parallelism, as since CUDA 12).
 *
 * Device code calls functions of NVIDIA's device runtime. Ours are PTX, linked into the program's: a
 * launch is a record in a buffer. When the kernel is over its records are launched, each followed by
 * those of its own, those in the tail stream last. No kernel can wait for what it launched, so this
 * order is one that CUDA allows. They are timed as if they shared the card by their size.
 */
#include "core.h"
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (UINT64_C(256) << 20) /* untouched memory costs nothing */
enum { RECORD_HEAD = 64, HEADER = 64, OF_COPY = 1, OF_FILL = 2, TAIL_STREAM = 3, CHAIN_MOST = 4096 };

/* In memory of the card, as the PTX below writes it. */
typedef struct record {
    uint64_t function; /* or OF_COPY, OF_FILL */
    uint32_t launched, sequence, grid[3], block[3], shared, more;
    uint64_t stream, unused;
} record;
_Static_assert(sizeof(record) == RECORD_HEAD, "as the PTX has it");
typedef struct header {
    uint64_t base, stride, capacity, used, sequence, streams, full, unused;
} header;
_Static_assert(sizeof(header) == HEADER, "as the PTX has it");

#define NEW_RECORD /* %a6: its address, or %a9 = 0 when there is no room */         \
    "mov.u64 %a1, __warpstep_launches;\nmov.u64 %a9, 0;\n"                          \
    "atom.global.add.u64 %a2, [%a1+24], 1;\nld.global.u64 %a3, [%a1+16];\n"         \
    "setp.ge.u64 %p1, %a2, %a3;\n@%p1 st.global.u64 [%a1+48], 1;\n@%p1 bra DONE;\n" \
    "ld.global.u64 %a4, [%a1+8];\nld.global.u64 %a5, [%a1];\n"                      \
    "mad.lo.u64 %a6, %a2, %a4, %a5;\nst.global.u32 [%a6+8], 0;\nadd.u64 %a9, %a6, 64;\n"
#define SEQUENCE /* of the record at %a6, which is launched */                   \
    "mov.u64 %a1, __warpstep_launches;\natom.global.add.u32 %q1, [%a1+32], 1;\n" \
    "st.global.u32 [%a6+12], %q1;\nst.global.u32 [%a6+8], 1;\n"
#define BODY "{\n.reg .b64 %a<12>;\n.reg .b32 %q<8>;\n.reg .pred %p<2>;\n"
#define ANSWERS(name, params, value) \
    ".visible .func (.param .b32 r) __cudaCDP2" name "(" params ")\n" BODY "st.param.b32 [r], " value ";\nret;\n}\n"
/* a condition's handle is its address */
#define SET_CONDITIONAL                                                           \
    ".visible .func cudaGraphSetConditional(.param .b64 h, .param .b32 v)\n" BODY \
    "ld.param.b64 %a1, [h];\nld.param.b32 %q1, [v];\nst.global.u32 [%a1], %q1;\nret;\n}\n"
#define DIM(param, at)                                                                                     \
    "ld.param.b32 %q1, [" param "];\nld.param.b32 %q2, [" param "+4];\nld.param.b32 %q3, [" param "+8];\n" \
    "st.global.u32 [%a6+" at "], %q1;\nst.global.u32 [%a6+" at "+4], %q2;\nst.global.u32 [%a6+" at "+8], %q3;\n"

const char device_launch_ptx[] =
    ".version 8.0\n.target sm_52\n.address_size 64\n"
    ".visible .global .align 8 .b8 __warpstep_launches[64];\n"
    ".visible .global .align 1 .b8 __warpstep_no_error[9] = {110, 111, 32, 101, 114, 114, 111, 114, 0};\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
    ".visible .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], "
    ".param .align 4 .b8 b[12], .param .b32 s)\n" BODY NEW_RECORD
    "ld.param.b64 %a7, [f];\nst.global.u64 [%a6], %a7;\n" DIM("g", "16") DIM(
        "b",
        "28") "ld.param.b32 %q4, [s];\nst.global.u32 [%a6+40], %q4;\nDONE:\nst.param.b64 [r], %a9;\nret;\n}\n"
              ".visible .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s)\n" BODY
              "ld.param.b64 %a7, [p];\nld.param.b64 %a8, [s];\nmov.u32 %q5, 1;\nsetp.eq.u64 %p1, %a7, 0;\n"
              "@%p1 bra DONE;\n"
              "sub.u64 %a6, %a7, 64;\nst.global.u64 [%a6+48], %a8;\n" SEQUENCE
              "mov.u32 %q5, 0;\nDONE:\nst.param.b32 [r], %q5;\nret;\n}\n"
              ".visible .func (.param .b64 r) __cudaCDP2GetParameterBuffer(.param .b64 a, .param .b64 n)\n" BODY
                  NEW_RECORD "DONE:\nst.param.b64 [r], %a9;\nret;\n}\n"
              ".visible .func (.param .b32 r) __cudaCDP2LaunchDevice(.param .b64 f, .param .b64 p, "
              ".param .align 4 .b8 g[12], "
              ".param .align 4 .b8 b[12], .param .b32 s, .param .b64 t)\n" BODY
              "ld.param.b64 %a7, [p];\nmov.u32 %q5, 1;\nsetp.eq.u64 %p1, %a7, 0;\n@%p1 bra DONE;\nsub.u64 %a6, "
              "%a7, 64;\n"
              "ld.param.b64 %a8, [f];\nst.global.u64 [%a6], %a8;\n" DIM("g", "16") DIM(
                  "b",
                  "28") "ld.param.b32 %q4, [s];\nst.global.u32 [%a6+40], %q4;\nld.param.b64 %a8, [t];\n"
                        "st.global.u64 [%a6+48], %a8;\n" SEQUENCE
                        "mov.u32 %q5, 0;\nDONE:\nst.param.b32 [r], %q5;\nret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 t, .param .b64 f, "
                        ".param .b64 n, .param .b32 k, "
                        ".param .b64 s)\n" BODY "mov.u32 %q5, 69;\n" NEW_RECORD
                        "st.global.u64 [%a6], 1;\nld.param.b64 %a7, [t];\nst.global.u64 [%a6+64], %a7;\n"
                        "ld.param.b64 %a7, [f];\n"
                        "st.global.u64 [%a6+72], %a7;\nld.param.b64 %a7, [n];\nst.global.u64 [%a6+80], %a7;\n"
                        "ld.param.b64 %a8, [s];\n"
                        "st.global.u64 [%a6+48], %a8;\n" SEQUENCE
                        "mov.u32 %q5, 0;\nDONE:\nst.param.b32 [r], %q5;\nret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 t, .param .b32 v, "
                        ".param .b64 n, .param .b64 s)\n" BODY "mov.u32 %q5, 69;\n" NEW_RECORD
                        "st.global.u64 [%a6], 2;\nld.param.b64 %a7, [t];\nst.global.u64 [%a6+64], %a7;\n"
                        "ld.param.b32 %q4, [v];\n"
                        "st.global.u32 [%a6+72], %q4;\nld.param.b64 %a7, [n];\nst.global.u64 [%a6+80], %a7;\n"
                        "ld.param.b64 %a8, [s];\n"
                        "st.global.u64 [%a6+48], %a8;\n" SEQUENCE
                        "mov.u32 %q5, 0;\nDONE:\nst.param.b32 [r], %q5;\nret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 t, "
                        ".param .b32 f)\n" BODY
                        "mov.u64 %a1, __warpstep_launches;\natom.global.add.u64 %a2, [%a1+40], 1;\n"
                        "add.u64 %a2, %a2, 16;\n"
                        "ld.param.b64 %a3, [t];\nst.u64 [%a3], %a2;\nst.param.b32 [r], 0;\nret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2EventCreateWithFlags(.param .b64 t, "
                        ".param .b32 f)\n" BODY
                        "mov.u64 %a2, 16;\nld.param.b64 %a3, [t];\nst.u64 [%a3], %a2;\nst.param.b32 [r], 0;\nret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2GetDevice(.param .b64 t)\n" BODY
                        "mov.u32 %q1, 0;\nld.param.b64 %a3, [t];\nst.u32 [%a3], %q1;\nst.param.b32 [r], 0;\nret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2GetDeviceCount(.param .b64 t)\n" BODY
                        "mov.u32 %q1, 1;\nld.param.b64 %a3, [t];\nst.u32 [%a3], %q1;\nst.param.b32 [r], 0;\nret;\n}\n"
                        /* a launch that found no room: cudaErrorLaunchPendingCountExceeded */
                        ".visible .func (.param .b32 r) __cudaCDP2PeekAtLastError()\n" BODY
                        "mov.u64 %a1, __warpstep_launches;\nld.global.u64 %a2, [%a1+48];\ncvt.u32.u64 %q1, "
                        "%a2;\nmul.lo.u32 %q1, %q1, 69;\n"
                        "st.param.b32 [r], %q1;\nret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2GetLastError()\n" BODY
                        "mov.u64 %a1, __warpstep_launches;\nld.global.u64 %a2, [%a1+48];\ncvt.u32.u64 %q1, "
                        "%a2;\nmul.lo.u32 %q1, %q1, 69;\n"
                        "st.param.b32 [r], %q1;\nret;\n}\n"
                        ".visible .func (.param .b64 r) __cudaCDP2GetErrorString(.param .b32 c)\n" BODY
                        "mov.u64 %a1, __warpstep_no_error;\ncvta.global.u64 %a1, %a1;\nst.param.b64 [r], %a1;\n"
                        "ret;\n}\n"
                        ".visible .func (.param .b64 r) __cudaCDP2GetErrorName(.param .b32 c)\n" BODY
                        "mov.u64 %a1, __warpstep_no_error;\ncvta.global.u64 %a1, %a1;\nst.param.b64 [r], %a1;\n"
                        "ret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2Malloc(.param .b64 t, .param .b64 n)\n" BODY
                        "ld.param.b64 %a1, [n];\n{\n.param .b64 p0;\nst.param.b64 [p0], %a1;\n.param .b64 q0;\n"
                        "call.uni (q0), malloc, (p0);\n"
                        "ld.param.b64 %a2, [q0];\n}\nld.param.b64 %a3, [t];\nst.u64 [%a3], %a2;\n"
                        "setp.eq.u64 %p1, %a2, 0;\n"
                        "selp.u32 %q1, 2, 0, %p1;\nst.param.b32 [r], %q1;\nret;\n}\n"
                        ".visible .func (.param .b32 r) __cudaCDP2Free(.param .b64 t)\n" BODY
                        "ld.param.b64 %a1, [t];\n{\n.param .b64 p0;\nst.param.b64 [p0], %a1;\ncall.uni free, "
                        "(p0);\n}\nst.param.b32 [r], 0;\nret;\n}\n" SET_CONDITIONAL ANSWERS(
                            "StreamDestroy", ".param .b64 s", "0") ANSWERS("EventDestroy", ".param .b64 e", "0")
                            ANSWERS("EventRecord", ".param .b64 e, .param .b64 s", "0")
                                ANSWERS("StreamWaitEvent", ".param .b64 s, .param .b64 e, .param .b32 f", "0");

bool device_launch_wanted(const char *text)
{
    return strstr(text, "__cudaCDP2") || strstr(text, "cudaGraphSetConditional");
}
bool device_launch_theirs(const char *text) { return strstr(text, "__cuda_syscall_") != NULL; }

/* Gives the module its buffer. */
int device_launch_prepare(device *d, sim_module *m)
{
    uint64_t at, bytes, buffer;
    sim_error err;
    if (sim_symbol(m, "__warpstep_launches", &at, &bytes)) return E_OK;
    uint32_t most = 24;
    for (int i = 0; i < sim_kernels(m); i++)
        if (sim_kernel_at(m, i)->param_bytes > most) most = sim_kernel_at(m, i)->param_bytes;
    if (sim_alloc(d->s, BUFFER_BYTES, "launches of kernels", &buffer, &err)) return E_MemoryAllocation;
    header h = {.base = buffer, .stride = RECORD_HEAD + (most + 15) / 16 * 16};
    h.capacity = BUFFER_BYTES / h.stride;
    return sim_write(d->s, at, &h, sizeof h, &err) ? E_MemoryAllocation : E_OK;
}

/* ---- what was launched ---- */

typedef struct todo {
    struct todo *next;
    int depth;
    record r;
    launch_config config;
    size_t bytes;
    unsigned char params[];
} todo;

static int by_sequence(const void *x, const void *y)
{
    const todo *const *a = x, *const *b = y;
    const bool tail[2] = {(*a)->r.stream == TAIL_STREAM, (*b)->r.stream == TAIL_STREAM};
    if (tail[0] != tail[1]) return tail[0] ? 1 : -1;
    return (*a)->r.sequence < (*b)->r.sequence ? -1 : (*a)->r.sequence > (*b)->r.sequence;
}

static todo *read_record(device *d, image *i, const header *h, uint64_t n, int depth)
{
    sim_error err;
    record r;
    const uint64_t at = h->base + n * h->stride;
    if (sim_read(d->s, at, &r, sizeof r, &err) || r.launched != 1) return NULL;
    const sim_kernel *k = r.function > OF_FILL ? sim_kernel_of(i->module[d->ordinal], r.function) : NULL;
    if (r.function > OF_FILL && !k) return NULL;
    const size_t bytes = k ? k->param_bytes : 24;
    todo *t = bytes <= h->stride - RECORD_HEAD ? calloc(1, sizeof *t + bytes + 1) : NULL;
    if (!t) return NULL;
    t->r = r;
    t->depth = depth;
    t->bytes = bytes;
    if (bytes) sim_read(d->s, at + RECORD_HEAD, t->params, bytes, &err);
    if (k) {
        pthread_mutex_lock(&core_lock);
        t->config.f = image_function(i, k->name);
        if (t->config.f) t->config.f->kernel[d->ordinal] = k;
        pthread_mutex_unlock(&core_lock);
    }
    memcpy(t->config.grid, r.grid, sizeof r.grid);
    memcpy(t->config.block, r.block, sizeof r.block);
    t->config.shared = r.shared;
    return t;
}

/* Takes all records out of the buffer, in front of *list, in the order in which they are performed. */
static void take_records(device *d, image *i, uint64_t header_at, int depth, todo **list)
{
    sim_error err;
    header h;
    changes_settle(d); /* the launch may have been made again without running */
    if (sim_read(d->s, header_at, &h, sizeof h, &err) || !h.used) return;
    const uint64_t count = h.used < h.capacity ? h.used : h.capacity;
    todo **all = calloc(count, sizeof *all);
    uint64_t found = 0;
    for (uint64_t n = 0; all && n < count; n++)
        if ((all[found] = read_record(d, i, &h, n, depth)) != NULL) found++;
    if (found) qsort(all, found, sizeof *all, by_sequence);
    for (uint64_t n = found; n-- > 0;) {
        all[n]->next = *list;
        *list = all[n];
    }
    free(all);
    h.used = h.sequence = h.full = 0;
    sim_write(d->s, header_at, &h, sizeof h, &err);
}

static int perform_one(device *d, op *parent, todo *t, double began, double *seconds, double *share)
{
    sim_error err;
    uint64_t p[3];
    memcpy(p, t->params, t->r.function <= OF_FILL ? sizeof p : 0);
    *seconds = 1e-6;
    *share = 1;
    if (t->r.function <= OF_FILL) changes_settle(d);
    if (t->r.function == OF_COPY) {
        const void *from = sim_memory(d->s, p[1], p[2]);
        return p[2] && (!from || sim_write(d->s, p[0], from, p[2], &err)) ? E_IllegalAddress : E_OK;
    }
    if (t->r.function == OF_FILL) {
        void *bytes = malloc(p[2] + 1);
        if (!bytes) return E_MemoryAllocation;
        memset(bytes, (int)p[1], p[2]);
        const bool bad = p[2] && sim_write(d->s, p[0], bytes, p[2], &err);
        free(bytes);
        return bad ? E_IllegalAddress : E_OK;
    }
    pthread_mutex_lock(&core_lock);
    const int wrong = t->config.f ? launch_check(d, &t->config, t->config.f->kernel[d->ordinal]) : E_MemoryAllocation;
    t->config.by_kernel = true;
    if (t->config.f) launch_answer(&t->config, wrong);
    pthread_mutex_unlock(&core_lock);
    if (wrong) return E_OK; /* the kernel that did it could have asked */
    op child = {
        .kind = OP_LAUNCH, .stream = parent->stream, .began = began, .give_way = parent->give_way, .of = parent};
    child.u.launch.config = t->config;
    child.u.launch.params = t->params;
    child.u.launch.param_bytes = t->bytes;
    return launch_perform(d, &child, seconds, share);
}

/* What the kernel of `o` has launched, and they in turn. *seconds: how long all of it takes, added. */
int device_launches(device *d, op *o, double *seconds)
{
    image *i = o->u.launch.config.f->image;
    uint64_t header_at, bytes;
    if (o->of || sim_symbol(i->module[d->ordinal], "__warpstep_launches", &header_at, &bytes)) return E_OK;
    static _Thread_local double longest[CHAIN_MOST]; /* by how deep it was launched */
    double work = 0, chain = 0;
    todo *list = NULL;
    int code = E_OK;
    take_records(d, i, header_at, 0, &list);
    if (!list) return E_OK;
    memset(longest, 0, sizeof longest);
    while (list) {
        todo *t = list;
        list = t->next;
        double took = 0, share = 1;
        if (!code) {
            code = perform_one(d, o, t, o->began + *seconds, &took, &share);
            take_records(d, i, header_at, t->depth + 1, &list);
        }
        work += took * share;
        const int depth = t->depth < CHAIN_MOST ? t->depth : CHAIN_MOST - 1;
        if (took > longest[depth]) longest[depth] = took;
        free(t);
    }
    for (int n = 0; n < CHAIN_MOST; n++) chain += longest[n];
    *seconds += chain > work ? chain : work;
    return code;
}
