/* driver_types.h: warpstep.h, always included, has its contents. */
