/* cuda_profiler_api.h: warpstep.h, always included, has its contents. */
