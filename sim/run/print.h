#include "machine.h"
void print_log_free(worker *k);
void print_log_finish(launch *l, worker *k, int n);
