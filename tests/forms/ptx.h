/* ptx.h: forms as PTX. */
#ifndef FORMS_PTX_H
#define FORMS_PTX_H

#include "forms.h"

typedef struct text {
    char *s;
    size_t n, cap;
} text;

void put(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void put_product(text *t, const form *f);
void put_tensor(text *t, const form *f);

char *module_text(int first, int n);
char *single_text(const form *f, int k); /* a module of one form, as kernel k */
int module_size(int first);              /* forms that fit one module */

#endif
