/* grade_work.c: judges answers in separate processes, one per core. Each judges one file (judge.c,
 * in further children with limits) and sends back one line. So a file can spoil at most its own
 * line. */
#include "grade.h"
#include "shell/format.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const grade_field_names[FIELDS] = {"verdict",  "reason", "score",    "cycles", "goal_metric",
                                               "measured", "goal",   "compiler", "message"};

/* ---- one answer ---- */

bool grade_set_line(grade_job *j, char *line)
{
    char *field[FIELDS];
    int n = 0;
    for (char *p = line; n < FIELDS; n++) {
        field[n] = p;
        p += strcspn(p, "\t");
        if (!*p) break;
        *p++ = 0;
    }
    if (n != FIELDS - 1) return false;
    free(j->line);
    j->line = line;
    memcpy(j->field, field, sizeof field);
    return true;
}

void grade_clean(char *text)
{
    char *to = text;
    for (size_t left = strlen(text), used; left; left -= used, text += used) {
        uint32_t point = 0;
        used = utf8_decode(text, left, &point);
        const bool shown = used && !utf8_hidden(point);
        if (!shown) *to++ = used && point < 0x80 ? ' ' : '?';
        used = used ? used : 1;
        if (shown) memmove(to, text, used), to += used;
    }
    *to = 0;
}

static void write_line(const grade_exercise *e, const judge_verdict *v, char *out, size_t size)
{
    char score[16] = "", cycles[32] = "", metric[64] = "", ours[40] = "", goal[40] = "", message[700];
    int points = judge_score(v);
    if (points >= 0) snprintf(score, sizeof score, "%d", points);
    if (v->has_cycles) snprintf(cycles, sizeof cycles, "%.0f", v->cycles);
    const judge_goal *shown = NULL; /* the first goal that was missed, else the first */
    for (int i = v->goals; i-- > 0;)
        if (v->goal[i].known && (!shown || !v->goal[i].reached || shown->reached)) shown = &v->goal[i];
    if (shown) {
        snprintf(metric, sizeof metric, "%s", metrics[shown->metric].id);
        snprintf(ours, sizeof ours, "%.0f", shown->ours);
        snprintf(goal, sizeof goal, "%.0f", shown->bound);
    }
    judge_sentence(v, message, sizeof message);
    if (v->state == JUDGE_PASS && e->x->kind->form->number) message[0] = 0;
    grade_clean(message);
    snprintf(out, size, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s",
             v->state == JUDGE_PASS   ? "pass"
             : v->state == JUDGE_FAIL ? "fail"
                                      : "unjudged",
             reason_word(v->reason), score, cycles, metric, ours, goal, v->compiler, message);
}

/* Send one line, short enough for a single write to a pipe. */
static bool send_line(const grade_job *j, const judge_verdict *v, int fd)
{
    char line[LINE_MOST];
    write_line(j->e, v, line, sizeof line);
    size_t n = strlen(line);
    line[n++] = '\n';
    return write(fd, line, n) == (ssize_t)n;
}

/* In a separate process: judge, and send one line. A student is blamed only for faults of the
 * answer. */
static void work(const grading *g, grade_job *j, int fd)
{
    char *text = NULL;
    size_t bytes = 0;
    judge_verdict v = {0};
    int why = exercise_file(j->path, JUDGE_SOURCE_MAX, &text, &bytes);
    if (why) {
        bool own = why == EFBIG || why == ELOOP || why == EINVAL || why == ENXIO;
        v.state = own ? JUDGE_FAIL : JUDGE_UNJUDGED;
        v.reason = own ? REASON_REJECTED : REASON_UNJUDGED;
        snprintf(v.message, sizeof v.message, own ? "the file is not taken: %s" : "the file cannot be read: %s",
                 exercise_file_error(why));
    } else {
        judge_request q = {.x = j->e->x,
                           .text = text,
                           .bytes = bytes,
                           .name = j->e->name,
                           .seed = j->e->seed,
                           .standard = &j->e->standard};
        judge_answer(g->app, &q, &v);
    }
    bool sent = send_line(j, &v, fd);
    free(text);
    judge_free(&v);
    _exit(sent ? 0 : 1);
}

/* ---- many at once ---- */

typedef struct worker {
    pid_t pid;
    int fd;
    grade_job *j;
    char text[LINE_MOST];
    size_t used;
} worker;

static bool start(const grading *g, worker *w, grade_job *j)
{
    int fds[2];
    if (pipe(fds)) return false;
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    fcntl(fds[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        work(g, j, fds[1]);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return false;
    }
    *w = (worker){.pid = pid, .fd = fds[0], .j = j};
    return true;
}

/* The worker has closed its pipe: take its line, or report that there is none. */
static void finish(const grading *g, worker *w)
{
    int end = 0;
    while (waitpid(w->pid, &end, 0) < 0 && errno == EINTR) continue;
    close(w->fd);
    w->pid = 0;
    char *newline = memchr(w->text, '\n', w->used), lost[300];
    char *line = NULL;
    if (newline && !app_interrupted) {
        *newline = 0;
        grade_remember(g, w->j, w->text);
        line = strdup(w->text);
    }
    if (!line || !grade_set_line(w->j, line)) {
        free(line);
        int used =
            snprintf(lost, sizeof lost, "unjudged\tunjudged\t\t\t\t\t\t\tthe judge did not come back with a verdict");
        if (WIFSIGNALED(end) && !app_interrupted)
            snprintf(lost + used, sizeof lost - (size_t)used, ": it was killed by signal %d (%s)%s", WTERMSIG(end),
                     strsignal(WTERMSIG(end)), WTERMSIG(end) == SIGKILL ? ", perhaps for want of memory" : "");
        line = strdup(lost);
        if (line && !grade_set_line(w->j, line)) free(line);
    }
}

static void progress(const grading *g, int done, int all)
{
    if (isatty(fileno(g->app->err))) fprintf(g->app->err, "\r%d of %d judged%s", done, all, done == all ? "\n" : "");
}

int grade_work(grading *g, grade_job *job, int jobs)
{
    long cores = g->app->host_threads ? g->app->host_threads : sysconf(_SC_NPROCESSORS_ONLN);
    int most = cores < 1              ? 1
               : cores > MOST_WORKERS ? MOST_WORKERS
                                      : (int)cores,
        running = 0, next = 0, done = 0, all = 0;
    worker *w = calloc((size_t)most, sizeof *w);
    if (!w) return app_no_memory(g->app);
    for (int i = 0; i < jobs; i++) all += !job[i].line && job[i].file;
    while (running || next < jobs) {
        for (int i = 0; i < most && next < jobs && !app_interrupted; i++) {
            while (next < jobs && (job[next].line || !job[next].file)) next++;
            if (w[i].pid || next >= jobs) continue;
            if (start(g, &w[i], &job[next])) {
                running++;
                next++;
            } else if (!running) {
                free(w);
                return app_fail(g->app, EXIT_INTERNAL, NULL, "no process could be started: %s", strerror(errno));
            } else {
                break; /* try again when another has ended */
            }
        }
        if (app_interrupted) {
            next = jobs;
            for (int i = 0; i < most; i++)
                if (w[i].pid) kill(w[i].pid, SIGINT);
        }
        if (!running) break;
        struct pollfd p[MOST_WORKERS];
        int at[MOST_WORKERS], n = 0;
        for (int i = 0; i < most; i++)
            if (w[i].pid) {
                p[n] = (struct pollfd){.fd = w[i].fd, .events = POLLIN};
                at[n++] = i;
            }
        if (poll(p, (nfds_t)n, 1000) < 0) continue;
        for (int k = 0; k < n; k++) {
            worker *x = &w[at[k]];
            if (!p[k].revents) continue;
            ssize_t got = read(x->fd, x->text + x->used, sizeof x->text - x->used);
            if (got > 0) x->used += (size_t)got;
            else if (got == 0 || errno != EINTR) {
                finish(g, x);
                running--;
                progress(g, ++done, all);
            }
        }
    }
    free(w);
    return app_interrupted ? EXIT_INTERRUPT : 0;
}
