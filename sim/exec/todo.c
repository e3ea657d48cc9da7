/* todo.c: groups without an implementation yet; every form of theirs is refused when a module loads. */
#include "select.h"
#define STUB(x) bool SIM_NAME(x)(form *f) { return form_refuse(f, "is not supported here"); }
STUB(select_texture)
