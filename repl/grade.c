/* grade.c: `grade DIR`: judges what a class handed in, one folder a student, and writes CSV and JSON.
 *
 * A job is one answer of one student. Jobs run in processes of their own, as many at once as there are cores; each
 * judges one file (judge.c, in further children with limits) and sends back one line, so that whatever a file does can
 * spoil its own line at most. Every line goes to a journal in DIR at once: a second `grade` judges only what is new.
 * A line of the journal holds as long as the answer, the exercise, the compiler and the program stay the same.
 *
 * Read it from grade_run at the end: plan (exercises, students, jobs), recall, work, report.
 */
#include "exercise_session.h"
#include "judge.h"
#include "commands.h"
#include "format.h"
#include "json.h"
#include "lesson_session.h"
#include "seal.h"
#include "state.h"
#include "words.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_EXERCISES = 200, MOST_WORKERS = 64, LINE_MOST = 2000, FIELDS = 9 };

typedef struct grade_exercise {
    exercise *x;
    char id[32], key[24]; /* key: of its text and our solution */
    judge_standard standard;
    bool ready, wanted, broken;
} grade_exercise;

/* One line: what is known of an answer. Fields are text, ready for CSV. */
enum { F_VERDICT, F_REASON, F_SCORE, F_CYCLES, F_METRIC, F_MEASURED, F_GOAL, F_COMPILER, F_MESSAGE };
static const char *const field_names[FIELDS] = {"verdict", "reason", "score",    "cycles", "goal_metric",
                                                "measured", "goal",  "compiler", "message"};

typedef struct grade_job {
    const char *student, *shown; /* the folder's name; what stands for it in the results */
    char alias[24];
    grade_exercise *e;
    char file[160];   /* within the student's folder; "" when nothing was handed in */
    char key[112];    /* of answer, exercise, compiler and program */
    char *line;       /* fields separated by tabs; NULL: not known yet */
    char *field[FIELDS];
} grade_job;

typedef struct grading {
    struct app *app;
    const char *dir, *out; /* out: where the results go */
    const char *word;      /* names are hidden behind it; NULL: they are not */
    int part, parts;       /* every parts-th student, from the part-th; 0: all */
    bool anew;
    grade_exercise exercise[MOST_EXERCISES];
    int exercises;
    struct words students;
    grade_job *job;
    int jobs;
    char compiler[160];
    int journal;           /* descriptor, -1: none */
} grading;

/* ---- keys ---- */

static uint64_t hash_file(uint64_t h, const char *path)
{
    char *text;
    size_t bytes;
    if (exercise_file(path, JUDGE_SOURCE_MAX, &text, &bytes))
        return state_hash(h, path, strlen(path));
    h = state_hash(h, text, bytes);
    free(text);
    return state_hash(h, &bytes, sizeof bytes);
}


/* ---- planning ---- */

static int add_exercises(grading *g)
{
    struct app *app = g->app;
    int status = session_lessons(app);
    for (int i = 0; !status && i < app->lesson->list.count; i++) {
        char number[16];
        lesson_error err;
        exercise_list list;
        snprintf(number, sizeof number, "%d", app->lesson->list.entry[i].number);
        if ((status = session_lesson(app, number)))
            return status;
        exercise_find(&list, app->lesson->l);
        for (int k = 0; k < list.count; k++) {
            if (g->exercises == MOST_EXERCISES)
                return app_fail(app, EXIT_USAGE, NULL, "there are more than %d exercises", MOST_EXERCISES);
            grade_exercise *e = &g->exercise[g->exercises];
            if (exercise_read(&e->x, app->lesson->l, &list.entry[k], &err))
                return app_fail(app, EXIT_USAGE, "check-lessons", "%s:%d: %s", err.file, err.line, err.message);
            g->exercises++;
            exercise_id(e->x, e->id, sizeof e->id);
            char path[1400];
            uint64_t h = STATE_HASH_START;
            snprintf(path, sizeof path, "%s/exercise.txt", e->x->dir);
            h = hash_file(h, path);
            snprintf(path, sizeof path, "%s/solution%s", e->x->dir, exercise_ending(e->x));
            h = hash_file(h, path);
            snprintf(e->key, sizeof e->key, "%016" PRIx64, h);
        }
    }
    return status;
}

static int add_students(grading *g)
{
    DIR *d = opendir(g->dir);
    struct words all = {0};
    if (!d)
        return app_fail(g->app, EXIT_USAGE, NULL, "%s cannot be read: %s", g->dir, strerror(errno));
    for (const struct dirent *e; (e = readdir(d));) {
        char path[2048];
        struct stat st;
        if (e->d_name[0] == '.' || (size_t)snprintf(path, sizeof path, "%s/%s", g->dir, e->d_name) >= sizeof path)
            continue;
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) /* no links: they lead out of the class's folder */
            words_add(&all, e->d_name);
    }
    closedir(d);
    words_sort(&all);
    for (int i = 0; i < all.count; i++)
        if (!g->parts || i % g->parts == g->part)
            words_add(&g->students, all.v[i]);
    bool failed = all.failed || g->students.failed;
    bool none = !all.count;
    words_free(&all);
    if (failed)
        return app_fail(g->app, EXIT_INTERNAL, NULL, "out of memory");
    return none ? app_fail(g->app, EXIT_USAGE, NULL, "%s holds no folders: there is to be one for each student", g->dir)
                : 0;
}

/* 1.2-guard.cu, or 1.2.cu. */
static bool find_file(const grading *g, const char *student, const exercise *x, char *name, size_t size)
{
    for (int i = 0; i < 2; i++) {
        char path[2300];
        struct stat st;
        if (i)
            snprintf(name, size, "%d.%d%s", x->lesson_number, x->number, exercise_ending(x));
        else
            snprintf(name, size, "%d.%s%s", x->lesson_number, x->folder, exercise_ending(x));
        snprintf(path, sizeof path, "%s/%s/%s", g->dir, student, name);
        if (lstat(path, &st) == 0)
            return true;
    }
    name[0] = 0;
    return false;
}

static int add_jobs(grading *g, bool named)
{
    for (int s = 0; s < g->students.count && !named; s++)
        for (int e = 0; e < g->exercises; e++) {
            char name[160];
            if (!g->exercise[e].wanted)
                g->exercise[e].wanted = find_file(g, g->students.v[s], g->exercise[e].x, name, sizeof name);
        }
    int wanted = 0;
    for (int e = 0; e < g->exercises; e++)
        wanted += g->exercise[e].wanted;
    if (!wanted)
        return app_fail(g->app, EXIT_USAGE, "help grade", "nobody handed in an answer (a file such as %s/NAME/1.2.cu)",
                        g->dir);
    g->job = calloc((size_t)g->students.count * (size_t)wanted, sizeof *g->job);
    if (!g->job)
        return app_fail(g->app, EXIT_INTERNAL, NULL, "out of memory");
    for (int s = 0; s < g->students.count; s++)
        for (int e = 0; e < g->exercises; e++) {
            if (!g->exercise[e].wanted)
                continue;
            grade_job *j = &g->job[g->jobs++];
            j->student = j->shown = g->students.v[s];
            j->e = &g->exercise[e];
            find_file(g, j->student, j->e->x, j->file, sizeof j->file);
        }
    return 0;
}

/* Our own solutions first: they say which compiler there is, and set the goals. */
static int prepare(grading *g)
{
    struct app *app = g->app;
    for (int i = 0; i < g->exercises && !app_interrupted; i++) {
        grade_exercise *e = &g->exercise[i];
        char *text;
        size_t bytes;
        if (!e->wanted)
            continue;
        int status = exercise_own_file(app, e->x, "solution", &text, &bytes);
        if (status)
            return status;
        judge_request q = {.x = e->x,
                           .text = text,
                           .bytes = bytes,
                           .name = "solution.cu",
                           .seed = app->seed ? app->seed : 1,
                           .standard = &e->standard};
        judge_verdict v;
        judge_answer(app, &q, &v);
        free(text);
        if (app_interrupted) {
            judge_free(&v);
            break;
        }
        if (!strcmp(v.reason, "no-compiler"))
            status = app_fail(app, EXIT_INTERNAL, "scripts/get-compiler", "%s", v.message);
        else if (v.state != JUDGE_PASS)
            status = app_fail(app, EXIT_INTERNAL, "check-lessons", "our own solution of exercise %s does not pass here: %s",
                              e->id, v.message);
        if (v.compiler[0])
            snprintf(g->compiler, sizeof g->compiler, "%s", v.compiler);
        judge_free(&v);
        if (status)
            return status;
    }
    return app_interrupted ? app_fail(app, EXIT_INTERRUPT, NULL, "interrupted") : 0;
}

/* ---- lines ---- */

/* Cut a line into its fields. False when it is not one. */
static bool set_line(grade_job *j, char *line)
{
    char *field[FIELDS];
    int n = 0;
    for (char *p = line; n < FIELDS; n++) {
        field[n] = p;
        p += strcspn(p, "\t");
        if (!*p)
            break;
        *p++ = 0;
    }
    if (n != FIELDS - 1)
        return false;
    free(j->line);
    j->line = line;
    memcpy(j->field, field, sizeof field);
    return true;
}

static void clean(char *text)
{
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 32 || *p == 127)
            *p = ' ';
}

static void write_line(const grade_exercise *e, const judge_verdict *v, char *out, size_t size)
{
    char score[16] = "", cycles[32] = "", metric[64] = "", ours[40] = "", goal[40] = "", message[700];
    int points = judge_score(v);
    if (points >= 0)
        snprintf(score, sizeof score, "%d", points);
    if (v->has_cycles)
        snprintf(cycles, sizeof cycles, "%.0f", v->cycles);
    const judge_goal *shown = NULL; /* the first that is not reached, else the first */
    for (int i = v->goals; i-- > 0;)
        if (v->goal[i].known && (!shown || !v->goal[i].reached || shown->reached))
            shown = &v->goal[i];
    if (shown) {
        snprintf(metric, sizeof metric, "%s", metrics[shown->metric].id);
        snprintf(ours, sizeof ours, "%.0f", shown->ours);
        snprintf(goal, sizeof goal, "%.0f", shown->bound);
    }
    judge_sentence(v, message, sizeof message);
    if (v->state == JUDGE_PASS && e->x->kind == KIND_PREDICT)
        message[0] = 0;
    clean(message);
    snprintf(out, size, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s",
             v->state == JUDGE_PASS   ? "pass"
             : v->state == JUDGE_FAIL ? "fail"
                                      : "unjudged",
             v->reason, score, cycles, metric, ours, goal, v->compiler, message);
}

/* In a process of its own: judge, and send one line. */
static void work(const grading *g, grade_job *j, int fd)
{
    char path[2300], line[LINE_MOST], *text = NULL;
    size_t bytes = 0;
    judge_verdict v = {0};
    snprintf(path, sizeof path, "%s/%s/%s", g->dir, j->student, j->file);
    int why = exercise_file(path, JUDGE_SOURCE_MAX, &text, &bytes);
    if (why) {
        v.state = JUDGE_FAIL;
        snprintf(v.reason, sizeof v.reason, "rejected");
        snprintf(v.message, sizeof v.message, "the file is not taken: %s", exercise_file_error(why));
    } else {
        judge_request q = {.x = j->e->x,
                           .text = text,
                           .bytes = bytes,
                           .name = j->file,
                           .seed = g->app->seed ? g->app->seed : 1,
                           .standard = &j->e->standard};
        judge_answer(g->app, &q, &v);
    }
    write_line(j->e, &v, line, sizeof line);
    size_t n = strlen(line);
    line[n++] = '\n';
    ssize_t wrote = write(fd, line, n); /* shorter than a pipe takes at once */
    free(text);
    judge_free(&v);
    _exit(wrote == (ssize_t)n ? 0 : 1);
}

/* ---- the journal ---- */

static void make_keys(grading *g)
{
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        char path[2300];
        if (!j->file[0])
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", g->dir, j->student, j->file);
        uint64_t h = hash_file(STATE_HASH_START, path), p = state_hash(STATE_HASH_START, g->compiler, strlen(g->compiler));
        p = state_hash(p, APP_VERSION, sizeof APP_VERSION);
        p = state_hash(p, &g->app->seed, sizeof g->app->seed);
        p = state_hash(p, j->student, strlen(j->student));
        snprintf(j->key, sizeof j->key, "%s:%s:%016" PRIx64 ":%016" PRIx64, j->e->id, j->e->key, h, p);
    }
}

static void recall_file(grading *g, const char *path)
{
    char *text;
    size_t bytes;
    if (file_read(path, 64 << 20, &text, &bytes))
        return;
    for (char *p = text, *next; *p; p = next) {
        size_t n = strcspn(p, "\n");
        if (!p[n])
            break; /* cut off */
        p[n] = 0;
        next = p + n + 1;
        char *tab = strchr(p, '\t');
        if (!tab)
            continue;
        *tab = 0;
        for (int i = 0; i < g->jobs; i++)
            if (!strcmp(g->job[i].key, p)) {
                char *line = strdup(tab + 1);
                if (line && !set_line(&g->job[i], line))
                    free(line);
            }
    }
    free(text);
}

#define JOURNAL ".warpstep-grades"

static void recall(grading *g)
{
    DIR *d = opendir(g->out);
    char path[2300];
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, JOURNAL, strlen(JOURNAL)) || g->anew)
            continue;
        snprintf(path, sizeof path, "%s/%s", g->out, e->d_name);
        recall_file(g, path);
    }
    if (d)
        closedir(d);
    char part[24] = "";
    if (g->parts)
        snprintf(part, sizeof part, "-%d-of-%d", g->part + 1, g->parts);
    snprintf(path, sizeof path, "%s/" JOURNAL "%s", g->out, part);
    g->journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (g->journal < 0)
        app_warn(g->app, "%s: %s: a second run will judge all again", path, strerror(errno));
}

static void remember(const grading *g, const grade_job *j, const char *line)
{
    char text[LINE_MOST + 100];
    int n = snprintf(text, sizeof text, "%s\t%s\n", j->key, line);
    /* a line lost is judged again */
    if (g->journal >= 0 && write(g->journal, text, (size_t)n) != n)
        app_warn(g->app, "the journal in %s cannot be written: %s", g->out, strerror(errno));
}

/* ---- working in parallel ---- */

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
    if (pipe(fds))
        return false;
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

/* The worker's pipe has closed: take its line, or say that there is none. */
static void finish(const grading *g, worker *w)
{
    int end;
    while (waitpid(w->pid, &end, 0) < 0 && errno == EINTR)
        continue;
    close(w->fd);
    w->pid = 0;
    char *newline = memchr(w->text, '\n', w->used);
    char *line = NULL;
    if (newline && !app_interrupted) {
        *newline = 0;
        remember(g, w->j, w->text);
        line = strdup(w->text);
    }
    if (!line || !set_line(w->j, line)) {
        free(line);
        line = strdup("unjudged\tunjudged\t\t\t\t\t\t\tthe judge did not come back with a verdict");
        if (line && !set_line(w->j, line))
            free(line);
    }
}

static void progress(const grading *g, int done, int all)
{
    if (isatty(fileno(g->app->err)))
        fprintf(g->app->err, "\r%d of %d judged%s", done, all, done == all ? "\n" : "");
}

static int work_all(grading *g)
{
    long cores = g->app->host_threads ? g->app->host_threads : sysconf(_SC_NPROCESSORS_ONLN);
    int most = cores < 1 ? 1 : cores > MOST_WORKERS ? MOST_WORKERS : (int)cores, running = 0, next = 0, done = 0, all = 0;
    worker *w = calloc((size_t)most, sizeof *w);
    if (!w)
        return app_fail(g->app, EXIT_INTERNAL, NULL, "out of memory");
    for (int i = 0; i < g->jobs; i++)
        all += !g->job[i].line && g->job[i].file[0];
    while (running || next < g->jobs) {
        for (int i = 0; i < most && next < g->jobs && !app_interrupted; i++) {
            while (next < g->jobs && (g->job[next].line || !g->job[next].file[0]))
                next++;
            if (w[i].pid || next >= g->jobs)
                continue;
            if (start(g, &w[i], &g->job[next])) {
                running++;
                next++;
            } else if (!running) {
                free(w);
                return app_fail(g->app, EXIT_INTERNAL, NULL, "no process could be started: %s", strerror(errno));
            } else {
                break; /* when another has ended */
            }
        }
        if (app_interrupted) {
            next = g->jobs;
            for (int i = 0; i < most; i++)
                if (w[i].pid)
                    kill(w[i].pid, SIGINT);
        }
        if (!running)
            break;
        struct pollfd p[MOST_WORKERS];
        int at[MOST_WORKERS], n = 0;
        for (int i = 0; i < most; i++)
            if (w[i].pid) {
                p[n] = (struct pollfd){.fd = w[i].fd, .events = POLLIN};
                at[n++] = i;
            }
        if (poll(p, (nfds_t)n, 1000) < 0)
            continue;
        for (int k = 0; k < n; k++) {
            worker *x = &w[at[k]];
            if (!p[k].revents)
                continue;
            ssize_t got = read(x->fd, x->text + x->used, sizeof x->text - x->used);
            if (got > 0)
                x->used += (size_t)got;
            else if (got == 0 || errno != EINTR) {
                finish(g, x);
                running--;
                progress(g, ++done, all);
            }
        }
    }
    free(w);
    return app_interrupted ? app_fail(g->app, EXIT_INTERRUPT, "grade again: it goes on from here", "interrupted") : 0;
}

/* ---- reporting ---- */

/* In one line, since some readers of CSV know no others. */
static void put_csv(FILE *out, const char *text)
{
    char line[1200];
    snprintf(line, sizeof line, "%s", text);
    clean(line);
    print_csv(out, line);
}

static void put_json(FILE *out, const grade_job *j)
{
    json o;
    json_begin(&o, out, "grade");
    json_text(&o, "student", j->shown);
    json_text(&o, "exercise", j->e->id);
    json_text(&o, "file", j->file[0] ? j->file : NULL);
    for (int i = 0; i < FIELDS; i++) {
        bool number = i == F_SCORE || i == F_CYCLES || i == F_MEASURED || i == F_GOAL;
        if (number && *j->field[i])
            json_number(&o, field_names[i], strtod(j->field[i], NULL));
        else
            json_text(&o, field_names[i], *j->field[i] ? j->field[i] : NULL);
    }
    char device[64];
    snprintf(device, sizeof device, "sim:%s", j->e->x->card);
    json_text(&o, "device", device);
    json_end(&o);
}

static int write_files(grading *g)
{
    char part[24] = "", path[2300];
    if (g->parts)
        snprintf(part, sizeof part, "-%d-of-%d", g->part + 1, g->parts);
    for (int kind = 0; kind < 2; kind++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *f = open_memstream(&text, &bytes);
        if (!f)
            return app_fail(g->app, EXIT_INTERNAL, NULL, "out of memory");
        if (!kind) {
            fputs("student,exercise,file", f);
            for (int i = 0; i < FIELDS; i++)
                fprintf(f, ",%s", field_names[i]);
            fputc('\n', f);
        }
        for (int i = 0; i < g->jobs; i++) {
            const grade_job *j = &g->job[i];
            if (kind) {
                put_json(f, j);
                continue;
            }
            put_csv(f, j->shown);
            fprintf(f, ",%s,%s", j->e->id, j->file);
            for (int k = 0; k < FIELDS; k++) {
                fputc(',', f);
                put_csv(f, j->field[k]);
            }
            fputc('\n', f);
        }
        bool bad = fclose(f) != 0;
        snprintf(path, sizeof path, "%s/grades%s.%s", g->out, part, kind ? "json" : "csv");
        int why = bad ? ENOMEM : state_replace(path, text, bytes);
        free(text);
        if (why)
            return app_fail(g->app, EXIT_INTERNAL, NULL, "%s cannot be written: %s", path, strerror(why));
        if (!g->app->json)
            fprintf(g->app->out, "%s%s", kind ? " and " : "written: ", path);
    }
    if (!g->app->json)
        fputc('\n', g->app->out);
    return 0;
}

static int by_alias(const void *x, const void *y)
{
    const grade_job *a = x, *b = y;
    int order = strcmp(a->alias, b->alias);
    return order ? order : (a->e > b->e) - (a->e < b->e);
}

/* Instead of names, what is drawn from them and a word that only the instructor knows; in an order of their own. */
static void hide_names(grading *g)
{
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        uint64_t h = state_hash(state_hash(STATE_HASH_START, g->word, strlen(g->word) + 1), j->student, strlen(j->student));
        snprintf(j->alias, sizeof j->alias, "anon-%010" PRIx64, (h ^ h >> 40) & UINT64_C(0xffffffffff));
    }
    qsort(g->job, (size_t)g->jobs, sizeof *g->job, by_alias);
    for (int i = 0; i < g->jobs; i++)
        g->job[i].shown = g->job[i].alias;
}

static int report(grading *g)
{
    struct app *app = g->app;
    static const char *const verdicts[] = {"pass", "fail", "unjudged", "missing"};
    int count[4] = {0};
    text_table t;
    table_init(&t, "lllrl");
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        for (int k = 0; k < 4; k++)
            count[k] += !strcmp(j->field[F_VERDICT], verdicts[k]);
        if (app->json) {
            put_json(app->out, j);
            continue;
        }
        char student[300], sentence[800];
        snprintf(student, sizeof student, "%.*s", (int)utf8_fit(j->shown, 20), j->shown);
        clean(student);
        bool named = strcmp(j->field[F_REASON], j->field[F_VERDICT]) != 0;
        snprintf(sentence, sizeof sentence, "%s%s%s", named ? j->field[F_REASON] : "",
                 named && *j->field[F_MESSAGE] ? ": " : "", j->field[F_MESSAGE]);
        table_add(&t, "%s", student);
        table_add(&t, "%s", j->e->id);
        table_add(&t, "%s", j->field[F_VERDICT]);
        table_add(&t, "%s", *j->field[F_SCORE] ? j->field[F_SCORE] : "-");
        table_add(&t, "%s", sentence);
    }
    if (!app->json) {
        table_fit(&t, app->width > 100 ? 100 : app->width);
        table_print(&t, app->out, 0);
        fprintf(app->out, "%d answers of %d students: %d pass, %d fail, %d missing, %d not judged%s%s\n", g->jobs,
                g->students.count, count[0], count[1], count[3], count[2],
                g->compiler[0] ? "; compiler: " : "", g->compiler);
    }
    table_free(&t);
    int status = write_files(g);
    return status ? status : count[2] ? EXIT_CHECK : EXIT_DONE;
}

static int missing(grading *g)
{
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        if (j->line)
            continue;
        char *line = strdup("missing\tmissing\t0\t\t\t\t\t\tnothing was handed in");
        if (!line || !set_line(j, line)) {
            free(line);
            return app_fail(g->app, EXIT_INTERNAL, NULL, "out of memory");
        }
    }
    return 0;
}

static void give_back(grading *g)
{
    for (int i = 0; i < g->jobs; i++)
        free(g->job[i].line);
    free(g->job);
    for (int i = 0; i < g->exercises; i++) {
        judge_standard_free(&g->exercise[i].standard);
        exercise_free(g->exercise[i].x);
    }
    words_free(&g->students);
    if (g->journal >= 0)
        close(g->journal);
    free(g);
}

static int read_words(grading *g, int argc, char **argv, struct words *named)
{
    for (int i = 1; i < argc; i++) {
        char *slash;
        if (!strcmp(argv[i], "fresh")) {
            g->anew = true;
        } else if (!strcmp(argv[i], "--out") && i + 1 < argc) {
            g->out = argv[++i];
        } else if (!strcmp(argv[i], "--anonymous") && i + 1 < argc) {
            g->word = argv[++i];
        } else if (!strcmp(argv[i], "--part") && i + 1 < argc && (slash = strchr(argv[i + 1], '/'))) {
            g->part = atoi(argv[++i]) - 1;
            g->parts = atoi(slash + 1);
            if (g->parts < 1 || g->part < 0 || g->part >= g->parts)
                return app_fail(g->app, EXIT_USAGE, "help grade", "--part takes K/N, with K from 1 to N");
        } else if (!g->dir) {
            g->dir = argv[i];
        } else {
            words_add(named, argv[i]);
        }
    }
    return g->dir ? 0 : app_fail(g->app, EXIT_USAGE, "help grade", "grade takes a folder that holds one for each student");
}

static int grade_run(struct app *app, int argc, char **argv)
{
    struct words named = {0};
    grading *g = calloc(1, sizeof *g);
    if (!g)
        return app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    g->app = app;
    g->journal = -1;
    int status = read_words(g, argc, argv, &named);
    g->out = g->out ? g->out : g->dir;
    if (!status && seal_files() == SEAL_FILES_OPEN) {
        static const char open_files[] = "Answers are compiled with every file of yours in reach: this kernel has "
                                         "neither\nLandlock nor mount namespaces to hide them.";
        if (app->json)
            app_warn(app, "%s", open_files);
        else
            fprintf(app->out, "%s\n", open_files);
    }
    if (!status)
        status = add_exercises(g);
    for (int i = 0; i < named.count && !status; i++) {
        bool found = false;
        for (int e = 0; e < g->exercises; e++)
            if (!strcmp(g->exercise[e].id, named.v[i]))
                found = g->exercise[e].wanted = true;
        if (!found)
            status = app_fail(app, EXIT_USAGE, "help grade", "there is no exercise %s", named.v[i]);
    }
    if (!status)
        status = add_students(g);
    if (!status)
        status = add_jobs(g, named.count > 0);
    if (!status)
        status = prepare(g);
    if (!status) {
        make_keys(g);
        recall(g);
        status = work_all(g);
    }
    if (!status)
        status = missing(g);
    if (!status && g->word)
        hide_names(g);
    if (!status)
        status = report(g);
    words_free(&named);
    give_back(g);
    return status;
}

const struct command grade_commands[] = {
    {"grade", 0, "Exercises", "DIR [N.K ...]", "for instructors: judge what a class handed in",
     "DIR holds one folder for each student, with answers named as `exercise` names\n"
     "them (1.2-tail.cu) or just 1.2.cu. All exercises that anybody handed in are\n"
     "judged, or those named. Prints a line an answer and writes grades.csv and\n"
     "grades.json in DIR (or in --out FOLDER). What was judged before is not judged\n"
     "again (`fresh` judges all). --part K/N takes every N-th student, for several\n"
     "machines; afterwards `grade DIR` puts the parts together. --threads N says how\n"
     "many answers are judged at once. --anonymous WORD writes codes instead of names,\n"
     "drawn from name and WORD: the same each time, and told by nobody without it.\n"
     "\n"
     "Example:  grade submissions 1.1 1.2\n",
     grade_run, NULL},
    {0},
};
