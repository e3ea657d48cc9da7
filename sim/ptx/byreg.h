/* byreg.h: parameters in registers. */
#ifndef SIM_BYREG_H
#define SIM_BYREG_H

#include "parse.h"

void byreg_begin(parser *p);                        /* a body begins */
void byreg_return(parser *p, const ptx_insn *like); /* before a ret, or at the end: NULL */
void byreg_before_call(parser *p, const ptx_insn *call);
void byreg_after_call(parser *p, const ptx_insn *call);

#endif
