/* device_commands.c: `device` and `devices`. */
#include "commands.h"

#include "device/devices.h"
#include "device/gpu.h"
#include "shell/format.h"
#include "shell/json.h"
#include "show_card.h"

#include <string.h>

/* what is said of a device of either kind */
struct shown {
    const char *label, *name;
    bool simulated;
    int cc_major, cc_minor, multiprocessors, clock_khz;
    uint64_t memory_bytes;
};

static void print_device(struct app *app, const struct shown *d)
{
    if (app->json) {
        json j;
        json_begin(&j, app->out, "device");
        json_text(&j, "device", d->label);
        json_text(&j, "name", d->name);
        json_bool(&j, "simulated", d->simulated);
        json_int(&j, "cc_major", d->cc_major);
        json_int(&j, "cc_minor", d->cc_minor);
        json_int(&j, "multiprocessors", d->multiprocessors);
        json_int(&j, "clock_khz", d->clock_khz);
        json_uint(&j, "memory_bytes", d->memory_bytes);
        json_end(&j);
        return;
    }
    char memory[32];
    char text[400];
    snprintf(text, sizeof text, "%s, compute %d.%d, %d multiprocessors, %d MHz, %s", d->name, d->cc_major, d->cc_minor,
             d->multiprocessors, d->clock_khz / 1000, format_bytes(memory, sizeof memory, d->memory_bytes));
    fprintf(app->out, "%-11s  ", d->label);
    print_wrapped(app->out, text, 13, 13, app->width);
}

static void print_gpu(struct app *app, int i)
{
    const gpu_info *g = device_gpu(i);
    if (!g) return;
    char label[24];
    snprintf(label, sizeof label, "gpu:%d", i);
    print_device(app, &(struct shown){label, g->name, false, g->cc_major, g->cc_minor, g->multiprocessors, g->clock_khz,
                                      g->memory_bytes});
}

static int print_sim(struct app *app, const struct device *d)
{
    sim_card c;
    int status = card_open(app, d, &c, NULL);
    if (!status)
        print_device(app, &(struct shown){d->label, c.title, true, c.cc_major, c.cc_minor, c.multiprocessors,
                                          c.clock_khz, c.memory_bytes});
    return status;
}

int devices_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "device", "devices takes nothing after it; device changes it");
    const char *why;
    int count = device_gpus(app, &why);
    for (int i = 0; i < count; i++) print_gpu(app, i);
    struct words cards = {0};
    device_names(&cards);
    for (int i = 0; i < cards.count; i++) {
        struct device d;
        memset(&d, 0, sizeof d);
        if (device_simulated(app, cards.v[i], &d) == 0) print_sim(app, &d);
    }
    if (!app->json && count == 0) {
        char none[600];
        snprintf(none, sizeof none, "none: %s", why);
        fprintf(app->out, "%-11s  ", "gpu");
        print_wrapped(app->out, none, 13, 13, app->width);
    }
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
    struct device now[DEVICES_MAX];
    int count, status = device_resolve(app, app->lessons ? app->lessons->card(app) : NULL, now, &count);
    for (int i = 0; i < count && !status; i++) {
        if (now[i].kind == DEVICE_GPU) print_gpu(app, now[i].index);
        else if ((status = print_sim(app, &now[i])) == 0) card_show(app, &now[i]);
    }
    return status;
}
