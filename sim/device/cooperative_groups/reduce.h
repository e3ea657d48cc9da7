/* reduce.h: cooperative_groups::reduce is in cooperative_groups.h. */
#include <cooperative_groups.h>
