/* lesson_show.c: `show`, and `source`. */
#include "lesson_run.h"
#include "session/exercise_files.h"
#include "session/session_answer.h"
#include "session/session_last.h"
#include "shell/words.h"
#include <stdlib.h>
#include <string.h>

/* What `show` shows. */
static const struct topic {
    const char *name;
    bool line, kernel; /* takes a line of the source; is about accesses that a whole program has too many of */
    int (*of_run)(struct app *app, const lesson_step *s, step_chosen *chosen); /* shows it of a run */
    int (*of_line)(struct app *app, const lesson_step *s, step_chosen *chosen, int line);
} topics[] = {
    {"source", false, false, NULL, NULL},
    {"ptx", false, false, NULL, NULL},
    {"diff", false, false, NULL, NULL},
    {"mem", true, true, NULL, view_show_mem},
    {"banks", true, true, NULL, view_show_banks},
    {"counters", false, true, view_show_counters, NULL},
    {"lines", false, true, view_show_lines, NULL},
    {"host", false, false, NULL, NULL},
    {"roofline", false, false, NULL, NULL},
    {"grid", false, true, view_show_grid, NULL},
};
enum { SOURCE, PTX, DIFF, HOST = 7, ROOFLINE, GRID, TOPICS = sizeof topics / sizeof *topics };

static int topic_named(const char *word)
{
    for (int i = 0; i < TOPICS; i++)
        if (!strncmp(topics[i].name, word, strlen(word))) return i;
    return -1;
}

static int show(struct app *app, int argc, char **argv)
{
    const int topic = argc > 1 ? topic_named(argv[1]) : -1;
    if (topic < 0)
        return app_fail(app, EXIT_USAGE, "help show",
                        "show takes source, ptx, diff, mem, banks, counters, lines, grid, host or roofline");
    int line = 0;
    bool ptx = false;
    const char *name = NULL;
    char *words[LESSON_WORDS]; /* settings begin at 1, as after a command's name */
    int settings = 1;
    step_chosen with;
    if (topic == ROOFLINE) /* about the whole lesson */
        return argc > 2 ? app_fail(app, EXIT_USAGE, "help show", "show roofline takes nothing else")
                        : view_show_roofline(app);
    for (int i = 2; i < argc; i++) {
        char *end;
        long number = strtol(argv[i], &end, 10);
        if (!*end && topics[topic].line && number > 0 && number < 1000000) line = (int)number;
        else if (topic == DIFF && !strcmp(argv[i], "ptx")) ptx = true;
        else if ((topic == HOST || topic == GRID) && strchr(argv[i], '=') && settings < LESSON_WORDS)
            words[settings++] = argv[i];
        else if (!name) name = argv[i];
        else return app_fail(app, EXIT_USAGE, "help show", "show %s does not take \"%s\"", topics[topic].name, argv[i]);
    }
    const lesson_step *s;
    int status = session_step_last(app, name, &s);
    if (status) return status;
    if (!app->lesson->s) app->lesson->s = s;
    if (topic == HOST) {
        if (!step_runs(s)) return app_fail(app, EXIT_USAGE, "next", "step %s runs no program", s->name);
        with = *session_chosen(app);
        status = lesson_take_settings(app, &with, &settings, words);
        return status ? status : view_show_host(app, s, &with);
    }
    if (!step_launches(s)) return app_fail(app, EXIT_USAGE, "next", "step %s runs no kernel", s->name);
    if (topics[topic].kernel && (status = session_use(app, s, USE_ACCESSES, NULL))) return status;
    if (topic == SOURCE || topic == PTX) return view_show_source(app, s, topic == PTX);
    if (topic == DIFF) return view_show_diff(app, s, ptx);
    doc out = doc_open(app);
    step_chosen chosen = session_as_it_ran(&out, s);
    if (settings > 1 && (status = lesson_take_settings(app, &chosen, &settings, words))) return status;
    return topics[topic].of_line ? topics[topic].of_line(app, s, &chosen, line) : topics[topic].of_run(app, s, &chosen);
}

int lesson_show_run(struct app *app, int argc, char **argv)
{
    const int topic = argc > 1 ? topic_named(argv[1]) : -1;
    const bool answer = topic >= 0 && topic != ROOFLINE && session_answer_meant(app, argc, argv, 2);
    return answer ? lesson_on_answer(app, argc, argv, show) : show(app, argc, argv);
}

int lesson_source_run(struct app *app, int argc, char **argv)
{
    char show[] = "show", source[] = "source", *words[] = {show, source, argc > 1 ? argv[1] : NULL, NULL};
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help source", "source takes one step");
    return lesson_show_run(app, argc + 1, words);
}

void lesson_complete_show(struct app *app, int argc, char **argv, struct words *out)
{
    if (argc > 1) lesson_complete_steps(app, 1, argv, out);
    for (int i = 0; argc == 1 && i < TOPICS; i++) words_add(out, topics[i].name);
}
