# What device code can call, through every compiler that is here. All expected results come from
# reasoning, none from a compiler.
. "$(dirname "$0")/kernels/lib.sh"

# dump KERNEL ARGS...: prints its buffers, one per line, numbers separated by blanks
dump() {
    kernel=$1
    shift
    "$WARPSTEP" --json --device sim:h200 try "device.cu:$kernel" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" || wrong "$compiler: $kernel failed"
    grep -o '"values":\[[^]]*\]' "$TMPDIR/out" | sed 's/.*\[//; s/\]//; s/,/ /g' >"$TMPDIR/values"
}
# is N WANTED: checks the Nth buffer
is() {
    got=$(sed -n "$1p" "$TMPDIR/values")
    if [ "$got" = "$2" ]; then pass; else wrong "$compiler: $kernel, dump $1: $got, not $2"; fi
}
# rep VALUE COUNT
rep() { awk -v v="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s%s", i ? " " : "", v; print "" }'; }

any=
for compiler in nvrtc nvcc clang own; do
    # NVRTC a second time, with our headers alone, as on a computer without the toolkit
    WARPSTEP_HEADERS=
    [ $compiler = own ] && compiler=nvrtc WARPSTEP_HEADERS=own
    has $compiler || continue
    any=yes
    export WARPSTEP_COMPILER=$compiler WARPSTEP_HEADERS
    if [ $compiler = nvrtc ]; then # device code only
        mkdir -p "$TMPDIR/k" && sed '/^int main/,$d' device.cu >"$TMPDIR/k/device.cu" && cd "$TMPDIR/k" || exit 1
    else
        cd "$dir" || exit 1
    fi

    dump atomics --grid 1 --block 64 --arg 'i32[11]:=0,0,0,0,-1,0,0,0,0,0,5' --arg 'u32[5]:=0,0,0,0xffffffff,0' --arg 'u64[3]:=0,0,3' \
        --arg 'f32[4]:=0,0,0,1.25' --arg 'f64[1]:zero' --dump 0 --dump 1 --dump 2 --dump 3 --dump 4
    is 1 '2016 -2016 -63 63 -65536 65535 0 9 128 5 77'
    is 2 '4 6 2147483711 4294967232 192'
    is 3 '549755813888 69269232549888 6'
    is 4 '32 96 1.25 2'
    is 5 '16'

    dump warp --grid 1 --block 64 --arg 'i32[832]:=-7' $(for i in 0 1 2 3 4 5 6 7 8 9 10 11 12; do echo --dump "0[$((i * 64)):$((i * 64 + 64))]"; done)
    is 1 "$(rep 5 64)"
    is 2 "$(awk 'BEGIN { for (t = 0; t < 64; t++) { l = t % 32; printf "%s%d", t ? " " : "", l < 3 ? l : l - 3 } print "" }')"
    is 3 "$(awk 'BEGIN { for (t = 0; t < 64; t++) { l = t % 32; printf "%s%d", t ? " " : "", l % 8 + 3 < 8 ? l + 3 : l } print "" }')"
    is 4 "$(awk 'BEGIN { for (t = 0; t < 64; t++) { l = t % 32; printf "%s%d", t ? " " : "", (l + 16) % 32 } print "" }')"
    is 5 "$(awk 'BEGIN { for (t = 0; t < 64; t++) { l = t % 32; m = l % 2 ? l - 1 : l + 1; printf "%s%d", t ? " " : "", int(m * 1.5) } print "" }')"
    is 6 "$(rep 1227133513 64)"
    is 7 "$(rep 3 64)"
    is 8 "$(awk 'BEGIN { v[0] = 255; v[1] = 65280; v[2] = 16711680; v[3] = -16777216; for (t = 0; t < 64; t++) printf "%s%d", t ? " " : "", v[int(t % 32 / 8)]; print "" }')"
    is 9 "$(rep -1 64)"
    is 10 "$(rep 1 64)"
    is 11 "$(rep 16 64)"
    is 12 "$(rep 3 64)"
    is 13 "$(awk 'BEGIN { for (t = 0; t < 64; t++) printf "%s%d", t ? " " : "", t % 32 < 10 ? 1023 : -7; print "" }')"

    dump bits --grid 1 --block 1 --arg 'u32[31]' --dump 0
    is 1 "7 8 1 2147684096 8 23 41 2147483648 1998738688 40 671088640 3 4294967295 1 4294967281 6 12 8 4 5 2 4 1065353216 4294967294 2 3 1072693248 1065353217 1266679808 1065353216 1092616192"

    dump groups --grid 1 --block 64 --arg 'i32[64]:iota' --arg 'i32[70]:zero' --dump '1[0:6]' --dump '1[6:70]'
    is 1 '2016 63 22 693 64 8'
    is 2 "$(awk 'BEGIN { for (t = 0; t < 64; t++) printf "%s%d", t ? " " : "", t % 8 < 7 ? t + 1 : t; print "" }')"
    # sin, cos and tan of a half, in ten-thousandths; 9 | 6 | 16 & 30 & 28 ^ 1 ^ 2 = 31
    dump rest --grid 1 --block 32 --arg 'u32[31]' --arg 'i32[8]:zero' --arg 'u32[1]:zero' --dump '0'
    is 1 '1 15 2147483649 2 1 2 5 3 314 7 8 4794 8776 5463 100 300 300 16843009 5 6 7 4 9 31 31 40 41 0 1 2 1'

    dump whole_grid --grid 5 --block 64 --arg 'i32[6]:zero' --dump 0
    is 1 '320 320 320 320 320 320'

    dump memory --grid 1 --block 64 --shared 256 --arg 'i32[68]' --arg 'i32[64]:iota' --arg 'f32[16]:iota' --dump '0[0:64]' --dump '0[64:68]'
    is 1 "$(awk 'BEGIN { for (t = 0; t < 64; t++) printf "%s%d", t ? " " : "", ((63 - t) % 4 + 1) * 10 + 63 - t + t * 4 + t % 4 + t % 4 * 8 + 3 + 2; print "" }')"
    is 2 '5 6 6443 1'

    # 1.5 and -2.25; 0.75 and -3. Then two thirds, 2049.7, a million and a tenth as the format
    # rounds them, and a tenth rounded down and up.
    dump halves --arch 80 --grid 1 --block 32 --arg 'f32[2048]:zero' --dump '0[64:91]'
    is 1 '-0.75 3.75 -3.375 -0.6665039 -2.375 -1.125 2.25 3 1.5 2.25 -0.328125 -24 1 -3 2 0 48 24 -96 2050 "inf" 0.099975586 0.099975586 0.10003662 2 49152 4'
    dump bfloats --arch 80 --grid 1 --block 32 --arg 'f32[2048]:zero' --dump '0[64:91]'
    is 1 '-0.75 3.75 -3.375 -0.66796875 -2.375 -1.125 2.25 3 1.5 2.25 -0.328125 -24 1 -3 2 0 48 24 -96 2048 999424 0.100097656 0.099609375 0.100097656 2 49152 4'

    for arch in 75 80; do # from 80 on the copy is asynchronous
        dump copies --arch $arch --grid 1 --block 64 --arg 'i32[256]:iota' --arg 'i32[128]' --dump '1[0:64]' --dump '1[64:128]'
        is 1 "$(awk 'BEGIN { for (t = 0; t < 64; t++) printf "%s%d", t ? " " : "", 255 - t; print "" }')"
        is 2 "$(awk 'BEGIN { for (t = 0; t < 64; t++) printf "%s%d", t ? " " : "", 73 - t; print "" }')"
    done

    "$WARPSTEP" try device.cu:prints --grid 1 --block 32 --arg i32:1 >"$TMPDIR/out" 2>"$TMPDIR/err" || wrong "$compiler: prints failed"
    printf '%s\n' '-1 7 text c  2.50 ff 1099511627776 %' '0 7 text c  2.50 ff 1099511627776 %' >"$TMPDIR/want"
    grep 'text' "$TMPDIR/out" | cmp -s - "$TMPDIR/want" || wrong "$compiler: printf"
    "$WARPSTEP" try device.cu:prints --grid 1 --block 32 --arg i32:2 >"$TMPDIR/out" 2>"$TMPDIR/err"
    [ $? = 1 ] || wrong "$compiler: a failed assert is not status 1"
done
finish
