/* registers.h: how many registers machine code needs. */
#ifndef SIM_REGISTERS_H
#define SIM_REGISTERS_H

#include "liveness.h"

int *build_words(builder *b, bool addresses_32); /* by register */
/* fills cf->registers, registers_32 */
void build_registers(builder *b, const live_interval *v, uint32_t count);

#endif
