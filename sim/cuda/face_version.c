/* face_version.c: which CUDA a face is of: compiled once for each (VERSION: 11, 12, 13). */
#include "cuda/runtime/runtime.h"

const int face_version = VERSION * 1000 + (VERSION == 11 ? 80 : VERSION == 12 ? 90 : 0);
int runtime_version = VERSION * 1000 + (VERSION == 11 ? 80 : VERSION == 12 ? 90 : 0);
