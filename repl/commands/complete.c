/* complete.c: Tab completion. A command's own row gives the candidates after it; this file handles
 * the first word and the program's options. */
#include "shell/app.h"
#include "device/devices.h"
#include "command.h"

#include "shell/terminal.h"
#include "shell/words.h"

#include <stdlib.h>
#include <string.h>

static const char file_mark[] = "\001";

void complete_files(struct words *out) { words_add(out, file_mark); }
bool complete_is_file(const char *candidate) { return !strcmp(candidate, file_mark); }

bool complete_option(const char *option, struct words *out)
{
    for (const struct app_option *o = app_option_list; o->name; o++)
        if (o->value && !strncmp(option, "--", 2) && !strcmp(o->name, option)) return setting_values(option + 2, out);
    return false;
}

void complete_line(struct app *app, const char *line, size_t start, size_t end, struct words *out, bool *files)
{
    char *before = malloc(start + 1), *typed = malloc(end - start + 1);
    struct words words = {0}, all = {0};
    *files = false;
    if (before && typed) {
        memcpy(before, line, start);
        before[start] = 0;
        memcpy(typed, line + start, end - start);
        typed[end - start] = 0;
        size_t n = strlen(before);
        if (n > 0 && (before[n - 1] == '"' || before[n - 1] == '\'')) before[n - 1] = 0; /* an open quote */
        const char *wrong = words_split(&words, before);
        const struct command *c = !wrong && words.count ? app_command(app, words.v[0], true) : NULL;
        const char *last = words.count ? words.v[words.count - 1] : "";
        if (wrong) {
            /* no candidate makes sense */
        } else if (complete_option(last, &all)) {
            /* only the option's values */
        } else if (words.count == 0) {
            complete_commands(&all);
        } else {
            if (c && c->complete) c->complete(app, words.count, words.v, &all);
            for (const struct app_option *o = app_option_list; o->name && typed[0] == '-'; o++)
                if (o->place == OPTION_ANYWHERE) words_add(&all, o->name);
        }
        size_t length = strlen(typed);
        for (int i = 0; i < all.count; i++) {
            if (complete_is_file(all.v[i])) *files = true;
            else if (!strncmp(all.v[i], typed, length)) words_add(out, all.v[i]);
        }
        if (out->count > 0) *files = false;
    }
    words_free(&words);
    words_free(&all);
    free(before);
    free(typed);
}

void complete_devices(struct words *out)
{
    words_add(out, "auto");
    words_add(out, "gpu");
    struct words cards = {0};
    device_names(&cards);
    for (int i = 0; i < cards.count; i++) {
        char label[64];
        snprintf(label, sizeof label, "sim:%.40s", cards.v[i]);
        words_add(out, label);
    }
    words_free(&cards);
}
