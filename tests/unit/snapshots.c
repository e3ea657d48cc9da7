/* snapshots.c: the file of launches that a program's libraries kept, written by hand: a launch in it
 * runs, and leaves what arithmetic says. With bytes changed at random, the sums made anew as a program
 * could, it is a sentence or another launch: reading it and running it never crash. */
#include "device/devices.h"
#include "program/program_snapshots.h"
#include "run/job_launch.h"
#include "run/step.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds to a variable of the module, to memory that its argument names and to memory that a pointer in
 * that memory names; traps unless all is as it was before the launch. */
static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .global .u32 count;\n"
                          ".visible .entry k(.param .u64 list, .param .u32 n)\n{\n"
                          ".reg .b64 %a<4>;\n.reg .b32 %r<8>;\n.reg .pred %p;\n"
                          "ld.param.u64 %a0, [list];\nld.param.u32 %r0, [n];\n"
                          "ld.global.u64 %a1, [%a0];\nld.global.u32 %r1, [%a1+4];\nld.global.u32 %r2, [count];\n"
                          "add.u32 %r3, %r1, %r2;\nsetp.ne.u32 %p, %r3, %r0;\n@%p trap;\n"
                          "st.global.u32 [count], %r3;\nst.global.u32 [%a1+4], %r3;\nret;\n}\n";

enum { REGIONS = 3, PAGES = 3, TEXTURES = 1 };
typedef struct piece {
    snapshot_head head;
    snapshot_launch launch;
    snapshot_region region[REGIONS];
    snapshot_texture texture[TEXTURES];
    snapshot_page page[PAGES];
    unsigned char params[16];
    char names[16];
} piece;
#define AT UINT64_C(0x1000000000)

typedef struct file {
    snapshot_head text_head;
    char text[(sizeof ptx + 7) / 8 * 8];
    snapshot_head page_head;
    uint64_t list[8];
    uint32_t data[8], count[2];
    piece launch;
} file;

static snapshot_page page_of(const file *f, const void *data, size_t bytes)
{
    return (snapshot_page){(uint64_t)((const char *)data - (const char *)f), snapshot_sum(data, bytes)};
}

static void seal(file *f)
{
    f->launch.head.sum =
        snapshot_sum((const char *)&f->launch + sizeof f->launch.head, sizeof f->launch - sizeof f->launch.head);
}

static void make(file *f)
{
    memset(f, 0, sizeof *f);
    memcpy(f->text, ptx, sizeof ptx - 1);
    f->text_head =
        (snapshot_head){SNAPSHOT_MAGIC, SNAPSHOT_TEXT, 1, sizeof f->text, snapshot_sum(f->text, sizeof f->text)};
    f->page_head =
        (snapshot_head){SNAPSHOT_MAGIC, SNAPSHOT_PAGES, 1, sizeof f->list + sizeof f->data + sizeof f->count, 0};
    f->list[0] = AT + 0x10000;
    f->data[1] = 30;
    f->count[0] = 12;
    piece *p = &f->launch;
    p->head = (snapshot_head){SNAPSHOT_MAGIC, SNAPSHOT_LAUNCH, 1, sizeof *p - sizeof p->head, 0};
    p->launch = (snapshot_launch){.text_at = (uint64_t)(f->text - (const char *)f),
                                  .text_bytes = sizeof ptx - 1,
                                  .text_sum = snapshot_sum(ptx, sizeof ptx - 1),
                                  .seconds = 1e-6,
                                  .launch = 1,
                                  .grid = {1, 1, 1},
                                  .block = {1, 1, 1},
                                  .regions = REGIONS,
                                  .textures = TEXTURES,
                                  .param_bytes = 12,
                                  .name_bytes = sizeof p->names + 4,
                                  .pages = PAGES};
    p->region[0] = (snapshot_region){AT, sizeof f->list, 0, 0, 0};
    p->region[1] = (snapshot_region){AT + 0x10000, sizeof f->data, 1, 0, 0};
    p->region[2] = (snapshot_region){AT + 0x20000, 4, 2, 4 + 3, 1};
    p->page[0] = page_of(f, f->list, sizeof f->list);
    p->page[1] = page_of(f, f->data, sizeof f->data);
    p->page[2] = page_of(f, f->count, 4);
    const uint64_t list = AT;
    const uint32_t n = 42; /* 30 + 12 */
    memcpy(p->params, &list, 8);
    memcpy(p->params + 8, &n, 4);
    /* 12 bytes of parameters are followed at once by the names */
    memcpy(p->params + 12, "k\0\0", 4);
    memcpy(p->names, "\0\0\0count", 8);
    seal(f);
}

static int open_file(const file *f, size_t bytes)
{
    const int fd = program_snapshots_file();
    if (fd < 0 || write(fd, f, bytes) != (ssize_t)bytes) exit(77);
    return fd;
}

static char card[1 << 16];

/* The status of a run; what went wrong, in *r. */
static int run(const struct program_snapshot *s, step_result *r)
{
    lesson l = {.name = "exec", .path = "exec"};
    lesson_action a = {.kind = ACT_LAUNCH, .name = "k"};
    lesson_step step = {.name = "k", .action = &a, .action_count = 1, .clock = -1};
    for (int i = 0; i < 3; i++) {
        expr_constant(&a.grid[i], s->launch.grid[i]);
        expr_constant(&a.block[i], s->launch.block[i]);
    }
    expr_constant(&a.shared, s->launch.shared);
    step_request q = {.l = &l, .s = &step, .job = launch_job(s), .card_text = card, .limit = 20, .budget = 1000000};
    q.device = (struct device){.kind = DEVICE_SIM, .label = "sim:h200", .card = "h200"};
    char *text = NULL;
    if (!s->why_not && !snapshot_text(s, &text, &q.ptx_bytes)) {
        memset(r, 0, sizeof *r);
        return EXIT_INTERNAL;
    }
    q.ptx = text;
    snprintf(q.ptx_name, sizeof q.ptx_name, "program.ptx");
    const int status = step_run(&q, r);
    free(text);
    return status;
}

static void read_card(void)
{
    struct app app = {.out = stdout, .err = stderr, .root = (char *)(uintptr_t) "."};
    struct device d = {.kind = DEVICE_SIM, .label = "sim:h200", .card = "h200"};
    char *text = NULL;
    if (device_card_text(&app, &d, &text)) exit(77);
    snprintf(card, sizeof card, "%s", text);
    free(text);
}

static void runs(void)
{
    file f;
    struct program_snapshots all;
    step_result r;
    make(&f);
    program_snapshots_read(open_file(&f, sizeof f), &all);
    check_why(all.count == 1 && !all.damaged, "the file is read", all.damaged ? all.damaged : "");
    if (all.count == 1) {
        check_why(!run(&all.list[0], &r) && !r.faults && r.launches == 1, "it runs", r.problem);
        check_why(r.cycles > 0 && r.total.warp_instructions > 0, "with the clock", r.problem);
        step_result_free(&r);
    }
    program_snapshots_free(&all);
    /* other memory before it: the kernel notices */
    make(&f);
    f.data[1]++;
    f.launch.page[1] = page_of(&f, f.data, sizeof f.data);
    seal(&f);
    program_snapshots_read(open_file(&f, sizeof f), &all);
    if (all.count == 1) run(&all.list[0], &r);
    check_why(all.count == 1 && r.faults == 1, "it sees the memory of the file", "");
    step_result_free(&r);
    program_snapshots_free(&all);
    /* memory that was changed after its sum was made */
    make(&f);
    f.data[1]++;
    program_snapshots_read(open_file(&f, sizeof f), &all);
    check_why(all.count == 1 && run(&all.list[0], &r) == EXIT_INTERNAL && strstr(r.problem, "damaged"),
              "changed memory", r.problem);
    step_result_free(&r);
    program_snapshots_free(&all);
}

static uint64_t state = 1;
static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

static void hostile(void)
{
    enum { TRIES = 3000 };
    int ran = 0;
    char what[80];
    for (int i = 0; i < TRIES; i++) {
        file f;
        struct program_snapshots all;
        step_result r;
        make(&f);
        const bool sealed = i % 4 != 0;
        size_t bytes = sizeof f;
        for (uint64_t n = 1 + draw(3); n--;) {
            unsigned char *p = (unsigned char *)&f + (sealed ? offsetof(file, launch.launch) : 0);
            const uint64_t at = draw(sealed ? sizeof f.launch - sizeof f.launch.head : sizeof f);
            static const unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff};
            p[at] = draw(2) ? odd[draw(sizeof odd)] : (unsigned char)draw(256);
        }
        if (sealed) seal(&f);
        if (!draw(8)) bytes = draw(sizeof f);
        program_snapshots_read(open_file(&f, bytes), &all);
        for (int k = 0; k < all.count && ran < 400; k++, ran++) {
            run(&all.list[k], &r);
            snprintf(what, sizeof what, "change %d", i);
            check_why(!r.crashed, what, r.problem);
            step_result_free(&r);
        }
        program_snapshots_free(&all);
    }
    check_why(ran > 100, "many of them run", "");
}

int main(void)
{
    read_card();
    runs();
    hostile();
    return check_end();
}
