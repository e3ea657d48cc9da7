/* device_sim.c: the functions of device.h, which call the implementation, and then a simulated card
 * as a device. */
#include "device.h"
#include "card_changes.h"

#include <stdlib.h>
#include <string.h>

/* ---- the interface ---- */

int dev_open(dev **out, const struct device *d, const char *card_text, sim_error *err)
{
    *out = NULL;
    if (d->kind == DEVICE_SIM) return device_sim_open(out, d, card_text, err);
    return device_gpu_open(out, d, err);
}

void dev_close(dev *d)
{
    if (d) d->ops->close(d);
}

int dev_load(dev *d, const char *name, const char *ptx, size_t bytes, dev_module **out, sim_error *err)
{
    return d->ops->load(d, name, ptx, bytes, out, err);
}

int dev_kernels(const dev *d, const dev_module *m) { return d->ops->kernels(m); }
const sim_kernel *dev_kernel_at(const dev *d, const dev_module *m, int i) { return d->ops->kernel_at(m, i); }

const sim_kernel *dev_kernel_named(const dev *d, const dev_module *m, const char *name)
{
    for (int i = 0; i < d->ops->kernels(m); i++)
        if (!strcmp(d->ops->kernel_at(m, i)->name, name)) return d->ops->kernel_at(m, i);
    return NULL;
}

int dev_alloc(dev *d, uint64_t bytes, const char *name, uint64_t *address, sim_error *err)
{
    return d->ops->alloc(d, bytes, name, address, err);
}

int dev_free(dev *d, uint64_t address, sim_error *err) { return d->ops->free(d, address, err); }

int dev_write(dev *d, uint64_t address, const void *data, uint64_t bytes, sim_error *err)
{
    return d->ops->write(d, address, data, bytes, err);
}

int dev_read(dev *d, uint64_t address, void *data, uint64_t bytes, sim_error *err)
{
    return d->ops->read(d, address, data, bytes, err);
}

int dev_copy(dev *d, uint64_t to, uint64_t from, uint64_t bytes, sim_error *err)
{
    return d->ops->copy(d, to, from, bytes, err);
}

int dev_zero(dev *d, uint64_t address, uint64_t bytes, sim_error *err) { return d->ops->zero(d, address, bytes, err); }

bool dev_unknown(dev *d, uint64_t address, uint64_t bytes, const char *name, uint32_t unit, sim_fault *out)
{
    sim_unknown u;
    uint64_t from = 0;
    if (!d->ops->known) return false;
    while (from < bytes && !d->ops->known(d, address + from, bytes - from, &u)) {
        from += u.offset;
        if (u.stored) {
            char where[40] = "";
            memset(out, 0, sizeof *out);
            out->kind = SIM_FAULT_UNINITIALISED;
            out->at = u.from;
            out->space = "global";
            out->address = address + from;
            out->size = unit;
            out->count = 1;
            if (u.from.line > 0) snprintf(where, sizeof where, ", read at line %d", u.from.line);
            snprintf(out->message, sizeof out->message, "element %llu of %s is not known: it comes from %s%s",
                     (unsigned long long)(from / (unit ? unit : 1)), name,
                     u.what[0] ? u.what : "memory that was never written", where);
            snprintf(out->advice, sizeof out->advice, "%s", sim_fault_advice(SIM_FAULT_UNINITIALISED));
            return true;
        }
        from++;
    }
    return false;
}

bool dev_has_cache(const dev *d) { return d->ops->empty_cache && d->card.timing.l2_bytes > 0; }

void dev_empty_cache(dev *d)
{
    if (d->ops->empty_cache) d->ops->empty_cache(d);
}

int dev_symbol(dev *d, dev_module *m, const char *name, uint64_t *address, uint64_t *bytes, sim_error *err)
{
    return d->ops->symbol(d, m, name, address, bytes, err);
}

int dev_launch(dev *d, dev_module *m, const sim_launch *l, sim_result *r, sim_error *err)
{
    return d->ops->launch(d, m, l, r, err);
}

int dev_texture(dev *d, const sim_texture *t, uint64_t *handle, sim_error *err)
{
    if (d->ops->texture) return d->ops->texture(d, t, handle, err);
    snprintf(err->message, sizeof err->message, "textures cannot be made on this device yet");
    snprintf(err->hint, sizeof err->hint, "Run this step on a simulated card, as with --device sim:h200.");
    return err->code = SIM_E_REFUSED;
}

int dev_map(dev *d, const sim_tensor_map *m, unsigned char out[128], sim_error *err)
{
    return d->ops->map(d, m, out, err);
}

void dev_result_free(sim_result *r) { sim_result_free(r); }

int dev_time(dev *d, const dev_plan *plan, int plans, const dev_wish *wish, dev_timing *out, sim_error *err)
{
    return d->ops->time(d, plan, plans, wish, out, err);
}

int dev_reach_of(dev *d, dev_reach *out, sim_error *err) { return d->ops->reach(d, out, err); }

int dev_transfer(dev *d, uint64_t bytes, double seconds[2], sim_error *err)
{
    return d->ops->transfer(d, bytes, seconds, err);
}

void dev_occupancy(dev *d, dev_module *m, const sim_kernel *k, const sim_launch *l, sim_occupancy *out)
{
    if (d->ops->occupancy) d->ops->occupancy(d, m, k, l, out);
    else sim_occupancy_of(&d->card, k, l->grid, l->block, l->shared_bytes, out);
}

sim *dev_simulator(dev *d) { return d->ops->simulator ? d->ops->simulator(d) : NULL; }

bool dev_lost(const sim_error *err) { return err->code == SIM_E_FAULT || err->code == DEV_E_LOST; }

int dev_status(const sim_error *err, int fallback)
{
    switch (err->code) {
    case SIM_E_ARGUMENT:
    case SIM_E_LIMIT: return EXIT_USAGE;
    case DEV_E_ABSENT: return EXIT_DEVICE;
    case SIM_E_MEMORY: /* this computer ran out of memory, which no kernel can help */
    case DEV_E_LOST: return EXIT_INTERNAL;
    default: return fallback;
    }
}

/* ---- a simulated card ---- */

typedef struct simulated {
    dev d;
    sim *sim;
} simulated;

static sim *sim_of(dev *d) { return ((simulated *)(void *)d)->sim; }
static sim_module *module_of(dev_module *m) { return (sim_module *)(void *)m; }
static const sim_module *module_in(const dev_module *m) { return (const sim_module *)(const void *)m; }

void dev_keep_names(dev *d)
{
    if (d->about.simulated) sim_keep_names(sim_of(d), true);
}

const sim_module *dev_sim_module(const dev *d, const dev_module *m) { return d->about.simulated ? module_in(m) : NULL; }

static void close_sim(dev *d)
{
    sim_close(sim_of(d));
    free(d);
}

static int load(dev *d, const char *name, const char *ptx, size_t bytes, dev_module **out, sim_error *err)
{
    sim_module *m = NULL;
    int code = sim_load(sim_of(d), name, ptx, bytes, &m, err);
    *out = (dev_module *)(void *)m;
    return code;
}

static int kernels(const dev_module *m) { return sim_kernels(module_in(m)); }
static const sim_kernel *kernel_at(const dev_module *m, int i) { return sim_kernel_at(module_in(m), i); }

static int allocate(dev *d, uint64_t bytes, const char *name, uint64_t *address, sim_error *err)
{
    return sim_alloc(sim_of(d), bytes, name, address, err);
}

static int give(dev *d, void *memory, uint64_t bytes, const char *name, sim_fill *again, void *arg, uint64_t *address,
                sim_error *err)
{
    return sim_give(sim_of(d), memory, bytes, name, again, arg, address, err);
}

static int give_back(dev *d, uint64_t address, sim_error *err) { return sim_free(sim_of(d), address, err); }

static int write_to(dev *d, uint64_t address, const void *data, uint64_t bytes, sim_error *err)
{
    return sim_write(sim_of(d), address, data, bytes, err);
}

static int read_from(dev *d, uint64_t address, void *data, uint64_t bytes, sim_error *err)
{
    return sim_read(sim_of(d), address, data, bytes, err);
}

static int zero(dev *d, uint64_t address, uint64_t bytes, sim_error *err)
{
    static const char zeros[1 << 16];
    int code = 0;
    for (uint64_t done = 0; done < bytes && !code; done += sizeof zeros)
        code =
            sim_write(sim_of(d), address + done, zeros, bytes - done < sizeof zeros ? bytes - done : sizeof zeros, err);
    return code;
}

static bool known(dev *d, uint64_t address, uint64_t bytes, sim_unknown *out)
{
    return sim_known(sim_of(d), address, bytes, out);
}

static void empty_cache(dev *d) { sim_empty_cache(sim_of(d)); }

static int symbol(dev *d, dev_module *m, const char *name, uint64_t *address, uint64_t *bytes, sim_error *err)
{
    (void)d;
    if (!sim_symbol(module_of(m), name, address, bytes)) return 0;
    snprintf(err->message, sizeof err->message, "the module has no variable %.200s", name);
    return err->code = SIM_E_ARGUMENT;
}

static int launch(dev *d, dev_module *m, const sim_launch *l, sim_result *r, sim_error *err)
{
    return sim_run(sim_of(d), module_of(m), l, r, err);
}

static int make_texture(dev *d, const sim_texture *t, uint64_t *handle, sim_error *err)
{
    return sim_texture_make(sim_of(d), t, handle, err);
}

static int make_map(dev *d, const sim_tensor_map *m, unsigned char out[128], sim_error *err)
{
    (void)d;
    return sim_tensor_map_encode(m, out, err);
}

int device_sim_open(dev **out, const struct device *d, const char *card_text, sim_error *err)
{
    static const dev_ops ops = {.close = close_sim,
                                .load = load,
                                .kernels = kernels,
                                .kernel_at = kernel_at,
                                .alloc = allocate,
                                .give = give,
                                .free = give_back,
                                .write = write_to,
                                .read = read_from,
                                .zero = zero,
                                .known = known,
                                .empty_cache = empty_cache,
                                .symbol = symbol,
                                .launch = launch,
                                .texture = make_texture,
                                .map = make_map,
                                .simulator = sim_of};
    simulated *s = calloc(1, sizeof *s);
    if (!s) return sim_no_memory(err);
    int code = sim_card_read(&s->d.card, card_text, d->card, err);
    if (!code) code = card_apply_changes(d, &s->d.card, err);
    if (!code) code = sim_open(&s->sim, &s->d.card, err);
    if (code) {
        free(s);
        return code;
    }
    s->d.ops = &ops;
    s->d.about.simulated = true;
    s->d.about.has_clock = s->d.card.timing.known;
    *out = &s->d;
    return 0;
}
