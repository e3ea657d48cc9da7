/* film_offer.c: after a fault: the command that opens it where it happened. The word `step` alone means
 * that command until something else is run. */
#include "film_line.h"
#include "run/kernel_name.h"
#include "session/session_program.h"
#include <stdlib.h>
#include <string.h>

void film_offer_none(struct app *app)
{
    free(app->fault_step);
    app->fault_step = NULL;
}

/* A kernel that does not end fails nowhere: no frame of it shows a fault. */
static bool happens(int kind) { return kind != SIM_FAULT_ENDLESS; }

const step_fault *film_fault(const step_fault *f, int count)
{
    for (int i = 0; i < count; i++)
        if (!f[i].note && f[i].at.line > 0 && happens(f[i].kind)) return &f[i];
    return NULL;
}

/* Remembers and says it. */
static void offer(doc *d)
{
    doc_line(d, d->app->interactive ? "  `step` shows it happen:" : "  See it happen:");
    doc_line(d, "    %s", d->app->fault_step); /* not wrapped: it is there to be copied */
}

void film_offer_kernel(doc *d, const struct session_program *program, const struct program_record *r)
{
    struct app *app = d->app;
    film_offer_none(app);
    for (int i = 0; program && i < r->fault_count; i++) {
        const struct program_fault *f = &r->faults[i];
        char name[400];
        const lesson_step *s = NULL;
        if (!f->note && f->line > 0 && happens(f->kind))
            s = session_program_step(program, kernel_title(f->kernel, name, sizeof name));
        unsigned at[3];
        if (!s || sscanf(f->block, "%u,%u,%u", &at[0], &at[1], &at[2]) != 3) continue;
        const size_t size = strlen(s->name) + 96;
        if (!(app->fault_step = malloc(size))) return;
        snprintf(app->fault_step, size, "step exec.%s --at %u,%u,%u --find fault", s->name, at[0], at[1], at[2]);
        offer(d);
        return;
    }
}

void film_offer(doc *d, const char *words, const step_fault *list, int count)
{
    struct app *app = d->app;
    const step_fault *f = film_fault(list, count);
    film_offer_none(app);
    if (!f || !words) return;
    char launch[32] = "";
    if (f->launch > 1) snprintf(launch, sizeof launch, " --launch %d", f->launch);
    const size_t size = strlen(words) + 128;
    if (!(app->fault_step = malloc(size))) return;
    snprintf(app->fault_step, size, "step %s --at %u,%u,%u%s --find fault", words, f->at.block[0], f->at.block[1],
             f->at.block[2], launch);
    offer(d);
}

/* A word as a command line has it. */
static void put_word(FILE *out, const char *word)
{
    if (word[0] && !strpbrk(word, " \t'\"\\#;|&<>()$`*?[]{}!~")) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (const char *p = word; *p; p++) {
        if (*p == '\'') fputs("'\\''", out);
        else fputc(*p, out);
    }
    fputc('\'', out);
}

static void put_options(FILE *out, const struct app *app)
{
    if (app->device_explicit) fprintf(out, " --device %s", app->devices[0].label);
    if (app->seed) fprintf(out, " --seed %llu", (unsigned long long)app->seed);
}

char *film_words_of_try(const struct app *app, int argc, char **argv)
{
    /* of no use to a film; those of the first row take a value */
    static const char *const valued[] = {"--dump", "--save", "--shuffle"}, *const plain[] = {"--why", "--counters",
                                                                                             "--lines"};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    for (int i = 1; i < argc; i++) {
        bool skipped = false;
        for (int k = 0; k < 3 && !skipped; k++) {
            const size_t n = strlen(valued[k]);
            skipped = !strncmp(argv[i], valued[k], n) && (!argv[i][n] || argv[i][n] == '=');
            if (skipped && !argv[i][n]) i++;
        }
        for (int k = 0; k < 3 && !skipped; k++) skipped = !strcmp(argv[i], plain[k]);
        if (skipped) continue;
        if (ftell(out) > 0) fputc(' ', out);
        put_word(out, argv[i]);
    }
    put_options(out, app);
    fclose(out);
    return text;
}

char *film_words_of_step(struct app *app, const lesson_step *s, const step_chosen *chosen)
{
    const lesson *l = app->lesson->l;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    fputs(session_step_name(app, s), out);
    for (int i = 0; i < l->setting_count; i++)
        if (chosen->set[i]) fprintf(out, " %s=%lld", l->setting[i].name, (long long)chosen->value[i]);
    put_options(out, app);
    fclose(out);
    return text;
}
