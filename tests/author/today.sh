# What lessons on today's cards need: small floats, tensor maps, clusters, much shared memory, products judged within
# rounding, and a card that can run them. The lesson is tests/author/40-today; its PTX lies beside its kernels.
. tests/cases.sh
top=$PWD
fake=$PWD/$BUILD/tests/gpu/libfake.so
says() { # says WHAT TEXT COMMAND...: it prints that text
    what=$1 text=$2
    shift 2
    "$@" >"$TMPDIR/out" 2>&1
    tr '\n' ' ' <"$TMPDIR/out" | tr -s ' ' >"$TMPDIR/line"
    grep -qF -- "$text" "$TMPDIR/line"
    ok $? "$what: $(cut -c1-400 "$TMPDIR/line")"
}
today() { "$WARPSTEP" --lessons "$top/tests/author/40-today" "$@"; }

# ---- products ----
says "whole numbers are exact" "c: right, every element as the CPU has it" today run 40.product
says "a block for each multiprocessor" "product<<<132, 128>>>" today run 40.product
says "... of the card at hand" "product<<<36, 128>>>" today --device sim:rtx2070 run 40.product
says "one element off by 1" "c: wrong in 1 elements, first in [700]" today run 40.product wrong=700
says "numbers that round" "of what rounding can do" today run 40.rounded
says "... as JSON" '"error_of_rounding":' today --json run 40.rounded

# ---- its rate: 2 * 96 * 96 * 64 operations in 5.02 us are 235 GFLOP/s, 12 % of the 2 TFLOP/s that the lesson gives ----
says "the library" "library: 2.00 TFLOP/s on an H200 (a library that this test made up)" today run 40.product
says "... and the share" "of the library 12 %" today run 40.product
today --json run 40.product n=64 >"$TMPDIR/out" 2>&1
! grep -q library_share "$TMPDIR/out"
ok $? "... not at another size"
# the peak of the H200: 4096 * 132 * 1.98 GHz = 1070 TFLOP/s, of which 235 GFLOP/s are 0.022 %
says "the card's peak" '"peak_share":0.0219' today --json run 40.product

# ---- a tensor map, a cluster and 100 KiB of shared memory ----
says "they reach the kernel" "out: right" today run 40.map
says "... and the screen" "map<<<4, 1, 102400>>> in clusters of 2" today run 40.map
says "... as JSON" '"cluster":[2,1,1]' today --json run 40.map
says "a card that is too old" "40.map cannot run on sim:8800gt: it needs compute 9.0, and sim:8800gt has 1.1" \
    today --device sim:8800gt run 40.map
says "... and what to do" "try: set device sim:h200" today --device sim:8800gt run 40.map
says "all steps hold what they say" "3 steps checked, 0 problems" today check-lessons 40

# ---- on a GPU, for which tests/gpu/fake.c stands in ----
if [ -f "$fake" ]; then
    gpu() { FAKE_CUDA=$1 WARPSTEP_CUDA_DRIVER=$fake WARPSTEP_COMPILER=none "$WARPSTEP" --lessons "$top/tests/author/40-today" $2 run 40.map; }
    says "the driver makes the map" "out: right, every element as the CPU has it" gpu "" ""
    says "... and launches the cluster" "cluster 2 1 1" gpu clusters ""
    says "what the driver says" "argument 1 of map, a tensor map: making a tensor map: fake failure 1" gpu map:1 ""
    says "a GPU that is too old gives way" "40.map runs on sim:h200: it needs compute 9.0, and gpu:0 has 8.6" gpu compute:86 ""
    says "... to the simulated card" "out: right" gpu compute:86 ""
    says "... unless it is asked for" "40.map cannot run on gpu:0: it needs compute 9.0" gpu compute:86 "--device gpu"
else
    skip "no $fake: make test builds it"
fi

# ---- mistakes: the file, the line and the column ----
mistake() { # mistake LINE TEXT: the line, in a step of its own
    mkdir -p "$TMPDIR/41-wrong"
    cp "$top"/tests/author/40-today/map.* "$TMPDIR/41-wrong"
    {
        printf 'title: T\nsetting: n = 64 from 1 to 1Ki, numbers\nstep: v1\ntitle: A\nidea: I\nkernel: map.cu\n'
        printf 'buffer: a bf16[n * 64] = zero in n x 64\nbuffer: flat f16[256] = ones\nbuffer: out u32[4]\n%s\n' "$1"
        [ "${1%%:*}" = launch ] || printf 'launch: map<<<4, 1, 4>>>(map(a, box 8 x 8), out, 0)\n'
        [ "${1%%:*}" = right ] || printf 'right: out[i] == 1\n'
    } >"$TMPDIR/41-wrong/lesson.txt"
    says "$1" "$2" "$WARPSTEP" --lessons "$TMPDIR/41-wrong" --device sim:h200 run 41.v1
}
mistake 'launch: map<<<4, 1, 4>>>(map(b, box 8 x 8), out, 0)' "lesson.txt:10:30: expected a buffer of this step: there is no b"
mistake 'launch: map<<<4, 1, 4>>>(map(a, 8 x 8), out, 0)' "lesson.txt:10:33: expected ', box ROWS x COLUMNS'"
mistake 'launch: map<<<4, 1, 4>>>(map(a, box 8), out, 0)' "expected box ROWS x COLUMNS: a is declared in rows and columns"
mistake 'launch: map<<<4, 1, 4>>>(map(flat, box 8 x 8), out, 0)' "expected a buffer in rows: flat is not declared"
mistake 'launch: map<<<4, 1, 4>>>(map(a, box 8 x 8, swizle 64), out, 0)' "expected swizzle BYTES or promotion BYTES"
mistake 'launch: map<<<4, 1, 4>>>(map(a, box 8 x m), out, 0)' "lesson.txt:10: expected a setting or a name given by let, for or finish: there is no m"
mistake 'launch: map<<<4, 1, 4>>>(map(a, box 8 x 8, swizzle 48), out, 0)' "lesson.txt:10: the swizzle is 48; it must be 0, 32, 64 or 128"
mistake 'launch: map<<<4, 1, 4>>>(map(a, box 8 x 300), out, 0)' "lesson.txt:10: argument 1 of map, a tensor map: "
mistake 'launch: map<<<4, 1, 4>>>(a, out, 0)' "argument 1 of map is not a pointer"
mistake 'launch: map<<<4, 1, 4>>>(map(a, box 8 x 8), map(a, box 8 x 8), 0)' "argument 2 of map has 8 bytes: a tensor map is a const __grid_constant__ CUtensorMap"
mistake 'launch: map<<<4, 1, 4>>>(map(flat, box 64), out, 0)' "out: right"
mistake 'peak: bf17' "lesson.txt:10:7: expected f16, bf16, tf32, e4m3, e5m2, or f32"
mistake 'peak: bf16' "expected \"operations: ...\" in step v1: its rate is compared"
mistake 'library: 5 ms on h200, cuBLAS' "lesson.txt:10:12: expected TFLOP/s, GFLOP/s or FLOP/s"
mistake 'library: 5 TFLOP/s on h200' "expected ',' and which library it is"
mistake 'cluster: 0' "the blocks of a cluster is 0; it must be between 1 and 1024"
mistake 'cluster: two' "there is no two"
mistake 'cluster: 2 x' "lesson.txt:10:13: expected"
mistake 'right: out == sum(a) within rounding' "expected a number: within rounding is for product and row_products"
mistake 'buffer: x f15[4]' "lesson.txt:10:11: expected a type: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 tf32 f32 f64 e4m3 e5m2"
mistake 'buffer: x e4m3[n] = i * 1.5' "out: right"

# ---- try ----
kernel="$top/tests/try/kernels/saxpy.ptx:saxpy"
says "small floats of the command line" "bf16[4] 0: 1 2.5 -3.14 0" "$WARPSTEP" try "$kernel" --grid 1 --block 32 --arg i32:0 \
    --arg f32:1 --arg bf16[4]:=1,2.5,-3.14159,1e-45 --arg f32[1]:zero --dump 0
says "... and of 8 bits" "e4m3[3] 0: 448 0.002 -0.1" "$WARPSTEP" try "$kernel" --grid 1 --block 32 --arg i32:0 \
    --arg f32:1 --arg e4m3[3]:=448,0.002,-0.1 --arg f32[1]:zero --dump 0
says "too large" "500 is too large for e4m3" "$WARPSTEP" try "$kernel" --grid 1 --block 32 --arg i32:0 --arg f32:1 \
    --arg e4m3[3]:=500 --arg f32[1]:zero
says "clusters" "block 32, cluster 2" "$WARPSTEP" try "$kernel" --grid 2 --cluster 2 --block 32 --arg i32:0 --arg f32:1 \
    --arg f32[1]:zero --arg f32[1]:zero
says "clusters that are none" "--cluster 0" "$WARPSTEP" try "$kernel" --grid 2 --cluster 0 --block 32

# ---- compute 9.0 by the compilers that are here: a parameter's address stays the parameter's ----
cat >"$TMPDIR/k.cu" <<'END'
struct alignas(64) words { unsigned long long at[16]; };
#if __CUDA_ARCH__ != 900
#error not compute 9.0
#endif
extern "C" __global__ void k(const __grid_constant__ words m, unsigned *out, const __grid_constant__ words o)
{
    unsigned long long a, b;
    asm volatile("cvta.to.param.u64 %0, %1; ld.param.u64 %0, [%0];" : "=l"(a) : "l"(&m));
    asm volatile("cvta.to.param.u64 %0, %1; ld.param.u64 %0, [%0+8];" : "=l"(b) : "l"(&o));
    out[0] = (unsigned)a;
    out[1] = (unsigned)b;
}
END
for compiler in nvrtc nvcc clang; do
    WARPSTEP_COMPILER=$compiler "$WARPSTEP" doctor --json 2>/dev/null | grep -q "\"what\":\"$compiler\",\"status\":\"ok\"" || {
        skip "no $compiler here"
        continue
    }
    WARPSTEP_COMPILER=$compiler says "compute 9.0 by $compiler" "u32[2] 0: 1 102" "$WARPSTEP" try "$TMPDIR/k.cu" --arch 90 \
        --grid 1 --block 1 --arg u64:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 --arg 'u32[2]' \
        --arg u64:101,102,3,4,5,6,7,8,9,10,11,12,13,14,15,16 --dump 0
done

finish
