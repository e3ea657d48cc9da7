/* film_write.c: the child's part of a film: its header, and its moments as they happen.
 *
 * The header's lines, each with its values behind tabs:
 *     multiprocessors COUNT            of the card
 *     schedulers COUNT                 of one
 *     clock KHZ
 *     kernel NAME
 *     grid X Y Z    block X Y Z    at X Y Z
 *     registers BYTES                  of a warp
 *     number BLOCK                     of the block, x first
 *     resident BLOCKS                  of this kernel on a multiprocessor, at most
 *     buffer ADDRESS BYTES TYPE NAME
 *     shared FROM TO TYPE NAME         a variable in shared memory
 *     parameter OFFSET SIZE NAME VALUE
 *     file NAME                        numbered from 0
 *     insn PC LINE PTXLINE FILE CLASS REAL FORM
 *     operand AT BYTES RW TYPE NAME    of the last insn
 */
#define _GNU_SOURCE /* memfd_create */
#include "film.h"
#include "kernel_name.h"
#include "shell/app.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct film_writer {
    film_request q;
    const sim_launch *l;
    uint64_t written, clock, block;
    bool failed, full;
    size_t used;
    unsigned char buffer[1 << 16];
    unsigned char packed[FILM_MOMENT_MOST];
};

int film_file(void)
{
#ifdef __linux__
    int fd = memfd_create("film", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0) fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
    return fd;
#else
    FILE *f = tmpfile();
    int fd = f ? dup(fileno(f)) : -1;
    if (f) fclose(f);
    return fd;
#endif
}

static void flush(film_writer *w)
{
    const unsigned char *at = w->buffer, *end = w->buffer + w->used;
    while (at < end && !w->failed) {
        ssize_t n = write(w->q.file, at, (size_t)(end - at));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) w->failed = true;
        else at += n;
    }
    w->used = 0;
}

static void put(film_writer *w, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    w->written += bytes;
    while (bytes) {
        if (w->used == sizeof w->buffer) flush(w);
        size_t n = sizeof w->buffer - w->used < bytes ? sizeof w->buffer - w->used : bytes;
        memcpy(w->buffer + w->used, at, n);
        w->used += n;
        at += n;
        bytes -= n;
    }
}

/* Names come from PTX and may hold anything. */
static void put_line(film_writer *w, const char *fmt, ...) APP_PRINTF(2, 3);
static void put_line(film_writer *w, const char *fmt, ...)
{
    char line[1200];
    va_list v;
    va_start(v, fmt);
    int n = vsnprintf(line, sizeof line - 1, fmt, v);
    va_end(v);
    if (n < 0) return;
    if ((size_t)n > sizeof line - 2) n = sizeof line - 2;
    for (int i = 0; i < n; i++)
        if (line[i] == '\n' || line[i] == '\r' || !line[i]) line[i] = ' ';
    line[n] = '\n';
    put(w, line, (size_t)n + 1);
}

static const char *text(const char *s) { return s && *s ? s : "-"; }

enum { FILES = 64, SHARED = 64 };

static int file_number(film_writer *w, const char **files, int *count, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (files[i] == name || !strcmp(files[i], name)) return i;
    if (*count == FILES) return 0;
    put_line(w, "file\t%s", text(name));
    files[*count] = name;
    return (*count)++;
}

static void put_instructions(film_writer *w, const sim_module *m)
{
    const char *files[FILES];
    int count = 0;
    for (uint32_t pc = 0; pc < sim_instructions(m); pc++) {
        sim_instruction in;
        if (!sim_instruction_at(m, pc, &in)) break;
        const int file = file_number(w, files, &count, in.file);
        put_line(w, "insn\t%u\t%d\t%d\t%d\t%d\t%d\t%s", pc, in.line, in.ptx_line, file, (int)in.cls, in.real,
                 text(in.form));
        for (int i = 0; i < in.operands; i++) {
            const sim_operand *o = &in.operand[i];
            put_line(w, "operand\t%u\t%u\t%d\t%s\t%s", o->at, o->bytes, o->read + 2 * o->written, text(o->type),
                     text(o->name));
        }
    }
}

static void put_header(film_writer *w, const sim_card *card, const sim_module *m, const sim_launch *l,
                       const struct film_buffer *buffers, int count)
{
    const sim_kernel *k = sim_kernel_named(m, l->kernel);
    sim_occupancy o;
    sim_occupancy_of(card, k, l->grid, l->block, l->shared_bytes, &o);
    put_line(w, "warpstep film 1");
    put_line(w, "multiprocessors\t%d", card->multiprocessors);
    put_line(w, "schedulers\t%d", card->timing.schedulers);
    put_line(w, "clock\t%d", card->clock_khz);
    put_line(w, "kernel\t%s", l->kernel);
    put_line(w, "grid\t%u\t%u\t%u", l->grid[0], l->grid[1], l->grid[2]);
    put_line(w, "block\t%u\t%u\t%u", l->block[0], l->block[1], l->block[2]);
    put_line(w, "at\t%u\t%u\t%u", w->q.at[0], w->q.at[1], w->q.at[2]);
    put_line(w, "registers\t%u", sim_register_bytes(m, l->kernel));
    put_line(w, "number\t%" PRIu64, w->block);
    put_line(w, "resident\t%d", o.blocks);
    for (int i = 0; i < count; i++)
        put_line(w, "buffer\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s", buffers[i].address, buffers[i].bytes,
                 text(buffers[i].type), text(buffers[i].name));
    sim_shared shared[SHARED];
    const int parts = sim_shared_of(m, l->kernel, l->shared_bytes, shared, SHARED);
    for (int i = 0; i < parts; i++) {
        char title[256];
        const char *name = shared[i].name ? kernel_title(shared[i].name, title, sizeof title) : NULL;
        put_line(w, "shared\t%u\t%u\t%s\t%s", shared[i].from, shared[i].to, text(shared[i].type), text(name));
    }
    for (int i = 0; i < k->params; i++) {
        const sim_param *p = &k->param[i];
        uint64_t value = 0;
        if (p->size <= 8 && p->offset + p->size <= l->param_bytes)
            memcpy(&value, (const char *)l->params + p->offset, p->size);
        put_line(w, "parameter\t%u\t%u\t%s\t%" PRIu64, p->offset, p->size, text(p->name), value);
    }
    put_instructions(w, m);
    put(w, "\n", 1);
    flush(w);
}

/* A sim_launch.film. */
static bool write_moment(void *writer, const sim_moment *m)
{
    film_writer *w = writer;
    const size_t bytes = film_pack(m, &w->clock, w->packed, sizeof w->packed);
    if (!bytes) w->failed = true;
    if (w->written + bytes + 4 > w->q.most) w->full = true;
    if (w->failed || w->full) return false;
    unsigned char head[4];
    size_t n = 0;
    for (size_t v = bytes; n < 4; v >>= 7) {
        head[n++] = (unsigned char)(v > 127 ? (v & 127) | 128 : v);
        if (v < 128) break;
    }
    put(w, head, n);
    put(w, w->packed, bytes);
    if (w->written < sizeof w->buffer) flush(w); /* the first frames are waited for */
    return !(w->q.whole_block && m->kind == SIM_MOMENT_END && m->block == w->block);
}

film_writer *film_begin(const film_request *q, const sim_card *card, const sim_module *m, sim_launch *l,
                        const struct film_buffer *buffers, int count)
{
    for (int i = 0; i < 3; i++)
        if (q->at[i] >= l->grid[i]) return NULL;
    film_writer *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->q = *q;
    w->l = l;
    w->block = q->at[0] + (uint64_t)l->grid[0] * (q->at[1] + (uint64_t)l->grid[1] * q->at[2]);
    put_header(w, card, m, l, buffers, count);
    l->film = write_moment;
    l->film_arg = w;
    l->film_block = w->block;
    return w;
}

void film_end(film_writer *w)
{
    if (!w) return;
    flush(w);
    free(w);
}
