/* devices.c: which devices there are, and what --device means.
 *
 * A simulated card is a text file: one of sim/cards/, which are built into the program, or one that
 * the person names. A child asks the driver for GPUs, once, and only when necessary. */
#include "shell/app.h"
#include "devices.h"

#include "card_changes.h"
#include "shell/child.h"
#include "shell/embedded.h"
#include "shell/format.h"
#include "gpu.h"
#include "shell/json.h"
#include "sim.h"
#include "shell/language.h"
#include "shell/words.h"
#include "shell/plain_file.h"
#include "course/lesson.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CARD_FILE_MAX = 1 << 20 };

/* ---- simulated cards ---- */
/* The card's name in "sim/cards/NAME.card"; its length is 0 when the file is not a card. */
static const char *card_of_file(const embedded_file *f, size_t *length)
{
    static const char folder[] = "sim/cards/", suffix[] = ".card";
    size_t n = strlen(f->name), before = strlen(folder), after = strlen(suffix);
    *length = 0;
    if (n > before + after && !strncmp(f->name, folder, before) && !strcmp(f->name + n - after, suffix))
        *length = n - before - after;
    return f->name + before;
}

static const embedded_file *card_file(const char *card)
{
    for (const embedded_file *f = embedded_files; f->name; f++) {
        size_t n;
        const char *name = card_of_file(f, &n);
        if (n == strlen(card) && !strncmp(name, card, n)) return f;
    }
    return NULL;
}

bool device_simulates(const char *card) { return card_file(card) != NULL; }

void device_names(struct words *out)
{
    for (const embedded_file *f = embedded_files; f->name; f++) {
        size_t n;
        const char *name = card_of_file(f, &n);
        if (n) words_addn(out, name, n);
    }
    words_sort(out);
}

int device_card_text(struct app *app, const struct device *d, char **text)
{
    *text = NULL;
    if (!d->path[0]) {
        const embedded_file *f = card_file(d->card);
        if (!f) return app_fail(app, EXIT_DEVICE, "devices", "there is no simulated card \"%s\"", d->card);
        *text = strdup(f->text);
        return *text ? 0 : app_no_memory(app);
    }
    size_t n;
    const int why = file_read(d->path, CARD_FILE_MAX - 1, text, &n);
    if (why && why != EFBIG)
        return app_fail(app, EXIT_DEVICE, "devices", "the card file %s cannot be read: %s", d->path, plain_error(why));
    if (!why && !memchr(*text, 0, n)) return 0;
    free(*text);
    *text = NULL;
    return app_fail(app, EXIT_DEVICE, NULL, "the card file %s cannot be read as text, or is too large", d->path);
}

bool device_card_title(const char *card, char *out, size_t size)
{
    const embedded_file *f = card_file(card);
    sim_card c;
    sim_error err = {0};
    if (!f || sim_card_read(&c, f->text, card, &err)) return false;
    snprintf(out, size, "%s", c.title);
    return true;
}

/* ---- GPUs ---- */
enum { GPUS_MAX = 16 };
struct gpus {
    int count, driver;
    gpu_info info[GPUS_MAX];
    char why[200];
};
static struct gpus gpus;
static bool gpus_asked;

static int ask_driver(struct child *c, void *arg)
{
    struct gpus *g = arg;
    g->count = gpu_list(g->info, GPUS_MAX, &g->driver, g->why, sizeof g->why);
    return child_put(c, g, sizeof *g) ? 0 : 1;
}

int device_gpus(struct app *app, const char **why)
{
    (void)app;
    if (!gpus_asked) {
        struct child_limits limits = {.seconds = 20};
        struct child_result r;
        static struct gpus empty;
        gpus = empty;
        int status = child_run(&limits, ask_driver, &empty, &r);
        if (status == 0 && r.bytes == sizeof gpus) {
            memcpy(&gpus, r.answer, sizeof gpus);
            gpus.why[sizeof gpus.why - 1] = 0;
            for (int i = 0; i < GPUS_MAX; i++) gpus.info[i].name[sizeof gpus.info[i].name - 1] = 0;
            if (gpus.count < 0) gpus.count = 0;
        } else {
            snprintf(gpus.why, sizeof gpus.why, "asking the NVIDIA driver failed: %s", r.message);
        }
        gpus_asked = status != EXIT_INTERRUPT;
        child_free(&r);
    }
    static char said[sizeof gpus.why + 100];
    if (why) *why = gpus.count ? NULL : language_said(gpus.why, said, sizeof said);
    return gpus.count;
}

/* Could there be a driver with a GPU? Answered without asking it. */
static bool driver_may_be_there(void)
{
    const char *named = getenv("WARPSTEP_CUDA_DRIVER");
    if (named) return access(named, F_OK) == 0;
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0; /* Linux; Linux on Windows */
}

void device_prompt(const struct app *app, const char *card, char *out, size_t size)
{
    const struct device *d = &app->devices[0];
    const bool gpu = gpus_asked ? gpus.count > 0 : driver_may_be_there();
    if (d->kind != DEVICE_AUTO) snprintf(out, size, "%s%s", d->label, app->device_count > 1 ? ",..." : "");
    else if (gpu) snprintf(out, size, "%s", gpus_asked ? "gpu:0" : "auto");
    else snprintf(out, size, "sim:%.40s", card ? card : DEFAULT_CARD);
}

/* Its letters and digits alone, in lower case. */
static void slug_of(const char *text, char *slug, size_t size)
{
    size_t used = 0;
    for (const char *p = text; *p && used < size - 1; p++)
        if (isalnum((unsigned char)*p)) slug[used++] = (char)tolower((unsigned char)*p);
    slug[used] = 0;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(end), all = strlen(text);
    return n && all >= n && !strcmp(text + all - n, end);
}

void device_card_of(const char *title, char *card, size_t size)
{
    char slug[64], own[64], full[64];
    struct words cards = {0};
    slug_of(title, slug, sizeof slug);
    device_names(&cards);
    for (int i = 0; i < cards.count; i++) {
        if (!device_card_title(cards.v[i], full, sizeof full)) *full = 0;
        slug_of(full, own, sizeof own);
        if (ends_with(slug, cards.v[i]) || ends_with(slug, own)) snprintf(card, size, "%.31s", cards.v[i]);
    }
    words_free(&cards);
}

const gpu_info *device_gpu(int index)
{
    return index >= 0 && index < gpus.count && index < GPUS_MAX ? &gpus.info[index] : NULL;
}

int device_gpu_arch(struct app *app, int index)
{
    int count = device_gpus(app, NULL);
    return index < count && index < GPUS_MAX ? 10 * gpus.info[index].cc_major + gpus.info[index].cc_minor : 0;
}

/* ---- what --device means ---- */
static int bad_device(struct app *app, const char *text, size_t length)
{
    return app_fail(app, EXIT_USAGE, "devices", "a device is auto, gpu, gpu:N, sim:CARD or sim:FILE, not \"%.*s\"",
                    length > 100 ? 100 : (int)length, text);
}

int device_simulated(struct app *app, const char *name, struct device *d)
{
    d->kind = DEVICE_SIM;
    if (strchr(name, '/') || strchr(name, '.')) {
        const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
        snprintf(d->path, sizeof d->path, "%s", name);
        snprintf(d->card, sizeof d->card, "%.*s", (int)strcspn(base, "."), base);
        snprintf(d->label, sizeof d->label, "sim:%s", d->card);
        if (access(name, R_OK))
            return app_fail(app, EXIT_DEVICE, "devices", "there is no card file %s: %s", name, strerror(errno));
        return 0;
    }
    struct words cards = {0};
    device_names(&cards);
    int status = 0;
    if (!words_have(&cards, name)) {
        const char *near = app_nearest(name, &cards);
        char next[64];
        if (near) snprintf(next, sizeof next, "sim:%.40s", near);
        status = app_fail(app, EXIT_DEVICE, near ? next : "devices", "there is no simulated card \"%s\"", name);
    }
    words_free(&cards);
    snprintf(d->card, sizeof d->card, "%.31s", name);
    snprintf(d->label, sizeof d->label, "sim:%.40s", name);
    return status;
}

int device_parse(struct app *app, const char *text, struct device out[DEVICES_MAX], int *count)
{
    *count = 0;
    for (const char *p = text;; p++) {
        size_t n = strcspn(p, ",");
        char one[sizeof out->path];
        if (n == 0 || n >= sizeof one) return bad_device(app, p, n);
        if (*count == DEVICES_MAX) return app_fail(app, EXIT_USAGE, NULL, "at most %d devices at once", DEVICES_MAX);
        memcpy(one, p, n);
        one[n] = 0;
        struct device *d = &out[*count];
        memset(d, 0, sizeof *d);
        d->index = -1;
        char *end;
        if (!strcmp(one, "auto")) {
            d->kind = DEVICE_AUTO;
            snprintf(d->label, sizeof d->label, "auto");
        } else if (!strcmp(one, "gpu")) {
            d->kind = DEVICE_GPU;
            snprintf(d->label, sizeof d->label, "gpu");
        } else if (!strncmp(one, "gpu:", 4) && one[4] >= '0' && one[4] <= '9') {
            long index = strtol(one + 4, &end, 10);
            if (*end || index > 999) return bad_device(app, one, n);
            d->kind = DEVICE_GPU;
            d->index = (int)index;
            snprintf(d->label, sizeof d->label, "gpu:%ld", index);
        } else if (!strncmp(one, "sim:", 4) && one[4]) {
            int status = device_simulated(app, one + 4, d);
            if (status) return status;
        } else {
            return bad_device(app, one, n);
        }
        (*count)++;
        p += n;
        if (!*p) return 0;
    }
}

int device_resolve(struct app *app, const char *card, struct device out[DEVICES_MAX], int *count)
{
    for (int i = 0; i < app->device_count; i++) {
        struct device *d = &out[i];
        const char *why;
        *d = app->devices[i];
        if (d->kind == DEVICE_AUTO) {
            memset(d, 0, sizeof *d);
            if (device_gpus(app, NULL) > 0) {
                d->kind = DEVICE_GPU;
            } else {
                int status = device_simulated(app, card ? card : DEFAULT_CARD, d);
                if (status) return status;
            }
        }
        if (d->kind == DEVICE_GPU) {
            int have = device_gpus(app, &why);
            if (have == 0) return app_fail(app, EXIT_DEVICE, "--device sim:8800gt", "%s is absent: %s", d->label, why);
            if (d->index >= have)
                return app_fail(app, EXIT_DEVICE, "devices", "%s is absent: GPUs here are numbered 0 to %d", d->label,
                                have - 1);
            if (d->index < 0) d->index = 0;
            snprintf(d->label, sizeof d->label, "gpu:%d", d->index);
            device_card_of(gpus.info[d->index < GPUS_MAX ? d->index : 0].name, d->card, sizeof d->card);
        }
        if (d->kind == DEVICE_SIM) card_note_changes(app, d);
    }
    *count = app->device_count;
    return 0;
}
