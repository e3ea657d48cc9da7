/* cooperative_groups.h: the part of cooperative groups that teaching code uses, for clang, and for
 * NVRTC without a toolkit.
 *
 * thread_block, tiled_partition<N> (N a power of two up to 32), coalesced_threads, grid_group;
 * their rank, size, sync, shuffles, votes, and cg::reduce with plus, less, greater, bit_and,
 * bit_or, bit_xor. Grid-wide sync counts arrivals in a word that the launch provides (%envreg), as
 * NVIDIA's does. It needs a cooperative launch; `try` makes one when a kernel asks for it.
 */
#ifndef WARPSTEP_COOPERATIVE_GROUPS_H
#define WARPSTEP_COOPERATIVE_GROUPS_H

#ifndef __WS_FN
#define __WS_FN static __inline__ __attribute__((always_inline)) __device__
#endif
#ifdef __clang__
#define __WS_METHOD __inline__ __attribute__((always_inline, nodebug)) __device__
#else
#define __WS_METHOD __inline__ __attribute__((always_inline)) __device__
#endif

namespace cooperative_groups {

__WS_FN unsigned int __ws_lane()
{
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
__WS_FN unsigned int __ws_lanes_below()
{
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/* ---- the block ---- */
class thread_block {
public:
    static __WS_METHOD void sync() { __syncthreads(); }
    static __WS_METHOD unsigned int thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static __WS_METHOD unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    static __WS_METHOD unsigned int num_threads() { return size(); }
    static __WS_METHOD dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __WS_METHOD dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __WS_METHOD dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __WS_METHOD dim3 dim_threads() { return group_dim(); }
};
__WS_FN thread_block this_thread_block() { return thread_block(); }

/* ---- tiles: N consecutive lanes of a warp ---- */
template <unsigned int N, class Parent = thread_block> class thread_block_tile {
    static_assert(N > 0 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
    static __WS_METHOD unsigned int mask()
    {
        return N == 32 ? 0xffffffffu : ((1u << (N & 31)) - 1) << (__ws_lane() & ~(N - 1));
    }

public:
    static __WS_METHOD void sync() { __syncwarp(mask()); }
    static __WS_METHOD unsigned int thread_rank() { return __ws_lane() & (N - 1); }
    static constexpr __WS_METHOD unsigned int size() { return N; }
    static constexpr __WS_METHOD unsigned int num_threads() { return N; }
    static __WS_METHOD unsigned int meta_group_rank() { return thread_block::thread_rank() / N; }
    static __WS_METHOD unsigned int meta_group_size() { return (thread_block::size() + N - 1) / N; }
    template <class T> __WS_METHOD T shfl(const T &v, int rank) const { return __shfl_sync(mask(), v, rank, N); }
    template <class T> __WS_METHOD T shfl_up(const T &v, unsigned int by) const
    {
        return __shfl_up_sync(mask(), v, by, N);
    }
    template <class T> __WS_METHOD T shfl_down(const T &v, unsigned int by) const
    {
        return __shfl_down_sync(mask(), v, by, N);
    }
    template <class T> __WS_METHOD T shfl_xor(const T &v, unsigned int with) const
    {
        return __shfl_xor_sync(mask(), v, (int)with, N);
    }
    __WS_METHOD int any(int p) const { return __any_sync(mask(), p); }
    __WS_METHOD int all(int p) const { return __all_sync(mask(), p); }
    __WS_METHOD unsigned int ballot(int p) const
    {
        return __ballot_sync(mask(), p) >> (__ws_lane() & ~(N - 1)) & (N == 32 ? 0xffffffffu : (1u << (N & 31)) - 1);
    }
    template <class T> __WS_METHOD unsigned int match_any(T v) const
    {
        return __match_any_sync(mask(), v) >> (__ws_lane() & ~(N - 1));
    }
};
template <unsigned int N, class Parent> __WS_FN thread_block_tile<N, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<N, Parent>();
}

/* ---- the lanes that are active together ---- */
class coalesced_group {
    unsigned int mask;
    /* The lane of the rank-th member. */
    __WS_METHOD unsigned int lane_of(unsigned int rank) const
    {
        unsigned int m = mask;
        for (; rank && m; rank--) m &= m - 1;
        return (unsigned int)__ffs((int)m) - 1;
    }

public:
    explicit __WS_METHOD coalesced_group(unsigned int m) : mask(m) {}
    __WS_METHOD void sync() const { __syncwarp(mask); }
    __WS_METHOD unsigned int thread_rank() const { return (unsigned int)__popc(mask & __ws_lanes_below()); }
    __WS_METHOD unsigned int size() const { return (unsigned int)__popc(mask); }
    __WS_METHOD unsigned int num_threads() const { return size(); }
    template <class T> __WS_METHOD T shfl(const T &v, unsigned int rank) const
    {
        return __shfl_sync(mask, v, (int)lane_of(rank < size() ? rank : rank % size()));
    }
    template <class T> __WS_METHOD T shfl_down(const T &v, unsigned int by) const
    {
        unsigned int to = thread_rank() + by;
        return __shfl_sync(mask, v, (int)lane_of(to < size() ? to : thread_rank()));
    }
    template <class T> __WS_METHOD T shfl_up(const T &v, unsigned int by) const
    {
        unsigned int rank = thread_rank();
        return __shfl_sync(mask, v, (int)lane_of(rank >= by ? rank - by : rank));
    }
    template <class T> __WS_METHOD T shfl_xor(const T &v, unsigned int with) const
    {
        unsigned int to = thread_rank() ^ with;
        return __shfl_sync(mask, v, (int)lane_of(to < size() ? to : thread_rank()));
    }
    __WS_METHOD int any(int p) const { return __any_sync(mask, p); }
    __WS_METHOD int all(int p) const { return __all_sync(mask, p); }
    /* Bit r of the result belongs to the member of rank r. */
    __WS_METHOD unsigned int ballot(int p) const
    {
        unsigned int lanes = __ballot_sync(mask, p), result = 0;
        int rank = 0;
        for (unsigned int m = mask; m; m &= m - 1, rank++) result |= (lanes & m & (0u - m) ? 1u : 0u) << rank;
        return result;
    }
};
__WS_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* ---- the grid ---- */
class grid_group {
public:
    /* Every block adds to one counter. Block 0 adds what flips the top bit when all have
     * arrived. */
    __WS_METHOD void sync() const
    {
        unsigned int low, high;
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        volatile unsigned int *arrived = (volatile unsigned int *)(((unsigned long long)high << 32 | low)) + 1;
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
            bool is_first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
            __threadfence();
            unsigned int old = atomicAdd((unsigned int *)arrived, is_first ? 0x80000000u - (blocks - 1) : 1u);
            while (((old ^ *arrived) & 0x80000000u) == 0) {}
            __threadfence();
        }
        __syncthreads();
    }
    __WS_METHOD bool is_valid() const { return true; }
    __WS_METHOD unsigned long long thread_rank() const
    {
        unsigned long long block = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * thread_block::size() + thread_block::thread_rank();
    }
    __WS_METHOD unsigned long long size() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
    }
    __WS_METHOD unsigned long long num_threads() const { return size(); }
    __WS_METHOD unsigned int block_rank() const
    {
        return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __WS_METHOD unsigned int num_blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
    __WS_METHOD dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
};
__WS_FN grid_group this_grid() { return grid_group(); }

template <class Group> __WS_FN void sync(const Group &g) { g.sync(); }

/* ---- reduce ---- */
template <class T> struct plus { __WS_METHOD T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __WS_METHOD T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __WS_METHOD T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __WS_METHOD T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __WS_METHOD T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __WS_METHOD T operator()(T a, T b) const { return a ^ b; } };

template <unsigned int N, class Parent, class T, class Op>
__WS_FN T reduce(const thread_block_tile<N, Parent> &g, T v, Op op)
{
    for (unsigned int with = N / 2; with; with /= 2) v = op(v, g.shfl_xor(v, with));
    return v;
}
/* Of any number of lanes: fold the upper half onto the lower until one is left, then broadcast. */
template <class T, class Op> __WS_FN T reduce(const coalesced_group &g, T v, Op op)
{
    unsigned int rank = g.thread_rank();
    for (unsigned int left = g.size(); left > 1; left = (left + 1) / 2) {
        unsigned int half = (left + 1) / 2;
        T other = g.shfl(v, rank + half < left ? rank + half : rank);
        if (rank + half < left) v = op(v, other);
    }
    return g.shfl(v, 0);
}

} // namespace cooperative_groups

#undef __WS_METHOD
#endif
