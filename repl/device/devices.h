/* devices.h: which devices there are, and what --device means. */
#ifndef DEVICES_H
#define DEVICES_H

#include "gpu.h"
#include "shell/app.h"

/* Read a --device value ("auto", "gpu:1", "sim:8800gt,sim:h200") into `out`. 0, or EXIT_USAGE after
 * a message. */
int device_parse(struct app *app, const char *text, struct device out[DEVICES_MAX], int *count);
/* The devices to run on now: app->devices with `auto` replaced by a GPU, or by `card` where there
 * is none (NULL: h200). EXIT_DEVICE after a message when a GPU that was named is absent. */
int device_resolve(struct app *app, const char *card, struct device out[DEVICES_MAX], int *count);
/* The text of a simulated card's file (to be freed): the file at its path, or a built-in one. */
int device_card_text(struct app *app, const struct device *d, char **text);
bool device_card_title(const char *card, char *out, size_t size); /* false: no built-in card has this name */

void device_names(struct words *out);    /* the built-in cards */
bool device_simulates(const char *card); /* it is a built-in card */
/* The simulated card of that name, or of the file at that path. 0, or an exit status after a
 * message. */
int device_simulated(struct app *app, const char *name, struct device *d);
/* The number of GPUs of this machine. A child asks the driver, once. *why says why there are
 * none. */
int device_gpus(struct app *app, const char **why);
const gpu_info *device_gpu(int index); /* one of these; NULL: there is none */
/* The device that the prompt names. `auto` is shown as the device it stands for. This asks no
 * driver: until the device is known, it stays `auto`. */
void device_prompt(const struct app *app, const char *card, char *out, size_t size);
/* A GPU that is one of the simulated cards ends with its name or its title: "NVIDIA H200" is h200, "NVIDIA H100
 * 80GB HBM3" is h100. Otherwise `card` is unchanged. */
void device_card_of(const char *title, char *card, size_t size);
int device_gpu_arch(struct app *app, int index); /* 90: compute capability 9.0; 0: unknown */

#endif
