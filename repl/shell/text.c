/* text.c: a string that grows; see text.h. */
#include "text.h"
#include "list.h"

void text_addn(struct text *t, const char *more, size_t bytes)
{
    t->failed = t->failed || bytes >= SIZE_MAX - t->used || !list_room(&t->s, &t->room, t->used + bytes + 1, 1);
    if (t->failed) return;
    memcpy(t->s + t->used, more, bytes);
    t->used += bytes;
    t->s[t->used] = 0;
}

void text_add(struct text *t, const char *more) { text_addn(t, more, strlen(more)); }

char *text_taken(struct text *t)
{
    if (!t->failed) return t->s;
    free(t->s);
    return NULL;
}
