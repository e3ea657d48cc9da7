/* cuda_runtime.h: warpstep.h, always included, has its contents. */
