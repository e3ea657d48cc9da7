/* proxy.h: reads of shared memory by bulk copies and products, which go through another proxy. */
#ifndef SIM_PROXY_H
#define SIM_PROXY_H

#include "race.h"

bool proxy_new(struct block_order *o, uint32_t shared_bytes);
void proxy_free(struct block_order *o);
void proxy_begin(struct block_order *o); /* a block begins */
void proxy_event(struct block_order *o); /* something orders threads */
void proxy_access(warp *w, const access *a);

#endif
