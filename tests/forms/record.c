/* record.c: what a real card answers to forms; needs its driver, no simulator.
 *
 *     record [-t SECONDS] [-v DIR] FILES...     writes FILE.h100 (the card's kind), and DIR/FILE.values: the
 *                                               results of some threads; stops after so many seconds
 *
 * A form that the card refuses or that fails is left out, and named. The card is asked by a child
 * process, which is killed when a form takes more than ten seconds; another goes on behind that form. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ptx.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum state { WAITS, REFUSED, FAILED, DONE };
enum { SECONDS = 10 };
static time_t ends;
typedef struct shared {
    volatile int at;
    char kind[64];
    struct {
        uint64_t hash;
        volatile int state;
    } form[MOST];
} shared;
static shared *with;
static FILE *values;

static void ask(int i, void *module, const char *kernel, uint64_t *out)
{
    const form *f = &forms[i];
    fill(f, N);
    memset(out, 0, N * 8);
    if (!run_card(f, module, kernel, out)) {
        with->form[i].state = FAILED;
        _exit(1); /* its context cannot be used any more */
    }
    with->form[i].hash = hash(f, out);
    with->form[i].state = DONE;
    if (!values) return;
    const uint32_t bytes = (uint32_t)strlen(f->text);
    fwrite(&bytes, 4, 1, values);
    fwrite(f->text, 1, bytes, values);
    for (int k = 0; k < KEPT; k++) fwrite(&out[kept(k)], 8, 1, values);
    fflush(values);
}

static void child(int first)
{
    uint64_t *out = calloc(N, 8);
    snprintf(with->kind, sizeof with->kind, "%s", open_card());
    while (first < count) {
        const int n = module_size(first);
        char *module = module_text(first, n), kernel[16];
        void *whole = load_card(module);
        free(module);
        for (int i = 0; i < n; i++) {
            void *one = whole;
            with->at = first + i;
            snprintf(kernel, sizeof kernel, "k%d", i);
            if (forms[first + i].ulp > 0) continue;
            if (!whole) {
                module = single_text(&forms[first + i], i);
                one = load_card(module);
                free(module);
            }
            if (one) ask(first + i, one, kernel, out);
            else with->form[first + i].state = REFUSED;
            if (one && !whole) unload_card(one);
        }
        if (whole) unload_card(whole);
        first += n;
    }
    _exit(0);
}

/* From form `first` on; returns the form behind the one that failed. */
static int run_child(int first)
{
    with->at = first;
    const pid_t pid = fork();
    if (pid < 0) die("fork failed");
    if (!pid) child(first);
    int status, last = -1, still = 0;
    while (!waitpid(pid, &status, WNOHANG)) {
        const struct timespec pause = {0, 20000000};
        nanosleep(&pause, NULL);
        still = with->at == last ? still + 1 : 0;
        last = with->at;
        if (still < SECONDS * 50 && (!ends || time(NULL) < ends)) continue;
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        break;
    }
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return count;
    if (!first && WIFEXITED(status) && WEXITSTATUS(status) == 2) exit(2); /* no card */
    return ends && time(NULL) >= ends ? count : with->at + 1;
}

static void write_file(const char *file, int first)
{
    static const char *const what[] = {"is not answered", "is refused by the card", "fails on the card"};
    FILE *f = fopen(card_file(file, with->kind), "w");
    int done = 0;
    if (!f) die("cannot write %s", card_file(file, with->kind));
    for (int i = first; i < count; i++) {
        if (with->form[i].state == FAILED) fprintf(f, "fails            %s\n", forms[i].text);
        if (with->form[i].state == DONE) done++, fprintf(f, "%016" PRIx64 " %s\n", with->form[i].hash, forms[i].text);
        else if (forms[i].ulp <= 0) printf("%s: %s\n", what[with->form[i].state], forms[i].text);
    }
    fclose(f);
    printf("%s: %d of %d forms recorded\n", card_file(file, with->kind), done, count - first);
}

int main(int argc, char **argv)
{
    const char *dir = NULL;
    int at = 1;
    for (; at + 2 < argc && argv[at][0] == '-'; at += 2)
        if (argv[at][1] == 'v') dir = argv[at + 1];
        else ends = time(NULL) + atoi(argv[at + 1]);
    if (at >= argc) die("usage: record [-t SECONDS] [-v DIR] FILES...");
    forms = calloc(MOST, sizeof *forms);
    with = mmap(NULL, sizeof *with, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 3; i++) inputs[i] = calloc(N, 8);
    if (!forms || with == MAP_FAILED || !inputs[2]) die("out of memory");
    for (; at < argc; at++) {
        count = 0;
        memset(with, 0, sizeof *with);
        read_forms(argv[at]);
        if (dir) {
            const char *base = strrchr(argv[at], '/');
            char name[512];
            snprintf(name, sizeof name, "%s/%s", dir, card_file(base ? base + 1 : argv[at], "values"));
            values = fopen(name, "wb");
            if (!values) die("cannot write %s", name);
        }
        for (int first = 0; first < count;) first = run_child(first);
        write_file(argv[at], 0);
        if (values) fclose(values);
        values = NULL;
    }
    return 0;
}
