/* device_launch_parameters.h: what it offers is in warpstep.h, which is there already. */
