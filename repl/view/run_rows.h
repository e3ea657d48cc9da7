/* run_rows.h: which rows the table of a run has, and whose figures stand beside them. */
#ifndef RUN_ROWS_H
#define RUN_ROWS_H

#include "view.h"

enum { RUN_ROWS = 64, RUN_ROWS_USUAL = 5 };

typedef struct run_rows {
    int metric[RUN_ROWS]; /* indices in metrics[], in the order of the table */
    int count;
    int left; /* rows worth showing for which there is no room */
} run_rows;

/* The rows for this run next to `before` (NULL: none). `column` as below. */
void run_rows_choose(view_context *c, const step_result *before, const lesson_article *column, run_rows *out);
/* Does the figure hold for these settings, and may it be shown? One that we measured is shown for
 * that card alone. */
bool run_rows_figure_shown(view_context *c, const lesson_article *a);
bool run_rows_same_source(const lesson_article *a, const lesson_article *b);
/* A figure whose source gets the column: one of this card, else the first. NULL: none. */
const lesson_article *run_rows_column(view_context *c);
/* That source's figure for a metric, if the run has the metric too. */
const lesson_article *run_rows_figure(view_context *c, const lesson_article *column, const char *metric);

#endif
