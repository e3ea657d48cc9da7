/* race_sides.c: both sides of a race. A check finds it at the later access; the earlier one is a frame
 * before that, of this block or of another. */
#include "frame.h"
#include "shell/format.h"
#include "shell/language.h"
#include <string.h>

static void thread_text(const frames *f, uint64_t block, uint32_t thread, char *out, size_t size)
{
    const uint32_t *b = f->reel->block, *g = f->reel->grid;
    const uint32_t x = b[0] ? b[0] : 1, y = b[1] ? b[1] : 1;
    const uint64_t gx = g[0] ? g[0] : 1, gy = g[1] ? g[1] : 1;
    const int n = snprintf(out, size, TR("thread (%u,%u,%u)"), thread % x, thread / x % y, thread / x / y);
    if (block != f->reel->number && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, TR(" of block (%u,%u,%u)"), (unsigned)(block % gx),
                 (unsigned)(block / gx % gy), (unsigned)(block / gx / gy));
}

static const char *past(enum sim_class c)
{
    return c == SIM_CLASS_ATOMIC                                        ? "changed"
           : c == SIM_CLASS_GLOBAL_STORE || c == SIM_CLASS_SHARED_STORE ? "wrote"
                                                                        : "read";
}

bool frame_other_side(const frames *f, uint32_t i, const film_moment *m, frame_side *out)
{
    const sim_film_found *found = &m->m.found;
    if (!found->there || found->other_pc >= f->reel->insns) return false;
    *out = (frame_side){.block = found->other_block,
                        .thread = found->other_thread,
                        .pc = found->other_pc,
                        .address = found->address,
                        .size = found->size,
                        .clock = frame_row(f, i)->clock};
    return true;
}

static bool touches(const frames *f, uint32_t i, const frame_side *s)
{
    if (!reel_moment(f->reel, i, f->moment)) return false;
    const uint32_t lane = s->thread % 32;
    for (int k = 0; k < f->moment->m.accesses; k++) {
        const sim_film_access *a = &f->moment->access[k];
        if ((a->space == 'g' || a->space == 's') && (a->lanes >> lane & 1) && a->address[lane] < s->address + s->size &&
            s->address < a->address[lane] + a->size)
            return true;
    }
    return false;
}

uint32_t side_find(frames *f, const frame_side *s)
{
    const uint32_t warp = s->thread / 32;
    uint32_t at = UINT32_MAX;
    if (warp >= f->reel->warps || s->block != f->reel->number) return UINT32_MAX;
    for (uint32_t i = 0;; i++) { /* as far as it is there: the later side has been seen */
        if (i >= f->reel->steps) frames_wait(f, i + 1);
        if (i >= f->reel->steps || frame_row(f, i)->clock > s->clock) break;
        const reel_row *r = frame_row(f, i);
        if (r->warp == warp && r->pc == s->pc && touches(f, i, s)) at = i;
    }
    return at;
}

void side_sentence(const frames *f, const frame *r, char *out, size_t size)
{
    const sim_film_found *found = &r->moment->m.found;
    char me[100], other[100];
    frame_side s;
    *out = 0;
    if (!found->there) return;
    thread_text(f, f->reel->number, r->row->warp * 32 + found->lane, me, sizeof me);
    if (found->kind == SIM_FAULT_UNINITIALISED && r->row->kind != SIM_MOMENT_FAULT) {
        snprintf(out, size, TR("What %s stores here comes from memory that was never written. "), me);
        return;
    }
    if (!frame_other_side(f, r->i, r->moment, &s)) {
        snprintf(out, size, TR("Here the kernel fails: %s, in %s. "), TR(sim_fault_name(found->kind)), me);
        return;
    }
    thread_text(f, s.block, s.thread, other, sizeof other);
    const reel_insn *in = &f->reel->insn[s.pc];
    snprintf(out, size, TR("A race: %s %s here what %s %s at line %d, and nothing orders the two. "), me,
             r->insn->cls == SIM_CLASS_ATOMIC                                                   ? TR("changes")
             : r->insn->cls == SIM_CLASS_GLOBAL_STORE || r->insn->cls == SIM_CLASS_SHARED_STORE ? TR("writes")
                                                                                                : TR("reads"),
             other, TR(past(in->cls)), in->line);
}
