/* forms.h: forms of instructions, the values that they are given, and what real cards answered.
 *
 * A .txt file in this folder has one form per line, `text : types | options`. Text may hold {a,b}
 * alternatives, which are expanded. Text without a blank is an opcode: the operands %d, %a, %b, %c
 * are added, one per type (the first type is the result's). Each form becomes a kernel of a
 * generated module: thread i loads operand values number i, performs the instruction, and stores
 * the result. The values are all pairs of 64 special values of the type, then pseudo-random ones.
 *
 * `wgmma...` is a product of a warpgroup, see put_product; `tensor...` a copy by a tensor map, see
 * put_tensor. A text with blanks may use
 *     %i5, %i6   8 bytes of global and 16 (room=N: N) bytes of shared memory that belong to the thread
 *     %t0, %t1   the numbers of the thread and the block
 *     %i7, %t2   with cluster=N: the same shared memory of the cluster's next block, and its rank
 *     ${name}    a text that a line `name = text` of the file gave before
 *
 * Options: ulp=N (an approximation: results may differ from the card's by N units in the last
 * place; nothing is recorded), abs=E (or by E), range=R (for |a| <= R), sm=90 or sm=90a (needs that target),
 * safe (operand b of a division and the like: never 0), ptx=87 (needs that version), nan (any NaN
 * matches any other), mild (floats between 1/8 and 2, or -2 and -1/8, so that sums of many products
 * keep all digits), cluster=N (the grid is of clusters of N blocks), room=N. */
#ifndef FORMS_FORMS_H
#define FORMS_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDGES = 64, RANDOM = 4096, N = EDGES * EDGES + RANDOM, BLOCK = 256, MODULE = 96, MOST = 20000, LONGEST = 2000 };
enum { CARDS = 2, KEPT = BLOCK + N / 32 };
extern const char *const card_kinds[CARDS]; /* what a file of recorded results ends in */

typedef struct form {
    char text[LONGEST];
    char type[6][12];
    int types;
    double ulp, abs, range;      /* of an approximation; |a| > range: no promise */
    int sm, ptx;                 /* the target; the version of PTX, 83 by default */
    int cluster, room;           /* blocks of a cluster, 0: none; shared memory of a thread, in bytes */
    bool nan, safe, mild, alone; /* alone: the target is of one architecture alone, sm_90a */
    uint64_t hash[CARDS];        /* recorded */
    bool recorded[CARDS], fails; /* on a card: an error */
    bool bad, waits;             /* bad on any instruction set; waits for a card's results */
    char file[64];
} form;

extern form *forms;
extern int count;
extern uint64_t *inputs[3];

_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint64_t mix(uint64_t x);
int bits_of(const char *type);
bool is_float(const char *type);
double as_double(const char *type, uint64_t v);
const char *card_file(const char *file, const char *kind); /* name.txt: name.kind */
void read_forms(const char *file);
void fill(const form *f, int n); /* the first n inputs */
uint64_t canonical(const form *f, uint64_t v);
uint64_t hash(const form *f, const uint64_t *v);
/* The thread of kept result number k: one whole block, then one thread of each warp. */
static inline int kept(int k) { return k < BLOCK ? 3 * BLOCK + k : (k - BLOCK) * 32 + 5; }

/* What cuTensorMapEncodeTiled takes. `base`: the parameter of the kernel that points to the tensor. */
typedef struct tensor {
    uint32_t base, type, rank;
    uint64_t offset, dim[5], stride[4];
    uint32_t box[5], step[5], interleave, swizzle, promotion, fill;
} tensor;
bool has_tensor(const form *f);
void draw_tensor(const form *f, tensor *m); /* as the host encodes it */

/* ---- a card ---- */
const char *open_card(void); /* its kind: h100 */
void *load_card(const char *ptx);
void unload_card(void *module);
bool run_card(const form *f, void *module, const char *kernel, uint64_t *out);

#endif
