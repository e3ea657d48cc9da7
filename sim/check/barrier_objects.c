/* barrier_objects.c: barrier objects that are used before it is sure that they have been made.
 *
 * The cell of a word knows its last writer alone, and whoever arrives at a barrier object is one. So the thread that
 * called mbarrier.init is kept here: each later operation on the object must come after it, whoever came between.
 */
#include "happens_before.h"
#include "race_report.h"

void barrier_objects_begin(struct block_order *o) { o->made_count = 0; }

static void forget(struct block_order *of, uint64_t at)
{
    for (uint32_t i = 0; i < of->made_count;)
        if (of->made[i].at == at) of->made[i] = of->made[--of->made_count];
        else i++;
}

static bool makes(const warp *w, const access *a)
{
    const code_module *code = w->worker->launch->code;
    return race_makes_object(code->info[a->in - code->insns].src);
}

static bool copies(const warp *w, const access *a)
{
    const ptx_insn *in = w->worker->launch->code->info[a->in - w->worker->launch->code->insns].src;
    return in && in->op == OP_CP;
}

void barrier_objects_fence(warp *w)
{
    struct block_order *o = w->block->order;
    for (uint32_t i = 0; o && i < o->made_count; i++) {
        made_object *m = &o->made[i];
        if (m->thread / 32 == w->index && (w->mask >> m->thread % 32 & 1)) m->fenced = true;
    }
}

static void look_at(warp *w, const access *a, uint32_t lane, const struct block_order *of)
{
    for (uint32_t i = 0; i < of->made_count; i++) {
        const made_object *m = &of->made[i];
        if (m->at != a->address[lane]) continue;
        const bool ordered = race_ordered(w, lane, of->linear, m->time, m->thread / 32, m->thread % 32);
        if (ordered && (m->fenced || !copies(w, a))) return;
        const race_side side = {of->linear, m->thread, m->slot, ordered ? SIDE_UNFENCED : SIDE_PLAIN};
        race_say(w, a, lane, a->address[lane], &side, true, false, false);
        return;
    }
}

void barrier_objects_access(warp *w, const access *a)
{
    struct block_order *of = access_block(w, a)->order;
    if (a->size != 8 || !of) return;
    const bool made = a->kind == ACCESS_WRITE && makes(w, a);
    if (!made && (a->kind != ACCESS_ATOMIC || !of->made_count)) return;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)first_lane(m);
        if (!made) {
            look_at(w, a, lane, of);
            continue;
        }
        forget(of, a->address[lane]);
        if (of->made_count == MOST_OBJECTS) return; /* the others are not watched */
        of->made[of->made_count++] = (made_object){.at = (uint32_t)a->address[lane],
                                                   .time = of->time,
                                                   .slot = a->in->slot <= 0xffff ? (uint16_t)a->in->slot : 0,
                                                   .thread = (uint16_t)(w->index * 32 + lane)};
    }
}
