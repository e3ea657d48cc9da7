/* repeat.c: launches that a program makes again and again, as those that measure do.
 *
 * A kernel does to a certain state of memory, with certain arguments, what it did to it before: the
 * simulator gives the same for the same. Such a launch is not run any more. What it changed is
 * written again (changes.c), and its time is what it took.
 *
 * Where memory does change, the time of a launch is predicted from those of its shape: between the two
 * timed launches with the next fewer and the next more instructions. Rules:
 *
 * - When as many timed launches in a row as TIMED_... says took the predicted time, the next ones run
 *   without the clock.
 * - A launch with more or fewer instructions than any timed one has the next launch timed. Each that
 *   takes the predicted time doubles how far beyond the timed ones another may lie.
 * - Launches with the same blocks but other grids are a family. It predicts for grids of about as many
 *   blocks as were timed.
 * - Some launches never take the predicted time. When the clock has run ENOUGH of their instructions, or
 *   GUESSES_ENOUGH of the launches, they run without it too.
 * - Now and then a launch is timed all the same (repeat_timed). If it does not take the predicted time,
 *   those since the last timed one may have been off as far. The error is told along with the times
 *   (repeat_within).
 * - Kernels that read a clock are run and timed each time, and so are all while checks are on.
 *
 * Warps that wait for what other blocks write do more instructions under the clock than without it,
 * or fewer. A launch without it that seems to lie beyond, between two with it that do not, shows how
 * many.
 */
#include "core.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TABLE = 4096,     /* launches with their arguments; behind them as many shapes and families */
    TIMED_ALIKE = 2,  /* whose arguments differ only in which buffers they name */
    TIMED_OTHERS = 4, /* other arguments may mean other strides, hence other times */
    MISSES_MOST = 6,
    GUESSES_LEAST = 2, /* before what is known is taken as it is */
    GUESSES_ENOUGH = 100,
    SPELL_LEAST = 16, /* launches without the clock until the next one with it */
    SPELL_MOST = 256
};
static const double REACH_LEAST = 0.01, REACH_MOST = 0.64, SAME_TIME = 0.03, SAME_WORK = 0.01, FADES = 0.5,
                    ENOUGH = 2e7 /* instructions: some seconds */;
#define BYTES_A_SECOND 4e9 /* that sim_fingerprint reads, about */

static uint64_t stir(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

static bool same_shape(const launch_config *a, const launch_config *b)
{
    return a->f == b->f && !memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block) &&
           a->shared == b->shared && a->cooperative == b->cooperative &&
           !memcmp(a->cluster, b->cluster, sizeof a->cluster);
}

/* The launch with these arguments, or (params NULL) all of its shape. */
repeat *repeat_find(device *d, const launch_config *c, const void *params, size_t bytes)
{
    if (!d->repeats && !(d->repeats = calloc(2 * (size_t)TABLE, sizeof *d->repeats))) return NULL;
    uint64_t h = stir(UINT64_C(0xcbf29ce484222325), &c->f, sizeof c->f);
    h = stir(stir(stir(h, c->grid, sizeof c->grid), c->block, sizeof c->block), &c->shared, sizeof c->shared);
    if (params) h = stir(h, params, bytes);
    repeat *r = &d->repeats[h % TABLE + (params ? 0 : TABLE)];
    const bool same = r->used && same_shape(&r->config, c) && !r->params == !params && r->bytes == bytes &&
                      (!params || !memcmp(r->params, params, bytes));
    if (same) return r;
    free(r->params); /* the one before makes room: it was some other launch */
    if (r->changes) changes_settle(d);
    changes_free(r->changes);
    memory_copy_free(r->copy);
    *r = (repeat){.used = true, .asks = c->f->kernel[d->ordinal]->asks, .config = *c, .bytes = bytes};
    if (params) {
        r->params = malloc(bytes + 1);
        if (!r->params) {
            r->used = false;
            return NULL;
        }
        memcpy(r->params, params, bytes);
    }
    return r;
}

static void fingerprint(device *d, uint64_t out[2])
{
    if (d->printed_version != d->version || d->host_memory) {
        changes_settle(d);
        sim_fingerprint(d->s, d->fingerprint);
        d->printed_version = d->version;
    }
    memcpy(out, d->fingerprint, sizeof d->fingerprint);
}

/* Is a look at all memory much cheaper than the launch? */
static bool worth_looking(const device *d, const repeat *r)
{
    return !core_options.checks && !d->shared && !r->asks && r->misses < MISSES_MOST &&
           (double)sim_bytes_in_use(d->s) / BYTES_A_SECOND < 0.3 * r->real;
}

static bool same_state(const uint64_t a[2], const uint64_t b[2]) { return a[0] == b[0] && a[1] == b[1]; }

/* True: what the launch does is known, and done. It takes r->seconds. */
bool repeat_known(device *d, repeat *r)
{
    memory_copy_free(r->copy); /* of a launch that could not be run */
    r->copy = NULL;
    r->seen++;
    r->looks = r->seen > 1 && worth_looking(d, r);
    if (!r->looks) return false;
    fingerprint(d, r->before);
    if (!r->known || !same_state(r->before, r->state)) {
        /* The state comes a second time: a third is likely, as in a loop that sets its data back. */
        if (same_state(r->before, r->met)) r->copy = memory_copy_make(d);
        return false;
    }
    if (!r->changes) return true;
    d->version++;
    changes_repeat(d, r->changes);
    memcpy(d->fingerprint, r->after, sizeof r->after);
    d->printed_version = d->version;
    return true;
}

/* It ran, and took `real` seconds of this computer. */
void repeat_ran(device *d, repeat *r, const sim_result *result, double seconds, double real)
{
    struct memory_copy *old = r->copy;
    r->copy = NULL;
    d->version++;
    r->real = real;
    if (!r->looks) return;
    const bool quiet = result->code == SIM_OK && !result->print_count && !result->fault_count;
    if (quiet) fingerprint(d, r->after);
    const bool nothing = quiet && same_state(r->after, r->before);
    struct changes *changes = quiet && !nothing && old ? changes_since(d, old) : NULL;
    memory_copy_free(old);
    memcpy(r->met, r->before, sizeof r->met);
    if (!nothing && !changes) {
        r->misses++;
        return;
    }
    changes_free(r->changes);
    r->changes = changes;
    r->known = true;
    memcpy(r->state, r->before, sizeof r->state);
    r->seconds = seconds;
    r->result = *result;
    r->result.owner = NULL;
    r->result.lines = NULL;
    r->result.line_count = 0;
    r->misses = 0;
}

/* The arguments, but for which buffer an address names: where in a line of 128 bytes it lies stays. */
static uint64_t plain_arguments(const unsigned char *params, size_t bytes)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325), word;
    pthread_mutex_lock(&core_lock);
    for (size_t i = 0; i < bytes; i += sizeof word) {
        word = 0;
        memcpy(&word, params + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        if (region_find(word)) word %= 128;
        h = stir(h, &word, sizeof word);
    }
    pthread_mutex_unlock(&core_lock);
    return h;
}

void repeat_begins(repeat *shape, const unsigned char *params, size_t bytes)
{
    const uint64_t plain = plain_arguments(params, bytes);
    shape->alike = shape->plain == plain ? shape->alike + 1 : 1;
    shape->plain = plain;
}

/* All launches of the kernel with the same blocks, whatever their grid. */
repeat *repeat_family(device *d, const launch_config *c)
{
    launch_config any = *c;
    memset(any.grid, 0, sizeof any.grid); /* no launch has this grid */
    return repeat_find(d, &any, NULL, 0);
}

static bool has_enough(const repeat *shape)
{
    return (shape->spent > ENOUGH && shape->guesses >= GUESSES_LEAST) || shape->guesses >= GUESSES_ENOUGH;
}

static double reach_of(const repeat *shape) { return has_enough(shape) ? REACH_MOST : shape->reach; }

/* Have launches of this shape taken what was predicted so often that others need not be timed? */
static bool is_known(const repeat *shape)
{
    return shape->timed >= (shape->alike > TIMED_ALIKE ? TIMED_ALIKE : TIMED_OTHERS) || has_enough(shape);
}

bool repeat_steady(const repeat *shape)
{
    return shape && is_known(shape) && !shape->beyond && shape->untold < shape->spell && !core_options.checks &&
           !shape->asks;
}

static double blocks_of(const launch_config *c) { return (double)c->grid[0] * c->grid[1] * c->grid[2]; }

/* Does the family know the time of a launch whose own shape does not? */
bool repeat_stands_in(const repeat *family, const repeat *shape, const launch_config *c)
{
    if (!shape || shape->beyond || !repeat_steady(family)) return false;
    const double blocks = blocks_of(c), reach = reach_of(family);
    return blocks >= (1 - reach) * family->fewest && blocks <= (1 + reach) * family->most;
}

static bool near(double a, double b, double share) { return fabs(a - b) <= share * fabs(b); }

/* Of the timed ones, that which did the most instructions of those that did at most so many, or (up) the
 * fewest of those that did more. NULL: none. */
static const repeat_point *next_to(const repeat *shape, double work, bool up)
{
    const repeat_point *best = NULL;
    for (const repeat_point *p = shape->point; p < shape->point + shape->points; p++)
        if ((p->work > work) == up && (!best || (up ? p->work < best->work : p->work > best->work))) best = p;
    return best;
}

/* What a launch of so many instructions takes. Beyond those that were timed more of them take longer, at
 * most in proportion. */
static double predict(const repeat *shape, double work)
{
    const repeat_point *below = next_to(shape, work, false), *above = next_to(shape, work, true);
    if (below && above)
        return below->cycles + (above->cycles - below->cycles) * (work - below->work) / (above->work - below->work);
    const repeat_point *from = below ? below : above, *far = NULL;
    if (from->work <= 0) return from->cycles;
    for (const repeat_point *p = shape->point; p < shape->point + shape->points; p++)
        if (p != from && (!far || fabs(p->work - work) < fabs(far->work - work))) far = p;
    const double most = from->cycles / from->work,
                 each = far ? (from->cycles - far->cycles) / (from->work - far->work) : most;
    return from->cycles + fmin(fmax(each, 0), most) * (work - from->work);
}

/* How far what was predicted may be off. */
double repeat_within(const repeat *shape) { return fmax(shape->off, SAME_TIME); }

/* It takes the place of one that did as much, or of the one that was timed longest ago. */
static void keep_point(repeat *shape, repeat_point now)
{
    int i = 0;
    while (i < shape->points && !near(now.work, shape->point[i].work, SAME_WORK)) i++;
    if (i == shape->points && i < REPEAT_POINTS) shape->points++;
    else if (i == shape->points) i--;
    memmove(shape->point + 1, shape->point, (size_t)i * sizeof now);
    shape->point[0] = now;
}

/* Returns how many cycles more (less than 0: fewer) those since the last timed one take, if they are as far off as
 * this one, where that is farther than was told. */
double repeat_timed(repeat *shape, const launch_config *c, const sim_result *r)
{
    const repeat_point now = {(double)r->cycles, (double)r->total.warp_instructions}, *last = &shape->point[0];
    const double blocks = blocks_of(c), guess = shape->timed ? predict(shape, now.work) : 0;
    const bool predicted = shape->timed && near(now.cycles, guess, SAME_TIME);
    double more = 0;
    shape->spent += now.work;
    if (shape->timed) {
        const double off = guess > 0 ? fabs(now.cycles / guess - 1) : 1;
        more = fmax(off - repeat_within(shape), 0) * (now.cycles > guess ? shape->since : -shape->since);
        shape->off = shape->guesses++ ? fmax(off, FADES * shape->off) : off;
    }
    if (shape->untimed > 0) shape->waits = near(now.work, last->work, SAME_WORK) ? now.work / shape->untimed : 0;
    shape->untimed = 0;
    shape->spell = predicted && shape->untold ? 2 * shape->spell : predicted ? shape->spell : SPELL_LEAST;
    if (shape->spell > SPELL_MOST) shape->spell = SPELL_MOST;
    shape->untold = 0;
    shape->since = 0;
    shape->odd = !predicted && !shape->odd && is_known(shape);
    shape->beyond = shape->odd;
    const bool other = !near(now.work, last->work, SAME_WORK);
    keep_point(shape, now);
    if (shape->odd) return more; /* one alone proves nothing: the next decides */
    if (predicted) {
        if (other) shape->reach = fmin(2 * shape->reach, REACH_MOST);
        shape->timed++;
    } else {
        shape->timed = 1;
        shape->reach = REACH_LEAST;
        shape->waits = 0;
    }
    if (!shape->most || blocks < shape->fewest) shape->fewest = blocks;
    if (blocks > shape->most) shape->most = blocks;
    shape->result = *r;
    shape->result.owner = NULL;
    return more;
}

/* The cycles of a launch that ran without the clock. */
double repeat_cycles(repeat *shape, const sim_result *r)
{
    const double did = (double)r->total.warp_instructions, work = shape->waits > 0 ? did * shape->waits : did,
                 reach = reach_of(shape);
    double least = shape->point[0].work, most = least;
    for (int i = 1; i < shape->points; i++) {
        least = fmin(least, shape->point[i].work);
        most = fmax(most, shape->point[i].work);
    }
    shape->beyond = work < (1 - reach) * least || work > (1 + reach) * most;
    shape->untimed = shape->beyond && shape->waits <= 0 ? did : 0;
    const double cycles = predict(shape, work);
    shape->untold++;
    shape->since += cycles;
    return cycles;
}
