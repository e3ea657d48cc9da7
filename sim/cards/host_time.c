/* host_time.c: the computer's side of a run, in seconds: allocation, copies over the bus, launches,
 * and the host's own clock.
 *
 * An old article's "total" is what its host's clock showed from before the first allocation until
 * the result was back, and that clock stepped in ticks.
 */
#include "base.h"

double sim_host_time_start(const sim_card *card) { return card->host.start_ms * 1e-3; }

double sim_host_time_alloc(const sim_card *card, uint64_t bytes)
{
    (void)bytes;
    return card->host.alloc_us * 1e-6;
}

double sim_host_time_copy(const sim_card *card, uint64_t bytes, bool page_locked)
{
    double rate = page_locked ? card->host.pinned : card->host.pageable;
    return card->host.copy_us * 1e-6 + (rate > 0 ? (double)bytes / (rate * 1e9) : 0);
}

double sim_host_time_launch(const sim_card *card) { return card->host.launch_us * 1e-6; }

double sim_host_time_kernel(const sim_card *card, double cycles, uint64_t launches)
{
    return cycles / (1000.0 * card->clock_khz) + (double)launches * card->host.kernel_us * 1e-6;
}
