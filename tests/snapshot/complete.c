/* complete.c: prints what Tab offers at the end of each line of standard input; `?` stands for a
 * file name. scripts/snapshot uses it, since completion needs a terminal otherwise.
 *
 *     build/.../tests/snapshot/complete ROOT <LINES */
#include "shell/app.h"
#include "commands/commands.h"
#include "shell/terminal.h"
#include "shell/words.h"

#include <string.h>

int main(int argc, char **argv)
{
    static struct app app;
    static char root[4096];
    static char line[1024];
    snprintf(root, sizeof root, "%s", argc > 1 ? argv[1] : ".");
    app.out = stdout;
    app.err = stderr;
    app.root = root;
    app.width = 80;
    app.height = 24;
    app.utf8 = true;
    app.limit = 60;
    app.device_count = 1;
    snprintf(app.devices[0].label, sizeof app.devices[0].label, "auto");
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        size_t end = strlen(line), start = end;
        while (start > 0 && line[start - 1] != ' ') start--;
        struct words found = {0};
        bool files = false;
        complete_line(&app, line, start, end, &found, &files);
        printf("%s|", line);
        for (int i = 0; i < found.count; i++) printf(" %s", found.v[i]);
        printf("%s\n", files ? " ?" : "");
        words_free(&found);
    }
    if (app.lessons) app.lessons->close(&app);
    return 0;
}
