/* cuda_runtime_api.h: warpstep.h, always included, has its contents. */
