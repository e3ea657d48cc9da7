# A header leads to the code: what it declares is defined in the file of the same name, or in its own room, whose
# interface it is: then it is named as the room (check/check.h), and there is only one. Named as a tree it is the
# interface of all of its rooms (sim/sim.h). Also asked: a guard is named after its file, a comment that heads
# functions with "name.c" names the file that has them, and no header is a piece of code that one file includes.
# Not asked of headers for kernels and programs, whose names are CUDA's.
awk=tests/layers/headers.awk
set -- $(find sim repl -name '*.h' ! -path 'sim/device/*' ! -path 'sim/cuda/include/*' | sort) $(find sim repl -name '*.c' | sort)

# The counter counts: of a tree of its own with one of each kind.
mkdir -p "$TMPDIR/t/room" && cd "$TMPDIR" || exit 1
cat >t/room/right.h <<'X'
#ifndef ROOM_RIGHT_H
#define ROOM_RIGHT_H
/* a comment with int not_declared(int a); and a brace { */
int right_one(int a);
char *
right_two(const char *text, int (*f)(int));
static inline int of_its_own(int a) { return a; }
/* ---- far.c ---- */
int far_one(void);
int right_three(void); /* far.c */
/* ---- right.c ---- */
extern int variable;
#endif
X
cat >t/room/room.h <<'X'
#ifndef ROOM_H
#define ROOM_H
int far_two(void);
int elsewhere(void);
#endif
X
cat >t/room/far.h <<'X'
#ifndef NEAR_H
#define NEAR_H
static int body(void) { return 1; }
int SIM_NAME(far_three)(void) ATTRIBUTE(1, 2);
#endif
X
cat >t/room/right.c <<'X'
int right_one(int a) { return a ? '{' : "}{\"{"[0]; } // {
char *
right_two(const char *text, int (*f)(int))
{
    if (f) { return 0; }
    return (char *)text;
}
int right_three(void) { return 0; }
X
cat >t/room/far.c <<'X'
#include "far.h"
int far_one(void) { return 1; }
int far_two(void) { return 1; }
int SIM_NAME(far_three)(void) { return 1; }
X
mkdir t/other && printf 'int elsewhere(void) { return 1; }\n' >t/other/other.c
said=$(awk -v bar=80 -v show=each -f "$OLDPWD/$awk" t/room/*.h t/room/*.c t/other/*.c)
cd "$OLDPWD" || exit 1
want='FAIL t/room/far.h: its guard NEAR_H has another name
t/room/right.h far_one t/room/far.c
FAIL t/room/right.h: right_three stands under far.c, it is in t/room/right.c
t/room/room.h elsewhere t/other/other.c
FAIL t/room/far.h: one file includes it, so it is a part of that file, not a header: body
7 functions declared: 57 % in the file of the header'"'"'s name, 71.4 % there or in the room whose interface it is
FAIL all headers: less than 80 %
1 passed, 4 failed'
failed=0
if [ "$said" != "$want" ]; then
    printf 'FAIL the counter says of a small tree:\n%s\n' "$said"
    failed=1
fi
awk -v bar=80 -f $awk "$@" >"$TMPDIR/said" || failed=1
cat "$TMPDIR/said"
[ "$failed" = 0 ]
