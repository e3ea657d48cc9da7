/* devices.h: which devices there are, and what --device means. */
#ifndef DEVICES_H
#define DEVICES_H

#include "gpu.h"
#include "shell/app.h"

/* Read a --device value ("auto", "gpu:1", "sim:8800gt,sim:h200") into `out`. 0, or EXIT_USAGE after
 * a message. */
int device_parse(struct app *app, const char *text, struct device out[DEVICES_MAX], int *count);
/* The devices to run on now: app->devices with `auto` replaced (by `card` where there is no GPU;
 * NULL: h200). EXIT_DEVICE after a message when an explicit GPU is absent. */
int device_resolve(struct app *app, const char *card, struct device out[DEVICES_MAX], int *count);
/* The text of a simulated card's file (to be freed): that of its path, or one that the program
 * carries. */
int device_card_text(struct app *app, const struct device *d, char **text);
bool device_card_title(const char *card, char *out, size_t size); /* false: no card of ours is called so */

void device_names(struct words *out);    /* the cards that came with the program */
bool device_simulates(const char *card); /* it is one of them */
/* The simulated card of that name, or of the file at that path. 0, or an exit status after a
 * message. */
int device_simulated(struct app *app, const char *name, struct device *d);
/* The GPUs of this machine, asked of the driver in a child, once. Their number; *why says it when
 * there is none. */
int device_gpus(struct app *app, const char **why);
const gpu_info *device_gpu(int index); /* one of those; NULL: there is none */
/* The device that the prompt names. `auto` is shown as what it stands for, without asking a driver:
 * as long as that is not known, as itself. */
void device_prompt(const struct app *app, const char *card, char *out, size_t size);
/* A GPU that is one of the cards we simulate carries its name: "NVIDIA H200" is h200. Else `card`
 * stays as it is. */
void device_card_of(const char *title, char *card, size_t size);
int device_gpu_arch(struct app *app, int index); /* 90: compute capability 9.0; 0: unknown */

#endif
