/* reduce.h: cooperative_groups::reduce comes with the groups. */
#include <cooperative_groups.h>
