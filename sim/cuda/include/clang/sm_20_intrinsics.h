/* sm_20_intrinsics.h: warpstep.h, always included, has its contents. */
