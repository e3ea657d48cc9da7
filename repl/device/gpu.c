/* gpu.c: see gpu.h. The driver's functions are looked up by name. gpu_calls.def declares their
 * types, so building needs no CUDA header. Most machines have no driver: every failure is a
 * sentence, never a crash. */
#include "gpu.h"
#include "device.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- codes ---- */

#define UPDATE "Update the NVIDIA driver; until then every lesson runs on a simulated card."

static const gpu_meaning meanings[] = {
    {1, GPU_LOST, -1, NULL, ""},
    {2, GPU_MEMORY, -1, "the GPU has no memory left", "Choose smaller settings, or end other programs on this GPU."},
    {3, GPU_LOST, -1, "the driver was not initialised", ""},
    {34, GPU_ABSENT, -1, "the driver found is a stub without a GPU behind it", "Install the NVIDIA driver."},
    {35, GPU_ABSENT, -1, "the NVIDIA driver is too old", UPDATE},
    {36, GPU_ABSENT, -1, "the NVIDIA driver is too old", UPDATE},
    {46, GPU_ABSENT, -1, "the GPU is in use by another program that does not share it",
     "End that program; `nvidia-smi` lists it."},
    {100, GPU_ABSENT, -1, "the NVIDIA driver finds no GPU", ""},
    {101, GPU_ABSENT, -1, "there is no GPU of that number", "`devices` lists the GPUs."},
    {200, GPU_PTX, -1, "the driver cannot read the kernel", ""},
    {201, GPU_LOST, -1, "the GPU's context is gone", ""},
    {209, GPU_PTX, -1, "the kernel was compiled for another kind of GPU",
     "Compile it for this GPU, or leave --arch out."},
    {214, GPU_LOST, -1, "the GPU's memory reported an error that cannot be corrected",
     "Restart the computer; if it happens again the card is failing."},
    {218, GPU_PTX, -1, "the driver does not accept the PTX", ""},
    {221, GPU_PTX, -1, "the driver's own compiler was not found", "Reinstall the NVIDIA driver."},
    {222, GPU_PTX, -1, "the PTX is of a newer version than this driver knows",
     "Update the NVIDIA driver, or use an older compiler."},
    {223, GPU_PTX, -1, "compiling PTX is switched off on this computer (CUDA_DISABLE_PTX_JIT)", "Unset that variable."},
    {304, GPU_ABSENT, -1, "the operating system refused what the driver asked for",
     "Look whether this user may open /dev/nvidiactl."},
    {700, GPU_KERNEL, SIM_FAULT_OUT_OF_BOUNDS, "the kernel touched an address that is not its own", ""},
    {701, GPU_LIMIT, -1, "the launch needs more registers or other resources than a multiprocessor has",
     "Use fewer threads per block."},
    {702, GPU_KERNEL, SIM_FAULT_ENDLESS, "the system ended the kernel because it ran too long",
     "A GPU that also draws the screen has such a limit."},
    {710, GPU_KERNEL, SIM_FAULT_TRAP, "an assert in the kernel failed", ""},
    {714, GPU_KERNEL, SIM_FAULT_STACK_OVERFLOW, "a thread's stack ran over", ""},
    {715, GPU_KERNEL, SIM_FAULT_TRAP, "the kernel ran an illegal instruction, or stopped itself with __trap()", ""},
    {716, GPU_KERNEL, SIM_FAULT_MISALIGNED,
     "misaligned access: an address that is not a multiple of the access's size", ""},
    {717, GPU_KERNEL, SIM_FAULT_OUT_OF_BOUNDS, "the kernel used an address in a memory where it does not exist", ""},
    {718, GPU_KERNEL, SIM_FAULT_BAD_CALL, "the kernel jumped to where there is no code", ""},
    {719, GPU_KERNEL, SIM_FAULT_TRAP, "the kernel failed on the GPU, or stopped itself with __trap()", ""},
    {720, GPU_LIMIT, -1, "the blocks of a cooperative launch do not fit on the GPU at once", "Use fewer blocks."},
    {800, GPU_ABSENT, -1, "this user may not use the GPU", "Ask whoever runs this computer for the right to."},
    {801, GPU_LIMIT, -1, "this GPU cannot do that", ""},
    {802, GPU_ABSENT, -1, "the system is not ready to run CUDA", "Wait until its services have started."},
    {803, GPU_ABSENT, -1, "the driver's library and its kernel module are of different versions",
     "Restart the computer: a driver update is half done."},
    {804, GPU_ABSENT, -1, "the driver's library does not support this GPU with this kernel module", UPDATE},
    {999, GPU_LOST, -1, "the driver failed for a reason that it does not know",
     "If it happens again, restart the computer."},
};

const gpu_meaning *gpu_meaning_of(int code)
{
    static const gpu_meaning unknown = {0, GPU_LOST, -1, NULL, ""};
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].code == code) return &meanings[i];
    return &unknown;
}

static void in_words(const gpu_driver *d, int code, char *out, size_t size)
{
    const gpu_meaning *m = gpu_meaning_of(code);
    const char *text = m->message;
    if (!text && d && d->error_text && d->error_text(code, &text)) text = NULL;
    snprintf(out, size, "%s (CUDA error %d)", text ? text : "the driver failed", code);
}

int gpu_failed(const gpu_driver *d, int code, const char *what, sim_error *err)
{
    static const int codes[] = {[GPU_ABSENT] = DEV_E_ABSENT, [GPU_LIMIT] = SIM_E_LIMIT, [GPU_MEMORY] = SIM_E_LIMIT,
                                [GPU_KERNEL] = SIM_E_FAULT,  [GPU_PTX] = SIM_E_REFUSED, [GPU_LOST] = DEV_E_LOST};
    const gpu_meaning *m = gpu_meaning_of(code);
    char words[300];
    in_words(d, code, words, sizeof words);
    memset(err, 0, sizeof *err);
    snprintf(err->message, sizeof err->message, "%s: %s", what, words);
    snprintf(err->hint, sizeof err->hint, "%s", m->hint);
    return err->code = codes[m->blame];
}

/* ---- loading ---- */

/* ISO C cannot convert dlsym's void * to a function pointer; POSIX guarantees that copying the bits
 * works. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* The driver does not say why it finds no GPU. This looks for causes that a person can fix. */
static void why_none(int code, char *why, size_t size, char *hint, size_t hint_size)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible && (code == 100 || code == 0)) {
        snprintf(why, size, "CUDA_VISIBLE_DEVICES is \"%.60s\", which hides every GPU", visible);
        snprintf(hint, hint_size, "unset CUDA_VISIBLE_DEVICES");
    } else if (code == 100 && access("/dev/nvidiactl", F_OK) == 0 && access("/dev/nvidiactl", R_OK | W_OK) != 0) {
        snprintf(why, size, "this user may not open /dev/nvidiactl (%s)", strerror(errno));
        snprintf(hint, hint_size, "Ask whoever runs this computer for the right to use the GPU.");
    }
}

const gpu_driver *gpu_driver_open(char *why, size_t size, char *hint, size_t hint_size)
{
    static gpu_driver d;
    static bool ready;
    if (ready) return &d;
    const char *named = getenv("WARPSTEP_CUDA_DRIVER");
    const char *const libraries[] = {named && *named ? named : "libcuda.so.1", named && *named ? NULL : "libcuda.so"};
    const char *missing = NULL;
    *hint = 0;
    for (int i = 0; i < 2 && !d.opened && libraries[i]; i++) d.opened = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (!d.opened) {
        snprintf(why, size, "no NVIDIA driver is installed (%.200s was not found)", libraries[0]);
        return NULL;
    }
#define CALL(field, symbol, arguments) \
    if (!find(d.opened, symbol, &d.field) && !missing) missing = symbol;
#define OPTIONAL(field, symbol, arguments) find(d.opened, symbol, &d.field);
#include "gpu_calls.def"
#undef OPTIONAL
#undef CALL
    if (missing) {
        snprintf(why, size, "the NVIDIA driver is too old: it lacks %s", missing);
        snprintf(hint, hint_size, "%s", UPDATE);
        return NULL;
    }
    int code = d.init(0);
    d.version(&d.cuda_version);
    if (code) {
        in_words(&d, code, why, size);
        snprintf(hint, hint_size, "%s", gpu_meaning_of(code)->hint);
        why_none(code, why, size, hint, hint_size);
        return NULL;
    }
    ready = true;
    return &d;
}

int gpu_list(gpu_info *out, int room, int *driver_version, char *why, size_t why_size)
{
    char hint[200];
    *driver_version = 0;
    const gpu_driver *d = gpu_driver_open(why, why_size, hint, sizeof hint);
    if (!d) return 0;
    int count = 0, code = d->count(&count);
    *driver_version = d->cuda_version;
    if (code || count <= 0) {
        in_words(d, code ? code : 100, why, why_size);
        why_none(code, why, why_size, hint, sizeof hint);
        return 0;
    }
    for (int i = 0; i < count && i < room; i++) {
        gpu_info *g = &out[i];
        memset(g, 0, sizeof *g);
        int device = 0;
        size_t bytes = 0;
        if (d->get(&device, i) != 0) continue;
        d->name(g->name, (int)sizeof g->name, device);
        g->name[sizeof g->name - 1] = 0;
        d->attribute(&g->cc_major, GPU_MAJOR, device);
        d->attribute(&g->cc_minor, GPU_MINOR, device);
        d->attribute(&g->multiprocessors, GPU_MULTIPROCESSORS, device);
        d->attribute(&g->clock_khz, GPU_CLOCK, device);
        if (d->total_memory(&bytes, device) == 0) g->memory_bytes = bytes;
    }
    return count;
}
