// apart.cu: warp operations called on several ways, by one warp. From compute 7.0 on lanes meet
// there; before, each way acts by itself. Each kernel leaves a word for each of 32 threads.
// tests/unit/apart.c says which; tests/gpu/card.sh compares them with a GPU's. Kernels named hang_*
// never end on a GPU, and are a deadlock here.
// ptx: compute_80

#define ALL 0xffffffffu
#define KERNEL(name) extern "C" __global__ void name(unsigned *out)

// Both ways call it.
KERNEL(arms_syncwarp)
{
    __shared__ volatile unsigned s[32];
    const unsigned i = threadIdx.x;
    s[i] = i;
    __syncwarp();
    unsigned v;
    if (i < 16) {
        s[i] += 100;
        __syncwarp();
        v = s[i + 16];
        __syncwarp(); // else the compiler reads behind the branch, once for both ways
    } else {
        s[i] += 200;
        __syncwarp();
        v = s[i - 16];
        __syncwarp();
    }
    out[i] = v;
}

KERNEL(arms_shuffle)
{
    const unsigned i = threadIdx.x;
    if (i % 2) out[i] = __shfl_xor_sync(ALL, i + 100, 1) + 1000;
    else out[i] = __shfl_xor_sync(ALL, i + 200, 1) + 2000;
}

KERNEL(arms_ballot)
{
    const unsigned i = threadIdx.x;
    if (i < 16) out[i] = __ballot_sync(ALL, i & 1);
    else out[i] = ~__ballot_sync(ALL, i & 2);
}

// The predicate may be negated on one way: that is no other operation.
KERNEL(arms_all)
{
    const unsigned i = threadIdx.x;
    unsigned yes;
    if (i < 5)
        asm volatile("{.reg .pred p, q; setp.lt.u32 p, %1, 32; vote.sync.all.pred q, p, -1; selp.u32 %0, 10, 20, q;}"
                     : "=r"(yes)
                     : "r"(i));
    else
        asm volatile("{.reg .pred p, q; setp.ge.u32 p, %1, 32; vote.sync.all.pred q, !p, -1; selp.u32 %0, 11, 21, q;}"
                     : "=r"(yes)
                     : "r"(i));
    out[i] = yes;
}

KERNEL(arms_match)
{
    const unsigned i = threadIdx.x;
    if (i & 4) out[i] = __match_any_sync(ALL, (unsigned long long)(i % 4) << 32);
    else out[i] = __match_any_sync(ALL, (unsigned long long)(i % 8) << 32);
}

KERNEL(arms_match_all)
{
    const unsigned i = threadIdx.x;
    int same = 0;
    unsigned v;
    if (i < 20) {
        v = __match_all_sync(ALL, i / 32, &same);
        out[i] = v ^ (same ? 1u : 0);
    } else {
        v = __match_all_sync(ALL, 0u, &same);
        out[i] = v ^ (same ? 2u : 0);
    }
}

KERNEL(arms_reduce)
{
    const unsigned i = threadIdx.x;
    if (i < 10) out[i] = __reduce_add_sync(ALL, i);
    else out[i] = __reduce_add_sync(ALL, 2 * i) + 1;
}

// Four ways, two deep.
KERNEL(nested)
{
    const unsigned i = threadIdx.x;
    unsigned v;
    if (i & 1) {
        if (i & 2) v = __shfl_xor_sync(ALL, i * 3, 3) + 1;
        else v = __shfl_xor_sync(ALL, i * 5, 3) + 2;
    } else {
        if (i & 2) v = __shfl_xor_sync(ALL, i * 7, 3) + 3;
        else v = __shfl_xor_sync(ALL, i * 11, 3) + 4;
    }
    out[i] = v;
}

// Four calls on each way: in four rounds of a loop, and in two rounds of two.
KERNEL(loops)
{
    const unsigned i = threadIdx.x;
    unsigned v = i;
    if (i < 16) {
#pragma unroll 1
        for (int k = 0; k < 4; k++) v += __shfl_xor_sync(ALL, v, 31);
    } else {
#pragma unroll 1
        for (int k = 0; k < 2; k++) {
            v += __shfl_xor_sync(ALL, v, 31);
            v += __shfl_xor_sync(ALL, v, 31);
        }
    }
    out[i] = v;
}

// Two groups of 16, each with its own mask and lanes on both ways.
KERNEL(groups)
{
    const unsigned i = threadIdx.x, mask = i & 8 ? 0xff00ff00u : 0x00ff00ffu;
    if (i < 16) out[i] = __shfl_xor_sync(mask, i + 100, 16);
    else out[i] = __shfl_xor_sync(mask, i + 200, 16);
}

// The same, and the second group comes later: the first goes on without it, and tells it when to come.
KERNEL(groups_in_turn)
{
    __shared__ volatile unsigned flag;
    const unsigned i = threadIdx.x, mask = i & 8 ? 0xff00ff00u : 0x00ff00ffu;
    if (i == 0) flag = 0;
    __syncwarp();
    if (i < 24) {
        out[i] = __shfl_xor_sync(mask, i, 16);
        if (i == 0) flag = 1;
    } else {
        while (!flag) {}
        out[i] = __shfl_xor_sync(mask, i, 16);
    }
}

static __device__ __noinline__ unsigned sum_called(unsigned v) { return v + __shfl_xor_sync(ALL, v, 16); }
static __device__ __forceinline__ unsigned sum_inlined(unsigned v)
{
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(ALL, v, d);
    return v;
}
KERNEL(inlined)
{
    const unsigned i = threadIdx.x;
    if (i % 3) out[i] = sum_inlined(i);
    else out[i] = sum_inlined(i * i) + 1;
}
KERNEL(called)
{
    const unsigned i = threadIdx.x;
    if (i < 16) out[i] = sum_called(i) + 1;
    else out[i] = sum_called(i * 10) + 2;
}
static __device__ __noinline__ unsigned deeper(unsigned v, unsigned more) { return sum_called(v + more) * 2; }
KERNEL(called_deeper)
{
    const unsigned i = threadIdx.x;
    if (i < 16) out[i] = sum_called(i);
    else out[i] = deeper(i, i);
}

// Lanes that have ended are in the mask.
KERNEL(ended)
{
    const unsigned i = threadIdx.x;
    out[i] = 9;
    if (i >= 24) return;
    if (i & 1) out[i] = __ballot_sync(ALL, i < 12);
    else out[i] = __ballot_sync(ALL, i >= 12);
}

// First the one way, then the other: nobody needs to wait for ever.
KERNEL(one_after_the_other)
{
    const unsigned i = threadIdx.x;
    unsigned v = i;
    if (i != 0) v = __shfl_down_sync(ALL, v, 1);
    if (i == 0) v = __shfl_down_sync(ALL, v + 50, 1) + 500;
    out[i] = v;
}

// Lane 0 takes no part, and ends later.
KERNEL(skip_all)
{
    const unsigned i = threadIdx.x;
    unsigned v = 7;
    if (i != 0) v = __all_sync(ALL, 1);
    out[i] = v;
}
KERNEL(skip_ballot)
{
    const unsigned i = threadIdx.x;
    unsigned v = 7;
    if (i != 0) v = __ballot_sync(ALL, 1);
    out[i] = v;
}
KERNEL(skip_shuffle)
{
    const unsigned i = threadIdx.x;
    unsigned v = 7;
    if (i != 0) v = __shfl_down_sync(ALL, i, 1);
    out[i] = v;
}
KERNEL(skip_shuffle_from)
{
    const unsigned i = threadIdx.x;
    unsigned v = 7;
    if (i != 0) v = __shfl_up_sync(ALL, i + 1, 1);
    out[i] = v;
}
KERNEL(skip_syncwarp)
{
    __shared__ volatile unsigned s[32];
    const unsigned i = threadIdx.x;
    s[i] = i;
    if (i != 0) __syncwarp();
    out[i] = s[i] + 1;
}
KERNEL(two_against_one)
{
    const unsigned i = threadIdx.x;
    if (i != 0) {
        out[i] = i;
        __syncwarp();
        out[i] += 1;
    }
    __syncwarp();
    if (i == 0) out[i] = 3;
}
// Some leave a loop earlier, and end.
KERNEL(skip_rounds)
{
    const unsigned i = threadIdx.x;
    unsigned v = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 1 + i % 4; k++) v = v * 10 + __popc(__ballot_sync(ALL, 1));
    out[i] = v;
}
// The first eight of a block of one warp add up: shuffles from lanes that take no part.
KERNEL(skip_sum)
{
    const unsigned i = threadIdx.x;
    unsigned v = i + 1;
    if (i < 8)
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(ALL, v, d);
    out[i] = v;
}

// Deadlocks, on a card too.
KERNEL(hang_all_block)
{
    const unsigned i = threadIdx.x;
    unsigned v = 7;
    if (i != 0) v = __all_sync(ALL, 1);
    __syncthreads();
    out[i] = v;
}
KERNEL(hang_syncwarp_shuffle)
{
    const unsigned i = threadIdx.x;
    unsigned v = i;
    if (i < 16) __syncwarp();
    else v = __shfl_xor_sync(ALL, v, 1);
    out[i] = v;
}
KERNEL(hang_shuffle_ballot)
{
    const unsigned i = threadIdx.x;
    if (i < 16) out[i] = __shfl_xor_sync(ALL, i, 1);
    else out[i] = __ballot_sync(ALL, i & 1);
}
