/* runtime.h: what the files of the runtime's face share: how a call begins and ends. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include "cuda/abi.h"
#include "cuda/core/core.h"
#include <stdlib.h>
#include <string.h>

#define API PUBLIC int

extern const int face_version; /* 13000: of the library */
extern int
    runtime_version; /* whose shapes the program uses: of a static runtime that this one stands in for, its own */

/* Locks; *d: the thread's device. Not E_OK: the call can do nothing, but leave() all the same. */
int enter(device **d);
/* Unlocks, and remembers what went wrong. */
int leave(int code, double cost);
int fail(int code);    /* the same for what needed no lock */
int as_told(int code); /* in the numbers of the program's CUDA */

/* The function behind the address that stands for it on the host; NULL: there is none. */
function *function_of(const void *host);
variable *variable_of(const void *host, int *code);
int symbol_at(const void *host, device *d, uint64_t *at, uint64_t *bytes);
array *array_of(const void *handle);
int last_error_peek(void);

/* calls whose shape changed, by version */
int copy_from_3d(const copy_3d *p, copy *out);
int node_launch(device *d, const kernel_node *p, op *o);

#endif
