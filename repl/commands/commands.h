/* commands.h: the program's own commands and the parts they use of each other. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "command.h"

/* Every part's command table; NULL at the end. A new part adds its line in commands.c. */
extern const struct command *const app_tables[];

/* help.c */
int help_run(struct app *app, int argc, char **argv);
void help_usage(FILE *out); /* for --help */

/* settings.c */
int settings_set_run(struct app *app, int argc, char **argv);
int settings_get_run(struct app *app, int argc, char **argv);
void settings_complete(struct app *app, int argc, char **argv, struct words *out);

/* device_commands.c */
int device_run(struct app *app, int argc, char **argv);
int devices_run(struct app *app, int argc, char **argv);

/* doctor.c */
int doctor_run(struct app *app, int argc, char **argv);

/* notes.c */
int notes_run(struct app *app, int argc, char **argv);

/* export.c */
int export_run(struct app *app, int argc, char **argv);

#endif
