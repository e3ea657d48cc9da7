/* settings.c: `set` and `get`. A setting is a row of the table here, or a variable of the current
 * lesson (n, blocks, threads). The program's own settings are members of struct app; a row reads
 * and writes one as text. */
#include "shell/format.h"
#include "shell/app.h"
#include "device/devices.h"

#include "show_card.h"
#include "commands.h"
#include "shell/document.h"
#include "shell/language.h"
#include "session/session.h"
#include "shell/progress.h"
#include "shell/terminal.h"
#include "shell/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    const char *name, *values, *brief;
    void (*get)(struct app *app, char *text, size_t size);
    /* 0, or EXIT_USAGE after a message */
    int (*set)(struct app *app, struct app_options *o, const char *value);
};

static bool read_unsigned(const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && !*end && *value <= most;
}

static void get_device(struct app *app, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < app->device_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", app->devices[i].label);
}
static int set_device(struct app *app, struct app_options *o, const char *value)
{
    struct device devices[DEVICES_MAX];
    int count, status = device_parse(app, value, devices, &count);
    if (status) return status;
    memcpy(o->devices, devices, sizeof devices);
    o->device_count = count;
    o->device_explicit = devices[0].kind != DEVICE_AUTO;
    return 0;
}

static const char *const color_names[] = {"auto", "always", "never"};
static void get_color(struct app *app, char *text, size_t size)
{
    snprintf(text, size, "%s", color_names[app->color_when]);
}
static int set_color(struct app *app, struct app_options *o, const char *value)
{
    for (int i = 0; i < 3; i++)
        if (!strcmp(value, color_names[i])) {
            o->color_when = (enum color_when)i;
            return 0;
        }
    return app_fail(app, EXIT_USAGE, NULL, "color is auto, always or never, not \"%s\"", value);
}

static void get_lang(struct app *app, char *text, size_t size)
{
    snprintf(text, size, "%s", language_codes[app->language]);
}
static int set_lang(struct app *app, struct app_options *o, const char *value)
{
    char list[100];
    struct words codes = {0};
    for (int i = 0; i < LANGUAGES; i++) {
        if (!strcmp(value, language_codes[i])) {
            o->language = (enum app_language)i;
            words_free(&codes);
            return 0;
        }
        words_add(&codes, language_codes[i]);
    }
    language_either(&codes, list, sizeof list);
    words_free(&codes);
    return app_fail(app, EXIT_USAGE, "set lang en", "lang is %s, not \"%s\"", list, value);
}

static void get_seed(struct app *app, char *text, size_t size) { snprintf(text, size, "%" PRIu64, app->seed); }
static int set_seed(struct app *app, struct app_options *o, const char *value)
{
    uint64_t seed;
    if (!read_unsigned(value, UINT64_MAX, &seed))
        return app_fail(app, EXIT_USAGE, NULL, "seed is a whole number from 0, not \"%s\"", value);
    o->seed = seed;
    return 0;
}

static void get_limit(struct app *app, char *text, size_t size) { snprintf(text, size, "%g", app->limit); }
static int set_limit(struct app *app, struct app_options *o, const char *value)
{
    char *end;
    double seconds = strtod(value, &end);
    if (end == value || *end || !isfinite(seconds) || seconds <= 0 || seconds > 1e6)
        return app_fail(app, EXIT_USAGE, NULL, "limit is seconds, above 0 and up to 1000000, not \"%s\"", value);
    o->limit = seconds;
    return 0;
}

static void get_threads(struct app *app, char *text, size_t size) { snprintf(text, size, "%d", app->host_threads); }
static int set_threads(struct app *app, struct app_options *o, const char *value)
{
    uint64_t threads;
    if (!read_unsigned(value, 1024, &threads))
        return app_fail(app, EXIT_USAGE, NULL, "host-threads is 0 (one a core) to 1024, not \"%s\"", value);
    o->host_threads = (int)threads;
    return 0;
}

static void get_class(struct app *app, char *text, size_t size)
{
    snprintf(text, size, "%s", app->class_mode ? "on" : "off");
}
static int set_class(struct app *app, struct app_options *o, const char *value)
{
    if (strcmp(value, "on") && strcmp(value, "off"))
        return app_fail(app, EXIT_USAGE, "set class on", "class is on or off, not \"%s\"", value);
    o->class_mode = !strcmp(value, "on");
    return 0;
}

static void get_pages(struct app *app, char *text, size_t size)
{
    snprintf(text, size, "%s", app->no_pages ? "off" : "on");
}
static int set_pages(struct app *app, struct app_options *o, const char *value)
{
    (void)o; /* it is not one of the options */
    if (strcmp(value, "on") && strcmp(value, "off"))
        return app_fail(app, EXIT_USAGE, "set pages off", "pages is on or off, not \"%s\"", value);
    app->no_pages = !strcmp(value, "off");
    return 0;
}

static const struct setting settings[] = {
    {"device", "", "where kernels run: auto, gpu, gpu:N, sim:CARD, sim:FILE", get_device, set_device},
    {"limit", "", "seconds a run may take", get_limit, set_limit},
    {"seed", "", "what random input is made from", get_seed, set_seed},
    {"host-threads", "", "threads the simulator uses here; 0: one a core", get_threads, set_threads},
    {"class", "on off", "on a projector: why framed, solutions hidden", get_class, set_class},
    {"pages", "on off", "stop where a long answer fills the screen", get_pages, set_pages},
    {"lang", "", "the language: auto (as the locale says), %s", get_lang, set_lang},
    {"color", "auto always never", "colours on the screen: auto, always, never", get_color, set_color},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const struct setting *find(const char *name)
{
    for (int i = 0; i < SETTINGS; i++)
        if (!strcmp(settings[i].name, name)) return &settings[i];
    return NULL;
}

bool setting_values(const char *name, struct words *out)
{
    const struct setting *s = find(name);
    if (s && !strcmp(name, "device")) complete_devices(out);
    else if (s && !strcmp(name, "lang"))
        for (int i = 0; i < LANGUAGES; i++) words_add(out, language_codes[i]);
    else if (s && *s->values) words_split(out, s->values);
    else return false;
    return true;
}

static void complete_settings(struct app *app, struct words *out)
{
    for (int i = 0; i < SETTINGS; i++) words_add(out, settings[i].name);
    if (app->lessons) app->lessons->settings(app, out);
    words_add(out, "sim");
    card_keys(app, out);
}

static int unknown(struct app *app, const char *name)
{
    struct words all = {0};
    complete_settings(app, &all);
    const char *near = app_nearest(name, &all);
    char next[64];
    if (near) snprintf(next, sizeof next, "set %.40s", near);
    bool in_lesson = app->lessons && *app->lessons->where(app);
    int status = app_fail(app, EXIT_USAGE,
                          near        ? next
                          : in_lesson ? "set"
                                      : "lesson 1",
                          "there is no setting \"%s\"", name);
    words_free(&all);
    return status;
}

static bool is_place(void *arg, const struct state_event *e)
{
    bool *begun = arg;
    *begun = *begun || !strcmp(e->verb, "at");
    return !*begun;
}

/* At the start of a session, the variables of the lesson where the student stopped last time are
 * available too. */
static void take_up_lesson(struct app *app)
{
    bool begun = false;
    if (app->lessons && *app->lessons->where(app)) return;
    state_each(app, is_place, &begun);
    if (begun) session_here(app);
}

static const char *setting_get(struct app *app, const char *name)
{
    static char text[DEVICES_MAX * 81];
    const struct setting *s = find(name);
    if (!s) take_up_lesson(app);
    if (!strncmp(name, "sim.", 4)) return card_value(app, name + 4, text, sizeof text);
    if (!s) return app->lessons ? app->lessons->get(app, name) : NULL;
    s->get(app, text, sizeof text);
    return text;
}

int setting_option(struct app *app, const char *name, const char *value)
{
    return find(name)->set(app, &app->options, value);
}

int setting_set(struct app *app, const char *name, const char *value)
{
    const struct setting *s = find(name);
    int status = s ? s->set(app, &app->options, value) : 0;
    for (struct app_kept *k = app->kept; s && k && !status; k = k->outer) status = s->set(app, &k->options, value);
    options_changed(app);
    if (s) return status;
    take_up_lesson(app);
    if (!strncmp(name, "sim.", 4)) return card_change(app, name + 4, value);
    if (app->lessons && app->lessons->get(app, name)) return app->lessons->set(app, name, value);
    return unknown(app, name);
}

/* ---- commands ---- */
static int show(struct app *app, const char *name)
{
    if (!strcmp(name, "sim")) return card_list(app);
    const char *value = setting_get(app, name);
    if (!value) return unknown(app, name);
    const struct setting *s = find(name);
    doc d = doc_open(app);
    char left[900], brief[300];
    doc_data(&d, "setting", "name %s, value %s", name, value);
    snprintf(left, sizeof left, "%-12s  %-10s", name, value);
    doc_entry(&d, utf8_width(left) > 24 ? utf8_width(left) + 2 : 26, left, "%s%s%s", app_style(app, STYLE_DIM),
              s                          ? language_choices(s->brief, false, brief, sizeof brief)
              : strncmp(name, "sim.", 4) ? TR("of this lesson")
                                         : TR("of the simulated card"),
              app_style(app, STYLE_PLAIN));
    return EXIT_DONE;
}

static int show_all(struct app *app)
{
    for (int i = 0; i < SETTINGS; i++) show(app, settings[i].name);
    struct words of_lesson = {0};
    take_up_lesson(app);
    if (app->lessons) app->lessons->settings(app, &of_lesson);
    for (int i = 0; i < of_lesson.count; i++) show(app, of_lesson.v[i]);
    for (int i = 0; i < app->card_change_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "sim.%s", app->card_changes[i].key);
        show(app, name);
    }
    words_free(&of_lesson);
    return EXIT_DONE;
}

int settings_get_run(struct app *app, int argc, char **argv)
{
    if (argc == 1) return show_all(app);
    if (argc == 2) return show(app, argv[1]);
    return app_fail(app, EXIT_USAGE, "help get", "get takes one name");
}

int settings_set_run(struct app *app, int argc, char **argv)
{
    if (argc == 1) return show_all(app);
    if (argc == 2) return show(app, argv[1]);
    if (argc > 3) return app_fail(app, EXIT_USAGE, "help set", "set takes a name and one value");
    int status = setting_set(app, argv[1], argv[2]);
    return status ? status : show(app, argv[1]);
}

void settings_complete(struct app *app, int argc, char **argv, struct words *out)
{
    if (argc == 1) complete_settings(app, out);
    if (argc == 2 && !strcmp(argv[0], "set")) setting_values(argv[1], out);
}
