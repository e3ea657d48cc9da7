/* cuda_runtime.h: what it offers is in warpstep.h, which is there already. */
