/* exec.h: what the files of this room call of each other: the selectors, one for each group of ops.def.
 *
 * A selector reads one parsed instruction (form->in), consumes its types and suffixes, names the
 * function that performs it and lists its operands; see struct form in code/code.h. It returns
 * false, with form->why set, for a form that does not exist. Each is compiled once per instruction
 * set, under a name of its own.
 */
#ifndef SIM_EXEC_H
#define SIM_EXEC_H

#include "lanes.h"

bool SIM_NAME(select_move)(form *f);               /* move.c */
bool SIM_NAME(select_arith)(form *f);              /* arith.c: integers, and hands the float types to: */
bool SIM_NAME(select_arith_float)(form *f);        /* arith_float.c */
bool SIM_NAME(select_arith_half)(form *f);         /* half.c: f16, f16x2, bf16, bf16x2 */
bool SIM_NAME(select_intg)(form *f);               /* int.c: group INT */
bool SIM_NAME(select_video)(form *f);              /* video.c */
bool SIM_NAME(select_flt)(form *f);                /* float.c: group FLOAT */
bool SIM_NAME(select_compare)(form *f);            /* compare.c */
bool SIM_NAME(select_convert)(form *f);            /* convert.c */
bool SIM_NAME(select_memory)(form *f);             /* load_store.c: group MEMORY, and hands hints to: */
bool SIM_NAME(select_hint)(form *f);               /* hints.c */
bool SIM_NAME(select_async_store)(form *f);        /* store_async.c: st.async, red.async */
bool SIM_NAME(select_atomic)(form *f);             /* atomic.c */
bool SIM_NAME(select_sync)(form *f);               /* sync.c */
bool SIM_NAME(select_warp)(form *f);               /* lanes_together.c */
bool SIM_NAME(select_flow)(form *f);               /* control.c */
bool SIM_NAME(select_async)(form *f);              /* async_copy.c, and hands bulk copies to: */
bool SIM_NAME(select_bulk)(form *f, bool reduces); /* bulk_copy.c */
bool SIM_NAME(select_tensormap)(form *f);          /* likewise */
bool SIM_NAME(select_texture)(form *f);            /* texture.c */
bool SIM_NAME(select_tensor)(form *f);             /* tensor.c */
bool SIM_NAME(select_wgmma)(form *f);              /* wgmma.c: group PRODUCT */

op_fn *SIM_NAME(fused_op)(enum ptx_type t, uint32_t *mod, uint32_t kind);   /* arith_float.c */
op_fn *SIM_NAME(fused_half)(enum ptx_type t, uint32_t *mod, uint32_t kind); /* half.c */
op_fn *SIM_NAME(setp_with_branch)(op_fn *setp);                             /* compare.c */
op_fn SIM_NAME(view_first), SIM_NAME(view_next);                            /* tile_loads.c */
op_fn SIM_NAME(load_shared_word);                                           /* load_store.c: ld.shared of 4 bytes */
unsigned SIM_NAME(comparison)(op_fn *setp, uint32_t mod);                   /* compare.c */

#endif
