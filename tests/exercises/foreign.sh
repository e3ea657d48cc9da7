# A lesson of strangers: its exercise is a whole program, whose solution is compiled and run when an answer is judged.
# Neither may take a file of the user's along. Where a part of the seal is missing, strangers' code is not run, and
# one's own is judged with a word about it. The compiler is a stand-in, so that this needs a C compiler alone.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
PLAIN_LIB=$PWD/$BUILD/lib/warpstep
[ -e "$PLAIN_LIB/libcudart.so.13" ] || skip_all "programs: no libraries in this build"
PATH=$PWD/tests/exercises/plain-nvcc:$PATH
WARPSTEP_COMPILER=nvcc
WARPSTEP_TOOLCHAIN=$WARPSTEP_TOOLCHAIN:$PWD/scripts:$PWD/sim # of the stand-in
export PLAIN_LIB WARPSTEP_COMPILER WARPSTEP_TOOLCHAIN PATH
out=$TMPDIR/out theirs=$TMPDIR/theirs/40-theirs
# says STATUS TEXT COMMAND...: the command ends with STATUS, prints TEXT, and not the secret
says() {
    want=$1 text=$2
    shift 2
    "$WARPSTEP" "$@" >"$out" 2>&1 </dev/null
    got=$?
    [ $got = "$want" ] && tr '\n' ' ' <"$out" | tr -s ' ' | grep -q -e "$text" && ! grep -q 'a secret' "$out"
    ok $? "[$WARPSTEP_SEAL] $*: status $got, expected $want and \"$text\" in: $(head -n 8 "$out")"
}
export WARPSTEP_SEAL= # as this machine has it
here=$("$WARPSTEP" --json doctor | grep '"what":"seal"')

# ---- the lesson: its solution, and an answer, take a file into the program and print it ----
echo 'a secret of the user' >"$HOME/secret"
mkdir -p "$theirs/exercises"
cp -r lessons/08-programs/exercises/1-whole "$theirs/exercises/1-whole"
{
    printf 'title: T\nsetting: n = 1000 from 1 to 1Mi, numbers\nstep: v1\ntitle: A\nidea: I\nkernel: saxpy.cu\n'
    printf 'buffer: x f32[n] = i %% 7 - 3\nbuffer: y f32[n] = (i * 2654435761) %% 1000\n'
    printf 'launch: _Z5saxpyifPKfPf<<<ceil(n, 256), 256>>>(n, 2.0, x, y)\nright: y[i] == 2 * x[i] + (i * 2654435761) %% 1000\n'
} >"$theirs/lesson.txt"
cp tests/try/kernels/saxpy.cu tests/try/kernels/saxpy.ptx "$theirs"
cp "$theirs/exercises/1-whole/solution.cu" "$TMPDIR/right.cu"
cat >"$TMPDIR/takes.cu" <<X
#include <stdio.h>
__asm__(".data\n.globl taken\ntaken: .incbin \"$HOME/secret\"\n.byte 0\n.text");
extern char taken[];
int main(void) { puts(taken); return 0; }
X
cat >"$TMPDIR/opens.cu" <<X
#include <stdio.h>
int main(void)
{
    char text[100] = "nothing";
    FILE *f = fopen("$HOME/secret", "r");
    if (f) fgets(text, sizeof text, f);
    puts(text);
    return 0;
}
X
theirs() { # as says, of that lesson
    want=$1 text=$2
    shift 2
    says "$want" "$text" --lessons "$TMPDIR/theirs" "$@"
}
case $here in
*'"ok"'*)
    theirs 0 'PASS all 12 cases' check 40.1 "$TMPDIR/right.cu"
    theirs 1 'rejected: nvcc does not accept it' check 40.1 "$TMPDIR/takes.cu"
    theirs 1 'printed "nothing"' check 40.1 "$TMPDIR/opens.cu"
    cp "$TMPDIR/takes.cu" "$theirs/exercises/1-whole/solution.cu"
    theirs 1 'solution.cu must come to pass, not to' check-lessons 40 # which runs it
    ;;
*) skip "a lesson of strangers: this kernel hides no files" ;;
esac

# ---- where something is missing ----
cp "$TMPDIR/right.cu" "$theirs/exercises/1-whole/solution.cu"
lacks='COULD NOT JUDGE this lesson did not come with warpstep, and nothing shuts its code in'
for way in none no-seccomp; do
    WARPSTEP_SEAL=$way
    theirs 4 "$lacks" check 40.1 "$TMPDIR/right.cu"
done
theirs 0 'PASS all 12 cases' --unsealed check 40.1 "$TMPDIR/right.cu"
says 0 'judged without seccomp.*"verdict":"pass"' --json check 8.1 "$TMPDIR/right.cu"
WARPSTEP_SEAL='none no-seccomp'
says 0 'judged without seccomp.*judged with every file of yours in reach.*PASS all 12' check 8.1 "$TMPDIR/right.cu"
says 0 'seal problem.*judged without seccomp.*seal problem.*every file of yours in reach' doctor
WARPSTEP_SEAL=no-seccomp
mkdir -p "$TMPDIR/class/ann"
cp "$TMPDIR/right.cu" "$TMPDIR/class/ann/8.1.cu" # no answer to grade is there: how it begins is enough
says 2 'this kernel has no seccomp.*try: grade --unsealed' grade "$TMPDIR/class"
says 2 'judged without seccomp.*nobody handed in an answer' --unsealed grade "$TMPDIR/class"
WARPSTEP_SEAL=none
says 2 'every file of yours in reach.*nobody handed in an answer' grade "$TMPDIR/class"
WARPSTEP_SEAL=
WARPSTEP_COMPILER=none
says 3 '8.1 A whole program' check 8.1 "$TMPDIR/right.cu"
! grep -q 'Answers are judged' "$out"
case $here in *'"ok"'*) ok $? "something is said to be missing here" ;; esac
finish
