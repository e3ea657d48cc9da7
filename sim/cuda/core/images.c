/* images.c: what a program brings along: images of code, their functions and variables. An image is
 * looked at, and loaded on a device, when something of it is first used there. */
#include "core.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

image *image_new(const void *data, size_t most)
{
    image *i = calloc(1, sizeof *i);
    if (i) i->data = data, i->bytes = most;
    return i;
}

/* The number behind a directive, "8.3" as 83; 0: it is not there. */
static int directive(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    if (!at) return 0;
    at += strcspn(at, "0123456789");
    const int major = atoi(at);
    const char *point = at + strspn(at, "0123456789");
    return *point == '.' ? major * 10 + atoi(point + 1) : major;
}

/* Links functions of ours to the image. */
static int add_text(image *i, const char *ours, size_t *bytes)
{
    char *const both[] = {i->text, (char *)(uintptr_t)ours};
    char *alone = i->text;
    const int code = ptx_link(both, 2, &i->text, bytes);
    free(alone);
    if (code) i->text = NULL;
    return code;
}

/* A driver takes no PTX of a CUDA after its own, and none for a card that it does not know.
 * Ours takes all of CUDA 13's. */
static int to_come(image *i)
{
    enum { PTX_MAJOR = 9, ARCH_MAJOR = 12 };
    int code = E_OK;
    if (i->ptx_version / 10 > PTX_MAJOR) code = E_UnsupportedPtxVersion;
    else if (i->target / 10 > ARCH_MAJOR) code = E_InvalidPtx;
    if (code)
        snprintf(i->why, sizeof i->why, "its PTX (%d.%d, for compute capability %d.%d) needs a CUDA after 13",
                 i->ptx_version / 10, i->ptx_version % 10, i->target / 10, i->target % 10);
    return code;
}

static int look(image *i, device *d)
{
    if (i->looked) return i->looked - 1;
    const sim_card *c = sim_card_of(d->s);
    size_t bytes = 0;
    const int arch = c->cc_major * 10 + c->cc_minor;
    int code = fatbin_text(i->data, i->bytes, arch, &i->text, &bytes, i->why, sizeof i->why);
    if (code == E_NoKernelImageForDevice && !i->bytes &&
        !fatbin_linked(i->data, arch, &i->text, &bytes, i->why, sizeof i->why))
        code = E_OK;
    if (!code && device_launch_wanted(i->text) && !strstr(i->text, "__warpstep_launches"))
        code = add_text(i, device_launch_ptx, &bytes);
    if (!code && grid_sync_wanted(i->text) && !strstr(i->text, "__warpstep_grid"))
        code = add_text(i, grid_sync_ptx, &bytes);
    i->bytes = bytes;
    if (!code) {
        i->ptx_version = directive(i->text, ".version");
        i->target = directive(i->text, ".target");
        code = to_come(i);
    }
    if (!code) {
        if (i->target > arch && !i->ours)
            record_note("compiled for compute capability %d.%d; this card has %d.%d", i->target / 10, i->target % 10,
                        c->cc_major, c->cc_minor);
    } else {
        if (!*i->why) snprintf(i->why, sizeof i->why, "%s", "what the compiler put into it is damaged");
        record_refused("the program's kernels cannot be run: %s", i->why);
    }
    i->looked = code + 1;
    return code;
}

int image_load(image *i, device *d)
{
    if (i->freed) return E_InvalidResourceHandle;
    int code = look(i, d);
    if (code) return code;
    int *loaded = &i->loaded[d->ordinal];
    if (*loaded) return *loaded - 1;
    sim_place_of *places = calloc((size_t)i->variable_count + 1, sizeof *places);
    if (!places) return E_MemoryAllocation;
    int count = 0;
    sim_error err = {0};
    device_hold(d);
    for (int k = 0; k < i->variable_count; k++) {
        const variable *v = i->variables[k];
        if (!v->managed) continue;
        sim_free(d->s, v->managed, NULL); /* it becomes the module's */
        places[count++] = (sim_place_of){v->name, v->managed, v->bytes, (void *)(uintptr_t)v->managed};
    }
    const bool awaits = d->awaits;
    d->busy = true; /* a large text takes a while: others may ask for work meanwhile, not use the device */
    d->awaits = false;
    d->holders++;
    pthread_mutex_unlock(&core_lock);
    int failed = sim_load_at(d->s, "program.ptx", i->text, i->bytes, places, count, &i->module[d->ordinal], &err);
    pthread_mutex_lock(&core_lock);
    d->busy = d->awaits = awaits;
    d->holders--;
    d->version++;
    pthread_cond_broadcast(&d->wake);
    pthread_cond_broadcast(&core_done);
    free(places);
    if (!failed && device_launch_prepare(d, i->module[d->ordinal])) failed = SIM_E_MEMORY;
    if (failed) {
        if (err.line) snprintf(i->why, sizeof i->why, "line %d of its PTX: %.300s", err.line, err.message);
        else snprintf(i->why, sizeof i->why, "%.300s", err.message);
        record_refused("the program's kernels cannot be run: %s", i->why);
    }
    code = !failed                   ? E_OK
           : failed == SIM_E_MEMORY  ? E_MemoryAllocation
           : failed == SIM_E_REFUSED ? E_UnsupportedPtxVersion
                                     : E_InvalidPtx;
    *loaded = code + 1;
    return code;
}

bool image_has_managed(const image *i)
{
    for (int k = 0; k < i->variable_count; k++)
        if (i->variables[k]->managed) return true;
    return false;
}

const char *image_complaint(image *i) { return i->why; }

void image_end(image *i)
{
    if (!i || i->freed) return;
    for (int k = 0; k < DEVICES_MOST; k++) {
        if (!i->module[k]) continue;
        device *d = core_device(k);
        wait_sequence(d, d->asked);
        device_hold(d);
        sim_unload(d->s, i->module[k]);
        i->module[k] = NULL;
    }
    for (int k = 0; k < i->variable_count; k++)
        if (!i->variables[k]->managed) i->variables[k]->image = NULL;
    for (function *f = i->functions; f; f = f->next) handle_end(H_FUNCTION, f->handle);
    free(i->text);
    i->text = NULL;
    i->freed = true; /* what stays is small: functions of it may be in somebody's hands */
}

function *image_function(image *i, const char *name)
{
    for (function *f = i->functions; f; f = f->next)
        if (!strcmp(f->name, name)) return f;
    function *f = calloc(1, sizeof *f);
    if (!f || !(f->name = strdup(name)) || !(f->handle = handle_new(H_FUNCTION, f))) {
        if (f) free(f->name);
        free(f);
        return NULL;
    }
    f->image = i;
    f->carveout = -1;
    f->next = i->functions;
    i->functions = f;
    return f;
}

int function_resolve(function *f, device *d, const sim_kernel **out)
{
    int code = image_load(f->image, d);
    if (code) return code;
    const sim_kernel **k = &f->kernel[d->ordinal];
    if (!*k) *k = sim_kernel_named(f->image->module[d->ordinal], f->name);
    *out = *k;
    return *k ? E_OK : E_InvalidDeviceFunction;
}

int image_symbol(image *i, device *d, const char *name, uint64_t *at, uint64_t *bytes)
{
    int code = image_load(i, d);
    if (code) return code;
    if (sim_symbol(i->module[d->ordinal], name, at, bytes)) return E_SymbolNotFound;
    if (!region_find(*at)) code = region_note(d, R_SYMBOL, *at, *bytes, 0);
    return code;
}

int image_add_managed(image *i, const char *name, uint64_t bytes, uint64_t *at)
{
    variable *v = calloc(1, sizeof *v);
    if (!list_grow(&i->variables, (size_t)i->variable_count, sizeof *i->variables) || !v || !(v->name = strdup(name))) {
        free(v);
        return E_MemoryAllocation;
    }
    device *d = core_device(0);
    int code = !d ? E_NoDevice : *at ? region_adopt(*at, bytes) : region_new(d, R_MANAGED, bytes, 1, name, at);
    v->managed = code ? 0 : *at;
    v->bytes = bytes;
    v->image = i;
    i->variables[i->variable_count++] = v;
    return code;
}
