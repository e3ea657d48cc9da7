# Whole programs that do what they should not (misuse.c): what exec says of launches that were refused, and that nothing
# crashes or hangs where sizes overflow, images are damaged, and threads are interrupted or end.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcudart.so.13" ] || skip_all "misuse: no libraries in this build"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=gcc
# What is wrong in one call alone is in wrong_calls.c.
hold=$here/../../kernels/06-memory/hold.ptx
cd "$TMPDIR" || exit 1
${CC:-cc} -std=gnu11 -O1 -rdynamic -o misuse "$here/misuse.c" -L"$lib" -l:libcudart.so.13 -ldl \
    -Wl,-rpath,/nonexistent -Wl,--allow-shlib-undefined -pthread 2>log ||
    skip_all "misuse: no host compiler: $(head -1 log)"
ptx=$here/kernels.ptx
run() { # NAME [OPTION...]
    name=$1
    shift
    "$WARPSTEP" exec --limit 900 --report report "$@" ./misuse "$ptx" "$name" >out 2>err
    status=$?
    tr -s ' \n' ' ' <report >flat
}
# want NAME STATUS [OPTION...], and the lines on stdin
want() {
    name=$1 code=$2
    shift 2
    cat >wanted
    run "$name" "$@"
    [ "$status" = "$code" ] && cmp -s out wanted
    ok $? "$name: status $status: $(diff wanted out | head -5 | tr '\n' '|') $(head -2 err | tr '\n' ' ')"
}
has() { grep -q "$1" flat; ok $? "$name: no '$1' in $(cat flat)"; }
has_not() { ! grep -q "$1" flat; ok $? "$name: '$1' in $(cat flat)"; }

# ---- launches that are refused ----
want refused 1 <<'END'
over cudaSuccess
END
has ' launch-refused: 3 of 5 launches of needs_shared were refused (cudaErrorInvalidValue): blocks of 2048 threads; the card allows 1024. The program did not look at the error. '
has ' launch-refused: 1 of 5 launches of needs_shared were refused .*: a grid of 0 x 1 x 1 blocks of 16 x 1 x 1 threads is empty. '
has ' launch-refused: 1 of 1 launches of nothing_like_it were refused .*: the program.s code has no such kernel. '
run refused --json
grep -q '"refused_launches":\[{"kernel":"needs_shared","process":[0-9]*,"by_kernel":false,"error":"cudaErrorInvalidValue","launches":3,"unread":3,' report
ok $? "refused: the JSON: $(cat report)"
want refused_and_read 0 <<'END'
peek cudaErrorInvalidValue
END
has ' note: 3 of 3 launches of needs_shared were refused (cudaErrorInvalidValue): .*. The program was told so. '
want refused_and_read_once 1 <<'END'
last cudaErrorInvalidValue
END
has ' launch-refused: 1,000 of 1,000 launches of needs_shared were refused .*. The program did not look at the error of 700. '
want bad_node 0 <<'END'
good cudaSuccess
instantiate cudaSuccess
launch cudaSuccess
over cudaSuccess
END
has ' note: 1 of 2 launches of needs_shared were refused (cudaErrorInvalid[A-Z][a-z]*): blocks of 2048 threads; the card allows 1024. The program was told so. '
want refused_elsewhere 1 <<'END'
last cudaSuccess
END
has ' launch-refused: 2 of 2 launches .*. The program did not look at the error. '
want refused_to_its_face 0 <<'END'
launch cudaErrorInvalidValue
END
has ' note: 1 of 1 launches .*. The program was told so. '

# ---- an estimate of registers refuses nothing that may fit ----
ptx=$hold
want many_registers 0 <<'END'
launch cudaSuccess
over cudaSuccess
right
END
has ' note: hold96 is estimated to take [0-9]* registers for each thread, too many for its blocks of 1024 threads. '
has_not 'refused'
ptx=$here/kernels.ptx

# ---- sizes and images ----
want sizes 0 <<'END'
rows cudaErrorInvalidValue
pitch 1024
a row cudaErrorInvalidValue
pitch 0
more rows cudaSuccess
pitch 1536
slices cudaErrorInvalidValue
more slices cudaErrorMemoryAllocation
a slice cudaErrorInvalidValue
untouched 1
plain cudaErrorMemoryAllocation
small cudaSuccess
copy cudaErrorInvalidValue
fill cudaErrorInvalidValue
END
want links 0 <<'END'
create 0
destroy 0
again 400
add 400
complete 400
nothing 400
END
for name in wrong_length wrong_total; do
    want $name 125 <<'END'
whole cudaErrorInvalidKernelImage
END
    has ' refused: the program.s kernels cannot be run: its header says '
done

# ---- many allocations: they took more than twice as long for each when there were many ----
want allocations 0 --limit 900 <<'END'
0 failed
END

# ---- threads that are interrupted, or end ----
want in_handler 0 --limit 900 <<'END'
handled 1
over cudaSuccess
END
want handler_with_lock 0 --limit 900 <<'END'
refused 50
at once 1
over cudaSuccess
END
want exit_in_handler 4 --limit 900 <<'END'
handler
END
want cancelled 0 --limit 900 <<'END'
over cudaSuccess
END
want main_exits 0 --limit 900 <<'END'
main ends
END
has ' needs_shared 1 '
finish
