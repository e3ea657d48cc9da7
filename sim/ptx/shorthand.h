/* shorthand.h: short forms turned into long ones. */
#ifndef SIM_SHORTHAND_H
#define SIM_SHORTHAND_H

#include "parse.h"

extern const uint8_t parse_types[T_COUNT];      /* each type, for an instruction of one */
void parse_push(parser *p, const ptx_insn *in); /* one more instruction of the body */
void parse_push_long(parser *p, ptx_insn *in);  /* the same, or the several that it stands for */
ptx_operand parse_register_operand(int reg);
ptx_operand parse_vector_operand(parser *p, int first, int count);
void parse_vector_name(parser *p, ptx_operand *o, int first, int count);
void parse_index(parser *p, ptx_operand *o);
void parse_register_plus(parser *p, ptx_operand *o);

#endif
