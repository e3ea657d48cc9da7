/* drive.c: plays a terminal session from a script. It waits for text, never for time.
 *
 *     size 80 24             of the terminal, before start
 *     env NAME VALUE         for the program; unset NAME
 *     needs readline|plain   skip the test unless the program was built so
 *     start WORDS...         run $WARPSTEP with these words on the terminal
 *     type TEXT              send TEXT and Enter
 *     send TEXT              send TEXT as it is
 *     wait TEXT              wait until TEXT appears after what was last waited for
 *     absent TEXT            TEXT did not appear between the last two waits
 *     shows TEXT             wait until a row of the full screen has TEXT
 *     lacks TEXT             no row has TEXT
 *     row N TEXT             row N, from 1, has TEXT now
 *     child                  wait until the program has started a process of its own
 *     resize 40 20           change the size
 *     kill                   end it with SIGKILL
 *     exit STATUS            wait until it ends with this status; stop the clock of `wait`
 *     prompt-within MS       start up to ten times: one must show its prompt within MS milliseconds
 *     shell COMMAND          must succeed
 *
 * TEXT may stand in double quotes to keep blanks. \r \n \t \e \\ \xHH mean what they do in C. A
 * line that begins with # is a comment. */
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_MAX = 1 << 22, WORDS_MAX = 32 };

static char output[OUTPUT_MAX];
static size_t filled, seen, seen_before; /* bytes read; ends of the texts of the last two waits */
static int master = -1;
static pid_t pid = -1;
static int status_of = -1; /* exit status once it ended */
static struct winsize size = {.ws_col = 80, .ws_row = 24};
static const char *file;
static int line_number;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_tail(void)
{
    size_t from = filled > 1500 ? filled - 1500 : 0;
    for (size_t i = from; i < filled; i++) {
        unsigned char c = (unsigned char)output[i];
        if (c == '\n' || (c >= ' ' && c != 127)) putchar(c);
        else printf("\\x%02x", c);
    }
    putchar('\n');
}

static void stop_program(void)
{
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    if (master >= 0) close(master);
    pid = -1;
    master = -1;
}

static void fail(const char *what, const char *text)
{
    show_tail();
    check_that(false, "%s:%d: %s %s", file, line_number, what, text);
    stop_program();
    exit(check_end());
}

/* Decodes in place and returns the length. */
static size_t decode(char *text)
{
    size_t n = strlen(text), to = 0, from = 0;
    if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
        text[--n] = 0;
        from = 1;
    }
    while (from < n) {
        char c = text[from++];
        if (c == '\\' && from < n) {
            c = text[from++];
            if (c == 'r') c = '\r';
            else if (c == 'n') c = '\n';
            else if (c == 't') c = '\t';
            else if (c == 'e') c = '\033';
            else if (c == 'x' && from + 1 < n) {
                char hex[3] = {text[from], text[from + 1], 0};
                c = (char)strtol(hex, NULL, 16);
                from += 2;
            }
        }
        text[to++] = c;
    }
    text[to] = 0;
    return to;
}

/* Reads for at most `seconds`. False at the end of the program's output. */
static bool take(double seconds)
{
    struct pollfd p = {.fd = master, .events = POLLIN};
    if (poll(&p, 1, (int)(seconds * 1000)) <= 0) return true;
    if (filled >= OUTPUT_MAX - 1) fail("too much output", "");
    ssize_t n = read(master, output + filled, OUTPUT_MAX - 1 - filled);
    if (n > 0) filled += (size_t)n;
    return n > 0 || (n < 0 && errno == EINTR);
}

static const char *find(const char *text, size_t length, size_t from, size_t to)
{
    for (size_t i = from; i + length <= to; i++)
        if (!memcmp(output + i, text, length)) return output + i;
    return NULL;
}

static bool wait_for(const char *text, size_t length, double seconds)
{
    double end = now() + seconds;
    for (;;) {
        const char *p = find(text, length, seen, filled);
        if (p) {
            seen_before = seen;
            seen = (size_t)(p - output) + length;
            return true;
        }
        double left = end - now();
        if (left <= 0 || !take(left)) return false;
    }
}

/* ---- the screen, as a terminal shows it ---- */

enum { ROWS_MOST = 120, COLUMNS_MOST = 300 };
static char grid[ROWS_MOST][COLUMNS_MOST + 1]; /* a byte per column; other characters are '?' */

/* Plays all output since the start. */
static void play_screen(void)
{
    int row = 0, column = 0;
    for (int r = 0; r < ROWS_MOST; r++) memset(grid[r], ' ', COLUMNS_MOST);
    for (size_t i = 0; i < filled; i++) {
        const unsigned char c = (unsigned char)output[i];
        if (c == 27 && i + 1 < filled && output[i + 1] == '[') {
            int number[2] = {0}, n = 0;
            for (i += 2; i < filled && (output[i] < '@' || output[i] > '~'); i++) {
                if (output[i] == ';' && n < 1) n++;
                else if (output[i] >= '0' && output[i] <= '9') number[n] = number[n] * 10 + output[i] - '0';
            }
            if (i < filled && output[i] == 'H') {
                row = number[0] > 0 ? number[0] - 1 : 0;
                column = number[1] > 0 ? number[1] - 1 : 0;
            } else if (i < filled && (output[i] == 'h' || output[i] == 'l') && number[0] == 1049) {
                for (int r = 0; r < ROWS_MOST; r++) memset(grid[r], ' ', COLUMNS_MOST);
            }
        } else if (c == '\r') {
            column = 0;
        } else if (c == '\n') {
            if (row + 1 < ROWS_MOST) row++;
        } else if (c >= ' ' && (c & 0xC0) != 0x80) {
            if (column < COLUMNS_MOST) grid[row][column++] = c < 128 ? (char)c : '?';
        }
    }
}

static bool on_screen(const char *text)
{
    play_screen();
    for (int r = 0; r < ROWS_MOST; r++)
        if (strstr(grid[r], text)) return true;
    return false;
}

static void show_screen(void)
{
    for (int r = 0; r < size.ws_row && r < ROWS_MOST; r++) printf("|%.*s|\n", size.ws_col, grid[r]);
}

static void wait_screen(const char *text, double seconds)
{
    for (double end = now() + seconds; !on_screen(text);) {
        const double left = end - now();
        if (left > 0 && take(left)) continue;
        show_screen();
        fail("the screen does not show", text);
    }
}

static void start_program(char *words)
{
    char *argv[WORDS_MAX + 1];
    int argc = 0;
    char *program = getenv("WARPSTEP");
    argv[argc++] = program ? program : (char[]){"./warpstep"};
    for (char *w = strtok(words, " "); w && argc < WORDS_MAX; w = strtok(NULL, " ")) argv[argc++] = w;
    argv[argc] = NULL;
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master)) fail("no terminal:", strerror(errno));
    const char *name = ptsname(master);
    int slave = name ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (slave < 0) fail("no terminal:", strerror(errno));
    ioctl(slave, TIOCSWINSZ, &size);
    fflush(stdout);
    filled = seen = seen_before = 0;
    status_of = -1;
    pid = fork();
    if (pid < 0) fail("no process:", strerror(errno));
    if (pid == 0) {
        setsid();
#ifdef TIOCSCTTY
        ioctl(slave, TIOCSCTTY, 0);
#endif
        dup2(slave, 0);
        dup2(slave, 1);
        dup2(slave, 2);
        close(slave);
        close(master);
        execv(argv[0], argv);
        _exit(127);
    }
    close(slave);
}

static void wait_exit(int expected, double seconds)
{
    double end = now() + seconds;
    int status = 0;
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid) break;
        if (now() > end) fail("it did not end", "");
        take(0.02);
    }
    for (;;) { /* show the last output */
        struct pollfd p = {.fd = master, .events = POLLIN};
        if (poll(&p, 1, 0) <= 0 || !take(0)) break;
    }
    pid = -1;
    close(master);
    master = -1;
    status_of = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (status_of != expected) {
        char text[64];
        snprintf(text, sizeof text, "%d, not %d", status_of, expected);
        fail("it ended with", text);
    }
}

/* Where the system does not tell about children, half a second must do. */
static void wait_for_child(double seconds)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    for (double end = now() + seconds; now() < end;) {
        FILE *f = fopen(path, "r");
        int c = f ? fgetc(f) : EOF;
        if (f) fclose(f);
        if (c != EOF) return;
        take(f ? 0.01 : 0.5);
        if (!f) return;
    }
    fail("it started no process", "");
}

static void needs(const char *reader)
{
    char line[256] = "", command[1200];
    snprintf(command, sizeof command, "'%s' --version", getenv("WARPSTEP") ? getenv("WARPSTEP") : "./warpstep");
    FILE *f = popen(command, "r");
    if (f) {
        if (!fgets(line, sizeof line, f)) line[0] = 0;
        pclose(f);
    }
    bool has = strstr(line, "Readline") != NULL;
    if (has != !strcmp(reader, "readline")) {
        printf("SKIP %s: needs a program built %s Readline\n", file, has ? "without" : "with");
        exit(77);
    }
}

static void prompt_within(double ms)
{
    double best = 1e9;
    for (int i = 0; i < 10 && best > ms; i++) {
        char none[] = "";
        double start = now();
        start_program(none);
        if (!wait_for("> ", 2, 300)) fail("no prompt", "");
        double took = 1e3 * (now() - start);
        if (took < best) best = took;
        stop_program();
    }
    char text[64];
    snprintf(text, sizeof text, "%.1f ms", best);
    if (best > ms) fail("the first prompt took", text);
    printf("first prompt after %s\n", text);
}

static void perform(char *verb, char *rest)
{
    double patience = getenv("TEST_PATIENCE") ? atof(getenv("TEST_PATIENCE")) : 300;
    if (!strcmp(verb, "size") || !strcmp(verb, "resize")) {
        int w = 0, h = 0;
        if (sscanf(rest, "%d %d", &w, &h) != 2) fail("bad size", rest);
        size.ws_col = (unsigned short)w;
        size.ws_row = (unsigned short)h;
        if (master >= 0) ioctl(master, TIOCSWINSZ, &size); /* the kernel sends SIGWINCH */
    } else if (!strcmp(verb, "env")) {
        char *value = strchr(rest, ' ');
        if (value) *value++ = 0;
        setenv(rest, value ? value : "", 1);
    } else if (!strcmp(verb, "unset")) {
        unsetenv(rest);
    } else if (!strcmp(verb, "needs")) {
        needs(rest);
    } else if (!strcmp(verb, "start")) {
        start_program(rest);
    } else if (!strcmp(verb, "prompt-within")) {
        prompt_within(atof(rest));
    } else if (!strcmp(verb, "shell")) {
        fflush(stdout);
        if (system(rest) != 0) fail("the shell command failed:", rest);
    } else if (!strcmp(verb, "exit")) {
        wait_exit(atoi(rest), patience);
    } else if (!strcmp(verb, "child")) {
        wait_for_child(patience);
    } else if (!strcmp(verb, "kill")) {
        if (pid > 0) kill(pid, SIGKILL);
        wait_exit(128 + SIGKILL, patience);
    } else if (!strcmp(verb, "wait")) {
        size_t n = decode(rest);
        if (!wait_for(rest, n, patience)) fail("waited in vain for", rest);
    } else if (!strcmp(verb, "shows")) {
        decode(rest);
        wait_screen(rest, patience);
    } else if (!strcmp(verb, "lacks")) {
        decode(rest);
        if (on_screen(rest)) fail("the screen shows", rest);
    } else if (!strcmp(verb, "row")) {
        char *wanted;
        const long n = strtol(rest, &wanted, 10);
        while (*wanted == ' ') wanted++;
        play_screen();
        if (n < 1 || n > ROWS_MOST || !strstr(grid[n - 1], wanted)) {
            show_screen();
            fail("the row does not have", rest);
        }
    } else if (!strcmp(verb, "absent")) {
        size_t n = decode(rest);
        if (find(rest, n, seen_before, seen)) fail("this should not have appeared:", rest);
    } else if (!strcmp(verb, "type") || !strcmp(verb, "send")) {
        size_t n = decode(rest);
        if (verb[0] == 't') rest[n++] = '\r';
        for (size_t at = 0; at < n;) {
            ssize_t put = write(master, rest + at, n - at);
            if (put <= 0) fail("it no longer reads:", rest);
            at += (size_t)put;
        }
    } else {
        fail("unknown line:", verb);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: drive FILE.pty\n");
        return 2;
    }
    file = argv[1];
    FILE *f = fopen(file, "r");
    if (!f) {
        perror(file);
        return 2;
    }
    setenv("NO_COLOR", "1", 0);
    signal(SIGPIPE, SIG_IGN);
    static char line[4096];
    while (fgets(line, sizeof line - 2, f)) {
        line_number++;
        line[strcspn(line, "\n")] = 0;
        char *verb = line + strspn(line, " ");
        if (!*verb || *verb == '#') continue;
        char *rest = verb + strcspn(verb, " ");
        if (*rest) *rest++ = 0;
        perform(verb, rest);
    }
    fclose(f);
    stop_program();
    check(true, file);
    return check_end();
}
