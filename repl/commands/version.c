/* version.c: the text of --version: the version, and what the program was built with. */
#include "commands.h"

#include "shell/document.h"
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
    doc d = doc_open(app);
    doc_data(&d, "version",
             "version %s, released %s, readline %s, compiler %s, instruction_sets %s, instruction_set %s", app_version,
             APP_RELEASED, readline, COMPILER, sim_instruction_sets(), here);
    doc_line(&d, "warpstep %s, %s", app_version, readline ? readline : "plain reader");
    doc_line(&d, "compiler: %s", COMPILER);
    doc_line(&d, "instruction sets: %s; used here: %s", sim_instruction_sets(), here ? here : "none");
}
