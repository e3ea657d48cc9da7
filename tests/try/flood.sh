# A kernel that prints more than a card keeps runs to its end. The kept text is shown, and how much
# was kept and left out. 1 MiB holds 65,536 lines of 15 bytes, each with its final 0: 32 threads
# print 4,000 each, 128,000 in all, so 62,464 are left out.
. "$(dirname "$0")/kernels/lib.sh"
cat >"$TMPDIR/flood.ptx" <<'end'
.version 8.3
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 line[16] = {102, 111, 117, 114, 116, 101, 101, 110, 32, 98, 121, 116, 101, 115, 10, 0};
.visible .entry flood(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
    mov.u64 %rd2, line;
    cvta.global.u64 %rd3, %rd2;
    mov.u64 %rd4, 0;
again:
    {
    .param .b64 a;
    .param .b64 b;
    .param .b32 c;
    st.param.b64 [a], %rd3;
    st.param.b64 [b], %rd4;
    call.uni (c), vprintf, (a, b);
    ld.param.b32 %r3, [c];
    }
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra again;
    st.global.u32 [%rd1], %r2;
    ret;
}
end
for card in h200 8800gt; do
    device=sim:$card
    expect 0 '65,536 printfs, 960 KiB of text; 62,464 more left out.*1 MiB of what a launch prints.*0: 4000' \
        "$TMPDIR/flood.ptx" --grid 1 --block 32 --arg u32[1]:zero --arg u32:4000 --check none --dump 0
    lines=$("$WARPSTEP" --device $device try "$TMPDIR/flood.ptx" --grid 1 --block 32 --arg u32[1]:zero --arg u32:4000 --check none | grep -c '^fourteen bytes$')
    [ "$lines" = 65536 ] || wrong "$lines lines on $card, not 65536"
    expect 0 'fourteen bytes' "$TMPDIR/flood.ptx" --grid 1 --block 1 --arg u32[1]:zero --arg u32:3
    ! grep -q 'left out' "$TMPDIR/out" || wrong "3 lines left something out on $card"
done
finish
