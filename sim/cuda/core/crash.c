/* crash.c: why the host's code crashed, told before it ends. The commonest reason is a pointer to the card's
 * memory that the host follows. */
#include "core.h"
#include <signal.h>

static void tell(int number, siginfo_t *info, void *context)
{
    const unsigned long long at = (unsigned long long)(uintptr_t)info->si_addr;
    (void)context;
    signal(number, SIG_DFL);
    if (info->si_code <= 0) { /* somebody sent it */
        raise(number);
        return;
    }
    bool of_card = false;
    if (!pthread_mutex_trylock(&core_lock)) { /* else the crash is within a call of CUDA */
        const region *r = region_find(at);
        of_card = r && (r->kind == R_DEVICE || r->kind == R_ARRAY);
        pthread_mutex_unlock(&core_lock);
    }
    if (of_card)
        record_note(
            "the host's code crashed: it followed a pointer to the card's memory, 0x%llx. Copy with cudaMemcpy, "
            "or allocate with cudaMallocManaged",
            at);
    else record_note("the host's code crashed: there is no memory at 0x%llx that it may use so", at);
    /* it returns to the instruction, which now ends the process as it would have */
}

void crash_watch(void)
{
    struct sigaction now, ours = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGSEGV, NULL, &now) || now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL) return;
    sigaction(SIGSEGV, &ours, NULL);
}
