# An exercise that asks for a whole program, as a student meets it; and programs that nobody should hand in: each comes
# to a clear verdict, reaches nothing outside, and leaves nothing behind. The compiler is a stand-in, so that this needs
# a C compiler alone.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
PLAIN_LIB=$PWD/$BUILD/lib/warpstep
[ -e "$PLAIN_LIB/libcudart.so.13" ] || skip_all "programs: no libraries in this build"
PATH=$PWD/tests/exercises/plain-nvcc:$PATH
WARPSTEP_COMPILER=nvcc
WARPSTEP_TOOLCHAIN=$WARPSTEP_TOOLCHAIN:$PWD/scripts:$PWD/sim # of the stand-in too
export PLAIN_LIB WARPSTEP_COMPILER WARPSTEP_TOOLCHAIN PATH
out=$TMPDIR/out dir=$TMPDIR/in
mkdir "$dir"
# says STATUS TEXT COMMAND...: the command ends with STATUS and prints TEXT
says() {
    want=$1 text=$2
    shift 2
    "$WARPSTEP" "$@" >"$out" 2>&1 </dev/null
    got=$?
    [ $got = "$want" ] && tr '\n' ' ' <"$out" | tr -s ' ' | grep -q -e "$text"
    ok $? "$*: status $got, expected $want and \"$text\" in: $(head -n 8 "$out")"
}
mine=$HOME/.local/share/warpstep/exercises
answers=$PWD/lessons/08-programs/exercises

# ---- a student's path ----
says 0 'Your file: ~/.local/share/warpstep/exercises/8.1-whole.cu' exercise 8.1
says 0 '8.1 .* write a whole program' exercise
says 1 'FAIL wrong: it did not print "1000 numbers, sum 1499500", nor anything else' check 8.1
says 1 'To run it alone: exec FILE 1000 3\.' check 8.1
says 0 'Hint 1 of 3' hint 8.1
says 0 'the two are the same' diff 8.1
says 1 'is explained once it is passed' explain 8.1
echo 'int main(' >"$mine/8.1-whole.cu"
says 1 'rejected: nvcc does not accept it .*8.1-whole.cu:[0-9]*:[0-9]*: error' check 8.1
cp "$answers/1-whole/wrong-guard.cu" "$mine/8.1-whole.cu"
says 1 'out-of-bounds: .*8.1-whole.cu:[0-9]*: block (3,0,0) thread (232,0,0)' check 8.1
cp "$answers/1-whole/wrong-unchecked.cu" "$mine/8.1-whole.cu"
says 1 'unchecked: a call of CUDA fails here (no CUDA-capable device), and the program ends with status 0' check 8.1
says 1 'To run it alone: exec --cards 0 FILE 100000 3\.' check 8.1
cp "$answers/1-whole/wrong-none.cu" "$mine/8.1-whole.cu"
says 1 'FAIL right, but short of the goal: .* bytes asked (store)' check 8.1
says 1 'whole program has no film' step 8.1
cp "$answers/1-whole/wrong-formula.cu" "$mine/8.1-whole.cu" # the kernel's numbers may be any
says 1 'FAIL right, but short of the goal: 0 output from the kernels; the goal is at least 1' check 8.1
says 1 'Add up what the kernel has written' check 8.1
cp "$answers/1-whole/other.cu" "$mine/8.1-whole.cu"
says 0 'PASS all 12 cases, compiled by nvcc' check 8.1
says 0 '"verdict":"pass".*"metric":"from_card","reached":true' --json check 8.1
says 0 'Nothing else is in any CUDA program' explain 8.1
says 0 'cudaMalloc(&d_y' solution 8.1
says 0 'A new starter is' reset 8.1
WARPSTEP_COMPILER=none says 3 'COULD NOT JUDGE a whole program needs nvcc or clang, and there is neither' check 8.1
WARPSTEP_COMPILER=none says 3 '"verdict":"unjudged","reason":"no-compiler"' --json check 8.1
# The report is the same each time, on any number of threads.
for threads in 1 3; do
    "$WARPSTEP" --json --threads $threads --seed 5 check 8.5 "$answers/5-two-ways/solution.cu" >"$TMPDIR/by-$threads"
done
cmp -s "$TMPDIR/by-1" "$TMPDIR/by-3"; ok $? "8.5 differs by the number of threads"

# ---- nobody's answers ----
# hostile NAME REASON TEXT: reads what main does; the verdict must be REASON, with TEXT in its message
hostile() {
    { printf '%s\n' '#define _GNU_SOURCE' '#include <stdio.h>' '#include <stdlib.h>' '#include <string.h>' \
        '#include <unistd.h>' '#include <fcntl.h>' '#include <signal.h>' '#include <sys/wait.h>' \
        '#include <sys/socket.h>' 'int main(int argc, char **argv)' '{'
      cat
      echo '}'; } >"$dir/$1.cu"
    judge "$@"
}
judge() { # with limit: seconds
    "$WARPSTEP" --json --limit ${limit:-1} check 8.1 "$dir/$1.cu" >"$out" 2>"$out.err" </dev/null
    grep -q "\"reason\":\"$2\",\"message\":\"[^\"]*$3" "$out" && ! [ -s "$out.err" ] && ! [ -e "$dir/owned" ] &&
        ! [ -e owned ] && ! ls -d "$TMPDIR"/warpstep-* >/dev/null 2>&1
    ok $? "$1: not $2 with \"$3\" and nothing else: $(head -c 700 "$out") $(head -c 300 "$out.err") $(ls "$dir"/owned owned 2>&1)"
}
hostile loop endless 'had computed for 1 seconds and not ended' <<X
for (;;) {}
X
limit=0.2 hostile waits unjudged 'does it wait for something' <<X
int p[2]; char c; if (pipe(p)) return 1; read(p[0], &c, 1); return 0;
X
hostile crash crash 'signal 11' <<X
*(volatile int *)argc = 1;
X
hostile aborts crash 'signal 6' <<X
abort();
X
hostile status status 'ended with status 7' <<X
return 7;
X
hostile forks wrong 'printed ..no process' <<X
for (int i = 0; i < 100; i++) if (fork() >= 0) _exit(open("$dir/owned", O_CREAT | O_WRONLY, 0600) >= 0);
puts("no process"); return 0;
X
hostile flood wrong 'printed more than 16 MiB' <<X
static char line[1 << 20]; memset(line, 'x', sizeof line);
for (int i = 0; i < 1024; i++) fwrite(line, 1, sizeof line, stdout);
return 0;
X
hostile reads wrong 'printed ..at the end' <<X
puts(getchar() == EOF ? "at the end" : "something"); return 0;
X
echo hidden >"$HOME/secret"
hostile files wrong 'printed ..0 files' <<X
int n = 0;
n += open("$dir/owned", O_CREAT | O_WRONLY, 0600) >= 0; n += open("owned", O_CREAT | O_WRONLY, 0600) >= 0;
n += open("$HOME/secret", O_RDONLY) >= 0; n += rename("$HOME/secret", "$dir/owned") == 0; n += unlink("$HOME/secret") == 0;
n += mkdir("$dir/owned", 0700) == 0; n += chmod("$HOME/secret", 0) == 0;
printf("%d files\n", n); return 0;
X
[ "$(cat "$HOME/secret")" = hidden ]; ok $? "a file of the user's was changed"
hostile starts wrong 'printed ..nothing started' <<X
system("touch $dir/owned"); puts("nothing started"); return 0;
X
hostile execs '\(wrong\|status\)' '' <<X
execl("/bin/sh", "sh", "-c", "echo >$dir/owned", (char *)0); return 0;
X
# Signal 0 asks the kernel the same, and hurts nobody where there is no seal.
hostile kills wrong 'printed ..0 ways' <<X
int n = 0; n += kill(getppid(), 0) == 0; n += kill(-1, 0) == 0; n += socket(AF_INET, SOCK_STREAM, 0) >= 0;
printf("%d ways\n", n); return 0;
X
hostile memory wrong 'printed ..less than' <<X
void *volatile p = malloc((size_t)64 << 30); /* volatile: clang would take it for granted */
puts(p ? "64 GiB" : "less than that"); return 0;
X
hostile answer short 'short of the goal: 0 launches' <<X
long long n = atoi(argv[1]), a = atoi(argv[2]);
if (cudaFree(0) != cudaSuccess) { puts("no CUDA-capable device"); return 1; }
printf("%lld numbers, sum %lld\n", n, a * n * (n - 1) / 2 + n); return 0;
X
# A launch that the card refused is told, as exec tells it: a fault, unless the program asked for the error.
more() { # NAME LINE: our own answer, with a line before its end
    { echo "// $PWD/build/answers/08-programs/1-whole/solution.ptx"
      sed "s|^    free(y);|    $2|" "$answers/1-whole/solution.cu"; } >"$dir/$1.cu"
}
more unseen 'line<<<1, 2048>>>(d_y, n, a);'
limit=30 judge unseen launch-refused 'launches of line that were refused (cudaErrorInvalidValue): 1; blocks of 2048 threads'
says 1 'FAIL launch-refused: .* Ask for the last error after each launch' check 8.1 "$dir/unseen.cu"
more seen 'line<<<1, 2048>>>(d_y, n, a); cudaGetLastError();'
says 0 'PASS all .* note: launches of line that were refused (cudaErrorInvalidValue): 1; blocks of 2048 threads; the card allows 1024' check 8.1 "$dir/seen.cu"

cp tests/grade/endless-program.cu "$dir/kernel.cu"
limit=30 judge kernel endless "instructions"

# ---- a class: such files are named, and not run ----
mkdir -p "$TMPDIR/class/ann" "$TMPDIR/class/bob"
cp "$answers/1-whole/solution.cu" "$TMPDIR/class/ann/8.1.cu"
says 2 'nobody handed in an answer' grade "$TMPDIR/class"
says 2 'exercise 8.1 is a whole program, which could write its own report' grade "$TMPDIR/class" 8.1
echo 'answer: 5' >"$TMPDIR/class/bob/7.1.txt"
says 0 'not judged: ann/8.1.cu (not graded: a program)' grade "$TMPDIR/class"
! grep -q '"exercise":"8.1"' "$TMPDIR/class/grades.json"; ok $? "grades.json has a whole program"
finish
