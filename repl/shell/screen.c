/* screen.c: see screen.h. Plain escape sequences that every terminal of the last thirty years has. */
#include "screen.h"
#include "format.h"
#include "terminal.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

typedef struct cell {
    char text[8]; /* one character; "" in the second column of a wide one */
    unsigned char style;
} cell;

struct screen {
    struct app *app;
    int width, height, mouse_row, mouse_column;
    bool is_picture;
    cell *now, *shown; /* shown.style 255: not known */
};

/* What a signal needs to bring the terminal back. */
static struct termios before;
static volatile sig_atomic_t is_raw;
static const char enter[] = "\033[?1049h\033[?25l\033[?1000h\033[?1006h",
                  leave[] = "\033[?1006l\033[?1000l\033[?25h\033[0m\033[?1049l";

static void write_all(const char *text, size_t bytes)
{
    while (bytes) {
        const ssize_t n = write(STDOUT_FILENO, text, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text += n;
        bytes -= (size_t)n;
    }
}

static void bring_back(void)
{
    if (!is_raw) return;
    is_raw = 0;
    write_all(leave, sizeof leave - 1);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT};
enum { FATAL = sizeof fatal / sizeof *fatal };
static struct sigaction outer[FATAL];

static void on_fatal(int signal)
{
    bring_back();
    for (int i = 0; i < FATAL; i++)
        if (fatal[i] == signal) sigaction(signal, &outer[i], NULL);
    raise(signal);
}

static bool go_raw(void)
{
    if (tcgetattr(STDIN_FILENO, &before)) return false;
    struct termios raw = before;
    raw.c_iflag &= (tcflag_t) ~(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    raw.c_oflag &= (tcflag_t)~OPOST;
    raw.c_lflag &= (tcflag_t) ~(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cflag |= CS8;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    is_raw = 1;
    if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)) {
        is_raw = 0;
        return false;
    }
    write_all(enter, sizeof enter - 1);
    return true;
}

static bool make_cells(screen *s, int width, int height)
{
    const int w = width < 20 ? 20 : width > 500 ? 500 : width, h = height < 5 ? 5 : height > 200 ? 200 : height;
    cell *now = calloc((size_t)(w * h), sizeof *now), *shown = calloc((size_t)(w * h), sizeof *shown);
    if (!now || !shown) {
        free(now);
        free(shown);
        return false;
    }
    free(s->now);
    free(s->shown);
    s->now = now;
    s->shown = shown;
    s->width = w;
    s->height = h;
    for (int i = 0; i < w * h; i++) shown[i].style = 255;
    screen_clear(s);
    return true;
}

static bool measure(screen *s)
{
    terminal_measure(s->app);
    return make_cells(s, s->app->width, s->app->height);
}

screen *screen_picture(struct app *app, int width, int height)
{
    screen *s = calloc(1, sizeof *s);
    if (s) *s = (screen){.app = app, .is_picture = true};
    if (s && make_cells(s, width, height)) return s;
    free(s);
    return NULL;
}

screen *screen_open(struct app *app)
{
    const char *term = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !*term || !strcmp(term, "dumb")) return NULL;
    screen *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->app = app;
    fflush(app->out);
    if (!measure(s) || !go_raw()) {
        free(s->now);
        free(s->shown);
        free(s);
        return NULL;
    }
    struct sigaction a;
    memset(&a, 0, sizeof a);
    sigemptyset(&a.sa_mask);
    a.sa_handler = on_fatal;
    for (int i = 0; i < FATAL; i++) sigaction(fatal[i], &a, &outer[i]);
    return s;
}

void screen_close(screen *s)
{
    if (!s) return;
    for (int i = 0; i < FATAL && !s->is_picture; i++) sigaction(fatal[i], &outer[i], NULL);
    bring_back();
    free(s->now);
    free(s->shown);
    free(s);
}

const char *screen_cell(const screen *s, int row, int column, enum screen_style *style)
{
    const cell *c = &s->now[row * s->width + column];
    *style = (enum screen_style)c->style;
    return c->text;
}

int screen_width(const screen *s) { return s->width; }
int screen_height(const screen *s) { return s->height; }

void screen_clear(screen *s)
{
    for (int i = 0; i < s->width * s->height; i++) s->now[i] = (cell){.text = " "};
}

int screen_put(screen *s, int row, int column, int width, enum screen_style style, const char *text)
{
    if (row < 0 || row >= s->height || column < 0 || column >= s->width) return 0;
    if (width > s->width - column) width = s->width - column;
    cell *c = s->now + row * s->width + column;
    int used = 0;
    size_t left = strlen(text);
    while (left && used < width) {
        uint32_t point;
        size_t n = utf8_decode(text, left, &point);
        cell one = {.style = (unsigned char)style};
        int wide = 1;
        if (!n || point < 0x20 || point == 0x7f || utf8_hidden(point)) {
            one.text[0] = point == '\t' && n ? ' ' : '?';
            n = n ? n : 1;
        } else {
            memcpy(one.text, text, n < 7 ? n : 7);
            wide = utf8_width(one.text);
        }
        text += n;
        left -= n;
        if (wide < 1) continue; /* it would join the cell before */
        if (used + wide > width) break;
        c[used++] = one;
        if (wide == 2) c[used++] = (cell){.style = (unsigned char)style};
    }
    for (int i = used; i < width; i++) c[i] = (cell){.text = " ", .style = (unsigned char)style};
    return used;
}

int screen_print(screen *s, int row, int column, int width, enum screen_style style, const char *fmt, ...)
{
    char text[1024];
    va_list v;
    va_start(v, fmt);
    vsnprintf(text, sizeof text, fmt, v);
    va_end(v);
    return screen_put(s, row, column, width, style, text);
}

int screen_wrap(screen *s, int row, int column, int width, int height, enum screen_style style, const char *text)
{
    int rows = 0;
    while (*text && rows < height) {
        size_t fits = utf8_fit(text, width), cut = fits;
        if (text[fits]) {
            while (cut && text[cut] != ' ') cut--;
            if (!cut) cut = fits ? fits : 1;
        }
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)(cut < sizeof line ? cut : sizeof line - 1), text);
        screen_put(s, row + rows++, column, width, style, line);
        text += cut;
        while (*text == ' ') text++;
    }
    return rows;
}

static const char *style_code(const screen *s, int style)
{
    switch (style) {
    case SCREEN_BOLD: return "\033[0;1m";
    case SCREEN_DIM: return "\033[0;2m";
    case SCREEN_REVERSE: return "\033[0;7m";
    case SCREEN_GOOD: return s->app->color ? "\033[0;32m" : "\033[0m";
    case SCREEN_BAD: return s->app->color ? "\033[0;31m" : "\033[0;1m";
    case SCREEN_NOTE: return s->app->color ? "\033[0;35m" : "\033[0;1m";
    case SCREEN_ACCENT: return s->app->color ? "\033[0;36m" : "\033[0;1m";
    default: return "\033[0m";
    }
}

void screen_show(screen *s)
{
    if (s->is_picture) return;
    char *out = NULL;
    size_t bytes = 0;
    FILE *m = open_memstream(&out, &bytes);
    if (!m) return;
    int style = -1;
    for (int row = 0; row < s->height; row++) {
        int at = -1; /* the cursor's column in this row */
        for (int column = 0; column < s->width; column++) {
            const cell *c = &s->now[row * s->width + column];
            cell *old = &s->shown[row * s->width + column];
            if (!memcmp(c, old, sizeof *c)) continue;
            *old = *c;
            if (!c->text[0]) continue; /* drawn with the column before */
            if (at != column) fprintf(m, "\033[%d;%dH", row + 1, column + 1);
            if (style != c->style) fputs(style_code(s, style = c->style), m);
            fputs(c->text, m);
            at = column + (column + 1 < s->width && !c[1].text[0] ? 2 : 1);
        }
    }
    if (style >= 0) fputs("\033[0m", m);
    fclose(m);
    write_all(out, bytes);
    free(out);
}

/* ---- keys ---- */

static int next_byte(int milliseconds)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    const int n = poll(&p, 1, milliseconds);
    if (n < 0) return errno == EINTR ? -2 : -1;
    if (!n) return -2;
    unsigned char c;
    const ssize_t got = read(STDIN_FILENO, &c, 1);
    return got == 1 ? c : got < 0 && errno == EINTR ? -2 : -1;
}

enum { ESCAPE_WAIT = 40 /* milliseconds that the rest of a key's sequence may take, over a slow line */ };

static int mouse_key(screen *s)
{
    int number[3] = {0}, n = 0, c;
    while ((c = next_byte(ESCAPE_WAIT)) >= 0 && c != 'M' && c != 'm') {
        if (c == ';' && n < 2) n++;
        else if (c >= '0' && c <= '9' && number[n] < 10000) number[n] = number[n] * 10 + c - '0';
    }
    if (c != 'M' || n != 2) return KEY_NONE;
    if (number[0] == 64) return KEY_UP;
    if (number[0] == 65) return KEY_DOWN;
    s->mouse_column = number[1] - 1;
    s->mouse_row = number[2] - 1;
    return number[0] == 0 ? KEY_MOUSE : KEY_NONE;
}

static int escape_key(screen *s)
{
    int c = next_byte(ESCAPE_WAIT);
    if (c < 0) return KEY_ESCAPE;
    if (c != '[' && c != 'O') return KEY_NONE;
    int number = 0;
    for (;;) {
        c = next_byte(ESCAPE_WAIT);
        if (c == '<') return mouse_key(s);
        if (c >= '0' && c <= '9' && number < 100) number = number * 10 + c - '0';
        else if (c != ';') break;
    }
    switch (c) {
    case 'A': return KEY_UP;
    case 'B': return KEY_DOWN;
    case 'C': return KEY_RIGHT;
    case 'D': return KEY_LEFT;
    case 'H': return KEY_HOME;
    case 'F': return KEY_END;
    case 'Z': return KEY_BACK_TAB;
    case '~':
        return number == 1 || number == 7   ? KEY_HOME
               : number == 4 || number == 8 ? KEY_END
               : number == 5                ? KEY_PAGE_UP
               : number == 6                ? KEY_PAGE_DOWN
                                            : KEY_NONE;
    default: return KEY_NONE;
    }
}

int screen_key(screen *s, int milliseconds)
{
    if (app_ended) return KEY_QUIT;
    if (terminal_resized) return measure(s) ? KEY_RESIZE : KEY_QUIT;
    const int c = next_byte(milliseconds);
    if (app_ended) return KEY_QUIT;
    if (terminal_resized && c < 0) return measure(s) ? KEY_RESIZE : KEY_QUIT; /* else after this key */
    if (c == -2) return KEY_NONE;
    if (c < 0 || c == 3 || c == 4) return KEY_QUIT;
    if (c == 26) { /* Ctrl-Z: the shell, and back */
        bring_back();
        raise(SIGTSTP);
        return go_raw() && measure(s) ? KEY_RESIZE : KEY_QUIT;
    }
    if (c == '\n') return KEY_ENTER;
    if (c == 8) return KEY_BACKSPACE;
    return c == KEY_ESCAPE ? escape_key(s) : c;
}

void screen_mouse(const screen *s, int *row, int *column)
{
    *row = s->mouse_row;
    *column = s->mouse_column;
}

bool screen_ask(screen *s, int row, const char *question, char *out, size_t size)
{
    size_t n = 0;
    for (*out = 0;;) {
        screen_print(s, row, 0, s->width, SCREEN_REVERSE, " %s %s_", question, out);
        screen_show(s);
        const int key = screen_key(s, 200);
        if (key == KEY_ENTER) return n > 0;
        if (key == KEY_ESCAPE || key == KEY_QUIT) return false;
        if (key == KEY_BACKSPACE && n) out[--n] = 0;
        if (key >= ' ' && key < 127 && n + 1 < size) {
            out[n++] = (char)key;
            out[n] = 0;
        }
    }
}
