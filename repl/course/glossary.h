/* glossary.h: words of the lessons (lessons/glossary.txt, glossary.zh.txt), explained where somebody asks for them. */
#ifndef GLOSSARY_H
#define GLOSSARY_H

#include "shell/words.h"
#include <stdbool.h>

typedef struct glossary_term {
    char name[40], also[120]; /* other spellings, joined by commas */
    char text[800];           /* wrapped where it is printed */
    char see[40];             /* steps that show it */
    char local[40];           /* its name in the language spoken, if that is another */
} glossary_term;

/* The term of that name or spelling, in either language, or its plural; capitals do not matter.
 * False: there is none. */
bool glossary_find(const char *name, glossary_term *out);
/* One after the other: *at begins at 0. False: no more. */
bool glossary_next(size_t *at, glossary_term *out);

#endif
