/* step_hot.c: --hot on a simulated card. The step runs a second time on the same inputs, and finds
 * in the L2 what the first run left there. The answer has the time and counters of the second run,
 * and the faults, output and verdict of the first. A GPU is timed in the same way (gpu_time.c). */
#include "step_runner.h"
#include "list.h"

#include <string.h>

static int tell(runner *k, const sim_error *err)
{
    return runner_problem(k, dev_status(err, EXIT_INTERNAL), err->hint, "%s", err->message);
}

static int act_again(runner *k, const dev_act *act)
{
    sim_error err = {0};
    sim_result r = {0};
    if (!act->module) return dev_zero(k->dev, act->address, act->bytes, &err) ? tell(k, &err) : 0;
    sim_launch l = act->launch;
    l.checks = 0;
    l.soon = NULL;
    l.max_instructions = 0; /* the first run stayed within its budget */
    int code = dev_launch(k->dev, act->module, &l, &r, &err);
    if (!code) report_counts(k, &r);
    else if (code == SIM_E_FAULT || code == SIM_E_STOPPED)
        code = runner_problem(k, EXIT_INTERNAL, "Run it without --hot.",
                              "the kernel did not come to its end when it was run a second time, for --hot");
    else code = tell(k, &err);
    dev_result_free(&r);
    return code;
}

bool runner_hot_too(const runner *k) { return k->q->hot && k->timed && step_launches(k->s) && dev_has_cache(k->dev); }

int runner_hot(runner *k)
{
    if (!k->recording) return runner_problem(k, EXIT_INTERNAL, "Choose smaller settings.", NO_MEMORY);
    int status = k->job->kind->put_back(k);
    report_forget(k);
    for (int i = 0; i < k->acts && !status; i++) status = act_again(k, &k->act[i]);
    return status;
}
