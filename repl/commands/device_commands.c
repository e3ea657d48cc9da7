/* device_commands.c: `device` and `devices`, which show and choose devices. */
#include "commands.h"

#include "device/devices.h"
#include "device/gpu.h"
#include "shell/format.h"
#include "shell/document.h"
#include "show_card.h"

#include <inttypes.h>
#include <string.h>

static void print_device(doc *d, const char *label, const char *name, bool simulated, const int cc[2],
                         int multiprocessors, int clock_khz, uint64_t memory_bytes)
{
    char memory[32];
    doc_data(d, "device",
             "device %s, name %s, simulated %i, cc_major %d, cc_minor %d, multiprocessors %d, clock_khz %d, "
             "memory_bytes %" PRIu64,
             label, name, simulated, cc[0], cc[1], multiprocessors, clock_khz, memory_bytes);
    doc_entry(d, utf8_width(label) > 11 ? utf8_width(label) + 2 : 13, label,
              "%s, compute %d.%d, %d multiprocessors, %d MHz, %s", name, cc[0], cc[1], multiprocessors,
              clock_khz / 1000, format_bytes(memory, sizeof memory, memory_bytes));
}

static void print_gpu(doc *d, int i)
{
    const gpu_info *g = device_gpu(i);
    char label[24];
    snprintf(label, sizeof label, "gpu:%d", i);
    if (g)
        print_device(d, label, g->name, false, (int[]){g->cc_major, g->cc_minor}, g->multiprocessors, g->clock_khz,
                     g->memory_bytes);
}

static int print_sim(doc *d, const struct device *device)
{
    sim_card c;
    int status = card_open(d->app, device, &c, NULL);
    if (!status)
        print_device(d, device->label, c.title, true, (int[]){c.cc_major, c.cc_minor}, c.multiprocessors, c.clock_khz,
                     c.memory_bytes);
    return status;
}

int devices_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "device", "devices takes nothing after it; device changes it");
    doc out = doc_open(app);
    const char *why;
    int count = device_gpus(app, &why);
    for (int i = 0; i < count; i++) print_gpu(&out, i);
    struct words cards = {0};
    device_names(&cards);
    for (int i = 0; i < cards.count; i++) {
        struct device d;
        memset(&d, 0, sizeof d);
        if (device_simulated(app, cards.v[i], &d) == 0) print_sim(&out, &d);
    }
    if (!count) doc_entry(&out, 13, "gpu", "none: %s", why);
    words_free(&cards);
    return app_interrupted ? EXIT_INTERRUPT : EXIT_DONE;
}

int device_run(struct app *app, int argc, char **argv)
{
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help device", "device takes one value");
    if (argc == 2) {
        int status = setting_set(app, "device", argv[1]);
        if (status) return status;
    }
    doc out = doc_open(app);
    struct device now[DEVICES_MAX];
    int count, status = device_resolve(app, app->lessons ? app->lessons->card(app) : NULL, now, &count);
    for (int i = 0; i < count && !status; i++) {
        if (now[i].kind == DEVICE_GPU) print_gpu(&out, now[i].index);
        else if ((status = print_sim(&out, &now[i])) == 0) card_show(&out, &now[i]);
    }
    return status;
}
