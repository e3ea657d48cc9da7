# Every compiler that is here, used alone, gives the same verdict for the same answer. Code besides
# the kernel does not change the verdict; where a compiler refuses such code, the verdict stays
# open. No spelling of an include reads another file.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
dir=$TMPDIR/in out=$TMPDIR/out
mkdir "$dir"
compilers=$("$WARPSTEP" --json doctor | sed -n 's/.*"what":"\(nvrtc\|nvcc\|clang\)","status":"ok".*/\1/p')
[ "$compilers" ] || skip_all "verdicts of compilers: there is none"
kernel='extern "C" __global__ void square(const int *x, int *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * x[i]; }'

# verdict NAME REASON [REASON-OF-NVRTC]: reads the text from standard input
verdict() {
    cat >"$dir/$1.cu"
    for c in $compilers; do
        want=$2
        [ $c = nvrtc ] && want=${3:-$2}
        WARPSTEP_COMPILER=$c "$WARPSTEP" --json check 1.1 "$dir/$1.cu" >"$out" 2>"$out.err"
        got=$(sed -n 's/.*"reason":"\([^"]*\)".*/\1/p' "$out")
        if [ "$got" = "$want" ] && ! [ -s "$out.err" ]; then pass
        else fail "$1 with $c: \"$got\", not $want: $(head -c 700 "$out" "$out.err")"
        fi
    done
}
verdict main pass <<X
$kernel
int main() { int *d; cudaMalloc(&d, 4); square<<<1, 1>>>(d, d, 1); std::vector<int> v; return v.size(); }
X
verdict main-first pass <<X
extern "C" __global__ void square(const int *, int *, int);
int main(int argc, char **argv)
{
#ifdef DEBUG
    return 1;
#endif
    return undeclared(argc);
}
$kernel
X
verdict helper-of-the-host pass <<X
#include <stdio.h>
static int rounded(int a, int b) { return (a + b - 1) / b; }
$kernel
int main() { printf("%d\n", rounded(3, 2)); }
X
verdict main-in-a-comment wrong <<X
// int main() {
extern "C" __global__ void square(const int *x, int *y, int n) { const char *s = "int main() {"; if (threadIdx.x < n) y[threadIdx.x] = s[0]; }
X
verdict lines wrong <<X
#define MAIN \\
    1
int main() {
}
extern "C" __global__ void square(const int *x, int *y, int n) { if (threadIdx.x == 0) y[0] = 7; }
X
verdict without-device rejected <<X
int twice(int a) { return 2 * a; }
extern "C" __global__ void square(const int *x, int *y, int n) { y[0] = twice(x[0]); }
X
verdict without-global rejected <<X
extern "C" void square(const int *x, int *y, int n) { y[0] = x[0]; }
X
verdict undefined rejected <<X
int main() { return 0; }
extern "C" __global__ void square(const int *x, int *y, int n) { y[0] = nothing; }
X
verdict class-of-the-host pass unjudged <<X
struct Timer { int now() { return 1; } };
$kernel
int main() { return Timer().now(); }
X

# An answer that includes another student's passing answer: no spelling of the include may pass.
echo "$kernel" >"$TMPDIR/theirs.cu"
n=0
for name in "$TMPDIR/theirs.cu" "/proc/self/cwd/theirs.cu"; do
    for text in '#\\\rinclude "%s"\n' '#\\ \rinclude "%s"\n' '#inc\\\rlude "%s"\n' '#\rinclude "%s"\n' '\r#include "%s"\n' '#\\\r\ninclude "%s"\n' \
        '#\\\f\ninclude "%s"\n' '#\v\finclude "%s"\n' '%%:\\\rinclude "%s"\n' '%%\\\r:include "%s"\n' '?\?=\\\rinclude "%s"\n' '#\\\rinclude_next "%s"\n' \
        '#/*\r*/include "%s"\n' '/*\r*/#include "%s"\n' '//\\\r#include "%s"\n' '#\\\t\rinclude "%s"\n' '#\000include "%s"\n' '#\\\000\ninclude "%s"\n' \
        '#if __has\\\r_include("%s")\n#endif\n' '#\\\rpragma GCC dependency "%s"\n' '_Pra\\\rgma("GCC dependency \\"%s\\"")\n' '#\302\240include "%s"\n' \
        '#\\\342\200\250include "%s"\n' '#\\\302\205include "%s"\n' '\\u0023include "%s"\n' '#incl\\u0075de "%s"\n' '# 1 "%s"\n' '#\\\r 1 "%s"\n'; do
        n=$((n + 1))
        # shellcheck disable=SC2059
        printf "// none\n$text" "$name" >"$dir/spelling-$n.cu"
    done
done
cd "$TMPDIR" || exit 1
for file in "$dir"/spelling-*.cu; do
    for c in $compilers; do
        WARPSTEP_COMPILER=$c "$WARPSTEP" --json check 1.1 "$file" >"$out" 2>"$out.err"
        if grep -q '"reason":"rejected"' "$out" && ! grep -q 'blockIdx' "$out" "$out.err"; then pass
        else fail "$(od -c "$file" | head -n 3 | tr '\n' ' ') with $c: $(head -c 300 "$out")"
        fi
    done
done
# the message of the refusal
printf 'int a;\r#include <math.h>\n' >"$dir/return.cu"
"$WARPSTEP" check 1.1 "$dir/return.cu" >"$out" 2>&1
if grep -q 'carriage return' "$out"; then pass; else fail "a carriage return: $(cat "$out")"; fi
finish
