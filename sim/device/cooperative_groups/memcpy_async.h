/* memcpy_async.h: cooperative_groups::memcpy_async and wait: the threads of a group copy memory
 * together. */
#ifndef WARPSTEP_MEMCPY_ASYNC_H
#define WARPSTEP_MEMCPY_ASYNC_H
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

namespace cooperative_groups {

template <class Group, class T> __WS_FN void memcpy_async(const Group &g, T *to, const T *from, size_t bytes)
{
    const size_t whole = ((size_t)to | (size_t)from | bytes) % 4 ? 0 : bytes / 4;
    for (size_t i = g.thread_rank(); i < whole; i += g.size())
        __pipeline_memcpy_async((unsigned int *)to + i, (const unsigned int *)from + i, 4);
    for (size_t i = 4 * whole + g.thread_rank(); i < bytes; i += g.size()) ((char *)to)[i] = ((const char *)from)[i];
    __pipeline_commit();
}
template <class Group> __WS_FN void wait(const Group &g)
{
    __pipeline_wait_prior(0);
    g.sync();
}

} // namespace cooperative_groups

#endif
