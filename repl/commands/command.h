/* command.h: what a command is, and running one. Its row stands in a table (struct command); the
 * tables of the program's parts are joined in commands.c.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "shell/app.h"
#include "shell/words.h"

struct command {
    const char *name;  /* "devices" */
    int min;           /* letters that always mean this command, though others share them; 0: any unique prefix */
    const char *group; /* heading in `help`: "Lessons"; each command has one */
    const char *args;  /* "[N [next]]", "" for none */
    const char *brief; /* one line for `help` */
    const char *help;  /* several lines for `help NAME`, wrapped at 76 columns, ending with an "Example:" */
    int (*run)(struct app *app, int argc, char **argv); /* argv[0] is the full name; returns an exit status */
    /* Candidates for the word that follows argv[0..argc-1], whatever has been typed of it; NULL:
     * none. */
    void (*complete)(struct app *app, int argc, char **argv, struct words *out);
};

extern const struct command app_commands[];    /* commands.c; ends with a row whose name is NULL */
extern const struct command lesson_commands[]; /* the lesson colleague's file, the same way */
extern const struct command author_commands[]; /* there too */
extern const struct command try_commands[];    /* try.c */
extern const struct command exec_commands[];   /* exec.c */
extern const struct command nvcc_commands[];   /* nvcc.c */

/* The program's own options. Where one makes sense decides where Tab offers it. */
enum option_place { OPTION_START, OPTION_ANYWHERE };
struct app_option {
    const char *name;  /* "--device" */
    const char *value; /* "DEV": what stands after it; NULL: nothing */
    const char *brief; /* one line for --help */
    enum option_place place;
    int (*take)(struct app *app, const char *value); /* NULL: main.c reads it */
};
extern const struct app_option app_option_list[]; /* dispatch.c; ends with a row whose name is NULL */

/* Run one command line, or one already split. The program's own options (--device --json --color
 * --seed --threads --limit) may stand among the words, for that one command: they are taken out
 * before it sees its arguments, so a command finds their values in the app. What follows a word --
 * is left as it is. */
int app_line(struct app *app, const char *line);
int app_words(struct app *app, struct words *words);
/* Take those options out of words[from..]. 0, or EXIT_USAGE after a message. */
int app_options(struct app *app, struct words *words, int from);
/* The command a person meant: its full name, an abbreviation, or a prefix of no other. NULL after a
 * message, which `quietly` leaves out. */
const struct command *app_command(struct app *app, const char *name, bool quietly);
/* Every command of every table, one after another: start with NULL; NULL at the end. */
const struct command *app_next_command(const struct command *before);

/* Candidates that several commands share (complete.c). */
void complete_devices(struct words *out);
void complete_commands(struct words *out);
/* What may follow an option: false when any word may. */
bool complete_option(const char *option, struct words *out);
void complete_files(struct words *out);       /* a file name may stand here too */
bool complete_is_file(const char *candidate); /* what complete_files left among the candidates */
/* A terminal_complete_fn. */
void complete_line(struct app *app, const char *line, size_t start, size_t end, struct words *out, bool *files);

extern const struct command exercise_commands[]; /* exercise_commands.c */
extern const struct command grade_commands[];    /* grade.c */
extern const struct command demo_commands[];     /* demo.c */

int lesson_predict_run(struct app *app, int argc, char **argv); /* lesson_predict.c */

/* ---- settings: `set`, `get`; the program's own, then the current lesson's variables ---- */
/* 0, or EXIT_USAGE after a message. setting_option holds for the command under way. */
int setting_set(struct app *app, const char *name, const char *value);
int setting_option(struct app *app, const char *name, const char *value);

#endif
