/* vector_functions.h: warpstep.h, always included, has its contents. */
