/* debug.h: source places (.file, .loc) and names of inlined functions. */
#ifndef SIM_DEBUG_H
#define SIM_DEBUG_H

#include "parse.h"

void debug_file(parser *p);
void debug_loc(parser *p);
void debug_section(parser *p);
void debug_finish(parser *p);

#endif
