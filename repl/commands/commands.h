/* commands.h: the program's own commands, and the functions that they share. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "command.h"

/* The command tables of all parts; ends with NULL. A new part adds its table in commands.c. */
extern const struct command *const app_tables[];

/* help.c */
int help_run(struct app *app, int argc, char **argv);
void help_usage(FILE *out); /* for --help */
/* Groups are in the order in which the tables first name them. The rows of a group may be
 * scattered. */
void help_groups(struct words *out);
struct help_status {
    int status;
    const char *text, *more; /* "time limit"; a sentence, for `help status` and the manual */
};
extern const struct help_status help_statuses[]; /* ends with a row whose text is NULL */
extern const char help_exec_status[];            /* a sentence on those of `exec` */

/* generate.c */
int generate_run(struct app *app, int argc, char **argv);

/* version.c */
void version_print(struct app *app); /* for --version */

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
void export_complete(struct app *app, int argc, char **argv, struct words *out);

#endif
