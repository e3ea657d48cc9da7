/* host_defines.h: warpstep.h, always included, has its contents. */
