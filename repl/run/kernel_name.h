/* kernel_name.h: the names of kernels and variables as their author wrote them, and lookup by
 * these. */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include "device/device.h"

/* "saxpy", "tile<16>"; a symbol that cannot be decoded is returned unchanged. */
const char *kernel_title(const char *symbol, char *buffer, size_t size);
/* A message with every symbol in it replaced by its title. */
const char *kernel_readable(const char *message, char *buffer, size_t size);

/* The first kernel called `name` (symbol, title, or title without its <...>; NULL: any), and the
 * number of matches. */
const sim_kernel *kernel_called(const dev *d, const dev_module *m, const char *name, int *matches);
/* The only match. NULL when there is none or several: `why` then says so and lists them. */
const sim_kernel *kernel_only(const dev *d, const dev_module *m, const char *file, const char *name, char *why,
                              size_t size);
/* The symbol of the __device__ or __constant__ variable called `name`. False: there is none, and
 * `list` names those that exist. */
bool variable_called(const char *ptx, size_t bytes, const char *name, char *symbol, size_t size, char *list,
                     size_t list_size);

#endif
