/* data.h: variables, registers and parameters, and initialisers. */
#ifndef SIM_DATA_H
#define SIM_DATA_H

#include "parse.h"

void parse_variables(parser *p, enum ptx_space space, bool is_extern);
void parse_registers(parser *p); /* after ".reg" */
ptx_var *parse_param(parser *p, int index);
void parse_attribute(parser *p);

#endif
