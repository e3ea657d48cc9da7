/* driver.h: what the files of the driver's face share. */
#ifndef CUDA_DRIVER_FACE_H
#define CUDA_DRIVER_FACE_H

#include "cuda/abi.h"
#include "cuda/core/core.h"
#include <stdlib.h>
#include <string.h>

#define API PUBLIC int
enum { DRIVER_VERSION = 13000 };

/* Locks; *d: the device of the thread's context. Not E_OK: nothing can be done, but leave() all the
 * same. */
int drv_enter(device **d);
int drv_enter_stream(device **d, void *handle, stream **st);
int drv_leave(int code, double cost);
bool drv_initialised(void);

#endif
