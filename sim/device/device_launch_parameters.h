/* device_launch_parameters.h: warpstep.h, always included, has its contents. */
