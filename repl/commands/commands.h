/* commands.h: the program's own commands and the parts they use of each other. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "app.h"

/* Every part's command table; NULL at the end. A new part adds its line in commands.c. */
extern const struct command *const app_tables[];

/* help.c */
int help_run(struct app *app, int argc, char **argv);
void help_usage(FILE *out); /* for --help */

/* settings.c */
int settings_set_run(struct app *app, int argc, char **argv);
int settings_get_run(struct app *app, int argc, char **argv);
void settings_complete(struct app *app, int argc, char **argv, struct words *out);

/* device.c */
int device_run(struct app *app, int argc, char **argv);
int devices_run(struct app *app, int argc, char **argv);
void device_names(struct words *out);    /* the cards that came with the program */
bool device_simulates(const char *card); /* it is one of them */
/* The GPUs of this machine, asked of the driver in a child, once. Their number; *why says it when
 * there is none. */
int device_gpus(struct app *app, const char **why);
/* The device that the prompt names. `auto` is shown as what it stands for, without asking a driver:
 * as long as that is not known, as itself. */
void device_prompt(const struct app *app, const char *card, char *out, size_t size);
/* A GPU that is one of the cards we simulate carries its name: "NVIDIA H200" is h200. Else `card`
 * stays as it is. */
void device_card_of(const char *title, char *card, size_t size);
int device_gpu_arch(struct app *app, int index); /* 90: compute capability 9.0; 0: unknown */

/* doctor.c */
int doctor_run(struct app *app, int argc, char **argv);

/* progress.c */
int state_notes_run(struct app *app, int argc, char **argv);

/* export.c */
int export_run(struct app *app, int argc, char **argv);

/* fidelity.c */
int fidelity_run(struct app *app, int argc, char **argv);
/* How far a simulated card is known to be off, as one sentence. False: nothing is known. */
bool fidelity_known(const char *card, char *out, size_t size);

/* figures.c */
int figures_run(struct app *app, int argc, char **argv);
/* Does every figure of figures.txt that belongs to the lesson at hand stand in its step, and in
 * REFERENCE.md? Each one that does not is complained about; their number. */
int figures_check(struct app *app, void (*complain)(void *arg, const char *file, int line, const char *text),
                  void *arg);

#endif
