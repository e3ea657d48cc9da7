/* version.c: --version: the version, and what this program was built with. */
#include "commands.h"

#include "shell/json.h"
#include "shell/terminal.h"
#include "sim.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "a compiler that does not name itself"
#endif

void version_print(struct app *app)
{
    const char *readline = readline_version(), *here = sim_instruction_set();
    if (app->json) {
        json j;
        json_begin(&j, app->out, "version");
        json_text(&j, "version", APP_VERSION);
        json_text(&j, "released", APP_RELEASED);
        json_text(&j, "readline", readline);
        json_text(&j, "compiler", COMPILER);
        json_text(&j, "instruction_sets", sim_instruction_sets());
        json_text(&j, "instruction_set", here);
        json_end(&j);
        return;
    }
    fprintf(app->out, "warpstep %s, %s\n", APP_VERSION, readline ? readline : "plain reader");
    fprintf(app->out, "compiler: %s\n", COMPILER);
    fprintf(app->out, "instruction sets: %s; used here: %s\n", sim_instruction_sets(), here ? here : "none");
}
