/* device_functions.h: what it offers is in warpstep.h, which is there already. */
