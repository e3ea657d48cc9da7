/* command.c: throws command lines made of known words and of rubbish at the program, and looks only
 * for crashes. Build it with SANITIZER=address,undefined.
 *
 *     build/.../tests/fuzz/command SECONDS SEED [ROOT [FILE ...]]
 *
 * It works in a folder of its own under $TMPDIR. Steps and kernels run with a limit of a tenth of a
 * second. A line that takes longer than a few seconds (check-lessons, say) is interrupted as Ctrl-C
 * would. One that then does not end is a failure. */
#include "shell/app.h"
#include "commands/commands.h"
#include "shell/terminal.h"
#include "shell/words.h"
#include "corpus.h"

#include <limits.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 4, MOST = 90 }; /* seconds: interrupt after, then fail after */

static uint64_t state;
static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    static const char text[] = "a line did not end when it was interrupted: see last-line\n";
    (void)number;
    if (alarms++) {
        (void)!write(2, text, sizeof text - 1);
        abort();
    }
    app_interrupted = 1;
    alarm(MOST);
}

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static const char *const pieces[] = {
    "1",
    "1.v3",
    "v2",
    "sum",
    "next",
    "source",
    "ptx",
    "diff",
    "mem",
    "banks",
    "counters",
    "lines",
    "n=1000",
    "n=0",
    "threads=-1",
    "threads",
    "blocks",
    "32",
    "512",
    "n",
    "0",
    "-1",
    "99999999999999999999",
    "1e308",
    "nan",
    "0x10",
    "--json",
    "--device",
    "sim:8800gt",
    "sim:h200,sim:8800gt",
    "gpu",
    "gpu:0",
    "sim:",
    "sim:/dev/null",
    "auto,",
    ",",
    "--seed",
    "--seed=",
    "--limit",
    "--limit=0.01",
    "--threads",
    "2",
    "--color",
    "always",
    "--",
    "-c",
    "--nope",
    "--grid",
    "--block",
    "1,1,1",
    "0,0",
    "4294967296",
    "--arg",
    "i32:5",
    "f32[16]:iota",
    "f32[]@/dev/null",
    "i32[99999999999]:zero",
    "--dump",
    "0[0:4]",
    "0[4:0]",
    "--check",
    "race,init",
    "--counters",
    "--lines",
    "--save",
    "md",
    "csv",
    "json",
    "seed",
    "limit",
    "device",
    "color",
    "host-threads",
    "default",
    "1Mi",
    "1/0",
    "((",
    "k.ptx",
    "k.ptx:a",
    "transactions",
    "yes",
    "a",
    "?",
    "\"",
    "'",
    "\\",
    "#",
    "a b",
    "\"a b\"",
    "'",
    "\xff\xfe",
    "\xc3\xa9",
    "%s%n",
    "\033[2J",
    "=",
    ":",
    ".",
    "..",
    "1.",
    ".v3",
    "1.1.1",
    "-",
    "",
};

/* The i-th line of the corpus; after the last, one with changes. False when the corpus is empty. */
static bool kept_line(long i, char *line, size_t size)
{
    static char text[CORPUS_BYTES];
    const char *p = corpus_count ? corpus[0].text : "";
    for (; i && (p = strchr(p, '\n')); i--) p++;
    if (!p || !*p) {
        const size_t n = corpus_change(text, below);
        if (!n) return false;
        for (p = text + below((uint32_t)n); p > text && p[-1] != '\n';) p--;
    }
    snprintf(line, size, "%.*s", (int)strcspn(p, "\n"), p);
    return true;
}

static void make_line(char *line, size_t size)
{
    struct words commands = {0};
    complete_commands(&commands);
    size_t used = 0;
    *line = 0;
    if (below(20) && commands.count) {
        const char *name = commands.v[below((uint32_t)commands.count)];
        size_t n = below(4) ? strlen(name) : below((uint32_t)strlen(name)) + 1;
        used += (size_t)snprintf(line, size, "%.*s", (int)n, name);
    }
    for (uint32_t i = below(6); i > 0 && used < size; i--) {
        const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
        used += (size_t)snprintf(line + used, size - used, "%s%s", below(12) ? " " : "", piece);
    }
    if (!below(10) && *line) line[below((uint32_t)strlen(line))] = (char)(below(255) + 1);
    words_free(&commands);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: command SECONDS SEED [ROOT [FILE ...]]\n");
        return 2;
    }
    time_t end = time(NULL) + atol(argv[1]);
    state = strtoull(argv[2], NULL, 10) * 2 + 1;
    char root[PATH_MAX], folder[PATH_MAX], home[PATH_MAX + 16];
    if (!realpath(argc > 3 ? argv[3] : ".", root)) return 2;
    snprintf(folder, sizeof folder, "%.4000s/warpstep-fuzz-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder) || chdir(folder)) return 2;
    snprintf(home, sizeof home, "%s", folder);
    setenv("HOME", home, 1);
    setenv("WARPSTEP_COMPILER", "none", 1);
    unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_STATE_HOME");
    FILE *f = fopen("k.ptx", "w");
    if (f) {
        fputs(
            ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry a(.param .u64 p)\n{\n again: bra again;\n"
            "}\n",
            f);
        fclose(f);
    }
    static struct app app;
    for (int i = 4; i < argc; i++) /* the working folder changes below */
        if (argv[i][0] != '/') return 2;
    corpus_read(argc > 4 ? argc - 4 : 0, argv + 4);
    app.out = fopen("/dev/null", "w");
    app.err = fopen("/dev/null", "w");
    app.root = root;
    app.width = 80;
    app.height = 24;
    app.utf8 = true;
    app.limit = 0.1;
    app.device_count = 1;
    snprintf(app.devices[0].label, sizeof app.devices[0].label, "auto");
    if (!app.out || !app.err) return 2;
    struct sigaction a = {.sa_handler = on_alarm};
    sigemptyset(&a.sa_mask);
    sigaction(SIGALRM, &a, NULL);
    long lines = 0, done = 0, kept = 0;
    for (const char *p = corpus_count ? corpus[0].text : ""; (p = strchr(p, '\n')); p++) kept++;
    for (; time(NULL) < end || lines < kept; lines++) {
        char line[1024];
        if ((lines >= kept && below(2)) || !kept_line(lines, line, sizeof line)) make_line(line, sizeof line);
        FILE *last = fopen("last-line", "w"); /* for whoever looks into a crash */
        if (last) {
            fputs(line, last);
            fclose(last);
        }
        app.json = below(4) == 0;
        app.width = below(8) ? 80 : (int)below(200);
        struct words found = {0};
        bool files;
        size_t n = strlen(line), start = n ? below((uint32_t)n + 1) : 0;
        complete_line(&app, line, start, n, &found, &files);
        words_free(&found);
        app_interrupted = 0;
        alarms = 0;
        alarm(PATIENCE);
        done += app_line(&app, line) == 0;
        alarm(0);
        if (app.limit > 0.2) app.limit = 0.1;
        app.quit = false;
    }
    if (app.lessons) app.lessons->close(&app);
    fclose(app.out);
    fclose(app.err);
    corpus_free();
    printf("%ld lines, %ld of them done, in %s\n", lines, done, folder);
    return 0;
}
