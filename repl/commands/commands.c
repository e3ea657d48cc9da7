/* commands.c: the program's own commands, and the list of all command tables. What a command does
 * is in other files. */
#include "commands.h"
#include "author/author.h"

#include "course/exercise.h"
#include "course/glossary.h"
#include "shell/terminal.h"
#include "shell/words.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int quit_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "quit", "quit takes nothing after it");
    app->quit = true;
    return EXIT_DONE;
}

/* Only a terminal has something to clear. */
static int clear_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "clear", "clear takes nothing after it");
    const char *term = getenv("TERM");
    if (app->interactive && !app->json && term && strcmp(term, "dumb")) terminal_clear(app);
    return EXIT_DONE;
}

static void help_complete(struct app *app, int argc, char **argv, struct words *out)
{
    (void)app;
    (void)argv;
    if (argc != 1) return;
    complete_commands(out);
    glossary_term t;
    for (size_t at = 0; glossary_next(&at, &t);)
        if (!strchr(t.name, ' ')) words_add(out, t.name);
    words_split(out, "words status");
}

static void device_complete(struct app *app, int argc, char **argv, struct words *out)
{
    (void)app;
    (void)argv;
    if (argc == 1) complete_devices(out);
}

static void generate_complete(struct app *app, int argc, char **argv, struct words *out)
{
    (void)app;
    (void)argv;
    if (argc == 1) words_split(out, "man bash zsh fish");
}

const struct command app_commands[] = {
    {"device", 6, "Program", "[DEVICE]", "show or choose where kernels run",
     "Shows the device that runs kernels now, or chooses another. A device is auto,\n"
     "gpu (the first GPU), gpu:N, sim:CARD (a simulated card), sim:FILE (a card\n"
     "file of your own), or several joined by commas where a command compares.\n"
     "\n"
     "Example:  device sim:8800gt\n",
     device_run, device_complete},
    {"devices", 0, "Program", "", "list simulated cards and GPUs",
     "Lists every device: the simulated cards that came with the program and the\n"
     "GPUs that the NVIDIA driver reports. When there is no GPU it says why.\n"
     "\n"
     "Example:  devices\n",
     devices_run, NULL},
    {"set", 0, "Program", "[NAME [VALUE]]", "change a setting, or list them all",
     "Without a value, shows settings: the program's own, and the variables of the\n"
     "lesson at hand, such as n or threads. With one, changes the setting until you\n"
     "leave. An option after a command (run --seed 3) changes it for that run only.\n"
     "\n"
     "Example:  set limit 10\n",
     settings_set_run, settings_complete},
    {"get", 2, "Program", "[NAME]", "show a setting",
     "Shows one setting, or all of them.\n"
     "\n"
     "Example:  get device\n",
     settings_get_run, settings_complete},
    {"notes", 0, "Program", "[TEXT...]", "show your notes, or add a line",
     "Adds a line to your notes with the date and the step you are at, or shows\n"
     "them. They are one plain-text file; `doctor` says where.\n"
     "\n"
     "Example:  notes neighbours read neighbours: 3 times faster\n",
     notes_run, NULL},
    {"export", 0, "Program", "md|html|json|csv [FILE]", "export your runs and notes",
     "Writes every recorded run with its device, and your notes, as a Markdown page,\n"
     "as JSON lines or as CSV; on the screen, or to a file that does not exist yet.\n"
     "html is one page with charts, tables, kernels and exercises, for any browser.\n"
     "\n"
     "Example:  export md summary.md\n",
     export_run, export_complete},
    {"fidelity", 8, "For authors", "", "how far the simulated cards are from real ones",
     "Runs every step for which a figure of a real card is known that we simulate,\n"
     "and shows both with the difference, as Markdown.\n"
     "\n"
     "Example:  fidelity\n",
     fidelity_run, NULL},
    {"figures", 0, "For authors", "[check]", "the articles' figures, and ours",
     "Runs every step beside which a figure of the articles stands (the list is\n"
     "lessons/figures.txt) and writes them with ours, as Markdown. With check it\n"
     "says which rows of lessons/REFERENCE.md are not what comes out now.\n"
     "\n"
     "Example:  figures check\n",
     figures_run, NULL},
    {"generate", 0, "For authors", "man|bash|zsh|fish", "the manual page, and completion for shells",
     "Writes the manual page, or what completes command lines in a shell, from the\n"
     "tables of commands and options. `make install` puts them where they are found.\n"
     "\n"
     "Example:  generate man\n",
     generate_run, generate_complete},
    {"doctor", 0, "Program", "", "what was found on this computer",
     "Says what this program found: its own files, the terminal, compilers, the\n"
     "NVIDIA driver, and where progress and notes are kept. `cache` is where exec\n"
     "keeps what it compiled: you may remove it. Run doctor first when something\n"
     "does not work.\n"
     "\n"
     "Example:  doctor\n",
     doctor_run, NULL},
    {"help", 1, "Program", "[COMMAND|WORD]", "list commands; explain one, or a word of the lessons",
     "Lists the commands, or explains one with an example. Any command can be\n"
     "shortened to letters that fit no other: `doc` is doctor. It knows the words of\n"
     "the lessons (`help words` lists them) and the PTX instructions: `help warp`,\n"
     "`help bank conflict`, `help ld`. `help status` lists the exit statuses. `?` is\n"
     "help too.\n"
     "\n"
     "Example:  help coalescing\n",
     help_run, help_complete},
    {"clear", 0, "Program", "", "clear the screen",
     "Clears the screen. In a script it does nothing.\n\nExample:  clear\n", clear_run, NULL},
    {"quit", 1, "Program", "", "leave (so does Ctrl-D)",
     "Leaves. Everything worth keeping has been written already. At the prompt `q`\n"
     "alone does not leave: in a long answer q ends that answer.\n"
     "\n"
     "Example:  quit\n",
     quit_run, NULL},
    {"exit", 4, "Program", "", "leave, as quit does", "Leaves, as quit does.\n\nExample:  exit\n", quit_run, NULL},
    {0},
};

const struct command *const app_tables[] = {
    lesson_commands, exercise_commands, grade_commands, demo_commands,   try_commands, film_commands,
    exec_commands,   nvcc_commands,     app_commands,   author_commands, NULL,
};
