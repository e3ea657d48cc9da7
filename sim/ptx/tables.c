/* tables.c: the words of PTX, from the .def files, and how an instruction is written in messages.
 */
#include "ptx.h"
#include <stdio.h>

const ptx_type_info ptx_types[T_COUNT] = {
    {"", 0, ' '},
#define TYPE(id, name, bits, kind) {name, bits, #kind[0]},
#include "types.def"
#undef TYPE
};

const char *const ptx_suffix_names[S_COUNT] = {
    "",
#define SUFFIX(id, text) text,
#include "suffixes.def"
#undef SUFFIX
};

const sim_op_info ptx_ops[OP_COUNT] = {
    {"", ""},
#define OP(id, name, group, touches, effect) {name, effect},
#include "ops.def"
#undef OP
};

bool ptx_op_unsupported(enum ptx_op op)
{
    static const char *const groups[OP_COUNT] = {
        "",
#define OP(id, name, group, touches, effect) #group,
#include "ops.def"
#undef OP
    };
    return !strcmp(groups[op], "NONE");
}

const ptx_sreg_info ptx_sregs[SR_COUNT] = {
    {"", T_NONE, false, true},
#define SREG(id, name, type, vector, fixed) {name, type, vector, fixed},
#include "sregs.def"
#undef SREG
};

const sim_op_info *sim_op_infos(int *count)
{
    *count = OP_COUNT - 1;
    return ptx_ops + 1;
}

/* The text as written, when the parser kept it; otherwise (hand-made instructions) suffixes first,
 * then types. */
const char *ptx_form(const ptx_insn *in, char *buffer, size_t size)
{
    if (!size) return "";
    if (in->form) {
        snprintf(buffer, size, "%s", in->form);
        return buffer;
    }
    size_t at = (size_t)snprintf(buffer, size, "%s", in->op < OP_COUNT ? ptx_ops[in->op].name : "?");
    for (int i = 0; i < in->suffix_count && at < size; i++)
        at += (size_t)snprintf(buffer + at, size - at, ".%s", ptx_suffix_names[in->suffix[i]]);
    for (int i = 0; i < in->type_count && at < size; i++)
        at += (size_t)snprintf(buffer + at, size - at, ".%s", ptx_types[in->type[i]].name);
    return buffer;
}

/* ---- spelling ---- */
/* Letters changed, omitted, inserted, or swapped with their neighbour. */
static int edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    size_t la = strlen(a), lb = strlen(b);
    if (la >= LONGEST || lb >= LONGEST) return LONGEST;
    int rows[3][LONGEST];
    for (size_t j = 0; j <= lb; j++) rows[0][j] = (int)j;
    for (size_t i = 1; i <= la; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= lb; j++) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && two_above[j - 2] + 1 < best) best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[la % 3][lb];
}

const char *ptx_nearest_op(const char *text)
{
    const char *best = NULL;
    int least = strlen(text) < 4 ? 2 : 3; /* from this distance on it is another word */
    for (int i = 1; i < OP_COUNT; i++) {
        int d = edit_distance(text, ptx_ops[i].name);
        if (d < least) {
            least = d;
            best = ptx_ops[i].name;
        }
    }
    return best;
}
