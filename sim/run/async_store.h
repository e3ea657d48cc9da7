/* async_store.h: see async_store.c. */
#ifndef SIM_ASYNC_STORE_H
#define SIM_ASYNC_STORE_H

#include "run.h"

/* *to = op(*to, *data) */
typedef void store_combine(char *to, const char *data, uint32_t bytes);

/* data: 16 bytes per lane. False: a fault was raised. */
bool async_store(warp *w, const insn *in, const reach *to, const char *data, uint32_t bytes, const reach *object,
                 store_combine *combine);
/* A lane tests the object at that offset: makes the stores that report to it. */
bool stores_land(warp *w, const insn *in, int lane, uint32_t offset);
void stores_forget(block *b);
void stores_free(block *b);
/* Lanes reach barrier objects of their block and of others. */
bool mbarrier_watch(warp *w, const insn *in, const reach *object, enum access_kind kind, uint8_t order, bool arrives);

#endif
