/* grade_same.c: finds answers with the same text, whatever names and comments they chose
 * (judge/answer_text.h). They were hardly written independently. The result is a remark for the
 * instructor, not a verdict. Answers that differ little from the starter are skipped, since many
 * people find the same few words. */
#include "grade.h"
#include "judge/answer_text.h"
#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 60 /* tokens that only one of answer and starter has */ };

void grade_read_text(grade_job *j, const char *text, size_t bytes)
{
    const grade_exercise *e = j->e;
    j->unchanged = answer_same(text, bytes, e->ours[OUR_STARTER], e->ours_bytes[OUR_STARTER]);
    j->own_text = !e->x->kind->form->text && answer_digest(text, bytes, j->text) &&
                  answer_difference(text, bytes, e->ours[OUR_STARTER], e->ours_bytes[OUR_STARTER]) >= ENOUGH;
}

/* ---- groups of equal texts ---- */

static int by_text(const void *x, const void *y)
{
    const grade_job *a = *(grade_job *const *)x, *b = *(grade_job *const *)y;
    if (a->e != b->e) return a->e < b->e ? -1 : 1;
    int order = memcmp(a->text, b->text, sizeof a->text);
    return order ? order : (a > b) - (a < b);
}

/* "solution.cu, bob, eve"; of many, the first few and the number of others. */
static char *names_of(grade_job *const *group, int count, const grade_job *self)
{
    enum { NAMED = 4 };
    char *text = NULL;
    size_t bytes = 0;
    int said = 0, others = count - 1;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return NULL;
    for (int i = OUR_SOLUTION; i <= OUR_OTHER; i++) {
        unsigned char ours[DIGEST_BYTES];
        if (answer_digest(self->e->ours[i], self->e->ours_bytes[i], ours) && !memcmp(ours, self->text, sizeof ours))
            fprintf(f, "%sour %s%s", said++ ? ", " : "", grade_our_files[i], exercise_ending(self->e->x));
    }
    for (int i = 0, named = 0; i < count && named < NAMED; i++)
        if (group[i] != self) {
            fprintf(f, "%s%s", said++ ? ", " : "", group[i]->shown);
            named++;
        }
    if (others > NAMED) fprintf(f, " and %d more", others - NAMED);
    if (fclose(f) || !said) {
        free(text);
        return NULL;
    }
    return text;
}

int grade_compare(grading *g)
{
    grade_job **all = calloc((size_t)g->jobs + 1, sizeof *all);
    int count = 0;
    if (!all) return app_no_memory(g->app);
    for (int i = 0; i < g->jobs; i++)
        if (g->job[i].own_text) all[count++] = &g->job[i];
    qsort(all, (size_t)count, sizeof *all, by_text);
    for (int from = 0, to; from < count; from = to) {
        for (to = from + 1;
             to < count && all[to]->e == all[from]->e && !memcmp(all[to]->text, all[from]->text, sizeof all[to]->text);)
            to++;
        for (int i = from; i < to; i++) all[i]->same = names_of(all + from, to - from, all[i]);
    }
    free(all);
    return 0;
}
