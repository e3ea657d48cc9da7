/* host.h: what the simulator asks of the machine it runs on. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

double host_seconds(void); /* of a clock that only goes forward */
int host_cores(void);

#endif
