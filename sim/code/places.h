/* places.h: where parameters, local and shared variables lie. */
#ifndef SIM_PLACES_H
#define SIM_PLACES_H

#include "build.h"

int build_locals(builder *b, ptx_func *f, code_func *cf); /* parameters, locals */
int build_shared(builder *b, code_func *cfs);
void build_stack(builder *b); /* what calls need of stack */

#endif
