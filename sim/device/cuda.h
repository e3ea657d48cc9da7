/* cuda.h: warpstep.h, always included, has its contents. */
