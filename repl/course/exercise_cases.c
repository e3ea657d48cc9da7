/* exercise_cases.c: the inputs of an exercise's answers: its cases, and the inputs for its
 * goals. */
#include "exercise.h"

/* Every combination of sizes with the default fills, then all of them with each other fill. The
 * defaults come first. */
int exercise_cases(const exercise *x)
{
    int sizes = 1;
    for (int i = 0; i < x->sizes; i++) sizes *= x->size[i].count;
    return 1 + (x->sizes || x->fills ? sizes * (1 + x->fills) : 0);
}

void exercise_case_at(const exercise *x, int i, exercise_case *out)
{
    *out = (exercise_case){.fill = -1};
    if (i == 0) return;
    i--;
    for (int k = x->sizes; k-- > 0;) {
        out->value[k] = x->size[k].value[i % x->size[k].count];
        i /= x->size[k].count;
    }
    out->fill = i - 1;
}

bool exercise_case_values(const exercise *x, int i, step_values *out)
{
    exercise_case c;
    step_chosen chosen = {0};
    char why[200];
    exercise_case_at(x, i, &c);
    for (int n = 0; i && n < x->sizes; n++) {
        chosen.set[x->size[n].setting] = true;
        chosen.value[x->size[n].setting] = c.value[n];
    }
    return step_settings(x->l, x->s, &chosen, out, why, sizeof why);
}

/* ---- inputs for the goals ----
 * An answer that knows its input could reach a goal on that input alone. So the goals also apply to
 * inputs whose sizes nobody knows beforehand: those of `drawn:`, else each setting of `sizes:`, from
 * half its default to one and a half times it, within its range. */

static uint64_t draw(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static void draw_setting(step_chosen *chosen, int setting, int64_t least, int64_t most, uint64_t *state)
{
    uint64_t span = (uint64_t)most - (uint64_t)least + 1; /* 0: all 64-bit values */
    uint64_t more = draw(state);
    chosen->set[setting] = true;
    chosen->value[setting] = (int64_t)((uint64_t)least + (span ? more % span : more));
}

void exercise_input_values(const exercise *x, uint64_t seed, int i, step_values *out)
{
    enum { TRIES = 10000 }; /* many, as powers of two are rare */
    step_values usual;
    char why[200];
    uint64_t state = seed + (uint64_t)i;
    step_settings(x->l, x->s, NULL, &usual, why, sizeof why);
    *out = usual;
    for (int tries = 0; i && tries < TRIES; tries++) {
        step_chosen chosen = {0};
        for (int k = 0; k < x->drawns; k++)
            draw_setting(&chosen, x->drawn[k].setting, x->drawn[k].least, x->drawn[k].most, &state);
        for (int k = 0; k < x->sizes; k++) {
            int setting = x->size[k].setting;
            int64_t half = usual.value[setting] / 2, least = usual.value[setting] - half;
            int64_t most = usual.value[setting] + half;
            if (least < usual.least[setting]) least = usual.least[setting];
            if (most > usual.most[setting]) most = usual.most[setting];
            if (!chosen.set[setting]) draw_setting(&chosen, setting, least, most, &state);
        }
        if (step_settings(x->l, x->s, &chosen, out, why, sizeof why)) return;
    }
    *out = usual; /* nothing varies, or no draw is allowed: at least the buffers' contents differ */
}
