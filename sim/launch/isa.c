/* isa.c: which build of the operations this processor can run. */
#include "isa.h"
#include "sim.h"

#include <stdlib.h>

#define SELECTORS(isa)                      \
    extern const exec_table sim_exec_##isa; \
    time_run_fn time_run_##isa;
#ifdef HAVE_ISA_base
SELECTORS(base)
#endif
#ifdef HAVE_ISA_avx2
SELECTORS(avx2)
#endif
#ifdef HAVE_ISA_avx512
SELECTORS(avx512)
#endif

#if defined(HAVE_ISA_base) || defined(HAVE_ISA_avx2) || defined(HAVE_ISA_avx512)
static bool is_wanted(const char *wanted, const exec_table *t)
{
    return !wanted || !*wanted || !strcmp(wanted, t->name);
}
#endif

time_run_fn *time_run_by(const exec_table *t)
{
#ifdef HAVE_ISA_avx512
    if (t == &sim_exec_avx512) return time_run_avx512;
#endif
#ifdef HAVE_ISA_avx2
    if (t == &sim_exec_avx2) return time_run_avx2;
#endif
#ifdef HAVE_ISA_base
    if (t == &sim_exec_base) return time_run_base;
#endif
    return NULL;
}

const exec_table *exec_best(const char *wanted)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
#ifdef HAVE_ISA_avx512
    if (is_wanted(wanted, &sim_exec_avx512) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
        return &sim_exec_avx512;
#endif
#ifdef HAVE_ISA_avx2
    if (is_wanted(wanted, &sim_exec_avx2) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return &sim_exec_avx2;
#endif
#endif
#ifdef HAVE_ISA_base
    if (is_wanted(wanted, &sim_exec_base)) return &sim_exec_base;
#endif
    return NULL;
}

const char *sim_instruction_sets(void)
{
    return ""
#ifdef HAVE_ISA_base
           "base"
#endif
#ifdef HAVE_ISA_avx2
           " avx2"
#endif
#ifdef HAVE_ISA_avx512
           " avx512"
#endif
        ;
}

const char *sim_instruction_set(void)
{
    const exec_table *t = exec_best(getenv("WARPSTEP_ISA"));
    return t ? t->name : NULL;
}
