/* generate.c: `generate`: the manual page, and completion for bash, zsh and fish. They are made
 * from the tables of commands and options, so they name only what exists.
 *
 * A shell completes the word after a command, as Tab does at our prompt at the start of a session,
 * and the value after `set NAME`. It completes further words as file names. */
#include "commands.h"
#include "shell/language.h"

#include <string.h>

/* ---- from the tables ---- */
static const char *type_of(const struct app_option *o) { return o->value ? o->value : ""; }

/* The words that may directly follow a command, except file names. */
static void after_command(struct app *app, const struct command *c, struct words *out)
{
    char name[64];
    char *argv[] = {name, NULL};
    struct words all = {0};
    snprintf(name, sizeof name, "%s", c->name);
    if (c->complete) c->complete(app, 1, argv, &all);
    for (int i = 0; i < all.count; i++)
        if (!complete_is_file(all.v[i])) words_add(out, all.v[i]);
    if (all.failed) out->failed = true;
    words_free(&all);
}

static void put_words(FILE *out, const struct words *w)
{
    for (int i = 0; i < w->count; i++) fprintf(out, "%s%s", i ? " " : "", w->v[i]);
}

/* Put text in single quotes. `special` characters get a backslash; `quote` replaces a single
 * quote. */
static void put_quoted(FILE *out, const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'') fputs(quote, out);
        else if (strchr(special, *text)) fprintf(out, "\\%c", *text);
        else fputc(*text, out);
    }
}

/* For each setting whose values can be listed: `before`, its name, `between`, the values, `after`. */
static void put_set(struct app *app, const char *before, const char *between, const char *after)
{
    struct words names = {0};
    after_command(app, app_command(app, "set", true), &names);
    for (int i = 0; i < names.count; i++) {
        struct words values = {0};
        if (setting_values(names.v[i], &values)) {
            fprintf(app->out, "%s%s%s", before, names.v[i], between);
            put_words(app->out, &values);
            fputs(after, app->out);
        }
        words_free(&values);
    }
    words_free(&names);
}

/* ---- the manual page ---- */
/* troff turns - into a hyphen, which would break commands copied from the page. A dot or a quote at
 * the start of a line is a request. */
static void put_troff(FILE *out, const char *text, size_t length)
{
    if (length && (*text == '.' || *text == '\'')) fputs("\\&", out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') fputs("\\e", out);
        else if (text[i] == '-') fputs("\\-", out);
        else if (text[i] == '\'') fputs("\\(aq", out);
        else if (text[i] == '`') fputs("\\(ga", out);
        else fputc(text[i], out);
    }
}

static void put_troff_text(FILE *out, const char *text) { put_troff(out, text, strlen(text)); }

/* Paragraphs unchanged; examples and indented text line by line. */
static void put_help(FILE *out, const char *help)
{
    bool exact = false, gap = false;
    while (*help) {
        size_t length = strcspn(help, "\n");
        bool now = !strncmp(help, "Example:", 8) || (length && *help == ' ');
        if (length == 0) {
            gap = true;
        } else {
            if (exact && !now) fputs(".EE\n", out);
            if (gap) fputs(".IP\n", out);
            if (now && !exact) fputs(".EX\n", out);
            exact = now;
            gap = false;
            put_troff(out, help, length);
            fputc('\n', out);
        }
        help += length + (help[length] == '\n');
    }
    if (exact) fputs(".EE\n", out);
}

static void put_group(FILE *out, const char *group)
{
    fputs(".SS ", out);
    put_troff_text(out, group);
    fputc('\n', out);
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) {
        if (strcmp(c->group, group)) continue;
        fputs(".TP\n\\fB", out);
        put_troff_text(out, c->name);
        fputs(*c->args ? "\\fR " : "\\fR", out);
        put_troff_text(out, c->args);
        fputc('\n', out);
        put_help(out, c->help);
    }
}

static void write_man(struct app *app)
{
    FILE *out = app->out;
    fprintf(out, ".\\\" Made by `warpstep generate man`: do not edit.\n");
    fprintf(out, ".TH WARPSTEP 1 %s \"warpstep %s\" \"User Commands\"\n", APP_RELEASED, app_version);
    fputs(
        ".SH NAME\nwarpstep \\- CUDA performance, one measured step at a time\n"
        ".SH SYNOPSIS\n.B warpstep\n[\\fIoptions\\fR] [\\fB\\-c\\fR \\fICOMMAND\\fR]... [\\fB\\-x\\fR \\fIFILE\\fR]"
        " [\\fICOMMAND WORDS\\fR...]\n"
        ".SH DESCRIPTION\n"
        "warpstep teaches CUDA performance in a terminal. Kernels run on a simulated card, which counts what they do\n"
        "line by line, or on an NVIDIA GPU. Without a command it reads commands: from you on a terminal, else from\n"
        "standard input. The command\n.B lesson 1 next\nis a way to begin,\n.B doctor\n"
        "says what was found on this computer and where progress and notes are kept.\n"
        ".SH OPTIONS\n",
        out);
    for (const struct app_option *o = app_option_list; o->name; o++) {
        char brief[300];
        fputs(".TP\n\\fB", out);
        put_troff_text(out, o->name);
        fprintf(out, "\\fR%s\\fI%s\\fR\n", o->value ? " " : "", type_of(o));
        put_troff_text(out, language_choices(o->brief, true, brief, sizeof brief));
        fputc('\n', out);
    }
    fputs(".SH COMMANDS\nA command can be shortened to letters that fit no other.\n", out);
    struct words groups = {0};
    help_groups(&groups);
    for (int i = 0; i < groups.count; i++) put_group(out, groups.v[i]);
    words_free(&groups);
    fputs(".SH EXIT STATUS\n", out);
    for (const struct help_status *s = help_statuses; s->text; s++) {
        fprintf(out, ".TP\n.B %d\n", s->status);
        put_troff_text(out, s->more);
        fputc('\n', out);
    }
    fprintf(out, ".PP\n%s\n", help_exec_status);
    fputs(".SH FILES\n"
          ".TP\n.I $XDG_DATA_HOME/warpstep\nprogress, notes and your exercises (~/.local/share/warpstep)\n"
          ".TP\n.I $XDG_STATE_HOME/warpstep\nhistory and results of simulated runs (~/.local/state/warpstep)\n"
          ".TP\n.I $XDG_CACHE_HOME/warpstep\nprograms that exec compiled; it may be removed (~/.cache/warpstep)\n",
          out);
}

/* ---- bash ---- */
/* bash splits a word at colons and completes only the part after the last one. So we read the words
 * from the line, and cut the part before that colon from each candidate. */
static const char bash_head[] =
    "# Completion of warpstep for bash. Made by `warpstep generate bash`: do not edit.\n"
    "_warpstep()\n"
    "{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word= before= command= list= i count place=0\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    count=${#words[@]}\n"
    "    [[ $line == *[[:blank:]] ]] || { count=$((count - 1)); word=${words[count]}; }\n"
    "    before=${words[count - 1]}\n"
    "    for ((i = 1; i < count; i++)); do\n"
    "        case ${words[i]} in\n";

static void write_bash(struct app *app)
{
    FILE *out = app->out;
    fputs(bash_head, out);
    const char *gap = "        ";
    for (const struct app_option *o = app_option_list; o->name; o++) {
        if (!o->value) continue;
        fprintf(out, "%s%s", gap, o->name);
        gap = " | ";
    }
    fputs(") i=$((i + 1)) ;;\n"
          "        -*) ;;\n"
          "        *) [[ $command ]] && place=$((place + 1)) || command=${words[i]} ;;\n"
          "        esac\n"
          "    done\n"
          "    case $before in\n",
          out);
    for (const struct app_option *o = app_option_list; o->name; o++) {
        struct words w = {0};
        if (!o->value) continue;
        complete_option(o->name, &w);
        fprintf(out, "    %s) list='", o->name);
        put_words(out, &w);
        fputs("' ;;\n", out);
        words_free(&w);
    }
    fputs("    *)\n        case $word,$command,$place in\n        -*) list='", out);
    for (const struct app_option *o = app_option_list; o->name; o++)
        fprintf(out, "%s%s", o == app_option_list ? "" : " ", o->name);
    struct words commands = {0};
    complete_commands(&commands);
    fputs("' ;;\n        *,,0) list='", out);
    put_words(out, &commands);
    words_free(&commands);
    fputs("' ;;\n", out);
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) {
        struct words w = {0};
        after_command(app, c, &w);
        if (w.count) {
            fprintf(out, "        *,%s,0) list='", c->name);
            put_words(out, &w);
            fputs("' ;;\n", out);
        }
        words_free(&w);
    }
    fputs("        *,set,1)\n            case $before in\n", out);
    put_set(app, "            ", ") list='", "' ;;\n");
    fputs("            esac\n"
          "            ;;\n"
          "        esac\n"
          "        ;;\n"
          "    esac\n"
          "    COMPREPLY=($(compgen -W \"$list\" -- \"$word\"))\n"
          "    [[ $word == *:* && $COMP_WORDBREAKS == *:* ]] && COMPREPLY=(\"${COMPREPLY[@]#\"${word%:*}:\"}\")\n"
          "    return 0\n"
          "}\n"
          "complete -o default -F _warpstep warpstep\n",
          out);
}

/* ---- zsh ---- */
static void write_zsh(struct app *app)
{
    FILE *out = app->out;
    static const char quote[] = "'\\''";
    fputs("#compdef warpstep\n"
          "# Completion of warpstep for zsh. Made by `warpstep generate zsh`: do not edit.\n"
          "_warpstep() {\n"
          "    local curcontext=\"$curcontext\" state line ret=1\n"
          "    typeset -A opt_args\n"
          "    local -a commands=(\n",
          out);
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) {
        fprintf(out, "        '%s:", c->name);
        put_quoted(out, c->brief, "\\:", quote);
        fputs("'\n", out);
    }
    fputs("    )\n    _arguments -C \\\n", out);
    for (const struct app_option *o = app_option_list; o->name; o++) {
        char brief[300];
        struct words w = {0};
        fprintf(out, "        '%s[", o->name);
        put_quoted(out, language_choices(o->brief, true, brief, sizeof brief), "\\:[]", quote);
        fputc(']', out);
        if (o->value) fprintf(out, ":%s:", o->value);
        if (complete_option(o->name, &w)) {
            fputc('(', out);
            for (int i = 0; i < w.count; i++) {
                if (i) fputc(' ', out);
                put_quoted(out, w.v[i], "\\:", quote);
            }
            fputc(')', out);
        } else if (!strcmp(type_of(o), "FILE")) {
            fputs("_files", out);
        } else if (!strcmp(type_of(o), "DIR")) {
            fputs("_files -/", out);
        }
        fputs("' \\\n", out);
        words_free(&w);
    }
    fputs("        '1:command:->command' \\\n"
          "        '*:::word:->word' && ret=0\n"
          "    case $state in\n"
          "    command) _describe -t commands command commands && ret=0 ;;\n"
          "    word)\n"
          "        case $CURRENT,$line[1],$words[1] in\n"
          "        1,*) ;;\n",
          out);
    put_set(app, "        2,set,", ") compadd -- ", " && return 0 ;;\n");
    fputs("        *) _files && ret=0; return ret ;;\n"
          "        esac\n"
          "        case $line[1] in\n",
          out);
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) {
        struct words w = {0};
        after_command(app, c, &w);
        if (w.count) {
            fprintf(out, "        %s) compadd -- ", c->name);
            put_words(out, &w);
            fputs(" && ret=0 ;;\n", out);
        }
        words_free(&w);
    }
    fputs("        *) _files && ret=0 ;;\n"
          "        esac\n"
          "        ;;\n"
          "    esac\n"
          "    return ret\n"
          "}\n"
          "_warpstep \"$@\"\n",
          out);
}

/* ---- fish ---- */
static void write_fish(struct app *app)
{
    FILE *out = app->out;
    fputs("# Completion of warpstep for fish. Made by `warpstep generate fish`: do not edit.\n", out);
    for (const struct app_option *o = app_option_list; o->name; o++) {
        char brief[300];
        struct words w = {0};
        bool is_long = o->name[1] == '-', listed = complete_option(o->name, &w);
        fprintf(out, "complete -c warpstep -%c %s", is_long ? 'l' : 's', o->name + (is_long ? 2 : 1));
        if (o->value) fputs(!strcmp(type_of(o), "FILE") || !strcmp(type_of(o), "DIR") ? " -r" : " -x", out);
        if (listed) {
            fputs(" -a '", out);
            put_words(out, &w);
            fputc('\'', out);
        }
        fputs(" -d '", out);
        put_quoted(out, language_choices(o->brief, true, brief, sizeof brief), "\\", "\\'");
        fputs("'\n", out);
        words_free(&w);
    }
    for (const struct command *c = app_next_command(NULL); c; c = app_next_command(c)) {
        struct words w = {0};
        fprintf(out, "complete -c warpstep -n __fish_use_subcommand -f -a %s -d '", c->name);
        put_quoted(out, c->brief, "\\", "\\'");
        fputs("'\n", out);
        after_command(app, c, &w);
        if (w.count) {
            fprintf(out, "complete -c warpstep -n '__fish_seen_subcommand_from %s' -a '", c->name);
            put_words(out, &w);
            fputs("'\n", out);
        }
        words_free(&w);
    }
    put_set(app, "complete -c warpstep -f -n '__fish_seen_subcommand_from set; and __fish_seen_subcommand_from ",
            "' -a '", "'\n");
}

int generate_run(struct app *app, int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(struct app *app);
    } what[] = {{"man", write_man}, {"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    if (app->json) return app_fail(app, EXIT_USAGE, "generate man", "generate writes a file, not JSON");
    for (size_t i = 0; argc == 2 && i < sizeof what / sizeof *what; i++) {
        if (strcmp(argv[1], what[i].name)) continue;
        what[i].write(app);
        return EXIT_DONE;
    }
    return app_fail(app, EXIT_USAGE, "generate man", "generate takes one of man, bash, zsh and fish");
}
