/* command.h: what a command is, and how one is run. Each command is a row of a table (struct
 * command). commands.c lists the tables of all parts. */
#ifndef COMMAND_H
#define COMMAND_H

#include "shell/app.h"
#include "shell/words.h"

struct command {
    const char *name;  /* "devices" */
    int min;           /* letters that always select this command, even when others share them; 0: any unique prefix */
    const char *group; /* its heading in `help`: "Lessons" */
    const char *args;  /* "[N [next]]", "" for none */
    const char *brief; /* one line for `help` */
    const char *help;  /* several lines for `help NAME`, wrapped at 76 columns, ending with an "Example:" */
    int (*run)(struct app *app, int argc, char **argv); /* argv[0] is the full name; returns an exit status */
    /* Candidates for the word after argv[0..argc-1], whatever has been typed of it; NULL: none. */
    void (*complete)(struct app *app, int argc, char **argv, struct words *out);
};

extern const struct command app_commands[];    /* commands.c; ends with a row whose name is NULL */
extern const struct command lesson_commands[]; /* lesson_commands.c; ends like the above */
extern const struct command author_commands[]; /* author_commands.c */
extern const struct command try_commands[];    /* try.c */
extern const struct command exec_commands[];   /* exec.c */
extern const struct command nvcc_commands[];   /* nvcc.c */

/* The program's own options. The place decides where Tab offers an option. */
enum option_place { OPTION_START, OPTION_ANYWHERE };
struct app_option {
    const char *name;  /* "--device" */
    const char *value; /* "DEV": the word after it; NULL: none */
    const char *brief; /* one line for --help */
    enum option_place place;
    int (*take)(struct app *app, const char *value); /* NULL: main.c reads it */
};
extern const struct app_option app_option_list[]; /* dispatch.c; ends with a row whose name is NULL */

/* Run a command line, or one that is already split. The program's own options (--device --json
 * --color --seed --threads --limit ...) may be among its words, and apply to this command alone.
 * They are removed before the command sees its arguments; it finds their values in the app. Words
 * after -- are left alone. */
int app_line(struct app *app, const char *line);
int app_words(struct app *app, struct words *words);
/* The options in force have changed: colours, the language. */
void options_changed(struct app *app);
/* Remove those options from words[from..]. 0, or EXIT_USAGE after a message. */
int app_options(struct app *app, struct words *words, int from);
/* The command that a name means: its full name, an abbreviation, or a unique prefix. NULL after a
 * message, unless `quietly`. */
const struct command *app_command(struct app *app, const char *name, bool quietly);
/* Iterates over the commands of all tables: start with NULL; NULL at the end. */
const struct command *app_next_command(const struct command *before);

/* Candidates that several commands offer (complete.c). */
void complete_devices(struct words *out);
void complete_commands(struct words *out);
/* Candidates for the value of an option. False: any word may follow. */
bool complete_option(const char *option, struct words *out);
void complete_files(struct words *out);       /* marks that a file name is possible here too */
bool complete_is_file(const char *candidate); /* is it the mark of complete_files? */
/* A terminal_complete_fn. */
void complete_line(struct app *app, const char *line, size_t start, size_t end, struct words *out, bool *files);

extern const struct command exercise_commands[]; /* exercise_commands.c */
extern const struct command grade_commands[];    /* grade.c */
extern const struct command demo_commands[];     /* demo.c */

extern const struct command film_commands[]; /* step_through.c */

/* lesson_commands.c: words that name a step and its settings. */
enum { LESSON_WORDS = 80 };
struct lesson_step;
struct step_chosen;
int lesson_words_about(struct app *app, int *argc, char **words, char *argv[LESSON_WORDS],
                       const struct lesson_step **s);
int lesson_take_settings(struct app *app, struct step_chosen *with, int *argc, char **argv);
int lesson_watch_run(struct app *app, int argc, char **argv); /* lesson_watch.c */
void lesson_complete_numbers(struct app *app, int argc, char **argv, struct words *out);
void lesson_complete_steps(struct app *app, int argc, char **argv, struct words *out);

int lesson_predict_run(struct app *app, int argc, char **argv); /* lesson_predict.c */

/* ---- settings, for `set` and `get`: the program's own, then the current lesson's variables
 * ---- */
/* 0, or EXIT_USAGE after a message. setting_option applies to the running command only. */
int setting_set(struct app *app, const char *name, const char *value);
int setting_option(struct app *app, const char *name, const char *value);
/* The values that it can take; an option of the same name takes the same. False: they cannot be listed. */
bool setting_values(const char *name, struct words *out);

#endif
