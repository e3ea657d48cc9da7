/* nvToolsExt.h: NVTX as it was included until CUDA 12; nothing need be linked since version 3. */
#ifndef WARPSTEP_NVTOOLSEXT_H
#define WARPSTEP_NVTOOLSEXT_H
#include <nvtx3/nvToolsExt.h>
#endif
