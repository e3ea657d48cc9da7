/* metric_names.c: names of metrics and facts, for lessons to use; see metric_names.h. */
#include "metric_names.h"

#include <string.h>

static int find(const char *const *names, const char *name, size_t length)
{
    for (int i = 0; names[i]; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], name, length)) return i;
    return -1;
}

int metric_named(const char *name, size_t length)
{
    static const char *const names[] = {
#define METRIC(id, name, unit, about, better, get) #id,
#include "metrics.def"
#define COUNTER(id, name, unit, meaning) #id,
#include "counters.def"
#undef COUNTER
        NULL,
    };
    return find(names, name, length);
}

int fact_named(const char *name, size_t length)
{
    static const char *const names[] = {"simulated", "compute", "banks", NULL};
    return find(names, name, length);
}
