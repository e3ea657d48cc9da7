/* film.h: what one multiprocessor did during a launch, recorded to be looked at.
 *
 * The child that runs the step writes a film while it runs (film_write.c): a header of lines, then
 * moments as sim.h has them, packed. The parent reads it meanwhile (reel.c); what it reads is not
 * trusted. The film is a file without a name that both hold.
 *
 *     warpstep film 1
 *     KEY<tab>VALUE...      what is filmed: see film_write.c
 *     <empty line>
 *     moments: each a count of bytes, then the packed moment
 */
#ifndef FILM_H
#define FILM_H

#include "sim.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked for. */
typedef struct film_request {
    int file;         /* open for writing, kept by the child; -1: no film */
    int launch;       /* of the step's launches, from 1 */
    uint32_t at[3];   /* the block */
    uint64_t most;    /* bytes; then the film ends */
    bool at_fault;    /* not `launch` and `at`, but where a check finds something; if nowhere, there */
    bool whole_block; /* ends with its block; else with the launch */
} film_request;

/* A file without a name, that nobody can shorten. -1: errno says why. */
int film_file(void);

/* ---- film_write.c, in the child ---- */
typedef struct film_writer film_writer;
struct film_buffer {
    const char *name, *type;
    uint64_t address, bytes;
};
/* Begins the film of a launch: sets l->film. NULL: out of memory, or the block is not in the grid. */
film_writer *film_begin(const film_request *q, const sim_card *card, const sim_module *m, sim_launch *l,
                        const struct film_buffer *buffers, int count);
void film_end(film_writer *w);

/* ---- packed moments, for both ---- */
enum { FILM_MOMENT_MOST = 1 << 20 };
/* What a moment holds beyond sim_moment's own numbers, unpacked. */
typedef struct film_moment {
    sim_moment m;
    sim_film_bytes value[16], changed[64];
    sim_film_access access[SIM_FILM_ACCESSES];
    char data[16 * 512 + 240 * 1024]; /* of the values, then of shared memory */
} film_moment;
size_t film_pack(const sim_moment *m, uint64_t *clock, unsigned char *out, size_t room); /* 0: no room */
/* False: these bytes are no moment. `lists`: what it wrote and accessed too. */
bool film_unpack(const unsigned char *at, size_t bytes, uint64_t *clock, film_moment *out, bool lists);

/* ---- reel.c, in the parent: a film that is being read ---- */
typedef struct reel_operand {
    uint32_t at, bytes;
    bool read, written;
    char type[8], name[28]; /* "" unknown */
} reel_operand;
typedef struct reel_insn {
    int line, ptx_line, file;
    enum sim_class cls;
    bool real;
    char form[48];
    uint32_t operand; /* the first of its operands in reel.operand */
    uint32_t operands;
} reel_insn;
typedef struct reel_area { /* a buffer, or a variable in shared memory */
    uint64_t from, to;
    char type[8], name[40];
} reel_area;
typedef struct reel_param {
    uint32_t offset, size;
    char name[40];
    uint64_t value;
} reel_param;

/* One moment, without what it wrote and accessed. */
typedef struct reel_row {
    uint64_t from; /* in the file */
    uint32_t bytes;
    uint64_t before; /* the clock that its own is counted from */
    uint64_t clock, block;
    uint32_t place, warp, pc, lanes, waited, queued, frame;
    uint16_t slot, held;
    uint8_t kind, cause;
    bool found; /* a check found something */
} reel_row;

typedef struct reel {
    /* the header */
    int multiprocessors, schedulers, clock_khz, resident;
    char kernel[256];
    uint32_t grid[3], block[3], at[3];
    uint32_t register_bytes, shared_bytes;
    uint64_t number; /* of the block */
    uint32_t warps;  /* of a block */
    reel_area *buffer, *shared;
    reel_param *param;
    char **file;
    reel_insn *insn;
    reel_operand *operand;
    uint32_t buffers, shareds, params, files, insns, operands;
    uint32_t multiprocessor; /* that the block began on, from 0 */
    bool begun;              /* the header is whole */
    /* what has been read so far */
    reel_row *row;
    uint32_t rows;
    uint32_t *step; /* rows: instructions of the block that the film is about */
    uint32_t steps;
    uint32_t *act, acts; /* the same with what is only bookkeeping of ours */
    uint32_t *step_act;  /* by step */
    struct reel_warp {
        uint32_t *step, steps; /* its steps, in order */
    } * warp;
    bool ended;        /* the end of that block has been read */
    char problem[160]; /* why nothing more can be read; "" */
    struct reel_own *own;
} reel;

reel *reel_open(int file); /* takes the descriptor; NULL: no memory */
bool reel_read(reel *r);   /* what has been added since; true: there was something */
void reel_close(reel *r);

/* The block before or after a step: registers of each warp, and shared memory. Valid until the next
 * call. NULL: no memory, or the film is damaged. */
typedef struct reel_state {
    uint32_t acts;
    char *registers; /* of warp w: from w * register_bytes on */
    char *shared;
    uint32_t *touched; /* by word of shared memory: the act that last accessed it, plus one; 0: none */
} reel_state;
const reel_state *reel_before(reel *r, uint32_t step);
const reel_state *reel_after(reel *r, uint32_t step);
/* All that step `i` did. False: as above. */
bool reel_moment(reel *r, uint32_t step, film_moment *out);
/* Of a register as `operand` names it: the value in a lane. */
uint64_t reel_value(const reel *r, const reel_state *s, uint32_t warp, uint32_t frame, const reel_operand *o, int lane);

#endif
