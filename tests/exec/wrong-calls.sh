# Calls of CUDA that are wrong (wrong_calls.c): each answers with the code that is documented, or that cards are known to
# give, and the program goes on. No function ends a program that passes it nothing.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcudart.so.13" ] || skip_all "wrong calls: no libraries in this build"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=gcc
cd "$TMPDIR" || exit 1
${CC:-cc} -std=gnu11 -O1 -w -o wrong_calls "$here/wrong_calls.c" -ldl 2>log ||
    skip_all "wrong calls: no host compiler: $(head -1 log)"
run() { "$WARPSTEP" exec --limit 900 --report report ./wrong_calls "$here/kernels.ptx" "$@" >out 2>err; }

run
status=$?
# 1: launches that were refused, and kernels that went wrong, are faults of the program
[ $status = 1 ]; ok $? "status $status: $(head -3 err)"
all=$(sed -n 's/^0 of \([0-9]*\) calls are not as expected$/\1/p' out)
sed -n 's/^ *\([0-9]* .*;.*\)/FAIL \1/p' out
[ "${all:-0}" -ge 200 ]; ok $? "$(tail -n 1 out)"
pass ${all:-0}
# of those that asserted, stored far away and misaligned, the report names the place
for what in 'kernels.cu:20' 'kernels.cu:19' 'kernels.cu:22'; do grep -q "$what" report out err; ok $? "no $what in the report"; done

# the same calls by whoever has nothing to pass
if command -v nm >/dev/null 2>&1; then
    for name in libcuda.so.1 libcudart.so.13; do nm -D --defined-only "$lib/$name"; done |
        sed -n 's/.* T \(cu[A-Za-z0-9_]*\).*/\1/p' | grep -v '^cudaCreateChannelDesc$' >names # it returns a structure
    [ "$(wc -l <names)" -gt 900 ]; ok $? "$(wc -l <names) functions"
    for how in zeros zeros-ready; do
        run $how <names
        status=$?
        # 125: some of them are not there, which exec says
        [ $status = 125 ] && grep -q ' 0 of them end the process$' out
        ok $? "$how: status $status: $(tr '\n' ';' <out)"
    done
else
    skip "functions called with nothing: no nm"
fi
finish
