/* library_names.h: libraries of NVIDIA's that are machine code, by the beginnings of their files' names. */
#ifndef CUDA_LIBRARY_NAMES_H
#define CUDA_LIBRARY_NAMES_H

#include <stddef.h>
#include <string.h>

/* "cuFFT" of "libcufft.so.11"; NULL: it is none of them. */
static inline const char *library_called(const char *file)
{
    static const struct {
        const char *begins, *name;
    } all[] = {
#define LIBRARY(begins, name) {begins, name},
#include "libraries.def"
#undef LIBRARY
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strncmp(file, all[i].begins, strlen(all[i].begins))) return all[i].name;
    return NULL;
}

#endif
