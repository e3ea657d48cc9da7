/* tables_shown.c: the tables of faults, instruction classes and counters for the public header. */
#include "base.h"

static const char *const fault_names[SIM_FAULT_KINDS] = {
#define FAULT(id, name, advice) name,
#include "faults.def"
#undef FAULT
};

const char *sim_fault_name(enum sim_fault_kind kind)
{
    return (unsigned)kind < SIM_FAULT_KINDS ? fault_names[kind] : "unknown";
}

static const char *const class_names[SIM_CLASSES] = {
#define CLASS(id, name) name,
#include "classes.def"
#undef CLASS
};

const char *sim_class_name(enum sim_class c) { return (unsigned)c < SIM_CLASSES ? class_names[c] : "unknown"; }

#define IS_MAX(text) ((text)[0] == 'm' && (text)[1] == 'a' && (text)[2] == 'x' && (text)[3] == '_')
static const sim_counter_info counter_infos[] = {
#define COUNTER(id, name, unit, meaning) {#id, name, unit, meaning, offsetof(sim_counters, id), IS_MAX(#id)},
#include "counters.def"
#undef COUNTER
};

const sim_counter_info *sim_counter_infos(int *count)
{
    *count = (int)(sizeof counter_infos / sizeof *counter_infos);
    return counter_infos;
}

void sim_counters_add(sim_counters *to, const sim_counters *from)
{
    int count;
    const sim_counter_info *info = sim_counter_infos(&count);
    for (int i = 0; i < count; i++) {
        uint64_t a, b;
        memcpy(&a, (char *)to + info[i].offset, sizeof a);
        memcpy(&b, (const char *)from + info[i].offset, sizeof b);
        a = info[i].maximum ? (a > b ? a : b) : a + b;
        memcpy((char *)to + info[i].offset, &a, sizeof a);
    }
    for (int i = 0; i < SIM_CLASSES; i++) to->by_class[i] += from->by_class[i];
    for (int i = 0; i < SIM_STALLS; i++) to->by_stall[i] += from->by_stall[i];
}

static const sim_stall_info stall_infos[SIM_STALLS] = {
#define STALL(id, name, meaning) {#id, name, meaning},
#include "stalls.def"
#undef STALL
};

const sim_stall_info *sim_stall_info_of(enum sim_stall s) { return &stall_infos[(unsigned)s < SIM_STALLS ? s : 0]; }
