# Some test calls every function of the device header. tests/try/math checks the numbers of those
# that compute; device.cu calls most others, lessons and tests/fidelity the rest. The header's own
# helpers (__ws...) are reached through them. A breakpoint would end the test, so it is left out.
. tests/cases.sh
command -v "${CC:-cc}" >/dev/null 2>&1 || CC=gcc
expand() { ${CC:-cc} -E -P -x c++ "$@" 2>/dev/null; }
expand tests/try/math/all.cu >"$TMPDIR/calls" || skip_all "header: no host compiler"
cat tests/try/kernels/*.cu tests/programs/*.cu tests/check/*.cu tests/machine/*.cu tests/fidelity/*.cu kernels/*/*.cu >>"$TMPDIR/calls"
grep -o '[A-Za-z_][A-Za-z_0-9]*' "$TMPDIR/calls" | sort -u >"$TMPDIR/called"
for part in names intrinsics half thread; do
    expand '-D__WS_FN=@fn' "sim/device/warpstep_$part.h" | tr ';{}' '\n\n\n' | sed -n 's/.*@fn //p' | sed -n 's/^\([^(]*[ *&]\)\([A-Za-z_0-9]*\) *(.*/\2/p'
done | grep -v '^__ws\|^__brkpt$' | sort -u >"$TMPDIR/functions"
[ "$(wc -l <"$TMPDIR/functions")" -gt 300 ] || stop "header: its functions were not found"
none "no test calls" "$(comm -23 "$TMPDIR/functions" "$TMPDIR/called")"
finish
