/* exec_ladder.c: `ladder` of programs: their kernels in one table, as they ran in the programs. */
#include "exec_report.h"
#include "run/kernel_name.h"
#include "shell/format.h"

#include <inttypes.h>
#include <string.h>

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* One launch, on average over all of its kernel's. */
static void put_kernel(doc *d, const struct exec_rung *g, bool several, const struct program_kernel *k, double first)
{
    char kernel[400], time[40], cycles[40], rate[40], occupancy[20], wait[60], gain[40];
    const double calls = (double)k->calls, seconds = k->seconds / calls;
    const char *title = kernel_title(k->name, kernel, sizeof kernel);
    const struct program_use *use = exec_use(g->record, k);
    const char *waits = exec_first_wait(use);
    if (several) doc_cell(d, STYLE_PLAIN, "%.14s", file_of(g->program));
    doc_cell(d, STYLE_PLAIN, "%.*s", several ? 14 : 24, title);
    doc_row(d, format_si(time, sizeof time, seconds, "s"),
            k->timed ? format_count(cycles, sizeof cycles, (uint64_t)((double)k->cycles / calls)) : "-",
            seconds > 0 && k->timed ? format_si(rate, sizeof rate, k->dram_bytes / k->seconds, "B/s") : "-");
    snprintf(occupancy, sizeof occupancy, "%.0f %%", 100 * k->occupancy);
    snprintf(gain, sizeof gain, seconds > 0 ? "%.3gx" : "-", first / seconds);
    doc_row(d, k->timed ? occupancy : "-", waits ? exec_short_wait(waits, wait, sizeof wait) : "-", gain);
    doc_data(d, "ladder",
             "program %s, kernel %s, device %s, calls %" PRIu64 ", ms %g, cycles %g, gbps %g, occupancy %g, waits_for "
             "%s, speedup %g",
             g->program, title, g->device, k->calls, seconds * 1e3, (double)k->cycles / calls,
             k->seconds > 0 ? k->dram_bytes / k->seconds / 1e9 : 0.0, k->occupancy, waits,
             seconds > 0 ? first / seconds : 0.0);
}

int exec_ladder(struct app *app, const struct exec_rung *rungs, int count)
{
    double first = 0;
    int rows = 0;
    doc d = doc_open(app);
    if (count == 1) doc_head(&d, rungs[0].device, "Kernels of %s", file_of(rungs[0].program));
    else doc_head(&d, rungs[0].device, "Kernels of %d programs", count);
    doc_gap(&d);
    doc_table(&d, count > 1 ? "llrrrrlr" : "lrrrrlr");
    if (count > 1) doc_cell(&d, STYLE_PLAIN, "program");
    doc_row(&d, "kernel", "time", "cycles", "DRAM", "occ.", "waits for", "speedup");
    doc_rule(&d);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < rungs[i].record->kernel_count; k++) {
            const struct program_kernel *kernel = &rungs[i].record->kernels[k];
            if (!rows++) first = kernel->seconds / (double)kernel->calls;
            put_kernel(&d, &rungs[i], count > 1, kernel, first);
        }
    doc_table_end(&d, 2);
    if (!rows) return app_fail(app, EXIT_USAGE, "help exec", "no kernel was launched");
    doc_gap(&d);
    doc_say(&d, 2, "Each launch on average, as the program made it; speedup: to the first row.");
    return EXIT_DONE;
}
