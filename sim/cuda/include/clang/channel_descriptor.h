/* channel_descriptor.h: warpstep.h, always included, has its contents. */
