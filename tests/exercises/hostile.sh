# Answers that nobody should hand in, with each compiler that is here. Each gets a plain verdict,
# shows no file of this machine, starts no program and leaves nothing behind. Without any compiler,
# only the answers that are refused before compiling are tested.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
dir=$TMPDIR/in out=$TMPDIR/out
mkdir "$dir"
head='extern "C" __global__ void square(const int *x, int *y, int n)'
body='{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * x[i]; }'

# hostile NAME REASON...: reads the text from standard input; the verdict must be one of REASON
hostile() { cat >"$dir/$1.cu"; name=$1; shift; echo "$*" >"$dir/$name.reasons"; }
judged() { # judged NAME COMPILER: prints reason and message
    WARPSTEP_COMPILER=$2 timeout 100 "$WARPSTEP" --json check 1.1 "$dir/$1.cu" >"$out" 2>"$out.err"
    reason=$(sed -n 's/.*"reason":"\([^"]*\)".*/\1/p' "$out")
    good=1
    for one in $(cat "$dir/$1.reasons"); do if [ "$one" = "$reason" ]; then good=0; fi; done
    if [ $good = 0 ] && ! grep -q 'root:' "$out" "$out.err" && ! [ -s "$out.err" ] && ! [ -e "$dir/owned" ] &&
        ! ls -d "$TMPDIR"/warpstep-* >/dev/null 2>&1; then
        pass
    else
        fail "$1 with $2: \"$reason\", not $(cat "$dir/$1.reasons"): $(head -c 600 "$out") $(head -c 300 "$out.err")"
    fi
}

# refused before any compiler sees it
hostile include rejected <<E
#include "/etc/passwd"
$head $body
E
hostile include-next rejected <<E
#include_next <stdio.h>
$head $body
E
hostile embed rejected <<E
$head { const unsigned char t[] = {
#embed "/etc/passwd"
}; y[0] = t[0]; }
E
hostile has-include rejected <<E
#if __has_include("/etc/passwd")
#error it is there
#endif
$head $body
E
hostile pasted rejected <<E
#define P(a, b) a##b
#if P(__has_, include)("/etc/passwd")
#error it is there
#endif
$head $body
E
hostile pragma rejected <<E
#pragma GCC dependency "/etc/passwd"
$head $body
E
hostile line rejected <<E
#line 1 "/etc/passwd"
$head { y[n + 1000] = 1; }
E
hostile time rejected <<E
$head { y[0] = __TIME__[n]; }
E
hostile constructor rejected <<E
#include <unistd.h>
__attribute__((constructor)) static void run() { creat("$dir/owned", 0600); }
$head $body
E
hostile empty rejected </dev/null
printf '%s {}\n\000' "$head" | hostile nul rejected
printf '\377\376e\000x\000' | hostile utf16 rejected
before=$(ls "$dir" | sed -n 's/\.cu$//p')

# what the compilers must survive
hostile asm-include rejected <<E
$head { asm(".include \"/etc/passwd\""); $body }
E
hostile asm-pasted rejected <<E
$head { asm volatile(".inc" "lude \"/etc/passwd\";"); $body }
E
hostile asm-incbin rejected <<E
$head { asm volatile(".incbin \"/etc/passwd\""); $body }
E
hostile asm-unknown rejected <<E
$head { int v; asm("frobnicate.u32 %0, %1;" : "=r"(v) : "r"(n)); y[0] = v; }
E
hostile asm-file out-of-bounds <<E
$head { asm volatile(".file 7 \"/etc/passwd\"\n.loc 7 1 0\n"); y[n + 100000] = 1; }
E
hostile host-code rejected unjudged <<E
int system(const char *);
int main() { return system("touch $dir/owned"); }
E
hostile import rejected <<E
import <vector>;
$head $body
E
hostile deep rejected <<E
template <int N> struct F { enum { v = F<N - 1>::v + F<N - 2>::v }; };
template <> struct F<0> { enum { v = 0 }; };
template <> struct F<1> { enum { v = 1 }; };
$head { y[0] = F<100000>::v; }
E
hostile constant-loop rejected unjudged <<E
constexpr int loop(long n) { int s = 0; for (long i = 0; i < n; i++) s += i & 3; return s; }
$head { constexpr int v = loop(1L << 40); y[0] = v; }
E
hostile constant-tree rejected unjudged <<E
constexpr int f(int d) { return d == 0 ? 1 : f(d - 1) + f(d - 1); }
$head { constexpr int v = f(60); y[0] = v; }
E
hostile errors rejected <<E
template <int N> struct F { F<N - 1> a; static_assert(N < 0, "the same again"); };
template <> struct F<0> {};
#define E F<500> x; static_assert(0, "no"); undeclared(1, 2, 3);
#define E1 E E E E E E E E E E
#define E2 E1 E1 E1 E1 E1 E1 E1 E1 E1 E1
$head { E2 }
E
hostile huge rejected out-of-bounds <<E
__device__ int huge[1ull << 33]; /* clang 14 writes no length into its PTX */
$head { huge[threadIdx.x] = 1; $body }
E
hostile shared rejected <<E
$head { __shared__ int s[1 << 20]; s[threadIdx.x] = n; y[0] = s[n]; }
E
hostile local rejected <<E
$head { int s[1 << 26]; for (int i = 0; i < n; i++) s[(i * 7919) & 0xffffff] = x[i]; y[0] = s[n]; }
E
hostile recursion stack-overflow <<E
__device__ __noinline__ int f(int n) { volatile int a[100]; a[n % 100] = n; return n < 0 ? 0 : f(n + 1) + a[(n + 1) % 100]; }
$head { y[0] = f(1); }
E
hostile heap uninitialised race wrong out-of-bounds <<E
$head { for (int i = 0; i < 100000; i++) y[0] += (malloc(1 << 20) != 0); }
E
hostile flood endless <<E
$head { for (;;) printf("%d %s\n", n, "and on it goes"); }
E
hostile endless endless <<E
__device__ int g = 5;
$head { while (atomicAdd(&g, 0) >= 0); }
E

compilers=$("$WARPSTEP" --json doctor | sed -n 's/.*"what":"\(nvrtc\|nvcc\|clang\)","status":"ok".*/\1/p')
for name in $before; do
    for c in ${compilers:-none}; do
        case $c.$name in none.empty | none.utf16) continue ;; esac
        judged "$name" "$c"
    done
done
for file in "$dir"/*.cu; do
    name=$(basename "$file" .cu)
    case " $(echo $before) " in *" $name "*) continue ;; esac
    for c in $compilers; do judged "$name" "$c"; done
done
[ "$compilers" ] || skip "what a compiler must come through: there is none"
finish
