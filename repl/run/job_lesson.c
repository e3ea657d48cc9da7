/* job_lesson.c: a step of a lesson as a job: its kernels, launched as the lesson says, or the part
 * of the CPU alone. */
#include "job_lesson.h"
#include "shell/language.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

/* ---- in the parent ---- */

bool lesson_serves(job_use use, const lesson_step *s, const char *name, job_refusal *no)
{
    (void)s;
    if (use != USE_EXEC) return true;
    snprintf(no->why, sizeof no->why, TR("%s is no program yet: `show host %s >FILE.cu` makes one of it"), name, name);
    no->next = "show host";
    return false;
}

bool lesson_is_built(const lesson *l, const lesson_step *s)
{
    (void)l, (void)s;
    return true;
}

int lesson_command(const lesson *l, const lesson_step *s, const char *name, const step_values *v, job_command *out,
                   char *why, size_t size)
{
    (void)l, (void)s, (void)v, (void)out;
    snprintf(why, size, "%s is no program", name);
    return EXIT_USAGE;
}

void lesson_title(const step_request *q, char *out, size_t size)
{
    if (q->l->number) snprintf(out, size, "%d.%s", q->l->number, q->s->name);
    else snprintf(out, size, "%.79s", q->s->name);
}

int lesson_no_file(const struct job *j)
{
    (void)j;
    return 0;
}

/* ---- in the child ---- */

int lesson_open(runner *k) { return runner_load(k, EXIT_INTERNAL); }

int lesson_run(runner *k)
{
    int status = k->job->kind->buffers(k);
    if (!status) {
        dev_empty_cache(k->dev);
        k->recording = runner_hot_too(k);
        status = runner_act(k);
        if (status == EXIT_CHECK) return report_cycles(k); /* a fault of the kernel is a result too */
    }
    if (!status && !k->filmed) status = runner_judge(k);
    if (!status && !k->filmed && runner_hot_too(k)) status = runner_hot(k);
    return status ? status : report_cycles(k);
}

int lesson_no_variable(runner *k, int buffer)
{
    return runner_problem(k, EXIT_INTERNAL, NULL, "buffer %s is no variable", k->s->buffer[buffer].name);
}

/* Restores the inputs that the first run changed. Inputs that it only read stay in the cache. */
int lesson_put_back(runner *k)
{
    for (int i = 0; i < k->s->buffer_count; i++) {
        const lesson_buffer *b = &k->s->buffer[i];
        sim_error err = {0};
        if (k->bytes[i] && (b->fill != FILL_NONE || b->rest_zero) && runner_restore(k, i, &err))
            return runner_problem(k, dev_status(&err, EXIT_INTERNAL), err.hint, "%s", err.message);
    }
    return 0;
}

void lesson_options(const runner *k, sim_launch *l) { (void)k, (void)l; }

int lesson_no_look(runner *k, const sim_result *r)
{
    (void)k, (void)r;
    return 0;
}

/* The kernel's output, line by line: a line may come from several calls of printf. */
void lesson_prints(runner *k, const sim_result *r)
{
    char line[160];
    size_t used = 0;
    for (int i = 0; i < r->print_count; i++)
        for (const char *p = r->prints[i].text; *p; p++) {
            bool end = *p == '\n';
            if (!end && used < sizeof line - 1) line[used++] = *p;
            if (!end && (p[1] || i + 1 < r->print_count)) continue;
            line[used] = 0;
            used = 0;
            if (k->r.prints < STEP_PRINTS) memcpy(k->r.print[k->r.prints++], line, sizeof line);
            else k->r.prints_left_out++;
        }
    k->r.prints_left_out += r->prints_left_out;
}

void lesson_lines(runner *k, const sim_result *r)
{
    for (int i = 0; i < r->line_count; i++) {
        const sim_line *l = &r->lines[i];
        size_t name = strlen(k->s->kernel_file), length = l->file ? strlen(l->file) : 0;
        if (length < name || strcmp(l->file + length - name, k->s->kernel_file) || l->line < 0 || l->line >= 10000)
            continue;
        if ((size_t)l->line >= k->line_most) {
            const size_t had = k->line_most;
            if (!list_room(&k->line, &k->line_most, (size_t)l->line + 1, sizeof *k->line)) return;
            memset(k->line + had, 0, (k->line_most - had) * sizeof *k->line);
        }
        k->line[l->line].line = l->line;
        sim_counters_add(&k->line[l->line].c, &l->c);
    }
}

int lesson_ended(runner *k, const sim_result *r, int code)
{
    (void)code;
    bool only_races = true; /* then the launch finished, and its output shows the damage */
    for (int i = 0; i < r->fault_count; i++)
        only_races = only_races && (r->faults[i].note || r->faults[i].kind == SIM_FAULT_RACE);
    if (r->code == SIM_E_FAULT && !only_races) return EXIT_CHECK;
    return r->code == SIM_E_STOPPED ? runner_problem(k, EXIT_TIME, NULL, "the launch was stopped") : 0;
}

const struct job_kind job_lesson = {.in_course = true,
                                    .beside_lesson = true,
                                    .compiled_alone = true,
                                    .counts_shared = true,
                                    .copies_inputs = true,
                                    .checks = SIM_CHECK_INIT | SIM_CHECK_BARRIER,
                                    .serves = lesson_serves,
                                    .is_built = lesson_is_built,
                                    .command = lesson_command,
                                    .recalled = true,
                                    .open = lesson_open,
                                    .run = lesson_run,
                                    JOB_BUFFERS_OF_LESSON,
                                    JOB_LAUNCH_OF_LESSON};
