/* step.c: runs a step in a child. step_child.c is what the child does; record.c reads its
 * answer. */
#include "step.h"
#include "shell/child.h"
#include "shell/format.h"
#include "shell/free_memory.h"
#include <stdlib.h>
#include <string.h>

#define SEALED_MEMORY ((size_t)4 << 30) /* in addition to what this process has */

static void begin(const step_request *q, bool kernels, step_result *r)
{
    memset(r, 0, sizeof *r);
    r->counted = true;
    snprintf(r->device, sizeof r->device, "%s", kernels ? q->device.label : "this CPU");
    r->simulated = kernels && q->device.kind == DEVICE_SIM;
    r->seed = q->seed;
    r->bytes = r->operations = -1;
}

/* Read the child's answer. A hot run differs from a cold one, so its rows and its journal entry say
 * "hot". */
static void read_answer(step_result *r, char *answer, size_t bytes)
{
    record_read(r, 1, answer, bytes);
    r->has_time = r->has_cycles;
    const size_t n = strlen(r->device);
    if (r->cache == CACHE_HOT) snprintf(r->device + n, sizeof r->device - n, ", hot");
}

/* Reuse the kept answer of an earlier run, which is the same as that of a new one. */
static bool recall(const step_request *q, step_result *r, bool *damaged)
{
    size_t bytes;
    char *kept = step_memo_read(q->memo, &bytes, damaged);
    if (!kept) return false;
    begin(q, true, r);
    read_answer(r, kept, bytes);
    free(kept);
    if (r->complete && r->status == EXIT_DONE) return true;
    step_result_free(r);
    return false;
}

/* The progress line: which step runs, and how long the run takes once the child has reported it. */
typedef struct progress_label {
    const step_request *q;
    char text[280];
    size_t heard; /* of the answer */
} progress_label;

/* The progress line shows figures of another step that must stay visible. */
static bool beside_others(const step_request *q) { return q->already && *q->already; }

const char *step_called(const step_request *q, char *out, size_t size)
{
    if (q->l->number) snprintf(out, size, "%d.%.80s", q->l->number, q->s->name);
    else snprintf(out, size, "%.20s.%.80s", q->l->name, q->s->name);
    return out;
}

static void name_step(progress_label *p)
{
    const step_request *q = p->q;
    const char *label = request_job(q)->kind->label;
    char called[120];
    if (!label) step_called(q, called, sizeof called);
    if (label) snprintf(p->text, sizeof p->text, "%s", label);
    else if (beside_others(q)) snprintf(p->text, sizeof p->text, "%s; now %s", q->already, called);
    else snprintf(p->text, sizeof p->text, "%s on %.60s", called, q->device.label);
}

static void hear_line(progress_label *p, const char *line)
{
    double cycles, seconds;
    char count[40], time[40], called[120];
    if (sscanf(line, "soon %lf %lf", &cycles, &seconds) != 2 || !(cycles >= 0 && cycles < 1e18) || !(seconds >= 0))
        return;
    snprintf(p->text, sizeof p->text, "%s: about %s, %s cycles; now its results",
             step_called(p->q, called, sizeof called), format_si(time, sizeof time, seconds, "s"),
             format_count(count, sizeof count, (uint64_t)cycles));
}

/* Handles complete lines; the last line may still be incomplete. */
static void hear(void *label, const char *answer, size_t bytes)
{
    progress_label *p = label;
    const char *end;
    while (p->heard < bytes && (end = memchr(answer + p->heard, '\n', bytes - p->heard))) {
        char line[80];
        const size_t long_as = (size_t)(end - (answer + p->heard));
        snprintf(line, sizeof line, "%.*s", (int)(long_as < sizeof line ? long_as : sizeof line), answer + p->heard);
        hear_line(p, line);
        p->heard = (size_t)(end - answer) + 1;
    }
}

int step_run(const step_request *q, step_result *r)
{
    bool kernels = step_launches(q->s);
    if (kernels && q->device.kind == DEVICE_GPU) return step_run_in_turns(q, 1, r);
    bool damaged = false;
    if (q->memo && q->recall && recall(q, r, &damaged)) return EXIT_DONE;
    begin(q, kernels, r);
    const bool beside = beside_others(q);
    progress_label label = {.q = q};
    name_step(&label);
    const struct job *j = request_job(q);
    struct child_limits limits = {.seconds = q->limit + j->kind->grace,
                                  .label = q->quiet ? NULL : label.text,
                                  .keeps = {j->kind->file(j), q->film ? q->film->file : 0},
                                  .max_answer = j->kind->answer_most,
                                  .at_once = beside,
                                  .hears = beside ? NULL : hear,
                                  .hears_arg = &label};
    if (q->sealed) {
        limits.memory_bytes = SEALED_MEMORY;
        limits.file_bytes = q->film ? q->film->most + (1 << 20) : 1 << 20; /* it writes no files */
        limits.seal = CHILD_ALONE;
    }
    struct child_result child;
    step_request copy = *q;
    if (q->sealed) copy.room = room_now() < SEALED_MEMORY ? room_now() : SEALED_MEMORY;
    int status = child_run(&limits, step_child, &copy, &child);
    char *answer = q->memo && child.answer ? malloc(child.bytes + 1) : NULL; /* a copy, as reading modifies it */
    if (answer) memcpy(answer, child.answer, child.bytes);
    read_answer(r, child.answer, child.bytes);
    if (child.end == CHILD_CRASHED || child.end == CHILD_FAILED || child.end == CHILD_FLOOD) {
        r->status = EXIT_INTERNAL;
        r->crashed = true;
        r->faults = 0; /* the parts that arrived may be incomplete */
        r->judged = false;
        snprintf(r->problem, sizeof r->problem, "%s", child.message);
    } else if (child.end != CHILD_DONE) {
        r->status = status;
        snprintf(r->problem, sizeof r->problem, "%s", child.message);
    } else if (child.status != EXIT_DONE) {
        r->status = child.status;
        if (!r->problem[0]) snprintf(r->problem, sizeof r->problem, "the run ended with status %d", child.status);
    } else if (!r->complete && !r->refused) {
        r->status = EXIT_INTERNAL;
        snprintf(r->problem, sizeof r->problem, "the run's answer is incomplete");
    }
    r->memo_damaged = damaged;
    if (r->status != EXIT_DONE) r->complete = false;
    else if (answer) step_memo_write(q->memo, answer, child.bytes);
    free(answer);
    child_free(&child);
    return r->status;
}

bool step_as_expected(const lesson_step *s, const step_result *r)
{
    if (r->status != EXIT_DONE) return false;
    /* a race; an uninitialised read; a launch that was refused; another fault */
    bool raced = false, unwritten = false, refused = false, faulted = false;
    for (int i = 0; i < r->faults; i++)
        if (!r->fault[i].note)
            *(r->fault[i].kind == SIM_FAULT_RACE             ? &raced
              : r->fault[i].kind == SIM_FAULT_UNINITIALISED  ? &unwritten
              : r->fault[i].kind == SIM_FAULT_LAUNCH_REFUSED ? &refused
                                                             : &faulted) = true;
    if (s->expect == EXPECT_FAULT) return faulted || refused || raced || unwritten || !r->simulated;
    if (faulted || (unwritten && s->expect != EXPECT_UNINITIALISED)) return false;
    switch (s->expect) {
    case EXPECT_WRONG: return !raced && r->judged && !r->verdict.correct;
    case EXPECT_RACE: return raced || !r->simulated; /* a real card does not report it */
    case EXPECT_UNINITIALISED: return unwritten || !r->simulated;
    default: return !raced && !refused && (!r->judged || r->verdict.correct);
    }
}
