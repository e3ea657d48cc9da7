/* sentence.c: what happens in a frame, and why it takes its time, in a sentence or two. */
#include "frame.h"
#include "shell/format.h"
#include "shell/language.h"
#include <string.h>

static void add(char *out, size_t size, const char *fmt, ...) APP_PRINTF(3, 4);
static void add(char *out, size_t size, const char *fmt, ...)
{
    const size_t used = strlen(out);
    va_list v;
    va_start(v, fmt);
    vsnprintf(out + used, size - used, TR(fmt), v);
    va_end(v);
}

static const char *lanes_text(int n, char *out, size_t size)
{
    if (n == 32) snprintf(out, size, "%s", TR("32 lanes"));
    else snprintf(out, size, TR("%d lane%s"), n, n == 1 ? "" : "s");
    return out;
}

static const char *verb(char kind, int lanes)
{
    return TR(kind == 'r'   ? lanes == 1 ? "reads" : "read"
              : kind == 'w' ? lanes == 1 ? "writes" : "write"
              : lanes == 1  ? "changes atomically"
                            : "change atomically");
}

static bool same_word(const step_access *a)
{
    int first = 0;
    while (first < 31 && !(a->mask >> first & 1)) first++;
    for (int l = first + 1; l < 32; l++)
        if ((a->mask >> l & 1) && a->address[l] != a->address[first]) return false;
    return true;
}

static void say_global(const frames *f, const step_access *a, const char *name, char *out, size_t size)
{
    const view_tally t = view_transactions(a, &f->card);
    const int lanes = view_lanes(a->mask);
    char who[32], moved[32], wanted[32];
    add(out, size, "%s %s %s of %s: %d transaction%s, %s moved. ", lanes_text(lanes, who, sizeof who),
        verb(a->kind, lanes), format_bytes(wanted, sizeof wanted, (uint64_t)lanes * a->size), name, t.transactions,
        t.transactions == 1 ? "" : "s", format_bytes(moved, sizeof moved, t.bytes));
    if (a->kind == 'a') {
        int worst = 0;
        for (int i = 0; i < 32; i++) {
            int same = 0;
            for (int k = 0; k < 32; k++) same += (a->mask >> i & a->mask >> k & 1) && a->address[i] == a->address[k];
            if (same > worst) worst = same;
        }
        if (worst > 1) add(out, size, "%d of them want the same word, which changes one after the other. ", worst);
    } else if (f->card.strict && t.transactions == lanes && lanes > 2) {
        add(out, size,
            "Lane k of a half-warp does not take word k of an aligned segment, so each lane is a transaction. ");
    } else if (lanes > 1 && same_word(a)) {
        add(out, size, "They all want the same word, and share its transaction. ");
    } else if (t.bytes <= 2 * (uint64_t)lanes * a->size) {
        add(out, size, "Neighbouring lanes take neighbouring words, so they share transactions. ");
    } else if (t.transactions > 1) {
        add(out, size, "The lanes lie apart, so most of what is moved is not wanted. ");
    }
}

static void say_shared(const frames *f, const step_access *a, const char *name, char *out, size_t size)
{
    int half;
    const int passes = view_passes(a, f->card.banks, &half), lanes = view_lanes(a->mask),
              least = f->card.banks == 16 ? 2 : (int)(a->size > 4 ? a->size / 4 : 1);
    char who[32];
    add(out, size, "%s %s %s: %d pass%s over the %d banks. ", lanes_text(lanes, who, sizeof who), verb(a->kind, lanes),
        name, passes, passes == 1 ? "" : "es", f->card.banks == 16 ? 16 : 32);
    if (a->kind == 'a') return;
    if (passes > least) add(out, size, "Lanes want different words of the same bank: a bank gives one at a time. ");
    else add(out, size, "No two lanes want different words of one bank. ");
}

static void say_branch(const frames *f, const frame *r, char *out, size_t size)
{
    const uint32_t next = frame_of_warp(f, r->i, 1);
    const int lanes = view_lanes(r->row->lanes);
    char who[32];
    lanes_text(lanes, who, sizeof who);
    if (next == UINT32_MAX) {
        add(out, size, "%s decide%s where to go on. ", who, lanes == 1 ? "s" : "");
        return;
    }
    const uint32_t on = frame_row(f, next)->lanes & r->row->lanes;
    const reel_insn *to = &f->reel->insn[frame_row(f, next)->pc];
    if (on && on != r->row->lanes)
        add(out, size, "The lanes part: %d %s on at line %d, the other %d %s. ", view_lanes(on),
            view_lanes(on) == 1 ? "goes" : "go", to->line, lanes - view_lanes(on),
            lanes - view_lanes(on) == 1 ? "waits" : "wait");
    else add(out, size, "%s go%s on together, at line %d. ", who, lanes == 1 ? "es" : "", to->line);
}

static void say_barrier(const frames *f, const frame *r, char *out, size_t size)
{
    uint32_t here = 0, live = 0;
    for (uint32_t w = 0; w < f->reel->warps; w++) {
        const uint32_t last = frame_last_of(f, r->i, w);
        const bool ended = last != UINT32_MAX && frame_next_of(f, r->i, w) == UINT32_MAX && frames_over(f) &&
                           f->reel->insn[frame_row(f, last)->pc].cls != SIM_CLASS_BARRIER;
        live += !ended;
        here += last != UINT32_MAX && f->reel->insn[frame_row(f, last)->pc].cls == SIM_CLASS_BARRIER;
    }
    if (here >= live) add(out, size, "The last of %u warps is at the barrier: all go on. ", live);
    else add(out, size, "%u of %u warps are at the barrier; this one waits for the others. ", here, live);
}

/* Instructions that begin something that goes on by itself, or deal with its end. The first that fits. */
static const char *background(const char *form)
{
    static const struct {
        const char *begins, *says;
    } told[] = {
        {"wgmma.mma_async", "A warpgroup, four warps, begins a product of matrices. It goes on by itself: until it has "
                            "been waited for, nobody may touch its sums. "},
        {"wgmma.fence", "The registers of the sums are ready for the products that follow. "},
        {"wgmma.commit_group", "The products so far are one group, which can be waited for. "},
        {"wgmma.wait_group", "It goes on when no more groups of products than this number are under way. "},
        {"cp.async.bulk.commit_group", "The copies so far are one group, which can be waited for. "},
        {"cp.async.bulk.wait_group", "It goes on when no more groups of copies than this number are under way. "},
        {"cp.async.bulk.prefetch", "The copy unit fetches into the L2; nobody waits for it. "},
        {"cp.async.bulk", "The copy unit takes it from here: the thread goes on at once. "},
        {"cp.reduce.async.bulk", "The copy unit adds to memory from here: the thread goes on at once. "},
        {"cp.async.commit_group", "This thread's copies so far are one group, which can be waited for. "},
        {"cp.async.wait", "It goes on when its copies are there but for this number of groups. "},
        {"cp.async.mbarrier", "The barrier will count this thread's copies when they are there. "},
        {"mbarrier.init", "A barrier in shared memory is set up: so many arrivals end its phase. "},
        {"mbarrier.inval", "The barrier's memory may be used for something else. "},
        {"mbarrier.arrive.expect_tx", "It arrives at the barrier, and says how many bytes will come as well. "},
        {"mbarrier.expect_tx", "It says how many bytes the barrier has to wait for. "},
        {"mbarrier.arrive", "It arrives at the barrier and goes on: nobody waits here. "},
        {"mbarrier.try_wait", "It asks whether the phase is over, and may wait for that a while. "},
        {"mbarrier.test_wait", "It asks whether the phase is over. "},
        {"setmaxnreg.inc", "The warpgroup takes registers that others have given back. "},
        {"setmaxnreg.dec", "The warpgroup gives registers back, for others to take. "},
    };
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!strncmp(form, told[i].begins, strlen(told[i].begins))) return told[i].says;
    return NULL;
}

static void say_work(const frames *f, const frame *r, char *out, size_t size)
{
    const int lanes = view_lanes(r->row->lanes);
    char who[32], what[NAME_MOST] = "";
    lanes_text(lanes, who, sizeof who);
    (void)f;
    if (r->write_count) snprintf(what, sizeof what, "%s", r->writes[0].name);
    const char *told = background(r->insn->form);
    if (told) add(out, size, "%s", TR(told));
    else switch (r->insn->cls) {
        case SIM_CLASS_CONSTANT:
            if (what[0]) add(out, size, "The kernel's argument %s is fetched; all lanes get the same. ", what);
            else add(out, size, "A constant is fetched; all lanes get the same. ");
            break;
        case SIM_CLASS_WARP: add(out, size, "%s exchange values within the warp. ", who); break;
        case SIM_CLASS_FENCE:
            add(out, size, "What was written before becomes visible to others before what follows. ");
            break;
        case SIM_CLASS_ASYNC: add(out, size, "A copy in the background: the warp goes on at once. "); break;
        case SIM_CLASS_TENSOR: add(out, size, "The whole warp multiplies small matrices together. "); break;
        default:
            if (!strncmp(r->insn->form, "exit", 4) || !strncmp(r->insn->form, "ret", 3))
                add(out, size, "%s end%s. ", who, lanes == 1 ? "s" : "");
            else if (what[0]) add(out, size, "%s compute%s %s. ", who, lanes == 1 ? "s" : "", what);
            else add(out, size, "%s compute%s, each with numbers of its own. ", who, lanes == 1 ? "s" : "");
        }
    if (lanes < 32 && lanes > 0 && r->insn->cls != SIM_CLASS_CONSTANT)
        add(out, size, "The other %d idle meanwhile. ", 32 - lanes);
}

static void say_wait(const frames *f, const frame *r, char *out, size_t size)
{
    if (!r->row->waited) return;
    const char *name = TR(sim_stall_info_of(r->row->cause)->name);
    add(out, size, "It waited %u clock%s: %s", r->row->waited, r->row->waited == 1 ? "" : "s", name);
    /* who made it wait: the last step of this warp that wrote what it reads */
    int looked = 0;
    for (uint32_t k = frame_of_warp(f, r->i, -1); k != UINT32_MAX && looked < 64;
         k = frame_of_warp(f, k, -1), looked++) {
        const reel_insn *in = &f->reel->insn[frame_row(f, k)->pc];
        for (uint32_t o = 0; o < in->operands; o++)
            for (int v = 0; v < r->read_count; v++) {
                const reel_operand *w = &f->reel->operand[in->operand + o];
                if (!w->written || !w->name[0] || strcmp(w->name, r->reads[v].operand->name)) continue;
                if (in->cls != SIM_CLASS_GLOBAL_LOAD && in->cls != SIM_CLASS_SHARED_LOAD &&
                    in->cls != SIM_CLASS_LOCAL && in->cls != SIM_CLASS_ATOMIC && in->cls != SIM_CLASS_TEXTURE)
                    continue;
                add(out, size, " (%s was asked for at line %d)", r->reads[v].name[0] ? r->reads[v].name : w->name,
                    in->line);
                looked = 64;
            }
    }
    add(out, size, ". ");
}

void frame_sentence(frames *f, const frame *r, char *out, size_t size)
{
    step_access a;
    char name[64];
    *out = 0;
    side_sentence(f, r, out, size);
    if (!*out && r->row->kind == SIM_MOMENT_FAULT) add(out, size, "Here the kernel fails. ");
    const char *told = background(r->insn->form);
    if (told && !strncmp(r->insn->form, "mbarrier.", 9)) { /* its word in memory is not the point */
        add(out, size, "%s", TR(told));
    } else if (frame_access(f, r->moment, &a, name, sizeof name)) {
        if (a.space == 'g') say_global(f, &a, name, out, size);
        else say_shared(f, &a, name, out, size);
    } else if (r->row->kind == SIM_MOMENT_FAULT) {
        /* it did not come to anything */
    } else if (r->insn->cls == SIM_CLASS_BRANCH) {
        say_branch(f, r, out, size);
    } else if (r->insn->cls == SIM_CLASS_BARRIER) {
        say_barrier(f, r, out, size);
    } else {
        say_work(f, r, out, size);
    }
    say_wait(f, r, out, size);
    for (size_t n = strlen(out); n && out[n - 1] == ' ';) out[--n] = 0;
}

enum frame_state frame_state_of(const frames *f, uint32_t i, uint32_t warp, char *what, size_t size)
{
    const uint64_t now = frame_row(f, i)->clock;
    const uint32_t last = frame_last_of(f, i, warp), next = frame_next_of(f, i, warp);
    *what = 0;
    if (frame_row(f, i)->warp == warp) {
        snprintf(what, size, "%s", TR("issues"));
        return STATE_ISSUES;
    }
    if (next == UINT32_MAX) {
        if (last != UINT32_MAX && f->reel->insn[frame_row(f, last)->pc].cls == SIM_CLASS_BARRIER) {
            snprintf(what, size, "%s", TR("at the barrier"));
            return STATE_BARRIER;
        }
        snprintf(what, size, "%s",
                 TR(f->reel->ended   ? "has ended"
                    : frames_over(f) ? "the film ends before its next instruction"
                                     : "not known yet"));
        return frames_over(f) ? STATE_ENDED : STATE_NONE;
    }
    const reel_row *n = frame_row(f, next), *before = last == UINT32_MAX ? NULL : frame_row(f, last);
    const uint64_t ready = n->clock - n->queued;
    if (before && before->held && now >= before->clock + before->slot &&
        now < before->clock + before->slot + before->held) {
        const unsigned left = (unsigned)(before->clock + before->slot + before->held - now);
        snprintf(what, size, TR(left == 1 ? "1 clock more: arithmetic latency" : "%u clocks more: arithmetic latency"),
                 left);
        return STATE_WAITS;
    }
    if (now >= ready) {
        snprintf(what, size, "%s", TR("ready, others go first"));
        return STATE_READY;
    }
    if (n->waited && now + n->waited >= ready) {
        char clocks[32];
        format_count(clocks, sizeof clocks, ready - now);
        snprintf(what, size, TR(ready - now == 1 ? "%s clock more: %s" : "%s clocks more: %s"), clocks,
                 TR(sim_stall_info_of(n->cause)->name));
        return n->cause == SIM_STALL_BARRIER ? STATE_BARRIER : STATE_WAITS;
    }
    snprintf(what, size, "%s", TR(last == UINT32_MAX ? "has not begun" : "issues"));
    return STATE_READY;
}
