/* reasons.c: the words of verdicts' reasons. */
#include "reasons.h"
#include <string.h>

const char *reason_word(int reason)
{
    static const char *const words[] = {
#define REASON(id, word) word,
#include "reasons.def"
#undef REASON
    };
    return reason < REASON_FAULT ? words[reason] : sim_fault_name((enum sim_fault_kind)(reason - REASON_FAULT));
}

int reason_called(const char *word)
{
    for (int i = 0; i < REASON_COUNT; i++)
        if (!strcmp(reason_word(i), word)) return i;
    return REASON_NONE;
}
