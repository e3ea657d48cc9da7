# A PTX file says where its source is, and may name any file of the user's. Only what lies beside it is shown: not by
# a path, a link, as a hidden file, nor in a folder below. Of a .cu file, what it includes from folders below is shown.
. "$(dirname "$0")/kernels/lib.sh"
mkdir -p "$TMPDIR/theirs/below" "$TMPDIR/other"
cd "$TMPDIR/theirs" || exit 1
for file in ../secret other.cu .hidden below/deep.cu; do echo 'a line of the file' >"$file"; done
ln -s ../secret link.cu
ln -s other.cu inside.cu
# ptx NAME FILE: a store out of bounds, said to be on line 1 of FILE
ptx() {
    printf '%s\n' '.version 8.3' '.target sm_70' '.address_size 64' '.visible .entry k(.param .u64 out)' '{' \
        '    .reg .b64 %rd<2>;' '    ld.param.u64 %rd1, [out];' '    .loc 1 1 0' '    st.global.u32 [%rd1+400000], 1;' \
        '    ret;' '}' ".file 1 \"$2\"" >"$1.ptx"
}
# shows yes|no FILE: `try` names the file in a fault and in the table of lines; does it print its line?
shows() {
    ptx one "$2"
    for options in '' --lines --json '--json --lines'; do
        "$WARPSTEP" --device sim:h200 try "${3:-}one.ptx" --grid 1 --block 1 --arg u32[1]:zero $options >out 2>&1
        [ $? = 1 ] && grep -q out-of-bounds out; ok $? "$2 $options: no fault: $(head -5 out)"
        grep -q 'a line of the file\|root:x' out && got=yes || got=no
        case $1.$options in yes.*json*) continue ;; esac # JSON has names and numbers alone
        [ $got = "$1" ]; ok $? "$2 $options: shown is $got, not $1: $(head -12 out)"
    done
}
shows yes other.cu
shows yes "$TMPDIR/theirs/other.cu"
shows yes ./other.cu
shows yes below/../other.cu
shows yes inside.cu
shows no /etc/passwd
shows no ../../../../../../../../../../etc/passwd
shows no "$TMPDIR/secret"
shows no ../secret
shows no link.cu
shows no .hidden
shows no below/deep.cu
shows no /dev/stdin
cd ../other || exit 1
ptx one other.cu
mv one.ptx ../theirs
shows() { "$WARPSTEP" --device sim:h200 try ../theirs/one.ptx --grid 1 --block 1 --arg u32[1]:zero | grep -q "$1"; }
shows 'a line of the file'; ok $? "a name in the folder of the PTX"
echo 'a line here' >other.cu
! shows 'a line here'; ok $? "a file of the folder that warpstep runs in is shown"
ptx one /etc/passwd
"$WARPSTEP" --device sim:h200 try one.ptx --grid 1 --block 1 --arg u32[1]:zero --lines >out 2>&1
grep -q '^/etc/passwd: not shown, as it does not lie beside one.ptx' out; ok $? "which is not said: $(cat out)"
# `step` shows the PTX in place of such a source
"$WARPSTEP" --device sim:h200 step ../theirs/one.ptx --grid 1 --block 1 --arg u32[1]:zero --text >out 2>&1
! grep -q 'a line' out; ok $? "step: $(cat out)"
finish
